//! Element types in OpenCL C.

use crate::dtype::DType;
use crate::kir::ValueType;

/// The type of elements in memory: `uchar` of booleans, `half` of `f16`, `ushort` of `bf16`.
pub fn storage_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool | DType::U8 => "uchar",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::I64 => "long",
        DType::F16 => "half",
        DType::BF16 => "ushort",
        DType::F32 => "float",
        DType::F64 => "double",
    }
}

/// The type of values.
pub(crate) fn c_type(ty: ValueType) -> String {
    match (ty.dtype, ty.lanes) {
        (DType::Bool, 1) => "bool".to_string(),
        (DType::Bool, lanes) => format!("int{lanes}"),
        (dtype, 1) => storage_type(dtype.compute()).to_string(),
        (dtype, lanes) => format!("{}{lanes}", storage_type(dtype.compute())),
    }
}

/// The vector of integers of the same width, in which comparisons of such vectors are given.
pub(super) fn mask_type(ty: ValueType) -> String {
    let element = match ty.dtype {
        DType::U8 => "char",
        DType::I64 | DType::F64 => "long",
        DType::Bool | DType::I32 | DType::U32 | DType::F32 | DType::F16 | DType::BF16 => "int",
    };
    format!("{element}{}", ty.lanes)
}
