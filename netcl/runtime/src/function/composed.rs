//! Functions that macros have compiled as operations of what is recorded at run time.
//!
//! Where something is tracked, a call is noted as one operation whose graph is the function's own: it is fused with what is around it,
//! and differentiated with it. What changes states, and what cannot wait, is run by the function's plan, and noted beside.

use crate::autograd::known::{self, KnownWork};
use crate::autograd::note::{self, Noted};
use crate::autograd::passed::PassedNumbers;
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep};
use crate::autograd::tracer;
use crate::autograd::work::{CompositeWork, TensorWork, composite_number};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, Form, Loaded};
use crate::model::core::{parameter, view};
use crate::model::store::Store;
use crate::recording;
use crate::tensor::{Tensor, carry_out_all, is_eager};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use netcl_kernels::span::{Diagnostic, Result as Built};
use smallvec::SmallVec;
use std::cell::Cell;
use std::panic::Location;
use std::sync::Arc;

/// A function's graph as an operation: of its arguments, and of the tensors of its model.
pub(super) struct ComposedFunction {
    number: u64,
    name: String,
    graph: Arc<Graph>,
    arguments: usize,
    /// What it is of besides, by paths.
    own: Vec<(InputKind, String)>,
    /// What calls are compared with.
    form: Form,
    results: Vec<NodeId>,
    /// Whether something is computed of its first number.
    reads_number: bool,
    changes_states: bool,
}

/// A call of one.
pub(super) struct ComposedCall<'a> {
    /// What runs the function by itself, which is compiled for nothing where a call waits: its plan is then that of whatever needs it.
    pub(super) load: &'a dyn Fn() -> Result<Arc<Loaded>>,
    pub(super) device: &'a Device,
    pub(super) args: &'a [&'a Tensor],
    pub(super) model: Option<(&'a Arc<Store>, &'a str)>,
    pub(super) scalars: &'a [Scalar],
    /// Draws the seed.
    pub(super) draw: &'a dyn Fn() -> Scalar,
    pub(super) recorded: WhenRecorded,
}

/// When a call is recorded, and whether gradients in the model's parameters are wanted whatever the arguments are.
#[derive(Clone, Copy)]
pub(super) enum WhenRecorded {
    /// If there is something to be tracked.
    Tracked {
        trains: bool,
    },
    Always {
        trains: bool,
    },
}

impl WhenRecorded {
    fn trains(self) -> bool {
        let (WhenRecorded::Tracked { trains } | WhenRecorded::Always { trains }) = self;
        trains
    }
}

impl ComposedFunction {
    /// The type of that argument, if something is computed of it.
    pub(super) fn argument(&self, position: usize) -> Option<DType> {
        self.form.argument(position)
    }

    /// Of a graph; `None` if it gives gradients.
    pub(super) fn new(name: &str, graph: Arc<Graph>) -> Option<ComposedFunction> {
        let (mut results, mut changes_states) = (Vec::new(), false);
        for (kind, id) in &graph.outputs {
            match kind {
                OutputKind::Result(position) => results.push((*position, *id)),
                OutputKind::State(_) => changes_states = true,
                OutputKind::Gradient(_) | OutputKind::ArgumentGradient(_) => return None,
            }
        }
        results.sort_unstable();
        let (mut arguments, mut own, mut reads_number) = (0, Vec::new(), false);
        for node in &graph.nodes {
            match &node.op {
                Op::Input(InputKind::Argument(position)) => arguments = arguments.max(position + 1),
                Op::Input(kind @ (InputKind::Parameter | InputKind::State)) => {
                    own.push((kind.clone(), node.name.clone()));
                }
                op => op.visit_operands(|operand| {
                    reads_number |= graph[operand].op == Op::Input(InputKind::Scalar(0));
                }),
            }
        }
        Some(ComposedFunction {
            number: composite_number(),
            name: name.to_owned(),
            arguments,
            own,
            form: Form::new(name, &graph),
            results: results.into_iter().map(|(_, id)| id).collect(),
            reads_number,
            changes_states,
            graph,
        })
    }

    /// The results of a call, recorded. `None` where there is nothing to be recorded of.
    ///
    /// # Errors
    ///
    /// Those of the function's own call.
    pub(super) fn call(
        self: &Arc<Self>,
        call: &ComposedCall<'_>,
        caller: &'static Location<'static>,
    ) -> Result<Option<Vec<Tensor>>> {
        if self.results.is_empty() || call.args.len() < self.arguments || self.arguments + self.own.len() == 0 {
            return Ok(None);
        }
        let has_parameters = self.own.iter().any(|(kind, _)| *kind == InputKind::Parameter);
        let is_alone = || call.args.iter().all(|arg| arg.history().is_none());
        if matches!(call.recorded, WhenRecorded::Tracked { .. }) && !has_parameters && is_alone() {
            return Ok(None);
        }
        let trains = call.recorded.trains();
        let is_tracked = trains || note::is_tracked(call.args.iter().map(|arg| arg.history()));
        let seeded = self.form.takes_seed(call.scalars.len());
        let draws = seeded && self.reads_number;
        // What is done at each call is no part of a function that is compiled; there are gradients in parameters where there are
        // some in arguments.
        let is_traced = tracer::note(|tracing| {
            tracing.as_it_stands |= draws || self.changes_states;
            tracing.is_cut |= !trains && has_parameters;
        });
        let drawn = Cell::new(Scalar::U32(0));
        let draw = || {
            drawn.set((call.draw)());
            drawn.get()
        };
        let model = call.model.map(|(store, prefix)| (&**store, prefix));
        let plain = Call { args: call.args, model, scalars: call.scalars, seed: Some(&draw), ..Call::default() };
        call.args.iter().try_for_each(|arg| arg.checked())?;
        self.form.check(call.device, &plain)?;
        let own = self.own.iter().map(|own| call.own(own, is_tracked)).collect::<Result<SmallVec<[Tensor; 8]>>>()?;
        let tensors: Vec<&Tensor> = call.args[..self.arguments].iter().copied().chain(&own).collect();
        let known: Vec<Arc<KnownWork>> =
            (0..self.results.len()).map(|result| self.known(result, call.device, &tensors)).collect::<Result<_>>()?;
        let work = |result: usize, scalars: &Arc<[Scalar]>| {
            let (traced, scalars): (Arc<dyn CompositeWork>, _) = (self.clone(), scalars.clone());
            TensorWork::Traced { traced, step: result, scalars }
        };
        let scalars = || -> Arc<[Scalar]> {
            seeded.then(|| drawn.get()).into_iter().chain(call.scalars.iter().copied()).collect()
        };
        let waits = !self.changes_states && !is_eager() && !recording::is_active(call.device.backend());
        if waits || is_traced.is_some() {
            if draws && is_traced.is_none() {
                draw();
            }
            let scalars = scalars();
            let works: Vec<(TensorWork, &Arc<KnownWork>)> =
                known.iter().enumerate().map(|(result, known)| (work(result, &scalars), known)).collect();
            return carry_out_all(&works, &tensors, caller).map(Some);
        }
        tensors.iter().try_for_each(|tensor| tensor.settled())?;
        // What it reads of states is noted before it changes them.
        let noted = known.iter().map(|known| {
            let flow = &known.flow;
            Noted::of(&self.name, flow, &tensors, self.arguments, caller)
        });
        let noted: Vec<Option<Noted>> = noted.collect::<Result<_>>()?;
        let results = (call.load)()?.call(call.device, &plain)?.results;
        let scalars = scalars();
        let result = |(position, (noted, result)): (usize, (Option<Noted>, Tensor))| match noted {
            Some(noted) => noted.result((work(position, &scalars), known[position].number), result),
            None => result,
        };
        Ok(Some(noted.into_iter().zip(results).enumerate().map(result).collect()))
    }

    /// What is known of one of its results, of these tensors.
    fn known(self: &Arc<Self>, result: usize, device: &Device, tensors: &[&Tensor]) -> Result<Arc<KnownWork>> {
        let traced: Arc<dyn CompositeWork> = self.clone();
        let work = TensorWork::Traced { traced, step: result, scalars: Arc::from([]) };
        known::find_or_make(device, work.key(None, None), tensors, || {
            let input = |(position, tensor): (usize, &&Tensor)| TraceInput {
                dtype: tensor.dtype(),
                shape: tensor.shared_shape().clone(),
                may_be_batch: position < self.arguments,
            };
            let inputs: Vec<TraceInput> = tensors.iter().enumerate().map(input).collect();
            let sources = (0..tensors.len()).map(Place::Input).collect();
            let steps = vec![TraceStep { work, sources, dtype: None, value: StepValue::Result }];
            let batch = trace::batch(inputs.iter());
            let trace = Trace { name: self.name.clone(), gives: TraceResult::Values, inputs, steps, batch };
            let wrong = |diagnostic| Error::graph(&self.name, diagnostic);
            let symbolic = if batch.is_some() { trace.graph(true).map_err(wrong)? } else { None };
            let graph = symbolic.map_or_else(|| trace.graph(false).map_err(wrong), |graph| Ok(Some(graph)))?;
            let graph = graph.ok_or_else(|| wrong(Diagnostic::new("it has no graph")))?;
            Ok(KnownWork::of_arguments(graph, tensors))
        })
    }
}

impl ComposedCall<'_> {
    /// The model's tensor of that kind and path.
    fn own(&self, (kind, path): &(InputKind, String), is_tracked: bool) -> Result<Tensor> {
        let Some((store, prefix)) = self.model else {
            let problem = format!("`{path}` belongs to a model, which this call does not have");
            return Err(Error::graph(path, Diagnostic::new(problem)));
        };
        Ok(match kind {
            InputKind::Parameter => parameter(store, store.parameter_index(prefix, path)?, is_tracked),
            _ => view(store, &store.states()[store.state_index(prefix, path)?]),
        })
    }
}

impl CompositeWork for ComposedFunction {
    fn number(&self) -> u64 {
        self.number
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> usize {
        self.arguments
    }

    fn build(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        _: Option<usize>,
    ) -> Built<Vec<NodeId>> {
        let numbers: Vec<NodeId> = self.form.scalars().iter().map(|dtype| passed.next(builder, *dtype)).collect();
        let input = |kind: &InputKind, name: &str| match kind {
            InputKind::Argument(position) => tensors.get(*position).copied(),
            InputKind::Scalar(position) => numbers.get(*position).copied(),
            kind => {
                let position = self.own.iter().position(|(own, path)| own == kind && path == name)?;
                tensors.get(self.arguments + position).copied()
            }
        };
        let places = builder.inline(&self.graph, &input)?;
        Ok(self.results.iter().map(|result| places[result.index()]).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::function::Function;
    use crate::{Device, Tensor};
    use netcl_kernels::dim::{Dim, Shape};
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind};

    #[test]
    fn a_call_that_waits_has_no_plan_of_its_own() {
        let function = || {
            let mut b = Builder::new("sum");
            let shape = || Shape(vec![Dim::symbol("N"), Dim::constant(3)]);
            let [x, y] =
                ["x", "y"].map(|name| b.input(InputKind::Argument((name == "y").into()), name, shape(), DType::F32));
            let sum = b.binary(BinaryOp::Add, x, y).unwrap();
            b.output(OutputKind::Result(0), sum);
            Function::from_graph("sum".to_owned(), b.finish())
        };
        let (waits, runs) = (function(), function());
        let device = Device::host();
        let tensor = |rows: usize, columns: usize| Tensor::full(&device, 0.5f32, &[rows, columns]).unwrap();
        let call = |x: &Tensor, y: &Tensor| waits.call_recorded(false, None, "", &[x, y], &[]);
        let [sum] = call(&tensor(2, 3), &tensor(2, 3)).unwrap().try_into().unwrap();
        assert_eq!(sum.to_vec::<f32>().unwrap(), [1.0; 6]);
        // What does not fit is told in the same words.
        for (x, y) in [(tensor(2, 3), tensor(4, 3)), (tensor(2, 4), tensor(2, 4))] {
            let told = runs.call(None, "", &[&x, &y], &[]).unwrap_err().to_string();
            assert_eq!(call(&x, &y).unwrap_err().to_string(), told);
        }
        let plans = |function: &Function| function.plans.iter().filter(|plan| plan.get().is_some()).count();
        assert_eq!([plans(&waits), plans(&runs)], [0, 1]);
    }
}
