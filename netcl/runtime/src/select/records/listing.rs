//! The files of measurements, for people who look after the cache.

use super::Record;
use super::file::{Folder, Found, Identity, read, remove};
use crate::error::{Error, Result};
use netcl_hal::config;
use netcl_hal::files::{folder_of, refusal_of_folder};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file of measurements: those of one device with one driver. What a damaged one does not say is empty.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordFile {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// When something was last added to it.
    pub changed: SystemTime,
    /// The version of netcl that wrote it.
    pub netcl: String,
    /// The OpenCL platform that the device is of.
    pub platform: String,
    /// The device's name.
    pub device: String,
    /// The driver's version.
    pub driver: String,
    /// What was measured, ordered by the buckets' texts; nothing of another version of netcl whose records this one cannot
    /// read.
    pub records: Vec<Record>,
    /// Why it counts as none, if it is damaged, or somebody else may have written it; it is written anew when the device is
    /// tuned next.
    pub damage: Option<String>,
}

impl RecordFile {
    /// Forgets the measurements.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be removed. That it is gone already is no error.
    pub fn remove(&self) -> Result<()> {
        remove(&self.path).map_err(|source| Error::Io { action: "delete", path: self.path.clone(), source })
    }
}

/// Every file of measurements in the cache folder, by name, whatever device it is of; none where nothing is kept.
///
/// ```
/// for file in netcl::select::record_files()? {
///     println!("{} ({}): {} tasks", file.device, file.driver, file.records.len());
/// }
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Io`] if the folder is there and cannot be read; [`Error::Config`] if an environment variable has a bad value.
pub fn record_files() -> Result<Vec<RecordFile>> {
    config::get()?;
    let Some(Folder(folder)) = Folder::of_process() else { return Ok(Vec::new()) };
    let paths = paths(&folder).map_err(|source| Error::Io { action: "read", path: folder, source })?;
    Ok(paths.into_iter().map(of).collect())
}

/// The files, by name; none where the folder is not there.
fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    Ok(paths)
}

fn of(path: PathBuf) -> RecordFile {
    let metadata = fs::symlink_metadata(&path).ok();
    let changed = metadata.as_ref().and_then(|metadata| metadata.modified().ok()).unwrap_or(UNIX_EPOCH);
    let mut file = RecordFile {
        bytes: metadata.map_or(0, |metadata| metadata.len()),
        changed,
        netcl: String::new(),
        platform: String::new(),
        device: String::new(),
        driver: String::new(),
        records: Vec::new(),
        damage: None,
        path,
    };
    let mut name = |of: Identity| {
        (file.netcl, file.platform) = (of.netcl, of.platform);
        (file.device, file.driver) = (of.device, of.driver);
    };
    match read(&file.path) {
        Some(Found::Whole(of, content)) => {
            name(of);
            file.records = content.measured.into_values().collect();
        }
        Some(Found::Foreign(of)) => name(of),
        Some(Found::Damaged(problem)) => file.damage = Some(problem),
        Some(Found::Refused(refusal)) => file.damage = Some(refusal.to_string()),
        None => file.damage = Some("it is gone".to_owned()),
    }
    if let Some(refusal) = refusal_of_folder(folder_of(&file.path)) {
        file.damage = Some(format!("of the folder {}: {refusal}", refusal.path.display()));
    }
    file
}
