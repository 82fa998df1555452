//! Loops in one kernel, run by the interpreter of kernels, against the graph's own meaning.

use super::decide::CompileOptions;
use super::made::{Around, made};
use super::plan_builder::Collected;
use crate::autodiff::{Arguments, append_gradients};
use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::{DType, Literal};
use crate::fuse::legalize::legalize;
use crate::graph::build::Builder;
use crate::graph::interp::{HostTensor, Precision, evaluate};
use crate::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use crate::kir::interp::{Bytes, CompiledKernel, LaunchArg, Slice, ops};
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Kernel, ParamKind};
use crate::plan::memory::visit_buffers;
use crate::plan::{Arg, Role, Step, Work};
use crate::rewrite::as_sums;
use crate::target::Target;
use crate::variant::{Always, KernelConfig, Variant, typical};
use std::cell::Cell;

const F64: DType = DType::F64;

/// What a graph becomes on that kind of device, with its loops in one kernel; sums in place of its products.
fn compiled(graph: &Graph, target: Target) -> Collected {
    let select = Always(KernelConfig::plain(Variant::RecurrenceOneKernel));
    let options = CompileOptions { limits: typical(target), select: &select, ..CompileOptions::typical(target) };
    let graph = legalize(&as_sums(graph).unwrap().0, target).unwrap();
    made(graph, target, &options, Around::Nothing, &Cell::new(false)).unwrap()
}

/// Runs the steps in `range`, of which loops repeat some.
struct Machine {
    collected: Collected,
    kernels: Vec<Kernel>,
    buffers: Vec<Bytes>,
    launches: usize,
}

impl Machine {
    fn new(mut collected: Collected, bindings: &[(Symbol, u64)], inputs: &[Vec<f64>]) -> Machine {
        let kernels = std::mem::take(&mut collected.kernels).loops();
        let buffers = collected.buffers.iter().map(|buffer| match buffer.role {
            Role::Argument(position) => Bytes::of(Slice::F64(&inputs[position])),
            _ => {
                let elements: usize = buffer.shape.evaluate(bindings).unwrap().iter().product();
                // What was there before must not show.
                match buffer.dtype {
                    F64 => Bytes::of(Slice::F64(&vec![f64::NAN; elements])),
                    dtype => Bytes::zeros(dtype, elements),
                }
            }
        });
        Machine { kernels, buffers: buffers.collect(), collected, launches: 0 }
    }

    fn run(&mut self, bindings: &[(Symbol, u64)]) {
        let mut position = 0;
        while position < self.collected.steps.len() {
            let repeat = self.collected.repeats.iter().find(|repeat| repeat.first == position).cloned();
            let Some(repeat) = repeat else {
                self.step(position, bindings);
                position += 1;
                continue;
            };
            assert!(repeat.inside.is_some() && repeat.carried.is_empty() && repeat.count == 1, "{repeat:?}");
            let length = repeat.length.evaluate(bindings).unwrap() as u64;
            for round in repeat.rounds(length) {
                let mut bindings = bindings.to_vec();
                bindings.push((repeat.step.clone(), round));
                self.step(position, &bindings);
            }
            if length == 0 {
                (repeat.steps().end..repeat.all().end).for_each(|position| self.step(position, bindings));
            }
            position = repeat.all().end;
        }
    }

    fn step(&mut self, position: usize, bindings: &[(Symbol, u64)]) {
        let step: &Step = &self.collected.steps[position];
        let Work::Kernel { entry, .. } = &step.work else { panic!("{step:?}") };
        let kernel = self.kernels.iter().find(|kernel| kernel.name == *entry).unwrap();
        if kernel.launch.global.iter().any(|size| size.evaluate(bindings) == Some(0)) {
            return;
        }
        let args = kernel.params.iter().zip(&step.args).map(|(param, arg)| match (arg, &param.kind) {
            (Arg::Buffer(id), ParamKind::Buffer(dtype, _)) => {
                assert_eq!(*dtype, self.collected.buffers[id.0 as usize].dtype);
                LaunchArg::Buffer(&self.buffers[id.0 as usize])
            }
            (Arg::Dim(dim), _) => LaunchArg::Scalar(Literal::Int(dim.evaluate(bindings).unwrap(), DType::I32)),
            other => panic!("{other:?}"),
        });
        let args: Vec<LaunchArg<'_>> = args.collect();
        visit_buffers(step, &mut |id| assert!(step.args.contains(&Arg::Buffer(id))));
        let verified = verify(kernel, &Capabilities::unlimited()).unwrap();
        CompiledKernel::new(&verified).launch(&args, bindings, ops::baseline).unwrap().run().unwrap();
        self.launches += 1;
    }
}

/// A graph with the sizes of its arguments.
struct Example {
    b: Builder,
    sizes: Vec<Vec<usize>>,
    bindings: Vec<(Symbol, u64)>,
}

impl Example {
    fn new(bindings: &[(&str, u64)]) -> Example {
        let bindings = bindings.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
        Example { b: Builder::new("example"), sizes: Vec::new(), bindings }
    }

    fn argument(&mut self, sizes: &[Dim]) -> NodeId {
        let (position, shape) = (self.sizes.len(), Shape(sizes.to_vec()));
        self.sizes.push(shape.evaluate(&self.bindings).unwrap());
        self.b.input(InputKind::Argument(position), &format!("x{position}"), shape, F64)
    }

    /// The part of `x [N, T, ..]` that the round `t` reads.
    fn part(&mut self, x: NodeId, t: &Dim) -> NodeId {
        let mut own = self.b.shape(x).clone();
        own.0.remove(1);
        let mut index: Vec<AxisIndex> = (0..own.rank()).map(AxisIndex::axis).collect();
        index.insert(1, AxisIndex::fixed(t.clone()));
        self.b.view(x, own, index).unwrap()
    }

    fn two(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        self.b.binary(op, a, b).unwrap()
    }

    /// The sum of squares of all, and its gradients, on both kinds of devices: the number of launches on a GPU.
    fn check(mut self, what: &str, results: &[NodeId]) -> usize {
        let mut loss = None;
        for result in results {
            let square = self.two(BinaryOp::Mul, *result, *result);
            let axes: Vec<usize> = (0..self.b.shape(square).rank()).collect();
            let sum = self.b.reduce(ReduceOp::Sum, square, &axes, false).unwrap();
            loss = Some(loss.map_or(sum, |loss| self.two(BinaryOp::Add, loss, sum)));
        }
        self.b.output(OutputKind::Result(0), loss.unwrap());
        for (position, result) in results.iter().enumerate() {
            self.b.output(OutputKind::Result(position + 1), *result);
        }
        let graph = append_gradients(self.b.finish(), Arguments::Floats).unwrap();
        let number = |argument: usize, at: usize| ((at * 37 + argument * 101 + 11) % 97) as f64 / 97.0 - 0.47;
        let inputs: Vec<Vec<f64>> = self
            .sizes
            .iter()
            .enumerate()
            .map(|(argument, sizes)| (0..sizes.iter().product()).map(|at| number(argument, at)).collect())
            .collect();
        let give = |kind: &InputKind, _: &str| match kind {
            InputKind::Argument(position) => HostTensor::from_f64(F64, &self.sizes[*position], &inputs[*position]).ok(),
            _ => None,
        };
        let expected = evaluate(&graph, &self.bindings, &give, Precision::F64).unwrap();
        let mut launches = 0;
        for target in [Target::Cpu, Target::Gpu] {
            let mut machine = Machine::new(compiled(&graph, target), &self.bindings, &inputs);
            machine.run(&self.bindings);
            for (kind, value) in &expected {
                let role = Role::Output(kind.clone());
                let at = machine.collected.buffers.iter().position(|buffer| buffer.role == role).unwrap();
                let found = machine.buffers[at].to_f64();
                for (at, (found, expected)) in found.iter().zip(value.to_f64()).enumerate() {
                    assert!(
                        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                        "{what}, {}: element {at} of {kind:?} is {found}, expected {expected}",
                        target.name()
                    );
                }
            }
            launches = machine.launches;
        }
        launches
    }
}

fn dims(sizes: &[&str]) -> Vec<Dim> {
    sizes.iter().map(|size| size.parse().map_or_else(|_| Dim::symbol(size), |size: i64| Dim::constant(size))).collect()
}

/// An LSTM, with a batch or without one; all of its states count.
fn lstm(rounds: u64, batch: u64, hidden: i64) -> usize {
    let [of_h, of_gates] = [hidden, 4 * hidden].map(|size| size.to_string());
    let (of_h, of_gates) = (of_h.as_str(), of_gates.as_str());
    let mut own = Example::new(&[("N", batch), ("T", rounds)]);
    let x = own.argument(&dims(&["N", "T", "3"]));
    let (w, u, bias) = (
        own.argument(&dims(&["3", of_gates])),
        own.argument(&dims(&[of_h, of_gates])),
        own.argument(&dims(&[of_gates])),
    );
    let (h, c) = (own.argument(&dims(&["N", of_h])), own.argument(&dims(&["N", of_h])));
    let draft = own.b.begin_scan("t", Dim::symbol("T"), &[h, c]);
    let x = own.part(x, &draft.round());
    let (x, h) = (own.b.matmul(x, w).unwrap(), own.b.matmul(draft.carried()[0], u).unwrap());
    let gates = own.two(BinaryOp::Add, x, h);
    let gates = own.two(BinaryOp::Add, gates, bias);
    let gate = |own: &mut Example, number: i64, op: UnaryOp| {
        let index =
            vec![AxisIndex::axis(0), AxisIndex { offset: Dim::constant(hidden * number), ..AxisIndex::axis(1) }];
        let part = own.b.view(gates, Shape(dims(&["N", of_h])), index).unwrap();
        own.b.unary(op, part).unwrap()
    };
    let sigmoid = |own: &mut Example, number| {
        let tanh = gate(own, number, UnaryOp::Tanh);
        let one = own.b.full(1.0, &Shape(dims(&["N", of_h])), F64);
        own.two(BinaryOp::Add, tanh, one)
    };
    let (i, f, o) = (sigmoid(&mut own, 0), sigmoid(&mut own, 1), sigmoid(&mut own, 3));
    let g = gate(&mut own, 2, UnaryOp::Tanh);
    let (kept, new) = (own.two(BinaryOp::Mul, f, draft.carried()[1]), own.two(BinaryOp::Mul, i, g));
    let half = own.b.full(0.45, &Shape(dims(&["N", of_h])), F64);
    let c = own.two(BinaryOp::Add, kept, new);
    let c = own.two(BinaryOp::Mul, c, half);
    let flat = own.b.unary(UnaryOp::Tanh, c).unwrap();
    let h = own.two(BinaryOp::Mul, o, flat);
    let results = own.b.end_scan(&draft, &[h, c], &[h]).unwrap();
    own.check(&format!("{rounds} rounds of {batch} with {hidden} hidden values"), &results)
}

#[test]
fn an_lstm_is_the_graphs_and_launches_do_not_grow_with_its_rounds() {
    let few = lstm(1, 3, 5);
    for (rounds, batch) in [(2, 1), (7, 3), (40, 2), (7, 300)] {
        assert_eq!(lstm(rounds, batch, 5), few, "{rounds} rounds");
    }
    // One element of the batch fills a work-group, and more than fills it.
    for hidden in [64, 70] {
        assert_eq!(lstm(3, 2, hidden), lstm(1, 1, hidden), "{hidden} hidden values");
    }
    // Two launches of each of the two loops.
    assert_eq!(lstm(1030, 1, 5), few + 2);
}

/// A matrix without a batch, of which each round reads what another work-item has written, and rounds from the second on: there may
/// be none.
#[test]
fn one_work_group_runs_what_no_axis_keeps_apart() {
    for rounds in [1, 2, 3, 9] {
        let mut own = Example::new(&[("T", rounds)]);
        let (x, start) = (own.argument(&dims(&["4", "T"])), own.argument(&dims(&["4", "4"])));
        let draft = own.b.begin_scan("t", Dim::symbol("T") - Dim::constant(1), &[start]);
        let x = own.part(x, &(draft.round() + Dim::constant(1)));
        let turned = own.b.transpose(draft.carried()[0]).unwrap();
        let product = own.b.matmul(turned, draft.carried()[0]).unwrap();
        let sum = own.two(BinaryOp::Add, product, x);
        let next = own.b.unary(UnaryOp::Tanh, sum).unwrap();
        let results = own.b.end_scan(&draft, &[next], &[]).unwrap();
        own.check(&format!("{rounds} columns"), &results);
    }
}

/// The batch is the last axis of one value and the first of another, a sum over the others is carried, and a row is an element.
#[test]
fn the_batch_is_found_wherever_it_stands() {
    for batch in [1, 5, 270] {
        let mut own = Example::new(&[("N", batch), ("T", 6)]);
        let x = own.argument(&dims(&["N", "T", "3"]));
        let (a, s) = (own.argument(&dims(&["3", "N"])), own.argument(&dims(&["N"])));
        let draft = own.b.begin_scan("t", Dim::symbol("T"), &[a, s]);
        let x = own.part(x, &draft.round());
        let turned = own.b.transpose(x).unwrap();
        let a = own.two(BinaryOp::Mul, draft.carried()[0], turned);
        let one = own.b.full(0.9, &Shape(dims(&["3", "N"])), F64);
        let a = own.two(BinaryOp::Add, a, one);
        let sum = own.b.reduce(ReduceOp::Sum, a, &[0], false).unwrap();
        let number = own.b.dim(&draft.round(), F64).unwrap();
        let sum = own.two(BinaryOp::Mul, sum, number);
        let s = own.two(BinaryOp::Sub, sum, draft.carried()[1]);
        let results = own.b.end_scan(&draft, &[a, s], &[s]).unwrap();
        own.check(&format!("a batch of {batch}"), &results);
    }
}
