//! Type inference for functions of scalars, which are Rust as well: each literal without a suffix is of the type that rustc gives it,
//! by what it meets anywhere in the body. `let mut n = 0; .. n` of a function that returns `u32` begins with `0u32`.
//!
//! The types are those that locals have: numbers, and tuples, lists, options, iterators and closures of these. References have the
//! type of what they refer to. What is [`Unknown`](Type::Unknown) says nothing of what it meets, and a literal that meets nothing
//! else stays as it is written.

mod control_flow;
mod expr;
mod method;
mod pattern;
mod types;

use crate::ast::{Helper, Unit};
use crate::parse;
use std::collections::BTreeMap;
use syn::LitInt;
use syn::visit_mut::VisitMut;
use types::{Substitutions, Type};

/// The types that literals are given as suffixes. Without one they are `i32`, as in Rust where nothing says more, or sizes and
/// indices.
const SUFFIXES: [&str; 3] = ["u8", "u32", "i64"];

/// Gives the literals in a function's body the suffixes of the types that they have in Rust, once its scope is known.
pub(crate) fn suffix_literals(function: &mut Helper) {
    let Helper { args, result, body, scope, .. } = function;
    let result = Type::of(*result);
    let mut inference = Inference {
        scope,
        types: Substitutions::default(),
        locals: args.iter().map(|(name, dtype)| (parse::name(name), Type::of(*dtype))).collect(),
        returned: vec![result.clone()],
        loops: Vec::new(),
        literals: BTreeMap::new(),
    };
    let value = inference.block(body);
    inference.types.unify(&value, &result);
    let Inference { types, literals, .. } = inference;
    let found = literals.into_iter().filter_map(|(literal, ty)| match types.resolved(&ty) {
        Type::Primitive(name) if SUFFIXES.contains(&name) => Some((literal, name)),
        _ => None,
    });
    Suffixes(found.collect()).visit_block_mut(body);
}

/// What is known in the middle of a body.
struct Inference<'a> {
    /// What paths mean outside of the body.
    scope: &'a Unit,
    types: Substitutions,
    /// The variables that are seen, the innermost last.
    locals: Vec<(String, Type)>,
    /// What `return` gives, of the function and of the closures that this is in.
    returned: Vec<Type>,
    /// What `break` gives, of the loops that this is in, with their labels.
    loops: Vec<(Option<String>, Type)>,
    /// The types of the literals without a suffix, each by where it lies, in a body that stays there meanwhile.
    literals: BTreeMap<*const LitInt, Type>,
}

/// Writes these.
struct Suffixes(BTreeMap<*const LitInt, &'static str>);

impl VisitMut for Suffixes {
    fn visit_lit_int_mut(&mut self, literal: &mut LitInt) {
        if let Some(suffix) = self.0.get(&std::ptr::from_ref(literal)) {
            *literal = LitInt::new(&format!("{literal}{suffix}"), literal.span());
        }
    }
}
