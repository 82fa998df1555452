//! Whatever an item's parts are called, it compiles. That the kernels do, whatever names they are given, is tested where they are
//! made (`kernels/src/compile/tests.rs`); here it is all that leads to them, and Rust's own words.

use super::Crate;
use proc_macro2::{Ident, Span};
use quote::quote;

/// Words of hooks and templates, of loops that the compiler writes, of OpenCL C, of Rust (raw), and of netcl.
pub(super) const WORDS: [&str; 64] = [
    "atom",
    "batch",
    "m",
    "n",
    "k",
    "value",
    "offset",
    "row",
    "lid",
    "part",
    "scratch0",
    "places0",
    "wins",
    "end",
    "first",
    "sum",
    "arg_x",
    "batch_",
    "result",
    "result_1",
    "seed",
    "cotangent",
    "d_x",
    "grad_x",
    "STORE",
    "LOAD_A",
    "KERNEL_NAME",
    "ACC",
    "kernel",
    "global",
    "half",
    "float4",
    "prefetch",
    "NAN",
    "M_PI",
    "get_global_id",
    "netcl_max",
    "as_float",
    "main",
    "size_t",
    "type",
    "move",
    "async",
    "dyn",
    "yield",
    "gen",
    "try",
    "impl",
    "ref",
    "union",
    "layer",
    "parameter",
    "forward",
    "Tensor",
    "netcl",
    "Model",
    "core",
    "device",
    "prefix",
    "relu",
    "x_1",
    "größe",
    "Ω",
    "变量",
];

pub(super) fn ident(word: &str) -> Ident {
    syn::parse_str(word).unwrap_or_else(|_| Ident::new_raw(word, Span::call_site()))
}

/// No part of what the compiler says of it is its own fault.
fn compiles(word: &str, what: &str, own: &Crate) {
    assert!(own.errors().is_empty(), "{what} called `{word}`: {:#?}", own.errors());
    own.file();
}

#[test]
fn fields_arguments_and_values_may_be_called_anything() {
    for word in WORDS {
        let name = ident(word);
        let mut own = Crate::default();
        own.model(quote! {
            pub struct Net {
                #[layer(inputs = 8, outputs = 8)]
                #name: Linear,
                #[layer(inputs = 1, outputs = 2, kernel = 3)]
                conv: Conv2d,
            }
        });
        own.model(quote! {
            impl Net {
                pub fn scores(&self, #name: &Tensor<f32, N, 8>) -> Tensor<f32, N, N> {
                    let y = self.#name.forward(#name / 255.0) + #name;
                    (y * 0.35).matmul((#name * 0.5).t())
                }
                pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
                    let mut #name = self.#name.forward(x).relu();
                    #name = #name * 2.0;
                    #name += 1.0;
                    for #name in 0..2 { let _ = x.get(1, #name); }
                    let x = (#name - x).reshape([N, 1, 2, 4]).pad(2, 1, 1, 0.0);
                    self.conv.forward(x - 0.5).mean_all()
                }
            }
        });
        compiles(word, "a field, an argument and a value", &own);
    }
}

#[test]
fn kernels_and_what_is_in_them_may_be_called_anything() {
    for word in WORDS {
        let name = ident(word);
        let mut own = Crate::default();
        own.kernel(quote! {
            pub fn index(#name: &Tensor<f32, N, C>) -> Tensor<f32, N> {
                |i| {
                    let mut all_of_it = 0.0;
                    { let mut #name = #name[i, 0]; #name = #name * 2.0; #name += 1.0; all_of_it += #name; }
                    all_of_it + mean(0..C, |c| #name[i, c])
                }
            }
            #[launch(global = [N], local = [64])]
            pub fn items(#name: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
                let i = global_id(0);
                y[i] = #name[i];
                let mut #name = y[i];
                #name = #name * 2.0;
                #name += 1.0;
                y[i] = #name;
            }
            #[launch(global = [N], local = [64])]
            pub fn arrays(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
                let mut #name = local!([f32; 64]);
                let i = global_id(0);
                #name[local_id(0)] = x[i];
                barrier();
                y[i] = #name[0];
            }
        });
        compiles(word, "an argument or an array", &own);
        let mut own = Crate::default();
        own.kernel(quote! {
            pub fn #name(x: &Tensor<f32, N>) -> Tensor<f32, N> { |i| 2.0 * x[i] }
        });
        own.function(quote!(
            pub fn #name(x: f32) -> f32 { x * 2.0 }
        ));
        compiles(word, "a kernel or a function", &own);
        // What begins with a capital is a type where it is called, and so are operations of netcl's own names.
        if word.starts_with(char::is_uppercase) || crate::lower::is_builtin(word) {
            continue;
        }
        own.kernel(quote! {
            pub fn calls(x: &Tensor<f32, N>) -> Tensor<f32, N> { |i| #name(x[i]) }
        });
        compiles(word, "a function that is called", &own);
    }
}

#[test]
fn sizes_may_be_called_anything_that_is_no_type() {
    for word in WORDS.into_iter().filter(|word| syn::parse_str::<Ident>(word).is_ok()) {
        let name = ident(word);
        let mut own = Crate::default();
        own.kernel(quote! {
            pub fn index(x: &Tensor<f32, #name, 3>) -> Tensor<f32, #name> { |i| sum(0..3, |c| x[i, c]) }
        });
        own.model(quote! {
            pub struct Net {
                #[layer(inputs = 8, outputs = 4)]
                layer: Linear,
            }
        });
        own.model(quote! {
            impl Net {
                pub fn forward(&self, x: &Tensor<f32, #name, 8>) -> Tensor<f32, #name, 4> { self.layer.forward(x * 0.5) }
            }
        });
        compiles(word, "a size", &own);
    }
}
