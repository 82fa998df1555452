//! How a tensor starts: `init = 0.0`, `uniform(0.1)`, `normal(0.02)`, `kaiming_normal`.

use super::constant::{self, Constants};
use super::text;
use crate::ast::Constant;
use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::layers::{FanRule, Init};
use syn::Expr;
use syn::spanned::Spanned;

/// Those whose spread follows from the tensor's shape, as PyTorch's `torch.nn.init` names them: the formula, and whether numbers
/// are normal.
const BY_FANS: [(&str, FanRule, bool); 4] = [
    ("xavier_uniform", FanRule::Xavier, false),
    ("xavier_normal", FanRule::Xavier, true),
    ("kaiming_uniform", FanRule::Kaiming, false),
    ("kaiming_normal", FanRule::Kaiming, true),
];

/// Whether numbers are drawn by what has that name; it may take one.
pub(super) fn draws(name: &str) -> bool {
    matches!(name, "uniform" | "normal") || by_fans(name).is_some()
}

fn by_fans(name: &str) -> Option<(FanRule, bool)> {
    BY_FANS.iter().find(|(known, ..)| *known == name).map(|&(_, rule, normal)| (rule, normal))
}

/// What is written for a start behind that key, as a tensor of that type has it.
pub(crate) fn start(diag: &Diag, (key, expr): (&str, &Expr), dtype: DType, constants: &Constants) -> Option<Init<Dim>> {
    let init = match dtype.is_float() {
        true => of_floats(expr, dtype, constants),
        false => whole(expr, dtype, constants).map(Init::Whole),
    };
    if init.is_none() {
        refuse(diag, (key, expr), dtype, constants);
    }
    init
}

fn of_floats(expr: &Expr, dtype: DType, constants: &Constants) -> Option<Init<Dim>> {
    let known = |expr: &Expr| number(expr, constants).filter(|value| has(dtype, *value));
    let Expr::Call(call) = expr else {
        let rule = word(expr).and_then(|word| by_fans(&word));
        let drawn = rule.map(|(rule, normal)| Init::ByFans { rule, normal, gain: rule.default_gain() });
        return drawn.or_else(|| known(expr).map(Init::Constant));
    };
    let [given] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
    let value = known(given).filter(|value| *value >= 0.0 && value.is_finite())?;
    match text(&call.func).as_str() {
        "uniform" => Some(Init::Uniform { bound: value }),
        "normal" => Some(Init::Normal { std: value }),
        name => by_fans(name).map(|(rule, normal)| Init::ByFans { rule, normal, gain: value }),
    }
}

/// The number that each element starts as, where it is one of that type of whole numbers or truth values.
fn whole(expr: &Expr, dtype: DType, constants: &Constants) -> Option<i64> {
    let value = match constant::evaluate(expr, constants)? {
        Constant::Bool(value) => return (dtype == DType::Bool).then_some(value.into()),
        Constant::Integer(value) => value,
        // 2^63 is the first that is none of 64 bits.
        Constant::Float(number) if number.value.fract() == 0.0 && number.value.abs() < 2f64.powi(63) => {
            number.value as i64
        }
        Constant::Float(_) => return None,
    };
    let holds = if dtype == DType::Bool { matches!(value, 0 | 1) } else { dtype.holds(value) };
    holds.then_some(value)
}

/// A float, or an integer taken as one.
fn number(expr: &Expr, constants: &Constants) -> Option<f64> {
    match constant::evaluate(expr, constants)? {
        Constant::Integer(value) => Some(value as f64),
        Constant::Float(number) => Some(number.value),
        Constant::Bool(_) => None,
    }
}

/// Whether elements of that type of floats hold the value, as near as they have it. Infinity itself is what it is.
fn has(dtype: DType, value: f64) -> bool {
    !value.is_finite() || fold::stored(Literal::float(value, dtype)).as_f64().is_finite()
}

/// Says what is wrong with a start that is none of its tensor.
fn refuse(diag: &Diag, (key, expr): (&str, &Expr), dtype: DType, constants: &Constants) {
    let elsewhere = word(expr).and_then(|word| initialiser(&word));
    // What is drawn is of floats.
    if let Some(instead) =
        elsewhere.filter(|instead| dtype.is_float() || instead.starts_with(|c: char| c.is_ascii_digit()))
    {
        return diag.report(expr.span(), &m::INIT_WORD, &[&key, &text(expr), &"", &key, &instead]);
    }
    if matches!(expr, Expr::Array(_) | Expr::Macro(_) | Expr::Repeat(_)) {
        let why = "all elements start alike: ";
        let set = "0.0`, and give the model its numbers once it is made: `model.set_tensor(path, &numbers)?";
        return diag.report(expr.span(), &m::INIT_WORD, &[&key, &text(expr), &why, &key, &set]);
    }
    match other_type(expr, dtype, constants) {
        Some((takes, instead)) => {
            diag.report(expr.span(), &m::INIT_TYPE, &[&key, &dtype, &takes, &text(expr), &key, &instead]);
        }
        None => match expr {
            Expr::Call(call) if by_fans(&text(&call.func)).is_some() && dtype.is_float() => {
                let (name, found) = (text(&call.func), text(expr));
                let usual = if name.starts_with("kaiming") { "sqrt(2)" } else { "1" };
                diag.report(expr.span(), &m::INIT_GAIN, &[&name, &found, &key, &name, &key, &name, &usual]);
            }
            _ => diag.report(expr.span(), &m::PARAMETER_INIT, &[&key, &text(expr), &key, &key, &key]),
        },
    }
}

/// What elements of that type start as, and what to write, where the start that is written is another type's.
fn other_type(expr: &Expr, dtype: DType, constants: &Constants) -> Option<(String, String)> {
    let drawn = match expr {
        Expr::Call(call) => draws(&text(&call.func)),
        _ => word(expr).is_some_and(|word| draws(&word)),
    };
    let given = match expr {
        Expr::Call(call) if drawn => call.args.first().and_then(|given| constant::evaluate(given, constants)),
        _ => constant::evaluate(expr, constants),
    };
    let plain = if drawn { ", and none that is drawn" } else { "" };
    if dtype == DType::Bool {
        let is = matches!(given, Some(Constant::Integer(value)) if value != 0);
        return Some((format!("`true` or `false`{plain}"), is.to_string()));
    }
    if let Some((least, greatest)) = dtype.whole_range() {
        return Some((format!("a whole number from {least} to {greatest}{plain}"), "0".to_string()));
    }
    let value = match given? {
        Constant::Integer(value) => value as f64,
        Constant::Float(number) => number.value,
        Constant::Bool(_) => return None,
    };
    let greatest = match dtype {
        DType::F16 => "65504.0",
        DType::BF16 => "3.389e38",
        _ => "3.4e38",
    };
    let instead = match expr {
        Expr::Call(call) => format!("{}({greatest})", text(&call.func)),
        _ if value < 0.0 => format!("-{greatest}"),
        _ => greatest.to_string(),
    };
    (!has(dtype, value)).then(|| (format!("numbers up to {greatest}"), instead))
}

/// A bare word, as other frameworks take for a key's value: `same`, `relu`.
pub(super) fn word(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// What is written here for an initialiser of other frameworks.
fn initialiser(word: &str) -> Option<&'static str> {
    Some(match word.trim_end_matches('_') {
        "xavier_uniform" | "glorot_uniform" | "xavier" | "glorot" => "xavier_uniform",
        "xavier_normal" | "glorot_normal" => "xavier_normal",
        "kaiming_uniform" | "he_uniform" | "kaiming" | "he" => "kaiming_uniform",
        "kaiming_normal" | "he_normal" => "kaiming_normal",
        "lecun_normal" => "kaiming_normal(1.0)",
        "lecun_uniform" => "kaiming_uniform(1.0)",
        "zeros" | "zero" => "0.0",
        "ones" | "one" => "1.0",
        "randn" | "normal" | "random_normal" | "trunc_normal" => "normal(0.02)",
        "rand" | "uniform" | "random_uniform" => "uniform(0.1)",
        _ => return None,
    })
}
