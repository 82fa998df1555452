//! Has a module inside, which names an item by `super`.

mod inner {
    use super::super::shapes::Square;
    use std::fmt::Debug;

    pub(super) fn side(square: &Square) -> u32 {
        square.side
    }
}

pub(crate) fn twice(square: &crate::shapes::Square) -> u32 {
    2 * inner::side(square)
}
