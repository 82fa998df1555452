//! Functions of a block that are ordinary Rust by their signatures: one error each, and nothing of what is in them.

use super::compiled;

/// The errors of a block that has this function beside a loss.
fn said(function: &str) -> Vec<String> {
    crate_of(function).errors()
}

fn crate_of(function: &str) -> super::Crate {
    compiled(&format!(
        "#[netcl::model] pub struct Net {{ #[layer(inputs = 4, outputs = 3)] head: Linear, #[state(init = 0.0)] mean: Tensor<f32, 4> }}
         #[netcl::model] impl Net {{
             pub fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {{
                 self.head.forward(x).cross_entropy(labels)
             }}
             {function} }}"
    ))
}

#[test]
fn a_function_of_ordinary_rust_is_one_mistake() {
    let step = "let (loss, gradients) = self.loss_with_gradients(x, labels)?; optimizer.step(self, &gradients)?;";
    for (function, found, sized) in [
        (
            format!(
                "pub fn train(&mut self, optimizer: &mut Adam, x: &Tensor, labels: &Tensor) -> Result<f32> {{ {step} loss.item::<f32>() }}"
            ),
            "`train` takes `&mut self`",
            false,
        ),
        (
            format!(
                "pub fn train(&mut self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>, optimizer: &mut Adam) -> Tensor<f32> {{ {step} loss }}"
            ),
            "`train` takes `&mut self`",
            true,
        ),
        (
            format!("fn step<O: Optimizer>(&self, optimizer: &mut O, x: &Tensor, labels: &Tensor) {{ {step} }}"),
            "`step` takes `&mut O`",
            false,
        ),
        (
            "fn accuracy(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Result<f32> {
                 let loss = self.loss(x, labels)?; println!(\"{loss}\"); loss.item::<f32>() }"
                .to_string(),
            "`accuracy` returns `Result<f32>`",
            true,
        ),
        (
            "fn best(&mut self, x: &Tensor) -> f32 { self.loss(x, x).unwrap().item().unwrap() }".to_string(),
            "`best` takes `&mut self`",
            false,
        ),
        (
            "fn critic(&mut self, x: &Tensor, optimizer: &mut Sgd) -> Result<()> {
                 let (_, g) = self.head.loss_with_gradients(x)?; optimizer.step(&mut self.head, &g) }"
                .to_string(),
            "`critic` takes `&mut self`",
            false,
        ),
    ] {
        let errors = said(&function);
        let [error] = errors.as_slice() else { panic!("{function}: {errors:#?}") };
        let whole = format!(
            "{found}, as ordinary Rust does, and functions of this block are compiled to kernels\n\
             hint: put it into a plain `impl Net {{ .. }}`, or write `#[netcl::dynamic]` above it"
        );
        assert!(error.starts_with(&whole), "{function}: {error}");
        assert_eq!(error.contains("no sizes: `&Tensor`"), sized, "{error}");
    }
    let own = said("#[netcl::dynamic] fn fit(&mut self, x: &Tensor<f32, N, 4>) -> Result<()> { Ok(()) }");
    let hint =
        "`impl Net { .. }`, or keep `#[netcl::dynamic]` above it; either way its tensors have no sizes: `&Tensor`";
    assert!(own.len() == 1 && own[0].contains(hint), "{own:#?}");
}

/// Others call it as it is written, a body with `?` as what may fail.
#[test]
fn its_signature_stays() {
    let text = |function: &str| crate_of(function).output.replace([' ', '\n'], "");
    let train = text(
        "pub fn train(&mut self, optimizer: &mut Adam, x: &Tensor<f32, N, 4>) -> Tensor<f32> { self.loss(x, x)? }",
    );
    assert!(
        train.contains("pubfntrain(&mutself,_:&mutAdam,_:&::netcl::Tensor)->::netcl::Result<::netcl::Tensor>"),
        "{train}"
    );
    let own = text("pub fn fit(&mut self, optimizer: &mut Adam, x: &Tensor) -> Result<f32> { Ok(1.0) }");
    assert!(own.contains("pubfnfit(&mutself,_:&mutAdam,_:&::netcl::Tensor)->Result<f32>"), "{own}");
    for output in [train, own] {
        assert!(output.contains("fnloss_with_gradients") && !output.contains("__netcl_of_rust"), "{output}");
    }
}

/// One slip in a function that goes on with layers is what it is.
#[test]
fn a_slip_in_a_compiled_function_is_not_taken_for_ordinary_rust() {
    for (function, said_instead) in [
        ("fn f(&mut self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> { self.head.forward(x) }", "write `&self`"),
        ("fn f(&mut self, x: &Tensor<f32, 4>) -> Tensor<f32, 4> { self.mean.set(x); x * 2.0 }", "write `&self`"),
        (
            "fn f(&self, x: &Tensor<f32, N, 4>) -> Result<Tensor<f32, N, 3>> { Ok(self.head.forward(x)) }",
            "write `-> Tensor<f32, N, 3>`",
        ),
        (
            "fn f(&self, x: &Tensor<f32, N, 4>) -> Result<Tensor<f32, N, 4>> { Ok(x.relu()) }",
            "write `-> Tensor<f32, N, 4>`",
        ),
        (
            "fn f(&self, x: &Tensor<f32, N, 4>, y: &mut Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { x + y }",
            "an argument of a compiled function cannot be",
        ),
        (
            "fn f(&self, x: &Tensor<f32, N, 4>, s: &mut State) -> Tensor<f32, N, 3> { self.head.forward(x) }",
            "an argument of a compiled function cannot be",
        ),
    ] {
        let errors = said(function);
        let is_said = errors.iter().any(|error| error.contains(said_instead));
        assert!(
            is_said && errors.iter().all(|error| !error.contains("as ordinary Rust does")),
            "{function}: {errors:#?}"
        );
    }
}
