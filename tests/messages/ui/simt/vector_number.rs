//! A number beside a vector; a number that the type beside it has not, marked where it stands.

netcl::kernel! {
    #[launch(global = [{ N / 4 }])]
    pub fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = 4 * global_id(0);
        let mut v = x.load4(i) * 2.0;
        v += 1;
        y.store4(i, max(x.load4(i), 0.0));
    }

    #[launch(global = [N])]
    pub fn far(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0) + 5_000_000_000;
        y[i] = x[i];
    }
}

fn main() {}
