//! Training that goes on in another process.

use crate::device::Device;
use crate::error::Result;
use crate::io::file::{self, Stored};
use crate::io::reader::WeightFile;
use crate::io::weights::{self, DRAWS, OPTIMIZER, SCALER};
use crate::model::Model;
use crate::model::core::Draws;
use crate::optim::{Optimizer, OptimizerState, ScalerState};
use crate::tensor::Tensor;
use safetensors::tensor::Dtype;
use std::path::Path;

/// What stands before a parameter in the name of how many steps left it out.
const MISSED: &str = "missed/";

/// Writes all that training needs to go on in another process as it would have here: every parameter and state of the model,
/// where its random numbers stand (dropout), and what the optimizer has gathered, its learning rate included. The other
/// settings (momentum, betas, decay) are the program's. The file is a weight file with more in it: [`super::load`] reads
/// the model from it. It is replaced whole or stays as it was.
///
/// The order of samples is not in it: shuffled epochs have numbers, `loader.epoch(7)`.
///
/// ```
/// use netcl::prelude::*;
/// # #[netcl::model]
/// # pub struct Line {
/// #     #[layer(inputs = 1, outputs = 1)]
/// #     line: Linear,
/// # }
/// # #[netcl::model]
/// # impl Line {
/// #     pub fn loss(&self, x: &Tensor<f32, N, 1>, y: &Tensor<f32, N, 1>) -> Tensor<f32> {
/// #         self.line.forward(x).mse_loss(y)
/// #     }
/// # }
/// # let device = Device::host();
/// # let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2, 1])?;
/// # let file = std::env::temp_dir().join(format!("checkpoint-{}.safetensors", std::process::id()));
/// let (mut model, mut optimizer) = (Line::new(&device, Seed(1))?, Adam::new(0.1));
/// let (_, gradients) = model.loss_with_gradients(&x, &x)?;
/// optimizer.step(&mut model, &gradients)?;
/// netcl::io::save_checkpoint(&model, &optimizer, &file)?;
///
/// let (mut model, mut optimizer) = (Line::new(&device, Seed(2))?, Adam::new(0.1)); // in another process
/// netcl::io::load_checkpoint(&mut model, &mut optimizer, &file)?;
/// # std::fs::remove_file(file).ok();
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// If the optimizer has stepped another model, the device cannot be read, or the file cannot be written; if two of its entries
/// would have one name, as where an optimizer's state names a parameter twice.
pub fn save_checkpoint(model: &dyn Model, optimizer: &dyn Optimizer, path: impl AsRef<Path>) -> Result<()> {
    file::write(path.as_ref(), &stored(model, optimizer)?)
}

/// As [`save_checkpoint`], with where the scale of losses stands, `scaler.state()?`. [`load_checkpoint`] reads the file without it.
///
/// # Errors
///
/// Those of [`save_checkpoint`].
pub fn save_scaled_checkpoint(
    model: &dyn Model,
    optimizer: &dyn Optimizer,
    scaler: &ScalerState,
    path: impl AsRef<Path>,
) -> Result<()> {
    let mut tensors = stored(model, optimizer)?;
    tensors.push(Stored::float(format!("{SCALER}scale"), scaler.scale));
    tensors.push(Stored::integers(format!("{SCALER}good_steps"), &[scaler.good_steps]));
    file::write(path.as_ref(), &tensors)
}

/// What a checkpoint consists of.
fn stored(model: &dyn Model, optimizer: &dyn Optimizer) -> Result<Vec<Stored>> {
    let state = optimizer.state(model)?;
    let mut tensors = weights::stored(model)?;
    let draws = model.core().draws();
    tensors.push(Stored::integers(DRAWS.to_owned(), &[draws.seed, draws.calls]));
    let name = |rest: &str| format!("{OPTIMIZER}{}/{rest}", state.optimizer);
    tensors.push(Stored::float(name("learning_rate"), state.learning_rate));
    tensors.push(Stored::integers(name("steps"), &[state.steps]));
    for (parameter, steps) in &state.missed {
        tensors.push(Stored::integers(name(&format!("{MISSED}{parameter}")), &[*steps]));
    }
    for (number, moment) in state.moments.iter().enumerate() {
        for (parameter, value) in moment {
            tensors.push(Stored::of(name(&format!("{number}/{parameter}")), value)?);
        }
    }
    Ok(tensors)
}

/// Reads what [`save_checkpoint`] has written, into a model of the same tensors and an optimizer of the same kind, on any device.
/// The model's seed becomes the file's. Of a part of a model, the random numbers are the whole model's.
///
/// # Errors
///
/// As [`super::load`]; also if the file has no state of an optimizer, or of another kind, or one that is not of the model's
/// parameters, or has steps without what was gathered in them, or numbers that no training leaves: a learning rate that is
/// negative, infinite or NaN, second moments that are negative. Model and optimizer are then unchanged: what has been copied to
/// the model before the optimizer refuses its part is put back, unless the device fails at that, too.
pub fn load_checkpoint(model: &mut dyn Model, optimizer: &mut dyn Optimizer, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let mut file = WeightFile::open(path)?;
    // An earlier netcl's checkpoint says nothing of its layout, a later one's may be another.
    file.is_own()?;
    let fitting = weights::fitting(model, &file)?;
    let unusable = |problem: String| file::unusable(path, problem);
    let state = optimizer_state(&mut file, &model.device(), unusable)?;
    let [seed, calls] = words::<2>(&mut file, DRAWS, Dtype::I64)?
        .ok_or_else(|| unusable(format!("`{DRAWS}` is not there as two 64-bit integers")))?;
    let found = weights::read(fitting, &mut file)?;
    // The optimizer last: whether it takes its part is its own affair, and it cannot be told to take it back.
    let before = weights::stored(model)?;
    if let Err(error) = weights::fill(model, found).and_then(|()| optimizer.set_state(model, &state)) {
        // Of two errors the first says what is wrong.
        let _ = weights::restore(model, before);
        return Err(error);
    }
    model.core().set_draws(Draws { seed, calls });
    Ok(())
}

/// As [`load_checkpoint`], of what [`save_scaled_checkpoint`] has written: gives where the scale stood, for
/// `scaler.set_state(&state)?`.
///
/// # Errors
///
/// Those of [`load_checkpoint`]; also if the file has no scale, or one that is none: model and optimizer are then unchanged.
pub fn load_scaled_checkpoint(
    model: &mut dyn Model,
    optimizer: &mut dyn Optimizer,
    path: impl AsRef<Path>,
) -> Result<ScalerState> {
    let path = path.as_ref();
    let mut file = WeightFile::open(path)?;
    let scale = words::<1>(&mut file, &format!("{SCALER}scale"), Dtype::F64)?;
    let good_steps = words::<1>(&mut file, &format!("{SCALER}good_steps"), Dtype::I64)?;
    let (Some([scale]), Some([good_steps])) = (scale, good_steps) else {
        let problem = "it has no scale of a loss; `netcl::io::load_checkpoint` reads it";
        return Err(file::unusable(path, problem.to_owned()));
    };
    let state = ScalerState { scale: f64::from_bits(scale), good_steps };
    state.check()?;
    load_checkpoint(model, optimizer, path)?;
    Ok(state)
}

/// The optimizer's state in the file, its moments on the device.
fn optimizer_state(
    file: &mut WeightFile,
    device: &Device,
    unusable: impl Fn(String) -> crate::Error,
) -> Result<OptimizerState> {
    let mut names = file.names();
    names.retain(|name| name.starts_with(OPTIMIZER));
    names.sort();
    let kind = names.iter().find_map(|name| name.strip_prefix(OPTIMIZER)?.strip_suffix("/learning_rate"));
    let kind = kind
        .ok_or_else(|| unusable("it has no state of an optimizer; `netcl::io::load` reads weights alone".to_owned()))?
        .to_owned();
    let start = format!("{OPTIMIZER}{kind}/");
    let rate = words::<1>(file, &format!("{start}learning_rate"), Dtype::F64)?;
    let steps = words::<1>(file, &format!("{start}steps"), Dtype::I64)?;
    let (Some([rate]), Some([steps])) = (rate, steps) else {
        return Err(unusable(format!("`{start}learning_rate` and `{start}steps` are not there as one number each")));
    };
    let learning_rate = f64::from_bits(rate);
    if !(learning_rate.is_finite() && learning_rate >= 0.0) {
        return Err(unusable(format!(
            "`{start}learning_rate` is {learning_rate}, expected a number of at least 0: it is damaged, or nothing that was saved"
        )));
    }
    if i64::try_from(steps).is_err() {
        return Err(unusable(format!("`{start}steps` is {}, expected a number of at least 0", steps as i64)));
    }
    let (mut missed, mut moments) = (Vec::new(), Vec::<Vec<(String, Tensor)>>::new());
    for name in &names {
        let Some(rest) = name.strip_prefix(&start).filter(|rest| !["learning_rate", "steps"].contains(rest)) else {
            continue;
        };
        if let Some(path) = rest.strip_prefix(MISSED) {
            let Some([steps]) = words::<1>(file, name, Dtype::I64)? else {
                return Err(unusable(format!("`{name}` is not there as one number")));
            };
            missed.push((path.to_owned(), steps));
            continue;
        }
        let place = rest.split_once('/').and_then(|(number, path)| Some((number.parse::<usize>().ok()?, path)));
        let info = file.info(name).map(|info| (info.dtype, info.shape.clone()));
        // Sorted by name, moments come one after the other.
        let (Some((number, path)), Some((Dtype::F32, shape))) =
            (place.filter(|(number, _)| *number <= moments.len()), info)
        else {
            return Err(unusable(format!("`{name}` is no moment of a parameter")));
        };
        let bytes = file.read(name)?;
        let elements: Vec<f32> =
            bytes.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        if number == moments.len() {
            moments.push(Vec::new());
        }
        moments[number].push((path.to_owned(), Tensor::from_slice(device, &elements, &shape)?));
    }
    Ok(OptimizerState { optimizer: kind, learning_rate, steps, missed, moments })
}

/// As many words of 64 bits of that type as expected; `None` if that is not what is there.
fn words<const N: usize>(file: &mut WeightFile, name: &str, dtype: Dtype) -> Result<Option<[u64; N]>> {
    if file.info(name).is_none_or(|info| info.dtype != dtype || info.data_offsets.1 - info.data_offsets.0 != 8 * N) {
        return Ok(None);
    }
    let bytes = file.read(name)?;
    let words = bytes.chunks_exact(8).filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)));
    Ok(words.collect::<Vec<_>>().try_into().ok())
}
