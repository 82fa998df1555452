//! The rounds of an item that needs the tokens of others: a kernel, a function, a model's block.
//!
//! Every request for what is missing is a round, functions last; the last round expands the item. Of a function that does not
//! exist rustc says so, and no round follows. So there is an early judgement before functions are asked for: it says what is
//! wrong whatever these are, and leaves a stub. They are asked for all the same, and the last round then says the rest.

use crate::chain::{self, Gathered, Need};
use crate::diag::Diag;
use crate::{guard, paths, payload};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// An item on its way.
pub(crate) trait Item {
    /// Who goes on with it where a request is answered, as [`crate::driver::resume`] knows it, and with what.
    fn driver(&self) -> (&'static str, TokenStream);

    /// Where it stands.
    fn place(&self) -> Span;

    /// What it needs and has not got; functions last.
    fn missing(&self, gathered: &Gathered) -> Vec<Need>;

    /// Stubs for the case that a request is never answered.
    fn unless(&self) -> TokenStream;

    /// Reports what is wrong whatever the functions are that `needs` names.
    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]);

    /// What it becomes; `None` where something is wrong, which is reported here or has been elsewhere.
    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream>;

    /// What is left of it then.
    fn stub(&self, gathered: &Gathered) -> TokenStream;

    /// Whether it stands in a module: in an `impl` block there is no place for what stands beside it.
    fn is_in_module(&self) -> bool {
        true
    }
}

/// One round.
pub(crate) fn round(item: &impl Item, gathered: &Gathered) -> TokenStream {
    let needs = item.missing(gathered);
    let Some((next, others)) = needs.split_first() else { return last(item, gathered) };
    let (driver, body) = item.driver();
    let unless = if gathered.begins() { beside(item, item.unless()) } else { TokenStream::new() };
    if !chain::begins_functions(gathered, &needs) {
        let request = chain::request(next, gathered, driver, &body);
        return quote!(#unless #request);
    }
    // Of all functions that do not exist, not of the first alone.
    let others = chain::asked(gathered, others);
    let diag = Diag::new();
    diag.of_item(item.place());
    if !payload::has_refused(gathered) {
        guard::or_report(&diag, || item.mistakes(&diag, gathered, &needs));
    }
    match diag.finish() {
        Ok(()) => {
            let request = chain::request(next, gathered, driver, &body);
            quote!(#unless #request #others)
        }
        Err(errors) => {
            let stub = beside(item, item.stub(gathered));
            let request = chain::request(next, &gathered.judged(), driver, &body);
            quote!(#errors #stub #request #others)
        }
    }
}

/// The last round: the item, or what the early judgement has not said.
fn last(item: &impl Item, gathered: &Gathered) -> TokenStream {
    if payload::has_refused(gathered) {
        return beside(item, item.stub(gathered));
    }
    let diag = Diag::new();
    diag.of_item(item.place());
    let expanded = guard::or_report(&diag, || item.expand(&diag, gathered)).flatten();
    if gathered.judged {
        let (said, before) = (Diag::new(), gathered.without_functions());
        guard::or_report(&said, || item.mistakes(&said, &before, &item.missing(&before)));
        return diag.beyond(said).finish().err().unwrap_or_default();
    }
    let asked = diag.asked();
    let sound = expanded.filter(|_| diag.count() == 0).map(|sound| quote!(#sound #asked));
    diag.before(sound.unwrap_or_else(|| beside(item, item.stub(gathered))))
}

/// An item that is not looked at further: what is wrong with it has been reported.
pub(crate) fn refused(item: &impl Item) -> TokenStream {
    beside(item, item.stub(&Gathered::default()))
}

/// The stub of an item that is wrong, beside which nobody is told that the prelude is unused.
fn beside(item: &impl Item, stub: TokenStream) -> TokenStream {
    let prelude = item.is_in_module().then(paths::prelude);
    quote!(#stub #prelude)
}
