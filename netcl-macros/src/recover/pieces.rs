//! Cutting tokens where items, fields and arguments end, whatever stands in them.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Words that stand before `fn`.
const QUALIFIERS: [&str; 6] = ["pub", "const", "async", "unsafe", "extern", "default"];

/// The tokens of one item.
pub(crate) struct Piece {
    pub(crate) tokens: TokenStream,
    /// What follows it, if anything does: where the parser finds something else than it expects at its end.
    pub(crate) next: Option<TokenTree>,
}

/// How deep in angle brackets a token stands. Arrows are none.
#[derive(Default)]
struct Angles {
    depth: usize,
    joined: bool,
}

impl Angles {
    fn see(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            self.joined = false;
            return;
        };
        match punct.as_char() {
            '<' => self.depth += 1,
            '>' if !self.joined => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.joined = matches!(punct.as_char(), '-' | '=') && punct.spacing() == Spacing::Joint;
    }
}

/// The items of a block: each ends with its braces or its semicolon, or where the next function begins.
pub(crate) fn pieces(tokens: TokenStream) -> Vec<Piece> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut cuts = Vec::new();
    let (mut start, mut angles) = (0, Angles::default());
    for at in 0..trees.len() {
        angles.see(&trees[at]);
        let ends = match &trees[at] {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                angles.depth == 0 && !is_value(&trees[start..at])
            }
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Ident(word) if word == "fn" && matches!(trees.get(at + 1), Some(TokenTree::Ident(_))) => {
                let begin = start + prefix(&trees[start..at]);
                if begin > start {
                    cuts.push(begin);
                    start = begin;
                }
                angles = Angles::default();
                false
            }
            _ => false,
        };
        if ends {
            start = at + 1;
            angles = Angles::default();
            cuts.push(start);
        }
    }
    if cuts.last() != Some(&trees.len()) {
        cuts.push(trees.len());
    }
    let mut start = 0;
    let piece = |end| {
        let tokens = trees[start..end].iter().cloned().collect();
        start = end;
        Piece { tokens, next: trees.get(end).cloned() }
    };
    cuts.into_iter().map(piece).filter(|piece| !piece.tokens.is_empty()).collect()
}

/// Whether a `const` or `static` begins here, in whose value braces may stand.
fn is_value(trees: &[TokenTree]) -> bool {
    let words = |wanted: [&str; 2]| {
        trees.iter().any(|token| matches!(token, TokenTree::Ident(word) if wanted.iter().any(|wanted| word == wanted)))
    };
    words(["const", "static"]) && !words(["fn", "impl"])
}

/// How many of the tokens stand before the attributes and qualifiers that end them.
fn prefix(trees: &[TokenTree]) -> usize {
    let mut begin = trees.len();
    while let Some(before) = begin.checked_sub(1) {
        let pair = before.checked_sub(1).map(|first| &trees[first]);
        begin = match (&trees[before], pair) {
            (TokenTree::Ident(word), _) if QUALIFIERS.iter().any(|known| word == known) => before,
            // `extern "C"`, `pub (crate)`, `#[inline]`.
            (TokenTree::Literal(_), Some(TokenTree::Ident(word))) if word == "extern" => before - 1,
            (TokenTree::Group(group), Some(TokenTree::Ident(word)))
                if group.delimiter() == Delimiter::Parenthesis && word == "pub" =>
            {
                before - 1
            }
            (TokenTree::Group(group), Some(TokenTree::Punct(punct)))
                if group.delimiter() == Delimiter::Bracket && punct.as_char() == '#' =>
            {
                before - 1
            }
            _ => break,
        };
    }
    begin
}

/// The tokens between commas that stand in no angle brackets: arguments, or elements of a tuple.
pub(super) fn arguments(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![Vec::new()];
    let mut angles = Angles::default();
    for token in tokens {
        angles.see(&token);
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' && angles.depth == 0 => parts.push(Vec::new()),
            _ => parts.last_mut().expect("there is always one").push(token),
        }
    }
    parts.into_iter().map(TokenStream::from_iter).filter(|part| !part.is_empty()).collect()
}

/// The fields of a struct. Where a comma or a closing bracket is missing, one ends where the next has its attributes or
/// its name and colon.
pub(super) fn fields(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = Vec::new();
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, sign: char| matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    let colon = |at: usize| is(at, ':') && !is(at + 1, ':') && !(at > 0 && is(at - 1, ':'));
    let word = |at: usize| matches!(&trees[at], TokenTree::Ident(_));
    let (mut start, mut angles, mut named, mut typed) = (0, Angles::default(), false, false);
    for at in 0..trees.len() {
        angles.see(&trees[at]);
        let separates = is(at, ',') && angles.depth == 0;
        let begins = (named && is(at, '#')) || (typed && word(at) && colon(at + 1));
        if separates || begins {
            let end = match at.checked_sub(1) {
                Some(before) if begins && matches!(&trees[before], TokenTree::Ident(word) if word == "pub") => before,
                _ => at,
            };
            parts.push(&trees[start..end]);
            start = end + usize::from(separates);
            (angles, named, typed) = (Angles::default(), false, false);
        }
        named |= word(at);
        typed |= colon(at);
    }
    parts.push(&trees[start..]);
    // A comma too many is the parser's to say: it refuses a field without tokens.
    let empty_last = parts.last().is_some_and(|part| part.is_empty());
    parts.truncate(parts.len() - usize::from(empty_last));
    parts.into_iter().map(|part| part.iter().cloned().collect()).collect()
}
