//! What is said before functions are asked for is said with them too: nothing that they make right is refused, whatever a body
//! does with what they give.

use super::texts;
use crate::chain::Gathered;
use crate::{driver, payload};
use proc_macro2::TokenStream;
use quote::quote;

/// Functions whose results are data, or known while compiling whatever they are given, or as far as that is.
const FUNCTIONS: [(&str, &str); 6] = [
    ("twice", "fn twice(x: f32) -> f32 { x * 2.0 }"),
    ("half", "fn half(x: f32) -> f32 { 0.5 }"),
    ("two", "fn two(x: f32) -> u32 { 2 }"),
    ("one", "fn one(k: i32) -> i32 { 1 }"),
    ("next", "fn next(k: i32) -> i32 { k + 1 }"),
    ("float", "fn float(k: u32) -> f32 { k as f32 }"),
];

const MODEL: &str =
    "struct M { #[layer(inputs = 4, outputs = 4)] layer: Linear, #[parameter(init = 2.0)] scale: Tensor<f32, 4> }";

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The errors of the item before it has the functions, and with them.
fn said(driver: &str, item: &str) -> [Vec<String>; 2] {
    let table = syn::parse2(tokens(MODEL)).expect("a struct");
    let table = payload::table(&Gathered::default(), &table, false);
    let functions = FUNCTIONS.map(|(name, text)| {
        let item = syn::parse2(tokens(text)).expect("a function");
        let payload = payload::function(&Gathered::default(), &item, true);
        quote!({ function #name } { #payload })
    });
    let (driver, item) = (tokens(driver), tokens(item));
    [quote!(), quote!(#(#functions)*)].map(|gathered| {
        let resumed =
            driver::resume(quote!({ #table } { table "M" } { #gathered } { #driver false { ::netcl } #item }));
        let mut errors = Vec::new();
        texts(&Vec::from_iter(resumed), &mut errors);
        errors
    })
}

/// Where a body stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Index,
    Simt,
    Function,
    Model,
}

/// Writes bodies of random parts.
struct Writer {
    seed: u64,
    place: Place,
    /// The names that hold floats, whole numbers and lists, and those that can be assigned: whether they hold whole numbers.
    floats: Vec<String>,
    counts: Vec<String>,
    lists: Vec<String>,
    mutable: Vec<(String, bool)>,
    named: usize,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) as usize % limit
    }

    fn one(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    fn known(&mut self, names: fn(&Self) -> &[String]) -> Option<String> {
        let count = names(self).len();
        (count > 0).then(|| self.below(count)).map(|at| names(self)[at].clone())
    }

    fn name(&mut self, prefix: &str) -> String {
        self.named += 1;
        format!("{prefix}{}", self.named)
    }

    fn float(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.data();
        }
        let d = depth - 1;
        match self.below(14) {
            0 | 1 => format!("({} {} {})", self.float(d), self.one(&["+", "*", "-"]), self.float(d)),
            2..=4 => format!("{}({})", self.one(&["twice", "half", "half"]), self.float(d)),
            5 | 6 => format!("(if {} {} else {})", self.condition(d), self.block(d), self.block(d)),
            7 => format!("{}.max({})", self.float(d), self.float(d)),
            8 => format!("(({}) as f32)", self.count(d)),
            9 => match self.known(|this| &this.lists) {
                Some(list) => format!("{list}[{}]", self.count(d)),
                None => self.data(),
            },
            10 if self.place == Place::Index => format!("v[{}]", self.count(d)),
            11 => format!("float({})", self.count(d)),
            _ => self.float(d.min(1)),
        }
    }

    /// A float that is not computed; sometimes a mistake.
    fn data(&mut self) -> String {
        let element = matches!(self.place, Place::Index | Place::Simt);
        match self.below(24) {
            0 if element => self.one(&["x[i + 1]", "w[i - 1]", "missing"]).into(),
            0 => "missing".into(),
            1..=4 => self.one(&["0.25", "1.0", "3.0"]).into(),
            5..=12 => self.known(|this| &this.floats).unwrap_or_else(|| "1.0".into()),
            _ if element => self.one(&["x[i]", "w[i]"]).into(),
            _ if self.place == Place::Model => self.one(&["x", "self.scale", "self.layer.forward(x)"]).into(),
            _ => self.one(&["x", "w"]).into(),
        }
    }

    fn count(&mut self, depth: usize) -> String {
        match self.below(8) {
            0 => self.known(|this| &this.counts).unwrap_or_else(|| "1".into()),
            1 | 2 if depth > 0 => format!("two({})", self.float(depth - 1)),
            3 if depth > 0 => format!("({} + {})", self.count(depth - 1), self.count(depth - 1)),
            4 if depth > 0 => format!("{}({})", self.one(&["one", "next"]), self.count(depth - 1)),
            6 if depth > 0 => format!("(if {} {{ 3 }} else {{ 2 }})", self.condition(depth - 1)),
            5 if self.place != Place::Simt => "(two(0.5) as usize)".into(),
            _ => self.one(&["0", "1", "2", "-1"]).into(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.below(6) {
            0 => format!("{} > {}", self.count(d), self.count(d)),
            1 if depth > 0 => {
                format!("({}) {} ({})", self.condition(d), self.one(&["&&", "||"]), self.condition(d))
            }
            2 => self.one(&["true", "false"]).into(),
            3 => format!("half({}) > {}", self.float(d), self.one(&["0.25", "0.75"])),
            _ if self.place == Place::Model => format!("two({}) > {}", self.float(d), self.count(d)),
            _ => format!("{} > {}", self.float(d), self.float(d)),
        }
    }

    /// A block of so many statements and what `end` writes behind them.
    fn scope(&mut self, depth: usize, statements: usize, end: impl FnOnce(&mut Self) -> String) -> String {
        let names = [self.floats.len(), self.counts.len(), self.lists.len(), self.mutable.len()];
        let statements: String = (0..statements).map(|_| self.statement(depth)).collect();
        let text = format!("{{ {statements} {} }}", end(self));
        self.floats.truncate(names[0]);
        self.counts.truncate(names[1]);
        self.lists.truncate(names[2]);
        self.mutable.truncate(names[3]);
        text
    }

    fn block(&mut self, depth: usize) -> String {
        let statements = self.below(3);
        self.scope(depth, statements, |this| this.float(depth))
    }

    fn statements(&mut self, depth: usize) -> String {
        let statements = 1 + self.below(2);
        self.scope(depth, statements, |_| String::new())
    }

    fn statement(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.below(9) {
            0 => {
                let (value, name) = (self.float(d), self.name("a"));
                let ty = if self.place == Place::Model { "" } else { self.one(&["", ": f32"]) };
                self.floats.push(name.clone());
                format!("let {name}{ty} = {value};")
            }
            1 | 2 => {
                let (whole, name) = (self.below(2) == 0, self.name("m"));
                let value = if whole { self.count(d) } else { self.float(d) };
                let names = if whole { &mut self.counts } else { &mut self.floats };
                names.push(name.clone());
                self.mutable.push((name.clone(), whole));
                format!("let mut {name} = {value};")
            }
            3 | 4 if !self.mutable.is_empty() => {
                let at = self.below(self.mutable.len());
                let (name, whole) = self.mutable[at].clone();
                let value = if whole { self.count(d) } else { self.float(d) };
                format!("{name} {} {value};", self.one(&["=", "+="]))
            }
            5 if depth > 0 => {
                let (condition, then) = (self.condition(d), self.statements(d));
                let otherwise = if self.below(2) == 0 { self.statements(d) } else { "{}".into() };
                format!("if {condition} {then} else {otherwise}")
            }
            6 if depth > 0 => {
                let (count, name) = (self.count(d), self.name("k"));
                self.counts.push(name.clone());
                let body = self.statements(d);
                self.counts.pop();
                format!("for {name} in 0..{count} {body}")
            }
            7 => {
                let (values, name) = ([self.float(d), self.float(d), self.float(d)], self.name("l"));
                self.lists.push(name.clone());
                format!("let {name} = [{}];", values.join(", "))
            }
            _ => {
                let (a, b, names) = (self.float(d), self.float(d), [self.name("p"), self.name("p")]);
                let text = format!("let ({}) = ({a}, {b});", names.join(", "));
                self.floats.extend(names);
                text
            }
        }
    }
}

/// An item with a random body, and its driver.
fn item(place: Place, seed: u64) -> (&'static str, String) {
    let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let [floats, counts, lists] = [Vec::new(), Vec::new(), Vec::new()];
    let mut writer = Writer { seed, place, floats, counts, lists, mutable: Vec::new(), named: 0 };
    let end = |this: &mut Writer| match place {
        Place::Simt => format!("y[i] = {};", this.float(3)),
        _ => this.float(3),
    };
    let body = writer.scope(3, 2, end);
    match place {
        Place::Index => {
            let args = "x: &Tensor<f32, N>, w: &Tensor<f32, N>, v: &Tensor<f32, 3>";
            ("kernel", format!("fn k({args}) -> Tensor<f32, N> {{ |i| {{ let _all = x[i] * w[i] * v[0]; {body} }} }}"))
        }
        Place::Simt => {
            let args = "x: &Tensor<f32, N>, w: &Tensor<f32, N>, y: &mut Tensor<f32, N>";
            ("kernel", format!("#[launch(global = [N])] fn k({args}) {{ let i = global_id(0); {body} }}"))
        }
        Place::Function => ("function", format!("fn g(x: f32, w: f32) -> f32 {body}")),
        Place::Model => {
            let result = "Tensor<f32, N, 4>";
            ("model_impl", format!("impl M {{ fn f(&self, x: &{result}) -> {result} {body} }}"))
        }
    }
}

#[test]
fn nothing_is_said_without_functions_that_is_not_said_with_them() {
    for place in [Place::Index, Place::Simt, Place::Function, Place::Model] {
        let (mut sound, mut wrong) = (0, 0);
        for seed in 0..200 {
            let (driver, item) = item(place, seed);
            let [early, last] = said(driver, &item);
            assert!(early.iter().all(|text| last.contains(text)), "{early:#?}\n{last:#?}\n{item}");
            sound += usize::from(last.is_empty());
            wrong += usize::from(!early.is_empty());
        }
        assert!(sound > 10 && wrong > 10, "{sound} and {wrong}: the test shows little");
    }
}
