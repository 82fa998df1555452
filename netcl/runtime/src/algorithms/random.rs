//! Random numbers.

use super::common::{self, CHUNK, ExecutionSpace, Source};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::Argument;
use crate::tensor::vector;
use crate::tensor::{Element, Tensor};
use netcl_hal::host::pool;
use netcl_kernels::dtype::DType;
use netcl_kernels::philox;
use std::ops::RangeInclusive;

/// Draws random numbers with Philox4x32-10, as random operations in models do: a number depends on seed, stream and its position
/// alone, so the same ones come out on every device and in tensors of any shape. Another stream gives independent numbers.
///
/// ```
/// use netcl::{Device, algorithms::Random};
/// let draw = Random::new(&Device::auto()?, 42, 0);
/// let (few, many) = (draw.uniform(&[3])?, draw.uniform(&[2, 50])?);
/// assert_eq!(few.to_vec::<f32>()?, many.to_vec::<f32>()?[..3]);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    device: Device,
    seed: u32,
    stream: u32,
}

impl Random {
    /// The numbers of this seed and stream, on a device.
    pub fn new(device: &Device, seed: u32, stream: u32) -> Random {
        Random { device: device.clone(), seed, stream }
    }

    /// f32 within [0, 1): multiples of 2^-24. Equal bit by bit on all devices.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the shape is larger than memory can be; those of [every algorithm](crate::algorithms#errors).
    pub fn uniform(&self, shape: &[usize]) -> Result<Tensor> {
        let (seed, stream) = (self.seed, self.stream);
        self.draw(Drawn::Uniform, shape, DType::F32, &[], |position| philox::uniform(seed, stream, position))
    }

    /// f32 of mean 0 and variance 1, by the method of Box and Muller from two words each; within 2^-20 of the exact number,
    /// relative. Equal bit by bit on all devices.
    ///
    /// # Errors
    ///
    /// Those of [`Random::uniform`].
    pub fn normal(&self, shape: &[usize]) -> Result<Tensor> {
        let (seed, stream) = (self.seed, self.stream);
        self.draw(Drawn::Normal, shape, DType::F32, &[], |position| philox::normal(seed, stream, position))
    }

    /// u32 within `range`, both ends included. Equal on all devices. Some of `s` numbers are drawn more often than others, by
    /// a share of up to `s` / 2^32.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the range is empty; those of [`Random::uniform`].
    pub fn integers_u32(&self, shape: &[usize], range: RangeInclusive<u32>) -> Result<Tensor> {
        let (low, high) = (*range.start(), *range.end());
        if low > high {
            return Err(empty(low, high));
        }
        let span = (high - low).wrapping_add(1);
        let (seed, stream) = (self.seed, self.stream);
        let number = |position| low.wrapping_add(scaled(philox::word(seed, stream, position), span));
        self.draw(Drawn::Integers, shape, DType::U32, &[low, span], number)
    }

    /// i32 within `range`, both ends included; as [`Random::integers_u32`].
    ///
    /// # Errors
    ///
    /// Those of [`Random::integers_u32`].
    pub fn integers_i32(&self, shape: &[usize], range: RangeInclusive<i32>) -> Result<Tensor> {
        let (low, high) = (*range.start(), *range.end());
        if low > high {
            return Err(empty(low, high));
        }
        let span = (high.wrapping_sub(low) as u32).wrapping_add(1);
        let (seed, stream) = (self.seed, self.stream);
        let number = |position| low.wrapping_add(scaled(philox::word(seed, stream, position), span) as i32);
        self.draw(Drawn::Integers, shape, DType::I32, &[low as u32, span], number)
    }

    /// Truth values that are true with this probability, in steps of 2^-24. Equal on all devices.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if it is not within 0 and 1; those of [`Random::uniform`].
    pub fn bernoulli(&self, shape: &[usize], probability: f64) -> Result<Tensor> {
        if !(0.0..=1.0).contains(&probability) {
            let message = format!("expects a probability within 0 and 1, found {probability}");
            return Err(Error::Shape { operation: "Random::bernoulli", message });
        }
        // True where (word >> 8) * 2^-24 < probability.
        let threshold = (probability * 16_777_216.0).ceil() as u32;
        let (seed, stream) = (self.seed, self.stream);
        let number = |position| philox::word(seed, stream, position) >> 8 < threshold;
        self.draw(Drawn::Bernoulli, shape, DType::Bool, &[threshold], number)
    }

    fn draw<T: Element>(
        &self,
        drawn: Drawn,
        shape: &[usize],
        dtype: DType,
        parameters: &[u32],
        number: impl Fn(u64) -> T + Sync,
    ) -> Result<Tensor> {
        self.draw_by(drawn, shape, dtype, parameters, &|n| {
            let mut numbers = vector::zeros::<T>(&self.device, n)?;
            pool::share(numbers.chunks_mut(CHUNK), &|chunk, numbers| {
                let first = (chunk * CHUNK) as u64;
                numbers.iter_mut().zip(first..).for_each(|(to, position)| *to = number(position));
            });
            Tensor::from_slice(&self.device, &numbers, shape)
        })
    }

    /// Draws by a kernel, or as many numbers as the shape has by `on_host`.
    fn draw_by(
        &self,
        drawn: Drawn,
        shape: &[usize],
        dtype: DType,
        parameters: &[u32],
        on_host: &dyn Fn(usize) -> Result<Tensor>,
    ) -> Result<Tensor> {
        // Also refuses a shape that is larger than memory can be.
        let out = Tensor::uninitialised("random", &self.device, shape, dtype)?;
        let n = out.elements();
        match common::place("algorithms::Random", &self.device)? {
            ExecutionSpace::Host => on_host(n),
            ExecutionSpace::Device(compiler) => {
                let kernel = common::kernel(compiler, drawn.entry(), &drawn.source())?;
                let (seed, stream, count) =
                    (self.seed.to_ne_bytes(), self.stream.to_ne_bytes(), (n as u64).to_ne_bytes());
                let parameters: Vec<[u8; 4]> = parameters.iter().map(|parameter| parameter.to_ne_bytes()).collect();
                let mut arguments = vec![
                    Argument::Memory(out.region()?),
                    Argument::Bytes(&seed),
                    Argument::Bytes(&stream),
                    Argument::Bytes(&count),
                ];
                arguments.extend(parameters.iter().map(|parameter| Argument::Bytes(parameter)));
                common::launch_over(&self.device, &*kernel, &arguments, n.div_ceil(4))?;
                Ok(out)
            }
        }
    }
}

/// What numbers are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    Uniform,
    Normal,
    Integers,
    Bernoulli,
}

impl Drawn {
    fn entry(self) -> &'static str {
        match self {
            Drawn::Uniform => "draw_uniform",
            Drawn::Normal => "draw_normal",
            Drawn::Integers => "draw_integers",
            Drawn::Bernoulli => "draw_bernoulli",
        }
    }

    /// The kernel alone: a driver may take long for those that are not wanted.
    fn source(self) -> Source {
        let macros = match self {
            Drawn::Uniform => "#define DRAW UNIFORM\n",
            Drawn::Normal => "#define DRAW NORMAL\n",
            Drawn::Integers => "#define DRAW INTEGERS\n",
            Drawn::Bernoulli => "#define DRAW BERNOULLI\n",
        };
        common::source(macros, include_str!("philox.cl"))
    }
}

/// A word as one of `span` numbers; 0 stands for 2^32.
fn scaled(word: u32, span: u32) -> u32 {
    if span == 0 { word } else { ((u64::from(word) * u64::from(span)) >> 32) as u32 }
}

fn empty(low: impl std::fmt::Display, high: impl std::fmt::Display) -> Error {
    let message = format!("expects a range with the smaller end first, found {low}..={high}");
    Error::Shape { operation: "Random::integers", message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kernel_is_built_that_is_not_launched() {
        const ALL: [Drawn; 4] = [Drawn::Uniform, Drawn::Normal, Drawn::Integers, Drawn::Bernoulli];
        for device in Device::all().into_iter().filter_map(|profile| Device::select(&profile.selector).ok()) {
            let Some(compiler) = device.backend().kernels() else { continue };
            for drawn in ALL {
                let built = ALL.map(|other| common::kernel(compiler, other.entry(), &drawn.source()).is_ok());
                assert_eq!(built, ALL.map(|other| other == drawn), "{device}, {drawn:?}");
            }
        }
    }
}
