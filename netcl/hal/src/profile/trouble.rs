//! What keeps the trace of `NETCL_TRACE` from being written: an error of whoever opens a device, or a message when the
//! process ends.

use crate::error::{Error, Result};
use crate::process;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// When it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// There is no file.
    Creating,
    /// The file has what was recorded before.
    Writing,
}

#[derive(Debug)]
struct Trouble {
    when: When,
    path: PathBuf,
    source: Arc<io::Error>,
    /// An error of some call has said so.
    told: bool,
}

static TROUBLE: Mutex<Option<Trouble>> = Mutex::new(None);

/// Keeps what the system says of the file.
pub(super) fn keep(when: When, path: &Path, source: io::Error) {
    let trouble = Trouble { when, path: path.to_owned(), source: Arc::new(source), told: false };
    tracing::warn!(error = %trouble.error(), "no more is recorded for NETCL_TRACE");
    if let Some(mut kept) = process::lock(&TROUBLE) {
        *kept = Some(trouble);
    }
}

/// Fails if there is no trace though one is wanted. That one ends early is no reason to refuse a device.
pub fn check() -> Result<()> {
    let Some(mut kept) = process::lock(&TROUBLE) else { return Ok(()) };
    match &mut *kept {
        Some(trouble) if trouble.when == When::Creating => {
            trouble.told = true;
            Err(trouble.error())
        }
        _ => Ok(()),
    }
}

/// The process ends: what no error has said goes to standard error.
pub(super) fn tell() {
    if let Some(kept) = process::try_lock(&TROUBLE)
        && let Some(trouble) = kept.as_ref().filter(|trouble| !trouble.told)
    {
        // There is nobody left to tell if this fails.
        let _ = writeln!(io::stderr(), "netcl: {}", trouble.error());
    }
}

impl Trouble {
    fn error(&self) -> Error {
        let action = match self.when {
            When::Creating => "create the trace that NETCL_TRACE asks for,",
            When::Writing => "go on with the trace that NETCL_TRACE asks for, which ends early,",
        };
        Error::Io { action, path: self.path.clone(), source: self.source.clone() }
    }
}
