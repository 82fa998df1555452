//! The cases of `references.json` as graphs.
#![allow(dead_code, reason = "shared by several test programs")]

use crate::references::{Arg, LayerCase, OperationCase, Setting};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::verify::verify;
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::span::Span;
use std::collections::BTreeSet;

fn integer(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

fn value(arg: &Arg, tensors: &[NodeId]) -> Value {
    let integers = |values: &[i64]| Value::List(values.iter().map(|&value| integer(value)).collect());
    match arg {
        Arg::Tensor(position) => Value::Tensor(tensors[*position]),
        Arg::Tensors(list) => Value::List(list.iter().map(|&position| Value::Tensor(tensors[position])).collect()),
        Arg::Axis(value) | Arg::Size(value) => integer(*value),
        Arg::Axes(values) | Arg::Sizes(values) => integers(values),
        Arg::Number(number) => Value::Number(number.value()),
        Arg::Bool(value) => Value::Bool(*value),
        Arg::Dtype(name) => {
            let dtype = DType::from_name(name).expect("an element type");
            integer(DType::ALL.iter().position(|known| *known == dtype).expect("a known type") as i64)
        }
    }
}

/// The case as a function of its tensors, argument by argument.
pub(crate) fn operation_graph(case: &OperationCase) -> Result<Graph, String> {
    let operation = ops::find(&case.operation).ok_or("no such operation")?;
    let mut builder = Builder::new(&case.operation);
    let tensors: Vec<NodeId> = case
        .tensors
        .iter()
        .enumerate()
        .map(|(position, data)| {
            let name = format!("x{position}");
            builder.input(InputKind::Argument(position), &name, Shape::of(&data.shape), data.dtype())
        })
        .collect();
    let args: Vec<Value> = case.args.iter().map(|arg| value(arg, &tensors)).collect();
    let result = ops::call(&mut builder, operation, &args).map_err(|error| error.to_string())?;
    builder.output(OutputKind::Result(0), result);
    let graph = builder.finish();
    verify(&graph).map_err(|errors| format!("{errors:?}"))?;
    Ok(graph)
}

/// Dropout's cases have a rate of 0 or are in inference: the seed changes nothing.
const SEED: u32 = 7;

/// The layer as the case configures it.
pub(crate) fn layer_config(case: &LayerCase) -> Result<Config, String> {
    let layer = layers::find(&case.layer).ok_or("no such layer")?;
    let setting = |setting: &Setting| match *setting {
        Setting::Bool(value) => ConfigValue::Bool(value),
        Setting::Size(value) => ConfigValue::Size(value),
        Setting::Number(value) => ConfigValue::Number(value),
        Setting::Pair(value) => ConfigValue::Pair(value),
    };
    let pairs: Vec<_> = case.config.iter().map(|(key, value)| (key.as_str(), setting(value), Span::NONE)).collect();
    Config::from_pairs(layer, &pairs).map_err(|errors| format!("{errors:?}"))
}

/// The case as a function of `x` and the layer's tensors; with `symbolic` the batch is `N`.
pub(crate) fn layer_graph(case: &LayerCase, mode: Mode, symbolic: bool) -> Result<Graph, String> {
    let layer = layers::find(&case.layer).ok_or("no such layer")?;
    let config = layer_config(case)?;
    let mut builder = Builder::new(&case.layer);
    let mut shape = Shape::of(&case.input.shape);
    if symbolic {
        shape.0[0] = Dim::symbol("N");
    }
    let x = builder.input(InputKind::Argument(0), "x", shape, case.input.dtype());
    let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    let specs = (layer.tensors)(&config);
    let declared: BTreeSet<&str> = specs.iter().map(|spec| spec.name).collect();
    let given: BTreeSet<&str> = case.tensors.keys().map(String::as_str).collect();
    if declared != given {
        return Err(format!("the layer has {declared:?}, the case {given:?}"));
    }
    let mut tensors = Vec::new();
    for spec in &specs {
        if Shape::of(&case.tensors[spec.name].shape) != Shape(spec.shape.clone()) {
            return Err(format!("`{}` has shape {:?}", spec.name, spec.shape));
        }
        let kind = if spec.trainable { InputKind::Parameter } else { InputKind::State };
        tensors.push(builder.input(kind, spec.name, Shape(spec.shape.clone()), spec.dtype));
    }
    let mut updates: Vec<(usize, NodeId)> = Vec::new();
    let mut context = Context {
        builder: &mut builder,
        config: &config,
        name: "layer",
        tensors: &tensors,
        mode,
        seed,
        updates: &mut updates,
    };
    let result = layers::forward(layer, &mut context, &[x]).map_err(|error| error.to_string())?;
    builder.output(OutputKind::Result(0), result);
    for (position, node) in updates {
        builder.output(OutputKind::State(specs[position].name.into()), node);
    }
    let graph = builder.finish();
    verify(&graph).map_err(|errors| format!("{errors:?}"))?;
    Ok(graph)
}

/// The mode that PyTorch ran the case in.
pub(crate) fn layer_mode(case: &LayerCase) -> Mode {
    if case.mode == "training" { Mode::Training } else { Mode::Inference }
}

/// The value of an input of [`layer_graph`], or of its gradients' graph.
pub(crate) fn layer_input(case: &LayerCase, kind: &InputKind, name: &str) -> Option<HostTensor> {
    match kind {
        InputKind::Argument(0) => Some(case.input.tensor()),
        InputKind::Argument(_) => case.cotangent.as_ref().map(|data| data.tensor()),
        InputKind::Parameter | InputKind::State => case.tensors.get(name).map(|data| data.tensor()),
        InputKind::Scalar(_) => HostTensor::from_f64(DType::U32, &[], &[f64::from(SEED)]).ok(),
    }
}
