//! What a function is given for its plain arguments that is no plain argument where it is called: a size, a variant that is written. Where
//! the body can do nothing with it, the mistake is where it is passed.

use super::value::Val;
use crate::ast::{ArgDecl, ArgType, PlainType};
use crate::parse;
use netcl_kernels::dim::Dim;
use proc_macro2::Span;

/// A value that is passed, with the name of its parameter and the place where it is passed.
#[derive(Clone)]
pub(super) struct PlainPassed {
    pub(super) parameter: String,
    pub(super) value: PassedValue,
    pub(super) place: Span,
}

/// What is passed.
#[derive(Clone)]
pub(super) enum PassedValue {
    Size(Dim),
    Variant(String, String),
}

impl PlainPassed {
    /// What is remembered of the value; `None` of what says itself where it is wrong.
    pub(super) fn of(arg: &ArgDecl, value: &Val<'_>, place: Span) -> Option<PlainPassed> {
        let value = match (&arg.ty, value) {
            (ArgType::Plain(PlainType::Usize), Val::Dim(size)) if size.as_constant().is_none() => {
                PassedValue::Size(size.size.clone())
            }
            (ArgType::Enum(_), Val::Variant(ty, name)) => PassedValue::Variant(ty.clone(), name.clone()),
            _ => return None,
        };
        Some(PlainPassed { parameter: parse::name(&arg.name), value, place })
    }
}
