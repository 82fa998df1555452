//! The names that SIMT-form kernels use, as Rust types and functions.
//!
//! `kernel!` compiles such a kernel's tokens itself; the same tokens also stand in a function over what is here, which
//! nobody calls, so that rustc checks their types and its messages point at them. Nothing here computes anything.
//!
//! | names | meaning |
//! |---|---|
//! | `global_id(d)`, `local_id(d)`, `group_id(d)`, `global_size(d)`, `local_size(d)`, `num_groups(d)` | the index space, `d` = 0, 1 or 2 |
//! | `barrier()`, `global_barrier()` | all items of the group meet; the second also orders global memory |
//! | `local!([f32; 64])`, `private!([f32; 4])` | arrays that start as zeros: one for the group, one for each item |
//! | `sub_group_lane()`, `sub_group_size()`, `sub_group_id()`, `sub_group_add(v)`, `.._max`, `.._min`, `sub_group_broadcast(v, lane)`, `sub_group_shuffle_xor(v, mask)` | sub-groups |
//! | `atomic_add(&mut y[i], v)`, `.._max`, `.._min`, `.._and`, `.._or`, `.._xor`, `.._exchange` | atomics; the value is what the element was before |
//! | `x.load4(i)`, `y.store4(i, v)`, `splat4(v)`, `v.lane(0)`, `sum_lanes(v)`, .. | vectors of 2, 4, 8 or 16: elements `i` to `i + 3`, whose positions count elements, not vectors |
//! | `let w = [a, b, c];`, `[a; 4]`, `w[0]`, `for v in w { .. }`, `for &v in &w { .. }` | lists as long as the text says: loops over them are unrolled, elements named by constants |
//! | `exp(x)`, `ln(x)`, `max(a, b)`, `powi(x, 3)`, `select(c, a, b)`, .. | functions of numbers and, as far as netcl has them itself, lane by lane of vectors |
//! | `x.exp()`, `x.ln()`, `a.max(b)`, `x.powi(3)`, `x.is_nan()`, .. | the same as methods, by Rust's names and netcl's |
//!
//! # Methods
//!
//! Numbers have Rust's own methods, as far as netcl has the function: `ln`, `powf`, `powi`, `ln_1p`, `exp_m1`, `clamp`,
//! `mul_add`, `signum`, `round_ties_even`, `is_nan`, `is_finite`, those whose name is netcl's too, such as `sqrt`, and those
//! that netcl composes (`trunc`, `log10`, `asinh`, `hypot`, `sin_cos`, `rem_euclid`; all of them are in `docs/operations.md`).
//! `rsqrt`, `erf`, `log1p`, `expm1` and `sign`, which Rust's numbers lack, come with [`Functions`] and [`Signs`]. netcl's `log`
//! is a function alone: Rust's method of that name takes a base, so write `log(x)`, `x.ln()` or `x.log(base)`. Vectors of floats have all of
//! netcl's functions as methods, and `ln`, `powf`, `ln_1p`, `exp_m1`, `powi`, `mul_add`; `max`, `min`, `abs` and `sign` are
//! there for whole numbers as well.
//!
//! `max` and `min` are NaN where either side is, and `round` rounds halves to even, as everywhere in netcl. In a
//! `#[netcl::function]`, which is Rust as well, they are Rust's.
//!
//! # Where Rust would panic
//!
//! No work-item can stop. An index outside reads zero and writes nothing (unless the launch says `unchecked`, which makes the kernel an `unsafe fn`), and
//! `step_by(s)` with an `s` that turns out to be 0 counts by 1.
//!
//! # Half precision
//!
//! `f16` and `bf16` store, in tensors and in arrays; what is read is an `f32`. With `#[types(T = [f32, f16])]` the text
//! `let v: T = x[i]` declares an `f32` in both kernels, a scalar argument `a: T` is an `f32`, and `v as T` rounds.
#![allow(missing_docs, reason = "the table above says what the names mean; the rest is types")]
#![allow(non_camel_case_types, reason = "element types are written as Rust writes its own")]

use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// An element type: what is stored, and what a kernel computes with.
pub trait Element {
    /// `f32` for the half-precision types, else the type itself.
    type Value: Copy + Default;
}

/// Stored in half precision.
#[derive(Clone, Copy, Debug)]
pub struct f16;
/// Stored as bfloat16.
#[derive(Clone, Copy, Debug)]
pub struct bf16;

/// A number.
pub trait Number: Copy {}
/// A floating-point number.
pub trait Float: Number {}
/// What [`sub_group_add`] and its like take.
pub trait Lane: Number {}

macro_rules! elements {
    ($($ty:ty => $value:ty),*) => { $(impl Element for $ty { type Value = $value; })* };
}
elements!(f32 => f32, f64 => f64, i32 => i32, u32 => u32, i64 => i64, u8 => u8, bool => bool, f16 => f32, bf16 => f32);
macro_rules! mark {
    ($name:ident: $($ty:ty),*) => { $(impl $name for $ty {})* };
}
mark!(Number: f32, f64, i32, u32, i64, u8);
mark!(Float: f32, f64);
mark!(Lane: f32, f64, i32, u32, i64);

/// A tensor's elements, row-major; `x[i]` counts elements, `x[r, c]` takes an index for each axis.
#[derive(Debug)]
pub struct Buffer<T: Element>(T::Value);

/// A local or private array.
#[derive(Debug)]
pub struct Array<T: Element>(T::Value);

/// An array of two axes: `tile[r, c]`, `tile[r][c]`.
#[allow(missing_debug_implementations, reason = "nobody has one")]
pub struct Rows<T: Element>(Array<T>);

/// An array of three axes.
#[allow(missing_debug_implementations, reason = "nobody has one")]
pub struct Pages<T: Element>(Rows<T>);

macro_rules! index {
    ($of:ident: $($by:ty),*) => { $(
        impl<T: Element> Index<$by> for $of<T> {
            type Output = T::Value;
            fn index(&self, _: $by) -> &T::Value { &self.0 }
        }
        impl<T: Element> IndexMut<$by> for $of<T> {
            fn index_mut(&mut self, _: $by) -> &mut T::Value { &mut self.0 }
        }
    )* };
}
index!(Buffer: u32, (u32, u32), (u32, u32, u32), (u32, u32, u32, u32));
index!(Array: u32);

macro_rules! inner {
    ($of:ident: $($by:ty => $inner:ty, |$whole:ident| $part:expr;)*) => { $(
        impl<T: Element> Index<$by> for $of<T> {
            type Output = $inner;
            fn index(&self, _: $by) -> &$inner {
                let $whole = self;
                &$part
            }
        }
        impl<T: Element> IndexMut<$by> for $of<T> {
            fn index_mut(&mut self, _: $by) -> &mut $inner {
                let $whole = self;
                &mut $part
            }
        }
    )* };
}
inner!(Rows: u32 => Array<T>, |rows| rows.0; (u32, u32) => T::Value, |rows| rows.0.0;);
inner!(Pages:
    u32 => Rows<T>, |pages| pages.0;
    (u32, u32) => Array<T>, |pages| pages.0.0;
    (u32, u32, u32) => T::Value, |pages| pages.0.0.0;
);

/// `N` values of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Vector<T, const N: usize>(T);

impl<T: Copy, const N: usize> Vector<T, N> {
    pub fn lane(self, _lane: u32) -> T {
        self.0
    }

    pub fn mul_add(self, _factor: Self, _term: Self) -> Self {
        self
    }
}

/// Functions of floats that Rust's own lack as methods.
pub trait Functions: Float {
    fn rsqrt(self) -> Self {
        self
    }
    fn erf(self) -> Self {
        self
    }
    fn log1p(self) -> Self {
        self
    }
    fn expm1(self) -> Self {
        self
    }
}

impl<T: Float> Functions for T {}

/// The sign of a number: -1, 0 or 1.
pub trait Signs: Number {
    fn sign(self) -> Self {
        self
    }
}

impl<T: Number> Signs for T {}

macro_rules! methods {
    ($bound:ident: $($name:ident($($arg:ident: $of:ty),*)),*) => {
        impl<T: $bound, const N: usize> Vector<T, N> {
            $(pub fn $name(self, $($arg: $of),*) -> Self { self })*
        }
    };
}
methods!(Number: abs(), max(_other: Self), min(_other: Self));
methods!(Float: exp(), exp2(), log(), log2(), sqrt(), sin(), cos(), tan(), tanh(), floor(), ceil(), round(), recip(),
    ln(), ln_1p(), exp_m1(), round_ties_even(), signum(), pow(_exponent: Self), powf(_exponent: Self), powi(_exponent: i32),
    atan2(_x: Self));

impl<T: Number, const N: usize> Number for Vector<T, N> {}
impl<T: Float, const N: usize> Float for Vector<T, N> {}

macro_rules! operators {
    ($($op:ident $method:ident),*) => { $(
        impl<T: Number, const N: usize> $op for Vector<T, N> {
            type Output = Self;
            fn $method(self, _: Self) -> Self { self }
        }
    )* };
}
operators!(Add add, Sub sub, Mul mul, Div div);

macro_rules! assignments {
    ($($op:ident $method:ident),*) => { $(
        impl<T: Number, const N: usize> $op for Vector<T, N> {
            fn $method(&mut self, _: Self) {}
        }
    )* };
}
assignments!(AddAssign add_assign, SubAssign sub_assign, MulAssign mul_assign, DivAssign div_assign);

impl<T: Number, const N: usize> Neg for Vector<T, N> {
    type Output = Self;
    fn neg(self) -> Self {
        self
    }
}

macro_rules! vectors {
    ($($lanes:literal $load:ident $store:ident $splat:ident [$($element:ident $vector:ident),*];)*) => { $(
        impl<T: Element> Buffer<T> {
            pub fn $load(&self, _first: u32) -> Vector<T::Value, $lanes> { Vector(self.0) }
            pub fn $store(&mut self, _first: u32, values: Vector<T::Value, $lanes>) { self.0 = values.0; }
        }
        pub fn $splat<T: Copy>(value: T) -> Vector<T, $lanes> { Vector(value) }
        $(pub type $vector = Vector<$element, $lanes>;)*
    )* };
}
vectors! {
    2 load2 store2 splat2 [f32 f32x2, f64 f64x2, i32 i32x2, u32 u32x2, i64 i64x2, u8 u8x2, bool boolx2];
    4 load4 store4 splat4 [f32 f32x4, f64 f64x4, i32 i32x4, u32 u32x4, i64 i64x4, u8 u8x4, bool boolx4];
    8 load8 store8 splat8 [f32 f32x8, f64 f64x8, i32 i32x8, u32 u32x8, i64 i64x8, u8 u8x8, bool boolx8];
    16 load16 store16 splat16 [f32 f32x16, f64 f64x16, i32 i32x16, u32 u32x16, i64 i64x16, u8 u8x16, bool boolx16];
}

macro_rules! horizontal {
    ($($name:ident),*) => { $(pub fn $name<T: Copy, const N: usize>(values: Vector<T, N>) -> T { values.0 })* };
}
horizontal!(sum_lanes, prod_lanes, max_lanes, min_lanes);

macro_rules! index_space {
    ($($name:ident),*) => { $(pub fn $name(_dimension: u32) -> u32 { 0 })* };
}
index_space!(global_id, local_id, group_id, global_size, local_size, num_groups);

macro_rules! lanes {
    ($($name:ident),*) => { $(pub fn $name() -> u32 { 0 })* };
}
lanes!(sub_group_lane, sub_group_size, sub_group_id);

/// The value of a symbolic dimension.
#[doc(hidden)]
pub fn size() -> u32 {
    0
}

pub fn barrier() {}
pub fn global_barrier() {}

macro_rules! across {
    ($($name:ident($($arg:ident),*)),*) => { $(pub fn $name<T: Lane>(value: T, $($arg: u32),*) -> T { value })* };
}
across!(sub_group_add(), sub_group_max(), sub_group_min(), sub_group_broadcast(_lane), sub_group_shuffle_xor(_mask));

macro_rules! atomics {
    ($($name:ident),*) => { $(pub fn $name<T: Number>(place: &mut T, _value: T) -> T { *place })* };
}
atomics!(atomic_add, atomic_max, atomic_min, atomic_and, atomic_or, atomic_xor, atomic_exchange);

macro_rules! of_one {
    ($bound:ident: $($name:ident),*) => { $(pub fn $name<T: $bound>(x: T) -> T { x })* };
}
of_one!(Float: exp, exp2, log, log2, log1p, expm1, sqrt, rsqrt, sin, cos, tan, tanh, erf, floor, ceil, round, recip);
of_one!(Float: ln, ln_1p, exp_m1, round_ties_even, trunc, fract, log10, sinh, cosh, asin, acos, atan, asinh, acosh, atanh,
    to_degrees, to_radians, cbrt);
of_one!(Number: neg, abs, sign, signum);

macro_rules! of_two {
    ($bound:ident: $($name:ident),*) => { $(pub fn $name<T: $bound>(x: T, _y: T) -> T { x })* };
}
of_two!(Number: add, sub, mul, div, rem, max, min);
of_two!(Number: rem_euclid, div_euclid);
of_two!(Float: pow, powf, atan2, hypot, copysign);

macro_rules! tests {
    ($($name:ident),*) => { $(pub fn $name<T: Float>(_x: T) -> bool { false })* };
}
tests!(is_nan, is_finite, is_infinite, is_sign_negative, is_sign_positive);

pub fn powi<T: Float>(x: T, _exponent: i32) -> T {
    x
}

pub fn clamp<T: Number>(x: T, _low: T, _high: T) -> T {
    x
}

pub fn mul_add<T: Float>(x: T, _factor: T, _term: T) -> T {
    x
}

pub fn sin_cos<T: Float>(x: T) -> (T, T) {
    (x, x)
}

/// `condition ? then : otherwise`.
pub fn select<T>(condition: bool, then: T, otherwise: T) -> T {
    if condition { then } else { otherwise }
}

#[doc(hidden)]
pub fn array<T: Element>() -> Array<T> {
    Array(T::Value::default())
}

#[doc(hidden)]
pub fn rows<T: Element>() -> Rows<T> {
    Rows(array())
}

#[doc(hidden)]
pub fn pages<T: Element>() -> Pages<T> {
    Pages(rows())
}

#[doc(hidden)]
#[macro_export]
macro_rules! __netcl_array {
    ([[[$ty:ty; $length:expr]; $rows:expr]; $pages:expr]) => {
        $crate::simt::pages::<$ty>()
    };
    ([[$ty:ty; $length:expr]; $rows:expr]) => {
        $crate::simt::rows::<$ty>()
    };
    ([$ty:ty; $length:expr]) => {
        $crate::simt::array::<$ty>()
    };
}

/// An array of the work-group: `local!([f32; 64])`. It starts as zeros, on every device: before anything else the items of the
/// group write them together, and meet. It is one array, also where the `let` stands in a loop: no round makes it new.
#[doc(inline)]
pub use crate::__netcl_array as local;
/// An array of the work-item: `private!([f32; 4])`. It starts as zeros, on every device, wherever its `let` is met: in a loop in
/// each round.
#[doc(inline)]
pub use crate::__netcl_array as private;
