//! Names in generated OpenCL C: distinct, the user's own where possible, never a word of the language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Whether `name` is a letter or `_` followed by letters, digits and `_` (of any script).
pub fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|character| character.is_alphanumeric() || character == '_')
}

/// `name` with everything that no C identifier may have replaced.
pub fn sanitized(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert(0, 'v');
    }
    text
}

/// The name with the numbers of what is no letter of OpenCL C, so that two names stay two: `_e9` for `é`.
pub fn ascii(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    let letter =
        |letter: char| if letter.is_ascii() { letter.to_string() } else { format!("_{:x}", u32::from(letter)) };
    name.chars().map(letter).collect()
}

/// `wanted`, or the same with a number behind it where it is taken; takes it.
pub fn distinct(taken: &mut BTreeSet<String>, wanted: String) -> String {
    let mut name = wanted.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

/// Whether OpenCL C, its extensions or netcl's helper functions have taken `name`.
pub fn is_reserved(name: &str) -> bool {
    is_word(name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Every keyword, type, function and macro known, and a name of each family.
#[cfg(test)]
pub(crate) fn reserved() -> impl Iterator<Item = String> {
    let families = PREFIXES.iter().map(|prefix| format!("{prefix}x"));
    WORDS.iter().map(|word| (*word).to_string()).chain(families)
}

/// Whether it is a keyword, type, function or macro by itself, not by its prefix.
fn is_word(name: &str) -> bool {
    WORDS.binary_search(&name).is_ok() || is_vector(name)
}

/// `float4`, `ulong16`, `double3x3` (reserved by the standard).
fn is_vector(name: &str) -> bool {
    const SCALARS: [&str; 13] =
        ["bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "quad"];
    SCALARS.iter().any(|scalar| {
        name.strip_prefix(scalar).is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_digit())
                && rest.chars().all(|character| character.is_ascii_digit() || character == 'x')
        })
    })
}

/// Families of names.
const PREFIXES: [&str; 24] = [
    "__",
    "netcl_",
    "as_",
    "async_",
    "atom_",
    "atomic_",
    "convert_",
    "get_",
    "half_",
    "intel_",
    "native_",
    "read_image",
    "read_mem",
    "sub_group_",
    "vload",
    "vstore",
    "work_group_",
    "write_image",
    "write_mem",
    "cl_",
    "CL_",
    "CLK_",
    "M_",
    "FLT_",
];

/// Keywords, types, functions and macros, sorted.
const WORDS: [&str; 236] = [
    "CHAR_BIT",
    "CHAR_MAX",
    "CHAR_MIN",
    "DBL_DIG",
    "DBL_EPSILON",
    "DBL_MAX",
    "DBL_MIN",
    "FP_FAST_FMA",
    "FP_FAST_FMAF",
    "HUGE_VAL",
    "HUGE_VALF",
    "INFINITY",
    "INT_MAX",
    "INT_MIN",
    "LONG_MAX",
    "LONG_MIN",
    "MAXFLOAT",
    "NAN",
    "NULL",
    "SCHAR_MAX",
    "SCHAR_MIN",
    "SHRT_MAX",
    "SHRT_MIN",
    "UCHAR_MAX",
    "UINT_MAX",
    "ULONG_MAX",
    "USHRT_MAX",
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "acospi",
    "add_sat",
    "all",
    "any",
    "asin",
    "asinh",
    "asinpi",
    "asm",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "auto",
    "barrier",
    "bitselect",
    "bool",
    "break",
    "case",
    "cbrt",
    "ceil",
    "char",
    "clamp",
    "clk_event_t",
    "clz",
    "complex",
    "const",
    "constant",
    "continue",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "ctz",
    "default",
    "degrees",
    "distance",
    "do",
    "dot",
    "double",
    "else",
    "enqueue_kernel",
    "enum",
    "erf",
    "erfc",
    "event_t",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "extern",
    "fabs",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fdim",
    "float",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "for",
    "fract",
    "frexp",
    "generic",
    "global",
    "goto",
    "hadd",
    "half",
    "hypot",
    "if",
    "ilogb",
    "image1d_array_t",
    "image1d_buffer_t",
    "image1d_t",
    "image2d_array_t",
    "image2d_t",
    "image3d_t",
    "imaginary",
    "inline",
    "int",
    "intptr_t",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "kernel",
    "ldexp",
    "length",
    "lgamma",
    "lgamma_r",
    "local",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "long",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "main",
    "max",
    "maxmag",
    "mem_fence",
    "memory_order",
    "memory_scope",
    "min",
    "minmag",
    "mix",
    "modf",
    "mul24",
    "mul_hi",
    "nan",
    "ndrange_t",
    "nextafter",
    "normalize",
    "pipe",
    "popcount",
    "pow",
    "pown",
    "powr",
    "prefetch",
    "printf",
    "private",
    "ptrdiff_t",
    "quad",
    "queue_t",
    "radians",
    "read_only",
    "read_write",
    "register",
    "remainder",
    "remquo",
    "reserve_id_t",
    "restrict",
    "return",
    "rhadd",
    "rint",
    "rootn",
    "rotate",
    "round",
    "rsqrt",
    "sampler_t",
    "select",
    "short",
    "shuffle",
    "shuffle2",
    "sign",
    "signbit",
    "signed",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "size_t",
    "sizeof",
    "smoothstep",
    "sqrt",
    "static",
    "step",
    "struct",
    "sub_sat",
    "switch",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "to_global",
    "to_local",
    "to_private",
    "trunc",
    "typedef",
    "typeof",
    "uchar",
    "uint",
    "uintptr_t",
    "ulong",
    "uniform",
    "union",
    "unsigned",
    "upsample",
    "ushort",
    "va_arg",
    "va_end",
    "va_list",
    "va_start",
    "vec_step",
    "void",
    "volatile",
    "wait_group_events",
    "while",
    "write_only",
];

/// Hands out names that are distinct within one scope of the generated source.
#[derive(Clone, Debug, Default)]
pub struct Namer {
    /// The scope around this one, whose names are taken too.
    outer: Option<Arc<Namer>>,
    taken: BTreeSet<String>,
    /// The next number to try for a name.
    next: BTreeMap<String, u32>,
}

impl Namer {
    /// A scope inside `outer`.
    pub fn within(outer: &Arc<Namer>) -> Namer {
        Namer { outer: Some(outer.clone()), ..Namer::default() }
    }

    fn outer(&self) -> impl Iterator<Item = &Namer> {
        std::iter::successors(self.outer.as_deref(), |scope| scope.outer.as_deref())
    }

    /// Takes `name` if nobody has.
    fn take(&mut self, name: &str) -> bool {
        self.outer().all(|scope| !scope.taken.contains(name)) && self.taken.insert(name.to_string())
    }

    /// Keeps `name` from being given out.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// A name like `wanted`: the same if that is possible, else with a number behind it.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if base.starts_with("__")
            || base.starts_with("netcl_")
            || !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        {
            base.insert_str(0, "v_");
        }
        if !is_reserved(&base) && self.take(&base) {
            return base;
        }
        let known = self.next.get(&base).or_else(|| self.outer().find_map(|scope| scope.next.get(&base)));
        let mut number = known.copied().unwrap_or(1);
        loop {
            let candidate = format!("{base}_{number}");
            number += 1;
            // A prefix is kept for families such as `half_cos`, in which nothing ends with `_1`.
            if !is_word(&candidate) && self.take(&candidate) {
                self.next.insert(base, number);
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn names_are_distinct_and_no_words() {
        let mut namer = Namer::default();
        assert_eq!(namer.name("x"), "x");
        assert_eq!(namer.name("x"), "x_1");
        assert_eq!(namer.name("x_1"), "x_1_1");
        assert_eq!(namer.name("global"), "global_1");
        assert_eq!(namer.name("float4"), "float4_1");
        assert_eq!(namer.name("get_x"), "get_x_1");
        assert_eq!(namer.name("half"), "half_1");
        assert_eq!(namer.name("netcl_max"), "v_netcl_max");
        assert_eq!(namer.name("größe"), "gr__e");
        assert_eq!(namer.name("__x"), "v___x");
        assert_eq!(namer.name(""), "v_");
        assert_eq!(namer.name("3d"), "v_3d");
    }

    #[test]
    fn names_of_outer_scopes_are_taken() {
        let mut outer = Namer::default();
        assert_eq!([outer.name("x"), outer.name("x")], ["x", "x_1"]);
        let mut inner = Namer::within(&Arc::new(outer.clone()));
        assert_eq!([inner.name("x"), inner.name("y"), inner.name("x")], ["x_2", "y", "x_3"]);
        assert_eq!([outer.name("y"), outer.name("x")], ["y", "x_2"]);
    }

    #[test]
    fn identifiers() {
        assert!(is_identifier("größe") && is_identifier("_x1"));
        assert!(!is_identifier("") && !is_identifier("1x") && !is_identifier("a b"));
    }
}
