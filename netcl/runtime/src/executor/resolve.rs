//! A plan's paths in a model's memory, looked up once per model and function.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::call::Call;
use crate::executor::interface::{Interface, Supplier};
use crate::model::gradient_buffer::writer_id;
use crate::model::store::{Store, StoredTensor};
use netcl_hal::recent::Recent;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::plan::{BufferId, Plan};
use std::sync::{Arc, Mutex, PoisonError};

/// How many models' memory stays looked up (the blocks of a model that call one function count each).
const KEPT: usize = 256;

/// Where a plan's paths lie in the models that it was lately called with.
pub(super) struct Lookups(Mutex<Recent<Arc<Resolved>>>);

impl Lookups {
    pub(super) fn new() -> Lookups {
        Lookups(Mutex::new(Recent::new(KEPT)))
    }

    /// Where the tensors of the call's model lie; `None` if the plan uses none.
    pub(super) fn of(
        &self,
        (plan, interface): (&Plan, &Interface),
        device: &Device,
        call: &Call<'_>,
    ) -> Result<Option<Arc<Resolved>>> {
        let Some((store, prefix)) = call.model.filter(|_| interface.needs_model) else {
            return Ok(None);
        };
        if store.device() != device {
            return Err(device.mismatch(&plan.name, "the model".to_owned(), store.device()));
        }
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = list.find(|known| known.store == store.id() && known.prefix == prefix) {
            return Ok(Some(found.clone()));
        }
        let resolved = Arc::new(resolve(plan, interface, store, prefix)?);
        list.add(resolved.clone());
        Ok(Some(resolved))
    }
}

/// Where the model's tensors lie that a plan uses.
pub(super) struct Resolved {
    /// Of the store and the prefix it was made for.
    pub(super) store: u64,
    pub(super) prefix: String,
    /// Distinct among all; identifies which gradients the plan writes.
    pub(super) id: u64,
    /// By slot.
    pub(super) places: Vec<Option<Of>>,
    /// `(slot, position among the store's states)` of new values that are copied after the last step.
    pub(super) late: Vec<(usize, usize)>,
    /// Buffer and shape of those whose shapes have symbols: they say what the symbols are.
    pub(super) named: Vec<(BufferId, Arc<[usize]>)>,
    /// For each parameter of the model whether it gets a gradient.
    pub(super) covered: Arc<[bool]>,
}

/// Which of the model's tensors it is: positions and not regions, so that nothing here keeps the memory of a dropped model.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// That one of the store's parameters.
    Parameter(usize),
    /// That one of the store's states; also its new value, where that is written in place.
    State(usize),
    /// The gradient in that one of the store's parameters.
    Gradient(usize),
}

/// Looks every path up.
fn resolve(plan: &Plan, interface: &Interface, store: &Store, prefix: &str) -> Result<Resolved> {
    let mut resolved = Resolved {
        store: store.id(),
        prefix: prefix.to_owned(),
        id: writer_id(),
        places: vec![None; interface.externals.len()],
        late: Vec::new(),
        named: Vec::new(),
        covered: Arc::from([]),
    };
    let mut covered = vec![false; store.parameters().len()];
    for (slot, external) in interface.externals.iter().enumerate() {
        let buffer = plan.buffer(external.buffer);
        let named = &mut resolved.named;
        let mut fits = |entry: &StoredTensor| {
            let known = |(dim, &size): (&Dim, &usize)| dim.as_constant().is_none_or(|value| value == size as i64);
            let sizes = || buffer.shape.0.iter().zip(&*entry.shape);
            if entry.dtype == buffer.dtype && buffer.shape.rank() == entry.shape.len() && sizes().all(known) {
                if buffer.shape.0.iter().any(|dim| dim.as_constant().is_none()) {
                    named.push((external.buffer, entry.shape.clone()));
                }
                return Ok(());
            }
            Err(Error::Argument {
                function: plan.name.clone(),
                argument: entry.path.clone(),
                expected: format!("{} {}", buffer.dtype, buffer.shape),
                found: format!("{} {}", entry.dtype, Shape::of(&entry.shape)),
            })
        };
        match &external.supplier {
            Supplier::Argument(_) | Supplier::Result(_) | Supplier::ArgumentGradient(_) => {}
            Supplier::Parameter(path) | Supplier::Gradient(path) => {
                let index = store.parameter_index(prefix, path)?;
                fits(&store.parameters()[index])?;
                let gradient = matches!(external.supplier, Supplier::Gradient(_));
                covered[index] |= gradient;
                resolved.places[slot] = Some(if gradient { Of::Gradient(index) } else { Of::Parameter(index) });
            }
            Supplier::State(path) | Supplier::NewState { path, .. } => {
                let index = store.state_index(prefix, path)?;
                fits(&store.states()[index])?;
                match external.supplier {
                    Supplier::NewState { late: true, .. } => resolved.late.push((slot, index)),
                    _ => resolved.places[slot] = Some(Of::State(index)),
                }
            }
        }
    }
    resolved.covered = covered.into();
    Ok(resolved)
}
