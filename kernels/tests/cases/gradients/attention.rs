//! Attention, of one head and several, whose positions see all keys or those before them.

use super::{Case, Checked};
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops::attention::scaled_dot_product_attention;

pub(super) fn attention() -> Vec<Checked> {
    let of = |what: &'static str, sizes: [usize; 4], causal: bool| {
        let [t, s, d, e] = sizes;
        let mut case = Case::new();
        let (q, k) = (case.float(&[2, t, d], -2.0, 2.0), case.float(&[2, s, d], -2.0, 2.0));
        let v = case.float(&[2, s, e], -2.0, 2.0);
        let out: NodeId = scaled_dot_product_attention(&mut case.builder, q, k, v, causal).unwrap();
        case.of(what, out, false)
    };
    vec![of("attention", [3, 4, 2, 3], false), of("causal_attention", [4, 3, 2, 2], true)]
}
