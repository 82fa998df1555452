//! Functions of models that are generic over numbers which the compiler must know: compiled for each model's numbers when it is
//! first used.

use super::Function;
use crate::error::{Error, Result};
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::Symbol;
use netcl_kernels::graph::open;
use netcl_kernels::precision::{MatmulPrecision, with_matmul_precision};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A function whose graphs have open sizes, one graph for each path through it.
pub struct OpenFunction {
    /// As the user wrote it: `Residual::forward`.
    name: &'static str,
    /// The model's parameters, which the open sizes are made of.
    parameters: &'static [&'static str],
    /// As [`open::write`] wrote them.
    graphs: &'static [&'static str],
    /// Where gradients are wanted: the arguments that have some beside the parameters.
    gradients: Option<&'static [usize]>,
    /// Of their products.
    precision: MatmulPrecision,
    /// By the parameters' numbers. A program has as many as its types name, and functions live as long as it does: those that
    /// macros embed, too.
    closed: Mutex<BTreeMap<Vec<usize>, &'static [Function]>>,
}

impl OpenFunction {
    /// Of those graphs; nothing is parsed yet.
    pub const fn new(
        name: &'static str,
        parameters: &'static [&'static str],
        graphs: &'static [&'static str],
        gradients: Option<&'static [usize]>,
        precision: MatmulPrecision,
    ) -> OpenFunction {
        OpenFunction { name, parameters, graphs, gradients, precision, closed: Mutex::new(BTreeMap::new()) }
    }

    /// The function for these numbers of the parameters, in order: one for each path.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the numbers make sizes that do not fit one another.
    pub fn closed(&self, numbers: &[usize]) -> Result<&'static [Function]> {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = closed.get(numbers) {
            return Ok(known);
        }
        let given = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let name = match self.name.split_once("::") {
            Some((model, function)) if !numbers.is_empty() => format!("{model}<{given}>::{function}"),
            _ => self.name.to_owned(),
        };
        let sizes: Vec<_> =
            self.parameters.iter().zip(numbers).map(|(name, number)| (Symbol::new(name), *number as u64)).collect();
        let function = |written: &&str| {
            let graph = open::closed(written, &sizes)
                .and_then(|graph| match self.gradients {
                    None => Ok(graph),
                    Some([]) => append_gradients(graph, Arguments::None),
                    Some(positions) => append_gradients(graph, Arguments::At(positions)),
                })
                .and_then(|graph| with_matmul_precision(graph, self.precision))
                .map_err(|diagnostic| Error::graph(&name, diagnostic))?;
            Ok(Function::from_graph(name.clone(), graph))
        };
        let functions = self.graphs.iter().map(function).collect::<Result<Vec<_>>>()?;
        let functions: &'static [Function] = Box::leak(functions.into_boxed_slice());
        closed.insert(numbers.to_vec(), functions);
        Ok(functions)
    }
}
