//! One suite, every device: cases are data, the devices present are found at start, each pair is a test.

mod algorithms;
mod exceptions;
mod float_cases;
mod goldens;
mod graphs;
mod halves;
mod layers;
mod limits;
mod memory;
mod model_cases;
mod prologue_cases;
mod pytorch;
mod random;
mod scatter_cases;
mod sub_groups;
mod types;
mod variants;
mod view_cases;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use netcl::Device;
use netcl_fixtures::{devices, managers};

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

fn main() {
    let arguments = Arguments::from_args();
    let found = Device::all();
    if devices::required() && !found.iter().any(|info| info.selector.starts_with("opencl:")) {
        eprintln!("no OpenCL device was found, but NETCL_REQUIRE_OPENCL is set: install a driver such as PoCL");
        std::process::exit(1);
    }
    let mut trials = Vec::new();
    for info in found {
        let compiled = if info.selector.starts_with("opencl:") { goldens::all() } else { Vec::new() };
        let variants = if info.selector.starts_with("opencl:") { variants::all() } else { Vec::new() };
        for case in compiled
            .into_iter()
            .chain(model_cases::all())
            .chain(prologue_cases::all())
            .chain(scatter_cases::all())
            .chain(view_cases::all())
            .chain(float_cases::all())
            .chain(pytorch::all())
            .chain(layers::all())
            .chain(sub_groups::all())
            .chain(limits::all())
            .chain(types::all())
            .chain(memory::all())
            .chain(halves::all())
            .chain(random::all())
            .chain(algorithms::all())
            .chain(variants)
        {
            let exception = exceptions::reason(&info, &case.name);
            let selector = info.selector.clone();
            let name = format!("{selector} {}", case.name);
            trials.push(Trial::ignorable_test(name, move || {
                let device = managers::select(&selector).map_err(|error| Failed::from(error.to_string()))?;
                match (exception, (case.run)(&device)) {
                    (None, result) => result,
                    (Some(_), Err(_)) => Ok(Completion::Completed),
                    (Some(reason), Ok(_)) => Err(format!("passes, but is listed as failing: {reason}").into()),
                }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
