//! Indices of kernels in SIMT form: whatever they are, nothing outside is read or written, and what is read is what the text
//! says. The interpreter of kernels says what is outside, where the compiler has left a comparison out.

use super::{Draw, tried};
use crate::ast::Unit;
use crate::diag::Diag;
use crate::parse::constant::Constants;
use crate::simt;
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::interp::{Bytes, CompiledKernel, LaunchArg, Slice, ops};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Kernel, ParamKind};
use std::collections::BTreeMap;
use std::fmt;

/// Items of a group, and elements of the array in local memory.
const GROUP: u32 = 8;
const COLUMNS: u32 = 3;

/// A number of 32 bits without a sign.
#[derive(Clone)]
enum Number {
    Known(u32),
    Name(&'static str),
    /// An element of `at`.
    At(Box<Number>),
    Of(Box<Number>, &'static str, Box<Number>),
}

/// What names stand for, and `at`.
#[derive(Clone)]
struct Values {
    names: BTreeMap<&'static str, u32>,
    at: Vec<u32>,
}

impl Number {
    fn of(left: Number, sign: &'static str, right: Number) -> Number {
        Number::Of(Box::new(left), sign, Box::new(right))
    }

    /// Whether literals alone are computed with: such numbers have no type of 32 bits without a sign before they are used.
    fn is_bare(&self) -> bool {
        match self {
            Number::Known(_) => true,
            Number::Name(_) | Number::At(_) => false,
            Number::Of(left, _, right) => left.is_bare() && right.is_bare(),
        }
    }

    fn value(&self, values: &Values) -> u32 {
        match self {
            Number::Known(value) => *value,
            Number::Name(name) => values.names[name],
            Number::At(place) => values.at.get(place.value(values) as usize).copied().unwrap_or(0),
            Number::Of(left, sign, right) => {
                let (a, b) = (left.value(values), right.value(values));
                match *sign {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "*" => a.wrapping_mul(b),
                    // By zero it is zero, as everywhere in netcl.
                    "/" => a.checked_div(b).unwrap_or(0),
                    "%" => a.checked_rem(b).unwrap_or(0),
                    "&" => a & b,
                    "|" => a | b,
                    "^" => a ^ b,
                    ">>" => a.wrapping_shr(b),
                    "<<" => a.wrapping_shl(b),
                    "min" => a.min(b),
                    _ => a.max(b),
                }
            }
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Known(value) => write!(f, "{value}"),
            Number::Name(name) => f.write_str(name),
            Number::At(place) => write!(f, "at[{place}]"),
            Number::Of(left, sign @ ("min" | "max"), right) => write!(f, "{sign}({left}, {right})"),
            Number::Of(left, sign, right) => write!(f, "({left} {sign} {right})"),
        }
    }
}

/// What a work-item does.
enum Step {
    /// `let name = number;`
    Let(&'static str, Number),
    /// `sum += x[place];`, also of `rows` and of the array.
    Add(&'static str, Vec<Number>),
    /// `rows_out[a, b] = 1.0;` and the like: where it goes is not looked at.
    Store(&'static str, Vec<Number>),
    If(Number, &'static str, Number, Vec<Step>, Vec<Step>),
    For(&'static str, Number, Number, Option<u32>, Vec<Step>),
}

/// Draws steps under the names that are known.
struct Steps<'d> {
    draw: &'d mut Draw,
    names: Vec<&'static str>,
    left: usize,
}

impl Steps<'_> {
    fn number(&mut self, depth: usize) -> Number {
        let draw = &mut *self.draw;
        if depth == 0 || draw.once_in(4) {
            return match draw.below(6) {
                0..4 => Number::Name(draw.of(&self.names)),
                4 => Number::Known(draw.of(&[0, 1, 2, 3, 7, 8, GROUP - 1])),
                _ => Number::Name(draw.of(&["N", "M"])),
            };
        }
        if draw.once_in(10) {
            return Number::At(Box::new(self.number(depth - 1)));
        }
        let sign = draw.of(&["+", "+", "-", "*", "/", "%", "%", "&", "|", "^", ">>", "<<", "min", "max"]);
        let mut left = self.number(depth - 1);
        let draw = &mut *self.draw;
        let right = match sign {
            // Rust refuses to shift a number that is known further.
            ">>" | "<<" => Number::Known(draw.of(&[0, 1, 2, 3, 7, 29, 31])),
            "&" | "%" | "/" if !draw.once_in(4) => Number::Known(draw.of(&[1, 2, 3, 7, 8, 29, 31, 32, 63])),
            _ => self.number(depth - 1),
        };
        if left.is_bare() && right.is_bare() {
            left = Number::Name(self.draw.of(&self.names));
        }
        Number::of(left, sign, right)
    }

    fn places(&mut self, of: &str) -> Vec<Number> {
        let depth = self.draw.below(4);
        (0..if of == "rows" || of == "far" { 2 } else { 1 }).map(|_| self.number(depth)).collect()
    }

    fn steps(&mut self, depth: usize) -> Vec<Step> {
        let known = self.names.len();
        let count = 1 + self.draw.below(3);
        let mut steps = Vec::new();
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            steps.push(self.step(depth));
        }
        self.names.truncate(known);
        steps
    }

    fn step(&mut self, depth: usize) -> Step {
        match self.draw.below(if depth == 0 { 6 } else { 10 }) {
            0 => {
                let value = self.number(2);
                let name = ["p", "q", "r", "s"][self.names.len() % 4];
                self.names.push(name);
                Step::Let(name, value)
            }
            1..4 => {
                let of = self.draw.of(&["x", "x", "rows", "near"]);
                Step::Add(of, self.places(of))
            }
            4..6 => {
                let of = self.draw.of(&["far", "near", "out"]);
                Step::Store(of, self.places(of))
            }
            6..8 => {
                let (a, b) = (self.number(1), self.number(1));
                // What a condition tells is often of what is indexed.
                let b = if self.draw.once_in(2) { Number::Name(self.draw.of(&["N", "M"])) } else { b };
                let sign = self.draw.of(&["<", "<", ">=", ">", "<=", "==", "!="]);
                let then = self.steps(depth - 1);
                let otherwise = if self.draw.once_in(2) { self.steps(depth - 1) } else { Vec::new() };
                Step::If(a, sign, b, then, otherwise)
            }
            _ => {
                let start = if self.draw.once_in(3) { self.number(1) } else { Number::Known(0) };
                // Few rounds, whatever the numbers are.
                let most = Number::Known(self.draw.of(&[3, 8]));
                let end = if self.draw.once_in(3) { most } else { Number::Name(self.draw.of(&["N", "M"])) };
                // Numbers that count down are refused.
                let start = match (start, &end) {
                    (Number::Known(first), Number::Known(last)) if first >= *last => Number::Known(0),
                    (start, _) => start,
                };
                let step = self.draw.once_in(3).then(|| self.draw.of(&[1, 2, 5]));
                let name = ["u", "v", "w", "z"][self.names.len() % 4];
                let known = self.names.len();
                self.names.push(name);
                let body = self.steps(depth - 1);
                self.names.truncate(known);
                Step::For(name, start, end, step, body)
            }
        }
    }
}

fn list(places: &[Number]) -> String {
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn text(steps: &[Step]) -> String {
    let each = steps.iter().map(|step| match step {
        Step::Let(name, value) => format!("let {name} = {value};\n"),
        Step::Add(of, places) => format!("sum += {of}[{}];\n", indexed(places)),
        Step::Store(of, places) => format!("{of}[{}] = 1.0;\n", indexed(places)),
        Step::If(a, sign, b, then, otherwise) => {
            format!("if {a} {sign} {b} {{ {} }} else {{ {} }}\n", text(then), text(otherwise))
        }
        Step::For(name, start, end, step, body) => {
            let range = format!("{start}..{end}");
            let range = step.map_or(range.clone(), |step| format!("({range}).step_by({step})"));
            format!("for {name} in {range} {{ {} }}\n", text(body))
        }
    });
    each.collect()
}

fn indexed(places: &[Number]) -> String {
    if places.len() == 1 { list(places) } else { format!("({})", list(places)) }
}

/// The tensors that are read, each counting from 1.
struct Sources {
    sizes: BTreeMap<&'static str, Vec<u32>>,
}

impl Sources {
    /// What stands at the places, or zero outside.
    fn element(&self, of: &str, places: &[u32]) -> f64 {
        // The array holds zeros where nothing was written, and is not looked at elsewhere.
        let Some(sizes) = self.sizes.get(of) else { return 0.0 };
        if places.iter().zip(sizes).any(|(place, size)| place >= size) {
            return 0.0;
        }
        let place =
            places.iter().zip(sizes).fold(0u64, |sum, (place, size)| sum * u64::from(*size) + u64::from(*place));
        (place + 1) as f64
    }
}

/// The sum that an item has at the end; `None` where it depends on what other items have written.
fn sum(steps: &[Step], values: &mut Values, sources: &Sources) -> Option<f64> {
    let (mut total, before) = (0.0, values.names.clone());
    for step in steps {
        match step {
            Step::Let(name, value) => {
                let value = value.value(values);
                values.names.insert(name, value);
            }
            Step::Add("near", _) => return None,
            Step::Add(of, places) => {
                let places: Vec<u32> = places.iter().map(|place| place.value(values)).collect();
                total += sources.element(of, &places);
            }
            Step::Store(..) => {}
            Step::If(a, sign, b, then, otherwise) => {
                let (a, b) = (a.value(values), b.value(values));
                let holds = match *sign {
                    "<" => a < b,
                    ">=" => a >= b,
                    ">" => a > b,
                    "<=" => a <= b,
                    "==" => a == b,
                    _ => a != b,
                };
                total += sum(if holds { then } else { otherwise }, values, sources)?;
            }
            Step::For(name, start, end, step, body) => {
                let (start, end) = (start.value(values), end.value(values));
                let outside = values.names.clone();
                for round in (start..end).step_by(step.unwrap_or(1) as usize) {
                    values.names.insert(name, round);
                    total += sum(body, values, sources)?;
                }
                values.names = outside;
            }
        }
    }
    values.names = before;
    Some(total)
}

/// Runs the kernel at a few sizes.
fn run(kernel: &Kernel, steps: &[Step]) -> Result<(), String> {
    let verified = verify(kernel, &Capabilities::unlimited()).map_err(|errors| format!("{errors:?}"))?;
    let compiled = CompiledKernel::new(&verified);
    for (n, m) in [(1, 1), (2, 5), (7, 3), (9, 8), (17, 2)] {
        let at: Vec<u32> = (0..n).map(|place| [3, 0, u32::MAX, n, 1 << 31, n - 1, 40][place as usize % 7]).collect();
        let sources = Sources { sizes: BTreeMap::from([("x", vec![n]), ("rows", vec![n, COLUMNS])]) };
        let counted = |count: u32| (1..=count).map(|value| value as f32).collect::<Vec<_>>();
        let buffers: BTreeMap<&str, Bytes> = BTreeMap::from([
            ("x", Bytes::of(Slice::F32(&counted(n)))),
            ("rows", Bytes::of(Slice::F32(&counted(n * COLUMNS)))),
            ("at", Bytes::of(Slice::U32(&at))),
            ("m", Bytes::of(Slice::F32(&counted(m)))),
            ("out", Bytes::zeros(DType::F32, n as usize)),
            ("far", Bytes::zeros(DType::F32, (n * m) as usize)),
            ("sums", Bytes::zeros(DType::F32, n as usize)),
        ]);
        let sizes = [("N", n), ("M", m)];
        let value = |name: &str| sizes.iter().find(|(known, _)| *known == name).map_or(0, |(_, size)| *size);
        let args = kernel.params.iter().map(|param| match param.kind {
            ParamKind::Buffer(..) => LaunchArg::Buffer(&buffers[param.name.as_str()]),
            _ => LaunchArg::Scalar(Literal::Int(i64::from(value(&param.name)), DType::U32)),
        });
        let args: Vec<_> = args.collect();
        let bindings: Vec<_> = sizes.iter().map(|(name, size)| (Symbol::new(name), u64::from(*size))).collect();
        let launch = compiled.launch(&args, &bindings, ops::baseline).map_err(|fault| fault.to_string())?;
        launch.run().map_err(|fault| format!("at N = {n}, M = {m}: {fault}"))?;
        let found = buffers["sums"].to_f32();
        for i in 0..n {
            let names = BTreeMap::from([("i", i), ("l", i % GROUP), ("g", i / GROUP), ("N", n), ("M", m)]);
            let mut values = Values { names, at: at.clone() };
            let Some(wanted) = sum(steps, &mut values, &sources) else { continue };
            if wanted < f64::from(1 << 24) && wanted as f32 != found[i as usize] {
                return Err(format!("at N = {n}, M = {m}: item {i} sums {}, not {wanted}", found[i as usize]));
            }
        }
    }
    Ok(())
}

#[test]
fn indices_of_work_items_stay_inside() {
    tried("places", 150, |draw| {
        let steps = Steps { draw, names: vec!["i", "l", "g"], left: 12 }.steps(3);
        let source = format!(
            "#[launch(global = [N], local = [{GROUP}])]
            fn kern(
                x: &Tensor<f32, N>, rows: &Tensor<f32, N, {COLUMNS}>, at: &Tensor<u32, N>, m: &Tensor<f32, M>,
                out: &mut Tensor<f32, N>, far: &mut Tensor<f32, N, M>, sums: &mut Tensor<f32, N>
            ) {{
                let mut near = local!([f32; {GROUP}]);
                let (i, l, g) = (global_id(0), local_id(0), group_id(0));
                near[l] = 0.0; out[i] = m[0]; far[(i, 0)] = 0.0;
                let mut sum = 0.0;
                {} sums[i] = sum;
            }}",
            text(&steps)
        );
        draw.is(&source);
        let item = syn::parse_str(&source).map_err(|error| error.to_string())?;
        let diag = Diag::new();
        let signature = simt::signature(&diag, &item, &Constants::new());
        let lowered = simt::lower(&diag, &Unit::default(), &signature);
        if let Err(errors) = diag.finish() {
            // Of numbers that are known it is known that they are not there, and who is at one element.
            let (errors, known) = (
                errors.to_string(),
                [
                    "there is no element",
                    "is no u32 number",
                    "is outside the array",
                    "found i32 and u32",
                    "without a `barrier()` between",
                ],
            );
            let refused = known.iter().any(|known| errors.contains(known));
            return if refused { Ok(false) } else { Err(format!("refused: {errors}")) };
        }
        run(&lowered.ok_or("no kernel")?.kernel, &steps).map(|()| true)
    });
}
