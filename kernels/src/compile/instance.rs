//! Instances of templates: hooks and tunables filled in, parameters collected.

use crate::dim::{Dim, Factor, IndexWidth};
use crate::dtype::DType;
use crate::emit::opencl_layout::comment;
use crate::emit::{c_type, storage_type};
use crate::identifier::ascii;
use crate::index::{Atom, Index};
use crate::kir::{Kernel, ParamKind, ValueType};
use crate::plan::source::ProgramText;
use crate::template::Template;
use std::collections::{BTreeMap, BTreeSet};

/// A parameter of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InstanceArg {
    Buffer(String),
    Scalar(String, DType),
    /// A number that is the same at every call, under the name of its parameter: what would be another kernel for each such
    /// number is one.
    Constant(&'static str, i64),
}

impl InstanceArg {
    fn name(&self) -> &str {
        match self {
            InstanceArg::Buffer(name) | InstanceArg::Scalar(name, _) => name,
            InstanceArg::Constant(name, _) => name,
        }
    }
}

/// A template with its hooks and tunables filled in.
pub(super) struct Instance {
    pub name: String,
    pub comments: Vec<String>,
    template: &'static Template,
    /// Macro (with its parameters) and text, in order.
    defines: Vec<(String, String)>,
    args: Vec<InstanceArg>,
    params: Vec<String>,
    /// A function that macros call.
    helper: String,
    sizes: BTreeSet<Dim>,
    /// Of sizes, strides and offsets that are no counts: of the functions that hooks call too.
    width: IndexWidth,
}

impl Instance {
    pub(super) fn new(name: &str, template: &'static Template, width: IndexWidth) -> Self {
        let mut instance = Instance {
            name: name.to_string(),
            comments: Vec::new(),
            template,
            defines: Vec::new(),
            args: Vec::new(),
            params: Vec::new(),
            helper: String::new(),
            sizes: BTreeSet::new(),
            width,
        };
        instance.define("KERNEL_NAME", name.to_string());
        instance
    }

    /// Whether sizes, strides and offsets have 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        !self.width.is_narrow()
    }

    pub(super) fn define(&mut self, name: &str, text: String) {
        self.defines.push((name.to_string(), text));
    }

    /// Takes over `#define` lines.
    pub(super) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
                self.define(name, value.to_string());
            }
        }
    }

    /// The parameter that stands for a buffer, scalar or symbol; macros of templates must not touch it.
    pub(super) fn parameter_name(&self, name: &str) -> String {
        format!("arg_{}", ascii(name))
    }

    fn parameter(&mut self, arg: InstanceArg, declaration: String) {
        if !self.args.contains(&arg) {
            self.args.push(arg);
            self.params.push(declaration);
        }
    }

    /// Declares a buffer that is read.
    pub(super) fn reads(&mut self, name: &str, dtype: DType) {
        let declaration = format!("__global const {}* restrict {}", storage_type(dtype), self.parameter_name(name));
        self.parameter(InstanceArg::Buffer(name.to_string()), declaration);
    }

    /// Declares a buffer that is written.
    pub(super) fn writes(&mut self, name: &str, dtype: DType) {
        let declaration = format!("__global {}* restrict {}", storage_type(dtype), self.parameter_name(name));
        self.parameter(InstanceArg::Buffer(name.to_string()), declaration);
    }

    /// Declares what `function` needs and makes the hook call it with the hook's own arguments. Pointers to what is `shared`, which
    /// may lie where another buffer lies, are not `restrict`.
    pub(super) fn hook(&mut self, hook: &str, function: &Kernel, shared: &BTreeSet<String>) {
        let params = function.params.iter();
        let passed: Vec<String> = params.map(|param| self.pass(&param.name, &param.kind, shared)).collect();
        let values =
            function.params.iter().filter(|param| matches!(param.kind, ParamKind::Value(_) | ParamKind::Position(_)));
        let own: Vec<String> = values.map(|param| format!("{}_", param.name)).collect();
        self.define(&format!("{hook}({})", own.join(", ")), format!("{}({})", function.name, passed.join(", ")));
    }

    /// Makes the hook that stores a vector of `lanes` call the one that stores an element for each of them.
    pub(super) fn store_lanes_apart(&mut self, lanes: u8) {
        let store = |lane: u8| match lane {
            0 => "STORE(batch_, m_, n_, (value_).s0);".to_owned(),
            _ => format!(" STORE(batch_, m_, (n_) + {lane}, (value_).s{lane:x});"),
        };
        self.define(
            "STORE_VECTOR(batch_, m_, n_, value_)",
            format!("{{ {} }}", (0..lanes).map(store).collect::<String>()),
        );
    }

    fn pass(&mut self, name: &str, kind: &ParamKind, shared: &BTreeSet<String>) -> String {
        let own = self.parameter_name(name);
        match kind {
            ParamKind::Buffer(dtype, access) => {
                let constant = if *access == crate::kir::Access::Read { "const " } else { "" };
                let arg = InstanceArg::Buffer(name.to_string());
                let restrict = if shared.contains(name) { "" } else { "restrict " };
                self.parameter(arg, format!("__global {constant}{}* {restrict}{own}", storage_type(*dtype)));
                own
            }
            ParamKind::Scalar(dtype) => {
                let c_type = c_type(ValueType::scalar(*dtype));
                self.parameter(InstanceArg::Scalar(name.to_string(), *dtype), format!("const {c_type} {own}"));
                own
            }
            ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize => self.symbol(name),
            ParamKind::Value(_) | ParamKind::Position(_) => format!("{name}_"),
        }
    }

    /// How many there are of what the template counts, which it always does with 32 bits, as text.
    pub(super) fn count(&mut self, dim: &Dim) -> String {
        self.sizes.insert(dim.clone());
        match (self.width, dim.as_constant()) {
            (_, Some(value)) => value.to_string(),
            (IndexWidth::Narrow, None) => self.dim(dim),
            (IndexWidth::Wide, None) => format!("((int){})", self.dim(dim)),
        }
    }

    /// The size as text, its symbols as parameters.
    pub(super) fn dim(&mut self, dim: &Dim) -> String {
        if self.width.is_narrow() {
            self.sizes.insert(dim.clone());
        }
        if let Some(value) = dim.as_constant() {
            return format!("{value}{}", self.suffix());
        }
        let terms: Vec<_> = dim.written().collect();
        let mut sum = Vec::new();
        for (factors, coefficient) in &terms {
            let mut product = Vec::new();
            for factor in *factors {
                product.push(match factor {
                    Factor::Symbol(symbol) => self.symbol(symbol.name()),
                    Factor::FloorDiv(dividend, divisor) => {
                        format!("({} / {divisor}{})", self.dim(dividend), self.suffix())
                    }
                });
            }
            if *coefficient < 0 && sum.is_empty() || coefficient.unsigned_abs() != 1 || product.is_empty() {
                product.push(if sum.is_empty() {
                    coefficient.to_string()
                } else {
                    coefficient.unsigned_abs().to_string()
                });
            }
            let sign = if sum.is_empty() {
                ""
            } else if *coefficient < 0 {
                " - "
            } else {
                " + "
            };
            sum.push(format!("{sign}{}", product.join(" * ")));
        }
        let text = sum.concat();
        // A parameter alone needs no parentheses.
        let bare = matches!(terms.as_slice(), [([Factor::Symbol(_)], 1)]);
        if bare { text } else { format!("({text})") }
    }

    /// What follows a number, so that it is of the same type as parameters are.
    fn suffix(&self) -> &'static str {
        if self.width.is_narrow() { "" } else { "L" }
    }

    /// The type of parameters that are sizes.
    fn size_type(&self) -> String {
        c_type(ValueType::scalar(self.width.dtype()))
    }

    /// The parameter that holds a symbol's value.
    fn symbol(&mut self, name: &str) -> String {
        let own = self.parameter_name(name);
        let arg = InstanceArg::Scalar(name.to_string(), self.width.dtype());
        self.parameter(arg, format!("const {} {own}", self.size_type()));
        own
    }

    /// A parameter of that name, which no buffer or symbol can have, for a number.
    pub(super) fn constant(&mut self, name: &'static str, value: i64) {
        if self.width.is_narrow() {
            self.sizes.insert(Dim::constant(value));
        }
        self.parameter(InstanceArg::Constant(name, value), format!("const {} {name}", self.size_type()));
    }

    /// The index as text; `names[var]` stands for a coordinate.
    pub(super) fn index(&mut self, index: &Index, names: &[&str]) -> String {
        let mut sum = String::new();
        for (atom, coefficient) in index.terms() {
            let value = match atom {
                Atom::Var(var) => names[*var as usize].to_string(),
                Atom::Div(inner, divisor) => format!("{} / {}", self.divided(inner, names), self.dim(divisor)),
                Atom::Mod(inner, divisor) => format!("{} % {}", self.divided(inner, names), self.dim(divisor)),
            };
            let plus = if sum.is_empty() { "" } else { " + " };
            let times = if coefficient.is(1) { String::new() } else { format!(" * {}", self.dim(coefficient)) };
            sum.push_str(&format!("{plus}{value}{times}"));
        }
        match index.offset().as_constant() {
            Some(0) if !sum.is_empty() => {}
            Some(offset) if offset < 0 && !sum.is_empty() => sum.push_str(&format!(" - {}", offset.unsigned_abs())),
            _ => {
                let plus = if sum.is_empty() { "" } else { " + " };
                sum.push_str(&format!("{plus}{}", self.dim(index.offset())));
            }
        }
        format!("({sum})")
    }

    /// The index where it is divided: a coordinate alone stands as it is.
    fn divided(&mut self, index: &Index, names: &[&str]) -> String {
        match index.terms().collect::<Vec<_>>().as_slice() {
            [(Atom::Var(var), factor)] if factor.is(1) && index.offset().is(0) => names[*var as usize].to_string(),
            _ => self.index(index, names),
        }
    }

    /// Tells the template whether its sums, of so many terms, are too long for running sums. Those of f64 never are, and
    /// integers lose nothing.
    pub(super) fn sums_of(&mut self, terms: &Dim, dtype: DType) {
        if dtype.compute() == DType::F32 && terms.as_constant().is_none_or(|terms| terms > self.template.running) {
            self.define("LONG_SUMS", "1".to_string());
        }
    }

    /// Sets the storage and accumulator types of the template, which loads vectors of `lanes`.
    pub(super) fn types(&mut self, dtype: DType, lanes: u8) {
        let load = format!("{}_load_half{lanes}", self.name);
        let vector_of_halves = format!("{load}((p) + (i))");
        if dtype == DType::F16 && lanes > 1 {
            // By way of the bits: some drivers' `vload_halfN` expects vectors to be aligned.
            self.helper = format!(
                "static inline float{lanes} {load}(__global const half* place) {{\n    const ushort{lanes} bits = \
                 vload{lanes}(0, (__global const ushort*)place);\n    return vload_half{lanes}(0, (const half*)&bits);\n}}\n"
            );
        }
        self.define("REAL", storage_type(dtype).to_string());
        self.define("ACC", c_type(ValueType::scalar(dtype.compute())));
        if self.template.sources.iter().any(|text| text.contains("BF16")) {
            self.define("BF16", u8::from(dtype == DType::BF16).to_string());
        }
        let read = match dtype {
            DType::F16 => ("vload_half(i, p)", vector_of_halves.as_str()),
            DType::BF16 => (
                "as_float((uint)(p)[i] << 16)",
                "PASTE(as_float, VECTOR)(PASTE(convert_uint, VECTOR)(PASTE(vload, VECTOR)(0, (p) + (i))) << 16)",
            ),
            _ => return,
        };
        self.define("READ(p, i)", read.0.to_string());
        self.define("READ_VECTOR(p, i)", read.1.to_string());
    }

    pub(super) fn template(&self) -> &'static Template {
        self.template
    }

    /// Its parameters, in order.
    pub(super) fn args(&self) -> &[InstanceArg] {
        &self.args
    }

    /// Sizes that the text computes.
    pub(super) fn sizes(&self) -> &BTreeSet<Dim> {
        &self.sizes
    }

    /// What the instance defines: its macros, its parameters and its helper.
    fn definitions(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.defines {
            text.push_str(&format!("#define {name} {value}\n"));
        }
        text.push_str(&format!("#define KERNEL_PARAMS {}\n", self.params.join(", ")));
        text.push_str(&self.helper);
        text
    }

    /// What the instance defines, with positions for the names of its parameters, and names of its functions that do not
    /// begin with its own.
    pub(super) fn nameless(&self) -> String {
        let text = self.definitions();
        let mut own = String::with_capacity(text.len());
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut positions: BTreeMap<String, usize> = BTreeMap::new();
        for (position, arg) in self.args.iter().enumerate() {
            if !matches!(arg, InstanceArg::Constant(..)) {
                positions.entry(self.parameter_name(arg.name())).or_insert(position);
            }
        }
        for piece in text.split_inclusive(|c: char| !is_word(c)) {
            let word = piece.trim_end_matches(|c: char| !is_word(c));
            let rest = &piece[word.len()..];
            match positions.get(word) {
                Some(position) => own.push_str(&self.parameter_name(&position.to_string())),
                None => own.push_str(word.strip_prefix(&*self.name).unwrap_or(word)),
            }
            own.push_str(rest);
        }
        own
    }

    /// The instance's text: definitions, template, and everything undefined again for the next instance.
    pub(super) fn write(&self, source: &mut ProgramText) {
        let comments: String = self.comments.iter().map(|line| comment(line, "")).collect();
        source.push(comments + &self.definitions());
        self.template.sources.iter().for_each(|text| source.push(*text));
        let mut names: Vec<&str> =
            self.defines.iter().map(|(name, _)| name.split('(').next().unwrap_or(name)).collect();
        names.push("KERNEL_PARAMS");
        names.sort();
        names.dedup();
        let undefs: String = names.into_iter().map(|name| format!("#undef {name}\n")).collect();
        source.push(format!("\n{undefs}{}", self.template.undefs()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_never_swallow_code() {
        let mut instance = Instance::new("product", crate::template::ALL[0], IndexWidth::Narrow);
        instance.comments = vec!["y = a @ b \\".into(), "two\nlines".into()];
        let mut source = ProgramText::default();
        instance.write(&mut source);
        let text = source.to_string();
        assert!(text.starts_with("// y = a @ b\n// two\n// lines\n#define"), "{text}");
    }
}
