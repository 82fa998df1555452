//! What operations are computed of where activations are halves: one row for each of them, after PyTorch's `autocast`.

use crate::dtype::DType;

/// What activations are stored in. Parameters, gradients of parameters, and what a function declares stay what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// `f32`, or whatever the tensors of a program are: nothing is converted.
    #[default]
    F32,
    /// `bf16`: the range of `f32`, and 8 bits of mantissa.
    Bf16,
    /// `f16`: 11 bits of mantissa, and numbers of up to 65504.
    F16,
}

impl Precision {
    /// Every one.
    pub const ALL: [Precision; 3] = [Precision::F32, Precision::Bf16, Precision::F16];

    /// `f32`, `bf16` or `f16`.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
            Precision::F16 => "f16",
        }
    }

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Precision> {
        Precision::ALL.into_iter().find(|precision| precision.name() == name)
    }

    /// The type that is stored; `None` where nothing is converted.
    pub const fn half(self) -> Option<DType> {
        match self {
            Precision::F32 => None,
            Precision::Bf16 => Some(DType::BF16),
            Precision::F16 => Some(DType::F16),
        }
    }

    /// Whether tensors of that type are converted: whole numbers, truth values and `f64` never are.
    pub const fn converts(self, dtype: DType) -> bool {
        self.half().is_some() && matches!(dtype, DType::F16 | DType::BF16 | DType::F32)
    }
}

/// What an operation or layer takes, and therefore gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Halves: what matrix units compute, summed in `f32` and rounded once.
    Half,
    /// `f32`: what loses too much in halves, or exceeds them.
    Full,
    /// What it is given: of several types the widest, where numbers and tensors without axes do not count beside tensors with some.
    Widest,
}

impl Policy {
    /// Every one.
    pub const ALL: [Policy; 3] = [Policy::Half, Policy::Full, Policy::Widest];

    /// The row of an operation or layer; what is no entry of the tables keeps its types.
    pub fn of(name: &str) -> Policy {
        Policy::ALL.into_iter().find(|policy| policy.names().contains(&name)).unwrap_or(Policy::Widest)
    }

    /// The operations and layers of that policy.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Policy::Half => HALF,
            Policy::Full => FULL,
            Policy::Widest => WIDEST,
        }
    }
}

#[rustfmt::skip]
const HALF: &[&str] = &[
    // Products.
    "matmul", "linear", "einsum",
    // Convolutions.
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    // Attention.
    "scaled_dot_product_attention",
    // Activations.
    "prelu",
    // Layers.
    "Linear", "Conv1d", "Conv2d", "ConvTranspose2d", "SelfAttention",
];

#[rustfmt::skip]
const FULL: &[&str] = &[
    // Powers, exponentials, logarithms and what is made of them.
    "pow", "square", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "xlogy", "logit",
    "softplus", "sinh", "cosh", "acos", "asin", "tan", "recip", "rsqrt",
    // Sums.
    "sum", "sum_all", "sum_keepdim", "mean", "mean_all", "mean_keepdim", "prod", "var", "std", "logsumexp", "norm",
    "normalize", "cosine_similarity", "trace",
    // Running totals.
    "cumsum", "cumprod", "logcumsumexp",
    // Softmax and losses.
    "softmax", "log_softmax", "bce_loss", "bce_with_logits", "cross_entropy", "cross_entropy_ignoring", "huber_loss",
    "kl_div", "l1_loss", "mse_loss", "nll_loss", "poisson_nll_loss", "smooth_l1_loss",
    // Linear algebra.
    "cholesky", "det", "det_sign", "eigh_vectors", "eigvalsh", "inv", "logabsdet", "lstsq", "matrix_power",
    "qr_q", "qr_r", "solve", "solve_triangular", "svd_u", "svd_vh", "svdvals",
    // Fourier transforms.
    "fft", "fft2", "ifft", "ifft2", "rfft", "rfft2", "irfft", "irfft2", "complex_mul",
    // Order.
    "quantile",
    // Layers.
    "LayerNorm", "GroupNorm", "RmsNorm",
];

#[rustfmt::skip]
const WIDEST: &[&str] = &[
    // Arithmetic.
    "add", "sub", "mul", "div", "rem", "maximum", "minimum", "atan2", "lerp", "clamp", "select", "abs", "neg", "sign",
    "ceil", "floor", "round", "cast", "detach", "sqrt", "sin", "cos", "tanh", "erf",
    // Comparisons and bits.
    "eq", "ne", "lt", "le", "gt", "ge", "is_finite", "is_nan", "is_infinite", "is_sign_negative", "is_sign_positive",
    "and", "or", "xor", "not", "shl", "shr",
    // Elementary functions.
    "acosh", "asinh", "atan", "atanh", "cbrt", "copysign", "div_euclid", "floor_divide", "fract", "hypot",
    "rem_euclid", "remainder", "sinc", "to_degrees", "to_radians", "trunc",
    // Activations.
    "celu", "elu", "gelu", "gelu_tanh", "hard_shrink", "hard_sigmoid", "hard_swish", "hard_tanh", "leaky_relu",
    "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softsign", "tanh_shrink",
    "threshold",
    // Reductions that choose.
    "all", "any", "argmax", "argmin", "max", "max_all", "max_keepdim", "min", "min_all", "min_keepdim", "cummax",
    "cummin",
    // Shapes.
    "broadcast_to", "concat", "flatten", "flip", "get", "narrow", "pad", "permute", "reshape", "squeeze", "stack",
    "t", "transpose", "unsqueeze",
    // Rearranging.
    "diagonal", "dot", "movedim", "outer", "pad_circular", "pad_reflect", "pad_replicate", "repeat",
    "repeat_interleave", "roll", "slice", "tile", "unfold", "tril", "triu", "fftshift", "ifftshift",
    // Positions.
    "embedding_bag", "gather", "index_select", "masked_fill", "one_hot", "index_add", "scatter_add",
    "take_along_axis",
    // Order.
    "argsort", "bincount", "bucketize", "histogram", "kthvalue", "median", "searchsorted", "sort", "topk",
    "topk_indices",
    // Products of elements.
    "cross", "kron",
    // Images.
    "avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d", "adaptive_avg_pool2d", "pixel_shuffle", "pixel_unshuffle",
    "upsample_bicubic2d", "upsample_bilinear2d", "upsample_nearest2d", "grid_sample",
    // Layers.
    "BatchNorm", "MaxPool2d", "AvgPool2d", "Upsample", "Dropout", "Embedding", "Flatten", "Relu", "LeakyRelu", "Gelu",
    "Silu", "Sigmoid", "Tanh", "Identity",
];
