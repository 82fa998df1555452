//! Trying a configuration on a device: building it alone, comparing its numbers with the host's, timing it.

mod bodies;
mod draw;
mod exact;
mod fault;
mod numbers;
mod operands;
mod room;
mod rows;
mod run;
mod samples;
mod self_test;
mod small;

use super::bench::{Bench, Rejection, Runner};
use super::state::DeviceSelector;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Loaded, Tier, verified};
use crate::tensor::Tensor;
pub(super) use bodies::test_name;
use netcl_kernels::compile::{CompileOptions, compile, compile_with};
use netcl_kernels::dim::IndexWidth;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::span::Diagnostic;
use netcl_kernels::variant::{self, Always, KernelConfig, Task};
use run::{operand_tensors, run, values};
use samples::Samples;
pub(super) use self_test::{Verdict, self_test, self_tests, wants_test};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the host computes in full to compare with: a tenth of a second of its matrix library's time, and a few hundred
/// megabytes of its memory.
const WHOLE: small::Extent = small::Extent { operations: 1 << 33, elements: 1 << 25 };

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
    reference: Reference,
}

/// What must come out.
enum Reference {
    /// Of a device that computes nothing there are no numbers.
    None,
    /// All that the host computes.
    Whole(Vec<f64>),
    /// Parts of what would take the host too long.
    Samples(Box<Samples>),
}

impl Case {
    /// The operands alone.
    fn without_reference(device: &Device, task: &Task<u64>) -> Result<Case> {
        let graph = variant::graph(task);
        room::elements(device, task, &graph)?;
        let operands = Arc::new(operand_tensors(device, task, &graph)?);
        Ok(Case { device: device.clone(), task: task.clone(), graph, operands, reference: Reference::None })
    }

    /// With what the host computes.
    fn new(device: &Device, task: &Task<u64>) -> Result<Case> {
        let mut case = Case::without_reference(device, task)?;
        let host = Device::host();
        let plan = compile(&case.graph, Target::Host).map_err(|problem| Error::graph("reference", problem))?;
        let loaded = Loaded::fixed(&host, verified(plan)?)?;
        case.reference = Reference::Whole(values(&run(&loaded, &operand_tensors(&host, task, &case.graph)?)?)?);
        Ok(case)
    }

    /// With samples of what must come out.
    fn sampled(device: &Device, task: &Task<u64>) -> Result<Case> {
        let mut case = Case::without_reference(device, task)?;
        let result = case.graph.outputs.first().and_then(|(_, result)| case.graph[*result].shape.evaluate(&[]));
        let elements = result.map_or(0, |sizes| sizes.into_iter().product::<usize>());
        case.reference = Reference::Samples(Box::new(Samples::new(task, elements as u64)));
        Ok(case)
    }

    /// Builds the configuration for this task alone.
    fn load(&self, state: &DeviceSelector, config: &KernelConfig) -> Result<Loaded, Rejection> {
        self.load_tier(state, config, Tier::Last)
    }

    /// As [`Case::load`], of that tier.
    fn load_tier(&self, state: &DeviceSelector, config: &KernelConfig, tier: Tier) -> Result<Loaded, Rejection> {
        let plan = self.plan(state, config)?;
        verified(plan)
            .and_then(|plan| Loaded::of_tier(&self.device, plan, tier))
            .map_err(|error| fault::of(&self.device, error))
    }

    /// Compiles the configuration for this task alone.
    fn plan(&self, state: &DeviceSelector, config: &KernelConfig) -> Result<Plan, Rejection> {
        let target = self.device.profile().target;
        let options = CompileOptions {
            limits: state.circumstances.limits,
            select: &Always(config.clone()),
            width: IndexWidth::Narrow,
        };
        // What the compiler refuses, it refuses for this size: the driver has seen nothing of it.
        let unmeasured = |problem: Diagnostic| Rejection::Unmeasured(problem.to_string());
        let mut plan = compile_with(&self.graph, target, &options).map_err(unmeasured)?;
        let taken = plan.decisions.iter().any(|decision| {
            decision.config == *config && decision.task.evaluate(&[]).is_ok_and(|task| task == self.task)
        });
        if !taken {
            return Err(Rejection::Unmeasured("the compiler does not take it for this task".to_owned()));
        }
        state.altered(config, &mut plan);
        Ok(plan)
    }

    fn check(&mut self, found: &Tensor) -> Result<(), Rejection> {
        let bytes = || found.to_bytes().map_err(|error| fault::of(&self.device, error));
        match &mut self.reference {
            Reference::None => Ok(()),
            Reference::Whole(expected) => {
                numbers::compare(&self.task, &numbers::numbers(&bytes()?, found.dtype()), expected, found.dtype())
            }
            Reference::Samples(samples) => samples.check(bytes()?, found.dtype()),
        }
        .map_err(Rejection::Wrong)
    }
}

/// The candidates of one task on a device, for the tuner.
pub(super) struct DeviceBench<'a> {
    state: &'a DeviceSelector,
    whole: Case,
    /// A smaller task that the host computes in full, where the whole would take it too long.
    part: Option<Case>,
}

impl<'a> DeviceBench<'a> {
    pub(super) fn new(state: &'a DeviceSelector, device: &Device, task: &Task<u64>) -> Result<DeviceBench<'a>> {
        let device = state.trial_queue(device);
        if !state.computes() {
            return Ok(DeviceBench { state, whole: Case::without_reference(&device, task)?, part: None });
        }
        // What there is no room for takes no time to refuse.
        room::elements(&device, task, &variant::graph(task))?;
        let part = small::reduced(task, &WHOLE);
        if part.as_ref() == Some(task) {
            return Ok(DeviceBench { state, whole: Case::new(&device, task)?, part: None });
        }
        let part = part.map(|part| Case::new(&device, &part)).transpose()?;
        Ok(DeviceBench { state, whole: Case::sampled(&device, task)?, part })
    }
}

impl Bench for DeviceBench<'_> {
    fn prepare(&mut self, config: &KernelConfig) -> Result<Box<dyn Runner>, Rejection> {
        if let Some(part) = &mut self.part {
            let loaded = part.load(self.state, config)?;
            let result = run(&loaded, &part.operands).map_err(|error| fault::of(&part.device, error))?;
            part.check(&result)?;
        }
        let whole = &mut self.whole;
        let device = whole.device.clone();
        let rejection = |error| fault::of(&device, error);
        let loaded = whole.load(self.state, config)?;
        let result = run(&loaded, &whole.operands).map_err(rejection)?;
        whole.device.finish().map_err(rejection)?;
        whole.check(&result)?;
        drop(result);
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
        self.measure().map_err(|error| fault::of(&self.device, error))
    }
}

#[cfg(test)]
mod tests {
    use super::exact::Exact;
    use super::*;
    use crate::select::testing::{conv, product};
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::{AttentionKind, ConvKind, ReduceOp};
    use netcl_kernels::template::Axis;
    use netcl_kernels::variant::{AttentionTask, BatchNorm, Conv2dTask, Elementwise, Product, Recurrence, Reduction};

    /// Every family with every type, reductions with every operation along either axis; small, and long sums.
    fn tasks() -> Vec<Task<u64>> {
        use DType::{BF16, F16, F32, F64, I32, I64, U8, U32};
        let mut tasks = Vec::new();
        let Task::Product(dense) = small::small(&product(64, 64, 64), false) else { unreachable!() };
        let Task::Conv2d(own) = small::small(&conv(8, 8, 8, 3), false) else { unreachable!() };
        for dtype in [F16, BF16, F32, F64] {
            tasks.push(Task::Product(Product { dtype, ..dense.clone() }));
            tasks.push(Task::Product(Product { dtype, m: 40, n: 40, k: 5000, ..dense.clone() }));
            for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
                tasks.push(Task::Conv2d(Conv2dTask { kind, dtype, ..own.clone() }));
            }
            tasks.push(Task::BatchNorm(BatchNorm { images: 5, channels: 7, pixels: 66, dtype }));
            tasks.push(Task::Recurrence(Recurrence { rows: 37, width: 21, rounds: 11, dtype }));
        }
        for kind in AttentionKind::ALL {
            for (dtype, causal) in [(F16, true), (BF16, false)] {
                let (queries, keys, width, value_width) = (11, 13, 16, 8);
                tasks.push(Task::Attention(AttentionTask {
                    kind,
                    batch: 2,
                    queries,
                    keys,
                    width,
                    value_width,
                    causal,
                    dtype,
                }));
            }
        }
        for dtype in [F16, BF16, F32, F64, I32, I64, U8, U32] {
            tasks.push(Task::Elementwise(Elementwise { elements: 1037, reads: 2, dtype }));
            for op in ReduceOp::ALL {
                for contiguous in [true, false] {
                    tasks.push(Task::Reduction(Reduction { rows: 37, columns: 2500, contiguous, op, dtype }));
                }
            }
        }
        tasks
    }

    /// The operand without the last element of each sum, or where an element takes part in several, without its last one.
    fn without_the_last(task: &Task<u64>, bytes: &mut [u8], size: usize) {
        let mut zero = |position: u64| bytes[position as usize * size..][..size].fill(0);
        match task {
            Task::Product(own) => (1..=own.batch * own.m).for_each(|row| zero(row * own.k - 1)),
            Task::Reduction(own) if own.contiguous => (1..=own.rows).for_each(|row| zero(row * own.columns - 1)),
            Task::Reduction(own) => (0..own.rows).for_each(|row| zero((own.columns - 1) * own.rows + row)),
            _ => zero(bytes_len(task) - 1),
        }
    }

    fn bytes_len(task: &Task<u64>) -> u64 {
        let shape = variant::graph(task).nodes[0].shape.evaluate(&[]).unwrap();
        shape.into_iter().product::<usize>() as u64
    }

    fn by_definition(task: &Task<u64>, elements: usize) -> Vec<f64> {
        let mut exact = Exact::new(task);
        (0..elements as u64).map(|position| exact.element(position)).collect()
    }

    #[test]
    fn operands_of_every_layout_and_windows_of_every_kind_are_those_of_the_definition() {
        let mut tasks = Vec::new();
        let Task::Product(product) = product(9, 7, 11) else { unreachable!() };
        for a in [Axis::K, Axis::Outer, Axis::None] {
            for b in [Axis::K, Axis::Outer, Axis::None] {
                tasks.push(Task::Product(Product { a, b, aligned: false, batch: 2, ..product.clone() }));
            }
        }
        let Task::Conv2d(conv) = conv(2, 4, 9, 3) else { unreachable!() };
        let [stride, padding, dilation, size] = [[2, 1], [0, 2], [1, 2], [9, 8]];
        for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
            let windows = Conv2dTask { kind, stride, padding, dilation, size, out_channels: 6, ..conv.clone() };
            tasks.push(Task::Conv2d(Conv2dTask { groups: 2, ..windows.clone() }));
            tasks.push(Task::Conv2d(windows));
        }
        for task in tasks {
            let Reference::Whole(expected) = Case::new(&Device::host(), &task).unwrap().reference else {
                unreachable!()
            };
            let own = by_definition(&task, expected.len());
            assert_eq!(numbers::compare(&task, &own, &expected, DType::F32), Ok(()), "{task}");
        }
    }

    #[test]
    fn an_element_that_is_left_out_shows_in_every_operation_and_type() {
        let host = Device::host();
        for task in tasks() {
            let graph = variant::graph(&task);
            let plan = compile(&graph, Target::Host).unwrap();
            let loaded = Loaded::fixed(&host, verified(plan).unwrap()).unwrap();
            let whole = operand_tensors(&host, &task, &graph).unwrap();
            let result = run(&loaded, &whole).unwrap();
            let expected = values(&result).unwrap();
            let check = |found: &[f64]| numbers::compare(&task, found, &expected, result.dtype());
            assert_eq!(check(&expected), Ok(()), "{task}");
            assert_eq!(check(&by_definition(&task, expected.len())), Ok(()), "{task}: by its definition");

            let mut bytes = whole[0].to_bytes().unwrap();
            without_the_last(&task, &mut bytes, whole[0].dtype().size());
            let mut less = whole.clone();
            less[0] = Tensor::from_bytes(&host, &bytes, whole[0].shape(), whole[0].dtype()).unwrap();
            assert!(check(&values(&run(&loaded, &less).unwrap()).unwrap()).is_err(), "{task}: one is missing");
            assert!(check(&vec![0.0; expected.len()]).is_err(), "{task}: nothing is computed");
        }
    }
}
