//! Kernels whose indices have 64 bits, as tensors of more elements than 32 bits count need them: models with their gradients and
//! what selects elements by number, of small sizes, by several variants of each task, against the reference interpreter.

use crate::Case;
use crate::model_cases::example;
use libtest_mimic::Completion;
use netcl::Device;
use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, IndexWidth, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::plan::Target;
use netcl_kernels::span::Result;
use netcl_kernels::variant::{KernelConfig, Select, Task, candidates, typical};

/// How many ways to compute each task are tried.
const WAYS: usize = 3;

/// Makes the graph of a model.
type ModelGraph = fn() -> Graph;

pub(crate) fn all() -> Vec<Case> {
    let models: [(&str, ModelGraph); 5] = [
        ("mlp", || models::mlp([50, 130, 11], true)),
        ("words", || models::bag_of_words(300)),
        ("cnn", || models::cnn(8, 1, true)),
        ("transformer block", || models::transformer_block(true)),
        ("convolution of any channels", models::convolution_of_any_channels),
    ];
    let mut cases: Vec<Case> = models
        .into_iter()
        .map(|(name, build)| case(name.to_owned(), move || append_gradients(build(), Arguments::None)))
        .collect();
    for known in [false, true] {
        let when = if known { "while compiling" } else { "when called" };
        cases.push(case(format!("rows of a size known {when}"), move || rows(known)));
    }
    cases
}

fn case(name: String, build: impl Fn() -> Result<Graph> + Send + Sync + 'static) -> Case {
    let run = move |device: &Device| {
        let graph = build().map_err(|error| error.to_string())?;
        let sizes = [("N", 7), ("T", 5), ("C", 5), ("O", 8), ("H", 9), ("W", 11), ("M", 777)];
        let example = example(graph, &sizes);
        let targets: &[Target] = match device.profile().target {
            Target::Host => &[Target::Host],
            Target::Cpu => &[Target::Cpu, Target::Gpu],
            // Some products that are meant for processors, in groups of one with large arrays, a GPU cannot launch.
            Target::Gpu => &[Target::Gpu],
        };
        for target in targets {
            for way in 0..WAYS {
                let compiled = example.compiled(device, *target, &Nth { way, target: *target }, IndexWidth::Wide)?;
                assert_eq!(compiled.plan.width, IndexWidth::Wide);
                example.check_compiled(device, &compiled, 5e-5)?;
            }
        }
        Ok(Completion::Completed)
    };
    Case { name: format!("wide indices::{name}"), run: Box::new(run) }
}

/// Takes the candidates of each task by turns.
struct Nth {
    way: usize,
    target: Target,
}

impl Select for Nth {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        let all = candidates(&task.estimate(), self.target, &typical(self.target));
        let place = self.way * all.len() / WAYS;
        all.into_iter().nth(place)
    }
}

/// Reductions along each axis and all, positions, steps along axes, views, rows by number and sums of these.
fn rows(known: bool) -> Result<Graph> {
    let mut b = Builder::new("rows");
    let (n, m) = if known { (Dim::from(7), Dim::from(777)) } else { (Dim::symbol("N"), Dim::symbol("M")) };
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![n.clone(), m.clone()]), DType::F32);
    let table = b.input(InputKind::Argument(1), "table", Shape(vec![m.clone(), Dim::from(3)]), DType::F32);
    let ids = b.input(InputKind::Argument(2), "ids", Shape(vec![n]), DType::U32);
    let mut results = Vec::new();
    for axes in [&[0][..], &[1], &[0, 1]] {
        for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::ArgMin] {
            results.push(b.reduce(op, x, axes, false)?);
        }
    }
    let shape = b.shape(x).clone();
    let steps = b.iota(&shape, 1, DType::F32)?;
    let columns = b.dim(&m, DType::F32)?;
    let columns = b.broadcast_to(columns, &shape)?;
    let steps = b.binary(BinaryOp::Div, steps, columns)?;
    let scaled = b.binary(BinaryOp::Mul, x, steps)?;
    let scaled = b.unary(UnaryOp::Tanh, scaled)?;
    results.push(b.transpose(scaled)?);
    let mean = b.mean(scaled, &[1], true)?;
    let mean = b.broadcast_to(mean, &shape)?;
    results.push(b.binary(BinaryOp::Sub, scaled, mean)?);
    let taken = b.gather(table, ids)?;
    let table_shape = b.shape(table).clone();
    results.push(b.scatter_add(ids, taken, &table_shape)?);
    results.push(taken);
    for (position, id) in results.into_iter().enumerate() {
        b.output(OutputKind::Result(position), id);
    }
    Ok(b.finish())
}
