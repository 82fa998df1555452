//! Our view of a user's items; each part keeps the tokens it came from.

use crate::constants::Constants;
pub(crate) use crate::constants::{Constant, ConstantList};
use crate::looked_at::LookedAt;
use crate::parts::{Composite, Param};
use crate::presence::Presence;
use crate::variants::Variants;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Custom;
use netcl_kernels::layers::{Config, ConfigValue, Init, Layer, Mode, TensorSpec};
use netcl_kernels::precision::{MatmulPrecision, Precision};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// One dimension in a tensor type.
#[derive(Clone)]
pub(crate) struct DimToken {
    pub(crate) dim: Dim,
    pub(crate) span: Span,
}

/// `Tensor<f32, N, 64>`.
#[derive(Clone)]
pub(crate) struct TensorType {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<DimToken>,
    pub(crate) span: Span,
}

impl TensorType {
    /// The same of other elements.
    pub(crate) fn of(&self, dtype: DType) -> TensorType {
        TensorType { dtype, ..self.clone() }
    }

    /// With the sizes that names mean.
    pub(crate) fn substitute(&self, names: &BTreeMap<String, Dim>) -> TensorType {
        let size = |dim: &DimToken| DimToken { dim: crate::quotient::substitute(&dim.dim, names), span: dim.span };
        let dims = self.dims.iter().map(size).collect();
        TensorType { dtype: self.dtype, dims, span: self.span }
    }
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tensor<{}", self.dtype)?;
        self.dims.iter().try_for_each(|DimToken { dim, .. }| match is_plain(dim) {
            true => write!(f, ", {dim}"),
            // What is computed stands in braces, as in Rust.
            false => write!(f, ", {{ {dim} }}"),
        })?;
        f.write_str(">")
    }
}

/// What decides between paths through a function and is known only when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainType {
    Bool,
    Usize,
    /// An enum of the user's.
    Enum,
}

impl PlainType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PlainType::Bool => "bool",
            PlainType::Usize => "usize",
            PlainType::Enum => "enum",
        }
    }
}

/// What an argument is.
#[derive(Clone)]
pub(crate) enum ArgType {
    Tensor(TensorType),
    Scalar(DType),
    Plain(PlainType),
    /// An enum of the user's, by its path, of which a variant is chosen.
    Enum(Rc<syn::Path>),
}

/// An argument.
#[derive(Clone)]
pub(crate) struct ArgDecl {
    pub(crate) name: Ident,
    pub(crate) ty: ArgType,
}

impl ArgDecl {
    /// Its type, if it is a tensor.
    pub(crate) fn tensor(&self) -> Option<&TensorType> {
        match &self.ty {
            ArgType::Tensor(ty) => Some(ty),
            _ => None,
        }
    }
}

/// As it is declared.
impl std::fmt::Display for ArgDecl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.ty {
            ArgType::Tensor(ty) => write!(f, "&{ty}"),
            ArgType::Scalar(dtype) => write!(f, "{dtype}"),
            ArgType::Plain(ty) => f.write_str(ty.name()),
            ArgType::Enum(path) => f.write_str(&crate::parse::text(&**path)),
        }
    }
}

/// A function to compile.
#[derive(Clone)]
pub(crate) struct FunctionItem {
    pub(crate) attrs: Vec<syn::Attribute>,
    /// Whether it is compiled where it runs, as a part of what is recorded there: `#[netcl::dynamic]`.
    pub(crate) dynamic: bool,
    /// The mode that all its forms are compiled in, if `#[mode(..)]` says so.
    pub(crate) mode: Option<Mode>,
    /// Of its products and those of what it calls.
    pub(crate) matmul_precision: MatmulPrecision,
    /// What activations are stored in, in it and in what it calls; without it as in whoever calls it.
    pub(crate) precision: Option<Precision>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) receiver: bool,
    /// The parameters as they are written: each has an argument or several.
    pub(crate) params: Vec<Param>,
    pub(crate) args: Vec<ArgDecl>,
    pub(crate) results: Vec<TensorType>,
    /// How the results are put together.
    pub(crate) composed: Composite,
    pub(crate) body: syn::Block,
    /// Whether the body says what one element is, by a closure over indices: a kernel in index form.
    pub(crate) indexed: bool,
    /// The arguments that it also has gradients in, by their positions among the tensors, as `#[gradients(..)]` lists them.
    pub(crate) gradients: Vec<usize>,
    /// Whether there is a `grad` in the body.
    pub(crate) asks_derivatives: bool,
    /// Where the signature is wrong, which is reported: the arguments whose types nobody knows. Such a function is lowered
    /// for the mistakes in its body alone.
    pub(crate) unsound: Option<Vec<Ident>>,
    /// The function for each choice of its element types, with what chooses it; none where it has no such choice.
    pub(crate) variants: Vec<(FunctionItem, Vec<(TokenStream, bool)>)>,
    /// Which parts of the body have been looked at.
    pub(crate) looked_at: LookedAt,
}

impl FunctionItem {
    /// Whether what it does is chosen by something else than truths and numbers.
    pub(crate) fn is_chosen_otherwise(&self) -> bool {
        !self.variants.is_empty() || self.args.iter().any(|arg| matches!(arg.ty, ArgType::Enum(_)))
    }

    /// Its parameters, as they are declared; of those that are put together from several arguments the names alone.
    pub(crate) fn parameters(&self) -> Vec<String> {
        match self.is_composed() {
            true => self.params.iter().map(|param| crate::parse::text(&param.pattern)).collect(),
            false => self.args.iter().map(ArgDecl::to_string).collect(),
        }
    }

    /// The tensor arguments in order.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (&Ident, &TensorType)> {
        self.args.iter().filter_map(|arg| match &arg.ty {
            ArgType::Tensor(ty) => Some((&arg.name, ty)),
            _ => None,
        })
    }

    /// The scalar arguments in order.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&Ident, DType)> {
        self.args.iter().filter_map(|arg| match &arg.ty {
            ArgType::Scalar(dtype) => Some((&arg.name, *dtype)),
            _ => None,
        })
    }

    /// Whether a parameter is put together from several arguments.
    pub(crate) fn is_composed(&self) -> bool {
        self.params.iter().any(|param| !param.parts.is_one())
    }

    /// Whether what it returns is a tensor, or a tuple that begins with one.
    pub(crate) fn gives_one_first(&self) -> bool {
        match &self.composed {
            Composite::One => true,
            Composite::Tuple(parts) => parts.first().is_some_and(Composite::is_one),
            Composite::Array(_) | Composite::Struct(..) => false,
        }
    }

    /// Whether there is a `…_with_gradients` form: the result of a model, or the first of several, is a loss.
    pub(crate) fn is_loss(&self) -> bool {
        let is_number = |result: &TensorType| result.dims.is_empty() && result.dtype.is_float();
        let gives_one = |function: &FunctionItem| function.results.first().is_some_and(is_number);
        // Whatever its types are.
        self.receiver
            && self.gives_one_first()
            && gives_one(self)
            && self.variants.iter().all(|(variant, _)| gives_one(variant))
    }
}

/// A function of scalars (`#[netcl::function]`), applied to each element.
pub(crate) struct Helper {
    pub(crate) name: Ident,
    pub(crate) args: Vec<(Ident, DType)>,
    pub(crate) result: DType,
    pub(crate) body: syn::Block,
    /// What the names in its body mean where it stands, whoever calls it.
    pub(crate) scope: Unit,
}

/// A kernel or a function of tensors that stands beside models: bodies call it, and it is compiled where it is called.
pub(crate) struct Callable {
    /// One for each choice of its element types.
    pub(crate) functions: Vec<FunctionItem>,
    /// What the names in its body mean where it stands, whoever calls it.
    pub(crate) scope: Unit,
}

/// A kernel in SIMT form that bodies call: it is launched as it is.
pub(crate) struct Launched {
    /// What is launched, for each choice of its element types; made when a body asks for the first time.
    pub(crate) instances: LazyCell<Vec<LaunchedInstance>, Box<dyn FnOnce() -> Vec<LaunchedInstance>>>,
}

/// A kernel in SIMT form for one choice of its element types.
pub(crate) struct LaunchedInstance {
    pub(crate) name: Ident,
    pub(crate) inputs: Vec<ArgDecl>,
    pub(crate) kernel: Arc<Custom>,
    /// Whether a caller has to promise something.
    pub(crate) is_unsafe: bool,
    /// Whether the gradient that it names is a kernel in index form.
    pub(crate) indexed_gradient: bool,
}

/// What names mean in one model or kernel item.
#[derive(Default)]
pub(crate) struct Unit {
    pub(crate) model: Option<ModelItem>,
    pub(crate) functions: Vec<FunctionItem>,
    /// Functions of the block that need numbers for the model's sizes: without them they are written for none.
    pub(crate) open: BTreeSet<String>,
    /// The crate that the model is of.
    pub(crate) krate: String,
    /// Functions of the block that are wrong and have been reported.
    pub(crate) unfit: BTreeSet<String>,
    /// The functions of the block that stands for the model, where this is another one; it may be wrong, which has been
    /// reported.
    pub(crate) main: Option<Option<Box<Unit>>>,
    /// Models that fields are of, by the text of their path.
    pub(crate) nested: BTreeMap<String, Unit>,
    /// Functions of scalars, by the text of their path.
    pub(crate) helpers: BTreeMap<String, Helper>,
    /// The function or kernel whose body this is the scope of.
    pub(crate) own: Option<String>,
    /// Whether that is a function of scalars, which is Rust as well and means the same there.
    pub(crate) in_rust: bool,
    /// Functions of scalars, and items beside a kernel, that are wrong and have been reported.
    pub(crate) broken: BTreeSet<String>,
    /// The names of the model's functions that are left to run time.
    pub(crate) dynamic: BTreeSet<String>,
    /// Kernels in SIMT form, by the text of their path.
    pub(crate) kernels: BTreeMap<String, Launched>,
    /// Kernels in index form and functions of tensors, by the text of their path.
    pub(crate) callables: BTreeMap<String, Callable>,
    pub(crate) constants: Constants,
    /// What the `impl` block gives to the model's parameters.
    pub(crate) given: Vec<Dim>,
    /// What stands for the parameters that are types, as it is written where the model is used.
    pub(crate) standing: Vec<String>,
    /// The parameters of the block that are types, by the block's names for them.
    pub(crate) types: BTreeMap<String, TypeArgument>,
    /// Functions of scalars that are a type's, by their names: of a type that stands for a parameter.
    pub(crate) scalars: BTreeMap<String, Helper>,
    /// The names of all functions of scalars of a type whose functions are called, by the text of its path.
    pub(crate) of_types: BTreeMap<String, Vec<String>>,
}

/// What stands for a type parameter.
pub(crate) enum TypeArgument {
    /// Only uses of the model say what.
    Open,
    /// A layer, as it is without keys; `None` where it needs some.
    Layer(&'static Layer, Option<Box<LayerField>>),
    /// A model, by its name.
    Model(String),
    /// A type with functions of scalars.
    Functions(Box<Unit>),
}

/// A field that is a layer, configured.
#[derive(Clone)]
pub(crate) struct LayerField {
    pub(crate) layer: &'static Layer,
    pub(crate) config: Config,
    /// Where each key's value was written, if it was.
    pub(crate) places: Vec<Option<Span>>,
    /// How its tensors start, where that is written: the biases, and the others.
    pub(crate) starts: Starts,
    /// The keys that say so.
    pub(crate) starting: Vec<Ident>,
    /// The field that its tensors are said to be those of.
    pub(crate) shared_with: Option<SharedWith>,
    /// The same, found.
    pub(crate) shared: Option<SharedTensors>,
}

/// How a layer's tensors start, where its declaration does not say.
#[derive(Clone, Default)]
pub(crate) struct Starts {
    pub(crate) weights: Option<Init<Dim>>,
    pub(crate) biases: Option<Init<Dim>>,
}

/// The layer that another's tensors are to be shared with.
#[derive(Clone)]
pub(crate) struct SharedWith {
    /// The layer's field.
    pub(crate) name: Ident,
    /// What of the field is named, as it is written, and not the field.
    pub(crate) part: Option<(String, proc_macro2::Span)>,
}

/// Tensors of a layer that are another's.
#[derive(Clone)]
pub(crate) struct SharedTensors {
    /// The other layer's field.
    pub(crate) field: String,
    /// Their names, and whether each is the other's transpose.
    pub(crate) tensors: Vec<(&'static str, bool)>,
}

impl LayerField {
    /// The tensors that are its own, as they start.
    pub(crate) fn own_tensors(&self, config: &Config) -> Vec<TensorSpec<Dim>> {
        let mut specs = (self.layer.tensors)(config);
        let shared = |spec: &TensorSpec<Dim>| {
            self.shared.iter().flat_map(|shared| &shared.tensors).any(|(name, _)| *name == spec.name)
        };
        specs.retain(|spec| !shared(spec));
        for spec in specs.iter_mut().filter(|spec| spec.trainable) {
            let start = if spec.name.ends_with("bias") { &self.starts.biases } else { &self.starts.weights };
            if let Some(start) = start {
                spec.init = start.clone();
            }
        }
        specs
    }

    /// Where the key stands that the message names first, as in `` `groups` of `Conv2d` must .. ``.
    pub(crate) fn place(&self, message: &str) -> Option<Span> {
        key_named(self.layer, message).and_then(|position| self.places[position])
    }
}

/// The position of the key that the message names first.
pub(crate) fn key_named(layer: &Layer, message: &str) -> Option<usize> {
    let (name, _) = message.strip_prefix('`')?.split_once("` of ")?;
    layer.config.iter().position(|key| key.name == name)
}

/// A tensor that the model itself owns.
#[derive(Clone)]
pub(crate) struct TensorField {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<Dim>,
    pub(crate) init: Init<Dim>,
    pub(crate) trainable: bool,
}

/// A field that is another model.
#[derive(Clone)]
pub(crate) struct Nested {
    /// As the user wrote it: `Block<HIDDEN, LayerNorm>`.
    pub(crate) ty: syn::Path,
    /// Without the parameters.
    pub(crate) path: syn::Path,
    /// The sizes, in the order of its parameters.
    pub(crate) sizes: Vec<Dim>,
    /// Of an enum of layers the variant, where the field says which.
    pub(crate) variant: Option<Ident>,
}

/// A field whose type is a parameter of the struct.
#[derive(Clone)]
pub(crate) struct Slot {
    /// The parameter.
    pub(crate) name: Ident,
    /// Its keys, of which each layer takes those that it has.
    pub(crate) settings: Vec<(String, ConfigValue)>,
    pub(crate) starts: Starts,
}

/// What a field is.
#[derive(Clone)]
pub(crate) enum FieldKind {
    /// What each use of the model says: a layer or a model.
    Slot(Slot),
    Layer(LayerField),
    Model(Nested),
    Tensor(TensorField),
    Constant {
        value: Constant,
        ty: syn::Type,
    },
    /// An array (`[T; n]`) or `Vec<T>` of `count`, a number or made of the struct's parameters.
    Many {
        each: Box<FieldKind>,
        count: Dim,
        vec: bool,
    },
    /// A tuple, or an array or `Vec` whose layers differ in what lists of their keys say.
    Several {
        kinds: Vec<FieldKind>,
        form: Form,
    },
    /// An `Option<T>`, which is there or not.
    Optional {
        each: Box<FieldKind>,
        present: Presence,
    },
    /// Not understood; reported.
    Unknown,
}

/// How several stand in one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Tuple,
    Array,
    Vec,
}

/// A field of a model.
#[derive(Clone)]
pub(crate) struct Field {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) kind: FieldKind,
    pub(crate) ty: syn::Type,
    /// Whether no gradient is computed in it.
    pub(crate) frozen: bool,
    /// The group that optimizers step it in.
    pub(crate) group: Option<Ident>,
}

/// A model's struct.
#[derive(Clone)]
pub(crate) struct ModelItem {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    /// Its parameters: sizes, layers and models.
    pub(crate) generics: syn::Generics,
    /// Names of sizes that are parameters, in order, with their defaults.
    pub(crate) parameters: Vec<(Ident, Option<Dim>)>,
    /// Names of sizes that are `const` items of Rust, whose values the compiler does not see.
    pub(crate) consts: Vec<Ident>,
    pub(crate) fields: Vec<Field>,
    /// Its variants, where it is an enum: each field is one's.
    pub(crate) variants: Option<Variants>,
}

impl ModelItem {
    /// Whether a size without a default is missing where `given` sizes are.
    pub(crate) fn lacks(&self, given: usize) -> bool {
        self.parameters.iter().skip(given).any(|(_, default)| default.is_none())
    }

    /// Every name of a size, as it stands where it is declared or first used.
    pub(crate) fn sizes(&self) -> Vec<Ident> {
        self.parameters.iter().map(|(name, _)| name).chain(&self.consts).cloned().collect()
    }
}

/// An annotated `impl` block.
pub(crate) struct ModelImpl {
    pub(crate) generics: syn::Generics,
    pub(crate) self_ty: Box<syn::Type>,
    /// The attributes that say which lints speak.
    pub(crate) levels: Vec<syn::Attribute>,
    pub(crate) functions: Vec<FunctionItem>,
    /// Functions whose signatures are wrong.
    pub(crate) unsound: Vec<FunctionItem>,
    /// The name of a block beside the one that stands for the model.
    pub(crate) name: Option<Ident>,
    /// The functions that cannot be compiled as they stand, by name.
    pub(crate) unfit: BTreeSet<String>,
    /// What is passed on as it is.
    pub(crate) others: Vec<TokenStream>,
}

impl ModelImpl {
    /// The functions about all of the block, `report`, `kernels`, `prepare` and `tune`, or `report_training` and so on.
    pub(crate) fn about(name: Option<&Ident>) -> [About; 4] {
        let text = || quote!((__netcl_target: ::netcl::Target) -> ::netcl::Result<::std::string::String>);
        let tune = quote! {
            (
                __netcl_device: &::netcl::Device,
                __netcl_sizes: &[(&::core::primitive::str, ::core::primitive::u64)],
                __netcl_options: &::netcl::select::TuneOptions<'_>,
            ) -> ::netcl::Result<::std::vec::Vec<::netcl::select::Tuning>>
        };
        let all = [
            ("report", text()),
            ("kernels", text()),
            ("prepare", quote!((__netcl_device: &::netcl::Device) -> ::netcl::Result<()>)),
            ("tune", tune),
        ];
        all.map(|(about, signature)| {
            let name = match name {
                Some(name) => format_ident!("{}_{}", about, name),
                None => format_ident!("{}", about),
            };
            About { name, signature }
        })
    }
}

/// A function about all of a block.
pub(crate) struct About {
    pub(crate) name: Ident,
    /// From the parentheses on.
    pub(crate) signature: TokenStream,
}

/// Whether the size is a name or a number, of which nothing is computed.
pub(crate) fn is_plain(size: &Dim) -> bool {
    size.as_constant().is_some() || size.to_string().chars().all(|c| c.is_alphanumeric() || c == '_')
}
