//! Tests that run in processes of their own: a test starts its program again with a role, which its test `child` plays.

use super::settings;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROLE: &str = "NETCL_TEST_ROLE";

pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("netcl-tests-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    // Nobody else's, whatever the mask of whoever runs the tests: else it is no cache.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).unwrap();
    folder
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// This program again, playing `role`; `shell` may set limits before.
pub(crate) fn command(role: &str, shell: Option<&str>) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut command = match shell {
        None => Command::new(program),
        Some(limits) => {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]).arg(program);
            command
        }
    };
    settings::clear(&mut command);
    command.args(["--exact", "child", "--ignored", "--nocapture", "--test-threads", "1"]).env(ROLE, role);
    command
}

/// The role that `child` is to play.
pub(crate) fn role() -> String {
    std::env::var(ROLE).expect("`child` is run by the other tests, which give it a role")
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
