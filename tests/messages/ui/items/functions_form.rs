//! FUNCTIONS_FORM

pub trait Activation {
    fn forward(x: f32) -> f32;
}

#[netcl::function]
impl<T> Activation for T {
    fn forward(x: f32) -> f32 {
        x
    }
}

pub struct Softsign;

#[netcl::function]
impl Softsign {
    pub fn forward(x: f32) -> f32 {
        x / (1.0 + x.absolute())
    }
    pub fn of(&self, x: f32) -> f32 {
        x
    }
}

fn main() {}
