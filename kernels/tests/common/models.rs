//! The models that the project's figures are about, as graphs.
#![allow(unreachable_pub, dead_code, reason = "shared by several test programs")]

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl_kernels::ops::{self, Value};

pub struct Model {
    pub builder: Builder,
    seed: NodeId,
    mode: Mode,
}

impl Model {
    pub fn new(name: &str, mode: Mode) -> Self {
        let mut builder = Builder::new(name);
        let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
        Model { builder, seed, mode }
    }

    pub fn argument(&mut self, position: usize, name: &str, dims: &[Dim], dtype: DType) -> NodeId {
        self.builder.input(InputKind::Argument(position), name, Shape(dims.to_vec()), dtype)
    }

    pub fn layer(&mut self, layer: &str, name: &str, config: &[(&str, ConfigValue)], x: NodeId) -> NodeId {
        let layer = layers::find(layer).expect("a known layer");
        let values = layer.config.iter().map(|key| {
            let given = config.iter().find(|(name, _)| *name == key.name).map(|(_, value)| value.clone());
            given.or(key.default.clone()).unwrap_or_else(|| panic!("`{}` needs `{}`", layer.name, key.name))
        });
        let config = Config { keys: layer.config, values: values.collect() };
        (layer.check)(&config).unwrap();
        let mut tensors = Vec::new();
        for spec in (layer.tensors)(&config) {
            let kind = if spec.trainable { InputKind::Parameter } else { InputKind::State };
            let path = format!("{name}.{}", spec.name);
            tensors.push(self.builder.input(kind, &path, Shape(spec.shape.clone()), spec.dtype));
        }
        let mut updates = Vec::new();
        let mut context = Context {
            builder: &mut self.builder,
            config: &config,
            name,
            tensors: &tensors,
            mode: self.mode,
            seed: self.seed,
            updates: &mut updates,
        };
        let result = layers::forward(layer, &mut context, &[x]).unwrap();
        for (position, node) in updates {
            let path = self.builder.node(tensors[position]).name.clone();
            self.builder.output(OutputKind::State(path), node);
        }
        result
    }

    pub fn op(&mut self, name: &str, args: &[Value]) -> NodeId {
        ops::call(&mut self.builder, ops::find(name).expect("a known operation"), args).unwrap()
    }

    pub fn unary(&mut self, name: &str, x: NodeId) -> NodeId {
        self.op(name, &[Value::Tensor(x)])
    }

    pub fn loss(mut self, logits: NodeId, labels: NodeId) -> Graph {
        let loss = self.op("cross_entropy", &[Value::Tensor(logits), Value::Tensor(labels)]);
        self.result(loss)
    }

    pub fn result(mut self, result: NodeId) -> Graph {
        self.builder.output(OutputKind::Result(0), result);
        self.builder.finish()
    }
}

fn size(value: u64) -> ConfigValue {
    ConfigValue::Size(value)
}

/// `64-32-10` on `[N, 64]`: logits, or the loss.
pub fn mlp(sizes: [u64; 3], with_loss: bool) -> Graph {
    let mut model = Model::new("mlp", Mode::Training);
    let n = Dim::symbol("N");
    let x = model.argument(0, "x", &[n.clone(), Dim::from(sizes[0] as usize)], DType::F32);
    let hidden = model.layer("Linear", "hidden", &[("inputs", size(sizes[0])), ("outputs", size(sizes[1]))], x);
    let h = model.unary("relu", hidden);
    let logits = model.layer("Linear", "output", &[("inputs", size(sizes[1])), ("outputs", size(sizes[2]))], h);
    if !with_loss {
        return model.result(logits);
    }
    let labels = model.argument(1, "labels", &[n], DType::U32);
    model.loss(logits, labels)
}

/// The class of a text by the mean of its words' rows, on numbers `[N, 12]`: the loss.
pub fn bag_of_words(entries: u64) -> Graph {
    let mut model = Model::new("words", Mode::Training);
    let n = Dim::symbol("N");
    let x = model.argument(0, "x", &[n.clone(), Dim::from(12)], DType::U32);
    let words = model.layer("Embedding", "words", &[("entries", size(entries)), ("features", size(16))], x);
    let axes = Value::List(vec![Value::Dim(Dim::from(1))]);
    let text = model.op("mean", &[Value::Tensor(words), axes]);
    let logits = model.layer("Linear", "output", &[("inputs", size(16)), ("outputs", size(5))], text);
    let labels = model.argument(1, "labels", &[n], DType::U32);
    model.loss(logits, labels)
}

/// conv-relu-pool twice, then a linear layer, on `[N, 1, edge, edge]`.
pub fn cnn(edge: usize, padding: u64, with_loss: bool) -> Graph {
    let mut model = Model::new("cnn", Mode::Training);
    let n = Dim::symbol("N");
    let x = model.argument(0, "x", &[n.clone(), 1usize.into(), edge.into(), edge.into()], DType::F32);
    let conv = |inputs, outputs| {
        [
            ("inputs", size(inputs)),
            ("outputs", size(outputs)),
            ("kernel", ConfigValue::Pair([3, 3])),
            ("padding", ConfigValue::Pair([padding, padding])),
        ]
    };
    let pool = [("kernel", ConfigValue::Pair([2, 2])), ("stride", ConfigValue::Pair([2, 2]))];
    let a = model.layer("Conv2d", "conv1", &conv(1, 8), x);
    let a = model.unary("relu", a);
    let a = model.layer("MaxPool2d", "pool1", &pool, a);
    let b = model.layer("Conv2d", "conv2", &conv(8, 16), a);
    let b = model.unary("relu", b);
    let b = model.layer("MaxPool2d", "pool2", &pool, b);
    let flat = model.layer("Flatten", "flatten", &[], b);
    let features = model.builder.shape(flat)[1].as_constant().expect("a number") as u64;
    let logits = model.layer("Linear", "output", &[("inputs", size(features)), ("outputs", size(10))], flat);
    if !with_loss {
        return model.result(logits);
    }
    let labels = model.argument(1, "labels", &[n], DType::U32);
    model.loss(logits, labels)
}

/// Images of any size: with their mirror images, in windows that overlap and reach over the edge, to the mean of each channel.
pub fn image() -> Graph {
    let mut model = Model::new("image", Mode::Training);
    let dims = [Dim::symbol("N"), Dim::from(4), Dim::symbol("H"), Dim::symbol("W")];
    let x = model.argument(0, "x", &dims, DType::F32);
    let mirrored = model.op("flip", &[Value::Tensor(x), Value::Dim(Dim::from(3))]);
    let both = model.builder.binary(BinaryOp::Add, x, mirrored).unwrap();
    let windows = [3, 2, 1].map(|size| ConfigValue::Pair([size, size]));
    let [kernel, stride, padding] = windows;
    let pool = [("kernel", kernel), ("stride", stride), ("padding", padding)];
    let pooled = model.layer("MaxPool2d", "pool", &pool, both);
    model.builder.name(pooled, "pooled");
    let lines = Shape(vec![
        Dim::symbol("N") * Dim::from(4),
        model.builder.shape(pooled)[2].clone() * model.builder.shape(pooled)[3].clone(),
    ]);
    let flat = model.builder.reshape(pooled, lines).unwrap();
    let mean = model.builder.mean(flat, &[1], false).unwrap();
    let channels = model.builder.reshape(mean, Shape(vec![Dim::symbol("N"), Dim::from(4)])).unwrap();
    let y = model.layer("Linear", "output", &[("inputs", size(4)), ("outputs", size(8))], channels);
    model.result(y)
}

/// Pre-norm transformer block on `[N, T, 32]`: itself, or the mean square of its result.
pub fn transformer_block(with_loss: bool) -> Graph {
    let mut model = Model::new("block", Mode::Training);
    let dims = [Dim::symbol("N"), Dim::symbol("T"), Dim::from(32)];
    let x = model.argument(0, "x", &dims, DType::F32);
    let y = block(&mut model, "", 32, x);
    if !with_loss {
        return model.result(y);
    }
    mean_square(model, y)
}

/// A pre-norm transformer block of 4 heads; `prefix` stands before the names of its layers.
fn block(model: &mut Model, prefix: &str, features: u64, x: NodeId) -> NodeId {
    let named = |name: &str| format!("{prefix}{name}");
    let norm = [("features", size(features))];
    let a = model.layer("LayerNorm", &named("norm1"), &norm, x);
    let attention = [("features", size(features)), ("heads", size(4)), ("causal", ConfigValue::Bool(true))];
    let a = model.layer("SelfAttention", &named("attention"), &attention, a);
    let x = model.builder.binary(BinaryOp::Add, x, a).unwrap();
    let m = model.layer("LayerNorm", &named("norm2"), &norm, x);
    let wide = 4 * features;
    let m = model.layer("Linear", &named("up"), &[("inputs", size(features)), ("outputs", size(wide))], m);
    let m = model.unary("gelu", m);
    let m = model.layer("Linear", &named("down"), &[("inputs", size(wide)), ("outputs", size(features))], m);
    model.builder.binary(BinaryOp::Add, x, m).unwrap()
}

fn mean_square(mut model: Model, y: NodeId) -> Graph {
    let square = model.builder.binary(BinaryOp::Mul, y, y).unwrap();
    let axes: Vec<usize> = (0..model.builder.shape(y).rank()).collect();
    let loss = model.builder.mean(square, &axes, false).unwrap();
    model.result(loss)
}

/// The loss of so many transformer blocks on `[N, T, features]`.
pub fn deep_transformer(blocks: usize, features: u64) -> Graph {
    let mut model = Model::new("transformer", Mode::Training);
    let dims = [Dim::symbol("N"), Dim::symbol("T"), Dim::from(features as usize)];
    let x = model.argument(0, "x", &dims, DType::F32);
    let y = (0..blocks).fold(x, |x, number| block(&mut model, &format!("blocks.{number}."), features, x));
    mean_square(model, y)
}

/// The loss of so many linear layers with dropout between them, on `[N, features]`.
pub fn deep_mlp(layers: usize, features: u64) -> Graph {
    let mut model = Model::new("mlp", Mode::Training);
    let x = model.argument(0, "x", &[Dim::symbol("N"), Dim::from(features as usize)], DType::F32);
    let config = [("inputs", size(features)), ("outputs", size(features))];
    let y = (0..layers).fold(x, |x, number| {
        let h = model.layer("Linear", &format!("layers.{number}"), &config, x);
        let h = model.unary("relu", h);
        model.layer("Dropout", &format!("dropouts.{number}"), &[], h)
    });
    mean_square(model, y)
}

/// The loss of so many residual blocks of a convolution and a batch norm, on `[N, 8, 8, 8]`.
pub fn deep_cnn(blocks: usize) -> Graph {
    let mut model = Model::new("cnn", Mode::Training);
    let x = model.argument(0, "x", &[Dim::symbol("N"), 8usize.into(), 8usize.into(), 8usize.into()], DType::F32);
    let conv = [
        ("inputs", size(8)),
        ("outputs", size(8)),
        ("kernel", ConfigValue::Pair([3, 3])),
        ("padding", ConfigValue::Pair([1, 1])),
    ];
    let y = (0..blocks).fold(x, |x, number| {
        let h = model.layer("Conv2d", &format!("convs.{number}"), &conv, x);
        let h = model.layer("BatchNorm", &format!("norms.{number}"), &[("features", size(8))], h);
        let h = model.unary("relu", h);
        model.builder.binary(BinaryOp::Add, x, h).unwrap()
    });
    mean_square(model, y)
}

/// The mean of a recurrent network's last hidden state, unrolled over `[N, steps, 13]`.
pub fn unrolled(steps: u64) -> Graph {
    let mut model = Model::new("unrolled", Mode::Training);
    let n = Dim::symbol("N");
    let x = model.argument(0, "x", &[n.clone(), Dim::from(steps as usize), 13usize.into()], DType::F32);
    let mut h = model.argument(1, "h", &[n, 21usize.into()], DType::F32);
    let mut weight = |name: &str, rows: usize| {
        model.builder.input(InputKind::Parameter, name, Shape(vec![rows.into(), 21usize.into()]), DType::F32)
    };
    let (input, hidden) = (weight("input", 13), weight("hidden", 21));
    for step in 0..steps {
        let now = [Value::Tensor(x), Value::Dim(1usize.into()), Value::Dim((step as usize).into())];
        let now = model.op("get", &now);
        let [from_input, from_hidden] =
            [(now, input), (h, hidden)].map(|(rows, weight)| model.builder.matmul(rows, weight).unwrap());
        let sum = model.builder.binary(BinaryOp::Add, from_input, from_hidden).unwrap();
        h = model.unary("tanh", sum);
    }
    let mean = model.unary("mean_all", h);
    model.result(mean)
}
