//! What SIMT form has in index form, and other hints of index form: ranges backwards, tensors without axes, plain indices, a kernel
//! that calls itself.

netcl::kernel! {
    fn ids(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        let i = global_id(0);
        x[i]
    }

    fn backwards(x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        |n| fold((0..T).rev(), 0.0, |h, t| h * 0.5 + x[n, t])
    }

    fn steps(x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        |n| sum((0..T).step_by(2), |t| x[n, t])
    }

    fn scalar(x: &Tensor<f32, N>, s: &Tensor<f32>) -> Tensor<f32, N> {
        |n| x[n] * s[0]
    }

    fn shifted(x: &Tensor<f32, N>, s: usize) -> Tensor<f32, N> {
        |n| x[n + s]
    }

    fn itself(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| itself(x)[n]
    }

    #[launch(global = [N])]
    fn again(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        again(x, y);
        y[i] = x[i];
    }

    #[launch(global = [N])]
    fn length(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < x.len() {
            y[i] = x[i];
        }
    }
}

fn main() {}
