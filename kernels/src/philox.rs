//! Philox4x32-10, the counter-based random number generator of every netcl device.
//!
//! By hand, and not `rand_philox`: generated OpenCL C has the same rounds and is tested against these.
//!
//! Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Counter-based means that a
//! number depends on its position alone, so a seed gives the same stream on every device and for every launch geometry.
//!
//! How netcl uses it, and what every emitter must reproduce bit by bit: element `i` (row-major) of a random tensor with
//! `(seed, stream)` is word `i % 4` of the block with counter `[i / 4, 0, 0, 0]` and key `[seed, stream]`; the uniform
//! number is `(word >> 8) * 2^-24`, which `f32` holds exactly and which is never 1.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The four words of one block: ten rounds.
#[inline(always)]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let (mut c, mut k) = (counter, key);
    for round in 0..10 {
        if round > 0 {
            k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
        }
        let first = u64::from(MULTIPLIERS[0]) * u64::from(c[0]);
        let second = u64::from(MULTIPLIERS[1]) * u64::from(c[2]);
        c = [(second >> 32) as u32 ^ c[1] ^ k[0], second as u32, (first >> 32) as u32 ^ c[3] ^ k[1], first as u32];
    }
    c
}

/// The 32 random bits of element `position`. Positions from 2^34 on continue in the counter's second word.
pub fn word(seed: u32, stream: u32, position: u64) -> u32 {
    let block = position / 4;
    philox4x32([block as u32, (block >> 32) as u32, 0, 0], [seed, stream])[(position % 4) as usize]
}

/// The uniform number in [0, 1) of element `position`.
pub fn uniform(seed: u32, stream: u32, position: u64) -> f32 {
    (word(seed, stream, position) >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The number of mean 0 and variance 1 of element `position`, by the method of Box and Muller: words 2 i and 2 i + 1 make
/// elements 2 i and 2 i + 1.
///
/// Within 2^-20 of the exact number, relative, and the same bits wherever it is computed: products and sums stand alone or in
/// a fused multiply-add, each of which every device rounds alike, in this order; no quotient, root or function of a library,
/// which devices round as they like.
pub fn normal(seed: u32, stream: u32, position: u64) -> f32 {
    let first = position & !1;
    let radius = radius((word(seed, stream, first) >> 8) + 1);
    let [cosine, sine] = on_circle(word(seed, stream, first + 1) >> 8);
    radius * if position == first { cosine } else { sine }
}

/// The root of -2 ln (number / 2^24) for numbers from 1 to 2^24.
fn radius(number: u32) -> f32 {
    root((2.0 * logarithm(number)).abs())
}

/// ln (number / 2^24) for numbers from 1 to 2^24: of the mantissa, moved to between the roots of 1/2 and 2, by a polynomial
/// (S. Moshier, Cephes, `logf`).
fn logarithm(number: u32) -> f32 {
    const SERIES: [f32; 9] = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_87e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_4e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    const ROOT_OF_HALF: u32 = 0x3f35_04f3;
    let bits = (number as f32).to_bits();
    let above = bits.wrapping_sub(ROOT_OF_HALF);
    let exponent = ((above >> 23) as i32 - 24) as f32;
    let x = f32::from_bits((above & 0x007f_ffff) + ROOT_OF_HALF) - 1.0;
    let squared = x * x;
    let series = SERIES.into_iter().fold(0.0f32, |sum, next| sum.mul_add(x, next));
    let rest = series * x * squared;
    // ln 2 in two parts, the first of which is exact in products with small integers.
    let rest = exponent.mul_add(-2.121_944_4e-4, rest);
    let rest = squared.mul_add(-0.5, rest);
    exponent.mul_add(0.693_359_4, x + rest)
}

/// By Newton's method for the root's reciprocal, and one step for the root. 0 has no reciprocal and takes that of a number
/// below all others that there are.
fn root(x: f32) -> f32 {
    let positive = x.max(1.0 / 1_073_741_824.0);
    let half = 0.5 * positive;
    let mut reciprocal = f32::from_bits(0x5f37_5a86 - (positive.to_bits() >> 1));
    for _ in 0..3 {
        let error = (-half).mul_add(reciprocal * reciprocal, 0.5);
        reciprocal = reciprocal.mul_add(error, reciprocal);
    }
    let root = x * reciprocal;
    (-root).mul_add(root, x).mul_add(0.5 * reciprocal, root)
}

/// Cosine and sine of number / 2^24 turns: of what remains to the nearest quarter, by polynomials (Cephes, `cosf`, `sinf`).
fn on_circle(number: u32) -> [f32; 2] {
    let quarter = (number + (1 << 21)) >> 22;
    let rest = number.wrapping_sub(quarter << 22) as i32;
    let x = rest as f32 * (std::f32::consts::PI / 8_388_608.0);
    let squared = x * x;
    let sine = (-1.951_529_6e-4f32).mul_add(squared, 8.332_161e-3).mul_add(squared, -1.666_665_5e-1);
    let sine = (sine * squared).mul_add(x, x);
    let cosine = 2.443_315_7e-5f32.mul_add(squared, -1.388_731_6e-3).mul_add(squared, 4.166_664_6e-2);
    let cosine = cosine.mul_add(squared * squared, squared.mul_add(-0.5, 1.0));
    match quarter % 4 {
        0 => [cosine, sine],
        1 => [-sine, cosine],
        2 => [-cosine, -sine],
        _ => [sine, -cosine],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every radius and every angle that there is, one in 61 of them, and those next to where something changes.
    #[test]
    fn radii_and_angles_are_exact_to_some_bits() {
        let all = 1u32 << 24;
        let edges = (0..=24).flat_map(|bit| [(1u32 << bit).saturating_sub(1), 1 << bit, (1 << bit) + 1]);
        let eighths =
            (0..=8u32).flat_map(|eighth| [eighth << 21, (eighth << 21) + 1, (eighth << 21).saturating_sub(1)]);
        let numbers: Vec<u32> = (0..all).step_by(61).chain(edges).chain(eighths).collect();
        let near = |found: f32, exact: f64, what: &str, number: u32| {
            let error = (f64::from(found) - exact).abs();
            assert!(error <= exact.abs() * 2f64.powi(-21), "{what} of {number}: {found}, not {exact}");
        };
        for &number in numbers.iter().filter(|number| (1..=all).contains(number)) {
            let exact = (-2.0 * (f64::from(number) / f64::from(all)).ln()).sqrt();
            near(radius(number), exact, "radius", number);
        }
        for &number in numbers.iter().filter(|&&number| number < all) {
            // Of what remains to a quarter, so that the reference has no error next to zeros.
            let angle = std::f64::consts::TAU * f64::from(number) / f64::from(all);
            let [cosine, sine] = on_circle(number);
            let zero = |value: f64| if value.abs() < 1e-15 { 0.0 } else { value };
            near(cosine, zero(angle.cos()), "cosine", number);
            near(sine, zero(angle.sin()), "sine", number);
        }
        assert_eq!(radius(all).to_bits(), 0, "the smallest");
    }

    #[test]
    fn normal_numbers_come_in_pairs() {
        let both = [10, 11].map(|position| normal(7, 3, position));
        let exact = radius((word(7, 3, 10) >> 8) + 1);
        assert!((both[0].hypot(both[1]) - exact).abs() < 1e-6);
    }

    /// The vectors `philox4x32 10` of Random123's `kat_vectors`.
    #[test]
    fn known_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox4x32([!0; 4], [!0; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn elements_are_words_of_blocks() {
        for position in 0..9u64 {
            let block = philox4x32([(position / 4) as u32, 0, 0, 0], [7, 3]);
            assert_eq!(word(7, 3, position), block[(position % 4) as usize]);
        }
        assert_eq!(word(7, 3, 1 << 34), philox4x32([0, 1, 0, 0], [7, 3])[0]);
    }

    #[test]
    fn uniform_numbers_fill_the_interval() {
        let draws: Vec<f32> = (0..4096).map(|position| uniform(42, 0, position)).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let mean = draws.iter().map(|&draw| f64::from(draw)).sum::<f64>() / 4096.0;
        assert!((mean - 0.5).abs() < 0.02, "mean {mean}");
    }
}
