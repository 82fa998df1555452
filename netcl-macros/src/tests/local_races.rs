//! Which elements of local arrays are said to be read and written without a barrier between.

use super::Crate;
use proc_macro2::TokenStream;
use quote::quote;

/// What is said of a kernel over `x` and `y` with N elements, launched so, with that body.
fn errors(launch: &str, body: &TokenStream) -> Vec<String> {
    let launch: TokenStream = launch.parse().expect("tokens");
    let mut all = Crate::default();
    all.kernel(quote! {
        #[launch(#launch)]
        fn k(x: &Tensor<f32, N>, a: f32, c: &Tensor<u32, M>, y: &mut Tensor<f32, N>) {
            let (i, l) = (global_id(0), local_id(0));
            let mut s = local!([f32; 64]);
            y[i] = a;
            #body
        }
    });
    all.errors()
}

const GROUPS: &str = "global = [N], local = [64]";
const SQUARE: &str = "global = [N, M], local = [8, 8]";

/// Launches and bodies, and what their only message begins with.
fn racing() -> Vec<(&'static str, TokenStream, &'static str)> {
    vec![
        (
            GROUPS,
            quote!(s[l] = x[i]; y[i] = s[63 - l];),
            "work-item 0 reads `s[63 - l]`, which work-item 63 writes without",
        ),
        // One message, however many neighbours are read.
        (
            GROUPS,
            quote!(s[l] = x[i]; if l > 0 && l < 63 { y[i] = s[l - 1] + s[l] + s[l + 1]; }),
            "work-item 1 reads `s[l - 1]`, which work-item 0 writes without",
        ),
        (
            GROUPS,
            quote!(if i < N { s[l] = x[i]; } if i < N { y[i] = s[63 - l]; }),
            "work-item 0 reads `s[63 - l]`, which work-item 63 writes without",
        ),
        (
            GROUPS,
            quote!(if l == 0 { s[3] = x[i]; } y[i] = s[3];),
            "work-item 1 reads `s[3]`, which work-item 0 writes without",
        ),
        // Written after it has been read.
        (
            GROUPS,
            quote!(s[l] = x[i]; barrier(); y[i] = s[63 - l]; s[l] = 2.0;),
            "work-item 63 reads `s[63 - l]`, which work-item 0 writes without",
        ),
        (
            GROUPS,
            quote!(s[l] = x[i]; barrier(); s[l] = s[l + 1];),
            "work-item 0 reads `s[l + 1]`, which work-item 1 writes without",
        ),
        // Behind a loop of which not all rounds are run.
        (
            GROUPS,
            quote!(let mut v = 0.0; for k in 0..1000000 { v += x[k]; } s[l] = v; y[i] = s[63 - l];),
            "work-item 0 reads `s[63 - l]`, which work-item 63 writes without",
        ),
        // The barrier stands before the loop, and not in it.
        (
            GROUPS,
            quote!(s[l] = x[i]; barrier(); let mut step = 32; while step > 0 {
                if l < step { s[l] += s[l + step]; }
                step /= 2;
            }),
            "work-item 0 reads `s[l + step]`, which work-item 16 writes in an earlier round without",
        ),
        (
            GROUPS,
            quote!(for k in 0..4 {
                s[l] = x[i] * k as f32;
                barrier();
                y[i] += s[63 - l];
            }),
            "work-item 63 reads `s[63 - l]`, which work-item 0 writes in a later round without",
        ),
        // Of a size nobody knows how large it is: the second round follows the first.
        (
            GROUPS,
            quote!(for k in 0..M / 64 {
                s[l] = x[k * 64 + l];
                barrier();
                y[i] += s[63 - l];
            }),
            "work-item 63 reads `s[63 - l]`, which work-item 0 writes in a later round without",
        ),
        (
            GROUPS,
            quote!(for k in 0..M { s[l] += x[k]; } if l == 0 { y[i] = s[1]; }),
            "work-item 0 reads `s[1]`, which work-item 1 writes without",
        ),
        (
            SQUARE,
            quote!(let r = local_id(1); s[r * 8 + l] = x[i]; y[i] = s[l * 8 + r];),
            "work-item (1, 0) reads `s[l * 8 + r]`, which work-item (0, 1) writes without",
        ),
        (
            GROUPS,
            quote!(s[0] = x[i]; barrier(); y[i] = s[0];),
            "work-item 1 writes `s[0]`, and work-item 0 writes another",
        ),
        (
            GROUPS,
            quote!(s[l / 2] = l as f32; barrier(); y[i] = s[0];),
            "work-item 3 writes `s[l / 2]`, and work-item 2",
        ),
        (
            GROUPS,
            quote!(if l == 0 { s[0] = 1.0; } if l == 1 { s[0] = 2.0; } barrier(); y[i] = s[0];),
            "work-item 1 writes `s[0]`, and work-item 0 writes another",
        ),
    ]
}

#[test]
fn what_surely_races_is_refused() {
    for (launch, body, begin) in racing() {
        let said = errors(launch, &body);
        assert!(said.len() == 1 && said[0].starts_with(begin), "{launch} {body}: {said:#?}");
    }
}

/// Launches and bodies in which a barrier, a condition or an unknown number may keep work-items apart.
fn apart() -> Vec<(&'static str, TokenStream)> {
    vec![
        (GROUPS, quote!(s[l] = x[i]; barrier(); y[i] = s[63 - l];)),
        (GROUPS, quote!(s[l] = x[i]; y[i] = s[l];)),
        ("global = [N], local = [1]", quote!(s[l] = x[i]; y[i] = s[l];)),
        // Each round has its halves, and waits for the one before.
        (
            GROUPS,
            quote!(s[l] = x[i]; barrier(); let mut step = 32; while step > 0 {
                if l < step { s[l] += s[l + step]; }
                barrier();
                step /= 2;
            } if l == 0 { y[i] = s[0]; }),
        ),
        (
            GROUPS,
            quote!(for k in 0..M / 64 {
                s[l] = x[k * 64 + l];
                barrier();
                y[i] += s[63 - l];
                barrier();
            }),
        ),
        // Two halves in turn.
        (
            "global = [N], local = [32]",
            quote!(for k in 0..M {
                let half = k % 2 * 32;
                s[half + l] = x[k];
                barrier();
                y[i] += s[half + 31 - l];
            }),
        ),
        (
            "global = [N], local = [32]",
            quote!(for k in 0..9 {
                let half = k % 2 * 32;
                s[half + l] = x[k];
                barrier();
                y[i] += s[half + 31 - l];
            }),
        ),
        // What memory holds decides: which element, or whether at all.
        (GROUPS, quote!(s[c[l]] = x[i]; y[i] = s[63 - l];)),
        (GROUPS, quote!(s[l] = x[i]; y[i] = s[c[l]];)),
        (
            GROUPS,
            quote!(if c[0] > 3 {
                s[l] = x[i];
            } else {
                y[i] = s[63 - l];
            }),
        ),
        (GROUPS, quote!(if a > 0.0 { s[l] = x[i]; } y[i] = s[63 - l];)),
        (
            GROUPS,
            quote!(let mut k = 0; while k < c[0] { k += 1; s[l] = x[i]; barrier(); y[i] = s[63 - l]; barrier(); }),
        ),
    ]
}

/// Those in which it does not matter, or is not judged.
fn harmless() -> Vec<(&'static str, TokenStream)> {
    vec![
        // All write the same, or what is there.
        (GROUPS, quote!(s[0] = 1.0; y[i] = s[0];)),
        (GROUPS, quote!(s[l] = 0.0; y[i] = s[63 - l];)),
        (GROUPS, quote!(s[0] = x[3]; barrier(); y[i] = s[0];)),
        (
            GROUPS,
            quote!(for k in 0..3 {
                s[0] = 2.0;
                barrier();
                y[i] += s[0] * k as f32;
            }),
        ),
        // Atomics are no race, and sub-groups are in lockstep.
        (GROUPS, quote!(atomic_add(&mut s[0], x[i]); barrier(); y[i] = s[0];)),
        (GROUPS, quote!(s[l] = x[i]; let all = sub_group_add(x[i]); y[i] = s[63 - l] + all;)),
        // Only rounds that are tried are judged.
        (
            GROUPS,
            quote!(for k in 0..a as u32 {
                s[l] = x[k];
                barrier();
                y[i] += s[63 - l];
            }),
        ),
        (
            GROUPS,
            quote!(for k in 0..1 {
                s[l] = x[k];
                barrier();
                y[i] += s[63 - l];
            }),
        ),
        (
            GROUPS,
            quote!(for k in 0..M {
                if k > 0 {
                    break;
                }
                s[l] = x[k];
                barrier();
                y[i] += s[63 - l];
            }),
        ),
        // Outside of the array nothing is read or written.
        (GROUPS, quote!(s[l + 64] = x[i]; y[i] = s[63 - l] + s[l - 64];)),
        (
            GROUPS,
            quote!(if l == 5 {
                s[l] = x[i];
                y[i] = s[5];
            }),
        ),
        // All write the same, which no comparison says of these.
        (GROUPS, quote!(s[0] = f32::NAN; barrier(); y[i] = s[0];)),
        // Not all of it is run, and it has an end.
        (
            "global = [N], local = [1024]",
            quote!(s[l] = x[i]; barrier(); for p in 0..1000 { for q in 0..1000 { y[i] += s[p] * s[q]; } }),
        ),
        // So many rounds are not run: which of them writes is not known.
        (
            GROUPS,
            quote!(for k in 0..1000000 {
                if k > 500 {
                    s[l] = x[i];
                    y[i] = s[63 - l];
                }
            }),
        ),
    ]
}

#[test]
fn what_may_be_in_order_is_not() {
    for (launch, body) in apart().into_iter().chain(harmless()) {
        let said = errors(launch, &body);
        assert!(said.is_empty(), "{launch} {body}: {said:#?}");
    }
}
