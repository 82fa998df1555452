//! Parameters of blocks that follow from others.

use super::compiled;

/// What is said of a model with these fields, functions and parameters, which has blocks whose second size is the first one where
/// nothing is written.
fn errors(parameters: [&str; 2], fields: &str, functions: &str) -> Vec<String> {
    let [declared, given] = parameters;
    compiled(&format!(
        "#[netcl::model] pub struct B<const C: usize, const D: usize = C> {{ #[layer(inputs = C, outputs = D)] c: Linear }}
         #[netcl::model] impl<const C: usize, const D: usize> B<C, D> {{
             pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, D> {{ self.c.forward(x) }} }}
         #[netcl::model] pub struct T<A, const C: usize, const D: usize = C> {{ #[layer(inputs = C, outputs = D)] c: Linear, a: A }}
         #[netcl::model] impl<A, const C: usize, const D: usize> T<A, C, D> {{
             pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, D> {{ self.a.forward(self.c.forward(x)) }} }}
         #[netcl::model] pub struct Net{declared} {{ {fields} }}
         #[netcl::model] impl{declared} Net{given} {{ {functions} }}"
    ))
    .errors()
}

#[test]
fn a_size_that_follows_from_another_is_that_ones() {
    let forward = "pub fn f(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 2> { self.c.forward(self.a.forward(x)) }";
    for fields in ["a: B<4>, c: B<4, 2>", "a: T<Relu, 4>, c: T<Relu, 4, 2>"] {
        let found = errors(["", ""], fields, forward);
        assert!(found.is_empty(), "{fields}: {found:?}");
    }
    // The one around has a size of the same name.
    let own = ["<const C: usize>", "<C>"];
    let wrong = "pub fn f(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, C> { self.a.forward(x) }";
    for fields in ["a: B<4>", "a: T<Relu, 4>"] {
        let found = errors(own, fields, wrong);
        assert!(found.len() == 1 && found[0].contains("returns C here, its body gives 4"), "{fields}: {found:?}");
    }
    let right = "pub fn f(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { self.a.forward(x) }";
    let found = errors(own, "a: B<C>", right);
    assert!(found.is_empty(), "{found:?}");
}
