//! How many launches the models of the examples make, counted on the null device: whole calls at several batch sizes, so
//! that what is decided only when sizes are known is counted too.

use netcl::prelude::*;
use netcl::{DType, Target};
use netcl_examples::programs::digits::Mlp;
use netcl_examples::programs::digits_cnn::Cnn;
use netcl_examples::programs::transformer_block::TransformerBlock;

const BATCHES: [usize; 5] = [1, 7, 32, 256, 1797];

/// `most` launches of the call, on null devices of both kinds, for each batch size. What is made once is made before.
fn count(what: &str, most: u64, call: impl Fn(&Device) -> Result<Box<dyn FnMut(usize) -> Result<()>>>) -> Result<()> {
    for target in [Target::Gpu, Target::Cpu] {
        let device = Device::null(target, 1 << 34);
        let mut call = call(&device)?;
        for batch in BATCHES {
            call(batch)?;
            let before = device.launches();
            call(batch)?;
            let launches = device.launches() - before;
            eprintln!("{what}, {} device, batch {batch}: {launches} launches", target.name());
            assert!((1..=most).contains(&launches), "{what} on {}, batch {batch}: {launches}", target.name());
        }
    }
    Ok(())
}

fn zeros(device: &Device, shape: &[usize]) -> Result<Tensor> {
    Tensor::zeros(device, shape, DType::F32)
}

fn labels(device: &Device, batch: usize) -> Result<Tensor> {
    Tensor::zeros(device, &[batch], DType::U32)
}

#[test]
fn mlp() -> Result<()> {
    count("MLP, forward", 2, |device| {
        let (model, device) = (Mlp::new(device, Seed(1))?, device.clone());
        Ok(Box::new(move |batch| model.forward(&zeros(&device, &[batch, 64])?).map(drop)))
    })?;
    count("MLP, training step", 9, |device| {
        let (mut model, mut optimizer, device) = (Mlp::new(device, Seed(1))?, AdamW::new(1e-3), device.clone());
        Ok(Box::new(move |batch| {
            let (x, labels) = (zeros(&device, &[batch, 64])?, labels(&device, batch)?);
            let (_, gradients) = model.loss_with_gradients(&x, &labels)?;
            optimizer.step(&mut model, &gradients)
        }))
    })
}

#[test]
fn cnn() -> Result<()> {
    count("CNN, training step", 22, |device| {
        let (mut model, mut optimizer, device) = (Cnn::new(device, Seed(1))?, AdamW::new(1e-3), device.clone());
        Ok(Box::new(move |batch| {
            let (x, labels) = (zeros(&device, &[batch, 1, 8, 8])?, labels(&device, batch)?);
            let (_, gradients) = model.loss_with_gradients(&x, &labels)?;
            optimizer.step(&mut model, &gradients)
        }))
    })
}

#[test]
fn transformer() -> Result<()> {
    count("transformer block, forward", 9, |device| {
        let (model, device) = (TransformerBlock::new(device, Seed(1))?, device.clone());
        Ok(Box::new(move |batch| model.forward(&zeros(&device, &[batch, 7, 32])?).map(drop)))
    })?;
    count("transformer block, forward and backward", 30, |device| {
        let (model, device) = (TransformerBlock::new(device, Seed(1))?, device.clone());
        Ok(Box::new(move |batch| {
            let x = zeros(&device, &[batch, 7, 32])?;
            model.loss_with_gradients(&x, &x).map(drop)
        }))
    })
}
