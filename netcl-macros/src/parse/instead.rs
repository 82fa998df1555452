//! What there is instead of a field of a type that no field has.

use super::{text, types};
use crate::{foreign, words};
use netcl_kernels::dtype::DType;
use netcl_kernels::layers;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, PathArguments, Type};

/// What to write for an `Option` of what no `Option` of a field has; `None` where it may have it.
pub(super) fn optional(field: &str, inner: &Type, attrs: &[Attribute]) -> Option<String> {
    let present = present(attrs).unwrap_or_else(|| "STRIDE > 1".to_string());
    let own = |kind: &str, what: &str| {
        format!(
            "write a model that holds it, `struct Own {{ {kind}: {what} }}` with a block, `#[netcl::model] impl Own {{}}`, and here `#[layer(present = {present})] {field}: Option<Own>`"
        )
    };
    let helper = attrs.iter().find_map(super::own::helper);
    match (inner, helper) {
        (Type::Array(array), _) => Some(format!(
            "write an array of as many as there are, `{field}: [{}; COUNT]` of a parameter `COUNT` that may be 0, or {}",
            text(&array.elem),
            own(&format!("#[layer(..)] {field}"), &text(inner)).trim_start_matches("write ")
        )),
        (Type::Tuple(_), _) => Some(own(field, &text(inner))),
        (_, Some(helper @ (words::PARAMETER | words::STATE))) => {
            Some(own(&format!("#[{helper}(..)] {field}"), &text(inner)))
        }
        _ => None,
    }
}

/// What to write for a list of `Option`s.
pub(super) fn options(field: &str, inner: Option<&Type>, attrs: &[Attribute]) -> String {
    let inner = inner.map(text).unwrap_or_default();
    let present =
        present(attrs).filter(|present| !present.starts_with('[')).unwrap_or_else(|| "STRIDE > 1".to_string());
    format!(
        "write a field for each, with a `present` of its own: `#[layer(.., present = {present})] {field}0: Option<{inner}>`, or an \
         array of those that are there, `[{inner}; 2]`"
    )
}

/// What `present` is said to be.
fn present(attrs: &[Attribute]) -> Option<String> {
    let pairs = attrs.iter().filter_map(|attr| {
        attr.parse_args_with(Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated).ok()
    });
    let present = pairs.flatten().find(|pair| pair.path.is_ident(words::PRESENT))?;
    Some(text(&present.value))
}

/// What there is in place of a layer that only the program knows.
const ANY_LAYER: &str = "which layer it is, each use of the model says that has a parameter for it, `struct Net<L> { layer: L }`, or an \
                         enum of layers, `#[netcl::model] enum Act { Relu, Gelu }`; what only the program knows is a `netcl::nn::Layers`";

/// Whether the path is that of a module of another framework's, where the layer of the same name is meant.
pub(crate) fn is_elsewhere(path: &syn::Path) -> bool {
    // What netcl has at run time stands in a module of that name, which has no layers.
    let at_run_time = path.segments.len() > 2 && path.segments[0].ident == "netcl" && path.segments[1].ident == "nn";
    at_run_time
        || path.segments.len() > 1 && path.segments.first().is_some_and(|first| foreign::is_module(&first.ident))
}

/// Types of netcl's and of Rust's that a program has beside a model; a model of the user's own of that name has a path.
const OF_PROGRAM: [&str; 8] = ["Device", "Seed", "Gradients", "AdamW", "Adam", "Sgd", "Duration", "Instant"];

/// Rule: a model holds what it computes with. Wrong: `device: Device`.
pub(super) fn is_of_program(path: &syn::Path) -> bool {
    path.get_ident().is_some_and(|name| OF_PROGRAM.iter().any(|own| name == own))
}

/// What to write for it.
pub(super) fn foreign_type(field: &str, ty: &Type) -> String {
    const FIELDS: &str =
        "a field is a layer, an array or `Vec` of layers or models, another model, a `Tensor<..>` or a constant";
    const OUTSIDE: &str = "a model holds what it computes with: keep this in a struct of your own, beside the model";
    let path = match ty {
        Type::Slice(slice) => {
            let each = text(&slice.elem);
            return format!("its length is part of the type: write `[{each}; 4]`");
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let each = tuple.elems.iter().enumerate();
            let each: Vec<String> = each.map(|(position, ty)| format!("{field}{position}: {}", text(ty))).collect();
            return format!("write a field for each, with a `#[layer(..)]` of its own: `{}`", each.join(", "));
        }
        Type::Array(_) => return row(field, ty),
        Type::Reference(_) => return OUTSIDE.to_string(),
        Type::TraitObject(_) | Type::ImplTrait(_) => return ANY_LAYER.to_string(),
        Type::Path(path) => &path.path,
        _ => return FIELDS.to_string(),
    };
    let Some(last) = path.segments.last() else { return FIELDS.to_string() };
    let given: Vec<String> = match &last.arguments {
        PathArguments::AngleBracketed(given) => given.args.iter().map(text).collect(),
        _ => Vec::new(),
    };
    let name = last.ident.to_string();
    match (name.as_str(), given.as_slice()) {
        ("Box" | "Arc" | "Rc", [inner]) if inner.starts_with('[') && !inner.contains(';') => {
            format!("its length is part of the type: write `{}; 4]`", inner.trim_end_matches(']'))
        }
        ("Box" | "Arc" | "Rc" | "Mutex" | "RefCell" | "Cell", [inner]) if inner.starts_with("dyn ") => {
            ANY_LAYER.to_string()
        }
        ("Parameter" | "Param" | "Var" | "Variable", given) => {
            let sizes = match given {
                [first, ..] if DType::from_name(first).is_some() => given.join(", "),
                [first, ..] if first.parse::<u64>().is_ok() => format!("f32, {}", given.join(", ")),
                _ => "f32, 8, 4".to_string(),
            };
            format!("what is trained is a tensor: write `#[parameter(init = 0.0)] {field}: Tensor<{sizes}>`")
        }
        (name, []) if layers::find(name).is_some() => format!("layers stand without a path: write `{name}`"),
        ("Box" | "Arc" | "Rc" | "Mutex" | "RefCell" | "Cell", [inner]) => {
            format!(
                "write `{inner}`: a model holds its parts itself; a model of your own of that name has a path, `self::{name}<{inner}>`"
            )
        }
        ("HashMap" | "BTreeMap" | "IndexMap", [.., inner]) => {
            format!("write a field for each, or an array that is read by numbers: `[{inner}; 4]`")
        }
        ("VecDeque" | "HashSet" | "BTreeSet" | "LinkedList", [inner]) => format!("write `[{inner}; 4]`"),
        ("Vec", [_]) => row(field, ty),
        ("PhantomData", _) => "leave it out: a model uses its parameters".to_string(),
        ("Sequential" | "ModuleList" | "ModuleDict", _) => foreign::layer_as(&name).unwrap_or(FIELDS).to_string(),
        ("String" | "OsString" | "PathBuf" | "char" | "str", _) => OUTSIDE.to_string(),
        (name, []) if OF_PROGRAM.contains(&name) => {
            format!("{OUTSIDE}; a model of your own of that name has a path, `self::{name}`")
        }
        (name, []) if name == "isize" || types::looks_like_number(name) => {
            "a constant is of type `f32`, `f64`, `i32`, `i64`, `u32`, `usize` or `bool`".to_string()
        }
        (_, [_, ..]) => match layers::find(&name) {
            Some(layer) => {
                // A backend and the like are no sizes.
                let sizes: Vec<&String> =
                    given.iter().filter(|size| syn::parse_str::<syn::Lit>(size).is_ok()).collect();
                let required = layer.config.iter().filter(|key| key.default.is_none()).count();
                let count = if sizes.len() == given.len() { given.len() } else { required };
                let size = |at: usize| if sizes.len() == given.len() { sizes[at].as_str() } else { "64" };
                let keys = layer.config.iter().take(count).enumerate();
                let keys = keys.map(|(at, key)| format!("{} = {}", key.name, size(at)));
                let keys = keys.collect::<Vec<_>>().join(", ");
                format!("sizes stand in an attribute: write `#[layer({keys})] {field}: {name}`")
            }
            None if given.iter().any(|given| DType::from_name(given).is_some()) => {
                let wrong = given.iter().find(|given| DType::from_name(given).is_some()).map_or("", String::as_str);
                format!(
                    "behind the name of a model stand sizes, `{name}<64>`, and layers or models where it takes a type, `{name}<Relu>`; \
                     `{wrong}` is the type of a tensor's elements"
                )
            }
            None => format!(
                "{FIELDS}; behind the name of a model stand sizes, `{name}<64>`, and layers or models where it takes a type, \
                 `{name}<Relu>`"
            ),
        },
        _ => FIELDS.to_string(),
    }
}

/// The name of a parameter that no model has, how it is told of, and what to write for it.
pub(super) fn parameter(given: &GenericParam) -> (String, String, String) {
    const ARE: &str = "its parameters are sizes and types: `struct Mlp<const HIDDEN: usize, L>`";
    match given {
        GenericParam::Lifetime(given) => {
            let name = text(&given.lifetime);
            (name.clone(), name, "leave it out: a model borrows nothing, and its tensors are its own".to_string())
        }
        GenericParam::Type(given) => {
            let name = super::name(&given.ident);
            (name.clone(), name, ARE.to_string())
        }
        GenericParam::Const(given) => {
            let name = super::name(&given.ident);
            let chosen = match text(&given.ty).as_str() {
                "bool" => format!(
                    ", and `if {name} > 0` where it chooses; what is chosen at each call is an argument, `{}: bool`",
                    name.to_lowercase()
                ),
                _ => String::new(),
            };
            let written = format!("const {name}: {}", text(&given.ty));
            let instead = format!("write `const {name}: usize`: a parameter is a size or a type{chosen}");
            (name, written, instead)
        }
    }
}

/// What to write for a list in a list: a model holds the inner one.
fn row(field: &str, inner: &Type) -> String {
    let field = field.split('[').next().unwrap_or(field);
    format!(
        "a list in a list is a list of models: write `#[netcl::model] struct Row {{ #[layer(..)] each: {} }}`, with a `forward` of \
         its own, and `{field}: [Row; 2]`",
        text(inner)
    )
}

/// Where a type of elements stands for a size of a model: `f32` in `Block<f32>`.
pub(super) fn wrong_argument(ty: &syn::TypePath) -> Option<proc_macro2::Span> {
    let PathArguments::AngleBracketed(given) = &ty.path.segments.last()?.arguments else { return None };
    let wrong = given.args.iter().find(|given| DType::from_name(&text(*given)).is_some())?;
    layers::find(&ty.path.segments.last()?.ident.to_string()).is_none().then(|| wrong.span())
}
