//! Half-typed code: every prefix of an item, with what is open closed, gives its own errors and no others, and keeps its
//! name for those who use it.

use super::Crate;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::Item;
use syn::visit::Visit;

/// Every stream that ends early at some depth, outer delimiters closed.
fn prefixes(tokens: TokenStream) -> Vec<TokenStream> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut all = Vec::new();
    for end in 0..=trees.len() {
        let before: TokenStream = trees[..end].iter().cloned().collect();
        if let Some(TokenTree::Group(group)) = trees.get(end) {
            for inner in prefixes(group.stream()) {
                let mut stream = before.clone();
                stream.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
                all.push(stream);
            }
        }
        all.push(before);
    }
    all
}

/// Whether `word` is followed by `name` in the tokens: what it declares has been typed.
fn declares(tokens: &TokenStream, word: &str, name: &str) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |token: &TokenTree, wanted: &str| matches!(token, TokenTree::Ident(ident) if ident == wanted);
    trees.windows(2).any(|pair| is(&pair[0], word) && is(&pair[1], name))
        || trees.iter().any(|token| matches!(token, TokenTree::Group(group) if declares(&group.stream(), word, name)))
}

impl Crate {
    fn has(&self, wanted: impl Fn(&Item) -> bool) -> bool {
        self.file().items.iter().any(wanted)
    }

    /// Whether a function of that name can be called on a model: its block may stand in a constant's.
    fn has_method(&self, name: &str) -> bool {
        struct Methods<'n>(&'n str, bool);
        impl<'a> Visit<'a> for Methods<'_> {
            fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
                self.1 |= function.sig.ident == self.0;
            }
        }
        let mut methods = Methods(name, false);
        methods.visit_file(&self.file());
        methods.1
    }

    /// Whether something of that name can be called as a function.
    fn has_function(&self, name: &str) -> bool {
        self.has(|item| match item {
            Item::Fn(function) => function.sig.ident == name,
            Item::Static(kernel) => kernel.ident == name,
            _ => false,
        })
    }
}

/// A model with this one in a field, and calls of what the field has: none of it may be said to be wrong.
fn outer(own: &mut Crate, call: TokenStream) {
    own.model(quote! { pub struct Outer { inner: Mlp } });
    own.model(quote! {
        impl Outer {
            pub fn whole(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> { #call }
        }
    });
    assert!(own.has_method("whole") && own.has_method("report"), "{}", own.output);
}

#[test]
fn structs() {
    let structure = quote! {
        pub struct r#Mlp {
            #[layer(inputs = 8, outputs = 4, bias = false)] r#in: Linear,
            #[layer(count = 2, inputs = 4, outputs = 4)] more: Vec<Linear>,
            #[parameter(init = uniform(0.1))] scale: Tensor<f32, 4>,
        }
    };
    for prefix in prefixes(structure) {
        let mut own = Crate::default();
        own.model(prefix.clone());
        let alone = own.errors();
        // Rust's own grammar has no struct without a body: rustc does not call the macro.
        if !prefix.clone().into_iter().any(|token| matches!(token, TokenTree::Group(_))) {
            assert_eq!(alone.len(), 1, "{prefix}: {alone:?}");
            continue;
        }
        assert!(
            own.has(|item| matches!(item, Item::Struct(item) if item.ident == "r#Mlp")),
            "{prefix}: {}",
            own.output
        );
        assert!(own.has_method("new"), "{prefix}");
        own.model(quote! {
            impl r#Mlp {
                pub fn f(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> { x.narrow(1, 0, 4) }
                fn width() -> usize { 4 }
            }
        });
        assert!(own.has_method("f") && own.has_method("width"), "{prefix}");
        assert_eq!(own.errors(), alone, "{prefix}");
    }
}

#[test]
fn blocks() {
    let block = quote! {
        impl Mlp {
            pub fn forward(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 4> {
                let (mut h, s) = (self.hidden.forward(x).relu(), 2.0);
                for layer in &self.more { h = layer.forward(&h) * s; }
                if deep { h * &self.scale } else { h }
            }
            fn width(&self, of: usize) -> usize { of * 4 }
            pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> { self.forward(x, true).mean_all() }
        }
    };
    let structure = quote! {
        pub struct Mlp {
            #[layer(inputs = 8, outputs = 4)] hidden: Linear,
            #[layer(count = 2, inputs = 4, outputs = 4)] more: Vec<Linear>,
            #[parameter] scale: Tensor<f32, 4>,
        }
    };
    let mut whole = Crate::default();
    whole.model(structure.clone()).model(block.clone());
    let total = prefixes(block.clone()).len();
    let mut said = 0;
    for prefix in prefixes(block) {
        let mut own = Crate::default();
        own.model(structure.clone()).model(prefix.clone());
        let alone = own.errors();
        own.file();
        if !prefix.clone().into_iter().any(|token| matches!(token, TokenTree::Group(_))) {
            assert_eq!(alone.len(), 1, "{prefix}: {alone:?}");
            continue;
        }
        said += usize::from(!alone.is_empty());
        for name in ["forward", "width", "loss"] {
            assert!(own.has_method(name) || !declares(&prefix, "fn", name), "{name} of {prefix}: {}", own.output);
        }
        assert!(own.has_method("report") && own.has_method("kernels"), "{prefix}");
        // As soon as a tensor stands in the signature.
        let loss = prefix.to_string().contains("fn loss (& self , x : &");
        assert!(own.has_method("loss_with_gradients") || !loss, "{prefix}");
        // What is missing in the model is missing for others; what is there and wrong is said once.
        if declares(&prefix, "fn", "forward") && !alone.is_empty() {
            outer(&mut own, quote!(self.inner.forward(x, false)));
            assert_eq!(own.errors(), alone, "{prefix}");
        }
    }
    assert!(said > total / 2, "{said} of {total} prefixes are wrong");
}

/// With a kernel that others may name as their gradient.
fn with_gradient() -> Crate {
    let mut own = Crate::default();
    own.kernel(quote! {
        #[launch(global = [N])]
        fn other(x: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) { dx[global_id(0)] = x[global_id(0)]; }
    });
    own
}

/// Checks each prefix of a kernel between two sound ones.
fn check_kernels(items: TokenStream, name: &str) {
    let mut own = with_gradient();
    own.kernel(items.clone());
    own.sound();
    let (before, after) = (
        quote!(
            fn before(x: &Tensor<f32, N>) -> Tensor<f32, N> {
                |n| x[n] + 1.0
            }
        ),
        quote!(
            fn after(x: &Tensor<f32, N>) -> Tensor<f32, N> {
                |n| x[n] + 2.0
            }
        ),
    );
    for prefix in prefixes(items) {
        let mut alone = with_gradient();
        alone.kernel(prefix.clone());
        if !prefix.is_empty() {
            assert!(!alone.errors().is_empty() || alone.has_function(name), "{prefix}");
        }
        assert!(alone.has_function(name) || !declares(&prefix, "fn", name), "{prefix}: {}", alone.output);
        let mut own = with_gradient();
        own.kernel(quote!(#before #prefix #after));
        assert!(own.has_function("before") && own.has_function("after"), "{prefix}: {}", own.output);
        let syntax = |errors: &[String]| errors.iter().filter(|text| text.contains("expected ")).count();
        assert!(syntax(&own.errors()) <= 1, "{prefix}: {:?}", own.errors());
        if !own.has_function(name) {
            assert!(!declares(&prefix, "fn", name), "{prefix}: {}", own.output);
        }
    }
}

#[test]
fn kernels() {
    let items = quote! {
        /// Rows.
        pub fn rows(x: &Tensor<f32, N, { C * 2 }>, t: &Tensor<u32, N>, w: &Tensor<f32, C>) -> Tensor<f32, N> {
            |n| { let y = sum(0..C, |c| if c > 0 { pad(x[n, 2 * c - 1]) } else { x[t[n], c] as f32 }); -max(y, w[0]) / C }
        }
    };
    check_kernels(items, "rows");
}

#[test]
fn simt_kernels() {
    let items = quote! {
        /// Sums.
        #[types(T = [f32, f16])]
        #[launch(global = [N], local = [64])]
        #[gradient(other)]
        fn sums(x: &Tensor<T, N, C>, y: &mut Tensor<T, N>, count: &mut Tensor<u32, 1>, scale: f32) {
            let mut scratch = local!([f32; 64]);
            let (i, mut total) = (global_id(0), 0.0);
            if i >= N { return; }
            for c in (0..C).step_by(2) { total += x[i, c] * scale; }
            scratch[local_id(0)] = total.exp();
            while total > 1.0 { total /= 2.0; if total < 0.5 { break; } else { continue; } }
            atomic_add(&mut count[0], 1);
            y[i] = if total > 0.0 { let a = -total; a } else { scratch[0] };
        }
    };
    check_kernels(items, "sums");
}

#[test]
fn functions() {
    let item = quote! {
        /// A bend.
        pub fn bend(x: f32, steep: f32) -> f32 {
            let y = x * steep;
            if y > 0.0 { y.tanh() } else { x.exp() - 1.0 }
        }
    };
    for prefix in prefixes(item) {
        let mut own = Crate::default();
        own.function(prefix.clone());
        let alone = own.errors();
        if !declares(&prefix, "fn", "bend") {
            assert_eq!(alone.len(), 1, "{prefix}: {alone:?}");
            continue;
        }
        assert!(own.has_function("bend"), "{prefix}");
        own.kernel(quote!(
            fn bent(x: &Tensor<f32, N>) -> Tensor<f32, N> {
                |n| bend(x[n], 2.0)
            }
        ));
        assert_eq!(own.errors(), alone, "{prefix}");
        assert!(own.has_function("bent"), "{prefix}");
    }
}
