//! Random numbers, sorted, counted and picked on the device.

use netcl::algorithms::{self, Operator, Order, Random, Scan};
use netcl::prelude::*;
use netcl_examples::Options;
use std::time::Instant;

fn main() -> Result<()> {
    let (options, device) = Options::open("Random numbers, sorted, counted and picked on the device")?;
    let n = 1 << 20;
    let x = Random::new(&device, options.seed as u32, 0).normal(&[n])?;

    algorithms::sort(&x, Order::Ascending)?; // builds the kernels
    device.finish()?;
    let started = Instant::now();
    let sorted = algorithms::sort(&x, Order::Ascending)?;
    device.finish()?;
    println!("{:.1} million keys/s", n as f64 / started.elapsed().as_secs_f64() / 1e6);
    let values = sorted.to_vec::<f32>()?;
    assert!(values.is_sorted());
    println!("smallest {}, median {}, largest {}", values[0], values[n / 2], values[n - 1]);

    // The five largest, and where they stand.
    let places = algorithms::argsort(&x, Order::Descending)?.to_vec::<u32>()?;
    println!("largest at {:?}", &places[..5]);

    let counts = algorithms::histogram(&x, 16, -4.0, 4.0)?;
    let cumulative = algorithms::scan(Operator::Sum, Scan::Inclusive, &counts)?.to_vec::<u32>()?;
    for (bin, count) in counts.to_vec::<u32>()?.into_iter().enumerate() {
        let share = f64::from(cumulative[bin]) / n as f64;
        println!("{:>5.1} {:<45} {share:.4}", bin as f64 / 2.0 - 4.0, "#".repeat(count as usize / 5000));
    }

    let outliers = algorithms::compact(&x, &algorithms::matching("abs(v0) > 4", &[&x])?)?;
    println!("{} numbers beyond 4", outliers.elements());
    let mean = algorithms::reduce(Operator::Sum, &x)?.item::<f32>()? / n as f32;
    let variance = algorithms::map_reduce("v0 * v0", Operator::Sum, &[&x])?.item::<f32>()? / n as f32 - mean * mean;
    println!("mean {mean:.4}, variance {variance:.4}");
    Ok(())
}
