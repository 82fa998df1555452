//! Products and convolutions in words: `512x512x512,b=k`, `32x16x28x28,32x3x3,padding=1`.

use crate::failure::{Failure, Result};
use netcl::select::{Conv2dTask, ConvKind, Product, Task};
use netcl::{Axis, DType};

/// What [`product`] reads, for `--help`.
pub(crate) const PRODUCT: &str = "MxNxK[,..]";
/// What [`convolution`] reads, for `--help`.
pub(crate) const CONVOLUTION: &str = "NxCxHxW,OxHxW[,..]";

/// Rows, columns and terms of a sum; then what differs from one product of row-major matrices of f32. `option` is what the
/// text was given for.
pub(crate) fn product(option: &str, text: &str) -> Result<Task<u64>> {
    let wrong = |problem: &str| {
        Failure::Other(format!(
            "`{option} {text}`: {problem}; expected MxNxK and, as needed, `,batch=B`, `,a=k|outer|none` and \
             `,b=k|outer|none` (along which axis an operand lies in memory; a=k and b=outer unless given) and \
             `,dtype=f32|f16|bf16|f64`, such as 512x512x512,b=k"
        ))
    };
    let mut parts = text.split(',');
    let sizes = parts.next().and_then(sizes);
    let [m, n, k] = sizes.ok_or_else(|| wrong("these are not three sizes of at least 1"))?;
    let (mut batch, mut a, mut b, mut dtype) = (1, Axis::K, Axis::Outer, DType::F32);
    each(parts, &wrong, |name, value| {
        match name {
            "batch" => batch = positive(value)?,
            "a" => a = axis(value)?,
            "b" => b = axis(value)?,
            "dtype" => dtype = float(value)?,
            _ => return None,
        }
        Some(())
    })?;
    let aligned = |along: Axis, outer: u64| match along {
        Axis::K => k.is_multiple_of(4),
        Axis::Outer => outer.is_multiple_of(4),
        Axis::None => false,
    };
    let aligned = aligned(a, m) && aligned(b, n);
    Ok(Task::Product(Product { m, n, k, batch, a, b, aligned, dtype }))
}

/// Images, channels, height and width; channels, height and width of the filters; then what differs from a plain convolution
/// of f32. `option` is what the text was given for.
pub(crate) fn convolution(option: &str, text: &str) -> Result<Task<u64>> {
    let wrong = |problem: &str| {
        Failure::Other(format!(
            "`{option} {text}`: {problem}; expected NxCxHxW,OxHxW and, as needed, `,stride=S`, `,padding=P`, `,dilation=D` \
             (one number, or HxW), `,groups=G`, `,kind=forward|input_grad|weight_grad` and `,dtype=f32|f16|bf16|f64`, such \
             as 32x16x28x28,32x3x3,padding=1"
        ))
    };
    let mut parts = text.split(',');
    let image = parts.next().and_then(sizes);
    let [images, channels, height, width] = image.ok_or_else(|| wrong("the image is not four sizes of at least 1"))?;
    let filter = parts.next().and_then(sizes);
    let [out_channels, taps_y, taps_x] = filter.ok_or_else(|| wrong("the filter is not three sizes of at least 1"))?;
    let mut task = Conv2dTask {
        kind: ConvKind::Forward,
        images,
        channels,
        size: [height, width],
        filter: [taps_y, taps_x],
        out_channels,
        stride: [1; 2],
        padding: [0; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    };
    each(parts, &wrong, |name, value| {
        match name {
            "stride" => task.stride = pair(value, 1)?,
            "padding" => task.padding = pair(value, 0)?,
            "dilation" => task.dilation = pair(value, 1)?,
            "groups" => task.groups = positive(value)?,
            "kind" => task.kind = kind(value)?,
            "dtype" => task.dtype = float(value)?,
            _ => return None,
        }
        Some(())
    })?;
    if !channels.is_multiple_of(task.groups) || !out_channels.is_multiple_of(task.groups) {
        return Err(wrong("the channels of image and filter are not divisible by the groups"));
    }
    if task.problem().is_none() {
        return Err(wrong("the filter is larger than the padded image"));
    }
    Ok(Task::Conv2d(task))
}

/// Reads `name=value` one after the other, each name once; `set` says `None` to what it does not know.
fn each<'a>(
    parts: impl Iterator<Item = &'a str>,
    wrong: &impl Fn(&str) -> Failure,
    mut set: impl FnMut(&str, &str) -> Option<()>,
) -> Result<()> {
    let mut seen = Vec::new();
    for part in parts {
        let known = part.split_once('=').filter(|(name, _)| !seen.contains(name));
        known
            .and_then(|(name, value)| set(name, value))
            .ok_or_else(|| wrong(&format!("`{part}` is not understood")))?;
        seen.extend(known.map(|(name, _)| name));
    }
    Ok(())
}

/// Positive sizes with an `x` between them; `None` if there are more, fewer, or something else.
fn sizes<const COUNT: usize>(text: &str) -> Option<[u64; COUNT]> {
    text.split('x').map(positive).collect::<Option<Vec<u64>>>()?.try_into().ok()
}

/// No size of a tensor is larger; with it no sum of a few of them overflows.
const MOST: u64 = 1 << 40;

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|size| (1..=MOST).contains(size))
}

/// One number for both axes, or one for each.
fn pair(text: &str, least: u64) -> Option<[u64; 2]> {
    let one = |text: &str| text.parse().ok().filter(|size| (least..=MOST).contains(size));
    match text.split_once('x') {
        Some((y, x)) => Some([one(y)?, one(x)?]),
        None => one(text).map(|both| [both; 2]),
    }
}

fn axis(text: &str) -> Option<Axis> {
    Axis::ALL.into_iter().find(|axis| axis.name() == text)
}

fn kind(text: &str) -> Option<ConvKind> {
    ConvKind::ALL.into_iter().find(|kind| kind.name() == text)
}

fn float(text: &str) -> Option<DType> {
    DType::from_name(text).filter(|dtype| dtype.is_float())
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl::Target;
    use netcl_kernels::compile::{CompileOptions, compile_with};
    use netcl_kernels::dim::IndexWidth;
    use netcl_kernels::variant::{self, Defaults, typical};

    fn text(task: Result<Task<u64>>) -> String {
        task.map_or_else(|error| format!("error: {error}"), |task| task.to_string())
    }

    #[test]
    fn products_are_read() {
        for (given, expected) in [
            ("8x4x12", "matmul f32 m=8 n=4 k=12 batch=1 a=k b=outer aligned"),
            ("8x3x12", "matmul f32 m=8 n=3 k=12 batch=1 a=k b=outer"),
            ("8x3x12,b=k", "matmul f32 m=8 n=3 k=12 batch=1 a=k b=k aligned"),
            ("8x4x3,a=outer,batch=5,dtype=bf16", "matmul bf16 m=8 n=4 k=3 batch=5 a=outer b=outer aligned"),
            ("8x4x12,a=none", "matmul f32 m=8 n=4 k=12 batch=1 a=none b=outer"),
        ] {
            assert_eq!(text(product("--matmul", given)), expected, "{given}");
        }
        for bad in ["", "8x4", "8x4x0", "8,4,2", "8x4x2x1", "ax1x1", "-1x1x1", "1 x1x1", "99999999999999999999x1x1"] {
            assert!(text(product("--matmul", bad)).contains("three sizes"), "{bad}");
        }
        for bad in ["batch", "batch=0", "a=n", "dtype=i32", "dtype=half", "c=k", "", "b=k,b=k"] {
            let error = text(product("--matmul", &format!("8x4x2,{bad}")));
            assert!(error.contains("is not understood; expected MxNxK"), "{error}");
        }
    }

    #[test]
    fn convolutions_are_read() {
        for (given, expected) in [
            (
                "2x3x8x9,4x3x5,stride=2,padding=1",
                "conv2d f32 forward images=2 channels=3 size=8x9 filter=3x5 out=4 stride=2x2 padding=1x1 dilation=1x1 \
                 groups=1",
            ),
            (
                "2x4x8x9,6x3x3,kind=weight_grad,groups=2,dilation=1x2,dtype=f16",
                "conv2d f16 weight_grad images=2 channels=4 size=8x9 filter=3x3 out=6 stride=1x1 padding=0x0 dilation=1x2 \
                 groups=2",
            ),
        ] {
            assert_eq!(text(convolution("--conv2d", given)), expected, "{given}");
        }
        for (bad, problem) in [
            ("2x3x8x8", "three sizes"),
            ("2x3x8,4x3x3", "four sizes"),
            ("2x3x8x8,4x3", "three sizes"),
            ("2x3x8x8,4x3x3,stride=0", "`stride=0`"),
            ("2x3x8x8,4x3x3,pad=1", "`pad=1`"),
            ("2x3x8x8,4x3x3,padding", "`padding`"),
            ("2x3x8x8,4x3x3,kind=backward", "`kind=backward`"),
            ("2x3x8x8,4x3x3,groups=2", "divisible"),
            ("2x3x8x8,4x9x3", "larger"),
            ("2x3x8x8,4x3x3,dilation=4", "larger"),
        ] {
            let error = text(convolution("--conv2d", bad));
            assert!(error.contains(problem) && error.contains("NxCxHxW"), "{error}");
        }
        assert!(convolution("--conv2d", "2x3x8x8,4x9x3,padding=1").is_ok(), "padding makes room for it");
    }

    /// Else what is tuned would be found under a name that no program asks for.
    #[test]
    fn a_graph_of_the_task_asks_for_it() {
        let products =
            ["8x4x12", "8x3x12", "8x3x12,b=k", "8x4x3,a=outer,b=k,batch=5,dtype=f64", "8x4x12,a=none,dtype=bf16"];
        let convolutions = [
            "2x4x8x9,6x3x3,kind=input_grad,groups=2,stride=2,padding=1",
            "2x4x8x9,6x3x3,kind=weight_grad,dilation=2x1,dtype=f16",
        ];
        let tasks = products.into_iter().map(|text| product("", text));
        for task in tasks.chain(convolutions.into_iter().map(|text| convolution("", text))) {
            let task = task.unwrap();
            let options = CompileOptions { limits: typical(Target::Gpu), select: &Defaults, width: IndexWidth::Narrow };
            let plan = compile_with(&variant::graph(&task), Target::Gpu, &options).unwrap();
            let asked = plan.decisions[0].task.evaluate(&[]).unwrap();
            assert_eq!(asked.to_string(), task.to_string());
        }
    }
}
