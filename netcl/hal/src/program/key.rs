//! What a file of the cache is of.

use crate::device::profile::DeviceProfile;
use crate::files::checksum;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A program that a driver built.
    Program,
    /// What was found out about a device by trying.
    Capabilities,
    /// What a driver tells of a kernel's parameters when it builds the source, where it does not of the built program.
    Parameters,
    /// That a driver which keeps programs by itself has built one.
    Built,
    /// Nobody knows: the file's beginning is damaged, or another version of netcl wrote it.
    Unknown,
}

impl Kind {
    /// All.
    pub const ALL: [Kind; 5] = [Kind::Program, Kind::Capabilities, Kind::Parameters, Kind::Built, Kind::Unknown];

    /// A word for it: `program`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Capabilities => "capabilities",
            Kind::Parameters => "parameters",
            Kind::Built => "built",
            Kind::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Identifies what is kept: what it is, netcl, platform, device, driver, options and source, as text. Equal keys mean
/// equal content; files carry the whole key, so that equal file names with different keys do no harm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// Of a built program.
    pub fn new(device: &DeviceProfile, options: &str, source: &str) -> Key {
        Key::of(Kind::Program, device, options, source)
    }

    /// Of anything that is kept.
    pub fn of(kind: Kind, device: &DeviceProfile, options: &str, source: &str) -> Key {
        Key(format!(
            "netcl {}\nkind {kind}\nplatform {}\ndevice {}\ndriver {}\nlengths {} {}\noptions {options}\n\n{source}",
            env!("CARGO_PKG_VERSION"),
            device.platform,
            device.name,
            device.driver,
            // So that no text can be taken for the end of the options.
            options.len(),
            source.len(),
        ))
    }

    /// One that equals none, of something that is not to be found again.
    pub fn once(mut self) -> Key {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.0.insert_str(0, &format!("once {}\n", NEXT.fetch_add(1, Ordering::Relaxed)));
        self
    }

    /// The text that it is.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// A file name that is the same in every run.
    pub fn file_name(&self) -> String {
        file_name(self.bytes())
    }
}

/// The name of the file that carries this key.
pub fn file_name(key: &[u8]) -> String {
    format!("{:016x}.program", checksum(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::DeviceKind;
    use netcl_kernels::plan::Target;

    #[test]
    fn where_options_end_and_the_source_begins_is_part_of_a_key() {
        let profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        let (one, other) = (Key::new(&profile, "-DA\n\nB", "C"), Key::new(&profile, "-DA", "B\n\nC"));
        assert_ne!(one, other);
        assert_ne!(one.file_name(), other.file_name());
    }
}
