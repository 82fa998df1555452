//! The Rust types that elements can have.

use half::{bf16, f16};
use netcl_kernels::dtype::DType;

/// A type that tensors can hold: `bool`, `u8`, `i32`, `u32`, `i64`, `f16`, `bf16`, `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of elements",
    label = "which type the elements are of is not said here",
    note = "name it: `loss.item::<f32>()?`, `y.to_vec::<f32>()?`, or by what takes it: `let loss: f32 = loss.item()?;`"
)]
pub trait Element: sealed::Sealed + Copy + Send + Sync + std::fmt::Debug + 'static {
    /// Its netcl name.
    const DTYPE: DType;

    #[doc(hidden)]
    const ZERO: Self;

    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! element {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const ZERO: Self = <$type>::from_ne_bytes([0; size_of::<$type>()]);

            fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                let (elements, _) = bytes.as_chunks();
                elements.iter().map(|&bytes| <$type>::from_ne_bytes(bytes))
            }
        }
    )*};
}

element!(
    u8 => U8,
    i32 => I32,
    u32 => U32,
    i64 => I64,
    f16 => F16,
    bf16 => BF16,
    f32 => F32,
    f64 => F64,
);

impl sealed::Sealed for bool {}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    const ZERO: Self = false;

    fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
        bytes.iter().map(|&byte| byte != 0)
    }
}
