//! On the null device, where every byte is accounted for.

use super::state::Released;
use super::*;
use crate::error::Error;
use crate::memory::slab::{self, Slab};
use netcl_hal::memory::classes;
use netcl_hal::null::Null;
use netcl_kernels::plan::Target;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

const MIB: usize = 1 << 20;

fn pool(memory: usize, max_cached: usize) -> (Arc<Null>, BufferPool) {
    let device = Arc::new(Null::new(Target::Gpu, memory as u64));
    (device.clone(), BufferPool::of(device, max_cached, usize::MAX))
}

#[test]
fn what_is_freed_is_used_again() {
    let (_, pool) = pool(64 * MIB, 64 * MIB);
    let first = pool.allocate(100_000).unwrap();
    assert_eq!(first.bytes(), 128 << 10);
    let id = first.id();
    drop(first);
    let second = pool.allocate(120_000).unwrap();
    assert_eq!(second.id(), id);
    let stats = pool.stats();
    assert_eq!((stats.hits, stats.misses, stats.allocations), (1, 1, 1));
    assert_eq!((stats.in_use, stats.idle, stats.peak), (128 << 10, 0, 128 << 10));
    assert_eq!(stats.hit_rate(), 0.5);
    assert_ne!(pool.allocate(120_000).unwrap().id(), id, "it is in use");
}

#[test]
fn small_buffers_share_a_driver_buffer() {
    let (device, pool) = pool(64 * MIB, 64 * MIB);
    let many: Vec<BufferHandle> = (0..256).map(|_| pool.allocate(1000).unwrap()).collect();
    assert_eq!(pool.stats().allocations, 1);
    assert_eq!(device.used(), slab::BYTES as u64);
    assert_eq!((pool.stats().in_use, pool.stats().idle), (slab::BYTES, 0));
    let more = pool.allocate(1000).unwrap();
    assert_eq!(pool.stats().allocations, 2);
    drop(many);
    assert_eq!(pool.release_idle(), slab::BYTES, "the other is partly in use");
    assert_eq!((device.used(), pool.stats().in_use), (slab::BYTES as u64, 1024));
    let again = pool.allocate(500).unwrap();
    assert_eq!(pool.stats().allocations, 2, "cut from what is there");
    drop((more, again));
    assert_eq!(pool.release_idle(), slab::BYTES);
    assert_eq!((device.used(), pool.stats().idle, pool.stats().in_use), (0, 0, 0));
}

/// Of one that another thread gives back before anything was cut off it, no block is kept.
#[test]
fn shared_driver_buffers_go_back_without_the_lock() {
    let (device, pool) = pool(64 * MIB, 64 * MIB);
    let class = classes::of(1000).unwrap();
    let mut released = Released::default();
    {
        let mut state = pool.0.lock();
        assert!(pool.0.budget.take_slab(64 * MIB));
        state.add_slab(class, Slab::new(device.allocate(slab::BYTES).unwrap(), class.bytes));
        state.take_slabs(&mut released);
        assert_eq!((device.used(), state.stats().idle), (slab::BYTES as u64, 0));
    }
    drop(released);
    assert_eq!(device.used(), 0);
}

#[test]
fn beyond_the_cap_the_least_recently_used_goes_back() {
    let (device, pool) = pool(64 * MIB, 3 * MIB);
    let [a, b, c, d] = [MIB, MIB, MIB, MIB / 2].map(|bytes| pool.allocate(bytes).unwrap());
    let ids = [b.id(), c.id()];
    drop(a);
    drop(b);
    drop(c);
    assert_eq!((pool.stats().idle, device.used()), (3 * MIB, (7 * MIB / 2) as u64), "at the cap");
    drop(d);
    assert_eq!((pool.stats().idle, device.used()), (5 * MIB / 2, (5 * MIB / 2) as u64), "the first freed is gone");
    let mut found = [pool.allocate(MIB).unwrap(), pool.allocate(MIB).unwrap()].map(|buffer| buffer.id());
    found.sort_unstable();
    assert_eq!(found, ids);
}

#[test]
fn a_pool_that_keeps_nothing_keeps_nothing() {
    let (device, pool) = pool(64 * MIB, 0);
    let small: Vec<BufferHandle> = (0..10).map(|_| pool.allocate(10_000).unwrap()).collect();
    drop(pool.allocate(300_000).unwrap());
    assert_eq!(device.used(), 10 * (16 << 10), "what is shared would be kept until all of it is unused");
    drop(small);
    assert_eq!((device.used(), pool.stats().idle, pool.stats().in_use), (0, 0, 0));
}

#[test]
fn what_is_larger_than_the_cap_pushes_nothing_out() {
    let (device, all) = pool(64 * MIB, 3 * MIB);
    let buckets = BufferPool::of(device.clone(), 32 * MIB, 3 * MIB);
    for pool in [&all, &buckets] {
        drop(pool.allocate(2 * MIB).unwrap());
        drop(pool.allocate(7 * MIB / 2).unwrap());
        assert_eq!((pool.stats().idle, pool.stats().in_use), (2 * MIB, 0));
    }
    assert_eq!(device.used(), 4 * MIB as u64);
}

#[test]
fn small_buffers_do_not_need_room_for_a_shared_one() {
    let (_, pool) = pool(100 << 10, MIB);
    let buffers: Vec<BufferHandle> = (0..3).map(|_| pool.allocate(32 << 10).unwrap()).collect();
    let error = pool.allocate(32 << 10).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested: 32768, .. }), "{error}");
    assert!(error.to_string().contains("98304 bytes in use and 0 idle"), "{error}");
    drop(buffers);
    assert!(pool.allocate(64 << 10).is_ok(), "idle buffers go before the error");
}

#[test]
fn buckets_are_listed_by_size() {
    let (_, pool) = pool(64 * MIB, 64 * MIB);
    let held: Vec<BufferHandle> =
        [5 * MIB, 4 * MIB, 100_000, 1].map(|bytes| pool.allocate(bytes).unwrap()).into_iter().collect();
    drop(held);
    let bucket = |size, buffers, bytes| Bucket { size, buffers, bytes };
    assert_eq!(pool.buckets(), [bucket(1024, 1, 1024), bucket(128 << 10, 1, 128 << 10), bucket(4 * MIB, 2, 9 * MIB)]);
}

#[test]
fn sizes_beyond_memory_are_errors() {
    let (_, pool) = pool(MIB, MIB);
    for bytes in [2 * MIB, isize::MAX as usize, usize::MAX] {
        assert!(matches!(pool.allocate(bytes).unwrap_err(), Error::OutOfMemory { .. }));
    }
}

#[test]
fn threads_get_different_memory() {
    let (device, pool) = pool(256 * MIB, 2 * MIB);
    let in_use = Mutex::new(std::collections::BTreeSet::new());
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let (pool, in_use) = (&pool, &in_use);
            scope.spawn(move || {
                for round in 0..500usize {
                    let buffer = pool.allocate(1 << (8 + (7 * thread + 3 * round) % 13)).unwrap();
                    assert!(in_use.lock().unwrap().insert(buffer.id()), "given twice");
                    in_use.lock().unwrap().remove(&buffer.id());
                }
            });
        }
    });
    assert_eq!(pool.stats().in_use, 0);
    assert!(pool.stats().idle <= 2 * MIB);
    assert_eq!(device.used(), pool.stats().idle as u64);
}

#[test]
fn the_cap_holds_whatever_of_the_shared_buffers_is_in_use() {
    for max_cached in [0, 100 << 10, MIB] {
        let (device, pool) = pool(64 * MIB, max_cached);
        // One in each of what would be 40 shared buffers stays in use.
        let mut held = Vec::new();
        for _ in 0..40 {
            let many: Vec<BufferHandle> = (0..256).map(|_| pool.allocate(1000).unwrap()).collect();
            held.extend(many.into_iter().step_by(255).take(1));
            let stats = pool.stats();
            assert!(stats.idle <= max_cached, "{max_cached}: {stats}");
            assert_eq!(device.used(), (stats.in_use + stats.idle) as u64);
        }
        drop(held);
        assert!(pool.stats().idle <= max_cached && pool.stats().in_use == 0, "{max_cached}: {}", pool.stats());
        pool.release_idle();
        assert_eq!(device.used(), 0);
    }
}

/// What could not be a part of a shared driver buffer is a whole one of the same class.
#[test]
fn the_cap_holds_where_parts_and_whole_buffers_are_of_one_class() {
    let (device, pool) = pool(64 * MIB, slab::BYTES);
    let mut parts: Vec<BufferHandle> = (0..256).map(|_| pool.allocate(1000).unwrap()).collect();
    let whole: Vec<BufferHandle> = (0..300).map(|_| pool.allocate(1000).unwrap()).collect();
    let held = parts.pop();
    drop(parts);
    drop(whole);
    assert!(pool.stats().idle <= slab::BYTES, "{}", pool.stats());
    assert_eq!(device.used(), (pool.stats().idle + 1024) as u64);
    drop(held);
    assert!(pool.stats().idle <= slab::BYTES && pool.stats().in_use == 0, "{}", pool.stats());
}

#[test]
fn the_handles_of_a_device_have_one_cap() {
    let device = Arc::new(Null::new(Target::Gpu, 64 * MIB as u64));
    let handle = |device: Null| BufferPool::of_device(Arc::new(device), 4 * MIB);
    let (first, second) = (handle(device.again()), handle(device.again()));
    let own = BufferPool::of(device.clone(), 4 * MIB, usize::MAX);
    let free = |pool: &BufferPool, bytes: usize| drop(pool.allocate(bytes).unwrap());
    let idle = |pools: [&BufferPool; 2]| pools.map(|pool| pool.stats().idle);
    free(&first, MIB);
    free(&first, 2 * MIB);
    free(&own, 4 * MIB);
    assert_eq!(idle([&first, &own]), [3 * MIB, 4 * MIB], "a program's own pool has a cap of its own");
    free(&second, MIB);
    assert_eq!(idle([&first, &second]), [3 * MIB, MIB], "at the cap");
    free(&second, 2 * MIB);
    assert_eq!(idle([&first, &second]), [0, 3 * MIB], "what was freed first goes, whosever it is");
    drop(second);
    free(&first, 4 * MIB);
    assert_eq!(first.stats().idle, 4 * MIB, "what is gone with its handle is not counted");
    // Shared driver buffers can only go back whole: those of all handles together are within the cap.
    let second = handle(device.again());
    let mut held = [&first, &second].map(|pool| (0..3000).map(|_| pool.allocate(1000).unwrap()).collect::<Vec<_>>());
    for small in &mut held {
        let mut count = 0..;
        small.retain(|_| count.next().is_some_and(|number: usize| number.is_multiple_of(256)));
    }
    let [first, second] = idle([&first, &second]);
    assert!(first > 0 && second > 0 && first + second <= 4 * MIB, "{first} {second}");
}

#[test]
fn a_bucket_has_a_cap_of_its_own() {
    let device = Arc::new(Null::new(Target::Gpu, 64 * MIB as u64));
    let pool = BufferPool::of(device.clone(), 32 * MIB, 4 * MIB);
    // Two classes of one bucket, and one of another.
    let sizes = [2 * MIB, 3 * MIB, 2 * MIB, 3 * MIB, 5 * MIB / 2];
    drop(sizes.map(|bytes| pool.allocate(bytes).unwrap()));
    drop([(); 3].map(|()| pool.allocate(MIB).unwrap()));
    assert_eq!(pool.stats().idle, 5 * MIB / 2 + 3 * MIB, "the latest of the one, all of the other");
    let small: Vec<BufferHandle> = (0..5000).map(|_| pool.allocate(1000).unwrap()).collect();
    let before = pool.stats().idle;
    drop(small);
    assert!(pool.stats().idle - before <= 4 * MIB, "{}", pool.stats());
    pool.release_idle();
    assert_eq!((device.used(), pool.max_bucket()), (0, 4 * MIB));
}

#[test]
fn without_memory_the_idle_of_every_handle_and_pool_goes() {
    let device = Arc::new(Null::new(Target::Gpu, 8 * MIB as u64));
    let [own, second] = [(); 2].map(|()| BufferPool::of(device.clone(), 64 * MIB, usize::MAX));
    let other = BufferPool::of(Arc::new(device.again()), 64 * MIB, usize::MAX);
    drop([&own, &second, &other].map(|pool| pool.allocate(2 * MIB).unwrap()));
    let large = own.allocate(7 * MIB).unwrap();
    assert_eq!([&own, &second, &other].map(|pool| pool.stats().idle), [0; 3]);
    let error = other.allocate(2 * MIB).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    drop(large);
    assert!(other.allocate(8 * MIB).is_ok());
}

/// As drivers do that allocate at the first use.
#[test]
fn memory_that_was_promised_is_found_at_its_first_use() {
    let device = Arc::new(Null::new(Target::Gpu, 8 * MIB as u64).promising());
    let [own, other, third] = [(); 3].map(|()| BufferPool::of(device.clone(), 64 * MIB, usize::MAX));
    let source = third.allocate(MIB).unwrap();
    let fill = |pool: &BufferPool, bytes: usize| {
        let buffer = pool.allocate(bytes).unwrap();
        buffer.zero().unwrap();
        buffer
    };
    let idle = |pools: [&BufferPool; 2]| pools.map(|pool| pool.stats().idle);
    type Write<'a> = &'a dyn Fn(&BufferHandle) -> Result<()>;
    let writes: [Write<'_>; 4] = [
        &|buffer| buffer.zero(),
        &|buffer| buffer.write(&[0; 64]),
        &|buffer| buffer.write_first(&[0; 64]),
        &|buffer| source.copy_to(buffer, 64),
    ];
    for write in writes {
        drop((fill(&own, 2 * MIB), fill(&other, 3 * MIB)));
        let large = own.allocate(7 * MIB).unwrap();
        assert_eq!(idle([&own, &other]), [2 * MIB, 3 * MIB], "so far it is a promise");
        write(&large).unwrap();
        assert_eq!(other.stats().idle, 0, "what was idle made room");
        let more = other.allocate(2 * MIB).unwrap();
        let error = more.zero().unwrap_err();
        let pool = match &error {
            Error::OutOfMemory { requested, pool, .. } if *requested == 2 * MIB => pool,
            _ => panic!("{error}"),
        };
        assert_eq!((pool.in_use, pool.idle), (2 * MIB, 0), "{error}");
        drop(large);
        more.zero().unwrap();
        drop(more);
        other.release_idle();
    }
}

#[test]
fn more_than_all_memory_is_not_asked_for() {
    let device = Arc::new(Null::new(Target::Gpu, 8 * MIB as u64).promising());
    let pool = BufferPool::of(device.clone(), 64 * MIB, usize::MAX);
    drop(pool.allocate(MIB).unwrap());
    for bytes in [8 * MIB + 1, 16 * MIB] {
        let error = pool.allocate(bytes).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    }
    assert_eq!((pool.stats().idle, pool.stats().allocations), (MIB, 1), "nothing was freed for it");
    assert!(pool.allocate(8 * MIB).is_ok(), "whatever the driver calls the largest allocation");
}

#[test]
fn what_no_device_gives_in_one_piece_costs_nobody_anything() {
    struct Arena(std::sync::atomic::AtomicUsize);
    impl Reserve for Arena {
        fn release(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            true
        }
    }
    let (device, pool) = pool(8 * MIB, 64 * MIB);
    let arena = Arc::new(Arena(Default::default()));
    device.reserves().add_holder(Arc::<Arena>::downgrade(&arena));
    drop(pool.allocate(MIB).unwrap());
    let error = pool.allocate(9 * MIB).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    assert_eq!((pool.stats().idle, arena.0.load(Ordering::Relaxed)), (MIB, 0));
    let held = pool.allocate(7 * MIB).unwrap();
    pool.allocate(4 * MIB).unwrap_err();
    assert_eq!(arena.0.load(Ordering::Relaxed), 1, "a pool's own allocations ask for reserves, too");
    drop(held);
}

/// The next owner would not wait for the copy either.
#[test]
fn memory_that_a_copy_may_still_use_is_nobody_elses() {
    for bytes in [MIB, 1000] {
        let (device, pool) = pool(64 * MIB, 64 * MIB);
        let buffer = pool.allocate(bytes).unwrap();
        let id = buffer.id();
        // The null device waits itself, and fails with what it waits for.
        let copy = crate::event::UserEvent::new();
        buffer.used_elsewhere(copy.event().0);
        copy.fail("on purpose");
        drop(buffer);
        assert_eq!(pool.stats().idle, if bytes < slab::SHARED { slab::BYTES - 1024 } else { 0 });
        let all: Vec<BufferHandle> = (0..300).map_while(|_| pool.allocate(bytes).ok()).collect();
        assert!(all.len() > 60 && all.iter().all(|other| other.id() != id), "{bytes}");
        drop(all);
        pool.release_idle();
        let stays = if bytes < slab::SHARED { slab::BYTES } else { 0 };
        assert_eq!(device.used(), stays as u64, "a whole buffer is the driver's again, of a shared one a part is used");
    }
}

/// A thread of the parent's may have held any lock at the fork.
#[test]
#[cfg(unix)]
fn a_forked_child_waits_for_no_lock_of_the_parents() {
    use crate::device::Device;
    use netcl_fixtures::forks::{first_wrong, in_fork};
    let device = Device::host();
    let pool = device.buffer_pool().clone();
    let held = pool.hold();
    let status = in_fork("asking pools", || {
        first_wrong(&[
            &|| pool.stats() == Default::default() && device.memory_stats() == Default::default(),
            &|| pool.buckets().is_empty() && format!("{pool:?}").contains("0 idle"),
            &|| BufferPool::new(&device, 0).stats().idle == 0,
        ])
    });
    drop(held);
    assert_eq!(status, 0, "the check that failed");
}
