//! The constants that a model's struct names.

use super::constant::{self, Constants};
use super::{field, init, text};
use crate::ast::{Field, FieldKind};
use crate::diag::Diag;
use std::collections::BTreeSet;
use syn::visit::Visit;
use syn::{GenericArgument, ItemStruct, Type};

/// The field; where a list stands for one value in it, nothing else is said of it.
pub(super) fn with_values(
    diag: &Diag,
    given: &syn::Field,
    refused: &BTreeSet<String>,
    constants: &Constants,
) -> Option<Field> {
    let listed = !constants.lists.is_empty() && {
        let mut named = Vec::new();
        named_in(given, &constants.without_lists(), &mut named);
        constant::one_value(diag, &named, constants)
    };
    if !listed {
        // Where a block is used with types and numbers of its own, what is wrong is told there: which field it is of is not seen.
        let outside = diag.within(None);
        let name = given.ident.as_ref().map(super::name).unwrap_or_default();
        diag.within(outside.as_ref().map(|note| note.replacen("(of ", &format!("(field `{name}` of "), 1)));
        let field = field::field(diag, given, refused, constants);
        diag.within(outside);
        return field;
    }
    let silent = Diag::new();
    let field = field::field(&silent, given, refused, constants);
    silent.dismiss();
    field.map(|field| Field { kind: FieldKind::Unknown, ..field })
}

/// Asks for the constants in the value of a key. A word in small letters is no constant's name: `same`, `xavier_uniform`.
fn asked(expr: &syn::Expr, constants: &Constants, found: &mut Vec<syn::Path>) {
    let word = |path: &syn::Path| path.get_ident().is_some_and(|word| !word.to_string().contains(char::is_uppercase));
    let mut paths = Vec::new();
    if let syn::Expr::Call(call) = expr
        && let [deviation] = Vec::from_iter(&call.args)[..]
        && init::draws(&text(&call.func))
    {
        return asked(deviation, constants, found);
    }
    constant::unknown_paths(expr, constants, &mut paths);
    let braced = matches!(expr, syn::Expr::Block(_));
    found.extend(paths.into_iter().filter(|path| braced || !word(path)));
}

/// The paths that a struct uses as constants and that are not known: those where the compiler needs the value (array
/// lengths, kernel sizes, ..), and among sizes those in braces.
pub(crate) fn unknown_constants(item: &ItemStruct, constants: &Constants) -> Vec<syn::Path> {
    let mut found = Vec::new();
    item.fields.iter().for_each(|field| named_in(field, constants, &mut found));
    let own = |path: &syn::Path| item.generics.const_params().any(|given| path.is_ident(&given.ident));
    found.retain(|path| !own(path));
    found
}

/// The same of one field.
fn named_in(field: &syn::Field, constants: &Constants, found: &mut Vec<syn::Path>) {
    for attr in field.attrs.iter().filter(|attr| super::own::helper(attr).is_some()) {
        let silent = Diag::new();
        if attr.path().is_ident(crate::words::CONSTANT) {
            if let Ok(expr) = attr.parse_args::<syn::Expr>() {
                asked(&expr, constants, found);
            }
        } else {
            let pairs = super::attr::pairs(&silent, attr).given;
            for (key, expr) in pairs.into_iter().filter(|(key, _)| key != crate::words::VARIANT) {
                if field::takes_names(&field.ty, &key) {
                    constant::braced_paths(&expr, constants, found);
                } else {
                    asked(&expr, constants, found);
                }
            }
        }
        silent.dismiss();
    }
    if let Type::Array(array) = &field.ty {
        constant::unknown_paths(&array.len, constants, found);
    }
    Braced { constants, found }.visit_type(&field.ty);
}

/// Names in braces among the sizes of types: `Tensor<f32, { HIDDEN }>`, `Block<{ HIDDEN }>`.
struct Braced<'a> {
    constants: &'a Constants,
    found: &'a mut Vec<syn::Path>,
}

impl<'ast> Visit<'ast> for Braced<'_> {
    fn visit_generic_argument(&mut self, argument: &'ast GenericArgument) {
        match argument {
            GenericArgument::Const(expr) => constant::braced_paths(expr, self.constants, self.found),
            GenericArgument::Type(ty) => self.visit_type(ty),
            _ => {}
        }
    }
}
