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
