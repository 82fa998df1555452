//! Training that goes on from a file, on every device that computes.

use netcl::optim::OptimizerState;
use netcl::prelude::*;
use netcl::{Error, io};
use netcl_fixtures::devices::all;
use std::path::PathBuf;

/// A classifier with everything that training keeps: parameters, running statistics, dropout.
#[netcl::model]
pub struct Net {
    #[layer(inputs = 6, outputs = 9)]
    up: Linear,
    #[layer(features = 9)]
    norm: BatchNorm,
    #[layer(rate = 0.3)]
    drop: Dropout,
    #[layer(inputs = 9, outputs = 3)]
    down: Linear,
}

#[netcl::model]
impl Net {
    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.drop.forward(&self.norm.forward(&self.up.forward(x)).relu());
        self.down.forward(&h).cross_entropy(labels)
    }
}

/// A model whose parameters have other names.
#[netcl::model]
pub struct Other {
    #[layer(inputs = 6, outputs = 3)]
    down: Linear,
}

#[netcl::model]
impl Other {
    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.down.forward(x).cross_entropy(labels)
    }
}

/// A file that goes when the test ends.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        File(std::env::temp_dir().join(format!("netcl-checkpoint-{name}-{}.safetensors", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn batch(device: &Device, step: usize) -> (Tensor, Tensor) {
    let x: Vec<f32> = (0..8 * 6).map(|i| ((i * 7 + step * 31) as f32 * 0.37).sin()).collect();
    let labels: Vec<u32> = (0..8).map(|i| ((i + step) % 3) as u32).collect();
    (Tensor::from_slice(device, &x, &[8, 6]).unwrap(), Tensor::from_slice(device, &labels, &[8]).unwrap())
}

/// The bits of the losses of some steps.
fn train(model: &mut Net, optimizer: &mut dyn Optimizer, steps: std::ops::Range<usize>) -> Vec<u32> {
    let step = |step| {
        let (x, labels) = batch(&model.device(), step);
        let (loss, gradients) = model.loss_with_gradients(&x, &labels).unwrap();
        optimizer.step(model, &gradients).unwrap();
        loss.item::<f32>().unwrap().to_bits()
    };
    steps.map(step).collect()
}

fn bits(model: &dyn Model) -> Vec<u32> {
    let tensors = model.parameters().into_iter().chain(model.states());
    tensors.flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap()).map(f32::to_bits).collect()
}

fn optimizers() -> [(&'static str, Box<dyn Optimizer>); 4] {
    [
        ("sgd", Box::new(Sgd::new(0.1))),
        ("momentum", Box::new(Sgd::new(0.1).momentum(0.9))),
        ("adam", Box::new(Adam::new(0.01))),
        ("adamw", Box::new(AdamW::new(0.01))),
    ]
}

#[test]
fn training_goes_on_as_if_it_had_not_stopped() {
    let file = File::new("goes-on");
    for device in all() {
        for ((name, mut before), (_, mut after)) in optimizers().into_iter().zip(optimizers()) {
            let mut model = Net::new(&device, Seed(1)).unwrap();
            train(&mut model, &mut *before, 0..3);
            before.set_learning_rate(before.learning_rate() * 0.5);
            io::save_checkpoint(&model, &*before, &file.0).unwrap();
            let expected = train(&mut model, &mut *before, 3..6);

            // Another seed, so that dropout would drop others.
            let mut continued = Net::new(&device, Seed(2)).unwrap();
            io::load_checkpoint(&mut continued, &mut *after, &file.0).unwrap();
            assert_eq!(after.learning_rate(), before.learning_rate());
            assert_eq!(train(&mut continued, &mut *after, 3..6), expected, "{name} on {device}");
            assert_eq!(bits(&continued), bits(&model), "{name} on {device}");

            // It is a weight file as well.
            let mut weights = Net::new(&device, Seed(3)).unwrap();
            io::load(&mut weights, &file.0).unwrap();
            io::load_checkpoint(&mut model, &mut *after, &file.0).unwrap();
            assert_eq!(bits(&weights), bits(&model), "{name} on {device}");
        }
    }
}

#[test]
fn a_state_before_the_first_step_has_no_moments() {
    let file = File::new("first");
    let device = Device::host();
    let mut model = Net::new(&device, Seed(1)).unwrap();
    io::save_checkpoint(&model, &Adam::new(0.01), &file.0).unwrap();
    let expected = train(&mut model, &mut Adam::new(0.01), 0..2);

    // What the optimizer has gathered with another model goes.
    let mut optimizer = Adam::new(0.3);
    train(&mut Net::new(&device, Seed(5)).unwrap(), &mut optimizer, 0..2);
    let mut model = Net::new(&device, Seed(7)).unwrap();
    assert!(optimizer.state(&model).unwrap_err().to_string().contains("another model"));
    io::load_checkpoint(&mut model, &mut optimizer, &file.0).unwrap();
    assert_eq!(train(&mut model, &mut optimizer, 0..2), expected);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let file = File::new("refused");
    let device = Device::host();
    let mut model = Net::new(&device, Seed(1)).unwrap();
    let mut adam = Adam::new(0.01);
    train(&mut model, &mut adam, 0..2);
    io::save_checkpoint(&model, &adam, &file.0).unwrap();
    let whole = std::fs::read(&file.0).unwrap();

    let mut loaded = Net::new(&device, Seed(2)).unwrap();
    let mut target = Adam::new(0.5);
    let before = bits(&loaded);
    let mut refused = |bytes: &[u8], optimizer: &mut dyn Optimizer| {
        std::fs::write(&file.0, bytes).unwrap();
        let rate = optimizer.learning_rate();
        let error = io::load_checkpoint(&mut loaded, optimizer, &file.0).unwrap_err();
        assert_eq!((bits(&loaded), optimizer.learning_rate()), (before.clone(), rate), "{error}");
        error.to_string()
    };
    let other_kind = refused(&whole, &mut AdamW::new(0.1));
    assert_eq!(other_kind, "`adamw`: the state is of `adam`; an optimizer goes on from its own kind's");
    refused(&whole[..whole.len() - 1], &mut target);
    // Names of the same length keep the header's.
    let renamed = |from: &str, to: &str| {
        let at = whole.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat()
    };
    let cases = [
        ("netcl.layout\":\"1", "netcl.layout\":\"2", "its layout is `2`, and this netcl knows `1`"),
        ("adam/steps", "adam/stops", "`optimizer/adam/steps` are not there as one number each"),
        ("adam/learning_rate", "adam/learning_fate", "it has no state of an optimizer"),
        ("adam/1/up.bias", "adam/7/up.bias", "`optimizer/adam/7/up.bias` is no moment of a parameter"),
        ("adam/1/up.bias", "adam/1/up.bios", "`adam`: the state has nothing for the parameter `up.bias` [9]"),
        ("adam/1/up.bias", "adam/0/up.bias", "it has two entries named `optimizer/adam/0/up.bias`"),
    ];
    for (from, to, expected) in cases {
        let found = refused(&renamed(from, to), &mut target);
        assert!(found.contains(expected), "{from} -> {to}: {found}");
    }

    std::fs::write(&file.0, renamed("model/draws", "model/drawn")).unwrap();
    let problems = |result: Result<()>| match result {
        Err(Error::Weights { problems }) => problems,
        other => panic!("{other:?}"),
    };
    let mut fresh = Net::new(&device, Seed(2)).unwrap();
    assert_eq!(problems(io::load_checkpoint(&mut fresh, &mut target, &file.0)), ["unexpected: `model/drawn`"]);
    assert_eq!(problems(io::load(&mut fresh, &file.0)), ["unexpected: `model/drawn`"]);

    let mut twice = adam.state(&model).unwrap();
    let again = twice.moments[0][1].clone();
    twice.moments[0].push(again);
    let error = target.set_state(&model, &twice).unwrap_err().to_string();
    assert_eq!(error, "`adam`: the state names the parameter `up.bias` twice");
    let error = io::save_checkpoint(&model, &Stubborn(twice), &file.0).unwrap_err().to_string();
    assert!(error.contains("two of its tensors are named `optimizer/adam/0/up.bias`"), "{error}");

    // A part that is missing in one list only.
    let mut state = adam.state(&model).unwrap();
    state.moments[1].pop();
    let error = target.set_state(&model, &state).unwrap_err().to_string();
    assert_eq!(error, "`adam`: the state has nothing for the parameter `down.bias` [3]");
    state.moments.pop();
    let error = target.set_state(&model, &state).unwrap_err().to_string();
    assert_eq!(error, "`adam`: the state has 1 moments for each parameter, expected 2");

    let mut other = Other::new(&device, Seed(1)).unwrap();
    std::fs::write(&file.0, &whole).unwrap();
    assert!(matches!(io::load_checkpoint(&mut other, &mut target, &file.0), Err(Error::Weights { .. })));
    io::save(&model, &file.0).unwrap();
    let error = io::load_checkpoint(&mut model, &mut adam, &file.0).unwrap_err().to_string();
    assert!(error.contains("`netcl::io::load` reads weights alone"), "{error}");
}

/// A model whose field has the one name that the format keeps for itself.
#[netcl::model]
pub struct Reserved {
    #[parameter(init = 0.0)]
    __metadata__: Tensor<f32, 3>,
}

#[netcl::model]
impl Reserved {
    /// Something.
    pub fn loss(&self, x: &Tensor<f32, 3>) -> Tensor<f32> {
        (&self.__metadata__ * x).sum_all()
    }
}

#[test]
fn a_name_that_no_file_can_have_is_refused_when_it_is_saved() {
    let file = File::new("reserved");
    let model = Reserved::new(&Device::host(), Seed(1)).unwrap();
    for saved in [io::save(&model, &file.0), io::save_checkpoint(&model, &Adam::new(0.1), &file.0)] {
        let error = saved.unwrap_err().to_string();
        assert!(error.contains("`__metadata__`") && error.contains("rename it"), "{error}");
        assert!(!file.0.exists());
    }
}

/// An optimizer of somebody else: it has this state, and takes no other.
struct Stubborn(OptimizerState);

impl Optimizer for Stubborn {
    fn step(&mut self, _: &mut dyn Model, _: &Gradients) -> Result<()> {
        Ok(())
    }

    fn learning_rate(&self) -> f64 {
        self.0.learning_rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.0.learning_rate = rate;
    }

    fn state(&self, _: &dyn Model) -> Result<OptimizerState> {
        Ok(self.0.clone())
    }

    fn set_state(&mut self, _: &dyn Model, _: &OptimizerState) -> Result<()> {
        Err(Error::Mismatch { operation: "stubborn".to_owned(), problem: "not that one".to_owned() })
    }
}

/// Zeros that nobody gathered, after a thousand steps, are no state to go on from.
#[test]
fn a_state_after_steps_has_moments() {
    let file = File::new("without-moments");
    for device in all() {
        let mut model = Net::new(&device, Seed(1)).unwrap();
        for (name, mut optimizer) in optimizers().into_iter().filter(|(name, _)| name.starts_with("adam")) {
            let state = OptimizerState {
                optimizer: name.to_owned(),
                learning_rate: 0.1,
                steps: 1000,
                missed: vec![],
                moments: vec![],
            };
            io::save_checkpoint(&model, &Stubborn(state), &file.0).unwrap();
            let (before, rate) = (bits(&model), optimizer.learning_rate());
            let error = io::load_checkpoint(&mut model, &mut *optimizer, &file.0).unwrap_err().to_string();
            let expected = "the state is after 1000 steps and has no moments, expected 2 for each parameter";
            assert_eq!(error, format!("`{name}`: {expected}"));
            assert_eq!((bits(&model), optimizer.learning_rate()), (before, rate));
            let state = optimizer.state(&model).unwrap();
            assert_eq!((state.steps, state.moments.len()), (0, 0));
        }
    }
    // Without momentum there is nothing to gather, however many steps there were.
    let mut model = Net::new(&Device::host(), Seed(1)).unwrap();
    let mut plain = Sgd::new(0.1);
    train(&mut model, &mut plain, 0..2);
    io::save_checkpoint(&model, &plain, &file.0).unwrap();
    io::load_checkpoint(&mut model, &mut Sgd::new(0.2).momentum(0.9), &file.0).unwrap();
}

#[test]
fn what_an_optimizer_refuses_the_model_does_not_get() {
    let file = File::new("stubborn");
    for device in all() {
        let mut trained = Net::new(&device, Seed(1)).unwrap();
        let mut adam = Adam::new(0.01);
        train(&mut trained, &mut adam, 0..2);
        io::save_checkpoint(&trained, &adam, &file.0).unwrap();
        let mut model = Net::new(&device, Seed(2)).unwrap();
        let expected = train(&mut Net::new(&device, Seed(2)).unwrap(), &mut Sgd::new(0.1), 0..1);
        let before = bits(&model);
        let mut stubborn = Stubborn(adam.state(&trained).unwrap());
        let error = io::load_checkpoint(&mut model, &mut stubborn, &file.0).unwrap_err().to_string();
        assert_eq!(error, "`stubborn`: not that one");
        assert_eq!(bits(&model), before, "{device}");
        assert_eq!(train(&mut model, &mut Sgd::new(0.1), 0..1), expected, "its random numbers, too");
    }
}

/// Before the next step they are where the last one was made.
#[test]
fn states_can_be_had_after_a_move() {
    let device = Device::host();
    let mut model = Net::new(&device, Seed(1)).unwrap();
    let mut momentum = Sgd::new(0.1).momentum(0.9);
    train(&mut model, &mut momentum, 0..2);
    let moments = |optimizer: &dyn Optimizer, model: &Net| -> Vec<(String, Vec<f32>)> {
        let state = optimizer.state(model).unwrap();
        assert_eq!((state.optimizer.as_str(), state.moments.len()), ("sgd", 1));
        state.moments[0].iter().map(|(path, value)| (path.clone(), value.to_vec().unwrap())).collect()
    };
    let before = moments(&momentum, &model);
    let paths: Vec<&str> = before.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["up.weight", "up.bias", "norm.weight", "norm.bias", "down.weight", "down.bias"]);
    assert!(before[4].1.iter().any(|value| *value != 0.0), "{before:?}");
    for device in all() {
        model.to_device(&device).unwrap();
        assert_eq!(moments(&momentum, &model), before);
        let state = momentum.state(&model).unwrap();
        let mut other = Sgd::new(0.0).momentum(0.5);
        other.set_state(&model, &state).unwrap();
        assert_eq!(moments(&other, &model), before, "{device}");
    }
}

/// Random numbers (xorshift), the same in each run.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as usize % end
    }

    /// A damaged copy; every other in the header alone, where most can go wrong.
    fn damaged(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
        let all = self.below(2) == 0;
        for _ in 0..1 + self.below(2) {
            let end = if all { bytes.len() } else { header.min(bytes.len()) };
            if end == 0 {
                break;
            }
            let at = self.below(end);
            match self.below(7) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = self.below(256) as u8,
                // Digits make other sizes, places and numbers of moments.
                2 | 3 => match (at..end).find(|at| bytes[*at].is_ascii_digit()) {
                    Some(digit) => bytes[digit] = b'0' + self.below(10) as u8,
                    None => bytes[at] = b'9',
                },
                4 => bytes.truncate(at),
                5 => {
                    let to = bytes.len().min(at + self.below(40));
                    let part = bytes[at..to].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, part);
                }
                _ => {
                    let to = bytes.len().min(at + 1 + self.below(8));
                    bytes[at..to].fill([0, 0xff, b'"', b'{', b'['][self.below(5)]);
                }
            }
        }
        bytes
    }
}

/// Whatever the bytes are: an error that changes nothing, or a model and an optimizer that go on.
#[test]
fn files_of_any_bytes_are_loaded_or_refused() {
    let file = File::new("bytes");
    let device = Device::host();
    let mut trained = Net::new(&device, Seed(1)).unwrap();
    let mut adam = Adam::new(0.01);
    train(&mut trained, &mut adam, 0..2);
    io::save_checkpoint(&trained, &adam, &file.0).unwrap();
    let whole = std::fs::read(&file.0).unwrap();
    let (mut loaded, mut refused) = (0, 0);
    let mut drawn = Drawn(0x9e37_79b9_7f4a_7c15);
    for _ in 0..400 {
        let bytes = drawn.damaged(&whole);
        std::fs::write(&file.0, &bytes).unwrap();
        let (mut model, mut optimizer) = (Net::new(&device, Seed(2)).unwrap(), Adam::new(0.5));
        let before = bits(&model);
        match io::load_checkpoint(&mut model, &mut optimizer, &file.0) {
            Ok(()) => {
                loaded += 1;
                assert!(optimizer.learning_rate() >= 0.0 && optimizer.state(&model).is_ok());
            }
            Err(error) => {
                refused += 1;
                assert_eq!((bits(&model), optimizer.learning_rate()), (before.clone(), 0.5), "{error}");
            }
        }
        // The same bytes as weights.
        let mut model = Net::new(&device, Seed(2)).unwrap();
        if let Err(error) = io::load(&mut model, &file.0) {
            assert_eq!(bits(&model), before, "{error}");
        }
    }
    assert!(loaded > 20 && refused > 100, "{loaded} loaded, {refused} refused: neither is tried enough");
}

/// Numbers that no training leaves behind make weights NaN, or go up the hill, without a word.
#[test]
fn numbers_that_no_training_leaves_are_refused() {
    let file = File::new("numbers");
    let device = Device::host();
    let mut model = Net::new(&device, Seed(1)).unwrap();
    for rate in [f64::NAN, -0.01, f64::INFINITY, f64::NEG_INFINITY] {
        let state = OptimizerState {
            optimizer: "sgd".to_owned(),
            learning_rate: rate,
            steps: 0,
            missed: vec![],
            moments: vec![],
        };
        io::save_checkpoint(&model, &Stubborn(state), &file.0).unwrap();
        let (before, mut optimizer) = (bits(&model), Sgd::new(0.1));
        let error = io::load_checkpoint(&mut model, &mut optimizer, &file.0).unwrap_err().to_string();
        assert!(error.contains(&format!("`optimizer/sgd/learning_rate` is {rate}, expected")), "{error}");
        assert_eq!((bits(&model), optimizer.learning_rate()), (before, 0.1));
    }
    for (name, mut optimizer) in optimizers().into_iter().filter(|(name, _)| name.starts_with("adam")) {
        train(&mut model, &mut *optimizer, 0..2);
        let mut state = optimizer.state(&model).unwrap();
        let (path, second) = state.moments[1][1].clone();
        let mut values = second.to_vec::<f32>().unwrap();
        values[3] = -1e-6;
        state.moments[1][1].1 = Tensor::from_slice(&device, &values, second.shape()).unwrap();
        io::save_checkpoint(&model, &Stubborn(state), &file.0).unwrap();
        let (before, rate) = (bits(&model), optimizer.learning_rate());
        let error = io::load_checkpoint(&mut model, &mut *optimizer, &file.0).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(&path) && error.contains("-0.000001"), "{error}");
        assert_eq!((bits(&model), optimizer.learning_rate()), (before, rate));
    }
}
