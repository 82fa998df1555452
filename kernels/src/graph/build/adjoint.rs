//! What derivative rules need and users do not: the adjoints of convolution and gather, and `detach`.

use super::*;
use crate::graph::verify::conv2d_shape;

impl Builder {
    /// The same value with zero gradient. Where a computation does not depend on a value (the maximum that softmax
    /// subtracts), this keeps the value out of the backward pass.
    pub fn detach(&mut self, a: NodeId) -> NodeId {
        if matches!(self.node(a).op, Op::Constant(_) | Op::Size(_) | Op::Iota { .. } | Op::Random { .. }) {
            return a;
        }
        let (shape, dtype) = (self.shape(a).clone(), self.dtype(a));
        self.push(Op::Cast(a), shape, dtype)
    }

    /// The adjoint of `conv2d` in its input: `grad [n, o, oh, ow]`, `weight`, `-> shape [n, c, h, w]`.
    pub fn conv2d_input_grad(
        &mut self,
        grad: NodeId,
        weight: NodeId,
        shape: &Shape,
        geometry: ConvGeometry,
    ) -> Result<NodeId> {
        let (g, w) = (self.shape(grad).clone(), self.shape(weight).clone());
        self.check_conv("conv2d_input_grad", (shape, &w, &g), geometry, grad, weight)?;
        let dtype = self.dtype(grad);
        Ok(self.push(Op::Conv2dInputGrad { grad, weight, geometry }, shape.clone(), dtype))
    }

    /// The adjoint of `conv2d` in its weight: `input`, `grad [n, o, oh, ow]`, `-> shape [o, c/groups, kh, kw]`.
    pub fn conv2d_weight_grad(
        &mut self,
        input: NodeId,
        grad: NodeId,
        shape: &Shape,
        geometry: ConvGeometry,
    ) -> Result<NodeId> {
        let (x, g) = (self.shape(input).clone(), self.shape(grad).clone());
        self.check_conv("conv2d_weight_grad", (&x, shape, &g), geometry, input, grad)?;
        let dtype = self.dtype(input);
        Ok(self.push(Op::Conv2dWeightGrad { input, grad, geometry }, shape.clone(), dtype))
    }

    /// Zeros of `shape` with `updates [i.., rest..]` added at rows `indices [i..]`; see [`Op::ScatterAdd`].
    pub fn scatter_add(&mut self, indices: NodeId, updates: NodeId, shape: &Shape) -> Result<NodeId> {
        let (i, u) = (self.shape(indices), self.shape(updates));
        if !matches!(self.dtype(indices), DType::I32 | DType::U32) || self.dtype(updates) == DType::Bool {
            return self.fail(format!(
                "`scatter_add` expects numbers at i32 or u32 indices, found {} at {}",
                self.dtype(updates),
                self.dtype(indices)
            ));
        }
        if shape.rank() == 0 || !i.0.iter().chain(&shape.0[1..]).eq(&u.0) {
            return self.fail(format!("`scatter_add` cannot add {u} at indices {i} to {shape}"));
        }
        let dtype = self.dtype(updates);
        Ok(self.push(Op::ScatterAdd { indices, updates }, shape.clone(), dtype))
    }

    fn check_conv(
        &self,
        op: &str,
        (input, weight, output): (&Shape, &Shape, &Shape),
        geometry: ConvGeometry,
        a: NodeId,
        b: NodeId,
    ) -> Result<()> {
        let (da, db) = (self.dtype(a), self.dtype(b));
        if da != db || !da.is_float() {
            return self.fail(format!("`{op}` expects two float tensors of one type, found {da} and {db}"));
        }
        match conv2d_shape(input, weight, &geometry) {
            Some(shape) if shape == *output => Ok(()),
            _ => self.fail(format!("`{op}`: a convolution of {input} with {weight} does not give {output}")),
        }
    }
}
