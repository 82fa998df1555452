//! Gradients that take other arguments than they get, or give too few; of one that stands elsewhere rustc speaks.

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(backward)]
    pub fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * 2.0;
    }

    #[launch(global = [N])]
    fn backward(dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        dx[global_id(0)] = dy[global_id(0)] * 2.0;
    }
}

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(product_gradient)]
    pub fn product(a: &Tensor<f32, N>, b: &Tensor<f32, N>, s: f32, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = s * a[global_id(0)] * b[global_id(0)];
    }

    #[launch(global = [N])]
    fn product_gradient(a: &Tensor<f32, N>, b: &Tensor<f32, N>, dy: &Tensor<f32, N>, da: &mut Tensor<f32, N>) {
        da[global_id(0)] = dy[global_id(0)] * b[global_id(0)] + a[global_id(0)];
    }

    #[launch(global = [N])]
    #[gradient(indexed_gradient)]
    pub fn indexed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    fn indexed_gradient(dy: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| dy[n]
    }

    #[launch(global = [N])]
    #[gradient(backward)]
    pub fn elsewhere(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * 2.0;
    }
}

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(cube_gradient)]
    pub fn cube(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)].powi(3);
    }

    /// The cotangent first, as in PyTorch's `backward(ctx, dy)`.
    #[launch(global = [N])]
    fn cube_gradient(dy: &Tensor<f32, N>, x: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        dx[global_id(0)] = 3.0 * x[global_id(0)] * x[global_id(0)] * dy[global_id(0)];
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        cube(self.line.forward(x).reshape([-1])).sum_all()
    }
}

fn main() {}
