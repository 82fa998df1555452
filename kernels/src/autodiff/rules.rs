//! The table of derivative rules: one arm per operation, its mathematics beside it.
//!
//! `g` is the cotangent of the node's value `y`; each arm gives the cotangents of the operands. A rule reuses `y` where that
//! has all digits that the derivative needs: not where `y` was rounded to a number near 1 or -1, whose distance from it is the
//! derivative. Products are taken in the order in which no factor overflows before the result does. At points without a
//! derivative the rules give what PyTorch gives, or say why not; at NaN what PyTorch gives, or NaN.

use super::maths::Maths;
use super::order::HighestOrder;
use super::reduction::reduce;
use super::view::view_adjoint;
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Graph, InputKind, NodeId, Op, UnaryOp};
use crate::span::Result;
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E};

/// The operands through which a gradient flows; none for step functions, integers and sources.
pub fn differentiable_operands(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let node = &graph[id];
    if let Op::Custom { kernel, operands, .. } = &node.op {
        // Whichever of its results are floats.
        return kernel.differentiable().map(|position| operands[position]).collect();
    }
    if let Op::Attention(attention) = &node.op {
        return attention.operands.clone();
    }
    if let Op::Scan { operands, .. } = &node.op {
        return operands.iter().copied().filter(|operand| graph[*operand].dtype.is_float()).collect();
    }
    if !node.dtype.is_float() {
        return Vec::new();
    }
    match node.op {
        Op::Input(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) | Op::Random { .. } | Op::Compare(..) => {
            Vec::new()
        }
        Op::Unary(op, a) => match op {
            UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Not => Vec::new(),
            _ => vec![a],
        },
        Op::Binary(_, a, b) | Op::MatMul(a, b) | Op::Select(_, a, b) => vec![a, b],
        // To the same type it is `detach`; from integers there is no gradient.
        Op::Cast(a) if graph[a].dtype == node.dtype || !graph[a].dtype.is_float() => Vec::new(),
        Op::Cast(a) | Op::Reshape(a) => vec![a],
        Op::View { source, .. } => vec![source],
        Op::Reduce { op, source, .. } => {
            if op.is_position() {
                Vec::new()
            } else {
                vec![source]
            }
        }
        Op::Conv2d { input, weight, .. } => vec![input, weight],
        Op::Conv2dInputGrad { grad, weight, .. } => vec![grad, weight],
        Op::Conv2dWeightGrad { input, grad, .. } => vec![input, grad],
        Op::Gather { source, .. } => vec![source],
        Op::ScatterAdd { updates, .. } => vec![updates],
        Op::CustomResult { call, .. } => vec![call],
        // As of a call, of all results together.
        Op::Attention(_) | Op::Custom { .. } | Op::Scan { .. } => Vec::new(),
    }
}

/// Which gradients are asked for.
pub(super) struct RequestedGradients<'a> {
    /// Whether a node leads from a target to the output.
    pub(super) leads: &'a [bool],
    /// The nodes whose gradients are asked for.
    pub(super) targets: &'a BTreeSet<NodeId>,
    pub(super) order: HighestOrder,
}

impl RequestedGradients<'_> {
    pub(super) fn has(&self, id: NodeId) -> bool {
        self.leads[id.index()]
    }
}

/// The cotangents of those operands of `id` that are wanted, given its own, `g`.
pub(super) fn contributions(
    builder: &mut Builder,
    id: NodeId,
    g: NodeId,
    wanted: &RequestedGradients<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    let node = builder.node(id).clone();
    let mut m = Maths(builder);
    let mut result = Vec::new();
    match node.op {
        Op::Input(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) | Op::Random { .. } | Op::Compare(..) => {}
        // Of all results together: see [`super::custom`].
        Op::Attention(_) | Op::Custom { .. } | Op::CustomResult { .. } | Op::Scan { .. } => {}
        Op::Unary(op, x) => {
            if wanted.has(x)
                && let Some(contribution) = unary(&mut m, op, (x, id), g, wanted.order)?
            {
                result.push((x, contribution));
            }
        }
        Op::Binary(op, a, b) => {
            for (operand, first) in [(a, true), (b, false)] {
                if wanted.has(operand)
                    && let Some(contribution) = binary(&mut m, op, (a, b), id, g, (first, wanted))?
                {
                    result.push((operand, contribution));
                }
            }
        }
        // y = c ? a : b; da = c ? g : 0; db = c ? 0 : g
        Op::Select(c, a, b) => {
            let zero = m.full_like(0.0, g);
            if wanted.has(a) {
                result.push((a, m.0.select(c, g, zero)?));
            }
            if wanted.has(b) {
                result.push((b, m.0.select(c, zero, g)?));
            }
        }
        // y = x in another type; dx = g in x's
        Op::Cast(x) => {
            if wanted.has(x) && m.0.dtype(x) != node.dtype {
                let dtype = m.0.dtype(x);
                result.push((x, m.0.cast(g, dtype)?));
            }
        }
        // y[o] = x[c(o)]; dx[s] = sum over c(o) = s of g[o]
        Op::View { source, index } => {
            if wanted.has(source) {
                let shape = m.0.shape(source).clone();
                result.push((source, view_adjoint(m.0, g, &shape, &index)?));
            }
        }
        Op::Reshape(x) => {
            if wanted.has(x) {
                let shape = m.0.shape(x).clone();
                result.push((x, m.0.reshape(g, shape)?));
            }
        }
        Op::Reduce { op, source, axes } => {
            if wanted.has(source)
                && let Some(contribution) = reduce(&mut m, op, (source, &axes), g, wanted.order)?
            {
                result.push((source, contribution));
            }
        }
        Op::MatMul(a, b) => matmul(&mut m, (a, b), g, wanted, &mut result)?,
        // y = x * w is linear in both, and so are its two adjoints; the three form a closed set:
        // <g, x * w> = <input_grad(g, w), x> = <weight_grad(x, g), w>
        Op::Conv2d { input, weight, geometry } => {
            if wanted.has(input) {
                let shape = m.0.shape(input).clone();
                result.push((input, m.0.conv2d_input_grad(g, weight, &shape, geometry)?));
            }
            if wanted.has(weight) {
                let shape = m.0.shape(weight).clone();
                result.push((weight, m.0.conv2d_weight_grad(input, g, &shape, geometry)?));
            }
        }
        // y = input_grad(grad, w), <g, y> = <grad, g * w>
        Op::Conv2dInputGrad { grad, weight, geometry } => {
            if wanted.has(grad) {
                result.push((grad, m.0.conv2d(g, weight, geometry)?));
            }
            if wanted.has(weight) {
                let shape = m.0.shape(weight).clone();
                result.push((weight, m.0.conv2d_weight_grad(g, grad, &shape, geometry)?));
            }
        }
        // y = weight_grad(x, grad), <g, y> = <grad, x * g>
        Op::Conv2dWeightGrad { input, grad, geometry } => {
            if wanted.has(input) {
                let shape = m.0.shape(input).clone();
                result.push((input, m.0.conv2d_input_grad(grad, g, &shape, geometry)?));
            }
            if wanted.has(grad) {
                result.push((grad, m.0.conv2d(input, g, geometry)?));
            }
        }
        // y[i] = x[n_i]; dx = sum of g[i] at n_i
        Op::Gather { source, indices } => {
            if wanted.has(source) {
                let shape = m.0.shape(source).clone();
                result.push((source, m.0.scatter_add(indices, g, &shape)?));
            }
        }
        // y = sum of u[i] at n_i; du[i] = g[n_i]
        Op::ScatterAdd { indices, updates } => {
            if wanted.has(updates) {
                result.push((updates, m.0.gather(g, indices)?));
            }
        }
    }
    Ok(result)
}

/// `dx` of `y = op(x)`.
fn unary(
    m: &mut Maths<'_>,
    op: UnaryOp,
    (x, y): (NodeId, NodeId),
    g: NodeId,
    order: HighestOrder,
) -> Result<Option<NodeId>> {
    Ok(Some(match op {
        // -g
        UnaryOp::Neg => m.neg(g)?,
        // g sign(x); 0 at 0, as PyTorch; NaN at NaN, where PyTorch gives 0
        UnaryOp::Abs => {
            let sign = m.apply(UnaryOp::Sign, x)?;
            m.mul(g, sign)?
        }
        // g y
        UnaryOp::Exp => m.mul(g, y)?,
        // g y ln 2
        UnaryOp::Exp2 => {
            let slope = m.scale(y, LN_2)?;
            m.mul(g, slope)?
        }
        // g / x
        UnaryOp::Log => m.div(g, x)?,
        // (g / ln 2) / x: x ln 2 would round the smallest numbers
        UnaryOp::Log2 => {
            let scaled = m.scale(g, LOG2_E)?;
            m.div(scaled, x)?
        }
        // g / (1 + x)
        UnaryOp::Log1p => {
            let shifted = m.shift(x, 1.0)?;
            m.div(g, shifted)?
        }
        // g e^x; y + 1 is 0 where y was rounded to -1
        UnaryOp::Expm1 => {
            let slope = m.apply(UnaryOp::Exp, x)?;
            m.mul(g, slope)?
        }
        // g / (2 y); infinite at 0 (NaN where g is 0 too), as PyTorch
        UnaryOp::Sqrt => {
            let half = m.scale(g, 0.5)?;
            m.div(half, y)?
        }
        // -g y^3 / 2
        UnaryOp::Rsqrt => {
            let half = m.scale(g, -0.5)?;
            let first = m.mul(half, y)?;
            let second = m.mul(first, y)?;
            m.mul(second, y)?
        }
        // g cos(x)
        UnaryOp::Sin => {
            let slope = m.apply(UnaryOp::Cos, x)?;
            m.mul(g, slope)?
        }
        // -g sin(x)
        UnaryOp::Cos => {
            let sin = m.apply(UnaryOp::Sin, x)?;
            let slope = m.neg(sin)?;
            m.mul(g, slope)?
        }
        // g (1 + y^2)
        UnaryOp::Tan => {
            let square = m.mul(y, y)?;
            let slope = m.shift(square, 1.0)?;
            m.mul(g, slope)?
        }
        // g (1 - y^2): |x| has no second derivative at 0, the slope has
        UnaryOp::Tanh if order == HighestOrder::Any => {
            let (square, one) = (m.mul(y, y)?, m.full_like(1.0, y));
            let slope = m.sub(one, square)?;
            m.mul(g, slope)?
        }
        // g 4t / (1 + t)^2 with t = e^(-2|x|); 1 - y^2 keeps few digits from |x| = 3 on, and none from 9 on
        UnaryOp::Tanh => {
            let size = m.apply(UnaryOp::Abs, x)?;
            let exponent = m.scale(size, -2.0)?;
            let power = m.apply(UnaryOp::Exp, exponent)?;
            let sum = m.shift(power, 1.0)?;
            let root = m.div(power, sum)?;
            let quotient = m.div(root, sum)?;
            let slope = m.scale(quotient, 4.0)?;
            m.mul(g, slope)?
        }
        // g 2/sqrt(pi) exp(-x^2)
        UnaryOp::Erf => {
            let square = m.mul(x, x)?;
            let exponent = m.neg(square)?;
            let bell = m.apply(UnaryOp::Exp, exponent)?;
            let slope = m.scale(bell, FRAC_2_SQRT_PI)?;
            m.mul(g, slope)?
        }
        // -g y^2
        UnaryOp::Recip => {
            let once = m.mul(g, y)?;
            let twice = m.mul(once, y)?;
            m.neg(twice)?
        }
        // Steps: 0 wherever there is a derivative.
        UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Not => return Ok(None),
    }))
}

/// `da` (`first`) or `db` of `y = op(a, b)`.
fn binary(
    m: &mut Maths<'_>,
    op: BinaryOp,
    (a, b): (NodeId, NodeId),
    y: NodeId,
    g: NodeId,
    (first, wanted): (bool, &RequestedGradients<'_>),
) -> Result<Option<NodeId>> {
    Ok(Some(match (op, first) {
        // g, g
        (BinaryOp::Add, _) | (BinaryOp::Sub, true) => g,
        // g, -g
        (BinaryOp::Sub, false) => m.neg(g)?,
        // g b, g a
        (BinaryOp::Mul, true) => m.mul(g, b)?,
        (BinaryOp::Mul, false) => m.mul(g, a)?,
        // g / b, -(g / b) y
        (BinaryOp::Div, true) => m.div(g, b)?,
        (BinaryOp::Div, false) => {
            let quotient = m.div(g, b)?;
            let product = m.mul(quotient, y)?;
            m.neg(product)?
        }
        // y = a - trunc(a / b) b: g, -g trunc(a / b); the whole quotient is round((a - y) / b)
        (BinaryOp::Rem, true) => g,
        (BinaryOp::Rem, false) => {
            let multiple = m.sub(a, y)?;
            let quotient = m.div(multiple, b)?;
            let whole = m.apply(UnaryOp::Round, quotient)?;
            let product = m.mul(g, whole)?;
            m.neg(product)?
        }
        // g b a^(b-1), and 0 where b is 0 (also at a = 0), as PyTorch
        (BinaryOp::Pow, true) => match m.0.uniform(b).map(|b| b.as_f64()) {
            Some(0.0) => return Ok(None),
            exponent => {
                let lower = m.shift(b, -1.0)?;
                let power = m.0.binary(BinaryOp::Pow, a, lower)?;
                let slope = m.mul(b, power)?;
                let contribution = m.mul(g, slope)?;
                if exponent.is_some() { contribution } else { m.zero_where(CompareOp::Eq, b, contribution)? }
            }
        },
        // g y ln(a), and 0 where a is 0 and b is not negative, as PyTorch
        (BinaryOp::Pow, false) => {
            let log = m.apply(UnaryOp::Log, a)?;
            let slope = m.mul(y, log)?;
            let contribution = m.mul(g, slope)?;
            let zero = m.full_like(0.0, a);
            let (at_zero, defined) = (m.0.compare(CompareOp::Eq, a, zero)?, m.0.compare(CompareOp::Ge, b, zero)?);
            let flat = m.0.binary(BinaryOp::And, at_zero, defined)?;
            m.0.select(flat, zero, contribution)?
        }
        // g to the side that wins, half to each at a tie, to both where either is NaN: as PyTorch's maximum
        (BinaryOp::Max, _) => extreme(m, CompareOp::Le, if first { (a, b) } else { (b, a) }, y, g, wanted)?,
        (BinaryOp::Min, _) => extreme(m, CompareOp::Ge, if first { (a, b) } else { (b, a) }, y, g, wanted)?,
        // y = atan2(a, b): g b / (a^2 + b^2), -g a / (a^2 + b^2); 0 at the origin, as PyTorch. In units of the larger of the
        // two, whose square may be infinite or 0.
        (BinaryOp::Atan2, _) => {
            let (size_a, size_b) = (m.apply(UnaryOp::Abs, a)?, m.apply(UnaryOp::Abs, b)?);
            let larger = m.0.binary(BinaryOp::Max, size_a, size_b)?;
            let largest = m.full_like(m.0.dtype(a).largest(), a);
            let unit = m.0.binary(BinaryOp::Min, larger, largest)?;
            let (a, b) = (m.div(a, unit)?, m.div(b, unit)?);
            let (sa, sb) = (m.mul(a, a)?, m.mul(b, b)?);
            let square = m.add(sa, sb)?;
            let side = if first { b } else { m.neg(a)? };
            let slope = m.div(side, square)?;
            let turned = m.mul(g, slope)?;
            let contribution = m.div(turned, unit)?;
            m.zero_where(CompareOp::Eq, larger, contribution)?
        }
        // Logic on integers and truth values.
        (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr, _) => return Ok(None),
    }))
}

/// The cotangent of `x` in `max(x, other)` (`loses` is `Le`) or `min(x, other)` (`Ge`).
///
/// Against a number, a constant or one of each call, a tie goes to the number: `max(x, 0)` is relu and `min(max(x, 0), 6)`
/// relu6, whose gradients are 0 at their corners in PyTorch. Whether `x` lost to a constant shows in the result `y` too, which
/// backward keeps anyway where `x` would have to be kept for nothing else; other numbers may not be what `y` is rounded to. At
/// NaN, where comparisons are false, the gradient is 1 for a maximum against a number and 0 for a minimum: PyTorch's of relu, and
/// of what is clamped.
fn extreme(
    m: &mut Maths<'_>,
    loses: CompareOp,
    (x, other): (NodeId, NodeId),
    y: NodeId,
    g: NodeId,
    wanted: &RequestedGradients<'_>,
) -> Result<NodeId> {
    let zero = m.full_like(0.0, g);
    let constant = m.0.uniform(other).is_some();
    if constant || !wanted.has(other) && is_made_of_numbers(m.0, other) {
        let side = if constant { y } else { x };
        if loses == CompareOp::Le {
            let lost = m.0.compare(CompareOp::Le, side, other)?;
            return m.0.select(lost, zero, g);
        }
        let won = m.0.compare(CompareOp::Lt, side, other)?;
        return m.0.select(won, g, zero);
    }
    let strictly = if loses == CompareOp::Le { CompareOp::Lt } else { CompareOp::Gt };
    let (lost, tie) = (m.0.compare(strictly, x, other)?, m.0.compare(CompareOp::Eq, x, other)?);
    let half = m.scale(g, 0.5)?;
    let shared = m.0.select(tie, half, g)?;
    m.0.select(lost, zero, shared)
}

/// Whether the node is computed of constants, sizes and the numbers of a call alone, by operators.
fn is_made_of_numbers(b: &Builder, id: NodeId) -> bool {
    let (mut left, mut seen) = (vec![id], BTreeSet::new());
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &b.node(id).op {
            Op::Constant(_) | Op::Size(_) | Op::Input(InputKind::Scalar(_)) => {}
            Op::View { source, .. } | Op::Cast(source) | Op::Unary(_, source) => left.push(*source),
            Op::Binary(_, first, second) => left.extend([*first, *second]),
            _ => return false,
        }
    }
    true
}

/// `y = a b`: `da = g b^T`, `db = a^T g`, for each matrix of the batch.
fn matmul(
    m: &mut Maths<'_>,
    (a, b): (NodeId, NodeId),
    g: NodeId,
    wanted: &RequestedGradients<'_>,
    result: &mut Vec<(NodeId, NodeId)>,
) -> Result<()> {
    if wanted.has(a) {
        let transposed = m.0.transpose(b)?;
        result.push((a, m.0.matmul(g, transposed)?));
    }
    if !wanted.has(b) {
        return Ok(());
    }
    // One weight for all matrices of a batch: a single product over all rows instead of a batch of products that are
    // then summed.
    let batch = m.0.shape(b).rank() - 2;
    if batch > 0
        && !wanted.targets.contains(&b)
        && let Op::View { source, index } = m.0.node(b).op.clone()
        && index.iter().all(|axis| axis.terms.iter().all(|(out, _)| *out >= batch))
    {
        let flatten = |m: &mut Maths<'_>, x: NodeId| {
            let shape = m.0.shape(x).clone();
            let rows = shape.0[..=batch].iter().cloned().fold(Dim::from(1), |product, dim| product * dim);
            m.0.reshape(x, Shape(vec![rows, shape[batch + 1].clone()]))
        };
        let (rows, gradient) = (flatten(m, a)?, flatten(m, g)?);
        let transposed = m.0.transpose(rows)?;
        let product = m.0.matmul(transposed, gradient)?;
        let lower = |axis: &AxisIndex| {
            let terms = axis.terms.iter().map(|(out, c)| (out - batch, *c)).collect();
            AxisIndex { terms, ..axis.clone() }
        };
        let index: Vec<AxisIndex> = index.iter().map(lower).collect();
        let shape = m.0.shape(source).clone();
        result.push((source, view_adjoint(m.0, product, &shape, &index)?));
    } else {
        let transposed = m.0.transpose(a)?;
        result.push((b, m.0.matmul(transposed, g)?));
    }
    Ok(())
}
