//! What native kernels are given: typed views of buffers, numbers, sizes, and a place to note what went wrong.
//!
//! The macros embed the text that `netcl_kernels::emit::rust` writes; it is safe code that uses only what is here, in
//! [`super::lanes`] and in [`super::view`].

use super::cells::Shared;
use super::faults::Faults;
use super::isa::Isa;
use super::memory::HostBuffer;
use super::view::{NativeElement, View};
use netcl_kernels::dtype::Literal;
use netcl_kernels::kir::interp::Fault;
use netcl_kernels::kir::{Kernel, ParamKind};
use std::ops::Range;

/// A loop kernel as native code.
pub trait NativeKernel {
    /// Runs these work-items, numbered with the first dimension fastest.
    fn run<I: Isa>(args: &Args<'_>, items: Range<usize>);
}

/// What is passed for one parameter.
#[derive(Clone, Copy, Debug)]
pub enum Passed<'a> {
    /// A buffer.
    Buffer(&'a HostBuffer),
    /// A number of the parameter's type; symbols are `U32`.
    Scalar(Literal),
}

impl<'a> Passed<'a> {
    pub(super) fn buffer(&self) -> Option<&'a HostBuffer> {
        match self {
            Passed::Buffer(buffer) => Some(buffer),
            Passed::Scalar(_) => None,
        }
    }
}

/// What a native kernel works on.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    passed: &'a [Passed<'a>],
    global: [usize; 3],
    local: [usize; 3],
    faults: &'a Faults,
}

impl<'a> Args<'a> {
    /// For a launch of `global` work-items per dimension (a multiple of the group size `local`; 1 where there are no
    /// groups).
    pub fn new(passed: &'a [Passed<'a>], global: [usize; 3], local: [usize; 3], faults: &'a Faults) -> Self {
        Args { passed, global, local, faults }
    }

    /// How many work-items there are.
    pub fn items(&self) -> usize {
        self.global.iter().product()
    }

    /// The buffer at `position`; empty if that is no buffer.
    #[inline(always)]
    pub fn view<T: NativeElement>(&self, position: u32) -> View<'a, T> {
        View::new(self.buffer(position), position, self.faults)
    }

    /// As [`Args::view`], in a kernel whose work-items may access what others write.
    #[inline(always)]
    pub fn shared<T: NativeElement>(&self, position: u32) -> View<'a, T, Shared> {
        View::new(self.buffer(position), position, self.faults)
    }

    /// Its memory, how many bytes that is, and itself. Compiled here, once: kernels ask for each of their parameters.
    #[inline(never)]
    fn buffer(&self, position: u32) -> (*mut u8, usize, Option<&'a HostBuffer>) {
        match self.passed.get(position as usize) {
            Some(Passed::Buffer(buffer)) => (buffer.pointer(), buffer.bytes(), Some(*buffer)),
            _ => (std::ptr::null_mut(), 0, None),
        }
    }

    /// The number at `position`; zero if that is none.
    #[inline(never)]
    pub fn number<T: Number>(&self, position: u32) -> T {
        match self.passed.get(position as usize) {
            Some(Passed::Scalar(literal)) => T::of(*literal),
            _ => T::default(),
        }
    }

    /// The global id of an item.
    #[inline]
    pub fn id(&self, item: usize) -> [u32; 3] {
        if self.global[1] == 1 && self.global[2] == 1 {
            return [item as u32, 0, 0];
        }
        let rest = item / self.global[0];
        [(item % self.global[0]) as u32, (rest % self.global[1]) as u32, (rest / self.global[1]) as u32]
    }

    /// The global size.
    #[inline(always)]
    pub fn global(&self, dimension: usize) -> u32 {
        self.global[dimension] as u32
    }

    /// The group size.
    #[inline(always)]
    pub fn local(&self, dimension: usize) -> u32 {
        self.local[dimension] as u32
    }

    /// Where faults are noted.
    #[inline(always)]
    pub fn faults(&self) -> &'a Faults {
        self.faults
    }

    /// The first access outside of a buffer or array of `kernel`, as an error. To be called after all items have run.
    ///
    /// # Errors
    ///
    /// That access: which buffer, where, and its length.
    pub fn result(&self, kernel: &Kernel) -> Result<(), Fault> {
        let Some((position, index)) = self.faults.first() else { return Ok(()) };
        let (buffer, length) = match kernel.params.get(position) {
            Some(param) => {
                let length = match (&param.kind, self.passed.get(position)) {
                    (ParamKind::Buffer(dtype, _), Some(Passed::Buffer(buffer))) => buffer.bytes() / dtype.size(),
                    _ => 0,
                };
                (param.name.clone(), length)
            }
            // Arrays are numbered behind the parameters.
            None => match kernel.arrays.get(position - kernel.params.len()) {
                Some(array) => (array.name.clone(), array.length as usize),
                None => (String::new(), 0),
            },
        };
        Err(Fault::OutOfBounds { kernel: kernel.name.clone(), buffer, index, lanes: 1, length, item: None })
    }
}

/// Types of scalar parameters.
pub trait Number: Copy + Default {
    /// The literal as this type.
    fn of(literal: Literal) -> Self;
}

macro_rules! integer {
    ($($type:ty)*) => {$(
        impl Number for $type {
            #[inline(always)]
            fn of(literal: Literal) -> Self {
                match literal {
                    Literal::Int(value, _) => value as $type,
                    other => other.as_f64() as $type,
                }
            }
        }
    )*};
}
integer!(u8 i32 u32 i64);

macro_rules! float {
    ($($type:ty)*) => {$(
        impl Number for $type {
            #[inline(always)]
            fn of(literal: Literal) -> Self {
                literal.as_f64() as $type
            }
        }
    )*};
}
float!(f32 f64);

impl Number for bool {
    #[inline(always)]
    fn of(literal: Literal) -> Self {
        literal.as_f64() != 0.0
    }
}
