//! Which kernels compute a task: the order of answers, tuning, what happens to wrong kernels, and what later runs know.

mod answers;
mod runs;

use netcl::select::{Conv2dTask, ConvKind, KernelConfig, Product, Task, TuneOptions};
use netcl::{Axis, DType, Device, Target};
use std::time::Duration;

fn product(m: u64, n: u64, k: u64) -> Task<u64> {
    let (a, b, dtype) = (Axis::K, Axis::Outer, DType::F32);
    Task::Product(Product { m, n, k, batch: 1, a, b, aligned: true, dtype })
}

fn gpu() -> Device {
    Device::null(Target::Gpu, 1 << 30)
}

fn few(candidates: usize) -> TuneOptions<'static> {
    TuneOptions { candidates, budget: Duration::from_secs(60), ..TuneOptions::default() }
}

fn config(text: &str) -> KernelConfig {
    KernelConfig::parse(text).expect("a configuration")
}

fn conv(images: u64, channels: u64) -> Conv2dTask<u64> {
    Conv2dTask {
        kind: ConvKind::Forward,
        images,
        channels,
        size: [28; 2],
        filter: [3; 2],
        out_channels: 64,
        stride: [1; 2],
        padding: [1; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    }
}
