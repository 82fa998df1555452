//! What calls say of sizes, in the user's own words: fields of structs, paths of tensors, layers.

use crate::common::{device, everywhere};
use netcl::prelude::*;

#[netcl::tensors]
pub struct Batch {
    pub x: Tensor<f32, N, 4>,
    pub y: Tensor<u32, N>,
}

#[netcl::model]
pub struct Named<const H: usize> {
    #[layer(inputs = 4, outputs = H)]
    l: Linear,
    #[layer(inputs = H, outputs = 3, bias = false)]
    m: Linear,
    #[layer(inputs = 1, outputs = 2, kernel = 3)]
    a: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 2, outputs = 1, kernel = 1)]
    last: Conv2d,
}

#[netcl::model]
impl<const H: usize> Named<H> {
    pub fn loss(&self, b: &Batch, more: &[Tensor<f32, N>; 2]) -> Tensor<f32> {
        self.m.forward(self.l.forward(&b.x).relu()).cross_entropy(&b.y) + (&more[0] + &more[1]).mean_all()
    }

    pub fn hidden(&self, x: &Tensor<f32, N, H>) -> Tensor<f32, N, 3> {
        self.m.forward(x)
    }

    pub fn image(&self, x: &Tensor<f32, N, 1, S, W>) -> Tensor<f32, N> {
        self.last.forward(self.pool.forward(self.a.forward(x)).relu()).mean([1, 2, 3])
    }
}

#[test]
fn names_are_those_that_are_written() -> Result<()> {
    everywhere(|| {
        let (device, model) = (device(), Named::<5>::new(&device(), Seed(1))?);
        let x = |shape: &[usize]| Tensor::full(&device, 1.0f32, shape);
        let said = |result: Result<Tensor>| result.unwrap_err().to_string();
        let batch = Batch { x: x(&[2, 4])?, y: Tensor::full(&device, 0u32, &[3])? };
        let text = said(model.loss(&batch, &[x(&[2])?, x(&[2])?]));
        assert!(text.contains("argument `b.y`") && text.contains("(from `b.x`)"), "{text}");
        let batch = Batch { x: x(&[2, 4])?, y: Tensor::full(&device, 0u32, &[2])? };
        let text = said(model.loss(&batch, &[x(&[2])?, x(&[7])?]));
        assert!(text.contains("argument `more[1]`"), "{text}");
        let text = said(model.hidden(&x(&[2, 6])?));
        assert!(text.contains("(from `m.weight`)"), "{text}");
        Ok(())
    })
}

#[test]
fn a_window_that_does_not_fit_is_the_first_layers() -> Result<()> {
    everywhere(|| {
        let (device, model) = (device(), Named::<5>::new(&device(), Seed(1))?);
        let said = |shape: &[usize]| -> Result<String> {
            Ok(model.image(&Tensor::full(&device, 1.0f32, shape)?).unwrap_err().to_string())
        };
        let text = said(&[1, 1, 2, 9])?;
        assert!(text.contains("`a`: a window of 3 does not fit into S = 2"), "{text}");
        let text = said(&[1, 1, 9, 3])?;
        assert!(text.contains("`pool`: a window of 2 does not fit into W - 2 = 1"), "{text}");
        Ok(())
    })
}
