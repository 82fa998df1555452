//! Which kernel computes a task on a device: measurements, rules, and the tests that come before both.
//!
//! The compiler has several implementations ([`Variant`]s) of a matrix product, a convolution, a reduction, each with
//! tunables. A [`KernelSelector`] picks one for a [`Task`] on its device; the executor asks it when a function or a
//! run-time operation meets sizes for the first time. In this order:
//!
//! 1. what was measured on this device for sizes of the same bucket ([`Reason::Measured`]);
//! 2. what was measured for the nearest shape, here or on a device of the same architecture ([`Reason::Nearest`]);
//! 3. a rule for devices of a kind ([`Reason::VendorRule`]);
//! 4. the compiler's own rule ([`Reason::Default`]).
//!
//! [`crate::Device::tune`] measures; what it finds is kept on disk and used by every later run. `docs/selection.md` has the
//! whole story.
//!
//! ```no_run
//! use netcl::select::{Product, Task, TuneOptions};
//! use netcl::{Axis, DType, Device};
//! use std::time::Duration;
//!
//! let device = Device::auto()?;
//! let (m, n, k) = (512, 512, 512);
//! let task = Task::Product(Product {
//!     m, n, k, batch: 1, a: Axis::K, b: Axis::Outer, aligned: true, dtype: DType::F32,
//! });
//! let options = TuneOptions { budget: Duration::from_secs(5), ..TuneOptions::default() };
//! let tuning = device.tune(&task, &options)?;
//! println!("{tuning}");
//! let selection = device.selector().select(&task);
//! println!("{} ({})", selection.config, selection.reason);
//! # Ok::<(), netcl::Error>(())
//! ```

mod bench;
mod device;
mod force;
mod functions;
mod policy;
mod reason;
mod records;
mod rules;
mod selector;
mod shape;
mod state;
#[cfg(test)]
mod testing;
mod trial;
mod tuner;

pub use force::Forced;
pub(crate) use functions::tune;
pub use netcl_kernels::graph::ConvKind;
pub use netcl_kernels::graph::ReduceOp;
pub use netcl_kernels::variant::{
    BatchNorm, Conv2dTask, Elementwise, Family, KernelConfig, Product, Recurrence, Reduction, Task, Variant,
};
pub use reason::{Reason, Selection};
pub use records::{Record, RecordFile, record_files};
pub use selector::KernelSelector;
pub(crate) use state::DeviceSelector;
pub use tuner::{Candidate, Outcome, Progress, TuneOptions, Tuning};
