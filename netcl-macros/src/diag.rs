//! The errors of one item, all of them, and the table from the compiler's opaque spans to tokens.
//!
//! By hand, and not `proc-macro-error2` or `darling`: errors of the compiler point at tokens by number, and the item goes on.

use crate::messages::{ATTRIBUTE_FORM, Message};
use crate::recover;
use netcl_kernels::span::{Diagnostic, Span as Id};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::cell::{Cell, RefCell};
use std::fmt::Display;

/// Collects errors; reporting never stops the caller. Must be asked with [`Diag::finish`] before it is dropped.
#[derive(Default)]
pub(crate) struct Diag {
    errors: RefCell<Vec<(Span, String)>>,
    places: RefCell<Vec<Span>>,
    checked: Cell<bool>,
    /// Where the item stands that the errors are of.
    item: Cell<Option<Span>>,
    /// What rustc is asked where nothing is wrong.
    asked: RefCell<Vec<TokenStream>>,
    /// What errors are told with from now on: ` (where `C = 64` of `Block`)`.
    within: RefCell<Option<String>>,
    /// Lists of messages, the innermost last: what is not in all of them is not taken.
    only: RefCell<Vec<&'static [Message]>>,
    /// How many errors have not been taken, or were known.
    unheard: Cell<usize>,
}

/// What had been said at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    errors: usize,
    unheard: usize,
    lists: usize,
}

impl Diag {
    pub(crate) fn new() -> Self {
        Diag::default()
    }

    /// Errors at tokens that a hidden macro has carried here, as those of a model's struct to its block, are shown as if these
    /// were the item's own: rustc would tell of the macro.
    pub(crate) fn of_item(&self, place: Span) {
        self.item.set(Some(place));
    }

    /// What errors are told with from now on; gives what they were told with.
    pub(crate) fn within(&self, note: Option<String>) -> Option<String> {
        self.within.replace(note)
    }

    /// Takes no other messages from now on than these of those that it takes now, until it is told to [go back](Diag::go_back).
    pub(crate) fn only(&self, messages: &'static [Message]) -> Said {
        let said = self.said();
        self.only.borrow_mut().push(messages);
        said
    }

    /// Takes what it took then, and counts what it has not taken since as no mistakes.
    pub(crate) fn go_back(&self, then: Said) {
        self.only.borrow_mut().truncate(then.lists);
        self.unheard.set(then.unheard);
    }

    /// Whether no message at all is taken.
    pub(crate) fn is_deaf(&self) -> bool {
        self.only.borrow().iter().any(|list| list.is_empty())
    }

    /// Reports `message` with `values` in its gaps.
    pub(crate) fn report(&self, span: Span, message: &Message, values: &[&dyn Display]) {
        match self.takes(message) {
            true => self.say(span, message.fill(values)),
            false => self.unheard.set(self.unheard.get() + 1),
        }
    }

    fn takes(&self, message: &Message) -> bool {
        self.only.borrow().iter().all(|list| list.iter().any(|taken| taken.name == message.name))
    }

    /// The same, unless it has been said in these words of another place.
    pub(crate) fn once(&self, span: Span, message: &Message, values: &[&dyn Display]) {
        let text = message.fill(values);
        let said = self.errors.borrow().iter().any(|(_, known)| *known == text);
        match self.takes(message) && !said {
            true => self.say(span, text),
            false => self.unheard.set(self.unheard.get() + 1),
        }
    }

    /// The same, once for an item, whatever it is of: other places often have the same cause.
    pub(crate) fn first(&self, span: Span, message: &Message, values: &[&dyn Display]) {
        let said = self.errors.borrow().iter().any(|(_, known)| message.fits(known));
        match self.takes(message) && !said {
            true => self.say(span, message.fill(values)),
            false => self.unheard.set(self.unheard.get() + 1),
        }
    }

    /// Reports what the parser says about `tokens`, each part at its own place. `end` is what follows them.
    pub(crate) fn syntax(&self, error: &syn::Error, tokens: &TokenStream, end: (Span, &str)) {
        for (span, text) in recover::explain(error, tokens, end) {
            self.push(span, text);
        }
    }

    /// Reports what the parser says about an attribute's arguments, which look like `form`.
    pub(crate) fn in_attribute(&self, error: &syn::Error, attr: &syn::Attribute, form: &str) {
        let name = crate::parse::text(attr.path());
        let said = match &attr.meta {
            syn::Meta::List(list) => recover::explain(error, &list.tokens, (list.delimiter.span().close(), "`)`")),
            other => recover::explain(error, &other.to_token_stream(), (attr.bracket_token.span.close(), "`]`")),
        };
        for (span, text) in said {
            self.push(span, ATTRIBUTE_FORM.fill(&[&text, &name, &form]));
        }
    }

    /// Reports what the compiler says, at its own place or at `otherwise`.
    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic, otherwise: Span) {
        self.push(self.place(diagnostic.span).unwrap_or(otherwise), diagnostic.to_string());
    }

    /// Has rustc say what no macro can know, once for each question.
    pub(crate) fn ask(&self, question: TokenStream) {
        let mut asked = self.asked.borrow_mut();
        if !asked.iter().any(|known| known.to_string() == question.to_string()) {
            asked.push(question);
        }
    }

    /// What it is asked.
    pub(crate) fn asked(&self) -> TokenStream {
        self.asked.borrow().iter().cloned().collect()
    }

    /// The compiler's name for a place.
    pub(crate) fn id(&self, span: Span) -> Id {
        let mut places = self.places.borrow_mut();
        places.push(span);
        Id(places.len() as u32 - 1)
    }

    /// The place that the compiler has a name for.
    pub(crate) fn place(&self, id: Id) -> Option<Span> {
        self.places.borrow().get(id.0 as usize).copied()
    }

    /// How many mistakes there have been so far, also those that were not taken or known already.
    pub(crate) fn count(&self) -> usize {
        self.errors.borrow().len() + self.unheard.get()
    }

    /// What has been said so far.
    pub(crate) fn said(&self) -> Said {
        Said { errors: self.errors.borrow().len(), unheard: self.unheard.get(), lists: self.only.borrow().len() }
    }

    /// Whether an error has been said since.
    pub(crate) fn has_said_since(&self, then: Said) -> bool {
        self.errors.borrow().len() > then.errors
    }

    /// The errors as `compile_error!`s, if there are any.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        self.checked.set(true);
        let errors = self.errors.borrow();
        let mut all: Option<syn::Error> = None;
        for (span, text) in errors.iter() {
            let span = self.item.get().map_or(*span, |item| span.resolved_at(item));
            let error = syn::Error::new(span, text);
            match &mut all {
                Some(all) => all.combine(error),
                None => all = Some(error),
            }
        }
        match all {
            Some(all) => Err(all.to_compile_error()),
            None => Ok(()),
        }
    }

    /// The errors, and `rest` behind them.
    pub(crate) fn before(self, rest: TokenStream) -> TokenStream {
        let mut all = self.finish().err().unwrap_or_default();
        all.extend(rest);
        all
    }

    /// Takes over the errors of `other`.
    pub(crate) fn absorb(&self, other: Diag) {
        other.checked.set(true);
        for (span, text) in other.errors.take() {
            self.push(span, text);
        }
    }

    /// The errors that are not among those of `said`.
    pub(crate) fn beyond(self, said: Diag) -> Diag {
        said.checked.set(true);
        let known = said.errors.take();
        self.errors.borrow_mut().retain(|error| !has(&known, error));
        self
    }

    /// Forgets what has been said since then; gives it.
    pub(crate) fn take_back(&self, then: Said) -> Vec<(Span, String)> {
        self.unheard.set(then.unheard);
        self.errors.borrow_mut().drain(then.errors..).collect()
    }

    /// Forgets the errors: somebody else has reported them.
    pub(crate) fn dismiss(self) {
        self.checked.set(true);
    }

    fn push(&self, span: Span, text: String) {
        match self.only.borrow().is_empty() {
            true => self.say(span, text),
            false => self.unheard.set(self.unheard.get() + 1),
        }
    }

    fn say(&self, span: Span, mut text: String) {
        if let Some(note) = &*self.within.borrow() {
            text.insert_str(text.find("\nhint: ").unwrap_or(text.len()), note);
        }
        // A function is lowered once for each path through it: one mistake is one error.
        let (mut errors, error) = (self.errors.borrow_mut(), (span, text));
        match has(&errors, &error) {
            true => self.unheard.set(self.unheard.get() + 1),
            false => errors.push(error),
        }
    }
}

/// Whether the same is said at the same place.
fn has(errors: &[(Span, String)], (span, text): &(Span, String)) -> bool {
    let place = format!("{span:?}");
    errors.iter().any(|(other, known)| known == text && format!("{other:?}") == place)
}

impl Drop for Diag {
    fn drop(&mut self) {
        if !self.checked.get() && !std::thread::panicking() {
            panic!("errors were collected and not looked at");
        }
    }
}

/// The errors, and the rest that is made of the item all the same.
pub(crate) fn with_errors(diag: Diag, rest: impl FnOnce() -> TokenStream) -> TokenStream {
    let mut tokens = diag.finish().err().unwrap_or_default();
    tokens.extend(rest());
    tokens
}
