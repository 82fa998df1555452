//! Assignments: to variables, to elements of results and arrays, plain and with an operator.

use super::bounds::GuardedIndex;
use super::element::{ElementStorage, Target};
use super::state::{Simt, Val};
use super::types::places;
use super::written::ElementWrite;
use crate::messages as m;
use crate::parse::{constant, unparenthesized};
use netcl_kernels::kir::{Stmt as Kir, ValueType};
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary, ExprIndex, Token};

impl Simt<'_> {
    /// `left = right`: as in Rust, the right side is evaluated first.
    pub(super) fn assignment(&mut self, assign: &ExprAssign) -> Val {
        let mut value = self.expr(&assign.right);
        let span = assign.right.span();
        match unparenthesized(&assign.left) {
            Expr::Index(index) => match self.then(&mut value, Self::pin, |this| this.target(index)) {
                Some(target) => self.store(target, value, &ElementWrite::assigned(assign, index)),
                None => Val::Unknown,
            },
            Expr::Tuple(parts) => self.parts(&parts.elems, value, span),
            Expr::Array(parts) => self.parts(&parts.elems, value, span),
            left => self.assign(left, value, span),
        }
    }

    /// `(a, b) = (b, a)`: as in Rust, all of the right side is evaluated before anything is assigned.
    fn parts(&mut self, parts: &Punctuated<Expr, Token![,]>, value: Val, span: Span) -> Val {
        let values = match value {
            Val::Tuple(values) | Val::List(values) if values.len() == parts.len() => values,
            Val::Tuple(values) | Val::List(values) => {
                return self.report(parts.span(), &m::TUPLE_LENGTH, &[&values.len(), &parts.len()]);
            }
            Val::Unknown => return Val::Unknown,
            other => {
                return self.report(parts.span(), &m::NOT_A_TUPLE, &[&super::types::kind(&other), &"write one name"]);
            }
        };
        let mut values = values;
        values.iter_mut().for_each(|value| self.pin(value));
        for (part, value) in parts.iter().zip(values) {
            match unparenthesized(part) {
                Expr::Infer(_) => {}
                Expr::Index(index) => {
                    if let Some(target) = self.target(index) {
                        self.store(target, value, &ElementWrite::element(index, span));
                    }
                }
                Expr::Tuple(inner) => drop(self.parts(&inner.elems, value, span)),
                left => drop(self.assign(left, value, span)),
            }
        }
        Val::Unit
    }

    /// `left op= right`: the right side first, then the place, which is evaluated once.
    pub(super) fn update(&mut self, binary: &ExprBinary) -> Val {
        let mut right = self.expr(&binary.right);
        match unparenthesized(&binary.left) {
            Expr::Index(index) => {
                let target = self.then(&mut right, Self::pin, |this| this.target(index));
                target.map_or(Val::Unknown, |target| self.update_element(binary, index, target, right))
            }
            left => {
                let (current, given) = (self.expr(left), matches!(right, Val::Unknown));
                if let Some(value) = self.starts_whole(left, &current, &right) {
                    return value;
                }
                if let Some(refused) = self.number_beside_vector(binary, &current, &right) {
                    return refused;
                }
                let value = self.new_value(binary, current, right);
                if matches!(value, Val::Unknown) && !given {
                    self.distrust(left);
                }
                self.assign(left, value, binary.op.span())
            }
        }
    }

    /// Rule: a variable that floats are added to starts as a float. Wrong: `let mut total = 0;` and `total += x[i];`.
    fn starts_whole(&mut self, left: &Expr, current: &Val, right: &Val) -> Option<Val> {
        let (Val::Expr(own, Some(position)), Val::Expr(other, _)) = (current, right) else { return None };
        let (own, other) = (self.ty(*own), self.ty(*other));
        if !own.dtype.is_integer() || !other.dtype.is_float() || self.changed {
            return None;
        }
        let local = self.lets.get(*position)?;
        let Expr::Lit(start) = &*local.init.as_ref()?.expr else { return None };
        let syn::Lit::Int(number) = &start.lit else { return None };
        let (name, place) = (crate::parse::text(left), number.span());
        let instead = format!("let {} = {}.0;", crate::parse::text(&local.pat), number.base10_digits());
        self.report(place, &m::SIMT_WHOLE_START, &[&name, &other, &instead]);
        let name = name.as_str();
        let variable =
            self.scopes.iter_mut().rev().flat_map(|scope| scope.iter_mut().rev()).find(|var| var.name == name)?;
        variable.value = Val::Unknown;
        Some(Val::Unknown)
    }

    fn update_element(&mut self, binary: &ExprBinary, index: &ExprIndex, target: Target, right: Val) -> Val {
        let Target { memory, place: GuardedIndex { index: position, inside } } = target;
        // One position, and one condition, for the read and the write.
        let place = GuardedIndex { index: self.once("position", position), inside: None };
        self.builder.open();
        let current = self.load_from(Target { memory, place }, index);
        let value = self.new_value(binary, current, right);
        let result = self.store(Target { memory, place }, value, &ElementWrite::updated(binary, index));
        let then = self.builder.close();
        match inside {
            Some(condition) => self.builder.stmt(Kir::If { condition, then, otherwise: Vec::new() }),
            None => then.into_iter().for_each(|statement| self.builder.stmt(statement)),
        }
        result
    }

    /// What follows would speak of a value of the variable that was never meant.
    fn distrust(&mut self, left: &Expr) {
        let Expr::Path(path) = left else { return };
        let name = constant::name(&path.path).unwrap_or_default();
        let variable =
            self.scopes.iter_mut().rev().flat_map(|scope| scope.iter_mut().rev()).find(|var| var.name == name);
        if let Some(variable) = variable.filter(|variable| matches!(variable.value, Val::Expr(..))) {
            variable.value = Val::Unknown;
        }
    }

    /// Assigns a variable.
    fn assign(&mut self, left: &Expr, value: Val, span: Span) -> Val {
        if matches!(value, Val::Unknown) {
            return Val::Unknown;
        }
        let Expr::Path(path) = left else {
            return self.report(left.span(), &m::ASSIGN_TARGET, &[]);
        };
        let name = constant::name(&path.path).unwrap_or_default();
        let Some(variable) = self.lookup(&name).cloned() else {
            return self.report(left.span(), &m::UNKNOWN_NAME, &[&name, &""]);
        };
        if let Val::Buffer(buffer) = variable.value {
            let index = self.buffers[buffer].index();
            return self.report(left.span(), &m::SIMT_WHOLE_RESULT, &[&name, &name, &index]);
        }
        if matches!(variable.value, Val::Unknown) {
            return Val::Unknown;
        }
        let (Some(slot), Val::Expr(current, bare)) = (variable.slot, variable.value) else {
            return self.report(left.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]);
        };
        let target = Val::Expr(current, bare);
        let Some((_, value)) = self.pair(target, value, [span; 2]) else { return Val::Unknown };
        let (own, given) = (self.ty(current), self.ty(value));
        if own != given {
            return self.unlike("=", &own, &given, span);
        }
        self.builder.assign(slot, value);
        Val::Unit
    }

    /// Writes one element, or as many as the value has lanes.
    pub(super) fn store(&mut self, target: Target, value: Val, written: &ElementWrite) -> Val {
        if matches!(value, Val::Unknown) {
            return Val::Unknown;
        }
        let span = written.value;
        let (own, buffer) = match target.memory {
            ElementStorage::Buffer(buffer) => (self.buffers[buffer].dtype.compute(), Some(buffer)),
            ElementStorage::Array(_, dtype) => (dtype.compute(), None),
        };
        if let Some(buffer) = buffer.filter(|buffer| self.buffers[*buffer].result.is_none()) {
            let name = self.builder.kernel().params[self.buffers[buffer].param.0 as usize].name.clone();
            return self.report(written.place, &m::SIMT_INPUT, &[&name, &name]);
        }
        let Some(value) = self.value(value, Some(own), span) else { return Val::Unknown };
        let (own, given) = (ValueType { dtype: own, lanes: written.lanes }, self.ty(value));
        if own.lanes != given.lanes {
            return self.other_lanes(written, own, given, buffer.is_some());
        }
        if own != given {
            return self.unlike("=", &own, &given, span);
        }
        match target.memory {
            ElementStorage::Buffer(buffer) => {
                let (param, dtype) = (self.buffers[buffer].param, self.buffers[buffer].dtype);
                let statements = match own.lanes {
                    1 => {
                        self.write(target.place, |this, index| this.builder.store(param, index, value));
                        1
                    }
                    _ => self.write_lanes(buffer, target.place, value),
                };
                self.note_store(written, dtype, statements);
            }
            ElementStorage::Array(array, _) => {
                self.note_local_store(array, written);
                self.write(target.place, |this, index| this.builder.stmt(Kir::StoreArray { array, index, value }));
            }
        }
        Val::Unit
    }

    /// Rule: as many lanes are written as elements are named. Wrong: `y[i] = x.load4(i)`, `y.store4(i, 0.0)`.
    fn other_lanes(&self, written: &ElementWrite, own: ValueType, given: ValueType, tensor: bool) -> Val {
        if self.changed {
            return Val::Unknown;
        }
        if own.lanes > 1 {
            return self.unlike_types(&format!("store{}", own.lanes), own, given, written.value);
        }
        let ElementWrite { element, given: value, .. } = written;
        let one = element.strip_suffix(']').and_then(|read| read.split_once('['));
        let instead = match one.filter(|(_, index)| tensor && !index.contains([',', '['])) {
            Some((name, index)) => {
                format!("all of them, from that element on: write `{name}.store{}({index}, {value});`", given.lanes)
            }
            None => format!("one of them: write `{element} = {value}.lane(0);`"),
        };
        self.report(written.value, &m::SIMT_ONE_LANE, &[element, &given.lanes, &instead])
    }

    /// What an element or a variable has after `left op= right`, where it is `current` before.
    fn new_value(&mut self, binary: &ExprBinary, current: Val, right: Val) -> Val {
        match self.shifted_beyond(binary, &current) {
            Some(refused) => refused,
            None => self.binary(&binary.op, current, right, places(binary)),
        }
    }
}
