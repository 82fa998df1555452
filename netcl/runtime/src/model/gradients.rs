//! The gradients of a model, by the paths of its parameters.

use crate::autograd::cut;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::gradient_buffer::GradientBuffer;
use crate::model::store::{Store, StoredTensor};
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use std::ops::Range;
use std::sync::Arc;

/// The gradients that one call of `…_with_gradients` gave, or that `backward` found ([`crate::Backward::of`]), one for each parameter; zero where the function does not
/// depend on it. Cheap to clone; clones are the same memory.
#[derive(Clone)]
pub struct Gradients {
    store: Arc<Store>,
    buffer: Arc<GradientBuffer>,
    /// Of the part of the model that these are the gradients of; see [`crate::Model::prefix`].
    prefix: Arc<str>,
    /// They are of a loss that was multiplied by a scale, and were divided by it.
    is_unscaled: bool,
}

impl Gradients {
    pub(crate) fn new(store: Arc<Store>, buffer: GradientBuffer) -> Gradients {
        Gradients { store, buffer: Arc::new(buffer), prefix: Arc::from(""), is_unscaled: false }
    }

    /// Whether they were divided by a loss's scale.
    pub(crate) fn is_unscaled(&self) -> bool {
        self.is_unscaled
    }

    /// Each multiplied by `factor`, the reciprocal of their loss's scale.
    pub(crate) fn unscaled(&self, factor: &Tensor) -> Result<Gradients> {
        Ok(Gradients { is_unscaled: true, ..self.with_values(&self.flat().mul(factor), None)? })
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
    /// [`Error::NoGradient`] if it is a state; [`Error::UnknownParameter`] if there is no such parameter, with what there is.
    pub fn tensor(&self, path: &str) -> Result<Tensor> {
        let index = self.store.parameter_index(&self.prefix, path)?;
        Ok(self.view(index))
    }

    /// Whether there are parameters at that path or under it.
    #[doc(hidden)]
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let own = |entry: &StoredTensor| {
            let rest = entry.path.strip_prefix(&*self.prefix).and_then(|rest| rest.strip_prefix(path));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.store.parameters().iter().any(own)
    }

    /// Path and value of every gradient, in the order of the parameters, as views.
    pub fn tensors(&self) -> Vec<(String, Tensor)> {
        let entries = self.store.parameters().iter().enumerate();
        let inside =
            |(index, entry): (usize, &StoredTensor)| Some((entry.path.strip_prefix(&*self.prefix)?.to_owned(), index));
        entries.filter_map(inside).map(|(path, index)| (path, self.view(index))).collect()
    }

    /// Whether they are in the parameters of that memory.
    pub(crate) fn is_of(&self, store: &Store) -> bool {
        self.store.id() == store.id()
    }

    /// The first parameter of this part in which there is none, by its position and path.
    pub(crate) fn first_without(&self) -> Option<(usize, String)> {
        let mut entries = self.store.parameters().iter().enumerate();
        entries.find_map(|(index, entry)| {
            let path = entry.path.strip_prefix(&*self.prefix)?;
            (!self.buffer.covers(index)).then(|| (index, path.to_owned()))
        })
    }

    /// The gradient in the parameter at that position, if there is one.
    pub(crate) fn in_parameter(&self, index: usize) -> Option<Tensor> {
        self.buffer.covers(index).then(|| self.view(index))
    }

    /// The device they are on.
    pub fn device(&self) -> &Device {
        self.store.device()
    }

    /// All of them in one row, those of other parts of the model too.
    pub(crate) fn flat(&self) -> Tensor {
        self.row(self.buffer.whole().clone(), self.store.parameter_bytes())
    }

    /// The same of gradients that go with those of `model`.
    pub(crate) fn flat_beside(&self, model: &Gradients, operation: &str) -> Result<Tensor> {
        Ok(self.row(self.region_for(&model.store, operation)?.clone(), self.store.parameter_bytes()))
    }

    /// Those of this part of the model in one row.
    pub(crate) fn flat_part(&self, operation: &'static str) -> Result<Tensor> {
        let range = self.store.parameter_range(&self.prefix, operation)?.unwrap_or(0..0);
        Ok(self.row(self.store.gradient_region(self.buffer.whole(), &range)?, range.len()))
    }

    fn row(&self, region: BufferHandle, bytes: usize) -> Tensor {
        // Parameters are floats of 32 bits, and what is between them is zero.
        let shape = Arc::from([bytes / DType::F32.size()]);
        Tensor::from_region(region, shape, DType::F32, self.device().clone())
    }

    /// Gradients in the same parameters that have these values, of [`Gradients::flat`]'s order; also in those where `beside` has some.
    pub(crate) fn with_values(&self, values: &Tensor, beside: Option<&Gradients>) -> Result<Gradients> {
        let covered = (0..self.store.parameters().len())
            .map(|index| [Some(self), beside].into_iter().flatten().any(|one| one.buffer.covers(index)))
            .collect();
        let buffer = self.store.gradients_in(values.region()?.clone(), covered)?;
        Ok(Gradients { buffer: Arc::new(buffer), ..self.clone() })
    }

    /// All gradients at once, for the parameters of `store`.
    pub(crate) fn region_for(&self, store: &Store, operation: &str) -> Result<&BufferHandle> {
        if self.store.id() == store.id() {
            return Ok(self.buffer.whole());
        }
        if self.store.device() != store.device() {
            let what = "the model that the gradients are of".to_owned();
            return Err(store.device().mismatch(operation, what, self.store.device()));
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

    /// Which bytes of `range`, a part of the parameters' buffer that begins and ends with parameters, have gradients: those of
    /// parameters that the function depends on, padding included, in as few pieces as can be of what `group` gives for their paths.
    pub(crate) fn covered<G: PartialEq>(
        &self,
        range: &Range<usize>,
        group: impl Fn(&str) -> G,
    ) -> Vec<(Range<usize>, G)> {
        let mut pieces: Vec<(Range<usize>, G)> = Vec::new();
        let entries = self.store.parameters();
        for (index, entry) in entries.iter().enumerate() {
            let end = entries.get(index + 1).map_or(range.end, |next| next.offset).min(range.end);
            if !range.contains(&entry.offset) || entry.offset >= end || !self.buffer.covers(index) {
                continue;
            }
            let own = group(&entry.path);
            match pieces.last_mut() {
                Some((last, group)) if last.end == entry.offset && *group == own => last.end = end,
                _ => pieces.push((entry.offset..end, own)),
            }
        }
        pieces
    }

    fn view(&self, index: usize) -> Tensor {
        let entry = &self.store.parameters()[index];
        let device = self.store.device().clone();
        let tensor = Tensor::from_region(self.buffer.part(index), entry.shape.clone(), entry.dtype, device);
        tensor.with_history(Some(cut::gradient()))
    }
}

impl std::fmt::Debug for Gradients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.tensors()).finish()
    }
}
