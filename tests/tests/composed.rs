//! Functions of Rust's numbers that netcl composes of its operations: each is run as Rust and in a kernel.
#![allow(missing_docs, unreachable_pub, reason = "a test")]

mod common;

use common::{agree, device, everywhere, floats, of};
use netcl::{Result, Tensor};

mod one {
    #[netcl::function]
    pub fn trunc(x: f32) -> f32 {
        x.trunc()
    }

    #[netcl::function]
    pub fn fract(x: f32) -> f32 {
        x.fract()
    }

    #[netcl::function]
    pub fn log10(x: f32) -> f32 {
        x.log10()
    }

    #[netcl::function]
    pub fn sinh(x: f32) -> f32 {
        x.sinh()
    }

    #[netcl::function]
    pub fn cosh(x: f32) -> f32 {
        x.cosh()
    }

    #[netcl::function]
    pub fn asin(x: f32) -> f32 {
        x.asin()
    }

    #[netcl::function]
    pub fn acos(x: f32) -> f32 {
        x.acos()
    }

    #[netcl::function]
    pub fn atan(x: f32) -> f32 {
        x.atan()
    }

    #[netcl::function]
    pub fn cbrt(x: f32) -> f32 {
        x.cbrt()
    }

    #[netcl::function]
    pub fn by_path(x: f32) -> f32 {
        f32::max(f32::min(x, f32::NAN), f32::sin(1.0))
    }

    #[netcl::function]
    pub fn nothing(x: f32) -> f32 {
        if x > 0.0 { f32::NAN } else { x }
    }
}

mod two {
    #[netcl::function]
    pub fn length(x: f32, y: f32) -> f32 {
        x.hypot(y)
    }

    #[netcl::function]
    pub fn signed(x: f32, y: f32) -> f32 {
        x.copysign(y)
    }

    #[netcl::function]
    pub fn modulo(x: f32, y: f32) -> f32 {
        x.rem_euclid(y)
    }

    #[netcl::function]
    pub fn times(x: f32, y: f32) -> f32 {
        x.div_euclid(y)
    }

    #[netcl::function]
    pub fn between(x: f32, y: f32) -> f32 {
        if y.is_nan() { 0.0 } else { x.clamp(y, y + 2.0) }
    }

    #[netcl::function]
    pub fn line(x: f32, y: f32) -> f32 {
        x.mul_add(y, 0.5)
    }

    #[netcl::function]
    pub fn based(x: f32, y: f32) -> f32 {
        x.log(y)
    }
}

mod whole {
    #[netcl::function]
    pub fn modulo_up(a: i32, b: i32) -> i32 {
        a.rem_euclid(b) + 10 * a.div_euclid(b)
    }

    #[netcl::function]
    pub fn power(a: i32, b: i32) -> i32 {
        a.pow(3) - b.pow(2) + a.pow(0)
    }

    #[netcl::function]
    pub fn between(a: i32, b: i32) -> i32 {
        a.clamp(b, b + 2)
    }
}

netcl::kernel! {
    fn of_one(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::trunc(x[n]), one::fract(x[n]), one::log10(x[n]), one::sinh(x[n]), one::cosh(x[n]), one::asin(x[n]), one::acos(x[n]), one::atan(x[n]), one::cbrt(x[n]), one::by_path(x[n]), one::nothing(x[n]))
    }

    fn of_two(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (two::length(x[n], y[n]), two::signed(x[n], y[n]), two::modulo(x[n], y[n]), two::times(x[n], y[n]), two::between(x[n], y[n]), two::line(x[n], y[n]), two::based(x[n], y[n]))
    }

    fn of_whole(a: &Tensor<i32, N>, b: &Tensor<i32, N>) -> (Tensor<i32, N>, Tensor<i32, N>, Tensor<i32, N>) {
        |n| (whole::modulo_up(a[n], b[n]), whole::power(a[n], b[n]), whole::between(a[n], b[n]))
    }
}

/// Zeros, numbers on either side of what the functions treat apart, and what is no number.
const NUMBERS: [f32; 18] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    0.3,
    -0.999_9,
    2.5,
    -2.5,
    3.7,
    -7.25,
    40.25,
    -300.75,
    8_388_609.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

#[test]
fn functions_of_one_float() -> Result<()> {
    type Function = (&'static str, fn(f32) -> f32);
    const NAMES: [Function; 11] = [
        ("trunc", one::trunc),
        ("fract", one::fract),
        ("log10", one::log10),
        ("sinh", one::sinh),
        ("cosh", one::cosh),
        ("asin", one::asin),
        ("acos", one::acos),
        ("atan", one::atan),
        ("cbrt", one::cbrt),
        ("by_path", one::by_path),
        ("nothing", one::nothing),
    ];
    everywhere(|| {
        let (a, b, c, d, e, f, g, h, i, j, k) = of_one(&floats(&NUMBERS, &[NUMBERS.len()]))?;
        for ((name, function), found) in NAMES.into_iter().zip(of(&[a, b, c, d, e, f, g, h, i, j, k])?) {
            for (x, found) in NUMBERS.into_iter().zip(found) {
                agree(name, &x.to_string(), found, function(x));
            }
        }
        Ok(())
    })
}

#[test]
fn functions_of_two_floats() -> Result<()> {
    type Function = (&'static str, fn(f32, f32) -> f32);
    const NAMES: [Function; 7] = [
        ("length", two::length),
        ("signed", two::signed),
        ("modulo", two::modulo),
        ("times", two::times),
        ("between", two::between),
        ("line", two::line),
        ("based", two::based),
    ];
    let pairs: Vec<(f32, f32)> = NUMBERS.iter().flat_map(|&x| NUMBERS.map(|y| (x, y))).collect();
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    everywhere(|| {
        let (a, b, c, d, e, f, g) = of_two(&floats(&x, &[x.len()]), &floats(&y, &[y.len()]))?;
        for ((name, function), found) in NAMES.into_iter().zip(of(&[a, b, c, d, e, f, g])?) {
            for (&(x, y), found) in pairs.iter().zip(found) {
                agree(name, &format!("{x}, {y}"), found, function(x, y));
            }
        }
        Ok(())
    })
}

#[test]
fn functions_of_integers() -> Result<()> {
    type Function = (&'static str, fn(i32, i32) -> i32);
    const NAMES: [Function; 3] =
        [("modulo_up", whole::modulo_up), ("power", whole::power), ("between", whole::between)];
    let pairs: Vec<(i32, i32)> = (-7..8).flat_map(|a| [-4, -1, 1, 2, 3].map(|b| (a, b))).collect();
    let (a, b): (Vec<i32>, Vec<i32>) = pairs.iter().copied().unzip();
    everywhere(|| {
        let [a, b] = [&a, &b].map(|values| Tensor::from_slice(&device(), values, &[values.len()]));
        let (c, d, e) = of_whole(&a?, &b?)?;
        for ((name, function), found) in NAMES.into_iter().zip([c, d, e]) {
            for (&(a, b), found) in pairs.iter().zip(found.to_vec::<i32>()?) {
                assert_eq!(found, function(a, b), "{name}({a}, {b})");
            }
        }
        Ok(())
    })
}
