//! Dimensions and shapes: numbers known while compiling, symbols bound by the arguments, and arithmetic on both.

use crate::dtype::DType;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The name of a symbolic dimension, such as `N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Symbol(pub Arc<str>);

impl Symbol {
    /// A symbol of that name.
    pub fn new(name: &str) -> Self {
        Symbol(name.into())
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The most elements of a buffer and the most rounds of a loop.
///
/// Kernels count with 32 bits, signed. A counter goes past its end by at most a step (a work-item's chunk, a work-group's
/// tile: some thousands of elements), which must not wrap either; 2^16 are left for that.
pub const INDEX_LIMIT: u64 = i32::MAX as u64 - (1 << 16);

/// How many bits index arithmetic has. Kernels count with 32 where that is enough: registers are scarce, and 64-bit products dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum IndexWidth {
    /// 32: up to [`INDEX_LIMIT`].
    #[default]
    Narrow,
    /// 64: up to [`WIDE_LIMIT`].
    Wide,
}

impl IndexWidth {
    /// What index arithmetic is made of.
    pub fn dtype(self) -> DType {
        match self {
            IndexWidth::Narrow => DType::I32,
            IndexWidth::Wide => DType::I64,
        }
    }

    /// The most elements of a buffer.
    pub fn limit(self) -> u64 {
        match self {
            IndexWidth::Narrow => INDEX_LIMIT,
            IndexWidth::Wide => WIDE_LIMIT,
        }
    }

    /// Whether it is [`IndexWidth::Narrow`], of which nothing need be written.
    pub fn is_narrow(&self) -> bool {
        *self == IndexWidth::Narrow
    }
}

/// The most elements of a buffer where kernels count with 64 bits: their bytes, and a product of two sizes with a step past
/// the end, stay within 63 bits, and no device has as much memory.
pub const WIDE_LIMIT: u64 = 1 << 56;

/// The product of sizes; what is more than 64 bits hold is as many as they do.
pub fn saturating_product(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(1, u64::saturating_mul)
}

/// A divisor as sizes are counted. Beyond 63 bits it is as large as a size can be, which goes into all of them as often.
pub(crate) fn signed(divisor: u64) -> i64 {
    i64::try_from(divisor).unwrap_or(i64::MAX)
}

/// What a product of a [`Dim`] is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Factor {
    /// A symbol.
    Symbol(Symbol),
    /// `floor(dividend / divisor)`, kept whole because it is no polynomial.
    FloorDiv(Box<Dim>, u64),
}

impl Factor {
    /// Whether the symbol is in it.
    pub fn mentions(&self, symbol: &Symbol) -> bool {
        match self {
            Factor::Symbol(own) => own == symbol,
            Factor::FloorDiv(dividend, _) => dividend.mentions(symbol),
        }
    }
}

/// An integer that is known when kernels are launched: a polynomial over symbols (and floor divisions of such) with
/// integer coefficients, in canonical form, so that equal expressions compare equal.
#[derive(Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "Vec<(Vec<Factor>, i64)>", try_from = "Vec<(Vec<Factor>, i64)>")]
pub struct Dim {
    /// The term without factors. Most sizes are nothing else, and all are copied all the time: it needs no memory of its own.
    constant: i64,
    /// Products of sorted factors, one or more, with their non-zero coefficients, in the order of the products and none of them twice.
    /// Sizes have a term or two: maps make the compiler 40 % slower.
    terms: Vec<(Vec<Factor>, i64)>,
}

/// Cargo builds macros without optimisation, where a vector takes its time though there is nothing to copy.
impl Clone for Dim {
    fn clone(&self) -> Self {
        let terms = if self.terms.is_empty() { Vec::new() } else { self.terms.clone() };
        Dim { constant: self.constant, terms }
    }
}

/// By their terms, of which the constant is the first unless it is 0. (Derived, 0 would be one: plans would have sizes in another order.)
impl Ord for Dim {
    fn cmp(&self, other: &Self) -> Ordering {
        self.terms().cmp(other.terms())
    }
}

impl PartialOrd for Dim {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<Dim> for Vec<(Vec<Factor>, i64)> {
    fn from(dim: Dim) -> Self {
        dim.terms().map(|(factors, coefficient)| (factors.to_vec(), coefficient)).collect()
    }
}

/// What a plan in a damaged file may hold is no size: a division by zero.
impl TryFrom<Vec<(Vec<Factor>, i64)>> for Dim {
    type Error = &'static str;

    fn try_from(terms: Vec<(Vec<Factor>, i64)>) -> Result<Self, Self::Error> {
        let by_zero = |factor: &Factor| matches!(factor, Factor::FloorDiv(_, 0));
        if terms.iter().any(|(factors, _)| factors.iter().any(by_zero)) {
            return Err("a size is divided by zero");
        }
        let mut dim = Dim::default();
        terms.into_iter().for_each(|(factors, coefficient)| dim.change_term(factors, |_| coefficient));
        Ok(dim)
    }
}

/// The values of symbols at run time, in the order of a plan's symbol table.
pub type Bindings<'a> = &'a [(Symbol, u64)];

impl Dim {
    /// The number `value`.
    pub fn constant(value: i64) -> Self {
        Dim { constant: value, terms: Vec::new() }
    }

    /// The symbol `name`.
    pub fn symbol(name: &str) -> Self {
        Dim::term(vec![Factor::Symbol(Symbol::new(name))], 1)
    }

    /// The value, if it is a number.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether this is the number `value`.
    pub fn is(&self, value: i64) -> bool {
        self.as_constant() == Some(value)
    }

    /// The terms: product and coefficient, in canonical order.
    pub fn terms(&self) -> impl DoubleEndedIterator<Item = (&[Factor], i64)> + Clone {
        let constant = (self.constant != 0).then_some((&[][..], self.constant));
        let products = self.terms.iter().map(|(factors, coefficient)| (factors.as_slice(), *coefficient));
        constant.into_iter().chain(products)
    }

    /// The terms as people write them: symbols before numbers, what is subtracted last.
    pub fn written(&self) -> impl Iterator<Item = (&[Factor], i64)> {
        let of = |negative: bool| self.terms().rev().filter(move |(_, c)| (*c < 0) == negative);
        of(false).chain(of(true))
    }

    /// One term: a product, its factors in order, and its coefficient.
    pub(crate) fn term(factors: Vec<Factor>, coefficient: i64) -> Dim {
        match factors.is_empty() {
            true => Dim::constant(coefficient),
            false => Dim { constant: 0, terms: vec![(factors, coefficient)] },
        }
    }

    /// Each term as a dimension of its own, and its coefficient.
    pub fn parts(&self) -> impl Iterator<Item = (Dim, i64)> {
        self.terms().map(|(factors, c)| (Dim::term(factors.to_vec(), c), c))
    }

    /// The value under `bindings`; `None` if a symbol is not bound or the arithmetic overflows.
    pub fn evaluate(&self, bindings: Bindings<'_>) -> Option<i64> {
        let mut sum = self.constant;
        for (factors, coefficient) in &self.terms {
            let mut product = *coefficient;
            for factor in factors {
                let value = match factor {
                    Factor::Symbol(symbol) => {
                        i64::try_from(bindings.iter().find(|(name, _)| name == symbol)?.1).ok()?
                    }
                    Factor::FloorDiv(dividend, divisor) => dividend.evaluate(bindings)?.div_euclid(signed(*divisor)),
                };
                product = product.checked_mul(value)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// About how large the size is where its symbols are not known yet: each counts as 64.
    pub fn estimate(&self) -> u64 {
        self.likely(&[])
    }

    /// About how large the size is where only the symbols in `known` are known: each of the others counts as 64, and so
    /// does a size that is negative or beyond 63 bits.
    pub fn likely(&self, known: Bindings<'_>) -> u64 {
        let size = self.known(known).substitute(&|_| Some(Dim::constant(64)));
        size.as_constant().and_then(|size| u64::try_from(size).ok()).unwrap_or(64)
    }

    /// The same with the symbols in `bindings` replaced by their values.
    pub fn known(&self, bindings: Bindings<'_>) -> Dim {
        self.substitute(&|symbol| {
            let (_, value) = bindings.iter().find(|(name, _)| name == symbol)?;
            Some(Dim::constant(i64::try_from(*value).unwrap_or(i64::MAX)))
        })
    }

    /// Calls `visit` for every symbol in it, repeats included.
    pub fn visit_symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
        for (factors, _) in &self.terms {
            for factor in factors {
                match factor {
                    Factor::Symbol(symbol) => visit(symbol),
                    Factor::FloorDiv(dividend, _) => dividend.visit_symbols(visit),
                }
            }
        }
    }

    /// Whether the symbol is in it.
    pub fn mentions(&self, symbol: &Symbol) -> bool {
        self.terms().any(|(factors, _)| factors.iter().any(|factor| factor.mentions(symbol)))
    }

    /// The same with every symbol replaced by what `with` gives for it.
    pub fn substitute(&self, with: &dyn Fn(&Symbol) -> Option<Dim>) -> Dim {
        let mut sum = Dim::constant(self.constant);
        for (factors, coefficient) in &self.terms {
            let mut product = Dim::constant(*coefficient);
            for factor in factors {
                product = product
                    * match factor {
                        Factor::Symbol(symbol) => with(symbol).unwrap_or_else(|| Dim::symbol(symbol.name())),
                        Factor::FloorDiv(dividend, divisor) => dividend.substitute(with).floor_div(*divisor),
                    };
            }
            sum = sum + product;
        }
        sum
    }
}

impl From<usize> for Dim {
    /// Saturating, as arithmetic on sizes is: no memory holds what a signed 64-bit number does not count.
    fn from(value: usize) -> Self {
        Dim::constant(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl Dim {
    /// Saturating: sizes beyond 64 bits are refused when they are evaluated or allocated, and must not panic before.
    fn add_term(&mut self, factors: Vec<Factor>, coefficient: i64) {
        self.change_term(factors, |before| before.saturating_add(coefficient));
    }

    fn change_term(&mut self, factors: Vec<Factor>, with: impl FnOnce(i64) -> i64) {
        if factors.is_empty() {
            self.constant = with(self.constant);
            return;
        }
        match self.terms.binary_search_by(|(known, _)| known.cmp(&factors)) {
            Ok(at) => match with(self.terms[at].1) {
                0 => _ = self.terms.remove(at),
                coefficient => self.terms[at].1 = coefficient,
            },
            Err(at) => match with(0) {
                0 => {}
                coefficient => self.terms.insert(at, (factors, coefficient)),
            },
        }
    }
}

impl std::ops::Add for Dim {
    type Output = Dim;
    fn add(mut self, other: Dim) -> Dim {
        self.constant = self.constant.saturating_add(other.constant);
        for (factors, coefficient) in other.terms {
            self.add_term(factors, coefficient);
        }
        self
    }
}

impl std::ops::Sub for Dim {
    type Output = Dim;
    fn sub(mut self, other: Dim) -> Dim {
        // Not by a product with -1, which `i64::MIN` has none of.
        self.constant = self.constant.saturating_sub(other.constant);
        for (factors, coefficient) in other.terms {
            self.change_term(factors, |before| before.saturating_sub(coefficient));
        }
        self
    }
}

impl std::ops::Mul for Dim {
    type Output = Dim;
    fn mul(self, other: Dim) -> Dim {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Dim::constant(a.saturating_mul(b));
        }
        let mut product = Dim::default();
        for (a, x) in self.terms() {
            for (b, y) in other.terms() {
                let mut factors: Vec<Factor> = a.iter().chain(b).cloned().collect();
                factors.sort();
                product.add_term(factors, x.saturating_mul(y));
            }
        }
        product
    }
}

/// What is divided: a name as it is, anything else in parentheses.
struct Dividend<'a>(&'a Dim);

impl fmt::Display for Dividend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms = self.0.terms();
        match (terms.next(), terms.next()) {
            (Some(([Factor::Symbol(symbol)], 1)), None) => write!(f, "{symbol}"),
            _ => write!(f, "({})", self.0),
        }
    }
}

/// As people write it, and as the text forms of graphs and kernels read it: `N*64 + 3`, `(H - 2) / 2 + 1`, `(N / 2)*3`.
impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is(0) {
            return f.write_str("0");
        }
        // Symbols before the constant.
        for (position, (factors, coefficient)) in self.terms().rev().enumerate() {
            let magnitude = coefficient.unsigned_abs();
            match (position, coefficient < 0) {
                (0, true) => f.write_str("-")?,
                (0, false) => {}
                (_, true) => f.write_str(" - ")?,
                (_, false) => f.write_str(" + ")?,
            }
            let mut separator = "";
            for factor in factors {
                match factor {
                    Factor::Symbol(symbol) => write!(f, "{separator}{symbol}")?,
                    // A quotient in a product has parentheses: it is rounded down before anything is multiplied.
                    Factor::FloorDiv(dividend, divisor) if factors.len() > 1 || magnitude != 1 => {
                        write!(f, "{separator}({} / {divisor})", Dividend(dividend))?;
                    }
                    Factor::FloorDiv(dividend, divisor) => write!(f, "{} / {divisor}", Dividend(dividend))?,
                }
                separator = "*";
            }
            if factors.is_empty() || magnitude != 1 {
                write!(f, "{separator}{magnitude}")?;
            }
        }
        Ok(())
    }
}

/// Of a tensor, as in NumPy: what is asked of shapes takes time that grows with more than their length.
pub const MOST_AXES: usize = 64;

/// The dimensions of a tensor, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Shape(pub Vec<Dim>);

impl Shape {
    /// The shape of a scalar.
    pub fn scalar() -> Self {
        Shape(Vec::new())
    }

    /// A shape of numbers.
    pub fn of(dims: &[usize]) -> Self {
        Shape(dims.iter().map(|&dim| Dim::from(dim)).collect())
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements.
    pub fn elements(&self) -> Dim {
        self.0.iter().cloned().fold(Dim::constant(1), |product, dim| product * dim)
    }

    /// Which axis of `space` each axis is, `None` for an axis of one element; nothing where they differ in other axes.
    pub(crate) fn axes_in(&self, space: &Shape) -> Option<Vec<Option<usize>>> {
        let mut others = (0..space.rank()).filter(|axis| !space[*axis].is(1));
        let mut axes = Vec::with_capacity(self.rank());
        for size in &self.0 {
            axes.push(if size.is(1) { None } else { Some(others.next().filter(|axis| space[*axis] == *size)?) });
        }
        others.next().is_none().then_some(axes)
    }

    /// Row-major strides, in elements.
    pub fn strides(&self) -> Vec<Dim> {
        let mut strides = vec![Dim::constant(1); self.rank()];
        for axis in (1..self.rank()).rev() {
            strides[axis - 1] = strides[axis].clone() * self.0[axis].clone();
        }
        strides
    }

    /// The numbers under `bindings`.
    pub fn evaluate(&self, bindings: Bindings<'_>) -> Option<Vec<usize>> {
        self.0.iter().map(|dim| usize::try_from(dim.evaluate(bindings)?).ok()).collect()
    }
}

impl std::ops::Index<usize> for Shape {
    type Output = Dim;
    fn index(&self, axis: usize) -> &Dim {
        &self.0[axis]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (axis, dim) in self.0.iter().enumerate() {
            write!(f, "{}{dim}", if axis == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_size_is_no_size() {
        let read = |divisor: u64| {
            let text = format!(r#"[[[{{"FloorDiv":[[[[{{"Symbol":"N"}}],1]],{divisor}]}}],1]]"#);
            serde_json::from_str::<Dim>(&text).map_err(|error| error.to_string())
        };
        assert_eq!(read(2), Ok(Dim::symbol("N").floor_div(2)));
        let problem = read(0).unwrap_err();
        assert!(problem.contains("a size is divided by zero"), "{problem}");
    }

    #[test]
    fn canonical_forms_compare_equal() {
        let n = || Dim::symbol("N");
        assert_eq!(n() * Dim::from(2) + n(), n() * Dim::from(3));
        assert_eq!((n() + Dim::from(1)) * n() - n() * n(), n());
        assert!((n() - n()).is(0));
        assert_eq!((n() * Dim::from(4)).floor_div(2), n() * Dim::from(2));
        assert_eq!((n() * n() * Dim::from(6)).exact_div(&(n() * Dim::from(3))), Some(n() * Dim::from(2)));
    }

    #[test]
    fn sizes_past_64_bits_stay_too_large() {
        assert_eq!(Dim::from(usize::MAX).as_constant(), Some(i64::MAX));
        assert!(Shape::of(&[usize::MAX, 2]).elements().as_constant().is_some_and(|elements| elements == i64::MAX));
    }

    /// Coefficients that users can write, as far as they go: nothing overflows, and what is said of them is true.
    #[test]
    fn arithmetic_at_the_ends_of_64_bits() {
        let (n, m, k) = (Dim::symbol("N"), Dim::symbol("M"), Dim::symbol("K"));
        let (most, least) = (Dim::constant(i64::MAX), Dim::constant(i64::MIN));
        // Each term is a number, their sum is none.
        let large = n.clone() * most.clone() + m.clone() * most.clone();
        assert!((large.clone() + k.clone() * most.clone() - Dim::from(1)).never_negative());
        assert!(!(n.clone() + least.clone()).never_negative());
        assert!(!(n.clone() - large.clone()).never_negative());
        assert_eq!((n.clone() * least.clone()).exact_div(&(n.clone() * Dim::constant(-1))), None);
        assert_eq!((n.clone() * least.clone()).exact_div(&Dim::constant(-2)), Some(n.clone() * Dim::constant(1 << 62)));
        assert_eq!(Dim::constant(-1) - least.clone(), most);
        assert!((n.clone() * least.clone() - n.clone() * least.clone()).is(0));
        for divisor in [1 << 63, u64::MAX] {
            assert!(Dim::from(5).floor_div(divisor).is(0) && Dim::from(5).ceil_div(divisor).is(1), "{divisor}");
            let whole = n.floor_div(divisor);
            assert_eq!(whole.evaluate(&[(Symbol::new("N"), 7)]), Some(0), "{divisor}");
            assert!(!(whole * least.clone() + Dim::from(1)).never_negative(), "{divisor}");
        }
    }

    #[test]
    fn floor_division_evaluates() {
        let pooled = (Dim::symbol("H") - Dim::from(2)).floor_div(2) + Dim::from(1);
        for h in 2..9u64 {
            assert_eq!(pooled.evaluate(&[(Symbol::new("H"), h)]), Some((h as i64 - 2) / 2 + 1));
        }
        assert_eq!(pooled.evaluate(&[]), None);
    }

    #[test]
    fn prints_as_people_write() {
        let dim = Dim::symbol("N") * Dim::from(64) + Dim::from(3);
        assert_eq!(dim.to_string(), "N*64 + 3");
    }
}
