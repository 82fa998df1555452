//! What the macros generate, run on every device found: numbers against the definitions, gradients against differences.

use crate::common::{device, everywhere, floats};
use netcl::optim::{Adam, Optimizer, ParameterGroup, Sgd};
use netcl::{Device, Model, Result, Seed, Tensor};
use netcl_fixtures::devices as found;

mod parts {
    /// Width of the hidden layers.
    #[netcl::constant]
    pub const WIDTH: usize = 3;

    #[netcl::function]
    pub fn leak(x: f32) -> f32 {
        if x > 0.0 { x } else { 0.1 * x }
    }

    /// A layer with a scale.
    #[netcl::model]
    pub struct Block {
        #[layer(inputs = { WIDTH }, outputs = { WIDTH })]
        linear: Linear,
        #[parameter(init = 2.0)]
        scale: Tensor<f32, 3>,
    }

    #[netcl::model]
    impl Block {
        pub fn forward(&self, x: &Tensor<f32, M, 3>) -> Tensor<f32, M, 3> {
            leak(self.linear.forward(x)) * &self.scale
        }
    }
}

use parts::{Block, leak};

#[netcl::model]
pub struct Net {
    #[layer(inputs = 2, outputs = 3)]
    hidden: Linear,
    blocks: [Block; 2],
    #[layer(rate = 0.5)]
    dropout: Dropout,
    #[constant(0.5)]
    half: f32,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 3> {
        let mut h = self.hidden.forward(x).tanh();
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.dropout.forward(&h)
    }

    pub fn loss(&self, x: &Tensor<f32, N, 2>, target: &Tensor<f32, N, 3>, scale: f32, halved: bool) -> Tensor<f32> {
        let mut h = self.hidden.forward(x).tanh();
        for block in &self.blocks {
            h = block.forward(&h);
        }
        let loss = h.mse_loss(target) * scale;
        if halved { loss * self.half } else { loss }
    }

    /// `mask` is needed on one path, `rest` on none.
    #[allow(unused_variables)]
    pub fn masked(
        &self,
        x: &Tensor<f32, N, 2>,
        mask: &Tensor<f32, N, 3>,
        rest: &Tensor<f32, N, 4>,
        on: bool,
    ) -> Tensor<f32, N, 3> {
        let h = self.hidden.forward(x);
        if on { h * mask } else { h }
    }

    /// Left to run time.
    #[netcl::dynamic]
    pub fn twice(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(&self.forward(x)?.matmul(&Tensor::from_slice(x.device(), &[0.5f32; 6], &[3, 2])?))
    }
}

netcl::kernel! {
    /// y = leak(x + bias), the bias broadcast over rows.
    pub fn bias_leak(x: &Tensor<f32, N, C>, bias: &Tensor<f32, C>) -> Tensor<f32, N, C> {
        |n, c| leak(x[n, c] + bias[c])
    }

    /// Mean over the last axis.
    pub fn row_mean(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c]) / C
    }

    fn softmax(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| {
            let top = max(0..C, |k| x[n, k]);
            exp(x[n, c] - top) / sum(0..C, |k| exp(x[n, k] - top))
        }
    }

    fn embed(table: &Tensor<f32, V, C>, rows: &Tensor<u32, N>) -> Tensor<f32, N, C> {
        |n, c| table[rows[n], c]
    }

    fn blur(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 0.25 * pad(x[n - 1]) + 0.5 * x[n] + 0.25 * pad(x[n + 1])
    }

    fn causal(x: &Tensor<f32, N, N>) -> Tensor<f32, N, N> {
        |i, j| if j <= i { x[i, j] } else { -1.0 }
    }

    fn spread(x: &Tensor<f32, N>, by: f32) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (x[n] * by, x[n] + 2 * n)
    }

    fn best(x: &Tensor<f32, N, C>) -> Tensor<i32, N> {
        |n| argmax(0..C, |c| x[n, c])
    }
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec::<f32>().expect("an f32 tensor")
}

fn close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-5 * (1.0 + b.abs()), "{found:?} is not {expected:?}");
    }
}

/// The same model in plain Rust, on `f64`.
fn by_hand(net: &Net, x: &[f32]) -> Vec<f64> {
    let of = |path: &str| -> Vec<f64> {
        let tensor = net.tensor(path).expect("a parameter");
        values(&tensor).into_iter().map(f64::from).collect()
    };
    let linear = |x: &[f64], path: &str, inputs: usize| -> Vec<f64> {
        let (w, b) = (of(&format!("{path}.weight")), of(&format!("{path}.bias")));
        x.chunks(inputs)
            .flat_map(|row| {
                (0..3).map(|o| b[o] + (0..inputs).map(|i| row[i] * w[i * 3 + o]).sum::<f64>()).collect::<Vec<_>>()
            })
            .collect()
    };
    let x: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let mut h: Vec<f64> = linear(&x, "hidden", 2).into_iter().map(f64::tanh).collect();
    for block in 0..2 {
        let scale = of(&format!("blocks.{block}.scale"));
        h = linear(&h, &format!("blocks.{block}.linear"), 3);
        h = h.iter().enumerate().map(|(i, &v)| (if v > 0.0 { v } else { 0.1 * v }) * scale[i % 3]).collect();
    }
    h
}

#[test]
fn a_model_computes_what_it_says() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(7))?;
        for rows in [1usize, 2, 5] {
            let x: Vec<f32> = (0..rows * 2).map(|i| (i as f32 * 0.7).sin()).collect();
            let y = net.forward(&floats(&x, &[rows, 2]))?;
            assert_eq!(y.shape(), &[rows, 3]);
            let expected: Vec<f32> = by_hand(&net, &x).into_iter().map(|v| v as f32).collect();
            close(&values(&y), &expected);
        }
        assert_eq!(net.twice(&floats(&[0.1, 0.2], &[1, 2]))?.shape(), &[1, 3]);
        Ok(())
    })
}

#[test]
fn arguments_are_checked_where_nothing_needs_them() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(7))?;
        let of = |columns: usize| floats(&vec![0.5; 2 * columns], &[2, columns]);
        for on in [true, false] {
            assert_eq!(net.masked(&of(2), &of(3), &of(4), on)?.shape(), &[2, 3]);
            let wrong = [net.masked(&of(2), &of(4), &of(4), on), net.masked(&of(2), &of(3), &of(3), on)];
            for (name, result) in ["mask", "rest"].into_iter().zip(wrong) {
                let error = result.expect_err("a wrong shape").to_string();
                assert!(error.contains(&format!("`{name}`")), "{error}");
            }
        }
        Ok(())
    })
}

#[test]
fn gradients_are_differences() -> Result<()> {
    everywhere(|| {
        let mut net = Net::new(&device(), Seed(3))?;
        let x: Vec<f32> = (0..8).map(|i| (i as f32 * 0.7).sin()).collect();
        let target: Vec<f32> = (0..12).map(|i| (i as f32 * 0.3).cos()).collect();
        let (xs, ts) = (floats(&x, &[4, 2]), floats(&target, &[4, 3]));
        let loss = |net: &Net| -> f64 {
            let y = by_hand(net, &x);
            1.5 * y.iter().zip(&target).map(|(y, t)| (y - f64::from(*t)).powi(2)).sum::<f64>() / 12.0
        };
        let (value, gradients) = net.loss_with_gradients(&xs, &ts, 1.5, false)?;
        close(&values(&value), &[loss(&net) as f32]);
        close(&values(&net.loss(&xs, &ts, 1.5, true)?), &[0.5 * loss(&net) as f32]);
        assert_eq!(values(&gradients.blocks()?[1].scale()?), values(&gradients.tensor("blocks.1.scale")?));
        assert_eq!(gradients.hidden()?.weight.shape(), &[2, 3]);
        for path in ["hidden.weight", "hidden.bias", "blocks.0.scale", "blocks.1.linear.weight"] {
            let original = net.tensor(path)?;
            let (shape, start) = (original.shape().to_vec(), values(&original));
            let found = values(&gradients.tensor(path)?);
            for position in 0..start.len() {
                let mut side = |step: f32| {
                    let mut moved = start.clone();
                    moved[position] += step;
                    net.set_tensor(path, &floats(&moved, &shape)).expect("a tensor of that shape");
                    loss(&net)
                };
                let difference = (side(1e-3) - side(-1e-3)) / 2e-3;
                net.set_tensor(path, &floats(&start, &shape))?;
                assert!(
                    (f64::from(found[position]) - difference).abs() < 2e-3,
                    "{path}[{position}]: {found:?}, {difference}"
                );
            }
        }
        Ok(())
    })
}

#[test]
fn a_part_runs_alone() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(1))?;
        let y = net.blocks[1].forward(&floats(&[0.1, 0.2, 0.3], &[1, 3]))?;
        assert_eq!(y.shape(), &[1, 3]);
        let wrong = net.blocks[1].forward(&floats(&[0.1, 0.2], &[1, 2])).map(|_| ());
        assert!(wrong.is_err(), "two columns are not three");
        Ok(())
    })
}

#[test]
fn kernels_compute_what_they_say() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, -2.0, 3.0, 0.5, 0.0, -1.0], &[2, 3]);
        close(&values(&bias_leak(&x, &floats(&[0.5, 0.5, -4.0], &[3]))?), &[1.5, -0.15, -0.1, 1.0, 0.5, -0.5]);
        close(&values(&row_mean(&x)?), &[2.0 / 3.0, -0.5 / 3.0]);
        let y = values(&softmax(&x)?);
        close(&[y[..3].iter().sum(), y[3..].iter().sum()], &[1.0, 1.0]);
        close(&[y[0] / y[1]], &[3.0f32.exp()]);
        let rows = Tensor::from_slice(&device(), &[1u32, 1, 0], &[3])?;
        close(&values(&embed(&x, &rows)?), &[0.5, 0.0, -1.0, 0.5, 0.0, -1.0, 1.0, -2.0, 3.0]);
        close(&values(&blur(&floats(&[4.0, 8.0, 0.0], &[3]))?), &[4.0, 5.0, 2.0]);
        let square = floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
        close(&values(&causal(&square)?), &[1.0, -1.0, 3.0, 4.0]);
        let (scaled, shifted) = spread(&floats(&[1.0, 2.0], &[2]), 3.0)?;
        close(&values(&scaled), &[3.0, 6.0]);
        close(&values(&shifted), &[1.0, 4.0]);
        assert_eq!(best(&x)?.to_vec::<i32>()?, [2, 0]);
        Ok(())
    })
}

#[test]
fn pullbacks_reduce_over_broadcast_axes() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, -2.0, 3.0, 0.5, 0.0, -1.0], &[2, 3]);
        let (y, pullback) = bias_leak.vjp(&x, &floats(&[0.5, 0.5, -4.0], &[3]))?;
        assert_eq!(y.shape(), &[2, 3]);
        let (dx, dbias) = pullback(&floats(&[1.0; 6], &[2, 3]))?;
        close(&values(&dx), &[1.0, 0.1, 0.1, 1.0, 1.0, 0.1]);
        close(&values(&dbias), &[2.0, 1.1, 0.2]);
        let (_, pullback) = row_mean.vjp(&x)?;
        close(&values(&pullback(&floats(&[3.0, 6.0], &[2]))?), &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let rows = Tensor::from_slice(&device(), &[1u32, 1, 0], &[3])?;
        let (_, pullback) = embed.vjp(&x, &rows)?;
        close(&values(&pullback(&floats(&[1.0; 9], &[3, 3]))?), &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        Ok(())
    })
}

#[test]
fn pullbacks_use_the_arguments_as_they_were() -> Result<()> {
    everywhere(|| {
        let settings = [("inputs", netcl::nn::ConfigValue::Size(2)), ("outputs", netcl::nn::ConfigValue::Size(3))];
        let layer = netcl::nn::Layer::new(&device(), Seed(1), "Linear", &settings)?;
        let weight = layer.core().tensor("weight")?;
        layer.core().set_tensor("weight", &floats(&[1.0, -2.0, 3.0, 0.5, 0.0, -1.0], &[2, 3]))?;
        let (_, pullback) = bias_leak.vjp(&weight, &floats(&[0.5, 0.5, -4.0], &[3]))?;
        // As an optimizer would, between the two.
        layer.core().set_tensor("weight", &floats(&[-9.0; 6], &[2, 3]))?;
        let (dx, _) = pullback(&floats(&[1.0; 6], &[2, 3]))?;
        close(&values(&dx), &[1.0, 0.1, 0.1, 1.0, 1.0, 0.1]);
        close(&values(&weight), &[-9.0; 6]);
        Ok(())
    })
}

#[test]
fn plans_can_be_seen() -> Result<()> {
    use netcl::Target;
    let report = Net::report(Target::Gpu)?;
    assert!(report.contains("Net::forward on gpu: "), "{report}");
    assert!(report.contains("Net::loss_with_gradients on gpu: "), "{report}");
    assert!(Net::kernels(Target::Cpu)?.contains("__kernel "));
    assert!(bias_leak.report(Target::Gpu)?.starts_with("bias_leak on gpu: 1 launch\n"));
    let source = bias_leak.source(Target::Gpu)?;
    assert!(source.contains("bias"), "the user's names stand in the source: {source}");
    Ok(())
}

/// No other test runs its kernels, which are run in a queue of their own.
#[netcl::model]
struct Prepared {
    #[layer(inputs = 2, outputs = 3)]
    hidden: Linear,
    blocks: [Block; 2],
}

#[netcl::model]
impl Prepared {
    fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 3> {
        let mut h = self.hidden.forward(x).tanh();
        for block in &self.blocks {
            h = block.forward(&h);
        }
        h
    }

    fn loss(&self, x: &Tensor<f32, N, 2>, target: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.forward(x).mse_loss(target)
    }
}

#[test]
fn a_prepared_model_builds_nothing_later() -> Result<()> {
    use netcl::Device;
    let host = Device::host();
    Net::prepare(&host)?;
    bias_leak.prepare(&host)?;
    for device in found::with_driver() {
        // A device whose programs no other test uses.
        let device = netcl::DeviceManager::global().shared_context(&[device])?.remove(0);
        Prepared::prepare(&device)?;
        let programs = |device: &Device| {
            let stats = device.program_stats();
            stats.built + stats.loaded
        };
        let prepared = programs(&device);
        assert!(prepared >= 2, "{prepared}");
        let model = Prepared::new(&device, Seed(1))?;
        let [x, target] = [2, 3].map(|columns| Tensor::from_slice(&device, &vec![0.5f32; 3 * columns], &[3, columns]));
        let (x, target) = (x?, target?);
        model.forward(&x)?.to_vec::<f32>()?;
        model.loss_with_gradients(&x, &target)?.0.to_vec::<f32>()?;
        Prepared::prepare(&device)?;
        assert!(programs(&device) == prepared || found::measured_before(&device));
    }
    Ok(())
}

fn bits(tensors: &[(String, Tensor)]) -> Result<Vec<Vec<f32>>> {
    tensors.iter().map(|(_, tensor)| tensor.to_vec()).collect()
}

#[test]
fn a_part_is_a_model_by_itself() -> Result<()> {
    everywhere(|| {
        let mut net = Net::new(&device(), Seed(3))?;
        let names =
            |model: &dyn Model| -> Vec<String> { model.parameters().into_iter().map(|(name, _)| name).collect() };
        assert_eq!(names(&net.blocks[1]), ["linear.weight", "linear.bias", "scale"]);
        let whole = net.tensor("blocks.1.linear.weight")?.to_vec::<f32>()?;
        assert_eq!(net.blocks[1].tensor("linear.weight")?.to_vec::<f32>()?, whole);
        let error = net.blocks[1].tensor("hidden.weight").unwrap_err().to_string();
        assert!(error.ends_with("it has: linear.weight, linear.bias, scale"), "{error}");
        // Set and loaded: nothing else changes.
        let others = bits(&net.parameters())?;
        net.blocks[1].set_tensor("scale", &floats(&[5.0, 6.0, 7.0], &[3]))?;
        assert_eq!(net.tensor("blocks.1.scale")?.to_vec::<f32>()?, [5.0, 6.0, 7.0]);
        assert_eq!(net.tensor("blocks.0.scale")?.to_vec::<f32>()?, [2.0; 3]);
        let path = std::env::temp_dir().join(format!("netcl-part-{}.safetensors", std::process::id()));
        netcl::io::save(&net.blocks[1], &path)?;
        let mut alone = Block::new(&device(), Seed(4))?;
        netcl::io::load(&mut alone, &path)?;
        netcl::io::load(&mut net.blocks[0], &path)?;
        std::fs::remove_file(&path).ok();
        assert_eq!(bits(&alone.parameters())?, bits(&net.blocks[1].parameters())?);
        assert_eq!(bits(&net.blocks[0].parameters())?, bits(&net.blocks[1].parameters())?);
        assert_eq!(bits(&net.parameters())?[..2], others[..2], "`hidden` is as it was");
        Ok(())
    })
}

#[test]
fn a_step_of_a_part_leaves_the_rest_alone() -> Result<()> {
    everywhere(|| {
        let (x, target) = (floats(&[1.0, -0.5, 0.25, 2.0], &[2, 2]), floats(&[1.0; 6], &[2, 3]));
        let mut net = Net::new(&device(), Seed(3))?;
        let mut reference = net.deep_copy()?;
        let (mut of_part, mut of_whole) = (Adam::new(0.1), Adam::new(0.1));
        for _ in 0..2 {
            let before = bits(&net.parameters())?;
            let (_, gradients) = net.loss_with_gradients(&x, &target, 1.0, false)?;
            let in_part = gradients.blocks()?.remove(1);
            assert_eq!(in_part.tensors().len(), 3);
            assert_eq!(in_part.tensor("scale")?.to_vec::<f32>()?, gradients.tensor("blocks.1.scale")?.to_vec::<f32>()?);
            of_part.step(&mut net.blocks[1], &gradients)?;
            let after = bits(&net.parameters())?;
            assert_eq!(before[..5], after[..5], "`hidden` and the first block");
            assert!((5..8).all(|parameter| before[parameter] != after[parameter]), "{before:?} {after:?}");
            if before == bits(&reference.parameters())? {
                of_whole.step(&mut reference, &gradients)?;
                assert_eq!(bits(&reference.blocks[1].parameters())?, after[5..], "the same numbers as a whole step");
            }
        }
        let (_, gradients) = net.loss_with_gradients(&x, &target, 1.0, false)?;
        let error = of_part.step(&mut net.blocks[0], &gradients).unwrap_err().to_string();
        assert!(
            error.contains(
                "has stepped the part `blocks.1` before, of the same model, and the part `blocks.0` is given"
            ),
            "{error}"
        );
        Ok(())
    })
}

#[test]
fn gradients_of_a_part_are_its_own() -> Result<()> {
    fn row(gradients: &netcl::Gradients) -> Result<Vec<f32>> {
        let values = gradients.tensors().into_iter().map(|(_, tensor)| tensor.to_vec::<f32>());
        Ok(values.collect::<Result<Vec<_>>>()?.concat())
    }
    fn parameters(model: &impl Model) -> Result<Vec<f32>> {
        let values = model.parameters().into_iter().map(|(_, tensor)| tensor.to_vec::<f32>());
        Ok(values.collect::<Result<Vec<_>>>()?.concat())
    }
    everywhere(|| {
        let (x, target) = (floats(&[1.0, -0.5, 0.25, 2.0], &[2, 2]), floats(&[1.0; 6], &[2, 3]));
        let mut net = Net::new(&device(), Seed(3))?;
        let (_, whole) = net.loss_with_gradients(&x, &target, 1.0, false)?;
        let parts = whole.blocks()?;
        let (a, b) = (row(&parts[0])?, row(&parts[1])?);
        assert_ne!(a, b);
        let sum: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(row(&parts[0].add(&parts[1])?)?, sum);
        assert_eq!(row(&parts[1].add(&parts[0])?)?, sum);
        let more = whole.add(&parts[1])?;
        assert_eq!(row(&more.part("blocks.1."))?, b.iter().map(|b| b + b).collect::<Vec<_>>());
        assert_eq!(row(&more)?[..row(&whole)?.len() - b.len()], row(&whole)?[..row(&whole)?.len() - b.len()]);
        let first = whole.add(&parts[0])?;
        assert_eq!(
            (row(&first.part("blocks.0."))?, row(&first.part("blocks.1."))?),
            (a.iter().map(|a| a + a).collect(), b.clone())
        );
        let scaled = parts[1].scaled(2.0)?;
        assert_eq!(row(&scaled)?, b.iter().map(|b| b * 2.0).collect::<Vec<_>>());

        // A step is by the gradients that it is given, in the parameters that those are in.
        let expected = |before: &[f32], by: &[f32]| before.iter().zip(by).map(|(p, g)| p - g).collect::<Vec<_>>();
        let before = parameters(&net.blocks[1])?;
        Sgd::new(1.0).step(&mut net.blocks[1], &parts[1])?;
        close(&parameters(&net.blocks[1])?, &expected(&before, &b));
        let error = Sgd::new(1.0).step(&mut net.blocks[0], &parts[1]).unwrap_err().to_string();
        assert!(error.contains("the gradients are of the part `blocks.1`"), "{error}");
        // In pieces.
        let before = parameters(&net.blocks[0])?;
        let apart = ParameterGroup::new().rate(0.5);
        Sgd::new(1.0).group("linear.bias", apart).step(&mut net.blocks[0], &whole)?;
        let halves = net.blocks[0].parameters();
        let halves = halves.iter().flat_map(|(path, value)| {
            let rate = if path == "linear.bias" { 0.5 } else { 1.0 };
            std::iter::repeat_n(rate, value.elements())
        });
        let by: Vec<f32> = a.iter().zip(halves).map(|(a, rate)| a * rate).collect();
        close(&parameters(&net.blocks[0])?, &expected(&before, &by));
        let mut alone = Block::new(&device(), Seed(4))?;
        let before = parameters(&alone)?;
        Sgd::new(1.0).step(&mut alone, &scaled)?;
        close(&parameters(&alone)?, &expected(&before, &row(&scaled)?));
        let before = parameters(&net)?;
        Sgd::new(1.0).step(&mut net, &parts[1])?;
        let (after, others) = (parameters(&net)?, before.len() - b.len());
        assert_eq!(after[..others], before[..others], "what the gradients are not of");
        close(&after[others..], &expected(&before[others..], &b));

        let (_, others) = Net::new(&device(), Seed(5))?.loss_with_gradients(&x, &target, 1.0, false)?;
        let error = Sgd::new(1.0).step(&mut alone, &others).unwrap_err().to_string();
        assert!(error.contains("the gradients are of a model with other parameters"), "{error}");
        Ok(())
    })
}

#[test]
fn a_deep_copy_has_memory_of_its_own() -> Result<()> {
    /// What keeps the best so far knows of a model that it is one.
    fn copy_of<M: Model>(model: &M) -> Result<M> {
        model.deep_copy()
    }
    fn made<M: Model>(device: &Device) -> Result<M> {
        M::with_variants(device, Seed(3), &[])
    }
    everywhere(|| {
        let mut net: Net = made(&device())?;
        let (copy, block) = (copy_of(&net)?, copy_of(&net.blocks[0])?);
        let before = bits(&net.parameters())?;
        net.blocks[0].set_tensor("scale", &floats(&[9.0; 3], &[3]))?;
        assert_eq!(bits(&copy.parameters())?, before);
        assert_eq!(block.tensor("scale")?.to_vec::<f32>()?, [2.0; 3]);
        assert_eq!(bits(&block.parameters())?, before[2..5]);
        Ok(())
    })
}

#[test]
fn models_can_be_shown() -> Result<()> {
    everywhere(|| {
        #[netcl::model]
        #[derive(Clone, Debug)]
        struct Shown {
            #[layer(inputs = 2, outputs = 3)]
            linear: Linear,
        }
        #[netcl::model]
        impl Shown {
            fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 3> {
                self.linear.forward(x)
            }
        }
        let text = format!("{:?}", Shown::new(&device(), Seed(0))?);
        assert!(text.contains("linear.weight") && text.contains("f32 [2, 3]"), "{text}");
        Ok(())
    })
}

#[test]
fn a_struct_inside_a_function_is_a_model() -> Result<()> {
    everywhere(|| {
        #[netcl::model]
        struct Local {
            #[layer(count = 2, inputs = 4, outputs = 4, bias = false)]
            layers: Vec<Linear>,
        }
        #[netcl::model]
        impl Local {
            fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
                self.layers[1].forward(&self.layers[0].forward(x))
            }
        }
        let local = Local::new(&device(), Seed(0))?;
        assert_eq!(local.parameters().len(), 2);
        assert_eq!(local.forward(&floats(&[1.0; 8], &[2, 4]))?.shape(), &[2, 4]);
        Ok(())
    })
}
