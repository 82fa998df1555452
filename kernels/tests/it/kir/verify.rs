//! One kernel for each of the verifier's rules that breaks that rule alone.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::UnaryOp;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::text;
use netcl_kernels::kir::verify::{Capabilities, RULES, verify};
use netcl_kernels::kir::*;

/// Declarations that the broken kernels share.
const HEAD: &str = "
param x: read f32
param y: write f32
param z: read_write u32
param w: read_write f32
param n: scalar i32
param N: symbol
array tile: local f32[64]
array own: private i32[4]
fn twice(a: f32) {
    return add($a, $a)
}
var i: i32
var f: f32
var v: f32x4
var b: bool
var j: u32
";

/// The kernel with that body under the usual launch.
fn kernel(body: &str) -> Kernel {
    let source = format!("kernel k\nlaunch [N] local [64]\n{HEAD}\n{body}");
    text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// The rules that a kernel breaks.
fn broken(kernel: &Kernel, capabilities: &Capabilities) -> Vec<String> {
    let Err(errors) = verify(kernel, capabilities) else { return Vec::new() };
    let rule = |message: &str| message.rsplit_once('[').map_or("?", |(_, rule)| rule.trim_end_matches(']')).to_string();
    errors.iter().map(|error| rule(&error.message)).collect()
}

/// The kernel breaks that rule and nothing else.
#[track_caller]
fn breaks(rule: &str, kernel: &Kernel) {
    let rules = broken(kernel, &Capabilities::unlimited());
    assert!(!rules.is_empty() && rules.iter().all(|found| found == rule), "{rule} wanted, {rules:?} found");
}

#[track_caller]
fn body_breaks(rule: &str, body: &str) {
    breaks(rule, &kernel(body));
}

#[track_caller]
fn passes(body: &str) {
    let kernel = kernel(body);
    let errors = verify(&kernel, &Capabilities::unlimited()).err();
    assert_eq!(errors, None);
}

fn changed(change: impl FnOnce(&mut Kernel)) -> Kernel {
    let mut kernel = kernel("store @y[0u32] = 1.0f32");
    change(&mut kernel);
    kernel
}

#[test]
fn k01_names() {
    breaks("K01", &changed(|kernel| kernel.name = "float4".into()));
    breaks("K01", &changed(|kernel| kernel.name = "größe".into()));
    breaks("K01", &changed(|kernel| kernel.params[0].name = "a b".into()));
    breaks("K01", &changed(|kernel| kernel.functions[0].name = "".into()));
}

#[test]
fn k02_distinct_names() {
    breaks("K02", &changed(|kernel| kernel.params[1].name = "x".into()));
    breaks("K02", &changed(|kernel| kernel.arrays[0].name = "x".into()));
    breaks("K02", &changed(|kernel| kernel.functions.push(kernel.functions[0].clone())));
}

#[test]
fn k03_launch() {
    breaks("K03", &changed(|kernel| kernel.launch.global = vec![1usize.into(); 4]));
    breaks("K03", &changed(|kernel| kernel.launch.local = vec![8, 8]));
    breaks("K03", &changed(|kernel| kernel.launch.local = vec![0]));
    let value = ParamKind::Value(ValueType::scalar(DType::F32));
    breaks("K03", &changed(|kernel| kernel.params.push(Param { name: "value".into(), kind: value })));
    let position = ParamKind::Position(1);
    breaks("K03", &changed(|kernel| kernel.params.push(Param { name: "at".into(), kind: position })));
    breaks("K03", &changed(|kernel| kernel.launch = Launch::function()));
    breaks("K03", &changed(|kernel| kernel.result = Some(ExprId(0))));
    let mut function = KernelBuilder::new("f", Launch::function());
    function.position("at", 3);
    breaks("K03", &function.finish());
    let large = changed(|kernel| kernel.launch.local = vec![512]);
    assert_eq!(broken(&large, &Capabilities::portable()), ["K03"]);
}

#[test]
fn k04_work_group_size() {
    breaks("K04", &changed(|kernel| kernel.launch.local.clear()));
}

#[test]
fn k05_arrays() {
    breaks("K05", &changed(|kernel| kernel.arrays[1].length = 0));
    // What no device has, whatever a device is said to have.
    for space in [Space::Local, Space::Private] {
        let with = |bytes: u64| {
            changed(|kernel| {
                kernel.arrays.truncate(1);
                kernel.arrays[0] = Array { space, dtype: DType::U8, length: bytes as u32, ..kernel.arrays[0].clone() };
            })
        };
        assert_eq!(broken(&with(space.most_bytes()), &Capabilities::unlimited()), [""; 0]);
        breaks("K05", &with(space.most_bytes() + 1));
    }
    let large = changed(|kernel| kernel.arrays[0].length = 4097);
    assert_eq!(broken(&large, &Capabilities::portable()), ["K05"]);
}

#[test]
fn k06_types_of_values() {
    breaks("K06", &changed(|kernel| kernel.vars[2].ty.lanes = 3));
    breaks("K06", &changed(|kernel| kernel.vars[1].ty.dtype = DType::F16));
    breaks("K06", &changed(|kernel| kernel.params[4].kind = ParamKind::Scalar(DType::BF16)));
    body_breaks("K06", "let $f = lane.0(load.3 @x[0u32])");
}

#[test]
fn k07_double_precision() {
    let double = kernel("store @y[0u32] = 1.0f64");
    assert_eq!(broken(&double, &Capabilities::portable()), ["K07"]);
    assert!(verify(&double, &Capabilities::unlimited()).is_ok());
    let buffer = changed(|kernel| kernel.params[3].kind = ParamKind::Buffer(DType::F64, Access::ReadWrite));
    assert_eq!(broken(&buffer, &Capabilities::portable()), ["K07"]);
}

#[test]
fn k08_ids() {
    breaks("K08", &changed(|kernel| kernel.exprs.insert(0, Expr::Unary(UnaryOp::Neg, ExprId(0)))));
    breaks("K08", &changed(|kernel| kernel.exprs.push(Expr::Var(VarId(99)))));
    breaks("K08", &changed(|kernel| kernel.exprs.push(Expr::Param(ParamId(99)))));
    breaks("K08", &changed(|kernel| kernel.body.push(Stmt::Let(VarId(1), ExprId(99)))));
    body_breaks("K08", "let $f = @x");
    body_breaks("K08", "store @9[0u32] = 1.0f32");
    body_breaks("K08", "store #9[0u32] = 1.0f32");
    body_breaks("K08", "set $9 = 1.0f32");
}

#[test]
fn k09_literals() {
    breaks("K09", &changed(|kernel| kernel.exprs.push(Expr::Literal(Literal::Int(256, DType::U8)))));
    breaks("K09", &changed(|kernel| kernel.exprs.push(Expr::Literal(Literal::Int(1, DType::F32)))));
    breaks("K09", &changed(|kernel| kernel.exprs.push(Expr::Literal(Literal::float(1.0, DType::F16)))));
}

#[test]
fn k10_functions_of_one_value() {
    body_breaks("K10", "let $i = exp(1i32)");
    body_breaks("K10", "let $f = not(1.0f32)");
    body_breaks("K10", "let $b = neg(true)");
}

#[test]
fn k11_functions_of_two_values() {
    body_breaks("K11", "let $i = shl(1i32, 1u32)");
    body_breaks("K11", "let $f = add(1.0f32, 1i32)");
    body_breaks("K11", "let $v = add(load.4 @x[0u32], 1.0f32)");
    body_breaks("K11", "let $f = and(1.0f32, 1.0f32)");
    body_breaks("K11", "let $i = pow(1i32, 1i32)");
    body_breaks("K11", "let $b = max(true, false)");
}

#[test]
fn k12_shifts() {
    body_breaks("K12", "let $f = shr(1.0f32, 1.0f32)");
}

#[test]
fn k13_multiply_and_add() {
    body_breaks("K13", "let $f = mul_add(1.0f32, 1.0f32, 1i32)");
    body_breaks("K13", "let $b = mul_add(true, true, true)");
}

#[test]
fn k14_comparisons() {
    body_breaks("K14", "let $b = lt(1.0f32, 1i32)");
    body_breaks("K14", "let $b = lt(true, false)");
}

#[test]
fn k15_selections() {
    body_breaks("K15", "let $f = select(1i32, 1.0f32, 1.0f32)");
    body_breaks("K15", "let $f = select(true, 1.0f32, 1i32)");
    body_breaks("K15", "let $f = select(lt(load.4 @x[0u32], load.4 @x[0u32]), 1.0f32, 1.0f32)");
}

#[test]
fn k16_bit_casts() {
    body_breaks("K16", "let $f = cast.f32(bitcast.i64(1.0f32))");
    body_breaks("K16", "let $b = bitcast.bool(1u8)");
}

#[test]
fn k17_loads() {
    body_breaks("K17", "let $f = load @y[0u32]");
    body_breaks("K17", "let $f = load @n[0u32]");
}

#[test]
fn k18_splats_and_lane_numbers() {
    body_breaks("K18", "let $v = splat.3(1.0f32)");
    body_breaks("K18", "let $v = splat.4(load.4 @x[0u32])");
    body_breaks("K18", "let $f = lane_ids.f32.1");
    body_breaks("K18", "let $b = lane.0(lane_ids.bool.4)");
}

#[test]
fn k19_lanes() {
    body_breaks("K19", "let $f = lane.4(load.4 @x[0u32])");
    body_breaks("K19", "let $f = lane.0(1.0f32)");
    body_breaks("K19", "let $f = horizontal.sum(1.0f32)");
    body_breaks("K19", "let $f = horizontal.argmax(load.4 @x[0u32])");
}

#[test]
fn k20_random_numbers() {
    body_breaks("K20", "let $f = philox.0(1i32, 1u32)");
    body_breaks("K20", "let $f = philox.0(1u32, 1i32)");
}

#[test]
fn k21_indices() {
    body_breaks("K21", "let $f = load @x[1.0f32]");
    body_breaks("K21", "store @y[true] = 1.0f32");
    body_breaks("K21", "let $i = load #own[4u32]");
    body_breaks("K21", "store #own[-1i32] = 1i32");
}

#[test]
fn k22_index_space() {
    body_breaks("K22", "let $j = global_id.3");
    let lane = kernel("let $j = sub_group_lane.0");
    assert_eq!(broken(&lane, &Capabilities::portable()), ["K22"]);
}

#[test]
fn k23_sub_groups() {
    body_breaks("K23", "let $v = sub_group.reduce_add(load.4 @x[0u32])");
    body_breaks("K23", "let $f = sub_group.reduce_add(1.0f32, 1u32)");
    body_breaks("K23", "let $f = sub_group.broadcast(1.0f32)");
}

#[test]
fn k24_recursion() {
    body_breaks("K24", "let $f = call 7(1.0f32)");
    breaks("K24", &changed(|kernel| kernel.functions[0].exprs.push(Expr::Call(0, vec![ExprId(0)]))));
}

#[test]
fn k25_calls() {
    body_breaks("K25", "let $f = call twice(1i32)");
    body_breaks("K25", "let $f = call twice(1.0f32, 1.0f32)");
}

#[test]
fn k26_size_of_trees() {
    // Each level uses the one before twice: small in the arena, 2^20 nodes when written out.
    let shared: String = (1..20).map(|n| format!("%{n} = add(%{0}, %{0})\n", n - 1)).collect();
    body_breaks("K26", &format!("%0 = 1.0f32\n{shared}let $f = %19"));
    let deep: String = (1..250).map(|n| format!("%{n} = neg(%{})\n", n - 1)).collect();
    body_breaks("K26", &format!("%0 = 1.0f32\n{deep}let $f = %249"));
}

#[test]
fn k27_scopes() {
    body_breaks("K27", "store @y[0u32] = $f");
    body_breaks("K27", "set $f = 1.0f32");
    body_breaks("K27", "if true {\nlet $f = 1.0f32\n}\nstore @y[0u32] = $f");
    body_breaks("K27", "for $i in 0i32 .. 4i32 step 1i32 {\n}\nstore @y[$i] = 1.0f32");
    body_breaks("K27", "let $f = 1.0f32\nlet $f = 1.0f32");
    passes("if true {\nlet $f = 1.0f32\nset $f = add($f, 1.0f32)\nstore @y[0u32] = $f\n}");
}

#[test]
fn k28_types_of_variables() {
    body_breaks("K28", "let $f = 1i32");
    body_breaks("K28", "let $f = 1.0f32\nset $f = 1i32");
    body_breaks("K28", "store #tile[0u32] = load.4 @x[0u32]");
}

#[test]
fn k29_loop_counters() {
    body_breaks("K29", "for $i in 0i32 .. 4i32 step 1i32 {\nset $i = 0i32\n}");
}

#[test]
fn k30_stores() {
    body_breaks("K30", "store @x[0u32] = 1.0f32");
    body_breaks("K30", "store @N[0u32] = 1.0f32");
}

#[test]
fn k31_loops() {
    body_breaks("K31", "for $i in 0i32 .. 4u32 step 1i32 {\n}");
    body_breaks("K31", "for $i in 0i32 .. 4i32 step 0i32 {\n}");
    body_breaks("K31", "for $f in 0.0f32 .. 4.0f32 step 1.0f32 {\n}");
}

#[test]
fn k32_conditions() {
    body_breaks("K32", "if 1i32 {\n}");
    body_breaks("K32", "while lt(load.4 @x[0u32], load.4 @x[0u32]) {\nbreak\n}");
}

#[test]
fn k33_break_and_continue() {
    body_breaks("K33", "break");
    body_breaks("K33", "if true {\ncontinue\n}");
}

#[test]
fn k34_divergence() {
    body_breaks("K34", "if lt(local_id.0, 3u32) {\nbarrier\n}");
    body_breaks("K34", "for $j in local_id.0 .. 64u32 step 1u32 {\nbarrier\n}");
    body_breaks("K34", "while gt(load @w[0u32], 0.0f32) {\nbarrier\n}");
    // through a variable that another branch changes
    body_breaks("K34", "let $i = 0i32\nif eq(local_id.0, 0u32) {\nset $i = 1i32\n}\nif eq($i, 0i32) {\nbarrier\n}");
    // through leaving a loop early, in a later round
    body_breaks("K34", "while lt(@n, 3i32) {\nbarrier\nif eq(local_id.0, 0u32) {\nbreak\n}\n}");
    body_breaks("K34", "let $f = select(eq(local_id.0, 0u32), sub_group.reduce_add(1.0f32), 0.0f32)");
    // The right side of `&&` and `||` is evaluated only where the left one says so.
    let meets = "gt(sub_group.reduce_add(1.0f32), 3.0f32)";
    for op in ["and", "or"] {
        body_breaks("K34", &format!("let $b = {op}(lt(local_id.0, 3u32), {meets})"));
        passes(&format!("let $b = {op}({meets}, lt(local_id.0, 3u32))"));
        passes(&format!("let $b = {op}(eq(group_id.0, 3u32), {meets})"));
        passes(&format!("let $j = {op}(local_id.0, sub_group.reduce_add(1u32))"));
    }
    body_breaks("K34", "if eq(sub_group_id.0, 0u32) {\nbarrier\n}");
    passes("if eq(group_id.0, 3u32) {\nbarrier\n}\nif lt(@n, 3i32) {\nbarrier global\n}");
    passes("for $j in 0u32 .. @N step 4u32 {\nbarrier\nif eq(local_id.0, $j) {\nlet $f = 0.0f32\n}\nbarrier\n}");
    passes("if eq(sub_group_id.0, 0u32) {\nlet $f = sub_group.reduce_add(load @x[local_id.0])\n}");
    passes("if gt(load @x[group_id.0], 0.0f32) {\nbarrier\n}");
}

#[test]
fn k35_atomics() {
    body_breaks("K35", "atomic.add @x[0u32], 1.0f32");
    body_breaks("K35", "atomic.add #own[0u32], 1i32");
    body_breaks("K35", "atomic.xor @w[0u32], 1.0f32");
    body_breaks("K35", "atomic.add @z[0u32], 1i32");
    let wide = changed(|kernel| {
        kernel.params[3].kind = ParamKind::Buffer(DType::I64, Access::ReadWrite);
        kernel.exprs.push(Expr::Literal(Literal::Int(1, DType::I64)));
        let (target, value) = (AtomicTarget::Buffer(ParamId(3)), ExprId(kernel.exprs.len() as u32 - 1));
        kernel.body.push(Stmt::Atomic { op: AtomicOp::Add, target, index: ExprId(0), value, old: None });
    });
    assert_eq!(broken(&wide, &Capabilities::portable()), ["K35"]);
    assert!(verify(&wide, &Capabilities::unlimited()).is_ok());
}

#[test]
fn k36_nesting() {
    body_breaks("K36", &format!("{}{}", "if true {\n".repeat(49), "}\n".repeat(49)));
}

#[test]
fn k37_functions_are_pure() {
    let source =
        |body: &str| format!("kernel k\nlaunch [N] local [64]\nparam y: write f32\nfn f(a: f32) {{\n{body}\n}}");
    for body in [
        "store @y[0u32] = 1.0f32\nreturn $a",
        "barrier\nreturn $a",
        "return cast.f32(global_id.0)",
        "return lane.0(splat.4($a))",
    ] {
        breaks("K37", &text::parse(&source(body)).expect(body));
    }
    breaks("K37", &changed(|kernel| kernel.functions[0].params.push(VarId(7))));
}

#[test]
fn all_errors_are_reported_at_once_with_their_places() {
    let mut kernel = kernel("store @x[0u32] = 1.0f32\nlet $f = exp(1i32)\nbreak");
    kernel.spans = (0..kernel.exprs.len() as u32).map(netcl_kernels::span::Span).collect();
    let errors = verify(&kernel, &Capabilities::unlimited()).expect_err("three mistakes");
    assert_eq!(errors.len(), 3, "{errors:#?}");
    assert_eq!(errors[0].message, "`exp` has no meaning for i32 [K10]");
    assert_eq!(errors[0].span, netcl_kernels::span::Span(3));
}

#[test]
fn every_rule_has_a_case_and_is_reported() {
    let cases = include_str!("verify.rs");
    let verifier = [
        include_str!("../../../src/kir/verify/mod.rs"),
        include_str!("../../../src/kir/verify/code.rs"),
        include_str!("../../../src/kir/verify/declarations.rs"),
        include_str!("../../../src/kir/verify/flow.rs"),
        include_str!("../../../src/kir/verify/report.rs"),
        include_str!("../../../src/kir/verify/types.rs"),
        include_str!("../../../src/kir/verify/uniform.rs"),
    ]
    .concat();
    for (number, (rule, text)) in RULES.iter().enumerate() {
        assert_eq!(*rule, format!("K{:02}", number + 1));
        let name = format!("fn {}_", rule.to_lowercase());
        let quoted = format!("\"{rule}\"");
        assert!(cases.contains(&name) && cases.contains(&quoted), "{rule} ({text}) has no case");
        assert!(verifier.matches(&quoted).count() > 1, "{rule} ({text}) is never reported");
    }
    let reported = verifier.split("\"K").skip(1).filter_map(|rest| rest.get(..2)).max();
    assert_eq!(reported, RULES.last().map(|(rule, _)| &rule[1..]), "a rule is reported that is not in the table");
}
