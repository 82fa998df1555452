//! A file of the cache: the magic line, the key, the content (each after its length as a little-endian `u64`) and a
//! checksum of all that.

use crate::files::checksum;
use std::io::{self, Read};

const MAGIC: &[u8] = b"netcl program 1\n";

/// No file is larger: binaries are some megabytes at most, too. What is beyond it is damage and is not read.
pub const LARGEST: u64 = 512 << 20;

/// No key is longer: sources are some megabytes at most. A length beyond it is damage and is not allocated.
const LONGEST_KEY: u64 = 256 << 20;

/// A file with this key and content.
pub fn encode(key: &[u8], content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + key.len() + content.len() + 24);
    bytes.extend_from_slice(MAGIC);
    for part in [key, content] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
    bytes
}

/// Key and content, if the bytes are a whole file.
pub fn decode(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if checksum(content).to_le_bytes() != *sum {
        return None;
    }
    let (key, rest) = take(content.strip_prefix(MAGIC)?)?;
    let (content, rest) = take(rest)?;
    rest.is_empty().then_some((key, content))
}

fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// The key that a file begins with; whether the rest is whole is not looked at. `None` if it begins with none.
pub fn read_key(mut file: impl Read) -> io::Result<Option<String>> {
    let mut start = [0; MAGIC.len() + 8];
    let mut filled = 0;
    while filled < start.len() {
        match file.read(&mut start[filled..])? {
            0 => return Ok(None),
            count => filled += count,
        }
    }
    let (magic, length) = start.split_at(MAGIC.len());
    let length = length.try_into().map(u64::from_le_bytes).unwrap_or(u64::MAX);
    if magic != MAGIC || length > LONGEST_KEY {
        return Ok(None);
    }
    let mut key = Vec::new();
    file.take(length).read_to_end(&mut key)?;
    Ok(if key.len() as u64 == length { String::from_utf8(key).ok() } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_or_refused() {
        let whole = encode("key".as_bytes(), &[7; 100]);
        assert_eq!(decode(&whole), Some((&b"key"[..], &[7; 100][..])));
        assert_eq!(read_key(&whole[..]).unwrap().as_deref(), Some("key"));
        for end in 0..whole.len() {
            assert_eq!(decode(&whole[..end]), None, "cut at {end}");
        }
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&flipped), None, "bit {bit}");
        }
        assert_eq!(read_key(&whole[..20]).unwrap(), None);
        let mut long = whole;
        long[MAGIC.len()..MAGIC.len() + 8].fill(0xff);
        assert_eq!(read_key(&long[..]).unwrap(), None, "a length beyond reason allocates nothing");
    }

    /// Nothing of what a file says is believed: no length is allocated, and no two parts overlap, whatever the bytes, also where
    /// the checksum is right.
    #[test]
    fn any_bytes_are_refused_or_understood() {
        let whole = encode("netcl 1\nkind program\n\nkernel".as_bytes(), &[7; 60]);
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = |end: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % end
        };
        let (mut refused, mut understood) = (0, 0);
        for _ in 0..20_000 {
            let mut bytes = whole[..whole.len() - 8].to_vec();
            for _ in 0..1 + below(3) {
                let at = below(bytes.len());
                match below(4) {
                    0 => bytes[at] ^= 1 << below(8),
                    1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][below(5)],
                    2 if at > 0 => bytes.truncate(at),
                    _ => bytes.insert(at, below(256) as u8),
                }
            }
            let sum = checksum(&bytes);
            bytes.extend(sum.to_le_bytes());
            match decode(&bytes) {
                Some((key, content)) => {
                    understood += 1;
                    assert_eq!(key.len() + content.len() + MAGIC.len() + 24, bytes.len());
                }
                None => refused += 1,
            }
            let _ = read_key(&bytes[..]).unwrap();
        }
        assert!(refused > 1000 && understood > 1000, "{refused} refused, {understood} understood");
    }
}
