//! Names what the crate's root only re-exports, what a `*` brings, and in a macro a constant by its whole path.

use crate::shapes::*;

pub(crate) fn area(square: &crate::Square) -> u32 {
    assert_eq!(crate::shapes::circle::PI, 3);
    square.side * square.side + Rounded::NONE
}

#[cfg(test)]
mod tests {
    use crate::user::twice;

    struct OfTests;
}
