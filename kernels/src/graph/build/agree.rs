//! Sizes that an operation wants equal: they are, they are not, or each call is checked.

use super::*;
use crate::equality::Equality;

impl Builder {
    /// Whether the two sizes of an agreement are equal. Where symbols decide that, it is noted.
    pub fn agree(&mut self, agreement: Agreement) -> bool {
        let [first, second] = &agreement.sizes;
        match first.equality(second) {
            Equality::Always => true,
            Equality::No => false,
            Equality::Rounded => {
                let known = &mut self.graph.agreements;
                // Who asked first says it.
                if !known.iter().any(|other| other.sizes == agreement.sizes) {
                    known.push(agreement);
                }
                true
            }
        }
    }

    /// As [`Builder::agree`], of an axis of each of two tensors: the message is `what`, the first size and where it came
    /// from, `joint`, and the same of the second.
    pub(crate) fn agree_along(&mut self, of: [(NodeId, usize); 2], what: &str, joint: &str) -> bool {
        let sizes = of.map(|(id, axis)| self.shape(id)[axis].clone());
        sizes[0] == sizes[1] || {
            let notes = of.map(|(id, axis)| self.origin_note(id, axis));
            self.agree(Agreement { what: what.to_string(), sizes, notes, joint: joint.to_string() })
        }
    }

    /// As [`Builder::agree_along`], of every axis of two tensors of one rank. What is wrong ends with the axis.
    pub(crate) fn agree_everywhere(&mut self, [a, b]: [NodeId; 2], what: &str) -> bool {
        let rank = self.shape(a).rank();
        rank == self.shape(b).rank()
            && (0..rank)
                .all(|axis| self.agree_along([(a, axis), (b, axis)], &format!("{what}: axis {axis} is"), "against"))
    }
}

/// Of two sizes that agree, the one that is never the larger, where that can be seen: what is read with it lies inside both.
pub(crate) fn smaller(a: &Dim, b: &Dim) -> Dim {
    if (a.clone() - b.clone()).never_negative() { b.clone() } else { a.clone() }
}
