//! A kernel's gradient against differences: `bias_relu.check(&x, &bias)`.

use crate::device::{Device, DeviceKind};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::tensor::Tensor;
use half::{bf16, f16};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::autodiff::check::{Slopes, differences};
use netcl_kernels::dim::{Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, InputKind, Op, text};

/// More elements than this are refused: for each, the kernel is evaluated four times.
const LARGEST: usize = 4096;

/// Gradients further apart than this are an error.
const TOLERANCE: f64 = 1e-3;

/// What a kernel's `check` found: its `vjp` on the arguments' device agrees with differences.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GradientCheck {
    /// How many derivatives were compared: as many as the float arguments have elements.
    pub compared: usize,
    /// The largest difference of the two, relative to the derivative, to the mean magnitude of its argument's, or to a thousand
    /// times what rounding may make of a derivative of 0, whichever is largest. Below 1e-3.
    pub error: f64,
    /// Where that is.
    pub worst: GradientElement,
}

/// One derivative, computed in two ways.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GradientElement {
    /// The argument's name.
    pub argument: String,
    /// The element, row-major.
    pub position: usize,
    /// By the kernel's `vjp`, in the argument's type.
    pub vjp: f64,
    /// By differences, in `f64`.
    pub differences: f64,
}

impl std::fmt::Display for GradientCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GradientElement { argument, position, vjp, differences } = &self.worst;
        write!(
            f,
            "{} derivatives; the largest error, {:.1e}, is at {argument}[{position}]: {vjp:e} by `vjp`, {differences:e} by \
             differences",
            self.compared, self.error
        )
    }
}

/// Compares the gradients of `pullback` with differences of the kernel whose graph has that text form. The arguments have
/// been checked.
///
/// # Errors
///
/// [`Error::Setting`] if there are too many elements, [`Error::Unsupported`] on the null device, [`Error::Gradient`] if the two
/// do not agree, and those of a call.
pub fn gradients(graph: &str, pullback: &Function, args: &[&Tensor], scalars: &[Scalar]) -> Result<GradientCheck> {
    let name = pullback.name().trim_end_matches(".vjp");
    if let Some(arg) = args.first().filter(|arg| arg.device().profile().kind == DeviceKind::Null) {
        return Err(Error::Unsupported {
            function: format!("{name}.check"),
            device: arg.device().to_string(),
            problem: "it computes nothing, so there is nothing to compare; take the host or an OpenCL device"
                .to_owned(),
        });
    }
    let graph = text::parse(graph).map_err(|problem| Error::graph(name, problem))?;
    let elements: usize = args.iter().filter(|arg| arg.dtype().is_float()).map(|arg| arg.elements()).sum();
    if elements > LARGEST {
        return Err(Error::Setting {
            operation: format!("{name}.check"),
            setting: "elements of the arguments",
            given: elements.to_string(),
            accepted: "at most 4096: small arguments tell as much",
        });
    }
    let arguments = args.iter().map(|arg| values(name, arg)).collect::<Result<Vec<_>>>()?;
    let give = |kind: &InputKind, _: &str| match kind {
        InputKind::Argument(position) => arguments.get(*position).cloned(),
        // Scalar 0 is a seed, of which no kernel makes anything.
        InputKind::Scalar(0) => HostTensor::from_f64(DType::U32, &[], &[0.0]).ok(),
        InputKind::Scalar(position) => {
            let scalar = scalars.get(position - 1)?;
            HostTensor::from_f64(scalar.dtype(), &[], &[scalar.literal().as_f64()]).ok()
        }
        InputKind::Parameter | InputKind::State | InputKind::Carried(_) => None,
    };
    let measured = differences(&graph, &sizes(&graph, args), &give).map_err(|problem| Error::graph(name, problem))?;
    let mut given: Vec<Tensor> = args.iter().map(|arg| (*arg).clone()).collect();
    for weights in &measured.weights {
        let Some(first) = args.first() else { continue };
        given.push(on_device(first.device(), weights)?);
    }
    let gradients = pullback.call(None, "", &given.iter().collect::<Vec<_>>(), scalars)?;
    let mut slopes: Vec<(usize, Slopes)> = measured
        .slopes
        .into_iter()
        .filter_map(|slopes| match slopes.kind {
            InputKind::Argument(position) => Some((position, slopes)),
            _ => None,
        })
        .collect();
    slopes.sort_by_key(|(position, _)| *position);
    let noise = Noise {
        magnitude: measured.magnitude,
        results: measured.weights.iter().map(|weights| weights.data().len()).sum::<usize>().max(1),
    };
    let mut compared = Vec::new();
    for ((position, slopes), gradient) in slopes.into_iter().zip(gradients) {
        let floor =
            arguments.get(position).map_or(0.0, |argument| noise.of(&argument.to_f64(), gradient.dtype()) / TOLERANCE);
        compared.push(Compared { slopes, gradient: values(name, &gradient)?.to_f64(), floor });
    }
    compare(name, compared)
}

/// What rounding makes of derivatives that are 0: terms that cancel leave their last digits.
struct Noise {
    /// [`netcl_kernels::autodiff::check::Differences::magnitude`].
    magnitude: f64,
    /// How many results that is the sum over.
    results: usize,
}

impl Noise {
    /// Of a derivative in an element of an argument, computed as `dtype`.
    fn of(&self, argument: &[f64], dtype: DType) -> f64 {
        let spacing = match dtype {
            DType::F16 => 2f64.powi(-10),
            DType::BF16 => 2f64.powi(-7),
            DType::F64 => f64::EPSILON,
            _ => f64::from(f32::EPSILON),
        };
        let size = argument.iter().filter(|x| x.is_finite()).fold(0.1f64, |size, x| size.max(x.abs()));
        // The smallest step of the differences is 1e-4.
        let differences = 4.0 * f64::EPSILON * self.magnitude / 1e-4;
        let vjp = 4.0 * spacing * self.magnitude / self.results as f64 / size;
        differences.max(vjp)
    }
}

/// The derivatives in an argument's elements, computed in two ways.
struct Compared {
    slopes: Slopes,
    gradient: Vec<f64>,
    /// Derivatives below this are compared as if they were of this size.
    floor: f64,
}

fn compare(name: &str, pairs: Vec<Compared>) -> Result<GradientCheck> {
    let mut check = GradientCheck { compared: 0, error: 0.0, worst: GradientElement::default() };
    for Compared { slopes, gradient, floor } in pairs {
        let mean = slopes.values.iter().map(|value| value.abs()).sum::<f64>() / slopes.values.len().max(1) as f64;
        for (position, (vjp, differences)) in gradient.into_iter().zip(slopes.values).enumerate() {
            let error = match (vjp - differences).abs() {
                0.0 => 0.0,
                apart => apart / differences.abs().max(mean).max(floor),
            };
            let error = if error.is_nan() { f64::INFINITY } else { error };
            if error >= check.error {
                let argument = slopes.name.clone();
                check.error = error;
                check.worst = GradientElement { argument, position, vjp, differences };
            }
            check.compared += 1;
        }
    }
    if check.error < TOLERANCE {
        return Ok(check);
    }
    let GradientElement { argument, position, vjp, differences } = check.worst;
    Err(Error::Gradient { function: name.to_owned(), argument, position, vjp, differences })
}

/// The elements, as `f64` has them.
fn values(name: &str, tensor: &Tensor) -> Result<HostTensor> {
    let values: Vec<f64> = match tensor.dtype() {
        DType::F32 => tensor.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        DType::F64 => tensor.to_vec::<f64>()?,
        DType::I32 => tensor.to_vec::<i32>()?.into_iter().map(f64::from).collect(),
        DType::U32 => tensor.to_vec::<u32>()?.into_iter().map(f64::from).collect(),
        DType::U8 => tensor.to_vec::<u8>()?.into_iter().map(f64::from).collect(),
        DType::I64 => tensor.to_vec::<i64>()?.into_iter().map(|value| value as f64).collect(),
        DType::Bool => tensor.to_vec::<bool>()?.into_iter().map(|value| f64::from(u8::from(value))).collect(),
        DType::F16 => tensor.to_vec::<f16>()?.into_iter().map(f64::from).collect(),
        DType::BF16 => tensor.to_vec::<bf16>()?.into_iter().map(f64::from).collect(),
    };
    HostTensor::from_f64(tensor.dtype(), tensor.shape(), &values).map_err(|problem| Error::graph(name, problem))
}

/// The weights, of floats, as a tensor of their type.
fn on_device(device: &Device, weights: &HostTensor) -> Result<Tensor> {
    let (values, shape) = (weights.to_f64(), weights.shape());
    match weights.dtype() {
        DType::F64 => Tensor::from_slice(device, &values, shape),
        DType::F16 => Tensor::from_slice(device, &Vec::from_iter(values.into_iter().map(f16::from_f64)), shape),
        DType::BF16 => Tensor::from_slice(device, &Vec::from_iter(values.into_iter().map(bf16::from_f64)), shape),
        _ => Tensor::from_slice(device, &Vec::from_iter(values.into_iter().map(|value| value as f32)), shape),
    }
}

/// The values of the graph's symbols, by the arguments' axes.
fn sizes(graph: &Graph, args: &[&Tensor]) -> Vec<(Symbol, u64)> {
    let inputs: Vec<(&Shape, &[usize])> = graph
        .iter()
        .filter_map(|(_, node)| match node.op {
            Op::Input(InputKind::Argument(position)) => Some((&node.shape, args.get(position)?.shape())),
            _ => None,
        })
        .collect();
    let mut known: Vec<(Symbol, u64)> = Vec::new();
    loop {
        let before = known.len();
        for (dim, size) in inputs.iter().flat_map(|(shape, sizes)| shape.0.iter().zip(*sizes)) {
            let is_known = |symbol: &Symbol| known.iter().any(|(other, _)| other == symbol);
            let Some((symbol, coefficient, rest)) = dim.linear_in_unknown(&is_known) else { continue };
            let rest = rest.evaluate(&known).unwrap_or_default();
            let value = (*size as i64).saturating_sub(rest).max(0) as u64 / coefficient;
            known.push((symbol.clone(), value));
        }
        if known.len() == before {
            return known;
        }
    }
}
