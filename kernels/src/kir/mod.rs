//! The kernel IR: one OpenCL kernel as data.
//!
//! Both the compiler's own loop nests and users' SIMT-form kernels are [`Kernel`]s. The verifier ([`verify`]) passes
//! them, and only then the emitters ([`crate::emit`]) and the interpreter ([`interp`]) take them.
//!
//! # Semantics
//!
//! - A kernel runs once for every work-item of the launch's index space. Work-items of one work-group share local
//!   arrays and meet at barriers; every item of a group must reach the same barriers.
//! - Expressions are pure but for loads; they sit in one arena, operands pointing backwards, and are evaluated where a
//!   statement uses them, at each use. A value needed twice is bound by [`Stmt::Let`].
//! - `Select` evaluates only the branch it takes: a guarded load may stand in it.
//! - Loads and stores outside a buffer are errors of whoever built the kernel (the interpreter reports them).
//! - Integers wrap, shift counts are taken modulo the width; integer division by zero is undefined here (builders guard
//!   it); the counter of a `For` does not wrap (`end + step` fits its type).
//! - Float arithmetic is IEEE and is not reassociated; `Max`/`Min` give NaN if either side is NaN.
//! - `F16` and `BF16` are storage types: a load gives `F32`, a store rounds to nearest even. A `Cast` to one of them
//!   gives the rounded value as `F32`.
//! - A `Cast` from float to integer truncates toward zero and saturates (NaN gives 0); between integers it wraps.
//! - Integer arithmetic on ids, sizes, positions, loop counters and small literals alone is index arithmetic: it must stay
//!   within its type, as buffers do. Sizes are at least 1.
//! - A vector value has 2, 4, 8 or 16 lanes; elementwise operations take vectors of one width.

mod arrays;
pub mod build;
pub mod flops;
mod geometry;
#[cfg(feature = "interp")]
pub mod interp;
mod nameless;
mod names;
pub mod text;
pub mod verify;
pub(crate) mod visit;

use crate::dim::{Dim, IndexWidth};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::span::Span;
pub use geometry::{Geometry, GeometryError};
use serde::{Deserialize, Serialize};

/// An expression of a [`Kernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A variable of a [`Kernel`], bound by `Let` or `For`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A parameter of a [`Kernel`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u32);

/// A local or private array of a [`Kernel`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// The type of a value: an element type and a number of lanes (1 for a scalar).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// Of one lane. Never `F16`/`BF16`: those are storage types.
    pub dtype: DType,
    /// 1, 2, 4, 8 or 16.
    pub lanes: u8,
}

impl ValueType {
    /// One lane of `dtype`.
    pub const fn scalar(dtype: DType) -> Self {
        ValueType { dtype, lanes: 1 }
    }
}

/// `f32`, `u32x4`: the type's name and, for a vector, the number of lanes.
impl std::fmt::Display for ValueType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.lanes {
            1 => write!(f, "{}", self.dtype),
            lanes => write!(f, "{}x{lanes}", self.dtype),
        }
    }
}

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Loads only.
    Read,
    /// Stores only; every element it is responsible for.
    Write,
    /// Loads and stores, or atomics.
    ReadWrite,
}

/// What a launch passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A buffer of elements in global memory.
    Buffer(DType, Access),
    /// A number.
    Scalar(DType),
    /// The value of a symbolic dimension, as `U32`; the parameter's name is the symbol's.
    Symbol,
    /// The same as `I32`: what the compiler's own index arithmetic is made of.
    Size,
    /// The same as `I64`: that of kernels whose tensors have more elements than 32 bits count.
    WideSize,
    /// A coordinate that other code of the same program passes, as `I32`, within its axis and a multiple of so many: device
    /// functions only.
    Position(u8),
    /// A value that other code of the same program passes: device functions only (see [`Launch::is_function`]).
    Value(ValueType),
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// A valid identifier, distinct within the kernel.
    pub name: String,
    /// What is passed.
    pub kind: ParamKind,
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Shared by a work-group.
    Local,
    /// One per work-item.
    Private,
}

/// A local or private array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// A valid identifier, distinct within the kernel.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Of its elements.
    pub dtype: DType,
    /// How many elements.
    pub length: u32,
}

/// Ids and sizes of the index space, per dimension 0, 1, 2; all `U32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "OpenCL's own names")]
pub enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    NumGroups,
    /// Position in the sub-group; dimension ignored.
    SubGroupLane,
    /// Number of items in the sub-group; dimension ignored.
    SubGroupSize,
    /// Which sub-group of the work-group; dimension ignored.
    SubGroupId,
}

/// Operations across a sub-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "OpenCL's own names")]
pub enum SubGroupOp {
    ReduceAdd,
    ReduceMax,
    ReduceMin,
    Broadcast,
    ShuffleXor,
}

/// Atomic read-modify-write operations, relaxed order, device scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "OpenCL's own names")]
pub enum AtomicOp {
    Add,
    Max,
    Min,
    And,
    Or,
    Xor,
    Exchange,
}

/// A pure expression (loads apart).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant, one lane.
    Literal(Literal),
    /// A bound variable.
    Var(VarId),
    /// A scalar or symbol parameter.
    Param(ParamId),
    /// An id or size of the index space; dimension 0, 1 or 2.
    WorkItem(WorkItem, u8),
    /// Elementwise function.
    Unary(UnaryOp, ExprId),
    /// Elementwise function of two values of one type.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a * b + c`, fused where the device does so fast.
    MulAdd(ExprId, ExprId, ExprId),
    /// Comparison; lanes of the operands, `Bool`.
    Compare(CompareOp, ExprId, ExprId),
    /// `condition ? then : otherwise`; a scalar condition or one with the lanes of the branches.
    Select(ExprId, ExprId, ExprId),
    /// Conversion to another element type, lane by lane.
    Cast(DType, ExprId),
    /// The same bits as another element type of the same size.
    Bitcast(DType, ExprId),
    /// `lanes` consecutive elements of a buffer from `index` (in elements, no alignment assumed).
    Load {
        /// A buffer parameter.
        buffer: ParamId,
        /// `U32`, `I32` or `I64`, one lane.
        index: ExprId,
        /// 1, 2, 4, 8 or 16.
        lanes: u8,
    },
    /// One element of a local or private array.
    LoadArray {
        /// Which array.
        array: ArrayId,
        /// One lane, integer.
        index: ExprId,
    },
    /// A vector with all lanes equal to a scalar.
    Splat(ExprId, u8),
    /// A vector of consecutive integers `0, 1, ..` of `dtype`.
    LaneIds(DType, u8),
    /// One lane of a vector.
    Lane(ExprId, u8),
    /// All lanes of a vector combined (`Sum`, `Prod`, `Max` or `Min`), pairwise by halves.
    Horizontal(ReduceOp, ExprId),
    /// Two `U32` words of Philox4x32-10: `(counter, seed, stream)` as `U32` → uniform `F32` in [0, 1); lane by lane.
    Philox {
        /// Position, `U32`, any number of lanes.
        counter: ExprId,
        /// Key word 0, `U32`, one lane.
        seed: ExprId,
        /// Key word 1.
        stream: u32,
    },
    /// An operation across the sub-group; the second operand is the lane or mask where one is needed.
    SubGroup(SubGroupOp, ExprId, Option<ExprId>),
    /// A user's helper function ([`Kernel::functions`], by position).
    Call(u32, Vec<ExprId>),
}

impl Expr {
    /// The same expression on other operands.
    pub fn map_operands(mut self, mut map: impl FnMut(ExprId) -> ExprId) -> Expr {
        match &mut self {
            Expr::Literal(_) | Expr::Var(_) | Expr::Param(_) | Expr::WorkItem(..) | Expr::LaneIds(..) => {}
            Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::Bitcast(_, a)
            | Expr::Splat(a, _)
            | Expr::Lane(a, _)
            | Expr::Horizontal(_, a) => *a = map(*a),
            Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => {
                *a = map(*a);
                *b = map(*b);
            }
            Expr::MulAdd(a, b, c) | Expr::Select(a, b, c) => {
                *a = map(*a);
                *b = map(*b);
                *c = map(*c);
            }
            Expr::Load { index, .. } | Expr::LoadArray { index, .. } => *index = map(*index),
            Expr::Philox { counter, seed, .. } => {
                *counter = map(*counter);
                *seed = map(*seed);
            }
            Expr::SubGroup(_, a, b) => {
                *a = map(*a);
                if let Some(b) = b {
                    *b = map(*b);
                }
            }
            Expr::Call(_, args) => args.iter_mut().for_each(|arg| *arg = map(*arg)),
        }
        self
    }

    /// Calls `visit` for every operand, in order.
    pub fn visit_operands(&self, visit: &mut dyn FnMut(ExprId)) {
        self.clone().map_operands(|id| {
            visit(id);
            id
        });
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        let mut operands = Vec::new();
        self.visit_operands(&mut |id| operands.push(id));
        operands
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// A line of comment in the generated source.
    Comment(String),
    /// Binds a variable; later `Assign`s may change it.
    Let(VarId, ExprId),
    /// Changes a variable.
    Assign(VarId, ExprId),
    /// Writes a value (any number of lanes) to a buffer from `index` on.
    Store {
        /// A buffer parameter.
        buffer: ParamId,
        /// One lane, integer.
        index: ExprId,
        /// What is written, converted to the buffer's type.
        value: ExprId,
    },
    /// Writes one element of a local or private array.
    StoreArray {
        /// Which array.
        array: ArrayId,
        /// One lane, integer.
        index: ExprId,
        /// One lane.
        value: ExprId,
    },
    /// `for var in (start..end).step_by(step)`; `start`, `end` evaluated once.
    For {
        /// The counter; its type is that of `start`.
        var: VarId,
        /// First value.
        start: ExprId,
        /// Past the last value.
        end: ExprId,
        /// At least 1, evaluated once.
        step: ExprId,
        /// What is repeated.
        body: Vec<Stmt>,
    },
    /// `while condition`.
    While {
        /// `Bool`, evaluated before each round.
        condition: ExprId,
        /// What is repeated.
        body: Vec<Stmt>,
    },
    /// Two branches.
    If {
        /// `Bool`, one lane.
        condition: ExprId,
        /// Where true.
        then: Vec<Stmt>,
        /// Where false.
        otherwise: Vec<Stmt>,
    },
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the innermost loop's next round.
    Continue,
    /// All work-items of the group meet; local memory (and, if asked, global memory) is made visible.
    Barrier {
        /// Also order global memory within the group.
        global: bool,
    },
    /// Atomic update of one element of a buffer or local array; the old value is bound if wanted.
    Atomic {
        /// What is done.
        op: AtomicOp,
        /// On what.
        target: AtomicTarget,
        /// One lane, integer.
        index: ExprId,
        /// The operand.
        value: ExprId,
        /// Receives the old value.
        old: Option<VarId>,
    },
}

/// What an atomic operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicTarget {
    /// A buffer parameter.
    Buffer(ParamId),
    /// A local array.
    Local(ArrayId),
}

/// A variable's name and type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Var {
    /// A hint; the emitter makes it distinct.
    pub name: String,
    /// Its type.
    pub ty: ValueType,
}

/// A pure helper function over scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// A valid identifier.
    pub name: String,
    /// Its parameters: the first variables of its own table.
    pub params: Vec<VarId>,
    /// Its variables.
    pub vars: Vec<Var>,
    /// Its expressions.
    pub exprs: Vec<Expr>,
    /// Its statements (no stores, barriers or atomics).
    pub body: Vec<Stmt>,
    /// What it returns.
    pub result: ExprId,
}

/// How many work-items run: `global[d]` is rounded up to a multiple of `local[d]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Launch {
    /// Work-items wanted per dimension; 1 to 3 entries.
    pub global: Vec<Dim>,
    /// Work-group size per dimension; empty leaves it to the driver (kernels without barriers and local arrays).
    pub local: Vec<u32>,
}

impl Launch {
    /// The launch of a device function: a body that a template calls for each of its results (an epilogue), or, with a
    /// result of its own, for each element of an operand (a prologue).
    pub fn function() -> Self {
        Launch { global: Vec::new(), local: Vec::new() }
    }

    /// Whether this is no kernel but a device function.
    pub fn is_function(&self) -> bool {
        self.global.is_empty()
    }
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// A valid identifier.
    pub name: String,
    /// Comment lines above the kernel: what it computes, in the user's words.
    pub doc: Vec<String>,
    /// What a launch passes, in order.
    pub params: Vec<Param>,
    /// Local and private arrays.
    pub arrays: Vec<Array>,
    /// Helper functions.
    pub functions: Vec<Function>,
    /// Variables.
    pub vars: Vec<Var>,
    /// Expressions, operands before users.
    pub exprs: Vec<Expr>,
    /// Where each expression was written; may be shorter than `exprs`.
    pub spans: Vec<Span>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// What a device function returns after its body; a kernel returns nothing.
    pub result: Option<ExprId>,
    /// How many work-items run.
    pub launch: Launch,
    /// Whether one work-item may access an element that another writes, without atomics: a user's kernel may. The values are
    /// anything then, and the host accesses its memory such that this is all that can happen.
    pub may_race: bool,
    /// OpenCL C that its user has written for the body: OpenCL devices run that, and other devices `body`, which is to mean the
    /// same.
    pub opencl: Option<String>,
}

impl Kernel {
    /// Whether work-items wait for the others of their group anywhere in its body.
    pub fn has_barrier(&self) -> bool {
        fn any(stmts: &[Stmt]) -> bool {
            stmts.iter().any(|stmt| match stmt {
                Stmt::Barrier { .. } => true,
                Stmt::For { body, .. } | Stmt::While { body, .. } => any(body),
                Stmt::If { then, otherwise, .. } => any(then) || any(otherwise),
                _ => false,
            })
        }
        any(&self.body)
    }

    /// Bytes of local memory that its arrays take.
    pub fn local_bytes(&self) -> u64 {
        let local = self.arrays.iter().filter(|array| array.space == Space::Local);
        local.map(Array::bytes).sum()
    }

    /// The expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}
