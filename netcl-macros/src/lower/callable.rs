//! Calls of kernels in index form and of functions of tensors, which stand beside models: their bodies, in place.

use super::affine::Ends;
use super::given::Given;
use super::written::Written;
use super::{Lowering, Val};
use crate::ast::{ArgType, Callable, FunctionItem};
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{InputKind, NodeId, Op};
use std::rc::Rc;
use syn::ExprCall;
use syn::spanned::Spanned;

/// What a body leaves behind where it goes into another one.
pub(super) struct Outside {
    axes: Option<Vec<Dim>>,
    ends: Ends,
    elementwise: bool,
    promised: Option<bool>,
}

impl<'a> Lowering<'a> {
    /// `smooth(x)` of a kernel or a function of tensors.
    pub(super) fn callable(&mut self, callable: &'a Callable, call: &'a ExprCall) -> Val<'a> {
        let span = call.func.span();
        if self.axes.is_some() || self.elementwise {
            return self.report(span, &m::KERNEL_CALLED, &[&text(&call.func)]);
        }
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let name = text(&call.func);
        let place = |position: usize| call.args.iter().nth(position).map_or(span, Spanned::span);
        let own = |function: &'a FunctionItem| function.args.as_slice();
        let Some(function) = self.listed(&name, (&callable.functions, &own), &args, &place) else {
            return Val::Unknown;
        };
        self.written = Written::new(name, call.args.iter());
        self.inline(&callable.scope, None, Rc::default(), function, args, span)
    }

    /// Notes which nodes stand for the arguments of a kernel that has been entered.
    pub(super) fn give(&mut self, function: &FunctionItem, values: &[(String, Val<'a>)]) {
        if !function.indexed {
            return;
        }
        let pairs = function.args.iter().zip(values);
        let given = pairs.filter_map(|(arg, (_, value))| match (&arg.ty, value) {
            (ArgType::Tensor(_), Val::Tensor(id)) => Some((*id, Given::Tensor)),
            (_, Val::Tensor(id)) => Some((*id, Given::Number)),
            _ => None,
        });
        self.frame_mut().given = given.collect();
    }

    /// Which kind of argument the node is, if it is one: of the kernel that is called, or of the whole graph.
    pub(super) fn given(&self, id: NodeId) -> Option<Given> {
        let here = self.frame().given.get(&id).copied();
        here.or_else(|| match &self.builder.node(id).op {
            Op::Input(InputKind::Scalar(_)) => Some(Given::Number),
            Op::Input(_) => Some(Given::Tensor),
            _ => None,
        })
    }

    /// `unsafe { copied(x) }`: what is called in it may be such that its caller promises something.
    pub(super) fn promise(&mut self, promise: &'a syn::ExprUnsafe) -> Val<'a> {
        let before = self.promised.replace(false);
        let value = self.block(&promise.block);
        let unused = std::mem::replace(&mut self.promised, before) == Some(false);
        if unused && !value.is_unknown() {
            let instead = "leave it out: nothing in it is `unsafe` to call";
            return self.report(promise.span(), &m::UNSUPPORTED, &[&"`unsafe` code", &instead]);
        }
        value
    }

    /// Goes into the body of `function`: the index space of a kernel is its own.
    pub(super) fn inside(&mut self, function: &FunctionItem) -> Outside {
        let promised = self.promised.take();
        let outside = Outside {
            axes: self.axes.take(),
            ends: std::mem::take(&mut self.ends),
            elementwise: self.elementwise,
            promised,
        };
        self.elementwise = function.indexed;
        outside
    }

    /// Comes back from it.
    pub(super) fn outside(&mut self, outside: Outside) {
        (self.axes, self.ends) = (outside.axes, outside.ends);
        (self.elementwise, self.promised) = (outside.elementwise, outside.promised);
    }
}
