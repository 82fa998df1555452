//! One kernel, several processors. What the interpreter computes is compiled for the widest registers that x86-64 has, for AVX2,
//! and for the target's baseline, and the running processor chooses. Native kernels are compiled in the user's crate, where each
//! instruction set costs as much time again: for AVX2, and for AVX-512 where a kernel does more arithmetic than it moves memory.
//!
//! By hand, and not `multiversion` or `pulp`: a few functions, generic over what they run, without a macro in every build.

#![allow(unsafe_code, reason = "functions compiled for a processor feature are called where it was found")]

#[cfg(target_arch = "x86_64")]
use super::isa::Avx2;
use super::native::{Args, NativeKernel};
use netcl_kernels::kir::interp::Engine;
use netcl_kernels::kir::interp::ops::{Operation, baseline, compute};
#[cfg(not(target_arch = "x86_64"))]
use netcl_kernels::scalar::Baseline;
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use netcl_kernels::scalar::Fused;

/// What the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IsaLevel {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Baseline,
}

/// Found once by the standard library, then a load and a test.
#[inline]
fn level() -> IsaLevel {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw") && has!("avx2") && has!("fma") {
            return IsaLevel::Avx512;
        }
        if has!("avx2") && has!("fma") {
            return IsaLevel::Avx2;
        }
    }
    IsaLevel::Baseline
}

/// Whether this processor can run what the macros had compiled. Those of x86-64 that have no AVX2 are so few that they are left to the
/// interpreter: code for them would be a third of every user's build.
pub(super) fn has_native() -> bool {
    !cfg!(target_arch = "x86_64") || level() != IsaLevel::Baseline
}

/// A native kernel for each instruction set. Methods of the kernel: rustc puts those where the kernel is, and gives LLVM several
/// modules at once. Functions that are generic over the kernel are one module, however many kernels there are.
#[cfg(target_arch = "x86_64")]
trait Versions: NativeKernel {
    /// # Safety
    ///
    /// The processor has the features.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn run_avx2(args: &Args<'_>, items: Range<usize>) {
        Self::run::<Avx2>(args, items);
    }

    /// # Safety
    ///
    /// The processor has the features.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    unsafe fn run_avx512(args: &Args<'_>, items: Range<usize>) {
        Self::run::<Avx2>(args, items);
    }
}

#[cfg(target_arch = "x86_64")]
impl<K: NativeKernel> Versions for K {}

/// Runs a native kernel's work-items where [`has_native`] is true.
#[cfg(target_arch = "x86_64")]
pub(super) fn run<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    if level() != IsaLevel::Baseline {
        // SAFETY: `level` has found the features.
        unsafe { K::run_avx2(args, items) }
    }
}

/// As [`run`], also compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) fn run_wide<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    match level() {
        // SAFETY: `level` has found the features.
        IsaLevel::Avx512 => unsafe { K::run_avx512(args, items) },
        // SAFETY: `level` has found the features.
        IsaLevel::Avx2 => unsafe { K::run_avx2(args, items) },
        IsaLevel::Baseline => {}
    }
}

/// Runs a native kernel's work-items.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn run<K: NativeKernel>(args: &Args<'_>, items: Range<usize>) {
    K::run::<Baseline>(args, items);
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use run as run_wide;

/// The interpreter's arithmetic, compiled for this processor.
pub fn engine() -> Engine {
    match level() {
        #[cfg(target_arch = "x86_64")]
        IsaLevel::Avx512 => {
            // SAFETY: `level` has found the features.
            |operation| unsafe { compute_avx512(operation) }
        }
        #[cfg(target_arch = "x86_64")]
        IsaLevel::Avx2 => {
            // SAFETY: `level` has found the features.
            |operation| unsafe { compute_avx2(operation) }
        }
        IsaLevel::Baseline => baseline,
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
