//! Capabilities that are tried: a small kernel is built and run, and its numbers are checked. Drivers have features
//! that they do not name and name features that they do not have.
//!
//! What was found is kept on disk like a built program, under a key that names the device, its driver and the text of
//! all probes: another driver, or another probe, and everything is tried again.

use super::build;
use super::builtins;
use super::context::ClContext;
use super::driver::{Buffer, CommandQueue, Event, Kernel};
use super::retarget::retargeted;
use crate::device::profile::{Atomics, DeviceProfile, FloatAtomics, Ptx, SubGroups};
use crate::device::quirks::Avoid;
use crate::device::vendor::{Architecture, Vendor};
use crate::program::Kind;
use crate::program::{Key, disk};
use opencl3::command_queue::{enqueue_nd_range_kernel, enqueue_read_buffer, enqueue_write_buffer};
use opencl3::error_codes::{
    CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_WORK_GROUP_SIZE,
    CL_INVALID_WORK_ITEM_SIZE, error_text,
};
use opencl3::kernel::set_kernel_arg;
use opencl3::memory::CL_MEM_READ_WRITE;
use opencl3::types::{CL_BLOCKING, cl_int, cl_mem};
use std::cell::Cell;
use std::ptr::null;

const FP16: &str = include_str!("probes/fp16.cl");
const FP64: &str = include_str!("probes/fp64.cl");
const INT64_ATOMICS: &str = include_str!("probes/int64_atomics.cl");
const FLOAT_ATOMICS: &str = include_str!("probes/float_atomics.cl");
const FLOAT_ATOMICS_PTX: &str = include_str!("probes/float_atomics_ptx.cl");
const SUB_GROUPS: &str = include_str!("probes/sub_groups.cl");
const LOCAL_MEMORY: &str = include_str!("probes/local_memory.cl");
const MMA: &str = include_str!("probes/mma.cl");
const WGMMA: &str = include_str!("probes/wgmma.cl");
const PROGRESS: &str = include_str!("probes/progress.cl");

/// Changes when what is recorded, or how it is judged, does.
const REVISION: &str = "3";

/// Work-items of a probe, in one work-group where the device takes as many: several sub-groups of the usual sizes.
const ITEMS: usize = 128;

/// Work-groups that wait for each other, and how many work-items each has: more than the largest devices run at once.
const WAITING_GROUPS: usize = 2048;
const WAITING_ITEMS: usize = 64;

/// Static local memory to try where a driver reports less than there is, in bytes, the largest first: what the compute
/// capabilities 9.0, 8.0, 7.0 and 8.6 leave to a work-group (CUDA C++ programming guide, technical specifications; the
/// driver keeps 1 KiB).
const LOCAL_SIZES: [u64; 4] = [226 << 10, 162 << 10, 98 << 10, 94 << 10];

/// What was found by trying.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tried {
    fp16: bool,
    fp64: bool,
    atomics: Atomics,
    sub_groups: Option<SubGroups>,
    local_memory: u64,
    ptx: Option<Ptx>,
    independent_progress: bool,
}

/// What an earlier run found out about the device.
pub(super) fn recorded(reported: &DeviceProfile) -> Option<Tried> {
    Tried::decode(&String::from_utf8(disk::load(&key(reported))?).ok()?)
}

/// What the device can do: from an earlier run, else by trying. That is recorded, unless a probe failed for a reason that
/// may be gone in the next run, such as too little memory: then the device is taken for one that cannot, in this process.
pub(super) fn capabilities(reported: &DeviceProfile, context: &ClContext, queue: &CommandQueue) -> Tried {
    if let Some(tried) = recorded(reported) {
        return tried;
    }
    let started = std::time::Instant::now();
    let prober = Prober { profile: reported, context, queue, doubt: Cell::new(None) };
    let tried = prober.all();
    let milliseconds = started.elapsed().as_millis() as u64;
    tracing::debug!(device = reported.name, ?tried, milliseconds, "capabilities tried");
    match prober.doubt.get() {
        None => disk::store(&key(reported), tried.encode().as_bytes()),
        Some(code) => tracing::warn!(
            device = reported.name,
            code = error_text(code),
            "what the device can do could not be found out whole; the next run tries again"
        ),
    }
    tried
}

/// Whether work-groups of the device go on beside each other, by trying with these options.
#[cfg(test)]
pub(super) fn progress(profile: &DeviceProfile, context: &ClContext, queue: &CommandQueue, options: &str) -> bool {
    Prober { profile, context, queue, doubt: Cell::new(None) }.progress(options)
}

/// What the driver says of each probe that it builds for the device.
#[cfg(test)]
pub(super) fn logs(profile: &DeviceProfile, context: &ClContext) -> Vec<String> {
    let device = context.members()[0].id();
    let sources =
        [FP16, FP64, INT64_ATOMICS, FLOAT_ATOMICS, FLOAT_ATOMICS_PTX, SUB_GROUPS, LOCAL_MEMORY, MMA, WGMMA, PROGRESS];
    let log = |source: &str| {
        let _turn = build::turn(profile);
        let program = builtins::program(profile, context.get(), device, (source, "-cl-std=CL1.2")).ok()?;
        program.get_build_log(device).ok()
    };
    sources.iter().filter_map(|source| log(source)).collect()
}

/// What the device can do, by trying.
#[cfg(test)]
pub(super) fn again(reported: &DeviceProfile, context: &ClContext, queue: &CommandQueue) -> Tried {
    Prober { profile: reported, context, queue, doubt: Cell::new(None) }.all()
}

/// Whether an error says that the device cannot do what was tried, in every run: its compiler, or its limits, refuse it.
fn is_refusal(code: cl_int) -> bool {
    matches!(
        code,
        CL_BUILD_PROGRAM_FAILURE
            | CL_INVALID_BUILD_OPTIONS
            | CL_COMPILER_NOT_AVAILABLE
            | CL_INVALID_WORK_GROUP_SIZE
            | CL_INVALID_WORK_ITEM_SIZE
    )
}

#[cfg(test)]
thread_local! {
    /// Tests of this thread meet a driver that fails with this code.
    pub(super) static FAILING: Cell<Option<cl_int>> = const { Cell::new(None) };
}

fn key(reported: &DeviceProfile) -> Key {
    let atomics = [INT64_ATOMICS, FLOAT_ATOMICS, FLOAT_ATOMICS_PTX].join("\n");
    let probes = [REVISION, FP16, FP64, &atomics, SUB_GROUPS, LOCAL_MEMORY, MMA, WGMMA, PROGRESS];
    Key::of(Kind::Capabilities, reported, "", &probes.join("\n"))
}

impl Tried {
    /// The whole profile of a device.
    pub(super) fn complete(&self, reported: &DeviceProfile) -> DeviceProfile {
        let mut profile = reported.clone();
        profile.fp16 = self.fp16;
        profile.fp64 = self.fp64;
        profile.atomics = self.atomics;
        profile.sub_groups = self.sub_groups.clone();
        profile.local_memory.usable = self.local_memory;
        profile.ptx = self.ptx;
        profile.independent_progress = self.independent_progress;
        profile
    }

    fn encode(&self) -> String {
        let sizes = self.sub_groups.iter().flat_map(|groups| &groups.sizes).map(u32::to_string);
        let float_add = match self.atomics.float_add {
            FloatAtomics::None => "none",
            FloatAtomics::Extension => "extension",
            FloatAtomics::Ptx => "ptx",
        };
        let ptx = self
            .ptx
            .map_or(String::new(), |ptx| format!("{} {} {} {}", ptx.mma_f16, ptx.mma_bf16, ptx.mma_tf32, ptx.wgmma));
        format!(
            "fp16 {}\nfp64 {}\nint64-atomics {}\nfloat-atomics {float_add}\nsub-groups {}\nlocal-memory {}\nptx {ptx}\n\
             progress {}\n",
            self.fp16,
            self.fp64,
            self.atomics.int64,
            sizes.collect::<Vec<_>>().join(" "),
            self.local_memory,
            self.independent_progress,
        )
    }

    /// `None` if it is not what `encode` writes.
    fn decode(text: &str) -> Option<Tried> {
        let mut lines = text.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::trim);
        let fp16 = field("fp16")?.parse().ok()?;
        let fp64 = field("fp64")?.parse().ok()?;
        let int64 = field("int64-atomics")?.parse().ok()?;
        let float_add = match field("float-atomics")? {
            "none" => FloatAtomics::None,
            "extension" => FloatAtomics::Extension,
            "ptx" => FloatAtomics::Ptx,
            _ => return None,
        };
        let sizes: Option<Vec<u32>> = field("sub-groups")?.split_whitespace().map(|size| size.parse().ok()).collect();
        let sizes = sizes?;
        let local_memory = field("local-memory")?.parse().ok()?;
        let ptx: Option<Vec<bool>> = field("ptx")?.split_whitespace().map(|flag| flag.parse().ok()).collect();
        let ptx = match ptx?.as_slice() {
            [] => None,
            [mma_f16, mma_bf16, mma_tf32, wgmma] => {
                Some(Ptx { mma_f16: *mma_f16, mma_bf16: *mma_bf16, mma_tf32: *mma_tf32, wgmma: *wgmma })
            }
            _ => return None,
        };
        let independent_progress = field("progress")?.parse().ok()?;
        let (atomics, sub_groups) = (Atomics { int64, float_add }, (!sizes.is_empty()).then_some(SubGroups { sizes }));
        Some(Tried { fp16, fp64, atomics, sub_groups, local_memory, ptx, independent_progress })
    }
}

/// Runs probes.
struct Prober<'a> {
    profile: &'a DeviceProfile,
    context: &'a ClContext,
    queue: &'a CommandQueue,
    /// The first error that says nothing of what the device can do.
    doubt: Cell<Option<cl_int>>,
}

impl Prober<'_> {
    fn all(&self) -> Tried {
        let nvidia = self.profile.vendor == Vendor::Nvidia;
        let ptx = nvidia && self.float_atomics(FLOAT_ATOMICS_PTX, "-cl-std=CL1.2");
        Tried {
            fp16: self.fp16(),
            fp64: self.fp64(),
            atomics: Atomics {
                int64: self.int64_atomics(),
                float_add: if ptx {
                    FloatAtomics::Ptx
                } else if self.profile.advertises("cl_ext_float_atomics")
                    && self.float_atomics(FLOAT_ATOMICS, self.newest())
                {
                    FloatAtomics::Extension
                } else {
                    FloatAtomics::None
                },
            },
            sub_groups: self.sub_groups(),
            local_memory: self.local_memory(),
            ptx: ptx.then(|| Ptx {
                mma_f16: self.mma("F16"),
                mma_bf16: self.mma("BF16"),
                mma_tf32: self.mma("TF32"),
                wgmma: self.wgmma(),
            }),
            independent_progress: self.profile.independent_progress && self.progress("-cl-std=CL1.2"),
        }
    }

    fn fp16(&self) -> bool {
        if !self.may_have("cl_khr_fp16") {
            return false;
        }
        // Exact in half precision: x * x + 0.5 for multiples of a half up to 16.
        let x = |item: usize| (item % 32) as f32 * 0.5;
        let input: Vec<u32> = (0..ITEMS).map(|item| x(item).to_bits()).collect();
        let output = self.run(FP16, "-cl-std=CL1.2", &input);
        output.is_some_and(|output| {
            output.iter().enumerate().all(|(item, bits)| f32::from_bits(*bits) == x(item) * x(item) + 0.5)
        })
    }

    fn fp64(&self) -> bool {
        // Some name the extension, some only say what doubles can do; some do neither.
        if !self.profile.fp64 && !self.may_have("cl_khr_fp64") {
            return false;
        }
        let words = |value: f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
        let input: Vec<u32> = (0..ITEMS).flat_map(|item| words(item as f64)).collect();
        let expected = (0..ITEMS).flat_map(|item| words(item as f64 * 1_099_511_627_776.0 + 0.125));
        self.run(FP64, "-cl-std=CL1.2", &input).is_some_and(|output| output.into_iter().eq(expected))
    }

    /// Whether a feature is worth a probe: drivers have some that they do not name, and trying is harmless on most.
    fn may_have(&self, extension: &str) -> bool {
        self.profile.advertises(extension) || !self.profile.avoids(Avoid::UnnamedExtensions)
    }

    fn int64_atomics(&self) -> bool {
        if !self.may_have("cl_khr_int64_base_atomics") {
            return false;
        }
        let output = self.run(INT64_ATOMICS, "-cl-std=CL1.2", &[0; 8]);
        // Sum, minimum and maximum of items * 2^33, and a count by compare and exchange.
        let unit = 1i64 << 33;
        let count = ITEMS as i64;
        let expected = [unit * count * (count - 1) / 2, -unit * (count - 1), unit * (count - 1), count];
        output.is_some_and(|output| {
            let values = output.chunks_exact(2).map(|half| (u64::from(half[1]) << 32 | u64::from(half[0])) as i64);
            values.eq(expected)
        })
    }

    fn float_atomics(&self, source: &str, options: &str) -> bool {
        let sum = (ITEMS * (ITEMS - 1) / 2) as f32 * 0.5;
        self.run(source, options, &[0]).is_some_and(|output| f32::from_bits(output[0]) == sum)
    }

    fn sub_groups(&self) -> Option<SubGroups> {
        let named = self.profile.advertises("cl_khr_subgroups") || self.profile.advertises("cl_intel_subgroups");
        if !named && self.profile.opencl < (3, 0) {
            return None;
        }
        if !named && self.context.members()[0].get().max_num_sub_groups().unwrap_or(0) == 0 {
            return None;
        }
        // Each work-item says how large its sub-group is and how many really take part in it.
        let size = |options: &str| {
            let output = self.run(SUB_GROUPS, options, &[0; 2 * ITEMS])?;
            let (size, agree) = (output[0], output.chunks_exact(2).all(|item| item[0] == item[1]));
            let uniform = output.iter().all(|&found| found == size);
            (agree && uniform && size > 0).then_some(size)
        };
        let mut sizes = Vec::new();
        if self.profile.advertises("cl_intel_required_subgroup_size") {
            for wanted in self.intel_sizes() {
                if size(&format!("{} -DSIZE={wanted}", self.newest())) == Some(wanted) {
                    sizes.push(wanted);
                }
            }
        }
        if sizes.is_empty() {
            sizes.extend(size(self.newest()));
        }
        sizes.sort();
        (!sizes.is_empty()).then_some(SubGroups { sizes })
    }

    /// Values of `CL_DEVICE_SUB_GROUP_SIZES_INTEL`, which is an array of `size_t`.
    fn intel_sizes(&self) -> Vec<u32> {
        const CL_DEVICE_SUB_GROUP_SIZES_INTEL: u32 = 0x4108;
        let bytes = self.context.members()[0].get().get_data(CL_DEVICE_SUB_GROUP_SIZES_INTEL).unwrap_or_default();
        let word = |bytes: &[u8]| bytes.try_into().map(usize::from_ne_bytes).ok();
        bytes.chunks_exact(size_of::<usize>()).filter_map(|bytes| word(bytes)?.try_into().ok()).collect()
    }

    /// NVIDIA reports what a kernel *argument* may take; static arrays may take more.
    fn local_memory(&self) -> u64 {
        let reported = self.profile.local_memory.reported;
        if self.profile.vendor != Vendor::Nvidia {
            return reported;
        }
        let words = |bytes: u64| bytes / 4;
        let works = |bytes: u64| {
            let options = format!("-cl-std=CL1.2 -DWORDS={}", words(bytes));
            let expected = |item: usize| words(bytes) as u32 - 1 - item as u32;
            self.run(LOCAL_MEMORY, &options, &[0; ITEMS])
                .is_some_and(|output| output.iter().enumerate().all(|(item, &found)| found == expected(item)))
        };
        LOCAL_SIZES.into_iter().filter(|&bytes| bytes > reported).find(|&bytes| works(bytes)).unwrap_or(reported)
    }

    /// A product of matrices of ones: every element is the length of the sum, wherever in the fragments it lies.
    fn mma(&self, kind: &str) -> bool {
        // Older assemblers end the process's build with an error, which costs time and says nothing new.
        if !matches!(self.profile.architecture, Architecture::Nvidia { major: 8.., .. }) {
            return false;
        }
        let depth = if kind == "TF32" { 8.0f32 } else { 16.0 };
        let options = format!("-cl-std=CL1.2 -D{kind}");
        self.run(MMA, &options, &[0; 4 * ITEMS])
            .is_some_and(|output| output.iter().all(|bits| f32::from_bits(*bits) == depth))
    }

    /// The same by a warpgroup, of f16 and of bf16.
    fn wgmma(&self) -> bool {
        // Other architectures have other instructions in the place of these.
        let hopper = matches!(self.profile.architecture, Architecture::Nvidia { major: 9, .. });
        hopper
            && ["F16", "BF16"].into_iter().all(|kind| {
                let output = self.run(WGMMA, &format!("-cl-std=CL1.2 -D{kind}"), &[0; 4 * ITEMS]);
                output.is_some_and(|output| output.iter().all(|bits| f32::from_bits(*bits) == 16.0))
            })
    }

    /// Whether each of many work-groups hears of the one that began before it.
    fn progress(&self, options: &str) -> bool {
        let (groups, own) = (WAITING_GROUPS, WAITING_ITEMS.min(self.profile.max_work_group.max(1)));
        let input = vec![0; 2 + groups];
        self.run_over([groups * own, own], PROGRESS, options, &input)
            .is_some_and(|output| output[2..].iter().copied().eq(1..=groups as u32))
    }

    /// The newest version of OpenCL C that the device takes.
    fn newest(&self) -> &'static str {
        match self.profile.opencl {
            (3.., _) => "-cl-std=CL3.0",
            (2, _) => "-cl-std=CL2.0",
            _ => "-cl-std=CL1.2",
        }
    }

    /// Runs the kernel `probe` of `source` on a buffer that starts as `input`, and gives what is in it afterwards;
    /// `None` if anything fails, which is what was to be found out, or leaves it in doubt.
    fn run(&self, source: &str, options: &str, input: &[u32]) -> Option<Vec<u32>> {
        // A power of two, so that it divides the number of items.
        let group = 1 << self.profile.max_work_group.clamp(1, ITEMS).ilog2();
        self.run_over([ITEMS, group], source, options, input)
    }

    /// As [`Prober::run`], over so many work-items in work-groups of so many.
    fn run_over(&self, items: [usize; 2], source: &str, options: &str, input: &[u32]) -> Option<Vec<u32>> {
        match self.try_run(items, source, options, input) {
            Ok(output) => Some(output),
            Err(error) => {
                tracing::trace!(%error, options, source, "a probe failed");
                if !is_refusal(error.0) && self.doubt.get().is_none() {
                    self.doubt.set(Some(error.0));
                }
                None
            }
        }
    }

    fn try_run(
        &self,
        [items, group]: [usize; 2],
        source: &str,
        options: &str,
        input: &[u32],
    ) -> opencl3::Result<Vec<u32>> {
        #[cfg(test)]
        if let Some(code) = FAILING.get() {
            return Err(opencl3::error_codes::ClError(code));
        }
        let context = self.context.get();
        let turn = build::turn(self.profile);
        let device = self.context.members()[0].id();
        let program = builtins::program(self.profile, context, device, (source, options))?;
        let program = retargeted(context, device, (&program, source), options)?.unwrap_or(program);
        drop(turn);
        let kernel = Kernel::create(&program, "probe")?;
        let bytes = size_of_val(input);
        // SAFETY: no host pointer is passed (OpenCL 5.2.1).
        let buffer = unsafe { Buffer::create(context, CL_MEM_READ_WRITE, bytes, std::ptr::null_mut()) }?;
        let raw: cl_mem = buffer.get();
        let mut output = vec![0u32; input.len()];
        // SAFETY: the argument is set from the address of a `cl_mem` (OpenCL 5.9.2). Kernel, buffer and queue are alive
        // and of one context until the blocking read has returned, or `clFinish` below has. The buffer has `bytes`
        // bytes, as the blocking write reads and the blocking read writes; the probes index inside it.
        let done = unsafe {
            let queue = self.queue.get();
            set_kernel_arg(kernel.get(), 0, size_of::<cl_mem>(), (&raw const raw).cast())
                .and_then(|()| {
                    enqueue_write_buffer(queue, raw, CL_BLOCKING, 0, bytes, input.as_ptr().cast(), 0, null())
                })
                .and_then(|event| {
                    drop(Event::new(event));
                    let (global, local) = ([items], [group]);
                    enqueue_nd_range_kernel(queue, kernel.get(), 1, null(), global.as_ptr(), local.as_ptr(), 0, null())
                })
                .and_then(|event| {
                    drop(Event::new(event));
                    enqueue_read_buffer(queue, raw, CL_BLOCKING, 0, bytes, output.as_mut_ptr().cast(), 0, null())
                })
        };
        match done {
            Ok(event) => drop(Event::new(event)),
            Err(code) => {
                // The kernel may still run on the buffer.
                let _ = self.queue.finish();
                return Err(opencl3::error_codes::ClError(code));
            }
        }
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried() -> Tried {
        Tried {
            fp16: true,
            fp64: false,
            atomics: Atomics { int64: true, float_add: FloatAtomics::Ptx },
            sub_groups: Some(SubGroups { sizes: vec![8, 16] }),
            local_memory: 226 << 10,
            ptx: Some(Ptx { mma_f16: true, mma_bf16: false, mma_tf32: true, wgmma: false }),
            independent_progress: true,
        }
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let bare = Tried {
            fp16: false,
            fp64: true,
            atomics: Atomics::default(),
            sub_groups: None,
            local_memory: 0,
            ptx: None,
            independent_progress: false,
        };
        for tried in [tried(), bare] {
            assert_eq!(Tried::decode(&tried.encode()), Some(tried));
        }
    }

    #[test]
    fn a_record_of_another_form_is_not_taken() {
        let whole = tried().encode();
        let replaced = |from: &str, to: &str| whole.replace(from, to);
        let texts = [replaced("fp16 true", "fp16 yes"), replaced("ptx true", "ptx"), replaced("progress true\n", "")];
        for text in ["", "fp16 true"].into_iter().chain(texts.iter().map(String::as_str)) {
            assert_eq!(Tried::decode(text), None, "{text}");
        }
    }
}
