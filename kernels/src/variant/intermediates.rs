//! The tensors between the kernels of one variant, which calls have besides their own memory.

use super::{Conv2dTask, KernelConfig, PART, SPLIT_K, Task, Variant};
use crate::dim::{INDEX_LIMIT, saturating_product};
use crate::dtype::DType;
use crate::graph::{AttentionKind, ConvKind};
use crate::template::Limits;

/// Whether kernels can count the elements between them, and a device has the memory.
///
/// # Errors
///
/// How many elements or bytes there are, and how many there may be.
pub(super) fn fits(config: &KernelConfig, task: &Task<u64>, limits: &Limits) -> Result<(), String> {
    let (tensors, dtype) = tensors(config, task);
    let largest = tensors.iter().copied().max().unwrap_or(0);
    if largest > INDEX_LIMIT {
        return Err(format!("it would write down {largest} elements, and kernels count up to {INDEX_LIMIT}"));
    }
    let elements = tensors.iter().fold(0, |sum: u64, elements| sum.saturating_add(*elements));
    let bytes = elements.saturating_mul(dtype.size() as u64);
    if bytes > limits.between_bytes {
        let most = limits.between_bytes;
        return Err(format!(
            "it would write down {bytes} bytes between its kernels, and {most} are to be had for that"
        ));
    }
    Ok(())
}

/// The number of elements of each, saturating, and their type.
fn tensors(config: &KernelConfig, task: &Task<u64>) -> (Vec<u64>, DType) {
    let parts = u64::from(config.values.get(SPLIT_K));
    match task {
        // The parts of a sum are not rounded.
        Task::Product(own) if parts > 1 => {
            (vec![saturating_product([parts, own.batch, own.m, own.n])], own.dtype.compute())
        }
        // Nor are the gradients of patches.
        Task::Conv2d(own) if parts > 1 || own.kind == ConvKind::InputGrad => {
            (of_convolution(config.variant, own, parts), own.dtype.compute())
        }
        Task::Conv2d(own) => (of_convolution(config.variant, own, parts), own.dtype),
        Task::Reduction(own) if config.variant == Variant::ReductionParallel => {
            let parts = own.columns.div_ceil(u64::from(config.values.get(PART)).max(1));
            // Of the type that is computed in, so that nothing is rounded twice.
            (vec![saturating_product([own.rows, parts])], own.dtype.compute())
        }
        Task::Product(own) => (Vec::new(), own.dtype),
        Task::Elementwise(own) => (Vec::new(), own.dtype),
        Task::Reduction(own) => (Vec::new(), own.dtype),
        // Mean and variance are smaller by far than what is normalised.
        Task::BatchNorm(own) => (Vec::new(), own.dtype),
        // The scores, and in gradients their cotangents.
        Task::Attention(own) if config.variant == Variant::AttentionNaive => {
            let scores = saturating_product([own.batch, own.queries, own.keys]);
            let more = usize::from(own.kind != AttentionKind::Forward);
            (vec![scores; 2 + more], own.dtype)
        }
        Task::Attention(own) => (Vec::new(), own.dtype),
        // What rounds pass on is smaller than what they read.
        Task::Recurrence(own) => (Vec::new(), own.dtype),
    }
}

fn of_convolution(variant: Variant, conv: &Conv2dTask<u64>, parts: u64) -> Vec<u64> {
    let Some(out) = conv.conv().0.out_size() else { return Vec::new() };
    match variant {
        Variant::Conv2dIm2col => {
            // Each tap of each output pixel in each channel of the input, or the other way round.
            let (channels, size) = match conv.kind {
                ConvKind::InputGrad if conv.stride == [1, 1] => (conv.out_channels, conv.size),
                _ => (conv.channels, out),
            };
            vec![saturating_product([channels, conv.filter[0], conv.filter[1], conv.images, size[0], size[1]])]
        }
        Variant::Conv2dWinograd => {
            let (from, to, size) = match conv.kind {
                ConvKind::InputGrad => (conv.out_channels, conv.channels, conv.size),
                _ => (conv.channels, conv.out_channels, out),
            };
            // 16 values for each 2x2 results: of the pixels, of their products, and of the filters.
            let tiles = saturating_product([16, conv.images, size[0].div_ceil(2), size[1].div_ceil(2)]);
            vec![saturating_product([from, tiles]), saturating_product([to, tiles]), saturating_product([16, from, to])]
        }
        _ if parts > 1 => {
            let result = match conv.kind {
                ConvKind::Forward => saturating_product([conv.images, conv.out_channels, out[0], out[1]]),
                ConvKind::InputGrad => saturating_product([conv.images, conv.channels, conv.size[0], conv.size[1]]),
                ConvKind::WeightGrad => {
                    let own = conv.channels / conv.groups.max(1);
                    saturating_product([conv.out_channels, own, conv.filter[0], conv.filter[1]])
                }
            };
            vec![saturating_product([parts, result])]
        }
        _ => Vec::new(),
    }
}
