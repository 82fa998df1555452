//! Operations that wait: for events of the program, with a limit, until an interrupt, as a task; and those that give up.

use super::worker::{TrackedTensor, Worker};
use netcl::{Error, Interrupt, QueueOrder, Result, ToHost, UserEvent, profile};
use netcl_fixtures::block_on::block_on;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A moment: shorter than most waits.
const MOMENT: Duration = Duration::from_micros(50);

/// Behind an event of the program's, and looked at by a task.
pub(super) fn gate(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    let gate = UserEvent::new();
    worker.device.wait_for(&gate.event())?;
    gate.complete();
    let copy = tensor.to_host_async::<u32>()?;
    block_on(worker.device.record_event()?)?;
    worker.totals.compare(made, &block_on(copy)?, &values);
    Ok(())
}

/// With a limit, again and again until the elements are there.
pub(super) fn limit(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
    let copy = tensor.add(&tensor).to_host_async::<u32>()?;
    worker.device.finish_timeout(MOMENT)?;
    let found = loop {
        if let Some(elements) = copy.wait_timeout(MOMENT)? {
            break elements;
        }
    };
    worker.totals.compare("waited for in moments", &found, &doubled);
    Ok(())
}

/// Waits that another thread ends, and that are taken up again.
pub(super) fn interrupt(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    let (interrupt, gate) = (Interrupt::new(), UserEvent::new());
    let copy = tensor.to_host_async::<u32>()?;
    let behind = gate.event();
    let waited = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(MOMENT);
            interrupt.interrupt();
        });
        behind.wait_or(&interrupt)
    });
    if !matches!(waited, Err(Error::Interrupted)) {
        worker.totals.mistake(format!("a wait for nothing ended with {waited:?}"));
    }
    // Raised still: what is over counts more.
    let found = match copy.wait_or(&interrupt) {
        Err(Error::Interrupted) => {
            interrupt.reset();
            copy.wait_or(&interrupt)?
        }
        found => found?,
    };
    gate.complete();
    behind.wait()?;
    worker.totals.compare(made, &found, &values);
    Ok(())
}

/// Tasks that look once and are dropped; the copies of some are dropped with them, others are waited for.
pub(super) fn cancel(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    let mut event = worker.device.record_event()?;
    let mut copies: Vec<ToHost<u32>> = (0..3).map(|_| tensor.to_host_async()).collect::<Result<_>>()?;
    let mut context = Context::from_waker(Waker::noop());
    let _ = Pin::new(&mut event).poll(&mut context);
    for copy in &mut copies {
        if let Poll::Ready(found) = Pin::new(copy).poll(&mut context) {
            worker.totals.compare(made, &found?, &values);
        }
    }
    let kept = copies.swap_remove(worker.draw.below(3) as usize);
    drop((copies, event));
    worker.totals.compare(made, &block_on(kept)?, &values);
    Ok(())
}

/// The last handle goes in a thread of the driver's.
pub(super) fn callback(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let own = netcl::Tensor::from_slice(worker.device, &values, &[values.len()])?;
    let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
    let sum = own.add(&own).eval()?;
    worker.device.record_event()?.on_complete(move |_| drop(own));
    worker.hold("of what a callback dropped", sum, doubled);
    Ok(())
}

/// What is one for the whole process, by one thread at a time: profiling, and queues that come and go, some of them with
/// a gate that fails.
pub(super) fn alone(worker: &mut Worker<'_>, known: TrackedTensor) -> Result<()> {
    let common = worker.common;
    let Ok(_alone) = common.alone.try_lock() else { return Ok(()) };
    match worker.draw.below(16) {
        0..4 => profile::start()?,
        4..8 => drop(profile::stop()?),
        8..10 => own_queue(worker, known, false)?,
        10 => own_queue(worker, known, true)?,
        _ => {}
    }
    Ok(())
}

fn own_queue(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor, fails: bool) -> Result<()> {
    let order = if worker.draw.below(2) == 0 { QueueOrder::InOrder } else { QueueOrder::OutOfOrder };
    let Ok(queue) = worker.device.with_queue(order) else { return Ok(()) };
    let moved = tensor.to_device(&queue)?;
    if fails {
        let gate = UserEvent::new();
        queue.wait_for(&gate.event())?;
        let lost = moved.add(&moved).eval();
        gate.fail("given up");
        let told = queue.finish();
        if !matches!(&told, Err(Error::Event { reason }) if reason == "given up") {
            worker.totals.mistake(format!("a gate that failed was told as {told:?}"));
        }
        drop(lost);
    }
    let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
    let sum = moved.add(&moved);
    drop((moved, queue));
    worker.totals.compare("in a queue of its own", &sum.to_vec::<u32>()?, &doubled);
    Ok(())
}
