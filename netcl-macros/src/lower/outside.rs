//! Reads that may be outside, and what to write for them.

use super::Lowering;
use super::affine::{Affine, Atom};
use super::indexed::Read;
use super::reach::linear;
use super::round::Round;
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use syn::Expr;
use syn::spanned::Spanned;

/// The index of a read that may be outside, and the axis that it is of.
struct Outside<'t> {
    read: &'t Read<'t>,
    position: usize,
    index: &'t Affine,
    range: (Dim, Dim),
    size: &'t Dim,
}

impl<'a> Lowering<'a> {
    /// Rule: what is read is inside. Wrong: `x[n + 1]`.
    ///
    /// Reports that the read's index at `position` may be outside the axis of size `size`, if it may be.
    pub(super) fn outside_of(&mut self, read: &Read<'_>, position: usize, index: &Affine, size: &Dim) -> bool {
        let axes = self.axes.clone().unwrap_or_default();
        let (low, high) = index.range_within(&axes, &self.ends);
        if self.is_inside((&low, &high), size) || self.is_inside_in_rounds(index, size, &axes) {
            return false;
        }
        let written = read.indices[position];
        let named = self.as_indices(written, index);
        let never = |low: &Dim, high: &Dim| {
            let below = (Dim::constant(-1) - high.clone()).never_negative();
            below || (low.clone() - size.clone()).never_negative()
        };
        let place = read.tokens.span();
        if index.terms.is_empty() && never(&low, &high) {
            let last = size.clone() - Dim::constant(1);
            let instead = with_index(read, position, last.to_string());
            self.report(place, &m::KERNEL_OUTSIDE, &[&text(written), &position, &read.name, size, &last, &instead]);
            return true;
        }
        if let Some(exchanged) = self.exchanged(read, position, size) {
            // The whole read is what the hint writes.
            self.report(place, &m::KERNEL_EXCHANGED, &[&named, &position, &read.name, size, &exchanged]);
            return true;
        }
        let outside = Outside { read, position, index, range: (low, high), size };
        let instead = self.kept_inside(&outside, &axes);
        self.report(written.span(), &m::KERNEL_BOUNDS, &[&named, &position, &read.name, size, &instead]);
        true
    }

    /// Whether the index is inside in the rounds of a fold that change something, which indices further out say: `x[n - k]` in
    /// `fold(0..n + 1, ..)`. In others zeros are read.
    fn is_inside_in_rounds(&self, index: &Affine, size: &Dim, axes: &[Dim]) -> bool {
        // The index in the first of these rounds or in the last, where it is least or greatest.
        let at = |round: &Round, greatest: bool| {
            let coefficient = linear(&index.offset, &round.step)?;
            let first = Affine::fixed(Dim::constant(1));
            let first = round.from.as_ref().map_or(Ok(first.clone()), |from| from.plus(&first)).ok()?;
            let end = if (coefficient > 0) == greatest { round.to.clone()? } else { first };
            let offset = index.offset.substitute(&|symbol| (*symbol == round.step).then(Dim::default));
            let rest = Affine { terms: index.terms.clone(), offset };
            rest.plus(&end.times(coefficient).ok()?).ok()
        };
        let counts = |round: &&Round| {
            let divides = index.parts().any(|part| part.offset.mentions(&round.step));
            index.offset.mentions(&round.step) && !divides
        };
        self.folds.iter().filter(counts).any(|round| match (at(round, false), at(round, true)) {
            (Some(least), Some(greatest)) => {
                let low = least.range_within(axes, &self.ends).0;
                let high = greatest.range_within(axes, &self.ends).1;
                self.is_inside((&low, &high), size)
            }
            _ => false,
        })
    }

    fn is_inside(&self, (low, high): (&Dim, &Dim), size: &Dim) -> bool {
        self.never_negative(low) && self.never_negative(&(size.clone() - Dim::constant(1) - high.clone()))
    }

    /// What to write for such a read.
    fn kept_inside(&self, outside: &Outside<'_>, axes: &[Dim]) -> String {
        let Outside { read, position, index, range: (low, high), size } = outside;
        let padded = format!(
            "read zeros outside: `pad({})`; an `if` around the read is not looked at",
            parse::index::text(read.tokens)
        );
        let beyond = high.clone() - (*size).clone() + Dim::constant(1);
        // `N - n` is 1 to N: from the end on, one is left out.
        let backwards = !index.terms.is_empty() && index.terms.iter().all(|(_, factor)| *factor < 0);
        if let (Some(by), Expr::Binary(difference)) =
            (beyond.as_constant(), parse::unparenthesized(read.indices[*position]))
            && backwards
            && by > 0
            && matches!(difference.op, syn::BinOp::Sub(_))
            && self.never_negative(&(low.clone() - Dim::constant(by)))
        {
            let turned = format!("{} - {by} - {}", text(&difference.left), text(&difference.right));
            return format!(
                "the last element is the one before `{size}`: write `{}`; or {padded}",
                with_index(read, *position, turned)
            );
        }
        if let (Some(0..), Some(last), None) = (low.as_constant(), high.as_constant(), size.as_constant()) {
            let least = last.saturating_add(1);
            return format!(
                "{padded}; or say that there are so many, by a number from {least} on in place of `{size}`"
            );
        }
        if let Some(name) = self.index_over(outside, axes) {
            let inside = with_index(read, *position, name.clone());
            return format!("`{name}` goes over `{size}`: write `{inside}`; or {padded}");
        }
        if let Some((name, axis, fewer)) = self.shorter_result(outside, axes) {
            return format!(
                "`{name}` goes over axis {axis} of the result, which has {}: with {} elements there it is inside; or {padded}",
                axes[axis],
                if crate::ast::is_plain(&fewer) { format!("`{fewer}`") } else { format!("`{{ {fewer} }}`") }
            );
        }
        let ranges = index.terms.iter().any(|(atom, _)| matches!(atom, Atom::Axis(axis) if *axis >= self.result_axes));
        let ranges = ranges || self.counts_rounds(index) || self.depends_on_round(index);
        let alone = parse::index::text_of(read.indices[*position]);
        let is_name = syn::parse_str::<syn::Ident>(&alone).is_ok();
        match ranges {
            true if is_name && self.never_negative(low) && !format!(" {low} ").contains(&format!(" {alone} ")) => {
                format!("let `{alone}` go over `{low}..{size}`; or {padded}")
            }
            true => format!("change the range, or {padded}"),
            false => padded,
        }
    }

    /// The index that goes over as many as the axis has, where one of the result stands alone: `w[n]` with `C` elements, beside `c`.
    fn index_over(&self, outside: &Outside<'_>, axes: &[Dim]) -> Option<String> {
        let Outside { read, index, size, .. } = outside;
        let [(Atom::Axis(written), 1)] = index.terms[..] else { return None };
        if written >= self.result_axes || *index != &Affine::axis(written, Dim::constant(0)) {
            return None;
        }
        let name = (0..axes.len()).filter(|axis| axes[*axis] == **size).find_map(|axis| self.index_name(axis))?;
        // A diagonal is hardly meant, and another variable of the name may hide it.
        let named = self.frame().scopes.iter().flatten().filter(|variable| variable.name == name).count();
        (named == 1 && !read.indices.iter().any(|index| text(index) == name)).then_some(name)
    }

    /// The index of the result with fewer of which the read is inside: its name, its axis, and how many.
    fn shorter_result(&self, outside: &Outside<'_>, axes: &[Dim]) -> Option<(String, usize, Dim)> {
        let Outside { index, range: (_, high), size, .. } = outside;
        index.terms.iter().find_map(|(atom, factor)| {
            let Atom::Axis(axis) = atom else { return None };
            let name = self.index_name(*axis)?;
            if *axis >= self.result_axes || *factor < 1 {
                return None;
            }
            let others = high.clone() - (axes[*axis].clone() - Dim::constant(1)) * Dim::constant(*factor);
            let fewer = parse::quotient(&((*size).clone() - others), &Dim::constant(*factor))?;
            let mut shorter = axes.to_vec();
            shorter[*axis] = fewer.clone();
            let (low, high) = index.range_within(&shorter, &self.ends);
            // A dimension begins with no sign.
            let some = fewer.as_constant().is_none_or(|count| count > 0) && !fewer.to_string().starts_with('-');
            (some && self.is_inside((&low, &high), size)).then_some((name, *axis, fewer))
        })
    }
}

/// The read with another index at that position.
fn with_index(read: &Read<'_>, position: usize, index: String) -> String {
    let mut indices: Vec<String> = read.indices.iter().map(parse::index::text_of).collect();
    indices[position] = index;
    format!("{}[{}]", read.name, indices.join(", "))
}
