//! What stands for a field that is wrong where only the names of its tensors are asked for.

use crate::ast::{FieldKind, LayerField, Starts, TensorField};
use crate::presence::Presence;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{self, Config, Init};
use syn::{GenericArgument, PathArguments, Type};

/// A layer or a tensor of that type, or a list or an `Option` of such; `None` where the type names neither. A layer has all tensors that such a
/// layer has as a rule, a misspelt one those of the one that is meant.
pub(super) fn of(ty: &Type) -> Option<FieldKind> {
    let path = match ty {
        Type::Paren(inner) => return of(&inner.elem),
        Type::Group(inner) => return of(&inner.elem),
        Type::Array(array) => return many(&array.elem, false),
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    if let PathArguments::AngleBracketed(given) = &last.arguments
        && let Some(GenericArgument::Type(each)) = given.args.first()
    {
        match name.as_str() {
            "Vec" => return many(each, true),
            "Option" => {
                let (each, present) = (Box::new(of(each)?), Presence::Known(true));
                return Some(FieldKind::Optional { each, present });
            }
            _ => {}
        }
    }
    if name == words::TENSOR {
        let (dtype, init) = (DType::F32, Init::Constant(0.0));
        return Some(FieldKind::Tensor(TensorField { dtype, shape: Vec::new(), init, trainable: true }));
    }
    let meant = || layers::find(layers::nearest(&name, layers::all().iter().map(|layer| layer.name))?);
    let layer = layers::find(&name).or_else(meant)?;
    Some(FieldKind::Layer(LayerField {
        layer,
        config: Config::any(layer),
        places: vec![None; layer.config.len()],
        starts: Starts::default(),
        shared_with: None,
        starting: Vec::new(),
        shared: None,
    }))
}

fn many(each: &Type, vec: bool) -> Option<FieldKind> {
    Some(FieldKind::Many { each: Box::new(of(each)?), count: Dim::constant(1), vec })
}
