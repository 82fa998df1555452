//! Arguments against what the plan expects: shapes, types, devices, symbols.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::interface::Interface;
use crate::tensor::Tensor;
use netcl_kernels::dim::{Dim, Factor, Shape, Symbol};
use netcl_kernels::plan::{BufferId, Plan};

/// The values that the arguments give to the plan's symbols, in the plan's order.
pub(super) fn symbols(plan: &Plan, interface: &Interface, device: &Device, args: &[&Tensor]) -> Result<Vec<u64>> {
    // Trailing arguments that nothing needs have no buffer.
    if args.len() < interface.arguments.len() {
        return Err(Error::ArgumentCount {
            function: plan.name.clone(),
            expected: interface.arguments.len(),
            found: args.len(),
        });
    }
    let mut check = Check { plan, values: vec![None; plan.symbols.len()] };
    let expected = || interface.arguments.iter().zip(args).filter_map(|(id, arg)| id.map(|id| (id, *arg)));
    // Axes that are a symbol bind it; only then can axes that are computed from symbols be checked.
    for (id, arg) in expected() {
        check.device_and_type(id, arg, device)?;
        check.bind(id, arg)?;
    }
    for (id, arg) in expected() {
        check.computed_axes(id, arg)?;
    }
    let mut values = Vec::with_capacity(check.values.len());
    for (symbol, value) in plan.symbols.iter().zip(&check.values) {
        match value {
            Some((value, _)) => values.push(*value),
            None => {
                return Err(Error::Plan {
                    function: plan.name.clone(),
                    problem: format!("no argument has `{symbol}` as a dimension of its own"),
                });
            }
        }
    }
    Ok(values)
}

struct Check<'a> {
    plan: &'a Plan,
    /// Value, and the argument it came from.
    values: Vec<Option<(u64, BufferId)>>,
}

impl Check<'_> {
    fn device_and_type(&self, id: BufferId, arg: &Tensor, device: &Device) -> Result<()> {
        let buffer = self.plan.buffer(id);
        if arg.device() != device {
            return Err(Error::DeviceMismatch {
                operation: self.plan.name.clone(),
                what: format!("argument `{}`", buffer.name),
                expected: device.to_string(),
                found: arg.device().to_string(),
            });
        }
        if arg.dtype() != buffer.dtype || arg.shape().len() != buffer.shape.rank() {
            return Err(self.mismatch(id, arg, String::new()));
        }
        Ok(())
    }

    fn bind(&mut self, id: BufferId, arg: &Tensor) -> Result<()> {
        for (dim, &size) in self.plan.buffer(id).shape.0.iter().zip(arg.shape()) {
            if let Some(value) = dim.as_constant() {
                if value != size as i64 {
                    return Err(self.mismatch(id, arg, String::new()));
                }
            } else if let Some(symbol) = as_symbol(dim) {
                let Some(position) = self.plan.symbols.iter().position(|other| other == symbol) else {
                    return Err(Error::Plan {
                        function: self.plan.name.clone(),
                        problem: format!("the symbol `{symbol}` is not in its table"),
                    });
                };
                match self.values[position] {
                    None if size == 0 => {
                        return Err(Error::Empty {
                            function: self.plan.name.clone(),
                            argument: self.plan.buffer(id).name.clone(),
                            shape: arg.shape().to_vec(),
                            symbol: symbol.to_string(),
                        });
                    }
                    None => self.values[position] = Some((size as u64, id)),
                    Some((value, from)) if value != size as u64 => {
                        let note = format!(" with {symbol} = {value} (from `{}`)", self.plan.buffer(from).name);
                        return Err(self.mismatch(id, arg, note));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    fn computed_axes(&self, id: BufferId, arg: &Tensor) -> Result<()> {
        let shape = &self.plan.buffer(id).shape;
        if shape.0.iter().all(|dim| dim.as_constant().is_some() || as_symbol(dim).is_some()) {
            return Ok(());
        }
        let bindings: Vec<(Symbol, u64)> = self
            .plan
            .symbols
            .iter()
            .zip(&self.values)
            .filter_map(|(symbol, value)| value.map(|(value, _)| (symbol.clone(), value)))
            .collect();
        for (dim, &size) in shape.0.iter().zip(arg.shape()) {
            if dim.evaluate(&bindings) != Some(size as i64) {
                return Err(self.mismatch(id, arg, format!(" with {}", super::geometry::show(&bindings))));
            }
        }
        Ok(())
    }

    fn mismatch(&self, id: BufferId, arg: &Tensor, note: String) -> Error {
        let buffer = self.plan.buffer(id);
        Error::Argument {
            function: self.plan.name.clone(),
            argument: buffer.name.clone(),
            expected: format!("{} {}{note}", buffer.dtype, buffer.shape),
            found: format!("{} {}", arg.dtype(), Shape::of(arg.shape())),
        }
    }
}

/// The symbol, if the dimension is nothing else.
fn as_symbol(dim: &Dim) -> Option<&Symbol> {
    let mut terms = dim.terms();
    match (terms.next(), terms.next()) {
        (Some(([Factor::Symbol(symbol)], 1)), None) => Some(symbol),
        _ => None,
    }
}
