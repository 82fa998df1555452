//! Values that gradients start from and that nobody kept, as cheap ones are: they are computed again, and kept then.

use crate::autograd::plan;
use crate::autograd::record::{Record, RecordSource};
use crate::autograd::records::{MOST, Records, Wanted};
use crate::autograd::tape::{ComputedWhen, Tape};
use crate::device::Device;
use crate::error::Result;
use crate::executor::Call;
use crate::memory::before_late_writes;
use crate::tensor::{Tensor, compute_all};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Sees to it that the values of these are kept. Gradients are those in `wanted`.
pub(super) fn compute(records: &[&Arc<Record>], wanted: &Wanted, device: &Device) -> Result<()> {
    let unsaved = records.iter().filter(|record| record.saved().is_none());
    let mut asked: BTreeSet<u64> = unsaved.map(|record| record.number).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let all = leading_to(records);
    // What a plan leaves to a later one is kept, too.
    for (position, record) in all.iter().enumerate() {
        let begin = all[position - position % MOST].number;
        let before = unsaved_sources(record).map(|source| source.number);
        asked.extend(before.filter(|number| *number < begin));
    }
    all.chunks(MOST).try_for_each(|part| compute_part(part, &asked, wanted, device))
}

/// Those without a value that lead to the values of these, and themselves, in the order in which they were made.
fn leading_to(records: &[&Arc<Record>]) -> Vec<Arc<Record>> {
    let mut found: BTreeMap<u64, &Arc<Record>> = BTreeMap::new();
    let mut open: Vec<&Arc<Record>> = records.iter().copied().filter(|record| record.saved().is_none()).collect();
    while let Some(record) = open.pop() {
        if found.insert(record.number, record).is_none() {
            open.extend(unsaved_sources(record));
        }
    }
    found.into_values().cloned().collect()
}

fn unsaved_sources(record: &Record) -> impl Iterator<Item = &Arc<Record>> {
    record.sources.iter().filter_map(|source| match source {
        RecordSource::Record(record) if record.saved().is_none() => Some(record),
        RecordSource::Record(_) | RecordSource::Leaf(_) | RecordSource::Given(_) => None,
    })
}

/// Computes the values that are asked for of some that are computed from what is kept.
fn compute_part(part: &[Arc<Record>], asked: &BTreeSet<u64>, wanted: &Wanted, device: &Device) -> Result<()> {
    let kept = part.iter().flat_map(|record| &record.sources).filter_map(|source| match source {
        RecordSource::Record(record) => record.saved(),
        RecordSource::Leaf(_) | RecordSource::Given(_) => None,
    });
    compute_all(kept.map(|held| &held.value))?;
    let records = Records::these(part);
    let (mut tape, _) = Tape::of(&records, &[], wanted, ComputedWhen::Before)?;
    tape.give_alone(|record| asked.contains(&record.number));
    let loaded = plan::of_signature(tape.signature_of_values(), device, || tape.trace_of_values())?;
    let args: SmallVec<[Tensor; 16]> = tape.arguments().cloned().map(Tensor::from_held).collect();
    let args: SmallVec<[&Tensor; 16]> = args.iter().collect();
    let scalars = loaded.scalars(tape.works());
    let call = Call { args: &args, scalars: &scalars, ..Call::default() };
    // What it is computed from is as it was when that was called for.
    let outputs = before_late_writes(|| loaded.call(device, &call))?;
    let given = part.iter().filter(|record| asked.contains(&record.number));
    given.zip(outputs.results).for_each(|(record, value)| record.save(value.held()));
    Ok(())
}
