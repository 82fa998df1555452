//! Runs plans: checks the arguments, picks the objects made for their sizes, launches.
//!
//! What is done when: a plan's text is parsed on first use; once per set of symbol values the policy of the device ([`policy`]) is
//! asked how the plan's tasks are computed, which may give another plan ([`versions`]), and the arena and the kernel objects are
//! made ([`bind`]); a plan's kernels are built once per device ([`version`]), or twice ([`tiers`]); a call sets what changed and launches
//! ([`loaded`]).

pub(crate) mod bind;
mod call;
pub(crate) mod check;
mod dispatches;
mod form;
mod interface;
pub(crate) mod loaded;
mod policy;
mod recorded;
mod resolve;
mod sized;
mod states;
mod tiers;
mod version;
mod versions;

pub(crate) use call::{Call, Outputs};
pub(crate) use form::Form;
pub(crate) use loaded::Loaded;
pub(crate) use policy::{Generation, KernelPolicy};
pub(crate) use sized::SizedPlan;
pub(crate) use tiers::{Tier, tiers};
pub(crate) use version::verified;
pub(crate) use versions::{GraphSource, Recompile};
