//! The size limit of the cache folder: what was used least lately goes first.
//!
//! When a file was last used is its modification time, which `touch` sets: access times are not kept everywhere. Several
//! processes may do this at once: a file that another process has removed is gone as wanted, and one that a process is
//! reading is whole for it or not there, in which case the program is built again.

use crate::files::{is_unfinished, open_to_change, remove_leftovers};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Uses that follow each other faster than this count as one, so that a start does not write to every file.
const RECENT: Duration = Duration::from_secs(600);

/// A file in the cache folder.
#[derive(Debug)]
pub struct CacheFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last used.
    pub last_use: SystemTime,
}

/// The files of the cache, the one used least lately first; `temporary` says whether those that are being written are
/// meant instead.
pub fn files(folder: &Path, temporary: bool) -> std::io::Result<Vec<CacheFile>> {
    #[cfg(test)]
    tests::LISTED.set(tests::LISTED.get() + 1);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let wanted = if temporary { is_unfinished(&name) } else { name.ends_with(".program") };
        if wanted {
            // Another process may have removed it meanwhile.
            if let Ok(metadata) = entry.metadata() {
                let last_use = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push(CacheFile { path: entry.path(), bytes: metadata.len(), last_use });
            }
        }
    }
    files.sort_by(|left, right| (left.last_use, &left.path).cmp(&(right.last_use, &right.path)));
    Ok(files)
}

/// Notes that a file is used now. A folder that cannot be written keeps the old note.
pub(crate) fn touch(path: &Path) {
    let now = SystemTime::now();
    let note = || {
        let file = open_to_change(path, false)?;
        let last = file.metadata()?.modified()?;
        if now.duration_since(last).is_ok_and(|age| age > RECENT) { file.set_modified(now) } else { Ok(()) }
    };
    if let Err(error) = note() {
        tracing::trace!(%error, path = %path.display(), "the use of a cached file is not noted");
    }
}

/// What this process knows of a folder since it listed it last.
struct FolderUsage {
    /// Bytes then, and what was stored since; more where files were replaced.
    bytes: u64,
    stores: u32,
}

/// After so many stores a folder is listed anyway: other processes store there, too.
const UNLISTED: u32 = 64;

/// A file of so many bytes was stored: sees to it that no more than `limit` are kept. To list a folder takes as long as it
/// has files, so that it is not done at each.
pub(crate) fn stored(folder: &Path, bytes: u64, limit: u64) {
    static KNOWN: Mutex<BTreeMap<PathBuf, FolderUsage>> = Mutex::new(BTreeMap::new());
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get_mut(folder) {
        known.bytes = known.bytes.saturating_add(bytes);
        known.stores += 1;
        if known.bytes <= limit && known.stores < UNLISTED {
            return;
        }
    }
    let left = enforce(folder, limit);
    lock().insert(folder.to_owned(), FolderUsage { bytes: left, stores: 0 });
}

/// Removes files until no more than `limit` bytes are left, and what killed processes left; returns how many bytes are left.
pub(crate) fn enforce(folder: &Path, limit: u64) -> u64 {
    remove_leftovers(folder);
    let Ok(files) = files(folder, false) else { return 0 };
    let mut left: u64 = files.iter().map(|file| file.bytes).sum();
    let mut removed = 0;
    for file in files {
        if left <= limit {
            break;
        }
        // What cannot be removed now stays; others make room.
        if fs::remove_file(&file.path).is_ok() || !file.path.exists() {
            left -= file.bytes;
            removed += file.bytes;
        }
    }
    if removed > 0 {
        tracing::debug!(removed, left, limit, "cached programs used least lately are removed");
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("netcl-limit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn put(folder: &Path, name: &str, bytes: usize, age: Duration) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, vec![0; bytes]).unwrap();
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        path
    }

    #[test]
    fn the_oldest_go_until_it_fits() {
        let folder = scratch("oldest");
        let hours = |count: u64| Duration::from_secs(3600 * count);
        let [a, b, c] =
            [("a", 3), ("b", 5), ("c", 1)].map(|(name, age)| put(&folder, &format!("{name}.program"), 100, hours(age)));
        let other = put(&folder, "notes.txt", 1000, hours(9));
        assert_eq!(enforce(&folder, 300), 300);
        assert_eq!(enforce(&folder, 299), 200);
        assert!(a.exists() && !b.exists() && c.exists());
        touch(&a);
        assert_eq!(enforce(&folder, 100), 100);
        assert!(a.exists() && !c.exists(), "used lately");
        assert_eq!(enforce(&folder, 0), 0);
        assert!(other.exists(), "not the cache's");
        fs::remove_dir_all(&folder).unwrap();
    }

    thread_local! {
        /// How often this thread has listed a folder.
        pub(crate) static LISTED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn a_folder_is_not_listed_at_each_store() {
        let folder = scratch("stores");
        let store = |number: usize, limit: u64| {
            put(&folder, &format!("{number:03}.program"), 100, Duration::from_secs(1000 - number as u64));
            stored(&folder, 100, limit);
        };
        let before = LISTED.get();
        (0..100).for_each(|number| store(number, 20_000));
        assert!(LISTED.get() - before <= 6, "{} times", LISTED.get() - before);
        // Another process's, which this one learns of in time; and what is beyond the limit goes at once.
        let others = [200, 201, 202].map(|number| put(&folder, &format!("{number}.program"), 5000, RECENT * 10));
        (100..100 + UNLISTED as usize).for_each(|number| store(number, 20_000));
        assert!(!others[0].exists(), "they were used least lately");
        store(300, 500);
        assert_eq!(files(&folder, false).unwrap().iter().map(|file| file.bytes).sum::<u64>(), 500);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_written_now_stays() {
        let folder = scratch("abandoned");
        let [left, written] =
            [".0123456789abcdef.netcl.tmp", ".1123456789abcdef.netcl.tmp"].map(|name| put(&folder, name, 10, RECENT));
        let writer = File::options().append(true).open(&written).unwrap();
        writer.lock().unwrap();
        assert_eq!(files(&folder, true).unwrap().len(), 2);
        enforce(&folder, 1000);
        assert!(!left.exists() && written.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_no_error() {
        assert_eq!(enforce(Path::new("/nonexistent/netcl"), 0), 0);
        touch(Path::new("/nonexistent/netcl/a.program"));
    }
}
