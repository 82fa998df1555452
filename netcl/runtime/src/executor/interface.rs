//! What a plan wants from its caller, derived once.

use netcl_kernels::dtype::DType;
use netcl_kernels::graph::OutputKind;
use netcl_kernels::plan::memory::lifetimes;
use netcl_kernels::plan::{Arg, BufferId, Plan, Role, Step};

/// Who supplies the memory of one external buffer.
#[derive(Clone, Debug)]
pub(super) enum Supplier {
    /// The caller's argument at that position.
    Argument(usize),
    /// A new tensor, the result at that position.
    Result(usize),
    /// A new tensor, the gradient in the argument at that position.
    ArgumentGradient(usize),
    /// The model's parameter of that path.
    Parameter(String),
    /// The model's state of that path.
    State(String),
    /// The new value of the model's state of that path.
    NewState {
        path: String,
        /// The old value is read while or after the new one is written, which goes elsewhere and is copied after the last
        /// step.
        late: bool,
    },
    /// The gradient in the parameter of that path.
    Gradient(String),
}

impl Supplier {
    /// Whether a call writes to the memory.
    pub(super) fn is_written(&self) -> bool {
        !matches!(self, Supplier::Argument(_) | Supplier::Parameter(_) | Supplier::State(_))
    }
}

/// One external buffer; its position in [`Interface::externals`] is its slot at launch.
#[derive(Clone, Debug)]
pub(super) struct External {
    pub(super) buffer: BufferId,
    pub(super) supplier: Supplier,
}

/// What a plan wants from its caller.
#[derive(Debug)]
pub(super) struct Interface {
    pub(super) externals: Vec<External>,
    /// The slot of each buffer of the plan.
    pub(super) slots: Vec<Option<usize>>,
    /// Each argument's buffer, by position. A position without one belongs to an argument that nothing needs.
    pub(super) arguments: Vec<Option<BufferId>>,
    /// The slot of each result.
    pub(super) results: Vec<usize>,
    /// How many argument gradients there are at most.
    pub(super) argument_gradients: usize,
    /// Whether some step takes scalar 0, the random seed of model functions.
    pub(super) uses_first_scalar: bool,
    /// Whether memory of a model is needed.
    pub(super) needs_model: bool,
    /// Whether new values of a model's states are written.
    pub(super) writes_states: bool,
}

impl Interface {
    /// The type of that argument, if something is computed of it.
    pub(super) fn argument_type(&self, plan: &Plan, position: usize) -> Option<DType> {
        let buffer = (*self.arguments.get(position)?)?;
        Some(plan.buffer(buffer).dtype)
    }

    /// Derives it.
    pub(super) fn of(plan: &Plan) -> Interface {
        let mut interface = Interface {
            externals: Vec::new(),
            slots: vec![None; plan.buffers.len()],
            arguments: Vec::new(),
            results: Vec::new(),
            argument_gradients: 0,
            uses_first_scalar: plan.steps.iter().any(takes_seed),
            needs_model: false,
            writes_states: false,
        };
        let mut results = Vec::new();
        for (position, buffer) in plan.buffers.iter().enumerate() {
            let id = BufferId(position as u32);
            let supplier = match &buffer.role {
                Role::Scratch => continue,
                Role::Argument(argument) => {
                    let count = interface.arguments.len().max(argument + 1);
                    interface.arguments.resize(count, None);
                    interface.arguments[*argument] = Some(id);
                    Supplier::Argument(*argument)
                }
                Role::Parameter(path) => Supplier::Parameter(path.clone()),
                Role::State(path) => Supplier::State(path.clone()),
                Role::Output(kind) => match kind {
                    OutputKind::Result(result) => {
                        results.push((*result, interface.externals.len()));
                        Supplier::Result(*result)
                    }
                    OutputKind::ArgumentGradient(argument) => {
                        interface.argument_gradients = interface.argument_gradients.max(argument + 1);
                        Supplier::ArgumentGradient(*argument)
                    }
                    OutputKind::Gradient(path) => Supplier::Gradient(path.clone()),
                    OutputKind::State(path) => {
                        Supplier::NewState { path: path.clone(), late: read_after_write(plan, path, id) }
                    }
                },
            };
            interface.needs_model |=
                !matches!(supplier, Supplier::Argument(_) | Supplier::Result(_) | Supplier::ArgumentGradient(_));
            interface.writes_states |= matches!(supplier, Supplier::NewState { .. });
            interface.slots[position] = Some(interface.externals.len());
            interface.externals.push(External { buffer: id, supplier });
        }
        results.sort();
        interface.results = results.into_iter().map(|(_, slot)| slot).collect();
        interface
    }
}

fn takes_seed(step: &Step) -> bool {
    step.args.iter().any(|arg| matches!(arg, Arg::Scalar(0, DType::U32)))
}

/// Whether the new value must not be written over the old one: a step after the first that writes the new one reads the
/// old, or a step does both and the compiler could not tell that it reads only what it is about to write.
fn read_after_write(plan: &Plan, path: &str, new: BufferId) -> bool {
    if plan.not_in_place.contains(&new) {
        return true;
    }
    let old = plan.buffers.iter().position(|buffer| matches!(&buffer.role, Role::State(own) if own == path));
    let lives = lifetimes(plan);
    match (old.and_then(|old| lives[old]), lives[new.0 as usize]) {
        (Some((_, last_read)), Some((first_write, _))) => last_read > first_write,
        _ => false,
    }
}
