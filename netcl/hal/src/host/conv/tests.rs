//! Convolutions against loops that follow the definition.

use super::*;
use half::{bf16, f16};
use netcl_kernels::graph::ConvGeometry;

/// Numbers with few bits, so that products and sums of them are exact: any wrong element shows.
fn numbers(len: usize, seed: usize) -> Vec<f64> {
    (0..len).map(|i| (((i * 7 + seed * 13) ^ (i / 5)) % 9) as f64 - 4.0).collect()
}

/// `[n, c, h, w]`, `[o, kh, kw]`, then stride, padding, dilation and groups.
fn shapes(
    [n, c, h, w]: [usize; 4],
    [o, kh, kw]: [usize; 3],
    stride: [u64; 2],
    padding: [u64; 2],
    dilation: [u64; 2],
    groups: u64,
) -> ConvShapes {
    let out = |input: usize, kernel: usize, axis: usize| {
        let free = input as i64 + 2 * padding[axis] as i64 - dilation[axis] as i64 * (kernel as i64 - 1) - 1;
        if free < 0 { 0 } else { free as usize / stride[axis] as usize + 1 }
    };
    let geometry = ConvGeometry { stride, padding, dilation, groups };
    ConvShapes { n, c, h, w, o, kh, kw, oh: out(h, kh, 0), ow: out(w, kw, 1), geometry }
}

/// Calls `each(input, weight, output)` with the indices of every product in the definition of the forward convolution.
fn products(s: &ConvShapes, mut each: impl FnMut(usize, usize, usize)) {
    let g = s.geometry;
    let groups = g.groups as usize;
    let (cg, og) = (s.c / groups, s.o / groups);
    for n in 0..s.n {
        for o in 0..s.o {
            for (y, x) in (0..s.oh).flat_map(|y| (0..s.ow).map(move |x| (y, x))) {
                for c in 0..cg {
                    for (i, j) in (0..s.kh).flat_map(|i| (0..s.kw).map(move |j| (i, j))) {
                        let line = (y * g.stride[0] as usize + i * g.dilation[0] as usize) as i64 - g.padding[0] as i64;
                        let column =
                            (x * g.stride[1] as usize + j * g.dilation[1] as usize) as i64 - g.padding[1] as i64;
                        if (0..s.h as i64).contains(&line) && (0..s.w as i64).contains(&column) {
                            let channel = o / og * cg + c;
                            each(
                                ((n * s.c + channel) * s.h + line as usize) * s.w + column as usize,
                                ((o * cg + c) * s.kh + i) * s.kw + j,
                                ((n * s.o + o) * s.oh + y) * s.ow + x,
                            );
                        }
                    }
                }
            }
        }
    }
}

fn lengths(s: &ConvShapes) -> [usize; 3] {
    [s.n * s.c * s.h * s.w, s.o * (s.c / s.geometry.groups as usize) * s.kh * s.kw, s.n * s.o * s.oh * s.ow]
}

fn check<T: Scalar>(s: &ConvShapes, threads: usize, of: impl Fn(f64) -> T, to: impl Fn(T) -> f64) {
    let [input, weight, output] = lengths(s);
    let (x, w, g) = (numbers(input, 1), numbers(weight, 2), numbers(output, 3));
    for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
        let (first, second, len) = match kind {
            ConvKind::Forward => (&x, &w, output),
            ConvKind::InputGrad => (&g, &w, input),
            ConvKind::WeightGrad => (&x, &g, weight),
        };
        let mut expected = vec![0.0; len];
        products(s, |at_x, at_w, at_y| match kind {
            ConvKind::Forward => expected[at_y] += x[at_x] * w[at_w],
            ConvKind::InputGrad => expected[at_x] += g[at_y] * w[at_w],
            ConvKind::WeightGrad => expected[at_w] += g[at_y] * x[at_x],
        });
        let narrow = |data: &[f64]| data.iter().map(|&x| of(x)).collect::<Vec<T>>();
        let mut found = vec![of(f64::NAN); len];
        conv2d(kind, s, &narrow(first), &narrow(second), &mut found, threads)
            .unwrap_or_else(|error| panic!("{kind:?} {s:?}: {error}"));
        for (index, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
            let found = to(found);
            assert!(
                found == to(of(expected)),
                "{kind:?} {s:?} on {threads}: element {index} is {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn every_geometry() {
    let mut checked = 0;
    for stride in [[1, 1], [2, 1], [1, 3], [2, 2]] {
        for padding in [[0, 0], [1, 1], [2, 0], [0, 3]] {
            for dilation in [[1, 1], [2, 1], [1, 3]] {
                for (groups, channels, outputs) in [(1, 3, 4), (2, 4, 2), (3, 3, 6), (1, 1, 1)] {
                    for (kernel, size) in [([3, 3], [7, 8]), ([1, 1], [5, 4]), ([2, 4], [6, 11]), ([5, 1], [5, 3])] {
                        let s = shapes(
                            [2, channels, size[0], size[1]],
                            [outputs, kernel[0], kernel[1]],
                            stride,
                            padding,
                            dilation,
                            groups,
                        );
                        check::<f32>(&s, 1 + checked % 3, |x| x as f32, f64::from);
                        checked += 1;
                    }
                }
            }
        }
    }
    assert_eq!(checked, 4 * 4 * 3 * 4 * 4);
}

#[test]
fn images_of_few_positions_beside_each_other() {
    let sizes = [([2, 2], [3, 3], [1, 1]), ([1, 3], [1, 1], [0, 0]), ([5, 4], [2, 3], [0, 1])];
    for (images, sizes) in [(2, &sizes[..]), (5, &sizes), (70, &sizes[..1])] {
        for (size, kernel, padding) in sizes {
            for (stride, groups) in [([1, 1], 1), ([2, 1], 1), ([1, 2], 2)] {
                let (x, k) = ([images, 128, size[0], size[1]], [128 * groups, kernel[0], kernel[1]]);
                let s = shapes(x, k, stride, *padding, [1, 1], groups as u64);
                let together = Conv::new(&s).unwrap().beside();
                assert!(groups == 2 || (2..=images).contains(&together), "{s:?}: {together}");
                check::<f64>(&s, 1 + images % 3, |x| x, |x| x);
            }
        }
    }
}

#[test]
fn large_in_blocks_and_on_several_threads() {
    let one = ([1, 1], [1, 1], [1, 1]);
    for (n, (stride, padding, dilation), groups) in
        [(1, one, 1), (5, one, 1), (2, one, 2), (1, ([2, 1], [2, 2], [1, 2]), 1), (7, ([1, 2], [0, 1], [1, 1]), 4)]
    {
        let s = shapes([n, 16, 60, 50], [8, 3, 3], stride, padding, dilation, groups);
        for threads in [1, 2, 3, 0] {
            check::<f32>(&s, threads, |x| x as f32, f64::from);
        }
        check::<f64>(&s, 2, |x| x, |x| x);
    }
    let pointwise = shapes([3, 64, 40, 30], [48, 1, 1], [1, 1], [0, 0], [1, 1], 1);
    for threads in [1, 2, 8] {
        check::<f32>(&pointwise, threads, |x| x as f32, f64::from);
    }
}

#[test]
fn half_precision_rounds_once() {
    let s = shapes([2, 4, 6, 5], [6, 3, 2], [1, 2], [1, 0], [1, 1], 2);
    check::<f16>(&s, 2, f16::from_f64, f64::from);
    check::<bf16>(&s, 2, bf16::from_f64, f64::from);
}

#[test]
fn empty_axes_give_zeros() {
    for s in [
        shapes([0, 2, 5, 5], [3, 3, 3], [1, 1], [0, 0], [1, 1], 1),
        shapes([2, 0, 5, 5], [3, 3, 3], [1, 1], [0, 0], [1, 1], 1),
        shapes([2, 2, 5, 5], [0, 3, 3], [1, 1], [0, 0], [1, 1], 1),
        shapes([2, 2, 2, 5], [3, 3, 3], [1, 1], [0, 0], [1, 1], 1),
    ] {
        check::<f32>(&s, 2, |x| x as f32, f64::from);
    }
}

#[test]
fn bad_arguments_are_errors() {
    let good = shapes([2, 4, 6, 5], [6, 3, 2], [1, 2], [1, 0], [1, 1], 2);
    let [input, weight, output] = lengths(&good);
    let run = |s: &ConvShapes, input: usize, weight: usize, output: usize| {
        conv2d(ConvKind::Forward, s, &vec![1f32; input], &vec![1f32; weight], &mut vec![0f32; output], 1)
    };
    assert_eq!(run(&good, input, weight, output), Ok(()));
    assert_eq!(run(&good, input + 5, weight + 1, output + 3), Ok(()));
    let geometry = good.geometry;
    let bad = [
        ConvShapes { oh: good.oh + 1, ..good },
        ConvShapes { ow: good.ow - 1, ..good },
        ConvShapes { c: 5, ..good },
        ConvShapes { h: usize::MAX, ..good },
        ConvShapes { geometry: ConvGeometry { groups: 0, ..geometry }, ..good },
        ConvShapes { geometry: ConvGeometry { stride: [0, 1], ..geometry }, ..good },
        ConvShapes { geometry: ConvGeometry { dilation: [1, 0], ..geometry }, ..good },
        ConvShapes { geometry: ConvGeometry { padding: [u64::MAX, 0], ..geometry }, ..good },
    ];
    for bad in bad {
        assert!(matches!(run(&bad, input, weight, output), Err(ProductError::Shape(_))), "{bad:?}");
    }
    for (input, weight, output) in [(input - 1, weight, output), (input, weight - 1, output), (input, weight, 0)] {
        let error = run(&good, input, weight, output).expect_err("a wrong length");
        assert!(error.to_string().contains("expected"), "{error}");
    }
}
