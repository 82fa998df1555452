//! Who may have written a file. What netcl finds in its cache is run, so that nobody but this user (and root, who can do
//! anything) may have had a hand in it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Why a file or a folder of the cache is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file or folder.
    pub path: PathBuf,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "owners and modes are those of Unix"))]
enum Problem {
    /// Of this user, who is not the one that runs the program.
    Owner { owner: u32, user: u32 },
    /// The mode lets others write.
    Writable { mode: u32 },
    /// A link, a pipe, a folder, a device, ...
    NoFile,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Owner { owner, user } => {
                write!(
                    f,
                    "it belongs to the user {owner}, and the program runs as {user}: what is in it may be anything"
                )
            }
            Problem::Writable { mode } => write!(
                f,
                "users other than its owner may write it (mode {mode:04o}): what is in it may be anything; take that right away \
                 (`chmod go-w`) if it holds nothing but what you trust, or remove it"
            ),
            Problem::NoFile => f.write_str("it is no regular file"),
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, format!("{}: {refusal}", refusal.path.display()))
    }
}

/// Why that file is not used: `metadata` is that of the file as it was opened, so that no other can take its place.
pub(crate) fn refusal_of_file(path: &Path, metadata: &Metadata) -> Option<Refusal> {
    let problem = if metadata.is_file() { written_by_others(metadata) } else { Some(Problem::NoFile) };
    problem.map(|problem| Refusal { path: path.to_owned(), problem })
}

/// Why nothing is read from or written to that folder of the cache, or the one that it is in; nothing where there is none.
/// A link to a folder counts as the folder, if the link itself is this user's.
pub fn refusal_of_folder(folder: &Path) -> Option<Refusal> {
    let refused = |path: &Path, judge: fn(&Metadata) -> Option<Problem>| {
        let link = fs::symlink_metadata(path).ok()?;
        let problem = match link.is_symlink() {
            // Every link has the mode 0777, which means nothing.
            true => foreign(&link).or_else(|| judge(&fs::metadata(path).ok()?)),
            false => judge(&link),
        };
        problem.map(|problem| Refusal { path: path.to_owned(), problem })
    };
    let above = folder.parent().and_then(|above| refused(above, entries_moved_by_others));
    above.or_else(|| refused(folder, written_by_others))
}

/// Says once for each path that it is not used.
pub fn warn_of(refusal: &Refusal, instead: &'static str) {
    static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(refusal.path.clone()) {
        tracing::warn!(path = %refusal.path.display(), problem = %refusal, instead, "something in the cache is not used");
    }
}

/// Makes a folder of the cache that nobody else can look into, and those above it that are missing.
///
/// # Errors
///
/// If it cannot be made, or is there and is somebody else's ([`refusal_of_folder`]).
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    refusal_of_folder(folder).map_or(Ok(()), |refusal| Err(refusal.into()))
}

#[cfg(unix)]
fn written_by_others(metadata: &Metadata) -> Option<Problem> {
    use std::os::unix::fs::MetadataExt as _;
    let mode = metadata.mode() & 0o7777;
    foreign(metadata).or_else(|| (mode & 0o022 != 0).then_some(Problem::Writable { mode }))
}

/// As [`written_by_others`], for a folder in which others may make what they like if they leave alone what this user has there:
/// that is what the sticky bit of `/tmp` says.
#[cfg(unix)]
fn entries_moved_by_others(metadata: &Metadata) -> Option<Problem> {
    written_by_others(metadata).filter(|problem| !matches!(problem, Problem::Writable { mode } if mode & 0o1000 != 0))
}

#[cfg(unix)]
fn foreign(metadata: &Metadata) -> Option<Problem> {
    use std::os::unix::fs::MetadataExt as _;
    let (owner, user) = (metadata.uid(), crate::process::user());
    (owner != user && owner != 0).then_some(Problem::Owner { owner, user })
}

/// Whether it is this user's.
#[cfg(unix)]
pub(super) fn is_own(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == crate::process::user()
}

#[cfg(not(unix))]
pub(super) fn is_own(_: &Metadata) -> bool {
    true
}

/// Elsewhere, folders of a user's profile are that user's by the system's own rules.
#[cfg(not(unix))]
fn written_by_others(_: &Metadata) -> Option<Problem> {
    None
}

#[cfg(not(unix))]
fn entries_moved_by_others(_: &Metadata) -> Option<Problem> {
    None
}

#[cfg(not(unix))]
fn foreign(_: &Metadata) -> Option<Problem> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    /// Of a file or folder with that mode, and owner where this user may give files away.
    fn refused(path: &Path, mode: u32, owner: Option<u32>) -> Option<Problem> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        if let Some(owner) = owner {
            std::os::unix::fs::chown(path, Some(owner), None).unwrap();
        }
        let metadata = fs::metadata(path).unwrap();
        let refusal = if metadata.is_dir() { refusal_of_folder(path) } else { refusal_of_file(path, &metadata) };
        refusal.map(|refusal| refusal.problem)
    }

    #[test]
    fn what_others_may_have_written_is_refused() {
        let root = std::env::temp_dir().join(format!("netcl-access-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let folder = root.join("cache/programs");
        make_private_folder(&folder).unwrap();
        for made in [&root, &root.join("cache"), &folder] {
            assert_eq!(fs::metadata(made).unwrap().mode() & 0o7777, 0o700, "{}", made.display());
        }
        let file = folder.join("file");
        fs::write(&file, b"").unwrap();
        for path in [&file, &folder] {
            for mode in [0o600, 0o700, 0o755, 0o500] {
                assert_eq!(refused(path, mode, None), None, "{mode:o}");
            }
            for mode in [0o777, 0o720, 0o702, 0o1777] {
                assert_eq!(refused(path, mode, None), Some(Problem::Writable { mode }), "{mode:o}");
            }
            refused(path, 0o700, None);
        }
        // The folder that it is in counts as well.
        let above = root.join("cache");
        fs::set_permissions(&above, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(refusal_of_folder(&folder).unwrap().path, above);
        assert_eq!(make_private_folder(&folder).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        fs::set_permissions(&above, fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(refusal_of_folder(&folder), None, "there others leave alone what is not theirs, as in /tmp");
        fs::set_permissions(&above, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(refusal_of_folder(&root.join("nowhere/programs")), None);

        let user = crate::process::user();
        assert_eq!(fs::metadata(&file).unwrap().uid(), user);
        if user == 0 {
            for path in [&file, &folder] {
                assert_eq!(refused(path, 0o700, Some(65534)), Some(Problem::Owner { owner: 65534, user }));
                assert_eq!(refused(path, 0o700, Some(0)), None);
            }
            // A link is whose it is, whatever it points to.
            let link = root.join("cache/link");
            std::os::unix::fs::symlink(&folder, &link).unwrap();
            assert_eq!(refusal_of_folder(&link), None);
            std::os::unix::fs::lchown(&link, Some(65534), None).unwrap();
            assert!(refusal_of_folder(&link).is_some());
        }
        assert_eq!(refusal_of_file(&folder, &fs::metadata(&folder).unwrap()).unwrap().problem, Problem::NoFile);
        fs::remove_dir_all(&root).unwrap();
    }
}
