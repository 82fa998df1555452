//! Every operation and layer as users run it, one by one, with the gradients of what was recorded, against PyTorch's numbers: all
//! cases on the host, one of each operation and all of layers elsewhere.

use crate::Case;
use crate::graphs::upload;
use crate::layers::layer;
use crate::pytorch::{TOLERANCE, close};
use libtest_mimic::Failed;
use netcl::{DType, Device, DeviceKind, Error, Operand, Result as NetclResult, Seed, Tensor};
use netcl_fixtures::reference_graphs::layer_mode;
use netcl_fixtures::references::{Data, LayerCase, OperationCase, ReferenceArg, references};
use netcl_kernels::graph::interp::HostTensor;
use std::collections::BTreeMap;

pub(crate) fn all() -> Vec<Case> {
    let mut operations: BTreeMap<&str, Vec<&OperationCase>> = BTreeMap::new();
    for case in references().operations.iter().filter(|case| case.cotangent.is_some()) {
        operations.entry(&case.operation).or_default().push(case);
    }
    let operations = operations.into_iter().map(|(name, cases)| {
        Case::new(format!("recorded::operation {name}"), move |device| {
            let most = if device.profile().kind == DeviceKind::Host { cases.len() } else { 1 };
            let named = |case: &OperationCase, error: Failed| {
                let text = error.message().unwrap_or_default().to_owned();
                Failed::from(format!("{}: {text}", case.case))
            };
            cases.iter().take(most).try_for_each(|case| check(case, device).map_err(|error| named(case, error)))
        })
    });
    let layers = references().layers.iter().filter(|case| case.cotangent.is_some());
    let layers =
        layers.map(|case| Case::new(format!("recorded::layer {}", case.case), |device| check_layer(case, device)));
    operations.chain(layers).collect()
}

fn check(case: &OperationCase, device: &Device) -> Result<(), Failed> {
    let wide = case.tensors.iter().any(|data| data.dtype() == DType::F64)
        || case.args.iter().any(|arg| matches!(arg, ReferenceArg::Dtype(name) if name == "f64"));
    if wide && !device.profile().fp64 {
        return Ok(());
    }
    let mut tensors = Vec::new();
    for data in &case.tensors {
        let tensor = upload(device, &data.tensor())?;
        tensors.push(if tensor.dtype().is_float() { tensor.requires_grad().map_err(text)? } else { tensor });
    }
    let lists: Vec<Vec<&Tensor>> = case.args.iter().map(|arg| list(arg, &tensors)).collect();
    let mut operands: Vec<Operand<'_>> = Vec::new();
    for (arg, list) in case.args.iter().zip(&lists) {
        operands.push(match arg {
            ReferenceArg::Tensor(position) => Operand::Tensor(&tensors[*position]),
            ReferenceArg::Tensors(_) => Operand::Tensors(list),
            ReferenceArg::Axis(value) | ReferenceArg::Size(value) => Operand::Integer(*value),
            ReferenceArg::Axes(values) | ReferenceArg::Sizes(values) => Operand::Integers(values),
            ReferenceArg::Number(number) => Operand::Number(number.value()),
            ReferenceArg::Bool(truth) => Operand::Bool(*truth),
            ReferenceArg::Text(text) => Operand::Text(text),
            ReferenceArg::Dtype(name) => Operand::DType(DType::from_name(name).ok_or("an element type")?),
        });
    }
    let Some((Operand::Tensor(receiver), others)) = operands.split_first() else { return Err("no receiver".into()) };
    let found = receiver.apply(&case.operation, others).check().map_err(text)?;
    close("the result", &found, &case.result.tensor(), TOLERANCE)?;
    let expected: Vec<(usize, &Data)> =
        case.gradients.iter().enumerate().filter_map(|(at, data)| Some((at, data.as_ref()?))).collect();
    let is_flat = expected.iter().all(|(_, data)| data.values().iter().all(|value| *value == 0.0));
    let backward = match with_cotangent(&found, case.cotangent.as_ref()).and_then(|loss| loss.backward()) {
        // PyTorch says zeros where netcl says that there is no gradient.
        Err(Error::Backward { .. }) if is_flat => return Ok(()),
        backward => backward.map_err(text)?,
    };
    for (position, expected) in expected {
        match backward.wrt(&tensors[position]) {
            Err(Error::Unreached { .. }) if expected.values().iter().all(|value| *value == 0.0) => {}
            gradient => {
                let what = format!("the gradient in argument {position}");
                close(&what, &gradient.map_err(text)?, &expected.tensor(), TOLERANCE)?;
            }
        }
    }
    Ok(())
}

fn list<'a>(arg: &ReferenceArg, tensors: &'a [Tensor]) -> Vec<&'a Tensor> {
    match arg {
        ReferenceArg::Tensors(list) => list.iter().map(|position| &tensors[*position]).collect(),
        _ => Vec::new(),
    }
}

/// A number whose gradient in `found` is the cotangent.
fn with_cotangent(found: &Tensor, cotangent: Option<&Data>) -> NetclResult<Tensor> {
    let Some(cotangent) = cotangent else { return Ok(found.clone()) };
    let weights = HostTensor::from_f64(found.dtype(), &cotangent.shape, &cotangent.values());
    let weights = weights.ok().and_then(|weights| upload(found.device(), &weights).ok());
    let axes: Vec<i64> = (0..found.shape().len() as i64).collect();
    weights.map_or_else(|| Ok(found.clone()), |weights| found.mul(&weights).sum(&axes).check())
}

fn check_layer(case: &LayerCase, device: &Device) -> Result<(), Failed> {
    let x = upload(device, &case.input.tensor())?;
    let x = if x.dtype().is_float() { x.requires_grad().map_err(text)? } else { x };
    let layer = layer(case, device, Seed(1))?;
    let mode = if x.dtype().is_float() { layer_mode(case) } else { netcl::nn::Mode::Training };
    let found = layer.forward(&[&x], mode).check().map_err(text)?;
    let loss = with_cotangent(&found, case.cotangent.as_ref()).map_err(text)?;
    let backward = loss.backward().map_err(text)?;
    if let Some(expected) = &case.input_gradient {
        close("the gradient in `x`", &backward.wrt(&x).map_err(text)?, &expected.tensor(), TOLERANCE)?;
    }
    for (name, expected) in &case.gradients {
        if let Some(expected) = expected {
            let gradient = backward.of(&layer).and_then(|all| all.tensor(name)).map_err(text)?;
            close(&format!("the gradient in `{name}`"), &gradient, &expected.tensor(), TOLERANCE)?;
        }
    }
    Ok(())
}

fn text(error: Error) -> Failed {
    error.to_string().into()
}
