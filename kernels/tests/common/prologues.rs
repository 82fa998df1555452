//! Products and convolutions whose operands are computed: every form of a prologue.
#![allow(unreachable_pub, dead_code, reason = "shared by several test programs")]

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{
    AxisIndex, BinaryOp, ConvGeometry, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp,
};

/// A graph under construction; arguments are numbered as they come.
struct Case {
    builder: Builder,
    arguments: usize,
}

impl Case {
    fn new(name: &str) -> Self {
        Case { builder: Builder::new(name), arguments: 0 }
    }

    fn argument(&mut self, name: &str, dims: &[Dim]) -> NodeId {
        self.argument_of(name, dims, DType::F32)
    }

    fn argument_of(&mut self, name: &str, dims: &[Dim], dtype: DType) -> NodeId {
        self.arguments += 1;
        self.builder.input(InputKind::Argument(self.arguments - 1), name, Shape(dims.to_vec()), dtype)
    }

    fn relu(&mut self, x: NodeId, name: &str) -> NodeId {
        let zero = self.builder.constant(0.0, self.builder.dtype(x));
        let y = self.builder.binary(BinaryOp::Max, x, zero).unwrap();
        self.builder.name(y, name);
        y
    }

    fn scaled(&mut self, x: NodeId, by: f64, name: &str) -> NodeId {
        let scale = self.builder.constant(by, self.builder.dtype(x));
        let y = self.builder.binary(BinaryOp::Mul, x, scale).unwrap();
        self.builder.name(y, name);
        y
    }

    fn mul(&mut self, a: NodeId, b: NodeId, name: &str) -> NodeId {
        let y = self.builder.binary(BinaryOp::Mul, a, b).unwrap();
        self.builder.name(y, name);
        y
    }

    fn matmul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let y = self.builder.matmul(a, b).unwrap();
        self.builder.name(y, "y");
        y
    }

    fn result(mut self, id: NodeId) -> Graph {
        self.builder.output(OutputKind::Result(0), id);
        self.builder.finish()
    }

    /// The first `columns` of each of the `rows`.
    fn first_columns(&mut self, x: NodeId, rows: Dim, columns: usize) -> NodeId {
        self.builder.view(x, Shape(vec![rows, d(columns)]), (0..2).map(AxisIndex::axis).collect()).unwrap()
    }

    /// All but the last element of the last axis: the gradient of what is cut has a space that no sum shares.
    fn without_last(&mut self, x: NodeId) -> NodeId {
        let mut shape = self.builder.shape(x).clone();
        let axes = (0..shape.rank()).map(AxisIndex::axis).collect();
        if let Some(last) = shape.0.last_mut() {
            *last = last.clone() - Dim::constant(1);
        }
        self.builder.view(x, shape, axes).unwrap()
    }

    /// The squared mean of squares: a gradient that waits for the sum, so that no kernel before it can compute it.
    fn loss(mut self, id: NodeId) -> Graph {
        let square = self.builder.binary(BinaryOp::Mul, id, id).unwrap();
        let axes: Vec<usize> = (0..self.builder.shape(id).rank()).collect();
        let loss = self.builder.mean(square, &axes, false).unwrap();
        let loss = self.builder.binary(BinaryOp::Mul, loss, loss).unwrap();
        self.result(loss)
    }
}

fn n() -> Dim {
    Dim::symbol("N")
}

fn d(size: usize) -> Dim {
    Dim::from(size)
}

/// A graph, and how many launches it makes on GPUs and on CPUs.
pub struct Form {
    pub name: &'static str,
    pub build: fn() -> Graph,
    pub launches: [usize; 2],
}

macro_rules! forms {
    ($($name:literal, $launches:tt => $build:expr;)*) => {
        &[$(Form { name: $name, build: $build, launches: $launches }),*]
    };
}

/// Forward computations.
pub const FORMS: &[Form] = forms! {
    "left", [1, 1] => || {
        let mut case = Case::new("left");
        let (x, w) = (case.argument("x", &[n(), d(40)]), case.argument("w", &[d(40), d(24)]));
        let h = case.relu(x, "h");
        let y = case.matmul(h, w);
        case.result(y)
    };
    "right", [1, 1] => || {
        let mut case = Case::new("right");
        let (x, w) = (case.argument("x", &[n(), d(33)]), case.argument("w", &[d(33), d(50)]));
        let v = case.scaled(w, 0.5, "v");
        let y = case.matmul(x, v);
        case.result(y)
    };
    "both", [1, 1] => || {
        let mut case = Case::new("both");
        let (x, w) = (case.argument("x", &[n(), d(70)]), case.argument("w", &[d(70), d(36)]));
        let (h, v) = (case.relu(x, "h"), case.scaled(w, -2.0, "v"));
        let y = case.matmul(h, v);
        case.result(y)
    };
    "one operand twice", [1, 1] => || {
        let mut case = Case::new("twice");
        let x = case.argument("x", &[d(20), n()]);
        let h = case.relu(x, "h");
        let turned = case.builder.transpose(h).unwrap();
        let y = case.matmul(h, turned);
        case.result(y)
    };
    "transposed left", [1, 1] => || {
        let mut case = Case::new("transposed_left");
        let (x, g) = (case.argument("x", &[n(), d(48)]), case.argument("g", &[n(), d(20)]));
        let h = case.relu(x, "h");
        let h = case.builder.transpose(h).unwrap();
        let y = case.matmul(h, g);
        case.result(y)
    };
    "transposed right", [1, 1] => || {
        let mut case = Case::new("transposed_right");
        let (x, w) = (case.argument("x", &[n(), d(68)]), case.argument("w", &[d(44), d(68)]));
        let v = case.scaled(w, 3.0, "v");
        let v = case.builder.transpose(v).unwrap();
        let y = case.matmul(x, v);
        case.result(y)
    };
    "scaled rows", [1, 1] => || {
        let mut case = Case::new("rows");
        let (x, w) = (case.argument("x", &[n(), d(32)]), case.argument("w", &[d(32), d(32)]));
        let scale = case.argument("scale", &[n(), d(1)]);
        let h = case.mul(x, scale, "h");
        let y = case.matmul(h, w);
        case.result(y)
    };
    "scaled columns", [1, 1] => || {
        let mut case = Case::new("columns");
        let (x, w) = (case.argument("x", &[n(), d(32)]), case.argument("w", &[d(32), d(32)]));
        let scale = case.argument("scale", &[d(32)]);
        let h = case.mul(x, scale, "h");
        let y = case.matmul(h, w);
        case.result(y)
    };
    "batches", [1, 1] => || {
        let mut case = Case::new("batches");
        let (x, w) = (case.argument("x", &[n(), d(3), d(9), d(16)]), case.argument("w", &[d(16), d(8)]));
        let (h, v) = (case.relu(x, "h"), case.scaled(w, 0.25, "v"));
        let v = case.builder.broadcast_to(v, &Shape(vec![n(), d(3), d(16), d(8)])).unwrap();
        let y = case.matmul(h, v);
        case.result(y)
    };
    "batch sums", [1, 1] => || {
        let mut case = Case::new("batch_sums");
        let (x, bias) = (case.argument("x", &[n(), d(5), d(16)]), case.argument("bias", &[n(), d(1), d(16)]));
        let w = case.argument("w", &[n(), d(16), d(7)]);
        let h = case.builder.binary(BinaryOp::Add, x, bias).unwrap();
        let y = case.matmul(h, w);
        case.result(y)
    };
    "padded", [1, 1] => || {
        let mut case = Case::new("padded");
        let (x, w) = (case.argument("x", &[n(), d(30)]), case.argument("w", &[d(32), d(16)]));
        let h = case.builder.unary(UnaryOp::Exp, x).unwrap();
        let shifted = AxisIndex { terms: vec![(1, 1)], offset: Dim::constant(-1), divisor: 1 };
        let h = case.builder.view(h, Shape(vec![n(), d(32)]), vec![AxisIndex::axis(0), shifted]).unwrap();
        let y = case.matmul(h, w);
        case.result(y)
    };
    "every second column", [1, 1] => || {
        let mut case = Case::new("second");
        let (x, w) = (case.argument("x", &[n(), d(64)]), case.argument("w", &[d(32), d(16)]));
        let h = case.relu(x, "h");
        let second = AxisIndex { terms: vec![(1, 2)], offset: Dim::constant(0), divisor: 1 };
        let h = case.builder.view(h, Shape(vec![n(), d(32)]), vec![AxisIndex::axis(0), second]).unwrap();
        let y = case.matmul(h, w);
        case.result(y)
    };
    "split and merged", [1, 2] => || {
        let mut case = Case::new("split");
        let (x, w) = (case.argument("x", &[n(), d(4), d(6), d(8)]), case.argument("w", &[d(32), d(10)]));
        let h = case.relu(x, "h");
        // Heads to the rows: no stride describes the merged axis.
        let h = case.builder.permute(h, &[0, 2, 1, 3]).unwrap();
        let h = case.builder.reshape(h, Shape(vec![n(), d(6), d(32)])).unwrap();
        let w = case.builder.broadcast_to(w, &Shape(vec![n(), d(32), d(10)])).unwrap();
        let y = case.matmul(h, w);
        case.result(y)
    };
    "prologue and epilogue", [1, 1] => || {
        let mut case = Case::new("whole");
        let (x, w) = (case.argument("x", &[n(), d(52)]), case.argument("w", &[d(52), d(37)]));
        let bias = case.argument("bias", &[d(37)]);
        let h = case.relu(x, "h");
        let y = case.matmul(h, w);
        let y = case.builder.binary(BinaryOp::Add, y, bias).unwrap();
        let y = case.relu(y, "out");
        case.result(y)
    };
    "bytes", [1, 1] => || {
        let mut case = Case::new("bytes");
        let (x, w) = (case.argument_of("x", &[n(), d(64)], DType::U8), case.argument("w", &[d(64), d(32)]));
        let x = case.builder.cast(x, DType::F32).unwrap();
        let h = case.scaled(x, 1.0 / 255.0, "h");
        let y = case.matmul(h, w);
        case.result(y)
    };
    "f16", [1, 1] => || half_precision(DType::F16);
    "bf16", [1, 1] => || half_precision(DType::BF16);
    "wide", [1, 1] => || {
        let mut case = Case::new("wide");
        let (x, w) = (case.argument("x", &[n(), d(300)]), case.argument("w", &[d(300), d(60)]));
        let (h, v) = (case.relu(x, "h"), case.scaled(w, 0.5, "v"));
        let y = case.matmul(h, v);
        case.result(y)
    };
    // A CPU computes pixels one by one, for every tap: it pays for the smallest only.
    "convolution", [1, 2] => || convolution(n(), false);
    "convolution in groups", [1, 2] => || convolution(n(), true);
    "convolution of one image", [1, 1] => || convolution(d(1), false);
    "convolution of one image in groups", [1, 1] => || convolution(d(1), true);
    // What must stay in memory: an operand that is a result, one that a kernel of its own computes anyway, random numbers.
    "a result", [2, 2] => || {
        let mut case = Case::new("result");
        let (x, w) = (case.argument("x", &[n(), d(40)]), case.argument("w", &[d(40), d(24)]));
        let h = case.relu(x, "h");
        let y = case.matmul(h, w);
        case.builder.output(OutputKind::Result(1), h);
        case.result(y)
    };
    "normalised rows", [2, 2] => || {
        let mut case = Case::new("normalised");
        let (x, w) = (case.argument("x", &[n(), d(40)]), case.argument("w", &[d(40), d(24)]));
        let sum = case.builder.reduce(ReduceOp::Sum, x, &[1], true).unwrap();
        let h = case.builder.binary(BinaryOp::Sub, x, sum).unwrap();
        let y = case.matmul(h, w);
        case.result(y)
    };
};

/// Operands in memory whose rows are aligned but end elsewhere: what follows them there is no part of the sums.
pub const PARTS: &[Form] = forms! {
    "parts of rows", [1, 1] => || {
        let mut case = Case::new("parts");
        let (x, w) = (case.argument("x", &[n(), d(20)]), case.argument("w", &[d(512), d(20)]));
        let (x, w) = (case.first_columns(x, n(), 10), case.first_columns(w, d(512), 10));
        let w = case.builder.transpose(w).unwrap();
        let y = case.matmul(x, w);
        case.result(y)
    };
    "parts of rows, outer axes", [1, 1] => || {
        let mut case = Case::new("outer_parts");
        let (x, w) = (case.argument("x", &[d(12), n()]), case.argument("w", &[d(12), d(516)]));
        let w = case.first_columns(w, d(12), 510);
        let x = case.builder.transpose(x).unwrap();
        let y = case.matmul(x, w);
        case.result(y)
    };
};

/// `mean(f²)²` of forms whose gradients have computed operands: those of both products of a layer, and of a convolution.
pub const LOSSES: &[Form] = forms! {
    "layers", [7, 7] => || {
        let mut case = Case::new("layers");
        let (x, w) = (case.argument("x", &[n(), d(24)]), case.argument("w", &[d(24), d(40)]));
        let v = case.argument("v", &[d(40), d(12)]);
        let h = case.relu(x, "h");
        let h = case.matmul(h, w);
        let h = case.relu(h, "g");
        let y = case.matmul(h, v);
        let y = case.relu(y, "y");
        let y = case.without_last(y);
        case.loss(y)
    };
    "convolution", [6, 8] => || conv_loss(n(), false);
    "convolution in groups", [6, 8] => || conv_loss(n(), true);
    "convolution of one image", [6, 6] => || conv_loss(d(1), false);
    "convolution of one image in groups", [6, 6] => || conv_loss(d(1), true);
};

fn half_precision(dtype: DType) -> Graph {
    let mut case = Case::new("half");
    let (x, w) = (case.argument_of("x", &[n(), d(40)], dtype), case.argument_of("w", &[d(40), d(24)], dtype));
    let (h, v) = (case.relu(x, "h"), case.scaled(w, 0.5, "v"));
    let y = case.matmul(h, v);
    let y = case.builder.cast(y, DType::F32).unwrap();
    case.result(y)
}

/// Padding, stride, groups; the input is moved away from zero, so that padding shows if it were moved too.
fn conv(case: &mut Case, images: Dim, grouped: bool) -> NodeId {
    let groups = if grouped { 2 } else { 1 };
    let x = case.argument("x", &[images, d(4), d(7), d(6)]);
    let w = case.argument("w", &[d(6), d(4 / groups), d(3), d(3)]);
    let shift = case.argument("shift", &[d(4), d(1), d(1)]);
    let h = case.builder.binary(BinaryOp::Add, x, shift).unwrap();
    let one = case.builder.constant(1.0, DType::F32);
    let h = case.builder.binary(BinaryOp::Add, h, one).unwrap();
    let v = case.scaled(w, 0.5, "v");
    let geometry = ConvGeometry {
        stride: if grouped { [1, 1] } else { [2, 1] },
        padding: [1, 2],
        dilation: if grouped { [2, 1] } else { [1, 1] },
        groups: groups as u64,
    };
    let y = case.builder.conv2d(h, v, geometry).unwrap();
    case.relu(y, "y")
}

fn convolution(images: Dim, grouped: bool) -> Graph {
    let mut case = Case::new("convolution");
    let y = conv(&mut case, images, grouped);
    case.result(y)
}

fn conv_loss(images: Dim, grouped: bool) -> Graph {
    let mut case = Case::new("convolution_loss");
    let y = conv(&mut case, images, grouped);
    let y = case.without_last(y);
    case.loss(y)
}
