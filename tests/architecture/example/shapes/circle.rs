//! Names nothing.

pub(crate) const PI: u32 = 3;

pub(crate) struct Circle;

impl Circle {
    pub(crate) const NONE: u32 = 0;
}

impl Iterator for Circle {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        enum Next {
            Nothing,
        }
        let Next::Nothing = Next::Nothing;
        None
    }
}
