//! Philox4x32-10, the counter-based random number generator of every netcl device.
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

#[cfg(test)]
mod tests {
    use super::*;

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
