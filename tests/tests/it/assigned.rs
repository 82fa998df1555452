//! Parts of a model that are assigned, swapped or taken out in Rust: the whole model says so, on every device, and nothing else does.

use crate::common::{devices, wave};
use netcl::optim::{Optimizer, Sgd};
use netcl::{Device, Error, Model, Result, Seed, Tensor};
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

#[netcl::model]
#[derive(Clone)]
pub struct Head {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
    #[state(init = 1.0)]
    by: Tensor<f32, 4>,
}

#[netcl::model]
impl Head {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x) * &self.by
    }

    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

/// A list that is as long as a number says, of models or layers.
#[netcl::model]
#[derive(Clone)]
pub struct Tower<const C: usize, L> {
    #[layer(inputs = 4, outputs = 4)]
    inner: L,
    #[layer(count = C)]
    more: Vec<Head>,
    each: [Head; C],
}

#[netcl::model]
impl<const C: usize, L> Tower<C, L> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = self.inner.forward(x);
        for i in 0..C {
            h = self.each[i].forward(self.more[i].forward(h));
        }
        h
    }
}

#[netcl::model]
type OfHeads = Tower<2, Head>;

#[netcl::model]
#[derive(Clone)]
pub enum Act {
    Relu,
    #[default]
    Gated(Head),
    Scaled {
        #[parameter(init = 1.0)]
        by: Tensor<f32, 4>,
    },
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self {
            Act::Relu => x.relu(),
            Act::Gated(head) => x * head.forward(x).sigmoid(),
            Act::Scaled { by } => x * by,
        }
    }
}

#[netcl::model]
#[derive(Clone)]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    body: Linear,
    a: Head,
    b: Head,
    list: [Head; 2],
    #[layer(count = 2)]
    more: Vec<Head>,
    pair: (Head, [Head; 2]),
    #[layer(present = true)]
    maybe: Option<Head>,
    #[layer(present = false)]
    never: Option<Head>,
    models: Tower<2, Head>,
    layers: Tower<1, Linear>,
    act: Act,
    #[constant(0.5)]
    share: f32,
    #[constant(3)]
    times: usize,
    #[constant(true)]
    is_on: bool,
    #[layer(inputs = 4, outputs = 4, shared = body)]
    back: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = self.b.forward(self.a.forward(self.body.forward(x)));
        for i in 0..2 {
            h = self.pair.1[i].forward(self.more[i].forward(self.list[i].forward(h)));
        }
        h = self.pair.0.forward(h);
        if let Some(head) = &self.maybe {
            h = head.forward(h);
        }
        if let Some(head) = &self.never {
            h = head.forward(h);
        }
        h = self.act.forward(self.layers.forward(self.models.forward(h)));
        if self.is_on { self.back.forward(h) * self.share } else { h }
    }

    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }

    #[netcl::dynamic]
    pub fn late(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.forward(x)
    }

    #[mode(training)]
    pub fn recorded(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.loss(x)
    }

    /// A constructor of one's own.
    pub fn around(device: &Device, head: Head) -> Result<Self> {
        Ok(Self { a: head, ..Self::new(device, Seed(1))? })
    }
}

/// Everything that reads or changes the whole model, and can fail.
fn uses(net: &mut Net, x: &Tensor) -> Vec<(&'static str, Result<()>)> {
    let device = x.device().clone();
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("netcl-assigned-{}-{number}.safetensors", std::process::id()));
    let whole = Net::new(&device, Seed(1)).unwrap();
    netcl::io::save(&whole, &file).unwrap();
    let (_, gradients) = whole.loss_with_gradients(x).unwrap();
    let state = Sgd::new(0.1).state(&whole).unwrap();
    let late = netcl::compile(|net: &Net, x: &Tensor| net.late(x).map(|y| y.tanh()));
    let found = vec![
        ("a call", net.forward(x).map(drop)),
        ("a loss", net.loss(x).map(drop)),
        ("gradients", net.loss_with_gradients(x).map(drop)),
        ("a call that waits", net.late(x).map(drop)),
        ("a call that is recorded", net.recorded(x).map(drop)),
        ("compiled", late.call(net, x).map(drop)),
        ("value_and_grad", netcl::value_and_grad(&*net, |net| net.loss(x)).map(drop)),
        ("a step", Sgd::new(0.0).step(net, &gradients)),
        ("an optimizer's state", Sgd::new(0.1).state(net).map(drop)),
        ("an optimizer's new state", Sgd::new(0.1).set_state(net, &state)),
        ("tensor", net.tensor("body.weight").map(drop)),
        ("set_tensor", whole.tensor("body.weight").and_then(|weight| net.set_tensor("body.weight", &weight))),
        ("variant", net.variant("act").map(drop)),
        ("deep_copy", net.deep_copy().map(drop)),
        ("to_device", net.to_device(&device)),
        ("save", netcl::io::save(net, file.with_extension("saved"))),
        ("load", netcl::io::load(net, &file)),
        ("a checkpoint", netcl::io::save_checkpoint(net, &Sgd::new(0.1), file.with_extension("saved"))),
    ];
    for file in [file.with_extension("saved"), file] {
        std::fs::remove_file(file).ok();
    }
    found
}

/// A way to change a model, the field that it says, and words of the message.
type Change = (fn(&mut Net, Head), &'static str, &'static str);

const CHANGES: [Change; 24] = [
    (|net, head| net.a = head, "a", "`a` was assigned or swapped"),
    (|net, _| mem::swap(&mut net.a, &mut net.b), "a", "`a` was assigned or swapped"),
    (|net, mut head| mem::swap(&mut net.b, &mut head), "b", "`b` was assigned or swapped"),
    (|net, head| net.list[1] = head, "list", "`list.1` was assigned or swapped"),
    (|net, _| net.list.swap(0, 1), "list", "`list.0` was assigned or swapped"),
    (|net, _| net.list[0] = net.b.clone(), "list", "`list.0` was assigned or swapped"),
    (|net, _| net.more.truncate(1), "more", "`more` has 1 elements now: the model was made with 2"),
    (|net, head| net.more.push(head), "more", "`more` has 3 elements now: the model was made with 2"),
    (|net, _| net.more.reverse(), "more", "`more.0` was assigned or swapped"),
    (|net, head| net.pair.0 = head, "pair.0", "`pair.0` was assigned or swapped"),
    (|net, _| net.pair.1.reverse(), "pair.1", "`pair.1.0` was assigned or swapped"),
    (|net, _| net.maybe = None, "maybe", "`maybe` is `None` now: the model was made with it"),
    (|net, head| net.maybe = Some(head), "maybe", "`maybe` was assigned or swapped"),
    (|net, head| net.never = Some(head), "never", "`never` is `Some` now: the model was made without it"),
    (|net, head| net.models.inner = head, "inner", "`models.inner` was assigned or swapped"),
    (|net, _| net.models.more.swap(0, 1), "more", "`models.more.0` was assigned or swapped"),
    (|net, head| net.models.each[1] = head, "each", "`models.each.1` was assigned or swapped"),
    (|net, _| drop(net.layers.more.pop()), "more", "`layers.more` has 0 elements now: the model was made with 1"),
    (|net, head| net.act.gated = Some(head), "gated", "`act.gated` was assigned or swapped"),
    (|net, _| net.act.gated = None, "gated", "`with_variants` makes a model"),
    (|net, _| net.act = Act::new(&net.device(), Seed(2)).unwrap(), "act", "`act` was assigned or swapped"),
    (|net, _| net.share = 0.75, "share", "`share` was assigned: the functions are compiled with 0.5"),
    (|net, _| net.times = 4, "times", "`times` was assigned: the functions are compiled with 3"),
    (|net, _| net.is_on = false, "is_on", "`is_on` was assigned: the functions are compiled with true"),
];

#[test]
fn a_part_that_was_assigned_is_told_by_every_use_of_the_whole() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[3, 4]);
        let net = Net::new(&device, Seed(1))?;
        for (position, (change, field, said)) in CHANGES.iter().enumerate() {
            let mut changed = net.clone();
            change(&mut changed, Head::new(&device, Seed(9))?);
            // What differs from change to change is what is looked at; who looks, once.
            let found = match position {
                0 => uses(&mut changed, &x),
                _ => vec![("a loss", changed.loss(&x).map(drop))],
            };
            for (what, result) in found {
                let error = result.expect_err(what);
                assert!(error.to_string().contains(said), "{what} on {device}: {error}");
                assert!(matches!(error, Error::Assigned { field: told, .. } if told == *field), "{what}");
            }
        }
        // The list of parameters is of those that the model computes with.
        let mut changed = net.clone();
        changed.a = Head::new(&device, Seed(9))?;
        let weight = |list: Vec<(String, Tensor)>| {
            list.into_iter().find(|(path, _)| path == "a.line.weight").unwrap().1.to_vec::<f32>()
        };
        assert_eq!(weight(changed.parameters())?, weight(net.parameters())?);
        // The part by itself computes.
        changed.a.loss(&x)?;
    }
    Ok(())
}

#[test]
fn tensors_are_copied_as_the_message_says() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[3, 4]);
        let (mut model, mut other) = (Net::new(&device, Seed(1))?, Head::new(&Device::host(), Seed(9))?);
        other.set_tensor("by", &Tensor::full(&Device::host(), 2.0f32, &[4])?)?;
        let kept = mem::replace(&mut model.a, other.clone());
        let error = model.loss(&x).unwrap_err().to_string();
        let said = "`for (path, value) in other.parameters().into_iter().chain(other.states()) { \
                    model.set_tensor(&format!(\"a.{path}\"), &value)?; }`";
        assert!(error.contains(said), "{error}");
        model.a = kept;
        for (path, value) in other.parameters().into_iter().chain(other.states()) {
            model.set_tensor(&format!("a.{path}"), &value)?;
        }
        other.to_device(&device)?;
        assert_eq!(model.a.forward(&x)?.to_vec::<f32>()?, other.forward(&x)?.to_vec::<f32>()?, "on {device}");
        // A field of a part is told by the path in the whole, by the part and by the whole.
        model.models.each[0] = other;
        for error in [model.loss(&x).unwrap_err(), model.models.forward(&x).unwrap_err()] {
            assert!(error.to_string().starts_with("`Tower`: `models.each.0` was assigned"), "{error}");
        }
    }
    Ok(())
}

#[test]
fn a_constructor_of_ones_own_is_told_at_the_first_call() -> Result<()> {
    for device in devices() {
        let net = Net::around(&device, Head::new(&device, Seed(9))?)?;
        let error = net.loss(&wave(&device, &[3, 4])).unwrap_err().to_string();
        assert!(error.starts_with("`Net`: `a` was assigned"), "{error}");
    }
    Ok(())
}

#[test]
fn nothing_is_told_of_a_model_that_is_as_it_was_made() -> Result<()> {
    let all_right = |what: &str, net: &mut Net, device: &Device| {
        for (used, result) in uses(net, &wave(device, &[3, 4])) {
            result.unwrap_or_else(|error| panic!("{used} of {what} on {device}: {error}"));
        }
    };
    for device in devices() {
        let x = wave(&device, &[3, 4]);
        let mut net = Net::new(&device, Seed(1))?;
        all_right("a model", &mut net, &device);
        all_right("a clone", &mut net.clone(), &device);
        all_right("a copy", &mut net.deep_copy()?, &device);
        let mut moved = net.deep_copy()?;
        moved.to_device(&Device::host())?;
        all_right("one that was moved", &mut moved, &Device::host());
        moved.models.to_device(&device)?;
        all_right("one that was moved by a part", &mut moved, &device);
        for (path, variant) in [("act", "Relu"), ("act", "Scaled")] {
            let other = Net::with_variants(&device, Seed(1), &[(path, variant)])?;
            other.loss_with_gradients(&x)?;
            other.deep_copy()?.loss(&x)?;
        }
        // What was swapped is swapped back, and a part's clone is the part.
        let expected = net.loss(&x)?.item::<f32>()?;
        for _ in 0..2 {
            mem::swap(&mut net.a, &mut net.b);
            net.list.reverse();
        }
        net.a = net.a.clone();
        net.more = net.more.clone();
        let mut other = net.clone();
        mem::swap(&mut net.models, &mut other.models);
        assert_eq!(net.loss(&x)?.item::<f32>()?, expected, "on {device}");
        // On threads, and of parts that were moved out.
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| net.loss(&x).unwrap());
            }
        });
        let Net { models, a, maybe, .. } = net;
        let models: OfHeads = models;
        models.forward(&x)?;
        models.deep_copy()?.forward(&x)?;
        a.loss(&x)?;
        maybe.iter().try_for_each(|head| head.loss(&x).map(drop))?;
    }
    Ok(())
}
