//! The command line of `netcl kernels`.

use netcl_kernels::plan::Target;
use std::path::PathBuf;

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
pub(crate) struct KernelsArgs {
    /// A program, library or object file that was built with netcl's macros; it is read, not run
    #[arg(required_unless_present = "template", conflicts_with = "template")]
    pub(super) binary: Option<PathBuf>,
    /// A model (`Mlp`), a function (`Mlp::forward`) or a kernel (`bias_relu`); without one, all
    pub(super) name: Option<String>,
    /// For which kind of device: host, cpu, gpu or all
    #[arg(long, default_value = "gpu", value_parser = targets, conflicts_with = "template")]
    pub(super) target: Targets,
    /// The names alone, in a table; of a template its tunables and their values
    #[arg(long)]
    pub(super) list: bool,
    /// A template of netcl's own: matmul_naive, matmul_tiled, …
    #[arg(long, value_name = "NAME")]
    pub(super) template: Option<String>,
    /// Give a tunable of the template a value
    #[arg(long, value_name = "TUNABLE=VALUE", conflicts_with = "binary")]
    pub(super) set: Vec<String>,
    /// What the template is to compute: MxNxK of a product, NxCxHxW,OxHxW of a convolution, QUERIESxKEYSxWIDTH of attention, with
    /// options as `netcl tune` has them
    #[arg(long, value_name = "SIZES", conflicts_with = "binary")]
    pub(super) problem: Option<String>,
    /// Heed what this device has; without one, what devices have at least
    #[arg(long, value_name = "SELECTOR", conflicts_with = "binary")]
    pub(super) device: Option<String>,
}

/// What `--target` names.
#[derive(Clone, Debug)]
pub(super) struct Targets(pub(super) Vec<Target>);

fn targets(text: &str) -> Result<Targets, String> {
    match text {
        "all" => Ok(Targets(Target::ALL.to_vec())),
        _ => match Target::ALL.into_iter().find(|target| target.name() == text) {
            Some(target) => Ok(Targets(vec![target])),
            None => Err("accepted: host, cpu, gpu, all".to_owned()),
        },
    }
}
