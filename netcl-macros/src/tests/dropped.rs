//! Values that nobody uses.

use super::compiled;

const MODEL: &str = "
    #[netcl::model] pub struct M {
        #[layer(inputs = 4, outputs = 4)] a: Linear,
        #[constant(true)] k: bool,
        #[constant(0)] step: usize,
        #[state(init = 0.0)] s: Tensor<f32, 4>,
        #[layer(inputs = 4, outputs = 4, present = true)] o: Option<Linear>,
    }
";

fn errors(body: &str) -> Vec<String> {
    let header = "pub fn f(&self, x: &Tensor<f32, N, 4>, up: bool) -> Tensor<f32, N, 4>";
    compiled(&format!("{MODEL} #[netcl::model] impl M {{ {header} {{ {body} }} }}")).errors()
}

#[test]
fn statements_give_nothing() {
    for (body, instead) in [
        ("let mut h = x.tanh(); if up { h.relu() } h", "`h = h.relu();`"),
        ("let mut h = x.tanh(); if self.k { h.relu() } h", "`h = h.relu();`"),
        ("let mut h = x.tanh(); { h.relu() } h", "`h = h.relu();`"),
        ("if up { x.relu() } else { x.tanh() } x", "`let y = ..`"),
        ("if up { x.relu() } else { x.tanh() }; x", "`let y = ..`"),
        ("match self.step { 0 => x.relu(), _ => x.tanh() } x", "`let y = ..`"),
        ("if let Some(o) = &self.o { o.forward(x) } x", "`let y = ..`"),
        ("let y = { if up { x.relu() } else { x.tanh() } x }; y", "`let y = ..`"),
    ] {
        let found = errors(body);
        assert!(found.len() == 1 && found[0].contains(instead), "{body}: {found:#?}");
    }
    for body in [
        "if up { x.relu() } else { x.tanh() }",
        "match self.step { 0 => x.relu(), _ => x.tanh() }",
        "{ x.relu() }",
        "{ let h = x.relu(); if up { h } else { x.tanh() } }",
        "let mut h = x; if up { h = h.relu(); } h",
        "let mut h = x; match self.step { 0 => h = h.relu(), _ => {} } h",
        "if up { self.s.set(x.mean([0])) } x",
        "match self.step { 0 => self.s.set(x.mean([0])), _ => () } x",
        "if up { return x.relu(); } x",
        "match self.step { 0 => return x.relu(), _ => {} } x",
        "let mut all = Vec::new(); for i in 0..2 { if i > 0 { all.push(x); } } all[0]",
        "let y = if up { let h = x.relu(); h } else { x }; y",
    ] {
        let found = errors(body);
        assert!(found.is_empty(), "{body}: {found:#?}");
    }
}
