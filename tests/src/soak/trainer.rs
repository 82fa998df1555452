//! A model in training.

use netcl::prelude::*;
use std::path::PathBuf;

#[netcl::model]
pub(super) struct Net {
    #[layer(inputs = 8, outputs = 12)]
    up: Linear,
    #[layer(rate = 0.3)]
    drop: Dropout,
    #[layer(inputs = 12, outputs = 3)]
    down: Linear,
}

#[netcl::model]
impl Net {
    pub(super) fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.down.forward(&self.drop.forward(&self.up.forward(x).relu())).cross_entropy(labels)
    }
}

/// A model in training. Its file goes with it.
pub(super) struct Trainer {
    pub(super) model: Net,
    pub(super) optimizer: AdamW,
    pub(super) file: PathBuf,
}

impl Drop for Trainer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}
