//! Values whose products and sums are nearly exact, and what chooses among them.

use netcl_kernels::dtype::DType;

/// One of the values that an element of that type has by itself, none of which is 0: a single missing term shows.
///
/// Fractions are multiples of a quarter. Their products are multiples of a sixteenth, so that sums of up to 2^19 of them are
/// exact in `f32` in whatever order they are added, and so are small whole numbers.
pub(super) fn plain(dtype: DType, random: u64) -> f64 {
    let size = |count: u64| (random % count + 1) as f64;
    let signed = |count: u64| if (random / count).is_multiple_of(2) { size(count) } else { -size(count) };
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => signed(4) / 4.0,
        DType::I32 | DType::I64 => signed(3),
        DType::U8 | DType::U32 => size(6),
        DType::Bool => f64::from(random % 7 > 2),
    }
}

/// A well-mixed number for each position (Steele, Lea and Flood's SplitMix64).
pub(super) fn mixed(position: u64) -> u64 {
    let mut z = position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
