//! Arguments and results that are put together from several tensors, as values.

use super::{FieldRef, Lowering, StructName, Val};
use crate::ast::FunctionItem;
use crate::callee::Callee;
use crate::messages as m;
use crate::parts::{Composite, Declared};
use crate::paths;
use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Member, Pat};

/// The single values of one that is put together so; `None` where it is not.
pub(super) fn values<'a>(parts: &Composite, value: &Val<'a>) -> Option<Vec<Val<'a>>> {
    let mut all = Vec::new();
    match (parts, value) {
        (Composite::One, value) => all.push(value.clone()),
        (Composite::Tuple(parts), Val::Tuple(given)) | (Composite::Array(parts), Val::List(given))
            if parts.len() == given.len() =>
        {
            for (part, value) in parts.iter().zip(given) {
                all.extend(values(part, value)?);
            }
        }
        (Composite::Struct(of, parts), Val::Struct(name, given)) if name.may_be(of) && parts.len() == given.len() => {
            for (field, part) in parts {
                let field = crate::parse::name(field);
                let (_, value) = given.iter().find(|(name, _)| *name == field)?;
                all.extend(values(part, value)?);
            }
        }
        _ => return None,
    }
    Some(all)
}

/// The value that is put together from `each`.
fn composed<'a>(parts: &Composite, each: &mut dyn Iterator<Item = Val<'a>>) -> Val<'a> {
    match parts {
        Composite::One => each.next().unwrap_or(Val::Unknown),
        Composite::Tuple(parts) => Val::Tuple(parts.iter().map(|part| composed(part, each)).collect()),
        Composite::Array(parts) => Val::List(parts.iter().map(|part| composed(part, each)).collect()),
        Composite::Struct(of, parts) => {
            let name = StructName { path: Rc::new(of.path.clone()), identity: Some(of.identity) };
            let fields = parts.iter().map(|(field, part)| (crate::parse::name(field), composed(part, each)));
            Val::of_fields(name, fields.collect())
        }
    }
}

/// Asks rustc whether the struct that is called so is that one.
fn is_struct(of: &Declared, name: &StructName, wanted: &str, span: Span) -> proc_macro2::TokenStream {
    let (private, path, identity) = (paths::private(), &*name.path, of.identity);
    let message = format!("{wanted} a `{}`, and `{name}` is another struct", crate::parse::text(&of.path));
    quote_spanned! {span=>
        const _: () = ::core::assert!(<#path as #private::StructOfTensors>::IDENTITY == #identity, #message);
    }
}

impl<'a> Lowering<'a> {
    /// Rule: a struct is the one that is declared, whatever it is called. Wrong: `step(b::State { .. })` of an `a::State`.
    ///
    /// Which struct a literal's path names, rustc alone may know: it is asked. Where a function of another module makes it, it
    /// has been asked there.
    pub(super) fn ask_structs(&self, parts: &Composite, value: &Val<'a>, wanted: &str, span: Span) {
        self.ask_structs_in(false, (parts, value), wanted, span);
    }

    /// The same; in a struct others have the names that they have where it stands, which nobody need be able to say here.
    fn ask_structs_in(&self, inner: bool, (parts, value): (&Composite, &Val<'a>), wanted: &str, span: Span) {
        match (parts, value) {
            (Composite::Tuple(parts), Val::Tuple(given)) | (Composite::Array(parts), Val::List(given)) => {
                parts.iter().zip(given).for_each(|pair| self.ask_structs_in(inner, pair, wanted, span));
            }
            (Composite::Struct(of, parts), Val::Struct(name, given)) => {
                let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.clone());
                let as_declared = inner && name.path.get_ident().is_some() && last(&name.path) == last(&of.path);
                if name.identity.is_none() && self.frames.len() == 1 && !as_declared {
                    self.diag.ask(is_struct(of, name, wanted, span));
                }
                for (field, part) in parts {
                    let field = crate::parse::name(field);
                    let value = given.iter().find(|(own, _)| *own == field);
                    value.into_iter().for_each(|(_, value)| self.ask_structs_in(true, (part, value), wanted, span));
                }
            }
            _ => {}
        }
    }

    /// Rule: a struct is made of all its fields. Wrong: `Pair { a: x }` where there is a `b` too.
    pub(super) fn lacks_fields(&self, parts: &Composite, value: &Val<'a>, span: Span) -> bool {
        let (Composite::Struct(of, parts), Val::Struct(name, given)) = (parts, value) else { return false };
        let fields: Vec<String> = parts.iter().map(|(field, _)| crate::parse::name(field)).collect();
        let missing = fields.iter().find(|field| given.iter().all(|(given, _)| given != *field));
        if missing.is_none() && given.len() > fields.len() && name.may_be(of) {
            let place = if self.frames.len() == 1 { name.path.span() } else { span };
            let all = crate::parse::list(fields.iter().map(String::as_str));
            let own = fields.iter().find(|field| given.iter().filter(|(given, _)| given == *field).count() > 1);
            match (own, given.iter().find(|(given, _)| !fields.contains(given))) {
                (_, Some((other, _))) => {
                    let near = crate::parse::suggestion(other, fields.iter().map(String::as_str));
                    self.report(place, &m::UNKNOWN_FIELD, &[name, other, &near, &all]);
                }
                (Some(twice), None) => drop(self.report(place, &m::FIELD_TWICE, &[name, twice])),
                (None, None) => return false,
            }
            return true;
        }
        // Where only rustc knows whether it is this struct, fields that it does not have say that it is not.
        let known = name.identity.is_some() || given.iter().all(|(given, _)| fields.contains(given));
        let Some(missing) = missing.filter(|_| name.may_be(of) && known) else {
            let field = |name: &Ident| {
                let name = crate::parse::name(name);
                given.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
            };
            let mut inner = parts.iter().filter_map(|(name, part)| Some((part, field(name)?)));
            return inner.any(|(part, value)| self.lacks_fields(part, value, span));
        };
        let all = fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
        if let Some((other, _)) = given.iter().find(|(given, _)| !fields.contains(given)) {
            let near = crate::parse::suggestion(other, fields.iter().map(String::as_str));
            let place = if self.frames.len() == 1 { name.path.span() } else { span };
            self.report(place, &m::UNKNOWN_FIELD, &[name, other, &near, &all]);
            return true;
        }
        let place = if self.frames.len() == 1 { name.path.span() } else { span };
        self.report(place, &m::STRUCT_FIELDS, &[name, missing, &all]);
        true
    }

    /// `Batch { x, y }`.
    pub(super) fn struct_value(&mut self, given: &'a syn::ExprStruct) -> Val<'a> {
        if let Some(rest) = &given.rest {
            let instead = "write each of the fields: `x: other.x`";
            return self.report(rest.span(), &m::UNSUPPORTED, &[&"`..` in a struct", &instead]);
        }
        let declared = self.frame().unit.constants.structs.get(&crate::parse::text(&given.path));
        let name =
            StructName { path: Rc::new(given.path.clone()), identity: declared.map(|declared| declared.identity) };
        let fields = given.fields.iter().map(|field| {
            let value = self.expr(&field.expr);
            match &field.member {
                Member::Named(name) => (crate::parse::name(name), value),
                Member::Unnamed(position) => (position.index.to_string(), value),
            }
        });
        let fields: Vec<(String, Val<'a>)> = fields.collect();
        // Whether there is such a struct with these fields rustc says. (Those in structs that are passed need not be imported.)
        let is_named =
            given.path.segments.last().is_some_and(|last| self.frame().unit.constants.has_struct(&last.ident));
        if !is_named && self.frames.len() == 1 && !given.path.is_ident("Self") {
            let (path, members) = (&given.path, given.fields.iter().map(|field| &field.member));
            let made = quote!(#[allow(unreachable_code)] let _ = || #path { #(#members: ::core::unreachable!()),* };);
            // Of a loop's rounds one says so.
            if !self.private.iter().any(|known| known.to_string() == made.to_string()) {
                self.private.push(made);
            }
        }
        Val::of_fields(name, fields)
    }

    /// The patterns of a struct's fields, or of a model's, and what they are bound to.
    pub(super) fn fields_of(&mut self, parts: &'a syn::PatStruct, value: Val<'a>) -> Vec<(&'a Pat, Val<'a>)> {
        let (ty, known): (String, Vec<String>) = match &value {
            Val::Struct(ty, fields) => (ty.to_string(), fields.iter().map(|(own, _)| own.clone()).collect()),
            Val::Place(FieldRef::Model(unit, path, _)) => {
                self.note_pattern(&parts.path, path);
                let fields = unit.model.iter().flat_map(|model| &model.fields);
                (unit.name(), fields.map(|field| crate::parse::name(&field.name)).collect())
            }
            _ => return parts.fields.iter().map(|field| (&*field.pat, Val::Unknown)).collect(),
        };
        let wanted = |member: &Member| match member {
            Member::Named(name) => crate::parse::name(name),
            Member::Unnamed(position) => position.index.to_string(),
        };
        let named = |own: &str| parts.fields.iter().any(|field| wanted(&field.member) == own);
        let left: Vec<&str> = known.iter().map(String::as_str).filter(|own| !named(own)).collect();
        if parts.rest.is_none() && !left.is_empty() && parts.fields.len() < known.len() {
            self.report(parts.path.span(), &m::PATTERN_FIELDS, &[&ty, &crate::parse::list(left.into_iter())]);
        }
        let mut all = Vec::new();
        for field in &parts.fields {
            let given = match (&value, &field.member) {
                (Val::Struct(_, fields), member) => {
                    let wanted = wanted(member);
                    fields.iter().find(|(own, _)| *own == wanted).map(|(_, value)| value.clone())
                }
                (Val::Place(FieldRef::Model(unit, path, sizes)), Member::Named(name)) => {
                    Some(self.member(unit, path, sizes, name))
                }
                _ => None,
            };
            let given = given.unwrap_or_else(|| {
                let (wanted, known) = (wanted(&field.member), || known.iter().map(String::as_str));
                let (near, all) = (crate::parse::suggestion(&wanted, known()), crate::parse::list(known()));
                self.report(field.member.span(), &m::UNKNOWN_FIELD, &[&ty, &wanted, &near, &all])
            });
            all.push((&*field.pat, given));
        }
        all
    }

    /// What is passed, argument by argument, and which of the parameters each is of.
    pub(super) fn taken_apart(
        &mut self,
        callee: &Callee<'_>,
        function: &FunctionItem,
        given: Vec<Val<'a>>,
        span: Span,
    ) -> Option<(Vec<Val<'a>>, Vec<usize>)> {
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for (position, (param, value)) in function.params.iter().zip(given).enumerate() {
            let Some(parts) = values(&param.parts, &value) else {
                if value.is_unknown() {
                    return None;
                }
                let written = Ident::new("argument", span);
                let name = crate::parse::function::names(&param.pattern).into_iter().next().unwrap_or(written);
                let place = self.written.place(position, span);
                let instead = "pass it put together as it is declared";
                let (wanted, mut found) = (param.parts.kind(), value.kind());
                if let (Composite::Struct(of, _), Val::Struct(name, _)) = (&param.parts, &value)
                    && wanted == found
                    && !name.may_be(of)
                {
                    found = format!("another `{name}`");
                }
                callee.mismatch((&name, place), &wanted, &found, &instead);
                return None;
            };
            let place = self.written.place(position, span);
            self.ask_structs(&param.parts, &value, &format!("`{}` expects", callee.name), place);
            places.extend(std::iter::repeat_n(position, parts.len()));
            all.extend(parts);
        }
        Some((all, places))
    }

    /// Binds the names of parameters that are put together from arguments, which are bound.
    pub(super) fn bind_params(&mut self, function: &FunctionItem) {
        if !function.is_composed() || function.unsound.is_some() {
            return;
        }
        let names: Vec<String> = function.args.iter().map(|arg| crate::parse::name(&arg.name)).collect();
        let values: Vec<Val<'a>> =
            names.iter().map(|name| self.lookup(name).map_or(Val::Unknown, |(value, _)| value)).collect();
        let mut values = values.into_iter();
        for param in &function.params {
            self.bind_param(&param.pattern, &param.parts, &mut values);
        }
    }

    fn bind_param(&mut self, pattern: &Pat, parts: &Composite, values: &mut dyn Iterator<Item = Val<'a>>) {
        match (pattern, parts) {
            (Pat::Tuple(tuple), Composite::Tuple(parts)) => {
                for (pattern, part) in tuple.elems.iter().zip(parts) {
                    self.bind_param(pattern, part, values);
                }
            }
            // It has been bound by its name.
            (_, Composite::One) => drop(values.next()),
            (Pat::Ident(name), parts) => {
                let name = crate::parse::name(&name.ident);
                self.bind(&name, composed(parts, values), false, true);
            }
            _ => {}
        }
    }
}
