//! Plans on the host: each step's code made once, its buffers looked up at each launch.

use crate::device::backend::{BindRequest, Bound, Memory, Place, Program as BuiltProgram};
use crate::device::host::memory::HostBuffer;
use crate::device::host::product::Product;
use crate::error::{Error, Result};
use crate::executor::geometry;
use crate::executor::scalar::Scalar;
use crate::memory::Region;
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::interp::{self, Value};
use netcl_kernels::kir::{ParamKind, verify};
use netcl_kernels::plan::{Arg, Plan, Step, Work};
use rayon::prelude::*;
use std::sync::Arc;

/// A plan whose loop kernels are compiled for the interpreter.
pub(crate) struct HostProgram {
    plan: Arc<Plan>,
    /// The loop steps' programs, by step.
    programs: Vec<Option<Arc<interp::Program>>>,
}

/// What runs a step.
enum Code {
    /// A loop kernel without native code.
    Interpreted(Arc<interp::Program>),
    /// The matrix library.
    Product(Product),
}

impl HostProgram {
    pub(crate) fn new(plan: &Arc<Plan>) -> Result<HostProgram> {
        let programs = plan.steps.iter().map(|step| compile(plan, step)).collect::<Result<_>>()?;
        Ok(HostProgram { plan: plan.clone(), programs })
    }
}

fn compile(plan: &Plan, step: &Step) -> Result<Option<Arc<interp::Program>>> {
    match &step.work {
        Work::Loop(kernel) => {
            let verified = verify::verify(kernel, &verify::Limits::unlimited()).map_err(|diagnostics| {
                let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                unusable(plan, step, &messages.join("; "))
            })?;
            Ok(Some(Arc::new(interp::Program::new(&verified))))
        }
        Work::MatMul { .. } | Work::Conv2d { .. } => Ok(None),
        Work::Kernel { .. } => Err(unusable(plan, step, "it is OpenCL C")),
    }
}

/// What is passed for one parameter.
enum Passed {
    Buffer(HostBuffer),
    External(usize),
    Constant(Literal),
    Scalar(usize),
}

struct HostBound {
    function: String,
    bindings: Vec<(Symbol, u64)>,
    steps: Vec<(Code, String, Vec<Passed>)>,
}

impl BuiltProgram for HostProgram {
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let plan = &*self.plan;
        let signed = |step: &Step, position: usize| match &step.work {
            Work::Loop(kernel) => {
                matches!(kernel.params.get(position).map(|param| &param.kind), Some(ParamKind::Scalar(DType::I32)))
            }
            _ => false,
        };
        let mut steps = Vec::with_capacity(plan.steps.len());
        for (step, program) in plan.steps.iter().zip(&self.programs) {
            let mut passed = Vec::with_capacity(step.args.len());
            for (position, arg) in step.args.iter().enumerate() {
                passed.push(match arg {
                    Arg::Buffer(id) => match request.place(*id) {
                        Place::Internal(region) => Passed::Buffer(own(region)?.clone()),
                        Place::External(slot) => Passed::External(*slot),
                        Place::Unused => return Err(unusable(plan, step, "it uses a buffer without a place")),
                    },
                    Arg::Dim(dim) => {
                        let value = geometry::value_u32(&plan.name, &step.label, dim, request.bindings)?;
                        // Sizes are the same bits as either type; the interpreter wants the parameter's.
                        let dtype = if signed(step, position) { DType::I32 } else { DType::U32 };
                        Passed::Constant(Literal::Int(i64::from(value), dtype))
                    }
                    Arg::Literal(literal) => Passed::Constant(*literal),
                    Arg::Scalar(position, _) => Passed::Scalar(*position),
                });
            }
            let code = match (program, Product::new(&step.work, request.bindings)) {
                (Some(program), _) => Code::Interpreted(program.clone()),
                (None, Some(product)) => Code::Product(product.map_err(|problem| unusable(plan, step, &problem))?),
                (None, None) => return Err(unusable(plan, step, "it is no work for the host")),
            };
            steps.push((code, step.label.clone(), passed));
        }
        Ok(Box::new(HostBound { function: plan.name.clone(), bindings: request.bindings.to_vec(), steps }))
    }
}

impl Bound for HostBound {
    fn launch(&mut self, externals: &[Region], scalars: &[Scalar]) -> Result<u64> {
        let fault = |label: &str, problem: String| Error::Plan {
            function: self.function.clone(),
            problem: format!("step `{label}`: {problem}"),
        };
        for (code, label, passed) in &self.steps {
            match code {
                Code::Interpreted(program) => {
                    let mut values = Vec::with_capacity(passed.len());
                    for passed in passed {
                        values.push(match passed {
                            Passed::Buffer(buffer) => Value::Buffer(buffer),
                            Passed::External(slot) => Value::Buffer(own(&externals[*slot])?),
                            Passed::Constant(literal) => Value::Scalar(*literal),
                            Passed::Scalar(position) => Value::Scalar(scalars[*position].literal()),
                        });
                    }
                    interpret(program, &values, &self.bindings).map_err(|problem| fault(label, problem.to_string()))?;
                }
                Code::Product(product) => {
                    let mut buffers = Vec::with_capacity(3);
                    for passed in passed {
                        match passed {
                            Passed::Buffer(buffer) => buffers.push(buffer),
                            Passed::External(slot) => buffers.push(own(&externals[*slot])?),
                            Passed::Constant(_) | Passed::Scalar(_) => {}
                        }
                    }
                    let buffers = <[&HostBuffer; 3]>::try_from(buffers)
                        .map_err(|found| fault(label, format!("it names {} buffers, expected 3", found.len())))?;
                    product.run(buffers).map_err(|problem| fault(label, problem))?;
                }
            }
        }
        Ok(self.steps.len() as u64)
    }
}

/// Runs a kernel's blocks on all threads.
fn interpret(program: &interp::Program, values: &[Value<'_>], bindings: &[(Symbol, u64)]) -> Result<(), interp::Fault> {
    let launch = program.launch(values, bindings, interp::ops::baseline)?;
    // Some shares for each thread, so that one that is late does not hold up all.
    let groups = launch.groups();
    let share = groups.div_ceil(4 * rayon::current_num_threads()).max(1);
    if groups <= share {
        return launch.run();
    }
    (0..groups.div_ceil(share))
        .into_par_iter()
        .try_for_each(|part| launch.run_groups(part * share..((part + 1) * share).min(groups)))
}

fn own(region: &Region) -> Result<&HostBuffer> {
    match region.memory() {
        Memory::Host(buffer) => Ok(buffer),
        Memory::OpenCl(_) | Memory::Null(_) => {
            Err(Error::Plan { function: "host".to_owned(), problem: "memory of another kind of device".to_owned() })
        }
    }
}

fn unusable(plan: &Plan, step: &Step, problem: &str) -> Error {
    Error::Plan { function: plan.name.clone(), problem: format!("step `{}`: {problem}", step.label) }
}
