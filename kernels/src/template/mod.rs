//! Kernels that people wrote: OpenCL C templates, their tunables, and how they are launched.
//!
//! A template is a `.cl` file under `templates/` that compiles as it stands, and a Rust file of the same stem here. The
//! Rust file says which values each tunable may take, which combinations are legal on a device, which one to begin with
//! for a problem, and the launch. The generator writes a prelude of `#define`s (tunables, sizes, hooks) and appends
//! [`Template::sources`]; `templates/README.md` lists the hooks.
//!
//! ```
//! use netcl_kernels::template::{Axis, Limits, MatrixUnit, Problem, matmul_cpu};
//!
//! let problem = Problem::new(128, 512, 784).contiguous(Axis::K, Axis::Outer);
//! let limits = Limits { local_bytes: 1 << 20, work_group: 4096, units: 2, lanes: 16, between_bytes: 1 << 30, matrix_unit: MatrixUnit::NONE };
//! let template = &matmul_cpu::TEMPLATE;
//! let choice = (template.initial)(&problem, &limits);
//! assert_eq!((template.legal)(&choice, &problem, &limits), Ok(()));
//! let source = template.source(&format!("{}{}", problem.defines(), choice.defines()));
//! let [x, y, z] = (template.grid)(&choice).groups(problem.m, problem.n, problem.batch);
//! # assert!(source.contains("__kernel") && x * y * z >= 1);
//! ```

pub mod attention;
mod choice;
pub mod conv2d_cpu;
pub mod conv2d_implicit_gemm;
pub mod conv2d_naive;
pub mod conv2d_tiled_local;
pub mod convolution;
mod declaration;
mod launch;
pub mod matmul_cpu;
pub mod matmul_mma;
pub mod matmul_naive;
pub mod matmul_register;
pub mod matmul_tiled;
mod problem;

pub(crate) use choice::every_choice;
pub use choice::{Choice, Tunable};
use declaration::RUNNING;
pub use declaration::Template;
pub use launch::{Columns, Grid, Resident};
pub use problem::{Axis, Limits, Matrix, MatrixUnit, Problem};

/// Every template, simplest first.
pub const ALL: &[&Template] = &[
    &matmul_naive::TEMPLATE,
    &matmul_tiled::TEMPLATE,
    &matmul_register::TEMPLATE,
    &matmul_mma::TEMPLATE,
    &matmul_cpu::TEMPLATE,
    &conv2d_naive::TEMPLATE,
    &conv2d_implicit_gemm::TEMPLATE,
    &conv2d_tiled_local::TEMPLATE,
    &conv2d_cpu::TEMPLATE,
    &attention::TEMPLATE,
];

#[cfg(test)]
mod tests;
