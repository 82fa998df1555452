//! The cache folder: what is kept there between runs, whether it is whole, and how to be rid of it. Measurements of
//! kernels are kept apart: [`crate::select`].
//!
//! netcl keeps built programs and what was found out about devices in `NETCL_CACHE_DIR`, up to `NETCL_CACHE_LIMIT_MB`; what
//! was used least lately goes first. Nothing here is needed to use netcl: damaged files are built again, and any file may
//! be deleted at any time, also while programs run.
//!
//! A program that is found here is run. The folders are made for this user alone, and what belongs to another user (but root),
//! or could have been written by one, is not used: one warning says so, and programs are built as if it were not there.
//!
//! ```
//! for entry in netcl::cache::entries()? {
//!     println!("{} for {} ({}): {} bytes", entry.kind, entry.device, entry.driver, entry.bytes);
//! }
//! let damaged = netcl::cache::verify()?.into_iter().filter(|(_, health)| !health.is_whole());
//! for (entry, _) in damaged {
//!     entry.remove()?;
//! }
//! # Ok::<(), netcl::Error>(())
//! ```

pub use netcl_hal::program::Kind;

use crate::error::{Error, Result};
use netcl_hal::config;
use netcl_hal::files::{Own, folder_of, open_regular, read_own, refusal_of_folder};
use netcl_hal::program::{disk, file, file_name, limit};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file of the cache. What it does not say is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub kind: Kind,
    /// The version of netcl that wrote it.
    pub netcl: String,
    /// The OpenCL platform that the device is of.
    pub platform: String,
    /// The device's name.
    pub device: String,
    /// The driver's version.
    pub driver: String,
    /// The kernels that the source has, in its order.
    pub kernels: Vec<String>,
    /// The file's size in bytes.
    pub bytes: u64,
    /// When it was last used, to about ten minutes.
    pub last_use: SystemTime,
}

/// Whether a file is as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Health {
    /// It is.
    Whole,
    /// It is not, for this reason; it counts as none, and is written again when it is needed.
    Damaged(String),
    /// Somebody else may have written it, for this reason; it is not used, and written again when it is needed unless that is
    /// the folder's fault ([`check_folder`]).
    Refused(String),
}

impl Health {
    /// Whether it is whole.
    pub fn is_whole(&self) -> bool {
        *self == Health::Whole
    }
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleared {
    /// How many files.
    pub files: usize,
    /// How many bytes they had.
    pub bytes: u64,
}

/// The folder that the files are in, whether it is there or not; `None` if `NETCL_CACHE_DIR` is `off`, or unset where there
/// is no home folder.
///
/// # Errors
///
/// [`Error::Config`] if an environment variable has a bad value.
pub fn folder() -> Result<Option<PathBuf>> {
    config::get()?;
    Ok(disk::folder())
}

/// Says whether the folder is used. Nothing is read from or written to one that belongs to another user than this one and
/// root, that others may write, or that lies in such a one; one that is not there yet is made when something is kept.
///
/// # Errors
///
/// [`Error::Io`] with the folder and why it is not used; [`Error::Config`] if an environment variable has a bad value.
pub fn check_folder() -> Result<()> {
    match folder()?.and_then(|folder| refusal_of_folder(&folder)) {
        Some(refusal) => {
            let source = io::Error::new(ErrorKind::PermissionDenied, refusal.to_string());
            Err(Error::Io { action: "use", path: refusal.path, source })
        }
        None => Ok(()),
    }
}

/// How many bytes the folder may have: `NETCL_CACHE_LIMIT_MB`.
///
/// # Errors
///
/// [`Error::Config`] if an environment variable has a bad value.
pub fn limit() -> Result<u64> {
    Ok(config::get()?.cache_limit)
}

/// The cache's files, the one used most lately first. Only their beginnings are read.
///
/// # Errors
///
/// [`Error::Io`] if the folder is there and cannot be read; [`Error::Config`] if an environment variable has a bad value.
pub fn entries() -> Result<Vec<Entry>> {
    folder()?.map_or_else(|| Ok(Vec::new()), |folder| entries_in(&folder))
}

/// Reads every file, and says whether it is whole. Whether a driver takes a program that is whole shows when it is loaded; one
/// that it refuses is built again.
///
/// # Errors
///
/// Those of [`entries`].
pub fn verify() -> Result<Vec<(Entry, Health)>> {
    let health = |entry: Entry| {
        let health = entry.verify();
        (entry, health)
    };
    Ok(entries()?.into_iter().map(health).collect())
}

/// Removes every file of the cache, and what killed processes left there; other files in the folder stay. Running programs
/// keep what they have loaded.
///
/// # Errors
///
/// [`Error::Io`] of the first file that cannot be removed: the others are gone all the same; [`Error::Config`] if an environment variable has a
/// bad value.
pub fn clear() -> Result<Cleared> {
    folder()?.map_or_else(|| Ok(Cleared::default()), |folder| clear_in(&folder))
}

impl Entry {
    /// Reads the file, and says whether it is whole.
    pub fn verify(&self) -> Health {
        if let Some(refusal) = refusal_of_folder(folder_of(&self.path)) {
            return Health::Refused(format!("of the folder {}: {refusal}", refusal.path.display()));
        }
        match read_own(&self.path, file::LARGEST) {
            Err(error) => Health::Damaged(format!("it cannot be read: {error}")),
            Ok(Own::Refused(refusal)) => Health::Refused(refusal.to_string()),
            Ok(Own::Bytes(bytes)) => match file::decode(&bytes).map(|(key, _)| file_name(key)) {
                Some(name) if self.path.ends_with(&name) => Health::Whole,
                Some(name) => Health::Damaged(format!("it holds what belongs into {name}")),
                None => Health::Damaged(format!("its {} bytes are not what the checksum says", bytes.len())),
            },
        }
    }

    /// Removes the file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be removed. That it is gone already is no error.
    pub fn remove(&self) -> Result<()> {
        remove(&self.path)
    }

    fn of(kept: limit::CacheFile) -> Entry {
        let key = open_regular(&kept.path).and_then(|(file, _)| file::read_key(file));
        let key = key.ok().flatten().unwrap_or_default();
        let (head, source) = key.split_once("\n\n").unwrap_or((&key, ""));
        let field = |name: &str| {
            let value = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.unwrap_or_default().to_owned()
        };
        let kind = field("kind");
        Entry {
            path: kept.path,
            kind: Kind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(Kind::Unknown),
            netcl: field("netcl"),
            platform: field("platform"),
            device: field("device"),
            driver: field("driver"),
            kernels: if kind == Kind::Program.name() { kernels(source) } else { Vec::new() },
            bytes: kept.bytes,
            last_use: kept.last_use,
        }
    }
}

/// The names of the kernels that an OpenCL C source defines.
fn kernels(source: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, word) in source.match_indices("kernel") {
        let (before, after) = (&source[..at], &source[at + word.len()..]);
        let starts = !before.strip_suffix("__").unwrap_or(before).ends_with(is_word);
        let Some((head, _)) = after.split_once('{').filter(|_| starts && !after.starts_with(is_word)) else { continue };
        // After `void`, and before the list of parameters; attributes stand before or between.
        let Some((_, name)) = head.split_once("void ") else { continue };
        let name: String = name.trim_start().chars().take_while(|c| is_word(*c)).collect();
        let name = defined(source, &name).unwrap_or(name);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What the source defines `name` to be first: templates leave their kernel's name to a macro, with a default further down.
fn defined(source: &str, name: &str) -> Option<String> {
    source.lines().find_map(|line| {
        let mut words = line.strip_prefix("#define")?.split_whitespace();
        (words.next() == Some(name)).then(|| words.next().map(str::to_owned))?
    })
}

fn entries_in(folder: &Path) -> Result<Vec<Entry>> {
    let mut files = list(folder, false)?;
    files.reverse();
    Ok(files.into_iter().map(Entry::of).collect())
}

fn clear_in(folder: &Path) -> Result<Cleared> {
    let (mut cleared, mut first) = (Cleared::default(), Ok(()));
    for kept in list(folder, false)?.into_iter().chain(list(folder, true)?) {
        let removed = remove(&kept.path);
        if removed.is_ok() {
            cleared.files += 1;
            cleared.bytes += kept.bytes;
        }
        first = first.and(removed);
    }
    first.map(|()| cleared)
}

fn list(folder: &Path, temporary: bool) -> Result<Vec<limit::CacheFile>> {
    match limit::files(folder, temporary) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Error::Io { action: "read", path: folder.to_owned(), source }),
        files => Ok(files.unwrap_or_default()),
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(Error::Io { action: "remove", path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_hal::device::profile::{DeviceKind, DeviceProfile};
    use netcl_hal::program::Key;
    use netcl_kernels::plan::Target;
    use std::fs::File;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("netcl-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn put(folder: &Path, kind: Kind, source: &str) -> PathBuf {
        let profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu).with(|profile| {
            profile.platform = "platform".into();
            profile.driver = "1.0".into();
        });
        let key = Key::of(kind, &profile, "-cl-std=CL1.2", source);
        let path = folder.join(key.file_name());
        fs::write(&path, file::encode(key.bytes(), b"binary")).unwrap();
        path
    }

    #[test]
    fn entries_say_what_they_are_and_whether_they_are_whole() {
        let folder = scratch("entries");
        let source = "#define NAME first\n#define NAME default\n__kernel void NAME(int x) {}\nkernel __attribute__((reqd_work_group_size(1, 1, 1)))\nvoid second() {}";
        let program = put(&folder, Kind::Program, source);
        put(&folder, Kind::Capabilities, "probes of kernel void none() {}");
        fs::write(folder.join("0.program"), b"damaged").unwrap();
        fs::write(folder.join("readme.txt"), b"not ours").unwrap();
        let mut entries = entries_in(&folder).unwrap();
        entries.sort_by_key(|entry| entry.kind);
        let kinds: Vec<Kind> = entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [Kind::Program, Kind::Capabilities, Kind::Unknown]);
        let first = &entries[0];
        assert_eq!(
            (first.platform.as_str(), first.device.as_str(), first.driver.as_str()),
            ("platform", "device", "1.0")
        );
        assert_eq!(
            (&*first.netcl, &first.kernels[..]),
            (env!("CARGO_PKG_VERSION"), &["first".into(), "second".into()][..])
        );
        assert_eq!((first.bytes, &first.path), (fs::metadata(&program).unwrap().len(), &program));
        assert!(entries[0].verify().is_whole() && entries[1].verify().is_whole() && !entries[2].verify().is_whole());
        let (bytes, elsewhere) = (fs::read(&program).unwrap(), fs::read(&entries[1].path).unwrap());
        fs::write(&program, elsewhere).unwrap();
        let named = entries[1].path.file_name().unwrap().to_str().unwrap();
        assert!(matches!(entries[0].verify(), Health::Damaged(reason) if reason.contains(named)), "exchanged files");
        fs::write(&program, bytes).unwrap();
        let mut bytes = fs::read(&program).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&program, bytes).unwrap();
        assert!(matches!(entries[0].verify(), Health::Damaged(reason) if reason.contains("checksum")));
        entries[0].remove().unwrap();
        entries[0].remove().unwrap();
        let left = clear_in(&folder).unwrap();
        assert_eq!(left.files, 2);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "what is not the cache's stays");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_removed_keeps_nothing_else() {
        let folder = scratch("stuck");
        let stuck = folder.join("0.program");
        fs::create_dir(&stuck).unwrap();
        let program = put(&folder, Kind::Program, "kernel void f() {}");
        let file = File::options().append(true).open(&program).unwrap();
        file.set_modified(SystemTime::now() + std::time::Duration::from_secs(100)).unwrap();
        assert!(matches!(clear_in(&folder), Err(Error::Io { path, .. }) if path == stuck));
        assert!(!program.exists() && stuck.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        let folder = Path::new("/nonexistent/netcl");
        assert_eq!((entries_in(folder).unwrap(), clear_in(folder).unwrap()), (Vec::new(), Cleared::default()));
    }
}
