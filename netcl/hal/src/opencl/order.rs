//! Which launches of a program wait for those before, in queues that are out of order.

use crate::device::dispatch::BufferBinding;
use crate::device::memory::Region;
use std::ops::Range;

/// What the launches of a program use, and which of them wait.
#[derive(Default)]
pub(super) struct Order {
    /// By launch: the memory, and whether it is written.
    touches: Vec<Vec<(BufferBinding, bool)>>,
    /// By launch; empty where it is not known for the externals of the next call.
    waits: Vec<bool>,
}

impl Order {
    /// Adds a launch that uses this memory, and writes what is marked so.
    pub(super) fn add(&mut self, touches: Vec<(BufferBinding, bool)>) {
        self.touches.push(touches);
    }

    /// The externals are others.
    pub(super) fn forget(&mut self) {
        self.waits.clear();
    }

    /// Whether each launch waits for all before it: those do that use memory which one since the last that waited writes, or
    /// write what one uses; and the first. Memory is compared and not buffers: parts of an arena are used again, and two
    /// tensors may be the same.
    pub(super) fn waits(&mut self, externals: &[&Region]) -> &[bool] {
        if self.waits.len() != self.touches.len() {
            self.waits.clear();
            let mut since: Vec<(u64, Range<usize>, bool)> = Vec::new();
            for touches in &self.touches {
                let range = |(place, written): &(BufferBinding, bool)| {
                    let (whole, bytes) = match place {
                        BufferBinding::Internal(region) => region.range(),
                        BufferBinding::External(slot) => externals[*slot].range(),
                    };
                    (whole, bytes, *written)
                };
                let own: Vec<_> = touches.iter().map(range).collect();
                let meets = |(whole, bytes, written): &(u64, Range<usize>, bool)| {
                    let overlap = |other: &Range<usize>| bytes.start < other.end && other.start < bytes.end;
                    since.iter().any(|(other, others, other_written)| {
                        whole == other && (*written || *other_written) && overlap(others)
                    })
                };
                let waits = self.waits.is_empty() || own.iter().any(meets);
                if waits {
                    since.clear();
                }
                since.extend(own);
                self.waits.push(waits);
            }
        }
        &self.waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::memory::Memory;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Nothing;

    impl Memory for Nothing {}

    #[test]
    fn launches_wait_for_what_they_need_and_for_what_they_would_overwrite() {
        let whole = |id: u64| Region::whole(Arc::new(Nothing), id, 4096);
        let arena = whole(1);
        let part = |id: u64, start: usize| Region::part(&arena, Arc::new(Nothing), id, start, 512);
        let read = |place: &BufferBinding| (place.clone(), false);
        let write = |place: &BufferBinding| (place.clone(), true);
        let (x, y, z) = (BufferBinding::External(0), BufferBinding::External(1), BufferBinding::External(2));
        let [a, b, again] = [part(2, 0), part(3, 512), part(4, 0)].map(BufferBinding::Internal);
        let touches = || {
            vec![
                vec![read(&x), write(&a)],
                vec![read(&x), write(&b)],           // beside the first
                vec![read(&a), read(&b), write(&y)], // needs both
                vec![read(&x), write(&again)],       // where `a` was, which is being read
                vec![read(&x), write(&b)],           // beside that
                vec![read(&again), write(&z)],
            ]
        };
        let all = [whole(5), whole(6), whole(7)];
        let tensors = all.each_ref();
        let mut order = Order { touches: touches(), waits: Vec::new() };
        assert_eq!(order.waits(&tensors), [true, false, true, true, false, true]);
        // One tensor as input and as output.
        let same = [tensors[0], tensors[0], tensors[2]];
        order.forget();
        assert_eq!(order.waits(&same), [true, false, true, true, false, true]);
        let mut short = Order { touches: vec![vec![read(&x)], vec![write(&y)], vec![read(&z)]], waits: Vec::new() };
        assert_eq!(short.waits(&tensors), [true, false, false]);
        short.forget();
        assert_eq!(short.waits(&same), [true, true, false]);
    }
}
