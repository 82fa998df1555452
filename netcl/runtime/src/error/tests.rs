use super::*;

#[test]
fn a_main_that_fails_prints_the_message() {
    let error = Error::Kernel { kernel: "k".into(), problem: "it is\n broken".into() };
    assert_eq!(format!("{error:?}"), "kernel `k`: it is\n broken");
}

#[test]
fn an_operation_is_named_once() {
    let error = |message: &str| Error::graph("add", Diagnostic::new(message)).to_string();
    assert_eq!(error("`add` cannot combine shapes [2] and [3]"), "`add` cannot combine shapes [2] and [3]");
    assert_eq!(error("it has no result"), "`add`: it has no result");
    assert_eq!(error("`add_all` expects two tensors"), "`add`: `add_all` expects two tensors");
}

#[test]
fn of_a_long_expression_the_place_is_shown() {
    assert_eq!(around("v0 +", 5), "v0 +");
    let long = format!("{}w{}", "v0 + ".repeat(1000), " + v0".repeat(1000));
    let shown = around(&long, 5001);
    assert!(shown.starts_with('…') && shown.contains(" w ") && shown.ends_with('…'), "{shown}");
    assert!(shown.chars().count() <= 62, "{shown}");
}
