//! Algorithms on every device, against the standard library.

mod sorting;
mod types;

use crate::Case;
use libtest_mimic::Failed;
use netcl::algorithms::{self, Combine, Operator, Order, Random, Scan};
use netcl::{DType, Device, DeviceKind, DeviceProfile, Element, Tensor, Vendor};
use netcl_hal::host::plain;
use netcl_kernels::philox;
use std::cmp::Ordering;

/// On every device: around the sizes of work-groups and tiles.
const SIZES: [usize; 12] = [0, 1, 2, 31, 32, 33, 255, 257, 1000, 4095, 4097, 65_537];
/// Not on a simulator, which would take hours.
const LARGE: usize = (1 << 20) + 1;
/// What a simulator sorts: each digit of the keys takes several launches, and each order all digits.
const SIMULATED_SORTS: [usize; 4] = [0, 1, 33, 600];
/// More than one work-group sorts, for one case: kernels for keys of other types are of the same text.
const SIMULATED_GROUPS: usize = 2100;
/// For one case of each algorithm.
const LARGEST: usize = 1 << 24;
/// Not on the host, whose parts have no tiles: for the algorithms whose last tile is another than the others.
const LARGEST_ODD: usize = LARGEST - 1;
/// The same, for keys of other types.
const MANY_KEYS: usize = (1 << 22) - 1;

fn sizes(name: &str, profile: &DeviceProfile) -> Vec<usize> {
    let mut sizes = SIZES.to_vec();
    if profile.vendor == Vendor::Oclgrind {
        if name.starts_with("sort") {
            sizes = SIMULATED_SORTS.to_vec();
        }
        if name == "sort u32" {
            sizes.push(SIMULATED_GROUPS);
        }
        return sizes;
    }
    sizes.push(LARGE);
    if ["map", "reduce f32", "scan i32", "sort f32", "compact", "bincount", "random"].contains(&name) {
        sizes.push(LARGEST);
    }
    if profile.kind != DeviceKind::Host {
        if ["reduce f32", "scan i32", "compact", "random", "histogram", "sort u32"].contains(&name) {
            sizes.push(LARGEST_ODD);
        } else if ["sort i32", "sort i64", "sort f64", "sort halves", "sort by key"].contains(&name) {
            sizes.push(MANY_KEYS);
        }
    }
    sizes
}

/// A case that is run for each size.
fn case(name: &'static str, check: impl Fn(&Device, usize) -> Result<(), Failed> + Send + Sync + 'static) -> Case {
    Case::new(format!("algorithms::{name}"), move |device| {
        for size in sizes(name, device.profile()) {
            check(device, size).map_err(|failed| match failed.message() {
                Some(message) => Failed::from(format!("{size} elements: {message}")),
                None => failed,
            })?;
        }
        Ok(())
    })
}

pub(crate) fn all() -> Vec<Case> {
    vec![
        case("map", map),
        case("map of halves", map_halves),
        case("map of integers", map_integers),
        case("reduce f32", reduce_f32),
        case("reduce integers", reduce_integers),
        case("reduce f64", reduce_f64),
        case("scan i32", scan_i32),
        case("scan i64", scan_i64),
        case("scan keeps the order", scan_ordered),
        case("scan f32", scan_f32),
        case("sort u32", sorting::u32s),
        case("sort few u32", sorting::few_u32s),
        case("sort i32", sorting::i32s),
        case("sort i64", sorting::i64s),
        case("sort bytes", sorting::bytes),
        case("sort f32", sorting::f32s),
        case("sort f64", sorting::f64s),
        case("sort halves", sorting::halves),
        case("sort by key", sorting::by_key),
        case("compact", compact),
        case("unique", unique),
        case("histogram", histogram),
        case("bincount", bincount),
        case("random", random),
        Case::new("algorithms::products are rounded".into(), types::products_are_rounded),
        Case::new("algorithms::reductions of types".into(), types::reductions),
        Case::new("algorithms::extremes of odd floats".into(), types::odd_extremes),
        Case::new("algorithms::scans of types".into(), types::scans),
        Case::new("algorithms::scans of expressions".into(), types::scans_of_expressions),
        Case::new("algorithms::brain floats".into(), types::brain_floats),
        Case::new("algorithms::bytes".into(), types::bytes),
        Case::new("algorithms::counts of types".into(), types::counts),
        Case::new("algorithms::bad input".into(), bad_input),
    ]
}

/// Numbers without a pattern, with the extremes among them.
fn words(n: usize, stream: u32) -> Vec<u32> {
    let extremes = [0, 1, u32::MAX, i32::MIN as u32, i32::MAX as u32];
    (0..n).map(|i| if i % 7 == 3 { extremes[i / 7 % 5] } else { philox::word(17, stream, i as u64) }).collect()
}

/// 64 bits, whose upper half is often the same.
fn wide(n: usize) -> Vec<u64> {
    let upper = |word: u32| if word.is_multiple_of(3) { 0x8000_0001 } else { word };
    words(n, 13).into_iter().zip(words(n, 14)).map(|(x, y)| u64::from(upper(x)) << 32 | u64::from(y)).collect()
}

/// Few different numbers: many equal keys.
fn small(n: usize) -> Vec<u32> {
    words(n, 2).into_iter().map(|word| word % 5).collect()
}

/// Within [-1, 1).
fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| philox::uniform(17, 3, i as u64) * 2.0 - 1.0).collect()
}

/// Every kind of float: NaN of both signs, zeros of both signs, infinities, subnormal numbers, large and small ones.
fn odd_floats(n: usize) -> Vec<f32> {
    let odd = [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -1e-40, f32::MAX, f32::MIN];
    words(n, 4)
        .into_iter()
        .enumerate()
        .map(|(i, word)| if i % 5 == 2 { odd[i / 5 % odd.len()] } else { f32::from_bits(word) })
        .collect()
}

/// As documented: NaN is the largest, both zeros are equal.
fn float_order(x: &f32, y: &f32) -> Ordering {
    match (x.is_nan(), y.is_nan()) {
        (false, false) => x.partial_cmp(y).expect("neither is NaN"),
        (x, y) => x.cmp(&y),
    }
}

fn fail(error: netcl::Error) -> Failed {
    error.to_string().into()
}

fn tensor<T: Element>(device: &Device, values: &[T]) -> Result<Tensor, Failed> {
    Tensor::from_slice(device, values, &[values.len()]).map_err(fail)
}

/// Fails at the first element that is not the same, bit by bit.
fn equal<T: Element>(what: &str, found: &Tensor, expected: &[T]) -> Result<(), Failed> {
    let found = found.to_vec::<T>().map_err(fail)?;
    if found.len() != expected.len() {
        return Err(format!("{what}: {} elements, expected {}", found.len(), expected.len()).into());
    }
    let (ours, theirs) = (plain::bytes_of(&found), plain::bytes_of(expected));
    match ours.iter().zip(theirs).position(|(x, y)| x != y) {
        Some(byte) => {
            let at = byte / (ours.len() / found.len());
            Err(format!("{what}: element {at} is {:?}, expected {:?}", found[at], expected[at]).into())
        }
        None => Ok(()),
    }
}

/// Fails at the first element that differs by more than `tolerance`.
fn close(what: &str, found: f64, expected: f64, tolerance: f64) -> Result<(), Failed> {
    if (found - expected).abs() <= tolerance {
        return Ok(());
    }
    Err(format!("{what}: {found}, expected {expected} within {tolerance}").into())
}

fn map(device: &Device, n: usize) -> Result<(), Failed> {
    let (x, y) = (floats(n), words(n, 5).into_iter().map(|word| (word % 1000) as f32).collect::<Vec<_>>());
    let (xt, yt) = (tensor(device, &x)?, tensor(device, &y)?);
    let found = algorithms::map("v0 < 0 ? -v0 : max(v1 - 500, 0.5f)", &[&xt, &yt]).map_err(fail)?;
    let expected = |(x, y): (&f32, &f32)| if *x < 0.0 { -x } else { (y - 500.0).max(0.5) };
    equal("map", &found, &x.iter().zip(&y).map(expected).collect::<Vec<_>>())?;
    let found = algorithms::matching("v0 > 0.25f && v1 != 3", &[&xt, &yt]).map_err(fail)?;
    equal("matching", &found, &x.iter().zip(&y).map(|(x, y)| *x > 0.25 && *y != 3.0).collect::<Vec<bool>>())
}

fn map_halves(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<half::f16> = floats(n).into_iter().map(half::f16::from_f32).collect();
    let found = algorithms::map("v0 * 0.5f + 1", &[&tensor(device, &x)?]).map_err(fail)?;
    equal("map", &found, &x.iter().map(|x| half::f16::from_f32(x.to_f32() * 0.5 + 1.0)).collect::<Vec<_>>())
}

fn map_integers(device: &Device, n: usize) -> Result<(), Failed> {
    let (x, y): (Vec<i32>, Vec<i32>) =
        (words(n, 6).iter().map(|&w| w as i32).collect(), words(n, 7).iter().map(|&w| w as i32 % 3).collect());
    let found = algorithms::map("v0 / v1 + v0 % v1 * 3 - (v0 << v1)", &[&tensor(device, &x)?, &tensor(device, &y)?]);
    let expected = |(&x, &y): (&i32, &i32)| {
        let quotient = if y == 0 { 0 } else { x.wrapping_div(y) };
        let remainder = if y == 0 { 0 } else { x.wrapping_rem(y) };
        quotient.wrapping_add(remainder.wrapping_mul(3)).wrapping_sub(x.wrapping_shl(y as u32))
    };
    equal("map", &found.map_err(fail)?, &x.iter().zip(&y).map(expected).collect::<Vec<_>>())
}

fn reduce_f32(device: &Device, n: usize) -> Result<(), Failed> {
    let x = floats(n);
    let xt = tensor(device, &x)?;
    let item = |tensor: netcl::Result<Tensor>| tensor.and_then(|tensor| tensor.item::<f32>()).map_err(fail);
    let sum: f64 = x.iter().map(|&x| f64::from(x)).sum();
    // Rounding errors of sums in any tree: far under n * 2^-24 times the largest part.
    let tolerance = 1e-6 * (n as f64).sqrt().max(1.0);
    close("sum", f64::from(item(algorithms::reduce(Operator::Sum, &xt))?), sum, tolerance)?;
    let squares: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let found = item(algorithms::map_reduce("v0 * v1", Operator::Sum, &[&xt, &xt]))?;
    close("dot product", f64::from(found), squares, 1e-5 * squares)?;
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    equal("max", &algorithms::reduce(Operator::Max, &xt).map_err(fail)?, &[largest])?;
    let smallest = x.iter().copied().fold(f32::INFINITY, f32::min);
    equal("min", &algorithms::reduce(Operator::Min, &xt).map_err(fail)?, &[smallest])?;
    Ok(())
}

fn reduce_integers(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<i64> = words(n, 8).iter().map(|&word| (i64::from(word) << 31) ^ i64::from(word)).collect();
    let xt = tensor(device, &x)?;
    let reduce = |combine: Combine, x: &Tensor| algorithms::reduce(combine, x).map_err(fail);
    equal("sum", &reduce(Operator::Sum.into(), &xt)?, &[x.iter().fold(0i64, |s, &x| s.wrapping_add(x))])?;
    equal("product", &reduce(Operator::Product.into(), &xt)?, &[x.iter().fold(1i64, |s, &x| s.wrapping_mul(x))])?;
    equal("max", &reduce(Operator::Max.into(), &xt)?, &[x.iter().copied().max().unwrap_or(i64::MIN)])?;
    let x = words(n, 9);
    let xt = tensor(device, &x)?;
    equal("min", &reduce(Operator::Min.into(), &xt)?, &[x.iter().copied().min().unwrap_or(u32::MAX)])?;
    equal("xor", &reduce(Combine::new("a ^ b", "0"), &xt)?, &[x.iter().fold(0, |s, x| s ^ x)])
}

fn reduce_f64(device: &Device, n: usize) -> Result<(), Failed> {
    if !device.profile().fp64 {
        return Ok(());
    }
    let x: Vec<f64> = floats(n).into_iter().map(f64::from).collect();
    let found = algorithms::reduce(Operator::Sum, &tensor(device, &x)?).and_then(|sum| sum.item::<f64>());
    close("sum", found.map_err(fail)?, x.iter().sum(), 1e-14 * (n as f64).max(1.0))
}

fn scan_i32(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<i32> = words(n, 10).iter().map(|&word| word as i32).collect();
    let xt = tensor(device, &x)?;
    let mut sum = 0i32;
    let (before, with): (Vec<i32>, Vec<i32>) = x
        .iter()
        .map(|&x| {
            let before = sum;
            sum = sum.wrapping_add(x);
            (before, sum)
        })
        .unzip();
    equal("inclusive", &algorithms::scan(Operator::Sum, Scan::Inclusive, &xt).map_err(fail)?, &with)?;
    equal("exclusive", &algorithms::scan(Operator::Sum, Scan::Exclusive, &xt).map_err(fail)?, &before)
}

fn scan_i64(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<i64> = words(n, 11).iter().map(|&word| i64::from(word as i32)).collect();
    let mut largest = i64::MIN;
    let expected: Vec<i64> = x
        .iter()
        .map(|&x| {
            largest = largest.max(x);
            largest
        })
        .collect();
    equal("max", &algorithms::scan(Operator::Max, Scan::Inclusive, &tensor(device, &x)?).map_err(fail)?, &expected)
}

/// Affine maps `x ↦ p x + q` modulo 2^16, both in one number: composing them is associative and not commutative.
fn scan_ordered(device: &Device, n: usize) -> Result<(), Failed> {
    let x = words(n, 12);
    let compose =
        Combine::new("((a >> 16) * (b >> 16)) << 16 | (((b >> 16) * (a & 0xFFFF) + (b & 0xFFFF)) & 0xFFFF)", "65536");
    let then = |a: u32, b: u32| {
        let (p, q) = ((a >> 16).wrapping_mul(b >> 16), (b >> 16).wrapping_mul(a & 0xFFFF).wrapping_add(b & 0xFFFF));
        (p << 16) | (q & 0xFFFF)
    };
    let mut composed = 65536u32;
    let expected: Vec<u32> = x
        .iter()
        .map(|&x| {
            composed = then(composed, x);
            composed
        })
        .collect();
    equal("composition", &algorithms::scan(compose, Scan::Inclusive, &tensor(device, &x)?).map_err(fail)?, &expected)
}

fn scan_f32(device: &Device, n: usize) -> Result<(), Failed> {
    let x = floats(n);
    let found = algorithms::scan(Operator::Sum, Scan::Inclusive, &tensor(device, &x)?);
    let found = found.and_then(|sums| sums.to_vec::<f32>()).map_err(fail)?;
    let mut sum = 0.0f64;
    for (at, (&x, &found)) in x.iter().zip(&found).enumerate() {
        sum += f64::from(x);
        close(&format!("sum up to {at}"), f64::from(found), sum, 1e-5 * (n as f64).sqrt().max(1.0))?;
    }
    Ok(())
}

fn compact(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<i64> = words(n, 13).iter().map(|&word| i64::from(word) - (1 << 31)).collect();
    let xt = tensor(device, &x)?;
    let masks = [|x: i64| x > 0, |_| false, |_| true];
    for keep in &masks[..if n == LARGEST_ODD { 1 } else { masks.len() }] {
        let mask: Vec<bool> = x.iter().map(|&x| keep(x)).collect();
        let mt = tensor(device, &mask)?;
        let kept: Vec<i64> = x.iter().copied().filter(|&x| keep(x)).collect();
        equal("compact", &algorithms::compact(&xt, &mt).map_err(fail)?, &kept)?;
        let at: Vec<u32> = (0..n as u32).filter(|&i| mask[i as usize]).collect();
        equal("positions", &algorithms::positions(&mt).map_err(fail)?, &at)?;
    }
    Ok(())
}

fn unique(device: &Device, n: usize) -> Result<(), Failed> {
    let same = |name: &str, x: Tensor, mut expected: Vec<u32>| {
        expected.sort_unstable();
        expected.dedup();
        equal(name, &algorithms::unique(&x).map_err(fail)?, &expected)
    };
    same("unique of few", tensor(device, &small(n))?, small(n))?;
    same("unique of many", tensor(device, &words(n, 2))?, words(n, 2))?;
    let truths: Vec<bool> = small(n).into_iter().map(|word| word == 1).collect();
    let found = algorithms::unique(&tensor(device, &truths)?).map_err(fail)?;
    let expected: Vec<bool> = [false, true].into_iter().filter(|value| truths.contains(value)).collect();
    equal("unique truths", &found, &expected)?;
    // Each NaN is another one, zeros of both signs are alike.
    let floats = odd_floats(n);
    let mut expected: Vec<f32> = floats.iter().copied().filter(|x| !x.is_nan()).collect();
    expected.sort_by(f32::total_cmp);
    expected.dedup();
    let found = algorithms::unique(&tensor(device, &floats)?).map_err(fail)?.to_vec::<f32>().map_err(fail)?;
    let nan = floats.iter().filter(|x| x.is_nan()).count();
    let is_nan = found.iter().rev().take_while(|x| x.is_nan()).count();
    // Subnormal numbers may be taken for 0.
    let normal =
        |values: &[f32]| -> Vec<f32> { values.iter().copied().filter(|x| x.is_normal() || x.is_infinite()).collect() };
    if is_nan != nan || normal(&found) != normal(&expected) {
        return Err(format!("unique floats: {found:?} instead of {expected:?} and {nan} NaN").into());
    }
    Ok(())
}

fn histogram(device: &Device, n: usize) -> Result<(), Failed> {
    let mut x = floats(n);
    for (i, x) in x.iter_mut().enumerate() {
        match i % 11 {
            3 => *x = f32::NAN,
            5 => *x = 0.75,
            7 => *x = f32::NEG_INFINITY,
            _ => {}
        }
    }
    let xt = tensor(device, &x)?;
    for bins in [1usize, 10, 1000, 5000].into_iter().filter(|&bins| n < LARGEST_ODD || bins == 1000) {
        let (low, high) = (-0.5f32, 0.75f32);
        let mut counts = vec![0u32; bins];
        for &x in x.iter().filter(|&&x| x >= low && x <= high) {
            counts[(((x - low) * (bins as f32 / (high - low))) as usize).min(bins - 1)] += 1;
        }
        equal(&format!("{bins} bins"), &algorithms::histogram(&xt, bins, low, high).map_err(fail)?, &counts)?;
    }
    Ok(())
}

fn bincount(device: &Device, n: usize) -> Result<(), Failed> {
    let x: Vec<u32> = words(n, 14).into_iter().map(|word| if word % 3 == 0 { word } else { word % 3000 }).collect();
    let xt = tensor(device, &x)?;
    for bins in [1usize, 2048, 2999] {
        let mut counts = vec![0u32; bins];
        for &x in &x {
            if let Some(count) = counts.get_mut(x as usize) {
                *count += 1;
            }
        }
        equal(&format!("{bins} bins"), &algorithms::bincount(&xt, bins).map_err(fail)?, &counts)?;
    }
    Ok(())
}

fn random(device: &Device, n: usize) -> Result<(), Failed> {
    let draw = Random::new(device, 7, 3);
    let positions = || 0..n as u64;
    let normal: Vec<f32> = positions().map(|i| philox::normal(7, 3, i)).collect();
    equal("normal", &draw.normal(&[n]).map_err(fail)?, &normal)?;
    if n >= 65_537 {
        // Six standard errors.
        let sum: f64 = normal.iter().copied().map(f64::from).sum();
        let squares: f64 = normal.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
        close("mean", sum / n as f64, 0.0, 6.0 / (n as f64).sqrt())?;
        close("variance", squares / n as f64, 1.0, 6.0 * (2.0 / n as f64).sqrt())?;
    }
    if n == LARGEST_ODD {
        // The others end as these do.
        return Ok(());
    }
    let uniform: Vec<f32> = positions().map(|i| philox::uniform(7, 3, i)).collect();
    equal("uniform", &draw.uniform(&[n]).map_err(fail)?, &uniform)?;
    let within = |range: u64, i| ((u64::from(philox::word(7, 3, i)) * range) >> 32) as u32;
    let found = draw.integers_i32(&[n], -3..=6).map_err(fail)?;
    equal("integers", &found, &positions().map(|i| within(10, i) as i32 - 3).collect::<Vec<_>>())?;
    let found = draw.integers_u32(&[n], 0..=u32::MAX).map_err(fail)?;
    equal("words", &found, &positions().map(|i| philox::word(7, 3, i)).collect::<Vec<_>>())?;
    let found = draw.integers_i32(&[n], i32::MIN..=i32::MAX).map_err(fail)?;
    let all = positions().map(|i| i32::MIN.wrapping_add(philox::word(7, 3, i) as i32));
    equal("all integers", &found, &all.collect::<Vec<_>>())?;
    for probability in [0.0, 0.3, 1.0] {
        let truths: Vec<bool> = uniform.iter().map(|&draw| f64::from(draw) < probability).collect();
        equal("bernoulli", &draw.bernoulli(&[n], probability).map_err(fail)?, &truths)?;
    }
    Ok(())
}

fn bad_input(device: &Device) -> Result<(), Failed> {
    let floats = tensor(device, &[1.0f32, 2.0])?;
    let (integers, truths) = (tensor(device, &[1u32, 2, 3])?, tensor(device, &[true, false])?);
    let draw = Random::new(device, 1, 0);
    for (what, result, part) in [
        ("map", algorithms::map("v0 +", &[&floats]), "column 5"),
        ("map", algorithms::map("v0 + v1", &[&floats]), "`v1` is not known"),
        ("map", algorithms::map("v0", &[]), "at least one input"),
        ("map", algorithms::map("v0 + v1", &[&integers, &tensor(device, &[1u32])?]), "inputs of one shape"),
        ("map", algorithms::map("v0 + v1", &[&floats, &integers]), "expects f32, found u32"),
        ("map", algorithms::map("v0", &[&truths]), "elements of type bool are not computed with"),
        ("reduce", algorithms::reduce(Combine::new("a + v0", "0"), &floats), "`v0` is not known"),
        ("reduce", algorithms::reduce(Combine::new("a + b", "a"), &floats), "`a` is not known"),
        (
            "sort",
            algorithms::sort_by_key(&floats, &integers, Order::Ascending).map(|(keys, _)| keys),
            "inputs of one shape",
        ),
        ("compact", algorithms::compact(&floats, &floats), "expects bool, found f32"),
        ("compact", algorithms::compact(&integers, &truths), "inputs of one shape"),
        ("histogram", algorithms::histogram(&floats, 4, 1.0, 1.0), "finite ends"),
        ("histogram", algorithms::histogram(&floats, 4, f32::NAN, 1.0), "finite ends"),
        ("histogram", algorithms::histogram(&floats, 0, 0.0, 1.0), "at least 1 bin"),
        ("histogram", algorithms::histogram(&integers, 4, 0.0, 1.0), "expects f32, found u32"),
        ("bincount", algorithms::bincount(&floats, 4), "expects u32, found f32"),
        ("bincount", algorithms::bincount(&integers, 0), "expects 1 to 2^31 - 1 bins"),
        #[allow(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        ("integers", draw.integers_i32(&[2], 3..=2), "smaller end first, found 3..=2"),
        ("bernoulli", draw.bernoulli(&[2], 1.5), "within 0 and 1, found 1.5"),
        ("bernoulli", draw.bernoulli(&[2], f64::NAN), "within 0 and 1"),
        ("uniform", draw.uniform(&[usize::MAX, 2]), "larger than memory can be"),
    ] {
        match result {
            Ok(_) => return Err(format!("{what} gives no error with `{part}`").into()),
            Err(error) if error.to_string().contains(part) => {}
            Err(error) => return Err(format!("{what}: {error}, expected `{part}`").into()),
        }
    }
    let null = Device::null(netcl::Target::Gpu, 1 << 20);
    match algorithms::map("v0", &[&Tensor::zeros(&null, &[2], DType::F32).map_err(fail)?]) {
        Err(netcl::Error::Unsupported { .. }) => Ok(()),
        other => Err(format!("on the null device: {other:?}").into()),
    }
}
