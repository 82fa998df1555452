//! Gradients added, multiplied and kept below a norm, between a loss and the optimizer's step.

use super::settings::not_negative;
use crate::error::Result;
use crate::model::Gradients;
use crate::model::gradients::ADD;
use crate::tensor::Tensor;

/// What is added to a norm before something is divided by it, as PyTorch's `clip_grad_norm_` does.
const EPSILON: f64 = 1e-6;

impl Gradients {
    /// The sums, parameter by parameter: those of several batches become those of one step. What has a gradient in one of the two has
    /// one in the sum, which is of the same part of the model as `self`: of gradients of a larger part those of this part are added.
    /// The other may be of a model or a part with the same paths and shapes (of two towers the other one), or of a part of this one,
    /// whose others stay as they are. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Mismatch`] and [`crate::Error::DeviceMismatch`] if they are of models with other parameters, or on another
    /// device, or one of the two was unscaled; [`crate::Error::OutOfMemory`].
    #[track_caller]
    pub fn add(&self, other: &Gradients) -> Result<Gradients> {
        if self.is_unscaled() != other.is_unscaled() {
            let problem = "`GradScaler::unscale` has given one of the two, and the other has its loss's scale; unscale both, or neither"
                .to_owned();
            return Err(crate::Error::Mismatch { operation: ADD.to_owned(), problem });
        }
        self.plus(other)
    }

    /// Each multiplied by `factor`: by 0.25 after four batches were added up, to have their mean. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if `factor` is no finite number of `f32`; [`crate::Error::OutOfMemory`].
    #[track_caller]
    pub fn scaled(&self, factor: f64) -> Result<Gradients> {
        if !(factor as f32).is_finite() {
            return Err(crate::Error::Setting {
                operation: "Gradients::scaled".to_owned(),
                setting: "factor",
                given: factor.to_string(),
                accepted: "a finite number of `f32`",
            });
        }
        self.with_values(&(&self.flat() * factor))
    }

    /// The root of the sum of all squares, f32 without axes. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`].
    #[track_caller]
    pub fn norm(&self) -> Result<Tensor> {
        let own = self.flat_part("Gradients::norm")?;
        own.mul(&own).sum([0]).sqrt().check()
    }

    /// Each multiplied by `most / (norm + 1e-6)` where [`Gradients::norm`] is larger than that, as PyTorch's `clip_grad_norm_`;
    /// gradients whose norm is not finite are NaN or zero then. Does not wait for the device.
    ///
    /// ```
    /// # use netcl::prelude::*;
    /// # #[netcl::model]
    /// # pub struct Line { #[layer(inputs = 1, outputs = 1)] line: Linear }
    /// # #[netcl::model]
    /// # impl Line {
    /// #     pub fn loss(&self, x: &Tensor<f32, N, 1>) -> Tensor<f32> { self.line.forward(x).square().sum_all() }
    /// # }
    /// # let device = Device::host();
    /// # let mut model = Line::new(&device, Seed(1))?;
    /// # let mut optimizer = Sgd::new(0.1);
    /// # let x = Tensor::from_slice(&device, &[3.0f32, 4.0], &[2, 1])?;
    /// let (loss, gradients) = model.loss_with_gradients(&x)?;
    /// optimizer.step(&mut model, &gradients.clip_norm(1.0)?)?;
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if `most` is negative or not finite; [`crate::Error::OutOfMemory`].
    #[track_caller]
    pub fn clip_norm(&self, most: f64) -> Result<Gradients> {
        not_negative("Gradients::clip_norm", "most", most)?;
        let divisor = self.norm()? + EPSILON;
        let limit = Tensor::scalar(self.device(), most as f32)?;
        let factor = limit.div(&divisor).apply("minimum", &[1.0.into()]);
        self.with_values(&self.flat().mul(&factor))
    }
}
