//! Binaries on disk: one file per program, written whole or not at all, checked when read.
//!
//! Whatever is wrong with a file or the folder, the program is built from source and the run goes on. A program is run as it
//! is, so that only this user's files are read, from folders that nobody else can write.

use super::file::{LARGEST, decode, encode};
use super::limit;
use crate::config;
use crate::files::{self, Keeping, Own, is_missing, make_private_folder, read_own, replace_file};
use crate::program::Key;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The binary of `key`, if a whole file of it is there.
pub(crate) fn load(key: &Key) -> Option<Vec<u8>> {
    load_from(&folder()?, key)
}

/// Keeps a binary for later runs; a failure is a warning, once.
pub(crate) fn store(key: &Key, binary: &[u8]) {
    if let Some(folder) = folder() {
        store_in(&folder, key, binary, config::get().map_or(u64::MAX, |config| config.cache_limit));
    }
}

/// Forgets a binary that the driver does not take.
pub(crate) fn remove(key: &Key) {
    if let Some(folder) = folder() {
        let _ = fs::remove_file(folder.join(key.file_name()));
    }
}

/// Where the files are; `None` where nothing is to be kept.
pub fn folder() -> Option<PathBuf> {
    Some(config::get().ok()?.cache_dir.as_ref()?.join("programs"))
}

/// What becomes of what a file or folder that is not used would have held.
const INSTEAD: &str = "programs are built";

/// Whether it may be read and written; says so once if not.
fn is_trusted(folder: &Path) -> bool {
    let refusal = files::refusal_of_folder(folder);
    refusal.iter().for_each(|refusal| files::warn_of(refusal, INSTEAD));
    refusal.is_none()
}

fn load_from(folder: &Path, key: &Key) -> Option<Vec<u8>> {
    let path = folder.join(key.file_name());
    let bytes = match read_own(&path, LARGEST) {
        // Looked at once there is something: most programs of a first run are in no folder at all.
        Ok(Own::Bytes(bytes)) if is_trusted(folder) => bytes,
        Ok(Own::Bytes(_)) => return None,
        Ok(Own::Refused(refusal)) => {
            if is_trusted(folder) {
                files::warn_of(&refusal, INSTEAD);
            }
            return None;
        }
        Err(error) => {
            if !is_missing(&error) && is_trusted(folder) {
                tracing::warn!(path = %path.display(), %error, "a cached program cannot be read; it is built again");
            }
            return None;
        }
    };
    match decode(&bytes) {
        Some((found, binary)) if found == key.bytes() => {
            limit::touch(&path);
            Some(binary.to_vec())
        }
        // Another key with the same file name: not damaged, just not ours.
        Some(_) => None,
        None => {
            tracing::warn!(path = %path.display(), "a cached program is damaged; it is built again");
            None
        }
    }
}

/// `most` is the size that the folder may have.
fn store_in(folder: &Path, key: &Key, binary: &[u8], most: u64) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let bytes = encode(key.bytes(), binary);
    if bytes.len() as u64 > most.min(LARGEST) {
        // Everything else would have to go for it, or it would not be read.
        return;
    }
    if !is_trusted(folder) {
        return;
    }
    let write = || {
        make_private_folder(folder)?;
        replace_file(&folder.join(key.file_name()), &bytes, Keeping::Cached)
    };
    match write() {
        Ok(()) => limit::stored(folder, bytes.len() as u64, most),
        Err(error) if !WARNED.swap(true, Ordering::Relaxed) => {
            let hint = "set NETCL_CACHE_DIR to a folder that can be written, or to `off`";
            tracing::warn!(folder = %folder.display(), %error, hint, "built programs cannot be kept for later runs");
        }
        Err(_) => {}
    }
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
        store_in(&folder, &key, &binary, u64::MAX);
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
        store_in(&folder, &key, &binary, u64::MAX);
        assert_eq!(load_from(&folder, &key), Some(binary));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary files stay");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_larger_than_memory_counts_as_damaged() {
        let folder = scratch("huge");
        let key = key("kernel");
        store_in(&folder, &key, b"binary", u64::MAX);
        fs::File::options().write(true).open(folder.join(key.file_name())).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(load_from(&folder, &key), None);
        store_in(&folder, &key, b"binary", u64::MAX);
        assert_eq!(load_from(&folder, &key).as_deref(), Some(&b"binary"[..]), "it is replaced");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_of_another_key_is_not_taken() {
        let folder = scratch("key");
        let (ours, other) = (key("ours"), key("other"));
        store_in(&folder, &other, b"binary", u64::MAX);
        fs::rename(folder.join(other.file_name()), folder.join(ours.file_name())).unwrap();
        assert_eq!(load_from(&folder, &ours), None);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Stores more than the process may write to a file.
    #[test]
    #[ignore = "run by the next, in a process of its own"]
    fn stores_beyond_the_limit() {
        let folder = PathBuf::from(std::env::var_os("NETCL_TEST_FULL_DISK").expect("the next test says where"));
        store_in(&folder, &key("kernel"), &vec![9u8; 1 << 20], u64::MAX);
        assert_eq!(load_from(&folder, &key("kernel")), Some(vec![7u8; 1000]));
    }

    /// A limit on the size of files fails midway, as a full disk does, and needs no file system of its own.
    #[cfg(unix)]
    #[test]
    fn a_full_disk_leaves_the_old_program() {
        let folder = scratch("full");
        store_in(&folder, &key("kernel"), &vec![7u8; 1000], u64::MAX);
        let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
        let child = std::process::Command::new("sh")
            .args(["-c", limited])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "program::disk::tests::stores_beyond_the_limit", "--ignored"])
            .env("NETCL_TEST_FULL_DISK", &folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && text.contains("1 passed"), "{text}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary files stay");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_folder_keeps_to_its_limit() {
        let folder = scratch("limit");
        let keys: Vec<Key> = (0..8).map(|number| key(&format!("kernel {number}"))).collect();
        for (age, key) in keys.iter().enumerate() {
            store_in(&folder, key, &[1; 1000], 5000);
            // Files of one moment are told apart by their age in a real folder.
            let file = fs::File::options().append(true).open(folder.join(key.file_name())).unwrap();
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(100 - age as u64)).unwrap();
        }
        let found: Vec<bool> = keys.iter().map(|key| load_from(&folder, key).is_some()).collect();
        assert_eq!(found, [false, false, false, false, true, true, true, true]);
        store_in(&folder, &key("large"), &[1; 6000], 5000);
        assert_eq!(load_from(&folder, &key("large")), None, "what does not fit alone is not kept");
        assert!(load_from(&folder, &keys[7]).is_some(), "and drives nothing out");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let file = scratch("file");
        fs::write(&file, b"not a folder").unwrap();
        store_in(&file.join("programs"), &key("x"), b"binary", u64::MAX);
        assert_eq!(load_from(&file.join("programs"), &key("x")), None);
        fs::remove_file(&file).unwrap();
    }
}
