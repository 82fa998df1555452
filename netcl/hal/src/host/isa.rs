//! What native kernels are compiled for.

use netcl_kernels::scalar::{self, Baseline};

/// What native kernels are compiled for. Sealed: code for a processor that has AVX2 runs where `multiversion` has found it.
pub trait Isa: scalar::Isa + sealed::Sealed {
    /// Whether there are AVX2's operations.
    const AVX2: bool;
}

impl Isa for Baseline {
    const AVX2: bool = cfg!(all(target_arch = "x86_64", target_feature = "avx2"));
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for netcl_kernels::scalar::Baseline {}
    #[cfg(target_arch = "x86_64")]
    impl Sealed for super::Avx2 {}
}

/// A processor with AVX2 and fused multiply-add. Only the host names it: its code runs where `multiversion` has found them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl scalar::Isa for Avx2 {
    const FMA: bool = true;
}

#[cfg(target_arch = "x86_64")]
impl Isa for Avx2 {
    const AVX2: bool = true;
}
