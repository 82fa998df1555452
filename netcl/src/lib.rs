//! netcl: deep learning for every OpenCL device, with gradients generated while your crate compiles.
//!
//! A model is a struct and functions under [`macro@model`], a kernel of your own stands in [`kernel!`]. While your crate is
//! built, their shapes are checked, they are differentiated, fused and written as OpenCL C and Rust. They run on every OpenCL
//! device and, where there is none, on the host's processor.
//!
//! ```
//! use netcl::prelude::*;
//!
//! #[netcl::model]
//! struct Classifier {
//!     #[layer(inputs = 4, outputs = 8)]
//!     hidden: Linear,
//!     #[layer(inputs = 8, outputs = 3)]
//!     output: Linear,
//! }
//!
//! #[netcl::model]
//! impl Classifier {
//!     fn loss(&self, x: &Tensor<f32, N, 4>, labels: &Tensor<u32, N>) -> Tensor<f32> {
//!         self.output.forward(&self.hidden.forward(x).relu()).cross_entropy(labels)
//!     }
//! }
//!
//! let device = Device::auto()?; // a GPU, else an accelerator, else the host
//! let mut model = Classifier::new(&device, Seed(42))?;
//! let mut optimizer = AdamW::new(1e-2);
//! let x = Tensor::from_slice(&device, &[0.1f32, 0.9, 0.4, 0.7, 0.8, 0.2, 0.6, 0.3], &[2, 4])?;
//! let labels = Tensor::from_slice(&device, &[2u32, 0], &[2])?;
//! let mut losses = Vec::new();
//! for _ in 0..20 {
//!     let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
//!     optimizer.step(&mut model, &gradients)?;
//!     losses.push(loss.item::<f32>()?);
//! }
//! assert!(losses[19] < losses[0]);
//! # Ok::<(), netcl::Error>(())
//! ```
//!
//! | for | see |
//! |---|---|
//! | models and their training | [`macro@model`], [`Model`], [`optim`], [`data`], [`io`]; their layers as types: [`layers`], at run time: [`nn`] |
//! | kernels of your own | [`kernel!`], [`macro@function`], [`simt`]; of OpenCL C as text: [`raw`] |
//! | tensors at run time | [`Tensor`], [`algorithms`]; graphs: [`jit`] |
//! | devices | [`Device`], [`DeviceManager`], [`DeviceProfile`], [`Partition`] |
//! | memory, copies, waiting | [`BufferPool`], [`PinnedBufferPool`], [`ToHost`], [`Event`], [`UserEvent`], [`Interrupt`] |
//! | launches, programs, times | [`Recording`], [`cache`], [`profile`] |
//! | which kernel computes what | [`select`] |
//! | what can go wrong | [`Error`] |
//!
//! The pages in `docs/` of the repository tell more, `examples/` has programs to copy from.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Who calls a public function must know what can go wrong.
#![warn(clippy::missing_errors_doc)]

// What the macros generate says `::netcl`, here as in users' crates.
extern crate self as netcl;

#[doc(hidden)]
pub mod __private;
pub mod optim;
pub mod prelude;

pub use netcl_macros::{constant, dynamic, function, kernel, model, tensors};
#[doc(inline)]
pub use netcl_runtime::*;

#[cfg(test)]
mod tests_from_python;

/// The programs in pages of `docs/` are compiled and run with the other examples.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/algorithms.md")]
    mod algorithms {}
    #[doc = include_str!("../../docs/from-python.md")]
    mod from_python {}
    #[doc = include_str!("../../docs/kernels.md")]
    mod kernels {}
    #[doc = include_str!("../../docs/lazy.md")]
    mod lazy {}
    #[doc = include_str!("../../docs/memory.md")]
    mod memory {}
    #[doc = include_str!("../../docs/mistakes.md")]
    mod mistakes {}
    #[doc = include_str!("../../docs/models.md")]
    mod models {}
    #[doc = include_str!("../../docs/programs.md")]
    mod programs {}
    #[doc = include_str!("../../docs/raw-kernels.md")]
    mod raw_kernels {}
    #[doc = include_str!("../../docs/selection.md")]
    mod selection {}
}
