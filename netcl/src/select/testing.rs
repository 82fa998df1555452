//! Tasks and configurations for tests.

use super::records::Record;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::ConvKind;
use netcl_kernels::template::Axis;
use netcl_kernels::variant::{Conv2dTask, KernelConfig, Product, Task};

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
