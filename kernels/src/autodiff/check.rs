//! Gradients against central differences, in `f64` on the interpreter.

use super::gradients_of;
use crate::dim::Bindings;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::interp::{HostTensor, Precision, evaluate};
use crate::graph::{Graph, InputKind, LARGEST_POSITION, Node, NodeId, Op, OutputKind};
use crate::philox;
use crate::span::{Diagnostic, Result};

/// Gradients smaller than this are compared absolutely: the difference quotient's own rounding error is some 1e-13.
const FLOOR: f64 = 1e-3;

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How many derivatives were compared.
    pub compared: usize,
    /// The largest relative error, `|exact - measured| / max(|exact|, |measured|, 1e-3)`; infinite where one is NaN.
    pub error: f64,
    /// Where that is; `None` if nothing was compared.
    pub worst: Option<Worst>,
}

/// The derivative with the largest error.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The input's name or kind.
    pub input: String,
    /// The element, row-major.
    pub position: usize,
    /// From the derivative rules.
    pub exact: f64,
    /// From differences.
    pub measured: f64,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} derivatives, largest relative error {:.1e}", self.compared, self.error)?;
        if let Some(Worst { input, position, exact, measured }) = &self.worst {
            write!(f, " at {input}[{position}]: {exact:e} by rule, {measured:e} measured")?;
        }
        Ok(())
    }
}

/// What differences say about a graph: see [`differences`].
#[derive(Clone, Debug)]
pub struct Differences {
    /// How much each element of each float result counts, by result.
    pub weights: Vec<HostTensor>,
    /// The sum of the magnitudes of the weighted results: what the differences are differences of, and so the scale of what
    /// rounding makes of a derivative of 0.
    pub magnitude: f64,
    /// The derivatives of the weighted sum of all results in each float input.
    pub slopes: Vec<Slopes>,
}

/// Derivatives in the elements of one input.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// Which input.
    pub kind: InputKind,
    /// Its name; its kind in words if it has none.
    pub name: String,
    /// By element, row-major.
    pub values: Vec<f64>,
}

/// Compares the gradients of all float results of `graph` in all its float inputs with [`differences`].
///
/// # Errors
///
/// Those of differentiation and of evaluation.
pub fn finite_difference_check(
    graph: &Graph,
    bindings: Bindings<'_>,
    inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>,
) -> Result<Report> {
    let plain = results_only(graph);
    let measured = differences(graph, bindings, inputs)?;
    if measured.slopes.is_empty() {
        return Ok(Report { compared: 0, error: 0.0, worst: None });
    }
    let exact = exact_gradients(&plain, &floats(&plain), bindings, inputs, &measured.weights)?;
    let mut report = Report { compared: 0, error: 0.0, worst: None };
    for (Slopes { name, values, .. }, exact) in measured.slopes.into_iter().zip(exact) {
        for (position, (measured, exact)) in values.into_iter().zip(exact.to_f64()).enumerate() {
            let error = (exact - measured).abs() / exact.abs().max(measured.abs()).max(FLOOR);
            let error = if error.is_nan() { f64::INFINITY } else { error };
            report.compared += 1;
            if error >= report.error {
                report.error = error;
                report.worst = Some(Worst { input: name.clone(), position, exact, measured });
            }
        }
    }
    Ok(report)
}

/// The derivatives of all float results of `graph` in all its float inputs by central differences, in `f64`.
///
/// The results are weighted by fixed random numbers, so that every element of a result counts differently. Differences
/// are of fourth order, `(8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h` with `h = 1e-3 max(|x|, 0.1)`; inputs must
/// keep `2h` away from kinks and from the borders of domains.
///
/// # Errors
///
/// Those of evaluation.
pub fn differences(
    graph: &Graph,
    bindings: Bindings<'_>,
    inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>,
) -> Result<Differences> {
    let plain = results_only(graph);
    if plain.outputs.is_empty() {
        return Ok(Differences { weights: Vec::new(), magnitude: 0.0, slopes: Vec::new() });
    }
    let floats = floats(&plain);
    let values = floats.iter().map(|id| input(&plain[*id], inputs)).collect::<Result<Vec<_>>>()?;
    let weights = weights(&plain, bindings, inputs)?;
    let objective = |changed: usize, position: usize, value: f64| -> Result<f64> {
        let mut moved = values[changed].clone();
        if let Some(elements) = moved.floats_mut() {
            elements[position] = value;
        }
        let target = input_of(&plain[floats[changed]]);
        let give = |kind: &InputKind, name: &str| {
            if (kind.clone(), name.to_string()) == target { Some(moved.clone()) } else { inputs(kind, name) }
        };
        let results = evaluate(&plain, bindings, &give, Precision::F64)?;
        let terms = results.iter().zip(&weights).map(|((_, result), weights)| {
            result.to_f64().iter().zip(weights.to_f64()).map(|(result, weight)| result * weight).sum::<f64>()
        });
        Ok(terms.sum())
    };
    let mut slopes = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let mut measured = Vec::new();
        for (position, &x) in value.to_f64().iter().enumerate() {
            let step = 1e-3 * x.abs().max(0.1);
            let difference = |by: f64| -> Result<f64> {
                Ok(objective(number, position, x + by)? - objective(number, position, x - by)?)
            };
            measured.push((8.0 * difference(step)? - difference(2.0 * step)?) / (12.0 * step));
        }
        let (kind, name) = input_of(&plain[floats[number]]);
        let name = if name.is_empty() { format!("{kind:?}") } else { name };
        slopes.push(Slopes { kind, name, values: measured });
    }
    let results = evaluate(&plain, bindings, inputs, Precision::F64)?;
    let terms = results.iter().zip(&weights).flat_map(|((_, result), weights)| {
        result.to_f64().into_iter().zip(weights.to_f64()).map(|(result, weight)| (result * weight).abs())
    });
    let magnitude = terms.filter(|term| term.is_finite()).sum();
    Ok(Differences { weights, magnitude, slopes })
}

/// The inputs that have gradients.
fn floats(graph: &Graph) -> Vec<NodeId> {
    let inputs = graph.iter().filter(|(_, node)| matches!(node.op, Op::Input(_)) && node.dtype.is_float());
    inputs.map(|(id, _)| id).collect()
}

/// The graph with its float results as its only outputs.
fn results_only(graph: &Graph) -> Graph {
    let mut plain = graph.clone();
    plain.outputs.retain(|(kind, id)| {
        matches!(kind, OutputKind::Result(_)) && graph.nodes.get(id.index()).is_some_and(|node| node.dtype.is_float())
    });
    plain
}

fn input_of(node: &Node) -> (InputKind, String) {
    match &node.op {
        Op::Input(kind) => (kind.clone(), node.name.clone()),
        _ => unreachable!("only inputs are asked for"),
    }
}

fn input(node: &Node, inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>) -> Result<HostTensor> {
    let (kind, name) = input_of(node);
    inputs(&kind, &name).ok_or_else(|| Diagnostic::new(format!("the input `{name}` ({kind:?}) is missing")))
}

/// One weight in [0.5, 1.5) per element of each result.
fn weights(
    graph: &Graph,
    bindings: Bindings<'_>,
    inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>,
) -> Result<Vec<HostTensor>> {
    let results = evaluate(graph, bindings, inputs, Precision::F64)?;
    let weigh = |(stream, (_, result)): (usize, (OutputKind, HostTensor))| {
        let count = result.data().len() as u64;
        let weights: Vec<f64> = (0..count).map(|i| 0.5 + f64::from(philox::uniform(1, stream as u32, i))).collect();
        HostTensor::from_f64(result.dtype(), result.shape(), &weights)
    };
    results.into_iter().enumerate().map(weigh).collect()
}

fn exact_gradients(
    graph: &Graph,
    wrt: &[NodeId],
    bindings: Bindings<'_>,
    inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>,
    weights: &[HostTensor],
) -> Result<Vec<HostTensor>> {
    let results = graph.outputs.clone();
    let mut builder = Builder::extend(Graph { outputs: Vec::new(), ..graph.clone() });
    // Seeds are arguments behind all that a function can have.
    let first = (LARGEST_POSITION + 1).saturating_sub(results.len());
    let mut seeded = Vec::new();
    for (number, (_, id)) in results.iter().enumerate() {
        let (shape, dtype): (_, DType) = (builder.shape(*id).clone(), builder.dtype(*id));
        seeded.push((*id, builder.input(InputKind::Argument(first + number), "weights", shape, dtype)));
    }
    let gradients = gradients_of(&mut builder, &seeded, wrt)?;
    for (number, gradient) in gradients.into_iter().enumerate() {
        builder.output(OutputKind::Result(number), gradient);
    }
    let give = |kind: &InputKind, name: &str| match kind {
        InputKind::Argument(position) if *position >= first => weights.get(position - first).cloned(),
        _ => inputs(kind, name),
    };
    let found = evaluate(&builder.finish(), bindings, &give, Precision::F64)?;
    Ok(found.into_iter().map(|(_, gradient)| gradient).collect())
}
