//! Plans written by hand, for tests of the runtime alone.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod block_on;
pub(crate) mod devices;
pub(crate) mod processes;
pub(crate) mod settings;

use netcl::__private::kernels::autodiff::{Arguments, append_gradients};
use netcl::__private::kernels::compile::compile;
use netcl::__private::kernels::dim::{Dim, Shape, Symbol};
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{BinaryOp, Graph, InputKind, OutputKind, ReduceOp};
use netcl::__private::kernels::kir::Launch;
use netcl::__private::kernels::layers::{Init, TensorSpec};
use netcl::__private::kernels::plan::{Arg, Buffer, BufferId, Plan, Role, Step, Target, Work};
use netcl::__private::{Function, FunctionSource, ModelCore, PlanSource, Seed};
use netcl::{DType, Device, Model, Schema};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pools' figures and counts of launches are those of the process: a test that compares them lets no other run meanwhile.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn n() -> Dim {
    Dim::symbol("N")
}

pub(crate) fn buffer(name: &str, shape: &[Dim], dtype: DType, role: Role) -> Buffer {
    Buffer { name: name.into(), shape: Shape(shape.to_vec()), dtype, role }
}

pub(crate) fn step(entry: &str, global: Dim, args: Vec<Arg>, reads: &[u32], writes: &[u32]) -> Step {
    Step {
        label: entry.into(),
        work: Work::Kernel { entry: entry.into(), launch: Launch { global: vec![global], local: vec![] } },
        args,
        reads: reads.iter().map(|&id| BufferId(id)).collect(),
        writes: writes.iter().map(|&id| BufferId(id)).collect(),
        local_bytes: 0,
        flops: Some(n() * Dim::from(2)),
        bytes: [n() * Dim::from(4), n() * Dim::from(4)],
    }
}

pub(crate) fn arg(id: u32) -> Arg {
    Arg::Buffer(BufferId(id))
}

pub(crate) fn result(position: usize) -> Role {
    Role::Output(OutputKind::Result(position))
}

/// A function with this plan for devices of every kind.
pub(crate) fn function(plan: &Plan) -> Function {
    function_of(&Target::ALL.map(|target| Plan { target, ..plan.clone() }))
}

/// A function with these plans, as a macro would embed them.
pub(crate) fn function_of(plans: &[Plan]) -> Function {
    let name: &'static str = Box::leak(plans[0].name.clone().into_boxed_str());
    let source = |plan: &Plan| {
        let json = plan.to_json().unwrap();
        PlanSource { target: plan.target.name(), json: Box::leak(json.into_boxed_str()), native: &[] }
    };
    let plans = plans.iter().map(source).collect::<Vec<_>>().leak();
    Function::new(Box::leak(Box::new(FunctionSource { name, graph: "", plans })))
}

/// A function compiled for every target, as the macro embeds it.
pub(crate) fn embed(graph: &Graph) -> Function {
    function_of(&Target::ALL.map(|target| compile(graph, target).unwrap()))
}

/// `y = (x · w + b)²` in two steps with a scratch buffer between; `x [N, 3]`, `w [3]`, `b [3]`.
pub(crate) fn affine_square() -> Plan {
    let size = || n() * Dim::from(3);
    Plan {
        name: "Toy::forward".into(),
        target: Target::Cpu,
        symbols: vec![Symbol::new("N")],
        buffers: vec![
            buffer("x", &[n(), Dim::from(3)], DType::F32, Role::Argument(0)),
            buffer("w", &[Dim::from(3)], DType::F32, Role::Parameter("layer.w".into())),
            buffer("b", &[Dim::from(3)], DType::F32, Role::Parameter("layer.b".into())),
            buffer("h", &[n(), Dim::from(3)], DType::F32, Role::Scratch),
            buffer("y", &[n(), Dim::from(3)], DType::F32, result(0)),
        ],
        scalars: vec![],
        requirements: vec![],
        not_in_place: vec![],
        decisions: vec![],
        steps: vec![
            step("affine", size(), vec![arg(0), arg(1), arg(2), arg(3), Arg::Dim(size())], &[0, 1, 2], &[3]),
            step("square", size(), vec![arg(3), arg(4)], &[3], &[4]),
        ],
        loops: vec![],
        source: "
            kernel void affine(global const float *x, global const float *w, global const float *b,
                               global float *h, uint size) {
                uint i = get_global_id(0);
                if (i < size) h[i] = x[i] * w[i % 3] + b[i % 3];
            }
            kernel void square(global const float *h, global float *y) {
                uint i = get_global_id(0);
                y[i] = h[i] * h[i];
            }"
        .into(),
    }
}

pub(crate) fn toy_schema() -> Schema {
    let mut schema = Schema::new();
    let spec = |name, init, trainable| TensorSpec { name, shape: vec![3], dtype: DType::F32, init, trainable };
    schema.add("layer.w", spec("w", Init::Uniform { bound: 1.0 }, true));
    schema.add("layer.b", spec("b", Init::Constant(0.25), true));
    schema.add("norm.mean", spec("mean", Init::Constant(0.0), false));
    schema
}

/// A model with one parameter `w [3]`.
pub(crate) struct Line {
    pub(crate) core: ModelCore,
}

impl Line {
    pub(crate) fn new(device: &Device) -> Line {
        Line { core: ModelCore::new(device, Seed(3), &Line::schema()).unwrap() }
    }
}

impl Model for Line {
    fn schema() -> Schema {
        let mut schema = Schema::new();
        let init = Init::Uniform { bound: 1.0 };
        schema.add("w", TensorSpec { name: "w", shape: vec![3], dtype: DType::F32, init, trainable: true });
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.core
    }
}

/// The sum of `(x · w)²` over `x [1, 3]`, with its gradient in `w`, compiled for every target.
pub(crate) fn line_gradients() -> Function {
    let mut b = Builder::new("Line::loss");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[1, 3]), DType::F32);
    let w = b.input(InputKind::Parameter, "w", Shape::of(&[3]), DType::F32);
    let w = b.broadcast_to(w, &Shape::of(&[1, 3])).unwrap();
    let product = b.binary(BinaryOp::Mul, x, w).unwrap();
    let square = b.binary(BinaryOp::Mul, product, product).unwrap();
    let loss = b.reduce(ReduceOp::Sum, square, &[0, 1], false).unwrap();
    b.output(OutputKind::Result(0), loss);
    embed(&append_gradients(b.finish(), Arguments::None).unwrap())
}
