//! Models as safetensors files.

use crate::error::{Error, Result};
use crate::io::file::{self, Stored, little_endian, to_safetensors};
use crate::io::reader::WeightFile;
use crate::model::Model;
use crate::tensor::Tensor;
use std::collections::BTreeSet;
use std::path::Path;

/// The seed of the model's random numbers, and how many calls drew some.
pub(super) const DRAWS: &str = "model/draws";

/// What an optimizer has gathered stands under names that begin so.
pub(super) const OPTIMIZER: &str = "optimizer/";

/// What the names of a loss's scale start with.
pub(super) const SCALER: &str = "scaler/";

/// Whether a checkpoint has that besides the model's tensors. Those of a schema that was written by hand may be named so, too;
/// such a model can be saved, and is refused where it would be mixed up ([`file::write`]).
fn is_beside(name: &str) -> bool {
    name == DRAWS || name.starts_with(OPTIMIZER) || name.starts_with(SCALER)
}

/// Writes every parameter and state of a model, each under its path. The file is replaced whole or
/// stays as it was, also where the disk is full or the process is killed midway. What such a process was writing lies beside
/// it until a model is saved to that folder again.
///
/// A file that was there keeps its owner and mode, and is not replaced if it is read-only. Of a link, the file that it points
/// to is replaced, or made; another name of the file (a hard link) keeps what was there. What is no file, as a pipe or
/// `/dev/stdout`, is written to.
///
/// What an optimizer has gathered is not part of it: [`super::save_checkpoint`] writes that, too.
///
/// # Errors
///
/// If the device cannot be read or the file cannot be written. [`Error::Assigned`] where a field of the model was assigned.
pub fn save(model: &dyn Model, path: impl AsRef<Path>) -> Result<()> {
    file::write(path.as_ref(), &stored(model)?)
}

/// Reads every parameter and state of a model, from a file of [`save`] or [`super::save_checkpoint`].
///
/// Tensors are told apart by path, shape and type. Weights of another framework may have the right shape and another meaning:
/// PyTorch's `Linear` has `[outputs, inputs]` where netcl's has `[inputs, outputs]`, so that a square one would compute with
/// the transpose. Files therefore say that netcl has written them, and others are read by [`load_foreign`].
///
/// The header is read first: of a file that does not fit, nothing else is. The path may also name a pipe or `/dev/stdin`, which
/// is waited for, and of which no more is read than its header promises.
///
/// # Errors
///
/// If the file cannot be read or is damaged, if netcl has not written it and the model has weights that other frameworks store
/// transposed, or if a tensor is missing, unexpected, or of another shape or type: the
/// error lists all of them, and the model is unchanged. If the device itself fails while the tensors are copied to it
/// ([`Error::Driver`], [`Error::Lost`], [`Error::OutOfMemory`]), some of the model's tensors may be the file's already:
/// load again, or drop the model.
pub fn load(model: &mut dyn Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let mut file = WeightFile::open(path)?;
    // A checkpoint's other entries are netcl's alone.
    let is_checkpoint = || file.names().iter().any(|name| is_beside(name));
    if !file.is_own()? && !is_checkpoint() {
        refuse_matrices(model, path)?;
    }
    let fitting = fitting(model, &file)?;
    fill(model, read(fitting, &mut file)?)
}

/// As [`load`], from a file that another program has written, whose weights are laid out as netcl's: a `Linear` has
/// `[inputs, outputs]`, which in PyTorch is `layer.weight.T`, and so have the two of `SelfAttention`.
///
/// ```
/// use netcl::prelude::*;
/// # #[netcl::model]
/// # pub struct Line {
/// #     #[layer(inputs = 2, outputs = 2, bias = false)]
/// #     line: Linear,
/// # }
/// # let mut model = Line::new(&Device::host(), Seed(1))?;
/// # let file = std::env::temp_dir().join(format!("foreign-{}.safetensors", std::process::id()));
/// # let header = br#"{"line.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
/// # let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
/// # bytes.extend(header);
/// # bytes.extend([0; 16]);
/// # std::fs::write(&file, bytes).unwrap();
/// // In Python: save_file({"line.weight": line.weight.T.contiguous()}, file)
/// assert!(netcl::io::load(&mut model, &file).is_err()); // nothing says that it was transposed
/// netcl::io::load_foreign(&mut model, &file)?;
/// # std::fs::remove_file(file).ok();
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`], but for who has written the file.
pub fn load_foreign(model: &mut dyn Model, path: impl AsRef<Path>) -> Result<()> {
    let mut file = WeightFile::open(path.as_ref())?;
    let fitting = fitting(model, &file)?;
    fill(model, read(fitting, &mut file)?)
}

/// An error if the model has weights of a shape that others store transposed.
fn refuse_matrices(model: &dyn Model, path: &Path) -> Result<()> {
    let is_weight =
        |path: &str| path.rsplit('.').next().is_some_and(|name| name == "weight" || name.ends_with("_weight"));
    let found = tensors(model).into_iter().find(|(path, tensor)| tensor.shape().len() == 2 && is_weight(path));
    let Some((name, tensor)) = found else { return Ok(()) };
    Err(file::unusable(
        path,
        format!(
            "netcl has not written it, so nothing says how the matrix `{name}` {:?} lies in it: PyTorch's `Linear` stores \
             [outputs, inputs], netcl's [inputs, outputs], and a square one would compute with its transpose; write the \
             transposed weights of `Linear` to the file (`layer.weight.T.contiguous()`) and read it by `netcl::io::load_foreign`",
            tensor.shape()
        ),
    ))
}

/// Every tensor of a model.
pub(super) fn stored(model: &dyn Model) -> Result<Vec<Stored>> {
    model.check_fields()?;
    tensors(model).into_iter().map(|(name, tensor)| Stored::of(name, &tensor)).collect()
}

/// Every tensor of a model, by its name in the file, which has one of that shape and type; all that does not fit is one error.
pub(super) fn fitting(model: &dyn Model, file: &WeightFile) -> Result<Vec<(String, Tensor)>> {
    model.check_fields()?;
    let own = tensors(model);
    let mut problems = Vec::new();
    for (name, tensor) in &own {
        match file.info(name) {
            None => problems.push(format!("missing: `{name}` {} {:?}", tensor.dtype(), tensor.shape())),
            Some(found) if found.shape != tensor.shape() || found.dtype != to_safetensors(tensor.dtype()) => {
                problems.push(format!(
                    "`{name}`: the model has {} {:?}, the file {:?} {:?}",
                    tensor.dtype(),
                    tensor.shape(),
                    found.dtype,
                    found.shape
                ));
            }
            Some(_) => {}
        }
    }
    let known: BTreeSet<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
    let mut unexpected = file.names();
    unexpected.retain(|name| !is_beside(name) && !known.contains(name.as_str()));
    unexpected.sort();
    problems.extend(unexpected.iter().map(|name| format!("unexpected: `{name}`")));
    if problems.is_empty() { Ok(own) } else { Err(Error::Weights { problems }) }
}

/// What the file has for what fits: all of it, before anything of the model changes.
pub(super) fn read(fitting: Vec<(String, Tensor)>, file: &mut WeightFile) -> Result<Vec<(Tensor, Vec<u8>)>> {
    fitting.into_iter().map(|(name, tensor)| Ok((tensor, file.read(&name)?))).collect()
}

/// Copies what was found to the model's tensors.
pub(super) fn fill(model: &dyn Model, found: Vec<(Tensor, Vec<u8>)>) -> Result<()> {
    model.core().store().note_change();
    for (tensor, bytes) in found {
        tensor.region()?.write(&little_endian(bytes, tensor.dtype()))?;
    }
    Ok(())
}

/// Copies what [`stored`] gave back to the model.
pub(super) fn restore(model: &dyn Model, before: Vec<Stored>) -> Result<()> {
    model.core().store().note_change();
    for ((_, tensor), stored) in tensors(model).into_iter().zip(before) {
        tensor.region()?.write(&little_endian(stored.into_bytes(), tensor.dtype()))?;
    }
    Ok(())
}

fn tensors(model: &dyn Model) -> Vec<(String, Tensor)> {
    model.parameters().into_iter().chain(model.states()).collect()
}
