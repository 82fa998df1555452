//! `grad` of what is no number, in what has no name, and in what the value does not depend on.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 1)]
    line: Linear,
    #[parameter(init = 1.0)]
    scale: Tensor<f32, 8>,
}

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(cubed_gradient)]
    fn cubed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] * x[i] * x[i];
    }

    #[launch(global = [N])]
    fn cubed_gradient(x: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        let i = global_id(0);
        dx[i] = 3.0 * x[i] * x[i] * dy[i];
    }
}

#[netcl::model]
impl Net {
    pub fn one_argument(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        grad(&self.line.forward(x).sum_all())
    }
    pub fn no_number(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        grad(&self.line.forward(x), x)
    }
    pub fn no_name(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        grad(&self.line.forward(x.tanh()).sum_all(), x.tanh())
    }
    pub fn a_layer(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8, 1> {
        grad(&self.line.forward(x).sum_all(), &self.line)
    }
    pub fn a_number(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let by = 2.0;
        grad(&(by * self.line.forward(x)).sum_all(), by)
    }
    pub fn independent(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let (dx, dy) = grad(&self.line.forward(x + y.detach()).sum_all(), (x, y));
        dx + dy
    }
    pub fn not_yet(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8> {
        grad(&self.line.forward(x).sum_all(), self.scale)
    }
    fn helper(value: &Tensor<f32>, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        grad(value, x)
    }
    pub fn linear_twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let dx = grad(&self.line.forward(x).sum_all(), x);
        grad(&dx.sum_all(), x)
    }
    pub fn whole(&self, x: &Tensor<f32, N, 8>, at: &Tensor<u32, N>) -> Tensor<f32> {
        grad(&x.gather(at).sum_all(), at)
    }
    pub fn of_whole(&self, x: &Tensor<f32, N, 8>, at: &Tensor<u32, N>) -> Tensor<f32, N, 8> {
        grad(&at.sum_all(), x)
    }
    pub fn kernel_twice(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        let dx = grad(&cubed(x).sum_all(), x);
        grad(&dx.sum_all(), x)
    }
    pub fn as_a_method(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x).sum_all().grad(x)
    }
}

fn main() {}
