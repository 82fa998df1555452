//! Where a model's random numbers begin.

/// The seed of everything random in a model: its initial parameters, its dropout. Equal seeds give equal models on
/// every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);
