//! Functions of numbers by their bare names, Rust's and netcl's, are the methods of those names, in kernels of both forms.

use crate::common::{everywhere, floats};
use netcl::Result;

netcl::kernel! {
    fn by_name(x: &Tensor<f32, N>) -> Tensor<f32, 4, N> {
        |k, n| {
            let v = x[n];
            let logarithms = ln(v) + ln_1p(v) + log10(v) + log2(v);
            let powers = powf(v, 1.5) + powi(v, 3) + exp_m1(v) + hypot(v, 2.0);
            let parts = trunc(v) + fract(v) + clamp(v, 0.5, 2.0) + signum(v) + mul_add(v, 2.0, 1.0);
            let angles = atan(v) + sinh(v) + to_degrees(v) + copysign(v, -1.0) + rem_euclid(v, 0.75);
            if k == 0 { logarithms } else if k == 1 { powers } else if k == 2 { parts } else { angles }
        }
    }

    fn by_method(x: &Tensor<f32, N>) -> Tensor<f32, 4, N> {
        |k, n| {
            let v = x[n];
            let logarithms = v.ln() + v.ln_1p() + v.log10() + v.log2();
            let powers = v.powf(1.5) + v.powi(3) + v.exp_m1() + v.hypot(2.0);
            let parts = v.trunc() + v.fract() + v.clamp(0.5, 2.0) + v.signum() + v.mul_add(2.0, 1.0);
            let angles = v.atan() + v.sinh() + v.to_degrees() + v.copysign(-1.0) + v.rem_euclid(0.75);
            if k == 0 { logarithms } else if k == 1 { powers } else if k == 2 { parts } else { angles }
        }
    }

    #[launch(global = [N])]
    fn items_by_name(x: &Tensor<f32, N>, y: &mut Tensor<f32, 4, N>) {
        let i = global_id(0);
        let v = x[i];
        y[0, i] = ln(v) + ln_1p(v) + log10(v) + log2(v);
        y[1, i] = powf(v, 1.5) + powi(v, 3) + exp_m1(v) + hypot(v, 2.0);
        y[2, i] = trunc(v) + fract(v) + clamp(v, 0.5, 2.0) + signum(v) + mul_add(v, 2.0, 1.0);
        y[3, i] = atan(v) + sinh(v) + to_degrees(v) + copysign(v, -1.0) + rem_euclid(v, 0.75);
        if is_nan(v) || is_infinite(v) || !is_finite(v) || is_sign_negative(v) {
            let (sine, cosine) = sin_cos(v);
            y[0, i] = sine + cosine;
        }
    }

    #[launch(global = [N])]
    fn items_by_method(x: &Tensor<f32, N>, y: &mut Tensor<f32, 4, N>) {
        let i = global_id(0);
        let v = x[i];
        y[0, i] = v.ln() + v.ln_1p() + v.log10() + v.log2();
        y[1, i] = v.powf(1.5) + v.powi(3) + v.exp_m1() + v.hypot(2.0);
        y[2, i] = v.trunc() + v.fract() + v.clamp(0.5, 2.0) + v.signum() + v.mul_add(2.0, 1.0);
        y[3, i] = v.atan() + v.sinh() + v.to_degrees() + v.copysign(-1.0) + v.rem_euclid(0.75);
        if v.is_nan() || v.is_infinite() || !v.is_finite() || v.is_sign_negative() {
            let (sine, cosine) = v.sin_cos();
            y[0, i] = sine + cosine;
        }
    }
}

#[test]
fn names_and_methods_are_the_same_functions() -> Result<()> {
    let x = [0.25f32, 0.9, 1.0, 2.5, 7.75];
    everywhere(|| {
        let given = floats(&x, &[x.len()]);
        let found = by_name(&given)?.to_vec::<f32>()?;
        assert_eq!(found, by_method(&given)?.to_vec::<f32>()?);
        for (found, x) in found.iter().zip(x) {
            let wanted = x.ln() + x.ln_1p() + x.log10() + x.log2();
            assert!((found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "{x}: {found}, {wanted}");
        }
        let given = floats(&[0.25, 0.9, -1.5, f32::INFINITY], &[4]);
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let (names, methods) = (items_by_name(&given)?.to_vec::<f32>()?, items_by_method(&given)?.to_vec::<f32>()?);
        assert!((names[2] - ((-1.5f32).sin() + (-1.5f32).cos())).abs() < 1e-5);
        assert_eq!(bits(names), bits(methods));
        Ok(())
    })
}
