//! In which order candidates are tried: there are often thousands, and a driver builds a few in a second.

use netcl_kernels::variant::KernelConfig;
use std::time::Duration;

/// Goes from the compiler's own choice to what it is told to try first, and then, again and again, to what is most like the
/// fastest so far; where its variant has nothing more to try, to what is most like the fastest of the next variant.
pub(super) struct Search {
    candidates: Vec<KernelConfig>,
    tried: Vec<bool>,
    /// Positions to try first, last one first.
    first: Vec<usize>,
    /// The fastest of each variant so far, the fastest variant first.
    best: Vec<(Duration, usize)>,
}

impl Search {
    /// Over these candidates, the first of which is the compiler's own choice. Hints are tried after it, if they are among
    /// the candidates.
    pub(super) fn new(candidates: Vec<KernelConfig>, hints: &[KernelConfig]) -> Search {
        let hinted = hints.iter().filter_map(|hint| candidates.iter().position(|candidate| candidate == hint));
        let mut first: Vec<usize> = (0..candidates.len().min(1)).chain(hinted).collect();
        first.reverse();
        Search { tried: vec![false; candidates.len()], candidates, first, best: Vec::new() }
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
        let variant = self.candidates[position].variant;
        match self.best.iter_mut().find(|(_, own)| self.candidates[*own].variant == variant) {
            Some((best, _)) if *best <= time => return,
            Some(best) => *best = (time, position),
            None => self.best.push((time, position)),
        }
        self.best.sort_by_key(|(time, _)| *time);
    }

    /// The first untried of those most like the fastest of the fastest variant that has any; in order where no variant that
    /// was right has.
    fn nearest(&self) -> Option<usize> {
        let untried = || (0..self.candidates.len()).filter(|&position| !self.tried[position]);
        let of_variant = |&(_, best): &(Duration, usize)| {
            let best = &self.candidates[best];
            let alike = untried().filter(|&position| self.candidates[position].variant == best.variant);
            let far = |position: &usize| unlike(&self.candidates[*position], best);
            alike.min_by(|a, b| far(a).total_cmp(&far(b)))
        };
        self.best.iter().find_map(of_variant).or_else(|| untried().next())
    }
}

/// How much two configurations of one variant differ: a step for each tunable that does, and its octaves.
fn unlike(a: &KernelConfig, b: &KernelConfig) -> f64 {
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
    fn it_starts_with_the_default_and_the_hints_and_stays_near_the_best() {
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
        let mut search = Search::new(all, &[texts[6], "matmul_tiled TILE=64", texts[1]].map(config));
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
                texts[0], texts[6], texts[1], // the default, the hints that are candidates
                texts[3], texts[4], texts[2], // what is most like (1, 64), the first of the fastest
                texts[5],
            ]
        );
    }

    #[test]
    fn a_variant_without_tunables_hands_over_to_the_next_fastest() {
        let texts = [
            "conv2d_implicit_gemm TILE_M=64",
            "conv2d_naive LOCAL_M=1 LOCAL_N=64",
            "conv2d_im2col",
            "conv2d_naive LOCAL_M=4 LOCAL_N=16",
            "conv2d_implicit_gemm TILE_M=8",
            "conv2d_implicit_gemm TILE_M=32",
        ];
        let hints = [texts[1], texts[2]].map(config);
        let mut search = Search::new(texts.map(config).to_vec(), &hints);
        let mut order = Vec::new();
        while let Some(position) = search.next() {
            order.push(position);
            let time = [20, 300, 10, 300, 30, 25][position];
            search.timed(position, Duration::from_millis(time));
        }
        assert_eq!(order, [0, 1, 2, 5, 4, 3], "what is like the second fastest, then what is far behind");
    }

    #[test]
    fn without_candidates_there_is_nothing_to_try() {
        assert_eq!(Search::new(Vec::new(), &[]).next(), None);
    }
}
