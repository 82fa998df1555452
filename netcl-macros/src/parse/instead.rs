//! What there is instead of a field of a type that no field has.

use super::text;
use netcl_kernels::layers;
use syn::{PathArguments, Type};

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
        ("Box" | "Arc" | "Rc" | "Mutex" | "RefCell" | "Cell", [inner]) => format!("write `{inner}`: a model holds its parts itself"),
        ("HashMap" | "BTreeMap" | "IndexMap", [.., inner]) => {
            format!("write a field for each, or an array that is read by numbers: `[{inner}; 4]`")
        }
        ("VecDeque" | "HashSet" | "BTreeSet" | "LinkedList", [inner]) => format!("write `[{inner}; 4]`"),
        ("PhantomData", _) => "leave it out: a model uses its parameters".to_string(),
        ("Sequential" | "ModuleList" | "ModuleDict", _) => {
            "write a field for each layer; `forward` calls one after the other: `self.b.forward(&self.a.forward(x).relu())`"
                .to_string()
        }
        ("String" | "OsString" | "PathBuf" | "char" | "str", _) => OUTSIDE.to_string(),
        (_, [_, ..]) => match layers::find(&name) {
            Some(layer) => {
                let keys = layer.config.iter().zip(&given).map(|(key, value)| format!("{} = {value}", key.name));
                let keys = keys.collect::<Vec<_>>().join(", ");
                format!("sizes stand in an attribute: write `#[layer({keys})] {field}: {name}`")
            }
            None => format!("{FIELDS}; behind the name of a model stand sizes: `{name}<64>`"),
        },
        _ => FIELDS.to_string(),
    }
}
