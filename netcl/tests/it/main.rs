//! The run time from outside, on every device that computes. What counts things of the whole process is in `tests/alone`.
#![allow(unreachable_pub, reason = "models stand here as users write them")]

mod batches;
mod cache;
mod checkpoints;
mod custom;
mod decompositions;
mod derivatives;
mod derivatives_around;
mod derivatives_stopped;
mod devices;
mod environment;
mod events;
mod faults;
#[cfg(unix)]
mod forks;
mod gradients;
mod long_axes;
mod long_chains;
mod mistakes;
mod misuse;
mod native;
mod plans;
mod profile;
mod pullbacks;
mod queues;
mod raw_kernels;
mod scaler;
mod selection;
mod tensors;
mod threads;
mod tiers;
mod training;
mod unverified;
