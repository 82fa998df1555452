//! Trying a configuration on a device: building it alone, comparing its numbers with the host's, timing it.

mod numbers;
mod small;

use super::state::State;
use super::tuner::{Bench, Rejection, Runner};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, Loaded};
use crate::jit;
use crate::tensor::Tensor;
use netcl_kernels::compile::{Options, compile, compile_with};
use netcl_kernels::graph::{Graph, InputKind, Op};
use netcl_kernels::plan::{ConvKind, Target};
use netcl_kernels::variant::{self, Always, Family, KernelConfig, Task, candidates, default_config, legal};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the host computes in full to compare with: a tenth of a second of its matrix library's time.
const WHOLE: u64 = 1 << 33;

/// Runs are repeated until a sample takes about this long: clocks and queues have their own noise, and a processor's
/// threads that sleep between launches join some of them late.
const SAMPLE: Duration = Duration::from_millis(4);
const REPEATS: u32 = 400;

/// A task with operands on a device, and what must come out.
struct Case {
    device: Device,
    task: Task<u64>,
    graph: Graph,
    operands: Arc<Vec<Tensor>>,
    /// Of a device that computes nothing there are no numbers.
    expected: Option<Vec<f64>>,
}

impl Case {
    /// The operands alone.
    fn without_reference(device: &Device, task: &Task<u64>) -> Result<Case> {
        let graph = variant::graph(task);
        let operands = Arc::new(operands(device, task, &graph)?);
        Ok(Case { device: device.clone(), task: task.clone(), graph, operands, expected: None })
    }

    /// With what the host computes.
    fn new(device: &Device, task: &Task<u64>) -> Result<Case> {
        let mut case = Case::without_reference(device, task)?;
        let host = Device::host();
        let plan = compile(&case.graph, Target::Host).map_err(|problem| jit::failed("reference", problem))?;
        let loaded = Loaded::fixed(&host, Arc::new(plan))?;
        case.expected = Some(values(&run(&loaded, &operands(&host, task, &case.graph)?)?)?);
        Ok(case)
    }

    /// Builds the configuration for this task alone.
    fn load(&self, state: &State, config: &KernelConfig) -> Result<Loaded, Rejection> {
        let target = self.device.profile().target;
        let options = Options { limits: state.circumstances.limits, select: &Always(config.clone()) };
        let mut plan = compile_with(&self.graph, target, &options).map_err(|problem| fails(problem.to_string()))?;
        let taken = plan.decisions.iter().any(|decision| {
            decision.config == *config && decision.task.evaluate(&[]).is_ok_and(|task| task == self.task)
        });
        if !taken {
            return Err(Rejection::Unmeasured("the compiler does not take it for this task".to_owned()));
        }
        state.altered(config, &mut plan);
        Loaded::fixed(&self.device, Arc::new(plan)).map_err(rejection)
    }

    fn check(&self, found: &Tensor) -> Result<(), Rejection> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let found_values = values(found).map_err(rejection)?;
        numbers::compare(&self.task, &found_values, expected, found.dtype()).map_err(Rejection::Wrong)
    }
}

fn operands(device: &Device, task: &Task<u64>, graph: &Graph) -> Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    for (_, node) in graph.iter() {
        if let Op::Input(InputKind::Argument(position)) = node.op {
            let shape = node.shape.evaluate(&[]).ok_or_else(|| Error::Plan {
                function: task.to_string(),
                problem: format!("operand {position} of shape {} is larger than memory can be", node.shape),
            })?;
            let elements = crate::tensor::element_count("tune", &shape)?;
            let bytes = numbers::operand(task, position, elements, node.dtype);
            tensors.push(Tensor::from_bytes(device, &bytes, &shape, node.dtype)?);
        }
    }
    Ok(tensors)
}

fn run(loaded: &Loaded, operands: &[Tensor]) -> Result<Tensor> {
    let args: Vec<&Tensor> = operands.iter().collect();
    let problem = || Error::Plan { function: "task".to_owned(), problem: "it has no operand or no result".to_owned() };
    let device = operands.first().ok_or_else(problem)?.device();
    let results = loaded.call(device, &Call { args: &args, ..Call::default() })?.results;
    results.into_iter().next().ok_or_else(problem)
}

fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(numbers::numbers(&tensor.to_bytes()?, tensor.dtype()))
}

fn fails(why: String) -> Rejection {
    Rejection::Fails(why)
}

/// Only what is certainly the kernel's own fault counts against it, because that is remembered: a device that is lost, or
/// that another kernel has brought into disorder, says nothing about this one.
fn rejection(error: Error) -> Rejection {
    match error {
        Error::Build { .. } | Error::Unsupported { .. } | Error::Plan { .. } | Error::Kernel { .. } => {
            Rejection::Fails(error.to_string())
        }
        Error::Driver { ref code, .. } if LAUNCH_FAULTS.iter().any(|fault| code.contains(fault)) => {
            Rejection::Fails(error.to_string())
        }
        error => Rejection::Unmeasured(error.to_string()),
    }
}

/// What a driver says of a launch that the kernel or its geometry makes impossible (OpenCL 5.10).
const LAUNCH_FAULTS: &[&str] = &["CL_INVALID_WORK_", "CL_INVALID_KERNEL", "CL_INVALID_GLOBAL_WORK_SIZE"];

/// What went wrong before any kernel of the candidate was involved.
fn unmeasured(error: Error) -> Rejection {
    Rejection::Unmeasured(error.to_string())
}

/// The candidates of one task on a device, for the tuner.
pub(super) struct DeviceBench<'a> {
    state: &'a State,
    whole: Case,
    /// What is compared with the host instead of the whole, where that would take it too long. The first candidate that is
    /// right there is what the others are compared with on the whole.
    part: Option<Case>,
}

impl<'a> DeviceBench<'a> {
    pub(super) fn new(state: &'a State, device: &Device, task: &Task<u64>) -> Result<DeviceBench<'a>> {
        let device = state.bench(device);
        let part_task = small::reduced(task, WHOLE);
        if !state.computes() {
            return Ok(DeviceBench { state, whole: Case::without_reference(&device, task)?, part: None });
        }
        if part_task == *task {
            return Ok(DeviceBench { state, whole: Case::new(&device, task)?, part: None });
        }
        let whole = Case::without_reference(&device, task)?;
        Ok(DeviceBench { state, whole, part: Some(Case::new(&device, &part_task)?) })
    }
}

impl Bench for DeviceBench<'_> {
    fn prepare(&mut self, config: &KernelConfig) -> Result<Box<dyn Runner>, Rejection> {
        if let Some(part) = &self.part {
            let loaded = part.load(self.state, config)?;
            part.check(&run(&loaded, &part.operands).map_err(rejection)?)?;
        }
        let whole = &mut self.whole;
        let loaded = whole.load(self.state, config)?;
        let result = run(&loaded, &whole.operands).map_err(rejection)?;
        whole.device.finish().map_err(rejection)?;
        whole.check(&result)?;
        if whole.expected.is_none() && self.part.is_some() {
            whole.expected = Some(values(&result).map_err(rejection)?);
        }
        let mut runner =
            DeviceRunner { device: whole.device.clone(), loaded, operands: whole.operands.clone(), repeats: 1 };
        // A second run has no first-use cost left, and tells how often to repeat.
        let once = runner.time()?.max(Duration::from_nanos(100));
        runner.repeats = (SAMPLE.as_nanos() / once.as_nanos()).clamp(1, REPEATS.into()) as u32;
        Ok(Box::new(runner))
    }
}

struct DeviceRunner {
    device: Device,
    loaded: Loaded,
    operands: Arc<Vec<Tensor>>,
    repeats: u32,
}

impl DeviceRunner {
    /// By the device's clock; by the host's where the device has none.
    fn measure(&self) -> Result<Duration> {
        self.device.finish()?;
        let before = self.device.record_event()?;
        let started = Instant::now();
        for _ in 0..self.repeats {
            run(&self.loaded, &self.operands)?;
        }
        let after = self.device.record_event()?;
        self.device.finish()?;
        let host = started.elapsed();
        let on_device = before.times().zip(after.times());
        let on_device = on_device.and_then(|(before, after)| after.ended.checked_sub(before.ended));
        let time = on_device.filter(|time| *time > 0).map_or(host, Duration::from_nanos);
        Ok(time / self.repeats)
    }
}

impl Runner for DeviceRunner {
    fn time(&mut self) -> Result<Duration, Rejection> {
        self.measure().map_err(rejection)
    }
}

/// How a self-test ended.
pub(super) enum Verdict {
    Passed,
    /// The variant is not to be used; why.
    Failed(String),
    /// It could not be made; why.
    Unknown(String),
}

/// Whether a variant has to be tested before it is used: templates, and what the compiler does not do by itself.
pub(super) fn wants_test(task: &Task<u64>, config: &KernelConfig, target: Target) -> bool {
    match task.family() {
        Family::Product | Family::Conv2d => true,
        _ => default_config(task, target, &variant::typical(target)).variant != config.variant,
    }
}

/// What a self-test stands for: a variant with a type of elements, and of convolutions which of the three.
pub(super) fn test_name(task: &Task<u64>, config: &KernelConfig) -> String {
    let (dtype, kind) = match task {
        Task::Product(task) => (task.dtype, ""),
        Task::Conv2d(task) => match task.kind {
            ConvKind::Forward => (task.dtype, " forward"),
            ConvKind::InputGrad => (task.dtype, " input_grad"),
            ConvKind::WeightGrad => (task.dtype, " weight_grad"),
        },
        Task::Elementwise(task) => (task.dtype, ""),
        Task::Reduction(task) => (task.dtype, ""),
        Task::BatchNorm(task) => (task.dtype, ""),
    };
    format!("{} {dtype}{kind}", config.variant)
}

/// Tries a configuration on a small shape.
pub(super) fn self_test(state: &State, device: &Device, task: &Task<u64>, config: &KernelConfig) -> Verdict {
    let started = Instant::now();
    let task = small::small(task);
    let (target, limits) = (device.profile().target, &state.circumstances.limits);
    let config = if legal(config, &task, target, limits).is_ok() {
        config.clone()
    } else {
        // Tunables that the small shape does not take say nothing about it.
        let all = candidates(&task, target, limits);
        match all.into_iter().find(|own| own.variant == config.variant) {
            Some(config) => config,
            None => return Verdict::Unknown("the variant cannot compute a small shape".to_owned()),
        }
    };
    let bench = state.bench(device);
    let outcome = Case::new(&bench, &task).map_err(unmeasured).and_then(|case| {
        let loaded = case.load(state, &config)?;
        case.check(&run(&loaded, &case.operands).map_err(rejection)?)
    });
    tracing::debug!(config = %config, milliseconds = started.elapsed().as_millis() as u64, "kernel tested");
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(Rejection::Wrong(why)) => Verdict::Failed(format!("its numbers are wrong: {why}")),
        Err(Rejection::Fails(why)) => Verdict::Failed(why),
        Err(Rejection::Unmeasured(why)) => Verdict::Unknown(why),
    }
}
