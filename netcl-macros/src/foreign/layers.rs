//! What there is here for layers of other frameworks.

use super::within;

/// Layers elsewhere that are operations here.
pub(crate) const LAYERS: &[(&str, &str)] = &[
    ("ReLU", "relu()"),
    ("ReLU6", "relu6()"),
    ("GELU", "gelu()"),
    ("SiLU", "silu()"),
    ("ELU", "elu(1.0)"),
    ("SELU", "selu()"),
    ("CELU", "celu(1.0)"),
    ("LeakyReLU", "leaky_relu(0.01)"),
    ("LogSoftmax", "log_softmax(1)"),
    ("LogSigmoid", "log_sigmoid()"),
    ("Softmax", "softmax(1)"),
    ("Softmax2d", "softmax(1)"),
    ("Softmin", "neg().softmax(1)"),
    ("Mish", "mish()"),
    ("Threshold", "threshold(0.1, 0.0)"),
    ("Hardshrink", "hard_shrink(0.5)"),
    ("Softshrink", "soft_shrink(0.5)"),
    ("Tanhshrink", "tanh_shrink()"),
    ("BCELoss", "bce_loss(y)"),
    ("KLDivLoss", "kl_div(y)"),
    ("SmoothL1Loss", "smooth_l1_loss(y, 1.0)"),
    ("Hardswish", "hard_swish()"),
    ("Hardsigmoid", "hard_sigmoid()"),
    ("Hardtanh", "hard_tanh()"),
    ("Softplus", "softplus()"),
    ("Softsign", "softsign()"),
    ("AdaptiveAvgPool2d", "adaptive_avg_pool2d(1)"),
    ("CrossEntropyLoss", "cross_entropy(labels)"),
    ("NLLLoss", "nll_loss(labels)"),
    ("MSELoss", "mse_loss(y)"),
    ("L1Loss", "l1_loss(y)"),
    ("HuberLoss", "huber_loss(y, 1.0)"),
    ("BCEWithLogitsLoss", "bce_with_logits(y)"),
];

const CONV3D: &str = "an operation with a weight of your own: `#[parameter(init = normal(0.1))] weight: Tensor<f32, 16, 3, 3, 3, 3>`, and \
                      `x.conv3d(&self.weight, 1, 1, 1, 1)`";

/// Layers elsewhere that other ones compute here.
pub(crate) const LAYERS_AS: &[(&str, &str)] = &[
    ("MaxPool1d", "write `MaxPool2d`, with `kernel = (1, 2)`: it takes `[N, channels, 1, length]`"),
    ("AvgPool1d", "write `AvgPool2d`, with `kernel = (1, 2)`: it takes `[N, channels, 1, length]`"),
    ("BatchNorm1d", "write `BatchNorm`, with `features = 64`: it takes rows and images"),
    ("BatchNorm2d", "write `BatchNorm`, with `features = 64`: it takes rows and images"),
    ("InstanceNorm1d", "write `GroupNorm`, with `features = 64, groups = 64`"),
    ("InstanceNorm2d", "write `GroupNorm`, with `features = 64, groups = 64`"),
    ("InstanceNorm3d", "write `GroupNorm`, with `features = 64, groups = 64`"),
    ("BatchNorm3d", "write `BatchNorm`, with `features = 64`: it takes rows and images"),
    ("InstanceNorm", "write `GroupNorm`, with `features = 64, groups = 64`"),
    ("BatchNormalization", "write `BatchNorm`, with `features = 64`: it takes rows and images"),
    ("LayerNormalization", "write `LayerNorm`, with `features = 64`"),
    ("Dense", "write `Linear`, with `inputs = 64, outputs = 64`"),
    ("LazyLinear", "write `Linear`, with `inputs = 64, outputs = 64`"),
    (
        "PReLU",
        "its slope is trained: write `#[parameter(init = 0.25)] slope: Tensor<f32>` in place of this field, and call `x.prelu(&self.slope)`",
    ),
    ("Conv", "write `Conv2d`, with `inputs = 3, outputs = 16, kernel = 3`"),
    ("Conv3d", CONV3D),
    ("Conv3D", CONV3D),
    ("Conv2D", "write `Conv2d`, with `inputs = 3, outputs = 16, kernel = 3`"),
    ("Conv1D", "write `Conv1d`, with `inputs = 3, outputs = 16, kernel = 3`"),
    ("MaxPooling2D", "write `MaxPool2d`, with `kernel = 2`"),
    ("AveragePooling2D", "write `AvgPool2d`, with `kernel = 2`"),
    ("Dropout1d", "write `Dropout`, with `rate = 0.5`: it leaves out single elements"),
    ("Dropout2d", "write `Dropout`, with `rate = 0.5`: it leaves out single elements"),
    ("ZeroPad2d", "an operation: `x.pad(2, 1, 1, 0.0).pad(3, 1, 1, 0.0)`"),
    ("UpsamplingNearest2d", "write `Upsample`, with `scale = 2`"),
    ("UpsamplingBilinear2d", "write `Upsample`, with `scale = 2`"),
    ("RMSNorm", "write `RmsNorm`, with `features = 64`"),
    ("MultiheadAttention", "write `SelfAttention`, with `features = 64, heads = 4`"),
    ("MultiHeadAttention", "write `SelfAttention`, with `features = 64, heads = 4`"),
    (
        "AdaptiveMaxPool2d",
        "its largest elements of whole images are `x.max([2, 3])`, of areas of one size those of `MaxPool2d`",
    ),
    ("LSTM", "it is a cell in a loop: a model of two `Linear`s whose `forward` returns `(h, c)`, called in a `for`"),
    ("RNN", "it is a cell in a loop: a model of `Linear`s whose `forward` returns `h`, called in a `for`"),
    ("GRU", "it is a cell in a loop: a model of `Linear`s whose `forward` returns `h`, called in a `for`"),
    ("LSTMCell", "it is a model of two `Linear`s whose `forward` takes and returns `(h, c)`, called in a `for`"),
    ("GRUCell", "it is a model of `Linear`s whose `forward` takes and returns `h`, called in a `for`"),
    ("RNNCell", "it is a model of `Linear`s whose `forward` takes and returns `h`, called in a `for`"),
    (
        "Sequential",
        "write a field for each layer; `forward` calls one after the other: `self.b.forward(&self.a.forward(x).relu())`",
    ),
    ("ModuleList", "write a list of layers of one kind, `layers: [Linear; 3]`, or of models of your own"),
    ("ModuleDict", "write a field for each: its name is the word"),
];

/// Whether no model of a user's has that name: PyTorch's and Keras's say of how many dimensions a layer is.
pub(crate) fn is_torch_layer(name: &str) -> bool {
    let dimensions = ["1d", "2d", "3d", "1D", "2D", "3D"].iter().any(|end| name.ends_with(end));
    dimensions && layer_as(name).is_some()
}

/// The operation that a layer of other frameworks is here, as it is called.
pub(crate) fn layer(name: &str) -> Option<&'static str> {
    within(LAYERS, name)
}

/// What stands here for a layer of other frameworks.
pub(crate) fn layer_as(name: &str) -> Option<&'static str> {
    within(LAYERS_AS, name)
}
