//! What one run of a program finds out and a later one knows, on every OpenCL device.
//!
//! What is found on devices with a driver is kept on disk and would change what other tests see, so that each such case is a
//! process of its own with a cache of its own: this program, started again.

use super::{conv, few, gpu, product};
use netcl::Avoid;
use netcl::prelude::*;
use netcl::select::{KernelConfig, Outcome, Reason, ReduceOp, Reduction, Task, TuneOptions, Variant};
use netcl_fixtures::devices::selectors_with_driver;
use netcl_fixtures::processes::again;
use netcl_kernels::plan::Plan;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("netcl-selection-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Runs one of the `child_` tests on a device with that cache; gives the warnings that it wrote.
fn child(name: &str, device: &str, cache: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let output = again(module_path!(), name)
        .env("NETCL_TEST_SELECTION", device)
        .env("NETCL_CACHE_DIR", cache)
        // PoCL would keep programs by itself, and netcl count them as built.
        .env("POCL_KERNEL_CACHE", "0")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{name} on {device}:\n{out}\n{err}");
    err.lines().filter(|line| line.contains("WARN")).map(str::to_owned).collect()
}

fn device() -> Device {
    netcl_fixtures::log::warnings();
    Device::select(&std::env::var("NETCL_TEST_SELECTION").expect("run by the others")).expect("a device")
}

const SIZES: [usize; 3] = [64, 48, 32];

/// A product of these sizes on the device, and what it must be.
fn check_product(device: &Device, [m, n, k]: [usize; 3]) {
    let a: Vec<f32> = (0..m * k).map(|at| (at % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..k * n).map(|at| (at % 5) as f32 - 2.0).collect();
    let x = Tensor::from_slice(device, &a, &[m, k]).unwrap();
    let y = x.matmul(Tensor::from_slice(device, &b, &[k, n]).unwrap()).to_vec::<f32>().unwrap();
    for (at, found) in y.into_iter().enumerate() {
        let expected: f32 = (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum();
        assert_eq!(found, expected, "element {at}");
    }
}

/// Makes kernels wrong in the way that a miscompiled loop is: the last term of a sum is left out.
fn forget_a_term(plan: &mut Plan) {
    for k in [32, 88] {
        let (whole, short) = (format!("#define K {k}\n"), format!("#define K {}\n", k - 1));
        plan.source = plan.source.to_string().replace(&whole, &short).into();
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_tunes_among_broken_candidates() {
    let device = device();
    let selector = device.selector();
    let [m, n, k] = SIZES.map(|size| size as u64);
    let task = product(m, n, k);
    let all = selector.candidates(&task);
    // The compiler's own choice is wrong, the next one does not build.
    let first = all[0].clone();
    let second = all.iter().find(|config| config.variant != first.variant).expect("another variant").clone();
    let (wrong, broken) = (first.clone(), second.clone());
    selector.alter(Some(Arc::new(move |config: &KernelConfig, plan: &mut Plan| {
        if *config == wrong {
            forget_a_term(plan);
        }
        if *config == broken {
            plan.source.push("\n#error on purpose\n");
        }
    })));
    let also = [second.clone()];
    let tuning = device.tune(&task, &TuneOptions { also: &also, ..few(4) }).unwrap();
    assert_eq!(tuning.candidates.len(), 4, "{tuning}");
    assert!(matches!(tuning.candidates[0].outcome, Outcome::Wrong(_)), "{tuning}");
    let of_second = tuning.candidates.iter().find(|candidate| candidate.config == second).expect("it was tried");
    assert!(matches!(&of_second.outcome, Outcome::Failed(_)), "{tuning}");
    let record = tuning.record.expect("the others are right");
    assert!(record.config != first && record.config != second);
    assert_eq!(selector.select(&task).reason, Reason::Measured);
    // Neither is tried again of itself, and both are left out still when they were tried again.
    assert!(device.tune(&task, &few(3)).unwrap().candidates.is_empty());
    assert!(!selector.candidates(&task).iter().any(|config| [&first, &second].contains(&config)));
    device.tune(&task, &TuneOptions { again: true, ..few(2) }).unwrap();
    assert_eq!(selector.rejected().len(), 2);
    check_product(&device, SIZES);
    assert!(selector.path().expect("a file").exists());
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_knows_what_was_tuned() {
    let device = device();
    let [m, n, k] = SIZES.map(|size| size as u64);
    assert_eq!(device.selector().select(&product(m, n, k)).reason, Reason::Measured);
    assert_eq!(device.selector().rejected().len(), 2);
    check_product(&device, SIZES);
    // What was built then is not built again: the product itself, and what a test of it would need.
    assert_eq!(device.program_stats().built, 0, "{:?}", device.program_stats());
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_uses_no_measurement() {
    let device = device();
    let [m, n, k] = SIZES.map(|size| size as u64);
    assert_eq!(device.selector().select(&product(m, n, k)).reason, Reason::Default);
}

#[test]
fn wrong_and_broken_candidates_are_never_picked_and_later_runs_know_what_was_found() {
    for device in selectors_with_driver() {
        let cache = scratch("tune");
        let warnings = child("child_tunes_among_broken_candidates", &device, &cache, &[]);
        let [one, other] = &warnings[..] else { panic!("one warning for each: {warnings:#?}") };
        assert!(one.contains("numbers are wrong") && other.contains("on purpose"), "{warnings:#?}");
        // Once more with kernels as they are, of which the record knows.
        assert_eq!(child("child_knows_what_was_tuned", &device, &cache, &[]), [""; 0]);
        child("child_uses_no_measurement", &device, &cache, &[("NETCL_AUTOTUNE", "off")]);
        std::fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_has_a_variant_that_computes_wrong() {
    let device = device();
    let selector = device.selector();
    let bad = selector.candidates(&product(64, 48, 32))[0].variant;
    selector.alter(Some(Arc::new(move |config: &KernelConfig, plan: &mut Plan| {
        if config.variant == bad {
            forget_a_term(plan);
        }
    })));
    check_product(&device, SIZES);
    assert_ne!(selector.select(&product(64, 48, 32)).config.variant, bad);
    let [(what, why)] = &selector.rejected()[..] else { panic!("{:?}", selector.rejected()) };
    assert!(what.starts_with(&format!("{bad} f32 ")) && what.contains("b=outer"), "{what}");
    assert_eq!(why, "it failed its self-test");
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_knows_the_variant_that_computes_wrong() {
    let device = device();
    assert_eq!(device.selector().rejected().len(), 1);
    check_product(&device, SIZES);
}

#[test]
fn a_variant_that_fails_its_self_test_is_left_out_with_one_warning() {
    for device in selectors_with_driver() {
        let cache = scratch("self-test");
        let warnings = child("child_has_a_variant_that_computes_wrong", &device, &cache, &[]);
        assert!(matches!(&warnings[..], [one] if one.contains("fails its self-test")), "{warnings:#?}");
        assert_eq!(child("child_knows_the_variant_that_computes_wrong", &device, &cache, &[]), [""; 0]);
        std::fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_measures_at_first_use() {
    let device = device();
    let x = Tensor::full(&device, 1.0f32, &[37, 700]).unwrap();
    assert_eq!(x.sum([1]).to_vec::<f32>().unwrap(), [700.0; 37]);
    let measured = device.selector().records();
    assert!(!measured.is_empty());
    let (rows, columns, op) = (37, 700, ReduceOp::Sum);
    let task = Task::Reduction(Reduction { rows, columns, contiguous: true, op, dtype: DType::F32 });
    assert_eq!(device.selector().select(&task).reason, Reason::Measured, "{measured:#?}");
}

#[test]
fn autotune_measures_what_is_not_known_at_its_first_use() {
    for device in selectors_with_driver() {
        let cache = scratch("autotune");
        assert_eq!(child("child_measures_at_first_use", &device, &cache, &[("NETCL_AUTOTUNE", "on")]), [""; 0]);
        std::fs::remove_dir_all(&cache).unwrap();
    }
}

/// Variants that a variable switches, and whether they may be picked where it is not set.
const SWITCHED: [(Variant, &str, bool); 2] = [
    (Variant::Conv2dWinograd, "NETCL_CONV_WINOGRAD", true),
    (Variant::Conv2dTiledLocal, "NETCL_CONV_TILED_LOCAL", false),
];

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_chooses_convolutions() {
    let device = gpu();
    let task = Task::Conv2d(conv(32, 64));
    let all = device.selector().candidates(&task);
    for (variant, variable, unset) in SWITCHED {
        let on = std::env::var(variable).map_or(unset, |value| value == "1");
        assert_eq!(all.iter().any(|config| config.variant == variant), on, "{variable}: {all:?}");
        // Nor is it measured where somebody asks for that.
        let legal = all.iter().find(|config| config.variant == variant);
        let also = [legal.cloned().unwrap_or(KernelConfig::plain(variant))];
        let tuning = device.tune(&task, &TuneOptions { also: &also, again: true, ..few(2) }).unwrap();
        let measured = tuning.candidates.iter().any(|own| own.config.variant == variant);
        assert_eq!(measured, on, "{variable}: {tuning}");
    }
}

#[test]
fn convolutions_that_are_switched_off_are_no_candidates() {
    for value in ["0", "1"] {
        let cache = scratch("tiled-local");
        for (_, variable, _) in SWITCHED {
            assert_eq!(child("child_chooses_convolutions", "null", &cache, &[(variable, value)]), [""; 0]);
        }
        assert!(!cache.exists(), "a null device keeps nothing");
    }
}

/// Its step multiplies with the operands along three pairs of axes: three self-tests for GPUs, of which processors' kernels tell
/// two apart.
#[netcl::model]
pub(crate) struct Two {
    #[layer(inputs = 24, outputs = 20)]
    first: Linear,
    #[layer(inputs = 20, outputs = 5)]
    second: Linear,
}

#[netcl::model]
impl Two {
    /// Mean cross-entropy.
    pub fn loss(&self, x: &Tensor<f32, N, 24>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.second.forward(&self.first.forward(x).relu()).cross_entropy(labels)
    }
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_takes_a_first_step() {
    let device = device();
    let model = Two::new(&device, Seed(1)).unwrap();
    let x = Tensor::full(&device, 0.5f32, &[6, 24]).unwrap();
    let labels = Tensor::from_slice(&device, &[0u32, 1, 2, 3, 4, 0], &[6]).unwrap();
    model.loss_with_gradients(&x, &labels).unwrap();
    assert_eq!(device.program_stats().built, 1, "{:?}", device.program_stats());
    let programs = netcl::cache::entries().unwrap();
    let is_test = |name: &String| name.starts_with("task_") && name.contains("matmul");
    let tested: Vec<_> = programs.iter().filter(|program| program.kernels.iter().any(is_test)).collect();
    // One of each tier, where kernels are built without optimizations first.
    let tiers = 1 + usize::from(device.profile().quirks.iter().any(|quirk| quirk.avoid == Avoid::OptimizingAtOnce));
    assert_eq!(tested.len(), tiers, "the self-tests of products are one program: {tested:?}");
}

#[test]
fn the_self_tests_of_a_function_are_one_program() {
    for device in selectors_with_driver() {
        let cache = scratch("first-step");
        assert_eq!(child("child_takes_a_first_step", &device, &cache, &[]), [""; 0]);
        std::fs::remove_dir_all(&cache).unwrap();
    }
}
