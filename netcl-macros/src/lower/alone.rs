//! Functions of scalars as graphs of their own.

use super::expected::Expected;
use super::identity::{Chosen, Distinct};
use super::{Lowering, Val};
use crate::ast::Helper;
use crate::diag::Diag;
use netcl_kernels::dim::Shape;
use netcl_kernels::graph::{Graph, InputKind, OutputKind};
use netcl_kernels::layers::Mode;
use std::rc::Rc;

/// Compiles a function of scalars on its own: a graph without axes of its arguments, by position; `None` where it is wrong,
/// which is reported where it stands.
pub(crate) fn function(diag: &Diag, helper: &Helper) -> Option<Graph> {
    let before = diag.count();
    let mut lowering = Lowering::new(
        diag,
        &crate::parse::name(&helper.name),
        Mode::Inference,
        Vec::new(),
        Distinct::These(Chosen::default()),
    );
    lowering.elementwise = true;
    lowering.enter(&helper.scope, None, Rc::default(), &crate::parse::name(&helper.name));
    lowering.wanted = true;
    for (position, (name, dtype)) in helper.args.iter().enumerate() {
        let id =
            lowering.builder.input(InputKind::Argument(position), &crate::parse::name(name), Shape::scalar(), *dtype);
        lowering.bind(&crate::parse::name(name), Val::Tensor(id), false, true);
    }
    lowering.expected = Expected::result(helper.result);
    let value = lowering.function_block(&helper.body);
    let value = lowering.helper_result(helper, value, helper.name.span());
    let result = lowering.tensor(value, Some(helper.result), helper.name.span())?;
    let mut builder = lowering.builder;
    builder.output(OutputKind::Result(0), result);
    (diag.count() == before).then(|| builder.finish())
}
