//! Lists of values in kernels of both forms: loops over them, unrolled, and their elements by number.

use crate::common::{device, everywhere, floats};
use netcl::{DType, Result, Tensor};

#[netcl::constant]
const LAST: usize = 2;

netcl::kernel! {
    /// Weights of neighbours, by loop and by number.
    fn smoothed(x: &Tensor<f32, N>) -> Tensor<f32, { N - 2 }> {
        |n| {
            let w = [0.25, 0.5, 0.125];
            let near = [x[n], x[n + 1], x[n + 2]];
            let mut sum = w[0] * near[0] + w[1] * near[1] + w[LAST] * near[LAST];
            for v in [x[n], near[2]] {
                sum += v * v;
            }
            sum
        }
    }

    /// Lists that are borrowed, and lists of one value.
    fn borrowed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [0.25, 0.5];
            let same = [x[n]; LAST];
            let mut sum = 0.0;
            for v in &w {
                sum += v * same[0];
            }
            for &v in &same {
                sum += v;
            }
            for v in same.iter() {
                sum += 10.0 * v;
            }
            sum
        }
    }

    #[launch(global = [N])]
    fn borrowed_by_items(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let w = [0.25f32, 0.5];
        let same = [x[i]; LAST];
        let mut sum = 0.0;
        for v in &w {
            sum += v * same[0];
        }
        for &v in &same {
            sum += v;
        }
        for v in same.iter() {
            sum += 10.0 * v;
        }
        y[i] = sum;
    }

    #[launch(global = [N])]
    fn weighted(x: &Tensor<f32, N>, y: &mut Tensor<f32, 4, N>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let w = [0.25, 0.5, 0.125];
        let near: [f32; 3] = [x[i], x[(i + 1) % N], 3.0];
        y[0, i] = w[0] * near[0] + w[1] * near[1] + w[LAST] * near[LAST];
        let mut sum = 0.0;
        for (position, v) in [(1, near[1]), (2, near[0])] {
            let factor = position as f32;
            sum += factor * v;
        }
        y[1, i] = sum;
        // The elements are computed before the first round.
        let mut last = 1.0;
        let mut found = 0.0;
        for v in [last, last + x[i]] {
            last = 100.0;
            found = 10.0 * found + v;
        }
        y[2, i] = found + last;
        // In a list of its own, and whole numbers.
        let mut count = 0;
        for row in [[1, 2], [3, 4]] {
            for k in row {
                count = 10 * count + k + i;
            }
        }
        y[3, i] = [count, 7][0] as f32;
    }

    /// Rounds that are left, and loops in loops.
    #[launch(global = [N])]
    fn left(x: &Tensor<i32, N>, y: &mut Tensor<i32, 3, N>) {
        let i = global_id(0);
        let v = x[i];
        let mut first = 0;
        for k in [1, 2, 3, 4] {
            if k == v {
                continue;
            }
            if k > v + 1 {
                break;
            }
            first = 10 * first + k;
        }
        y[0, i] = first;
        let mut second = 0;
        for k in [5, 6] {
            for round in 0i32..4 {
                if round == 2 {
                    break;
                }
                if k == 6 && round == 0 {
                    continue;
                }
                second = 10 * second + k + round;
            }
            if v == 2 {
                break;
            }
        }
        y[1, i] = second;
        let mut third = 0;
        for round in 0i32..3 {
            if round == 1 {
                continue;
            }
            for k in [1, 2] {
                third = 10 * third + k + 2 * round;
            }
        }
        y[2, i] = third;
    }
}

#[test]
fn lists_in_index_form_have_gradients() -> Result<()> {
    let x = [1.0f32, -2.0, 0.5, 3.0, -0.25];
    everywhere(|| {
        let given = floats(&x, &[x.len()]);
        let (y, pullback) = smoothed.vjp(&given)?;
        let at = |n: usize| 0.25 * x[n] + 0.5 * x[n + 1] + 0.125 * x[n + 2] + x[n] * x[n] + x[n + 2] * x[n + 2];
        assert_eq!(y.to_vec::<f32>()?, [at(0), at(1), at(2)]);
        let mut wanted = [0.0f32; 5];
        for n in 0..3 {
            wanted[n] += 0.25 + 2.0 * x[n];
            wanted[n + 1] += 0.5;
            wanted[n + 2] += 0.125 + 2.0 * x[n + 2];
        }
        let ones = Tensor::full(&device(), 1.0f32, &[3])?;
        assert_eq!(pullback(&ones)?.to_vec::<f32>()?, wanted);
        smoothed.check(&given)?;
        Ok(())
    })
}

#[test]
fn lists_are_borrowed_and_repeated() -> Result<()> {
    let x = [1.0f32, -2.0, 0.5];
    everywhere(|| {
        let given = floats(&x, &[3]);
        let wanted = x.map(|x| 0.75 * x + 2.0 * x + 20.0 * x);
        assert_eq!(borrowed(&given)?.to_vec::<f32>()?, wanted);
        assert_eq!(borrowed_by_items(&given)?.to_vec::<f32>()?, wanted);
        Ok(())
    })
}

#[test]
fn lists_in_simt_form() -> Result<()> {
    let x = [1.0f32, -2.0, 0.5];
    everywhere(|| {
        let found = weighted(&floats(&x, &[3]))?.to_vec::<f32>()?;
        for i in 0..3 {
            let next = x[(i + 1) % 3];
            let count = [1, 2, 3, 4].into_iter().fold(0, |count, k| 10 * count + k + i);
            let wanted = [0.25 * x[i] + 0.5 * next + 0.375, next + 2.0 * x[i], 10.0 + 1.0 + x[i] + 100.0, count as f32];
            for (row, wanted) in wanted.into_iter().enumerate() {
                assert_eq!(found[3 * row + i], wanted, "row {row} of item {i}");
            }
        }
        Ok(())
    })
}

#[test]
fn loops_over_lists_are_left_and_gone_on_with() -> Result<()> {
    // The same text in Rust.
    fn rust(v: i32) -> [i32; 3] {
        let (mut first, mut second, mut third) = (0, 0, 0);
        for k in [1, 2, 3, 4] {
            if k == v {
                continue;
            }
            if k > v + 1 {
                break;
            }
            first = 10 * first + k;
        }
        for k in [5, 6] {
            for round in 0i32..4 {
                if round == 2 {
                    break;
                }
                if k == 6 && round == 0 {
                    continue;
                }
                second = 10 * second + k + round;
            }
            if v == 2 {
                break;
            }
        }
        for round in 0i32..3 {
            if round == 1 {
                continue;
            }
            for k in [1, 2] {
                third = 10 * third + k + 2 * round;
            }
        }
        [first, second, third]
    }
    let x = [0i32, 1, 2, 3, 4, 9];
    everywhere(|| {
        let y = left(&Tensor::from_slice(&device(), &x, &[x.len()])?)?;
        assert_eq!(y.dtype(), DType::I32);
        let found = y.to_vec::<i32>()?;
        for (i, v) in x.into_iter().enumerate() {
            let item: Vec<i32> = (0..3).map(|row| found[row * x.len() + i]).collect();
            assert_eq!(item, rust(v), "{v}");
        }
        Ok(())
    })
}
