//! Programs that tests start heed what the test sets, not what whoever runs the tests has set.

use std::process::Command;

/// Takes every variable of netcl's from what the program inherits, but for the folder of its cache.
pub(crate) fn clear(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("NETCL_") && name != "NETCL_CACHE_DIR") {
            command.env_remove(name);
        }
    }
    command
}
