//! What kernels compute, on the reference interpreter: their graphs without plans and devices.

use super::Crate;
use crate::dump::GRAPHS;
use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::dim::Symbol;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{Graph, InputKind, Op, OutputKind};
use proc_macro2::TokenStream;
use quote::quote;

/// The graph of the kernel called `name` among `items`.
fn graph(items: TokenStream, name: &str) -> Graph {
    GRAPHS.take();
    Crate::default().kernel(items).sound();
    made(name)
}

/// The graph of the kernel called `name` that was made last.
pub(super) fn made(name: &str) -> Graph {
    let known = GRAPHS.take().into_iter().find(|(known, _)| known == name);
    known.unwrap_or_else(|| panic!("`{name}` has no graph")).1
}

/// The arguments of a kernel: their sizes and elements, and numbers by their names.
#[derive(Default)]
pub(super) struct Given<'a> {
    pub(super) sizes: &'a [(&'a str, u64)],
    pub(super) args: &'a [(&'a [usize], &'a [f64])],
    pub(super) numbers: &'a [(&'a str, f64)],
}

impl Given<'_> {
    fn run(&self, graph: &Graph, cotangent: Option<&[f64]>) -> Vec<(OutputKind, HostTensor)> {
        let bindings: Vec<_> = self.sizes.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
        let give = |kind: &InputKind, name: &str| {
            let InputKind::Argument(position) = kind else {
                let (_, node) = graph.iter().find(|(_, node)| node.op == Op::Input(kind.clone()))?;
                let (_, number) = self.numbers.iter().find(|(known, _)| *known == name)?;
                return HostTensor::from_f64(node.dtype, &[], &[*number]).ok();
            };
            let (_, node) = graph.iter().find(|(_, node)| node.op == Op::Input(kind.clone()))?;
            match self.args.get(*position) {
                Some((shape, values)) => HostTensor::from_f64(node.dtype, shape, values).ok(),
                None => HostTensor::from_f64(node.dtype, &node.shape.evaluate(&bindings)?, cotangent?).ok(),
            }
        };
        evaluate(graph, &bindings, &give, Precision::F64).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// The elements of the result.
    pub(super) fn value(&self, graph: &Graph) -> Vec<f64> {
        self.run(graph, None)[0].1.to_f64()
    }

    /// The gradients in the float arguments where every element of the result counts once.
    fn gradients(&self, graph: &Graph) -> Vec<Vec<f64>> {
        let ones = vec![1.0; self.value(graph).len()];
        let graph = append_vjp(graph.clone(), Arguments::Floats).expect("a float result");
        let outputs = self.run(&graph, Some(&ones)).into_iter();
        let gradients = outputs.filter(|(kind, _)| matches!(kind, OutputKind::ArgumentGradient(_)));
        gradients.map(|(_, gradient)| gradient.to_f64()).collect()
    }
}

const ROWS: [f64; 3] = [1.0, 10.0, 100.0];
const SQUARE: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
/// `a[n] * sum over c of x[n, c]`, with the arrays above.
const SCALED: [f64; 3] = [6.0, 150.0, 2400.0];

#[test]
fn parts_of_tuples_and_lists_belong_to_the_indices_that_they_were_bound_under() {
    for body in [
        quote!(|n| { let t = (a[n], 2.0); sum(0..N, |c| t.0 * x[n, c]) }),
        quote!(|n| { let t = (2.0, (a[n], 1.0)); sum(0..N, |c| { let (_, (p, q)) = t; p * q * x[n, c] }) }),
        quote!(|n| { let w = [a[n], 0.0]; sum(0..N, |c| { let mut s = 0.0; for each in w { s += each * x[n, c]; } s }) }),
    ] {
        // Rows and columns of one size: nothing but the meaning tells them apart.
        let items = quote!(fn k(a: &Tensor<f32, N>, x: &Tensor<f32, N, N>) -> Tensor<f32, N> { #body });
        let given = Given { sizes: &[("N", 3)], args: &[(&[3], &ROWS), (&[3, 3], &SQUARE)], ..Given::default() };
        let graph = graph(items, "k");
        assert_eq!(given.value(&graph), SCALED, "{body}");
        let ones = [6.0, 15.0, 24.0];
        assert_eq!(given.gradients(&graph)[0], ones, "{body}");
    }
}

/// Checks values and gradients of `|n| body` at each of `at`, whose elements do not know of each other.
fn at(body: TokenStream, at: &[f64], values: &[f64], slopes: &[f64]) {
    let items = quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let x = x[n]; #body } });
    let graph = graph(items, "k");
    let given = Given { sizes: &[("N", at.len() as u64)], args: &[(&[at.len()], at)], ..Given::default() };
    let near = |found: &[f64], wanted: &[f64]| {
        found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| a == b || (a - b).abs() < 1e-9)
    };
    let (value, gradient) = (given.value(&graph), given.gradients(&graph).remove(0));
    assert!(near(&value, values), "{body}: {value:?}, not {values:?}");
    assert!(near(&gradient, slopes), "{body}: slopes {gradient:?}, not {slopes:?}");
}

#[test]
fn sizes_and_numbers_alone_are_indices() {
    for (body, of) in [
        (quote!(x[n, min(1, T - 1)]), (|t: i64| 1.min(t - 1)) as fn(i64) -> i64),
        (quote!(x[n, max(T - 2, 0)]), |t| 0.max(t - 2)),
        (quote!(x[n, clamp(1, 0, T - 1)]), |t| 1.clamp(0, t - 1)),
        (quote!(x[n, (T - 2).max(0)]), |t| 0.max(t - 2)),
        (quote!(x[n, 5 % T]), |t| 5 % t),
        (quote!({ let mut s = 0.0; for k in 2..3 { s += x[n, min(k, T - 1)]; } s }), |t| 2.min(t - 1)),
    ] {
        let graph = graph(quote!(fn k(x: &Tensor<f32, N, T>) -> Tensor<f32, N> { |n| #body }), "k");
        for t in 1..5 {
            let row: Vec<f64> = (0..t).map(f64::from).collect();
            let given =
                Given { sizes: &[("N", 1), ("T", t as u64)], args: &[(&[1, t as usize], &row)], ..Given::default() };
            assert_eq!(given.value(&graph), [of(i64::from(t)) as f64], "{body} of {t}");
        }
    }
}

#[test]
fn known_numbers_wrap_as_elements_do() {
    let hash = |numbers: &[u32]| numbers.iter().fold(2166136261u32, |h, i| (h ^ i).wrapping_mul(16777619));
    for (body, value) in [
        (quote!(let mut h = 2166136261u32; for i in 0..4 { h = (h ^ i) * 16777619; } h), hash(&[0, 1, 2, 3])),
        (quote!(let h = (200u8 + 100u8) as u32; h), 44),
        (quote!(let h = 3u32 - 5; h), 3u32.wrapping_sub(5)),
        (quote!(let by = 40; let h = 1u32 << by; h), 256),
    ] {
        let graph = graph(quote!(fn k(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| { #body ^ x[n] } }), "k");
        let given = Given { sizes: &[("N", 2)], args: &[(&[2], &[0.0, 7.0])], ..Given::default() };
        assert_eq!(given.value(&graph), [f64::from(value), f64::from(value ^ 7)], "{body}");
    }
}

#[test]
fn branches_that_are_not_taken_contribute_nothing() {
    let inf = f64::INFINITY;
    at(quote!(if x > 0.0 { x.sqrt() } else { 0.0 }), &[4.0, 0.0, -1.0], &[2.0, 0.0, 0.0], &[0.25, 0.0, 0.0]);
    at(quote!(if x != 0.0 { x.sin() / x } else { 1.0 }), &[0.0], &[1.0], &[0.0]);
    at(quote!(if x > 0.0 { x.ln() } else { x }), &[0.0, -2.0, 1.0], &[0.0, -2.0, 0.0], &[1.0, 1.0, 1.0]);
    // A chain of them, and one that overflows.
    at(quote!(if x > 0.0 { (2.0 * x.ln()).exp().sqrt() } else { 3.0 * x }), &[0.0, 2.0], &[0.0, 2.0], &[3.0, 1.0]);
    at(quote!(if x < 10.0 { x } else { x * x.exp() * 0.0 + 1.0 }), &[2.0, -inf], &[2.0, -inf], &[1.0, 1.0]);
    at(quote!(if x < 10.0 { x.exp() } else { x }), &[0.0, 1e4], &[1.0, 1e4], &[1.0, 1.0]);
    at(quote!(if x < 1.0 { 0.0 } else { x.powf(-0.5) }), &[0.0, 4.0], &[0.0, 0.5], &[0.0, -0.0625]);
    // What both branches use counts in either, and not where neither is taken.
    let both = quote!({
        let r = x.sqrt();
        if x > 4.0 {
            2.0 * r
        } else if x > 0.0 {
            4.0 * r
        } else {
            1.0
        }
    });
    at(both, &[16.0, 4.0, 0.0, -1.0], &[8.0, 8.0, 1.0, 1.0], &[0.25, 1.0, 0.0, 0.0]);
    // Assignments, and branches in branches.
    let assigned = quote!({
        let mut y = 1.0 + 0.0 * x;
        if x > 0.0 {
            if x < 100.0 {
                y = x.sqrt();
            }
        }
        y
    });
    at(assigned, &[4.0, 0.0, -1.0, 400.0], &[2.0, 1.0, 1.0, 1.0], &[0.25, 0.0, 0.0, 0.0]);
    // Where a branch is taken, its derivative is what it is.
    at(quote!(if x >= 0.0 { x.sqrt() } else { 0.0 }), &[0.0], &[0.0], &[inf]);
}

#[test]
fn sums_in_branches_that_are_not_taken_contribute_nothing() {
    let items = quote! {
        fn k(x: &Tensor<f32, N>, y: &Tensor<f32, N, C>) -> Tensor<f32, N> {
            |n| if x[n] > 0.0 { let l = x[n].ln(); sum(0..C, |c| l * y[n, c].sqrt()) } else { 0.0 }
        }
    };
    let given = Given {
        sizes: &[("N", 3), ("C", 2)],
        args: &[(&[3], &[1.0, 0.0, -1.0]), (&[3, 2], &[1.0, 4.0, -1.0, 0.0, 1.0, -4.0])],
        ..Given::default()
    };
    let graph = graph(items, "k");
    assert_eq!(given.value(&graph), [0.0, 0.0, 0.0]);
    let gradients = given.gradients(&graph);
    assert_eq!(gradients[0], [3.0, 0.0, 0.0]);
    assert_eq!(gradients[1], [0.0; 6]);
}

/// Checks that element `i` of the result of `items`' kernel is the element `source(i)` of the argument, or zero, and that
/// gradients go back there.
fn moves(items: TokenStream, sizes: &[(&str, u64)], shape: &[usize], source: &dyn Fn(usize) -> Option<usize>) {
    let graph = graph(items.clone(), "k");
    let x: Vec<f64> = (0..shape.iter().product()).map(|i: usize| 1.5 + i as f64).collect();
    let given = Given { sizes, args: &[(shape, &x)], ..Given::default() };
    let value = given.value(&graph);
    let wanted: Vec<f64> = (0..value.len()).map(|i| source(i).map_or(0.0, |i| x[i])).collect();
    assert_eq!(value, wanted, "{items}");
    let mut counts = vec![0.0; x.len()];
    (0..value.len()).filter_map(source).for_each(|i| counts[i] += 1.0);
    assert_eq!(given.gradients(&graph)[0], counts, "{items}");
}

#[test]
fn indices_are_divided() {
    let up = quote!(fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, { N * 2 }, { C * 3 }> { |n, c| x[n / 2, c / 3] });
    moves(up, &[("N", 3), ("C", 2)], &[3, 2], &|i| Some(i / 6 / 2 * 2 + i % 6 / 3));
    // Axes of one size, where the quotient reaches half of it.
    let equal = quote!(
        fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| x[n / 2] + 0.0 * x[(n + 2) / 3]
        }
    );
    for size in 1..6 {
        moves(equal.clone(), &[("N", size as u64)], &[size], &|i| Some(i / 2));
    }
    let halves =
        quote!(fn k(x: &Tensor<f32, { (N + 1) / 2 }, N>) -> Tensor<f32, N, N> { |n, c| x[n / 2, (c + 1) / 2] });
    moves(halves, &[("N", 3)], &[2, 3], &|i| Some(i / 3 / 2 * 3 + (i % 3).div_ceil(2)));
    let periodic = quote!(
        fn k(x: &Tensor<f32, N>) -> Tensor<f32, { N + 3 }> {
            |n| x[(n + N - 1) % N]
        }
    );
    for size in [1, 2, 3, 5] {
        moves(periodic.clone(), &[("N", size as u64)], &[size], &|i| Some((i + size - 1) % size));
    }
    let tiles = quote!(
        fn k(x: &Tensor<f32, N>) -> Tensor<f32, { N * 3 }> {
            |n| x[n % N]
        }
    );
    moves(tiles, &[("N", 4)], &[4], &|i| Some(i % 4));
    let swapped = quote!(
        fn k(x: &Tensor<f32, { N * 2 }>) -> Tensor<f32, { N * 2 }> {
            |n| x[n / 2 * 2 + 1 - n % 2]
        }
    );
    moves(swapped, &[("N", 3)], &[6], &|i| Some(i ^ 1));
    let joined = quote!(fn k(x: &Tensor<f32, N, 2>) -> Tensor<f32, { N * 2 }> { |n| x[n / 2, n % 2] });
    moves(joined, &[("N", 3)], &[3, 2], &Some);
    let by_size = quote!(fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, { N * C }> { |n| x[n / C, n % C] });
    moves(by_size, &[("N", 3), ("C", 4)], &[3, 4], &Some);
    let nested = quote!(
        fn k(x: &Tensor<f32, 3>) -> Tensor<f32, 14> {
            |n| x[(n + 1) / 2 % 3]
        }
    );
    moves(nested, &[], &[3], &|i| Some(i.div_ceil(2) % 3));
    let padded = quote!(
        fn k(x: &Tensor<f32, N>) -> Tensor<f32, { N * 2 }> {
            |n| pad(x[n / 2 - 1])
        }
    );
    moves(padded, &[("N", 3)], &[3], &|i| (i / 2).checked_sub(1));
    let diagonal = quote!(fn k(x: &Tensor<f32, N, { N * 2 }>) -> Tensor<f32, { N * 2 }> { |n| x[n / 2, n] });
    moves(diagonal, &[("N", 3)], &[3, 6], &|i| Some(i / 2 * 6 + i));
}

#[test]
fn divided_indices_meet_other_things() {
    // Sizes of which neither is known to be the larger, and one index for rows and columns.
    let items = quote! {
        fn k(x: &Tensor<f32, N, C>, p: &Tensor<f32, P, C>) -> Tensor<f32, N, C> { |n, c| x[n, c] * p[n % P, c] }
        fn circular(x: &Tensor<f32, N>, w: &Tensor<f32, C>) -> Tensor<f32, N> { |n| sum(0..C, |c| w[c] * x[(n + c) % N]) }
        fn numbers(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + (n / 2) as f32 + 0.5 * (n % 3) }
        fn rows(x: &Tensor<f32, N, C>, r: &Tensor<u32, N>) -> Tensor<f32, N, { C * 2 }> { |n, c| x[r[n], c / 2] }
    };
    let sizes = [("N", 3), ("C", 2), ("P", 2)];
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let given =
        Given { sizes: &sizes, args: &[(&[3, 2], &x), (&[2, 2], &[1.0, 10.0, 100.0, 1000.0])], ..Given::default() };
    let k = graph(items.clone(), "k");
    assert_eq!(given.value(&k), [1.0, 20.0, 300.0, 4000.0, 5.0, 60.0]);
    assert_eq!(given.gradients(&k)[1], [6.0, 8.0, 3.0, 4.0]);
    let circular = graph(items.clone(), "circular");
    let given = Given { sizes: &sizes, args: &[(&[3], &x[..3]), (&[2], &[1.0, 10.0])], ..Given::default() };
    assert_eq!(given.value(&circular), [21.0, 32.0, 13.0]);
    assert_eq!(given.gradients(&circular), [vec![11.0; 3], vec![6.0; 2]]);
    let given = Given { sizes: &sizes, args: &[(&[3], &x[..3])], ..Given::default() };
    assert_eq!(given.value(&graph(items.clone(), "numbers")), [1.0, 2.5, 5.0]);
    let given = Given { sizes: &sizes, args: &[(&[3, 2], &x), (&[3], &[2.0, 0.0, 2.0])], ..Given::default() };
    let rows = graph(items, "rows");
    assert_eq!(given.value(&rows), [5.0, 5.0, 6.0, 6.0, 1.0, 1.0, 2.0, 2.0, 5.0, 5.0, 6.0, 6.0]);
    assert_eq!(given.gradients(&rows)[0], [2.0, 2.0, 0.0, 0.0, 4.0, 4.0]);
}

/// What is divided by a size and multiplied with it is an index; other products of quotients are read with zeros outside.
#[test]
fn quotients_times_their_size_are_indices() {
    let items = quote! {
        fn rows(x: &Tensor<f32, N, M>) -> Tensor<f32, { N * M }> { |i| x[i / M, i - i / M * M] }
        fn starts(x: &Tensor<f32, N, M>) -> Tensor<f32, { N * M }> { |i| pad(x[i / M, i % M]) + pad(x[0, i / M * (M + 1) - 2]) }
        fn firsts(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, N> { |i| x[i / M * M] * y[i % M] }
        fn lasts(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, N> { |i| x[N - 1 - i / M * M] + 0.0 * y[i % M] }
        fn of_one(x: &Tensor<f32, N, M>) -> Tensor<f32, N, M> { |n, c| x[n, c / M * M] }
        fn below(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, N> {
            |i| sum(0..i + 1, |k| x[k - k % M] + 0.0 * y[k % M])
        }
    };
    let sizes = [("N", 2), ("M", 3)];
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let given = Given { sizes: &sizes, args: &[(&[2, 3], &x)], ..Given::default() };
    assert_eq!(given.value(&graph(items.clone(), "rows")), x);
    assert_eq!(given.value(&graph(items.clone(), "starts")), [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]);
    assert_eq!(given.value(&graph(items.clone(), "of_one")), [1.0, 1.0, 1.0, 4.0, 4.0, 4.0]);
    let given = Given {
        sizes: &[("N", 5), ("M", 3)],
        args: &[(&[5], &x[..5]), (&[3], &[1.0, 10.0, 100.0])],
        ..Given::default()
    };
    let firsts = graph(items.clone(), "firsts");
    assert_eq!(given.value(&firsts), [1.0, 10.0, 100.0, 4.0, 40.0]);
    assert_eq!(given.gradients(&firsts)[0], [111.0, 0.0, 0.0, 11.0, 0.0]);
    assert_eq!(given.value(&graph(items.clone(), "lasts")), [5.0, 5.0, 5.0, 2.0, 2.0]);
    assert_eq!(given.value(&graph(items, "below")), [1.0, 2.0, 3.0, 7.0, 11.0]);
}

/// What is said about `items`.
fn errors(items: TokenStream) -> Vec<String> {
    let mut own = Crate::default();
    own.kernel(items);
    own.errors()
}

#[test]
fn divided_indices_stay_inside() {
    for body in [quote!(|n| x[n / 2 + 1]), quote!(|n| x[(n + 3) / 2]), quote!(|n| x[n % (N + 1)])] {
        let found = errors(quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, { N * 2 }> { #body }));
        assert!(found.len() == 1 && found[0].contains("may be outside axis 0 of `x`"), "{body}: {found:?}");
    }
    // Rust rounds to zero what is negative, and knows no quotient by zero.
    for (body, said) in [
        (quote!(|n| x[(n - 1) / 2]), "an index that may be negative is divided"),
        (quote!(|n| pad(x[(n - 1) / 2])), "an index that may be negative is divided"),
        (quote!(|n| x[n / (N - 1)]), "an index that may be negative is divided"),
        (quote!(|n| x[n * n]), "an index is a sum of indices"),
        (quote!(|n| x[n / N * (N + 1)]), "an index is a sum of indices"),
        (quote!(|n| x[n] + sum(0..n, |k| x[n - k - 2])), "may be outside axis 0"),
        (quote!(|n| sum(n..N, |k| x[k - n + 1])), "may be outside axis 0"),
        (quote!(|n| x[clamp(n, 1, N)]), "may be outside axis 0"),
        (quote!(|n| x[n - n % 4 + 1]), "may be outside axis 0"),
        (quote!(|n| x[n / 2 - n % 4]), "may be outside axis 0"),
        (quote!(|n| x[max(n - 1, 1)]), "may be outside axis 0"),
    ] {
        let found = errors(quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { #body }));
        assert!(found.len() == 1 && found[0].contains(said), "{body}: {found:?}");
    }
}

#[test]
fn declared_types_hold() {
    let kernel = |body: TokenStream| errors(quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { #body } }));
    for body in [
        quote!(let y: f32 = x[n]; y),
        quote!(let (a, b): (f32, bool) = (x[n], x[n] > 0.0); if b { a } else { -a }),
        quote!(let w: [f32; 2] = [x[n], 2.0]; let i: usize = n; let mut s: f32 = 0.0; for e in w { s += e } s + x[i]),
        quote!(let count: f32 = N; let _: _ = 1; x[n] / count),
        quote!(let k: u32 = if x[n] > 0.0 { 7 } else { 3 + 1 }; let l: u32 = 1; k.max(l) as f32),
    ] {
        assert_eq!(kernel(body.clone()), [""; 0], "{body}");
    }
    for (body, found) in [
        (quote!(let y: i32 = x[n]; y as f32), "`y` is declared as `i32`, its value is `f32`"),
        (quote!(let y: u32 = 1.5; x[n] * y as f32), "`y` is declared as `u32`, its value is `1.5`"),
        (quote!(let y: u32 = 0.1f32; x[n] * y as f32), "`y` is declared as `u32`, its value is `0.1` of f32"),
        (quote!(let y: u32 = -1; x[n]), "`-1` is no u32 number"),
        (quote!(let y: bool = 1; x[n]), "`y` is declared as `bool`, its value is an integer"),
        (quote!(let y: usize = x[n]; x[n]), "`y` is declared as `usize`, its value is `f32`"),
        (quote!(let y: (f32, f32) = x[n]; x[n]), "`y` is declared as `(f32, f32)`, its value is `f32`"),
        (quote!(let w: [f32; 3] = [x[n], 1.0]; x[n]), "`w` is declared as `[f32; 3]`, its value is a list"),
        (quote!(let y: Tensor<f32, N> = x[n]; x[n]), "`y` is declared as `Tensor<f32, N>`, its value is `f32`"),
        (quote!(let y: String = x[n]; x[n]), "`String` cannot be the type of a variable here"),
    ] {
        let all = kernel(body.clone());
        assert!(all.len() == 1 && all[0].contains(found), "{body}: {all:?}");
    }
}

#[test]
fn numbers_take_the_declared_type() {
    let items = quote! {
        fn k(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| { let k: u32 = if x[n] > 0.0 { 7 } else { { 3 } }; let l: u32 = 1 + if x[n] > 2.0 { 1 } else { 2 }; k - 4 * l }
        }
    };
    let given = Given { sizes: &[("N", 3)], args: &[(&[3], &[3.0, 1.0, -1.0])], ..Given::default() };
    // Below zero an unsigned number wraps.
    assert_eq!(given.value(&graph(items, "k")), [4_294_967_295.0, 4_294_967_291.0, 4_294_967_287.0]);
}

#[test]
fn a_variable_may_have_the_name_of_the_function_that_it_is_computed_by() {
    let mut krate = super::Crate::default();
    krate.function(quote!(
        fn gelu(x: f32) -> f32 {
            let exp = exp(-x);
            x / (1.0 + exp)
        }
    ));
    krate.function(quote!(
        fn twice(x: f32) -> f32 {
            let gelu = gelu(x);
            {
                let gelu = 2.0 * gelu;
                gelu
            }
        }
    ));
    krate.kernel(quote! {
        fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
            |n| {
                let mean = mean(0..C, |c| x[n, c]);
                let twice = twice(mean);
                let sum = sum(0..C, |c| { let gelu = gelu(x[n, c]); gelu - twice });
                sum / mean
            }
        }

        #[launch(global = [N])]
        fn items(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            let i = global_id(0);
            let exp = exp(x[i]);
            let gelu = gelu(exp);
            y[i] = gelu;
        }
    });
    krate.sound();
    // From its `let` on the name is the variable's.
    krate.kernel(quote! { fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let gelu = gelu(x[n]); gelu(gelu) } } });
    assert!(krate.errors()[0].starts_with("`gelu` is a tensor, not a function"), "{:?}", krate.errors());
}

/// What is known while compiling is what Rust computes: `as` wraps and saturates, and an `f32` has the digits that it has.
#[test]
fn numbers_that_are_known_are_those_of_their_types() {
    let x = vec![0.0; 300];
    let given = Given { sizes: &[("N", 300)], args: &[(&[300], &x)], ..Given::default() };
    let first = |graph: &Graph| given.value(graph)[0];
    for (number, value) in [
        (quote!(300 as u8 as i32), 44),
        (quote!(-1 as u8 as i32), 255),
        (quote!(4294967295u32 as i32), -1),
        (quote!(N as u8 as i32), 44),
        (quote!(16777217.0 as i32), 16_777_217),
        (quote!(16777217.0f32 as i32), 16_777_216),
        (quote!(1e10 as i32), i32::MAX),
        (quote!(-1.5 as i32), -1),
        (quote!(-1.5 as u32 as i32), 0),
        (quote!((0.0 / 0.0) as i32), 0),
    ] {
        let items = quote!(fn k(x: &Tensor<i32, N>) -> Tensor<i32, N> { |n| x[n] + (#number) });
        assert_eq!(first(&graph(items, "k")), f64::from(value), "{number}");
    }
    for (number, value) in [
        (quote!((16777216.0f32 + 1.0) - 16777216.0), 0.0),
        (quote!((16777216.0 + 1.0) - 16777216.0), 0.0),
        (quote!(((16777216.0 + 1.0) - 16777216.0) as f32), 1.0),
        (quote!(1e39 * 1e-38), f64::from((1e39 * f64::from(1e-38f32)) as f32)),
        (quote!(if 0.1f32 + 0.2 == 0.3 { 1.0 } else { 2.0 }), 1.0),
        (quote!(if 0.1 as f32 as f64 == 0.1 { 1.0 } else { 2.0 }), 2.0),
        (quote!(if 0.1f32 as f64 == 0.1 { 1.0 } else { 2.0 }), 2.0),
        (quote!((0.99999999f32).floor()), 1.0),
        (quote!((16777217 as f32) - 16777216.0), 0.0),
        (quote!((1152921573326323713 as f32) - 1152921504606846976.0), 137_438_953_472.0),
        (quote!(if (2.0f32).sqrt() * (2.0f32).sqrt() > 2.0 { 1.0 } else { 2.0 }), 2.0),
    ] {
        let items = quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + (#number) });
        assert_eq!(first(&graph(items, "k")), value, "{number}");
    }
}

#[test]
fn signed_numbers_are_indices() {
    let items = quote! {
        fn k(x: &Tensor<f32, N>, p: &Tensor<i32, M>) -> Tensor<f32, M> {
            |m| x[p[m] as usize] + sum(0..N, |n| if n < p[m] as usize { 100.0 } else { 0.0 })
        }
    };
    let given = Given {
        sizes: &[("N", 3), ("M", 4)],
        args: &[(&[3], &ROWS), (&[4], &[0.0, 2.0, -1.0, 3.0])],
        ..Given::default()
    };
    assert_eq!(given.value(&graph(items, "k")), [1.0, 300.0, 300.0, 300.0]);
}
