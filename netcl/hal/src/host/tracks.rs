//! Where profiles show what the host does.

use super::pool;
use crate::profile;
use std::sync::OnceLock;

/// Where what the host does is recorded.
pub(crate) fn host_tracks() -> &'static profile::DeviceTracks {
    static TRACKS: OnceLock<profile::DeviceTracks> = OnceLock::new();
    TRACKS.get_or_init(|| profile::DeviceTracks::new("host", &format!("{} threads", pool::threads())))
}
