//! Text to nodes.

use super::words::{Binary, FUNCTIONS, For, Function, LEVELS, Unary};
use super::{Id, Node};
use netcl_kernels::dtype::DType;

/// Column (from 1) and what is wrong there.
type Problem = (usize, String);

/// How deep parentheses, calls and prefixes may nest: what is deeper is no formula, and would end the stack.
const DEPTH: usize = 64;
/// The most parts that an expression may have: the interpreter keeps a block for each, and drivers parse a text in which
/// every value that is used twice stands twice.
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

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    nodes: Vec<Node>,
    variables: &'a [String],
    dtype: DType,
}

/// The nodes of `text`, the result last.
pub(super) fn parse(text: &str, variables: &[String], dtype: DType) -> Result<Vec<Node>, Problem> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, nodes: Vec::new(), variables, dtype };
    let root = parser.choice()?;
    if *parser.peek() != Token::End {
        return Err(parser.unexpected("the end or an operator"));
    }
    debug_assert_eq!(root + 1, parser.nodes.len(), "what was parsed last is the result");
    Ok(parser.nodes)
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Problem> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let column = text[..at].chars().count() + 1;
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first.is_ascii_digit() || first == '.' {
            let length = number_length(&text[at..]);
            list.push((column, number(&text[at..at + length]).map_err(|problem| (column, problem))?));
            at += length;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let rest = &text[at..];
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            list.push((column, Token::Name(rest[..length].to_owned())));
            at += length;
        } else if let Some(sign) = OPERATORS.iter().find(|sign| text[at..].starts_with(**sign)) {
            list.push((column, Token::Sign(sign)));
            at += sign.len();
        } else {
            return Err((column, format!("`{first}` is not part of any expression")));
        }
    }
    list.push((text.chars().count() + 1, Token::End));
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

    fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let found = match self.peek() {
            Token::Name(name) => format!("`{name}`"),
            Token::Integer(value) => value.to_string(),
            Token::Float(value) => value.to_string(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        (self.column(), format!("expected {expected}, found {found}"))
    }

    fn push(&mut self, node: Node) -> Result<Id, Problem> {
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
    fn fits(&self, what: &str, types: For, column: usize) -> Result<(), Problem> {
        let (fits, kind) = match types {
            For::All => return Ok(()),
            For::Floats => (self.dtype.is_float(), "floats"),
            For::Integers => (self.dtype.is_integer(), "integers"),
        };
        if fits { Ok(()) } else { Err((column, format!("{what} is for {kind}, the elements are {}", self.dtype))) }
    }

    /// `condition ? value : value`
    fn choice(&mut self) -> Result<Id, Problem> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err((self.column(), format!("more than {DEPTH} levels of nesting")));
        }
        let condition = self.level(0)?;
        let result = if self.take("?") {
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            self.push(Node::Select(condition, yes, no))?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn level(&mut self, level: usize) -> Result<Id, Problem> {
        let Some(operators) = LEVELS.get(level) else { return self.prefix() };
        let mut left = self.level(level + 1)?;
        loop {
            let column = self.column();
            let Some((sign, operator)) = operators.iter().copied().find(|(sign, _)| self.take(sign)) else {
                return Ok(left);
            };
            self.fits(&format!("`{sign}`"), operator.types(), column)?;
            let right = self.level(level + 1)?;
            left = self.push(Node::Binary(operator, left, right))?;
        }
    }

    fn prefix(&mut self) -> Result<Id, Problem> {
        let column = self.column();
        let prefixes =
            [("-", Some(Unary::Negate)), ("!", Some(Unary::Not)), ("~", Some(Unary::Complement)), ("+", None)];
        let Some((sign, operator)) = prefixes.into_iter().find(|(sign, _)| self.take(sign)) else {
            return self.operand();
        };
        self.depth += 1;
        if self.depth > DEPTH {
            return Err((column, format!("more than {DEPTH} levels of nesting")));
        }
        let operand = self.prefix()?;
        self.depth -= 1;
        match operator {
            Some(operator) => {
                self.fits(&format!("`{sign}`"), operator.types(), column)?;
                self.push(Node::Unary(operator, operand))
            }
            None => Ok(operand),
        }
    }

    fn operand(&mut self) -> Result<Id, Problem> {
        let column = self.column();
        match self.peek().clone() {
            Token::Integer(value) => {
                self.next += 1;
                self.integer(value, column)
            }
            Token::Float(value) => {
                self.next += 1;
                self.fits(&format!("the number {value:?}"), For::Floats, column)?;
                let is_held = if self.dtype == DType::F64 { value.is_finite() } else { (value as f32).is_finite() };
                if !is_held {
                    return Err((column, format!("this number is beyond what {} holds; write `INFINITY`", self.dtype)));
                }
                self.push(Node::Float(value))
            }
            Token::Name(name) => {
                self.next += 1;
                if self.take("(") { self.call(&name, column) } else { self.name(&name, column) }
            }
            Token::Sign("(") => {
                self.next += 1;
                let inner = self.choice()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign(_) | Token::End => Err(self.unexpected("a value")),
        }
    }

    /// Up to the largest unsigned number of the type's width: `-2147483648` is the negation of one that no `i32` holds.
    fn integer(&mut self, value: u64, column: usize) -> Result<Id, Problem> {
        let largest = match self.dtype {
            DType::I32 | DType::U32 => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        if self.dtype.is_integer() && value > largest {
            return Err((column, format!("{value} has more bits than {}", self.dtype)));
        }
        self.push(if self.dtype.is_float() { Node::Float(value as f64) } else { Node::Integer(value) })
    }

    fn name(&mut self, name: &str, column: usize) -> Result<Id, Problem> {
        if let Some(position) = self.variables.iter().position(|variable| variable == name) {
            return self.push(Node::Variable(position));
        }
        match name {
            "LARGEST" => self.push(Node::Largest),
            "SMALLEST" => self.push(Node::Smallest),
            "INFINITY" | "NAN" | "PI" => {
                self.fits(&format!("`{name}`"), For::Floats, column)?;
                self.push(Node::Float(match name {
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

    fn call(&mut self, name: &str, column: usize) -> Result<Id, Problem> {
        let Some((_, function)) = FUNCTIONS.iter().find(|(function, _)| *function == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(function, _)| *function).collect();
            return Err((column, format!("there is no function `{name}`; there is {}", known.join(", "))));
        };
        let mut arguments = Vec::new();
        if !self.take(")") {
            loop {
                arguments.push(self.choice()?);
                if self.take(")") {
                    break;
                }
                if !self.take(",") {
                    return Err(self.unexpected("`,` or `)`"));
                }
            }
        }
        match (*function, arguments.as_slice()) {
            (Function::Unary(operator), &[operand]) => {
                self.fits(&format!("`{name}`"), operator.types(), column)?;
                self.push(Node::Unary(operator, operand))
            }
            (Function::Binary(operator), &[left, right]) => {
                self.fits(&format!("`{name}`"), operator.types(), column)?;
                self.push(Node::Binary(operator, left, right))
            }
            (Function::Select, &[condition, yes, no]) => self.push(Node::Select(condition, yes, no)),
            (Function::Clamp, &[value, low, high]) => {
                let above = self.push(Node::Binary(Binary::Max, value, low))?;
                self.push(Node::Binary(Binary::Min, above, high))
            }
            (function, _) => {
                let expected = match function {
                    Function::Unary(_) => 1,
                    Function::Binary(_) => 2,
                    Function::Select | Function::Clamp => 3,
                };
                Err((column, format!("`{name}` takes {expected} arguments, found {}", arguments.len())))
            }
        }
    }
}
