//! What has been decided on one way through a function, and what follows of it: where `k == 1` holds, `k == 2` does not, and no plan
//! is made for both.

use crate::parse::written_integer;
use crate::variants;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{BinOp, Expr, UnOp};

/// What is known of plain arguments.
#[derive(Default)]
pub(super) struct Facts {
    /// Of whatever is true or false, by its text.
    truths: BTreeMap<String, bool>,
    /// Of whole numbers, by the text of what they are.
    numbers: BTreeMap<String, PossibleNumbers>,
    /// The variants of enums, by the text of what is one: the one that it is, and those that it is not.
    enums: BTreeMap<String, (Option<String>, BTreeSet<String>)>,
}

/// A whole number that is not negative.
struct PossibleNumbers {
    least: u64,
    most: u64,
    never: BTreeSet<u64>,
}

impl Default for PossibleNumbers {
    fn default() -> PossibleNumbers {
        PossibleNumbers { least: 0, most: u64::MAX, never: BTreeSet::new() }
    }
}

/// How a number is compared with another.
#[derive(Clone, Copy, PartialEq)]
enum Comparison {
    Equal,
    Less,
}

/// One question.
enum Question<'e> {
    Not(&'e Expr),
    Both(&'e Expr, &'e Expr),
    Either(&'e Expr, &'e Expr),
    /// Whether the number compares so with the constant; or, where that is denied, not.
    Number(String, Comparison, u64, bool),
    Variant(String, String),
    Other(String),
}

impl Facts {
    /// What follows of these decisions.
    pub(super) fn of(decisions: &[(TokenStream, bool)]) -> Facts {
        let mut facts = Facts::default();
        let read = |(condition, holds): &(TokenStream, bool)| Some((syn::parse2(condition.clone()).ok()?, *holds));
        let decisions: Vec<(Expr, bool)> = decisions.iter().filter_map(read).collect();
        // What is decided later tells more of what was before: where `a && b` does not hold and `b` does, `a` does not.
        for (condition, holds) in decisions.iter().chain(&decisions) {
            facts.learn(condition, *holds);
        }
        facts
    }

    /// Whether the condition holds, where that follows.
    pub(super) fn know(&self, condition: &TokenStream) -> Option<bool> {
        self.knows(&syn::parse2(condition.clone()).ok()?)
    }

    fn learn(&mut self, condition: &Expr, holds: bool) {
        match question(condition) {
            Question::Not(inner) => self.learn(inner, !holds),
            Question::Both(a, b) if holds => [a, b].into_iter().for_each(|side| self.learn(side, true)),
            Question::Either(a, b) if !holds => [a, b].into_iter().for_each(|side| self.learn(side, false)),
            // Of both it is one that does not hold, of either one that does: the other, where one is known.
            Question::Both(a, b) | Question::Either(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if self.knows(one) == Some(!holds) {
                        self.learn(other, holds);
                    }
                }
                self.truths.insert(text(condition), holds);
            }
            Question::Number(name, comparison, constant, denied) => {
                let number = self.numbers.entry(name).or_default();
                match (comparison, holds != denied) {
                    (Comparison::Equal, true) => (number.least, number.most) = (constant, constant),
                    (Comparison::Equal, false) => drop(number.never.insert(constant)),
                    (Comparison::Less, true) => number.most = number.most.min(constant.saturating_sub(1)),
                    (Comparison::Less, false) => number.least = number.least.max(constant),
                }
            }
            Question::Variant(name, variant) => {
                let (is, never) = self.enums.entry(name).or_default();
                match holds {
                    true => *is = Some(variant),
                    false => drop(never.insert(variant)),
                }
            }
            Question::Other(name) => drop(self.truths.insert(name, holds)),
        }
    }

    fn knows(&self, condition: &Expr) -> Option<bool> {
        match question(condition) {
            Question::Not(inner) => self.knows(inner).map(|holds| !holds),
            Question::Both(a, b) => match (self.knows(a), self.knows(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => self.truths.get(&text(condition)).copied(),
            },
            Question::Either(a, b) => match (self.knows(a), self.knows(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => self.truths.get(&text(condition)).copied(),
            },
            Question::Number(name, comparison, constant, denied) => {
                let unknown = PossibleNumbers::default();
                let number = self.numbers.get(&name).unwrap_or(&unknown);
                let holds = match comparison {
                    Comparison::Equal if number.least == number.most => Some(number.least == constant),
                    Comparison::Equal => {
                        let never =
                            constant < number.least || constant > number.most || number.never.contains(&constant);
                        never.then_some(false)
                    }
                    Comparison::Less if number.most < constant => Some(true),
                    Comparison::Less => (number.least >= constant).then_some(false),
                };
                holds.map(|holds| holds != denied)
            }
            Question::Variant(name, variant) => {
                let (is, never) = self.enums.get(&name)?;
                is.as_ref().map(|is| *is == variant).or_else(|| never.contains(&variant).then_some(false))
            }
            Question::Other(name) => self.truths.get(&name).copied(),
        }
    }
}

fn question(condition: &Expr) -> Question<'_> {
    let other = || Question::Other(text(condition));
    match condition {
        Expr::Paren(inner) => question(&inner.expr),
        Expr::Group(inner) => question(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => Question::Not(&unary.expr),
        Expr::Binary(binary) => {
            use Comparison::{Equal, Less};
            let (left, right) = (&*binary.left, &*binary.right);
            // Whether the number is on the left; `k > 3` is `!(k < 4)`, and `3 > k` is `k < 3`.
            let of = |(number, constant): (&Expr, &Expr), comparison, more: u64, denied| {
                let constant = written_integer(constant)?.checked_add(more)?;
                written_integer(number).is_none().then(|| Question::Number(text(number), comparison, constant, denied))
            };
            let (here, there) = ((left, right), (right, left));
            let compared = match binary.op {
                BinOp::And(_) => return Question::Both(left, right),
                BinOp::Or(_) => return Question::Either(left, right),
                BinOp::Eq(_) => of(here, Equal, 0, false).or_else(|| of(there, Equal, 0, false)),
                BinOp::Ne(_) => of(here, Equal, 0, true).or_else(|| of(there, Equal, 0, true)),
                BinOp::Lt(_) => of(here, Less, 0, false).or_else(|| of(there, Less, 1, true)),
                BinOp::Le(_) => of(here, Less, 1, false).or_else(|| of(there, Less, 0, true)),
                BinOp::Gt(_) => of(here, Less, 1, true).or_else(|| of(there, Less, 0, false)),
                BinOp::Ge(_) => of(here, Less, 0, true).or_else(|| of(there, Less, 1, false)),
                _ => None,
            };
            compared.unwrap_or_else(other)
        }
        Expr::MethodCall(call) if variants::is_question(&call.receiver.to_token_stream()) && call.args.len() == 2 => {
            Question::Variant(format!("self.{}", text(&call.args[0])), text(&call.args[1]))
        }
        Expr::Macro(call) if call.mac.path.segments.last().is_some_and(|last| last.ident == "matches") => {
            let text = call.mac.tokens.to_string();
            match text.split_once(',') {
                Some((name, variant)) => Question::Variant(name.trim().to_string(), variant.trim().to_string()),
                None => other(),
            }
        }
        _ => other(),
    }
}

fn text(expr: &Expr) -> String {
    match expr {
        Expr::Paren(inner) => text(&inner.expr),
        Expr::Group(inner) => text(&inner.expr),
        expr => expr.to_token_stream().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use proc_macro2::TokenStream;

    fn tokens(text: &str) -> TokenStream {
        text.parse().unwrap()
    }

    /// What was decided, and, of other conditions, what follows.
    type Case = (&'static [(&'static str, bool)], &'static [(&'static str, Option<bool>)]);

    #[test]
    fn what_is_decided_decides_what_follows() {
        let cases: [Case; 10] = [
            (
                &[("(k == 1)", true)],
                &[("(k == 2)", Some(false)), ("(k < 2)", Some(true)), ("k != 1", Some(false)), ("j == 1", None)],
            ),
            (&[("k == 1", false)], &[("k == 1", Some(false)), ("k == 2", None), ("k != 1", Some(true))]),
            (
                &[("k > 3", true)],
                &[("k >= 4", Some(true)), ("k == 3", Some(false)), ("4 <= k", Some(true)), ("k > 4", None)],
            ),
            (&[("k > 3", false), ("k >= 3", true)], &[("k == 3", Some(true)), ("3 < k", Some(false))]),
            (&[("k < 0", false)], &[("k < 0", Some(false)), ("k == 0", None)]),
            (&[("! flag", true)], &[("flag", Some(false)), ("flag && other", Some(false)), ("flag || other", None)]),
            (&[("(a || b)", true), ("a", false)], &[("(a || b)", Some(true)), ("b", Some(true))]),
            (&[("a && b", false), ("! b", false)], &[("a", Some(false))]),
            (
                &[("__netcl_variants.is(\"act\", \"A\") || __netcl_variants.is(\"act\", \"B\")", false)],
                &[
                    ("__netcl_variants.is(\"act\", \"A\")", Some(false)),
                    ("__netcl_variants.is(\"act\", \"C\")", None),
                    ("__netcl_variants.is(\"other\", \"A\")", None),
                ],
            ),
            (
                &[("::core::matches!(d, Depth::A { .. })", false), ("::core::matches!(d, Depth::B { .. })", true)],
                &[
                    ("::core::matches!(d, Depth::A { .. })", Some(false)),
                    ("::core::matches!(d, Depth::C { .. })", Some(false)),
                    ("::core::matches!(e, Depth::B { .. })", None),
                ],
            ),
        ];
        for (decided, follows) in cases {
            let decisions: Vec<_> = decided.iter().map(|(text, holds)| (tokens(text), *holds)).collect();
            let facts = Facts::of(&decisions);
            for (condition, expected) in follows {
                assert_eq!(facts.know(&tokens(condition)), *expected, "{condition} where {decided:?}");
            }
        }
    }
}
