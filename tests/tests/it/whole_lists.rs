//! Lists of whole numbers that an index reads: whole where they meet each other, floats beside floats, as they are in Rust.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::constant]
const WI: [i32; 2] = [7, 4];

#[netcl::constant]
const BI: [i32; 2] = [16777217, 16777219];

#[netcl::constant]
const UI: [u32; 2] = [3, 4294967295];

#[netcl::constant]
const STEPS: [u32; 2] = [5, 12];

#[netcl::constant]
const OFFS: [i32; 4] = [-1, 0, 1, 2];

#[netcl::constant]
const TAPS: [[i32; 2]; 2] = [[7, -4], [16777217, 3]];

#[netcl::function]
fn half(x: f32) -> f32 {
    x * 0.5
}

netcl::kernel! {
    fn halved(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (WI[n % 2] / 2) as f32 }
    fn lessened(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (BI[n % 2] - 16777216) as f32 }
    fn wrapped(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (UI[n % 2] + 1) as f32 }
    fn folded(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| fold(0..2, 0.0, |y, k| y + x[n] * (WI[k] % 2 / 2 + WI[k] / 3) as f32) }
    fn compared(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| if WI[n % 2] / 2 == 3 { x[n] } else { 0.0 } }
    fn local(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [7i32, 4i32]; sum(0..2, |k| x[n] * ((w[k] - 8) / 2) as f32) } }
    fn whole(_x: &Tensor<f32, N>) -> Tensor<i32, N> { |n| WI[n % 2] }
    fn as_floats(_x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| WI[n % 2] }
    fn declared(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w: i32 = WI[n % 2]; x[n] * (w / 2) as f32 } }
    fn shifted(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * ((STEPS[n % 2] >> 1) + STEPS[n % 2] * 2u32) as f32 }
    fn offsets(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| sum(0..4, |k| pad(x[n + OFFS[k]])) }
    fn reduced(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * sum(0..2, |k| WI[k]) + mean(0..2, |k| WI[k]) }
    fn functions(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n].max(WI[n % 2]) + half(WI[n % 2]) - WI[n % 2].max(5) }
    fn bound(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let v = WI[n % 2]; sum(0..2, |k| x[n] * v + WI[k]) } }
    fn nested(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| sum((0..2, 0..2), |i, j| x[n] * TAPS[i][j]) }
    fn nested_wholes(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (sum((0..2, 0..2), |i, j| TAPS[i][j] / 2) - 8388608) as f32 }
    fn chosen(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| if x[n] > 1.5 { WI[n % 2] } else { x[n] } }
    fn carried(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| fold(0..2, WI[n % 2], |y, k| y * x[n] + WI[k]) }
    fn bounds(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| clamp(x[n], 0, WI[n % 2]) * 0.5 + WI[n % 2] * 0.5 + n * WI[n % 2] }
    fn bits(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| (x[n] ^ UI[n % 2]) * WI[n % 2] }
    fn negated(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * -WI[n % 2] + 0.0 * abs(WI[n % 2]) + (WI[n % 2] as f32 / 2.0) }
    fn assigned(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let mut a = WI[n % 2]; a = a + 1; let mut y = x[n]; y += WI[n % 2]; y * a as f32 } }
}

#[test]
fn whole_numbers_of_lists_stay_whole() -> Result<()> {
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
            declared = [3.0, 4.0],
            shifted = [2.0 + 10.0, 12.0 + 48.0],
            offsets = [3.0, 3.0],
            reduced = [16.5, 27.5],
            functions = [7.0 + 3.5 - 7.0, 4.0 + 2.0 - 5.0],
            bound = [7.0 * 2.0 + 11.0, 16.0 + 11.0],
            nested = [16777223.0, 33554446.0],
            nested_wholes = [2.0, 4.0],
            chosen = [1.0, 4.0],
            carried = [18.0, 16.0 + 14.0 + 4.0],
            bounds = [0.5 + 3.5, 1.0 + 2.0 + 4.0],
            negated = [-7.0 + 3.5, -8.0 + 2.0],
            assigned = [64.0, 30.0],
        }
        assert_eq!(whole(&x)?.to_vec::<i32>()?, [7, 4]);
        let given = Tensor::from_slice(&device(), &[1u32, 2], &[2])?;
        assert_eq!(bits(&given)?.to_vec::<u32>()?, [(1 ^ 3) * 7, (2u32 ^ u32::MAX).wrapping_mul(4)]);
        carried.check(&x)?;
        bound.check(&x)?;
        Ok(())
    })
}
