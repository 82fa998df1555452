//! Constants and elementwise operations: types meet, numbers fold, shapes broadcast.

use super::*;

impl Builder {
    /// A scalar constant, shape `[]`. Whole numbers are [`Builder::integer`]s: an `f64` has 53 bits of them.
    pub fn constant(&mut self, value: f64, dtype: DType) -> NodeId {
        self.push(Op::Constant(Literal::of(value, dtype)), Shape::scalar(), dtype)
    }

    /// A constant tensor of `shape`.
    pub fn full(&mut self, value: f64, shape: &Shape, dtype: DType) -> NodeId {
        self.push(Op::Constant(Literal::of(value, dtype)), shape.clone(), dtype)
    }

    /// The whole number `value` as a scalar of `dtype`, shape `[]`: with all its digits, or as the nearest float. An error
    /// where the type does not [hold](DType::holds) it.
    pub fn integer(&mut self, value: i64, dtype: DType) -> Result<NodeId> {
        if !dtype.holds(value) {
            return self.fail(format!("{value} is no {dtype} number"));
        }
        let literal = if dtype.is_float() { Literal::float(value as f64, dtype) } else { Literal::Int(value, dtype) };
        Ok(self.push(Op::Constant(literal), Shape::scalar(), dtype))
    }

    /// The size `dim` as a scalar of `dtype`: a constant, or an expression over symbols.
    pub fn dim(&mut self, dim: &Dim, dtype: DType) -> Result<NodeId> {
        if let Some(value) = dim.as_constant() {
            return self.integer(value, dtype);
        }
        if dtype == DType::Bool {
            return self.fail(format!("the size {dim} is a number, not a bool"));
        }
        Ok(self.push(Op::Size(dim.clone()), Shape::scalar(), dtype))
    }

    /// The coordinate along `axis` of `shape`.
    pub fn iota(&mut self, shape: &Shape, axis: usize, dtype: DType) -> Result<NodeId> {
        self.check_axis("iota", shape, axis)?;
        Ok(self.push(Op::Iota { axis }, shape.clone(), dtype))
    }

    /// Uniform random numbers in [0, 1); `seed` is a `U32` scalar. Each call is a stream of its own.
    pub fn random(&mut self, seed: NodeId, shape: &Shape) -> Result<NodeId> {
        if self.dtype(seed) != DType::U32 || self.shape(seed).rank() != 0 {
            return self.fail(format!(
                "`random` expects a u32 scalar as seed, found {} {}",
                self.dtype(seed),
                self.shape(seed)
            ));
        }
        let stream = self.next_stream;
        self.next_stream += 1;
        Ok(self.push(Op::Random { seed, stream }, shape.clone(), DType::F32))
    }

    /// Lets the next [`Builder::random`] be the first stream again: of another seed, which draws as it does in a graph of its own.
    pub fn restart_streams(&mut self) {
        self.next_stream = 0;
    }

    /// Elementwise function of one operand.
    pub fn unary(&mut self, op: UnaryOp, mut a: NodeId) -> Result<NodeId> {
        self.autocast(op.name(), &mut [&mut a])?;
        let dtype = self.dtype(a);
        if !op.takes(dtype) {
            return Err(undefined(op.name(), dtype).at(self.span));
        }
        if let Some(literal) = self.uniform(a)
            && let Some(value) = crate::fold::unary(op, literal)
        {
            let shape = self.shape(a).clone();
            return Ok(self.push(Op::Constant(value), shape, dtype));
        }
        if op == UnaryOp::Neg
            && !self.literal
            && let Op::Unary(UnaryOp::Neg, inner) = self.graph[a].op
        {
            return Ok(inner);
        }
        let shape = self.shape(a).clone();
        Ok(self.push(Op::Unary(op, a), shape, dtype))
    }

    /// Elementwise function of two operands of one type, broadcast against each other.
    pub fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (a, b) = self.broadcast_pair(op.name(), a, b)?;
        let dtype = self.dtype(a);
        if !op.takes(dtype) {
            return Err(undefined(op.name(), dtype).at(self.span));
        }
        let shape = self.shape(a).clone();
        // Which side is the larger is a comparison: the derivative compares the result with the constant again.
        let (a, b) = match op {
            BinaryOp::Max | BinaryOp::Min => (self.as_stored(a), self.as_stored(b)),
            _ => (a, b),
        };
        let (ca, cb) = (self.uniform(a), self.uniform(b));
        if let (Some(x), Some(y)) = (ca, cb)
            && let Some(value) = crate::fold::binary(op, x, y)
        {
            return Ok(self.push(Op::Constant(value), shape, dtype));
        }
        // Identities that hold for every value, NaN, infinities and the zeros included: -0 + 0 is 0.
        let nothing = |literal: Option<Literal>, sign: f64| {
            literal.is_some_and(|c| c.is(0.0) && (!dtype.is_float() || c.as_f64().is_sign_negative() == (sign < 0.0)))
        };
        match op {
            BinaryOp::Add if nothing(cb, -1.0) => return Ok(a),
            BinaryOp::Add if nothing(ca, -1.0) => return Ok(b),
            BinaryOp::Sub if nothing(cb, 1.0) => return Ok(a),
            BinaryOp::Mul | BinaryOp::Div if cb.is_some_and(|c| c.is(1.0)) => return Ok(a),
            BinaryOp::Mul if ca.is_some_and(|c| c.is(1.0)) => return Ok(b),
            BinaryOp::Mul if cb.is_some_and(|c| c.is(-1.0)) => return self.unary(UnaryOp::Neg, a),
            BinaryOp::Mul if ca.is_some_and(|c| c.is(-1.0)) => return self.unary(UnaryOp::Neg, b),
            BinaryOp::Pow if cb.is_some_and(|c| c.is(1.0)) => return Ok(a),
            BinaryOp::Pow if cb.is_some_and(|c| c.is(2.0)) => return self.binary(BinaryOp::Mul, a, a),
            _ => {}
        }
        Ok(self.push(Op::Binary(op, a, b), shape, dtype))
    }

    /// The literal that every element of `id` is, if that is plain.
    pub(crate) fn uniform(&self, id: NodeId) -> Option<Literal> {
        match &self.graph[id].op {
            Op::Constant(literal) if !self.literal => Some(*literal),
            _ => None,
        }
    }

    /// Elementwise comparison, operands broadcast against each other; the result is `Bool`. Truth values are equal or
    /// not, they have no order.
    pub fn compare(&mut self, op: CompareOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (a, b) = self.broadcast_pair(op.name(), a, b)?;
        if !op.takes(self.dtype(a)) {
            return self.fail(format!(
                "`{}` is not defined for {} tensors, which have no order; compare them with `eq` or `ne`, or cast them \
                 to u8",
                op.name(),
                self.dtype(a)
            ));
        }
        let shape = self.shape(a).clone();
        let (a, b) = (self.as_stored(a), self.as_stored(b));
        if let (Some(x), Some(y)) = (self.uniform(a), self.uniform(b)) {
            let value = Literal::Bool(crate::fold::compare_literals(op, x, y));
            return Ok(self.push(Op::Constant(value), shape, DType::Bool));
        }
        let (a, b) = self.as_short(a, b).or_else(|| self.as_short(b, a).map(|(b, a)| (a, b))).unwrap_or((a, b));
        Ok(self.push(Op::Compare(op, a, b), shape, DType::Bool))
    }

    /// A number of 32 bits that was made longer, and a constant that has no more: compared as they were before, which devices are
    /// faster at.
    fn as_short(&mut self, long: NodeId, constant: NodeId) -> Option<(NodeId, NodeId)> {
        let Op::Cast(short) = self.graph[long].op else { return None };
        let Literal::Int(value, DType::I64) = self.uniform(constant)? else { return None };
        if self.dtype(short) != DType::I32 || i32::try_from(value).is_err() {
            return None;
        }
        let shape = self.shape(constant).clone();
        Some((short, self.push(Op::Constant(Literal::Int(value, DType::I32)), shape, DType::I32)))
    }

    /// A constant as the elements of its type are: `x == 0.1` holds where `x` is the f16 that is nearest to 0.1. (Arithmetic
    /// takes the literal as it is written, as PyTorch does: there it is rounded once, with the result.) A constant of a type
    /// that is computed with needs no such care: it is of that type wherever it stands.
    fn as_stored(&mut self, a: NodeId) -> NodeId {
        match self.uniform(a) {
            Some(literal) if self.dtype(a).compute() != self.dtype(a) && crate::fold::stored(literal) != literal => {
                let (shape, dtype) = (self.shape(a).clone(), self.dtype(a));
                self.push(Op::Constant(crate::fold::stored(literal)), shape, dtype)
            }
            _ => a,
        }
    }

    /// `condition ? then : otherwise`, all three broadcast against each other.
    pub fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Result<NodeId> {
        if self.dtype(condition) != DType::Bool {
            return Err(Diagnostic::new(format!("`select` expects a bool condition, found {}", self.dtype(condition)))
                .hint("compare with something: `x.gt(0.0)`, or `x.ne(0.0)` for what is not zero")
                .at(self.span));
        }
        let (then, otherwise) = self.broadcast_pair("select", then, otherwise)?;
        let shape = self.broadcast_shapes("select", self.shape(condition).clone(), self.shape(then).clone())?;
        let condition = self.broadcast_to(condition, &shape)?;
        let then = self.broadcast_to(then, &shape)?;
        let otherwise = self.broadcast_to(otherwise, &shape)?;
        if then == otherwise && !self.literal {
            return Ok(then);
        }
        if let Some(Literal::Bool(value)) = self.uniform(condition) {
            return Ok(if value { then } else { otherwise });
        }
        let dtype = self.dtype(then);
        Ok(self.push(Op::Select(condition, then, otherwise), shape, dtype))
    }

    /// The operand as `dtype`.
    pub fn cast(&mut self, a: NodeId, dtype: DType) -> Result<NodeId> {
        if self.dtype(a) == dtype {
            return Ok(a);
        }
        let shape = self.shape(a).clone();
        if let Some(literal) = self.uniform(a) {
            return Ok(self.push(Op::Constant(crate::fold::cast(crate::fold::stored(literal), dtype)), shape, dtype));
        }
        Ok(self.push(Op::Cast(a), shape, dtype))
    }
}

/// An operation on elements that it has no meaning for.
fn undefined(op: &str, dtype: DType) -> Diagnostic {
    let instead = match dtype {
        _ if matches!(op, "shl" | "shr") => "bits are those of integers: convert the elements with `.cast(..)`",
        DType::Bool => "numbers are chosen by a bool with `select`, or converted with `.cast(..)`",
        dtype if dtype.is_float() => "compare the elements first, or convert them with `.cast(..)`",
        _ => "convert the elements with `.cast(..)`",
    };
    Diagnostic::new(format!("`{op}` is not defined for {dtype} tensors")).hint(instead)
}
