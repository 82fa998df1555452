//! One kernel, several processors: code is compiled for the widest registers that x86-64 has, for AVX2, and for the
//! target's baseline, and the running processor chooses.
//!
//! By hand, and not `multiversion` or `pulp`: three functions, generic over what they run, without a macro in every build.

#![allow(unsafe_code, reason = "functions compiled for a processor feature are called where it was found")]

use super::native::{Args, NativeKernel};
use netcl_kernels::kir::interp::Engine;
use netcl_kernels::kir::interp::ops::{Operation, baseline, compute};
use netcl_kernels::scalar::Baseline;
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use netcl_kernels::scalar::Fused;

/// What the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Baseline,
}

/// Found once by the standard library, then a load and a test.
#[inline]
fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw") && has!("avx2") && has!("fma") {
            return Level::Avx512;
        }
        if has!("avx2") && has!("fma") {
            return Level::Avx2;
        }
    }
    Level::Baseline
}

/// Runs a native kernel's work-items.
pub(super) fn run<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `level` has found the features.
        Level::Avx512 => unsafe { run_avx512::<K>(args, items) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `level` has found the features.
        Level::Avx2 => unsafe { run_avx2::<K>(args, items) },
        Level::Baseline => K::run::<Baseline>(args, items),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn run_avx512<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    K::run::<Fused>(args, items);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    K::run::<Fused>(args, items);
}

/// The interpreter's arithmetic, compiled for this processor.
pub fn engine() -> Engine {
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: `level` has found the features.
            |operation| unsafe { compute_avx512(operation) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `level` has found the features.
            |operation| unsafe { compute_avx2(operation) }
        }
        Level::Baseline => baseline,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn compute_avx512(operation: Operation<'_>) {
    compute::<Fused>(operation);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn compute_avx2(operation: Operation<'_>) {
    compute::<Fused>(operation);
}
