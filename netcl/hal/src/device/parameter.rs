//! What a kernel's parameters take.

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
}

impl AddressSpace {
    const ALL: [AddressSpace; 4] =
        [AddressSpace::Private, AddressSpace::Global, AddressSpace::Constant, AddressSpace::Local];

    /// As a declaration begins; empty for [`AddressSpace::Private`].
    fn qualifier(self) -> &'static str {
        match self {
            AddressSpace::Private => "",
            AddressSpace::Global => "__global",
            AddressSpace::Constant => "__constant",
            AddressSpace::Local => "__local",
        }
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    name: String,
    /// Without qualifiers and stars.
    type_name: String,
    /// Whether the type is written with a star. A `typedef` may hide it: [`Parameter::is_pointer`] is what counts.
    star: bool,
    space: AddressSpace,
    read_only: bool,
    image: bool,
    takes: Takes,
}

/// What is passed for a parameter, worked out once, since every launch asks. Types that are not OpenCL's own (`struct`s,
/// `typedef`s) are left to the driver, which knows their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// A tensor of one of these types; of any where its elements are not of OpenCL's own.
    Tensor(Option<&'static [DType]>),
    /// A value of the parameter's type, if that is OpenCL's own.
    Value { own: bool },
    /// Bytes of local memory.
    Local,
    /// Nothing that there is.
    Nothing,
}

impl Parameter {
    fn new(name: String, type_name: String, space: AddressSpace, [star, read_only, image]: [bool; 3]) -> Parameter {
        let own = vector(&type_name);
        let takes = match space {
            _ if image => Takes::Nothing,
            AddressSpace::Global | AddressSpace::Constant => Takes::Tensor(own.map(|(element, _)| elements(element))),
            AddressSpace::Local => Takes::Local,
            AddressSpace::Private if star => Takes::Nothing,
            AddressSpace::Private => Takes::Value { own: own.is_some() },
        };
        Parameter { name, type_name, star, space, read_only, image, takes }
    }

    /// Its name; empty where the driver does not tell.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type, of a pointer what it points to: `float4`. Of a pointer that a `typedef` hides, the `typedef`'s name.
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
    pub fn reported(name: String, written: &str, space: AddressSpace, read_only: bool, image: bool) -> Parameter {
        let star = written.ends_with('*');
        let words: Vec<&str> =
            written.split(|c: char| c.is_whitespace() || c == '*').filter(|w| !w.is_empty()).collect();
        Parameter::new(name, type_of(&words), space, [star, read_only, image])
    }

    /// Whether memory is passed for it. Values are private, so that an address space tells also of a pointer that a
    /// `typedef` hides; images are said to be global.
    fn is_pointer(&self) -> bool {
        self.star || (self.space != AddressSpace::Private && !self.image)
    }

    /// Whether it takes a tensor of that type.
    #[inline]
    pub fn takes_tensor(&self, dtype: DType) -> bool {
        matches!(self.takes, Takes::Tensor(types) if types.is_none_or(|types| types.contains(&dtype)))
    }

    /// Whether it takes a value of that type of OpenCL C.
    #[inline]
    pub fn takes_value(&self, type_name: &str) -> bool {
        matches!(self.takes, Takes::Value { own } if !own || self.type_name == type_name)
    }

    /// Whether it takes local memory.
    #[inline]
    pub fn takes_local(&self) -> bool {
        self.takes == Takes::Local
    }

    /// What may be passed for it.
    pub fn expectation(&self) -> String {
        if self.image {
            return "an image or a sampler, which netcl does not have".to_owned();
        }
        match (self.is_pointer(), self.space) {
            (true, AddressSpace::Local) => "`Arg::Local` with more than 0 bytes".to_owned(),
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
        if self.space != AddressSpace::Private {
            write!(f, "{} ", self.space.qualifier())?;
        }
        let (read_only, star) = (if self.read_only { "const " } else { "" }, if self.star { "*" } else { "" });
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

/// The parameters of a kernel as text, a line for each, which [`decode`] reads.
pub fn encode(parameters: &[Parameter]) -> String {
    let line = |parameter: &Parameter| {
        let Parameter { name, type_name, star, space, read_only, image, .. } = parameter;
        let word = |is: bool, word| if is { word } else { "" };
        let flags = [word(*star, "*"), word(*read_only, "const"), word(*image, "image")].join("\t");
        format!("{}\t{flags}\t{type_name}\t{name}\n", space.qualifier())
    };
    parameters.iter().map(line).collect()
}

/// What [`encode`] wrote; `None` if it is anything else.
pub fn decode(text: &str) -> Option<Vec<Parameter>> {
    let parameter = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[space, star, read_only, image, type_name, name] = fields.as_slice() else { return None };
        let flag = |text: &str, word: &str| if text.is_empty() { Some(false) } else { (text == word).then_some(true) };
        let space = AddressSpace::ALL.into_iter().find(|known| known.qualifier() == space)?;
        let flags = [flag(star, "*")?, flag(read_only, "const")?, flag(image, "image")?];
        Some(Parameter::new(name.to_owned(), type_name.to_owned(), space, flags))
    };
    text.lines().map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use AddressSpace::{Constant, Global, Local, Private};

    /// As a driver tells it.
    fn told(written: &str, space: AddressSpace) -> Parameter {
        Parameter::reported("x".into(), written, space, false, false)
    }

    #[test]
    fn types_are_one_word() {
        for (written, space, shown) in [
            ("float*", Global, "__global float* x"),
            ("const float4 *", Global, "__global float4* x"),
            ("unsigned int", Private, "uint x"),
            ("unsigned", Private, "uint x"),
            ("signed char*", Constant, "__constant char* x"),
            ("struct pair", Private, "pair x"),
            ("buffer", Global, "__global buffer x"),
        ] {
            assert_eq!(told(written, space).to_string(), shown, "{written}");
        }
        let parameter = Parameter::reported(String::new(), "uint*", Constant, true, false);
        assert_eq!(parameter.to_string(), "__constant const uint* ?");
    }

    #[test]
    fn what_can_be_passed_is_told() {
        assert_eq!(told("half4*", Global).expectation(), "a tensor of f16");
        let sampler = Parameter::reported("s".into(), "sampler_t", Private, false, true);
        assert!(!sampler.takes_value("uint") && !sampler.takes_tensor(DType::U32) && !sampler.takes_local());
        assert_eq!(sampler.expectation(), "an image or a sampler, which netcl does not have");
    }

    #[test]
    fn a_pointer_behind_a_typedef_takes_memory_alone() {
        for space in [Global, Constant] {
            let parameter = told("buffer", space);
            assert!(parameter.takes_tensor(DType::I32), "what it points to is not known");
            assert!(!parameter.takes_value("ulong") && !parameter.takes_local());
            assert_eq!(parameter.expectation(), "a tensor");
        }
        let local = told("tile", Local);
        assert!(local.takes_local() && !local.takes_value("ulong") && !local.takes_tensor(DType::I32));
        let image = Parameter::reported("i".into(), "image2d_t", Global, false, true);
        assert!(!image.is_pointer() && !image.takes_tensor(DType::I32));
    }

    #[test]
    fn parameters_are_kept_as_text() {
        let parameters = vec![
            Parameter::reported("a".into(), "float*", Global, true, false),
            Parameter::reported(String::new(), "struct pair", Private, false, false),
            Parameter::reported("i".into(), "image2d_t", Global, false, true),
        ];
        let text = encode(&parameters);
        assert_eq!(decode(&text), Some(parameters));
        assert_eq!(decode(""), Some(vec![]));
        for damaged in ["float", "__globe\t*\t\t\tfloat\ta", "__global\tstar\t\t\tfloat\ta"] {
            assert_eq!(decode(damaged), None, "{damaged}");
        }
    }
}
