//! What operations on tensors cost the host, called one by one and as graphs that were met before, what computing them together
//! saves, what rounds of loops take that read other places each time, and gradients through long chains. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench lazy -- [--device SELECTOR]`. The host's share is measured on a null device, which launches
//! nothing: what is left is netcl's. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl_tests::option;
use std::time::Instant;

const ROUNDS: usize = 301;
const CALLS: usize = 100;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds of one of `calls` in a round of `work`, the median of rounds.
fn nanoseconds(calls: usize, mut work: impl FnMut() -> netcl::Result<()>) -> netcl::Result<f64> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let started = Instant::now();
        work()?;
        times.push(started.elapsed().as_secs_f64() * 1e9 / calls as f64);
    }
    Ok(median(times))
}

fn formula(a: &Tensor, b: &Tensor, c: &Tensor, after: &dyn Fn(Tensor) -> Tensor) -> Tensor {
    let inner = after(after(a * b) + c);
    let product = after(inner.tanh());
    let gate = after(a.sigmoid());
    after(after(product * gate) + after(b.relu()))
}

fn chain(x: &Tensor, y: &Tensor, after: &dyn Fn(Tensor) -> Tensor) -> Tensor {
    (0..100).fold(x.clone(), |sum, step| match step % 4 {
        0 => after(&sum + y),
        1 => after(sum.tanh()),
        2 => after(&sum * x),
        _ => after(&sum * 0.3),
    })
}

fn host_cost() -> netcl::Result<()> {
    let device = Device::null(netcl::Target::Gpu, u64::MAX);
    let x = Tensor::from_slice(&device, &[0.5f32; 64], &[64])?;
    let y = Tensor::from_slice(&device, &[0.25f32; 64], &[64])?;
    let report = |what: &str, calls: usize, work: &mut dyn FnMut() -> netcl::Result<()>| -> netcl::Result<()> {
        println!(r#"{{"what":"{what}","ns":{:.0}}}"#, nanoseconds(calls, work)?);
        Ok(())
    };
    let many = |work: &dyn Fn() -> netcl::Result<()>| (0..CALLS).try_for_each(|_| work());
    report("an operation that nobody reads", CALLS, &mut || many(&|| x.add(&y).check().map(drop)))?;
    report("an operation, computed at once", CALLS, &mut || many(&|| x.add(&y).eval().map(drop)))?;
    let before = device.launches();
    chain(&x, &y, &|value| value).eval()?;
    println!(r#"{{"what":"launches of a graph of 100 operations","value":{}}}"#, device.launches() - before);
    report("a graph of 100 operations, in all", 1, &mut || chain(&x, &y, &|value| value).eval().map(drop))?;
    let compiled = netcl::compile(|x: &Tensor, y: &Tensor| chain(x, y, &|value| value));
    report("the same in a compiled function, in all", 1, &mut || compiled.call(&x, &y)?.eval().map(drop))?;
    report("a call of it that nobody reads", CALLS, &mut || many(&|| compiled.call(&x, &y).map(drop)))?;
    let at_once = |value: Tensor| value.eval().unwrap_or(value);
    report("the same operations one by one, in all", 1, &mut || chain(&x, &y, &at_once).eval().map(drop))
}

fn together(device: &Device) -> netcl::Result<()> {
    for elements in [1usize << 10, 1 << 22] {
        let values: Vec<f32> = (0..elements).map(|i| (i % 97) as f32 / 48.0 - 1.0).collect();
        let new = || Tensor::from_slice(device, &values, &[elements]);
        let (a, b, c) = (new()?, new()?, new()?);
        let before = device.launches();
        formula(&a, &b, &c, &|value| value).eval()?;
        let launches = device.launches() - before;
        let at_once = |value: Tensor| value.eval().unwrap_or(value);
        let step = |after: &dyn Fn(Tensor) -> Tensor| -> netcl::Result<f64> {
            let started = Instant::now();
            formula(&a, &b, &c, after).eval()?;
            device.finish()?;
            Ok(started.elapsed().as_secs_f64())
        };
        let (mut fused, mut single) = (Vec::new(), Vec::new());
        step(&at_once)?;
        for _ in 0..21 {
            fused.push(step(&|value| value)?);
            single.push(step(&at_once)?);
        }
        let (fused, single) = (median(fused), median(single));
        println!(
            r#"{{"what":"tanh(a*b+c)*sigmoid(a)+relu(b)","elements":{elements},"launches":{launches},"us":{:.1},"one_by_one_us":{:.1},"ratio":{:.2}}}"#,
            fused * 1e6,
            single * 1e6,
            single / fused
        );
    }
    Ok(())
}

/// Milliseconds that the first three rounds take, which compile, and the median of those after the sixth.
fn rounds(device: &Device, what: &str, mut round: impl FnMut(usize) -> netcl::Result<()>) -> netcl::Result<()> {
    let mut times = Vec::new();
    for number in 0..50 {
        let started = Instant::now();
        round(number)?;
        device.finish()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    let first = [times[0], times[1], times[2]];
    println!(r#"{{"what":"{what}","first_ms":{first:.1?},"ms":{:.3}}}"#, median(times.split_off(6)));
    Ok(())
}

fn loops(device: &Device) -> netcl::Result<()> {
    let floats = |sizes: &[usize]| Tensor::full(device, 0.5f32, sizes);
    let (table, weight) = (floats(&[1600, 8])?, floats(&[8, 8])?.requires_grad()?);
    rounds(device, "gradients of a batch cut from a table", |round| {
        let loss = table.narrow(0, round * 32, 32).matmul(&weight).square().mean_all();
        loss.backward()?.wrt(&weight)?.eval().map(drop)
    })?;
    let row = floats(&[50])?;
    rounds(device, "one element after the other", |round| row.get(0, round).item::<f32>().map(drop))?;
    let mut average = floats(&[64])?;
    rounds(device, "a moving average, read in each round", |_| {
        average = &average * 0.9 + floats(&[64])? * 0.1;
        average.sum_all().item::<f32>().map(drop)
    })?;
    let mut keys = floats(&[1, 2, 1, 8])?;
    rounds(device, "attention to keys that are appended to", |_| {
        let query = floats(&[1, 2, 1, 8])?;
        keys = keys.concat([&query], 2);
        query.scaled_dot_product_attention(&keys, &keys, false).sum_all().item::<f32>().map(drop)
    })
}

/// Gradients through so many rounds of a recurrent cell, each five operations, and of a chain of cheap operations.
fn long_chains(device: &Device) -> netcl::Result<()> {
    let numbers = |sizes: &[usize]| {
        let count: usize = sizes.iter().product();
        let waves: Vec<f32> = (0..count).map(|i| (i as f32 * 0.7).sin() * 0.3).collect();
        Tensor::from_slice(device, &waves, sizes)
    };
    let count = 1000;
    let (inputs, x) = (numbers(&[count, 4, 16])?, numbers(&[4, 16])?);
    let (own, weight, bias) =
        (numbers(&[16, 16])?, numbers(&[16, 16])?.requires_grad()?, numbers(&[16])?.requires_grad()?);
    rounds(device, "gradients through 1000 rounds of a recurrent cell", |_| {
        let cell = |h: Tensor, round| (inputs.get(0, round).matmul(&own) + h.matmul(&weight) + &bias).tanh();
        let loss = (0..count).fold(x.clone(), cell).square().mean_all();
        loss.backward()?.wrt(&weight)?.eval().map(drop)
    })?;
    rounds(device, "gradients through 2000 elementwise operations", |_| {
        let loss = (0..count).fold(x.clone(), |x, _| (&x * &bias).sin() + 0.1).square().mean_all();
        loss.backward()?.wrt(&bias)?.eval().map(drop)
    })
}

fn main() -> netcl::Result<()> {
    let device = option("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    println!(r#"{{"device":"{device}"}}"#);
    host_cost()?;
    loops(&device)?;
    long_chains(&device)?;
    together(&device)
}
