//! Tensors without values, which a function is compiled with.

use crate::autograd::tracer::{Untraceable, needed};
use crate::memory::BufferHandle;
use crate::tensor::{Computed, Held, Mistake, PendingValue, Tensor, TensorValue};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stands for an argument: it has a shape and a type, and no value.
pub(crate) struct StandIn {
    mistake: Computed,
    /// Whether somebody wanted its value.
    is_asked: Arc<AtomicBool>,
}

impl StandIn {
    /// For a tensor, of a function that is called there.
    pub(crate) fn of(tensor: &Tensor, caller: &'static Location<'static>, is_asked: &Arc<AtomicBool>) -> Tensor {
        let operands = format!("{} {:?}", tensor.dtype(), tensor.shape());
        let mistake = Err(Arc::new(Mistake::new("compile", operands, caller, needed(Untraceable::Value))));
        let value = TensorValue::Pending(Arc::new(StandIn { mistake, is_asked: is_asked.clone() }));
        let (shape, dtype, device) = (tensor.shape().into(), tensor.dtype(), tensor.device().clone());
        Tensor::from_held(Held { value, shape, dtype, device })
    }
}

impl PendingValue for StandIn {
    fn computed(&self) -> Option<&Computed> {
        None
    }

    fn compute(&self) -> &Computed {
        self.is_asked.store(true, Ordering::Relaxed);
        &self.mistake
    }

    fn supply(&self, _: BufferHandle) {}

    fn keep(&self) {}

    fn compute_together(&self, _: &[&dyn PendingValue]) {}
}
