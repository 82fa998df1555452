//! Carrying tokens between items on stable Rust.
//!
//! An item that others need (a model, a function of scalars, a constant) emits a hidden `macro_rules!` with its tokens.
//! Who needs them expands to a call of it, which calls back `__resume!` with the tokens and everything gathered before;
//! so one request follows another until all is there. Spans stay intact all the way. The macro of a `pub` item is exported,
//! so that other crates can ask too; its tokens are only compiled, never emitted, and need nothing of the crate they came
//! from.
//!
//! ```text
//! Block! { {::netcl::__private::__resume} { {nested Block} {gathered ..} {model_impl false {::netcl} body ..} } }
//!   ─▶ ::netcl::__private::__resume! { {tokens of Block} {nested Block} {gathered ..} {model_impl false {::netcl} body ..} }
//! ```
//!
//! Which requests there are, and what an item says before and after them, is in [`crate::rounds`].

use crate::paths;
use crate::root::Root;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// What kind of tokens an item gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// A model's struct, for its own `impl`.
    Table,
    /// A model with its functions, for models that have it as a field.
    Nested,
    /// A function of scalars.
    Function,
    /// A constant.
    Constant,
    /// A struct of tensors.
    Struct,
    /// Nothing: an item beside this one that has been refused, and would have brought the name.
    Refused,
}

impl ItemKind {
    const ALL: [ItemKind; 6] = [
        ItemKind::Table,
        ItemKind::Nested,
        ItemKind::Function,
        ItemKind::Constant,
        ItemKind::Struct,
        ItemKind::Refused,
    ];

    fn name(self) -> &'static str {
        match self {
            ItemKind::Table => "table",
            ItemKind::Nested => "nested",
            ItemKind::Function => "function",
            ItemKind::Constant => "constant",
            ItemKind::Struct => "tensors",
            ItemKind::Refused => "refused",
        }
    }
}

/// Something that an item needs from elsewhere.
#[derive(Clone)]
pub(crate) struct Need {
    pub(crate) kind: ItemKind,
    /// As the user wrote it.
    pub(crate) path: syn::Path,
}

/// Tokens gathered so far.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    /// By kind and path.
    pub(crate) parts: Vec<(ItemKind, String, TokenStream)>,
    /// Whether the item has been judged before its functions were asked for, and is wrong.
    pub(crate) judged: bool,
}

impl Gathered {
    /// The tokens that `path` gave.
    pub(crate) fn get(&self, kind: ItemKind, path: &syn::Path) -> Option<&TokenStream> {
        let wanted = crate::parse::text(path);
        self.parts.iter().find(|(known, name, _)| *known == kind && *name == wanted).map(|(_, _, tokens)| tokens)
    }

    /// Names that are known to be those of refused items.
    pub(crate) fn refused(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(|(kind, ..)| *kind == ItemKind::Refused).map(|(_, name, _)| name.as_str())
    }

    /// Whether nothing has been asked for yet.
    pub(crate) fn begins(&self) -> bool {
        self.parts.iter().all(|(kind, ..)| *kind == ItemKind::Refused)
    }

    /// As braces in pairs: what it is, and its tokens.
    pub(crate) fn tokens(&self) -> TokenStream {
        let parts = self.parts.iter().map(|(kind, path, tokens)| {
            let kind = Ident::new(kind.name(), proc_macro2::Span::call_site());
            quote!({ #kind #path } { #tokens })
        });
        quote!(#(#parts)*)
    }

    /// The same for an item that has been judged and is wrong.
    pub(crate) fn judged(&self) -> Gathered {
        Gathered { judged: true, ..self.clone() }
    }

    /// What had been gathered before functions were asked for.
    pub(crate) fn without_functions(&self) -> Gathered {
        let parts = self.parts.iter().filter(|(kind, ..)| *kind != ItemKind::Function).cloned().collect();
        Gathered { parts, judged: false }
    }
}

/// Those that have not been gathered.
pub(crate) fn left(gathered: &Gathered, needs: impl IntoIterator<Item = Need>) -> Vec<Need> {
    let known = |need: &Need| {
        let refused = |name: &syn::Ident| gathered.refused().any(|refused| *name == refused);
        gathered.get(need.kind, &need.path).is_some() || need.path.get_ident().is_some_and(refused)
    };
    needs.into_iter().filter(|need| !known(need)).collect()
}

/// Whether only functions are left, and none has been asked for: the moment to say what is wrong whatever these are.
pub(crate) fn begins_functions(gathered: &Gathered, needs: &[Need]) -> bool {
    let functions = |kind: ItemKind| kind == ItemKind::Function;
    !needs.is_empty()
        && needs.iter().all(|need| functions(need.kind))
        && !gathered.parts.iter().any(|(kind, ..)| functions(*kind))
}

/// Asks for what nobody goes on with: rustc says what does not exist.
pub(crate) fn asked(gathered: &Gathered, needs: &[Need]) -> TokenStream {
    needs.iter().map(|need| request(need, gathered, "nothing", &TokenStream::new())).collect()
}

/// A call of the macro behind `need.path`, which will go on with `driver` and `body`.
pub(crate) fn request(need: &Need, gathered: &Gathered, driver: &str, body: &TokenStream) -> TokenStream {
    let private = paths::private();
    let kind = Ident::new(need.kind.name(), proc_macro2::Span::call_site());
    let driver = Ident::new(driver, proc_macro2::Span::call_site());
    let mut path = need.path.clone();
    let text = crate::parse::text(&path);
    if need.kind == ItemKind::Table
        && let Some(last) = path.segments.last_mut()
    {
        last.ident = paths::table_macro(&last.ident);
    }
    // A type tells all its functions.
    if need.kind == ItemKind::Function && crate::parse::type_of(&path).is_some() {
        path = crate::parse::without_arguments(&crate::parse::without_last(&path));
    }
    // Where one of Rust's own macros has the name, a function answers inside the module of that name.
    let of_rust = path.segments.last().is_some_and(|last| paths::is_macro_of_rust(&last.ident));
    let inside = (of_rust && need.kind == ItemKind::Function).then(|| {
        let answer = paths::answer();
        quote!(::#answer)
    });
    let (judged, gathered, root) = (gathered.judged, gathered.tokens(), Root::tokens());
    quote! {
        #path #inside ! { { #private::__resume } { { #kind #text } { #gathered } { #driver #judged { #root } #body } } }
    }
}

/// The path that has been asked for, as the user wrote it, by what a request carries behind the answer.
pub(crate) fn asked_of(rest: TokenStream) -> Option<syn::Path> {
    syn::parse_str(&label(groups(rest)?.into_iter().next()?)?.1).ok()
}

/// What a call of `__resume!` carries: everything gathered, the driver's name and its body.
pub(crate) struct Resumed {
    pub(crate) gathered: Gathered,
    pub(crate) driver: String,
    /// Where what is generated finds netcl.
    pub(crate) root: Root,
    pub(crate) body: TokenStream,
}

/// Reads the input of `__resume!`; `None` if it is not what [`request`] makes.
pub(crate) fn resume(input: TokenStream) -> Option<Resumed> {
    let mut groups = groups(input)?.into_iter();
    let payload = groups.next()?;
    let (kind, path) = label(groups.next()?)?;
    let mut gathered = read(groups.next()?)?;
    gathered.parts.push((kind, path, payload));
    let mut body = groups.next()?.into_iter();
    let driver = body.next()?.to_string();
    gathered.judged = body.next()?.to_string() == "true";
    let TokenTree::Group(root) = body.next()? else { return None };
    Some(Resumed { gathered, driver, root: Root::read(root.stream()), body: body.collect() })
}

/// Reads what [`Gathered::tokens`] wrote.
pub(crate) fn read(tokens: TokenStream) -> Option<Gathered> {
    let mut gathered = Gathered::default();
    let mut groups = groups(tokens)?.into_iter();
    while let Some(key) = groups.next() {
        let (kind, path) = label(key)?;
        gathered.parts.push((kind, path, groups.next()?));
    }
    Some(gathered)
}

/// The contents of consecutive braces.
pub(crate) fn groups(tokens: TokenStream) -> Option<Vec<TokenStream>> {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
            _ => None,
        })
        .collect()
}

fn label(tokens: TokenStream) -> Option<(ItemKind, String)> {
    let mut tokens = tokens.into_iter();
    let kind = tokens.next()?.to_string();
    let kind = ItemKind::ALL.into_iter().find(|known| known.name() == kind)?;
    let path = syn::parse2::<syn::LitStr>(tokens.next()?.into_token_stream()).ok()?.value();
    Some((kind, path))
}

/// A macro that answers requests with `payload`, beside the item `name` and as visible as that: also from other crates.
pub(crate) fn export(name: &Ident, vis: &syn::Visibility, payload: &TokenStream) -> TokenStream {
    let public = matches!(vis, syn::Visibility::Public(_));
    // A macro for other crates gets its name at the root of this one, where items of one name in several modules meet.
    let exported = public.then(|| quote!(#[macro_export] #[allow(non_local_definitions)]));
    let hidden = if public { paths::public_macro(name, payload) } else { paths::export_macro(name) };
    answering(&hidden, quote!(as #name), exported, quote!(#vis), payload)
}

/// A kernel or a function of tensors, as `expanded`, that answers requests with `payload`. Where one of Rust's own macros has the name,
/// that stays what it is: the function answers inside the module of its name, which goes wherever the name does.
pub(crate) fn export_of_tensors(
    name: &Ident,
    vis: &syn::Visibility,
    payload: &TokenStream,
    expanded: TokenStream,
) -> TokenStream {
    if !paths::is_macro_of_rust(name) {
        let export = export(name, vis, payload);
        return quote!(#expanded #export);
    }
    let mut tokens: Vec<TokenTree> = expanded.into_iter().collect();
    let is = |token: Option<&TokenTree>, word: &str| matches!(token, Some(TokenTree::Ident(own)) if own == word);
    let own = name.to_string();
    let module = (0..tokens.len()).find(|&at| is(tokens.get(at), "mod") && is(tokens.get(at + 1), &own));
    let answering = answering_inside(name, vis, payload);
    match module.map(|at| &mut tokens[at + 2]) {
        Some(TokenTree::Group(body)) => {
            let (inner, span) = (body.stream(), body.span());
            *body = Group::new(Delimiter::Brace, quote!(#inner #answering));
            body.set_span(span);
            tokens.into_iter().collect()
        }
        _ => quote!(#(#tokens)* #[doc(hidden)] #vis mod #name { #answering }),
    }
}

/// The same of a function of numbers, which answers by its name as well, whatever macro that hides: also under another name, `as other`.
pub(crate) fn export_of_numbers(name: &Ident, vis: &syn::Visibility, payload: &TokenStream) -> TokenStream {
    let export = export(name, vis, payload);
    let inside = paths::is_macro_of_rust(name).then(|| {
        let answering = answering_inside(name, vis, payload);
        quote!(#[doc(hidden)] #vis mod #name { #answering })
    });
    quote!(#export #inside)
}

/// What the module of a function's name has to answer requests with.
fn answering_inside(name: &Ident, vis: &syn::Visibility, payload: &TokenStream) -> TokenStream {
    let (answer, public) = (paths::answer(), matches!(vis, syn::Visibility::Public(_)));
    let (exported, vis) = match public {
        true => (Some(quote!(#[macro_export] #[allow(non_local_definitions)])), quote!(pub)),
        false => (None, quote!(pub(crate))),
    };
    let hidden = quote::format_ident!("{}_inside", paths::public_macro(name, payload));
    answering(&hidden, quote!(as #answer), exported, vis, payload)
}

/// The same where there may be one of that name already, which stays what it is meant to be.
pub(crate) fn export_behind(name: &Ident, payload: &TokenStream) -> TokenStream {
    let module = quote::format_ident!("__netcl_behind_{}", paths::public_macro(name, payload));
    let macros = answering(&paths::export_macro(name), quote!(as #name), None, quote!(pub(crate)), payload);
    quote! {
        #[doc(hidden)]
        mod #module { #macros }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #module::*;
    }
}

/// The macro `hidden` that answers a model's `impl` block with `payload`, in `vis` as far as this crate goes.
pub(crate) fn table(hidden: &Ident, vis: &syn::Visibility, payload: &TokenStream) -> TokenStream {
    let vis = match vis {
        syn::Visibility::Public(_) => quote!(pub(crate)),
        narrower => quote!(#narrower),
    };
    answering(hidden, quote!(), None, vis, payload)
}

/// The same of a struct that needs constants: `driver` asks for them, and answers what has asked.
pub(crate) fn asking(hidden: &Ident, vis: &syn::Visibility, driver: &str, item: &TokenStream) -> TokenStream {
    let vis = match vis {
        syn::Visibility::Public(_) => quote!(pub(crate)),
        narrower => quote!(#narrower),
    };
    let (private, root, driver) =
        (paths::private(), Root::tokens(), Ident::new(driver, proc_macro2::Span::call_site()));
    // Nothing has been asked for yet: what stands in its place is of no kind that a struct needs.
    let nothing = Ident::new(ItemKind::Struct.name(), proc_macro2::Span::call_site());
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ({ $($callback:tt)* } { $($rest:tt)* }) => {
                #private::__resume! {
                    {} { #nothing "" } {}
                    { #driver false { #root } { #item } { $($callback)* } { $($rest)* } }
                }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        #vis use #hidden;
    }
}

fn answering(
    hidden: &Ident,
    rename: TokenStream,
    exported: Option<TokenStream>,
    vis: TokenStream,
    payload: &TokenStream,
) -> TokenStream {
    let payload = braces(payload.clone());
    quote! {
        #[doc(hidden)]
        #exported
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ({ $($callback:tt)* } { $($rest:tt)* }) => {
                $($callback)* ! { #payload $($rest)* }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        #vis use #hidden #rename;
    }
}

/// The tokens in braces.
pub(crate) fn braces(tokens: TokenStream) -> TokenTree {
    TokenTree::Group(Group::new(Delimiter::Brace, tokens))
}
