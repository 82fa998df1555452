//! Every attribute, key and name with a meaning of its own.

/// How the names of what is generated begin.
pub(crate) const OWN: &str = "__netcl";
/// Our mark on a function that is half-typed: its signature stands, its body is lost.
pub(crate) const HALF_TYPED: &str = "__netcl_half_typed";
/// `#[netcl::model(block = training)]`: a block beside the one that stands for the model.
pub(crate) const BLOCK: &str = "block";
/// Our mark on such a block, with its name.
pub(crate) const NAMED_BLOCK: &str = "__netcl_block";
/// Our mark on a struct of tensors, with what tells it from all others.
pub(crate) const IDENTITY: &str = "__netcl_identity";
/// Our mark on a function that is compiled though its signature has structs alone.
pub(crate) const OF_STRUCTS: &str = "__netcl_of_structs";
/// Our mark on a function that is of plain Rust though a tensor in its signature has sizes.
pub(crate) const OF_RUST: &str = "__netcl_of_rust";
/// Our name for a type that is half-typed.
pub(crate) const UNKNOWN_TYPE: &str = "__netcl_unknown";
/// `#[layer(inputs = 64, ..)]` on a field.
pub(crate) const LAYER: &str = "layer";
/// `#[parameter(init = ..)]` on a tensor field.
pub(crate) const PARAMETER: &str = "parameter";
/// `#[state(init = ..)]` on a tensor field that the optimizer leaves alone.
pub(crate) const STATE: &str = "state";
/// `#[constant(0.5)]` on a number field.
pub(crate) const CONSTANT: &str = "constant";
/// `#[frozen]` on a field that no gradient is computed in.
pub(crate) const FROZEN: &str = "frozen";
/// `#[group(no_decay)]` on a field that optimizers step by the settings of that group.
pub(crate) const GROUP: &str = "group";
/// The helper attributes of a model's fields.
pub(crate) const FIELD_ATTRIBUTES: [&str; 6] = [LAYER, PARAMETER, STATE, CONSTANT, FROZEN, GROUP];
/// Those of them that say how a field is trained.
pub(crate) const TRAINING: [&str; 2] = [FROZEN, GROUP];
/// The length of a `Vec` field.
pub(crate) const COUNT: &str = "count";
/// Whether an `Option` field is there.
pub(crate) const PRESENT: &str = "present";
/// Which variant a field is whose type is an enum of layers.
pub(crate) const VARIANT: &str = "variant";
/// Our mark on the struct that an enum of layers becomes.
pub(crate) const VARIANTS: &str = "__netcl_variants";
/// `#[default]` on the variant that an enum of layers is where nobody says which.
pub(crate) const DEFAULT: &str = "default";
/// What writes a state.
pub(crate) const SET: &str = "set";
/// Whose tensors a layer has.
pub(crate) const SHARED: &str = "shared";
/// How a layer's biases start.
pub(crate) const BIAS_INIT: &str = "bias_init";
/// The keys that fields of every layer have, where they fit the field.
pub(crate) const OF_ALL_LAYERS: [&str; 6] = [INIT, BIAS_INIT, SHARED, COUNT, PRESENT, VARIANT];
/// How a tensor field starts.
pub(crate) const INIT: &str = "init";
/// `#[netcl::function]`, beside which `#[netcl::dynamic]` may stand.
pub(crate) const FUNCTION: &str = "function";
/// `#[netcl::dynamic]` on a function that is left to the run-time tape.
pub(crate) const DYNAMIC: &str = "dynamic";
/// `#[mode(training)]` on a function of a model.
pub(crate) const MODE: &str = "mode";
/// `#[gradients(x)]` on a loss: the arguments that it also has gradients in.
pub(crate) const GRADIENTS: &str = "gradients";
/// `#[matmul_precision(high)]` on a function of a model.
pub(crate) const MATMUL_PRECISION: &str = "matmul_precision";
/// `#[precision(bf16)]` on a function of a model.
pub(crate) const PRECISION: &str = "precision";
/// The helper attributes of a model's functions.
pub(crate) const FUNCTION_ATTRIBUTES: [&str; 4] = [MODE, GRADIENTS, MATMUL_PRECISION, PRECISION];
/// `#[gradient(..)]` on a kernel.
/// What OpenCL devices run in place of a kernel's body.
pub(crate) const OPENCL: &str = "opencl";
pub(crate) const GRADIENT: &str = "gradient";
/// `#[launch(global = [N], local = [64])]` on a SIMT-form kernel.
pub(crate) const LAUNCH: &str = "launch";
/// `#[launch(.., unchecked)]`: no index is looked at.
pub(crate) const UNCHECKED: &str = "unchecked";
/// `#[types(T = [f32, f16])]` on a SIMT-form kernel.
pub(crate) const TYPES: &str = "types";
/// The type of tensors in signatures and fields.
pub(crate) const TENSOR: &str = "Tensor";
/// A read that gives zero outside the tensor.
pub(crate) const PAD: &str = "pad";
/// A recurrence over an index range.
pub(crate) const FOLD: &str = "fold";
/// What every layer has.
pub(crate) const FORWARD: &str = "forward";
/// `grad(value, x)` in a body of tensors.
pub(crate) const GRAD: &str = "grad";
/// Reductions over an index range.
pub(crate) const REDUCTIONS: [&str; 7] = ["sum", "prod", "max", "min", "mean", "argmax", "argmin"];
/// More ways through one function than this are refused: each is a plan of its own.
pub(crate) const MAX_PATHS: usize = 32;
/// Arrays of tensors longer than this are no arguments.
pub(crate) const MAX_PARTS: usize = 256;
/// Loops longer than this are refused: each round is compiled.
pub(crate) const MAX_ROUNDS: i64 = 1024;
/// More rounds than this in all loops of a function, and more elements in all of a list's lists, are refused.
pub(crate) const MAX_ALL_ROUNDS: usize = 1 << 16;
/// More rounds than this in all folds whose rounds are compiled one by one, nested ones counted, are refused.
pub(crate) const MAX_FOLDED: usize = 1 << 12;
/// More calls of other functions in one than this, nested ones counted, are refused: each is compiled where it stands.
pub(crate) const MAX_CALLS: usize = 1 << 12;
/// More operations than this in all functions that a kernel in SIMT form calls are refused.
pub(crate) const MAX_INLINED: usize = 1 << 16;
/// Evaluation stops here: deeper expressions would exhaust rustc's stack.
pub(crate) const MAX_DEPTH: usize = 128;
