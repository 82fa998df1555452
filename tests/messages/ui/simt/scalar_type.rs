//! SIMT_SCALAR_TYPE

netcl::kernel! {
    #[types(T = [f32, i32])]
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<T, N>, y: &mut Tensor<T, N>, a: T) {
        y[0] = x[0] * a;
    }
}

fn main() {}
