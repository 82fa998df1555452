//! `netcl` is built with netcl's macros itself: its own binary is what most of these look into.

use super::{NETCL, json, printed, refused, scratch, text};
use serde_json::Value;

#[test]
fn the_list_names_the_functions_of_a_binary() {
    let list = printed(&["kernels", NETCL, "--list"]);
    assert!(list.lines().any(|line| line.starts_with("bench_chain ") && line.contains("netcl::bench")), "{list}");
    let value = json(&["kernels", NETCL, "--list"]);
    let chain = value.as_array().unwrap().iter().find(|one| one["function"] == "bench_chain").unwrap();
    assert_eq!(chain["launches"], serde_json::json!({ "host": 1, "cpu": 1, "gpu": 1 }));
}

#[test]
fn the_source_is_that_of_the_function_and_the_target() {
    let gpu = printed(&["kernels", NETCL, "bench_chain"]);
    assert!(gpu.starts_with("// netcl::bench::bench_chain, for gpu devices: 1 launch\n"), "{gpu}");
    assert!(gpu.contains("__kernel") && gpu.contains("tanh("), "{gpu}");
    let cpu = printed(&["kernels", NETCL, "netcl::bench::bench_chain", "--target", "cpu"]);
    assert!(cpu.contains("__kernel") && cpu != gpu, "{cpu}");
    let host = printed(&["kernels", NETCL, "bench_chain", "--target", "host"]);
    assert!(host.contains("\nkernel bench_chain") && !host.contains("__kernel"), "{host}");
    assert_eq!(printed(&["kernels", NETCL, "bench_chain", "--target", "all"]), format!("{host}\n{cpu}\n{gpu}"));

    let value = json(&["kernels", NETCL, "bench_chain"]);
    assert_eq!(value[0]["symbols"], serde_json::json!(["N"]));
    assert!(gpu.ends_with(value[0]["source"].as_str().unwrap()));
    let host = json(&["kernels", NETCL, "bench_chain", "--target", "host"]);
    assert!(host[0]["launches"][0]["text"].as_str().unwrap().contains("kernel bench_chain"));
}

/// A kernel may be launched by several steps: what each of them passes is told, and refers to what is there.
#[test]
fn a_plan_as_json_is_all_that_is_needed_to_launch_it() {
    let plans = json(&["kernels", NETCL, "--target", "all"]);
    let (mut of_opencl, mut of_host) = (0, 0);
    for plan in plans.as_array().unwrap() {
        let (buffers, source) = (plan["buffers"].as_array().unwrap(), plan["source"].as_str().unwrap());
        let symbols: Vec<&str> = plan["symbols"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let is_size = |size: &Value| {
            let names = |text: &str| {
                let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.filter(|word| word.starts_with(char::is_alphabetic)).all(|word| symbols.contains(&word))
            };
            size.as_u64().is_some() || size.as_str().is_some_and(names)
        };
        for buffer in buffers {
            assert!(buffer["shape"].as_array().unwrap().iter().all(is_size), "{buffer}");
            assert!(["name", "dtype", "role"].iter().all(|key| !buffer[key].as_str().unwrap().is_empty()), "{buffer}");
        }
        let mut touched = std::collections::BTreeSet::new();
        for launch in plan["launches"].as_array().unwrap() {
            let positions = |key: &str| launch[key].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as usize);
            touched.extend(positions("reads").chain(positions("writes")));
            let arguments = launch["arguments"].as_array().unwrap();
            let passed = arguments.iter().filter_map(|argument| argument["buffer"].as_u64());
            if !launch["work_items"].is_null() {
                of_opencl += 1;
                let entry = launch["kernel"].as_str().unwrap();
                let head = source.split_once(&format!("void {entry}(")).unwrap().1.split(") {").next().unwrap();
                assert_eq!(head.split(',').count(), arguments.len(), "{entry}({head})");
                assert!(launch["work_items"].as_array().unwrap().iter().all(is_size), "{launch}");
                let passed: std::collections::BTreeSet<usize> = passed.map(|position| position as usize).collect();
                assert!(positions("reads").chain(positions("writes")).all(|touched| passed.contains(&touched)));
            } else {
                of_host += 1;
                let told = ["text", "product", "convolution"].into_iter().filter(|key| !launch[*key].is_null());
                assert_eq!(told.count(), 1, "{launch}");
            }
        }
        assert_eq!(touched, (0..buffers.len()).collect(), "every buffer is read or written by a launch");
    }
    assert!(of_opencl > 0 && of_host > 0, "{plans:#}");
}

#[test]
fn what_is_not_there_is_an_error_that_says_what_is() {
    let error = refused(&["kernels", NETCL, "Mlp::forward"], 1);
    assert!(error.contains("`Mlp::forward`") && error.contains("bench_chain"), "{error}");
    assert!(refused(&["kernels", NETCL, "bench"], 1).contains("bench_chain"), "a part of a name is none");

    let other = scratch("no-netcl");
    std::fs::write(&other, b"\x7fELF and no plans").unwrap();
    assert!(refused(&["kernels", text(&other)], 1).contains("no plans of netcl"));
    std::fs::write(&other, "\u{1}netcl plan 1\u{2}m\n9 gpu 0 old\n{\"a\": 1}}").unwrap();
    assert!(refused(&["kernels", text(&other)], 1).contains("another version of netcl"));
    std::fs::remove_file(&other).unwrap();
    assert!(refused(&["kernels", text(&other)], 1).contains(text(&other)), "a missing file is named");
    assert!(refused(&["kernels", NETCL, "--target", "tpu"], 2).contains("host, cpu, gpu, all"));
    assert!(refused(&["kernels"], 2).contains("BINARY"));
}

#[test]
fn a_template_is_printed_with_its_tunables_set() {
    let args = ["kernels", "--template", "matmul_register", "--set", "TILE_M=64", "--problem", "512x512x512,b=k"];
    let source = printed(&args);
    assert!(source.starts_with("// matmul_register for gpu devices: matmul f32 m=512 n=512 k=512 batch=1 a=k b=k"));
    assert!(source.contains("#define TILE_M 64\n") && source.contains("__kernel"), "{source}");
    let value = json(&args);
    assert_eq!(value["tunables"]["TILE_M"], 64);
    assert!(source.ends_with(value["source"].as_str().unwrap()));
    let launch = &value["launches"][0];
    let groups =
        |axis: usize| launch["work_items"][axis].as_u64().unwrap() / launch["work_group"][axis].as_u64().unwrap();
    assert_eq!(groups(1), 512 / 64);

    let list = printed(&["kernels", "--template", "matmul_register", "--list"]);
    assert!(list.lines().any(|line| line.starts_with("TILE_M ")), "{list}");
    let list = json(&["kernels", "--template", "matmul_register", "--list"]);
    assert!(list["tunables"].as_array().unwrap().iter().any(|tunable| tunable["name"] == "TILE_K"));
}

/// What is printed is what runs: the kernel that is launched stands in the source, and each of the results has a work-item or
/// a share of one.
#[test]
fn every_template_is_printed_with_its_own_launch() {
    for template in netcl_kernels::template::ALL {
        let problem = if template.name.starts_with("conv2d") {
            "2x8x14x14,16x3x3,padding=1,stride=2,dtype=f16"
        } else if ["matmul_mma", "attention"].contains(&template.name) {
            "96x80x64,batch=3,dtype=f16"
        } else {
            "96x80x64,batch=3"
        };
        for extra in [&["--problem", problem][..], &[]] {
            let args = [&["kernels", "--template", template.name], extra].concat();
            let value = json(&args);
            let source = value["source"].as_str().unwrap();
            let launches = value["launches"].as_array().unwrap();
            // Attention's results are put beside each other.
            assert_eq!(launches.len(), if template.name == "attention" { 2 } else { 1 }, "{}", template.name);
            let kernel = launches[0]["kernel"].as_str().unwrap();
            assert!(source.contains("__kernel") && source.contains(kernel), "{}: {kernel}", template.name);
            let items = launches[0]["work_items"].as_array().unwrap();
            assert!(!items.is_empty() && items.iter().all(|items| items.as_u64() > Some(0)), "{value}");
            let text = printed(&args);
            assert!(text.starts_with(&format!("// {} for ", template.name)) && text.ends_with(source), "{text}");
            assert!(text.contains(&format!("\n//  {kernel}: ")), "{text}");
        }
    }
}

#[test]
fn a_template_heeds_a_device() {
    for device in netcl_fixtures::devices::selectors() {
        let args = ["kernels", "--template", "matmul_naive", "--device", &device];
        match device.as_str() {
            "host" => assert!(refused(&args, 1).contains("the host has no templates")),
            _ => assert!(["cpu", "gpu"].contains(&json(&args)["target"].as_str().unwrap()), "{device}"),
        }
    }
    assert!(refused(&["kernels", NETCL, "--device", "cpu"], 2).contains("cannot be used with"));
}

#[test]
fn a_long_sum_is_cut_into_as_many_parts_as_are_asked_for() {
    for (template, problem) in [("matmul_register", "64x64x4096"), ("conv2d_cpu", "2x64x8x8,8x3x3")] {
        let value = json(&["kernels", "--template", template, "--set", "SPLIT_K=4", "--problem", problem]);
        assert_eq!(value["tunables"]["SPLIT_K"], 4);
        let launches = value["launches"].as_array().unwrap();
        let sums = |launch: &Value| launch["kernel"].as_str().unwrap().ends_with("_sum");
        assert!(launches.len() > 1 && launches.iter().any(sums), "parts are added up: {launches:?}");
        let list = printed(&["kernels", "--template", template, "--list"]);
        assert!(list.lines().any(|line| line.starts_with("SPLIT_K ")), "{list}");
    }
    let error = |template: &str, set: &str| refused(&["kernels", "--template", template, "--set", set], 1);
    assert!(error("matmul_register", "SPLIT_K=3").contains("`SPLIT_K` may be 2, 4, "));
    assert!(error("conv2d_tiled_local", "SPLIT_K=2").contains("no tunable `SPLIT_K`"));
}

#[test]
fn a_template_takes_what_is_legal() {
    let template = |rest: &[&str]| refused(&[&["kernels", "--template"], rest].concat(), 1);
    let error = template(&["matmul"]);
    assert!(error.contains("matmul_naive") && error.contains("conv2d_cpu"), "{error}");
    assert!(template(&["matmul_tiled", "--set", "TILES=8"]).contains("it has: TILE"));
    assert!(template(&["matmul_tiled", "--set", "TILE=7"]).contains("may be"));
    assert!(template(&["matmul_tiled", "--set", "TILE"]).contains("TUNABLE=VALUE"));
    assert!(template(&["matmul_tiled", "--problem", "512x512"]).contains("MxNxK"));
    assert!(template(&["conv2d_naive", "--problem", "512x512x512"]).contains("NxCxHxW"));
    let error = template(&["conv2d_tiled_local", "--problem", "2x4x8x8,4x3x3,kind=input_grad"]);
    assert!(error.contains("only the forward convolution"), "{error}");
    let error = template(&["matmul_register", "--problem", "7x7x7", "--set", "UNROLL=2"]);
    assert!(error.contains("not legal") && error.contains("UNROLL"), "{error}");
    assert!(refused(&["kernels", NETCL, "--template", "matmul_tiled"], 2).contains("cannot be used with"));
    assert!(refused(&["kernels", NETCL, "--set", "TILE=8"], 2).contains("cannot be used with"));
}

#[test]
fn what_has_no_end_is_no_program() {
    for no_program in ["/dev/zero", "/"] {
        assert!(refused(&["kernels", no_program, "--list"], 1).contains("is no file"), "{no_program}");
    }
}
