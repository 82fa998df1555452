//! What is said of arrangements of elements, norms, running totals and lines that do not fit.

use super::messages::{Arg, said};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::InputKind;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::ops::{self, Value};

#[test]
#[expect(clippy::too_many_lines, reason = "a table of messages")]
fn arrangements_say_what_does_not_fit() {
    use Arg::Tensor;
    use DType::{Bool, F16, F32, U32};
    let int = |value: i64| Arg::Value(Value::Dim(Dim::constant(value)));
    let ints = |values: [i64; 2]| Arg::Value(Value::List(values.map(|v| Value::Dim(Dim::constant(v))).to_vec()));
    let (text, no) = (|text: &str| Arg::Value(Value::Text(text.to_owned())), || Arg::Value(Value::Bool(false)));
    let volume = || Tensor(F32, &[1, 2, 4, 3, 3]);
    let number = |value: f64| Arg::Value(Value::Number(value));
    let (pair, line, image) = (|| Tensor(F32, &[2, 3]), || Tensor(F32, &[1, 2, 5]), || Tensor(F32, &[1, 4, 3, 3]));
    let transposed = |weight: Arg, numbers: [i64; 5]| [vec![image(), weight], numbers.map(int).to_vec()].concat();
    let weight = || Tensor(F32, &[4, 2, 3, 3]);
    let cases: Vec<(&str, Vec<Arg>, &str)> = vec![
        ("trace", vec![Tensor(F32, &[3])], "`trace` expects a matrix [.., m, n], found [3]"),
        (
            "slice",
            vec![pair(), int(1), int(0), int(3), int(0)],
            "`slice` expects an integer constant of at least 1 as `step`, found 0",
        ),
        (
            "slice",
            vec![pair(), int(1), int(2), int(1), int(1)],
            "`slice` expects an `end` of at least `start`, found 2..1",
        ),
        ("unfold", vec![pair(), int(1), int(4), int(1)], "`unfold`: a window of 4 does not fit into 3"),
        ("dot", vec![pair(), pair()], "`dot` expects vectors [n], found [2, 3]"),
        ("dot", vec![Tensor(F32, &[2]), Tensor(F32, &[3])], "`dot` expects vectors of one length, found [2] and [3]"),
        (
            "diagonal",
            vec![pair(), int(0), int(1), int(-1)],
            "`diagonal` expects two axes of [2, 3], found axis 1 twice",
        ),
        ("cumsum", vec![Tensor(Bool, &[2]), int(0)], "`cumsum` expects numbers, found a bool tensor"),
        ("norm", vec![pair(), int(0), number(0.0)], "`norm` expects a `p` above 0, found 0"),
        (
            "cosine_similarity",
            vec![pair(), line(), int(0)],
            "`cosine_similarity` cannot combine shapes [2, 3] and [1, 2, 5]",
        ),
        ("hard_shrink", vec![pair(), number(-0.5)], "`hard_shrink` expects a `lambda` of at least 0, found -0.5"),
        ("adaptive_avg_pool2d", vec![image(), int(0)], "`adaptive_avg_pool2d` expects a `size` of at least 1, found 0"),
        ("pixel_shuffle", vec![image(), int(3)], "`pixel_shuffle` cannot divide 4 channels by 9"),
        ("pixel_unshuffle", vec![image(), int(2)], "`pixel_unshuffle` cannot divide 3 rows by 2"),
        (
            "max_pool1d",
            vec![pair(), int(2), int(2), int(0), int(1)],
            "`max_pool1d` expects a tensor [n, c, l], found [2, 3]",
        ),
        (
            "conv_transpose2d",
            transposed(pair(), [1, 0, 0, 1, 1]),
            "`conv_transpose2d` expects an image [n, c, h, w] and a weight [c, o/groups, kh, kw] of constant sizes, found \
             [1, 4, 3, 3] and [2, 3]",
        ),
        (
            "conv_transpose2d",
            transposed(Tensor(F16, &[4, 2, 3, 3]), [1, 0, 0, 1, 1]),
            "`conv_transpose2d` of f32 expects a weight of the same type, found f16",
        ),
        (
            "conv_transpose2d",
            transposed(weight(), [0, 0, 0, 1, 1]),
            "`conv_transpose2d` expects strides, dilations and kernels of at least 1, found 0",
        ),
        (
            "conv_transpose2d",
            transposed(weight(), [2, 0, 2, 1, 1]),
            "`conv_transpose2d` expects an `output_padding` below the stride or the dilation, found 2 with 2 and 1",
        ),
        (
            "conv_transpose2d",
            transposed(weight(), [1, 3, 0, 1, 1]),
            "`conv_transpose2d` leaves nothing of axis 2 of [1, 4, 3, 3]: with a padding of 3 its size is -1",
        ),
        (
            "conv3d",
            vec![image(), image(), int(1), int(0), int(1), int(1)],
            "`conv3d` expects a volume [n, c, d, h, w] and a weight [o, c/groups, kd, kh, kw], found [1, 4, 3, 3] and [1, 4, 3, 3]",
        ),
        (
            "conv3d",
            vec![volume(), Tensor(F32, &[2, 2, 5, 1, 1]), int(1), int(0), int(1), int(1)],
            "`conv3d`: a window of 5 does not fit into 4",
        ),
        (
            "conv3d",
            vec![volume(), volume(), ints([1, 1]), int(0), int(1), int(1)],
            "`conv3d` expects one integer or [depth, height, width] as `stride`, found a list of 2",
        ),
        (
            "grid_sample",
            vec![pair(), pair(), text("bilinear"), text("zeros"), no()],
            "`grid_sample` expects an image [n, c, h, w] and a grid [n, oh, ow, 2], found [2, 3] and [2, 3]",
        ),
        (
            "grid_sample",
            vec![image(), Tensor(F16, &[1, 2, 2, 2]), text("bilinear"), text("zeros"), no()],
            "`grid_sample` of f32 expects a grid of the same type, found f16",
        ),
        (
            "grid_sample",
            vec![image(), Tensor(F32, &[1, 2, 2, 2]), text("cubic"), text("zeros"), no()],
            "`grid_sample` expects `bilinear` or `nearest` as `mode`, found `cubic`",
        ),
        (
            "embedding_bag",
            vec![pair(), Tensor(U32, &[2]), text("sum")],
            "`embedding_bag` expects rows [r, d] and indices [n, l], found [2, 3] and [2]",
        ),
        (
            "embedding_bag",
            vec![pair(), Tensor(U32, &[2, 1]), text("min")],
            "`embedding_bag` expects \"sum\", \"mean\" or \"max\" as `mode`, found \"min\"",
        ),
        (
            "take_along_axis",
            vec![pair(), Tensor(F32, &[2, 1]), int(1)],
            "`take_along_axis` expects i32 or u32 indices, found f32",
        ),
        (
            "take_along_axis",
            vec![pair(), Tensor(U32, &[3, 1]), int(1)],
            "`take_along_axis` along axis 1 of [2, 3] expects indices with its other axes, found [3, 1]",
        ),
        (
            "take_along_axis",
            vec![Tensor(F32, &[2, 1 << 30]), Tensor(U32, &[2, 1]), int(1)],
            "`take_along_axis` counts up to 2147483647 elements, [2, 1073741824] has 2147483648",
        ),
        (
            "scatter_add",
            vec![pair(), int(1), Tensor(U32, &[2, 1]), pair()],
            "`scatter_add` expects a source of its indices' shape, found [2, 3] for [2, 1]",
        ),
        (
            "scatter_add",
            vec![Tensor(Bool, &[2]), int(0), Tensor(U32, &[2]), Tensor(Bool, &[2])],
            "`scatter_add` expects numbers, found a bool tensor",
        ),
        (
            "index_add",
            vec![pair(), int(0), Tensor(U32, &[1, 1]), pair()],
            "`index_add` expects indices with one axis, found [1, 1]",
        ),
        (
            "index_add",
            vec![pair(), int(0), Tensor(U32, &[5]), pair()],
            "`index_add` expects a source [5, 3], found [2, 3]",
        ),
    ];
    for (operation, args, expected) in cases {
        assert_eq!(said(operation, &args), expected);
    }
}

#[test]
fn a_diagonal_of_sizes_that_are_not_known_is_that_of_a_square() {
    let mut b = Builder::new("diagonal");
    let sizes = ["M", "N"].map(Dim::symbol).to_vec();
    let x = b.input(InputKind::Argument(0), "x", Shape(sizes), DType::F32);
    let zero = || Value::Dim(Dim::constant(0));
    let operation = ops::find("diagonal").expect("an operation");
    let error = ops::call(&mut b, operation, &[Value::Tensor(x), zero(), zero(), Value::Dim(Dim::constant(1))]);
    let expected = "`diagonal` cannot tell which of M and N elements of [M, N] there are fewer of";
    assert_eq!(error.expect_err("no square").message, expected);
    let square = b.input(InputKind::Argument(1), "y", Shape(vec![Dim::symbol("N"); 2]), DType::F32);
    let diagonal = ops::call(
        &mut b,
        operation,
        &[Value::Tensor(square), Value::Dim(Dim::constant(-1)), zero(), Value::Dim(Dim::constant(1))],
    )
    .expect("a diagonal");
    assert_eq!(b.shape(diagonal).to_string(), "[N - 1]");
}

#[test]
fn windows_of_volumes_are_of_known_size() {
    let mut b = Builder::new("volume");
    let mut input = |position: usize, depth: Dim| {
        let shape = Shape(vec![Dim::from(1), Dim::from(2), depth, Dim::from(3), Dim::from(3)]);
        b.input(InputKind::Argument(position), "x", shape, DType::F32)
    };
    let (x, weight) = (input(0, Dim::from(4)), input(1, Dim::symbol("K")));
    let int = |value: i64| Value::Dim(Dim::constant(value));
    let sizes = |value: i64| Value::List(vec![int(value)]);
    let args = [Value::Tensor(x), Value::Tensor(weight), sizes(1), sizes(0), sizes(1), int(1)];
    let error = ops::call(&mut b, ops::find("conv3d").expect("an operation"), &args).expect_err("an unknown window");
    assert_eq!(error.message, "`conv3d` expects a weight of constant sizes, found [1, 2, K, 3, 3]");
}
