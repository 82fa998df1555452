//! SIMT-form kernels mean what their text means in Rust: types of `let`s, the order in which things are computed, loops.
//! Run on every device found, or on the one that `NETCL_TEST_DEVICE` names.

use crate::common::{device, everywhere, floats};
use half::{bf16, f16};
use netcl::{DType, Result, Tensor};

netcl::kernel! {
    /// `let`s in the values of others, on the right of assignments, in conditions, indices and arguments: floats around
    /// whole numbers, so that one type for another is an error.
    #[launch(global = [N])]
    fn nested_lets(x: &Tensor<f32, N>, at: &Tensor<u32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let v = if i < N { let j = at[i]; x[j] } else { 0.0 };
        let mut w = { let twice = v * 2.0; let one = 1; let more = one + i; twice + more as f32 };
        w = { let half = 0.5; let k = 3; w * half + x[k] };
        if { let bound = 2.5; let two = 2; v > bound && i < two } {
            w += { let far = 100; far as f32 };
        }
        y[{ let place = i; place }] = max({ let low = -5.0; low }, { let n = i; w - n as f32 });
    }

    /// Old values of counters, each counted once: the places, the operands and the arguments are computed once, from left
    /// to right.
    #[launch(global = [1], local = [1])]
    fn once(
        x: &Tensor<u32, 4>,
        count: &mut Tensor<u32, 8>,
        kept: &mut Tensor<u32, 8>,
        grid: &mut Tensor<u32, 4, 4>,
        seen: &mut Tensor<u32, 8>,
    ) {
        kept[atomic_add(&mut count[0], 1)] += x[3];
        kept[atomic_add(&mut count[0], 1)] += x[2];
        // The right side before the place.
        kept[2 + atomic_add(&mut count[1], 1)] = 10 + count[1];
        kept[4] += { count[2] = 7; kept[4] = 5; count[2] };
        // Receivers, arguments and indices.
        seen[0] = count[3].max(atomic_add(&mut count[3], 3));
        seen[1] = count[3].min(atomic_add(&mut count[3], 3));
        seen[2] = larger(count[4], atomic_add(&mut count[4], 2));
        seen[3] = larger(count[4], atomic_add(&mut count[4], 2) / 2);
        grid[count[5], atomic_add(&mut count[5], 1)] = 1;
        grid[count[5], atomic_add(&mut count[5], 1)] += 2;
        grid[atomic_add(&mut count[5], 1), count[5]] = 3;
        // The place of an atomic before its value; a tuple; the ends of a range.
        atomic_add(&mut seen[4 + count[6]], atomic_add(&mut count[6], 1) + 9);
        let pair = (count[7], atomic_add(&mut count[7], 4));
        seen[5] = 10 * pair.0 + pair.1;
        let mut rounds = 0;
        for _ in count[7]..atomic_add(&mut count[7], 6) + 3 {
            rounds = 3 * rounds + 1;
        }
        seen[6] = rounds;
        let ((early, _), late) = ((count[7], 0), atomic_add(&mut count[7], 1));
        seen[7] = 100 * early + late;
    }
}

#[netcl::function]
fn larger(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

netcl::kernel! {
    /// What `for` counts: the values as digits in base 8, and how many there are.
    #[launch(global = [N])]
    fn loops(
        from: &Tensor<i32, N>,
        to: &Tensor<i32, N>,
        step: &Tensor<u32, N>,
        sums: &mut Tensor<i32, 4, N>,
        rounds: &mut Tensor<u32, 4, N>,
    ) {
        let n = global_id(0);
        if n >= N {
            return;
        }
        let mut sum = 0;
        let mut count = 0;
        for i in from[n]..to[n] {
            sum = 3 * sum + i;
            count += 1;
        }
        sums[0, n] = sum;
        rounds[0, n] = count;
        sum = 0;
        count = 0;
        for i in from[n]..=to[n] {
            if i == 2 {
                continue;
            }
            sum = 3 * sum + i;
            count += 1;
        }
        sums[1, n] = sum;
        rounds[1, n] = count;
        sum = 0;
        count = 0;
        for i in (from[n]..to[n]).step_by(step[n] as usize) {
            sum = 3 * sum + i;
            count += 1;
        }
        sums[2, n] = sum;
        rounds[2, n] = count;
        sum = 0;
        count = 0;
        for i in (max(from[n], -10)..=7).step_by(2) {
            sum = 3 * sum + i;
            count += 1;
        }
        sums[3, n] = sum;
        rounds[3, n] = count;
    }

    /// Positions that other work-items could change.
    #[launch(global = [1], local = [1])]
    fn follow(x: &Tensor<f32, N>, next: &mut Tensor<u32, 1>, y: &mut Tensor<f32, 8>) {
        next[0] = 4;
        let v = x[next[0] - 4];
        y.store4(next[0] - 4, splat4(v));
    }

    /// Half-precision elements in local and private arrays, declared variables, conversions and scalars.
    #[types(T = [f32, f16, bf16])]
    #[launch(global = [N], local = [64])]
    fn halves(x: &Tensor<T, N>, y: &mut Tensor<T, N>, z: &mut Tensor<f32, N>, a: T) {
        let mut scratch = local!([T; 64]);
        let mut own = private!([T; 2]);
        let (i, l) = (global_id(0), local_id(0));
        let v: T = if i < N { x[i] } else { 0.0 };
        scratch[l] = v * a;
        own[l % 2] = v + 2049.0;
        barrier();
        let w: T = scratch[63 - l];
        if i < N {
            y[i] = w;
            z[i] = own[l % 2] + (v * 0.1) as T + 3 as T;
        }
    }
}

#[test]
fn lets_have_their_own_types() -> Result<()> {
    everywhere(|| {
        let x = [1.0f32, -2.0, 3.0, 0.5];
        let at = [3u32, 2, 1, 0];
        let found = nested_lets(&floats(&x, &[4]), &Tensor::from_slice(&device(), &at, &[4])?)?.to_vec::<f32>()?;
        let expected: Vec<f32> = (0..4u32)
            .map(|i| {
                let v = x[at[i as usize] as usize];
                let mut w = v * 2.0 + (1 + i) as f32;
                w = w * 0.5 + x[3];
                if v > 2.5 && i < 2 {
                    w += 100.0;
                }
                f32::max(-5.0, w - i as f32)
            })
            .collect();
        assert_eq!(found, expected);
        Ok(())
    })
}

#[test]
fn everything_is_computed_once_and_in_order() -> Result<()> {
    everywhere(|| {
        let x = Tensor::from_slice(&device(), &[1u32, 2, 30, 40], &[4])?;
        let (count, kept, grid, seen) = once(&x)?;
        let (count, kept) = (count.to_vec::<u32>()?, kept.to_vec::<u32>()?);
        assert_eq!(count, [2, 1, 7, 6, 4, 3, 1, 11]);
        assert_eq!(kept[..5], [40, 30, 10, 0, 12]);
        let mut expected = [[0u32; 4]; 4];
        expected[0][0] = 1;
        expected[1][1] += 2;
        expected[2][3] = 3;
        assert_eq!(grid.to_vec::<u32>()?, expected.concat());
        assert_eq!(seen.to_vec::<u32>()?, [0, 3, 0, 2, 9, 0, 13, 1010]);
        Ok(())
    })
}

#[test]
fn loops_count_what_rust_counts() -> Result<()> {
    const CASES: [(i32, i32, u32); 8] = [
        (0, 4, 1),
        (-3, 3, 2),
        (3, 3, 5),
        (4, 1, 3),
        (i32::MAX - 2, i32::MAX, 1),
        (i32::MIN, i32::MIN + 5, 4),
        (-1, 7, 1_000_000),
        // A step of 0 counts as 1.
        (2, 6, 0),
    ];
    fn sum(values: impl Iterator<Item = i32>) -> (i32, u32) {
        values.fold((0, 0), |(sum, count), i| (i32::wrapping_add(i32::wrapping_mul(3, sum), i), count + 1))
    }
    everywhere(|| {
        let from = Tensor::from_slice(&device(), &CASES.map(|(from, ..)| from), &[8])?;
        let to = Tensor::from_slice(&device(), &CASES.map(|(_, to, _)| to), &[8])?;
        let step = Tensor::from_slice(&device(), &CASES.map(|(.., step)| step), &[8])?;
        let (sums, rounds) = loops(&from, &to, &step)?;
        let (sums, rounds) = (sums.to_vec::<i32>()?, rounds.to_vec::<u32>()?);
        for (n, (from, to, step)) in CASES.into_iter().enumerate() {
            let expected = [
                sum(from..to),
                sum((from..=to).filter(|i| *i != 2)),
                sum((from..to).step_by(step.max(1) as usize)),
                sum((from.max(-10)..=7).step_by(2)),
            ];
            for (which, expected) in expected.into_iter().enumerate() {
                let found = (sums[8 * which + n], rounds[8 * which + n]);
                assert_eq!(found, expected, "loop {which} from {from} to {to} by {step}");
            }
        }
        Ok(())
    })
}

#[test]
fn half_precision_is_stored_in_arrays_too() -> Result<()> {
    everywhere(|| {
        let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.3 - 7.0).collect();
        let round = |dtype: DType, x: f32| match dtype {
            DType::F16 => f16::from_f32(x).to_f32(),
            DType::BF16 => bf16::from_f32(x).to_f32(),
            _ => x,
        };
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let given = match dtype {
                DType::F16 => {
                    Tensor::from_slice(&device(), &x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>(), &[64])?
                }
                DType::BF16 => {
                    Tensor::from_slice(&device(), &x.iter().map(|&x| bf16::from_f32(x)).collect::<Vec<_>>(), &[64])?
                }
                _ => floats(&x, &[64]),
            };
            let (y, z) = halves(&given, 0.7)?;
            let y: Vec<f32> = match dtype {
                DType::F16 => y.to_vec::<f16>()?.into_iter().map(f16::to_f32).collect(),
                DType::BF16 => y.to_vec::<bf16>()?.into_iter().map(bf16::to_f32).collect(),
                _ => y.to_vec()?,
            };
            let z = z.to_vec::<f32>()?;
            for i in 0..64 {
                let own = |i: usize| round(dtype, x[i]);
                assert_eq!(y[i], round(dtype, own(63 - i) * 0.7), "{dtype} {i}");
                assert_eq!(z[i], round(dtype, own(i) + 2049.0) + round(dtype, own(i) * 0.1) + 3.0, "{dtype} {i}");
            }
        }
        Ok(())
    })
}
/// A guard that reads an index apart from its use would let another work-item change it in between.
#[test]
fn positions_from_memory_are_read_once() -> Result<()> {
    for target in netcl::Target::ALL.into_iter().filter(|target| *target != netcl::Target::Host) {
        let source = follow.source(target)?;
        assert_eq!(source.matches("next[0]").count(), 3, "{source}");
    }
    everywhere(|| {
        let (next, y) = follow(&floats(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5]))?;
        assert_eq!(next.to_vec::<u32>()?, [4]);
        assert_eq!(y.to_vec::<f32>()?[..4], [1.0, 1.0, 1.0, 1.0]);
        Ok(())
    })
}
