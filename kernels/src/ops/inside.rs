//! Whether what is read along an axis is inside of it: by the sizes alone, by what each call brings, or not for sure.

use crate::dim::{Dim, Factor, Shape};
use crate::graph::build::Builder;
use crate::graph::{Limit, NodeId};
use crate::span::Diagnostic;

/// Whether each call tells if so many elements are inside an axis of that size, which is a number, a model's own, or what a window or
/// a stride has left of another: of that, no argument's type can say more.
pub(super) fn calls_tell(b: &Builder, end: &Dim, size: &Dim) -> bool {
    let some = match size.as_constant() {
        Some(size) => size > 0 && end.as_constant().is_none(),
        // Past its end, whatever the sizes are.
        None => {
            (b.is_settled(size) || is_quotient(size))
                && !(end.clone() - size.clone() - Dim::constant(1)).never_negative()
        }
    };
    some && !b.is_in_loop(end)
}

fn is_quotient(size: &Dim) -> bool {
    size.written().any(|(factors, _)| factors.iter().any(|factor| matches!(factor, Factor::FloorDiv(..))))
}

/// Notes that what ends at `end` along the axis must be inside.
pub(super) fn limit(b: &mut Builder, (x, axis): (NodeId, usize), end: Dim, before: String) {
    let (source, note) = (b.shape(x).clone(), b.origin_note(x, axis));
    let between = format!(" along axis {axis} of {source}{note}, which has");
    b.limit(Limit { end, size: source[axis].clone(), words: [before, between] });
}

/// The size as it stands behind `%`, which divides by the first factor of a product alone.
pub(super) fn divisor(size: &Dim) -> String {
    let mut terms = size.terms();
    match (terms.next(), terms.next()) {
        (None | Some(([], _)), None) | (Some(([Factor::Symbol(_)], 1)), None) => size.to_string(),
        _ => format!("({size})"),
    }
}

/// How to make sure that there are enough elements along an axis that has a name.
pub(super) const SURE: &str = "write the axis in the type of the argument as a number, or as a sum that is long enough for every size, such as `{ N + 5 }`";

/// How many elements there are along an axis, for messages.
pub(super) fn has(b: &Builder, x: NodeId, axis: usize) -> String {
    let (size, note) = (&b.shape(x)[axis], b.origin_note(x, axis));
    match size.as_constant() {
        Some(size) => format!("has {size}{note}"),
        None => format!("is not sure to have that many: it has {size}{note}"),
    }
}

/// What to write instead of the position of a loop's round that is outside.
pub(super) fn in_a_loop(b: &Builder, position: &Dim, (x, axis): (NodeId, usize)) -> Option<String> {
    let (round, rounds, away) = b.round_of(position)?;
    let size = &b.shape(x)[axis];
    if rounds != *size {
        let others = b.shape(x).0.iter().enumerate().filter(|(other, size)| *other != axis && **size == rounds);
        if let ([(other, _)], true) = (Vec::from_iter(others).as_slice(), away.is(0)) {
            return Some(format!("axis {other} is as long as the loop: `.get({other}, {round})`"));
        }
        // A table is as long as the loop once it is cut.
        let table = away.is(0) && (size.as_constant().is_some() || b.is_settled(size));
        return table.then(|| {
            format!("before the loop, `.narrow({axis}, 0, {rounds})` takes as many as there are rounds, and each call checks that")
        });
    }
    let away = away.as_constant()?;
    let far = away.unsigned_abs();
    let few = |range: String| {
        if far == 1 { format!("`for {round} in {range}` leaves that round out; ") } else { String::new() }
    };
    let divisor = divisor(size);
    Some(match away {
        ..0 => format!(
            "{}`({round} + {size} - {far}) % {divisor}` goes around, `max({round} - {far}, 0)` stays at the first one",
            few(format!("1..{size}"))
        ),
        _ => format!(
            "{}`({round} + {far}) % {divisor}` goes around, `min({round} + {far}, {size} - 1)` stays at the last one",
            few(format!("0..{size} - 1"))
        ),
    })
}

/// The problem of padding with numbers below zero, with what gives the elements that this would leave.
pub(super) fn left_by(problem: Diagnostic, shape: &Shape, axis: usize, sizes: &[Dim; 2]) -> Diagnostic {
    let ([Some(before @ ..=0), Some(after @ ..=0)], size) = (sizes.each_ref().map(Dim::as_constant), &shape[axis])
    else {
        return problem;
    };
    let left = size.clone() + Dim::constant(before.saturating_add(after));
    if left.as_constant().is_some_and(|left| left <= 0) {
        return problem;
    }
    let start = before.unsigned_abs();
    problem.hint(format!("`.narrow({axis}, {start}, {left})` leaves elements of the axis out"))
}

/// The numbers that divide `elements`, where it is they alone that `rest` does not: `, as 1, 2, 4 and 8 do 8`.
pub(super) fn divisors(elements: &Dim, rest: &Dim) -> String {
    /// More would not be read, and of larger numbers not be looked for.
    const MOST: usize = 12;
    const LARGEST: i64 = 2048;
    let (whole, part) = (elements.terms().collect::<Vec<_>>(), rest.terms().collect::<Vec<_>>());
    let ([(factors, number)], [(own, _)]) = (whole.as_slice(), part.as_slice()) else { return String::new() };
    if *number > LARGEST {
        return String::new();
    }
    let all: Vec<String> =
        (1..=*number).filter(|divisor| number % divisor == 0).map(|divisor| divisor.to_string()).collect();
    match all.split_last() {
        Some((last, others)) if factors == own && !others.is_empty() && all.len() <= MOST => {
            format!(", as {} and {last} do {number}", others.join(", "))
        }
        _ => String::new(),
    }
}
