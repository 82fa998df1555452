//! How good the selector's picks are: 40 products and convolutions, the times of many configurations of each, and how
//! often the pick is within 10 % of the fastest: by the compiler's rule alone, by what was measured of the neighbour, and
//! by what was measured of the shape itself.
//!
//! ```sh
//! NETCL_CACHE_DIR=off cargo bench -p netcl-tests --bench selection -- opencl:0 24
//! ```
//!
//! The arguments are a device's selector, how many configurations of each shape to measure, and, to look at some shapes
//! alone, words of their texts (`matmul "m=128 "`): of these the whole table of times is shown, or where configurations
//! follow (`"matmul_tiled TILE=8"`), those alone beside the compiler's choice; or a part of the shapes (`2/5`), so that
//! several processes share the work, each with cores of its own. The picks are asked for before the measurement that they
//! are compared with, which is made anew for every shape; configurations that are close are timed in turns, and medians
//! compared.

use netcl::select::{Conv2dTask, ConvKind, KernelConfig, Product, Task, TuneOptions};
use netcl::{Axis, DType, Device, Result};
use std::time::Duration;

/// What counts as good.
const WITHIN: f64 = 1.10;

fn product(m: u64, n: u64, k: u64, batch: u64, a: Axis, b: Axis) -> Task<u64> {
    // As the compiler sees it: the contiguous axes are multiples of 4.
    let along = |axis: Axis, outer: u64| if axis == Axis::K { k } else { outer };
    let aligned = along(a, m).is_multiple_of(4) && along(b, n).is_multiple_of(4);
    Task::Product(Product { m, n, k, batch, a, b, aligned, dtype: DType::F32 })
}

fn conv(kind: ConvKind, images: u64, [channels, out]: [u64; 2], size: u64, filter: u64, stride: u64) -> Task<u64> {
    Task::Conv2d(Conv2dTask {
        kind,
        images,
        channels,
        size: [size; 2],
        filter: [filter; 2],
        out_channels: out,
        stride: [stride; 2],
        padding: [filter / 2; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    })
}

/// Neighbours differ in size by up to two octaves: each of a pair is what the other may help with.
fn shapes() -> Vec<Task<u64>> {
    use Axis::{K, Outer};
    use ConvKind::{Forward, InputGrad, WeightGrad};
    let mut shapes = Vec::new();
    // Layers of perceptrons and transformers, forward.
    for [m, n, k] in [
        [128, 512, 784],
        [64, 512, 784],
        [128, 512, 512],
        [256, 256, 512],
        [32, 64, 64],
        [64, 32, 64],
        [1, 512, 784],
        [1, 1024, 512],
        [512, 768, 768],
        [1024, 768, 384],
        [128, 10, 512],
        [32, 10, 256],
        [1024, 1024, 1024],
        [512, 1024, 2048],
    ] {
        shapes.push(product(m, n, k, 1, K, Outer));
    }
    // Gradients in weights and inputs.
    for [m, n, k] in [[784, 512, 128], [512, 512, 64], [256, 1024, 256], [512, 512, 256]] {
        shapes.push(product(m, n, k, 1, Outer, Outer));
    }
    for [m, n, k] in [[128, 784, 512], [64, 512, 512], [256, 512, 128], [512, 256, 128]] {
        shapes.push(product(m, n, k, 1, K, K));
    }
    // Attention.
    for [m, n, k, batch] in [[128, 128, 64, 16], [64, 64, 64, 32]] {
        shapes.push(product(m, n, k, batch, K, K));
        shapes.push(product(m, k, n, batch, K, Outer));
    }
    for (kind, images, channels, size, filter, stride) in [
        (Forward, 64, [1, 16], 28, 3, 1),
        (Forward, 32, [1, 16], 28, 3, 1),
        (Forward, 64, [16, 32], 14, 3, 1),
        (Forward, 32, [32, 32], 14, 3, 1),
        (Forward, 8, [64, 64], 28, 3, 1),
        (Forward, 4, [64, 128], 28, 3, 1),
        (Forward, 16, [64, 128], 14, 1, 1),
        (Forward, 8, [128, 128], 14, 1, 1),
        (Forward, 8, [3, 32], 64, 5, 2),
        (Forward, 4, [3, 64], 64, 5, 2),
        (InputGrad, 64, [16, 32], 14, 3, 1),
        (InputGrad, 32, [32, 32], 14, 3, 1),
        (WeightGrad, 64, [16, 32], 14, 3, 1),
        (WeightGrad, 32, [32, 32], 14, 3, 1),
    ] {
        shapes.push(conv(kind, images, channels, size, filter, stride));
    }
    shapes
}

/// How many times as long as the fastest each of these took. The fastest of many is looked for anew, and then measured
/// beside these alone.
fn compared(device: &Device, task: &Task<u64>, picks: &[KernelConfig], options: &TuneOptions<'_>) -> Result<Vec<f64>> {
    let found = device.tune(task, &TuneOptions { again: true, also: picks, ..*options })?;
    let mut also: Vec<KernelConfig> = found.record.map(|best| best.config).into_iter().collect();
    also.extend(picks.iter().cloned());
    // The compiler's own choice is always tried.
    let few = TuneOptions { again: true, candidates: 1 + also.len(), also: &also, ..*options };
    let tuning = device.tune(task, &few)?;
    let time = |config: &KernelConfig| {
        let found = tuning.candidates.iter().find(|candidate| candidate.config == *config);
        found.and_then(|candidate| candidate.outcome.time()).map_or(f64::INFINITY, |time| time.as_secs_f64())
    };
    let best = tuning.candidates.iter().map(|candidate| time(&candidate.config)).fold(f64::INFINITY, f64::min);
    Ok(picks.iter().map(|config| time(config) / best).collect())
}

/// The times of all configurations of the shapes whose texts have all of these words, or of those that are named.
fn alone(device: &Device, words: &[String], options: &TuneOptions<'_>) -> Result<()> {
    let named: Vec<KernelConfig> = words.iter().filter_map(|word| KernelConfig::parse(word)).collect();
    let words: Vec<&String> = words.iter().filter(|word| KernelConfig::parse(word).is_none()).collect();
    let candidates = if named.is_empty() { options.candidates } else { 1 + named.len() };
    let options = &TuneOptions { also: &named, candidates, ..*options };
    for task in shapes() {
        let text = format!("{task} ");
        if words.iter().all(|word| text.contains(word.as_str())) {
            println!("{}", device.tune(&task, options)?);
        }
    }
    Ok(())
}

/// `2/5` is the second of five parts.
fn part(text: &str) -> Option<(usize, usize)> {
    let (part, parts) = text.split_once('/')?;
    let (part, parts): (usize, usize) = (part.parse().ok()?, parts.parse().ok()?);
    (1..=parts).contains(&part).then_some((part, parts))
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let device = Device::select(arguments.first().map_or("cpu", String::as_str))?;
    let candidates = arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(24);
    let selector = device.selector();
    if !selector.records().is_empty() {
        eprintln!("there are measurements of {device} already; run this with NETCL_CACHE_DIR=off");
        std::process::exit(1);
    }
    let options = TuneOptions { budget: Duration::from_secs(60), candidates, ..TuneOptions::default() };
    let part = arguments.get(2).and_then(|text| part(text));
    if arguments.len() > 2 && part.is_none() {
        return alone(&device, &arguments[2..], &options);
    }
    let mut shapes = shapes();
    if let Some((part, parts)) = part {
        // Neighbours stay together.
        let length = shapes.len().div_ceil(2 * parts) * 2;
        shapes = shapes.into_iter().skip((part - 1) * length).take(length).collect();
    }
    println!("{} shapes on {device}, up to {candidates} configurations each", shapes.len());
    let picks = || -> Vec<KernelConfig> { shapes.iter().map(|task| selector.select(task).config).collect() };
    let by_rule = picks();
    // One half is tuned, the other has it as neighbours; then the other way round.
    let mut by_half = Vec::new();
    for half in [0, 1] {
        selector.erase_records()?;
        for task in shapes.iter().skip(half).step_by(2) {
            device.tune(task, &options)?;
        }
        by_half.push(picks());
    }
    let mut within = [0; 3];
    println!("{:>8} {:>10} {:>9}  task: what was measured", "rule", "neighbour", "measured");
    for (place, task) in shapes.iter().enumerate() {
        let (own, neighbour) = (&by_half[place % 2][place], &by_half[1 - place % 2][place]);
        let times = compared(&device, task, &[&by_rule[place], neighbour, own].map(Clone::clone), &options)?;
        for (within, time) in within.iter_mut().zip(&times) {
            *within += usize::from(*time <= WITHIN);
        }
        println!("{:>7.2}× {:>9.2}× {:>8.2}×  {task}: {own}", times[0], times[1], times[2]);
    }
    let [rule, neighbour, measured] = within;
    println!(
        "within 10 % of the fastest, of {}: {rule} by rules, {neighbour} by their neighbours' measurements, {measured} by \
         their own",
        shapes.len()
    );
    Ok(())
}
