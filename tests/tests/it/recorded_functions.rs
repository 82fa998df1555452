//! Functions of annotated models, and kernels, in graphs that are differentiated at run time.

use crate::common::{device, devices_alone, everywhere, floats, launches_of, wave};
use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{Error, Model};

#[netcl::model]
pub struct Encoder {
    #[layer(inputs = 4, outputs = 6)]
    first: Linear,
    #[layer(features = 6)]
    norm: LayerNorm,
    #[parameter(init = 0.25)]
    shift: Tensor<f32, 6>,
}

#[netcl::model]
impl Encoder {
    pub fn encode(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 6> {
        self.norm.forward(self.first.forward(x).tanh()) + &self.shift
    }

    #[mode(training)]
    pub fn trained(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 6> {
        self.encode(x)
    }

    /// Two results, a number, and positions.
    pub fn pair(
        &self,
        x: &Tensor<f32, N, 4>,
        by: f32,
        rows: &Tensor<u32, M>,
    ) -> (Tensor<f32, N, 6>, Tensor<f32, M, 4>) {
        (self.first.forward(x) * by, x.gather(rows))
    }
}

/// The same with a head, all of it annotated.
#[netcl::model]
pub struct Whole {
    encoder: Encoder,
    #[layer(inputs = 6, outputs = 3)]
    head: Linear,
}

#[netcl::model]
impl Whole {
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.head.forward(self.encoder.encode(x)).cross_entropy(labels)
    }
}

/// A network with the head of `Whole`.
fn head(whole: &Whole) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add("head", "Linear", &[("inputs", 6.into()), ("outputs", 3.into())])?;
    let net = layers.build(&device(), Seed(9))?;
    for name in ["head.weight", "head.bias"] {
        net.core().set_tensor(name, &whole.tensor(name)?)?;
    }
    Ok(net)
}

fn near(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (found, expected) in found.to_vec::<f32>()?.iter().zip(expected.to_vec::<f32>()?) {
        assert!((found - expected).abs() <= 2e-6 + 2e-5 * expected.abs(), "{what}: {found} for {expected}");
    }
    Ok(())
}

fn labels(count: usize) -> Result<Tensor> {
    let labels: Vec<u32> = (0..count as u32).map(|i| i * 7 % 3).collect();
    Tensor::from_slice(&device(), &labels, &[count])
}

#[test]
fn an_annotated_function_is_differentiated_with_what_is_around_it() -> Result<()> {
    everywhere(|| {
        let whole = Whole::new(&device(), Seed(3))?;
        let net = head(&whole)?;
        for count in [5, 1, 2, 5] {
            let (x, labels) = (wave(&device(), &[count, 4]), labels(count)?);
            let (expected, gradients, dx) = whole.loss_with_gradients(&x, &labels)?;
            let x = x.requires_grad()?;
            let h = whole.encoder.encode(&x)?;
            let loss = net.forward("head", &[&h], Mode::Training).cross_entropy(&labels);
            let found = loss.backward()?;
            near("loss", &loss, &expected)?;
            near("x", &found.wrt(&x)?, &dx)?;
            let (of_encoder, of_net) = (found.of(&whole.encoder)?, found.of(&net)?);
            for name in ["first.weight", "first.bias", "norm.weight", "norm.bias", "shift"] {
                near(name, &of_encoder.tensor(name)?, &gradients.tensor(&format!("encoder.{name}"))?)?;
            }
            for name in ["head.weight", "head.bias"] {
                near(name, &of_net.tensor(name)?, &gradients.tensor(name)?)?;
            }
            // What is read first is computed first, and the gradients are the same.
            let h = whole.encoder.encode(&(&x * 1.0))?;
            near("hidden", &h, &whole.encoder.encode(&x.detach())?)?;
            let loss = net.forward("head", &[&h], Mode::Training).cross_entropy(&labels);
            near("loss", &loss, &expected)?;
            near("x again", &loss.backward()?.wrt(&x)?, &dx)?;
        }
        Ok(())
    })
}

#[test]
fn what_is_recorded_waits_and_what_is_not_runs_its_plan() -> Result<()> {
    let null = Device::null(netcl::Target::Cpu, 1 << 34);
    for device in devices_alone()?.into_iter().chain([null]) {
        let encoder = Encoder::new(&device, Seed(3))?;
        let x = wave(&device, &[5, 4]);
        let plain = encoder.encode(&x)?;
        let one = |x: &Tensor| launches_of(&device, || encoder.encode(x)).map(|(launches, _)| launches);
        let launches = one(&x)?;
        assert_ne!(launches, Some(0), "{device}");
        let tracked = x.requires_grad()?;
        assert_eq!(one(&tracked)?, launches.map(|_| 0), "{device}");
        // In `no_grad` it is what it was, and no gradient goes through.
        assert_eq!(netcl::no_grad(|| one(&tracked))?, launches, "{device}");
        let cut = netcl::no_grad(|| encoder.encode(&tracked))?;
        let error = (&cut * &tracked.sum([1]).reshape([5, 1])).sum([0, 1]).backward()?.of(&encoder).unwrap_err();
        assert!(matches!(error, Error::Unreached { .. }), "{error}");
        // The whole is a plan: the function is fused with what is around it.
        let sum = (encoder.encode(&tracked)? * 2.0).sum([0, 1]);
        sum.backward()?;
        assert_eq!(plain.to_vec::<f32>()?.len(), 30);
    }
    Ok(())
}

#[test]
fn a_function_of_a_model_is_recorded_where_its_gradients_are_asked_for() -> Result<()> {
    everywhere(|| {
        let whole = Whole::new(&device(), Seed(4))?;
        let (x, labels) = (wave(&device(), &[4, 4]), labels(4)?);
        let (expected, gradients, _) = whole.loss_with_gradients(&x, &labels)?;
        let (value, found) = netcl::value_and_grad(&whole, |whole| whole.loss(&x, &labels))?;
        near("loss", &value, &expected)?;
        for (name, gradient) in gradients.tensors() {
            near(&name, &found.tensor(&name)?, &gradient)?;
        }
        // Beside that, nothing is tracked, and that is said.
        let error = whole.loss(&x, &labels)?.backward().unwrap_err().to_string();
        assert!(error.contains("`#[mode(training)]` above them, or in `value_and_grad(&model, ..)`"), "{error}");
        // In training it always is.
        let h = whole.encoder.trained(&x)?;
        let found = h.square().sum([0, 1]).backward()?.of(&whole.encoder)?;
        let (_, expected) =
            netcl::value_and_grad(&whole.encoder, |encoder| Ok::<_, Error>(encoder.encode(&x)?.square().sum([0, 1])))?;
        for (name, gradient) in expected.tensors() {
            near(&name, &found.tensor(&name)?, &gradient)?;
        }
        // But for `no_grad`.
        assert!(netcl::no_grad(|| whole.encoder.trained(&x))?.sum([0, 1]).backward().is_err());
        Ok(())
    })
}

#[test]
fn several_results_numbers_and_positions_take_part() -> Result<()> {
    everywhere(|| {
        let encoder = Encoder::new(&device(), Seed(5))?;
        let rows = Tensor::from_slice(&device(), &[2u32, 0, 2, 1, 1, 2], &[6])?;
        for (count, by) in [(3, 0.5f32), (7, -2.0)] {
            let x = wave(&device(), &[count, 4]).requires_grad()?;
            let (y, z) = encoder.pair(&x, by, &rows)?;
            let found = (y.square().sum([0, 1]) + z.square().sum([0, 1])).backward()?;
            let weight = encoder.tensor("first.weight")?.detach().requires_grad()?;
            let bias = encoder.tensor("first.bias")?;
            let y = (x.matmul(&weight) + bias) * f64::from(by);
            let own = (y.square().sum([0, 1]) + x.gather(&rows).square().sum([0, 1])).backward()?;
            near("x", &found.wrt(&x)?, &own.wrt(&x)?)?;
            near("weight", &found.reached(&encoder)?.tensor("first.weight")?, &own.wrt(&weight)?)?;
            // One of the two alone.
            let (_, z) = encoder.pair(&x, by, &rows)?;
            let found = z.sum([0, 1]).backward()?;
            near("x of rows", &found.wrt(&x)?, &x.gather(&rows).sum([0, 1]).backward()?.wrt(&x)?)?;
            assert!(found.of(&encoder).is_err());
        }
        // What does not fit is said at the call, as without gradients.
        let wrong = floats(&[0.0; 6], &[2, 3]);
        let plain = encoder.encode(&wrong).unwrap_err().to_string();
        assert_eq!(encoder.encode(&wrong.requires_grad()?).unwrap_err().to_string(), plain);
        Ok(())
    })
}

netcl::kernel! {
    /// Elementwise.
    pub fn bend(x: &Tensor<f32, N, M>, by: f32) -> Tensor<f32, N, M> {
        |i, j| x[i, j] * x[i, j] * by + x[i, j].sin()
    }

    /// A sum over an axis.
    pub fn weighed(x: &Tensor<f32, N, M>, weight: &Tensor<f32, M>) -> Tensor<f32, N> {
        |i| sum(0..M, |j| x[i, j] * weight[j])
    }
}

#[test]
fn kernels_in_index_form_are_differentiated() -> Result<()> {
    everywhere(|| {
        let x = wave(&device(), &[3, 4]);
        let weight = floats(&[0.5, -1.0, 2.0, 0.25], &[4]);
        let (bent, pull_bend) = bend.vjp(&x, 1.5)?;
        let (summed, pull_rows) = weighed.vjp(&bent, &weight)?;
        let (dbent, dweight) = pull_rows(&(&summed * 2.0))?;
        let dx = pull_bend(&dbent)?;
        let (x, weight) = (x.requires_grad()?, weight.requires_grad()?);
        let loss = weighed(&bend(&x, 1.5)?, &weight)?.square().sum([0]);
        let found = loss.backward()?;
        near("x", &found.wrt(&x)?, &dx)?;
        near("weight", &found.wrt(&weight)?, &dweight)?;
        // The graph of a pullback is one for first derivatives: what it gives is not recorded, and that is said.
        let (bent, pull) = bend.vjp(&x, 1.5)?;
        near("pulled", &pull(&(bent.detach() * 0.0 + 1.0))?, &bent.sum([0, 1]).backward()?.wrt(&x)?)?;
        let error = pull(&x)?.sum([0, 1]).backward().unwrap_err().to_string();
        assert!(error.contains("`bend.vjp` leads to the loss, and its derivative is not recorded"), "{error}");
        Ok(())
    })
}

/// What changes states, draws, loops, and has numbers for sizes.
#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(features = C)]
    norm: BatchNorm,
    #[layer(rate = 0.5)]
    drop: Dropout,
}

#[netcl::model]
impl<const C: usize> Block<C> {
    #[mode(training)]
    pub fn forward(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        self.drop.forward(self.norm.forward(self.conv.forward(x)).relu()) + x
    }

    /// Without states.
    #[mode(training)]
    pub fn dropped(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, C, H, W> {
        self.drop.forward(self.conv.forward(x)).relu()
    }
}

#[netcl::model]
pub struct Blocks {
    block: Block<3>,
    #[frozen]
    #[layer(inputs = 3, outputs = 2, kernel = 1)]
    out: Conv2d,
}

#[netcl::model]
impl Blocks {
    pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32> {
        self.out.forward(self.block.forward(x)).square().mean_all()
    }

    pub fn dropped_loss(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32> {
        self.out.forward(self.block.dropped(x)).square().mean_all()
    }

    pub fn end(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32> {
        self.out.forward(x).square().mean_all()
    }
}

#[test]
fn states_change_once_and_dropped_elements_are_those_that_were_drawn() -> Result<()> {
    everywhere(|| {
        let whole = Blocks::new(&device(), Seed(6))?;
        let parts = whole.deep_copy()?;
        for (count, height) in [(2, 4), (3, 5)] {
            let x = wave(&device(), &[count, 3, height, 4]);
            for states in [true, false] {
                let (expected, gradients) =
                    if states { whole.loss_with_gradients(&x)? } else { whole.dropped_loss_with_gradients(&x)? };
                let h = if states { parts.block.forward(&x)? } else { parts.block.dropped(&x)? };
                let loss = parts.end(&h)?;
                let found = loss.backward()?.reached(&parts)?;
                near("loss", &loss, &expected)?;
                near("weight", &found.tensor("block.conv.weight")?, &gradients.tensor("block.conv.weight")?)?;
                near("norm", &found.tensor("block.norm.weight")?, &gradients.tensor("block.norm.weight")?)?;
                assert!(found.tensor("out.weight")?.to_vec::<f32>()?.iter().all(|element| *element == 0.0));
                for (name, state) in whole.states() {
                    near(&name, &parts.tensor(&name)?, &state)?;
                }
            }
        }
        Ok(())
    })
}

#[netcl::model]
pub struct Recurrent {
    #[layer(inputs = 2, outputs = 3)]
    input: Linear,
    #[layer(inputs = 3, outputs = 3, bias = false)]
    hidden: Linear,
}

#[netcl::model]
impl Recurrent {
    pub fn last(&self, x: &Tensor<f32, N, T, 2>) -> Tensor<f32, N, 3> {
        let mut h = Tensor::zeros([N, 3]);
        for t in 0..T {
            h = (self.input.forward(x.get(1, t)) + self.hidden.forward(h)).tanh();
        }
        h
    }

    /// The same of every round, too.
    pub fn all(&self, x: &Tensor<f32, N, T, 2>) -> (Tensor<f32, T, N, 3>, Tensor<f32, N, 3>) {
        let mut h = Tensor::zeros([N, 3]);
        let mut rounds = Vec::new();
        for t in 0..T {
            h = (self.input.forward(x.get(1, t)) + self.hidden.forward(&h)).tanh();
            rounds.push(h.clone());
        }
        (stack(rounds, 0), h)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 2>) -> Tensor<f32> {
        self.last(x).square().sum_all()
    }
}

#[test]
fn loops_are_differentiated_and_steps_train_both() -> Result<()> {
    everywhere(|| {
        let mut model = Recurrent::new(&device(), Seed(7))?;
        for (count, steps) in [(3, 4), (1, 1), (4, 4)] {
            let x = wave(&device(), &[count, steps, 2]);
            let (_, gradients, dx) = model.loss_with_gradients(&x)?;
            let x = x.requires_grad()?;
            // Twice in one graph.
            let loss = (model.last(&x)?.square() + model.last(&(&x * 1.0))?.square()).sum([0, 1]);
            let found = loss.backward()?;
            near("x", &found.wrt(&x)?, &(dx * 2.0))?;
            let found = found.of(&model)?;
            for (name, gradient) in gradients.tensors() {
                near(&name, &found.tensor(&name)?, &(gradient * 2.0))?;
            }
            Sgd::new(0.1).step(&mut model, &found)?;
            let error = loss.backward().unwrap_err().to_string();
            assert!(error.contains("the parameters have changed since the loss was computed of"), "{error}");
        }
        Ok(())
    })
}

/// What a loop gave is there when its gradient is computed, and what its rounds left behind is not.
#[test]
fn loops_are_differentiated_after_their_values_were_read() -> Result<()> {
    everywhere(|| {
        let model = Recurrent::new(&device(), Seed(8))?;
        for steps in [3, 1] {
            let x = wave(&device(), &[2, steps, 2]);
            let (_, _, dx) = model.loss_with_gradients(&x)?;
            let x = x.requires_grad()?;
            let (y, loss) = (model.last(&x)?, |y: &Tensor| y.square().sum([0, 1]));
            y.eval()?;
            near("read", &loss(&y).backward()?.wrt(&x)?, &dx)?;
            let of_unread = loss(&model.last(&x)?);
            of_unread.eval()?;
            near("loss read", &of_unread.backward()?.wrt(&x)?, &dx)?;
            near("again", &of_unread.backward()?.wrt(&x)?, &dx)?;
            near("recorded", &of_unread.backward_recorded()?.wrt(&x)?, &dx)?;
            // What is behind the loop goes on with its gradient.
            let hooked = model.last(&x)?.on_gradient(|gradient| gradient * 2.0);
            near("hooked", &loss(&hooked).backward()?.wrt(&x)?, &(&dx * 2.0))?;
            let region = netcl::checkpoint([&model.last(&x)?], |[y]| loss(y));
            near("behind", &region.backward()?.wrt(&x)?, &dx)?;
            let (y, pullback) = netcl::vjp(&x.detach(), |x| model.last(x))?;
            near("pulled", &pullback(&(&y * 2.0))?, &dx)?;
            let (y, moved) = netcl::jvp(&x.detach(), &dx, |x| model.last(x))?;
            near("moved", &(y * moved * 2.0).sum([0, 1]), &dx.square().sum([0, 1, 2]))?;
            // Of a gradient, of which a difference is that of two gradients.
            let curved = |x: &Tensor| netcl::grad(x, |x| Ok::<_, Error>(loss(&model.last(x)?)));
            let found = netcl::grad(&x, |x| Ok::<_, Error>((curved(x)? * x.sin()).sum([0, 1, 2])))?;
            let along = found.detach();
            let moved = |by: f64| -> Result<f32> {
                let at = &x.detach() + &along * by;
                (curved(&at)? * at.sin()).sum([0, 1, 2]).item::<f32>()
            };
            let slope = (moved(1e-2)? - moved(-1e-2)?) / 2e-2;
            let expected = found.square().sum([0, 1, 2]).item::<f32>()?;
            assert!((slope - expected).abs() <= 1e-2 * expected.abs(), "{slope} for {expected}");
            // Either result of two.
            for read in [0, 1, 2] {
                let (rounds, last) = model.all(&x)?;
                if read != 1 {
                    rounds.eval()?;
                }
                if read != 0 {
                    last.eval()?;
                }
                near("last of two", &loss(&last).backward()?.wrt(&x)?, &dx)?;
                let both = (rounds.narrow(0, steps - 1, 1).square().sum([0, 1, 2]) + loss(&last)).backward()?;
                near("both of two", &both.wrt(&x)?, &(&dx * 2.0))?;
            }
        }
        Ok(())
    })
}

/// A layer and a part that are frozen, and a part that has frozen what it does not train.
#[netcl::model]
pub struct Frosty {
    #[layer(inputs = 4, outputs = 4)]
    first: Linear,
    #[frozen]
    #[layer(inputs = 4, outputs = 4)]
    ice: [Linear; 2],
    #[frozen]
    encoder: Encoder,
    head: Half,
}

#[netcl::model]
pub struct Half {
    #[frozen]
    #[parameter(init = 0.5)]
    scale: Tensor<f32, 6>,
    #[layer(inputs = 6, outputs = 2)]
    line: Linear,
}

#[netcl::model]
impl Half {
    #[mode(training)]
    pub fn forward(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32, N, 2> {
        self.line.forward(x * &self.scale)
    }
}

#[netcl::model]
impl Frosty {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        let h = self.ice[1].forward(self.ice[0].forward(self.first.forward(x)).tanh());
        self.head.forward(self.encoder.encode(h)).square().mean_all()
    }

    #[mode(training)]
    pub fn trained(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.loss(x)
    }
}

#[netcl::model]
pub struct Ice {
    #[frozen]
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Ice {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[test]
fn what_is_frozen_needs_no_gradient() -> Result<()> {
    everywhere(|| {
        let x = wave(&device(), &[3, 4]);
        let model = Frosty::new(&device(), Seed(5))?;
        for mut model in [model.deep_copy()?, model] {
            let (loss, expected) = model.loss_with_gradients(&x)?;
            let (value, asked) = netcl::value_and_grad(&model, |model| model.loss(&x))?;
            let trained = model.trained(&x)?;
            near("value", &value, &loss)?;
            let all = [asked, trained.backward()?.of(&model)?, trained.backward()?.reached(&model)?];
            for (path, expected) in expected.tensors() {
                for found in &all {
                    near(&path, &found.tensor(&path)?, &expected)?;
                }
            }
            let before = model.parameters().into_iter().map(|(path, value)| Ok((path, value.to_vec::<f32>()?)));
            let before = before.collect::<Result<Vec<_>>>()?;
            AdamW::new(0.1).step(&mut model, &all[0])?;
            for (path, before) in before {
                let frozen = ["ice.", "encoder.", "head.scale"].iter().any(|field| path.starts_with(field));
                assert_eq!(model.tensor(&path)?.to_vec::<f32>()? == before, frozen, "{path}");
            }
            // What a model does not train, its part's own losses do.
            let own = netcl::grad(&model.encoder, |encoder| encoder.encode(&x)?.square().mean_all().check())?;
            assert!(own.tensor("shift")?.to_vec::<f32>()?.iter().all(|value| *value != 0.0));
            let half =
                netcl::grad(&model.head, |head| Ok(head.forward(&wave(&device(), &[3, 6]))?.square().mean_all()))?;
            assert!(half.tensor("scale")?.to_vec::<f32>()?.iter().all(|value| *value == 0.0));
        }
        // What is not frozen has to be reached, and where all is, that is said.
        let model = Frosty::new(&device(), Seed(5))?;
        let head = |model: &Frosty| Ok(model.head.forward(&wave(&device(), &[3, 6]))?.square().mean_all());
        let error = netcl::grad(&model, head).unwrap_err().to_string();
        assert!(error.contains("the parameter `first.weight`"), "{error}");
        assert!(error.contains("functions of annotated models with `#[mode(training)]`"), "{error}");
        let ice = Ice::new(&device(), Seed(1))?;
        for x in [x.clone(), x.requires_grad()?] {
            let error = netcl::grad(&ice, |ice| Ok(ice.forward(&x)?.square().mean_all())).unwrap_err().to_string();
            assert!(error.contains("all of them are in fields with `#[frozen]`"), "{error}");
        }
        Ok(())
    })
}
