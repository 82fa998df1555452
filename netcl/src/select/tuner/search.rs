//! In which order candidates are tried: there are often thousands, and a driver builds a few in a second.

use crate::sorted::SortedMap;
use netcl_kernels::variant::KernelConfig;
use std::time::Duration;

/// Goes from the compiler's own choice and what was good nearby to one of each variant, and then, again and again, to what
/// is most like the fastest so far.
pub(super) struct Search {
    candidates: Vec<KernelConfig>,
    tried: Vec<bool>,
    /// Positions to try first, last one first.
    first: Vec<usize>,
    best: Option<(Duration, usize)>,
}

impl Search {
    /// Over these candidates, the first of which is the compiler's own choice. Hints are tried after it, if they are among
    /// the candidates.
    pub(super) fn new(candidates: Vec<KernelConfig>, hints: &[KernelConfig]) -> Search {
        let hinted = hints.iter().filter_map(|hint| candidates.iter().position(|candidate| candidate == hint));
        let mut seen = SortedMap::default();
        let of_each = candidates.iter().enumerate().filter(|(_, candidate)| seen.add(candidate.variant));
        let of_each: Vec<usize> = of_each.map(|(position, _)| position).collect();
        let mut first: Vec<usize> = (0..candidates.len().min(1)).chain(hinted).chain(of_each).collect();
        first.reverse();
        Search { tried: vec![false; candidates.len()], candidates, first, best: None }
    }

    /// The next to try.
    pub(super) fn next(&mut self) -> Option<usize> {
        let position = loop {
            match self.first.pop() {
                Some(position) if self.tried[position] => {}
                Some(position) => break position,
                None => break self.nearest()?,
            }
        };
        self.tried[position] = true;
        Some(position)
    }

    pub(super) fn candidate(&self, position: usize) -> &KernelConfig {
        &self.candidates[position]
    }

    /// Takes note of a right candidate's time.
    pub(super) fn timed(&mut self, position: usize, time: Duration) {
        if self.best.is_none_or(|(best, _)| time < best) {
            self.best = Some((time, position));
        }
    }

    /// The first untried of those most like the best; in order where nothing is right yet.
    fn nearest(&self) -> Option<usize> {
        let untried = (0..self.candidates.len()).filter(|&position| !self.tried[position]);
        let Some((_, best)) = self.best else { return untried.min() };
        let far = |position: &usize| unlike(&self.candidates[*position], &self.candidates[best]);
        untried.min_by(|a, b| far(a).total_cmp(&far(b)))
    }
}

/// How much two configurations differ: a step for each tunable that does, and its octaves. Another variant is further than
/// all of one's own.
fn unlike(a: &KernelConfig, b: &KernelConfig) -> f64 {
    if a.variant != b.variant {
        return f64::INFINITY;
    }
    let differences = a.values.iter().map(|(name, own)| {
        let other = b.values.get(name);
        if own == other { 0.0 } else { 1.0 + (f64::from(own + 1) / f64::from(other + 1)).log2().abs() }
    });
    differences.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::config;

    #[test]
    fn it_starts_with_the_default_the_hints_and_one_of_each_variant_and_stays_near_the_best() {
        let texts = [
            "matmul_tiled TILE=16",
            "matmul_naive LOCAL_M=1 LOCAL_N=64",
            "matmul_naive LOCAL_M=4 LOCAL_N=16",
            "matmul_naive LOCAL_M=4 LOCAL_N=32",
            "matmul_naive LOCAL_M=8 LOCAL_N=32",
            "matmul_tiled TILE=8",
            "matmul_tiled TILE=32",
        ];
        let all: Vec<KernelConfig> = texts.map(config).to_vec();
        let mut search = Search::new(all, &[config("matmul_tiled TILE=32"), config("matmul_tiled TILE=64")]);
        let mut order = Vec::new();
        while let Some(position) = search.next() {
            order.push(texts[position]);
            // 8 by 32 is the best, then what is like it.
            let time = if texts[position].contains("naive") { 10 } else { 20 };
            search.timed(position, Duration::from_millis(time));
        }
        assert_eq!(
            order,
            [
                texts[0], texts[6], texts[1], // the default, the hint, the other variant
                texts[3], texts[4], texts[2], // what is most like (1, 64), the first of the fastest
                texts[5],
            ]
        );
    }

    #[test]
    fn without_candidates_there_is_nothing_to_try() {
        assert_eq!(Search::new(Vec::new(), &[]).next(), None);
    }
}
