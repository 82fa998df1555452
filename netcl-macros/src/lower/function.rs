//! A function to the graphs of all ways through it.

use super::identity::{Chosen, Distinct, NewTensors};
use super::new_tensors::asks_derivatives;
use super::{FieldRef, Lowering, Sizes, Val};
use crate::ast::{FunctionItem, Unit};
use crate::diag::Diag;
use crate::messages as m;
use crate::{quotient, variants, words};
use netcl_kernels::graph::{Graph, OutputKind};
use netcl_kernels::layers::Mode;
use proc_macro2::TokenStream;
use std::rc::Rc;

/// One way through a function: what its conditions were decided to be, and the graph that follows.
pub(crate) struct Path {
    /// Conditions over plain arguments in the order in which they are met, and their values on this path.
    pub(crate) decisions: Vec<(TokenStream, bool)>,
    pub(crate) graph: Graph,
    /// What it uses of other models that not everybody may: expressions for rustc, which knows who may.
    pub(crate) private: Vec<TokenStream>,
}

impl Path {
    /// Whether the other has met the same conditions.
    fn decides_as(&self, other: &Path) -> bool {
        let decided = |path: &Path| -> Vec<(String, bool)> {
            path.decisions.iter().map(|(condition, value)| (condition.to_string(), *value)).collect()
        };
        decided(self) == decided(other)
    }
}

/// What the model's parameters are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameters {
    Names,
    Numbers,
    /// Numbers that stand for others.
    Examples,
}

/// What a function became.
pub(crate) enum LoweredFunction {
    /// Every path through it.
    Paths(Vec<Path>),
    /// An open size decides what is computed: it is compiled where numbers are.
    Open,
    /// Errors have been reported, of whichever path, or a part is broken, which has been reported elsewhere.
    Broken,
}

impl LoweredFunction {
    /// The paths, where there are any.
    pub(crate) fn paths(self) -> Vec<Path> {
        match self {
            LoweredFunction::Paths(paths) => paths,
            LoweredFunction::Open | LoweredFunction::Broken => Vec::new(),
        }
    }
}

/// `function` in `mode`, its model's parameters being names.
pub(crate) fn lower(diag: &Diag, unit: &Unit, function: &FunctionItem, mode: Mode) -> LoweredFunction {
    lower_with(diag, (unit, &Rc::new(unit.sizes()), Parameters::Names), function, mode)
}

/// The same for these numbers of the parameters.
pub(crate) fn lower_closed(
    diag: &Diag,
    (unit, sizes): (&Unit, &Sizes),
    function: &FunctionItem,
    mode: Mode,
) -> LoweredFunction {
    let outside = diag.within(Lowering::numbers(unit, sizes, ""));
    let closed = |function: &FunctionItem| {
        let results = function.results.iter().map(|ty| ty.substitute(&sizes.functions)).collect();
        FunctionItem { results, variants: Vec::new(), ..function.clone() }
    };
    let variants = function.variants.iter().map(|(variant, chosen)| (closed(variant), chosen.clone())).collect();
    let function = FunctionItem { variants, ..closed(function) };
    let lowered = lower_with(diag, (unit, &Rc::new(sizes.clone()), Parameters::Numbers), &function, mode);
    diag.within(outside);
    lowered
}

pub(super) fn lower_with(
    diag: &Diag,
    (unit, sizes, parameters): (&Unit, &Rc<Sizes>, Parameters),
    function: &FunctionItem,
    mode: Mode,
) -> LoweredFunction {
    let before = diag.count();
    // Where a part is broken that has been reported elsewhere, results are missing and there is nothing more to say.
    let (mut open, mut whole) = (false, true);
    let mut paths: Vec<Path> = Vec::new();
    let own = (function, Vec::new());
    let variants: Vec<(&FunctionItem, Vec<(TokenStream, bool)>)> = match function.variants.is_empty() {
        true => vec![own],
        false => function.variants.iter().map(|(variant, chosen)| (variant, chosen.clone())).collect(),
    };
    let differentiates = asks_derivatives(unit, function);
    for (variant, chosen) in variants {
        let mut pending = vec![Vec::new()];
        while let Some(given) = pending.pop() {
            if paths.len() == words::MAX_PATHS {
                let asked = |path: &Path| path.decisions.iter().any(|(condition, _)| variants::is_question(condition));
                let message = if paths.iter().any(asked) { &m::TOO_MANY_VARIANTS } else { &m::TOO_MANY_PATHS };
                diag.report(function.name.span(), message, &[&function.name, &words::MAX_PATHS]);
                return LoweredFunction::Broken;
            }
            let fresh = given.len();
            let (mut path, decided) =
                lower_path(diag, (unit, sizes, parameters), (variant, differentiates), mode, given);
            open |= decided;
            whole &= gives_all(&path.graph, variant);
            // Each condition met for the first time was taken to be true: come back for false.
            for position in (fresh..path.decisions.len()).rev() {
                let mut other: Vec<bool> = path.decisions[..position].iter().map(|(_, value)| *value).collect();
                other.push(false);
                pending.push(other);
            }
            path.decisions.splice(0..0, chosen.iter().cloned());
            paths.push(path);
        }
        // One choice's mistakes are every choice's.
        if diag.count() > before {
            break;
        }
    }
    match diag.count() == before {
        true if open => LoweredFunction::Open,
        true if whole => LoweredFunction::Paths(paths),
        _ => LoweredFunction::Broken,
    }
}

/// Whether the graph has all results that are declared, whatever states it sets beside them.
fn gives_all(graph: &Graph, function: &FunctionItem) -> bool {
    let results = graph.outputs.iter().filter(|(kind, _)| matches!(kind, OutputKind::Result(_))).count();
    results == function.results.len() && !graph.outputs.is_empty()
}

/// Reports what is wrong in the body of a function whose signature is wrong.
pub(crate) fn mistakes(diag: &Diag, unit: &Unit, function: &FunctionItem) {
    // A kernel's indices are those of its results.
    if unit.model.is_some() || !function.results.is_empty() {
        lower(diag, unit, function, Mode::Inference);
    }
}

/// The path that the decisions `given` begin, and whether an open size decided something on it; `differentiates`: the function, or one that it
/// may call, has a `grad`.
fn lower_path(
    diag: &Diag,
    whole: (&Unit, &Rc<Sizes>, Parameters),
    (function, differentiates): (&FunctionItem, bool),
    mode: Mode,
    given: Vec<bool>,
) -> (Path, bool) {
    let before = diag.count();
    let lower = |distinct| lower_once(diag, whole, function, mode, (given.clone(), distinct));
    if !differentiates {
        return lower(Distinct::These(Chosen::default())).0;
    }
    let (all, told) = lower(Distinct::All);
    if diag.count() > before {
        return all;
    }
    // What there is to say has been said.
    let heard = diag.only(&[]);
    let (chosen, again) = lower(Distinct::These(told.found.clone()));
    let is_right = diag.count() == before;
    diag.go_back(heard);
    let is_same = is_right && told.has_gone_as(&again) && all.1 == chosen.1 && all.0.decides_as(&chosen.0);
    // What is known of fewer nodes could go another way: then each stays.
    if is_same { chosen } else { all }
}

/// The same with nodes of their own for these results; which results there were.
fn lower_once(
    diag: &Diag,
    (unit, sizes, parameters): (&Unit, &Rc<Sizes>, Parameters),
    function: &FunctionItem,
    mode: Mode,
    (given, distinct): (Vec<bool>, Distinct),
) -> ((Path, bool), NewTensors) {
    let mut lowering = Lowering::new(diag, &crate::parse::name(&function.name), mode, given, distinct);
    lowering.closed = parameters != Parameters::Names;
    lowering.by_example = parameters == Parameters::Examples;
    lowering.looked_at = Some(&function.looked_at);
    let this = unit.model.as_ref().filter(|_| function.receiver);
    let this = this.map(|_| FieldRef::Model(unit, String::new(), sizes.clone()));
    let name = match unit.model {
        Some(_) => format!("{}::{}", unit.name(), crate::parse::name(&function.name)),
        None => crate::parse::name(&function.name),
    };
    lowering.enter(unit, this, sizes.clone(), &name);
    lowering.arguments(function);
    lowering.bind_params(function);
    lowering.unsure = function.unsound.is_some();
    for name in function.unsound.iter().flatten() {
        // Of one that is wrong all is said: assigned it may be.
        lowering.bind(&crate::parse::name(name), Val::Unknown, true, false);
    }
    lowering.wanted = true;
    if function.results.iter().flat_map(|ty| &ty.dims).any(|token| quotient::is_in(&token.dim)) {
        lowering.open();
    }
    lowering.builder.set_precision(function.precision.unwrap_or_default());
    let value = lowering.body(function);
    if !lowering.unsure && !lowering.open {
        lowering.results(function, value);
    }
    let mut builder = lowering.builder;
    for (path, id) in lowering.updates {
        builder.output(OutputKind::State(path), id);
    }
    let path = Path { decisions: lowering.decisions, graph: builder.finish(), private: lowering.private };
    ((path, lowering.open), lowering.new_tensors)
}
