//! Sums of products over axes that letters name.
//!
//! Operands are multiplied from the left to the right, each step a matrix product: of the letters of both sides those that are
//! needed further on count its batch, the others what it sums over.

use super::args::{self, Args, X, arg};
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, NodeId, ReduceOp};
use crate::span::{Diagnostic, Result};
use std::fmt;

const OP: &str = "einsum";

pub(super) const OPERATIONS: &[Operation] = &[Operation {
    name: OP,
    doc: "the sum of products that `equation` says: letters for the axes of `x` and `others`, then of the result, as in \
          `\"bij,bjk->bik\"`; letters that the result lacks are summed over, `...` are axes without letters, which broadcast, and \
          without `->` the result has the letters that stand once, by the alphabet",
    args: &[X, arg("equation", ArgKind::Text), arg("others", ArgKind::Tensors)],
    build: |b, a| {
        let mut operands = vec![a.tensor(0)?];
        operands.extend(a.tensors(2)?);
        einsum(b, a.text(1)?, &operands)
    },
}];

/// An axis of an equation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// One of `...`, counted from the last.
    Unnamed(std::cmp::Reverse<usize>),
    Letter(char),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Letter(letter) => write!(f, "{letter}"),
            Label::Unnamed(_) => f.write_str("..."),
        }
    }
}

/// A tensor whose axes have labels.
struct Labelled {
    id: NodeId,
    labels: Vec<Label>,
}

/// The letters of one operand, or of the result; whether `...` is before the letter at that position.
struct Term {
    letters: Vec<char>,
    unnamed: Option<usize>,
}

fn term(equation: &str, text: &str) -> Result<Term> {
    let wrong = |found: &str| {
        Diagnostic::new(format!("`{OP}` expects letters, `,`, `...` and one `->`, found `{found}` in `{equation}`"))
    };
    let (mut letters, mut unnamed) = (Vec::new(), None);
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let taken = if first.is_ascii_alphabetic() {
            letters.push(first);
            1
        } else if rest.starts_with("...") && unnamed.is_none() {
            unnamed = Some(letters.len());
            3
        } else {
            return Err(wrong(&first.to_string()));
        };
        rest = rest[taken..].trim_start();
    }
    Ok(Term { letters, unnamed })
}

impl Term {
    /// With a label for each of `unnamed` axes where `...` stands.
    fn labels(&self, unnamed: usize) -> Vec<Label> {
        let mut labels: Vec<Label> = self.letters.iter().copied().map(Label::Letter).collect();
        if let Some(place) = self.unnamed {
            let all = (0..unnamed).rev().map(|from_last| Label::Unnamed(std::cmp::Reverse(from_last)));
            labels.splice(place..place, all);
        }
        labels
    }
}

fn einsum(b: &mut Builder, equation: &str, operands: &[NodeId]) -> Result<NodeId> {
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(term(equation, right)?)),
        None => (equation, None),
    };
    let terms = left.split(',').map(|text| term(equation, text)).collect::<Result<Vec<Term>>>()?;
    if terms.len() != operands.len() {
        let (expected, found) = (terms.len(), operands.len());
        let plural = if expected == 1 { "" } else { "s" };
        let problem =
            Diagnostic::new(format!("`{OP}` of `{equation}` expects {expected} operand{plural}, found {found}"));
        return Err(problem.hint("the tensor that it is called on is the first of them: `x.einsum(\"ij,jk->ik\", y)`"));
    }
    let mut all = Vec::new();
    for (term, &id) in terms.iter().zip(operands) {
        all.push(Labelled { id, labels: named(b, equation, term, id)? });
    }
    for operand in &all[1..] {
        let (first, other) = (b.dtype(all[0].id), b.dtype(operand.id));
        if first != other {
            return Err(Diagnostic::new(format!("`{OP}` expects tensors of one type, found {first} and {other}"))
                .hint("convert one of them with `.cast(..)`"));
        }
    }
    let result = result(equation, right.as_ref(), &all)?;
    sized(b, equation, &mut all)?;
    let first = all.remove(0);
    let mut all = all.into_iter();
    let mut product = alone(b, first, &needed(&result, all.as_slice()))?;
    while let Some(next) = all.next() {
        let further = needed(&result, all.as_slice());
        let kept: Vec<Label> = further.iter().chain(&product.labels).copied().collect();
        let next = alone(b, next, &kept)?;
        let kept: Vec<Label> = further.iter().chain(&next.labels).copied().collect();
        product = alone(b, product, &kept)?;
        product = multiplied(b, &product, &next, &further)?;
    }
    let order = places(&product.labels, &result);
    b.permute(product.id, &order)
}

/// The labels that the result or one of the operands has.
fn needed(result: &[Label], operands: &[Labelled]) -> Vec<Label> {
    result.iter().chain(operands.iter().flat_map(|operand| &operand.labels)).copied().collect()
}

/// Where `wanted` are among `labels`.
fn places(labels: &[Label], wanted: &[Label]) -> Vec<usize> {
    wanted.iter().filter_map(|label| labels.iter().position(|own| own == label)).collect()
}

/// The labels of the operand's axes.
fn named(b: &Builder, equation: &str, term: &Term, id: NodeId) -> Result<Vec<Label>> {
    let (shape, letters) = (b.shape(id), term.letters.len());
    match (shape.rank().checked_sub(letters), term.unnamed) {
        (Some(unnamed), Some(_)) => Ok(term.labels(unnamed)),
        (Some(0), None) => Ok(term.labels(0)),
        _ => {
            let written: String = term.letters.iter().collect();
            Err(Diagnostic::new(format!("`{OP}` of `{equation}` names the axes of {shape} `{written}`"))
                .hint("write a letter for each axis, or `...` for those without one"))
        }
    }
}

/// The labels of the result.
fn result(equation: &str, written: Option<&Term>, operands: &[Labelled]) -> Result<Vec<Label>> {
    let labels = || operands.iter().flat_map(|operand| &operand.labels).copied();
    let is_unnamed = |label: &Label| matches!(label, Label::Unnamed(_));
    let mut unnamed: Vec<Label> = labels().filter(is_unnamed).collect();
    unnamed.sort();
    unnamed.dedup();
    let Some(written) = written else {
        let mut once: Vec<Label> = labels()
            .filter(|label| !is_unnamed(label) && labels().filter(|other| other == label).count() == 1)
            .collect();
        once.sort();
        return Ok([unnamed, once].concat());
    };
    for (position, letter) in written.letters.iter().enumerate() {
        if written.letters[..position].contains(letter) {
            return Err(Diagnostic::new(format!("`{OP}`: the result of `{equation}` has `{letter}` twice")));
        }
        if !labels().any(|label| label == Label::Letter(*letter)) {
            return Err(Diagnostic::new(format!(
                "`{OP}`: the result of `{equation}` has `{letter}`, which no operand has"
            )));
        }
    }
    Ok(written.labels(unnamed.len()))
}

/// Each label has one size: axes without letters whose size is 1 broadcast, which is to have none.
fn sized(b: &mut Builder, equation: &str, operands: &mut [Labelled]) -> Result<()> {
    let mut known: Vec<(Label, NodeId, usize)> = Vec::new();
    for operand in &*operands {
        for (axis, label) in operand.labels.iter().enumerate() {
            let broadcasts = matches!(label, Label::Unnamed(_)) && b.shape(operand.id)[axis].is(1);
            if !broadcasts && !known.iter().any(|(other, ..)| other == label) {
                known.push((*label, operand.id, axis));
            }
        }
    }
    for operand in operands {
        let mut axis = 0;
        while let Some(&label) = operand.labels.get(axis) {
            let first = known.iter().find(|(other, ..)| *other == label).copied();
            let Some((_, first, own)) = first else {
                axis += 1;
                continue;
            };
            let (size, found) = (b.shape(first)[own].clone(), b.shape(operand.id)[axis].clone());
            if matches!(label, Label::Unnamed(_)) && found.is(1) && !size.is(1) {
                operand.id = super::shape::get(b, operand.id, axis, &Dim::constant(0))?;
                operand.labels.remove(axis);
                continue;
            }
            if size != found {
                let (one, other) = (b.shape(first).clone(), b.shape(operand.id).clone());
                let what = format!("`{OP}` of `{equation}`: `{label}` is {size} in {one} and {found} in {other}");
                if !b.agree_along([(first, own), (operand.id, axis)], &what, "and") {
                    let hint = "a letter stands for axes of one size: write another one for one of these, or bring both to one size";
                    return Err(Diagnostic::new(what).hint(hint));
                }
                let mut shape = other;
                shape.0[axis] = size;
                let index = (0..shape.rank()).map(AxisIndex::axis).collect();
                operand.id = b.view(operand.id, shape, index)?;
            }
            axis += 1;
        }
    }
    Ok(())
}

/// The operand by itself: of a letter that stands several times the diagonal, and of what nothing else has the sum.
fn alone(b: &mut Builder, operand: Labelled, kept: &[Label]) -> Result<Labelled> {
    let Labelled { mut id, labels } = operand;
    let mut distinct: Vec<Label> = Vec::new();
    for label in &labels {
        if !distinct.contains(label) {
            distinct.push(*label);
        }
    }
    if distinct.len() < labels.len() {
        let source = b.shape(id).clone();
        let shape = Shape(places(&labels, &distinct).into_iter().map(|axis| source[axis].clone()).collect());
        let index = places(&distinct, &labels).into_iter().map(AxisIndex::axis).collect();
        id = b.view(id, shape, index)?;
    }
    let summed: Vec<usize> = (0..distinct.len()).filter(|&axis| !kept.contains(&distinct[axis])).collect();
    if !summed.is_empty() {
        id = b.reduce(ReduceOp::Sum, id, &summed, false)?;
        distinct.retain(|label| kept.contains(label));
    }
    Ok(Labelled { id, labels: distinct })
}

/// The product of two tensors, summed over what both have and nothing further needs.
fn multiplied(b: &mut Builder, x: &Labelled, y: &Labelled, further: &[Label]) -> Result<Labelled> {
    let both = |label: &&Label| y.labels.contains(label);
    let shared: Vec<Label> = x.labels.iter().filter(both).copied().collect();
    let (batch, summed): (Vec<Label>, Vec<Label>) = shared.iter().partition(|label| further.contains(label));
    let only = |of: &Labelled| of.labels.iter().filter(|label| !shared.contains(label)).copied().collect();
    let (rows, columns): (Vec<Label>, Vec<Label>) = (only(x), only(y));
    let labels = [&batch[..], &rows[..], &columns[..]].concat();
    let size = |b: &Builder, label: &Label| {
        let of = if x.labels.contains(label) { x } else { y };
        b.shape(of.id)[places(&of.labels, &[*label])[0]].clone()
    };
    let sizes = |b: &Builder, labels: &[Label]| -> Vec<Dim> { labels.iter().map(|label| size(b, label)).collect() };
    let shape = Shape(sizes(b, &labels));
    if summed.is_empty() || !b.dtype(x.id).is_float() {
        let all = [&labels[..], &summed[..]].concat();
        let whole = Shape(sizes(b, &all));
        let mut spread = |of: &Labelled| args::along(b, of.id, &whole, &places(&all, &of.labels));
        let (x, y) = (spread(x)?, spread(y)?);
        let product = b.binary(BinaryOp::Mul, x, y)?;
        let axes: Vec<usize> = (labels.len()..all.len()).collect();
        let id = if axes.is_empty() { product } else { b.reduce(ReduceOp::Sum, product, &axes, false)? };
        return Ok(Labelled { id, labels });
    }
    let count =
        |b: &Builder, labels: &[Label]| sizes(b, labels).into_iter().fold(Dim::constant(1), |all, dim| all * dim);
    let [groups, m, n, k] = [&batch, &rows, &columns, &summed].map(|labels| count(b, labels));
    let matrices = |b: &mut Builder, of: &Labelled, order: [&[Label]; 3], axes: [Dim; 2]| {
        let moved = b.permute(of.id, &places(&of.labels, &order.concat()))?;
        // Without a batch one product of matrices.
        let leading = if batch.is_empty() { Vec::new() } else { vec![groups.clone()] };
        b.reshape(moved, Shape([leading, axes.to_vec()].concat()))
    };
    let left = matrices(b, x, [&batch, &rows, &summed], [m, k.clone()])?;
    let right = matrices(b, y, [&batch, &summed, &columns], [k, n])?;
    let product = b.matmul(left, right)?;
    Ok(Labelled { id: b.reshape(product, shape)?, labels })
}
