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
        assert!(errors.iter().any(|error| error.contains("kernels would count up to")), "{errors:#?}");
        assert!(!errors.iter().any(|error| error.contains("internal error")), "{errors:#?}");
    }
}
