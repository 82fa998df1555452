//! Which products copy their operands by tensor maps, and how those are launched.

use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::{Dim, IndexWidth, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, InputKind, NodeId, OutputKind, UnaryOp};
use netcl_kernels::kir::Launch;
use netcl_kernels::plan::{Plan, Target, Work};
use netcl_kernels::template::{Limits, MatrixUnit};
use netcl_kernels::variant::{Defaults, typical};

const UNITS: u32 = 100;

/// The plan of the product of what `make` gives, for a device whose warpgroups multiply.
fn plan(make: impl Fn(&mut Builder) -> [NodeId; 2]) -> Plan {
    let mut b = Builder::new("f");
    let [x, w] = make(&mut b);
    let y = b.matmul(x, w).unwrap();
    b.output(OutputKind::Result(0), y);
    let matrix_unit = MatrixUnit { f16: true, bf16: true, warpgroups: true };
    let limits = Limits { local_bytes: 226 << 10, work_group: 1024, units: UNITS, matrix_unit, ..typical(Target::Gpu) };
    let options = CompileOptions { limits, select: &Defaults, width: IndexWidth::Narrow };
    compile_with(&b.finish(), Target::Gpu, &options).unwrap()
}

fn argument(b: &mut Builder, position: usize, shape: &[&str]) -> NodeId {
    let sizes = shape.iter().map(|size| size.parse().map_or_else(|_| Dim::symbol(size), Dim::constant)).collect();
    b.input(InputKind::Argument(position), ["x", "w"][position], Shape(sizes), DType::BF16)
}

fn of_shapes(x: &[&str], w: &[&str]) -> Plan {
    plan(|b| [argument(b, 0, x), argument(b, 1, w)])
}

/// The launch of a product that has maps; none where it has none, or no place for them.
fn launch(plan: &Plan) -> Option<Launch> {
    let has = |text: &str| plan.source.pieces().any(|piece| piece.contains(text));
    let step = plan.steps.last()?;
    let maps = plan.buffers.iter().position(|buffer| buffer.name == "tensor_maps");
    let writes = step.writes.iter().any(|id| Some(id.0 as usize) == maps);
    assert_eq!(has("#define BULK 1\n"), writes, "{}", plan.listing());
    match &step.work {
        Work::Kernel { launch, .. } if writes => Some(launch.clone()),
        _ => None,
    }
}

fn items(plan: &Plan) -> Option<i64> {
    launch(plan).map(|launch| launch.global[0].as_constant().unwrap() / i64::from(launch.local[0]))
}

#[test]
fn rows_that_begin_at_multiples_of_16_bytes_have_maps() {
    assert!(launch(&of_shapes(&["1000", "776"], &["776", "1504"])).is_some());
    assert!(launch(&of_shapes(&["B", "776"], &["776", "1504"])).is_some());
    assert!(launch(&of_shapes(&["3", "1000", "776"], &["3", "776", "1504"])).is_some());
    assert!(launch(&of_shapes(&["3", "1000", "776"], &["776", "1504"])).is_some());
    // Rows of 777 elements, of any number, and of four.
    assert_eq!(launch(&of_shapes(&["1000", "777"], &["777", "1504"])), None);
    assert_eq!(launch(&of_shapes(&["1000", "K"], &["K", "1504"])), None);
    assert_eq!(launch(&of_shapes(&["1000", "772"], &["772", "1504"])), None);
}

#[test]
fn what_is_computed_or_goes_backwards_has_none() {
    let computed = plan(|b| {
        let (x, w) = (argument(b, 0, &["1000", "776"]), argument(b, 1, &["776", "1504"]));
        [b.unary(UnaryOp::Neg, x).unwrap(), w]
    });
    assert_eq!(launch(&computed), None, "{}", computed.listing());
    let shape = || Shape(vec![Dim::constant(1000), Dim::constant(776)]);
    let rows = |step: i64, first: i64| {
        plan(|b| {
            let (x, w) = (argument(b, 0, &["2000", "776"]), argument(b, 1, &["776", "1504"]));
            let terms = if step == 0 { vec![] } else { vec![(0, step)] };
            let row = AxisIndex { terms, offset: Dim::constant(first), divisor: 1 };
            [b.view(x, shape(), vec![row, AxisIndex::axis(1)]).unwrap(), w]
        })
    };
    assert!(launch(&rows(2, 0)).is_some());
    assert_eq!(launch(&rows(-1, 999)), None);
    // The same row, again and again.
    assert_eq!(launch(&rows(0, 3)), None);
}

#[test]
fn batches_are_one_or_lie_equally_far_apart() {
    assert!(launch(&of_shapes(&["2", "3", "1000", "776"], &["2", "3", "776", "1504"])).is_some());
    assert!(launch(&of_shapes(&["2", "3", "1000", "776"], &["776", "1504"])).is_some());
    assert_eq!(launch(&of_shapes(&["2", "3", "1000", "776"], &["3", "776", "1504"])), None);
}

#[test]
fn there_are_as_many_work_groups_as_the_device_holds_or_as_there_are_tiles() {
    // 128 x 256 results for each, of which a unit has local memory for one.
    assert_eq!(items(&of_shapes(&["16384", "768"], &["768", "2304"])), Some(i64::from(UNITS)));
    // Of any number of rows, tiles of 64 x 64 are taken, of which it has memory for three.
    assert_eq!(items(&of_shapes(&["B", "768"], &["768", "2304"])), Some(3 * i64::from(UNITS)));
    assert_eq!(items(&of_shapes(&["2048", "768"], &["768", "1024"])), Some(16 * 4));
}

#[test]
fn one_place_serves_all_products_of_a_plan() {
    let mut b = Builder::new("f");
    let (x, w) = (argument(&mut b, 0, &["B", "768"]), argument(&mut b, 1, &["768", "768"]));
    let y = b.matmul(x, w).unwrap();
    let z = b.matmul(y, w).unwrap();
    b.output(OutputKind::Result(0), z);
    let matrix_unit = MatrixUnit { f16: true, bf16: true, warpgroups: true };
    let limits = Limits { local_bytes: 226 << 10, work_group: 1024, matrix_unit, ..typical(Target::Gpu) };
    let options = CompileOptions { limits, select: &Defaults, width: IndexWidth::Narrow };
    let plan = compile_with(&b.finish(), Target::Gpu, &options).unwrap();
    let maps = plan.buffers.iter().position(|buffer| buffer.name == "tensor_maps").unwrap() as u32;
    assert_eq!(plan.steps.iter().filter(|step| step.writes.iter().any(|id| id.0 == maps)).count(), 2);
}
