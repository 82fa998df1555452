//! Where profiles show what the host does.

use super::pool;
use crate::profile;
use std::sync::OnceLock;

/// Where what the host does is recorded.
pub(crate) fn host_tracks() -> &'static profile::Source {
    static TRACKS: OnceLock<profile::Source> = OnceLock::new();
    TRACKS.get_or_init(|| profile::Source::new("host", &format!("{} threads", pool::threads())))
}
