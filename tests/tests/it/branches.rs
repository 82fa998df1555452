//! What an `if` on a value leaves of its assignments: each function is run as the Rust that it is, and as a kernel.

use crate::common::{everywhere, floats};
use netcl::{Result, Tensor};

#[netcl::function]
fn kept(x: f32) -> f32 {
    let mut y = x;
    if x > 0.0 {
        y = 2.0 * x;
        y
    } else {
        y
    }
}

#[netcl::function]
fn either(x: f32) -> f32 {
    let mut z = 1.0;
    if x > 0.4 {
        z = x;
    } else {
        z -= x * x;
    }
    z * 3.0
}

#[netcl::function]
fn alone(x: f32) -> f32 {
    let mut y = x * x;
    let mut found = false;
    if x < -0.25 {
        y = -x;
        found = true;
    }
    if found { y + 1.0 } else { y }
}

#[netcl::function]
fn nested(x: f32) -> f32 {
    let (mut a, mut b) = (x, 1.0);
    if x > 0.0 {
        a += 1.0;
        if a > 1.4 {
            b = a * a;
            a = 0.5;
        }
        b += a;
    } else {
        if x < -0.5 {
            a = b * 3.0 * x;
        }
        b = a;
    }
    a * b
}

#[netcl::function]
fn chain(x: f32) -> f32 {
    let (mut y, mut z) = (x, 0.25);
    if x < -0.5 {
        y = 1.0 + x;
    } else if x < 0.0 {
        y *= y;
    } else if x < 0.4 {
        // Another `y`, which ends with the branch.
        let y = 7.0 * x;
        z = y;
    } else {
        y -= z;
    }
    y + z
}

#[netcl::function]
fn rounds(x: f32) -> f32 {
    let mut y = x;
    let mut steps = 0;
    for i in 0..5 {
        if y < 1.0 {
            y = y * 1.5 + 0.1 * i as f32;
            steps += 1;
        } else if i > 2 {
            y -= 0.25;
        }
    }
    y + steps as f32
}

#[netcl::function]
fn whole(x: f32) -> f32 {
    let steps = if x > 0.0 { 7 } else { -7 };
    let halves = steps / 2;
    let flag = x > 0.4 || x + 1.0 < 0.5;
    let mut n = 3;
    if flag {
        n = halves;
    }
    (n % 2) as f32 * x
}

netcl::kernel! {
    fn all(x: &Tensor<f32, N>) -> (
        Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>
    ) {
        |n| (kept(x[n]), either(x[n]), alone(x[n]), nested(x[n]), chain(x[n]), rounds(x[n]), whole(x[n]))
    }

    /// The same in a kernel's own words, its index among the conditions.
    fn clipped(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let mut y = x[n];
            let mut scale = 1;
            if n > 2 {
                y = x[n] * x[n];
                if y > 0.25 {
                    scale = 2;
                }
            }
            y * scale
        }
    }
}

#[test]
fn a_kernel_computes_what_the_function_says() -> Result<()> {
    type Function = fn(f32) -> f32;
    const FUNCTIONS: [(&str, Function); 7] = [
        ("kept", kept),
        ("either", either),
        ("alone", alone),
        ("nested", nested),
        ("chain", chain),
        ("rounds", rounds),
        ("whole", whole),
    ];
    let x: Vec<f32> = (-40..=40).map(|i| i as f32 * 0.07 + 0.003).chain([0.0, -0.0, f32::INFINITY]).collect();
    everywhere(|| {
        let (a, b, c, d, e, f, g) = all(&floats(&x, &[x.len()]))?;
        for ((name, function), found) in FUNCTIONS.into_iter().zip([a, b, c, d, e, f, g]) {
            for (x, found) in x.iter().zip(found.to_vec::<f32>()?) {
                let expected = function(*x);
                let near = (found - expected).abs() <= 1e-5 * (1.0 + expected.abs());
                assert!(
                    near || found == expected || found.is_nan() && expected.is_nan(),
                    "{name}({x}) is {found}, not {expected}"
                );
            }
        }
        let y: Tensor = clipped(&floats(&[-1.0, 2.0, -3.0, -2.0, 0.25], &[5]))?;
        assert_eq!(y.to_vec::<f32>()?, [-1.0, 2.0, -3.0, 8.0, 0.0625]);
        Ok(())
    })
}
