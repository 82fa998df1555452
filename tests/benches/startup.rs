//! How long a process takes from its start to the end of its first training step, with an empty and with a warm cache of
//! programs. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench startup -- [--device SELECTOR]`. Each figure is a process of its own: this program,
//! started again. The caches are folders of this run alone, PoCL's own included. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
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

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// One step; prints when each part of it ended, in milliseconds since the process was started.
fn child(selector: &str, started: Duration) -> netcl::Result<()> {
    let since = || (now().saturating_sub(started)).as_secs_f64() * 1e3;
    let entered = since();
    let device = Device::select(selector)?;
    let opened = since();
    let mut model = Digits::new(&device, Seed(1))?;
    let made = since();
    let mut optimizer = AdamW::new(1e-3);
    let x = Tensor::from_slice(&device, &[0.5f32; 32 * 64], &[32, 64])?;
    let labels = Tensor::from_slice(&device, &[3u32; 32], &[32])?;
    let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
    let loss = loss.item::<f32>()?;
    let backward = since();
    optimizer.step(&mut model, &gradients)?;
    device.finish()?;
    let stepped = since();
    let programs = device.program_stats();
    println!(
        r#"{{"entered_ms":{entered:.1},"device_ms":{opened:.1},"model_ms":{made:.1},"gradients_ms":{backward:.1},"first_step_ms":{stepped:.1},"built":{},"loaded":{},"loss":{loss:.4}}}"#,
        programs.built, programs.loaded
    );
    Ok(())
}

fn main() -> netcl::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let selector = after("--device").unwrap_or_else(|| "opencl:0".to_owned());
    if let Some(started) = after("--child") {
        return child(&selector, Duration::from_nanos(started.parse().unwrap_or_default()));
    }
    let folder = std::env::temp_dir().join(format!("netcl-startup-{}", std::process::id()));
    let program = std::env::current_exe().expect("a program has a path");
    let run = |label: &str| {
        let started = Instant::now();
        let output = Command::new(&program)
            .args(["--device", &selector, "--child", &now().as_nanos().to_string()])
            .env("NETCL_CACHE_DIR", folder.join("netcl"))
            .env("POCL_CACHE_DIR", folder.join("pocl"))
            .output()
            .expect("this program starts again");
        let process = started.elapsed().as_secs_f64() * 1e3;
        let text = String::from_utf8_lossy(&output.stdout);
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        println!(r#"{{"cache":"{label}","process_ms":{process:.1},"times":{}}}"#, text.trim());
    };
    std::fs::create_dir_all(folder.join("pocl")).expect("a temporary folder can be made");
    run("empty");
    (0..7).for_each(|_| run("warm"));
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
