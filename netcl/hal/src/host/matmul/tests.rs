//! Products against loops that follow the definition.

use super::*;
use half::{bf16, f16};

/// Numbers with few bits, so that products and sums of them are exact in every type: any wrong element shows.
fn numbers(len: usize, seed: usize) -> Vec<f64> {
    (0..len).map(|i| (((i * 7 + seed * 13) ^ (i / 5)) % 9) as f64 - 4.0).collect()
}

/// Strides of an operand, batch axes first; negative along flipped axes.
#[derive(Clone, Debug)]
struct Placed {
    start: usize,
    batch: Vec<isize>,
    row: isize,
    column: isize,
}

impl Placed {
    fn at(&self, batch: &[usize], row: usize, column: usize) -> usize {
        let outer: isize = self.batch.iter().zip(batch).map(|(stride, &index)| stride * index as isize).sum();
        self.start.wrapping_add_signed(outer + row as isize * self.row + column as isize * self.column)
    }

    /// How many elements it needs from the first of the memory on.
    fn len(&self, batch: &[usize], rows: usize, columns: usize) -> usize {
        if rows * columns == 0 || batch.contains(&0) {
            return 0;
        }
        let last: Vec<usize> =
            batch.iter().zip(&self.batch).map(|(size, stride)| if *stride < 0 { 0 } else { size - 1 }).collect();
        let end = |size: usize, stride: isize| if stride < 0 { 0 } else { size - 1 };
        self.at(&last, end(rows, self.row), end(columns, self.column)) + 1
    }

    fn of<'a, T>(&'a self, data: &'a [T]) -> Strided<'a, T> {
        Strided { data, start: self.start, batch: &self.batch, row: self.row, column: self.column }
    }

    /// Turned round along the chosen axes, with a gap before its memory.
    fn flipped(&self, batch: &[usize], [rows, columns]: [usize; 2], axes: usize) -> Placed {
        let mut out = self.clone();
        out.start += 2;
        let mut flip = |bit: usize, size: usize, stride: &mut isize| {
            if axes & (1 << bit) != 0 && size > 0 {
                out.start += (size - 1) * *stride as usize;
                *stride = -*stride;
            }
        };
        flip(0, rows, &mut out.row);
        flip(1, columns, &mut out.column);
        for (stride, &size) in out.batch.iter_mut().zip(batch) {
            flip(2, size, stride);
        }
        out
    }
}

/// Row-major, column-major, with gaps between elements and rows, or (for batches) broadcast or with interleaved axes.
fn view(kind: usize, batch: &[usize], rows: usize, columns: usize) -> Placed {
    let [row, column, matrix] = match kind % 4 {
        0 => [columns, 1, rows * columns],
        1 => [1, rows, rows * columns],
        2 => [2 * columns + 3, 2, rows * (2 * columns + 3)],
        _ => [columns + 5, 1, rows * (columns + 5)],
    };
    let mut strides = vec![0; batch.len()];
    let mut next = matrix;
    for (stride, size) in strides.iter_mut().zip(batch).rev() {
        *stride = next;
        next *= size;
    }
    Placed { start: 0, batch: signed_all(strides), row: row as isize, column: column as isize }
}

/// `[.., t, h, d]` seen as batches of `h`: the batch axis lies inside the rows, as in attention.
fn heads(batch: &[usize], rows: usize, columns: usize) -> Placed {
    let (&inner, outer) = batch.split_last().expect("a batch axis");
    let row = inner * columns;
    let mut strides = vec![columns; batch.len()];
    let mut next = rows * row;
    for (stride, size) in strides.iter_mut().zip(outer).rev() {
        *stride = next;
        next *= size;
    }
    Placed { start: 0, batch: signed_all(strides), row: row as isize, column: 1 }
}

fn signed_all(strides: Vec<usize>) -> Vec<isize> {
    strides.into_iter().map(|stride| stride as isize).collect()
}

fn positions(batch: &[usize]) -> Vec<Vec<usize>> {
    batch.iter().fold(vec![Vec::new()], |all, &size| {
        all.iter().flat_map(|head| (0..size).map(move |i| [head.as_slice(), &[i]].concat())).collect()
    })
}

fn check<T: Scalar + PartialEq>(
    (batch, [m, n, k]): (&[usize], [usize; 3]),
    [a, b, c]: [&Placed; 3],
    threads: usize,
    of: impl Fn(f64) -> T,
    to: impl Fn(T) -> f64,
) {
    let name = format!("{batch:?} {m}x{k}x{n} a {a:?} b {b:?} c {c:?} on {threads}");
    let a_data = numbers(a.len(batch, m, k), 1);
    let b_data = numbers(b.len(batch, k, n), 2);
    // Gaps must stay as they are, and old values (even NaN) must not leak into the result.
    let len = c.len(batch, m, n) + 3;
    let mut expected = vec![77.0; len];
    let mut found = vec![of(77.0); len];
    for at in positions(batch) {
        for row in 0..m {
            for column in 0..n {
                found[c.at(&at, row, column)] = of(f64::NAN);
                expected[c.at(&at, row, column)] = (0..k)
                    .map(|inner| a_data[a.at(&at, row, inner)] * b_data[b.at(&at, inner, column)])
                    .fold(0.0, |sum, product| sum + product);
            }
        }
    }
    let narrow = |data: &[f64]| data.iter().map(|&x| of(x)).collect::<Vec<T>>();
    let (a_data, b_data) = (narrow(&a_data), narrow(&b_data));
    let c_batch: Vec<usize> = c.batch.iter().map(|&stride| stride as usize).collect();
    let out = StridedMut { data: &mut found, batch: &c_batch, row: c.row as usize, column: c.column as usize };
    matmul(batch, m, n, k, a.of(&a_data), b.of(&b_data), out, threads)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    for (index, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
        assert!(to(found) == to(of(expected)), "{name}: element {index} is {}, expected {expected}", to(found));
    }
}

const SHAPES: [[usize; 3]; 19] = [
    // Sums in parts.
    [1, 3, 1100],
    [3, 1, 1100],
    [3, 2, 9000],
    [1, 1, 1],
    [1, 5, 3],
    [5, 1, 3],
    [3, 4, 1],
    [3, 4, 2],
    [2, 3, 0],
    [0, 3, 2],
    [3, 0, 2],
    [17, 16, 15],
    [7, 33, 65],
    [64, 10, 9],
    [1, 130, 70],
    [130, 1, 70],
    [31, 33, 29],
    [32, 32, 64],
    [97, 49, 100],
];

#[test]
fn every_stride_and_shape() {
    for sizes @ [m, n, k] in SHAPES {
        for kinds in 0..64 {
            let (a, b, c) = (view(kinds, &[], m, k), view(kinds / 4, &[], k, n), view(kinds / 16, &[], m, n));
            check::<f32>((&[], sizes), [&a, &b, &c], 1, |x| x as f32, f64::from);
            if kinds % 5 == 0 {
                check::<f64>((&[], sizes), [&a, &b, &c], 2, |x| x, |x| x);
            }
        }
    }
}

#[test]
fn large_on_several_threads() {
    for sizes @ [m, n, k] in [[150, 140, 130], [300, 70, 128], [8, 700, 600], [700, 8, 600], [1, 3000, 800]] {
        for kinds in [0, 1, 4, 5, 16, 17, 20, 21, 47] {
            let (a, b, c) = (view(kinds, &[], m, k), view(kinds / 4, &[], k, n), view(kinds / 16, &[], m, n));
            for threads in [1, 2, 3, 5] {
                check::<f32>((&[], sizes), [&a, &b, &c], threads, |x| x as f32, f64::from);
            }
        }
    }
}

#[test]
fn batches() {
    for (batch, sizes) in [
        (vec![3], [4, 5, 6]),
        (vec![2, 3], [5, 1, 7]),
        (vec![2, 3], [1, 5, 7]),
        (vec![4, 1, 3], [3, 2, 4]),
        (vec![2, 0], [3, 2, 4]),
        (vec![2, 2], [3, 2, 0]),
        (vec![6, 2], [70, 65, 66]),
        (vec![1, 3], [100, 100, 100]),
        (vec![2, 2, 2, 2], [3, 3, 3]),
    ] {
        let [m, n, k] = sizes;
        for kinds in 0..16 {
            let mut a = view(kinds, &batch, m, k);
            let mut b = view(kinds / 4, &batch, k, n);
            let interleaved = heads(&batch, m, n);
            let c = if kinds % 3 == 0 { interleaved } else { view(kinds / 2, &batch, m, n) };
            match kinds % 5 {
                1 => a.batch.fill(0),
                2 => b.batch.fill(0),
                3 => b.batch[0] = 0,
                _ => {}
            }
            for threads in [1, 2, 3, 8] {
                check::<f32>((&batch, sizes), [&a, &b, &c], threads, |x| x as f32, f64::from);
            }
        }
    }
}

#[test]
fn repeated_rows_and_columns() {
    for [m, n, k] in [[4, 5, 6], [1, 9, 40], [40, 40, 40]] {
        let flat = Placed { start: 0, batch: vec![], row: 0, column: 1 };
        let same = Placed { start: 0, batch: vec![], row: 1, column: 0 };
        let c = view(0, &[], m, n);
        check::<f32>((&[], [m, n, k]), [&flat, &same, &c], 1, |x| x as f32, f64::from);
        check::<f32>((&[], [m, n, k]), [&same, &flat, &c], 1, |x| x as f32, f64::from);
    }
}

#[test]
fn flipped_axes() {
    for (batch, sizes) in [
        (vec![], [1, 1, 1]),
        (vec![], [1, 9, 40]),
        (vec![], [9, 1, 40]),
        (vec![], [5, 7, 1]),
        (vec![], [3, 0, 2]),
        (vec![], [3, 2, 0]),
        (vec![], [31, 33, 29]),
        (vec![], [130, 140, 128]),
        (vec![3], [4, 5, 6]),
        (vec![2, 3], [1, 5, 7]),
        (vec![6, 2], [70, 65, 66]),
    ] {
        let [m, n, k] = sizes;
        let c = view(0, &batch, m, n);
        for kinds in 0..16 {
            let (a, b) = (view(kinds, &batch, m, k), view(kinds / 4, &batch, k, n));
            // Every pair of flips for small products, some for large ones, with memory before the first element.
            for flips in (0..64).filter(|flips| m * n * k < 10_000 || flips % 11 == kinds % 11) {
                let (a, b) = (a.flipped(&batch, [m, k], flips), b.flipped(&batch, [k, n], flips / 8));
                check::<f32>((&batch, sizes), [&a, &b, &c], 1 + kinds % 3, |x| x as f32, f64::from);
                if flips % 7 == 0 {
                    check::<bf16>((&batch, sizes), [&a, &b, &c], 2, bf16::from_f64, f64::from);
                }
            }
        }
    }
}

#[test]
fn half_precision_rounds_once() {
    for sizes @ [m, n, k] in [[5, 7, 9], [33, 40, 17], [2, 2, 0]] {
        for kinds in [0, 5, 10, 26] {
            let (a, b, c) = (view(kinds, &[2], m, k), view(kinds / 4, &[2], k, n), view(kinds / 16, &[2], m, n));
            check::<f16>((&[2], sizes), [&a, &b, &c], 2, f16::from_f64, f64::from);
            check::<bf16>((&[2], sizes), [&a, &b, &c], 2, bf16::from_f64, f64::from);
        }
    }
}

#[test]
fn repeats_bit_for_bit() {
    let (m, n, k) = (200, 180, 300);
    let a: Vec<f32> = (0..m * k).map(|i| (i as f32 * 0.37).sin()).collect();
    let b: Vec<f32> = (0..n * k).map(|i| (i as f32 * 0.73).cos()).collect();
    let run = || {
        let mut c = vec![0f32; m * n];
        let (left, right) = (view(0, &[], m, k), view(1, &[], k, n));
        matmul(&[], m, n, k, left.of(&a), right.of(&b), StridedMut { data: &mut c, batch: &[], row: n, column: 1 }, 2)
            .expect("valid");
        c.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let first = run();
    assert!((0..5).all(|_| run() == first));
}

#[test]
fn bad_arguments_are_errors() {
    let data = [1f32; 12];
    let mut out = [5f32; 12];
    let mut run = |batch: &[usize], strides: [isize; 2], c: [usize; 2], c_batch: &[usize]| {
        let a =
            Strided { data: &data, start: 0, batch: &[0][..batch.len().min(1)], row: strides[0], column: strides[1] };
        let b = Strided { data: &data, start: 0, batch: &[0][..batch.len().min(1)], row: 4, column: 1 };
        let result =
            matmul(batch, 3, 4, 3, a, b, StridedMut { data: &mut out, batch: c_batch, row: c[0], column: c[1] }, 1);
        (result, out.iter().all(|&x| x == 5.0))
    };
    let too_short = run(&[], [5, 1], [4, 1], &[]);
    assert!(matches!(too_short, (Err(ProductError::TooShort { operand: "a", found: 12, needed: 13, .. }), true)));
    assert!(matches!(run(&[], [isize::MAX, 1], [4, 1], &[]), (Err(ProductError::TooShort { .. }), true)));
    for strides in [[-1, 1], [isize::MIN, 1], [isize::MIN, isize::MIN]] {
        assert!(matches!(run(&[], strides, [4, 1], &[]), (Err(ProductError::BeforeStart { operand: "a", .. }), true)));
    }
    assert!(matches!(run(&[], [3, 1], [3, 1], &[]), (Err(ProductError::Overlap { .. }), true)));
    assert!(matches!(run(&[], [3, 1], [0, 1], &[]), (Err(ProductError::Overlap { .. }), true)));
    assert!(matches!(run(&[2], [3, 1], [4, 1], &[0]), (Err(ProductError::Overlap { .. }), true)));
    let rank = run(&[2], [3, 1], [4, 1], &[]);
    assert!(matches!(rank, (Err(ProductError::BatchRank { operand: "c", found: 0, expected: 1 }), true)));
    assert!(run(&[], [3, 1], [4, 1], &[]).0.is_ok());
}
