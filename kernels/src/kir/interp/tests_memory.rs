//! Groups, arrays, atomics, guarded loads, helper functions.

use super::tests::{buffer, elementwise, floats, ramp, run, sizes};
use super::*;
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp};
use crate::kir::build::KernelBuilder;
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{
    Access, AtomicOp, AtomicTarget, Expr, ExprId, Function, Kernel, Launch as Sizes, ParamKind, Space, Stmt,
    SubGroupOp, ValueType, Var, VarId, WorkItem,
};

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
    run(&group_sum(256, false), &[LaunchArg::Buffer(&floats(&x)), LaunchArg::Buffer(&out)]).unwrap();
    let expected: Vec<f32> = x.chunks(64).map(|group| group.iter().sum()).collect();
    assert_eq!(out.to_f32(), expected);
}

#[test]
fn the_verifier_refuses_divergent_barriers() {
    assert!(verify(&group_sum(64, true), &Capabilities::unlimited()).is_err());
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
    run(&kernel(true), &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&out)]).unwrap();
    let out = out.to_f32();
    assert_eq!((out[3], out[69]), (a[3] + a[4], a[69]));
    let fault =
        run(&kernel(false), &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&Bytes::zeros(DType::F32, 70))]);
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
    run(&b.finish(), &[LaunchArg::Buffer(&out)]).unwrap();
    let expected: Vec<i32> = (0..50).map(|i| i * 7 - i * (i % 8)).collect();
    assert_eq!(out.to_i32(), expected);
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
    run(&b.finish(), &[LaunchArg::Buffer(&bins), LaunchArg::Buffer(&order)]).unwrap();
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
    run(&b.finish(), &[LaunchArg::Buffer(&out)]).unwrap();
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
    run(&kernel, &[LaunchArg::Buffer(&floats(&a)), LaunchArg::Buffer(&out)]).unwrap();
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
    run(&b.finish(), &[LaunchArg::Buffer(&out)]).unwrap();
    assert_eq!(out.to_i32(), (0..35).map(|i| i / 7 * 100 + i % 7).collect::<Vec<_>>());
}

#[test]
fn arguments_are_checked() {
    let kernel = elementwise(4, DType::F32, DType::F32, |_, _, x| x);
    let out = Bytes::zeros(DType::F32, 4);
    let few = run(&kernel, &[LaunchArg::Buffer(&out)]).unwrap_err();
    assert_eq!(few.to_string(), "kernel `each`: expects 2 arguments, found 1");
    let wrong = run(&kernel, &[LaunchArg::Buffer(&out), LaunchArg::Scalar(Literal::Int(1, DType::I32))]).unwrap_err();
    assert_eq!(wrong.to_string(), "kernel `each`: `out` expects a buffer of f32, found 1i32");
}
