//! Files that are replaced whole, and what tells whether one is damaged.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether the bytes have to be on the disk before the old file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durable {
    /// Yes: after a power failure there is the old file or the new one.
    Yes,
    /// No: what reads it can tell a damaged file, and can do without.
    No,
}

/// Writes the file beside `path` under a name of its own and renames it: whoever reads `path`, in this process or
/// another, sees the old file, the new one, or none, also where the disk is full or the process is killed midway.
///
/// A link stays, and what it points to is replaced. What is there and is no file (`/dev/null`, `/dev/stdout`, a pipe) is
/// written to.
pub(crate) fn replace_file(path: &Path, bytes: &[u8], durable: Durable) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let resolved = fs::canonicalize(path);
    let path = resolved.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let unique = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{}.{}.{unique}.tmp", name.to_string_lossy(), std::process::id()));
    // A file of that name is left from a process that was killed and had the same number.
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        if durable == Durable::Yes {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
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
