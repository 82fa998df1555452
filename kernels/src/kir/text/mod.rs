//! The text form of kernels: [`print()`] and [`parse`], exact inverses but for spans.
//!
//! By hand, and not `winnow` or `logos`: a few hundred lines, whose errors point at a column.
//!
//! ```text
//! /// y = max(x + bias, 0)
//! kernel bias_relu
//! launch [N*64] local [64]
//! param x: read f32
//! param y: write f32
//! param N: symbol
//! var i: i32
//! %0 = global_id.0
//! %1 = cast.i32(%0)
//! let $i = %1
//! store @y[$i] = max(load @x[$i], 0.0f32)
//! ```
//!
//! - `%n = …` appends expression `n`. The printer writes one line for each, just before the first statement that needs
//!   it; a person may also nest expressions, which then get their numbers in the order of writing, operands first.
//! - `$` stands before a variable, `@` before a parameter, `#` before an array; a number in place of a name means the
//!   position, which the printer uses where a name is not distinct. Names that are no identifiers are quoted.
//! - Literals carry their type: `1u32`, `-2.5f32`, `true`, `inf.f32`, `nan.f32`, `bits.f64(0x7ff8000000000001)`.
//! - Vectors: `load.16 @x[%0]`, `splat.8(%0)`, `lane_ids.u32.8`, `lane.3(%0)`, `horizontal.sum(%0)`; a variable of 8
//!   lanes is declared as `f32x8`.
//! - `may_race` after the launch: a work-item may access what another writes. `opencl ".."` behind it: what OpenCL devices run
//!   in place of the statements.
//! - A device function (`launch []`) may end with `return %n`.
//! - A line that starts with `;` is skipped. Kernels that break rules parse: judging them is the verifier's.

mod operation;
mod parse;
mod print;

pub use crate::text::ParseError;
pub use parse::{parse, parse_all};
pub use print::print;

use crate::dtype::DType;
use crate::kir::Kernel;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// As its text: a plan that holds kernels is smaller than with every node spelled out, and so is the code that reads it.
impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&print(self))
    }
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kernel, D::Error> {
        parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// `f32` or `f32x8`.
fn value_type(word: &str) -> Option<crate::kir::ValueType> {
    if let Some(dtype) = DType::from_name(word) {
        return Some(crate::kir::ValueType::scalar(dtype));
    }
    let (dtype, lanes) = word.rsplit_once('x')?;
    Some(crate::kir::ValueType { dtype: DType::from_name(dtype)?, lanes: lanes.parse().ok()? })
}
