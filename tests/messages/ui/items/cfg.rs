//! Conditions that the compiler of a model, a kernel or a function cannot decide.
use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[cfg(test)]
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    // One error for both, and none of what may not be there.
    #[cfg(test)]
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.nonsense()
    }

    #[cfg(not(test))]
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }

    pub fn twice(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.forward(self.forward(x))
    }

    pub fn scaled(&self, x: &Tensor<f32, N, 4>, #[cfg(test)] k: f32) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }

    // What is ordinary Rust is rustc's.
    #[cfg(test)]
    pub fn own(&self) -> Nothing {}
}

netcl::kernel! {
    #[cfg(test)]
    fn copy(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].nonsense()
    }

    #[cfg(not(test))]
    fn copy(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }

    #[cfg_attr(test, inline)]
    #[launch(global = [N])]
    fn filled(x: &Tensor<f32, N>, #[cfg(test)] k: f32, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i];
    }
}

pub struct Half;

#[netcl::function]
impl Half {
    #[cfg(test)]
    fn forward(x: f32) -> f32 {
        x * nothing
    }
}

#[netcl::tensors]
pub struct Batch {
    x: Tensor<f32, N, 4>,
    #[cfg(test)]
    labels: Tensor<u32, N>,
}

fn main() -> Result<()> {
    let device = Device::host();
    let (net, x) = (Net::new(&device, Seed(1))?, Tensor::full(&device, 1f32, &[2, 4])?);
    net.scaled(&net.twice(&x)?)?;
    let _ = (copy(&x)?, filled(&x)?, Batch { x });
    Ok(())
}
