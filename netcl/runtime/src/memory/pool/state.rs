//! What a pool holds, by class.

use super::block::MemoryBlock;
use super::budget::Budget;
use crate::memory::slab::{self, Slab};
use netcl_hal::memory::classes;
use netcl_hal::memory::{Bucket, PoolStats};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a pool holds. Changes under its lock.
pub(super) struct State {
    /// By [`classes::Class::index`].
    classes: Vec<FreeLists>,
    stats: PoolStats,
    /// Counts what is idle here, and elsewhere.
    budget: Arc<Budget>,
}

/// What goes back to the driver, when this is dropped: not under the pool's lock.
#[derive(Default)]
pub(super) struct Released {
    blocks: Vec<MemoryBlock>,
    /// Blocks hold theirs; there may be none.
    slabs: Vec<Arc<Slab>>,
}

/// What is kept of one class, each the latest freed last: it is used next, being the likeliest to be in a cache.
#[derive(Default)]
struct FreeLists {
    /// Driver buffers.
    whole: VecDeque<MemoryBlock>,
    /// Parts of shared ones.
    parts: VecDeque<MemoryBlock>,
    /// The driver buffers that blocks of this class share.
    slabs: Vec<Arc<Slab>>,
}

impl FreeLists {
    /// Bytes that are idle, also of what is left of shared driver buffers.
    fn idle_bytes(&self) -> usize {
        let whole = self.whole.front().map_or(0, |block| block.class.bytes * self.whole.len());
        whole + self.slabs.iter().map(|slab| slab.unused()).sum::<usize>()
    }

    fn oldest(&self) -> Option<u64> {
        self.whole.front().map(|block| block.stamp)
    }
}

impl State {
    pub(super) fn new(budget: Arc<Budget>) -> State {
        let classes = (0..classes::COUNT).map(|_| FreeLists::default()).collect();
        State { classes, stats: PoolStats::default(), budget }
    }

    pub(super) fn stats(&self) -> PoolStats {
        self.stats
    }

    /// What is kept, by size.
    pub(super) fn buckets(&self) -> Vec<Bucket> {
        let mut buckets: Vec<Bucket> = Vec::new();
        for (index, kept) in self.classes.iter().enumerate() {
            let idle = || kept.whole.iter().chain(&kept.parts);
            let (size, buffers) = (classes::bucket(index), idle().count());
            let bytes = idle().map(|block| block.class.bytes).sum();
            match buckets.last_mut() {
                _ if buffers == 0 => {}
                Some(last) if last.size == size => {
                    last.buffers += buffers;
                    last.bytes += bytes;
                }
                _ => buckets.push(Bucket { size, buffers, bytes }),
            }
        }
        buckets
    }

    /// What was idle is used.
    fn use_idle(&mut self, bytes: usize) {
        self.lose(bytes);
        self.stats.use_more(bytes);
    }

    fn gain(&mut self, bytes: usize) {
        self.stats.idle += bytes;
        self.budget.gain(bytes);
    }

    fn lose(&mut self, bytes: usize) {
        self.stats.idle -= bytes;
        self.budget.lose(bytes);
    }

    /// A driver buffer that was in use is not kept.
    pub(super) fn leave(&mut self, bytes: usize) {
        self.stats.in_use -= bytes;
    }

    /// Takes a driver buffer back, or a part of one.
    pub(super) fn put(&mut self, mut block: MemoryBlock) {
        block.stamp = self.budget.tick();
        self.stats.in_use -= block.class.bytes;
        self.gain(block.class.bytes);
        let kept = &mut self.classes[block.class.index];
        match &block.slab {
            Some(slab) => {
                slab.free_one();
                kept.parts.push_back(block);
            }
            None => kept.whole.push_back(block),
        }
    }

    /// The idle block that was freed last, or first. Parts go first: of whole ones the memory can be given back.
    pub(super) fn take(&mut self, class: classes::Class, oldest: bool) -> Option<MemoryBlock> {
        let kept = &mut self.classes[class.index];
        let take = |idle: &mut VecDeque<MemoryBlock>| if oldest { idle.pop_front() } else { idle.pop_back() };
        let block = take(&mut kept.parts).or_else(|| take(&mut kept.whole))?;
        self.stats.hits += 1;
        self.use_idle(class.bytes);
        if let Some(slab) = &block.slab {
            slab.use_one();
        }
        Some(block)
    }

    /// Since when the first of a class's driver buffers is idle, and how many are.
    pub(super) fn waiting(&self, class: classes::Class) -> Option<(u64, usize)> {
        let idle = &self.classes[class.index].whole;
        idle.front().map(|block| (block.idle_since, idle.len()))
    }

    /// A driver buffer was allocated, for a request that nothing idle served.
    pub(super) fn count_miss(&mut self, bytes: usize) {
        self.stats.count_miss(bytes);
    }

    /// The next piece of a class's shared driver buffers, and where it starts, in use from now on.
    pub(super) fn cut(&mut self, class: classes::Class) -> Option<(Arc<Slab>, usize)> {
        let slabs = &self.classes[class.index].slabs;
        let (slab, offset) = slabs.iter().find_map(|slab| Some((slab.clone(), slab.cut()?)))?;
        slab.use_one();
        self.stats.misses += 1;
        self.use_idle(class.bytes);
        Some((slab, offset))
    }

    /// A piece that was cut cannot be used. It is lost until all of the shared buffer is unused.
    pub(super) fn uncut(&mut self, slab: &Slab, bytes: usize) {
        slab.free_one();
        self.stats.in_use -= bytes;
        self.gain(bytes);
    }

    /// How many bytes a class's shared driver buffers have.
    pub(super) fn shared_bytes(&self, class: classes::Class) -> usize {
        self.classes[class.index].slabs.len() * slab::BYTES
    }

    /// Another shared driver buffer, which the budget has counted.
    pub(super) fn add_slab(&mut self, class: classes::Class, slab: Slab) {
        self.stats.allocations += 1;
        self.gain(slab::BYTES);
        self.classes[class.index].slabs.push(Arc::new(slab));
    }

    /// When the driver buffer was freed that has been idle longest.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.classes.iter().filter_map(FreeLists::oldest).min()
    }

    /// Takes that one out.
    pub(super) fn take_oldest(&mut self, released: &mut Released) {
        self.take_oldest_of(0..self.classes.len(), released);
    }

    /// Of some classes; says whether there was any.
    fn take_oldest_of(&mut self, classes: std::ops::Range<usize>, released: &mut Released) -> bool {
        let idle = self.classes[classes].iter_mut().filter_map(|kept| Some((kept.oldest()?, kept)));
        let oldest = idle.min_by_key(|(stamp, _)| *stamp).and_then(|(_, kept)| kept.whole.pop_front());
        let Some(block) = oldest else { return false };
        self.lose(block.class.bytes);
        released.blocks.push(block);
        true
    }

    /// Takes out all driver buffers that are idle, and the shared ones that are not used at all.
    pub(super) fn take_all(&mut self, released: &mut Released) {
        for index in 0..self.classes.len() {
            let whole = std::mem::take(&mut self.classes[index].whole);
            self.lose(whole.iter().map(|block| block.class.bytes).sum());
            released.blocks.extend(whole);
        }
        self.take_slabs(released);
    }

    /// Takes out the least recently used of a class's bucket until no more than `limit` bytes of it are idle.
    #[cold]
    pub(super) fn shrink_bucket(&mut self, index: usize, limit: usize, released: &mut Released) {
        let bucket = classes::of_bucket(index);
        while self.classes[bucket.clone()].iter().map(FreeLists::idle_bytes).sum::<usize>() > limit {
            if !self.take_oldest_of(bucket.clone(), released) {
                bucket.for_each(|index| self.take_slabs_of(index, released));
                return;
            }
        }
    }

    /// Takes out the shared driver buffers that are not used at all.
    pub(super) fn take_slabs(&mut self, released: &mut Released) {
        (0..self.classes.len()).for_each(|index| self.take_slabs_of(index, released));
    }

    fn take_slabs_of(&mut self, index: usize, released: &mut Released) {
        let kept = &mut self.classes[index];
        if !kept.slabs.iter().any(|slab| slab.is_unused()) {
            return;
        }
        let unused = |block: &MemoryBlock| block.slab.as_ref().is_some_and(|slab| slab.is_unused());
        let (gone, stays): (VecDeque<MemoryBlock>, _) = kept.parts.drain(..).partition(unused);
        kept.parts = stays;
        released.blocks.extend(gone);
        let (gone, stays): (Vec<_>, _) = kept.slabs.drain(..).partition(|slab| slab.is_unused());
        kept.slabs = stays;
        let bytes = gone.len() * slab::BYTES;
        released.slabs.extend(gone);
        self.lose(bytes);
        self.budget.drop_slabs(bytes);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // All of it goes with the pool. Buffers in use hold the pool.
        let slabs: usize = self.classes.iter().map(|kept| kept.slabs.len()).sum();
        self.budget.lose(self.stats.idle);
        self.budget.drop_slabs(slabs * slab::BYTES);
    }
}
