//! Gradients through kernels that users have written.

use super::{Case, Checked};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, Custom, CustomInput, CustomResult, NodeId, UnaryOp};
use netcl_kernels::{kir, philox};
use std::sync::Arc;

/// A kernel of a user that takes `inputs` of `N` numbers and gives `results` of as many.
fn custom(name: &str, [inputs, results]: [&[&str]; 2], body: &str, gradient: Option<Custom>) -> Custom {
    let (shape, dtype) = (Shape(vec![Dim::symbol("N")]), DType::F64);
    let param = |name: &&str, access: &str| format!("param {name}: {access} f64\n");
    let params = inputs.iter().map(|name| param(name, "read")).chain(results.iter().map(|name| param(name, "write")));
    let params: String = params.collect();
    let text = format!("kernel {name}\nlaunch [N]\n{params}var i: u32\nlet $i = global_id.0\n{body}");
    let input = |name: &&str| CustomInput { name: name.to_string(), dtype, shape: Some(shape.clone()) };
    let result = |name: &&str| CustomResult { name: name.to_string(), dtype, shape: shape.clone() };
    Custom {
        name: name.into(),
        symbols: vec![Symbol::new("N")],
        inputs: inputs.iter().map(input).collect(),
        results: results.iter().map(result).collect(),
        kernels: vec![kir::text::parse(&text).unwrap()],
        gradient: gradient.map(Arc::new),
        derivative: None,
    }
}

/// With the gradients that they name, of all results, of the first, and of another one alone.
pub(super) fn kernels_of_users() -> Vec<Checked> {
    let slopes = "store @dx[$i] = add(mul(mul(load @x[$i], 2.0f64), load @dy[$i]), mul(load @dz[$i], load @w[$i]))\n\
                  store @dw[$i] = mul(load @dz[$i], load @x[$i])\n";
    let gradient = custom("slopes", [&["x", "w", "dy", "dz"], &["dx", "dw"]], slopes, None);
    let values = "store @y[$i] = mul(load @x[$i], load @x[$i])\nstore @z[$i] = mul(load @x[$i], load @w[$i])\n";
    let kernel = Arc::new(custom("values", [&["x", "w"], &["y", "z"]], values, Some(gradient)));
    let mut checked = Vec::new();
    for (what, both) in [("both results", [true, true]), ("the first", [true, false]), ("another", [false, true])] {
        let mut case = Case::new();
        let values: Vec<f64> = (0..12).map(|i| f64::from(philox::uniform(5, 0, i)) + 0.5).collect();
        let x = case.given(Shape::of(&[12]), &[12], DType::F64, &values);
        let w = case.given(Shape::of(&[12]), &[12], DType::F64, &values[..6].repeat(2));
        let x = case.builder.unary(UnaryOp::Sin, x).unwrap();
        let results = case.builder.custom(&kernel, &[Dim::from(12)], &[x, w]).unwrap();
        let used: Vec<NodeId> = results.into_iter().zip(both).filter(|(_, used)| *used).map(|(id, _)| id).collect();
        let y = match used[..] {
            [y, z] => case.builder.binary(BinaryOp::Mul, y, z).unwrap(),
            _ => case.builder.unary(UnaryOp::Exp, used[0]).unwrap(),
        };
        checked.push(case.of(what, y, false));
    }
    checked
}
