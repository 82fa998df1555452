//! Functions of numbers in kernels: a graph without axes as expressions, at the place of a call.

use super::values::{Coordinates, Values, bind_shared};
use crate::graph::{Graph, InputKind, NodeId, Op};
use crate::kir::ExprId;
use crate::kir::build::KernelBuilder;
use rustc_hash::FxHashMap;

/// The graph's first output where its arguments are `arguments`, by position; `None` if the graph has no output, an axis,
/// or an input that is no argument with a value.
///
/// What is used more than once, and what has a name, is bound to a variable. The arguments are written down wherever they
/// are used: bind them first.
pub fn inline(b: &mut KernelBuilder, graph: &Graph, arguments: &[ExprId]) -> Option<ExprId> {
    let (_, output) = graph.outputs.first()?;
    let stops = |_: NodeId| false;
    let buffer_name = |_: NodeId| String::new();
    let mut values = Values::new(graph, Vec::new(), &stops, &buffer_name);
    for (id, node) in graph.iter() {
        if node.shape.rank() > 0 {
            return None;
        }
        match &node.op {
            Op::Input(InputKind::Argument(position)) => {
                values.known.insert(id, (Vec::new(), *arguments.get(*position)?));
            }
            Op::Input(_) => return None,
            Op::Constant(_) | Op::Cast(_) | Op::Reshape(_) | Op::View { .. } => {}
            op if op.is_elementwise() => {}
            _ => return None,
        }
    }
    let at = Coordinates { values: Vec::new(), vector: None, lanes: 1 };
    let result = values.value(b, *output, &[], &at, false);
    let mut names = FxHashMap::default();
    for (id, node) in graph.iter() {
        if !node.name.is_empty() && !matches!(node.op, Op::Input(_)) {
            let value = values.value(b, id, &[], &at, false);
            names.insert(value, node.name.clone());
        }
    }
    bind_shared(b, &[result], &names).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Shape;
    use crate::dtype::DType;
    use crate::graph::build::Builder;
    use crate::graph::{BinaryOp, OutputKind, UnaryOp};
    use crate::kir::{Expr, Launch, ParamKind, Stmt};

    fn arguments(count: usize, shape: Shape) -> (Builder, Vec<NodeId>) {
        let mut graph = Builder::new("f");
        let inputs = (0..count)
            .map(|position| graph.input(InputKind::Argument(position), "x", shape.clone(), DType::F32))
            .collect();
        (graph, inputs)
    }

    #[test]
    fn shared_and_named_values_are_bound() {
        let (mut graph, x) = arguments(2, Shape::scalar());
        let e = graph.unary(UnaryOp::Exp, x[0]).expect("a float");
        graph.name(e, "grown");
        let product = graph.binary(BinaryOp::Mul, e, x[1]).expect("floats");
        let sum = graph.binary(BinaryOp::Add, product, product).expect("floats");
        graph.output(OutputKind::Result(0), sum);
        let graph = graph.finish();
        let mut b = KernelBuilder::new("k", Launch::function());
        let given = ["a", "b"].map(|name| b.scalar(name, DType::F32));
        let value = inline(&mut b, &graph, &given).expect("a value");
        let kernel = b.finish();
        let bound: Vec<&str> = kernel
            .body
            .iter()
            .map(|statement| match statement {
                Stmt::Let(var, _) => kernel.vars[var.0 as usize].name.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(bound, ["grown", "t"]);
        assert!(matches!(kernel.expr(value), Expr::Binary(BinaryOp::Add, a, b) if a == b));
        assert!(kernel.params.iter().all(|param| matches!(param.kind, ParamKind::Scalar(_))));
    }

    #[test]
    fn what_is_no_function_of_the_arguments_is_refused() {
        let (mut graph, x) = arguments(1, Shape::scalar());
        graph.output(OutputKind::Result(0), x[0]);
        let graph = graph.finish();
        let mut b = KernelBuilder::new("k", Launch::function());
        assert_eq!(inline(&mut b, &graph, &[]), None, "too few arguments");
        let (mut graph, x) = arguments(1, Shape(vec![4.into()]));
        graph.output(OutputKind::Result(0), x[0]);
        let graph = graph.finish();
        let given = b.scalar("a", DType::F32);
        assert_eq!(inline(&mut b, &graph, &[given]), None, "an axis");
        assert_eq!(inline(&mut b, &Graph::default(), &[given]), None, "no output");
    }
}
