//! `let`s of bare numbers in SIMT-form kernels: each has the type of its first use.

use super::Crate;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// A kernel over `x`, `y` of `i32` and `w`, `z` of `u32`.
fn kernel(body: TokenStream) -> Crate {
    let mut own = Crate::default();
    own.kernel(quote! {
        #[launch(global = [N])]
        fn k(x: &Tensor<i32, N>, w: &Tensor<u32, N>, y: &mut Tensor<i32, N>, z: &mut Tensor<u32, N>) {
            let i = global_id(0);
            #body
        }
    });
    own
}

/// There were stubs without an error beyond 63 of them.
#[test]
fn there_may_be_many() {
    let lets = (0..200i64).map(|number| {
        let (name, value) = (format_ident!("a{number}"), proc_macro2::Literal::i64_unsuffixed(number));
        quote!(let #name = #value; y[i] = x[i] + #name;)
    });
    let own = kernel(quote!(#(#lets)* z[i] = w[i];));
    own.sound();
    assert!(own.output.contains("let a199 : i32 = 199"));
}

#[test]
fn two_types_for_one_are_an_error() {
    let found = kernel(quote!(let a = 0; y[i] = x[i] + a; z[i] = w[i] + a;)).errors();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("`+` takes values of one type, found u32 and i32\n"), "{found:?}");
}

#[test]
fn one_gives_another_its_type() {
    for sum in [quote!(a + b), quote!(b + a), quote!((b + a) + b)] {
        let own = kernel(quote!(let a = 1; let b = 2; y[i] = x[i] + a; y[i] = #sum; z[i] = w[i];));
        own.sound();
        assert!(own.output.contains("let b : i32 = 2"), "{sum}");
    }
    let mut floats = Crate::default();
    floats.kernel(quote! {
        #[launch(global = [N])]
        fn k(x: &Tensor<f64, N>, y: &mut Tensor<f64, N>) {
            let i = global_id(0);
            let a = 3.0;
            let b = 4.0;
            y[i] = x[i] * a;
            y[i] = a.hypot(b);
        }
    });
    floats.sound();
    assert!(floats.output.contains("let b : f64 = 4.0"));
}
