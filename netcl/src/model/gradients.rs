//! The gradients of a model: one buffer with the parameters' layout.

use crate::device::{Device, Reserve};
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::core::{Entry, Store};
use crate::tensor::Tensor;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The gradients that one call of `…_with_gradients` gave, one for each parameter; zero where the function does not
/// depend on it. Cheap to clone; clones are the same memory.
#[derive(Clone)]
pub struct Gradients {
    store: Arc<Store>,
    buffer: Arc<GradientBuffer>,
    /// Of the part of the model that these are the gradients of; see [`crate::Model::prefix`].
    prefix: Arc<str>,
}

/// The free gradient buffers of one model.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Parts>>);

/// How many are kept: of the last step, of the one before, and of two more that accumulate.
const SPARE: usize = 4;

impl Reserve for Spare {
    fn release(&self) -> bool {
        let dropped = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !dropped.is_empty()
    }
}

/// A buffer and its parts. Goes back to its model when dropped, with its parts, because making those anew for every
/// step costs a driver call each.
pub(crate) struct GradientBuffer {
    /// Taken out only by drop.
    parts: Option<Parts>,
    spare: Arc<Spare>,
}

pub(crate) struct Parts {
    whole: BufferHandle,
    /// One for each parameter.
    each: Vec<BufferHandle>,
    /// How many handles of the whole there are while nobody uses it.
    handles: usize,
    /// Which gradients may be other than zero: those of the plan with that id, or none.
    written: AtomicU64,
}

impl Gradients {
    pub(crate) fn new(store: Arc<Store>, buffer: GradientBuffer) -> Gradients {
        Gradients { store, buffer: Arc::new(buffer), prefix: Arc::from("") }
    }

    /// Those in the parameters of one part, by its own paths. The prefix is that of the whole model's paths.
    #[doc(hidden)]
    #[must_use]
    pub fn part(&self, prefix: &str) -> Gradients {
        Gradients { prefix: Arc::from(prefix), ..self.clone() }
    }

    /// The gradient in the parameter of that path, as a view.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownParameter`] if there is no such parameter, with what there is.
    pub fn tensor(&self, path: &str) -> Result<Tensor> {
        let index = self.store.parameter_index(&self.prefix, path)?;
        Ok(self.view(index))
    }

    /// Path and value of every gradient, in the order of the parameters, as views.
    pub fn tensors(&self) -> Vec<(String, Tensor)> {
        let entries = self.store.parameters().iter().enumerate();
        let inside =
            |(index, entry): (usize, &Entry)| Some((entry.path.strip_prefix(&*self.prefix)?.to_owned(), index));
        entries.filter_map(inside).map(|(path, index)| (path, self.view(index))).collect()
    }

    /// The device they are on.
    pub fn device(&self) -> &Device {
        self.store.device()
    }

    /// All gradients at once, for the parameters of `store`.
    pub(crate) fn region_for(&self, store: &Store, operation: &str) -> Result<&BufferHandle> {
        if self.store.id() == store.id() {
            return Ok(self.buffer.whole());
        }
        if self.store.device() != store.device() {
            return Err(Error::DeviceMismatch {
                operation: operation.to_owned(),
                what: "the model that the gradients are of".to_owned(),
                expected: store.device().to_string(),
                found: self.store.device().to_string(),
            });
        }
        // Gradients of another model of the same shape (a copy, an ensemble) are good as well.
        let layout = |store: &Store| -> Vec<(String, Arc<[usize]>)> {
            store.parameters().iter().map(|entry| (entry.path.clone(), entry.shape.clone())).collect()
        };
        if layout(&self.store) == layout(store) {
            return Ok(self.buffer.whole());
        }
        Err(Error::Mismatch {
            operation: operation.to_owned(),
            problem: "the gradients are of a model with other parameters; pass those of the model that is stepped"
                .to_owned(),
        })
    }

    fn view(&self, index: usize) -> Tensor {
        let entry = &self.store.parameters()[index];
        Tensor::from_region(self.buffer.part(index), entry.shape.clone(), entry.dtype, self.store.device().clone())
    }
}

impl std::fmt::Debug for Gradients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.tensors()).finish()
    }
}

impl GradientBuffer {
    pub(super) fn take(spare: &Arc<Spare>, device: &Device, entries: &[Entry], bytes: usize) -> Result<GradientBuffer> {
        let found = {
            let mut list = spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Views of a gradient may outlive it: such a buffer is not free yet.
            let free = list.iter().position(Parts::is_free);
            free.map(|position| list.swap_remove(position))
        };
        let parts = match found {
            Some(parts) => parts,
            None => {
                let whole = device.allocate(bytes.max(1))?;
                whole.zero()?;
                let part = |entry: &Entry| match entry.bytes() {
                    0 => device.allocate(1),
                    bytes => whole.part(entry.offset, bytes),
                };
                let each = entries.iter().map(part).collect::<Result<_>>()?;
                let handles = whole.handles();
                Parts { whole, each, handles, written: AtomicU64::new(0) }
            }
        };
        Ok(GradientBuffer { parts: Some(parts), spare: spare.clone() })
    }

    /// Makes every gradient zero that the plan `id` does not write.
    pub(crate) fn prepare(&self, id: u64, covers_all: bool) -> Result<()> {
        let written = &self.parts().written;
        let before = written.load(Ordering::Relaxed);
        if before != 0 && before != id && !covers_all {
            self.whole().zero()?;
        }
        written.store(id, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn part(&self, parameter: usize) -> BufferHandle {
        self.parts().each[parameter].clone()
    }

    pub(crate) fn whole(&self) -> &BufferHandle {
        &self.parts().whole
    }

    fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("taken out only by drop")
    }
}

impl Parts {
    fn is_free(&self) -> bool {
        self.whole.handles() == self.handles && self.each.iter().all(|part| !part.is_shared())
    }
}

impl Drop for GradientBuffer {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            let mut list = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(parts);
            // Views of the one that goes keep what they need.
            let surplus = (list.len() > SPARE).then(|| list.remove(0));
            drop(list);
            drop(surplus);
        }
    }
}
