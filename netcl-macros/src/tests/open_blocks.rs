//! Blocks with parameters: what is judged where they stand, though only numbers make their functions known, and what waits for these.

use super::compiled;

/// A block with parameters and a function of that body, which a model has as a field of these numbers.
fn block(body: &str, numbers: &str) -> String {
    format!(
        "#[netcl::model] pub struct Block<const C: usize, const K: usize> {{ #[layer(inputs = C, outputs = C)] l: Linear, #[layer(inputs = C, outputs = C)] more: [Linear; K] }}
         #[netcl::model] impl<const C: usize, const K: usize> Block<C, K> {{
            pub fn f(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {{ {body} }}
            pub fn twice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {{ x * 2.0 }}
         }}
         #[netcl::model] pub struct Net {{ block: Block<{numbers}> }}
         #[netcl::model] impl Net {{ pub fn f(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32, N, 6> {{ Block::<{numbers}>::twice(self.block.f(x)) }} }}"
    )
}

#[test]
fn numbers_that_are_not_known_yet_are_waited_for() {
    for body in [
        "(0..K).fold(self.l.forward(x), |h, i| h + x.roll(i, 1))",
        "let all = (0..K).map(|i| x.roll(i, 1)).collect::<Vec<_>>(); self.l.forward(all[0])",
        "match K { 1 => x * 1.0, 2 => self.l.forward(x), _ => unreachable!() }",
        "let half = C / 2; let (a, b) = (x.narrow(1, 0, half), x.narrow(1, half, half)); self.l.forward(b.concat([a], 1))",
        "Self::twice(Block::<C, K>::twice(x))",
        "let [first, rest @ ..] = &self.more; rest[0].forward(first.forward(x))",
    ] {
        compiled(&block(body, "6, 2")).sound();
    }
}

#[test]
fn what_numbers_come_to_is_said_for_them() {
    let errors = compiled(&block("match K { 2 => self.l.forward(x), _ => unreachable!() }", "6, 3")).errors();
    assert!(
        errors.len() == 1 && errors[0].contains("`unreachable!` cannot be compiled (of `block: Block<6, 3>`"),
        "{errors:?}"
    );
}

#[test]
fn names_are_judged_where_the_block_stands() {
    let alone = |body: &str| {
        let source = block(body, "6, 2");
        compiled(source.split("#[netcl::model] pub struct Net").next().unwrap_or_default()).errors()
    };
    for (body, said) in [
        ("let mut h = x; for l in &self.more { h = l.forward(h); } h.meen([1])", "there is no operation `meen`"),
        ("self.more[0].forward(x, x)", "`more[0]` takes 1 tensor"),
        ("self.more[0].forwards(x)", "`more[0]`"),
    ] {
        let errors = alone(body);
        assert!(errors.len() == 1 && errors[0].contains(said), "{body}: {errors:?}");
    }
    // Nothing is said twice where it is used.
    let used = compiled(&block("self.more[0].forward(x).meen([1])", "6, 2")).errors();
    assert_eq!(used.len(), 1, "{used:?}");
}

#[test]
fn a_function_of_structs_alone_reads_fields_by_a_pattern() {
    for taken in ["let Self { l } = self;", "let Net { l } = &self;", "let l = &self.l;"] {
        compiled(&format!(
            "#[netcl::tensors] pub struct Pair {{ left: Tensor<f32, N, 4>, right: Tensor<f32, N, 4> }}
             #[netcl::model] pub struct Net {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl Net {{
                pub fn embed(&self, p: &Pair) -> Pair {{ {taken} Pair {{ left: l.forward(&p.left), right: l.forward(&p.right) }} }}
                pub fn both(&self, p: &Pair) -> Tensor<f32, N, 4> {{ let q = self.embed(p); q.left + q.right }}
             }}"
        ))
        .sound();
    }
}

#[test]
fn parts_of_several_kinds_are_told_apart_by_numbers() {
    let text = "#[netcl::model] pub struct A { #[layer(inputs = 4, outputs = 4)] a: Linear }
        #[netcl::model] impl A { pub fn first(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.a.forward(x) } }
        #[netcl::model] pub struct B { #[layer(inputs = 4, outputs = 4)] a: Linear }
        #[netcl::model] impl B { pub fn last(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.a.forward(x) } }
        #[netcl::model] pub struct Two<const K: usize> { parts: (A, B) }
        #[netcl::model] impl<const K: usize> Two<K> {
            pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
                let mut h = x.relu();
                for (i, part) in self.parts.iter().enumerate() {
                    if i < K { h = part.first(&h); } else { h = part.last(&h); }
                }
                h
            }
        }
        #[netcl::model] pub struct M { two: Two<1> }
        #[netcl::model] impl M { pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.two.forward(x) } }";
    compiled(text).sound();
}

#[test]
fn constants_are_numbers_of_a_block_that_is_called_by_its_path() {
    let text = "#[netcl::constant] const WIDTH: usize = 4;
        #[netcl::model] pub struct Scale<const C: usize> { #[layer(inputs = C, outputs = C)] inner: Linear }
        #[netcl::model] impl<const C: usize> Scale<C> {
            pub fn many(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { let mut h = x * 1.0; for _ in 0..C { h = h * 2.0; } h }
        }
        #[netcl::model] pub struct M { s: Scale<2> }
        #[netcl::model] impl M {
            pub fn f(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { Scale::<{ WIDTH * 2 }>::many(x) }
        }";
    compiled(text).sound();
}

#[test]
fn functions_of_a_type_that_call_many_others_of_it_are_told_once_each() {
    let each = |n: usize| format!("pub fn f{n}(x: f32) -> f32 {{ H::f{}(x) + H::f{}(x) }}", n + 1, n + 2);
    let all: String = (0..12).map(each).collect();
    let text = format!(
        "pub struct H; #[netcl::function] impl H {{ {all} pub fn f12(x: f32) -> f32 {{ x * 2.0 }} pub fn f13(x: f32) -> f32 {{ x * 2.0 }} }}"
    );
    compiled(&text).sound();
}
