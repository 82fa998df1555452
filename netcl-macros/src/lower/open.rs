//! Sizes that are open: made of the parameters of the model that is compiled, for which each use of it gives numbers. Where the
//! compiler must know one (how many layers there are, which way an `if` goes), nothing is known of what follows, and the function is
//! compiled where the numbers are: in models that have this one as a field, and for types that are named.

use super::sizes::Sizes;
use super::{Lowering, Val};
use crate::ast::{LayerField, Unit};
use crate::messages as m;
use crate::module;
use crate::{quotient, words};
use netcl_kernels::dim::{Dim, Factor, Symbol};
use netcl_kernels::equality::Equality;
use netcl_kernels::graph::NodeId;
use netcl_kernels::layers::{Config, ConfigValue};
use proc_macro2::Span;
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// Whether only uses of the model say what the size is.
    pub(super) fn is_open(&self, size: &Dim) -> bool {
        let Some(frame) = self.frames.first().filter(|_| size.as_constant().is_none()) else { return false };
        let parameters = frame.unit.open_names();
        let mut all = !self.closed;
        quotient::visit_names(size, &mut |name| all &= parameters.contains(name));
        all
    }

    /// Whether `a / b` is a whole number once open sizes are. Of 1 a fraction is meant, and of 0 no number comes.
    pub(super) fn is_open_quotient(&self, a: &Dim, b: &Dim) -> bool {
        let number = |size: &Dim, least: i64| size.as_constant().is_some_and(|size| size >= least);
        // A size that calls bind is divided by numbers as well.
        self.is_open(b) && (a.as_constant().is_none() || number(a, 2)) || self.is_open(a) && number(b, 1)
    }

    /// Whether an axis tells a size that is not `known` once an open one has its number: `T`, of `{ T * W }`.
    pub(super) fn awaits_number(&self, axis: &Dim, known: &BTreeMap<String, Dim>) -> bool {
        let symbols = |factor: &Factor| match factor {
            Factor::Symbol(symbol) => known.get(symbol.name()).cloned().unwrap_or_else(|| Dim::symbol(symbol.name())),
            Factor::FloorDiv(..) => Dim::default(),
        };
        let unknown = |factor: &Factor| matches!(factor, Factor::Symbol(symbol) if !known.contains_key(symbol.name()));
        axis.terms().any(|(factors, _)| {
            factors.iter().any(unknown)
                && factors.iter().any(|factor| !unknown(factor) && self.is_open(&symbols(factor)))
        })
    }

    /// What depends on an open size. Where it stands it may never be reached: nothing that follows from it is said to be wrong.
    pub(super) fn open(&mut self) -> Val<'a> {
        (self.open, self.partial) = (true, true);
        Val::Unknown
    }

    /// The layer's configuration in the model of these sizes; `None` where it is open, or wrong for these numbers, which is
    /// reported. `span` is where the layer is used.
    pub(super) fn configured(&mut self, field: &'a LayerField, sizes: &Sizes, span: Span) -> Option<Config> {
        let with = |symbol: &Symbol| Some(sizes.field(&Dim::symbol(symbol.name())));
        match field.config.substitute(field.layer, &with) {
            Ok(config) if !config.is_open() => return Some(config),
            Ok(config) => match config.open().find(|size| !self.is_open(size)) {
                Some(size) => {
                    // There are no numbers to tell of.
                    let numbers = self.diag.within(None);
                    self.report(span, &m::NUMBER_NEEDED, &[&field.layer.name, size, size]);
                    self.diag.within(numbers);
                }
                None => drop(self.open()),
            },
            // What does not hold for all numbers may hold for those that uses of this model give.
            Err(_) if self.is_open_there(field, sizes) => drop(self.open()),
            Err(errors) => {
                for error in errors {
                    let place = field.place(&error.message).unwrap_or(span);
                    self.diag.diagnostic(&error, place);
                }
            }
        }
        None
    }

    /// Whether a size that a layer expects may be there once open sizes have numbers: `(C / 2)*2` features where `C` are expected.
    pub(super) fn may_fit(&self, config: &Config, key: Option<usize>, args: &[NodeId]) -> bool {
        let expected = match key.and_then(|key| config.values.get(key)) {
            Some(ConfigValue::Named(expected)) => expected,
            _ => return false,
        };
        let mut sizes = args.iter().flat_map(|id| &self.builder.shape(*id).0);
        sizes.any(|size| self.is_open(size) && self.is_open(expected) && size.equality(expected) == Equality::Rounded)
    }

    /// Whether the layer is one of a model that is given sizes of the model that is compiled, and fits with those that it has as
    /// numbers.
    fn is_open_there(&self, field: &LayerField, sizes: &Sizes) -> bool {
        let with = |symbol: &Symbol| Some(sizes.field(&Dim::symbol(symbol.name())));
        let mut config = field.config.clone();
        for value in &mut config.values {
            if let ConfigValue::Named(size) = value
                && self.is_open(&sizes.field(size))
            {
                *value = ConfigValue::Open(vec![size.clone()]);
            }
        }
        config.substitute(field.layer, &with).is_ok_and(|config| config.is_open())
    }

    /// The length of the array in the field `name`, as [`Lowering::configured`] has a layer.
    pub(super) fn length(&mut self, count: &Dim, name: &str) -> Option<usize> {
        let place = self.frame().unit.model.as_ref().and_then(|model| {
            let field = model.fields.iter().find(|field| crate::parse::name(&field.name) == name)?;
            Some(syn::spanned::Spanned::span(&field.ty))
        });
        let place = place.unwrap_or_else(Span::call_site);
        match count.as_constant() {
            // What a parameter makes none of is left out: `count = { STRIDE - 1 }`.
            Some(number) if (0..=words::MAX_ROUNDS).contains(&number) => usize::try_from(number).ok(),
            Some(number) => {
                self.report(place, &m::ARRAY_LENGTH, &[&words::MAX_ROUNDS, &number, &format!("{name}: [Linear; 4]")]);
                None
            }
            None if self.is_open(count) => {
                self.open();
                None
            }
            None => {
                self.report(place, &m::COUNT_UNKNOWN, &[count]);
                None
            }
        }
    }

    /// What errors in the body of a function of `unit` are told with: the numbers that its names of sizes stand for, and the path
    /// of the field that gives them.
    pub(super) fn numbers(unit: &Unit, sizes: &Sizes, path: &str) -> Option<String> {
        let model = unit.model.as_ref()?;
        let size = |(name, _): &(syn::Ident, Option<Dim>)| {
            Some((name.to_string(), sizes.fields.get(&name.to_string())?.clone()))
        };
        let own = model.parameters.iter().filter(|(name, _)| !module::is_of_type(&name.to_string()));
        let sizes: Vec<(String, Dim)> = own.filter_map(size).collect();
        let known = sizes.iter().any(|(_, size)| size.as_constant().is_some());
        if !known && unit.standing.is_empty() {
            return None;
        }
        let each: Vec<String> = sizes.iter().map(|(name, size)| format!("`{name} = {size}`")).collect();
        let each = if known { format!(", where {}", each.join(" and ")) } else { String::new() };
        let given = sizes.iter().map(|(_, size)| size.to_string());
        let given: Vec<String> = given.chain(unit.standing.iter().cloned()).collect();
        let field =
            path.trim_end_matches('.').rsplit('.').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
        let field = if field.is_empty() { String::new() } else { format!("{field}: ") };
        let ty = format!("{}<{}>", unit.name(), given.join(", "));
        Some(format!(" (of `{field}{ty}`{each})"))
    }
}
