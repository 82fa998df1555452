//! CONSTANT_FORM

const fn width() -> usize {
    8
}

#[netcl::constant]
const WIDTH: usize = width();

#[netcl::constant]
static DEPTH: usize = 4;

fn main() {}
