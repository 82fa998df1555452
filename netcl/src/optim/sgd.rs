//! Stochastic gradient descent.

use crate::optim::{Optimizer, OptimizerState, ParameterGroup, ROW, Scaling, kept};
use crate::{Gradients, Model, Result};
use netcl_runtime::__private::{Progress, Rules, Update, accept, not_negative};

/// Stochastic gradient descent with momentum, as `torch.optim.SGD` without dampening:
///
/// ```text
/// g ← g + weight_decay · p
/// m ← momentum · m + g
/// p ← p - lr · m                     nesterov: p ← p - lr · (g + momentum · m)
/// ```
///
/// A learning rate, momentum or decay that is negative or no number, and Nesterov's momentum without momentum, are
/// errors of [`Optimizer::step`], which then changes nothing.
#[derive(Debug)]
pub struct Sgd {
    momentum: f64,
    weight_decay: f64,
    nesterov: bool,
    update: Update,
}

impl Sgd {
    /// Without momentum and weight decay.
    pub fn new(learning_rate: f64) -> Sgd {
        let update = Update::new("sgd", ROW, 0, Rules { plain: sgd, scaled: sgd_scaled }, learning_rate);
        Sgd { momentum: 0.0, weight_decay: 0.0, nesterov: false, update: update.without_step_count() }
    }

    /// With momentum; 0 is none.
    ///
    /// It may be set between steps: what has gathered stays, and stands still while there is no momentum. Where there was
    /// none before, it begins at zero.
    pub fn momentum(mut self, momentum: f64) -> Sgd {
        self.momentum = momentum;
        self.choose()
    }

    /// With Nesterov's momentum, or without; between steps as [`Sgd::momentum`].
    pub fn nesterov(mut self, nesterov: bool) -> Sgd {
        self.nesterov = nesterov;
        self.choose()
    }

    /// With weight decay added to the gradient.
    pub fn weight_decay(mut self, decay: f64) -> Sgd {
        self.weight_decay = decay;
        self
    }

    /// Steps the parameters in the field of that path, `head` or `encoder.norm`, or in the fields with `#[group(NAME)]` of that name,
    /// by settings of their own; where paths hold each other, the longest counts, and a field comes before a group of its name.
    pub fn group(mut self, path: &str, group: ParameterGroup) -> Sgd {
        self.update.group(path, group);
        self
    }

    fn check(&self) -> Result<()> {
        not_negative("sgd", "momentum", self.momentum)?;
        not_negative("sgd", "weight_decay", self.weight_decay)?;
        let fits = !self.nesterov || self.momentum > 0.0;
        accept("sgd", "nesterov", "true without momentum", fits, "true together with a `momentum` above 0")
    }

    fn choose(mut self) -> Sgd {
        match (self.momentum != 0.0, self.nesterov) {
            (false, _) => self.update.change(0, Rules { plain: sgd, scaled: sgd_scaled }),
            (true, false) => self.update.change(1, Rules { plain: sgd_momentum, scaled: sgd_momentum_scaled }),
            (true, true) => self.update.change(1, Rules { plain: sgd_nesterov, scaled: sgd_nesterov_scaled }),
        }
        self
    }

    fn stepped(&mut self, model: &mut dyn Model, gradients: &Gradients, scaling: Option<&Scaling>) -> Result<()> {
        self.check()?;
        let (decay, momentum) = (self.weight_decay, self.momentum);
        // Without momentum there is none to pass.
        if momentum == 0.0 {
            let scalars = |Progress { learning_rate, .. }, decay| [learning_rate, decay];
            self.update.step(model, gradients, scaling, decay, scalars)
        } else {
            let scalars = move |Progress { learning_rate, .. }, decay| [learning_rate, decay, momentum];
            self.update.step(model, gradients, scaling, decay, scalars)
        }
    }
}

impl Optimizer for Sgd {
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        self.stepped(model, gradients, None)
    }

    fn step_scaled(&mut self, model: &mut dyn Model, gradients: &Gradients, scaling: &Scaling) -> Result<()> {
        self.stepped(model, gradients, Some(scaling))
    }

    fn learning_rate(&self) -> f64 {
        self.update.progress().learning_rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.update.set_learning_rate(rate);
    }

    fn state(&self, model: &dyn Model) -> Result<OptimizerState> {
        self.update.state(model)
    }

    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()> {
        self.update.set_state(model, state, 1)
    }
}

netcl_macros::__rules! {
    /// Without momentum.
    pub(super) fn sgd(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        rate: f32,
        decay: f32,
    ) -> Tensor<f32, R, { ROW }> {
        |r, i| p[r, i] - (g[r, i] + decay * p[r, i]) * rate
    }

    /// Along the momentum.
    pub(super) fn sgd_momentum(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        rate: f32,
        decay: f32,
        momentum: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let m = m[r, i] * momentum + (g[r, i] + decay * p[r, i]);
            (p[r, i] - m * rate, m)
        }
    }

    /// Along what the momentum will be: one step ahead.
    pub(super) fn sgd_nesterov(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        rate: f32,
        decay: f32,
        momentum: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let g = g[r, i] + decay * p[r, i];
            let m = m[r, i] * momentum + g;
            (p[r, i] - (g + m * momentum) * rate, m)
        }
    }

    /// [`sgd`] by gradients of a scaled loss.
    pub(super) fn sgd_scaled(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        scale: &Tensor<f32>,
        found: &Tensor<f32>,
        rate: f32,
        decay: f32,
    ) -> Tensor<f32, R, { ROW }> {
        |r, i| {
            let old = p[r, i];
            kept(found, old, old - (g[r, i] * (1.0 / scale) + decay * old) * rate)
        }
    }

    /// [`sgd_momentum`] by gradients of a scaled loss.
    pub(super) fn sgd_momentum_scaled(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        scale: &Tensor<f32>,
        found: &Tensor<f32>,
        rate: f32,
        decay: f32,
        momentum: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let (old_p, old_m) = (p[r, i], m[r, i]);
            let m = old_m * momentum + (g[r, i] * (1.0 / scale) + decay * old_p);
            (kept(found, old_p, old_p - m * rate), kept(found, old_m, m))
        }
    }

    /// [`sgd_nesterov`] by gradients of a scaled loss.
    pub(super) fn sgd_nesterov_scaled(
        p: &Tensor<f32, R, { ROW }>,
        g: &Tensor<f32, R, { ROW }>,
        m: &Tensor<f32, R, { ROW }>,
        scale: &Tensor<f32>,
        found: &Tensor<f32>,
        rate: f32,
        decay: f32,
        momentum: f32,
    ) -> (Tensor<f32, R, { ROW }>, Tensor<f32, R, { ROW }>) {
        |r, i| {
            let (old_p, old_m) = (p[r, i], m[r, i]);
            let g = g[r, i] * (1.0 / scale) + decay * old_p;
            let m = old_m * momentum + g;
            (kept(found, old_p, old_p - (g + m * momentum) * rate), kept(found, old_m, m))
        }
    }
}
