//! What environment variables do. They are read once in a process, so each case is a process of its own: this program,
//! started again.

use netcl::{Device, KernelStrategy, Tensor};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::processes::again;

/// A value that each variable does not accept, and part of what it does accept. Those that name files accept all but words that
/// switch something on.
const BAD: [(&str, &str, &str); 15] = [
    ("NETCL_DEVICE", "opencl:first", "opencl:P:D"),
    ("NETCL_CACHE_DIR", "on", "a folder, or off"),
    ("NETCL_TRACE", "1", "a file, or off"),
    ("NETCL_CACHE_LIMIT_MB", "1 GB", "mebibytes"),
    ("NETCL_KERNEL_STRATEGY", "fast", "auto, portable, optimized"),
    ("NETCL_PROFILE_EVENTS", "maybe", "0 or 1"),
    ("NETCL_AUTOTUNE", "2", "records"),
    ("NETCL_CONV_WINOGRAD", "y", "0 or 1"),
    ("NETCL_CONV_TILED_LOCAL", "-1", "0 or 1"),
    ("NETCL_MAX_CACHED_GB", "4 GB", "gibibytes"),
    ("NETCL_ASYNC_H2D", "async", "0 or 1"),
    ("NETCL_PINNED_H2D", "pinned", "0 or 1"),
    ("NETCL_WIDE_INDICES", "64", "0 or 1"),
    ("NETCL_EAGER", "lazy", "0 or 1"),
    ("NETCL_TIERED_COMPILATION", "later", "0 or 1"),
];

/// Runs one of the `child_` tests below with these variables, and gives what it printed after `answer:`.
fn child(name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = again(module_path!(), name);
    // With it the loader finds drivers beside those of its folder.
    command.env_remove("OCL_ICD_FILENAMES");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = text.lines().find_map(|line| line.split_once("answer: ")).map(|(_, answer)| answer.to_owned());
    answer.unwrap_or_else(|| panic!("no answer in:\n{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn answer<T: std::fmt::Display>(result: netcl::Result<T>) {
    match result {
        Ok(value) => println!("answer: {value}"),
        Err(error) => println!("answer: error: {}", error.to_string().replace('\n', " ")),
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_auto() {
    netcl_fixtures::log::warnings();
    answer(Device::auto().map(|device| device.profile().selector.clone()));
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_host() {
    answer(Device::select("host").map(|device| device.profile().selector.clone()));
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_active() {
    answer(Device::active().map(|device| device.profile().selector.clone()));
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_strategy() {
    answer(Device::host().kernel_strategy());
}

#[test]
fn netcl_device_is_what_auto_gives() {
    assert_eq!(child("child_auto", &[("NETCL_DEVICE", "host")]), "host");
    assert_eq!(child("child_auto", &[("NETCL_DEVICE", "null")]), "null");
    assert_eq!(child("child_active", &[("NETCL_DEVICE", "null")]), "null", "nothing is active, so it is auto's");
    assert_eq!(child("child_host", &[("NETCL_DEVICE", "null")]), "host", "a selector is not overruled");
}

#[test]
fn a_device_that_is_not_there_is_an_error_that_names_the_variable() {
    let text = child("child_auto", &[("NETCL_DEVICE", "Flux Capacitor")]);
    for part in ["`flux capacitor`", "asked for by NETCL_DEVICE", "host = "] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_bad_value_is_an_error_wherever_a_device_is_asked_for() {
    for (variable, value, accepted) in BAD {
        for name in ["child_auto", "child_host", "child_active", "child_strategy"] {
            let text = child(name, &[(variable, value)]);
            for part in ["error: ", variable, &format!("`{value}`"), accepted] {
                assert!(text.contains(part), "{name}: {text}");
            }
        }
    }
}

#[test]
fn a_misspelt_variable_is_warned_of_once() {
    let warnings = |variables: &[(&str, &str)]| {
        let mut command = again(module_path!(), "child_auto");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "it is no error: {output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().filter(|line| line.contains("environment variable")).map(str::to_owned).collect::<Vec<_>>()
    };
    let [warning] = &warnings(&[("NETCL_DEVCIE", "cpu"), ("NETCL_DEVICE", "host")])[..] else { panic!("one warning") };
    assert!(warning.contains("NETCL_DEVCIE") && warning.contains("did you mean `NETCL_DEVICE`?"), "{warning}");
    let set =
        [("NETCL_DEVICE", "host"), ("NETCL_DUMP", "all"), ("NETCL_CI_OPENCL_DEVICE", "opencl:0"), ("NETCL_FUZZ", "1")];
    assert_eq!(warnings(&set), [] as [String; 0]);
}

/// The page is made from the table that is read.
#[test]
fn every_variable_that_can_have_a_bad_value_is_tried() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/environment.md")).unwrap();
    let table = page.split("## When a crate").next().unwrap();
    let mut listed: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut tried: Vec<&str> = BAD.iter().map(|(name, ..)| *name).collect();
    listed.sort_unstable();
    tried.sort_unstable();
    assert_eq!(listed, tried);
}

#[test]
fn the_kernel_strategy_can_be_forced() {
    let portable = KernelStrategy::Portable.to_string();
    assert_eq!(child("child_strategy", &[]), portable);
    assert_eq!(child("child_strategy", &[("NETCL_KERNEL_STRATEGY", "auto")]), portable);
    let optimized = KernelStrategy::Optimized.to_string();
    assert_eq!(child("child_strategy", &[("NETCL_KERNEL_STRATEGY", "OPTIMIZED")]), optimized);
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_transfers() {
    let device = Device::auto().unwrap();
    let values: Vec<f32> = (0..300_000).map(|value| value as f32).collect();
    let x = netcl::Tensor::from_slice(&device, &values, &[values.len()]).unwrap();
    let y = x.add(&x);
    // Into memory that may be in use, so that it is staged on every device.
    let buffer = device.buffer_pool().allocate(4 * values.len()).unwrap();
    buffer.write(&vec![1; 4 * values.len()]).unwrap();
    let pinned = device.pinned_pool().stats().misses;
    let event = device.record_event().unwrap();
    event.wait().unwrap();
    let times = event.times().map(|times| times.queued <= times.started && times.started <= times.ended);
    let right = y.to_vec::<f32>().unwrap().iter().zip(&values).all(|(double, value)| *double == 2.0 * value);
    let limit = device.buffer_pool().max_cached();
    drop((x, y, buffer));
    let kept = device.memory_stats().idle;
    println!("answer: right {right}, times {times:?}, pinned {}, limit {limit}, kept {}", pinned > 0, kept > 0);
}

#[test]
fn transfers_pools_and_profiles_heed_their_variables() {
    for device in with_driver() {
        let answer = |variables: &[(&str, &str)]| {
            let device = [("NETCL_DEVICE", device.profile().selector.as_str())];
            child("child_transfers", &[&device[..], variables].concat())
        };
        assert_eq!(answer(&[]), "right true, times None, pinned true, limit 4294967296, kept true");
        assert_eq!(
            answer(&[("NETCL_PINNED_H2D", "0"), ("NETCL_PROFILE_EVENTS", "1")]),
            "right true, times Some(true), pinned false, limit 4294967296, kept true"
        );
        assert_eq!(
            answer(&[("NETCL_ASYNC_H2D", "0"), ("NETCL_MAX_CACHED_GB", "0")]),
            "right true, times None, pinned true, limit 0, kept false"
        );
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_without_drivers() {
    let x = Tensor::from_slice(&Device::auto().unwrap(), &[1.0f32, 2.0], &[2]).unwrap();
    assert_eq!(x.add(&x).to_vec::<f32>().unwrap(), [2.0, 4.0]);
    let selectors: Vec<String> = Device::all().into_iter().map(|profile| profile.selector).collect();
    println!("answer: {} {}", selectors.join(","), Device::select("cpu").unwrap_err());
}

/// The loader reads a folder: one that is empty, one that names a driver which is not there, one with a broken file.
#[test]
#[cfg(target_os = "linux")]
fn without_a_driver_there_is_the_host() {
    let folder = std::env::temp_dir().join(format!("netcl-drivers-{}", std::process::id()));
    for (name, text) in
        [("empty", None), ("missing", Some("/nonexistent/libdriver.so\n")), ("broken", Some("/etc/passwd\n"))]
    {
        let vendors = folder.join(name);
        std::fs::create_dir_all(&vendors).unwrap();
        if let Some(text) = text {
            std::fs::write(vendors.join("driver.icd"), text).unwrap();
        }
        // The common loader asks for the slash.
        let vendors = format!("{}/", vendors.display());
        let found = child("child_without_drivers", &[("OCL_ICD_VENDORS", &vendors)]);
        assert!(found.starts_with("host no device `cpu`") && found.contains("found: host = "), "{name}: {found}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
