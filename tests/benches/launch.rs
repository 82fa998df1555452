//! What a launch with set arguments costs the host, above the driver's own call. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench launch -- [--device SELECTOR]`. Rounds of all ways take turns; medians of rounds, and
//! of the differences between neighbouring rounds, since a driver's own time swings by more than netcl's part of it. A
//! round's launches are held back by an event until it is over, so that the device does not compute meanwhile: what is
//! measured is the host's work alone. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl::raw::{Grid, KernelSpec, RawKernel};
use netcl::{BufferHandle, DType, UserEvent};
use netcl_tests::option;
use opencl3::context::Context;
use opencl3::event::{create_user_event, set_user_event_status};
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::program::Program;
use opencl3::types::{cl_command_queue, cl_context, cl_mem};
use std::ptr::{null, null_mut};
use std::time::Instant;

const SOURCE: &str = "__kernel void add(__global const float* a, __global const float* b, __global float* c, uint n) {
    uint i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}";
/// In one round.
const LAUNCHES: usize = 100;
const ROUNDS: usize = 401;
const ITEMS: usize = 64;

/// The driver's own calls on a device's queue, with a kernel and arguments of its memory.
struct Plain {
    queue: cl_command_queue,
    context: cl_context,
    kernel: Kernel,
    _program: Program,
    _context: Context,
}

impl Plain {
    fn new(device: &Device, buffers: &[BufferHandle; 3]) -> netcl::Result<Plain> {
        let handles = device.opencl_handles().expect("an OpenCL device");
        // SAFETY: the device keeps its context; `Context` releases what is retained here.
        assert_eq!(unsafe { cl3::context::retain_context(handles.context) }, Ok(()));
        let context = Context::new(handles.context, &[handles.device]);
        let program = Program::create_and_build_from_source(&context, SOURCE, "").unwrap();
        let kernel = Kernel::create(&program, "add").unwrap();
        let count = ITEMS as u32;
        for (index, buffer) in buffers.iter().enumerate() {
            let raw: cl_mem = buffer.opencl_memory()?.expect("memory of an OpenCL device");
            // SAFETY: the argument is a buffer, and copied.
            unsafe { set_kernel_arg(kernel.get(), index as u32, size_of::<cl_mem>(), (&raw const raw).cast()) }
                .unwrap();
        }
        // SAFETY: the argument is of that type, and copied.
        unsafe { set_kernel_arg(kernel.get(), 3, 4, (&raw const count).cast()) }.unwrap();
        Ok(Plain { queue: handles.queue, context: handles.context, kernel, _program: program, _context: context })
    }

    /// Nanoseconds of a launch.
    fn round(&self) -> f64 {
        let runtime = cl3::load_library().as_ref().unwrap();
        let gate = create_user_event(self.context).unwrap();
        // SAFETY: queue and event are alive and of one context.
        let held = unsafe { opencl3::command_queue::enqueue_barrier_with_wait_list(self.queue, 1, &gate) };
        drop(opencl3::event::Event::new(held.unwrap()));
        let started = Instant::now();
        for _ in 0..LAUNCHES {
            let (queue, kernel) = (self.queue, self.kernel.get());
            let (global, local) = ([ITEMS], [ITEMS]);
            let code = runtime.clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, Some(0));
        }
        let time = started.elapsed().as_nanos() as f64 / LAUNCHES as f64;
        set_user_event_status(gate, 0).unwrap();
        drop(opencl3::event::Event::new(gate));
        assert_eq!(cl3::command_queue::finish(self.queue), Ok(()));
        time
    }
}

/// Nanoseconds of one of `launches` that `work` makes.
fn held_back(device: &Device, launches: usize, work: &mut dyn FnMut() -> netcl::Result<()>) -> netcl::Result<f64> {
    let gate = UserEvent::new();
    device.wait_for(&gate.event())?;
    let started = Instant::now();
    work()?;
    let time = started.elapsed().as_nanos() as f64 / launches as f64;
    gate.complete();
    device.finish()?;
    Ok(time)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> netcl::Result<()> {
    let device = Device::select(option("--device").as_deref().unwrap_or("opencl:0"))?;
    println!(r#"{{"device":"{device}"}}"#);
    let add: RawKernel = KernelSpec::from_source("add", SOURCE).build(&device)?;
    let buffer = || device.buffer_pool().allocate(4 * ITEMS);
    let buffers = [buffer()?, buffer()?, buffer()?];
    buffers.iter().try_for_each(BufferHandle::zero)?;
    let plain = Plain::new(&device, &buffers)?;
    let [a, b, c] = buffers.map(|buffer| Tensor::from_buffer(&device, buffer, &[ITEMS], DType::F32));
    let (a, b, c) = (a?, b?, c?);
    let grid = Grid::from(ITEMS).in_groups([ITEMS]);
    let raw_kernel = || {
        let arguments = [(&a).into(), (&b).into(), (&c).into(), (ITEMS as u32).into()];
        // SAFETY: the kernel touches the first elements of tensors that have as many, each from one work-item.
        (0..LAUNCHES).try_for_each(|_| unsafe { add.launch(&arguments, &grid) })
    };
    let changing = || {
        for count in 0..LAUNCHES as u32 {
            let (to, count) = (if count % 2 == 0 { &b } else { &c }, 1 + count % ITEMS as u32);
            // SAFETY: as above.
            unsafe { add.launch(&[(&a).into(), (&a).into(), to.into(), count.into()], &grid)? };
        }
        Ok(())
    };
    let (mut recording, ()) = device.record(raw_kernel)?;
    let (mut plan, _) = device.record(|| (0..LAUNCHES).try_fold(a.clone(), |x, _| x.add(&b).eval()))?;
    let chain = || (0..LAUNCHES).try_fold(a.clone(), |x, _| x.add(&b).eval()).map(drop);
    chain()?;

    let mut ways: [(&str, &mut dyn FnMut() -> netcl::Result<()>); 5] = [
        ("a raw kernel, the same arguments", &mut || raw_kernel()),
        ("a raw kernel, two of four arguments changing", &mut || changing()),
        ("a replay of raw kernels", &mut || recording.replay()),
        ("a replay of Tensor::add", &mut || plan.replay()),
        ("Tensor::add, with a new tensor each", &mut || chain()),
    ];
    let mut bases = Vec::new();
    let (mut times, mut above) = (vec![Vec::new(); ways.len()], vec![Vec::new(); ways.len()]);
    for _ in 0..ROUNDS {
        for (number, (_, work)) in ways.iter_mut().enumerate() {
            let before = plain.round();
            let time = held_back(&device, LAUNCHES, work)?;
            let base = (before + plain.round()) / 2.0;
            bases.push(base);
            times[number].push(time);
            above[number].push(time - base);
        }
    }
    println!(r#"{{"what":"clEnqueueNDRangeKernel alone, in the same queue","ns":{:.0}}}"#, median(bases));
    for ((what, _), (times, above)) in ways.iter().zip(times.into_iter().zip(above)) {
        println!(r#"{{"what":"{what}","ns":{:.0},"above_ns":{:.0}}}"#, median(times), median(above));
    }
    println!(r#"{{"what":"replays are the driver's","value":{}}}"#, recording.is_by_driver());
    Ok(())
}
