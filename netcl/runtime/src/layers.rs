//! Layers as types: what a type parameter of a model is given, `Block<64, LayerNorm, Gelu>`.
//!
//! A layer in a field needs none of these: `#[netcl::model]` knows it by its name.

use crate::model::module::{ModuleField, add_layer};
use crate::model::{Gradients, ModelCore, Module, Schema};

macro_rules! layers {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("The layer `", stringify!($name), "`, where a model takes a type.")]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}

            impl Module for $name {
                type Held = ();
                type Gradients = Gradients;

                fn add_to(schema: &mut Schema, field: &ModuleField<'_>) {
                    add_layer(schema, stringify!($name), field);
                }

                fn hold(_: &ModelCore, _: &str) {}

                fn gradients_of(all: &Gradients, prefix: &str) -> Gradients {
                    all.part(prefix)
                }
            }
        )*

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

layers! {
    Linear Conv2d Conv1d ConvTranspose2d MaxPool2d AvgPool2d Upsample BatchNorm LayerNorm GroupNorm RmsNorm Dropout Embedding Flatten SelfAttention
    Relu LeakyRelu Gelu Silu Sigmoid Tanh Identity
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_layer_is_a_type() {
        let all: Vec<&str> = netcl_kernels::layers::all().iter().map(|layer| layer.name).collect();
        assert_eq!(super::NAMES, all);
    }
}
