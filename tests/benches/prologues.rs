//! Products whose left or right operand is `relu(x)` or a masked gradient, with the operand computed by the product
//! against the same with the operand stored (because it is a result, too), by turns in one run.
//!
//! `cargo bench -p netcl-tests --bench prologues -- [--device SELECTOR]`. A launch more than one in the first column says
//! that the cost rule (`kernels/src/fuse/prologue.rs`) would store the operand anyway.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, CompareOp, Graph, InputKind, NodeId, OutputKind};
use netcl_tests::option;
use std::time::Instant;

#[derive(Clone, Copy, Debug)]
enum Operand {
    Left,
    LeftTimesTransposed,
    TransposedLeft,
    Right,
}

/// `[m, k] · [k, n]`, one operand computed from `x` and, `masked`, from a second tensor of its shape.
fn product(operand: Operand, masked: bool, [m, k, n]: [usize; 3], stored: bool) -> (Graph, Vec<[usize; 2]>) {
    let mut b = Builder::new("product");
    let (computed, other) = match operand {
        Operand::Left => ([m, k], [k, n]),
        Operand::LeftTimesTransposed => ([m, k], [n, k]),
        Operand::TransposedLeft => ([k, m], [k, n]),
        Operand::Right => ([k, n], [m, k]),
    };
    let mut shapes = vec![computed, other];
    shapes.extend(masked.then_some(computed));
    let inputs: Vec<NodeId> = (0..shapes.len())
        .map(|i| b.input(InputKind::Argument(i), &format!("x{i}"), Shape::of(&shapes[i]), DType::F32))
        .collect();
    let zero = b.constant(0.0, DType::F32);
    let h = if masked {
        let off = b.compare(CompareOp::Le, inputs[2], zero).expect("equal shapes");
        b.select(off, zero, inputs[0]).expect("equal shapes")
    } else {
        b.binary(BinaryOp::Max, inputs[0], zero).expect("a number")
    };
    let turn = |b: &mut Builder, id| b.transpose(id).expect("a matrix");
    let (left, right) = match operand {
        Operand::Left => (h, inputs[1]),
        Operand::LeftTimesTransposed => (h, turn(&mut b, inputs[1])),
        Operand::TransposedLeft => (turn(&mut b, h), inputs[1]),
        Operand::Right => (inputs[1], h),
    };
    let y = b.matmul(left, right).expect("shapes that fit");
    b.output(OutputKind::Result(0), y);
    if stored {
        b.output(OutputKind::Result(1), h);
    }
    (b.finish(), shapes)
}

fn main() -> Result<()> {
    let device = Device::select(option("--device").as_deref().unwrap_or("auto"))?;
    println!("{}: computed / stored", device.profile().name);
    for size in [[128, 512, 10], [128, 512, 128], [128, 512, 512], [1024, 1024, 1024]] {
        for operand in [Operand::Left, Operand::LeftTimesTransposed, Operand::TransposedLeft, Operand::Right] {
            for masked in [false, true] {
                let graphs = [false, true].map(|stored| product(operand, masked, size, stored));
                let mut inputs = Vec::new();
                for [rows, columns] in &graphs[0].1 {
                    let wave: Vec<f32> = (0..rows * columns).map(|i| ((i % 9973) as f32 * 0.61).sin()).collect();
                    inputs.push(Tensor::from_slice(&device, &wave, &[*rows, *columns])?);
                }
                let inputs: Vec<&Tensor> = inputs.iter().collect();
                let (mut times, mut launches) = ([Vec::new(), Vec::new()], [0; 2]);
                for _ in 0..25 {
                    for (which, (graph, _)) in graphs.iter().enumerate() {
                        let (before, start) = (device.launches(), Instant::now());
                        netcl::jit::run(graph, &inputs)?;
                        device.finish()?;
                        times[which].push(start.elapsed().as_secs_f64() * 1e6);
                        launches[which] = device.launches() - before;
                    }
                }
                let [computed, stored] = times.map(|mut times| {
                    times.sort_by(f64::total_cmp);
                    times[times.len() / 2]
                });
                let ratio = computed / stored;
                println!(
                    "{operand:?} masked {masked} {size:?}: {launches:?} launches, {computed:.0} / {stored:.0} us = {ratio:.2}"
                );
            }
        }
    }
    Ok(())
}
