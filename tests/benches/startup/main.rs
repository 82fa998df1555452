//! How long a process takes from its start to the end of its first training step, with empty and with warm caches of
//! programs. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench startup -- [--device SELECTOR] [--models NAME,NAME | small | all]`. Each figure is a
//! process of its own: this program, started again. The caches are folders of this run alone, PoCL's own included.
//! `digits` (without `--models`) is also started with warm caches. Nothing here is a test.
//!
//! `processor_ms` is the processor time of the process and of those that it has started (PoCL links kernels with a linker), from the
//! open device on: it is what stays the same on a machine that does other things besides.
#![allow(missing_docs, unreachable_pub, reason = "a program")]

mod gpt2;
mod resnet18;

use netcl::prelude::*;
use netcl_tests::models::Input::{self, Below, Floats, Truths};
use netcl_tests::models::images::{ConvNext, Mixer, Mobile, Residual, Unet, Vit};
use netcl_tests::models::sequences::{Gru, Llama, Lstm};
use netcl_tests::models::vectors::Vae;
use netcl_tests::option;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The model of the digits example.
#[netcl::model]
pub struct Digits {
    #[layer(inputs = 64, outputs = 32)]
    hidden: Linear,
    #[layer(inputs = 32, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Digits {
    /// Scores of the ten digits.
    pub fn forward(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 10> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h)
    }

    /// The mean loss.
    pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// What a child does once the device is open: a model and its first step. It gives the loss.
type FirstStep = fn(&Device) -> netcl::Result<f32>;

/// A name, and the first step of a model with AdamW on these inputs and this number.
macro_rules! first_step {
    ($name:ident: $model:ty, $($input:ident = $make:expr),+ $(; $number:expr)?) => {
        (stringify!($name), |device| {
            let made = |name: &str, input: Input| input.on(device, &format!("{}/{name}", stringify!($name)));
            $(let $input = made(stringify!($input), $make)?;)+
            let mut model = <$model>::new(device, Seed(1))?;
            let mut optimizer = AdamW::new(1e-3);
            let (loss, gradients) = model.loss_with_gradients($(&$input),+ $(, $number)?)?;
            let loss = loss.item::<f32>()?;
            optimizer.step(&mut model, &gradients)?;
            device.finish()?;
            Ok(loss)
        })
    };
}

/// The ten small models, with the inputs that they have beside their twins in PyTorch.
const SMALL: [(&str, FirstStep); 10] = [
    first_step!(vit: Vit, x = Floats(&[3, 2, 12, 12]), y = Below(4, &[3])),
    first_step!(unet: Unet, x = Floats(&[2, 2, 12, 20]), y = Truths(&[2, 1, 12, 20])),
    first_step!(mobile: Mobile, x = Floats(&[3, 3, 13, 11]), y = Below(5, &[3])),
    first_step!(convnext: ConvNext, x = Floats(&[2, 3, 20, 28]), y = Below(5, &[2])),
    first_step!(residual: Residual, x = Floats(&[4, 3, 17, 13]), y = Below(3, &[4])),
    first_step!(lstm: Lstm, x = Floats(&[3, 4, 5]), h0 = Floats(&[3, 6]), c0 = Floats(&[3, 6]), y = Floats(&[3, 2])),
    first_step!(gru: Gru, x = Below(13, &[5, 4]), y = Below(5, &[5, 4])),
    first_step!(llama: Llama, x = Below(11, &[3, 5]), y = Below(11, &[3, 5]), cos = Floats(&[5, 2]), sin = Floats(&[5, 2])),
    first_step!(mixer: Mixer, x = Floats(&[1, 3, 6, 10]), y = Below(5, &[1])),
    first_step!(vae: Vae, x = Floats(&[7, 10]), noise = Floats(&[7, 3]); 0.5),
];

const OTHERS: [(&str, FirstStep); 3] = [
    first_step!(digits: Digits, x = Floats(&[32, 64]), y = Below(10, &[32])),
    first_step!(resnet18: resnet18::ResNet, x = Floats(&[2, 3, 64, 64]), y = Below(1000, &[2])),
    first_step!(gpt2: gpt2::Gpt, x = Below(50257, &[1, 64]), y = Below(50257, &[1, 64])),
];

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Milliseconds of processor time that this process and its ended children have taken; 0 where no file says so.
fn processor() -> f64 {
    /// Linux counts them in hundredths of a second.
    const TICK: f64 = 10.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the program's name, which may have any characters: `utime stime cutime cstime` are the 12th to 15th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * TICK
}

/// One step; prints what each part of it took.
fn child(selector: &str, model: &str, started: Duration) -> netcl::Result<()> {
    let since = || (now().saturating_sub(started)).as_secs_f64() * 1e3;
    let device = Device::select(selector)?;
    let (opened, processor_before) = (since(), processor());
    let step = SMALL.iter().chain(&OTHERS).find(|(name, _)| *name == model).map(|(_, step)| step);
    let loss = step.unwrap_or_else(|| panic!("there is no model `{model}`"))(&device)?;
    let stepped = since();
    let programs = device.program_stats();
    println!(
        r#"{{"device_ms":{opened:.0},"first_step_ms":{stepped:.0},"processor_ms":{:.0},"built":{},"loaded":{},"loss":{loss:.4}}}"#,
        processor() - processor_before,
        programs.built,
        programs.loaded
    );
    Ok(())
}

fn main() -> netcl::Result<()> {
    let selector = option("--device").unwrap_or_else(|| "opencl:0".to_owned());
    let models = option("--models");
    if let Some(started) = option("--child") {
        let model = models.unwrap_or_default();
        return child(&selector, &model, Duration::from_nanos(started.parse().unwrap_or_default()));
    }
    let folder = std::env::temp_dir().join(format!("netcl-startup-{}", std::process::id()));
    let program = std::env::current_exe().expect("a program has a path");
    let run = |model: &str, label: &str| {
        std::fs::create_dir_all(folder.join("pocl")).expect("a temporary folder can be made");
        let started = Instant::now();
        let output = Command::new(&program)
            .args(["--device", &selector, "--models", model, "--child", &now().as_nanos().to_string()])
            .env("NETCL_CACHE_DIR", folder.join("netcl"))
            .env("POCL_CACHE_DIR", folder.join("pocl"))
            .output()
            .expect("this program starts again");
        let process = started.elapsed().as_secs_f64() * 1e3;
        let text = String::from_utf8_lossy(&output.stdout);
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        println!(r#"{{"model":"{model}","cache":"{label}","process_ms":{process:.0},"times":{}}}"#, text.trim());
    };
    let empty = |model: &str| {
        let _ = std::fs::remove_dir_all(&folder);
        run(model, "empty");
    };
    let names = |list: &[(&'static str, FirstStep)]| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    match models.as_deref() {
        None => {
            empty("digits");
            (0..7).for_each(|_| run("digits", "warm"));
        }
        Some("small") => names(&SMALL).into_iter().for_each(empty),
        Some("all") => names(&SMALL).into_iter().chain(names(&OTHERS)).for_each(empty),
        Some(list) => list.split(',').for_each(empty),
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
