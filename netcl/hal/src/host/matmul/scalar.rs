//! Element types of products, and the scratch memory of each.

use gemm_common::Parallelism;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use std::cell::RefCell;

/// Element types of products; what they do beyond `Copy` is private to the host device.
pub(crate) trait Scalar: Copy + Send + Sync + Default + std::fmt::Debug + 'static {
    /// The type in which they are multiplied and added: `f32`, or `f64` for itself.
    type Wide: Real;

    /// The slice itself where storage and arithmetic are one type; `None` where it must be converted.
    fn as_wide(data: &[Self]) -> Option<&[Self::Wide]>;

    /// As [`Scalar::as_wide`].
    fn as_wide_mut(data: &mut [Self]) -> Option<&mut [Self::Wide]>;

    /// Converts exactly; both of one length.
    fn widen(from: &[Self], to: &mut [Self::Wide]);

    /// Rounds each to nearest, ties to even; both of one length.
    fn narrow(from: &[Self::Wide], to: &mut [Self]);
}

/// The library's product `c = α·c + β·a·b` (`α·c` only where asked for): m, n, k; `c` with its strides from column to
/// column and from row to row, and whether it is read; `a` and `b` likewise; α; β; three conjugations; threads. It is
/// made for results whose columns are contiguous.
pub(super) type GemmFn<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// `f32` and `f64`, the types of which the library makes products.
pub(crate) trait Real:
    Scalar<Wide = Self>
    + PartialEq
    + std::ops::AddAssign
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// Whether this is a number, and no infinity.
    fn is_finite(self) -> bool;

    /// The library's product for this processor.
    fn product() -> GemmFn<Self>;

    /// Lends `len` elements of this thread's scratch memory, contents unspecified. Nested loans are separate memory.
    fn scratch<R>(len: usize, body: impl FnOnce(&mut [Self]) -> R) -> R;
}

/// Scratch memory that a thread keeps between calls, in bytes; longer pieces are given back.
const KEPT_BYTES: usize = 64 << 20;

macro_rules! real {
    ($ty:ident, $library:ident) => {
        impl Scalar for $ty {
            type Wide = $ty;
            fn as_wide(data: &[$ty]) -> Option<&[$ty]> {
                Some(data)
            }
            fn as_wide_mut(data: &mut [$ty]) -> Option<&mut [$ty]> {
                Some(data)
            }
            fn widen(from: &[$ty], to: &mut [$ty]) {
                to.copy_from_slice(from);
            }
            fn narrow(from: &[$ty], to: &mut [$ty]) {
                to.copy_from_slice(from);
            }
        }

        impl Real for $ty {
            const ZERO: $ty = 0.0;
            const ONE: $ty = 1.0;

            fn is_finite(self) -> bool {
                <$ty>::is_finite(self)
            }

            fn product() -> GemmFn<$ty> {
                $library::gemm::$ty::get_gemm_fn()
            }

            fn scratch<R>(len: usize, body: impl FnOnce(&mut [$ty]) -> R) -> R {
                thread_local! {
                    static POOL: RefCell<Vec<Vec<$ty>>> = const { RefCell::new(Vec::new()) };
                }
                // The longest piece is taken out of the pool for the loan: a thread that waits in rayon may start
                // another task that borrows as well.
                let longest = |pool: &mut Vec<Vec<$ty>>| {
                    let (at, _) = pool.iter().enumerate().max_by_key(|(_, piece)| piece.len())?;
                    Some(pool.swap_remove(at))
                };
                // A thread that is ending keeps nothing.
                let kept = POOL.try_with(|pool| longest(&mut pool.borrow_mut()));
                let mut piece = kept.ok().flatten().unwrap_or_default();
                if piece.len() < len {
                    piece.resize(len, 0.0);
                }
                let result = body(&mut piece[..len]);
                if size_of_val(piece.as_slice()) <= KEPT_BYTES {
                    let _ = POOL.try_with(|pool| pool.borrow_mut().push(piece));
                }
                result
            }
        }
    };
}
real!(f32, gemm_f32);
real!(f64, gemm_f64);

macro_rules! half_precision {
    ($ty:ident) => {
        impl Scalar for $ty {
            type Wide = f32;
            fn as_wide(_: &[$ty]) -> Option<&[f32]> {
                None
            }
            fn as_wide_mut(_: &mut [$ty]) -> Option<&mut [f32]> {
                None
            }
            fn widen(from: &[$ty], to: &mut [f32]) {
                from.convert_to_f32_slice(to);
            }
            fn narrow(from: &[f32], to: &mut [$ty]) {
                to.convert_from_f32_slice(from);
            }
        }
    };
}
half_precision!(f16);
half_precision!(bf16);
