//! The gradients of a model, by the paths of its parameters.

use crate::autograd::cut;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::gradient_buffer::GradientBuffer;
use crate::model::paths;
use crate::model::store::{Store, StoredTensor};
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use std::ops::Range;
use std::sync::Arc;

/// The name of [`Gradients::add`], as errors have it.
pub(crate) const ADD: &str = "Gradients::add";

/// What one launch steps: parameters that lie together and have the same settings.
pub(crate) struct Piece<S> {
    /// Of the parameters' buffer, padding included.
    pub(crate) bytes: Range<usize>,
    pub(crate) settings: S,
    /// Positions among those that are stepped.
    pub(crate) parameters: Vec<usize>,
}

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
        Ok(Gradients { is_unscaled: true, ..self.with_values(&self.flat().mul(factor))? })
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

    /// The first parameter of this part in which there is none, though `wanted` says of its path that there is to be one: its position
    /// and path.
    pub(crate) fn first_without(&self, wanted: impl Fn(&str) -> bool) -> Option<(usize, String)> {
        let mut entries = self.store.parameters().iter().enumerate();
        entries.find_map(|(index, entry)| {
            let path = entry.path.strip_prefix(&*self.prefix)?;
            (!self.buffer.covers(index) && wanted(path)).then(|| (index, path.to_owned()))
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

    /// The sums with `other`, parameter by parameter. Where `other` is of a part of this part, the rest stays as it is.
    pub(crate) fn plus(&self, other: &Gradients) -> Result<Gradients> {
        let own = self.store.positions_under(&self.prefix, ADD)?;
        // That one part's parameters follow each other.
        other.store.positions_under(&other.prefix, ADD)?;
        let theirs = other.fit(&self.store, &self.prefix, &own, ADD)?;
        let is_inside = |position: &usize| other.is_inside(*position);
        let first = theirs.clone().take_while(|position| !is_inside(position)).count();
        let count = theirs.clone().skip(first).take_while(is_inside).count();
        let (own, theirs) = (own.start + first, theirs.start + first);
        let bytes = self.store.parameter_bytes_of(&(own..own + count));
        if bytes.is_empty() {
            return Ok(self.clone());
        }
        let sum = self.rows(&bytes)?.add(&other.rows(&other.store.parameter_bytes_of(&(theirs..theirs + count)))?);
        let (before, behind) = (0..bytes.start, bytes.end..self.store.parameter_bytes());
        let rows = |range: Range<usize>| (!range.is_empty()).then(|| self.rows(&range)).transpose();
        let head = match rows(before)? {
            Some(head) => head.concat(&sum, 0),
            None => sum,
        };
        let values = match rows(behind)? {
            Some(tail) => head.concat(&tail, 0),
            None => head,
        };
        let covers = |position: usize| {
            let has_theirs = (own..own + count).contains(&position) && other.buffer.covers(position - own + theirs);
            has_theirs || self.buffer.covers(position)
        };
        self.with_values_in(&values, covers)
    }

    /// Those of this part of the model in one row.
    pub(crate) fn flat_part(&self, operation: &'static str) -> Result<Tensor> {
        let range = self.store.parameter_range(&self.prefix, operation)?.unwrap_or(0..0);
        self.rows(&range)
    }

    /// Those in these bytes of the parameters' buffer.
    fn rows(&self, bytes: &Range<usize>) -> Result<Tensor> {
        Ok(self.row(self.store.gradient_region(self.buffer.whole(), bytes)?, bytes.len()))
    }

    fn row(&self, region: BufferHandle, bytes: usize) -> Tensor {
        // Parameters are floats of 32 bits, and what is between them is zero.
        let shape = Arc::from([bytes / DType::F32.size()]);
        Tensor::from_region(region, shape, DType::F32, self.device().clone())
    }

    /// Gradients in the same parameters that have these values, of [`Gradients::flat`]'s order.
    pub(crate) fn with_values(&self, values: &Tensor) -> Result<Gradients> {
        self.with_values_in(values, |position| self.buffer.covers(position))
    }

    fn with_values_in(&self, values: &Tensor, covers: impl Fn(usize) -> bool) -> Result<Gradients> {
        let covered = (0..self.store.parameters().len()).map(covers).collect();
        let buffer = self.store.gradients_in(values.region()?.clone(), covered)?;
        Ok(Gradients { buffer: Arc::new(buffer), ..self.clone() })
    }

    /// Whether the parameter at that position is one of this part's.
    fn is_inside(&self, position: usize) -> bool {
        self.store.parameters()[position].path.starts_with(&*self.prefix)
    }

    /// The positions of this store's parameters that go with those of `store` under `prefix`, which has them at `positions`: the same ones, or those of a model or a
    /// part with the same paths and shapes (a copy, an ensemble, the other of two towers). If these gradients are of a part of that
    /// part, not all of the positions are inside of it: [`Gradients::is_inside`].
    fn fit(&self, store: &Store, prefix: &str, positions: &Range<usize>, operation: &str) -> Result<Range<usize>> {
        if self.store.device() != store.device() {
            let problem = format!(
                "the gradients were computed on {}, and the model is on {} now: compute them there",
                self.store.device().beside(store.device()),
                store.device()
            );
            return Err(Error::Mismatch { operation: operation.to_owned(), problem });
        }
        let layout = |store: &Store, prefix: &str| -> Vec<(String, Arc<[usize]>)> {
            let under = store.parameters().iter().filter_map(|entry| Some((entry.path.strip_prefix(prefix)?, entry)));
            under.map(|(path, entry)| (path.to_owned(), entry.shape.clone())).collect()
        };
        let is_same = self.store.id() == store.id() || layout(&self.store, "") == layout(store, "");
        if is_same && prefix.starts_with(&*self.prefix) {
            return Ok(positions.clone());
        }
        if layout(&self.store, &self.prefix) == layout(store, prefix) {
            return self.store.positions_under(&self.prefix, operation);
        }
        if is_same && self.prefix.starts_with(prefix) {
            return Ok(positions.clone());
        }
        Err(self.are_of_another(prefix, is_same, operation))
    }

    /// That they are neither of the part that has that prefix nor of what is like it.
    fn are_of_another(&self, prefix: &str, is_same_model: bool, operation: &str) -> Error {
        let of = match is_same_model {
            true => paths::named(&self.prefix),
            false => "a model with other parameters".to_owned(),
        };
        let wanted = paths::named(prefix);
        let problem = match operation {
            ADD => format!(
                "the gradients that are added are of {of}, and the others of {wanted}; add those of the same parameters, of more or of \
                 some of them, or of a model or a part with the same paths and shapes"
            ),
            _ => {
                let around = if prefix.is_empty() { "" } else { ", or those of what it is in" };
                format!("the gradients are of {of}, and {wanted} is stepped; pass its own{around}")
            }
        };
        Error::Mismatch { operation: operation.to_owned(), problem }
    }

    /// The gradients in the parameters of `store` under `prefix`, and those parameters that the function depends on, in as few pieces
    /// as can be of what `settings` gives for their positions and paths; but for those at these positions, which stay as they are.
    ///
    /// # Errors
    ///
    /// As [`Gradients::fit`]; also if they are of another part of the same model, which is a mistake more often than not.
    pub(crate) fn for_step<S: PartialEq>(
        &self,
        store: &Store,
        (prefix, operation): (&str, &str),
        left_out: &[usize],
        settings: impl Fn(usize, &str) -> S,
    ) -> Result<(BufferHandle, Vec<Piece<S>>)> {
        let (model, own) = self.stepped(store, prefix, operation)?;
        let region = self.store.gradient_region(self.buffer.whole(), &self.store.parameter_bytes_of(&own))?;
        let mut pieces = Vec::<Piece<S>>::new();
        for position in model.clone() {
            let (bytes, at) = (store.parameter_bytes_of(&(position..position + 1)), position - model.start);
            if bytes.is_empty() || left_out.binary_search(&at).is_ok() {
                continue;
            }
            let settings = settings(at, &store.parameters()[position].path);
            match pieces.last_mut() {
                Some(last) if last.bytes.end == bytes.start && last.settings == settings => {
                    last.bytes.end = bytes.end;
                    last.parameters.push(at);
                }
                _ => pieces.push(Piece { bytes, settings, parameters: vec![at] }),
            }
        }
        Ok((region, pieces))
    }

    /// The parameters of `store` under `prefix` that a step by these leaves as they are, by their positions among these, ascending: the
    /// function does not depend on them, or they are frozen.
    ///
    /// # Errors
    ///
    /// Those of [`Gradients::for_step`]; also if all are of a frozen field.
    pub(crate) fn left_out(
        &self,
        store: &Store,
        (prefix, operation): (&str, &str),
        is_frozen: impl Fn(&str) -> bool,
    ) -> Result<Vec<usize>> {
        let (model, own) = self.stepped(store, prefix, operation)?;
        let inside = self.prefix.strip_prefix(prefix).map(|rest| rest.trim_end_matches('.'));
        if let Some(field) = inside.filter(|field| !field.is_empty() && is_frozen(field)) {
            return Err(Error::Mismatch {
                operation: operation.to_owned(),
                problem: format!(
                    "the gradients are of `{field}`, which is frozen in what is stepped; step that part by an optimizer of its own, or \
                     leave `#[frozen]` out"
                ),
            });
        }
        let first = model.start;
        let out = model.zip(own).filter(|(position, own)| {
            let path = &store.parameters()[*position].path;
            !store.parameter_bytes_of(&(*position..position + 1)).is_empty()
                && (!self.reaches(*own) || is_frozen(path.strip_prefix(prefix).unwrap_or(path)))
        });
        Ok(out.map(|(position, _)| position - first).collect())
    }

    /// The positions of parameters under `prefix` in `store`, and of the same ones in the memory that the gradients were taken of.
    fn stepped(&self, store: &Store, prefix: &str, operation: &str) -> Result<(Range<usize>, Range<usize>)> {
        let model = store.positions_under(prefix, operation)?;
        let own = self.fit(store, prefix, &model, operation)?;
        match self.store.id() == store.id() && own != model {
            true => Err(self.are_of_another(prefix, true, operation)),
            false => Ok((model, own)),
        }
    }

    fn reaches(&self, own: usize) -> bool {
        self.buffer.covers(own) && self.is_inside(own)
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
