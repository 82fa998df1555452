//! What PyTorch, NumPy, candle, Burn, OpenCL, CUDA and Rust call what has another name here, or another form: one table for
//! models and kernels, from which messages take what to write instead.
//!
//! A name that netcl has too is never looked up, and neither is a function of the user's own.

mod devices;
mod layers;
mod numbers;
mod values;

#[cfg(test)]
pub(crate) use devices::{DEVICES, VARIABLES};
pub(crate) use devices::{array, device, device_of, variable};
#[cfg(test)]
pub(crate) use layers::LAYERS;
pub(crate) use layers::{is_torch_layer, layer, layer_as};
use netcl_kernels::ops;
pub(crate) use numbers::of_number;
use proc_macro2::Ident;
pub(crate) use values::{element_type, number};

/// What there is here instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Here {
    /// The same operation under this name, with the same arguments.
    Named(&'static str),
    /// The same operation under this name, its sizes or axes in one list.
    Listed(&'static str),
    /// Nothing: what is called on is the value.
    Left(&'static str),
    /// Written so of a tensor `x`, with arguments of one's own.
    Write(&'static str),
    /// Written so of a tensor `x` with the arguments `_0` and `_1`, or, where they are not there, as the example.
    Filled(&'static str, &'static str),
    /// The size of the axis that is the argument.
    Axis,
    /// Something else than an operation.
    Say(&'static str),
}

use Here::{Axis, Filled, Left, Listed, Named, Say, Write};

const CANNOT_FAIL: &str = "operations of a compiled function cannot fail, only a call of the function can";
const NO_COPY: &str = "operations give new tensors, and never change one";
const NO_ITERATOR: &str = "loops run over ranges, lists and layers: `let mut h = x; for layer in &self.layers { h = layer.forward(&h); }`, also with `rev()`, \
                           `step_by(2)`, `enumerate()`, `zip(..)`, `skip(1)` and `take(2)`";
const AT_RUN_TIME: &str =
    "the numbers of a tensor are not known while compiling: read them in ordinary Rust, from what the function returns";
const DRAWN: &str =
    "random numbers come from a `Dropout` layer, or as an argument that the caller fills: `noise: &Tensor<f32, N, 8>`";
const AS_ANOTHER: &str = "sizes are written, with the names that the types of arguments give them: `x.reshape([N, 8])`";
const EXPANDED: &str = "operands of `+`, `*` and the like meet each other's shapes: leave it out; elsewhere sizes are written, with the names that the \
                        types of arguments give them: `x.broadcast_to([N, 8])`";
const FILLED: &str = "a number meets every element, as in `x + 1.0`; where a tensor is needed there are `Tensor::zeros([N, 8])`, `Tensor::ones([N, 8])` and `Tensor::full(0.5, [N, 8])`";
const COUNTED: &str = "write `Tensor::arange(T)`, of `u32`, or `Tensor::arange(T, f32)`";
/// Of what moves a tensor elsewhere.
pub(crate) const DEVICE: &str = "a body is compiled for every device, and runs where the model is: leave it out";
const ORDERED: &str = "`netcl::algorithms` sorts, scans and selects in ordinary Rust, from what the function returns";
const LOOPED: &str =
    "a loop: `let mut h = Tensor::zeros([N, 8]); for t in 0..T { h = self.cell(x.get(1, t), h); ys.push(h); }`";
const GENERATED: &str = "gradients come with the functions that are generated, in ordinary Rust: a loss called `loss` has `loss_with_gradients`; \
     inside of a body `grad(&value, x)` is the derivative of a number in what it is computed from";
const PRECISE: &str = "it is of what is computed at run time: `#[precision(bf16)]` above this function, or above one that it calls, is the same \
     for what is compiled";
const AGAIN: &str = "leave it out: compiled gradients compute again what is cheap; in ordinary Rust `netcl::checkpoint` around a call of the function \
     computes all of it again";
const OWN_DERIVATIVE: &str = "a derivative of one's own is a kernel's: `#[gradient(own)]` above one in SIMT form, in `netcl::kernel! { .. }`, which is \
     called here like an operation";
const HOOKED: &str =
    "hooks are of what is computed at run time: in ordinary Rust, `x.on_gradient(..)` of what the function is given";
const UPSAMPLED: &str = "of images `[N, channels, H, W]` it is `x.upsample_nearest2d(2)` or `x.upsample_bilinear2d(2)`, and a layer: `#[layer(scale = 2)] up: Upsample`; to the size of another tensor, `x.grid_sample(grid, \"bilinear\", \"border\", false)`";
const MASKED: &str = "how many elements there are, the mask's numbers would say: `mask.select(x, 0.0)` keeps the others' places; in ordinary Rust `netcl::algorithms` selects, from what the function returns";
const SCATTERED: &str =
    "`x.scatter_add(1, indices, source)` adds at positions, `x.index_add(0, indices, source)` whole rows";
const FILLED_IN_PLACE: &str = "none changes a tensor: give the new one a name, `let x = Tensor::zeros([N, 8]);`, `let x = y;`; a `#[state]` is set, `self.mean.set(0.0)`";
const EIGEN: &str = "those of symmetric matrices are real: `let (values, vectors) = a.eigh();`; others are computed in ordinary Rust, from what the function returns";
const TRANSFORMED: &str = "one axis after the other: `x.rfft(2).fft(1).fft(0)`";
const COMPLEX: &str =
    "complex numbers have their parts as a last axis of 2: `Tensor::stack([real, imaginary], -1)`, `x.get(-1, 0)`";
const ATTENTION: &str = "it has weights, and is a layer: a field `#[layer(features = 8, heads = 2)] attention: SelfAttention`, called as `self.attention.forward(&x)`; without weights it is `q.scaled_dot_product_attention(k, v, false)`";
const GROUP_NORM: &str = "it has weights, and is a layer: a field `#[layer(features = 8, groups = 2)] norm: GroupNorm`, called as `self.norm.forward(&x)`; with as many groups as features it is `instance_norm`";
const DROPOUT: &str =
    "it is a layer: a field `#[layer(rate = 0.1)] dropout: Dropout`, called as `self.dropout.forward(&x)`";
const LAYER_NORM: &str = "it has weights, and is a layer: a field `#[layer(features = 8)] norm: LayerNorm`, called as `self.norm.forward(&x)`";
const BATCH_NORM: &str = "it has a state, and is a layer: a field `#[layer(features = 8)] norm: BatchNorm`, called as `self.norm.forward(&x)`";
const RMS_NORM: &str =
    "it has weights, and is a layer: a field `#[layer(features = 8)] norm: RmsNorm`, called as `self.norm.forward(&x)`";
const EMBEDDING: &str = "it has weights, and is a layer: a field `#[layer(entries = 100, features = 8)] words: Embedding`, called as `self.words.forward(&x)`";

/// Names elsewhere, and what is written here.
pub(crate) const TENSORS: &[(&[&str], Here)] = &[
    // Shapes.
    (&["view", "resize", "to_shape", "into_shape"], Listed("reshape")),
    (&["view_as", "reshape_as"], Say(AS_ANOTHER)),
    (&["ravel", "flatten_all"], Write("x.reshape([-1])")),
    (&["expand", "broadcast", "broadcast_as"], Listed("broadcast_to")),
    (&["expand_as"], Say(EXPANDED)),
    (&["size", "len", "shape", "dims", "sizes"], Axis),
    (&["numel", "nelement", "elem_count", "num_elements"], Write("x.dim(0) * x.dim(1)")),
    (
        &["ndim", "ndimension", "rank"],
        Say("an argument's type says how many axes it has; the size of one is `x.dim(0)`"),
    ),
    (&["T", "mT", "mt", "H", "adjoint", "transpose_last"], Write("x.t()")),
    (&["swapaxes", "swap_axes", "swap_dims", "transpose_"], Named("transpose")),
    (&["permute_axes", "permuted_axes"], Listed("permute")),
    (&["moveaxis"], Write("x.movedim(0, 1)")),
    (&["rearrange"], Say("axes are exchanged and joined by numbers: `x.permute([1, 0])`, `x.reshape([-1])`")),
    (&["expand_dims", "unsqueeze_dim", "insert_axis", "newaxis"], Named("unsqueeze")),
    (&["remove_axis", "squeeze_dim"], Named("squeeze")),
    (&["cat", "concatenate", "hstack", "vstack", "append"], Write("x.concat([y], 1)")),
    (
        &["split", "chunk", "tensor_split", "unbind", "split_at", "unstack"],
        Say(
            "each part is a `narrow` with its first position and its length: of 8 elements write `(x.narrow(1, 0, 4), x.narrow(1, 4, 4))`",
        ),
    ),
    (&["slice_axis", "index", "i", "index_axis"], Write("x.narrow(1, 0, 4)")),
    (&["repeat_dim"], Write("x.repeat(0, 2)")),
    (&["fliplr", "rev_axis"], Write("x.flip([1])")),
    (&["zero_pad2d", "constant_pad"], Write("x.pad(1, 0, 2, 0.0)")),
    (&["device"], Say(DEVICE)),
    (&["dtype"], Say("an argument's type says of which type it is; another one gives `x.cast(f16)`")),
    (&["swapdims"], Named("transpose")),
    (&["interpolate"], Say(UPSAMPLED)),
    (&["diag"], Say("of a matrix it is `x.diagonal(0, 0, 1)`, whose axes are equally long")),
    (&["masked_select"], Say(MASKED)),
    (&["scatter", "scatter_", "index_copy", "index_put"], Say(SCATTERED)),
    (&["zero_", "fill_", "copy_", "assign", "update"], Say(FILLED_IN_PLACE)),
    // Products.
    (&["mm", "bmm", "mv", "matmul_", "general_mat_mul"], Named("matmul")),
    (&["tensordot", "inner"], Write("x.einsum(\"ij,kj->ik\", y)")),
    (&["addmm", "addmv"], Write("x.linear(weight, bias)")),
    (&["addcmul", "addcdiv"], Say("written out, all of it is one kernel: `x + a * b`, `x + a / b`")),
    (&["cdist", "pairwise_distance"], Write("(x.unsqueeze(1) - y.unsqueeze(0)).norm([2], 2.0)")),
    (&["inverse"], Named("inv")),
    (&["logdet"], Named("logabsdet")),
    (
        &["triangular_solve"],
        Say("`a.solve_triangular(b, false)` is of the lower triangle, with `true` of the upper one"),
    ),
    (
        &["cholesky_solve"],
        Say("two triangles, one after the other: `l.t().solve_triangular(l.solve_triangular(b, false), true)`"),
    ),
    (&["pinverse", "pinv"], Say("what it is multiplied with is solved for: `a.lstsq(b)`")),
    (&["eig", "eigvals"], Say(EIGEN)),
    (&["fftn", "rfftn"], Say(TRANSFORMED)),
    (&["view_as_real", "view_as_complex", "complex"], Say(COMPLEX)),
    // Reductions.
    (&["sum_dim", "sum_axis"], Named("sum")),
    (&["mean_dim", "mean_axis"], Named("mean")),
    (&["amax", "max_dim", "max_axis"], Named("max")),
    (&["amin", "min_dim", "min_axis"], Named("min")),
    (&["l2_norm"], Write("x.norm(1, 2.0)")),
    (&["log_sum_exp"], Named("logsumexp")),
    (&["scan", "fori_loop", "while_loop", "associative_scan"], Say(LOOPED)),
    (&["nonzero", "unique", "multinomial", "mode"], Say(ORDERED)),
    (&["msort"], Write("x.sort(0, false)")),
    (&["histc"], Write("x.histogram(8, 0.0, 1.0)")),
    // Elements.
    (&["power", "powf_scalar", "powi_scalar"], Write("x.pow(2.0)")),
    (&["logarithm"], Named("log")),
    (&["reciprocal"], Named("recip")),
    (&["negative"], Named("neg")),
    (&["absolute"], Named("abs")),
    (&["sgn"], Named("sign")),
    (&["sqr", "squared"], Named("square")),
    (&["clip"], Named("clamp")),
    (&["clamp_min", "fmax", "broadcast_maximum", "max_pair"], Named("maximum")),
    (&["clamp_max", "fmin", "broadcast_minimum", "min_pair"], Named("minimum")),
    (&["broadcast_add"], Named("add")),
    (&["broadcast_sub", "subtract"], Named("sub")),
    (&["broadcast_mul", "multiply"], Named("mul")),
    (&["broadcast_div", "divide", "true_divide"], Named("div")),
    (&["add_scalar"], Named("add")),
    (&["sub_scalar"], Named("sub")),
    (&["mul_scalar"], Named("mul")),
    (&["div_scalar"], Named("div")),
    (&["affine"], Write("x * 2.0 + 1.0")),
    (&["fmod"], Named("rem")),
    (&["modulo"], Named("remainder")),
    (&["floor_div", "div_floor"], Named("floor_divide")),
    (&["frac"], Named("fract")),
    (&["isinf", "is_inf"], Named("is_infinite")),
    (&["signbit"], Named("is_sign_negative")),
    (&["rad2deg"], Named("to_degrees")),
    (&["deg2rad"], Named("to_radians")),
    (&["arcsin"], Named("asin")),
    (&["arccos"], Named("acos")),
    (&["arctan"], Named("atan")),
    (&["equal", "equals", "eq_elem"], Named("eq")),
    (&["not_equal", "not_equal_elem"], Named("ne")),
    (&["greater", "greater_elem"], Named("gt")),
    (&["greater_equal", "greater_equal_elem"], Named("ge")),
    (&["less", "lower", "lower_elem", "less_elem"], Named("lt")),
    (&["less_equal", "lower_equal", "lower_equal_elem"], Named("le")),
    (&["logical_and", "bitwise_and", "bool_and"], Named("and")),
    (&["logical_or", "bitwise_or", "bool_or"], Named("or")),
    (&["logical_xor", "bitwise_xor"], Named("xor")),
    (&["bitwise_left_shift", "left_shift"], Named("shl")),
    (&["bitwise_right_shift", "right_shift"], Named("shr")),
    (&["logical_not", "bitwise_not", "bool_not"], Named("not")),
    (&["isnan"], Named("is_nan")),
    (&["nan_to_num"], Write("x.is_nan().select(0.0, x)")),
    (&["isclose"], Write("(x - y).abs().le(1e-5)")),
    (&["allclose"], Write("(x - y).abs().le(1e-5).cast(f32).min_all()")),
    (&["isfinite"], Named("is_finite")),
    (&["where_", "where_self"], Filled("(_0).select(x, _1)", "x.gt(0.0).select(x, y)")),
    (&["where_cond"], Filled("x.select(_0, _1)", "x.gt(0.0).select(x, y)")),
    (&["mask_where"], Filled("(_0).select(_1, x)", "x.gt(0.0).select(x, y)")),
    (&["mask_fill"], Named("masked_fill")),
    // Activations.
    (&["swish"], Named("silu")),
    (&["hardswish"], Named("hard_swish")),
    (&["hardsigmoid"], Named("hard_sigmoid")),
    (&["hardtanh"], Named("hard_tanh")),
    (&["hardshrink"], Write("x.hard_shrink(0.5)")),
    (&["softshrink"], Write("x.soft_shrink(0.5)")),
    (&["tanhshrink"], Named("tanh_shrink")),
    (&["leakyrelu"], Named("leaky_relu")),
    (&["logsigmoid"], Named("log_sigmoid")),
    (&["logsoftmax"], Named("log_softmax")),
    (&["gelu_erf"], Named("gelu")),
    (&["softmin"], Filled("(-x).softmax(_0)", "(-x).softmax(1)")),
    (&["glu"], Write("x.narrow(1, 0, 4) * x.narrow(1, 4, 4).sigmoid()")),
    (&["gelu_approximate", "gelu_new"], Named("gelu_tanh")),
    // Losses.
    (&["mse", "mean_squared_error"], Named("mse_loss")),
    (&["l1", "mean_absolute_error"], Named("l1_loss")),
    (&["huber"], Named("huber_loss")),
    (&["nll"], Named("nll_loss")),
    (&["cross_entropy_loss", "sparse_categorical_crossentropy"], Named("cross_entropy")),
    (&["binary_cross_entropy_with_logits"], Named("bce_with_logits")),
    (&["binary_cross_entropy"], Named("bce_loss")),
    // Indices.
    (&["take", "embedding_lookup"], Named("gather")),
    // Types and places.
    (&["to_dtype", "astype", "to_type", "to"], Named("cast")),
    (&["float", "into_float"], Write("x.cast(f32)")),
    (&["half"], Write("x.cast(f16)")),
    (&["bfloat16"], Write("x.cast(bf16)")),
    (&["int"], Write("x.cast(i32)")),
    (&["long"], Write("x.cast(i64)")),
    (&["to_device", "cpu", "cuda", "contiguous", "force_contiguous", "to_owned", "as_ref", "copy"], Left(NO_COPY)),
    (&["into", "as_standard_layout", "view_mut", "iter_mut"], Left(NO_COPY)),
    (&["unwrap", "expect", "unwrap_or_default", "ok", "unwrap_unchecked"], Left(CANNOT_FAIL)),
    (
        &[
            "item",
            "tolist",
            "numpy",
            "to_vec",
            "to_vec0",
            "to_vec1",
            "to_vec2",
            "to_scalar",
            "into_scalar",
            "to_data",
            "into_data",
        ],
        Say(AT_RUN_TIME),
    ),
    // Gradients.
    (&["stop_gradient", "no_grad"], Named("detach")),
    (&["backward", "grad", "requires_grad", "requires_grad_", "zero_grad", "autograd"], Say(GENERATED)),
    (&["autocast"], Say(PRECISE)),
    (&["checkpoint"], Say(AGAIN)),
    (&["custom_vjp", "custom_jvp"], Say(OWN_DERIVATIVE)),
    (&["on_gradient", "register_hook"], Say(HOOKED)),
    // New tensors.
    (
        &[
            "zeros",
            "ones",
            "full",
            "empty",
            "zeros_like",
            "ones_like",
            "full_like",
            "new_zeros",
            "new_ones",
            "eye",
            "from_slice",
            "tensor",
        ],
        Say(FILLED),
    ),
    (&["rand", "randn", "random", "rand_like", "randn_like", "uniform", "normal", "bernoulli", "randint"], Say(DRAWN)),
    (&["arange", "linspace"], Say(COUNTED)),
    // Layers.
    (&["dropout"], Say(DROPOUT)),
    (&["layer_norm"], Say(LAYER_NORM)),
    (&["batch_norm"], Say(BATCH_NORM)),
    (&["rms_norm"], Say(RMS_NORM)),
    (&["embedding"], Say(EMBEDDING)),
    (&["multi_head_attention"], Say(ATTENTION)),
    (&["group_norm", "instance_norm"], Say(GROUP_NORM)),
    // Iterators.
    (
        &[
            "fold",
            "map",
            "for_each",
            "filter",
            "chain",
            "windows",
            "chunks",
            "try_fold",
            "collect",
            "into_par_iter",
            "iter_rows",
            "flat_map",
            "last",
            "first",
            "reduce",
        ],
        Say(NO_ITERATOR),
    ),
];

/// What training loops elsewhere do, in ordinary Rust.
#[cfg(test)]
pub(crate) const TRAINING: &[(&str, &str)] = &[
    (
        "`loss.backward()`",
        "`let (loss, gradients) = model.loss_with_gradients(&x, &y)?;`; of layers that are put together at run time `loss.backward()?`",
    ),
    ("`optimizer.zero_grad()`", "nothing: each call gives gradients of its own"),
    (
        "`x.requires_grad_()`, `x.grad`; `argnums=(0, 1)`",
        "`#[gradients(x)]` above the loss: `let (loss, gradients, dx) = model.loss_with_gradients(&x, &y)?;`",
    ),
    (
        "`torch.autograd.grad(y.sum(), x, create_graph=True)`, `jax.grad`",
        "in the body of a function: `let dx = grad(&y.sum_all(), x);`, which is part of what is differentiated, as often as wanted; at run time `netcl::grad(&x, f)?`, which nests, and `loss.backward_recorded()?`",
    ),
    (
        "`jax.vjp`, `jax.jvp`, `torch.func.vjp`, `torch.func.jvp`, `torch.autograd.functional.hvp`",
        "of tensors at run time `netcl::vjp(&x, f)?`, `netcl::jvp(&x, &tangent, f)?`, `netcl::jvp(&x, &v, \\|x\\| netcl::grad(x, f))?`",
    ),
    (
        "`torch.func.functional_call(net, parameters, ..)`",
        "`net.with_parameters(&parameters)?`, of a network that is put together at run time",
    ),
    (
        "`value_and_grad(loss, has_aux=True)`",
        "a loss that returns `(loss, logits)`: `let ((loss, logits), gradients) = model.loss_with_gradients(&x, &y)?;`",
    ),
    (
        "`param_groups`, `optax.multi_transform`",
        "`AdamW::new(1e-3).group(\"encoder\", ParameterGroup::new().rate(0.1).weight_decay(0.0))`, by the paths of fields or the names of groups, `#[group(no_decay)]` on fields",
    ),
    ("`requires_grad = False`, `requires_grad_(False)`, `freeze()`", "`#[frozen]` on the field"),
    ("`optimizer.step()`", "`optimizer.step(&mut model, &gradients)?`"),
    (
        "`RMSprop`, `Adagrad`, `Lion` and other optimizers",
        "`Sgd`, `Adam` and `AdamW` are there; another one is a kernel that makes the new parameter of the old one, its gradient and what is kept, of `gradients.tensors()` and `model.set_tensor(path, &stepped)?`",
    ),
    (
        "`nn.LSTM`, `nn.GRU`, `nn.RNN`, `lax.scan`",
        "a model of a cell's `Linear`s, and a `for` over the axis: [models.md](models.md#loops-over-an-axis)",
    ),
    (
        "`model.layer.weight`",
        "`model.tensor(\"layer.weight\")?`: layers are fields in a model's functions alone, parts that are models are fields in ordinary Rust too",
    ),
    (
        "`GradScaler`, `scaler.scale(loss).backward()`, `scaler.unscale_(optimizer)`, `scaler.step(optimizer)`, `scaler.update()`",
        "`optim::GradScaler`: a loss that is given `scaler.factor()` and multiplied by it, at run time `scaler.scale(&loss).backward()?`; `scaler.unscale(&gradients)?`; `scaler.step(&mut optimizer, &mut model, &gradients)?`; `scaler.update()?`: [models.md](models.md#gradients-in-f16)",
    ),
    (
        "`torch.utils.checkpoint`, `jax.checkpoint`",
        "at run time `netcl::checkpoint([&x], \\|[x]\\| block(x))`; annotated models compute again what is cheap",
    ),
    (
        "`torch.autograd.Function`, `jax.custom_vjp`",
        "at run time `netcl::custom_vjp([&x], \\|[x]\\| (value, pullback))`; in a model `#[gradient(..)]` above a kernel",
    ),
    ("`x.register_hook(f)`", "`let x = x.on_gradient(f);`, which gives a tensor: go on from that"),
    (
        "gradients added up over batches",
        "one call of a loss over all of them; or `first.add(&second)?`, and `sum.scaled(0.5)?` for the mean",
    ),
    (
        "`torch.autocast(\"cuda\", torch.bfloat16)`, `keras.mixed_precision`, `jmp.Policy`",
        "`#[precision(bf16)]` on a function of a model; at run time `netcl::autocast(Precision::Bf16, \\|\\| ..)` ([mixed precision](models.md#mixed-precision))",
    ),
    (
        "`torch.set_float32_matmul_precision(\"medium\")`, `jax.default_matmul_precision`",
        "`#[matmul_precision(medium)]` on a function of a model",
    ),
    (
        "`clip_grad_norm_`, `clip_grad_value_`",
        "`gradients.clip_norm(1.0)?`, which gives others; `gradients.norm()?`. By value by hand: a kernel makes the new parameter of the old one and its gradient, `gradients.tensor(\"line.weight\")?`, and `model.set_tensor(\"line.weight\", &stepped)?` sets it",
    ),
];

fn within(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(there, _)| *there == name).map(|(_, here)| *here)
}

/// What a model's function writes for what is called `name` elsewhere; operations that change their tensor have an underscore
/// in PyTorch.
pub(crate) fn operation(name: &str) -> Option<Here> {
    let known = TENSORS.iter().find(|(there, _)| there.contains(&name)).map(|(_, here)| *here);
    let in_place = || name.strip_suffix('_').and_then(ops::find).map(|operation| Named(operation.name));
    known.or_else(in_place)
}

/// Whether what is called `name` elsewhere makes a tensor of given sizes.
pub(crate) fn makes_tensors(name: &str) -> bool {
    matches!(operation(name), Some(Say(FILLED | DRAWN | COUNTED)))
}

/// What other frameworks' modules are called where they are imported.
const MODULES: [&str; 13] =
    ["torch", "tch", "F", "nn", "np", "numpy", "jnp", "jax", "tf", "keras", "flax", "burn", "candle_nn"];

/// Whether another framework's module has that name.
pub(crate) fn is_module(name: &Ident) -> bool {
    MODULES.iter().any(|module| name == module)
}

/// Whether the path of a function begins with another framework's module. A module `nn` and a type `F` may be the user's own: of these
/// only what such a framework has is meant, `nn::functional::..` and `F::relu`.
pub(crate) fn is_module_path(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    let (Some(first), Some(second)) = (names.next(), names.next()) else { return false };
    let second = || second.to_string();
    match first.to_string().as_str() {
        "nn" => second() == "functional",
        "F" => ops::find(&second()).is_some() || operation(&second()).is_some(),
        _ => is_module(first),
    }
}

impl Here {
    /// What to write for `receiver.name(args)`.
    pub(crate) fn hint(self, receiver: &str, args: &[String]) -> String {
        let args = args.iter().map(|arg| axis(arg)).collect::<Vec<_>>();
        let args = args.as_slice();
        let all = args.join(", ");
        match self {
            Named(name) => format!("it is called `{name}` here: write `{receiver}.{name}({all})`"),
            Listed("broadcast_to") if args.iter().any(|arg| arg.contains('-')) => {
                format!(
                    "it is called `broadcast_to` here and takes every size, in place of -1 the one that the axis has: `{receiver}.broadcast_to([N, 4])`"
                )
            }
            Listed(name) => {
                let list = args.len() == 1 && all.trim_start_matches('&').starts_with('[');
                let list = if list { all } else { format!("[{all}]") };
                format!("it is called `{name}` here: write `{receiver}.{name}({list})`")
            }
            Left(why) => format!("leave it out: write `{receiver}`; {why}"),
            Write(example) => format!("write `{}`", of(example, receiver, args)),
            Filled(template, example) => match args {
                [first, second] => {
                    let bare = |arg: &str| syn::parse_str::<syn::ExprPath>(arg).is_ok();
                    let first = first.trim_start_matches('&');
                    let template = if bare(first) { template.replace("(_0)", "_0") } else { template.to_string() };
                    let template = template.replace('x', receiver);
                    format!("write `{}`", template.replace("_0", first).replace("_1", second))
                }
                _ => format!("write `{}`", of(example, receiver, args)),
            },
            Axis => {
                let axis = args.first().filter(|axis| axis.trim_start_matches('-').parse::<usize>().is_ok());
                format!("write `{receiver}.dim({})`", axis.map_or("0", String::as_str))
            }
            Say(what) => match receiver.strip_suffix(".iter()").unwrap_or(receiver) {
                list if list.starts_with("self.") => what.replace("self.layers", list),
                _ => what.to_string(),
            },
        }
    }
}

/// What is passed for an axis that candle calls `D::Minus1`; the argument itself where it is none.
pub(crate) fn axis(arg: &str) -> String {
    match arg.rsplit("::").next() {
        Some("Minus1") => "-1".to_string(),
        Some("Minus2") => "-2".to_string(),
        _ => arg.to_string(),
    }
}

/// The example, of `receiver` instead of `x`, and of the name among the arguments, if there is one, instead of `y`.
fn of(example: &str, receiver: &str, args: &[String]) -> String {
    let is_name = |arg: &&str| {
        arg.starts_with(|c: char| c.is_alphabetic()) && arg.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let other = args.iter().rev().map(|arg| arg.trim_start_matches('&')).find(is_name).unwrap_or("y");
    let mut written = String::new();
    let mut word = String::new();
    for c in example.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        written.push_str(match word.as_str() {
            "x" => receiver,
            "y" => other,
            word => word,
        });
        word.clear();
        written.push(c);
    }
    written.pop();
    written
}
