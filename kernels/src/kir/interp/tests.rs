use super::*;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::build::KernelBuilder;
use crate::kir::verify::{Limits, verify};
use crate::kir::{
    Access, AtomicOp, AtomicTarget, ExprId, Function, Launch as Sizes, ParamId, Stmt, SubGroupOp, ValueType, Var, VarId,
};

fn sizes(global: usize, local: &[u32]) -> Sizes {
    Sizes { global: vec![Dim::from(global)], local: local.to_vec() }
}

fn buffer(b: &mut KernelBuilder, name: &str, dtype: DType, access: Access) -> ParamId {
    b.param(name, ParamKind::Buffer(dtype, access))
}

fn run(kernel: &Kernel, args: &[Value<'_>]) -> Result<(), Fault> {
    let verified = verify(kernel, &Limits::unlimited()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let program = Program::new(&verified);
    program.launch(args, &[], ops::baseline)?.run()
}

fn floats(values: &[f32]) -> Bytes {
    Bytes::of(Slice::F32(values))
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.37).sin() * 3.0).collect()
}

/// A kernel with one output of `out` and one input of `a`, an item per element; `body` gets the item and the input.
fn elementwise(
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

#[test]
fn elementwise_kernels_cover_several_blocks_and_the_tail() {
    let count = 2 * BLOCK + 77;
    let kernel = elementwise(count, DType::F32, DType::F32, |b, i, x| {
        let e = b.unary(UnaryOp::Exp, x);
        let i = b.cast(DType::F32, i);
        b.mul_add(e, x, i)
    });
    let (a, out) = (ramp(count), Bytes::zeros(DType::F32, count));
    run(&kernel, &[Value::Buffer(&floats(&a)), Value::Buffer(&out)]).unwrap();
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
        run(&kernel, &[Value::Buffer(&Bytes::of(Slice::F64(&inputs))), Value::Buffer(&out)]).unwrap();
        for (&x, y) in inputs.iter().zip(out.to_f64()) {
            let exact = crate::fold::unary_f64(op, x).unwrap_or_else(|| crate::special::erf(x));
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
            run(&kernel, &[Value::Buffer(&floats(&a)), Value::Buffer(&out)]).unwrap();
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
        run(&kernel, &[Value::Buffer(&floats(&a)), Value::Buffer(&out)]).unwrap();
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
        run(&kernel, &[Value::Buffer(&Bytes::of(Slice::I32(&[i32::MAX, -7]))), Value::Buffer(&out)]).unwrap();
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
        b.push(Expr::Shift(true, x, by), ValueType::scalar(DType::I32))
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
    run(&kernel, &[Value::Buffer(&floats(&values)), Value::Buffer(&out)]).unwrap();
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
    run(&b.finish(), &[Value::Buffer(&out)]).unwrap();
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
    run(&b.finish(), &[Value::Buffer(&out)]).unwrap();
    for (i, found) in out.to_i32().into_iter().enumerate() {
        let sum: usize = (0..i).flat_map(|outer| (outer..i).step_by(3)).sum();
        assert_eq!(found as usize, sum + i.div_ceil(3), "{i}");
    }
}

fn group_sum(count: usize, guarded: bool) -> Kernel {
    let mut b = KernelBuilder::new("group_sum", sizes(count, &[64]));
    let x = buffer(&mut b, "x", DType::F32, Access::Read);
    let out = buffer(&mut b, "out", DType::F32, Access::Write);
    let shared = b.array("shared", Space::Local, DType::F32, 64);
    let (i, l, g) =
        (b.work_item(WorkItem::GlobalId, 0), b.work_item(WorkItem::LocalId, 0), b.work_item(WorkItem::GroupId, 0));
    let value = b.load(x, i, 1);
    b.stmt(Stmt::StoreArray { array: shared, index: l, value });
    b.barrier();
    let half = b.int(32);
    let half = b.bind("half", half);
    let (zero, two) = (b.int(0), b.int(2));
    let now = b.get(half);
    let condition = b.compare(CompareOp::Gt, now, zero);
    b.open();
    let low = b.compare(CompareOp::Lt, l, now);
    b.if_then(low, |b| {
        let other = b.add(l, now);
        let (mine, other) = (b.load_array(shared, l), b.load_array(shared, other));
        let value = b.add(mine, other);
        b.stmt(Stmt::StoreArray { array: shared, index: l, value });
        if guarded {
            b.barrier();
        }
    });
    if !guarded {
        b.barrier();
    }
    let next = b.binary(BinaryOp::Div, now, two);
    b.assign(half, next);
    let body = b.close();
    b.stmt(Stmt::While { condition, body });
    let first = b.compare(CompareOp::Eq, l, zero);
    b.if_then(first, |b| {
        let total = b.load_array(shared, zero);
        b.store(out, g, total);
    });
    b.finish()
}

#[test]
fn groups_share_local_memory() {
    let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let out = Bytes::zeros(DType::F32, 4);
    run(&group_sum(256, false), &[Value::Buffer(&floats(&x)), Value::Buffer(&out)]).unwrap();
    let expected: Vec<f32> = x.chunks(64).map(|group| group.iter().sum()).collect();
    assert_eq!(out.to_f32(), expected);
}

#[test]
fn the_verifier_refuses_divergent_barriers() {
    assert!(verify(&group_sum(64, true), &Limits::unlimited()).is_err());
}

#[test]
fn guarded_loads_stay_inside_and_others_are_reported() {
    let kernel = |guarded: bool| {
        elementwise(70, DType::F32, DType::F32, |b, i, x| {
            let one = b.int(1);
            let next = b.add(i, one);
            let a = b.param("a", ParamKind::Buffer(DType::F32, Access::Read));
            let neighbour = b.load(a, next, 1);
            if !guarded {
                return b.add(x, neighbour);
            }
            let last = b.int(70);
            let inside = b.compare(CompareOp::Lt, next, last);
            let zero = b.literal(Literal::float(0.0, DType::F32));
            let neighbour = b.select(inside, neighbour, zero);
            b.add(x, neighbour)
        })
    };
    let a = ramp(70);
    let out = Bytes::zeros(DType::F32, 70);
    run(&kernel(true), &[Value::Buffer(&floats(&a)), Value::Buffer(&out)]).unwrap();
    let out = out.to_f32();
    assert_eq!((out[3], out[69]), (a[3] + a[4], a[69]));
    let fault = run(&kernel(false), &[Value::Buffer(&floats(&a)), Value::Buffer(&Bytes::zeros(DType::F32, 70))]);
    assert_eq!(
        fault.unwrap_err().to_string(),
        "kernel `each`: work-item [69, 0, 0] accesses `a[70]`, but `a` has 70 elements"
    );
}

#[test]
fn private_arrays_belong_to_items() {
    let count = 50;
    let mut b = KernelBuilder::new("reverse", sizes(count, &[]));
    let out = buffer(&mut b, "out", DType::I32, Access::Write);
    let own = b.array("own", Space::Private, DType::I32, 8);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (zero, one, eight) = (b.int(0), b.int(1), b.int(8));
    b.for_loop("k", zero, eight, one, |b, k| {
        let value = b.mul(i, k);
        b.stmt(Stmt::StoreArray { array: own, index: k, value });
    });
    let which = b.binary(BinaryOp::Rem, i, eight);
    let seven = b.int(7);
    let (a, c) = (b.load_array(own, which), b.load_array(own, seven));
    let value = b.binary(BinaryOp::Sub, c, a);
    b.store(out, i, value);
    let out = Bytes::zeros(DType::I32, count);
    run(&b.finish(), &[Value::Buffer(&out)]).unwrap();
    let expected: Vec<i32> = (0..50).map(|i| i * 7 - i * (i % 8)).collect();
    assert_eq!(out.to_i32(), expected);
}

#[test]
fn half_precision_is_a_storage_type() {
    let values = [1.0f32, 1.0 / 3.0, 70_000.0, -2.5e-8];
    for (dtype, size) in [(DType::F16, 2), (DType::BF16, 2)] {
        let kernel = elementwise(4, DType::F32, dtype, |_, _, x| x);
        let half = Bytes::zeros(dtype, 4);
        run(&kernel, &[Value::Buffer(&floats(&values)), Value::Buffer(&half)]).unwrap();
        assert_eq!(half.bytes(), 4 * size);
        let kernel = elementwise(4, dtype, DType::F32, |_, _, x| x);
        let out = Bytes::zeros(DType::F32, 4);
        run(&kernel, &[Value::Buffer(&half), Value::Buffer(&out)]).unwrap();
        let expected = values.map(|x| match dtype {
            DType::F16 => half::f16::from_f32(x).to_f32(),
            _ => half::bf16::from_f32(x).to_f32(),
        });
        assert_eq!(out.to_f32(), expected);
        let cast = elementwise(4, DType::F32, DType::F32, |b, _, x| b.cast(dtype, x));
        run(&cast, &[Value::Buffer(&floats(&values)), Value::Buffer(&out)]).unwrap();
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
    run(&b.finish(), &[Value::Buffer(&out), Value::Scalar(Literal::Int(99, DType::U32))]).unwrap();
    for (i, found) in out.to_f32().into_iter().enumerate() {
        assert_eq!(found, crate::philox::uniform(99, 5, i as u64));
    }
}

#[test]
fn atomics_give_the_old_value() {
    let count = 90;
    let mut b = KernelBuilder::new("count", sizes(count, &[]));
    let bins = buffer(&mut b, "bins", DType::I32, Access::ReadWrite);
    let order = buffer(&mut b, "order", DType::I32, Access::Write);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (three, one) = (b.int(3), b.int(1));
    let index = b.binary(BinaryOp::Rem, i, three);
    let old = b.var("old", ValueType::scalar(DType::I32));
    b.stmt(Stmt::Atomic { op: AtomicOp::Add, target: AtomicTarget::Buffer(bins), index, value: one, old: Some(old) });
    let old = b.get(old);
    b.store(order, i, old);
    let (bins, order) = (Bytes::zeros(DType::I32, 3), Bytes::zeros(DType::I32, count));
    run(&b.finish(), &[Value::Buffer(&bins), Value::Buffer(&order)]).unwrap();
    assert_eq!(bins.to_i32(), [30; 3]);
    assert_eq!(order.to_i32(), (0..90).map(|i| i / 3).collect::<Vec<_>>());
}

#[test]
fn sub_groups_combine_their_items() {
    let mut b = KernelBuilder::new("sub_sum", sizes(64, &[64]));
    let out = buffer(&mut b, "out", DType::I32, Access::Write);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let sum = b.push(Expr::SubGroup(SubGroupOp::ReduceAdd, i, None), ValueType::scalar(DType::I32));
    b.store(out, i, sum);
    let out = Bytes::zeros(DType::I32, 64);
    run(&b.finish(), &[Value::Buffer(&out)]).unwrap();
    let low: i32 = (0..32).sum();
    assert_eq!(out.to_i32(), [[low; 32], [low + 1024; 32]].concat());
}

/// `power(x, n)` by a loop, called under a selection.
#[test]
fn helper_functions_have_their_own_control_flow() {
    let scalar = |dtype| ValueType::scalar(dtype);
    let vars = [("x", DType::F32), ("n", DType::I32), ("result", DType::F32), ("k", DType::I32)];
    let (x, n, result, k) = (VarId(0), VarId(1), VarId(2), VarId(3));
    let exprs = vec![
        Expr::Literal(Literal::float(1.0, DType::F32)),
        Expr::Literal(Literal::Int(0, DType::I32)),
        Expr::Literal(Literal::Int(1, DType::I32)),
        Expr::Var(n),
        Expr::Var(result),
        Expr::Var(x),
        Expr::Binary(BinaryOp::Mul, ExprId(4), ExprId(5)),
    ];
    let function = Function {
        name: "power".to_string(),
        params: vec![x, n],
        vars: vars.iter().map(|(name, dtype)| Var { name: name.to_string(), ty: scalar(*dtype) }).collect(),
        exprs,
        body: vec![
            Stmt::Let(result, ExprId(0)),
            Stmt::For {
                var: k,
                start: ExprId(1),
                end: ExprId(3),
                step: ExprId(2),
                body: vec![Stmt::Assign(result, ExprId(6))],
            },
        ],
        result: ExprId(4),
    };
    let mut kernel = elementwise(40, DType::F32, DType::F32, |b, i, x| {
        let five = b.int(5);
        let n = b.binary(BinaryOp::Rem, i, five);
        let call = b.push(Expr::Call(0, vec![x, n]), scalar(DType::F32));
        let two = b.int(2);
        let taken = b.compare(CompareOp::Ge, n, two);
        b.select(taken, call, x)
    });
    kernel.functions.push(function);
    let a = ramp(40);
    let out = Bytes::zeros(DType::F32, 40);
    run(&kernel, &[Value::Buffer(&floats(&a)), Value::Buffer(&out)]).unwrap();
    for (i, (found, x)) in out.to_f32().into_iter().zip(a).enumerate() {
        let n = i % 5;
        let expected = if n >= 2 { (0..n).fold(1.0f32, |p, _| p * x) } else { x };
        assert_eq!(found, expected, "{i}");
    }
}

#[test]
fn the_first_dimension_runs_fastest() {
    let mut b = KernelBuilder::new("plane", Sizes { global: vec![Dim::from(7), Dim::from(5)], local: Vec::new() });
    let out = buffer(&mut b, "out", DType::I32, Access::Write);
    let (x, y) = (b.work_item(WorkItem::GlobalId, 0), b.work_item(WorkItem::GlobalId, 1));
    let (seven, hundred) = (b.int(7), b.int(100));
    let row = b.mul(y, seven);
    let at = b.add(row, x);
    let value = b.mul(y, hundred);
    let value = b.add(value, x);
    b.store(out, at, value);
    let out = Bytes::zeros(DType::I32, 35);
    run(&b.finish(), &[Value::Buffer(&out)]).unwrap();
    assert_eq!(out.to_i32(), (0..35).map(|i| i / 7 * 100 + i % 7).collect::<Vec<_>>());
}

#[test]
fn arguments_are_checked() {
    let kernel = elementwise(4, DType::F32, DType::F32, |_, _, x| x);
    let out = Bytes::zeros(DType::F32, 4);
    let few = run(&kernel, &[Value::Buffer(&out)]).unwrap_err();
    assert_eq!(few.to_string(), "kernel `each`: expects 2 arguments, found 1");
    let wrong = run(&kernel, &[Value::Buffer(&out), Value::Scalar(Literal::Int(1, DType::I32))]).unwrap_err();
    assert_eq!(wrong.to_string(), "kernel `each`: `out` expects a buffer of f32, found 1i32");
}
