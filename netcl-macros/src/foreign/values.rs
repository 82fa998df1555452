//! Numbers and element types by their names elsewhere.

use netcl_kernels::dtype::DType;

/// Numbers elsewhere, and what is written here.
pub(crate) const NUMBERS: &[(&str, &str)] = &[
    ("inf", "f32::INFINITY"),
    ("infinity", "f32::INFINITY"),
    ("nan", "f32::NAN"),
    ("pi", "std::f32::consts::PI"),
    ("true_", "true"),
    ("false_", "false"),
];

/// What is written here for a number of that name elsewhere, also with a sign: `-inf`.
pub(crate) fn number(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if let Some(name) = lower.strip_prefix('-') {
        return super::within(NUMBERS, name).map(|number| match number {
            "f32::INFINITY" => "f32::NEG_INFINITY".to_string(),
            other => format!("-{other}"),
        });
    }
    super::within(NUMBERS, &lower).map(str::to_string)
}

/// The element type that is called so elsewhere: `torch::float16`, `DType::F16`, `np::int32`.
pub(crate) fn element_type(path: &str) -> Option<DType> {
    let last = path.trim_start_matches('&').rsplit(['.', ':']).next().unwrap_or_default().to_lowercase();
    Some(match last.as_str() {
        "float" | "float32" | "fp32" | "kfloat" => DType::F32,
        "half" | "float16" | "fp16" => DType::F16,
        "bfloat16" => DType::BF16,
        "double" | "float64" | "fp64" => DType::F64,
        "int" | "int32" => DType::I32,
        "long" | "int64" => DType::I64,
        "uint32" => DType::U32,
        "uint8" | "byte" => DType::U8,
        "bool_" | "boolean" => DType::Bool,
        name => DType::from_name(name)?,
    })
}
