//! Records on disk: one JSON file for each device, driver, version of netcl and text of its kernels, shared by all processes.
//!
//! A file is replaced whole. Who writes reads it again first, under the folder's lock, and merges: two processes that tune at
//! once lose nothing. A file that is damaged, or that another user may have written, counts as none, with a warning; one of
//! another netcl that this one cannot read, without.

use super::{Content, Record, WorkGroup};
use crate::device::DeviceProfile;
use netcl_hal::config;
use netcl_hal::files::{
    Keeping, Own, Refusal, checksum, folder_of, is_missing, make_private_folder, open_to_change, read_own,
    refusal_of_folder, remove_leftovers, replace_file, warn_of,
};
use netcl_kernels::template::ALL;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long to wait for another process's turn. Turns take milliseconds; who holds one for longer has been stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// No file of records is larger: one has some hundred bytes for each task. What is beyond it is damage and is not read.
const LARGEST: u64 = 64 << 20;

/// In the folder of the files.
const LOCK: &str = ".lock";

/// What a file's content means: to be counted up where names of self-tests, keys or configurations come to stand for
/// something else, or kernels that no template holds are generated otherwise.
const SCHEMA: u32 = 2;

/// Whose records a file has: what decides whether a kernel is right and how fast it is there. What an older netcl has not
/// written is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Identity {
    pub(super) netcl: String,
    /// [`SCHEMA`].
    schema: u32,
    /// A sum over the templates' texts: what was found out about a kernel says nothing about another.
    kernels: String,
    pub(super) platform: String,
    pub(super) device: String,
    pub(super) driver: String,
    /// Parts of a device are other devices.
    compute_units: u32,
    /// Vendor, architecture and kind: what devices must share to learn from each other.
    pub(crate) architecture: String,
}

/// A file's text. The sum comes first, and is over the text with [`NO_SUM`] in its place: whoever reads it need not know the
/// content.
#[derive(Serialize, Deserialize)]
struct Document {
    checksum: String,
    of: Identity,
    // What a `Content` has, spelled out: `flatten` would be a second reader and a second writer for every type in it.
    #[serde(default)]
    measured: BTreeMap<String, Record>,
    #[serde(default)]
    tested: BTreeMap<String, bool>,
    #[serde(default)]
    bad: BTreeMap<String, String>,
    #[serde(default)]
    work_groups: BTreeMap<String, WorkGroup>,
}

const NO_SUM: &str = "0000000000000000";

/// What every version's file has.
#[derive(Deserialize)]
struct Header {
    checksum: String,
    of: Identity,
}

/// What a file turned out to be.
pub(super) enum Found {
    /// Readable; perhaps of another version.
    Whole(Identity, Content),
    /// Of another version of netcl, and not to be read by this one.
    Foreign(Identity),
    /// Why it counts as none.
    Damaged(String),
    /// Who else may have written it.
    Refused(Refusal),
}

/// What becomes of what a file or folder that is not used would have held.
const INSTEAD: &str = "kernels are picked by netcl's own rules";

impl Identity {
    pub(crate) fn of(profile: &DeviceProfile) -> Identity {
        Identity {
            netcl: env!("CARGO_PKG_VERSION").to_owned(),
            schema: SCHEMA,
            kernels: of_templates().to_owned(),
            platform: profile.platform.clone(),
            device: profile.name.clone(),
            driver: profile.driver.clone(),
            compute_units: profile.compute_units,
            architecture: format!("{} {} {}", profile.vendor, profile.architecture, profile.target.name()),
        }
    }

    /// Whether this netcl writes its files so.
    fn is_of_this_version(&self) -> bool {
        self.netcl == env!("CARGO_PKG_VERSION") && self.schema == SCHEMA
    }

    /// The device's name in a form that every file system takes, and a hash of everything.
    fn file_name(&self) -> String {
        let readable = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = self.device.chars().map(readable).take(40).collect();
        let parts =
            [&self.netcl, &self.kernels, &self.platform, &self.device, &self.driver].map(String::as_str).join("\n");
        let all = format!("{parts}\n{}\n{}", self.compute_units, self.schema);
        format!("{}-{:016x}.json", name.trim_matches('-'), checksum(all.as_bytes()))
    }
}

/// The sum of this program's templates.
fn of_templates() -> &'static str {
    static SUM: LazyLock<String> =
        LazyLock::new(|| sum(ALL.iter().flat_map(|template| template.sources.iter().copied())));
    &SUM
}

fn sum<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        // Where one ends is part of what they say.
        bytes.push(0);
    }
    format!("{:016x}", checksum(&bytes))
}

/// Where the files are.
#[derive(Clone, Debug)]
pub(crate) struct Folder(pub(super) PathBuf);

impl Folder {
    /// The process's: `tuning` in the cache folder; `None` where nothing is to be kept.
    pub(crate) fn of_process() -> Option<Folder> {
        Some(Folder(config::get().ok()?.cache_dir.as_ref()?.join("tuning")))
    }

    /// Another one.
    #[cfg(test)]
    pub(crate) fn at(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// The file of a device, whether it is there or not.
    pub(crate) fn path(&self, identity: &Identity) -> PathBuf {
        self.0.join(identity.file_name())
    }

    /// What is known about the device.
    pub(crate) fn load(&self, identity: &Identity) -> Content {
        if self.refusal().is_some() {
            return Content::default();
        }
        match known(&self.path(identity)) {
            // Another device with the same file name: not damaged, just not ours.
            Some((of, content)) if of == *identity => content,
            _ => Content::default(),
        }
    }

    /// What is known about other devices, drivers and versions of netcl of the same architecture, in the order of the files' names.
    pub(crate) fn relatives(&self, identity: &Identity) -> Vec<Content> {
        let own = self.path(identity);
        let entries = if self.refusal().is_none() { fs::read_dir(&self.0).ok() } else { None };
        let Some(entries) = entries else { return Vec::new() };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| *path != own && path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        let read = paths.iter().filter_map(|path| known(path));
        read.filter(|(of, _)| of.architecture == identity.architecture).map(|(_, content)| content).collect()
    }

    /// Why nothing is read from the folder or written to it; said once.
    fn refusal(&self) -> Option<Refusal> {
        let refusal = refusal_of_folder(&self.0);
        refusal.iter().for_each(|refusal| warn_of(refusal, INSTEAD));
        refusal
    }

    /// Changes what the device's file has, and gives that. A failure is a warning, too, once.
    pub(crate) fn update(&self, identity: &Identity, change: &dyn Fn(&mut Content)) -> io::Result<Content> {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(refusal) = self.refusal() {
            return Err(refusal.into());
        }
        let updated = self.try_update(identity, change);
        if let Err(error) = &updated
            && !WARNED.swap(true, Ordering::Relaxed)
        {
            let hint = "set NETCL_CACHE_DIR to a folder that can be written, or to `off`";
            tracing::warn!(folder = %self.0.display(), %error, hint, "measurements cannot be kept for later runs");
        }
        updated
    }

    fn try_update(&self, identity: &Identity, change: &dyn Fn(&mut Content)) -> io::Result<Content> {
        make_private_folder(&self.0)?;
        let path = self.path(identity);
        let _turn = turn(&self.0);
        let mut content = self.load(identity);
        change(&mut content);
        replace_file(&path, &encode(identity, &content)?, Keeping::Cached)?;
        remove_leftovers(&self.0);
        Ok(content)
    }

    /// Forgets everything about the device.
    pub(crate) fn remove(&self, identity: &Identity) -> io::Result<()> {
        remove(&self.path(identity))
    }
}

/// Removes a file of records, if it is there, and what killed processes left beside it.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    let _turn = turn(folder);
    remove_leftovers(folder);
    match fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(error),
        _ => Ok(()),
    }
}

/// This process's turn to write in the folder; `None` where there is no folder, the file system has no locks, or another process
/// has been stopped in its turn: what can happen then is that a measurement is lost.
///
/// One lock is for all files and is never removed: who waits for a lock holds it open, and would share its turn with whoever
/// made another.
fn turn(folder: &Path) -> Option<File> {
    let file = open_to_change(&folder.join(LOCK), true).ok()?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return None,
        }
    }
}

fn encode(identity: &Identity, content: &Content) -> io::Result<Vec<u8>> {
    let Content { measured, tested, bad, work_groups } = content.clone();
    let of = identity.clone();
    let document = Document { checksum: NO_SUM.to_owned(), of, measured, tested, bad, work_groups };
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    let checksum = sum(iter::once(text.as_str()));
    Ok(text.replacen(NO_SUM, &checksum, 1).into_bytes())
}

/// What a file's bytes are.
fn decode(bytes: &[u8]) -> Found {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Found::Damaged(error.to_string()),
    };
    let header: Header = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) => return Found::Damaged(error.to_string()),
    };
    let own = header.of.is_of_this_version();
    match sum(iter::once(text.replacen(&header.checksum, NO_SUM, 1).as_str())) == header.checksum {
        true => match serde_json::from_str::<Document>(text) {
            Ok(Document { of, measured, tested, bad, work_groups, .. }) => {
                Found::Whole(of, Content { measured, tested, bad, work_groups })
            }
            Err(_) if !own => Found::Foreign(header.of),
            Err(error) => Found::Damaged(error.to_string()),
        },
        // Another version may have another sum.
        _ if !own => Found::Foreign(header.of),
        _ => Found::Damaged("its checksum does not fit".to_owned()),
    }
}

/// What a file is; `None` if it is not there.
pub(super) fn read(path: &Path) -> Option<Found> {
    match read_own(path, LARGEST) {
        Ok(Own::Bytes(bytes)) => Some(decode(&bytes)),
        Ok(Own::Refused(refusal)) => Some(Found::Refused(refusal)),
        Err(error) if is_missing(&error) => None,
        Err(error) => Some(Found::Damaged(error.to_string())),
    }
}

/// What a file holds; a damaged one nothing, with a warning.
fn known(path: &Path) -> Option<(Identity, Content)> {
    match read(path)? {
        Found::Whole(of, content) => Some((of, content)),
        Found::Foreign(of) => {
            tracing::debug!(path = %path.display(), netcl = of.netcl, "measurements of another netcl are not read");
            None
        }
        Found::Damaged(problem) => {
            tracing::warn!(path = %path.display(), problem, "a file of measurements is damaged and not used");
            None
        }
        Found::Refused(refusal) => {
            warn_of(&refusal, INSTEAD);
            None
        }
    }
}

#[cfg(test)]
mod tests;
