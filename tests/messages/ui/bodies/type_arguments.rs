//! Type arguments in paths say nothing here, but of a model with parameters.

use netcl::prelude::*;

#[netcl::function]
fn sq(x: f32) -> f32 {
    x * x
}

#[netcl::function]
fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x + x
}

#[netcl::model]
pub struct Scale<const C: usize> {
    #[layer(inputs = C, outputs = C)]
    inner: Linear,
}

#[netcl::model]
impl<const C: usize> Scale<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.inner.forward(x)
    }

    pub fn twice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x * 2.0
    }
}

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
    scale: Scale<4>,
}

#[netcl::model]
impl Mlp {
    fn helper(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.relu()
    }

    pub fn of_type(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x) + Tensor::<f16>::zeros([N, 4])
    }

    pub fn of_no_type(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x) + Tensor::<Backend>::ones([N, 4])
    }

    pub fn of_a_function(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Self::helper::<4>(self.hidden.forward(x))
    }

    pub fn of_a_list(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut all = Vec::<u8>::new();
        all.push(self.hidden.forward(x));
        all[0]
    }

    pub fn of_an_option(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let y = Some::<u8>(x);
        self.hidden.forward(y.unwrap())
    }

    pub fn of_a_method(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x).relu::<f32>()
    }

    pub fn of_functions_beside(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        sq::<f16>(twice::<f64>(x))
    }

    pub fn on_a_model(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.helper(x)
    }

    pub fn on_another(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.scale.twice(x)
    }

    pub fn without_parameters(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Scale::twice(x)
    }

    pub fn missing(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Scale::<4>::thrice(x)
    }

    pub fn made(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Linear::new(4, 4).forward(x)
    }

    pub fn sound(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut all = Vec::<_>::new();
        all.push(Mlp::helper(Scale::<4>::twice(x)));
        all[0] + Some::<Tensor>(x).unwrap()
    }
}

netcl::kernel! {
    fn of_an_element(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| exp::<f64>(x[n])
    }

    fn of_a_sum(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum::<f64>(0..C, |c| x[n, c])
    }
}

fn main() {}
