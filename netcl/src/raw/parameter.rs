//! What a kernel's parameters take.

use super::argument::Arg;
use netcl_kernels::dtype::DType;
use std::fmt;

/// Where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressSpace {
    /// No pointer: passed by value.
    Private,
    /// `__global`
    Global,
    /// `__constant`
    Constant,
    /// `__local`
    Local,
    /// A pointer whose declaration hides it behind a macro, of a driver that does not tell.
    Unknown,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    name: String,
    /// Without qualifiers and stars.
    type_name: String,
    pointer: bool,
    space: AddressSpace,
    read_only: bool,
    image: bool,
}

impl Parameter {
    /// Its name; empty where the driver does not tell.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type, of a pointer what it points to: `float4`.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Where it points.
    pub fn space(&self) -> AddressSpace {
        self.space
    }

    /// Whether it points to what is `const`.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// As a driver describes it: `float*` of the address space global.
    pub(crate) fn reported(
        name: String,
        written: &str,
        space: AddressSpace,
        read_only: bool,
        image: bool,
    ) -> Parameter {
        let pointer = written.ends_with('*');
        let words: Vec<&str> =
            written.split(|c: char| c.is_whitespace() || c == '*').filter(|w| !w.is_empty()).collect();
        Parameter { name, type_name: type_of(&words), pointer, space, read_only, image }
    }

    /// As it is declared: `__global const float* restrict x`. `None` if it is nothing of the kind.
    pub(super) fn declared(text: &str, macros: &[(String, String)]) -> Option<Parameter> {
        let text = without_attributes(text);
        let pointer = text.contains('*');
        let (before, after) = text.rsplit_once('*').unwrap_or((&text, ""));
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = |text: &str| -> Vec<String> {
            let resolve = |word: &str| {
                let found = macros.iter().find(|(name, _)| name == word);
                found.map_or_else(|| word.to_owned(), |(_, value)| value.clone())
            };
            text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(resolve).collect()
        };
        let mut types = words(before);
        let name = if pointer { words(after).pop()? } else { types.pop()? };
        let types: Vec<&str> = types.iter().flat_map(|word| word.split_whitespace()).collect();
        if types.is_empty() || !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let has = |words: &[&str]| types.iter().any(|word| words.contains(word));
        let space = match pointer {
            _ if has(&["__global", "global"]) => AddressSpace::Global,
            _ if has(&["__constant", "constant"]) => AddressSpace::Constant,
            _ if has(&["__local", "local"]) => AddressSpace::Local,
            true => AddressSpace::Unknown,
            false => AddressSpace::Private,
        };
        let type_name = type_of(&types);
        let image = type_name.starts_with("image") || matches!(type_name.as_str(), "sampler_t" | "pipe");
        Some(Parameter { name, type_name, pointer, space, read_only: pointer && has(&["const"]), image })
    }

    /// Whether it takes an argument. Types that are not OpenCL's own (`struct`s, `typedef`s) are left to the driver, which
    /// knows their size.
    pub(super) fn takes(&self, argument: &Arg<'_>) -> bool {
        if self.image {
            return false;
        }
        let known = vector(&self.type_name).is_some();
        match argument {
            Arg::Tensor(tensor) => {
                let global =
                    matches!(self.space, AddressSpace::Global | AddressSpace::Constant | AddressSpace::Unknown);
                let element = vector(&self.type_name).map(|(element, _)| element);
                self.pointer && global && element.is_none_or(|element| elements(element).contains(&tensor.dtype()))
            }
            Arg::Value(value) => !self.pointer && (!known || self.type_name == value.type_name()),
            Arg::Local(bytes) => {
                self.pointer && matches!(self.space, AddressSpace::Local | AddressSpace::Unknown) && *bytes > 0
            }
        }
    }

    /// What may be passed for it.
    pub(super) fn expectation(&self) -> String {
        if self.image {
            return "an image or a sampler, which netcl does not have".to_owned();
        }
        match (self.pointer, self.space) {
            (true, AddressSpace::Local) => "`Arg::Local` with more than 0 bytes".to_owned(),
            (true, AddressSpace::Unknown) => "a tensor, or `Arg::Local`".to_owned(),
            (true, _) => match vector(&self.type_name).map(|(element, _)| elements(element)) {
                Some([]) => {
                    format!("a tensor, but there are none of {}: declare the pointer otherwise", self.type_name)
                }
                Some(types) => {
                    let list: Vec<&str> = types.iter().map(|dtype| dtype.name()).collect();
                    format!("a tensor of {}", list.join(" or "))
                }
                None => "a tensor".to_owned(),
            },
            (false, _) => format!("a value of OpenCL type {}", self.type_name),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.space {
            AddressSpace::Global => "__global ",
            AddressSpace::Constant => "__constant ",
            AddressSpace::Local => "__local ",
            AddressSpace::Private | AddressSpace::Unknown => "",
        })?;
        let (read_only, star) = (if self.read_only { "const " } else { "" }, if self.pointer { "*" } else { "" });
        write!(f, "{read_only}{}{star} {}", self.type_name, if self.name.is_empty() { "?" } else { &self.name })
    }
}

/// One word for a type: `unsigned int` is `uint`.
fn type_of(words: &[&str]) -> String {
    const QUALIFIERS: [&str; 16] = [
        "__global",
        "global",
        "__constant",
        "constant",
        "__local",
        "local",
        "__private",
        "private",
        "const",
        "volatile",
        "restrict",
        "__restrict",
        "__read_only",
        "__write_only",
        "read_only",
        "struct",
    ];
    let words: Vec<&str> = words.iter().copied().filter(|word| !QUALIFIERS.contains(word)).collect();
    if words.contains(&"unsigned") {
        let signed = type_of(&words.into_iter().filter(|word| *word != "unsigned").collect::<Vec<_>>());
        return format!("u{}", if signed.is_empty() { "int" } else { &signed });
    }
    match words.as_slice() {
        ["signed"] => "int".to_owned(),
        ["signed", rest @ ..] => rest.join(" "),
        words => words.join(" "),
    }
}

/// Element and lanes of one of OpenCL's own types.
fn vector(type_name: &str) -> Option<(&str, usize)> {
    let digits = type_name.find(|c: char| c.is_ascii_digit()).unwrap_or(type_name.len());
    let (element, lanes) = type_name.split_at(digits);
    let lanes = if lanes.is_empty() { 1 } else { lanes.parse().ok()? };
    let own = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];
    (own.contains(&element) && [1, 2, 3, 4, 8, 16].contains(&lanes)).then_some((element, lanes))
}

/// The tensors whose elements are of an OpenCL type.
fn elements(type_name: &str) -> &'static [DType] {
    match type_name {
        "uchar" => &[DType::U8, DType::Bool],
        "int" => &[DType::I32],
        "uint" => &[DType::U32],
        "long" => &[DType::I64],
        "half" => &[DType::F16],
        "ushort" => &[DType::BF16, DType::F16],
        "float" => &[DType::F32],
        "double" => &[DType::F64],
        _ => &[],
    }
}

/// Without `__attribute__((..))`.
fn without_attributes(text: &str) -> String {
    match text.split_once("__attribute__") {
        Some((before, rest)) => {
            let after = rest.split_once("))").map_or("", |(_, after)| after);
            format!("{before} {}", without_attributes(after))
        }
        None => text.to_owned(),
    }
}

/// The parameters of the kernel `name` as a source declares them; `None` if they cannot be found there.
pub(super) fn in_source(name: &str, source: &str, macros: &[(String, String)]) -> Option<Vec<Parameter>> {
    let source = without_comments(source);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let list = source.match_indices(name).find_map(|(at, _)| {
        let before = source[..at].trim_end();
        let rest = source[at + name.len()..].trim_start().strip_prefix('(')?;
        (before.ends_with("void") && source[..at].ends_with(|c: char| !is_word(c))).then_some(rest)
    })?;
    let mut depth = 0usize;
    let mut parts = vec![String::new()];
    for c in list.chars() {
        match c {
            ')' if depth == 0 => {
                if let [only] = parts.as_slice()
                    && matches!(only.trim(), "" | "void")
                {
                    return Some(Vec::new());
                }
                return parts.iter().map(|part| Parameter::declared(part, macros)).collect();
            }
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    None
}

fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        text.push_str(&rest[..at]);
        text.push(' ');
        let comment = &rest[at..];
        rest = if comment.starts_with("//") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else {
            comment.get(2..).and_then(|body| body.find("*/").map(|end| &body[end + 2..])).unwrap_or("")
        };
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Parameter {
        Parameter::declared(text, &[("REAL".into(), "float".into())]).unwrap()
    }

    #[test]
    fn declarations_are_read() {
        for (text, shown, read_only) in [
            ("__global const float* a", "__global const float* a", true),
            ("global float4 *restrict  out", "__global float4* out", false),
            ("const __constant uint* table", "__constant const uint* table", true),
            ("__local float* tile", "__local float* tile", false),
            ("unsigned int n", "uint n", false),
            ("const unsigned n", "uint n", false),
            ("__global REAL* x", "__global float* x", false),
            ("__global uchar* __attribute__((aligned(16))) p", "__global uchar* p", false),
            ("BUFFER thing* p", "BUFFER thing* p", false),
        ] {
            let parameter = declared(text);
            assert_eq!((parameter.to_string().as_str(), parameter.is_read_only()), (shown, read_only), "{text}");
        }
        assert_eq!(declared("BUFFER thing* p").space(), AddressSpace::Unknown);
        assert_eq!(Parameter::declared("", &[]), None);
        assert_eq!(Parameter::declared("float", &[]), None);
    }

    #[test]
    fn signatures_are_found_in_sources() {
        let source = "// void scale(int wrong)\n#define N 4\nvoid rescale(float a) {}\n\
                      kernel void __attribute__((reqd_work_group_size(1, 1, 1))) other() {}\n\
                      __kernel void scale /* (int wrong) */ (global float* x,\n  float (by), uint n) { scale(x); }";
        let names = |name| {
            let found = in_source(name, source, &[])?;
            Some(found.iter().map(|parameter| parameter.name().to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(names("scale"), Some(vec!["x".into(), "by".into(), "n".into()]));
        assert_eq!(names("other"), None, "an attribute in between: left to the driver");
        assert_eq!(names("absent"), None);
        assert_eq!(in_source("none", "void none(void)", &[]), Some(vec![]));
        assert_eq!(in_source("cut", "void cut(int a", &[]), None);
    }

    #[test]
    fn kinds_and_types_must_fit() {
        let by_value = |text: &str, value: Arg<'_>| declared(text).takes(&value);
        assert!(by_value("float by", 2.0f32.into()) && !by_value("float by", 2.0f64.into()));
        assert!(!by_value("uint n", 2i32.into()) && by_value("mine n", 2i32.into()));
        assert!(by_value("float4 v", [0.0f32; 4].into()) && !by_value("float4 v", 0.0f32.into()));
        assert!(by_value("__local float* t", Arg::Local(4)) && !by_value("__local float* t", Arg::Local(0)));
        assert!(!by_value("__global float* t", Arg::Local(4)) && !by_value("__global float* t", 1.0f32.into()));
        assert!(!by_value("sampler_t s", 1u32.into()));
        assert_eq!(declared("__global half4* x").expectation(), "a tensor of f16");
        assert_eq!(declared("sampler_t s").expectation(), "an image or a sampler, which netcl does not have");
    }
}
