//! The programs of a device that stay built.

use super::driver::Program;
use crate::error::{Error, Result};
use crate::program::Key;
use crate::recent::Recent;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many programs stay that nothing uses.
const KEPT: usize = 512;

/// Programs built in this process, by key. They outlive their kernels: to build one again takes time, also from a binary,
/// and NVIDIA's 580.159.04 crashes if a program is released while one of its kernels runs.
pub(super) struct Programs<P = Program> {
    known: Recent<(Key, Arc<P>)>,
    /// Those that some thread builds, for others to wait for.
    building: BTreeMap<Key, Arc<Build<P>>>,
}

/// A build that is under way, and how it ends for all who want it. Where it panics, the next of them builds.
type Build<P> = OnceLock<Result<Arc<P>, Error>>;

impl<P> Default for Programs<P> {
    fn default() -> Self {
        Programs { known: Recent::new(KEPT), building: BTreeMap::new() }
    }
}

impl<P> Programs<P> {
    fn find(&mut self, key: &Key) -> Option<Arc<P>> {
        self.known.find(|(known, _)| known == key).map(|(_, program)| program.clone())
    }

    /// Whether it is there.
    pub(super) fn has(&mut self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// Keeps one; gives those that are not used and have waited longest, if there are too many.
    fn keep(&mut self, key: Key, program: Arc<P>) -> Vec<Arc<P>> {
        // Some more at once: who drops them waits for the device.
        let gone = self.known.add_with((key, program), KEPT / 8, |(_, program)| Arc::strong_count(program) == 1);
        gone.into_iter().map(|(_, program)| program).collect()
    }
}

/// The program of that key: the one that is there, the one that another thread is building, or what `build` gives. Also what
/// is to be released, when the device is idle.
pub(super) fn obtain<P>(
    programs: &Mutex<Programs<P>>,
    key: &Key,
    build: impl FnOnce() -> Result<P>,
) -> Result<(Arc<P>, Vec<Arc<P>>)> {
    let under_way = {
        let mut kept = lock(programs);
        if let Some(program) = kept.find(key) {
            return Ok((program, Vec::new()));
        }
        kept.building.entry(key.clone()).or_default().clone()
    };
    let mut surplus = Vec::new();
    let built = under_way.get_or_init(|| {
        let built = build().map(Arc::new);
        let mut kept = lock(programs);
        if let Ok(program) = &built {
            surplus = kept.keep(key.clone(), program.clone());
        }
        // A failure is told to those who wait, and not remembered.
        kept.building.remove(key);
        built
    });
    Ok((built.clone()?, surplus))
}

fn lock<P>(programs: &Mutex<Programs<P>>) -> MutexGuard<'_, Programs<P>> {
    programs.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::{DeviceKind, DeviceProfile};
    use crate::error::Error;
    use netcl_kernels::plan::Target;
    use std::sync::atomic::{AtomicU32, Ordering};

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
        let gone: Vec<usize> = programs.keep(key(KEPT), Arc::new(KEPT)).iter().map(|program| **program).collect();
        assert_eq!(gone, (4..=KEPT / 8 + 4).collect::<Vec<_>>());
        assert!((0..4).chain([KEPT]).all(|number| programs.find(&key(number)).is_some()));
    }
    /// Waits until as many threads wait for the build of that key.
    fn until_waited_for(programs: &Mutex<Programs<u32>>, key: &Key, threads: usize) {
        // One count is the table's, one that of the thread that builds.
        while Arc::strong_count(lock(programs).building.get(key).unwrap()) < 2 + threads {
            std::thread::yield_now();
        }
    }

    #[test]
    fn threads_that_want_the_same_program_wait_for_one_build() {
        let profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        let (programs, key) = (Mutex::<Programs<u32>>::default(), Key::new(&profile, "", "source"));
        let builds = AtomicU32::new(0);
        let all = |build: &(dyn Fn() -> Result<u32> + Sync)| -> Vec<Result<u32>> {
            std::thread::scope(|scope| {
                let work = || obtain(&programs, &key, build).map(|(program, _)| *program);
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            })
        };
        let failing = || {
            builds.fetch_add(1, Ordering::Relaxed);
            until_waited_for(&programs, &key, 7);
            let text = String::new;
            Err(Error::Build { device: text(), program: text(), log: "no".to_owned(), source_text: text() })
        };
        let errors = all(&failing);
        assert!(
            errors.iter().all(|result| matches!(result, Err(Error::Build { log, .. }) if log == "no")),
            "{errors:?}"
        );
        assert_eq!(builds.swap(0, Ordering::Relaxed), 1);
        let good = || {
            until_waited_for(&programs, &key, 7);
            Ok(builds.fetch_add(1, Ordering::Relaxed) + 5)
        };
        assert!(all(&good).into_iter().all(|result| result.unwrap() == 5), "a failure is not remembered");
        assert!(lock(&programs).building.is_empty());
    }

    #[test]
    fn a_build_that_panics_leaves_its_turn_to_the_next() {
        let profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        let (programs, key) = (Mutex::<Programs<u32>>::default(), Key::new(&profile, "", "source"));
        std::thread::scope(|scope| {
            let (started, begin) = std::sync::mpsc::channel();
            let (programs, key) = (&programs, &key);
            let panics = scope.spawn(move || {
                obtain(programs, key, || -> Result<u32> {
                    started.send(()).unwrap();
                    until_waited_for(programs, key, 1);
                    panic!("on purpose")
                })
                .map(|(program, _)| *program)
            });
            begin.recv().unwrap();
            assert_eq!(*obtain(programs, key, || Ok(3)).unwrap().0, 3);
            assert!(panics.join().is_err());
        });
    }
}
