//! Plans on the host: each step's code made once, its buffers looked up at each launch.

use crate::device::backend::{BindRequest, Bound, Memory, Place, Program as BuiltProgram};
use crate::device::host::memory::HostBuffer;
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
    steps: Vec<Code>,
}

/// What runs a step.
#[derive(Clone)]
enum Code {
    /// A loop kernel without native code.
    Interpreted(Arc<interp::Program>),
}

impl HostProgram {
    pub(crate) fn new(plan: &Arc<Plan>) -> Result<HostProgram> {
        let steps = plan.steps.iter().map(|step| compile(plan, step)).collect::<Result<_>>()?;
        Ok(HostProgram { plan: plan.clone(), steps })
    }
}

fn compile(plan: &Plan, step: &Step) -> Result<Code> {
    match &step.work {
        Work::Loop(kernel) => {
            let verified = verify::verify(kernel, &verify::Limits::unlimited()).map_err(|diagnostics| Error::Plan {
                function: plan.name.clone(),
                problem: format!("step `{}`: {}", step.label, diagnostics[0]),
            })?;
            Ok(Code::Interpreted(Arc::new(interp::Program::new(&verified))))
        }
        Work::MatMul { .. } | Work::Conv2d { .. } | Work::Kernel { .. } => Err(Error::Plan {
            function: plan.name.clone(),
            problem: format!("step `{}` is no work for the host", step.label),
        }),
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
        for (step, code) in plan.steps.iter().zip(&self.steps) {
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
            steps.push((code.clone(), step.label.clone(), passed));
        }
        Ok(Box::new(HostBound { function: plan.name.clone(), bindings: request.bindings.to_vec(), steps }))
    }
}

impl Bound for HostBound {
    fn launch(&mut self, externals: &[Region], scalars: &[Scalar]) -> Result<u64> {
        for (code, label, passed) in &self.steps {
            let mut values = Vec::with_capacity(passed.len());
            for passed in passed {
                values.push(match passed {
                    Passed::Buffer(buffer) => Value::Buffer(buffer),
                    Passed::External(slot) => Value::Buffer(own(&externals[*slot])?),
                    Passed::Constant(literal) => Value::Scalar(*literal),
                    Passed::Scalar(position) => Value::Scalar(scalars[*position].literal()),
                });
            }
            match code {
                Code::Interpreted(program) => {
                    let fault = |fault: interp::Fault| Error::Plan {
                        function: self.function.clone(),
                        problem: format!("step `{label}`: {fault}"),
                    };
                    let launch = program.launch(&values, &self.bindings, interp::ops::baseline).map_err(fault)?;
                    // Some blocks for each thread, so that one that is late does not hold up all.
                    let groups = launch.groups();
                    let share = groups.div_ceil(4 * rayon::current_num_threads()).max(1);
                    if groups <= share {
                        launch.run().map_err(fault)?;
                    } else {
                        (0..groups.div_ceil(share))
                            .into_par_iter()
                            .try_for_each(|part| launch.run_groups(part * share..((part + 1) * share).min(groups)))
                            .map_err(fault)?;
                    }
                }
            }
        }
        Ok(self.steps.len() as u64)
    }
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
