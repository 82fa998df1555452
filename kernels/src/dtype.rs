//! Element types and literals.

use serde::{Deserialize, Serialize};

/// The type of one element of a tensor or of a kernel value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DType {
    /// Truth value; one byte in memory, 0 or 1.
    Bool,
    /// Unsigned byte.
    U8,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// IEEE half precision, storage only: arithmetic happens in `F32`.
    F16,
    /// bfloat16, storage only: arithmetic happens in `F32`.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl DType {
    /// Every type, in promotion order.
    pub const ALL: [DType; 9] =
        [DType::Bool, DType::U8, DType::I32, DType::U32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64];

    /// Bytes one element takes in memory.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// Whether the type is an integer type (`Bool` is not).
    pub const fn is_integer(self) -> bool {
        matches!(self, DType::U8 | DType::I32 | DType::U32 | DType::I64)
    }

    /// The least and the greatest number of a type of whole numbers; `None` of others.
    pub const fn whole_range(self) -> Option<(i64, i64)> {
        match self {
            DType::U8 => Some((0, u8::MAX as i64)),
            DType::I32 => Some((i32::MIN as i64, i32::MAX as i64)),
            DType::U32 => Some((0, u32::MAX as i64)),
            DType::I64 => Some((i64::MIN, i64::MAX)),
            DType::Bool | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => None,
        }
    }

    /// Whether the whole number `value` is one of the type: floats take any, as the nearest that they have; a truth value is
    /// no number.
    pub const fn holds(self, value: i64) -> bool {
        match self.whole_range() {
            Some((least, greatest)) => least <= value && value <= greatest,
            None => !matches!(self, DType::Bool),
        }
    }

    /// The whole number wrapped to the width of the type; floats and truth values have none, and leave it as it is.
    pub const fn wrap(self, value: i64) -> i64 {
        match self {
            DType::U8 => value as u8 as i64,
            DType::I32 => value as i32 as i64,
            DType::U32 => value as u32 as i64,
            _ => value,
        }
    }

    /// Whether `value` stays finite where values of the type are computed. Infinity itself and NaN are what they are.
    pub const fn reaches(self, value: f64) -> bool {
        !matches!(self.compute(), DType::F32) || !value.is_finite() || (value as f32).is_finite()
    }

    /// The name as Rust and netcl's text forms write it.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "u8",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::I64 => "i64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The type of that name, if there is one.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The largest finite number of a float type, and of what integers are computed in.
    pub const fn largest(self) -> f64 {
        match self {
            DType::F16 => 65504.0,
            // All ones but for the last bit of the exponent: 0x7f7f.
            DType::BF16 => 3.389_531_389_251_535_5e38,
            DType::F64 => f64::MAX,
            _ => f32::MAX as f64,
        }
    }

    /// The type in which arithmetic on values of this type is done.
    pub const fn compute(self) -> DType {
        match self {
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        }
    }

    /// Bytes of a sum of values of this type, while it is computed.
    pub const fn accumulator_bytes(self) -> u32 {
        self.compute().size() as u32
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A constant value. Floats are kept as their bits so that literals compare, hash and print exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// An integer of the given type.
    Int(i64, DType),
    /// A float of the given type, as the bits of its `f64` value.
    Float(u64, DType),
}

impl Literal {
    /// A float literal of `dtype`.
    pub fn float(value: f64, dtype: DType) -> Literal {
        debug_assert!(dtype.is_float());
        Literal::Float(value.to_bits(), dtype)
    }

    /// `value` as a literal of any type (integers truncate, `Bool` is `value != 0`). Whole numbers beyond 2^53 lose digits on
    /// the way: they are [`Literal::Int`].
    pub fn of(value: f64, dtype: DType) -> Literal {
        match dtype {
            DType::Bool => Literal::Bool(value != 0.0),
            _ if dtype.is_float() => Literal::float(value, dtype),
            _ => Literal::Int(value as i64, dtype),
        }
    }

    /// The literal's type.
    pub const fn dtype(self) -> DType {
        match self {
            Literal::Bool(_) => DType::Bool,
            Literal::Int(_, dtype) | Literal::Float(_, dtype) => dtype,
        }
    }

    /// The value as `f64` (exact for every type but large `I64`).
    pub fn as_f64(self) -> f64 {
        match self {
            Literal::Bool(value) => f64::from(u8::from(value)),
            Literal::Int(value, _) => value as f64,
            Literal::Float(bits, _) => f64::from_bits(bits),
        }
    }

    /// Whether this is the number `value`.
    pub fn is(self, value: f64) -> bool {
        self.as_f64() == value
    }
}

impl std::fmt::Debug for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Int(value, dtype) => write!(f, "{value}{dtype}"),
            Literal::Float(bits, dtype) => write!(f, "{:?}{dtype}", f64::from_bits(*bits)),
        }
    }
}
