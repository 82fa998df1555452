//! Layers built and trained at run time, against the same model with annotations, on every device that computes.

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{Operand, QueueOrder, algorithms};
use netcl_fixtures::devices::{all, measured_before, with_driver};

const FEATURES: usize = 6;
const CLASSES: usize = 4;

#[netcl::model]
struct Classifier {
    #[layer(inputs = 6, outputs = 16)]
    hidden: Linear,
    #[layer(inputs = 16, outputs = 4)]
    output: Linear,
}

#[netcl::model]
impl Classifier {
    fn loss(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.output.forward(&self.hidden.forward(x).relu()).cross_entropy(labels)
    }
}

/// The same at run time, of sizes that are known only then.
fn network(device: &Device, sizes: &[usize]) -> Result<Network> {
    let mut layers = Layers::new();
    for (path, pair) in ["hidden", "output"].iter().zip(sizes.windows(2)) {
        layers.add(path, "Linear", &[("inputs", pair[0].into()), ("outputs", pair[1].into())])?;
    }
    layers.build(device, Seed(42))
}

fn loss(net: &Network, x: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let hidden = net.forward("hidden", &[x], Mode::Training).relu();
    net.forward("output", &[&hidden], Mode::Training).apply("cross_entropy", &[labels.into()]).check()
}

/// Tokens, as a sentence and as an image of one channel.
#[netcl::model]
struct Everything {
    #[layer(entries = 6, features = 8)]
    embed: Embedding,
    #[layer(features = 8)]
    before: LayerNorm,
    #[layer(features = 8, heads = 2, causal = true)]
    attention: SelfAttention,
    #[layer(features = 8)]
    after: RmsNorm,
    #[layer(inputs = 1, outputs = 3, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(features = 3)]
    batch: BatchNorm,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(rate = 0.5)]
    dropout: Dropout,
    #[layer(inputs = 24, outputs = 4)]
    output: Linear,
}

#[netcl::model]
impl Everything {
    fn loss(&self, tokens: &Tensor<u32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let words = self.embed.forward(tokens);
        let words = self.attention.forward(&self.before.forward(&words)) + &words;
        let image = self.after.forward(&words).reshape([N, 1, 4, 8]);
        let image = self.pool.forward(&self.batch.forward(&self.conv.forward(&image)).gelu());
        self.output.forward(&self.dropout.forward(&image.flatten(1))).cross_entropy(labels)
    }
}

fn everything(device: &Device) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add("embed", "Embedding", &[("entries", 6.into()), ("features", 8.into())])?;
    layers.add("before", "LayerNorm", &[("features", 8.into())])?;
    let attention = [("features", 8.into()), ("heads", 2.into()), ("causal", true.into())];
    layers.add("attention", "SelfAttention", &attention)?;
    layers.add("after", "RmsNorm", &[("features", 8.into())])?;
    let conv = [("inputs", 1.into()), ("outputs", 3.into()), ("kernel", 3.into()), ("padding", (1, 1).into())];
    layers.add("conv", "Conv2d", &conv)?;
    layers.add("batch", "BatchNorm", &[("features", 3.into())])?;
    layers.add("pool", "MaxPool2d", &[("kernel", 2.into())])?;
    layers.add("flat", "Flatten", &[])?;
    layers.add("dropout", "Dropout", &[("rate", 0.5.into())])?;
    layers.add("output", "Linear", &[("inputs", 24.into()), ("outputs", 4.into())])?;
    layers.build(device, Seed(3))
}

fn loss_of_everything(net: &Network, tokens: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let run = |path, x: &Tensor| net.forward(path, &[x], Mode::Training);
    let words = run("embed", tokens);
    let words = &run("attention", &run("before", &words)) + &words;
    let image = run("after", &words).reshape([tokens.shape()[0], 1, 4, 8]);
    let image = run("pool", &run("batch", &run("conv", &image)).gelu());
    run("output", &run("dropout", &run("flat", &image))).apply("cross_entropy", &[labels.into()]).check()
}

fn batch(device: &Device, rows: usize) -> Result<(Tensor, Tensor)> {
    let values: Vec<f32> = (0..rows * FEATURES).map(|at| ((at * 37 % 101) as f32 - 50.0) / 25.0).collect();
    let labels: Vec<u32> = (0..rows).map(|row| (row * 7 % CLASSES) as u32).collect();
    Ok((Tensor::from_slice(device, &values, &[rows, FEATURES])?, Tensor::from_slice(device, &labels, &[rows])?))
}

fn close(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (found, expected) in found.to_vec::<f32>()?.into_iter().zip(expected.to_vec::<f32>()?) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
    }
    Ok(())
}

fn all_close(found: &Gradients, expected: &Gradients) -> Result<()> {
    for ((path, found), (expected_path, expected)) in found.tensors().iter().zip(expected.tensors()) {
        assert_eq!(*path, expected_path);
        close(path, found, &expected)?;
    }
    Ok(())
}

#[test]
fn what_is_built_at_run_time_trains_as_what_is_annotated() {
    for device in all() {
        trains(&device).unwrap();
    }
}

fn trains(device: &Device) -> Result<()> {
    let mut annotated = Classifier::new(device, Seed(42))?;
    let mut net = network(device, &[FEATURES, 16, CLASSES])?;
    let settings = || AdamW::new(1e-2).group("output", ParameterGroup::new().rate(0.5));
    let mut optimizers = [settings(), settings()];
    for step in 0..20 {
        // The last batch is smaller.
        let (x, labels) = batch(device, if step % 4 == 3 { 5 } else { 8 })?;
        let (expected, gradients) = annotated.loss_with_gradients(&x, &labels)?;
        let found = loss(&net, &x, &labels)?;
        let own = found.backward()?.of(&net)?;
        close("loss", &found, &expected)?;
        all_close(&own, &gradients)?;
        optimizers[0].step(&mut annotated, &gradients.clip_norm(1.0)?)?;
        optimizers[1].step(&mut net, &own.clip_norm(1.0)?)?;
    }
    for ((path, found), (_, expected)) in net.parameters().iter().zip(annotated.parameters()) {
        close(path, found, &expected)?;
    }
    Ok(())
}

/// Of equal seeds the same elements are dropped, and what is computed again for the gradient drops them as well.
#[test]
fn every_layer_trains_at_run_time() {
    for device in all() {
        let run = || -> Result<()> {
            let (mut annotated, mut net) = (Everything::new(&device, Seed(3))?, everything(&device)?);
            let mut optimizers = [Sgd::new(0.1).momentum(0.9), Sgd::new(0.1).momentum(0.9)];
            for rows in [6, 6, 3] {
                let tokens: Vec<u32> = (0..rows * 4).map(|at| (at * 5 + at / 3) as u32 % 6).collect();
                let tokens = Tensor::from_slice(&device, &tokens, &[rows, 4])?;
                let (_, labels) = batch(&device, rows)?;
                let (expected, gradients) = annotated.loss_with_gradients(&tokens, &labels)?;
                let found = loss_of_everything(&net, &tokens, &labels)?;
                let own = found.backward()?.of(&net)?;
                close("loss", &found, &expected)?;
                all_close(&own, &gradients)?;
                optimizers[0].step(&mut annotated, &gradients)?;
                optimizers[1].step(&mut net, &own)?;
            }
            for ((path, found), (_, expected)) in net.states().iter().zip(annotated.states()) {
                close(path, found, &expected)?;
            }
            Ok(())
        };
        run().unwrap();
    }
}

/// One plan serves all batch sizes, and all numbers that operations take.
#[test]
fn one_program_serves_all_batches_and_numbers() {
    for device in with_driver() {
        let device = device.with_queue(QueueOrder::InOrder).unwrap();
        let net = network(&device, &[FEATURES, 13, CLASSES]).unwrap();
        let step = |rows: usize, scale: f64| {
            let (x, labels) = batch(&device, rows).unwrap();
            let scaled = &loss(&net, &x, &labels).unwrap() * scale;
            scaled.backward().unwrap().of(&net).unwrap().tensor("output.bias").unwrap().to_vec::<f32>().unwrap()
        };
        let programs = || device.program_stats().built + device.program_stats().loaded;
        let first = step(5, 0.3);
        let built = programs();
        for rows in [9, 3, 64] {
            step(rows, 0.1 / rows as f64);
        }
        assert!(programs() == built || measured_before(&device), "{device}");
        assert_eq!(step(5, 0.3), first, "{device}");
    }
}

#[test]
fn functions_of_tensors_are_differentiated() -> Result<()> {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 3.0], &[3])?;
    let w = Tensor::from_slice(&device, &[0.5f32, 4.0, -1.0], &[3])?;
    let (value, [dx, dw]) = netcl::value_and_grad(&[x.clone(), w.clone()], |[x, w]| x.mul(x).mul(w).sum([0]))?;
    assert_eq!(value.item::<f32>()?, 0.5 + 16.0 - 9.0);
    assert_eq!((dx.to_vec::<f32>()?, dw.to_vec::<f32>()?), (vec![1.0, -16.0, -6.0], vec![1.0, 4.0, 9.0]));
    // What is used twice has the sum; a constant and what is detached have none.
    let gradient = netcl::grad(&x, |x| (&x.add(x.mul(x.detach())).add(&w) * 2.0).sum([0]))?;
    assert_eq!(gradient.to_vec::<f32>()?, [4.0, -2.0, 8.0]);
    // Nothing of the values is read.
    assert_eq!(netcl::grad(&x, |x| x.sum([0]))?.to_vec::<f32>()?, [1.0; 3]);
    // Parts put together, and taken apart.
    let parts = |x: &Tensor| -> Result<Tensor> {
        let many: Vec<Tensor> = (1..40).map(|times| x * f64::from(times)).collect();
        let rest: Vec<&Tensor> = many[1..].iter().collect();
        let all = many[0].apply("concat", &[Operand::Tensors(&rest), 0.into()]);
        all.reshape([39, 3]).t().mul(w.reshape([3, 1])).sum([0, 1]).check()
    };
    assert_eq!(netcl::grad(&x, parts)?.to_vec::<f32>()?, [0.5 * 780.0, 4.0 * 780.0, -780.0]);
    Ok(())
}

/// Two networks in one loss, a layer that is used twice, a parameter that no layer has, frozen layers.
#[test]
fn a_loss_has_gradients_in_all_that_leads_to_it() {
    for device in all() {
        let run = || -> Result<()> {
            let mut layers = Layers::new();
            layers.add("shared", "Linear", &[("inputs", FEATURES.into()), ("outputs", FEATURES.into())])?;
            layers.add_parameter("scale", &[FEATURES], 2.0)?;
            let generator = layers.build(&device, Seed(1))?;
            let critic = network(&device, &[FEATURES, 16, CLASSES])?;
            let (x, labels) = batch(&device, 4)?;
            let once = generator.forward("shared", &[&x], Mode::Training).tanh();
            let twice = generator.forward("shared", &[&once], Mode::Training);
            let scale = generator.parameter("scale")?;
            let value = loss(&critic, &twice.mul(&scale), &labels)?;
            let backward = value.backward()?;
            let (own, others) = (backward.of(&generator)?, backward.of(&critic)?);
            close("scale", &backward.wrt(&scale)?, &own.tensor("scale")?)?;
            // By differences, along the gradient itself.
            let length = own.norm()?.item::<f32>()?;
            let mut moved = generator.deep_copy()?;
            let epsilon = 1e-2;
            for (path, gradient) in own.tensors() {
                let step = &gradient * f64::from(epsilon / length);
                moved.set_tensor(&path, &moved.tensor(&path)?.add(&step))?;
            }
            let once = moved.forward("shared", &[&x], Mode::Inference).tanh();
            let twice = moved.forward("shared", &[&once], Mode::Inference);
            let other = netcl::no_grad(|| loss(&critic, &twice.mul(&moved.parameter("scale")?), &labels))?;
            let slope = (other.item::<f32>()? - value.item::<f32>()?) / epsilon;
            assert!((slope - length).abs() < 0.1 * length, "{slope}, expected about {length}");
            // A layer that is used without recording is left as it is.
            let mut net = network(&device, &[FEATURES, 16, CLASSES])?;
            let before = net.tensor("hidden.weight")?.to_vec::<f32>()?;
            let hidden = netcl::no_grad(|| net.forward("hidden", &[&x], Mode::Training).relu());
            let value = net.forward("output", &[&hidden], Mode::Training).apply("cross_entropy", &[(&labels).into()]);
            let gradients = value.backward()?.reached(&net)?;
            AdamW::new(0.1).step(&mut net, &gradients)?;
            assert_eq!(net.tensor("hidden.weight")?.to_vec::<f32>()?, before);
            assert_ne!(net.tensor("output.weight")?.to_vec::<f32>()?, critic.tensor("output.weight")?.to_vec::<f32>()?);
            assert!(others.tensor("hidden.weight")?.to_vec::<f32>()?.iter().any(|value| *value != 0.0));
            Ok(())
        };
        run().unwrap();
    }
}

type Change<'a> = &'a dyn Fn(&Tensor) -> Result<Tensor>;

#[test]
fn what_has_no_gradient_says_why() -> Result<()> {
    let device = Device::host();
    let mut net = network(&device, &[FEATURES, 16, CLASSES])?;
    let (x, labels) = batch(&device, 4)?;
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let hidden = || net.forward("hidden", &[&x], Mode::Training);
    let output = |h: &Tensor| net.forward("output", &[h], Mode::Training).apply("cross_entropy", &[(&labels).into()]);
    // No number, nothing recorded.
    assert!(text(hidden().backward().map(drop)).contains("need a float scalar, found f32 [4, 16]; reduce it"));
    let inferred = net.forward("hidden", &[&x], Mode::Inference).sum([0, 1]);
    assert!(text(inferred.backward().map(drop)).contains("`Mode::Training`, or start from `x.requires_grad()?`"));
    // What cut a parameter off is named, with its place.
    let steps = |h: &Tensor| h.apply("floor", &[]).check();
    let cuts: [(&str, Change<'_>); 4] = [
        ("`floor` at netcl", &steps),
        ("`detach` at netcl", &|h| Ok(h.detach())),
        ("`gt` at netcl", &|h| h.gt(h.detach()).cast(DType::F32).check()),
        ("`no_grad` cuts", &|h| netcl::no_grad(|| h.relu()).check()),
    ];
    for (expected, cut) in cuts {
        let h = hidden();
        let error = text(output(&cut(&h)?).backward()?.of(&net).map(drop));
        assert!(
            error.contains("does not reach the parameter `hidden.weight`: ") && error.contains(expected),
            "{error}"
        );
        assert!(error.contains("`reached` instead of `of`"), "{error}");
        // Where nobody wrote `of`, the way is written out.
        let error = text(netcl::value_and_grad(&net, |_| -> Result<Tensor> { Ok(output(&cut(&h)?)) }).map(drop));
        assert!(error.contains("`loss.backward()?.reached(&net)?` of the loss itself"), "{error}");
    }
    // Of what netcl itself cuts off, the caller's line is told.
    let scale = x.requires_grad()?.sum([0, 1]);
    let (value, _) = netcl::value_and_grad(&net, |net| loss(net, &x, &labels))?;
    let line = line!() - 1;
    let error = text(value.mul(&scale).backward()?.of(&net).map(drop));
    assert!(error.contains(&format!("`value_and_grad` at {}:{line}, ", file!())), "{error}");
    let weights = net.tensor("output.weight")?;
    let (value, _) = netcl::value_and_grad(&weights, |weights| weights.square().sum_all())?;
    let line = line!() - 1;
    let error = text(value.backward().map(drop));
    assert!(error.contains(&format!("`value_and_grad` at {}:{line}, ", file!())), "{error}");
    // What else is tracked there is not cut off.
    let (value, _) = netcl::value_and_grad(&x, |x| loss(&net, x, &labels))?;
    all_close(&value.backward()?.of(&net)?, &loss(&net, &x, &labels)?.backward()?.of(&net)?)?;
    let direct = text(steps(&hidden()).unwrap().sum([0, 1]).backward().map(drop));
    assert!(direct.contains("no gradient goes through `floor` at netcl"), "{direct}");
    // A part that nothing uses; another model; a tensor.
    let unused = text(output(&Tensor::zeros(&device, &[4, 16], DType::F32)?).backward()?.of(&net).map(drop));
    assert!(unused.contains("`hidden.weight`: nothing that leads to the loss uses it"), "{unused}");
    let backward = loss(&net, &x, &labels)?.backward()?;
    let other = text(backward.of(&network(&device, &[FEATURES, 2, 2])?).map(drop));
    assert!(other.contains("any parameter of the model"), "{other}");
    assert!(text(backward.wrt(&x).map(drop)).contains("compute the loss from `x.requires_grad()?`"));
    assert!(text(backward.wrt(&x.requires_grad()?).map(drop)).contains("nothing that leads to the loss uses it"));
    assert!(text(labels.requires_grad().map(drop)).contains("only float tensors"));
    // What is not recorded is not left out in silence.
    let h = hidden();
    let mixed = h.add(&algorithms::map("v0 * v0", &[&h])?);
    let error = text(output(&mixed).backward().map(drop));
    assert!(error.contains("`algorithms::map` leads to the loss, and its derivative is not recorded"), "{error}");
    let y = x.requires_grad()?;
    let square = y.mul(&y).sum([0, 1]);
    let penalty = square.backward()?.wrt(&y)?.mul(&y).sum([0, 1]);
    let error = text(penalty.add(&square).backward().map(drop));
    assert!(error.contains("a gradient that `backward` gave leads to the loss"), "{error}");
    let of_bias = loss(&net, &x, &labels)?.backward()?.of(&net)?.tensor("hidden.bias")?;
    let error = text(of_bias.mul(&of_bias).sum([0]).add(&square).backward().map(drop));
    assert!(error.contains("a gradient that `backward` gave leads to the loss"), "{error}");
    penalty.detach().add(&square).backward()?;
    // A step between the loss and its gradient.
    let value = loss(&net, &x, &labels)?;
    let gradients = value.backward()?.of(&net)?;
    Sgd::new(0.1).step(&mut net, &gradients)?;
    let error = text(value.backward().map(drop));
    assert!(error.contains("the parameters have changed since"), "{error}");
    // Another device.
    let elsewhere = Device::null(netcl::Target::Gpu, u64::MAX);
    let moved = loss(&net, &x, &labels)?.to_device(&elsewhere)?;
    assert!(text(moved.backward().map(drop)).contains("`to_device` at netcl"));
    let error = text(net.forward("hidden", &[&batch(&elsewhere, 4)?.0], Mode::Training).check().map(drop));
    assert!(error.contains("move it with `to_device`"), "{error}");
    // Paths.
    assert!(text(net.layer("hiden").map(drop)).contains("it has: hidden, output"));
    let again = text(Layers::new().add("a", "Flatten", &[])?.add("a", "Flatten", &[]).map(drop));
    assert!(again.contains("something at the path `a` already"), "{again}");
    assert!(text(Layers::new().add("a..b", "Flatten", &[]).map(drop)).contains("is no path"));
    Ok(())
}

/// What is recorded goes with the loss, however long it is.
#[test]
fn memory_goes_with_the_loss() -> Result<()> {
    let device = Device::null(netcl::Target::Gpu, u64::MAX);
    let net = network(&device, &[FEATURES, 16, CLASSES])?;
    let (x, labels) = batch(&device, 64)?;
    drop(loss(&net, &x, &labels)?.eval()?.backward()?);
    let in_use = || device.memory_stats().in_use;
    let before = in_use();
    for _ in 0..3 {
        let value = loss(&net, &x, &labels)?.eval()?;
        let recorded = in_use();
        assert!(recorded > before);
        // Elementwise results are computed again: nothing is kept of them.
        let long = (0..100).fold(value.clone(), |sum, _| &sum + 0.7);
        assert!(in_use() <= recorded + 1024, "{} bytes more", in_use() - recorded);
        drop(value.backward()?.of(&net)?);
        drop((value, long));
        assert_eq!(in_use(), before);
    }
    // Chains are dropped one by one.
    let start = Tensor::scalar(&device, 1.0f32)?.requires_grad()?;
    drop((0..20_000).fold(start, |sum, _| &sum + 0.7));
    Ok(())
}

/// Launches that are kept do the whole step again: layers, gradients, optimizer.
#[test]
fn a_recorded_step_is_repeated() {
    for device in all() {
        let run = || -> Result<()> {
            let mut nets = [network(&device, &[FEATURES, 16, CLASSES])?, network(&device, &[FEATURES, 16, CLASSES])?];
            let mut optimizers = [AdamW::new(1e-2), AdamW::new(1e-2)];
            let (x, labels) = batch(&device, 8)?;
            let mut step = |at: usize| {
                let gradients = loss(&nets[at], &x, &labels)?.backward()?.of(&nets[at])?;
                optimizers[at].step(&mut nets[at], &gradients)
            };
            (0..4).try_for_each(|_| step(0))?;
            let (mut recording, ()) = device.record(|| step(1))?;
            (0..3).try_for_each(|_| recording.replay())?;
            for ((path, found), (_, expected)) in nets[1].parameters().iter().zip(nets[0].parameters()) {
                close(path, found, &expected)?;
            }
            // What is of the parameters before a replay is of others than there are now.
            let value = loss(&nets[1], &x, &labels)?;
            recording.replay()?;
            assert!(value.backward().unwrap_err().to_string().contains("the parameters have changed since"));
            Ok(())
        };
        run().unwrap();
    }
}

/// Each call gives gradients of its own: they do not add up, nor change with the next ones. Batches of one row and of none have some.
#[test]
fn gradients_are_those_of_one_call() {
    for device in all() {
        let run = || -> Result<()> {
            let net = network(&device, &[FEATURES, 16, CLASSES])?;
            let (x, labels) = batch(&device, 8)?;
            let value = loss(&net, &x, &labels)?;
            let first = value.backward()?.of(&net)?;
            let numbers = |gradients: &Gradients| gradients.tensor("hidden.weight")?.to_vec::<f32>();
            let before = numbers(&first)?;
            let (other, fewer) = batch(&device, 3)?;
            let second = loss(&net, &other, &fewer)?.backward()?.of(&net)?;
            assert_ne!(numbers(&second)?, before);
            assert_eq!(numbers(&value.backward()?.of(&net)?)?, before);
            assert_eq!(numbers(&first)?, before);
            for rows in [1, 0] {
                let x = batch(&device, rows)?.0;
                let y = net.forward("hidden", &[&x], Mode::Training).sum([0, 1]);
                let gradients = y.backward()?.reached(&net)?;
                assert_eq!(gradients.tensor("hidden.bias")?.to_vec::<f32>()?, [rows as f32; 16]);
                assert_eq!(numbers(&gradients)?.iter().all(|value| *value == 0.0), rows == 0);
            }
            Ok(())
        };
        run().unwrap();
    }
}

/// A size that happens to be that of the batch is no batch where the tensor has none.
#[test]
fn batches_of_two_sizes_have_gradients_of_their_own() -> Result<()> {
    for device in all() {
        let b = Tensor::zeros(&device, &[4], DType::F32)?.requires_grad()?;
        for batch in [8usize, 16] {
            let x = Tensor::zeros(&device, &[batch, 4], DType::F32)?.requires_grad()?;
            let rows = b.apply("broadcast_to", &[(&[batch as i64, 4][..]).into()]);
            let loss = x.mul(&x).sum([0, 1]).add(rows.sum([0, 1]));
            assert_eq!(loss.backward()?.wrt(&b)?.to_vec::<f32>()?, [batch as f32; 4]);
        }
    }
    Ok(())
}

#[test]
fn of_no_matrices_there_is_a_gradient_without_elements() -> Result<()> {
    let device = Device::host();
    let zeros = |shape: &[usize]| Tensor::zeros(&device, shape, DType::F32);
    let a = zeros(&[0, 3, 3])?.requires_grad()?;
    let b = zeros(&[0, 3, 1])?;
    for loss in [
        a.inv().sum_all(),
        a.cholesky().sum_all(),
        a.solve(&b).sum_all(),
        a.solve_triangular(&b, true).sum_all(),
        a.det().sum_all(),
        a.logabsdet().sum_all(),
        a.eigvalsh().sum_all(),
        a.svdvals().sum_all(),
    ] {
        assert_eq!(loss.backward()?.wrt(&a)?.shape(), [0, 3, 3]);
    }
    Ok(())
}
