//! Operands that kernels read from memory: what lies under reshapes, and what lies in no buffer.

use netcl_kernels::compile::{CompileOptions, compile, compile_with};
use netcl_kernels::dim::{Dim, IndexWidth, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::{AxisIndex, ConvGeometry, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::plan::{Plan, Role, Target};
use netcl_kernels::template::Choice;
use netcl_kernels::variant::{Always, KernelConfig, SPLIT_K, Variant, typical};

fn argument(b: &mut Builder, position: usize, shape: &[usize]) -> NodeId {
    b.input(InputKind::Argument(position), "", Shape::of(shape), DType::F32)
}

/// Rows, by number, of what `table` makes, as `[8, 3]`.
fn rows(table: impl Fn(&mut Builder) -> NodeId) -> Graph {
    let mut b = Builder::new("rows");
    let table = table(&mut b);
    let table = b.reshape(table, Shape::of(&[8, 3])).unwrap();
    let indices = b.input(InputKind::Argument(7), "i", Shape::of(&[5]), DType::I32);
    let rows = b.gather(table, indices).unwrap();
    b.output(OutputKind::Result(0), rows);
    b.finish()
}

fn copies(plan: &Plan) -> usize {
    plan.buffers.iter().filter(|buffer| buffer.role == Role::Scratch).count()
}

#[test]
fn reshaped_tables_are_read_where_they_lie() {
    let conv = |b: &mut Builder| {
        let (x, w) = (argument(b, 0, &[1, 2, 3, 4]), argument(b, 1, &[2, 2, 1, 1]));
        b.conv2d(x, w, ConvGeometry::default()).unwrap()
    };
    let product = |b: &mut Builder| {
        let (x, w) = (argument(b, 0, &[4, 2]), argument(b, 1, &[2, 6]));
        b.matmul(x, w).unwrap()
    };
    let sum = |b: &mut Builder| {
        let x = argument(b, 0, &[2, 12, 9]);
        b.reduce(ReduceOp::Sum, x, &[2], false).unwrap()
    };
    let computed = |b: &mut Builder| {
        let x = argument(b, 0, &[2, 12]);
        b.unary(UnaryOp::Tanh, x).unwrap()
    };
    // The rows of a permutation lie apart, and those of a slice begin behind others.
    let permuted = |b: &mut Builder| {
        let x = argument(b, 0, &[3, 2, 4]);
        let x = b.permute(x, &[1, 2, 0]).unwrap();
        b.reshape(x, Shape::of(&[8, 3])).unwrap()
    };
    let sliced = |b: &mut Builder| {
        let x = argument(b, 0, &[2, 4, 9]);
        let index = [AxisIndex::axis(0), AxisIndex::axis(1), AxisIndex { offset: Dim::from(5), ..AxisIndex::axis(2) }];
        b.view(x, Shape::of(&[2, 4, 3]), index.into()).unwrap()
    };
    let tables: [(&str, Graph, usize); 8] = [
        ("permuted", rows(permuted), 0),
        ("sliced", rows(sliced), 0),
        (
            "computed and permuted",
            rows(|b| {
                let x = argument(b, 0, &[3, 8]);
                let x = b.unary(UnaryOp::Tanh, x).unwrap();
                b.permute(x, &[1, 0]).unwrap()
            }),
            1,
        ),
        ("argument", rows(|b| argument(b, 0, &[2, 12])), 0),
        ("product", rows(product), 1),
        ("sum", rows(sum), 1),
        ("convolution", rows(conv), 1),
        ("computed", rows(computed), 1),
    ];
    for (name, graph, scratch) in tables {
        for target in Target::ALL {
            let plan = compile(&graph, target).unwrap();
            assert_eq!(copies(&plan), scratch, "{name}, {}: a table is stored once", target.name());
            assert_eq!(plan.steps.len(), 1 + scratch, "{name}, {}: the rows wait for the table", target.name());
        }
    }
}

/// A table of one row that is a number of the caller's, and a product with such a number: no buffer holds it.
#[test]
fn scalars_are_stored_where_memory_is_read() {
    let scalar = |b: &mut Builder| b.input(InputKind::Scalar(0), "s", Shape::scalar(), DType::F32);
    let mut b = Builder::new("row");
    let s = scalar(&mut b);
    let table = b.reshape(s, Shape::of(&[1, 1])).unwrap();
    let indices = b.input(InputKind::Argument(0), "i", Shape::of(&[5]), DType::I32);
    let rows = b.gather(table, indices).unwrap();
    b.output(OutputKind::Result(0), rows);
    let gathered = b.finish();

    let mut b = Builder::new("product");
    let (s, x) = (scalar(&mut b), argument(&mut b, 0, &[6, 4]));
    let left = b.broadcast_to(s, &Shape::of(&[3, 6])).unwrap();
    let product = b.matmul(left, x).unwrap();
    b.output(OutputKind::Result(0), product);
    let product = b.finish();

    let mut b = Builder::new("convolution");
    let (s, x) = (scalar(&mut b), argument(&mut b, 0, &[2, 1, 5, 5]));
    let weight = b.reshape(s, Shape::of(&[1, 1, 1, 1])).unwrap();
    let convolution = b.conv2d(x, weight, ConvGeometry::default()).unwrap();
    b.output(OutputKind::Result(0), convolution);
    let convolution = b.finish();

    for graph in [gathered, product, convolution] {
        for target in Target::ALL {
            assert!(compile(&graph, target).is_ok(), "{}, {}", graph.name, target.name());
        }
    }
}

/// What lies between the kernels is not rounded: only the sum is.
#[test]
fn the_parts_of_half_precision_sums_are_full_precision() {
    for dtype in [DType::F16, DType::BF16] {
        let mut b = Builder::new("parts");
        let [x, w] = [[8, 64], [64, 8]].map(|shape| {
            let position = usize::from(shape[0] == 64);
            b.input(InputKind::Argument(position), "x", Shape::of(&shape), dtype)
        });
        let product = b.matmul(x, w).unwrap();
        b.output(OutputKind::Result(0), product);
        let image = b.input(InputKind::Argument(2), "x", Shape::of(&[2, 8, 5, 5]), dtype);
        let filters = b.input(InputKind::Argument(3), "x", Shape::of(&[8, 8, 3, 3]), dtype);
        let images = b.conv2d(image, filters, ConvGeometry::default()).unwrap();
        b.output(OutputKind::Result(1), images);
        let graph = b.finish();
        for variant in [Variant::MatMulNaive, Variant::Conv2dNaive] {
            let choice = Choice::new(&[("LOCAL_M", 4), ("LOCAL_N", 16), (SPLIT_K, 4)]);
            let select = Always(KernelConfig::new(variant, choice));
            let options = CompileOptions { limits: typical(Target::Gpu), select: &select, width: IndexWidth::Narrow };
            let plan = compile_with(&graph, Target::Gpu, &options).unwrap();
            let types = |wanted: fn(&Role) -> bool| -> Vec<DType> {
                plan.buffers.iter().filter(|buffer| wanted(&buffer.role)).map(|buffer| buffer.dtype).collect()
            };
            assert_eq!(types(|role| matches!(role, Role::Scratch)), [DType::F32], "{variant} of {dtype}");
            assert_eq!(types(|role| matches!(role, Role::Output(_))), [dtype; 2]);
        }
    }
}

/// The host's library rounds to what it reads.
#[test]
fn a_product_that_is_not_rounded_is_one_of_full_precision_on_the_host() {
    let text =
        "graph unrounded\n%0 = input argument 0 : f16[4, 4]\n%1 = matmul %0, %0 : f32[4, 4]\noutput result 0 = %1\n";
    let graph = parse(text).unwrap();
    let operands = |target| -> Vec<DType> {
        let plan = compile(&graph, target).unwrap();
        plan.buffers.iter().filter(|buffer| buffer.role == Role::Scratch).map(|buffer| buffer.dtype).collect()
    };
    assert_eq!(operands(Target::Host), [DType::F32]);
    assert_eq!([Target::Gpu, Target::Cpu].map(operands), [vec![], vec![]]);
}
