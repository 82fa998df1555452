//! Operations that cannot be computed: what is wrong is part of the value.

use netcl::nn::{Layer, Layers, Mode};
use netcl::prelude::*;
use netcl::{Error, Operand, algorithms};
use netcl_kernels::ops::{self, ArgKind};

fn tensor(shape: &[usize]) -> Tensor {
    Tensor::full(&Device::host(), 1.0f32, shape).unwrap()
}

/// The parts of a mistake, and its text.
fn told(tensor: &Tensor) -> (String, String, u32, String) {
    let error = tensor.check().unwrap_err();
    let text = error.to_string();
    let Error::Operation { operation, operands, caller, .. } = error else { panic!("{text}") };
    assert!(caller.file().ends_with("mistakes.rs"), "{text}");
    (operation, operands, caller.line(), text)
}

#[test]
fn the_first_mistake_is_told_by_all_that_needs_the_value() {
    let (x, other) = (tensor(&[2, 3]), tensor(&[4, 2]));
    let wrong = x.matmul(&other); // here
    let line = line!() - 1;
    let (operation, operands, told_line, text) = told(&wrong);
    assert_eq!((&*operation, &*operands, told_line), ("matmul", "f32 [2, 3], f32 [4, 2]", line));
    assert!(text.contains("[2, 3]") && text.contains("[4, 2]"), "{text}");
    // Through operations, lists, layers, other mistakes.
    let dense = Layer::new(&Device::host(), Seed(1), "Linear", &[("inputs", 2.into()), ("outputs", 2.into())]).unwrap();
    let mut layers = Layers::new();
    layers.add("dense", "Linear", &[("inputs", 3.into()), ("outputs", 3.into())]).unwrap();
    let mut net = layers.build(&Device::host(), Seed(1)).unwrap();
    let rest = [
        wrong.relu(),
        x.add(&wrong),
        1.0 - &wrong,
        wrong.reshape([7]).matmul(&wrong),
        x.apply("concat", &[Operand::Tensors(&[&x, &wrong]), 0.into()]),
        x.apply("stack", &[Operand::Tensors(&[&wrong; 40]), 0.into()]),
        dense.forward(&[&wrong], Mode::Training),
        net.forward("dense", &[&wrong], Mode::Inference),
        wrong.detach(),
        netcl::no_grad(|| -&wrong),
    ];
    for later in &rest {
        assert_eq!(told(later).3, text);
    }
    assert_eq!((rest[0].shape(), rest[0].dtype()), (x.shape(), DType::F32));
    assert!(format!("{wrong}").contains(&text) && format!("{wrong:?}").starts_with("Tensor("));
    // By whatever needs the value.
    let later = rest[0].exp();
    let device = Device::host();
    let errors: Vec<(&str, Result<()>)> = vec![
        ("to_vec", later.to_vec::<f32>().map(drop)),
        ("of another type", later.to_vec::<i64>().map(drop)),
        ("item", later.item::<f32>().map(drop)),
        ("to_host_async", later.to_host_async::<f32>().map(drop)),
        ("into_host", later.clone().into_host().map(drop)),
        ("copy", later.copy().map(drop)),
        ("to_device", later.to_device(&device).map(drop)),
        ("requires_grad", later.requires_grad().map(drop)),
        ("backward", later.sum([0, 1]).backward().map(drop)),
        ("grad", netcl::grad(&x, |x| x.add(&wrong).sum([0, 1])).map(drop)),
        ("set_tensor", net.set_tensor("dense.bias", &later)),
        ("reduce", algorithms::reduce(algorithms::Operator::Sum, &later).map(drop)),
        ("map", algorithms::map("v0 + v1", &[&x, &later]).map(drop)),
        ("sort", algorithms::sort(&later, algorithms::Order::Ascending).map(drop)),
        ("scan", algorithms::scan(algorithms::Operator::Sum, algorithms::Scan::Inclusive, &later).map(drop)),
    ];
    for (what, error) in errors {
        assert_eq!(error.unwrap_err().to_string(), text, "{what}");
    }
    // Nothing of it stays behind.
    let fine = net.forward("dense", &[&x], Mode::Training).mul(&x).sum([0, 1]);
    let gradients = fine.backward().unwrap().of(&net).unwrap();
    Sgd::new(0.1).step(&mut net, &gradients).unwrap();
}

/// An argument that fits the kind, and one that does not.
fn argument<'a>(kind: ArgKind, x: &'a Tensor) -> (Operand<'a>, Operand<'a>) {
    let fits = match kind {
        ArgKind::Tensor => Operand::Tensor(x),
        ArgKind::Tensors => return (Operand::Tensors(&[]), Operand::Number(0.5)),
        ArgKind::Axis => Operand::Integer(0),
        ArgKind::Axes => return (Operand::Integers(&[0]), Operand::Bool(true)),
        ArgKind::Size => Operand::Integer(1),
        ArgKind::Sizes => return (Operand::Integers(&[1]), Operand::Bool(true)),
        ArgKind::Number | ArgKind::Scalar => Operand::Number(0.5),
        ArgKind::Bool => Operand::Bool(true),
        ArgKind::Text => Operand::Text("ij,ij->ij"),
        ArgKind::DType => Operand::DType(DType::F32),
    };
    (fits, Operand::Tensors(&[]))
}

#[test]
fn each_operation_says_what_is_wrong_and_where() {
    let x = tensor(&[2, 3]);
    let mut tried = 0;
    for operation in ops::all() {
        let kinds: Vec<ArgKind> = operation.args.iter().skip(1).map(|spec| spec.kind).collect();
        let fitting: Vec<Operand<'_>> = kinds.iter().map(|kind| argument(*kind, &x).0).collect();
        let too_many: Vec<Operand<'_>> = fitting.iter().copied().chain([Operand::Bool(true); 9]).collect();
        let mut calls = vec![too_many];
        for (position, kind) in kinds.iter().enumerate() {
            let mut wrong = fitting.clone();
            wrong[position] = argument(*kind, &x).1;
            calls.push(wrong);
        }
        for call in calls {
            let result = x.apply(operation.name, &call);
            let line = line!() - 1;
            assert!(result.check().is_err(), "{}: {call:?}", operation.name);
            let (name, operands, told_line, text) = told(&result);
            assert_eq!((&*name, told_line), (operation.name, line), "{text}");
            assert!(operands.starts_with("f32 [2, 3]"), "{text}");
            // One mistake, whose text says whose it is.
            let own = text.split("; this is `").next().unwrap_or_default();
            assert!(
                own.contains(&format!("`{}`", operation.name)) && text.matches("; this is `").count() == 1,
                "{text}"
            );
            assert_eq!(told(&result.exp().sum([0])).3, text);
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn wrong_shapes_types_and_axes_have_the_right_words() {
    let device = Device::host();
    let (x, v) = (tensor(&[2, 3]), tensor(&[3]));
    let ids = Tensor::full(&device, 1u32, &[2]).unwrap();
    let truth = Tensor::full(&device, true, &[2, 3]).unwrap();
    let image = tensor(&[1, 3, 4, 4]);
    let whole = Tensor::full(&device, 1i32, &[2, 3]).unwrap();
    type Call<'a> = &'a dyn Fn() -> Tensor;
    let calls: &[(Call<'_>, &str, &[&str])] = &[
        (&|| x.add(tensor(&[2])), "add", &["[2, 3]", "[2]"]),
        (&|| &x - &ids, "sub", &["f32", "u32"]),
        (&|| x.matmul(&x), "matmul", &["[2, 3]"]),
        (&|| x.matmul(&truth), "matmul", &["f32", "bool"]),
        (&|| x.sum([2]), "sum", &["2", "[2, 3]"]),
        (&|| x.sum([0, 0]), "sum", &["0"]),
        (&|| x.mean([-3]), "mean", &["-3", "[2, 3]"]),
        (&|| x.softmax(5), "softmax", &["5", "[2, 3]"]),
        (&|| x.argmax(-9), "argmax", &["-9", "[2, 3]"]),
        (&|| whole.softmax(0), "softmax", &["i32"]),
        (&|| truth.exp(), "exp", &["bool"]),
        (&|| whole.sqrt(), "sqrt", &["i32"]),
        (&|| x.permute([0, 0]), "permute", &["[0, 0]"]),
        (&|| x.permute([0]), "permute", &["[2, 3]"]),
        (&|| x.transpose(0, 4), "transpose", &["4", "[2, 3]"]),
        (&|| v.t(), "t", &["[3]"]),
        (&|| x.reshape([4]), "reshape", &["6", "4"]),
        (&|| x.reshape([usize::MAX, 9]), "reshape", &["larger than memory"]),
        (
            &|| x.reshape([i64::MAX, i64::MAX, 12]),
            "reshape",
            &["[9223372036854775807, 9223372036854775807, 12] is larger than memory"],
        ),
        (&|| x.pad_reflect(0, 9, 0), "pad_reflect", &["9 elements on a side along axis 0"]),
        (&|| x.apply("broadcast_to", &[(&[2i64, 4][..]).into()]), "broadcast_to", &["[2, 3]", "[2, 4]"]),
        (&|| x.apply("cross_entropy", &[(&tensor(&[2])).into()]), "cross_entropy", &["f32"]),
        (&|| x.apply("conv2d", &[(&x).into()]), "conv2d", &["[2, 3]"]),
        (&|| image.apply("conv2d", &[(&tensor(&[2, 5, 3, 3])).into()]), "conv2d", &["5", "3"]),
        (&|| x.apply("concat", &[Operand::Tensors(&[&v]), 0.into()]), "concat", &["[2, 3]", "[3]"]),
        (&|| whole.apply("clamp", &[0.5.into(), 1.0.into()]), "clamp", &["0.5", "i32"]),
        (&|| &whole + 0.5, "add", &["0.5", "i32"]),
        (&|| 0.5 - &whole, "sub", &["0.5", "i32"]),
        (&|| x.apply("rellu", &[]), "rellu", &["there is no operation `rellu`", "relu"]),
    ];
    for (call, operation, words) in calls {
        let (name, _, _, text) = told(&call());
        assert_eq!(name, *operation, "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{words:?} in: {text}");
    }
}

#[test]
fn operators_take_owned_and_borrowed_tensors_and_numbers_on_either_side() {
    for device in [Device::host()].into_iter().chain(Device::select("cpu")) {
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 4.0], &[3]).unwrap();
        let y = Tensor::from_slice(&device, &[0.5f32, 3.0, -8.0], &[3]).unwrap();
        let of = |tensor: Tensor| tensor.to_vec::<f32>().unwrap();
        let own = |tensor: &Tensor| tensor.clone();
        for sum in [&x + &y, own(&x) + &y, &x + own(&y), own(&x) + own(&y)] {
            assert_eq!(of(sum), [1.5, 1.0, -4.0]);
        }
        assert_eq!(of(own(&x) - own(&y)), [0.5, -5.0, 12.0]);
        assert_eq!(of(&x * own(&y)), [0.5, -6.0, -32.0]);
        assert_eq!(of(own(&x) / &y), [2.0, -2.0 / 3.0, -0.5]);
        assert_eq!(of(2.0 * &x + 1.0), [3.0, -3.0, 9.0]);
        assert_eq!(of(0.3 * own(&x)), [0.3, -2.0 * 0.3, 4.0 * 0.3]);
        assert_eq!(of(3.0 - own(&x)), [2.0, 5.0, -1.0]);
        assert_eq!(of(0.7 - &x), [0.7 - 1.0, 0.7 + 2.0, 0.7 - 4.0]);
        assert_eq!(of(8.0 / &x), [8.0, -4.0, 2.0]);
        assert_eq!(of(-&x), of(-own(&x)));
        assert_eq!(of(-&x), [-1.0, 2.0, -4.0]);
        let (_, gradient) = netcl::value_and_grad(&x, |x| (0.7 - x * 0.3 + 3.0 / x).sum([0])).unwrap();
        assert_eq!(of(gradient), [1.0f32, -2.0, 4.0].map(|x| -0.3 - 3.0 / (x * x)));
        let whole = Tensor::from_slice(&device, &[5u32, 2], &[2]).unwrap();
        assert_eq!((7.0 - whole).to_vec::<u32>().unwrap(), [2, 5]);
    }
}

#[test]
fn layers_and_paths_that_do_not_fit_are_values_too() {
    let mut layers = Layers::new();
    layers.add("dense", "Linear", &[("inputs", 4.into()), ("outputs", 3.into())]).unwrap();
    let net = layers.build(&Device::host(), Seed(1)).unwrap();
    let x = tensor(&[2, 3]);
    let (name, operands, line, text) = told(&net.forward("dense", &[&x], Mode::Training).relu());
    assert_eq!((&*name, &*operands, line), ("dense: Linear", "f32 [2, 3]", line!() - 1));
    assert!(text.contains("expects 4") || text.contains("4"), "{text}");
    let (name, _, line, text) = told(&net.forward("dence", &[&x], Mode::Training));
    assert_eq!((&*name, line), ("dence", line!() - 1));
    assert!(text.contains("has no layer `dence`; it has: dense"), "{text}");
    assert!(told(&net.forward("dense", &[], Mode::Training)).3.contains("Linear"));
}

#[test]
fn what_is_differentiated_is_named_as_it_was_called() {
    let x = tensor(&[3]);
    let said = |error: Error| error.to_string();
    let text = said(netcl::grad(&x, |x| x.argmax(0)).unwrap_err());
    assert!(
        text.starts_with("`grad`: gradients need a float scalar, found i32 []; `argmax` has no derivative"),
        "{text}"
    );
    let text = said(netcl::value_and_grad(&x, |x| x * 2.0).map(drop).unwrap_err());
    assert!(text.starts_with("`value_and_grad`: ") && text.ends_with("reduce it with `sum` or `mean`"), "{text}");
    let text = said(x.requires_grad().unwrap().exp().backward().map(drop).unwrap_err());
    assert!(text.starts_with("`backward`: "), "{text}");
}

#[test]
fn a_batch_that_is_too_small_is_refused_at_the_call_whatever_was_called_before() {
    let x = tensor(&[2]);
    type Call = fn(&Tensor) -> Tensor;
    let calls: [Call; 3] = [|x| x.topk(4, 0), |x| x.kthvalue(4, 0), |x| x.unfold(0, 4, 1)];
    for (name, of) in ["topk", "kthvalue", "unfold"].into_iter().zip(calls) {
        for length in [7, 5, 6] {
            of(&tensor(&[length])).to_vec::<f32>().unwrap();
        }
        let (operation, operands, _, text) = told(&of(&x));
        assert_eq!((&*operation, operands.starts_with("f32 [2]")), (name, true), "{operands}");
        assert!(text.contains('4') && text.contains('2') && !text.contains('N'), "{text}");
    }
}
