//! Variants: what may be chosen compiles, is what is chosen, and is written down. That each candidate of each task does is in
//! `tests/cases/variants.rs`.

mod legality;
mod parts;
mod tensor_maps;

use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::IndexWidth;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::variant::{Select, typical};

const TARGETS: [Target; 2] = [Target::Cpu, Target::Gpu];

fn with(graph: &Graph, target: Target, select: &dyn Select) -> Plan {
    compile_with(graph, target, &CompileOptions { limits: typical(target), select, width: IndexWidth::Narrow }).unwrap()
}
