use super::*;
use netcl_kernels::dtype::Literal;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::interp::{Bytes, CompiledKernel, LaunchArg, Memory, SliceMut, ops};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Access, Launch, ParamKind};

/// Types in which expressions are computed.
trait Number: Copy {
    const DTYPE: DType;
    fn literal(self) -> Literal;
    fn of(bytes: &Bytes) -> Self;
}

macro_rules! numbers {
    ($($type:ident $name:ident: $literal:expr;)*) => {$(
        impl Number for $type {
            const DTYPE: DType = DType::$name;
            fn literal(self) -> Literal {
                $literal(self.into(), DType::$name)
            }
            fn of(bytes: &Bytes) -> $type {
                let mut out = [Default::default()];
                bytes.read(0, SliceMut::$name(&mut out));
                out[0]
            }
        }
    )*};
}
numbers! {
    i32 I32: Literal::Int;
    u32 U32: Literal::Int;
    i64 I64: Literal::Int;
    f32 F32: Literal::float;
    f64 F64: Literal::float;
}

/// As the interpreter computes it, in a kernel that is the expression alone.
fn value<T: Number>(text: &str, inputs: &[T]) -> T {
    let names = Expression::variables(inputs.len());
    let expression = Expression::parse(text, &names, T::DTYPE).unwrap();
    let mut builder = KernelBuilder::new("value", Launch { global: vec![1.into()], local: Vec::new() });
    let scalars: Vec<_> = names.iter().map(|name| builder.scalar(name, T::DTYPE)).collect();
    let (out, first) = (builder.param("out", ParamKind::Buffer(T::DTYPE, Access::Write)), builder.int(0));
    let result = expression.lower(&mut builder, &scalars);
    builder.store(out, first, result);
    let kernel = builder.finish();
    let compiled = CompiledKernel::new(&verify(&kernel, &Capabilities::unlimited()).unwrap());
    let out = Bytes::zeros(T::DTYPE, 1);
    let mut arguments: Vec<LaunchArg<'_>> = inputs.iter().map(|input| LaunchArg::Scalar(input.literal())).collect();
    arguments.push(LaunchArg::Buffer(&out));
    compiled.launch(&arguments, &[], ops::baseline).unwrap().run_groups(0..1).unwrap();
    T::of(&out)
}

fn problem(text: &str, dtype: DType) -> (usize, String) {
    match Expression::parse(text, &Expression::variables(2), dtype) {
        Err(Error::Expression { column, problem, .. }) => (column, problem),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn operators_rank_as_in_c() {
    assert_eq!(value("1 + 2 * 3 - 4 / 2", &[0i32; 0]), 5);
    assert_eq!(value("10 - 4 - 3", &[0i32; 0]), 3);
    assert_eq!(value("1 | 2 ^ 3 & 1", &[0i32; 0]), 1 | (2 ^ (3 & 1)));
    assert_eq!(value("1 << 2 + 1", &[0i32; 0]), 8);
    assert_eq!(value("-v0 * 2 < 3 && !0", &[4i32]), 1);
    assert_eq!(value("v0 ? 1 : v1 ? 2 : 3", &[0i32, 5]), 2);
    assert_eq!(value("MUL(ADD(v0, v1), 2.0f)", &[1.5f32, 2.0]), 7.0);
    assert_eq!(value("clamp(v0, -1.0f, 1e0)", &[-3.0f64]), -1.0);
    assert_eq!(value("0xFFu + ~0", &[0u32; 0]), 254);
}

#[test]
fn integers_have_no_undefined_cases() {
    assert_eq!(value("v0 / v1", &[i32::MIN, -1]), i32::MIN);
    assert_eq!(value("v0 % v1", &[i32::MIN, -1]), 0);
    assert_eq!(value("v0 / v1 + v0 % v1", &[7u32, 0]), 0);
    assert_eq!(value("v0 + 1", &[i64::MAX]), i64::MIN);
    assert_eq!(value("v0 << v1", &[1u32, 33]), 2);
    assert_eq!(value("v0 >> v1", &[-8i32, 33]), -4);
    assert_eq!(value("-2147483648", &[0i32; 0]), i32::MIN);
    assert_eq!(value("abs(SMALLEST)", &[0i32; 0]), i32::MIN);
}

#[test]
fn floats_are_ieee() {
    assert!(value("min(v0, 1)", &[f32::NAN]).is_nan() && value("max(1, v0)", &[f32::NAN]).is_nan());
    assert!(value("relu(v0)", &[f32::NAN]).is_nan());
    assert_eq!(value("isnan(v0) + (v0 == v0)", &[f64::NAN]), 1.0);
    assert_eq!(value("1 / v0", &[-0.0f32]), f32::NEG_INFINITY);
    assert_eq!(value("round(v0)", &[2.5f32]), 2.0);
}

#[test]
fn mistakes_are_named_with_their_column() {
    assert_eq!(problem("v0 + v2", DType::F32).0, 6);
    assert_eq!(problem("v0 +", DType::F32), (5, "expected a value, found the end".into()));
    assert_eq!(problem("v0 v1", DType::F32).0, 4);
    assert_eq!(problem("sqrt(v0)", DType::I32).1, "`sqrt` is for floats, the elements are i32");
    assert_eq!(problem("v0 & 1", DType::F32).1, "`&` is for integers, the elements are f32");
    assert_eq!(problem("1.5", DType::I32).1, "the number 1.5 is for floats, the elements are i32");
    assert_eq!(problem("v0 + 1e50", DType::F16), (6, "this number is beyond what f32 holds; write `INFINITY`".into()));
    assert_eq!(problem("1e999", DType::F64).1, "this number is beyond what f64 holds; write `INFINITY`");
    assert_eq!((value("-1e50", &[0f64; 0]), value("-INFINITY", &[0f32; 0])), (-1e50, f32::NEG_INFINITY));
    assert_eq!(problem("4294967296", DType::U32).1, "4294967296 has more bits than u32");
    assert_eq!(problem("min(v0)", DType::F32).1, "`min` takes 2 arguments, found 1");
    assert!(problem("system(v0)", DType::F32).1.starts_with("there is no function `system`; there is ADD"));
    assert!(problem("min", DType::F32).1.contains("is a function"));
    for text in ["", "v0[3]", "*v0", "v0; v1", "v0 = v1", "v0 \"", "(v0", "1.2.3", "v0 \\\n", "ä", "#define", "{"] {
        problem(text, DType::F32);
    }
    assert!(problem(&"(".repeat(100_000), DType::F32).1.contains("nesting"));
    assert!(problem(&"-".repeat(100_000), DType::F32).1.contains("nesting"));
    assert!(problem(&vec!["v0"; 10_000].join("+"), DType::F32).1.contains("parts"));
}

/// As a thread with the smallest stack parses them, and long ones in one pass.
#[test]
fn neither_length_nor_depth_is_beyond_a_small_stack() {
    let inner = |text: &str, depth: usize, open: &str, close: &str| {
        format!("{}{text}{}", open.repeat(depth), close.repeat(depth))
    };
    let parse = move || {
        for (open, close) in
            [("(", ")"), ("-", ""), ("abs(", ")"), ("v0+(", ")"), ("v0?v0:", ""), ("(v0?", ":1)"), ("min(v0,", ")")]
        {
            let depth = if open == "(v0?" { 30 } else { 60 };
            let value = value(&inner("v0", depth, open, close), &[0.0f32, 1.0]);
            assert!(value == 0.0 || open == "(v0?" && value == 1.0, "{open}: {value}");
            for depth in [70, 3000] {
                let (_, problem) = problem(&inner("v0", depth, open, close), DType::F32);
                assert!(problem.contains("levels of nesting"), "{open} {depth}: {problem}");
            }
        }
        // The place of a mistake is counted in characters, however far it is.
        let long = format!("{}v9", "v0 +\u{2003}".repeat(1000));
        assert_eq!(problem(&long, DType::F32).0, 1000 * 5 + 1);
    };
    // No system has smaller ones than the standard library asks for here.
    std::thread::Builder::new().stack_size(64 << 10).spawn(parse).unwrap().join().unwrap();
}

#[test]
fn choices_and_prefixes_bind_as_in_c() {
    let of = |text: &str| value(text, &[0i32, 1, 2, 3]);
    for (text, expected) in [
        ("v0 ? 1 : v1 ? 2 : 3", 2),
        ("v1 ? v0 ? 1 : 2 : 3", 2),
        ("v0 ? 5 : 1 || 0", 1),
        ("(v0 ? 5 : 6) + 1", 7),
        ("v0 ? 5 : 6 + 1", 7),
        ("1 + v1 ? 2 : 3", 2),
        ("-v2 - -v3", 1),
        ("- - v2 * !v0 + ~v0", 1),
        ("!v0 == 1 && -1 < 0", 1),
        ("max(v0 ? 1 : 2, v1 ? 3 : 4) * 2", 6),
        ("clamp(7, 1 + 1, min(3, 4)) - 1", 2),
        ("20 - 3 - 2 * 2 << 1 & 0xFF", 26),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
    for (text, expected) in [
        ("(v0", "expected `)`, found the end"),
        ("v0)", "expected the end or an operator, found `)`"),
        ("v0 ? 1", "expected `:`, found the end"),
        ("v0 ? 1, 2", "expected `:`, found `,`"),
        ("v0 : 1", "expected the end or an operator, found `:`"),
        ("(v0, 1)", "expected `)`, found `,`"),
        ("min(v0 v1)", "expected `,` or `)`, found `v1`"),
        ("min(v0, )", "expected a value, found `)`"),
        ("min()", "`min` takes 2 arguments, found 0"),
        ("min(v0, v1, 1)", "`min` takes 2 arguments, found 3"),
        ("abs(v0 ? 1 : 2", "expected `,` or `)`, found the end"),
    ] {
        assert_eq!(problem(text, DType::I32).1, expected, "{text}");
    }
}

#[test]
fn small_types_are_computed_in_larger_ones() {
    let computed = |dtype| Expression::parse("v0 + 1", &Expression::variables(1), dtype).map(|own| own.dtype);
    assert_eq!(
        [DType::U8, DType::BF16, DType::F16].map(|dtype| computed(dtype).unwrap()),
        [DType::I32, DType::F32, DType::F32]
    );
    assert!(problem("v0", DType::Bool).1.contains("`cast` to one of u8, i32"));
}

#[test]
fn the_arity_is_seen_in_the_text() {
    assert_eq!(Expression::arity("MUL(ADD(v0, v3), 2.0f)"), 4);
    assert_eq!(Expression::arity("1 + x"), 0);
    assert_eq!(Expression::arity("v18446744073709551615"), usize::MAX);
}

/// Every value has a name before it nests so deeply that the verifier refuses it.
#[test]
fn long_and_deep_ones_become_opencl() {
    let variables = Expression::variables(2);
    let long = vec!["v0"; 1000].join(" + ");
    let deep = format!("{}v0{}", "relu(".repeat(60), ")".repeat(60));
    for text in [long.as_str(), &deep, &vec!["trunc(v0) * v1"; 100].join(" - ")] {
        let function = Expression::parse(text, &variables, DType::F32).unwrap().function("apply", &variables);
        let text = opencl(&[function]).unwrap();
        assert!(text.len() < 20_000, "{}", text.len());
    }
    assert_eq!(value(&long, &[2.0f32]), 2000.0);
}

#[test]
fn opencl_names_what_is_computed() {
    let expression = Expression::parse("max(v0 * 2, v1)", &Expression::variables(2), DType::I32).unwrap();
    let text = opencl(&[expression.function("apply", &["a".into(), "b".into()])]).unwrap();
    let expected = "// max(v0 * 2, v1)\n\
                    static inline int apply(const int a, const int b) {\n    \
                        return max((int)(a * 2u), b);\n\
                    }\n";
    assert_eq!(text, expected);
}
