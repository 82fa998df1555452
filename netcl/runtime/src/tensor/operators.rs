//! Rust's operators, of tensors that are owned or borrowed and of numbers; `&`, `|`, `^`, `<<`, `>>` and `!` are those of bits and of
//! truth values.

use crate::tensor::Tensor;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::panic::Location;

/// For each trait its function and the operation.
macro_rules! binary {
    ($($trait:ident $function:ident $method:ident),*) => {$(
        binary!($trait $function: Tensor, &Tensor, |own, other| Tensor::$method(&own, other));
        binary!($trait $function: &Tensor, Tensor, |own, other| Tensor::$method(own, &other));
        binary!($trait $function: Tensor, Tensor, |own, other| Tensor::$method(&own, &other));
        binary!($trait $function: &Tensor, &Tensor, |own, other| Tensor::$method(own, other));
        binary!($trait $function $method: f64, i32);
    )*};
    ($trait:ident $function:ident $method:ident: $($number:ty),*) => {$(
        binary!($trait $function: Tensor, $number, |own, other| Tensor::$method(&own, other));
        binary!($trait $function: &Tensor, $number, |own, other| Tensor::$method(own, other));
        binary!($trait $function: $number, Tensor, |own, other| {
            other.after_number(own.into(), stringify!($method), Location::caller())
        });
        binary!($trait $function: $number, &Tensor, |own, other| {
            other.after_number(own.into(), stringify!($method), Location::caller())
        });
    )*};
    ($trait:ident $function:ident: $own:ty, $other:ty, |$a:ident, $b:ident| $result:expr) => {
        /// The operation as a method; a number is one of the tensor's type.
        impl $trait<$other> for $own {
            type Output = Tensor;

            #[track_caller]
            fn $function(self, other: $other) -> Tensor {
                let ($a, $b) = (self, other);
                $result
            }
        }
    };
}

macro_rules! unary {
    ($($trait:ident $function:ident: $own:ty),*) => {$(
        impl $trait for $own {
            type Output = Tensor;

            #[track_caller]
            fn $function(self) -> Tensor {
                Tensor::$function(&self)
            }
        }
    )*};
}

binary!(Add add add, Sub sub sub, Mul mul mul, Div div div, Rem rem rem);
binary!(BitAnd bitand and, BitOr bitor or, BitXor bitxor xor, Shl shl shl, Shr shr shr);
unary!(Neg neg: Tensor, Neg neg: &Tensor, Not not: Tensor, Not not: &Tensor);
