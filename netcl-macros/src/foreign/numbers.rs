//! Operations of tensors that Rust's numbers have not: what is written for them in a function of numbers, which is Rust as well,
//! and in a kernel in SIMT form.

/// The operation, and what is written of a number `x` with the arguments `_0` and `_1`.
const WRITTEN_OUT: &[(&str, &str)] = &[
    ("pow", "x.powf(_0)"),
    ("maximum", "x.max(_0)"),
    ("minimum", "x.min(_0)"),
    ("sign", "x.signum()"),
    ("log1p", "x.ln_1p()"),
    ("expm1", "x.exp_m1()"),
    ("rsqrt", "1.0 / x.sqrt()"),
    ("square", "x * x"),
    ("lerp", "x + _1 * (_0 - x)"),
    ("logaddexp", "(x.exp() + _0.exp()).ln()"),
    ("xlogy", "x * _0.ln()"),
    ("logit", "(x / (1.0 - x)).ln()"),
    ("remainder", "x - _0 * (x / _0).floor()"),
    ("floor_divide", "(x / _0).floor()"),
    ("relu", "x.max(0.0)"),
    ("relu6", "x.clamp(0.0, 6.0)"),
    ("leaky_relu", "if x > 0.0 { x } else { _0 * x }"),
    ("prelu", "if x > 0.0 { x } else { _0 * x }"),
    ("gelu", GELU),
    ("gelu_tanh", GELU),
    ("silu", "x / (1.0 + (-x).exp())"),
    ("sigmoid", "1.0 / (1.0 + (-x).exp())"),
    ("log_sigmoid", "-(-x).exp().ln_1p()"),
    ("softplus", "x.exp().ln_1p()"),
    ("elu", "if x > 0.0 { x } else { _0 * x.exp_m1() }"),
    ("celu", "if x > 0.0 { x } else { _0 * (x / _0).exp_m1() }"),
    ("selu", "if x > 0.0 { 1.0507 * x } else { 1.7581 * x.exp_m1() }"),
    ("hard_sigmoid", "(x / 6.0 + 0.5).clamp(0.0, 1.0)"),
    ("hard_swish", "x * (x / 6.0 + 0.5).clamp(0.0, 1.0)"),
    ("hard_tanh", "x.clamp(-1.0, 1.0)"),
    ("mish", "x * x.exp().ln_1p().tanh()"),
    ("softsign", "x / (1.0 + x.abs())"),
    ("threshold", "if x > _0 { x } else { _1 }"),
    ("hard_shrink", "if x.abs() > _0 { x } else { 0.0 }"),
    ("soft_shrink", "x.signum() * (x.abs() - _0).max(0.0)"),
    ("tanh_shrink", "x - x.tanh()"),
];

const GELU: &str = "0.5 * x * (1.0 + (0.79788 * (x + 0.044715 * x * x * x)).tanh())";

/// Those that nothing of Rust's is as short as.
const ALONE: [&str; 3] = ["erf", "sinc", "detach"];

/// What to write for `receiver.name(args)` of a number; `None` where Rust's numbers have a function of that name, or nobody has.
pub(crate) fn of_number(name: &str, receiver: &str, args: &[String]) -> Option<String> {
    if ALONE.contains(&name) {
        return Some(format!(
            "write it out by functions that Rust's numbers have, or call it in a kernel in index form, whose elements have it: \
             `|n| x[n].{name}()`"
        ));
    }
    let (_, template) = match (name, args) {
        ("log", []) => ("log", "x.ln()"),
        ("pow", [power]) if power.parse::<i64>().is_ok() => ("pow", "x.powi(_0)"),
        _ => *WRITTEN_OUT.iter().find(|(known, _)| *known == name)?,
    };
    let mut filled = String::new();
    let mut word = String::new();
    for c in template.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        match word.as_str() {
            "x" => filled.push_str(receiver),
            "_0" => filled.push_str(args.first().map_or("y", String::as_str)),
            "_1" => filled.push_str(args.get(1).map_or("z", String::as_str)),
            word => filled.push_str(word),
        }
        word.clear();
        filled.push(c);
    }
    // Whatever is around the call, the value stays one.
    let filled = filled.trim_end();
    Some(if is_one(template) { format!("write `{filled}`") } else { format!("write `({filled})`") })
}

/// Whether it is a call, with no operator around it.
fn is_one(template: &str) -> bool {
    let mut depth = 0;
    let alone = template.chars().all(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth > 0 || c != ' '
    });
    alone && !template.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::ops;

    /// What Rust's numbers have, by methods of their own or of its traits for operators.
    const OF_RUST: &[&str] = &[
        "add",
        "sub",
        "mul",
        "div",
        "rem",
        "neg",
        "not",
        "and",
        "or",
        "xor",
        "shl",
        "shr",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "abs",
        "atan2",
        "exp",
        "exp2",
        "log",
        "log2",
        "sqrt",
        "recip",
        "sin",
        "cos",
        "tan",
        "floor",
        "ceil",
        "round",
        "clamp",
        "is_nan",
        "is_finite",
        "select",
        "cast",
        "trunc",
        "fract",
        "log10",
        "cbrt",
        "sinh",
        "cosh",
        "asin",
        "acos",
        "atan",
        "asinh",
        "acosh",
        "atanh",
        "to_degrees",
        "to_radians",
        "hypot",
        "copysign",
        "rem_euclid",
        "div_euclid",
        "is_infinite",
        "is_sign_negative",
        "is_sign_positive",
        "tanh",
        "masked_fill",
    ];

    #[test]
    fn every_operation_on_elements_is_rusts_or_has_something_in_its_place() {
        let elementwise = ops::names().filter(|name| ops::is_elementwise(name));
        let missing: Vec<&str> =
            elementwise.filter(|name| !OF_RUST.contains(name) && of_number(name, "x", &[]).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(WRITTEN_OUT.iter().all(|(name, _)| ops::is_elementwise(name) && !OF_RUST.contains(name)));
    }

    #[test]
    fn the_users_words_stand_in_it() {
        let written = |name: &str, args: &[&str]| {
            of_number(name, "x[i]", &args.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(
            written("leaky_relu", &["0.1"]).as_deref(),
            Some("write `(if x[i] > 0.0 { x[i] } else { 0.1 * x[i] })`")
        );
        assert_eq!(written("log", &[]).as_deref(), Some("write `x[i].ln()`"));
        assert_eq!(written("log", &["2.0"]), None);
        assert_eq!(written("exp", &[]), None);
    }
}
