//! How something is trained, said in other words than attributes: the names of groups that are meant, and what stands for keys.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Attribute, Meta};

/// What a group is called in a hint where nothing is said.
const EXAMPLE: &str = "no_decay";

/// The name that is meant where another form is given, the words of the first value joined, and whether there are more names: a setting
/// behind the first, `rate = 0.1`, is none.
pub(super) fn meant(given: TokenStream) -> (String, bool) {
    let is = |token: &TokenTree, letter: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter);
    let tokens: Vec<TokenTree> = given.into_iter().collect();
    let mut values = tokens.split(|token| is(token, ','));
    let first = values.next().unwrap_or_default();
    let more = values.any(|value| !value.is_empty() && !value.iter().any(|token| is(token, '=')));
    let value = match first.iter().position(|token| is(token, '=')) {
        Some(equals) if first[..equals].iter().all(|token| token.to_string() == "name") => &first[equals + 1..],
        // A setting, `weight_decay = 0.0`.
        Some(_) => &[],
        None => first,
    };
    let words = value.iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        TokenTree::Literal(text) => syn::parse_str::<syn::LitStr>(&text.to_string()).ok().map(|text| text.value()),
        _ => None,
    });
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    let name: String = words.collect::<Vec<_>>().join("_").chars().map(plain).collect();
    match syn::parse_str::<Ident>(&name) {
        Ok(_) if name != "_" => (name, more),
        _ => (EXAMPLE.to_owned(), more),
    }
}

/// Whether an attribute of another name says that a field is not trained: `#[freeze]`, `#[trainable(false)]`.
pub(super) fn says_frozen(attr: &Attribute) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| attr.path().is_ident(name));
    let value = match &attr.meta {
        Meta::Path(_) => None,
        Meta::List(list) => Some(list.tokens.to_string()),
        Meta::NameValue(pair) => Some(super::text(&pair.value)),
    };
    match value.as_deref() {
        Some("false") => is(&["trainable", "trained", "requires_grad"]),
        value => {
            is(&["freeze", "freezed", "froze", "no_grad", "untrained"]) && matches!(value, None | Some("true" | ""))
        }
    }
}

/// What there is in place of a key that says how something is trained.
pub(super) fn key(name: &str, value: &str) -> Option<String> {
    let set = |group: &str, setting: &str| {
        format!(
            "an optimizer has it for a group of fields: write `#[group({group})]` above the field, and \
             `.group(\"{group}\", ParameterGroup::new().{setting})` of the optimizer"
        )
    };
    Some(match name {
        "frozen" | "freeze" | "trainable" | "requires_grad" => {
            "what is not trained has an attribute of its own above its field: `#[frozen]`".to_string()
        }
        // A number is one of `groups`, of a convolution.
        "group" | "param_group" | "parameter_group" if !value.starts_with(|first: char| first.is_ascii_digit()) => {
            let (group, _) = meant(value.parse().unwrap_or_default());
            format!(
                "the group that optimizers step it in has an attribute of its own above its field: `#[group({group})]`"
            )
        }
        "weight_decay" | "decay" | "l2" => set(EXAMPLE, &format!("weight_decay({value})")),
        "lr" | "learning_rate" | "lr_scale" => set("slow", "rate(0.1)"),
        _ => return None,
    })
}
