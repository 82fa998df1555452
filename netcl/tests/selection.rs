//! Which kernels compute a task: the order of answers, tuning, what happens to wrong kernels, and what later runs know.
//!
//! What is found on devices with a driver is kept on disk and would change what other tests see, so that each such case is a
//! process of its own with a cache of its own: this program, started again.

mod common;

use common::devices::selectors_with_driver;
use common::settings;
use netcl::select::{
    Conv2dTask, ConvKind, KernelConfig, Outcome, Product, Reason, ReduceOp, Reduction, Task, TuneOptions, Variant,
};
use netcl::{Axis, DType, Device, Result, Target, Tensor};
use netcl_kernels::plan::{Plan, Work};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

fn product(m: u64, n: u64, k: u64) -> Task<u64> {
    let (a, b, dtype) = (Axis::K, Axis::Outer, DType::F32);
    Task::Product(Product { m, n, k, batch: 1, a, b, aligned: true, dtype })
}

fn gpu() -> Device {
    Device::null(Target::Gpu, 1 << 30)
}

fn few(candidates: usize) -> TuneOptions<'static> {
    TuneOptions { candidates, budget: Duration::from_secs(60), ..TuneOptions::default() }
}

fn config(text: &str) -> KernelConfig {
    KernelConfig::parse(text).expect("a configuration")
}

#[test]
fn answers_come_from_the_bucket_then_from_the_nearest_shape_then_from_the_compiler() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let task = product(512, 512, 512);
    let default = selector.select(&task);
    assert_eq!(default.reason, Reason::Default);
    assert_eq!(default.config, selector.candidates(&task)[0]);

    let tuning = device.tune(&task, &few(4))?;
    let record = tuning.record.clone().expect("a null device runs everything");
    assert_eq!(tuning.candidates.len(), 4);
    assert_eq!(selector.records(), std::slice::from_ref(&record));
    // On a null device any candidate may be the fastest: what is known of the task is what counts.
    let of = |task: &Task<u64>| {
        let selection = selector.select(task);
        if selection.reason != Reason::Default {
            assert_eq!(selection.config, selector.records()[0].config);
        }
        selection.reason
    };
    assert_eq!(of(&task), Reason::Measured);
    assert_eq!(of(&product(500, 520, 512)), Reason::Measured, "sizes of one bucket");
    assert_eq!(of(&product(1024, 512, 512)), Reason::Nearest { task: task.clone(), octaves: 1.0 });
    assert_eq!(of(&product(4096, 512, 512)), Reason::Default, "3 octaves away");
    let Task::Product(mut transposed) = task.clone() else { unreachable!() };
    transposed.b = Axis::K;
    assert_eq!(of(&Task::Product(transposed)), Reason::Default, "other axes");

    // Nothing is measured twice, unless it is asked for.
    assert_eq!(device.tune(&task, &few(4))?.candidates, []);
    let again = device.tune(&task, &TuneOptions { again: true, ..few(2) })?;
    assert_eq!(again.candidates.len(), 2);
    assert_eq!(selector.records(), std::slice::from_ref(again.record.as_ref().expect("everything runs there")));
    selector.clear_cache();
    assert_eq!(of(&task), Reason::Measured, "without a disk, memory is what keeps records");
    selector.erase_records()?;
    assert_eq!(of(&task), Reason::Default);
    assert_eq!(gpu().selector().path(), None, "a null device keeps nothing");
    Ok(())
}

/// The kernels that computing a product of these sizes launches.
fn launched(device: &Device, [m, n, k]: [usize; 3]) -> Result<Vec<String>> {
    let of = |shape: &[usize]| Tensor::zeros(device, shape, DType::F32);
    of(&[m, k])?.matmul(&of(&[k, n])?)?;
    let records = device.take_records().expect("a null device");
    Ok(records.iter().map(|record| record.entry.trim_start_matches("matmul_0_").to_owned()).collect())
}

#[test]
fn run_time_operations_use_what_is_picked_and_nothing_changes_otherwise() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let sizes = [256, 512, 512];
    assert_eq!(launched(&device, sizes)?, ["matmul_register"]);
    {
        let _naive = selector.force(config("matmul_naive LOCAL_M=4 LOCAL_N=16"));
        assert_eq!(launched(&device, sizes)?, ["matmul_naive"]);
        let inner = selector.force(config("matmul_tiled TILE=16"));
        assert_eq!(launched(&device, sizes)?, ["matmul_tiled"]);
        drop(inner);
        assert_eq!(launched(&device, sizes)?, ["matmul_naive"]);
        // Other threads and devices are not concerned.
        let elsewhere = device.clone();
        let other = std::thread::spawn(move || launched(&elsewhere, sizes)).join().unwrap()?;
        assert_eq!(other, ["matmul_register"]);
        assert_eq!(launched(&gpu(), sizes)?, ["matmul_register"]);
    }
    assert_eq!(launched(&device, sizes)?, ["matmul_register"]);

    // A configuration that is set is that of a bucket.
    selector.set(&product(256, 512, 512), config("matmul_tiled TILE=16"))?;
    assert_eq!(selector.select(&product(250, 512, 512)).reason, Reason::Forced);
    assert_eq!(launched(&device, sizes)?, ["matmul_tiled"]);
    assert_eq!(launched(&device, [512, 512, 512])?, ["matmul_register"]);
    selector.unset();
    assert_eq!(launched(&device, sizes)?, ["matmul_register"]);
    let error = selector.set(&product(256, 512, 512), config("matmul_tiled TILE=5")).unwrap_err().to_string();
    assert!(error.contains("`matmul_tiled TILE=5` for `matmul f32 m=256") && error.contains("TILE"), "{error}");
    let error = selector.set(&product(256, 512, 512), config("reduction_parallel")).unwrap_err().to_string();
    assert!(error.contains("does not compute"), "{error}");

    // What is measured is used from the next call on.
    let tuning = device.tune(&product(256, 512, 512), &few(3))?;
    let picked = tuning.record.expect("everything runs there").config.variant;
    let name = launched(&device, sizes)?.remove(0);
    let expected = match picked {
        Variant::MatMulRegisterTiled => "matmul_register",
        Variant::MatMulVectorized => "matmul_cpu",
        other => other.name(),
    };
    assert_eq!(name, expected);
    Ok(())
}

/// Makes the kernels of a configuration launch in a way that no device takes.
#[allow(clippy::type_complexity, reason = "what `KernelSelector::alter` takes")]
fn cannot_launch(bad: KernelConfig) -> Arc<dyn Fn(&KernelConfig, &mut Plan) + Send + Sync> {
    Arc::new(move |config, plan| {
        if *config == bad {
            for step in &mut plan.steps {
                if let Work::Kernel { launch, .. } = &mut step.work {
                    launch.local = vec![1 << 12, 1, 1];
                }
            }
        }
    })
}

#[test]
fn a_candidate_that_cannot_be_launched_is_never_picked() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let task = product(128, 128, 128);
    let first = selector.candidates(&task)[0].clone();
    selector.alter(Some(cannot_launch(first.clone())));
    let tuning = device.tune(&task, &few(3))?;
    assert_eq!(tuning.candidates[0].config, first);
    assert!(
        matches!(&tuning.candidates[0].outcome, Outcome::Failed(why) if why.contains("work-groups of 4096")),
        "{tuning}"
    );
    assert_ne!(tuning.record.as_ref().expect("the others run").config, first);
    assert_eq!(tuning.speedup(), None);
    // It is left out from now on, for this and all tasks like it.
    assert!(!selector.candidates(&product(64, 64, 64)).contains(&first));
    let [(what, why)] = &selector.rejected()[..] else { panic!("{:?}", selector.rejected()) };
    assert!(what.starts_with(&first.to_string()) && why.contains("4096"), "{what}: {why}");
    assert_eq!(launched(&device, [128, 128, 128])?.len(), 1);
    Ok(())
}

#[test]
fn a_version_that_cannot_be_launched_gives_way_to_the_functions_own() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let tiled = config("matmul_tiled TILE=16");
    selector.alter(Some(cannot_launch(tiled.clone())));
    let _forced = selector.force(tiled);
    assert_eq!(launched(&device, [256, 512, 512])?, ["matmul_register"]);
    Ok(())
}

/// Launched while something of another family is asked for, which is not what decides.
#[test]
fn what_is_learnt_counts_while_something_else_is_asked_for() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let sizes = [256, 512, 512];
    let _other = selector.force(config("conv2d_im2col"));
    assert_eq!(launched(&device, sizes)?, ["matmul_register"]);
    selector.set(&product(256, 512, 512), config("matmul_tiled TILE=16"))?;
    assert_eq!(launched(&device, sizes)?, ["matmul_tiled"]);
    selector.unset();
    assert_eq!(launched(&device, sizes)?, ["matmul_register"]);
    Ok(())
}

#[test]
fn a_task_whose_every_kernel_is_wrong_is_an_error_until_one_is_right() -> Result<()> {
    let device = gpu();
    let selector = device.selector();
    let (rows, columns, op) = (37, 700, ReduceOp::Sum);
    let task = Task::Reduction(Reduction { rows, columns, contiguous: true, op, dtype: DType::F32 });
    let sum = || Tensor::zeros(&device, &[37, 700], DType::F32)?.sum(&[1])?.to_vec::<f32>();
    assert!(sum().is_ok());
    for bad in selector.candidates(&task) {
        assert!(sum().is_ok(), "there are others than those left out so far");
        selector.alter(Some(cannot_launch(bad.clone())));
        // Alone, so that the others are not tried.
        let all = device.tune(&task, &TuneOptions { again: true, ..few(9) })?;
        let outcome = all.candidates.iter().find(|own| own.config == bad).map(|own| own.outcome.clone());
        assert!(matches!(outcome, Some(Outcome::Failed(_))), "{all}");
    }
    // The last one alone is left out now: what is right again is used again.
    assert_eq!(selector.rejected().len(), 1);
    assert!(sum().is_ok());

    selector.alter(Some(Arc::new(|_: &KernelConfig, plan: &mut Plan| {
        for step in &mut plan.steps {
            if let Work::Kernel { launch, .. } = &mut step.work {
                launch.local = vec![1 << 12, 1, 1];
            }
        }
    })));
    device.tune(&task, &TuneOptions { again: true, ..few(9) })?;
    assert_eq!(selector.candidates(&task), []);
    let error = sum().unwrap_err().to_string();
    assert!(error.contains("sum") && error.contains("null") && error.contains(&task.to_string()), "{error}");
    assert!(error.contains("erase_records"), "{error}");

    selector.alter(None);
    assert!(sum().is_err(), "nobody has looked");
    assert!(device.tune(&task, &few(9))?.candidates.is_empty(), "what is left out is not tried");
    device.tune(&task, &TuneOptions { again: true, ..few(9) })?;
    assert_eq!(selector.rejected(), []);
    assert!(sum().is_ok());
    Ok(())
}

fn conv(images: u64, channels: u64) -> Conv2dTask<u64> {
    Conv2dTask {
        kind: ConvKind::Forward,
        images,
        channels,
        size: [28; 2],
        filter: [3; 2],
        out_channels: 64,
        stride: [1; 2],
        padding: [1; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    }
}

#[test]
fn faster_kernels_that_do_not_fit_into_memory_give_way() -> Result<()> {
    const MIB: usize = 1 << 20;
    let device = Device::null(Target::Gpu, 64 << 20);
    let selector = device.selector();
    let im2col = config("conv2d_im2col");
    // More than a quarter of the memory is never taken for patches.
    let error = selector.set(&Task::Conv2d(conv(32, 64)), im2col.clone()).unwrap_err().to_string();
    assert!(error.contains("write down 57802752 bytes between its kernels"), "{error}");
    let _forced = selector.force(im2col);
    let convolve = |images: usize| {
        let x = Tensor::zeros(&device, &[images, 64, 28, 28], DType::F32)?;
        let w = Tensor::zeros(&device, &[64, 64, 3, 3], DType::F32)?;
        let one = [1i64, 1];
        let y =
            x.apply("conv2d", &[(&w).into(), (&one[..]).into(), (&one[..]).into(), (&one[..]).into(), 1i64.into()])?;
        y.to_vec::<f32>()?;
        let records = device.take_records().expect("a null device");
        Ok::<_, netcl::Error>(records.len())
    };
    // 13 MiB of patches: as long as there is as much, and without them where there is not.
    assert!(convolve(8)? > 1, "patches and a product");
    device.release_idle_memory();
    let _held = Tensor::zeros(&device, &[48 * MIB / 4], DType::F32)?;
    assert_eq!(convolve(8)?, 1, "no patches");
    Ok(())
}

#[test]
fn progress_is_told_after_each_candidate() -> Result<()> {
    let seen = std::cell::RefCell::new(Vec::new());
    let tell = |progress: &netcl::select::Progress<'_>| {
        assert!(progress.best.is_some() && progress.tried <= progress.of);
        seen.borrow_mut().push((progress.number, progress.tasks, progress.tried, progress.of));
    };
    gpu().tune(&product(64, 64, 64), &TuneOptions { progress: Some(&tell), ..few(3) })?;
    assert_eq!(seen.into_inner(), [(0, 1, 1, 3), (0, 1, 2, 3), (0, 1, 3, 3)]);
    Ok(())
}

#[test]
fn a_task_that_does_not_fit_is_an_error_before_anything_is_made() -> Result<()> {
    let device = Device::null(Target::Gpu, u64::MAX);
    let conv = Conv2dTask { images: u64::MAX, size: [1 << 62; 2], ..conv(64, 64) };
    for task in [product(1_000_000, 1_000_000, 1_000_000), product(u64::MAX, u64::MAX, u64::MAX), Task::Conv2d(conv)] {
        let error = device.tune(&task, &few(2)).unwrap_err().to_string();
        assert!(error.contains(&task.to_string()) && error.contains("use smaller sizes"), "{error}");
    }
    Ok(())
}

#[test]
fn the_host_has_nothing_to_choose() -> Result<()> {
    let device = Device::host();
    let tuning = device.tune(&product(64, 64, 64), &TuneOptions::default())?;
    assert_eq!((tuning.candidates.len(), tuning.record), (0, None));
    assert_eq!(device.selector().candidates(&product(64, 64, 64)), []);
    Ok(())
}

// What follows runs on every OpenCL device.

/// A folder of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("netcl-selection-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Runs one of the `child_` tests on a device with that cache; gives the warnings that it wrote.
fn child(name: &str, device: &str, cache: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = settings::clear(&mut command)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env("NETCL_TEST_SELECTION", device)
        .env("NETCL_CACHE_DIR", cache)
        .env("NETCL_LOG", "warn")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{name} on {device}:\n{out}\n{err}");
    err.lines().filter(|line| line.contains("WARN")).map(str::to_owned).collect()
}

fn device() -> Device {
    Device::select(&std::env::var("NETCL_TEST_SELECTION").expect("run by the others")).expect("a device")
}

const SIZES: [usize; 3] = [64, 48, 32];

/// A product of these sizes on the device, and what it must be.
fn check_product(device: &Device, [m, n, k]: [usize; 3]) {
    let a: Vec<f32> = (0..m * k).map(|at| (at % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..k * n).map(|at| (at % 5) as f32 - 2.0).collect();
    let x = Tensor::from_slice(device, &a, &[m, k]).unwrap();
    let y = x.matmul(&Tensor::from_slice(device, &b, &[k, n]).unwrap()).unwrap().to_vec::<f32>().unwrap();
    for (at, found) in y.into_iter().enumerate() {
        let expected: f32 = (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum();
        assert_eq!(found, expected, "element {at}");
    }
}

/// Makes kernels wrong in the way that a miscompiled loop is: the last term of a sum is left out.
fn forget_a_term(plan: &mut Plan) {
    for k in [32, 84] {
        plan.source = plan.source.replace(&format!("#define K {k}\n"), &format!("#define K {}\n", k - 1));
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
            plan.source.push_str("\n#error on purpose\n");
        }
    })));
    let tuning = device.tune(&task, &few(4)).unwrap();
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
    assert!(matches!(device.selector().select(&product(2 * m, n, k)).reason, Reason::Nearest { .. }));
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
    assert!(what.starts_with(&format!("{bad} f32 a=k b=outer")) && why == "it failed its self-test", "{what}: {why}");
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
    assert_eq!(x.sum(&[1]).unwrap().to_vec::<f32>().unwrap(), [700.0; 37]);
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

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_chooses_convolutions() {
    let switch = |name: &str, unset: bool| std::env::var(name).map_or(unset, |value| value == "1");
    let device = gpu();
    let task = Task::Conv2d(conv(32, 64));
    let all = device.selector().candidates(&task);
    let has = |variant| all.iter().any(|config| config.variant == variant);
    assert_eq!(has(Variant::Conv2dTiledLocal), switch("NETCL_CONV_TILED_LOCAL", false), "{all:?}");
    let winograd = switch("NETCL_CONV_WINOGRAD", true);
    assert_eq!(has(Variant::Conv2dWinograd), winograd, "{all:?}");
    // Nor is it measured where somebody asks for that.
    let also = [config("conv2d_winograd")];
    let tuning = device.tune(&task, &TuneOptions { also: &also, ..few(2) }).unwrap();
    assert_eq!(tuning.candidates.iter().any(|own| own.config == also[0]), winograd, "{tuning}");
}

#[test]
fn convolutions_that_are_switched_off_are_no_candidates() {
    for value in ["0", "1"] {
        let cache = scratch("tiled-local");
        for variable in ["NETCL_CONV_TILED_LOCAL", "NETCL_CONV_WINOGRAD"] {
            assert_eq!(child("child_chooses_convolutions", "null", &cache, &[(variable, value)]), [""; 0]);
        }
        assert!(!cache.exists(), "a null device keeps nothing");
    }
}
