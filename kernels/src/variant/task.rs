//! Tasks: what a variant is chosen for.

use super::Family;
use crate::dim::{Bindings, Dim};
use crate::dtype::DType;
use crate::graph::{AttentionKind, ConvKind, ReduceOp};
use crate::span::{Diagnostic, Result};
use crate::template::{Axis, Problem, convolution as conv};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt::{self, Display};

/// Everything that the choice of a variant depends on. Sizes are `S`: [`Dim`] in a plan, `u64` once the symbols have
/// values.
///
/// The text form (`Display`) of a task with values is stable and tells tasks apart: records of measurements have it as
/// their key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task<S> {
    /// A matrix product.
    Product(Product<S>),
    /// A convolution or one of its gradients.
    Conv2d(Conv2dTask<S>),
    /// A map.
    Elementwise(Elementwise<S>),
    /// Reductions over the same elements.
    Reduction(Reduction<S>),
    /// Normalisation by the statistics of a batch.
    BatchNorm(BatchNorm<S>),
    /// A loop over a symbol.
    Recurrence(Recurrence<S>),
    /// Attention or one of its gradients.
    Attention(AttentionTask<S>),
}

/// `batch` products of `[m, k]` by `[k, n]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Product<S> {
    /// Rows of the left operand and of the result.
    pub m: S,
    /// Columns of the right operand and of the result.
    pub n: S,
    /// Terms of a sum.
    pub k: S,
    /// Independent products.
    pub batch: S,
    /// The axis along which the left operand's neighbours are neighbours in memory.
    pub a: Axis,
    /// The same of the right operand.
    pub b: Axis,
    /// Whether both operands can be read in aligned vectors of 4: see [`Problem::aligned`].
    pub aligned: bool,
    /// Of operands and result.
    pub dtype: DType,
}

/// A convolution of `[images, channels, size]` with `[out_channels, channels / groups, filter]`, or one of its gradients.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Conv2dTask<S> {
    /// What is computed.
    pub kind: ConvKind,
    /// Images in the batch.
    pub images: S,
    /// Channels of the forward input.
    pub channels: S,
    /// Height and width of the forward input, in pixels.
    pub size: [S; 2],
    /// Height and width of the filter, in taps.
    pub filter: [S; 2],
    /// Channels of the forward output.
    pub out_channels: S,
    /// Step between windows, in pixels.
    pub stride: [u64; 2],
    /// Zeros on either side, in pixels.
    pub padding: [u64; 2],
    /// Step between taps, in pixels.
    pub dilation: [u64; 2],
    /// Channel groups that do not mix.
    pub groups: u64,
    /// Of operands and result.
    pub dtype: DType,
}

/// A map over `elements` places.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Elementwise<S> {
    /// Places.
    pub elements: S,
    /// Tensors that it reads.
    pub reads: u32,
    /// The widest of what it computes.
    pub dtype: DType,
}

/// `rows` reductions of `columns` elements each.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reduction<S> {
    /// Results.
    pub rows: S,
    /// Elements of each.
    pub columns: S,
    /// Whether the innermost axis is among those reduced, so that neighbours of a row are neighbours in memory.
    pub contiguous: bool,
    /// If several go over the same elements: a search for a place, or else one of half precision, or else the first. What
    /// is chosen is for all of them.
    pub op: ReduceOp,
    /// Of the elements of that one.
    pub dtype: DType,
}

/// Normalisation of `[images, channels, pixels]` by mean and variance of each channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BatchNorm<S> {
    /// The outer axes that are reduced, multiplied.
    pub images: S,
    /// The axis that stays.
    pub channels: S,
    /// The inner axes that are reduced, multiplied.
    pub pixels: S,
    /// Of the elements.
    pub dtype: DType,
}

/// A loop over a symbol whose body one kernel can run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Recurrence<S> {
    /// Elements of the axis, the batch, that the rounds keep apart; 1 where there is none.
    pub rows: S,
    /// How much a round computes for one of them, as the width of a square matrix with which a vector is multiplied.
    pub width: S,
    /// Rounds.
    pub rounds: S,
    /// Of what is carried.
    pub dtype: DType,
}

/// Attention of `batch` matrices of queries, keys and values, or one of its gradients.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AttentionTask<S> {
    /// What is computed.
    pub kind: AttentionKind,
    /// Independent ones.
    pub batch: S,
    /// Rows of queries.
    pub queries: S,
    /// Rows of keys and of values.
    pub keys: S,
    /// Elements of a row of queries or keys.
    pub width: S,
    /// Elements of a row of values.
    pub value_width: S,
    /// Whether a query sees no key behind it.
    pub causal: bool,
    /// Of the operands.
    pub dtype: DType,
}

impl<S> Task<S> {
    /// Whose variants can compute it.
    pub const fn family(&self) -> Family {
        match self {
            Task::Product(_) => Family::Product,
            Task::Conv2d(_) => Family::Conv2d,
            Task::Elementwise(_) => Family::Elementwise,
            Task::Reduction(_) => Family::Reduction,
            Task::BatchNorm(_) => Family::BatchNorm,
            Task::Recurrence(_) => Family::Recurrence,
            Task::Attention(_) => Family::Attention,
        }
    }

    /// The same with every size replaced.
    ///
    /// # Errors
    ///
    /// The first one of `map`.
    pub fn try_map<T, E>(&self, mut map: impl FnMut(&S) -> Result<T, E>) -> Result<Task<T>, E> {
        Ok(match self {
            Task::Product(product) => Task::Product(product.try_map(map)?),
            Task::Conv2d(conv) => Task::Conv2d(conv.try_map(map)?),
            Task::Elementwise(Elementwise { elements, reads, dtype }) => {
                Task::Elementwise(Elementwise { elements: map(elements)?, reads: *reads, dtype: *dtype })
            }
            Task::Reduction(Reduction { rows, columns, contiguous, op, dtype }) => Task::Reduction(Reduction {
                rows: map(rows)?,
                columns: map(columns)?,
                contiguous: *contiguous,
                op: *op,
                dtype: *dtype,
            }),
            Task::BatchNorm(BatchNorm { images, channels, pixels, dtype }) => Task::BatchNorm(BatchNorm {
                images: map(images)?,
                channels: map(channels)?,
                pixels: map(pixels)?,
                dtype: *dtype,
            }),
            Task::Attention(own) => Task::Attention(AttentionTask {
                kind: own.kind,
                batch: map(&own.batch)?,
                queries: map(&own.queries)?,
                keys: map(&own.keys)?,
                width: map(&own.width)?,
                value_width: map(&own.value_width)?,
                causal: own.causal,
                dtype: own.dtype,
            }),
            Task::Recurrence(Recurrence { rows, width, rounds, dtype }) => Task::Recurrence(Recurrence {
                rows: map(rows)?,
                width: map(width)?,
                rounds: map(rounds)?,
                dtype: *dtype,
            }),
        })
    }
}

impl<S> Product<S> {
    fn try_map<T, E>(&self, mut map: impl FnMut(&S) -> Result<T, E>) -> Result<Product<T>, E> {
        Ok(Product {
            m: map(&self.m)?,
            n: map(&self.n)?,
            k: map(&self.k)?,
            batch: map(&self.batch)?,
            a: self.a,
            b: self.b,
            aligned: self.aligned,
            dtype: self.dtype,
        })
    }
}

impl<S> Conv2dTask<S> {
    fn try_map<T, E>(&self, mut map: impl FnMut(&S) -> Result<T, E>) -> Result<Conv2dTask<T>, E> {
        Ok(Conv2dTask {
            kind: self.kind,
            images: map(&self.images)?,
            channels: map(&self.channels)?,
            size: [map(&self.size[0])?, map(&self.size[1])?],
            filter: [map(&self.filter[0])?, map(&self.filter[1])?],
            out_channels: map(&self.out_channels)?,
            stride: self.stride,
            padding: self.padding,
            dilation: self.dilation,
            groups: self.groups,
            dtype: self.dtype,
        })
    }
}

impl Task<Dim> {
    /// The task for these values of the symbols.
    ///
    /// # Errors
    ///
    /// A diagnostic naming the size that they do not give.
    pub fn evaluate(&self, bindings: Bindings<'_>) -> Result<Task<u64>> {
        self.try_map(|dim| {
            dim.evaluate(bindings).and_then(|size| u64::try_from(size).ok()).ok_or_else(|| {
                Diagnostic::new(format!("the size `{dim}` of a task has no value"))
                    .hint("bind every symbol of the plan, so that no size is negative or beyond 64 bits")
            })
        })
    }

    /// The task with symbols counted as [`Dim::estimate`] counts them: what is chosen for while nobody knows them.
    pub fn estimate(&self) -> Task<u64> {
        self.likely(&[])
    }

    /// As [`Task::estimate`] where some symbols are known: `bindings` gives their values.
    pub fn likely(&self, bindings: Bindings<'_>) -> Task<u64> {
        let Ok(mut task) = self.try_map::<u64, Infallible>(|dim| Ok(dim.likely(bindings)));
        // A batch may be long: a row whose length nobody knows is no short one.
        if let (Task::Reduction(own), Task::Reduction(likely)) = (self, &mut task)
            && own.columns.known(bindings).as_constant().is_none()
        {
            likely.columns = likely.columns.max(1024);
        }
        if let (Task::Conv2d(own), Task::Conv2d(likely)) = (self, &mut task) {
            own.leave_room(likely, bindings);
        }
        task
    }
}

impl Product<Dim> {
    /// As [`Task::estimate`].
    pub fn estimate(&self) -> Product<u64> {
        let Ok(product) = self.try_map::<u64, Infallible>(|dim| Ok(dim.estimate()));
        product
    }
}

impl Conv2dTask<Dim> {
    /// As [`Task::estimate`].
    pub fn estimate(&self) -> Conv2dTask<u64> {
        let Ok(mut conv) = self.try_map::<u64, Infallible>(|dim| Ok(dim.estimate()));
        self.leave_room(&mut conv, &[]);
        conv
    }

    /// Whether its channels are numbers: what rewrites a convolution counts through them.
    pub(crate) fn knows_channels(&self) -> bool {
        [&self.channels, &self.out_channels].iter().all(|channels| channels.as_constant().is_some())
    }

    /// An image whose size nobody knows has room for a window: calls with a smaller one are refused.
    fn leave_room(&self, likely: &mut Conv2dTask<u64>, bindings: Bindings<'_>) {
        for axis in 0..2 {
            if self.size[axis].known(bindings).as_constant().is_none() {
                let taps = likely.filter[axis].saturating_sub(1);
                let reach = taps.saturating_mul(self.dilation[axis]).saturating_add(1);
                let room = reach.saturating_sub(self.padding[axis].saturating_mul(2));
                likely.size[axis] = likely.size[axis].max(room);
            }
        }
    }
}

impl Task<u64> {
    /// The same task as the compiler has it in a graph in which the sizes are numbers: axes of one element are gone there, so that a
    /// single row lies in one piece, whichever axis is reduced. (A plan with symbols keeps its axes, whatever they are in a call.)
    #[must_use]
    pub fn canonical(mut self) -> Task<u64> {
        if let Task::Reduction(reduction) = &mut self {
            reduction.contiguous |= reduction.rows == 1;
        }
        self
    }

    /// The matrix product behind a product or convolution, and the rows and widths of an attention; `None` of other tasks, and if a window does not fit into the padded
    /// image.
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Task::Product(product) => Some(product.problem()),
            Task::Conv2d(conv) => conv.problem(),
            Task::Attention(own) => {
                let rows = if own.kind == AttentionKind::KeyValueGrad { own.keys } else { own.queries };
                let bytes = own.dtype.accumulator_bytes();
                let problem = Problem::new(rows, own.value_width, own.width);
                Some(Problem { batch: own.batch, dtype: own.dtype, bytes, ..problem })
            }
            Task::Elementwise(_) | Task::Reduction(_) | Task::BatchNorm(_) | Task::Recurrence(_) => None,
        }
    }
}

impl Product<u64> {
    /// As templates know it.
    pub fn problem(&self) -> Problem {
        Problem {
            batch: self.batch,
            aligned: self.aligned,
            dtype: self.dtype,
            bytes: self.dtype.accumulator_bytes(),
            ..Problem::new(self.m, self.n, self.k).contiguous(self.a, self.b)
        }
    }
}

impl Conv2dTask<u64> {
    /// As templates know it, and which of its products is wanted.
    pub fn conv(&self) -> (conv::Conv2d, conv::ConvolutionKind) {
        let product = match self.kind {
            ConvKind::Forward => conv::ConvolutionKind::Forward,
            ConvKind::InputGrad => conv::ConvolutionKind::Input,
            ConvKind::WeightGrad => conv::ConvolutionKind::Weight,
        };
        let conv = conv::Conv2d {
            images: self.images,
            channels: self.channels,
            size: self.size,
            out_channels: self.out_channels,
            filter: self.filter,
            stride: self.stride,
            pad: self.padding,
            dilation: self.dilation,
            groups: self.groups,
        };
        (conv, product)
    }

    /// The matrix product that this is; `None` if a window does not fit into the padded image.
    pub fn problem(&self) -> Option<Problem> {
        let (conv, product) = self.conv();
        Some(Problem {
            dtype: self.dtype,
            bytes: self.dtype.accumulator_bytes(),
            ..Problem::of_convolution(&conv, product)?
        })
    }
}

impl<S: Display> Display for Task<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |[y, x]: &[u64; 2]| format!("{y}x{x}");
        match self {
            Task::Product(Product { m, n, k, batch, a, b, aligned, dtype }) => {
                let aligned = if *aligned { " aligned" } else { "" };
                let (a, b) = (a.name(), b.name());
                write!(f, "matmul {dtype} m={m} n={n} k={k} batch={batch} a={a} b={b}{aligned}")
            }
            Task::Conv2d(t) => {
                write!(f, "conv2d {} {} images={} channels={}", t.dtype, t.kind.name(), t.images, t.channels)?;
                write!(f, " size={}x{} filter={}x{}", t.size[0], t.size[1], t.filter[0], t.filter[1])?;
                write!(f, " out={} stride={}", t.out_channels, pair(&t.stride))?;
                write!(f, " padding={} dilation={} groups={}", pair(&t.padding), pair(&t.dilation), t.groups)
            }
            Task::Elementwise(Elementwise { elements, reads, dtype }) => {
                write!(f, "elementwise {dtype} elements={elements} reads={reads}")
            }
            Task::Reduction(Reduction { rows, columns, contiguous, op, dtype }) => {
                let along = if *contiguous { "rows" } else { "columns" };
                write!(f, "reduction {dtype} {} rows={rows} columns={columns} along={along}", op.name())
            }
            Task::BatchNorm(BatchNorm { images, channels, pixels, dtype }) => {
                write!(f, "batch_norm {dtype} images={images} channels={channels} pixels={pixels}")
            }
            Task::Attention(t) => {
                let causal = if t.causal { " causal" } else { "" };
                write!(f, "{} {} batch={} queries={}", t.kind.operation(), t.dtype, t.batch, t.queries)?;
                write!(f, " keys={} width={} value_width={}{causal}", t.keys, t.width, t.value_width)
            }
            Task::Recurrence(Recurrence { rows, width, rounds, dtype }) => {
                write!(f, "recurrence {dtype} rows={rows} width={width} rounds={rounds}")
            }
        }
    }
}
