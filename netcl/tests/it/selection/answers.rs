//! What a selector answers, and what a device then launches; on devices without a driver, which keep nothing.

use super::{config, conv, few, gpu, product};
use netcl::select::{
    Conv2dTask, KernelConfig, Outcome, Reason, ReduceOp, Reduction, Selection, Task, TuneOptions, Variant,
};
use netcl::{Axis, DType, Device, Result, Target, Tensor};
use netcl_kernels::plan::{Plan, Work};
use std::sync::Arc;

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
        let Selection { config, reason } = selector.select(task);
        let fastest = || selector.records()[0].config.clone();
        match reason {
            Reason::Measured => assert_eq!(config, fastest()),
            Reason::Nearest { .. } => assert!([fastest(), selector.candidates(task)[0].clone()].contains(&config)),
            _ => assert_eq!(config, selector.candidates(task)[0]),
        }
        reason
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
    of(&[m, k])?.matmul(&of(&[k, n])?).eval()?;
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
    let sum = || Tensor::zeros(&device, &[37, 700], DType::F32)?.sum([1]).to_vec::<f32>();
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
        let y = x.apply("conv2d", &[(&w).into(), (&one[..]).into(), (&one[..]).into(), (&one[..]).into(), 1i64.into()]);
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
fn what_is_told_of_progress_may_compute_and_tune() -> Result<()> {
    let device = gpu();
    let nested = std::cell::Cell::new(0);
    let tell = |_: &netcl::select::Progress<'_>| {
        for task in [product(64, 64, 64), product(256, 256, 64)] {
            device.tune(&task, &few(1)).unwrap();
        }
        let x = Tensor::zeros(&device, &[64, 64], DType::F32).unwrap();
        x.matmul(&x);
        nested.set(nested.get() + 1);
    };
    device.tune(&product(64, 64, 64), &TuneOptions { progress: Some(&tell), again: true, ..few(2) })?;
    assert_eq!(nested.get(), 2);
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
