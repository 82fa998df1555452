//! Which clusters need the results of which, directly or not, while clusters come and grow.

/// A set of clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn contains(&self, cluster: usize) -> bool {
        self.0.get(cluster / 64).is_some_and(|word| word >> (cluster % 64) & 1 == 1)
    }

    fn insert(&mut self, cluster: usize) {
        let word = cluster / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (cluster % 64);
    }

    fn extend(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }
}

/// For each cluster those that it needs. No cluster needs itself.
#[derive(Debug, Default)]
pub(super) struct Needs(Vec<Set>);

impl Needs {
    /// What the clusters `reads` need: none of them can join something that reads them all.
    pub(super) fn of(&self, reads: &[usize]) -> Set {
        let mut needed = Set::default();
        reads.iter().for_each(|&read| needed.extend(&self.0[read]));
        needed
    }

    /// Adds the next cluster, which reads `reads`.
    pub(super) fn found(&mut self, reads: &[usize]) {
        let needed = self.with(reads);
        self.0.push(needed);
    }

    /// Notes that `cluster` reads `reads` too, none of which needs it.
    pub(super) fn join(&mut self, cluster: usize, reads: &[usize]) {
        let more = self.with(reads);
        self.0[cluster].extend(&more);
        for own in &mut self.0 {
            if own.contains(cluster) {
                own.extend(&more);
            }
        }
    }

    fn with(&self, reads: &[usize]) -> Set {
        let mut needed = self.of(reads);
        reads.iter().for_each(|&read| needed.insert(read));
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_joins_its_readers_need_too() {
        let mut needs = Needs::default();
        needs.found(&[]);
        needs.found(&[0]);
        needs.found(&[1]);
        needs.found(&[]);
        let needed =
            |needs: &Needs, cluster: usize| (0..100).filter(|&c| needs.of(&[cluster]).contains(c)).collect::<Vec<_>>();
        assert_eq!(needed(&needs, 2), [0, 1]);
        needs.join(1, &[3]);
        assert_eq!(needed(&needs, 2), [0, 1, 3]);
        assert_eq!(needed(&needs, 0), [0usize; 0]);
        for cluster in 4..100 {
            needs.found(&[cluster - 1]);
        }
        assert_eq!(needed(&needs, 99), (3..99).collect::<Vec<_>>());
    }
}
