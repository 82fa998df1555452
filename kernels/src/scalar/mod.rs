//! What operators, functions and conversions give for single values: the one place that says so for this process.
//!
//! Folding of constants ([`crate::fold`]), both interpreters and the native code of the host device call it; the OpenCL emitter
//! writes the same in OpenCL C, with a helper function where that language leaves something open.
//!
//! | what | is |
//! |---|---|
//! | integer `+ - *`, negation, `abs` | modulo 2^width: `i32::MIN` is its own negation and magnitude |
//! | integer `/ %` | cut off toward zero; 0 where the divisor is 0; `MIN / -1` is `MIN` and `MIN % -1` is 0 |
//! | shifts | by the count modulo the width; `>>` of a signed integer keeps its sign |
//! | float `+ - * /`, `sqrt`, `%` | IEEE 754, rounded to nearest even; `%` has the sign of the dividend |
//! | `max`, `min` | NaN if either side is NaN; of 0 and -0 either |
//! | `sign` | -1, 0 or 1; a float that is zero or NaN is itself |
//! | `round` | to the nearest integer, ties to even |
//! | comparisons | false where a side is NaN, but for `!=` |
//! | float to integer | cut off toward zero, saturating; NaN is 0 |
//! | integer to integer | modulo 2^width |
//! | integer to float, `f64` to `f32` | the nearest, ties to even, rounded once |
//! | number to truth value | whether it is not zero: NaN is true |
//! | `f16`, `bf16` | exist in memory: loaded as `f32`, stored rounded to nearest even; a value of another type becomes an `f32` first |
//!
//! Everything is generic over the type and inlined, so that a loop over it becomes vector instructions.

mod arithmetic;
mod convert;
pub mod math;
mod operator;
mod special;

pub use arithmetic::{Arithmetic, Bits, Integer};
pub use convert::{Bitcast, Convert, bf16_bits, f16_bits, from_bf16_bits, from_f16_bits, rounded};
pub use math::{Baseline, Float, Fused, Isa};
pub use operator::{binary_bits, binary_float, binary_integer, compare, unary_float, unary_integer};
