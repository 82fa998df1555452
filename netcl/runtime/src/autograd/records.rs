//! Which records lead to values.

use crate::autograd::record::{Cut, History, Leaf, LeafKey, Record, RecordSource, Stop};
use crate::error::Result;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many records one plan of a gradient has at most: of a long chain it would take long to compile, and its parts mostly are alike. A
/// part has at least half as many.
pub(super) const MOST: usize = 512;

/// Which gradients are asked for.
pub(super) enum Wanted {
    /// Those in all leaves that are in the place of nothing.
    All,
    /// Those in the parameters of the memory with that number.
    Model(u64),
    Leaves(Vec<LeafKey>),
}

/// The records that lead to values, in the order in which they were made.
pub(super) struct Records {
    pub(super) all: SmallVec<[Arc<Record>; 16]>,
    /// What is in the place of records before those, by their number.
    pub(super) before: Vec<(u64, Arc<Leaf>)>,
    /// What ended histories on the way.
    pub(super) cuts: Vec<Arc<Cut>>,
    /// Whether the values depend on something tracked that is not wanted, or that wanted leaves are in the place of: gradients are
    /// functions of that, too.
    pub(super) is_part: bool,
    /// Where the records end, each with whether a wanted leaf leads to it.
    stops: Vec<(Arc<Leaf>, bool)>,
    /// Whether a wanted leaf leads to the values by these records.
    has_wanted: bool,
}

/// What there is behind leaves that are in the place of something.
pub(super) enum BehindLeaf<'a> {
    Record(&'a Arc<Record>),
    Leaf(&'a Arc<Leaf>),
}

impl Wanted {
    pub(super) fn has(&self, leaf: &Leaf) -> bool {
        match (self, &leaf.owner) {
            // What leads on from there has gradients, or what it is in the place of.
            _ if leaf.stop.is_some() => false,
            (Wanted::All, _) => leaf.of.is_none(),
            (Wanted::Model(store), Some(owner)) => owner.store.id() == *store,
            (Wanted::Model(_), None) => false,
            (Wanted::Leaves(keys), _) => keys.contains(&leaf.key()),
        }
    }

    /// What gradients go on to from a leaf.
    pub(super) fn behind<'a>(&self, leaf: &'a Arc<Leaf>) -> BehindLeaf<'a> {
        match &leaf.of {
            Some(History::Record(record)) if !self.has(leaf) => BehindLeaf::Record(record),
            Some(History::Leaf(of)) if !self.has(leaf) => self.behind(of),
            _ => BehindLeaf::Leaf(leaf),
        }
    }

    fn behind_source<'a>(&self, source: &'a RecordSource) -> Option<BehindLeaf<'a>> {
        match source {
            RecordSource::Record(record) => Some(BehindLeaf::Record(record)),
            RecordSource::Leaf(leaf) => Some(self.behind(leaf)),
            RecordSource::Given(_) => None,
        }
    }
}

impl Records {
    /// These, in the order in which they were made.
    pub(super) fn these(all: &[Arc<Record>]) -> Records {
        Records {
            all: all.iter().cloned().collect(),
            before: Vec::new(),
            cuts: Vec::new(),
            is_part: false,
            stops: Vec::new(),
            has_wanted: false,
        }
    }

    /// Those that lead to what has these histories, up to stops.
    pub(super) fn of(values: &[&History], wanted: &Wanted) -> Records {
        let mut records = Records::up_to_stops(values, wanted);
        // By number the latest first: those that lead to one come after it.
        let mut open: BTreeMap<u64, Arc<Leaf>> = BTreeMap::new();
        let mut met: Vec<(Arc<Leaf>, Vec<u64>, bool)> = Vec::new();
        open.extend(records.stops.iter().map(|(leaf, _)| (leaf.id, leaf.clone())));
        while let Some((_, leaf)) = open.pop_last() {
            let sources = leaf.stop.iter().flat_map(|stop| &stop.sources);
            let sources: Vec<&History> = sources.filter_map(|source| source.history.as_ref()).collect();
            let behind = Records::up_to_stops(&sources, wanted);
            records.is_part |= behind.is_part;
            let before = behind.stops.iter().map(|(leaf, _)| leaf.id).collect();
            open.extend(behind.stops.into_iter().map(|(leaf, _)| (leaf.id, leaf)));
            met.push((leaf, before, behind.has_wanted));
        }
        let mut leading: BTreeSet<u64> = BTreeSet::new();
        for (leaf, before, has_wanted) in met.iter().rev() {
            if *has_wanted || before.iter().any(|id| leading.contains(id)) {
                leading.insert(leaf.id);
            }
        }
        records.stops.iter_mut().for_each(|(leaf, leads)| *leads = leading.contains(&leaf.id));
        records
    }

    /// Where a wanted leaf leads to the values by what the records do not say.
    pub(super) fn stop_on_the_way(&self) -> Option<&Stop> {
        let leading = self.stops.iter().find(|(_, leads)| *leads);
        leading.and_then(|(leaf, _)| leaf.stop.as_deref())
    }

    /// The same, which know nothing of what is behind stops.
    fn up_to_stops(values: &[&History], wanted: &Wanted) -> Records {
        Records::latest(values, wanted, 0).0
    }

    /// Those of a part that begins with the record of that number ([`first_of_part`]), up to stops. What they are computed from before
    /// is given to `at_hand`, which sees to it that its values are.
    pub(super) fn of_part(
        value: &History,
        wanted: &Wanted,
        first: u64,
        at_hand: impl FnOnce(&[&Arc<Record>]) -> Result<()>,
    ) -> Result<Records> {
        let (mut records, before) = Records::latest(&[value], wanted, first);
        at_hand(&before)?;
        let leaf = |record: &&Arc<Record>| Some((record.number, Leaf::in_place_of_record(record)?));
        records.before = before.iter().filter_map(leaf).collect();
        Ok(records)
    }

    /// Those from the number `first` on, up to stops; and what they are computed from before.
    fn latest<'a>(values: &[&'a History], wanted: &'a Wanted, first: u64) -> (Records, Vec<&'a Arc<Record>>) {
        let mut records = Records::these(&[]);
        // The latest first: all that was computed from a record comes before it.
        let mut open: BTreeMap<u64, &Arc<Record>> = BTreeMap::new();
        for value in values {
            match *value {
                History::Record(record) => records.meet(&mut open, wanted, BehindLeaf::Record(record)),
                History::Leaf(leaf) => records.meet(&mut open, wanted, wanted.behind(leaf)),
                History::Cut(_) => {}
            }
        }
        while let Some((_, record)) =
            open.last_entry().filter(|latest| *latest.key() >= first).map(|latest| latest.remove_entry())
        {
            for behind in record.sources.iter().filter_map(|source| wanted.behind_source(source)) {
                records.meet(&mut open, wanted, behind);
            }
            for cut in record.cuts() {
                note_cut(&mut records.cuts, cut);
            }
            records.all.push(record.clone());
        }
        records.all.reverse();
        (records, open.into_values().collect())
    }

    fn meet<'a>(&mut self, open: &mut BTreeMap<u64, &'a Arc<Record>>, wanted: &Wanted, behind: BehindLeaf<'a>) {
        match behind {
            BehindLeaf::Record(record) => {
                open.insert(record.number, record);
            }
            BehindLeaf::Leaf(leaf) if leaf.stop.is_some() => {
                if !self.stops.iter().any(|(known, _)| known.id == leaf.id) {
                    self.stops.push((leaf.clone(), false));
                }
            }
            BehindLeaf::Leaf(leaf) => {
                self.is_part |= leaf.of.is_some() || !wanted.has(leaf);
                self.has_wanted |= wanted.has(leaf);
            }
        }
    }

    /// The same without what no wanted leaf leads to, as far as its values are there or wait.
    pub(super) fn without_surroundings(self, wanted: &Wanted) -> Records {
        let mut leading: BTreeSet<u64> = BTreeSet::new();
        let leads = |leading: &BTreeSet<u64>, behind: &BehindLeaf<'_>| match behind {
            BehindLeaf::Record(record) => leading.contains(&record.number),
            BehindLeaf::Leaf(leaf) => wanted.has(leaf),
        };
        for record in &self.all {
            let mut behind = record.sources.iter().filter_map(|source| wanted.behind_source(source));
            if behind.any(|behind| leads(&leading, &behind)) {
                leading.insert(record.number);
            }
        }
        // Others are needed where what is made of them is, and their value is not at hand.
        let mut needed = leading.clone();
        for record in self.all.iter().rev().filter(|record| leading.contains(&record.number)) {
            note_needed(record, &mut needed);
        }
        for record in self.all.iter().rev().filter(|record| !leading.contains(&record.number)) {
            if needed.contains(&record.number) {
                note_needed(record, &mut needed);
            }
        }
        let Records { mut all, before, mut cuts, is_part, stops, has_wanted } = self;
        all.retain(|record| needed.contains(&record.number));
        cuts.clear();
        for cut in all.iter().flat_map(|record| record.cuts()) {
            note_cut(&mut cuts, cut);
        }
        Records { all, before, cuts, is_part, stops, has_wanted }
    }
}

/// The number of the first record of the latest part of what leads to these, up to stops: 0 if that is all. A part ends where the fewest
/// values that it starts from are to be computed again, and of such places where they are fewest.
pub(super) fn first_of_part<'a>(values: impl Iterator<Item = &'a Arc<Record>>, wanted: &'a Wanted) -> u64 {
    // The latest first, each with whether the part is computed from it.
    let mut open: BTreeMap<u64, (&Arc<Record>, bool)> = values.map(|record| (record.number, (record, false))).collect();
    // How many the part is computed from, of them those without a value, and all.
    let mut before = (0, 0);
    let mut end: Option<((usize, usize), u64)> = None;
    for count in 1..=MOST {
        let Some((number, (record, is_before))) = open.pop_last() else { return 0 };
        let of_one = |record: &Record| (usize::from(record.saved().is_none()), 1);
        if is_before {
            let (unsaved, one) = of_one(record);
            before = (before.0 - unsaved, before.1 - one);
        }
        for behind in record.sources.iter().filter_map(|source| wanted.behind_source(source)) {
            let BehindLeaf::Record(record) = behind else { continue };
            let (_, is_before) = open.entry(record.number).or_insert((record, false));
            if !std::mem::replace(is_before, true) {
                let (unsaved, one) = of_one(record);
                before = (before.0 + unsaved, before.1 + one);
            }
        }
        if count >= MOST / 2 && end.is_none_or(|(least, _)| before <= least) {
            end = Some((before, number));
        }
    }
    if open.is_empty() { 0 } else { end.map_or(0, |(_, number)| number) }
}

fn note_cut(cuts: &mut Vec<Arc<Cut>>, cut: &Arc<Cut>) {
    if !cuts.iter().any(|known| Arc::ptr_eq(known, cut)) {
        cuts.push(cut.clone());
    }
}

/// Adds what a record is of, where only that itself says the value.
fn note_needed(record: &Record, needed: &mut BTreeSet<u64>) {
    for source in &record.sources {
        if let RecordSource::Record(record) = source
            && record.saved().is_none()
        {
            needed.insert(record.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::tensor::Tensor;

    /// How many records the parts have that lead to a loss.
    fn parts(loss: &Tensor) -> Vec<usize> {
        let Some(History::Record(record)) = loss.history() else { panic!("no record") };
        let mut seeds = BTreeMap::from([(record.number, record.clone())]);
        let mut parts = Vec::new();
        while !seeds.is_empty() {
            let first = first_of_part(seeds.values(), &Wanted::All);
            let part: Vec<History> = seeds.split_off(&first).into_values().map(History::Record).collect();
            let (records, before) = Records::latest(&part.iter().collect::<Vec<_>>(), &Wanted::All, first);
            seeds.extend(before.into_iter().map(|record| (record.number, record.clone())));
            parts.push(records.all.len());
        }
        parts
    }

    /// Rounds of two operations, of which each adds another that `before` names.
    fn chain(rounds: usize, before: impl Fn(usize) -> Option<usize>) -> Tensor {
        let x = Tensor::full(&Device::host(), 0.5f32, &[4]).unwrap().requires_grad().unwrap();
        let mut all = vec![x];
        for round in 0..rounds {
            let next = (&all[round] * 0.98).sin();
            all.push(match before(round) {
                Some(before) => next + &all[before],
                None => next,
            });
        }
        all[rounds].sum_all()
    }

    #[test]
    fn parts_are_bounded_whatever_skips_over_them() {
        let rounds = 1000;
        let whole = |loss: &Tensor| Records::latest(&[loss.history().unwrap()], &Wanted::All, 0).0.all.len();
        let skips: [&dyn Fn(usize) -> Option<usize>; 6] = [
            &|_| None,
            &|round| (round + 1 == rounds).then_some(3),
            &|round| (round > 3).then_some(3),
            &|round| (round >= rounds / 2).then(|| rounds - 1 - round),
            &|round| round.checked_sub(20),
            &|round| round.checked_sub(1 + round / 2),
        ];
        for (position, before) in skips.into_iter().enumerate() {
            let loss = chain(rounds, before);
            let parts = parts(&loss);
            assert!(parts.iter().all(|part| *part <= MOST), "{position}: {parts:?}");
            assert!(parts.iter().rev().skip(1).all(|part| *part >= MOST / 2), "{position}: {parts:?}");
            // None is in two of them.
            assert_eq!(parts.iter().sum::<usize>(), whole(&loss), "{position}: {parts:?}");
        }
    }
}
