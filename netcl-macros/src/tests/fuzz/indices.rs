//! Index expressions of kernels in index form. One that is accepted is inside for all sizes that there may be, and reads the
//! element that it says; behind `pad` it may be anywhere, and reads zero outside.

use super::super::meaning::Given;
use super::{Draw, compiled_kernel, tried};
use netcl_kernels::graph::Graph;
use std::fmt;

/// A whole number.
#[derive(Clone)]
enum Number {
    Known(i64),
    Name(&'static str),
    Of(Box<Number>, char, Box<Number>),
}

/// What the names stand for.
#[derive(Clone, Copy, Default)]
struct Values {
    n: i64,
    m: i64,
    i: i64,
    j: i64,
    k: i64,
}

impl Values {
    fn of(&self, name: &str) -> i64 {
        match name {
            "N" => self.n,
            "M" => self.m,
            "i" => self.i,
            "j" => self.j,
            _ => self.k,
        }
    }
}

impl Number {
    /// The value; `None` where it divides by zero or below it: a size that is not positive is none.
    fn value(&self, values: &Values) -> Option<i64> {
        Some(match self {
            Number::Known(value) => *value,
            Number::Name(name) => values.of(name),
            Number::Of(left, sign, right) => {
                let (left, right) = (left.value(values)?, right.value(values)?);
                match sign {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    // Numbers are divided as in Rust, toward zero: literals, and what is one at all sizes, `0 - M / M`.
                    '/' if self.is_of_numbers() => left.checked_div(right)?,
                    '%' if self.is_of_numbers() => left.checked_rem(right)?,
                    // Of indices that may be negative no quotient is accepted; those of sizes alone are rounded down.
                    _ if right <= 0 || left < 0 && !self.is_size() => return None,
                    '/' => left.div_euclid(right),
                    _ => left.rem_euclid(right),
                }
            }
        })
    }

    /// Whether two numbers are computed with, whatever the names stand for.
    fn is_of_numbers(&self) -> bool {
        matches!(self, Number::Of(left, _, right) if left.is_constant() && right.is_constant())
    }

    fn is_constant(&self) -> bool {
        let far = [
            Values { n: 1_009, m: 131, i: 53_000, j: 71_000, k: 97_000 },
            Values { n: 2_003, m: 4_001, i: 17, j: 40_009, k: 613 },
        ];
        let [one, other] = far.map(|values| self.value(&values));
        one.is_some() && one == other
    }

    fn is_size(&self) -> bool {
        !["i", "j", "k"].iter().any(|index| self.has(index))
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Number::Known(_) => false,
            Number::Name(known) => *known == name,
            Number::Of(left, _, right) => left.has(name) || right.has(name),
        }
    }
}

fn of(left: Number, sign: char, right: Number) -> Number {
    Number::Of(Box::new(left), sign, Box::new(right))
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Known(value) => write!(f, "{value}"),
            Number::Name(name) => f.write_str(name),
            Number::Of(left, sign, right) => write!(f, "({left} {sign} {right})"),
        }
    }
}

/// A size of two axes, as users write them.
fn size(draw: &mut Draw) -> Number {
    use Number::{Known, Name};
    let named = |draw: &mut Draw| Name(draw.of(&["N", "N", "M"]));
    let number = |draw: &mut Draw| Known(draw.of(&[1, 2, 2, 3, 5]));
    match draw.below(12) {
        0..4 => named(draw),
        4 => Known(draw.of(&[1, 5, 7])),
        5 => of(named(draw), '+', number(draw)),
        6 => of(named(draw), '*', number(draw)),
        7 => of(named(draw), '/', number(draw)),
        8 => of(of(named(draw), '+', number(draw)), '/', number(draw)),
        9 => of(of(named(draw), '/', Known(2)), '*', Known(2)),
        10 => of(of(named(draw), '*', Known(2)), '+', Known(1)),
        _ => of(Name("N"), draw.of(&['+', '*']), Name("M")),
    }
}

fn index(draw: &mut Draw, depth: usize) -> Number {
    use Number::{Known, Name};
    let kind = draw.below(13);
    if depth == 0 || kind < 3 {
        return match draw.below(10) {
            0..4 => Name("i"),
            4 => Name("k"),
            5 => of(of(Name("N"), '-', Known(1)), '-', Name("i")),
            6 => Known(draw.of(&[0, 1, 2])),
            7 => Name(draw.of(&["N", "M"])),
            _ => Name(draw.of(&["i", "j", "k"])),
        };
    }
    let left = index(draw, depth - 1);
    match kind {
        3..5 => of(left, '+', index(draw, depth - 1)),
        5..7 => of(left, '-', index(draw, depth - 1)),
        7..9 => of(left, '*', draw.of(&[Known(2), Known(3), Name("N"), Name("M"), Known(0)])),
        9..11 => of(left, '/', draw.of(&[Known(2), Known(3), Name("N"), Name("M"), Known(5)])),
        _ => {
            let sum = of(Name("N"), '+', Name("M"));
            of(left, '%', draw.of(&[Known(2), Name("N"), Name("M"), Known(7), sum, Known(1)]))
        }
    }
}

/// A kernel that reads one element for each of its own, or sums several.
struct Kernel {
    rows: Number,
    columns: Number,
    /// The axes of what is read.
    axes: Vec<Number>,
    indices: Vec<Number>,
    /// How far `k` counts.
    range: Number,
    padded: bool,
}

impl Kernel {
    fn drawn(draw: &mut Draw) -> Kernel {
        let rank = 1 + draw.below(2);
        let depth = 1 + draw.below(3);
        Kernel {
            rows: size(draw),
            columns: draw.of(&[Number::Name("N"), Number::Name("M"), Number::Known(2)]),
            axes: (0..rank).map(|_| size(draw)).collect(),
            indices: (0..rank).map(|_| index(draw, depth)).collect(),
            range: draw.of(&[Number::Name("M"), Number::Name("N"), Number::Known(3)]),
            padded: draw.once_in(4),
        }
    }

    fn sums(&self) -> bool {
        self.indices.iter().any(|index| index.has("k"))
    }

    fn source(&self) -> String {
        let braced = |size: &Number| match size {
            Number::Of(..) => format!("{{ {size} }}"),
            plain => plain.to_string(),
        };
        let list = |numbers: &[Number], show: &dyn Fn(&Number) -> String| {
            numbers.iter().map(show).collect::<Vec<_>>().join(", ")
        };
        let read = format!("x[{}]", list(&self.indices, &|index| index.to_string()));
        let read = if self.padded { format!("pad({read})") } else { read };
        let read = if self.sums() { format!("sum(0..{}, |k| {read})", self.range) } else { read };
        let (rows, columns, axes) = (braced(&self.rows), braced(&self.columns), list(&self.axes, &braced));
        // What is read beside it binds the sizes, and uses what the index does not.
        format!(
            "fn kern(x: &Tensor<f32, {axes}>, n: &Tensor<f32, N>, m: &Tensor<f32, M>) -> Tensor<f32, {rows}, {columns}> {{
                |i, j| {read} + n[0] * m[0] * (i + j) as f32
            }}"
        )
    }

    /// Compares what the kernel gives with what it says, at a few sizes; that it stays inside, at more.
    fn compared(&self, graph: &Graph) -> Result<(), String> {
        for (n, m) in (1..8).flat_map(|n| (1..6).map(move |m| (n, m))) {
            let at = |wrong: String| format!("at N = {n}, M = {m}: {wrong}");
            let sizes = Values { n, m, ..Values::default() };
            // Sizes that no tensor has are left out.
            let Some(wanted) = self.elements(sizes) else { continue };
            let wanted = wanted.map_err(at)?;
            if [(1, 1), (3, 2), (4, 5), (7, 3)].contains(&(n, m)) {
                let found = self.computed(graph, sizes);
                if found != wanted {
                    return Err(at(format!("{found:?}, not {wanted:?}")));
                }
            }
        }
        Ok(())
    }

    /// What the kernel gives, of a tensor that counts from 1.
    fn computed(&self, graph: &Graph, sizes: Values) -> Vec<f64> {
        let axes: Vec<usize> = self.extents(&sizes).unwrap_or_default().iter().map(|&size| size as usize).collect();
        let x: Vec<f64> = (1..=axes.iter().product::<usize>()).map(|value| value as f64).collect();
        let [n, m] = [sizes.n, sizes.m].map(|size| size as usize);
        let zeros = vec![0.0; n.max(m)];
        let args: [(&[usize], &[f64]); 3] = [(&axes, &x), (&[n], &zeros[..n]), (&[m], &zeros[..m])];
        Given { sizes: &[("N", n as u64), ("M", m as u64)], args: &args, ..Given::default() }.value(graph)
    }

    /// The axes of what is read; `None` where one is not positive.
    fn extents(&self, sizes: &Values) -> Option<Vec<i64>> {
        self.axes.iter().map(|axis| axis.value(sizes).filter(|size| *size > 0)).collect()
    }

    /// What the kernel says that it gives; an error where that is outside.
    fn elements(&self, sizes: Values) -> Option<Result<Vec<f64>, String>> {
        let axes = self.extents(&sizes)?;
        let [rows, columns, range] =
            [&self.rows, &self.columns, &self.range].map(|size| size.value(&sizes).filter(|size| *size > 0));
        let (rows, columns, range) = (rows?, columns?, if self.sums() { range? } else { 1 });
        let mut elements = Vec::new();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let mut sum = 0.0;
            for k in 0..range {
                match self.element(&axes, &Values { i, j, k, ..sizes }) {
                    Ok(value) => sum += value,
                    Err(wrong) => return Some(Err(format!("at i = {i}, j = {j}, k = {k} {wrong}"))),
                }
            }
            elements.push(sum);
        }
        Some(Ok(elements))
    }

    /// The element of a tensor that counts from 1.
    fn element(&self, axes: &[i64], known: &Values) -> Result<f64, String> {
        let mut place = Some(0);
        for (index, size) in self.indices.iter().zip(axes) {
            let value =
                index.value(known).ok_or_else(|| format!("`{index}` divides what may be negative, or by zero"))?;
            let inside = (0..*size).contains(&value);
            if !inside && !self.padded {
                return Err(format!("`{index}` is {value} of {size}"));
            }
            place = place.filter(|_| inside).map(|place| place * size + value);
        }
        Ok(place.map_or(0.0, |place| (place + 1) as f64))
    }
}

#[test]
fn indices_that_are_accepted_are_inside() {
    tried("indices", 60, |draw| {
        let kernel = Kernel::drawn(draw);
        let source = kernel.source();
        match compiled_kernel(draw, &source)? {
            Some(graph) => kernel.compared(&graph).map(|()| true),
            None => Ok(false),
        }
    });
}
