//! What is computed while compiling is what a kernel computes: folding against the interpreter, at the edges of each type.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::{BinaryOp, CompareOp, UnaryOp};
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::interp::{Bytes, CompiledKernel, LaunchArg, Memory, SliceMut, ops};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Access, ExprId, Launch, ParamKind, WorkItem};

const TYPES: [DType; 6] = [DType::U8, DType::I32, DType::U32, DType::I64, DType::F32, DType::F64];

/// Numbers at the edges of a type, and some others.
fn values(dtype: DType) -> Vec<Literal> {
    match dtype.whole_range() {
        Some((least, greatest)) => {
            let mut all = vec![least, least + 1, greatest - 1, greatest, 0, 1, 2, 7, 31, 33, 100];
            if least < 0 {
                all.extend([-1, -2, -7, -100]);
            }
            all.into_iter().map(|value| Literal::Int(value, dtype)).collect()
        }
        None => [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e9, -3e9, 1e20, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .into_iter()
            .map(|value| fold::stored(Literal::float(value, dtype)))
            .collect(),
    }
}

/// What the interpreter gives for these operands, of which the first are loaded and the second is a parameter: divisions by
/// one divisor take another way than others.
fn interpreted(
    a: &[Literal],
    b: Option<Literal>,
    result: DType,
    compute: impl FnOnce(&mut KernelBuilder, ExprId, ExprId) -> ExprId,
) -> Vec<Literal> {
    let dtype = a[0].dtype();
    let mut builder = KernelBuilder::new("scalars", Launch { global: vec![a.len().into()], local: Vec::new() });
    let x = builder.param("x", ParamKind::Buffer(dtype, Access::Read));
    let y = builder.scalar("y", b.map_or(dtype, Literal::dtype));
    let out = builder.param("out", ParamKind::Buffer(result, Access::Write));
    let item = builder.work_item(WorkItem::GlobalId, 0);
    let x = builder.load(x, item, 1);
    let value = compute(&mut builder, x, y);
    builder.store(out, item, value);
    let kernel = builder.finish();
    let compiled = CompiledKernel::new(&verify(&kernel, &Capabilities::unlimited()).unwrap());
    let (memory, results) = (bytes(a), Bytes::zeros(result, a.len()));
    let passed = [LaunchArg::Buffer(&memory), LaunchArg::Scalar(b.unwrap_or(a[0])), LaunchArg::Buffer(&results)];
    compiled.launch(&passed, &[], ops::baseline).unwrap().run_groups(0..1).unwrap();
    literals(&results, result, a.len())
}

macro_rules! by_type {
    ($($kind:ident $type:ty: $literal:expr, $of:expr;)*) => {
        /// A buffer of these numbers.
        fn bytes(values: &[Literal]) -> Bytes {
            use netcl_kernels::kir::interp::Slice;
            match values[0].dtype() {
                $(DType::$kind => {
                    let values: Vec<$type> = values.iter().map(|value| $of(*value)).collect();
                    Bytes::of(Slice::$kind(&values))
                })*
                other => unreachable!("{other} is not among the types"),
            }
        }

        /// The numbers of a buffer.
        fn literals(bytes: &Bytes, dtype: DType, count: usize) -> Vec<Literal> {
            match dtype {
                $(DType::$kind => {
                    let mut values = vec![<$type>::default(); count];
                    bytes.read(0, SliceMut::$kind(&mut values));
                    values.into_iter().map(|value| $literal(value)).collect()
                })*
                other => unreachable!("{other} is not among the types"),
            }
        }
    };
}
fn whole(literal: Literal) -> i64 {
    match literal {
        Literal::Int(value, _) => value,
        other => unreachable!("{other} is no whole number"),
    }
}
by_type! {
    Bool bool: Literal::Bool, |literal: Literal| literal.as_f64() != 0.0;
    U8 u8: |value: u8| Literal::Int(value.into(), DType::U8), |literal| whole(literal) as u8;
    I32 i32: |value: i32| Literal::Int(value.into(), DType::I32), |literal| whole(literal) as i32;
    U32 u32: |value: u32| Literal::Int(value.into(), DType::U32), |literal| whole(literal) as u32;
    I64 i64: |value: i64| Literal::Int(value, DType::I64), whole;
    F32 f32: |value: f32| Literal::float(value.into(), DType::F32), |literal: Literal| literal.as_f64() as f32;
    F64 f64: |value: f64| Literal::float(value, DType::F64), Literal::as_f64;
}

fn check(what: &str, found: Literal, folded: Literal) {
    let (x, y) = (found.as_f64(), folded.as_f64());
    let same = found == folded || (found.dtype() == folded.dtype() && (x.is_nan() && y.is_nan()));
    assert!(same, "{what}: interpreted {found}, folded {folded}");
}

#[test]
fn operators_of_two() {
    for dtype in TYPES {
        let all = values(dtype);
        // Powers and angles are as exact as the library that computes them.
        let exact = |op: &BinaryOp| op.takes(dtype) && !matches!(op, BinaryOp::Pow | BinaryOp::Atan2);
        for op in BinaryOp::ALL.into_iter().filter(exact) {
            for &b in &all {
                let found = interpreted(&all, Some(b), dtype, |builder, x, y| builder.binary(op, x, y));
                for (&a, found) in all.iter().zip(found) {
                    let folded = fold::binary(op, a, b).unwrap();
                    // Of zeros of both signs either is the larger one.
                    let zeros = matches!(op, BinaryOp::Max | BinaryOp::Min) && a.is(0.0) && b.is(0.0);
                    if !zeros {
                        check(&format!("{} of {a} and {b}", op.name()), found, folded);
                    }
                }
            }
        }
        for op in CompareOp::ALL {
            for &b in &all {
                let found = interpreted(&all, Some(b), DType::Bool, |builder, x, y| builder.compare(op, x, y));
                for (&a, found) in all.iter().zip(found) {
                    let folded = Literal::Bool(fold::compare_literals(op, a, b));
                    check(&format!("{} of {a} and {b}", op.name()), found, folded);
                }
            }
        }
    }
}

#[test]
fn operators_of_one_and_conversions() {
    use UnaryOp::{Abs, Ceil, Floor, Neg, Recip, Round, Sign, Sqrt};
    for dtype in TYPES {
        let all = values(dtype);
        for op in [Neg, Abs, Sign, Floor, Ceil, Round, Recip, Sqrt].into_iter().filter(|op| op.takes(dtype)) {
            let found = interpreted(&all, None, dtype, |builder, x, _| builder.unary(op, x));
            for (&a, found) in all.iter().zip(found) {
                if let Some(folded) = fold::unary(op, a) {
                    check(&format!("{} of {a}", op.name()), found, folded);
                }
            }
        }
        for to in TYPES.into_iter().chain([DType::Bool]) {
            let found = interpreted(&all, None, to, |builder, x, _| builder.cast(to, x));
            for (&a, found) in all.iter().zip(found) {
                check(&format!("{a} as {to}"), found, fold::cast(a, to));
            }
        }
        // Rounded to the type and back.
        for to in [DType::F16, DType::BF16] {
            let found = interpreted(&all, None, DType::F32, |builder, x, _| builder.cast(to, x));
            for (&a, found) in all.iter().zip(found) {
                check(&format!("{a} as {to}"), found, fold::cast(fold::cast(a, to), DType::F32));
            }
        }
    }
}
