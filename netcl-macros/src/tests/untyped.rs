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

/// Each `let` has the type that was found for it, and not that of the one before.
#[test]
fn lets_that_bind_no_name_take_no_type() {
    for unnamed in [quote!(let _ = w[0];), quote!(let _ = atomic_max(&mut z[0], 1);), quote!(let (_, _) = (1, 2.0);)] {
        let own = kernel(quote! {
            #unnamed
            let a = 1;
            if i < 4 {
                #unnamed
                let mut b = 2.5;
                b += 1.0;
                y[i] = x[i] + a + b as i32;
            }
            let c = w[i];
            z[i] = c;
        });
        own.sound();
        for (name, ty) in [("a", "i32 = 1"), ("mut b", "f32 = 2.5"), ("c", "u32 = w")] {
            assert!(own.output.contains(&format!("let {name} : {ty}")), "{unnamed}: {name}");
        }
        assert!(!own.output.contains("let _ :"), "{unnamed}");
    }
}

/// Those that docs/operations.md names.
#[test]
fn whole_numbers_have_methods() {
    let calls = ["abs()", "signum()", "min(3)", "max(3)", "clamp(1, 3)", "rem_euclid(3)", "div_euclid(3)"];
    for call in calls {
        let value: syn::Expr = syn::parse_str(&format!("x[i].{call}")).unwrap();
        kernel(quote!(y[i] = #value; z[i] = w[i];)).sound();
    }
}
