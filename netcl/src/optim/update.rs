//! The machinery that all optimizers share.

use crate::error::{Error, Result};
use crate::executor::scalar::Scalar;
use crate::executor::{Call, Loaded};
use crate::jit;
use crate::memory::Region;
use crate::model::{Gradients, Model};
use crate::tensor::Tensor;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, InputKind, NodeId, OutputKind, UnaryOp};
use netcl_kernels::span;
use std::sync::Arc;

/// Parameters are seen as rows of this many: tensors start at multiples of 512 bytes, so there are whole rows only, and
/// a constant row length lets kernels use vectors whatever the model's size.
const ROW: usize = 128;

/// Builds an update rule: from `(parameters, gradients, moments, scalars)` to the new parameters and moments.
pub(super) type Rule = fn(&mut Formula, &[NodeId], &[NodeId]) -> span::Result<Vec<NodeId>>;

/// A graph under construction, with arithmetic that reads like the formula.
pub(super) struct Formula(Builder);

impl Formula {
    pub(super) fn add(&mut self, a: NodeId, b: NodeId) -> span::Result<NodeId> {
        self.0.binary(BinaryOp::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: NodeId, b: NodeId) -> span::Result<NodeId> {
        self.0.binary(BinaryOp::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: NodeId, b: NodeId) -> span::Result<NodeId> {
        self.0.binary(BinaryOp::Mul, a, b)
    }

    pub(super) fn div(&mut self, a: NodeId, b: NodeId) -> span::Result<NodeId> {
        self.0.binary(BinaryOp::Div, a, b)
    }

    pub(super) fn sqrt(&mut self, a: NodeId) -> span::Result<NodeId> {
        self.0.unary(UnaryOp::Sqrt, a)
    }
}

/// An update rule, compiled, and its moments for one model.
pub(super) struct Update {
    name: &'static str,
    rule: Rule,
    moments: usize,
    state: Option<State>,
}

struct State {
    /// Of the model.
    core: u64,
    /// Of its memory when last stepped: another one means that the model has moved.
    store: u64,
    kernel: Arc<Loaded>,
    moments: Vec<Region>,
    shape: Arc<[usize]>,
}

impl Update {
    pub(super) fn new(name: &'static str, moments: usize, rule: Rule) -> Update {
        Update { name, rule, moments, state: None }
    }

    /// Makes a step with these numbers.
    pub(super) fn step(&mut self, model: &mut dyn Model, gradients: &Gradients, scalars: &[f64]) -> Result<()> {
        let core = model.core();
        let store = core.store();
        let Some((parameters, bytes)) = store.parameter_buffer() else {
            return Ok(());
        };
        let gradients = gradients.region_for(&store, self.name)?.clone();
        let parameters = parameters.clone();
        let device = store.device();
        if let Some(state) = &self.state
            && state.core != core.id()
        {
            return Err(Error::Mismatch {
                operation: self.name.to_owned(),
                problem: "this optimizer has stepped another model before; make one for each model".to_owned(),
            });
        }
        if self.state.as_ref().is_none_or(|state| state.store != store.id()) {
            let mut moments = Vec::with_capacity(self.moments);
            for position in 0..self.moments {
                let moment = device.allocate(bytes)?;
                match &self.state {
                    // The model has moved to another device: its moments follow.
                    Some(state) => {
                        let mut data = vec![0; bytes];
                        state.moments[position].read(&mut data)?;
                        moment.write(&data)?;
                    }
                    None => moment.zero()?,
                }
                moments.push(moment);
            }
            let kernel = jit::load(&self.graph(scalars.len())?, device)?;
            let shape = Arc::from([bytes / (4 * ROW), ROW]);
            self.state = Some(State { core: core.id(), store: store.id(), kernel, moments, shape });
        }
        let Some(state) = &self.state else {
            return Ok(());
        };
        let view =
            |region: &Region| Tensor::from_region(region.clone(), state.shape.clone(), DType::F32, device.clone());
        let mut args = vec![view(&parameters), view(&gradients)];
        args.extend(state.moments.iter().map(view));
        // In place: every element is read before it is written, by the work-item that writes it.
        let into: Vec<Region> = std::iter::once(&parameters).chain(&state.moments).cloned().collect();
        let scalars: Vec<Scalar> = scalars.iter().map(|&value| Scalar::F32(value as f32)).collect();
        let args: Vec<&Tensor> = args.iter().collect();
        state.kernel.call(&Call { args: &args, scalars: &scalars, into: &into, ..Call::default() })?;
        Ok(())
    }

    fn graph(&self, scalars: usize) -> Result<netcl_kernels::graph::Graph> {
        let mut formula = Formula(Builder::new(self.name));
        let shape = || Shape(vec![Dim::symbol("R"), Dim::from(ROW)]);
        let names = ["parameters", "gradients", "moment_1", "moment_2"];
        let tensors: Vec<NodeId> = (0..2 + self.moments)
            .map(|position| formula.0.input(InputKind::Argument(position), names[position], shape(), DType::F32))
            .collect();
        let scalars: Vec<NodeId> = (0..scalars)
            .map(|position| {
                let name = format!("s{position}");
                formula.0.input(InputKind::Scalar(position), &name, Shape::scalar(), DType::F32)
            })
            .collect();
        let results =
            (self.rule)(&mut formula, &tensors, &scalars).map_err(|diagnostic| jit::failed(self.name, diagnostic))?;
        for (position, result) in results.into_iter().enumerate() {
            formula.0.output(OutputKind::Result(position), result);
        }
        Ok(formula.0.finish())
    }
}
