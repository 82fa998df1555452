//! Files: opened without surprises, replaced whole, and what tells whether one is damaged or somebody else's.

mod access;
mod open;
mod replace;

pub use access::{Refusal, make_private_folder, refusal_of_folder, warn_of};
pub use open::{Own, open_regular, open_to_change, read_own};
pub(crate) use replace::is_unfinished;
pub use replace::{Keeping, remove_leftovers, replace_file};

use std::io;
use std::path::Path;

/// The same error once more: the system's cannot be cloned, but their numbers can.
pub fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Whether there is no file: nor may there be one where its folder is a file.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Where a file lies.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across runs and builds, which `std`'s hasher does not promise. It guards
/// against damage, not against forgery: whoever could have written a file is asked of its owner and mode ([`read_own`]).
pub fn checksum(bytes: &[u8]) -> u64 {
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
}
