//! `netcl kernels`: the code that netcl generated, from a built binary or from a template.

pub(crate) mod binary;
mod plan;
mod template;

use crate::failure::{Failure, Result};
use crate::output::Output;
use netcl_kernels::plan::Target;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  netcl kernels target/release/digits --list
  netcl kernels target/release/digits Mlp::forward --target cpu
  netcl kernels --template matmul_register --list
  netcl kernels --template matmul_register --set TILE_M=64 --problem 512x512x512
  netcl kernels --template conv2d_tiled_local --problem 8x16x28x28,32x3x3,padding=1 --device gpu

A binary has the functions that its program uses; what is never used was left out by the linker. The host's plans are \
shown in the text form of kernels (docs/ir.md), which is what their native code was made from.";

/// The arguments of `kernels`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A program, library or object file that was built with netcl's macros; it is read, not run
    #[arg(required_unless_present = "template", conflicts_with = "template")]
    binary: Option<PathBuf>,
    /// A model (`Mlp`), a function (`Mlp::forward`) or a kernel (`bias_relu`); without one, all
    name: Option<String>,
    /// For which kind of device: host, cpu, gpu or all
    #[arg(long, default_value = "gpu", value_parser = targets, conflicts_with = "template")]
    target: Targets,
    /// The names alone, in a table; of a template its tunables and their values
    #[arg(long)]
    list: bool,
    /// A template of netcl's own: matmul_naive, matmul_tiled, …
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Give a tunable of the template a value
    #[arg(long, value_name = "TUNABLE=VALUE", conflicts_with = "binary")]
    set: Vec<String>,
    /// What the template is to compute: MxNxK of a product, NxCxHxW,OxHxW of a convolution, with options as `netcl tune` has
    /// them
    #[arg(long, value_name = "SIZES", conflicts_with = "binary")]
    problem: Option<String>,
    /// Heed what this device has; without one, what devices have at least
    #[arg(long, value_name = "SELECTOR", conflicts_with = "binary")]
    device: Option<String>,
}

/// What `--target` names.
#[derive(Clone, Debug)]
struct Targets(Vec<Target>);

fn targets(text: &str) -> Result<Targets, String> {
    match text {
        "all" => Ok(Targets(Target::ALL.to_vec())),
        _ => match Target::ALL.into_iter().find(|target| target.name() == text) {
            Some(target) => Ok(Targets(vec![target])),
            None => Err("accepted: host, cpu, gpu, all".to_owned()),
        },
    }
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode> {
    match (&args.template, &args.binary) {
        (Some(name), _) => template::run(name, args, output)?,
        (None, Some(path)) => binary::run(path, args, output)?,
        (None, None) => return Err(Failure::Other("name a binary or a template".to_owned())),
    }
    Ok(ExitCode::SUCCESS)
}
