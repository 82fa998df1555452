//! Builds kernels: infers types, shares equal expressions, folds integer arithmetic on constants.
//!
//! The builder trusts its caller (the schedules, the macro's lowering): what it builds is judged by [`super::verify`].

use super::*;
use crate::fold;
use crate::identifier::distinct;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Appends to a [`Kernel`].
#[derive(Clone, Debug)]
pub struct KernelBuilder {
    kernel: Kernel,
    types: Vec<ValueType>,
    known: FxHashMap<Expr, ExprId>,
    /// Statement lists that are open, innermost last.
    blocks: Vec<Vec<Stmt>>,
    sizes: BTreeSet<Dim>,
    /// Of index arithmetic.
    index_dtype: DType,
    /// Symbols that are values of the kernel's own, and no parameters.
    own_symbols: BTreeMap<String, ExprId>,
}

impl KernelBuilder {
    /// A kernel called `name` without parameters or statements.
    pub fn new(name: &str, launch: Launch) -> Self {
        KernelBuilder {
            kernel: Kernel {
                name: name.to_string(),
                doc: Vec::new(),
                params: Vec::new(),
                arrays: Vec::new(),
                functions: Vec::new(),
                vars: Vec::new(),
                exprs: Vec::new(),
                spans: Vec::new(),
                body: Vec::new(),
                result: None,
                launch,
                may_race: false,
                opencl: None,
            },
            types: Vec::new(),
            known: FxHashMap::default(),
            blocks: vec![Vec::new()],
            sizes: BTreeSet::new(),
            index_dtype: DType::I32,
            own_symbols: BTreeMap::new(),
        }
    }

    /// The same with index arithmetic of `width`.
    pub fn indexed(mut self, width: IndexWidth) -> Self {
        self.index_dtype = width.dtype();
        self
    }

    /// What index arithmetic is made of: `I32` or `I64`.
    pub fn index_dtype(&self) -> DType {
        self.index_dtype
    }

    /// Whether index arithmetic has 64 bits.
    pub fn is_wide(&self) -> bool {
        self.index_dtype == DType::I64
    }

    /// The finished kernel. Every block opened must have been closed.
    pub fn finish(mut self) -> Kernel {
        assert_eq!(self.blocks.len(), 1, "a block was left open");
        self.kernel.body = self.blocks.remove(0);
        self.name_own_words();
        self.kernel
    }

    /// Names what is the compiler's own, that is arrays, and coordinates and values that a template passes, apart from what
    /// bears a name of the user's. These keep theirs, by which a launch finds what it passes: a tensor may be called `batch`,
    /// `value` or `scratch0`.
    fn name_own_words(&mut self) {
        let Kernel { params, arrays, .. } = &mut self.kernel;
        let is_own = |param: &Param| matches!(param.kind, ParamKind::Position(_) | ParamKind::Value(_));
        let users = params.iter().filter(|param| !is_own(param)).map(|param| param.name.clone());
        let mut taken: BTreeSet<String> = users.collect();
        let own = params.iter_mut().filter(|param| is_own(param)).map(|param| &mut param.name);
        for name in own.chain(arrays.iter_mut().map(|array| &mut array.name)) {
            *name = distinct(&mut taken, std::mem::take(name));
        }
    }

    /// Notes a size that the kernel computes or counts up to in index arithmetic. What has 64 bits holds all sizes.
    pub fn note_size(&mut self, size: &Dim) {
        if !self.is_wide() {
            self.sizes.insert(size.clone());
        }
    }

    /// Notes a size that becomes a number of 32 bits, however wide index arithmetic is.
    pub fn note_number(&mut self, size: &Dim) {
        self.sizes.insert(size.clone());
    }

    /// Whether that size has been noted: it is checked to be what kernels can count up to.
    pub fn is_noted(&self, size: &Dim) -> bool {
        self.sizes.contains(size)
    }

    /// Takes the sizes noted so far.
    pub fn take_sizes(&mut self) -> BTreeSet<Dim> {
        std::mem::take(&mut self.sizes)
    }

    /// What the device function returns after its last statement.
    pub fn set_result(&mut self, result: ExprId) {
        self.kernel.result = Some(result);
    }

    /// The kernel so far, without its statements.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Adds a comment line above the kernel.
    pub fn doc(&mut self, line: impl Into<String>) {
        self.kernel.doc.push(line.into());
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> ValueType {
        self.types[id.0 as usize]
    }

    // ---- parameters and storage ----

    /// A parameter; an equal one is shared.
    pub fn param(&mut self, name: &str, kind: ParamKind) -> ParamId {
        if let Some(position) = self.kernel.params.iter().position(|param| param.name == name && param.kind == kind) {
            return ParamId(position as u32);
        }
        self.kernel.params.push(Param { name: name.to_string(), kind });
        ParamId(self.kernel.params.len() as u32 - 1)
    }

    /// The parameter for a buffer: one that is read is for both where it is asked for to be written, and the other way round.
    pub fn buffer(&mut self, name: &str, dtype: DType, access: Access) -> ParamId {
        let is_it = |param: &Param| matches!(param.kind, ParamKind::Buffer(..)) && param.name == name;
        let Some(position) = self.kernel.params.iter().position(is_it) else {
            return self.param(name, ParamKind::Buffer(dtype, access));
        };
        if let ParamKind::Buffer(_, known) = &mut self.kernel.params[position].kind
            && *known != access
        {
            *known = Access::ReadWrite;
        }
        ParamId(position as u32)
    }

    /// A local or private array.
    pub fn array(&mut self, name: &str, space: Space, dtype: DType, length: u32) -> ArrayId {
        self.kernel.arrays.push(Array { name: name.to_string(), space, dtype, length });
        ArrayId(self.kernel.arrays.len() as u32 - 1)
    }

    /// A variable that is not bound yet.
    pub fn var(&mut self, name: &str, ty: ValueType) -> VarId {
        self.kernel.vars.push(Var { name: name.to_string(), ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }

    // ---- expressions ----

    /// Adds an expression of type `ty`; an equal one is shared.
    pub fn push(&mut self, expr: Expr, ty: ValueType) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = ExprId(self.kernel.exprs.len() as u32);
        self.known.insert(expr.clone(), id);
        self.kernel.exprs.push(expr);
        self.types.push(ty);
        id
    }

    /// A constant.
    pub fn literal(&mut self, literal: Literal) -> ExprId {
        if let Literal::Int(value, DType::I32) = literal
            && i32::try_from(value).is_err()
        {
            // A stride or a part of a size: who looks at the sizes finds it and can tell the user, the verifier could not.
            self.note_number(&Dim::constant(value.saturating_abs()));
        }
        self.push(Expr::Literal(literal), ValueType::scalar(literal.dtype()))
    }

    /// A constant of index arithmetic.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.literal(Literal::Int(value, self.index_dtype))
    }

    /// The value of a variable.
    pub fn get(&mut self, var: VarId) -> ExprId {
        let ty = self.kernel.vars[var.0 as usize].ty;
        self.push(Expr::Var(var), ty)
    }

    /// The value of a scalar parameter.
    pub fn scalar(&mut self, name: &str, dtype: DType) -> ExprId {
        let param = self.param(name, ParamKind::Scalar(dtype));
        self.push(Expr::Param(param), ValueType::scalar(dtype.compute()))
    }

    /// An id or size of the index space, for index arithmetic.
    pub fn work_item(&mut self, item: WorkItem, dimension: u8) -> ExprId {
        let id = self.push(Expr::WorkItem(item, dimension), ValueType::scalar(DType::U32));
        self.cast(self.index_dtype, id)
    }

    /// The value of a parameter that other code of the program passes; see [`ParamKind::Value`].
    pub fn passed(&mut self, name: &str, ty: ValueType) -> ExprId {
        let param = self.param(name, ParamKind::Value(ty));
        self.push(Expr::Param(param), ty)
    }

    /// The value of the symbol `name`, for index arithmetic.
    pub fn size(&mut self, name: &str) -> ExprId {
        if let Some(value) = self.own_symbols.get(name) {
            return *value;
        }
        let kind = if self.is_wide() { ParamKind::WideSize } else { ParamKind::Size };
        let param = self.param(name, kind);
        self.push(Expr::Param(param), ValueType::scalar(self.index_dtype))
    }

    /// From here on the symbol `name` is that value, of the type of index arithmetic: a loop of the kernel counts it.
    pub fn bind_symbol(&mut self, name: &str, value: ExprId) {
        debug_assert_eq!(self.ty(value), ValueType::scalar(self.index_dtype));
        self.own_symbols.insert(name.to_owned(), value);
    }

    /// A coordinate that other code of the program passes, a multiple of `step`; see [`ParamKind::Position`].
    pub fn position(&mut self, name: &str, step: u8) -> ExprId {
        let param = self.param(name, ParamKind::Position(step));
        let position = self.push(Expr::Param(param), ValueType::scalar(DType::I32));
        self.cast(self.index_dtype, position)
    }

    /// One lane of a vector.
    pub fn lane(&mut self, a: ExprId, lane: u8) -> ExprId {
        let dtype = self.ty(a).dtype;
        self.push(Expr::Lane(a, lane), ValueType::scalar(dtype))
    }

    fn as_literal(&self, id: ExprId) -> Option<Literal> {
        match self.kernel.expr(id) {
            Expr::Literal(literal) => Some(*literal),
            _ => None,
        }
    }

    /// Makes both have the same number of lanes by repeating a scalar.
    fn level(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let lanes = self.ty(a).lanes.max(self.ty(b).lanes);
        (self.splat(a, lanes), self.splat(b, lanes))
    }

    /// A vector with all lanes equal; a vector of that width stays.
    pub fn splat(&mut self, a: ExprId, lanes: u8) -> ExprId {
        let ty = self.ty(a);
        if ty.lanes == lanes {
            return a;
        }
        debug_assert_eq!(ty.lanes, 1);
        self.push(Expr::Splat(a, lanes), ValueType { dtype: ty.dtype, lanes })
    }

    /// Elementwise function.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        if let Some(value) = self.as_literal(a).and_then(|a| fold::unary(op, a)) {
            return self.literal(value);
        }
        let ty = self.ty(a);
        self.push(Expr::Unary(op, a), ty)
    }

    /// Elementwise function of two values; a scalar meets a vector lane by lane.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let (x, y) = (self.as_literal(a), self.as_literal(b));
        if let (Some(x), Some(y)) = (x, y)
            && let Some(value) = fold::binary(op, x, y)
        {
            return self.literal(value);
        }
        let integer = self.ty(a).dtype.is_integer();
        match (op, x, y) {
            (BinaryOp::Add, Some(x), _) if integer && x.is(0.0) => return b,
            (BinaryOp::Add | BinaryOp::Sub, _, Some(y)) if integer && y.is(0.0) => return a,
            (BinaryOp::Mul, Some(x), _) if integer && x.is(1.0) => return b,
            (BinaryOp::Mul | BinaryOp::Div, _, Some(y)) if integer && y.is(1.0) => return a,
            (BinaryOp::Mul, _, Some(y)) if integer && y.is(0.0) => return b,
            (BinaryOp::Mul, Some(x), _) if integer && x.is(0.0) => return a,
            (BinaryOp::And, Some(Literal::Bool(true)), _) => return b,
            (BinaryOp::And, _, Some(Literal::Bool(true))) => return a,
            _ => {}
        }
        let (a, b) = self.level(a, b);
        let ty = self.ty(a);
        debug_assert_eq!(ty, self.ty(b), "{op:?} of unequal types");
        self.push(Expr::Binary(op, a, b), ty)
    }

    /// `a + b`.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// `a * b + c`.
    pub fn mul_add(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let (a, b) = self.level(a, b);
        let (a, c) = self.level(a, c);
        let (b, c) = self.level(b, c);
        let ty = self.ty(a);
        self.push(Expr::MulAdd(a, b, c), ty)
    }

    /// Comparison.
    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        if let (Some(x), Some(y)) = (self.as_literal(a), self.as_literal(b)) {
            return self.literal(Literal::Bool(fold::compare_literals(op, x, y)));
        }
        let (a, b) = self.level(a, b);
        let lanes = self.ty(a).lanes;
        self.push(Expr::Compare(op, a, b), ValueType { dtype: DType::Bool, lanes })
    }

    /// `condition ? then : otherwise`.
    pub fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        if let Some(Literal::Bool(value)) = self.as_literal(condition) {
            return if value { then } else { otherwise };
        }
        // A branch of the same condition is decided.
        let (then, otherwise) = match (self.kernel.expr(then), self.kernel.expr(otherwise)) {
            (Expr::Select(inner, a, _), _) if *inner == condition => (*a, otherwise),
            (_, Expr::Select(inner, _, b)) if *inner == condition => (then, *b),
            _ => (then, otherwise),
        };
        if then == otherwise {
            return then;
        }
        if let (Some(Literal::Bool(true)), Some(Literal::Bool(false))) =
            (self.as_literal(then), self.as_literal(otherwise))
        {
            return condition;
        }
        let (mut then, mut otherwise) = self.level(then, otherwise);
        let lanes = self.ty(condition).lanes;
        if lanes > 1 {
            then = self.splat(then, lanes);
            otherwise = self.splat(otherwise, lanes);
        }
        let ty = self.ty(then);
        self.push(Expr::Select(condition, then, otherwise), ty)
    }

    /// Conversion; to a storage type: the value rounded to it, as `F32`.
    pub fn cast(&mut self, dtype: DType, a: ExprId) -> ExprId {
        let ty = self.ty(a);
        let result = dtype.compute();
        if ty.dtype == dtype {
            return a;
        }
        if let Some(literal) = self.as_literal(a) {
            return self.literal(fold::cast(fold::cast(literal, dtype), result));
        }
        self.push(Expr::Cast(dtype, a), ValueType { dtype: result, lanes: ty.lanes })
    }

    /// `lanes` elements of a buffer.
    pub fn load(&mut self, buffer: ParamId, index: ExprId, lanes: u8) -> ExprId {
        let dtype = match &self.kernel.params[buffer.0 as usize].kind {
            ParamKind::Buffer(dtype, _) => dtype.compute(),
            other => unreachable!("load from {other:?}"),
        };
        self.push(Expr::Load { buffer, index, lanes }, ValueType { dtype, lanes })
    }

    /// One element of an array.
    pub fn load_array(&mut self, array: ArrayId, index: ExprId) -> ExprId {
        let dtype = self.kernel.arrays[array.0 as usize].dtype.compute();
        self.push(Expr::LoadArray { array, index }, ValueType::scalar(dtype))
    }

    /// `0, 1, ..` in the lanes.
    pub fn lane_ids(&mut self, dtype: DType, lanes: u8) -> ExprId {
        self.push(Expr::LaneIds(dtype, lanes), ValueType { dtype, lanes })
    }

    /// All lanes combined; a scalar stays.
    pub fn horizontal(&mut self, op: ReduceOp, a: ExprId) -> ExprId {
        let ty = self.ty(a);
        if ty.lanes == 1 {
            return a;
        }
        self.push(Expr::Horizontal(op, a), ValueType::scalar(ty.dtype))
    }

    /// Uniform random numbers; see [`Expr::Philox`].
    pub fn philox(&mut self, counter: ExprId, seed: ExprId, stream: u32) -> ExprId {
        let lanes = self.ty(counter).lanes;
        self.push(Expr::Philox { counter, seed, stream }, ValueType { dtype: DType::F32, lanes })
    }

    // ---- statements ----

    /// Appends a statement to the innermost open block.
    pub fn stmt(&mut self, stmt: Stmt) {
        self.blocks.last_mut().expect("one block is always open").push(stmt);
    }

    /// A comment line.
    pub fn comment(&mut self, text: impl Into<String>) {
        self.stmt(Stmt::Comment(text.into()));
    }

    /// Binds `value` to a new variable.
    pub fn bind(&mut self, name: &str, value: ExprId) -> VarId {
        let var = self.var(name, self.ty(value));
        self.stmt(Stmt::Let(var, value));
        var
    }

    /// Binds `value` and gives the variable's value.
    pub fn named(&mut self, name: &str, value: ExprId) -> ExprId {
        let var = self.bind(name, value);
        self.get(var)
    }

    /// Changes a variable.
    pub fn assign(&mut self, var: VarId, value: ExprId) {
        self.stmt(Stmt::Assign(var, value));
    }

    /// Writes to a buffer, which rounds to its type: a value that was rounded to it just before is not rounded twice.
    pub fn store(&mut self, buffer: ParamId, index: ExprId, value: ExprId) {
        let stored = match &self.kernel.params[buffer.0 as usize].kind {
            ParamKind::Buffer(dtype, _) => *dtype,
            other => unreachable!("store to {other:?}"),
        };
        let value = match *self.kernel.expr(value) {
            Expr::Cast(dtype, a) if dtype == stored && dtype != dtype.compute() && self.ty(a).dtype == DType::F32 => a,
            _ => value,
        };
        self.stmt(Stmt::Store { buffer, index, value });
    }

    /// Opens a block for [`KernelBuilder::close`].
    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Closes the innermost block and gives its statements.
    pub fn close(&mut self) -> Vec<Stmt> {
        assert!(self.blocks.len() > 1, "no block is open");
        self.blocks.pop().unwrap_or_default()
    }

    /// `for name in (start..end).step_by(step) { body }`.
    pub fn for_loop(
        &mut self,
        name: &str,
        start: ExprId,
        end: ExprId,
        step: ExprId,
        body: impl FnOnce(&mut Self, ExprId),
    ) {
        let var = self.var(name, self.ty(start));
        let counter = self.get(var);
        self.open();
        body(self, counter);
        let body = self.close();
        self.stmt(Stmt::For { var, start, end, step, body });
    }

    /// `if condition { then }`.
    pub fn if_then(&mut self, condition: ExprId, then: impl FnOnce(&mut Self)) {
        self.open();
        then(self);
        let then = self.close();
        self.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
    }

    /// A barrier that orders local memory.
    pub fn barrier(&mut self) {
        self.stmt(Stmt::Barrier { global: false });
    }
}
