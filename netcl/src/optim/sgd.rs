//! Stochastic gradient descent.

use crate::error::Result;
use crate::model::{Gradients, Model};
use crate::optim::Optimizer;
use crate::optim::update::{Formula, Update};
use netcl_kernels::graph::NodeId;
use netcl_kernels::span;

/// Stochastic gradient descent with momentum, as `torch.optim.SGD` without dampening:
///
/// ```text
/// g ← g + weight_decay · p
/// m ← momentum · m + g
/// p ← p - lr · m                     nesterov: p ← p - lr · (g + momentum · m)
/// ```
pub struct Sgd {
    rate: f64,
    momentum: f64,
    weight_decay: f64,
    nesterov: bool,
    update: Update,
}

impl Sgd {
    /// Without momentum and weight decay.
    pub fn new(learning_rate: f64) -> Sgd {
        let update = Update::new("sgd", 0, plain);
        Sgd { rate: learning_rate, momentum: 0.0, weight_decay: 0.0, nesterov: false, update }
    }

    /// With momentum; 0 is none. Set before the first step.
    pub fn momentum(mut self, momentum: f64) -> Sgd {
        self.momentum = momentum;
        self.choose()
    }

    /// With Nesterov's momentum. Set before the first step.
    pub fn nesterov(mut self, nesterov: bool) -> Sgd {
        self.nesterov = nesterov;
        self.choose()
    }

    /// With weight decay added to the gradient.
    pub fn weight_decay(mut self, decay: f64) -> Sgd {
        self.weight_decay = decay;
        self
    }

    fn choose(mut self) -> Sgd {
        self.update = match (self.momentum != 0.0, self.nesterov) {
            (false, _) => Update::new("sgd", 0, plain),
            (true, false) => Update::new("sgd_momentum", 1, momentum),
            (true, true) => Update::new("sgd_nesterov", 1, nesterov),
        };
        self
    }
}

impl Optimizer for Sgd {
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()> {
        self.update.step(model, gradients, &[self.rate, self.weight_decay, self.momentum])
    }

    fn learning_rate(&self) -> f64 {
        self.rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.rate = rate;
    }
}

/// `g + weight_decay · p`.
fn decayed(f: &mut Formula, t: &[NodeId], s: &[NodeId]) -> span::Result<NodeId> {
    let decay = f.mul(t[0], s[1])?;
    f.add(t[1], decay)
}

/// `p - lr · direction`.
fn moved(f: &mut Formula, t: &[NodeId], s: &[NodeId], direction: NodeId) -> span::Result<NodeId> {
    let step = f.mul(direction, s[0])?;
    f.sub(t[0], step)
}

fn plain(f: &mut Formula, t: &[NodeId], s: &[NodeId]) -> span::Result<Vec<NodeId>> {
    let g = decayed(f, t, s)?;
    Ok(vec![moved(f, t, s, g)?])
}

fn momentum(f: &mut Formula, t: &[NodeId], s: &[NodeId]) -> span::Result<Vec<NodeId>> {
    let g = decayed(f, t, s)?;
    let kept = f.mul(t[2], s[2])?;
    let m = f.add(kept, g)?;
    Ok(vec![moved(f, t, s, m)?, m])
}

fn nesterov(f: &mut Formula, t: &[NodeId], s: &[NodeId]) -> span::Result<Vec<NodeId>> {
    let g = decayed(f, t, s)?;
    let kept = f.mul(t[2], s[2])?;
    let m = f.add(kept, g)?;
    let ahead = f.mul(m, s[2])?;
    let direction = f.add(g, ahead)?;
    Ok(vec![moved(f, t, s, direction)?, m])
}
