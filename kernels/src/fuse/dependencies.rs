//! Which clusters need the results of which, directly or not, while clusters come and grow.

/// A set of clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn contains(&self, cluster: usize) -> bool {
        self.0.get(cluster / 64).is_some_and(|word| word >> (cluster % 64) & 1 == 1)
    }

    fn has_all(&self, other: &Set) -> bool {
        let own = self.0.iter().copied().chain(std::iter::repeat(0));
        other.0.iter().zip(own).all(|(other, own)| other & !own == 0)
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
#[derive(Clone, Debug, Default)]
pub(super) struct Dependencies(Vec<Set>);

impl Dependencies {
    /// What the clusters `reads` need: none of them can join something that reads them all.
    pub(super) fn of(&self, reads: &[usize]) -> Set {
        let mut needed = Set::default();
        reads.iter().for_each(|&read| needed.extend(&self.0[read]));
        needed
    }

    /// Adds the next cluster, which reads `reads`, what these need being `needed`.
    pub(super) fn found(&mut self, reads: &[usize], mut needed: Set) {
        reads.iter().for_each(|&read| needed.insert(read));
        self.0.push(needed);
    }

    /// Notes that `cluster` reads `reads` too, none of which needs it, what these need being `needed`. Gives what those
    /// needed before that need more now.
    pub(super) fn join(&mut self, cluster: usize, reads: &[usize], mut needed: Set) -> Vec<(usize, Set)> {
        reads.iter().for_each(|&read| needed.insert(read));
        let mut before = Vec::new();
        for (position, own) in self.0.iter_mut().enumerate() {
            if (position == cluster || own.contains(cluster)) && !own.has_all(&needed) {
                before.push((position, own.clone()));
                own.extend(&needed);
            }
        }
        before
    }

    /// Takes back a [`Dependencies::join`] that gave `before`.
    pub(super) fn restore(&mut self, before: Vec<(usize, Set)>) {
        before.into_iter().for_each(|(position, set)| self.0[position] = set);
    }

    /// Takes the last cluster back.
    pub(super) fn pop(&mut self) {
        self.0.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_joins_its_readers_need_too() {
        let mut needs = Dependencies::default();
        let found = |needs: &mut Dependencies, reads: &[usize]| needs.found(reads, needs.of(reads));
        [&[][..], &[0], &[1], &[]].iter().for_each(|reads| found(&mut needs, reads));
        let needed = |needs: &Dependencies, cluster: usize| {
            (0..100).filter(|&c| needs.of(&[cluster]).contains(c)).collect::<Vec<_>>()
        };
        assert_eq!(needed(&needs, 2), [0, 1]);
        let before = needs.join(1, &[3], needs.of(&[3]));
        assert_eq!(needed(&needs, 2), [0, 1, 3]);
        assert_eq!(needed(&needs, 0), [0usize; 0]);
        needs.restore(before);
        assert_eq!(needed(&needs, 2), [0, 1]);
        for cluster in 4..100 {
            found(&mut needs, &[cluster - 1]);
        }
        assert_eq!(needed(&needs, 99), (3..99).collect::<Vec<_>>());
    }
}
