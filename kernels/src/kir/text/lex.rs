//! Text → tokens.

use super::ParseError;

/// A token with the place where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word(String),
    /// Quoted.
    Text(String),
    /// Digits with sign, point and exponent; what letters follow.
    Number(String, String),
    Mark(char),
    /// `..`
    Range,
    /// `/// …`
    Doc(String),
    /// `// …`
    Comment(String),
    End,
}

impl Kind {
    /// For error messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Number(digits, suffix) => format!("`{digits}{suffix}`"),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::Range => "`..`".to_string(),
            Kind::Doc(_) | Kind::Comment(_) => "a comment".to_string(),
            Kind::End => "the end".to_string(),
        }
    }
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut lexer = Lexer { chars: line.chars().collect(), position: 0, line: number + 1 };
        lexer.line(&mut tokens)?;
    }
    let line = text.lines().count() + 1;
    tokens.push(Token { kind: Kind::End, line, column: 1 });
    Ok(tokens)
}

struct Lexer {
    chars: Vec<char>,
    position: usize,
    line: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.position + ahead).copied().unwrap_or('\n')
    }

    fn take(&mut self, keep: impl Fn(char) -> bool) -> String {
        let start = self.position;
        while self.position < self.chars.len() && keep(self.peek(0)) {
            self.position += 1;
        }
        self.chars[start..self.position].iter().collect()
    }

    fn error(&self, message: &str) -> ParseError {
        ParseError { line: self.line, column: self.position + 1, message: message.to_string() }
    }

    fn line(&mut self, tokens: &mut Vec<Token>) -> Result<(), ParseError> {
        loop {
            self.take(char::is_whitespace);
            if self.position == self.chars.len() || self.peek(0) == ';' {
                return Ok(());
            }
            let column = self.position + 1;
            let kind = self.token()?;
            tokens.push(Token { kind, line: self.line, column });
        }
    }

    fn token(&mut self) -> Result<Kind, ParseError> {
        let first = self.peek(0);
        let digit = first.is_ascii_digit() || (first == '-' && self.peek(1).is_ascii_digit());
        if first == '/' && self.peek(1) == '/' {
            let slashes = self.take(|c| c == '/').len();
            let rest = self.take(|_| true).trim().to_string();
            return Ok(if slashes == 3 { Kind::Doc(rest) } else { Kind::Comment(rest) });
        }
        if first == '"' {
            return self.quoted();
        }
        if digit {
            return Ok(self.number());
        }
        if first == '.' && self.peek(1) == '.' {
            self.position += 2;
            return Ok(Kind::Range);
        }
        if first.is_alphabetic() || first == '_' {
            return Ok(Kind::Word(self.take(|c| c.is_alphanumeric() || c == '_')));
        }
        if "%$@#(){}[],:=.*+-/".contains(first) {
            self.position += 1;
            return Ok(Kind::Mark(first));
        }
        Err(self.error(&format!("{first:?} has no meaning here")))
    }

    fn number(&mut self) -> Kind {
        let mut digits = String::new();
        if self.peek(0) == '-' {
            digits.push('-');
            self.position += 1;
        }
        if self.peek(0) == '0' && self.peek(1) == 'x' {
            self.position += 2;
            return Kind::Number(format!("{digits}0x"), self.take(|c| c.is_ascii_hexdigit()));
        }
        digits.push_str(&self.take(|c| c.is_ascii_digit()));
        if self.peek(0) == '.' && self.peek(1).is_ascii_digit() {
            digits.push('.');
            self.position += 1;
            digits.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        let sign = usize::from(matches!(self.peek(1), '-' | '+'));
        if self.peek(0) == 'e' && self.peek(1 + sign).is_ascii_digit() {
            digits.extend(&self.chars[self.position..=self.position + sign]);
            self.position += 1 + sign;
            digits.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        Kind::Number(digits, self.take(|c| c.is_ascii_alphanumeric()))
    }

    /// What Rust's `{:?}` writes for a string.
    fn quoted(&mut self) -> Result<Kind, ParseError> {
        self.position += 1;
        let mut text = String::new();
        loop {
            let character = self.peek(0);
            self.position += 1;
            match character {
                '\n' => return Err(self.error("a quoted text ends on its line")),
                '"' => return Ok(Kind::Text(text)),
                '\\' => {
                    let escape = self.peek(0);
                    self.position += 1;
                    text.push(match escape {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        '0' => '\0',
                        '\\' | '"' | '\'' => escape,
                        'u' => self.unicode()?,
                        _ => return Err(self.error(&format!("there is no escape \\{escape}"))),
                    });
                }
                _ => text.push(character),
            }
        }
    }

    /// `{1f600}` behind `\u`.
    fn unicode(&mut self) -> Result<char, ParseError> {
        self.position += 1;
        let digits = self.take(|c| c.is_ascii_hexdigit());
        self.position += 1;
        u32::from_str_radix(&digits, 16)
            .ok()
            .and_then(char::from_u32)
            .ok_or_else(|| self.error(&format!("there is no character \\u{{{digits}}}")))
    }
}
