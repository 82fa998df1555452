//! SIMT-form kernels, run on every device found, or on the one that `NETCL_TEST_DEVICE` names.

use crate::common::{device, everywhere, floats};
use netcl::{Result, Tensor};

#[netcl::function]
fn leak(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.1 * x }
}

netcl::kernel! {
    /// Sums of 64 elements each, by a tree in local memory.
    #[launch(global = [N], local = [64])]
    pub fn block_sum(x: &Tensor<f32, N>, partial: &mut Tensor<f32, { (N + 63) / 64 }>) {
        let mut scratch = local!([f32; 64]);
        let (i, l) = (global_id(0), local_id(0));
        scratch[l] = if i < N { x[i] } else { 0.0 };
        barrier();
        let mut step = 32;
        while step > 0 {
            if l < step {
                scratch[l] += scratch[l + step];
            }
            barrier();
            step /= 2;
        }
        if l == 0 {
            partial[group_id(0)] = scratch[0];
        }
    }

    /// How many elements fall into each of 4 bins.
    #[launch(global = [N])]
    fn histogram(x: &Tensor<f32, N>, counts: &mut Tensor<u32, 4>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let bin = min(max(x[i] * 4.0, 0.0), 3.0) as u32;
        atomic_add(&mut counts[bin], 1);
    }

    /// The elements above a bound, in no order, and how many there are.
    #[launch(global = [N])]
    fn compact(x: &Tensor<f32, N>, kept: &mut Tensor<f32, N>, count: &mut Tensor<u32, 1>, bound: f32) {
        let i = global_id(0);
        if i < N && x[i] > bound {
            kept[atomic_add(&mut count[0], 1)] = x[i];
        }
    }

    /// For each bin of 4, whether each element was the first in it; a bin's number stays where it was claimed.
    #[launch(global = [N])]
    fn claim(x: &Tensor<u32, N>, bins: &mut Tensor<u32, 4>, first: &mut Tensor<u32, N>) {
        let i = global_id(0);
        if i < N {
            let bin = x[i] % 4;
            // The right side is not run for odd bins: nobody claims them.
            let won = bin % 2 == 0 && atomic_exchange(&mut bins[bin], i + 1) == 0;
            first[i] = if won { 1 } else { 0 };
        }
    }

    /// Each item takes rounds until 100 are taken: how many it took, summed over all items.
    #[launch(global = [N])]
    fn take_turns(x: &Tensor<u32, N>, next: &mut Tensor<u32, 1>, taken: &mut Tensor<u32, 1>) {
        let i = global_id(0);
        if i < N {
            let mut sum = 0;
            while atomic_add(&mut next[0], 1) < 100 {
                sum += x[i];
            }
            atomic_add(&mut taken[0], sum);
        }
    }

    /// Operands are evaluated from left to right: the element before the update, then its old value.
    #[launch(global = [N])]
    fn in_order(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>, z: &mut Tensor<i32, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = x[i];
            z[i] = 10 * y[i] + atomic_add(&mut y[i], 5);
        }
    }

    /// Items of a group take their places by the old values of a counter in local memory.
    #[launch(global = [N], local = [64])]
    fn places(x: &Tensor<i32, N>, place: &mut Tensor<i32, N>) {
        let mut count = local!([i32; 1]);
        let i = global_id(0);
        if local_id(0) == 0 {
            count[0] = 0;
        }
        barrier();
        if i < N {
            place[i] = x[i] + atomic_add(&mut count[0], 1);
        }
    }

    /// The largest element so far, through the compare-and-exchange that floats need.
    #[launch(global = [N])]
    fn float_atomics(x: &Tensor<f32, N>, sum: &mut Tensor<f32, 1>, most: &mut Tensor<f32, 1>, old: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            atomic_max(&mut most[0], x[i]);
            old[i] = atomic_add(&mut sum[0], x[i]);
        }
    }

    /// The transpose, and the elements through a function.
    #[launch(global = [C, R])]
    fn transpose(x: &Tensor<f32, R, C>, y: &mut Tensor<f32, C, R>, z: &mut Tensor<f32, R, C>, scale: f32) {
        let (c, r) = (global_id(0), global_id(1));
        if r < R && c < C {
            y[c, r] = x[r, c];
            z[r, c] = leak(x[r, c]) * scale;
        }
    }

    /// Four elements at a time.
    #[launch(global = [N])]
    fn axpy(x: &Tensor<f32, N, 4>, y: &Tensor<f32, N, 4>, out: &mut Tensor<f32, N, 4>, a: f32) {
        let i = global_id(0) * 4;
        if i < N * 4 {
            out.store4(i, x.load4(i).mul_add(splat4(a), y.load4(i)));
        }
    }

    /// Running sums of each row, in a private array first.
    #[launch(global = [R])]
    fn prefix(x: &Tensor<f32, R, 4>, y: &mut Tensor<f32, R, 4>) {
        let r = global_id(0);
        if r < R {
            let mut sums = private!([f32; 4]);
            let mut sum = 0.0;
            for c in 0..4 {
                sum += x[r, c];
                sums[c] = sum;
            }
            for c in (0..4).step_by(1) {
                y[r, c] = sums[c];
            }
        }
    }

    /// x², for two element types, with a gradient by hand.
    #[types(T = [f32, f16])]
    #[launch(global = [N])]
    fn twice<T>(x: &Tensor<T, N>, y: &mut Tensor<T, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = x[i] + x[i];
        }
    }

    #[launch(global = [N])]
    #[gradient(square_gradient)]
    fn square(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = x[i] * x[i];
        }
    }

    #[launch(global = [N])]
    fn square_gradient(x: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            dx[i] = 2.0 * x[i] * dy[i];
        }
    }
}

netcl::kernel! {
    /// No item looks whether it is one too many.
    #[launch(global = [N], local = [64])]
    fn careless(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] + x[i + 1];
    }

    /// Indices that stay inside, and indices that wrap or end just outside.
    #[launch(global = [N], local = [8])]
    fn near_the_edge(x: &Tensor<f32, N>, inside: &mut Tensor<f32, N>, outside: &mut Tensor<f32, N>) {
        let mut scratch = local!([f32; 8]);
        let (i, l) = (global_id(0), local_id(0));
        scratch[l] = if i < N { x[i] } else { 0.0 };
        barrier();
        if i < N {
            inside[i] = scratch[(l + 1) % 8] + scratch[7 - l] + scratch[l ^ 1] + x[i];
            outside[i] = scratch[l - 1] + scratch[l + 1] + scratch[6 - l] + x[i + 1];
        }
    }

    /// The same, on the user's word: the launch has exactly as many items as there are elements.
    #[launch(global = [N], local = [64], unchecked)]
    fn on_trust(x: &Tensor<f32, { N * 64 }>, one: &Tensor<f32, N>, y: &mut Tensor<f32, { N * 64 }>) {
        y[local_id(0)] = x[local_id(0)] + one[0];
    }

    /// Past the end of a row is no element, though the next row stands there.
    #[launch(global = [R, C], local = [8, 8])]
    fn careless_rows(x: &Tensor<f32, R, C>, y: &mut Tensor<f32, R, C>, next: &mut Tensor<f32, R, C>) {
        let (r, c) = (global_id(0), global_id(1));
        y[r, c] = (100 * r + c) as f32;
        next[r, c] = x[r, c + 1] + 0.5;
    }

    /// Vectors that end outside, arrays and atomics.
    #[launch(global = [N], local = [8])]
    fn careless_others(
        x: &Tensor<f32, N>,
        y: &mut Tensor<f32, N>,
        sums: &mut Tensor<u32, 2>,
        before: &mut Tensor<u32, N>,
    ) {
        let mut scratch = local!([f32; 4]);
        let mut own = private!([f32; 2]);
        let i = global_id(0);
        scratch[local_id(0)] = 1.0;
        barrier();
        own[i] = 1.0;
        y.store4(4 * i, x.load4(4 * i) + splat4(scratch[local_id(0)] + own[i]));
        before[i] = atomic_add(&mut sums[i % 3], 1);
    }
}

#[test]
fn local_memory_and_barriers() -> Result<()> {
    everywhere(|| {
        for n in [1usize, 64, 65, 200] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let expected: Vec<f32> = x.chunks(64).map(|chunk| chunk.iter().sum()).collect();
            assert_eq!(block_sum(&floats(&x, &[n]))?.to_vec::<f32>()?, expected);
        }
        Ok(())
    })
}

#[test]
fn atomics_start_from_zero() -> Result<()> {
    everywhere(|| {
        let x: Vec<f32> = (0..100).map(|i| i as f32 / 100.0).collect();
        for _ in 0..2 {
            assert_eq!(histogram(&floats(&x, &[100]))?.to_vec::<u32>()?, [25; 4]);
        }
        Ok(())
    })
}

#[test]
fn atomics_give_the_old_value() -> Result<()> {
    everywhere(|| {
        let x: Vec<f32> = (0..200).map(|i| ((i * 37) % 100) as f32).collect();
        let (kept, count) = compact(&floats(&x, &[200]), 69.5)?;
        let count = count.to_vec::<u32>()?[0] as usize;
        let mut kept = kept.to_vec::<f32>()?;
        // Nobody writes what follows.
        kept.truncate(count);
        kept.sort_by(f32::total_cmp);
        let mut expected: Vec<f32> = x.into_iter().filter(|&value| value > 69.5).collect();
        expected.sort_by(f32::total_cmp);
        assert_eq!(kept, expected);

        let numbers: Vec<i32> = (0..150).map(|i| 1000 * (i / 64)).collect();
        let mut place = places(&Tensor::from_slice(&device(), &numbers, &[150])?)?.to_vec::<i32>()?;
        place.sort_unstable();
        let expected: Vec<i32> = (0..150).map(|i| 1000 * (i / 64) + i % 64).collect();
        assert_eq!(place, expected);
        Ok(())
    })
}

#[test]
fn what_an_operand_changes_is_changed_where_it_stands() -> Result<()> {
    everywhere(|| {
        let x = Tensor::from_slice(&device(), &[0u32, 1, 2, 3, 4, 5, 6, 7, 8], &[9])?;
        let (bins, first) = claim(&x)?;
        let (bins, first) = (bins.to_vec::<u32>()?, first.to_vec::<u32>()?);
        assert_eq!((bins[1], bins[3]), (0, 0), "the right side of `&&` runs only where the left is true");
        assert_eq!((first[0] + first[4] + first[8], first[2] + first[6]), (1, 1), "{bins:?} {first:?}");
        assert_eq!(first.iter().sum::<u32>(), 2);

        let ones = Tensor::from_slice(&device(), &[1u32; 30], &[30])?;
        let (next, taken) = take_turns(&ones)?;
        assert_eq!((next.to_vec::<u32>()?, taken.to_vec::<u32>()?), (vec![130], vec![100]));

        let (y, z) = in_order(&Tensor::from_slice(&device(), &[1, -2, 3], &[3])?)?;
        assert_eq!((y.to_vec::<i32>()?, z.to_vec::<i32>()?), (vec![6, 3, 8], vec![11, -22, 33]));
        Ok(())
    })
}

#[test]
fn float_atomics_give_the_old_value() -> Result<()> {
    everywhere(|| {
        // Small integers: every order gives the same sums.
        let x: Vec<f32> = (0..100).map(|i| (i % 7) as f32).collect();
        let (sum, most, old) = float_atomics(&floats(&x, &[100]))?;
        let total: f32 = x.iter().sum();
        assert_eq!((sum.to_vec::<f32>()?, most.to_vec::<f32>()?), (vec![total], vec![6.0]));
        // In the order of the old values, each is the one before plus what was added there.
        let mut order: Vec<(f32, f32)> =
            old.to_vec::<f32>()?.into_iter().zip(x).filter(|(_, value)| *value > 0.0).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut running = 0.0;
        for (old, value) in order {
            assert_eq!(old, running);
            running += value;
        }
        assert_eq!(running, total);
        Ok(())
    })
}

#[test]
fn two_dimensions_and_two_results() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, -2.0, 3.0, 4.0, 5.0, -6.0], &[2, 3]);
        let (y, z) = transpose(&x, 2.0)?;
        assert_eq!(y.to_vec::<f32>()?, [1.0, 4.0, -2.0, 5.0, 3.0, -6.0]);
        assert_eq!(z.to_vec::<f32>()?, [2.0, -0.4, 6.0, 8.0, 10.0, -1.2]);
        Ok(())
    })
}

#[test]
fn vectors_and_private_arrays() -> Result<()> {
    everywhere(|| {
        let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let y = axpy(&floats(&x, &[2, 4]), &floats(&[1.0; 8], &[2, 4]), 3.0)?;
        assert_eq!(y.to_vec::<f32>()?, x.iter().map(|x| 3.0 * x + 1.0).collect::<Vec<_>>());
        assert_eq!(prefix(&floats(&x, &[2, 4]))?.to_vec::<f32>()?, [0.0, 1.0, 3.0, 6.0, 4.0, 9.0, 15.0, 22.0]);
        Ok(())
    })
}

#[test]
fn element_types_and_gradients_by_hand() -> Result<()> {
    everywhere(|| {
        assert_eq!(twice(&floats(&[1.5, -2.0], &[2]))?.to_vec::<f32>()?, [3.0, -4.0]);
        let (y, pullback) = square.vjp(&floats(&[3.0, -1.0], &[2]))?;
        assert_eq!(y.to_vec::<f32>()?, [9.0, 1.0]);
        assert_eq!(pullback(&floats(&[1.0, 10.0], &[2]))?.to_vec::<f32>()?, [6.0, -20.0]);
        Ok(())
    })
}

#[test]
fn indices_outside_read_zero_and_write_nothing() -> Result<()> {
    everywhere(|| {
        for n in [1usize, 63, 64, 65] {
            let x: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            let expected: Vec<f32> = (0..n).map(|i| x[i] + x.get(i + 1).unwrap_or(&0.0)).collect();
            assert_eq!(careless(&floats(&x, &[n]))?.to_vec::<f32>()?, expected);
        }
        let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
        // SAFETY: 64 items, each with an id below 64, on a tensor of 64 elements.
        let sums = unsafe { on_trust(&floats(&x, &[64]), &floats(&[1.0], &[1])) }?.to_vec::<f32>()?;
        assert_eq!(sums, x.iter().map(|x| x + 1.0).collect::<Vec<_>>());

        let x: Vec<f32> = (0..15).map(|i| i as f32).collect();
        let (y, next) = careless_rows(&floats(&x, &[3, 5]))?;
        let expected: Vec<f32> = (0..15).map(|i| (100 * (i / 5) + i % 5) as f32).collect();
        assert_eq!(y.to_vec::<f32>()?, expected);
        let expected: Vec<f32> = (0..15).map(|i| if i % 5 == 4 { 0.5 } else { x[i + 1] + 0.5 }).collect();
        assert_eq!(next.to_vec::<f32>()?, expected);

        // The item 2 has 2 elements of its 4: it reads none and writes none. `sums` has 2 elements, not 3.
        let x: Vec<f32> = (0..10).map(|i| i as f32).collect();
        let (y, sums, before) = careless_others(&floats(&x, &[10]))?;
        let y = y.to_vec::<f32>()?;
        assert_eq!(y[..8], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let items = sums.to_vec::<u32>()?;
        // 16 items run: 0, 3, .., 15 and 1, 4, .., 13.
        assert_eq!(items, [6, 5]);
        let before = before.to_vec::<u32>()?;
        assert_eq!([before[2], before[5], before[8]], [0; 3], "no element, so nothing before");
        Ok(())
    })
}

#[test]
fn indices_that_only_look_bounded_are_checked() -> Result<()> {
    everywhere(|| {
        let x: Vec<f32> = (0..13).map(|i| i as f32 + 1.0).collect();
        let (inside, outside) = near_the_edge(&floats(&x, &[13]))?;
        let (inside, outside) = (inside.to_vec::<f32>()?, outside.to_vec::<f32>()?);
        for i in 0..13usize {
            let (first, l) = (i - i % 8, i % 8);
            let group = |l: usize| if l < 8 { x.get(first + l).copied().unwrap_or(0.0) } else { 0.0 };
            assert_eq!(inside[i], group((l + 1) % 8) + group(7 - l) + group(l ^ 1) + x[i], "item {i}");
            let after = x.get(i + 1).copied().unwrap_or(0.0);
            let wrapped = |l: usize, by: usize| group(l.wrapping_sub(by));
            assert_eq!(outside[i], wrapped(l, 1) + group(l + 1) + wrapped(6, l) + after, "item {i}");
        }
        Ok(())
    })
}

#[test]
fn only_unchecked_kernels_take_indices_as_they_are() -> Result<()> {
    use netcl::Target;
    assert!(careless.source(Target::Host)?.contains("\nmay_race\n"), "{}", careless.source(Target::Host)?);
    for target in [Target::Cpu, Target::Gpu] {
        assert!(careless.source(target)?.contains("if ("), "{}", careless.source(target)?);
        assert!(!on_trust.source(target)?.contains("if ("), "{}", on_trust.source(target)?);
    }
    Ok(())
}

netcl::kernel! {
    #[launch(global = [{ N / 4 }])]
    fn fourths(x: &Tensor<f32, N>, y: &mut Tensor<f32, { N / 4 }>) {
        let i = global_id(0);
        y[i] = x[4 * i];
    }

    #[launch(global = [{ N / 4 }])]
    fn by_fours(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        for k in 0..4 {
            y[4 * global_id(0) + k] = x[4 * global_id(0) + k];
        }
    }

    #[launch(global = [{ N - 1 }])]
    fn steps_up(x: &Tensor<f32, N>, count: &mut Tensor<u32, 1>) {
        let i = global_id(0);
        if i + 1 < N && x[i + 1] > x[i] {
            atomic_add(&mut count[0], 1);
        }
    }

    #[launch(global = [N], local = [64])]
    fn row_norms(x: &Tensor<f32, N, C>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        let mut sum = 0.0;
        for c in 0..C {
            sum += x[n, c] * x[n, c];
        }
        if n < N {
            y[n] = sum.sqrt();
        }
    }

    #[launch(global = [N])]
    fn halvings(x: &Tensor<f32, N>, y: &mut Tensor<u32, N>) {
        let i = global_id(0);
        let (mut left, mut count) = (x[i], 0);
        while left > 1.0 {
            left /= 2.0;
            count += 1;
        }
        y[i] = count;
    }
}

#[test]
fn launches_without_items_leave_no_result_unwritten() -> Result<()> {
    everywhere(|| {
        let x = |n: usize| floats(&[0.0, 1.0, 2.0].repeat(3)[..n], &[n]);
        assert_eq!(by_fours(&x(8))?.to_vec::<f32>()?, x(8).to_vec::<f32>()?);
        assert_eq!(fourths(&x(9))?.to_vec::<f32>()?, [0.0, 1.0]);
        assert_eq!(fourths(&x(3))?.shape(), [0], "nothing to do");
        let error = by_fours(&x(3)).unwrap_err().to_string();
        assert!(error.starts_with("`by_fours` with N = 3: no work-item would run"), "{error}");
        // Zeros are what no item leaves where items add to what is there.
        assert_eq!(steps_up(&x(1))?.to_vec::<u32>()?, [0]);
        assert_eq!(steps_up(&x(4))?.to_vec::<u32>()?, [2]);
        Ok(())
    })
}

#[test]
fn reports_count_what_the_text_tells() -> Result<()> {
    for target in [netcl::Target::Host, netcl::Target::Gpu] {
        let norms = row_norms.report(target)?;
        assert!(
            norms.contains("B, N*C*2 + N flop\n")
                || norms.contains("B, N + C*N*2 flop\n")
                || norms.contains("B, C*N*2 + N flop\n"),
            "{norms}"
        );
        assert!(norms.contains("with N = 32, C = 128: 8.22 kflop of arithmetic"), "{norms}");
        let unknown = halvings.report(target)?;
        assert!(unknown.contains("B, - flop\n") && unknown.contains(": - flop of arithmetic"), "{unknown}");
    }
    let host = row_norms.source(netcl::Target::Host)?;
    assert!(host.contains("kernel row_norms\nlaunch [N] local [64]\n"), "{host}");
    Ok(())
}
