//! Products and convolutions with computed operands, and their gradients, against the reference interpreter.

use crate::Case;
use crate::model_cases::example;
use netcl_fixtures::prologues::{FORMS, LOSSES, PARTS};
use netcl_kernels::autodiff::{Arguments, append_gradients};

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for batch in [1, 7, 33] {
        for form in FORMS.iter().chain(PARTS) {
            // Operands and results of half precision are rounded where they are stored.
            let tolerance = if form.name.contains("f16") { 2e-2 } else { 2e-5 };
            let name = format!("prologues::{}, batch {batch}", form.name);
            cases
                .push(Case::new(name, move |device| example((form.build)(), &[("N", batch)]).check(device, tolerance)));
        }
        for form in LOSSES {
            let name = format!("prologues::gradients of {}, batch {batch}", form.name);
            cases.push(Case::new(name, move |device| {
                let graph = append_gradients((form.build)(), Arguments::Floats).map_err(|error| error.to_string())?;
                example(graph, &[("N", batch)]).check(device, 5e-5)
            }));
        }
    }
    cases
}
