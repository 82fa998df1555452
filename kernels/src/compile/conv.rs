//! Convolutions: on the host through its matrix library, elsewhere as implicit matrix products.

use super::epilogue::Results;
use super::instance::Instance;
use super::plan_builder::PlanBuilder;
use super::prologue::Prologue;
use crate::dim::{Dim, Shape};
use crate::fuse::product::{Extents, extents};
use crate::graph::{ConvKind, ConvNode, ConvShapes, NodeId};
use crate::index::{self, Index};
use crate::kir::Kernel;
use crate::plan::{Arg, Work};
use crate::span::{Diagnostic, Result};
use crate::target::Target;
use crate::template::{Columns, Matrix, Template};
use crate::variant::Conv2dTask;

impl PlanBuilder<'_> {
    /// The launch that computes the convolution `id` and what is fused to it.
    pub(super) fn conv(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        match self.target {
            Target::Host => self.host_conv(cluster, id),
            Target::Cpu | Target::Gpu => self.template_conv(cluster, id),
        }
    }

    fn host_conv(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let (ConvNode { kind, operands: [a, b], geometry }, shapes) = self.convolution(id);
        let work = Work::Conv2d {
            kind,
            input: shapes.input.clone(),
            weight: shapes.weight.clone(),
            output: shapes.output.clone(),
            geometry,
            dtype: self.graph[id].dtype,
        };
        let (a, b) = (self.operand(id, a)?.0, self.operand(id, b)?.0);
        let args = [a, b, id].map(|id| Arg::Buffer(self.buffers.of(id))).to_vec();
        self.add_step(&[cluster], work, args, 0);
        Ok(())
    }

    fn convolution(&self, id: NodeId) -> (ConvNode, ConvShapes<'_>) {
        self.graph.conv(id).unwrap_or_else(|| unreachable!("{:?} is no convolution", self.graph[id].op))
    }

    /// What the convolution `id` is, for whoever chooses how it is computed.
    pub(super) fn conv_task(&self, id: NodeId) -> Conv2dTask<Dim> {
        let (ConvNode { kind, geometry, .. }, ConvShapes { input, weight, .. }) = self.convolution(id);
        Conv2dTask {
            kind,
            images: input[0].clone(),
            channels: input[1].clone(),
            size: [input[2].clone(), input[3].clone()],
            filter: [weight[2].clone(), weight[3].clone()],
            out_channels: weight[0].clone(),
            stride: geometry.stride,
            padding: geometry.padding,
            dilation: geometry.dilation,
            groups: geometry.groups,
            dtype: self.factor_dtype(id),
        }
    }

    fn template_conv(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let likely = self.conv_task(id).estimate();
        let (conv, product) = likely.conv();
        let Extents { batch: groups, m, n, k } = extents(self.graph, id);
        let counts = [groups.clone(), m.clone(), n.clone()];
        let Some(problem) = likely.problem() else {
            return Err(Diagnostic::new("internal error: a convolution without output passed shape inference"));
        };
        let (template, choice) = self.chosen(id)?;
        let (node, shapes) = self.convolution(id);
        let ConvShapes { input, weight, output } = shapes;
        if !self.width.is_narrow() {
            // The template's index maps have 32 bits, whatever its hooks have.
            self.note_sizes([input, weight, output].map(Shape::elements));
        }
        let axes = result_axes(node.kind, shapes, &counts);
        let name = self.kernel_name(node.kind.operation());
        let results = Results { cluster, product: id, extents: &counts, axes: &axes };
        let epilogue = self.epilogue(&results, &format!("{name}_store"), template, &choice);
        let mut instance = Instance::new(&name, template, self.width);
        instance.comments = self.describe(cluster);
        let mut loads = Vec::new();
        for (matrix, operand) in matrices(node) {
            loads.extend(self.conv_operand(&mut instance, id, matrix, operand, template));
        }
        epilogue.hook_into(&mut instance, &self.shared);
        let [channels, height, width] = [1, 2, 3].map(|axis| &input[axis]);
        let [out_channels, out_height, out_width] = [1, 2, 3].map(|axis| &output[axis]);
        let sizes = [channels, height, width, out_channels, out_height, out_width, &weight[2], &weight[3]];
        let sizes = sizes.map(|size| instance.count(size));
        instance.lines(&conv.defines(product, &sizes));
        instance.lines(&choice.defines());
        for (macro_name, size) in [("M", &m), ("N", &n), ("K", &k), ("BATCH", &groups)] {
            let text = instance.count(size);
            instance.define(macro_name, text);
        }
        instance.sums_of(&k, self.factor_dtype(id));
        instance.types(self.factor_dtype(id), (template.lanes)(&choice));
        let columns = match (template.columns)(&choice) {
            Columns::OfProduct => n.clone(),
            Columns::Tiles(tile) => {
                let tiled = |axis: usize| output[2 + axis].ceil_div(tile[axis].into()) * Dim::from(tile[axis] as usize);
                output[0].clone() * tiled(0) * tiled(1)
            }
        };
        let launch = (template.grid)(&choice).launch(&m, &columns, &groups);
        let functions = epilogue.functions().into_iter().chain(loads).collect();
        self.add_template(cluster, instance, functions, launch, (template.local_bytes)(&choice, &problem))
    }

    /// Tells the instance where an operand lies, or, if it is computed, makes its hook call a device function: the index
    /// maps ask for elements by their offset, and never for those outside the image.
    fn conv_operand(
        &self,
        instance: &mut Instance,
        conv: NodeId,
        matrix: Matrix,
        operand: NodeId,
        template: &Template,
    ) -> Option<Kernel> {
        if let Ok((base, _)) = self.operand(conv, operand) {
            let own = self.buffers.name(base);
            instance.reads(&own, self.graph[base].dtype);
            let pointer = instance.parameter_name(&own);
            instance.define(matrix.pointer(), pointer);
            return None;
        }
        let shape = &self.graph[operand].shape;
        let extents = [shape.elements()];
        let axes = index::unflatten(&Index::var(0), shape, &extents);
        let prologue = Prologue { operand, words: &["offset"], extents: &extents, axes: &axes };
        for id in self.prologue_reads(&prologue) {
            instance.reads(&self.buffers.name(id), self.graph[id].dtype);
        }
        let name = format!("{}_load_{}", instance.name, matrix.pointer());
        let function = self.load_function(&prologue, &name, None);
        instance.hook(&format!("ELEMENT_{}", matrix.letter()), &function, &self.shared);
        if matrix == Matrix::A && template.copies_computed_a {
            instance.define("A_COMPUTED", "1".to_string());
        }
        Some(function)
    }
}

/// The template's `A` and `B`: its `A` is the second operand, the weight, or the output's gradient where the weight is
/// wanted.
fn matrices(conv: ConvNode) -> [(Matrix, NodeId); 2] {
    let [first, second] = conv.operands;
    [(Matrix::A, second), (Matrix::B, first)]
}

/// The result's axes over (group, row, column) of the product.
fn result_axes(kind: ConvKind, shapes: ConvShapes<'_>, extents: &[Dim; 3]) -> Vec<Index> {
    let [group, row, column] = [0, 1, 2].map(Index::var);
    // Channels count through the groups.
    let channel = group.times(&extents[1]).plus(&row);
    let shape = match kind {
        ConvKind::Forward => shapes.output,
        ConvKind::InputGrad => shapes.input,
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
