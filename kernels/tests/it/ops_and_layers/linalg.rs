//! What is said of matrices that have no decomposition, and what decompositions have in common.

use super::messages::{Arg, said};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, NodeId, Op, OutputKind};
use netcl_kernels::ops::{self, Value};

/// The type and shape of a tensor.
type Of = (DType, &'static [usize]);

#[test]
fn matrices_that_do_not_fit_are_said() {
    use DType::{F16, F32, I32};
    let cases: [(&str, Of, Option<Of>, &str); 14] = [
        ("cholesky", (F32, &[2, 3]), None, "`cholesky` expects square matrices [.., n, n], found [2, 3]"),
        ("inv", (F32, &[4, 2, 3]), None, "`inv` expects square matrices [.., n, n], found [4, 2, 3]"),
        ("det", (F32, &[3]), None, "`det` expects a matrix [.., m, n], found [3]"),
        ("logabsdet", (I32, &[2, 2]), None, "`logabsdet` expects a float tensor, found i32"),
        ("svdvals", (F32, &[]), None, "`svdvals` expects a matrix [.., m, n], found []"),
        ("eigvalsh", (F32, &[2, 3]), None, "`eigvalsh` expects square matrices [.., n, n], found [2, 3]"),
        (
            "solve",
            (F32, &[3, 3]),
            Some((F32, &[2, 2])),
            "`solve` expects matrices with as many rows, found [3, 3] and [2, 2]",
        ),
        (
            "solve",
            (F32, &[3, 3]),
            Some((F32, &[2])),
            "`solve` expects matrices with as many rows, found [3, 3] and [2, 1]",
        ),
        ("solve", (F32, &[3, 3]), Some((F16, &[3, 1])), "`solve` expects tensors of one type, found f32 and f16"),
        ("solve", (F32, &[3, 2]), Some((F32, &[3, 1])), "`solve` expects square matrices [.., n, n], found [3, 2]"),
        ("solve", (F32, &[2, 3, 3]), Some((F32, &[4, 3, 1])), "`solve` cannot combine shapes [2] and [4]"),
        (
            "lstsq",
            (F32, &[2, 3]),
            Some((F32, &[2, 1])),
            "`lstsq` expects at least as many rows as columns, found 2 by 3",
        ),
        (
            "qr_q",
            (F32, &[40000, 40000]),
            None,
            "`qr_q` counts up to 1073741824 elements, [40000, 40000] has 1600000000",
        ),
        ("kron", (F32, &[2]), Some((F16, &[2])), "`kron` expects operands of one type, found f32 and f16"),
    ];
    for (operation, (dtype, shape), other, expected) in cases {
        let other = other.map(|(dtype, shape)| Arg::Tensor(dtype, shape));
        let args: Vec<Arg> = [Arg::Tensor(dtype, shape)].into_iter().chain(other).collect();
        assert_eq!(said(operation, &args), expected);
    }
    let axis = Arg::Value(Value::Dim(Dim::constant(0)));
    let vectors = || Arg::Tensor(F32, &[2, 3]);
    assert_eq!(
        said("cross", &[vectors(), vectors(), axis]),
        "`cross` expects three elements along axis 0, found [2, 3]"
    );
}

fn call(b: &mut Builder, name: &str, x: NodeId) -> Result<NodeId, String> {
    let operation = ops::find(name).expect("an operation");
    ops::call(b, operation, &[Value::Tensor(x)]).map_err(|error| error.message)
}

fn matrix(b: &mut Builder, rows: &str, columns: &str) -> NodeId {
    let shape = Shape([rows, columns].map(Dim::symbol).to_vec());
    b.input(InputKind::Argument(0), "x", shape, DType::F32)
}

#[test]
fn sizes_that_are_symbols_are_compared() {
    let mut b = Builder::new("sizes");
    let (square, other) = (matrix(&mut b, "N", "N"), matrix(&mut b, "N", "M"));
    for name in ["cholesky", "inv", "qr_q", "svd_vh", "eigh_vectors"] {
        let result = call(&mut b, name, square).expect("a square matrix");
        assert_eq!(b.shape(result).to_string(), "[N, N]", "{name}");
    }
    let expected =
        "`qr_q` expects matrices of which it is known whether they are higher than wide, found N by M in [1, N, M]";
    assert_eq!(call(&mut b, "qr_q", other).expect_err("of two symbols"), expected);
    let expected = "`det` expects square matrices [.., n, n], found [N, M]";
    assert_eq!(call(&mut b, "det", other).expect_err("of two symbols"), expected);
}

/// Both parts of a pair are results of one call, and what has several is found by its own name and its parts'.
#[test]
fn results_of_one_decomposition_are_computed_together() {
    let all = ops::families().iter().flat_map(|family| family.several);
    let names: Vec<&str> = all.clone().map(|several| several.name).collect();
    assert_eq!(names, ["slogdet", "qr", "eigh", "svd"]);
    for several in all {
        assert!(ops::find(several.name).is_none(), "`{}` is one operation, too", several.name);
        let mut b = Builder::new(several.name);
        let x = matrix(&mut b, "N", "N");
        let results = ops::call_several(&mut b, several, &[Value::Tensor(x)]).expect("a square matrix");
        for (position, result) in results.into_iter().enumerate() {
            b.output(OutputKind::Result(position), result);
        }
        let bad = b.input(InputKind::Argument(1), "y", Shape::of(&[2]), DType::F32);
        let error = ops::call_several(&mut b, several, &[Value::Tensor(bad)]).expect_err("no matrix");
        assert!(error.message.starts_with(&format!("`{}` expects a matrix", several.name)), "{error}");
        let error =
            ops::call_several(&mut b, several, &[Value::Tensor(x), Value::Bool(true)]).expect_err("an argument");
        assert_eq!(error.message, format!("`{}` expects 0 arguments, found 1", several.name));
        let calls = b.finish().nodes.iter().filter(|node| matches!(node.op, Op::Custom { .. })).count();
        assert_eq!(calls, 1, "{}", several.name);
    }
}
