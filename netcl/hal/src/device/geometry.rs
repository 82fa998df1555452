//! How many work-items a dispatch has.

/// How many work-items run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// 1 to 3.
    pub dimensions: usize,
    /// Whole work-groups; 1 past `dimensions`.
    pub global: [usize; 3],
    /// `None` leaves it to the driver.
    pub local: Option<[usize; 3]>,
}
