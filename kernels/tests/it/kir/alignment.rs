//! Vectors that are accessed as one: only those whose place is a multiple of their size whatever a launch passes.

use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::emit::opencl;
use netcl_kernels::graph::BinaryOp;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Access, ExprId, Launch, ParamKind, WorkItem};

/// The OpenCL C of `to[place] = from[place]`, vectors of so many lanes.
fn copy(dtype: DType, lanes: u8, place: impl FnOnce(&mut KernelBuilder) -> ExprId) -> String {
    let mut b = KernelBuilder::new("copy", Launch { global: vec![Dim::constant(64)], local: vec![64] });
    let [from, to] = [("from", Access::Read), ("to", Access::Write)]
        .map(|(name, access)| b.param(name, ParamKind::Buffer(dtype, access)));
    let index = place(&mut b);
    let value = b.load(from, index, lanes);
    b.store(to, index, value);
    let kernel = b.finish();
    opencl::kernel(&verify(&kernel, &Capabilities::unlimited()).expect("a valid kernel"))
}

/// `item * factor + offset`, in a variable.
fn line(b: &mut KernelBuilder, factor: i64, offset: i64) -> ExprId {
    let item = b.work_item(WorkItem::GlobalId, 0);
    let [factor, offset] = [factor, offset].map(|number| b.int(number));
    let scaled = b.mul(item, factor);
    let place = b.add(scaled, offset);
    b.named("place", place)
}

fn is_whole(text: &str) -> bool {
    let by_element = text.contains("vload") && text.contains("vstore");
    let as_one = text.contains("= *(__global const ") || text.contains("(*(__global const ");
    assert_ne!(as_one, by_element, "{text}");
    as_one
}

#[test]
fn a_vector_is_accessed_as_one_where_its_place_is_a_multiple_of_its_lanes() {
    for (factor, offset, lanes, whole) in [
        (4, 0, 4, true),
        (4, 8, 4, true),
        (12, 64, 4, true),
        (2, 0, 4, false),
        (4, 2, 4, false),
        (4, 2, 2, true),
        (6, 4, 2, true),
        (3, 0, 2, false),
    ] {
        let text = copy(DType::F32, lanes, |b| line(b, factor, offset));
        assert_eq!(is_whole(&text), whole, "{factor} * item + {offset}, {lanes} lanes:\n{text}");
    }
}

#[test]
fn one_access_has_at_most_16_bytes() {
    let types = [
        (DType::U8, 16, true),
        (DType::BF16, 8, true),
        (DType::BF16, 16, false),
        (DType::F32, 4, true),
        (DType::F32, 8, false),
        (DType::F64, 2, true),
        (DType::F64, 4, false),
    ];
    for (dtype, lanes, whole) in types {
        let text = copy(dtype, lanes, |b| line(b, 16, 0));
        assert_eq!(is_whole(&text), whole, "{lanes} of {dtype}:\n{text}");
    }
    // Halves go by their bits.
    let text = copy(DType::F16, 4, |b| line(b, 4, 0));
    assert!(
        text.contains("*(__global const ushort4*)(from + ") && text.contains("*(__global ushort4*)(to + "),
        "{text}"
    );
}

#[test]
fn loops_and_remainders_keep_multiples() {
    let looped = |start: i64, step: i64| {
        let mut b = KernelBuilder::new("looped", Launch { global: vec![Dim::constant(64)], local: vec![64] });
        let [from, to] = [("from", Access::Read), ("to", Access::Write)]
            .map(|(name, access)| b.param(name, ParamKind::Buffer(DType::F32, access)));
        let [start, end, step, size] = [start, 4096, step, 4096].map(|number| b.int(number));
        b.for_loop("k", start, end, step, |b, k| {
            let place = b.binary(BinaryOp::Rem, k, size);
            let value = b.load(from, place, 4);
            b.store(to, place, value);
        });
        let kernel = b.finish();
        opencl::kernel(&verify(&kernel, &Capabilities::unlimited()).expect("a valid kernel"))
    };
    assert!(is_whole(&looped(8, 256)));
    assert!(!is_whole(&looped(2, 256)));
    assert!(!is_whole(&looped(8, 6)));
}

#[test]
fn a_position_is_a_multiple_of_what_it_says() {
    let loaded = |step: u8| {
        let mut b = KernelBuilder::new("loaded", Launch::function());
        let from = b.param("from", ParamKind::Buffer(DType::F32, Access::Read));
        let to = b.param("to", ParamKind::Buffer(DType::F32, Access::Write));
        let (row, n) = (b.position("m", 1), b.position("n", step));
        let columns = b.int(48);
        let row = b.mul(row, columns);
        let place = b.add(row, n);
        let value = b.load(from, place, 4);
        b.store(to, place, value);
        let kernel = b.finish();
        opencl::kernel(&verify(&kernel, &Capabilities::unlimited()).expect("a valid function"))
    };
    assert!(is_whole(&loaded(4)));
    assert!(!is_whole(&loaded(1)));
}
