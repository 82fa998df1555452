//! What a kernel computes, as a formula in the user's words: the comment above it and its label in reports.

use super::buffers::{Buffers, operation};
use crate::dim::{Dim, Shape};
use crate::dtype::Literal;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Graph, NodeId, Op};

/// Characters of a line of comment.
const LINE: usize = 110;
/// Lines of one formula at most: what does not fit is left out where it is nested deepest.
const LINES: usize = 4;

/// `name = formula` of a member, as lines of a comment.
pub(super) fn formula(graph: &Graph, buffers: &Buffers, id: NodeId) -> Vec<String> {
    lines(fitting(graph, buffers, id, Some(&buffers.name(id)), LINE * LINES))
}

/// The same on one line, for lists of steps.
pub(super) fn label(graph: &Graph, buffers: &Buffers, id: NodeId) -> String {
    fitting(graph, buffers, id, Some(&buffers.name(id)), LINE)
}

/// The formula of an operand that no buffer holds, as lines of a comment; without a name if the user gave it none.
pub(super) fn operand_formula(graph: &Graph, buffers: &Buffers, id: NodeId) -> Vec<String> {
    let mut named = id;
    while let (Op::View { source, .. } | Op::Reshape(source), true) = (&graph[named].op, graph[named].name.is_empty()) {
        named = *source;
    }
    let name = Some(graph[named].name.as_str()).filter(|name| !name.is_empty());
    lines(fitting(graph, buffers, named, name, LINE * LINES))
}

/// The formula with as much of what is nested as `width` characters hold; `…` stands for whole operands.
fn fitting(graph: &Graph, buffers: &Buffers, id: NodeId, name: Option<&str>, width: usize) -> String {
    let written = |depth: u32| {
        let formula = expression(graph, buffers, id, true, depth).0;
        name.map_or(formula.clone(), |name| format!("{name} = {formula}"))
    };
    let mut text = written(1);
    for depth in 2.. {
        if !text.contains('…') {
            break;
        }
        let deeper = written(depth);
        if deeper.chars().count() > width {
            break;
        }
        text = deeper;
    }
    text
}

/// Lines that end between words; those after the first are indented.
fn lines(text: String) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or("", String::as_str);
        if !line.trim_start().is_empty() && line.chars().count() + 1 + word.chars().count() > LINE {
            lines.push(format!("    {word}"));
        } else if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// How tightly a formula's outermost operator binds. Sums, comparisons and choices are always in parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Atom,
    Product,
    Quotient,
    /// A size such as `N*64 + 3`.
    Sum,
}

/// A formula and its outermost operator.
struct FormulaText(String, Binding);

impl FormulaText {
    fn atom(text: impl Into<String>) -> Self {
        FormulaText(text.into(), Binding::Atom)
    }

    /// In parentheses where its operator is one of these.
    fn unless(self, loose: &[Binding]) -> String {
        if loose.contains(&self.1) { format!("({})", self.0) } else { self.0 }
    }
}

fn expression(graph: &Graph, buffers: &Buffers, id: NodeId, root: bool, depth: u32) -> FormulaText {
    let node = &graph[id];
    if !root && !node.name.is_empty() {
        return FormulaText::atom(&node.name);
    }
    if !root && let Some(name) = buffers.stored(id) {
        return FormulaText::atom(name);
    }
    let leaf = matches!(node.op, Op::Input(_) | Op::Size(_) | Op::Constant(_) | Op::Iota { .. });
    // What only moves elements is not written, and nests nothing.
    let moved = matches!(node.op, Op::View { .. } | Op::Reshape(_) | Op::Cast(_));
    if depth == 0 && !leaf && !moved {
        return FormulaText::atom("…");
    }
    let inner = |id: NodeId| expression(graph, buffers, id, false, if moved { depth } else { depth - 1 });
    match &node.op {
        Op::Input(_) => FormulaText::atom(&node.name),
        Op::Size(dim) => size(dim),
        Op::Constant(Literal::Int(value, _)) => FormulaText::atom(value.to_string()),
        Op::Constant(literal) => FormulaText::atom(literal.as_f64().to_string()),
        // A coordinate is that of the axis that the view has for it.
        Op::View { source, index } if matches!(graph[*source].op, Op::Iota { .. }) => {
            let Op::Iota { axis } = graph[*source].op else { return inner(*source) };
            let plain = |index: &AxisIndex| index.as_axis().is_some();
            let text = index.get(axis).map_or_else(|| coordinate(axis), position);
            FormulaText(text, if index.get(axis).is_none_or(plain) { Binding::Atom } else { Binding::Sum })
        }
        // Ones with zeros around them tell what is inside.
        Op::View { source, index } if is_one(&graph[*source].op) && moves(index, &graph[*source].shape) => {
            let places: Vec<String> = index.iter().map(position).collect();
            FormulaText::atom(format!("inside({})", places.join(", ")))
        }
        Op::View { source, index } if moves(index, &graph[*source].shape) => {
            let text = inner(*source);
            // Axes in another order tell something of what has a name; a formula holds for each element all the same.
            let turned = index.iter().all(|index| index.as_axis().is_some());
            if turned && !text.0.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) {
                return text;
            }
            let places: Vec<String> = index.iter().map(position).collect();
            let source = text.unless(&[Binding::Product, Binding::Quotient, Binding::Sum]);
            FormulaText::atom(format!("{source}[{}]", places.join(", ")))
        }
        Op::View { source, .. } | Op::Reshape(source) | Op::Cast(source) => inner(*source),
        Op::Iota { axis } => FormulaText::atom(coordinate(*axis)),
        Op::Reduce { op, source, axes } if axes.len() < graph[*source].shape.rank() => {
            let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            FormulaText::atom(format!("{}({} over {})", op.name(), inner(*source).0, axes.join(", ")))
        }
        Op::Binary(op, a, b) => binary(*op, inner(*a), inner(*b)),
        Op::Compare(op, a, b) => {
            let sign = match op {
                CompareOp::Eq => "==",
                CompareOp::Ne => "!=",
                CompareOp::Lt => "<",
                CompareOp::Le => "<=",
                CompareOp::Gt => ">",
                CompareOp::Ge => ">=",
            };
            FormulaText::atom(format!("({} {sign} {})", inner(*a).0, inner(*b).0))
        }
        Op::Select(c, a, b) => FormulaText::atom(format!("({} ? {} : {})", inner(*c).0, inner(*a).0, inner(*b).0)),
        op => {
            let operands: Vec<String> = op.operands().into_iter().map(|operand| inner(operand).0).collect();
            FormulaText::atom(format!("{}({})", operation(op), operands.join(", ")))
        }
    }
}

/// Whether elements are read elsewhere than at their own coordinates, repeated along further axes or not.
fn moves(index: &[AxisIndex], source: &Shape) -> bool {
    let mut last = None;
    index.iter().zip(&source.0).any(|(index, size)| {
        let repeated = size.is(1) && index.terms.is_empty() && index.offset.is(0);
        let axis = index.as_axis();
        let ascending = axis.is_some() && axis > last;
        last = axis.or(last);
        !ascending && !repeated
    })
}

fn is_one(op: &Op) -> bool {
    matches!(op, Op::Constant(literal) if literal.is(1.0))
}

/// The coordinate along an axis.
fn coordinate(axis: usize) -> String {
    format!("i{axis}")
}

/// A source coordinate of a view: `i0*2 + i3 - 1`.
fn position(index: &AxisIndex) -> String {
    let mut text = String::new();
    let mut add = |negative: bool, term: &str| {
        let sign = match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(&format!("{sign}{term}"));
    };
    let mut terms = index.terms.clone();
    let mut offset = index.offset.clone();
    // What is subtracted stands last: `N - 1 - i0`.
    terms.sort_by_key(|(_, factor)| *factor < 0);
    let below = terms.iter().position(|(_, factor)| *factor < 0).unwrap_or(terms.len());
    for (position, (axis, factor)) in terms.iter().enumerate() {
        if position == below && !offset.is(0) {
            add(false, &std::mem::take(&mut offset).to_string());
        }
        let times = if factor.unsigned_abs() == 1 { String::new() } else { format!("*{}", factor.unsigned_abs()) };
        add(*factor < 0, &format!("{}{times}", coordinate(*axis)));
    }
    match offset.as_constant() {
        Some(0) if !terms.is_empty() => {}
        Some(value) => add(value < 0, &value.unsigned_abs().to_string()),
        None => add(false, &offset.to_string()),
    }
    if index.divisor == 1 {
        return text;
    }
    let sum = text.contains(' ');
    if sum { format!("({text})/{}", index.divisor) } else { format!("{text}/{}", index.divisor) }
}

/// Operators of one rank are read from the left: what stands on the right of a division keeps its parentheses.
fn binary(op: BinaryOp, a: FormulaText, b: FormulaText) -> FormulaText {
    use Binding::{Product, Quotient, Sum};
    match op {
        BinaryOp::Add => FormulaText::atom(format!("({} + {})", a.0, b.0)),
        BinaryOp::Sub => FormulaText::atom(format!("({} - {})", a.0, b.unless(&[Sum]))),
        BinaryOp::Mul => FormulaText(format!("{} * {}", a.unless(&[Sum]), b.unless(&[Sum, Quotient])), Product),
        BinaryOp::Div => {
            FormulaText(format!("{} / {}", a.unless(&[Sum]), b.unless(&[Sum, Product, Quotient])), Quotient)
        }
        op => FormulaText::atom(format!("{}({}, {})", op.name(), a.0, b.0)),
    }
}

fn size(dim: &Dim) -> FormulaText {
    let (terms, factors) = (dim.terms().count(), dim.terms().map(|(factors, _)| factors.len()).sum::<usize>());
    let scaled = dim.terms().any(|(factors, coefficient)| !factors.is_empty() && coefficient != 1);
    let binding = match (terms, factors) {
        (0 | 1, 0 | 1) if !scaled => Binding::Atom,
        (0 | 1, _) => Binding::Product,
        _ => Binding::Sum,
    };
    FormulaText(dim.to_string(), binding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_formulas_go_on_in_the_next_line() {
        let short = "y = max(x, 0)".to_string();
        assert_eq!(lines(short.clone()), [short]);
        let long = format!("y = {}", vec!["some_operand"; 20].join(" + "));
        let broken = lines(long.clone());
        assert!(broken.len() == 3 && broken.iter().all(|line| line.chars().count() <= LINE), "{broken:#?}");
        assert!(broken[1..].iter().all(|line| line.starts_with("    ")), "{broken:#?}");
        let joined: Vec<&str> = broken.iter().map(|line| line.trim_start()).collect();
        assert_eq!(joined.join(" "), long);
    }

    #[test]
    fn places_read_as_people_write_them() {
        let at = |terms: &[(usize, i64)], offset: Dim, divisor| {
            position(&AxisIndex { terms: terms.to_vec(), offset, divisor })
        };
        let n = || Dim::symbol("N");
        assert_eq!(at(&[(0, 1)], Dim::from(1), 1), "i0 + 1");
        assert_eq!(at(&[(0, 2), (3, 1)], Dim::constant(-1), 1), "i0*2 + i3 - 1");
        assert_eq!(at(&[(1, -1)], n() - Dim::from(1), 1), "N - 1 - i1");
        assert_eq!(at(&[(1, -1)], Dim::default(), 1), "-i1");
        assert_eq!(at(&[], n() - Dim::from(1), 1), "N - 1");
        assert_eq!(at(&[], Dim::default(), 1), "0");
        assert_eq!(at(&[(0, 1), (2, -1)], Dim::from(1), 2), "(i0 + 1 - i2)/2");
    }

    #[test]
    fn only_what_moves_elements_shows_where_from() {
        let (shape, column) =
            (Shape(vec![Dim::symbol("N"), Dim::from(8)]), Shape(vec![Dim::symbol("N"), Dim::from(1)]));
        let own = [AxisIndex::axis(0), AxisIndex::axis(1)];
        assert!(!moves(&own, &shape));
        assert!(!moves(&[AxisIndex::axis(1), AxisIndex::axis(2)], &shape), "repeated along a new first axis");
        assert!(!moves(&[AxisIndex::axis(0), AxisIndex::fixed(0usize)], &column), "repeated along the last axis");
        assert!(moves(&[AxisIndex::axis(0), AxisIndex::fixed(0usize)], &shape), "the first column");
        assert!(moves(&[AxisIndex::axis(1), AxisIndex::axis(0)], &shape), "turned");
        let shifted = AxisIndex { offset: Dim::from(1), ..AxisIndex::axis(0) };
        assert!(moves(&[shifted, AxisIndex::axis(1)], &shape));
    }

    #[test]
    fn what_stands_under_a_division_keeps_together() {
        let c = || size(&Dim::symbol("C"));
        let product = || size(&(Dim::symbol("C") * Dim::symbol("N")));
        let scaled = || size(&(Dim::symbol("C") * Dim::constant(2)));
        let sum = || size(&(Dim::symbol("C") + Dim::constant(1)));
        let x = || FormulaText::atom("x");
        let cases = [
            (binary(BinaryOp::Div, x(), c()), "x / C"),
            (binary(BinaryOp::Div, x(), product()), "x / (C*N)"),
            (binary(BinaryOp::Div, x(), scaled()), "x / (C*2)"),
            (binary(BinaryOp::Div, x(), sum()), "x / (C + 1)"),
            (binary(BinaryOp::Mul, sum(), product()), "(C + 1) * C*N"),
            (binary(BinaryOp::Sub, x(), sum()), "(x - (C + 1))"),
            (binary(BinaryOp::Div, binary(BinaryOp::Mul, x(), c()), c()), "x * C / C"),
            (binary(BinaryOp::Div, x(), binary(BinaryOp::Mul, x(), c())), "x / (x * C)"),
            (binary(BinaryOp::Div, x(), binary(BinaryOp::Div, x(), c())), "x / (x / C)"),
            (binary(BinaryOp::Mul, x(), binary(BinaryOp::Div, x(), c())), "x * (x / C)"),
        ];
        for (FormulaText(text, _), expected) in cases {
            assert_eq!(text, expected);
        }
    }
}
