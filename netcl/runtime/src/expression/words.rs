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
pub(super) enum Function {
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
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("ADD", Function::Binary(Binary::Add)),
    ("SUB", Function::Binary(Binary::Subtract)),
    ("MUL", Function::Binary(Binary::Multiply)),
    ("DIV", Function::Binary(Binary::Divide)),
    ("MIN", Function::Binary(Binary::Min)),
    ("MAX", Function::Binary(Binary::Max)),
    ("RELU", Function::Unary(Unary::Relu)),
    ("min", Function::Binary(Binary::Min)),
    ("max", Function::Binary(Binary::Max)),
    ("pow", Function::Binary(Binary::Power)),
    ("select", Function::Select),
    ("clamp", Function::Clamp),
    ("relu", Function::Unary(Unary::Relu)),
    ("abs", Function::Unary(Unary::Abs)),
    ("fabs", Function::Unary(Unary::Abs)),
    ("sqrt", Function::Unary(Unary::Sqrt)),
    ("rsqrt", Function::Unary(Unary::Rsqrt)),
    ("exp", Function::Unary(Unary::Exp)),
    ("exp2", Function::Unary(Unary::Exp2)),
    ("log", Function::Unary(Unary::Log)),
    ("log2", Function::Unary(Unary::Log2)),
    ("sin", Function::Unary(Unary::Sin)),
    ("cos", Function::Unary(Unary::Cos)),
    ("tan", Function::Unary(Unary::Tan)),
    ("tanh", Function::Unary(Unary::Tanh)),
    ("floor", Function::Unary(Unary::Floor)),
    ("ceil", Function::Unary(Unary::Ceil)),
    ("round", Function::Unary(Unary::Round)),
    ("trunc", Function::Unary(Unary::Trunc)),
    ("isnan", Function::Unary(Unary::IsNan)),
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
