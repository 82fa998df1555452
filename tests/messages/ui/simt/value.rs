//! SIMT_VALUE

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let tile = local!([f32; 64]);
        tile[local_id(0)] = x[global_id(0)];
        barrier();
        y[global_id(0)] = tile;
    }
}

fn main() {}
