//! Convolutions: on the host through its matrix library, elsewhere as implicit matrix products.

use super::epilogue::operands;
use super::product::{Instance, estimate, lanes_of, launch_of, typical};
use super::program::Program;
use crate::dim::{Dim, Shape};
use crate::fuse::contiguous_base;
use crate::graph::{ConvGeometry, NodeId, Op};
use crate::index::{self, Index};
use crate::plan::{Arg, ConvKind, Target, Work};
use crate::span::{Diagnostic, Result};
use crate::template::conv2d_implicit_gemm::{Conv2d, Product};
use crate::template::{Template, conv2d_cpu, conv2d_implicit_gemm};

/// A convolution's three shapes, whichever of its products is wanted.
struct Shapes {
    kind: ConvKind,
    input: Shape,
    weight: Shape,
    output: Shape,
    geometry: ConvGeometry,
}

impl Program<'_> {
    /// The launch that computes the convolution `id` and what is fused to it.
    pub(super) fn conv(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let shapes = self.shapes(id);
        let (a, b) = operands(&self.graph[id].op);
        let base = |operand: NodeId| {
            contiguous_base(self.graph, operand, &|id| self.division.home.contains_key(&id))
                .ok_or_else(|| Diagnostic::new("internal error: an operand of a convolution is not in memory"))
        };
        let (a, b) = (base(a)?, base(b)?);
        if self.target == Target::Host {
            let Shapes { kind, input, weight, output, geometry } = shapes;
            let work = Work::Conv2d { kind, input, weight, output, geometry, dtype: self.graph[id].dtype };
            let args = [a, b, id].map(|id| Arg::Buffer(self.buffers.of(id))).to_vec();
            self.add_step(&[cluster], work, args);
            return Ok(());
        }
        self.template_conv(cluster, id, &shapes, a, b)
    }

    fn shapes(&self, id: NodeId) -> Shapes {
        let shape = |id: NodeId| self.graph[id].shape.clone();
        match self.graph[id].op {
            Op::Conv2d { input, weight, geometry } => Shapes {
                kind: ConvKind::Forward,
                input: shape(input),
                weight: shape(weight),
                output: shape(id),
                geometry,
            },
            Op::Conv2dInputGrad { grad, weight, geometry } => Shapes {
                kind: ConvKind::InputGrad,
                input: shape(id),
                weight: shape(weight),
                output: shape(grad),
                geometry,
            },
            Op::Conv2dWeightGrad { input, grad, geometry } => Shapes {
                kind: ConvKind::WeightGrad,
                input: shape(input),
                weight: shape(id),
                output: shape(grad),
                geometry,
            },
            ref other => unreachable!("{other:?} is no convolution"),
        }
    }

    fn template_conv(&mut self, cluster: usize, id: NodeId, shapes: &Shapes, a: NodeId, b: NodeId) -> Result<()> {
        let fixed = |dim: &Dim| {
            dim.as_constant().and_then(|size| u64::try_from(size).ok()).ok_or_else(|| {
                Diagnostic::new(format!("`conv2d` expects images of fixed size and channels, found {}", shapes.input))
                    .hint("only the first axis, the number of images, may be symbolic")
            })
        };
        let geometry = shapes.geometry;
        let conv = Conv2d {
            images: estimate(&shapes.input[0]),
            channels: fixed(&shapes.input[1])?,
            size: [fixed(&shapes.input[2])?, fixed(&shapes.input[3])?],
            out_channels: fixed(&shapes.weight[0])?,
            filter: [fixed(&shapes.weight[2])?, fixed(&shapes.weight[3])?],
            stride: geometry.stride,
            pad: geometry.padding,
            dilation: geometry.dilation,
            groups: geometry.groups,
        };
        let images = &shapes.input[0];
        let groups = Dim::constant(geometry.groups as i64);
        let per_group = |dim: &Dim| dim.floor_div(geometry.groups);
        let image = |shape: &Shape| images.clone() * shape[2].clone() * shape[3].clone();
        let taps = shapes.weight[2].clone() * shapes.weight[3].clone();
        let (channels, outputs) = (per_group(&shapes.input[1]), per_group(&shapes.output[1]));
        let (product, m, n, k) = match shapes.kind {
            ConvKind::Forward => (Product::Forward, outputs, image(&shapes.output), channels * taps),
            ConvKind::InputGrad => (Product::Input, channels, image(&shapes.input), outputs * taps),
            ConvKind::WeightGrad => (Product::Weight, outputs, channels * taps, image(&shapes.output)),
        };
        let extents = [groups.clone(), m.clone(), n.clone()];
        let axes = result_axes(shapes, &extents);
        let problem = conv
            .problem(product)
            .ok_or_else(|| Diagnostic::new("internal error: a convolution without output passed shape inference"))?;
        let template: &'static Template = match self.target {
            Target::Gpu => &conv2d_implicit_gemm::TEMPLATE,
            Target::Cpu | Target::Host => &conv2d_cpu::TEMPLATE,
        };
        let choice = (template.initial)(&problem, &typical(self.target));
        let word = match shapes.kind {
            ConvKind::Forward => "conv2d",
            ConvKind::InputGrad => "conv2d_input_grad",
            ConvKind::WeightGrad => "conv2d_weight_grad",
        };
        let name = self.kernel_name(word);
        let epilogue =
            self.epilogue(cluster, id, &extents, &axes, &format!("{name}_store"), lanes_of(template, &choice));
        let mut instance = Instance::new(&name, template);
        instance.comments = self.describe(cluster);
        // The template's `a` is the second operand: the weight, or the output's gradient where the weight is wanted.
        for (word, node) in [("a", b), ("b", a)] {
            let own = self.buffers.name(node);
            instance.reads(&own, self.graph[node].dtype);
            let pointer = instance.parameter_name(&own);
            instance.define(word, pointer);
        }
        instance.epilogue(&epilogue);
        instance.lines(&conv.defines(product).unwrap_or_default());
        instance.lines(&choice.defines());
        for (macro_name, size) in [("M", &m), ("N", &n), ("K", &k), ("BATCH", &groups)] {
            let text = instance.dim(size);
            instance.define(macro_name, text);
        }
        instance.types(self.graph[id].dtype);
        let launch = launch_of((template.grid)(&choice), &m, &n, &groups);
        self.add_template(cluster, instance, epilogue, launch)
    }
}

/// The result's axes over (group, row, column) of the product.
fn result_axes(shapes: &Shapes, extents: &[Dim; 3]) -> Vec<Index> {
    let [group, row, column] = [0, 1, 2].map(Index::var);
    // Channels count through the groups.
    let channel = group.times(&extents[1]).plus(&row);
    let shape = match shapes.kind {
        ConvKind::Forward => &shapes.output,
        ConvKind::InputGrad => &shapes.input,
        ConvKind::WeightGrad => {
            let mut axes = vec![channel];
            axes.extend(index::unflatten(&column, &Shape(shapes.weight.0[1..].to_vec()), extents));
            return axes;
        }
    };
    let pixel = Shape(vec![shape[0].clone(), shape[2].clone(), shape[3].clone()]);
    let mut axes = index::unflatten(&column, &pixel, extents);
    axes.insert(1, channel);
    axes
}
