//! How long rustc takes for a user's crate with a deep model, in a crate of its own with Cargo's default settings: the
//! macros are not optimised, the crate is.
//!
//! `cargo bench -p netcl-tests --bench build -- [--times N] [--netcl FOLDER]`, one JSON object a line: the seconds that pass, and
//! those of processor time, from an edit of the model's file to the program. `FOLDER` is that of the crate `netcl`, by default
//! this workspace's: with another commit's there, the two are compared by turns. What the crate depends on is built first,
//! which takes minutes. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl_tests::option;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Names, models, and the shapes and types of their inputs.
const MODELS: [(&str, &str, &str, [&str; 2]); 3] = [
    ("gpt2", include_str!("../startup/gpt2.rs"), "Gpt", ["&[1, 64], DType::U32", "&[1, 64], DType::U32"]),
    ("ten_blocks", include_str!("ten_blocks.rs"), "TenBlocks", ["&[2, 16, 8, 8], DType::F32", "&[2, 16], DType::F32"]),
    ("resnet18", include_str!("../startup/resnet18.rs"), "ResNet", ["&[2, 3, 64, 64], DType::F32", "&[2], DType::U32"]),
];

/// A training step, so that none of what the macros made is left out of the program.
fn program(text: &str, model: &str, [x, y]: [&str; 2]) -> String {
    format!(
        "{text}
fn main() -> netcl::Result<()> {{
    let device = Device::auto()?;
    let mut model = {model}::new(&device, Seed(1))?;
    let x = Tensor::zeros(&device, {x})?;
    let y = Tensor::zeros(&device, {y})?;
    let (loss, gradients) = model.loss_with_gradients(&x, &y)?;
    AdamW::new(1e-3).step(&mut model, &gradients)?;
    println!(\"{{}}\", loss.item::<f32>()?);
    Ok(())
}}
"
    )
}

/// Seconds of processor time of ended children; 0 where no file says so.
fn processor() -> f64 {
    /// Linux counts them in hundredths of a second.
    const TICK: f64 = 0.01;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the program's name, which may have any characters: `cutime cstime` are the 14th and 15th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * TICK
}

/// Builds one program of the crate in `folder`.
fn build(folder: &Path, name: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--bin", name])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .status()
        .expect("cargo starts");
    assert!(status.success(), "`{name}` does not build");
}

fn main() {
    let times = option("--times").map_or(3, |times| times.parse::<usize>().expect("a number"));
    let netcl = option("--netcl").unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../netcl").to_owned());
    let netcl = std::fs::canonicalize(netcl).expect("the folder of the crate `netcl`");
    let folder = std::env::temp_dir().join(format!("netcl-build-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src/bin")).expect("a temporary folder can be made");
    let manifest = format!(
        "[package]\nname = \"deep\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\nnetcl = {{ path = {netcl:?} }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written to");
    // The versions that its workspace has, where it tells them: two commits are compared with the same ones, and without a registry.
    let _ = std::fs::copy(netcl.join("../Cargo.lock"), folder.join("Cargo.lock"));
    for (name, text, model, inputs) in MODELS {
        let file = folder.join(format!("src/bin/{name}.rs"));
        let text = program(text, model, inputs);
        std::fs::write(&file, &text).expect("the folder can be written to");
        build(&folder, name);
        for _ in 0..times {
            std::fs::write(&file, &text).expect("the folder can be written to");
            let (started, before) = (Instant::now(), processor());
            build(&folder, name);
            let (seconds, processor) = (started.elapsed().as_secs_f64(), processor() - before);
            println!(r#"{{"model":"{name}","seconds":{seconds:.1},"processor":{processor:.1}}}"#);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
