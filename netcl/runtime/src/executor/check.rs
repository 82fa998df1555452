//! Arguments against what the plan expects: shapes, types, devices, symbols.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::interface::Interface;
use crate::geometry;
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::{Bindings, Dim, Factor, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::{BufferId, Plan};
use smallvec::SmallVec;
use std::sync::Arc;

/// An error if values of symbols are not what the plan requires of them.
pub(crate) fn requirements(plan: &Plan, bindings: Bindings<'_>) -> Result<()> {
    for requirement in &plan.requirements {
        requirement.check(bindings).map_err(|problem| Error::Sizes {
            function: plan.name.clone(),
            bindings: geometry::show(bindings),
            problem,
        })?;
    }
    Ok(())
}

/// Of a plan that computes with `f64`, on a device that does not.
pub(super) fn no_f64(plan: &Plan, device: &Device) -> Error {
    Error::Unsupported {
        function: plan.name.clone(),
        device: device.to_string(),
        problem: "it has no f64 arithmetic; use f32 or another device".to_owned(),
    }
}

/// Whether the plan's first scalar is a seed that comes before that many others.
pub(super) fn takes_seed(plan: &Plan, given: usize) -> bool {
    plan.scalars.first() == Some(&DType::U32) && plan.scalars.len() == given + 1
}

/// An error if the scalars, which may come after a seed, are not of the plan's types.
pub(super) fn scalars(plan: &Plan, scalars: &[Scalar], after_seed: bool) -> Result<()> {
    let expected = || plan.scalars.iter().skip(usize::from(after_seed)).copied();
    if expected().eq(scalars.iter().map(|scalar| scalar.dtype())) {
        return Ok(());
    }
    let list = |types: Vec<DType>| types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
    Err(Error::Scalars {
        function: plan.name.clone(),
        expected: list(expected().collect()),
        found: list(scalars.iter().map(|scalar| scalar.dtype()).collect()),
    })
}

/// The values of a plan's symbols, in its order.
pub(super) type Sizes = SmallVec<[u64; 8]>;

/// The values that the model's tensors (`model`: those whose shapes have symbols) and the arguments give to the plan's
/// symbols, in the plan's order.
pub(super) fn symbols(
    plan: &Plan,
    interface: &Interface,
    device: &Device,
    model: &[(BufferId, Arc<[usize]>)],
    args: &[&Tensor],
) -> Result<Sizes> {
    // Trailing arguments that nothing needs have no buffer.
    if args.len() < interface.arguments.len() {
        return Err(Error::ArgumentCount {
            function: plan.name.clone(),
            expected: interface.arguments.len(),
            found: args.len(),
        });
    }
    let mut check = Check { plan, values: SmallVec::from_elem(None, plan.symbols.len()), solved: Vec::new() };
    let expected = || interface.arguments.iter().zip(args).filter_map(|(id, arg)| id.map(|id| (id, *arg)));
    // The model comes first: an argument that does not fit it is the one that is wrong.
    for (id, shape) in model {
        check.bind(*id, shape)?;
    }
    for (id, arg) in expected() {
        check.device_and_type(id, arg, device)?;
        check.bind(id, arg.shape())?;
    }
    // Axes that are a symbol have bound it; axes that are computed from symbols bind what is left, and are checked.
    let all = || {
        let model = model.iter().map(|(id, shape)| (*id, &**shape));
        model.chain(expected().map(|(id, arg)| (id, arg.shape())))
    };
    let mut unknown = usize::MAX;
    while 0 < check.unknown() && check.unknown() < unknown {
        unknown = check.unknown();
        all().for_each(|(id, shape)| check.bind_computed(id, shape));
    }
    for (id, shape) in all() {
        check.computed_axes(id, shape)?;
    }
    let mut values = SmallVec::from_elem(0, plan.symbols.len());
    for ((symbol, found), value) in plan.symbols.iter().zip(check.values.iter()).zip(values.iter_mut()) {
        match found {
            Some((found, _)) => *value = *found,
            None => {
                return Err(Error::Plan {
                    function: plan.name.clone(),
                    problem: format!("no argument and no parameter tells what `{symbol}` is"),
                });
            }
        }
    }
    Ok(values)
}

struct Check<'a> {
    plan: &'a Plan,
    /// Value, and the argument or parameter it came from.
    values: SmallVec<[Option<(u64, BufferId)>; 8]>,
    /// The symbols that are computed from an axis: position, axis, its size.
    solved: Vec<(usize, Dim, usize)>,
}

impl Check<'_> {
    fn device_and_type(&self, id: BufferId, arg: &Tensor, device: &Device) -> Result<()> {
        let buffer = self.plan.buffer(id);
        if arg.device() != device {
            let what = format!("argument `{}`", buffer.said());
            return Err(device.mismatch(&self.plan.name, what, arg.device()));
        }
        if arg.dtype() != buffer.dtype || arg.shape().len() != buffer.shape.rank() {
            return Err(self.mismatch(id, arg.dtype(), arg.shape(), String::new()));
        }
        Ok(())
    }

    fn bind(&mut self, id: BufferId, shape: &[usize]) -> Result<()> {
        for (dim, &size) in self.plan.buffer(id).shape.0.iter().zip(shape) {
            if let Some(value) = dim.as_constant() {
                if value != size as i64 {
                    return Err(self.wrong_size(id, shape, String::new()));
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
                            argument: self.plan.buffer(id).said().to_owned(),
                            shape: shape.to_vec(),
                            symbol: symbol.to_string(),
                        });
                    }
                    None => self.values[position] = Some((size as u64, id)),
                    Some((value, from)) if value != size as u64 => {
                        let note = format!(" with {symbol} = {value} (from `{}`)", self.plan.buffer(from).said());
                        return Err(self.wrong_size(id, shape, note));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// How many symbols have no value yet.
    fn unknown(&self) -> usize {
        self.values.iter().filter(|value| value.is_none()).count()
    }

    /// Binds symbols that follow from an axis and the values so far. What does not fit is left to `computed_axes`.
    fn bind_computed(&mut self, id: BufferId, shape: &[usize]) {
        for (dim, &size) in self.plan.buffer(id).shape.0.iter().zip(shape) {
            let bindings = self.bindings();
            let known = |symbol: &Symbol| bindings.iter().any(|(name, _)| name == symbol);
            let Some((symbol, coefficient, rest)) = dim.linear_in_unknown(&known) else { continue };
            let Some(position) = self.plan.symbols.iter().position(|other| other == symbol) else { continue };
            let left = rest.evaluate(&bindings).and_then(|rest| (size as i64).checked_sub(rest)).unwrap_or_default();
            // At least 1, rounded down: a remainder makes the axis another size than the argument's.
            let solved = (position, dim.clone(), size);
            self.values[position] = Some(((left.max(0) as u64 / coefficient).max(1), id));
            self.solved.push(solved);
        }
    }

    fn bindings(&self) -> Vec<(Symbol, u64)> {
        let pairs = self.plan.symbols.iter().zip(self.values.iter());
        pairs.filter_map(|(symbol, value)| value.map(|(value, _)| (symbol.clone(), value))).collect()
    }

    fn computed_axes(&self, id: BufferId, found: &[usize]) -> Result<()> {
        let shape = &self.plan.buffer(id).shape;
        if shape.0.iter().all(|dim| dim.as_constant().is_some() || as_symbol(dim).is_some()) {
            return Ok(());
        }
        let bindings = self.bindings();
        for (dim, &size) in shape.0.iter().zip(found) {
            if dim.evaluate(&bindings) != Some(size as i64) {
                let note = format!(" with {}{}", geometry::show(&bindings), self.solved());
                return Err(self.wrong_size(id, found, note));
            }
        }
        Ok(())
    }

    /// Where values come from that no axis is alone: `2 * M` of 5, or of 0.
    fn solved(&self) -> String {
        let bindings = self.bindings();
        let told = self.solved.iter().map(|(position, dim, size)| {
            let symbol = &self.plan.symbols[*position];
            let rounded = dim.evaluate(&bindings).is_some_and(|value| value < *size as i64);
            let why = if rounded { "no whole number makes it that" } else { "no size is below 1" };
            format!(", where {symbol} was solved for: `{dim}` is to be {size}, and {why}")
        });
        told.collect()
    }

    fn wrong_size(&self, id: BufferId, shape: &[usize], note: String) -> Error {
        self.mismatch(id, self.plan.buffer(id).dtype, shape, note)
    }

    fn mismatch(&self, id: BufferId, dtype: DType, shape: &[usize], note: String) -> Error {
        let buffer = self.plan.buffer(id);
        Error::Argument {
            function: self.plan.name.clone(),
            argument: buffer.said().to_owned(),
            expected: format!("{} {}{note}", buffer.dtype, buffer.shape),
            found: format!("{dtype} {}", Shape::of(shape)),
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
