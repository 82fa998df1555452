//! Tokens as lines that a person reads: a line ends with a statement, an item of a list in braces, an attribute, and where
//! braces open and close. (A formatter that knows Rust would be a dependency of every build, for this alone.)

use crate::parse::text;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens, line by line.
pub(super) fn lines(tokens: &TokenStream) -> String {
    let mut layout = PrettyPrinter { done: String::new(), line: String::new(), depth: 0 };
    layout.tokens(tokens.clone(), true);
    layout.end();
    layout.done
}

struct PrettyPrinter {
    done: String,
    /// The present line, without its indentation.
    line: String,
    depth: usize,
}

impl PrettyPrinter {
    /// The tokens; `list`: a comma ends a line.
    fn tokens(&mut self, tokens: TokenStream, list: bool) {
        let mut run: Vec<TokenTree> = Vec::new();
        for token in tokens {
            match &token {
                TokenTree::Group(group) if opens(group) => {
                    self.add(&mut run);
                    self.group(group);
                }
                TokenTree::Group(group) => {
                    let attribute = matches!(run.as_slice(), [TokenTree::Punct(sign)] if sign.as_char() == '#')
                        && group.delimiter() == Delimiter::Bracket;
                    run.push(token);
                    if attribute {
                        self.add(&mut run);
                        self.end();
                    }
                }
                TokenTree::Punct(sign) if sign.as_char() == ';' || sign.as_char() == ',' && list => {
                    run.push(token);
                    self.add(&mut run);
                    self.end();
                }
                _ => run.push(token),
            }
        }
        self.add(&mut run);
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Brace => ("{", "}"),
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        if group.delimiter() == Delimiter::Brace && !self.line.is_empty() && !self.line.ends_with(['(', '[']) {
            self.line.push(' ');
        }
        self.line.push_str(open);
        self.end();
        self.depth += 1;
        self.tokens(group.stream(), true);
        self.end();
        self.depth -= 1;
        self.line.push_str(close);
    }

    /// Adds what has been gathered to the line; after braces only what belongs to them goes on there.
    fn add(&mut self, run: &mut Vec<TokenTree>) {
        let Some(first) = run.first() else { return };
        let goes_on = match first {
            TokenTree::Punct(sign) => !matches!(sign.as_char(), '#' | '*' | '&'),
            TokenTree::Ident(word) => word == "else" || word == "as",
            _ => false,
        };
        if self.line.ends_with('}') && !goes_on {
            self.end();
        }
        let written = text(&run.drain(..).collect::<TokenStream>());
        let close = written.starts_with([',', ';', '.', '?']);
        if !self.line.is_empty() && !close && !self.line.ends_with(['(', '[']) {
            self.line.push(' ');
        }
        self.line.push_str(&written);
    }

    fn end(&mut self) {
        if !self.line.is_empty() {
            self.done.push_str(&"    ".repeat(self.depth));
            self.done.push_str(&self.line);
            self.done.push('\n');
            self.line.clear();
        }
    }
}

/// Whether the group takes lines of its own: braces with something in them, and what has such braces inside.
fn opens(group: &Group) -> bool {
    if group.delimiter() == Delimiter::Brace {
        return !group.stream().is_empty();
    }
    group.stream().into_iter().any(|token| matches!(&token, TokenTree::Group(inner) if opens(inner)))
}

#[cfg(test)]
mod tests {
    use super::lines;
    use quote::quote;

    #[test]
    fn statements_and_braces_end_lines() {
        let tokens = quote! {
            #[derive(Clone)]
            pub struct A { x: Vec<f32>, y: [u8; 2] }
            impl A {
                fn f(&self, n: usize) -> Option<u32> {
                    let t = self.g(|x| { x + 1 })?;
                    if n > 2 { t } else { other(n, &[1, 2]) }
                }
            }
            struct Empty {}
        };
        let expected = "\
#[derive(Clone)]
pub struct A {
    x: Vec<f32>,
    y: [u8; 2]
}
impl A {
    fn f(&self, n: usize) -> Option<u32> {
        let t = self.g(
            | x | {
                x + 1
            }
        )?;
        if n > 2 {
            t
        } else {
            other(n, &[1, 2])
        }
    }
}
struct Empty {  }
";
        assert_eq!(lines(&tokens), expected);
    }
}
