//! Activations in halves: operands are converted as the table of policies says.

use super::*;
use crate::precision::{Policy, Precision};

impl Builder {
    /// From now on operations and layers convert their operands as [`Policy`] says; gives what was before.
    pub fn set_precision(&mut self, precision: Precision) -> Precision {
        std::mem::replace(&mut self.precision, precision)
    }

    /// What activations are stored in.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// What `build` builds, in which nothing is converted: what an operation or layer is made of, or a gradient.
    pub(crate) fn as_given<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.set_precision(Precision::F32);
        let result = build(self);
        self.set_precision(outer);
        result
    }

    /// The operands of the operation or layer `name`, as it takes them.
    pub(crate) fn autocast(&mut self, name: &str, operands: &mut [&mut NodeId]) -> Result<()> {
        let Some(half) = self.precision.half() else { return Ok(()) };
        let types = || operands.iter().map(|operand| (self.dtype(**operand), self.shape(**operand).rank()));
        if types().any(|(dtype, _)| dtype == DType::F64) {
            return Ok(());
        }
        let dtype = match Policy::of(name) {
            Policy::Half => half,
            Policy::Full => DType::F32,
            Policy::Widest => {
                let floats = || types().filter(|(dtype, _)| self.precision.converts(*dtype));
                let has_axes = floats().any(|(_, rank)| rank > 0);
                let counts = floats().filter(|(_, rank)| *rank > 0 || !has_axes).map(|(dtype, _)| dtype);
                let Some(widest) = counts.reduce(|a, b| if a == b { a } else { DType::F32 }) else { return Ok(()) };
                widest
            }
        };
        for operand in operands {
            if self.precision.converts(self.dtype(**operand)) {
                **operand = self.converted(**operand, dtype)?;
            }
        }
        Ok(())
    }

    /// `x` as `dtype`. Of a view of a whole tensor it is a view of that, converted: a transposed parameter is rounded with the parameter.
    fn converted(&mut self, x: NodeId, dtype: DType) -> Result<NodeId> {
        let (shape, op) = (self.shape(x).clone(), self.node(x).op.clone());
        match op {
            Op::View { source, .. } if self.dtype(x) != dtype && self.is_whole(source, &shape) && !self.literal => {
                let source = self.converted(source, dtype)?;
                Ok(self.push(op.map_operands(|_| source), shape, dtype))
            }
            _ => self.cast(x, dtype),
        }
    }

    /// Whether a view of that shape is likely no part of `source` alone.
    pub(crate) fn is_whole(&self, source: NodeId, shape: &Shape) -> bool {
        shape.elements().estimate() >= self.shape(source).elements().estimate()
    }
}
