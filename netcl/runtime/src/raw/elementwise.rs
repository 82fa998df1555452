//! Elementwise kernels from an expression.

use super::kernel::RawKernel;
use super::spec::KernelSpec;
use super::tuner::WorkGroupTuner;
use super::{Arg, PRIMITIVE_PREAMBLE};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::expression::{Expression, opencl};
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;

/// Writes specs of elementwise kernels for elements of one type.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveBuilder {
    dtype: DType,
    fp16: bool,
    fast_math: bool,
    tuner: WorkGroupTuner,
}

impl PrimitiveBuilder {
    /// For elements of this type. Half precision is computed in `f32`, `u8` in `i32`.
    pub fn new(dtype: DType) -> PrimitiveBuilder {
        PrimitiveBuilder { dtype, fp16: false, fast_math: false, tuner: WorkGroupTuner::default() }
    }

    /// Its kernels enable arithmetic on `half`, as [`KernelSpec::fp16`]: for what is added to a spec. Expressions compute half
    /// precision in `f32` as before.
    #[must_use]
    pub fn fp16(mut self) -> PrimitiveBuilder {
        self.fp16 = true;
        self
    }

    /// Its kernels are built as [`KernelSpec::fast_math`] says: faster, and wrong for NaN and infinities.
    #[must_use]
    pub fn fast_math(mut self) -> PrimitiveBuilder {
        self.fast_math = true;
        self
    }

    /// With another rule for work-group sizes.
    #[must_use]
    pub fn tuner(mut self, tuner: WorkGroupTuner) -> PrimitiveBuilder {
        self.tuner = tuner;
        self
    }

    /// A kernel `out[i] = expression` over `arity` inputs whose elements the expression calls `v0`, `v1`, … Its arguments
    /// are the inputs, the output and the number of elements as a `ulong`.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] if the expression is wrong or names another input; [`Error::Setting`] of more than 64 inputs.
    pub fn elementwise_spec(&self, name: &str, arity: usize, expression: &str) -> Result<KernelSpec> {
        if arity > MOST_INPUTS {
            return Err(Error::Setting {
                operation: "PrimitiveBuilder::elementwise_spec".to_owned(),
                setting: "arity",
                given: arity.to_string(),
                accepted: "up to 64 inputs; compute some of it first, with another kernel",
            });
        }
        let variables = Expression::variables(arity);
        let parsed = Expression::parse(expression, &variables, self.dtype)?;
        // Another name than the kernel's.
        let function = if name == "element_value" { "value_of_element" } else { "element_value" };
        let inputs = variables.iter().map(|variable| format!("__global const REAL* {variable}"));
        let output = ["__global REAL* out".to_owned(), "ulong n".to_owned()];
        let parameters: Vec<String> = inputs.chain(output).collect();
        let loads: Vec<String> = variables.iter().map(|variable| format!("LOAD_REAL({variable}, i)")).collect();
        let body = format!(
            "    size_t i = get_global_id(0);\n    if (i < n) STORE_REAL(out, i, {function}({}));",
            loads.join(", ")
        );
        let mut spec = KernelSpec::new(name).exact();
        if self.fp16 {
            spec = spec.fp16();
        }
        spec = if self.fast_math {
            spec.fast_math()
        } else {
            // Rounded one by one, as on the host and in `algorithms::map`.
            spec.preamble("#pragma OPENCL FP_CONTRACT OFF\n")
        };
        Ok(spec
            .tuner(self.tuner)
            .dtype("REAL", self.dtype)
            .preamble(PRIMITIVE_PREAMBLE)
            .preamble(&opencl(&[parsed.function(function, &variables)])?)
            .parameters(parameters.iter().map(String::as_str))
            .body(&body))
    }

    /// Builds an elementwise kernel in one step, as [`elementwise`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] if the expression is wrong; those of [`KernelSpec::build`].
    pub fn elementwise(&self, device: &Device, expression: &str) -> Result<Elementwise> {
        // The parser names the input that is one too many.
        let arity = Expression::arity(expression).min(MOST_INPUTS);
        let kernel = self.elementwise_spec("elementwise", arity, expression)?.build(device)?;
        Ok(Elementwise { kernel, arity, dtype: self.dtype })
    }
}

/// Not all devices take longer lists of arguments.
const MOST_INPUTS: usize = 64;

/// A kernel that was built from an expression. Made by [`elementwise`] and
/// [`PrimitiveBuilder::elementwise`].
#[derive(Debug)]
pub struct Elementwise {
    kernel: RawKernel,
    arity: usize,
    dtype: DType,
}

/// Builds an elementwise kernel in one step: as many inputs as the expression names (`v0`, `v1`, …), elements of `dtype`.
///
/// What an expression may hold is written at [`crate::algorithms`], whose [`crate::algorithms::map`] does the same on every
/// device, the host included.
///
/// ```
/// use netcl::{DType, Device, Tensor, raw};
/// # let Ok(device) = Device::select("cpu") else { return Ok(()) };
/// let mul_add = raw::elementwise(&device, "MUL(ADD(v0, v1), 2.0f)", DType::F32)?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
/// assert_eq!(mul_add.call(&[&x, &x])?.to_vec::<f32>()?, [4.0, 8.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Expression`] if the expression is wrong; those of [`KernelSpec::build`].
#[doc(alias = "build_elementwise_kernel")]
pub fn elementwise(device: &Device, expression: &str, dtype: DType) -> Result<Elementwise> {
    PrimitiveBuilder::new(dtype).elementwise(device, expression)
}

impl Elementwise {
    /// The result for inputs of one shape, which it has too. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`Error::KernelArgumentCount`], [`Error::Shape`], [`Error::DType`] and [`Error::DeviceMismatch`] if the inputs
    /// are not as many as the expression names, or not alike; [`Error::OutOfMemory`] if there is no memory for the
    /// result; those of [`super::RawKernel::launch`].
    pub fn call(&self, inputs: &[&Tensor]) -> Result<Tensor> {
        let count = || Error::KernelArgumentCount {
            kernel: self.kernel.name().to_owned(),
            expected: self.arity,
            found: inputs.len(),
            parameters: Expression::variables(self.arity).join(", "),
        };
        if inputs.len() != self.arity {
            return Err(count());
        }
        let Some(first) = inputs.first() else {
            let message = "the expression names no input, so the result has no shape; use `Tensor::full`".to_owned();
            return Err(Error::Shape { operation: "elementwise", message });
        };
        for input in inputs {
            input.region()?;
            if input.dtype() != self.dtype {
                return Err(Error::DType { operation: "elementwise", expected: self.dtype, found: input.dtype() });
            }
            if input.shape() != first.shape() {
                let message = format!("all inputs have one shape, found {:?} and {:?}", first.shape(), input.shape());
                return Err(Error::Shape { operation: "elementwise", message });
            }
        }
        let elements = first.elements();
        let out = Tensor::uninitialised("elementwise", self.kernel.device(), first.shape(), self.dtype)?;
        let mut arguments: Vec<Arg<'_>> = inputs.iter().map(|&input| input.into()).collect();
        arguments.extend([Arg::from(&out), Arg::from(elements as u64)]);
        self.kernel.run(&arguments, &self.kernel.grid(elements))?;
        Ok(out.computed_by("elementwise", inputs))
    }

    /// The kernel that it launches.
    pub fn kernel(&self) -> &RawKernel {
        &self.kernel
    }
}
