//! Matrix products: on the host by its matrix library, elsewhere by an instance of a template.

use super::epilogue::{Results, product_axes};
use super::instance::Instance;
use super::plan_builder::PlanBuilder;
use super::prologue::{Prologue, Vectors};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::fuse::product::{Extents, extents, in_memory};
use crate::graph::NodeId;
use crate::index::Index;
use crate::kir::Kernel;
use crate::plan::{Arg, Buffer, Operand, Work};
use crate::span::{Diagnostic, Result};
use crate::target::Target;
use crate::template::{Axis, Choice, Matrix, Template};
use crate::variant;

impl PlanBuilder<'_> {
    /// The launch that computes `product` and what is fused to it.
    pub(super) fn product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        match self.target {
            Target::Host => self.host_product(cluster, product),
            Target::Cpu | Target::Gpu => self.template_product(cluster, product),
        }
    }

    /// Where an operand lies: the stored node and its affine address over the operand's own axes.
    pub(super) fn operand(&self, product: NodeId, id: NodeId) -> Result<(NodeId, Index)> {
        in_memory(self.graph, &self.graph[product].op, id, &|id| self.division.home.contains_key(&id))
            .ok_or_else(|| Diagnostic::new(format!("internal error: operand {} of a product is not in memory", id.0)))
    }

    fn factors(&self, product: NodeId) -> [NodeId; 2] {
        let op = &self.graph[product].op;
        op.factors().unwrap_or_else(|| unreachable!("{op:?} is no product"))
    }

    /// The type of the elements that a product or convolution reads. The result may be of the type that they are computed in:
    /// parts of a sum, which are not rounded.
    pub(super) fn factor_dtype(&self, product: NodeId) -> DType {
        self.graph[self.factors(product)[0]].dtype
    }

    fn host_product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        let node = &self.graph[product];
        let [a, b] = self.factors(product);
        let rank = node.shape.rank();
        let batch = node.shape.0[..rank - 2].to_vec();
        let describe = |base: NodeId, address: &Index| Operand {
            buffer: self.buffers.of(base),
            offset: address.offset().clone(),
            batch: (0..rank - 2).map(|axis| address.coefficient(axis).unwrap_or_default()).collect(),
            row: address.coefficient(rank - 2).unwrap_or_default(),
            column: address.coefficient(rank - 1).unwrap_or_default(),
        };
        let (a_base, a_address) = self.operand(product, a)?;
        let (b_base, b_address) = self.operand(product, b)?;
        let own = crate::index::flatten(&(0..rank).map(Index::var).collect::<Vec<_>>(), &node.shape);
        let work = Work::MatMul {
            batch,
            m: node.shape[rank - 2].clone(),
            n: node.shape[rank - 1].clone(),
            k: self.graph[a].shape[rank - 1].clone(),
            a: describe(a_base, &a_address),
            b: describe(b_base, &b_address),
            c: describe(product, &own),
            dtype: node.dtype,
        };
        let args = [a_base, b_base, product].map(|id| Arg::Buffer(self.buffers.of(id))).to_vec();
        self.add_step(&[cluster], work, args, 0);
        Ok(())
    }

    /// What `product` is, for whoever chooses how it is computed.
    pub(super) fn product_task(&self, product: NodeId) -> variant::Product<Dim> {
        self.task_of(product, &Sides::new(self, product))
    }

    fn task_of(&self, product: NodeId, sides: &Sides) -> variant::Product<Dim> {
        let Extents { batch, m, n, k } = extents(self.graph, product);
        let Sides { a, b } = sides;
        let aligned = a.alignment.min(b.alignment) >= 4;
        variant::Product { m, n, k, batch, a: a.along, b: b.along, aligned, dtype: self.factor_dtype(product) }
    }

    /// The template that was chosen for a product or convolution, and its tunables.
    pub(super) fn chosen(&self, product: NodeId) -> Result<(&'static Template, Choice)> {
        let config = self.configs.nodes.get(&product);
        let found = config.and_then(|config| Some((config.variant.template(self.target)?, config.values.clone())));
        found.ok_or_else(|| Diagnostic::new(format!("internal error: no template was chosen for node {}", product.0)))
    }

    fn template_product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        let node = &self.graph[product];
        let sizes = extents(self.graph, product);
        let sides = Sides::new(self, product);
        let problem = self.task_of(product, &sides).estimate().problem();
        let (template, choice) = self.chosen(product)?;
        let name = self.kernel_name(template.name);
        let counts = [sizes.batch.clone(), sizes.m.clone(), sizes.n.clone()];
        let results = Results { cluster, product, extents: &counts, axes: &product_axes(&node.shape, &counts) };
        let epilogue = self.epilogue(&results, &format!("{name}_store"), template, &choice);
        let mut instance = Instance::new(&name, template, self.width);
        instance.comments = self.describe(cluster);
        for side in sides.both() {
            for id in side.reads(self) {
                instance.reads(&self.buffers.name(id), self.graph[id].dtype);
            }
        }
        epilogue.hook_into(&mut instance, &self.shared);
        instance.lines(&problem.defines());
        if template.copies_aligned {
            let in_memory = sides.both().into_iter().filter(|side| side.address.is_some()).map(|side| side.alignment);
            instance.define("ALIGNED", in_memory.min().unwrap_or(1).to_string());
        }
        instance.lines(&choice.defines());
        for (macro_name, size) in [("M", &sizes.m), ("N", &sizes.n), ("K", &sizes.k), ("BATCH", &sizes.batch)] {
            let text = instance.count(size);
            instance.define(macro_name, text);
        }
        let mut functions = epilogue.functions();
        for side in sides.both() {
            match &side.address {
                Some((base, address)) => {
                    let pointer = instance.parameter_name(&self.buffers.name(*base));
                    side.strides(&mut instance, address, pointer);
                }
                None => functions.extend(side.prologue(self, &mut instance, &name, template, &choice)),
            }
        }
        instance.sums_of(&sizes.k, self.factor_dtype(product));
        instance.types(self.factor_dtype(product), (template.lanes)(&choice));
        let local_bytes = (template.local_bytes)(&choice, &problem);
        let grid = (template.grid)(&choice);
        let resident = (template.by_maps)(&choice, &self.limits);
        let maps = self.buffers.maps().filter(|_| sides.both().into_iter().all(Side::has_map));
        let (Some(resident), Some(maps)) = (resident, maps) else {
            let launch = grid.launch(&sizes.m, &sizes.n, &sizes.batch);
            return self.add_template(cluster, instance, functions, launch, local_bytes);
        };
        instance.define("BULK", "1".to_string());
        let Buffer { name, dtype, .. } = &self.buffers.list[maps.0 as usize];
        instance.writes(name, *dtype);
        let pointer = instance.parameter_name(name);
        instance.define("MAPS", pointer);
        let launch = resident.launch(&grid.tiles(&sizes.m, &sizes.n, &sizes.batch));
        self.add_template(cluster, instance, functions, launch, local_bytes)?;
        self.also_writes(&[maps]);
        Ok(())
    }
}

/// The operands of a product.
struct Sides {
    a: Side,
    b: Side,
}

impl Sides {
    fn new(builder: &PlanBuilder<'_>, product: NodeId) -> Sides {
        let sizes = extents(builder.graph, product);
        let [a, b] = builder.factors(product);
        Sides {
            a: Side::new(builder, Matrix::A, (product, a), [&sizes.batch, &sizes.m, &sizes.k]),
            b: Side::new(builder, Matrix::B, (product, b), [&sizes.batch, &sizes.k, &sizes.n]),
        }
    }

    fn both(&self) -> [&Side; 2] {
        [&self.a, &self.b]
    }
}

/// One operand of a product: in memory at an affine address, or computed by a prologue.
struct Side {
    matrix: Matrix,
    operand: NodeId,
    /// What its hooks are called with: see [`Matrix::axes`].
    words: [&'static str; 3],
    /// How far each of them counts.
    extents: [Dim; 3],
    /// Its own axes over those three.
    axes: Vec<Index>,
    /// The stored node and its address over the operand's own axes; none if it is computed.
    address: Option<(NodeId, Index)>,
    along: Axis,
    /// To how many elements all rows and batches are aligned, along the contiguous axis: 8, 4 or 1.
    alignment: i64,
}

impl Side {
    fn new(
        builder: &PlanBuilder<'_>,
        matrix: Matrix,
        (product, operand): (NodeId, NodeId),
        extents: [&Dim; 3],
    ) -> Side {
        let extents = extents.map(Dim::clone);
        let shape = &builder.graph[product].shape;
        let batch = Shape(shape.0[..shape.rank() - 2].to_vec());
        let mut axes = crate::index::unflatten(&Index::var(0), &batch, &extents);
        axes.extend([Index::var(1), Index::var(2)]);
        let address = in_memory(builder.graph, &builder.graph[product].op, operand, &|id| {
            builder.division.home.contains_key(&id)
        });
        let words = matrix.axes();
        let mut side = Side { matrix, operand, words, extents, axes, address, along: Axis::None, alignment: 1 };
        let (outer, depth) = (matrix.outer(), matrix.depth());
        if let Some((_, address)) = &side.address {
            let first = side.batch_rank();
            side.along = along(address, first + outer - 1, first + depth - 1);
            let contiguous = match side.along {
                Axis::K => depth,
                _ => outer,
            };
            if side.along != Axis::None {
                side.alignment = alignment(address, first + 2).min(whole_vectors(&side.extents[contiguous]));
            }
            return side;
        }
        // The innermost axis first: there, neighbours are neighbours in memory most often.
        for axis in [2, 1] {
            if side.along == Axis::None && builder.loads_in_vectors(&side.as_prologue(), axis) {
                side.along = if axis == depth { Axis::K } else { Axis::Outer };
                side.alignment = whole_vectors(&side.extents[axis]);
            }
        }
        side
    }

    /// Whether a tensor map can say where it lies: rows of a multiple of 8 elements, none of them twice or backwards, which begin at
    /// multiples of 16 bytes, in batches that are one or lie equally far apart.
    fn has_map(&self) -> bool {
        let Some((_, address)) = self.address.as_ref().filter(|_| self.alignment == 8) else { return false };
        let stride = |axis: usize| address.coefficient(axis).unwrap_or_default();
        let batches = self.batch_rank();
        let forward = (0..batches).all(|axis| stride(axis).never_negative());
        let apart = (batches..self.axes.len()).all(|axis| (stride(axis) - Dim::constant(1)).never_negative());
        let batch = (0..batches).map(|axis| self.axes[axis].times(&stride(axis)));
        forward && apart && batch.fold(Index::constant(Dim::default()), |sum, own| sum.plus(&own)).is_affine()
    }

    /// How many of its own axes count the products.
    fn batch_rank(&self) -> usize {
        self.axes.len() - 2
    }

    fn as_prologue(&self) -> Prologue<'_> {
        Prologue { operand: self.operand, words: &self.words, extents: &self.extents, axes: &self.axes }
    }

    /// The buffers it reads.
    fn reads(&self, builder: &PlanBuilder<'_>) -> Vec<NodeId> {
        match &self.address {
            Some((base, _)) => vec![*base],
            None => builder.prologue_reads(&self.as_prologue()),
        }
    }

    /// Defines where an operand in memory lies.
    fn strides(&self, instance: &mut Instance, address: &Index, pointer: String) {
        let stride = |axis: usize| address.coefficient(axis).unwrap_or_default();
        // Where a part begins is passed: unrolled steps that each read the next part of a tensor launch one kernel.
        let first = address.offset().as_constant().filter(|first| *first != 0);
        let mut offset = Index::constant(if first.is_some() { Dim::default() } else { address.offset().clone() });
        for axis in 0..self.batch_rank() {
            offset = offset.plus(&self.axes[axis].times(&stride(axis)));
        }
        let name = self.matrix.letter();
        let batch = if instance.is_wide() { "(long)(batch)" } else { "(batch)" };
        let mut text = instance.index(&offset, &[batch]);
        if let Some(first) = first {
            let passed = self.matrix.first();
            instance.constant(passed, first);
            text = format!("({passed} + {text})");
        }
        instance.define(&format!("{name}_OFFSET(batch)"), text);
        for (position, word) in self.words[1..].iter().enumerate() {
            let text = instance.dim(&stride(self.batch_rank() + position));
            instance.define(&format!("{name}_STRIDE_{}", word.to_uppercase()), text);
        }
        instance.define(self.matrix.pointer(), pointer);
    }

    /// Makes the load hooks call device functions; gives those.
    fn prologue(
        &self,
        builder: &PlanBuilder<'_>,
        instance: &mut Instance,
        kernel: &str,
        template: &Template,
        choice: &Choice,
    ) -> Vec<Kernel> {
        let prologue = self.as_prologue();
        let matrix = self.matrix;
        let name = format!("{kernel}_load_{}", matrix.pointer());
        let scalar = builder.load_function(&prologue, &name, None);
        instance.hook(&format!("LOAD_{}", matrix.letter()), &scalar, &builder.shared);
        let mut functions = vec![scalar];
        let lanes = (template.lanes)(choice);
        let vectors = (template.loads_vectors)(choice, matrix, self.along);
        if vectors {
            let along = if self.along == Axis::K { matrix.depth() } else { matrix.outer() };
            let vectors = Vectors { lanes, along, step: template.vectors_begin_at(choice) };
            let vector = builder.load_function(&prologue, &format!("{name}_vector"), Some(vectors));
            instance.hook(&format!("LOAD_{}_VECTOR", matrix.letter()), &vector, &builder.shared);
            functions.push(vector);
        }
        if matrix == Matrix::A && template.copies_computed_a {
            instance.define("A_COMPUTED", if vectors { lanes } else { 1 }.to_string());
        }
        functions
    }
}

/// The contiguous axis of an operand whose own axis is `outer` and whose summed axis is `depth`.
fn along(address: &Index, outer: usize, depth: usize) -> Axis {
    let is_one = |axis: usize| address.coefficient(axis).is_some_and(|stride| stride.is(1));
    match (is_one(depth), is_one(outer)) {
        (true, _) => Axis::K,
        (_, true) => Axis::Outer,
        _ => Axis::None,
    }
}

/// The multiples of elements by which everything but the contiguous axis moves, of `rank` axes: 8, 4 or 1.
pub(super) fn alignment(address: &Index, rank: usize) -> i64 {
    let strides: Vec<Dim> = (0..rank).map(|axis| address.coefficient(axis).unwrap_or_default()).collect();
    let contiguous = strides.iter().filter(|stride| stride.is(1)).count() == 1;
    let steps = strides.iter().filter(|stride| !stride.is(1)).chain([address.offset()]).map(whole_vectors);
    if contiguous { steps.min().unwrap_or(1) } else { 1 }
}

/// The longest vector, of 8 or 4 elements, of which the size is a multiple whatever its symbols are; else 1. Strides alone do not
/// say so: a part of a row leaves its neighbours between its end and the next row, and a load of four would take them in.
fn whole_vectors(dim: &Dim) -> i64 {
    let is_multiple = |lanes: &i64| dim.terms().all(|(_, coefficient)| coefficient % lanes == 0);
    [8, 4].into_iter().find(is_multiple).unwrap_or(1)
}
