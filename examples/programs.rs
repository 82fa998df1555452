//! What comes before a launch, and what a launch costs: programs built ahead, single calls against a recording, and the
//! limits of what is kept in memory and on disk.

use netcl::prelude::*;
use netcl::select::record_files;
use netcl::{BufferPool, cache};
use netcl_examples::Options;
use std::time::{Duration, Instant};

const CALLS: u32 = 500;

/// Small, so that launching takes longer than computing.
#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 16, outputs = 16)]
    hidden: Linear,
    #[layer(inputs = 16, outputs = 4)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    /// Four numbers for each row.
    pub fn forward(&self, x: &Tensor<f32, N, 16>) -> Tensor<f32, N, 4> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h)
    }
}

fn main() -> Result<()> {
    let (_, device) = Options::open(
        "What comes before a launch, and what a launch costs: programs built ahead, single calls against a recording",
    )?;

    // Every program of the model, before anybody waits for one: from the cache folder, or built by the driver.
    let start = Instant::now();
    Mlp::prepare(&device)?;
    let stats = device.program_stats();
    println!("prepared in {:.1?}: {} built, {} from the cache", start.elapsed(), stats.built, stats.loaded);
    let model = Mlp::new(&device, Seed(1))?;

    // A recording computes from what is in its inputs' memory when it is replayed.
    let input = device.buffer_pool().allocate(4 * 8 * 16)?;
    input.write(&bytes(0.0))?;
    let x = Tensor::from_buffer(&device, input.clone(), &[8, 16], DType::F32)?;
    let (mut recording, logits) = device.record(|| model.forward(&x))?;
    // None, unless it was measured before (`netcl tune`) that other kernels are faster for eight rows.
    let called = device.program_stats();
    let lacked = called.built + called.loaded - stats.built - stats.loaded;
    println!("programs that the first call lacked: {lacked}");
    let is_measured = record_files()?.iter().any(|file| !file.records.is_empty());
    assert!(lacked == 0 || is_measured, "what is prepared is built by no call");
    input.write(&bytes(0.5))?;
    recording.replay()?;
    assert_eq!(logits.to_vec::<f32>()?, model.forward(&x)?.to_vec::<f32>()?, "a replay computes what a call does");

    let single = each(&device, || model.forward(&x).map(drop))?;
    let replay = each(&device, || recording.replay())?;
    let by = if recording.is_by_driver() { "the driver" } else { "netcl" };
    println!("{} launches: called in {single:.1?}, replayed by {by} in {replay:.1?}", recording.launches());

    // Memory that is freed is kept for the next buffer of its size: at most so much, and so much of one size.
    let pool = BufferPool::with_bucket_limit(&device, 8 << 20, 1 << 20);
    drop((0..16).map(|_| pool.allocate(256 << 10)).collect::<Result<Vec<_>>>()?);
    println!("16 buffers of 256 KiB freed: {} KiB are kept", pool.stats().idle >> 10);
    assert!(pool.stats().idle <= pool.max_bucket());

    // The folder has a limit as well; any number of processes keep to it.
    match cache::folder()? {
        Some(folder) => {
            let entries = cache::entries()?;
            let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
            let limit = cache::limit()? >> 20;
            println!("{}: {} files, {} KiB of {limit} MiB", folder.display(), entries.len(), bytes >> 10);
        }
        None => println!("nothing is kept on disk (NETCL_CACHE_DIR)"),
    }
    Ok(())
}

/// What one of many calls takes, waiting for the device at their end alone.
fn each(device: &Device, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    call()?;
    device.finish()?;
    let start = Instant::now();
    for _ in 0..CALLS {
        call()?;
    }
    device.finish()?;
    Ok(start.elapsed() / CALLS)
}

/// A batch of 8 rows.
fn bytes(offset: f32) -> Vec<u8> {
    (0..8 * 16).flat_map(|position| (offset + (position % 7) as f32 * 0.1).to_ne_bytes()).collect()
}
