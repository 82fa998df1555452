//! Where generated code finds netcl: `::netcl`, unless the crate that it is compiled in has another name for it.
//!
//! By hand, and not `proc-macro-crate`: that reads `Cargo.toml`, which knows nothing of crates that another one exports.
//!
//! Generated code is written for `::netcl`, and that is replaced at the end. The name is, in this order: what the user says
//! (`#[netcl::model(crate = facade::netcl)]`), the path by which the macro is called where that begins with a crate
//! (`#[facade::netcl::model]`), and the name that rustc is given for netcl's library, which tells a dependency that is renamed.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;
use syn::parse::Parser;

/// A path to netcl.
#[derive(Clone)]
pub(crate) struct Root(Option<TokenStream>);

impl Root {
    /// `::netcl`.
    pub(crate) const USUAL: Root = Root(None);

    /// Of a macro that is called at `place`, whose arguments say `said`.
    pub(crate) fn of(said: Option<syn::Path>, place: Option<String>) -> Root {
        let path = said.map(|path| path.segments.iter().map(|part| part.ident.to_string()).collect());
        let path = path.or_else(|| place.as_deref().and_then(|text| called(text, &EXTERNS)));
        path.or_else(|| renamed(&EXTERNS)).map_or(Root::USUAL, |path| Root::path(&path))
    }

    /// What [`Root::tokens`] gave.
    pub(crate) fn read(tokens: TokenStream) -> Root {
        Root((tokens.to_string() != quote!(::netcl).to_string()).then_some(tokens))
    }

    /// The tokens that stand for the path in what is generated, and become it.
    pub(crate) fn tokens() -> TokenStream {
        quote!(::netcl)
    }

    /// A path from a crate on, this one or another.
    fn path(path: &[String]) -> Root {
        let names = path.iter().map(|name| Ident::new(name, Span::call_site()));
        match path.first().map(String::as_str) {
            Some("crate") => Root(Some(quote!(#(#names)::*))),
            Some("netcl") if path.len() == 1 => Root::USUAL,
            _ => Root(Some(quote!(#(::#names)*))),
        }
    }

    /// What is generated, with this path where it says `::netcl`.
    pub(crate) fn applied(&self, generated: TokenStream) -> TokenStream {
        match &self.0 {
            Some(path) => replaced(generated, path),
            None => generated,
        }
    }
}

/// Whether the last of these is a lifetime's name: `&'static ::netcl::Device`.
fn lifetime(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., TokenTree::Punct(mark), TokenTree::Ident(_)] if mark.as_char() == '\'')
}

fn replaced(tokens: TokenStream, path: &TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut all = Vec::with_capacity(tokens.len());
    let mut position = 0;
    while position < tokens.len() {
        let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
        // After a name or `>` it goes on with a path, but for `impl<..> ::netcl::Model`: nothing behind an argument is a module.
        let goes_on = || colon(position + 3) && colon(position + 4);
        let begins = || match position.checked_sub(1).map(|before| &tokens[before]) {
            Some(TokenTree::Ident(before)) => {
                KEYWORDS.iter().any(|word| before == word) || lifetime(&tokens[..position])
            }
            Some(TokenTree::Punct(before)) => before.as_char() != '>' || goes_on() || arrow(&tokens[..position]),
            _ => true,
        };
        match (&tokens[position], tokens.get(position + 2)) {
            (_, Some(TokenTree::Ident(name)))
                if colon(position) && colon(position + 1) && name == "netcl" && begins() =>
            {
                all.extend(at(path, name.span()));
                position += 3;
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Group::new(group.delimiter(), replaced(group.stream(), path));
                inner.set_span(group.span());
                all.push(TokenTree::Group(inner));
                position += 1;
            }
            (token, _) => {
                all.push(token.clone());
                position += 1;
            }
        }
    }
    all.into_iter().collect()
}

/// Words after which a path begins.
const KEYWORDS: [&str; 11] = ["as", "use", "impl", "for", "in", "return", "dyn", "mut", "const", "where", "match"];

/// Whether the tokens end with `->`.
fn arrow(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Punct(dash), _] if dash.as_char() == '-' && dash.spacing() == Spacing::Joint)
}

/// The path, all of it at `span`.
fn at(path: &TokenStream, span: Span) -> impl Iterator<Item = TokenTree> {
    path.clone().into_iter().map(move |mut token| {
        token.set_span(span);
        token
    })
}

/// `crate = path` among the arguments of an attribute, and the others.
pub(crate) fn taken(args: TokenStream) -> (Option<syn::Path>, TokenStream) {
    let mut said = None;
    let mut others: Vec<TokenStream> = Vec::new();
    for part in split(args) {
        match Parser::parse2(key, part.clone()) {
            Ok(path) if said.is_none() => said = Some(path),
            _ => others.push(part),
        }
    }
    (said, quote!(#(#others),*))
}

/// `#![netcl(crate = path)]` before kernels, and the kernels.
pub(crate) fn taken_inner(input: TokenStream) -> (Option<syn::Path>, TokenStream) {
    let tokens: Vec<TokenTree> = input.clone().into_iter().collect();
    let punct = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == wanted);
    if let (true, true, Some(TokenTree::Group(attribute))) = (punct(0, '#'), punct(1, '!'), tokens.get(2)) {
        let inner: Vec<TokenTree> = attribute.stream().into_iter().collect();
        if let [TokenTree::Ident(name), TokenTree::Group(args)] = inner.as_slice()
            && name == "netcl"
            && args.delimiter() == Delimiter::Parenthesis
            && let (Some(said), _) = taken(args.stream())
        {
            return (Some(said), tokens[3..].iter().cloned().collect());
        }
    }
    (None, input)
}

fn key(input: syn::parse::ParseStream<'_>) -> syn::Result<syn::Path> {
    input.parse::<syn::Token![crate]>()?;
    input.parse::<syn::Token![=]>()?;
    if input.peek(syn::LitStr) { input.parse::<syn::LitStr>()?.parse() } else { input.parse() }
}

/// The arguments between commas.
fn split(args: TokenStream) -> Vec<TokenStream> {
    let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',');
    let tokens: Vec<TokenTree> = args.into_iter().collect();
    let parts = tokens.split(comma).filter(|part| !part.is_empty());
    parts.map(|part| part.iter().cloned().collect()).collect()
}

/// The path before the macro's name where it is called, if it begins with a crate: one of `externs` or this one.
fn called(place: &str, externs: &[(String, String)]) -> Option<Vec<String>> {
    let start = place.trim_start_matches(['#', '!', '[', ' ', ':']);
    let end = start.find(|c: char| !(c.is_alphanumeric() || "_: ".contains(c))).unwrap_or(start.len());
    let mut path: Vec<String> = start[..end].split("::").map(|name| name.trim().to_owned()).collect();
    path.pop();
    let sound =
        !path.is_empty() && path.iter().all(|name| name == "crate" || syn::parse_str::<syn::Ident>(name).is_ok());
    let first = path.first()?;
    // netcl itself calls the macros by their own crate.
    let known = first == "crate" || first != "netcl_macros" && externs.iter().any(|(name, _)| name == first);
    (sound && known).then_some(path)
}

/// The name of netcl where it is another.
fn renamed(externs: &[(String, String)]) -> Option<Vec<String>> {
    if externs.iter().any(|(name, _)| name == "netcl") {
        return None;
    }
    externs.iter().find(|(_, library)| library == "netcl").map(|(name, _)| vec![name.clone()])
}

/// The crates that rustc has been given, and their libraries' names.
static EXTERNS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let args: Vec<String> = std::env::args_os().filter_map(|arg| arg.into_string().ok()).collect();
    let listed =
        args.iter().filter_map(|arg| arg.strip_prefix('@')).filter_map(|file| std::fs::read_to_string(file).ok());
    let listed: Vec<String> = listed.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    externs(args.into_iter().chain(listed))
});

/// Those of `--extern name=library`.
fn externs(args: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut follows = false;
    for arg in args {
        let given = arg.strip_prefix("--extern=").or(Some(&*arg).filter(|_| follows));
        if let Some((name, file)) = given.and_then(|given| given.split_once('=')) {
            let stem = Path::new(file).file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let library = stem.strip_prefix("lib").unwrap_or(stem);
            let library = library.rsplit_once('-').map_or(library, |(library, _)| library);
            let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
            all.push((name.to_owned(), library.to_owned()));
        }
        follows = arg == "--extern";
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> Vec<(String, String)> {
        let args =
            ["rustc", "--extern", "nc=/t/libnetcl-0a1b.rmeta", "--extern=priv:facade=/t/libfacade-22.rlib", "--extern"];
        let more = ["netcl_runtime=/t/libnetcl_runtime-77.rlib", "--edition=2024"];
        externs(args.into_iter().chain(more).map(String::from))
    }

    #[test]
    fn a_renamed_dependency_is_found_by_its_library() {
        let pair = |name: &str, library: &str| (name.to_owned(), library.to_owned());
        assert_eq!(given(), [pair("nc", "netcl"), pair("facade", "facade"), pair("netcl_runtime", "netcl_runtime")]);
        assert_eq!(renamed(&given()), Some(vec!["nc".to_owned()]));
        assert_eq!(renamed(&[pair("netcl", "netcl"), pair("nc", "netcl")]), None);
        assert_eq!(renamed(&[]), None);
    }

    #[test]
    fn the_path_of_a_call_counts_where_it_begins_with_a_crate() {
        let found = |place: &str| called(place, &given()).map(|path| path.join("::"));
        assert_eq!(found("#[facade::netcl::model]").as_deref(), Some("facade::netcl"));
        assert_eq!(found("#[nc::model(block = training)]").as_deref(), Some("nc"));
        assert_eq!(found("::facade::netcl::kernel! { fn f() {} }").as_deref(), Some("facade::netcl"));
        assert_eq!(found("crate::net::kernel!{}").as_deref(), Some("crate::net"));
        for unknown in
            ["#[model]", "kernel! {}", "#[alias::model]", "#[$crate::netcl::model]", "", "#[netcl_macros::model]"]
        {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn paths_are_replaced_where_they_begin() {
        let root = Root::path(&["facade".to_owned(), "netcl".to_owned()]);
        let text = |tokens: TokenStream| root.applied(tokens).to_string();
        let generated = quote!(
            fn f(x: &::netcl::Tensor) -> ::netcl::Result<()> {
                <T as ::netcl::Model>::f;
                a::netcl::b
            }
        );
        let wanted = quote!(
            fn f(x: &::facade::netcl::Tensor) -> ::facade::netcl::Result<()> {
                <T as ::facade::netcl::Model>::f;
                a::netcl::b
            }
        );
        assert_eq!(text(generated), wanted.to_string());
        assert_eq!(
            text(quote!(impl ::netcl::Model for Net {})),
            quote!(impl ::facade::netcl::Model for Net {}).to_string()
        );
        let (params, model) = (quote!(<const C: usize, A: ::netcl::Module>), quote!(B<C, A>));
        let generated = text(quote!(impl #params ::netcl::Model for #model { fn f() -> &'static ::netcl::Device {} }));
        let params = quote!(<const C: usize, A: ::facade::netcl::Module>);
        let wanted =
            quote!(impl #params ::facade::netcl::Model for #model { fn f() -> &'static ::facade::netcl::Device {} });
        assert_eq!(generated, wanted.to_string());
        let own = quote!(<T>::netcl());
        assert_eq!(text(own.clone()), own.to_string());
        let back = Root::read(root.applied(Root::tokens()));
        assert_eq!(back.applied(Root::tokens()).to_string(), quote!(::facade::netcl).to_string());
        assert_eq!(Root::read(Root::tokens()).applied(Root::tokens()).to_string(), quote!(::netcl).to_string());
    }

    #[test]
    fn the_crate_is_an_argument_among_others() {
        let (said, others) = taken(quote!(crate = facade::netcl, block = training));
        assert_eq!(
            (quote!(#said).to_string(), others.to_string()),
            ("facade :: netcl".into(), "block = training".into())
        );
        let (said, others) = taken(quote!(crate = "nc"));
        assert_eq!((quote!(#said).to_string(), others.is_empty()), ("nc".into(), true));
        let (said, others) = taken(quote!(block = training));
        assert!(said.is_none() && others.to_string() == "block = training");
        let (said, kernels) = taken_inner(quote!(#![netcl(crate = crate::net)] fn f() {}));
        assert_eq!((quote!(#said).to_string(), kernels.to_string()), ("crate :: net".into(), "fn f () { }".into()));
        assert!(
            taken_inner(quote!(
                fn f() {}
            ))
            .0
            .is_none()
        );
    }
}
