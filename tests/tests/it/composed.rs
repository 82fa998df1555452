//! Functions of Rust's numbers that netcl composes of its operations: each is run as Rust and in a kernel.

use crate::common::{agree, device, everywhere, floats, of};
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
    pub fn asinh(x: f32) -> f32 {
        x.asinh()
    }

    #[netcl::function]
    pub fn acosh(x: f32) -> f32 {
        // From 1 on, where it has derivatives.
        (x * x + 1.0).acosh()
    }

    #[netcl::function]
    pub fn atanh(x: f32) -> f32 {
        x.atanh()
    }

    #[netcl::function]
    pub fn degrees(x: f32) -> f32 {
        x.to_degrees()
    }

    #[netcl::function]
    pub fn radians(x: f32) -> f32 {
        x.to_radians()
    }

    #[netcl::function]
    pub fn both_legs(x: f32) -> f32 {
        let (sine, cosine) = x.sin_cos();
        2.0 * sine - cosine
    }

    #[netcl::function]
    pub fn sort(x: f32) -> f32 {
        if x.is_infinite() {
            1.0
        } else if x.is_sign_negative() {
            2.0
        } else if x.is_sign_positive() || x.is_nan() {
            3.0
        } else {
            4.0
        }
    }

    #[netcl::function]
    pub fn known(x: f32) -> f32 {
        x + 0.5f32.asinh() + 2.0f32.acosh() * 0.5f32.atanh() - 1.0f32.to_degrees() + 90.0f32.to_radians()
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

    fn of_more(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::asinh(x[n]), one::acosh(x[n]), one::atanh(x[n]), one::degrees(x[n]), one::radians(x[n]), one::both_legs(x[n]), one::sort(x[n]), one::known(x[n]))
    }

    fn hyperbolic(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (one::sinh(x[n]), one::cosh(x[n]))
    }

    fn sinh_alone(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| one::sinh(x[n])
    }

    /// The same as methods in a kernel of the other form.
    #[launch(global = [N])]
    fn methods(x: &Tensor<f32, N>, y: &mut Tensor<f32, 22, N>) {
        let i = global_id(0);
        let v = x[i];
        y[0, i] = v.trunc();
        y[1, i] = v.fract();
        y[2, i] = v.log10();
        y[3, i] = v.sinh();
        y[4, i] = v.cosh();
        y[5, i] = v.asin();
        y[6, i] = v.acos();
        y[7, i] = v.atan();
        y[8, i] = v.cbrt();
        y[9, i] = v.asinh();
        y[10, i] = v.acosh();
        y[11, i] = v.atanh();
        y[12, i] = v.to_degrees();
        y[13, i] = v.to_radians();
        let (sine, cosine) = v.sin_cos();
        y[14, i] = 2.0 * sine - cosine;
        y[15, i] = v.hypot(0.75);
        y[16, i] = v.copysign(-1.0);
        y[17, i] = v.rem_euclid(1.5);
        y[18, i] = v.div_euclid(-1.5);
        y[19, i] = v.log(3.0);
        y[20, i] = if v.is_infinite() { 1.0 } else if v.is_sign_negative() { 2.0 } else { 3.0 };
        y[21, i] = (i.rem_euclid(4) + i.div_euclid(4)) as f32;
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

/// Where an exponential overflows, or has long gone flat, and where differences of two would cancel.
const ENDS: [f32; 16] = [
    1e-10,
    -1e-6,
    1e-6,
    0.0,
    63.9,
    -64.0,
    86.0,
    -86.0,
    89.2,
    -89.4,
    95.0,
    130.0,
    1e10,
    -1e10,
    f32::INFINITY,
    f32::NEG_INFINITY,
];

#[test]
fn hyperbolic_functions_and_their_gradients_at_the_ends() -> Result<()> {
    everywhere(|| {
        let (x, ones) = (floats(&ENDS, &[ENDS.len()]), floats(&[1.0; ENDS.len()], &[ENDS.len()]));
        let ((sines, cosines), pullback) = hyperbolic.vjp(&x)?;
        let none = floats(&[0.0; ENDS.len()], &[ENDS.len()]);
        let exact = ENDS.map(|x| (f64::from(x).sinh() as f32, f64::from(x).cosh() as f32));
        let (sines, cosines) = (sines.to_vec::<f32>()?, cosines.to_vec::<f32>()?);
        let finite: Vec<usize> = (0..ENDS.len()).filter(|at| exact[*at].1.is_finite()).collect();
        let (of_sinh, of_cosh) = (pullback(&ones, &none)?.to_vec::<f32>()?, pullback(&none, &ones)?.to_vec::<f32>()?);
        for (at, (x, (sinh, cosh))) in ENDS.into_iter().zip(exact).enumerate() {
            agree("sinh", &x.to_string(), sines[at], sinh);
            agree("cosh", &x.to_string(), cosines[at], cosh);
            // Where both are infinite, the other's cotangent of 0 makes NaN of the sum.
            if finite.contains(&at) {
                agree("the slope of sinh", &x.to_string(), of_sinh[at], cosh);
                agree("the slope of cosh", &x.to_string(), of_cosh[at], sinh);
            }
        }
        let (_, pullback) = sinh_alone.vjp(&x)?;
        for ((x, (_, slope)), found) in ENDS.into_iter().zip(exact).zip(pullback(&ones)?.to_vec::<f32>()?) {
            agree("the slope of sinh alone", &x.to_string(), found, slope);
        }
        Ok(())
    })
}

type Function = (&'static str, fn(f32) -> f32);

/// Rust's own of `f32` loses digits near -1.
fn exact_atanh(x: f32) -> f32 {
    f64::from(x).atanh() as f32
}

#[test]
fn functions_of_one_float() -> Result<()> {
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
fn more_functions_of_one_float() -> Result<()> {
    const NAMES: [Function; 8] = [
        ("asinh", one::asinh),
        ("acosh", one::acosh),
        ("atanh", exact_atanh),
        ("degrees", one::degrees),
        ("radians", one::radians),
        ("both_legs", one::both_legs),
        ("sort", one::sort),
        ("known", one::known),
    ];
    everywhere(|| {
        let (a, b, c, d, e, f, g, h) = of_more(&floats(&NUMBERS, &[NUMBERS.len()]))?;
        for ((name, function), found) in NAMES.into_iter().zip(of(&[a, b, c, d, e, f, g, h])?) {
            for (x, found) in NUMBERS.into_iter().zip(found) {
                agree(name, &x.to_string(), found, function(x));
            }
        }
        // Where a square would overflow.
        let far = [1e9f32, -1e19, 3e38];
        let (a, b, ..) = of_more(&floats(&far, &[far.len()]))?;
        for (x, found) in far.into_iter().zip(a.to_vec::<f32>()?) {
            agree("asinh", &x.to_string(), found, f64::from(x).asinh() as f32);
        }
        for (x, found) in far.into_iter().zip(b.to_vec::<f32>()?) {
            agree("acosh", &x.to_string(), found, one::acosh(x));
        }
        Ok(())
    })
}

#[test]
fn functions_as_methods_in_simt_form() -> Result<()> {
    const FUNCTIONS: [Function; 21] = [
        ("trunc", f32::trunc),
        ("fract", f32::fract),
        ("log10", f32::log10),
        ("sinh", f32::sinh),
        ("cosh", f32::cosh),
        ("asin", f32::asin),
        ("acos", f32::acos),
        ("atan", f32::atan),
        ("cbrt", f32::cbrt),
        ("asinh", f32::asinh),
        ("acosh", f32::acosh),
        ("atanh", exact_atanh),
        ("to_degrees", f32::to_degrees),
        ("to_radians", f32::to_radians),
        ("sin_cos", one::both_legs),
        ("hypot", |x| x.hypot(0.75)),
        ("copysign", |x| x.copysign(-1.0)),
        ("rem_euclid", |x| x.rem_euclid(1.5)),
        ("div_euclid", |x| x.div_euclid(-1.5)),
        ("log", |x| x.log(3.0)),
        ("sort", one::sort),
    ];
    everywhere(|| {
        let found = methods(&floats(&NUMBERS, &[NUMBERS.len()]))?.to_vec::<f32>()?;
        let mut rows = found.chunks(NUMBERS.len());
        for ((name, function), found) in FUNCTIONS.into_iter().zip(&mut rows) {
            for (x, &found) in NUMBERS.into_iter().zip(found) {
                agree(name, &x.to_string(), found, function(x));
            }
        }
        let wholes: Vec<f32> = (0..NUMBERS.len() as u32).map(|i| (i % 4 + i / 4) as f32).collect();
        assert_eq!(rows.next(), Some(&wholes[..]));
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
