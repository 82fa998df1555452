//! What bad use of operations and layers is told.

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, NodeId, Origin};
use netcl_kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::span::{Diagnostic, Result, Span};

/// Calls `name` on a tensor of `dtype` and `shape` and expects this error.
#[track_caller]
fn refused(name: &str, dtype: DType, shape: &[usize], rest: &[Value], expected: &str) {
    let mut builder = Builder::new("bad");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(shape), dtype);
    let args: Vec<Value> = [Value::Tensor(x)].into_iter().chain(rest.iter().cloned()).collect();
    let operation = ops::find(name).expect("an operation");
    match ops::call(&mut builder, operation, &args) {
        Ok(_) => panic!("`{name}` accepts it"),
        Err(error) => assert_eq!(error.message, expected),
    }
}

/// It is the user's operation that is named, and not one that it is made of.
#[test]
fn losses_of_two_types_are_refused_by_name() {
    for (name, rest) in [
        ("bce_with_logits", &[][..]),
        ("mse_loss", &[]),
        ("l1_loss", &[]),
        ("huber_loss", &[1.0]),
        ("smooth_l1_loss", &[1.0]),
    ] {
        let mut builder = Builder::new("bad");
        let mut tensor = |dtype| Value::Tensor(builder.input(InputKind::Argument(0), "x", Shape::of(&[2, 8]), dtype));
        let args = [tensor(DType::F32), tensor(DType::U32)];
        let args: Vec<Value> = args.into_iter().chain(rest.iter().map(|number| Value::Number(*number))).collect();
        let error = ops::call(&mut builder, ops::find(name).expect("an operation"), &args).expect_err(name);
        assert_eq!(error.message, format!("`{name}` of f32 expects a target of the same type, found u32"));
    }
}

/// Of no elements there is no position: 0 would be one that the axis does not have.
#[test]
fn positions_of_extremes_need_elements() {
    for name in ["argmax", "argmin"] {
        let expected = format!("`{name}` expects at least one element along axis 1, found [2, 0]");
        refused(name, DType::F32, &[2, 0], &[int(1)], &expected);
        let mut builder = Builder::new("good");
        let x = Value::Tensor(builder.input(InputKind::Argument(0), "x", Shape::of(&[0, 2]), DType::F32));
        ops::call(&mut builder, ops::find(name).expect("an operation"), &[x, int(1)])
            .expect("no positions are asked for");
    }
}

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

#[test]
fn truth_values_have_no_order() {
    let mut builder = Builder::new("bad");
    let [x, y] = [0, 1].map(|position| builder.input(InputKind::Argument(position), "x", Shape::of(&[2]), DType::Bool));
    for (name, ordered) in [("lt", true), ("le", true), ("gt", true), ("ge", true), ("eq", false), ("ne", false)] {
        let operation = ops::find(name).expect("an operation");
        let result = ops::call(&mut builder, operation, &[Value::Tensor(x), Value::Tensor(y)]);
        let expected = ordered.then(|| {
            format!(
                "`{name}` is not defined for bool tensors, which have no order; compare them with `eq` or `ne`, or \
                 cast them to u8"
            )
        });
        assert_eq!(result.err().map(|error| error.message), expected);
    }
}

#[test]
fn operations_name_what_is_wrong() {
    use DType::{Bool, F32, I32, U8};
    let number = Value::Number;
    refused("relu", F32, &[2], &[int(1)], "`relu` expects 0 arguments, found 1");
    refused("clamp", F32, &[2], &[int(1)], "`clamp` expects 2 arguments (min, max), found 1");
    refused("clamp", F32, &[2], &[int(2), int(1)], "`clamp` expects `min` <= `max`, found 2 and 1");
    refused("gelu", I32, &[2], &[], "`gelu` expects a float tensor, found i32");
    refused(
        "sum",
        F32,
        &[2],
        &[number(0.5)],
        "`sum` expects a list of axes (integer constants) as `axes`, found a number",
    );
    refused("sum", F32, &[2], &[int(1)], "`sum` names axis 1 of [2], which has 1 axis");
    refused("sum", F32, &[2, 3], &[Value::List(vec![int(1), int(-1)])], "`sum` names an axis of [2, 3] twice: [1, -1]");
    refused("softmax", F32, &[2, 3], &[int(-3)], "`softmax` names axis -3 of [2, 3], which has 2 axes");
    refused("add", I32, &[2], &[number(0.5)], "`add` cannot combine a i32 tensor with 0.5, which i32 cannot hold");
    refused("add", F32, &[2], &[number(1e39)], "`add` cannot combine a f32 tensor with 1e39, which f32 cannot hold");
    refused("add", U8, &[2], &[int(256)], "`add` cannot combine a u8 tensor with 256, which u8 cannot hold");
    refused("add", Bool, &[2], &[int(1)], "`add` cannot combine a bool tensor with the number 1");
    refused("add", F32, &[2], &[Value::Bool(true)], "`add` cannot combine a f32 tensor with `true`");
    refused("any", F32, &[2], &[int(0)], "`any` expects a bool tensor, found f32");
    refused("squeeze", F32, &[2], &[int(0)], "`squeeze` expects axis 0 of [2] to have size 1, found 2");
    refused(
        "reshape",
        F32,
        &[2, 3],
        &[Value::List(vec![int(-1), int(4)])],
        "`reshape` cannot divide the 6 elements of [2, 3] by 4",
    );
    refused(
        "reshape",
        F32,
        &[2],
        &[Value::List(vec![int(-1), int(-1)])],
        "`reshape` can work out one size, found -1 more than once",
    );
    refused("reshape", F32, &[2], &[int(-2)], "`reshape` expects sizes of at least 0, found -2");
    refused("narrow", F32, &[4], &[int(0), int(3), int(2)], "`narrow` takes 3..5 along axis 0 of [4], which has 4");
    refused("get", F32, &[4], &[int(0), int(4)], "`get` takes position 4 along axis 0 of [4], which has 4");
    refused("celu", F32, &[2], &[int(0)], "`celu` expects an `alpha` other than 0, found 0");
    for name in ["var", "std"] {
        let problem = format!("`{name}` expects a `correction` of 0 or more, found -1");
        refused(name, F32, &[2], &[int(0), int(-1)], &problem);
    }
    let list = "`softmax` expects an axis (an integer constant) as `axis`, found a list";
    refused("softmax", F32, &[2, 3], &[Value::List(vec![int(1)])], list);
    let axes = Value::List(vec![int(0), int(1)]);
    let many = "`sum` of [4294967296, 4294967296] would take 9223372036854775807 elements together";
    refused("sum", F32, &[1 << 32, 1 << 32], &[axes], many);
    refused("one_hot", F32, &[2], &[int(3)], "`one_hot` expects u32 or i32 numbers, found f32");
    refused(
        "max_pool2d",
        F32,
        &[2, 3],
        &[int(2), int(2), int(0), int(1)],
        "`max_pool2d` expects a tensor [n, c, h, w], found [2, 3]",
    );
    refused(
        "max_pool2d",
        F32,
        &[1, 1, 4, 4],
        &[int(2), int(2), int(2), int(1)],
        "`max_pool2d` expects a padding of at most half the window, found 2 for a window of 2",
    );
    refused(
        "avg_pool2d",
        F32,
        &[1, 1, 2, 2],
        &[int(3), int(1), int(0)],
        "`avg_pool2d`: a window of 3 does not fit into 2",
    );
    refused(
        "avg_pool2d",
        F32,
        &[1, 1, 2, 2],
        &[int(2), int(0), int(0)],
        "`avg_pool2d`: stride, dilation and window size must be at least 1, found 0",
    );
    refused("concat", F32, &[2], &[int(1), int(0)], "`concat` expects a list of tensors as `others`, found an integer");
}

#[test]
fn two_tensors_that_do_not_fit() {
    let pair = |name: &str, a: (&[usize], DType), b: (&[usize], DType)| -> String {
        let mut builder = Builder::new("bad");
        let x = builder.input(InputKind::Argument(0), "x", Shape::of(a.0), a.1);
        let y = builder.input(InputKind::Argument(1), "y", Shape::of(b.0), b.1);
        let hidden = Origin::Key { layer: "hidden".to_string(), key: "outputs", size: Dim::constant(64) };
        builder.set_origin(x, 0, hidden);
        let operation = ops::find(name).expect("an operation");
        ops::call(&mut builder, operation, &[Value::Tensor(x), Value::Tensor(y)]).expect_err("a mistake").message
    };
    use DType::{F32, U32};
    assert_eq!(
        pair("mse_loss", (&[4, 1], F32), (&[4], F32)),
        "`mse_loss` of [4, 1] expects a target of the same shape, found [4]"
    );
    assert_eq!(
        pair("mse_loss", (&[64], F32), (&[32], F32)),
        "`mse_loss` of [64] expects a target of the same shape, found [32]: axis 0 is 64 (from `hidden`, `outputs = 64`) \
         against 32"
    );
    assert_eq!(
        pair("cross_entropy", (&[4, 3], F32), (&[4], F32)),
        "`cross_entropy` expects u32 or i32 labels, found f32"
    );
    assert_eq!(
        pair("cross_entropy", (&[4, 3], F32), (&[5], U32)),
        "`cross_entropy` of [4, 3] expects labels of shape [4], found [5]: axis 0 is 4 (from `hidden`, `outputs = 64`) \
         against 5"
    );
    let mut builder = Builder::new("bad");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[4, 3]), F32);
    let batch = builder.input(InputKind::Argument(1), "w", Shape::of(&[4, 3, 2]), F32);
    let linear = ops::find("linear").expect("an operation");
    let args = [x, batch, x].map(Value::Tensor);
    let error = ops::call(&mut builder, linear, &args).expect_err("a mistake");
    assert_eq!(error.message, "`linear` expects a `weight` with 2 axes, found [4, 3, 2]");
    assert_eq!(
        pair("cross_entropy", (&[], F32), (&[], U32)),
        "`cross_entropy` expects a tensor [.., classes], found a scalar"
    );
}

fn pairs(layer: &str, pairs: &[(&str, ConfigValue)]) -> Result<Config, Vec<Diagnostic>> {
    let spanned: Vec<_> =
        pairs.iter().enumerate().map(|(i, (key, value))| (*key, value.clone(), Span(i as u32))).collect();
    Config::from_pairs(layers::find(layer).expect("a layer"), &spanned)
}

fn complaints(layer: &str, given: &[(&str, ConfigValue)]) -> Vec<String> {
    pairs(layer, given).expect_err("a mistake").iter().map(ToString::to_string).collect()
}

#[test]
fn configurations_report_every_mistake() {
    use ConfigValue::{Bool, Number, Pair, Size};
    let errors = pairs("Linear", &[("in_features", Size(3)), ("outputs", Size(0)), ("outputs", Size(2))]);
    let errors = errors.expect_err("mistakes");
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "`Linear` has no key `in_features`\nhint: did you mean `inputs`? The keys are `inputs`, `outputs`, `bias`",
            "`outputs` of `Linear` expects an integer of at least 1, found 0\nhint: write `outputs = 64`; in a model also the \
             name of a `const`",
            "`outputs` of `Linear` is given twice",
        ],
        "a key that is misspelt is not missing as well"
    );
    let spans: Vec<Span> = errors.iter().map(|error| error.span).collect();
    assert_eq!(spans, [Span(0), Span(1), Span(2)]);
    assert_eq!(complaints("Linear", &[("depth", Size(3)), ("outputs", Size(2))]).len(), 1, "one slip is one mistake");
    let missing = pairs("Linear", &[("outputs", Size(2))]).expect_err("mistakes").remove(0);
    assert_eq!(
        missing.to_string(),
        "`Linear` needs `inputs`: features of the input's last axis\nhint: write `inputs = 64`"
    );
    assert_eq!(missing.span, Span::NONE);
    let linear = [("inputs", Size(3)), ("outputs", Size(2))];
    assert_eq!(
        complaints("Linear", &[linear[0].clone(), linear[1].clone(), ("bais", Bool(true))]),
        ["`Linear` has no key `bais`\nhint: did you mean `bias`? The keys are `inputs`, `outputs`, `bias`"]
    );
    assert_eq!(
        complaints("Linear", &[linear[0].clone(), ("outputs", Size(1 << 40))]),
        ["`outputs` of `Linear` expects an integer of at least 1 up to 2147483647, found 1099511627776\nhint: write \
          `outputs = 64`; in a model also the name of a `const`"]
    );
    assert_eq!(
        complaints("Linear", &[linear[0].clone(), ("outputs", Number(-2.0))]),
        [
            "`outputs` of `Linear` expects an integer of at least 1, found -2.0\nhint: write `outputs = 64`; in a model also \
          the name of a `const`"
        ]
    );
    let conv = [("inputs", Size(4)), ("outputs", Size(6)), ("kernel", Pair([3, 3]))];
    assert_eq!(
        complaints("Conv2d", &[conv[0].clone(), conv[1].clone(), conv[2].clone(), ("groups", Size(3))]),
        [
            "`groups` of `Conv2d` must divide `inputs`, found `groups = 3` and `inputs = 4`\nhint: write `groups = 2`, which \
          divides `inputs` and `outputs`"
        ]
    );
    let odd = ("outputs", Size(5));
    assert_eq!(
        complaints("Conv2d", &[conv[0].clone(), odd, conv[2].clone(), ("groups", Size(2))]),
        [
            "`groups` of `Conv2d` must divide `outputs`, found `groups = 2` and `outputs = 5`\nhint: write `groups = 1`, which \
          divides `inputs` and `outputs`"
        ]
    );
    assert_eq!(
        complaints("Conv2d", &[conv[0].clone(), conv[1].clone(), conv[2].clone(), ("stride", Pair([1, 0]))]),
        ["`stride` of `Conv2d` must be at least 1, found (1, 0)\nhint: write `stride = 1`"]
    );
    assert_eq!(
        complaints("MaxPool2d", &[("kernel", Size(2)), ("padding", Size(2))]),
        [
            "`padding` of `MaxPool2d` must be at most half the window, found 2 for a window of 2\nhint: write `padding = 1`"
        ]
    );
    assert_eq!(
        complaints("Dropout", &[("p", Number(1.0))]),
        ["`Dropout` has no key `p`\nhint: did you mean `rate`? The keys are `rate`"]
    );
    assert_eq!(
        complaints("Dropout", &[("rate", Size(1))]),
        [
            "`rate` of `Dropout` must be at least 0 and below 1, found 1.0\nhint: it is the probability of a zero: write `rate = 0.5`"
        ]
    );
    assert_eq!(
        complaints("Dropout", &[("rate", Size(20))]),
        [
            "`rate` of `Dropout` must be at least 0 and below 1, found 20.0\nhint: it is a probability, no percentage: write `rate = 0.2`"
        ]
    );
    assert_eq!(
        complaints("MaxPool2d", &[("kernel", Pair([0, 3]))]),
        ["`kernel` of `MaxPool2d` must be at least 1, found (0, 3)\nhint: write `kernel = (1, 3)`"]
    );
    assert_eq!(
        complaints("BatchNorm", &[("features", Size(3)), ("momentum", Number(1.5))]),
        ["`momentum` of `BatchNorm` must be within 0 and 1, found 1.5"]
    );
    assert_eq!(
        complaints("LayerNorm", &[("features", Size(3)), ("epsilon", Number(0.0))]),
        ["`epsilon` of `LayerNorm` must be above 0, found 0"]
    );
}

#[test]
fn groups_and_heads_divide_features() {
    use ConfigValue::Size;
    assert_eq!(
        complaints("GroupNorm", &[("features", Size(6)), ("groups", Size(4))]),
        ["`groups` of `GroupNorm` must divide `features`, found `groups = 4` and `features = 6`\nhint: write \
          `groups = 3`"]
    );
    assert_eq!(
        complaints("SelfAttention", &[("features", Size(6)), ("heads", Size(4))]),
        ["`heads` of `SelfAttention` must divide `features`, found `heads = 4` and `features = 6`\nhint: write \
          `heads = 3`"]
    );
}

/// The largest sizes that keys take: whatever a layer computes of them is an error or a number, and never overflows.
#[test]
fn the_largest_sizes_do_not_overflow() {
    use netcl_kernels::layers::ConfigKind;
    let largest = u64::try_from(i32::MAX).expect("a size");
    let mut refused = Vec::new();
    for layer in layers::all() {
        // One key after the other, and all of them at once.
        let sized = |key: &layers::ConfigKey| !matches!(key.kind, ConfigKind::Number | ConfigKind::Bool);
        let keys: Vec<&str> = layer.config.iter().filter(|key| sized(key)).map(|key| key.name).collect();
        let one = keys.iter().map(|key| vec![*key]);
        for chosen in one.chain([keys.clone()]) {
            let value = |key: &layers::ConfigKey| match key.kind {
                ConfigKind::Number => (key.default.is_none()).then_some(ConfigValue::Number(0.5)),
                ConfigKind::Bool => None,
                _ if chosen.contains(&key.name) => Some(ConfigValue::Size(largest)),
                _ => key.default.is_none().then_some(ConfigValue::Size(1)),
            };
            let given: Vec<_> = layer.config.iter().filter_map(|key| Some((key.name, value(key)?))).collect();
            match pairs(layer.name, &given) {
                Ok(config) => assert!((layer.tensors)(&config).iter().all(|spec| spec.fixed().is_ok()), "{given:?}"),
                Err(errors) => refused.extend(errors.iter().map(ToString::to_string)),
            }
        }
    }
    let expected = "the weight of `Conv2d` has more elements than can be counted, found `inputs = 2147483647`, \
                    `outputs = 2147483647` and a kernel of 2147483647 x 2147483647";
    assert!(refused.iter().any(|error| error == expected), "{refused:#?}");
}

/// Builds layers one after the other on a tensor; the field's name, the layer, its configuration.
type Field<'a> = (&'a str, &'a str, &'a [(&'a str, ConfigValue)]);

fn chain(fields: &[Field<'_>], dtype: DType, shape: Shape) -> Result<NodeId> {
    let mut builder = Builder::new("model");
    let mut x = builder.input(InputKind::Argument(0), "x", shape, dtype);
    let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    for (name, layer, given) in fields {
        let config = pairs(layer, given).map_err(|mut errors| errors.remove(0))?;
        let layer = layers::find(layer).expect("a layer");
        let tensors: Vec<NodeId> = (layer.tensors)(&config)
            .iter()
            .map(|spec| {
                let path = format!("{name}.{}", spec.name);
                builder.input(InputKind::Parameter, &path, Shape(spec.shape.clone()), spec.dtype)
            })
            .collect();
        let mut context = Context {
            builder: &mut builder,
            config: &config,
            name,
            tensors: &tensors,
            mode: Mode::Training,
            seed,
            updates: &mut Vec::new(),
        };
        x = layers::forward(layer, &mut context, &[x])?;
        x = netcl_kernels::ops::activation::relu(&mut builder, x)?;
    }
    Ok(x)
}

#[test]
fn layers_say_where_a_size_came_from() {
    use ConfigValue::{Number, Size};
    let rows = |size: usize| Shape(vec![Dim::symbol("N"), Dim::from(size)]);
    let linear = |inputs, outputs| [("inputs", Size(inputs)), ("outputs", Size(outputs))];
    let said = |fields: &[Field<'_>], shape: Shape| chain(fields, DType::F32, shape).expect_err("a mistake").message;
    let (wide, narrow) = (linear(8, 64), linear(32, 10));
    let hidden: Field<'_> = ("hidden", "Linear", &wide);
    let output: Field<'_> = ("output", "Linear", &narrow);
    let expected = "`output` expects 32 features, found 64 (from `hidden`, `outputs = 64`)";
    assert_eq!(said(&[hidden, output], rows(8)), expected);
    let drop: Field<'_> = ("drop", "Dropout", &[("rate", Number(0.5))]);
    assert_eq!(said(&[hidden, drop, output], rows(8)), expected);
    let three = Shape(vec![Dim::symbol("N"), Dim::symbol("T"), Dim::from(8)]);
    assert_eq!(said(&[hidden, output], three), expected);
    assert_eq!(said(&[hidden], rows(9)), "`hidden` expects 8 features, found 9");
    assert_eq!(said(&[hidden], Shape(vec![Dim::symbol("C")])), "`hidden` expects 8 features, found C");
    assert_eq!(said(&[hidden], Shape::scalar()), "`hidden` expects a tensor [.., inputs], found []");
    let images = Shape(vec![Dim::symbol("N"), Dim::from(3), Dim::from(8), Dim::from(8)]);
    let conv: &[(&str, ConfigValue)] = &[("inputs", Size(3)), ("outputs", Size(4)), ("kernel", Size(3))];
    let (conv, norm): (Field<'_>, Field<'_>) =
        (("conv", "Conv2d", conv), ("norm", "BatchNorm", &[("features", Size(5))]));
    assert_eq!(said(&[conv, norm], images.clone()), "`norm` expects 5 channels, found 4 (from `conv`, `outputs = 4`)");
    assert_eq!(said(&[conv], rows(8)), "`conv` expects a tensor [n, inputs, h, w], found [N, 8]");
    let three = Shape(["N", "T", "C"].map(Dim::symbol).to_vec());
    let expected = "`norm` expects a tensor [n, features] or [n, features, h, w], found [N, T, C]";
    assert_eq!(said(&[norm], three), expected);
    let flat: Field<'_> = ("flat", "Flatten", &[]);
    assert_eq!(
        said(&[conv, flat, output], images.clone()),
        "`output` expects 32 features, found 144 (from `flat`, flattened from [N, 4, 6, 6])"
    );
    let pool: Field<'_> = ("pool", "MaxPool2d", &[("kernel", Size(9))]);
    assert_eq!(said(&[pool], images), "`pool`: a window of 9 does not fit into 8");
    assert_eq!(said(&[pool], rows(8)), "`pool` expects a tensor [n, c, h, w], found [N, 8]");
    let embed: Field<'_> = ("embed", "Embedding", &[("entries", Size(5)), ("features", Size(2))]);
    assert_eq!(said(&[embed], rows(8)), "`embed` expects u32 or i32 numbers, found f32");
    let one = Shape::of(&[1, 5]);
    assert_eq!(said(&[norm], one), "`norm` expects more than 1 element for each channel while training, found [1, 5]");
    let numbers = chain(&[hidden], DType::I32, rows(8)).expect_err("a mistake").message;
    assert_eq!(numbers, "`hidden` expects a float tensor, found i32");
}

#[test]
fn the_number_of_inputs_is_checked() {
    let layer = layers::find("Flatten").expect("a layer");
    let config = Config::from_pairs(layer, &[]).expect("defaults");
    let mut builder = Builder::new("bad");
    let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    let mut context = Context {
        builder: &mut builder,
        config: &config,
        name: "flat",
        tensors: &[],
        mode: Mode::Inference,
        seed,
        updates: &mut Vec::new(),
    };
    let error = layers::forward(layer, &mut context, &[]).expect_err("a mistake");
    assert_eq!(error.message, "`flat` (Flatten) expects 1 tensor, found 0");
}

/// Where the size of each axis came from, of what an operation makes of `x`, whose own axes are noted as `x0`, `x1` and so on.
fn origins(operation: &str, shape: &[usize], others: &[Value], second: Option<&[usize]>) -> Vec<String> {
    let mut builder = Builder::new("origins");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(shape), DType::F32);
    (0..shape.len()).for_each(|axis| builder.set_origin(x, axis, Origin::Tensor(format!("x{axis}"))));
    let y = second.map(|shape| builder.input(InputKind::Argument(1), "y", Shape::of(shape), DType::F32));
    let args: Vec<Value> = [Value::Tensor(x)].into_iter().chain(y.map(Value::Tensor)).chain(others.to_vec()).collect();
    let y = ops::call(&mut builder, ops::find(operation).expect("an operation"), &args).expect(operation);
    (0..builder.shape(y).rank()).map(|axis| builder.origin_note(y, axis)).collect()
}

#[test]
fn sizes_know_where_they_come_from() {
    let int = |value: i64| Value::Dim(Dim::constant(value));
    let list = |values: &[i64]| Value::List(values.iter().map(|&value| Value::Dim(Dim::constant(value))).collect());
    let image: &[usize] = &[2, 3, 9, 9];
    let window = " (from `conv2d`, a window of 3 over 9, stride 2)";
    let geometry = [int(2), int(0), int(1), int(1)];
    assert_eq!(origins("conv2d", image, &geometry, Some(&[4, 3, 3, 3])), [" (from `x0`)", "", window, window]);
    let window = " (from `max_pool2d`, a window of 2 over 9, stride 2)";
    let pooled = origins("max_pool2d", image, &[int(2), int(2), int(0), int(1)], None);
    assert_eq!(pooled, [" (from `x0`)", " (from `x1`)", window, window]);
    assert_eq!(origins("mean", image, &[int(1)], None), [" (from `x0`)", " (from `x2`)", " (from `x3`)"]);
    let joined = " (from `flatten` of [2, 3, 9, 9])";
    assert_eq!(origins("flatten", image, &[int(1)], None), [" (from `x0`)", joined]);
    let anew = " (from `reshape` of [2, 3, 9, 9])";
    assert_eq!(origins("reshape", image, &[list(&[2, 27, 9])], None), [" (from `x0`)", anew, " (from `x3`)"]);
    // A size that is another one does not come from there.
    assert_eq!(origins("pad", &[2, 8], &[int(1), int(2), int(2), Value::Number(0.0)], None)[1], "");
    assert_eq!(origins("narrow", &[2, 8], &[int(1), int(0), int(3)], None)[1], "");
}

#[test]
fn what_a_loop_carries_keeps_its_shape() {
    let mut b = Builder::new("rounds");
    let [start, other] = [2, 3].map(|size| b.full(0.0, &Shape::of(&[size]), DType::F32));
    let draft = b.begin_scan("t", Dim::symbol("T"), &[start]);
    let error = b.end_scan(&draft, &[other], &[]).unwrap_err();
    assert_eq!(error.message, "a value that a loop carries starts as f32[2] and is f32[3] after a round");
}
