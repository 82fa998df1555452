//! A panic of the compiler is an error like others: it is said where the item stands, and the item stays.

use crate::chain::Gathered;
use crate::diag::Diag;
use crate::messages::Message;
use crate::payload;
use proc_macro2::{Span, TokenStream};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What no user should see: there is no UI case of it.
const INTERNAL: Message = Message {
    name: "INTERNAL",
    text: "internal error of netcl: {}",
    hint: "this is a defect of netcl's compiler: please report it with this item",
};

/// What `work` gives; `None` where it panics, which is reported.
pub(crate) fn or_report<T>(diag: &Diag, work: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(work));
    result.map_err(|panic| diag.report(Span::call_site(), &INTERNAL, &[&said(&*panic)])).ok()
}

/// Reports that an item is left out, unless something was said of it, or of what it has gathered where that stands.
pub(crate) fn or_unsaid(diag: &Diag, gathered: &Gathered, place: Span) {
    if diag.count() == 0 && !payload::has_unsound(gathered) {
        diag.report(place, &INTERNAL, &[&"it is not compiled, and nothing says why"]);
    }
}

/// What `expand` makes of an item; where it panics, an error, and `otherwise` in the item's place.
pub(crate) fn or_keep(expand: impl FnOnce() -> TokenStream, otherwise: impl FnOnce() -> TokenStream) -> TokenStream {
    let diag = Diag::new();
    let expanded = or_report(&diag, expand);
    diag.before(expanded.unwrap_or_else(|| catch_unwind(AssertUnwindSafe(otherwise)).unwrap_or_default()))
}

/// A panic's text.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_panic_is_an_error_and_the_item_stays() {
        let item = quote!(
            struct Net;
        );
        let tokens = or_keep(|| panic!("no such {}", "node"), || item.clone()).to_string();
        assert!(tokens.contains("struct Net ;") && tokens.contains("compile_error"), "{tokens}");
        assert!(tokens.contains("no such node") && tokens.contains("report"), "{tokens}");
        assert_eq!(or_keep(|| item.clone(), TokenStream::new).to_string(), item.to_string());
        // What is kept may be what panics.
        let tokens = or_keep(|| panic!("one"), || panic!("two")).to_string();
        assert!(tokens.contains("one"), "{tokens}");
    }
}
