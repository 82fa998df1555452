//! Models, functions of scalars and constants that another crate exports.

use netcl::{Device, Model, Result, Seed, Tensor};
use netcl_tests::first::{Act as Enumerated, FEATURES, leak};
use netcl_tests::{first, second};

#[netcl::model]
pub struct Net<const WIDTH: usize> {
    #[layer(inputs = 2, outputs = WIDTH)]
    input: Linear,
    blocks: [first::Block<WIDTH>; 2],
    #[layer(inputs = WIDTH, outputs = { FEATURES })]
    middle: Linear,
    other: second::Block,
}

#[netcl::model]
impl<const WIDTH: usize> Net<WIDTH> {
    pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 3> {
        let mut h = leak(self.input.forward(x));
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.other.forward(&self.middle.forward(&h))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 2>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// `x · weight + bias` by the model's own tensors.
fn linear(model: &impl Model, path: &str, x: &[f32]) -> Vec<f32> {
    let weight = model.tensor(&format!("{path}.weight")).unwrap();
    let bias = model.tensor(&format!("{path}.bias")).unwrap().to_vec::<f32>().unwrap();
    let (outputs, weight) = (weight.shape()[1], weight.to_vec::<f32>().unwrap());
    (0..outputs)
        .map(|o| bias[o] + x.iter().enumerate().map(|(i, x)| x * weight[i * outputs + o]).sum::<f32>())
        .collect()
}

#[test]
fn a_model_of_another_crate_is_a_field() -> Result<()> {
    let device = Device::host();
    let model = Net::<5>::new(&device, Seed(9))?;
    let leaky = |values: Vec<f32>| values.into_iter().map(|x| if x > 0.0 { x } else { 0.1 * x }).collect::<Vec<_>>();
    let x = [0.7f32, -1.3];
    let mut h = leaky(linear(&model, "input", &x));
    for block in 0..2 {
        h = leaky(linear(&model, &format!("blocks.{block}.up"), &h));
        h = linear(&model, &format!("blocks.{block}.down"), &h).into_iter().map(|y| y * 2.0).collect();
    }
    let expected: Vec<f32> =
        linear(&model, "other.only", &linear(&model, "middle", &h)).into_iter().map(f32::tanh).collect();
    let x = Tensor::from_slice(&device, &x, &[1, 2])?;
    for (found, expected) in model.forward(&x)?.to_vec::<f32>()?.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
    let (_, gradients) = model.loss_with_gradients(&x, &Tensor::from_slice(&device, &[1u32], &[1])?)?;
    assert_eq!(gradients.blocks()?[1].up()?.weight.shape(), [5, 6]);
    assert_eq!(gradients.blocks()?[0].scale()?.factor()?.shape(), [5]);
    assert_eq!(gradients.other()?.only()?.bias.shape(), [3]);
    Ok(())
}

/// Enums of layers of another crate, by a path and by another name: one that each model says, one that the field says, and a list.
#[netcl::model]
pub struct Chosen {
    act: first::Act<3, RmsNorm>,
    #[layer(variant = Block)]
    middle: first::Act<3>,
    #[layer(variant = [Leaky, Gated])]
    acts: Vec<Enumerated<3, LayerNorm>>,
}

#[netcl::model]
impl Chosen {
    pub fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        let mut h = self.middle.forward(self.act.forward(x));
        for act in &self.acts {
            h = act.forward(h);
        }
        h.square().mean_all()
    }

    /// Taken apart here.
    pub fn lines(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        match &self.act {
            Enumerated::Line(line) => line.forward(x),
            Enumerated::Gated { shift, .. } => x * shift,
            _ => x,
        }
    }
}

#[test]
fn an_enum_of_layers_of_another_crate_is_a_field() -> Result<()> {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[0.5f32, -1.0, 2.0], &[1, 3])?;
    let model = Chosen::new(&device, Seed(3))?;
    assert_eq!((model.variant("act")?, model.variant("middle")?, model.variant("acts.1")?), ("Line", "Block", "Gated"));
    let expected = linear(&model, "act.line", &[0.5, -1.0, 2.0]);
    for (found, expected) in model.lines(&x)?.to_vec::<f32>()?.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
    let model = Chosen::with_variants(&device, Seed(3), &[("act", "Gated")])?;
    assert_eq!(model.lines(&x)?.to_vec::<f32>()?, [0.25, -0.5, 1.0]);
    let (_, gradients) = model.loss_with_gradients(&x)?;
    assert_eq!(gradients.tensor("act.gated_norm.weight")?.shape(), [3]);
    assert_eq!(gradients.tensor("middle.block.up.weight")?.shape(), [3, 6]);
    assert!(gradients.tensor("act.line.weight").is_err());
    Ok(())
}

#[test]
fn a_part_of_another_crate_runs_alone() -> Result<()> {
    let device = Device::host();
    let block = first::Block::<4>::new(&device, Seed(1))?;
    let y = block.forward(&Tensor::from_slice(&device, &[1.0f32; 8], &[2, 4])?)?;
    assert_eq!(y.shape(), [2, 4]);
    Ok(())
}
