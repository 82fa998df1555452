//! Whole models with their gradients, against the reference interpreter.

use crate::Case;
use crate::graphs::Example;
use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, Op};
use netcl_kernels::layers::Mode;

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for batch in [1u64, 7, 33] {
        cases.push(case("mlp", batch, || models::mlp([64, 32, 10], true)));
        cases.push(case("mlp wide", batch, || models::mlp([50, 130, 11], true)));
        cases.push(case("words", batch, || models::bag_of_words(300)));
        cases.push(case("cnn", batch, || models::cnn(8, 1, true)));
        cases.push(case("cnn without padding", batch, || models::cnn(14, 0, true)));
    }
    for batch in [1, 3] {
        cases.push(case("transformer block", batch, || models::transformer_block(true)));
    }
    for [height, width] in [[9, 7], [8, 13], [32, 24], [33, 47]] {
        let sizes = move || vec![("N", 2), ("H", height), ("W", width)];
        let name = |model: &str| format!("{model}, images of {height}x{width}");
        cases.push(sized(name("residual"), sizes(), LOOSE, || models::residual(Mode::Training, None)));
        cases.push(sized(name("residual, inference"), sizes(), CLOSE, || models::residual(Mode::Inference, None)));
        if height % 4 == 0 && width % 4 == 0 {
            cases.push(sized(name("unet"), sizes(), CLOSE, || models::unet(None)));
        }
    }
    for [height, width] in [[4, 8], [12, 20]] {
        let sizes = vec![("N", 3), ("H", height), ("W", width)];
        cases.push(sized(format!("unet, images of {height}x{width}"), sizes, CLOSE, || models::unet(None)));
    }
    for [channels, outputs] in [[1, 3], [5, 8]] {
        let sizes = vec![("N", 2), ("C", channels), ("O", outputs), ("H", 9), ("W", 11)];
        let name = format!("convolution of {channels} channels to {outputs}");
        cases.push(sized(name, sizes, CLOSE, models::convolution_of_any_channels));
    }
    cases
}

/// How near results are, relative to the largest of their tensor; and where a few pixels are normalised by their own
/// statistics, which makes of the rounding of their variance a much larger one.
const CLOSE: f64 = 2e-5;
const LOOSE: f64 = 2e-3;

fn sized(
    name: String,
    sizes: Vec<(&'static str, u64)>,
    tolerance: f64,
    build: impl Fn() -> Graph + Send + Sync + 'static,
) -> Case {
    Case::new(format!("models::{name}"), move |device| {
        let graph = append_gradients(build(), Arguments::None).map_err(|error| error.to_string())?;
        example(graph, &sizes).check(device, tolerance)
    })
}

fn case(name: &str, batch: u64, build: fn() -> Graph) -> Case {
    Case::new(format!("models::{name}, batch {batch}"), move |device| {
        let graph = append_gradients(build(), Arguments::None).map_err(|error| error.to_string())?;
        example(graph, &[("N", batch), ("T", 5)]).check(device, 2e-5)
    })
}

/// Inputs from a small generator: floats within (-1, 1), but variances from 1 to 2; labels below 10.
pub(crate) fn example(graph: Graph, sizes: &[(&str, u64)]) -> Example {
    let bindings: Vec<(Symbol, u64)> = sizes.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut inputs = Vec::new();
    for node in &graph.nodes {
        let Op::Input(kind) = &node.op else { continue };
        let shape = node.shape.evaluate(&bindings).expect("every symbol has a size");
        let count: usize = shape.iter().product();
        let variance = node.name.ends_with("running_var");
        let values: Vec<f64> = (0..count)
            .map(|_| match node.dtype {
                _ if variance => 1.0 + (next() >> 40) as f64 / (1u64 << 24) as f64,
                DType::F32 | DType::F16 | DType::BF16 => f64::from((next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0),
                _ => (next() % 10) as f64,
            })
            .collect();
        let value = HostTensor::from_f64(node.dtype, &shape, &values).expect("values for the shape");
        inputs.push((kind.clone(), node.name.clone(), value));
    }
    Example { graph, bindings, inputs }
}
