//! Numbers that look random, made from names, so that every program makes the same.

use netcl::{Device, Result, Tensor};

/// An argument of a model's functions: what its elements are, and its shape.
#[derive(Clone, Copy)]
pub enum Input {
    /// From -1 to 1.
    Floats(&'static [usize]),
    /// From 0 to 1, half of them 0.
    Positive(&'static [usize]),
    /// 1 for a third, 0 for all else.
    Truths(&'static [usize]),
    /// True for a third.
    Flags(&'static [usize]),
    /// Whole numbers below the first.
    Below(u32, &'static [usize]),
    /// Such numbers with a sign.
    Signed(u32, &'static [usize]),
}

impl Input {
    /// The tensor that a name stands for.
    ///
    /// # Errors
    ///
    /// If the device has no memory for it.
    pub fn on(self, device: &Device, name: &str) -> Result<Tensor> {
        fn all<T>(shape: &[usize], each: impl Fn(usize) -> T) -> Vec<T> {
            (0..shape.iter().product()).map(each).collect()
        }
        let third = |i: usize| bits(name, i as u32).is_multiple_of(3);
        match self {
            Input::Floats(shape) => Tensor::from_slice(device, &all(shape, |i| unit(name, i)), shape),
            Input::Positive(shape) => Tensor::from_slice(device, &all(shape, |i| unit(name, i).max(0.0)), shape),
            Input::Truths(shape) => Tensor::from_slice(device, &all(shape, |i| f32::from(u8::from(third(i)))), shape),
            Input::Flags(shape) => Tensor::from_slice(device, &all(shape, third), shape),
            Input::Below(end, shape) => Tensor::from_slice(device, &all(shape, |i| below(name, i as u32, end)), shape),
            Input::Signed(end, shape) => {
                Tensor::from_slice(device, &all(shape, |i| (bits(name, i as u32) % end) as i32), shape)
            }
        }
    }
}

/// The bits of a name at a position: the finalizer of MurmurHash3 over a counter that FNV-1a starts.
fn bits(name: &str, position: u32) -> u32 {
    let start = name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let mut x = start.wrapping_add(position.wrapping_mul(0x9e37_79b9));
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// The number of a name at a position: a multiple of 1/1024 from -1 to 1.
pub fn unit(name: &str, position: usize) -> f32 {
    ((bits(name, position as u32) % 2049) as f32 - 1024.0) / 1024.0
}

/// The whole number of a name at a position, below an end.
pub fn below(name: &str, position: u32, end: u32) -> u32 {
    bits(name, position) % end
}
