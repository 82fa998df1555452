//! SIMT_ARRAY_PLACE

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[0] = x[0];
        local!([f32; 4]);
        println!("done");
    }
}

fn main() {}
