//! SIMT_TYPE_LIST

netcl::kernel! {
    #[types(T = f32)]
    #[launch(global = [N])]
    fn scale(x: &Tensor<T, N>, y: &mut Tensor<T, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
