//! Whatever operations and layers are called with, there is a result or an error that says something; nothing panics.

use netcl::__private::kernels::dim::Dim;
use netcl::__private::kernels::layers::{self, ConfigKind};
use netcl::__private::kernels::ops::{self, ArgKind};
use netcl::__private::kernels::philox;
use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::{DType, Device, Error, Operand, Result, Seed, Target, Tensor};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many calls of each operation and layer are tried.
fn calls() -> usize {
    std::env::var("NETCL_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

/// Sizes of small tensors, some of which go together.
const SHAPES: [&[usize]; 14] = [
    &[],
    &[0],
    &[1],
    &[3],
    &[2, 3],
    &[3, 2],
    &[3, 3],
    &[2, 0, 3],
    &[2, 3, 4],
    &[1, 3, 1],
    &[2, 3, 4, 4],
    &[3, 3, 2, 2],
    &[2, 2, 3, 1, 2],
    &[1; 9],
];
/// For devices that compute nothing.
const HUGE: [&[usize]; 6] =
    [&[1 << 31], &[1 << 40], &[1 << 20, 1 << 20], &[3, 1 << 31, 2], &[1 << 61], &[1, 1 << 16, 1 << 8, 1 << 8]];

/// Drawn again from the same number, calls are the same.
struct Draw {
    stream: u32,
    next: u64,
}

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.next += 1;
        ((u64::from(philox::word(5, self.stream, self.next)) * count as u64) >> 32) as usize
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Small whole numbers, and for devices that compute nothing those at which arithmetic ends.
    fn integer(&mut self, odd: bool) -> i64 {
        let odds = [i64::MIN, i64::MAX, i64::MIN + 1, 1 << 31, -(1 << 31), 1 << 62, u32::MAX.into(), 1 << 40];
        if odd && self.below(3) == 0 { self.of(&odds) } else { self.below(8) as i64 - 2 }
    }

    fn integers(&mut self, odd: bool) -> Vec<i64> {
        (0..self.below(5)).map(|_| self.integer(odd)).collect()
    }

    fn number(&mut self) -> f64 {
        self.of(&[0.0, -0.0, 1.0, 0.3, -2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, 5e-324, 4e9])
    }

    /// Mostly of one type, so that operands go together now and then.
    fn tensor(&mut self, device: &Device, odd: bool) -> Result<Tensor> {
        let shape = if odd && self.below(4) == 0 { self.of(&HUGE) } else { self.of(&SHAPES) };
        let dtype = if self.below(3) > 0 { DType::F32 } else { self.of(&DType::ALL) };
        Tensor::zeros(device, shape, dtype)
    }

    fn given(&mut self, kind: ArgKind, device: &Device, odd: bool) -> Result<Given> {
        let kinds = [
            ArgKind::Tensor,
            ArgKind::Tensors,
            ArgKind::Axis,
            ArgKind::Axes,
            ArgKind::Number,
            ArgKind::Scalar,
            ArgKind::Bool,
            ArgKind::Text,
            ArgKind::DType,
        ];
        let kind = if self.below(12) == 0 { self.of(&kinds) } else { kind };
        Ok(match kind {
            ArgKind::Tensor if self.below(6) == 0 => Given::Number(self.number()),
            ArgKind::Tensor => Given::Tensor(self.tensor(device, odd)?),
            ArgKind::Tensors => {
                Given::Tensors((0..self.below(4)).map(|_| self.tensor(device, odd)).collect::<Result<_>>()?)
            }
            ArgKind::Axis | ArgKind::Size => Given::Integer(self.integer(odd)),
            ArgKind::Axes | ArgKind::Sizes => Given::Integers(self.integers(odd)),
            ArgKind::Scalar if self.below(3) == 0 => Given::Tensor(self.tensor(device, odd)?),
            ArgKind::Number | ArgKind::Scalar => Given::Number(self.number()),
            ArgKind::Bool => Given::Bool(self.below(2) == 0),
            ArgKind::Text => Given::Text(self.of(&[
                "",
                "ij->ji",
                "ij,jk->ik",
                "...i,i",
                "ii",
                "i,j->",
                "a->aa",
                ",,",
                "->",
                "i->..",
                "é",
                "i...,...",
            ])),
            ArgKind::DType => Given::DType(self.of(&DType::ALL)),
        })
    }

    fn setting(&mut self, kind: ConfigKind, odd: bool) -> ConfigValue {
        let size = |draw: &mut Draw| draw.integer(odd) as u64;
        let kinds = [ConfigKind::Size, ConfigKind::Pair, ConfigKind::Number, ConfigKind::Bool];
        let kind = if self.below(12) == 0 { self.of(&kinds) } else { kind };
        match kind {
            ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count if self.below(12) == 0 => {
                ConfigValue::of(Dim::constant(self.integer(odd)))
            }
            ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count => ConfigValue::Size(size(self)),
            ConfigKind::Pair => ConfigValue::Pair([size(self), size(self)]),
            ConfigKind::Number => ConfigValue::Number(self.number()),
            ConfigKind::Bool => ConfigValue::Bool(self.below(2) == 0),
        }
    }
}

/// An operand.
#[derive(Debug)]
enum Given {
    Tensor(Tensor),
    Tensors(Vec<Tensor>),
    Number(f64),
    Integer(i64),
    Integers(Vec<i64>),
    Bool(bool),
    Text(&'static str),
    DType(DType),
}

/// The result's shape and type, or what the error says.
type Outcome = Result<(Vec<usize>, DType), String>;

fn outcome(result: Result<Tensor>) -> Outcome {
    result.map(|tensor| (tensor.shape().to_vec(), tensor.dtype())).map_err(|error| error.to_string())
}

fn apply(name: &str, x: &Tensor, others: &[Given]) -> Result<Tensor> {
    let lists: Vec<Vec<&Tensor>> = others
        .iter()
        .map(|given| if let Given::Tensors(list) = given { list.iter().collect() } else { Vec::new() })
        .collect();
    let operands: Vec<Operand<'_>> = others
        .iter()
        .zip(&lists)
        .map(|(given, list)| match given {
            Given::Tensor(tensor) => Operand::Tensor(tensor),
            Given::Tensors(_) => Operand::Tensors(list),
            Given::Number(number) => Operand::Number(*number),
            Given::Integer(integer) => Operand::Integer(*integer),
            Given::Integers(list) => Operand::Integers(list),
            Given::Bool(truth) => Operand::Bool(*truth),
            Given::Text(text) => Operand::Text(text),
            Given::DType(dtype) => Operand::DType(*dtype),
        })
        .collect();
    x.apply(name, &operands).check()
}

/// What became of all calls on the device, each with how it can be told.
fn operations(device: &Device, odd: bool) -> Vec<(String, Outcome)> {
    let mut outcomes = Vec::new();
    for (stream, operation) in ops::all().enumerate() {
        let mut draw = Draw { stream: stream as u32, next: 0 };
        for _ in 0..calls() {
            // No memory could be as large as some tensors: those are errors already.
            let Ok(x) = draw.tensor(device, odd) else { continue };
            let count = operation.args.len() - 1 + usize::from(draw.below(20) == 0);
            let kinds = operation.args[1..].iter().map(|arg| arg.kind).chain([ArgKind::Tensor]);
            let others: Result<Vec<Given>> = kinds.take(count).map(|kind| draw.given(kind, device, odd)).collect();
            let Ok(others) = others else { continue };
            tried(&mut outcomes, &format!("{:?}.{}({others:?})", x, operation.name), || {
                apply(operation.name, &x, &others)
            });
        }
    }
    outcomes
}

fn layers(device: &Device, odd: bool) -> Vec<(String, Outcome)> {
    let mut outcomes = Vec::new();
    for (stream, layer) in layers::all().iter().enumerate() {
        let mut draw = Draw { stream: 1000 + stream as u32, next: 0 };
        for _ in 0..calls() {
            let mut settings = Vec::new();
            for key in layer.config {
                if key.default.is_none() || draw.below(2) == 0 {
                    settings.push((key.name, draw.setting(key.kind, odd)));
                }
            }
            let inputs: Result<Vec<Tensor>> = (0..layer.inputs).map(|_| draw.tensor(device, odd)).collect();
            let mode = draw.of(&[Mode::Training, Mode::Inference]);
            let Ok(inputs) = inputs else { continue };
            tried(&mut outcomes, &format!("{} {settings:?} of {inputs:?}, {mode:?}", layer.name), || {
                let layer = Layer::new(device, Seed(1), layer.name, &settings)?;
                layer.forward(&inputs.iter().collect::<Vec<_>>(), mode).check()
            });
        }
    }
    outcomes
}

fn tried(outcomes: &mut Vec<(String, Outcome)>, call: &str, run: impl FnOnce() -> Result<Tensor>) {
    let Ok(result) = catch_unwind(AssertUnwindSafe(run)) else { panic!("{call} panics") };
    if let Err(error) = &result {
        // What a user can write is never said to be netcl's own defect, or the driver's.
        let ours = matches!(error, Error::Plan { .. } | Error::Build { .. } | Error::Driver { .. });
        let text = error.to_string();
        assert!(!ours && !text.contains("internal error") && text.len() > 20, "{call}: {text}");
    }
    outcomes.push((call.to_owned(), outcome(result)));
}

/// Sizes at which arithmetic ends, where nothing is computed.
#[test]
fn nothing_panics_and_errors_say_something() {
    for target in Target::ALL {
        let device = Device::null(target, u64::MAX);
        let outcomes = [operations(&device, true), layers(&device, true)].concat();
        let errors = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).count();
        // Else the calls show nothing.
        assert!(errors > outcomes.len() / 10 && errors < outcomes.len() * 9 / 10, "{errors} of {}", outcomes.len());
    }
}

/// What is computed on the host has the shape and type that is planned elsewhere, and is an error where that is one.
#[test]
fn the_host_agrees_on_what_is_wrong() {
    let of = |device: &Device| [operations(device, false), layers(device, false)].concat();
    let planned = of(&Device::null(Target::Cpu, u64::MAX));
    let computed = of(&Device::host());
    assert_eq!(planned.len(), computed.len());
    for ((call, planned), (_, computed)) in planned.into_iter().zip(computed) {
        match (planned, computed) {
            (Ok(planned), Ok(computed)) => assert_eq!(planned, computed, "{call}"),
            (Err(_), Err(_)) => {}
            (planned, computed) => panic!("{call}: planned {planned:?}, computed {computed:?}"),
        }
    }
}

/// Settings that mean nothing, where another value of the same type is one.
#[test]
fn settings_that_mean_nothing_are_refused() {
    use netcl::select::{Elementwise, Task, TuneOptions};
    let device = Device::host();
    let task = Task::Elementwise(Elementwise { elements: 4, reads: u32::MAX, dtype: DType::F32 });
    let error = device.tune(&task, &TuneOptions::quick()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("4294967295") && error.contains("at most 64"), "{error}");
    let x = Tensor::from_slice(&device, &[0.5f32], &[1]).unwrap();
    let error = netcl::algorithms::histogram(&x, 2, -f32::MAX, f32::MAX).unwrap_err().to_string();
    assert!(error.contains("have no size in f32"), "{error}");
    assert_eq!(
        Device::select(" HOST").map(|device| device.profile().name.clone()).ok(),
        Some(device.profile().name.clone())
    );
}
