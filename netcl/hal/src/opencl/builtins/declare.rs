//! The declarations of each function.

use std::fmt::Write;

pub(super) const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];
pub(super) const INTEGERS: [&str; 8] = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];
/// How numbers are rounded.
const MODES: [&str; 5] = ["", "rte", "rtn", "rtp", "rtz"];
pub(super) const FLOATS: [&str; 3] = ["float", "double", "half"];

/// `T name(T)` of floats.
pub(super) const OF_ONE: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "fabs", "floor", "lgamma", "log", "log10", "log1p", "log2", "logb", "rint", "round", "rsqrt",
    "sign", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
];
/// `T name(T, T)`.
pub(super) const OF_TWO: &[&str] = &["atan2", "copysign", "fdim", "fmod", "hypot", "nextafter", "pow", "remainder"];
/// `T name(T, T, T)`.
pub(super) const OF_THREE: &[&str] = &["fma", "mad"];
/// `T name(T)` of `float` alone.
pub(super) const NATIVE: &[&str] = &[
    "native_cos",
    "native_exp",
    "native_exp2",
    "native_exp10",
    "native_log",
    "native_log2",
    "native_log10",
    "native_recip",
    "native_rsqrt",
    "native_sin",
    "native_sqrt",
    "native_tan",
];
/// `T name(T)` of integers.
pub(super) const OF_INTEGER: &[&str] = &["clz", "popcount"];
/// `T name(T, T)` of integers.
pub(super) const OF_INTEGERS: &[&str] = &["add_sat", "hadd", "mul_hi", "rhadd", "rotate", "sub_sat"];
pub(super) const WORK_ITEM: &[&str] = &[
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
];
pub(super) const FENCES: &[&str] = &["mem_fence", "read_mem_fence", "write_mem_fence"];
/// A truth of each lane of a float.
pub(super) const CLASSES: &[&str] = &["isfinite", "isinf", "isnan", "isnormal", "signbit"];
/// A truth of each lane of two floats.
pub(super) const COMPARISONS: &[&str] = &[
    "isequal",
    "isgreater",
    "isgreaterequal",
    "isless",
    "islessequal",
    "islessgreater",
    "isnotequal",
    "isordered",
    "isunordered",
];
pub(super) const ATOMICS: &[&str] =
    &["atomic_add", "atomic_and", "atomic_max", "atomic_min", "atomic_or", "atomic_sub", "atomic_xor"];

/// Writes the declarations of `name`; `false` if it is none of the functions here.
pub(super) fn declare(all: &mut String, name: &str) -> bool {
    let has = |names: &[&str]| names.contains(&name);
    match name {
        _ if has(OF_ONE) => of_floats(all, &FLOATS, name, &["T"]),
        _ if has(OF_TWO) => of_floats(all, &FLOATS, name, &["T, T"]),
        _ if has(OF_THREE) => of_floats(all, &FLOATS, name, &["T, T, T"]),
        _ if has(NATIVE) => of_floats(all, &FLOATS[..1], name, &["T"]),
        "fmax" | "fmin" => of_floats(all, &FLOATS, name, &["T, T", "T, E"]),
        _ if has(OF_INTEGER) => of_integers(all, name, &["T"]),
        _ if has(OF_INTEGERS) => of_integers(all, name, &["T, T"]),
        "max" | "min" => {
            of_integers(all, name, &["T, T", "T, E"]);
            of_floats(all, &FLOATS, name, &["T, T", "T, E"]);
        }
        "clamp" => {
            of_integers(all, name, &["T, T, T", "T, E, E"]);
            of_floats(all, &FLOATS, name, &["T, T, T", "T, E, E"]);
        }
        _ if has(WORK_ITEM) => push(all, format_args!("size_t NETCL_F {name}(uint);")),
        "get_work_dim" => push(all, format_args!("uint NETCL_F get_work_dim(void);")),
        "barrier" => {
            push(all, format_args!("void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);"))
        }
        _ if has(FENCES) => push(all, format_args!("void __attribute__((overloadable)) {name}(cl_mem_fence_flags);")),
        "abs" => abs(all),
        "ldexp" => ldexp(all),
        "select" => select(all),
        "all" | "any" => truths(all, name),
        _ if has(CLASSES) => class(all, name, "T"),
        _ if has(COMPARISONS) => class(all, name, "T, T"),
        _ if has(ATOMICS) => atomic(all, name, ", T", false),
        "atomic_inc" | "atomic_dec" => atomic(all, name, "", false),
        "atomic_cmpxchg" => atomic(all, name, ", T, T", false),
        "atomic_xchg" => atomic(all, name, ", T", true),
        _ => return conversion(all, name) || access(all, name),
    }
    true
}

fn push(all: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(all, "{line}").expect("a text grows");
}

/// `float4`, or `float` of width 1.
fn vector(of: &str, width: usize) -> String {
    if width == 1 { of.to_owned() } else { format!("{of}{width}") }
}

/// What `write` writes about a type of floats, where the device has it.
fn guarded(all: &mut String, of: &str, write: impl FnOnce(&mut String)) {
    let extension = match of {
        "double" => Some("cl_khr_fp64"),
        "half" => Some("cl_khr_fp16"),
        _ => None,
    };
    if let Some(extension) = extension {
        push(all, format_args!("#ifdef {extension}"));
    }
    write(all);
    if extension.is_some() {
        push(all, format_args!("#endif"));
    }
}

/// `name` of vectors `T` of each width, with these parameters; such with elements `E` beside vectors where the width is not 1.
fn of_widths(all: &mut String, of: &str, name: &str, parameters: &[&str]) {
    for width in WIDTHS {
        let vector = vector(of, width);
        for parameters in parameters.iter().filter(|parameters| width > 1 || !parameters.contains('E')) {
            push(all, format_args!("{vector} NETCL_F {name}({});", parameters.replace('T', &vector).replace('E', of)));
        }
    }
}

fn of_floats(all: &mut String, floats: &[&str], name: &str, parameters: &[&str]) {
    for of in floats {
        guarded(all, of, |all| of_widths(all, of, name, parameters));
    }
}

fn of_integers(all: &mut String, name: &str, parameters: &[&str]) {
    INTEGERS.iter().for_each(|of| of_widths(all, of, name, parameters));
}

fn unsigned(of: &str) -> String {
    if of.starts_with('u') { of.to_owned() } else { format!("u{of}") }
}

/// The signed integer of as many bits.
fn signed(of: &str) -> &str {
    match of {
        "float" => "int",
        "double" => "long",
        "half" => "short",
        integer => integer.strip_prefix('u').unwrap_or(integer),
    }
}

fn abs(all: &mut String) {
    for of in INTEGERS {
        for width in WIDTHS {
            push(all, format_args!("{} NETCL_F abs({});", vector(&unsigned(of), width), vector(of, width)));
        }
    }
}

fn ldexp(all: &mut String) {
    for of in FLOATS {
        guarded(all, of, |all| {
            for width in WIDTHS {
                let vector = vector(of, width);
                push(all, format_args!("{vector} NETCL_F ldexp({vector}, int);"));
                if width > 1 {
                    push(all, format_args!("{vector} NETCL_F ldexp({vector}, int{width});"));
                }
            }
        });
    }
}

fn select(all: &mut String) {
    for of in INTEGERS.into_iter().chain(FLOATS) {
        guarded(all, of, |all| {
            for width in WIDTHS {
                let of_condition = signed(of);
                for condition in [of_condition.to_owned(), unsigned(of_condition)] {
                    let (value, condition) = (vector(of, width), vector(&condition, width));
                    push(all, format_args!("{value} NETCL_F select({value}, {value}, {condition});"));
                }
            }
        });
    }
}

fn truths(all: &mut String, name: &str) {
    for of in ["char", "short", "int", "long"] {
        WIDTHS.iter().for_each(|width| push(all, format_args!("int NETCL_F {name}({});", vector(of, *width))));
    }
}

fn class(all: &mut String, name: &str, parameters: &str) {
    for of in FLOATS {
        guarded(all, of, |all| {
            for width in WIDTHS {
                let result = if width == 1 { "int".to_owned() } else { vector(signed(of), width) };
                push(all, format_args!("{result} NETCL_F {name}({});", parameters.replace('T', &vector(of, width))));
            }
        });
    }
}

/// With a pointer to a `T` and these parameters behind it.
fn atomic(all: &mut String, name: &str, parameters: &str, of_floats: bool) {
    let types = if of_floats { &["int", "uint", "float"][..] } else { &["int", "uint"] };
    for of in types {
        for space in ["__global", "__local"] {
            let parameters = parameters.replace('T', of);
            let pointer = format_args!("volatile {space} {of} *");
            push(all, format_args!("{of} __attribute__((overloadable)) {name}({pointer}{parameters});"));
        }
    }
}

/// `convert_int4_sat_rte`.
fn conversion(all: &mut String, name: &str) -> bool {
    let Some(rest) = name.strip_prefix("convert_") else { return false };
    let (to, ways) = rest.split_once('_').unwrap_or((rest, ""));
    let Some((to, width)) = typed(to) else { return false };
    let mode =
        ways.strip_prefix("sat").filter(|_| !FLOATS.contains(&to)).map_or(ways, |mode| mode.trim_start_matches('_'));
    if !MODES.contains(&mode) {
        return false;
    }
    guarded(all, to, |all| {
        for of in INTEGERS.into_iter().chain(FLOATS) {
            guarded(all, of, |all| {
                push(all, format_args!("{} NETCL_F {name}({});", vector(to, width), vector(of, width)))
            });
        }
    });
    true
}

/// A type and its width.
fn typed(text: &str) -> Option<(&'static str, usize)> {
    let mut types = INTEGERS.into_iter().chain(FLOATS);
    types.find_map(|of| {
        let width = text.strip_prefix(of)?;
        let width = if width.is_empty() { 1 } else { width.parse().ok()? };
        WIDTHS.contains(&width).then_some((of, width))
    })
}

/// `vload4`, `vstore4`, `vload_half4`, `vstore_half4_rte`.
fn access(all: &mut String, name: &str) -> bool {
    let number =
        |text: &str| if text.is_empty() { Some(1) } else { text.parse().ok().filter(|width| WIDTHS.contains(width)) };
    if let Some(width) = name.strip_prefix("vload_half").or(name.strip_prefix("vloada_half")).and_then(number) {
        for space in ["__constant", "__global", "__local", "__private"] {
            let result = vector("float", width);
            push(
                all,
                format_args!("{result} __attribute__((overloadable, pure)) {name}(size_t, const {space} half *);"),
            );
        }
        return true;
    }
    if let Some(rest) = name.strip_prefix("vstore_half").or(name.strip_prefix("vstorea_half")) {
        let (width, mode) = rest.split_once('_').unwrap_or((rest, ""));
        let Some(width) = number(width).filter(|_| MODES.contains(&mode)) else {
            return false;
        };
        for of in ["float", "double"] {
            guarded(all, of, |all| {
                for space in ["__global", "__local", "__private"] {
                    let value = vector(of, width);
                    push(
                        all,
                        format_args!("void __attribute__((overloadable)) {name}({value}, size_t, {space} half *);"),
                    );
                }
            });
        }
        return true;
    }
    let (width, loads) = match (name.strip_prefix("vload"), name.strip_prefix("vstore")) {
        (Some(width), _) => (width, true),
        (_, Some(width)) => (width, false),
        _ => return false,
    };
    let Some(width) = number(width).filter(|width| *width > 1) else { return false };
    for of in INTEGERS.into_iter().chain(FLOATS) {
        guarded(all, of, |all| {
            for space in ["__constant", "__global", "__local", "__private"] {
                match loads {
                    true => push(
                        all,
                        format_args!(
                            "{of}{width} __attribute__((overloadable, pure)) {name}(size_t, const {space} {of} *);"
                        ),
                    ),
                    false if space == "__constant" => {}
                    false => {
                        push(
                            all,
                            format_args!(
                                "void __attribute__((overloadable)) {name}({of}{width}, size_t, {space} {of} *);"
                            ),
                        );
                    }
                }
            }
        });
    }
    true
}
