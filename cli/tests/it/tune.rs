//! Each test has a cache folder of its own, so that nothing is known before.

use super::{NETCL, command, refused, scratch, texts};
use netcl_fixtures::devices::selectors_with_driver;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Output;

struct Cache(PathBuf);

impl Cache {
    fn new(name: &str) -> Cache {
        let folder = std::env::temp_dir().join(format!("netcl-tune-command-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Cache(folder)
    }

    fn run(&self, args: &[&str]) -> Output {
        command(&["tune"]).args(args).env("NETCL_CACHE_DIR", &self.0).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}: {output:?}");
        serde_json::from_str(&texts(&output).0).unwrap()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_product_is_measured_once_and_kept() {
    for device in &selectors_with_driver() {
        let cache = Cache::new("product");
        let args = ["--device", device, "--matmul", "64x64x64", "--candidates", "3", "--seconds", "2"];
        let value = cache.json(&args);
        let task = &value["tasks"][0];
        assert!(task["task"].as_str().unwrap().starts_with("matmul f32 m=64 n=64 k=64"), "{task}");
        let candidates = task["candidates"].as_array().unwrap();
        assert!((1..=3).contains(&candidates.len()) && candidates[0]["default"] == true, "{task}");
        let picked = candidates.iter().find(|candidate| candidate["config"] == task["config"]).unwrap();
        assert_eq!(picked["outcome"], "timed", "{task}");

        let again = cache.json(&args);
        assert!(value["kept"] == true && again["kept"] == true, "{value}");
        assert_eq!(
            (&again["tasks"][0]["config"], &again["tasks"][0]["candidates"]),
            (&task["config"], &Value::Array(vec![]))
        );
        let list = command(&["cache", "list", "--json"]).env("NETCL_CACHE_DIR", &cache.0).output().unwrap();
        let list: Vec<Value> = serde_json::from_str(&texts(&list).0).unwrap();
        let kept = list.iter().find(|file| file["kind"] == "measurements").expect("a file of measurements");
        assert_eq!(kept["holds"][0], task["task"], "{kept}");
        let text = texts(&cache.run(&args)).0;
        assert!(text.contains("measured before") && text.contains(task["config"].as_str().unwrap()), "{text}");
        // A damaged file counts as none.
        let path = kept["path"].as_str().unwrap();
        std::fs::write(path, "{").unwrap();
        let verify = command(&["cache", "verify"]).env("NETCL_CACHE_DIR", &cache.0).output().unwrap();
        assert!(verify.status.code() == Some(1) && texts(&verify).0.contains(path), "{verify:?}");
        let text = texts(&cache.run(&[&args[..], &["--again"]].concat())).0;
        assert!(text.contains("picked") && text.contains("default"), "a table: {text}");
        let off = command(&["tune"]).args(args).env("NETCL_CACHE_DIR", "off").output().unwrap();
        let (text, note) = texts(&off);
        assert!(off.status.success() && text.contains("picked") && note.contains("NETCL_CACHE_DIR is off"), "{off:?}");
    }
}

/// It was to be kept: that it is not is a failure, and what was found is printed all the same.
#[test]
fn a_folder_that_cannot_be_written_is_said() {
    for device in &selectors_with_driver() {
        let file = scratch("unwritable-tuning");
        std::fs::write(&file, "no folder").unwrap();
        let args = ["--device", device, "--matmul", "8x8x8", "--candidates", "1", "--seconds", "1", "--json"];
        let output = command(&["tune"]).args(args).env("NETCL_CACHE_DIR", &file).output().unwrap();
        let (value, error) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(error.contains("keep measurements") && error.contains("NETCL_CACHE_DIR"), "{error}");
        let value: Value = serde_json::from_str(&value).unwrap();
        assert!(value["kept"] == false && value["tasks"][0]["config"].is_string(), "{value}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn the_functions_of_a_binary_are_tuned_for_given_sizes() {
    for device in &selectors_with_driver() {
        let cache = Cache::new("binary");
        let binary = ["--device", device, "--binary", NETCL, "--name", "bench_chain"];
        let value = cache.json(&[&binary[..], &["--size", "N=4096", "--candidates", "2", "--seconds", "1"]].concat());
        let tasks = value["tasks"].as_array().unwrap();
        assert!(tasks.iter().any(|task| task["task"].as_str().unwrap().starts_with("elementwise")), "{value}");
        let extra = ["--size", "N=4096", "--size", "M=2"];
        let error = texts(&cache.run(&[&binary[..], &extra].concat())).1;
        assert!(error.contains("`--size M=2`") && error.contains("they have: N"), "{error}");
        let error = texts(&cache.run(&binary)).1;
        assert!(error.contains("--size N=64"), "{error}");
        let beyond = cache.run(&[&binary[..], &["--size", "N=9223372036854775808"]].concat());
        let error = texts(&beyond).1;
        assert!(beyond.status.code() == Some(1) && error.contains("no call has such sizes"), "{error}");
        let error = texts(&cache.run(&["--device", device, "--binary", NETCL, "--name", "no_such"])).1;
        assert!(error.contains("bench_chain"), "{error}");
    }
}

/// A gradient, and operands that lie otherwise: each is found under its own name.
#[test]
fn gradients_and_transposed_operands_are_tasks_of_their_own() {
    let cache = Cache::new("kinds");
    let gradient = "2x4x9x9,6x3x3,kind=weight_grad,groups=2,dilation=2,dtype=f16";
    let tasks = ["--matmul", "8x12x16,a=outer,b=k,batch=2,dtype=f64", "--conv2d", gradient];
    let value = cache.json(&[&["--device", "host"], &tasks[..]].concat());
    let found: Vec<&str> = (0..2).map(|at| value["tasks"][at]["task"].as_str().unwrap()).collect();
    assert_eq!(found[0], "matmul f64 m=8 n=12 k=16 batch=2 a=outer b=k aligned");
    assert!(found[1].starts_with("conv2d f16 weight_grad") && found[1].ends_with("dilation=2x2 groups=2"), "{found:?}");
}

#[test]
fn where_there_is_no_choice_that_is_said() {
    let cache = Cache::new("host");
    let text = texts(&cache.run(&["--device", "host", "--matmul", "64x64x64"])).0;
    assert!(text.contains("nothing to choose"), "{text}");
    assert_eq!(cache.json(&["--device", "host", "--matmul", "64x64x64"])["tasks"][0]["config"], Value::Null);
    // The functions of a program are not to blame.
    let binary = ["--device", "host", "--binary", NETCL, "--name", "bench_chain"];
    let output = cache.run(&binary);
    let (text, error) = texts(&output);
    assert!(output.status.success() && error.is_empty(), "{output:?}");
    assert!(text.contains("nothing to choose on this device") && text.contains("--device"), "{text}");
    assert_eq!(cache.json(&binary)["tasks"], serde_json::json!([]));
}

#[test]
fn bad_arguments_say_what_is_accepted() {
    assert!(refused(&["tune"], 2).contains("--matmul"));
    assert!(refused(&["tune", "--device", "host", "--matmul", "64x64"], 1).contains("MxNxK"));
    assert!(refused(&["tune", "--device", "host", "--conv2d", "1x1x8x8"], 1).contains("NxCxHxW"));
    assert!(refused(&["tune", "--device", "host", "--binary", "/no/such/file"], 1).contains("/no/such/file"));
    assert!(refused(&["tune", "--device", "null", "--matmul", "8x8x8"], 1).contains("computes nothing"));
    assert!(refused(&["tune", "--device", "nothing-like-it", "--matmul", "8x8x8"], 1).contains("host = "));
    assert!(refused(&["tune", "--matmul", "8x8x8", "--seconds=-1"], 2).contains("2.5"));
    assert!(refused(&["tune", "--matmul", "8x8x8", "--candidates", "0"], 2).contains("--candidates"));
}

#[test]
fn a_product_that_no_memory_holds_is_an_error() {
    for device in &selectors_with_driver() {
        let error = refused(&["tune", "--device", device, "--matmul", "1000000x1000000x1000000"], 1);
        assert!(error.contains("kernels count up to") && error.contains("use smaller sizes"), "{error}");
    }
}

#[test]
fn settings_are_heeded_and_what_they_mean_is_said() {
    let product = ["tune", "--matmul", "64x64x64"];
    let auto = command(&product).args(["--device", "AUTO"]).env("NETCL_DEVICE", "null").output().unwrap();
    assert!(texts(&auto).1.contains("the null device computes nothing"), "{auto:?}");
    let off = command(&product).args(["--device", "host"]).env("NETCL_AUTOTUNE", "off").output().unwrap();
    assert!(off.status.success() && texts(&off).1.contains("note: NETCL_AUTOTUNE is off"), "{off:?}");
    let records = command(&product).args(["--device", "host"]).output().unwrap();
    assert_eq!(texts(&records).1, "");
}
