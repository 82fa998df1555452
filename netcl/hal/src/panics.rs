//! Panics of code that is not netcl's.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `work` gives; `None` if it panics. Whatever it does, nothing unwinds out of this.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).map_err(discard).ok()
}

/// Drops what a panic carried: anything, whose own `drop` may panic. What that panic carries is not dropped.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(another);
    }
}

#[cfg(test)]
mod tests {
    use super::caught;

    /// Panics when it is dropped, so many times in a row.
    struct Bomb(u32);

    impl Drop for Bomb {
        fn drop(&mut self) {
            if let Some(left) = self.0.checked_sub(1) {
                std::panic::panic_any(Bomb(left));
            }
        }
    }

    #[test]
    fn nothing_unwinds_out_of_it() {
        assert_eq!(caught(|| 7), Some(7));
        for bombs in 0..3 {
            assert_eq!(caught(|| -> u32 { std::panic::panic_any(Bomb(bombs)) }), None);
        }
    }
}
