//! What the examples share: their command line and the handwritten digits.

mod unread;

use clap::{CommandFactory, FromArgMatches, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use netcl::prelude::*;

/// The command line of every example.
#[derive(Parser, Debug)]
pub struct Options {
    /// Where to run: auto, gpu, cpu, accel, host, opencl:P:D, or part of a device's name
    #[arg(long, default_value = "auto")]
    pub device: String,
    /// Passes over the training data
    #[arg(long, default_value_t = 40)]
    pub epochs: u64,
    /// Seed of parameters, shuffling and dropout
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
}

impl Options {
    /// Parses the command line and selects the device, which it prints. `purpose` is what `--help` says the example does.
    ///
    /// # Errors
    ///
    /// No device fits `--device`.
    pub fn open(purpose: &'static str) -> Result<(Options, Device)> {
        unread::end_quietly();
        let options = Options::from_arg_matches(&Options::command().about(purpose).get_matches());
        let options = options.unwrap_or_else(|error| error.exit());
        // `auto` also heeds NETCL_DEVICE.
        let device = if options.device == "auto" { Device::auto()? } else { Device::select(&options.device)? };
        println!("device: {} ({})", device.profile().name, device.profile().selector);
        Ok((options, device))
    }
}

/// A progress bar over `steps` with room for a message.
pub fn progress(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:32} {pos:>5}/{len} {elapsed} {msg}");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Images of handwritten digits, 8 x 8 pixels in 0..=1, with their labels.
pub struct Digits {
    /// `[count, 64]`, row-major.
    pub images: Vec<f32>,
    /// `[count]`, 0 to 9.
    pub labels: Vec<u32>,
}

/// The UCI "Optical Recognition of Handwritten Digits" test set (E. Alpaydin, C. Kaynak, 1998; CC BY 4.0), 1,797 images:
/// four fifths to train with, one fifth held out (every fifth image).
pub fn digits() -> (Digits, Digits) {
    let mut training = Digits { images: Vec::new(), labels: Vec::new() };
    let mut held_out = Digits { images: Vec::new(), labels: Vec::new() };
    for (number, line) in include_str!("../data/digits.csv").lines().enumerate() {
        let part = if number % 5 == 4 { &mut held_out } else { &mut training };
        let mut values = line.split(',').map(|value| value.trim().parse::<f32>().unwrap_or(0.0));
        part.images.extend(values.by_ref().take(64).map(|pixel| pixel / 16.0));
        part.labels.extend(values.next().map(|label| label as u32));
    }
    (training, held_out)
}

/// The share of rows of `logits` (`[count, 10]`) whose largest element is at its label.
///
/// # Errors
///
/// Reading the logits failed.
pub fn accuracy(logits: &Tensor, labels: &[u32]) -> Result<f64> {
    let logits = logits.to_vec::<f32>()?;
    let best = |row: &[f32]| (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).map(|best| best as u32);
    let right = logits.chunks(10).zip(labels).filter(|(row, label)| best(row) == Some(**label)).count();
    Ok(right as f64 / labels.len() as f64)
}
