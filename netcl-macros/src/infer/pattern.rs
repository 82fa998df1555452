//! The variables that patterns bind.

use super::Inference;
use super::types::Type;
use crate::parse;
use syn::Pat;

impl Inference<'_> {
    /// Binds the names of a pattern for values of that type.
    pub(super) fn bind(&mut self, pattern: &Pat, ty: &Type) {
        match pattern {
            Pat::Ident(name) if name.ident == "None" => {}
            Pat::Ident(name) => {
                self.locals.push((parse::name(&name.ident), ty.clone()));
                if let Some((_, inner)) = &name.subpat {
                    self.bind(inner, ty);
                }
            }
            Pat::Type(typed) => {
                let declared = self.written(&typed.ty);
                self.types.unify(&declared, ty);
                self.bind(&typed.pat, &declared);
            }
            Pat::Paren(inner) => self.bind(&inner.pat, ty),
            Pat::Reference(inner) => self.bind(&inner.pat, ty),
            Pat::Or(cases) => {
                // Each binds the same names, which are of one type.
                let before = self.locals.len();
                for case in &cases.cases {
                    let bound = self.locals.len();
                    self.bind(case, ty);
                    for position in bound..self.locals.len() {
                        let (name, other) = self.locals[position].clone();
                        let first = self.locals[before..bound].iter().find(|(own, _)| *own == name).cloned();
                        if let Some((_, first)) = first {
                            self.types.unify(&first, &other);
                        }
                    }
                }
            }
            Pat::Guard(guarded) => {
                self.bind(&guarded.pat, ty);
                self.expr(&guarded.guard, None);
            }
            Pat::Lit(given) => {
                let literal = self.literal(&given.lit);
                self.types.unify(&literal, ty);
            }
            Pat::Tuple(parts) => {
                let types: Vec<Type> = parts.elems.iter().map(|_| self.types.any()).collect();
                if parts.elems.iter().any(|part| matches!(part, Pat::Rest(_))) {
                    return self.bind_unknown(pattern);
                }
                self.types.unify(&Type::Tuple(types.clone()), ty);
                parts.elems.iter().zip(&types).for_each(|(part, ty)| self.bind(part, ty));
            }
            Pat::Slice(parts) => {
                let item = self.types.any();
                self.types.unify(&Type::list(item.clone()), ty);
                for part in &parts.elems {
                    match part {
                        Pat::Ident(name) if name.subpat.is_some() => {
                            self.locals.push((parse::name(&name.ident), Type::list(item.clone())));
                        }
                        part => self.bind(part, &item),
                    }
                }
            }
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                let inner = self.types.any();
                self.types.unify(&Type::option(inner.clone()), ty);
                self.bind(&some.elems[0], &inner);
            }
            other => self.bind_unknown(other),
        }
    }

    fn bind_unknown(&mut self, pattern: &Pat) {
        for name in parse::names_in(quote::ToTokens::to_token_stream(pattern)) {
            self.locals.push((name, Type::Unknown));
        }
    }

    /// A type that is written.
    pub(super) fn written(&mut self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Infer(_) => self.types.any(),
            syn::Type::Paren(inner) => self.written(&inner.elem),
            syn::Type::Group(inner) => self.written(&inner.elem),
            syn::Type::Reference(inner) => self.written(&inner.elem),
            syn::Type::Tuple(parts) => Type::Tuple(parts.elems.iter().map(|part| self.written(part)).collect()),
            syn::Type::Array(list) => Type::list(self.written(&list.elem)),
            syn::Type::Slice(list) => Type::list(self.written(&list.elem)),
            syn::Type::Path(path) => match (path.path.get_ident(), path.path.segments.last()) {
                (Some(name), _) => Type::named(&parse::name(name)).unwrap_or(Type::Unknown),
                (None, Some(last)) if last.ident == "Option" => match &last.arguments {
                    syn::PathArguments::AngleBracketed(of) => match of.args.first() {
                        Some(syn::GenericArgument::Type(of)) => Type::option(self.written(of)),
                        _ => Type::Unknown,
                    },
                    _ => Type::Unknown,
                },
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }
}
