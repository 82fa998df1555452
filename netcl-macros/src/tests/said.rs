//! What is said of one mistake: of the thing that is wrong, with what there is instead.

use super::{Crate, compiled};

/// The errors of a function with that body, of a model with layers, states and parts.
fn said(body: &str) -> Vec<String> {
    compiled(&format!(
        "#[netcl::model] pub struct Part {{ #[state(init = 0.0)] mean: Tensor<f32, 8> }}
         #[netcl::model] impl Part {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ x - &self.mean }} }}
         #[netcl::model] pub struct Net {{
             #[layer(inputs = 8, outputs = 8)] a: Linear, #[state(init = 0.0)] s: [Tensor<f32, 8>; 3], b: [Part; 2], c: (Part, Part) }}
         #[netcl::model] impl Net {{
             pub fn forward(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ {body} }} }}"
    ))
    .errors()
}

/// Whether there is one error, in which all of `parts` stand.
fn is_said(errors: &[String], parts: &[&str]) {
    let is_it = errors.len() == 1 && parts.iter().all(|part| errors[0].contains(part));
    assert!(is_it, "{parts:?}: {errors:#?}");
}

#[test]
fn states_are_set_by_the_paths_that_they_have() {
    for (body, parts) in [
        (
            "let m = &self.b[1].mean; m.set(x.mean([0])); x",
            &["`self.b[1].mean.set(x.mean([0]))`", "`for i in 0..2 { self.b[i].mean.set(x.mean([0])); }`"][..],
        ),
        ("let m = &self.c.1.mean; m.set(x.mean([0])); x", &["`self.c.1.mean.set(x.mean([0]))`"]),
        ("for s in &self.s { s.set(x.mean([0])); } x", &["for i in 0..3 { self.s[i].set(x.mean([0])); }"]),
        (
            "for i in 0..N { self.s[i].set(x.mean([0])); } x",
            &["loop over as many numbers as there are, `for i in 0..3`"],
        ),
        ("let mut h = x; for i in 0..N { h = self.b[i].forward(h); } h", &["`for one in &self.b`"]),
    ] {
        is_said(&said(body), parts);
    }
    // As the hints have it.
    let sound = "for i in 0..2 { self.b[i].mean.set(x.mean([0])); } for i in 0..3 { self.s[i].set(x.mean([0])); }
                 self.c.1.mean.set(x.mean([0])); x";
    assert_eq!(said(sound), Vec::<String>::new());
    // What the variable is named in has no other name there.
    let own = said("for s in &self.s { s.set(s * 2.0); } x");
    is_said(&own, &["`self.s[0].set(s * 2.0)`"]);
    assert!(!own[0].contains("for i in"), "{own:?}");
}

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

#[test]
fn what_is_wrapped_is_told_once_however_it_is_called() {
    for call in ["Ok(x)", "Result::Ok(x)", "Err(x)"] {
        is_said(&said(call), &["there is no function `"]);
    }
    is_said(&said("Result::Ok(x.sum_all)"), &["sum_all"]);
    assert_eq!(said("Option::Some(x).unwrap() + Some(x).unwrap()"), Vec::<String>::new());
}

#[test]
fn a_list_grows_at_the_end_of_braces_as_before_a_semicolon() {
    let sound = "let mut ys = Vec::new(); if true { ys.push(x.relu()) } match 3 { 3 => ys.push(x.tanh()), _ => {} }
                 for i in 0..2 { ys.push(x * i as f32) } { ys.push(x.exp()); } ys[0] + ys[4]";
    assert_eq!(said(sound), Vec::<String>::new());
}

#[test]
fn what_a_list_is_said_to_be_of_is_taken_where_it_is_tensors() {
    for ty in ["_", "Tensor", "netcl::Tensor", "Tensor<f32, N, 8>", "&Tensor<f32, N, 8>"] {
        assert_eq!(said(&format!("let mut all = Vec::<{ty}>::new(); all.push(x); all[0] + x")), Vec::<String>::new());
    }
    let pairs = "let mut all = Vec::<(Tensor, Tensor<f32, N, 8>)>::new(); all.push((x, x)); let (p, q) = all[0]; p + q";
    assert_eq!(said(pairs), Vec::<String>::new());
    is_said(&said("let mut all = Vec::<u8>::new(); all.push(x); all[0] + x"), &["`::<u8>`", "`Vec::new()`"]);
}

#[test]
fn a_block_calls_its_own_functions_with_its_types() {
    let of = |call: &str| {
        compiled(&format!(
            "#[netcl::model] pub struct G<F, const C: usize> {{ f: F, #[layer(inputs = C, outputs = C)] a: Linear }}
             #[netcl::model] impl<F, const C: usize> G<F, C> {{
                 pub fn twice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {{ x * 2.0 }}
                 pub fn thrice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {{ {call} }} }}"
        ))
        .errors()
    };
    assert_eq!(of("G::<F, C>::twice(x)"), Vec::<String>::new());
    is_said(&of("G::<F>::twice(x)"), &["`G` has 1 parameter", "`G::<F, 4>::twice(..)`"]);
    is_said(&said("Net::<4>::of(x)"), &["`Net`"]);
}

#[test]
fn what_is_called_for_what_it_does_is_no_function_to_look_for() {
    is_said(&said("print(x); x"), &["a call of `print` whose value is not used", "in ordinary Rust, around the call"]);
    is_said(&said("line(x); x"), &["a call of `line` whose value is not used", "`let h = line(..);`"]);
    for kernel in [
        "fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { print(x[n]); x[n] } }",
        "#[launch(global = [N])] fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { print(x[0]); y[0] = x[0]; }",
    ] {
        is_said(&compiled(&format!("netcl::kernel! {{ {kernel} }}")).errors(), &["a call of `print` whose value is"]);
    }
    // A variable of that name is what it is.
    assert_eq!(said("let line = |h| h * 2.0; let h = line(x); h"), Vec::<String>::new());
}

#[test]
fn shapes_that_do_not_meet_are_not_turned_twice() {
    is_said(&said("x + y.t()"), &["leave `.t()` out, and write `y`"]);
    is_said(&said("x.pad([1, 1, 1, 1])"), &["`x.pad(1, 1, 1, 0.0).pad(0, 1, 1, 0.0)`"]);
    let more = said("x.pad([1, 1, 1, 1, 1, 1])");
    is_said(&more, &["`pad`"]);
    assert!(!more[0].contains("pad(-1"), "{more:?}");
}

#[test]
fn keys_of_another_attribute_stand_once() {
    let own = compiled(
        "#[netcl::model] pub struct Net {
             #[conv(padding = 1, stride = 2)] #[layer(inputs = 3, outputs = 4, kernel = 3, stride = 1)] c: Conv2d }",
    );
    is_said(&own.errors(), &["`#[layer(inputs = 3, outputs = 4, kernel = 3, padding = 1, stride = 2)]`"]);
}

#[test]
fn a_size_that_another_function_was_passed_is_not_blamed() {
    let own = compiled(
        "#[netcl::model] pub struct M { #[parameter(init = 1.0)] w: Tensor<f32, 4> }
         #[netcl::model] impl M {
             fn inner(&self, x: &Tensor<f32, K, 4>) -> Tensor<f32, K, 4> { if K > 2 { x.relu() } else { x * &self.w } }
             fn outer(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 4> { self.inner(x) }
             pub fn go(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { self.outer(x, N) } }",
    );
    let errors = own.errors();
    assert!(errors.iter().all(|error| !error.contains("a plain `usize`")), "{errors:#?}");
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

#[test]
fn how_a_field_is_trained_is_understood_in_other_words() {
    let of = |attr: &str| {
        compiled(&format!(
            "#[netcl::model] pub struct Part {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl Part {{ pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {{ self.l.forward(x) }} }}
             #[netcl::model] pub struct Net {{ {attr} part: Part }}"
        ))
    };
    for attr in ["freeze", "freeze(true)", "no_grad", "trainable(false)", "requires_grad = false", "frozn(true)"] {
        let own = of(&format!("#[{attr}]"));
        is_said(&own.errors(), &["did you mean `frozen`?\nhint: write `#[frozen]`; its attributes are `layer`"]);
        // rustc does not see it.
        assert!(
            !own.output.contains(&format!("# [{}", attr.split(['(', ' ']).next().unwrap_or(attr))),
            "{}",
            own.output
        );
    }
    for attr in ["trainable", "serde(skip)"] {
        let own = of(&format!("#[{attr}]"));
        is_said(&own.errors(), &["hint: leave it out"]);
        assert!(!own.output.contains("trainable]") && !own.output.contains("# [serde"), "{}", own.output);
    }
    is_said(&of("#[grup(slow)]").errors(), &["write `#[group(slow)]`"]);
    let setting = "write `#[group(slow)]`; what is set for it an optimizer says, `.group(\"slow\", ..)`";
    for group in ["slow, rate = 0.1", "slow, rate = 0.1, weight_decay = 0.0", "name = slow, rate = 0.1"] {
        is_said(&of(&format!("#[group({group})]")).errors(), &[setting]);
    }
    for group in ["slow, still", "slow, rate = 0.1, still"] {
        is_said(&of(&format!("#[group({group})]")).errors(), &["a field is in one group"]);
    }
}

#[test]
fn what_a_parameter_becomes_in_a_body_has_a_name_of_its_own() {
    let set = "ordinary Rust sets the field, after the call: `model.set_tensor(\"a.weight\", &new)?`";
    for assigned in ["self.a.weight = self.a.weight * 0.9;", "self.a.weight *= 0.9;"] {
        let errors = said(&format!("{assigned} x"));
        let new = "write `let weight = ..;`, and use that behind it, as in `x.matmul(&weight)`, as `self.a` keeps what it has";
        is_said(&errors, &["`self.a.weight` is a field, and not assigned", new, set]);
    }
    is_said(
        &said("self.a.bias = self.a.bias * 0.9; x"),
        &["write `let bias = ..;`, and use that behind it, as `self.a` keeps"],
    );
    // As the hint has it.
    assert_eq!(said("let weight = self.a.weight * 0.9; x.matmul(&weight)"), Vec::<String>::new());
    let state = said("self.s[0] = x.mean([0]); x");
    is_said(&state, &["hint: a state is set: `self.s[0].set(..)`"]);
}

#[test]
fn derivatives_are_of_floats_where_they_are_asked_for() {
    let of = |body: &str| {
        compiled(&format!(
            "#[netcl::model] pub struct Net {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl Net {{
                 pub fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {{
                     let loss = self.l.forward(x).cross_entropy(labels); {body} }} }}"
        ))
        .errors()
    };
    let instead = "leave it out: only floats have derivatives";
    is_said(
        &of("let d = grad(&loss, labels); loss + d.sum_all()"),
        &["`grad` has no derivative in `labels`, which is of u32", instead],
    );
    is_said(
        &of("let (d, e) = grad(&loss, (x, labels)); loss + d.sum_all()"),
        &["in `labels`, which is of u32", instead],
    );
    let at = "let at = self.l.forward(x).argmax(1); ";
    is_said(&of(&format!("{at} let d = grad(&loss, at); loss + d.sum_all()")), &["in `at`, which is of i32"]);
    is_said(
        &of("let d = grad(&labels.sum_all(), x); loss + d.sum_all()"),
        &["`grad` differentiates a number, found one of u32", "only floats have derivatives"],
    );
}

/// What a round of a loop finds is another tensor than what was there before the loop.
#[test]
fn a_value_of_before_a_round_does_not_follow_from_what_the_round_finds() {
    let said_before = "this value was computed before the round, and `h` begins anew in each round of a loop";
    for body in [
        "let mut h = x * 2.0; let first = h.square().sum_all(); for i in 0..N { let d = grad(&first, h); h = h - 0.1 * d; } h",
        "let mut h = x * 2.0; let first = h.square().sum_all(); for i in 0..N { for j in 0..N { let d = grad(&first, h); h = h - d; } } h",
        "let mut h = x * 2.0; for i in 0..N { let first = h.square().sum_all(); for j in 0..N { let d = grad(&first, h); h = h - d; } } h",
        "let mut h = x * 2.0; let mut e = h.sum_all(); for i in 0..N { let d = grad(&e, h); e = h.square().sum_all(); h = h - d; } h",
    ] {
        is_said(&said(body), &[said_before, "hint: compute the value inside of the loop, from `h` as it is there"]);
    }
    for body in [
        // It has never followed from it.
        "let mut h = x * 2.0; let first = y.square().sum_all(); for i in 0..N { let d = grad(&first, h); h = h - 0.1 * d; } h",
        "let mut h = x * 2.0; for i in 0..N { let d = grad(&h.detach().sum_all(), h); h = h - d; } h",
    ] {
        is_said(&said(body), &["this value does not depend on `h`"]);
    }
    let sound = "let mut h = x * 2.0; for i in 0..N { let d = grad(&h.square().sum_all(), h); h = h - 0.1 * d; } h";
    assert_eq!(said(sound), Vec::<String>::new());
}

/// A loss for each element has no gradients: who asks is told why, as of other losses that have none.
#[test]
fn a_loss_for_each_element_says_why_it_has_no_gradients() {
    let output = |name: &str, result: &str, body: &str| {
        compiled(&format!(
            "#[netcl::model] pub struct Net {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl Net {{ pub fn {name}(&self, x: &Tensor<f32, N, 4>) -> {result} {{ {body} }} }}"
        ))
        .sound()
        .output
        .clone()
    };
    for (name, result, body) in [
        ("loss", "Tensor<f32, N>", "self.l.forward(x).square().mean([1])"),
        ("total_cost", "(Tensor<f32, N, 4>, Tensor<f32, N>)", "(self.l.forward(x), x.sum([1]))"),
    ] {
        let output = output(name, result, body);
        assert!(output.contains(&format!("`{name}` returns `Tensor<f32, N")), "{output}");
        assert!(output.contains(&format!("fn {name}_with_gradients")) && output.contains(".mean_all()"), "{output}");
    }
    // Of a function that is no loss nobody asks.
    assert!(!output("forward", "Tensor<f32, N, 4>", "self.l.forward(x)").contains("forward_with_gradients"));
    assert!(!output("closs", "Tensor<f32, N, 4>", "self.l.forward(x)").contains("closs_with_gradients"));
}
