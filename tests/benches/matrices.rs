//! Decompositions of small matrices, few and many, and Fourier transforms. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench matrices -- [--device SELECTOR] [--most 64]`. Medians; nothing here is a test. `--most` is the
//! largest matrix.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl_tests::option;
use std::time::Instant;

const REPETITIONS: usize = 5;

/// Milliseconds of what is computed when the first time is over, in which programs are built.
fn time(device: &Device, work: impl Fn() -> Tensor) -> netcl::Result<f64> {
    let mut times = Vec::with_capacity(REPETITIONS);
    for round in 0..=REPETITIONS {
        let start = Instant::now();
        let result = work().eval()?;
        device.finish()?;
        if round > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        drop(result);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPETITIONS / 2])
}

/// Numbers between -1 and 1 that are no wave.
fn drawn(device: &Device, shape: &[usize]) -> netcl::Result<Tensor> {
    let count: usize = shape.iter().product();
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) ^ (i >> 7).wrapping_mul(40_503)) as f32 * 2f32.powi(-31) - 1.0;
    Tensor::from_slice(device, &(0..count as u32).map(value).collect::<Vec<f32>>(), shape)
}

fn main() -> netcl::Result<()> {
    let device = option("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    let most: usize = option("--most").and_then(|text| text.parse().ok()).unwrap_or(64);
    println!(r#"{{"device":"{device}"}}"#);
    for n in [4, 8, 16, 32, 64].into_iter().filter(|n| *n <= most) {
        for count in [1, 32, 1024] {
            let x = drawn(&device, &[count, n, n])?;
            let definite = (x.matmul(x.t()) + Tensor::eye(&device, n, DType::F32)?).eval()?;
            let cases: [(&str, &dyn Fn() -> Tensor); 7] = [
                ("matmul", &|| x.matmul(&x)),
                ("cholesky", &|| definite.cholesky()),
                ("solve_triangular", &|| definite.solve_triangular(&x, false)),
                ("solve", &|| definite.solve(&x)),
                ("qr_r", &|| x.qr_r()),
                ("eigvalsh", &|| definite.eigvalsh()),
                ("svdvals", &|| x.svdvals()),
            ];
            for (what, work) in cases {
                println!(r#"{{"what":"{what}","n":{n},"count":{count},"ms":{:.3}}}"#, time(&device, work)?);
            }
        }
    }
    for shape in [[1024, 1024], [16, 1 << 16], [1, 1 << 20], [64, 1009]] {
        let x = drawn(&device, &[shape[0], shape[1], 2])?;
        let ms = time(&device, || x.fft(1))?;
        println!(r#"{{"what":"fft","rows":{},"n":{},"ms":{ms:.3}}}"#, shape[0], shape[1]);
    }
    Ok(())
}
