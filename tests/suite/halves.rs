//! Half precision across kernels: what lies in memory between them is rounded, what is summed is not. Results and
//! gradients against the reference interpreter in f64, for every layer, and for statistics that 16 bits cannot hold.

use crate::Case;
use crate::graphs::Example;
use crate::model_cases::example;
use libtest_mimic::Failed;
use netcl::Device;
use netcl_fixtures::models::ModelBuilder;
use netcl_fixtures::random_graphs::{GeneratorOptions, random_graph};
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold::stored;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, InputKind, OutputKind};
use netcl_kernels::layers::{ConfigValue, Mode};
use netcl_kernels::ops::Value;

/// Of half precision, with the error that is allowed, relative to a result's largest element: a few roundings.
const TYPES: [(DType, f64); 2] = [(DType::F16, 4e-3), (DType::BF16, 3e-2)];

const F16: &[DType] = &[DType::F16];
const BF16: &[DType] = &[DType::BF16];
const BOTH: &[DType] = &[DType::F16, DType::BF16];

type Layer = (&'static str, &'static [DType], &'static [u64], &'static [(&'static str, u64)]);

/// Layers that compute, the types that they are tried with, the shape of their input and their sizes. (Products of one type
/// each: drivers take seconds to build them.)
const LAYERS: [Layer; 8] = [
    ("Linear", F16, &[6, 40], &[("inputs", 40), ("outputs", 9)]),
    ("Conv2d", BF16, &[3, 2, 7, 6], &[("inputs", 2), ("outputs", 5), ("kernel", 3)]),
    ("MaxPool2d", BOTH, &[2, 3, 8, 6], &[("kernel", 2)]),
    ("AvgPool2d", BOTH, &[2, 3, 8, 6], &[("kernel", 2)]),
    ("BatchNorm", BOTH, &[9, 4, 5, 3], &[("features", 4)]),
    ("LayerNorm", BOTH, &[5, 48], &[("features", 48)]),
    ("RmsNorm", BOTH, &[5, 48], &[("features", 48)]),
    ("SelfAttention", BF16, &[2, 5, 16], &[("features", 16), ("heads", 2)]),
];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (dtype, tolerance) in TYPES {
        for layer in LAYERS.into_iter().filter(|layer| layer.1.contains(&dtype)) {
            cases.push(Case::new(format!("halves::{} of {dtype}", layer.0), move |device| {
                rounded(gradient(&layer, dtype)?).check(device, tolerance)
            }));
        }
        cases.push(Case::new(format!("halves::losses of {dtype}"), move |device| losses(device, dtype, tolerance)));
        cases.push(Case::new(format!("halves::large sums of {dtype}"), move |device| large(device, dtype, tolerance)));
        for seed in 0..2 {
            cases.push(Case::new(format!("halves::random graph {seed} of {dtype}"), move |device| {
                let drawn =
                    random_graph(seed, &GeneratorOptions { float: dtype, steps: 8, ..GeneratorOptions::default() });
                let example = Example { graph: drawn.graph, bindings: drawn.bindings, inputs: drawn.inputs };
                example.check(device, 5.0 * tolerance)
            }));
        }
    }
    cases
}

fn sizes(shape: &[u64]) -> Vec<Dim> {
    shape.iter().map(|&size| Dim::constant(size as i64)).collect()
}

/// The gradients of the sum of the sines of what `layer` gives for an argument of `dtype`. (The sum itself is what is left
/// of terms that cancel, to no known digit.)
fn gradient((name, _, shape, config): &Layer, dtype: DType) -> Result<Graph, Failed> {
    let mut model = ModelBuilder::new("half", Mode::Training);
    let x = model.argument(0, "x", &sizes(shape), dtype);
    let config: Vec<(&str, ConfigValue)> = config
        .iter()
        .map(|&(key, size)| match key {
            "kernel" => (key, ConfigValue::Pair([size; 2])),
            _ => (key, ConfigValue::Size(size)),
        })
        .collect();
    let y = model.layer(name, "layer", &config, x);
    let y = model.unary("sin", y);
    let loss = model.unary("sum_all", y);
    let mut graph = differentiated(model.result(loss))?;
    graph.outputs.retain(|(kind, _)| *kind != OutputKind::Result(0));
    Ok(graph)
}

fn differentiated(graph: Graph) -> Result<Graph, Failed> {
    append_gradients(graph, Arguments::Floats).map_err(|error| error.to_string().into())
}

/// Inputs that their types hold.
fn rounded(graph: Graph) -> Example {
    changed(graph, |_, value| value)
}

/// The same with `change` made to the inputs before they are rounded: the kind, and an element.
fn changed(graph: Graph, change: impl Fn(&InputKind, f64) -> f64) -> Example {
    let mut example = example(graph, &[]);
    for (kind, _, value) in &mut example.inputs {
        let dtype = value.dtype();
        if dtype.is_float() {
            let round = |x: f64| stored(Literal::float(change(kind, x), dtype)).as_f64();
            let values: Vec<f64> = value.to_f64().into_iter().map(round).collect();
            *value = HostTensor::from_f64(dtype, value.shape(), &values).expect("as many values as before");
        }
    }
    example
}

/// Every loss, and what the tables say of rows: one function with all their gradients.
fn losses(device: &Device, dtype: DType, tolerance: f64) -> Result<(), Failed> {
    let mut model = ModelBuilder::new("losses", Mode::Training);
    let x = model.argument(0, "x", &sizes(&[6, 10]), dtype);
    let target = model.argument(1, "target", &sizes(&[6, 10]), dtype);
    let labels = model.argument(2, "labels", &sizes(&[6]), DType::U32);
    let (x, target, labels) = (Value::Tensor(x), Value::Tensor(target), Value::Tensor(labels));
    let axis = Value::Dim(Dim::constant(1));
    let logs = model.op("log_softmax", &[x.clone(), axis.clone()]);
    let spread = model.op("std", &[x.clone(), axis.clone(), Value::Dim(Dim::constant(1))]);
    let exponents = model.op("logsumexp", &[x.clone(), axis]);
    let mut terms = vec![
        model.op("cross_entropy", &[x.clone(), labels.clone()]),
        model.op("nll_loss", &[Value::Tensor(logs), labels]),
        model.op("mse_loss", &[x.clone(), target.clone()]),
        model.op("l1_loss", &[x.clone(), target.clone()]),
        model.op("huber_loss", &[x.clone(), target.clone(), Value::Number(0.5)]),
        model.op("bce_with_logits", &[x, target]),
    ];
    terms.extend([spread, exponents].map(|rows| model.unary("mean_all", rows)));
    let sum = terms.into_iter().reduce(|sum, term| model.op("add", &[Value::Tensor(sum), Value::Tensor(term)]));
    let graph = differentiated(model.result(sum.ok_or("no losses")?))?;
    rounded(graph).check(device, tolerance)
}

/// Statistics whose sums are beyond f16, and have more digits than bf16: of a channel of 65,536 elements whose squares
/// add up to more, of rows of 4,096 elements, and of differences whose squares are too large.
fn large(device: &Device, dtype: DType, tolerance: f64) -> Result<(), Failed> {
    let batch: Layer = ("BatchNorm", BOTH, &[64, 1, 32, 32], &[("features", 1)]);
    let rows: Layer = ("LayerNorm", BOTH, &[2, 4096], &[("features", 4096)]);
    let squares: Layer = ("RmsNorm", BOTH, &[2, 4096], &[("features", 4096)]);
    for layer in [batch, rows, squares] {
        let enlarge = |kind: &InputKind, x: f64| if *kind == InputKind::Argument(0) { 8.0 * x } else { x };
        changed(gradient(&layer, dtype)?, enlarge).check(device, tolerance)?;
    }
    let mut model = ModelBuilder::new("difference", Mode::Training);
    let x = model.argument(0, "x", &sizes(&[6, 10]), dtype);
    let target = model.argument(1, "target", &sizes(&[6, 10]), dtype);
    let loss = model.op("mse_loss", &[Value::Tensor(x), Value::Tensor(target)]);
    // The mean is below 65,504, which some squares are not.
    changed(differentiated(model.result(loss))?, |_, x| 200.0 * x).check(device, tolerance)
}
