//! What the examples share: their command line and the handwritten digits.

#[cfg(feature = "programs")]
// The programs name this library.
extern crate self as netcl_examples;

#[cfg(feature = "programs")]
pub mod programs;
mod unread;

use clap::{CommandFactory, FromArgMatches, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use netcl::DeviceKind;
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
    /// No device fits `--device`, or it is the null device, whose results no example could make anything of.
    pub fn open(purpose: &'static str) -> Result<(Options, Device)> {
        unread::end_quietly();
        let options = Options::from_arg_matches(&Options::command().about(purpose).get_matches());
        let options = options.unwrap_or_else(|error| error.exit());
        // `auto` also heeds NETCL_DEVICE.
        let device = if options.device == "auto" { Device::auto()? } else { Device::select(&options.device)? };
        if device.profile().kind == DeviceKind::Null {
            return Err(Error::Unsupported {
                function: "an example".to_owned(),
                device: device.to_string(),
                problem: "it computes nothing; choose another with `--device`".to_owned(),
            });
        }
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
///
/// # Panics
///
/// If the file that is built in was damaged before.
pub fn digits() -> (Digits, Digits) {
    parse(include_str!("../data/digits.csv")).unwrap_or_else(|problem| panic!("data/digits.csv: {problem}"))
}

/// Lines of 64 pixels, from 0 to 16, and a label.
fn parse(text: &str) -> std::result::Result<(Digits, Digits), String> {
    let mut training = Digits { images: Vec::new(), labels: Vec::new() };
    let mut held_out = Digits { images: Vec::new(), labels: Vec::new() };
    for (number, line) in text.lines().enumerate() {
        let values =
            line.split(',').map(|value| value.trim().parse::<u8>()).collect::<std::result::Result<Vec<_>, _>>();
        let values = values.map_err(|error| format!("line {}: {error}", number + 1))?;
        let [pixels @ .., label] = values.as_slice() else { return Err(format!("line {} is empty", number + 1)) };
        if pixels.len() != 64 || pixels.iter().any(|&pixel| pixel > 16) || *label > 9 {
            return Err(format!("line {} is not 64 pixels from 0 to 16 and a label from 0 to 9", number + 1));
        }
        let part = if number % 5 == 4 { &mut held_out } else { &mut training };
        part.images.extend(pixels.iter().map(|&pixel| f32::from(pixel) / 16.0));
        part.labels.push(u32::from(*label));
    }
    Ok((training, held_out))
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

#[cfg(test)]
mod tests {
    use super::{digits, parse};

    #[test]
    fn one_digit_of_five_is_held_out() {
        let (training, held_out) = digits();
        assert_eq!((training.labels.len(), held_out.labels.len()), (1438, 359));
        for part in [training, held_out] {
            assert_eq!(part.images.len(), 64 * part.labels.len());
            assert!(part.images.iter().all(|pixel| (0.0..=1.0).contains(pixel)));
            assert!((0..10).all(|label| part.labels.contains(&label)));
        }
    }

    /// It must not be trained with.
    #[test]
    fn damaged_data_is_noticed() {
        let line = [["7"; 64].join(","), "3".to_owned()].join(",");
        assert!(parse(&line).is_ok());
        let damaged =
            [line.replacen('7', "x", 1), line.replacen('7', "17", 1), line.replacen("7,", "", 1), format!("{line},1")];
        for second in damaged.into_iter().chain([" ".to_owned(), line.replace(",3", ",10")]) {
            let problem = parse(&format!("{line}\n{second}")).err().expect("it is damaged");
            assert!(problem.contains("line 2"), "{problem}");
        }
    }
}
