//! Models that train, are saved and go on from the file.

use super::trainer::{Net, Trainer};
use super::worker::{TrackedTensor, Worker};
use netcl::prelude::*;
use netcl::{Model, io};

const ROWS: usize = 16;

/// A step, then the same step again by a model that was read from a file: equal bit by bit.
pub(super) fn checkpoint(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let mut trainer = match worker.trainer.take() {
        Some(trainer) => trainer,
        None => {
            let name = format!("netcl-soak-{}-{}.safetensors", std::process::id(), worker.number);
            let (model, optimizer) = (Net::new(worker.device, Seed(worker.draw.next()))?, AdamW::new(1e-2));
            Trainer { model, optimizer, file: std::env::temp_dir().join(name) }
        }
    };
    let number = |position: usize| values[position % values.len()].wrapping_mul(position as u32 | 1);
    let x: Vec<f32> = (0..8 * ROWS).map(|position| number(position) as f32 * 2f32.powi(-32)).collect();
    let labels: Vec<u32> = (0..ROWS).map(|row| number(row) % 3).collect();
    let x = Tensor::from_slice(worker.device, &x, &[ROWS, 8])?;
    let labels = Tensor::from_slice(worker.device, &labels, &[ROWS])?;

    io::save_checkpoint(&trainer.model, &trainer.optimizer, &trainer.file)?;
    // Another seed: nothing but the file makes them alike.
    let mut read = Net::new(worker.device, Seed(worker.draw.next()))?;
    let mut optimizer = AdamW::new(1.0);
    io::load_checkpoint(&mut read, &mut optimizer, &trainer.file)?;
    for (model, optimizer) in [(&mut trainer.model, &mut trainer.optimizer), (&mut read, &mut optimizer)] {
        let (_, gradients) = model.loss_with_gradients(&x, &labels)?;
        optimizer.step(model, &gradients)?;
    }
    worker.totals.compare("trained from a checkpoint", &bits(&read)?, &bits(&trainer.model)?);
    worker.trainer = Some(trainer);
    Ok(())
}

fn bits(model: &dyn Model) -> Result<Vec<u32>> {
    let mut bits = Vec::new();
    for (_, tensor) in model.parameters() {
        bits.extend(tensor.to_vec::<f32>()?.into_iter().map(f32::to_bits));
    }
    Ok(bits)
}
