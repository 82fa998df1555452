//! Calls from many threads on the same memory: each sees the memory before or after any other, and nobody waits for
//! ever. That nothing is read while it is written is a matter of locks, which the host's unit tests look at; here the
//! numbers would show it.

use netcl::__private::kernels::dim::{Dim, Symbol};
use netcl::__private::kernels::graph::OutputKind;
use netcl::__private::kernels::plan::{Plan, Role, Target};
use netcl::__private::{Function, ModelCore};
use netcl::algorithms::{self, Order};
use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::select::KernelConfig;
use netcl::{BufferPool, DType, Device, DeviceKind, QueueOrder, Result, Seed, Tensor, Vendor};
use netcl_fixtures::devices::{all, with_driver, with_several_queues};
use netcl_fixtures::plans::{arg, buffer, function, n, result, step, toy_schema};
use rayon::prelude::*;

const CHANNELS: usize = 16;
const CALLS: usize = 24;

/// Every device, and those that have such a queue with one that is out of order.
fn devices() -> Vec<Device> {
    let unordered =
        with_several_queues().into_iter().filter_map(|device| device.with_queue(QueueOrder::OutOfOrder).ok());
    all().into_iter().chain(unordered).collect()
}

/// A layer with running statistics and a batch large enough to be shared among the host's threads.
fn layer(device: &Device) -> (Layer, Tensor) {
    let settings = [("features", ConfigValue::Size(CHANNELS as u64))];
    let layer = Layer::new(device, Seed(1), "BatchNorm", &settings).unwrap();
    let elements: Vec<f32> = (0..64 * CHANNELS * 64).map(|position| (position % 37) as f32 * 0.1).collect();
    let x = Tensor::from_slice(device, &elements, &[64, CHANNELS, 8, 8]).unwrap();
    (layer, x)
}

fn statistics(layer: &Layer) -> Vec<u32> {
    let states = layer.core().states();
    assert!(!states.is_empty());
    states.iter().flat_map(|(_, state)| state.to_vec::<f32>().unwrap()).map(f32::to_bits).collect()
}

/// The statistics after as many calls one after another.
fn expected(device: &Device) -> (Vec<u32>, Vec<f32>) {
    let (layer, x) = layer(device);
    let mut last = Vec::new();
    for _ in 0..CALLS {
        last = layer.forward(&[&x], Mode::Training).to_vec().unwrap();
    }
    (statistics(&layer), last)
}

#[test]
fn running_statistics_lose_no_call_of_any_thread() {
    for device in devices() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind crashes when two threads run kernels");
            continue;
        }
        let (statistics_after, result) = expected(&device);
        let (layer, x) = layer(&device);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..CALLS / 4 {
                        let y = layer.forward(&[&x], Mode::Training);
                        assert!(y.to_vec::<f32>().unwrap() == result, "the result depends on the batch alone");
                    }
                });
            }
        });
        assert_eq!(statistics(&layer), statistics_after, "{device}");
    }
}

/// `mean ← mean + x[0]` in two steps. The new value replaces the old one in place, or (`late`) is copied over it after a
/// step that still reads the old one.
fn counting(late: bool) -> Function {
    let three = || [Dim::from(3)];
    let other = if late { result(0) } else { Role::Scratch };
    let (first, second) = if late { ("sum", "keep") } else { ("keep", "sum") };
    let run = |entry: &str| match (entry, late) {
        ("sum", true) => step("sum", Dim::from(3), vec![arg(1), arg(0), arg(2)], &[0, 1], &[2]),
        ("sum", false) => step("sum", Dim::from(3), vec![arg(3), arg(0), arg(2)], &[0, 3], &[2]),
        _ => step("keep", Dim::from(3), vec![arg(1), arg(3)], &[1], &[3]),
    };
    function(&Plan {
        name: "Toy::count".into(),
        target: Target::Cpu,
        symbols: vec![Symbol::new("N")],
        buffers: vec![
            buffer("x", &[n(), Dim::from(3)], DType::F32, Role::Argument(0)),
            buffer("mean", &three(), DType::F32, Role::State("norm.mean".into())),
            buffer("new mean", &three(), DType::F32, Role::Output(OutputKind::State("norm.mean".into()))),
            buffer("old mean", &three(), DType::F32, other),
        ],
        scalars: vec![],
        requirements: vec![],
        width: netcl_kernels::dim::IndexWidth::Narrow,
        not_in_place: vec![],
        repeats: vec![],
        decisions: vec![],
        steps: vec![run(first), run(second)],
        loops: vec![],
        source: "
            kernel void sum(global const float *old, global const float *x, global float *sum) {
                sum[get_global_id(0)] = old[get_global_id(0)] + x[get_global_id(0)];
            }
            kernel void keep(global const float *mean, global float *y) {
                y[get_global_id(0)] = mean[get_global_id(0)];
            }"
        .into(),
    })
}

#[test]
fn no_call_falls_between_the_steps_of_another_that_changes_the_same_states() {
    const THREADS: usize = 4;
    const EACH: usize = 96;
    for device in devices().into_iter().filter(|device| device.profile().kind == DeviceKind::Cpu) {
        for late in [false, true] {
            let count = counting(late);
            let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
            let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[1, 3]).unwrap();
            let (mut recording, _) = device.record(|| count.call(Some(&core), "", &[&x], &[])).unwrap();
            std::thread::scope(|scope| {
                for _ in 1..THREADS {
                    scope.spawn(|| {
                        for round in 0..EACH {
                            count.call(Some(&core), "", &[&x], &[]).unwrap();
                            // Drivers take long over barriers that wait for hundreds of commands.
                            if round % 8 == 0 {
                                device.finish().unwrap();
                            }
                        }
                    });
                }
                (1..EACH).for_each(|_| recording.replay().unwrap());
            });
            let counted = core.tensor("norm.mean").unwrap().to_vec::<f32>().unwrap();
            let calls = (THREADS * EACH) as f32;
            assert_eq!(counted, [calls, 2.0 * calls, 3.0 * calls], "{device}, late: {late}");
        }
    }
}

#[test]
fn calls_from_tasks_of_a_shared_pool_end() {
    let (statistics_after, _) = expected(&Device::host());
    let (layer, x) = layer(&Device::host());
    let calls: Result<Vec<Tensor>> =
        (0..CALLS).into_par_iter().with_max_len(1).map(|_| layer.forward(&[&x], Mode::Training).check()).collect();
    assert_eq!(calls.unwrap().len(), CALLS);
    assert_eq!(statistics(&layer), statistics_after);
}

#[test]
fn a_view_is_read_before_or_after_it_is_written() {
    let device = Device::host();
    let (layer, _) = layer(&device);
    let (path, view) = layer.core().parameters().remove(0);
    let values = [1.0f32, 2.0].map(|value| Tensor::full(&device, value, view.shape()).unwrap());
    layer.core().set_tensor(&path, &values[0]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..2000 {
                layer.core().set_tensor(&path, &values[round % 2]).unwrap();
            }
        });
        for _ in 0..500 {
            let seen = view.to_vec::<f32>().unwrap();
            assert!(seen.iter().all(|value| *value == seen[0]), "half written: {seen:?}");
        }
    });
}

/// Small buffers are parts of larger ones, which drivers make, use and release from several threads.
#[test]
fn parts_come_and_go_beside_copies() {
    for device in with_driver() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind is not made for threads");
            continue;
        }
        (0..8u8).into_par_iter().for_each(|thread| {
            for round in 0..25u8 {
                let pool = BufferPool::new(&device, 64 << 20);
                let content = |number: u8| [thread.wrapping_mul(31).wrapping_add(round).wrapping_mul(7) ^ number; 256];
                let write = |number: u8| {
                    let buffer = pool.allocate(256).unwrap();
                    buffer.write(&content(number)).unwrap();
                    buffer
                };
                let buffers: Vec<_> = (0..16).map(write).collect();
                for (number, buffer) in (0..).zip(&buffers) {
                    let mut found = [0; 256];
                    buffer.read(&mut found).unwrap();
                    assert_eq!(found, content(number), "{device}");
                }
            }
        });
    }
}

/// The algorithms take several launches, between which another thread may write what they read.
#[test]
fn what_is_written_during_an_algorithm_leads_it_nowhere_else() {
    const N: usize = 8000;
    for device in with_driver() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind crashes when two threads run kernels");
            continue;
        }
        let (keys, truths) = (device.buffer_pool().allocate(4 * N).unwrap(), device.buffer_pool().allocate(N).unwrap());
        let (ones, mixed) =
            (vec![0xffu8; 4 * N], (0..N as u32).flat_map(|at| (at * 7919 % 977).to_ne_bytes()).collect());
        let contents: [Vec<u8>; 3] = [vec![0; 4 * N], mixed, ones];
        keys.write(&contents[0]).unwrap();
        truths.write(&contents[0][..N]).unwrap();
        let x = Tensor::from_buffer(&device, keys.clone(), &[N], DType::U32).unwrap();
        let mask = Tensor::from_buffer(&device, truths.clone(), &[N], DType::Bool).unwrap();
        let values = Tensor::from_slice(&device, &vec![7u32; N], &[N]).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    for bytes in &contents {
                        keys.write(bytes).unwrap();
                        truths.write(&bytes[..N]).unwrap();
                    }
                }
            });
            let run = || -> Result<()> {
                for _ in 0..40 {
                    // Memory that is not written shows as what was there.
                    drop((Tensor::full(&device, u32::MAX, &[N])?, Tensor::full(&device, u32::MAX, &[N])?));
                    let sorted = algorithms::sort(&x, Order::Ascending)?.to_vec::<u32>()?;
                    assert!(sorted.is_sorted(), "{device}");
                    let mut places = algorithms::argsort(&x, Order::Descending)?.to_vec::<u32>()?;
                    places.sort_unstable();
                    assert!(places.into_iter().eq(0..N as u32), "{device}");
                    let (_, moved) = algorithms::sort_by_key(&x, &values, Order::Ascending)?;
                    assert!(moved.to_vec::<u32>()?.iter().all(|value| *value == 7), "{device}");
                    let positions = algorithms::positions(&mask)?.to_vec::<u32>()?;
                    assert!(positions.iter().all(|position| (*position as usize) < N), "{device}");
                    let kept = algorithms::compact(&values, &mask)?.to_vec::<u32>()?;
                    assert!(kept.len() <= N && kept.iter().all(|value| *value == 7), "{device}");
                }
                Ok(())
            };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).unwrap();
        });
    }
}

/// Does everything that looks at values of its thread when these are destroyed.
struct Late(Device);

impl Drop for Late {
    fn drop(&mut self) {
        let device = &self.0;
        drop(device.activate());
        Device::active().unwrap();
        drop(netcl::profile::span("late"));
        drop(device.selector().force(KernelConfig::parse("matmul_naive").unwrap()));
        let x = Tensor::full(device, 1.0f32, &[64, 64]).unwrap();
        let y = x.matmul(&x).exp().to_vec::<f32>().unwrap();
        assert!(y.iter().all(|value| *value == y[0]));
        let refused = device.record(|| x.exp().check()).unwrap_err().to_string();
        assert!(refused.contains("this thread is ending"), "{refused}");
        DONE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

static DONE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

#[test]
fn a_thread_that_ends_computes() {
    thread_local! {
        static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) };
    }
    for (number, device) in all().into_iter().enumerate() {
        let ended = std::thread::spawn(move || {
            // What is first used last is destroyed first.
            LATE.set(Some(Late(device.clone())));
            let _active = device.activate();
            drop(device.selector().force(KernelConfig::parse("matmul_naive").unwrap()));
            let x = Tensor::full(&device, 1.0f32, &[64, 64]).unwrap();
            x.matmul(&x);
            device.record(|| x.exp().check()).unwrap();
        });
        ended.join().unwrap();
        assert_eq!(DONE.load(std::sync::atomic::Ordering::Relaxed), number + 1);
    }
}
