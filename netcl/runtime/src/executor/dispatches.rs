//! The steps of a plan as dispatches, once its symbols have values.

use crate::error::{Error, Result};
use crate::geometry;
use netcl_hal::device::dispatch::{
    BufferBinding, Conv2d, ConvShapes, Dispatch, MatMul, Passed, ResultStrides, ScatterAdd, Strides, Work as DeviceWork,
};
use netcl_kernels::dim::{Bindings, Dim, Shape, Symbol};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::plan::memory::visit_buffers;
use netcl_kernels::plan::{Arg, BufferId, Operand, Plan, Repeat, Role, Step, Work};
use std::ops::Range;

/// Those of the plan's steps that have something to do. `places` has one entry for each buffer: `None` where no step uses it.
pub(super) fn dispatches(
    plan: &Plan,
    bindings: Bindings<'_>,
    places: &[Option<BufferBinding>],
) -> Result<Vec<Dispatch>> {
    let mut all = Vec::with_capacity(plan.steps.len());
    if plan.repeats.is_empty() {
        let steps = Steps { plan, bindings, places };
        plan.steps.iter().try_for_each(|step| steps.add(step, &mut all))?;
    } else {
        let mut rounds = Rounds { plan, bindings: bindings.to_vec(), places: places.to_vec() };
        rounds.run(0..plan.steps.len(), plan.repeats.len(), &mut all)?;
    }
    Ok(all)
}

/// Steps of which loops repeat some: each round's are dispatches of their own.
struct Rounds<'a> {
    plan: &'a Plan,
    /// With the rounds of the loops around.
    bindings: Vec<(Symbol, u64)>,
    /// As the round has them.
    places: Vec<Option<BufferBinding>>,
}

impl Rounds<'_> {
    /// The steps in `range`, of which the first `loops` loops repeat some.
    fn run(&mut self, range: Range<usize>, loops: usize, into: &mut Vec<Dispatch>) -> Result<()> {
        let plan = self.plan;
        let mut position = range.start;
        while position < range.end {
            let begins = |repeat: &Repeat| {
                let all = repeat.all();
                all.start == position && all.end <= range.end && !all.is_empty()
            };
            if let Some(found) = plan.repeats[..loops].iter().rposition(begins) {
                self.repeat(found, into)?;
                position = plan.repeats[found].all().end;
            } else {
                let steps = Steps { plan, bindings: &self.bindings, places: &self.places };
                steps.add(&plan.steps[position], into)?;
                position += 1;
            }
        }
        Ok(())
    }

    /// The rounds of the loop at that position.
    fn repeat(&mut self, position: usize, into: &mut Vec<Dispatch>) -> Result<()> {
        let repeat = &self.plan.repeats[position];
        let length = repeat.length.evaluate(&self.bindings).map_or(0, |length| length.max(0) as u64);
        if length == 0 {
            return self.run(repeat.steps().end..repeat.all().end, position, into);
        }
        let place = |places: &[Option<BufferBinding>], id: BufferId| places[id.0 as usize].clone();
        let own: Vec<[Option<BufferBinding>; 2]> =
            repeat.carried.iter().map(|own| [own.current, own.next].map(|id| place(&self.places, id))).collect();
        let mut read: Vec<_> = repeat.carried.iter().map(|carried| place(&self.places, carried.initial)).collect();
        for (round, step) in repeat.rounds(length).enumerate() {
            // The last round writes to where the value stays.
            let turn = usize::from((length - round as u64) % 2 == 1);
            for ((carried, own), read) in repeat.carried.iter().zip(&own).zip(&mut read) {
                let write = own[turn].clone();
                self.places[carried.current.0 as usize] = std::mem::replace(read, write.clone());
                self.places[carried.next.0 as usize] = write;
            }
            self.bindings.push((repeat.step.clone(), step));
            self.run(repeat.steps(), position, into)?;
            self.bindings.pop();
        }
        for (carried, [current, next]) in repeat.carried.iter().zip(own) {
            self.places[carried.current.0 as usize] = current;
            self.places[carried.next.0 as usize] = next;
        }
        Ok(())
    }
}

struct Steps<'a> {
    plan: &'a Plan,
    bindings: Bindings<'a>,
    places: &'a [Option<BufferBinding>],
}

impl Steps<'_> {
    fn add(&self, step: &Step, into: &mut Vec<Dispatch>) -> Result<()> {
        into.extend(self.dispatch(step)?);
        Ok(())
    }

    fn dispatch(&self, step: &Step) -> Result<Option<Dispatch>> {
        if self.writes_nothing(step) {
            return Ok(None);
        }
        let Some(work) = self.work(step)? else { return Ok(None) };
        let passed = step.args.iter().map(|arg| self.passed(step, arg)).collect::<Result<_>>()?;
        let (mut touches, mut missing) = (Vec::new(), None);
        visit_buffers(step, &mut |id| match self.place(step, id) {
            Ok(place) => touches.push((place, step.writes.contains(&id))),
            Err(error) => missing = Some(error),
        });
        match missing {
            Some(error) => Err(error),
            None => Ok(Some(Dispatch { label: step.label.clone(), work, passed, touches })),
        }
    }

    /// Whether all that it writes has no elements: its work-items, a row's for instance, would each do nothing. What it keeps for itself
    /// alone, as tensor maps, does not count.
    fn writes_nothing(&self, step: &Step) -> bool {
        let is_empty = |id: &BufferId| {
            let buffer = self.plan.buffers.get(id.0 as usize);
            buffer.is_some_and(|buffer| buffer.shape.0.iter().any(|size| size.evaluate(self.bindings) == Some(0)))
        };
        let is_own = |id: &BufferId| {
            let is_scratch = self.plan.buffers.get(id.0 as usize).is_some_and(|own| own.role == Role::Scratch);
            is_scratch && !self.plan.steps.iter().any(|other| other.reads.contains(id))
        };
        step.writes.iter().any(is_empty) && step.writes.iter().all(|id| is_empty(id) || is_own(id))
    }

    /// What runs; `None` if there are no work-items.
    fn work(&self, step: &Step) -> Result<Option<DeviceWork>> {
        let bindings = self.bindings;
        let wrong = |problem: String| self.unusable(step, &problem);
        Ok(Some(match &step.work {
            Work::Kernel { entry, launch } => match geometry::of(&self.plan.name, &step.label, launch, bindings)? {
                Some(geometry) => DeviceWork::Kernel { entry: entry.clone(), geometry },
                None => return Ok(None),
            },
            Work::Loop { kernel } => {
                let code = self.plan.loops.get(*kernel).ok_or_else(|| wrong("the plan has no kernel for it".into()))?;
                let value = |dim: &Dim| dim.evaluate(bindings).unwrap_or(i64::MAX);
                let bytes = value(&step.bytes[0]).saturating_add(value(&step.bytes[1])).max(0) as u64;
                match geometry::of(&self.plan.name, &step.label, &code.launch, bindings)? {
                    Some(geometry) => DeviceWork::Loop { kernel: *kernel, geometry, bytes },
                    None => return Ok(None),
                }
            }
            Work::MatMul { batch, m, n, k, a, b, c, dtype } => {
                let sizes = || -> Result<MatMul, String> {
                    Ok(MatMul {
                        batch: sizes(batch, bindings)?,
                        m: size(m, bindings)?,
                        n: size(n, bindings)?,
                        k: size(k, bindings)?,
                        a: strides(a, bindings)?,
                        b: strides(b, bindings)?,
                        c: ResultStrides {
                            start: size(&c.offset, bindings)?,
                            batch: sizes(&c.batch, bindings)?,
                            row: size(&c.row, bindings)?,
                            column: size(&c.column, bindings)?,
                        },
                        dtype: *dtype,
                    })
                };
                DeviceWork::MatMul(sizes().map_err(wrong)?)
            }
            Work::Conv2d { kind, input, weight, output, geometry, dtype } => {
                let shapes = || -> Result<ConvShapes, String> {
                    let ([n, c, h, w], [o, _, kh, kw], [_, _, oh, ow]) =
                        (four(input, bindings)?, four(weight, bindings)?, four(output, bindings)?);
                    Ok(ConvShapes { n, c, h, w, o, kh, kw, oh, ow, geometry: *geometry })
                };
                DeviceWork::Conv2d(Conv2d { kind: *kind, shapes: shapes().map_err(wrong)?, dtype: *dtype })
            }
            Work::ScatterAdd { rows, count, features, dtype } => {
                let size = |dim: &Dim| size(dim, bindings).map_err(wrong);
                let (rows, count, features) = (size(rows)?, size(count)?, size(features)?);
                DeviceWork::ScatterAdd(ScatterAdd { rows, count, features, dtype: *dtype })
            }
        }))
    }

    fn passed(&self, step: &Step, arg: &Arg) -> Result<Passed> {
        Ok(match arg {
            Arg::Buffer(id) => Passed::Memory(self.place(step, *id)?),
            Arg::Dim(dim) => Passed::Size(geometry::value_u32(&self.plan.name, &step.label, dim, self.bindings)?),
            Arg::DimAs(dim, dtype) => {
                let value = geometry::value(&self.plan.name, &step.label, dim, self.bindings)?;
                Passed::Literal(fold::cast(Literal::Int(value, DType::I64), *dtype))
            }
            Arg::Literal(literal) => Passed::Literal(*literal),
            Arg::Scalar(position, _) => Passed::Scalar(*position),
        })
    }

    fn place(&self, step: &Step, id: BufferId) -> Result<BufferBinding> {
        let place = self.places.get(id.0 as usize).cloned().flatten();
        place.ok_or_else(|| self.unusable(step, "it uses a buffer without a place"))
    }

    fn unusable(&self, step: &Step, problem: &str) -> Error {
        let problem = format!("step `{}`: {problem}", step.label);
        Error::Plan { function: self.plan.name.clone(), problem }
    }
}

fn strides(operand: &Operand, bindings: Bindings<'_>) -> Result<Strides, String> {
    let stride = |dim: &Dim| {
        let value = dim.evaluate(bindings).and_then(|value| isize::try_from(value).ok());
        value.ok_or_else(|| format!("the stride {dim} is not known or too large"))
    };
    Ok(Strides {
        start: size(&operand.offset, bindings)?,
        batch: operand.batch.iter().map(stride).collect::<Result<_, _>>()?,
        row: stride(&operand.row)?,
        column: stride(&operand.column)?,
    })
}

fn four(shape: &Shape, bindings: Bindings<'_>) -> Result<[usize; 4], String> {
    let list = sizes(&shape.0, bindings)?;
    list.try_into().map_err(|list: Vec<usize>| format!("a convolution has 4 axes, found {list:?}"))
}

fn sizes(dims: &[Dim], bindings: Bindings<'_>) -> Result<Vec<usize>, String> {
    dims.iter().map(|dim| size(dim, bindings)).collect()
}

fn size(dim: &Dim, bindings: Bindings<'_>) -> Result<usize, String> {
    let value = dim.evaluate(bindings).and_then(|value| usize::try_from(value).ok());
    value.ok_or_else(|| format!("{dim} is not known, negative or too large"))
}
