//! Adam and AdamW.

use crate::optim::{Optimizer, OptimizerState, ParameterGroup, ROW, Scaling, kept};
use crate::{Gradients, Model, Result};
use netcl_runtime::__private::{Progress, Rules, Update, accept, not_negative, squares};

/// Adam (Kingma and Ba, 2015), as `torch.optim.Adam`:
///
/// ```text
/// g ← g + weight_decay · p
/// m ← β₁·m + (1 - β₁)·g              v ← β₂·v + (1 - β₂)·g²
/// p ← p - lr / (1 - β₁ᵗ) · m / (√v / √(1 - β₂ᵗ) + ε)
/// ```
///
/// `t` counts the steps that stepped the parameter: one that a loss does not depend on is left out of its step, as in PyTorch one without
/// a gradient is. What has another `t` than its neighbours is stepped by a launch of its own.
///
/// A learning rate, epsilon or decay that is negative or no number, and betas outside of `0.0..1.0`, are errors of
/// [`Optimizer::step`], which then changes nothing.
#[derive(Debug)]
pub struct Adam(Moments);

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as `torch.optim.AdamW`: [`Adam`] after
/// `p ← p · (1 - lr · weight_decay)`, without decay in the gradient.
#[derive(Debug)]
pub struct AdamW(Moments);

/// In place of the logarithm of 0: no power of e^this is other than 0.
const NO_BETA: f64 = -1e6;

#[derive(Debug)]
struct Moments {
    betas: (f64, f64),
    epsilon: f64,
    weight_decay: f64,
    update: Update,
}

impl Moments {
    fn new(weight_decay: f64, update: Update) -> Moments {
        Moments { betas: (0.9, 0.999), epsilon: 1e-8, weight_decay, update }
    }

    fn check(&self) -> Result<()> {
        let name = self.update.name();
        not_negative(name, "epsilon", self.epsilon)?;
        not_negative(name, "weight_decay", self.weight_decay)?;
        for beta in [self.betas.0, self.betas.1] {
            accept(name, "betas", beta, (0.0..1.0).contains(&beta), "numbers from 0 on and below 1")?;
        }
        Ok(())
    }

    /// `decay` is what the formula takes for weight decay, at a learning rate and such a decay.
    fn step(
        &mut self,
        model: &mut dyn Model,
        gradients: &Gradients,
        scaling: Option<&Scaling>,
        decay: impl Fn(f64, f64) -> f64 + Send + 'static,
    ) -> Result<()> {
        self.check()?;
        let ((first, second), epsilon) = (self.betas, self.epsilon);
        let mixing = [first, 1.0 - first, second, 1.0 - second];
        let weight_decay = self.weight_decay;
        if scaling.is_none() {
            let scalars = move |Progress { learning_rate, steps }, weight_decay| {
                let [keep_1, take_1, keep_2, take_2] = mixing;
                let step_size = learning_rate / (1.0 - first.powi(steps));
                let correction = (1.0 - second.powi(steps)).sqrt();
                let decay = decay(learning_rate, weight_decay);
                [decay, keep_1, take_1, keep_2, take_2, step_size, correction, epsilon]
            };
            return self.update.step(model, gradients, None, weight_decay, scalars);
        }
        // The device knows how many of the steps were made.
        let scalars = move |Progress { learning_rate, steps }, weight_decay| {
            let [keep_1, take_1, keep_2, take_2] = mixing;
            let [log_1, log_2] = [first, second].map(|beta| beta.ln().max(NO_BETA));
            let decay = decay(learning_rate, weight_decay);
            [decay, keep_1, take_1, keep_2, take_2, learning_rate, f64::from(steps), log_1, log_2, epsilon]
        };
        self.update.step(model, gradients, scaling, weight_decay, scalars)
    }

    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()> {
        squares(self.update.name(), state, 1)?;
        self.update.set_state(model, state, 2)
    }
}

macro_rules! builders {
    ($($name:ident),*) => {$(
        impl $name {
            /// The decay rates of the two moments; by default 0.9 and 0.999.
            pub fn betas(mut self, first: f64, second: f64) -> Self {
                self.0.betas = (first, second);
                self
            }

            /// Added to the denominator; by default 1e-8.
            pub fn epsilon(mut self, epsilon: f64) -> Self {
                self.0.epsilon = epsilon;
                self
            }

            /// The weight decay.
            pub fn weight_decay(mut self, decay: f64) -> Self {
                self.0.weight_decay = decay;
                self
            }

            /// Steps the parameters in the field of that path, `head` or `encoder.norm`, or in the fields with `#[group(NAME)]` of that
            /// name, by settings of their own; where paths hold each other, the longest counts, and a field comes before a group of
            /// its name.
            pub fn group(mut self, path: &str, group: ParameterGroup) -> Self {
                self.0.update.group(path, group);
                self
            }
        }
    )*};
}

builders!(Adam, AdamW);

impl Adam {
    /// With PyTorch's defaults and no weight decay.
    pub fn new(learning_rate: f64) -> Adam {
        Adam(Moments::new(0.0, Update::new("adam", ROW, 2, Rules { plain: adam, scaled: adam_scaled }, learning_rate)))
    }
}

impl AdamW {
    /// With PyTorch's defaults: a weight decay of 0.01.
    pub fn new(learning_rate: f64) -> AdamW {
        AdamW(Moments::new(
            0.01,
            Update::new("adamw", ROW, 2, Rules { plain: adamw, scaled: adamw_scaled }, learning_rate),
        ))
    }
}

impl Optimizer for Adam {
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        self.0.step(model, gradients, None, |_, decay| decay)
    }

    fn step_scaled(&mut self, model: &mut dyn Model, gradients: &Gradients, scaling: &Scaling) -> Result<()> {
        self.0.step(model, gradients, Some(scaling), |_, decay| decay)
    }

    fn learning_rate(&self) -> f64 {
        self.0.update.progress().learning_rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.0.update.set_learning_rate(rate);
    }

    fn state(&self, model: &dyn Model) -> Result<OptimizerState> {
        self.0.update.state(model)
    }

    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()> {
        self.0.set_state(model, state)
    }
}

impl Optimizer for AdamW {
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        self.0.step(model, gradients, None, |rate, decay| 1.0 - rate * decay)
    }

    fn step_scaled(&mut self, model: &mut dyn Model, gradients: &Gradients, scaling: &Scaling) -> Result<()> {
        self.0.step(model, gradients, Some(scaling), |rate, decay| 1.0 - rate * decay)
    }

    fn learning_rate(&self) -> f64 {
        self.0.update.progress().learning_rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.0.update.set_learning_rate(rate);
    }

    fn state(&self, model: &dyn Model) -> Result<OptimizerState> {
        self.0.update.state(model)
    }

    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()> {
        self.0.set_state(model, state)
    }
}

/// `old` and `new` mixed; the weights add up to 1, which is seen to in `f64`.
#[netcl::function]
fn mixed(old: f32, keep: f32, new: f32, take: f32) -> f32 {
    old * keep + new * take
}

/// `p` moved against the first moment, in units of the second.
#[netcl::function]
fn moved(p: f32, m: f32, v: f32, step_size: f32, correction: f32, epsilon: f32) -> f32 {
    p - m / (v.sqrt() / correction + epsilon) * step_size
}

/// `1 - beta^steps`, of the logarithm of beta: near 1 a difference of `f32` would be rounded.
#[netcl::function]
fn gathered(steps: f32, log_beta: f32) -> f32 {
    -(steps * log_beta).exp_m1()
}

netcl_macros::__rules! {
    /// Weight decay as part of the gradient.
    pub(super) fn adam(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        v: &Tensor<f32, R, { ROW }>,
        decay: f32,
        keep_1: f32,
        take_1: f32,
        keep_2: f32,
        take_2: f32,
        step_size: f32,
        correction: f32,
        epsilon: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let g = g[r, i] + decay * p[r, i];
            let m = mixed(m[r, i], keep_1, g, take_1);
            let v = mixed(v[r, i], keep_2, g * g, take_2);
            (moved(p[r, i], m, v, step_size, correction, epsilon), m, v)
        }
    }

    /// Weight decay as `shrink = 1 - lr · weight_decay` of the parameters.
    pub(super) fn adamw(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        v: &Tensor<f32, R, { ROW }>,
        shrink: f32,
        keep_1: f32,
        take_1: f32,
        keep_2: f32,
        take_2: f32,
        step_size: f32,
        correction: f32,
        epsilon: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let g = g[r, i];
            let m = mixed(m[r, i], keep_1, g, take_1);
            let v = mixed(v[r, i], keep_2, g * g, take_2);
            (moved(p[r, i] * shrink, m, v, step_size, correction, epsilon), m, v)
        }
    }

    /// [`adam`] by gradients of a scaled loss.
    pub(super) fn adam_scaled(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        v: &Tensor<f32, R, { ROW }>,
        scale: &Tensor<f32>,
        found: &Tensor<f32>,
        skipped: &Tensor<f32>,
        decay: f32,
        keep_1: f32,
        take_1: f32,
        keep_2: f32,
        take_2: f32,
        rate: f32,
        steps: f32,
        log_1: f32,
        log_2: f32,
        epsilon: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let (old_p, old_m, old_v) = (p[r, i], m[r, i], v[r, i]);
            let g = g[r, i] * (1.0 / scale) + decay * p[r, i];
            let m = mixed(old_m, keep_1, g, take_1);
            let v = mixed(old_v, keep_2, g * g, take_2);
            let steps = steps - skipped;
            let step_size = rate / gathered(steps, log_1);
            let correction = gathered(steps, log_2).sqrt();
            let p = moved(old_p, m, v, step_size, correction, epsilon);
            (kept(found, old_p, p), kept(found, old_m, m), kept(found, old_v, v))
        }
    }

    /// [`adamw`] by gradients of a scaled loss.
    pub(super) fn adamw_scaled(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        v: &Tensor<f32, R, { ROW }>,
        scale: &Tensor<f32>,
        found: &Tensor<f32>,
        skipped: &Tensor<f32>,
        shrink: f32,
        keep_1: f32,
        take_1: f32,
        keep_2: f32,
        take_2: f32,
        rate: f32,
        steps: f32,
        log_1: f32,
        log_2: f32,
        epsilon: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let (old_p, old_m, old_v) = (p[r, i], m[r, i], v[r, i]);
            let g = g[r, i] * (1.0 / scale);
            let m = mixed(old_m, keep_1, g, take_1);
            let v = mixed(old_v, keep_2, g * g, take_2);
            let steps = steps - skipped;
            let step_size = rate / gathered(steps, log_1);
            let correction = gathered(steps, log_2).sqrt();
            let p = moved(old_p * shrink, m, v, step_size, correction, epsilon);
            (kept(found, old_p, p), kept(found, old_m, m), kept(found, old_v, v))
        }
    }
}
