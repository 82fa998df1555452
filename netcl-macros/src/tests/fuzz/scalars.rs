//! Expressions of numbers, as bodies of kernels and functions have them, and functions of scalars.

use super::{Draw, judged, tried};

/// Functions of one float, and of two.
const ONE: &str = "abs signum exp exp2 ln log2 log10 ln_1p exp_m1 sqrt recip sin cos tan asin acos atan asinh acosh atanh sinh cosh tanh \
    floor ceil round trunc fract cbrt to_degrees to_radians";
const TWO: &str = "max min powf atan2 hypot copysign rem_euclid div_euclid";
const TRUTHS: &str = "is_nan is_finite is_infinite is_sign_positive is_sign_negative";
/// What is of another type, not there, or not there as a method.
const ODD: &str = "relu sigmoid gelu erf square rsqrt log1p sign count_ones not wrapping_neg is_nan sum unwrap clone powi max sin_cos neg";
const TYPES: &str = "f32 f32 f32 i32 u32 f64 f16 bf16 bool u8 i64 usize";
/// Numbers at the ends of types and beyond among them.
const NUMBERS: &str = "0 1 2 3 -1.0 1e-3 2.0f32 3i32 7u32 1.5f64 1e38 1e39 1e-50 2147483647 2147483648 4294967295 true \
    9223372036854775807 18446744073709551615 0x7f 1_000 -0.0 0.1f16 0b101 1e400";

/// Draws expressions.
pub(super) struct Scalars<'d> {
    pub(super) draw: &'d mut Draw,
    /// Floats, mostly, that have names.
    pub(super) names: Vec<String>,
    /// Whole numbers that have names.
    pub(super) whole: Vec<String>,
    /// What else may stand where a float does: reads of tensors, sums.
    pub(super) leaf: fn(&mut Scalars<'_>, usize) -> Option<String>,
    /// How many expressions may still be drawn.
    pub(super) left: usize,
    /// How many names there have been.
    pub(super) named: usize,
    /// Once in how many places something odd stands; never where it is zero.
    pub(super) odds: usize,
    /// Between whole numbers.
    pub(super) signs: &'static str,
}

impl<'d> Scalars<'d> {
    pub(super) fn new(draw: &'d mut Draw, names: &[&str], whole: &[&str]) -> Scalars<'d> {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let odds = draw.of(&[0, 0, 0, 60, 20]);
        let (names, whole) = (own(names), own(whole));
        Scalars { names, whole, leaf: |_, _| None, left: 40, named: 0, odds, signs: "+ - * / %", draw }
    }

    /// Whether what comes next is of any kind: most is of the right one.
    pub(super) fn odd(&mut self) -> bool {
        self.odds > 0 && self.draw.once_in(self.odds)
    }

    /// A float, as far as it goes.
    pub(super) fn float(&mut self, depth: usize) -> String {
        self.left = self.left.saturating_sub(1);
        let depth = if self.left == 0 { 0 } else { depth };
        if (depth == 0 || self.draw.once_in(4))
            && let Some(leaf) = (self.leaf)(self, depth)
        {
            return leaf;
        }
        if self.odd() {
            return self.any(depth);
        }
        if depth == 0 || self.draw.once_in(6) {
            return match self.draw.below(8) {
                0 => format!("({} as f32)", self.integer(0)),
                1 | 2 => self.draw.word("0.5 2.0 1.0 0.0 3.0 1e-3").to_string(),
                _ if self.names.is_empty() => "1.0".to_string(),
                _ => self.draw.of(&self.names),
            };
        }
        let next = depth - 1;
        match self.draw.below(20) {
            0..7 => format!("({} {} {})", self.float(next), self.draw.word("+ - * / + * %"), self.float(next)),
            7..10 => format!("({}).{}()", self.float(next), self.draw.word(ONE)),
            10 => format!("({}).{}({})", self.float(next), self.draw.word(TWO), self.float(next)),
            11 => format!("({}).powi({})", self.float(next), self.draw.word("2 3 0 -1 -2 17")),
            12 => format!("({}).clamp({}, {})", self.float(next), self.float(0), self.float(0)),
            13 => format!("-({})", self.float(next)),
            14 => format!("(({}) as {} as f32)", self.float(next), self.draw.word(TYPES)),
            15 | 16 => format!("if {} {{ {} }} else {{ {} }}", self.truth(next), self.float(next), self.float(next)),
            17 | 18 => self.block(next),
            _ => format!("({}).mul_add({}, {})", self.float(next), self.float(next), self.float(0)),
        }
    }

    /// Of any type, and not always there.
    fn any(&mut self, depth: usize) -> String {
        let next = depth.saturating_sub(1);
        match self.draw.below(8) {
            0 | 1 => self.draw.word(NUMBERS).to_string(),
            2 => self.integer(next),
            3 => self.truth(next),
            4 => format!("({}).{}()", self.float(next), self.draw.word(ODD)),
            5 => format!("{}({}, {})", self.draw.word(ODD), self.float(next), self.float(0)),
            6 => format!("(({}) as {})", self.float(next), self.draw.word(TYPES)),
            _ => format!("({}, {}).0", self.float(next), self.any(next.min(1).saturating_sub(1))),
        }
    }

    /// A whole number.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        self.left = self.left.saturating_sub(1);
        if self.odd() {
            return self.draw.word("-1 3i32 3u32 1.0 n s 4294967296 0 x").to_string();
        }
        if depth == 0 || self.left == 0 {
            let known = !self.whole.is_empty() && !self.draw.once_in(4);
            return if known { self.draw.of(&self.whole) } else { self.draw.word("0 1 2 5 3 7").to_string() };
        }
        let (left, right) = (self.integer(depth - 1), self.integer(depth - 1));
        format!("({left} {} {right})", self.draw.word(self.signs))
    }

    pub(super) fn truth(&mut self, depth: usize) -> String {
        let next = depth.saturating_sub(1);
        if self.odd() {
            return self.draw.word("true false flag 1 s 0.5 n").to_string();
        }
        match self.draw.below(if depth == 0 { 4 } else { 8 }) {
            0..3 => format!("(({}) {} ({}))", self.float(next), self.draw.word("< > <= >= == !="), self.float(0)),
            3 => format!("(({}) {} ({}))", self.integer(next), self.draw.word("< > <= >= == !="), self.integer(0)),
            4 => format!("({}) && ({})", self.truth(next), self.truth(next)),
            5 => format!("({}) || ({})", self.truth(next), self.truth(next)),
            6 => format!("!({})", self.truth(next)),
            _ => format!("({}).{}()", self.float(next), self.draw.word(TRUTHS)),
        }
    }

    /// A block with a value.
    pub(super) fn block(&mut self, depth: usize) -> String {
        let known = self.names.len();
        let count = self.draw.below(4);
        let mut text: String = (0..count).map(|_| self.statement(depth)).collect();
        text += &self.float(depth);
        self.names.truncate(known);
        format!("{{ {text} }}")
    }

    fn name(&mut self) -> String {
        self.named += 1;
        if self.odds > 0 && self.draw.once_in(8) {
            self.draw.word("x n y a s").to_string()
        } else {
            format!("v{}", self.named)
        }
    }

    /// A statement, most of which name a float.
    pub(super) fn statement(&mut self, depth: usize) -> String {
        let next = depth.saturating_sub(1);
        let name = self.name();
        match self.draw.below(10) {
            0..3 => {
                let ty = if self.odd() {
                    format!(": {}", self.draw.word(TYPES))
                } else {
                    self.draw.word("- -:f32").replace('-', "")
                };
                let value = self.float(next);
                self.names.push(name.clone());
                format!("let {name}{ty} = {value}; ")
            }
            3 => {
                let (start, value, sign) = (self.float(0), self.float(next), self.draw.word("= += -= *= /="));
                self.names.push(name.clone());
                format!("let mut {name} = {start}; {name} {sign} {value}; ")
            }
            4 => {
                let (start, value, condition) = (self.float(0), self.float(next), self.truth(next));
                self.names.push(name.clone());
                format!("let mut {name} = {start}; if {condition} {{ {name} = {value}; }} ")
            }
            5 => {
                let (start, mut list) = (self.float(0), String::new());
                for _ in 0..self.draw.below(4) {
                    list += &format!("{}, ", self.float(0));
                }
                self.names.extend([name.clone(), format!("{name}_each")]);
                let value = self.float(next);
                self.names.pop();
                format!("let mut {name} = {start}; for {name}_each in [{list}] {{ {name} += {value}; }} ")
            }
            6 => {
                let start = self.float(0);
                let range = if self.odd() { "4..1" } else { self.draw.word("0..3 0..8 1..4 0..=3 0..0") };
                self.names.push(name.clone());
                let value = self.float(next);
                format!("let mut {name} = {start}; for _ in {range} {{ {name} = {value}; }} ")
            }
            7 => {
                let (a, b) = (self.float(next), self.float(0));
                self.names.extend([format!("{name}_a"), format!("{name}_b")]);
                format!("let ({name}_a, {name}_b) = ({a}, {b}); ")
            }
            8 => {
                let (a, b) = (self.float(0), self.float(0));
                let place = if self.odd() { self.draw.word("2 -1 x 0.0") } else { self.draw.word("0 1") };
                self.names.push(format!("{name}[{place}]"));
                format!("let {name} = [{a}, {b}]; ")
            }
            _ => {
                let (a, b) = (self.float(0), self.float(next));
                self.names.push(name.clone());
                format!("let {name} = {{ let {name} = {a}; {name} + {b} }}; ")
            }
        }
    }
}

/// A function of scalars of that name, of two floats, a whole number and a truth value, that may call another.
pub(super) fn function(draw: &mut Draw, name: &str, calls: Option<&str>) -> String {
    let mut scalars = Scalars::new(draw, &["x", "y", "x", "y"], &["n"]);
    scalars.left = 25;
    if let Some(other) = calls {
        scalars.names.extend([format!("{other}(x, y, 2, true)"), format!("{other}(y, x, n, flag)")]);
    }
    let depth = 1 + scalars.draw.below(3);
    let body = scalars.block(depth);
    let result = if scalars.odd() { scalars.draw.word(TYPES) } else { "f32" };
    format!("#[netcl::function] pub fn {name}(x: f32, y: f32, n: i32, flag: bool) -> {result} {body}\n")
}

#[test]
fn functions_of_scalars() {
    tried("functions", 60, |draw| {
        let (first, second) = (function(draw, "own", None), function(draw, "other", Some("own")));
        let kernel = "netcl::kernel! { pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |i| other(x[i], own(x[i], 1.0, 3, false), 7, x[i] > 0.0) } }";
        judged(draw, &format!("{first}{second}{kernel}"))
    });
}
