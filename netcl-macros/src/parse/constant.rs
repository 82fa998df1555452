//! Values that can be known while parsing: literals, known constants, and integer arithmetic on them.

use super::{fold_integers, standard, text};
use crate::ast::{Constant, ConstantList};
pub(crate) use crate::constants::Constants;
use crate::diag::Diag;
use crate::messages as m;
use crate::number::ConstFloat;
use netcl_kernels::dtype::DType;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprUnary, Lit, Type, UnOp};

/// The value of `const NAME: ty = expr;`, if it can be known: a float is one of the declared type.
pub(crate) fn declared(ty: &Type, expr: &Expr, constants: &Constants) -> Option<Constant> {
    let dtype = DType::from_name(&text(ty));
    let value = match (evaluate(expr, constants), dtype) {
        (Some(value), _) => value,
        (None, None) if text(ty) == "usize" => Constant::Integer(bits(expr, None, constants)?),
        (None, dtype) => Constant::Integer(bits(expr, Some(dtype.filter(|dtype| dtype.is_integer())?), constants)?),
    };
    Some(match value {
        Constant::Float(number) => Constant::Float(match dtype {
            // `1.0 / 3.0` is computed in the declared type.
            Some(dtype) if dtype.is_float() => number.declared(dtype),
            _ => number,
        }),
        value => value,
    })
}

/// The value of `let name: dtype = expr;` whose bits `!`, `<<` and `>>` have turned and moved; `None` of other values.
pub(crate) fn moved(expr: &Expr, dtype: DType, constants: &Constants) -> Option<i64> {
    if evaluate(expr, constants).is_some() && !moves_up(expr) {
        return None;
    }
    bits(expr, Some(dtype).filter(|dtype| dtype.is_integer()), constants)
}

/// Whether `!` or `<<` in it makes bits that only a type says where to end.
fn moves_up(expr: &Expr) -> bool {
    match super::unparenthesized(expr) {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) || moves_up(&unary.expr),
        Expr::Binary(binary) => matches!(binary.op, BinOp::Shl(_)) || moves_up(&binary.left) || moves_up(&binary.right),
        _ => false,
    }
}

/// The bits of a number of type `dtype`, or of a size, that `!`, `<<` and `>>` have turned and moved.
fn bits(expr: &Expr, dtype: Option<DType>, constants: &Constants) -> Option<i64> {
    let value = match super::unparenthesized(expr) {
        Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => !bits(expr, dtype, constants)?,
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => bits(expr, dtype, constants)?.checked_neg()?,
        Expr::Binary(binary) => {
            let distance = || match evaluate(&binary.right, constants)? {
                Constant::Integer(by) => {
                    let bits = 8 * dtype.unwrap_or(DType::I64).size();
                    u32::try_from(by).ok().filter(|by| (*by as usize) < bits)
                }
                _ => None,
            };
            let left = bits(&binary.left, dtype, constants)?;
            match &binary.op {
                BinOp::Shl(_) => left.wrapping_shl(distance()?),
                BinOp::Shr(_) => left >> distance()?,
                op => fold_integers(op, left, bits(&binary.right, dtype, constants)?)?,
            }
        }
        other => match evaluate(other, constants)? {
            Constant::Integer(value) if dtype.is_none_or(|dtype| dtype.holds(value)) => value,
            _ => return None,
        },
    };
    match dtype {
        Some(dtype) => Some(dtype.wrap(value)),
        // Of a size 63 bits are followed.
        None => Some(value).filter(|value| *value >= 0),
    }
}

/// The value of `const NAME: [ty; 3] = [..];`, if it is such a list and can be known; lists may be of lists.
pub(crate) fn declared_list(ty: &Type, expr: &Expr, constants: &Constants) -> Option<ConstantList> {
    /// A list with more elements is data.
    const MOST: usize = 4096;
    fn items(ty: &Type, expr: &Expr, constants: &Constants) -> Option<ConstantList> {
        let Type::Array(array) = ty else { return declared(ty, expr, constants).map(ConstantList::Number) };
        let given: Vec<ConstantList> = match super::unparenthesized(expr) {
            Expr::Array(list) => {
                list.elems.iter().map(|item| items(&array.elem, item, constants)).collect::<Option<_>>()?
            }
            Expr::Repeat(list) => {
                let Constant::Integer(length) = evaluate(&list.len, constants)? else { return None };
                let length = usize::try_from(length).ok().filter(|length| *length <= MOST)?;
                vec![items(&array.elem, &list.expr, constants)?; length]
            }
            _ => return list(expr, constants).filter(|list| list.elements() <= MOST),
        };
        let list = ConstantList::List(given);
        (list.elements() <= MOST).then_some(list)
    }
    matches!(ty, Type::Array(_)).then(|| items(ty, expr, constants)).flatten()
}

/// The constants of the user's that the value of a constant is computed from.
pub(crate) fn named(expr: &Expr) -> Vec<syn::Path> {
    let mut found = Vec::new();
    match expr {
        Expr::Array(list) => list.elems.iter().for_each(|item| found.extend(named(item))),
        Expr::Repeat(list) => found.extend(named(&list.expr).into_iter().chain(named(&list.len))),
        expr => unknown_paths(expr, &Constants::new(), &mut found),
    }
    // `usize::MAX`, `std::f32::consts::PI`.
    let is_of_rust = |path: &syn::Path| {
        let first = path.segments[0].ident.to_string();
        matches!(first.as_str(), "std" | "core" | "bool" | "usize" | "isize") || DType::from_name(&first).is_some()
    };
    let is_constant = |path: &syn::Path| {
        path.segments.last().is_some_and(|last| !last.ident.to_string().contains(char::is_lowercase))
    };
    found.retain(|path| is_constant(path) && !is_of_rust(path));
    found
}

/// The value of a constant, written with literals; `None` if it cannot be known.
pub(crate) fn written(item: &syn::ItemConst, constants: &Constants) -> Option<Expr> {
    fn number(value: Constant) -> Expr {
        match value {
            Constant::Integer(value) => {
                let digits = proc_macro2::Literal::u64_unsuffixed(value.unsigned_abs());
                if value < 0 { syn::parse_quote!(-#digits) } else { syn::parse_quote!(#digits) }
            }
            // There is no literal of these.
            Constant::Float(number) if !number.value.is_finite() => {
                let ty = proc_macro2::Ident::new(
                    if number.ty == Some(DType::F64) { "f64" } else { "f32" },
                    proc_macro2::Span::call_site(),
                );
                match number.value {
                    value if value.is_nan() => syn::parse_quote!(#ty::NAN),
                    value if value > 0.0 => syn::parse_quote!(#ty::INFINITY),
                    _ => syn::parse_quote!(#ty::NEG_INFINITY),
                }
            }
            Constant::Float(number) => {
                let digits = proc_macro2::Literal::f64_unsuffixed(number.value.abs());
                if number.value.is_sign_negative() { syn::parse_quote!(-#digits) } else { syn::parse_quote!(#digits) }
            }
            Constant::Bool(value) => syn::parse_quote!(#value),
        }
    }
    fn list(of: &ConstantList) -> Expr {
        match of {
            ConstantList::Number(value) => number(*value),
            ConstantList::List(items) => {
                let items = items.iter().map(list);
                syn::parse_quote!([#(#items),*])
            }
        }
    }
    match declared_list(&item.ty, &item.expr, constants) {
        Some(values) => Some(list(&values)),
        None => declared(&item.ty, &item.expr, constants).map(number),
    }
}

/// The value of `expr`, if it can be known.
pub(crate) fn evaluate(expr: &Expr, constants: &Constants) -> Option<Constant> {
    match expr {
        Expr::Lit(lit) => literal(&lit.lit),
        Expr::Paren(inner) => evaluate(&inner.expr, constants),
        Expr::Group(inner) => evaluate(&inner.expr, constants),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(inner, None)] => evaluate(inner, constants),
            _ => None,
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if matches!(&**expr, Expr::Lit(lit) if is_least(&lit.lit)) => {
            Some(Constant::Integer(i64::MIN))
        }
        Expr::Unary(unary) => match (&unary.op, evaluate(&unary.expr, constants)?) {
            (UnOp::Neg(_), Constant::Integer(value)) => Some(Constant::Integer(value.checked_neg()?)),
            (UnOp::Neg(_), Constant::Float(number)) => Some(Constant::Float(number.negated())),
            (UnOp::Not(_), Constant::Bool(value)) => Some(Constant::Bool(!value)),
            _ => None,
        },
        Expr::Binary(binary) => match (evaluate(&binary.left, constants)?, evaluate(&binary.right, constants)?) {
            (Constant::Integer(a), Constant::Integer(b)) => match compared(&binary.op, &a, &b) {
                Some(holds) => Some(Constant::Bool(holds)),
                None => Some(Constant::Integer(fold_integers(&binary.op, a, b)?)),
            },
            (Constant::Float(a), Constant::Float(b)) => fold_floats(&binary.op, a, b),
            (Constant::Bool(a), Constant::Bool(b)) => Some(Constant::Bool(fold_truths(&binary.op, a, b)?)),
            _ => None,
        },
        Expr::Cast(cast) => cast_as(evaluate(&cast.expr, constants)?, &text(&cast.ty)),
        Expr::Path(path) => known(&path.path, constants),
        Expr::Index(element) => match element_of(element, constants)? {
            ConstantList::Number(value) => Some(value),
            ConstantList::List(_) => None,
        },
        Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => {
            match list(&call.receiver, constants)? {
                ConstantList::List(items) => Some(Constant::Integer(items.len() as i64)),
                ConstantList::Number(_) => None,
            }
        }
        _ => None,
    }
}

/// The list that `expr` names: a constant, or an element of one.
fn list(expr: &Expr, constants: &Constants) -> Option<ConstantList> {
    match super::unparenthesized(expr) {
        Expr::Path(path) => constants.lists.get(&key(&path.path)).cloned(),
        Expr::Index(element) => element_of(element, constants),
        _ => None,
    }
}

fn element_of(element: &syn::ExprIndex, constants: &Constants) -> Option<ConstantList> {
    let (ConstantList::List(items), Constant::Integer(position)) =
        (list(&element.expr, constants)?, evaluate(&element.index, constants)?)
    else {
        return None;
    };
    items.get(usize::try_from(position).ok()?).cloned()
}

/// `value as ty`; whole numbers that the type does not have are left to rustc.
fn cast_as(value: Constant, ty: &str) -> Option<Constant> {
    let wide = match ty {
        "usize" | "u64" => Some((0, i64::MAX)),
        "isize" => Some((i64::MIN, i64::MAX)),
        _ => None,
    };
    let dtype = match wide {
        Some(_) => DType::I64,
        None => DType::from_name(ty)?,
    };
    let is_inside =
        |value: i64| wide.or(dtype.whole_range()).is_some_and(|(least, most)| (least..=most).contains(&value));
    Some(match value {
        Constant::Integer(value) if dtype.is_float() => Constant::Float(ConstFloat::of_whole(value, dtype)),
        Constant::Float(number) if dtype.is_float() => Constant::Float(number.converted(dtype)),
        Constant::Integer(value) if is_inside(value) => Constant::Integer(value),
        // Rust's conversion ends at the ends of the type.
        Constant::Float(number) if dtype.is_integer() => {
            let (least, most) = wide.or(dtype.whole_range())?;
            Constant::Integer(number.whole(dtype).clamp(least, most))
        }
        Constant::Bool(value) if dtype.is_integer() => Constant::Integer(i64::from(value)),
        _ => return None,
    })
}

/// What a comparison says; `None` for other operators.
fn compared<T: PartialOrd>(op: &BinOp, a: &T, b: &T) -> Option<bool> {
    Some(match op {
        BinOp::Eq(_) => a == b,
        BinOp::Ne(_) => a != b,
        BinOp::Lt(_) => a < b,
        BinOp::Le(_) => a <= b,
        BinOp::Gt(_) => a > b,
        BinOp::Ge(_) => a >= b,
        _ => return None,
    })
}

fn fold_truths(op: &BinOp, a: bool, b: bool) -> Option<bool> {
    compared(op, &a, &b).or(match op {
        BinOp::And(_) | BinOp::BitAnd(_) => Some(a && b),
        BinOp::Or(_) | BinOp::BitOr(_) => Some(a || b),
        BinOp::BitXor(_) => Some(a != b),
        _ => None,
    })
}

/// Arithmetic and comparisons of floats, in the type of the one that has a type. Each operation rounds, as Rust's do.
fn fold_floats(op: &BinOp, a: ConstFloat, b: ConstFloat) -> Option<Constant> {
    if a.ty.zip(b.ty).is_some_and(|(a, b)| a != b) {
        return None;
    }
    let ty = a.ty.or(b.ty);
    let dtype = ty.unwrap_or(DType::F64);
    if let Some(holds) = compared(op, &a.meeting(dtype), &b.meeting(dtype)) {
        return Some(Constant::Bool(holds));
    }
    let function = match op {
        BinOp::Add(_) => |a: f64, b: f64| a + b,
        BinOp::Sub(_) => |a, b| a - b,
        BinOp::Mul(_) => |a, b| a * b,
        BinOp::Div(_) => |a, b| a / b,
        BinOp::Rem(_) => |a, b| a % b,
        _ => return None,
    };
    ConstFloat::computed(&[a, b], ty, |x| Some(function(x[0], x[1]))).map(Constant::Float)
}

/// Whether a minus before the literal makes it `i64::MIN`, whose digits alone are no number of 64 bits.
pub(crate) fn is_least(lit: &Lit) -> bool {
    match lit {
        Lit::Int(int) => int.base10_digits() == "9223372036854775808" && matches!(int.suffix(), "" | "i64"),
        _ => false,
    }
}

/// Under which a path's constant is known: the whole path, because `enc::DIM` and `dec::DIM` are two.
pub(crate) fn key(path: &syn::Path) -> String {
    text(path)
}

/// The value of a constant: one of `constants` or of Rust's own library.
pub(crate) fn known(path: &syn::Path, constants: &Constants) -> Option<Constant> {
    constants.get(&key(path)).copied().or_else(|| standard::value(path))
}

/// A name for a constant that has one letter, which is a size's.
pub(crate) fn longer(name: &str) -> &'static str {
    match name {
        "B" | "N" => "BATCH",
        "C" => "CHANNELS",
        "D" => "DEPTH",
        "H" => "HEIGHT",
        "K" => "KERNEL",
        "L" | "T" => "LENGTH",
        "W" => "WIDTH",
        _ => "SIZE",
    }
}

/// The last name of a path.
pub(crate) fn name(path: &syn::Path) -> Option<String> {
    path.segments.last().map(|segment| super::name(&segment.ident))
}

/// A literal's value.
pub(crate) fn literal(lit: &Lit) -> Option<Constant> {
    match lit {
        Lit::Int(int) if matches!(int.suffix(), "f32" | "f64") => finite(int.base10_parse().ok()?),
        Lit::Int(int) => Some(Constant::Integer(int.base10_parse().ok()?)),
        Lit::Float(float) => finite(float.base10_parse().ok()?),
        Lit::Bool(bool) => Some(Constant::Bool(bool.value)),
        _ => None,
    }
}

/// A float that was written; `1e999` is none of `f64`.
fn finite(value: f64) -> Option<Constant> {
    value.is_finite().then_some(Constant::Float(value.into()))
}

/// The names in braces in `expr` that are not known constants: `{ HIDDEN }`, `{ HIDDEN } * 2`, `{ HIDDEN * 2 }`. Where they are
/// computed with, a name of one letter is a size: `{ N * 2 }`.
pub(crate) fn braced_paths(expr: &Expr, constants: &Constants, found: &mut Vec<syn::Path>) {
    match expr {
        Expr::Block(block) => {
            let [syn::Stmt::Expr(inner, None)] = block.block.stmts.as_slice() else { return };
            let before = found.len();
            unknown_paths(inner, constants, found);
            if !matches!(inner, Expr::Path(_)) {
                // What is written as no constant is stays what it is without the others: a size, or no name at all.
                let is_size = |name: String| name.chars().nth(1).is_none() || name.contains(char::is_lowercase);
                let found_here = found.split_off(before).into_iter();
                let kept = found_here.filter(|path| !path.get_ident().is_some_and(|own| is_size(super::name(own))));
                found.extend(kept);
                braced_paths(inner, constants, found);
            }
        }
        Expr::Paren(inner) => braced_paths(&inner.expr, constants, found),
        Expr::Group(inner) => braced_paths(&inner.expr, constants, found),
        Expr::Binary(binary) => {
            braced_paths(&binary.left, constants, found);
            braced_paths(&binary.right, constants, found);
        }
        Expr::Cast(cast) => braced_paths(&cast.expr, constants, found),
        // Of a size nothing is taken.
        Expr::Index(_) | Expr::MethodCall(_) => unknown_paths(expr, constants, found),
        _ => {}
    }
}

/// The paths in `expr` that are not known constants.
pub(crate) fn unknown_paths(expr: &Expr, constants: &Constants, found: &mut Vec<syn::Path>) {
    match expr {
        // Python's words, of which what they stand for says what they are.
        Expr::Path(path) if ["True", "False", "None"].iter().any(|word| path.path.is_ident(word)) => {}
        // A list is known, and what it stands for says that it takes none.
        Expr::Path(path) if constants.lists.contains_key(&key(&path.path)) => {}
        Expr::Path(path) if known(&path.path, constants).is_none() => {
            found.push(path.path.clone());
        }
        Expr::Paren(inner) => unknown_paths(&inner.expr, constants, found),
        Expr::Group(inner) => unknown_paths(&inner.expr, constants, found),
        Expr::Block(block) => {
            if let [syn::Stmt::Expr(inner, None)] = block.block.stmts.as_slice() {
                unknown_paths(inner, constants, found);
            }
        }
        Expr::Unary(unary) => unknown_paths(&unary.expr, constants, found),
        Expr::Cast(cast) => unknown_paths(&cast.expr, constants, found),
        Expr::Index(element) => {
            unknown_lists(&element.expr, constants, found);
            unknown_paths(&element.index, constants, found);
        }
        Expr::MethodCall(call) if call.method == "len" => unknown_lists(&call.receiver, constants, found),
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|elem| unknown_paths(elem, constants, found)),
        Expr::Binary(binary) => {
            unknown_paths(&binary.left, constants, found);
            unknown_paths(&binary.right, constants, found);
        }
        _ => {}
    }
}

/// The same of what an element or the length is taken of.
fn unknown_lists(list: &Expr, constants: &Constants, found: &mut Vec<syn::Path>) {
    match super::unparenthesized(list) {
        Expr::Path(path) if constants.left_out.contains(&key(&path.path)) => {}
        list => unknown_paths(list, constants, found),
    }
}

/// Whether a list is named in the value of a size, which is reported.
pub(crate) fn is_listed(diag: &Diag, expr: &Expr, constants: &Constants) -> bool {
    let mut named = Vec::new();
    if !constants.lists.is_empty() {
        unknown_paths(expr, &constants.without_lists(), &mut named);
    }
    one_value(diag, &named, constants)
}

/// Rule: a list stands where a list belongs. Wrong: `inputs = { SIZES }`, `Tensor<f32, N, { SIZES }>`.
///
/// Reports the first list among the names of what are to be values; whether there is one.
pub(crate) fn one_value(diag: &Diag, named: &[syn::Path], constants: &Constants) -> bool {
    let list = named.iter().find_map(|path| constants.lists.get(&key(path)).map(|list| (path, list)));
    let Some((path, list)) = list else { return false };
    let (mut first, elements) = (list, list.elements());
    while let ConstantList::List(items) = first
        && let Some(item) = items.first()
    {
        first = item;
    }
    let example = match first {
        ConstantList::Number(Constant::Integer(value)) => value.to_string(),
        ConstantList::Number(Constant::Float(value)) if value.ty == Some(DType::F32) => {
            format!("{:?}", value.value as f32)
        }
        ConstantList::Number(Constant::Float(value)) => format!("{:?}", value.value),
        ConstantList::Number(Constant::Bool(value)) => value.to_string(),
        ConstantList::List(_) => "4".to_string(),
    };
    diag.report(path.span(), &m::LIST_FOR_VALUE, &[&text(path), &elements, &example]);
    true
}

/// Which part of `expr` has no value though it is arithmetic on literals, and why.
fn without_value(expr: &Expr) -> Option<String> {
    const BEYOND: &str = "is no number of 64 bits: write a smaller one";
    match expr {
        Expr::Paren(inner) => without_value(&inner.expr),
        Expr::Group(inner) => without_value(&inner.expr),
        Expr::Unary(unary) => without_value(&unary.expr),
        Expr::Binary(binary) => {
            if let Some(inner) = without_value(&binary.left).or_else(|| without_value(&binary.right)) {
                return Some(inner);
            }
            let number = |expr| match evaluate(expr, &Constants::new())? {
                Constant::Integer(value) => Some(value),
                _ => None,
            };
            let (a, b) = (number(&binary.left)?, number(&binary.right)?);
            let whole = text(expr);
            let beyond = || Some(format!("`{whole}` {BEYOND}"));
            match binary.op {
                BinOp::Div(_) | BinOp::Rem(_) if b == 0 => {
                    Some(format!("`{whole}` divides by zero: write a number from 1 on"))
                }
                BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) => {
                    fold_integers(&binary.op, a, b).is_none().then(beyond).flatten()
                }
                BinOp::Shl(_) => Some(format!("`{whole}` is no number of its type: write a smaller one")),
                _ => None,
            }
        }
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) if int.base10_parse::<i64>().is_err() && !is_least(&lit.lit) => {
                Some(format!("`{int}` {BEYOND}"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What to write for a constant whose value is not known.
pub(crate) fn example(item: &syn::ItemConst) -> String {
    if let Some(why) = without_value(&item.expr) {
        return why;
    }
    let (vis, name, ty) = (text(&item.vis), &item.ident, text(&item.ty));
    if matches!(*item.ty, Type::Array(_) | Type::Slice(_) | Type::Reference(_)) {
        return format!(
            "a list has a length and its elements are literals, or computed from these and from other such constants by operators, `as` and indices: write \
             `#[netcl::constant] const {name}: [f32; 3] = [0.25, 0.5, 0.25];`"
        );
    }
    let value = match ty.as_str() {
        "f32" | "f64" | "f16" | "bf16" => "0.5",
        "bool" => "true",
        _ => "64",
    };
    let vis = if vis.is_empty() { vis } else { vis + " " };
    format!(
        "a value is a literal, or computed from these and from other such constants by operators, `as` and indices: write `#[netcl::constant] {vis}const {name}: {ty} = {value};`"
    )
}
