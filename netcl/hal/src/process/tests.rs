use super::*;

#[test]
fn a_lock_under_which_a_thread_panicked_is_free() {
    let mutex = Mutex::new(3);
    let panics = std::panic::AssertUnwindSafe(|| {
        let _guard = mutex.lock().unwrap();
        panic!("on purpose")
    });
    assert!(std::panic::catch_unwind(panics).is_err() && mutex.is_poisoned());
    assert_eq!(try_lock(&mutex).map(|value| *value), Some(3));
    let _held = try_lock(&mutex);
    assert!(try_lock(&mutex).is_none());
}
