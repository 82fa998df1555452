//! Reads and their indices as they are written, for messages, and elements of lists by an index.

use super::affine::Atom;
use super::value::ChosenWhole;
use super::{Affine, Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::CompareOp;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprIndex};

/// `x[n, c + 1]`, as it is written.
pub(super) struct Read<'t> {
    pub(super) tokens: &'t ExprIndex,
    pub(super) name: String,
    pub(super) indices: Vec<&'t Expr>,
    /// Whether there are zeros outside.
    pub(super) padded: bool,
}

impl<'a> Lowering<'a> {
    /// The read with the index at `position`, which is one of the closure's, exchanged for another one that has the size of this axis.
    pub(super) fn exchanged(&self, read: &Read<'_>, position: usize, size: &Dim) -> Option<String> {
        let axes = self.axes.as_ref()?;
        let axis_of = |index: &Expr| {
            let name = text(index);
            let variable = self.frame().scopes.iter().flatten().find(|variable| variable.name == name)?;
            let own = |axis: &usize| Affine::axis(*axis, Dim::constant(0));
            (0..axes.len()).find(|axis| matches!(&variable.value, Val::Index(index) if *index == own(axis)))
        };
        axis_of(read.indices[position])?;
        let fits = |at: &usize| *at != position && axis_of(read.indices[*at]).is_some_and(|axis| axes[axis] == *size);
        let other = (0..read.indices.len()).find(fits)?;
        let mut indices: Vec<String> = read.indices.iter().map(text).collect();
        indices.swap(position, other);
        // An index that hides another one of its name.
        (indices[position] != indices[other]).then_some(())?;
        Some(format!("{}[{}]", read.name, indices.join(", ")))
    }

    /// The name of the index that goes over this axis of the result, or is this range's.
    pub(super) fn index_name(&self, axis: usize) -> Option<String> {
        let own = |value: &Val<'a>| matches!(value, Val::Index(own) if *own == Affine::axis(axis, Dim::constant(0)));
        let mut variables = self.frame().scopes.iter().flatten();
        variables.find(|variable| own(&variable.value)).map(|variable| variable.name.clone())
    }

    /// The index in backticks, and what it is in terms of the closure's indices where a variable stands for that.
    pub(super) fn as_indices(&self, written: &Expr, index: &Affine) -> String {
        let given = text(written);
        let terms = index.terms.iter().map(|(atom, factor)| match (atom, factor) {
            (Atom::Axis(axis), 1) => self.index_name(*axis),
            (Atom::Axis(axis), factor) => self.index_name(*axis).map(|name| format!("{factor} * {name}")),
            _ => None,
        });
        let terms: Option<Vec<String>> = terms.collect();
        let is_name = matches!(parse::unparenthesized(written), Expr::Path(_));
        // The number of a round has no name of its own.
        match terms.filter(|terms| is_name && !terms.is_empty() && !self.counts_rounds(index)) {
            Some(mut terms) => {
                if !index.offset.is(0) {
                    terms.push(index.offset.to_string());
                }
                let whole = terms.join(" + ").replace("+ -", "- ");
                if whole == given { format!("`{given}`") } else { format!("`{given}`, which is `{whole}`,") }
            }
            None => format!("`{given}`"),
        }
    }

    /// Rule: a list in a list is read by one index after the other. Wrong: `TAPS[0, 1]`.
    pub(super) fn several_positions(&self, index: &ExprIndex) -> Val<'a> {
        let positions = match &*index.index {
            Expr::Tuple(tuple) => tuple.elems.iter().map(|at| format!("[{}]", text(at))).collect(),
            other => format!("[{}]", text(other)),
        };
        let instead = format!("one index after the other: write `{}{positions}`", text(&index.expr));
        self.report(index.span(), &m::UNSUPPORTED, &[&"an index of several numbers", &instead])
    }

    /// The value that `base[index]` names among those of `base`.
    pub(super) fn element_of(&mut self, values: &[Val<'a>], position: Val<'a>, index: &ExprIndex) -> Val<'a> {
        let position = match position {
            Val::Unknown => return Val::Unknown,
            Val::Index(at) => return self.element_at(values, &at, index),
            Val::Range(start, end, _) => return self.slice(index, (&start, &end)),
            ref brought if self.brought(brought).is_some() => {
                let (name, ty) = self.brought(brought).unwrap_or_default();
                let (given, of) = (text(&index.index), text(&index.expr));
                let (named, only) = (format!("`{of}`"), super::ranges::only(&name, &ty));
                let values: [&dyn std::fmt::Display; 6] = [&named, &given, &ty, &only, &of, &given];
                return self.report(index.index.span(), &m::PLAIN_POSITION, &values);
            }
            Val::Dim(dim) if self.is_open(&dim) => return self.open(),
            Val::Dim(dim) if self.builder.is_in_loop(&dim) => {
                let (of, given) = (text(&index.expr), text(&index.index));
                // One by one, a state is set by its number alone.
                let instead = match values.first().and_then(|first| self.state_of(first)) {
                    Some(_) => format!("as many numbers as there are, `for {given} in 0..{}`", values.len()),
                    None => format!("the list itself, `for one in &{of}`"),
                };
                return self.report(index.index.span(), &m::LOOP_POSITION, &[&of, &given, &instead]);
            }
            Val::Dim(dim) => dim.as_constant(),
            Val::Tuple(_) => return self.several_positions(index),
            _ => None,
        };
        if position.is_none() && self.axes.is_some() {
            let (given, count) = (text(&index.index), values.len());
            return self.report(index.index.span(), &m::LIST_COMPUTED, &[&given, &count, &operand_text(&index.index)]);
        }
        let given = match (text(&index.index), position) {
            (given, Some(position)) if given != position.to_string() => format!("{given} = {position}"),
            (given, _) => given,
        };
        match position.and_then(|position| usize::try_from(position).ok()).and_then(|p| values.get(p)) {
            Some(value) => value.clone(),
            None => {
                let (of, count) = (format!("`{}`", text(&index.expr)), values.len());
                self.report(
                    index.index.span(),
                    &m::INDEX_OUTSIDE,
                    &[&given, &of, &count, &crate::literal::last_of(count)],
                )
            }
        }
    }

    /// `weights[k]` with an index of the closure: the one of the list's values that it names, each compared with.
    pub(super) fn element_at(&mut self, values: &[Val<'a>], at: &Affine, read: &ExprIndex) -> Val<'a> {
        let span = read.span();
        let axes = self.axes.clone().unwrap_or_default();
        let (low, high) = at.range_within(&axes, &self.ends);
        let last = Dim::from(values.len()) - Dim::constant(1);
        if !self.never_negative(&low) || !self.never_negative(&(last - high.clone())) {
            let named = self.as_indices(&read.index, at);
            return self.report(read.index.span(), &m::LIST_BOUNDS, &[&named, &text(&read.expr), &values.len()]);
        }
        // What is below or beyond the range is not compared with.
        let first = low.as_constant().and_then(|low| usize::try_from(low).ok()).unwrap_or(0);
        let end = high.as_constant().and_then(|high| usize::try_from(high).ok()).unwrap_or(values.len() - 1);
        // A part is of all that is divided, which 32 bits may not hold.
        let dtype = if at.parts().next().is_some() { DType::I64 } else { DType::I32 };
        let Some(position) = self.index_tensor(at, dtype, span) else { return Val::Unknown };
        // A suffix is a type; other whole numbers are of the elements', as branches of them are.
        let wholes = self.are_wholes(values);
        let converted = self.read_as.take().filter(|_| wholes);
        let typed = self.whole_type(&read.expr).or(converted).or_else(|| self.beyond_elements(values));
        let wholes = wholes && typed.is_none();
        let values = match typed {
            Some(dtype) => match self.as_elements(values, dtype, span) {
                Some(values) => values,
                None => return Val::Unknown,
            },
            None => {
                let elements = self.of_element_type(values);
                let read_ones = first.min(end)..=end;
                if let Some((number, dtype)) = self.rounded(&values[read_ones.clone()], &elements[read_ones]) {
                    return self.no_whole(number, dtype, read.expr.span()).map_or(Val::Unknown, Val::Tensor);
                }
                elements
            }
        };
        let mut chosen = values[end].clone();
        for (number, value) in values.into_iter().enumerate().take(end).skip(first).rev() {
            let this = self.builder.integer(number as i64, dtype);
            let this = this.and_then(|this| self.builder.compare(CompareOp::Eq, position, this));
            let Val::Tensor(this) = self.check(this, span) else { return Val::Unknown };
            chosen = self.chosen(this, value, chosen, span);
        }
        if wholes {
            self.note_chosen_wholes(&chosen);
        }
        chosen
    }

    /// The type of whole numbers that that of the elements does not hold: what Rust takes them for.
    fn beyond_elements(&self, values: &[Val<'a>]) -> Option<DType> {
        fn held(values: &[Val<'_>], dtype: DType) -> bool {
            values.iter().all(|value| match value {
                Val::List(items) => held(items, dtype),
                Val::Dim(dim) => dim.as_constant().is_some_and(|number| dtype.holds(number)),
                _ => false,
            })
        }
        let (None, Some(elements)) = self.element_types() else { return None };
        (!held(values, elements) && held(values, DType::I32)).then_some(DType::I32)
    }

    /// Whether all are whole numbers without a type, or such that an index has chosen.
    fn are_wholes(&self, values: &[Val<'a>]) -> bool {
        values.iter().all(|value| match value {
            Val::Dim(_) => true,
            Val::Tensor(_) => self.chosen_whole(value).is_some(),
            Val::List(items) => self.are_wholes(items),
            _ => false,
        })
    }

    fn note_chosen_wholes(&mut self, value: &Val<'a>) {
        match value {
            Val::Tensor(id) if self.differ_in(self.builder.dtype(*id)) => {
                self.note_chosen_whole(value, Some(ChosenWhole::Held));
            }
            Val::List(items) => items.iter().for_each(|item| self.note_chosen_wholes(item)),
            _ => {}
        }
    }

    /// A whole number of the list that is no float of its elements.
    fn rounded(&self, values: &[Val<'a>], elements: &[Val<'a>]) -> Option<(i64, DType)> {
        values.iter().zip(elements).find_map(|both| match both {
            (Val::List(values), Val::List(elements)) => self.rounded(values, elements),
            (Val::Dim(number), Val::Tensor(id)) => {
                let (number, dtype) = (number.as_constant()?, self.builder.dtype(*id));
                (dtype.is_float() && !is_exact(number, dtype)).then_some((number, dtype))
            }
            _ => None,
        })
    }

    /// The list's whole numbers as elements of the type.
    fn as_elements(&mut self, values: &[Val<'a>], dtype: DType, span: Span) -> Option<Vec<Val<'a>>> {
        let each = values.iter().map(|value| match value {
            Val::List(items) => self.as_elements(items, dtype, span).map(Val::List),
            value => self.tensor(value.clone(), Some(dtype), span).map(Val::Tensor),
        });
        each.collect()
    }

    /// The first type of the arguments that is one of floats, and the first one of whole numbers.
    pub(super) fn element_types(&self) -> (Option<DType>, Option<DType>) {
        let arguments = self.frame().scopes.iter().flatten().filter(|variable| variable.argument);
        let types = arguments.filter_map(|argument| match argument.value {
            Val::Tensor(id) => Some(self.builder.dtype(id)),
            _ => None,
        });
        let types: Vec<DType> = types.collect();
        let first = |is: fn(DType) -> bool| types.iter().copied().find(|dtype| is(*dtype));
        (first(DType::is_float), first(DType::is_integer))
    }

    /// The values of a list, where numbers without a type are of the elements' type: of which of them it will be is known only when
    /// the kernel runs, and what it meets is not known here.
    pub(super) fn of_element_type(&mut self, values: &[Val<'a>]) -> Vec<Val<'a>> {
        let (float, whole) = self.element_types();
        let any = float.or(whole).unwrap_or(DType::F32);
        let each = values.iter().map(|value| match value {
            Val::Number(number) => {
                let dtype = number.beside(float.unwrap_or(DType::F32));
                Val::Tensor(self.builder.constant(number.meeting(dtype), dtype))
            }
            Val::Dim(dim) if dim.as_constant().is_some_and(|value| any.holds(value)) => {
                match self.builder.dim(dim, any) {
                    Ok(id) => Val::Tensor(id),
                    Err(_) => value.clone(),
                }
            }
            Val::List(items) => Val::List(self.of_element_type(items)),
            value => value.clone(),
        });
        each.collect()
    }
}

/// Whether a float of that type holds the whole number.
pub(super) fn is_exact(number: i64, dtype: DType) -> bool {
    fold::cast(Literal::Int(number, DType::I64), dtype).as_f64() as i128 == i128::from(number)
}

/// The index as an operand of `as`.
pub(super) fn operand_text(index: &Expr) -> String {
    match parse::unparenthesized(index) {
        Expr::Index(read) => parse::index::text(read),
        Expr::Binary(_) | Expr::Unary(_) => format!("({})", text(index)),
        other => text(other),
    }
}

/// `x[min(n + 1, N - 1)]`, and what to write for it: a choice between two reads.
pub(super) fn clamped(read: &ExprIndex, index: &Expr) -> Option<(String, String)> {
    let (name, one, other) = match parse::unparenthesized(index) {
        Expr::Call(call) => match (text(&call.func), call.args.iter().collect::<Vec<_>>().as_slice()) {
            (name, [one, other]) => (name, (*one).clone(), (*other).clone()),
            _ => return None,
        },
        Expr::MethodCall(call) if call.args.len() == 1 => {
            (call.method.to_string(), (*call.receiver).clone(), call.args[0].clone())
        }
        _ => return None,
    };
    let sign = match name.as_str() {
        "min" | "minimum" => '<',
        "max" | "maximum" => '>',
        _ => return None,
    };
    let (one, other) = (text(parse::unparenthesized(&one)), text(parse::unparenthesized(&other)));
    let (tensor, given) = (text(&read.expr), text(index));
    let whole = parse::index::text(read);
    let at = |index: &str| format!("pad({tensor}{})", whole[tensor.len()..].replacen(&given, index, 1));
    Some((name, format!("if {one} {sign} {other} {{ {} }} else {{ {} }}", at(&one), at(&other))))
}
