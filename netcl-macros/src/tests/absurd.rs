//! Numbers and sizes at the ends of 64 bits: an error or a kernel, never a panic.

use super::Crate;
use proc_macro2::TokenStream;
use quote::quote;

fn errors(items: TokenStream) -> Vec<String> {
    let mut own = Crate::default();
    own.kernel(items);
    own.errors()
}

/// Where Rust says so, so do we: saturated, the number would be another.
#[test]
fn arithmetic_on_literals_is_checked() {
    for (expression, problem) in [
        (quote!(9223372036854775807 + 1), "9223372036854775807 + 1"),
        (quote!(i64::MIN - 1), "-9223372036854775808 - 1"),
        (quote!(i64::MAX * 2), "9223372036854775807 * 2"),
        (quote!(i64::MIN / (0 - 1)), "-9223372036854775808 / -1"),
        (quote!(-i64::MIN), "-(-9223372036854775808)"),
    ] {
        let found = errors(quote! {
            fn sum(x: &Tensor<i64, N>) -> Tensor<i64, N> {
                |n| x[n] + (#expression)
            }
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("`{problem}` is no number of 64 bits\n")), "{found:?}");
    }
    assert_eq!(
        errors(quote! {
            fn ends(x: &Tensor<i64, N>) -> (Tensor<i64, N>, Tensor<i64, N>) {
                |n| (x[n] + i64::MAX - (i64::MIN + 1), if i64::MIN < i64::MAX { x[n] } else { -x[n] })
            }
        }),
        [""; 0]
    );
}

#[test]
fn the_least_number_has_no_negative_in_simt_kernels_either() {
    let found = errors(quote! {
        #[launch(global = [N])]
        fn least(x: &Tensor<i64, N>, y: &mut Tensor<i64, N>) {
            let i = global_id(0);
            if i < N {
                y[i] = x[i] + -i64::MIN;
            }
        }
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("`-(-9223372036854775808)` is no number of 64 bits\n"), "{found:?}");
}

#[test]
fn numbers_are_no_truth_values() {
    for (value, kind) in
        [(quote!(2), "an integer"), (quote!(1.0), "a number"), (quote!(n), "an index"), (quote!(N), "a size")]
    {
        let found = errors(quote! {
            fn is(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
                |n| mask[n] == #value
            }
            fn of(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
                |n| if mask[n] { #value } else { mask[n] }
            }
        });
        let expected = format!("{kind} is no truth value\n");
        assert!(found.len() == 2 && found.iter().all(|error| error.starts_with(&expected)), "{found:?}");
    }
}

#[test]
fn absurd_sizes_are_errors() {
    for size in [
        quote!({ N * 9223372036854775807 }),
        quote!({ N + 9223372036854775807 }),
        quote!({ N - 9223372036854775807 }),
        quote!({ (N * 9223372036854775807 + M * 9223372036854775807) / 3 }),
        quote!({ N * 4611686018427387904 * 2 }),
        quote!({ N / 9223372036854775807 + 1 }),
        quote!({ M * N * 9223372036854775807 - N }),
        quote!(9223372036854775807),
    ] {
        let mut own = Crate::default();
        own.kernel(quote! {
            fn index(x: &Tensor<f32, #size>, y: &Tensor<f32, N>, z: &Tensor<f32, M>) -> Tensor<f32, #size> {
                |n| x[n] + pad(x[n - 9223372036854775807]) + pad(y[n * 2147483647 + 9223372036854775807]) + z[n % M]
            }
            fn sums(x: &Tensor<f32, #size>, y: &Tensor<f32, N>, z: &Tensor<f32, M>) -> Tensor<f32> {
                sum(0..#size, |n| x[n]) + sum(0..N, |n| y[n]) * sum(9223372036854775807..M, |m| z[m])
            }
            #[launch(global = [N])]
            fn simt(x: &Tensor<f32, #size>, y: &mut Tensor<f32, N>, z: &Tensor<f32, M>) {
                let i = global_id(0);
                y[i] = x[i] + z[i * 4294967295];
            }
        });
        own.model(quote! {
            struct Model {
                #[parameter(init = 1.0)]
                weight: Tensor<f32, 9223372036854775807>,
                #[layer(inputs = 9223372036854775807, outputs = 9223372036854775807)]
                linear: Linear,
            }
        });
        own.model(quote! {
            impl Model {
                fn sum(&self, x: &Tensor<f32, #size>, y: &Tensor<f32, N>, z: &Tensor<f32, M>) -> Tensor<f32> {
                    x.narrow(0, 9223372036854775807, 1).sum([0]) + y.repeat(0, 9223372036854775807).sum([0]) + z.sum([0])
                }
            }
        });
        let errors = own.errors();
        // What literals say alone is known at the type, before any kernel is.
        let told =
            |error: &String| error.contains("kernels would count up to") || error.contains("elements is too large");
        assert!(errors.iter().any(told), "{errors:#?}");
        assert!(!errors.iter().any(|error| error.contains("internal error")), "{errors:#?}");
    }
}

/// Its digits alone are no number of 64 bits.
#[test]
fn the_least_number_is_a_literal() {
    assert_eq!(
        errors(quote! {
            fn least(x: &Tensor<i64, N>) -> Tensor<i64, N> { |n| max(x[n], -9223372036854775808) - -9223372036854775808i64 }
            #[launch(global = [N])]
            fn simt(x: &Tensor<i64, N>, y: &mut Tensor<i64, N>) {
                let i = global_id(0);
                let least: i64 = -9223372036854775808;
                y[i] = max(x[i], least) - -9223372036854775808i64;
            }
        }),
        [""; 0]
    );
    for value in [quote!(9223372036854775808), quote!(-9223372036854775809), quote!(-(9223372036854775808))] {
        let found = errors(quote!(fn k(x: &Tensor<i64, N>) -> Tensor<i64, N> { |n| x[n] + #value }));
        assert!(found.len() == 1 && found[0].contains("is no number that fits"), "{found:?}");
    }
}

#[test]
fn loops_in_loops_are_counted_together() {
    let round = quote!(for _ in 0..1000 {
        for _ in 0..1000 {
            for _ in 0..1000 {
                s += x[n];
            }
        }
    });
    let list = quote!([[[0.0; 1000]; 1000]; 1000]);
    let found = errors(quote! {
        fn rounds(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let mut s = x[n]; #round s } }
        fn list(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let l = #list; x[n] + l[0][0][0] } }
        #[launch(global = [N])]
        fn simt(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            let n = global_id(0);
            let mut s = 0.0;
            for a in [1.0; 1000] {
                for b in [2.0; 1000] {
                    s += a * b * x[n];
                }
            }
            let l = #list;
            y[n] = s;
        }
    });
    let long =
        |error: &&String| error.starts_with("with this loop the function's loops have more than 65536 rounds together");
    let list = |error: &&String| error.starts_with("a list of 1000000 elements");
    assert_eq!(found.iter().filter(long).count(), 2, "{found:?}");
    assert_eq!(found.iter().filter(list).count(), 2, "{found:?}");
}

/// A name that needs `r#`, and `self`, would be no names in what is generated.
#[test]
fn keywords_are_no_sizes() {
    for size in [quote!(r#type), quote!(self), quote!(Self), quote!(crate), quote!({ r#for * 2 })] {
        let found = errors(quote! {
            fn index(x: &Tensor<f32, #size>) -> Tensor<f32, #size> { |n| x[n] }
            #[launch(global = [1])]
            fn simt(x: &Tensor<f32, #size>, y: &mut Tensor<f32, #size>) { y[0] = x[0]; }
        });
        let wrong = |error: &String| error.contains("is no dimension") || error.contains("expected a");
        assert!(found.len() >= 2 && found.iter().all(wrong), "{size}: {found:?}");
    }
}

#[test]
fn kernels_have_names_of_any_letters() {
    let mut own = Crate::default();
    own.kernel(quote! {
        #[launch(global = [N])]
        fn größe(x: &Tensor<f32, N>, höhe: &mut Tensor<f32, N>) {
            let i = global_id(0);
            höhe[i] += x[i];
        }
    });
    own.sound();
    assert!(own.output.contains("run_gr_f6_dfe"), "no entry");
}

#[test]
fn launches_beyond_reason_are_errors() {
    for items in [quote!(2147483648), quote!(9223372036854775807), quote!({ 4294967296 * 4294967296 })] {
        let found = errors(quote! {
            #[launch(global = [#items])]
            fn huge(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
                let i = global_id(0);
                y[i] = x[i];
            }
        });
        assert!(found.len() == 1 && found[0].starts_with("kernels would count up to "), "{items}: {found:?}");
    }
}
