//! Hints that show code are followed: what stands after "write" in a hint replaces what is marked in the source, and then
//! there is no error left. Every message whose hint shows whole code has a case here, and so has every name of the tables of
//! other frameworks' words.

mod cases;
mod sizes;

use super::compiled;
use crate::foreign::{self, Here};
use crate::messages::{ALL, Message};
use std::collections::BTreeSet;

const MODEL: &str = "
    #[netcl::model]
    pub struct Net {
        #[layer(inputs = 8, outputs = 8)] a: Linear,
        #[layer(inputs = 8, outputs = 8)] l: [Linear; 3],
        #[parameter(init = 1.0)] w: Tensor<f32, 8>,
    }
";

/// A model with a function of that body.
fn body(body: &str) -> String {
    format!(
        "{MODEL} #[netcl::model] impl Net {{ pub fn forward(
            &self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>, deep: bool
        ) -> Tensor<f32, N, 8> {{ {body} }} }}"
    )
}

/// The same, where an expression's value is not looked at.
fn value(expression: &str) -> String {
    format!("#[netcl::function] fn sq(v: f32) -> f32 {{ v * v }} {}", body(&format!("let it = {expression}; x")))
}

/// A model with that field, and a function that does without.
fn field(field: &str) -> String {
    format!(
        "#[netcl::model] pub struct Net {{ #[layer(inputs = 8, outputs = 8)] a: Linear, {field} }}
         #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ self.a.forward(x) }} }}"
    )
}

fn kernel(kernel: &str) -> String {
    format!("netcl::kernel! {{ {kernel} }}")
}

fn simt(body: &str) -> String {
    kernel(&format!(
        "#[launch(global = [N])] pub fn k(x: &Tensor<f32, N, C>, y: &mut Tensor<f32, N, C>) {{
            let (i, j, value) = (global_id(0), 0u32, 1.0); y[i, j] = x[i, j] + value; {body} }}"
    ))
}

/// What a hint says to write: what stands after "write", or nothing where something is to be removed.
fn code(error: &str) -> Option<&str> {
    let (_, hint) = error.split_once("\nhint: ")?;
    if hint.starts_with("remove this") {
        return Some("");
    }
    // Code in which backticks stand would end at the first.
    let (_, code) = hint.split_once("write `")?;
    code.split('`').next()
}

/// Follows the hint of the one error in `source`, in which what it speaks of is marked; the error.
fn follow(source: &str) -> Result<String, String> {
    let [(before, rest), (wrong, after)] = [source, source.split_once('«').unwrap_or_default().1]
        .map(|text| if text == source { text.split_once('«') } else { text.split_once('»') })
        .map(|parts| parts.unwrap_or_else(|| panic!("nothing is marked: {source}")));
    assert!(rest.starts_with(wrong));
    let errors = compiled(&format!("{before}{wrong}{after}")).errors();
    let [error] = errors.as_slice() else { return Err(format!("one mistake, {} errors: {errors:#?}", errors.len())) };
    let code = code(error).ok_or_else(|| format!("no code in the hint: {error}"))?;
    let followed = format!("{before}{code}{after}");
    if syn::parse_file(&followed).is_err() {
        return Err(format!("what `{code}` gives is no Rust: {error}"));
    }
    let left = compiled(&followed).errors();
    if left.is_empty() { Ok(error.clone()) } else { Err(format!("following `{code}` gives {left:#?}\n{error}")) }
}

/// Messages whose hints show code for a place that the table's sources have not, or code beside which more is to be written.
const ELSEWHERE: &[(&str, &str)] = &[
    ("NO_ARGUMENTS", "the attribute itself, whose arguments the sources' reader takes apart"),
    ("DUPLICATE_ATTRIBUTE", "which of them stays, as the author means"),
    ("MODE", "one of two words, as the author means"),
    ("MATMUL_PRECISION", "one of three words, as the author means"),
    ("PRECISION", "one of three words, as the author means"),
    ("GRADIENTS_IN", "an argument and its uses"),
    ("GRAD_IN", "tensors of the author's"),
    ("ATTRIBUTE_FORM", "a form of which the keys are to be filled in"),
    ("NUMBER_RANGE", "another suffix or another number, as the author means"),
    ("RESULT_TYPE", "the author's own sizes"),
    ("RESULT_FIELD", "a field of another item"),
    ("SIZED_STRUCT", "a struct of another item"),
    ("SIMT_RESULT", "a signature and a body follow from each other"),
    ("SIMT_TYPE_LIST", "the author's own types"),
    ("BLOCK_SIZE", "a name for a size, and the types that it stands in"),
    ("ARGUMENT_MUT", "an argument and a line of the body"),
    ("ARGUMENT_LIST", "how many there are"),
    ("TENSORS_FORM", "the author's own tensors"),
    ("SELF_FIELD", "what repeats, of the author's"),
    ("PRESENCE", "a parameter of the author's"),
    ("GROUP_AS_FIELD", "which of them is meant"),
    ("SET_PARAMETER", "an attribute of another place"),
    ("SIMT_AXES", "a tensor of five axes, whose position is computed"),
    ("CALL_ARGUMENTS", "as many arguments as are declared"),
    ("NOT_A_FUNCTION", "what a variable is used for"),
    ("ASSIGN_ARGUMENT", "what the elements become"),
    ("ASSIGN_ELEMENT", "what the elements become"),
    ("ASSIGN_FIELD", "what the field becomes"),
    ("LIST_METHOD", "what is done with a list of the author's"),
    ("LOOP_CARRIED", "a line in front of the loop"),
    ("LOOP_STATE", "lines around the loop"),
    ("KERNEL_RANGE", "a range of the author's"),
    ("SIMT_TYPE_NAME", "a name and the types that it stands in"),
    ("UNSUPPORTED", "a construct: words, but for those above"),
    ("LAYER_TAKEN", "a name of the author's"),
    ("SIMT_PRIVATE_ATOMIC", "a statement of the author's"),
    ("OF_NUMBERS", "what a truth is used for"),
    ("SIMT_ACROSS", "a conversion of the author's"),
    ("NOT_A_TENSOR_TYPE", "the author's own sizes"),
    ("FUNCTION_LIFETIME", "several places of a signature"),
    ("LAYER_ELSEWHERE", "a layer of other axes"),
    ("PATH_SIZE", "a key and a constant"),
    ("OWN_SIZE", "a key and a constant"),
    ("NO_KEY", "fields and calls of the author's"),
    ("BAD_DIMENSION", "the author's own sizes"),
    ("UNBOUND_DIMENSION", "an argument of the author's"),
    ("LOOP_STACK", "a list and a loop"),
    ("MAKER", "the author's own sizes"),
    ("OPERATION_ARGUMENT", "an argument of the author's"),
    ("PLAIN_IN_TENSOR", "an argument of the author's, or an `if` around what is written"),
    ("PLAIN_OPERANDS", "an argument of the author's"),
    ("OPERANDS", "a field"),
    ("SIMT_BACKWARDS", "the head of a loop, whose body follows"),
    ("TYPE_ARGUMENT", "a type of the author's"),
    ("TYPE_FUNCTION", "a field, or a function of the author's"),
    ("NO_VARIANTS", "the author's own variants"),
    ("VARIANT_PARTS", "names of the author's"),
    ("FUNCTIONS_FORM", "a type of the author's"),
    ("NOT_A_MODEL_ITEM", "an item of the author's"),
    ("SET_GIVES_NOTHING", "what reads the state afterwards"),
    ("LIST_CHANGE", "two lines"),
    ("NO_SELF", "a place in front of the arguments"),
    ("RESULTS_EXCHANGED", "the values, or the declaration"),
    ("DYNAMIC_SIZES", "the function's types"),
    ("NUMBER_AND_TENSOR", "which of them stays, as the author means"),
    ("TENSORS_ATTRIBUTE", "what the struct is meant to be"),
    ("TYPE_LISTED", "an argument of the author's"),
    ("TYPE_AS_VALUE", "a field or a function of the author's"),
    ("FUNCTION_NOT_PLAIN", "functions of the author's"),
    ("MODEL_HAS_NO_FUNCTION", "a function of the author's"),
    ("FUNCTION_TYPE", "types of the author's"),
    ("WHILE_CONDITION", "a loop of the author's"),
    ("MATCH_PATTERN", "patterns of the author's"),
    ("SHIFT_DISTANCE", "a distance of the author's"),
    ("TYPES_BOUND", "a name of the author's"),
    ("SIMT_LOCAL_RACE", "a line between two of the author's"),
    ("SIMT_LOCAL_WRITTEN", "a line between two of the author's"),
    ("SIMT_ENDLESS", "what ends a loop of the author's"),
    ("NUMBER_TYPE", "a number of the author's"),
    ("ORDINARY_ATTRIBUTE", "a function that the author's calls"),
];

#[test]
fn hints_that_show_code_compile_when_followed() {
    let mut wrong = Vec::new();
    let mut said = BTreeSet::new();
    for source in cases::cases().into_iter().chain(sizes::cases()) {
        match follow(&source) {
            Ok(error) => {
                said.insert(error);
            }
            Err(why) => wrong.push(format!("{why}\nin {source}\n")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
    let without: Vec<&str> = ALL
        .iter()
        .filter(|(_, message)| shows_code(message) && !said.iter().any(|error| message.fits(error)))
        .map(|(name, _)| *name)
        .filter(|name| !ELSEWHERE.iter().any(|(elsewhere, _)| elsewhere == name))
        .collect();
    assert!(without.is_empty(), "no case follows the hints of {without:?}");
}

/// Whether the hint shows whole code, or has a gap where it is filled in.
fn shows_code(message: &Message) -> bool {
    let shown = message.hint.split("write `").skip(1).filter_map(|code| code.split('`').next());
    message.hint == "{}" || message.hint.contains("write {}") || shown.into_iter().any(|code| !code.contains(".."))
}

/// Arguments that an operation can be called with on the model's `x`, and what it is called on where `x` will not do.
fn called(operation: &str) -> (&'static str, &'static str) {
    match operation {
        "reshape" => ("x", "[N, 2, 4]"),
        "broadcast_to" => ("x", "[2, N, 8]"),
        "permute" => ("x", "[1, 0]"),
        "transpose" => ("x", "0, 1"),
        "unsqueeze" => ("x", "1"),
        "squeeze" => ("x.unsqueeze(1)", "1"),
        "matmul" => ("x", "y.t()"),
        "sum" | "mean" | "max" | "min" | "logsumexp" => ("x", "[1]"),
        "log_softmax" => ("x", "1"),
        "clamp" => ("x", "0.0, 1.0"),
        "leaky_relu" => ("x", "0.1"),
        "masked_fill" => ("x", "y.gt(0.0), 1.0"),
        "gather" | "cross_entropy" | "nll_loss" => ("x", "labels"),
        "huber_loss" => ("x", "y, 1.0"),
        "cast" => ("x", "f16"),
        "and" | "or" | "xor" => ("x.gt(0.0)", "y.gt(0.0)"),
        "shl" | "shr" => ("x.cast(i32)", "y.cast(i32)"),
        "not" => ("x.gt(0.0)", ""),
        "inv" | "logabsdet" => ("y.t().matmul(y)", ""),
        name => match netcl_kernels::ops::find(name).map_or(0, |operation| operation.args.len()) {
            1 => ("x", ""),
            _ => ("x", "y"),
        },
    }
}

/// Called without arguments, every operation that takes axes says which there are.
#[test]
fn a_chain_of_arguments_with_names_is_one_mistake() {
    let links = ".softmax(dim = 1)".repeat(30);
    let errors = compiled(&value(&format!("x{links}"))).errors();
    assert!(errors.len() == 1 && errors[0].contains("write `x.softmax(1)`"), "{errors:#?}");
    let errors = compiled(&value("x.sort(dim=1, descending=True)")).errors();
    assert!(errors.len() == 1 && !errors[0].contains("`let`s and loop variables"), "{errors:#?}");
}

#[test]
fn operations_without_their_axes_say_what_to_write() {
    let mut wrong = Vec::new();
    let mut told = 0;
    for operation in netcl_kernels::ops::all() {
        let has = |names: &[&str]| operation.args.iter().any(|arg| names.contains(&arg.name));
        if !has(&["axis", "axes"]) || has(&["other", "others"]) {
            continue;
        }
        let x = match operation.name {
            "any" | "all" => "x.gt(0.0)",
            "fft" | "ifft" | "irfft" => "x.rfft(1)",
            _ => "x",
        };
        let source = match operation.name {
            "scatter_add" | "take_along_axis" => "Tensor::ones([N, 8], u32)",
            "index_add" => "Tensor::ones([8], u32)",
            _ => "labels",
        };
        let source = body(&format!("let (indices, source) = ({source}, x); let it = «{x}.{}()»; x", operation.name));
        match follow(&source) {
            Ok(error) if error.contains("takes axes, found none") => told += 1,
            Ok(error) => wrong.push(format!("{}: {error}\n", operation.name)),
            Err(why) => wrong.push(format!("{}: {why}\n", operation.name)),
        }
    }
    assert!(wrong.is_empty() && told > 40, "{told} {}", wrong.concat());
}

#[test]
fn words_of_other_frameworks_lead_to_what_is_written_here() {
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for (there, here) in foreign::TENSORS {
        for name in *there {
            if !names.insert(*name) || netcl_kernels::ops::find(name).is_some() {
                wrong.push(format!("`{name}` is there twice, or an operation of that name is here\n"));
            }
            let (receiver, args) = match here {
                Here::Named(operation) | Here::Listed(operation) => {
                    if netcl_kernels::ops::find(operation).is_none() {
                        wrong.push(format!("`{name}` leads to `{operation}`, which is no operation\n"));
                    }
                    called(operation)
                }
                _ => ("x", ""),
            };
            let names = "let weight = y.t().matmul(y); let bias = self.w; let it";
            let source = value(&format!("«{receiver}.{name}({args})»")).replace("let it", names);
            let followed = match here {
                Here::Say(_) => {
                    let errors = compiled(&source.replace(['«', '»'], "")).errors();
                    let told =
                        errors.len() == 1 && errors[0].contains(&format!("there is no operation `{name}`\nhint: "));
                    if told { Ok(String::new()) } else { Err(format!("{errors:?}")) }
                }
                _ => follow(&source),
            };
            if let Err(why) = followed {
                wrong.push(format!("{name}: {why}\n"));
            }
        }
    }
    for (there, here) in foreign::DEVICES {
        let source = simt(&format!("let (x1, y1) = (x[i, j], 1.0); y[i, j] = 2.0; let v = x.load4(0); {there}();"));
        let errors = compiled(&source).errors();
        let told = format!("there is no function `{there}` here\nhint: write `{here}`");
        if errors != [told.clone()] {
            wrong.push(format!("{there}: {errors:?}\n"));
        }
    }
    for (there, here) in foreign::LAYERS {
        let errors = compiled(&field(&format!("p: {there}"))).errors();
        let said = errors.len() == 1 && errors[0].ends_with(&format!("call it on a tensor: `x.{here}`"));
        let of = if here.contains("pool2d") { "x.reshape([N, 1, 2, 4])" } else { "x" };
        let here = compiled(&value(&format!("{of}.{here}"))).errors();
        if !said || !here.is_empty() {
            wrong.push(format!("{there}: {errors:?} {here:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

/// What Rust's iterators give is known while compiling, over ranges, lists and layers.
#[test]
fn iterators_over_what_is_known_are_compiled() {
    for each in [
        "i in (0..3).rev()",
        "i in (0..3).step_by(2)",
        "(i, layer) in self.l.iter().enumerate()",
        "(layer, i) in self.l.iter().zip(0..3)",
        "layer in self.l.iter().rev()",
        "layer in self.l.iter().skip(1).take(1)",
        "(_, (_, h2)) in [x, y].iter().enumerate().rev().enumerate()",
    ] {
        let inner = match each {
            each if each.contains("layer") => "layer.forward(&h)",
            each if each.contains("h2") => "h + h2",
            _ => "self.l[i].forward(&h)",
        };
        compiled(&body(&format!("let mut h = x; for {each} {{ h = {inner}; }} h"))).sound();
    }
}

/// `docs/words.md`, from the tables.
fn page() -> String {
    let mut page = String::from(
        "# What it is called here\n\n\
         Written from the tables in `netcl-macros/src/foreign` by `NETCL_BLESS=1 cargo test -p netcl-macros`; do not edit.\n\n\
         What PyTorch, NumPy, candle, Burn, Rust, OpenCL and CUDA call something, and what is written in models and kernels. The macros\n\
         say the same where they meet one of these names. All operations are in [operations.md](operations.md), all layers in\n\
         [layers.md](layers.md).\n\n\
         ## On tensors\n\n| elsewhere | here |\n|---|---|\n",
    );
    let names = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for (there, here) in foreign::TENSORS {
        let here = match here {
            Here::Named(name) => format!("`{name}`"),
            Here::Listed(name) => format!("`{name}`, of a list: `x.{name}([..])`"),
            Here::Left(why) => format!("nothing: {why}"),
            Here::Write(example) | Here::Filled(_, example) => format!("`{example}`"),
            Here::Axis => "`x.dim(0)`".to_string(),
            Here::Say(what) => what.to_string(),
        };
        page.push_str(&format!("| {} | {} |\n", names(there), here.replace('|', "\\|")));
    }
    let tables = [
        ("Layers that are operations", foreign::LAYERS, "x."),
        ("Functions of OpenCL and CUDA, in kernels in SIMT form", foreign::DEVICES, ""),
        ("Variables of CUDA", foreign::VARIABLES, ""),
    ];
    for (title, table, before) in tables {
        page.push_str(&format!("\n## {title}\n\n| elsewhere | here |\n|---|---|\n"));
        for (there, here) in table {
            page.push_str(&format!("| `{there}` | `{before}{here}` |\n"));
        }
    }
    page.push_str("\n## Training, in ordinary Rust\n\n| elsewhere | here |\n|---|---|\n");
    for (there, here) in foreign::TRAINING {
        page.push_str(&format!("| {there} | {here} |\n"));
    }
    page
}

#[test]
fn the_page_of_words_is_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/words.md");
    let page = page();
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == page, "docs/words.md is not what the tables say: NETCL_BLESS=1 cargo test -p netcl-macros");
}
