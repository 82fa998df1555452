//! Types and values that the cases of each algorithm do not have: what matters is the type, so a few sizes are enough.

use super::{close, equal, fail, floats, tensor, words};
use libtest_mimic::Failed;
use netcl::algorithms::{self, Operator, Scan};
use netcl::{Device, Element, Tensor};
use std::fmt::Debug;

/// An end of a tile, one more, and several tiles.
const SIZES: [usize; 6] = [0, 1, 33, 1000, 4096, 65_537];

fn each(check: impl Fn(usize) -> Result<(), Failed>) -> Result<(), Failed> {
    SIZES.into_iter().try_for_each(|n| {
        check(n).map_err(|failed| format!("{n} elements: {}", failed.message().unwrap_or_default()).into())
    })
}

/// Sums and products that are contracted to one operation are rounded once, and differ.
pub(super) fn products_are_rounded(device: &Device) -> Result<(), Failed> {
    let (x, y) = (floats(4097), words(4097, 21).into_iter().map(|word| word as f32 * 1e-9).collect::<Vec<_>>());
    let found = algorithms::map("v0 * v1 + 1", &[&tensor(device, &x)?, &tensor(device, &y)?]).map_err(fail)?;
    equal("map", &found, &x.iter().zip(&y).map(|(x, y)| x * y + 1.0).collect::<Vec<_>>())?;
    let fused = x.iter().zip(&y).any(|(x, y)| x.mul_add(*y, 1.0) != x * y + 1.0);
    if fused { Ok(()) } else { Err("these numbers show nothing".into()) }
}

fn reduced<T: Element + Debug>(device: &Device, operator: Operator, x: &[T], expected: T) -> Result<(), Failed> {
    let found = algorithms::reduce(operator, &tensor(device, x)?).map_err(fail)?;
    equal(&format!("{operator:?}"), &found, &[expected])
}

pub(super) fn reductions(device: &Device) -> Result<(), Failed> {
    each(|n| {
        // Sums of these are exact as they are computed, and rounded once, to what is stored.
        let digits: Vec<f32> = words(n, 22).iter().map(|&word| (word % 3) as f32 - 1.0).collect();
        let halves: Vec<half::f16> = digits.iter().copied().map(half::f16::from_f32).collect();
        reduced(
            device,
            Operator::Sum,
            &halves,
            half::f16::from_f32(digits.iter().fold(0.0, |sum, digit| sum + digit)),
        )?;
        let largest = halves.iter().copied().fold(half::f16::NEG_INFINITY, half::f16::max);
        reduced(device, Operator::Max, &halves, largest)?;

        // Signs, and so few powers of two that no part of the product overflows.
        let factor = |(i, &word): (usize, &u32)| match i % 1024 {
            5 => 2.0,
            7 => 0.5,
            _ if word.is_multiple_of(2) => 1.0f32,
            _ => -1.0,
        };
        let factors: Vec<f32> = words(n, 23).iter().enumerate().map(factor).collect();
        reduced(device, Operator::Product, &factors, factors.iter().product())?;

        let numbers: Vec<i32> = words(n, 24).iter().map(|&word| word as i32 >> (word % 31)).collect();
        reduced(device, Operator::Min, &numbers, numbers.iter().copied().min().unwrap_or(i32::MAX))?;
        reduced(device, Operator::Max, &numbers, numbers.iter().copied().max().unwrap_or(i32::MIN))
    })
}

/// Wherever a NaN stands it is the result, and of zeros of both signs either is.
pub(super) fn odd_extremes(device: &Device) -> Result<(), Failed> {
    each(|n| {
        let item = |operator, x: &[f32]| {
            algorithms::reduce(operator, &tensor(device, x)?).and_then(|found| found.item::<f32>()).map_err(fail)
        };
        for operator in [Operator::Min, Operator::Max] {
            for at in [0, n / 2, n.saturating_sub(1)] {
                let mut x = floats(n);
                let Some(element) = x.get_mut(at) else { continue };
                *element = if at % 2 == 0 { f32::NAN } else { -f32::NAN };
                let found = item(operator, &x)?;
                if !found.is_nan() {
                    return Err(format!("{operator:?} with NaN at {at}: {found}").into());
                }
            }
            let zeros: Vec<f32> = words(n, 25).iter().map(|word| if word % 2 == 0 { 0.0 } else { -0.0 }).collect();
            if n > 0 {
                close(&format!("{operator:?} of zeros"), item(operator, &zeros)?.into(), 0.0, 0.0)?;
            }
        }
        Ok(())
    })
}

pub(super) fn scans(device: &Device) -> Result<(), Failed> {
    let scan = |x: &Tensor| algorithms::scan(Operator::Sum, Scan::Inclusive, x).map_err(fail);
    each(|n| {
        let mut sum = 0u32;
        let words = words(n, 26);
        let sums = words.iter().map(|&word| {
            sum = sum.wrapping_add(word);
            sum
        });
        equal("u32", &scan(&tensor(device, &words)?)?, &sums.collect::<Vec<_>>())?;

        // Exact as they are computed, in f32 and in f64.
        let digits: Vec<f32> = words.iter().map(|&word| (word % 3) as f32 - 1.0).collect();
        let mut sum = 0.0;
        let sums: Vec<f32> = digits
            .iter()
            .map(|digit| {
                sum += digit;
                sum
            })
            .collect();
        let halves = |values: &[f32]| values.iter().copied().map(half::f16::from_f32).collect::<Vec<_>>();
        equal("f16", &scan(&tensor(device, &halves(&digits))?)?, &halves(&sums))?;
        if !device.profile().fp64 {
            return Ok(());
        }
        let doubles = |values: &[f32]| values.iter().map(|&value| f64::from(value) * 2f64.powi(60)).collect::<Vec<_>>();
        equal("f64", &scan(&tensor(device, &doubles(&digits))?)?, &doubles(&sums))
    })
}

pub(super) fn counts(device: &Device) -> Result<(), Failed> {
    const BINS: usize = 200;
    let bincount = |what: &str, x: Tensor, indices: Vec<i64>| {
        let mut counts = vec![0u32; BINS];
        for index in indices {
            if let Some(count) = usize::try_from(index).ok().and_then(|index| counts.get_mut(index)) {
                *count += 1;
            }
        }
        equal(what, &algorithms::bincount(&x, BINS).map_err(fail)?, &counts)
    };
    each(|n| {
        let wide: Vec<i64> = words(n, 27).iter().map(|&word| i64::from(word as i32) >> (word % 40)).collect();
        let bytes: Vec<u8> = wide.iter().map(|&value| value as u8).collect();
        bincount("u8", tensor(device, &bytes)?, bytes.iter().map(|&value| value.into()).collect())?;
        let numbers: Vec<i32> = wide.iter().map(|&value| value as i32).collect();
        bincount("i32", tensor(device, &numbers)?, numbers.iter().map(|&value| value.into()).collect())?;
        // What is a small number without its upper half is none.
        let far = wide.iter().map(|&value| if value % 3 == 0 { value + (1 << 40) } else { value });
        let far: Vec<i64> = far.collect();
        bincount("i64", tensor(device, &far)?, far.clone())?;

        let (low, high) = (-0.5f32, 0.75f32);
        let histogram = |what: &str, x: Tensor, values: Vec<f32>| {
            let mut counts = vec![0u32; 10];
            for value in values.into_iter().filter(|value| (low..=high).contains(value)) {
                counts[(((value - low) * (10.0 / (high - low))) as usize).min(9)] += 1;
            }
            equal(what, &algorithms::histogram(&x, 10, low, high).map_err(fail)?, &counts)
        };
        let halves: Vec<half::f16> = floats(n).into_iter().map(half::f16::from_f32).collect();
        histogram("f16", tensor(device, &halves)?, halves.iter().map(|value| value.to_f32()).collect())?;
        let brains: Vec<half::bf16> = floats(n).into_iter().map(half::bf16::from_f32).collect();
        histogram("bf16", tensor(device, &brains)?, brains.iter().map(|value| value.to_f32()).collect())
    })
}

/// Sums, so far, of what an expression makes of two inputs.
pub(super) fn scans_of_expressions(device: &Device) -> Result<(), Failed> {
    each(|n| {
        let (x, y) = (words(n, 31), words(n, 32));
        let inputs = [&tensor(device, &x)?, &tensor(device, &y)?];
        for kind in [Scan::Inclusive, Scan::Exclusive] {
            let mut sum = 0u32;
            let expected = x.iter().zip(&y).map(|(x, y)| {
                let before = sum;
                sum = sum.wrapping_add(x.wrapping_mul(*y) ^ x);
                if kind == Scan::Inclusive { sum } else { before }
            });
            let expected: Vec<u32> = expected.collect();
            let found = algorithms::map_scan("v0 * v1 ^ v0", Operator::Sum, kind, &inputs).map_err(fail)?;
            equal(&format!("{kind:?}"), &found, &expected)?;
        }
        Ok(())
    })?;
    let zero = algorithms::scan(Operator::Sum, Scan::Inclusive, &tensor(device, &[-0.0f32])?).map_err(fail)?;
    let sign = zero.item::<f32>().map_err(fail)?.is_sign_negative();
    if sign { Err("a sum that begins with 0 is -0".into()) } else { Ok(()) }
}

/// Computed in f32 and rounded once.
pub(super) fn brain_floats(device: &Device) -> Result<(), Failed> {
    use half::bf16;
    let stored = |values: &[f32]| values.iter().copied().map(bf16::from_f32).collect::<Vec<_>>();
    each(|n| {
        let x = stored(&floats(n));
        let found = algorithms::map("v0 * 0.3f + 1", &[&tensor(device, &x)?]).map_err(fail)?;
        equal("map", &found, &stored(&x.iter().map(|x| x.to_f32() * 0.3 + 1.0).collect::<Vec<_>>()))?;
        let found = algorithms::matching("v0 > 0.25f", &[&tensor(device, &x)?]).map_err(fail)?;
        equal("matching", &found, &x.iter().map(|x| x.to_f32() > 0.25).collect::<Vec<_>>())?;
        let largest = x.iter().copied().fold(bf16::NEG_INFINITY, bf16::max);
        reduced(device, Operator::Max, &x, largest)?;

        // Exact as they are computed.
        let digits: Vec<f32> = words(n, 33).iter().map(|&word| (word % 3) as f32 - 1.0).collect();
        let mut sum = 0.0;
        let sums: Vec<f32> = digits
            .iter()
            .map(|digit| {
                sum += digit;
                sum
            })
            .collect();
        reduced(device, Operator::Sum, &stored(&digits), bf16::from_f32(sum))?;
        let found = algorithms::scan(Operator::Sum, Scan::Inclusive, &tensor(device, &stored(&digits))?);
        equal("scan", &found.map_err(fail)?, &stored(&sums))
    })?;
    let odd = stored(&[f32::NAN, f32::INFINITY, f32::MAX, -0.0]);
    let found = algorithms::map("v0", &[&tensor(device, &odd)?]).map_err(fail)?.to_vec::<bf16>().map_err(fail)?;
    if found[0].is_nan() { equal("odd", &tensor(device, &found[1..])?, &odd[1..]) } else { Err("NaN is none".into()) }
}

/// Computed as C does, in `int`, of which the low bits are stored.
pub(super) fn bytes(device: &Device) -> Result<(), Failed> {
    each(|n| {
        let (x, y): (Vec<u8>, Vec<u8>) =
            (words(n, 34).iter().map(|&w| w as u8).collect(), words(n, 35).iter().map(|&w| (w >> 9) as u8).collect());
        let (xt, yt) = (tensor(device, &x)?, tensor(device, &y)?);
        let found = algorithms::map("(v0 + v1) / 2 - (v1 << 3)", &[&xt, &yt]).map_err(fail)?;
        let expected = |(x, y): (&u8, &u8)| ((i32::from(*x) + i32::from(*y)) / 2 - (i32::from(*y) << 3)) as u8;
        equal("map", &found, &x.iter().zip(&y).map(expected).collect::<Vec<_>>())?;
        let found = algorithms::matching("v0 - v1 > 0", &[&xt, &yt]).map_err(fail)?;
        equal("matching", &found, &x.iter().zip(&y).map(|(x, y)| x > y).collect::<Vec<_>>())?;
        reduced(device, Operator::Sum, &x, x.iter().copied().fold(0, u8::wrapping_add))?;
        reduced(device, Operator::Min, &x, x.iter().copied().min().unwrap_or(u8::MAX))?;
        reduced(device, Operator::Max, &x, x.iter().copied().max().unwrap_or(0))?;
        let mut sum = 0u8;
        let sums: Vec<u8> = x
            .iter()
            .map(|x| {
                sum = sum.wrapping_add(*x);
                sum
            })
            .collect();
        equal("scan", &algorithms::scan(Operator::Sum, Scan::Inclusive, &xt).map_err(fail)?, &sums)
    })
}
