//! The same functions called by SIMT-form kernels.

use super::common::{device, everywhere, floats};
use super::{NUMBERS, ONE, body, compare, compare_pairs, compare_whole, one, pairs, two, whole, whole_pairs};
use netcl::{Result, Tensor};

netcl::kernel! {
    #[launch(global = [N])]
    fn of_one(x: &Tensor<f32, N>, y: &mut Tensor<f32, 36, N>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        y[0, i] = one::round(x[i]);
        y[1, i] = one::round_sign(x[i]);
        y[2, i] = one::round_even(x[i]);
        y[3, i] = one::signum(x[i]);
        y[4, i] = one::larger(x[i]);
        y[5, i] = one::smaller(x[i]);
        y[6, i] = one::constant_first(x[i]);
        y[7, i] = one::abs(x[i]);
        y[8, i] = one::floor(x[i]);
        y[9, i] = one::ceil(x[i]);
        y[10, i] = one::sqrt(x[i]);
        y[11, i] = one::exp(x[i]);
        y[12, i] = one::exp2(x[i]);
        y[13, i] = one::exp_m1(x[i]);
        y[14, i] = one::ln(x[i]);
        y[15, i] = one::ln_1p(x[i]);
        y[16, i] = one::log2(x[i]);
        y[17, i] = one::sin(x[i]);
        y[18, i] = one::cos(x[i]);
        y[19, i] = one::tan(x[i]);
        y[20, i] = one::tanh(x[i]);
        y[21, i] = one::recip(x[i]);
        y[22, i] = one::powi_cube(x[i]);
        y[23, i] = one::powi_fifth(x[i]);
        y[24, i] = one::powf_root(x[i]);
        y[25, i] = one::powf_inverse_root(x[i]);
        y[26, i] = one::powf_half(x[i]);
        y[27, i] = one::powf_nothing(x[i]);
        y[28, i] = one::clamp(x[i]);
        y[29, i] = one::remainder(x[i]);
        y[30, i] = one::whole(x[i]);
        y[31, i] = one::sort(x[i]);
        y[32, i] = body::over_list(x[i]);
        y[33, i] = body::over_range(x[i]);
        y[34, i] = body::parts(x[i]);
        y[35, i] = body::nested(x[i]);
    }

    #[launch(global = [N])]
    fn of_two(x: &Tensor<f32, N>, y: &Tensor<f32, N>, z: &mut Tensor<f32, 5, N>) {
        let i = global_id(0);
        z[0, i] = two::max(x[i], y[i]);
        z[1, i] = two::min(x[i], y[i]);
        z[2, i] = two::angle(x[i], y[i]);
        z[3, i] = two::power(x[i], y[i]);
        z[4, i] = two::rest(x[i], y[i]);
    }

    #[launch(global = [N])]
    fn of_whole(a: &Tensor<i32, N>, b: &Tensor<i32, N>, c: &mut Tensor<i32, 8, N>) {
        let i = global_id(0);
        c[0, i] = whole::magnitude(a[i], b[i]);
        c[1, i] = whole::sign(a[i], b[i]);
        c[2, i] = whole::top(a[i], b[i]);
        c[3, i] = whole::bottom(a[i], b[i]);
        c[4, i] = whole::quotient(a[i], b[i]);
        c[5, i] = whole::modulo(a[i], b[i]);
        c[6, i] = whole::held(a[i], b[i]);
        c[7, i] = whole::folded(a[i], b[i]);
    }

    /// Methods of numbers in the kernel itself, known bounds and others.
    #[launch(global = [N])]
    fn methods(x: &Tensor<f32, N>, y: &mut Tensor<f32, 6, N>, low: f32) {
        let i = global_id(0);
        let power = 3;
        if i < N {
            y[0, i] = x[i].powi(-2);
            y[1, i] = x[i].powi(power);
            y[2, i] = x[i].clamp(-0.5, 1.5);
            y[3, i] = x[i].clamp(low, 2.0);
            y[4, i] = if x[i].is_nan() { 1.0 } else { 0.0 };
            y[5, i] = if x[i].is_finite() { 1.0 } else { 0.0 };
        }
    }
}

fn rows<T: Copy>(values: &[T], rows: usize) -> Vec<Vec<T>> {
    values.chunks(values.len() / rows).map(<[T]>::to_vec).collect()
}

#[test]
fn functions_in_simt_form() -> Result<()> {
    everywhere(|| {
        let found = of_one(&floats(&NUMBERS, &[NUMBERS.len()]))?.to_vec::<f32>()?;
        compare(&ONE, &rows(&found, 36));
        let (x, y) = pairs();
        let found = of_two(&floats(&x, &[x.len()]), &floats(&y, &[y.len()]))?.to_vec::<f32>()?;
        compare_pairs(&rows(&found, 5));
        let (a, b) = whole_pairs();
        let [a, b] = [&a, &b].map(|values| Tensor::from_slice(&device(), values, &[values.len()]));
        compare_whole(&rows(&of_whole(&a?, &b?)?.to_vec::<i32>()?, 8));
        Ok(())
    })
}

#[test]
fn methods_in_simt_form() -> Result<()> {
    let truth = |holds: bool| if holds { 1.0f32 } else { 0.0 };
    everywhere(|| {
        let found = methods(&floats(&NUMBERS, &[NUMBERS.len()]), -1.25)?.to_vec::<f32>()?;
        let functions: [(&'static str, fn(f32) -> f32); 4] = [
            ("powi", |x| x.powi(-2)),
            ("powi of a variable", |x| x.powi(3)),
            ("clamp", |x| x.clamp(-0.5, 1.5)),
            ("clamp by an argument", |x| x.clamp(-1.25, 2.0)),
        ];
        let found = rows(&found, 6);
        compare(&functions, &found[..4]);
        for (x, (nan, finite)) in NUMBERS.iter().zip(found[4].iter().zip(&found[5])) {
            assert_eq!((*nan, *finite), (truth(x.is_nan()), truth(x.is_finite())), "{x}");
        }
        Ok(())
    })
}
