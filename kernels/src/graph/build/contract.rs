//! Operations that need memory: reductions, products, convolutions, gathered rows.

use super::*;
use crate::dim::WIDE_LIMIT;

impl Builder {
    /// Reduction over `axes`; with `keep` they stay as axes of size 1.
    pub fn reduce(&mut self, op: ReduceOp, source: NodeId, axes: &[usize], keep: bool) -> Result<NodeId> {
        let full = self.shape(source).clone();
        let mut reduced = axes.to_vec();
        reduced.sort();
        reduced.dedup();
        if reduced.len() != axes.len() {
            return self.fail(format!("`{}` names an axis twice: {axes:?}", op.name()));
        }
        for &axis in &reduced {
            self.check_axis(op.name(), &full, axis)?;
        }
        let dtype = self.dtype(source);
        if dtype == DType::Bool {
            return Err(Diagnostic::new(format!("`{}` is not defined for bool tensors", op.name()))
                .hint("convert it: `.cast(DType::I32)` counts what is true, in a kernel `as i32`")
                .at(self.span));
        }
        // Of elements that are never stored there may be more than a kernel counts.
        let together = Shape(reduced.iter().map(|&axis| full[axis].clone()).collect()).elements();
        if together.as_constant().is_some_and(|count| count > WIDE_LIMIT as i64) {
            let problem = format!("`{}` of {full} would take {together} elements together", op.name());
            let hint = format!("a kernel counts up to {WIDE_LIMIT}: make the tensor smaller");
            return Err(Diagnostic::new(problem).hint(hint).at(self.span));
        }
        let kept: Vec<usize> = (0..full.rank()).filter(|axis| !reduced.contains(axis)).collect();
        let shape = Shape(kept.iter().map(|&axis| full[axis].clone()).collect());
        let result = if reduced.is_empty() {
            // Each element alone: itself, at the first position.
            if op.is_position() { self.full(0.0, &full, DType::I32) } else { source }
        } else {
            let out = if op.is_position() { DType::I32 } else { dtype };
            self.push(Op::Reduce { op, source, axes: reduced.clone() }, shape, out)
        };
        if !keep {
            return Ok(result);
        }
        let shape = Shape(
            (0..full.rank()).map(|a| if reduced.contains(&a) { Dim::from(1) } else { full[a].clone() }).collect(),
        );
        self.view(result, shape, kept.into_iter().map(AxisIndex::axis).collect())
    }

    /// The mean over `axes`. Of half precision it is rounded once, at the end.
    pub fn mean(&mut self, source: NodeId, axes: &[usize], keep: bool) -> Result<NodeId> {
        let dtype = self.dtype(source);
        if !dtype.is_float() {
            return Err(Diagnostic::new(format!("`mean` is not defined for {dtype} tensors"))
                .hint("convert it: `.cast(DType::F32)`, in a kernel `as f32`")
                .at(self.span));
        }
        let full = self.shape(source).clone();
        // A sum may lie in memory before it is divided: half precision overflows there, or has too few digits.
        let compute = dtype.compute();
        let elements = self.cast(source, compute)?;
        let sum = self.reduce(ReduceOp::Sum, elements, axes, keep)?;
        let count = axes.iter().fold(Dim::constant(1), |count, &axis| count * full[axis].clone());
        // Not a product with `1 / count`, which is rounded: the mean of equal numbers would be another one.
        let count = match count.as_constant() {
            Some(count) => self.constant(count as f64, compute),
            None => self.dim(&count, compute)?,
        };
        let mean = self.binary(BinaryOp::Div, sum, count)?;
        self.cast(mean, dtype)
    }

    /// `[batch.., m, k] x [batch.., k, n]`; batch axes broadcast.
    pub fn matmul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (sa, sb) = (self.shape(a).clone(), self.shape(b).clone());
        let (da, db) = (self.dtype(a), self.dtype(b));
        if da != db || !da.is_float() {
            return self.fail(format!("`matmul` expects two float tensors of one type, found {da} and {db}"));
        }
        if sa.rank() < 2 || sb.rank() < 2 {
            return self.fail(format!("`matmul` expects tensors of at least 2 axes, found {sa} and {sb}"));
        }
        let (ra, rb) = (sa.rank(), sb.rank());
        if sa[ra - 1] != sb[rb - 2] {
            let problem = Diagnostic::new(format!(
                "`matmul` cannot multiply {sa} by {sb}: the left has {} columns{}, the right {} rows{}",
                sa[ra - 1],
                self.origin_note(a, ra - 1),
                sb[rb - 2],
                self.origin_note(b, rb - 2)
            ));
            let problem = match (sa[ra - 1] == sb[rb - 1], sa[ra - 2] == sb[rb - 2]) {
                (true, _) => problem.hint("swap the last two axes of the right one: `a.matmul(b.t())`"),
                (_, true) => problem.hint("swap the last two axes of the left one: `a.t().matmul(b)`"),
                _ => problem,
            };
            return Err(problem.at(self.span));
        }
        let (m, k, n) = (sa[ra - 2].clone(), sa[ra - 1].clone(), sb[rb - 1].clone());
        if rb == 2 && ra > 2 {
            // One product over all leading axes: more rows at a time, and its gradient sums over them by itself.
            let rows = sa.0[..ra - 1].iter().cloned().fold(Dim::constant(1), |rows, dim| rows * dim);
            let flat = self.reshape(a, Shape(vec![rows, k]))?;
            let product = self.matmul(flat, b)?;
            return self.reshape(product, Shape(sa.0[..ra - 1].iter().cloned().chain([n]).collect()));
        }
        let batch = self.broadcast_shapes("matmul", Shape(sa.0[..ra - 2].to_vec()), Shape(sb.0[..rb - 2].to_vec()))?;
        let with =
            |rows: &Dim, columns: &Dim| Shape(batch.0.iter().cloned().chain([rows.clone(), columns.clone()]).collect());
        let a = self.broadcast_to(a, &with(&m, &k))?;
        let b = self.broadcast_to(b, &with(&k, &n))?;
        Ok(self.push(Op::MatMul(a, b), with(&m, &n), da))
    }

    /// Cross-correlation of `input [n, c, h, w]` with `weight [o, c/groups, kh, kw]`.
    pub fn conv2d(&mut self, input: NodeId, weight: NodeId, geometry: ConvGeometry) -> Result<NodeId> {
        let (x, w) = (self.shape(input).clone(), self.shape(weight).clone());
        let (dx, dw) = (self.dtype(input), self.dtype(weight));
        if dx != dw || !dx.is_float() {
            return self.fail(format!("`conv2d` expects two float tensors of one type, found {dx} and {dw}"));
        }
        if x.rank() != 4 || w.rank() != 4 {
            return self
                .fail(format!("`conv2d` expects input [n, c, h, w] and weight [o, c, kh, kw], found {x} and {w}"));
        }
        if geometry.groups == 0 {
            return self.fail("`conv2d` expects at least 1 group, found 0".into());
        }
        let groups = Dim::constant(geometry.groups as i64);
        if x[1] != w[1].clone() * groups.clone() {
            return self.fail(format!(
                "`conv2d` expects {} input channels, found {}{}",
                w[1].clone() * groups,
                x[1],
                self.origin_note(input, 1)
            ));
        }
        if w[0].exact_div(&groups).is_none() {
            return self
                .fail(format!("`conv2d` cannot split {} output channels into {} groups", w[0], geometry.groups));
        }
        let mut spatial = Vec::new();
        for axis in 0..2 {
            let Some(kernel) = w[2 + axis].as_constant() else {
                let problem = Diagnostic::new(format!("`conv2d` expects a kernel of fixed size, found {w}"));
                return Err(problem.needs_number(&w[2 + axis]).at(self.span));
            };
            match window_count(&x[2 + axis], kernel as u64, axis, &geometry) {
                Ok(count) => spatial.push(count),
                Err(message) => return self.fail(format!("`conv2d`: {message}{}", self.origin_note(input, 2 + axis))),
            }
        }
        let shape = Shape(vec![x[0].clone(), w[0].clone(), spatial[0].clone(), spatial[1].clone()]);
        Ok(self.push(Op::Conv2d { input, weight, geometry }, shape, dx))
    }

    /// Rows by number; see [`Op::Gather`].
    pub fn gather(&mut self, source: NodeId, indices: NodeId) -> Result<NodeId> {
        let (s, i) = (self.shape(source).clone(), self.shape(indices).clone());
        if s.rank() == 0 {
            return self.fail("`gather` expects a source of at least 1 axis, found a scalar".into());
        }
        if !matches!(self.dtype(indices), DType::I32 | DType::U32) {
            return Err(Diagnostic::new(format!("`gather` expects i32 or u32 indices, found {}", self.dtype(indices)))
                .hint("convert them: `.cast(DType::I32)`, in a kernel `as i32`")
                .at(self.span));
        }
        let shape = Shape(i.0.iter().chain(&s.0[1..]).cloned().collect());
        let dtype = self.dtype(source);
        Ok(self.push(Op::Gather { source, indices }, shape, dtype))
    }

    pub(super) fn check_axis(&self, op: &str, shape: &Shape, axis: usize) -> Result<()> {
        if axis < shape.rank() {
            return Ok(());
        }
        self.fail(format!("`{op}` names axis {axis} of {shape}, which has {} axes", shape.rank()))
    }
}

/// How many window positions fit along one spatial axis: `floor((size + 2p - d(k-1) - 1) / s) + 1`.
pub fn window_count(size: &Dim, kernel: u64, axis: usize, geometry: &ConvGeometry) -> Result<Dim, String> {
    let (stride, dilation) = (geometry.stride[axis], geometry.dilation[axis]);
    if stride == 0 || dilation == 0 || kernel == 0 {
        return Err("stride, dilation and window size must be at least 1, found 0".into());
    }
    let window = Window::new(size, kernel, axis, geometry);
    let spare = window.spare();
    if spare.as_constant().is_some_and(|spare| spare < 0) {
        return Err(window.misfit(size));
    }
    Ok(spare.floor_div(stride) + Dim::constant(1))
}
