//! Steps by gradients of a loss that was multiplied by a scale: what is known of the scale, all of it on the device.

use super::rules::Rule;
use super::settings::{accept, shown};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::Gradients;
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dtype::DType;
use std::sync::Arc;

/// A number on the device.
const BYTES: usize = size_of::<f32>();

/// The scale of a loss, and what its gradients said of it: what `GradScaler::step` gives to an optimizer.
pub struct Scaling {
    device: Device,
    rules: ScalingRules,
    /// How many elements a row of gradients has that the rules see.
    row: usize,
    /// The scale, and how many steps were made since it changed.
    state: BufferHandle,
    /// What the state becomes.
    next: BufferHandle,
    /// Of the gradients since the last update: 0 where there were none, 1 where all were finite, 2 where one was not.
    seen: BufferHandle,
    scale: Tensor,
    /// The scale of what was unscaled.
    one: Tensor,
}

/// What is computed with a scale, compiled with the macros.
#[derive(Clone, Copy)]
pub struct ScalingRules {
    /// From `(gradients, skipped, seen)` whether a gradient is not finite, how many steps were skipped then, and what was seen since the
    /// last update.
    pub check: Rule,
    /// From `(state, seen)` and numbers the next state.
    pub advance: Rule,
}

/// Where a scale stands: [`crate::io::save_scaled_checkpoint`] writes it to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalerState {
    /// The scale.
    pub scale: f64,
    /// How many steps in a row were made since it last changed.
    pub good_steps: u64,
}

impl ScalerState {
    /// That a scale can stand there.
    pub(crate) fn check(&self) -> Result<()> {
        let scale = self.scale as f32;
        accept(
            "grad_scaler",
            "scale",
            shown(self.scale),
            scale.is_finite() && scale > 0.0,
            "a positive number of `f32`",
        )?;
        let few = self.good_steps < 1 << f32::MANTISSA_DIGITS;
        accept("grad_scaler", "good_steps", self.good_steps, few, "fewer than 2^24 steps")
    }
}

/// What an optimizer knows of the steps that were not made. A clone is the same.
#[derive(Clone)]
pub(super) struct Skips {
    found: BufferHandle,
    skipped: BufferHandle,
    device: Device,
}

impl Skips {
    pub(super) fn new(device: &Device) -> Result<Skips> {
        let skips = Skips { found: device.allocate(BYTES)?, skipped: device.allocate(BYTES)?, device: device.clone() };
        skips.clear()?;
        Ok(skips)
    }

    pub(super) fn is_on(&self, device: &Device) -> bool {
        self.device == *device
    }

    /// Forgets how many there were.
    pub(super) fn clear(&self) -> Result<()> {
        self.skipped.zero_unrecorded()
    }

    /// How many there were. Waits for the device.
    pub(super) fn count(&self) -> Result<i32> {
        Ok(self.skipped().item::<f32>()? as i32)
    }

    /// Whether a gradient of the step is not finite.
    pub(super) fn found(&self) -> Tensor {
        number(&self.found, &self.device)
    }

    pub(super) fn skipped(&self) -> Tensor {
        number(&self.skipped, &self.device)
    }
}

impl Scaling {
    /// A scale on that device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`]; [`crate::Error::Driver`] if the driver fails.
    #[doc(hidden)]
    pub fn new(device: &Device, rules: ScalingRules, row: usize, state: ScalerState) -> Result<Scaling> {
        let own = device.allocate(2 * BYTES)?;
        own.note_changes();
        let scale = number(&own.part(0, BYTES)?, device);
        let (next, seen) = (device.allocate(2 * BYTES)?, device.allocate(BYTES)?);
        let one = Tensor::scalar(device, 1.0f32)?;
        let scaling = Scaling { device: device.clone(), rules, row, state: own, next, seen, scale, one };
        scaling.set_state(&state)?;
        Ok(scaling)
    }

    /// The scale, f32 without axes: a view, which changes.
    #[doc(hidden)]
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }

    /// The scale of these gradients.
    pub(super) fn scale_of(&self, gradients: &Gradients) -> Tensor {
        if gradients.is_unscaled() { self.one.clone() } else { self.scale.clone() }
    }

    /// Notes whether one of these is not finite; they have the rows that rules see.
    pub(super) fn check(&self, gradients: &Tensor, skips: &Skips) -> Result<()> {
        self.on_same_device(gradients.device())?;
        let (skipped, seen) = (skips.skipped(), number(&self.seen, &self.device));
        let into = [skips.found.clone(), skips.skipped.clone(), self.seen.clone()];
        (self.rules.check)().call_into(&self.device, &[gradients, &skipped, &seen], &[], &into)
    }

    /// An error if the gradients of a model on that device have another scaler.
    fn on_same_device(&self, device: &Device) -> Result<()> {
        if *device == self.device {
            return Ok(());
        }
        Err(Error::DeviceMismatch {
            operation: "grad_scaler".to_owned(),
            what: "the model, for which `GradScaler::new(&device)` of its own device makes a scaler,".to_owned(),
            expected: format!("the scaler's {}", self.device),
            found: device.beside(&self.device),
        })
    }

    /// Whether all are finite, which counts for the scale's next update. Waits for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::DeviceMismatch`] if they are on another device; [`crate::Error::OutOfMemory`]; what has failed before, as
    /// [`Device::finish`] tells it.
    pub fn are_finite(&self, gradients: &Gradients) -> Result<bool> {
        let (all, skips) = (gradients.flat_part("GradScaler::are_finite")?, Skips::new(&self.device)?);
        self.check(&all.reshape([(all.elements() / self.row) as i64, self.row as i64]), &skips)?;
        Ok(skips.count()? == 0)
    }

    /// These gradients divided by the scale; themselves if they were. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`]; [`crate::Error::DeviceMismatch`] if they are on another device.
    #[track_caller]
    pub fn unscale(&self, gradients: &Gradients) -> Result<Gradients> {
        if gradients.is_unscaled() {
            return Ok(gradients.clone());
        }
        self.on_same_device(gradients.device())?;
        gradients.unscaled(&self.scale.apply("recip", &[]))
    }

    /// Has the scale follow what its gradients said, if there were some since the last update.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`]; [`crate::Error::Driver`] if the driver fails.
    #[doc(hidden)]
    pub fn advance(&self, numbers: &[f64]) -> Result<()> {
        let numbers: Vec<Scalar> = numbers.iter().map(|number| Scalar::F32(*number as f32)).collect();
        let (state, seen) = (self.state(), number(&self.seen, &self.device));
        (self.rules.advance)().call_into(&self.device, &[&state, &seen], &numbers, std::slice::from_ref(&self.next))?;
        self.next.copy_to(&self.state, 2 * BYTES)?;
        self.seen.zero()
    }

    fn state(&self) -> Tensor {
        Tensor::from_region(self.state.clone(), Arc::from([2]), DType::F32, self.device.clone())
    }

    /// Where it stands. Waits for the device.
    ///
    /// # Errors
    ///
    /// What has failed before, as [`Device::finish`] tells it.
    #[doc(hidden)]
    pub fn known(&self) -> Result<ScalerState> {
        let state = self.state().to_vec::<f32>()?;
        Ok(ScalerState { scale: f64::from(state[0]), good_steps: state[1] as u64 })
    }

    /// Goes on from there.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if the scale is no positive number of `f32`, or the steps are too many for one.
    #[doc(hidden)]
    pub fn set_state(&self, state: &ScalerState) -> Result<()> {
        state.check()?;
        let bytes: Vec<u8> =
            [state.scale as f32, state.good_steps as f32].iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.state.write(&bytes)?;
        self.seen.zero_unrecorded()
    }
}

impl std::fmt::Debug for Scaling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scaling").field("device", &self.device).finish_non_exhaustive()
    }
}

fn number(memory: &BufferHandle, device: &Device) -> Tensor {
    Tensor::from_region(memory.clone(), Arc::from([]), DType::F32, device.clone())
}
