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
//! [`Device::tune`] measures; what it finds is kept on disk and used by every later run. `docs/selection.md` has the
//! whole story.
//!
//! ```
//! use netcl::select::{KernelConfig, Product, Task, TuneOptions};
//! use netcl::{Axis, DType, Device};
//! use std::time::Duration;
//!
//! # let Ok(device) = Device::select("cpu") else { return Ok(()) };
//! let (m, n, k) = (64, 64, 64);
//! let task = Task::Product(Product {
//!     m, n, k, batch: 1, a: Axis::K, b: Axis::Outer, aligned: true, dtype: DType::F32,
//! });
//! # let options = TuneOptions { candidates: 2, ..TuneOptions::default() };
//! # let _options = options;
//! let options = TuneOptions { budget: Duration::from_millis(200), ..TuneOptions::default() };
//! let tuning = device.tune(&task, &options)?;
//! println!("{tuning}");
//! println!("{} ({})", device.selector().select(&task).config, device.selector().select(&task).reason);
//! # Ok::<(), netcl::Error>(())
//! ```

mod force;
mod functions;
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
pub use netcl_kernels::graph::ReduceOp;
pub use netcl_kernels::plan::ConvKind;
pub use netcl_kernels::variant::{
    BatchNorm, Conv2dTask, Elementwise, Family, KernelConfig, Product, Reduction, Task, Variant,
};
pub use reason::{Reason, Selection};
pub use records::Record;
pub use selector::KernelSelector;
pub(crate) use state::State;
pub use tuner::{Candidate, Outcome, Progress, TuneOptions, Tuning};
