//! Tensors and operations compiled at run time, on every device that computes.

use netcl::__private::kernels::layers::{Init, TensorSpec};
use netcl::__private::{ModelCore, Schema, Seed};
use netcl::data::DataLoader;
use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::{DType, Device, Element, Error, Operand, QueueOrder, Target, Tensor};
use netcl_fixtures::devices::{all, measured_before, with_driver};

#[test]
fn every_element_type_comes_back_as_it_went() {
    fn check<T: Element + PartialEq>(device: &Device, elements: &[T]) {
        let tensor = Tensor::from_slice(device, elements, &[elements.len()]).unwrap();
        assert_eq!(tensor.dtype(), T::DTYPE);
        assert_eq!(tensor.to_vec::<T>().unwrap(), elements);
        assert_eq!(Tensor::full(device, elements[0], &[3, 2]).unwrap().to_vec::<T>().unwrap(), [elements[0]; 6]);
    }
    for device in all() {
        check(&device, &[true, false, true]);
        check(&device, &[0u8, 255, 3]);
        check(&device, &[i32::MIN, i32::MAX, -1]);
        check(&device, &[0, u32::MAX, 1]);
        check(&device, &[i64::MIN, i64::MAX, -1]);
        check(&device, &[half::f16::MAX, half::f16::from_f32(-0.5)]);
        check(&device, &[half::bf16::MAX, half::bf16::from_f32(-0.5)]);
        check(&device, &[f32::MIN_POSITIVE, -0.0, f32::INFINITY]);
        check(&device, &[f64::MIN_POSITIVE, -0.0, f64::INFINITY]);
    }
}

#[test]
fn a_layer_is_built_once_for_all_batch_sizes() {
    for device in with_driver() {
        // With programs and counters of its own, for kernels that no other test runs.
        let device = device.with_queue(QueueOrder::InOrder).unwrap();
        let size = ConfigValue::Size;
        let layers: [(&str, &[(&str, ConfigValue)]); 3] = [
            ("Linear", &[("inputs", size(6)), ("outputs", size(4))]),
            ("LayerNorm", &[("features", size(6))]),
            ("BatchNorm", &[("features", size(6))]),
        ];
        for (name, settings) in layers {
            let layer = Layer::new(&device, Seed(1), name, settings).unwrap();
            let run = |rows: usize| {
                let values: Vec<f32> = (0..rows * 6).map(|value| value as f32).collect();
                let x = Tensor::from_slice(&device, &values, &[rows, 6]).unwrap();
                let y = layer.forward(&[&x], Mode::Training);
                assert_eq!(y.shape()[0], rows);
                y.to_vec::<f32>().unwrap()
            };
            let programs = || device.program_stats().built + device.program_stats().loaded;
            let first = run(5);
            let built = programs();
            for rows in [9, 5, 64, 9] {
                run(rows);
            }
            assert!(programs() == built || measured_before(&device), "{name}");
            assert_eq!(run(5), first, "{name}");
        }
    }
}

/// As in a model's function: axes and sizes as one or several, numbers beside tensors, tensors owned and borrowed.
#[test]
fn operations_are_methods_that_take_what_is_at_hand() {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[-1.0f32, 2.0, 3.0, -4.0, 5.0, 6.0], &[2, 3]).unwrap();
    let axes: Vec<usize> = vec![0, 1];
    for sum in [x.sum(axes.as_slice()), x.sum(&axes), x.sum([0, -1]), x.sum_all(), x.sum(0).sum(0usize)] {
        assert_eq!(sum.item::<f32>().unwrap(), 11.0);
    }
    let held = x.clamp(0, 4.0).maximum(0.5).pow(2);
    assert_eq!(held.to_vec::<f32>().unwrap(), [0.25, 4.0, 9.0, 0.25, 16.0, 16.0]);
    let positive = x.gt(0.0).select(&x, 0.0);
    assert_eq!(positive.to_vec::<f32>().unwrap(), x.relu().to_vec::<f32>().unwrap());
    for flat in [x.reshape([3, -1]), x.reshape([3usize, 2]), x.flatten(0).reshape(vec![3, 2])] {
        assert_eq!(flat.shape(), [3, 2]);
    }
    let [length, middle] = [2usize, 1];
    let stacked = x.narrow(1, middle, length).stack([&x.narrow(1, 0, 2), &x.narrow(-1, 1, 2)], 0);
    assert_eq!(stacked.shape(), [3, 2, 2]);
    assert_eq!(x.concat(&x, 0).concat(vec![x.clone(), x.clone()], 0).shape(), [8, 3]);
    let image = x.reshape([1, 1, 2, 3]);
    let weight = Tensor::full(&device, 1.0f32, &[1, 1, 3, 3]).unwrap();
    assert_eq!(image.conv2d(&weight, 1, [1, 1], 1, 1).to_vec::<f32>().unwrap(), [2.0, 11.0, 16.0, 2.0, 11.0, 16.0]);
    // Whole numbers keep all their digits.
    let whole = Tensor::full(&device, 0i64, &[1]).unwrap().add(9_007_199_254_740_993i64);
    assert_eq!(whole.to_vec::<i64>().unwrap(), [9_007_199_254_740_993]);
}

#[test]
fn operators_are_those_of_bodies() {
    for device in all() {
        let whole = |x: Tensor| x.to_vec::<i32>().unwrap();
        let x = Tensor::from_slice(&device, &[7i32, -7], &[2]).unwrap();
        let y = Tensor::from_slice(&device, &[2i32, 3], &[2]).unwrap();
        assert_eq!(whole(&x % 4), [3, -3]);
        assert_eq!(whole(&x & 3), [3, 1]);
        assert_eq!(whole((&x | &y) ^ 1), [6, -6]);
        assert_eq!(whole((&x >> 1) + (1 << &y)), [7, 4]);
        assert_eq!(whole(!&x), [-8, 6]);
        assert_eq!(whole(2 * &x - y * 3), [8, -23]);
        let positive = !x.gt(0) | x.eq(7);
        assert_eq!(positive.to_vec::<bool>().unwrap(), [true, true]);
        let z = Tensor::from_slice(&device, &[7.5f32, -7.5], &[2]).unwrap();
        assert_eq!((&z % 2.0 * 2).to_vec::<f32>().unwrap(), [3.0, -3.0]);
    }
}

#[test]
fn tensors_follow_rules() {
    for device in all() {
        let read = |x: netcl::Result<Tensor>| x.unwrap().cast(DType::F32).to_vec::<f32>().unwrap();
        for dtype in [DType::F32, DType::BF16, DType::I32, DType::U8] {
            assert_eq!(read(Tensor::arange(&device, 4, dtype)), [0.0, 1.0, 2.0, 3.0]);
            assert_eq!(read(Tensor::eye(&device, 2, dtype)), [1.0, 0.0, 0.0, 1.0]);
            let ones = Tensor::ones(&device, &[2, 3], dtype).unwrap();
            assert_eq!((read(Ok(ones.clone())), ones.shape(), ones.dtype()), (vec![1.0; 6], &[2, 3][..], dtype));
            assert_eq!(read(ones.zeros_like()), [0.0; 6]);
            assert_eq!(read(ones.ones_like()), [1.0; 6]);
        }
        let line = |start, end, count| read(Tensor::linspace(&device, start, end, count, DType::F32));
        assert_eq!(line(-1.0, 1.0, 5), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!((line(0.1, 0.7, 7)[6], line(3.0, 9.0, 1), line(0.0, 1.0, 0)), (0.7, vec![3.0], vec![]));
        if device.profile().fp64 {
            let far =
                |count| Tensor::linspace(&device, -1e308, 1e308, count, DType::F64).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(far(5), [-1e308, -5e307, 0.0, 5e307, 1e308]);
            assert_eq!((far(2), far(1)), (vec![-1e308, 1e308], vec![-1e308]));
        }
        let refused = |x: netcl::Result<Tensor>| x.map(drop).unwrap_err().to_string();
        assert!(refused(Tensor::arange(&device, 257, DType::U8)).contains("u8 does not hold the numbers up to 256"));
        assert!(refused(Tensor::linspace(&device, 0.0, 1.0, 3, DType::I32)).contains("it makes floats, found i32"));
        // Their sum is no number of the type, so that neither is their mean.
        let large = Tensor::full(&device, 3e38f32, &[3]).unwrap();
        assert_eq!([large.var([0], 0), large.std([0], 0)].map(|x| x.item::<f32>().unwrap()), [f32::INFINITY; 2]);
        let most = Tensor::ones(&device, &[1; 64], DType::F32).unwrap();
        assert_eq!(most.add(&most).sum_all().item::<f32>().unwrap(), 2.0);
        let beyond = refused(most.unsqueeze(0).check());
        assert!(beyond.contains("`unsqueeze` would give 65 axes, a tensor has at most 64"), "{beyond}");
        for beyond in [Tensor::ones(&device, &[1; 65], DType::F32), most.reshape([1; 65]).check()] {
            let beyond = refused(beyond);
            assert!(beyond.contains("a tensor has at most 64 axes, found 65"), "{beyond}");
        }
        let x = Tensor::from_iter(&device, (0..10).map(|x| x as f32)).unwrap().reshape([2, 5]);
        let shapes = |parts: Vec<Tensor>| parts.iter().map(|part| part.shape()[1]).collect::<Vec<_>>();
        assert_eq!(
            (shapes(x.split(1, 2)), shapes(x.split(-1, 9)), shapes(x.chunk(1, 2))),
            (vec![2, 2, 1], vec![5], vec![3, 2])
        );
        assert_eq!(x.split(1, 2)[2].to_vec::<f32>().unwrap(), [4.0, 9.0]);
        assert!(x.split(2, 1)[0].check().is_err() && x.chunk(7, 1)[0].check().is_err());
    }
}

#[test]
fn misuse_is_an_error_that_says_what_to_do() {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2]).unwrap();
    let text = |result: netcl::Result<()>| result.unwrap_err().to_string();
    assert!(text(Tensor::from_slice(&device, &[1.0f32], &[2]).map(|_| ())).contains("has 2 elements, 1 were given"));
    assert!(text(x.to_vec::<f64>().map(|_| ())).contains("expects f64, found f32; convert it with `cast`"));
    assert!(text(x.item::<f32>().map(|_| ())).contains("`to_vec`"));
    assert!(text(x.reshape([3]).check().map(drop)).contains("[2] has 2 elements, [3] has 3"));
    assert!(text(x.reshape([-1, -1]).check().map(drop)).contains("-1 more than once in [-1, -1]"));
    assert!(text(x.reshape([-1, 3]).check().map(drop)).contains("2 elements of [2] cannot be divided by 3"));
    assert!(text(x.reshape([-1, -2]).check().map(drop)).contains("[-1, -2] has a negative size that is not -1"));
    assert!(text(Tensor::zeros(&device, &[usize::MAX, 2], DType::F32).map(|_| ())).contains("larger than memory"));
    assert!(text(x.apply("rellu", &[]).check().map(drop)).contains("relu"));
    assert!(text(x.add(Tensor::zeros(&device, &[3], DType::F32).unwrap()).check().map(drop)).contains("[3]"));
    let layer =
        Layer::new(&device, Seed(1), "Linear", &[("inptus", ConfigValue::Size(2)), ("outptus", ConfigValue::Size(2))])
            .map(|_| ());
    assert_eq!(
        text(layer).lines().filter(|line| line.starts_with("`Linear` ")).count(),
        2,
        "each mistake has its line"
    );
    let huge = Tensor::zeros(&device, &[1 << 46], DType::F32).map(|_| ()).unwrap_err();
    assert!(matches!(huge, Error::OutOfMemory { .. }), "{huge}");
}

#[test]
fn operations_compute_on_every_device() {
    for device in all() {
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 3.0, -4.0, 5.0, -6.0], &[2, 3]).unwrap();
        let row = Tensor::from_slice(&device, &[10.0f32, 20.0, 30.0], &[3]).unwrap();
        let of = |tensor: Tensor| tensor.to_vec::<f32>().unwrap();
        assert_eq!(of(x.relu()), [1.0, 0.0, 3.0, 0.0, 5.0, 0.0], "{device}");
        assert_eq!(of(&x + &row), [11.0, 18.0, 33.0, 6.0, 25.0, 24.0], "{device}");
        assert_eq!(of(&x * 2.0), [2.0, -4.0, 6.0, -8.0, 10.0, -12.0], "{device}");
        assert_eq!(of(x.sum([1])), [2.0, -5.0], "{device}");
        assert_eq!(of(x.t()), [1.0, -4.0, -2.0, 5.0, 3.0, -6.0], "{device}");
        let largest = x.argmax(1);
        assert_eq!(largest.to_vec::<i32>().unwrap(), [2, 1], "{device}");
        assert_eq!(of(x.cast(DType::F32)), of(x.clone()), "{device}");
        // Another batch size takes the same kernel.
        let longer = Tensor::from_slice(&device, &[1.0f32; 15], &[5, 3]).unwrap();
        assert_eq!(of(longer.sum([1])), [3.0; 5], "{device}");
    }
}

#[test]
fn a_seed_gives_the_same_parameters_on_every_device() {
    let mut schema = Schema::new();
    for (path, init) in [("a.weight", Init::Uniform { bound: 0.3 }), ("b.weight", Init::Normal { std: 0.02 })] {
        schema.add(path, TensorSpec { name: "weight", shape: vec![33, 7], dtype: DType::F32, init, trainable: true });
    }
    let bits = |device: &Device| -> Vec<u32> {
        let core = ModelCore::new(device, Seed(42), &schema).unwrap();
        let numbers = core.parameters().into_iter().flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap());
        numbers.map(f32::to_bits).collect()
    };
    let first = bits(&Device::host());
    assert!(first.iter().any(|bits| *bits != 0));
    for device in all() {
        assert_eq!(bits(&device), first, "{device}");
    }
}

#[test]
fn sizes_beyond_reason_are_errors() {
    let null = Device::null(Target::Gpu, 1 << 20);
    for device in [&Device::host(), &null] {
        for shape in [&[1usize << 62][..], &[1 << 61, 8], &[usize::MAX], &[0, usize::MAX, 2], &[1 << 32, 1 << 32, 0]] {
            assert!(Tensor::full(device, 1.0f32, shape).is_err(), "{shape:?}");
            assert!(Tensor::zeros(device, shape, DType::F32).is_err(), "{shape:?}");
            assert!(Tensor::from_slice::<f32>(device, &[], shape).is_err(), "{shape:?}");
        }
        for count in [1 << 44, usize::MAX] {
            assert!(Tensor::arange(device, count, DType::F64).is_err());
            assert!(Tensor::linspace(device, 0.0, 1.0, count, DType::F32).is_err());
        }
        assert!(Tensor::eye(device, 1 << 22, DType::F32).is_err() && Tensor::eye(device, 1 << 40, DType::F32).is_err());
        let empty = Tensor::zeros(device, &[0, 3], DType::F32).unwrap();
        assert!(empty.reshape([0, usize::MAX]).check().is_err() && empty.reshape([0, 1i64 << 62]).check().is_ok());
        assert!(DataLoader::new(device, &[0.0f32; 4], &[usize::MAX, 2], &[0u32; 4], &[]).is_err());
    }
    let error = Tensor::full(&null, 1.0f32, &[1 << 42]).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn a_constant_larger_than_a_piece_is_filled_to_its_end() {
    for device in all() {
        let elements = (8 << 20) + 77;
        let filled = Tensor::full(&device, 0x1234_5678u32, &[elements]).unwrap().to_vec::<u32>().unwrap();
        assert!(filled.len() == elements && filled.iter().all(|&value| value == 0x1234_5678));
        assert_eq!(Tensor::full(&device, -0.0f32, &[2]).unwrap().to_vec::<f32>().unwrap()[1].to_bits(), 1 << 31);
        assert_eq!(Tensor::full(&device, 0u8, &[3]).unwrap().to_vec::<u8>().unwrap(), [0; 3]);
        assert!(Tensor::full(&device, 1u8, &[0]).unwrap().to_vec::<u8>().unwrap().is_empty());
    }
}

#[test]
fn a_weight_as_long_as_the_batch_is_no_batch() {
    let (x, w): (Vec<f32>, Vec<f32>) =
        ((0..8 * 3 * 64).map(|i| (i % 7) as f32).collect(), (0..8 * 27).map(|i| (i % 5) as f32 - 2.0).collect());
    let mut results = Vec::new();
    for device in all() {
        let input = Tensor::from_slice(&device, &x, &[8, 3, 8, 8]).unwrap();
        let weight = Tensor::from_slice(&device, &w, &[8, 3, 3, 3]).unwrap();
        let one = [1i64, 1];
        let settings: [Operand<'_>; 4] = [(&one[..]).into(), (&one[..]).into(), (&one[..]).into(), 1i64.into()];
        let mut operands = vec![Operand::from(&weight)];
        operands.extend_from_slice(&settings);
        let y = input.apply("conv2d", &operands);
        assert_eq!(y.shape(), [8, 8, 8, 8]);
        results.push(y.to_vec::<f32>().unwrap());
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Numbers are not rounded to half precision before they are computed with: results are, once.
#[test]
fn numbers_go_with_tensors_of_every_float_type() {
    use half::{bf16, f16};
    let values = [1.5f32, -2.0, 0.125];
    for device in all() {
        let x = Tensor::from_slice(&device, &values, &[3]).unwrap();
        type Rounding = fn(f32) -> f32;
        let dtypes: [(DType, Rounding); 3] = [
            (DType::F16, |value| f16::from_f32(value).to_f32()),
            (DType::BF16, |value| bf16::from_f32(value).to_f32()),
            (DType::F32, |value| value),
        ];
        for (dtype, rounded) in dtypes {
            let x = x.cast(dtype);
            let check = |found: Tensor, expected: fn(f32) -> f32| {
                // In memory it is of that type, and rounded.
                let found = found.eval().unwrap();
                assert_eq!(found.dtype(), dtype);
                let found = found.cast(DType::F32).to_vec::<f32>().unwrap();
                assert_eq!(found, values.map(|value| rounded(expected(value))), "{device}, {dtype}");
            };
            check(&x * 0.3, |x| x * 0.3);
            check(&x + 0.3, |x| x + 0.3);
            check(x.apply("maximum", &[0.3.into()]), |x| x.max(0.3));
        }
    }
}

#[test]
fn what_has_no_elements_is_computed_too() {
    for device in all() {
        for shape in [&[2usize, 0, 3][..], &[0, 3], &[3, 0], &[0], &[0, 0]] {
            let x = Tensor::zeros(&device, shape, DType::F32).unwrap();
            assert_eq!(x.add(&x).exp().shape(), shape);
            let one = Tensor::full(&device, 1.0f32, &[1; 3][..shape.len()]).unwrap();
            assert!(one.mul(&x).to_vec::<f32>().unwrap().is_empty(), "{shape:?}");
        }
        let x = Tensor::zeros(&device, &[2, 0, 3], DType::F32).unwrap();
        assert_eq!(x.sum([1]).to_vec::<f32>().unwrap(), [0.0; 6], "{device}");
        assert_eq!(x.t().shape(), [2, 3, 0]);
        let settings = [("features", ConfigValue::Size(3)), ("heads", ConfigValue::Size(1))];
        let attention = Layer::new(&device, Seed(1), "SelfAttention", &settings).unwrap();
        assert_eq!(attention.forward(&[&x], Mode::Inference).shape(), [2, 0, 3], "{device}");
    }
}

/// 3.7 / 3.7 is 1 and no less, so that what is rounded down afterwards is right.
#[test]
fn quotients_and_roots_are_those_of_rust_where_the_driver_can_round() {
    let numbers: Vec<f32> = (1..2_000).map(|i| ((i % 200) as f32 * 0.1 - 10.0).exp2() + i as f32 * 0.1).collect();
    let others: Vec<f32> = numbers.iter().rev().copied().collect();
    for device in all().into_iter().filter(|device| device.profile().rounded_division) {
        let [x, y] = [&numbers, &others].map(|values| Tensor::from_slice(&device, values, &[values.len()]).unwrap());
        let quotients = x.apply("div", &[Operand::Tensor(&y)]).to_vec::<f32>().unwrap();
        let ones = x.apply("div", &[Operand::Tensor(&x)]).to_vec::<f32>().unwrap();
        let roots = x.apply("sqrt", &[]).to_vec::<f32>().unwrap();
        for (at, (&x, &y)) in numbers.iter().zip(&others).enumerate() {
            assert_eq!((quotients[at], ones[at], roots[at]), (x / y, 1.0, x.sqrt()), "{device}: {x} and {y}");
        }
    }
}

/// Many parts are put together a few at a time: by one kernel for all lengths, whose work is not elements times parts.
#[test]
fn many_tensors_are_concatenated() {
    for device in all() {
        let shape = |part: usize, axis: usize| {
            let mut shape = [2, 3, 2];
            // Some have nothing there, and some have one.
            shape[axis] = part % 5;
            shape
        };
        // What each element is says where it comes from: its part, and its place in that.
        let value = |part: usize, place: usize| (part * 64 + place) as i32;
        for (axis, count) in [(0, 300), (1, 70), (2, 40), (1, 17)] {
            let parts: Vec<Tensor> = (0..count)
                .map(|part| {
                    let shape = shape(part, axis);
                    let values: Vec<i32> = (0..shape.iter().product()).map(|place| value(part, place)).collect();
                    Tensor::from_slice(&device, &values, &shape).unwrap()
                })
                .collect();
            let others: Vec<&Tensor> = parts[1..].iter().collect();
            let given = axis as i64 - if count == 70 { 3 } else { 0 };
            let joined = parts[0].apply("concat", &[Operand::Tensors(&others), Operand::Integer(given)]);
            let outer: usize = [2, 3, 2][..axis].iter().product();
            let inner: usize = [2, 3, 2][axis + 1..].iter().product();
            let run = |row: usize, part: usize| {
                let length = shape(part, axis)[axis] * inner;
                (row * length..(row + 1) * length).map(move |place| value(part, place))
            };
            let expected: Vec<i32> =
                (0..outer).flat_map(|row| (0..count).flat_map(move |part| run(row, part))).collect();
            assert_eq!(joined.to_vec::<i32>().unwrap(), expected, "{count} along {axis} on {device}");
        }
        let parts: Vec<Tensor> =
            (0..50).map(|part| Tensor::from_slice(&device, &[part as f32, 0.5], &[2]).unwrap()).collect();
        let others: Vec<&Tensor> = parts[1..].iter().collect();
        for (axis, expected_shape, step) in [(0, [50, 2], 2), (-1, [2, 50], 1)] {
            let stacked = parts[0].apply("stack", &[Operand::Tensors(&others), Operand::Integer(axis)]);
            assert_eq!(stacked.shape(), expected_shape);
            let found = stacked.to_vec::<f32>().unwrap();
            assert!((0..50).all(|part| found[part * step] == part as f32), "{found:?}");
        }
        // What does not fit is refused in the words of one kernel.
        let odd = Tensor::from_slice(&device, &[0.0f32; 6], &[2, 3]).unwrap();
        let mut others = others;
        others[40] = &odd;
        for (name, axis) in [("concat", 0), ("stack", 0), ("concat", 1), ("stack", 7)] {
            let few = parts[0].apply(name, &[Operand::Tensors(&[&odd]), Operand::Integer(axis)]).check().unwrap_err();
            let many = parts[0].apply(name, &[Operand::Tensors(&others), Operand::Integer(axis)]).check().unwrap_err();
            assert_eq!(many.cause().to_string(), few.cause().to_string());
        }
    }
    // However many there are, no kernel has more than sixteen of them, and their number is about that of the parts.
    let device = Device::null(Target::Gpu, u64::MAX);
    let parts: Vec<Tensor> =
        (0..3000).map(|part| Tensor::zeros(&device, &[part % 7 + 1, 3], DType::F32).unwrap()).collect();
    let others: Vec<&Tensor> = parts[1..].iter().collect();
    device.take_records();
    let joined = parts[0].apply("concat", &[Operand::Tensors(&others), Operand::Integer(0)]);
    assert_eq!(joined.shape(), [(0..3000).map(|part| part % 7 + 1).sum::<usize>(), 3]);
    assert_eq!(device.take_records().unwrap().len(), 188 + 12 + 1);
}

#[test]
fn whole_quotients_by_zero_are_those_of_the_division() {
    for device in all() {
        let floats = |values: &[f32]| Tensor::from_slice(&device, values, &[values.len()]).unwrap();
        let (x, y) = (floats(&[1.0, -1.0, 1.0, -1.0, f32::INFINITY, 7.5]), floats(&[0.0, 0.0, -0.0, -0.0, 0.0, 2.0]));
        let whole = x.floor_divide(&y).to_vec::<f32>().unwrap();
        let [more, less] = [f32::INFINITY, f32::NEG_INFINITY];
        assert_eq!(whole, [more, less, less, more, more, 3.0], "{device}");
        let tracked = x.requires_grad().unwrap();
        let sum = (tracked.floor_divide(&y) + &tracked).sum_all();
        let slope = sum.backward().unwrap().wrt(&tracked).unwrap();
        assert_eq!(slope.to_vec::<f32>().unwrap(), [1.0; 6], "{device}");
        let none = floats(&[0.0, f32::NAN]).floor_divide(0.0).to_vec::<f32>().unwrap();
        assert!(none.iter().all(|quotient| quotient.is_nan()), "{device}: {none:?}");
    }
}

/// Of a short axis they are a loop or two, also where it comes first: no symbol of a batch stands for its size.
#[test]
fn running_totals_along_a_short_first_axis_are_short() {
    let totals = |device: &Device| {
        let x = Tensor::from_iter(device, (0..300).map(|number| number as f32)).unwrap().reshape([3, 100]);
        (x.cumsum(0), (x * 2.0).cumsum(0) + 1.0)
    };
    for target in [Target::Host, Target::Cpu, Target::Gpu] {
        let device = Device::null(target, u64::MAX);
        let (alone, among) = totals(&device);
        let before = device.launches();
        alone.eval().unwrap();
        among.eval().unwrap();
        assert!(device.launches() - before <= 4, "{device}: {}", device.launches() - before);
    }
    for device in all() {
        let (alone, among) = totals(&device);
        let expected = (0..300).map(|at| (0..=at / 100).map(|row| (row * 100 + at % 100) as f32).sum());
        let expected: Vec<f32> = expected.collect();
        assert_eq!(alone.to_vec::<f32>().unwrap(), expected, "{device}");
        assert_eq!(among.to_vec::<f32>().unwrap(), expected.iter().map(|x| 2.0 * x + 1.0).collect::<Vec<_>>());
    }
}

#[test]
fn cosines_are_of_what_broadcasts() {
    let device = Device::host();
    let values = |count: usize| (0..count).map(|i| (i as f32 * 0.7).sin()).collect::<Vec<f32>>();
    let x = Tensor::from_slice(&device, &values(24), &[2, 3, 4]).unwrap();
    let y = Tensor::from_slice(&device, &values(4), &[4]).unwrap();
    let all = y.broadcast_to([2, 3, 4]);
    let of = |tensor: Tensor| tensor.to_vec::<f32>().unwrap();
    assert_eq!(of(x.cosine_similarity(&y, 2)), of(x.cosine_similarity(&all, 2)));
    assert_eq!(of(y.cosine_similarity(&x, -2)), of(all.cosine_similarity(&x, 1)));
}

/// Rows of nothing, of which there are more than anybody could go through.
#[test]
fn nothing_is_launched_for_what_has_no_elements() {
    for device in all() {
        // With counters of its own, where there are queues.
        let own = device.with_queue(QueueOrder::InOrder);
        let (device, is_own) = own.map_or((device, false), |own| (own, true));
        let x = Tensor::zeros(&device, &[0], DType::F32).unwrap();
        let before = device.launches();
        let y = x.broadcast_to([1i64 << 33, 0]).exp();
        y.eval().unwrap();
        let z = x.broadcast_to([1i64 << 33, 0]).repeat(0, 2).pad(0, 1, 1, 0.0);
        z.eval().unwrap();
        assert_eq!((y.shape(), z.shape()), (&[1 << 33, 0][..], &[(1 << 34) + 2, 0][..]));
        assert!(!is_own || device.launches() == before, "{device}");
    }
}
