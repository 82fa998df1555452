//! Reads tokens one after the other.

use super::ParseError;
use super::lex::{Located, Token, line};
use crate::dim::Dim;
use crate::dtype::DType;
use std::str::FromStr;

pub(crate) type Parsed<T> = Result<T, ParseError>;

/// Blocks, nested expressions and parentheses deeper than this are refused, as parsers descend for each.
const DEEPEST: usize = 128;
/// The largest divisor in a size.
const LARGEST_DIVISOR: u64 = 1 << 31;

/// The tokens of a text and how far they are read, with what a parser has found so far.
pub(crate) struct Cursor<'a, C> {
    tokens: Vec<Located<'a>>,
    pub(crate) position: usize,
    depth: usize,
    pub(crate) context: C,
}

impl<'a, C> Cursor<'a, C> {
    /// At the start of a whole text, for which line breaks mean nothing.
    pub(crate) fn of_text(text: &'a str, context: C) -> Parsed<Self> {
        let mut tokens = Vec::new();
        for (number, content) in text.lines().enumerate() {
            line(content, number + 1, &mut tokens)?;
        }
        tokens.push(Located { token: Token::End("the end"), line: text.lines().count() + 1, column: 1 });
        Ok(Cursor { tokens, position: 0, depth: 0, context })
    }

    /// At the start of one line, numbered from 1.
    pub(crate) fn of_line(text: &'a str, number: usize, context: C) -> Parsed<Self> {
        let mut tokens = Vec::new();
        line(text, number, &mut tokens)?;
        let column = text.chars().count() + 1;
        tokens.push(Located { token: Token::End("the end of the line"), line: number, column });
        Ok(Cursor { tokens, position: 0, depth: 0, context })
    }

    pub(crate) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.position].token
    }

    pub(crate) fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        if !matches!(token, Token::End(_)) {
            self.position += 1;
        }
        token
    }

    /// An error at the next token.
    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let Located { line, column, .. } = self.tokens[self.position];
        Err(ParseError { line, column, message: message.into() })
    }

    /// An error that says what was expected in place of the next token.
    pub(crate) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    /// Takes the sign if it comes next.
    pub(crate) fn take(&mut self, sign: char) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        self.position += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, sign: char) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    /// Takes the keyword if it comes next.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = *self.peek() == Token::Word(word);
        self.position += usize::from(found);
        found
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(crate) fn word(&mut self, what: &str) -> Parsed<&'a str> {
        self.choice(what, Some)
    }

    /// A word that stands for something.
    pub(crate) fn choice<T>(&mut self, what: &str, of: impl FnOnce(&'a str) -> Option<T>) -> Parsed<T> {
        if let Token::Word(word) = *self.peek()
            && let Some(value) = of(word)
        {
            self.position += 1;
            return Ok(value);
        }
        self.expected(what)
    }

    /// A word, or a text in quotes.
    pub(crate) fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Word(name) => {
                let name = (*name).to_owned();
                self.position += 1;
                Ok(name)
            }
            Token::Text(_) => self.text(),
            _ => self.expected("a name"),
        }
    }

    pub(crate) fn text(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Token::Text(text) => {
                self.position += 1;
                Ok(text)
            }
            _ => self.expected("a text in quotes"),
        }
    }

    /// A number without sign and suffix.
    pub(crate) fn integer<T: FromStr>(&mut self, what: &str) -> Parsed<T> {
        if let Token::Number(digits, "") = *self.peek()
            && let Ok(value) = digits.parse()
        {
            self.position += 1;
            return Ok(value);
        }
        self.expected(what)
    }

    /// A number with or without sign.
    pub(crate) fn signed(&mut self, what: &str) -> Parsed<i64> {
        let negative = self.take('-');
        let magnitude = i128::from(self.integer::<u64>(what)?);
        let value = if negative { -magnitude } else { magnitude };
        i64::try_from(value).or_else(|_| self.error(format!("{value} does not fit 64 bits")))
    }

    pub(crate) fn dtype(&mut self) -> Parsed<DType> {
        self.choice("an element type", DType::from_name)
    }

    /// What stands before the closing bracket, with commas between.
    pub(crate) fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(close) {
            if !items.is_empty() {
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Descends by one level.
    pub(crate) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return self.error(format!("blocks and expressions nest more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn end(&self) -> Parsed<()> {
        match self.peek() {
            Token::End(_) => Ok(()),
            _ => self.expected("the end of the line"),
        }
    }

    /// A sum of products of numbers, symbols and floor divisions: `N*64 + 3`, `-N + 4`, `(H - 2) / 2 + 1`, `(N / 2)*3`. A quotient
    /// is rounded down before anything is multiplied.
    pub(crate) fn dim(&mut self) -> Parsed<Dim> {
        self.deeper(|cursor| {
            let mut sum = Dim::default();
            let mut negative = cursor.take('-');
            loop {
                let mut product = cursor.quotient()?;
                while cursor.take('*') {
                    product = product * cursor.quotient()?;
                }
                sum = if negative { sum - product } else { sum + product };
                negative = match cursor.peek() {
                    Token::Sign('+') => false,
                    Token::Sign('-') => true,
                    _ => return Ok(sum),
                };
                cursor.position += 1;
            }
        })
    }

    fn quotient(&mut self) -> Parsed<Dim> {
        let mut value = self.factor()?;
        while self.take('/') {
            let divisor: u64 = self.integer("a divisor")?;
            if !(1..=LARGEST_DIVISOR).contains(&divisor) {
                return self.error(format!("a divisor from 1 to {LARGEST_DIVISOR} must stand here, found {divisor}"));
            }
            value = value.floor_div(divisor);
        }
        Ok(value)
    }

    fn factor(&mut self) -> Parsed<Dim> {
        if self.take('(') {
            let inner = self.dim()?;
            self.expect(')')?;
            return Ok(inner);
        }
        match *self.peek() {
            Token::Word(name) => {
                self.position += 1;
                Ok(Dim::symbol(name))
            }
            _ => self.integer("a size").map(Dim::constant),
        }
    }
}
