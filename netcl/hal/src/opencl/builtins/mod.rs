//! OpenCL C's built-in functions, declared one by one: for drivers that would parse the declarations of all of them, which are
//! 17,000 lines, for each program (the quirk [`Avoid::BuiltinHeader`]).
//!
//! A function is declared for all of its types, as in section 6.12 of the specification of OpenCL C 1.2: with some of them missing,
//! an argument would be converted to a type that is there.

mod declare;

use super::driver::{Context, Program};
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use declare::{FLOATS, INTEGERS, WIDTHS, declare};
use opencl3::types::cl_device_id;
use std::collections::BTreeSet;

/// The option by which clang's header of all built-in functions has no text: its guard against being included twice.
const WITHOUT_HEADER: &str = "-D_OPENCL_H_";

/// The program of a text with options, built with declarations of the functions that it calls in place of the driver's of all functions.
/// Nothing where the driver does well with these, or a function is not known here, or the text is wrong: then it is built with them,
/// and the driver says of all of the text what is wrong.
pub(super) fn without_header(
    profile: &DeviceProfile,
    context: &Context,
    device: cl_device_id,
    (text, options): (&str, &str),
) -> Option<Program> {
    if !profile.avoids(Avoid::BuiltinHeader) {
        return None;
    }
    let text = format!("{}{text}", declarations(text)?);
    let program = Program::create_from_source(context, &text).ok()?;
    program.build(device, &format!("{options} {WITHOUT_HEADER}")).ok()?;
    Some(program)
}

/// The program of a text with options, built [without the driver's header](without_header) where that can be.
pub(super) fn program(
    profile: &DeviceProfile,
    context: &Context,
    device: cl_device_id,
    (text, options): (&str, &str),
) -> opencl3::Result<Program> {
    if let Some(program) = without_header(profile, context, device, (text, options)) {
        return Ok(program);
    }
    let program = Program::create_from_source(context, text)?;
    program.build(device, options)?;
    Ok(program)
}

/// What stands before `(` and is no function.
const WORDS: &[&str] = &[
    "aligned",
    "asm",
    "defined",
    "do",
    "else",
    "for",
    "if",
    "reqd_work_group_size",
    "return",
    "sizeof",
    "switch",
    "vec_type_hint",
    "volatile",
    "while",
    "work_group_size_hint",
];

/// The declarations of the built-in functions that `text` names; nothing if it calls what it does not define and what is not among
/// them.
fn declarations(text: &str) -> Option<String> {
    let mut named = BTreeSet::new();
    let mut called = BTreeSet::new();
    let mut defined = BTreeSet::new();
    let text = code(text);
    let mut before = ("", "");
    for (name, rest) in identifiers(&text) {
        named.insert(name);
        if rest.trim_start().starts_with('(') {
            // A function's type, or `define`, stands before its name where it is defined.
            let (word, behind) = before;
            let between = &behind[..behind.len().saturating_sub(rest.len() + name.len())];
            let is_definition = !word.is_empty() && !WORDS.contains(&word) && between.trim().is_empty();
            if is_definition {
                defined.insert(name)
            } else {
                called.insert(name)
            };
        }
        before = (name, rest);
    }
    let mut all = String::from("#define NETCL_F __attribute__((overloadable, const))\n");
    for name in &named {
        if !declare(&mut all, name) && called.contains(name) && !defined.contains(name) && !is_word(name) {
            return None;
        }
    }
    // Names that the preprocessor puts together.
    if text.contains("##") {
        let widths = WIDTHS[1..].iter();
        let of = |family: &str| named.contains(family).then_some(family.to_owned());
        let mut names: Vec<String> = Vec::new();
        for family in ["vload", "vstore"].into_iter().filter_map(of) {
            names.extend(widths.clone().map(|width| format!("{family}{width}")));
        }
        if named.contains("convert_") {
            let types = INTEGERS.iter().chain(&FLOATS);
            names.extend(types.flat_map(|of| widths.clone().map(move |width| format!("convert_{of}{width}"))));
        }
        for name in names.iter().filter(|name| !named.contains(name.as_str())) {
            declare(&mut all, name);
        }
    }
    all.push_str("#undef NETCL_F\n#line 1\n");
    Some(all)
}

/// What the language, and the header of its types, which is parsed still, define.
fn is_word(name: &str) -> bool {
    WORDS.contains(&name) || name.starts_with("as_") || name.starts_with("__") || name == "_Pragma"
}

/// The text without comments, directives to the compiler and what stands in quotes.
fn code(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.trim_start().starts_with("#pragma")) {
        let line = line.split_once("//").map_or(line, |(code, _)| code);
        line.split('"').step_by(2).for_each(|part| kept.push_str(part));
        kept.push('\n');
    }
    kept
}

/// Each identifier of the text, with what follows it.
fn identifiers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_')?;
            let word = &rest[start..];
            let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
            rest = &word[end..];
            // Digits begin a number.
            if !word.starts_with(|c: char| c.is_ascii_digit()) {
                return Some((&word[..end], rest));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::shared::OpenCl;
    use super::super::tests::with_driver;
    use super::declare::{
        ATOMICS, CLASSES, FENCES, NATIVE, OF_INTEGER, OF_INTEGERS, OF_ONE, OF_THREE, OF_TWO, WORK_ITEM,
    };
    use super::*;

    /// Names of functions of every kind.
    fn names() -> Vec<&'static str> {
        let lists = [OF_ONE, OF_TWO, OF_THREE, NATIVE, OF_INTEGER, OF_INTEGERS, WORK_ITEM, FENCES, CLASSES, ATOMICS];
        let others = [
            "abs",
            "all",
            "any",
            "atomic_cmpxchg",
            "atomic_dec",
            "atomic_inc",
            "atomic_xchg",
            "barrier",
            "clamp",
            "convert_float",
            "convert_int4_sat_rte",
            "fmax",
            "fmin",
            "get_work_dim",
            "ldexp",
            "max",
            "min",
            "select",
            "vload16",
            "vload2",
            "vload_half",
            "vload_half8",
            "vstore4",
            "vstore_half",
            "vstore_half8_rte",
        ];
        lists.into_iter().flatten().chain(&others).copied().collect()
    }

    /// A declaration that is another than the driver's own of that function is an error beside it.
    #[test]
    fn drivers_declare_the_same() {
        let all = declarations(&names().join(" ")).expect("all of them are known");
        for device in with_driver().into_iter().filter(|device| device.profile().avoids(Avoid::BuiltinHeader)) {
            let shared = &OpenCl::of(device.backend()).unwrap().shared;
            let (context, id) = (shared.context.get(), shared.device.id());
            let built = |text: &str| {
                let program = Program::create_from_source(context, text).unwrap();
                program.build(id, "-cl-std=CL1.2").map_err(|_| program.get_build_log(id).unwrap_or_default())
            };
            assert_eq!(built(&format!("{all}kernel void k(global int *a) {{ a[0] = 1; }}")), Ok(()), "{device}");
            assert!(
                built("int __attribute__((overloadable)) exp(float); kernel void k(global int *a) { a[0] = 1; }")
                    .is_err()
            );
        }
    }

    /// The declarations that a text leads to, a line each.
    fn lines(text: &str) -> Vec<String> {
        let all = declarations(text).expect("all of its functions are known");
        all.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    #[test]
    fn what_a_text_calls_is_declared_and_nothing_else() {
        let text = "#define TWICE(x) ((x) * 2)\nfloat helper(float x) { return exp(x); } // log(x)\n\
                    kernel void k(global float *a) { for (int i = 0; i < 4; ++i) a[i] = TWICE(helper(a[i])); barrier(CLK_LOCAL_MEM_FENCE); }";
        let found = lines(text);
        assert_eq!(found.len(), 3 * 6 + 1, "{found:?}");
        assert!(found.contains(&"float16 NETCL_F exp(float16);".to_owned()));
        assert!(found.iter().any(|line| line.ends_with("barrier(cl_mem_fence_flags);")));
        assert!(declarations(text).is_some_and(|all| all.ends_with("#line 1\n")));
    }

    #[test]
    fn a_text_that_calls_what_is_not_known_has_the_whole_header() {
        for text in ["a = b * dot(x, y);", "printf(\"%d\", 1);", "return sub_group_reduce_add(x);", "else image(x);"] {
            assert_eq!(declarations(text), None, "{text}");
        }
    }

    #[test]
    fn functions_have_all_of_their_types() {
        // 11 types, 6 widths; with an element beside a vector in 5 of them.
        for (name, number) in [
            ("exp", 18),
            ("native_exp2", 6),
            ("fmax", 33),
            ("max", 121),
            ("clamp", 121),
            ("abs", 48),
            ("mul_hi", 48),
            ("select", 132),
            ("isnan", 18),
            ("any", 24),
            ("ldexp", 33),
            ("convert_int4_sat_rtz", 11),
            ("vload4", 44),
            ("vstore4", 33),
            ("vload_half4", 4),
            ("vstore_half4_rte", 6),
            ("vstore_half", 6),
            ("atomic_add", 4),
            ("atomic_xchg", 6),
            ("get_global_id", 1),
        ] {
            assert_eq!(lines(name).len(), number, "{name}");
        }
    }

    #[test]
    fn attributes_pragmas_and_strings_call_nothing() {
        let text = "#pragma unroll(4)\n__attribute__((reqd_work_group_size(8, 1, 1))) kernel void k() {\n\
                    _Pragma(\"clang loop vectorize(disable)\") for (;;) asm volatile(\"bar.sync(0);\"); }";
        assert!(lines(text).is_empty());
    }

    #[test]
    fn names_that_are_put_together_are_declared_in_every_width() {
        let pasted = lines("#define PASTE(x, y) x##y\nPASTE(vload, N)(0, p)");
        assert_eq!(pasted.len(), 5 * 44);
        let converted = lines("#define PASTE(x, y) x##y\nPASTE(convert_, T)(x)");
        assert!(converted.contains(&"float8 NETCL_F convert_float8(int8);".to_owned()));
    }
}
