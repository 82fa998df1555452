//! Each test has a cache folder of its own, filled by a benchmark on the OpenCL device.

use super::{command, texts};
use netcl_fixtures::devices::selectors_with_driver;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

struct Cache(PathBuf);

impl Cache {
    /// With what a run on that device leaves there.
    fn filled(name: &str, device: &str) -> Cache {
        let cache = Cache::empty(name);
        let filled = cache.run(&["bench", "--quick", "--device", device]);
        assert!(filled.status.success(), "{filled:?}");
        cache
    }

    fn empty(name: &str) -> Cache {
        let folder = std::env::temp_dir().join(format!("netcl-cache-command-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Cache(folder)
    }

    fn run(&self, args: &[&str]) -> Output {
        // PoCL would keep programs by itself.
        command(args).env("NETCL_CACHE_DIR", &self.0).env("POCL_KERNEL_CACHE", "0").output().unwrap()
    }

    /// What `cache ACTION --json` prints as it ends with that code.
    fn json(&self, args: &[&str], code: i32) -> Value {
        let output = self.run(&[&["cache", "--json"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        serde_json::from_str(&texts(&output).0).unwrap()
    }

    fn list(&self, args: &[&str]) -> Vec<Value> {
        let list = self.json(&[&["list"], args].concat(), 0);
        list.as_array().unwrap().clone()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn path(entry: &Value) -> &Path {
    Path::new(entry["path"].as_str().unwrap())
}

#[test]
fn files_are_listed_filtered_and_removed() {
    for device in selectors_with_driver() {
        let cache = Cache::filled("list", &device);
        let list = cache.list(&[]);
        let named = |entry: &&Value| entry["holds"].as_array().unwrap().iter().any(|name| name == "bench_chain_0_map");
        let program = list.iter().find(named).expect("the chain's program");
        assert_eq!(program["kind"], "program");
        let device = program["device"].as_str().unwrap();
        let table = texts(&cache.run(&["cache", "list"])).0;
        assert_eq!(table.lines().count(), list.len() + 2, "{table}");
        assert!(table.contains(device) && table.contains("bench_chain_0_map"), "{table}");

        assert_eq!(cache.list(&["--device", &device.to_uppercase()]).len(), list.len());
        assert_eq!(cache.list(&["--device", "no such device"]), [] as [Value; 0]);
        assert_eq!(cache.list(&["--older-than", "1d"]), [] as [Value; 0]);

        assert_eq!(cache.json(&["clear", "--older-than", "1d"], 0)["files"], 0);
        assert_eq!(cache.list(&[]).len(), list.len());
        let files = list.iter().filter(|entry| entry["device"] == device).count();
        assert_eq!(cache.json(&["clear", "--device", device], 0)["files"], files);
        assert!(!path(program).exists());
        assert_eq!(cache.json(&["clear"], 0)["files"], list.len() - files);
        assert_eq!(cache.list(&[]), [] as [Value; 0]);
    }
}

#[test]
fn a_damaged_file_is_named() {
    for device in selectors_with_driver() {
        let cache = Cache::filled("verify", &device);
        let list = cache.list(&[]);
        let whole = cache.json(&["verify"], 0);
        assert_eq!((&whole["files"], &whole["damaged"]), (&list.len().into(), &Value::Array(Vec::new())));
        let damaged = path(&list[0]);
        let mut content = std::fs::read(damaged).unwrap();
        *content.last_mut().unwrap() ^= 1;
        std::fs::write(damaged, content).unwrap();
        let found = cache.json(&["verify"], 1);
        assert_eq!((&found["damaged"][0]["path"], found["damaged"].as_array().unwrap().len()), (&list[0]["path"], 1));
        let output = cache.run(&["cache", "verify"]);
        assert!(texts(&output).0.contains(damaged.to_str().unwrap()) && output.status.code() == Some(1), "{output:?}");
    }
}

/// What another user may have written is whole, and not used.
#[cfg(unix)]
#[test]
fn what_others_may_have_written_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(device) = selectors_with_driver().into_iter().next() else { return };
    let cache = Cache::filled("planted", &device);
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let list = cache.list(&[]);
    mode(path(&list[0]), 0o666);
    let found = cache.json(&["verify"], 1);
    assert_eq!((&found["damaged"][0]["path"], &found["refused"]), (&list[0]["path"], &Value::Null));
    assert!(found["damaged"][0]["problem"].as_str().unwrap().contains("users other than its owner"), "{found}");
    mode(path(&list[0]), 0o600);
    assert_eq!(cache.json(&["verify"], 0)["refused"], Value::Null);
    mode(&cache.0, 0o777);
    let found = cache.json(&["verify"], 1);
    assert_eq!(found["damaged"].as_array().unwrap().len(), list.len(), "none is used");
    let output = cache.run(&["cache", "verify"]);
    let said = texts(&output).1;
    assert!(said.contains("error: cannot use") && said.contains("(mode 0777)") && said.contains("chmod"), "{output:?}");
}

#[test]
fn what_cannot_be_removed_is_said_and_everything_else_goes() {
    let cache = Cache::empty("stuck");
    let made = |folder: &str, name: &str| {
        let path = cache.0.join(folder).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    };
    let files = [made("programs", "a.program"), made("tuning", "a.json")];
    files.iter().for_each(|path| std::fs::write(path, "damaged").unwrap());
    // Which would be removed first.
    let folders = [made("programs", "0.program"), made("tuning", "0.json")];
    folders.iter().for_each(|path| std::fs::create_dir(path).unwrap());
    let output = cache.run(&["cache", "clear"]);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(out.starts_with("removed 2 files, 14 B, from "), "{out}");
    assert_eq!(err.lines().count(), 2, "{err}");
    assert!(folders.iter().all(|path| err.contains(path.to_str().unwrap())), "{err}");
    assert!(files.iter().all(|path| !path.exists()));
    let value = cache.json(&["clear"], 1);
    assert_eq!((&value["files"], value["problems"].as_array().unwrap().len()), (&0.into(), 2), "{value}");
}

#[test]
fn an_empty_cache_is_no_error_and_none_is() {
    let cache = Cache::empty("empty");
    assert_eq!(cache.list(&[]), [] as [Value; 0]);
    assert_eq!(cache.json(&["verify"], 0)["files"], 0);
    assert_eq!(cache.json(&["clear"], 0)["files"], 0);
    let off = command(&["cache", "list"]).env("NETCL_CACHE_DIR", "off").output().unwrap();
    assert!(off.status.code() == Some(1) && texts(&off).1.contains("NETCL_CACHE_DIR"), "{off:?}");
}

#[test]
fn bad_arguments_say_what_is_accepted() {
    assert!(super::refused(&["cache"], 2).contains("ACTION"));
    assert!(super::refused(&["cache", "wipe"], 2).contains("verify"));
    assert!(super::refused(&["cache", "clear", "--older-than", "1w"], 2).contains("30d"));
}
