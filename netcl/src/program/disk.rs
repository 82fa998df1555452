//! Binaries on disk: one file per program, written whole or not at all, checked when read.
//!
//! A file is the magic line, the key, the binary (each after its length as a little-endian `u64`) and a checksum of all
//! that. Whatever is wrong with a file or the folder, the program is built from source and the run goes on.

use crate::config;
use crate::io::{Durable, replace_file};
use crate::program::Key;
use crate::program::key::checksum;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const MAGIC: &[u8] = b"netcl program 1\n";

/// The binary of `key`, if a whole file of it is there.
pub(crate) fn load(key: &Key) -> Option<Vec<u8>> {
    load_from(&folder()?, key)
}

/// Keeps a binary for later runs; a failure is a warning, once.
pub(crate) fn store(key: &Key, binary: &[u8]) {
    if let Some(folder) = folder() {
        store_in(&folder, key, binary);
    }
}

/// Forgets a binary that the driver does not take.
pub(crate) fn remove(key: &Key) {
    if let Some(folder) = folder() {
        let _ = fs::remove_file(folder.join(key.file_name()));
    }
}

fn folder() -> Option<PathBuf> {
    Some(config::get().ok()?.cache_dir.as_ref()?.join("programs"))
}

fn load_from(folder: &Path, key: &Key) -> Option<Vec<u8>> {
    let path = folder.join(key.file_name());
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(path = %path.display(), %error, "a cached program cannot be read; it is built again");
            }
            return None;
        }
    };
    match decode(&bytes) {
        Some((found, binary)) if found == key.bytes() => Some(binary.to_vec()),
        // Another key with the same file name: not damaged, just not ours.
        Some(_) => None,
        None => {
            tracing::warn!(path = %path.display(), "a cached program is damaged; it is built again");
            None
        }
    }
}

fn store_in(folder: &Path, key: &Key, binary: &[u8]) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let write = || {
        fs::create_dir_all(folder)?;
        replace_file(&folder.join(key.file_name()), &encode(key.bytes(), binary), Durable::No)
    };
    if let Err(error) = write()
        && !WARNED.swap(true, Ordering::Relaxed)
    {
        let hint = "set NETCL_CACHE_DIR to a folder that can be written, or to `off`";
        tracing::warn!(folder = %folder.display(), %error, hint, "built programs cannot be kept for later runs");
    }
}

fn encode(key: &[u8], binary: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + key.len() + binary.len() + 24);
    bytes.extend_from_slice(MAGIC);
    for part in [key, binary] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
    bytes
}

/// Key and binary, if the bytes are a whole file.
fn decode(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if checksum(content).to_le_bytes() != *sum {
        return None;
    }
    let (key, rest) = take(content.strip_prefix(MAGIC)?)?;
    let (binary, rest) = take(rest)?;
    rest.is_empty().then_some((key, binary))
}

fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::{DeviceKind, DeviceProfile};
    use netcl_kernels::plan::Target;

    fn key(source: &str) -> Key {
        let profile = DeviceProfile {
            platform: "platform".into(),
            driver: "1.0".into(),
            ..DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu)
        };
        Key::new(&profile, "", source)
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("netcl-disk-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_stored_is_loaded_and_damage_is_noticed() {
        let folder = scratch("damage");
        let (key, binary) = (key("kernel"), vec![7u8; 1000]);
        assert_eq!(load_from(&folder, &key), None);
        store_in(&folder, &key, &binary);
        assert_eq!(load_from(&folder, &key), Some(binary.clone()));
        let path = folder.join(key.file_name());
        let whole = fs::read(&path).unwrap();
        for damaged in [whole[..whole.len() - 1].to_vec(), Vec::new(), vec![0; 5], {
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            flipped
        }] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(load_from(&folder, &key), None);
        }
        store_in(&folder, &key, &binary);
        assert_eq!(load_from(&folder, &key), Some(binary));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary files stay");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_of_another_key_is_not_taken() {
        let folder = scratch("key");
        let (ours, other) = (key("ours"), key("other"));
        store_in(&folder, &other, b"binary");
        fs::rename(folder.join(other.file_name()), folder.join(ours.file_name())).unwrap();
        assert_eq!(load_from(&folder, &ours), None);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Stores more than the process may write to a file; run by the next test in a process of its own.
    #[test]
    fn stores_beyond_the_limit() {
        let Some(folder) = std::env::var_os("NETCL_TEST_FULL_DISK").map(PathBuf::from) else { return };
        store_in(&folder, &key("kernel"), &vec![9u8; 1 << 20]);
        assert_eq!(load_from(&folder, &key("kernel")), Some(vec![7u8; 1000]));
    }

    /// A limit on the size of files fails midway, as a full disk does, and needs no file system of its own.
    #[cfg(unix)]
    #[test]
    fn a_full_disk_leaves_the_old_program() {
        let folder = scratch("full");
        store_in(&folder, &key("kernel"), &vec![7u8; 1000]);
        let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
        let child = std::process::Command::new("sh")
            .args(["-c", limited])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "program::disk::tests::stores_beyond_the_limit"])
            .env("NETCL_TEST_FULL_DISK", &folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && text.contains("1 passed"), "{text}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary files stay");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let file = scratch("file");
        fs::write(&file, b"not a folder").unwrap();
        store_in(&file.join("programs"), &key("x"), b"binary");
        assert_eq!(load_from(&file.join("programs"), &key("x")), None);
        fs::remove_file(&file).unwrap();
    }
}
