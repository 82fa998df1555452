//! Optimizers and weight files, on every device that computes.

use netcl::__private::kernels::dim::Shape;
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{InputKind, OutputKind};
use netcl::__private::kernels::layers::{Init, TensorSpec};
use netcl::__private::kernels::plan::Target;
use netcl::__private::{Function, ModelCore, Schema, Seed};
use netcl::optim::{Adam, AdamW, Optimizer, Sgd};
use netcl::{DType, Device, Error, Gradients, Model, Tensor, io};
use netcl_fixtures::devices::all;
use netcl_fixtures::plans::embed;

/// A model of two parameters of awkward sizes and a state.
struct Two {
    core: ModelCore,
}

impl Two {
    fn new(device: &Device, seed: u64) -> Two {
        Two { core: ModelCore::new(device, Seed(seed), &Two::schema()).unwrap() }
    }
}

impl Model for Two {
    fn schema() -> Schema {
        let mut schema = Schema::new();
        let spec = |shape: &[usize], trainable| TensorSpec {
            name: "tensor",
            shape: shape.to_vec(),
            dtype: DType::F32,
            init: Init::Uniform { bound: 1.0 },
            trainable,
        };
        schema.add("a", spec(&[7, 43], true));
        schema.add("mean", spec(&[5], false));
        schema.add("b", spec(&[130], true));
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.core
    }
}

/// Gradients that are the arguments.
fn pass_gradients() -> Function {
    let mut b = Builder::new("Two::loss");
    for (position, (path, shape)) in [("a", vec![7, 43]), ("b", vec![130])].into_iter().enumerate() {
        let shape = Shape::of(&shape);
        b.input(InputKind::Parameter, path, shape.clone(), DType::F32);
        let argument = b.input(InputKind::Argument(position), &format!("g{position}"), shape, DType::F32);
        let two = b.constant(2.0, DType::F32);
        let doubled = b.binary(netcl::__private::kernels::graph::BinaryOp::Mul, argument, two).unwrap();
        b.output(OutputKind::Gradient(path.into()), doubled);
    }
    embed(&b.finish())
}

fn gradients(function: &Function, model: &Two, step: usize) -> (Gradients, Vec<Vec<f64>>) {
    let values: Vec<Vec<f32>> = [301usize, 130]
        .iter()
        .map(|&count| (0..count).map(|i| ((i * 7 + step * 13) % 29) as f32 * 0.03 - 0.4).collect())
        .collect();
    let device = model.device();
    let g0 = Tensor::from_slice(&device, &values[0], &[7, 43]).unwrap();
    let g1 = Tensor::from_slice(&device, &values[1], &[130]).unwrap();
    let (_, gradients, _) = function.call_with_gradients(model.core(), "", &[&g0, &g1], &[]).unwrap();
    (gradients, values.iter().map(|list| list.iter().map(|&g| 2.0 * f64::from(g)).collect()).collect())
}

fn read(model: &Two) -> Vec<Vec<f64>> {
    let lists = model.parameters().into_iter().map(|(_, tensor)| tensor.to_vec::<f32>().unwrap());
    lists.map(|list| list.into_iter().map(f64::from).collect()).collect()
}

/// The update of one number in f64: parameter, gradient, moments, step from 1 on.
type Rule = fn(f64, f64, &mut [f64; 2], i32) -> f64;

fn check(make: fn() -> Box<dyn Optimizer>, rule: Rule) {
    let function = pass_gradients();
    for device in all() {
        let mut model = Two::new(&device, 3);
        let mut optimizer = make();
        let mut wanted = read(&model);
        let mut moments = [vec![[0.0; 2]; 301], vec![[0.0; 2]; 130]];
        for step in 1..=5 {
            let (gradients, numbers) = gradients(&function, &model, step);
            let before = device.launches();
            optimizer.step(&mut model, &gradients).unwrap();
            if device.profile().kind == netcl::DeviceKind::Null {
                assert_eq!(device.launches() - before, 1);
            }
            for ((list, numbers), moments) in wanted.iter_mut().zip(&numbers).zip(&mut moments) {
                for ((p, g), m) in list.iter_mut().zip(numbers).zip(moments) {
                    *p = rule(*p, *g, m, step as i32);
                }
            }
            for (found, wanted) in read(&model).into_iter().flatten().zip(wanted.iter().flatten()) {
                assert!(
                    (found - wanted).abs() < 2e-6 * wanted.abs().max(1.0),
                    "{device} step {step}: {found} {wanted}"
                );
            }
        }
        let mean = model.tensor("mean").unwrap().to_vec::<f32>().unwrap();
        assert_eq!(mean, Two::new(&device, 3).tensor("mean").unwrap().to_vec::<f32>().unwrap(), "states stay");
    }
}

#[test]
fn sgd_is_the_formula() {
    check(|| Box::new(Sgd::new(0.1)), |p, g, _, _| p - 0.1 * g);
    check(
        || Box::new(Sgd::new(0.1).momentum(0.9).weight_decay(0.01)),
        |p, g, m, _| {
            m[0] = 0.9 * m[0] + g + 0.01 * p;
            p - 0.1 * m[0]
        },
    );
    check(
        || Box::new(Sgd::new(0.1).momentum(0.8).nesterov(true)),
        |p, g, m, _| {
            m[0] = 0.8 * m[0] + g;
            p - 0.1 * (g + 0.8 * m[0])
        },
    );
}

#[test]
fn momentum_that_is_set_between_steps_goes_on() {
    /// Whose setting each step has: none, momentum, Nesterov's.
    const STEPS: [(f64, bool); 6] = [(0.0, false), (0.9, false), (0.9, true), (0.0, false), (0.5, true), (0.5, false)];
    for device in all() {
        let function = pass_gradients();
        let mut model = Two::new(&device, 3);
        let mut wanted = read(&model);
        let mut moments: Vec<Vec<f64>> = wanted.iter().map(|list| vec![0.0; list.len()]).collect();
        let mut optimizer = Sgd::new(0.1);
        for (step, (momentum, nesterov)) in STEPS.into_iter().enumerate() {
            optimizer = optimizer.momentum(momentum).nesterov(nesterov);
            let (gradients, numbers) = gradients(&function, &model, step);
            optimizer.step(&mut model, &gradients).unwrap();
            for ((list, numbers), moments) in wanted.iter_mut().zip(&numbers).zip(&mut moments) {
                for ((p, g), m) in list.iter_mut().zip(numbers).zip(moments) {
                    if momentum != 0.0 {
                        *m = momentum * *m + g;
                    }
                    *p -= 0.1
                        * match (momentum != 0.0, nesterov) {
                            (false, _) => *g,
                            (true, false) => *m,
                            (true, true) => g + momentum * *m,
                        };
                }
            }
            for (found, wanted) in read(&model).into_iter().flatten().zip(wanted.iter().flatten()) {
                assert!((found - wanted).abs() < 2e-6 * wanted.abs().max(1.0), "{device} {step}: {found} {wanted}");
            }
        }
    }
}

fn adam(p: f64, g: f64, m: &mut [f64; 2], step: i32) -> f64 {
    m[0] = 0.9 * m[0] + 0.1 * g;
    m[1] = 0.999 * m[1] + 0.001 * g * g;
    p - 0.01 / (1.0 - 0.9f64.powi(step)) * m[0] / ((m[1] / (1.0 - 0.999f64.powi(step))).sqrt() + 1e-8)
}

#[test]
fn adam_is_the_formula() {
    check(|| Box::new(Adam::new(0.01)), adam);
    check(|| Box::new(Adam::new(0.01).weight_decay(0.1)), |p, g, m, step| adam(p, g + 0.1 * p, m, step));
    check(|| Box::new(AdamW::new(0.01).weight_decay(0.1)), |p, g, m, step| adam(p * (1.0 - 0.01 * 0.1), g, m, step));
}

#[test]
fn a_step_is_one_launch() {
    let device = Device::null(Target::Gpu, 1 << 30);
    let function = pass_gradients();
    let mut model = Two::new(&device, 3);
    let mut optimizer = AdamW::new(1e-3);
    for _ in 0..3 {
        let (gradients, _) = gradients(&function, &model, 0);
        let before = device.launches();
        optimizer.step(&mut model, &gradients).unwrap();
        assert_eq!(device.launches() - before, 1);
    }
}

#[test]
fn gradients_of_another_model_are_refused() {
    let device = Device::host();
    let function = pass_gradients();
    let (mut first, mut second) = (Two::new(&device, 1), Two::new(&device, 2));
    let mut optimizer = AdamW::new(1e-3);
    let (own, _) = gradients(&function, &first, 0);
    optimizer.step(&mut first, &own).unwrap();
    let error = optimizer.step(&mut second, &own).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }) && error.to_string().contains("`adamw`"), "{error}");
}

#[test]
fn a_model_moves_with_its_optimizer() {
    let function = pass_gradients();
    let all = all();
    let run = |places: &[&Device]| -> Vec<f32> {
        let mut model = Two::new(places[0], 5);
        let mut optimizer = Adam::new(0.05);
        for (step, device) in places.iter().enumerate() {
            model.to_device(device).unwrap();
            let (gradients, _) = gradients(&function, &model, step);
            optimizer.step(&mut model, &gradients).unwrap();
        }
        model.parameters().into_iter().flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap()).collect()
    };
    let (here, there) = (&all[0], all.last().unwrap());
    for (stay, moved) in run(&[here; 4]).into_iter().zip(run(&[here, there, there, here])) {
        assert!((stay - moved).abs() < 1e-5, "{stay} {moved}");
    }
}

#[test]
fn weights_go_through_a_file() {
    let folder = std::env::temp_dir().join(format!("netcl-weights-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.safetensors");
    let all = all();
    let (saved, mut loaded) = (Two::new(&all[0], 1), Two::new(all.last().unwrap(), 2));
    let bits = |model: &Two| -> Vec<u32> {
        let tensors = model.parameters().into_iter().chain(model.states());
        tensors.flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap()).map(f32::to_bits).collect()
    };
    assert_ne!(bits(&saved), bits(&loaded));
    io::save(&saved, &path).unwrap();
    io::load(&mut loaded, &path).unwrap();
    assert_eq!(bits(&saved), bits(&loaded));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file stays");

    // Damage, at every kind of place, is an error and changes nothing.
    let whole = std::fs::read(&path).unwrap();
    for damaged in [&whole[..whole.len() - 1], &whole[..4], &[][..], b"{}"] {
        std::fs::write(&path, damaged).unwrap();
        assert!(matches!(io::load(&mut loaded, &path), Err(Error::WeightFile { .. })));
    }
    assert_eq!(bits(&saved), bits(&loaded));
    assert!(matches!(io::load(&mut loaded, folder.join("nowhere")), Err(Error::Io { action: "read", .. })));
    assert!(matches!(io::save(&saved, folder.join("no/such/folder")), Err(Error::Io { action: "write", .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// As [`Two`], with one tensor of another shape and one of another name.
struct Other(ModelCore);

impl Model for Other {
    fn schema() -> Schema {
        let mut schema = Schema::new();
        for (path, spec) in Two::schema().entries() {
            let mut spec = spec.clone();
            if path == "a" {
                spec.shape = vec![43, 7];
            }
            schema.add(if path == "b" { "c" } else { path }, spec);
        }
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.0
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.0
    }
}

#[test]
fn weights_of_another_model_are_listed_and_refused() {
    let path = std::env::temp_dir().join(format!("netcl-other-{}.safetensors", std::process::id()));
    let device = Device::host();
    let mut two = Two::new(&device, 1);
    io::save(&Other(ModelCore::new(&device, Seed(1), &Other::schema()).unwrap()), &path).unwrap();
    let before = two.tensor("b").unwrap().to_vec::<f32>().unwrap();
    let error = io::load(&mut two, &path).unwrap_err();
    let Error::Weights { problems } = &error else { panic!("{error}") };
    assert_eq!(problems.len(), 3, "{error}");
    for part in ["`a`: the model has f32 [7, 43], the file F32 [43, 7]", "missing: `b`", "unexpected: `c`"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(two.tensor("b").unwrap().to_vec::<f32>().unwrap(), before);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_is_made_by_hand_is_not_copied() {
    let Err(error) = Two::new(&Device::host(), 1).deep_copy() else { panic!("it is copied") };
    let error = error.to_string();
    assert!(error.contains("deep_copy") && error.contains("Two` is made, which is no struct or enum with"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_errors_and_change_nothing() {
    let device = Device::host();
    let mut model = Two::new(&device, 3);
    let function = pass_gradients();
    let g0 = Tensor::full(&device, 1.0f32, &[7, 43]).unwrap();
    let g1 = Tensor::full(&device, 1.0f32, &[130]).unwrap();
    let (_, gradients, _) = function.call_with_gradients(model.core(), "", &[&g0, &g1], &[]).unwrap();
    let before = model.tensor("a").unwrap().to_vec::<f32>().unwrap();
    let wrong: [(Box<dyn Optimizer>, &str); 13] = [
        (Box::new(Sgd::new(-0.1)), "`sgd`: `learning rate` is -0.1; accepted: a finite number of at least 0"),
        (Box::new(Sgd::new(f64::NAN)), "`learning rate` is NaN"),
        (Box::new(Sgd::new(0.1).momentum(-1.0)), "`momentum` is -1"),
        (Box::new(Sgd::new(0.1).nesterov(true)), "`nesterov` is true without momentum; accepted: true together with"),
        (Box::new(Sgd::new(0.1).weight_decay(f64::INFINITY)), "`weight_decay` is inf"),
        (Box::new(Adam::new(-1.0)), "`adam`: `learning rate` is -1"),
        (Box::new(Adam::new(0.1).betas(0.9, 1.0)), "`betas` is 1; accepted: numbers from 0 on and below 1"),
        (Box::new(Adam::new(0.1).betas(f64::NAN, 0.9)), "`betas` is NaN"),
        (Box::new(AdamW::new(0.1).epsilon(-1e-8)), "`adamw`: `epsilon` is -1e-8"),
        (Box::new(AdamW::new(0.1).weight_decay(-1.0)), "`weight_decay` is -1"),
        // No `f32` is as large: weights would be infinite.
        (Box::new(Sgd::new(1e39)), "accepted: numbers up to 3.4e38"),
        (Box::new(Adam::new(1e300)), "accepted: numbers up to 3.4e38"),
        (Box::new(AdamW::new(1e20).weight_decay(1e20)), "that make a step with -1e40; accepted: numbers up to 3.4e38"),
    ];
    for (mut optimizer, message) in wrong {
        let error = optimizer.step(&mut model, &gradients).unwrap_err();
        assert!(matches!(error, Error::Setting { .. }) && error.to_string().contains(message), "{error}");
    }
    let mut later = Adam::new(0.1);
    later.set_learning_rate(-0.5);
    assert!(later.step(&mut model, &gradients).is_err());
    assert_eq!(model.tensor("a").unwrap().to_vec::<f32>().unwrap(), before);
    later.set_learning_rate(0.0);
    later.step(&mut model, &gradients).unwrap();
    assert!(format!("{later:?} {:?}", Sgd::new(0.1)).contains("rate: 0.1"));
}

#[test]
fn a_state_of_numbers_that_no_training_leaves_is_refused() {
    let device = Device::host();
    let mut model = Two::new(&device, 3);
    let (gradients, _) = gradients(&pass_gradients(), &model, 0);
    let mut adam = Adam::new(0.1);
    adam.step(&mut model, &gradients).unwrap();
    let whole = || adam.state(&model).unwrap();
    let rate = |rate: f64| netcl::optim::OptimizerState { learning_rate: rate, ..whole() };
    let mut negative = whole();
    negative.moments[1][0].1 = Tensor::full(&device, -1.0f32, &[7, 43]).unwrap();
    let wrong = [
        (rate(f64::NAN), "`learning rate` is NaN"),
        (rate(-1.0), "`learning rate` is -1"),
        (rate(1e300), "numbers up to 3.4e38"),
        (negative, "the state has -1 among the squared gradients of `a`"),
    ];
    for (state, message) in wrong {
        let error = Adam::new(0.5).set_state(&model, &state).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    Adam::new(0.5).set_state(&model, &whole()).unwrap();
}

/// A model whose prefix is another each time that it is asked.
struct Fickle {
    core: ModelCore,
    asked: std::cell::Cell<usize>,
}

impl Model for Fickle {
    fn schema() -> Schema {
        Two::schema()
    }

    fn core(&self) -> &ModelCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.core
    }

    fn prefix(&self) -> &str {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get().is_multiple_of(2) { "" } else { "b" }
    }
}

#[test]
fn what_a_model_says_of_itself_is_asked_once_for_each_step() {
    let device = Device::host();
    let two = Two::new(&device, 3);
    let (gradients, _) = gradients(&pass_gradients(), &two, 0);
    for first in 0..2 {
        let mut model = Fickle { core: two.core.clone(), asked: std::cell::Cell::new(first) };
        let mut optimizer = Adam::new(0.1);
        optimizer.step(&mut model, &gradients).unwrap();
        for step in 1..4 {
            let stepped = optimizer.step(&mut model, &gradients);
            assert_eq!(stepped.is_err(), step % 2 == 1, "it is the first time's part again, or another: {stepped:?}");
        }
        let same = model.asked.get() % 2;
        let state = optimizer.state(&model);
        assert_eq!(state.is_err(), same != first, "{:?}", state.map(drop));
    }
}

#[test]
fn gradients_are_added_multiplied_and_kept_below_a_norm() {
    let function = pass_gradients();
    for device in all().into_iter().filter(|device| device.profile().kind != netcl::DeviceKind::Null) {
        let model = Two::new(&device, 3);
        let ((first, one), (second, two)) = (gradients(&function, &model, 0), gradients(&function, &model, 1));
        let check = |found: &Gradients, expected: &dyn Fn(f64, f64) -> f64, what: &str| {
            for (path, (one, two)) in ["a", "b"].into_iter().zip(one.iter().zip(&two)) {
                let values = found.tensor(path).unwrap().to_vec::<f32>().unwrap();
                for (position, (value, (one, two))) in values.iter().zip(one.iter().zip(two)).enumerate() {
                    let expected = expected(*one, *two);
                    assert!(
                        (f64::from(*value) - expected).abs() < 1e-6,
                        "{device}: {what} of {path}[{position}]: {value}, expected {expected}"
                    );
                }
            }
        };
        check(&first.add(&second).unwrap(), &|one, two| one + two, "sum");
        check(&first.scaled(0.25).unwrap(), &|one, _| 0.25 * one, "quarter");
        let norm = one.iter().flatten().map(|one| one * one).sum::<f64>().sqrt();
        let found = f64::from(first.norm().unwrap().item::<f32>().unwrap());
        assert!((found - norm).abs() < 1e-5 * norm, "{device}: {found}, expected {norm}");
        check(&first.clip_norm(1.5).unwrap(), &|one, _| one * 1.5 / (norm + 1e-6), "clipped");
        check(&first.clip_norm(norm + 1.0).unwrap(), &|one, _| one, "long enough");
        // Those that were given are as they were, and what is made of them steps a model.
        check(&first, &|one, _| one, "first");
        let mut stepped = Two::new(&device, 3);
        let before = stepped.tensor("a").unwrap().to_vec::<f32>().unwrap();
        Sgd::new(1.0).step(&mut stepped, &first.add(&second).unwrap()).unwrap();
        let after = stepped.tensor("a").unwrap().to_vec::<f32>().unwrap();
        for ((before, after), (one, two)) in before.iter().zip(after).zip(one[0].iter().zip(&two[0])) {
            assert!((f64::from(before - after) - one - two).abs() < 1e-5, "{device}");
        }
        for most in [-1.0, f64::NAN, f64::INFINITY] {
            let text = first.clip_norm(most).unwrap_err().to_string();
            assert!(text.contains("clip_norm") && text.contains("`most`"), "{text}");
        }
    }
}
