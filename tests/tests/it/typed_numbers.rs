//! Whole numbers whose type something says are computed as Rust computes them, wherever they are held: in tuples, structs and options that
//! a loop carries, from constants and closures, and what `as` makes of sizes and positions.

use crate::common::{device, everywhere};
use netcl::prelude::*;

#[netcl::constant]
const LARGE: i32 = 16_777_216;

#[netcl::constant]
const LISTED: [i32; 2] = [16_777_216, 3];

#[netcl::tensors]
pub struct Counted {
    n: Tensor<i32>,
    h: Tensor<i32>,
}

#[netcl::function]
fn of_a_tuple(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut p = (0i32, 1i32);
    for _ in 0..T {
        p = (p.1, p.0 + p.1);
    }
    x.get(0, 0) * 0 + p.0
}

#[netcl::function]
fn of_a_list(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut s = (Tensor::zeros([], i32), [16_777_216i32, 1]);
    for t in 0..T {
        s = (s.0 + x.get(0, t), [s.1[0] + 1, s.1[1] * 2]);
    }
    s.0 + s.1[0] - s.1[1] / 2
}

#[netcl::function]
fn of_a_struct(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut s = Counted { n: 16_777_216i32, h: Tensor::zeros([], i32) };
    for t in 0..T {
        s.n += 1;
        s.h = s.h + x.get(0, t);
    }
    s.h + s.n
}

#[netcl::function]
fn of_an_option(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut s = Some(16_777_216i32);
    for _ in 0..T {
        s = Some(s.unwrap() + 1);
    }
    x.get(0, 0) * 0 + s.unwrap()
}

#[netcl::function]
fn of_constants(x: &Tensor<i32, T>) -> Tensor<i32> {
    let start = || 16_777_216i32;
    let (mut a, mut b, mut c) = (LARGE, LISTED[0], start());
    for _ in 0..T {
        a = a + 1;
        b += 1;
        c += 1;
    }
    x.get(0, 0) * 0 + (a - b) + c
}

/// Of positions: remainders, distances, the least and the greatest.
#[netcl::function]
fn of_positions(x: &Tensor<i32, T>) -> Tensor<i32, T, 5> {
    let mut all = Vec::new();
    for t in 0..T {
        let d: i32 = t as i32 % 3;
        let h = t as u32 * 2_654_435;
        all.push(Tensor::stack(
            [
                x.get(0, t) * 0 + (t as i32 * 33_000_001) % 1_000_003,
                x.get(0, t) + d,
                (5 - t as i32 * 10_000_001).abs() + x.get(0, t),
                (t as i32 * 33_000_001).clamp(5, 50_000_001) + x.get(0, t),
                (h % 1000) as i32 + x.get(0, t),
            ],
            0,
        ));
    }
    all.stack(0)
}

/// Of a size, and of what counts as sizes do.
#[netcl::function]
fn of_sizes(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut c = 0usize;
    for t in 0..T {
        c = c * 3 + t % 7;
    }
    x.get(0, 0) * 0 + (T as i32 * 33_000_001) % 1_000_003 + c as i32
}

/// Without a type they are floats as they are, and exact until then.
#[netcl::function]
fn of_none(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    let mut all = Vec::new();
    for t in 0..T {
        all.push(x.get(0, t) + (t * 33_000_001) % 1_000_003);
    }
    all.stack(0)
}

#[netcl::model]
pub struct Declared {
    #[parameter(init = 1.0)]
    w: Tensor<f32>,
    #[constant(16777217)]
    large: i32,
}

#[netcl::model]
impl Declared {
    fn count(&self, x: &Tensor<i32, T>) -> Tensor<i32> {
        let mut n = self.large;
        for _ in 0..T {
            n += 1;
        }
        x.get(0, 0) * 0 + n + (&self.w * 0.0).cast(i32)
    }
}

#[test]
fn typed_numbers_are_rusts() -> Result<()> {
    everywhere(|| {
        let device = device();
        for rounds in [1usize, 2, 7, 40] {
            let values: Vec<i32> = (0..rounds as i32).map(|t| t * 3 - 7).collect();
            let x = Tensor::from_slice(&device, &values, &[rounds])?;
            let (sum, n) = (values.iter().sum::<i32>(), rounds as i32);
            let fibonacci = (0..rounds).fold((0i32, 1i32), |p, _| (p.1, p.0.wrapping_add(p.1))).0;
            let doubled = (0..rounds).fold(1i32, |d, _| d.wrapping_mul(2));
            assert_eq!(of_a_tuple(&x)?.item::<i32>()?, fibonacci, "{rounds}");
            assert_eq!(of_a_list(&x)?.item::<i32>()?, sum + 16_777_216 + n - doubled / 2, "{rounds}");
            assert_eq!(of_a_struct(&x)?.item::<i32>()?, sum + 16_777_216 + n, "{rounds}");
            assert_eq!(of_an_option(&x)?.item::<i32>()?, 16_777_216 + n, "{rounds}");
            assert_eq!(of_constants(&x)?.item::<i32>()?, 16_777_216 + n, "{rounds}");
            let positions: Vec<i32> = (0..n)
                .zip(&values)
                .flat_map(|(t, x)| {
                    let large = t.wrapping_mul(33_000_001);
                    [
                        large % 1_000_003,
                        x + t % 3,
                        (5 - t * 10_000_001).abs() + x,
                        large.clamp(5, 50_000_001) + x,
                        (t as u32 * 2_654_435 % 1000) as i32 + x,
                    ]
                })
                .collect();
            assert_eq!(of_positions(&x)?.to_vec::<i32>()?, positions, "{rounds}");
            let counted = (0..rounds).fold(0usize, |c, t| c.wrapping_mul(3).wrapping_add(t % 7));
            let size = n.wrapping_mul(33_000_001) % 1_000_003;
            assert_eq!(of_sizes(&x)?.item::<i32>()?, size.wrapping_add(counted as i32), "{rounds}");
            let untyped: Vec<f32> = (0..rounds).map(|t| 0.5 + ((t * 33_000_001) % 1_000_003) as f32).collect();
            assert_eq!(of_none(&Tensor::full(&device, 0.5f32, &[rounds])?)?.to_vec::<f32>()?, untyped, "{rounds}");
            assert_eq!(Declared::new(&device, Seed(1))?.count(&x)?.item::<i32>()?, 16_777_217 + n, "{rounds}");
        }
        Ok(())
    })
}

/// Bits of numbers without a type are those of the type that they meet.
#[netcl::function]
fn of_bits(u: u32) -> u32 {
    (u & !3) ^ (3 << 31)
}

#[netcl::function]
fn largest_turned(i: i32) -> i32 {
    let v = [1, 2, i];
    v.iter().fold(i32::MIN, |m, q| m.max(*q)) ^ (1 << 31)
}

/// The `if` is around the whole loop, which all elements leave in the same round.
#[netcl::function]
fn twice_if(p: bool, i: i32) -> i32 {
    let mut s = 0;
    if p {
        for k in 0..4 {
            if k == 2 {
                break;
            }
            s += i;
        }
    }
    s
}

#[netcl::function]
fn one_each(_x: f32) -> f32 {
    1.0
}

#[netcl::function]
fn first_of(x: f32, _y: f32) -> f32 {
    x
}

netcl::kernel! {
    /// A list is folded in what a kernel calls, and summed in a kernel.
    fn in_a_kernel(i: &Tensor<i32, N>) -> (Tensor<i32, N>, Tensor<i32, N>) {
        |n| (largest_turned(i[n]), [1, i[n], 3].iter().sum())
    }
}

#[netcl::function]
fn elements(u: &Tensor<u32, N>, i: &Tensor<i32, N>) -> (Tensor<u32, N>, Tensor<i32, N>, Tensor<i32, N>) {
    (of_bits(u), largest_turned(i), twice_if(i.gt(0), i))
}

#[netcl::function]
fn alike(x: &Tensor<f32, N>, y: &Tensor<f32, M, N>) -> (Tensor<f32, N>, Tensor<f32, M, N>) {
    (one_each(x) + x, first_of(x, y))
}

/// What Rust's iterators give of lists and ranges, a list that loses its last, and a number that a call knows.
#[netcl::function]
fn of_lists(x: &Tensor<i32, N>, most: i32) -> Tensor<i32, N> {
    let mut kept = Vec::new();
    kept.push(x * 2);
    kept.push(x * 3);
    kept.pop();
    let sum: i32 = [1, 2, 3].iter().sum();
    let product: i32 = [1, 2, 3, 4].iter().product();
    let both = [x * 5, x * 7].iter().sum();
    kept[0] * most.min(12) + sum * product + [3, 9, 4].iter().max().unwrap() - [3, 9, 4].iter().min().unwrap() + both
}

/// A private enum chooses.
#[derive(Clone, Copy)]
enum Way {
    Once,
    Twice,
}

#[netcl::function]
fn chosen(x: &Tensor<i32, N>, way: Way) -> Tensor<i32, N> {
    match way {
        Way::Once => x * 1,
        Way::Twice => x * 2,
    }
}

#[test]
fn functions_are_rusts() -> Result<()> {
    everywhere(|| {
        let device = device();
        let (us, is) = ([1u32, 7, u32::MAX], [1i32, -2, 30]);
        let (u, i) = (Tensor::from_slice(&device, &us, &[3])?, Tensor::from_slice(&device, &is, &[3])?);
        let (bits, most, double) = elements(&u, &i)?;
        assert_eq!(bits.to_vec::<u32>()?, us.map(|u| (u & !3) ^ (3 << 31)));
        assert_eq!(most.to_vec::<i32>()?, is.map(|i| i.max(2) ^ i32::MIN));
        assert_eq!(double.to_vec::<i32>()?, is.map(|i| twice_if(i > 0, i)));
        let (most, folded) = in_a_kernel(&i)?;
        assert_eq!(most.to_vec::<i32>()?, is.map(largest_turned));
        assert_eq!(folded.to_vec::<i32>()?, is.map(|i| i + 4));
        let x = Tensor::from_slice(&device, &[1f32, 2.0, 4.0], &[3])?;
        let (ones, firsts) = alike(&x, &Tensor::zeros(&device, &[2, 3], DType::F32)?)?;
        assert_eq!(ones.to_vec::<f32>()?, [2.0, 3.0, 5.0]);
        assert_eq!(firsts.to_vec::<f32>()?, [1.0, 2.0, 4.0, 1.0, 2.0, 4.0]);
        for most in [5, 20] {
            let wanted = is.map(|x| x * 2 * most.min(12) + 6 * 24 + 6 + x * 12);
            assert_eq!(of_lists(&i, most)?.to_vec::<i32>()?, wanted);
        }
        assert_eq!(chosen(&i, Way::Once)?.to_vec::<i32>()?, is);
        assert_eq!(chosen(&i, Way::Twice)?.to_vec::<i32>()?, is.map(|i| i * 2));
        Ok(())
    })
}

#[netcl::constant]
const LIMIT: u8 = 200;

#[netcl::constant]
const WINDOW: u32 = 8;

#[netcl::constant]
const KERNEL: i32 = 5;

netcl::kernel! {
    /// Indices and sizes are not of a constant's type, whatever that holds.
    fn below(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| if n < LIMIT { x[n] } else { 0.0 }
    }

    fn band(x: &Tensor<f32, N>) -> Tensor<f32, N, N> {
        |i, j| if i - j < WINDOW { x[i] } else { 0.0 }
    }

    fn moved(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pad(x[n + (N - KERNEL) / 2])
    }
}

/// What a size and a constant of some type make is a size, and a float beside floats.
#[netcl::function]
fn made_of_sizes(x: &Tensor<f32, { T + 5 }>) -> Tensor<f32> {
    let mut sum = Tensor::zeros([]);
    for t in 0..(T + 5 - KERNEL) / 2 + 1 {
        sum = sum + x.get(0, t);
    }
    let rest = x.narrow(0, 0, (T + 5 - KERNEL) / 2).sum_all();
    sum + rest * (1.0 / (T * WINDOW)) + (T % KERNEL) + 1.0 / T.max(KERNEL) + 1.0 / T.pow(2)
}

/// Beyond what floats hold, where whole numbers meet it.
#[netcl::function]
fn exact(x: &Tensor<i32, N>) -> Tensor<i32, N> {
    x + N.min(20_000_001) + (N.max(20_000_001)) as i32
}

/// What is computed of sizes and positions is divided as whole numbers are.
#[netcl::function]
fn divided(f: &Tensor<f32, T>) -> Tensor<f32, T> {
    let mut all = Vec::new();
    for t in 0..T {
        let n: usize = t % 7;
        let (k, both) = ((n / 2) as f32, (min(t, 5) * 33_554_433 % 1000) as f32);
        all.push(f.get(0, t) + k + both + (T % 7 / 2) as f32 + ((t as i32 - 5) as u32 / 3 % 1000) as f32);
    }
    all.stack(0)
}

#[netcl::constant]
const ALL_BITS: u32 = !0;

#[netcl::constant]
const LOW_BITS: u32 = !0u32 >> 7;

/// A range is of the type of its ends; Euclid's quotient and remainder below zero, and a quotient by a position.
#[netcl::function]
fn rounded_down(x: &Tensor<i32, T>) -> Tensor<i32> {
    let mut sum = x.sum_all();
    for k in 0..5i32 {
        sum = sum + k / 2;
    }
    for k in 0..T as i32 {
        let (rest, whole) = ((k - 7).rem_euclid(4), (k - 7).div_euclid(4));
        sum = sum + k / 2 - 3 + rest * 100 + whole * 10_000 + 1000 / (k + 1) + !k;
    }
    sum + (T as i32 - 50).rem_euclid(-9)
}

/// Where a `let` or a constant says the type of bits that are turned.
#[netcl::function]
fn turned(x: &Tensor<u32, T>) -> Tensor<u32, T> {
    let (all, few): (u32, u32) = (!0u32, 1 << 4);
    let low: u32 = !7;
    let half: u32 = (!0 >> 16) & 0xFFFF_00FF;
    let byte: u8 = !3;
    (x ^ all) + (low >> 8) + byte as u32 + half + ALL_BITS + LOW_BITS + few
}

netcl::kernel! {
    /// A number alone is of the elements' type.
    fn sevens(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| x[n] + sum(0..N, |_k| 7) * max(0..2, |_k| -3)
    }
    /// An `f32` carries what the elements of half precision cannot.
    fn in_single(x: &Tensor<f16, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, 0.0f32, |sum, c| sum + x[n, c] as f32)
    }
}

#[test]
fn the_text_says_the_type() -> Result<()> {
    everywhere(|| {
        let device = device();
        for rounds in [1i32, 3, 10] {
            let x = Tensor::full(&device, 0i32, &[rounds as usize])?;
            let each =
                |k: i32| k / 2 - 3 + (k - 7).rem_euclid(4) * 100 + (k - 7).div_euclid(4) * 10_000 + 1000 / (k + 1) + !k;
            let wanted = 4 + (0..rounds).map(each).sum::<i32>() + (rounds - 50).rem_euclid(-9);
            assert_eq!(rounded_down(&x)?.item::<i32>()?, wanted, "{rounds}");
            assert_eq!(sevens(&x)?.to_vec::<i32>()?, vec![-21 * rounds; rounds as usize], "{rounds}");
        }
        let given = [0u32, 5, u32::MAX];
        let found = turned(&Tensor::from_slice(&device, &given, &[3])?)?;
        let rest = (!7u32 >> 8).wrapping_add(252).wrapping_add(!0).wrapping_add(!0 >> 7).wrapping_add(16 + 0xFF);
        assert_eq!(found.to_vec::<u32>()?, given.map(|x| (!x).wrapping_add(rest)));
        let halves = Tensor::full(&device, 0.1f32, &[2, 3000])?.cast(DType::F16);
        for sum in in_single(&halves)?.to_vec::<f32>()? {
            assert!((sum - 299.927).abs() < 0.01, "{sum}");
        }
        Ok(())
    })
}

/// Of `i64` all bits are turned.
#[netcl::function]
fn masked(l: &Tensor<i64, T>) -> Tensor<i64, T> {
    (l & !(1 << 40)) ^ !4_000_000_000
}

#[netcl::function]
fn one_more(x: f32) -> f32 {
    x + one_each(x)
}

/// A function of numbers that another one has called with the same argument, and one that a loop's body has.
#[netcl::function]
fn called_again(x: &Tensor<f32, N, 8>, s: &Tensor<f32>, y: &Tensor<f32, T>) -> Tensor<f32, N, 8> {
    let mut h = one_more(x) + one_each(x).sum(1).unsqueeze(1);
    for t in 0..T {
        h = h + one_more(s) * y.get(0, t);
    }
    h + one_more(s)
}

#[allow(dead_code, reason = "what is compiled reads them")]
struct Both<T> {
    first: T,
    second: T,
}

/// A struct of Rust's, and a list that loses its last in a block's last statement.
#[netcl::function]
fn in_blocks(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let both = Both { first: x * 1.0, second: x * 2.0 };
    let mut kept = Vec::new();
    kept.push(x);
    for i in 0..2 {
        kept.push(x * 2.0);
        if i == 1 {
            kept.pop();
        }
    }
    both.first + both.second + kept.len()
}

#[test]
fn sizes_stay_sizes() -> Result<()> {
    everywhere(|| {
        let ones = |shape: &[usize]| Tensor::full(&device(), 1f32, shape);
        let sum = |x: Tensor| x.sum_all().item::<f32>();
        assert_eq!(sum(below(&ones(&[1000])?)?)?, 200.0);
        let inside = (0..20i32).flat_map(|i| (0..20i32).map(move |j| i - j)).filter(|by| *by < 8).count();
        assert_eq!(sum(band(&ones(&[20])?)?)?, inside as f32);
        let values: Vec<f32> = (0..9).map(|i| i as f32).collect();
        let shifted = moved(&Tensor::from_slice(&device(), &values, &[9])?)?.to_vec::<f32>()?;
        assert_eq!(shifted, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0]);
        let found = made_of_sizes(&ones(&[9])?)?.item::<f32>()?;
        assert!((found - (3.0 + 2.0 / 32.0 + 4.0 + 0.2 + 1.0 / 16.0)).abs() < 1e-5, "{found}");
        assert_eq!(exact(&Tensor::full(&device(), -20_000_000, &[3])?)?.to_vec::<i32>()?, [4; 3]);
        for rounds in [1usize, 6, 40] {
            let wanted: Vec<f32> = (0..rounds)
                .map(|t| {
                    let whole = (t % 7 / 2 + t.min(5) * 33_554_433 % 1000 + rounds % 7 / 2) as f32;
                    whole + ((t as i32 - 5) as u32 / 3 % 1000) as f32
                })
                .collect();
            assert_eq!(divided(&Tensor::full(&device(), 0f32, &[rounds])?)?.to_vec::<f32>()?, wanted);
        }
        let wide = [-7i64, i64::MAX, 1 << 40];
        let found = masked(&Tensor::from_slice(&device(), &wide, &[3])?)?;
        assert_eq!(found.to_vec::<i64>()?, wide.map(|l| (l & !(1 << 40)) ^ !4_000_000_000));
        let again = called_again(&ones(&[2, 8])?, &Tensor::full(&device(), 2f32, &[])?, &ones(&[3])?)?;
        assert_eq!(again.to_vec::<f32>()?, [22.0; 16]);
        assert_eq!(in_blocks(&ones(&[2])?)?.to_vec::<f32>()?, [5.0; 2]);
        Ok(())
    })
}
