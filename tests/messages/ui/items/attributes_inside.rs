//! Attributes inside of what is compiled would be lost, but for levels of lints and documentation.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, #[allow(unused)] x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        #[precision(bf16)]
        let h = self.line.forward(x);
        #[mode(training)]
        {
            let _ = x;
        }
        #[allow(clippy::all)]
        #[frozen]
        let h = h + x;
        /// Text.
        #[rustfmt::skip]
        let h = h.relu();
        #[nonsense(a)]
        let h = h.nothing();
        h
    }
}

#[netcl::function]
fn half(x: f32) -> f32 {
    #[inline]
    let y = x * 0.5;
    y
}

netcl::kernel! {
    fn rows(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| {
            #[gradient(own)]
            let y = sum(0..C, |c| x[n, c]);
            #[netcl::constant]
            let z = half(y);
            z
        }
    }

    #[launch(global = [N])]
    fn items(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        #[launch(unchecked)]
        let i = global_id(0);
        #[types(T = [f32])]
        let value = x[i];
        y[i] = value;
    }
}

fn main() {
    let _ = half(1.0);
}
