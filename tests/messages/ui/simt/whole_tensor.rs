//! KERNEL_TENSOR_VALUE, SIMT_WHOLE_RESULT

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x;
    }
}

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scaled(x: &Tensor<f32, N>, by: &Tensor<f32>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = by * x[global_id(0)];
    }
}

netcl::kernel! {
    #[launch(global = [1])]
    fn first(x: &Tensor<f32, N>, y: &mut Tensor<f32>) {
        y = x[0];
    }
}

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn negated(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = -x;
    }
}

fn main() {}
