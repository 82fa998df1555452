//! Matrix products: on the host by its matrix library, elsewhere by an instance of a template.

use super::epilogue::{Epilogue, operands, product_axes};
use super::program::Program;
use crate::dim::{Dim, Factor, Shape};
use crate::dtype::DType;
use crate::emit::opencl::{c_type, storage_type};
use crate::fuse::strided;
use crate::graph::NodeId;
use crate::index::{Atom, Index};
use crate::kir::{Launch, ParamKind, ValueType};
use crate::plan::{Arg, Operand, Target, Work};
use crate::span::{Diagnostic, Result};
use crate::template::{self, Axis, Choice, Grid, Limits, Template};

impl Program<'_> {
    /// The launch that computes `product` and what is fused to it.
    pub(super) fn product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        match self.target {
            Target::Host => self.host_product(cluster, product),
            Target::Cpu | Target::Gpu => self.template_product(cluster, product),
        }
    }

    /// Where an operand lies: the stored node and its affine address over the operand's own axes.
    pub(super) fn operand(&self, id: NodeId) -> Result<(NodeId, Index)> {
        strided(self.graph, id, &|id| self.division.home.contains_key(&id))
            .ok_or_else(|| Diagnostic::new(format!("internal error: operand {} of a product is not in memory", id.0)))
    }

    fn host_product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        let node = &self.graph[product];
        let (a, b) = operands(&node.op);
        let rank = node.shape.rank();
        let batch = node.shape.0[..rank - 2].to_vec();
        let describe = |base: NodeId, address: &Index| Operand {
            buffer: self.buffers.of(base),
            offset: address.offset().clone(),
            batch: (0..rank - 2).map(|axis| address.coefficient(axis).unwrap_or_default()).collect(),
            row: address.coefficient(rank - 2).unwrap_or_default(),
            column: address.coefficient(rank - 1).unwrap_or_default(),
        };
        let (a_base, a_address) = self.operand(a)?;
        let (b_base, b_address) = self.operand(b)?;
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
        self.add_step(&[cluster], work, args);
        Ok(())
    }

    fn template_product(&mut self, cluster: usize, product: NodeId) -> Result<()> {
        let node = &self.graph[product];
        let (a, b) = operands(&node.op);
        let rank = node.shape.rank();
        let (m, n) = (node.shape[rank - 2].clone(), node.shape[rank - 1].clone());
        let k = self.graph[a].shape[rank - 1].clone();
        let batch = Shape(node.shape.0[..rank - 2].to_vec());
        let (a_base, a_address) = self.operand(a)?;
        let (b_base, b_address) = self.operand(b)?;
        let sizes = [&m, &n, &k].map(estimate);
        let problem = template::Problem {
            batch: estimate(&batch.elements()),
            a: along(&a_address, rank - 2, rank - 1),
            b: along(&b_address, rank - 1, rank - 2),
            aligned: aligned(&a_address, rank) && aligned(&b_address, rank),
            bytes: node.dtype.compute().size() as u32,
            ..template::Problem::new(sizes[0], sizes[1], sizes[2])
        };
        let (template, choice) = choose_product(&problem, self.target);
        let name = self.kernel_name(template.name);
        let extents = [batch.elements(), m.clone(), n.clone()];
        let axes = product_axes(&node.shape, &extents);
        let lanes = lanes_of(template, &choice);
        let epilogue = self.epilogue(cluster, product, &extents, &axes, &format!("{name}_store"), lanes);
        let mut instance = Instance::new(&name, template);
        instance.comments = self.describe(cluster);
        instance.reads(&self.buffers.name(a_base), self.graph[a_base].dtype);
        instance.reads(&self.buffers.name(b_base), self.graph[b_base].dtype);
        instance.epilogue(&epilogue);
        instance.lines(&problem.defines());
        instance.lines(&choice.defines());
        for (macro_name, size) in [("M", &m), ("N", &n), ("K", &k), ("BATCH", &batch.elements())] {
            let text = instance.dim(size);
            instance.define(macro_name, text);
        }
        for (side, base, address, row, column) in
            [("A", a_base, &a_address, "M", "K"), ("B", b_base, &b_address, "K", "N")]
        {
            let coordinates = crate::index::unflatten(&Index::var(0), &batch, &extents);
            let mut offset = Index::constant(address.offset().clone());
            for (axis, coordinate) in coordinates.iter().enumerate() {
                offset = offset.plus(&coordinate.times(&address.coefficient(axis).unwrap_or_default()));
            }
            let text = instance.index(&offset, &["(batch)"]);
            instance.define(&format!("{side}_OFFSET(batch)"), text);
            let text = instance.dim(&address.coefficient(rank - 2).unwrap_or_default());
            instance.define(&format!("{side}_STRIDE_{row}"), text);
            let text = instance.dim(&address.coefficient(rank - 1).unwrap_or_default());
            instance.define(&format!("{side}_STRIDE_{column}"), text);
            let pointer = instance.parameter_name(&self.buffers.name(base));
            instance.define(&side.to_lowercase(), pointer);
        }
        instance.types(node.dtype);
        let launch = launch_of((template.grid)(&choice), &m, &n, &batch.elements());
        self.add_template(cluster, instance, epilogue, launch)
    }

    /// Adds an instance of a template and the step that launches it.
    pub(super) fn add_template(
        &mut self,
        cluster: usize,
        instance: Instance,
        epilogue: Epilogue,
        launch: Launch,
    ) -> Result<()> {
        let args = instance.args.iter().map(|arg| match arg {
            InstanceArg::Buffer(name) => {
                Arg::Buffer(self.buffers.named(name).unwrap_or_else(|| unreachable!("buffer {name}")))
            }
            InstanceArg::Scalar(name, dtype) => match self.buffers.scalar(name) {
                Some(position) => Arg::Scalar(position, *dtype),
                None => Arg::Dim(Dim::symbol(name)),
            },
        });
        let args = args.collect();
        let work = Work::Kernel { entry: instance.name.clone(), launch };
        let functions = [Some(epilogue.scalar), epilogue.vector].into_iter().flatten().collect();
        self.add_instance(functions, instance.text())?;
        self.add_step(&[cluster], work, args);
        Ok(())
    }
}

/// A parameter of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InstanceArg {
    Buffer(String),
    Scalar(String, DType),
}

/// A template with its hooks and tunables filled in.
pub(super) struct Instance {
    pub name: String,
    pub comments: Vec<String>,
    template: &'static Template,
    /// Macro (with its parameters) and text, in order.
    defines: Vec<(String, String)>,
    args: Vec<InstanceArg>,
    params: Vec<String>,
}

impl Instance {
    pub(super) fn new(name: &str, template: &'static Template) -> Self {
        let mut instance = Instance {
            name: name.to_string(),
            comments: Vec::new(),
            template,
            defines: Vec::new(),
            args: Vec::new(),
            params: Vec::new(),
        };
        instance.define("KERNEL_NAME", name.to_string());
        instance
    }

    pub(super) fn define(&mut self, name: &str, text: String) {
        self.defines.push((name.to_string(), text));
    }

    /// Takes over `#define` lines.
    pub(super) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
                self.define(name, value.to_string());
            }
        }
    }

    /// The parameter that stands for a buffer, scalar or symbol; macros of templates must not touch it.
    pub(super) fn parameter_name(&self, name: &str) -> String {
        format!("arg_{name}")
    }

    fn parameter(&mut self, arg: InstanceArg, declaration: String) {
        if !self.args.contains(&arg) {
            self.args.push(arg);
            self.params.push(declaration);
        }
    }

    /// Declares a buffer that is read.
    pub(super) fn reads(&mut self, name: &str, dtype: DType) {
        let declaration = format!("__global const {}* restrict {}", storage_type(dtype), self.parameter_name(name));
        self.parameter(InstanceArg::Buffer(name.to_string()), declaration);
    }

    /// Declares what the epilogue needs and makes the store hooks call it.
    pub(super) fn epilogue(&mut self, epilogue: &Epilogue) {
        let functions = [("STORE", Some(&epilogue.scalar)), ("STORE_VECTOR", epilogue.vector.as_ref())];
        for (hook, function) in functions {
            let Some(function) = function else { continue };
            let mut passed = Vec::new();
            for param in &function.params {
                passed.push(self.pass(&param.name, &param.kind));
            }
            self.define(
                &format!("{hook}(batch_, m_, n_, value_)"),
                format!("{}({})", function.name, passed.join(", ")),
            );
        }
    }

    fn pass(&mut self, name: &str, kind: &ParamKind) -> String {
        let own = self.parameter_name(name);
        match kind {
            ParamKind::Buffer(dtype, access) => {
                let constant = if *access == crate::kir::Access::Read { "const " } else { "" };
                let arg = InstanceArg::Buffer(name.to_string());
                self.parameter(arg, format!("__global {constant}{}* {own}", storage_type(*dtype)));
                own
            }
            ParamKind::Scalar(dtype) => {
                let c_type = c_type(ValueType::scalar(*dtype));
                self.parameter(InstanceArg::Scalar(name.to_string(), *dtype), format!("const {c_type} {own}"));
                own
            }
            ParamKind::Symbol => self.dim(&Dim::symbol(name)),
            ParamKind::Value(_) => format!("{name}_"),
        }
    }

    /// The size as text, its symbols as parameters.
    pub(super) fn dim(&mut self, dim: &Dim) -> String {
        if let Some(value) = dim.as_constant() {
            return value.to_string();
        }
        let mut sum = Vec::new();
        for (factors, coefficient) in dim.terms() {
            let mut product = Vec::new();
            for factor in factors {
                product.push(match factor {
                    Factor::Symbol(symbol) => {
                        let own = self.parameter_name(symbol.name());
                        let arg = InstanceArg::Scalar(symbol.name().to_string(), DType::I32);
                        self.parameter(arg, format!("const int {own}"));
                        own
                    }
                    Factor::FloorDiv(dividend, divisor) => format!("({} / {divisor})", self.dim(dividend)),
                });
            }
            if coefficient != 1 || product.is_empty() {
                product.push(coefficient.to_string());
            }
            sum.push(product.join(" * "));
        }
        format!("({})", sum.join(" + "))
    }

    /// The index as text; `names[var]` stands for a coordinate.
    pub(super) fn index(&mut self, index: &Index, names: &[&str]) -> String {
        let mut sum = Vec::new();
        for (atom, coefficient) in index.terms() {
            let value = match atom {
                Atom::Var(var) => names[*var as usize].to_string(),
                Atom::Div(inner, divisor) => format!("({} / {})", self.index(inner, names), self.dim(divisor)),
                Atom::Mod(inner, divisor) => format!("({} % {})", self.index(inner, names), self.dim(divisor)),
            };
            sum.push(match coefficient.is(1) {
                true => value,
                false => format!("{value} * {}", self.dim(coefficient)),
            });
        }
        if !index.offset().is(0) || sum.is_empty() {
            sum.push(self.dim(index.offset()));
        }
        format!("({})", sum.join(" + "))
    }

    /// Sets the storage and accumulator types of the template.
    pub(super) fn types(&mut self, dtype: DType) {
        self.define("REAL", storage_type(dtype).to_string());
        self.define("ACC", c_type(ValueType::scalar(dtype.compute())));
        let read = match dtype {
            DType::F16 => ("vload_half(i, p)", "PASTE(vload_half, VECTOR)(0, (p) + (i))"),
            DType::BF16 => (
                "as_float((uint)(p)[i] << 16)",
                "PASTE(as_float, VECTOR)(PASTE(convert_uint, VECTOR)(PASTE(vload, VECTOR)(0, (p) + (i))) << 16)",
            ),
            _ => return,
        };
        self.define("READ(p, i)", read.0.to_string());
        self.define("READ_VECTOR(p, i)", read.1.to_string());
    }

    /// The instance's text: definitions, template, and everything undefined again for the next instance.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.comments {
            text.push_str(&format!("// {line}\n"));
        }
        let mut names: Vec<&str> = Vec::new();
        for (name, value) in &self.defines {
            text.push_str(&format!("#define {name} {value}\n"));
            names.push(name.split('(').next().unwrap_or(name));
        }
        text.push_str(&format!("#define KERNEL_PARAMS {}\n", self.params.join(", ")));
        let mut text = self.template.source(&text);
        names.push("KERNEL_PARAMS");
        names.sort_unstable();
        names.dedup();
        text.push('\n');
        for name in names {
            text.push_str(&format!("#undef {name}\n"));
        }
        text.push_str(&self.template.undefs());
        text
    }
}

/// A size for choosing kernels: symbols count as 64.
pub(super) fn estimate(dim: &Dim) -> u64 {
    let known = dim.substitute(&|_| Some(Dim::constant(64)));
    known.as_constant().and_then(|size| u64::try_from(size).ok()).unwrap_or(64)
}

/// What templates are chosen for while the device is not known.
pub(super) fn typical(target: Target) -> Limits {
    match target {
        Target::Gpu => Limits { local_bytes: 32 << 10, work_group: 256, units: 64, lanes: 1 },
        Target::Cpu | Target::Host => Limits { local_bytes: 32 << 10, work_group: 1024, units: 8, lanes: 16 },
    }
}

/// Lanes of the template's vector stores: its tunable, or what its text fixes; 1 where it stores one by one.
pub(super) fn lanes_of(template: &Template, choice: &Choice) -> u8 {
    let fixed = || {
        let lines = template.sources.iter().flat_map(|source| source.lines());
        lines.filter_map(|line| line.strip_prefix("#define VECTOR ")).find_map(|lanes| lanes.trim().parse().ok())
    };
    match choice.get("VECTOR") {
        0 => fixed().unwrap_or(1),
        lanes => u8::try_from(lanes).unwrap_or(1),
    }
}

/// The launch that covers `m` by `n` results of every batch.
pub(super) fn launch_of(grid: Grid, m: &Dim, n: &Dim, batch: &Dim) -> Launch {
    let along =
        |size: &Dim, per_group: u32, local: u32| size.ceil_div(u64::from(per_group)) * Dim::constant(i64::from(local));
    let global = vec![
        along(n, grid.per_group_n, grid.local[0]),
        along(m, grid.per_group_m, grid.local[1]),
        along(batch, 1, grid.local[2]),
    ];
    Launch { global, local: grid.local.to_vec() }
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

/// Whether everything but the contiguous axis moves by multiples of 4 elements.
fn aligned(address: &Index, rank: usize) -> bool {
    let multiple = |dim: &Dim| dim.terms().all(|(_, coefficient)| coefficient % 4 == 0);
    let strides: Vec<Dim> = (0..rank).map(|axis| address.coefficient(axis).unwrap_or_default()).collect();
    let contiguous = strides.iter().filter(|stride| stride.is(1)).count() == 1;
    contiguous && multiple(address.offset()) && strides.iter().all(|stride| stride.is(1) || multiple(stride))
}

/// The template for a product and its tunables.
fn choose_product(problem: &template::Problem, target: Target) -> (&'static Template, Choice) {
    let limits = typical(target);
    let small = problem.m * problem.n * problem.batch <= 1 << 14;
    let template: &'static Template = match target {
        Target::Cpu | Target::Host => &template::matmul_cpu::TEMPLATE,
        Target::Gpu if small && problem.k <= 256 => &template::matmul_naive::TEMPLATE,
        Target::Gpu if problem.m < 32 || problem.n < 32 => &template::matmul_tiled::TEMPLATE,
        Target::Gpu => &template::matmul_register::TEMPLATE,
    };
    (template, (template.initial)(problem, &limits))
}
