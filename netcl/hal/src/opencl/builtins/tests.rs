//! What is declared, against what drivers declare.

use super::super::shared::OpenCl;
use super::super::tests::with_driver;
use super::declare::{
    ATOMICS, CLASSES, COMPARISONS, FENCES, NATIVE, OF_INTEGER, OF_INTEGERS, OF_ONE, OF_THREE, OF_TWO, WORK_ITEM,
};
use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names of functions of every kind.
fn names() -> Vec<&'static str> {
    let floats = [OF_ONE, OF_TWO, OF_THREE, NATIVE, CLASSES, COMPARISONS];
    let others = [OF_INTEGER, OF_INTEGERS, WORK_ITEM, FENCES, ATOMICS];
    let single = [
        "abs",
        "all",
        "any",
        "atomic_cmpxchg",
        "atomic_dec",
        "atomic_inc",
        "atomic_xchg",
        "barrier",
        "clamp",
        "convert_double4",
        "convert_float",
        "convert_float16_rtz",
        "convert_half8",
        "convert_int4_sat_rte",
        "convert_uchar3_sat",
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
        "vloada_half4",
        "vstore4",
        "vstore_half",
        "vstore_half8_rte",
        "vstorea_half16",
    ];
    floats.into_iter().chain(others).flatten().chain(&single).copied().collect()
}

/// The declarations that a text leads to, a line each.
fn lines(text: &str) -> Vec<String> {
    let all = declarations(text).expect("all of its functions are known");
    all.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// Each function's declarations: result, attributes and parameters.
fn signatures(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let joined = text.replace(",\n", ", ");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in joined.lines() {
        let attributes = [
            ("NETCL_F", "__ovld __cnfn"),
            ("__attribute__((overloadable, pure))", "__ovld __purefn"),
            ("__attribute__((overloadable, convergent))", "__ovld __conv"),
            ("__attribute__((overloadable))", "__ovld"),
        ];
        let line = attributes.iter().fold(line.to_owned(), |line, (ours, theirs)| line.replace(ours, theirs));
        let Some((head, parameters)) = line.strip_suffix(");").and_then(|line| line.split_once('(')) else { continue };
        let Some((result, name)) = head.rsplit_once(' ').filter(|(result, _)| result.contains("__ovld")) else {
            continue;
        };
        let parameters: Vec<String> = parameters.split(',').map(parameter).collect();
        // OpenCL C 1.2 has no pointers into any address space.
        if parameters.iter().any(|parameter| parameter.contains('*') && !parameter.contains("__")) {
            continue;
        }
        found.entry(name.to_owned()).or_default().insert(format!("{result}({})", parameters.join(", ")));
    }
    found
}

/// A parameter without its name.
fn parameter(text: &str) -> String {
    let qualifiers = ["const", "volatile", "__global", "__local", "__private", "__constant"];
    let words = text.replace('*', " * ").replace("unsigned int", "uint");
    let (mut of_qualifiers, mut rest): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| qualifiers.contains(word));
    of_qualifiers.sort_unstable();
    let pointer = rest.contains(&"*");
    rest.truncate(1);
    format!("{} {}{}", of_qualifiers.join(" "), rest.join(" "), if pointer { " *" } else { "" })
}

#[test]
fn each_function_has_the_types_of_the_header() {
    // Where Debian's PoCL has it.
    let Ok(header) = std::fs::read_to_string("/usr/share/pocl/include/opencl-c.h") else { return };
    let (theirs, ours) = (signatures(&header), signatures(&lines(&names().join(" ")).join("\n")));
    assert_eq!(ours.len(), names().len());
    for (name, signatures) in ours {
        assert_eq!(signatures, theirs[&name], "{name}");
    }
}

/// A declaration whose result is another than the driver's own is an error beside it.
#[test]
fn drivers_take_the_declarations_beside_their_own() {
    let all = declarations(&names().join(" ")).expect("all of them are known");
    for device in with_driver().into_iter().filter(|device| device.profile().avoids(Avoid::BuiltinHeader)) {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let (context, id) = (shared.context.get(), shared.device.id());
        let built = |text: &str| {
            let program = Program::create_from_source(context, text).unwrap();
            program.build(id, "-cl-std=CL1.2").map_err(|_| program.get_build_log(id).unwrap_or_default())
        };
        let kernel = "kernel void k(global int *a) { a[0] = 1; }";
        assert_eq!(built(&format!("{all}{kernel}")), Ok(()), "{device}");
        assert!(built(&format!("int __attribute__((overloadable)) exp(float); {kernel}")).is_err(), "{device}");
    }
}

#[test]
fn what_a_text_calls_is_declared_and_nothing_else() {
    let text = "#define TWICE(x) ((x) * 2)\nfloat helper(float x) { return exp(x); } // log(x)\n/* 5\" */ \
                const T* place(T* a) { return a + MACRO(1); }\nkernel void k(global float *a) {\n\
                for (int i = 0; i < 4; ++i) a[i] = TWICE(helper(a[i]));\n#ifdef X\nsum(1);\n#endif\nplace(a); barrier(CLK_LOCAL_MEM_FENCE); }\n\
                static inline float sum(int x) { return x; }";
    let found = lines(text);
    assert_eq!(found.len(), 3 * 6 + 1, "{found:?}");
    assert!(found.contains(&"float16 NETCL_F exp(float16);".to_owned()));
    assert!(found.iter().any(|line| line.ends_with("barrier(cl_mem_fence_flags);")));
    assert!(declarations(text).is_ok_and(|all| all.ends_with("#line 1\n")));
}

#[test]
fn a_text_that_calls_what_is_not_known_has_the_whole_header() {
    for (text, unknown) in [
        ("a = b * dot(x, y);", "dot"),
        ("printf(\"%d\", 1);", "printf"),
        ("return sub_group_reduce_add(x);", "sub_group_reduce_add"),
        ("#endif\nimage(x);", "image"),
        ("convert_float_sat(x);", "convert_float_sat"),
    ] {
        assert_eq!(declarations(text), Err(unknown.to_owned()), "{text}");
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
        ("isless", 18),
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

/// What the compiler emits needs no header, but for atomics of 64 bits and sub-groups.
#[test]
fn generated_texts_call_what_is_declared() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/tests/golden");
    let mut texts = 0;
    for folder in [goldens.clone(), goldens.join("plans")] {
        // A package comes without them.
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.map(|entry| entry.expect("a file").path()) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|extension| extension == "cl") && !["double", "sub_group"].contains(&&*stem)
            {
                let text = std::fs::read_to_string(&path).expect("a golden");
                assert!(declarations(&text).is_ok(), "{stem}: {:?}", declarations(&text).err());
                texts += 1;
            }
        }
    }
    assert!(texts > 15, "{texts} goldens");
}
