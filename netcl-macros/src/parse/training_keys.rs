//! How something is trained, said in other words than attributes: the names of groups that are meant, and what stands for keys.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// What a group is called in a hint where nothing is said.
const EXAMPLE: &str = "no_decay";

/// The name that is meant where another form is given, the words of the first value joined, and whether there are more values.
pub(super) fn meant(given: TokenStream) -> (String, bool) {
    let is = |token: &TokenTree, letter: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter);
    let tokens: Vec<TokenTree> = given.into_iter().collect();
    let mut values = tokens.split(|token| is(token, ','));
    let first = values.next().unwrap_or_default();
    let more = values.any(|value| !value.is_empty());
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
