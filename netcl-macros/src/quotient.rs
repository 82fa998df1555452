//! Sizes that are divided by a model's parameter: `{ F / HEADS }`. Sizes are polynomials, and this is none before the parameter has a
//! number: till then it is a name, the quotient as it is written.

use netcl_kernels::dim::Dim;
use std::collections::BTreeMap;
use syn::{BinOp, Expr, Lit, UnOp};

/// The quotient, as a name.
pub(crate) fn named(dividend: &Dim, divisor: &Dim) -> Dim {
    let part = |size: &Dim| {
        let text = size.to_string();
        let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if plain { text } else { format!("({text})") }
    };
    Dim::symbol(&format!("{} / {}", part(dividend), part(divisor)))
}

/// Whether the name is that of a quotient.
pub(crate) fn is(name: &str) -> bool {
    name.contains('/')
}

/// Whether a quotient is a part of the size.
pub(crate) fn is_in(size: &Dim) -> bool {
    let mut found = false;
    size.visit_symbols(&mut |symbol| found |= is(symbol.name()));
    found
}

/// Calls `visit` for every name in the size that is no quotient, those within quotients among them.
pub(crate) fn visit_names(size: &Dim, visit: &mut dyn FnMut(&str)) {
    size.visit_symbols(&mut |symbol| match parts(symbol.name()) {
        Some((dividend, divisor)) => {
            visit_names(&dividend, visit);
            visit_names(&divisor, visit);
        }
        None => visit(symbol.name()),
    });
}

/// The size with the sizes that names mean. A quotient is one no longer where its divisor has become a number.
pub(crate) fn substitute(size: &Dim, names: &BTreeMap<String, Dim>) -> Dim {
    size.substitute(&|symbol| {
        let Some((dividend, divisor)) = parts(symbol.name()) else { return names.get(symbol.name()).cloned() };
        Some(divided(&substitute(&dividend, names), &substitute(&divisor, names)))
    })
}

/// The quotient where the divisor is a number above 0, or it is exact; else its name.
fn divided(dividend: &Dim, divisor: &Dim) -> Dim {
    let number = divisor.as_constant().and_then(|divisor| u64::try_from(divisor).ok()).filter(|divisor| *divisor > 0);
    match number {
        Some(number) => dividend.floor_div(number),
        None => dividend.exact_div(divisor).unwrap_or_else(|| named(dividend, divisor)),
    }
}

/// What is divided, and by what, where the name is that of a quotient.
pub(crate) fn parts(name: &str) -> Option<(Dim, Dim)> {
    match syn::parse_str::<Expr>(name).ok().filter(|_| is(name))? {
        Expr::Binary(binary) if matches!(binary.op, BinOp::Div(_)) => Some((read(&binary.left)?, read(&binary.right)?)),
        _ => None,
    }
}

/// A size as it displays itself.
fn read(expr: &Expr) -> Option<Dim> {
    Some(match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) => Dim::constant(number.base10_parse().ok()?),
            _ => return None,
        },
        Expr::Path(path) => Dim::symbol(&path.path.get_ident()?.to_string()),
        Expr::Paren(inner) => read(&inner.expr)?,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Dim::constant(0) - read(&unary.expr)?,
        Expr::Binary(binary) => {
            let (a, b) = (read(&binary.left)?, read(&binary.right)?);
            match binary.op {
                BinOp::Add(_) => a + b,
                BinOp::Sub(_) => a - b,
                BinOp::Mul(_) => a * b,
                BinOp::Div(_) => divided(&a, &b),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// What the quotient of two whole numbers is.
pub(crate) fn what_is_left(a: i64, b: i64) -> String {
    format!("which gives {} and leaves {}", a.wrapping_div(b), a.wrapping_rem(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_a_number_once_its_parts_are() {
        let [f, h] = ["F", "H"].map(Dim::symbol);
        let width = named(&(f.clone() + Dim::constant(2)), &h);
        assert_eq!(width.to_string(), "(F + 2) / H");
        let of = |f: i64, h: i64| {
            let names = [("F", f), ("H", h)].map(|(name, number)| (name.to_string(), Dim::constant(number)));
            substitute(&(Dim::constant(3) * width.clone()), &names.into())
        };
        assert_eq!((of(6, 2), of(7, 2)), (Dim::constant(12), Dim::constant(12)));
        // By 0 there is none, and it stays a name.
        assert!(is_in(&of(6, 0)));
        let mut names = Vec::new();
        visit_names(&width, &mut |name| names.push(name.to_string()));
        assert_eq!(names, ["F", "H"]);
        let twice = named(&named(&f, &h), &Dim::symbol("G"));
        let numbers = [("F", 24), ("H", 2), ("G", 3)].map(|(name, number)| (name.to_string(), Dim::constant(number)));
        assert_eq!(substitute(&twice, &numbers.into()), Dim::constant(4));
    }
}
