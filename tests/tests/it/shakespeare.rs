//! A small GPT-2 on Shakespeare's plays, in single precision and with activations in bf16: the same losses within a hundredth.

use crate::common::devices;
use crate::worlds::transformer::fixed::Block;
use netcl::optim::{AdamW, Optimizer};
use netcl::prelude::*;
use netcl_tests::models::inputs::below;

/// Characters of the text: what is none of these is the first.
const ENTRIES: usize = 65;
const STEPS: usize = 64;
const BATCH: usize = 16;

/// GPT-2 (Radford et al. 2019) of four layers.
#[netcl::model]
pub struct Gpt2 {
    #[layer(entries = 65, features = 64)]
    characters: Embedding,
    #[parameter(init = normal(0.02))]
    positions: Tensor<f32, 64, 64>,
    blocks: [Block<64, 4>; 4],
    #[layer(features = 64)]
    norm: LayerNorm,
    #[layer(inputs = 64, outputs = 65, bias = false)]
    head: Linear,
}

#[netcl::model]
impl Gpt2 {
    pub fn loss(&self, x: &Tensor<u32, N, T>, y: &Tensor<u32, N, T>) -> Tensor<f32> {
        let mut h = self.characters.forward(x) + self.positions.narrow(0, 0, T);
        for block in &self.blocks {
            h = block.forward(h);
        }
        self.head.forward(self.norm.forward(h)).cross_entropy(y)
    }

    #[precision(bf16)]
    pub fn loss_in_bf16(&self, x: &Tensor<u32, N, T>, y: &Tensor<u32, N, T>) -> Tensor<f32> {
        self.loss(x, y)
    }
}

/// The numbers of the text's characters, which are sorted.
fn numbers(text: &str) -> Vec<u32> {
    let mut known: Vec<char> = text.chars().collect();
    known.sort_unstable();
    known.dedup();
    assert!(known.len() <= ENTRIES, "{} different characters", known.len());
    text.chars().map(|own| known.binary_search(&own).unwrap_or_default() as u32).collect()
}

/// The batch of a step out of that text: places and what comes after each.
fn batch(device: &Device, text: &[u32], step: usize) -> Result<[Tensor; 2]> {
    let starts: Vec<usize> = (0..BATCH)
        .map(|row| below("shakespeare", (step * BATCH + row) as u32, (text.len() - STEPS - 1) as u32) as usize)
        .collect();
    let of = |shift: usize| {
        let all: Vec<u32> = starts.iter().flat_map(|start| text[start + shift..][..STEPS].iter().copied()).collect();
        Tensor::from_slice(device, &all, &[BATCH, STEPS])
    };
    Ok([of(0)?, of(1)?])
}

/// The mean loss of the last fifty of 500 steps, and of twenty batches of what was not trained on.
fn trained(device: &Device, [train, test]: [&[u32]; 2], is_half: bool) -> Result<[f32; 2]> {
    let mut model = Gpt2::new(device, Seed(1))?;
    let mut optimizer = AdamW::new(1e-3);
    let mut losses = Vec::new();
    for step in 0..500 {
        let [x, y] = batch(device, train, step)?;
        let (loss, gradients) = match is_half {
            true => model.loss_in_bf16_with_gradients(&x, &y).map(|(loss, gradients)| (loss, (*gradients).clone()))?,
            false => model.loss_with_gradients(&x, &y).map(|(loss, gradients)| (loss, (*gradients).clone()))?,
        };
        optimizer.step(&mut model, &gradients)?;
        losses.push(loss.item::<f32>()?);
    }
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    let tested = (0..20).map(|step| {
        let [x, y] = batch(device, test, step)?;
        if is_half { model.loss_in_bf16(&x, &y) } else { model.loss(&x, &y) }?.item::<f32>()
    });
    Ok([mean(&losses[450..]), mean(&tested.collect::<Result<Vec<_>>>()?)])
}

#[test]
#[ignore = "takes minutes, and a text: `NETCL_TEST_TEXT=PATH cargo test -p netcl-tests --test it shakespeare -- --ignored`"]
fn a_small_gpt_2_loses_nothing_in_bf16() -> Result<()> {
    let path = std::env::var("NETCL_TEST_TEXT").expect("NETCL_TEST_TEXT names the text");
    let text = numbers(&std::fs::read_to_string(&path).expect("the text can be read"));
    let (train, test) = text.split_at(text.len() / 10 * 9);
    for device in devices() {
        let [single, half] = [trained(&device, [train, test], false)?, trained(&device, [train, test], true)?];
        eprintln!("{device}: in f32 {single:?}, in bf16 {half:?}");
        // A sixth below what characters drawn by how often there are of them have.
        assert!(single[0] < 2.8, "{device}: {single:?}");
        for (single, half) in single.iter().zip(&half) {
            assert!((single - half).abs() <= 0.01 * single, "{device}: {half} in bf16, {single} in f32");
        }
    }
    Ok(())
}
