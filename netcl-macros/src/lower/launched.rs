//! Calls of kernels in SIMT form, which are launched as they are: what they compute is fused with nothing.

use super::written::Written;
use super::{Lowering, Val};
use crate::ast::{ArgDecl, ArgType, Launched, LaunchedInstance};
use crate::callee::Callee;
use crate::messages as m;
use crate::parse::{name as name_of, text};
use netcl_kernels::graph::{InputKind, NodeId, Op};
use std::collections::BTreeMap;
use syn::ExprCall;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// `block_sums(x)` of a kernel in SIMT form.
    pub(super) fn launched(&mut self, kernel: &'a Launched, call: &'a ExprCall) -> Val<'a> {
        let (span, name) = (call.func.span(), text(&call.func));
        if self.axes.is_some() || self.elementwise {
            return self.report(span, &m::KERNEL_CALLED, &[&name]);
        }
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        if args.iter().any(Val::is_unknown) || !self.affords(&name, span) {
            return Val::Unknown;
        }
        let place = |position: usize| call.args.iter().nth(position).map_or(span, Spanned::span);
        let own = |instance: &'a LaunchedInstance| instance.inputs.as_slice();
        let Some(instance) = self.listed(&name, (&kernel.instances, &own), &args, &place) else {
            return Val::Unknown;
        };
        if instance.is_unsafe && self.promised.replace(true).is_none() {
            self.promised = None;
            return self.report(span, &m::KERNEL_UNCHECKED, &[&name, &format!("unsafe {{ {} }}", text(call))]);
        }
        if instance.indexed_gradient {
            return self.report(span, &m::KERNEL_INDEXED_GRADIENT, &[&name]);
        }
        let inputs = &instance.inputs;
        let callee = Callee::new(self.diag, &instance.name, span);
        if !callee.takes(&inputs.iter().map(ArgDecl::to_string).collect::<Vec<_>>(), args.len()) {
            return Val::Unknown;
        }
        let (mut symbols, mut operands) = (BTreeMap::new(), Vec::new());
        let written = Written::new(name, call.args.iter());
        for (position, (arg, value)) in inputs.iter().zip(args).enumerate() {
            let place = written.place(position, span);
            let own = name_of(&instance.name);
            let instead = |_: &Self| match &arg.ty {
                ArgType::Tensor(ty) => format!("pass a `{ty}`, or change what `{own}` declares"),
                _ => "change what is passed, or the declaration".to_string(),
            };
            let value = self.as_argument(arg, value);
            let value = self.argument_value((&callee, &instead), arg, value, &mut symbols, place);
            let Some(Val::Tensor(id)) = value else { return Val::Unknown };
            if let ArgType::Scalar(dtype) = arg.ty
                && !self.is_passed(id)
            {
                let (expected, instead) = (
                    format!("a plain `{dtype}`"),
                    format!(
                        "a launch passes numbers that are known before: pass an argument or a number, or declare `{}: &Tensor<{dtype}>`",
                        arg.name
                    ),
                );
                callee.mismatch((&arg.name, place), &expected, &"a number that is computed", &instead);
                return Val::Unknown;
            }
            operands.push(id);
        }
        let sizes: Option<Vec<_>> =
            instance.kernel.symbols.iter().map(|symbol| symbols.get(symbol.name()).cloned()).collect();
        let Some(sizes) = sizes else { return Val::Unknown };
        self.at(span);
        match self.builder.custom(&instance.kernel, &sizes, &operands) {
            Ok(results) if results.len() == 1 => Val::Tensor(self.new_tensor(results[0])),
            Ok(results) => Val::Tuple(results.into_iter().map(|id| Val::Tensor(self.new_tensor(id))).collect()),
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                Val::Unknown
            }
        }
    }

    /// Whether a launch can pass the node's value as a number.
    fn is_passed(&self, id: NodeId) -> bool {
        matches!(
            &self.builder.node(self.builder.behind(id)).op,
            Op::Input(InputKind::Scalar(_)) | Op::Constant(_) | Op::Size(_)
        )
    }
}
