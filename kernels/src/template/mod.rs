//! Kernels that people wrote: OpenCL C templates, their tunables, and how they are launched.
//!
//! A template is a `.cl` file under `templates/` that compiles as it stands, and a Rust file of the same stem here. The
//! Rust file says which values each tunable may take, which combinations are legal on a device, which one to begin with
//! for a problem, and the launch. The generator writes a prelude of `#define`s (tunables, sizes, hooks) and appends
//! [`Template::sources`]; `templates/README.md` lists the hooks.
//!
//! ```
//! use netcl_kernels::template::{Axis, Limits, Problem, matmul_cpu};
//!
//! let problem = Problem::new(128, 512, 784).contiguous(Axis::K, Axis::Outer);
//! let limits = Limits { local_bytes: 1 << 20, work_group: 4096, units: 2, lanes: 16, between_bytes: 1 << 30 };
//! let template = &matmul_cpu::TEMPLATE;
//! let choice = (template.initial)(&problem, &limits);
//! assert_eq!((template.legal)(&choice, &problem, &limits), Ok(()));
//! let source = template.source(&format!("{}{}", problem.defines(), choice.defines()));
//! let [x, y, z] = (template.grid)(&choice).global(problem.m, problem.n, problem.batch);
//! # assert!(source.contains("__kernel") && x * y * z >= 4);
//! ```

mod choice;
pub mod conv2d_cpu;
pub mod conv2d_implicit_gemm;
pub mod conv2d_naive;
pub mod conv2d_tiled_local;
mod launch;
pub mod matmul_cpu;
pub mod matmul_naive;
pub mod matmul_register;
pub mod matmul_tiled;
mod problem;

pub(crate) use choice::every_choice;
pub use choice::{Choice, Tunable};
pub use launch::{Columns, Grid};
pub use problem::{Axis, Limits, Matrix, Problem};

use crate::sorted::SortedSet;
use std::fmt::Write as _;

/// Every template, simplest first.
pub const ALL: &[&Template] = &[
    &matmul_naive::TEMPLATE,
    &matmul_tiled::TEMPLATE,
    &matmul_register::TEMPLATE,
    &matmul_cpu::TEMPLATE,
    &conv2d_naive::TEMPLATE,
    &conv2d_implicit_gemm::TEMPLATE,
    &conv2d_tiled_local::TEMPLATE,
    &conv2d_cpu::TEMPLATE,
];

/// A kernel template.
#[derive(Debug)]
pub struct Template {
    /// The stem of its file.
    pub name: &'static str,
    /// Texts that follow the prelude, in this order. The last one holds the kernel.
    pub sources: &'static [&'static str],
    /// What a tuner may vary.
    pub tunables: &'static [Tunable],
    /// Whether it computes convolutions, with a prelude by [`conv2d_implicit_gemm::Conv2d::defines`] in the place of
    /// [`Problem::defines`]; if not, matrix products.
    pub convolution: bool,
    /// Whether it was written for processors, and not for GPUs.
    pub for_processors: bool,
    /// Whether its work-items share local memory.
    pub local_memory: bool,
    /// Whether a choice may be built and launched; if not, why not.
    pub legal: fn(&Choice, &Problem, &Limits) -> Result<(), &'static str>,
    /// The choice to begin with, legal wherever one is.
    pub initial: fn(&Problem, &Limits) -> Choice,
    /// What else to begin a search with: the kernel computes the product in several ways, between which no single tunable
    /// leads.
    pub other_forms: fn(&Problem, &Limits) -> Vec<Choice>,
    /// The launch of a choice.
    pub grid: fn(&Choice) -> Grid,
    /// The columns that its launch covers.
    pub columns: fn(&Choice, &Problem) -> Columns,
    /// Local memory of a work-group, in bytes.
    pub local_bytes: fn(&Choice, &Problem) -> u64,
    /// Lanes of its vectors: what `VECTOR` is, in the load and store hooks that have it in their name; 1 if it uses none of
    /// them.
    pub lanes: fn(&Choice) -> u8,
    /// Whether it loads vectors of an operand that is computed, whose elements can be had as lanes along that axis.
    pub loads_vectors: fn(&Choice, Matrix, Axis) -> bool,
    /// Whether it copies elements of A that are computed before it uses them several times, and takes `A_COMPUTED` for that.
    pub copies_computed_a: bool,
}

impl Template {
    /// The whole program: `prelude`, then the template.
    pub fn source(&self, prelude: &str) -> String {
        let mut text = prelude.to_owned();
        for source in self.sources {
            text.push_str(source);
        }
        text
    }

    /// `#undef` for every macro that the template defines, for a program that holds it more than once.
    pub fn undefs(&self) -> String {
        let names: SortedSet<&str> = self
            .sources
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| line.strip_prefix("#define "))
            .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
            .collect();
        names.into_iter().fold(String::new(), |mut text, name| {
            let _ = writeln!(text, "#undef {name}");
            text
        })
    }

    /// The choice that the `.cl` file makes by itself.
    pub fn defaults(&self) -> Choice {
        self.tunables.iter().fold(Choice::default(), |mut choice, tunable| {
            choice.set(tunable.name, tunable.default);
            choice
        })
    }

    /// Every legal choice, in the order of the tunables' values.
    pub fn choices<'a>(&'a self, problem: &'a Problem, limits: &'a Limits) -> impl Iterator<Item = Choice> + 'a {
        every_choice(self.tunables).filter(|choice| (self.legal)(choice, problem, limits).is_ok())
    }
}

#[cfg(test)]
mod tests;
