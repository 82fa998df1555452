use super::{json, printed, refused, run, texts};
use netcl_fixtures::devices::selectors;

#[test]
fn the_list_has_a_line_for_each_device() {
    let list = printed(&["devices"]);
    let all = json(&["devices"]);
    let all = all.as_array().unwrap();
    assert_eq!(list.lines().count(), all.len() + 1, "{list}");
    assert!(!list.contains('\u{1b}'), "no colours where nobody sees them: {list}");
    for device in &selectors() {
        assert!(list.lines().any(|line| line.starts_with(device.as_str())), "{device}: {list}");
    }
}

#[test]
fn one_device_is_described_in_full() {
    for device in selectors().iter().map(String::as_str).chain(["null"]) {
        let text = printed(&["devices", "--device", device]);
        for word in ["kind", "kernels", "memory", "vector lanes", "fp16", "atomics", "divisible"] {
            assert!(text.contains(&format!("\n  {word} ")), "{device} tells {word}: {text}");
        }
        let value = &json(&["devices", "--device", device])[0];
        assert!(text.starts_with(&format!("{device} = {}", value["name"].as_str().unwrap())), "{text}");
        for quirk in value["quirks"].as_array().unwrap() {
            assert!(text.contains(quirk["reason"].as_str().unwrap()), "{device}: {text}");
        }
        assert!(
            value["vector_lanes"].is_u64() && value["fp64"].is_boolean() && value["local_memory"]["usable"].is_u64(),
            "{value}"
        );
    }
    let verbose = printed(&["devices", "--verbose"]);
    assert!(selectors().iter().all(|device| verbose.contains(&format!("{device} = "))), "{verbose}");
}

#[test]
fn an_unknown_device_is_an_error_that_lists_what_there_is() {
    let error = refused(&["devices", "--device", "no such device"], 1);
    for word in ["no such device", "opencl:P:D", "host = "] {
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn a_bad_setting_is_an_error_that_names_the_variable() {
    for (name, value) in [("NETCL_DEVICE", "opencl:x"), ("NETCL_PROFILE_EVENTS", "2")] {
        let output = super::command(&["devices", "--device", "auto"]).env(name, value).output().unwrap();
        let (_, error) = texts(&output);
        assert!(output.status.code() == Some(1) && error.contains(name) && error.contains(value), "{error}");
    }
    let output = super::command(&["bench", "--quick"]).env("NETCL_DEVICE", "nothing-like-it").output().unwrap();
    assert!(texts(&output).1.contains("asked for by NETCL_DEVICE"), "{output:?}");
    assert!(run(&["devices"]).status.success());
}
