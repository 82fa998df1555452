//! Parallel algorithms over the elements of tensors: map, reduction and scan from an expression, stable radix sort, picking
//! and counting elements, random numbers. All run on every OpenCL device and on the host, with the same results as stated
//! at each; the null device computes nothing, so there they are an [`crate::Error::Unsupported`].
//!
//! # Expressions
//!
//! A formula in the syntax of C over the elements of the inputs, `v0`, `v1`, …, or `a` and `b` where two values are combined:
//! `MUL(ADD(v0, v1), 2.0f)`, `v0 > 0 ? v0 : exp(v0) - 1`. Elements may be u8, i32, u32, i64, f16,
//! bf16, f32 or f64.
//!
//! | what | which |
//! |---|---|
//! | operators | `+ - * / %`, `== != < <= > >=`, `&& \|\| !`, `?:`; for integers `& \| ^ ~ << >>` |
//! | functions | `min max clamp select abs relu isnan`, `ADD SUB MUL DIV MIN MAX RELU`; for floats `pow sqrt rsqrt exp exp2 log log2 sin cos tan tanh floor ceil round trunc fabs` |
//! | constants | `LARGEST`, `SMALLEST` (finite) of the type; for floats `INFINITY`, `NAN`, `PI` |
//!
//! - Every value in it is of the elements' type; of f16 and bf16 it is an `f32`, which is rounded where it is stored, of u8 an
//!   `i32`, whose low bits are stored (`LARGEST` is that of the `i32`). A comparison gives 1 or 0; a condition holds unless it
//!   is 0. Both sides of `&&`, `||` and `?:` are computed.
//! - A number that the type does not hold (`1e50` of `f32`) is an error; write `INFINITY`.
//! - Integers wrap; a division by zero and its remainder are 0; shift counts are taken modulo the width.
//! - `min` and `max` give NaN if one of the two is, and of zeros of both signs either; `round` rounds ties to even.
//! - Sums, differences and products of floats are rounded one by one, to the nearest, alike on every device, and so are
//!   quotients where the driver can ([`crate::DeviceProfile::rounded_division`]; elsewhere OpenCL allows one of f32 2.5 units
//!   in the last place). Functions are as exact as the device's. Numbers below the normal ones may be taken for 0.
//!
//! It is parsed, never pasted into a program: nothing in it can do anything but compute a number.
//!
//! # Numbers of elements
//!
//! Every number of elements is allowed, 0 included. What counts or numbers elements does so in 32 bits: sorting, picking and
//! counting take fewer than 2^31 elements and say so otherwise, and on the host mapping, reducing and scanning fewer than 2^32.
//! Shapes matter where it is said; else the elements are taken in row-major order.
//!
//! # Errors
//!
//! Besides what is said at each, any of these functions may give
//!
//! | error | when |
//! |---|---|
//! | [`Unsupported`](crate::Error::Unsupported) | on the null device; on the host while it is recorded ([`crate::Device::record`]); for expressions over f64 on a device that cannot compute with it |
//! | [`OutOfMemory`](crate::Error::OutOfMemory) | there is no memory for the result or for what is between |
//! | [`Driver`](crate::Error::Driver), [`Build`](crate::Error::Build), [`Lost`](crate::Error::Lost) | the driver fails or refuses a kernel of netcl's, or the device is lost; where the device is waited for, also what was started before |
//! | [`Config`](crate::Error::Config), [`Forked`](crate::Error::Forked) | an environment variable has a bad value; the process is a forked child |

mod combine;
mod common;
mod compact;
mod histogram;
mod host;
mod map;
mod random;
mod reduce;
mod scan;
mod sort;
mod unique;

pub use combine::{Combine, Operator};
pub use compact::{compact, positions};
pub use histogram::{bincount, histogram};
pub use map::{map, matching};
pub use random::Random;
pub use reduce::{map_reduce, reduce};
pub use scan::{Scan, map_scan, scan};
pub use sort::{Order, argsort, sort, sort_by_key};
pub use unique::unique;
