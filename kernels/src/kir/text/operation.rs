//! Text → references and expressions.

use super::parse::{Arenas, IndexBase, Parser};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::*;
use crate::text::{Parsed, Token};
use std::str::FromStr;

impl Parser<'_> {
    // ---- references ----

    /// A name or a number, behind its sigil.
    pub(super) fn reference<'n>(&mut self, what: &str, mut names: impl Iterator<Item = &'n str>) -> Parsed<u32> {
        if let Token::Word(name) = self.peek().clone() {
            return match names.position(|known| known == name) {
                Some(position) => {
                    self.position += 1;
                    Ok(position as u32)
                }
                None => self.error(format!("there is no {what} `{name}`")),
            };
        }
        self.integer(&format!("the name or number of a {what}"))
    }

    pub(super) fn var(&mut self, code: &Arenas) -> Parsed<VarId> {
        self.expect('$')?;
        self.reference("variable", code.vars.iter().map(|var| var.name.as_str())).map(VarId)
    }

    pub(super) fn param(&mut self) -> Parsed<ParamId> {
        let names: Vec<String> = self.context.params.iter().map(|param| param.name.clone()).collect();
        self.reference("parameter", names.iter().map(String::as_str)).map(ParamId)
    }

    pub(super) fn place(&mut self) -> Parsed<IndexBase> {
        if self.take('@') {
            return self.param().map(IndexBase::Param);
        }
        if !self.take('#') {
            return self.expected("`@` and a buffer or `#` and an array");
        }
        let names: Vec<String> = self.context.arrays.iter().map(|array| array.name.clone()).collect();
        self.reference("array", names.iter().map(String::as_str)).map(|array| IndexBase::Array(ArrayId(array)))
    }

    pub(super) fn subscript(&mut self, code: &mut Arenas) -> Parsed<ExprId> {
        self.expect('[')?;
        let index = self.expr(code)?;
        self.expect(']')?;
        Ok(index)
    }

    // ---- expressions ----

    /// `%n`, or an operation, which is appended.
    pub(super) fn expr(&mut self, code: &mut Arenas) -> Parsed<ExprId> {
        if self.take('%') {
            return Ok(ExprId(self.integer("the number of an expression")?));
        }
        let expr = self.deeper(|parser| parser.operation(code))?;
        code.exprs.push(expr);
        Ok(ExprId(code.exprs.len() as u32 - 1))
    }

    pub(super) fn arguments<const N: usize>(&mut self, code: &mut Arenas) -> Parsed<[ExprId; N]> {
        self.expect('(')?;
        let given = self.list(')', |parser| parser.expr(code))?;
        let count = given.len();
        given.try_into().or_else(|_| {
            self.position -= 1;
            self.error(format!("expected {N} operands, found {count}"))
        })
    }

    /// A number behind a point: lanes, a dimension, a stream.
    fn dotted<T: FromStr>(&mut self) -> Parsed<T> {
        self.expect('.')?;
        self.integer("a number")
    }

    pub(super) fn operation(&mut self, code: &mut Arenas) -> Parsed<Expr> {
        match self.peek().clone() {
            Token::Number(digits, suffix) => self.number("", digits, suffix),
            Token::Sign('$') => self.var(code).map(Expr::Var),
            Token::Sign('@') => {
                self.position += 1;
                self.param().map(Expr::Param)
            }
            Token::Sign('-') => {
                self.position += 1;
                if let Token::Number(digits, suffix) = *self.peek() {
                    return self.number("-", digits, suffix);
                }
                self.expect_word("inf")?;
                self.expect('.')?;
                Ok(Expr::Literal(Literal::Float(f64::NEG_INFINITY.to_bits(), self.dtype()?)))
            }
            Token::Word(word) => {
                self.position += 1;
                self.named(word, code)
            }
            _ => self.expected("an expression"),
        }
    }

    pub(super) fn number(&mut self, sign: &str, digits: &str, suffix: &str) -> Parsed<Expr> {
        let digits = format!("{sign}{digits}");
        let Some(dtype) = DType::from_name(suffix) else {
            return self.error(format!("`{digits}{suffix}` says no element type: write `{digits}i32`, for example"));
        };
        let literal = if digits.contains(['.', 'e']) {
            digits.parse().ok().map(|value: f64| Literal::Float(value.to_bits(), dtype))
        } else {
            digits.parse().ok().map(|value| Literal::Int(value, dtype))
        };
        let Some(literal) = literal else { return self.error(format!("`{digits}` is too large")) };
        self.position += 1;
        Ok(Expr::Literal(literal))
    }

    pub(super) fn named(&mut self, word: &str, code: &mut Arenas) -> Parsed<Expr> {
        if let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == word) {
            let [a] = self.arguments(code)?;
            return Ok(Expr::Unary(op, a));
        }
        if let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == word) {
            let [a, b] = self.arguments(code)?;
            return Ok(Expr::Binary(op, a, b));
        }
        if let Some(op) = CompareOp::ALL.into_iter().find(|op| op.name() == word) {
            let [a, b] = self.arguments(code)?;
            return Ok(Expr::Compare(op, a, b));
        }
        if let Some(item) = WorkItem::ALL.into_iter().find(|item| item.name() == word) {
            return Ok(Expr::WorkItem(item, self.dotted()?));
        }
        Ok(match word {
            "true" => Expr::Literal(Literal::Bool(true)),
            "false" => Expr::Literal(Literal::Bool(false)),
            "inf" | "nan" => {
                self.expect('.')?;
                let value = if word == "inf" { f64::INFINITY } else { f64::NAN };
                Expr::Literal(Literal::Float(value.to_bits(), self.dtype()?))
            }
            "bits" => self.bits()?,
            "mul_add" => {
                let [a, b, c] = self.arguments(code)?;
                Expr::MulAdd(a, b, c)
            }
            "select" => {
                let [c, a, b] = self.arguments(code)?;
                Expr::Select(c, a, b)
            }
            "cast" | "bitcast" => {
                self.expect('.')?;
                let dtype = self.dtype()?;
                let [a] = self.arguments(code)?;
                if word == "cast" { Expr::Cast(dtype, a) } else { Expr::Bitcast(dtype, a) }
            }
            "load" => self.load(code)?,
            "splat" | "lane" => {
                let number = self.dotted()?;
                let [a] = self.arguments(code)?;
                if word == "splat" { Expr::Splat(a, number) } else { Expr::Lane(a, number) }
            }
            "lane_ids" => {
                self.expect('.')?;
                let dtype = self.dtype()?;
                Expr::LaneIds(dtype, self.dotted()?)
            }
            "horizontal" => {
                self.expect('.')?;
                let op = self.choice("a reduction", |word| ReduceOp::ALL.into_iter().find(|op| op.name() == word))?;
                let [a] = self.arguments(code)?;
                Expr::Horizontal(op, a)
            }
            "philox" => {
                let stream = self.dotted()?;
                let [counter, seed] = self.arguments(code)?;
                Expr::Philox { counter, seed, stream }
            }
            "sub_group" => {
                self.expect('.')?;
                let op = self
                    .choice("a sub-group operation", |word| SubGroupOp::ALL.into_iter().find(|op| op.name() == word))?;
                self.expect('(')?;
                match self.list(')', |parser| parser.expr(code))?.as_slice() {
                    [a] => Expr::SubGroup(op, *a, None),
                    [a, b] => Expr::SubGroup(op, *a, Some(*b)),
                    other => {
                        let message = format!("expected 1 or 2 operands, found {}", other.len());
                        self.position -= 1;
                        return self.error(message);
                    }
                }
            }
            "call" => {
                let names: Vec<String> = self.context.functions.iter().map(|function| function.name.clone()).collect();
                let function = self.reference("function", names.iter().map(String::as_str))?;
                self.expect('(')?;
                Expr::Call(function, self.list(')', |parser| parser.expr(code))?)
            }
            _ => {
                self.position -= 1;
                return self.expected("an expression");
            }
        })
    }

    /// `.f64(0x7ff8000000000001)`.
    pub(super) fn bits(&mut self) -> Parsed<Expr> {
        self.expect('.')?;
        let dtype = self.dtype()?;
        self.expect('(')?;
        let bits = match self.peek() {
            Token::Number("0x", digits) => u64::from_str_radix(digits, 16).ok(),
            _ => None,
        };
        let Some(bits) = bits else { return self.expected("64 bits in hexadecimal") };
        self.position += 1;
        self.expect(')')?;
        Ok(Expr::Literal(Literal::Float(bits, dtype)))
    }

    pub(super) fn load(&mut self, code: &mut Arenas) -> Parsed<Expr> {
        let lanes = if *self.peek() == Token::Sign('.') { Some(self.dotted()?) } else { None };
        let place = self.place()?;
        let index = self.subscript(code)?;
        match (place, lanes) {
            (IndexBase::Param(buffer), lanes) => Ok(Expr::Load { buffer, index, lanes: lanes.unwrap_or(1) }),
            (IndexBase::Array(array), None) => Ok(Expr::LoadArray { array, index }),
            (IndexBase::Array(_), Some(_)) => self.error("arrays are read one element at a time".to_string()),
        }
    }
}
