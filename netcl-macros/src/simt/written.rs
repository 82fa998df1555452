//! A write to an element, in its user's words.

use super::state::{LocalAccess, Simt, Store};
use crate::parse::index::text_of;
use crate::parse::unparenthesized;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::{ArrayId, AtomicOp, ExprId, Space};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprAssign, ExprBinary, ExprIndex, ExprMethodCall};

/// What is written where.
pub(super) struct ElementWrite {
    /// Where that is named which is written to.
    pub(super) place: Span,
    /// Where the value stands.
    pub(super) value: Span,
    pub(super) element: String,
    pub(super) given: String,
    statement: String,
    /// What the element is updated by, and with.
    update: Option<(AtomicOp, String)>,
    /// How many elements are written.
    pub(super) lanes: u8,
}

impl ElementWrite {
    /// `y[i] = value`, where the value may be a part of what stands on the right side.
    pub(super) fn element(index: &ExprIndex, value: Span) -> ElementWrite {
        let element = text_of(index);
        let statement = format!("{element} = ..;");
        let given = "..".to_string();
        ElementWrite { place: index.expr.span(), value, element, given, statement, update: None, lanes: 1 }
    }

    /// `y[i] = value;`
    pub(super) fn assigned(assign: &ExprAssign, index: &ExprIndex) -> ElementWrite {
        let mut written = ElementWrite::element(index, assign.right.span());
        written.statement = format!("{};", text_of(assign));
        written.given = text_of(&assign.right);
        written.update = updated(&written.element, &assign.right);
        written
    }

    /// `y[i] += value;`
    pub(super) fn updated(binary: &ExprBinary, index: &ExprIndex) -> ElementWrite {
        let mut written = ElementWrite::element(index, binary.op.span());
        written.statement = format!("{};", text_of(binary));
        written.update = operation(&binary.op).map(|op| (op, text_of(&binary.right)));
        written
    }

    /// `y.store4(i, value);`
    pub(super) fn stored(call: &ExprMethodCall, lanes: u8) -> ElementWrite {
        let element = text_of(&call.receiver);
        let (given, statement, span) = ("..".to_string(), format!("{};", text_of(call)), call.method.span());
        ElementWrite { place: span, value: span, element, given, statement, update: None, lanes }
    }
}

impl Simt<'_> {
    /// Notes a write to a tensor of that type.
    pub(super) fn note_store(&mut self, written: &ElementWrite, dtype: DType, statements: usize) {
        let update = written.update.as_ref().filter(|(op, _)| op.takes(dtype));
        let atomic = update.map(|(op, by)| format!("atomic_{}(&mut {}, {by});", op.name(), written.element));
        let ElementWrite { place, element, statement, .. } = written;
        let (element, statement) = (element.clone(), statement.clone());
        self.stores.push(Store { place: *place, element, statement, atomic, statements });
    }

    /// Notes a write to an array.
    pub(super) fn note_local_store(&mut self, array: ArrayId, written: &ElementWrite) {
        let (element, text) = (written.element.clone(), written.statement.clone());
        self.touches(array, LocalAccess { span: written.place, element, read: None, statement: self.statement, text });
    }

    /// Notes a read of an array.
    pub(super) fn note_local_read(&mut self, array: ArrayId, at: &ExprIndex, read: ExprId) {
        let (span, element) = (at.expr.span(), text_of(at));
        let access = LocalAccess { span, element, read: Some(read), statement: self.statement, text: String::new() };
        self.touches(array, access);
    }

    fn touches(&mut self, array: ArrayId, access: LocalAccess) {
        if self.builder.kernel().arrays[array.0 as usize].space == Space::Local {
            self.touched.push(access);
        }
    }
}

/// The atomic operation that is an operator.
fn operation(op: &BinOp) -> Option<AtomicOp> {
    match op {
        BinOp::AddAssign(_) | BinOp::Add(_) => Some(AtomicOp::Add),
        BinOp::BitAndAssign(_) | BinOp::BitAnd(_) => Some(AtomicOp::And),
        BinOp::BitOrAssign(_) | BinOp::BitOr(_) => Some(AtomicOp::Or),
        BinOp::BitXorAssign(_) | BinOp::BitXor(_) => Some(AtomicOp::Xor),
        _ => None,
    }
}

/// What the element is updated by where it stands on the right side as well: `y[0] = y[0] + x[i]`, `y[0] = y[0].max(x[i])`.
fn updated(element: &str, right: &Expr) -> Option<(AtomicOp, String)> {
    let (op, one, other) = match unparenthesized(right) {
        Expr::Binary(binary) => (operation(&binary.op)?, &*binary.left, &*binary.right),
        Expr::MethodCall(call) if call.args.len() == 1 => {
            (largest(&call.method.to_string())?, &*call.receiver, &call.args[0])
        }
        Expr::Call(call) if call.args.len() == 2 => (largest(&text_of(&call.func))?, &call.args[0], &call.args[1]),
        _ => return None,
    };
    match (text_of(one) == element, text_of(other) == element) {
        (true, false) => Some((op, text_of(other))),
        (false, true) => Some((op, text_of(one))),
        _ => None,
    }
}

fn largest(name: &str) -> Option<AtomicOp> {
    [AtomicOp::Max, AtomicOp::Min].into_iter().find(|op| op.name() == name)
}
