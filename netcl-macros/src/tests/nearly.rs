//! What is right beside what is refused.

use super::compiled;

#[test]
fn attributes_that_change_nothing_stand_inside() {
    let source = r#"
        #[netcl::constant] const FAST: bool = true;
        #[netcl::function] fn act(#[allow(unused_variables)] x: f32) -> f32 {
            #[allow(unused_mut)] let y = if FAST { x * 2.0 } else { x };
            y
        }
        netcl::kernel! {
            fn rows(x: &Tensor<f32, N>) -> Tensor<f32, N> {
                |n| { #[cfg_attr(test, allow(clippy::all))] let y = if FAST { act(x[n]) } else { x[n] }; y }
            }
            #[launch(global = [N])]
            fn items(x: &Tensor<f32, N>, #[expect(unused)] y: &mut Tensor<f32, N>) {
                let i = global_id(0);
                #[warn(unused)]
                if FAST { y[i] = x[i]; } else { y[i] = 0.0; }
            }
        }
        #[netcl::model] pub struct Net { #[layer(inputs = 8, outputs = 8)] a: Linear }
        #[netcl::model] impl Net {
            pub fn forward(&self, #[allow(unused)] x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 8> {
                /// Text.
                #[rustfmt::skip]
                let h = self.a.forward(x);
                match deep { #[allow(clippy::all)] true => h.relu(), false => h }
            }
            #[cfg(test)] fn own(&self) -> u32 { #[cfg(test)] { 3 } }
        }
    "#;
    compiled(source).sound();
}

#[test]
fn arms_of_which_each_is_for_something() {
    let source = r#"
        #[netcl::model] pub enum Act { Relu, #[layer(inputs = 8, outputs = 8)] Line(Linear) }
        #[netcl::model] impl Act {
            pub fn forward(&self, x: &Tensor<f32, N, 8>, deep: bool, way: usize) -> Tensor<f32, N, 8> {
                let h = match (self, deep) {
                    (Act::Relu, true) => x.relu(),
                    (Self::Line(line), true) => line.forward(x),
                    (Other::Relu | Other::Line(_), false) => x.gelu(),
                    _ => x.exp(),
                };
                let h = match way { 0 => h, 1 if deep => h * 2.0, 1 => h * 3.0, 2..=4 => h * 4.0, 3 | 5 => h, _ => h.exp() };
                match self { Act::Relu => h, Act::Line(_) => h * 2.0, _ => h }
            }
        }
        #[netcl::model] pub struct Net<const R: usize> {
            #[layer(inputs = 8, outputs = 8, bias_init = 0.5)] a: Linear,
            #[layer(inputs = 8, outputs = 8, bias = false, init = normal(0.1), present = R > 0)] b: Option<Linear>,
            act: Act,
        }
        #[netcl::model] impl<const R: usize> Net<R> {
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
                let h = match &self.b { Some(b) => b.forward(x), None => self.a.forward(x) };
                let h = if self.b.is_some() { h * 2.0 } else { h };
                let h = match &self.act { Renamed::Line(_) => h * 2.0, _ => h };
                match self.b.as_ref() { Some(b) => b.forward(h), _ => h }
            }
        }
        #[netcl::model] type One = Net<1>;
    "#;
    compiled(source).sound();
}

#[test]
fn starts_that_are_of_their_types() {
    for field in [
        "#[state(init = 2)] n: Tensor<u32>",
        "#[state(init = 2.0)] n: Tensor<u32, 4>",
        "#[state(init = -2147483648)] n: Tensor<i32>",
        "#[state(init = 4294967295)] n: Tensor<u32>",
        "#[state(init = 9007199254740993)] n: Tensor<i64>",
        "#[state(init = -9223372036854775808)] n: Tensor<i64>",
        "#[state(init = 255)] n: Tensor<u8>",
        "#[state(init = true)] n: Tensor<bool>",
        "#[state(init = 1.0)] n: Tensor<bool, 4>",
        "#[state(init = 0)] n: Tensor<bool>",
        "#[state(init = 65504.0)] n: Tensor<f16>",
        "#[state(init = 1e30)] n: Tensor<bf16, 4>",
        "#[state(init = f32::INFINITY)] n: Tensor<f16>",
        "#[state(init = 1e300)] n: Tensor<f64>",
        "#[state(init = normal(0.5))] n: Tensor<f16, 4>",
        "#[state] n: Tensor<bool>",
    ] {
        let source = format!(
            "#[netcl::model] pub struct Net {{ #[layer(inputs = 8, outputs = 8)] a: Linear, {field} }}
             #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ self.a.forward(x) }} }}"
        );
        compiled(&source).sound();
    }
}

#[test]
fn states_in_lists_are_set_and_closures_with_names_are_mapped() {
    let source = r#"
        #[netcl::model] pub struct Own { #[parameter(init = 1.0)] w: Tensor<f32, 8>, #[layer(inputs = 8, outputs = 8)] l: Linear }
        #[netcl::model] impl Own { pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            let Own { w, l } = self;
            l.forward(x) * w
        } }
        #[netcl::model] pub struct Net {
            #[state(init = 0.0)] s: [Tensor<f32, 8>; 2],
            #[layer(present = true)] own: Option<Own>,
            #[layer(inputs = 8, outputs = 8)] a: Linear,
        }
        #[netcl::model] impl Net {
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
                self.s[1].set(x.mean([0]));
                for i in 0..2 { self.s[i].set(&self.s[i] * 0.5); }
                let Some(Own { w, .. }) = &self.own else { return x };
                let double = |h| self.a.forward(h) * 2.0;
                let sum = |all, h| all + h;
                let all = [x, x * w].map(double);
                all.iter().map(double).fold(x, sum) + &self.s[1]
            }
        }
        #[netcl::model] pub struct Half<const C: usize, const D: usize = C> { #[layer(inputs = C, outputs = D)] c: Linear }
        #[netcl::model] impl<const C: usize, const D: usize> Half<C, D> {
            pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, D> { self.c.forward(x) }
        }
        #[netcl::model] pub struct Same<const C: usize, const G: usize = C> {
            #[layer(inputs = C, outputs = C, kernel = 3, padding = 1, groups = G)] c: Conv1d
        }
        #[netcl::model] impl<const C: usize, const G: usize> Same<C, G> {
            pub fn forward(&self, x: &Tensor<f32, N, C, T>) -> Tensor<f32, N, C, T> { self.c.forward(x) }
        }
        #[netcl::model] pub struct ChosenByBody<A> { #[layer(inputs = 8, outputs = 8)] l: Linear }
        #[netcl::model] impl<A> ChosenByBody<A> {
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { A::forward(self.l.forward(x)) }
        }
        #[netcl::model] pub struct Both { a: Half<4>, c: Half<4, 2>, same: Same<4> }
        #[netcl::model] impl Both {
            pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 2> { self.c.forward(self.a.forward(x)) }
            pub fn depthwise(&self, x: &Tensor<f32, N, 4, T>) -> Tensor<f32, N, 4, T> { self.same.forward(x) }
        }
    "#;
    compiled(source).sound();
}
