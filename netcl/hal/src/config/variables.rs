//! The environment variables that a netcl program heeds, but for those that switch variants of kernels, which
//! [`super::variants`] lists.

use super::values::SWITCH;
use super::variable::{Row, Unset, Variable};
use super::variants;
use crate::device::selector;

/// A variable of PoCL's, which says whether PoCL keeps programs between runs: `0`, or anything else.
pub(super) const POCL_KERNEL_CACHE: &str = "POCL_KERNEL_CACHE";

/// How many gibibytes of freed memory a pool keeps, unless it is told otherwise.
pub(super) const MAX_CACHED: u64 = 4;

/// How many mebibytes built programs may take, unless netcl is told otherwise.
pub(super) const CACHE_LIMIT: u64 = 1024;

pub(super) static DEVICE: Variable = Variable {
    name: "NETCL_DEVICE",
    accepted: selector::ACCEPTED,
    row: Row {
        meaning: "the device that `Device::auto()` gives. `Device::select(..)` does not look at it; the examples do, \
                  unless given `--device`",
        unset: Unset::Words("a GPU, else an accelerator, else the host"),
    },
};

pub(super) static CACHE_DIR: Variable = Variable {
    name: "NETCL_CACHE_DIR",
    accepted: "a folder, or off (or 0, false, no); ./on is a folder called on",
    row: Row {
        meaning: "in it, built OpenCL programs (`programs/`), what was found out about devices and what was measured of kernels (`tuning/`) are kept between \
                  runs; `off` keeps them in memory only. The folders are made for this user alone (mode 0700); one that belongs to another user, \
                  or that others may write, is not used, which one warning says, and neither are such files in it; a relative name is that of a folder in the one that the program is in when it \
                  first uses netcl",
        unset: Unset::Words(
            "`$XDG_CACHE_HOME/netcl` (if absolute), else `$HOME/.cache/netcl`; `$HOME/Library/Caches/netcl` on \
                macOS; `%LOCALAPPDATA%\\netcl` on Windows",
        ),
    },
};

pub(super) static CACHE_LIMIT_MB: Variable = Variable {
    name: "NETCL_CACHE_LIMIT_MB",
    accepted: "a number of mebibytes, 0 or more, such as 256",
    row: Row {
        meaning: "how large the cache's `programs/` may become; what was used least lately goes first. `0` keeps nothing",
        unset: Unset::Number(CACHE_LIMIT),
    },
};

pub(super) static KERNEL_STRATEGY: Variable = Variable {
    name: "NETCL_KERNEL_STRATEGY",
    accepted: "auto, portable, optimized",
    row: Row {
        meaning: "what `Device::kernel_strategy()` answers on every device; `auto` is each device's own answer. \
                  `portable` also rules out variants that need local memory",
        unset: Unset::Words("`auto`"),
    },
};

pub(super) static WIDE_INDICES: Variable = Variable {
    name: "NETCL_WIDE_INDICES",
    accepted: SWITCH,
    row: Row {
        meaning: "with `1`, kernels compute indices with 64 bits whatever the sizes of a call, as they otherwise do where a \
                  tensor has more elements than 32 bits count: for finding out what that costs, and for tests",
        unset: Unset::Words("`0`"),
    },
};

pub(super) static EAGER: Variable = Variable {
    name: "NETCL_EAGER",
    accepted: SWITCH,
    row: Row {
        meaning: "with `1`, each operation on tensors is computed when it is called, and not with others when a value is \
                  needed: for finding the operation that a wrong number, an error of the driver or a long time comes from",
        unset: Unset::Words("`0`"),
    },
};

pub(super) static TIERED_COMPILATION: Variable = Variable {
    name: "NETCL_TIERED_COMPILATION",
    accepted: SWITCH,
    row: Row {
        meaning: "whether, with drivers whose optimizations take long (PoCL), kernels are built without them first, and with them \
                  once they have computed about a quarter of what that takes; results are the same bits. With `0` they are \
                  optimized at once. [Programs](programs.md) tells more",
        unset: Unset::Words("`1`"),
    },
};

pub(super) static PROFILE_EVENTS: Variable = Variable {
    name: "NETCL_PROFILE_EVENTS",
    accepted: SWITCH,
    row: Row {
        meaning: "whether OpenCL queues are made with `CL_QUEUE_PROFILING_ENABLE`, so that `Event::times` and a \
                  vendor's profiler tell the times of commands, and whether launches and copies are recorded from the \
                  first device on, for `netcl::profile::stop()` to give",
        unset: Unset::Words("`0`"),
    },
};

pub(super) static TRACE: Variable = Variable {
    name: "NETCL_TRACE",
    accepted: "a file, or off (or 0, false, no); ./on is a file called on",
    row: Row {
        meaning: "launches and copies are written there while the program runs, as a trace for chrome://tracing or \
                  Perfetto. `%p` in the name is the number of the process, for programs that start others. Queues are \
                  made as with `NETCL_PROFILE_EVENTS=1`. If it cannot be created, opening a device is an error",
        unset: Unset::Words("nothing is written"),
    },
};

pub(super) static AUTOTUNE: Variable = Variable {
    name: "NETCL_AUTOTUNE",
    accepted: "off, records or on (or 0, 1, false, true, no, yes)",
    row: Row {
        meaning: "`records`: kernels are picked by what was measured on this device before (`device.tune(..)`). `on`: \
                  what was not is measured when it is first needed, which takes seconds, and kept. `off`: measurements \
                  are neither used nor made. [Selection](selection.md) tells more",
        unset: Unset::Words("`records`"),
    },
};

pub(super) static MAX_CACHED_GB: Variable = Variable {
    name: "NETCL_MAX_CACHED_GB",
    accepted: "a number of gibibytes, 0 or more, such as 0.5",
    row: Row {
        meaning: "how much freed memory the pools of a physical device keep for reuse, those of all its handles, queues \
                  and parts together; what is freed beyond that sends the least recently used buffers back to the driver",
        unset: Unset::Number(MAX_CACHED),
    },
};

pub(super) static ASYNC_H2D: Variable = Variable {
    name: "NETCL_ASYNC_H2D",
    accepted: SWITCH,
    row: Row {
        meaning: "whether a copy to the device returns before the device has it. With `0` it waits: for finding out \
                  what a copy costs",
        unset: Unset::Words("`1`"),
    },
};

pub(super) static PINNED_H2D: Variable = Variable {
    name: "NETCL_PINNED_H2D",
    accepted: SWITCH,
    row: Row {
        meaning: "whether copies to the device of 256 KiB and more go through page-locked memory, which GPUs read \
                  faster",
        unset: Unset::Words("`1`"),
    },
};

/// All, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = &'static Variable> + Clone {
    let before = [&DEVICE, &CACHE_DIR, &CACHE_LIMIT_MB, &KERNEL_STRATEGY, &WIDE_INDICES, &EAGER, &TIERED_COMPILATION];
    let before = before.into_iter().chain([&PROFILE_EVENTS, &TRACE, &AUTOTUNE]);
    let variants = variants::TABLE.iter().map(|row| &row.variable);
    before.chain(variants).chain([&MAX_CACHED_GB, &ASYNC_H2D, &PINNED_H2D])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/environment.md");
    const BEGIN: &str = "<!-- written by a test from netcl/hal/src/config/variables.rs: -->\n\n";
    const END: &str = "\n<!-- end -->";

    fn table() -> String {
        let mut text = String::from("| variable | accepted | meaning | not set |\n|---|---|---|---|\n");
        for variable in all() {
            let Variable { name, accepted, row: Row { meaning, unset } } = variable;
            let unset = match unset {
                Unset::Words(words) => (*words).to_owned(),
                Unset::Number(number) => format!("`{number}`"),
            };
            text.push_str(&format!("| `{name}` | {accepted} | {meaning} | {unset} |\n"));
        }
        text
    }

    #[test]
    fn the_page_has_the_table() {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect("the page has the begin mark");
        let (found, after) = rest.split_once(END).expect("the page has the end mark");
        if std::env::var_os("NETCL_BLESS").is_some() {
            std::fs::write(PAGE, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        } else {
            assert_eq!(found, table(), "write the page with NETCL_BLESS=1 cargo test -p netcl-hal variables");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = all().map(|variable| variable.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().count());
    }
}
