//! Loop steps of a plan: native code where the crate has some, else the interpreter; on all threads where that pays.

use super::elements::SharedBuffer;
use super::entry::{EntryPoint, NativeEntry};
use super::faults::Faults;
use super::library;
use super::multiversion::engine;
use super::native::{Args, Passed};
use super::pool;
use netcl_kernels::dim::{Bindings, Symbol};
use netcl_kernels::kir::Geometry;
use netcl_kernels::kir::interp::{CompiledKernel, Fault, LaunchArg};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Access, Kernel, ParamKind};
use netcl_kernels::span::Diagnostic;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A step that moves fewer bytes runs on the calling thread: waking others takes as long.
const PARALLEL_BYTES: u64 = 192 << 10;

/// A loop kernel, ready for any sizes.
#[derive(Debug)]
pub(crate) struct Loop {
    kernel: Kernel,
    code: Code,
}

#[derive(Debug)]
enum Code {
    Native(EntryPoint),
    Interpreted(Box<CompiledKernel>),
}

impl Loop {
    /// Of that kernel. Native code comes from a kernel that was verified when it was emitted; others are verified here.
    pub(crate) fn new(kernel: &Kernel, native: Option<NativeEntry>) -> Result<Loop, Vec<Diagnostic>> {
        let native = native.or_else(|| library::native(kernel));
        let code = match native.and_then(NativeEntry::code) {
            Some(entry) => Code::Native(entry),
            None => Code::Interpreted(Box::new(CompiledKernel::new(&verify(kernel, &Capabilities::unlimited())?))),
        };
        Ok(Loop { kernel: kernel.clone(), code })
    }

    /// For those values of the symbols; `bytes` is about what one run reads and writes.
    pub(crate) fn bind(
        self: &Arc<Self>,
        bindings: Bindings<'_>,
        geometry: &Geometry,
        bytes: u64,
    ) -> Result<BoundLoop, Fault> {
        let (global, local) = (geometry.global, geometry.local.unwrap_or([1; 3]));
        if let Some(size) = global.iter().find(|size| u32::try_from(**size).is_err()) {
            let problem =
                format!("it is for {size} work-items, of which the host has up to 2^32 - 1; compute it in parts");
            return Err(Fault::Arguments { kernel: self.kernel.name.clone(), problem });
        }
        let parallel = bytes >= PARALLEL_BYTES;
        Ok(BoundLoop { code: Arc::clone(self), bindings: bindings.to_vec(), global, local, parallel })
    }
}

/// A loop kernel with its sizes.
#[derive(Clone, Debug)]
pub(crate) struct BoundLoop {
    code: Arc<Loop>,
    bindings: Vec<(Symbol, u64)>,
    global: [usize; 3],
    local: [usize; 3],
    parallel: bool,
}

impl BoundLoop {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.code.kernel
    }

    /// Runs it; one value for each parameter. Returns when all work-items have run.
    pub(crate) fn run(&self, passed: &[Passed<'_>]) -> Result<(), Fault> {
        match &self.code.code {
            Code::Native(entry) => {
                let faults = Faults::default();
                let args = Args::new(passed, self.global, self.local, &faults);
                self.share(args.items(), &|items| {
                    entry(&args, items);
                    Ok(())
                })?;
                args.result(&self.code.kernel)
            }
            Code::Interpreted(compiled) => {
                let kernel = &self.code.kernel;
                // Seen by all its work-items, each of which may write what another reads.
                let shared = |position: usize| {
                    let param = kernel.params.get(position).filter(|_| kernel.may_race)?;
                    let is_written = !matches!(param.kind, ParamKind::Buffer(_, Access::Read));
                    passed.get(position)?.buffer().filter(|_| is_written).map(SharedBuffer)
                };
                let shared: Vec<Option<SharedBuffer<'_>>> = (0..passed.len()).map(shared).collect();
                let values: Vec<LaunchArg<'_>> = passed
                    .iter()
                    .zip(&shared)
                    .map(|(passed, shared)| match (passed, shared) {
                        (_, Some(shared)) => LaunchArg::Buffer(shared),
                        (Passed::Buffer(buffer), None) => LaunchArg::Buffer(*buffer),
                        (Passed::Scalar(literal), None) => LaunchArg::Scalar(*literal),
                    })
                    .collect();
                let launch = compiled.launch(&values, &self.bindings, engine())?;
                self.share(launch.groups(), &|groups| launch.run_groups(groups))
            }
        }
    }

    /// Runs `0..count` in pieces: some for each thread, so that one that is late does not hold up all.
    fn share(&self, count: usize, run: &(dyn Fn(Range<usize>) -> Result<(), Fault> + Sync)) -> Result<(), Fault> {
        let threads = pool::threads();
        if !self.parallel || count == 1 || threads == 1 {
            return run(0..count);
        }
        let piece = count.div_ceil(4 * threads);
        let (has_failed, failed) = (AtomicBool::new(false), Mutex::new(None));
        pool::each(count.div_ceil(piece), &|part| {
            if !has_failed.load(Ordering::Relaxed)
                && let Err(fault) = run(part * piece..((part + 1) * piece).min(count))
            {
                has_failed.store(true, Ordering::Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
