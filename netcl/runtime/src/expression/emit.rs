//! Nodes to OpenCL C.

use super::node::Node;
use super::words::{Binary, Unary};
use super::{Expression, computed_in};
use netcl_kernels::dtype::DType;
use std::fmt::Write as _;

/// The name of a type in OpenCL C, as values are computed.
pub(crate) const fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool | DType::U8 => "uchar",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::I64 => "long",
        DType::F16 | DType::BF16 | DType::F32 => "float",
        DType::F64 => "double",
    }
}

/// A function that rounds `float` to the nearest bf16, ties to even; a NaN stays one.
pub(crate) const TO_BF16: &str = "\
ushort netcl_to_bf16(float value) {
    uint bits = as_uint(value);
    return isnan(value) ? bits >> 16 | 64u : bits + 0x7fffu + (bits >> 16 & 1u) >> 16;
}
";

impl Expression {
    /// A function in OpenCL C of these parameters' names, which are as many as the expression has variables, and what it
    /// needs. It reads nothing but its arguments.
    pub(crate) fn opencl(&self, function: &str, parameters: &[String]) -> String {
        let real = type_name(self.dtype);
        let list: Vec<String> = parameters.iter().map(|name| format!("{real} {name}")).collect();
        // A text cannot end the comment: it is a formula without quotes, and line breaks and backslashes would be signs
        // that no expression has; only blanks of other kinds need care.
        let comment: String = self.text().chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        let mut text = format!(
            "// {comment}\n{real} {function}({}) {{\n",
            if list.is_empty() { "void".to_owned() } else { list.join(", ") }
        );
        let last = self.nodes.len() - 1;
        for (id, node) in self.nodes.iter().enumerate() {
            let value = self.value(*node, parameters);
            match node {
                _ if id == last => writeln!(text, "    return {value};"),
                // Named where they are used.
                Node::Variable(_) | Node::Integer(_) | Node::Float(_) | Node::Largest | Node::Smallest => continue,
                _ => writeln!(text, "    const {real} _e{id} = {value};"),
            }
            .expect("a String takes all text");
        }
        text.push_str("}\n");
        text
    }

    /// What an operand is called.
    fn name(&self, id: usize, parameters: &[String]) -> String {
        match self.nodes[id] {
            node @ (Node::Variable(_) | Node::Integer(_) | Node::Float(_) | Node::Largest | Node::Smallest) => {
                self.value(node, parameters)
            }
            Node::Unary(..) | Node::Binary(..) | Node::Select(..) => format!("_e{id}"),
        }
    }

    fn value(&self, node: Node, parameters: &[String]) -> String {
        let real = type_name(self.dtype);
        let name = |id| self.name(id, parameters);
        match node {
            Node::Variable(position) => parameters[position].clone(),
            Node::Integer(value) => integer(value, self.dtype),
            Node::Float(value) => float(value, self.dtype),
            Node::Largest => match self.dtype {
                DType::I32 => "INT_MAX".to_owned(),
                DType::U32 => "UINT_MAX".to_owned(),
                DType::I64 => "LONG_MAX".to_owned(),
                DType::F64 => "DBL_MAX".to_owned(),
                _ => "FLT_MAX".to_owned(),
            },
            Node::Smallest => match self.dtype {
                DType::I32 => "INT_MIN".to_owned(),
                DType::U32 => "0u".to_owned(),
                DType::I64 => "LONG_MIN".to_owned(),
                DType::F64 => "(-DBL_MAX)".to_owned(),
                _ => "(-FLT_MAX)".to_owned(),
            },
            Node::Unary(operator, x) => self.unary(operator, &name(x)),
            Node::Binary(operator, x, y) => self.binary(operator, &name(x), &name(y)),
            Node::Select(condition, yes, no) => {
                format!("{} != ({real})0 ? {} : {}", name(condition), name(yes), name(no))
            }
        }
    }

    fn unary(&self, operator: Unary, x: &str) -> String {
        let float = self.dtype.is_float();
        let real = type_name(self.dtype);
        match operator {
            Unary::Negate if float => format!("-{x}"),
            Unary::Negate => format!("EXPRESSION_NEGATE({x})"),
            Unary::Not => format!("({real})({x} == ({real})0)"),
            Unary::Complement => format!("~{x}"),
            // NaN stays what it is.
            Unary::Relu => format!("{x} < ({real})0 ? ({real})0 : {x}"),
            Unary::Abs if float => format!("fabs({x})"),
            Unary::Abs => format!("{x} < ({real})0 ? EXPRESSION_NEGATE({x}) : {x}"),
            Unary::Sqrt => format!("sqrt({x})"),
            Unary::Rsqrt => format!("rsqrt({x})"),
            Unary::Exp => format!("exp({x})"),
            Unary::Exp2 => format!("exp2({x})"),
            Unary::Log => format!("log({x})"),
            Unary::Log2 => format!("log2({x})"),
            Unary::Sin => format!("sin({x})"),
            Unary::Cos => format!("cos({x})"),
            Unary::Tan => format!("tan({x})"),
            Unary::Tanh => format!("tanh({x})"),
            Unary::Floor => format!("floor({x})"),
            Unary::Ceil => format!("ceil({x})"),
            Unary::Round => format!("rint({x})"),
            Unary::Trunc => format!("trunc({x})"),
            Unary::IsNan => format!("({real})({x} != {x})"),
        }
    }

    fn binary(&self, operator: Binary, x: &str, y: &str) -> String {
        let float = self.dtype.is_float();
        let real = type_name(self.dtype);
        let wrapping = |sign: &str, name: &str| {
            if float { format!("{x} {sign} {y}") } else { format!("EXPRESSION_{name}({x}, {y})") }
        };
        let truth = |sign: &str| format!("({real})({x} {sign} {y})");
        match operator {
            Binary::Add => wrapping("+", "ADD"),
            Binary::Subtract => wrapping("-", "SUBTRACT"),
            Binary::Multiply => wrapping("*", "MULTIPLY"),
            Binary::Divide => wrapping("/", "DIVIDE"),
            Binary::Remainder if float => format!("fmod({x}, {y})"),
            Binary::Remainder => format!("EXPRESSION_REMAINDER({x}, {y})"),
            // The first operand if it is NaN or wins; the second if that is NaN, since no comparison holds then.
            Binary::Min => format!("({x} < {y} || {x} != {x}) ? {x} : {y}"),
            Binary::Max => format!("({x} > {y} || {x} != {x}) ? {x} : {y}"),
            Binary::Power => format!("pow({x}, {y})"),
            Binary::Less => truth("<"),
            Binary::LessEqual => truth("<="),
            Binary::Greater => truth(">"),
            Binary::GreaterEqual => truth(">="),
            Binary::Equal => truth("=="),
            Binary::NotEqual => truth("!="),
            Binary::And => format!("({real})({x} != ({real})0 && {y} != ({real})0)"),
            Binary::Or => format!("({real})({x} != ({real})0 || {y} != ({real})0)"),
            Binary::BitAnd => format!("{x} & {y}"),
            Binary::BitOr => format!("{x} | {y}"),
            Binary::BitXor => format!("{x} ^ {y}"),
            // Counts are taken modulo the width (OpenCL C 6.3.j); ones are shifted out on the left without overflow
            // where the operand is unsigned.
            Binary::ShiftLeft => format!("EXPRESSION_SHIFT_LEFT({x}, {y})"),
            Binary::ShiftRight => format!("{x} >> {y}"),
        }
    }

    /// The macros that [`Expression::opencl`]'s functions of integers use, before any of them; empty for floats.
    pub(crate) fn prelude(dtype: DType) -> String {
        let dtype = computed_in(dtype);
        if dtype == DType::F64 {
            return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n".to_owned();
        }
        if dtype.is_float() {
            return String::new();
        }
        let (real, unsigned) = match dtype {
            DType::I64 => ("long", "ulong"),
            DType::U32 => ("uint", "uint"),
            _ => ("int", "uint"),
        };
        // -1 is the one divisor whose quotient can overflow; by it a division is a negation.
        let minus = if dtype == DType::U32 { "" } else { " : (y) == -1 ? EXPRESSION_NEGATE(x)" };
        let minus_remainder = if dtype == DType::U32 { "" } else { " || (y) == -1" };
        format!(
            "#define EXPRESSION_NEGATE(x) (({real})(({unsigned})0 - ({unsigned})(x)))\n\
             #define EXPRESSION_ADD(x, y) (({real})(({unsigned})(x) + ({unsigned})(y)))\n\
             #define EXPRESSION_SUBTRACT(x, y) (({real})(({unsigned})(x) - ({unsigned})(y)))\n\
             #define EXPRESSION_MULTIPLY(x, y) (({real})(({unsigned})(x) * ({unsigned})(y)))\n\
             #define EXPRESSION_SHIFT_LEFT(x, y) (({real})(({unsigned})(x) << (y)))\n\
             #define EXPRESSION_DIVIDE(x, y) ((y) == 0 ? 0{minus} : (x) / (y))\n\
             #define EXPRESSION_REMAINDER(x, y) ((y) == 0{minus_remainder} ? 0 : (x) % (y))\n"
        )
    }
}

fn integer(value: u64, dtype: DType) -> String {
    match dtype {
        DType::I32 => format!("((int){value}u)"),
        DType::U32 => format!("{value}u"),
        _ => format!("((long){value}ul)"),
    }
}

fn float(value: f64, dtype: DType) -> String {
    let single = dtype != DType::F64;
    // What is beyond `f32` is infinite in it, as on the host.
    let value = if single { f64::from(value as f32) } else { value };
    if value.is_nan() {
        if single { "NAN".to_owned() } else { "((double)NAN)".to_owned() }
    } else if value.is_infinite() {
        if single { "INFINITY".to_owned() } else { "((double)INFINITY)".to_owned() }
    } else if single {
        format!("{:?}f", value as f32)
    } else {
        format!("{value:?}")
    }
}
