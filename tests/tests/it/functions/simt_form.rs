//! The same functions called by SIMT-form kernels.

use super::{
    NUMBERS, ONE, One, agree, body, compare, compare_pairs, compare_whole, one, pairs, two, whole, whole_pairs,
};
use crate::common::{device, everywhere, floats};
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
        let functions: [One; 4] = [
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

netcl::kernel! {
    /// Every function of vectors, as a method or not, and the same of numbers, as methods or not.
    #[launch(global = [N])]
    fn of_vectors(
        x: &Tensor<f32, N, 4>,
        y: &Tensor<f32, N, 4>,
        lanes: &mut Tensor<f32, 35, N, 4>,
        singly: &mut Tensor<f32, 35, N, 4>,
    ) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let (v, w) = (x.load4(4 * i), y.load4(4 * i));
        let row = 4 * N;
        lanes.store4(0 * row + 4 * i, v.exp());
        lanes.store4(1 * row + 4 * i, v.exp2());
        lanes.store4(2 * row + 4 * i, v.log());
        lanes.store4(3 * row + 4 * i, v.log2());
        lanes.store4(4 * row + 4 * i, v.sqrt());
        lanes.store4(5 * row + 4 * i, v.rsqrt());
        lanes.store4(6 * row + 4 * i, v.sin());
        lanes.store4(7 * row + 4 * i, v.cos());
        lanes.store4(8 * row + 4 * i, v.tan());
        lanes.store4(9 * row + 4 * i, v.tanh());
        lanes.store4(10 * row + 4 * i, v.erf());
        lanes.store4(11 * row + 4 * i, v.floor());
        lanes.store4(12 * row + 4 * i, v.ceil());
        lanes.store4(13 * row + 4 * i, v.round());
        lanes.store4(14 * row + 4 * i, v.recip());
        lanes.store4(15 * row + 4 * i, v.abs());
        lanes.store4(16 * row + 4 * i, v.sign());
        lanes.store4(17 * row + 4 * i, v.log1p());
        lanes.store4(18 * row + 4 * i, v.expm1());
        lanes.store4(19 * row + 4 * i, v.ln());
        lanes.store4(20 * row + 4 * i, v.ln_1p());
        lanes.store4(21 * row + 4 * i, v.exp_m1());
        lanes.store4(22 * row + 4 * i, v.round_ties_even());
        lanes.store4(23 * row + 4 * i, v.signum());
        lanes.store4(24 * row + 4 * i, v.pow(w));
        lanes.store4(25 * row + 4 * i, v.powf(w));
        lanes.store4(26 * row + 4 * i, v.powi(-3));
        lanes.store4(27 * row + 4 * i, v.atan2(w));
        lanes.store4(28 * row + 4 * i, v.max(w));
        lanes.store4(29 * row + 4 * i, v.min(w));
        lanes.store4(30 * row + 4 * i, v.mul_add(w, v));
        lanes.store4(31 * row + 4 * i, erf(v));
        lanes.store4(32 * row + 4 * i, rsqrt(v));
        lanes.store4(33 * row + 4 * i, sign(w));
        let mut all = v;
        all += w;
        all *= v;
        all -= w;
        all /= splat4(3.0);
        lanes.store4(34 * row + 4 * i, all);
        for c in 0..4 {
            let e = x[i, c];
            let f = y[i, c];
            singly[0, i, c] = exp(e);
            singly[1, i, c] = exp2(e);
            singly[2, i, c] = log(e);
            singly[3, i, c] = log2(e);
            singly[4, i, c] = sqrt(e);
            singly[5, i, c] = rsqrt(e);
            singly[6, i, c] = sin(e);
            singly[7, i, c] = cos(e);
            singly[8, i, c] = tan(e);
            singly[9, i, c] = tanh(e);
            singly[10, i, c] = erf(e);
            singly[11, i, c] = floor(e);
            singly[12, i, c] = ceil(e);
            singly[13, i, c] = round(e);
            singly[14, i, c] = recip(e);
            singly[15, i, c] = abs(e);
            singly[16, i, c] = sign(e);
            singly[17, i, c] = log1p(e);
            singly[18, i, c] = expm1(e);
            singly[19, i, c] = e.ln();
            singly[20, i, c] = e.log1p();
            singly[21, i, c] = e.expm1();
            singly[22, i, c] = e.round_ties_even();
            singly[23, i, c] = e.signum();
            singly[24, i, c] = pow(e, f);
            singly[25, i, c] = e.powf(f);
            singly[26, i, c] = e.powi(-3);
            singly[27, i, c] = atan2(e, f);
            singly[28, i, c] = max(e, f);
            singly[29, i, c] = e.min(f);
            singly[30, i, c] = e.mul_add(f, e);
            singly[31, i, c] = e.erf();
            singly[32, i, c] = e.rsqrt();
            singly[33, i, c] = f.sign();
            singly[34, i, c] = ((e + f) * e - f) / 3.0;
        }
    }
}

#[test]
fn methods_of_vectors_are_the_functions() -> Result<()> {
    let others: Vec<f32> = NUMBERS.iter().rev().copied().collect();
    everywhere(|| {
        let [x, y] = [&NUMBERS[..], &others].map(|numbers| floats(numbers, &[NUMBERS.len() / 4, 4]));
        let (lanes, singly) = of_vectors(&x, &y)?;
        let (lanes, singly) = (rows(&lanes.to_vec::<f32>()?, 35), rows(&singly.to_vec::<f32>()?, 35));
        for (position, (lanes, singly)) in lanes.iter().zip(&singly).enumerate() {
            for (i, (lane, single)) in lanes.iter().zip(singly).enumerate() {
                agree(&format!("result {position}"), &format!("{}, {}", NUMBERS[i], others[i]), *lane, *single);
            }
        }
        // Those that Rust lacks.
        for (i, x) in NUMBERS.into_iter().enumerate() {
            agree("rsqrt", &x.to_string(), lanes[5][i], 1.0 / x.sqrt());
            agree("sign", &x.to_string(), lanes[16][i], if x == 0.0 { x } else { x.signum() });
        }
        Ok(())
    })
}
