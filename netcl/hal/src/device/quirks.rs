//! Drivers' defects that netcl works around: the only place that knows a driver by its name and version.

use crate::device::vendor::Vendor;
use netcl_kernels::variant::Variant;
use std::cmp::Ordering;

/// Something that is not to be used with some drivers.
#[derive(Debug, PartialEq, Eq)]
pub struct Quirk {
    /// Whose drivers.
    pub vendor: Vendor,
    /// From this version on; empty: from the first.
    pub from: &'static [u32],
    /// Before this version; `None`: no driver is known that does it right.
    pub until: Option<&'static [u32]>,
    /// What is not to be used.
    pub avoid: Avoid,
    /// What was seen, and on which version.
    pub reason: &'static str,
}

/// What is not to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Avoid {
    /// `clEnqueueFillBuffer` over more bytes than this at once.
    FillsAbove(u64),
    /// `clBuildProgram` from two threads at a time.
    ConcurrentBuilds,
    /// `clCreateSubBuffer`, and `clReleaseMemObject` of a sub-buffer, while commands are enqueued, or copies under way, that use
    /// the buffer or other parts of it.
    SubBuffersBesideCommands,
    /// Kernels in several queues or parts of a device, or on several devices, at once. They are not refused: whoever asks for
    /// such a device is warned.
    SeveralQueues,
    /// Trying features whose extension the driver does not name.
    UnnamedExtensions,
    /// `clReleaseCommandQueue`.
    ReleasedQueues,
    /// A variant of a kernel.
    Variant(Variant),
    /// `clEnqueueCommandBufferKHR`, though the driver names `cl_khr_command_buffer`.
    CommandBuffers,
    /// Any call while the process ends. Only for drivers that compute in the calls themselves: others' threads would run on.
    CallsAtExit,
    /// `CL_PROGRAM_BINARIES`, where the driver keeps between runs what it builds.
    Binaries,
    /// The compiler's optimizations: netcl's own kernels are built with `-cl-opt-disable`.
    Optimizations,
    /// The compiler's optimizations for what may run a few times only: netcl's own kernels are built with `-cl-opt-disable` first, and
    /// again with them once they have computed as much as that takes. Only for drivers that give the same numbers either way.
    OptimizingAtOnce,
    /// The driver's header of all built-in functions, which it parses for each program: in front of netcl's own kernels the functions are
    /// declared that they call.
    BuiltinHeader,
    /// `sin`, `cos` and `tan` of vectors of `float`: netcl's own kernels call them lane by lane where one argument is large.
    VectorSines,
    /// `fmod` of vectors of `double`: netcl's own kernels call it lane by lane.
    VectorRemainders,
    /// `cos` of an argument whose `sin` is asked, too: netcl's own kernels call `sincos` for their cosines.
    CosinesBesideSines,
    /// Casts of `int` to `long`: netcl's own kernels extend signs by hand.
    ExtendedSigns,
    /// Vectors of the rounds of a loop: netcl's own kernels, which are of vectors where that pays, ask for rounds one after the other.
    LoopVectorization,
    /// Relying on blocking calls and `clFinish` where threads share a queue: they may return before what they wait for is done. An
    /// event is waited for beside them.
    BlockingCalls,
    /// Kernels whose loops take more rounds than this, in all, in one work-item. Plans are those for GPUs, whose loops are shorter. What
    /// is longer still is not refused: whoever opens such a device is warned, and where the driver of another fits what was asked
    /// for, that one is taken.
    LoopsBeyond(u64),
}

static QUIRKS: &[Quirk] = &[
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::ReleasedQueues,
        reason: "PoCL 3.1: its worker releases events after clFinish has returned, and crashes if their queue is gone",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[4],
        until: Some(&[7]),
        avoid: Avoid::SeveralQueues,
        reason: "5.0: two queues or devices that run one kernel at once, and for the first time, over grids of different sizes \
                 may end the process (an assertion in pocl_release_dlhandle_cache)",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::VectorSines,
        reason: "3.1: sin, cos and tan of float2 and wider are wrong in small lanes beside one of 1e10 or so and more: the sine of \
                 1e-30 beside that of 1e30 is 0.0099. Scalars and vectors of double are right",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::VectorRemainders,
        reason: "3.1: fmod of double8 and double16 is wrong in lanes beside one whose divisor is 0 or infinite (7 by 1e-17 is -4.9e-16), \
                 or does not end. Scalars, double2, double4 and vectors of float are right",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: Some(&[3, 2]),
        avoid: Avoid::CommandBuffers,
        reason: "PoCL 3.1 (version 0.9.0 of the extension): it refuses fills and copies, and makes every command anew at each replay, \
                 2.4 to 9.6 µs a launch, where clEnqueueNDRangeKernel takes 0.7 µs",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::Binaries,
        reason: "3.1: it compiles a kernel when it is first launched, for the launch's work-groups, and when it is asked for binaries \
                 once more, for work-groups of any size, which no launch uses: more than half of what a program took. It \
                 keeps what it builds in a folder of its own",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::OptimizingAtOnce,
        reason: "3.1: optimizing takes two thirds of what a kernel takes to build, and no kernel of the process is launched meanwhile, on \
                 any queue: the driver holds one lock for both, so that a thread that builds beside the others gains nothing. The steps of \
                 thirteen models have the same bits either way, and take 0.8 to 6 times as long",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::BuiltinHeader,
        reason: "3.1, 5.0: it parses clang's `opencl-c.h`, 0.9 MB, for each program: 0.2 s of the 0.25 s that a small one takes to build",
    },
    Quirk {
        vendor: Vendor::Intel,
        // The runtime for processors; versions of the one for GPUs do not begin with a year.
        from: &[2000],
        until: None,
        avoid: Avoid::CommandBuffers,
        reason: "2026.22.10 on processors: 2.9 µs a launch replayed, where clEnqueueNDRangeKernel takes 1.3 µs",
    },
    Quirk {
        vendor: Vendor::Intel,
        from: &[2000],
        until: None,
        avoid: Avoid::LoopVectorization,
        reason: "2026.22.10 on processors: with FP_CONTRACT off, `sum -= a[k] * x[k]` over 32 rounds and more is wrong in the work-items that \
                 fill no vector (a fifth of the value off), as the rounds are added up in another order and some of them lost; the pass \
                 `vplan-vec` crashes on a sum over a flipped axis",
    },
    Quirk {
        vendor: Vendor::Intel,
        from: &[2000],
        until: None,
        avoid: Avoid::CosinesBesideSines,
        reason: "2026.22.10 on processors: it crashes while it builds a kernel that has sin(sin(v)), cos(sin(v)) and cos(v), a derivative: \
                 where it joins sines with cosines of the same arguments and one argument is such a sine itself",
    },
    Quirk {
        vendor: Vendor::Llvmpipe,
        from: &[],
        until: None,
        avoid: Avoid::LoopsBeyond(65_535),
        reason: "22.3.6: it ends a loop when the loops of a work-item have taken 65,535 rounds together, and goes on behind it: a \
                 sum of 300,000 ones is 65,535",
    },
    Quirk {
        vendor: Vendor::Llvmpipe,
        from: &[],
        until: None,
        avoid: Avoid::ExtendedSigns,
        reason: "22.3.6: an `int` that a cast has made a `long` is compared with a number as if it had no sign: `(long)x < 0` is false for -1. \
                 Of smaller types, of what is read as a `long`, and of `upsample` it is right",
    },
    Quirk {
        vendor: Vendor::Llvmpipe,
        from: &[],
        until: None,
        avoid: Avoid::BlockingCalls,
        reason: "22.3.6: a blocking read whose command another thread's call has flushed meanwhile finds nothing that it would have to \
                 wait for, and returns: of 208 programs of 16 threads five had other numbers than \
                 were read and one crashed, of 180 that wait for an event none",
    },
    Quirk {
        vendor: Vendor::Llvmpipe,
        from: &[],
        until: None,
        avoid: Avoid::Variant(Variant::RecurrenceOneKernel),
        reason: "22.3.6: the rounds of a loop are rounds of one work-item's loops, and it ends these after 65,535",
    },
    Quirk {
        vendor: Vendor::Nvidia,
        from: &[],
        until: None,
        avoid: Avoid::FillsAbove(1 << 30),
        reason: "580.159.04 on an H200: clEnqueueFillBuffer of 30 GiB and more fails with -9999",
    },
    Quirk {
        vendor: Vendor::Nvidia,
        from: &[],
        until: None,
        avoid: Avoid::ConcurrentBuilds,
        reason: "580.159.04: threads that build programs at once crash within seconds, also from binaries",
    },
    Quirk {
        vendor: Vendor::Nvidia,
        from: &[],
        until: None,
        avoid: Avoid::SubBuffersBesideCommands,
        reason: "580.159.04 on an H200: while threads copy to and from parts of a buffer, making or releasing parts of it crashes \
                 within seconds. The driver begins copies in a thread of its own, so that a lock around the calls is not enough: \
                 with it 7 of 96 runs of a program of eight threads crashed, with waiting for the copies none of 221",
    },
    Quirk {
        vendor: Vendor::Pocl,
        from: &[],
        until: None,
        avoid: Avoid::UnnamedExtensions,
        reason: "3.1: it names every extension it has, and a build that fails writes to standard error",
    },
    Quirk {
        vendor: Vendor::Oclgrind,
        from: &[],
        until: None,
        avoid: Avoid::UnnamedExtensions,
        reason: "21.10: half constants build, then the simulator reports a fatal error of its own",
    },
    Quirk {
        vendor: Vendor::Oclgrind,
        from: &[],
        until: None,
        avoid: Avoid::CallsAtExit,
        reason: "21.10: calls note their names in memory of the thread, which is gone before exit handlers run",
    },
    Quirk {
        vendor: Vendor::Oclgrind,
        from: &[],
        until: None,
        avoid: Avoid::ConcurrentBuilds,
        reason: "21.10: programs of one context are built in one LLVM context; threads that do so at once crashed in 2 of 17 runs",
    },
    Quirk {
        vendor: Vendor::Oclgrind,
        from: &[],
        until: None,
        avoid: Avoid::Optimizations,
        reason: "21.10 with LLVM 14: `(float)(c ? -1 : 0)` becomes the conversion of one bit, which is 1.0 there; integers' abs and \
                 saturating subtractions become intrinsics that it does not know, and no kernel object is made",
    },
];

/// What is not to be used with a vendor's driver of that version.
pub fn of(vendor: Vendor, driver: &str) -> Vec<&'static Quirk> {
    matching(QUIRKS, vendor, driver)
}

fn matching(quirks: &'static [Quirk], vendor: Vendor, driver: &str) -> Vec<&'static Quirk> {
    let version = version(driver);
    let fits = |quirk: &&Quirk| {
        let new_enough = compare(&version, quirk.from) != Ordering::Less;
        let old_enough = quirk.until.is_none_or(|until| compare(&version, until) == Ordering::Less);
        quirk.vendor == vendor && new_enough && old_enough
    };
    quirks.iter().filter(fits).collect()
}

/// The first dotted number in a driver's version: `[3, 1]` of `3.1+debian`, `[21, 10]` of `Oclgrind 21.10`. Empty where
/// there is none: such a driver counts as older than any.
fn version(driver: &str) -> Vec<u32> {
    let start = driver.find(|c: char| c.is_ascii_digit()).unwrap_or(driver.len());
    let number = driver[start..].split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    // A part that is no u32 is a date or a hash; it is larger than any release's.
    number.split('.').filter(|part| !part.is_empty()).map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

/// Compares versions part by part; missing parts are 0, so that 3.1 is 3.1.0.
fn compare(left: &[u32], right: &[u32]) -> Ordering {
    let part = |version: &[u32], position: usize| version.get(position).copied().unwrap_or(0);
    let length = left.len().max(right.len());
    (0..length).map(|i| part(left, i).cmp(&part(right, i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::{DeviceKind, DeviceProfile};
    use netcl_kernels::plan::Target;

    #[test]
    fn versions_are_read_from_what_drivers_say() {
        for (driver, expected) in [
            ("580.159.04", &[580, 159, 4][..]),
            ("3.1+debian", &[3, 1]),
            ("2026.22.10.0.01_160000", &[2026, 22, 10, 0, 1]),
            ("Oclgrind 21.10", &[21, 10]),
            ("3581.0 (HSA1.1,LC)", &[3581, 0]),
            ("20240101123456", &[u32::MAX]),
            ("", &[]),
            ("unversioned", &[]),
        ] {
            assert_eq!(version(driver), expected, "{driver}");
        }
    }

    #[test]
    fn ranges_include_their_start_and_exclude_their_end() {
        static TABLE: &[Quirk] = &[
            Quirk {
                vendor: Vendor::Pocl,
                from: &[3],
                until: Some(&[3, 2]),
                avoid: Avoid::ConcurrentBuilds,
                reason: "test",
            },
            Quirk { vendor: Vendor::Pocl, from: &[5], until: None, avoid: Avoid::FillsAbove(7), reason: "test" },
        ];
        let found = |vendor, driver| -> Vec<Avoid> {
            matching(TABLE, vendor, driver).into_iter().map(|quirk| quirk.avoid).collect()
        };
        for driver in ["3", "3.0", "3.1+debian", "3.1.99"] {
            assert_eq!(found(Vendor::Pocl, driver), [Avoid::ConcurrentBuilds], "{driver}");
        }
        for driver in ["2.9", "3.2", "3.2.0", "4", "unversioned"] {
            assert_eq!(found(Vendor::Pocl, driver), [], "{driver}");
        }
        assert_eq!(found(Vendor::Pocl, "5.0-pre"), [Avoid::FillsAbove(7)]);
        assert_eq!(found(Vendor::Intel, "3.1"), []);
    }

    #[test]
    fn every_quirk_has_a_reason_and_a_range_that_is_not_empty() {
        for quirk in QUIRKS {
            assert!(quirk.reason.len() > 20, "{quirk:?}");
            assert!(quirk.until.is_none_or(|until| compare(quirk.from, until) == Ordering::Less), "{quirk:?}");
        }
    }

    #[test]
    fn large_fills_are_cut_where_the_driver_fails() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        assert_eq!(profile.max_fill(), usize::MAX);
        profile.quirks = of(Vendor::Nvidia, "580.159.04");
        assert_eq!(profile.max_fill(), 1 << 30);
        assert!(profile.avoids(Avoid::ConcurrentBuilds));
        profile.quirks = of(Vendor::Pocl, "3.1+debian");
        assert_eq!(profile.max_fill(), usize::MAX);
    }
}
