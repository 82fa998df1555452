//! Lists of whole numbers that an index reads: of the type of their suffixes, and floats beside floats without one.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::constant]
const W: [i32; 2] = [7, 4];

#[netcl::constant]
const MASKS: [u32; 2] = [3, 4294967295];

#[netcl::constant]
const TAPS: [[i32; 2]; 2] = [[7, -4], [1, 3]];

#[netcl::constant]
const SIGNS: [i32; 2] = [5, -5];

#[netcl::function]
fn half(x: f32) -> f32 {
    x * 0.5
}

netcl::kernel! {
    /// Of `f64`, by a `let` too.
    fn doubles(x: &Tensor<f64, N>) -> Tensor<f64, N> {
        |n| {
            let (d, f) = (if n == 0 { 3 } else { -5 }, if n == 0 { 0.5 } else { 0.1 });
            d * x[n] + f
        }
    }

    /// What `as i32` makes of a size is divided towards zero.
    fn half_size(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let m: i32 = N as i32 - 5; x[n] + (m / 2) as f32 + ((N as i32 - 5) % 2) as f32 }
    }

    fn halved(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * (W[n % 2] as i32 / 2) as f32
    }

    /// What no `f32` is.
    fn lessened(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [16777217i32, 16777219]; x[n] * (w[n % 2] - 16777216) as f32 }
    }

    fn wrapped(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [3u32, 4294967295]; x[n] * (w[n % 2] + 1) as f32 }
    }

    fn folded(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..2, 0.0, |y, k| y + x[n] * (W[k] as i32 % 2 / 2 + W[k] as i32 / 3) as f32)
    }

    fn compared(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| if W[n % 2] as i32 / 2 == 3 { x[n] } else { 0.0 }
    }

    fn local(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [7i32, 4i32]; sum(0..2, |k| x[n] * ((w[k] - 8) / 2) as f32) }
    }

    fn whole(_x: &Tensor<f32, N>) -> Tensor<i32, N> {
        |n| { let w: [i32; 2] = [7, 4]; w[n % 2] }
    }

    fn as_floats(_x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| W[n % 2]
    }

    fn shifted(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [5u32, 12]; x[n] * ((w[n % 2] >> 1) + w[n % 2] * 2u32) as f32 }
    }

    fn offsets(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let by = [-1i32, 0, 1, 2]; sum(0..4, |k| pad(x[n + by[k]])) }
    }

    fn reduced(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * sum(0..2, |k| W[k]) + mean(0..2, |k| W[k])
    }

    fn functions(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].max(W[n % 2]) + half(W[n % 2]) - W[n % 2].max(5) + (2 * W[n % 2] + 2).sqrt()
    }

    fn nested(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sum((0..2, 0..2), |i, j| x[n] * TAPS[i][j])
    }

    fn nested_wholes(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let taps = [[7i32, -4], [16777217, 3]];
            x[n] * (sum((0..2, 0..2), |i, j| taps[i][j] / 2) - 8388608) as f32
        }
    }

    fn carried(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..2, W[n % 2], |y, k| y * x[n] + W[k])
    }

    fn bits(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| (x[n] ^ MASKS[n % 2]) * W[n % 2]
    }

    /// Numbers below zero on the way, which are of what they meet.
    fn unsigned(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| {
            let by = if n == 0 { 1 } else { 2 };
            x[n] * (W[n % 2] - 5 + x[n]) + W[n % 2] / 2 % 2 + 10 - by
        }
    }

    fn bytes(x: &Tensor<u8, N>) -> Tensor<u8, N> {
        |n| x[n] + W[n % 2] * 50 - 1
    }

    /// What a `match` chooses is of the elements' type, where that holds it.
    fn matched(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| {
            let (w, by) = (match n % 3 { 0 => 3, 1 => 5, _ => 8 }, if n == 0 { 1 } else { -1 });
            x[n] * w + pad(x[n + by])
        }
    }

    /// Of `i32` where the elements' type does not hold them.
    fn signs(x: &Tensor<u32, N>) -> Tensor<i32, N> {
        |n| x[n] as i32 * SIGNS[n % 2] / 2
    }

    /// Of floats that hold whole numbers there is one zero, and what they become wraps.
    fn signums(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let d = if n == 0 { 300 } else { 0 };
            x[n].copysign(-d) + d.signum() + d as u8 as f32 + ((W[n % 2] - 8) as u32 % 16) as f32
        }
    }

    /// Converted as it is read: 7.0 / 4.0, and what no `f32` is, as Rust rounds it.
    fn quotients(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [16777217, 4]; W[n % 2] as f32 / W[(n + 1) % 2] as f32 + x[n] * w[n % 2] as f32 }
    }

    /// By other names.
    fn named(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [[7i32, -4], [5, 3]];
            let v = w;
            let row = v[1];
            x[n] * (row[n % 2] / 2 + v[n % 2][0] / 2) as f32
        }
    }

    /// The position is one of 64 bits before it is divided.
    fn far(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| { let w = [10.0, 20.0, 30.0]; x[n] + w[n * 2000000000 % 3] }
    }
}

#[test]
fn whole_numbers_of_lists_are_of_their_types() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, 2.0], &[2]);
        macro_rules! same {
            ($($kernel:ident = $wanted:expr),* $(,)?) => {
                $(assert_eq!($kernel(&x)?.to_vec::<f32>()?, $wanted, stringify!($kernel));)*
            };
        }
        same! {
            halved = [3.0, 4.0],
            lessened = [1.0, 6.0],
            wrapped = [4.0, 0.0],
            folded = [3.0, 6.0],
            compared = [1.0, 0.0],
            local = [-2.0, -4.0],
            as_floats = [7.0, 4.0],
            quotients = [1.75 + 16777216.0, 4.0 / 7.0 + 8.0],
            named = [5.0, 2.0 * (1.0 + 2.0)],
            shifted = [2.0 + 10.0, 12.0 + 48.0],
            offsets = [3.0, 3.0],
            reduced = [16.5, 27.5],
            functions = [7.0 + 3.5 - 7.0 + 4.0, 4.0 + 2.0 - 5.0 + 10f32.sqrt()],
            nested = [7.0, 14.0],
            nested_wholes = [2.0, 4.0],
            carried = [18.0, 16.0 + 14.0 + 4.0],
        }
        // -1 + 1 + 44 + 15; 2 + 0 + 0 + 12.
        assert_eq!(signums(&x)?.to_vec::<f32>()?, [59.0, 14.0]);
        assert_eq!(whole(&x)?.to_vec::<i32>()?, [7, 4]);
        let given = Tensor::from_slice(&device(), &[1u32, 2], &[2])?;
        assert_eq!(bits(&given)?.to_vec::<u32>()?, [(1 ^ 3) * 7, (2u32 ^ u32::MAX).wrapping_mul(4)]);
        let by_rust = |x: u32, w: u32, by: u32| x.wrapping_mul(w.wrapping_sub(5).wrapping_add(x)) + w / 2 % 2 + 10 - by;
        assert_eq!(unsigned(&given)?.to_vec::<u32>()?, [by_rust(1, 7, 1), by_rust(2, 4, 2)]);
        assert_eq!(matched(&given)?.to_vec::<u32>()?, [3 + 2, 10 + 1]);
        assert_eq!(signs(&given)?.to_vec::<i32>()?, [2, -5]);
        assert_eq!(bytes(&Tensor::from_slice(&device(), &[1u8, 2], &[2])?)?.to_vec::<u8>()?, [350u32 as u8, 201]);
        assert_eq!(far(&floats(&[1.0, 2.0, 3.0], &[3]))?.to_vec::<f32>()?, [11.0, 32.0, 23.0]);
        assert_eq!(half_size(&x)?.to_vec::<f32>()?, [-1.0, 0.0]);
        if device().profile().fp64 {
            let x = Tensor::from_slice(&device(), &[1.0f64, 2.0], &[2])?;
            assert_eq!(doubles(&x)?.to_vec::<f64>()?, [3.5, -9.9]);
        }
        carried.check(&x)?;
        reduced.check(&x)?;
        Ok(())
    })
}

netcl::kernel! {
    /// With their types said, they are of these.
    fn said(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| {
            let d = if n == 0 { 7 } else { 9 };
            x[n] + (d as u32 - 3) / 2 + (W[n % 2] - 8) as u32 % 16 + sum(0..2, |k| W[k]) / 2 + max(0..2, |k| W[k])
        }
    }

    fn fractions(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let (d, e) = (if n == 0 { 7 } else { 9 }, if n == 0 { 2 } else { 4 });
            x[n].powi(W[n % 2]) + d as f32 / e as f32
        }
    }

    /// A `usize` stays a size.
    fn middle(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, M> {
        |n| { let d: usize = N - M; pad(x[n + d / 2]) + y[n] }
    }
}

#[test]
fn types_that_are_said_are_kept() -> Result<()> {
    everywhere(|| {
        let given = Tensor::from_slice(&device(), &[1u32, 2], &[2])?;
        assert_eq!(said(&given)?.to_vec::<u32>()?, [1 + 2 + 15 + 5 + 7, 2 + 3 + 12 + 5 + 7]);
        let x = floats(&[1.0, 2.0], &[2]);
        assert_eq!(fractions(&x)?.to_vec::<f32>()?, [1.0 + 3.5, 16.0 + 2.25]);
        fractions.check(&x)?;
        let longer = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[7]);
        assert_eq!(middle(&longer, &x)?.to_vec::<f32>()?, [3.0, 5.0]);
        Ok(())
    })
}
