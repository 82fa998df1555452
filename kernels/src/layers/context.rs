//! What a layer builds its graph with, and the checks of its inputs.

use super::config::Config;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId, Op, Origin, ReduceOp};
use crate::span::{Diagnostic, Mismatch, Result};

/// Whether a function is compiled for training or for inference (dropout, batch norm).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Dropout drops, batch norm uses and updates batch statistics.
    Training,
    /// Dropout passes, batch norm uses running statistics.
    Inference,
}

/// What a layer's `forward` works with.
pub struct Context<'a> {
    /// Where nodes go.
    pub builder: &'a mut Builder,
    /// The layer's configuration.
    pub config: &'a Config,
    /// The user's name for the layer (a field), for messages.
    pub name: &'a str,
    /// The layer's tensors, in the order of [`Layer::tensors`](super::Layer::tensors).
    pub tensors: &'a [NodeId],
    /// Training or inference.
    pub mode: Mode,
    /// A `U32` scalar that changes from step to step, for layers that draw random numbers.
    pub seed: NodeId,
    /// New values of state tensors: (position in `tensors`, node). Filled by the layer.
    pub updates: &'a mut Vec<(usize, NodeId)>,
}

impl Context<'_> {
    /// An error if `x` is no float tensor.
    pub(super) fn float(&self, x: NodeId) -> Result<DType> {
        let dtype = self.builder.dtype(x);
        if dtype.is_float() {
            return Ok(dtype);
        }
        Err(Diagnostic::new(format!("`{}` expects a float tensor, found {dtype}", self.name))
            .hint("convert it with `.cast(..)`"))
    }

    /// `x` as the type that it is computed in: what is normalised is rounded to half precision once, at the end, for sums of
    /// squares are beyond it.
    pub(super) fn computed(&mut self, x: NodeId) -> Result<NodeId> {
        self.builder.cast(x, self.builder.dtype(x).compute())
    }

    /// An error if `x` has not the axes that `form` (such as `[n, c, h, w]`) shows.
    pub(super) fn rank(&self, x: NodeId, fits: impl Fn(usize) -> bool, form: &str) -> Result<()> {
        let shape = self.builder.shape(x);
        if fits(shape.rank()) {
            return Ok(());
        }
        let problem = Diagnostic::new(format!("`{}` expects a tensor {form}, found {shape}", self.name));
        let rank = shape.rank();
        let features =
            ["features", "inputs"].into_iter().find(|key| self.config.keys.iter().any(|own| own.name == *key));
        let last = features.filter(|key| rank > 2 && fits(2) && shape[rank - 1] == self.config.size(key));
        Err(if last.is_some() {
            let rows = Shape(shape.0[..rank - 1].to_vec()).elements();
            problem.hint(format!(
                "`.reshape([{rows}, {}])` makes a row of each, and `.reshape({shape})` gives them back",
                shape[rank - 1]
            ))
        } else if rank == 3 && fits(4) && !fits(2) {
            let channels = self.config.keys.iter().any(|key| key.name == "inputs").then(|| self.config.size("inputs"));
            let one = "`.unsqueeze(0)` makes a batch of one image, of which `.squeeze(0)` gives the image back";
            problem.hint(match channels {
                Some(channels) if shape[0] == channels => one.to_string(),
                Some(channels) if channels.is(1) => {
                    "`.unsqueeze(1)` gives each image of a batch its one channel".to_string()
                }
                Some(channels) if shape[1] == channels => {
                    "`.unsqueeze(3)` makes images of one column; along one axis alone there is the layer `Conv1d`"
                        .to_string()
                }
                Some(channels) => format!("an image has {channels} channels here, and a batch of images 4 axes"),
                None => format!("of an image [c, h, w] {one}"),
            })
        } else if fits(rank + 1) {
            problem
                .hint(format!("`.unsqueeze({rank})` adds an axis of one element, which `.squeeze({rank})` takes away"))
        } else if rank > 1 && fits(rank - 1) {
            problem.hint(format!("`.flatten({})` joins the last two axes", rank - 2))
        } else {
            problem
        })
    }

    /// An error if `axis` of `x` is not as long as the key `key` says: `` `output` expects 32 features, found 64 ``.
    pub(super) fn expect(&self, x: NodeId, axis: usize, key: &'static str, what: &str) -> Result<()> {
        let (expected, found) = (self.config.size(key), &self.builder.shape(x)[axis]);
        if *found == expected {
            return Ok(());
        }
        let note = self.builder.origin_note(x, axis);
        let mut problem = Diagnostic::new(format!("`{}` expects {expected} {what}, found {found}{note}", self.name));
        let instead = self.of_pixels(x, axis).or_else(|| self.rearranged(x, axis, &expected));
        problem.mismatch = Some(Box::new(Mismatch { key, axis, rearranged: instead.is_some() }));
        Err(match instead {
            Some(instead) => problem.hint(instead),
            None => problem,
        })
    }

    /// How flattened images of any size would have a number of features that is known.
    fn of_pixels(&self, x: NodeId, axis: usize) -> Option<String> {
        let Op::Reshape(images) = self.builder.node(x).op else { return None };
        let (shape, from) = (self.builder.shape(x), self.builder.shape(images));
        let any = from.rank() == 4 && (2..4).any(|axis| from[axis].as_constant().is_none());
        let channels = from.0.get(1)?.as_constant()?;
        (any && axis + 1 == shape.rank() && shape.rank() == 2).then(|| {
            format!("of images of any size take the mean over the pixels, `.mean([2, 3])`, in place of `.flatten(1)`: {channels} features")
        })
    }

    /// How `axis` of `x` would be as long as `expected`: with axes joined, or in another order.
    fn rearranged(&self, x: NodeId, axis: usize, expected: &Dim) -> Option<String> {
        let shape = self.builder.shape(x);
        if axis + 1 == shape.rank() && axis > 1 && Shape(shape.0[1..].to_vec()).elements() == *expected {
            return Some("join the axes after the first with `.flatten(1)`".to_string());
        }
        if let Some(instead) = self.other_axes(x, axis, expected) {
            return Some(instead);
        }
        let mut others = (1..shape.rank()).filter(|other| shape[*other] == *expected);
        let (Some(from), None) = (others.next(), others.next()) else {
            let all = Shape(shape.0[1..].to_vec()).elements();
            // Images have four axes; of sequences the last is meant.
            return (axis == 3 && shape.rank() == 4).then(|| {
                format!("`.flatten(1)` joins the axes after the first: {all} features, where {expected} are expected")
            });
        };
        let mut order: Vec<usize> = (0..shape.rank()).filter(|other| *other != from).collect();
        order.insert(axis, from);
        let back: Vec<usize> =
            (0..order.len()).filter_map(|axis| order.iter().position(|from| *from == axis)).collect();
        Some(format!(
            "axis {from} of {shape} has that size: put it there with `.permute({order:?})`, and back behind the layer with `.permute({back:?})`"
        ))
    }

    /// Which axes a reduction would leave out for `axis` of `x` to be as long as `expected`: of images `[N, 16, 6, 6]` those of
    /// the pixels, not the channels.
    fn other_axes(&self, x: NodeId, axis: usize, expected: &Dim) -> Option<String> {
        let (mut at, mut name) = (x, None);
        let (whole, axes) = loop {
            match &self.builder.node(at).op {
                Op::Cast(inner) => at = *inner,
                // A mean is a sum, divided.
                Op::Binary(BinaryOp::Mul | BinaryOp::Div, sum, _) if name.is_none() => {
                    (at, name) = (*sum, Some("mean"))
                }
                Op::Reduce { op, source, axes } => {
                    name = name.filter(|_| *op == ReduceOp::Sum).or(Some(op.name()));
                    break (self.builder.shape(*source), axes);
                }
                _ => return None,
            }
        };
        let kept: Vec<usize> = (0..whole.rank()).filter(|other| !axes.contains(other)).collect();
        let (from, name) = (axes.iter().find(|from| whole[**from] == *expected)?, name?);
        let others: Vec<usize> = (0..whole.rank())
            .filter(|other| other != from && !(kept.contains(other) && *other != kept[axis]))
            .collect();
        let (left, given) = (self.builder.shape(x), format!("{axes:?}"));
        Some(format!(
            "`.{name}({given})` leaves {left} of {whole}; the {expected} are axis {from}: write `.{name}({others:?})`"
        ))
    }

    /// Notes that the size of `axis` of `y` is what the key `key` says: `` `hidden`, `outputs = 64` ``.
    pub(super) fn origin(&mut self, y: NodeId, axis: usize, key: &'static str) {
        let origin = Origin::Key { layer: self.name.to_string(), key, size: self.config.size(key) };
        self.builder.set_origin(y, axis, origin);
    }

    /// `x` as `dtype`, for tensors of the layer that meet an input of another float type.
    pub(super) fn tensor(&mut self, position: usize, dtype: DType) -> Result<NodeId> {
        self.builder.cast(self.tensors[position], dtype)
    }
}
