//! `Conv2d`: a learned cross-correlation over two spatial axes.

use super::checks::{divisor, positive_pair};
use super::tensors::fan_in;
use super::{Config, ConfigKey, ConfigKind, ConfigValue, Context, Init, Layer, TensorSpec};
use crate::dim::Dim;
use crate::graph::{ConvGeometry, NodeId};
use crate::ops;
use crate::span::{Diagnostic, Result};

pub(super) static CONV2D: Layer = Layer {
    name: "Conv2d",
    doc: "Cross-correlation with learned kernels and a bias for each output channel: `x [n, inputs, h, w] -> \
          [n, outputs, oh, ow]`, `oh = floor((h + 2 padding - dilation (kernel - 1) - 1) / stride) + 1`; padding is \
          zeros. Weight `[outputs, inputs / groups, kh, kw]`. Weight and bias start uniform within \
          `1 / sqrt(inputs / groups * kh * kw)`.",
    config: &[
        ConfigKey::size("inputs", "channels of the input"),
        ConfigKey::size("outputs", "channels of the output"),
        ConfigKey::required("kernel", ConfigKind::Pair, "size of the kernel in elements"),
        ConfigKey::pair("stride", 1, "step between output positions, in input elements"),
        ConfigKey::pair("padding", 0, "zeros added on either side, in input elements"),
        ConfigKey::pair("dilation", 1, "step between kernel taps, in input elements"),
        GROUPS,
        ConfigKey::bool("bias", true, "whether a bias is added"),
    ],
    check,
    tensors,
    inputs: 1,
    forward,
};

pub(super) const GROUPS: ConfigKey = ConfigKey {
    name: "groups",
    kind: ConfigKind::Fixed,
    default: Some(ConfigValue::Size(1)),
    doc: "channel groups that do not mix; divides `inputs` and `outputs`",
};

fn check(config: &Config) -> Result<()> {
    for key in ["kernel", "stride", "dilation"] {
        positive_pair("Conv2d", config, key)?;
    }
    check_channels("Conv2d", config, config.pair("kernel"))
}

/// An error if groups do not divide the channels of `layer`, or its weight has more elements than can be counted.
pub(super) fn check_channels(layer: &str, config: &Config, [height, width]: [u64; 2]) -> Result<()> {
    let groups = config.count("groups");
    for key in ["inputs", "outputs"] {
        if each(config, key).is_none() {
            let channels = config.size(key);
            let problem = Diagnostic::new(format!(
                "`groups` of `{layer}` must divide `{key}`, found `groups = {groups}` and `{key} = {channels}`"
            ));
            let numbers = ["inputs", "outputs"].map(|key| whole(&config.size(key)));
            return Err(match numbers {
                [Some(inputs), Some(outputs)] => {
                    let fitting = divisor(groups, &[inputs, outputs]);
                    problem.hint(format!("write `groups = {fitting}`, which divides `inputs` and `outputs`"))
                }
                _ => problem.hint(format!("write `{key} = {{ {groups} * WIDTH }}`, where `WIDTH` is that of a group")),
            });
        }
    }
    let [inputs, outputs] = ["inputs", "outputs"].map(|key| config.size(key));
    let elements = whole(&each(config, "inputs").unwrap_or_default())
        .zip(whole(&outputs))
        .map(|(inputs, outputs)| [outputs, height, width].iter().try_fold(inputs, |all, size| all.checked_mul(*size)));
    if elements.is_some_and(|elements| elements.is_none_or(|elements| i64::try_from(elements).is_err())) {
        return Err(Diagnostic::new(format!(
            "the weight of `{layer}` has more elements than can be counted, found `inputs = {inputs}`, \
             `outputs = {outputs}` and a kernel of {height} x {width}"
        )));
    }
    Ok(())
}

/// The size, if it is a number.
fn whole(size: &Dim) -> Option<u64> {
    u64::try_from(size.as_constant()?).ok()
}

/// Channels of one group, where they can be seen to be whole.
pub(super) fn each(config: &Config, key: &str) -> Option<Dim> {
    config.size(key).exact_div(&Dim::constant(i64::try_from(config.count("groups")).ok()?))
}

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let (outputs, [height, width]) =
        (config.size("outputs"), config.pair("kernel").map(|size| Dim::constant(size as i64)));
    // `check` has seen that the channels are whole.
    let channels = each(config, "inputs").unwrap_or_default();
    // How many elements of the input meet in one of the output.
    let init = fan_in(channels.clone() * height.clone() * width.clone());
    weight_and_bias(config, &[outputs, channels, height, width], init)
}

/// A weight of those sizes, and a bias for each of the outputs unless there is to be none; both start alike.
pub(super) fn weight_and_bias(config: &Config, weight: &[Dim], init: Init<Dim>) -> Vec<TensorSpec<Dim>> {
    let mut tensors = vec![TensorSpec::parameter("weight", weight, init.clone())];
    if config.bool("bias") {
        tensors.push(TensorSpec::parameter("bias", &[config.size("outputs")], init));
    }
    tensors
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    context.rank(x, |rank| rank == 4, "[n, inputs, h, w]")?;
    context.expect(x, 1, "inputs", "channels")?;
    let geometry = ConvGeometry {
        stride: context.config.pair("stride"),
        padding: context.config.pair("padding"),
        dilation: context.config.pair("dilation"),
        groups: context.config.count("groups"),
    };
    let weight = context.tensor(0, dtype)?;
    let bias = if context.config.bool("bias") { Some(context.tensor(1, dtype)?) } else { None };
    let y = ops::convolution::conv2d(context.builder, "conv2d", [x, weight], bias, geometry)
        .map_err(|error| misfit(renamed(error, "conv2d", context.name), context.config))?;
    context.origin(y, 1, "outputs");
    let kernel = context.config.pair("kernel");
    ops::convolution::note_windows(context.builder, context.name, (x, y), kernel, &geometry);
    Ok(y)
}

/// Says of a window that does not fit what makes it larger than its kernel, and what to write instead.
pub(super) fn misfit(mut error: Diagnostic, config: &Config) -> Diagnostic {
    let of = |name: &str| match config.pair(name) {
        [height, width] if height == width => format!("`{name} = {height}`"),
        [height, width] => format!("`{name} = ({height}, {width})`"),
    };
    let Some((window, rest)) = error.message.split_once(" does not fit into ") else { return error };
    let mut smaller = "kernel";
    let dilates = config.keys.iter().any(|key| key.name == "dilation");
    if dilates && config.pair("dilation") != [1, 1] {
        let keys = format!("{} with {}", of("kernel"), of("dilation"));
        error.message = format!("{window} ({keys}) does not fit into {rest}");
        smaller = "dilation";
    }
    error.hint.get_or_insert_with(|| format!("write a smaller `{smaller}`, or a larger `padding`"));
    error
}

/// An operation's error in the user's words: the layer's name for the operation's.
pub(super) fn renamed(mut error: Diagnostic, operation: &str, name: &str) -> Diagnostic {
    error.message = error.message.replace(&format!("`{operation}`"), &format!("`{name}`"));
    error
}
