//! QUOTIENT

#[netcl::model]
pub struct Scaled<const WIDTH: usize> {
    #[parameter(init = 1.0)]
    scale: Tensor<f32, WIDTH>,
}

#[netcl::model]
impl<const WIDTH: usize> Scaled<WIDTH> {
    pub fn forward(&self, x: &Tensor<f32, N, WIDTH>) -> Tensor<f32, N, WIDTH> {
        x * &self.scale * (1 / WIDTH)
    }

    pub fn part(&self, x: &Tensor<f32, N, WIDTH>) -> Tensor<f32, N, WIDTH> {
        x * &self.scale * (WIDTH / 0)
    }
}

fn main() {}
