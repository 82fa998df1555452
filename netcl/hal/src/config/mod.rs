//! Settings from the environment, read once. `variables` and [`variants`] list them, and the page `docs/environment.md`
//! is written from these lists.

mod unknown;
mod values;
mod variable;
mod variables;
pub mod variants;

use crate::device::selector::Selector;
use crate::device::strategy::KernelStrategy;
use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;
pub use unknown::warn as warn_of_unknown;
pub use values::Autotune;
use variable::Variable;
use variants::VariantSwitches;

/// The settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `NETCL_DEVICE`, if it is set.
    pub device: Option<Selector>,
    /// Where built programs and what was found out about devices are kept; `None`: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// `NETCL_CACHE_LIMIT_MB`, in bytes: how large that folder may become.
    pub cache_limit: u64,
    /// `NETCL_KERNEL_STRATEGY`; `None`: each device's own.
    pub kernel_strategy: Option<KernelStrategy>,
    /// `NETCL_WIDE_INDICES`: kernels compute indices with 64 bits, whatever sizes are.
    pub wide_indices: bool,
    /// `NETCL_EAGER`: operations on tensors are computed when they are called.
    pub eager: bool,
    /// `NETCL_TIERED_COMPILATION`: where optimizing takes long, programs are built without it first.
    pub(crate) tiered_compilation: bool,
    /// `NETCL_PROFILE_EVENTS`: queues note when commands start and end, and it is recorded.
    pub(crate) profile_events: bool,
    /// `NETCL_TRACE`: where what devices do is written.
    pub(crate) trace: Option<PathBuf>,
    /// `NETCL_AUTOTUNE`: whether measurements of kernels are used, and made.
    pub autotune: Autotune,
    /// Which variants of kernels may be picked.
    pub variants: VariantSwitches,
    /// `NETCL_MAX_CACHED_GB`, in bytes: how much idle memory a pool keeps.
    pub max_cached_bytes: u64,
    /// `NETCL_ASYNC_H2D`: copies to the device do not wait.
    pub(crate) async_h2d: bool,
    /// `POCL_KERNEL_CACHE`, a variable of PoCL's: whether it keeps programs between runs.
    pub(crate) pocl_keeps: bool,
    /// `NETCL_PINNED_H2D`: copies to the device go through page-locked memory.
    pub(crate) pinned_h2d: bool,
}

impl Config {
    /// Whether queues note when commands start and end.
    pub(crate) fn times_commands(&self) -> bool {
        self.profile_events || self.trace.is_some()
    }
}

/// How much freed memory a pool keeps unless `NETCL_MAX_CACHED_GB` says otherwise, in bytes.
pub const DEFAULT_MAX_CACHED: u64 = variables::MAX_CACHED << 30;

/// A value that is not understood.
#[derive(Clone, Debug, PartialEq)]
struct BadValue {
    variable: &'static Variable,
    value: String,
}

/// The settings of this process.
///
/// # Errors
///
/// [`Error::Config`] if a variable has a value that is not accepted, at every call.
pub fn get() -> Result<&'static Config> {
    static CONFIG: OnceLock<Result<Config, BadValue>> = OnceLock::new();
    CONFIG.get_or_init(|| from(|name| std::env::var_os(name))).as_ref().map_err(|BadValue { variable, value }| {
        Error::Config { variable: variable.name, value: value.clone(), accepted: variable.accepted }
    })
}

fn from(environment: impl Fn(&str) -> Option<OsString>) -> Result<Config, BadValue> {
    // A name that is no Unicode is taken as it is.
    let path = |name: &str| match environment(name)?.into_string() {
        Ok(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(PathBuf::from),
        Err(other) => Some(PathBuf::from(other)),
    };
    let text = |name: &str| {
        let value = environment(name)?.to_string_lossy().trim().to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    let switch = |variable, unset| parsed(&text, variable, values::switch).map(|value| value.unwrap_or(unset));
    Ok(Config {
        device: parsed(&text, &variables::DEVICE, Selector::parse)?,
        cache_dir: match place(&path, &variables::CACHE_DIR)? {
            Some(value) => value.map(absolute),
            None => default_cache_dir(&path).map(absolute),
        },
        cache_limit: parsed(&text, &variables::CACHE_LIMIT_MB, values::mebibytes)?
            .unwrap_or(variables::CACHE_LIMIT << 20),
        kernel_strategy: parsed(&text, &variables::KERNEL_STRATEGY, KernelStrategy::parse)?.flatten(),
        wide_indices: switch(&variables::WIDE_INDICES, false)?,
        eager: switch(&variables::EAGER, false)?,
        tiered_compilation: switch(&variables::TIERED_COMPILATION, true)?,
        profile_events: switch(&variables::PROFILE_EVENTS, false)?,
        trace: place(&path, &variables::TRACE)?.flatten().map(|value| numbered(value.as_os_str()).into()),
        autotune: parsed(&text, &variables::AUTOTUNE, values::autotune)?.unwrap_or(Autotune::Records),
        variants: VariantSwitches::read(|variable| parsed(&text, variable, values::switch))?,
        max_cached_bytes: parsed(&text, &variables::MAX_CACHED_GB, values::gibibytes)?.unwrap_or(DEFAULT_MAX_CACHED),
        async_h2d: switch(&variables::ASYNC_H2D, true)?,
        pocl_keeps: text(variables::POCL_KERNEL_CACHE).is_none_or(|value| value != "0"),
        pinned_h2d: switch(&variables::PINNED_H2D, true)?,
    })
}

/// What a variable says; `None` where it is not set.
fn parsed<T>(
    text: &impl Fn(&str) -> Option<String>,
    variable: &'static Variable,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, BadValue> {
    match text(variable.name) {
        None => Ok(None),
        Some(value) => match parse(&value) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(BadValue { variable, value }),
        },
    }
}

/// What a variable that names a file or a folder says: `Some(None)` where it switches that off, by any of the words for it. That
/// it is on does not say where; what has such a name is given as `./on`.
fn place(
    path: &impl Fn(&str) -> Option<PathBuf>,
    variable: &'static Variable,
) -> Result<Option<Option<PathBuf>>, BadValue> {
    let Some(value) = path(variable.name) else { return Ok(None) };
    match value.to_str().and_then(values::switch) {
        None => Ok(Some(Some(value))),
        Some(false) => Ok(Some(None)),
        Some(true) => Err(BadValue { variable, value: value.to_string_lossy().into_owned() }),
    }
}

/// The path from the root, so that it stays where it is when the program goes to another folder.
fn absolute(path: PathBuf) -> PathBuf {
    // Only where there is no current folder is there nothing to make it of.
    std::path::absolute(&path).unwrap_or(path)
}

/// With the number of this process for each `%p`.
fn numbered(name: &OsStr) -> OsString {
    let number = std::process::id().to_string();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};
        let mut bytes = Vec::with_capacity(name.len());
        let mut rest = name.as_bytes();
        while let Some(at) = rest.windows(2).position(|pair| pair == b"%p") {
            bytes.extend_from_slice(&rest[..at]);
            bytes.extend_from_slice(number.as_bytes());
            rest = &rest[at + 2..];
        }
        bytes.extend_from_slice(rest);
        OsString::from_vec(bytes)
    }
    #[cfg(not(unix))]
    name.to_str().map_or_else(|| name.to_owned(), |name| name.replace("%p", &number).into())
}

/// The user's cache folder by each system's own convention.
// By hand, and not `directories`: one folder on three systems.
fn default_cache_dir(path: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let base = if cfg!(windows) {
        path("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // The XDG specification says that a relative path is to be ignored.
        path("XDG_CACHE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| path("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("netcl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::variant::Variant;

    fn of(pairs: &[(&str, &str)]) -> Result<Config, BadValue> {
        from(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into()))
    }

    #[test]
    fn a_bad_value_names_the_variable_and_what_it_accepts() {
        for (name, value, hint) in [
            ("NETCL_DEVICE", "opencl:first", "opencl:P:D"),
            ("NETCL_CACHE_LIMIT_MB", "1 GB", "mebibytes"),
            ("NETCL_CACHE_DIR", "on", "folder"),
            ("NETCL_TRACE", "1", "file"),
            ("NETCL_KERNEL_STRATEGY", "fast", "portable"),
            ("NETCL_WIDE_INDICES", "64", "0"),
            ("NETCL_TIERED_COMPILATION", "later", "0"),
            ("NETCL_PROFILE_EVENTS", "maybe", "0"),
            ("NETCL_AUTOTUNE", "2", "records"),
            ("NETCL_CONV_WINOGRAD", "y", "0"),
            ("NETCL_CONV_TILED_LOCAL", "-1", "0"),
            ("NETCL_MAX_CACHED_GB", "-1", "number"),
            ("NETCL_MAX_CACHED_GB", "NaN", "number"),
            ("NETCL_MAX_CACHED_GB", "4 GB", "number"),
            ("NETCL_ASYNC_H2D", "async", "0"),
            ("NETCL_PINNED_H2D", "pinned", "0"),
        ] {
            let bad = of(&[(name, value)]).unwrap_err();
            assert_eq!((bad.variable.name, bad.value.as_str()), (name, value));
            assert!(bad.variable.accepted.contains(hint), "{name} accepts {}", bad.variable.accepted);
        }
    }

    #[test]
    fn what_is_not_set_or_empty_has_its_default() {
        let config = of(&[]).unwrap();
        assert_eq!(
            config,
            Config {
                device: None,
                cache_dir: None,
                cache_limit: 1 << 30,
                kernel_strategy: None,
                wide_indices: false,
                eager: false,
                tiered_compilation: true,
                profile_events: false,
                trace: None,
                autotune: Autotune::Records,
                variants: VariantSwitches::default(),
                max_cached_bytes: 4 << 30,
                async_h2d: true,
                pocl_keeps: true,
                pinned_h2d: true,
            }
        );
        let empty: Vec<_> = variables::all().map(|variable| (variable.name, "  ")).collect();
        assert_eq!(of(&empty).unwrap(), config);
    }

    #[test]
    fn values_are_understood() {
        let config = of(&[
            ("NETCL_DEVICE", " GPU "),
            ("NETCL_CACHE_LIMIT_MB", "256"),
            ("NETCL_KERNEL_STRATEGY", "Portable"),
            ("NETCL_WIDE_INDICES", "1"),
            ("NETCL_TIERED_COMPILATION", "off"),
            ("NETCL_PROFILE_EVENTS", "1"),
            ("NETCL_AUTOTUNE", "off"),
            ("NETCL_CONV_WINOGRAD", "FALSE"),
            ("NETCL_CONV_TILED_LOCAL", "on"),
            ("NETCL_MAX_CACHED_GB", "0.5"),
            ("NETCL_ASYNC_H2D", "no"),
            ("NETCL_PINNED_H2D", "0"),
        ])
        .unwrap();
        assert_eq!(config.device, Selector::parse("gpu"));
        assert_eq!(config.cache_limit, 256 << 20);
        assert_eq!(config.kernel_strategy, Some(KernelStrategy::Portable));
        assert_eq!((config.profile_events, config.wide_indices, config.autotune), (true, true, Autotune::Off));
        assert!(!config.tiered_compilation);
        assert_eq!(of(&[("NETCL_AUTOTUNE", "1")]).unwrap().autotune, Autotune::On);
        assert_eq!(of(&[("NETCL_AUTOTUNE", "Records")]).unwrap().autotune, Autotune::Records);
        let variants = VariantSwitches::default();
        let switched = variants.with(Variant::Conv2dWinograd, false).with(Variant::Conv2dTiledLocal, true);
        assert_eq!(config.variants, switched);
        assert_eq!(config.max_cached_bytes, 1 << 29);
        assert_eq!((config.async_h2d, config.pinned_h2d), (false, false));
        assert_eq!(of(&[("NETCL_KERNEL_STRATEGY", "auto")]).unwrap().kernel_strategy, None);
    }

    #[test]
    fn a_trace_has_a_file_for_each_process_that_wants_one() {
        let trace = |value| of(&[("NETCL_TRACE", value)]).unwrap().trace;
        for off in ["off", "OFF", "0", "false", " no "] {
            assert_eq!(trace(off), None, "{off}");
        }
        for name in ["a.json", "./off", "offset", "on/a"] {
            assert_eq!(trace(name), Some(PathBuf::from(name)));
        }
        let numbered = of(&[("NETCL_TRACE", "%p/a-%p.json")]).unwrap().trace;
        let number = std::process::id();
        assert_eq!(numbered, Some(PathBuf::from(format!("{number}/a-{number}.json"))));
    }

    /// Names of files need not be Unicode: none of their bytes may change.
    #[test]
    #[cfg(unix)]
    fn files_keep_their_names() {
        use std::os::unix::ffi::OsStrExt;
        let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
        let one = |variable: &'static str, value: &'static [u8]| {
            from(move |asked| (asked == variable).then(|| name(value).to_owned())).unwrap()
        };
        assert_eq!(one("NETCL_CACHE_DIR", b"/c\xe9/").cache_dir.unwrap().as_os_str(), name(b"/c\xe9/"));
        assert_eq!(
            one("XDG_CACHE_HOME", b"/\xff").cache_dir.is_some_and(|dir| dir.starts_with(name(b"/\xff"))),
            !cfg!(target_os = "macos")
        );
        let trace = one("NETCL_TRACE", b"\xff%p-%p").trace.unwrap();
        let number = std::process::id();
        assert_eq!(trace.as_os_str().as_bytes(), [b"\xff", format!("{number}-{number}").as_bytes()].concat());
    }

    #[test]
    fn the_cache_can_be_moved_and_turned_off() {
        for off in ["off", "Off", "0", "false", "no"] {
            assert_eq!(of(&[("NETCL_CACHE_DIR", off), ("HOME", "/h")]).unwrap().cache_dir, None, "{off}");
        }
        assert_eq!(of(&[("NETCL_CACHE_DIR", "/c")]).unwrap().cache_dir, Some(PathBuf::from("/c")));
        // It does not move with the program.
        let here = std::env::current_dir().unwrap();
        assert_eq!(of(&[("NETCL_CACHE_DIR", "a/c")]).unwrap().cache_dir, Some(here.join("a/c")));
        let home = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
        assert!(of(&[(home, "h")]).unwrap().cache_dir.is_some_and(|dir| dir.starts_with(here.join("h"))));
    }
}
