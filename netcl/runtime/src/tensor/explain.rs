//! How a pending value will be computed, as text.

use crate::error::Result;
use crate::tensor::{Tensor, evaluation};
use crate::{jit, report};

impl Tensor {
    /// How it will be computed when it is needed: the graph of what leads to it, the key by which its plan is found, the plan's
    /// kernels with what they read and write, and their OpenCL C on devices that build it. Nothing is computed; the graph is compiled,
    /// as it would be then.
    ///
    /// In the graph, a leading size that is not 1 is the symbol `N`: the plan serves all of them. Numbers that operations
    /// take by value are `number0` and so on.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::host(), &[1.0f32, 2.0, 3.0], &[3])?;
    /// let text = (x.exp() + &x).relu().explain()?;
    /// assert!(text.starts_with("exp_add_relu, found by "), "{text}");
    /// assert!(text.contains("exp_add_relu on host: 1 launch"), "{text}");
    /// assert_eq!(x.explain()?, "f32 [3], in memory\n");
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::Operation`] if it cannot be computed; [`crate::Error::Graph`] and [`crate::Error::Unsupported`] if what leads to it
    /// cannot be compiled for the device.
    #[doc(alias("trace", "print", "hlo"))]
    pub fn explain(&self) -> Result<String> {
        self.checked()?;
        let Some(loaded) = evaluation::plan_of(self)? else {
            return Ok(format!("{} {:?}, in memory\n", self.dtype(), self.shape()));
        };
        let (graph, plan) = loaded.likely(self.device())?;
        let mut text = String::new();
        if let Some(graph) = graph {
            text = format!("{}, found by {:016x}\n\n{graph}\n", plan.name, jit::key(&graph));
        }
        text.push_str(&report::plan(&plan, &report::BATCHES)?);
        let source = plan.source.to_string();
        if !source.is_empty() {
            text.push('\n');
            text.push_str(&source);
        }
        Ok(text)
    }
}
