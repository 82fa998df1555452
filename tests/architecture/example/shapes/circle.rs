//! Names nothing.

pub(crate) const PI: u32 = 3;

pub(crate) struct Circle;

impl Circle {
    pub(crate) const NONE: u32 = 0;
}
