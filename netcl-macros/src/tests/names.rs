//! Whatever an item's parts are called, it compiles. That the kernels do, whatever names they are given, is tested where they are
//! made (`kernels/src/compile/tests.rs`); here it is all that leads to them, and Rust's own words.

use super::Crate;
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};

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

/// Rust lets no binding have the name of a kernel, which is a `static` beside it: none that the macros make has a name that a user
/// may write.
#[test]
fn generated_bindings_have_names_of_their_own() {
    struct Bound(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.insert(pattern.ident.to_string());
            visit::visit_pat_ident(self, pattern);
        }
        /// Modules see what they import of what is around them: no kernels, unless that is all.
        fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
            if module.to_token_stream().to_string().contains("use super :: *") {
                visit::visit_item_mod(self, module);
            }
        }
    }
    let mut own = Crate::default();
    own.tensors(quote!(
        pub struct State {
            mine_h: Tensor<f32, N, 8>,
            mine_c: Tensor<f32, N, 8>,
        }
    ));
    own.kernel(quote! {
        pub fn index(mine_x: &Tensor<f32, N>, mine_by: f32) -> (Tensor<f32, N>, Tensor<f32, N>) {
            |mine_i| (mine_x[mine_i] * mine_by, 2.0 * mine_x[mine_i])
        }
        #[launch(global = [N], local = [64])]
        #[gradient(items_gradient)]
        pub fn items(mine_x: &Tensor<f32, N>, mine_y: &mut Tensor<f32, N>) {
            let mine_i = global_id(0);
            if mine_i < N { mine_y[mine_i] = mine_x[mine_i]; }
        }
        #[launch(global = [N], local = [64])]
        pub fn items_gradient(mine_x: &Tensor<f32, N>, mine_d: &Tensor<f32, N>, mine_dx: &mut Tensor<f32, N>) {
            let mine_i = global_id(0);
            if mine_i < N { mine_dx[mine_i] = mine_d[mine_i] + mine_x[mine_i] * 0.0; }
        }
    });
    own.function(quote!(
        pub fn scalar(mine_x: f32) -> f32 {
            let mine_y = mine_x * 2.0;
            mine_y + 1.0
        }
    ));
    own.function(quote!(
        pub fn whole(mine_x: &Tensor<f32, N, 8>, mine_s: &State) -> State {
            State { mine_h: mine_x + mine_s.mine_h, mine_c: mine_x }
        }
    ));
    own.model(quote! {
        pub struct Net<const C: usize> {
            #[layer(inputs = C, outputs = 8)]
            one: Linear,
            #[layer(inputs = C, outputs = 8, count = 3)]
            many: Vec<Linear>,
            #[constant(0.5)]
            by: f32,
            #[state(init = 0.0)]
            seen: Tensor<f32>,
        }
    });
    own.model(quote! {
        impl<const C: usize> Net<C> {
            pub fn loss(&self, mine_x: &Tensor<f32, N, C>, mine_flag: bool, (mine_a, mine_b): (&Tensor<f32, N, 8>, f32)) -> Tensor<f32> {
                let mine_y = if mine_flag { self.one.forward(mine_x) } else { self.many[1].forward(mine_x) };
                (mine_y * mine_b + mine_a).mean_all()
            }
            pub fn step(&self, mine_x: &Tensor<f32, N, C>, mine_s: &State) -> State {
                State { mine_h: self.one.forward(mine_x), mine_c: mine_s.mine_h }
            }
        }
    });
    own.model(quote! {
        pub struct Outer {
            net: Net<4>,
            #[layer(count = 2)]
            nets: Vec<Net<8>>,
        }
    });
    own.model(quote! {
        impl Outer {
            pub fn forward(&self, mine_x: &Tensor<f32, N, 4>, mine_s: &State) -> Tensor<f32, N, 8> { self.net.step(mine_x, mine_s).mine_h }
        }
    });
    let mut bound = Bound(BTreeSet::new());
    bound.visit_file(&own.sound().file());
    let others: Vec<_> = bound
        .0
        .iter()
        .filter(|name| name.as_str() != "N" && !name.starts_with("mine_") && !name.starts_with("__netcl"))
        .collect();
    assert!(others.is_empty() && bound.0.len() > 15, "{others:?} of {:?}", bound.0);
}
