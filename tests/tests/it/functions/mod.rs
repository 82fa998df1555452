//! Methods and operators of Rust's numbers in functions of scalars: each function is run as Rust and in a kernel, on
//! numbers that tell meanings apart.

mod bare;
mod known;
mod listed;
mod simt_form;

use crate::common::{agree, device, everywhere, floats, of};
use netcl::{Result, Tensor};

mod one {
    #[netcl::function]
    pub fn round(x: f32) -> f32 {
        x.round()
    }

    #[netcl::function]
    pub fn round_sign(x: f32) -> f32 {
        1.0 / x.round()
    }

    #[netcl::function]
    pub fn round_even(x: f32) -> f32 {
        x.round_ties_even()
    }

    #[netcl::function]
    pub fn signum(x: f32) -> f32 {
        x.signum()
    }

    #[netcl::function]
    pub fn larger(x: f32) -> f32 {
        x.max(0.5)
    }

    #[netcl::function]
    pub fn smaller(x: f32) -> f32 {
        x.min(-0.5)
    }

    #[netcl::function]
    pub fn constant_first(x: f32) -> f32 {
        0.25f32.max(x)
    }

    #[netcl::function]
    pub fn abs(x: f32) -> f32 {
        x.abs()
    }

    #[netcl::function]
    pub fn floor(x: f32) -> f32 {
        x.floor()
    }

    #[netcl::function]
    pub fn ceil(x: f32) -> f32 {
        x.ceil()
    }

    #[netcl::function]
    pub fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    #[netcl::function]
    pub fn exp(x: f32) -> f32 {
        x.exp()
    }

    #[netcl::function]
    pub fn exp2(x: f32) -> f32 {
        x.exp2()
    }

    #[netcl::function]
    pub fn exp_m1(x: f32) -> f32 {
        x.exp_m1()
    }

    #[netcl::function]
    pub fn ln(x: f32) -> f32 {
        x.ln()
    }

    #[netcl::function]
    pub fn ln_1p(x: f32) -> f32 {
        x.ln_1p()
    }

    #[netcl::function]
    pub fn log2(x: f32) -> f32 {
        x.log2()
    }

    #[netcl::function]
    pub fn sin(x: f32) -> f32 {
        x.sin()
    }

    #[netcl::function]
    pub fn cos(x: f32) -> f32 {
        x.cos()
    }

    #[netcl::function]
    pub fn tan(x: f32) -> f32 {
        x.tan()
    }

    #[netcl::function]
    pub fn tanh(x: f32) -> f32 {
        x.tanh()
    }

    #[netcl::function]
    pub fn recip(x: f32) -> f32 {
        x.recip()
    }

    #[netcl::function]
    pub fn powi_cube(x: f32) -> f32 {
        x.powi(3)
    }

    #[netcl::function]
    pub fn powi_fifth(x: f32) -> f32 {
        x.powi(-5)
    }

    #[netcl::function]
    pub fn powf_root(x: f32) -> f32 {
        x.powf(0.5)
    }

    #[netcl::function]
    pub fn powf_inverse_root(x: f32) -> f32 {
        x.powf(-0.5)
    }

    #[netcl::function]
    pub fn powf_half(x: f32) -> f32 {
        x.powf(2.5)
    }

    #[netcl::function]
    pub fn powf_nothing(x: f32) -> f32 {
        x.powf(0.0)
    }

    #[netcl::function]
    pub fn clamp(x: f32) -> f32 {
        x.clamp(-1.5, 2.5)
    }

    #[netcl::function]
    pub fn remainder(x: f32) -> f32 {
        x % 1.5
    }

    #[netcl::function]
    pub fn whole(x: f32) -> f32 {
        (x as i32) as f32
    }

    #[netcl::function]
    pub fn sort(x: f32) -> f32 {
        if x.is_nan() {
            1.0
        } else if x.is_finite() {
            2.0
        } else {
            3.0
        }
    }
}

/// Bodies of more than one expression.
mod body {
    #[netcl::function]
    pub fn over_list(x: f32) -> f32 {
        let mut sum = 0.0;
        for factor in [0.5, -0.25, 2.0] {
            sum = sum * x + factor;
        }
        sum
    }

    #[netcl::function]
    pub fn over_range(x: f32) -> f32 {
        let mut sum = 0.0;
        for i in 0..=3 {
            sum += x / (i + 1) as f32;
        }
        sum
    }

    #[netcl::function]
    pub fn parts(x: f32) -> f32 {
        let pair = (x * 2.0, x + 1.0);
        let mut part = pair.1;
        if x > 0.0 {
            part = pair.0;
        }
        part
    }

    #[netcl::function]
    pub fn nested(x: f32) -> f32 {
        parts(x).powi(2) - parts(-x)
    }
}

mod two {
    #[netcl::function]
    pub fn max(x: f32, y: f32) -> f32 {
        x.max(y)
    }

    #[netcl::function]
    pub fn min(x: f32, y: f32) -> f32 {
        x.min(y)
    }

    #[netcl::function]
    pub fn angle(x: f32, y: f32) -> f32 {
        x.atan2(y)
    }

    #[netcl::function]
    pub fn power(x: f32, y: f32) -> f32 {
        x.powf(y)
    }

    #[netcl::function]
    pub fn rest(x: f32, y: f32) -> f32 {
        x % y
    }
}

mod whole {
    #[netcl::function]
    pub fn magnitude(a: i32, b: i32) -> i32 {
        a.abs() + b
    }

    #[netcl::function]
    pub fn sign(a: i32, b: i32) -> i32 {
        a.signum() * b
    }

    #[netcl::function]
    pub fn top(a: i32, b: i32) -> i32 {
        a.max(b)
    }

    #[netcl::function]
    pub fn bottom(a: i32, b: i32) -> i32 {
        a.min(2) + b
    }

    #[netcl::function]
    pub fn quotient(a: i32, b: i32) -> i32 {
        a / b
    }

    #[netcl::function]
    pub fn modulo(a: i32, b: i32) -> i32 {
        a % b
    }

    #[netcl::function]
    pub fn held(a: i32, b: i32) -> i32 {
        a.clamp(-2, 3) * b
    }

    #[netcl::function]
    pub fn folded(a: i32, b: i32) -> i32 {
        a * (9 / 2 + -7 / 2 + -7 % 4) - b
    }
}

netcl::kernel! {
    fn one_0(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::round(x[n]), one::round_sign(x[n]), one::round_even(x[n]), one::signum(x[n]), one::larger(x[n]), one::smaller(x[n]), one::constant_first(x[n]), one::abs(x[n]), one::floor(x[n]), one::ceil(x[n]), one::sqrt(x[n]))
    }

    fn one_1(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::exp(x[n]), one::exp2(x[n]), one::exp_m1(x[n]), one::ln(x[n]), one::ln_1p(x[n]), one::log2(x[n]), one::sin(x[n]), one::cos(x[n]), one::tan(x[n]), one::tanh(x[n]), one::recip(x[n]))
    }

    fn one_2(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::powi_cube(x[n]), one::powi_fifth(x[n]), one::powf_root(x[n]), one::powf_inverse_root(x[n]), one::powf_half(x[n]), one::powf_nothing(x[n]), one::clamp(x[n]), one::remainder(x[n]), one::whole(x[n]), one::sort(x[n]))
    }

    fn one_3(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (body::over_list(x[n]), body::over_range(x[n]), body::parts(x[n]), body::nested(x[n]))
    }

    fn both(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (two::max(x[n], y[n]), two::min(x[n], y[n]), two::angle(x[n], y[n]), two::power(x[n], y[n]), two::rest(x[n], y[n]))
    }

    fn integers(a: &Tensor<i32, N>, b: &Tensor<i32, N>) -> (Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>) {
        |n| (whole::magnitude(a[n], b[n]), whole::sign(a[n], b[n]), whole::top(a[n], b[n]), whole::bottom(a[n], b[n]), whole::quotient(a[n], b[n]), whole::modulo(a[n], b[n]), whole::held(a[n], b[n]), whole::folded(a[n], b[n]))
    }
}

/// Zeros, halves, neighbours of a half, and what is no number.
const NUMBERS: [f32; 24] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.499_999_97,
    -0.499_999_97,
    1.0,
    -1.0,
    0.3,
    -0.3,
    3.7,
    -3.7,
    2.0,
    -2.0,
    40.25,
    -300.75,
    8_388_609.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

type One = (&'static str, fn(f32) -> f32);
type Two = (&'static str, fn(f32, f32) -> f32);
type Whole = (&'static str, fn(i32, i32) -> i32);

const ONE: [One; 36] = [
    ("round", one::round),
    ("round_sign", one::round_sign),
    ("round_even", one::round_even),
    ("signum", one::signum),
    ("larger", one::larger),
    ("smaller", one::smaller),
    ("constant_first", one::constant_first),
    ("abs", one::abs),
    ("floor", one::floor),
    ("ceil", one::ceil),
    ("sqrt", one::sqrt),
    ("exp", one::exp),
    ("exp2", one::exp2),
    ("exp_m1", one::exp_m1),
    ("ln", one::ln),
    ("ln_1p", one::ln_1p),
    ("log2", one::log2),
    ("sin", one::sin),
    ("cos", one::cos),
    ("tan", one::tan),
    ("tanh", one::tanh),
    ("recip", one::recip),
    ("powi_cube", one::powi_cube),
    ("powi_fifth", one::powi_fifth),
    ("powf_root", one::powf_root),
    ("powf_inverse_root", one::powf_inverse_root),
    ("powf_half", one::powf_half),
    ("powf_nothing", one::powf_nothing),
    ("clamp", one::clamp),
    ("remainder", one::remainder),
    ("whole", one::whole),
    ("sort", one::sort),
    ("over_list", body::over_list),
    ("over_range", body::over_range),
    ("parts", body::parts),
    ("nested", body::nested),
];

const TWO: [Two; 5] =
    [("max", two::max), ("min", two::min), ("angle", two::angle), ("power", two::power), ("rest", two::rest)];

const WHOLE: [Whole; 8] = [
    ("magnitude", whole::magnitude),
    ("sign", whole::sign),
    ("top", whole::top),
    ("bottom", whole::bottom),
    ("quotient", whole::quotient),
    ("modulo", whole::modulo),
    ("held", whole::held),
    ("folded", whole::folded),
];

/// Whether a kernel gave what the functions of one number give.
fn compare(functions: &[One], results: &[Vec<f32>]) {
    assert_eq!(functions.len(), results.len());
    for ((name, function), found) in functions.iter().zip(results) {
        for (x, found) in NUMBERS.into_iter().zip(found) {
            agree(name, &x.to_string(), *found, function(x));
        }
    }
}

/// Every pair of numbers.
fn pairs() -> (Vec<f32>, Vec<f32>) {
    NUMBERS.iter().flat_map(|&x| NUMBERS.map(|y| (x, y))).unzip()
}

/// Whether a kernel gave what the functions of two numbers give.
fn compare_pairs(results: &[Vec<f32>]) {
    let (x, y) = pairs();
    for ((name, function), found) in TWO.into_iter().zip(results) {
        for ((&x, &y), &found) in x.iter().zip(&y).zip(found) {
            agree(name, &format!("{x}, {y}"), found, function(x, y));
        }
    }
}

/// Pairs of whole numbers.
fn whole_pairs() -> (Vec<i32>, Vec<i32>) {
    (-7..8).flat_map(|a| [-4, -1, 1, 2, 3].map(|b| (a, b))).unzip()
}

/// Whether a kernel gave what the functions of whole numbers give.
fn compare_whole(results: &[Vec<i32>]) {
    let (a, b) = whole_pairs();
    for ((name, function), found) in WHOLE.into_iter().zip(results) {
        for ((&a, &b), &found) in a.iter().zip(&b).zip(found) {
            assert_eq!(found, function(a, b), "{name}({a}, {b})");
        }
    }
}

#[test]
fn functions_of_one_float() -> Result<()> {
    everywhere(|| {
        let x = floats(&NUMBERS, &[NUMBERS.len()]);
        let (a, b, c, d, e, f, g, h, i, j, k) = one_0(&x)?;
        compare(&ONE[..11], &of(&[a, b, c, d, e, f, g, h, i, j, k])?);
        let (a, b, c, d, e, f, g, h, i, j, k) = one_1(&x)?;
        compare(&ONE[11..22], &of(&[a, b, c, d, e, f, g, h, i, j, k])?);
        let (a, b, c, d, e, f, g, h, i, j) = one_2(&x)?;
        compare(&ONE[22..32], &of(&[a, b, c, d, e, f, g, h, i, j])?);
        let (a, b, c, d) = one_3(&x)?;
        compare(&ONE[32..], &of(&[a, b, c, d])?);
        Ok(())
    })
}

#[test]
fn functions_of_two_floats() -> Result<()> {
    let (x, y) = pairs();
    everywhere(|| {
        let (a, b, c, d, e) = both(&floats(&x, &[x.len()]), &floats(&y, &[y.len()]))?;
        compare_pairs(&of(&[a, b, c, d, e])?);
        Ok(())
    })
}

#[test]
fn functions_of_integers() -> Result<()> {
    let (a, b) = whole_pairs();
    everywhere(|| {
        let [a, b] = [&a, &b].map(|values| Tensor::from_slice(&device(), values, &[values.len()]));
        let (c, d, e, f, g, h, i, j) = integers(&a?, &b?)?;
        let results =
            [c, d, e, f, g, h, i, j].iter().map(|tensor| tensor.to_vec::<i32>()).collect::<Result<Vec<_>>>()?;
        compare_whole(&results);
        Ok(())
    })
}
