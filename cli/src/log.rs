//! `NETCL_LOG`: events of netcl on standard error. The library installs no subscriber: that is for programs.

use crate::failure::{Failure, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

/// Writes what the variable asks for from here on.
pub(crate) fn install() -> Result<()> {
    let value = std::env::var_os("NETCL_LOG").unwrap_or_default().to_string_lossy().trim().to_owned();
    if value.is_empty() {
        return Ok(());
    }
    let Ok(level) = value.parse::<LevelFilter>() else {
        let accepted = "off, error, warn, info, debug, trace";
        let problem = format!("the environment variable NETCL_LOG is `{value}`; accepted: {accepted}");
        return Err(Failure::Other(problem));
    };
    // Those of netcl's crates, and not of what they depend on. A reader of standard error who has seen enough is no error.
    let events = fmt::layer().with_writer(std::io::stderr).with_ansi(false).without_time().log_internal_errors(false);
    let _ = registry().with(events).with(Targets::new().with_target("netcl", level)).try_init();
    Ok(())
}
