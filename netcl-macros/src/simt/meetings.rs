//! Who has read and written which elements of local arrays since the last barrier.

use super::lanes::LaneValue;
use netcl_kernels::dtype::Literal;
use netcl_kernels::fold;
use netcl_kernels::graph::CompareOp;
use netcl_kernels::kir::ExprId;
use std::collections::{HashMap, HashSet};

/// A write of a work-item to an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) item: usize,
    /// Which of the places in the text that touch local arrays.
    pub(super) place: usize,
    /// What is written.
    value: LaneValue,
}

/// Work-items, and the elements that they touch.
pub(super) type Touched = Vec<(usize, i64)>;

/// Two work-items at one element without a barrier between, of which at least one writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meeting {
    /// The one reads what the other writes.
    Read { reader: usize, read: ExprId, writer: Touch, read_first: bool },
    /// They write different values.
    Written { first: Touch, second: Touch },
}

/// One local array.
#[derive(Debug)]
pub(super) struct SharedElements {
    /// Per element: the first write, and reads of two different items.
    written: HashMap<i64, Touch>,
    read: HashMap<i64, [Option<(usize, ExprId)>; 2]>,
    /// Which item has written which element.
    writers: HashSet<(i64, usize)>,
    /// What is in it, where that is known; in all others is `rest`.
    content: HashMap<i64, Option<Literal>>,
    rest: Option<Literal>,
}

impl SharedElements {
    /// An array as it starts.
    pub(super) fn zeros(zero: Literal) -> SharedElements {
        SharedElements {
            written: HashMap::new(),
            read: HashMap::new(),
            writers: HashSet::new(),
            content: HashMap::new(),
            rest: Some(zero),
        }
    }

    /// The work-items have waited for each other.
    pub(super) fn meet(&mut self) {
        self.written.clear();
        self.read.clear();
        self.writers.clear();
    }

    /// Something has been written somewhere.
    pub(super) fn forget_content(&mut self) {
        self.content.clear();
        self.rest = None;
    }

    pub(super) fn forget_element(&mut self, element: i64) {
        self.content.insert(element, None);
    }

    /// What meets when the items read these elements.
    pub(super) fn reads(&mut self, read: ExprId, touched: &Touched) -> Option<Meeting> {
        let found = touched.iter().find_map(|&(reader, element)| {
            let writer = *self.written.get(&element).filter(|writer| writer.item != reader)?;
            // What the item has written as well, others have written alike.
            let own = self.writers.contains(&(element, reader));
            (!own).then_some(Meeting::Read { reader, read, writer, read_first: false })
        });
        if found.is_some() {
            self.meet();
        }
        for &(reader, element) in touched {
            let [first, second] = self.read.entry(element).or_default();
            match first {
                Some((item, _)) if *item != reader => *second = Some((reader, read)),
                first => *first = Some((reader, read)),
            }
        }
        found
    }

    /// What meets when the items write these values to these elements. Writing what is there changes nothing.
    pub(super) fn writes(&mut self, place: usize, touched: &[(usize, i64, LaneValue)]) -> Option<Meeting> {
        let mut now: HashMap<i64, Touch> = HashMap::new();
        let changes = touched.iter().filter(|(_, element, value)| !self.holds(*element, *value));
        let changes = changes.map(|&(item, element, value)| (element, Touch { item, place, value }));
        let changes: Vec<(i64, Touch)> = changes.collect();
        let found = changes.iter().find_map(|&(element, writer)| {
            let reads = self.read.get(&element).into_iter().flatten().flatten();
            if let Some(&(reader, read)) = reads.into_iter().find(|(reader, _)| *reader != writer.item) {
                return Some(Meeting::Read { reader, read, writer, read_first: true });
            }
            let before = self.written.get(&element).filter(|first| differ(first, &writer));
            let first = before.or_else(|| now.get(&element).filter(|first| differ_at_once(first, &writer))).copied();
            now.entry(element).or_insert(writer);
            first.map(|first| Meeting::Written { first, second: writer })
        });
        if found.is_some() {
            self.meet();
        }
        for (element, writer) in changes {
            self.written.entry(element).or_insert(writer);
            self.writers.insert((element, writer.item));
            let value = match writer.value {
                LaneValue::Is(value) if found.is_none() => Some(value),
                _ => None,
            };
            self.content.insert(element, value);
        }
        found
    }

    fn holds(&self, element: i64, value: LaneValue) -> bool {
        let there = self.content.get(&element).copied().unwrap_or(self.rest);
        matches!((value, there), (LaneValue::Is(value), Some(there)) if !are_unlike(value, there))
    }
}

/// Whether they are two values; NaN is one.
fn are_unlike(a: Literal, b: Literal) -> bool {
    let is_number = |value| fold::compare_literals(CompareOp::Eq, value, value);
    fold::compare_literals(CompareOp::Ne, a, b) && (is_number(a) || is_number(b))
}

/// Whether two items surely write different values.
fn differ(a: &Touch, b: &Touch) -> bool {
    let (LaneValue::Is(one), LaneValue::Is(other)) = (a.value, b.value) else { return false };
    a.item != b.item && are_unlike(one, other)
}

/// The same of what one statement writes.
fn differ_at_once(a: &Touch, b: &Touch) -> bool {
    a.item != b.item && (a.value, b.value) == (LaneValue::Own, LaneValue::Own) || differ(a, b)
}
