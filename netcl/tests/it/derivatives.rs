//! Gradients of gradients, products with derivatives of functions, on every device that computes.

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{jvp, vjp};
use netcl_fixtures::devices::all;

fn tensor(device: &Device, values: &[f32]) -> Result<Tensor> {
    Tensor::from_slice(device, values, &[values.len()])
}

fn close(what: &str, found: &Tensor, expected: &[f32]) -> Result<()> {
    let found = found.to_vec::<f32>()?;
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}, expected {expected:?}");
    for (one, right) in found.iter().zip(expected) {
        assert!((one - right).abs() <= 1e-5 * right.abs().max(1.0), "{what}: {found:?}, expected {expected:?}");
    }
    Ok(())
}

fn everywhere(run: impl Fn(&Device) -> Result<()>) {
    for device in all() {
        run(&device).unwrap();
    }
}

/// Steps of descent that are differentiated with what comes after them: what is said of a gradient in a value on the way leads there.
#[test]
fn inner_steps_are_differentiated_as_the_message_says() {
    everywhere(|device| {
        let loss = |w: &Tensor| (w.square() - 1.0).square().sum_all();
        let [start, rate] = [0.5f64, 0.1];
        let begun = tensor(device, &[start as f32])?.requires_grad()?;
        let (mut w, mut by_hand, mut slope) = (begun.clone(), start, 1.0);
        for round in 0..2 {
            let on_the_way = loss(&w).backward_recorded()?.wrt(&w);
            assert_eq!(on_the_way.is_err(), round > 0);
            for error in on_the_way.err().into_iter().chain(w.requires_grad().err()) {
                assert!(error.to_string().contains("`netcl::grad(&x, |x| loss(x))?`"), "{error}");
            }
            w = &w - netcl::grad(&w, |w| loss(w))? * rate;
            slope *= 1.0 - rate * (12.0 * by_hand * by_hand - 4.0);
            by_hand -= rate * 4.0 * by_hand * (by_hand * by_hand - 1.0);
        }
        slope *= 4.0 * by_hand * (by_hand * by_hand - 1.0);
        close("the first", &loss(&w).backward()?.wrt(&begun)?, &[slope as f32])
    });
}

#[test]
fn gradients_nest_to_any_order() {
    everywhere(|device| {
        let x = tensor(device, &[1.0, 2.0, -0.5])?;
        let fourth = |x: &Tensor| x.pow(4.0).sum_all();
        let first = |x: &Tensor| netcl::grad(x, fourth);
        let second = |x: &Tensor| netcl::grad(x, |x| first(x).map(|slope| slope.sum_all()));
        let third = |x: &Tensor| netcl::grad(x, |x| second(x).map(|slope| slope.sum_all()));
        close("first", &first(&x)?, &[4.0, 32.0, -0.5])?;
        close("second", &second(&x)?, &[12.0, 48.0, 3.0])?;
        close("third", &third(&x)?, &[24.0, 48.0, -12.0])?;
        let fourth = netcl::grad(&x, |x| third(x).map(|slope| slope.sum_all()))?;
        close("fourth", &fourth, &[24.0; 3])?;
        // The value goes on as well.
        let both = netcl::grad(&x, |x| -> Result<Tensor> {
            let (value, slope) = netcl::value_and_grad(x, |x| x.pow(3.0).sum_all())?;
            Ok(value * slope.sum_all())
        })?;
        // Of `(1 + 8 - 1/8) · 3 (1 + 4 + 1/4)`.
        let (cubes, squares) = (8.875f32, 5.25f32);
        let expected: Vec<f32> =
            [1.0f32, 2.0, -0.5].iter().map(|x| 3.0 * x * x * 3.0 * squares + cubes * 6.0 * x).collect();
        close("of value and gradient", &both, &expected)
    });
}

/// What is captured is a constant of the inner function, also if it is the same tensor.
#[test]
fn each_gradient_is_of_its_own_argument() {
    everywhere(|device| {
        let x = tensor(device, &[1.0, 2.0, 3.0])?;
        // d/dx (x · d/dy (x y²)|y=x) = d/dx (x · 2 x²).
        let found = netcl::grad(&x, |x| -> Result<Tensor> {
            let inner = netcl::grad(x, |y| (x * y.square()).sum_all())?;
            Ok((x * inner).sum_all())
        })?;
        close("captured", &found, &[6.0, 24.0, 54.0])?;
        // The inner function does not use what is outside in a way that matters to it.
        let found = netcl::grad(&x, |x| -> Result<Tensor> {
            let outside = x.exp().cumsum(0);
            let inner = netcl::grad(&tensor(device, &[1.0, 1.0, 1.0])?, |y| (&outside * y.square()).sum_all())?;
            Ok(inner.sum_all())
        })?;
        let e = |x: f32| x.exp();
        close("outside", &found, &[6.0 * e(1.0), 4.0 * e(2.0), 2.0 * e(3.0)])?;
        // Detached, it is a number.
        let found = netcl::grad(&x, |x| -> Result<Tensor> {
            let slope = netcl::grad(x, |x| x.pow(3.0).sum_all())?;
            Ok((x * slope.detach()).sum_all())
        })?;
        close("detached", &found, &[3.0, 12.0, 27.0])
    });
}

#[test]
fn a_recorded_gradient_has_gradients() {
    everywhere(|device| {
        let x = tensor(device, &[0.5, -1.0, 2.0])?.requires_grad()?;
        let w = tensor(device, &[2.0, 1.0, -1.0])?.requires_grad()?;
        let loss = (&w * x.pow(3.0)).sum_all();
        let gradients = loss.backward_recorded()?;
        let (dx, dw) = (gradients.wrt(&x)?, gradients.wrt(&w)?);
        close("dx", &dx, &[1.5, 3.0, -12.0])?;
        close("dw", &dw, &[0.125, -1.0, 8.0])?;
        let penalty = dx.square().sum_all() + dw.sum_all();
        let second = penalty.backward_recorded()?;
        // d/dx (9 w² x⁴ + x³), d/dw the same.
        let expected: Vec<f32> = [(0.5f32, 2.0f32), (-1.0, 1.0), (2.0, -1.0)]
            .iter()
            .map(|(x, w)| 36.0 * w * w * x.powi(3) + 3.0 * x * x)
            .collect();
        close("in x", &second.wrt(&x)?, &expected)?;
        close("in w", &second.wrt(&w)?, &[18.0 * 2.0 / 16.0, 18.0, -18.0 * 16.0])?;
        let third = second.wrt(&x)?.sum_all().backward()?.wrt(&w)?;
        close("third", &third, &[72.0 * 2.0 / 8.0, -72.0, -72.0 * 8.0])
    });
}

#[test]
fn products_with_derivatives() {
    everywhere(|device| {
        let x = tensor(device, &[1.0, 2.0, 3.0])?;
        let w = tensor(device, &[0.5, -1.0, 2.0])?;
        let f = |[x, w]: &[Tensor; 2]| ((x * w).cumsum(0), x.square().sum_all());
        let (values, pullback) = vjp(&[x.clone(), w.clone()], f)?;
        close("value", &values.0, &[0.5, -1.5, 4.5])?;
        close("value", &values.1, &[14.0])?;
        let cotangents = (tensor(device, &[1.0, 10.0, 100.0])?, Tensor::scalar(device, 1000.0f32)?);
        let [dx, dw] = pullback(&cotangents)?;
        close("dx", &dx, &[111.0 * 0.5 + 2000.0, -110.0 + 4000.0, 200.0 + 6000.0])?;
        close("dw", &dw, &[111.0, 220.0, 300.0])?;
        let other = (tensor(device, &[0.0, 0.0, 1.0])?, Tensor::scalar(device, 0.0f32)?);
        close("of others", &pullback(&other)?[1], &[1.0, 2.0, 3.0])?;
        let tangents = [tensor(device, &[1.0, 0.0, -1.0])?, tensor(device, &[0.0, 1.0, 0.5])?];
        let ((y, s), (dy, ds)) = jvp(&[x.clone(), w.clone()], &tangents, f)?;
        close("value", &y, &[0.5, -1.5, 4.5])?;
        close("value", &s, &[14.0])?;
        close("moved", &dy, &[0.5, 2.5, 2.0])?;
        close("moved", &ds, &[-4.0])?;
        // A product with the second derivative, in three ways.
        let g = |x: &Tensor| (x.pow(3.0) * x.narrow(0, 0, 1)).sum_all();
        let v = tensor(device, &[1.0, -1.0, 2.0])?;
        let forward = jvp(&x, &v, |x| netcl::grad(x, g))?.1;
        let backward = netcl::grad(&x, |x| netcl::grad(x, g).map(|slope| (slope * &v).sum_all()))?;
        let pulled = vjp(&x, |x| netcl::grad(x, g))?.1(&v)?;
        // `g = x0 (x0³ + x1³ + x2³)`.
        let expected = [12.0 - 12.0 + 2.0 * 27.0, 12.0 - 12.0, 27.0 + 2.0 * 18.0];
        for (way, found) in [("forward", forward), ("backward", backward), ("pulled", pulled)] {
            close(way, &found, &expected)?;
        }
        // They are differentiated again, in what they are asked with, too.
        let found = netcl::grad(&[x, v], |[x, v]| -> Result<Tensor> {
            let moved = jvp(x, v, |x| x.pow(3.0))?.1;
            let pulled = vjp(x, |x| x.square())?.1(v)?;
            Ok(moved.sum_all() + pulled.sum_all())
        })?;
        close("in x", &found[0], &[6.0 + 2.0, -12.0 - 2.0, 36.0 + 4.0])?;
        close("in v", &found[1], &[3.0 + 2.0, 12.0 + 4.0, 27.0 + 6.0])
    });
}

fn network(device: &Device) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add("first", "Linear", &[("inputs", 3.into()), ("outputs", 5.into())])?;
    layers.add("second", "Linear", &[("inputs", 5.into()), ("outputs", 2.into())])?;
    layers.build(device, Seed(7))
}

fn run(net: &Network, x: &Tensor) -> Tensor {
    net.forward("second", &[&net.forward("first", &[x], Mode::Training).tanh()], Mode::Training)
}

/// Against differences along the gradient.
#[test]
fn a_penalty_of_slopes_trains_a_network() {
    everywhere(|device| {
        let mut net = network(device)?;
        let x = Tensor::from_slice(device, &[0.5f32, -1.0, 0.25, 1.0, 0.0, -0.75], &[2, 3])?;
        let penalty = |net: &Network| -> Result<Tensor> {
            let slope = netcl::grad(&x, |x| run(net, x).square().sum_all())?;
            Ok((slope.square().sum([1]).sqrt() - 1.0).square().mean_all())
        };
        let (value, gradients) = netcl::value_and_grad(&net, penalty)?;
        let same = penalty(&net)?.backward()?.of(&net)?;
        for (path, gradient) in gradients.tensors() {
            close(&path, &same.tensor(&path)?, &gradient.to_vec::<f32>()?)?;
        }
        let length = gradients.norm()?.item::<f32>()?;
        assert!(length > 0.01, "{length}");
        let moved = |net: &mut Network, by: f32| -> Result<f32> {
            for (path, gradient) in gradients.tensors() {
                let step = &gradient * f64::from(by / length);
                net.set_tensor(&path, &net.tensor(&path)?.add(&step))?;
            }
            penalty(net)?.item::<f32>()
        };
        let epsilon = 1e-2;
        let (up, down) = (moved(&mut net, epsilon)?, moved(&mut net, -2.0 * epsilon)?);
        let slope = (up - down) / (2.0 * epsilon);
        assert!((slope - length).abs() < 1e-2 * length, "{slope}, by rule {length}, of {}", value.item::<f32>()?);
        Ok(())
    });
}

/// Shapes with sizes of 1 and 0, numbers, halves.
#[test]
fn small_shapes_and_other_types() {
    everywhere(|device| {
        let cube = |x: &Tensor| x.pow(3.0).sum_all();
        for shape in [&[][..], &[1], &[0], &[1, 1], &[0, 3], &[3, 1]] {
            let x = Tensor::full(device, 2.0f32, shape)?;
            let second = netcl::grad(&x, |x| netcl::grad(x, cube).map(|slope| slope.sum_all()))?;
            assert_eq!((second.shape(), second.dtype()), (shape, DType::F32));
            close("second", &second, &vec![12.0; x.elements()])?;
            let moved = jvp(&x, &x, |x| x.square())?.1;
            assert_eq!(moved.shape(), shape);
            close("moved", &moved, &vec![8.0; x.elements()])?;
            let pulled = vjp(&x, |x| x.clone())?.1(&x)?;
            close("as it is", &pulled, &vec![2.0; x.elements()])?;
        }
        // Of a sum nothing is read that has its shape.
        let (x, w) = (Tensor::full(device, 2.0f32, &[4, 3])?, Tensor::full(device, 3.0f32, &[2])?);
        let (_, pullback) = vjp(&[x, w], |[x, w]| x.sum_all() + w.square().sum_all())?;
        let [dx, dw] = pullback(&Tensor::scalar(device, 0.5f32)?)?;
        close("of a sum", &dx, &[0.5; 12])?;
        close("of squares", &dw, &[3.0; 2])?;
        let half = Tensor::full(device, 2.0f32, &[4])?.cast(DType::F16);
        let second = netcl::grad(&half, |x| netcl::grad(x, cube).map(|slope| slope.sum_all()))?;
        assert_eq!(second.dtype(), DType::F16);
        close("of halves", &second.cast(DType::F32), &[12.0; 4])
    });
}
