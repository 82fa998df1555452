//! Safetensors files of netcl's tensors.

use crate::error::{Error, Result};
use crate::tensor::Tensor;
use netcl_hal::files::{Keeping, replace_file};
use netcl_kernels::dtype::DType;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// A tensor as it stands in a file.
pub(super) struct Stored {
    name: String,
    shape: Vec<usize>,
    dtype: DType,
    /// Little-endian, row-major.
    bytes: Vec<u8>,
}

impl Stored {
    /// The elements of a tensor, read from its device.
    pub(super) fn of(name: String, tensor: &Tensor) -> Result<Stored> {
        let bytes = little_endian(tensor.to_bytes()?, tensor.dtype());
        Ok(Stored { name, shape: tensor.shape().to_vec(), dtype: tensor.dtype(), bytes })
    }

    /// The elements, little-endian.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whole numbers.
    pub(super) fn integers(name: String, values: &[u64]) -> Stored {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Stored { name, shape: vec![values.len()], dtype: DType::I64, bytes }
    }

    /// A number.
    pub(super) fn float(name: String, value: f64) -> Stored {
        Stored { name, shape: Vec::new(), dtype: DType::F64, bytes: value.to_le_bytes().to_vec() }
    }
}

/// The entry of a file's metadata that says how netcl stores what other frameworks may store otherwise, and its value.
pub(super) const LAYOUT: (&str, &str) = ("netcl.layout", "1");

/// The one name that the format keeps for itself.
const METADATA: &str = "__metadata__";

/// Refuses names that a file cannot have, or not twice.
fn check_names(tensors: &[Stored]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for Stored { name, .. } in tensors {
        if name == METADATA {
            return Err(format!(
                "a tensor is named `{name}`, which safetensors files keep for something else; rename it"
            ));
        }
        if !names.insert(name) {
            return Err(format!("two of its tensors are named `{name}`"));
        }
    }
    Ok(())
}

/// Replaces the file whole, or leaves it as it was.
pub(super) fn write(path: &Path, tensors: &[Stored]) -> Result<()> {
    let failed = |source| Error::Io { action: "write", path: path.to_owned(), source };
    check_names(tensors).map_err(|problem| failed(io::Error::new(io::ErrorKind::InvalidInput, problem)))?;
    let mut views = Vec::with_capacity(tensors.len());
    for Stored { name, shape, dtype, bytes } in tensors {
        let view = TensorView::new(to_safetensors(*dtype), shape.clone(), bytes);
        views.push((name.as_str(), view.map_err(|error| failed(io::Error::other(error)))?));
    }
    let layout = [(LAYOUT.0.to_owned(), LAYOUT.1.to_owned())].into_iter().collect();
    let bytes = safetensors::serialize(views, Some(layout)).map_err(|error| failed(io::Error::other(error)))?;
    replace_file(path, &bytes, Keeping::Saved).map_err(failed)
}

pub(super) fn unusable(path: &Path, problem: String) -> Error {
    Error::WeightFile { path: path.to_owned(), problem }
}

/// The file's byte order is little-endian; the same conversion serves both ways.
pub(super) fn little_endian(mut bytes: Vec<u8>, dtype: DType) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    bytes
}

pub(super) fn to_safetensors(dtype: DType) -> Dtype {
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
