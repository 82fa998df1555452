//! Arrays that are read and that nothing is written to; one that is counted in.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    pub fn bad(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 64]);
        let own = private!([f32; 4]);
        let mut count = local!([u32; 1]);
        atomic_add(&mut count[0], 1);
        y[global_id(0)] = s[local_id(0)] + own[0] + count[0] as f32 + x[global_id(0)];
    }
}

fn main() {}
