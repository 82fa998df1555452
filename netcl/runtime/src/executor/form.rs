//! What a function wants from its callers, known from its graph alone: nothing is compiled for it.

use crate::device::Device;
use crate::error::Result;
use crate::executor::call::Call;
use crate::executor::check;
use crate::executor::interface::Interface;
use crate::executor::resolve::Lookups;
use netcl_hal::process;
use netcl_kernels::compile::interface;
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::Plan;

/// What calls of a function are compared with before there is a plan of it.
pub(crate) struct Form {
    /// Without steps.
    plan: Plan,
    interface: Interface,
    lookups: Lookups,
    computes_f64: bool,
}

impl Form {
    /// Of the function called `name` with that graph.
    pub(crate) fn new(name: &str, graph: &Graph) -> Form {
        let mut plan = interface(graph);
        name.clone_into(&mut plan.name);
        let interface = Interface::of(&plan);
        let computes_f64 = graph.nodes.iter().any(|node| node.dtype == DType::F64);
        Form { plan, interface, lookups: Lookups::new(), computes_f64 }
    }

    /// The type of that argument, if something is computed of it.
    pub(crate) fn argument(&self, position: usize) -> Option<DType> {
        self.interface.argument_type(&self.plan, position)
    }

    /// The types of the numbers that it takes.
    pub(crate) fn scalars(&self) -> &[DType] {
        &self.plan.scalars
    }

    /// Whether its first scalar is a seed that comes before that many others.
    pub(crate) fn takes_seed(&self, given: usize) -> bool {
        check::takes_seed(&self.plan, given)
    }

    /// What a call on that device would say of what it brings.
    ///
    /// # Errors
    ///
    /// Those of a call, but for what only kernels require of sizes.
    pub(crate) fn check(&self, device: &Device, call: &Call<'_>) -> Result<()> {
        process::check()?;
        let Form { plan, interface, lookups, .. } = self;
        if self.computes_f64 && !device.profile().fp64 {
            return Err(check::no_f64(plan, device));
        }
        let resolved = lookups.of((plan, interface), device, call)?;
        let named = resolved.as_deref().map_or(&[][..], |resolved| &resolved.named);
        let sizes = check::symbols(plan, interface, device, named, call.args)?;
        let bindings: Vec<(Symbol, u64)> = plan.symbols.iter().cloned().zip(sizes).collect();
        check::requirements(plan, &bindings)?;
        check::scalars(plan, call.scalars, call.seed.is_some() && self.takes_seed(call.scalars.len()))
    }
}
