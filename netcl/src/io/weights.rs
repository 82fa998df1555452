//! Models as safetensors files.

use crate::error::{Error, Result};
use crate::files::{Durable, replace_file};
use crate::model::Model;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::fs;
use std::path::Path;

/// Writes every parameter and state of a model, each under its path. The file is replaced whole or
/// stays as it was, also where the disk is full or the process is killed midway. What such a process was writing lies beside
/// it until a model is saved to that folder again.
///
/// # Errors
///
/// If the device cannot be read or the file cannot be written.
pub fn save(model: &dyn Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let failed = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let mut tensors = Vec::new();
    for (name, tensor) in model.parameters().into_iter().chain(model.states()) {
        tensors.push((
            name,
            tensor.shape().to_vec(),
            tensor.dtype(),
            little_endian(tensor.to_bytes()?, tensor.dtype()),
        ));
    }
    let mut views = Vec::new();
    for (name, shape, dtype, bytes) in &tensors {
        let view = TensorView::new(to_safetensors(*dtype), shape.clone(), bytes);
        views.push((name.as_str(), view.map_err(|error| failed(std::io::Error::other(error)))?));
    }
    let bytes = safetensors::serialize(views, None).map_err(|error| failed(std::io::Error::other(error)))?;
    replace_file(path, &bytes, Durable::Yes).map_err(failed)
}

/// Reads every parameter and state of a model.
///
/// Tensors are told apart by path, shape and type alone. Weights of another framework may have the right shape and another
/// meaning: PyTorch's `Linear` has `[outputs, inputs]` where netcl's has `[inputs, outputs]`, so that a square one is taken
/// as it is and computes with the transpose. Transpose such weights before they are written to the file.
///
/// # Errors
///
/// If the file cannot be read or is damaged, or if a tensor is missing, unexpected, or of another shape or type: the
/// error lists all of them, and the model is unchanged. If the device itself fails while the tensors are copied to it
/// ([`Error::Driver`], [`Error::Lost`], [`Error::OutOfMemory`]), some of the model's tensors may be the file's already:
/// load again, or drop the model.
pub fn load(model: &mut dyn Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })?;
    let file = SafeTensors::deserialize(&bytes)
        .map_err(|error| Error::WeightFile { path: path.to_owned(), problem: error.to_string() })?;
    let own: Vec<(String, Tensor)> = model.parameters().into_iter().chain(model.states()).collect();
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for (name, tensor) in &own {
        match file.tensor(name) {
            Err(_) => problems.push(format!("missing: `{name}` {} {:?}", tensor.dtype(), tensor.shape())),
            Ok(view) if view.shape() != tensor.shape() || view.dtype() != to_safetensors(tensor.dtype()) => {
                problems.push(format!(
                    "`{name}`: the model has {} {:?}, the file {:?} {:?}",
                    tensor.dtype(),
                    tensor.shape(),
                    view.dtype(),
                    view.shape()
                ));
            }
            Ok(view) => found.push((name, tensor, view)),
        }
    }
    let mut unexpected: Vec<&str> =
        file.names().into_iter().filter(|name| own.iter().all(|(known, _)| known != name)).collect();
    unexpected.sort_unstable();
    problems.extend(unexpected.iter().map(|name| format!("unexpected: `{name}`")));
    if !problems.is_empty() {
        return Err(Error::Weights { problems });
    }
    for (_, tensor, view) in found {
        tensor.region().write(&little_endian(view.data().to_vec(), tensor.dtype()))?;
    }
    Ok(())
}

/// The file's byte order is little-endian; the same conversion serves both ways.
fn little_endian(mut bytes: Vec<u8>, dtype: DType) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    bytes
}

fn to_safetensors(dtype: DType) -> Dtype {
    match dtype {
        DType::Bool => Dtype::BOOL,
        DType::U8 => Dtype::U8,
        DType::I32 => Dtype::I32,
        DType::U32 => Dtype::U32,
        DType::I64 => Dtype::I64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
    }
}
