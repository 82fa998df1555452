//! What the hot path allocates: nothing.

#[path = "common/devices.rs"]
mod devices;

use devices::with_driver;
use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, Tensor};
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

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

/// Drivers' own allocations are not Rust's and are not counted.
#[test]
fn launches_allocate_nothing() {
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
    for device in with_driver() {
        let x = Tensor::from_slice(&device, &[1.0f32; 64], &[8, 8]).unwrap();
        let work = || x.matmul(&x)?.add(&x)?.exp()?.sum(&[0]);
        let (mut recording, y) = device.record(work).unwrap();
        device.finish().unwrap();
        assert!(recording.launches() >= 2);
        assert_eq!(allocations(|| (0..100).for_each(|_| recording.replay().unwrap())), 0, "{device}");
        assert_eq!(y.to_vec::<f32>().unwrap(), work().unwrap().to_vec::<f32>().unwrap());
    }
}
