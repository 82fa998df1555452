//! Files that are replaced whole.
//!
//! By hand, and not `tempfile`: writing under a drawn name and renaming is the smaller part. Owners, modes, links and what
//! killed processes have left are the rest.

use super::access::is_own;
use super::folder_of;
use super::open::open_to_change;
use std::fs::{self, File, Metadata, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the names of files end with that are being written.
const ENDING: &str = ".netcl.tmp";

/// Where the file system has no locks, what was not finished after so long is not being written any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// More links than this, one pointing to the next, no system follows.
const LINKS: usize = 40;

/// Whose the file is, and so how it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// One that a user saves. Its bytes are on the disk before the old file goes: after a power failure there is the old
    /// file or the new one. Owner and mode of the old file are kept, one that is read-only is not replaced, and of a link,
    /// the file that it points to is replaced or made. What is there and is no file (`/dev/null`, `/dev/stdout`, a pipe) is
    /// written to.
    Saved,
    /// One of the cache: nobody else may read it, and whatever has its name is replaced. What reads it can tell a damaged file,
    /// and can do without.
    Cached,
}

/// Writes the file beside `path` under a name of its own and renames it: whoever reads `path`, in this process or
/// another, sees the old file, the new one, or none, also where the disk is full or the process is killed midway. What a
/// killed process leaves goes when a file is saved to its folder, or by [`remove_leftovers`].
///
/// The name is drawn, and nothing may be there: what others have put into the folder is not written to.
pub fn replace_file(path: &Path, bytes: &[u8], keeping: Keeping) -> io::Result<()> {
    if keeping == Keeping::Cached {
        return replace(path, None, bytes, keeping);
    }
    let path = match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder; name a file in it"));
        }
        Ok(there) if !there.is_file() => return File::options().write(true).open(path)?.write_all(bytes),
        Ok(_) => fs::canonicalize(path)?,
        Err(error) if error.kind() == ErrorKind::NotFound => target(path)?,
        Err(error) => return Err(error),
    };
    let before = fs::symlink_metadata(&path).ok().filter(Metadata::is_file);
    if let Some(before) = &before {
        // Root may write it all the same, and does not mean to.
        if before.permissions().readonly() {
            let problem = "the file that is there is read-only; make it writable, or save under another name";
            return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
        }
        // A folder's right to replace a file is not the right to write it.
        open_to_change(&path, false)?;
    }
    // Such files are large and written seldom: what lies there may be the room that this one lacks.
    remove_leftovers(folder_of(&path));
    replace(&path, before.as_ref(), bytes, keeping)
}

/// What a link that points to nothing points to, or the path itself.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            // There is nothing, or, by now, something that is no link.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link to a link to a link, and so on"))
}

/// `before` is what is there and to be replaced.
fn replace(path: &Path, before: Option<&Metadata>, bytes: &[u8], keeping: Keeping) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the path names no file"));
    }
    // Until it has the mode of what it replaces, nobody else reads it.
    let is_open = keeping == Keeping::Saved && before.is_none();
    let (temporary, mut file) = begin(folder_of(path), if is_open { 0o666 } else { 0o600 })?;
    let mut write = || {
        if let Some(before) = before {
            keep_rights(&file, before)?;
        }
        file.write_all(bytes)?;
        if keeping == Keeping::Saved {
            file.sync_all()?;
        }
        // Still open: until it has its name, it must not be taken for a leftover.
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Gives a new file the owner, group and mode of the one that it replaces. Only root may give files away: where the owner
/// cannot be kept, the group is, and where that cannot be kept either, it gets no rights.
#[cfg(unix)]
fn keep_rights(file: &File, before: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let own = file.metadata()?;
    let mut mode = before.mode() & 0o7777;
    if (own.uid(), own.gid()) != (before.uid(), before.gid())
        && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
    {
        mode &= 0o777;
        if own.gid() != before.gid() && fchown(file, None, Some(before.gid())).is_err() {
            mode &= 0o707;
        }
    }
    // File systems without modes give every file the same, and let nobody change it.
    if own.mode() & 0o7777 == mode { Ok(()) } else { file.set_permissions(fs::Permissions::from_mode(mode)) }
}

#[cfg(not(unix))]
fn keep_rights(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// A new file with a name that nobody can know before, locked for as long as it is open: whoever writes it lives.
fn begin(folder: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    let mut options = File::options();
    // Never what is there already, whatever it is; links are not followed then.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    loop {
        // The standard library's hashers have keys that the system draws.
        let drawn = RandomState::new().build_hasher().finish();
        let path = folder.join(format!(".{drawn:016x}{ENDING}"));
        let file = match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        // Before it was locked, somebody may have taken it for a leftover.
        if !is_taken && path.exists() {
            return Ok((path, file));
        }
    }
}

/// Removes what [`replace_file`] was writing in the folder, in processes of this user's that have been killed; never what
/// one that lives is writing, and nothing that is no file.
pub fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_unfinished(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let Ok(file) = open_to_change(&entry.path(), false) else { continue };
        let Ok(metadata) = file.metadata() else { continue };
        let age = || metadata.modified().ok()?.elapsed().ok();
        let is_left = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(_)) => age().is_some_and(|age| age > ABANDONED),
        };
        if is_left && is_own(&metadata) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether [`begin`] gives such names: `.0123456789abcdef.netcl.tmp`.
pub(crate) fn is_unfinished(name: &str) -> bool {
    let drawn = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(ENDING));
    drawn.is_some_and(|drawn| drawn.len() == 16 && drawn.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("netcl-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_nobody_writes_is_removed_and_nothing_else() {
        let folder = scratch("leftovers");
        let (written, file) = begin(&folder, 0o600).unwrap();
        let mut others = vec!["weights", ".netcl.tmp", ".0123.netcl.tmp", ".0123456789abcdeg.netcl.tmp"];
        others.extend(["0123456789abcdef.netcl.tmp", ".0123456789abcdef.tmp"]);
        let left = [".0123456789abcdef.netcl.tmp", ".ffffffffffffffff.netcl.tmp"];
        for name in others.iter().chain(&left) {
            fs::write(folder.join(name), b"half").unwrap();
        }
        // What has such a name and is no file: a pipe, on which an opening would wait, a link and a folder.
        #[cfg(unix)]
        {
            let pipe = folder.join(".000000000000000f.netcl.tmp");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            std::os::unix::fs::symlink(folder.join("weights"), folder.join(".000000000000001f.netcl.tmp")).unwrap();
            fs::create_dir(folder.join(".000000000000002f.netcl.tmp")).unwrap();
            others.extend([
                ".000000000000000f.netcl.tmp",
                ".000000000000001f.netcl.tmp",
                ".000000000000002f.netcl.tmp",
            ]);
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

    #[test]
    fn names_may_be_as_long_as_the_file_system_allows() {
        let folder = scratch("long");
        for keeping in [Keeping::Saved, Keeping::Cached] {
            for length in [1, 200, 250, 255] {
                let file = folder.join("x".repeat(length));
                replace_file(&file, b"text", keeping).unwrap();
                assert_eq!(fs::read(&file).unwrap(), b"text");
            }
            assert!(replace_file(&folder.join("x".repeat(300)), b"text", keeping).is_err());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_where_a_user_named_them() {
        use std::os::unix::fs::{FileTypeExt as _, symlink};
        replace_file(Path::new("/dev/null"), b"nothing", Keeping::Saved).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

        let folder = scratch("links");
        let [file, link, dangling, far, made, ring] =
            ["file", "link", "dangling", "far", "made", "ring"].map(|name| folder.join(name));
        replace_file(&file, b"first", Keeping::Saved).unwrap();
        symlink("file", &link).unwrap();
        symlink("made", &far).unwrap();
        symlink(&far, &dangling).unwrap();
        symlink("ring", &ring).unwrap();
        for (named, meant) in [(&link, &file), (&dangling, &made), (&dangling, &made)] {
            replace_file(named, b"second", Keeping::Saved).unwrap();
            assert!(fs::symlink_metadata(named).unwrap().is_symlink(), "{}", named.display());
            assert!(fs::symlink_metadata(meant).unwrap().is_file() && fs::read(meant).unwrap() == b"second");
        }
        for refused in [&ring, &folder, &folder.join(".."), &folder.join("nowhere/file"), &file.join("x")] {
            assert!(replace_file(refused, b"third", Keeping::Saved).is_err(), "{}", refused.display());
        }
        // The cache's are replaced themselves.
        replace_file(&link, b"third", Keeping::Cached).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_file() && fs::read(&file).unwrap() == b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 6, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn owner_and_mode_are_kept() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
        let folder = scratch("rights");
        let file = folder.join("file");
        let set = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let mode = || fs::metadata(&file).unwrap().mode() & 0o7777;
        replace_file(&file, b"text", Keeping::Cached).unwrap();
        assert_eq!(mode(), 0o600, "the cache's are nobody else's");
        for kept in [0o600, 0o640, 0o664, 0o200] {
            set(kept);
            replace_file(&file, b"text", Keeping::Saved).unwrap();
            assert_eq!(mode(), kept, "{kept:o}");
        }
        for read_only in [0o444, 0o400, 0o000] {
            set(read_only);
            let error = replace_file(&file, b"other", Keeping::Saved).unwrap_err();
            assert_eq!((error.kind(), mode()), (ErrorKind::PermissionDenied, read_only), "{error}");
        }
        set(0o640);
        assert_eq!(fs::read(&file).unwrap(), b"text");
        if crate::process::user() == 0 {
            chown(&file, Some(65534), Some(65534)).unwrap();
            replace_file(&file, b"text", Keeping::Saved).unwrap();
            let metadata = fs::metadata(&file).unwrap();
            assert_eq!((metadata.uid(), metadata.gid(), mode()), (65534, 65534, 0o640));
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
