//! The memory of a model's tensors on one device: where each lies.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, BufferHandle};
use crate::model::gradient_buffer::{GradientBuffer, Spare, writer_id};
use crate::model::late_states::LateStates;
use crate::tensor::vector;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many sets of parameters in which there are gradients are told apart.
const WRITERS: usize = 16;

/// One tensor of a model.
#[derive(Clone, Debug)]
pub(crate) struct StoredTensor {
    pub(crate) path: String,
    pub(crate) shape: Arc<[usize]>,
    pub(crate) dtype: DType,
    /// In the buffer of its kind; a multiple of [`ALIGNMENT`].
    pub(crate) offset: usize,
    pub(crate) region: BufferHandle,
}

impl StoredTensor {
    pub(crate) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

/// The memory itself, on one device.
pub(crate) struct Store {
    id: u64,
    device: Device,
    pub(super) parameters: Group,
    pub(super) states: Group,
    /// Gradient buffers that are free; see [`GradientBuffer`].
    spare: Arc<Spare>,
    /// Whose turn it is to change states; see [`Store::turn`].
    turn: Arc<Mutex<()>>,
    /// See [`Store::version`].
    changes: Arc<AtomicU64>,
    /// Which parameters gradients are in, each with the number of what writes them; see [`Store::writer`].
    writers: Mutex<Recent<(Arc<[bool]>, u64)>>,
    /// Dropped after the states, which others may hold.
    late: Arc<LateStates>,
}

/// Tensors in one buffer.
pub(super) struct Group {
    /// `None` if there are no tensors.
    pub(super) whole: Option<BufferHandle>,
    bytes: usize,
    pub(super) entries: Vec<StoredTensor>,
    /// Path → position.
    positions: BTreeMap<String, usize>,
}

impl Store {
    pub(super) fn new(device: &Device, parameters: Group, states: Group) -> Store {
        let spare = Arc::<Spare>::default();
        device.add_reserve(Arc::<Spare>::downgrade(&spare));
        let late = Arc::<LateStates>::default();
        if let Some(whole) = &states.whole {
            whole.written_late_by(Arc::<LateStates>::downgrade(&late));
        }
        Store {
            id: next_id(),
            device: device.clone(),
            parameters,
            states,
            spare,
            turn: Arc::default(),
            changes: Arc::default(),
            writers: Mutex::new(Recent::new(WRITERS)),
            late,
        }
    }

    /// Distinct among all stores of the process.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// To be locked from the first launch of a call that changes states to its last command: between reading the old value
    /// and writing the new one no other call may do the same, or one of the two is lost.
    pub(crate) fn turn(&self) -> &Arc<Mutex<()>> {
        &self.turn
    }

    /// What its states become by calls that wait. Where both are locked, [`Store::turn`] is first.
    pub(crate) fn late_states(&self) -> &LateStates {
        &self.late
    }

    /// How often the parameters have changed: what was computed of them is of one version.
    pub(crate) fn version(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// What is counted up whenever parameters are written to.
    pub(crate) fn changes(&self) -> &Arc<AtomicU64> {
        &self.changes
    }

    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn parameters(&self) -> &[StoredTensor] {
        &self.parameters.entries
    }

    pub(crate) fn states(&self) -> &[StoredTensor] {
        &self.states.entries
    }

    /// Which bytes of the parameters' buffer those under a prefix take, padding included; `None` if there are none.
    ///
    /// # Errors
    ///
    /// If others lie between them: a schema written by hand that does not keep a part's tensors together.
    pub(crate) fn parameter_range(&self, prefix: &str, operation: &str) -> Result<Option<Range<usize>>> {
        let range = self.parameter_bytes_of(&self.positions_under(prefix, operation)?);
        Ok((!range.is_empty()).then_some(range))
    }

    /// The positions of the parameters under a prefix.
    ///
    /// # Errors
    ///
    /// As [`Store::parameter_range`].
    pub(super) fn positions_under(&self, prefix: &str, operation: &str) -> Result<Range<usize>> {
        let entries = &self.parameters.entries;
        let inside = |entry: &StoredTensor| entry.path.starts_with(prefix);
        let Some(first) = entries.iter().position(inside) else { return Ok(0..0) };
        let count = entries[first..].iter().take_while(|entry| inside(entry)).count();
        if entries[first + count..].iter().any(inside) {
            return Err(Error::Mismatch {
                operation: operation.to_owned(),
                problem: format!("the parameters under `{prefix}` do not follow each other in the model's schema"),
            });
        }
        Ok(first..first + count)
    }

    /// The bytes of the parameters at these positions, padding included.
    pub(super) fn parameter_bytes_of(&self, positions: &Range<usize>) -> Range<usize> {
        let start =
            |position: usize| self.parameters.entries.get(position).map_or(self.parameters.bytes, |entry| entry.offset);
        start(positions.start)..start(positions.end)
    }

    /// Those bytes of the parameters' buffer; `None` if there is no buffer.
    pub(crate) fn parameter_region(&self, range: &Range<usize>) -> Result<Option<BufferHandle>> {
        self.parameters.whole.as_ref().map(|whole| part(whole, range, self.parameters.bytes)).transpose()
    }

    /// The same bytes of the gradients in all parameters, of which `whole` is the buffer.
    pub(crate) fn gradient_region(&self, whole: &BufferHandle, range: &Range<usize>) -> Result<BufferHandle> {
        part(whole, range, self.parameters.bytes)
    }

    /// The parameter whose gradient is asked for.
    pub(crate) fn parameter_index(&self, prefix: &str, path: &str) -> Result<usize> {
        self.parameters.position(prefix, path).ok_or_else(|| {
            let (path, available) = (path.to_owned(), self.parameters.under(prefix));
            let available = available.map(|(path, _)| path.to_owned()).collect();
            match self.states.position(prefix, &path) {
                Some(_) => Error::NoGradient { path, available },
                None => Error::UnknownParameter { path, available },
            }
        })
    }

    pub(crate) fn state_index(&self, prefix: &str, path: &str) -> Result<usize> {
        self.states.position(prefix, path).ok_or_else(|| self.unknown(prefix, path))
    }

    /// A buffer for the gradients of all parameters: a free one, or a new one filled with zeros.
    pub(crate) fn gradient_buffer(&self) -> Result<GradientBuffer> {
        let parts = self.parameters.entries.iter().map(|entry| (entry.offset, entry.bytes()));
        GradientBuffer::take(&self.spare, &self.device, self.parameters.bytes, parts)
    }

    /// The number of what writes gradients in these parameters and no others, for [`GradientBuffer::prepare`]: the same as before, so
    /// that what it does not write is zero already.
    pub(crate) fn writer(&self, covered: Vec<bool>) -> (u64, Arc<[bool]>) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, id)) = writers.find(|(known, _)| **known == *covered) {
            return (*id, known.clone());
        }
        let new = (Arc::from(covered), writer_id());
        writers.add(new.clone());
        (new.1, new.0)
    }

    /// The gradients of all parameters in a buffer of their layout; `covered` says in which there are some.
    pub(super) fn gradients_in(&self, whole: BufferHandle, covered: Arc<[bool]>) -> Result<GradientBuffer> {
        let parts = self.parameters.entries.iter().map(|entry| (entry.offset, entry.bytes()));
        GradientBuffer::of(&self.device, whole, parts, covered)
    }

    /// Bytes of the parameters' buffer.
    pub(super) fn parameter_bytes(&self) -> usize {
        self.parameters.bytes
    }

    pub(super) fn entry(&self, prefix: &str, path: &str) -> Result<&StoredTensor> {
        let find = |group: &'_ Group| group.position(prefix, path);
        match (find(&self.parameters), find(&self.states)) {
            (Some(position), _) => Ok(&self.parameters.entries[position]),
            (_, Some(position)) => Ok(&self.states.entries[position]),
            (None, None) => Err(self.unknown(prefix, path)),
        }
    }

    /// Paths after the prefix, as the one who asked writes them.
    fn unknown(&self, prefix: &str, path: &str) -> Error {
        let all = self.parameters.under(prefix).chain(self.states.under(prefix));
        Error::UnknownParameter { path: path.to_owned(), available: all.map(|(path, _)| path.to_owned()).collect() }
    }
}

impl Group {
    /// Memory for the tensors, and an image of zeros to be filled and written to it.
    pub(super) fn new<'a>(
        device: &Device,
        tensors: impl Iterator<Item = (&'a str, Arc<[usize]>, DType)>,
    ) -> Result<(Group, Vec<u8>)> {
        let tensors: Vec<_> = tensors.collect();
        let (mut offsets, mut bytes) = (Vec::with_capacity(tensors.len()), 0usize);
        for (path, shape, dtype) in &tensors {
            offsets.push(bytes);
            let end = shape
                .iter()
                .try_fold(dtype.size(), |size, &dim| size.checked_mul(dim))
                .and_then(|size| bytes.checked_add(size)?.checked_next_multiple_of(ALIGNMENT))
                .filter(|end| isize::try_from(*end).is_ok());
            bytes = end.ok_or_else(|| Error::Shape {
                operation: "Model::new",
                message: format!("the tensor `{path}` of shape {shape:?} is larger than memory can be"),
            })?;
        }
        let whole = if bytes == 0 { None } else { Some(device.allocate(bytes)?) };
        whole.iter().for_each(BufferHandle::note_changes);
        let mut group = Group { whole, bytes, entries: Vec::with_capacity(tensors.len()), positions: BTreeMap::new() };
        for ((path, shape, dtype), offset) in tensors.into_iter().zip(offsets) {
            let size = shape.iter().product::<usize>() * dtype.size();
            let region = match &group.whole {
                Some(whole) if size > 0 => whole.part(offset, size)?,
                _ => device.allocate(1)?,
            };
            group.positions.insert(path.to_owned(), group.entries.len());
            group.entries.push(StoredTensor { path: path.to_owned(), shape, dtype, offset, region });
        }
        Ok((group, vector::zeros(device, bytes)?))
    }

    pub(super) fn write(&self, image: &[u8]) -> Result<()> {
        self.whole.as_ref().map_or(Ok(()), |whole| whole.write(image))
    }

    /// The tensors under a prefix (empty, or with a trailing dot), with what follows it in their paths.
    pub(super) fn under<'a>(&'a self, prefix: &str) -> impl Iterator<Item = (&'a str, &'a StoredTensor)> {
        self.entries.iter().filter_map(move |entry| Some((entry.path.strip_prefix(prefix)?, entry)))
    }

    fn position(&self, prefix: &str, path: &str) -> Option<usize> {
        if prefix.is_empty() {
            return self.positions.get(path).copied();
        }
        self.positions.get(&join(prefix, path)).copied()
    }
}

/// The bytes `range` of a buffer of `bytes`: itself if that is all of it.
fn part(whole: &BufferHandle, range: &Range<usize>, bytes: usize) -> Result<BufferHandle> {
    if *range == (0..bytes) { Ok(whole.clone()) } else { whole.part(range.start, range.len()) }
}

/// Equal to no other one that it gave.
pub(super) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// `prefix.path`.
fn join(prefix: &str, path: &str) -> String {
    let prefix = prefix.strip_suffix('.').unwrap_or(prefix);
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}.{path}") }
}
