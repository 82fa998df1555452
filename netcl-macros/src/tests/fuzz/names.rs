//! Names, several at once: whatever parts of items are called, they compile, as long as no two that Rust keeps apart meet.

use super::super::names::{WORDS, ident};
use super::{Draw, judged, tried};
use crate::foreign;
use crate::lower::is_builtin;
use crate::tests::compiled;
use quote::ToTokens;

/// Different words, as identifiers, but for those that the items call; those that name sizes are none of Rust's keywords, and
/// functions of scalars, the last, begin with no capital and are none of netcl's or OpenCL C's.
fn words<const COUNT: usize>(draw: &mut Draw, plain: &[usize]) -> [String; COUNT] {
    let mut taken: Vec<String> = ["sum", "max", "barrier", "global_id", "local_id"].map(String::from).into();
    let called = taken.len();
    while taken.len() < called + COUNT {
        let word = draw.of(&WORDS);
        let suffix = draw.word("- - - - _1 _2 0 _").replace('-', "");
        let name = format!("{word}{suffix}");
        let raw = syn::parse_str::<syn::Ident>(&name).is_err();
        let text = ident(&name).to_token_stream().to_string();
        let place = taken.len() - called;
        let taken_there = name.starts_with(char::is_uppercase) || is_builtin(&name) || foreign::device(&name).is_some();
        let unfit = raw && plain.contains(&place) || taken_there && place + 1 == COUNT;
        if !unfit && !taken.contains(&text) {
            taken.push(text);
        }
    }
    taken.drain(..called);
    taken.try_into().unwrap_or_else(|_| unreachable!("as many as asked for"))
}

/// No error at all.
fn sound(draw: &Draw, source: &str) -> Result<bool, String> {
    if judged(draw, source)? { Ok(true) } else { Err(format!("says {:?}", compiled(source).errors())) }
}

#[test]
fn models() {
    tried("names of models", 8, |draw| {
        let [model, field, weight, list, x, y, h, n, function, loss, scalar, own] = words(draw, &[7]);
        let source = format!(
            "#[netcl::function] fn {own}({x}: f32, {y}: f32) -> f32 {{ let {h} = {x} * {y}; {h}.max(0.0) }}
            #[netcl::model] pub struct {model} {{
                #[layer(inputs = 8, outputs = 8)] {field}: Linear,
                #[layer(inputs = 8, outputs = 8)] {list}: [Linear; 2],
                #[parameter(init = 0.5)] {weight}: Tensor<f32, 8>,
            }}
            #[netcl::model] impl {model} {{
                pub fn {function}(&self, {x}: &Tensor<f32, {n}, 8>, {y}: &Tensor<f32, {n}, 8>, {scalar}: f32) -> Tensor<f32, {n}, 8> {{
                    let {h} = self.{field}.forward({x} / 255.0) * {y} + &self.{weight};
                    let mut {y} = {h} * {scalar};
                    for {x} in &self.{list} {{ {y} = {own}({x}.forward(&{y}), {scalar}); }}
                    {y}
                }}
                pub fn {loss}(&self, {x}: &Tensor<f32, {n}, 8>, {y}: &Tensor<f32, {n}, 8>) -> Tensor<f32> {{
                    let {h} = self.{function}({x}, {y}, 0.5);
                    ({h}.softmax(-1) * {x}).matmul(({y} * 0.5).t()).square().mean_all()
                }}
            }}"
        );
        sound(draw, &source)
    });
}

#[test]
fn kernels() {
    tried("names of kernels", 30, |draw| {
        let [first, second, x, y, s, i, j, k, n, m, near, own] = words(draw, &[8, 9]);
        let source = format!(
            "#[netcl::function] fn {own}({x}: f32, {y}: f32) -> f32 {{ let {i} = {x} * {y}; {i}.max(0.0) }}
            netcl::kernel! {{
                pub fn {first}({x}: &Tensor<f32, {n}, {m}>, {y}: &Tensor<f32, {m}>, {s}: f32) -> Tensor<f32, {n}, {m}> {{
                    |{i}, {j}| {{
                        let {near} = max(0..{m}, |{k}| {x}[{i}, {k}]);
                        {own}({x}[{i}, {j}], {s}) * {y}[{j}] + sum(0..{n}, |{k}| {x}[{k}, {j}] - {near})
                    }}
                }}
                #[launch(global = [{n}], local = [16])]
                pub fn {second}({x}: &Tensor<f32, {n}, {m}>, {s}: f32, {y}: &mut Tensor<f32, {n}>) {{
                    let mut {near} = local!([f32; 16]);
                    let ({i}, {j}) = (global_id(0), local_id(0));
                    {near}[{j}] = 0.0;
                    for {k} in 0..{m} {{ {near}[{j}] += {own}({x}[({i}, {k})], {s}); }}
                    barrier();
                    {y}[{i}] = {near}[15 - {j}];
                }}
            }}"
        );
        sound(draw, &source)
    });
}
