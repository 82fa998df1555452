//! Building programs: from memory, from the disk cache, from source.

use super::Shared;
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use crate::error::{Error, Result};
use crate::program::{Key, count, disk};
use opencl3::program::Program;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many programs stay that nothing uses.
const KEPT: usize = 512;

/// Programs built in this process, by key. They outlive their kernels: to build one again takes time, also from a binary,
/// and NVIDIA's 580.159.04 crashes if a program is released while one of its kernels runs.
pub(super) struct Programs<P = Program> {
    known: BTreeMap<Key, Known<P>>,
    /// Counts what is looked up.
    clock: u64,
}

struct Known<P> {
    program: Arc<P>,
    used: u64,
}

impl<P> Default for Programs<P> {
    fn default() -> Self {
        Programs { known: BTreeMap::new(), clock: 0 }
    }
}

impl<P> Programs<P> {
    fn find(&mut self, key: &Key) -> Option<Arc<P>> {
        let known = self.known.get_mut(key)?;
        self.clock += 1;
        known.used = self.clock;
        Some(known.program.clone())
    }

    /// Keeps one; gives those that are not used and have waited longest, if there are too many.
    fn keep(&mut self, key: Key, program: Arc<P>) -> Vec<Known<P>> {
        self.clock += 1;
        self.known.insert(key, Known { program, used: self.clock });
        let surplus = self.known.len().saturating_sub(KEPT);
        if surplus == 0 {
            return Vec::new();
        }
        let unused = self.known.iter().filter(|(_, known)| Arc::strong_count(&known.program) == 1);
        let mut unused: Vec<(u64, Key)> = unused.map(|(key, known)| (known.used, key.clone())).collect();
        unused.sort_unstable();
        // Some more at once: who drops them waits for the device.
        unused.truncate(surplus + KEPT / 8);
        unused.iter().filter_map(|(_, key)| self.known.remove(key)).collect()
    }
}

/// What netcl's own kernels are built with. They are OpenCL C 1.2, which every driver takes; no flag here may change
/// results.
pub(super) const OPTIONS: &str = "-cl-std=CL1.2";

/// Held while a driver compiles that cannot be trusted to do so from several threads, though `clBuildProgram` may be
/// called from them (OpenCL 3.0, appendix A).
static COMPILING: Mutex<()> = Mutex::new(());

/// To be held while a device's driver compiles.
pub(super) fn turn(profile: &DeviceProfile) -> Option<MutexGuard<'static, ()>> {
    profile.avoids(Avoid::ConcurrentBuilds).then(|| COMPILING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A text to build.
pub(super) struct Source<'a> {
    /// What errors call it.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// For `clBuildProgram`.
    pub(super) options: &'a str,
}

/// The built program of a source.
pub(super) fn program(shared: &Shared, source: &Source<'_>) -> Result<Arc<Program>> {
    let key = Key::new(&shared.profile, source.options, source.text);
    let programs = || shared.programs.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = programs().find(&key) {
        return Ok(program);
    }
    let turn = turn(&shared.profile);
    // Another thread may have built it meanwhile.
    if let Some(program) = programs().find(&key) {
        return Ok(program);
    }
    let program = match from_disk(shared, &key, source.options) {
        Some(program) => program,
        None => {
            let program = from_source(shared, source)?;
            count(&shared.counters.built);
            match binary(shared, &program) {
                Ok(Some(binary)) => disk::store(&key, &binary),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "the driver gives no binary to cache"),
            }
            program
        }
    };
    drop(turn);
    let mut kept = programs();
    if let Some(program) = kept.find(&key) {
        return Ok(program);
    }
    let program = Arc::new(program);
    let surplus = kept.keep(key, program.clone());
    drop(kept);
    if !surplus.is_empty() {
        shared.finish().map_err(|code| shared.error("clFinish", code))?;
    }
    Ok(program)
}

/// The program of a source, built by the driver also where a binary is kept.
pub(super) fn anew(shared: &Shared, source: &Source<'_>) -> Result<Arc<Program>> {
    let _turn = turn(&shared.profile);
    let program = from_source(shared, source)?;
    count(&shared.counters.built);
    Ok(Arc::new(program))
}

/// The device's binary of a program. In a context with several devices there is one for each, empty where it was not
/// built.
fn binary(shared: &Shared, program: &Program) -> opencl3::Result<Option<Vec<u8>>> {
    let own = program.get_devices()?.iter().position(|&device| device == shared.device.id() as isize);
    let mut binaries = program.get_binaries()?;
    Ok(own.filter(|&own| own < binaries.len()).map(|own| binaries.swap_remove(own)).filter(|binary| !binary.is_empty()))
}

fn from_disk(shared: &Shared, key: &Key, options: &str) -> Option<Program> {
    let binary = disk::load(key)?;
    let device = [shared.device.id()];
    // SAFETY: the bytes are what this driver gave for this device: the key in the file names both, and its checksum
    // holds. A driver that does not take them says so (OpenCL 5.8.1).
    let created = unsafe { Program::create_from_binary(shared.context.get(), &device, &[&binary]) };
    let built = created.and_then(|mut program| {
        program.build(&[shared.device.id()], options)?;
        Ok(program)
    });
    match built {
        Ok(program) => {
            count(&shared.counters.loaded);
            Some(program)
        }
        Err(error) => {
            count(&shared.counters.refused);
            tracing::warn!(%error, "a cached program is refused by the driver; it is built again");
            disk::remove(key);
            None
        }
    }
}

fn from_source(shared: &Shared, source: &Source<'_>) -> Result<Program> {
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
    if source.text.contains("EXTENSION cl_khr_subgroups") && shared.profile.sub_groups.is_none() {
        return Err(Error::Unsupported {
            function: source.name.to_owned(),
            device: shared.profile.name.clone(),
            problem: "its kernels use sub-groups, which the driver does not have; use local memory, or another device"
                .to_owned(),
        });
    }
    let mut program = Program::create_from_source(shared.context.get(), source.text)
        .map_err(|error| shared.error("clCreateProgramWithSource", error.0))?;
    if let Err(error) = program.build(&[shared.device.id()], source.options) {
        let log = program.get_build_log(shared.device.id()).unwrap_or_default();
        return Err(failed(if log.trim().is_empty() { error.to_string() } else { log }));
    }
    tracing::debug!(program = source.name, milliseconds = started.elapsed().as_millis() as u64, "program built");
    Ok(program)
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
    use super::*;
    use crate::device::profile::DeviceKind;
    use netcl_kernels::plan::Target;

    #[test]
    fn programs_that_nothing_uses_go_when_there_are_many() {
        let profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        let key = |number: usize| Key::new(&profile, "", &number.to_string());
        let mut programs = Programs::default();
        let used: Vec<Arc<usize>> = (0..3).map(Arc::new).collect();
        for program in &used {
            assert!(programs.keep(key(**program), program.clone()).is_empty());
        }
        for number in 3..KEPT {
            assert!(programs.keep(key(number), Arc::new(number)).is_empty());
        }
        assert_eq!(programs.find(&key(3)).as_deref(), Some(&3), "used lately");
        let gone: Vec<usize> = programs.keep(key(KEPT), Arc::new(KEPT)).iter().map(|known| *known.program).collect();
        assert_eq!(gone, (4..=KEPT / 8 + 4).collect::<Vec<_>>());
        assert!((0..4).chain([KEPT]).all(|number| programs.find(&key(number)).is_some()));
    }
}
