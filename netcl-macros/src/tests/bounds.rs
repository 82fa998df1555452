//! Which indices of SIMT-form kernels are compared with what they index: all that the text does not bound.

use crate::ast::Unit;
use crate::diag::Diag;
use crate::parse::constant::Constants;
use crate::simt;
use netcl_kernels::emit::opencl;
use netcl_kernels::kir::verify::{Capabilities, verify};
use proc_macro2::TokenStream;
use quote::quote;

/// The OpenCL C of a kernel over `x` and `y` with N elements and `counts` with 64, in groups of 64, with that body.
fn source(body: TokenStream) -> String {
    let item = syn::parse2(quote! {
        #[launch(global = [N], local = [64])]
        fn k(x: &Tensor<f32, N>, rows: &Tensor<f32, N, C>, at: &Tensor<u32, N>, y: &mut Tensor<f32, N>, counts: &mut Tensor<u32, 64>) {
            let mut scratch = local!([f32; 64]);
            let l = local_id(0);
            y[0] = 0.0;
            counts[0] = 0;
            #body
        }
    });
    let (diag, item) = (Diag::new(), item.expect("a function"));
    let signature = simt::signature(&diag, &item, &Constants::new());
    let lowered = simt::lower(&diag, &Unit::default(), &signature);
    if let Err(errors) = diag.finish() {
        panic!("{errors}");
    }
    let kernel = lowered.expect("a kernel").kernel;
    opencl::kernel(&verify(&kernel, &Capabilities::unlimited()).expect("sound"))
}

/// How many conditions there are.
fn conditions(body: TokenStream) -> usize {
    source(body).matches("if (").count()
}

#[test]
fn what_the_text_bounds_is_not_compared() {
    let bounded = [
        quote!(scratch[l] = 1.0;),
        quote!(scratch[63 - l] = 1.0;),
        quote!(scratch[local_id(0) / 2 + 31] = 1.0;),
        quote!(scratch[(l + 1) % 64] = 1.0;),
        quote!(scratch[global_id(0) % 64] = 1.0;),
        quote!(scratch[at[0] & 63] = 1.0;),
        quote!(scratch[(l + 17) & 63] = 1.0;),
        quote!(scratch[l ^ 32] = 1.0;),
        quote!(scratch[at[0] >> 26] = 1.0;),
        quote!(scratch[(at[0] + 1) / 67108864] = 1.0;),
        quote!(y[0] = x[0];),
        quote!(scratch[min(at[0], 63)] = 1.0;),
        quote!(for i in 0..64 {
            scratch[i] = 1.0;
        }),
        quote!(for i in 0..=31 {
            scratch[2 * i + 1] = 1.0;
        }),
        quote!(for i in (l..64).step_by(16) {
            scratch[i] = 1.0;
        }),
        quote!(for i in 0..8 {
            for j in 0..8 {
                scratch[8 * i + j] = 1.0;
            }
        }),
        quote!(let place = 8 * (l % 8) + l / 8; scratch[place] = 1.0;),
        quote!(let wide = l as i32; scratch[(wide % 8) as u32] = 1.0;),
        quote!(for at in [3, 4] {
            scratch[at] = 1.0;
        }),
        quote!(let place = if l > 3 { l } else { 5 }; scratch[place] = 1.0;),
        quote!(for i in 0..N {
            y[i] = x[i];
        }),
        quote!(for r in 0..N {
            for c in 0..C {
                y[r] = rows[(r, c)];
            }
        }),
    ];
    for body in bounded {
        let text = source(body.clone());
        let own = body.to_string().contains("if");
        assert_eq!(text.matches("if (").count(), 0, "{body}\n{text}");
        assert!(own || !text.contains('?'), "{body}\n{text}");
    }
}

#[test]
fn what_a_condition_says_is_not_asked_again() {
    let i = quote!(let i = global_id(0););
    assert_eq!(conditions(quote!(#i if i < N { y[i] = x[i]; })), 1);
    assert_eq!(conditions(quote!(#i if N > i { y[i] = x[i]; })), 1);
    assert_eq!(conditions(quote!(#i if i >= N { return; } y[i] = x[i];)), 1);
    assert_eq!(conditions(quote!(#i if !(i < N) { return; } y[i] = x[i];)), 1);
    assert_eq!(conditions(quote!(#i if i >= N || l > 5 { return; } y[i] = x[i];)), 1);
    assert_eq!(conditions(quote!(#i if i < N && l < 5 { y[i] = x[i]; })), 1);
    assert_eq!(conditions(quote!(#i if i >= N { scratch[l] = 0.0; } else { y[i] = x[i]; })), 1);
    assert_eq!(conditions(quote!(#i if i + 1 < N { y[i + 1] = x[i + 1]; })), 1);
    assert_eq!(conditions(quote!(#i scratch[l] = if i < N { x[i] } else { 0.0 };)), 0, "a choice");
}

#[test]
fn what_only_looks_bounded_is_compared() {
    let open = [
        // Wraps below zero, or past the type.
        quote!(scratch[l - 1] = 1.0;),
        quote!(scratch[62 - l] = 1.0;),
        quote!(scratch[(l - 1) / 2] = 1.0;),
        quote!(for i in 0..64 {
            scratch[i - 1] = 1.0;
        }),
        quote!(scratch[l * 67108864 / 67108864 + l] = 1.0;),
        quote!(scratch[(l as i32 - 8) as u32] = 1.0;),
        quote!(scratch[((l as i32 - 8) % 64) as u32] = 1.0;),
        quote!(scratch[(l << 27) >> 20] = 1.0;),
        // One too far.
        quote!(scratch[l + 1] = 1.0;),
        quote!(scratch[local_size(0)] = 1.0;),
        quote!(for i in 0..65 {
            scratch[i] = 1.0;
        }),
        quote!(for i in 0..=64 {
            scratch[i] = 1.0;
        }),
        quote!(scratch[at[0] & 64] = 1.0;),
        quote!(scratch[l | 64] = 1.0;),
        quote!(scratch[global_id(0) % 65] = 1.0;),
        quote!(scratch[max(l, 64)] = 1.0;),
        // Another variable of that name, and one that changes.
        quote!(let l = at[0]; scratch[l] = 1.0;),
        quote!(let mut place = l; place += 1; scratch[place] = 1.0;),
        quote!(let mut place = 0; for i in 0..64 { scratch[place] = 1.0; place += i; }),
        quote!(let mut end = 64; end = at[0]; for i in 0..end { scratch[i] = 1.0; }),
        quote!(for i in 0..64 {
            let i = i * at[0];
            scratch[i] = 1.0;
        }),
        quote!(for l in 0..at[0] {
            scratch[l] = 1.0;
        }),
        // Sizes that the text does not tell.
        quote!(scratch[global_id(0)] = 1.0;),
        quote!(scratch[group_id(0)] = 1.0;),
        quote!(for i in 0..N {
            scratch[i] = 1.0;
        }),
        quote!(for i in 0..=N {
            y[i] = 1.0;
        }),
        quote!(for i in 0..C {
            y[i] = 1.0;
        }),
        quote!(y[l] = 1.0;),
        quote!(y[1] = 1.0;),
    ];
    for body in open {
        let text = source(body.clone());
        assert!(text.contains("if ("), "{body}\n{text}");
    }
}

#[test]
fn a_condition_holds_where_it_stands_only() {
    let i = quote!(let i = global_id(0););
    // The condition and the index that it does not bound.
    for body in [
        quote!(#i if i < N { scratch[l] = 1.0; } y[i] = 1.0;),
        quote!(#i if i < N { scratch[l] = 1.0; } else { y[i] = 1.0; }),
        quote!(#i if i < N || l < 3 { y[i] = 1.0; }),
        quote!(#i if i <= N { y[i] = 1.0; }),
        quote!(#i if i < N { y[i + 1] = 1.0; }),
        quote!(#i if i < N { let i = i + 1; y[i] = 1.0; }),
        quote!(#i if i >= N && l > 5 { return; } y[i] = 1.0;),
        quote!(#i if i < C { y[i] = 1.0; }),
        quote!(let mut i = global_id(0); if i < N { i += 1; y[i] = 1.0; }),
        quote!(if at[0] < N {
            y[at[0]] = 1.0;
        }),
    ] {
        let text = source(body.clone());
        assert!(text.matches("if (").count() >= 2, "{body}\n{text}");
    }
}
