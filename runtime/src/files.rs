//! Files that are replaced whole, and what tells whether one is damaged.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What the names of files end with that are being written.
const ENDING: &str = ".netcl.tmp";

/// Where the file system has no locks, what was not finished after so long is not being written any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Whether the bytes have to be on the disk before the old file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durable {
    /// Yes: after a power failure there is the old file or the new one.
    Yes,
    /// No: what reads it can tell a damaged file, and can do without.
    No,
}

/// Writes the file beside `path` under a name of its own and renames it: whoever reads `path`, in this process or
/// another, sees the old file, the new one, or none, also where the disk is full or the process is killed midway. What a
/// killed process leaves goes when a durable file is written to its folder, or by [`remove_leftovers`].
///
/// A link stays, and what it points to is replaced. What is there and is no file (`/dev/null`, `/dev/stdout`, a pipe) is
/// written to.
pub(crate) fn replace_file(path: &Path, bytes: &[u8], durable: Durable) -> io::Result<()> {
    let resolved = fs::canonicalize(path);
    let path = resolved.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = folder_of(path);
    if durable == Durable::Yes {
        // Such files are large and written seldom: what lies there may be the room that this one lacks.
        remove_leftovers(folder);
    }
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let (temporary, mut file) = begin(folder, &name.to_string_lossy())?;
    let mut write = || {
        file.write_all(bytes)?;
        if durable == Durable::Yes {
            file.sync_all()?;
        }
        // Still open: until it has its name, it must not be taken for a leftover.
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// The same error once more: the system's cannot be cloned, but their numbers can.
pub(crate) fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Whether there is no file: nor may there be one where its folder is a file.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Where a file lies.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file for what is to be called `name`, locked for as long as it is open: whoever writes it lives.
fn begin(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".{name}.{}.{unique}{ENDING}", std::process::id()));
        // A file of that name is left from a process that was killed and had the same number.
        let file = File::create(&path)?;
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        // Before it was locked, somebody may have taken it for a leftover.
        if !is_taken && path.exists() {
            return Ok((path, file));
        }
    }
}

/// Removes what [`replace_file`] was writing in the folder, in processes that have been killed; never what one that lives
/// is writing.
pub(crate) fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_unfinished(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let Ok(file) = File::options().append(true).open(entry.path()) else { continue };
        let age = || file.metadata().and_then(|metadata| metadata.modified()).ok()?.elapsed().ok();
        let is_left = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(_)) => age().is_some_and(|age| age > ABANDONED),
        };
        if is_left {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether [`begin`] gives such names: `.weights.safetensors.1234.0.netcl.tmp`.
fn is_unfinished(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(ENDING)) else { return false };
    let mut parts = rest.rsplitn(3, '.');
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    is_number() && is_number() && parts.next().is_some_and(|name| !name.is_empty())
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across runs and builds, which `std`'s hasher does not promise. It guards
/// against damage, not against forgery.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the authors' own `test_fnv.c`.
    #[test]
    fn checksums_are_fnv_1a() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn what_nobody_writes_is_removed_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("netcl-leftovers-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let (written, file) = begin(&folder, "weights").unwrap();
        let others = ["weights", ".netcl.tmp", ".a.b.1.netcl.tmp", ".a.1.1.tmp", "a.1.1.netcl.tmp", "..1.1.netcl.tmp"];
        let left = [".a.1.0.netcl.tmp", ".b.c.4294967295.7.netcl.tmp"];
        for name in others.iter().chain(&left) {
            fs::write(folder.join(name), b"half").unwrap();
        }
        remove_leftovers(&folder);
        assert!(written.exists() && others.iter().all(|name| folder.join(name).exists()));
        assert!(left.iter().all(|name| !folder.join(name).exists()));
        drop(file);
        remove_leftovers(&folder);
        assert!(!written.exists());
        remove_leftovers(&folder.join("nowhere"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        replace_file(Path::new("/dev/null"), b"nothing", Durable::Yes).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

        let folder = std::env::temp_dir().join(format!("netcl-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.join(name));
        replace_file(&file, b"first", Durable::No).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace_file(&link, b"second", Durable::No).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");
        assert!(replace_file(&folder, b"third", Durable::No).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
