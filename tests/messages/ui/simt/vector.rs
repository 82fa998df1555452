//! SIMT_VECTOR

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let v = x.load4(0);
        y[0] = v.lane(4);
    }
}

fn main() {}
