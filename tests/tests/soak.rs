//! A short soak: random work from eight threads on every device, every byte checked, all memory given back. The long one
//! is `cargo bench -p netcl-tests --bench soak`.

use netcl::{Device, DeviceKind};
use netcl_tests::soak;
use std::time::Duration;

#[test]
fn random_work_from_many_threads_is_right_and_leaves_nothing() {
    for profile in Device::all() {
        if profile.kind == DeviceKind::Host {
            continue;
        }
        let device = Device::select(&profile.selector).unwrap();
        let report = soak::run(&device, 8, Duration::from_secs(8), 1).unwrap();
        eprintln!("{device}: {report:?}");
        assert_eq!(report.wrong, 0, "{device}: {report:?}");
        assert!(report.operations > 100 && report.checked > 1 << 20, "{device}: {report:?}");
        assert_eq!((report.device_bytes_left, report.pinned_bytes_left), (0, 0), "{device}: {report:?}");
    }
}
