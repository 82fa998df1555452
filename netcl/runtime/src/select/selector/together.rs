//! Self-tests of several variants in one program.

use super::KernelSelector;
use crate::select::trial::{self, Verdict};
use netcl_kernels::variant::{KernelConfig, Task};
use std::collections::BTreeMap;

impl KernelSelector {
    /// Tests those of the variants that want it and were never tested, in one program: a driver takes a while for each
    /// program, besides what it takes for the kernels in it. What does not pass is left to a test of its own.
    pub(crate) fn test_together(&self, asked: Vec<(Task<u64>, KernelConfig)>) {
        if !self.state.computes() {
            return;
        }
        let fits = |(task, config): &(Task<u64>, KernelConfig)| {
            trial::wants_test(task, config, self.target()) && self.is_possible(task, config)
        };
        let asked: BTreeMap<String, (Task<u64>, KernelConfig)> = asked
            .into_iter()
            .filter(fits)
            .map(|asked| (trial::test_name(&asked.0, &asked.1, self.target()), asked))
            .collect();
        let open = self.untested(asked);
        if open.len() < 2 {
            return;
        }
        let _turn = self.state.turn();
        // Another thread may have been first.
        let (names, list): (Vec<_>, Vec<_>) = self.untested(open).into_iter().unzip();
        for position in trial::self_tests(&self.state, &self.device, &list) {
            self.note_test(names[position].clone(), Verdict::Passed, || false);
        }
    }

    fn untested<T>(&self, asked: impl IntoIterator<Item = (String, T)>) -> Vec<(String, T)> {
        let known = self.state.known();
        let is_open = |what: &String| !known.refused.contains(what) && !known.own.tested.contains_key(what);
        asked.into_iter().filter(|(what, _)| is_open(what)).collect()
    }
}
