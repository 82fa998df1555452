//! What was found out about kernels on a device, kept between runs.

mod file;
mod listing;

use super::shape;
use netcl_kernels::variant::{KernelConfig, Task};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) use file::{Folder, Identity};
pub use listing::{RecordFile, record_files};

/// The result of one tuning: the fastest right configuration for a task, and so for all of its bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What was measured, with its exact sizes.
    pub task: Task<u64>,
    /// The fastest configuration.
    #[serde(with = "text")]
    pub config: KernelConfig,
    /// Its median time in nanoseconds.
    pub nanoseconds: u64,
    /// That of the compiler's own choice, measured beside it; `None` where that was not right or not measured.
    pub default_nanoseconds: Option<u64>,
    /// How many configurations were timed.
    pub candidates: u32,
    /// When, in seconds since 1970.
    pub measured: u64,
}

impl Record {
    /// The median time of the fastest configuration.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds)
    }
}

/// Seconds since 1970; 0 on a clock before that.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The tuned size of a raw kernel's work-groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkGroup {
    pub(crate) size: usize,
    pub(crate) measured: u64,
}

/// All that is known about one device with one driver. Keys are texts: they are what a person looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// By the bucket's text.
    pub(crate) measured: BTreeMap<String, Record>,
    /// Self-tests by what was tested; whether it gave the right numbers.
    pub(crate) tested: BTreeMap<String, bool>,
    /// Why a configuration is not to be used, by class of tasks and configuration.
    pub(crate) bad: BTreeMap<String, String>,
    /// By kernel, source and bucket.
    pub(crate) work_groups: BTreeMap<String, WorkGroup>,
}

impl Content {
    /// Takes over what `other` knows and this does not, and what it has measured later; says whether that may change an
    /// answer.
    pub(crate) fn merge(&mut self, other: Content) -> bool {
        let before = self.clone();
        for (key, record) in other.measured {
            match self.measured.get(&key) {
                Some(own) if own.measured > record.measured => {}
                _ => drop(self.measured.insert(key, record)),
            }
        }
        for (key, group) in other.work_groups {
            match self.work_groups.get(&key) {
                Some(own) if own.measured > group.measured => {}
                _ => drop(self.work_groups.insert(key, group)),
            }
        }
        for (key, passed) in other.tested {
            self.test(key, passed);
        }
        for (key, why) in other.bad {
            self.bad.entry(key).or_insert(why);
        }
        let failures = |content: &Content| content.tested.values().filter(|passed| !**passed).count();
        self.measured != before.measured || self.bad != before.bad || failures(self) != failures(&before)
    }

    pub(crate) fn record(&self, task: &Task<u64>) -> Option<&Record> {
        self.measured.get(&shape::bucket(task).to_string())
    }

    pub(crate) fn add(&mut self, record: Record) {
        self.measured.insert(shape::bucket(&record.task).to_string(), record);
    }

    /// Takes note of a self-test. One failure outweighs any number of passes.
    pub(crate) fn test(&mut self, what: String, passed: bool) {
        *self.tested.entry(what).or_insert(passed) &= passed;
    }

    /// Takes back what speaks against a configuration, and against what its self-test stands for, which is to be made anew.
    pub(crate) fn readmit(&mut self, task: &Task<u64>, config: &KernelConfig, test: &str) {
        self.bad.remove(&bad_key(task, config));
        if self.tested.get(test) == Some(&false) {
            self.tested.remove(test);
        }
    }

    /// Why the configuration is not to be used for tasks like this.
    pub(crate) fn why_bad(&self, task: &Task<u64>, config: &KernelConfig) -> Option<&str> {
        if self.bad.is_empty() {
            return None;
        }
        self.bad.get(&bad_key(task, config)).map(String::as_str)
    }
}

/// What a configuration that is no good is noted under.
pub(crate) fn bad_key(task: &Task<u64>, config: &KernelConfig) -> String {
    format!("{config} for {}", shape::class(task))
}

/// Configurations as their text.
mod text {
    use netcl_kernels::variant::KernelConfig;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(config: &KernelConfig, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(config)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<KernelConfig, D::Error> {
        let text = String::deserialize(deserializer)?;
        KernelConfig::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no configuration")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::{config, product, record};

    #[test]
    fn what_was_measured_later_wins_and_failures_stay() {
        let task = product(128, 512, 784);
        let early = Record { measured: 10, ..record(&task, &config("matmul_naive")) };
        let late = Record { measured: 20, ..record(&task, &config("matmul_tiled TILE=16")) };
        let content = |record: &Record, passed| {
            let mut content = Content::default();
            content.add(record.clone());
            content.tested.insert("matmul_tiled f32".into(), passed);
            content
        };
        for (mut own, other) in
            [(content(&early, true), content(&late, false)), (content(&late, false), content(&early, true))]
        {
            let known = own == content(&late, false);
            assert_eq!(own.merge(other.clone()), !known, "only what is later, or fails, is news");
            assert!(!own.merge(other), "there is nothing new in it");
            assert_eq!(own.record(&product(130, 500, 800)), Some(&late), "sizes of one bucket share a record");
            assert!(!own.tested["matmul_tiled f32"]);
        }
    }

    #[test]
    fn of_two_records_of_one_second_the_one_that_is_added_counts() {
        let task = product(128, 512, 784);
        let [first, second] = ["matmul_naive", "matmul_tiled TILE=16"].map(|text| record(&task, &config(text)));
        let (mut own, mut other) = (Content::default(), Content::default());
        own.add(first);
        other.add(second.clone());
        own.merge(other);
        assert_eq!(own.record(&task), Some(&second));
    }

    #[test]
    fn bad_configurations_are_those_of_a_class() {
        let mut content = Content::default();
        content.bad.insert(bad_key(&product(8, 8, 8), &config("matmul_naive")), "wrong numbers".into());
        assert_eq!(content.why_bad(&product(512, 64, 33), &config("matmul_naive")), Some("wrong numbers"));
        assert_eq!(content.why_bad(&product(8, 8, 8), &config("matmul_tiled TILE=16")), None);
    }
}
