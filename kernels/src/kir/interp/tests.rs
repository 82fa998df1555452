use super::*;
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::build::KernelBuilder;
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Access, ExprId, Kernel, Launch as Sizes, ParamId, ParamKind, Stmt, WorkItem};

pub(super) fn sizes(global: usize, local: &[u32]) -> Sizes {
    Sizes { global: vec![Dim::from(global)], local: local.to_vec() }
}

pub(super) fn buffer(b: &mut KernelBuilder, name: &str, dtype: DType, access: Access) -> ParamId {
    b.param(name, ParamKind::Buffer(dtype, access))
}

pub(super) fn run(kernel: &Kernel, args: &[LaunchArg<'_>]) -> Result<(), Fault> {
    let verified = verify(kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let compiled = CompiledKernel::new(&verified);
    compiled.launch(args, &[], ops::baseline)?.run()
}

pub(super) fn floats(values: &[f32]) -> Bytes {
    Bytes::of(Slice::F32(values))
}

pub(super) fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.37).sin() * 3.0).collect()
}

/// A kernel with one output of `out` and one input of `a`, an item per element; `body` gets the item and the input.
pub(super) fn elementwise(
    count: usize,
    a: DType,
    out: DType,
    body: impl FnOnce(&mut KernelBuilder, ExprId, ExprId) -> ExprId,
) -> Kernel {
    let mut b = KernelBuilder::new("each", sizes(count, &[]));
    let a = buffer(&mut b, "a", a, Access::Read);
    let out = buffer(&mut b, "out", out, Access::Write);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let x = b.load(a, i, 1);
    let value = body(&mut b, i, x);
    b.store(out, i, value);
    b.finish()
}

/// As OpenCL has it: ids are 0 and sizes 1 in a dimension that the launch does not have.
#[test]
fn dimensions_beyond_the_launch_have_one_item() {
    use WorkItem::{GlobalId, GlobalSize, GroupId, LocalId, LocalSize, NumGroups};
    for local in [&[][..], &[2]] {
        for dimension in [1, 2] {
            let items = [GlobalId, LocalId, GroupId, GlobalSize, LocalSize, NumGroups];
            let mut b = KernelBuilder::new("beyond", sizes(4, local));
            let out = buffer(&mut b, "out", DType::I32, Access::Write);
            let i = b.work_item(GlobalId, 0);
            let literal = |b: &mut KernelBuilder, value: usize| b.literal(Literal::Int(value as i64, DType::I32));
            for (position, item) in items.into_iter().enumerate() {
                let value = b.work_item(item, dimension);
                let (row, position) = (literal(&mut b, items.len()), literal(&mut b, position));
                let start = b.binary(BinaryOp::Mul, i, row);
                let at = b.binary(BinaryOp::Add, start, position);
                b.store(out, at, value);
            }
            let out = Bytes::zeros(DType::I32, 4 * items.len());
            let mut kernel = b.finish();
            // Beyond what the verifier can tell: each item has a row of its own.
            kernel.may_race = true;
            run(&kernel, &[LaunchArg::Buffer(&out)]).unwrap();
            assert_eq!(out.to_i32(), [0, 0, 0, 1, 1, 1].repeat(4), "{local:?} {dimension}");
        }
    }
}

#[test]
fn elementwise_kernels_cover_several_blocks_and_the_tail() {
    let count = 2 * launch::BLOCK + 77;
    let kernel = elementwise(count, DType::F32, DType::F32, |b, i, x| {
        let e = b.unary(UnaryOp::Exp, x);
        let i = b.cast(DType::F32, i);
        b.mul_add(e, x, i)
    });
    let (a, out) = (ramp(count), Bytes::zeros(DType::F32, count));
    run(&kernel, &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&out)]).unwrap();
    for (i, (y, x)) in out.to_f32().into_iter().zip(a).enumerate() {
        let exact = f64::from(x).exp() * f64::from(x) + i as f64;
        assert!((f64::from(y) - exact).abs() <= 1e-6 * exact.abs().max(1.0), "{i}: {y} {exact}");
    }
}

#[test]
fn every_unary_function_matches_its_definition_in_f64() {
    let inputs: Vec<f64> = (-60..60).map(|i| f64::from(i) * 0.21 + 0.003).collect();
    for op in UnaryOp::ALL {
        if op == UnaryOp::Not {
            continue;
        }
        let kernel = elementwise(inputs.len(), DType::F64, DType::F64, |b, _, x| b.unary(op, x));
        let out = Bytes::zeros(DType::F64, inputs.len());
        run(&kernel, &[LaunchArg::Buffer(&Bytes::of(Slice::F64(&inputs))), LaunchArg::Buffer(&out)]).unwrap();
        for (&x, y) in inputs.iter().zip(out.to_f64()) {
            let exact = crate::scalar::unary_float::<crate::scalar::Baseline, f64>(op, x).unwrap();
            assert!(y == exact || (y.is_nan() && exact.is_nan()), "{op:?}({x}) = {y}, expected {exact}");
        }
    }
}

#[test]
fn maximum_and_minimum_propagate_nan_and_relu_does() {
    let a = [f32::NAN, 1.0, -1.0, f32::INFINITY];
    for (op, expected) in
        [(BinaryOp::Max, [f32::NAN, 1.0, 0.0, f32::INFINITY]), (BinaryOp::Min, [f32::NAN, 0.0, -1.0, 0.0])]
    {
        for swapped in [false, true] {
            let kernel = elementwise(4, DType::F32, DType::F32, |b, _, x| {
                let zero = b.literal(Literal::float(0.0, DType::F32));
                if swapped { b.binary(op, zero, x) } else { b.binary(op, x, zero) }
            });
            let out = Bytes::zeros(DType::F32, 4);
            run(&kernel, &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&out)]).unwrap();
            let found = out.to_f32();
            assert!(found[0].is_nan() && found[1..] == expected[1..], "{op:?}: {found:?}");
        }
    }
}

#[test]
fn casts_saturate_and_integers_wrap() {
    let a = [3e10, -3e10, f32::NAN, -1.9, 255.7, 1e20];
    let cast = |to: DType| {
        let kernel = elementwise(a.len(), DType::F32, DType::I32, |b, _, x| {
            let x = b.cast(to, x);
            b.cast(DType::I32, x)
        });
        let out = Bytes::zeros(DType::I32, a.len());
        run(&kernel, &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&out)]).unwrap();
        out.to_i32()
    };
    assert_eq!(cast(DType::I32), [i32::MAX, i32::MIN, 0, -1, 255, i32::MAX]);
    assert_eq!(cast(DType::U8), [255, 0, 0, 0, 255, 255]);
    assert_eq!(cast(DType::U32), [-1, 0, 0, 0, 255, -1]);
    // 3e10 as f32 is 30000001024, whose low 32 bits these are.
    assert_eq!(cast(DType::I64), [-64770048, 64770048, 0, -1, 255, -1]);

    let wrapped = |f: &dyn Fn(&mut KernelBuilder, ExprId) -> ExprId| {
        let kernel = elementwise(2, DType::I32, DType::I32, |b, _, x| f(b, x));
        let out = Bytes::zeros(DType::I32, 2);
        run(&kernel, &[LaunchArg::Buffer(&Bytes::of(Slice::I32(&[i32::MAX, -7]))), LaunchArg::Buffer(&out)]).unwrap();
        out.to_i32()
    };
    let seven = |b: &mut KernelBuilder| b.int(7);
    let apply = |op| {
        wrapped(&|b, x| {
            let seven = seven(b);
            b.binary(op, x, seven)
        })
    };
    assert_eq!(apply(BinaryOp::Add), [i32::MIN + 6, 0]);
    assert_eq!(apply(BinaryOp::Mul), [i32::MAX.wrapping_mul(7), -49]);
    assert_eq!(apply(BinaryOp::Div), [i32::MAX / 7, -1]);
    assert_eq!(apply(BinaryOp::Rem), [i32::MAX % 7, 0]);
    let shifted = wrapped(&|b, x| {
        let by = b.int(33);
        b.binary(BinaryOp::Shl, x, by)
    });
    assert_eq!(shifted, [-2, -14]);
}

#[test]
fn division_by_a_constant_is_exact() {
    let values: Vec<i32> =
        (0..3000).map(|i: i32| i.wrapping_mul(715_827_883)).chain([i32::MIN, i32::MAX, -1, 0, 1]).collect();
    for d in [1, 2, 3, 7, 10, 641, 65_537, i32::MAX, -1, -3, i32::MIN] {
        for op in [BinaryOp::Div, BinaryOp::Rem] {
            let mut signed = vec![0; values.len()];
            ops::baseline(ops::Operation::Binary(
                op,
                SliceMut::I32(&mut signed),
                Slice::I32(&values),
                Slice::I32(&[d]),
            ));
            let unsigned_values: Vec<u32> = values.iter().map(|&x| x as u32).collect();
            let mut unsigned = vec![0; values.len()];
            ops::baseline(ops::Operation::Binary(
                op,
                SliceMut::U32(&mut unsigned),
                Slice::U32(&unsigned_values),
                Slice::U32(&[d as u32]),
            ));
            for (i, &x) in values.iter().enumerate() {
                let (s, u) = match op {
                    BinaryOp::Div => (x.wrapping_div(d), x as u32 / d as u32),
                    _ => (x.wrapping_rem(d), x as u32 % d as u32),
                };
                assert_eq!((signed[i], unsigned[i]), (s, u), "{x} {op:?} {d}");
            }
        }
    }
}

#[test]
fn rows_of_vectors_with_a_scalar_tail_give_softmax() {
    let (rows, columns) = (37, 53);
    let mut b = KernelBuilder::new("softmax", sizes(rows, &[]));
    let x = buffer(&mut b, "x", DType::F32, Access::Read);
    let y = buffer(&mut b, "y", DType::F32, Access::Write);
    let row = b.work_item(WorkItem::GlobalId, 0);
    let width = b.int(columns as i64);
    let start = b.mul(row, width);
    let (zero, one, sixteen, whole) = (b.int(0), b.int(1), b.int(16), b.int(48));
    let minus_infinity = b.literal(Literal::float(f64::NEG_INFINITY, DType::F32));
    let wide = b.splat(minus_infinity, 16);
    let peak = b.bind("peak", wide);
    b.for_loop("i", zero, whole, sixteen, |b, i| {
        let at = b.add(start, i);
        let (x, old) = (b.load(x, at, 16), b.get(peak));
        let new = b.binary(BinaryOp::Max, old, x);
        b.assign(peak, new);
    });
    let peak = b.get(peak);
    let peak = b.horizontal(ReduceOp::Max, peak);
    let top = b.bind("top", peak);
    b.for_loop("i", whole, width, one, |b, i| {
        let at = b.add(start, i);
        let (x, old) = (b.load(x, at, 1), b.get(top));
        let new = b.binary(BinaryOp::Max, old, x);
        b.assign(top, new);
    });
    let zeros = b.literal(Literal::float(0.0, DType::F32));
    let total = b.bind("total", zeros);
    b.for_loop("i", zero, width, one, |b, i| {
        let at = b.add(start, i);
        let (x, top, old) = (b.load(x, at, 1), b.get(top), b.get(total));
        let e = b.binary(BinaryOp::Sub, x, top);
        let e = b.unary(UnaryOp::Exp, e);
        let new = b.add(old, e);
        b.assign(total, new);
    });
    for (first, last, lanes) in [(zero, whole, 16), (whole, width, 1)] {
        let step = b.int(i64::from(lanes));
        b.for_loop("i", first, last, step, |b, i| {
            let at = b.add(start, i);
            let (x, top, total) = (b.load(x, at, lanes), b.get(top), b.get(total));
            let e = b.binary(BinaryOp::Sub, x, top);
            let e = b.unary(UnaryOp::Exp, e);
            let value = b.binary(BinaryOp::Div, e, total);
            b.store(y, at, value);
        });
    }
    let kernel = b.finish();
    let values = ramp(rows * columns);
    let out = Bytes::zeros(DType::F32, rows * columns);
    run(&kernel, &[LaunchArg::Buffer(&floats(&values)), LaunchArg::Buffer(&out)]).unwrap();
    let out = out.to_f32();
    for row in 0..rows {
        let row = row * columns..(row + 1) * columns;
        let total: f64 = values[row.clone()].iter().map(|&x| f64::from(x).exp()).sum();
        for i in row {
            assert!((f64::from(out[i]) - f64::from(values[i]).exp() / total).abs() < 1e-6);
        }
    }
}

/// The number of steps of the Collatz sequence, with `break`, `continue` and a loop that items leave at different times.
#[test]
fn items_leave_loops_at_different_times() {
    let count = 300;
    let mut b = KernelBuilder::new("collatz", sizes(count, &[]));
    let out = buffer(&mut b, "out", DType::I32, Access::Write);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (zero, one, two, three, most) = (b.int(0), b.int(1), b.int(2), b.int(3), b.int(1000));
    let n = b.add(i, one);
    let n = b.bind("n", n);
    let steps = b.bind("steps", zero);
    b.for_loop("round", zero, most, one, |b, _| {
        let now = b.get(n);
        let done = b.compare(CompareOp::Le, now, one);
        b.if_then(done, |b| b.stmt(Stmt::Break));
        let old = b.get(steps);
        let new = b.add(old, one);
        b.assign(steps, new);
        let rest = b.binary(BinaryOp::Rem, now, two);
        let even = b.compare(CompareOp::Eq, rest, zero);
        b.if_then(even, |b| {
            let half = b.binary(BinaryOp::Div, now, two);
            b.assign(n, half);
            b.stmt(Stmt::Continue);
        });
        let next = b.mul(now, three);
        let next = b.add(next, one);
        b.assign(n, next);
    });
    let steps = b.get(steps);
    b.store(out, i, steps);
    let out = Bytes::zeros(DType::I32, count);
    run(&b.finish(), &[LaunchArg::Buffer(&out)]).unwrap();
    for (i, found) in out.to_i32().into_iter().enumerate() {
        let (mut n, mut steps) = (i as u64 + 1, 0);
        while n > 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        assert_eq!(found, steps, "{i}");
    }
}

#[test]
fn loop_bounds_may_differ_and_while_loops_end_by_item() {
    let count = 100;
    let mut b = KernelBuilder::new("triangle", sizes(count, &[]));
    let out = buffer(&mut b, "out", DType::I32, Access::Write);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (zero, one, three) = (b.int(0), b.int(1), b.int(3));
    let total = b.bind("total", zero);
    b.for_loop("outer", zero, i, one, |b, outer| {
        b.for_loop("inner", outer, i, three, |b, inner| {
            let old = b.get(total);
            let new = b.add(old, inner);
            b.assign(total, new);
        });
    });
    let left = b.bind("left", i);
    let now = b.get(left);
    let condition = b.compare(CompareOp::Gt, now, zero);
    b.open();
    let less = b.binary(BinaryOp::Sub, now, three);
    b.assign(left, less);
    let old = b.get(total);
    let more = b.add(old, one);
    b.assign(total, more);
    let body = b.close();
    b.stmt(Stmt::While { condition, body });
    let total = b.get(total);
    b.store(out, i, total);
    let out = Bytes::zeros(DType::I32, count);
    run(&b.finish(), &[LaunchArg::Buffer(&out)]).unwrap();
    for (i, found) in out.to_i32().into_iter().enumerate() {
        let sum: usize = (0..i).flat_map(|outer| (outer..i).step_by(3)).sum();
        assert_eq!(found as usize, sum + i.div_ceil(3), "{i}");
    }
}

#[test]
fn half_precision_is_a_storage_type() {
    let values = [1.0f32, 1.0 / 3.0, 70_000.0, -2.5e-8];
    for (dtype, size) in [(DType::F16, 2), (DType::BF16, 2)] {
        let kernel = elementwise(4, DType::F32, dtype, |_, _, x| x);
        let half = Bytes::zeros(dtype, 4);
        run(&kernel, &[LaunchArg::Buffer(&floats(&values)), LaunchArg::Buffer(&half)]).unwrap();
        assert_eq!(half.bytes(), 4 * size);
        let kernel = elementwise(4, dtype, DType::F32, |_, _, x| x);
        let out = Bytes::zeros(DType::F32, 4);
        run(&kernel, &[LaunchArg::Buffer(&half), LaunchArg::Buffer(&out)]).unwrap();
        let expected = values.map(|x| match dtype {
            DType::F16 => half::f16::from_f32(x).to_f32(),
            _ => half::bf16::from_f32(x).to_f32(),
        });
        assert_eq!(out.to_f32(), expected);
        let cast = elementwise(4, DType::F32, DType::F32, |b, _, x| b.cast(dtype, x));
        run(&cast, &[LaunchArg::Buffer(&floats(&values)), LaunchArg::Buffer(&out)]).unwrap();
        assert_eq!(out.to_f32(), expected);
    }
}

#[test]
fn random_numbers_are_those_of_the_generator() {
    let count = 1500;
    let mut b = KernelBuilder::new("random", sizes(count, &[]));
    let out = buffer(&mut b, "out", DType::F32, Access::Write);
    let seed = b.scalar("seed", DType::U32);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let counter = b.cast(DType::U32, i);
    let value = b.philox(counter, seed, 5);
    b.store(out, i, value);
    let out = Bytes::zeros(DType::F32, count);
    run(&b.finish(), &[LaunchArg::Buffer(&out), LaunchArg::Scalar(Literal::Int(99, DType::U32))]).unwrap();
    for (i, found) in out.to_f32().into_iter().enumerate() {
        assert_eq!(found, crate::philox::uniform(99, 5, i as u64));
    }
}

/// Sum, running maximum and a store in one loop over a row of 16-lane vectors.
fn long_rows(rows: usize, columns: i64) -> Kernel {
    let mut b = KernelBuilder::new("long_rows", sizes(rows, &[]));
    let x = buffer(&mut b, "x", DType::F32, Access::Read);
    let y = buffer(&mut b, "y", DType::F32, Access::Write);
    let out = buffer(&mut b, "out", DType::F32, Access::Write);
    let row = b.work_item(WorkItem::GlobalId, 0);
    let (width, zero, sixteen) = (b.int(columns), b.int(0), b.int(16));
    let start = b.mul(row, width);
    let zeros = b.literal(Literal::float(0.0, DType::F32));
    let zeros = b.splat(zeros, 16);
    let (total, peak) = (b.bind("total", zeros), b.bind("peak", zeros));
    b.for_loop("i", zero, width, sixteen, |b, i| {
        let at = b.add(start, i);
        let value = b.load(x, at, 16);
        let (sum, high) = (b.get(total), b.get(peak));
        let sum = b.mul_add(value, value, sum);
        b.assign(total, sum);
        let high = b.binary(BinaryOp::Max, high, value);
        b.assign(peak, high);
        let double = b.add(value, value);
        b.store(y, at, double);
    });
    let (total, peak) = (b.get(total), b.get(peak));
    let (total, peak) = (b.horizontal(ReduceOp::Sum, total), b.horizontal(ReduceOp::Max, peak));
    let value = b.add(total, peak);
    b.store(out, row, value);
    b.finish()
}

#[test]
fn rounds_of_long_loops_run_side_by_side() {
    let (rows, columns) = (3, 16 * 150);
    let kernel = long_rows(rows, columns as i64);
    let verified = verify(&kernel, &Capabilities::unlimited()).unwrap();
    assert_eq!(CompiledKernel::new(&verified).code.kind, scope::BlockKind::Rounds);
    let x = ramp(rows * columns);
    let (y, out) = (Bytes::zeros(DType::F32, rows * columns), Bytes::zeros(DType::F32, rows));
    run(&kernel, &[LaunchArg::Buffer(&floats(&x)), LaunchArg::Buffer(&y), LaunchArg::Buffer(&out)]).unwrap();
    assert!(y.to_f32().iter().zip(&x).all(|(y, x)| *y == 2.0 * x));
    for (found, row) in out.to_f32().into_iter().zip(x.chunks(columns)) {
        let sum: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let exact = sum + f64::from(row.iter().fold(0.0f32, |a, &b| a.max(b)));
        assert!((f64::from(found) - exact).abs() < 1e-5 * exact, "{found} {exact}");
    }
}

#[test]
fn rounds_that_depend_on_each_other_run_one_after_another() {
    // y[i + 16] = y[i] + 1 within a row: a load of what an earlier round stored.
    let mut b = KernelBuilder::new("prefix", sizes(2, &[]));
    let y = buffer(&mut b, "y", DType::F32, Access::ReadWrite);
    let row = b.work_item(WorkItem::GlobalId, 0);
    let (width, zero, sixteen, last) = (b.int(1600), b.int(0), b.int(16), b.int(1584));
    let start = b.mul(row, width);
    let one = b.literal(Literal::float(1.0, DType::F32));
    b.for_loop("i", zero, last, sixteen, |b, i| {
        let at = b.add(start, i);
        let value = b.load(y, at, 16);
        let value = b.add(value, one);
        let next = b.add(at, sixteen);
        b.store(y, next, value);
    });
    let kernel = b.finish();
    let y = Bytes::zeros(DType::F32, 3200);
    run(&kernel, &[LaunchArg::Buffer(&y)]).unwrap();
    let expected: Vec<f32> = (0..3200).map(|i| (i % 1600 / 16) as f32).collect();
    assert_eq!(y.to_f32(), expected);
}
