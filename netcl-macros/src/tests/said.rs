//! What is said of one mistake: of the thing that is wrong, with what there is instead.

use super::compiled;

#[test]
fn modules_of_other_frameworks_are_known_wherever_they_stand() {
    for call in ["torch::relu(x)", "nn::functional::relu(x)", "jax::nn::relu(x)", "keras::relu(x)", "F::relu(x)"] {
        is_said(&said(call), &[&format!("there is no function `{}` here", &call[..call.len() - 3]), "`x.relu()`"]);
    }
    for call in ["torch.relu(x)", "nn.functional.relu(x)", "tch.relu(x)", "flax.relu(x)"] {
        is_said(&said(call), &["`x.relu()`"]);
    }
    // Modules of one's own may have such names.
    let own = "mod nn {} #[netcl::function] fn leaky(x: f32) -> f32 { x }
        #[netcl::function] fn all(x: &Tensor<f32, N>) -> Tensor<f32, N> { nn::leaky(x) + F::gate(x) }
        #[netcl::function] impl F { fn gate(x: f32) -> f32 { x } }";
    let mut own: Vec<_> = super::marked(syn::parse_file(own).expect("Rust"));
    own.swap(1, 2);
    let mut all = Crate::default();
    own.into_iter().for_each(|item| all.mark(item));
    all.sound();
}

/// A loss whose gradients are asked for has some, where the model trains something.
#[test]
fn what_is_frozen_in_a_part_is_frozen_in_the_model() {
    let refused = |inner: &str, part: &str, own: &str, loss: &str| {
        let all = compiled(&format!(
            "#[netcl::model] pub struct Inner {{ {inner} #[layer(inputs = 4, outputs = 4)] line: Linear }}
             #[netcl::model] impl Inner {{
                 pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {{ self.line.forward(x) }} }}
             #[netcl::model] pub struct Net {{ {part} inner: Inner, {own} #[layer(inputs = 4, outputs = 4)] own: Linear }}
             #[netcl::model] impl Net {{ pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {{ {loss}.sum_all() }} }}"
        ));
        all.sound().output.contains("depends on no parameter")
    };
    let frozen = "#[frozen]";
    // Nothing is trained, however that is said.
    for (inner, part) in [(frozen, ""), ("", frozen), (frozen, frozen)] {
        assert!(!refused(inner, part, frozen, "self.inner.forward(x)"));
        assert!(!refused(inner, part, frozen, "x"));
    }
    // Something is, and the loss leads elsewhere.
    for (inner, part) in [(frozen, ""), ("", frozen)] {
        assert!(refused(inner, part, "", "self.inner.forward(x)"));
        assert!(!refused(inner, part, "", "self.own.forward(x)"));
    }
    assert!(refused("", "", frozen, "self.own.forward(x)"));
    assert!(refused("", "", frozen, "self.inner.forward(x).detach()"));
    assert!(!refused("", "", frozen, "self.inner.forward(x)"));
}

#[test]
fn a_loss_that_needs_a_models_numbers_depends_on_a_parameter_too() {
    let refused = |loss: &str| {
        let all = compiled(&format!(
            "#[netcl::model] pub struct Net<const H: usize> {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl<const H: usize> Net<H> {{
                 pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {{ {loss}.mean_all() * H as f32 }} }}
             #[netcl::model] type Own = Net<3>;"
        ));
        all.sound().output.contains("depends on no parameter")
    };
    assert!(refused("x"));
    assert!(!refused("self.l.forward(x)"));
}
