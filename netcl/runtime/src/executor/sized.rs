//! Plans that are called for arguments of the same types and shapes again and again.

use crate::device::Device;
use crate::error::Result;
use crate::executor::call::{Call, Outputs};
use crate::executor::check::Sizes;
use crate::executor::loaded::Loaded;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A plan, for arguments whose types and shapes are always the same: what they say is asked once.
#[derive(Clone)]
pub(crate) struct SizedPlan(Arc<(Arc<Loaded>, OnceLock<Sizes>)>);

impl SizedPlan {
    pub(crate) fn new(loaded: Arc<Loaded>) -> SizedPlan {
        SizedPlan(Arc::new((loaded, OnceLock::new())))
    }

    /// As [`Loaded::call`], with arguments of these types and shapes.
    pub(crate) fn call(&self, device: &Device, call: &Call<'_>) -> Result<Outputs> {
        let (loaded, sizes) = &*self.0;
        loaded.call_sized(device, call, Some(sizes))
    }
}

impl Deref for SizedPlan {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.0.0
    }
}
