//! Copies beside computing: batches go to the device and results come back while it computes others. Each result is a
//! future; events order what depends on something else. (A device that works in the host's memory copies nothing on the
//! way there, so that little is left to overlap.)

use netcl::prelude::*;
use netcl::{DType, Event, ToHost, UserEvent};
use netcl_examples::Options;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

const ROWS: usize = 256;
const COLUMNS: usize = 1024;
const BATCHES: usize = 24;
/// One batch is computed with, one is on its way to the device, one result on its way back.
const IN_FLIGHT: usize = 3;

fn main() -> Result<()> {
    let (_, device) = Options::open(
        "Copies beside computing: batches go to the device and results come back while it computes others",
    )?;
    // The first batch builds programs and allocates.
    start(&device, 0)?.wait()?;

    let begun = Instant::now();
    let one_by_one = (0..BATCHES).map(|batch| start(&device, batch)?.wait()).collect::<Result<Vec<_>>>()?;
    let waited = begun.elapsed();

    let begun = Instant::now();
    let overlapped = block_on(stream(&device))?;
    println!("{BATCHES} batches one by one: {waited:.1?}, overlapped: {:.1?}", begun.elapsed());
    assert_eq!(one_by_one, overlapped, "the same numbers");

    gate(&device)?;
    let stats = device.memory_stats();
    println!("device memory: {stats}");
    println!("page-locked memory: {}", device.pinned_pool().stats());
    Ok(())
}

/// A batch on its way: made in memory that the device copies from at full speed, computed with, and copied back. Nothing
/// waits here.
fn start(device: &Device, batch: usize) -> Result<ToHost<f32>> {
    let mut memory = device.pinned_pool().allocate(4 * ROWS * COLUMNS)?;
    for (position, value) in memory.as_mut_slice::<f32>()?.iter_mut().enumerate() {
        *value = ((position + batch) % 97) as f32 * 0.01;
    }
    let x = Tensor::from_pinned(device, memory, &[ROWS, COLUMNS], DType::F32)?;
    x.mul(&x).exp().sum([1]).to_host_async()
}

/// The results of all batches, in order, while later ones are under way.
async fn stream(device: &Device) -> Result<Vec<Vec<f32>>> {
    let mut results = Vec::with_capacity(BATCHES);
    let mut under_way = VecDeque::new();
    for batch in 0..BATCHES {
        if under_way.len() == IN_FLIGHT
            && let Some(oldest) = under_way.pop_front()
        {
            results.push(oldest.await?);
        }
        under_way.push_back(start(device, batch)?);
    }
    for result in under_way {
        results.push(result.await?);
    }
    Ok(results)
}

/// Work that waits for something that is not a device's.
fn gate(device: &Device) -> Result<()> {
    let x = Tensor::full(device, 1.0f32, &[1000])?;
    let ready = UserEvent::new();
    let event = ready.event();
    // Some other thread's preparation: a file that is read, a message that comes.
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        ready.complete();
    });
    // A device without a queue, as the host, waits here; others go on, and what they are given waits.
    device.wait_for(&event)?;
    let y = x.add(&x);
    let done: Event = device.record_event()?;
    done.on_complete(|result| println!("computed after the gate: {result:?}"));
    while !device.finish_timeout(Duration::from_millis(5))? {
        println!("still waiting; a program may do something else here, or stop");
    }
    assert_eq!(y.to_vec::<f32>()?, vec![2.0; 1000]);
    let _ = other.join();
    Ok(())
}

/// The simplest executor: the thread sleeps until a device wakes it. Any other does as well.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
