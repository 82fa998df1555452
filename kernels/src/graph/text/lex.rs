//! Words of one line, with the column where each starts.

use crate::span::{Diagnostic, Result};

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name or keyword; dots belong to it.
    Word(&'a str),
    /// Digits, perhaps with a fraction and an exponent; no sign.
    Number(&'a str),
    /// A text in quotes, unescaped.
    Text(String),
    /// One sign.
    Sign(char),
    /// The end of the line.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(text) | Token::Number(text) => write!(f, "`{text}`"),
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => f.write_str("the end of the line"),
        }
    }
}

/// A line being read.
pub(super) struct Line<'a> {
    text: &'a str,
    /// From 1.
    number: usize,
    /// Of the next word, in bytes.
    position: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str, number: usize) -> Self {
        Line { text, number, position: 0 }
    }

    /// An error at the next word.
    pub(super) fn error<T>(&self, message: impl std::fmt::Display) -> Result<T> {
        let rest = &self.text[self.position..];
        let start = self.position + rest.len() - rest.trim_start().len();
        let column = self.text[..start].chars().count() + 1;
        Err(Diagnostic::new(format!("line {}, column {column}: {message}", self.number)))
    }

    /// An error that says what was expected in place of the next word.
    pub(super) fn expected<T>(&mut self, what: &str) -> Result<T> {
        let found = self.peek()?;
        self.error(format!("expected {what}, found {found}"))
    }

    /// The next word, and the position behind it.
    fn read(&self) -> Result<(Token<'a>, usize)> {
        let rest = &self.text[self.position..];
        let start = self.position + rest.len() - rest.trim_start().len();
        let rest = &self.text[start..];
        let run = |inside: &dyn Fn(char) -> bool| rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start)) };
        if first.is_alphabetic() || first == '_' {
            let length = run(&|c| c.is_alphanumeric() || c == '_' || c == '.');
            return Ok((Token::Word(&rest[..length]), start + length));
        }
        if first.is_ascii_digit() {
            let mut length = run(&|c| c.is_ascii_digit() || c == '.');
            if let Some(exponent) = rest[length..].strip_prefix('e') {
                let digits = exponent.strip_prefix('-').unwrap_or(exponent);
                let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                length += rest[length..].len() - digits.len() + count;
            }
            return Ok((Token::Number(&rest[..length]), start + length));
        }
        if first == '"' {
            let mut escaped = false;
            for (at, c) in rest.char_indices().skip(1) {
                if c == '"' && !escaped {
                    return Ok((Token::Text(unescape(&rest[1..at])), start + at + 1));
                }
                escaped = c == '\\' && !escaped;
            }
            return self.error("expected a closing quote");
        }
        Ok((Token::Sign(first), start + first.len_utf8()))
    }

    pub(super) fn peek(&self) -> Result<Token<'a>> {
        Ok(self.read()?.0)
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>> {
        let (token, position) = self.read()?;
        self.position = position;
        Ok(token)
    }

    /// Takes the sign if it comes next.
    pub(super) fn take(&mut self, sign: char) -> Result<bool> {
        let found = self.peek()? == Token::Sign(sign);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    /// Takes the keyword if it comes next.
    pub(super) fn take_word(&mut self, word: &str) -> Result<bool> {
        let found = self.peek()? == Token::Word(word);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<()> {
        if self.take(sign)? { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.peek()? {
            Token::Word(word) => {
                self.next()?;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    /// An unsigned integer of any width.
    pub(super) fn integer<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        if let Token::Number(digits) = self.peek()?
            && let Ok(value) = digits.parse()
        {
            self.next()?;
            return Ok(value);
        }
        self.expected(what)
    }

    /// A signed integer.
    pub(super) fn signed(&mut self, what: &str) -> Result<i64> {
        let negative = self.take('-')?;
        let magnitude: u64 = self.integer(what)?;
        let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        i64::try_from(value).or_else(|_| self.error(format!("{value} does not fit 64 bits")))
    }

    pub(super) fn text(&mut self) -> Result<String> {
        match self.peek()? {
            Token::Text(text) => {
                self.next()?;
                Ok(text)
            }
            _ => self.expected("a text in quotes"),
        }
    }

    /// All that is left, unescaped, without the one space that separates it.
    pub(super) fn rest(&mut self) -> String {
        let rest = &self.text[self.position..];
        self.position = self.text.len();
        unescape(rest.strip_prefix(' ').unwrap_or(rest))
    }

    pub(super) fn end(&mut self) -> Result<()> {
        if self.peek()? == Token::End { Ok(()) } else { self.expected("the end of the line") }
    }
}

fn unescape(text: &str) -> String {
    let mut result = String::new();
    let mut escaped = false;
    for c in text.chars() {
        match (escaped, c) {
            (false, '\\') => {
                escaped = true;
                continue;
            }
            (true, 'n') => result.push('\n'),
            (true, 'r') => result.push('\r'),
            (true, 't') => result.push('\t'),
            _ => result.push(c),
        }
        escaped = false;
    }
    result
}
