//! `+`, `-`, `*`, `/` and the minus sign, of tensors that are owned or borrowed and of numbers.

use crate::tensor::Tensor;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::panic::Location;

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        operators!($trait $method: Tensor, &Tensor, |own, other| Tensor::$method(&own, &other));
        operators!($trait $method: &Tensor, Tensor, |own, other| Tensor::$method(&own, &other));
        operators!($trait $method: Tensor, Tensor, |own, other| Tensor::$method(&own, &other));
        operators!($trait $method: &Tensor, &Tensor, |own, other| Tensor::$method(&own, &other));
        operators!($trait $method: Tensor, f64, |own, other| Tensor::$method(&own, other));
        operators!($trait $method: &Tensor, f64, |own, other| Tensor::$method(own, other));
        operators!($trait $method: f64, Tensor, |own, other| {
            other.after_number(own, stringify!($method), Location::caller())
        });
        operators!($trait $method: f64, &Tensor, |own, other| {
            other.after_number(own, stringify!($method), Location::caller())
        });
    )*};
    ($trait:ident $method:ident: $own:ty, $other:ty, |$a:ident, $b:ident| $result:expr) => {
        /// The method of the same name; a number is one of the tensor's type.
        impl $trait<$other> for $own {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, other: $other) -> Tensor {
                let ($a, $b) = (self, other);
                $result
            }
        }
    };
}

operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Tensor {
    type Output = Tensor;

    #[track_caller]
    fn neg(self) -> Tensor {
        Tensor::neg(&self)
    }
}

impl Neg for &Tensor {
    type Output = Tensor;

    #[track_caller]
    fn neg(self) -> Tensor {
        Tensor::neg(self)
    }
}
