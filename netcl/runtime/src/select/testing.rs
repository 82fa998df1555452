//! Tasks and configurations for tests.

use super::records::Record;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{AttentionKind, ConvKind, ReduceOp};
use netcl_kernels::template::Axis;
use netcl_kernels::variant::{
    AttentionTask, BatchNorm, Conv2dTask, Elementwise, KernelConfig, Product, Recurrence, Reduction, Task,
};

pub(crate) fn product(m: u64, n: u64, k: u64) -> Task<u64> {
    let (a, b, dtype) = (Axis::K, Axis::Outer, DType::F32);
    Task::Product(Product { m, n, k, batch: 1, a, b, aligned: true, dtype })
}

/// Of square images, 8 channels out, a square filter, stride 1.
pub(crate) fn conv(images: u64, channels: u64, size: u64, filter: u64) -> Task<u64> {
    Task::Conv2d(Conv2dTask {
        kind: ConvKind::Forward,
        images,
        channels,
        size: [size; 2],
        filter: [filter; 2],
        out_channels: 8,
        stride: [1; 2],
        padding: [filter / 2; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    })
}

pub(crate) fn config(text: &str) -> KernelConfig {
    KernelConfig::parse(text).expect("a configuration's text")
}

pub(crate) fn record(task: &Task<u64>, config: &KernelConfig) -> Record {
    Record {
        task: task.clone(),
        config: config.clone(),
        nanoseconds: 1000,
        default_nanoseconds: Some(2000),
        candidates: 7,
        measured: 1,
    }
}

/// Large tasks of every class that variants and their self-tests tell apart.
pub(crate) fn tasks() -> Vec<Task<u64>> {
    let mut tasks = Vec::new();
    let Task::Product(dense) = product(512, 512, 4096) else { unreachable!() };
    for (a, b) in [(Axis::K, Axis::Outer), (Axis::K, Axis::K), (Axis::Outer, Axis::Outer), (Axis::None, Axis::K)] {
        for (aligned, dtype) in [(true, DType::F32), (false, DType::F32), (true, DType::BF16)] {
            tasks.push(Task::Product(Product { a, b, aligned, dtype, ..dense.clone() }));
        }
    }
    let Task::Conv2d(own) = conv(128, 64, 28, 3) else { unreachable!() };
    for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
        for (groups, out_channels) in [(1, 64), (2, 64), (64, 64)] {
            tasks.push(Task::Conv2d(Conv2dTask { kind, groups, out_channels, ..own.clone() }));
        }
        // Windows that are not one pixel apart, without padding, with holes, and all of it.
        for (stride, padding, dilation, groups) in [
            ([2; 2], [1; 2], [1; 2], 1),
            ([1; 2], [0; 2], [1; 2], 1),
            ([1; 2], [0, 2], [1, 2], 1),
            ([2, 1], [1; 2], [2; 2], 2),
        ] {
            tasks.push(Task::Conv2d(Conv2dTask { kind, stride, padding, dilation, groups, ..own.clone() }));
        }
    }
    for dtype in [DType::F32, DType::BF16, DType::I32] {
        tasks.push(Task::Elementwise(Elementwise { elements: 1 << 20, reads: 2, dtype }));
        for op in ReduceOp::ALL {
            for contiguous in [true, false] {
                tasks.push(Task::Reduction(Reduction { rows: 4, columns: 1 << 20, contiguous, op, dtype }));
            }
        }
    }
    tasks.push(Task::BatchNorm(BatchNorm { images: 64, channels: 8, pixels: 3136, dtype: DType::F32 }));
    tasks.push(Task::Recurrence(Recurrence { rows: 64, width: 128, rounds: 100, dtype: DType::F32 }));
    let (queries, keys, width, value_width) = (1024, 1024, 64, 64);
    for kind in AttentionKind::ALL {
        let (causal, dtype) = (true, DType::BF16);
        tasks.push(Task::Attention(AttentionTask {
            kind,
            batch: 12,
            queries,
            keys,
            width,
            value_width,
            causal,
            dtype,
        }));
    }
    tasks
}
