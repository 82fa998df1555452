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

/// Hears on standard error what is logged.
struct Heard;

impl tracing::Subscriber for Heard {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        eprintln!("heard");
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
#[ignore = "run by the next one, in a process of its own"]
fn child_warns_while_it_ends() {
    tracing::subscriber::set_global_default(Heard).unwrap();
    at_exit(|| {
        tracing::warn!("too late for subscribers");
        say_at_exit(format_args!("said"));
        Rest::Idle
    });
    tracing::warn!("in time");
    std::process::exit(0);
}

#[test]
fn subscribers_hear_nothing_while_the_process_ends() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::tests::child_warns_while_it_ends", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{child:?}");
    assert_eq!((said.matches("heard").count(), said.contains("netcl: said")), (1, cfg!(unix)), "{said}");
}
