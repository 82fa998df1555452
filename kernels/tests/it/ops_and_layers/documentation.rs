//! `docs/operations.md`, `docs/layers.md` and the methods of tensors are written from the tables: `NETCL_BLESS=1 cargo test -p netcl-kernels`.

use netcl_kernels::layers::{self, Config, ConfigKind, ConfigValue, Init};
use netcl_kernels::ops::{self, ArgKind};
use netcl_kernels::span::Span;
use std::fmt::Write;
use std::path::PathBuf;

const NOTE: &str =
    "Written from the tables in `kernels/src` by `NETCL_BLESS=1 cargo test -p netcl-kernels`; do not edit.";

/// What is written of single elements, which has no table.
const ELEMENTS: &str = "
## Elements

In kernels and in a `#[netcl::function]` values are single numbers. In index form they have the operations \
above that work element by element, and these functions of Rust's, as methods (`x.hypot(y)`) or by path (`f32::hypot(x, y)`); \
functions, which are Rust as well, have what Rust's numbers have of both (no `x.relu()`, which is `x.max(0.0)` there); \
kernels in SIMT form have these and what Rust has of the elementary functions as methods of floats, and of whole numbers `abs`, `signum`, `min`, `max`, `clamp`, \
`rem_euclid` and `div_euclid`:

| call | result |
|---|---|
| `x.mul_add(a, b)` | `x * a + b`; rounded once or twice, as the device does it |
| `x.log(base)` | the logarithm to that base; `x.ln()` is `x.log()` without one |
| `x.sin_cos()` | the pair of `x.sin()` and `x.cos()` |
| `x.clamp(low, high)` | as Rust's, for any numbers; where `low > high` it is `high`, where Rust panics |
| `i.pow(n)` | a whole number multiplied with itself, wrapping; `n` is a number that is known while compiling |

In a function, which is Rust as well, `max`, `min` and `round` are Rust's (of a number and NaN the number; halves away from \
zero); elsewhere they are the operations above, and `f32::max(x, y)` is Rust's. What Rust has and is not here, \
`next_up` or `rotate_left` for instance, does not compile. `x * y + z` is rounded twice, as in Rust; `mul_add` is too on devices \
that have nothing faster.

The branch of an `if` that is not taken contributes nothing to a gradient, whatever its derivative: the gradient of \
`if x > 0.0 { x.sqrt() } else { 0.0 }` is zero for `x <= 0`.
";

fn operations() -> String {
    let mut text = format!("# Operations\n\n{NOTE}\n\n");
    text += "What can be called on a tensor, as written here: in a model's functions, and at run time as methods of `Tensor`, or \
             by name, `x.apply(\"clamp\", &[0.0.into(), 1.0.into()])`. There a mistake is part of the value of the \
             result ([mistakes.md](mistakes.md)). The first argument is the tensor itself. Operands broadcast as in NumPy and \
             must have one element type; a number takes the type of the tensor it meets. `axis` and `axes` may count from the end (-1 is the last); a tensor has at most 64. \
             An empty list has a type at run time: `x.einsum(\"ij->ji\", &[&x; 0])`, `x.sum([0i64; 0])`.\n";
    for family in ops::families() {
        write!(text, "\n## {}\n\n| call | result |\n|---|---|\n", family.title).unwrap();
        let several = family.several.iter().map(|several| (several.name, several.doc, several.args));
        let single = family.operations.iter().map(|operation| (operation.name, operation.doc, operation.args));
        for (name, doc, args) in single.chain(several) {
            let receiver = args[0].name;
            let args: Vec<String> = args[1..]
                .iter()
                .map(|arg| match arg.kind {
                    ArgKind::Tensor | ArgKind::Scalar | ArgKind::Axis | ArgKind::Axes => arg.name.to_string(),
                    ArgKind::Tensors | ArgKind::Sizes => format!("{}: list", arg.name),
                    ArgKind::Size => format!("{}: integer", arg.name),
                    ArgKind::Number => format!("{}: number", arg.name),
                    ArgKind::Bool => format!("{}: bool", arg.name),
                    ArgKind::Text => format!("{}: text", arg.name),
                    ArgKind::DType => format!("{}: type", arg.name),
                })
                .collect();
            let doc = doc.replace('|', "\\|");
            writeln!(text, "| `{receiver}.{name}({})` | {doc} |", args.join(", ")).unwrap();
        }
    }
    text + ELEMENTS
}

/// What the system in Python calls them, for rustdoc's search.
const ALIASES: [(&str, &str); 3] =
    [("add", "\"elementwise_binary\", \"bias_add\""), ("sum", "\"reduce_sum\""), ("matmul", "\"build_matmul_kernel\"")];

/// Those that `Tensor` has by hand: they are no launch.
const BY_HAND: [&str; 2] = ["reshape", "detach"];

/// `Tensor`'s methods for run time.
fn methods() -> String {
    let note = NOTE.replace("`kernels/src`", "`kernels/src/ops`");
    let mut text = format!(
        "//! The operations of the table as methods of tensors.\n//!\n//! {note}\n\nuse super::arguments::{{argument, called, methods, parameter}};\n\nmethods! {{\n"
    );
    for family in ops::families() {
        writeln!(text, "    // {}", family.title).unwrap();
        let single = family.operations.iter().filter(|operation| !BY_HAND.contains(&operation.name));
        let single = single.map(|operation| (operation.name, operation.doc, operation.args, &[][..]));
        let several = family.several.iter().map(|several| (several.name, several.doc, several.args, several.parts));
        for (name, doc, args, parts) in single.chain(several) {
            let args: Vec<String> = args[1..]
                .iter()
                .map(|arg| {
                    let kind = match arg.kind {
                        ArgKind::Tensor | ArgKind::Scalar => "operand",
                        ArgKind::Tensors => "tensors",
                        ArgKind::Axis | ArgKind::Size => "integer",
                        ArgKind::Axes | ArgKind::Sizes => "integers",
                        ArgKind::Number => "number",
                        ArgKind::Bool => "truth",
                        ArgKind::Text => "text",
                        ArgKind::DType => "dtype",
                    };
                    format!("{}: {kind}", arg.name)
                })
                .collect();
            if let Some((_, aliases)) = ALIASES.iter().find(|(known, _)| *known == name) {
                writeln!(text, "    #[doc(alias({aliases}))]").unwrap();
            }
            let parts = if parts.is_empty() { String::new() } else { format!(" = {}", parts.join(", ")) };
            writeln!(text, "    {doc:?} {name}({}){parts};", args.join(", ")).unwrap();
        }
    }
    text + "}\n"
}

fn layer_reference() -> String {
    let mut text = format!("# Layers\n\n{NOTE}\n\n");
    text += "`#[layer(key = value, ..)]` on a field of a model gives a layer its configuration.\n";
    for layer in layers::all() {
        write!(text, "\n## {}\n\n{}\n", layer.name, layer.doc).unwrap();
        if !layer.config.is_empty() {
            text += "\n| key | takes | default | |\n|---|---|---|---|\n";
        }
        for key in layer.config {
            let default = key.default.clone().map_or("required".to_string(), |value| match value {
                ConfigValue::Pair([height, width]) if height == width => height.to_string(),
                other => other.to_string(),
            });
            writeln!(text, "| `{}` | {} | {default} | {} |", key.name, takes(key.kind), key.doc).unwrap();
        }
        let tensors = (layer.tensors)(&sample(layer));
        if !tensors.is_empty() {
            text += "\n| tensor | | starts |\n|---|---|---|\n";
        }
        for tensor in tensors {
            let kind = if tensor.trainable { "parameter" } else { "state" };
            let init = match tensor.init {
                Init::Constant(value) => value.to_string(),
                Init::Whole(value) => value.to_string(),
                Init::Uniform { .. } | Init::FanIn { .. } => "uniform".to_string(),
                Init::Normal { std } => format!("normal, standard deviation {std}"),
                Init::ByFans { .. } => unreachable!("no layer starts so unless it is asked"),
            };
            writeln!(text, "| `{}` | {kind} | {init} |", tensor.name).unwrap();
        }
    }
    text
}

fn takes(kind: ConfigKind) -> String {
    let name = if kind == ConfigKind::Size { ", or its name" } else { "" };
    format!("{}{name}", kind.describe())
}

/// Any configuration with every required key.
fn sample(layer: &layers::Layer) -> Config {
    let required = layer.config.iter().filter(|key| key.default.is_none());
    let pairs: Vec<_> = required
        .map(|key| {
            let value = match key.kind {
                ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count | ConfigKind::Pair => ConfigValue::Size(2),
                ConfigKind::Number => ConfigValue::Number(0.5),
                ConfigKind::Bool => ConfigValue::Bool(true),
            };
            (key.name, value, Span::NONE)
        })
        .collect();
    Config::from_pairs(layer, &pairs).expect("required keys are enough")
}

fn check(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("docs");
        std::fs::write(&path, text).expect("docs can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{name} is not what the tables say; rewrite it with NETCL_BLESS=1");
}

#[test]
fn operations_are_documented() {
    check("docs/operations.md", &operations());
}

#[test]
fn operations_are_methods() {
    check("netcl/runtime/src/tensor/methods.rs", &methods());
}

#[test]
fn layers_are_documented() {
    check("docs/layers.md", &layer_reference());
}

/// A line that rustdoc hides stands on the page all the same, and does not compile where it is copied.
#[test]
fn pages_hide_no_lines() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let files = std::fs::read_dir(&folder).expect("docs").map(|entry| entry.expect("a file").path());
    for path in files.chain([folder.join("../README.md")]) {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let (text, mut rust) = (std::fs::read_to_string(&path).expect("a page"), false);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.starts_with("```") {
                rust = !rust && line.starts_with("```rust");
            }
            let hidden = rust && (line == "#" || line.starts_with("# "));
            assert!(!hidden, "{}:{}: `{line}` is shown on the page", path.display(), number + 1);
        }
    }
}
