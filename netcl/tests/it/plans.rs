//! The executor, on plans written by hand.

use netcl::__private::kernels::dim::{Dim, Symbol};
use netcl::__private::kernels::graph::OutputKind;
use netcl::__private::kernels::plan::{Arg, Plan, Role, Target, Work};
use netcl::__private::{ModelCore, Scalar, Seed};
use netcl::{DType, Device, Error, Tensor};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::plans::{
    Line, affine_square, arg, buffer, function, function_of, line_gradients, n, result, step, toy_schema,
};

fn expected(x: &[f32], w: &[f32], b: &[f32]) -> Vec<f32> {
    x.iter().enumerate().map(|(i, x)| (x * w[i % 3] + b[i % 3]).powi(2)).collect()
}

#[test]
fn one_plan_serves_every_batch_size() {
    for device in with_driver() {
        let forward = function(&affine_square());
        let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
        let w = core.tensor("layer.w").unwrap().to_vec::<f32>().unwrap();
        for batch in [1usize, 7, 32, 1797, 7, 1] {
            let x: Vec<f32> = (0..batch * 3).map(|i| i as f32 * 0.01 - 1.0).collect();
            let argument = Tensor::from_slice(&device, &x, &[batch, 3]).unwrap();
            let y = forward.call(Some(&core), "", &[&argument], &[]).unwrap();
            assert_eq!(y[0].shape(), [batch, 3]);
            for (found, wanted) in y[0].to_vec::<f32>().unwrap().iter().zip(expected(&x, &w, &[0.25; 3])) {
                assert!((found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0), "{found} {wanted}");
            }
        }
    }
}

#[test]
fn a_steady_loop_asks_the_driver_for_nothing() {
    for device in with_driver() {
        let device = {
            // The pool is the device's, and other tests share the device: count on a null device as well.
            let null = Device::null(Target::Cpu, 1 << 20);
            [device, null]
        };
        for device in device {
            let forward = function(&affine_square());
            let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
            let batches: Vec<Tensor> =
                [4usize, 9].iter().map(|&batch| Tensor::zeros(&device, &[batch, 3], DType::F32).unwrap()).collect();
            let run = || {
                for x in &batches {
                    forward.call(Some(&core), "", &[x], &[]).unwrap();
                }
            };
            run();
            let before = device.memory_stats();
            (0..20).for_each(|_| run());
            if device.profile().kind == netcl::DeviceKind::Null {
                let after = device.memory_stats();
                assert_eq!((before.allocations, before.in_use), (after.allocations, after.in_use));
                assert_eq!(device.launches(), 84);
                assert_eq!(device.take_records().unwrap()[1].entry.as_ref(), "square");
            }
        }
    }
}

#[test]
fn arguments_are_checked_in_the_users_words() {
    let device = Device::null(Target::Cpu, 1 << 30);
    let mut plan = affine_square();
    plan.name = "Mlp::loss".into();
    plan.buffers.push(buffer("labels", &[n()], DType::U32, Role::Argument(1)));
    plan.buffers.push(buffer("pairs", &[n() * Dim::from(2)], DType::U32, Role::Argument(2)));
    let loss = function(&plan);
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    let of = |shape: &[usize], dtype| Tensor::zeros(&device, shape, dtype).unwrap();
    let call = |x: &Tensor, labels: &Tensor, pairs: &Tensor| {
        loss.call(Some(&core), "", &[x, labels, pairs], &[]).map(|_| ()).map_err(|error| error.to_string())
    };
    let (x, labels, pairs) = (of(&[8, 3], DType::F32), of(&[8], DType::U32), of(&[16], DType::U32));
    assert_eq!(call(&x, &labels, &pairs), Ok(()));
    let wrong = [
        (
            call(&of(&[8, 4], DType::F32), &labels, &pairs),
            "`Mlp::loss`: argument `x` expects f32 [N, 3], found f32 [8, 4]",
        ),
        (call(&of(&[8], DType::F32), &labels, &pairs), "`Mlp::loss`: argument `x` expects f32 [N, 3], found f32 [8]"),
        (
            call(&of(&[8, 3], DType::F64), &labels, &pairs),
            "`Mlp::loss`: argument `x` expects f32 [N, 3], found f64 [8, 3]",
        ),
        (
            call(&x, &of(&[7], DType::U32), &pairs),
            "`Mlp::loss`: argument `labels` expects u32 [N] with N = 8 (from `x`), found u32 [7]",
        ),
        (
            call(&x, &labels, &of(&[15], DType::U32)),
            "`Mlp::loss`: argument `pairs` expects u32 [N*2] with N = 8, found u32 [15]",
        ),
    ];
    for (found, message) in wrong {
        assert_eq!(found.unwrap_err(), message);
    }
    let empty = call(&of(&[0, 3], DType::F32), &of(&[0], DType::U32), &of(&[0], DType::U32)).unwrap_err();
    assert!(empty.contains("argument `x`") && empty.contains("`N` 0"), "{empty}");
    let few = loss.call(Some(&core), "", &[&x], &[]).unwrap_err();
    assert!(matches!(few, Error::ArgumentCount { expected: 3, found: 1, .. }), "{few}");
    let elsewhere = Tensor::zeros(&Device::host(), &[8, 3], DType::F32).unwrap();
    assert!(call(&elsewhere, &labels, &pairs).unwrap_err().contains("to_device"));
}

/// `state ← 0.5·state + 0.5·x[0]`, `g_w = scale · x[0]`, `y = seed`.
fn training_plan(late: bool) -> Plan {
    let three = || [Dim::from(3)];
    let mut plan = Plan {
        name: "Toy::loss".into(),
        target: Target::Cpu,
        symbols: vec![Symbol::new("N")],
        buffers: vec![
            buffer("x", &[n(), Dim::from(3)], DType::F32, Role::Argument(0)),
            buffer("mean", &three(), DType::F32, Role::State("mean".into())),
            buffer("new mean", &three(), DType::F32, Role::Output(OutputKind::State("mean".into()))),
            buffer("gradient", &three(), DType::F32, Role::Output(OutputKind::Gradient("w".into()))),
            buffer("seed", &[Dim::from(1)], DType::U32, result(0)),
            buffer("old mean", &three(), DType::F32, result(1)),
        ],
        scalars: vec![DType::U32, DType::F32],
        requirements: vec![],
        not_in_place: vec![],
        repeats: vec![],
        decisions: vec![],
        steps: vec![
            step("update", Dim::from(3), vec![arg(0), arg(1), arg(2)], &[0, 1], &[2]),
            step("gradient", Dim::from(3), vec![arg(0), arg(3), Arg::Scalar(1, DType::F32)], &[0], &[3]),
            step("draw", Dim::from(1), vec![arg(4), Arg::Scalar(0, DType::U32)], &[], &[4]),
            step("keep", Dim::from(3), vec![arg(1), arg(5)], &[1], &[5]),
        ],
        loops: vec![],
        source: "
            kernel void update(global const float *x, global const float *mean, global float *new_mean) {
                uint i = get_global_id(0);
                new_mean[i] = 0.5f * mean[i] + 0.5f * x[i];
            }
            kernel void gradient(global const float *x, global float *g, float scale) {
                g[get_global_id(0)] = scale * x[get_global_id(0)];
            }
            kernel void draw(global uint *y, uint seed) { y[0] = seed; }
            kernel void keep(global const float *mean, global float *y) {
                y[get_global_id(0)] = mean[get_global_id(0)];
            }"
        .into(),
    };
    if !late {
        plan.steps.swap(0, 3);
    }
    plan
}

#[test]
fn states_are_overwritten_after_their_last_reader() {
    for device in with_driver() {
        for late in [false, true] {
            let loss = function(&training_plan(late));
            // The function's paths start inside the model.
            let mut schema = netcl::Schema::new();
            schema.add_model("block", {
                let mut inner = netcl::Schema::new();
                for (path, spec) in toy_schema().entries() {
                    inner.add(path.rsplit('.').next().unwrap(), spec.clone());
                }
                inner
            });
            let core = ModelCore::new(&device, Seed(9), &schema).unwrap();
            let x = Tensor::from_slice(&device, &[2.0f32, 4.0, 8.0], &[1, 3]).unwrap();
            let mut seeds = Vec::new();
            for (old, new) in [([0.0f32; 3], [1.0f32, 2.0, 4.0]), ([1.0, 2.0, 4.0], [1.5, 3.0, 6.0])] {
                let (results, gradients, _) =
                    loss.call_with_gradients(&core, "block", &[&x], &[Scalar::F32(0.5)]).unwrap();
                assert_eq!(results[1].to_vec::<f32>().unwrap(), old, "late: {late}");
                assert_eq!(core.tensor("block.mean").unwrap().to_vec::<f32>().unwrap(), new, "late: {late}");
                assert_eq!(gradients.tensor("block.w").unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0, 4.0]);
                assert_eq!(gradients.tensor("block.b").unwrap().to_vec::<f32>().unwrap(), [0.0; 3]);
                seeds.push(results[0].to_vec::<u32>().unwrap()[0]);
            }
            assert_ne!(seeds[0], seeds[1], "every step draws other numbers");
            let again = ModelCore::new(&device, Seed(9), &schema).unwrap();
            // Calls that fail draw nothing.
            let wrong = Tensor::zeros(&device, &[1, 4], DType::F32).unwrap();
            loss.call_with_gradients(&again, "block", &[&wrong], &[Scalar::F32(0.5)]).unwrap_err();
            loss.call_with_gradients(&again, "block", &[&x], &[Scalar::U32(1)]).unwrap_err();
            let results = loss.call_with_gradients(&again, "block", &[&x], &[Scalar::F32(0.5)]).unwrap().0;
            assert_eq!(results[0].to_vec::<u32>().unwrap()[0], seeds[0], "a run can be repeated");
        }
    }
}

#[test]
fn wrong_scalars_are_an_error() {
    let device = Device::null(Target::Cpu, 1 << 20);
    let mut schema = netcl::Schema::new();
    for (path, spec) in toy_schema().entries() {
        schema.add(path.rsplit('.').next().unwrap(), spec.clone());
    }
    let core = ModelCore::new(&device, Seed(9), &schema).unwrap();
    let x = Tensor::zeros(&device, &[1, 3], DType::F32).unwrap();
    let loss = function(&training_plan(false));
    for scalars in [&[][..], &[Scalar::U32(1)], &[Scalar::F32(1.0), Scalar::F32(1.0)]] {
        let error = loss.call_with_gradients(&core, "", &[&x], scalars).unwrap_err();
        assert!(matches!(error, Error::Scalars { .. }), "{error}");
    }
}

#[test]
fn out_of_memory_frees_idle_buffers_then_reports_figures() {
    let device = Device::null(Target::Cpu, 1 << 20);
    let held = Tensor::zeros(&device, &[64 << 10], DType::F32).unwrap();
    drop(Tensor::zeros(&device, &[128 << 10], DType::F32).unwrap());
    assert_eq!(device.memory_stats().idle, 512 << 10);
    // 768 KiB are only there once the idle 512 are given back.
    let large = Tensor::zeros(&device, &[130 << 10], DType::F32);
    let error = large.map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "1 MiB class next to 256 KiB: {error}");
    assert!(error.to_string().contains("262144 bytes in use and 0 idle"), "{error}");
    assert!(Tensor::zeros(&device, &[128 << 10], DType::F32).is_ok(), "the device stays usable");
    drop(held);
}

#[test]
fn arenas_of_other_sizes_are_given_up_when_memory_is_short() {
    // Rows of 12 bytes: 10,000 of them need 128 KiB of scratch and as much for the result.
    let device = Device::null(Target::Cpu, 640 << 10);
    let forward = function(&affine_square());
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    for batch in [10_000usize, 9_000, 8_000, 10_000, 7_000] {
        let x = Tensor::zeros(&device, &[batch, 3], DType::F32).unwrap();
        let y = forward.call(Some(&core), "", &[&x], &[]).unwrap();
        assert_eq!(y[0].shape(), [batch, 3]);
    }
    let x = Tensor::zeros(&device, &[20_000, 3], DType::F32).unwrap();
    let error = forward.call(Some(&core), "", &[&x], &[]).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn memory_that_is_held_in_reserve_is_given_up_for_whoever_needs_it() {
    let device = Device::null(Target::Cpu, 896 << 10);
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    // 128 KiB of scratch stay with each of these functions.
    let functions: Vec<_> = (0..3).map(|_| function(&affine_square())).collect();
    for function in &functions {
        let x = Tensor::zeros(&device, &[10_000, 3], DType::F32).unwrap();
        let y = function.call(Some(&core), "", &[&x], &[]).unwrap();
        assert_eq!(y[0].shape(), [10_000, 3]);
    }
    // More than is free beside their reserves; the tensor belongs to none of them.
    let large = Tensor::zeros(&device, &[128 << 10], DType::F32).unwrap();
    assert_eq!(large.shape(), [128 << 10]);
    drop(large);
    let x = Tensor::zeros(&device, &[10_000, 3], DType::F32).unwrap();
    functions[0].call(Some(&core), "", &[&x], &[]).unwrap();
}

#[test]
fn gradients_that_nobody_holds_are_few() {
    let device = Device::null(Target::Cpu, 1 << 30);
    let model = Line::new(&device);
    let loss = line_gradients();
    let x = Tensor::zeros(&device, &[1, 3], DType::F32).unwrap();
    let step = || loss.call_with_gradients(&model.core, "", &[&x], &[]).unwrap().1;
    drop(step());
    let one = device.memory_stats().in_use;
    let many: Vec<_> = (0..20).map(|_| step()).collect();
    let each = (device.memory_stats().in_use - one) / 19;
    assert!(each > 0);
    drop(many);
    assert!(device.memory_stats().in_use <= one + 3 * each, "{}", device.memory_stats());
}

#[test]
fn a_broken_source_gives_the_log_and_the_numbered_source() {
    for device in with_driver() {
        let mut plan = affine_square();
        plan.source = plan.source.to_string().replace("h[i] * h[i]", "h[i] * nowhere").into();
        let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
        let x = Tensor::zeros(&device, &[2, 3], DType::F32).unwrap();
        let error = function(&plan).call(Some(&core), "", &[&x], &[]).unwrap_err();
        assert!(matches!(error, Error::Build { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("nowhere") && text.contains("   2 |") && text.contains("Toy::forward"), "{text}");
    }
}

#[test]
fn two_threads_may_call_at_once() {
    for device in with_driver() {
        let forward = function(&affine_square());
        let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
        let w = core.tensor("layer.w").unwrap().to_vec::<f32>().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                let (forward, core, w, device) = (&forward, &core, &w, &device);
                scope.spawn(move || {
                    for round in 0..30 {
                        let batch = 1 + (thread + round) % 3;
                        let x: Vec<f32> = (0..batch * 3).map(|i| (i + thread * 100 + round) as f32).collect();
                        let argument = Tensor::from_slice(device, &x, &[batch, 3]).unwrap();
                        let y = forward.call(Some(core), "", &[&argument], &[]).unwrap();
                        let wanted = expected(&x, w, &[0.25; 3]);
                        for (found, wanted) in y[0].to_vec::<f32>().unwrap().iter().zip(wanted) {
                            assert!((found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0));
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn unusable_plans_are_errors() {
    let device = Device::null(Target::Cpu, 1 << 20);
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    let x = Tensor::zeros(&device, &[2, 3], DType::F32).unwrap();
    let changes: [fn(&mut Plan); 5] = [
        |plan| plan.steps[0].reads[0].0 = 99,
        |plan| plan.steps[1].writes.clear(),
        |plan| plan.symbols.push(Symbol::new("M")),
        |plan| plan.steps[0].args.push(Arg::Scalar(0, DType::F32)),
        |plan| plan.buffers[4].role = result(1),
    ];
    for (position, change) in changes.into_iter().enumerate() {
        let mut plan = affine_square();
        change(&mut plan);
        let error = function(&plan).call(Some(&core), "", &[&x], &[]).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Plan { .. }), "change {position}: {error}");
    }
    let elsewhere = function_of(&[Plan { target: Target::Gpu, ..affine_square() }]);
    let error = elsewhere.call(Some(&core), "", &[&x], &[]).map(|_| ()).unwrap_err();
    assert!(matches!(&error, Error::Plan { .. }) && error.to_string().contains("no plan for cpu devices"), "{error}");
}

#[test]
fn steps_too_large_for_the_device_are_named() {
    let device = Device::null(Target::Cpu, 1 << 20);
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    let x = Tensor::zeros(&device, &[4, 3], DType::F32).unwrap();
    let error = |change: fn(&mut Plan)| {
        let mut plan = affine_square();
        change(&mut plan);
        function(&plan).call(Some(&core), "", &[&x], &[]).map(|_| ()).unwrap_err().to_string()
    };
    let groups = error(|plan| {
        if let Work::Kernel { launch, .. } = &mut plan.steps[1].work {
            launch.local = vec![2048];
        }
    });
    assert!(
        groups.contains("`square` runs in work-groups of 2048 work-items, and the device has at most 1024"),
        "{groups}"
    );
    let memory = error(|plan| plan.steps[0].local_bytes = 50_000);
    assert!(memory.contains("`affine` takes 50000 bytes of local memory, and the device has 49152"), "{memory}");
}
