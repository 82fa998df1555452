//! Kernels and functions of tensors that bodies call wrongly.
use netcl::prelude::*;

netcl::kernel! {
    fn smooth(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| (pad(x[n - 1]) + x[n] + pad(x[n + 1])) / 3.0
    }

    fn rows(table: &Tensor<f32, V, C>, at: &Tensor<u32, N>, scale: f32) -> Tensor<f32, N, C> {
        |n, c| scale * table[at[n], c]
    }

    fn first(x: &Tensor<f32, { N + 2 }, C>, like: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n + 2, c] * like[n, c]
    }

    fn signed(x: &Tensor<f32, N>, deep: bool) -> Tensor<f32, N> {
        |n| if deep { -x[n] } else { x[n] }
    }

    fn middle(x: &Tensor<f32, N>, deep: bool) -> Tensor<f32, N> {
        |n| if deep { smooth(x) } else { x[n] }
    }

    #[launch(global = [N])]
    fn halves(x: &Tensor<f32, N>, by: f32, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        y[n] = x[n] * by;
    }

    #[launch(global = [N], unchecked)]
    fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N])]
    #[gradient(twice_gradient)]
    fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = 2.0 * x[global_id(0)];
    }

    fn twice_gradient(_x: &Tensor<f32, N>, dy: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * dy[n]
    }

    #[launch(global = [N])]
    fn within(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = smooth(x[global_id(0)]);
    }
}

#[netcl::function]
fn unit(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
    x / x.square().sum_keepdim([1]).sqrt()
}

#[netcl::function]
fn element(x: f32) -> f32 {
    unit(x)
}

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[parameter(init = 1.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Net {
    fn rank(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        smooth(self.a.forward(x))
    }

    fn dtype(&self, x: &Tensor<f32, N, 8>, at: &Tensor<i32, M>) -> Tensor<f32, M, 8> {
        rows(x, at, 1.0)
    }

    fn size(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        first(x, self.a.forward(x))
    }

    fn count(&self, x: &Tensor<f32, N, 8>, at: &Tensor<u32, M>) -> Tensor<f32, M, 8> {
        rows(x, at)
    }

    fn swapped(&self, x: &Tensor<f32, N, 8>, at: &Tensor<u32, M>) -> Tensor<f32, M, 8> {
        rows(at, x, 1.0)
    }

    fn number(&self, x: &Tensor<f32, N, 8>, at: &Tensor<u32, M>) -> Tensor<f32, M, 8> {
        rows(x, at, true)
    }

    fn of_function(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        unit(x.sum([1]))
    }

    fn plain(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        signed(x, 1.0)
    }

    fn computed(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        halves(x, &self.scale)
    }

    fn of_simt(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        halves(x, 0.5)
    }

    fn unchecked(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        copied(x)
    }

    fn indexed(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        twice(x)
    }

    fn loss(&self, x: &Tensor<f32, 8>) -> Tensor<f32> {
        halves(self.a.forward(x.reshape([1, 8])).reshape([8]), 0.5).square().mean_all()
    }
}

fn main() {
    let _ = (&smooth, &rows, &first, &signed, &middle, &halves, &copied, &twice, &within, &unit, element, Net::rank);
}
