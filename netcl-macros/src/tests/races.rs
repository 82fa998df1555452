//! Which writes of SIMT-form kernels are refused because all work-items make them, each with another value.

use super::Crate;
use proc_macro2::TokenStream;
use quote::quote;

/// What is said of a kernel over `x` and `y` with N elements and `c` with 4, launched so, with that body.
fn errors(launch: &str, body: &TokenStream) -> Vec<String> {
    let launch: TokenStream = launch.parse().expect("tokens");
    let mut all = Crate::default();
    all.kernel(quote! {
        #[launch(#launch)]
        fn k(x: &Tensor<f32, N>, a: f32, y: &mut Tensor<f32, N>, c: &mut Tensor<u32, 4>) {
            let i = global_id(0);
            c[local_id(0) % 4] = 0;
            y[i] = 0.0;
            #body
        }
    });
    all.errors()
}

const EACH: &str = "global = [N]";
const GROUPS: &str = "global = [N], local = [64]";
const ONE: &str = "global = [1]";

#[test]
fn what_all_write_differently_is_refused() {
    let refused = [
        (EACH, quote!(y[0] += x[i];)),
        (GROUPS, quote!(y[0] += x[i];)),
        ("global = [4], local = [4]", quote!(y[0] += x[i];)),
        // The group is filled: 64 run.
        ("global = [1], local = [64]", quote!(y[0] += 1.0;)),
        (EACH, quote!(y[0] = x[i];)),
        (EACH, quote!(y[0] = i as f32;)),
        (EACH, quote!(y[0] += 1.0;)),
        (EACH, quote!(c[1] = c[1] + 1;)),
        (EACH, quote!(y[N - 1] = max(y[N - 1], x[i]);)),
        (
            EACH,
            quote!(if i < N {
                y[0] += x[i];
            }),
        ),
        (EACH, quote!(if i >= N { return; } y[0] += x[i];)),
        (
            EACH,
            quote!(if a > 0.0 {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(for k in 0..N {
                y[k] += x[i];
            }),
        ),
        (EACH, quote!(let mut k = 0; while k < 3 { y[k] = x[i]; k += 1; })),
        (EACH, quote!(let v = if x[i] > 0.0 { 1.0 } else { 0.0 }; y[0] = v;)),
        (EACH, quote!(let mut v = 0.0; for k in 0..i { v += x[k]; } y[0] = v;)),
        (EACH, quote!(let before = atomic_add(&mut c[0], 1); c[1] = before;)),
        (GROUPS, quote!(y[0] = group_id(0) as f32;)),
        (EACH, quote!(y.store4(0, x.load4(i));)),
    ];
    for (launch, body) in refused {
        let said = errors(launch, &body);
        assert!(said.len() == 1 && said[0].starts_with("all work-items write to"), "{launch} {body}: {said:?}");
    }
}

#[test]
fn what_is_written_once_or_alike_is_not() {
    let sound = [
        (ONE, quote!(y[0] += x[i];)),
        ("global = [1], local = [1]", quote!(y[0] += x[i];)),
        (EACH, quote!(y[i] += x[i];)),
        (EACH, quote!(y[N - 1 - i] = x[i];)),
        (EACH, quote!(y[c[i]] = x[i];)),
        // All of them write the same.
        (EACH, quote!(y[0] = 0.0;)),
        (EACH, quote!(y[0] = a;)),
        (EACH, quote!(y[0] = x[3] * a + N as f32;)),
        (EACH, quote!(let mut v = x[i]; y[i] = v; v = 2.0; y[0] = v;)),
        (EACH, quote!(let mut sum = 0.0; for k in 0..N { sum += x[k]; } y[0] = sum;)),
        // Some of them do.
        (
            EACH,
            quote!(if i == 0 {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(if i == N - 1 {
                y[0] += x[i];
            }),
        ),
        (
            EACH,
            quote!(if x[i] > a {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(if i < 1 {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(if i < N {
                if i == 3 {
                    y[0] = x[i];
                }
            }),
        ),
        (EACH, quote!(if i > 0 { return; } y[0] = x[i];)),
        (
            GROUPS,
            quote!(if local_id(0) == 0 {
                y[group_id(0)] = x[i];
            }),
        ),
        (
            GROUPS,
            quote!(if group_id(0) == 0 && local_id(0) == 0 {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(if atomic_add(&mut c[0], 1) == N - 1 {
                y[0] = x[i];
            }),
        ),
        (
            EACH,
            quote!(for k in 0..N {
                if k == i {
                    y[k] = x[i];
                }
            }),
        ),
        (
            EACH,
            quote!(for k in i..N {
                y[k] = x[i];
            }),
        ),
        (
            EACH,
            quote!(for k in 0..N {
                if k == i {
                    break;
                }
                y[k] = x[i];
            }),
        ),
        (EACH, quote!(let mut k = 0; if x[i] > 0.0 { k = 1; } y[k] = x[i];)),
        (EACH, quote!(let mut k = 0; for _ in 0..i { k += 1; } y[k] = x[i];)),
        // Of what a group shares nothing is known.
        (GROUPS, quote!(let mut s = local!([f32; 64]); s[local_id(0)] = x[i]; barrier(); y[0] = s[0];)),
        (EACH, quote!(atomic_add(&mut y[0], x[i]);)),
    ];
    for (launch, body) in sound {
        let said = errors(launch, &body);
        assert!(said.is_empty(), "{launch} {body}: {said:?}");
    }
}
