//! What the hot path allocates: nothing, or the results.

use netcl::__private::Function;
use netcl::__private::kernels::dim::Shape;
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{BinaryOp, InputKind, OutputKind};
use netcl::algorithms::{self, Operator};
use netcl::nn::{ConfigValue, Layer};
use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, Seed, Tensor};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::plans::{Line, embed, line_gradients};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what this thread allocates.
struct Counting;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many allocations `work` makes on this thread.
fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

/// `x * w + x`, compiled as by a macro.
fn affine() -> Function {
    let mut b = Builder::new("affine");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[8, 8]), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", Shape::of(&[8, 8]), DType::F32);
    let product = b.binary(BinaryOp::Mul, x, w).unwrap();
    let y = b.binary(BinaryOp::Add, product, x).unwrap();
    b.output(OutputKind::Result(0), y);
    embed(&b.finish())
}

#[test]
fn the_counter_counts() {
    let _turn = crate::turn();
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

/// Drivers' own allocations are not Rust's and are not counted.
#[test]
fn launches_allocate_nothing() {
    let _turn = crate::turn();
    for device in with_driver() {
        let source = "__kernel void add(__global const float* a, __global float* b, float by, uint n) {
        uint i = get_global_id(0);
        if (i < n) b[i] = a[i] + by;
    }";
        let add = KernelSpec::from_source("add", source).build(&device).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 64], &[64]).unwrap();
        let (y, z) =
            (Tensor::zeros(&device, &[64], DType::F32).unwrap(), Tensor::zeros(&device, &[64], DType::F32).unwrap());
        device.finish().unwrap();
        let launch = |into: &Tensor, by: f32, grid: &Grid| {
            // SAFETY: at most 64 elements of tensors that have as many, each from one work-item.
            unsafe { add.launch(&[(&x).into(), into.into(), by.into(), 64u32.into()], grid) }.unwrap();
        };
        let count = allocations(|| {
            for round in 0..100u16 {
                // The same arguments, other tensors, other numbers, other grids.
                launch(&y, 1.0, &Grid::from(64));
                launch(&y, 1.0, &Grid::from(64).in_groups([32]));
                launch(if round % 2 == 0 { &y } else { &z }, f32::from(round), &Grid::from([64, 1]).in_groups([16, 1]));
            }
        });
        assert_eq!(count, 0);
        assert_eq!(y.to_vec::<f32>().unwrap(), [2.0; 64]);
        assert_eq!(z.to_vec::<f32>().unwrap(), [100.0; 64]);
    }
}

#[test]
fn replays_allocate_nothing() {
    let _turn = crate::turn();
    for device in with_driver() {
        let x = Tensor::from_slice(&device, &[1.0f32; 64], &[8, 8]).unwrap();
        let work = || x.matmul(&x).add(&x).exp().sum([0]).check();
        let (mut recording, y) = device.record(work).unwrap();
        device.finish().unwrap();
        assert!(recording.launches() >= 2);
        assert_eq!(allocations(|| (0..100).for_each(|_| recording.replay().unwrap())), 0, "{device}");
        assert_eq!(y.to_vec::<f32>().unwrap(), work().unwrap().to_vec::<f32>().unwrap());
    }
}

/// A tensor is two allocations (its memory's handle and its shape), a model's result has its shape from the plan, a kernel of an
/// algorithm is one.
#[test]
fn calls_allocate_little_beside_their_results() {
    let _turn = crate::turn();
    // The host's threads are given work in boxes.
    for device in with_driver() {
        let settings = [("inputs", ConfigValue::Size(8)), ("outputs", ConfigValue::Size(8))];
        let layer = Layer::new(&device, Seed(1), "Linear", &settings).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 64], &[8, 8]).unwrap();
        let step = affine();
        let weight = layer.core().tensor("weight").unwrap();
        let (model, loss) = (Line::new(&device), line_gradients());
        let row = Tensor::from_slice(&device, &[1.0f32; 3], &[1, 3]).unwrap();
        let calls: [(&str, usize, &dyn Fn()); 4] = [
            ("a function of two tensors", 3, &|| drop(step.call(None, "", &[&x, &weight], &[]).unwrap())),
            ("a model's loss with gradients", 6, &|| {
                loss.call_with_gradients(&model.core, "", &[&row], &[]).unwrap();
            }),
            ("map", 6, &|| drop(algorithms::map("v0 * 3 + 1", &[&x]).unwrap())),
            ("reduce", 10, &|| drop(algorithms::reduce(Operator::Sum, &x).unwrap())),
        ];
        for (what, most, call) in calls {
            // Builds, binds, and fills the pool.
            (0..3).for_each(|_| call());
            device.finish().unwrap();
            let count = allocations(|| (0..20).for_each(|_| call()));
            assert!(count <= 20 * most, "{what} on {device}: {count} allocations in 20 calls");
            device.finish().unwrap();
        }
    }
}
