//! In a circle with `area.rs`, by a path in a body and a renamed import.

pub struct Square {
    pub side: u32,
}

impl Square {
    pub fn area(&self) -> u32 {
        use crate::area::area as of;
        super::super::area::area(self).max(of(self))
    }
}
