//! What a body does not come to, `if false { .. }` or the arm of an `Option` that is not there: it is looked at for names that there
//! are not. All else in it may be right for other numbers than those that this is compiled for.

use super::choice::OneArm;
use super::function::{LoweredFunction, Parameters, lower_with};
use super::{Lowering, Sizes, Val};
use crate::ast::{FieldKind, FunctionItem, Unit};
use crate::diag::Diag;
use crate::messages::{self as m, Message};
use crate::parse;
use netcl_kernels::dim::Dim;
use netcl_kernels::layers::Mode;
use std::rc::Rc;
use syn::{Arm, Expr, ExprForLoop, ExprIf, ExprMatch, Member, Pat, Stmt};

/// What is wrong whatever the numbers are, and whatever is chosen by them: names that there are not, and those that a value of a
/// [certain](Lowering::is_certain) kind has not.
const WHATEVER_NUMBERS: &[Message] = &[
    m::UNKNOWN_NAME,
    m::UNKNOWN_LOWER_NAME,
    m::UNKNOWN_SIZE_NAME,
    m::NUMBER_ELSEWHERE,
    m::FIELD_WITHOUT_SELF,
    m::UNKNOWN_FIELD,
    m::NO_FIELDS,
    m::UNKNOWN_METHOD,
    m::UNKNOWN_FUNCTION,
    m::ELSEWHERE,
    m::ELSEWHERE_CALLED,
    m::MODEL_HAS_NO_FUNCTION,
    m::DYNAMIC_CALLED,
    m::LAYER_CALL,
    m::FIELD_CALLED,
    m::METHOD_WITHOUT_CALL,
    m::LET_ELSE,
    m::IF_WITHOUT_ELSE,
];

/// The same of a function that is looked at for numbers which only stand for others, and comes to all that it comes to.
const WHATEVER_OPEN: &[Message] = &[
    m::UNKNOWN_NAME,
    m::UNKNOWN_LOWER_NAME,
    m::UNKNOWN_FIELD,
    m::UNKNOWN_METHOD,
    m::UNKNOWN_FUNCTION,
    m::ELSEWHERE,
    m::ELSEWHERE_CALLED,
    m::MODEL_HAS_NO_FUNCTION,
    m::LAYER_CALL,
    m::FIELD_CALLED,
    m::METHOD_WITHOUT_CALL,
    m::ARGUMENT_COUNT,
    m::CALL_ARGUMENTS,
    m::LAYER_ARGUMENTS,
];

/// Reports what is wrong in a function that only numbers make known, whatever they are: it is looked at for some that it can be
/// compiled for. Sizes may fit for others than these, names and counts of arguments are the same for all.
pub(crate) fn judge_open(diag: &Diag, unit: &Unit, function: &FunctionItem, mode: Mode) {
    let Some(model) = &unit.model else { return };
    let said = diag.only(WHATEVER_OPEN);
    for number in [4, 2, 1] {
        let numbers = vec![Dim::constant(number); model.parameters.len()];
        let sizes = Rc::new(Sizes::closed(model, &unit.given, &numbers));
        let lowered = lower_with(diag, (unit, &sizes, Parameters::Examples), function, mode);
        if diag.has_said_since(said) || matches!(lowered, LoweredFunction::Paths(_)) {
            break;
        }
    }
    diag.go_back(said);
}

impl<'a> Lowering<'a> {
    /// Notes that the body comes to `part` of itself.
    pub(super) fn reached<T>(&mut self, part: &T) {
        self.is_first_look(part);
    }

    /// Notes a part of the function's own body that is looked at with open eyes; whether it is the first time, on whichever path and in
    /// whichever mode.
    fn is_first_look<T>(&self, part: &T) -> bool {
        self.frames.len() == 1 && !self.diag.is_deaf() && self.looked_at.is_some_and(|looked_at| looked_at.note(part))
    }

    /// What is said of what is not come to: nothing in other functions, which are looked at where they are compiled, nor of what rustc
    /// compiles as well.
    pub(super) fn whatever_numbers(&self) -> &'static [Message] {
        let elsewhere = self.frames.len() > 1 || self.closed || self.frame().unit.in_rust;
        if elsewhere { &[] } else { WHATEVER_NUMBERS }
    }

    /// Looks at `part`, to which the body does not come this time. What it does leaves no trace.
    pub(super) fn unreached<T>(&mut self, part: &T, evaluate: impl FnOnce(&mut Self)) {
        if self.whatever_numbers().is_empty() || !self.is_first_look(part) {
            return;
        }
        let before = self.clone();
        let said = self.diag.only(self.whatever_numbers());
        (self.doubtful, self.partial) = (true, true);
        self.stay();
        evaluate(self);
        self.diag.go_back(said);
        *self = before;
    }

    /// Whether the branch gives a value where its condition holds, which does not here.
    pub(super) fn gives_value(&mut self, branch: &'a ExprIf) -> bool {
        let before = self.clone();
        let said = self.diag.only(&[]);
        self.bind_all_if_there(&branch.cond);
        self.wanted = true;
        let value = self.block(&branch.then_branch);
        self.diag.go_back(said);
        *self = before;
        !matches!(value, Val::Unit | Val::Unknown)
    }

    /// What would be in the `Option` that the expression is, a field, if it were there.
    pub(super) fn if_there(&mut self, expr: &'a Expr) -> Val<'a> {
        let field = match parse::unparenthesized(expr) {
            Expr::Reference(inner) => return self.if_there(&inner.expr),
            Expr::MethodCall(call) if call.method == "as_ref" => return self.if_there(&call.receiver),
            Expr::Field(field) => field,
            _ => return Val::Unknown,
        };
        let (Val::Place(super::FieldRef::Model(unit, path, sizes)), Member::Named(name)) =
            (self.expr(&field.base), &field.member)
        else {
            return Val::Unknown;
        };
        let fields = unit.model.iter().flat_map(|model| &model.fields);
        match fields.into_iter().find(|own| own.name == *name).map(|own| &own.kind) {
            Some(FieldKind::Optional { each, .. }) => {
                let name = parse::name(name);
                let path = format!("{path}{name}");
                self.resolve(unit, each, &sizes, &name, path)
            }
            _ => Val::Unknown,
        }
    }

    /// Looks at the arms that the value, where it is known, does not come to, but for those of which other cases follow in `rest`.
    pub(super) fn arms_left_out(
        &mut self,
        given: &'a ExprMatch,
        value: &Val<'a>,
        arms: &[OneArm<'a>],
        rest: &[OneArm<'a>],
    ) {
        if !matches!(value, Val::Dim(_) | Val::Bool(_) | Val::Option(_)) {
            return;
        }
        let follows = |arm: &Arm| rest.iter().any(|(other, _)| std::ptr::eq(*other, arm));
        for (arm, _) in arms.iter().filter(|(arm, _)| !follows(arm)) {
            self.unreached(*arm, |this| {
                this.frame_mut().scopes.push(Vec::new());
                this.bind_if_there(&arm.pat, &given.expr);
                this.expr(&arm.body);
            });
        }
    }

    /// Binds the names of a pattern that the value of `given` does not fit.
    pub(super) fn bind_if_there(&mut self, pattern: &'a Pat, given: &'a Expr) {
        match pattern {
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                let value = self.if_there(given);
                self.bind_given(&some.elems[0], value, given);
            }
            _ => self.bind_unknown(pattern, false),
        }
    }

    /// Binds the names in a condition that does not hold.
    pub(super) fn bind_all_if_there(&mut self, condition: &'a Expr) {
        match condition {
            Expr::Let(inner) => self.bind_if_there(&inner.pat, &inner.expr),
            Expr::Binary(chain) => {
                self.bind_all_if_there(&chain.left);
                self.bind_all_if_there(&chain.right);
            }
            _ => {}
        }
    }

    /// Looks at the body of a loop without rounds.
    pub(super) fn no_rounds(&mut self, pattern: &'a Pat, each: &'a ExprForLoop) {
        self.unreached(&each.body, |this| {
            this.one_round(each.label.as_ref(), |this| this.for_round((pattern, false), Val::Unknown, &each.body));
        });
    }

    /// Looks at the statements behind the first, which leaves.
    pub(super) fn rest_of(&mut self, statements: &'a [Stmt]) {
        let [first, rest @ ..] = statements else { return };
        // Where plain arguments choose, another way comes to them.
        if rest.is_empty() || !self.decisions.is_empty() || self.axes.is_some() {
            return;
        }
        self.unreached(first, |this| {
            if let Stmt::Local(syn::Local { pat, .. }) = first {
                this.bind_unknown(pat, true);
            }
            for (position, statement) in rest.iter().enumerate() {
                this.statement(statement, position + 1 == rest.len(), false);
                this.stay();
            }
        });
    }
}
