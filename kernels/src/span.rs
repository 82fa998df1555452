//! Where something came from in the user's text, opaque to this crate.

use crate::dim::Dim;

/// An index into the driver's table of places. The macro maps it to tokens, the JIT to source locations, so one error
/// text serves both. `Span::NONE` means that nobody said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span(pub u32);

impl Span {
    /// No known place.
    pub const NONE: Span = Span(u32::MAX);
}

impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}

/// One thing that is wrong: what was found, what was expected, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default())]
pub struct Diagnostic {
    /// The place.
    pub span: Span,
    /// Starts lower case, names the user's own words, no trailing dot.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
    /// The size that is no number, where one is needed: once it has its number, nothing may be wrong. Apart, as results carry diagnostics.
    pub size: Option<Box<Dim>>,
    /// Which key of a layer another size was found for.
    pub mismatch: Option<Box<Mismatch>>,
    /// Which argument of an operation is wrong, where it is one alone.
    pub argument: Option<Box<WrongArgument>>,
}

/// The argument of an operation that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongArgument {
    /// The one of that name.
    Named(&'static str),
    /// The one in which this axis is named.
    Axis(i64),
    /// The one in which this number stands for a size.
    Size(i64),
}

/// A layer's key that says another size than an axis of the input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `inputs`.
    pub key: &'static str,
    /// The input's axis.
    pub axis: usize,
    /// Whether the input has as many elsewhere, so that the call is wrong and not the key: the hint says how it is arranged then.
    pub rearranged: bool,
}

impl Diagnostic {
    /// A diagnostic without a place; the caller that knows one adds it with [`Diagnostic::at`].
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic { span: Span::NONE, message: message.into(), hint: None, size: None, mismatch: None, argument: None }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same where it is that argument which is wrong.
    pub fn of_argument(mut self, argument: WrongArgument) -> Self {
        self.argument = Some(Box::new(argument));
        self
    }

    /// The same where the number of `size` is needed.
    pub fn needs_number(mut self, size: &Dim) -> Self {
        self.size = size.as_constant().is_none().then(|| Box::new(size.clone()));
        self
    }

    /// The same of what is called `to` where it is called.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        let (from, to) = (format!("`{from}"), format!("`{to}"));
        self.message = self.message.replace(&from, &to);
        self.hint = self.hint.map(|hint| hint.replace(&from, &to));
        self
    }

    /// The same at `span`, unless a more exact place is known already.
    pub fn at(mut self, span: Span) -> Self {
        if self.span == Span::NONE {
            self.span = span;
        }
        self
    }
}

/// The result of building or checking.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;
