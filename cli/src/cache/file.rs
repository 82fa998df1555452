//! A file of the cache, whatever it keeps.

use crate::failure::Result;
use netcl::cache::{self, Entry, Health};
use netcl::select::{RecordFile, record_files};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A program, what was found out about a device, or measurements.
pub(super) enum File {
    Entry(Entry),
    Records(RecordFile),
}

/// All, the one used last first.
pub(super) fn all() -> Result<Vec<File>> {
    let entries = cache::entries()?.into_iter().map(File::Entry);
    let mut files: Vec<File> = entries.chain(record_files()?.into_iter().map(File::Records)).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.last_use()));
    Ok(files)
}

impl File {
    pub(super) fn path(&self) -> &Path {
        match self {
            File::Entry(entry) => &entry.path,
            File::Records(records) => &records.path,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            File::Entry(entry) => entry.kind.name(),
            File::Records(_) => "measurements",
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            File::Entry(entry) => entry.bytes,
            File::Records(records) => records.bytes,
        }
    }

    fn last_use(&self) -> SystemTime {
        match self {
            File::Entry(entry) => entry.last_use,
            File::Records(records) => records.changed,
        }
    }

    /// Since its last use.
    pub(super) fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.last_use()).unwrap_or_default()
    }

    /// Versions of netcl and driver, platform and device.
    fn origin(&self) -> [&String; 4] {
        match self {
            File::Entry(Entry { netcl, platform, device, driver, .. })
            | File::Records(RecordFile { netcl, platform, device, driver, .. }) => [netcl, platform, device, driver],
        }
    }

    pub(super) fn device(&self) -> &str {
        self.origin()[2]
    }

    /// Whether device, platform or driver contains a text; case does not matter.
    pub(super) fn is_of(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        self.origin()[1..].iter().any(|text| text.to_lowercase().contains(&part))
    }

    /// The kernels of a program, the tasks that were measured.
    pub(super) fn holds(&self) -> Vec<String> {
        match self {
            File::Entry(entry) => entry.kernels.clone(),
            File::Records(records) => records.records.iter().map(|record| record.task.to_string()).collect(),
        }
    }

    /// What is wrong with it, or with who may have written it; `None` if it is used.
    pub(super) fn damage(&self) -> Option<String> {
        match self {
            File::Entry(entry) => match entry.verify() {
                Health::Damaged(problem) | Health::Refused(problem) => Some(problem),
                _ => None,
            },
            File::Records(records) => records.damage.clone(),
        }
    }

    pub(super) fn remove(&self) -> Result<()> {
        let removed = match self {
            File::Entry(entry) => entry.remove(),
            File::Records(records) => records.remove(),
        };
        Ok(removed?)
    }

    pub(super) fn value(&self) -> Value {
        let [netcl, platform, device, driver] = self.origin();
        json!({
            "path": self.path().display().to_string(),
            "kind": self.kind(),
            "netcl": netcl,
            "platform": platform,
            "device": device,
            "driver": driver,
            "holds": self.holds(),
            "bytes": self.bytes(),
            "last_use": self.last_use().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        })
    }
}
