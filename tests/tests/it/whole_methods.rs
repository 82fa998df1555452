//! What Rust's methods of whole numbers give of sizes, positions and indices: whole numbers as well, which are divided as such.

use crate::common::devices;
use netcl::prelude::*;

#[netcl::constant]
const BEFORE: isize = -3;

#[netcl::constant]
const TAPS: [f32; 3] = [0.25, 0.5, -0.75];

#[netcl::function]
fn powers_of_positions(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    let mut all = Vec::new();
    for t in 0..T {
        let least = ((t % 3).maximum(t % 2) / 2) as f32 * 1000.0 + (T.minimum(5) / 2) as f32 * 10000.0;
        all.push(x.get(0, t) * 0.0 + ((t % 3).pow(2) / 3) as f32 + (T.min(5).pow(2) / 2) as f32 * 10.0 + least);
    }
    all.stack(0)
}

#[netcl::function]
fn large_powers(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    let n = (T * 4099).max(5).pow(2);
    x * 0.0 + (n % 1000) as f32 + BEFORE.saturating_sub(5) as f32
}

/// `as` cuts what its type does not hold.
#[netcl::function]
fn cut(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    x * 0.0
        + ((T as i64 * 2_654_435_761) as u32 / 1000) as f32
        + ((T as i64 * 1_000_000_000) as i32 / 7) as f32
        + ((T as u32) << 31) as f32
        + ((T as i64 * 3_000_000_000 - 5).signum()) as f32
        + (T.pow(9) % 1000) as f32
}

/// What is carried begins as a size that is no sum of symbols.
#[netcl::function]
fn begun_as_sizes(x: &Tensor<f32, T>) -> Tensor<f32> {
    let mut half: usize = T % 5;
    let mut around = T % 5;
    let mut sum = x.get(0, 0) * 0.0;
    for t in 0..T {
        sum = sum + x.get(0, t) * 0.0;
        half = half / 2 + 1;
        around = (around * 3 + t) % 7;
    }
    sum + half as f32 + around as f32 * 10.0
}

/// What `as f32` has made of such a size is a float in all rounds.
#[netcl::function]
fn begun_as_floats(x: &Tensor<f32, T>) -> Tensor<f32> {
    let mut sum = (T % 5) as f32 / (T % 3 + 1) as f32;
    let mut half = T.min(5) as f32;
    for t in 0..T {
        sum = sum / (t % 2 + 2) as f32 + x.get(0, t) * 0.0;
        half = half * 0.5;
    }
    sum + half
}

/// What is shifted keeps its type, whatever the distance is of.
#[netcl::function]
fn moved_in_rounds(x: &Tensor<f32, T>) -> Tensor<f32> {
    let mut sum = x.get(0, 0) * 0.0;
    for t in 0..T {
        sum = sum
            + (((1u32 << t) * 3_000_000_000) >> 20) as f32
            + ((255u8 << t) >> 1) as f32
            + ((1i64 << (t * 4)) / 3 % 1000) as f32;
    }
    sum
}

/// Powers beyond what sizes are followed to are computed.
#[netcl::function]
fn high_powers(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    x * 0.0 + ((T % 3).pow(1_000_000_000) % 7) as f32 + (T.pow(11).pow(2) % 1000) as f32
}

#[netcl::function]
fn halved(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    x * 0.5
}

/// Names in patterns are `mut` also where what they stand for is another function's.
#[netcl::function]
fn taken_out(x: &Tensor<f32, T>) -> Tensor<f32, T> {
    let given = Some(halved(x));
    let Some(mut first) = given else { return x };
    first += 1.0;
    let mut rest = Vec::new();
    rest.push(halved(x));
    while let Some(mut last) = rest.pop() {
        last += 2.0;
        first = first + last;
    }
    first
}

netcl::kernel! {
    fn powers_of_indices(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 0.0 + (n.minimum(5) / 2) as f32 * 1e5 + n.pow(2) as f32 + ((n % 3).pow(2) / 3) as f32 * 100.0 + (min(n, 5).pow(3) / 2) as f32 * 1000.0
    }

    fn of_a_size(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 0.0 + ((N as i32).clamp(0, 5) / 2) as f32 + (N.rem_euclid(4) / 2) as f32 * 10.0
            + ((N as i32 - 5).div_euclid(3) / 2) as f32 * 100.0 + ((N as i32 - 6).abs() / 2) as f32 * 10000.0
    }

    fn of_a_size_among_whole_numbers(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| x[n] + (N as i32).clamp(0, 5) + (N as i64 * 33_000_001).rem_euclid(1000) as i32 * 100
    }

    fn of_distances(x: &Tensor<f32, N>) -> Tensor<f32, N, N> {
        |i, j| x[i] * 0.0 + ((i - j).abs() / 2) as f32 + (i.div_euclid(2) / 2) as f32 * 10.0 + 0.5 * (i - j).abs()
            + ((i - j).clamp(-2, 3) / 2) as f32 * 1000.0 + (i - j).signum() as f32 * 1e5
            + (i - j).rem_euclid(3) as f32 * 1e4
    }

    /// What is chosen, added and declared is whole as well.
    fn of_whole_distances(x: &Tensor<f32, N>) -> Tensor<f32, N, N> {
        |i, j| {
            let apart: i32 = (i - j).abs();
            let most = if i > 2 { (i - j).abs() } else { j.div_euclid(2) };
            x[i] * 0.0 + (((i - j).abs() + i) / 2) as f32 + (most / 2) as f32 * 10.0 + (apart / 3) as f32 * 100.0
        }
    }

    fn moved_by_indices(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| ((1u32 << n) * x[n]) ^ (255u8 << n) as u32 ^ (((1i64 << (n * 4)) / 3) as u32) ^ (3_000_000_000u32 >> n)
    }

    /// What is kept inside reads lists.
    fn of_taps(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| TAPS[clamp(n - 1, 0, 2)] * x[n] + TAPS[(n - 1).rem_euclid(3)]
    }

    fn of_bytes(x: &Tensor<u8, N>) -> Tensor<f32, N> {
        |n| (x[n] as usize * 2 + 300) as f32
    }

    fn bits_of_bytes(x: &Tensor<u8, N>) -> Tensor<u8, N> {
        |n| {
            let mut k = x[n];
            k = 200;
            (x[n] & ((200 << 1) >> 1)) ^ ((k << 1) >> 1)
        }
    }
}

#[test]
fn methods_of_positions_and_sizes_give_whole_numbers() -> Result<()> {
    for device in devices() {
        for n in [1usize, 2, 6, 7, 9] {
            let x = Tensor::zeros(&device, &[n], DType::F32)?;
            let powers = (0..n).map(|t| {
                let least = ((t % 3).max(t % 2) / 2) as f32 * 1000.0 + (n.min(5) / 2) as f32 * 10000.0;
                ((t % 3).pow(2) / 3) as f32 + (n.min(5).pow(2) / 2) as f32 * 10.0 + least
            });
            assert_eq!(powers_of_positions(&x)?.to_vec::<f32>()?, powers.collect::<Vec<_>>(), "{device}, {n}");
            let large = ((n * 4099).pow(2) % 1000) as f32 - 8.0;
            assert_eq!(large_powers(&x)?.to_vec::<f32>()?, vec![large; n], "{device}, {n}");
            let t = n as i64;
            let narrowed = (((t * 2_654_435_761) as u32 / 1000) as f32 + ((t * 1_000_000_000) as i32 / 7) as f32)
                + ((n as u32) << 31) as f32
                + ((t * 3_000_000_000 - 5).signum()) as f32
                + (n.pow(9) % 1000) as f32;
            assert_eq!(cut(&x)?.to_vec::<f32>()?, vec![narrowed; n], "{device}, {n}");
            let (mut half, mut around) = (n % 5, n % 5);
            for t in 0..n {
                half = half / 2 + 1;
                around = (around * 3 + t) % 7;
            }
            let (mut sum, mut halves) = ((n % 5) as f32 / (n % 3 + 1) as f32, n.min(5) as f32);
            for t in 0..n {
                sum /= (t % 2 + 2) as f32;
                halves *= 0.5;
            }
            let float = begun_as_floats(&x)?.item::<f32>()?;
            assert!((float - sum - halves).abs() <= 1e-6 * float.abs(), "{device}, {n}: {float}");
            let moved: f32 = (0..n)
                .map(|t| {
                    let (wide, byte) = ((1u32 << t).wrapping_mul(3_000_000_000), 255u8.wrapping_shl(t as u32));
                    (wide >> 20) as f32 + (byte >> 1) as f32 + ((1i64 << (t * 4)) / 3 % 1000) as f32
                })
                .sum();
            assert_eq!(moved_in_rounds(&x)?.item::<f32>()?, moved, "{device}, {n}");
            let high = ((n % 3) as i64).wrapping_pow(1_000_000_000) % 7 + (n as i64).wrapping_pow(22) % 1000;
            assert_eq!(high_powers(&x)?.to_vec::<f32>()?, vec![high as f32; n], "{device}, {n}");
            assert_eq!(begun_as_sizes(&x)?.item::<f32>()?, half as f32 + around as f32 * 10.0, "{device}, {n}");
        }
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, -3.0], &[3])?;
        assert_eq!(taken_out(&x)?.to_vec::<f32>()?, [4.0, 5.0, 0.0], "{device}");
    }
    Ok(())
}

#[test]
fn methods_of_indices_give_whole_numbers() -> Result<()> {
    for device in devices() {
        for n in [1i32, 2, 6, 7, 9] {
            let length = n as usize;
            let x = Tensor::zeros(&device, &[length], DType::F32)?;
            let powers = (0..n).map(|n| {
                (n.min(5) / 2) as f32 * 1e5
                    + n.pow(2) as f32
                    + ((n % 3).pow(2) / 3) as f32 * 100.0
                    + (n.min(5).pow(3) / 2) as f32 * 1000.0
            });
            assert_eq!(powers_of_indices(&x)?.to_vec::<f32>()?, powers.collect::<Vec<_>>(), "{device}, {n}");
            let size = (n.clamp(0, 5) / 2) as f32
                + (n.rem_euclid(4) / 2) as f32 * 10.0
                + ((n - 5).div_euclid(3) / 2) as f32 * 100.0
                + ((n - 6).abs() / 2) as f32 * 10000.0;
            assert_eq!(of_a_size(&x)?.to_vec::<f32>()?, vec![size; length], "{device}, {n}");
            let whole = n.clamp(0, 5) + (i64::from(n) * 33_000_001).rem_euclid(1000) as i32 * 100;
            let among = of_a_size_among_whole_numbers(&x.cast(DType::I32))?;
            assert_eq!(among.to_vec::<i32>()?, vec![whole; length], "{device}, {n}");
            let mut distances = Vec::new();
            for i in 0..n {
                for j in 0..n {
                    let apart = i - j;
                    distances.push(
                        (apart.abs() / 2) as f32
                            + (i.div_euclid(2) / 2) as f32 * 10.0
                            + 0.5 * apart.abs() as f32
                            + (apart.clamp(-2, 3) / 2) as f32 * 1000.0
                            + apart.signum() as f32 * 1e5
                            + apart.rem_euclid(3) as f32 * 1e4,
                    );
                }
            }
            assert_eq!(of_distances(&x)?.to_vec::<f32>()?, distances, "{device}, {n}");
            let apart = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| {
                let (apart, most) = ((i - j).abs(), if i > 2 { (i - j).abs() } else { j / 2 });
                ((apart + i) / 2) as f32 + (most / 2) as f32 * 10.0 + (apart / 3) as f32 * 100.0
            });
            assert_eq!(of_whole_distances(&x)?.to_vec::<f32>()?, apart.collect::<Vec<_>>(), "{device}, {n}");
            let factors: Vec<u32> = (0..n as u32).map(|n| n.wrapping_mul(700_000_001) + 5).collect();
            let moved = factors.iter().enumerate().map(|(n, x)| {
                let byte = u32::from(255u8.wrapping_shl(n as u32));
                (1u32 << n).wrapping_mul(*x) ^ byte ^ ((1i64 << (n * 4)) / 3) as u32 ^ 3_000_000_000 >> n
            });
            let found = moved_by_indices(&Tensor::from_slice(&device, &factors, &[length])?)?;
            assert_eq!(found.to_vec::<u32>()?, moved.collect::<Vec<_>>(), "{device}, {n}");
        }
        let taps = of_taps(&Tensor::ones(&device, &[5], DType::F32)?)?;
        assert_eq!(taps.to_vec::<f32>()?, [-0.5, 0.5, 1.0, -1.5, -0.5], "{device}");
        let bytes = Tensor::from_slice(&device, &[200u8, 255, 7], &[3])?;
        assert_eq!(of_bytes(&bytes)?.to_vec::<f32>()?, [700.0, 810.0, 314.0], "{device}");
        assert_eq!(bits_of_bytes(&bytes)?.to_vec::<u8>()?, [0, 0, 72], "{device}");
    }
    Ok(())
}
