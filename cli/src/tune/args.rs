//! The command line of `netcl tune`.

use crate::select::Select;
use crate::tasks;
use std::num::NonZero;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  netcl tune --device gpu --matmul 512x512x512
  netcl tune --matmul 128x512x784,b=k,dtype=f16
  netcl tune --conv2d 32x16x28x28,32x3x3,padding=1 --conv2d 32x16x28x28,32x3x3,padding=1,kind=weight_grad
  netcl tune --binary target/release/digits --name Mlp --size N=64

Every candidate's numbers are compared with the host's before it is timed; one that is wrong is never picked. What is found is \
kept in the cache folder, by device and driver, and holds for sizes alike. The device should have nothing else to do meanwhile.";

/// The arguments of `tune`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
#[group(id = "what", required = true, multiple = true, args = ["matmul", "conv2d", "binary"])]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(super) select: Select,
    /// A product: rows, columns, terms of a sum; then batch=, the axes a= and b= along which the operands lie in memory (k,
    /// outer or none; a=k,b=outer is row-major) and dtype= as needed
    #[arg(long, value_name = tasks::PRODUCT)]
    pub(super) matmul: Vec<String>,
    /// A convolution: images, channels, height and width, then channels, height and width of the filters; then stride=,
    /// padding=, dilation=, groups=, kind= (forward, input_grad, weight_grad) and dtype= as needed
    #[arg(long, value_name = tasks::CONVOLUTION)]
    pub(super) conv2d: Vec<String>,
    /// Everything that the functions of a built program compute
    #[arg(long, value_name = "FILE")]
    pub(super) binary: Option<PathBuf>,
    /// Only this model, function or kernel of the program
    #[arg(long, requires = "binary")]
    pub(super) name: Option<String>,
    /// A value for a symbol of the program's functions; without a name, for all that have none
    #[arg(long, value_name = "N=SIZE", requires = "binary")]
    pub(super) size: Vec<String>,
    /// Seconds for each task
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    pub(super) seconds: f64,
    /// How many candidates to try for each task at most
    #[arg(long, default_value = "48")]
    pub(super) candidates: NonZero<usize>,
    /// Measure what was measured before, too
    #[arg(long)]
    pub(super) again: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && (0.0..=1e6).contains(seconds));
    seconds.ok_or_else(|| "a number of seconds, such as 2.5".to_owned())
}
