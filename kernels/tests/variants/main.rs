//! Variants: what may be chosen compiles, is what is chosen, and is written down.

mod legality;
mod parts;

use netcl_kernels::compile::{Options, compile_with};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{ConvKind, Graph, ReduceOp};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::template::Axis;
use netcl_kernels::variant::{BatchNorm, Conv2dTask, Elementwise, Product, Reduction, Select, Task, typical};

const TARGETS: [Target; 2] = [Target::Cpu, Target::Gpu];

fn product(m: u64, n: u64, k: u64) -> Product<u64> {
    Product {
        m,
        n,
        k,
        batch: 1,
        a: Axis::K,
        b: Axis::Outer,
        aligned: k.is_multiple_of(4) && n.is_multiple_of(4),
        dtype: DType::F32,
    }
}

fn conv(kind: ConvKind) -> Conv2dTask<u64> {
    Conv2dTask {
        kind,
        images: 3,
        channels: 4,
        size: [9, 7],
        filter: [3, 3],
        out_channels: 6,
        stride: [1, 1],
        padding: [1, 1],
        dilation: [1, 1],
        groups: 1,
        dtype: DType::F32,
    }
}

/// Tasks of every family, awkward ones among them.
fn tasks() -> Vec<Task<u64>> {
    let mut tasks = Vec::new();
    for a in [Axis::K, Axis::Outer, Axis::None] {
        for b in [Axis::K, Axis::Outer, Axis::None] {
            tasks.push(Task::Product(Product { batch: 3, a, b, aligned: false, ..product(5, 20, 32) }));
        }
    }
    tasks.push(Task::Product(product(64, 64, 128)));
    tasks.push(Task::Product(product(1, 1, 1)));
    tasks.push(Task::Product(product(7, 3, 2000)));
    tasks.push(Task::Product(Product { dtype: DType::F16, ..product(64, 64, 32) }));
    tasks.push(Task::Product(Product { dtype: DType::F64, ..product(64, 64, 32) }));
    for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
        tasks.push(Task::Conv2d(conv(kind)));
        tasks.push(Task::Conv2d(Conv2dTask { stride: [2, 1], dilation: [1, 2], groups: 2, ..conv(kind) }));
        tasks.push(Task::Conv2d(Conv2dTask { filter: [1, 1], padding: [0, 0], ..conv(kind) }));
    }
    for elements in [1, 5000] {
        tasks.push(Task::Elementwise(Elementwise { elements, reads: 2, dtype: DType::F32 }));
    }
    for (rows, columns) in [(1, 100_000), (300, 10), (7, 1000)] {
        for contiguous in [true, false] {
            for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::ArgMax] {
                tasks.push(Task::Reduction(Reduction { rows, columns, contiguous, op, dtype: DType::F32 }));
            }
        }
    }
    for (images, channels, pixels) in [(4, 3, 25), (64, 32, 3136)] {
        tasks.push(Task::BatchNorm(BatchNorm { images, channels, pixels, dtype: DType::F32 }));
    }
    tasks
}

fn with(graph: &Graph, target: Target, select: &dyn Select) -> Plan {
    compile_with(graph, target, &Options { limits: typical(target), select }).unwrap()
}
