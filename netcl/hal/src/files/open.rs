//! Opening files that lie where others may have put something: no link is followed, no pipe waited for, and what is looked
//! at is what was opened.

use super::access::{Refusal, refusal_of_file};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Links are not followed, and the opening of a pipe waits for nobody.
#[cfg(unix)]
fn carefully(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
}

#[cfg(not(unix))]
fn carefully(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")
}

/// The file, if it is a regular one. Devices are not even opened, which may do something.
fn regular(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    // Where a file is to be made, nothing may be there.
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => return Err(no_file()),
        Ok(_) | Err(_) => {}
    }
    let file = carefully(options).open(path)?;
    // What was there a moment ago may be gone, and another thing in its place.
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(no_file()) }
}

/// A regular file to read; links are none.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    regular(path, File::options().read(true))
}

/// A regular file whose times or locks are to be changed; its content stays. `new` makes it where there is none, for nobody
/// else to read.
pub fn open_to_change(path: &Path, new: bool) -> io::Result<File> {
    let mut options = File::options();
    options.append(true).create(new);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    regular(path, &mut options).map(|(file, _)| file)
}

/// What became of the reading of a file of the cache.
pub enum Own {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is somebody else's.
    Refused(Refusal),
}

/// The whole of a file of this user's: whoever else may have written it, it is refused. One of more than `most` bytes is an
/// error, and is not read: a file may be larger than memory, and takes nothing on disk if it has holes.
pub fn read_own(path: &Path, most: u64) -> io::Result<Own> {
    let (file, metadata) = match open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            // Of what is no file, the metadata says so.
            let there = fs::symlink_metadata(path)?;
            return refusal_of_file(path, &there).map_or(Err(error), |refusal| Ok(Own::Refused(refusal)));
        }
        opened => opened?,
    };
    if let Some(refusal) = refusal_of_file(path, &metadata) {
        return Ok(Own::Refused(refusal));
    }
    let too_large = |size: u64| {
        let problem = format!("it has {size} bytes, and files of its kind have no more than {most}");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, problem))
    };
    if metadata.len() > most {
        return too_large(metadata.len());
    }
    let mut bytes = Vec::new();
    // One more than was there tells whether the file grows meanwhile.
    bytes.try_reserve_exact(metadata.len() as usize + 1).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { too_large(bytes.len() as u64) } else { Ok(Own::Bytes(bytes)) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Nothing here may wait: a test that hangs fails.
    #[test]
    fn what_is_no_regular_file_is_not_opened() {
        let folder = std::env::temp_dir().join(format!("netcl-open-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let [file, link, pipe, socket, made] = ["file", "link", "pipe", "socket", "made"].map(|name| folder.join(name));
        fs::write(&file, b"text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&link, &pipe, &socket, &folder, Path::new("/dev/null")] {
            assert!(open_regular(path).is_err() && open_to_change(path, true).is_err(), "{}", path.display());
            assert!(matches!(read_own(path, 4), Ok(Own::Refused(_))), "{}", path.display());
        }
        assert!(matches!(read_own(&file, 4), Ok(Own::Bytes(bytes)) if bytes == b"text"));
        assert!(open_to_change(&made, false).is_err() && !made.exists());
        open_to_change(&made, true).unwrap();
        assert!(made.exists() && read_own(&folder.join("nowhere"), 4).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// A terabyte that takes nothing on disk, which no memory holds.
    #[test]
    fn what_is_too_large_is_not_read() {
        let path = std::env::temp_dir().join(format!("netcl-large-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        for size in [5, 1 << 40] {
            file.set_len(size).unwrap();
            assert!(matches!(read_own(&path, 4), Err(error) if error.kind() == io::ErrorKind::FileTooLarge), "{size}");
        }
        file.set_len(4).unwrap();
        assert!(matches!(read_own(&path, 4), Ok(Own::Bytes(bytes)) if bytes == [0; 4]));
        fs::remove_file(&path).unwrap();
    }
}
