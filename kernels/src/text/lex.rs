//! Text → tokens.

use super::ParseError;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// In quotes, unescaped.
    Text(String),
    /// Digits with point and exponent, without sign, or `0x`; the letters or hexadecimal digits that follow.
    Number(&'a str, &'a str),
    Sign(char),
    /// `..`
    Range,
    /// `/// …`
    Doc(&'a str),
    /// `// …`
    Comment(&'a str),
    /// Of the text, or of the one line that is read.
    End(&'static str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Number(digits, suffix) => write!(f, "`{digits}{suffix}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::Range => f.write_str("`..`"),
            Token::Doc(_) | Token::Comment(_) => f.write_str("a comment"),
            Token::End(what) => f.write_str(what),
        }
    }
}

/// A token with the place where it starts.
#[derive(Clone, Debug)]
pub(super) struct Located<'a> {
    pub(super) token: Token<'a>,
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
}

/// Adds the tokens of one line; what follows a `;` is skipped.
pub(super) fn line<'a>(text: &'a str, number: usize, tokens: &mut Vec<Located<'a>>) -> Result<(), ParseError> {
    let mut lexer = Lexer { text, position: 0, line: number };
    loop {
        lexer.take(char::is_whitespace);
        if lexer.rest().is_empty() || lexer.peek() == ';' {
            return Ok(());
        }
        let column = lexer.column();
        let token = lexer.token()?;
        tokens.push(Located { token, line: number, column });
    }
}

struct Lexer<'a> {
    text: &'a str,
    /// In bytes.
    position: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// The next character, or a line break at the end.
    fn peek(&self) -> char {
        self.rest().chars().next().unwrap_or('\n')
    }

    fn column(&self) -> usize {
        self.text[..self.position].chars().count() + 1
    }

    fn take(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !keep(c)).unwrap_or(rest.len())];
        self.position += taken.len();
        taken
    }

    fn error(&self, message: String) -> ParseError {
        ParseError { line: self.line, column: self.column(), message }
    }

    fn token(&mut self) -> Result<Token<'a>, ParseError> {
        let (first, rest) = (self.peek(), self.rest());
        if rest.starts_with("//") {
            let slashes = self.take(|c| c == '/').len();
            let text = self.take(|_| true).trim();
            return Ok(if slashes == 3 { Token::Doc(text) } else { Token::Comment(text) });
        }
        if first == '"' {
            return self.quoted();
        }
        if first.is_ascii_digit() {
            return Ok(self.number());
        }
        if rest.starts_with("..") {
            self.position += 2;
            return Ok(Token::Range);
        }
        if first.is_alphabetic() || first == '_' {
            return Ok(Token::Word(self.take(|c| c.is_alphanumeric() || c == '_')));
        }
        if "%$@#(){}[],:=.*+-/".contains(first) {
            self.position += 1;
            return Ok(Token::Sign(first));
        }
        Err(self.error(format!("{first:?} has no meaning here")))
    }

    fn number(&mut self) -> Token<'a> {
        let (start, rest) = (self.position, self.rest());
        if rest.starts_with("0x") {
            self.position += 2;
            return Token::Number(&rest[..2], self.take(|c| c.is_ascii_hexdigit()));
        }
        let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        self.take(|c| c.is_ascii_digit());
        if self.rest().strip_prefix('.').is_some_and(digit) {
            self.position += 1;
            self.take(|c| c.is_ascii_digit());
        }
        if let Some(exponent) = self.rest().strip_prefix('e') {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digit(digits) {
                self.position += 1 + exponent.len() - digits.len();
                self.take(|c| c.is_ascii_digit());
            }
        }
        Token::Number(&self.text[start..self.position], self.take(|c| c.is_ascii_alphanumeric()))
    }

    fn quoted(&mut self) -> Result<Token<'a>, ParseError> {
        let mut escaped = false;
        let inside = &self.rest()[1..];
        let end = inside.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(end) = end else { return Err(self.error("expected a closing quote".to_owned())) };
        let text = unescape(&inside[..end]).map_err(|message| self.error(message))?;
        self.position += end + 2;
        Ok(Token::Text(text))
    }
}

/// Reads what Rust's `{:?}` writes for a string, without its quotes.
pub(crate) fn unescape(text: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        result.push(match chars.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('0') => '\0',
            Some(same @ ('\\' | '"' | '\'')) => same,
            Some('u') => {
                let digits: String = chars.by_ref().take_while(|c| *c != '}').skip(1).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| format!("there is no character \\u{{{digits}}}"))?
            }
            other => return Err(format!("there is no escape \\{}", other.map(String::from).unwrap_or_default())),
        });
    }
    Ok(result)
}
