//! What a loop over a symbolic range carries: the variables around its body that it assigns, by the tensors they are made of.

use super::value::{ChosenWhole, Integer};
use super::{Lowering, Val};
use crate::messages as m;
use crate::parse;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{NodeId, Op};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

/// A variable that a body assigns, by scope and position in it.
pub(super) struct CarriedVariable {
    pub(super) place: (usize, usize),
    pub(super) name: String,
    /// How many tensors it is made of; none where it is made of other things, and cannot change.
    pub(super) count: usize,
    /// Where it is assigned first.
    pub(super) assigned_at: Span,
    /// How often it had been assigned before the loop.
    assigned: usize,
}

impl<'a> Lowering<'a> {
    /// The variables around the body that it assigns: those that can be carried, whose numbers become tensors, and the others.
    pub(super) fn assigned_by(&mut self, body: &'a Block, span: Span) -> (Vec<CarriedVariable>, Vec<CarriedVariable>) {
        let mut assigned = Assigned(BTreeMap::new());
        assigned.visit_block(body);
        let (mut carried, mut fixed) = (Vec::new(), Vec::new());
        for (name, assigned_at) in assigned.0 {
            let Some(place) = self.place_of(&name) else { continue };
            let variable = &self.frame().scopes[place.0][place.1];
            if variable.argument || !variable.mutable || variable.value.is_unknown() {
                continue;
            }
            let (value, assigned) = (variable.value.clone(), variable.assigned);
            let mut tensors = Vec::new();
            let value = self.with_tensors(value, None, span).filter(|value| tensors_in(value, &mut tensors));
            let own = CarriedVariable { place, name, count: tensors.len(), assigned_at, assigned };
            match value {
                Some(value) => {
                    self.frame_mut().scopes[place.0][place.1].value = value;
                    carried.push(own);
                }
                None => fixed.push(own),
            }
        }
        (carried, fixed)
    }

    /// The lists around the body into which it pushes: where they stand.
    pub(super) fn pushed_by(&self, body: &'a Block) -> Vec<(usize, usize)> {
        let mut pushed = Pushed(BTreeSet::new());
        pushed.visit_block(body);
        let places = pushed.0.iter().filter_map(|name| self.place_of(name));
        places.filter(|(scope, own)| matches!(self.frame().scopes[*scope][*own].value, Val::List(_))).collect()
    }

    /// The value with its numbers as tensors, whole ones of their type, or of that of the list that they are in; without one they
    /// are floats. `None` where it is made of other things too, such as truth values.
    fn with_tensors(&mut self, value: Val<'a>, of_list: Option<Integer>, span: Span) -> Option<Val<'a>> {
        let of_list = match &value {
            Val::List(parts) => parts.iter().find_map(Val::integer).or(of_list),
            _ => of_list,
        };
        let mut all = |parts: Vec<Val<'a>>| -> Option<Vec<Val<'a>>> {
            parts.into_iter().map(|part| self.with_tensors(part, of_list, span)).collect()
        };
        Some(match value {
            // A size, which is computed of sizes: `T % 5`.
            Val::Tensor(id) => Val::Tensor(self.marks.exact.get(&id).copied().unwrap_or(id)),
            Val::Number(_) => {
                let number = self.tensor(value, None, span)?;
                Val::Tensor(self.new_tensor(number))
            }
            Val::Dim(ref whole) => {
                let integer = whole.ty.or(of_list);
                let number = self.tensor(value, integer.map(Integer::dtype), span)?;
                let number = Val::Tensor(self.new_tensor(number));
                self.note_chosen_whole(&number, Some(ChosenWhole::Held).filter(|_| integer.is_none()));
                number
            }
            Val::Tuple(parts) if !parts.is_empty() => Val::Tuple(all(parts)?),
            Val::List(parts) if !parts.is_empty() => Val::List(all(parts)?),
            Val::Option(Some(inner)) => Val::Option(Some(Box::new(self.with_tensors(*inner, None, span)?))),
            Val::Struct(name, fields) => {
                let (names, values): (Vec<String>, Vec<Val<'a>>) = fields.into_iter().unzip();
                Val::Struct(name, names.into_iter().zip(all(values)?).collect())
            }
            _ => return None,
        })
    }

    /// Rule: what a loop over a symbol changes is carried, and carried are tensors. Wrong: `first = false;` in it.
    pub(super) fn report_changed(&mut self, fixed: &[CarriedVariable]) {
        for CarriedVariable { place: (scope, position), name, assigned_at, assigned, .. } in fixed {
            let variable = &self.frame().scopes[*scope][*position];
            if variable.assigned > *assigned && !variable.value.is_unknown() {
                let kind = variable.value.kind();
                self.frame_mut().scopes[*scope][*position].value = Val::Unknown;
                self.report(*assigned_at, &m::LOOP_CHANGED, &[name, &kind]);
            }
        }
    }

    /// The tensors that the variable is made of.
    pub(super) fn tensors_of(&self, variable: &CarriedVariable) -> Vec<NodeId> {
        let (scope, position) = variable.place;
        let mut tensors = Vec::new();
        tensors_in(&self.frame().scopes[scope][position].value, &mut tensors);
        tensors
    }

    /// Makes the variables those tensors.
    pub(super) fn give_variables<'i>(
        &mut self,
        variables: &[CarriedVariable],
        tensors: &mut impl Iterator<Item = &'i NodeId>,
    ) {
        for variable in variables {
            let (scope, position) = variable.place;
            replace_tensors(&mut self.frame_mut().scopes[scope][position].value, tensors);
        }
    }

    /// The tensors that a value is made of, numbers being of the types that they have in `like`; false where it is made of other things,
    /// or nothing is known of it.
    pub(super) fn as_tensors(&mut self, value: Val<'a>, like: &[NodeId], span: Span, into: &mut Vec<NodeId>) -> bool {
        match value {
            Val::Tensor(id) => into.push(id),
            Val::Number(_) | Val::Dim(_) => {
                let dtype = like.get(into.len()).map(|id| self.builder.dtype(*id));
                match self.tensor(value, dtype, span) {
                    Some(id) => into.push(id),
                    None => return false,
                }
            }
            Val::Tuple(parts) | Val::List(parts) => {
                return parts.into_iter().all(|part| self.as_tensors(part, like, span, into));
            }
            Val::Option(Some(inner)) => return self.as_tensors(*inner, like, span, into),
            Val::Struct(_, fields) => {
                return fields.into_iter().all(|(_, part)| self.as_tensors(part, like, span, into));
            }
            _ => return false,
        }
        true
    }
}

impl<'a> Lowering<'a> {
    /// Rule: what a loop carries has one shape and type in all rounds. Wrong: `let mut h = 0.0;` in front of a loop with
    /// `h = h + x.get(1, t);`.
    pub(super) fn report_carried(
        &self,
        variable: &CarriedVariable,
        (carried, position): (NodeId, usize),
        (before, after): (NodeId, NodeId),
    ) {
        let shown = |id: NodeId| format!("`{}{}`", self.builder.dtype(id), self.builder.shape(id));
        let (old, new) = (self.builder.shape(before), self.builder.shape(after));
        let (scope, at) = variable.place;
        let name = &format!("{}{}", variable.name, part_of(&self.frame().scopes[scope][at].value, position));
        // `ys = ys.concat([y], 1);`: a choice between the parts at each place.
        let joins = matches!(&self.builder.node(after).op, Op::Select(..));
        let grown = (0..old.rank()).filter(|_| old.rank() == new.rank()).find(|axis| old[*axis] != new[*axis]);
        let is_made_of_itself = || self.is_made_of(after, carried);
        let grows = |axis: &usize| {
            let more = new[*axis].clone() - old[*axis].clone();
            more.never_negative() && joins && is_made_of_itself()
        };
        let instead = match grown.filter(grows) {
            Some(axis) if (new[axis].clone() - old[axis].clone()).as_constant().is_none() => format!(
                "what grows from round to round is a list: `let mut list = Vec::new();` above the loop, `list.push(..);` of what a \
                 round puts to `{name}`, and `list.concat({axis})` behind it"
            ),
            Some(axis) => format!(
                "what grows from round to round is a list: `let mut list = Vec::new();` above the loop, `list.push(..);` of what a \
                 round puts to `{name}`, without axis {axis}, and `list.stack({axis})` behind it"
            ),
            None => {
                let dtype = self.builder.dtype(after);
                let dtype = if dtype == DType::F32 { String::new() } else { format!(", {dtype}") };
                let zeros = format!("Tensor::zeros({new}{dtype})");
                // What is computed is meant to be what it is.
                let start = match matches!(self.builder.node(before).op, Op::Constant(_)) {
                    true if *name == variable.name => format!("begin with `let mut {name} = {zeros};`"),
                    true => format!("begin with `{zeros}` in its place"),
                    false => "begin with one of that shape and type".to_string(),
                };
                format!("what is carried keeps its shape and type: {start}, or change what is assigned")
            }
        };
        self.report(variable.assigned_at, &m::LOOP_CARRIED, &[name, &shown(before), &shown(after), &instead]);
    }
}

/// The initial tensors of each variable.
pub(super) fn starts<'i>(variables: &[CarriedVariable], initial: &'i [NodeId]) -> Vec<&'i [NodeId]> {
    let mut rest = initial;
    let mut all = Vec::with_capacity(variables.len());
    for variable in variables {
        let (own, others) = rest.split_at(variable.count);
        all.push(own);
        rest = others;
    }
    all
}

/// How the part is called that is the tensor of that position among those that a value is made of: `.0` of a tuple.
fn part_of(value: &Val<'_>, position: usize) -> String {
    let parts: Vec<(String, &Val<'_>)> = match value {
        Val::Tuple(parts) => parts.iter().enumerate().map(|(at, part)| (format!(".{at}"), part)).collect(),
        Val::List(parts) => parts.iter().enumerate().map(|(at, part)| (format!("[{at}]"), part)).collect(),
        Val::Struct(_, fields) => fields.iter().map(|(name, part)| (format!(".{name}"), part)).collect(),
        _ => return String::new(),
    };
    let mut left = position;
    for (name, part) in parts {
        let mut tensors = Vec::new();
        tensors_in(part, &mut tensors);
        if left < tensors.len().max(1) {
            return name + &part_of(part, left);
        }
        left -= tensors.len();
    }
    String::new()
}

/// Adds the tensors that a value is made of; false where it is made of other things too.
fn tensors_in(value: &Val<'_>, into: &mut Vec<NodeId>) -> bool {
    match value {
        Val::Tensor(id) => into.push(*id),
        Val::Tuple(parts) | Val::List(parts) => return parts.iter().all(|part| tensors_in(part, into)),
        Val::Option(Some(inner)) => return tensors_in(inner, into),
        Val::Struct(_, fields) => return fields.iter().all(|(_, part)| tensors_in(part, into)),
        _ => return false,
    }
    true
}

/// Makes the value one of the next of `tensors`.
pub(super) fn replace_tensors<'i>(value: &mut Val<'_>, tensors: &mut impl Iterator<Item = &'i NodeId>) {
    match value {
        Val::Tuple(parts) | Val::List(parts) => parts.iter_mut().for_each(|part| replace_tensors(part, tensors)),
        Val::Option(Some(inner)) => replace_tensors(inner, tensors),
        Val::Struct(_, fields) => fields.iter_mut().for_each(|(_, part)| replace_tensors(part, tensors)),
        other => {
            if let Some(id) = tensors.next() {
                *other = Val::Tensor(*id);
            }
        }
    }
}

/// Where a closure's body assigns a variable of that name first.
pub(super) fn assigned_in(body: &Expr, name: &str) -> Option<Span> {
    let mut assigned = Assigned(BTreeMap::new());
    assigned.visit_expr(body);
    assigned.0.get(name).copied()
}

/// The names that a body assigns, and where each is assigned first.
struct Assigned(BTreeMap<String, Span>);

impl Assigned {
    fn place(&mut self, place: &Expr) {
        match place {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.0.entry(parse::name(name)).or_insert(path.span());
                }
            }
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Index(part) => self.place(&part.expr),
            Expr::Field(part) => self.place(&part.base),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.place(part)),
            Expr::Array(list) => list.elems.iter().for_each(|part| self.place(part)),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.place(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if super::is_assignment(&binary.op) {
            self.place(&binary.left);
        }
        visit::visit_expr_binary(self, binary);
    }
}

/// What a block pushes into: the names of variables.
struct Pushed(BTreeSet<String>);

impl<'ast> Visit<'ast> for Pushed {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let (true, Expr::Path(path)) = (call.method == "push", parse::unparenthesized(&call.receiver)) {
            self.0.extend(path.path.get_ident().map(parse::name));
        }
        visit::visit_expr_method_call(self, call);
    }
}
