//! One model with every layer, on every device found: trained for two steps, then inferred with; and what models need of
//! their batches. `nn::Layer`, which the suite compares with PyTorch layer by layer, tells what is right.

use crate::common::{device, everywhere, floats};
use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::optim::{AdamW, Optimizer, Sgd};
use netcl::{Model, Result, Seed, Tensor};
use std::cell::RefCell;

const TOKENS: usize = 4;
const WIDTH: usize = 8;
const CHANNELS: usize = 3;
const FEATURES: usize = 12;
const CLASSES: usize = 5;

/// Tokens, as a sentence and as an image of one channel.
#[netcl::model]
struct Everything {
    #[layer(entries = 6, features = 8)]
    embed: Embedding,
    #[layer(features = 8)]
    before: LayerNorm,
    #[layer(features = 8, heads = 2)]
    attention: SelfAttention,
    #[layer(features = 8)]
    after: RmsNorm,
    #[layer(inputs = 1, outputs = 3, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(features = 3)]
    batch: BatchNorm,
    #[layer(kernel = (1, 2))]
    largest: MaxPool2d,
    #[layer(kernel = 2)]
    average: AvgPool2d,
    flat: Flatten,
    #[layer(rate = 0.5)]
    dropout: Dropout,
    #[layer(inputs = 12, outputs = 5)]
    output: Linear,
}

#[netcl::model]
impl Everything {
    fn forward(&self, tokens: &Tensor<u32, N, 4>) -> Tensor<f32, N, 5> {
        let words = self.embed.forward(tokens);
        let words = self.attention.forward(&self.before.forward(&words)) + &words;
        let image = self.after.forward(&words).reshape([N, 1, 4, 8]);
        let image = self.batch.forward(&self.conv.forward(&image));
        let image = self.average.forward(&self.largest.forward(&image));
        self.output.forward(&self.dropout.forward(&self.flat.forward(&image)))
    }

    fn loss(&self, tokens: &Tensor<u32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(tokens).cross_entropy(labels)
    }
}

/// A layer of the model at run time, with the model's own tensors.
fn layer(model: &Everything, field: &str, name: &str, settings: &[(&str, ConfigValue)]) -> Result<Layer> {
    Layer::of(model.core(), field, name, settings)
}

/// What the batch normalisation gets.
fn convolved(model: &Everything, tokens: &Tensor) -> Result<Tensor> {
    use ConfigValue::{Pair, Size};
    let run = |field, name, settings: &[_], x: &Tensor| {
        layer(model, field, name, settings).map(|layer| layer.forward(&[x], Mode::Training))
    };
    let words = run("embed", "Embedding", &[("entries", Size(6)), ("features", Size(8))], tokens)?;
    let h = run("before", "LayerNorm", &[("features", Size(8))], &words)?;
    let h = run("attention", "SelfAttention", &[("features", Size(8)), ("heads", Size(2))], &h)?;
    let h = run("after", "RmsNorm", &[("features", Size(8))], &h.add(&words))?;
    let image = h.reshape([tokens.shape()[0], 1, TOKENS, WIDTH]);
    let conv = [("inputs", Size(1)), ("outputs", Size(3)), ("kernel", Pair([3, 3])), ("padding", Pair([1, 1]))];
    run("conv", "Conv2d", &conv, &image)?.check()
}

/// From there to what the output layer gets if nothing is dropped. In training this updates the running statistics.
fn features(model: &Everything, x: &Tensor, mode: Mode) -> Result<Tensor> {
    use ConfigValue::{Pair, Size};
    let h = layer(model, "batch", "BatchNorm", &[("features", Size(3))])?.forward(&[x], mode);
    let h = layer(model, "largest", "MaxPool2d", &[("kernel", Pair([1, 2]))])?.forward(&[&h], mode);
    let h = layer(model, "average", "AvgPool2d", &[("kernel", Pair([2, 2]))])?.forward(&[&h], mode);
    layer(model, "flat", "Flatten", &[])?.forward(&[&h], mode).check()
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(tensor.to_vec::<f32>()?.into_iter().map(f64::from).collect())
}

/// Equal within 1e-4 of the larger of the element and the mean magnitude.
fn close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let mean = expected.iter().map(|value| value.abs()).sum::<f64>() / expected.len() as f64;
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        let near = (found - expected).abs() <= 1e-4 * expected.abs().max(mean);
        assert!(near, "{}: {what}, element {position}: {found}, expected {expected}", device());
    }
}

/// Mean and variance (of a sample) of each channel of `x [n, CHANNELS, ..]`.
fn statistics(x: &Tensor) -> Result<[Vec<f64>; 2]> {
    let (pixels, x) = (x.elements() / x.shape()[0] / CHANNELS, numbers(x)?);
    let channel = |c: usize| -> Vec<f64> {
        x.chunks(pixels).enumerate().filter(|(row, _)| row % CHANNELS == c).flat_map(|(_, row)| row.to_vec()).collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = |values: &[f64]| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
    };
    Ok([(0..CHANNELS).map(|c| mean(&channel(c))).collect(), (0..CHANNELS).map(|c| variance(&channel(c))).collect()])
}

/// `logits [n, CLASSES]` of features `h [n, FEATURES]`.
fn logits(model: &Everything, h: &[f64]) -> Result<Vec<f64>> {
    let (w, b) = (numbers(&model.tensor("output.weight")?)?, numbers(&model.tensor("output.bias")?)?);
    let row = |row: &[f64], o: usize| b[o] + (0..FEATURES).map(|i| row[i] * w[i * CLASSES + o]).sum::<f64>();
    Ok(h.chunks(FEATURES).flat_map(|h| (0..CLASSES).map(|o| row(h, o)).collect::<Vec<_>>()).collect())
}

fn cross_entropy(logits: &[f64], label: usize) -> f64 {
    logits.iter().map(|logit| logit.exp()).sum::<f64>().ln() - logits[label]
}

/// A step of a batch of one: its sentence has 32 pixels for each channel, and shows which features are dropped.
fn step(model: &mut Everything, tokens: &[u32; TOKENS], label: u32) -> Result<Vec<bool>> {
    let tokens = Tensor::from_slice(&device(), tokens, &[1, TOKENS])?;
    let labels = Tensor::from_slice(&device(), &[label], &[1])?;
    let before = model.deep_copy()?;
    let (loss, gradients) = model.loss_with_gradients(&tokens, &labels)?;

    // A feature that is dropped has no share in the logits, and its weights have no gradient.
    let gradient = numbers(&gradients.output()?.weight)?;
    let dropped: Vec<bool> = gradient.chunks(CLASSES).map(|row| row.iter().all(|value| *value == 0.0)).collect();
    assert_eq!(dropped.len(), FEATURES);

    let states = ["batch.running_mean", "batch.running_var"];
    let old = states.map(|name| before.tensor(name).and_then(|state| numbers(&state)));
    let x = convolved(&before, &tokens)?;
    let h = numbers(&features(&before, &x, Mode::Training)?)?;
    let kept: Vec<f64> = h.iter().zip(&dropped).map(|(h, dropped)| if *dropped { 0.0 } else { h / 0.5 }).collect();
    let logits = logits(&before, &kept)?;
    close("loss", &[f64::from(loss.item::<f32>()?)], &[cross_entropy(&logits, label as usize)]);
    for ((name, old), batch) in states.into_iter().zip(old).zip(statistics(&x)?) {
        let expected: Vec<f64> = old?.iter().zip(&batch).map(|(old, new)| 0.9 * old + 0.1 * new).collect();
        close(name, &numbers(&model.tensor(name)?)?, &expected);
    }
    Sgd::new(0.1).step(model, &gradients)?;
    Ok(dropped)
}

#[test]
fn a_model_of_all_layers_trains_and_infers() -> Result<()> {
    let first = RefCell::new(None);
    everywhere(|| {
        let mut model = Everything::new(&device(), Seed(7))?;
        let dropped = [step(&mut model, &[0, 5, 2, 2], 3)?, step(&mut model, &[1, 3, 4, 0], 0)?];
        for dropped in &dropped {
            let count = dropped.iter().filter(|dropped| **dropped).count();
            assert!((1..FEATURES).contains(&count), "about half of {FEATURES} are dropped, found {count}");
        }
        assert_ne!(dropped[0], dropped[1], "each step drops others");
        // The seed says which.
        assert_eq!(*first.borrow_mut().get_or_insert_with(|| dropped.clone()), dropped, "{}", device());

        let tokens = Tensor::from_slice(&device(), &[3u32, 1, 0, 5], &[1, TOKENS])?;
        let before = model.states().iter().map(|(_, state)| numbers(state)).collect::<Result<Vec<_>>>()?;
        let found = model.forward(&tokens)?;
        let h = features(&model, &convolved(&model, &tokens)?, Mode::Inference)?;
        close("logits", &numbers(&found)?, &logits(&model, &numbers(&h)?)?);
        assert_eq!(model.forward(&tokens)?.to_vec::<f32>()?, found.to_vec::<f32>()?, "nothing is dropped");
        let after = model.states().iter().map(|(_, state)| numbers(state)).collect::<Result<Vec<_>>>()?;
        assert_eq!(after, before, "inference changes no statistics");
        Ok(())
    })
}

#[netcl::model]
struct Normed {
    #[layer(features = 3)]
    norm: BatchNorm,
}

#[netcl::model]
impl Normed {
    fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        self.norm.forward(x)
    }

    fn loss(&self, x: &Tensor<f32, N, 3>, target: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.forward(x).mse_loss(target)
    }
}

/// Functions that say in which mode they are.
#[netcl::model]
struct Chosen {
    #[layer(features = 3)]
    norm: BatchNorm,
    #[layer(rate = 0.5)]
    dropout: Dropout,
}

#[netcl::model]
impl Chosen {
    fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        self.dropout.forward(&self.norm.forward(x))
    }

    fn loss(&self, x: &Tensor<f32, N, 3>, target: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.forward(x).mse_loss(target)
    }

    /// One of many possible results, as dropping gives them.
    #[mode(training)]
    fn sample(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        self.forward(x)
    }

    /// For training on with the statistics that there are.
    #[mode(inference)]
    fn frozen(&self, x: &Tensor<f32, N, 3>, target: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.loss(x, target)
    }
}

#[test]
fn a_function_may_say_its_mode() -> Result<()> {
    everywhere(|| {
        let model = Chosen::new(&device(), Seed(3))?;
        let values: Vec<f32> = (0..60).map(|i| (i as f32 * 0.37).sin()).collect();
        let (x, target) = (floats(&values, &[20, 3]), floats(&[0.25; 60], &[20, 3]));
        let variance = |model: &Chosen| model.tensor("norm.running_var")?.to_vec::<f32>();

        let (loss, gradients) = model.frozen_with_gradients(&x, &target)?;
        assert_eq!(loss.item::<f32>()?, model.loss(&x, &target)?.item::<f32>()?, "nothing is dropped");
        assert_eq!(variance(&model)?, [1.0; 3], "the statistics are as they were");
        // loss = mean((x / sqrt(1 + 1e-5) + bias - target)^2), the bias being 0.
        let slope =
            |c: usize| values.iter().skip(c).step_by(3).map(|x| 2.0 * (f64::from(*x) - 0.25) / 60.0).sum::<f64>();
        close("bias", &numbers(&gradients.norm()?.bias)?, &[slope(0), slope(1), slope(2)]);

        let (one, other) = (model.sample(&x)?.to_vec::<f32>()?, model.sample(&x)?.to_vec::<f32>()?);
        let zeros = one.iter().filter(|value| **value == 0.0).count();
        assert!((10..50).contains(&zeros), "{zeros} of 60 are dropped");
        assert_ne!(one, other, "each call drops others");
        assert_ne!(variance(&model)?, [1.0; 3], "and the statistics are the batch's");
        Ok(())
    })
}

/// One element has no variance: what is known while compiling only for some sizes is said with the same words at a call.
#[test]
fn a_batch_of_one_has_no_statistics() -> Result<()> {
    everywhere(|| {
        let expects = "expects more than 1 element for each channel while training, found [1, 3]";
        let (one, two) = (floats(&[1.0, 2.0, 3.0], &[1, 3]), floats(&[1.0, 2.0, 3.0, 5.0, 4.0, 3.0], &[2, 3]));
        let model = Normed::new(&device(), Seed(1))?;
        let error = model.loss_with_gradients(&one, &one).expect_err("one row").to_string();
        assert!(error.contains(&format!("`norm` {expects}")), "{error}");
        let layer = Layer::of(model.core(), "norm", "BatchNorm", &[("features", ConfigValue::Size(3))])?;
        let error = layer.forward(&[&one], Mode::Training).check().expect_err("one row").to_string();
        assert!(error.contains(&format!("`BatchNorm` {expects}")), "{error}");
        assert_eq!(model.tensor("norm.running_var")?.to_vec::<f32>()?, [1.0; 3], "nothing has run");
        model.loss_with_gradients(&two, &two)?;
        close("variance", &numbers(&model.tensor("norm.running_var")?)?, &[1.7, 1.1, 0.9]);
        assert_eq!(model.forward(&one)?.to_vec::<f32>()?.len(), 3, "inference takes what was learned");
        Ok(())
    })
}

/// A part with a tensor that no optimizer changes.
#[netcl::model]
struct Residual {
    #[layer(inputs = 3, outputs = 3)]
    linear: Linear,
    #[state(init = 0.5)]
    share: Tensor<f32, 3>,
}

#[netcl::model]
impl Residual {
    fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        x * &self.share + self.linear.forward(x)
    }
}

#[netcl::model]
struct Stack {
    #[layer(count = 2)]
    parts: Vec<Residual>,
    #[layer(inputs = 3, outputs = 3, count = 2)]
    ends: Vec<Linear>,
}

#[netcl::model]
impl Stack {
    fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        let mut h = x;
        for part in &self.parts {
            h = part.forward(&h);
        }
        for end in &self.ends {
            h = end.forward(&h);
        }
        h
    }

    fn loss(&self, x: &Tensor<f32, N, 3>, target: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.forward(x).mse_loss(target)
    }
}

/// `x [.., 3]` through the linear layer under `path`, plus `share` times `x`.
fn linear(model: &Stack, path: &str, share: &[f64], x: &[f64]) -> Result<Vec<f64>> {
    let (w, b) =
        (numbers(&model.tensor(&format!("{path}.weight"))?)?, numbers(&model.tensor(&format!("{path}.bias"))?)?);
    let row = |row: &[f64], o: usize| share[o] * row[o] + b[o] + (0..3).map(|i| row[i] * w[i * 3 + o]).sum::<f64>();
    Ok(x.chunks(3).flat_map(|x| (0..3).map(|o| row(x, o)).collect::<Vec<_>>()).collect())
}

#[test]
fn vectors_of_models_and_states_are_parts_of_a_model() -> Result<()> {
    everywhere(|| {
        let mut model = Stack::new(&device(), Seed(5))?;
        let states: Vec<String> = model.states().into_iter().map(|(path, _)| path).collect();
        assert_eq!(states, ["parts.0.share", "parts.1.share"]);
        assert_eq!((model.parameters().len(), model.parts.len()), (8, 2));
        model.set_tensor("parts.1.share", &floats(&[1.0, -1.0, 0.25], &[3]))?;

        let values = [0.3f32, -0.7, 1.1, 0.9, 0.2, -0.4];
        let (x, target) = (floats(&values, &[2, 3]), floats(&[0.0; 6], &[2, 3]));
        let mut expected: Vec<f64> = values.into_iter().map(f64::from).collect();
        for (part, share) in [("parts.0", [0.5; 3]), ("parts.1", [1.0, -1.0, 0.25])] {
            expected = linear(&model, &format!("{part}.linear"), &share, &expected)?;
        }
        for end in ["ends.0", "ends.1"] {
            expected = linear(&model, end, &[0.0; 3], &expected)?;
        }
        close("forward", &numbers(&model.forward(&x)?)?, &expected);
        close("a part alone", &numbers(&model.parts[0].forward(&x)?)?, &{
            let x: Vec<f64> = values.into_iter().map(f64::from).collect();
            linear(&model, "parts.0.linear", &[0.5; 3], &x)?
        });

        let (_, gradients) = model.loss_with_gradients(&x, &target)?;
        assert_eq!((gradients.parts()?.len(), gradients.ends()?.len()), (2, 2));
        let weight = gradients.parts()?[1].linear()?.weight;
        assert_eq!(numbers(&weight)?, numbers(&gradients.tensor("parts.1.linear.weight")?)?);
        // The mean of six squares: its gradient in the last bias is a third of the results' sum.
        let sum = |o: usize| (expected[o] + expected[3 + o]) / 3.0;
        close("the last bias", &numbers(&gradients.ends()?[1].bias)?, &[sum(0), sum(1), sum(2)]);
        let before = numbers(&model.tensor("parts.1.linear.weight")?)?;
        Sgd::new(0.5).step(&mut model, &gradients)?;
        let moved: Vec<f64> = before.iter().zip(numbers(&weight)?).map(|(value, slope)| value - 0.5 * slope).collect();
        close("a step", &numbers(&model.tensor("parts.1.linear.weight")?)?, &moved);
        assert_eq!(model.tensor("parts.1.share")?.to_vec::<f32>()?, [1.0, -1.0, 0.25], "a state is not trained");

        Ok(())
    })
}

/// Layers' own tensors in a body: a table that is the output layer too, and a share of the statistics.
#[netcl::model]
struct Tied<const ENTRIES: usize> {
    #[layer(entries = ENTRIES, features = 2, count = 1)]
    embed: Vec<Embedding>,
    #[layer(features = 2)]
    norm: BatchNorm,
}

#[netcl::model]
impl<const ENTRIES: usize> Tied<ENTRIES> {
    fn forward(&self, tokens: &Tensor<u32, N>) -> Tensor<f32, N, ENTRIES> {
        self.embed[0].forward(tokens).matmul(self.embed[0].weight.t())
    }

    /// The updated variance where the layer has trained before it is read.
    fn loss(&self, tokens: &Tensor<u32, N>) -> Tensor<f32> {
        let normed = self.norm.forward(&self.embed[0].forward(tokens)).detach();
        self.forward(tokens).sum_all() + self.norm.running_var.sum_all() + normed.sum_all() * 0.0
    }
}

#[test]
fn a_layers_tensors_have_one_gradient_for_all_uses() -> Result<()> {
    everywhere(|| {
        let mut model = Tied::<3>::new(&device(), Seed(2))?;
        let w = [0.5f32, -1.0, 2.0, 0.25, -0.75, 1.5];
        model.set_tensor("embed.0.weight", &floats(&w, &[3, 2]))?;
        let tokens = Tensor::from_slice(&device(), &[2u32, 0, 2, 1], &[4])?;
        let row = |entry: usize| [f64::from(w[2 * entry]), f64::from(w[2 * entry + 1])];
        let product = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let expected: Vec<f64> = [2, 0, 2, 1]
            .into_iter()
            .flat_map(|token| (0..3).map(move |entry| product(row(token), row(entry))))
            .collect();
        close("forward", &numbers(&model.forward(&tokens)?)?, &expected);

        let (loss, gradients) = model.loss_with_gradients(&tokens)?;
        let variance = numbers(&model.tensor("norm.running_var")?)?;
        assert!(variance.iter().all(|value| *value != 1.0), "the statistics are updated: {variance:?}");
        let sum = expected.iter().sum::<f64>() + variance.iter().sum::<f64>();
        close("loss", &[f64::from(loss.item::<f32>()?)], &[sum]);
        // As the table, each entry once for each of its tokens; as the output layer, each entry once for each token.
        let column = |c: usize| (0..3).map(|entry| row(entry)[c]).sum::<f64>();
        let tokens_column = |c: usize| [2, 0, 2, 1].into_iter().map(|token| row(token)[c]).sum::<f64>();
        let expected: Vec<f64> = [1.0, 1.0, 2.0]
            .into_iter()
            .flat_map(|uses| (0..2).map(move |c| uses * column(c) + tokens_column(c)))
            .collect();
        close("gradient", &numbers(&gradients.tensor("embed.0.weight")?)?, &expected);
        Ok(())
    })
}
/// A model that uses a part of itself without training it.
#[netcl::model]
struct Detached {
    #[layer(inputs = 3, outputs = 3)]
    first: Linear,
    #[layer(inputs = 3, outputs = 3)]
    frozen: Linear,
    #[layer(inputs = 3, outputs = 3)]
    last: Linear,
}

#[netcl::model]
impl Detached {
    fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        let h = self.frozen.forward(x).detach() + self.first.forward(x);
        self.last.forward(h).square().mean_all()
    }
}

/// As in PyTorch: weight decay and momentum are of parameters that have a gradient.
#[test]
fn what_is_detached_is_left_alone_by_optimizers() -> Result<()> {
    everywhere(|| {
        for optimizer in 0..2 {
            let mut optimizer: Box<dyn Optimizer> = match optimizer {
                0 => Box::new(AdamW::new(0.1).weight_decay(0.5)),
                _ => Box::new(Sgd::new(0.1).momentum(0.9).weight_decay(0.5)),
            };
            let mut model = Detached::new(&device(), Seed(1))?;
            let read = |model: &Detached, path: &str| model.tensor(path)?.to_vec::<f32>();
            let paths = ["first.weight", "frozen.weight", "frozen.bias", "last.weight"];
            let before = paths.map(|path| read(&model, path).unwrap_or_default());
            let x = floats(&[1.0, -2.0, 0.5], &[1, 3]);
            for _ in 0..2 {
                let (_, gradients) = model.loss_with_gradients(&x)?;
                assert_eq!(gradients.tensor("frozen.weight")?.to_vec::<f32>()?, [0.0; 9]);
                optimizer.step(&mut model, &gradients)?;
            }
            for (path, before) in paths.into_iter().zip(before) {
                assert_eq!(read(&model, path)? == before, path.starts_with("frozen"), "{path}");
            }
        }
        Ok(())
    })
}
