//! Runs plans: checks the arguments, picks the objects made for their sizes, launches.
//!
//! What is done when: a plan's text is parsed on first use; once per set of symbol values the device's selector is asked
//! how the plan's tasks are computed, which may give another plan ([`versions`]), and the arena and the kernel objects are
//! made ([`bind`]); a plan's kernels are built once per device ([`version`]); a call sets what changed and launches
//! ([`loaded`]). What is loaded belongs to its device ([`compiled`]).

pub(crate) mod bind;
mod call;
pub(crate) mod check;
mod compiled;
mod few;
pub(crate) mod function;
mod interface;
pub(crate) mod loaded;
pub(crate) mod prepare;
mod recorded;
mod resolve;
mod states;
mod version;
mod versions;

pub(crate) use call::Call;
pub(crate) use loaded::Loaded;
pub(crate) use version::verified;
pub(crate) use versions::GraphSource;
