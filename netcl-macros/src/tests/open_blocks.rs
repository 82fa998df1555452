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
