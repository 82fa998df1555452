//! Building programs: from memory, from the disk cache, from source.

use super::builtins::{WITHOUT_HEADER, with_header, without_header};
use super::driver::Program;
use super::exit;
use super::programs::obtain;
use super::retarget::{assembled_once, retargeted};
use super::shared::{DeviceResources, Shared};
use super::widening::{BY_HAND, SIGNS_BY_HAND, by_calls};
use crate::config;
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use crate::device::vendor::Vendor;
use crate::error::{Error, Result};
use crate::process;
use crate::program::{Key, Kind, count, disk, reads_files};
use netcl_kernels::emit::{PTX_BF16, REMAINDERS_BY_LANE, SINES_BY_LANE};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_INVALID_BUILD_OPTIONS, error_text};
use opencl3::types::cl_int;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// With it quotients and roots of `f32` are rounded correctly. For drivers that can
/// ([`DeviceProfile::rounded_division`]): others refuse it.
pub const ROUNDED_DIVISION: &str = "-cl-fp32-correctly-rounded-divide-sqrt";

/// The option by which nothing is optimized. For drivers whose optimizations change results ([`Avoid::Optimizations`]).
pub const NOT_OPTIMIZED: &str = "-cl-opt-disable";

/// The macro of programs in which every loop keeps its rounds one after the other. For drivers that are wrong where they make vectors of
/// them ([`Avoid::LoopVectorization`]).
const LOOPS_IN_ORDER: &str = "NETCL_LOOPS_IN_ORDER";

/// What stands before the text of such a program, whose lines are counted from behind it.
const IN_ORDER: &str = "#define for _Pragma(\"clang loop vectorize(disable)\") for\n#line 1\n";

/// The macro of programs whose cosines are those of `sincos`. For drivers that crash where they join a cosine and a sine of one argument
/// ([`Avoid::CosinesBesideSines`]).
const COSINES_BY_SINCOS: &str = "NETCL_COSINES_BY_SINCOS";

/// What stands before the text of such a program, whose lines are counted from behind it.
const BY_SINCOS: &str = "\
#define NETCL_COSINE(T) static inline T __attribute__((overloadable)) netcl_cosine(T x) { T c; sincos(x, &c); return c; }
#define NETCL_COSINES(T) NETCL_COSINE(T) NETCL_COSINE(T##2) NETCL_COSINE(T##3) NETCL_COSINE(T##4) NETCL_COSINE(T##8) NETCL_COSINE(T##16)
NETCL_COSINES(float)
#ifdef cl_khr_fp64
NETCL_COSINES(double)
#endif
#define cos netcl_cosine
#line 1
";

/// What netcl's own kernels are built with for a device, with its compiler's optimizations where `optimized` and nothing speaks
/// against them. They are OpenCL C 1.2, which every driver takes; no flag here may
/// take anything from results.
pub(super) fn options(profile: &DeviceProfile, optimized: bool) -> &'static str {
    /// One for each set of flags: launches of an algorithm's kernel look its program up by them.
    static TEXTS: LazyLock<[String; 512]> = LazyLock::new(|| {
        std::array::from_fn(|set| {
            let mut options = "-cl-std=CL1.2".to_owned();
            let [sines, remainders, bf16, in_order, cosines, signs] =
                [SINES_BY_LANE, REMAINDERS_BY_LANE, PTX_BF16, LOOPS_IN_ORDER, COSINES_BY_SINCOS, SIGNS_BY_HAND]
                    .map(|name| format!("-D{name}"));
            let [rounded, plain, bare] = [ROUNDED_DIVISION, NOT_OPTIMIZED, WITHOUT_HEADER].map(str::to_owned);
            let flags = [rounded, plain, sines, remainders, bf16, in_order, bare, cosines, signs];
            for flag in flags.iter().enumerate().filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, flag)| flag) {
                options.push(' ');
                options.push_str(flag);
            }
            options
        })
    });
    let plain = !optimized || profile.avoids(Avoid::Optimizations);
    let by_lane = [Avoid::VectorSines, Avoid::VectorRemainders].map(|avoid| profile.avoids(avoid));
    let rounds_bf16 = profile.ptx.is_some_and(|ptx| ptx.mma_bf16);
    let others = [Avoid::LoopVectorization, Avoid::BuiltinHeader, Avoid::CosinesBesideSines, Avoid::ExtendedSigns];
    let flags = [profile.rounded_division, plain, by_lane[0], by_lane[1], rounds_bf16];
    let flags = flags.into_iter().chain(others.map(|avoid| profile.avoids(avoid)));
    let set = flags.enumerate().map(|(bit, flag)| usize::from(flag) << bit).sum::<usize>();
    &TEXTS[set]
}

/// Held while a driver compiles that cannot be trusted to do so from several threads, though `clBuildProgram` may be
/// called from them (OpenCL 3.0, appendix A).
static COMPILING: Mutex<()> = Mutex::new(());

/// To be held while a device's driver compiles.
pub(super) fn turn(profile: &DeviceProfile) -> Option<MutexGuard<'static, ()>> {
    profile.avoids(Avoid::ConcurrentBuilds).then(|| COMPILING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A text to build.
pub(super) struct BuildInput<'a> {
    /// What errors call it.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// For `clBuildProgram`.
    pub(super) options: &'a str,
}

impl BuildInput<'_> {
    /// Whether text and options say all that its program is built from, so that it can be found again by them.
    pub(super) fn is_whole(&self) -> bool {
        !reads_files(self.text, self.options)
    }

    /// The text that drivers are given.
    fn compiled(&self) -> Cow<'_, str> {
        let in_front = [(LOOPS_IN_ORDER, IN_ORDER), (COSINES_BY_SINCOS, BY_SINCOS)];
        let in_front: String =
            in_front.into_iter().filter(|(name, _)| self.options.contains(name)).map(|(_, text)| text).collect();
        let text = match self.options.contains(SIGNS_BY_HAND) {
            true => Cow::Owned(BY_HAND.to_owned() + &by_calls(self.text)),
            false => Cow::Borrowed(self.text),
        };
        if in_front.is_empty() { text } else { Cow::Owned(in_front + &text) }
    }
}

/// How a program is got: [`program`] or [`once`].
pub(super) type Build = fn(&Shared, &BuildInput<'_>) -> Result<Arc<Program>>;

/// The built program of a source.
pub(super) fn program(shared: &Shared, source: &BuildInput<'_>) -> Result<Arc<Program>> {
    known(shared, source, source.is_whole())
}

/// The program of a source that does not come again, or whose program may be another then: it is built now, and nobody finds
/// it later, in this process or another.
pub(super) fn once(shared: &Shared, source: &BuildInput<'_>) -> Result<Arc<Program>> {
    known(shared, source, false)
}

/// Whether the driver keeps what it builds between runs by itself, and is not to be asked for it.
pub(super) fn keeps_programs(profile: &DeviceProfile) -> Result<bool> {
    Ok(profile.avoids(Avoid::Binaries) && config::get()?.pocl_keeps)
}

/// Whether the program of a source was built before: in this process, or, as far as is known, in an earlier one.
pub(super) fn was_built(shared: &Shared, source: &BuildInput<'_>) -> bool {
    let key = Key::new(&shared.profile, source.options, source.text);
    let in_this = shared.programs.lock().unwrap_or_else(PoisonError::into_inner).has(&key);
    in_this || disk::load(&key).is_some() || disk::load(&note_of(shared, source)).is_some()
}

/// Where it is noted that a driver that keeps its programs by itself has built one.
fn note_of(shared: &Shared, source: &BuildInput<'_>) -> Key {
    Key::of(Kind::Built, &shared.profile, source.options, source.text)
}

fn known(shared: &Shared, source: &BuildInput<'_>, comes_again: bool) -> Result<Arc<Program>> {
    process::check()?;
    let key = Key::new(&shared.profile, source.options, source.text);
    let on_disk = comes_again && !keeps_programs(&shared.profile)?;
    // Those that are built once are kept as long as the others: their kernels may run still when nobody uses them any more.
    let key = if comes_again { key } else { key.once() };
    let (program, surplus) = obtain(&shared.programs, &key, || {
        let _turn = turn(&shared.profile);
        let _built = exit::Built;
        if on_disk && let Some(program) = from_disk(shared, &key, source.options) {
            return Ok(program);
        }
        let program = from_source(shared, source)?;
        count(&shared.counters.built);
        if !on_disk {
            if comes_again && is_last(shared, source) {
                disk::store(&note_of(shared, source), &[]);
            }
            return Ok(program);
        }
        match program.binary_for(shared.device.id()) {
            Ok(Some(binary)) => disk::store(&key, &binary),
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "the driver gives no binary to cache"),
        }
        Ok(program)
    })?;
    if !surplus.is_empty()
        && let Err(code) = shared.finish()
    {
        // Their kernels may run still. The program that was asked for is none of them.
        tracing::warn!(code, programs = surplus.len(), "the device does not finish: programs are not released");
        std::mem::forget(surplus);
    }
    Ok(program)
}

/// Whether it is a program that took the place of one without optimizations, or may do so.
fn is_last(shared: &Shared, source: &BuildInput<'_>) -> bool {
    shared.profile.avoids(Avoid::OptimizingAtOnce) && source.options == options(&shared.profile, true)
}

/// The program of a source, built by the driver also where a binary is kept.
pub(super) fn anew(shared: &Shared, source: &BuildInput<'_>) -> Result<Arc<Program>> {
    let _turn = turn(&shared.profile);
    let _built = exit::Built;
    let program = from_source(shared, source)?;
    count(&shared.counters.built);
    Ok(Arc::new(program))
}

fn from_disk(shared: &Shared, key: &Key, options: &str) -> Option<Program> {
    let binary = disk::load(key)?;
    // SAFETY: the bytes are what this driver gave for this device: the key in the file names both, and its checksum
    // holds. A driver that does not take them says so (OpenCL 5.8.1).
    let created = unsafe { Program::create_from_binary(shared.context.get(), shared.device.id(), &binary) };
    let built = created.and_then(|program| {
        program.build(shared.device.id(), options)?;
        Ok(program)
    });
    match built {
        Ok(program) => {
            count(&shared.counters.loaded);
            Some(program)
        }
        // The file is as good as it was, so that a later run finds it.
        Err(error) if shared.health.lost("clBuildProgram", error.0).is_some() || !is_refusal(error.0) => {
            tracing::warn!(%error, "a cached program cannot be loaded now; it is built from its source");
            None
        }
        Err(error) => {
            count(&shared.counters.refused);
            tracing::warn!(%error, "a cached program is refused by the driver; it is built again");
            disk::remove(key);
            None
        }
    }
}

/// Whether a driver's error says that a binary is none of its own.
fn is_refusal(code: cl_int) -> bool {
    matches!(code, CL_INVALID_BINARY | CL_BUILD_PROGRAM_FAILURE)
}

/// Why a program is not built whose source has instructions for [`retargeted`] that the device does not have.
const NOT_RETARGETED: &str = "the driver does not assemble the instructions after `//netcl:sm_90a`";

fn from_source(shared: &Shared, source: &BuildInput<'_>) -> Result<Program> {
    let started = std::time::Instant::now();
    let failed = |log: String| Error::Build {
        device: shared.profile.name.clone(),
        program: source.name.to_owned(),
        source_text: numbered(source.text, &log),
        log: if log.trim().is_empty() { "(the driver gives no log)".to_owned() } else { log.trim_end().to_owned() },
    };
    if source.text.contains('\0') || source.options.contains('\0') {
        return Err(failed("the source or its build options contain a NUL character".to_owned()));
    }
    if source.text.trim().is_empty() {
        // Drivers read a text of no length up to a NUL that is not there.
        return Err(failed("the source has no text".to_owned()));
    }
    if source.text.contains("EXTENSION cl_khr_subgroups") && shared.profile.sub_groups.is_none() {
        return Err(Error::Unsupported {
            program: source.name.to_owned(),
            device: shared.profile.name.clone(),
            problem: "its kernels use sub-groups, which the driver does not have; use local memory, or another device"
                .to_owned(),
        });
    }
    let built = |program| {
        tracing::debug!(program = source.name, milliseconds = started.elapsed().as_millis() as u64, "program built");
        Ok(program)
    };
    let (context, device) = (shared.context.get(), shared.device.id());
    let text = source.compiled();
    // Other drivers give no PTX, and inline PTX is an error for them.
    let is_nvidia = shared.profile.vendor == Vendor::Nvidia;
    if is_nvidia && let Some(program) = assembled_once(context, device, &text, source.options) {
        return built(program);
    }
    let mut options = Cow::Borrowed(source.options);
    if options.contains(WITHOUT_HEADER) {
        if let Some(program) = without_header(context, device, &text, &options) {
            return built(program);
        }
        options = Cow::Owned(with_header(&options));
    }
    let program = Program::create_from_source(context, &text)
        .map_err(|error| shared.error("clCreateProgramWithSource", error.0))?;
    if let Err(error) = program.build(device, &options) {
        return Err(not_built(shared, source, error.0, |code| {
            let log = program.get_build_log(device).unwrap_or_default();
            failed(if log.trim().is_empty() { error_text(code).to_owned() } else { log })
        }));
    }
    if !is_nvidia {
        return built(program);
    }
    let retargeted = retargeted(context, device, (&program, source.text), source.options)
        .map_err(|error| not_built(shared, source, error.0, |_| failed(NOT_RETARGETED.to_owned())))?;
    built(retargeted.unwrap_or(program))
}

/// Why there is no program: the source's fault, which the log tells, or the driver's or device's.
fn not_built(
    shared: &DeviceResources,
    source: &BuildInput<'_>,
    code: cl_int,
    failed: impl FnOnce(cl_int) -> Error,
) -> Error {
    let operation = format!("clBuildProgram of `{}`", source.name);
    match shared.health.lost(&operation, code) {
        Some(lost) => lost,
        None if matches!(code, CL_BUILD_PROGRAM_FAILURE | CL_INVALID_BUILD_OPTIONS) => failed(code),
        None => shared.error(&operation, code),
    }
}

/// The source with line numbers, as driver logs refer to them; of a long one only what surrounds the lines that the log
/// names.
fn numbered(source: &str, log: &str) -> String {
    const WHOLE: usize = 120;
    const AROUND: usize = 6;
    let lines: Vec<&str> = source.lines().collect();
    let named: Vec<usize> = log.split(':').filter_map(|part| part.trim().parse().ok()).collect();
    let shown = |number: usize| {
        lines.len() <= WHOLE || named.is_empty() || named.iter().any(|&line| number.abs_diff(line) <= AROUND)
    };
    let mut text = String::new();
    let mut skipped = false;
    for (position, line) in lines.iter().enumerate() {
        if shown(position + 1) {
            text.push_str(&format!("{:>4} | {line}\n", position + 1));
            skipped = false;
        } else if !std::mem::replace(&mut skipped, true) {
            text.push_str("  ...\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::retarget;
    use super::*;

    #[test]
    fn loops_keep_their_order_whatever_instructions_a_source_has() {
        let text = "kernel void k() { asm volatile(\"//netcl:sm_90a wgmma.fence.sync.aligned;\"); }";
        let given = |options| BuildInput { name: "k", text, options }.compiled().into_owned();
        assert_eq!(given(NOT_OPTIMIZED), text);
        let in_order = given("-DNETCL_LOOPS_IN_ORDER");
        assert_eq!(in_order, format!("{IN_ORDER}{text}"));
        // What instructions are put in place of is still there, and the lines of errors are the source's.
        let unmarked = retarget::in_place(&in_order).expect("a source with instructions");
        assert!(unmarked.starts_with(IN_ORDER) && unmarked.contains("asm volatile(\"wgmma.fence.sync.aligned;\")"));
        assert_eq!(retarget::in_place("kernel void k() {}"), None);
    }

    #[test]
    fn a_driver_without_memory_does_not_refuse_a_binary() {
        use opencl3::error_codes::{CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
        assert!([CL_INVALID_BINARY, CL_BUILD_PROGRAM_FAILURE].into_iter().all(is_refusal));
        assert!(![CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, 0].into_iter().any(is_refusal));
    }
}
