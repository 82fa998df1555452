//! Source text out of verified kernels: OpenCL C ([`opencl`]) and Rust ([`rust`]).

pub mod opencl;
mod opencl_alignment;
mod opencl_atomic;
mod opencl_expr;
mod opencl_functions;
mod opencl_helpers;
pub(crate) mod opencl_layout;
mod opencl_operators;
mod opencl_places;
mod opencl_program;
mod opencl_stmt;
mod opencl_types;
pub mod rust;
mod rust_expr;
mod rust_writer;

pub use opencl::bf16_from_float;
pub use opencl_helpers::{PTX_BF16, REMAINDERS_BY_LANE, SINES_BY_LANE};
pub(crate) use opencl_types::c_type;
pub use opencl_types::storage_type;
