//! Settings from the environment, read once.
//!
//! | variable | meaning |
//! |---|---|
//! | `NETCL_DEVICE` | what [`crate::Device::auto`] takes, see [`crate::Device::select`] |
//! | `NETCL_CACHE_DIR` | folder of built programs; `off` keeps them in memory only |
//! | `NETCL_LOG` | `off`, `error`, `warn`, `info`, `debug` or `trace`: events written to standard error |

use crate::error::{Error, Result};
use std::path::PathBuf;
use std::sync::OnceLock;
use tracing::level_filters::LevelFilter;

/// The settings.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `NETCL_DEVICE`, if it is set and not empty.
    pub(crate) device: Option<String>,
    /// Where built programs are kept; `None`: nowhere.
    pub(crate) cache_dir: Option<PathBuf>,
    /// `NETCL_LOG`, if it is set.
    pub(crate) log: Option<LevelFilter>,
}

/// The settings of this process.
pub(crate) fn get() -> Result<&'static Config> {
    static CONFIG: OnceLock<Result<Config, (&'static str, String, &'static str)>> = OnceLock::new();
    let read = || from(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()));
    match CONFIG.get_or_init(read) {
        Ok(config) => Ok(config),
        Err((variable, value, accepted)) => Err(Error::Config { variable, value: value.clone(), accepted }),
    }
}

fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Config, (&'static str, String, &'static str)> {
    let set = |name| variable(name).filter(|value| !value.trim().is_empty());
    let log = match set("NETCL_LOG") {
        None => None,
        Some(value) => match value.trim().parse() {
            Ok(level) => Some(level),
            Err(_) => return Err(("NETCL_LOG", value, "off, error, warn, info, debug, trace")),
        },
    };
    let cache_dir = match set("NETCL_CACHE_DIR") {
        Some(value) if value.trim() == "off" => None,
        Some(value) => Some(PathBuf::from(value)),
        None => default_cache_dir(&set),
    };
    Ok(Config { device: set("NETCL_DEVICE").map(|value| value.trim().to_owned()), cache_dir, log })
}

/// The user's cache folder by each system's own convention.
fn default_cache_dir(set: &impl Fn(&'static str) -> Option<String>) -> Option<PathBuf> {
    let base = if cfg!(windows) {
        set("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| PathBuf::from(home).join("Library/Caches"))
    } else {
        // The XDG specification says that a relative path is to be ignored.
        let xdg = set("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        xdg.or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))
    };
    base.map(|base| base.join("netcl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Config, (&'static str, String, &'static str)> {
        from(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_bad_level_names_the_variable_and_the_choices() {
        let (variable, value, accepted) = of(&[("NETCL_LOG", "loud")]).unwrap_err();
        assert_eq!((variable, value.as_str()), ("NETCL_LOG", "loud"));
        assert!(accepted.contains("debug"));
    }

    #[test]
    fn the_cache_can_be_moved_and_turned_off() {
        assert_eq!(of(&[("NETCL_CACHE_DIR", "off"), ("HOME", "/h")]).unwrap().cache_dir, None);
        assert_eq!(of(&[("NETCL_CACHE_DIR", "/c")]).unwrap().cache_dir, Some(PathBuf::from("/c")));
        assert_eq!(of(&[("NETCL_DEVICE", "  ")]).unwrap().device, None);
    }
}
