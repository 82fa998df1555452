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
    let known = GRAPHS.take().into_iter().find(|(known, _)| known == name);
    known.unwrap_or_else(|| panic!("`{name}` has no graph")).1
}

/// The arguments of a kernel: their sizes and elements.
struct Given<'a> {
    sizes: &'a [(&'a str, u64)],
    args: &'a [(&'a [usize], &'a [f64])],
}

impl Given<'_> {
    fn run(&self, graph: &Graph, cotangent: Option<&[f64]>) -> Vec<(OutputKind, HostTensor)> {
        let bindings: Vec<_> = self.sizes.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
        let give = |kind: &InputKind, _: &str| {
            let InputKind::Argument(position) = kind else { return None };
            let (_, node) = graph.iter().find(|(_, node)| node.op == Op::Input(kind.clone()))?;
            match self.args.get(*position) {
                Some((shape, values)) => HostTensor::from_f64(node.dtype, shape, values).ok(),
                None => HostTensor::from_f64(node.dtype, &node.shape.evaluate(&bindings)?, cotangent?).ok(),
            }
        };
        evaluate(graph, &bindings, &give, Precision::F64).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// The elements of the result.
    fn value(&self, graph: &Graph) -> Vec<f64> {
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
        let given = Given { sizes: &[("N", 3)], args: &[(&[3], &ROWS), (&[3, 3], &SQUARE)] };
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
    let given = Given { sizes: &[("N", at.len() as u64)], args: &[(&[at.len()], at)] };
    let near = |found: &[f64], wanted: &[f64]| {
        found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| a == b || (a - b).abs() < 1e-9)
    };
    let (value, gradient) = (given.value(&graph), given.gradients(&graph).remove(0));
    assert!(near(&value, values), "{body}: {value:?}, not {values:?}");
    assert!(near(&gradient, slopes), "{body}: slopes {gradient:?}, not {slopes:?}");
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
    };
    let graph = graph(items, "k");
    assert_eq!(given.value(&graph), [0.0, 0.0, 0.0]);
    let gradients = given.gradients(&graph);
    assert_eq!(gradients[0], [3.0, 0.0, 0.0]);
    assert_eq!(gradients[1], [0.0; 6]);
}
