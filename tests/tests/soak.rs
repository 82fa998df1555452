//! A short soak: random work from eight threads on every device, every byte checked, all memory given back. The long one
//! is `cargo bench -p netcl-tests --bench soak`.

#[path = "../../netcl/tests/common/devices.rs"]
mod devices;

use netcl_tests::soak;
use std::time::Duration;

#[test]
fn random_work_from_many_threads_is_right_and_leaves_nothing() {
    for device in devices::with_driver() {
        let (mut operations, mut checked) = (0, 0);
        // Long enough on any machine; until that was something on one that has other work.
        for seed in 1.. {
            let report = soak::run(&device, 8, Duration::from_secs(8), seed).unwrap();
            eprintln!("{device}: {report:?}");
            assert_eq!(report.wrong, 0, "{device}: {report:?}");
            assert_eq!((report.device_bytes_left, report.pinned_bytes_left), (0, 0), "{device}: {report:?}");
            operations += report.operations;
            checked += report.checked;
            if operations > 100 && checked > 1 << 20 {
                break;
            }
        }
    }
}
