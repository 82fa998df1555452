//! The scale of a loss whose gradients are in halves.

use crate::optim::{Optimizer, ROW, ScalerState, Scaling};
use crate::{Device, Gradients, Model, Result, Tensor};
use netcl_runtime::__private::{ScalingRules, accept};

/// A scale for losses, as `torch.amp.GradScaler`: gradients in `f16` that would be rounded to zero are multiplied by it and stay; where
/// they are too large for `f16` then, the step is not made and the scale becomes smaller.
///
/// The loss is multiplied by [`GradScaler::factor`], and the gradients go to [`GradScaler::step`], which divides them by it. Of a step
/// with an infinite gradient or NaN nothing changes: no parameter, no moment, and Adam does not count it. Nobody waits for
/// the device, in a [`Device::record`] either: it knows the scale, which starts at 65536, is halved by
/// [`GradScaler::update`] after a step that was not made, and doubled after 2000 in a row that were.
///
/// ```
/// use netcl::optim::GradScaler;
/// use netcl::prelude::*;
///
/// #[netcl::model]
/// pub struct Line {
///     #[layer(inputs = 2, outputs = 1)]
///     line: Linear,
/// }
///
/// #[netcl::model]
/// impl Line {
///     /// What is differentiated, and the loss itself.
///     pub fn loss(&self, x: &Tensor<f32, N, 2>, y: &Tensor<f32, N, 1>, scale: &Tensor<f32>) -> (Tensor<f32>, Tensor<f32>) {
///         let loss = self.line.forward(x).mse_loss(y);
///         (&loss * scale, loss)
///     }
/// }
///
/// let device = Device::auto()?;
/// let (mut model, mut optimizer) = (Line::new(&device, Seed(1))?, AdamW::new(1e-2));
/// let mut scaler = GradScaler::new(&device)?;
/// let x = Tensor::from_slice(&device, &[0.1f32, 0.9, 0.4, 0.7], &[2, 2])?;
/// let y = Tensor::from_slice(&device, &[1.0f32, -1.0], &[2, 1])?;
/// for _ in 0..3 {
///     let ((_, loss), gradients) = model.loss_with_gradients(&x, &y, scaler.factor())?;
///     scaler.step(&mut optimizer, &mut model, &gradients)?;
///     scaler.update()?;
/// #   let _ = loss;
/// }
/// assert_eq!(scaler.state()?.good_steps, 3);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// Gradients of several batches are added ([`Gradients::add`]) and stepped as those of one. Before their norm is asked for or kept small
/// they are divided by the scale: `scaler.unscale(&gradients)?.clip_norm(1.0)?` goes to [`GradScaler::step`] as well. One scaler
/// is for any number of optimizers, each with a `step`, and then one `update`.
#[derive(Debug)]
pub struct GradScaler {
    growth_factor: f64,
    backoff_factor: f64,
    growth_interval: u32,
    scaling: Scaling,
}

impl GradScaler {
    /// With PyTorch's defaults, for losses on that device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`]; [those of every device](crate::Error#errors-of-every-device).
    pub fn new(device: &Device) -> Result<GradScaler> {
        let state = ScalerState { scale: 65536.0, good_steps: 0 };
        let scaling = Scaling::new(device, ScalingRules { check, advance }, ROW, state)?;
        Ok(GradScaler { growth_factor: 2.0, backoff_factor: 0.5, growth_interval: 2000, scaling })
    }

    /// Starts with another scale than 65536.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if it is no positive number of `f32`.
    #[doc(alias = "init_scale")]
    pub fn initial_scale(self, scale: f64) -> Result<GradScaler> {
        self.scaling.set_state(&ScalerState { scale, good_steps: 0 })?;
        Ok(self)
    }

    /// By what the scale is multiplied after enough steps that were made; by default 2.
    #[must_use]
    pub fn growth_factor(self, factor: f64) -> GradScaler {
        GradScaler { growth_factor: factor, ..self }
    }

    /// By what it is multiplied after a step that was not made; by default 0.5.
    #[must_use]
    pub fn backoff_factor(self, factor: f64) -> GradScaler {
        GradScaler { backoff_factor: factor, ..self }
    }

    /// After how many steps in a row that were made it grows; by default 2000.
    #[must_use]
    pub fn growth_interval(self, steps: u32) -> GradScaler {
        GradScaler { growth_interval: steps, ..self }
    }

    /// The scale, f32 without axes, to multiply a loss by. It is a view: it changes with [`GradScaler::update`].
    #[doc(alias = "get_scale")]
    pub fn factor(&self) -> &Tensor {
        self.scaling.scale()
    }

    /// The loss multiplied by the scale, in `f32`, for its `backward`.
    ///
    /// ```
    /// use netcl::nn::{Layers, Mode};
    /// use netcl::optim::GradScaler;
    /// use netcl::prelude::*;
    /// let device = Device::host();
    /// let mut layers = Layers::new();
    /// layers.add("line", "Linear", &[("inputs", 2.into()), ("outputs", 1.into())])?;
    /// let mut net = layers.build(&device, Seed(1))?;
    /// let (mut optimizer, mut scaler) = (Sgd::new(0.1), GradScaler::new(&device)?);
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
    /// let loss = net.forward("line", &[&x], Mode::Training).square().sum_all();
    /// let gradients = scaler.scale(&loss).backward()?.of(&net)?;
    /// scaler.step(&mut optimizer, &mut net, &gradients)?;
    /// scaler.update()?;
    /// # Ok::<(), netcl::Error>(())
    /// ```
    #[track_caller]
    #[doc(alias = "scale_loss")]
    pub fn scale(&self, loss: &Tensor) -> Tensor {
        let loss = if loss.dtype().is_float() && loss.dtype() != crate::DType::F32 {
            loss.cast(crate::DType::F32)
        } else {
            loss.clone()
        };
        loss.mul(self.factor())
    }

    /// The gradients divided by the scale, to be looked at or kept below a norm; [`GradScaler::step`] takes them, too. Does not wait for
    /// the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`]; [`crate::Error::DeviceMismatch`] if they are on another device.
    #[track_caller]
    pub fn unscale(&self, gradients: &Gradients) -> Result<Gradients> {
        self.scaling.unscale(gradients)
    }

    /// A step of the optimizer by gradients of the scaled loss, unless one of them is not finite. Does not wait for the device with
    /// netcl's optimizers.
    ///
    /// # Errors
    ///
    /// Those of [`Optimizer::step`]; [`crate::Error::DeviceMismatch`] if the model is on another device.
    pub fn step(&mut self, optimizer: &mut dyn Optimizer, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        optimizer.step_scaled(model, gradients, &self.scaling)
    }

    /// Has the scale follow what the gradients of the steps since the last update were; where there was no step, nothing changes, as
    /// in a round without a batch. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if the growth factor is not above 1, the backoff factor not between 0 and 1, or the interval 0 or 2^24 and more;
    /// the scale stays then. [Those of every device](crate::Error#errors-of-every-device).
    pub fn update(&mut self) -> Result<()> {
        let GradScaler { growth_factor: growth, backoff_factor: backoff, growth_interval: interval, .. } = *self;
        let name = "grad_scaler";
        let fits = growth > 1.0 && (growth as f32).is_finite();
        accept(name, "growth_factor", growth, fits, "a number above 1 of `f32`")?;
        let fits = backoff > 0.0 && backoff < 1.0;
        accept(name, "backoff_factor", backoff, fits, "a number above 0 and below 1")?;
        let fits = (1..1 << f32::MANTISSA_DIGITS).contains(&interval);
        accept(name, "growth_interval", interval, fits, "at least 1 step and fewer than 2^24")?;
        self.scaling.advance(&[growth, backoff, f64::from(interval)])
    }

    /// The scale, and how many steps in a row were made since it changed. Waits for the device.
    ///
    /// # Errors
    ///
    /// What has failed before, as [`Device::finish`] tells it.
    #[doc(alias = "state_dict")]
    pub fn state(&self) -> Result<ScalerState> {
        self.scaling.known()
    }

    /// Goes on from that state; the factors and the interval stay.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if its scale is no positive number of `f32`, or its steps are 2^24 or more.
    #[doc(alias = "load_state_dict")]
    pub fn set_state(&mut self, state: &ScalerState) -> Result<()> {
        self.scaling.set_state(state)
    }
}

/// 1 for what is infinite or NaN.
#[netcl::function]
fn not_finite(x: f32) -> f32 {
    if x.is_finite() { 0.0 } else { 1.0 }
}

netcl_macros::__rules! {
    /// Whether a gradient is not finite, how many steps were skipped then, and what was seen since the last update: 1 where all were
    /// finite, 2 where one was not.
    pub(super) fn check(
        g: &Tensor<f32, R, { ROW }>,
        skipped: &Tensor<f32>,
        seen: &Tensor<f32>,
    ) -> (Tensor<f32>, Tensor<f32>, Tensor<f32>) {
        || {
            let found = max(0..R, |r| max(0..ROW, |i| not_finite(g[r, i])));
            (found, skipped + found, max(seen, 1.0 + found))
        }
    }

    /// The next `[scale, good steps]`. The scale stays a number: it does not grow to infinity, or become zero.
    pub(super) fn advance(
        state: &Tensor<f32, 2>,
        seen: &Tensor<f32>,
        growth: f32,
        backoff: f32,
        interval: f32,
    ) -> Tensor<f32, 2> {
        |i| {
            let (scale, good) = (state[0], state[1] + min(seen, 1.0));
            let grown = if (scale * growth).is_finite() { scale * growth } else { scale };
            let less = max(scale * backoff, 1.2e-38);
            let grows = good >= interval && seen > 0.0;
            let next = if seen > 1.0 { less } else if grows { grown } else { scale };
            let steps = if seen > 1.0 || grows { 0.0 } else { good };
            if i == 0 { next } else { steps }
        }
    }
}
