//! SIMT_VECTOR, SIMT_WIDTH, SIMT_ONE_LANE, SIMT_ARRAY_LANES

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let v = x.load4(0);
        y[0] = v.lane(4);
    }

    #[launch(global = [{ N / 4 }])]
    fn thirds(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y.store4(i, x.load3(i));
    }

    #[launch(global = [{ N / 4 }])]
    fn fourths(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, rows: &mut Tensor<f32, N, 4>) {
        let i = global_id(0);
        let v = x.load4(i);
        y[i] = v;
        rows[i, 0] = v;
        y.store4(i, 1.0);
    }

    #[launch(global = [{ N / 4 }], local = [8])]
    fn kept(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 32]);
        s.store4(4 * local_id(0), x.load4(4 * global_id(0)));
        barrier();
        y.store4(4 * global_id(0), s.load4(4 * local_id(0)));
    }
}

fn main() {}
