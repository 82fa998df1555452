//! The functions of models: lowered, differentiated and compiled, for a model's parameters as names or for given numbers.

use crate::ast::{FieldKind, FunctionItem, ModelImpl, Unit};
use crate::compile::{CompiledPlan, Planned};
use crate::diag::Diag;
use crate::lower::{self, LoweredFunction, Sizes};
use crate::presence::Presence;
use crate::{compile, dump, messages as m};
use netcl_kernels::autodiff::{self, Arguments};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{Graph, InputKind, Op, OutputKind, open};
use netcl_kernels::layers::Mode;
use netcl_kernels::plan::Role;
use netcl_kernels::precision;
use proc_macro2::TokenStream;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A function's forms.
pub(crate) struct CompiledFunction {
    pub(crate) plain: CompiledForm,
    pub(crate) gradients: Option<CompiledForm>,
    /// Whether it is a loss that depends on no parameter though the model trains some: who asks for its gradients is told.
    pub(crate) independent: bool,
    /// What it uses of other models that not everybody may.
    pub(crate) private: Vec<TokenStream>,
}

impl CompiledFunction {
    /// Whether it is compiled for types that are named, and in models that have this one as a field.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.plain, CompiledForm::Instance)
    }
}

/// How a form of a function is run.
pub(crate) enum CompiledForm {
    /// By plans, one for each path.
    Plans(Vec<Planned>),
    /// By graphs that are compiled for the model's numbers when these are first used, one for each path.
    Graphs(Vec<Planned>),
    /// By what was compiled for the model's type.
    Instance,
}

impl CompiledForm {
    /// What was compiled here, a plan or graph for each path.
    pub(crate) fn paths(&self) -> &[Planned] {
        match self {
            CompiledForm::Plans(paths) | CompiledForm::Graphs(paths) => paths,
            CompiledForm::Instance => &[],
        }
    }
}

/// A form before its plans are made.
enum LoweredForm {
    /// Graphs whose plans are made here, one for each path, with the conditions that select it.
    Here { name: String, paths: Vec<(Vec<(TokenStream, bool)>, Graph)> },
    /// What is compiled where more is known.
    Later(CompiledForm),
}

impl LoweredForm {
    fn graphs(&self) -> impl Iterator<Item = &Graph> {
        let paths: &[_] = match self {
            LoweredForm::Here { paths, .. } => paths,
            LoweredForm::Later(_) => &[],
        };
        paths.iter().map(|(_, graph)| graph)
    }
}

/// Which model a function is compiled for: its parameters being names, or these numbers.
pub(crate) type Given<'a> = Option<&'a Sizes>;

/// Lowers and compiles every function; errors are reported and leave functions out.
pub(crate) fn all(diag: &Diag, unit: &Unit, block: &ModelImpl) -> Vec<CompiledFunction> {
    block.unsound.iter().for_each(|function| lower::mistakes(diag, unit, function));
    block.functions.iter().filter_map(|function| one(diag, unit, function, None)).collect()
}

/// Lowers and compiles one.
pub(crate) fn one(diag: &Diag, unit: &Unit, function: &FunctionItem, given: Given<'_>) -> Option<CompiledFunction> {
    let before = diag.count();
    let name = format!("{}::{}", unit.name(), function.name);
    let private = RefCell::new(Vec::new());
    let judged = Cell::new(false);
    let form = |mode: Mode, with: &dyn Fn(Graph) -> netcl_kernels::span::Result<Graph>, name: &str| {
        let lowered = match given {
            Some(sizes) => lower::lower_closed(diag, (unit, sizes), function, mode),
            None => lower::lower(diag, unit, function, mode),
        };
        let mut paths = match lowered {
            LoweredFunction::Paths(paths) => paths,
            LoweredFunction::Open => {
                // What is said of names does not depend on the mode.
                if !judged.replace(true) {
                    lower::judge_open(diag, unit, function, mode);
                }
                return instance(diag, function).map(LoweredForm::Later).filter(|_| diag.count() == before);
            }
            LoweredFunction::Broken => return None,
        };
        paths.iter_mut().for_each(|path| private.borrow_mut().append(&mut path.private));
        let parameters = unit.open_names();
        let open = |path: &lower::Path| open::has_open_channels(&path.graph, &|name| parameters.contains(name));
        let at_run_time = given.is_none() && (function.dynamic || paths.iter().any(open));
        if at_run_time {
            let written = paths.into_iter().map(|path| {
                let graph = open::write(&path.graph)?;
                Ok(Planned { decisions: path.decisions, graph, plans: Vec::new() })
            });
            let written = said(diag, function, written);
            return (!written.is_empty()).then_some(LoweredForm::Later(CompiledForm::Graphs(written)));
        }
        let closed = paths.into_iter().map(|path| {
            let graph = precision::with_matmul_precision(with(path.graph)?, function.matmul_precision)?;
            Ok((path.decisions, graph))
        });
        let closed = said(diag, function, closed);
        (!closed.is_empty()).then(|| LoweredForm::Here { name: name.to_owned(), paths: closed })
    };
    let plain = form(function.mode.unwrap_or(Mode::Inference), &Ok, &name);
    // What is wrong in one mode is wrong in the other.
    let plain = plain.filter(|_| diag.count() == before)?;
    // Whether it depends on a parameter; nothing is known of what is open here: where it is compiled, or when it runs, that is told.
    let dependent = Cell::new(None);
    let gradients = match function.is_loss() {
        true => {
            let depends = RefCell::new(None);
            let with = |graph: Graph| {
                let (arguments, parameter) = depended_on(&graph);
                depends.borrow_mut().get_or_insert_with(BTreeSet::new).extend(arguments);
                dependent.set(Some(dependent.get() == Some(true) || parameter));
                autodiff::append_gradients(graph, arguments_of(function))
            };
            let mode = function.mode.unwrap_or(Mode::Training);
            let form = form(mode, &with, &format!("{name}_with_gradients"))?;
            if let Some(depends) = depends.take() {
                depends_on_asked(diag, function, &depends);
            }
            Some(form)
        }
        false => None,
    };
    let independent = dependent.get() == Some(false) && function.gradients.is_empty() && trains(unit);
    let gradients = gradients.filter(|_| !independent);
    if diag.count() > before {
        return None;
    }
    let mut forms = compiled(diag, function, std::iter::once(plain).chain(gradients).collect())?.into_iter();
    let (plain, gradients) = (forms.next()?, forms.next());
    let mut forms = std::iter::once(&plain).chain(&gradients);
    if given.is_none() && forms.any(|form| form.paths().iter().any(has_unknown_size)) {
        // No tensor tells a parameter: where the model is used, it is a number.
        let plain = instance(diag, function)?;
        let gradients = gradients.map(|_| CompiledForm::Instance);
        return Some(CompiledFunction { plain, gradients, independent, private: private.take() });
    }
    let mut private: Vec<TokenStream> = private.take();
    let mut known = BTreeSet::new();
    private.retain(|used| known.insert(used.to_string()));
    (diag.count() == before).then_some(CompiledFunction { plain, gradients, independent, private })
}

/// What could be made of a function's paths; of the others it is said what is wrong.
fn said<T>(diag: &Diag, function: &FunctionItem, made: impl Iterator<Item = netcl_kernels::span::Result<T>>) -> Vec<T> {
    let say = |diagnostic| diag.diagnostic(&diagnostic, function.name.span());
    made.filter_map(|made| made.map_err(say).ok()).collect()
}

/// Makes the plans of all forms at the same time. What is wrong in one is not said of those after it.
fn compiled(diag: &Diag, function: &FunctionItem, forms: Vec<LoweredForm>) -> Option<Vec<CompiledForm>> {
    let graphs: Vec<&Graph> = forms.iter().flat_map(LoweredForm::graphs).collect();
    let mut plans = compile::all(&graphs).into_iter();
    let with_plans = |form| {
        let (name, paths) = match form {
            LoweredForm::Here { name, paths } => (name, paths),
            LoweredForm::Later(form) => return Some(form),
        };
        let before = diag.count();
        // As many plans as there are paths, and no more: the others are of the next form.
        let own: Vec<_> = plans.by_ref().take(paths.len()).collect();
        let planned = paths.into_iter().zip(own).map(|((decisions, graph), plans)| {
            let plans = plans?;
            dump::graph(&name, &graph, &plans);
            Ok(Planned { decisions, graph: compile::graph_text(&graph, &plans), plans })
        });
        let planned = said(diag, function, planned);
        (diag.count() == before).then_some(CompiledForm::Plans(planned))
    };
    forms.into_iter().map(with_plans).collect()
}

/// The form of a function that is compiled where the model's numbers are.
fn instance(diag: &Diag, function: &FunctionItem) -> Option<CompiledForm> {
    if function.is_chosen_otherwise() {
        diag.once(function.name.span(), &m::OPEN_CHOICE, &[&function.name]);
        return None;
    }
    Some(CompiledForm::Instance)
}

/// The positions of the arguments that the first result depends on in a way that has a derivative, and whether it depends so on a
/// parameter.
fn depended_on(graph: &Graph) -> (Vec<usize>, bool) {
    let Some((_, loss)) = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)) else {
        return (Vec::new(), false);
    };
    let leads = autodiff::leading_to(graph, *loss);
    let is_parameter = |op: &Op| matches!(op, Op::Input(InputKind::Parameter));
    let parameter = graph.iter().zip(&leads).any(|((_, node), leads)| *leads && is_parameter(&node.op));
    let arguments = graph.iter().zip(leads).filter_map(|((_, node), leads)| match node.op {
        Op::Input(InputKind::Argument(position)) if leads => Some(position),
        _ => None,
    });
    (arguments.collect(), parameter)
}

/// Whether gradients are computed in some layer or tensor of the model, or of one among its parts.
fn trains(unit: &Unit) -> bool {
    fn has(unit: &Unit, kind: &FieldKind) -> bool {
        match kind {
            FieldKind::Layer(layer) => layer.own_tensors(&layer.config.closed()).iter().any(|spec| spec.trainable),
            FieldKind::Tensor(tensor) => tensor.trainable,
            FieldKind::Model(nested) => unit.nested_in(nested).is_some_and(trains),
            FieldKind::Optional { present: Presence::Known(false), .. } => false,
            other => other.inner().iter().any(|each| has(unit, each)),
        }
    }
    let mut fields = unit.model.iter().flat_map(|model| &model.fields);
    fields.any(|field| !field.frozen && has(unit, &field.kind))
}

/// Rule: a loss depends on the arguments that gradients are asked in, on some way through its `if`s. Wrong: `#[gradients(x)]` on
/// a loss of `x.detach()`.
fn depends_on_asked(diag: &Diag, function: &FunctionItem, depends: &BTreeSet<usize>) {
    for at in function.gradients.iter().filter(|at| !depends.contains(at)) {
        if let Some((name, _)) = function.tensors().nth(*at) {
            diag.report(name.span(), &m::GRADIENTS_INDEPENDENT, &[&function.name, name]);
        }
    }
}

/// Whether a size is in it that no tensor tells which a call brings, or the model has.
fn has_unknown_size(planned: &Planned) -> bool {
    planned.plans.iter().any(|CompiledPlan { plan, .. }| {
        let given = plan.buffers.iter().filter(|buffer| match &buffer.role {
            Role::Argument(_) | Role::Parameter(_) | Role::State(_) => true,
            Role::Output(kind) => matches!(kind, OutputKind::Gradient(_) | OutputKind::State(_)),
            Role::Scratch => false,
        });
        let bound = Dim::bound_by(given.flat_map(|buffer| &buffer.shape.0));
        plan.symbols.iter().any(|symbol| !bound.contains(symbol))
    })
}

/// Which arguments the function has gradients in.
fn arguments_of(function: &FunctionItem) -> Arguments<'_> {
    match function.gradients.as_slice() {
        [] => Arguments::None,
        positions => Arguments::At(positions),
    }
}
