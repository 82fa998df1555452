//! Conditions inside of what is compiled, which macros see before rustc has decided them.
use netcl::prelude::*;

#[netcl::constant]
const TAPS: [f32; 2] = [0.5, #[cfg(test)] 0.25, #[cfg(not(test))] 0.75];

#[netcl::function]
fn act(x: f32, k: u32) -> f32 {
    match k {
        #[cfg(test)]
        0 => x * 1000.0,
        _ => x,
    }
}

#[netcl::function]
fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    #[cfg_attr(all(), cfg(test))]
    let x = x * 1000.0;
    // What changes nothing may stand there.
    #[cfg_attr(test, allow(unused))]
    let y = x * 1.0;
    y
}

pub struct Softsign;

#[netcl::function]
impl Softsign {
    fn forward(x: f32) -> f32 {
        #[cfg(test)]
        let x = x * 2.0;
        x / (1.0 + x.abs())
    }
}

netcl::kernel! {
    fn first(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let y = x[n];
            #[cfg(test)]
            let y = y * act(y, 0) * TAPS[0];
            y
        }
    }

    #[launch(global = [N])]
    fn second(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        #[cfg(test)]
        {
            y[i] = 1000.0;
        }
        y[i] = x[i];
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn statement(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = self.line.forward(x);
        #[cfg(feature = "deep")]
        for _ in 0..3 {
            h = self.line.forward(h);
        }
        h
    }

    pub fn element(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let all = [self.line.forward(x), #[cfg(test)] self.nonsense(x)];
        all[0]
    }

    pub fn argument(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x, #[cfg(test)] x)
    }

    pub fn sound(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.element(self.statement(x))
    }
}

fn main() -> Result<()> {
    let x = Tensor::full(&Device::host(), 1f32, &[2])?;
    let _ = (act(1.0, 0), scaled(&x)?, first(&x)?, second(&x)?, TAPS);
    Ok(())
}
