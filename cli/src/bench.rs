//! `netcl bench`: how fast a device is at what netcl does most.

use crate::failure::Result;
use crate::output::{Output, bytes, duration};
use crate::select::Select;
use indicatif::ProgressBar;
use netcl::{Device, DeviceKind, Tensor};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The arguments of `bench`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: netcl bench --device cpu --quick\n\nTimes are medians of several rounds after a warm-up, \
                        each of enough repetitions to be measured. The null device computes nothing: of it only the \
                        host's share of a launch is measured."
)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    select: Select,
    /// Smaller sizes, fewer and shorter rounds
    #[arg(long)]
    quick: bool,
}

netcl::kernel! {
    /// Eight operations on each element.
    pub(crate) fn bench_chain(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| tanh(x[n] * y[n] + 0.5) * max(x[n] - y[n], 0.0) + y[n] * 0.25
    }
}

/// How long and how often.
struct Effort {
    rounds: usize,
    /// What a round takes at least.
    round: Duration,
    /// Bytes that are copied, and of each array of the chain.
    bytes: usize,
    /// Sizes of square products.
    products: &'static [usize],
    launches: usize,
}

const WHOLE: Effort = Effort {
    rounds: 7,
    round: Duration::from_millis(50),
    bytes: 64 << 20,
    products: &[256, 512, 1024, 2048],
    launches: 2000,
};
const QUICK: Effort =
    Effort { rounds: 3, round: Duration::from_millis(5), bytes: 4 << 20, products: &[256], launches: 200 };

/// What was measured.
struct Measurement {
    what: &'static str,
    size: String,
    /// Seconds of one repetition in each round, ascending.
    seconds: Vec<f64>,
    rate: Rate,
}

/// What is done in one repetition.
#[derive(Clone, Copy)]
enum Rate {
    /// Bytes read and written.
    Bytes(f64),
    /// Floating-point operations.
    Flops(f64),
    /// The time is the figure.
    None,
}

impl Measurement {
    fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    /// Per second, in the unit.
    fn rate(&self) -> Option<(f64, &'static str)> {
        match self.rate {
            Rate::Bytes(bytes) => Some((bytes / self.median() / 1e9, "GB/s")),
            Rate::Flops(flops) => Some((flops / self.median() / 1e9, "GFLOP/s")),
            Rate::None => None,
        }
    }

    fn row(&self) -> Vec<String> {
        let [first, last] = [self.seconds.first(), self.seconds.last()].map(|end| duration(*end.unwrap_or(&0.0)));
        let rate = self.rate().map_or(String::new(), |(value, unit)| format!("{value:.1} {unit}"));
        vec![self.what.to_owned(), self.size.clone(), duration(self.median()), rate, format!("{first} to {last}")]
    }

    fn value(&self) -> Value {
        json!({
            "what": self.what,
            "size": self.size,
            "median_seconds": self.median(),
            "seconds": self.seconds,
            "rate": self.rate().map(|(value, _)| value),
            "unit": self.rate().map(|(_, unit)| unit),
        })
    }
}

pub(crate) fn run(args: &BenchArgs, output: &Output) -> Result<ExitCode> {
    let device = args.select.open()?;
    let bench = Bench { device: &device, effort: if args.quick { QUICK } else { WHOLE } };
    let steps = if device.profile().kind == DeviceKind::Null { 1 } else { 6 + bench.effort.products.len() as u64 };
    let progress = output.progress(steps);
    let measured = bench.all(&progress)?;
    drop(progress);
    if output.is_json() {
        let device = json!({
            "selector": device.profile().selector,
            "name": device.profile().name,
            "driver": device.profile().driver,
        });
        let measured: Vec<Value> = measured.iter().map(Measurement::value).collect();
        output.value(&json!({ "device": device, "measurements": measured }))?;
    } else {
        let rows: Vec<Vec<String>> = measured.iter().map(Measurement::row).collect();
        let headings = ["what", "size", ">median", ">rate", "fastest to slowest round"];
        output.text(&format!("{device}\n{}", output.table(&headings, &rows)))?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Bench<'a> {
    device: &'a Device,
    effort: Effort,
}

impl Bench<'_> {
    fn all(&self, progress: &ProgressBar) -> Result<Vec<Measurement>> {
        let mut measured = Vec::new();
        let mut note = |measurement: Measurement| {
            progress.set_message(measurement.what);
            progress.inc(1);
            measured.push(measurement);
        };
        if self.device.profile().kind == DeviceKind::Null {
            note(self.launch_alone()?);
            return Ok(measured);
        }
        for measure in [Bench::upload, Bench::download, Bench::copy, Bench::chain] {
            note(measure(self)?);
        }
        for &size in self.effort.products {
            note(self.product(size)?);
        }
        note(self.launch_alone()?);
        note(self.launch_done()?);
        Ok(measured)
    }

    fn elements(&self) -> usize {
        let memory = usize::try_from(self.device.profile().memory).unwrap_or(usize::MAX);
        // Three arrays and something to spare; 0 is a size that is not known.
        let most = if memory == 0 { usize::MAX } else { (memory / 8).max(4096) };
        self.effort.bytes.min(most) / size_of::<f32>()
    }

    fn values(&self) -> Vec<f32> {
        (0..self.elements()).map(|i| (i % 1013) as f32 / 1013.0).collect()
    }

    fn tensor(&self) -> Result<Tensor> {
        let values = self.values();
        Ok(Tensor::from_slice(self.device, &values, &[values.len()])?)
    }

    fn upload(&self) -> Result<Measurement> {
        let values = self.values();
        let copied = size_of_val(values.as_slice());
        let seconds = self.rounds(|| Tensor::from_slice(self.device, &values, &[values.len()]))?;
        Ok(Measurement { what: "copy to the device", size: bytes(copied as u64), seconds, rate: of_bytes(copied) })
    }

    fn download(&self) -> Result<Measurement> {
        let tensor = self.tensor()?;
        let copied = tensor.elements() * size_of::<f32>();
        let seconds = self.rounds(|| tensor.to_vec::<f32>())?;
        Ok(Measurement { what: "copy from the device", size: bytes(copied as u64), seconds, rate: of_bytes(copied) })
    }

    fn copy(&self) -> Result<Measurement> {
        let tensor = self.tensor()?;
        let copied = tensor.elements() * size_of::<f32>();
        let seconds = self.rounds(|| tensor.copy())?;
        let rate = of_bytes(2 * copied);
        Ok(Measurement { what: "copy on the device", size: bytes(copied as u64), seconds, rate })
    }

    fn chain(&self) -> Result<Measurement> {
        let (x, y) = (self.tensor()?, self.tensor()?);
        let touched = 3 * x.elements() * size_of::<f32>();
        let seconds = self.rounds(|| bench_chain(&x, &y))?;
        let size = format!("{} elements", x.elements());
        Ok(Measurement { what: "elementwise chain", size, seconds, rate: of_bytes(touched) })
    }

    fn product(&self, size: usize) -> Result<Measurement> {
        let values: Vec<f32> = (0..size * size).map(|i| (i % 17) as f32 / 16.0 - 0.5).collect();
        let a = Tensor::from_slice(self.device, &values, &[size, size])?;
        let b = Tensor::from_slice(self.device, &values, &[size, size])?;
        let seconds = self.rounds(|| a.matmul(&b).eval())?;
        let rate = Rate::Flops(2.0 * (size as f64).powi(3));
        Ok(Measurement { what: "matrix product", size: format!("{size}x{size}x{size}"), seconds, rate })
    }

    /// The host's share: until the last of many is in the queue.
    fn launch_alone(&self) -> Result<Measurement> {
        self.launches("launch, host's share", |_| Ok(()))
    }

    /// Until the device has done the last of many.
    fn launch_done(&self) -> Result<Measurement> {
        self.launches("launch, until done", |device| Ok(device.finish()?))
    }

    /// Many launches of a kernel with next to no work, timed until `end` returns.
    fn launches(&self, what: &'static str, end: impl Fn(&Device) -> Result<()>) -> Result<Measurement> {
        let x = Tensor::from_slice(self.device, &[0.5f32; 4], &[4])?;
        let mut seconds = Vec::with_capacity(self.effort.rounds);
        for round in 0..=self.effort.rounds {
            self.device.finish()?;
            let started = Instant::now();
            for _ in 0..self.effort.launches {
                bench_chain(&x, &x)?;
            }
            end(self.device)?;
            // The first builds programs.
            if round > 0 {
                seconds.push(started.elapsed().as_secs_f64() / self.effort.launches as f64);
            }
        }
        let size = format!("{} launches", self.effort.launches);
        Ok(Measurement { what, size, seconds: ascending(seconds), rate: Rate::None })
    }

    /// Seconds of one repetition in each round, ascending.
    fn rounds<T>(&self, mut once: impl FnMut() -> netcl::Result<T>) -> Result<Vec<f64>> {
        let mut round = |repetitions: u32| -> Result<f64> {
            self.device.finish()?;
            let started = Instant::now();
            for _ in 0..repetitions {
                once()?;
            }
            self.device.finish()?;
            Ok(started.elapsed().as_secs_f64() / f64::from(repetitions))
        };
        // The first builds programs; the second says how often fills a round.
        round(1)?;
        let repetitions = (self.effort.round.as_secs_f64() / round(1)?.max(1e-9)).ceil().clamp(1.0, 1e5) as u32;
        let seconds = (0..self.effort.rounds).map(|_| round(repetitions)).collect::<Result<Vec<f64>>>()?;
        Ok(ascending(seconds))
    }
}

fn ascending(mut seconds: Vec<f64>) -> Vec<f64> {
    seconds.sort_by(f64::total_cmp);
    seconds
}

fn of_bytes(bytes: usize) -> Rate {
    Rate::Bytes(bytes as f64)
}
