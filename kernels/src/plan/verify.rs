//! What a plan must satisfy before anything runs it.
//!
//! A plan is data, and comes out of a user's binary as text. An executor that takes [`VerifiedPlan`] alone meets no buffer, scalar
//! or kernel that is not there, and knows every buffer that a step writes. What it cannot judge is a program's OpenCL C.

use super::memory::visit_buffers;
use super::{Arg, Buffer, BufferId, Carried, Plan, Repeat, Role, Step, Work};
use crate::dim::{Dim, Symbol};
use crate::dtype::DType;
use crate::graph::{LARGEST_POSITION, OutputKind};
use crate::kir::{Access, ParamKind};
use crate::target::Target;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

/// The rules: number and what it says.
pub const RULES: [(&str, &str); 12] = [
    ("P01", "a plan has outputs, and each is written by a step"),
    ("P02", "no two buffers are the same argument, parameter, state or output; parameters and states have paths"),
    ("P03", "results are numbered from 0 on; other positions are at most 65535"),
    ("P04", "sizes name symbols of the plan, each of which is named once"),
    ("P05", "a step names buffers and scalars that are there, the scalars in their types"),
    (
        "P06",
        "a step runs what its target has: kernels of the program, or loops, products, convolutions and scatter-adds of the host",
    ),
    ("P07", "a loop step passes what its kernel's parameters take"),
    ("P08", "a step lists what it reads and writes, and writes no argument, parameter or state"),
    (
        "P09",
        "a product, convolution or scatter-add passes its two operands and its result, of its own type; row numbers are of 32 bits",
    ),
    ("P10", "a convolution has four axes, and strides, dilations and groups of at least 1"),
    ("P11", "a plan of kernels has a program"),
    (
        "P12",
        "a loop repeats steps that are there, around or apart from other loops, and passes buffers of one shape and type on",
    ),
];

/// A plan that [`verify()`] has passed; clones are the same plan.
#[derive(Clone, Debug)]
pub struct VerifiedPlan(Arc<Plan>);

impl VerifiedPlan {
    /// The plan.
    pub fn shared(&self) -> &Arc<Plan> {
        &self.0
    }
}

impl Deref for VerifiedPlan {
    type Target = Plan;
    fn deref(&self) -> &Plan {
        &self.0
    }
}

/// Checks every rule.
///
/// # Errors
///
/// The first that is broken, in words that end with its number.
pub fn verify(plan: impl Into<Arc<Plan>>) -> Result<VerifiedPlan, String> {
    let plan = plan.into();
    let rule = |number: &str, problem: Result<(), String>| problem.map_err(|problem| format!("{problem} ({number})"));
    for step in &plan.steps {
        let of_step = |problem: String| format!("step `{}` {problem}", step.label);
        rule("P05", things_are_there(&plan, step).map_err(of_step))?;
        rule("P06", fits_target(&plan, step).map_err(of_step))?;
        rule("P07", passes_parameters(&plan, step).map_err(of_step))?;
        rule("P08", lists_writes(&plan, step).map_err(of_step))?;
        rule("P09", passes_operands(&plan, step).map_err(of_step))?;
        rule("P10", convolves(step).map_err(of_step))?;
    }
    rule("P12", loops_repeat(&plan))?;
    rule("P03", positions(&plan))?;
    rule("P02", buffers_are_distinct(&plan))?;
    rule("P01", outputs_are_written(&plan))?;
    rule("P04", symbols_are_known(&plan))?;
    let runs_kernels = plan.steps.iter().any(|step| matches!(step.work, Work::Kernel { .. }));
    if runs_kernels && plan.source.pieces().all(|piece| piece.trim().is_empty()) {
        return Err("its program has no text (P11)".to_owned());
    }
    Ok(VerifiedPlan(plan))
}

/// Rule P01.
fn outputs_are_written(plan: &Plan) -> Result<(), String> {
    let mut written = vec![false; plan.buffers.len()];
    plan.steps.iter().flat_map(|step| &step.writes).for_each(|id| written[id.0 as usize] = true);
    let mut outputs = plan.buffers.iter().zip(written).filter(|(buffer, _)| matches!(buffer.role, Role::Output(_)));
    let mut first = true;
    outputs.try_for_each(|(buffer, written)| {
        first = false;
        if written { Ok(()) } else { Err(format!("nothing writes the output `{}`", buffer.name)) }
    })?;
    if first { Err("it has no output".to_owned()) } else { Ok(()) }
}

/// Rule P02.
fn buffers_are_distinct(plan: &Plan) -> Result<(), String> {
    let mut seen = BTreeSet::default();
    for buffer in plan.buffers.iter().filter(|buffer| buffer.role != Role::Scratch) {
        let role = buffer.role.to_string();
        if role.ends_with(' ') {
            return Err(format!("the buffer `{}` is the {role}without a path", buffer.name));
        }
        if let Some(role) = (!seen.insert(role.clone())).then_some(role) {
            return Err(format!("{role} has two buffers"));
        }
    }
    Ok(())
}

/// Rule P03.
fn positions(plan: &Plan) -> Result<(), String> {
    let mut results = Vec::new();
    for buffer in &plan.buffers {
        match buffer.role {
            Role::Output(OutputKind::Result(position)) => results.push(position),
            Role::Argument(position) | Role::Output(OutputKind::ArgumentGradient(position))
                if position > LARGEST_POSITION =>
            {
                return Err(format!(
                    "`{}` is {}, and {LARGEST_POSITION} is the last there may be",
                    buffer.name, buffer.role
                ));
            }
            _ => {}
        }
    }
    results.sort();
    if results.iter().enumerate().any(|(position, result)| position != *result) {
        return Err(format!("its results are numbered {results:?}"));
    }
    Ok(())
}

/// Rule P04.
fn symbols_are_known(plan: &Plan) -> Result<(), String> {
    for (position, symbol) in plan.symbols.iter().enumerate() {
        if plan.symbols[..position].contains(symbol) {
            return Err(format!("the symbol `{symbol}` is in its table twice"));
        }
    }
    let mut unknown = None;
    let mut check = |dim: &Dim, at: Option<usize>| {
        let rounds = |symbol: &Symbol| {
            let around = |repeat: &Repeat| at.is_some_and(|at| repeat.steps().contains(&at)) && repeat.step == *symbol;
            plan.repeats.iter().any(around)
        };
        dim.visit_symbols(&mut |symbol| {
            if unknown.is_none() && !plan.symbols.contains(symbol) && !rounds(symbol) {
                unknown = Some(symbol.clone());
            }
        });
    };
    plan.buffers.iter().flat_map(|buffer| &buffer.shape.0).for_each(|dim| check(dim, None));
    plan.repeats.iter().for_each(|repeat| check(&repeat.length, None));
    for (position, step) in plan.steps.iter().enumerate() {
        for arg in &step.args {
            if let Arg::Dim(dim) | Arg::DimAs(dim, _) = arg {
                check(dim, Some(position));
            }
        }
    }
    unknown.map_or(Ok(()), |symbol| Err(format!("the symbol `{symbol}` is not in its table")))
}

/// Rule P12.
fn loops_repeat(plan: &Plan) -> Result<(), String> {
    for (position, repeat) in plan.repeats.iter().enumerate() {
        let end = repeat.first.checked_add(repeat.count).and_then(|end| end.checked_add(repeat.otherwise));
        let name = &repeat.step;
        if end.is_none_or(|end| end > plan.steps.len()) {
            return Err(format!(
                "the loop over `{name}` repeats steps from {} on, of {}",
                repeat.first,
                plan.steps.len()
            ));
        }
        let all = repeat.all();
        for other in &plan.repeats[position + 1..] {
            let apart = other.all().end <= all.start || all.end <= other.all().start;
            let around = other.first <= all.start && all.end <= other.steps().end;
            if !apart && !around {
                return Err(format!("the loops over `{name}` and `{}` repeat some of the same steps", other.step));
            }
        }
        for Carried { initial, current, next } in &repeat.carried {
            let buffers = [initial, current, next].map(|id| plan.buffers.get(id.0 as usize));
            let [Some(initial), Some(current), Some(next)] = buffers else {
                return Err(format!("the loop over `{name}` passes on buffers of {}", plan.buffers.len()));
            };
            let of = |buffer: &Buffer| (buffer.shape.elements(), buffer.dtype);
            if of(initial) != of(current) || of(current) != of(next) || current.role != Role::Scratch {
                return Err(format!("the loop over `{name}` passes `{}` on as `{}`", initial.name, next.name));
            }
        }
    }
    Ok(())
}

/// Rule P05.
fn things_are_there(plan: &Plan, step: &Step) -> Result<(), String> {
    let mut outside = None;
    visit_buffers(step, &mut |id| {
        if id.0 as usize >= plan.buffers.len() {
            outside = Some(id.0);
        }
    });
    if let Some(id) = outside {
        return Err(format!("names buffer {id} of {}", plan.buffers.len()));
    }
    for arg in &step.args {
        if let Arg::Scalar(position, dtype) = arg
            && plan.scalars.get(*position) != Some(dtype)
        {
            return Err(format!("takes scalar {position} as {dtype}"));
        }
    }
    Ok(())
}

/// Rule P06.
fn fits_target(plan: &Plan, step: &Step) -> Result<(), String> {
    match &step.work {
        Work::Kernel { .. } if plan.target == Target::Host => Err("is a kernel of a program, on the host".to_owned()),
        Work::Kernel { .. } => Ok(()),
        _ if plan.target != Target::Host => Err("is work of the host, on another device".to_owned()),
        Work::Loop { kernel } if *kernel >= plan.loops.len() => {
            Err(format!("runs loop {kernel} of {}", plan.loops.len()))
        }
        Work::Loop { .. } | Work::MatMul { .. } | Work::Conv2d { .. } | Work::ScatterAdd { .. } => Ok(()),
    }
}

/// Rule P07.
fn passes_parameters(plan: &Plan, step: &Step) -> Result<(), String> {
    let Some(kernel) = plan.loop_kernel(step) else { return Ok(()) };
    if kernel.params.len() != step.args.len() {
        return Err(format!(
            "passes {} values to `{}`, which takes {}",
            step.args.len(),
            kernel.name,
            kernel.params.len()
        ));
    }
    for (param, arg) in kernel.params.iter().zip(&step.args) {
        let fits = match (&param.kind, arg) {
            (ParamKind::Buffer(dtype, _), Arg::Buffer(id)) => plan.buffer(*id).dtype == *dtype,
            (ParamKind::Buffer(..), _) | (_, Arg::Buffer(_)) => false,
            (ParamKind::Value(_) | ParamKind::Position(_), _) => false,
            _ => true,
        };
        if !fits {
            return Err(format!("passes something else than `{}` of `{}` is", param.name, kernel.name));
        }
    }
    Ok(())
}

/// Rule P08.
fn lists_writes(plan: &Plan, step: &Step) -> Result<(), String> {
    let name = |id: &BufferId| &plan.buffer(*id).name;
    let passed = |id: &BufferId| step.args.iter().any(|arg| matches!(arg, Arg::Buffer(own) if own == id));
    if let Some(id) = step.writes.iter().find(|id| !matches!(plan.buffer(**id).role, Role::Output(_) | Role::Scratch)) {
        return Err(format!("writes `{}`, which is {}", name(id), plan.buffer(*id).role));
    }
    if let Some(id) = step.reads.iter().chain(&step.writes).find(|id| !passed(id)) {
        return Err(format!("is not passed `{}`, which it is said to touch", name(id)));
    }
    let listed = |id: &BufferId, access: Access| {
        let missing = |list: &[BufferId], what: &str| {
            if list.contains(id) { Ok(()) } else { Err(format!("{what} `{}` and does not list it", name(id))) }
        };
        if access != Access::Read {
            missing(&step.writes, "writes")?;
        }
        if access != Access::Write { missing(&step.reads, "reads") } else { Ok(()) }
    };
    if let Some(kernel) = plan.loop_kernel(step) {
        for (param, arg) in kernel.params.iter().zip(&step.args) {
            if let (ParamKind::Buffer(_, access), Arg::Buffer(id)) = (&param.kind, arg) {
                listed(id, *access)?;
            }
        }
    }
    if let (
        Work::MatMul { .. } | Work::Conv2d { .. } | Work::ScatterAdd { .. },
        [Arg::Buffer(a), Arg::Buffer(b), Arg::Buffer(c)],
    ) = (&step.work, step.args.as_slice())
    {
        listed(a, Access::Read)?;
        listed(b, Access::Read)?;
        listed(c, Access::Write)?;
    }
    Ok(())
}

/// Rule P09.
fn passes_operands(plan: &Plan, step: &Step) -> Result<(), String> {
    let own = match &step.work {
        Work::MatMul { a, b, c, dtype, .. } => Some((*dtype, Some([a.buffer, b.buffer, c.buffer]))),
        Work::Conv2d { dtype, .. } | Work::ScatterAdd { dtype, .. } => Some((*dtype, None)),
        Work::Kernel { .. } | Work::Loop { .. } => None,
    };
    let Some((dtype, operands)) = own else { return Ok(()) };
    let passed: Vec<BufferId> =
        step.args.iter().filter_map(|arg| if let Arg::Buffer(id) = arg { Some(*id) } else { None }).collect();
    if passed.len() != step.args.len() || passed.len() != 3 || operands.is_some_and(|operands| passed != operands) {
        return Err("does not pass its two operands and its result".to_owned());
    }
    let is_rows = |position: usize| position == 0 && matches!(step.work, Work::ScatterAdd { .. });
    let fits = |position: usize, found: DType| {
        if is_rows(position) { matches!(found, DType::I32 | DType::U32) } else { found == dtype }
    };
    match passed.iter().enumerate().find(|(position, id)| !fits(*position, plan.buffer(**id).dtype)) {
        Some((0, id)) if is_rows(0) => {
            Err(format!("takes rows by number, and `{}` is {}", plan.buffer(*id).name, plan.buffer(*id).dtype))
        }
        Some((_, id)) => Err(format!("is of {dtype}, and `{}` is {}", plan.buffer(*id).name, plan.buffer(*id).dtype)),
        None => Ok(()),
    }
}

/// Rule P10.
fn convolves(step: &Step) -> Result<(), String> {
    let Work::Conv2d { input, weight, output, geometry, .. } = &step.work else { return Ok(()) };
    let four = [input, weight, output].iter().all(|shape| shape.rank() == 4);
    let numbers = [geometry.stride, geometry.dilation, [geometry.groups; 2]];
    let largest = i32::MAX as u64;
    let counted = numbers.as_flattened().iter().all(|value| (1..=largest).contains(value));
    if !four || !counted || geometry.padding.iter().any(|padding| *padding > largest) {
        return Err(format!("convolves {input} with {weight} to {output}, {geometry:?}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::dim::{Shape, Symbol};
    use crate::graph::text::parse;
    use crate::graph::{ConvGeometry, ConvKind};

    /// A product, a loop on its result, and a convolution of something else.
    fn plan(target: Target) -> Plan {
        let text = "graph f
%0 = input argument 0 : f32[N, 8]  # x
%1 = input parameter : f32[8, 4]  # w
%2 = matmul %0, %1 : f32[N, 4]
%3 = exp %2 : f32[N, 4]
%4 = reduce sum %3 over [1] : f32[N]
output result 0 = %4
";
        compile(&parse(text).unwrap(), target).unwrap()
    }

    type Break = fn(&mut Plan);

    fn loop_step(plan: &mut Plan) -> &mut Step {
        plan.steps.iter_mut().find(|step| matches!(step.work, Work::Loop { .. })).unwrap()
    }

    fn product(plan: &mut Plan) -> &mut Step {
        plan.steps.iter_mut().find(|step| matches!(step.work, Work::MatMul { .. })).unwrap()
    }

    fn argument(plan: &Plan) -> usize {
        plan.buffers.iter().position(|buffer| buffer.role == Role::Argument(0)).unwrap()
    }

    const BROKEN: &[(&str, Target, Break)] = &[
        ("P01", Target::Host, |plan| {
            plan.buffers.iter_mut().for_each(|buffer| {
                if matches!(buffer.role, Role::Output(_)) {
                    buffer.role = Role::Scratch;
                }
            })
        }),
        ("P01", Target::Cpu, |plan| plan.steps.clear()),
        ("P02", Target::Host, |plan| {
            let again = plan.buffer(BufferId(argument(plan) as u32)).clone();
            plan.buffers.push(again);
        }),
        ("P02", Target::Cpu, |plan| {
            let at = argument(plan);
            plan.buffers[at].role = Role::Parameter(String::new());
        }),
        ("P03", Target::Host, |plan| {
            let at = argument(plan);
            plan.buffers[at].role = Role::Argument(usize::MAX);
        }),
        ("P03", Target::Gpu, |plan| {
            plan.buffers.iter_mut().for_each(|buffer| {
                if matches!(buffer.role, Role::Output(_)) {
                    buffer.role = Role::Output(OutputKind::Result(7));
                }
            })
        }),
        ("P04", Target::Host, |plan| plan.symbols.clear()),
        ("P04", Target::Host, |plan| plan.symbols.push(Symbol::new("N"))),
        ("P05", Target::Host, |plan| loop_step(plan).args[0] = Arg::Buffer(BufferId(99))),
        ("P05", Target::Gpu, |plan| plan.steps[0].args.push(Arg::Scalar(0, DType::F32))),
        ("P06", Target::Host, |plan| loop_step(plan).work = Work::Loop { kernel: 9 }),
        ("P06", Target::Cpu, |plan| plan.target = Target::Host),
        ("P06", Target::Host, |plan| plan.target = Target::Gpu),
        ("P07", Target::Host, |plan| drop(loop_step(plan).args.pop())),
        ("P07", Target::Host, |plan| {
            let mut args = loop_step(plan).args.iter_mut();
            *args.find(|arg| matches!(arg, Arg::Buffer(_))).unwrap() = Arg::Dim(Dim::from(1));
        }),
        ("P08", Target::Host, |plan| loop_step(plan).writes.clear()),
        ("P08", Target::Host, |plan| product(plan).reads.clear()),
        ("P08", Target::Cpu, |plan| {
            let at = argument(plan);
            plan.steps[0].writes.push(BufferId(at as u32));
        }),
        ("P09", Target::Host, |plan| product(plan).args.swap(0, 1)),
        ("P09", Target::Host, |plan| {
            if let Work::MatMul { dtype, .. } = &mut product(plan).work {
                *dtype = DType::F64;
            }
        }),
        ("P09", Target::Host, |plan| {
            let (rows, count, features) = (Dim::from(4), Dim::from(4), Dim::from(4));
            product(plan).work = Work::ScatterAdd { rows, count, features, dtype: DType::F32 };
        }),
        ("P10", Target::Host, |plan| {
            let four = Shape::of(&[1, 1, 1, 1]);
            let geometry = ConvGeometry { groups: 0, ..ConvGeometry::default() };
            let (input, weight, output, dtype) = (four.clone(), four.clone(), four, DType::F32);
            product(plan).work = Work::Conv2d { kind: ConvKind::Forward, input, weight, output, geometry, dtype };
        }),
        ("P11", Target::Cpu, |plan| plan.source = " \n".into()),
        ("P12", Target::Host, |plan| {
            let (first, count, otherwise, length) = (1, usize::MAX, 0, Dim::from(3));
            let step = Symbol::new("t");
            let (reverse, carried, inside) = (false, Vec::new(), None);
            plan.repeats.push(Repeat { first, count, otherwise, length, step, reverse, carried, inside });
        }),
    ];

    #[test]
    fn what_the_compiler_makes_breaks_no_rule_and_each_is_broken_alone() {
        for target in Target::ALL {
            verify(plan(target)).unwrap();
        }
        for (position, (rule, target, change)) in BROKEN.iter().enumerate() {
            let mut broken = plan(*target);
            change(&mut broken);
            let problem = verify(broken).map(drop).unwrap_err();
            assert!(problem.ends_with(&format!("({rule})")), "case {position}, {rule}: {problem}");
        }
        for (number, (rule, _)) in RULES.iter().enumerate() {
            assert_eq!(*rule, format!("P{:02}", number + 1));
            assert!(BROKEN.iter().any(|(broken, ..)| broken == rule), "{rule} has no case");
        }
    }
}
