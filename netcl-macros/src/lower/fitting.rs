//! Which number makes a layer fit what it is called with, or one tensor fit another, in the words of the user's declarations.

use super::{Lowering, symbol};
use crate::ast::{DimToken, FieldKind, Form, FunctionItem, LayerField, TensorType, Unit};
use crate::parse;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{InputKind, NodeId, Op, Origin};
use netcl_kernels::layers::{Config, ConfigValue};
use proc_macro2::Span;
use quote::ToTokens;

/// A list of values for the layers of an array is shown up to this length.
const MAX_LISTED: usize = 8;

/// A layer that has been called with `x`, which does not fit.
pub(super) struct Misfit<'l> {
    pub(super) field: &'l LayerField,
    pub(super) name: &'l str,
    /// As it is for this call.
    pub(super) config: &'l Config,
    pub(super) x: NodeId,
    /// Whether it has been called before.
    pub(super) used: bool,
}

/// A tensor beside another one, and how it is written.
pub(super) type Beside<'t> = (NodeId, &'t str);

impl<'a> Lowering<'a> {
    /// What to write for a layer whose key at `position` is of another size than `axis` of what comes.
    pub(super) fn fitting(&self, layer: &Misfit<'_>, position: usize, axis: usize) -> Option<String> {
        let (field, config) = (layer.field, layer.config);
        let key = config.keys[position].name;
        let (found, origin) = (&self.builder.shape(layer.x)[axis], self.builder.origin(layer.x, axis));
        let expected = config.values[position].to_string();
        if self.closed || field.config.values[position].to_string() != expected {
            return None;
        }
        let is_own = |origin: &Origin| match origin {
            Origin::Key { layer: name, .. } | Origin::Windows { of: name, .. } | Origin::Made { by: name, .. } => {
                name == layer.name
            }
            _ => false,
        };
        if key == "inputs" && origin.is_some_and(|origin| is_own(origin)) {
            return Some(format!("`{}` is called with what it gives: write `outputs = {expected}`", layer.name));
        }
        if layer.used {
            return Some(format!(
                "`{}` is called with {expected} elsewhere, and has one size for all calls: another field is for {found}",
                layer.name
            ));
        }
        let fits = changed(field, position, ConfigValue::of(found.clone())).is_some();
        let argument = symbol(found).filter(|name| !self.is_parameter(name));
        if let (Some(own), ConfigValue::Size(_)) = (argument, &config.values[position]) {
            return matches!(origin.map(|origin| &**origin), Some(Origin::Argument { .. })).then(|| {
                format!("a layer's sizes are known where the model is made: write `{expected}` in place of `{own}` in the argument's type")
            });
        }
        let mut known = true;
        found.visit_symbols(&mut |symbol| known &= self.is_parameter(symbol.name()));
        if !fits || !known {
            return None;
        }
        let value = if crate::ast::is_plain(found) { found.to_string() } else { format!("{{ {found} }}") };
        match layer.name.split_once('[') {
            None => Some(format!("write `{key} = {value}`")),
            Some((list, at)) => {
                let values = self.each_value(list, position)?;
                let at: usize = at.strip_suffix(']')?.parse().ok()?;
                // In a row each layer takes what the one before it gives.
                let gives = |at: usize| {
                    config.keys.iter().position(|key| key.name == "outputs").is_some_and(|outputs| {
                        self.each_value(list, outputs).is_some_and(|all| all.get(at) == Some(&value))
                    })
                };
                let new = values.iter().enumerate().map(|(one, own)| match one == at || one > at && gives(one - 1) {
                    true => value.clone(),
                    false => own.clone(),
                });
                Some(format!(
                    "a list has a value for each layer: write `{key} = [{}]`",
                    new.collect::<Vec<_>>().join(", ")
                ))
            }
        }
    }

    /// The values of a key in an array of layers, one for each, where they are few and plain.
    fn each_value(&self, list: &str, key: usize) -> Option<Vec<String>> {
        let plain = |kind: &FieldKind| match kind {
            FieldKind::Layer(layer) => layer.config.values.get(key).map(ToString::to_string),
            _ => None,
        };
        let values: Vec<String> = match self.own_field(list)? {
            FieldKind::Many { each, count, .. } => {
                let count = count.as_constant().and_then(|count| usize::try_from(count).ok())?;
                vec![plain(each)?; count.min(MAX_LISTED + 1)]
            }
            FieldKind::Several { kinds, form: Form::Array | Form::Vec } => {
                kinds.iter().map(plain).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let few = values.len() <= MAX_LISTED;
        (few && values.iter().all(|value| value.chars().all(|c| c.is_alphanumeric() || c == '_'))).then_some(values)
    }

    /// What to write for a tensor argument that a layer cannot take, `Tensor<f32, 2>`, where the number may be that of axes.
    pub(super) fn rank_for_size(&self, x: NodeId, layer: &LayerField) -> Option<(String, Span)> {
        let Op::Input(InputKind::Argument(position)) = self.builder.node(x).op else { return None };
        let function = self.function_here()?;
        let (arg, ty) = function.args.iter().filter_map(|arg| Some((arg, arg.tensor()?))).nth(position)?;
        let [axis] = ty.dims.as_slice() else { return None };
        let image = layer.layer.name.ends_with("2d");
        let key = layer.layer.config.iter().position(|key| matches!(key.name, "inputs" | "features"))?;
        let ConfigValue::Size(own) = layer.config.values[key] else { return None };
        let own = own.to_string();
        let axes = match axis.dim.as_constant()? {
            2 if !image => vec!["N", &own],
            3 if !image => vec!["N", "T", &own],
            4 if image => vec!["N", &own, "H", "W"],
            _ => return None,
        };
        let (name, dtype, axes) = (&arg.name, ty.dtype, axes.join(", "));
        let instead = format!(
            "behind the elements' type stands a size for each axis, not how many axes there are: write `{name}: &Tensor<{dtype}, {axes}>`"
        );
        Some((instead, axis.span))
    }

    /// What to write where sizes of two tensors differ in these axes of the one and of the other.
    pub(super) fn alike(&self, left: Beside<'_>, right: Beside<'_>, axes: &[(usize, usize)]) -> Option<String> {
        let &(x, y) = axes.first()?;
        let size = |(id, _): Beside<'_>, axis: usize| self.builder.shape(id)[axis].clone();
        let (a, b) = (size(left, x), size(right, y));
        let of_argument = |(id, _): Beside<'_>, axis: usize| {
            matches!(self.builder.origin(id, axis).map(|origin| &**origin), Some(Origin::Argument { .. }))
        };
        if let (Some(one), Some(other), [_]) = (symbol(&a), symbol(&b), axes) {
            let both = of_argument(left, x) && of_argument(right, y);
            return both.then(|| {
                format!("`{one}` and `{other}` are two sizes: where they are one, write `{one}` in place of `{other}`")
            });
        }
        let (p, q) = (a.as_constant()?, b.as_constant()?);
        if let [_] = axes {
            // Of a parameter nothing else has its size.
            let declared = |layers| {
                let size = |own, axis, other: &Dim| self.declared_size(own, axis, other, layers);
                size(left, x, &b).or_else(|| size(right, y, &a))
            };
            if let Some(instead) = declared(false).or_else(|| declared(true)) {
                return Some(instead);
            }
        }
        let turned: Vec<(usize, usize)> = axes.iter().map(|(x, y)| (*y, *x)).collect();
        if let Some(instead) = self.window(left, right, axes).or_else(|| self.window(right, left, &turned)) {
            return Some(instead);
        }
        let ([_], true, true) = (axes, of_argument(left, x), of_argument(right, y)) else { return None };
        let ((large, at), small) = if p > q { ((left.1, x), q) } else { ((right.1, y), p) };
        let (own, wrong) = if p > q { (p, q) } else { (q, p) };
        Some(format!(
            "where both are one size, write `{own}` in place of `{wrong}` in the argument's type; `{large}.narrow({at}, 0, {small})` takes the first {small}"
        ))
    }

    /// How the layer or the parameter that `axis` has its size from would have the other's.
    fn declared_size(&self, (id, _): Beside<'_>, axis: usize, other: &Dim, layers: bool) -> Option<String> {
        let origin: &Origin = self.builder.origin(id, axis)?;
        let (Origin::Key { layer: name, .. } | Origin::Tensor(name)) = origin else { return None };
        match (self.own_field(name)?, origin) {
            (FieldKind::Layer(field), Origin::Key { key, .. }) if layers => {
                let position = field.config.keys.iter().position(|own| own.name == *key)?;
                let is_free = *key == "outputs" || field.layer.name == "Embedding";
                changed(field, position, ConfigValue::of(other.clone())).filter(|_| is_free)?;
                Some(format!("`{name}` gives as many with another key: write `{key} = {other}`"))
            }
            (FieldKind::Tensor(tensor), _) if !layers && matches!(self.builder.node(id).op, Op::Input(_)) => {
                let span = Span::call_site();
                let mut dims: Vec<DimToken> =
                    tensor.shape.iter().map(|dim| DimToken { dim: dim.clone(), span }).collect();
                dims.get_mut(axis)?.dim = other.clone();
                let ty = TensorType { dtype: tensor.dtype, dims, span };
                Some(format!("`{name}` has as many with another type: write `{name}: {ty}`"))
            }
            _ => None,
        }
    }

    /// How windows over an image would give one of the other's size: padded, or of the other's means.
    fn window(&self, (id, _): Beside<'_>, (other, text): Beside<'_>, axes: &[(usize, usize)]) -> Option<String> {
        let sizes = axes.iter().map(|(x, y)| {
            let Origin::Windows { of: name, .. } = &**self.builder.origin(id, *x)? else { return None };
            let (own, wanted) =
                (self.builder.shape(id)[*x].as_constant()?, self.builder.shape(other)[*y].as_constant()?);
            Some((name.as_str(), own, wanted))
        });
        let sizes: Vec<(&str, i64, i64)> = sizes.collect::<Option<_>>()?;
        let (name, own, wanted) = sizes.first()?;
        if *own <= 0 || wanted <= own || sizes.iter().any(|(other, ..)| other != name) {
            return None;
        }
        if let Some(FieldKind::Layer(field)) = self.own_field(name) {
            let key = |name: &str| field.config.keys.iter().position(|key| key.name == name);
            if let (Some(stride), Some(padding)) = (key("stride"), key("padding"))
                && let (ConfigValue::Pair([1, 1]), ConfigValue::Pair([height, width])) =
                    (&field.config.values[stride], &field.config.values[padding])
                && height == width
            {
                let more = wanted - own;
                let all = sizes.iter().all(|(_, own, wanted)| wanted - own == more) && more % 2 == 0;
                let padded = height + u64::try_from(more / 2).ok()?;
                let fits = all && changed(field, padding, ConfigValue::Pair([padded, padded])).is_some();
                return fits.then(|| {
                    format!("`{name}` keeps the size of its images when they are padded: write `padding = {padded}`")
                });
            }
        }
        let factor = wanted / own;
        let all = factor > 1 && sizes.iter().all(|(_, own, wanted)| own * factor == *wanted);
        (all && self.builder.shape(other).rank() == 4).then(|| {
            format!(
                "the means of its windows have the size of the other: write `{text}.avg_pool2d({factor}, {factor}, 0)`"
            )
        })
    }

    /// The kind of the field of that name of the model whose function is compiled.
    fn own_field(&self, name: &str) -> Option<&'a FieldKind> {
        let unit: &'a Unit = self.frame().unit;
        let mut fields = unit.model.as_ref()?.fields.iter();
        fields
            .find(|field| parse::name(&field.name) == name)
            .map(|field| &field.kind)
            .filter(|_| self.frames.len() == 1)
    }

    /// The function that is compiled, while nothing that it calls is.
    fn function_here(&self) -> Option<&'a FunctionItem> {
        let frame = self.frame();
        let unit: &'a Unit = frame.unit;
        let here = frame.function.rsplit("::").next()?;
        let mut own = unit.functions.iter().filter(|function| parse::name(&function.name) == here);
        own.next().filter(|_| self.frames.len() == 1)
    }

    /// The layers declared before `name` that no function calls, of which one may be missing: `` `p` and `f` are not called``.
    pub(super) fn uncalled_before(&self, name: &str) -> Option<String> {
        let unit = self.frame().unit;
        let (_, model) = (self.function_here()?, unit.model.as_ref()?);
        let bodies: Vec<_> = unit.functions.iter().map(|function| function.body.to_token_stream()).collect();
        let is_called = |name: &str| {
            bodies.iter().any(|body| parse::function::mentions(body.clone(), &|word| parse::name(word) == name))
        };
        let before = model.fields.iter().take_while(|field| parse::name(&field.name) != name);
        let layers = before.filter(|field| matches!(field.kind, FieldKind::Layer(_)));
        let names: Vec<String> = layers.map(|field| parse::name(&field.name)).filter(|name| !is_called(name)).collect();
        let (last, others) = names.split_last()?;
        Some(match others {
            [] => format!("`{last}` is not called"),
            _ => format!("`{}` and `{last}` are not called", others.join("`, `")),
        })
    }

    /// Whether the model's struct and its block call a parameter so.
    fn is_parameter(&self, name: &str) -> bool {
        self.frames.len() == 1 && self.frame().sizes.fields.get(name) == Some(&Dim::symbol(name))
    }
}

/// The layer's configuration with another value, where that is one.
fn changed(field: &LayerField, position: usize, value: ConfigValue) -> Option<Config> {
    let mut config = field.config.clone();
    config.values[position] = value;
    (!config.is_open() && (field.layer.check)(&config).is_ok()).then_some(config)
}

/// The key of a layer, and its value, without which there would be a tensor of that name.
pub(super) fn left_out(field: &LayerField, config: &Config, tensor: &str) -> Option<(&'static str, bool)> {
    config.values.iter().enumerate().find_map(|(position, value)| {
        let ConfigValue::Bool(value) = *value else { return None };
        let mut other = config.clone();
        other.values[position] = ConfigValue::Bool(!value);
        let is_there = (field.layer.tensors)(&other).iter().any(|spec| spec.name == tensor);
        is_there.then(|| (field.layer.config[position].name, value))
    })
}
