//! SIMT_LOCAL_SIZE, SIMT_NO_GROUP

netcl::kernel! {
    #[launch(global = [N], local = [N])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N])]
    fn summed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = sub_group_add(x[global_id(0)]);
    }

    #[launch(global = [N, M])]
    fn met(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, N, M>) {
        let mut tile = local!([f32; 64]);
        tile[0] = x[0, 0];
        barrier();
        y[global_id(0), global_id(1)] = tile[0];
    }
}

fn main() {}
