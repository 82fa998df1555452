//! Steps by losses that do not depend on every parameter: each parameter has its own number of steps in Adam's formula, as PyTorch's
//! optimizers count. On every device.

use crate::common::{devices, wave};
use netcl::io::{load_checkpoint, save_checkpoint};
use netcl::optim::{Adam, AdamW, GradScaler, Optimizer, ParameterGroup, Sgd};
use netcl::{Device, Gradients, Model, Result, Seed, Tensor};
use std::collections::BTreeMap;

/// Two branches of which a loss reaches one, and what both share.
#[netcl::model]
pub struct Branches {
    #[layer(inputs = 3, outputs = 4)]
    left: Linear,
    #[layer(inputs = 3, outputs = 4)]
    right: Linear,
    #[parameter(init = normal(0.5))]
    shared: Tensor<f32, 4>,
}

#[netcl::model]
impl Branches {
    pub fn left_loss(&self, x: &Tensor<f32, N, 3>, scale: &Tensor<f32>) -> Tensor<f32> {
        (self.left.forward(x) * &self.shared + 1.0).square().mean_all() * scale
    }

    pub fn right_loss(&self, x: &Tensor<f32, N, 3>, scale: &Tensor<f32>) -> Tensor<f32> {
        (self.right.forward(x) * &self.shared - 1.0).square().mean_all() * scale
    }

    pub fn both_loss(&self, x: &Tensor<f32, N, 3>, scale: &Tensor<f32>) -> Tensor<f32> {
        self.left_loss(x, scale) + self.right_loss(x, scale)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Loss {
    Left,
    Right,
    Both,
}
use Loss::{Both, Left, Right};

const TURNS: [Loss; 11] = [Left, Left, Right, Both, Left, Right, Right, Right, Left, Both, Right];

fn gradients(net: &Branches, loss: Loss, x: &Tensor, scale: &Tensor) -> Result<Gradients> {
    Ok(match loss {
        Left => net.left_loss_with_gradients(x, scale)?.1.into(),
        Right => net.right_loss_with_gradients(x, scale)?.1.into(),
        Both => net.both_loss_with_gradients(x, scale)?.1.into(),
    })
}

fn one(device: &Device) -> Result<Tensor> {
    Tensor::from_slice(device, &[1.0f32], &[])
}

fn reaches(loss: Loss, path: &str) -> bool {
    match loss {
        Left => !path.starts_with("right"),
        Right => !path.starts_with("left"),
        Both => true,
    }
}

fn values(net: &Branches) -> Result<Vec<Vec<f32>>> {
    net.parameters().iter().map(|(_, tensor)| tensor.to_vec::<f32>()).collect()
}

/// `torch.optim.AdamW` and `Adam` in double precision, each parameter with a count of its own.
struct Reference {
    decoupled: bool,
    decay: f64,
    parameters: BTreeMap<String, Parameter>,
}

struct Parameter {
    value: Vec<f64>,
    moments: [Vec<f64>; 2],
    steps: i32,
    rate: f64,
}

impl Reference {
    fn new(net: &Branches, decoupled: bool, decay: f64, rate: impl Fn(&str) -> f64) -> Result<Reference> {
        let parameter = |(path, tensor): (String, Tensor)| -> Result<(String, Parameter)> {
            let value: Vec<f64> = tensor.to_vec::<f32>()?.into_iter().map(f64::from).collect();
            let moments = [vec![0.0; value.len()], vec![0.0; value.len()]];
            let rate = rate(&path);
            Ok((path, Parameter { value, moments, steps: 0, rate }))
        };
        let parameters = net.parameters().into_iter().map(parameter).collect::<Result<_>>()?;
        Ok(Reference { decoupled, decay, parameters })
    }

    fn step(&mut self, gradients: &Gradients, loss: Loss) -> Result<()> {
        for (path, parameter) in self.parameters.iter_mut().filter(|(path, _)| reaches(loss, path)) {
            parameter.steps += 1;
            let [first, second] = [0.9f64, 0.999].map(|beta| 1.0 - beta.powi(parameter.steps));
            let Parameter { value, moments: [m, v], rate, .. } = parameter;
            for (i, g) in gradients.tensor(path)?.to_vec::<f32>()?.into_iter().enumerate() {
                let mut g = f64::from(g);
                match self.decoupled {
                    true => value[i] *= 1.0 - *rate * self.decay,
                    false => g += self.decay * value[i],
                }
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                value[i] -= *rate / first * m[i] / ((v[i] / second).sqrt() + 1e-8);
            }
        }
        Ok(())
    }

    #[track_caller]
    fn agrees(&self, net: &Branches, what: &str) {
        for (path, tensor) in net.parameters() {
            let found = tensor.to_vec::<f32>().unwrap();
            for (found, expected) in found.iter().zip(&self.parameters[&path].value) {
                assert!((f64::from(*found) - expected).abs() < 2e-5, "{what}: `{path}` {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn each_parameter_counts_its_own_steps() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[5, 3]);
        let group = || ParameterGroup::new().rate(0.5);
        let optimizers: [(Box<dyn Optimizer>, bool, f64); 2] = [
            (Box::new(Adam::new(0.02).weight_decay(0.1).group("right", group())), false, 0.1),
            (Box::new(AdamW::new(0.02).group("right", group())), true, 0.01),
        ];
        for (mut optimizer, decoupled, decay) in optimizers {
            let mut net = Branches::new(&device, Seed(5))?;
            let rate = |path: &str| if path.starts_with("right") { 0.01 } else { 0.02 };
            let mut reference = Reference::new(&net, decoupled, decay, rate)?;
            for (step, loss) in TURNS.into_iter().enumerate() {
                let gradients = gradients(&net, loss, &x, &one(&device)?)?;
                optimizer.step(&mut net, &gradients)?;
                reference.step(&gradients, loss)?;
                reference.agrees(&net, &format!("{device} {decoupled} step {step}"));
            }
            let state = optimizer.state(&net)?;
            let missed = |path: &str| TURNS.iter().filter(|loss| !reaches(**loss, path)).count() as u64;
            let expected: Vec<(String, u64)> = ["left.weight", "left.bias", "right.weight", "right.bias"]
                .map(|path| (path.to_owned(), missed(path)))
                .to_vec();
            assert_eq!((state.steps, state.missed), (11, expected), "{device}");
        }
        // What does not ask for the number of steps goes on in one launch, and says nothing of it.
        let (mut net, mut sgd) = (Branches::new(&device, Seed(5))?, Sgd::new(0.1).momentum(0.9));
        for loss in TURNS {
            let gradients = gradients(&net, loss, &x, &one(&device)?)?;
            sgd.step(&mut net, &gradients)?;
        }
        let state = sgd.state(&net)?;
        assert_eq!((state.steps, state.missed), (0, vec![]));
    }
    Ok(())
}

#[test]
fn checkpoints_have_the_steps_that_left_a_parameter_out() -> Result<()> {
    let file = std::env::temp_dir().join(format!("netcl-left-out-{}.safetensors", std::process::id()));
    for device in devices() {
        let x = wave(&device, &[5, 3]);
        let (mut net, mut adam) = (Branches::new(&device, Seed(5))?, Adam::new(0.02));
        for loss in &TURNS[..6] {
            let gradients = gradients(&net, *loss, &x, &one(&device)?)?;
            adam.step(&mut net, &gradients)?;
        }
        save_checkpoint(&net, &adam, &file)?;
        let (mut other, mut resumed) = (Branches::new(&device, Seed(6))?, Adam::new(0.5));
        load_checkpoint(&mut other, &mut resumed, &file)?;
        assert_eq!(resumed.state(&other)?.missed, adam.state(&net)?.missed);
        for loss in &TURNS[6..] {
            for (net, optimizer) in [(&mut net, &mut adam), (&mut other, &mut resumed)] {
                let gradients = gradients(net, *loss, &x, &one(&device)?)?;
                optimizer.step(net, &gradients)?;
            }
        }
        assert_eq!(values(&net)?, values(&other)?, "{device}");
        // States that no training leaves.
        let mut refused = |change: fn(&mut Vec<(String, u64)>), expected: &str| -> Result<()> {
            let mut state = adam.state(&net)?;
            change(&mut state.missed);
            let error = resumed.set_state(&other, &state).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            Ok(())
        };
        refused(
            |missed| missed[0].1 = 12,
            "12 of 11 steps left out the parameter `left.weight`, which is more than all",
        )?;
        refused(|missed| missed[1].0 = "rigth.bias".into(), "`rigth.bias`, which the model does not have")?;
        refused(|missed| missed[1].0 = "left.weight".into(), "`left.weight`, which it names twice")?;
    }
    std::fs::remove_file(&file).expect("it was written");
    Ok(())
}

#[test]
fn replays_count_as_steps_do() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[5, 3]);
        let make = || Ok::<_, netcl::Error>((Branches::new(&device, Seed(5))?, Adam::new(0.02)));
        let ((mut net, mut adam), (mut plain, mut expected)) = (make()?, make()?);
        let scale = one(&device)?;
        let work = || {
            let gradients = gradients(&net, Left, &x, &scale)?;
            adam.step(&mut net, &gradients)
        };
        let (mut recording, ()) = device.record(work)?;
        for loss in [Right, Left, Left, Both, Left, Right, Left] {
            match loss {
                Left => recording.replay()?,
                _ => {
                    let gradients = gradients(&net, loss, &x, &scale)?;
                    adam.step(&mut net, &gradients)?;
                }
            }
        }
        for loss in [Left, Right, Left, Left, Both, Left, Right, Left] {
            let gradients = gradients(&plain, loss, &x, &scale)?;
            expected.step(&mut plain, &gradients)?;
        }
        assert_eq!(values(&net)?, values(&plain)?, "{device}");
        assert_eq!(adam.state(&net)?.missed, expected.state(&plain)?.missed);
        // What one launch steps has one number of steps.
        let (mut net, mut adam) = make()?;
        let work = || {
            let gradients = gradients(&net, Both, &x, &scale)?;
            adam.step(&mut net, &gradients)
        };
        let (mut recording, ()) = device.record(work)?;
        recording.replay()?;
        let left = gradients(&net, Left, &x, &scale)?;
        adam.step(&mut net, &left)?;
        let before = (values(&net)?, adam.state(&net)?.steps);
        let error = recording.replay().unwrap_err().to_string();
        assert!(error.contains("adam") && error.contains("record it again"), "{error}");
        assert_eq!((values(&net)?, adam.state(&net)?.steps), before);
        // Of a model that has moved, the old memory would be stepped.
        if device != Device::host() {
            let (mut net, mut adam) = make()?;
            let work = || {
                let gradients = gradients(&net, Both, &x, &scale)?;
                adam.step(&mut net, &gradients)
            };
            let (mut recording, ()) = device.record(work)?;
            net.to_device(&Device::host())?;
            let error = recording.replay().unwrap_err().to_string();
            assert!(error.contains("the model has moved to host") && error.contains("record it again"), "{error}");
        }
    }
    Ok(())
}

#[test]
fn skipped_steps_count_for_nobody() -> Result<()> {
    // Of each turn, whether its gradients are infinite.
    let turns =
        [(Left, true), (Left, false), (Right, true), (Right, false), (Both, true), (Left, true), (Right, false)];
    for device in devices() {
        let x = wave(&device, &[5, 3]);
        let (mut net, mut adamw) = (Branches::new(&device, Seed(5))?, AdamW::new(0.02));
        let (mut plain, mut expected) = (Branches::new(&device, Seed(5))?, AdamW::new(0.02));
        let mut scaler = GradScaler::new(&device)?;
        let infinite = Tensor::from_slice(&device, &[f32::INFINITY], &[])?;
        for (loss, is_skipped) in turns.into_iter().chain(turns) {
            let scale = if is_skipped { &infinite } else { scaler.factor() };
            let scaled = gradients(&net, loss, &x, scale)?;
            scaler.step(&mut adamw, &mut net, &scaled)?;
            scaler.update()?;
            if !is_skipped {
                let gradients = gradients(&plain, loss, &x, &one(&device)?)?;
                expected.step(&mut plain, &gradients)?;
            }
        }
        let (found, wanted) = (adamw.state(&net)?, expected.state(&plain)?);
        assert_eq!((found.steps, found.missed), (wanted.steps, wanted.missed), "{device}");
        for (found, expected) in values(&net)?.concat().iter().zip(values(&plain)?.concat()) {
            assert!((found - expected).abs() < 1e-5, "{device}: {found}, expected {expected}");
        }
    }
    Ok(())
}
