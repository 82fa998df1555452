//! Events on standard error, for those who set `NETCL_LOG` and bring no `tracing` subscriber of their own.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Installs the writer if `level` is given; a subscriber that is installed already stays.
pub fn install(level: Option<LevelFilter>) {
    static ONCE: Once = Once::new();
    if let Some(level) = level {
        ONCE.call_once(|| {
            let _ = tracing::subscriber::set_global_default(Stderr { level });
        });
    }
}

struct Stderr {
    level: LevelFilter,
}

impl Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("netcl")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        // Programs depend on `netcl` and do not know what it consists of.
        let target = event.metadata().target().replacen("netcl_runtime", "netcl", 1).replacen("netcl_hal", "netcl", 1);
        let mut line = Line(format!("{:>5} {target}:", event.metadata().level()));
        event.record(&mut line);
        // A reader of standard error who has seen enough is no reason to panic.
        let _ = writeln!(std::io::stderr(), "{}", line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
