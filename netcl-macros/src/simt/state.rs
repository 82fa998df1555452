//! The state while one kernel is lowered: its values, variables and buffers.

use crate::ast::{Constant, ConstantList, Helper, Unit};
use crate::diag::Diag;
use crate::literal::Large;
use crate::messages::Message;
use crate::words;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Graph;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{ArrayId, ExprId, Kernel, ParamId, ParamKind, ValueType, VarId};
use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use syn::Local;

/// One compiled kernel and the Rust that checks its types.
pub(crate) struct Lowered {
    pub(crate) kernel: Kernel,
    /// For each result: whether the kernel reads or updates it, so that it has to start as zeros.
    pub(crate) zeroed: Vec<bool>,
    /// The types of `let`s that name none, in the order of the text.
    pub(crate) types: BTreeMap<usize, ValueType>,
}

/// The smallest and the largest value.
pub(super) type Interval = (i64, i64);

/// A value.
#[derive(Clone)]
pub(super) enum Val {
    /// An expression. With a key ([`untyped`]): one of bare numbers, whose type may still change.
    Expr(ExprId, Option<usize>),
    /// A number whose type its use decides.
    Number(Constant),
    /// An argument's buffer, by position.
    Buffer(usize),
    /// An array, and its sizes, the outermost first.
    Array(ArrayId, DType, Rc<[u32]>),
    Tuple(Vec<Val>),
    /// `[a, b, c]`: as many values as the text says.
    List(Vec<Val>),
    Unit,
    /// Something is wrong with it; said already.
    Unknown,
}

impl Val {
    /// How many values there are in it, an empty list being one.
    pub(super) fn elements(&self) -> usize {
        match self {
            Val::List(items) | Val::Tuple(items) if !items.is_empty() => items.iter().map(Val::elements).sum(),
            _ => 1,
        }
    }
}

impl From<&ConstantList> for Val {
    fn from(list: &ConstantList) -> Self {
        match list {
            ConstantList::Number(number) => Val::Number(*number),
            ConstantList::List(items) => Val::List(items.iter().map(Val::from).collect()),
        }
    }
}

/// A variable.
#[derive(Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) value: Val,
    /// The variable behind it, if it can be assigned.
    pub(super) slot: Option<VarId>,
}

/// A buffer argument.
pub(super) struct BufferArg {
    pub(super) name: String,
    pub(super) param: ParamId,
    pub(super) dims: Vec<netcl_kernels::dim::Dim>,
    pub(super) dtype: DType,
    /// The position among the results.
    pub(super) result: Option<usize>,
}

impl BufferArg {
    /// What to write as its index, where none is written.
    pub(super) fn index(&self) -> &'static str {
        if self.dims.is_empty() { "0" } else { "i" }
    }
}

/// A write to elements of a tensor.
pub(super) struct Store {
    /// Where that is named which is written to.
    pub(super) place: Span,
    /// What is written to, and the whole statement, in the user's words.
    pub(super) element: String,
    pub(super) statement: String,
    /// The atomic operation that does the same, where there is one.
    pub(super) atomic: Option<String>,
    /// How many statements of the kernel it became: a vector is written at once or, where it is partly outside, one by one.
    pub(super) statements: usize,
}

/// A read of an element of a local array, or a write to one.
pub(super) struct LocalAccess {
    pub(super) span: Span,
    pub(super) element: String,
    /// What is read; `None` of a write.
    pub(super) read: Option<ExprId>,
    /// The number of the statement that it stands in, and, of a write, the statement itself.
    pub(super) statement: usize,
    pub(super) text: String,
}

/// The state while one kernel is lowered.
pub(super) struct Simt<'a> {
    pub(super) diag: &'a Diag,
    pub(super) unit: &'a Unit,
    pub(super) builder: KernelBuilder,
    pub(super) buffers: Vec<BufferArg>,
    pub(super) zeroed: Vec<bool>,
    pub(super) scopes: Vec<Vec<Var>>,
    /// Types decided for bare numbers: for `let`s of one by their position, for expressions of several by their address.
    pub(super) numbers: BTreeMap<usize, DType>,
    pub(super) changed: bool,
    /// The `let`s that name no type, in the order of the text, and the types of those that have been met.
    pub(super) lets: Vec<&'a Local>,
    pub(super) types: BTreeMap<usize, ValueType>,
    pub(super) barriers: Vec<Span>,
    /// The same of what sub-groups do together.
    pub(super) across: Vec<Span>,
    /// Where work-items leave before the first barrier, and under which condition others go on.
    pub(super) returns: Vec<(Span, String)>,
    /// The writes to tensors, in the order of the text.
    pub(super) stores: Vec<Store>,
    /// The reads of local arrays and the writes to them, in the order of the text.
    pub(super) touched: Vec<LocalAccess>,
    /// How many statements have been begun.
    pub(super) statement: usize,
    /// The arrays' names, in their order.
    pub(super) arrays: Vec<Ident>,
    /// The loops around a statement, the innermost last; of those over lists, the variable that says whether the loop was left.
    pub(super) rounds: Vec<Option<VarId>>,
    /// The values of variables that nothing assigns to.
    pub(super) ranges: BTreeMap<VarId, Interval>,
    /// Pairs of which the first is below the second at this place.
    pub(super) facts: Vec<(ExprId, ExprId)>,
    pub(super) depth: usize,
    /// Of the expression that is lowered it has been said that it is nested too deeply.
    pub(super) said_too_deep: bool,
    /// How many rounds of loops over lists have been written down.
    pub(super) unrolled: usize,
    /// The functions of scalars that have been compiled, by their place in memory, and how many operations of theirs there are
    /// in the kernel.
    pub(super) functions: HashMap<*const Helper, Option<Rc<Graph>>>,
    pub(super) inlined: usize,
    /// `#[launch(.., unchecked)]`: the user answers for every index.
    pub(super) unchecked: bool,
    /// Whether its element types are those of a list: `#[types(..)]`.
    pub(super) chosen: bool,
    /// Literals that not every type of floats has.
    pub(super) large: Large,
    /// The signature is wrong: what it would have told is not known.
    pub(super) unsure: bool,
    /// A function has been called of which nothing is known.
    pub(super) partial: bool,
    /// Within a branch that no work-item takes, whatever it is given.
    pub(super) left_out: bool,
    /// The types of bare numbers that no use has settled are not known: such a function may settle them.
    pub(super) doubtful: bool,
}

impl Simt<'_> {
    pub(super) fn report(&self, span: Span, message: &Message, values: &[&dyn std::fmt::Display]) -> Val {
        self.diag.report(span, message, values);
        Val::Unknown
    }

    pub(super) fn bind(&mut self, name: &str, value: Val, slot: Option<VarId>) {
        let variable = Var { name: name.to_string(), value, slot };
        self.scopes.last_mut().expect("a kernel has a scope").push(variable);
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Var> {
        self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|variable| variable.name == name)
    }

    pub(super) fn ty(&self, id: ExprId) -> ValueType {
        self.builder.ty(id)
    }

    /// A symbolic size, as `u32`.
    pub(super) fn size(&mut self, name: &str) -> ExprId {
        let param = self.builder.param(name, ParamKind::Symbol);
        self.builder.push(netcl_kernels::kir::Expr::Param(param), ValueType::scalar(DType::U32))
    }

    pub(super) fn too_deep(&self) -> bool {
        self.depth >= words::MAX_DEPTH
    }
}
