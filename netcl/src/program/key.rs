//! What a file of the cache is of.

use super::cache::Kind;
use crate::device::profile::DeviceProfile;

/// Identifies what is kept: what it is, netcl, platform, device, driver, options and source, as text. Equal keys mean
/// equal content; files carry the whole key, so that equal file names with different keys do no harm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(String);

impl Key {
    /// Of a built program.
    pub(crate) fn new(device: &DeviceProfile, options: &str, source: &str) -> Key {
        Key::of(Kind::Program, device, options, source)
    }

    pub(crate) fn of(kind: Kind, device: &DeviceProfile, options: &str, source: &str) -> Key {
        Key(format!(
            "netcl {}\nkind {kind}\nplatform {}\ndevice {}\ndriver {}\noptions {options}\n\n{source}",
            env!("CARGO_PKG_VERSION"),
            device.platform,
            device.name,
            device.driver,
        ))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// A file name that is the same in every run.
    pub(super) fn file_name(&self) -> String {
        format!("{:016x}.program", checksum(self.bytes()))
    }
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
}
