//! Built raw kernels: what is checked before one runs.

use super::argument::Arg;
use super::grid::Grid;
use super::measurement;
use super::tuner::WorkGroupTuner;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::{self, Argument};
use netcl_hal::config::{self, Autotune};
use netcl_hal::device::kernels::{DeviceKernel, KernelLimits};
use netcl_hal::device::parameter::Parameter;
use netcl_kernels::kir::Geometry;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A kernel that was built for a device. Made by [`super::KernelSpec::build`].
///
/// ```
/// use netcl::raw::{Grid, KernelSpec};
/// use netcl::{Device, Tensor};
///
/// let source = "
///     __kernel void scale(__global float* x, float by, uint n) {
///         uint i = get_global_id(0);
///         if (i < n) x[i] *= by;
///     }";
/// # let Ok(device) = Device::select("cpu") else { return Ok(()) };
/// let scale = KernelSpec::from_source("scale", source).build(&device)?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3])?;
/// // SAFETY: the kernel touches the first `n` elements of `x`, which has as many, each from one work-item.
/// unsafe { scale.launch(&[(&x).into(), 2.0f32.into(), 3u32.into()], &Grid::from(3))? };
/// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
pub struct RawKernel {
    device: Device,
    name: String,
    source: String,
    /// What its measurements are kept under; `None` if they are for this kernel alone.
    key: Option<measurement::MeasurementKey>,
    count: usize,
    /// `None` where the driver does not tell.
    parameters: Option<Vec<Parameter>>,
    limits: KernelLimits,
    tuner: WorkGroupTuner,
    measured: Mutex<Measured>,
    kernel: Box<dyn DeviceKernel>,
}

/// Measured work-group sizes by bucket, `None` where there is no measurement: what the device's selector answered, or, of a
/// kernel whose text does not say all, what was measured with it.
#[derive(Debug, Default)]
struct Measured {
    /// The selector's number for what it knew; with another one, others may have measured.
    generation: u64,
    sizes: BTreeMap<u32, Option<usize>>,
}

impl fmt::Debug for RawKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawKernel({}({}) on {})", self.name, self.shown_parameters(), self.device)
    }
}

impl WorkGroupTuner {
    /// The size for a kernel over so many work-items; at least 1, and one that the kernel can have.
    pub fn local_size(&self, kernel: &RawKernel, items: usize) -> usize {
        self.size(kernel.device.profile(), &kernel.limits, items)
    }

    /// Sizes worth measuring, ascending: powers of two, and the rule's choice for many work-items.
    pub fn candidates(&self, kernel: &RawKernel) -> Vec<usize> {
        self.sizes(kernel.device.profile(), &kernel.limits)
    }
}

impl RawKernel {
    pub(super) fn new(
        device: &Device,
        name: &str,
        tuner: WorkGroupTuner,
        source: String,
        options: &str,
        kernel: Box<dyn DeviceKernel>,
    ) -> Result<RawKernel> {
        let count = kernel.argument_count();
        let parameters = kernel.parameters()?.filter(|list| list.len() == count);
        if parameters.is_none() {
            tracing::debug!(kernel = name, "the driver does not tell the parameters: their number is checked alone");
        }
        let (device, name, limits) = (device.clone(), name.to_owned(), kernel.limits()?);
        let measured = Mutex::default();
        let key = kernel.is_whole().then(|| measurement::MeasurementKey::new(&name, options, &source));
        Ok(RawKernel { device, name, source, key, count, parameters, limits, tuner, measured, kernel })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device that it was built for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The text that was built.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its parameters, as the driver tells them; `None` where it does not.
    pub fn parameters(&self) -> Option<&[Parameter]> {
        self.parameters.as_deref()
    }

    /// The most work-items that a work-group of it may have on its device.
    pub fn max_work_group(&self) -> usize {
        self.limits.work_group
    }

    /// Work-groups of a multiple of this many work-items run best.
    pub fn preferred_multiple(&self) -> usize {
        self.limits.multiple
    }

    /// What [`RawKernel::launch_over`] launches for so many work-items.
    pub fn grid(&self, items: usize) -> Grid {
        let size = match self.limits.required {
            Some([size, 1, 1]) => size,
            _ => self.remembered(items).unwrap_or_else(|| self.tuner.local_size(self, items)),
        };
        Grid::rounded_up(items, size)
    }

    /// Checks everything and launches.
    pub(crate) fn run(&self, arguments: &[Arg<'_>], grid: &Grid) -> Result<()> {
        for argument in arguments {
            if let Arg::Tensor(tensor) = argument {
                tensor.region()?;
            }
        }
        self.check(arguments)?;
        let Some(geometry) = self.geometry(grid)? else { return Ok(()) };
        let set = arguments.iter().map(|argument| match argument {
            Arg::Tensor(tensor) => Ok(Argument::Memory(tensor.region()?)),
            Arg::Value(value) => Ok(Argument::Bytes(value.bytes())),
            Arg::Local(bytes) => Ok(Argument::Local(*bytes)),
        });
        let set: SmallVec<[Argument<'_>; 8]> = set.collect::<Result<_>>()?;
        launch::launch(&self.device, &*self.kernel, set.iter().copied(), &geometry)
    }

    fn check(&self, arguments: &[Arg<'_>]) -> Result<()> {
        if arguments.len() != self.count {
            return Err(Error::KernelArgumentCount {
                kernel: self.name.clone(),
                expected: self.count,
                found: arguments.len(),
                parameters: self.shown_parameters(),
            });
        }
        let mut local = 0usize;
        for (position, argument) in arguments.iter().enumerate() {
            if let Some(parameter) = self.parameters.as_ref().map(|parameters| &parameters[position])
                && !argument.fits(parameter)
            {
                return Err(Error::KernelArgument {
                    kernel: self.name.clone(),
                    position,
                    expected: format!("{} for `{parameter}`", parameter.expectation()),
                    found: argument.to_string(),
                });
            }
            match argument {
                Arg::Tensor(tensor) if tensor.device() != &self.device => {
                    return Err(self.device.mismatch(&self.name, format!("argument {position}"), tensor.device()));
                }
                Arg::Local(bytes) => local = local.saturating_add(*bytes),
                Arg::Tensor(_) | Arg::Value(_) => {}
            }
        }
        // Arrays may be larger than arguments where a driver reports less than there is.
        let memory = self.device.profile().local_memory;
        let whole = self.limits.local_bytes.saturating_add(local as u64);
        let (of, bytes, limit) = match self.limits.local_bytes {
            own if own > memory.usable => ("its arrays take", own, memory.usable),
            _ if local as u64 > memory.reported => ("its arguments take", local as u64, memory.reported),
            _ if whole > memory.usable => ("its arrays and arguments take", whole, memory.usable),
            _ => return Ok(()),
        };
        Err(self.fail(format!(
            "{of} {bytes} bytes of local memory, the device has {limit} for a work-group; use smaller tiles"
        )))
    }

    /// The sizes as the driver takes them; `None` if there are no work-items.
    fn geometry(&self, grid: &Grid) -> Result<Option<Geometry>> {
        let (items, dimensions) = (grid.items(), grid.dimensions());
        if !(1..=3).contains(&dimensions) {
            return Err(self.fail(format!("a grid has 1 to 3 dimensions, found {dimensions}")));
        }
        let mut global = [1; 3];
        global[..dimensions].copy_from_slice(items);
        if let Some(given) = grid.group_dimensions()
            && given != dimensions
        {
            return Err(self.fail(format!("work-groups of {given} dimensions in a grid of {dimensions}")));
        }
        let groups = grid.groups().or(self.limits.required.as_ref().map(|required| &required[..dimensions]));
        let local = groups.map(|groups| self.group(groups, items)).transpose()?;
        self.check_count(global, local)?;
        Ok((!items.contains(&0)).then_some(Geometry { dimensions, global, local }))
    }

    /// Drivers count work-groups in 32 bits: PoCL ends the process at more, or runs some of them twice.
    fn check_count(&self, global: [usize; 3], local: Option<[usize; 3]>) -> Result<()> {
        let of = local.unwrap_or([1; 3]);
        let along = |axis: usize| (global[axis] / of[axis]) as u128;
        let (count, most) = (along(0).saturating_mul(along(1)).saturating_mul(along(2)), u32::MAX);
        if count <= most.into() {
            return Ok(());
        }
        let (what, instead) = match local {
            Some(_) => ("work-groups", "use larger ones"),
            None => ("work-items without work-groups", "say how large these are (`Grid::in_groups`)"),
        };
        Err(self.fail(format!("{count} {what} are more than {most}; {instead}, or have each work-item do more")))
    }

    fn group(&self, groups: &[usize], items: &[usize]) -> Result<[usize; 3]> {
        let profile = self.device.profile();
        let mut local = [1; 3];
        local[..groups.len()].copy_from_slice(groups);
        if let Some(required) = self.limits.required
            && local != required
        {
            return Err(
                self.fail(format!("its `reqd_work_group_size` is {required:?}, found work-groups of {groups:?}"))
            );
        }
        for (axis, (&group, &items)) in groups.iter().zip(items).enumerate() {
            let most = profile.max_work_items[axis];
            if group == 0 || group > most {
                return Err(
                    self.fail(format!("work-groups may have 1 to {most} items along axis {axis}, found {group}"))
                );
            }
            if !items.is_multiple_of(group) {
                return Err(self.fail(format!(
                    "{items} work-items along axis {axis} are no multiple of the work-group's {group}; round up \
                     (`Grid::rounded_up`) and let the kernel skip those past the end"
                )));
            }
        }
        let total = groups.iter().try_fold(1usize, |total, &size| total.checked_mul(size)).unwrap_or(usize::MAX);
        if total > self.limits.work_group {
            let most = self.limits.work_group;
            return Err(self.fail(format!("its work-groups may have {most} items here, found {total}: {groups:?}")));
        }
        Ok(local)
    }

    /// The measured size for about so many work-items, of this run or an earlier one.
    fn remembered(&self, items: usize) -> Option<usize> {
        let bucket = measurement::bucket(items);
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let size = match &self.key {
            Some(key) => {
                let generation = self.device.selection().work_groups();
                if measured.generation != generation {
                    *measured = Measured { generation, ..Measured::default() };
                }
                *measured.sizes.entry(bucket).or_insert_with(|| key.load(&self.device, bucket))
            }
            None => measured.sizes.get(&bucket).copied().flatten(),
        };
        // The file is a note: what it says must be possible here.
        size.filter(|size| (1..=self.limits.work_group.min(self.device.profile().max_work_items[0])).contains(size))
    }

    /// The fastest size, measured unless it is remembered and not asked for `again`.
    pub(crate) fn measure(&self, arguments: &[Arg<'_>], items: usize, again: bool) -> Result<Grid> {
        let known = !again && self.remembered(items).is_some();
        if items == 0 || self.limits.required.is_some() || known {
            self.check(arguments)?;
            return Ok(self.grid(items));
        }
        let run = |size: usize| self.run(arguments, &Grid::rounded_up(items, size));
        let size = measurement::fastest(&self.device, &self.tuner.candidates(self), run)?;
        match &self.key {
            Some(key) => key.store(&self.device, measurement::bucket(items), size),
            None if config::get()?.autotune == Autotune::Off => {}
            None => {
                let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
                measured.sizes.insert(measurement::bucket(items), Some(size));
            }
        }
        Ok(Grid::rounded_up(items, size))
    }

    fn shown_parameters(&self) -> String {
        match &self.parameters {
            Some(parameters) => parameters.iter().map(Parameter::to_string).collect::<Vec<_>>().join(", "),
            None => "not known".to_owned(),
        }
    }

    fn fail(&self, problem: String) -> Error {
        Error::Kernel { kernel: self.name.clone(), problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::KernelSpec;
    use crate::tensor::Tensor;
    use netcl_kernels::dtype::DType;

    /// Of another with the same text it says nothing: what is included may be another by then.
    #[test]
    fn what_is_measured_with_an_included_text_is_that_kernels_alone() {
        let Ok(device) = Device::select("cpu") else { return };
        let folder = std::env::temp_dir().join(format!("netcl-measured-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("index.h"), "#define INDEX get_global_id(0)\n").unwrap();
        let source = "#include \"index.h\"\n__kernel void measured(__global uint* x) { x[INDEX] = 1; }";
        let spec = KernelSpec::from_source("measured", source).option(&format!("-I{}", folder.display()));
        let [one, other] = [(); 2].map(|()| spec.build(&device).unwrap());
        let x = Tensor::zeros(&device, &[1024], DType::U32).unwrap();
        let grid = one.measure(&[(&x).into()], 1024, false).unwrap();
        assert_eq!(one.remembered(1000), grid.groups().map(|groups| groups[0]));
        assert_eq!((one.remembered(512), other.remembered(1000)), (None, None));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
