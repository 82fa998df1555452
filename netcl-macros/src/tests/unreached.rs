//! What a body does not come to is looked at for names that there are not, and for nothing else.

use super::compiled;

const ITEMS: &str = "
    #[netcl::model] pub struct B<const C: usize, const P: usize> {
        #[layer(inputs = C, outputs = C)] l: Linear,
        #[layer(inputs = C, outputs = 4)] four: Linear,
        #[layer(inputs = C, outputs = C, present = P)] o: Option<Linear>,
    }
    #[netcl::model] pub struct M {
        #[layer(inputs = 4, outputs = 4)] a: Linear,
        #[layer(inputs = 4, outputs = 4, present = true)] there: Option<Linear>,
        #[layer(inputs = 4, outputs = 4, present = false)] gone: Option<Linear>,
        #[constant(true)] k: bool,
        b: B<4, 1>,
    }
";

/// What is said of these bodies of functions of `M` and of `B`.
fn errors(of_m: &str, of_b: &str) -> Vec<String> {
    let block = |header: &str, size: &str, body: &str| {
        format!(
            "#[netcl::model] impl{header} {{ pub fn f(&self, x: &Tensor<f32, N, {size}>) -> Tensor<f32, N, {size}> {{ {body} }} }}"
        )
    };
    let b = block("<const C: usize, const P: usize> B<C, P>", "C", of_b);
    compiled(&format!("{ITEMS} {b} {}", block(" M", "4", of_m))).errors()
}

#[test]
fn names_are_looked_up_everywhere() {
    for (body, said) in [
        ("if false { nowhere.relu() } else { self.a.forward(x) }", "`nowhere`"),
        ("if 1 > 2 { self.zzz.forward(x) } else { self.a.forward(x) }", "no field `zzz`"),
        ("if false { x.nonsense() } else { self.a.forward(x) }", "no operation `nonsense`"),
        ("if self.k { self.a.forward(x) } else { x.nonsense() }", "no operation `nonsense`"),
        ("match &self.there { Some(o) => o.forward(x), None => x.nonsense() }", "no operation `nonsense`"),
        ("match &self.there { Some(o) => o.forward(x), None => nowhere }", "`nowhere`"),
        ("match &self.there { Some(o) => o.forward(x), None => o.forward(x) }", "`o`"),
        ("match &self.gone { Some(_) => nowhere.relu(), None => self.a.forward(x) }", "`nowhere`"),
        ("match &self.gone { Some(o) => o.forwrd(x), None => self.a.forward(x) }", "its only function is `forward`"),
        ("if let Some(o) = &self.gone { o.forwrd(x) } else { x }", "its only function is `forward`"),
        ("let Some(o) = &self.there else { return nowhere }; o.forward(x)", "`nowhere`"),
        ("let Some(o) = &self.there else { x }; o.forward(x)", "what stands behind `else` goes on"),
        ("let Some(o) = &self.gone else { return x }; nowhere.relu()", "`nowhere`"),
        ("if let Some(o) = &self.there { o.forward(x) }", "`if` as a value needs an `else`"),
        ("if true { self.a.forward(x) }", "`if` as a value needs an `else`"),
        ("let mut h = x; for i in 0..0 { h = h.nonsense(); } h", "no operation `nonsense`"),
        ("if false && nowhere { x } else { self.a.forward(x) }", "`nowhere`"),
        ("if let Some(o) = &self.there { o.forward(x) } else { o.relu() }", "`o`"),
        ("match 2 { 1 => self.zzz.forward(x), _ => x }", "no field `zzz`"),
        ("if let Some(o) = &self.gone { o.forward(x) }", "`if` as a value needs an `else`"),
        ("let h = x.relu(); if false { h.nonsense() } else { h }", "no operation `nonsense`"),
        ("let mut h = x; for i in 0..2 { if i == 5 { h = i.nonsense(); } } h", "no operation `nonsense`"),
        ("let l = &self.a; if false { l.forwrd(x) } else { x }", "its only function is `forward`"),
    ] {
        let found = errors(body, "x");
        assert!(found.len() == 1 && found[0].contains(said), "{body}: {found:#?}");
    }
    for (body, said) in [
        ("match &self.o { Some(o) => o.forward(x), None => o.forward(x) }", "`o`"),
        ("if C == 5 { self.zzz.forward(x) } else { x }", "no field `zzz`"),
        ("if C == 4 { x } else { x.nonsense() }", "no operation `nonsense`"),
    ] {
        let found = errors("self.b.f(x)", body);
        assert!(found.len() == 1 && found[0].contains(said), "{body}: {found:#?}");
    }
}

#[test]
fn what_other_numbers_would_make_right_is_left_alone() {
    for body in [
        "if 1 > 2 { x.reshape([N, 5]) } else { self.a.forward(x) }",
        "if false { x.get(1, 9).unsqueeze(1) } else { x }",
        "let mut h = x; for i in 0..2 { h = if i == 7 { h.narrow(1, i, 9) } else { self.a.forward(h) }; } h",
        "match &self.gone { Some(o) => o.forward(x), None => x }",
        "if let Some(o) = &self.gone { o.forward(x) + o.weight.sum_all() } else { x }",
        "let Some(o) = &self.gone else { return x }; o.forward(x)",
        "let mut h = x; if self.k { h = h.relu(); } h",
        "if self.k { return x; } x.relu()",
        "if let Some(o) = &self.there { return o.forward(x); } x",
        "let mut h = x; if !self.k { let Some(o) = &self.gone else { panic!() }; h = o.forward(&h); } h",
        "let mut h = x; if !self.k { let Some(o) = &self.gone else { unreachable!() }; h = o.forward(&h); } h",
        "if !self.k && let Some(o) = &self.gone { o.forward(x) } else { x }",
    ] {
        let found = errors(body, "x");
        assert!(found.is_empty(), "{body}: {found:#?}");
    }
    for body in [
        "if C == 4 { self.four.forward(x) } else { x }",
        "if C == 5 { x.reshape([N, 5]) } else { x }",
        "match &self.o { Some(o) => o.forward(x), None => self.l.forward(x) }",
        "if let Some(o) = &self.o { o.forward(x) } else { x }",
    ] {
        let found = errors("self.b.f(x)", body);
        assert!(found.is_empty(), "{body}: {found:#?}");
    }
}

const UNLIKE: &str = "
    #[netcl::model] pub struct A { #[layer(inputs = 4, outputs = 4)] a: Linear }
    #[netcl::model] impl A { pub fn first(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.a.forward(x) } }
    #[netcl::model] pub struct B { #[layer(inputs = 4, outputs = 4)] b: Linear }
    #[netcl::model] impl B { pub fn last(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.b.forward(x) } }
    #[netcl::model] pub struct M { a: A, b: B, parts: (A, B), #[constant(true)] deep: bool, #[constant(0)] step: usize }
";

/// What is said of this body, where values of several kinds have one name.
fn of_unlike(body: &str) -> Vec<String> {
    let header = "#[netcl::model] impl M { pub fn f(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4>";
    compiled(&format!("{UNLIKE} {header} {{ {body} }} }}")).errors()
}

#[test]
fn what_a_value_of_another_kind_has_is_left_alone() {
    let chosen = "let part = if self.deep { &self.a } else { &self.b };";
    for body in [
        "let mut h = x; let mut i = 0; for part in &self.parts {
            if i == 0 { h = part.first(&h); } else { h = part.last(&h); } i = i + 1; } h",
        "let mut h = x; let mut i = 0; for part in &self.parts {
            h = match i { 0 => part.first(&h), _ => part.last(&h) }; i = i + 1; } h",
        "let mut h = x; for (i, part) in self.parts.iter().enumerate() {
            if i == 0 { h = part.first(&h); } else { h = part.last(&h); } } h",
        "let mut h = x; for (i, part) in self.parts.iter().enumerate() {
            if i == 0 { h = part.a.forward(&h); } else { h = part.b.forward(&h); } } h",
        "let f = |part, first| if first { part.first(x) } else { part.last(x) }; f(&self.a, true) + f(&self.b, false)",
        "let f = |part, first| if first { part.a.weight.sum_all() } else { part.relu().sum_all() };
            x + f(&self.a, true) + f(x, false)",
        "let pair = if self.deep { (x, &self.a) } else { (x, &self.b) };
            if self.deep { pair.1.first(x) } else { pair.1.last(x) }",
        "let mut part = &self.a; let mut h = x; for i in 0..2 { if i == 1 { h = part.last(&h); } part = &self.b; } h",
        "if self.step == 1 { let part = if self.step == 1 { &self.a } else { &self.b }; part.first(x) } else { x }",
        "if self.step == 1 { (if self.step == 1 { &self.a } else { &self.b }).first(x) } else { x }",
        "if self.step == 1 { let f = |part| part.first(x); f(if self.step == 1 { &self.a } else { &self.b }) } else { x }",
        "if self.step == 1 { let h = { let part = if self.step == 1 { &self.a } else { &self.b }; part.first(x) }; h.relu() }
            else { x }",
    ] {
        let found = of_unlike(body);
        assert!(found.is_empty(), "{body}: {found:#?}");
    }
    for rest in [
        "match self.deep { true => part.first(x), false => part.last(x) }",
        "if self.deep { part.first(x) } else { part.last(x) }",
        "if self.deep { part.first(x) } else { let h = part.last(x); h.relu() }",
        "if self.deep { part.a.forward(x) } else { part.b.forward(x) }",
    ] {
        let found = of_unlike(&format!("{chosen} {rest}"));
        assert!(found.is_empty(), "{rest}: {found:#?}");
    }
}

#[test]
fn mistakes_are_told_in_their_order() {
    let body = "if self.deep { x.relu() } else if self.step == 0 { nowhere1.relu() } else { nowhere2.relu() }";
    let found = of_unlike(body);
    assert!(found.len() == 2 && found[0].contains("nowhere1") && found[1].contains("nowhere2"), "{found:#?}");
    let found = of_unlike("if self.deep { nowhere1.relu() } else { nowhere2.relu() }");
    assert!(found.len() == 2 && found[0].contains("nowhere1") && found[1].contains("nowhere2"), "{found:#?}");
}
