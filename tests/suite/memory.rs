//! Memory that several threads use at once.

use crate::Case;
use libtest_mimic::Failed;
use netcl::{Device, Tensor, Vendor};
use std::thread;

pub(crate) fn all() -> Vec<Case> {
    vec![Case::new("memory::threads share buffers".into(), threads_share_buffers)]
}

/// Small tensors are parts of a few buffers of the driver: parts are made while other threads write to theirs.
fn threads_share_buffers(device: &Device) -> Result<(), Failed> {
    const EACH: u32 = 32;
    // Oclgrind 21.10 crashes where two threads run kernels.
    let threads = if device.profile().vendor == Vendor::Oclgrind { 1 } else { 16 };
    let work = |thread: u32| -> Result<(), Failed> {
        let mut kept = Vec::new();
        for number in 0..EACH {
            let data: Vec<u32> = (0..100).map(|i| (thread * EACH + number) * 1000 + i).collect();
            let tensor = Tensor::from_slice(device, &data, &[data.len()])?;
            kept.push((tensor.add(&tensor).check()?, data));
        }
        for (doubled, data) in kept {
            let expected: Vec<u32> = data.iter().map(|number| 2 * number).collect();
            if doubled.to_vec::<u32>()? != expected {
                return Err(format!("another thread's numbers are in the place of {:?}", &expected[..1]).into());
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("an error is returned"))
    })
}
