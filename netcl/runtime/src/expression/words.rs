//! The operators and functions that expressions have.

/// Of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Not,
    Complement,
    Relu,
    Abs,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Log,
    Log2,
    Sin,
    Cos,
    Tan,
    Tanh,
    Floor,
    Ceil,
    Round,
    Trunc,
    IsNan,
}

/// Of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

/// What a function's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltinFunction {
    Unary(Unary),
    Binary(Binary),
    /// Condition, value where it holds, value where not.
    Select,
    /// Value, lower bound, upper bound.
    Clamp,
}

/// Which types something is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    All,
    Floats,
    Integers,
}

/// Every function, by name.
pub(super) const FUNCTIONS: &[(&str, BuiltinFunction)] = &[
    ("ADD", BuiltinFunction::Binary(Binary::Add)),
    ("SUB", BuiltinFunction::Binary(Binary::Subtract)),
    ("MUL", BuiltinFunction::Binary(Binary::Multiply)),
    ("DIV", BuiltinFunction::Binary(Binary::Divide)),
    ("MIN", BuiltinFunction::Binary(Binary::Min)),
    ("MAX", BuiltinFunction::Binary(Binary::Max)),
    ("RELU", BuiltinFunction::Unary(Unary::Relu)),
    ("min", BuiltinFunction::Binary(Binary::Min)),
    ("max", BuiltinFunction::Binary(Binary::Max)),
    ("pow", BuiltinFunction::Binary(Binary::Power)),
    ("select", BuiltinFunction::Select),
    ("clamp", BuiltinFunction::Clamp),
    ("relu", BuiltinFunction::Unary(Unary::Relu)),
    ("abs", BuiltinFunction::Unary(Unary::Abs)),
    ("fabs", BuiltinFunction::Unary(Unary::Abs)),
    ("sqrt", BuiltinFunction::Unary(Unary::Sqrt)),
    ("rsqrt", BuiltinFunction::Unary(Unary::Rsqrt)),
    ("exp", BuiltinFunction::Unary(Unary::Exp)),
    ("exp2", BuiltinFunction::Unary(Unary::Exp2)),
    ("log", BuiltinFunction::Unary(Unary::Log)),
    ("log2", BuiltinFunction::Unary(Unary::Log2)),
    ("sin", BuiltinFunction::Unary(Unary::Sin)),
    ("cos", BuiltinFunction::Unary(Unary::Cos)),
    ("tan", BuiltinFunction::Unary(Unary::Tan)),
    ("tanh", BuiltinFunction::Unary(Unary::Tanh)),
    ("floor", BuiltinFunction::Unary(Unary::Floor)),
    ("ceil", BuiltinFunction::Unary(Unary::Ceil)),
    ("round", BuiltinFunction::Unary(Unary::Round)),
    ("trunc", BuiltinFunction::Unary(Unary::Trunc)),
    ("isnan", BuiltinFunction::Unary(Unary::IsNan)),
];

impl Unary {
    /// Which types it is for.
    pub(super) fn types(self) -> For {
        match self {
            Unary::Negate | Unary::Not | Unary::Relu | Unary::Abs | Unary::IsNan => For::All,
            Unary::Complement => For::Integers,
            Unary::Sqrt
            | Unary::Rsqrt
            | Unary::Exp
            | Unary::Exp2
            | Unary::Log
            | Unary::Log2
            | Unary::Sin
            | Unary::Cos
            | Unary::Tan
            | Unary::Tanh
            | Unary::Floor
            | Unary::Ceil
            | Unary::Round
            | Unary::Trunc => For::Floats,
        }
    }
}

impl Binary {
    /// Which types it is for.
    pub(super) fn types(self) -> For {
        match self {
            Binary::Power => For::Floats,
            Binary::BitAnd | Binary::BitOr | Binary::BitXor | Binary::ShiftLeft | Binary::ShiftRight => For::Integers,
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder
            | Binary::Min
            | Binary::Max
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::Equal
            | Binary::NotEqual
            | Binary::And
            | Binary::Or => For::All,
        }
    }
}

/// The operators between two operands, the weakest first, as C ranks them.
pub(super) const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[("<=", Binary::LessEqual), (">=", Binary::GreaterEqual), ("<", Binary::Less), (">", Binary::Greater)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];
