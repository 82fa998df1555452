//! Graphs run on a device and by the reference interpreter, compared.

use half::{bf16, f16};
use libtest_mimic::{Completion, Failed};
use netcl::__private::{Function, FunctionSource, PlanSource};
use netcl::{Avoid, DType, Device, Tensor};
use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::{Dim, IndexWidth, Shape, Symbol};
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{Graph, InputKind, Node, Op, OutputKind};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::span::Span;
use netcl_kernels::template::{Limits, MatrixUnit};
use netcl_kernels::variant::{Select, typical};

/// A graph's plan, and the function that runs it.
pub(crate) struct Compiled {
    function: Function,
    pub(crate) plan: Plan,
}

/// A graph with its inputs.
pub(crate) struct Example {
    pub(crate) graph: Graph,
    pub(crate) bindings: Vec<(Symbol, u64)>,
    pub(crate) inputs: Vec<(InputKind, String, HostTensor)>,
}

/// What every device has, and the device's own matrix unit with the tiles that it is used with.
pub(crate) fn limits(device: &Device, target: Target) -> Limits {
    let (profile, typical) = (device.profile(), typical(target));
    let Some(ptx) = profile.ptx else { return typical };
    Limits {
        local_bytes: profile.local_memory.usable.max(typical.local_bytes),
        work_group: typical.work_group.max(profile.max_work_group as u32),
        matrix_unit: MatrixUnit { f16: ptx.mma_f16, bf16: ptx.mma_bf16, warpgroups: ptx.wgmma },
        ..typical
    }
}

impl Example {
    /// The same function of plain arguments alone, as the JIT takes it, every output a result.
    fn as_function(&self) -> Graph {
        let mut graph = self.graph.clone();
        let mut position = 0;
        for node in &mut graph.nodes {
            if let Op::Input(kind) = &mut node.op {
                *kind = InputKind::Argument(position);
                position += 1;
            }
        }
        // Arguments bind symbols; one that appears in products of sizes only is bound by an argument of its own.
        for (number, (symbol, _)) in self.bindings.iter().enumerate() {
            let shape = Shape(vec![Dim::symbol(symbol.name())]);
            let op = Op::Input(InputKind::Argument(position + number));
            let (name, origins) = (format!("size_{symbol}"), Vec::new());
            graph.nodes.push(Node { op, shape, dtype: DType::U8, name, span: Span::NONE, origins });
        }
        for (position, (kind, _)) in graph.outputs.iter_mut().enumerate() {
            *kind = OutputKind::Result(position);
        }
        graph
    }

    /// What the device's own pipeline computes from the inputs: the outputs in the graph's order.
    pub(crate) fn run(&self, device: &Device) -> Result<Vec<Tensor>, Failed> {
        let arguments = self.arguments(device)?;
        let arguments: Vec<&Tensor> = arguments.iter().collect();
        let graph = self.as_function();
        of_every_tier(device, || netcl::jit::run(&graph, &arguments))
    }

    /// The graph as the device is to run it, compiled for devices of the kind `target` by what `select` chooses, with indices of
    /// that width; for examples of any size alike.
    pub(crate) fn compiled(
        &self,
        device: &Device,
        target: Target,
        select: &dyn Select,
        width: IndexWidth,
    ) -> Result<Compiled, Failed> {
        let options = CompileOptions { limits: limits(device, target), select, width };
        let mut plan = compile_with(&self.as_function(), target, &options).map_err(|error| error.to_string())?;
        // Any device runs what is made for another kind, only not as fast.
        plan.target = device.profile().target;
        let json = plan.to_json().map_err(|error| error.to_string())?;
        // Functions are those of a program's text: they live as long as it does.
        let plans = vec![PlanSource { target: plan.target.name(), json: Box::leak(json.into_boxed_str()) }];
        let source = FunctionSource { name: "variants", plans: Box::leak(plans.into_boxed_slice()), graph: "" };
        Ok(Compiled { function: Function::new(Box::leak(Box::new(source))), plan })
    }

    /// Why the device cannot compute it, if it lacks a type that the graph has.
    pub(crate) fn lacks(&self, device: &Device) -> Option<&'static str> {
        let wide = self.graph.nodes.iter().any(|node| node.dtype == DType::F64);
        (wide && !device.profile().fp64).then_some("the device has no fp64")
    }

    /// [`Example::check`] where the device can compute it, as a [`Case`](crate::Case): of a graph that may subtract what is equal, which
    /// leaves `roundings` of what it is subtracted from.
    pub(crate) fn case(&self, device: &Device, tolerance: f64, roundings: f64) -> Result<Completion, Failed> {
        match self.lacks(device) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => self.compare(&self.run(device)?, tolerance, roundings).map(|()| Completion::Completed),
        }
    }

    fn arguments(&self, device: &Device) -> Result<Vec<Tensor>, Failed> {
        let mut arguments = Vec::new();
        for node in &self.graph.nodes {
            if let Op::Input(kind) = &node.op {
                let value = self.find(kind, &node.name).ok_or_else(|| format!("no value for `{}`", node.name))?;
                arguments.push(upload(device, &value)?);
            }
        }
        for (_, size) in &self.bindings {
            let sizes = vec![0u8; *size as usize];
            arguments.push(Tensor::from_slice(device, &sizes, &[sizes.len()]).map_err(|error| error.to_string())?);
        }
        Ok(arguments)
    }

    fn find(&self, kind: &InputKind, name: &str) -> Option<HostTensor> {
        self.inputs.iter().find(|(k, n, _)| k == kind && n == name).map(|(_, _, value)| value.clone())
    }

    /// Fails where a result on `device` differs from the reference by more than `tolerance`, relative to the largest
    /// element of the result.
    pub(crate) fn check(&self, device: &Device, tolerance: f64) -> Result<(), Failed> {
        self.compare(&self.run(device)?, tolerance, 0.0)
    }

    /// As [`Example::check`], of what was [`Example::compiled`].
    pub(crate) fn check_compiled(&self, device: &Device, compiled: &Compiled, tolerance: f64) -> Result<(), Failed> {
        let arguments = self.arguments(device)?;
        let arguments: Vec<&Tensor> = arguments.iter().collect();
        let results = of_every_tier(device, || compiled.function.call(None, "", &arguments, &[]))?;
        self.compare(&results, tolerance, 0.0)
    }

    fn compare(&self, results: &[Tensor], tolerance: f64, roundings: f64) -> Result<(), Failed> {
        let find = |kind: &InputKind, name: &str| self.find(kind, name);
        let expected = evaluate(&self.graph, &self.bindings, &find, Precision::F64).map_err(|e| e.to_string())?;
        for (position, ((kind, expected), found)) in expected.iter().zip(results).enumerate() {
            let wanted = expected.to_f64();
            let found = download(found)?;
            let scale = wanted.iter().filter(|x| x.is_finite()).fold(1e-3f64, |scale, x| scale.max(x.abs()));
            if wanted.len() != found.len() {
                return Err(format!("{kind:?}: {} elements, expected {}", found.len(), wanted.len()).into());
            }
            for (element, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
                let same = wanted.is_nan() && found.is_nan() || wanted == found;
                let close = (wanted - found).abs() <= (tolerance * scale).max(roundings);
                if !same && !close {
                    let graph = self.graph.to_string();
                    let text =
                        format!("output {position} ({kind:?}), element {element}: {found}, expected {wanted}\n{graph}");
                    return Err(text.into());
                }
            }
        }
        Ok(())
    }
}

/// What `run` gives on the device. Where that builds kernels without optimizations first, those with them must give the same bits:
/// what is recorded has them at once.
fn of_every_tier(device: &Device, run: impl Fn() -> netcl::Result<Vec<Tensor>>) -> Result<Vec<Tensor>, Failed> {
    let failed = |error: netcl::Error| Failed::from(error.to_string());
    let results = run().map_err(failed)?;
    if device.profile().quirks.iter().any(|quirk| quirk.avoid == Avoid::OptimizingAtOnce) {
        let (_, optimized) = device.record(&run).map_err(failed)?;
        for (position, (first, last)) in results.iter().zip(&optimized).enumerate() {
            // A NaN is a NaN: what sign and payload it has is nobody's promise.
            let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
            let differs = download(first)?.into_iter().zip(download(last)?).position(|(x, y)| bits(x) != bits(y));
            if let Some(element) = differs {
                let numbers = format!("{} without, {} with", download(first)?[element], download(last)?[element]);
                return Err(
                    format!("result {position}, element {element}, has other bits if optimized: {numbers}").into()
                );
            }
        }
    }
    Ok(results)
}

pub(crate) fn upload(device: &Device, value: &HostTensor) -> Result<Tensor, Failed> {
    let (shape, data) = (value.shape(), value.to_f64());
    let tensor = match value.dtype() {
        DType::F32 => Tensor::from_slice(device, &data.iter().map(|&x| x as f32).collect::<Vec<_>>(), shape),
        DType::F64 => Tensor::from_slice(device, &data, shape),
        DType::U32 => Tensor::from_slice(device, &data.iter().map(|&x| x as u32).collect::<Vec<_>>(), shape),
        DType::I32 => Tensor::from_slice(device, &data.iter().map(|&x| x as i32).collect::<Vec<_>>(), shape),
        DType::Bool => Tensor::from_slice(device, &data.iter().map(|&x| x != 0.0).collect::<Vec<_>>(), shape),
        DType::I64 => Tensor::from_slice(device, &data.iter().map(|&x| x as i64).collect::<Vec<_>>(), shape),
        DType::U8 => Tensor::from_slice(device, &data.iter().map(|&x| x as u8).collect::<Vec<_>>(), shape),
        DType::F16 => Tensor::from_slice(device, &data.iter().map(|&x| f16::from_f64(x)).collect::<Vec<_>>(), shape),
        DType::BF16 => Tensor::from_slice(device, &data.iter().map(|&x| bf16::from_f64(x)).collect::<Vec<_>>(), shape),
    };
    tensor.map_err(|error| error.to_string().into())
}

/// The elements of a result, whatever their type.
pub(crate) fn download(tensor: &Tensor) -> Result<Vec<f64>, Failed> {
    let failed = |error: netcl::Error| Failed::from(error.to_string());
    Ok(match tensor.dtype() {
        DType::F32 => tensor.to_vec::<f32>().map_err(failed)?.into_iter().map(f64::from).collect(),
        DType::F64 => tensor.to_vec::<f64>().map_err(failed)?,
        DType::U32 => tensor.to_vec::<u32>().map_err(failed)?.into_iter().map(f64::from).collect(),
        DType::I32 => tensor.to_vec::<i32>().map_err(failed)?.into_iter().map(f64::from).collect(),
        DType::I64 => tensor.to_vec::<i64>().map_err(failed)?.into_iter().map(|x| x as f64).collect(),
        DType::U8 => tensor.to_vec::<u8>().map_err(failed)?.into_iter().map(f64::from).collect(),
        DType::Bool => tensor.to_vec::<bool>().map_err(failed)?.into_iter().map(|x| f64::from(u8::from(x))).collect(),
        DType::F16 => tensor.to_vec::<f16>().map_err(failed)?.into_iter().map(f16::to_f64).collect(),
        DType::BF16 => tensor.to_vec::<bf16>().map_err(failed)?.into_iter().map(bf16::to_f64).collect(),
    })
}
