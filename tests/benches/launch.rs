//! What a launch with set arguments costs the host, above the driver's own call. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench launch -- [--device SELECTOR]`. Rounds of all ways take turns; medians of rounds.
//! A round's launches are held back by an event until it is over, so that the device does not compute meanwhile: what is
//! measured is the host's work alone. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl::prelude::*;
use netcl::raw::{Grid, KernelSpec, RawKernel};
use netcl::{DType, UserEvent};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::event::{create_user_event, set_user_event_status};
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::Program;
use opencl3::types::cl_mem;
use std::ptr::{null, null_mut};
use std::time::Instant;

const SOURCE: &str = "__kernel void add(__global const float* a, __global const float* b, __global float* c, uint n) {
    uint i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}";
/// In one round.
const LAUNCHES: usize = 1000;
const ROUNDS: usize = 41;
const ITEMS: usize = 64;

/// Everything that the driver needs, without netcl.
struct Plain {
    queue: CommandQueue,
    kernel: Kernel,
    context: Context,
    _buffers: Vec<Buffer<f32>>,
    _whole: Buffer<f32>,
}

impl Plain {
    /// With buffers of their own, or with parts of one, as netcl's small tensors are.
    fn new(selector: &str, parts: bool) -> Plain {
        let mut numbers = selector.split(':').skip(1).map(|number| number.parse::<usize>().unwrap());
        let (platform, device) = (numbers.next().unwrap(), numbers.next().unwrap());
        let platforms = opencl3::platform::get_platforms().unwrap();
        let id = platforms[platform].get_devices(opencl3::device::CL_DEVICE_TYPE_ALL).unwrap()[device];
        let context = Context::from_device(&opencl3::device::Device::new(id)).unwrap();
        #[allow(deprecated, reason = "as netcl makes them")]
        // SAFETY: the device is the context's.
        let queue = unsafe { CommandQueue::create(&context, id, 0) }.unwrap();
        let program = Program::create_and_build_from_source(&context, SOURCE, "").unwrap();
        let kernel = Kernel::create(&program, "add").unwrap();
        // SAFETY: no host pointer is passed.
        let buffer = |count| unsafe { Buffer::<f32>::create(&context, CL_MEM_READ_WRITE, count, null_mut()) }.unwrap();
        let whole = buffer(1 << 16);
        let buffers = (0..3).map(|number| match parts {
            // SAFETY: inside, and at a multiple of what any device asks for.
            true => unsafe { whole.create_sub_buffer(CL_MEM_READ_WRITE, number << 12, 4 * ITEMS) }.unwrap(),
            false => buffer(ITEMS),
        });
        let buffers: Vec<_> = buffers.collect();
        let count = ITEMS as u32;
        // SAFETY: the arguments are of the kernel's types, and copied.
        unsafe {
            for (index, buffer) in buffers.iter().enumerate() {
                let raw: cl_mem = buffer.get();
                set_kernel_arg(kernel.get(), index as u32, size_of::<cl_mem>(), (&raw const raw).cast()).unwrap();
            }
            set_kernel_arg(kernel.get(), 3, 4, (&raw const count).cast()).unwrap();
        }
        Plain { queue, kernel, context, _buffers: buffers, _whole: whole }
    }

    /// Nanoseconds of a launch.
    fn round(&self) -> f64 {
        let runtime = cl3::load_library().as_ref().unwrap();
        let gate = create_user_event(self.context.get()).unwrap();
        // SAFETY: queue and event are alive and of one context.
        let held = unsafe { opencl3::command_queue::enqueue_barrier_with_wait_list(self.queue.get(), 1, &gate) };
        drop(opencl3::event::Event::new(held.unwrap()));
        let started = Instant::now();
        for _ in 0..LAUNCHES {
            let (queue, kernel) = (self.queue.get(), self.kernel.get());
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
        self.queue.finish().unwrap();
        time
    }
}

/// Nanoseconds of one of `launches` that `work` makes.
fn held_back(device: &Device, launches: usize, mut work: impl FnMut() -> netcl::Result<()>) -> netcl::Result<f64> {
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
    let arguments: Vec<String> = std::env::args().collect();
    let selector = arguments.iter().position(|argument| argument == "--device").and_then(|at| arguments.get(at + 1));
    let device = Device::select(selector.map_or("opencl:0", |selector| selector))?;
    println!(r#"{{"device":"{device}"}}"#);
    let selector = &device.profile().selector;
    let (plain, of_parts) = (Plain::new(selector, false), Plain::new(selector, true));

    let add: RawKernel = KernelSpec::from_source("add", SOURCE).build(&device)?;
    let tensor = || Tensor::full(&device, 1.0f32, &[ITEMS]);
    let (a, b, c) = (tensor()?, tensor()?, Tensor::zeros(&device, &[ITEMS], DType::F32)?);
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
    let (mut plan, _) = device.record(|| (0..LAUNCHES).try_fold(a.clone(), |x, _| x.add(&b)))?;
    let chain = || (0..LAUNCHES).try_fold(a.clone(), |x, _| x.add(&b)).map(drop);
    chain()?;

    let mut times = vec![Vec::new(); 7];
    for _ in 0..ROUNDS {
        times[0].push(plain.round());
        times[1].push(held_back(&device, LAUNCHES, raw_kernel)?);
        times[2].push(held_back(&device, LAUNCHES, changing)?);
        times[3].push(held_back(&device, LAUNCHES, || recording.replay())?);
        times[4].push(held_back(&device, LAUNCHES, || plan.replay())?);
        times[5].push(held_back(&device, LAUNCHES, chain)?);
        times[6].push(of_parts.round());
    }
    let (whole, base) = (median(times[0].clone()), median(times.pop().unwrap_or_default()));
    println!(r#"{{"what":"clEnqueueNDRangeKernel alone, whole buffers","ns":{whole:.0}}}"#);
    println!(r#"{{"what":"clEnqueueNDRangeKernel alone, parts of a buffer","ns":{base:.0}}}"#);
    let by_driver = recording.is_by_driver();
    println!(r#"{{"what":"replays are the driver's","value":{by_driver}}}"#);
    for (what, times) in [
        "a raw kernel, the same arguments",
        "a raw kernel, two of four arguments changing",
        "a replay of raw kernels",
        "a replay of Tensor::add",
        "Tensor::add, with a new tensor each",
    ]
    .into_iter()
    .zip(times.into_iter().skip(1))
    {
        let time = median(times);
        println!(r#"{{"what":"{what}","ns":{time:.0},"above_ns":{:.0}}}"#, time - base);
    }
    Ok(())
}
