//! Plain `usize`s where operations take sizes and positions, and numbers of arguments where a program is built for one.

#[netcl::model]
pub struct A {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    pub fn position(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N> {
        self.l.forward(x).get(1, k)
    }

    pub fn size(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 2> {
        self.l.forward(x).narrow(1, k, 2)
    }

    pub fn bound(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 4> {
        self.l.forward(x).clamp(0.0, k)
    }

    pub fn built(&self, x: &Tensor<f32, N, 4>, alpha: f32) -> Tensor<f32, N, 4> {
        self.l.forward(x).elu(alpha)
    }

    pub fn axes(&self, x: &Tensor<f32, N, 4>, most: &Tensor<f32, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).clamp(0.0, most)
    }

    pub fn typed(&self, x: &Tensor<f32, N, 4>, most: i32) -> Tensor<f32, N, 4> {
        self.l.forward(x).clamp(0.0, most)
    }

    pub fn fraction(&self, x: &Tensor<f32, N, 4>, k: f32) -> Tensor<f32, N> {
        self.l.forward(x).get(1, k)
    }
}

fn main() {}
