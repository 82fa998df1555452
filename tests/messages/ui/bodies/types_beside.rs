//! `#[types(..)]` that says no list of types: nothing is said of the body.

#[netcl::model]
pub struct A {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    #[types(T = f32)]
    pub fn one(&self, x: &Tensor<T, N, 4>) -> Tensor<T, N, 4> {
        x * 2
    }

    #[types(T = [float32, half])]
    pub fn foreign(&self, x: &Tensor<T, N, 4>) -> Tensor<T, N, 4> {
        x * 2
    }
}

#[netcl::function]
#[types(T = f32)]
fn function(x: &Tensor<T, N, 4>) -> Tensor<T, N, 4> {
    x * 2
}

netcl::kernel! {
    #[types(T = f32)]
    fn kernel(x: &Tensor<T, N>) -> Tensor<T, N> {
        |n| x[n] + x[n]
    }
}

fn main() {}
