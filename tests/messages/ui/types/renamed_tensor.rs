//! RENAMED_TENSOR
use netcl::Tensor as T;
use netcl::prelude::*;

/// Another type with an element type and sizes, which ordinary functions take.
pub struct Grid<E, const H: usize, const W: usize>([[E; W]; H]);

#[netcl::model]
pub struct Net<const H: usize> {
    #[layer(inputs = 8, outputs = H)]
    a: Linear,
}

#[netcl::model]
impl<const H: usize> Net<H> {
    pub fn forward(&self, x: &T<f32, N, 8>) -> T<f32, N, H> {
        self.a.forward(x)
    }

    pub fn loss(&self, x: &T<f32, N, 8>) -> Tensor<f32> {
        self.forward(x).sum_all()
    }

    pub fn corner<const W: usize>(grid: &Grid<f32, H, W>) -> f32 {
        grid.0[0][0]
    }
}

fn main() {
    let _ = (Net::<4>::forward, Net::<4>::loss, Net::<4>::corner::<2>);
}
