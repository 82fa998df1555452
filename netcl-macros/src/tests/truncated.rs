//! Half-typed code: every prefix of an item, with what is open closed, gives an error or Rust, and no panic.

use super::Crate;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

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

#[test]
fn models() {
    let structure = quote! {
        pub struct r#Mlp {
            #[layer(inputs = 8, outputs = 4, bias = false)] r#in: Linear,
            #[layer(count = 2, inputs = 4, outputs = 4)] more: Vec<Linear>,
            #[parameter(init = uniform(0.1))] scale: Tensor<f32, 4>,
        }
    };
    for prefix in prefixes(structure.clone()) {
        Crate::default().model(prefix.clone()).answered(&prefix);
    }
    let block = quote! {
        impl Mlp {
            pub fn forward(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 4> {
                let (mut h, s) = (self.r#in.forward(x).relu(), 2.0);
                for layer in &self.more { h = layer.forward(&h) * s; }
                if deep { h * &self.scale } else { h }
            }
        }
    };
    let mut own = Crate::default();
    own.model(structure);
    own.model(block.clone());
    own.sound();
    for prefix in prefixes(block) {
        let mut own = Crate::default();
        own.model(quote! { pub struct Mlp { #[layer(inputs = 8, outputs = 4)] hidden: Linear } });
        own.model(prefix.clone());
        own.answered(&prefix);
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
    let mut own = Crate::default();
    own.kernel(items.clone());
    own.sound();
    for prefix in prefixes(items) {
        if !prefix.is_empty() {
            Crate::default().kernel(prefix.clone()).answered(&prefix);
        }
    }
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
    let mut own = Crate::default();
    own.kernel(items.clone());
    own.sound();
    for prefix in prefixes(items) {
        if !prefix.is_empty() {
            Crate::default().kernel(prefix.clone()).answered(&prefix);
        }
    }
}
