//! The graphs that variants compute: products, convolutions, attention, loops and maps of odd shapes.

use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{
    AxisIndex, BinaryOp, CompareOp, ConvGeometry, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp,
};
use netcl_kernels::ops::attention::scaled_dot_product_attention;

struct Maker {
    b: Builder,
    arguments: usize,
    results: usize,
}

impl Maker {
    fn new(name: &str) -> Maker {
        Maker { b: Builder::new(name), arguments: 0, results: 0 }
    }

    fn argument(&mut self, name: &str, shape: &[Dim], dtype: DType) -> NodeId {
        self.arguments += 1;
        self.b.input(InputKind::Argument(self.arguments - 1), name, Shape(shape.to_vec()), dtype)
    }

    fn result(&mut self, id: NodeId) {
        // Results of half precision are looked at as f32.
        let id = if self.b.dtype(id) == DType::F16 { self.b.cast(id, DType::F32).unwrap() } else { id };
        self.b.output(OutputKind::Result(self.results), id);
        self.results += 1;
    }
}

fn symbols(names: &str) -> Vec<Dim> {
    names.split(' ').map(|name| name.parse().map_or_else(|_| Dim::symbol(name), Dim::constant)).collect()
}

/// Operands along either axis, and a bias and `relu` on what comes out.
pub(crate) fn products(dtype: DType) -> Graph {
    products_of(["B", "M", "N", "K"], dtype)
}

/// The same of those sizes.
pub(crate) fn products_of(sizes: [&str; 4], dtype: DType) -> Graph {
    let mut m = Maker::new("products");
    let [batch, rows, columns, depth] = sizes.map(|size| symbols(size).remove(0));
    let x = m.argument("x", &[batch.clone(), rows.clone(), depth.clone()], dtype);
    let w = m.argument("w", &[batch, depth.clone(), columns.clone()], dtype);
    let bias = m.argument("bias", std::slice::from_ref(&columns), dtype);
    let y = m.b.matmul(x, w).unwrap();
    let y = m.b.binary(BinaryOp::Add, y, bias).unwrap();
    let zero = m.b.constant(0.0, dtype);
    let y = m.b.binary(BinaryOp::Max, y, zero).unwrap();
    m.result(y);
    let (p, q) = (m.argument("p", &[depth.clone(), rows], dtype), m.argument("q", &[columns, depth], dtype));
    let (p, q) = (m.b.transpose(p).unwrap(), m.b.transpose(q).unwrap());
    let z = m.b.matmul(p, q).unwrap();
    m.result(z);
    m.b.finish()
}

/// Products of what lies in parts: every second half of rows, in batches that are one, and from the last row to the first.
pub(crate) fn parts_of_rows(dtype: DType) -> Graph {
    let mut m = Maker::new("parts_of_rows");
    let x = m.argument("x", &symbols("40 144"), dtype);
    let w = m.argument("w", &symbols("3 72 64"), dtype);
    for (step, first_row) in [(1, 0), (-1, 39)] {
        let row = AxisIndex { terms: vec![(1, step)], offset: Dim::constant(first_row), divisor: 1 };
        let column = AxisIndex { terms: vec![(2, 1)], offset: Dim::constant(72), divisor: 1 };
        let right = m.b.view(x, Shape(symbols("3 40 72")), vec![row, column]).unwrap();
        let y = m.b.matmul(right, w).unwrap();
        m.result(y);
    }
    m.b.finish()
}

/// The gradients of `sum((attention(q, k, v) + dy) · dy)`, and it itself.
pub(crate) fn attention(dtype: DType, [width, value_width]: [usize; 2], causal: bool) -> Graph {
    let mut m = Maker::new("attention");
    let sizes = |rows: &str, columns: usize| [Dim::symbol("B"), Dim::symbol(rows), Dim::from(columns)];
    let given = [("q", sizes("T", width)), ("k", sizes("S", width)), ("v", sizes("S", value_width))];
    let [q, k, v] = given.map(|(name, sizes)| {
        let own = m.argument(name, &sizes, DType::F32);
        m.b.cast(own, dtype).unwrap()
    });
    attended(m, [q, k, v], causal)
}

/// The same where queries, keys and values are views of one tensor, as a layer's are.
pub(crate) fn heads_of_one(dtype: DType) -> Graph {
    let mut m = Maker::new("heads");
    let [t, heads, width] = [Dim::symbol("T"), Dim::from(2), Dim::from(16)];
    let all = m.argument("all", &[t.clone(), Dim::from(3), heads.clone(), width.clone()], DType::F32);
    let all = m.b.cast(all, dtype).unwrap();
    let qkv = [0_usize, 1, 2].map(|part| {
        let index = vec![AxisIndex::axis(1), AxisIndex::fixed(part), AxisIndex::axis(0), AxisIndex::axis(2)];
        m.b.view(all, Shape(vec![heads.clone(), t.clone(), width.clone()]), index).unwrap()
    });
    attended(m, qkv, true)
}

fn attended(mut m: Maker, [q, k, v]: [NodeId; 3], causal: bool) -> Graph {
    let y = scaled_dot_product_attention(&mut m.b, q, k, v, causal).unwrap();
    let y = m.b.cast(y, DType::F32).unwrap();
    let shape = m.b.shape(y).clone();
    let dy = m.argument("dy", &shape.0, DType::F32);
    // Of squares besides, so that the sum does not cancel.
    let more = m.b.binary(BinaryOp::Add, y, dy).unwrap();
    let product = m.b.binary(BinaryOp::Mul, more, dy).unwrap();
    let sum = m.b.reduce(ReduceOp::Sum, product, &[0, 1, 2], false).unwrap();
    m.result(sum);
    append_gradients(m.b.finish(), Arguments::Floats).unwrap()
}

/// Both operands are computed where the product loads them, and the result is of another type.
pub(crate) fn computed(dtype: DType) -> Graph {
    let mut m = Maker::new("computed");
    let (x, w) = (m.argument("x", &symbols("B M K"), dtype), m.argument("w", &symbols("B K N"), dtype));
    let zero = m.b.constant(0.0, dtype);
    let [x, w] = [x, w].map(|id| m.b.binary(BinaryOp::Max, id, zero).unwrap());
    let y = m.b.matmul(x, w).unwrap();
    let y = m.b.cast(y, DType::F32).unwrap();
    m.result(y);
    m.b.finish()
}

/// Sizes that are read in aligned vectors.
pub(crate) fn aligned(dtype: DType) -> Graph {
    let mut m = Maker::new("aligned");
    let sizes = |sizes: [usize; 2]| sizes.map(Dim::from);
    let (x, w) = (m.argument("x", &sizes([64, 128]), dtype), m.argument("w", &sizes([128, 48]), dtype));
    let y = m.b.matmul(x, w).unwrap();
    m.result(y);
    m.b.finish()
}

/// A product whose parts along the sum are larger than any half-precision number, and cancel each other. Whole numbers and
/// eighths, which half precision holds as they are.
pub(crate) fn large_parts() -> Graph {
    let mut m = Maker::new("large_parts");
    let sizes = |sizes: [usize; 2]| sizes.map(Dim::from);
    let (x, w) = (m.argument("x", &sizes([32, 64]), DType::F32), m.argument("w", &sizes([64, 32]), DType::F32));
    let mut near = |id: NodeId, steps: f64, base: f64| {
        let [steps, step, base] = [steps, 1.0 / steps, base].map(|value| m.b.constant(value, DType::F32));
        let scaled = m.b.binary(BinaryOp::Mul, id, steps).unwrap();
        let whole = m.b.unary(UnaryOp::Round, scaled).unwrap();
        let eighths = m.b.binary(BinaryOp::Mul, whole, step).unwrap();
        m.b.binary(BinaryOp::Add, eighths, base).unwrap()
    };
    let (x, w) = (near(x, 1.0, 80.0), near(w, 8.0, 64.0));
    // The first half of the sum is positive, the second negative.
    let column = m.b.iota(&Shape(sizes([32, 64]).to_vec()), 1, DType::I32).unwrap();
    let middle = m.b.constant(32.0, DType::I32);
    let is_first = m.b.compare(CompareOp::Lt, column, middle).unwrap();
    let minus = m.b.unary(UnaryOp::Neg, x).unwrap();
    let x = m.b.select(is_first, x, minus).unwrap();
    let (x, w) = (m.b.cast(x, DType::F16).unwrap(), m.b.cast(w, DType::F16).unwrap());
    let y = m.b.matmul(x, w).unwrap();
    m.result(y);
    m.b.finish()
}

/// The gradients of `sum(conv(x, w) · dy)`: in x, in w, and in dy, which is the convolution itself.
pub(crate) fn convolution(
    [channels, out]: [usize; 2],
    [size, filter]: [[usize; 2]; 2],
    geometry: ConvGeometry,
    dtype: DType,
) -> Graph {
    let mut m = Maker::new("convolution");
    let d = Dim::from;
    // Half precision inside, f32 where values are looked at.
    let outside = if dtype == DType::F16 { DType::F32 } else { dtype };
    let images = [Dim::symbol("N"), d(channels), d(size[0]), d(size[1])];
    let x = m.argument("x", &images, outside);
    let w = m.argument("w", &[d(out), d(channels / geometry.groups as usize), d(filter[0]), d(filter[1])], outside);
    let (x, w) = (m.b.cast(x, dtype).unwrap(), m.b.cast(w, dtype).unwrap());
    let y = m.b.conv2d(x, w, geometry).unwrap();
    let y = m.b.cast(y, outside).unwrap();
    let shape = m.b.shape(y).clone();
    let dy = m.argument("dy", &shape.0, outside);
    let product = m.b.binary(BinaryOp::Mul, y, dy).unwrap();
    let sum = m.b.reduce(ReduceOp::Sum, product, &[0, 1, 2, 3], false).unwrap();
    m.result(sum);
    append_gradients(m.b.finish(), Arguments::Floats).expect("a function with gradients")
}

pub(crate) fn geometry(stride: [u64; 2], padding: [u64; 2], dilation: [u64; 2], groups: u64) -> ConvGeometry {
    ConvGeometry { stride, padding, dilation, groups }
}

pub(crate) fn padded(dtype: DType) -> Graph {
    convolution([3, 5], [[7, 9], [3, 3]], geometry([1, 1], [1, 1], [1, 1], 1), dtype)
}

pub(crate) fn convolutions() -> Vec<(&'static str, Graph)> {
    let geometries = [
        ("3x3", [2, 4], [[8, 5], [3, 3]], geometry([1, 1], [0, 0], [1, 1], 1)),
        ("3x3, wide margins", [1, 2], [[4, 3], [3, 3]], geometry([1, 1], [3, 2], [1, 1], 1)),
        ("strides, dilation, groups", [4, 8], [[9, 8], [3, 2]], geometry([2, 1], [1, 0], [1, 2], 2)),
        ("strides that leave pixels over", [2, 2], [[8, 7], [2, 3]], geometry([3, 2], [0, 2], [2, 1], 1)),
        ("one pixel", [4, 8], [[5, 6], [1, 1]], geometry([1, 1], [0, 0], [1, 1], 1)),
    ];
    geometries.map(|(name, channels, sizes, own)| (name, convolution(channels, sizes, own, DType::F32))).to_vec()
}

/// A convolutional network's loss and its gradients.
pub(crate) fn gradients() -> Graph {
    append_gradients(models::cnn(8, 1, true), Arguments::None).expect("a function with gradients")
}

/// Maps of matrices, rows spread over them, and of what lies in another order.
pub(crate) fn maps() -> Graph {
    let mut m = Maker::new("maps");
    let x = m.argument("x", &symbols("R C"), DType::F32);
    let y = m.argument("y", &symbols("R C"), DType::F32);
    let row = m.argument("row", &symbols("C"), DType::F32);
    let column = m.argument("column", &symbols("R"), DType::F32);
    let turned = m.argument("turned", &symbols("C R"), DType::F32);
    let sum = m.b.binary(BinaryOp::Add, x, y).unwrap();
    let whole = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    m.result(whole);
    let rows = m.b.binary(BinaryOp::Mul, sum, row).unwrap();
    m.result(rows);
    let column = m.b.view(column, Shape(symbols("R C")), vec![AxisIndex::axis(0)]).unwrap();
    let columns = m.b.binary(BinaryOp::Sub, x, column).unwrap();
    m.result(columns);
    let turned = m.b.transpose(turned).unwrap();
    let turned = m.b.binary(BinaryOp::Max, x, turned).unwrap();
    m.result(turned);
    m.b.finish()
}

/// What windows of three by three pixels see of images, twice: as they are, and of every second pixel.
pub(crate) fn windows() -> Graph {
    let mut m = Maker::new("windows");
    let x = m.argument("x", &symbols("N 4 32 32"), DType::F32);
    for (stride, size) in [(1, 32i64), (2, 16)] {
        let tap = |axis: usize| AxisIndex {
            terms: vec![(axis, 1), (axis + 3, stride)],
            offset: Dim::constant(-1),
            divisor: 1,
        };
        let index = vec![AxisIndex::axis(3), AxisIndex::axis(0), tap(1), tap(2)];
        let [pixels, taps, channels] = [size, 3, 4].map(Dim::constant);
        let sizes = vec![channels, taps.clone(), taps, Dim::symbol("N"), pixels.clone(), pixels];
        let seen = m.b.view(x, Shape(sizes), index).unwrap();
        let seen = m.b.unary(UnaryOp::Tanh, seen).unwrap();
        m.result(seen);
    }
    m.b.finish()
}

/// A recurrent network whose first round is left out, with all of its states, and a matrix that each round multiplies by itself, the last
/// round first.
pub(crate) fn recurrences() -> Graph {
    let mut m = Maker::new("recurrences");
    let x = m.argument("x", &symbols("N T 6"), DType::F32);
    let w = m.argument("w", &symbols("6 6"), DType::F32);
    let start = m.argument("start", &symbols("N 6"), DType::F32);
    let matrix = m.argument("matrix", &symbols("3 3"), DType::F32);
    let factors = m.argument("factors", &symbols("T"), DType::F32);
    let t = Dim::symbol("T");
    let part = |at: Dim| vec![AxisIndex::axis(0), AxisIndex::fixed(at), AxisIndex::axis(1)];
    let draft = m.b.begin_scan("t", t.clone() - Dim::from(1), &[start]);
    let own = m.b.view(x, Shape(symbols("N 6")), part(draft.round() + Dim::from(1))).unwrap();
    let product = m.b.matmul(draft.carried()[0], w).unwrap();
    // Rounds forget, so that what one rounds off does not grow.
    let third = m.b.constant(0.3, DType::F32);
    let product = m.b.binary(BinaryOp::Mul, product, third).unwrap();
    let sum = m.b.binary(BinaryOp::Add, product, own).unwrap();
    let h = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    for result in m.b.end_scan(&draft, &[h], &[h]).unwrap() {
        m.result(result);
    }
    let draft = m.b.begin_scan("t", t.clone(), &[matrix]);
    let last = t - Dim::from(1) - draft.round();
    let factor = m.b.view(factors, Shape::scalar(), vec![AxisIndex::fixed(last)]).unwrap();
    let turned = m.b.transpose(draft.carried()[0]).unwrap();
    let product = m.b.matmul(turned, draft.carried()[0]).unwrap();
    let third = m.b.constant(0.3, DType::F32);
    let scaled = m.b.binary(BinaryOp::Mul, product, factor).unwrap();
    let scaled = m.b.binary(BinaryOp::Mul, scaled, third).unwrap();
    let sum = m.b.binary(BinaryOp::Add, scaled, matrix).unwrap();
    let next = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    let results = m.b.end_scan(&draft, &[next], &[]).unwrap();
    m.result(results[0]);
    m.b.finish()
}

/// Every reduction over rows, some over columns, and a softmax.
pub(crate) fn reductions(columns: Dim, places: bool) -> Graph {
    let mut m = Maker::new("reductions");
    let rows = Dim::symbol("R");
    let x = m.argument("x", &[rows.clone(), columns.clone()], DType::F32);
    let turned = m.argument("turned", &[columns.clone(), rows.clone()], DType::F32);
    for op in ReduceOp::ALL.into_iter().filter(|op| places || !op.is_position()) {
        let along_rows = m.b.reduce(op, x, &[1], false).unwrap();
        m.result(along_rows);
        let along_columns = m.b.reduce(op, turned, &[0], false).unwrap();
        m.result(along_columns);
    }
    let most = m.b.reduce(ReduceOp::Max, x, &[1], true).unwrap();
    let less = m.b.binary(BinaryOp::Sub, x, most).unwrap();
    let weights = m.b.unary(UnaryOp::Exp, less).unwrap();
    let total = m.b.reduce(ReduceOp::Sum, weights, &[1], true).unwrap();
    let softmax = m.b.binary(BinaryOp::Div, weights, total).unwrap();
    m.result(softmax);
    m.b.finish()
}

/// Sums, the largest and the smallest of rows of 16 bits.
pub(crate) fn halves(dtype: DType) -> Graph {
    let mut m = Maker::new("halves");
    let x = m.argument("x", &[Dim::symbol("R"), Dim::from(5003)], DType::F32);
    let positive = m.b.unary(UnaryOp::Abs, x).unwrap();
    let x = m.b.cast(positive, dtype).unwrap();
    for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min] {
        let result = m.b.reduce(op, x, &[1], false).unwrap();
        m.result(result);
    }
    m.b.finish()
}

/// `(x - mean) / deviation` of each channel, and `relu` of it.
pub(crate) fn batch_norm(image: [usize; 3]) -> Graph {
    let mut m = Maker::new("batch_norm");
    let [channels, height, width] = image.map(Dim::from);
    let x = m.argument("x", &[Dim::symbol("N"), channels, height, width], DType::F32);
    let mean = m.b.mean(x, &[0, 2, 3], true).unwrap();
    let centred = m.b.binary(BinaryOp::Sub, x, mean).unwrap();
    let square = m.b.binary(BinaryOp::Mul, centred, centred).unwrap();
    let variance = m.b.mean(square, &[0, 2, 3], true).unwrap();
    let epsilon = m.b.constant(1e-5, DType::F32);
    let variance = m.b.binary(BinaryOp::Add, variance, epsilon).unwrap();
    let inverse = m.b.unary(UnaryOp::Rsqrt, variance).unwrap();
    let y = m.b.binary(BinaryOp::Mul, centred, inverse).unwrap();
    let zero = m.b.constant(0.0, DType::F32);
    let y = m.b.binary(BinaryOp::Max, y, zero).unwrap();
    m.result(y);
    m.b.finish()
}
