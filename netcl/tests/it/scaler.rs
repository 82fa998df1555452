//! Steps by gradients of scaled losses, on every device that computes.

use netcl::io::{load_scaled_checkpoint, save_scaled_checkpoint};
use netcl::nn::{Layers, Network};
use netcl::optim::{Adam, AdamW, GradScaler, Optimizer, OptimizerState, ScalerState, Sgd};
use netcl::prelude::*;
use netcl_fixtures::devices::all;

#[netcl::model]
struct Scaled {
    #[layer(inputs = 3, outputs = 5)]
    hidden: Linear,
    #[layer(inputs = 5, outputs = 2)]
    output: Linear,
}

#[netcl::model]
impl Scaled {
    fn plain(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.output.forward(&self.hidden.forward(x).tanh()).square().mean_all()
    }

    fn scaled(&self, x: &Tensor<f32, N, 3>, scale: &Tensor<f32>) -> (Tensor<f32>, Tensor<f32>) {
        let loss = self.plain(x);
        (&loss * scale, loss)
    }
}

/// Products in `f16`, whose cotangents are in `f16`, too.
#[netcl::model]
struct Halves {
    #[layer(inputs = 64, outputs = 64)]
    hidden: Linear,
    #[layer(inputs = 64, outputs = 64)]
    output: Linear,
}

#[netcl::model]
impl Halves {
    fn loss(&self, x: &Tensor<f32, N, 64>, scale: &Tensor<f32>) -> (Tensor<f32>, Tensor<f32>) {
        let h = self.hidden.forward(x).cast(f16);
        let h = h.matmul(&self.output.weight.cast(f16)).tanh();
        let loss = h.matmul(&self.output.weight.cast(f16)).cast(f32).square().sum_all();
        (&loss * scale, loss)
    }
}

/// Makes an optimizer.
type Make = fn() -> Box<dyn Optimizer>;

fn input(device: &Device, step: usize, is_wrong: bool) -> Tensor {
    let mut values: Vec<f32> = (0..12).map(|i| ((i * 7 + step * 5) % 11) as f32 * 0.2 - 1.0).collect();
    if is_wrong {
        values[4] = f32::INFINITY;
    }
    Tensor::from_slice(device, &values, &[4, 3]).unwrap()
}

fn values(model: &dyn Model) -> Vec<f32> {
    model.parameters().into_iter().flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap()).collect()
}

#[track_caller]
fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 2e-6 * expected.abs().max(1.0), "{what}: {found} {expected}");
    }
}

/// Of `torch.amp.GradScaler("cpu", growth_interval=3)` and `torch.optim.Adam([p], lr=0.1)`, with `p = 1.0` and the loss `p * g` of
/// these `g`: the scale, the steps since it changed, and `p`, after each step. PyTorch 2.15.
const PYTORCH: [(f32, (f64, u64), f32); 15] = [
    (1.0, (65536.0, 1), 0.9),
    (1.0, (65536.0, 2), 0.8),
    (f32::INFINITY, (32768.0, 0), 0.8),
    (1.0, (32768.0, 1), 0.7),
    (1.0, (32768.0, 2), 0.6),
    (1.0, (65536.0, 0), 0.5),
    (f32::NAN, (32768.0, 0), 0.5),
    (f32::INFINITY, (16384.0, 0), 0.5),
    (1.0, (16384.0, 1), 0.4),
    (1.0, (16384.0, 2), 0.3),
    (1.0, (32768.0, 0), 0.2),
    (1.0, (32768.0, 1), 0.1),
    (1.0, (32768.0, 2), 0.0),
    (1.0, (65536.0, 0), -0.1),
    (1.0, (65536.0, 1), -0.2),
];

fn parameter(device: &Device) -> Network {
    let mut layers = Layers::new();
    layers.add_parameter("p", &[1], 1.0).unwrap();
    layers.build(device, Seed(1)).unwrap()
}

#[test]
fn scales_and_steps_are_pytorchs() {
    for device in all() {
        let (mut net, mut optimizer) = (parameter(&device), Adam::new(0.1));
        let mut scaler = GradScaler::new(&device).unwrap().growth_interval(3);
        for (step, (g, (scale, good_steps), p)) in PYTORCH.into_iter().enumerate() {
            let g = Tensor::from_slice(&device, &[g], &[1]).unwrap();
            let loss = net.parameter("p").unwrap().mul(&g).sum_all();
            let gradients = scaler.scale(&loss).backward().unwrap().of(&net).unwrap();
            scaler.step(&mut optimizer, &mut net, &gradients).unwrap();
            scaler.update().unwrap();
            // Where there was no step it stays.
            scaler.update().unwrap();
            assert_eq!(scaler.state().unwrap(), ScalerState { scale, good_steps }, "{device} step {step}");
            near(&values(&net), &[p], &format!("{device} step {step}"));
        }
        // Three were skipped.
        assert_eq!(optimizer.state(&net).unwrap().steps, 12, "{device}");
    }
}

#[test]
fn steps_that_are_skipped_change_nothing_in_any_optimizer() {
    let makes: [(&str, Make); 7] = [
        ("sgd", || Box::new(Sgd::new(0.1).weight_decay(0.01))),
        ("momentum", || Box::new(Sgd::new(0.1).momentum(0.9))),
        ("nesterov", || Box::new(Sgd::new(0.1).momentum(0.9).nesterov(true).weight_decay(0.01))),
        ("adam", || Box::new(Adam::new(0.05).weight_decay(0.01))),
        ("adamw", || Box::new(AdamW::new(0.05))),
        ("adam without betas", || Box::new(Adam::new(0.05).betas(0.0, 0.0))),
        ("groups", || Box::new(AdamW::new(0.05).group("output", ParameterGroup::new().rate(0.5).weight_decay(0.1)))),
    ];
    for device in all() {
        for (name, make) in &makes {
            let what = format!("{device} {name}");
            let (mut own, mut other) = (Scaled::new(&device, Seed(3)).unwrap(), Scaled::new(&device, Seed(3)).unwrap());
            let (mut optimizer, mut expected) = (make(), make());
            let mut scaler = GradScaler::new(&device).unwrap();
            for step in 0..7 {
                let is_wrong = [0, 3, 4].contains(&step);
                let x = input(&device, step, is_wrong);
                let ((_, _), gradients) = own.scaled_with_gradients(&x, scaler.factor()).unwrap();
                scaler.step(&mut *optimizer, &mut own, &gradients).unwrap();
                scaler.update().unwrap();
                if !is_wrong {
                    let (_, gradients) = other.plain_with_gradients(&x).unwrap();
                    expected.step(&mut other, &gradients).unwrap();
                }
                near(&values(&own), &values(&other), &format!("{what} step {step}"));
                let states = [optimizer.state(&own), expected.state(&other)].map(Result::unwrap);
                same_state(&states[0], &states[1], &format!("{what} step {step}"));
            }
            assert_eq!(scaler.state().unwrap(), ScalerState { scale: 8192.0, good_steps: 2 }, "{what}");
            // Without a scale it goes on by the steps that were made.
            let x = input(&device, 7, false);
            let (_, gradients) = own.plain_with_gradients(&x).unwrap();
            optimizer.step(&mut own, &gradients).unwrap();
            let (_, gradients) = other.plain_with_gradients(&x).unwrap();
            expected.step(&mut other, &gradients).unwrap();
            near(&values(&own), &values(&other), &what);
            same_state(&optimizer.state(&own).unwrap(), &expected.state(&other).unwrap(), &what);
        }
    }
}

#[track_caller]
fn same_state(found: &OptimizerState, expected: &OptimizerState, what: &str) {
    assert_eq!(
        (found.steps, found.moments.len()),
        (expected.steps, expected.moments.len().max(found.moments.len())),
        "{what}"
    );
    for (found, expected) in found.moments.iter().zip(&expected.moments) {
        for ((path, found), (_, expected)) in found.iter().zip(expected) {
            near(&found.to_vec::<f32>().unwrap(), &expected.to_vec::<f32>().unwrap(), &format!("{what} {path}"));
        }
    }
}

#[test]
fn nothing_is_waited_for_and_a_step_is_three_launches() {
    let device = Device::null(netcl::Target::Gpu, u64::MAX);
    let (mut model, mut optimizer) = (Scaled::new(&device, Seed(3)).unwrap(), AdamW::new(0.05));
    let mut scaler = GradScaler::new(&device).unwrap();
    let (_, gradients) = model.scaled_with_gradients(&input(&device, 0, false), scaler.factor()).unwrap();
    for _ in 0..2 {
        let before = device.launches();
        scaler.step(&mut optimizer, &mut model, &gradients).unwrap();
        assert_eq!(device.launches() - before, 3, "two that look for what is not finite, and the step");
        scaler.update().unwrap();
        assert_eq!(device.launches() - before, 4);
    }
}

#[test]
fn a_replay_is_skipped_as_a_call_is() {
    for device in all() {
        let makes: [Make; 2] = [|| Box::new(Adam::new(0.05)), || Box::new(Sgd::new(0.1))];
        for make in makes {
            let memory = device.buffer_pool().allocate(48).unwrap();
            let x = Tensor::from_buffer(&device, memory.clone(), &[4, 3], DType::F32).unwrap();
            let write = |step: usize| {
                let values = input(&device, step, step == 2).to_vec::<f32>().unwrap();
                memory.write(&values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>()).unwrap();
            };
            let (mut own, mut other) = (Scaled::new(&device, Seed(3)).unwrap(), Scaled::new(&device, Seed(3)).unwrap());
            let (mut optimizer, mut expected) = (make(), make());
            let mut scaler = GradScaler::new(&device).unwrap().growth_interval(2);
            let mut others = GradScaler::new(&device).unwrap().growth_interval(2);
            write(0);
            let (mut recording, ()) = device
                .record(|| {
                    let (_, gradients) = own.scaled_with_gradients(&x, scaler.factor())?;
                    scaler.step(&mut *optimizer, &mut own, &gradients)?;
                    scaler.update()
                })
                .unwrap();
            for step in 0..6 {
                if step > 0 {
                    write(step);
                    recording.replay().unwrap();
                }
                let (_, gradients) =
                    other.scaled_with_gradients(&input(&device, step, step == 2), others.factor()).unwrap();
                others.step(&mut *expected, &mut other, &gradients).unwrap();
                others.update().unwrap();
                near(&values(&own), &values(&other), &format!("{device} step {step}"));
                assert_eq!(scaler.state().unwrap(), others.state().unwrap(), "{device} step {step}");
            }
            same_state(&optimizer.state(&own).unwrap(), &expected.state(&other).unwrap(), &device.to_string());
        }
    }
}

#[test]
fn an_overflow_in_halves_is_skipped_and_recovered() {
    for device in all() {
        let (mut model, mut optimizer) = (Halves::new(&device, Seed(1)).unwrap(), Sgd::new(1e-3));
        let mut scaler = GradScaler::new(&device).unwrap();
        let values_of_x: Vec<f32> = (0..32 * 64).map(|i| ((i * 37) % 101) as f32 * 0.02 - 1.0).collect();
        let x = Tensor::from_slice(&device, &values_of_x, &[32, 64]).unwrap();
        let (mut scales, mut losses) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            let ((_, loss), gradients) = model.loss_with_gradients(&x, scaler.factor()).unwrap();
            scaler.step(&mut optimizer, &mut model, &gradients).unwrap();
            scaler.update().unwrap();
            scales.push(scaler.state().unwrap().scale);
            losses.push(loss.item::<f32>().unwrap());
        }
        // Cotangents are larger than 1, so that 65536 times them is more than there is in `f16`.
        assert_eq!((scales[0], losses[0].to_bits()), (32768.0, losses[1].to_bits()), "{device} {scales:?} {losses:?}");
        assert!(scales[19] == scales[18] && scales[19] > 1.0, "{device} {scales:?}");
        assert!(
            losses[19] < 0.9 * losses[0] && values(&model).iter().all(|value| value.is_finite()),
            "{device} {losses:?}"
        );
    }
}

#[test]
fn gradients_are_unscaled_once_and_clipped_by_their_own_norm() {
    for device in all() {
        let (mut own, mut other) = (Scaled::new(&device, Seed(3)).unwrap(), Scaled::new(&device, Seed(3)).unwrap());
        let (mut optimizer, mut expected) = (Sgd::new(0.1), Sgd::new(0.1));
        let mut scaler = GradScaler::new(&device).unwrap();
        for step in 0..4 {
            let x = input(&device, step, false);
            let (_, scaled) = own.scaled_with_gradients(&x, scaler.factor()).unwrap();
            let (_, plain) = other.plain_with_gradients(&x).unwrap();
            let unscaled = scaler.unscale(&scaled).unwrap();
            let norms = [&scaled, &unscaled, &plain].map(|gradients| gradients.norm().unwrap().item::<f32>().unwrap());
            assert!((norms[0] / 65536.0 - norms[2]).abs() < 1e-5 * norms[2], "{device} {norms:?}");
            near(&[norms[1]], &[norms[2]], "the norm");
            let most = f64::from(norms[2]) / 3.0;
            let clipped = scaler.unscale(&unscaled).unwrap().clip_norm(most).unwrap();
            scaler.step(&mut optimizer, &mut own, &clipped).unwrap();
            scaler.update().unwrap();
            expected.step(&mut other, &plain.clip_norm(most).unwrap()).unwrap();
            near(&values(&own), &values(&other), &device.to_string());
            let error = scaled.add(&unscaled).unwrap_err().to_string();
            assert!(error.contains("`GradScaler::unscale` has given one of the two"), "{error}");
            assert!(unscaled.add(&unscaled).is_ok() && scaled.add(&scaled).is_ok());
        }
        // What is not finite is found behind it as well.
        let before = values(&own);
        let (_, scaled) = own.scaled_with_gradients(&input(&device, 0, true), scaler.factor()).unwrap();
        let clipped = scaler.unscale(&scaled).unwrap().clip_norm(1.0).unwrap();
        scaler.step(&mut optimizer, &mut own, &clipped).unwrap();
        scaler.update().unwrap();
        assert_eq!((values(&own), scaler.state().unwrap().scale), (before, 32768.0), "{device}");
    }
}

#[test]
fn each_optimizer_is_skipped_by_its_own_gradients_and_the_scale_by_all() {
    for device in all() {
        let (mut one, mut two) = (parameter(&device), parameter(&device));
        let (mut first, mut second) = (Sgd::new(0.1), Sgd::new(0.1));
        let mut scaler = GradScaler::new(&device).unwrap();
        let of = |net: &Network, scaler: &GradScaler, g: f32| {
            let g = Tensor::from_slice(&device, &[g], &[1]).unwrap();
            let loss = net.parameter("p").unwrap().mul(&g).sum_all();
            scaler.scale(&loss).backward().unwrap().of(net).unwrap()
        };
        let gradients = [of(&one, &scaler, f32::NAN), of(&two, &scaler, 1.0)];
        scaler.step(&mut first, &mut one, &gradients[0]).unwrap();
        scaler.step(&mut second, &mut two, &gradients[1]).unwrap();
        scaler.update().unwrap();
        near(&values(&one), &[1.0], "skipped");
        near(&values(&two), &[0.9], "made");
        assert_eq!(scaler.state().unwrap().scale, 32768.0, "{device}");
        scaler.update().unwrap();
        assert_eq!(scaler.state().unwrap(), ScalerState { scale: 32768.0, good_steps: 0 }, "{device}");
    }
}

#[test]
fn steps_are_counted_where_the_model_has_moved() {
    for device in all() {
        let host = Device::host();
        let (mut model, mut optimizer) = (Scaled::new(&device, Seed(3)).unwrap(), Adam::new(0.05));
        let mut scaler = GradScaler::new(&device).unwrap();
        for step in 0..3 {
            let (_, gradients) =
                model.scaled_with_gradients(&input(&device, step, step == 1), scaler.factor()).unwrap();
            scaler.step(&mut optimizer, &mut model, &gradients).unwrap();
            scaler.update().unwrap();
        }
        model.to_device(&host).unwrap();
        let mut moved = GradScaler::new(&host).unwrap();
        moved.set_state(&scaler.state().unwrap()).unwrap();
        for step in 3..6 {
            let (_, gradients) = model.scaled_with_gradients(&input(&host, step, step == 4), moved.factor()).unwrap();
            moved.step(&mut optimizer, &mut model, &gradients).unwrap();
            moved.update().unwrap();
        }
        assert_eq!(optimizer.state(&model).unwrap().steps, 4, "{device}");
        assert_eq!(moved.state().unwrap().scale, 16384.0, "{device}");
    }
}

/// An optimizer of a user's, which says nothing of scaled gradients.
struct Own(Sgd);

impl Optimizer for Own {
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        self.0.step(model, gradients)
    }

    fn learning_rate(&self) -> f64 {
        self.0.learning_rate()
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.0.set_learning_rate(rate);
    }

    fn state(&self, model: &dyn Model) -> Result<OptimizerState> {
        self.0.state(model)
    }

    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()> {
        self.0.set_state(model, state)
    }
}

#[test]
fn an_optimizer_of_a_users_own_is_asked_to_step_by_finite_gradients() {
    for device in all() {
        let (mut net, mut optimizer) = (parameter(&device), Own(Sgd::new(0.1)));
        let mut scaler = GradScaler::new(&device).unwrap();
        for (g, expected, scale) in [(1.0f32, 0.9, 65536.0), (f32::INFINITY, 0.9, 32768.0), (2.0, 0.7, 32768.0)] {
            let g = Tensor::from_slice(&device, &[g], &[1]).unwrap();
            let loss = net.parameter("p").unwrap().mul(&g).sum_all();
            let gradients = scaler.scale(&loss).backward().unwrap().of(&net).unwrap();
            scaler.step(&mut optimizer, &mut net, &gradients).unwrap();
            scaler.update().unwrap();
            near(&values(&net), &[expected], &device.to_string());
            assert_eq!(scaler.state().unwrap().scale, scale, "{device}");
        }
    }
}

#[test]
fn a_scale_goes_on_from_a_checkpoint() {
    let device = Device::host();
    let file = std::env::temp_dir().join(format!("netcl-scaler-{}.safetensors", std::process::id()));
    let train = |model: &mut Scaled, optimizer: &mut Adam, scaler: &mut GradScaler, steps: std::ops::Range<usize>| {
        for step in steps {
            let x = input(&device, step, step == 1);
            let (_, gradients) = model.scaled_with_gradients(&x, scaler.factor()).unwrap();
            scaler.step(optimizer, model, &gradients).unwrap();
            scaler.update().unwrap();
        }
    };
    let make = || GradScaler::new(&device).unwrap().growth_interval(4);
    let (mut model, mut optimizer, mut scaler) = (Scaled::new(&device, Seed(3)).unwrap(), Adam::new(0.05), make());
    train(&mut model, &mut optimizer, &mut scaler, 0..4);
    save_scaled_checkpoint(&model, &optimizer, &scaler.state().unwrap(), &file).unwrap();
    train(&mut model, &mut optimizer, &mut scaler, 4..8);

    let (mut other, mut others, mut again) = (Scaled::new(&device, Seed(4)).unwrap(), Adam::new(0.01), make());
    again.set_state(&load_scaled_checkpoint(&mut other, &mut others, &file).unwrap()).unwrap();
    assert_eq!(again.state().unwrap(), ScalerState { scale: 32768.0, good_steps: 2 });
    train(&mut other, &mut others, &mut again, 4..8);
    assert_eq!((values(&other), again.state().unwrap()), (values(&model), scaler.state().unwrap()));
    // It is a checkpoint as others are, and others have no scale.
    netcl::io::load_checkpoint(&mut other, &mut others, &file).unwrap();
    netcl::io::save_checkpoint(&model, &optimizer, &file).unwrap();
    let error = load_scaled_checkpoint(&mut other, &mut others, &file).unwrap_err().to_string();
    assert!(error.contains("it has no scale of a loss; `netcl::io::load_checkpoint` reads it"), "{error}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_scaler_of_another_device_is_named() {
    let host = Device::host();
    for device in all().into_iter().filter(|device| *device != host) {
        let mut net = parameter(&device);
        let mut scaler = GradScaler::new(&host).unwrap();
        let gradients = net.parameter("p").unwrap().sum_all().backward().unwrap().of(&net).unwrap();
        let step = scaler.step(&mut Sgd::new(0.1), &mut net, &gradients).unwrap_err().to_string();
        let unscale = scaler.unscale(&gradients).unwrap_err().to_string();
        for error in [step, unscale] {
            assert!(error.contains("`GradScaler::new(&device)`") && error.contains(&device.to_string()), "{error}");
        }
    }
}

#[test]
fn settings_that_make_no_scale_are_refused() {
    let device = Device::host();
    let scaler = || GradScaler::new(&device).unwrap();
    for scale in [0.0, -1.0, f64::NAN, 1e39] {
        let error = scaler().initial_scale(scale).unwrap_err().to_string();
        assert!(error.contains("`scale`") && error.contains("a positive number of `f32`"), "{error}");
    }
    for (mut wrong, setting) in [
        (scaler().growth_factor(1.0), "growth_factor"),
        (scaler().backoff_factor(1.0), "backoff_factor"),
        (scaler().growth_interval(0), "growth_interval"),
    ] {
        let error = wrong.update().unwrap_err().to_string();
        assert!(error.contains(setting), "{error}");
        assert_eq!(wrong.state().unwrap(), ScalerState { scale: 65536.0, good_steps: 0 });
    }
    let mut wrong = scaler();
    let error = wrong.set_state(&ScalerState { scale: 1.0, good_steps: 1 << 24 }).unwrap_err().to_string();
    assert!(error.contains("good_steps"), "{error}");
}

#[test]
fn a_scale_stays_a_number() {
    let device = Device::host();
    let mut net = parameter(&device);
    let mut optimizer = Sgd::new(0.1);
    let mut scaler = GradScaler::new(&device).unwrap().growth_interval(1).growth_factor(1e30).backoff_factor(1e-30);
    let mut step = |g: f32| {
        let g = Tensor::from_slice(&device, &[g], &[1]).unwrap();
        let loss = net.parameter("p").unwrap().mul(&g).sum_all();
        let gradients = scaler.scale(&loss).backward().unwrap().of(&net).unwrap();
        scaler.step(&mut optimizer, &mut net, &gradients).unwrap();
        scaler.update().unwrap();
        scaler.state().unwrap().scale
    };
    let grown = step(1e-9);
    assert!(grown > 6e34 && grown.is_finite());
    assert_eq!(step(1e-9), grown, "it does not become infinite");
    for _ in 0..4 {
        assert!(step(f32::NAN) > 0.0, "it does not become zero");
    }
}
