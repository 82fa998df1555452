//! The tensors of layers, which two of them may share, and states that a body writes: `self.mean.set(..)`.

use super::path::{WrittenPath, tensor_at};
use super::{FieldRef, Lowering, Val};
use crate::ast::{FieldKind, LayerField};
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::Dim;
use netcl_kernels::dim::Shape;
use netcl_kernels::graph::{InputKind, NodeId, Op};
use netcl_kernels::layers::TensorSpec;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprField, ExprMethodCall, Member};

/// A tensor of the model's memory: its path, its present value, and whether it is trained.
struct Kept {
    path: String,
    id: NodeId,
    trained: bool,
}

/// What a place of the model's memory is: a field or an element of one, or a tensor of a layer's, trained or not.
enum FieldOf<'a> {
    Model(&'a FieldKind),
    Layer(bool),
}

/// It with its path, or what has been said already.
type FoundPlace<'a> = Result<(String, FieldOf<'a>), Val<'a>>;

impl<'a> Lowering<'a> {
    /// The path of a layer's tensor, which may be another layer's.
    pub(super) fn tensor_path(field: &LayerField, path: &str, name: &str) -> String {
        match field.shared.as_ref().filter(|shared| shared.tensors.iter().any(|(own, _)| *own == name)) {
            Some(shared) => match path.rsplit_once('.') {
                Some((model, _)) => format!("{model}.{}.{name}", shared.field),
                None => format!("{}.{name}", shared.field),
            },
            None => format!("{path}.{name}"),
        }
    }

    /// A layer's tensor, as the layer has it.
    pub(super) fn tensor_of(
        &mut self,
        field: &LayerField,
        path: &str,
        spec: &TensorSpec<Dim>,
        span: Span,
    ) -> Option<NodeId> {
        let whole = Self::tensor_path(field, path, spec.name);
        let turned = field.shared.iter().flat_map(|shared| &shared.tensors).any(|known| *known == (spec.name, true));
        if !turned {
            return Some(self.input(&whole, spec.shape.clone(), spec.dtype, spec.trainable));
        }
        let shape = spec.shape.iter().rev().cloned().collect();
        let id = self.input(&whole, shape, spec.dtype, spec.trainable);
        self.at(span);
        let result = self.builder.transpose(id);
        match self.check(result, span) {
            Val::Tensor(id) => Some(id),
            _ => None,
        }
    }

    /// `self.mean.set(value)`; `None` where the receiver is no tensor of the model's memory.
    pub(super) fn set(&mut self, call: &'a ExprMethodCall) -> Option<Val<'a>> {
        let kept = match self.kept(&call.receiver)? {
            Ok(kept) => kept,
            Err(said) => return Some(said),
        };
        let (own, span) = (text(&call.receiver), call.method.span());
        if kept.trained {
            return Some(self.report(span, &m::SET_PARAMETER, &[&own, &kept.path]));
        }
        let (shape, dtype) = (self.builder.shape(kept.id).clone(), self.builder.dtype(kept.id));
        let value = self.expr(&call.args[0]);
        if value.is_unknown() {
            return Some(Val::Unknown);
        }
        let place = call.args[0].span();
        let id = match value {
            Val::Tensor(id) => id,
            value @ (Val::Number(_) | Val::Dim(_) | Val::Bool(_)) => {
                let Some(one) = self.tensor(value, Some(dtype), place) else { return Some(Val::Unknown) };
                let result = self.builder.broadcast_to(one, &shape);
                match self.check(result, place) {
                    Val::Tensor(id) => id,
                    _ => return Some(Val::Unknown),
                }
            }
            other => return Some(self.report(place, &m::SET_VALUE, &[&own, &dtype, &shape, &other.kind()])),
        };
        let id = self.as_declared(id, dtype);
        let found: Shape = self.builder.shape(id).clone();
        let (declares, gives) = (format!("`{own}` has"), "it is set to");
        let fits = self.builder.dtype(id) == dtype
            && found.rank() == shape.rank()
            && (0..shape.rank()).all(|axis| self.has_size((id, axis), &shape[axis], &declares, gives));
        if !fits {
            let found = format!("{} {found}", self.builder.dtype(id));
            return Some(self.report(place, &m::SET_VALUE, &[&own, &dtype, &shape, &found]));
        }
        let name = variable_of(&own);
        let instead = format!(
            "carry it in a variable, and set the state once: `let mut {name} = {own};` above the loop, `{name} = ..;` in it, and \
             `{own}.set({name});` behind it"
        );
        self.note_state(&format!("`{own}.set(..)`"), span, instead);
        self.tensors.insert(kept.path.clone(), id);
        self.updates.insert(kept.path, id);
        Some(Val::Unit)
    }

    /// What to write instead of an assignment to a tensor of the model's memory, which `of` has.
    pub(super) fn instead_of_assigned(&mut self, place: &'a Expr, of: &'a Expr) -> String {
        let own = text(place);
        if matches!(self.kept(place), Some(Ok(Kept { trained: false, .. }))) {
            return format!("a state is set: `{own}.set(..)`");
        }
        let (name, path) = (variable_of(&own), own.trim_start_matches("self.").replace('[', ".").replace(']', ""));
        let (keeper, example) = match self.expr(of) {
            Val::Place(FieldRef::Layer(layer, ..)) => {
                let of_line = layer.layer.name == "Linear" && name == "weight";
                (format!("`{}`", text(of)), if of_line { ", as in `x.matmul(&weight)`" } else { "" })
            }
            _ => ("the model".to_string(), ""),
        };
        format!(
            "in a body a new value has a name of its own: write `let {name} = ..;`, and use that behind it{example}, as {keeper} keeps \
             what it has; ordinary Rust sets the field, after the call: `model.set_tensor(\"{path}\", &new)?`"
        )
    }

    /// Notes for the loop around that a state changes there, at `place` if that is in its body.
    pub(super) fn note_state(&mut self, what: &str, place: Span, instead: String) {
        let frames = self.frames.len();
        if let Some(own) = self.loops.last_mut().filter(|own| own.around.0 == frames) {
            own.state.get_or_insert((place, what.to_string(), instead));
        }
    }

    /// Rule: a loop over a symbol changes no state. Wrong: `self.mean.set(..)` in it, or a call of a function that does so.
    pub(super) fn report_state(&self, noted: Option<(Span, String, String)>, each: Span) {
        let (place, what, instead) = noted.unwrap_or_else(|| {
            let instead = "call what keeps a state before the loop or behind it, on all rounds at once";
            (each, "a function that is called here".to_string(), instead.to_string())
        });
        self.report(place, &m::LOOP_STATE, &[&what, &instead]);
    }

    /// The tensor of the model's memory that the expression names.
    fn kept(&mut self, place: &'a Expr) -> Option<Result<Kept, Val<'a>>> {
        let place = crate::parse::unparenthesized(place);
        let (path, trained) = match self.of_layer_field(place).or_else(|| self.field_at(place))? {
            Ok((path, FieldOf::Model(FieldKind::Tensor(tensor)))) => (path, tensor.trainable),
            Ok((path, FieldOf::Layer(trained))) => (path, trained),
            Ok((_, FieldOf::Model(_))) => return None,
            Err(said) => return Some(Err(said)),
        };
        Some(match self.expr(place) {
            Val::Tensor(id) => Ok(Kept { path, id, trained }),
            other => Err(other),
        })
    }

    /// Whether the expression names a tensor of the model's memory.
    pub(super) fn is_kept(&mut self, place: &'a Expr) -> bool {
        matches!(self.kept(place), Some(Ok(_)))
    }

    /// `self.norm.mean`: a tensor of a layer's, with its path and whether it is trained.
    fn of_layer_field(&mut self, place: &'a Expr) -> Option<FoundPlace<'a>> {
        let Expr::Field(ExprField { base, member: Member::Named(name), .. }) = place else { return None };
        let wanted = crate::parse::name(name);
        match self.expr(base) {
            Val::Place(FieldRef::Layer(layer, _, path, _)) => {
                let specs = (layer.layer.tensors)(&layer.config.closed());
                let trained = specs.iter().any(|spec| spec.name == wanted && spec.trainable);
                Some(Ok((Self::tensor_path(layer, &path, &wanted), FieldOf::Layer(trained))))
            }
            Val::Unknown => Some(Err(Val::Unknown)),
            _ => None,
        }
    }

    /// The field of a model that the expression names, or the element of one, with its path.
    fn field_at(&mut self, place: &'a Expr) -> Option<FoundPlace<'a>> {
        match crate::parse::unparenthesized(place) {
            Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
                let wanted = crate::parse::name(name);
                let Val::Place(FieldRef::Model(unit, path, _)) = self.expr(base) else { return None };
                let own = unit.model.as_ref()?.fields.iter().find(|own| crate::parse::name(&own.name) == wanted)?;
                Some(Ok((format!("{path}{wanted}"), FieldOf::Model(&own.kind))))
            }
            Expr::Field(ExprField { base, member: Member::Unnamed(position), .. }) => {
                let position = usize::try_from(position.index).ok()?;
                self.element_at_path(base, position)
            }
            Expr::Index(index) => match self.expr(&index.index) {
                Val::Dim(position) => {
                    let position = usize::try_from(position.as_constant()?).ok()?;
                    self.element_at_path(&index.expr, position)
                }
                Val::Unknown => Some(Err(Val::Unknown)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The element of that position of the field that the expression names.
    fn element_at_path(&mut self, list: &'a Expr, position: usize) -> Option<FoundPlace<'a>> {
        let (path, kind) = match self.field_at(list)? {
            Ok((path, FieldOf::Model(kind))) => (path, kind),
            other => return Some(other),
        };
        let each = match kind {
            FieldKind::Many { each, .. } => each,
            FieldKind::Several { kinds, .. } => kinds.get(position)?,
            _ => return None,
        };
        Some(Ok((format!("{path}.{position}"), FieldOf::Model(each))))
    }

    /// The state of the model that `self` is whose value it is, as it is written to be set: `self.s[0]`.
    pub(super) fn state_of(&self, value: &Val<'a>) -> Option<WrittenPath> {
        let Val::Tensor(id) = value else { return None };
        let (path, _) = self.tensors.iter().find(|(_, own)| *own == id)?;
        let Some(FieldRef::Model(unit, base, _)) = &self.frame().this else { return None };
        let state = matches!(&self.builder.node(*id).op, Op::Input(InputKind::State));
        path.strip_prefix(base.as_str()).filter(|_| state).map(|rest| tensor_at(unit, rest))
    }
}

/// A name for a variable that has what the place has: `means0` for `self.means[0]`.
fn variable_of(place: &str) -> String {
    let name = place.rsplit('.').next().unwrap_or(place).replace(['[', ']'], "");
    if name.starts_with(char::is_numeric) { format!("state{name}") } else { name }
}
