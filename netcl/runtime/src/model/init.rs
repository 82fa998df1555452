//! Initial values: computed on the host in `f64`, so that a seed gives the same bits on every device.
//!
//! Element `i` of the tensor at `path` is drawn from Philox4x32-10 with the model's seed as key and
//! `(i, FNV-1a of path)` as counter: it depends on nothing else, neither on other tensors nor on the order of fields.

use half::{bf16, f16};
use netcl_hal::files::checksum;
use netcl_hal::host::pool;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::layers::{Init, TensorSpec};
use netcl_kernels::philox::philox4x32;

/// Elements that one task fills.
const CHUNK: usize = 1 << 14;

/// Writes the initial values of a tensor to the start of `into`.
pub(super) fn fill(seed: u64, path: &str, spec: &TensorSpec, into: &mut [u8]) {
    let elements: usize = spec.shape.iter().product();
    let stream = checksum(path.as_bytes());
    let size = spec.dtype.size();
    let start = Start::of(spec);
    pool::share(into[..elements * size].chunks_mut(CHUNK * size), &|chunk, bytes| {
        for (position, element) in bytes.chunks_exact_mut(size).enumerate() {
            let index = (chunk * CHUNK + position) as u64;
            put(start.element(seed, stream, index), spec.dtype, element);
        }
    });
}

/// Where an element's number comes from.
#[derive(Clone, Copy)]
enum Start {
    Is(Literal),
    /// Uniform in `[-bound, bound)`.
    Uniform(f64),
    /// Normal with that standard deviation.
    Normal(f64),
}

impl Start {
    fn of(spec: &TensorSpec) -> Self {
        match spec.init {
            Init::Whole(value) => Start::Is(Literal::Int(value, DType::I64)),
            Init::Constant(value) => Start::Is(Literal::float(value, DType::F64)),
            Init::Uniform { bound } => Start::Uniform(bound),
            Init::FanIn { inputs } => Start::Uniform(1.0 / (inputs as f64).sqrt()),
            Init::Normal { std } => Start::Normal(std),
            Init::ByFans { rule, normal: true, gain } => Start::Normal(gain * rule.std(&spec.shape)),
            // Uniform numbers within a bound have a standard deviation of bound / sqrt(3).
            Init::ByFans { rule, normal: false, gain } => Start::Uniform(3f64.sqrt() * gain * rule.std(&spec.shape)),
        }
    }

    fn element(self, seed: u64, stream: u64, index: u64) -> Literal {
        let draws = || {
            let counter = [index as u32, (index >> 32) as u32, stream as u32, (stream >> 32) as u32];
            let words = philox4x32(counter, [seed as u32, (seed >> 32) as u32]);
            // 53 random bits each, in [0, 1).
            let unit =
                |high: u32, low: u32| ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 / (1u64 << 53) as f64;
            (unit(words[0], words[1]), unit(words[2], words[3]))
        };
        let value = match self {
            Start::Is(literal) => return literal,
            Start::Uniform(bound) => (2.0 * draws().0 - 1.0) * bound,
            Start::Normal(std) => {
                // Box and Muller (1958); 1 - u is never 0.
                let (u, v) = draws();
                std * (-2.0 * (1.0 - u).ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
            }
        };
        Literal::float(value, DType::F64)
    }
}

/// `value` as the bytes of one element.
fn put(literal: Literal, dtype: DType, into: &mut [u8]) {
    let value = literal.as_f64();
    match dtype {
        DType::F32 => into.copy_from_slice(&(value as f32).to_ne_bytes()),
        DType::F64 => into.copy_from_slice(&value.to_ne_bytes()),
        DType::F16 => into.copy_from_slice(&f16::from_f64(value).to_ne_bytes()),
        DType::BF16 => into.copy_from_slice(&bf16::from_f64(value).to_ne_bytes()),
        DType::Bool | DType::U8 | DType::I32 | DType::U32 | DType::I64 => {
            let integer = match fold::cast(literal, dtype) {
                Literal::Bool(value) => i64::from(value),
                Literal::Int(value, _) => value,
                Literal::Float(..) => unreachable!("a cast to an integer type gives an integer"),
            };
            // Little-endian bytes of the wider type start with those of the narrower.
            let bytes = integer.to_le_bytes();
            into.copy_from_slice(&bytes[..into.len()]);
            if cfg!(target_endian = "big") {
                into.reverse();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::layers::FanRule;

    fn numbers(seed: u64, path: &str, shape: &[usize], init: Init) -> Vec<f32> {
        let spec = TensorSpec { name: "weight", shape: shape.to_vec(), dtype: DType::F32, init, trainable: true };
        let mut bytes = vec![0; shape.iter().product::<usize>() * 4];
        fill(seed, path, &spec, &mut bytes);
        bytes.chunks_exact(4).map(|four| f32::from_ne_bytes(four.try_into().unwrap())).collect()
    }

    #[test]
    fn uniform_numbers_stay_in_bounds_and_have_their_moments() {
        let draws = numbers(1, "a", &[50_000], Init::Uniform { bound: 0.5 });
        assert!(draws.iter().all(|draw| (-0.5..=0.5).contains(draw)));
        let mean = draws.iter().map(|&x| f64::from(x)).sum::<f64>() / 5e4;
        let variance = draws.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / 5e4;
        assert!(mean.abs() < 0.005 && (variance - 1.0 / 12.0).abs() < 0.001, "{mean} {variance}");
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let draws = numbers(1, "a", &[50_000], Init::Normal { std: 2.0 });
        let mean = draws.iter().map(|&x| f64::from(x)).sum::<f64>() / 5e4;
        let variance = draws.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / 5e4;
        let beyond = draws.iter().filter(|x| x.abs() > 2.0 * 1.959_964).count() as f64 / 5e4;
        assert!(mean.abs() < 0.03 && (variance - 4.0).abs() < 0.08, "{mean} {variance}");
        assert!((beyond - 0.05).abs() < 0.004, "{beyond}");
    }

    /// The formulas of `torch.nn.init`, for a matrix, a convolution's weight, a vector and a scalar.
    #[test]
    fn numbers_by_fans_have_the_spread_of_their_formula() {
        let shapes: [(&[usize], f64, f64); 3] =
            [(&[400, 100], 400.0, 100.0), (&[50, 20, 5, 5], 500.0, 1250.0), (&[9000], 9e3, 9e3)];
        for (shape, inputs, outputs) in shapes {
            let xavier = (2.0 / (inputs + outputs)).sqrt();
            for (rule, wanted) in [(FanRule::Xavier, xavier), (FanRule::Kaiming, (1.0 / inputs).sqrt())] {
                for (normal, gain) in [(true, 1.0), (false, 1.0), (true, 0.1), (false, 3.0)] {
                    let draws = numbers(1, "a", shape, Init::ByFans { rule, normal, gain });
                    let squares = draws.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
                    let std = (squares / draws.len() as f64).sqrt() / (gain * wanted);
                    assert!((std - 1.0).abs() < 0.03, "{rule:?} {normal} {gain} of {shape:?}: {std}");
                    let within = draws.iter().all(|&x| f64::from(x).abs() <= 3f64.sqrt() * gain * wanted * 1.000_001);
                    assert_eq!(within, !normal, "{rule:?} {gain} of {shape:?}");
                }
            }
        }
        assert_eq!((FanRule::Xavier.std(&[]), FanRule::Kaiming.std(&[])), (1.0, 1.0));
    }

    #[test]
    fn whole_numbers_are_exact() {
        for (value, dtype) in [(i64::MIN, DType::I64), ((1 << 53) + 1, DType::I64), (u32::MAX.into(), DType::U32)] {
            let init = Init::Whole(value);
            let spec = TensorSpec { name: "calls", shape: vec![3], dtype, init, trainable: false };
            let mut bytes = vec![0; 3 * dtype.size()];
            fill(1, "calls", &spec, &mut bytes);
            let each =
                if dtype == DType::I64 { value.to_ne_bytes().to_vec() } else { (value as u32).to_ne_bytes().to_vec() };
            assert_eq!(bytes, each.repeat(3));
        }
    }

    #[test]
    fn a_number_depends_on_seed_path_and_position_alone() {
        let init = Init::Uniform { bound: 1.0 };
        let long = numbers(7, "a", &[40_000], init);
        assert_eq!(long[..100], numbers(7, "a", &[100], init));
        assert_ne!(long[..100], numbers(8, "a", &[100], init));
        assert_ne!(long[..100], numbers(7, "b", &[100], init));
        assert_ne!(long[..100], numbers(7 | 1 << 40, "a", &[100], init));
    }
}
