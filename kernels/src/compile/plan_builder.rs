//! The steps of a plan and the source of its kernels, while they are collected.

use super::buffers::Buffers;
use super::configs::ClusterConfigs;
use super::distinct::Kernels;
use super::formula::{formula, label};
use super::instance::{Instance, InstanceArg};
use super::states::{not_in_place, shared, states};
use crate::dim::{Dim, INDEX_LIMIT, IndexWidth};
use crate::dtype::{DType, Literal};
use crate::fuse::Division;
use crate::fuse::cost;
use crate::graph::{Graph, NodeId};
use crate::identifier::{is_reserved, sanitized};
use crate::kir::build::KernelBuilder;
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Access, Expr, Kernel, Launch, Param, ParamKind};
use crate::plan::requirement::{Requirement, uncountable};
use crate::plan::{Arg, Buffer, BufferId, Repeat, Step, Work};
use crate::span::{Diagnostic, Result};
use crate::target::Target;
use crate::template::Limits;
use crate::variant::Decision;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Collects steps.
pub(super) struct PlanBuilder<'a> {
    pub graph: &'a Graph,
    pub division: &'a Division,
    pub buffers: &'a Buffers,
    pub target: Target,
    pub limits: Limits,
    pub configs: ClusterConfigs,
    /// Of the index arithmetic in what the compiler writes; users' kernels and convolutions count with 32 bits.
    pub width: IndexWidth,
    steps: Vec<Step>,
    /// See [`crate::plan::Plan::not_in_place`].
    pub not_in_place: Vec<BufferId>,
    kernels: Kernels,
    /// See [`shared`].
    pub(super) shared: BTreeSet<String>,
    /// Sizes that kernels compute or count up to.
    sizes: RefCell<BTreeSet<Dim>>,
    /// States that the graph reads, with their new values.
    pub states: Vec<(NodeId, NodeId)>,
    /// What loops have brought: their buffers come behind those of the graph.
    pub(super) loops: LoopParts,
}

/// What a graph, or the body of a loop, becomes.
pub(super) struct Collected {
    pub buffers: Vec<Buffer>,
    pub requirements: Vec<Requirement>,
    pub not_in_place: Vec<BufferId>,
    pub decisions: Vec<Decision>,
    pub steps: Vec<Step>,
    pub repeats: Vec<Repeat>,
    pub kernels: Kernels,
    pub shared: BTreeSet<String>,
}

/// What the bodies of a graph's loops are made of, besides steps and kernels.
#[derive(Default)]
pub(super) struct LoopParts {
    pub buffers: Vec<Buffer>,
    pub repeats: Vec<Repeat>,
    pub requirements: Vec<Requirement>,
    pub decisions: Vec<Decision>,
}

impl<'a> PlanBuilder<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        division: &'a Division,
        buffers: &'a Buffers,
        (target, limits): (Target, Limits),
        width: IndexWidth,
    ) -> Self {
        PlanBuilder {
            graph,
            division,
            buffers,
            target,
            limits,
            configs: ClusterConfigs::default(),
            width,
            steps: Vec::new(),
            not_in_place: Vec::new(),
            kernels: Kernels::default(),
            shared: shared(&buffers.list),
            sizes: RefCell::default(),
            states: states(graph),
            loops: LoopParts::default(),
        }
    }

    /// A kernel name that says where in the plan it stands and what it does.
    pub(super) fn kernel_name(&self, what: &str) -> String {
        let name = format!("{}_{}_{what}", sanitized(&self.graph.name), self.steps.len());
        // A function called `get_rows` or `read_image` must not take a name that begins like OpenCL's own.
        let name = if is_reserved(&name) { format!("run_{name}") } else { name };
        // Two loops may have one name: both are derivatives of a third.
        let others = (2..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.clone()).chain(others).find(|name| !self.kernels.has(name)).unwrap_or(name)
    }

    /// What a cluster computes, for the comment above its kernel: a formula for each stored member, line by line.
    pub(super) fn describe(&self, cluster: usize) -> Vec<String> {
        self.stored_members(cluster).flat_map(|id| formula(self.graph, self.buffers, id)).collect()
    }

    fn stored_members(&self, cluster: usize) -> impl Iterator<Item = NodeId> {
        let members = self.division.clusters[cluster].members.iter().copied();
        members.filter(|id| self.division.stored.contains(id))
    }

    /// What is passed for the parameters of `kernel`.
    pub(super) fn args(&self, kernel: &Kernel) -> Vec<Arg> {
        kernel.params.iter().filter_map(|param| self.arg(&param.name, &param.kind)).collect()
    }

    fn arg(&self, name: &str, kind: &ParamKind) -> Option<Arg> {
        Some(match kind {
            ParamKind::Buffer(..) => self.buffer(name),
            ParamKind::Scalar(dtype) => self.scalar(name, *dtype),
            ParamKind::Symbol | ParamKind::Size => Arg::Dim(Dim::symbol(name)),
            ParamKind::WideSize => Arg::DimAs(Dim::symbol(name), DType::I64),
            // A device function's, passed by the template.
            ParamKind::Value(_) | ParamKind::Position(_) => return None,
        })
    }

    fn buffer(&self, name: &str) -> Arg {
        Arg::Buffer(self.buffers.named(name).unwrap_or_else(|| unreachable!("buffer {name}")))
    }

    fn scalar(&self, name: &str, dtype: DType) -> Arg {
        match self.buffers.scalar(name) {
            Some(position) => Arg::Scalar(position, dtype),
            None if dtype == DType::I64 => Arg::DimAs(Dim::symbol(name), DType::I64),
            None => Arg::Dim(Dim::symbol(name)),
        }
    }

    /// The kernel that `builder` made; what it counts up to is noted.
    pub(super) fn finished(&self, mut builder: KernelBuilder) -> Kernel {
        self.note_sizes(builder.take_sizes());
        let is_wide = builder.is_wide();
        let kernel = builder.finish();
        if !is_wide {
            self.note_elements(kernel.params.iter().filter_map(|param| self.buffers.named(&param.name)));
        }
        kernel
    }

    /// Notes the elements of buffers that a kernel addresses with 32 bits: in a plan whose others have 64 nobody else looks.
    fn note_elements(&self, buffers: impl Iterator<Item = BufferId>) {
        if self.width == IndexWidth::Wide {
            self.note_sizes(buffers.map(|id| self.buffers.list[id.0 as usize].shape.elements()));
        }
    }

    /// Notes sizes that a kernel computes or counts up to.
    pub(super) fn note_sizes(&self, sizes: impl IntoIterator<Item = Dim>) {
        self.sizes.borrow_mut().extend(sizes);
    }

    /// The sizes that only symbols' values tell to be within what kernels can count.
    ///
    /// # Errors
    ///
    /// A size that is too large whatever they are.
    pub(super) fn countable(&self) -> Result<Vec<Requirement>> {
        self.constants_are_countable()?;
        // Buffers are looked at anyway, for what is narrow.
        let buffers = if self.width.is_narrow() { self.buffers.list.as_slice() } else { &[] };
        let elements: BTreeSet<Dim> = buffers.iter().map(|buffer| buffer.shape.elements()).collect();
        let sizes = self.sizes.borrow();
        let open = sizes.iter().filter(|size| size.as_constant().is_none());
        let told = |size: &Dim| elements.iter().any(|most| (most.clone() - size.clone()).never_negative());
        Ok(open.filter(|size| !told(size)).cloned().map(Requirement::Countable).collect())
    }

    /// # Errors
    ///
    /// A size that is too large whatever symbols are.
    fn constants_are_countable(&self) -> Result<()> {
        match self.uncountable() {
            Some(size) => Err(Diagnostic::new(format!("`{}`: {}", self.graph.name, uncountable(&size)))),
            None => Ok(()),
        }
    }

    /// A size that is too large whatever symbols are.
    pub(super) fn uncountable(&self) -> Option<i64> {
        let sizes = self.sizes.borrow();
        sizes.iter().filter_map(Dim::as_constant).find(|size| *size > INDEX_LIMIT as i64)
    }

    /// A kernel that the compiler wrote and the verifier refuses is a defect of the compiler; it is reported, not emitted.
    ///
    /// # Errors
    ///
    /// Also an index or a size with a number in it that its type does not have: users write these.
    fn check(&self, kernel: &Kernel) -> Result<()> {
        let beyond = |expr: &Expr| match expr {
            Expr::Literal(Literal::Int(value, dtype)) if !dtype.holds(*value) => Some(*value),
            _ => None,
        };
        if let Some(value) = kernel.exprs.iter().find_map(beyond) {
            return Err(Diagnostic::new(format!("`{}`: {}", self.graph.name, uncountable(&value))));
        }
        check(kernel)
    }

    /// Adds a step that runs a kernel of the IR.
    pub(super) fn add_kernel(&mut self, clusters: &[usize], builder: KernelBuilder) -> Result<()> {
        let kernel = self.checked(builder)?;
        let (work, args, local_bytes) = self.launched(kernel);
        self.add_step(clusters, work, args, local_bytes);
        Ok(())
    }

    /// Adds a step that runs one of several kernels which compute `label` together.
    pub(super) fn add_part(&mut self, label: String, flops: Dim, builder: KernelBuilder) -> Result<()> {
        let kernel = self.checked(builder)?;
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for param in &kernel.params {
            if let ParamKind::Buffer(_, access) = param.kind
                && let Some(id) = self.buffers.named(&param.name)
            {
                if access != Access::Write {
                    reads.insert(id);
                }
                if access != Access::Read {
                    writes.insert(id);
                }
            }
        }
        let (work, args, local_bytes) = self.launched(kernel);
        let bytes = [self.bytes(&reads), self.bytes(&writes)];
        let (reads, writes) = (reads.into_iter().collect(), writes.into_iter().collect());
        self.steps.push(Step { label, work, args, reads, writes, local_bytes, flops: Some(flops), bytes });
        Ok(())
    }

    /// Adds a step that runs a user's kernel with `args`, which computes so much if that is known.
    pub(super) fn add_custom(
        &mut self,
        label: String,
        kernel: Kernel,
        args: Vec<Arg>,
        flops: Option<Dim>,
    ) -> Result<()> {
        self.check(&kernel)?;
        self.note_elements(args.iter().filter_map(|arg| match arg {
            Arg::Buffer(id) => Some(*id),
            _ => None,
        }));
        self.constants_are_countable()?;
        let touched = |wanted: fn(Access) -> bool| -> BTreeSet<BufferId> {
            let of = |(param, arg): (&Param, &Arg)| match (&param.kind, arg) {
                (ParamKind::Buffer(_, access), Arg::Buffer(id)) if wanted(*access) => Some(*id),
                _ => None,
            };
            kernel.params.iter().zip(&args).filter_map(of).collect()
        };
        let (reads, writes) = (touched(|access| access != Access::Write), touched(|access| access != Access::Read));
        let bytes = [self.bytes(&reads), self.bytes(&writes)];
        let (work, local_bytes) = self.work(kernel);
        let (reads, writes) = (reads.into_iter().collect(), writes.into_iter().collect());
        self.steps.push(Step { label, work, args, reads, writes, local_bytes, flops, bytes });
        Ok(())
    }

    fn checked(&self, builder: KernelBuilder) -> Result<Kernel> {
        let kernel = self.finished(builder);
        self.constants_are_countable()?;
        self.check(&kernel)?;
        Ok(kernel)
    }

    /// What runs a kernel, what is passed to it, and its local memory in bytes.
    fn launched(&mut self, kernel: Kernel) -> (Work, Vec<Arg>, u64) {
        let args = self.args(&kernel);
        let (work, local_bytes) = self.work(kernel);
        (work, args, local_bytes)
    }

    /// What runs a kernel, and its local memory in bytes.
    fn work(&mut self, kernel: Kernel) -> (Work, u64) {
        let (launch, local_bytes) = (kernel.launch.clone(), kernel.local_bytes());
        let (position, entry) = self.kernels.add_loop(kernel, &self.shared);
        let work = match self.target {
            Target::Host => Work::Loop { kernel: position },
            Target::Cpu | Target::Gpu => Work::Kernel { entry: entry.to_owned(), launch },
        };
        (work, local_bytes)
    }

    /// Bytes of buffers.
    fn bytes(&self, ids: &BTreeSet<BufferId>) -> Dim {
        ids.iter().fold(Dim::default(), |sum, id| {
            let buffer = &self.buffers.list[id.0 as usize];
            sum + buffer.shape.elements() * Dim::from(buffer.dtype.size())
        })
    }

    /// Adds an instance of a template, the device functions it calls, and the step that launches it.
    pub(super) fn add_template(
        &mut self,
        cluster: usize,
        instance: Instance,
        functions: Vec<Kernel>,
        launch: Launch,
        local_bytes: u64,
    ) -> Result<()> {
        let args = instance.args().iter().map(|arg| match arg {
            InstanceArg::Buffer(name) => self.buffer(name),
            InstanceArg::Scalar(name, dtype) => self.scalar(name, *dtype),
            InstanceArg::Constant(_, value) => Arg::Literal(Literal::Int(*value, self.width.dtype())),
        });
        let args = args.collect();
        self.note_sizes(instance.sizes().iter().cloned());
        self.constants_are_countable()?;
        functions.iter().try_for_each(|function| self.check(function))?;
        let entry = self.kernels.add_instance(instance, functions).to_owned();
        self.add_step(&[cluster], Work::Kernel { entry, launch }, args, local_bytes);
        Ok(())
    }

    /// Adds a step that computes `clusters`, with so much local memory.
    pub(super) fn add_step(&mut self, clusters: &[usize], work: Work, args: Vec<Arg>, local_bytes: u64) {
        let mut reads: BTreeSet<BufferId> = BTreeSet::new();
        let mut writes: BTreeSet<BufferId> = BTreeSet::new();
        let (mut labels, mut flops) = (Vec::new(), Dim::default());
        for &cluster in clusters {
            writes.extend(self.stored_members(cluster).map(|id| self.buffers.of(id)));
            for &id in &self.division.clusters[cluster].operands {
                let scalar = matches!(self.graph[id].op, crate::graph::Op::Input(crate::graph::InputKind::Scalar(_)));
                let own = self.division.home.get(&id) == Some(&cluster);
                if !scalar && !own {
                    reads.insert(self.buffers.of(id));
                }
            }
            labels.extend(self.labels(cluster));
            flops = flops + cost::flops(self.graph, self.division, cluster);
        }
        let bytes = [self.bytes(&reads), self.bytes(&writes)];
        self.note_not_in_place(clusters);
        self.steps.push(Step {
            label: labels.join("; "),
            work,
            args,
            reads: reads.into_iter().collect(),
            writes: writes.into_iter().collect(),
            local_bytes,
            flops: Some(flops),
            bytes,
        });
    }

    /// Notes that the last step writes these besides: results that nobody reads.
    pub(super) fn also_writes(&mut self, buffers: &[BufferId]) {
        if let Some(step) = self.steps.last_mut().filter(|_| !buffers.is_empty()) {
            step.writes.extend(buffers);
            step.writes.sort();
        }
    }

    /// Notes new values of states that `clusters`, computed together, may not put in place of the old ones.
    pub(super) fn note_not_in_place(&mut self, clusters: &[usize]) {
        let not_in_place = not_in_place(self.graph, self.division, self.buffers, &self.states, clusters);
        self.not_in_place.extend(not_in_place);
    }

    /// Goes on with the kernels of a graph around this one, in which no two buffers lie in one place.
    pub(super) fn go_on(&mut self, kernels: Kernels) {
        self.kernels = kernels;
        self.shared.clear();
    }

    /// The kernels so far, for the body of a loop to go on with.
    pub(super) fn lend_kernels(&mut self) -> Kernels {
        std::mem::take(&mut self.kernels)
    }

    /// Takes them back.
    pub(super) fn take_kernels(&mut self, kernels: Kernels) {
        self.kernels = kernels;
    }

    /// Notes what was decided for a loop.
    pub(super) fn add_decisions(&mut self, decisions: Vec<Decision>) {
        let known = &mut self.loops.decisions;
        let new: Vec<_> = decisions.into_iter().filter(|decision| !known.contains(decision)).collect();
        known.extend(new);
    }

    /// What a cluster computes, each member on a line.
    pub(super) fn labels(&self, cluster: usize) -> Vec<String> {
        self.stored_members(cluster).map(|id| label(self.graph, self.buffers, id)).collect()
    }

    /// How many steps there are.
    pub(super) fn count(&self) -> usize {
        self.steps.len()
    }

    /// Adds a step as it is.
    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// What has been collected, beside `buffers`.
    pub(super) fn finish(self, mut buffers: Vec<Buffer>) -> Collected {
        let LoopParts { buffers: more, repeats, requirements, decisions } = self.loops;
        buffers.extend(more);
        Collected {
            buffers,
            requirements,
            not_in_place: self.not_in_place,
            decisions,
            steps: self.steps,
            repeats,
            kernels: self.kernels,
            shared: self.shared,
        }
    }
}

/// What the verifier says, as a defect of the compiler.
fn check(kernel: &Kernel) -> Result<()> {
    verify(kernel, &Capabilities::unlimited()).map(|_| ()).map_err(|errors| {
        let list: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
        Diagnostic::new(format!("internal error: kernel `{}` is not valid: {}", kernel.name, list.join("; ")))
            .hint("please report this with the model that caused it")
    })
}
