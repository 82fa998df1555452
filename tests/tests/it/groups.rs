//! Groups of parameters that attributes of fields name, beside the same that is said by paths, on every device.

use crate::common::{devices, devices_alone, wave};
use netcl::io::{load_checkpoint, save_checkpoint};
use netcl::optim::{AdamW, Optimizer, ParameterGroup, Sgd};
use netcl::{Device, Model, Result, Seed, Tensor};

#[netcl::model]
#[derive(Clone)]
pub struct Unit<const C: usize> {
    #[group(still)]
    #[layer(features = C)]
    norm: LayerNorm,
    #[layer(inputs = C, outputs = C)]
    line: Linear,
}

#[netcl::model]
impl<const C: usize> Unit<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x + self.line.forward(self.norm.forward(x)).tanh()
    }

    pub fn loss(&self, x: &Tensor<f32, N, C>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

/// A layer or a model in a group.
#[netcl::model]
#[derive(Clone)]
pub struct Held<const C: usize, L> {
    #[group(slow)]
    #[layer(inputs = C, outputs = C)]
    inner: L,
}

#[netcl::model]
impl<const C: usize, L> Held<C, L> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.inner.forward(x)
    }
}

#[netcl::model]
#[derive(Clone)]
pub enum Act {
    Relu,
    #[default]
    #[group(slow)]
    #[layer(inputs = 8, outputs = 8)]
    Gated(Linear),
    Scaled {
        #[group(still)]
        #[parameter(init = 1.0)]
        by: Tensor<f32, 8>,
    },
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Gated(line) => x * line.forward(x).sigmoid(),
            Act::Scaled { by } => x * by,
        }
    }
}

#[netcl::model]
#[derive(Clone)]
pub struct Net {
    #[group(slow)]
    #[layer(inputs = 8, outputs = 8)]
    first: Linear,
    units: [Unit<8>; 2],
    #[group(new)]
    more: (Unit<8>, Unit<8>),
    #[group(new)]
    #[layer(present = true)]
    maybe: Option<Unit<8>>,
    model: Held<8, Unit<8>>,
    layer: Held<8, Linear>,
    #[group(new)]
    act: Act,
    #[group(still)]
    #[parameter(init = 0.5)]
    scale: Tensor<f32, 8>,
    #[group(type)]
    #[layer(inputs = 8, outputs = 8, count = 2)]
    last: Vec<Linear>,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let mut h = self.first.forward(x);
        for unit in &self.units {
            h = unit.forward(h);
        }
        let (a, b) = &self.more;
        h = b.forward(a.forward(h));
        if let Some(unit) = &self.maybe {
            h = unit.forward(h);
        }
        h = self.act.forward(self.layer.forward(self.model.forward(h))) * &self.scale;
        for line in &self.last {
            h = line.forward(h).tanh();
        }
        h.square().mean_all()
    }
}

/// The groups of a `Net`, their settings, and the paths of the fields that are in them.
fn said() -> [(&'static str, ParameterGroup, &'static [&'static str]); 4] {
    let own = ParameterGroup::new;
    [
        (
            "still",
            own().weight_decay(0.0),
            &["units.0.norm", "units.1.norm", "more.0.norm", "more.1.norm", "maybe.norm", "model.inner.norm", "scale"],
        ),
        ("slow", own().rate(0.125), &["first", "model.inner", "layer.inner", "act.gated"]),
        ("new", own().rate(2.0), &["more", "maybe", "act"]),
        ("type", own().rate(0.5).weight_decay(0.75), &["last"]),
    ]
}

fn by_names(optimizer: AdamW) -> AdamW {
    said().iter().fold(optimizer, |optimizer, (name, group, _)| optimizer.group(name, *group))
}

fn by_paths(optimizer: AdamW) -> AdamW {
    let paths = said().into_iter().flat_map(|(_, group, paths)| paths.iter().map(move |path| (*path, group)));
    paths.fold(optimizer, |optimizer, (path, group)| optimizer.group(path, group))
}

fn step(net: &mut Net, optimizer: &mut AdamW, device: &Device) -> Result<()> {
    let (_, gradients) = net.loss_with_gradients(&wave(device, &[4, 8]))?;
    optimizer.step(net, &gradients)
}

fn bits(model: &impl Model) -> Result<Vec<(String, Vec<u32>)>> {
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect();
    model.parameters().into_iter().map(|(path, tensor)| Ok((path, bits(tensor.to_vec::<f32>()?)))).collect()
}

#[test]
fn groups_of_fields_are_those_of_their_paths() -> Result<()> {
    for device in devices() {
        let settings = || AdamW::new(0.05).weight_decay(0.5);
        let mut nets = [Net::new(&device, Seed(1))?, Net::new(&device, Seed(1))?, Net::new(&device, Seed(1))?];
        let mut optimizers = [by_names(settings()), by_paths(settings()), settings()];
        for (net, optimizer) in nets.iter_mut().zip(&mut optimizers) {
            for _ in 0..3 {
                step(net, optimizer, &device)?;
            }
        }
        assert_eq!(bits(&nets[0])?, bits(&nets[1])?, "on {device}");
        let differ = |path: &str| -> Result<bool> {
            Ok(nets[0].tensor(path)?.to_vec::<f32>()? != nets[2].tensor(path)?.to_vec::<f32>()?)
        };
        for path in said().iter().flat_map(|(_, _, paths)| *paths) {
            let whole = bits(&nets[0])?.into_iter().map(|(path, _)| path);
            let inside = whole.filter(|own| own == path || own.starts_with(&format!("{path}.")));
            assert!(inside.map(|own| differ(&own)).collect::<Result<Vec<_>>>()?.contains(&true), "{path} on {device}");
        }
    }
    Ok(())
}

#[test]
fn groups_are_of_the_type_wherever_the_model_goes() -> Result<()> {
    let file = std::env::temp_dir().join(format!("netcl-groups-{}.safetensors", std::process::id()));
    for device in devices() {
        let settings = || AdamW::new(0.05).weight_decay(0.5);
        let (mut net, mut optimizer) = (Net::new(&device, Seed(1))?, by_names(settings()));
        step(&mut net, &mut optimizer, &device)?;
        save_checkpoint(&net, &optimizer, &file)?;
        // By another model of the same type, by a copy, and on another device.
        let (mut loaded, mut again) = (Net::new(&device, Seed(2))?, by_names(settings()));
        load_checkpoint(&mut loaded, &mut again, &file)?;
        let (mut copy, mut of_copy) = (net.deep_copy()?, by_names(settings()));
        of_copy.set_state(&copy, &optimizer.state(&net)?)?;
        let host = Device::host();
        let (mut moved, mut by_path) = (net.deep_copy()?, by_paths(settings()));
        by_path.set_state(&moved, &optimizer.state(&net)?)?;
        step(&mut net, &mut optimizer, &device)?;
        step(&mut loaded, &mut again, &device)?;
        step(&mut copy, &mut of_copy, &device)?;
        step(&mut moved, &mut by_path, &device)?;
        let expected = bits(&net)?;
        assert_eq!(bits(&loaded)?, expected, "on {device}");
        assert_eq!(bits(&copy)?, expected, "on {device}");
        assert_eq!(bits(&moved)?, expected, "on {device}");
        net.to_device(&host)?;
        moved.to_device(&host)?;
        step(&mut net, &mut optimizer, &host)?;
        step(&mut moved, &mut by_path, &host)?;
        assert_eq!(bits(&net)?, bits(&moved)?, "from {device}");
    }
    std::fs::remove_file(file).ok();
    Ok(())
}

/// A part has the groups of its own type, by whatever path it is stepped.
#[test]
fn a_part_that_is_stepped_alone_has_its_own_groups() -> Result<()> {
    for device in devices() {
        let still = || Sgd::new(0.5).weight_decay(0.5).group("still", ParameterGroup::new().rate(0.0));
        let mut net = Net::new(&device, Seed(1))?;
        let (_, gradients) = net.loss_with_gradients(&wave(&device, &[4, 8]))?;
        let parts = gradients.units()?;
        let before = bits(&net)?;
        still().step(&mut net.units[1], &parts[1])?;
        for ((path, before), (_, after)) in before.iter().zip(bits(&net)?) {
            assert_eq!(*before != after, path.starts_with("units.1.line."), "{path} on {device}");
        }
        // A copy of it is a model of that type.
        let mut copy = net.units[1].deep_copy()?;
        let before = bits(&copy)?;
        let (_, gradients) = copy.loss_with_gradients(&wave(&device, &[4, 8]))?;
        still().step(&mut copy, &gradients)?;
        for ((path, before), (_, after)) in before.iter().zip(bits(&copy)?) {
            assert_eq!(*before != after, path.starts_with("line."), "{path} on {device}");
        }
        let none = Sgd::new(0.5).group("slow", ParameterGroup::new()).step(&mut net.units[1], &parts[1]);
        let none = none.unwrap_err().to_string();
        assert!(none.contains("groups are here `still`, and"), "{none}");
        let (_, gradients) = net.loss_with_gradients(&wave(&device, &[4, 8]))?;
        let none =
            Sgd::new(0.5).group("stil", ParameterGroup::new()).step(&mut net, &gradients).unwrap_err().to_string();
        assert!(none.contains("groups are here `new`, `slow`, `still`, `type`, and"), "{none}");
        // A group of variants that this model does not have.
        let mut relu = Net::with_variants(&device, Seed(1), &[("act", "Relu")])?;
        let (_, gradients) = relu.loss_with_gradients(&wave(&device, &[4, 8]))?;
        by_names(AdamW::new(0.1)).step(&mut relu, &gradients)?;
    }
    Ok(())
}

/// A field with the name of a group that its parts have, and a layer whose weight is another's.
#[netcl::model]
#[derive(Clone)]
pub struct Tied {
    #[layer(entries = 5, features = 8)]
    words: Embedding,
    block: Unit<8>,
    still: Unit<8>,
    #[layer(inputs = 8, outputs = 5, shared = words, bias = false)]
    output: Linear,
}

#[netcl::model]
impl Tied {
    pub fn loss(&self, word: &Tensor<u32, N>, next: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.still.forward(self.block.forward(self.words.forward(word)));
        self.output.forward(h).cross_entropy(next)
    }
}

#[test]
fn a_field_comes_before_a_group_and_a_shared_weight_is_named_by_its_own_path() -> Result<()> {
    for device in devices() {
        let mut net = Tied::new(&device, Seed(1))?;
        let words = |words: [u32; 3]| Tensor::from_slice(&device, &words, &[3]);
        let (_, gradients) = net.loss_with_gradients(&words([0, 1, 4])?, &words([1, 2, 3])?)?;
        let group = |name: &str| Sgd::new(0.5).group(name, ParameterGroup::new().rate(0.0));
        for (name, fields) in [("still", &["still.norm.", "still.line."][..]), ("words", &["words."])] {
            let before = bits(&net)?;
            group(name).step(&mut net, &gradients)?;
            for ((path, before), (_, after)) in before.iter().zip(bits(&net)?) {
                let is_still = fields.iter().any(|field| path.starts_with(field));
                assert_eq!(*before == after, is_still, "{path} with {name} on {device}");
            }
        }
        // In the part itself it is the group.
        let before = bits(&net.block)?;
        let of_block = gradients.block()?;
        group("still").step(&mut net.block, &of_block)?;
        for ((path, before), (_, after)) in before.iter().zip(bits(&net.block)?) {
            assert_eq!(*before == after, path.starts_with("norm."), "{path} on {device}");
        }
        for mut net in [net.clone(), net.deep_copy()?] {
            for name in ["output", "output.weight"] {
                let error = group(name).step(&mut net, &gradients).unwrap_err().to_string();
                let said =
                    format!("`{name}`, which has no parameters of its own: `output.weight` is `words.weight`; name");
                assert!(error.contains(&said), "{error}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_stepped_alike_is_one_launch() -> Result<()> {
    for device in devices_alone()? {
        let mut net = Net::new(&device, Seed(1))?.units[0].deep_copy()?;
        let (_, gradients) = net.loss_with_gradients(&wave(&device, &[4, 8]))?;
        let mut launches = |mut optimizer: AdamW| -> Result<u64> {
            // Other tests launch on the host, too.
            let counts = (0..10).map(|_| {
                let before = device.launches();
                optimizer.step(&mut net, &gradients)?;
                Ok(device.launches() - before)
            });
            Ok(counts.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or_default())
        };
        let (own, optimizer) = (ParameterGroup::new, || AdamW::new(0.05).weight_decay(0.5));
        assert_eq!(launches(optimizer())?, 1, "on {device}");
        assert_eq!(launches(optimizer().group("still", own().weight_decay(0.0)))?, 2, "on {device}");
        assert_eq!(launches(optimizer().group("still", own()))?, 1, "on {device}");
        assert_eq!(launches(optimizer().group("still", own().rate(1.0).weight_decay(0.5)))?, 1, "on {device}");
        let both = optimizer().group("still", own().rate(0.5)).group("line", own().rate(0.5).weight_decay(0.5));
        assert_eq!(launches(both)?, 1, "on {device}");
    }
    Ok(())
}

#[test]
fn parts_and_groups_that_are_wrong_are_named() -> Result<()> {
    let device = Device::host();
    let mut net = Net::new(&device, Seed(1))?;
    let (_, gradients) = net.loss_with_gradients(&wave(&device, &[4, 8]))?;
    let (act, model) = (gradients.act()?, gradients.model()?);
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let sum = text(act.add(&model).map(drop));
    assert!(
        sum.contains("that are added are of the part `model`, and the others of the part `act`; add those of"),
        "{sum}"
    );
    let step = text(Sgd::new(0.1).step(&mut net.act, &model));
    assert!(
        step.contains("of the part `model`, and the part `act` is stepped; pass its own, or those of what"),
        "{step}"
    );
    let mut optimizer = Sgd::new(0.1);
    optimizer.step(&mut net.act, &gradients.act()?.into())?;
    let twice = text(optimizer.step(&mut net, &gradients));
    let expected =
        "has stepped the part `act` before, of the same model, and the whole model is given; make one for each";
    assert!(twice.contains(expected), "{twice}");
    let other = text(optimizer.step(&mut net.deep_copy()?, &gradients));
    assert!(other.contains("another model before"), "{other}");
    // Of several groups that which is wrong.
    let own = ParameterGroup::new;
    let mut wrong = |group: ParameterGroup| {
        let optimizer = AdamW::new(1e-3).group("still", own()).group("new", group).group("type", own());
        text(optimizer.weight_decay(3e38).step(&mut net, &gradients))
    };
    let rate = wrong(own().rate(-1.0));
    assert!(rate.contains("`adamw`: `rate of a group` is -1 for `new`; accepted"), "{rate}");
    let decay = wrong(own().weight_decay(f64::NAN));
    assert!(decay.contains("`weight_decay of a group` is NaN for `new`; accepted"), "{decay}");
    let large = wrong(own().rate(1e10));
    let expected = "`settings` is numbers for `new`, with the learning rate 10000000, that make a step with -3e45; accepted: numbers up to";
    assert!(large.contains(expected), "{large}");
    Ok(())
}
