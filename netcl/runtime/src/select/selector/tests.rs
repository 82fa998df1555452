use super::*;
use crate::device::{DeviceKind, Vendor};
use crate::select::TuneOptions;
use crate::select::records::{Content, Folder, Identity};
use crate::select::testing::{config, conv, product, record};
use netcl_kernels::variant::Variant;

fn scratch(name: &str) -> (PathBuf, Folder) {
    let path = std::env::temp_dir().join(format!("netcl-selector-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    (path.clone(), Folder::at(path))
}

#[test]
fn devices_of_one_architecture_learn_from_each_other() {
    let (path, folder) = scratch("relatives");
    let device = Device::null(Target::Gpu, 1 << 20);
    let with_driver = |driver: &str| {
        device.profile().clone().with(|profile| {
            profile.driver = driver.into();
        })
    };
    let tiled = config("matmul_tiled TILE=16");
    let mut content = Content::default();
    content.add(record(&product(512, 512, 512), &tiled));
    folder.update(&Identity::of(&with_driver("1.0")), &|own| _ = own.merge(content.clone())).unwrap();

    let of = |driver: &str, task: &Task<u64>| {
        let state = DeviceSelector::with(device.id(), &with_driver(driver), Some(folder.clone()));
        KernelSelector::new(device.clone(), Arc::new(state)).select(task)
    };
    let task = product(512, 512, 512);
    assert_eq!(of("1.0", &task), Selection { config: tiled.clone(), reason: Reason::Measured });
    let near = Reason::Nearest { task: task.clone(), octaves: 0.0 };
    assert_eq!(of("2.0", &task), Selection { config: tiled.clone(), reason: near }, "another driver");

    // What is wrong with one driver is not used there, and still is with the other.
    let state = DeviceSelector::with(device.id(), &with_driver("2.0"), Some(folder.clone()));
    let selector = KernelSelector::new(device.clone(), Arc::new(state));
    selector.reject(&task, &tiled, "on purpose");
    assert_eq!(selector.select(&task).reason, Reason::Default);
    assert_eq!(of("2.0", &task).reason, Reason::Default, "in later runs, too");
    assert_eq!(of("1.0", &task).reason, Reason::Measured);
    std::fs::remove_dir_all(&path).unwrap();
}

#[test]
fn a_record_that_cannot_be_used_is_none() {
    let (path, folder) = scratch("unusable");
    let device = Device::null(Target::Gpu, 1 << 28);
    let task = product(64, 64, 64);
    for unusable in ["matmul_tiled TILE=5", "matmul_tiled TILE=32", "matmul_tiled TILE=16"] {
        let unusable = config(unusable);
        let of_before = record(&task, &unusable);
        let identity = Identity::of(device.profile());
        folder.update(&identity, &|own| *own = Content::default()).unwrap();
        folder.update(&identity, &|own| own.add(of_before.clone())).unwrap();
        // Of these one is no configuration, one too large for the device, one wrong there.
        let profile = device.profile().clone().with(|profile| {
            profile.max_work_group = 256;
        });
        let state = DeviceSelector::with(device.id(), &profile, Some(folder.clone()));
        let selector = KernelSelector::new(device.clone(), Arc::new(state));
        if unusable == config("matmul_tiled TILE=16") {
            assert_eq!(selector.select(&task).reason, Reason::Measured);
            selector.reject(&task, &unusable, "on purpose");
        }
        assert_eq!((selector.record(&task), selector.select(&task).reason), (None, Reason::Default));
        let options = TuneOptions { candidates: 2, ..TuneOptions::default() };
        let tuning = selector.tune(&task, &options).unwrap();
        assert_eq!(tuning.candidates.len(), 2, "it is measured: {tuning}");
        assert_eq!(selector.select(&task).reason, Reason::Measured);
        assert_eq!(selector.tune(&task, &options).unwrap().candidates, []);
    }
    std::fs::remove_dir_all(&path).unwrap();
}

#[test]
fn what_the_device_would_not_launch_or_gets_wrong_is_not_used_even_where_it_is_asked_for() {
    let device = Device::null(Target::Gpu, 1 << 30);
    let profile = device.profile().clone().with(|profile| {
        profile.kind = DeviceKind::Gpu;
    });
    let state = DeviceSelector::with(device.id(), &profile, None);
    let selector = KernelSelector::new(device, Arc::new(state));
    let (task, tiled, naive) =
        (product(64, 64, 64), config("matmul_tiled TILE=16"), config("matmul_naive LOCAL_M=4 LOCAL_N=16"));
    for config in [&tiled, &naive] {
        let test = trial::test_name(&task, config, Target::Gpu);
        selector.state.confirm(move |own| own.test(test.clone(), true));
    }
    let _forced = selector.force(tiled.clone());
    selector.set(&task, naive.clone()).unwrap();
    let picked = || selector.select(&task);
    assert_eq!((picked().config, picked().reason), (tiled.clone(), Reason::Forced));
    selector.state.change(|known| _ = known.refused.insert(trial::test_name(&task, &tiled, Target::Gpu)));
    assert_eq!((picked().config, picked().reason), (naive.clone(), Reason::Forced), "the next one that is asked for");
    selector.reject(&task, &naive, "on purpose");
    assert_ne!(picked().reason, Reason::Forced);
    let refused = (trial::test_name(&task, &tiled, Target::Gpu), "the device did not launch it".to_owned());
    assert!(selector.rejected().contains(&refused), "{:?}", selector.rejected());
    let error = selector.set(&task, naive).unwrap_err().to_string();
    assert!(error.contains("left out"), "{error}");
    selector.erase_records().unwrap();
    assert_eq!(selector.rejected(), [], "what was refused may be tried again");
}

#[test]
fn what_is_erased_can_be_measured_again() {
    let device = Device::null(Target::Gpu, 1 << 28);
    let mut state = DeviceSelector::with(device.id(), device.profile(), None);
    state.autotune = Autotune::On;
    let selector = KernelSelector::new(device, Arc::new(state));
    let task = product(64, 64, 64);
    for _ in 0..2 {
        assert_eq!(selector.select(&task).reason, Reason::Measured);
        assert_eq!(selector.records().len(), 1);
        selector.erase_records().unwrap();
    }
}

#[test]
fn who_waits_for_a_turn_does_not_measure_what_was_measured_meanwhile() {
    let device = Device::null(Target::Gpu, 1 << 28);
    let state = DeviceSelector::with(device.id(), device.profile(), None);
    let selector = KernelSelector::new(device, Arc::new(state));
    let task = product(64, 64, 64);
    let measured = record(&task, &config("matmul_tiled TILE=16"));
    let turn = selector.state.turn();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| selector.tune(&task, &TuneOptions { candidates: 2, ..TuneOptions::default() }));
        // It has looked once it waits; if it has not yet, it finds the record at its first look.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let learnt = measured.clone();
        selector.state.learn(move |own| own.add(learnt.clone()));
        drop(turn);
        let tuning = waiting.join().unwrap().unwrap();
        assert_eq!((tuning.record, tuning.candidates.len()), (Some(measured.clone()), 0));
    });
}

#[test]
fn what_another_process_found_changes_answers_that_were_given() {
    let (path, folder) = scratch("others");
    let device = Device::null(Target::Gpu, 1 << 20);
    let (task, tiled) = (product(512, 512, 512), config("matmul_tiled TILE=16"));
    folder.update(&Identity::of(device.profile()), &|own| own.add(record(&task, &tiled))).unwrap();
    let open = || {
        let state = DeviceSelector::with(device.id(), device.profile(), Some(folder.clone()));
        KernelSelector::new(device.clone(), Arc::new(state))
    };
    let (own, other) = (open(), open());
    assert_eq!(own.select(&task).config, tiled);
    let generation = own.state.generation();
    other.reject(&task, &tiled, "on purpose");
    own.state.keep_work_group("k".to_owned(), 64);
    assert_ne!(own.state.generation(), generation);
    assert_eq!(own.select(&task).reason, Reason::Default);
    // Nothing new is no reason to ask again.
    let generation = own.state.generation();
    own.state.keep_work_group("k".to_owned(), 128);
    assert_eq!(own.state.generation(), generation);

    // What one process takes back, another that still knows it does not write down again.
    other.readmit(&task, &tiled);
    own.state.keep_work_group("k".to_owned(), 256);
    assert_eq!(open().rejected(), []);
    std::fs::remove_dir_all(&path).unwrap();
}

#[test]
fn records_come_before_their_neighbours_rules_and_the_compiler() {
    let device = Device::null(Target::Gpu, 1 << 30);
    let profile = device.profile().clone().with(|profile| {
        profile.kind = DeviceKind::Gpu;
        profile.vendor = Vendor::Nvidia;
    });
    let state = DeviceSelector::with(device.id(), &profile, None);
    let selector = KernelSelector::new(device, Arc::new(state));
    // What the null device computes would fail every test.
    for variant in ["conv2d_winograd", "conv2d_im2col", "conv2d_implicit_gemm"] {
        let what = if variant.ends_with("gemm") { "STAGE=1" } else { "padded" };
        selector.state.confirm(move |own| own.test(format!("{variant} f32 forward {what}"), true));
    }
    let of = |channels: u64| {
        let Task::Conv2d(mut task) = conv(32, channels, 28, 3) else { unreachable!() };
        task.out_channels = 64;
        Task::Conv2d(task)
    };
    let reason = |channels: u64| selector.select(&of(channels)).reason;
    assert_eq!(reason(4), Reason::Default);
    assert!(matches!(reason(32), Reason::VendorRule { why } if why.contains("patches")));
    let selection = selector.select(&of(64));
    assert_eq!(selection.config.variant, Variant::Conv2dWinograd);
    assert!(matches!(selection.reason, Reason::VendorRule { why } if why.contains("Winograd")));
    let im2col = KernelConfig::plain(Variant::Conv2dIm2col);
    let learnt = record(&of(128), &im2col);
    selector.state.learn(move |own| own.add(learnt.clone()));
    assert_eq!(reason(64), Reason::Nearest { task: of(128), octaves: 1.0 });
    assert_eq!((reason(128), reason(4)), (Reason::Measured, Reason::Default));
    assert_eq!(selector.select(&of(64)).config, im2col);
    // Of what is wrong, the next answer is taken.
    selector.reject(&of(128), &im2col, "on purpose");
    assert!(matches!(reason(128), Reason::VendorRule { .. }));
    selector.reject(&of(128), &KernelConfig::plain(Variant::Conv2dWinograd), "on purpose");
    assert_eq!(reason(128), Reason::Default);
}

#[test]
fn a_neighbour_that_hardly_beat_the_compilers_choice_speaks_for_that_choice() {
    let device = Device::null(Target::Gpu, 1 << 30);
    let (task, near) = (product(512, 512, 512), product(1024, 512, 512));
    let tiled = config("matmul_tiled TILE=16");
    let answer = |default_nanoseconds: Option<u64>| {
        let selector =
            KernelSelector::new(device.clone(), Arc::new(DeviceSelector::with(device.id(), device.profile(), None)));
        let default = selector.default(&task);
        assert_ne!(default, tiled);
        let learnt = Record { default_nanoseconds, ..record(&near, &tiled) };
        selector.state.learn(move |own| own.add(learnt.clone()));
        for config in [&tiled, &default] {
            let test = trial::test_name(&task, config, Target::Gpu);
            selector.state.confirm(move |own| own.test(test.clone(), true));
        }
        let selection = selector.select(&task);
        assert_eq!(selection.reason, Reason::Nearest { task: near.clone(), octaves: 1.0 });
        assert!(selection.config == tiled || selection.config == default, "{}", selection.config);
        // To the tuner it is worth a try all the same.
        assert_eq!(selector.nearby(&task), std::slice::from_ref(&tiled));
        selection.config == tiled
    };
    let fastest = record(&near, &tiled).nanoseconds;
    assert!(answer(Some(fastest * 2)));
    assert!(!answer(Some(fastest * 21 / 20)));
    assert!(answer(None), "the compiler's own choice cannot be used there");
}

#[test]
fn what_leaves_compute_units_idle_is_not_taken_from_neighbours() {
    let device = Device::null(Target::Cpu, 1 << 28);
    let answer = |units: u32| {
        let profile = device.profile().clone().with(|profile| {
            profile.compute_units = units;
        });
        let selector = KernelSelector::new(device.clone(), Arc::new(DeviceSelector::with(device.id(), &profile, None)));
        // Of the neighbour it makes four work-groups, of the task two.
        let wide = config("matmul_vectorized FORM=0 VECTOR=16 REG_M=5 REG_N=2 TILE_M=80 TILE_N=32 TILE_K=128");
        let learnt = record(&product(64, 128, 512), &wide);
        selector.state.learn(move |own| own.add(learnt.clone()));
        selector.state.confirm(move |own| own.test(trial::test_name(&product(64, 64, 512), &wide, Target::Cpu), true));
        selector.select(&product(64, 64, 512)).reason
    };
    assert!(matches!(answer(1), Reason::Nearest { .. }), "{:?}", answer(1));
    assert!(matches!(answer(2), Reason::Nearest { .. }), "{:?}", answer(2));
    assert_eq!(answer(4), Reason::Default);
}

#[test]
fn what_cannot_be_written_is_known_and_that_it_was_not_kept_is_said() {
    let (path, _) = scratch("unkept");
    std::fs::write(&path, "a file where the folder belongs").unwrap();
    let device = Device::null(Target::Gpu, 1 << 28);
    let state = DeviceSelector::with(device.id(), device.profile(), Some(Folder::at(path.join("tuning"))));
    let selector = KernelSelector::new(device.clone(), Arc::new(state));
    selector.check_kept().expect("nothing was to be kept yet");
    let (task, tiled) = (product(64, 64, 64), config("matmul_tiled TILE=16"));
    let learnt = record(&task, &tiled);
    selector.state().learn(move |content| content.add(learnt.clone()));
    assert_eq!(selector.select(&task).reason, Reason::Measured);
    let error = selector.check_kept().unwrap_err().to_string();
    let file = selector.path().unwrap();
    assert!(error.contains("keep measurements in") && error.contains(file.to_str().unwrap()), "{error}");
    // What could be written later is, and all of it.
    std::fs::remove_file(&path).unwrap();
    selector.state().confirm(|content| content.test("a test".to_owned(), true));
    selector.check_kept().expect("everything is in the file");
    let kept = Folder::at(path.join("tuning")).load(&Identity::of(device.profile()));
    assert!(kept.record(&task).is_some() && kept.tested.contains_key("a test"), "{kept:?}");
    std::fs::remove_dir_all(&path).unwrap();
}

#[test]
fn what_is_forgotten_is_not_to_be_kept() {
    let (path, _) = scratch("forgotten");
    std::fs::write(&path, "a file where the folder belongs").unwrap();
    let device = Device::null(Target::Gpu, 1 << 28);
    let state = DeviceSelector::with(device.id(), device.profile(), Some(Folder::at(path.join("tuning"))));
    let selector = KernelSelector::new(device, Arc::new(state));
    selector.state().confirm(|content| content.test("a test".to_owned(), true));
    assert!(selector.check_kept().is_err());
    // It says so itself if it cannot be deleted.
    let _ = selector.erase_records();
    selector.check_kept().expect("there is nothing to keep any more");
    std::fs::remove_file(&path).unwrap();
}
