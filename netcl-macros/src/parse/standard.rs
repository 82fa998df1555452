//! The constants of Rust's own library, which no macro can be asked for.

use crate::ast::Constant;
use crate::number::ConstFloat;
use netcl_kernels::dtype::DType;

/// The value of `f32::INFINITY`, `std::f32::consts::PI`, `core::i32::MAX` and the like.
pub(crate) fn value(path: &syn::Path) -> Option<Constant> {
    let names = names(path)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["f32", "consts", name] => math(name).map(float(DType::F32)),
        ["f64", "consts", name] => math(name).map(float(DType::F64)),
        ["f32", name] => single(name).map(float(DType::F32)),
        ["f64", name] => double(name).map(float(DType::F64)),
        ["i32", "MAX"] => Some(Constant::Integer(i64::from(i32::MAX))),
        ["i32", "MIN"] => Some(Constant::Integer(i64::from(i32::MIN))),
        ["u32", "MAX"] => Some(Constant::Integer(i64::from(u32::MAX))),
        ["u8", "MAX"] => Some(Constant::Integer(i64::from(u8::MAX))),
        ["u8" | "u32", "MIN"] => Some(Constant::Integer(0)),
        ["i64", "MAX"] => Some(Constant::Integer(i64::MAX)),
        ["i64", "MIN"] => Some(Constant::Integer(i64::MIN)),
        _ => None,
    }
}

/// The type of `i32::MAX` and the like, which are whole numbers.
pub(crate) fn whole_type(path: &syn::Path) -> Option<DType> {
    let names = names(path)?;
    matches!(value(path)?, Constant::Integer(_)).then(|| DType::from_name(names.first()?))?
}

/// The names of the path within the library.
fn names(path: &syn::Path) -> Option<Vec<String>> {
    let mut names: Vec<String> = path.segments.iter().map(|segment| super::name(&segment.ident)).collect();
    if matches!(names.first()?.as_str(), "std" | "core") {
        names.remove(0);
        return Some(names);
    }
    path.leading_colon.is_none().then_some(names)
}

fn float(dtype: DType) -> impl Fn(f64) -> Constant {
    move |value| Constant::Float(ConstFloat::of(value, Some(dtype)))
}

fn single(name: &str) -> Option<f64> {
    let value = match name {
        "NAN" => f32::NAN,
        "INFINITY" => f32::INFINITY,
        "NEG_INFINITY" => f32::NEG_INFINITY,
        "EPSILON" => f32::EPSILON,
        "MAX" => f32::MAX,
        "MIN" => f32::MIN,
        "MIN_POSITIVE" => f32::MIN_POSITIVE,
        _ => return None,
    };
    Some(f64::from(value))
}

fn double(name: &str) -> Option<f64> {
    Some(match name {
        "NAN" => f64::NAN,
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "EPSILON" => f64::EPSILON,
        "MAX" => f64::MAX,
        "MIN" => f64::MIN,
        "MIN_POSITIVE" => f64::MIN_POSITIVE,
        _ => return None,
    })
}

fn math(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "E" => consts::E,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_10" => consts::LOG2_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG10_2" => consts::LOG10_2,
        "LOG10_E" => consts::LOG10_E,
        "PI" => consts::PI,
        "SQRT_2" => consts::SQRT_2,
        "TAU" => consts::TAU,
        _ => return None,
    })
}
