//! Kernels in index form on every device: divided indices, branches with their gradients, checks of gradients, and conditions
//! over plain arguments.

use crate::common::{device, everywhere, floats};
use netcl::{Device, Error, Result, Tensor};

netcl::kernel! {
    /// Each element twice along both axes.
    fn nearest(x: &Tensor<f32, N, C>) -> Tensor<f32, { N * 2 }, { C * 2 }> {
        |n, c| x[n / 2, c / 2]
    }

    /// Round and round, with one element more on either side.
    fn periodic(x: &Tensor<f32, N>) -> Tensor<f32, { N + 2 }> {
        |n| x[(n + N - 1) % N]
    }

    fn guarded(x: &Tensor<f32, N>, slope: f32) -> Tensor<f32, N> {
        |n| if x[n] > 0.0 { x[n].sqrt() } else { slope * x[n] }
    }

    /// What each element is of its row's sum, summed: 1, whatever the elements are.
    fn shares(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c].exp()) / sum(0..C, |c| x[n, c].exp())
    }

    /// With conditions that are numbers only for some arguments.
    fn chosen(x: &Tensor<f32, N>, k: usize, m: usize) -> Tensor<f32, N> {
        |n| if k - 1 > 2 && k * 3 / m == 2 { x[n] } else { 2.0 * x[n] }
    }
}

fn ones(count: usize) -> Result<Tensor> {
    Tensor::full(&device(), 1.0f32, &[count])
}

#[test]
fn indices_are_divided() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2]);
        let (y, pullback) = nearest.vjp(&x)?;
        let wanted: Vec<f32> = (0..24).map(|i| (1 + i / 8 * 2 + i % 4 / 2) as f32).collect();
        assert_eq!(y.to_vec::<f32>()?, wanted);
        let counts: Vec<f32> = (0..24).map(|i| i as f32).collect();
        // 0 + 1 + 4 + 5, 2 + 3 + 6 + 7, ..
        let gradient = pullback(&floats(&counts, &[6, 4]))?.to_vec::<f32>()?;
        assert_eq!(gradient, [10.0, 18.0, 42.0, 50.0, 74.0, 82.0]);
        for size in [1usize, 2, 5] {
            let x: Vec<f32> = (0..size).map(|i| i as f32).collect();
            let (y, pullback) = periodic.vjp(&floats(&x, &[size]))?;
            let wanted: Vec<f32> = (0..size + 2).map(|i| ((i + size - 1) % size) as f32).collect();
            assert_eq!(y.to_vec::<f32>()?, wanted);
            let sum: f32 = pullback(&ones(size + 2)?)?.to_vec::<f32>()?.iter().sum();
            assert_eq!(sum, (size + 2) as f32);
        }
        Ok(())
    })
}

#[test]
fn branches_that_are_not_taken_have_no_gradient() -> Result<()> {
    everywhere(|| {
        let (y, pullback) = guarded.vjp(&floats(&[4.0, 0.0, -1.0, f32::NEG_INFINITY], &[4]), 0.5)?;
        assert_eq!(y.to_vec::<f32>()?, [2.0, 0.0, -0.5, f32::NEG_INFINITY]);
        assert_eq!(pullback(&ones(4)?)?.to_vec::<f32>()?, [0.25, 0.5, 0.5, 0.5]);
        Ok(())
    })
}

#[test]
fn gradients_are_checked() -> Result<()> {
    everywhere(|| {
        let x = floats(&[0.3, -0.7, 1.9, 5.0], &[4]);
        let check = guarded.check(&x, 0.25)?;
        assert_eq!(check.compared, 4);
        assert!(check.error < 1e-5, "{check}");
        assert_eq!(check.worst.argument, "x");
        // Of a sum that is always 1, both ways give what rounding leaves of 0.
        let check = shares.check(&floats(&[0.3, -0.7, 1.9, 5.0, 0.1, 2.0], &[2, 3]))?;
        assert_eq!(check.compared, 6, "{check}");
        let check = nearest.check(&floats(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], &[2, 3]))?;
        assert!(check.compared == 6 && check.error < 1e-5, "{check}");
        // At a jump of the derivative the two differ, and the element is named.
        let error = guarded.check(&floats(&[0.3, 1e-6], &[2]), 0.25).unwrap_err();
        assert!(matches!(&error, Error::Gradient { argument, position: 1, .. } if argument == "x"), "{error}");
        assert!(error.to_string().contains("`guarded`: the gradient in `x` at element 1 is"), "{error}");
        let error = guarded.check(&ones(5000)?, 0.25).unwrap_err();
        assert!(matches!(error, Error::Setting { .. }), "{error}");
        // What a call refuses, a check does.
        assert!(matches!(guarded.check(&floats(&[1.0], &[1, 1]), 0.25), Err(Error::Argument { .. })));
        Ok(())
    })
}

/// Its zeros would agree with those of differences at zero.
#[test]
fn what_computes_nothing_has_no_gradient_to_check() -> Result<()> {
    let device = Device::null(netcl::Target::Gpu, 1 << 30);
    let error = guarded.check(&Tensor::from_slice(&device, &[0.3f32, 2.0], &[2])?, 0.25).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("guarded.check"), "{error}");
    Ok(())
}

#[test]
fn conditions_without_a_number_are_errors() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, 2.0], &[2]);
        assert_eq!(chosen(&x, 4, 6)?.to_vec::<f32>()?, [1.0, 2.0]);
        assert_eq!(chosen(&x, 4, 7)?.to_vec::<f32>()?, [2.0, 4.0]);
        // The right side is not computed where the left one decides.
        assert_eq!(chosen(&x, 1, 0)?.to_vec::<f32>()?, [2.0, 4.0]);
        for (k, m, expression) in [(0, 1, "k - 1"), (4, 0, "(k * 3) / m"), (usize::MAX, 2, "k * 3")] {
            let error = chosen(&x, k, m).unwrap_err();
            assert!(matches!(error, Error::Condition { expression: found, .. } if found == expression), "{error}");
            assert!(error.to_string().contains("a condition of `chosen` computes"), "{error}");
            assert!(chosen.vjp(&x, k, m).is_err() && chosen.check(&x, k, m).is_err());
        }
        Ok(())
    })
}
