//! Events under tokio: tasks wait for devices without keeping its threads.

use netcl::prelude::*;
use netcl_fixtures::devices;
use std::time::Duration;

#[test]
fn tasks_wait_for_devices_side_by_side() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    for device in devices::all() {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..20)
                .map(|number| {
                    let device = device.clone();
                    tokio::spawn(async move {
                        let x = Tensor::full(&device, number as f32, &[200, 500])?;
                        let y = x.apply("relu", &[]).add(&x);
                        device.record_event()?.await?;
                        tokio::time::sleep(Duration::from_millis(1)).await;
                        y.to_host_async::<f32>()?.await
                    })
                })
                .collect();
            for (number, task) in tasks.into_iter().enumerate() {
                let values: netcl::Result<Vec<f32>> = task.await.unwrap();
                assert_eq!(values.unwrap(), vec![2.0 * number as f32; 100_000], "{device}");
            }
            let gate = netcl::UserEvent::new();
            let limited = tokio::time::timeout(Duration::from_millis(20), gate.event()).await;
            assert!(limited.is_err(), "nobody has completed it");
            let event = gate.event();
            let (result, ()) = tokio::join!(event, async { gate.complete() });
            result.unwrap();
        });
    }
}
