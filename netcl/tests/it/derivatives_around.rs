//! Gradients of gradients where something is in the way, and what they keep, launch and build.

use netcl::nn::{Layer, Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{QueueOrder, algorithms, jvp, vjp};
use netcl_fixtures::devices::{all, measured_before, with_driver};

fn network(device: &Device) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add("first", "Linear", &[("inputs", 3.into()), ("outputs", 5.into())])?;
    layers.add("second", "Linear", &[("inputs", 5.into()), ("outputs", 2.into())])?;
    layers.build(device, Seed(7))
}

fn run(net: &Network, x: &Tensor) -> Tensor {
    net.forward("second", &[&net.forward("first", &[x], Mode::Training).tanh()], Mode::Training)
}

fn penalty(net: &Network, x: &Tensor) -> Result<Tensor> {
    let slope = netcl::grad(x, |x| (run(net, x) * 0.3).square().sum_all())?;
    Ok((slope.square().sum([1]).sqrt() - 1.0).square().mean_all())
}

fn rows(device: &Device, rows: usize) -> Result<Tensor> {
    let values: Vec<f32> = (0..rows * 3).map(|at| ((at * 37 % 101) as f32 - 50.0) / 25.0).collect();
    Tensor::from_slice(device, &values, &[rows, 3])
}

fn everywhere(run: impl Fn(&Device) -> Result<()>) {
    for device in all() {
        run(&device).unwrap();
    }
}

fn same(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    let (found, expected) = (found.to_vec::<f32>()?, expected.to_vec::<f32>()?);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (one, right) in found.iter().zip(&expected) {
        assert!((one - right).abs() <= 1e-5 * right.abs().max(1.0), "{what}: {found:?}, expected {expected:?}");
    }
    Ok(())
}

#[test]
fn what_is_in_the_way_is_named() -> Result<()> {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 0.5], &[3])?;
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let nested = |f: &dyn Fn(&Tensor) -> Tensor| {
        text(netcl::grad(&x, |x| netcl::grad(x, f).map(|slope| slope.sum_all())).map(drop))
    };
    // A slope that is the same everywhere.
    let line = line!() - 3;
    let error = nested(&|x| (x * 3.0).sum_all());
    assert!(error.contains(&format!("no gradient goes through `grad` at {}:{line}, which leads", file!())), "{error}");
    // No number, nothing that is used, what ends gradients, on the inside.
    assert!(nested(&|x| x.square()).contains("gradients need a float scalar, found f32 [3]; reduce it"));
    let other = x.requires_grad()?;
    let error = nested(&|_| other.square().sum_all());
    assert!(error.contains("does not reach the tensor: nothing that leads to the loss uses it"), "{error}");
    let error = nested(&|x| (x.floor() * &other).sum_all());
    assert!(error.contains("does not reach the tensor: `floor` at netcl"), "{error}");
    let error = nested(&|x| algorithms::map("v0 * v0", &[x]).unwrap().sum_all());
    assert!(error.contains("`algorithms::map` leads to the loss, and its derivative is not recorded"), "{error}");
    // Products.
    let vjp_of = |f: &dyn Fn(&Tensor) -> Tensor| text(vjp(&x, f).map(drop));
    let error = vjp_of(&|x| x.argsort(0, false));
    assert!(error.contains("only floats have derivatives, and result 0 is i32 [3]"), "{error}");
    let error = vjp_of(&|_| Tensor::scalar(&device, 1.0f32).unwrap());
    assert!(error.contains("result 0 depends on nothing that it is to be differentiated in"), "{error}");
    let error = vjp_of(&|x| x.detach() * 2.0);
    assert!(error.contains("no gradient goes through `detach` at netcl"), "{error}");
    let error = vjp_of(&|_| &other * 2.0);
    assert!(error.contains("result 0 depends on nothing"), "{error}");
    let error = vjp_of(&|x| algorithms::map("v0 * v0", &[x]).unwrap() + x);
    assert!(error.contains("`algorithms::map` leads to the loss"), "{error}");
    let unused = [x.clone(), x.clone()];
    assert!(text(vjp(&unused, |[x, _]| x * 2.0).map(drop)).contains("does not reach the tensor"));
    let whole = Tensor::from_slice(&device, &[1u32], &[1])?;
    assert!(text(vjp(&whole, |x| x.clone()).map(drop)).contains("only float tensors have gradients"));
    let (_, pullback) = vjp(&x, |x| (x * 2.0, x.sum_all()))?;
    let one = Tensor::scalar(&device, 1.0f32)?;
    let error = text(pullback(&(one.clone(), one.clone())).map(drop));
    assert!(error.contains("`pullback`: argument `cotangent 0` expects f32[3], found f32[]"), "{error}");
    let (_, pullback) = vjp(&x, |x| vec![x * 2.0, x.sum_all()])?;
    assert!(text(pullback(&vec![x.clone()]).map(drop)).contains("`pullback` expects 2 tensor arguments, found 1"));
    let error = text(jvp(&x, &one, |x| x * 2.0).map(drop));
    assert!(error.contains("`jvp`: argument `tangent 0` expects f32[3], found f32[]"), "{error}");
    // A mistake stays what it is, with its line.
    let error = text(jvp(&x, &x, |x| x.reshape([2, 2])).map(drop));
    assert!(error.contains("reshape") && error.contains("derivatives_around.rs"), "{error}");
    // In a function that is compiled, and of one.
    let inner = netcl::compile(|x: &Tensor| (x.pow(3.0) * 0.3).sum_all());
    let found = netcl::grad(&x, |x| -> Result<Tensor> { Ok(netcl::grad(x, |x| inner.call(x))?.sum_all()) })?;
    same("of what is compiled", &found, &(&x * 1.8))?;
    let around = netcl::compile(|x: &Tensor| netcl::grad(x, |x| x.square().sum_all()));
    assert!(text(around.call(&x).map(drop)).contains("a gradient is asked for while the function is compiled"));
    Ok(())
}

#[test]
fn networks_at_other_parameters() {
    everywhere(|device| {
        let mut net = network(device)?;
        let x = rows(device, 4)?;
        let own = run(&net, &x).to_vec::<f32>()?;
        let alone =
            |net: &Network| -> Result<Tensor> { Ok(net.layer("first")?.deep_copy()?.forward(&[&x], Mode::Inference)) };
        same("a layer alone", &alone(&net)?, &net.forward("first", &[&x], Mode::Inference))?;
        let twice: Vec<(String, Tensor)> =
            net.tracked_parameters().into_iter().map(|(path, tensor)| (path, tensor * 2.0)).collect();
        let at = net.with_parameters(&twice)?;
        let value = run(&at, &x);
        // The same as with memory of its own.
        let copy = at.deep_copy()?;
        same("computed", &value, &run(&copy, &x))?;
        same("a layer alone of it", &alone(&at)?, &at.forward("first", &[&x], Mode::Inference))?;
        assert_eq!(run(&net, &x).to_vec::<f32>()?, own);
        assert_eq!(net.tensor("first.bias")?.shape(), [5]);
        let (loss, other) = (value.square().mean_all(), run(&copy, &x).square().mean_all());
        let (gradients, expected) = (loss.backward()?.of(&net)?, other.backward()?.of(&copy)?);
        for (path, gradient) in gradients.tensors() {
            same(&path, &gradient, &(expected.tensor(&path)?.detach() * 2.0))?;
        }
        // Some of them; those of a function that was compiled for the network itself; in inference.
        let part = net.with_parameters(&twice[..1])?;
        assert_eq!(part.parameter("first.bias")?.to_vec::<f32>()?, net.parameter("first.bias")?.to_vec::<f32>()?);
        let compiled = netcl::compile(|net: &Network, x: &Tensor| run(net, x));
        assert_eq!(compiled.call(&net, &x)?.to_vec::<f32>()?, own);
        same("compiled", &compiled.call(&at, &x)?, &value)?;
        let hidden = at.forward("first", &[&x], Mode::Inference).sum_all();
        assert!(hidden.backward()?.reached(&net)?.norm()?.item::<f32>()? > 0.0);
        // A step in between.
        Sgd::new(0.1).step(&mut net, &gradients)?;
        let error = loss.backward().unwrap_err().to_string();
        assert!(error.contains("the parameters have changed since the loss was computed"), "{error}");
        let error = loss.backward_recorded().unwrap_err().to_string();
        assert!(error.contains("the parameters have changed since the loss was computed"), "{error}");
        let wrong = [("first.bias".to_owned(), x.clone())];
        let error = net.with_parameters(&wrong).unwrap_err().to_string();
        assert!(error.contains("`with_parameters`: argument `first.bias` expects f32[5], found f32[4, 3]"), "{error}");
        let error = net.with_parameters(&[("first.bia".to_owned(), x.clone())]).unwrap_err().to_string();
        assert!(error.contains("first.bias"), "{error}");
        Ok(())
    });
}

/// Random numbers of the function are those of its derivatives, in each of them; running statistics change once.
#[test]
fn layers_that_draw_and_that_change() {
    everywhere(|device| {
        let x = Tensor::full(device, 1.0f32, &[64, 3])?;
        let dropout = Layer::new(device, Seed(3), "Dropout", &[("rate", 0.5.into())])?;
        let f = |[x, w]: &[Tensor; 2]| (dropout.forward(&[&(x * w)], Mode::Training) * 0.7).square();
        let at = [x.clone(), &x * 2.0];
        let (y, pullback) = vjp(&at, f)?;
        let [dx, dw] = pullback(&x)?;
        // Of `m² x² w² 0.49`, where `m` is 0 or 2, at `x = 1`, `w = 2`.
        let y = y.eval()?;
        same("in x", &dx, &(&y * 2.0))?;
        same("in w", &dw, &y)?;
        assert!(y.to_vec::<f32>()?.contains(&0.0) && y.sum_all().item::<f32>()? > 0.0);
        let both = netcl::grad(&at, |at| -> Result<Tensor> {
            let [dx, dw] = netcl::grad(at, |at| f(at).sum_all())?;
            // 4 m² 0.49 x³ w³ of the product.
            Ok((dx * dw).sum_all())
        })?;
        same("twice", &(&both[0] * 1.0), &(&both[1] * 2.0))?;
        let norm = Layer::new(device, Seed(3), "BatchNorm", &[("features", 3.into())])?;
        let slope = netcl::grad(&x, |x| (norm.forward(&[&(x.cumsum(0) * 0.1)], Mode::Training)).pow(3.0).sum_all())?;
        let gradients = slope.square().sum_all().backward()?.reached(&norm)?;
        assert!(gradients.norm()?.item::<f32>()? > 0.0);
        let mean = norm.core().tensor("running_mean")?.to_vec::<f32>()?;
        // A tenth of the mean of 0.1, 0.2, .. 6.4.
        assert!(mean.iter().all(|mean| (mean - 0.325).abs() < 1e-4), "{mean:?}");
        Ok(())
    });
}

#[test]
fn what_is_recorded_twice_goes_with_its_result() -> Result<()> {
    let device = Device::null(netcl::Target::Gpu, u64::MAX);
    let net = network(&device)?;
    let x = rows(&device, 64)?;
    let step = || -> Result<()> {
        let value = penalty(&net, &x)?;
        let gradients = value.backward()?.of(&net)?;
        drop((value, gradients));
        drop(penalty(&net, &x)?.backward_recorded()?.wrt(&net.parameter("first.weight")?)?.eval()?);
        let (y, pullback) = vjp(&x, |x| run(&net, x))?;
        drop(pullback(&y)?.sum_all().backward()?.of(&net)?);
        Ok(())
    };
    step()?;
    let before = device.memory_stats().in_use;
    for _ in 0..3 {
        step()?;
        assert_eq!(device.memory_stats().in_use, before);
    }
    // Chains of steps are dropped one by one.
    let mut w = Tensor::scalar(&device, 1.0f32)?.requires_grad()?;
    for _ in 0..2000 {
        let slope = netcl::grad(&w, |w| w.square())?;
        w = w - slope.detach() * 0.1;
    }
    drop(w);
    Ok(())
}

#[test]
fn one_program_serves_all_batches() {
    for device in with_driver() {
        let device = device.with_queue(QueueOrder::InOrder).unwrap();
        let net = network(&device).unwrap();
        let step = |count: usize| -> Result<Vec<f32>> {
            let x = rows(&device, count)?;
            let first = penalty(&net, &x)?.backward()?.of(&net)?.tensor("first.weight")?.to_vec::<f32>()?;
            let second = jvp(&x, &x, |x| netcl::grad(x, |x| run(&net, x).square().sum_all()))?.1.to_vec::<f32>()?;
            Ok([first, second].concat())
        };
        let programs = || device.program_stats().built + device.program_stats().loaded;
        let first = step(5).unwrap();
        let built = programs();
        for count in [9, 4, 64] {
            step(count).unwrap();
        }
        assert!(programs() == built || measured_before(&device), "{device}");
        assert_eq!(step(5).unwrap(), first, "{device}");
    }
}

/// What is computed at once, or recorded to be done again, gives the same.
#[test]
fn a_recorded_step_with_a_penalty_is_repeated() {
    everywhere(|device| {
        let mut nets = [network(device)?, network(device)?];
        let x = rows(device, 6)?;
        let mut step = |at: usize| -> Result<()> {
            let gradients = penalty(&nets[at], &x)?.backward()?.of(&nets[at])?;
            Sgd::new(0.1).step(&mut nets[at], &gradients)
        };
        (0..4).try_for_each(|_| step(0))?;
        let (mut recording, ()) = device.record(|| step(1))?;
        (0..3).try_for_each(|_| recording.replay())?;
        for ((path, found), (_, expected)) in nets[1].parameters().iter().zip(nets[0].parameters()) {
            same(path, found, &expected)?;
        }
        Ok(())
    });
}
