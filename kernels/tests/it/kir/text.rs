//! The text form: exact round trips of kernels that obey no rule, and errors with their places.

use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use netcl_kernels::kir::text::{parse, parse_all, print};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::*;

/// A reproducible source of choices (SplitMix64).
struct Choices(u64);

impl Choices {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.bits() % u64::from(end)) as u32
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    fn name(&mut self) -> String {
        self.of(&["x", "y", "x", "größe", "a b", "", "kernel", "\"\\\n\t\u{1}", "_1", "9", "load"]).to_string()
    }

    fn line(&mut self) -> String {
        self.of(&["plain words", "", " led by a blank", "two\nlines", "ends with \\", "/ slash", "say \"hi\"; or not"])
            .to_string()
    }

    fn dtype(&mut self) -> DType {
        self.of(&DType::ALL)
    }

    fn ty(&mut self) -> ValueType {
        ValueType { dtype: self.dtype(), lanes: self.of(&[1, 2, 3, 8, 16, 255]) }
    }

    fn literal(&mut self) -> Literal {
        let dtype = self.dtype();
        match self.below(6) {
            0 => Literal::Bool(self.below(2) == 0),
            1 => Literal::Int(self.bits() as i64, dtype),
            2 => Literal::Int(self.of(&[0, -1, i64::MIN, i64::MAX, 42]), dtype),
            3 => Literal::Float(self.bits(), dtype),
            4 => Literal::Float(self.of(&[f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).to_bits(), dtype),
            _ => Literal::Float(self.of(&[0.0f64, -0.0, 1.0, 1e300, 5e-324, 0.1, -2.5, 1e16]).to_bits(), dtype),
        }
    }

    fn dim(&mut self, depth: u32) -> Dim {
        let symbol = Dim::symbol(self.of(&["N", "M", "rows"]));
        match self.below(if depth == 0 { 2 } else { 6 }) {
            0 => Dim::from(self.below(100) as usize),
            1 => symbol,
            2 => symbol * Dim::constant(-3) + self.dim(depth - 1),
            3 => (symbol + Dim::constant(7)).floor_div(4),
            4 => self.dim(depth - 1) * self.dim(depth - 1),
            _ => (self.dim(depth - 1) - symbol).floor_div(3) * Dim::symbol("K"),
        }
    }

    fn work_item(&mut self) -> WorkItem {
        use WorkItem::*;
        self.of(&[GlobalId, LocalId, GroupId, GlobalSize, LocalSize, NumGroups, SubGroupLane, SubGroupSize, SubGroupId])
    }

    fn sub_group_op(&mut self) -> SubGroupOp {
        use SubGroupOp::*;
        self.of(&[ReduceAdd, ReduceMax, ReduceMin, Broadcast, ShuffleXor])
    }

    fn atomic_op(&mut self) -> AtomicOp {
        use AtomicOp::*;
        self.of(&[Add, Max, Min, And, Or, Xor, Exchange])
    }

    /// An expression number: mostly one that is there, at times one that is not.
    fn id(&mut self) -> ExprId {
        ExprId(self.below(40))
    }

    fn expr(&mut self) -> Expr {
        let (a, b, c) = (self.id(), self.id(), self.id());
        let lanes = self.of(&[0, 1, 2, 4, 8, 16, 200]);
        match self.below(19) {
            0 => Expr::Literal(self.literal()),
            1 => Expr::Var(VarId(self.below(6))),
            2 => Expr::Param(ParamId(self.below(6))),
            3 => Expr::WorkItem(self.work_item(), self.below(5) as u8),
            4 => Expr::Unary(self.of(&UnaryOp::ALL), a),
            5 => Expr::Binary(self.of(&BinaryOp::ALL), a, b),
            6 => Expr::MulAdd(a, b, c),
            7 => Expr::Compare(self.of(&CompareOp::ALL), a, b),
            8 => Expr::Select(a, b, c),
            9 => Expr::Cast(self.dtype(), a),
            10 => Expr::Bitcast(self.dtype(), a),
            11 => Expr::Load { buffer: ParamId(self.below(6)), index: a, lanes },
            12 => Expr::LoadArray { array: ArrayId(self.below(4)), index: a },
            13 => Expr::Splat(a, lanes),
            14 => Expr::LaneIds(self.dtype(), lanes),
            15 => Expr::Lane(a, lanes),
            16 => Expr::Horizontal(self.of(&ReduceOp::ALL), a),
            17 => Expr::Philox { counter: a, seed: b, stream: self.bits() as u32 },
            _ if self.below(2) == 0 => {
                let other = (self.below(2) == 0).then_some(b);
                Expr::SubGroup(self.sub_group_op(), a, other)
            }
            _ => Expr::Call(self.below(3), (0..self.below(4)).map(|_| self.id()).collect()),
        }
    }

    fn body(&mut self, depth: u32) -> Vec<Stmt> {
        (0..self.below(5)).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        let (var, index, value) = (VarId(self.below(6)), self.id(), self.id());
        let (buffer, array) = (ParamId(self.below(6)), ArrayId(self.below(4)));
        match self.below(if depth == 0 { 9 } else { 12 }) {
            0 => Stmt::Comment(self.line()),
            1 => Stmt::Let(var, value),
            2 => Stmt::Assign(var, value),
            3 => Stmt::Store { buffer, index, value },
            4 => Stmt::StoreArray { array, index, value },
            5 => Stmt::Break,
            6 => Stmt::Continue,
            7 => Stmt::Barrier { global: self.below(2) == 0 },
            8 => {
                let local = self.below(2) == 0;
                let target = if local { AtomicTarget::Local(array) } else { AtomicTarget::Buffer(buffer) };
                let old = (self.below(2) == 0).then_some(var);
                Stmt::Atomic { op: self.atomic_op(), target, index, value, old }
            }
            9 => Stmt::For { var, start: index, end: value, step: self.id(), body: self.body(depth - 1) },
            10 => Stmt::While { condition: value, body: self.body(depth - 1) },
            _ => Stmt::If { condition: value, then: self.body(depth - 1), otherwise: self.body(depth - 1) },
        }
    }

    fn vars(&mut self) -> Vec<Var> {
        (0..self.below(5)).map(|_| Var { name: self.name(), ty: self.ty() }).collect()
    }

    fn exprs(&mut self) -> Vec<Expr> {
        (0..self.below(40)).map(|_| self.expr()).collect()
    }

    fn function(&mut self) -> Function {
        let vars = self.vars();
        let params = match self.below(3) {
            0 => vec![VarId(3), VarId(0)],
            _ => (0..self.below(vars.len() as u32 + 1)).map(VarId).collect(),
        };
        Function { name: self.name(), params, vars, exprs: self.exprs(), body: self.body(2), result: self.id() }
    }

    fn param(&mut self) -> Param {
        let kind = match self.below(6) {
            0 => ParamKind::Scalar(self.dtype()),
            1 => ParamKind::Symbol,
            2 => ParamKind::Value(self.ty()),
            3 => ParamKind::Size,
            4 => ParamKind::Position(self.of(&[1, 4, 16])),
            _ => ParamKind::Buffer(self.dtype(), self.of(&[Access::Read, Access::Write, Access::ReadWrite])),
        };
        Param { name: self.name(), kind }
    }

    fn array(&mut self) -> Array {
        let space = self.of(&[Space::Local, Space::Private]);
        Array { name: self.name(), space, dtype: self.dtype(), length: self.bits() as u32 }
    }

    fn kernel(&mut self) -> Kernel {
        Kernel {
            name: self.name(),
            doc: (0..self.below(3)).map(|_| self.line()).collect(),
            params: (0..self.below(5)).map(|_| self.param()).collect(),
            arrays: (0..self.below(3)).map(|_| self.array()).collect(),
            functions: (0..self.below(3)).map(|_| self.function()).collect(),
            vars: self.vars(),
            exprs: self.exprs(),
            spans: Vec::new(),
            body: self.body(3),
            result: (self.below(4) == 0).then(|| self.id()),
            launch: Launch {
                global: (0..self.below(4)).map(|_| self.dim(3)).collect(),
                local: (0..self.below(4)).map(|_| self.bits() as u32).collect(),
            },
            may_race: self.below(2) == 0,
            opencl: (self.below(4) == 0).then(|| self.line()),
        }
    }
}

#[test]
fn any_kernel_round_trips_exactly() {
    for seed in 0..2000 {
        let kernel = Choices(seed).kernel();
        let text = print(&kernel);
        let again = parse(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        assert_eq!(again, kernel, "{seed}:\n{text}");
    }
}

#[test]
fn several_kernels_in_one_text() {
    let kernels: Vec<Kernel> = (0..5).map(|seed| Choices(seed).kernel()).collect();
    let text: String = kernels.iter().map(|kernel| print(kernel) + "\n").collect();
    assert_eq!(parse_all(&text), Ok(kernels));
}

#[test]
fn kernels_that_obey_no_rule_are_judged_without_a_panic() {
    for seed in 0..2000 {
        assert!(verify(&Choices(seed).kernel(), &Capabilities::portable()).is_err(), "{seed}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let error = |text: &str| parse(text).expect_err(text).to_string();
    assert_eq!(error("kernel k\nlaunch [N]\nstore @x[0u32] = 1.0f32"), "line 3, column 8: there is no parameter `x`");
    assert_eq!(error("kernel k"), "line 2, column 1: expected `launch`, found the end");
    assert_eq!(error("kernel k\nlaunch [1]\n  %1 = true"), "line 3, column 4: the next expression is %0, not %1");
    assert_eq!(error("kernel k\nlaunch [1]\nlet $x = 1"), "line 3, column 6: there is no variable `x`");
    assert_eq!(
        error("kernel k\nlaunch [1]\nvar x: f32\nlet $x = 1"),
        "line 4, column 10: `1` says no element type: write `1i32`, for example"
    );
    assert_eq!(
        error("kernel k\nlaunch [1]\nvar x: f33"),
        "line 3, column 8: expected a type such as `f32` or `f32x8`, found `f33`"
    );
    assert_eq!(error("kernel k\nlaunch [1]\n?"), "line 3, column 1: '?' has no meaning here");
    assert_eq!(error("kernel \"k"), "line 1, column 8: expected a closing quote");
    assert_eq!(error("kernel k\nlaunch [1]\n%0 = add(true)"), "line 3, column 14: expected 2 operands, found 1");
    let deep = format!("kernel k\nlaunch [1]\n%0 = {}true", "not(".repeat(100_000));
    assert!(error(&deep).ends_with("nest more than 128 deep"));
}
