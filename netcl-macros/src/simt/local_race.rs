//! Rule: what a work-item reads of a local array, no other writes without a barrier between. Wrong:
//! `s[l] = x[i]; y[i] = s[63 - l];`.
//!
//! Judged is what is sure: the first group of the launch is run with its ids, with every size as large as need be, and with
//! nothing known of what is in memory. What such a value decides, be it an index or a condition, is passed over. Sub-groups
//! work in lockstep: nothing is said of what stands on both sides of their functions, or of atomics in loops of which nothing is known.

use super::group::Group;
use super::meetings::{Meeting, Touch};
use super::signature::MOST_ITEMS;
use super::state::LocalAccess;
use super::visit::visit;
use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::kir::{ExprId, Kernel, Space, Stmt};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// Looks at each element of local arrays; `touched` are the reads and writes of the body in the order of the text.
pub(super) fn judge(diag: &Diag, kernel: &Kernel, body: &[Stmt], touched: &[LocalAccess]) -> bool {
    let items = kernel.launch.local.iter().try_fold(1i64, |all, size| all.checked_mul(i64::from(*size)));
    let Some(items @ 2..=MOST_ITEMS) = items.filter(|_| !touched.is_empty()) else { return true };
    let mut stores: Vec<*const Stmt> = Vec::new();
    visit(body, &mut |stmt| {
        if matches!(stmt, Stmt::StoreArray { array, .. } if kernel.arrays[array.0 as usize].space == Space::Local) {
            stores.push(stmt);
        }
    });
    let written: Vec<usize> = (0..touched.len()).filter(|place| touched[*place].read.is_none()).collect();
    // Both are of one text; if they ever are not, nothing is said in the wrong place.
    if stores.len() != written.len() {
        return true;
    }
    let places: HashMap<_, _> = stores.into_iter().zip(written).collect();
    let mut report = RaceReport { diag, local: &kernel.launch.local, touched, said: BTreeSet::new() };
    let meetings = Group::new(kernel, items as usize, places).meetings(body);
    meetings.iter().for_each(|meeting| report.tell(meeting));
    report.said.is_empty()
}

/// What is said of meetings.
struct RaceReport<'a> {
    diag: &'a Diag,
    local: &'a [u32],
    touched: &'a [LocalAccess],
    /// The places that have been named, the first and the second.
    said: BTreeSet<(usize, usize)>,
}

impl RaceReport<'_> {
    fn tell(&mut self, meeting: &Meeting) {
        match meeting {
            Meeting::Read { reader, read, writer, read_first } => {
                let place = self.place_of(*read, writer.place, *read_first);
                if self.said.insert((place, writer.place)) {
                    self.tell_read(*reader, place, *writer, *read_first);
                }
            }
            Meeting::Written { first, second } => {
                if self.said.insert((first.place, second.place)) {
                    self.tell_written(*first, *second);
                }
            }
        }
    }

    /// Which of the places that read so is meant: the next one behind a write, or before it.
    fn place_of(&self, read: ExprId, write: usize, read_first: bool) -> usize {
        let places = (0..self.touched.len()).filter(|place| self.touched[*place].read == Some(read));
        let (before, behind): (Vec<usize>, Vec<usize>) = places.partition(|place| *place < write);
        let nearest = if read_first { before.last().or(behind.last()) } else { behind.first().or(before.first()) };
        nearest.copied().unwrap_or(write)
    }

    fn tell_read(&self, reader: usize, place: usize, writer: Touch, read_first: bool) {
        let (read, write) = (&self.touched[place], &self.touched[writer.place]);
        let (round, instead) = match (read_first, place < writer.place, read.statement == write.statement) {
            (true, true, true) => ("", "read it into a variable, and write `barrier();` between".to_string()),
            (true, true, false) => ("", format!("write `barrier();` before `{}`{AROUND}", write.text)),
            (false, false, _) => ("", format!("write `barrier();` behind `{}`{AROUND}", write.text)),
            (true, false, _) => (" in a later round", ROUND.to_string()),
            (false, true, _) => (" in an earlier round", ROUND.to_string()),
        };
        let [reader, writer] = [reader, writer.item].map(|item| self.item(item));
        self.diag.report(read.span, &m::SIMT_LOCAL_RACE, &[&reader, &read.element, &writer, &round, &instead]);
    }

    fn tell_written(&self, first: Touch, second: Touch) {
        let (one, other) = (&self.touched[first.place], &self.touched[second.place]);
        let instead = match first.place.cmp(&second.place) {
            Ordering::Equal => OWN.to_string(),
            Ordering::Less => format!("write `barrier();` before `{}`{AROUND}", other.text),
            Ordering::Greater => ROUND.to_string(),
        };
        let [first, second] = [first.item, second.item].map(|item| self.item(item));
        self.diag.report(
            other.span,
            &m::SIMT_LOCAL_WRITTEN,
            &[&second, &other.element, &first, &one.element, &instead],
        );
    }

    /// `5`, or `(5, 0)` in a group of two dimensions.
    fn item(&self, mut item: usize) -> String {
        let mut ids = Vec::new();
        for size in self.local {
            ids.push((item % *size as usize).to_string());
            item /= *size as usize;
        }
        if ids.len() == 1 { ids.concat() } else { format!("({})", ids.join(", ")) }
    }
}

/// Where a barrier may stand: all work-items come to it.
const AROUND: &str = ", outside of an `if` that not all work-items take";

/// What orders one round before the next.
const ROUND: &str = "write `barrier();` at the end of the loop's body as well";

/// What to do where one statement writes to an element twice.
const OWN: &str = "let one of them do it, or give each an element of its own, as with the index `local_id(0)`";
