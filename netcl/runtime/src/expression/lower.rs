//! Nodes to kernel IR.

use super::Expression;
use super::node::{ExprNode, Id};
use super::words::{Binary, Unary};
use crate::error::{Error, Result};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::emit::opencl;
use netcl_kernels::graph::{BinaryOp, CompareOp, UnaryOp};
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Expr, ExprId, Kernel, Launch, ValueType};

/// How deep a value may nest before it gets a name: deeper ones are read by nobody, and the verifier refuses what is much deeper.
const DEPTH: usize = 6;

impl Expression {
    /// A device function of these parameters' names, which are as many as the expression has variables.
    pub(crate) fn function(&self, name: &str, parameters: &[String]) -> Kernel {
        let mut builder = KernelBuilder::new(name, Launch::function());
        // Line breaks would be signs that no expression has; only blanks of other kinds need care.
        builder.doc(self.text().replace(char::is_whitespace, " "));
        let ty = ValueType::scalar(self.dtype);
        let inputs: Vec<ExprId> = parameters.iter().map(|name| builder.passed(name, ty)).collect();
        let result = self.lower(&mut builder, &inputs);
        builder.set_result(result);
        builder.finish()
    }

    /// The value for these values of the variables, which are of the type that it computes in.
    pub(crate) fn lower(&self, builder: &mut KernelBuilder, inputs: &[ExprId]) -> ExprId {
        let mut lowering = Lowering { builder, dtype: self.dtype, inputs: inputs.to_vec(), values: Vec::new() };
        for node in &self.nodes {
            let value = lowering.node(*node);
            lowering.values.push(value);
        }
        lowering.values[self.nodes.len() - 1].id
    }
}

/// OpenCL C of device functions and what they need.
///
/// # Errors
///
/// [`Error::Plan`] if a function's name is none of OpenCL C.
pub(crate) fn opencl(functions: &[Kernel]) -> Result<String> {
    let verified = functions.iter().map(|function| {
        verify(function, &Capabilities::unlimited()).map_err(|diagnostics| {
            let problems: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            Error::Plan { function: function.name.clone(), problem: problems.join("; ") }
        })
    });
    Ok(opencl::program(&verified.collect::<Result<Vec<_>>>()?, &opencl::Options::default()))
}

#[derive(Clone, Copy)]
struct Lowered {
    id: ExprId,
    depth: usize,
}

struct Lowering<'a> {
    builder: &'a mut KernelBuilder,
    dtype: DType,
    inputs: Vec<ExprId>,
    /// Of the nodes so far.
    values: Vec<Lowered>,
}

impl Lowering<'_> {
    fn node(&mut self, node: ExprNode) -> Lowered {
        let (id, operands) = match node {
            ExprNode::Variable(position) => {
                // An element is loaded once.
                self.inputs[position] = self.named(self.inputs[position]);
                (self.inputs[position], [None; 3])
            }
            ExprNode::Integer(value) => (self.integer(value as i64), [None; 3]),
            ExprNode::Float(value) => (self.builder.literal(Literal::float(value, self.dtype)), [None; 3]),
            ExprNode::Largest => (self.extreme(true), [None; 3]),
            ExprNode::Smallest => (self.extreme(false), [None; 3]),
            ExprNode::Unary(operator, x) => (self.unary(operator, x), [Some(x), None, None]),
            ExprNode::Binary(operator, x, y) => (self.binary(operator, x, y), [Some(x), Some(y), None]),
            ExprNode::Select(condition, yes, no) => {
                let truth = self.truth(condition);
                let chosen = self.builder.select(truth, self.values[yes].id, self.values[no].id);
                (chosen, [Some(condition), Some(yes), Some(no)])
            }
        };
        let deepest = operands.into_iter().flatten().map(|operand| self.values[operand].depth + 1).max();
        match deepest {
            Some(depth) if depth > DEPTH => Lowered { id: self.named(id), depth: 0 },
            depth => Lowered { id, depth: depth.unwrap_or(0) },
        }
    }

    fn integer(&mut self, value: i64) -> ExprId {
        self.builder.literal(Literal::Int(self.dtype.wrap(value), self.dtype))
    }

    fn zero(&mut self) -> ExprId {
        self.builder.literal(Literal::of(0.0, self.dtype))
    }

    fn extreme(&mut self, largest: bool) -> ExprId {
        match self.dtype.whole_range() {
            Some((least, greatest)) => self.integer(if largest { greatest } else { least }),
            None => {
                let value = self.dtype.largest();
                self.builder.literal(Literal::float(if largest { value } else { -value }, self.dtype))
            }
        }
    }

    /// The value with a name, unless it is one or a constant.
    fn named(&mut self, id: ExprId) -> ExprId {
        match self.builder.kernel().expr(id) {
            Expr::Literal(_) | Expr::Var(_) | Expr::Param(_) => id,
            _ => self.builder.named("part", id),
        }
    }

    /// The value for several uses.
    fn shared(&mut self, node: Id) -> ExprId {
        self.values[node].id = self.named(self.values[node].id);
        self.values[node].id
    }

    /// Whether a condition of this value holds.
    fn truth(&mut self, node: Id) -> ExprId {
        let id = self.values[node].id;
        if let Expr::Cast(_, truth) = *self.builder.kernel().expr(id)
            && self.builder.ty(truth).dtype == DType::Bool
        {
            return truth;
        }
        let zero = self.zero();
        self.builder.compare(CompareOp::Ne, id, zero)
    }

    /// 1 or 0.
    fn number(&mut self, truth: ExprId) -> ExprId {
        self.builder.cast(self.dtype, truth)
    }

    fn compare(&mut self, op: CompareOp, x: ExprId, y: ExprId) -> ExprId {
        let truth = self.builder.compare(op, x, y);
        self.number(truth)
    }

    fn unary(&mut self, operator: Unary, node: Id) -> ExprId {
        let x = self.values[node].id;
        let op = match operator {
            Unary::Not => {
                let truth = self.truth(node);
                let not = self.builder.unary(UnaryOp::Not, truth);
                return self.number(not);
            }
            Unary::Relu => {
                // NaN stays what it is.
                let (x, zero) = (self.shared(node), self.zero());
                let negative = self.builder.compare(CompareOp::Lt, x, zero);
                return self.builder.select(negative, zero, x);
            }
            Unary::Trunc => {
                let (x, zero) = (self.shared(node), self.zero());
                let negative = self.builder.compare(CompareOp::Lt, x, zero);
                let (above, below) = (self.builder.unary(UnaryOp::Ceil, x), self.builder.unary(UnaryOp::Floor, x));
                return self.builder.select(negative, above, below);
            }
            Unary::IsNan => {
                let x = self.shared(node);
                return self.compare(CompareOp::Ne, x, x);
            }
            Unary::Negate => UnaryOp::Neg,
            Unary::Complement => UnaryOp::Not,
            Unary::Abs => UnaryOp::Abs,
            Unary::Sqrt => UnaryOp::Sqrt,
            Unary::Rsqrt => UnaryOp::Rsqrt,
            Unary::Exp => UnaryOp::Exp,
            Unary::Exp2 => UnaryOp::Exp2,
            Unary::Log => UnaryOp::Log,
            Unary::Log2 => UnaryOp::Log2,
            Unary::Sin => UnaryOp::Sin,
            Unary::Cos => UnaryOp::Cos,
            Unary::Tan => UnaryOp::Tan,
            Unary::Tanh => UnaryOp::Tanh,
            Unary::Floor => UnaryOp::Floor,
            Unary::Ceil => UnaryOp::Ceil,
            Unary::Round => UnaryOp::Round,
        };
        self.builder.unary(op, x)
    }

    fn binary(&mut self, operator: Binary, left: Id, right: Id) -> ExprId {
        let (x, y) = (self.values[left].id, self.values[right].id);
        let op = match operator {
            Binary::And | Binary::Or => {
                let (x, y) = (self.truth(left), self.truth(right));
                let op = if operator == Binary::And { BinaryOp::And } else { BinaryOp::Or };
                let both = self.builder.binary(op, x, y);
                return self.number(both);
            }
            Binary::Less => return self.compare(CompareOp::Lt, x, y),
            Binary::LessEqual => return self.compare(CompareOp::Le, x, y),
            Binary::Greater => return self.compare(CompareOp::Gt, x, y),
            Binary::GreaterEqual => return self.compare(CompareOp::Ge, x, y),
            Binary::Equal => return self.compare(CompareOp::Eq, x, y),
            Binary::NotEqual => return self.compare(CompareOp::Ne, x, y),
            Binary::Add => BinaryOp::Add,
            Binary::Subtract => BinaryOp::Sub,
            Binary::Multiply => BinaryOp::Mul,
            Binary::Divide => BinaryOp::Div,
            Binary::Remainder => BinaryOp::Rem,
            Binary::Min => BinaryOp::Min,
            Binary::Max => BinaryOp::Max,
            Binary::Power => BinaryOp::Pow,
            Binary::BitAnd => BinaryOp::And,
            Binary::BitOr => BinaryOp::Or,
            Binary::BitXor => BinaryOp::Xor,
            Binary::ShiftLeft => BinaryOp::Shl,
            Binary::ShiftRight => BinaryOp::Shr,
        };
        self.builder.binary(op, x, y)
    }
}
