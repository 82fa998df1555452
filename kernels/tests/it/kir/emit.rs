//! The emitter's contract: whatever the verifier passes is emitted, the same each time, with balanced brackets.
//!
//! Random well-typed kernels cover every kind of expression at every type and width.

use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::emit::{opencl, rust};
use netcl_kernels::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use netcl_kernels::kir::text;
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::*;

/// Element types that values have.
const TYPES: [DType; 7] = [DType::Bool, DType::U8, DType::I32, DType::U32, DType::I64, DType::F32, DType::F64];

/// A kernel whose random expressions are well typed; `next` gives numbers below its argument.
struct Random {
    state: u64,
    kernel: Kernel,
    types: Vec<ValueType>,
}

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) % end as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn push(&mut self, expr: Expr, dtype: DType, lanes: u8) -> ExprId {
        self.kernel.exprs.push(expr);
        self.types.push(ValueType { dtype, lanes });
        ExprId(self.types.len() as u32 - 1)
    }

    fn literal(&mut self, dtype: DType) -> ExprId {
        let floats = [0.0, -0.0, 1.5, -2.25, 1e30, 1e-40, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let literal = match dtype {
            DType::Bool => Literal::Bool(self.below(2) == 0),
            DType::U8 => Literal::Int(self.of(&[0, 1, 7, 255]), dtype),
            DType::U32 => Literal::Int(self.of(&[0, 1, 31, 4_294_967_295]), dtype),
            DType::I32 => Literal::Int(self.of(&[0, 1, -1, 5, i64::from(i32::MIN), i64::from(i32::MAX)]), dtype),
            DType::I64 => Literal::Int(self.of(&[0, -1, 3, i64::MIN, i64::MAX]), dtype),
            _ => Literal::float(self.of(&floats), dtype),
        };
        self.push(Expr::Literal(literal), dtype, 1)
    }

    /// An index that stays small.
    fn index(&mut self) -> ExprId {
        let id = self.push(Expr::WorkItem(WorkItem::GlobalId, 0), DType::U32, 1);
        match self.below(3) {
            0 => id,
            1 => self.push(Expr::Cast(DType::I32, id), DType::I32, 1),
            _ => {
                let step = self.push(Expr::Literal(Literal::Int(2, DType::U32)), DType::U32, 1);
                self.push(Expr::Binary(BinaryOp::Add, id, step), DType::U32, 1)
            }
        }
    }

    /// A random expression of that type.
    fn expr(&mut self, dtype: DType, lanes: u8, depth: u32) -> ExprId {
        if depth == 0 {
            if lanes > 1 {
                if self.below(3) == 0 && dtype != DType::Bool {
                    return self.push(Expr::LaneIds(dtype, lanes), dtype, lanes);
                }
                if self.below(2) == 0 {
                    let scalar = self.expr(dtype, 1, 0);
                    return self.push(Expr::Splat(scalar, lanes), dtype, lanes);
                }
            } else if self.below(2) == 0 {
                return self.literal(dtype);
            }
            let index = self.index();
            // Buffers 0 to 6 hold the types of TYPES, 7 and 8 are f16 and bf16.
            let mut buffer = TYPES.iter().position(|ty| *ty == dtype).unwrap_or(0) as u32;
            if dtype == DType::F32 {
                buffer = self.of(&[buffer, 7, 8]);
            }
            return self.push(Expr::Load { buffer: ParamId(buffer), index, lanes }, dtype, lanes);
        }
        let depth = depth - 1;
        match self.below(12) {
            0 | 1 => self.unary(dtype, lanes, depth),
            2..=4 => self.binary(dtype, lanes, depth),
            5 if dtype.is_integer() => {
                let (a, b) = (self.expr(dtype, lanes, depth), self.expr(dtype, lanes, depth));
                let op = self.of(&[BinaryOp::Shl, BinaryOp::Shr]);
                self.push(Expr::Binary(op, a, b), dtype, lanes)
            }
            6 if dtype != DType::Bool => {
                let [a, b, c] = [0; 3].map(|_| self.expr(dtype, lanes, depth));
                self.push(Expr::MulAdd(a, b, c), dtype, lanes)
            }
            5 | 6 => {
                let of = self.of(&TYPES);
                let ops = if of == DType::Bool { &CompareOp::ALL[..2] } else { &CompareOp::ALL[..] };
                let op = self.of(ops);
                let (a, b) = (self.expr(of, lanes, depth), self.expr(of, lanes, depth));
                let compared = self.push(Expr::Compare(op, a, b), DType::Bool, lanes);
                if dtype == DType::Bool { compared } else { self.push(Expr::Cast(dtype, compared), dtype, lanes) }
            }
            7 => {
                let width = self.of(&[1, lanes]);
                let condition = self.expr(DType::Bool, width, depth);
                let (a, b) = (self.expr(dtype, lanes, depth), self.expr(dtype, lanes, depth));
                self.push(Expr::Select(condition, a, b), dtype, lanes)
            }
            8 | 9 => {
                let from = self.of(&TYPES);
                let a = self.expr(from, lanes, depth);
                let to = if dtype == DType::F32 { self.of(&[dtype, DType::F16, DType::BF16]) } else { dtype };
                self.push(Expr::Cast(to, a), dtype, lanes)
            }
            10 if lanes == 1 => {
                let wide = self.of(&[2u8, 4, 8, 16]);
                let a = self.expr(dtype, wide, depth);
                if dtype == DType::Bool || self.below(2) == 0 {
                    let lane = self.below(usize::from(wide)) as u8;
                    return self.push(Expr::Lane(a, lane), dtype, 1);
                }
                let op = self.of(&ReduceOp::ALL[..4]);
                self.push(Expr::Horizontal(op, a), dtype, 1)
            }
            11 if dtype == DType::F32 => {
                let (counter, seed) = (self.expr(DType::U32, lanes, depth), self.expr(DType::U32, 1, depth));
                self.push(Expr::Philox { counter, seed, stream: 7 }, dtype, lanes)
            }
            _ if dtype.size() == 4 || dtype.size() == 8 => {
                let from = if dtype.size() == 4 {
                    self.of(&[DType::I32, DType::U32, DType::F32])
                } else {
                    self.of(&[DType::I64, DType::F64])
                };
                let a = self.expr(from, lanes, depth);
                self.push(Expr::Bitcast(dtype, a), dtype, lanes)
            }
            _ => self.expr(dtype, lanes, depth),
        }
    }

    fn unary(&mut self, dtype: DType, lanes: u8, depth: u32) -> ExprId {
        let op = match dtype {
            DType::Bool => UnaryOp::Not,
            _ if dtype.is_float() => self.of(&UnaryOp::ALL[..20]),
            _ => self.of(&[UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Sign, UnaryOp::Not]),
        };
        let a = self.expr(dtype, lanes, depth);
        self.push(Expr::Unary(op, a), dtype, lanes)
    }

    fn binary(&mut self, dtype: DType, lanes: u8, depth: u32) -> ExprId {
        use BinaryOp::*;
        let op = match dtype {
            DType::Bool => self.of(&[And, Or, Xor]),
            _ if dtype.is_float() => self.of(&BinaryOp::ALL[..9]),
            _ => self.of(&[Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor]),
        };
        let (a, b) = (self.expr(dtype, lanes, depth), self.expr(dtype, lanes, depth));
        self.push(Expr::Binary(op, a, b), dtype, lanes)
    }
}

/// A kernel that stores `count` random expressions.
fn random_kernel(seed: u64, count: usize) -> Kernel {
    let mut params: Vec<Param> = TYPES
        .into_iter()
        .chain([DType::F16, DType::BF16])
        .map(|dtype| Param { name: format!("in_{dtype}"), kind: ParamKind::Buffer(dtype, Access::Read) })
        .collect();
    let stored = DType::ALL;
    let outputs = params.len() as u32;
    params.extend(
        stored
            .iter()
            .map(|dtype| Param { name: format!("out_{dtype}"), kind: ParamKind::Buffer(*dtype, Access::ReadWrite) }),
    );
    let launch = Launch { global: vec![Dim::symbol("N")], local: Vec::new() };
    let kernel = Kernel {
        name: format!("random_{seed}"),
        doc: vec!["random expressions".into()],
        params,
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
    };
    let mut random = Random { state: seed.wrapping_mul(0x9E37_79B9) ^ 0x5DEE_CE66, kernel, types: Vec::new() };
    for position in 0..count {
        let (dtype, lanes) = (random.of(&TYPES), random.of(&[1, 1, 2, 4, 8, 16]));
        let depth = 1 + random.below(4) as u32;
        let value = random.expr(dtype, lanes, depth);
        let buffer = ParamId(outputs + random.below(stored.len()) as u32);
        let index = random.index();
        let mut value = value;
        if position % 2 == 0 {
            let var = VarId(random.kernel.vars.len() as u32);
            random.kernel.vars.push(Var { name: "value".into(), ty: ValueType { dtype, lanes } });
            random.kernel.body.push(Stmt::Let(var, value));
            value = random.push(Expr::Var(var), dtype, lanes);
        }
        random.kernel.body.push(Stmt::Store { buffer, index, value });
    }
    random.kernel
}

#[test]
fn what_is_verified_is_emitted() {
    for seed in 0..300 {
        let kernel = random_kernel(seed, 12);
        let verified =
            verify(&kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{seed}: {errors:#?}"));
        let emitted = opencl::kernel(&verified);
        assert_eq!(opencl::kernel(&verified), emitted);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            assert_eq!(emitted.matches(open).count(), emitted.matches(close).count(), "{seed}:\n{emitted}");
        }
        assert!(!emitted.contains('$'), "a helper's placeholder is left:\n{emitted}");
        assert_eq!(text::parse(&text::print(&kernel)), Ok(kernel));
    }
}

#[test]
fn the_deepest_expressions_are_emitted() {
    let mut lines: String = (1..199).map(|n| format!("%{n} = neg(%{})\n", n - 1)).collect();
    lines.push_str(&"if true {\n".repeat(48));
    lines.push_str("store @y[0u32] = %198\n");
    lines.push_str(&"}\n".repeat(48));
    let kernel = text::parse(&format!("kernel k\nlaunch [1]\nparam y: write f32\n%0 = 1.0f32\n{lines}"));
    let kernel = kernel.expect("a kernel");
    let verified = verify(&kernel, &Capabilities::unlimited()).expect("within the limits");
    assert!(opencl::kernel(&verified).contains("-(-(-(-"));
}

#[test]
fn programs_share_helpers_and_equal_kernels() {
    let kernel = text::parse(
        "kernel k\nlaunch [1]\nparam y: read_write f32\nstore @y[0u32] = max(load @y[0u32], load @y[1u32])",
    );
    let kernel = kernel.expect("a kernel");
    let other = Kernel { name: "l".into(), ..kernel.clone() };
    let verified: Vec<_> =
        [&kernel, &other, &kernel].map(|kernel| verify(kernel, &Capabilities::portable()).expect("a kernel")).to_vec();
    let program =
        opencl::program(&verified, &opencl::Options { header: vec!["three".into()], ..opencl::Options::default() });
    assert!(program.starts_with("// three\n"));
    assert_eq!(program.matches("static inline float netcl_max(").count(), 1);
    assert_eq!(program.matches("__kernel void k(").count(), 1);
    assert_eq!(program.matches("__kernel void l(").count(), 1);
}

/// Two items of a user's kernel may access one element: on the host that is no data race.
#[test]
fn what_items_may_race_on_is_shared_in_native_code() {
    let native = |line: &str| {
        let text = format!(
            "kernel k\nlaunch [N]\n{line}param x: read f32\nparam y: write f32\nparam z: read_write f32\n\
             store @y[0u32] = load @x[global_id.0]\nstore @z[0u32] = load @z[global_id.0]\n"
        );
        let kernel = text::parse(&text).unwrap();
        rust::native_code(&verify(&kernel, &Capabilities::unlimited()).unwrap(), 0).unwrap()
    };
    let (plain, shared) = (native(""), native("may_race\n"));
    assert_eq!((plain.matches("args.view::").count(), plain.matches("args.shared::").count()), (3, 0), "{plain}");
    assert_eq!((shared.matches("args.view::").count(), shared.matches("args.shared::").count()), (1, 2), "{shared}");
}
