//! Calls of functions that do not exist: rustc says so, and netcl what else is wrong.

use super::Crate;
use proc_macro2::TokenStream;
use quote::quote;

/// The items with a call of `swoosh` in each and a mistake beside it; with or without that function.
fn errors(known: bool, add: impl FnOnce(&mut Crate)) -> (Vec<String>, bool) {
    let mut own = Crate::default();
    if known {
        own.function(quote!(
            fn swoosh(x: f32) -> f32 {
                x * 0.5
            }
        ));
    }
    add(&mut own);
    (own.errors(), own.output.contains("swoosh !"))
}

fn kernel(body: TokenStream) -> impl Fn(&mut Crate) {
    move |own| {
        own.kernel(quote!(fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { #body }));
    }
}

#[test]
fn mistakes_beside_it_are_said_once() {
    let simt = |own: &mut Crate| {
        own.kernel(quote! {
            #[launch(global = [N])]
            fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
                let n = global_id(0);
                y[n] = swoosh(x[n]) + missing;
            }
        });
    };
    let model = |own: &mut Crate| {
        own.model(quote!(
            struct M {
                #[layer(inputs = 4, outputs = 4)]
                layer: Linear,
            }
        ));
        own.model(quote! {
            impl M {
                fn first(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { swoosh(self.layer.forward(x)) }
                fn second(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { missing.relu() }
            }
        });
    };
    let function = |own: &mut Crate| {
        own.function(quote!(
            fn f(x: f32) -> f32 {
                swoosh(x) + missing
            }
        ));
    };
    let adds: [&dyn Fn(&mut Crate); 4] = [&kernel(quote!(|n| swoosh(x[n]) + missing)), &simt, &model, &function];
    for (which, add) in adds.into_iter().enumerate() {
        for known in [false, true] {
            let (found, asked) = errors(known, add);
            assert!(
                found.len() == 1 && found[0].starts_with("there is no `missing` here"),
                "{which} {known}: {found:?}"
            );
            assert_eq!(asked, !known, "{which}: rustc finds the function or says that there is none");
        }
    }
}

/// What is not known of the function is no mistake.
#[test]
fn nothing_is_said_of_what_follows_from_it() {
    let body = quote!(|n| {
        let a = swoosh(x[n], 1) as i32;
        if swoosh(a) { a } else { swoosh(swoosh(x[n])) * x[n] }
    });
    assert_eq!(errors(false, kernel(body)), (Vec::new(), true));
}

#[test]
fn the_nearest_name_has_the_same_letters() {
    let known = ["elu", "relu", "prelu", "selu", "gelu"];
    for (given, meant) in [("rleu", "relu"), ("esul", "selu"), ("eru", "elu"), ("preul", "prelu")] {
        assert_eq!(crate::parse::nearest(given, known.into_iter()), Some(meant), "{given}");
    }
    assert_eq!(crate::parse::nearest("softmax", known.into_iter()), None);
}
