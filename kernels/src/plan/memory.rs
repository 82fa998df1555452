//! The arena: one allocation in which scratch buffers share bytes when they are not alive at the same time.

use crate::dim::Bindings;
use crate::plan::{Arg, BufferId, Plan, Role, Step, Work};

/// Where a plan's scratch buffers lie, for one set of symbol values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferAssignment {
    /// Bytes of each buffer of the plan, scratch or not, by [`BufferId`].
    pub sizes: Vec<u64>,
    /// Offset of each scratch buffer that some step touches, by [`BufferId`].
    pub offsets: Vec<Option<u64>>,
    /// Bytes of the arena.
    pub arena: u64,
}

/// Why there is no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A size is not known, negative, or overflows.
    #[error("its size is negative, unknown or past 64 bits")]
    Size(BufferId),
    /// The arena overflows.
    #[error("the arena is past 64 bits")]
    Arena,
}

/// The first and the last step that touch each buffer; `None` for buffers that no step touches.
pub fn lifetimes(plan: &Plan) -> Vec<Option<(usize, usize)>> {
    let mut lifetimes = vec![None; plan.buffers.len()];
    for (position, step) in plan.steps.iter().enumerate() {
        visit_buffers(step, &mut |id| {
            let lifetime = &mut lifetimes[id.0 as usize];
            let (first, _) = lifetime.unwrap_or((position, position));
            *lifetime = Some((first, position));
        });
    }
    // What is passed from round to round, or comes from outside of a loop, lives through all of its rounds.
    for repeat in &plan.repeats {
        let all = repeat.all();
        let (start, end) = (all.start, all.end.saturating_sub(1));
        let carried = repeat.carried.iter().flat_map(|carried| [carried.initial, carried.current, carried.next]);
        for id in carried {
            let (first, last) = lifetimes[id.0 as usize].unwrap_or((start, end));
            lifetimes[id.0 as usize] = Some((first.min(start), last.max(end)));
        }
        for (first, last) in lifetimes.iter_mut().flatten() {
            let (touches, inside) = (*first <= end && start <= *last, start <= *first && *last <= end);
            if touches && !inside {
                (*first, *last) = ((*first).min(start), (*last).max(end));
            }
        }
    }
    lifetimes
}

/// Calls `visit` for every buffer a step touches, repeats included.
pub fn visit_buffers(step: &Step, visit: &mut dyn FnMut(BufferId)) {
    for id in step.reads.iter().chain(&step.writes) {
        visit(*id);
    }
    for arg in &step.args {
        if let Arg::Buffer(id) = arg {
            visit(*id);
        }
    }
    if let Work::MatMul { a, b, c, .. } = &step.work {
        for operand in [a, b, c] {
            visit(operand.buffer);
        }
    }
}

/// Places every scratch buffer so that no two that are alive at the same step share a byte; offsets are multiples of
/// `alignment`.
///
/// Greedy by size, best fit: the largest buffer first, each into the smallest gap that is free during its whole life
/// (Pisarchyk, Lee: "Efficient Memory Management for Deep Neural Net Inference", 2020).
///
/// # Errors
///
/// [`LayoutError`] names the buffer whose size `bindings` do not give, or says that the sum is too large.
pub fn layout(plan: &Plan, bindings: Bindings<'_>, alignment: u64) -> Result<BufferAssignment, LayoutError> {
    let mut sizes = Vec::with_capacity(plan.buffers.len());
    for (position, buffer) in plan.buffers.iter().enumerate() {
        let bytes = buffer.shape.evaluate(bindings).and_then(|shape| {
            let elements = shape.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim as u64))?;
            elements.checked_mul(buffer.dtype.size() as u64)
        });
        sizes.push(bytes.ok_or(LayoutError::Size(BufferId(position as u32)))?);
    }
    let mut wanted: Vec<LiveRange> = Vec::new();
    for (position, lifetime) in lifetimes(plan).into_iter().enumerate() {
        if let (Role::Scratch, Some((first, last))) = (&plan.buffers[position].role, lifetime) {
            // A buffer without elements still gets an address of its own.
            let bytes = sizes[position].max(1).checked_next_multiple_of(alignment).ok_or(LayoutError::Arena)?;
            wanted.push(LiveRange { position, first, last, bytes });
        }
    }
    wanted.sort_by_key(|want| (std::cmp::Reverse(want.bytes), want.first, want.position));
    let mut offsets = vec![None; plan.buffers.len()];
    let mut placed: Vec<(u64, LiveRange)> = Vec::new();
    let mut arena = 0u64;
    for want in wanted {
        let offset = best_fit(&placed, &want).ok_or(LayoutError::Arena)?;
        arena = arena.max(offset.checked_add(want.bytes).ok_or(LayoutError::Arena)?);
        offsets[want.position] = Some(offset);
        // Kept sorted by offset for the gap search.
        let place = placed.partition_point(|(other, _)| *other <= offset);
        placed.insert(place, (offset, want));
    }
    Ok(BufferAssignment { sizes, offsets, arena })
}

struct LiveRange {
    position: usize,
    first: usize,
    last: usize,
    bytes: u64,
}

/// The start of the smallest gap that holds `want` among what is alive with it, or of the free end.
fn best_fit(placed: &[(u64, LiveRange)], want: &LiveRange) -> Option<u64> {
    let mut best: Option<(u64, u64)> = None;
    let mut free_from = 0u64;
    for (offset, other) in placed {
        if other.last < want.first || want.last < other.first {
            continue;
        }
        if let Some(gap) = offset.checked_sub(free_from)
            && gap >= want.bytes
            && best.is_none_or(|(smallest, _)| gap < smallest)
        {
            best = Some((gap, free_from));
        }
        free_from = free_from.max(offset.checked_add(other.bytes)?);
    }
    Some(best.map_or(free_from, |(_, start)| start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Dim, Shape, Symbol};
    use crate::dtype::DType;
    use crate::graph::ReduceOp;
    use crate::kir::Launch;
    use crate::philox;
    use crate::plan::source::ProgramText;
    use crate::plan::{Buffer, Target};

    /// A plan of scratch buffers with `(bytes, steps that touch it)`.
    fn plan(buffers: &[(Dim, Vec<usize>)], steps: usize) -> Plan {
        let step = |position: usize| Step {
            label: format!("{:?}", ReduceOp::Sum),
            work: Work::Kernel { entry: "k".into(), launch: Launch { global: vec![Dim::constant(1)], local: vec![] } },
            args: vec![],
            reads: (0..buffers.len())
                .filter(|&buffer| buffers[buffer].1.contains(&position))
                .map(|buffer| BufferId(buffer as u32))
                .collect(),
            writes: vec![],
            local_bytes: 0,
            flops: None,
            bytes: [Dim::default(), Dim::default()],
        };
        Plan {
            name: "test".into(),
            target: Target::Gpu,
            symbols: vec![Symbol::new("N")],
            buffers: buffers
                .iter()
                .map(|(size, _)| Buffer {
                    name: String::new(),
                    shape: Shape(vec![size.clone()]),
                    dtype: DType::U8,
                    role: Role::Scratch,
                    written: None,
                })
                .collect(),
            scalars: vec![],
            requirements: vec![],
            width: crate::dim::IndexWidth::Narrow,
            not_in_place: vec![],
            decisions: vec![],
            steps: (0..steps).map(step).collect(),
            repeats: vec![],
            loops: vec![],
            source: ProgramText::default(),
        }
    }

    fn check(plan: &Plan, layout: &BufferAssignment, alignment: u64) {
        let lives = lifetimes(plan);
        let places: Vec<_> = (0..plan.buffers.len())
            .filter_map(|buffer| Some((lives[buffer]?, layout.offsets[buffer]?, layout.sizes[buffer].max(1))))
            .collect();
        for (index, (a, from, bytes)) in places.iter().enumerate() {
            assert!(from % alignment == 0 && from + bytes <= layout.arena);
            for (b, other, other_bytes) in &places[index + 1..] {
                let together = a.0 <= b.1 && b.0 <= a.1;
                assert!(
                    !together || from + bytes <= *other || other + other_bytes <= *from,
                    "buffers alive together overlap: {layout:?}"
                );
            }
        }
    }

    #[test]
    fn live_buffers_never_overlap() {
        for seed in 0..300 {
            let mut position = 0u64;
            let mut draw = |below: u32| {
                position += 1;
                philox::word(seed, 1, position) % below
            };
            let steps = 1 + draw(12) as usize;
            let buffers: Vec<(Dim, Vec<usize>)> = (0..draw(24))
                .map(|_| {
                    let (first, last) = (draw(steps as u32) as usize, draw(steps as u32) as usize);
                    (Dim::from(draw(3000) as usize), vec![first.min(last), first.max(last)])
                })
                .collect();
            let plan = plan(&buffers, steps);
            let layout = layout(&plan, &[], 512).unwrap();
            check(&plan, &layout, 512);
            let busiest = (0..steps).map(|step| {
                let alive = buffers.iter().filter(|(_, touched)| touched[0] <= step && step <= touched[1]);
                alive.map(|(size, _)| (size.as_constant().unwrap().max(1) as u64).next_multiple_of(512)).sum::<u64>()
            });
            let (least, sum) = (busiest.max().unwrap(), layout.sizes.iter().map(|size| size + 512).sum::<u64>());
            assert!(least <= layout.arena && layout.arena <= sum, "{least} <= {} <= {sum}", layout.arena);
        }
    }

    #[test]
    fn a_chain_needs_two_buffers() {
        let buffers: Vec<_> = (0..10).map(|k| (Dim::symbol("N") * Dim::from(512), vec![k, k + 1])).collect();
        let layout = layout(&plan(&buffers, 11), &[(Symbol::new("N"), 3)], 512).unwrap();
        assert_eq!(layout.arena, 2 * 3 * 512);
    }

    #[test]
    fn sizes_that_cannot_be_are_errors() {
        let negative = plan(&[(Dim::symbol("N") - Dim::from(4), vec![0])], 1);
        assert_eq!(layout(&negative, &[(Symbol::new("N"), 3)], 512), Err(LayoutError::Size(BufferId(0))));
        assert_eq!(layout(&negative, &[], 512), Err(LayoutError::Size(BufferId(0))));
        let huge = plan(&[(Dim::symbol("N") * Dim::from(1 << 40), vec![0])], 1);
        assert_eq!(layout(&huge, &[(Symbol::new("N"), 1 << 40)], 512), Err(LayoutError::Size(BufferId(0))));
    }
}
