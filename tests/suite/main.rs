//! One suite, every device: cases are data, the devices present are found at start, each pair is a test.

mod algorithms;
mod exceptions;
mod float_cases;
mod fourier_cases;
mod goldens;
mod graphs;
mod halves;
mod layers;
mod limits;
mod linalg_cases;
mod long_sums;
mod memory;
mod model_cases;
mod ordering_cases;
mod prologue_cases;
mod pytorch;
mod random;
mod recorded;
mod scatter_cases;
mod sub_groups;
mod types;
mod variant_graphs;
mod variants;
mod view_cases;
mod wide_cases;
mod workers;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use netcl::{Device, DeviceProfile};
use netcl_fixtures::devices;
use std::collections::BTreeMap;

type Check = Box<dyn Fn(&Device) -> Result<Completion, Failed> + Send + Sync>;

/// Something that must hold on every device, or is ignored with a reason where the device lacks what it needs.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) run: Check,
}

impl Case {
    /// A case that every device can run.
    pub(crate) fn new(name: String, run: impl Fn(&Device) -> Result<(), Failed> + Send + Sync + 'static) -> Case {
        Case { name, run: Box::new(move |device| run(device).map(|()| Completion::Completed)) }
    }
}

/// A case on a device.
type Run = Box<dyn Fn() -> Result<Completion, Failed> + Send + Sync>;

fn main() {
    let mut arguments = Arguments::from_args();
    let found = Device::all();
    if workers::is_worker() {
        let runs: BTreeMap<String, Run> = runs(found).into_iter().collect();
        let unknown = |name: &str| Err(format!("no case is called `{name}`").into());
        let served = workers::serve(|name| runs.get(name).map_or_else(|| unknown(name), |run| run()));
        // Nobody is left to be told: whoever asked has gone.
        std::process::exit(i32::from(served.is_err()));
    }
    if devices::required() && !found.iter().any(|info| info.selector.starts_with("opencl:")) {
        eprintln!("no OpenCL device was found, but NETCL_REQUIRE_OPENCL is set: install a driver such as PoCL");
        std::process::exit(1);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = *arguments.test_threads.get_or_insert(threads.min(workers::MOST));
    let trials = runs(found).into_iter().map(|(name, run)| {
        let case = name.clone();
        // One after the other, in this process: for debuggers, and for devices that are simulated.
        Trial::ignorable_test(name, move || if threads == 1 { run() } else { workers::run(&case) })
    });
    let trials = trials.collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Every case on every device, by name.
fn runs(found: Vec<DeviceProfile>) -> Vec<(String, Run)> {
    let mut runs: Vec<(String, Run)> = Vec::new();
    for info in found {
        let compiled = if info.selector.starts_with("opencl:") { goldens::all() } else { Vec::new() };
        let variants = if info.selector.starts_with("opencl:") { variants::all() } else { Vec::new() };
        for case in compiled
            .into_iter()
            .chain(model_cases::all())
            .chain(prologue_cases::all())
            .chain(ordering_cases::all())
            .chain(fourier_cases::all())
            .chain(linalg_cases::all())
            .chain(scatter_cases::all())
            .chain(view_cases::all())
            .chain(float_cases::all())
            .chain(pytorch::all())
            .chain(layers::all())
            .chain(recorded::all())
            .chain(sub_groups::all())
            .chain(limits::all())
            .chain(long_sums::all())
            .chain(types::all())
            .chain(memory::all())
            .chain(halves::all())
            .chain(random::all())
            .chain(algorithms::all())
            .chain(wide_cases::all())
            .chain(variants)
        {
            let exception = exceptions::reason(&info, &case.name);
            let left_out = exceptions::left_out(&info, &case.name);
            let selector = info.selector.clone();
            let name = format!("{selector} {}", case.name);
            let run = move || {
                if let Some(reason) = left_out {
                    return Ok(Completion::ignored_with(reason));
                }
                let device = Device::select(&selector).map_err(|error| Failed::from(error.to_string()))?;
                match (exception, (case.run)(&device)) {
                    (None, result) => result,
                    (Some(_), Err(_)) => Ok(Completion::Completed),
                    (Some(reason), Ok(_)) => Err(format!("passes, but is listed as failing: {reason}").into()),
                }
            };
            runs.push((name, Box::new(run)));
        }
    }
    runs
}
