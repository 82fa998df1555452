//! Items of this repository with tokens left out, doubled, exchanged and put in, as they are while somebody writes them.

use super::{Draw, faults, tried};
use crate::tests::{Crate, Marked, marked};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folders with files that use the macros.
const FOLDERS: [&str; 4] = ["tests/messages/ui", "tests/tests", "examples/src", "netcl/src/optim"];
/// What is put in, beside the tokens of other items.
const ODD: &str = "0 1 -1 4294967296 18446744073709551615 18446744073709551616 1e400 0.0 1.5f64 3usize 'a' 'a \"text\" b\"bytes\" \
    self Self _ () {} [] | || .. ..= & && &mut mut dyn impl for if else match return break loop while let fn struct -> => :: : ; , ? \
    ! # ##[] @ $ Tensor Tensor<f32> Tensor<> <f32,N> f32 f16 bool N -N !N N*N N/0 r#type crate super async unsafe const 'static where \
    #[layer()] #[parameter] #[launch()] #[netcl::model] pub(crate) |x| |_,_| (x,) [0;3] [x;N] x.0 x[0] x[] ..x x.. *x x? x! x!() \
    x{} x::<f32>() {..} (..) \"\" 0x 0b1 1_ 1u8 true false |x:f32| <T> <const_N:usize> global_id(0) barrier() local!([f32;8])";

/// The texts of the files.
fn corpus() -> &'static [String] {
    static CORPUS: OnceLock<Vec<String>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        // The binary may be run elsewhere, in a checkout that the variable names.
        let own = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_string());
        let mut texts = Vec::new();
        for folder in FOLDERS {
            read(&Path::new(&own).join("..").join(folder), &mut texts);
        }
        assert!(texts.len() > 100, "the files of the repository are not there: {own}");
        texts
    })
}

fn read(folder: &Path, texts: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let parsed = syn::parse_file(&text).map(marked);
            // Names that are reserved look like the compiler's own in messages.
            let reserved = text.contains("__netcl");
            if !reserved && parsed.is_ok_and(|items| !items.is_empty()) {
                texts.push(text);
            }
        }
    }
}

fn items(draw: &mut Draw) -> Vec<Marked> {
    let corpus = corpus();
    let text = &corpus[draw.below(corpus.len())];
    syn::parse_file(text).map(marked).unwrap_or_default()
}

/// How many places for tokens there are, at any depth.
fn places(tokens: &TokenStream) -> usize {
    let within = |token: TokenTree| match token {
        TokenTree::Group(group) => 1 + places(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(within).sum()
}

/// A few tokens in a row, at any depth.
fn piece(draw: &mut Draw, tokens: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    if trees.is_empty() {
        return TokenStream::new();
    }
    let first = draw.below(trees.len());
    match &trees[first] {
        TokenTree::Group(group) if !draw.once_in(3) && !group.stream().is_empty() => piece(draw, &group.stream()),
        _ => {
            let count = 1 + draw.below(3);
            trees[first..].iter().take(count).cloned().collect()
        }
    }
}

/// All tokens, at any depth.
fn each(tokens: TokenStream, all: &mut Vec<TokenTree>) {
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            each(group.stream(), all);
        }
        all.push(tree);
    }
}

/// A token of the same kind as the one that stands there, so that the item stays Rust now and then.
fn alike(draw: &mut Draw, tree: TokenTree, others: &[TokenTree]) -> TokenTree {
    let operator = |tree: &TokenTree| matches!(tree, TokenTree::Punct(sign) if "+-*/%&|^<>=!".contains(sign.as_char()));
    let keyword = |tree: &TokenTree| syn::parse2::<syn::Ident>(tree.clone().into()).is_err();
    let fits = |other: &&TokenTree| match (&tree, *other) {
        (TokenTree::Ident(_), TokenTree::Ident(_)) => keyword(&tree) == keyword(other),
        (TokenTree::Literal(_), TokenTree::Literal(_)) => true,
        (TokenTree::Group(a), TokenTree::Group(b)) => a.delimiter() == b.delimiter(),
        (TokenTree::Punct(_), TokenTree::Punct(_)) => operator(&tree) && operator(other),
        _ => false,
    };
    let fitting: Vec<&TokenTree> = others.iter().filter(fits).collect();
    if fitting.is_empty() { tree } else { draw.of(&fitting).clone() }
}

/// The tokens with something changed at the place of that number: `put` stands there, or a token like it of the others.
fn changed(
    draw: &mut Draw,
    tokens: TokenStream,
    place: &mut usize,
    put: &TokenStream,
    others: &[TokenTree],
) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut result: Vec<TokenTree> = Vec::new();
    let mut position = 0;
    while position < trees.len() {
        let tree = trees[position].clone();
        position += 1;
        if *place == 0 {
            *place = usize::MAX;
            match draw.below(27) {
                0 | 1 => {}
                2 => result.extend([tree.clone(), tree]),
                3 => {
                    // Exchanged with what follows.
                    result.extend(trees.get(position).cloned());
                    result.push(tree);
                    position += 1;
                }
                4 | 5 => result.extend(put.clone()),
                6 => result.extend(put.clone().into_iter().chain([tree])),
                7 => {
                    let delimiter =
                        draw.of(&[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None]);
                    let count = draw.below(3);
                    let inner = std::iter::once(tree).chain(trees[position..].iter().take(count).cloned()).collect();
                    position += count;
                    result.push(TokenTree::Group(Group::new(delimiter, inner)));
                }
                8 => match tree {
                    TokenTree::Group(group) => result.extend(group.stream()),
                    // Here the item ends.
                    _ => break,
                },
                _ => result.push(alike(draw, tree, others)),
            }
            continue;
        }
        *place = place.saturating_sub(if *place == usize::MAX { 0 } else { 1 });
        result.push(match tree {
            TokenTree::Group(group) if *place != usize::MAX => {
                let mut inner = Group::new(group.delimiter(), changed(draw, group.stream(), place, put, others));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            tree => tree,
        });
    }
    result.into_iter().collect()
}

#[test]
fn items_of_changed_tokens() {
    tried("changed items", 240, |draw| {
        let mut items = items(draw);
        let other = self::items(draw);
        let mut others = Vec::new();
        items.iter().chain(&other).for_each(|item| each(item.item.clone(), &mut others));
        let rounds = 1 + draw.below(3);
        for _ in 0..rounds {
            let position = draw.below(items.len());
            let put = match draw.below(3) {
                0 => {
                    let from = draw.below(other.len());
                    piece(draw, &other[from].item)
                }
                1 => {
                    let from = draw.below(items.len());
                    piece(draw, &items[from].item)
                }
                _ => draw.word(ODD).replace("const_", "const ").parse().unwrap_or_default(),
            };
            let item = &mut items[position];
            let tokens = if draw.once_in(12) { &mut item.args } else { &mut item.item };
            let mut place = draw.below(places(tokens).max(1));
            *tokens = changed(draw, std::mem::take(tokens), &mut place, &put, &others);
        }
        let shown = items.iter().map(|item| format!("#[netcl::{}({})] {}", item.name, item.args, item.item));
        draw.is(&shown.collect::<Vec<_>>().join("\n"));
        let mut own = Crate::default();
        items.into_iter().for_each(|item| own.mark(item));
        match faults(&own) {
            faults if faults.is_empty() => Ok(own.errors().is_empty()),
            faults => Err(faults),
        }
    });
}
