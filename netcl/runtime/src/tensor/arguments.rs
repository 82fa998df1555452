//! What methods of tensors take: tensors and numbers, axes and sizes, as they are at hand.

use crate::tensor::{Operand, Tensor};
use netcl_kernels::ops::{self, Operation};
use std::sync::OnceLock;

/// An operand: a tensor, or a number, which counts as one of the tensor's type.
pub trait AsOperand {
    /// As an argument of [`Tensor::apply`].
    fn as_operand(&self) -> Operand<'_>;
}

impl AsOperand for Tensor {
    fn as_operand(&self) -> Operand<'_> {
        Operand::Tensor(self)
    }
}

impl<T: AsOperand + ?Sized> AsOperand for &T {
    fn as_operand(&self) -> Operand<'_> {
        (*self).as_operand()
    }
}

/// A number: whole ones keep all their digits.
pub trait AsNumber: AsOperand {}

macro_rules! numbers {
    ($($type:ty: $variant:ident),*) => {$(
        impl AsOperand for $type {
            fn as_operand(&self) -> Operand<'_> {
                Operand::$variant((*self).into())
            }
        }

        impl AsNumber for $type {}
    )*};
}

numbers!(f64: Number, f32: Number, i64: Integer, i32: Integer, u32: Integer, u8: Integer, bool: Bool);

/// An axis or a size. What no 64 bits with a sign hold is larger than any tensor, as their largest number is.
pub trait AsInteger {
    /// As a number of 64 bits.
    fn as_integer(&self) -> i64;
}

/// Axes or sizes; one is a list of one.
pub trait AsIntegers {
    /// As numbers of 64 bits.
    fn as_integers(&self) -> Vec<i64>;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl AsInteger for $type {
            fn as_integer(&self) -> i64 {
                i64::try_from(*self).unwrap_or(i64::MAX)
            }
        }

        impl AsIntegers for $type {
            fn as_integers(&self) -> Vec<i64> {
                vec![self.as_integer()]
            }
        }
    )*};
}

integers!(i64, i32, u32, usize);

impl<T: AsInteger> AsIntegers for [T] {
    fn as_integers(&self) -> Vec<i64> {
        self.iter().map(AsInteger::as_integer).collect()
    }
}

impl<T: AsInteger, const N: usize> AsIntegers for [T; N] {
    fn as_integers(&self) -> Vec<i64> {
        self.as_slice().as_integers()
    }
}

impl<T: AsInteger> AsIntegers for Vec<T> {
    fn as_integers(&self) -> Vec<i64> {
        self.as_slice().as_integers()
    }
}

impl<T: AsIntegers + ?Sized> AsIntegers for &T {
    fn as_integers(&self) -> Vec<i64> {
        (*self).as_integers()
    }
}

/// Several tensors, owned or borrowed; one is a list of one.
pub trait AsTensors {
    /// As an argument of [`Tensor::apply`] has them.
    fn as_tensors(&self) -> Vec<&Tensor>;
}

impl AsTensors for Tensor {
    fn as_tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }
}

impl<T: AsTensors> AsTensors for [T] {
    fn as_tensors(&self) -> Vec<&Tensor> {
        self.iter().flat_map(AsTensors::as_tensors).collect()
    }
}

impl<T: AsTensors, const N: usize> AsTensors for [T; N] {
    fn as_tensors(&self) -> Vec<&Tensor> {
        self.as_slice().as_tensors()
    }
}

impl<T: AsTensors> AsTensors for Vec<T> {
    fn as_tensors(&self) -> Vec<&Tensor> {
        self.as_slice().as_tensors()
    }
}

impl<T: AsTensors + ?Sized> AsTensors for &T {
    fn as_tensors(&self) -> Vec<&Tensor> {
        (*self).as_tensors()
    }
}

/// What a parameter of a method takes.
macro_rules! parameter {
    (operand) => { impl $crate::tensor::AsOperand };
    (tensors) => { impl $crate::tensor::AsTensors };
    (integer) => { impl $crate::tensor::AsInteger };
    (integers) => { impl $crate::tensor::AsIntegers };
    (number) => { impl $crate::tensor::AsNumber };
    (truth) => { bool };
    (text) => { &str };
    (dtype) => { netcl_kernels::dtype::DType };
}

/// The same as an argument of [`Tensor::apply`].
macro_rules! argument {
    (operand $given:ident) => {
        $given.as_operand()
    };
    (tensors $given:ident) => {
        $crate::tensor::Operand::Tensors(&$given.as_tensors())
    };
    (integer $given:ident) => {
        $crate::tensor::Operand::Integer($given.as_integer())
    };
    (integers $given:ident) => {
        $crate::tensor::Operand::Integers(&$given.as_integers())
    };
    (number $given:ident) => {
        $given.as_operand()
    };
    (truth $given:ident) => {
        $crate::tensor::Operand::Bool($given)
    };
    (text $given:ident) => {
        $crate::tensor::Operand::Text($given)
    };
    (dtype $given:ident) => {
        $crate::tensor::Operand::DType($given)
    };
}

/// A method's operation, which is looked up once.
pub(super) struct MethodOperation(OnceLock<Option<&'static Operation>>);

impl MethodOperation {
    pub(super) const fn new() -> MethodOperation {
        MethodOperation(OnceLock::new())
    }

    pub(super) fn find(&self, name: &str) -> Option<&'static Operation> {
        *self.0.get_or_init(|| ops::find(name))
    }
}

/// What the operation `$operation` gives of `$this`, which was called as `$name`.
macro_rules! called {
    ($this:ident $caller:ident $name:ident $operation:ident($($parameter:ident: $kind:ident),*)) => {{
        static OPERATION: $crate::tensor::arguments::MethodOperation = $crate::tensor::arguments::MethodOperation::new();
        let found = OPERATION.find(stringify!($operation));
        $this.called(stringify!($name), found, &[$(argument!($kind $parameter)),*], $caller)
    }};
}

/// A method for each `"documentation" name(parameter: kind, ..);`, and of several results for each `"documentation" name() = part, ..;`.
macro_rules! methods {
    ($($(#[$alias:meta])? $doc:literal $name:ident($($parameter:ident: $kind:ident),*) $(= $($part:ident),+)?;)*) => {
        impl $crate::tensor::Tensor {$(
            methods!(@ $(#[$alias])? $doc $name($($parameter: $kind),*) $(= $($part),+)?);
        )*}
    };
    (@ $(#[$alias:meta])? $doc:literal $name:ident($($parameter:ident: $kind:ident),*)) => {
        #[doc = $doc]
        $(#[$alias])?
        #[track_caller]
        pub fn $name(&self $(, $parameter: parameter!($kind))*) -> $crate::tensor::Tensor {
            let caller = std::panic::Location::caller();
            called!(self caller $name $name($($parameter: $kind),*))
        }
    };
    (@ $doc:literal $name:ident() = $($part:ident),+) => {
        #[doc = $doc]
        #[track_caller]
        pub fn $name(&self) -> ($(methods!(@result $part)),+) {
            let caller = std::panic::Location::caller();
            methods!(@results self caller $name $($part),+)
        }
    };
    (@results $this:ident $caller:ident $name:ident $($part:ident),+) => {
        ($(called!($this $caller $name $part())),+)
    };
    (@result $part:ident) => { $crate::tensor::Tensor };
}

pub(super) use {argument, called, methods, parameter};
