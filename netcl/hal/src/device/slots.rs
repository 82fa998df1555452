//! What the layers above a device keep for it: a slot for each type.

use std::any::Any;
use std::sync::OnceLock;

/// A value of each type that somebody asked for. It goes when the device does.
///
/// A list that only grows: few types have a slot, and who launches looks here each time, so that finding one takes no lock.
#[derive(Default)]
pub struct Slots(OnceLock<Box<Slot>>);

struct Slot {
    value: Box<dyn Any + Send + Sync>,
    next: Slots,
}

impl Slots {
    /// The value of that type; what `make` gives where there is none yet. Of what two threads make at once, one is kept.
    #[inline]
    pub fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        let mut end = self;
        while let Some(slot) = end.0.get() {
            match slot.value.downcast_ref() {
                Some(value) => return value,
                None => end = &slot.next,
            }
        }
        end.append(make())
    }

    /// Other threads may have added theirs meanwhile, this type's among them.
    #[cold]
    fn append<T: Any + Send + Sync>(&self, value: T) -> &T {
        let mut made = Some(Box::new(Slot { value: Box::new(value), next: Slots::default() }));
        let mut end = self;
        loop {
            let slot = end.0.get_or_init(|| made.take().expect("taken once: the search ends where it was put"));
            match slot.value.downcast_ref() {
                Some(value) => return value,
                None => end = &slot.next,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn each_type_has_one_value() {
        let slots = Slots::default();
        assert_eq!(*slots.get(|| 1u32), 1);
        assert_eq!(*slots.get(|| "text"), "text");
        assert_eq!(*slots.get(|| 2u32), 1);
        slots.get(AtomicU32::default).fetch_add(1, Ordering::Relaxed);
        assert_eq!(slots.get(AtomicU32::default).load(Ordering::Relaxed), 1);
    }

    #[test]
    fn threads_agree_on_one_value() {
        for _ in 0..100 {
            let slots = Slots::default();
            let numbers: Vec<(u64, u32)> = std::thread::scope(|scope| {
                let thread = |number: u32| {
                    let slots = &slots;
                    scope.spawn(move || match number % 2 {
                        0 => (*slots.get(|| u64::from(number)), *slots.get(|| number)),
                        _ => {
                            let second = *slots.get(|| number);
                            (*slots.get(|| u64::from(number)), second)
                        }
                    })
                };
                let threads: Vec<_> = (0..4).map(thread).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(numbers.iter().all(|pair| *pair == numbers[0]), "{numbers:?}");
        }
    }
}
