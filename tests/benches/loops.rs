//! An LSTM over a symbolic axis with all rounds of its loop in one kernel against launches in each round, by turns in one run.
//!
//! `cargo bench -p netcl-tests --bench loops -- [--device SELECTOR]`. The rule that decides between the two is that of
//! `kernels/src/variant/rule.rs`, which goes by the width that is printed.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::span::Result as Built;
use netcl_kernels::variant::{KernelConfig, Variant};
use netcl_tests::option;
use std::time::Instant;

/// The last state's squares, summed, of an LSTM of so many inputs and hidden values over `x [T, N, inputs]`.
fn lstm([inputs, hidden]: [usize; 2], gradients: bool) -> Built<Graph> {
    let mut b = Builder::new("lstm");
    let (n, t) = (Dim::symbol("N"), Dim::symbol("T"));
    let mut arguments = 0;
    let mut argument = |b: &mut Builder, name: &str, sizes: Vec<Dim>| {
        arguments += 1;
        b.input(InputKind::Argument(arguments - 1), name, Shape(sizes), DType::F32)
    };
    let x = argument(&mut b, "x", vec![t.clone(), n.clone(), Dim::from(inputs)]);
    let w = argument(&mut b, "w", vec![Dim::from(inputs), Dim::from(4 * hidden)]);
    let u = argument(&mut b, "u", vec![Dim::from(hidden), Dim::from(4 * hidden)]);
    let bias = argument(&mut b, "bias", vec![Dim::from(4 * hidden)]);
    let state = Shape(vec![n.clone(), Dim::from(hidden)]);
    let zeros = b.full(0.0, &state, DType::F32);
    let draft = b.begin_scan("t", t, &[zeros, zeros]);
    let index = vec![AxisIndex::fixed(draft.round()), AxisIndex::axis(0), AxisIndex::axis(1)];
    let x = b.view(x, Shape(vec![n, Dim::from(inputs)]), index)?;
    let (h, c) = (draft.carried()[0], draft.carried()[1]);
    let (x, h) = (b.matmul(x, w)?, b.matmul(h, u)?);
    let gates = b.binary(BinaryOp::Add, x, h)?;
    let gates = b.binary(BinaryOp::Add, gates, bias)?;
    let gate = |b: &mut Builder, number: usize, op: UnaryOp| {
        let along = AxisIndex { offset: Dim::from(number * hidden), ..AxisIndex::axis(1) };
        let part = b.view(gates, state.clone(), vec![AxisIndex::axis(0), along])?;
        b.unary(op, part)
    };
    let sigmoid = |b: &mut Builder, number: usize| {
        let (tanh, one) = (gate(b, number, UnaryOp::Tanh)?, b.full(0.5, &state, DType::F32));
        let half = b.binary(BinaryOp::Mul, tanh, one)?;
        b.binary(BinaryOp::Add, half, one)
    };
    let (i, f, o) = (sigmoid(&mut b, 0)?, sigmoid(&mut b, 1)?, sigmoid(&mut b, 3)?);
    let g = gate(&mut b, 2, UnaryOp::Tanh)?;
    let (kept, new) = (b.binary(BinaryOp::Mul, f, c)?, b.binary(BinaryOp::Mul, i, g)?);
    let c = b.binary(BinaryOp::Add, kept, new)?;
    let flat = b.unary(UnaryOp::Tanh, c)?;
    let h = b.binary(BinaryOp::Mul, o, flat)?;
    let results = b.end_scan(&draft, &[h, c], &[])?;
    let squares = b.binary(BinaryOp::Mul, results[0], results[0])?;
    let loss = b.reduce(ReduceOp::Sum, squares, &[0, 1], false)?;
    b.output(OutputKind::Result(0), loss);
    match gradients {
        true => append_gradients(b.finish(), Arguments::At(&[1, 2, 3])),
        false => Ok(b.finish()),
    }
}

fn main() -> Result<()> {
    let device = Device::select(option("--device").as_deref().unwrap_or("auto"))?;
    println!("{}: launches in each round, one kernel: us (launches), ratio", device.profile().name);
    let ways = [Variant::RecurrenceLaunches, Variant::RecurrenceOneKernel];
    let sizes =
        [(8, 8), (32, 1), (32, 64), (64, 1), (64, 64), (64, 512), (96, 64), (128, 1), (128, 64), (128, 256), (256, 64)];
    for (hidden, batch) in sizes {
        for gradients in [false, true] {
            let graph = lstm([hidden, hidden], gradients).expect("shapes that fit");
            let steps = 128;
            let sizes =
                [vec![steps, batch, hidden], vec![hidden, 4 * hidden], vec![hidden, 4 * hidden], vec![4 * hidden]];
            let mut inputs = Vec::new();
            for sizes in &sizes {
                let elements: usize = sizes.iter().product();
                let wave: Vec<f32> = (0..elements).map(|i| ((i % 9973) as f32 * 0.61).sin() * 0.1).collect();
                inputs.push(Tensor::from_slice(&device, &wave, sizes)?);
            }
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            let (mut times, mut launches, mut values) = ([Vec::new(), Vec::new()], [0; 2], [0.0; 2]);
            for _ in 0..9 {
                for (which, way) in ways.into_iter().enumerate() {
                    let _forced = device.selector().force(KernelConfig::plain(way));
                    let (before, start) = (device.launches(), Instant::now());
                    let results = netcl::jit::run(&graph, &inputs)?;
                    device.finish()?;
                    times[which].push(start.elapsed().as_secs_f64() * 1e6);
                    launches[which] = device.launches() - before;
                    values[which] = results[0].item::<f32>()?;
                }
            }
            let [each, one] = times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            });
            let what = if gradients { "with gradients" } else { "forward" };
            assert!(
                (values[0] - values[1]).abs() <= 1e-5 * values[0].abs(),
                "hidden {hidden}, batch {batch}: {values:?}"
            );
            println!(
                "hidden {hidden:3}, batch {batch:3}, {steps} rounds, {what:14}: {each:8.0} ({}), {one:8.0} ({}), {:.2}",
                launches[0],
                launches[1],
                each / one
            );
        }
    }
    Ok(())
}
