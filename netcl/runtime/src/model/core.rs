//! A model's memory.

use crate::autograd::record::{History, Leaf, Owner};
use crate::autograd::tracer;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::store::{Group, Store, StoredTensor, next_id};
use crate::model::{Schema, Seed, init, paths};
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::philox::philox4x32;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A model's parameters in one buffer, its states in another. Cheap to clone; clones are the same memory, which is how
/// nested models and layers share their model's.
#[derive(Clone)]
pub struct ModelCore(Arc<Inner>);

struct Inner {
    id: u64,
    seed: AtomicU64,
    /// Calls that drew random numbers.
    steps: AtomicU64,
    of_type: OfType,
    store: RwLock<Arc<Store>>,
}

/// What its type says of a model's parts.
#[derive(Default)]
struct OfType {
    /// What each enum of layers is, by its path.
    variants: BTreeMap<String, &'static str>,
    /// Paths of fields, and the groups that optimizers step them in.
    groups: Vec<(String, String)>,
    /// Paths of tensors that are another's, and of these.
    shared: Vec<(String, String)>,
    /// Paths of fields in which losses compute no gradient.
    frozen: Vec<String>,
}

/// Where a model's random numbers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draws {
    pub(crate) seed: u64,
    /// Calls that drew some.
    pub(crate) calls: u64,
}

impl ModelCore {
    /// The memory that `schema` asks for, filled by its initialisation.
    ///
    /// # Errors
    ///
    /// A layer that cannot have the model's numbers, two tensors of one path, a parameter that is not `f32`, or no memory.
    pub fn new(device: &Device, seed: Seed, schema: &Schema) -> Result<ModelCore> {
        schema.check()?;
        let mut seen = BTreeSet::default();
        for (path, spec) in schema.present() {
            let wrong = |message: String| Err(Error::Shape { operation: "Model::new", message });
            if !seen.insert(path) {
                return wrong(format!("two tensors are called `{path}`; rename a field"));
            }
            if spec.trainable && spec.dtype != DType::F32 {
                return wrong(format!("the parameter `{path}` is {}; parameters are f32", spec.dtype));
            }
        }
        let group = |trainable: bool| -> Result<Group> {
            let specs = schema.present().filter(|(_, spec)| spec.trainable == trainable);
            let plain = specs.clone().map(|(path, spec)| (path.as_str(), Arc::from(spec.shape.as_slice()), spec.dtype));
            let (group, mut image) = Group::new(device, plain)?;
            for ((path, spec), entry) in specs.zip(&group.entries) {
                init::fill(seed.0, path, spec, &mut image[entry.offset..]);
            }
            group.write(&image)?;
            Ok(group)
        };
        let store = Store::new(device, group(true)?, group(false)?);
        let variants = schema.chosen().map(|(path, variant)| (path.to_owned(), variant)).collect();
        let of_type = OfType {
            variants,
            groups: schema.groups().to_vec(),
            shared: schema.shared().to_vec(),
            frozen: schema.frozen().to_vec(),
        };
        Ok(ModelCore::with_store(store, Draws { seed: seed.0, calls: 0 }, of_type))
    }

    fn with_store(store: Store, draws: Draws, of_type: OfType) -> ModelCore {
        let (seed, steps) = (AtomicU64::new(draws.seed), AtomicU64::new(draws.calls));
        ModelCore(Arc::new(Inner { id: next_id(), seed, steps, of_type, store: RwLock::new(Arc::new(store)) }))
    }

    /// The device it is on.
    pub fn device(&self) -> Device {
        self.store().device().clone()
    }

    /// Path and value of every parameter, as views.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        self.parameters_of("")
    }

    /// Path and value of every state, as views.
    pub fn states(&self) -> Vec<(String, Tensor)> {
        self.states_of("")
    }

    /// The parameter or state of that path, as a view.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownParameter`] if there is none, with what there is.
    pub fn tensor(&self, path: &str) -> Result<Tensor> {
        self.tensor_of("", path)
    }

    /// Overwrites the parameter or state of that path.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownParameter`] if there is none; [`Error::Argument`] if shape or type are not its own; [`Error::Driver`] if the
    /// copy fails.
    pub fn set_tensor(&self, path: &str, value: &Tensor) -> Result<()> {
        self.set_tensor_of("", path, value)
    }

    /// The parameters under a prefix (empty, or with a trailing dot), by their paths after it.
    pub(crate) fn parameters_of(&self, prefix: &str) -> Vec<(String, Tensor)> {
        let store = self.store();
        store.parameters.under(prefix).map(|(path, entry)| (path.to_owned(), view(&store, entry))).collect()
    }

    /// The states under a prefix, by their paths after it.
    pub(crate) fn states_of(&self, prefix: &str) -> Vec<(String, Tensor)> {
        let store = self.store();
        store.states.under(prefix).map(|(path, entry)| (path.to_owned(), view(&store, entry))).collect()
    }

    /// The parameter or state that has that path after the prefix.
    pub(crate) fn tensor_of(&self, prefix: &str, path: &str) -> Result<Tensor> {
        let store = self.store();
        let entry = store.entry(prefix, path)?;
        tracer::note(|tracing| {
            let position = store.parameter_index(prefix, path);
            position.map(|position| tracing.note_parameter(store.id(), position, false))
        });
        Ok(view(&store, entry))
    }

    /// The parameter that has that path after the prefix, as one whose gradient is computed.
    pub(crate) fn tracked_of(&self, prefix: &str, path: &str) -> Result<Tensor> {
        let store = self.store();
        let index = store.parameter_index(prefix, path)?;
        Ok(parameter(&store, index, true))
    }

    /// Overwrites the parameter or state that has that path after the prefix.
    pub(crate) fn set_tensor_of(&self, prefix: &str, path: &str, value: &Tensor) -> Result<()> {
        let store = self.store();
        let entry = store.entry(prefix, path)?;
        value.region()?;
        if value.dtype() != entry.dtype || value.shape() != &*entry.shape {
            return Err(Error::Argument {
                function: "set_tensor".to_owned(),
                argument: path.to_owned(),
                expected: format!("{} {}", entry.dtype, Shape::of(&entry.shape)),
                found: format!("{} {}", value.dtype(), Shape::of(value.shape())),
            });
        }
        let value = value.to_device(store.device())?;
        let from = value.region()?;
        if from.id() == entry.region.id() {
            return Ok(());
        }
        store.note_change();
        from.copy_to(&entry.region, entry.bytes())
    }

    /// Moves all of it to another device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] and [`Error::Driver`] of either device; the model then stays where it was.
    pub fn to_device(&self, device: &Device) -> Result<()> {
        let store = self.store();
        if store.device() == device {
            return Ok(());
        }
        let moved = |group: &Group| -> Result<Group> {
            let plain = group.entries.iter().map(|entry| (entry.path.as_str(), entry.shape.clone(), entry.dtype));
            let (new, mut image) = Group::new(device, plain)?;
            if let Some(whole) = &group.whole {
                whole.read(&mut image)?;
            }
            new.write(&image)?;
            Ok(new)
        };
        let new = Store::new(device, moved(&store.parameters)?, moved(&store.states)?);
        *self.0.store.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        Ok(())
    }

    /// Memory of its own with a copy of everything under a prefix, which is left out of the paths. The copy's dropout
    /// goes on where this one's stands.
    pub(crate) fn copy_of(&self, prefix: &str) -> Result<ModelCore> {
        let store = self.store();
        let copied = |group: &Group| -> Result<Group> {
            let entries: Vec<_> = group.under(prefix).collect();
            let plain = entries.iter().map(|(path, entry)| (*path, entry.shape.clone(), entry.dtype));
            let (new, _) = Group::new(store.device(), plain)?;
            // What lies between the tensors is read by optimizers.
            new.whole.as_ref().map_or(Ok(()), BufferHandle::zero)?;
            for ((_, from), to) in entries.iter().zip(&new.entries) {
                from.region.copy_to(&to.region, from.bytes())?;
            }
            Ok(new)
        };
        let new = Store::new(store.device(), copied(&store.parameters)?, copied(&store.states)?);
        let whole = prefix.strip_suffix('.').unwrap_or(prefix);
        let own = |(path, variant): (&String, &&'static str)| {
            let rest = if path == whole { "" } else { path.strip_prefix(prefix)? };
            Some((rest.to_owned(), *variant))
        };
        let variants = self.0.of_type.variants.iter().filter_map(own).collect();
        let groups = self.groups_of(prefix).map(|(path, group)| (path.to_owned(), group.to_owned())).collect();
        let shared = self.shared_of(prefix).map(|(path, other)| (path.to_owned(), other.to_owned())).collect();
        let frozen = self.frozen_of(prefix).map(str::to_owned).collect();
        Ok(ModelCore::with_store(new, self.draws(), OfType { variants, groups, shared, frozen }))
    }

    /// What the enum of layers is that has that path, which may be empty, after the prefix; `None` where there is none.
    pub(crate) fn variant_of(&self, prefix: &str, path: &str) -> Option<&'static str> {
        if self.0.of_type.variants.is_empty() {
            return None;
        }
        match path {
            "" => self.0.of_type.variants.get(prefix.strip_suffix('.').unwrap_or(prefix)),
            path => self.0.of_type.variants.get(&format!("{prefix}{path}")),
        }
        .copied()
    }

    /// The paths of enums of layers under a prefix, for messages.
    pub(crate) fn variants_of(&self, prefix: &str) -> Vec<&str> {
        self.0.of_type.variants.keys().filter_map(|path| path.strip_prefix(prefix)).collect()
    }

    /// The fields under a prefix, by their paths after it, and the groups that optimizers step them in.
    pub(crate) fn groups_of<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = (&'m str, &'m str)> {
        let own = move |(path, group): &'m (String, String)| Some((path.strip_prefix(prefix)?, group.as_str()));
        self.0.of_type.groups.iter().filter_map(own)
    }

    /// The tensors under a prefix that are others', by their paths after it, and the paths of these.
    pub(crate) fn shared_of<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = (&'m str, &'m str)> {
        let own =
            move |(path, other): &'m (String, String)| Some((path.strip_prefix(prefix)?, other.strip_prefix(prefix)?));
        self.0.of_type.shared.iter().filter_map(own)
    }

    /// Whether that is the same memory.
    pub(crate) fn is(&self, other: &ModelCore) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The fields under a prefix in which losses compute no gradient, by their paths after it: what a whole model does not train, its
    /// part's own losses may.
    pub(crate) fn frozen_of<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = &'m str> {
        self.0.of_type.frozen.iter().filter_map(move |path| path.strip_prefix(prefix))
    }

    /// Whether what lies at a path after the prefix is in one of them.
    pub(crate) fn is_frozen(&self, prefix: &str, path: &str) -> bool {
        self.frozen_of(prefix).any(|field| paths::under(field, path).is_some())
    }

    /// Distinct among all models; moving a model does not change it.
    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// The memory as it is now.
    pub(crate) fn store(&self) -> Arc<Store> {
        self.0.store.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The seed of the next call that draws random numbers: Philox of the model's seed and how many such calls there
    /// were, so that a run can be repeated and no two steps drop the same elements.
    pub(crate) fn next_seed(&self) -> Scalar {
        call_seed(self.0.seed.load(Ordering::Relaxed), self.0.steps.fetch_add(1, Ordering::Relaxed))
    }

    /// Where its random numbers stand.
    pub(crate) fn draws(&self) -> Draws {
        Draws { seed: self.0.seed.load(Ordering::Relaxed), calls: self.0.steps.load(Ordering::Relaxed) }
    }

    /// Goes on with the random numbers from there.
    pub(crate) fn set_draws(&self, draws: Draws) {
        self.0.seed.store(draws.seed, Ordering::Relaxed);
        self.0.steps.store(draws.calls, Ordering::Relaxed);
    }
}

/// The parameter at that position, as one whose gradient is computed, if that is said.
pub(crate) fn parameter(store: &Arc<Store>, index: usize, is_tracked: bool) -> Tensor {
    tracer::note(|tracing| tracing.note_parameter(store.id(), index, is_tracked));
    let parameter = view(store, &store.parameters()[index]);
    if !is_tracked {
        return parameter;
    }
    let owner = Owner { store: store.clone(), index, version: store.version() };
    let leaf = Leaf::new(parameter.held(), Some(owner));
    parameter.with_history(Some(History::Leaf(leaf)))
}

/// A tensor of a model, in place.
pub(crate) fn view(store: &Store, entry: &StoredTensor) -> Tensor {
    Tensor::from_region(entry.region.clone(), entry.shape.clone(), entry.dtype, store.device().clone())
}

/// The random seed of call number `step`.
pub(crate) fn call_seed(seed: u64, step: u64) -> Scalar {
    let counter = [step as u32, (step >> 32) as u32, 0x7365_6564, 0];
    Scalar::U32(philox4x32(counter, [seed as u32, (seed >> 32) as u32])[0])
}

impl std::fmt::Debug for ModelCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let store = self.store();
        f.debug_struct("ModelCore")
            .field("device", &store.device().to_string())
            .field("parameters", &Paths(&store.parameters))
            .field("states", &Paths(&store.states))
            .finish()
    }
}

/// Shows paths, types and shapes; the elements stay on the device.
struct Paths<'a>(&'a Group);

impl std::fmt::Debug for Paths<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |entry: &StoredTensor| format!("{} {}", entry.dtype, Shape::of(&entry.shape));
        f.debug_map().entries(self.0.entries.iter().map(|entry| (&entry.path, shown(entry)))).finish()
    }
}
