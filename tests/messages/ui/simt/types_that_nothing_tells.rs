//! SIMT_TYPE_UNTOLD, ARGUMENT_BY_VALUE

netcl::kernel! {
    #[types(T = [f32, i32])]
    #[launch(global = [N])]
    fn copied(x: &Tensor<f32, N>, y: &mut Tensor<T, N>) {
        let n = global_id(0);
        y[n] = x[n] as T;
    }

    // What `w` is meant to be is not known: one mistake.
    #[launch(global = [N])]
    fn owned(x: &Tensor<f32, N>, w: Tensor<f32, N>) {
        let n = global_id(0);
        w[n] = x[n];
    }
}

fn main() {}
