//! Sorting, of keys of every type.

use super::{equal, fail, float_order, odd_floats, small, tensor, wide, words};
use libtest_mimic::Failed;
use netcl::algorithms::{self, Order};
use netcl::{Device, Element};
use std::cmp::Ordering;
use std::fmt::Debug;

/// Up to so many elements both orders are tried.
const BOTH_ORDERS: usize = 1 << 21;

pub(super) fn u32s(device: &Device, n: usize) -> Result<(), Failed> {
    sorts(device, &words(n, 0), u32::cmp)
}

pub(super) fn few_u32s(device: &Device, n: usize) -> Result<(), Failed> {
    sorts(device, &small(n), u32::cmp)
}

pub(super) fn i32s(device: &Device, n: usize) -> Result<(), Failed> {
    sorts(device, &words(n, 1).iter().map(|&word| word as i32).collect::<Vec<_>>(), i32::cmp)
}

pub(super) fn i64s(device: &Device, n: usize) -> Result<(), Failed> {
    sorts(device, &wide(n).iter().map(|&word| word as i64).collect::<Vec<_>>(), i64::cmp)
}

pub(super) fn bytes(device: &Device, n: usize) -> Result<(), Failed> {
    let bytes: Vec<u8> = words(n, 15).iter().map(|&word| word as u8).collect();
    sorts(device, &bytes, u8::cmp)?;
    sorts(device, &bytes.iter().map(|byte| byte.is_multiple_of(3)).collect::<Vec<_>>(), bool::cmp)
}

pub(super) fn f32s(device: &Device, n: usize) -> Result<(), Failed> {
    sorts(device, &odd_floats(n), float_order)
}

pub(super) fn f64s(device: &Device, n: usize) -> Result<(), Failed> {
    // Any bits, or what is odd about a narrower float.
    let double =
        |(bits, narrow): (u64, f32)| if bits.is_multiple_of(2) { f64::from(narrow) } else { f64::from_bits(bits) };
    let values: Vec<f64> = wide(n).into_iter().zip(odd_floats(n)).map(double).collect();
    sorts(device, &values, |x, y| x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(y).unwrap_or(Ordering::Equal)))
}

pub(super) fn halves(device: &Device, n: usize) -> Result<(), Failed> {
    let halves: Vec<half::f16> = words(n, 11).iter().map(|&word| half::f16::from_bits(word as u16)).collect();
    sorts(device, &halves, |x, y| float_order(&x.to_f32(), &y.to_f32()))?;
    let brains: Vec<half::bf16> = words(n, 12).iter().map(|&word| half::bf16::from_bits(word as u16)).collect();
    sorts(device, &brains, |x, y| float_order(&x.to_f32(), &y.to_f32()))
}

pub(super) fn by_key(device: &Device, n: usize) -> Result<(), Failed> {
    let keys = small(n);
    let values: Vec<i64> = (0..n as i64).map(|i| i * 3 - 7).collect();
    let bytes: Vec<u8> = (0..n).map(|i| (i * 31) as u8).collect();
    // There are five keys: those of each, in their order.
    let of_key = |key: u32| keys.iter().enumerate().filter(move |&(_, &own)| own == key).map(|(i, _)| i);
    let order: Vec<usize> = (0..5).flat_map(of_key).collect();
    let (kt, vt, bt) = (tensor(device, &keys)?, tensor(device, &values)?, tensor(device, &bytes)?);
    let (sorted, moved) = algorithms::sort_by_key(&kt, &vt, Order::Ascending).map_err(fail)?;
    equal("keys", &sorted, &order.iter().map(|&i| keys[i]).collect::<Vec<_>>())?;
    equal("values", &moved, &order.iter().map(|&i| values[i]).collect::<Vec<_>>())?;
    let (_, moved) = algorithms::sort_by_key(&kt, &bt, Order::Ascending).map_err(fail)?;
    equal("bytes", &moved, &order.iter().map(|&i| bytes[i]).collect::<Vec<_>>())
}

fn sorts<T: Element + Debug>(device: &Device, x: &[T], order: fn(&T, &T) -> Ordering) -> Result<(), Failed> {
    let xt = tensor(device, x)?;
    for (name, direction) in [("ascending", Order::Ascending), ("descending", Order::Descending)] {
        if direction == Order::Descending && x.len() > BOTH_ORDERS {
            continue;
        }
        let positions = algorithms::argsort(&xt, direction).and_then(|found| found.to_vec::<u32>()).map_err(fail)?;
        let directed = |x: &T, y: &T| if direction == Order::Ascending { order(x, y) } else { order(y, x) };
        in_order(x, &positions, directed).map_err(|problem| format!("argsort {name}: {problem}"))?;
        let sorted: Vec<T> = positions.iter().map(|&i| x[i as usize]).collect();
        equal(&format!("sort {name}"), &algorithms::sort(&xt, direction).map_err(fail)?, &sorted)?;
    }
    equal("the input", &xt, x)
}

/// Fails unless these are the places of all elements, each once, in order, and of equal ones in the order that they had:
/// there is one such list.
fn in_order<T: Debug>(x: &[T], positions: &[u32], order: impl Fn(&T, &T) -> Ordering) -> Result<(), String> {
    if positions.len() != x.len() {
        return Err(format!("{} positions of {} elements", positions.len(), x.len()));
    }
    let mut seen = vec![false; x.len()];
    let mut before: Option<u32> = None;
    for (at, &position) in positions.iter().enumerate() {
        match seen.get_mut(position as usize) {
            Some(seen) if !*seen => *seen = true,
            found => return Err(format!("{position} at {at} is {}", found.map_or("none", |_| "there twice"))),
        }
        if let Some(before) = before {
            let (left, right) = (&x[before as usize], &x[position as usize]);
            match order(left, right) {
                Ordering::Less => {}
                Ordering::Equal if before < position => {}
                _ => return Err(format!("{left:?} from {before} stands before {right:?} from {position} at {at}")),
            }
        }
        before = Some(position);
    }
    Ok(())
}
