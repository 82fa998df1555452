//! Our syntax tree to a graph: a compile-time evaluator of function bodies whose tensors are graph nodes.
//!
//! Evaluation never stops at an error: what is wrong is reported and worth [`Val::Unknown`], which keeps quiet about
//! everything that follows from it. So does what a function gives of which nothing is known, and what such a value decides.

mod advice_kinds;
mod affine;
mod agree;
pub(crate) mod alone;
mod arguments;
mod arith;
mod arms;
mod assign;
mod autocast;
mod bare_operation;
mod branch;
mod builtin;
mod by_path;
mod call;
mod callable;
mod calls;
mod calls_made;
mod carried;
mod cases;
mod cast;
mod certain;
mod choice;
mod chosen;
mod chosen_whole;
mod closure;
mod control;
mod declared;
mod differing_shapes;
mod earlier_rounds;
mod element;
mod exhaustive;
mod expected;
mod expr;
mod facts;
mod fitting;
mod float;
mod flow;
mod fold;
mod for_loop;
mod foreign_words;
mod function;
mod gather;
mod given;
mod grad;
mod identity;
mod index;
mod indexed;
mod integer;
mod iterators;
mod launched;
mod leave;
mod left_out;
mod listed;
mod marks;
mod method;
mod misuse;
mod named;
mod new_tensors;
mod nodes;
mod open;
mod options;
mod outside;
mod pad;
mod parts;
mod passed;
mod path;
mod pattern;
mod place;
mod plain_argument_mistakes;
mod position;
mod ranges;
mod reach;
mod reduction;
mod results;
mod round;
mod rust;
mod shortened;
mod size_arithmetic;
mod sizes;
mod slips;
mod space;
mod state;
mod suffix;
mod symbolic;
mod table;
mod tail;
mod typed;
mod unit;
mod unreached;
mod value;
mod variant;
mod whole;
mod wide_index;
mod wrapped;
mod written;
mod written_list;
mod wrong_receiver;

use crate::ast::{ArgDecl, ArgType, DimToken, FunctionItem, PlainType, TensorType, Unit};
use crate::diag::Diag;
use crate::literal::Large;
use crate::looked_at::LookedAt;
use crate::quotient;
pub(crate) use affine::Affine;
pub(crate) use arith::{Operator, is_shift, operator};
pub(crate) use builtin::is_builtin;
pub(crate) use call::is_rust_method;
use expected::Expected;
pub(crate) use expr::is_assignment;
pub(crate) use float::{composed_graph, in_table, rust_names};
pub(crate) use function::{LoweredFunction, Path, lower, lower_closed, mistakes};
use given::Given;
use identity::Distinct;
pub(crate) use index::is_of_other_form;
pub(crate) use misuse::{
    called_for_effect, constant as moved_constant, effect, index_for_each, is_no_function_of_scalars, is_of_tensors,
    macro_call, written as receiver,
};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, NodeId, Origin};
use netcl_kernels::layers::Mode;
use proc_macro2::{Ident, Span, TokenStream};
pub(crate) use sizes::{Sizes, symbol};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
pub(crate) use unreached::judge_open;
pub(crate) use value::{FieldRef, Val};
use value::{LocalVar, StructName};
pub(crate) use wrapped::wrapped;

/// One call: whose names hold, and its variables, scope by scope.
#[derive(Clone)]
struct Frame<'a> {
    unit: &'a Unit,
    /// The model that `self` is.
    this: Option<FieldRef<'a>>,
    /// Its name, to see recursion.
    function: String,
    scopes: Vec<Vec<LocalVar<'a>>>,
    /// The model's own.
    sizes: Rc<Sizes>,
    /// Sizes by the names that this function gives them.
    symbols: BTreeMap<String, Dim>,
    /// Of a kernel that another body calls: the nodes that stand for its arguments.
    given: BTreeMap<NodeId, Given>,
    /// Sizes and variants that it is given as plain arguments.
    passed: Vec<passed::PlainPassed>,
    /// What leaves its body before the end.
    control: leave::Control<'a>,
}

/// The evaluator's state along one path.
#[derive(Clone)]
pub(crate) struct Lowering<'a> {
    builder: Builder,
    diag: &'a Diag,
    mode: Mode,
    frames: Vec<Frame<'a>>,
    /// Decisions to take again, and those taken on this path.
    given: Vec<bool>,
    decisions: Vec<(TokenStream, bool)>,
    /// Parameters and states by path; a state's node changes when a layer updates it.
    tensors: BTreeMap<String, NodeId>,
    updates: BTreeMap<String, NodeId>,
    /// The paths of fields that no gradient is computed in.
    frozen: BTreeSet<String>,
    /// What enums of layers are whose fields say so, by the paths of these.
    fixed: BTreeMap<String, &'a syn::Ident>,
    /// Of the pattern that a value is compared with: which case of each or-pattern that is taken case by case.
    cases: cases::Cases<'a>,
    seed: Option<NodeId>,
    new_tensors: identity::NewTensors,
    marks: marks::Marks,
    /// What `as` makes of the element of a list that is read next: `W[k] as i32`.
    read_as: Option<netcl_kernels::dtype::DType>,
    /// See [`Path::private`].
    private: Vec<TokenStream>,
    depth: usize,
    /// Of the expression that is lowered it has been said that it is nested too deeply.
    said_too_deep: bool,
    /// How many rounds of loops there have been.
    rounds: usize,
    /// How many rounds of folds have been compiled one by one.
    folded: usize,
    /// The loops over symbolic ranges in whose bodies this is.
    loops: Vec<round::SymbolicLoop>,
    calls: calls_made::Calls<'a>,
    /// The recurrences of a kernel in whose rounds this is.
    folds: Vec<round::Round>,
    /// In an index-form kernel: the sizes of the axes of the innermost closure.
    axes: Option<Vec<Dim>>,
    /// Where these end, as far as that depends on earlier ones.
    ends: affine::Ends,
    /// In a function of scalars or a kernel: `if` on a tensor chooses element by element.
    elementwise: bool,
    /// This stands in an index of a read: what sizes and numbers alone make is one, too.
    indexing: bool,
    /// What the expression evaluated next is declared to be.
    expected: Option<Expected<'a>>,
    /// Whether the value of the block evaluated next is used.
    wanted: bool,
    /// Names of one letter that arguments' types only compute with.
    computed: Vec<(String, Span)>,
    /// How many axes of the index space are the result's; those behind them are of ranges.
    result_axes: usize,
    /// What to write instead of the operation built next, if its operands' shapes do not fit.
    advice: Option<advice_kinds::Advice>,
    /// Where the arguments of the operation stand that is being called.
    argument_places: Vec<Span>,
    /// An expression whose value is known already.
    known: Option<(*const syn::Expr, Val<'a>)>,
    /// The call of the user's function that is entered next.
    written: written::Written,
    /// Literals that not every type of floats has.
    large: Large,
    /// The signature is wrong: what it would have told is not known.
    unsure: bool,
    /// A function has been called of which nothing is known: what is unknown from then on may be known to others.
    partial: bool,
    /// This may be evaluated or not: see [`Lowering::perhaps`].
    doubtful: bool,
    /// The model's numbers stand for others, by which the body may go other ways.
    by_example: bool,
    /// See [`Lowering::unreached`].
    looked_at: Option<&'a LookedAt>,
    /// An open size decided something.
    open: bool,
    /// No size is open: the function is compiled for numbers.
    closed: bool,
    /// The enums of plain arguments, by these.
    enums: BTreeMap<String, Rc<syn::Path>>,
    /// The plain arguments of the function that is compiled, as Rust declares them.
    plain: Vec<TokenStream>,
    /// This stands in `unsafe { .. }`, and whether that has been made use of.
    promised: Option<bool>,
}

impl<'a> Lowering<'a> {
    fn new(diag: &'a Diag, name: &str, mode: Mode, given: Vec<bool>, distinct: Distinct) -> Self {
        Lowering {
            builder: Builder::new(name),
            diag,
            mode,
            frames: Vec::new(),
            given,
            decisions: Vec::new(),
            tensors: BTreeMap::new(),
            updates: BTreeMap::new(),
            frozen: BTreeSet::new(),
            fixed: BTreeMap::new(),
            cases: Vec::new(),
            seed: None,
            new_tensors: identity::NewTensors::new(distinct),
            private: Vec::new(),
            depth: 0,
            said_too_deep: false,
            rounds: 0,
            folded: 0,
            loops: Vec::new(),
            calls: calls_made::Calls::default(),
            folds: Vec::new(),
            axes: None,
            ends: affine::Ends::new(),
            elementwise: false,
            indexing: false,
            expected: None,
            wanted: false,
            computed: Vec::new(),
            result_axes: 0,
            marks: marks::Marks::default(),
            read_as: None,
            advice: None,
            argument_places: Vec::new(),
            known: None,
            written: written::Written::default(),
            large: Large::default(),
            unsure: false,
            partial: false,
            doubtful: false,
            by_example: false,
            looked_at: None,
            open: false,
            closed: false,
            enums: BTreeMap::new(),
            plain: Vec::new(),
            promised: None,
        }
    }

    /// The value of the function's body, whose arguments are bound.
    fn body(&mut self, function: &'a FunctionItem) -> Val<'a> {
        if function.indexed { self.kernel_body(function) } else { self.function_block(&function.body) }
    }

    fn enter(&mut self, unit: &'a Unit, this: Option<FieldRef<'a>>, sizes: Rc<Sizes>, function: &str) {
        sizes.fields.values().for_each(|size| self.builder.settle(size));
        self.frames.push(Frame {
            unit,
            this,
            function: function.to_string(),
            scopes: vec![Vec::new()],
            symbols: sizes.functions.clone(),
            sizes,
            given: BTreeMap::new(),
            passed: Vec::new(),
            control: leave::Control::default(),
        });
    }

    fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("evaluation happens inside a call")
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("evaluation happens inside a call")
    }

    fn arguments(&mut self, function: &FunctionItem) {
        let args = &function.args;
        let dims: Vec<&DimToken> = args.iter().filter_map(ArgDecl::tensor).flat_map(|ty| &ty.dims).collect();
        let mut computed = BTreeMap::new();
        for token in &dims {
            token.dim.visit_symbols(&mut |symbol| {
                computed.entry(symbol.name().to_string()).or_insert(token.span);
            });
        }
        computed.retain(|name, _| name.len() == 1 && !dims.iter().any(|token| token.dim == Dim::symbol(name)));
        self.computed = computed.into_iter().filter(|(name, _)| !self.frame().symbols.contains_key(name)).collect();
        let (mut tensors, mut scalars) = (0, 0);
        for (arg, written) in args.iter().zip(written::arguments(function)) {
            let name = crate::parse::name(&arg.name);
            let value = match &arg.ty {
                ArgType::Tensor(ty) => {
                    tensors += 1;
                    let ty = ty.substitute(&self.frame().sizes.clone().functions);
                    self.name_sizes(&ty);
                    let own = &self.frame().sizes.functions;
                    let open = |dim: &Dim| quotient::is_in(dim) || self.awaits_number(dim, own);
                    match ty.dims.iter().any(|token| open(&token.dim)) {
                        true => self.open(),
                        false => Val::Tensor(self.argument((&arg.name, &written), &ty, tensors - 1)),
                    }
                }
                ArgType::Scalar(dtype) => {
                    scalars += 1;
                    // The runtime passes the seed as scalar 0; the caller's follow.
                    self.seed();
                    let kind = InputKind::Scalar(scalars);
                    Val::Tensor(self.builder.input(kind, &name, Shape::scalar(), *dtype))
                }
                ArgType::Plain(ty) => {
                    let (ident, of) = (&arg.name, Ident::new(ty.name(), Span::call_site()));
                    self.plain.push(quote::quote!(#ident: #of));
                    Val::Plain(quote::quote!(#ident), *ty)
                }
                ArgType::Enum(ty) => {
                    let ident = &arg.name;
                    self.plain.push(quote::quote!(#ident: #ty));
                    self.enums.insert(ident.to_string(), ty.clone());
                    Val::Plain(quote::quote!(#ident), PlainType::Enum)
                }
            };
            self.bind(&name, value, false, true);
        }
    }

    fn argument(&mut self, (name, written): (&Ident, &str), ty: &TensorType, position: usize) -> NodeId {
        let shape = Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
        self.at(name.span());
        let id = self.builder.input(InputKind::Argument(position), written, shape, ty.dtype);
        for axis in 0..ty.dims.len() {
            let origin = Origin::Argument { name: written.to_string(), ty: ty.to_string() };
            self.builder.set_origin(id, axis, origin);
        }
        id
    }

    /// The names in an argument's type are those of sizes.
    fn name_sizes(&mut self, ty: &TensorType) {
        let symbols = &mut self.frame_mut().symbols;
        for axis in &ty.dims {
            quotient::visit_names(&axis.dim, &mut |name| drop(symbols.insert(name.to_string(), Dim::symbol(name))));
        }
    }

    /// Nodes built from now on come from `span`.
    fn at(&mut self, span: Span) {
        let id = self.diag.id(span);
        self.builder.set_span(id);
    }

    fn bind(&mut self, name: &str, value: Val<'a>, mutable: bool, argument: bool) {
        if let Val::Tensor(id) = value {
            self.builder.name(id, name);
        }
        let axes = self.axes.as_ref().map_or(0, Vec::len);
        let scopes = &mut self.frame_mut().scopes;
        let variable = LocalVar {
            name: name.to_string(),
            value,
            mutable,
            argument,
            axes,
            assigned: 0,
            whole: None,
            filling: false,
            fixed: argument,
        };
        scopes.last_mut().expect("a call has a scope").push(variable);
    }
}
