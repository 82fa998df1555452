//! What operations say to do instead of what is wrong.

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::InputKind;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::ops::{self, Value};

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

/// What to do instead is said with what is wrong.
#[test]
fn operations_say_what_to_do_instead() {
    use DType::{Bool, F16, F32, I32, I64};
    let mut builder = Builder::new("bad");
    let mut tensor =
        |shape: &[usize], dtype| Value::Tensor(builder.input(InputKind::Argument(0), "x", Shape::of(shape), dtype));
    let (x, row, wide) = (tensor(&[2, 8], F32), tensor(&[2], F32), tensor(&[2, 4], F32));
    let (half, truth, long) = (tensor(&[2, 8], F16), tensor(&[2, 8], Bool), tensor(&[2], I64));
    let (whole, labels) = (tensor(&[2, 8], I32), tensor(&[2, 8], DType::U32));
    let list = |value: &Value| Value::List(vec![value.clone()]);
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        ("narrow", vec![x.clone(), int(1), int(6), int(4)], "4 elements start at 0 to 4, or up to 2 elements from 6"),
        ("narrow", vec![x.clone(), int(1), int(0), int(9)], "take up to 8 elements"),
        ("narrow", vec![x.clone(), int(0), int(3), int(1)], "1 element starts at 0 or 1"),
        ("narrow", vec![x.clone(), int(1), int(7), int(2)], "2 elements start at 0 to 6, or 1 element from 7"),
        ("get", vec![x.clone(), int(1), int(8)], "positions go from 0 to 7"),
        ("get", vec![x.clone(), int(1), int(i64::MIN)], "positions go from 0 to 7"),
        ("get", vec![x.clone(), int(1), int(-1)], "positions are counted from the start: write `7`"),
        ("bce_with_logits", vec![x.clone(), labels], "convert it: `.cast(DType::F32)`"),
        ("concat", vec![x.clone(), list(&half), int(1)], "convert one of them with `.cast(DType::F32)`"),
        ("concat", vec![x.clone(), list(&row), int(1)], "`.unsqueeze(1)` gives it an axis of one element"),
        ("concat", vec![x.clone(), list(&wide), int(0)], "`narrow` leaves elements of an axis out, `pad` adds some"),
        (
            "select",
            vec![x.clone(), x.clone(), x.clone()],
            "compare with something: `x.gt(0.0)`, or `x.ne(0.0)` for what is not zero",
        ),
        ("gather", vec![x.clone(), long], "convert them: `.cast(DType::I32)`, in a kernel `as i32`"),
        ("sum", vec![truth, int(1)], "convert it: `.cast(DType::I32)` counts what is true, in a kernel `as i32`"),
        ("mean", vec![whole, int(1)], "convert it: `.cast(DType::F32)`, in a kernel `as f32`"),
    ];
    for (name, args, expected) in cases {
        let operation = ops::find(name).expect("an operation");
        let error = ops::call(&mut builder, operation, &args).expect_err(name);
        assert_eq!(error.hint.as_deref(), Some(expected), "{name}: {error}");
    }
}
