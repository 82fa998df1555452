//! Text to nodes, by precedence, with a stack of its own: how deep an expression nests is no matter of the thread's stack.

use super::node::{ExprNode, Id};
use super::words::{Binary, BuiltinFunction, FUNCTIONS, For, LEVELS, Unary};
use netcl_kernels::dtype::DType;

/// Column (from 1) and what is wrong there.
type SyntaxError = (usize, String);

/// How deep parentheses, calls, choices and prefixes may nest: what is deeper is no formula.
const DEPTH: usize = 64;
/// The most parts that an expression may have: the interpreter keeps a block for each.
const PARTS: usize = 1 << 12;

/// The longest first, so that `<=` is not `<`.
const OPERATORS: [&str; 27] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "!", "~", "?",
    ":", "(", ")", ",", "=", ";",
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Integer(u64),
    Float(f64),
    Sign(&'static str),
    End,
}

/// What has begun and is not complete, the innermost last.
#[derive(Debug)]
enum Open {
    /// The left side of an operator of that rank.
    Binary(usize, Binary, Id),
    /// A prefix, its sign and column; `+` is none of the operators.
    Prefix(Option<Unary>, &'static str, usize),
    /// A parenthesis.
    Group,
    /// A function's name with its column, and its arguments so far.
    Call(String, BuiltinFunction, usize, Vec<Id>),
    /// The condition of a choice whose first value comes next.
    Then(Id),
    /// The condition and the first value of a choice.
    Else(Id, Id),
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    next: usize,
    open: Vec<Open>,
    /// How many of these nest, and the whole.
    depth: usize,
    nodes: Vec<ExprNode>,
    variables: &'a [String],
    dtype: DType,
}

/// The nodes of `text`, the result last.
pub(super) fn parse(text: &str, variables: &[String], dtype: DType) -> Result<Vec<ExprNode>, SyntaxError> {
    let (open, nodes) = (Vec::new(), Vec::new());
    let mut parser = Parser { tokens: tokens(text)?, next: 0, open, depth: 1, nodes, variables, dtype };
    let root = parser.whole()?;
    debug_assert_eq!(root + 1, parser.nodes.len(), "what was parsed last is the result");
    Ok(parser.nodes)
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, SyntaxError> {
    let mut list = Vec::new();
    let (mut at, mut column) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        // What is longer than one character is of ASCII's, one byte each.
        let (token, length) = if first.is_whitespace() {
            (at, column) = (at + first.len_utf8(), column + 1);
            continue;
        } else if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            (number(&rest[..length]).map_err(|problem| (column, problem))?, length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if let Some(sign) = OPERATORS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err((column, format!("`{first}` is not part of any expression")));
        };
        list.push((column, token));
        (at, column) = (at + length, column + length);
    }
    list.push((column, Token::End));
    Ok(list)
}

/// Digits, point, exponent with its sign, and the letters that follow.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let exponent = !hexadecimal && length > 0 && matches!(bytes[length - 1], b'e' | b'E');
        if byte.is_ascii_alphanumeric() || byte == b'.' || (exponent && matches!(byte, b'+' | b'-')) {
            length += 1;
        } else {
            break;
        }
    }
    length
}

fn number(text: &str) -> Result<Token, String> {
    let lower = text.to_ascii_lowercase();
    let wrong = || format!("`{text}` is not a number");
    if let Some(digits) = lower.strip_prefix("0x") {
        let digits = digits.trim_end_matches(['u', 'l']);
        return u64::from_str_radix(digits, 16).map(Token::Integer).map_err(|_| wrong());
    }
    if lower.contains(['.', 'e']) || lower.ends_with('f') {
        let digits = lower.strip_suffix(['f', 'l']).unwrap_or(&lower);
        return digits.parse().map(Token::Float).map_err(|_| wrong());
    }
    lower.trim_end_matches(['u', 'l']).parse().map(Token::Integer).map_err(|_| wrong())
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn column(&self) -> usize {
        self.tokens[self.next].0
    }

    /// Takes `sign` if it is next.
    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(next) if *next == sign);
        self.next += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = match self.peek() {
            Token::Name(name) => format!("`{name}`"),
            Token::Integer(value) => value.to_string(),
            Token::Float(value) => value.to_string(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        (self.column(), format!("expected {expected}, found {found}"))
    }

    fn push(&mut self, node: ExprNode) -> Result<Id, SyntaxError> {
        if self.nodes.len() >= PARTS {
            return Err((
                self.column(),
                format!("more than {PARTS} parts; compute some of it first, with another call"),
            ));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    /// Whether something for some types may be used with this one.
    fn fits(&self, what: &str, types: For, column: usize) -> Result<(), SyntaxError> {
        let (fits, kind) = match types {
            For::All => return Ok(()),
            For::Floats => (self.dtype.is_float(), "floats"),
            For::Integers => (self.dtype.is_integer(), "integers"),
        };
        if fits { Ok(()) } else { Err((column, format!("{what} is for {kind}, the elements are {}", self.dtype))) }
    }

    /// Something begins that nests.
    fn nest(&mut self, open: Open, column: usize) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err((column, format!("more than {DEPTH} levels of nesting")));
        }
        self.open.push(open);
        Ok(())
    }

    /// All of the text: values, each after what stands before it, and what follows each.
    fn whole(&mut self) -> Result<Id, SyntaxError> {
        loop {
            let mut value = loop {
                if let Some(value) = self.before_or_value()? {
                    break value;
                }
            };
            loop {
                match self.after(value)? {
                    After::Value => break,
                    After::Complete(whole) => value = whole,
                    After::End(root) => return Ok(root),
                }
            }
        }
    }

    /// Takes a value, or something that stands before one: `None`.
    fn before_or_value(&mut self) -> Result<Option<Id>, SyntaxError> {
        let column = self.column();
        let prefixes =
            [("-", Some(Unary::Negate)), ("!", Some(Unary::Not)), ("~", Some(Unary::Complement)), ("+", None)];
        if let Some((sign, operator)) = prefixes.into_iter().find(|(sign, _)| self.take(sign)) {
            return self.nest(Open::Prefix(operator, sign, column), column).map(|()| None);
        }
        match self.peek().clone() {
            Token::Integer(value) => {
                self.next += 1;
                self.integer(value, column).map(Some)
            }
            Token::Float(value) => {
                self.next += 1;
                self.fits(&format!("the number {value:?}"), For::Floats, column)?;
                let is_held = if self.dtype == DType::F64 { value.is_finite() } else { (value as f32).is_finite() };
                if !is_held {
                    return Err((column, format!("this number is beyond what {} holds; write `INFINITY`", self.dtype)));
                }
                self.push(ExprNode::Float(value)).map(Some)
            }
            Token::Name(name) => {
                self.next += 1;
                if !self.take("(") {
                    return self.name(&name, column).map(Some);
                }
                let function = function(&name, column)?;
                if self.take(")") {
                    return self.call(&name, function, column, &[]).map(Some);
                }
                self.nest(Open::Call(name, function, column, Vec::new()), self.column()).map(|()| None)
            }
            Token::Sign("(") => {
                self.next += 1;
                self.nest(Open::Group, self.column()).map(|()| None)
            }
            Token::Sign(_) | Token::End => Err(self.unexpected("a value")),
        }
    }

    /// Takes what follows a value.
    fn after(&mut self, value: Id) -> Result<After, SyntaxError> {
        let column = self.column();
        let Token::Sign(sign) = *self.peek() else {
            let root = self.complete(value)?;
            let is_end = *self.peek() == Token::End && self.open.is_empty();
            return if is_end { Ok(After::End(root)) } else { Err(self.unclosed()) };
        };
        if let Some((rank, operator)) = ranked(sign) {
            let left = self.complete_operators(value, rank)?;
            self.fits(&format!("`{sign}`"), operator.types(), column)?;
            self.next += 1;
            self.open.push(Open::Binary(rank, operator, left));
            return Ok(After::Value);
        }
        if sign == "?" {
            let condition = self.complete_operators(value, 0)?;
            self.next += 1;
            return self.nest(Open::Then(condition), self.column()).map(|()| After::Value);
        }
        let value = self.complete(value)?;
        match (sign, self.open.pop()) {
            (":", Some(Open::Then(condition))) => {
                self.next += 1;
                self.open.push(Open::Else(condition, value));
                Ok(After::Value)
            }
            (",", Some(Open::Call(name, function, place, mut arguments))) => {
                self.next += 1;
                arguments.push(value);
                self.open.push(Open::Call(name, function, place, arguments));
                Ok(After::Value)
            }
            (")", Some(Open::Group)) => {
                (self.next, self.depth) = (self.next + 1, self.depth - 1);
                Ok(After::Complete(value))
            }
            (")", Some(Open::Call(name, function, place, mut arguments))) => {
                (self.next, self.depth) = (self.next + 1, self.depth - 1);
                arguments.push(value);
                self.call(&name, function, place, &arguments).map(After::Complete)
            }
            (_, open) => {
                self.open.extend(open);
                Err(self.unclosed())
            }
        }
    }

    /// What is missing where nothing that is there fits.
    fn unclosed(&self) -> SyntaxError {
        self.unexpected(match self.open.last() {
            Some(Open::Group) => "`)`",
            Some(Open::Call(..)) => "`,` or `)`",
            Some(Open::Then(_)) => "`:`",
            _ => "the end or an operator",
        })
    }

    /// The value with the operators before it that bind it at least as tightly as one of that rank.
    fn complete_operators(&mut self, mut value: Id, rank: usize) -> Result<Id, SyntaxError> {
        loop {
            value = match self.open.pop() {
                Some(Open::Prefix(operator, sign, column)) => {
                    self.depth -= 1;
                    match operator {
                        Some(operator) => {
                            self.fits(&format!("`{sign}`"), operator.types(), column)?;
                            self.push(ExprNode::Unary(operator, value))?
                        }
                        None => value,
                    }
                }
                Some(Open::Binary(own, operator, left)) if own >= rank => {
                    self.push(ExprNode::Binary(operator, left, value))?
                }
                other => {
                    self.open.extend(other);
                    return Ok(value);
                }
            };
        }
    }

    /// The value with all operators before it and the choices that it ends.
    fn complete(&mut self, value: Id) -> Result<Id, SyntaxError> {
        let mut value = self.complete_operators(value, 0)?;
        while let Some(&Open::Else(condition, yes)) = self.open.last() {
            self.open.pop();
            self.depth -= 1;
            value = self.push(ExprNode::Select(condition, yes, value))?;
            value = self.complete_operators(value, 0)?;
        }
        Ok(value)
    }

    /// Up to the largest unsigned number of the type's width: `-2147483648` is the negation of one that no `i32` holds.
    fn integer(&mut self, value: u64, column: usize) -> Result<Id, SyntaxError> {
        let largest = match self.dtype {
            DType::I32 | DType::U32 => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        if self.dtype.is_integer() && value > largest {
            return Err((column, format!("{value} has more bits than {}", self.dtype)));
        }
        self.push(if self.dtype.is_float() { ExprNode::Float(value as f64) } else { ExprNode::Integer(value) })
    }

    fn name(&mut self, name: &str, column: usize) -> Result<Id, SyntaxError> {
        if let Some(position) = self.variables.iter().position(|variable| variable == name) {
            return self.push(ExprNode::Variable(position));
        }
        match name {
            "LARGEST" => self.push(ExprNode::Largest),
            "SMALLEST" => self.push(ExprNode::Smallest),
            "INFINITY" | "NAN" | "PI" => {
                self.fits(&format!("`{name}`"), For::Floats, column)?;
                self.push(ExprNode::Float(match name {
                    "INFINITY" => f64::INFINITY,
                    "NAN" => f64::NAN,
                    _ => std::f64::consts::PI,
                }))
            }
            _ => {
                let constants = ["LARGEST", "SMALLEST", "INFINITY", "NAN", "PI"];
                let known: Vec<&str> = self.variables.iter().map(String::as_str).chain(constants).collect();
                let function = FUNCTIONS.iter().any(|(function, _)| *function == name);
                let hint = if function { " is a function: give it its arguments" } else { " is not known" };
                Err((column, format!("`{name}`{hint}; there is {}", known.join(", "))))
            }
        }
    }

    fn call(
        &mut self,
        name: &str,
        function: BuiltinFunction,
        column: usize,
        arguments: &[Id],
    ) -> Result<Id, SyntaxError> {
        match (function, arguments) {
            (BuiltinFunction::Unary(operator), &[operand]) => {
                self.fits(&format!("`{name}`"), operator.types(), column)?;
                self.push(ExprNode::Unary(operator, operand))
            }
            (BuiltinFunction::Binary(operator), &[left, right]) => {
                self.fits(&format!("`{name}`"), operator.types(), column)?;
                self.push(ExprNode::Binary(operator, left, right))
            }
            (BuiltinFunction::Select, &[condition, yes, no]) => self.push(ExprNode::Select(condition, yes, no)),
            (BuiltinFunction::Clamp, &[value, low, high]) => {
                let above = self.push(ExprNode::Binary(Binary::Max, value, low))?;
                self.push(ExprNode::Binary(Binary::Min, above, high))
            }
            (function, _) => {
                let expected = match function {
                    BuiltinFunction::Unary(_) => 1,
                    BuiltinFunction::Binary(_) => 2,
                    BuiltinFunction::Select | BuiltinFunction::Clamp => 3,
                };
                Err((column, format!("`{name}` takes {expected} arguments, found {}", arguments.len())))
            }
        }
    }
}

/// What follows a value.
enum After {
    /// Something that takes another value.
    Value,
    /// The end of something of which it is a part, and which is a value.
    Complete(Id),
    /// Nothing.
    End(Id),
}

/// The operator between two values with that sign, and its place among [`LEVELS`].
fn ranked(sign: &str) -> Option<(usize, Binary)> {
    LEVELS.iter().enumerate().find_map(|(rank, operators)| {
        operators.iter().find(|(own, _)| *own == sign).map(|(_, operator)| (rank, *operator))
    })
}

fn function(name: &str, column: usize) -> Result<BuiltinFunction, SyntaxError> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function).ok_or_else(|| {
        let known: Vec<&str> = FUNCTIONS.iter().map(|(function, _)| *function).collect();
        (column, format!("there is no function `{name}`; there is {}", known.join(", ")))
    })
}
