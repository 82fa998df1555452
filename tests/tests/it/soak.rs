//! A short soak: random work from eight threads on every device and in queues that are out of order, every byte checked, all
//! memory given back. The long one is `cargo bench -p netcl-tests --bench soak`.

use netcl::QueueOrder;
use netcl_fixtures::devices;
use netcl_fixtures::processes::again;
use netcl_tests::soak;
use std::time::Duration;

#[test]
fn random_work_from_many_threads_is_right_and_leaves_nothing() {
    let status = again(module_path!(), "child").status().unwrap();
    assert!(status.success(), "{status}");
}

/// A process of its own: its memory and its programs are counted.
#[test]
#[ignore = "run by the one above, in a process of its own"]
fn child() {
    for device in devices::with_driver() {
        let bears = devices::bearing_several_queues(vec![device.clone()]).pop();
        let unordered =
            bears.and_then(|device| device.with_queue(QueueOrder::OutOfOrder).ok()).map(|device| (device, 3));
        for (device, seconds) in [(device, 8)].into_iter().chain(unordered) {
            let (mut operations, mut checked) = (0, 0);
            // Long enough on any machine; until that was something on one that has other work.
            for seed in 1.. {
                let report = soak::run(&device, 8, Duration::from_secs(seconds), seed, &[]).unwrap();
                eprintln!("{device}: {report:?}");
                assert_eq!(report.problems(), [""; 0], "{device}: {report:?}");
                operations += report.operations;
                checked += report.checked;
                if operations > 100 && checked > 1 << 20 {
                    break;
                }
            }
        }
    }
}
