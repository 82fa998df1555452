//! Building programs: from memory, from the disk cache, from source.

use super::Shared;
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use crate::error::{Error, Result};
use crate::program::{Key, count, disk};
use opencl3::program::Program;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Programs built in this process that are in use, by key.
pub(super) type Programs = BTreeMap<Key, Weak<Program>>;

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
    let in_use = || shared.programs.lock().unwrap_or_else(PoisonError::into_inner).get(&key)?.upgrade();
    if let Some(program) = in_use() {
        return Ok(program);
    }
    let turn = turn(&shared.profile);
    // Another thread may have built it meanwhile.
    if let Some(program) = in_use() {
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
    let mut programs = shared.programs.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = programs.get(&key).and_then(Weak::upgrade) {
        return Ok(program);
    }
    let program = Arc::new(program);
    programs.retain(|_, program| program.strong_count() > 0);
    programs.insert(key, Arc::downgrade(&program));
    Ok(program)
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
