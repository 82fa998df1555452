//! Stable radix sort.

use super::common::{self, ExecutionSpace, Source};
use super::compact::gather;
use super::scan::places;
use crate::error::Result;
use crate::launch::Argument;
use crate::memory::BufferHandle;
use crate::tensor::{Tensor, vector};
use half::{bf16, f16};
use netcl_hal::device::kernels::KernelCompiler;
use netcl_hal::host::pool;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Target;

/// Which end comes first. Equal elements keep their order either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The smallest first.
    #[default]
    Ascending,
    /// The largest first.
    Descending,
}

/// The elements of `x` in order, as a tensor of its type and shape (row-major). Does not wait for the device.
///
/// Elements are of any type; of truth values false is the smaller one. Of floats, infinities are the ends of the finite numbers; a NaN of any sign is larger than
/// infinity, so that NaN come last, or first where the order is descending; -0 and +0 are equal, as are all NaN, and equal
/// elements keep their order and their bits. The result is the same on every device, bit for bit.
///
/// A tensor of several axes is sorted as a whole, in row-major order, and not row by row.
///
/// ```
/// use netcl::algorithms::{Order, argsort, sort};
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[2.0f32, f32::NAN, -1.0], &[3])?;
/// let sorted = sort(&x, Order::Ascending)?.to_vec::<f32>()?;
/// assert!(sorted[..2] == [-1.0, 2.0] && sorted[2].is_nan());
/// assert_eq!(argsort(&x, Order::Descending)?.to_vec::<u32>()?, [1, 0, 2]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`crate::Error::Shape`] for 2^31 elements or more; those of [every algorithm](crate::algorithms#errors).
pub fn sort(x: &Tensor, order: Order) -> Result<Tensor> {
    Ok(run("algorithms::sort", x, order, false)?.0.computed_by("algorithms::sort", &[x]))
}

/// Where the elements of [`sort`]'s result stand in `x` (u32: positions among all of its elements, in row-major order), in
/// `x`'s shape.
///
/// # Errors
///
/// Those of [`sort`].
pub fn argsort(x: &Tensor, order: Order) -> Result<Tensor> {
    Ok(run("algorithms::argsort", x, order, true)?.1)
}

/// `keys` in order, and `values` in the order of their keys. Values may be of any type, and are as many as the keys, in the
/// same shape.
///
/// # Errors
///
/// Those of [`sort`]; [`crate::Error::Shape`] and [`crate::Error::DeviceMismatch`] if keys and values do not go together.
pub fn sort_by_key(keys: &Tensor, values: &Tensor, order: Order) -> Result<(Tensor, Tensor)> {
    let operation = "algorithms::sort_by_key";
    common::same_place(operation, keys, values, 1)?;
    let (sorted, positions) = run(operation, keys, order, true)?;
    let values_sorted = gather(values, &positions)?.computed_by(operation, &[keys, values]);
    Ok((sorted.computed_by(operation, &[keys]), values_sorted))
}

/// Sorted keys, and their positions; of these none unless they are wanted.
fn run(operation: &'static str, x: &Tensor, order: Order, positions: bool) -> Result<(Tensor, Tensor)> {
    let kind = KeyType::of(x.dtype());
    let count = common::count32(operation, x)?;
    match common::place(operation, x.device())? {
        ExecutionSpace::Host => on_host(kind, x, order, positions),
        ExecutionSpace::Device(compiler) => on_opencl(compiler, kind, x, order, positions, count),
    }
}

/// What keys are.
#[derive(Clone, Copy, PartialEq)]
struct KeyType {
    bits: u32,
    order: Natural,
}

/// How keys of one kind are ordered.
#[derive(Clone, Copy, PartialEq)]
enum Natural {
    Unsigned,
    Signed,
    /// With the bits of infinity.
    Float(u64),
}

impl KeyType {
    fn of(dtype: DType) -> KeyType {
        let order = match dtype {
            DType::Bool | DType::U8 | DType::U32 => Natural::Unsigned,
            DType::I32 | DType::I64 => Natural::Signed,
            DType::F16 => Natural::Float(u64::from(f16::INFINITY.to_bits())),
            DType::BF16 => Natural::Float(u64::from(bf16::INFINITY.to_bits())),
            DType::F32 => Natural::Float(u64::from(f32::INFINITY.to_bits())),
            DType::F64 => Natural::Float(f64::INFINITY.to_bits()),
        };
        KeyType { bits: 8 * dtype.size() as u32, order }
    }

    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The unsigned number whose order is that of elements with these bits.
    fn rank(self, bits: u64, order: Order) -> u64 {
        let sign = self.sign();
        let ascending = match self.order {
            Natural::Unsigned => bits,
            Natural::Signed => bits ^ sign,
            Natural::Float(infinity) if bits & (sign - 1) > infinity => u64::MAX,
            Natural::Float(_) if bits == sign => sign,
            Natural::Float(_) if bits & sign != 0 => !bits,
            Natural::Float(_) => bits | sign,
        };
        let rank = if order == Order::Descending { !ascending } else { ascending };
        rank & (u64::MAX >> (64 - self.bits))
    }

    /// `KEY`, `WORD`, `SIGN`, `INFINITE` and `ORDER` for the kernels.
    fn macros(self, order: Order) -> String {
        let (key, word, suffix) = match self.bits {
            8 => ("uchar", "uint", "u"),
            16 => ("ushort", "uint", "u"),
            32 => ("uint", "uint", "u"),
            _ => ("ulong", "ulong", "ul"),
        };
        let (ascending, infinity) = match self.order {
            Natural::Unsigned => ("(bits)", 0),
            Natural::Signed => ("((bits) ^ SIGN)", 0),
            Natural::Float(infinity) => ("order_of_float(bits)", infinity),
        };
        let down = if order == Order::Descending { "~" } else { "" };
        format!(
            "#define KEY {key}\n#define WORD {word}\n#define SIGN {:#x}{suffix}\n#define INFINITE {infinity:#x}{suffix}\n\
             #define ORDER(bits) ({down}{ascending})\n",
            self.sign()
        )
    }
}

fn on_host(kind: KeyType, x: &Tensor, order: Order, positions: bool) -> Result<(Tensor, Tensor)> {
    let (device, shape, dtype) = (x.device(), x.shape(), x.dtype());
    let (bytes, size) = (x.to_bytes()?, dtype.size());
    let rank = |element: &[u8]| {
        let bits = match *element {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_ne_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        kind.rank(bits, order)
    };
    let mut keys: Vec<(u64, u32)> = vector::collect(device, x.elements(), bytes.chunks_exact(size).map(rank).zip(0..))?;
    // Positions differ, so that equal elements keep their order.
    pool::sort(&mut keys);
    let element = |&(_, position): &(u64, u32)| &bytes[position as usize * size..][..size];
    let sorted: Vec<u8> = vector::collect(device, bytes.len(), keys.iter().flat_map(element).copied())?;
    let sorted = Tensor::from_bytes(device, &sorted, shape, dtype)?;
    let wanted = if positions { keys.len() } else { 0 };
    let numbers: Vec<u32> = vector::collect(device, wanted, keys[..wanted].iter().map(|&(_, position)| position))?;
    let positions = Tensor::from_slice(device, &numbers, if positions { shape } else { &[0] })?;
    Ok((sorted, positions))
}

fn on_opencl(
    compiler: &dyn KernelCompiler,
    kind: KeyType,
    x: &Tensor,
    order: Order,
    positions: bool,
    count: u32,
) -> Result<(Tensor, Tensor)> {
    let (device, n) = (x.device(), x.elements());
    let sorted = Tensor::uninitialised("sort", device, x.shape(), x.dtype())?;
    let numbers = Tensor::uninitialised("sort", device, if positions { x.shape() } else { &[0] }, DType::U32)?;
    if n > 0 {
        let pass = Pass::new(kind, x, order, positions);
        let spare = device.allocate(n * x.dtype().size())?;
        let spare_numbers = device.allocate(if positions { n * 4 } else { 1 })?;
        let counts = device.allocate(pass.digits() * pass.tiles(n) * 4)?;
        let offsets = device.allocate(pass.digits() * pass.tiles(n) * 4)?;
        let kernels =
            (common::kernel(compiler, "count_digits", &pass.text)?, common::kernel(compiler, "move_keys", &pass.text)?);
        let mut from: (&BufferHandle, &BufferHandle) = (x.region()?, numbers.region()?);
        let passes = kind.bits / pass.bits;
        for number in 0..passes {
            // By turns, so that the last one writes the result. The first one reads no numbers.
            let last = (passes - number) % 2 == 1;
            let to = if last { (sorted.region()?, numbers.region()?) } else { (&spare, &spare_numbers) };
            let counted = if last { &spare } else { sorted.region()? };
            let (shift, first) = ((number * pass.bits).to_ne_bytes(), u32::from(number == 0).to_ne_bytes());
            let count = count.to_ne_bytes();
            let (count, shift, first) = (Argument::Bytes(&count), Argument::Bytes(&shift), Argument::Bytes(&first));
            let keys = [from.0, counted, &counts].map(Argument::Memory);
            let arguments = [keys[0], keys[1], keys[2], count, shift, first];
            common::launch(device, &*kernels.0, &arguments, pass.tiles(n), pass.group)?;
            places(device, compiler, &counts, DType::U32, &offsets, pass.digits() * pass.tiles(n))?;
            let arguments = [
                Argument::Memory(counted),
                Argument::Memory(from.1),
                Argument::Memory(&offsets),
                Argument::Memory(to.0),
                Argument::Memory(to.1),
                count,
                shift,
                first,
            ];
            common::launch(device, &*kernels.1, &arguments, pass.tiles(n), pass.group)?;
            from = to;
        }
    }
    Ok((sorted, numbers))
}

/// How a pass over one digit is launched.
struct Pass {
    text: Source,
    bits: u32,
    group: usize,
    items: usize,
}

impl Pass {
    fn new(kind: KeyType, x: &Tensor, order: Order, payload: bool) -> Pass {
        let profile = x.device().profile();
        // On a processor a work-group is a loop on one core: few counters for many digits, over long tiles.
        let (mut group, mut items, bits) = if profile.target == Target::Gpu { (256, 8, 4) } else { (16, 128, 8) };
        group = common::group(profile, group);
        let word = if kind.bits > 32 { 8 } else { 4 };
        let bytes =
            |group: usize, items: usize| ((group * items + group) * word + (2 * group + (group << bits)) * 4) as u64;
        while bytes(group, items) > profile.local_memory.usable && (group > 1 || items > 1) {
            if group > 1 { group /= 2 } else { items /= 2 }
        }
        let macros = format!(
            "{}#define PAYLOAD {}\n#define BITS {bits}\n#define GROUP {group}\n#define ITEMS {items}\n",
            kind.macros(order),
            u32::from(payload)
        );
        Pass { text: common::source(macros, include_str!("radix_sort.cl")), bits, group, items }
    }

    fn digits(&self) -> usize {
        1 << self.bits
    }

    fn tiles(&self, n: usize) -> usize {
        n.div_ceil(self.group * self.items)
    }
}
