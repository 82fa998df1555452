//! Derivatives inside of what is trained: 20 steps of each model against its twin in PyTorch, made in double precision by
//! `tests/references/higher.py`.

use crate::common::{device, everywhere};
use crate::twins::{Digest, compare, digest, reset};
use netcl::prelude::*;
use netcl::{Gradients, Model};
use netcl_tests::models::Input::{self, Below, Floats, Positive};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The critic of a Wasserstein GAN, whose slope between real and made samples is held near 1 (Gulrajani et al., 2017).
#[netcl::model]
pub struct Critic {
    #[layer(inputs = 2, outputs = 12)]
    first: Linear,
    #[layer(inputs = 12, outputs = 12)]
    second: Linear,
    #[layer(inputs = 12, outputs = 1)]
    score: Linear,
}

#[netcl::model]
impl Critic {
    pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 1> {
        let h = self.second.forward(self.first.forward(x).tanh());
        self.score.forward(h.leaky_relu(0.2))
    }

    /// The loss, and the penalty in it.
    pub fn loss(
        &self,
        real: &Tensor<f32, N, 2>,
        fake: &Tensor<f32, N, 2>,
        share: &Tensor<f32, N, 1>,
    ) -> (Tensor<f32>, Tensor<f32>) {
        let between = share * real + (1.0 - share) * fake;
        let slope = grad(&self.forward(&between).sum_all(), &between);
        let penalty = (slope.square().sum([1]).sqrt() - 1.0).square().mean_all();
        (self.forward(fake).mean_all() - self.forward(real).mean_all() + 10.0 * penalty, penalty)
    }
}

/// A solution of the heat equation `u_t = u_xx` that starts as `sin(3x)`.
#[netcl::model]
pub struct Heat {
    #[layer(inputs = 2, outputs = 10, bias = false)]
    a: Linear,
    #[layer(inputs = 10, outputs = 8)]
    b: Linear,
    #[layer(inputs = 8, outputs = 1)]
    c: Linear,
}

#[netcl::model]
impl Heat {
    pub fn u(&self, x: &Tensor<f32, N, 1>, t: &Tensor<f32, N, 1>) -> Tensor<f32, N, 1> {
        let h = self.b.forward(self.a.forward(x.concat([t], 1)).tanh());
        self.c.forward(h.tanh())
    }

    pub fn loss(&self, x: &Tensor<f32, N, 1>, t: &Tensor<f32, N, 1>) -> (Tensor<f32>, Tensor<f32, N, 1>) {
        let (u_x, u_t) = grad(&self.u(x, t).sum_all(), (x, t));
        let u_xx = grad(&u_x.sum_all(), x);
        let start = self.u(x, 0.0 * t) - (3.0 * x).sin();
        ((u_t - u_xx).square().mean_all() + start.square().mean_all(), u_xx)
    }
}

/// A small network of convolutions that is to look at few pixels.
#[netcl::model]
pub struct Saliency {
    #[layer(inputs = 1, outputs = 4, kernel = 3, padding = 1)]
    first: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 1)]
    second: Conv2d,
    flat: Flatten,
    #[layer(inputs = 64, outputs = 3)]
    output: Linear,
}

#[netcl::model]
impl Saliency {
    pub fn forward(&self, x: &Tensor<f32, N, 1, 8, 8>) -> Tensor<f32, N, 3> {
        let h = self.second.forward(self.pool.forward(self.first.forward(x).tanh())).relu();
        self.output.forward(self.flat.forward(h))
    }

    /// How the score of the class that wins depends on each pixel.
    pub fn seen(&self, x: &Tensor<f32, N, 1, 8, 8>) -> Tensor<f32, N, 1, 8, 8> {
        grad(&self.forward(x).max([1]).sum_all(), x)
    }

    pub fn loss(&self, x: &Tensor<f32, N, 1, 8, 8>, labels: &Tensor<u32, N>) -> (Tensor<f32>, Tensor<f32, N, 1, 8, 8>) {
        let seen = self.seen(x);
        (self.forward(x).cross_entropy(labels) + 0.1 * seen.abs().mean_all(), seen)
    }
}

/// A start from which two steps on a task's samples lead far (Finn, Abbeel, Levine, 2017).
#[netcl::model]
pub struct Maml {
    #[parameter]
    w: Tensor<f32, 1, 7>,
    #[parameter]
    b: Tensor<f32, 7>,
    #[parameter]
    v: Tensor<f32, 7, 1>,
    #[parameter]
    c: Tensor<f32, 1>,
}

#[netcl::model]
impl Maml {
    fn net(
        x: &Tensor<f32, N, 1>,
        w: &Tensor<f32, 1, 7>,
        b: &Tensor<f32, 7>,
        v: &Tensor<f32, 7, 1>,
        c: &Tensor<f32, 1>,
    ) -> Tensor<f32, N, 1> {
        (x.matmul(w) + b).tanh().matmul(v) + c
    }

    /// Without `self` there are no parameters that gradients would be in.
    fn error(found: &Tensor<f32, N, 1>, y: &Tensor<f32, N, 1>) -> (Tensor<f32>, Tensor<f32, N, 1>) {
        ((found - y).square().mean_all(), found - y)
    }

    pub fn loss(
        &self,
        x: &Tensor<f32, N, 1>,
        y: &Tensor<f32, N, 1>,
        query: &Tensor<f32, M, 1>,
        wanted: &Tensor<f32, M, 1>,
    ) -> (Tensor<f32>, Tensor<f32, 1, 7>) {
        let (mut w, mut b, mut v, mut c) = (&self.w, &self.b, &self.v, &self.c);
        for _ in 0..2 {
            let (error, _) = Self::error(Self::net(x, w, b, v, c), y);
            let (dw, db, dv, dc) = grad(&error, (w, b, v, c));
            w = w - 0.1 * dw;
            b = b - 0.1 * db;
            v = v - 0.1 * dv;
            c = c - 0.1 * dc;
        }
        let (error, _) = Self::error(Self::net(query, w, b, v, c), wanted);
        (error, w)
    }
}

#[derive(Deserialize)]
struct Reference {
    losses: Vec<f64>,
    gradients: BTreeMap<String, Digest>,
    beside: Digest,
    parameters: BTreeMap<String, Digest>,
}

/// A step's loss, what comes with it, and the gradients.
pub(crate) type Step = ((Tensor, Tensor), Gradients);

/// Trains the model of that name on every device.
pub(crate) fn trains<M: Model>(
    name: &str,
    new: fn(&Device, Seed) -> Result<M>,
    rate: f64,
    inputs: &[(&str, Input)],
    step: impl Fn(&M, &[Tensor]) -> Result<Step>,
) -> Result<()> {
    let all: BTreeMap<String, Reference> =
        serde_json::from_str(include_str!("../../references/higher.json")).expect("what the script has written");
    let reference = &all[name];
    everywhere(|| {
        let device = device();
        let mut model = new(&device, Seed(1))?;
        reset(&device, &mut model, name)?;
        let made = inputs.iter().map(|(input, make)| {
            let made = make.on(&device, &format!("{name}/{input}"))?;
            if name != "heat" {
                return Ok(made);
            }
            let mut values = made.to_vec::<f32>()?;
            values[0] = 0.0;
            Tensor::from_slice(&device, &values, made.shape())
        });
        let inputs = made.collect::<Result<Vec<_>>>()?;
        let mut descent = Sgd::new(rate);
        for (number, expected) in reference.losses.iter().enumerate() {
            let ((loss, beside), gradients) = step(&model, &inputs)?;
            let found = f64::from(loss.item::<f32>()?);
            let right = (found - expected).abs() <= 1e-4 * expected.abs().max(1e-2);
            assert!(right, "{name} on {device}: the loss of step {number} is {found}, expected {expected}");
            if number == 0 {
                compare(&format!("{name} on {device}: gradient in"), gradients.tensors(), &reference.gradients)?;
            }
            if number + 1 == reference.losses.len() {
                for (found, expected) in digest(&beside)?.into_iter().zip(reference.beside) {
                    let right = (found - expected).abs() <= 1e-4 * reference.beside[0];
                    assert!(right, "{name} on {device}: beside the loss {found}, expected {expected}");
                }
            }
            descent.step(&mut model, &gradients)?;
        }
        compare(&format!("{name} on {device}: parameter"), model.parameters(), &reference.parameters)
    })
}

#[test]
fn a_critic_with_a_gradient_penalty() -> Result<()> {
    let inputs = [("real", Floats(&[8, 2])), ("fake", Floats(&[8, 2])), ("share", Positive(&[8, 1]))];
    trains("critic", Critic::new, 0.02, &inputs, |model, x| {
        let (results, gradients) = model.loss_with_gradients(&x[0], &x[1], &x[2])?;
        Ok((results, (*gradients).clone()))
    })
}

#[test]
fn a_solution_of_the_heat_equation() -> Result<()> {
    let inputs = [("x", Floats(&[9, 1])), ("t", Positive(&[9, 1]))];
    trains("heat", Heat::new, 0.05, &inputs, |model, x| {
        let (results, gradients) = model.loss_with_gradients(&x[0], &x[1])?;
        Ok((results, (*gradients).clone()))
    })
}

#[test]
fn what_a_network_sees() -> Result<()> {
    let inputs = [("x", Floats(&[3, 1, 8, 8])), ("labels", Below(3, &[3]))];
    trains("saliency", Saliency::new, 0.1, &inputs, |model, x| {
        let ((loss, seen), gradients) = model.loss_with_gradients(&x[0], &x[1])?;
        // Without the loss it is the same.
        assert_eq!(model.seen(&x[0])?.shape(), seen.shape());
        Ok(((loss, seen), (*gradients).clone()))
    })
}

#[test]
fn a_start_that_steps_lead_far_from() -> Result<()> {
    let inputs =
        [("x", Floats(&[6, 1])), ("y", Floats(&[6, 1])), ("query", Floats(&[5, 1])), ("wanted", Floats(&[5, 1]))];
    trains("maml", Maml::new, 0.2, &inputs, |model, x| {
        let (results, gradients) = model.loss_with_gradients(&x[0], &x[1], &x[2], &x[3])?;
        Ok((results, (*gradients).clone()))
    })
}

#[netcl::model]
pub struct Cubic {
    #[parameter(init = 0.5)]
    w: Tensor<f32, 3>,
    #[parameter(init = 2.0)]
    #[frozen]
    scale: Tensor<f32>,
    #[frozen]
    part: Part,
    #[layer(inputs = 3, outputs = 2)]
    #[frozen]
    lines: [Linear; 2],
}

#[netcl::model]
pub struct Part {
    #[layer(inputs = 3, outputs = 3)]
    line: Linear,
}

#[netcl::model]
impl Part {
    pub fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        self.line.forward(x)
    }
}

#[netcl::model]
impl Cubic {
    /// The derivative of `sum(w x³)`, of which the second is taken for the loss's gradient.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, 3>) -> (Tensor<f32>, Tensor<f32, 3>) {
        let slope = grad(&(&self.w * x * x * x).sum_all(), x);
        (slope.square().sum_all(), slope)
    }

    /// What is asked in is what has the name: not what is equal to it, and not what is only made of it.
    pub fn names(&self, x: &Tensor<f32, 3>) -> (Tensor<f32, 3>, Tensor<f32, 3>, Tensor<f32, 3>, Tensor<f32>) {
        let a = x.exp();
        let b = x.exp();
        let y = x * 1.0;
        let back = -y;
        let flipped = back.flip([0]).flip([0]);
        let turned = &flipped;
        let s = self.scale;
        (
            grad(&(a * b).sum_all(), a),
            grad(&(y * x).sum_all(), y),
            grad(&(back * turned).sum_all(), turned),
            grad(&(s * x.sum_all()), s),
        )
    }

    #[gradients(y, x)]
    pub fn frozen(&self, x: &Tensor<f32, N, 3>, _labels: &Tensor<u32, N>, y: &Tensor<f32, N, 2>) -> Tensor<f32> {
        let mut h = self.part.forward(x) * &self.w;
        for line in &self.lines {
            h = h + (line.forward(&h) * y).sum_keepdim([1]);
        }
        &self.scale * h.sum_all()
    }
}

#[test]
fn gradients_in_arguments() -> Result<()> {
    everywhere(|| {
        let model = Cubic::new(&device(), Seed(1))?;
        let x = Tensor::from_slice(&device(), &[1.0f32, 2.0, -1.0], &[3])?;
        let ((loss, slope), gradients, dx) = model.loss_with_gradients(&x)?;
        assert_eq!(slope.to_vec::<f32>()?, [1.5, 6.0, 1.5]);
        assert_eq!(loss.item::<f32>()?, 40.5);
        assert_eq!(gradients.w()?.to_vec::<f32>()?, [9.0, 144.0, 9.0]);
        assert_eq!(dx.to_vec::<f32>()?, [9.0, 72.0, -9.0]);
        let (e, y, turned, s) = model.names(&x)?;
        for (found, x) in e.to_vec::<f32>()?.into_iter().zip(x.to_vec::<f32>()?) {
            assert!((found - x.exp()).abs() < 1e-5, "not twice that: {found}");
        }
        assert_eq!(y.to_vec::<f32>()?, x.to_vec::<f32>()?, "not twice that");
        assert_eq!(turned.to_vec::<f32>()?, [-1.0, -2.0, 1.0], "not twice that");
        assert_eq!(s.item::<f32>()?, 2.0);
        Ok(())
    })
}

#[test]
fn frozen_fields_stay() -> Result<()> {
    everywhere(|| {
        let mut model = Cubic::new(&device(), Seed(1))?;
        let x = Tensor::from_slice(&device(), &[0.5f32, -1.0, 2.0, 1.0, 0.0, 0.25], &[2, 3])?;
        let y = Tensor::from_slice(&device(), &[1.0f32, -2.0, 0.5, 0.0], &[2, 2])?;
        let labels = Tensor::from_slice(&device(), &[0u32, 1], &[2])?;
        let values = |model: &Cubic| -> Result<BTreeMap<String, Vec<f32>>> {
            model.parameters().into_iter().map(|(path, tensor)| Ok((path, tensor.to_vec::<f32>()?))).collect()
        };
        let before = values(&model)?;
        let (_, gradients, dy, dx) = model.frozen_with_gradients(&x, &labels, &y)?;
        // None is computed: by their paths there are zeros.
        for (path, gradient) in gradients.tensors() {
            let frozen = ["scale", "part.", "lines."].iter().any(|field| path.starts_with(field));
            assert!(!frozen || gradient.to_vec::<f32>()?.iter().all(|value| *value == 0.0), "{path}");
        }
        assert_eq!((dy.shape(), dx.shape()), (&[2, 2][..], &[2, 3][..]), "in the order of the attribute");
        // Against differences: what is frozen passes gradients on.
        let loss = |x: &[f32]| model.frozen(&Tensor::from_slice(&device(), x, &[2, 3])?, &labels, &y)?.item::<f32>();
        for (position, found) in dx.to_vec::<f32>()?.into_iter().enumerate() {
            let moved = |by: f32| {
                let mut x = x.to_vec::<f32>()?;
                x[position] += by;
                loss(&x)
            };
            let measured = (moved(0.25)? - moved(-0.25)?) / 0.5;
            assert!((found - measured).abs() < 1e-2 * measured.abs().max(1.0), "{found}, by differences {measured}");
        }
        AdamW::new(0.1).weight_decay(0.5).step(&mut model, &gradients)?;
        for (path, after) in values(&model)? {
            assert_eq!(after != before[&path], path == "w", "{path}: {after:?}, before {:?}", before[&path]);
        }
        Ok(())
    })
}

#[test]
fn groups_have_settings_of_their_own() -> Result<()> {
    everywhere(|| {
        let device = device();
        let mut model = Critic::new(&device, Seed(1))?;
        reset(&device, &mut model, "critic")?;
        let inputs = [("real", Floats(&[8, 2])), ("fake", Floats(&[8, 2])), ("share", Positive(&[8, 1]))];
        let made = inputs.iter().map(|(input, make)| make.on(&device, &format!("critic/{input}")));
        let inputs = made.collect::<Result<Vec<_>>>()?;
        let (rate, decay) = (0.125, 0.5);
        let mut descent = Sgd::new(rate)
            .weight_decay(decay)
            .group("second", ParameterGroup::new().rate(4.0))
            .group("second.bias", ParameterGroup::new().weight_decay(0.0))
            .group("score", ParameterGroup::new().rate(0.0));
        let (_, gradients) = model.loss_with_gradients(&inputs[0], &inputs[1], &inputs[2])?;
        let step = |path: &str, old: f32, gradient: f32, rate: f64| {
            let (factor, decay) = match path.split_once('.') {
                Some(("second", "weight")) => (4.0, decay),
                Some(("second", _)) => (1.0, 0.0),
                Some(("score", _)) => (0.0, decay),
                _ => (1.0, decay),
            };
            old - (rate * factor) as f32 * (gradient + decay as f32 * old)
        };
        let mut expected: BTreeMap<String, Vec<f32>> =
            model.parameters().into_iter().map(|(path, tensor)| Ok((path, tensor.to_vec()?))).collect::<Result<_>>()?;
        let mut go = |model: &Critic, rate: f64| -> Result<()> {
            for (path, values) in &mut expected {
                let slopes = gradients.tensor(path)?.to_vec::<f32>()?;
                for (value, slope) in values.iter_mut().zip(slopes) {
                    *value = step(path, *value, slope, rate);
                }
                for (found, wanted) in model.tensor(path)?.to_vec::<f32>()?.iter().zip(values.iter()) {
                    assert!((found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "{path}: {found}, not {wanted}");
                }
            }
            Ok(())
        };
        let (mut recording, ()) = device.record(|| descent.step(&mut model, &gradients))?;
        go(&model, rate)?;
        descent.set_learning_rate(0.25);
        recording.replay()?;
        go(&model, 0.25)?;
        let unknown = Sgd::new(0.1).group("scor", ParameterGroup::new()).step(&mut model, &gradients).unwrap_err();
        assert!(unknown.to_string().contains("`group` is `scor`"), "{unknown}");
        assert!(unknown.to_string().contains("`second`, `score`, or"), "{unknown}");
        let own = || ParameterGroup::new().rate(2.0);
        let twice = Sgd::new(0.1).group("score", own()).group("score", own()).step(&mut model, &gradients).unwrap_err();
        assert!(twice.to_string().contains("each path once"), "{twice}");
        let negative = ParameterGroup::new().rate(-1.0);
        assert!(Sgd::new(0.1).group("score", negative).step(&mut model, &gradients).is_err());
        Ok(())
    })
}

/// Of channels that nobody gives it a number for: compiled when it is first used.
#[netcl::model]
pub struct Filter<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[frozen]
    #[parameter(init = 1.0)]
    scale: Tensor<f32, C>,
}

#[netcl::model]
impl<const C: usize> Filter<C> {
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, C, 4, 4>) -> (Tensor<f32>, Tensor<f32, N, C, 4, 4>) {
        let y = self.conv.forward(x) * self.scale.reshape([1, -1, 1, 1]);
        let dx = grad(&y.square().sum_all(), x);
        (dx.square().mean_all(), dx)
    }
}

#[test]
fn generic_blocks_have_them_too() -> Result<()> {
    everywhere(|| {
        let model = Filter::<2>::new(&device(), Seed(3))?;
        let x = crate::common::wave(&device(), &[1, 2, 4, 4]);
        let ((loss, _), gradients, dx) = model.loss_with_gradients(&x)?;
        let (loss, dx) = (loss.item::<f32>()?, dx.to_vec::<f32>()?);
        assert!(gradients.conv()?.weight.to_vec::<f32>()?.iter().any(|slope| *slope != 0.0));
        // Without the bias the loss would be of second degree in `x`.
        let moved = |by: f32| -> Result<f32> {
            let values: Vec<f32> = x.to_vec::<f32>()?.iter().zip(&dx).map(|(x, dx)| x + by * dx).collect();
            model.loss(&Tensor::from_slice(&device(), &values, &[1, 2, 4, 4])?)?.0.item::<f32>()
        };
        let (step, length) = (0.05, dx.iter().map(|dx| dx * dx).sum::<f32>());
        let measured = (moved(step)? - moved(-step)?) / (2.0 * step);
        assert!((measured - length).abs() < 1e-3 * length, "{measured}, by rule {length}, of a loss of {loss}");
        Ok(())
    })
}
