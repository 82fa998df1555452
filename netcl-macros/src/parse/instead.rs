//! What there is instead of a field of a type that no field has.

use super::text;
use crate::{foreign, words};
use netcl_kernels::layers;
use syn::punctuated::Punctuated;
use syn::{Attribute, PathArguments, Type};

/// What to write for an `Option` of what no `Option` of a field has; `None` where it may have it.
pub(super) fn optional(field: &str, inner: &Type, attrs: &[Attribute]) -> Option<String> {
    let present = present(attrs).unwrap_or_else(|| "STRIDE > 1".to_string());
    let own = |kind: &str, what: &str| {
        format!(
            "write a model that holds it, `struct Own {{ {kind}: {what} }}`, and here `#[layer(present = {present})] {field}: Option<Own>`"
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
        Type::Reference(_) => return OUTSIDE.to_string(),
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
        ("Box" | "Arc" | "Rc" | "Mutex" | "RefCell" | "Cell", [inner]) => {
            format!(
                "write `{inner}`: a model holds its parts itself; a model of your own of that name has a path, `self::{name}<{inner}>`"
            )
        }
        ("HashMap" | "BTreeMap" | "IndexMap", [.., inner]) => {
            format!("write a field for each, or an array that is read by numbers: `[{inner}; 4]`")
        }
        ("VecDeque" | "HashSet" | "BTreeSet" | "LinkedList", [inner]) => format!("write `[{inner}; 4]`"),
        ("PhantomData", _) => "leave it out: a model uses its parameters".to_string(),
        ("Sequential" | "ModuleList" | "ModuleDict", _) => foreign::layer_as(&name).unwrap_or(FIELDS).to_string(),
        ("String" | "OsString" | "PathBuf" | "char" | "str", _) => OUTSIDE.to_string(),
        (_, [_, ..]) => match layers::find(&name) {
            Some(layer) => {
                let keys = layer.config.iter().zip(&given).map(|(key, value)| format!("{} = {value}", key.name));
                let keys = keys.collect::<Vec<_>>().join(", ");
                format!("sizes stand in an attribute: write `#[layer({keys})] {field}: {name}`")
            }
            None => format!(
                "{FIELDS}; behind the name of a model stand sizes, `{name}<64>`, and layers or models where it takes a type, \
                 `{name}<Relu>`"
            ),
        },
        _ => FIELDS.to_string(),
    }
}
