//! The arms of `match`: which are all that there are, what their names are bound to, and what is said of those that are wrong.

use super::{Crate, compiled};

const ENUMS: &str = "
    #[netcl::constant] const LIMIT: usize = 3;
    #[netcl::model]
    pub enum Act {
        Relu,
        #[layer(inputs = 4, outputs = 4)] Line(Linear),
        #[layer(inputs = 4, outputs = 4)] Other(Linear),
        Gated { #[layer(inputs = 4, outputs = 4)] gate: Linear },
    }
";

/// The enum with a function of that body.
fn of(body: &str) -> Crate {
    compiled(&format!(
        "{ENUMS} #[netcl::model] impl Act {{
            pub fn f(&self, x: &Tensor<f32, N, 4>, s: f32, up: bool, k: usize, kind: Kind) -> Tensor<f32, N, 4> {{ {body} }} }}"
    ))
}

#[test]
fn arms_that_are_all_are_taken() {
    for body in [
        "match self { Act::Relu | Act::Gated { .. } => x.relu(), Act::Line(l) => l.forward(x), Act::Other(_) => x }",
        "match self { Act::Line(_) => x, Act::Relu | Act::Other(_) | Act::Gated { .. } => x.relu() }",
        "match self { (Act::Relu | Act::Line(_)) => x, a @ (Act::Other(_) | Act::Gated { .. }) => x.relu() }",
        "match self { | Act::Line(l) => l.forward(x), | Act::Relu => x, Act::Other(_) | Act::Gated { .. } => x.tanh() }",
        "match self { Act::Line(l) | Act::Other(l) | Act::Gated { gate: l } => l.forward(x), Act::Relu => x }",
        "match self { Act::Relu => x, Act::Line(l) | Act::Other(l) | Act::Gated { gate: l } => l.forward(x) }",
        "match self { Act::Line(l) | Act::Other(l) if up => l.forward(x), _ => x }",
        "if let Act::Line(l) | Act::Other(l) = self { l.forward(x) } else { x.relu() }",
        "let (Act::Line(l) | Act::Other(l)) = self else { return x.relu(); }; l.forward(x)",
        "match (self, up) { (Act::Line(l) | Act::Other(l), true) => l.forward(x), _ => x }",
        "match (self, up) { (Act::Relu, true) => x.relu(), (Act::Line(l) | Act::Other(l), _) => l.forward(x), (_, false) => x,
            (Act::Gated { .. }, true) => x.tanh() }",
        "match (self, k) { (Act::Relu, 0..=2) => x, (Act::Relu, 3..) => x.relu(), (Act::Line(l), _) => l.forward(x), (_, k) => x.tanh() }",
        "match (self, kind) { (Act::Relu, Kind::A) => x, (Act::Relu, Kind::B) => x.relu(), (Act::Line(l), _) => l.forward(x), (_, _) => x.tanh() }",
        "match ((self, up), up) { ((Act::Relu, _), true) => x, ((_, true), _) => x.relu(), ((_, false), _) => x.tanh() }",
        "match k { LIMIT => x, 0..LIMIT => x.relu(), _ => x.tanh() }",
        "match (up, k) { (true, n) | (false, n @ 3) => if n > 1 { x } else { x.tanh() }, _ => x.relu() }",
        "match Some(k) { Some(n @ (1 | 2)) | Some(n @ 7..) => if n > 1 { x } else { x.tanh() }, Some { .. } => x, None => x.relu() }",
    ] {
        let own = of(body);
        assert!(own.errors().is_empty(), "{body}: {:#?}", own.errors());
        own.file();
    }
}

#[test]
fn what_arms_leave_out_is_told() {
    let missing = |body: &str, left: &str| {
        let text = format!("no arm of this `match` is for {left}");
        let errors = of(body).errors();
        assert!(errors.len() == 1 && errors[0].starts_with(&format!("{text}\n")), "{body}: {errors:#?}");
    };
    missing("match self { Act::Relu | Act::Line(_) => x }", "`Act::Other`, `Act::Gated`");
    missing(
        "match self { Act::Relu => x, Act::Line(l) if up => l.forward(x), Act::Other(_) | Act::Gated { .. } => x }",
        "`Act::Line`",
    );
    missing(
        "match (self, up) { (Act::Relu, true) => x, (Act::Line(l), _) => l.forward(x), (_, false) => x, (Act::Other(_), _) => x }",
        "`(Act::Gated, true)`",
    );
    missing(
        "match (self, k) { (Act::Relu, 0 | 2..=4) => x, (Act::Line(_) | Act::Other(_) | Act::Gated { .. }, _) => x }",
        "`(Act::Relu, 1)`, `(Act::Relu, 5..)`",
    );
    missing(
        "match (up, self) { (true, _) => x, (false, Act::Relu) => x }",
        "`(false, Act::Line)`, `(false, Act::Other)`, `(false, Act::Gated)`",
    );
}

#[test]
fn a_condition_that_would_need_its_value_is_told() {
    let text = "`if` on `s > 0.0` would need its value while compiling";
    for body in [
        "match k { 0 if s > 0.0 => x.relu(), _ => x }",
        "match up { true if s > 0.0 => x.relu(), _ => x }",
        "match kind { Kind::A if s > 0.0 => x.relu(), _ => x }",
        "match self { Act::Relu if s > 0.0 => x.relu(), _ => x }",
        "let mut h = x; for i in 0..2 { h = match i { 0 if s > 0.0 => h.relu(), _ => h * 2.0 }; } h",
    ] {
        let errors = of(body).errors();
        assert!(errors.len() == 1 && errors[0].starts_with(text), "{body}: {errors:#?}");
    }
    let function = compiled(
        "#[netcl::function] fn u(x: &Tensor<f32, N>, up: bool) -> Tensor<f32, N> {
            match up { true if x > 0.0 => x.relu(), _ => x.tanh() } }",
    );
    let errors = function.errors();
    assert!(errors.len() == 1 && errors[0].starts_with("`if` on `x > 0.0` would need"), "{errors:#?}");
}

#[test]
fn the_cases_of_a_pattern_bind_the_same_names() {
    for body in [
        "match self { Act::Relu | Act::Gated { .. } => x, Act::Line(l) | Act::Other(_) => l.forward(x) }",
        "if let Act::Line(l) | Act::Other(_) = self { l.forward(x) } else { x }",
    ] {
        let errors = of(body).errors();
        let text = "`l` is not bound in `Act::Other(_)`";
        assert!(errors.len() == 1 && errors[0].starts_with(text), "{body}: {errors:#?}");
    }
}

#[test]
fn arms_and_cases_that_no_value_comes_to_are_told() {
    let unreachable = |body: &str, text: &str| {
        let errors = of(body).errors();
        assert!(errors.len() == 1 && errors[0].starts_with(text), "{body}: {errors:#?}");
    };
    unreachable("match k { 0..=LIMIT => x, 2 => x.relu(), _ => x.tanh() }", "no value comes to this arm: `0..=LIMIT`");
    unreachable("match k { 4.. => x, 5..9 => x.relu(), _ => x.tanh() }", "no value comes to this arm: `4..`");
    unreachable(
        "match self { Act::Relu | Act::Relu => x, _ => x.tanh() }",
        "no value comes to this case of the pattern: `Act::Relu`",
    );
    unreachable(
        "match self { Act::Relu => x, Act::Line(_) | Act::Relu => x.relu(), _ => x.tanh() }",
        "no value comes to this case of the pattern: `Act::Relu`",
    );
    for pattern in ["Ok(n)", "Nothing", "None(n)", "Some"] {
        let text = format!("the pattern `{pattern}` is none of an `Option`");
        unreachable(
            &format!("match Some(k) {{ Some(n) if n == 1 => x, {pattern} => x.relu(), _ => x.tanh() }}"),
            &text,
        );
    }
    for body in [
        "match k { 2..=4 => x, 3 | 5 => x.relu(), _ => x.tanh() }",
        "match (k, k) { (n, _) | (_, n) if n == 1 => x.relu(), _ => x.tanh() }",
    ] {
        let own = of(body);
        assert!(own.errors().is_empty(), "{body}: {:#?}", own.errors());
    }
}

#[test]
fn a_pattern_names_all_fields_of_a_struct_or_says_that_there_are_more() {
    let body = |pattern: &str| {
        compiled(&format!(
            "#[netcl::tensors] pub struct Out {{ y: Tensor<f32, N>, z: Tensor<f32, N> }}
             #[netcl::function] fn f(o: &Out) -> Tensor<f32, N> {{ let {pattern} = o; y * 2.0 }}"
        ))
        .errors()
    };
    assert!(body("Out { y, .. }").is_empty() && body("Out { y, z: _ }").is_empty());
    assert!(body("Out { y }")[0].starts_with("`Out` has fields that this pattern does not name: `z`"));
}

#[test]
fn of_what_is_wrong_in_a_kernel_its_callers_say_nothing() {
    for kernel in [
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n].nonsense() }",
        "#[launch(global = [N])] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[0] += x[global_id(0)]; }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| half(x[n]) }",
    ] {
        let own = compiled(&format!(
            "#[netcl::function] fn half(x: f32) -> f32 {{ x.nonsens() * 0.5 }}
             netcl::kernel! {{ {kernel} }}
             #[netcl::function] fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> {{ k(x) * 2.0 }}
             #[netcl::model] struct M {{ #[parameter(init = 1.0)] one: Tensor<f32> }}
             #[netcl::model] impl M {{ fn f(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {{ twice(k(x * &self.one)) }} }}",
        ));
        assert!(own.errors().iter().all(|error| !error.contains("internal error")), "{kernel}: {:#?}", own.errors());
    }
}

#[test]
fn a_number_that_only_a_call_has_is_told_beside_an_enum() {
    let said = |variants: &str, pattern: &str| {
        let source = format!(
            "#[netcl::model] pub enum Act {{ {variants} }}
             #[netcl::model] impl Act {{
                 pub fn f(&self, x: &Tensor<f32, N, 4>, s: f32) -> Tensor<f32, N, 4> {{
                     match (self, s) {{ ({pattern}, 0.0) => x.relu(), _ => x }} }} }}"
        );
        compiled(&source).errors()
    };
    let line = "#[layer(inputs = 4, outputs = 4)] Line(Linear)";
    for (variants, pattern) in [
        ("Relu", "Act::Relu"),
        (line, "Act::Line(_)"),
        (&format!("Relu, {line}"), "Act::Relu"),
        (&format!("Relu, {line}"), "Act::Line(_)"),
    ] {
        let errors = said(variants, pattern);
        assert!(errors.len() == 1 && errors[0].starts_with("`match` on this value would need its value"), "{errors:?}");
    }
    let twice = said(&format!("Line, {line}"), "Act::Line");
    assert!(twice.len() == 2 && twice[0].contains("has a variant `Line` already"), "{twice:?}");
}
