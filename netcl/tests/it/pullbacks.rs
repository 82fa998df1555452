//! What pullbacks and hooks may do, and what they see: derivatives of their own, the precision of their call, values of that time.

use netcl::prelude::*;
use netcl::{DType, Precision, autocast};
use netcl_fixtures::devices::all;

fn tensor(device: &Device, values: &[f32]) -> Tensor {
    Tensor::from_slice(device, values, &[values.len()]).unwrap()
}

#[track_caller]
fn near(found: &Tensor, expected: &[f32], what: &str) {
    let found = found.to_vec::<f32>().unwrap();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{what}: {found} for {expected}");
    }
}

/// A sine whose pullback differentiates it itself.
fn sine(x: &Tensor) -> Tensor {
    netcl::custom_vjp([x], |[x]| {
        let kept = x.clone();
        let pullback = move |g: &Tensor| [netcl::grad(&kept, |x| (x.sin() * g).sum_all()).unwrap()];
        (x.sin(), pullback)
    })
}

#[test]
fn a_pullback_and_a_hook_differentiate_functions() {
    for device in all() {
        let values = [0.5f32, 1.0, -2.0];
        let cosines: Vec<f32> = values.iter().map(|x| x.cos()).collect();
        let x = tensor(&device, &values).requires_grad().unwrap();
        let found = sine(&x).sum_all().backward().unwrap().wrt(&x).unwrap();
        near(&found, &cosines, "grad in a pullback");
        let by_vjp = netcl::custom_vjp([&x], |[x]| {
            let (y, pullback) = netcl::vjp(x, Tensor::sin).unwrap();
            (y, move |g: &Tensor| [pullback(g).unwrap()])
        });
        near(&by_vjp.sum_all().backward().unwrap().wrt(&x).unwrap(), &cosines, "vjp around a pullback");
        // The derivative of the gradient's square, at 1.
        let hooked = x.on_gradient(|g| netcl::grad(g, |g| g.square().sum_all()));
        near(&hooked.sum_all().backward().unwrap().wrt(&x).unwrap(), &[2.0; 3], "grad in a hook");
    }
}

#[test]
fn no_grad_is_of_what_is_around_a_derivative() {
    for device in all() {
        let x = tensor(&device, &[1.0, -2.0]).requires_grad().unwrap();
        let w = tensor(&device, &[3.0, 0.5]).requires_grad().unwrap();
        let (value, slope) = netcl::no_grad(|| netcl::value_and_grad(&x, |x| (x.square() * &w).sum_all())).unwrap();
        near(&slope, &[6.0, -2.0], "grad");
        for number in [value, slope.sum_all()] {
            let error = number.backward().map(drop).unwrap_err().to_string();
            assert!(error.contains("no gradient goes through `no_grad`"), "{error}");
        }
        let (y, moved) = netcl::no_grad(|| netcl::jvp(&x, &w, |x| x.square() * &w)).unwrap();
        near(&moved, &[18.0, -1.0], "jvp");
        assert!(y.sum_all().backward().is_err());
        let (_, pullback) = netcl::no_grad(|| netcl::vjp(&x, Tensor::square)).unwrap();
        near(&pullback(&w).unwrap(), &[6.0, -2.0], "vjp");
        // Of what is around it is a function again.
        let slope = netcl::grad(&x, |x| (x.square() * &w).sum_all()).unwrap();
        near(&slope.sum_all().backward().unwrap().wrt(&w).unwrap(), &[2.0, -4.0], "outside");
    }
}

#[test]
fn what_a_pullback_computes_is_not_recorded_and_that_is_said_with_its_line() {
    let x = tensor(&Device::host(), &[0.5, 1.0]).requires_grad().unwrap();
    let line = line!() + 1;
    let y = netcl::custom_vjp([&x], |[x]| {
        let pullback = |g: &Tensor| {
            let error = g.requires_grad().unwrap().square().sum_all().backward().map(drop).unwrap_err().to_string();
            assert!(error.contains("no gradient goes through the pullback or hook of `custom_vjp` at "), "{error}");
            assert!(error.contains(&format!("pullbacks.rs:{}", line_of_call())), "{error}");
            assert!(
                error.contains("(`netcl::grad`, `vjp` and `jvp` of a function differentiate there, too)"),
                "{error}"
            );
            [g.clone()]
        };
        (x.square(), pullback)
    });
    LINE.store(line, std::sync::atomic::Ordering::Relaxed);
    y.sum_all().backward().unwrap();
}

static LINE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

fn line_of_call() -> u32 {
    LINE.load(std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn a_pullback_computes_in_the_precision_of_its_call() {
    for device in all() {
        let y = Tensor::full(&device, 0.5f32, &[3, 8]).unwrap().requires_grad().unwrap();
        let w = Tensor::full(&device, 0.25f32, &[8, 8]).unwrap().requires_grad().unwrap();
        let linear = |y: &Tensor, w: &Tensor| {
            netcl::custom_vjp([y, w], |[y, w]| {
                let (a, b) = (y.clone(), w.clone());
                (y.matmul(w), move |g: &Tensor| [g.matmul(b.t()), a.t().matmul(g)])
            })
        };
        let loss = autocast(Precision::Bf16, || linear(&y, &w).sum_all());
        let inside = autocast(Precision::Bf16, || loss.backward()).unwrap();
        // A call in `f32` stays one wherever it is differentiated.
        let plain = linear(&y, &w).sum_all();
        let plain = autocast(Precision::Bf16, || plain.backward()).unwrap();
        for (what, gradients) in [("outside", loss.backward().unwrap()), ("inside", inside), ("plain", plain)] {
            for (of, each) in [(&y, 2.0f32), (&w, 1.5)] {
                let found = gradients.wrt(of).unwrap();
                assert_eq!((found.dtype(), found.shape()), (DType::F32, of.shape()), "{device} {what}");
                near(&found, &vec![each; of.elements()], what);
            }
        }
        // A hook of an activation in halves; what it gives in f32 becomes of its type.
        let loss = autocast(Precision::Bf16, || y.matmul(&w).on_gradient(|g| g.cast(DType::F32) * 2.0).sum_all());
        near(&loss.backward().unwrap().wrt(&w).unwrap(), &[3.0; 64], "hook");
    }
}

netcl::kernel! {
    /// A row added to each row.
    fn with_bias(x: &Tensor<f32, N, C>, bias: &Tensor<f32, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c] + bias[c]
    }
}

#[netcl::model]
struct Scaled {
    #[layer(inputs = 8, outputs = 2)]
    line: Linear,
    #[state(init = 2.0)]
    scale: Tensor<f32, 2>,
}

#[netcl::model]
impl Scaled {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.line.forward(x)
    }

    #[netcl::dynamic]
    fn waiting(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.line.forward(x)
    }

    fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        (self.forward(x) * &self.scale).square().mean_all()
    }
}

#[test]
fn annotated_functions_and_kernels_take_what_autocast_has_made() {
    for device in all() {
        let model = Scaled::new(&device, Seed(3)).unwrap();
        let x = Tensor::full(&device, 0.5f32, &[3, 8]).unwrap();
        let w = Tensor::full(&device, 0.25f32, &[8, 8]).unwrap();
        let bias = Tensor::full(&device, 1.0f32, &[8]).unwrap();
        let expected = model.forward(&x.matmul(&w)).unwrap().to_vec::<f32>().unwrap();
        let (expected_loss, _) = model.loss_with_gradients(&x.matmul(&w)).unwrap();
        for tracked in [false, true] {
            let x = if tracked { x.requires_grad().unwrap() } else { x.clone() };
            autocast(Precision::Bf16, || {
                let h = x.matmul(&w);
                assert_eq!(h.dtype(), DType::BF16);
                near(&with_bias(&h, &bias).unwrap(), &[2.0; 24], "kernel");
                near(&model.forward(&h).unwrap(), &expected, "function");
                near(&model.waiting(&h).unwrap(), &expected, "dynamic function");
                let (loss, _) = model.loss_with_gradients(&h).unwrap();
                near(&loss, &expected_loss.to_vec::<f32>().unwrap(), "with gradients");
            });
            if tracked {
                let loss = autocast(Precision::Bf16, || with_bias(&x.matmul(&w), &bias).unwrap().sum_all());
                near(&loss.backward().unwrap().wrt(&x).unwrap(), &[2.0; 24], "gradient");
            }
        }
        // Beside it types are as they are written.
        let error = with_bias(&x.cast(DType::BF16), &bias).unwrap_err().to_string();
        assert!(error.contains("expects f32"), "{error}");
        // What is no activation's type is never converted.
        let error = autocast(Precision::Bf16, || with_bias(&x.cast(DType::I32), &bias)).unwrap_err().to_string();
        assert!(error.contains("expects f32"), "{error}");
    }
}

#[test]
fn what_a_pullback_keeps_of_a_state_is_what_it_was() {
    for device in all() {
        let model = Scaled::new(&device, Seed(3)).unwrap();
        let x = tensor(&device, &[1.0, 3.0]).requires_grad().unwrap();
        let scale = model.tensor("scale").unwrap();
        let y = netcl::custom_vjp([&x, &scale], |[x, scale]| {
            let (kept, own) = (x.clone(), scale.clone());
            let pullback = move |g: &Tensor| [g * 2.0 * &kept * own.square(), own.clone()];
            ((x * scale).square(), pullback)
        });
        y.eval().unwrap();
        model.core().set_tensor("scale", &tensor(&device, &[5.0, 5.0])).unwrap();
        near(&y.sum_all().backward().unwrap().wrt(&x).unwrap(), &[8.0, 24.0], "of the state of the call");
    }
}
