use super::{json, printed, refused};
use netcl_fixtures::devices::selectors;

#[test]
fn every_measurement_has_a_time_and_what_moves_or_computes_a_rate() {
    for device in &selectors() {
        let value = json(&["bench", "--quick", "--device", device]);
        assert_eq!(value["device"]["selector"], device.as_str());
        let measured = value["measurements"].as_array().unwrap();
        let names: Vec<&str> = measured.iter().map(|one| one["what"].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "copy to the device",
                "copy from the device",
                "copy on the device",
                "elementwise chain",
                "matrix product",
                "launch, host's share",
                "launch, until done"
            ]
        );
        for one in measured {
            assert!(one["median_seconds"].as_f64().unwrap() > 0.0, "{device}: {one}");
            assert_eq!(one["seconds"].as_array().unwrap().len(), 3, "{device}: {one}");
            let launch = one["what"].as_str().unwrap().starts_with("launch");
            assert_eq!(one["rate"].is_null(), launch, "{device}: {one}");
            assert!(launch || one["rate"].as_f64().unwrap() > 0.0, "{device}: {one}");
        }
    }
}

#[test]
fn of_the_null_device_a_launch_is_measured() {
    let table = printed(&["bench", "--quick", "--device", "null"]);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.lines().nth(2).is_some_and(|line| line.starts_with("launch, host's share")), "{table}");
}

#[test]
fn an_unknown_device_is_an_error() {
    assert!(refused(&["bench", "--device", "no such device"], 1).contains("host = "));
}
