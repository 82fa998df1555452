//! What devices there are, opened when they are first wanted.

use crate::device::Device;
use crate::error::{Error, Result};
use netcl_hal::config;
use netcl_hal::device::adapter::Adapter;
use netcl_hal::device::backend::Backend;
use netcl_hal::device::profile::{DeviceKind, DeviceProfile};
use netcl_hal::device::queue::warn_of_several_queues;
use netcl_hal::device::selector::{ACCEPTED, Selector};
use netcl_hal::host::backend::Host;
use netcl_hal::null::Null;
use netcl_hal::opencl::discover::{Listed, devices};
use netcl_hal::process;
use netcl_kernels::plan::Target;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Finds devices and keeps one handle for each: whoever asks for the same device gets the same one, with the same
/// memory pool and the same built programs.
///
/// [`DeviceManager::global`] is the process's; [`Device::auto`], [`Device::select`] and [`Device::all`] are short ways
/// to it.
///
/// ```
/// use netcl::DeviceManager;
///
/// let manager = DeviceManager::global();
/// for profile in manager.profiles() {
///     println!("{} = {}", profile.selector, profile.name);
/// }
/// let device = manager.find(|profile| profile.fp64 && profile.compute_units >= 1)?;
/// assert!(device.profile().fp64);
/// # Ok::<(), netcl::Error>(())
/// ```
pub struct DeviceManager {
    entries: Vec<FoundDevice>,
    /// What failed while devices were listed.
    problems: Vec<String>,
    /// What selectors were found to mean.
    handles: Mutex<BTreeMap<String, Device>>,
}

/// An OpenCL device that was found.
struct FoundDevice {
    found: Box<dyn Adapter>,
    opened: Mutex<Option<Device>>,
}

/// What kinds are preferred: OpenCL on a processor only after the host, whose code is native.
const PREFERENCE: [DeviceKind; 5] =
    [DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Host, DeviceKind::Cpu, DeviceKind::Other];

/// The device that a selector names, as [`DeviceManager::select`] has it. For the host no driver is opened.
pub(super) fn select(selector: &str) -> Result<Device> {
    if Selector::parse(selector) != Some(Selector::Host) {
        return DeviceManager::global().select(selector);
    }
    config::get()?;
    process::check()?;
    traced(host())
}

impl DeviceManager {
    /// The process's manager. Devices are looked for at the first call.
    #[doc(alias = "manager")]
    pub fn global() -> &'static DeviceManager {
        static GLOBAL: OnceLock<DeviceManager> = OnceLock::new();
        static NONE: OnceLock<DeviceManager> = OnceLock::new();
        if process::is_forked() {
            // A thread of the parent's may have been looking for devices.
            return GLOBAL.get().unwrap_or_else(|| NONE.get_or_init(|| DeviceManager::of(Listed::default())));
        }
        GLOBAL.get_or_init(DeviceManager::discover)
    }

    /// Looks for devices: every device of every OpenCL platform, in the loader's order. The handles are this manager's
    /// own, apart from the host's; most programs want [`DeviceManager::global`].
    pub fn discover() -> DeviceManager {
        if config::get().is_ok() {
            config::warn_of_unknown();
        }
        // In a forked child even asking could hang.
        let listed = if process::is_forked() { Listed::default() } else { devices() };
        DeviceManager::of(listed)
    }

    fn of(Listed { devices, problems }: Listed) -> DeviceManager {
        let entries = devices.into_iter().map(|found| FoundDevice { found, opened: Mutex::default() }).collect();
        DeviceManager { entries, problems, handles: Mutex::default() }
    }

    /// What failed while devices were listed, in words: a driver that does not answer, and whose devices are missing in
    /// [`DeviceManager::profiles`] therefore. Empty where all is well, also where there is no driver at all.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// What there is: every (platform, device), then the host. A device whose capabilities were never tried is opened;
    /// one that cannot be opened, as in a forked child, is listed as its driver describes it.
    pub fn profiles(&self) -> Vec<DeviceProfile> {
        let mut profiles: Vec<DeviceProfile> = self.entries.iter().map(FoundDevice::profile).collect();
        profiles.push(host().profile().clone());
        profiles
    }

    /// What `NETCL_DEVICE` says, else a GPU, else an accelerator, else the host; see [`Device::auto`].
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if an environment variable has a bad value; [`Error::NoDevice`] if `NETCL_DEVICE` fits no
    /// device; [`Error::Driver`] if the one it fits cannot be opened; [`Error::Io`] if the file of `NETCL_TRACE` cannot be
    /// created; [`Error::Forked`] in a forked child.
    pub fn auto(&self) -> Result<Device> {
        process::check()?;
        let device = match &config::get()?.device {
            None => self.best(),
            Some(selector) => self.resolve(selector, &selector.to_string()).map_err(|error| match error {
                Error::NoDevice { selector, hint, available } => {
                    Error::NoDevice { selector, hint: format!("asked for by NETCL_DEVICE; {hint}"), available }
                }
                other => other,
            })?,
        };
        traced(device)
    }

    /// The device that a selector names; the same one each time, but for `null`. [`Device::select`] lists selectors.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if it names none, with what there is; [`Error::Driver`] if the device cannot be opened;
    /// [`Error::Config`] if an environment variable has a bad value; [`Error::Io`] if the file of `NETCL_TRACE` cannot be
    /// created; [`Error::Forked`] in a forked child.
    pub fn select(&self, selector: &str) -> Result<Device> {
        config::get()?;
        process::check()?;
        let known = self.handles().get(selector).cloned();
        if let Some(device) = known {
            return traced(device);
        }
        let understood = Selector::parse(selector).ok_or_else(|| self.none(selector))?;
        let device = self.resolve(&understood, selector)?;
        if understood != Selector::Null {
            self.handles().insert(selector.to_owned(), device.clone());
        }
        traced(device)
    }

    /// The best device whose profile `fits`: GPUs are asked about first, then accelerators, the host, and OpenCL on
    /// processors; within a kind in the order of [`DeviceManager::profiles`].
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if none fits; [`Error::Driver`] if the one that does cannot be opened; [`Error::Io`] if the file
    /// of `NETCL_TRACE` cannot be created; [`Error::Forked`] in a forked child; [`Error::Config`] if an environment variable
    /// has a bad value.
    pub fn find(&self, fits: impl Fn(&DeviceProfile) -> bool) -> Result<Device> {
        process::check()?;
        for kind in PREFERENCE {
            if kind == DeviceKind::Host && fits(host().profile()) {
                return traced(host());
            }
            for entry in self.of_kind(kind) {
                if fits(&entry.profile()) {
                    return entry.open().and_then(traced);
                }
            }
        }
        let available = self.available();
        let hint = "ask for less, or take what `Device::auto()` gives".to_owned();
        Err(Error::NoDevice { selector: None, hint, available })
    }

    /// Opens several OpenCL devices of one platform in one context: devices of their own, each with its own queue and
    /// memory pool, between which tensors move without the host ([`crate::Tensor::to_device`]). A device that is named
    /// twice gives two queues. They are other devices than those given, and cannot be selected.
    ///
    /// ```
    /// use netcl::{Device, DeviceManager};
    ///
    /// if let Ok(device) = Device::select("cpu") {
    ///     let both = DeviceManager::global().shared_context(&[device.clone(), device.clone()])?;
    ///     assert!(both[0].shares_context_with(&both[1]));
    ///     assert!(!both[0].shares_context_with(&device));
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if there are none, one is no OpenCL device, or they belong to several platforms;
    /// [`Error::Driver`] if the driver refuses; [`Error::Forked`] in a forked child; [`Error::Config`] if an
    /// environment variable has a bad value.
    pub fn shared_context(&self, devices: &[Device]) -> Result<Vec<Device>> {
        process::check()?;
        let unsupported = |device: String, problem: String| Error::Unsupported {
            function: "DeviceManager::shared_context".to_owned(),
            device,
            problem,
        };
        for device in devices {
            if !device.backend().has_context() {
                let problem = "it is no OpenCL device, so it has no context".to_owned();
                return Err(unsupported(device.to_string(), problem));
            }
            if device.profile().platform != devices[0].profile().platform {
                let problem = format!("a context is of one platform, and `{}` is of another", devices[0]);
                return Err(unsupported(device.to_string(), problem));
            }
        }
        let Some(first) = devices.first() else {
            return Err(unsupported("no device".to_owned(), "name at least one device".to_owned()));
        };
        warn_of_several_queues(first.profile());
        let members: Vec<&dyn Backend> = devices.iter().map(Device::backend).collect();
        Ok(first.backend().share_context(&members)?.into_iter().map(Device::of).collect())
    }

    fn resolve(&self, selector: &Selector, text: &str) -> Result<Device> {
        match selector {
            Selector::Auto => Ok(self.best()),
            Selector::Host => Ok(host()),
            Selector::Null => Ok(Device::of(Arc::new(Null::new(Target::Gpu, u64::MAX)))),
            selector => {
                let fitting = self.entries.iter().filter(|entry| selector.fits(entry.found.reported()));
                // The first, but for a driver that may give wrong sums.
                let entry = fitting.min_by_key(|entry| entry.found.reported().ends_loops().is_some());
                entry.ok_or_else(|| self.none(text))?.open()
            }
        }
    }

    /// A GPU, else an accelerator, else the host. A device that cannot be opened is passed over with a warning.
    fn best(&self) -> Device {
        for kind in PREFERENCE.into_iter().take_while(|kind| *kind != DeviceKind::Host) {
            for entry in self.of_kind(kind) {
                match entry.open() {
                    Ok(device) => return device,
                    Err(error) => tracing::warn!(%error, "a device cannot be opened; trying the next"),
                }
            }
        }
        host()
    }

    fn of_kind(&self, kind: DeviceKind) -> impl Iterator<Item = &FoundDevice> {
        self.entries.iter().filter(move |entry| entry.found.reported().kind == kind)
    }

    fn none(&self, selector: &str) -> Error {
        let problems: String = self.problems.iter().map(|problem| format!("; {problem}")).collect();
        let hint = format!("accepted: {ACCEPTED}{problems}");
        Error::NoDevice { selector: Some(selector.to_owned()), hint, available: self.available() }
    }

    fn available(&self) -> Vec<String> {
        let host = host();
        let profiles = self.entries.iter().map(|entry| entry.found.reported()).chain([host.profile()]);
        profiles.map(|profile| format!("{} = {} ({})", profile.selector, profile.name, profile.kind)).collect()
    }

    fn handles(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Device>> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for DeviceManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.available()).finish()
    }
}

impl FoundDevice {
    fn open(&self) -> Result<Device> {
        // Before the lock: it may have been held while the process forked.
        process::check()?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = &*opened {
            return Ok(device.clone());
        }
        let device = Device::of(self.found.open()?);
        if let Some(quirk) = device.profile().ends_loops() {
            tracing::warn!(
                device = device.profile().name,
                reason = quirk.reason,
                "long sums are wrong with this driver"
            );
        }
        Ok(opened.insert(device).clone())
    }

    fn profile(&self) -> DeviceProfile {
        if process::is_forked() {
            return self.found.recorded().unwrap_or_else(|| self.found.reported().clone());
        }
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(device) = opened {
            return device.profile().clone();
        }
        self.found.recorded().unwrap_or_else(|| match self.open() {
            Ok(device) => device.profile().clone(),
            Err(error) => {
                tracing::warn!(%error, "a device cannot be opened: its capabilities are what the driver says");
                self.found.reported().clone()
            }
        })
    }
}

/// The device, if what it does can be written where the environment wants it: that is known once a device is made.
fn traced(device: Device) -> Result<Device> {
    netcl_hal::profile::check()?;
    Ok(device)
}

/// The host, which is the same for every manager.
pub(super) fn host() -> Device {
    static HOST: OnceLock<Device> = OnceLock::new();
    HOST.get_or_init(|| Device::of(Arc::new(Host::new()))).clone()
}

#[cfg(test)]
mod tests;
