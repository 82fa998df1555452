//! Helper functions of generated programs: each is written at most once, where something calls it.

use super::opencl_program::Program;
use super::opencl_types::{c_type, mask_type};
use crate::dtype::DType;
use crate::graph::{BinaryOp, ReduceOp, UnaryOp};
use crate::kir::{AtomicOp, SubGroupOp, ValueType};

/// The macro that is defined for drivers whose `sin`, `cos` and `tan` of vectors are wrong in small lanes beside large ones.
pub const SINES_BY_LANE: &str = "NETCL_SINES_BY_LANE";

/// The macro that is defined for drivers whose `fmod` of vectors of `double` is wrong in lanes beside a divisor that is 0 or infinite.
pub const REMAINDERS_BY_LANE: &str = "NETCL_REMAINDERS_BY_LANE";

/// The macro that is defined for devices whose PTX rounds to bf16 (compute capability 8.0 and later).
pub const PTX_BF16: &str = "NETCL_PTX_BF16";

/// `netcl_max`, `netcl_max8`, `netcl_max_double`, `netcl_max_double8`.
fn helper_name(what: &str, ty: ValueType) -> String {
    match (ty.dtype, ty.lanes) {
        (DType::F32, 1) => format!("netcl_{what}"),
        (DType::F32, lanes) => format!("netcl_{what}{lanes}"),
        _ => format!("netcl_{what}_{}", c_type(ty)),
    }
}

impl Program {
    /// Writes a helper function: `T` is its type, `M` the masks that comparing such values gives.
    fn define(&mut self, name: String, ty: ValueType, text: &str) -> String {
        if self.known_helpers.insert(name.clone()) {
            let lanes = if ty.lanes == 1 { String::new() } else { ty.lanes.to_string() };
            let text = text
                .replace("$name", &name)
                .replace("$T", &c_type(ty))
                .replace("$M", &mask_type(ty))
                .replace("$N", &lanes);
            self.helpers.push(text);
        }
        name
    }

    /// The larger or smaller of two floats, NaN if either is.
    pub(super) fn extremum(&mut self, op: BinaryOp, ty: ValueType) -> String {
        let (what, sign) = if op == BinaryOp::Max { ("max", "<") } else { ("min", ">") };
        let body = match ty.lanes {
            1 => "return a $< b || b != b ? b : a;",
            _ => "return select(a, b, (a $< b) | (b != b));",
        }
        .replace("$<", sign);
        let adjective = if op == BinaryOp::Max { "larger" } else { "smaller" };
        let text = format!(
            "// The {adjective} value; NaN if either is NaN.\nstatic inline $T $name($T a, $T b) {{\n    {body}\n}}\n"
        );
        self.define(helper_name(what, ty), ty, &text)
    }

    /// The sign of a number: -1, 0 or 1; that of a float keeps zeros and NaN.
    pub(super) fn sign(&mut self, ty: ValueType) -> String {
        let (comment, body) = match (ty.dtype.is_float(), ty.lanes) {
            (true, 1) => ("-1, 0 or 1; zeros and NaN stay.", "return x != x ? x : sign(x);"),
            (true, _) => ("-1, 0 or 1; zeros and NaN stay.", "return select(sign(x), x, x != x);"),
            (false, 1) => ("-1, 0 or 1.", "return (x > 0) - (x < 0);"),
            (false, _) => ("-1, 0 or 1.", "return convert_$T((x < 0) - (x > 0));"),
        };
        let text = format!("// {comment}\nstatic inline $T $name($T x) {{\n    {body}\n}}\n");
        self.define(helper_name("sign", ty), ty, &text)
    }

    /// The size of a signed integer; the least one stays as it is. Compilers take what `abs` gives for positive.
    pub(super) fn abs(&mut self, ty: ValueType) -> String {
        let negated = match (ty.dtype, ty.lanes) {
            (DType::I64, 1) => "x < 0 ? (long)(0UL - (ulong)x) : x",
            (_, 1) => "x < 0 ? (int)(0u - (uint)x) : x",
            (_, _) => "select(x, -x, x < 0)",
        };
        let text =
            format!("// |x|; the least number stays.\nstatic inline $T $name($T x) {{\n    return {negated};\n}}\n");
        self.define(helper_name("abs", ty), ty, &text)
    }

    /// Integer division or remainder where nothing is known about the divisor; zero where it is zero.
    pub(super) fn divide(&mut self, op: BinaryOp, ty: ValueType) -> String {
        let signed = matches!(ty.dtype, DType::I32 | DType::I64);
        let (what, sign) = if op == BinaryOp::Div { ("div", "/") } else { ("rem", "%") };
        let negated = match (op, ty.dtype) {
            (BinaryOp::Rem, _) if ty.lanes == 1 => "0",
            (BinaryOp::Rem, _) => "($T)(0)",
            (_, DType::I64) if ty.lanes == 1 => "(long)(0UL - (ulong)a)",
            _ if ty.lanes == 1 => "(int)(0u - (uint)a)",
            _ => "-a",
        };
        let body = match (signed, ty.lanes) {
            (true, 1) => format!("    return b == 0 ? 0 : b == -1 ? {negated} : a {sign} b;\n"),
            (false, 1) => format!("    return b == 0 ? 0 : a {sign} b;\n"),
            (true, _) => format!(
                "    const $T quotient = a {sign} select(b, ($T)(1), (b == 0) | (b == -1));\n    \
                 return select(select(quotient, {negated}, b == -1), ($T)(0), b == 0);\n"
            ),
            (false, _) => format!(
                "    const $M none = b == ($T)(0);\n    \
                 return select(a {sign} select(b, ($T)(1), none), ($T)(0), none);\n"
            ),
        };
        let note = if signed { "; the divisor -1 wraps" } else { "" };
        let text =
            format!("// a {sign} b, and 0 where b is 0{note}.\nstatic inline $T $name($T a, $T b) {{\n{body}}}\n");
        self.define(helper_name(what, ty), ty, &text)
    }

    /// `tanh`, exactly 1 or -1 where that is the nearest number: its error may be 5 ulp, which is more than 1.
    pub(super) fn tanh(&mut self, ty: ValueType) -> String {
        // Where 2 exp(-2 x) falls below a quarter of the distance from 1 to its neighbour.
        let (bound, one) = if ty.dtype == DType::F64 { ("19.1", "1.0") } else { ("9.1f", "1.0f") };
        let chosen = match ty.lanes {
            1 => format!("fabs(x) >= {bound} ? copysign({one}, x) : tanh(x)"),
            _ => format!("select(tanh(x), copysign(($T)({one}), x), fabs(x) >= ($T)({bound}))"),
        };
        let text = format!(
            "// tanh, which some drivers do not round to 1 for large x.\n\
             static inline $T $name($T x) {{\n    return {chosen};\n}}\n"
        );
        self.define(helper_name("tanh", ty), ty, &text)
    }

    /// `sin`, `cos` or `tan` of a vector. With [`SINES_BY_LANE`] each lane by itself where one is large.
    ///
    /// Some drivers reduce large arguments in a way that is wrong for small lanes beside them (PoCL 3.1: the sine of 1e-30 is
    /// 0.0099 beside that of 1e30). Plans are made before the driver is known, so that the text has both.
    pub(super) fn sine(&mut self, op: UnaryOp, ty: ValueType) -> String {
        let what = op.name();
        let lanes: Vec<String> = (0..ty.lanes).map(|lane| format!("{what}(x.s{lane:x})")).collect();
        let text = format!(
            "// {what}; lane by lane if one is large, for drivers whose vector form is wrong in the others.\n\
             static inline $T $name($T x) {{\n\
             #ifdef {SINES_BY_LANE}\n    \
             if (!all(isless(fabs(x), ($T)(30000.0f))))\n        \
             return ($T)({});\n\
             #endif\n    \
             return {what}(x);\n}}\n",
            lanes.join(", ")
        );
        self.define(helper_name(what, ty), ty, &text)
    }

    /// `fmod` of vectors of `double`. With [`REMAINDERS_BY_LANE`] each lane by itself.
    pub(super) fn remainder(&mut self, ty: ValueType) -> String {
        let lanes: Vec<String> = (0..ty.lanes).map(|lane| format!("fmod(a.s{lane:x}, b.s{lane:x})")).collect();
        let text = format!(
            "// fmod; lane by lane for drivers whose vector form is wrong beside a divisor that is 0 or infinite.\n\
             static inline $T $name($T a, $T b) {{\n\
             #ifdef {REMAINDERS_BY_LANE}\n    \
             return ($T)({});\n\
             #else\n    \
             return fmod(a, b);\n\
             #endif\n}}\n",
            lanes.join(", ")
        );
        self.define(helper_name("fmod", ty), ty, &text)
    }

    /// A float divided by a literal zero. Compilers that care little for zeros leave the division out, and what it is stored to
    /// as it was (rusticl, Mesa 22.3).
    pub(super) fn divide_by_zero(&mut self, ty: ValueType, negative: bool) -> String {
        let (what, above, below) =
            if negative { ("div_minus_zero", "-INFINITY", "INFINITY") } else { ("div_zero", "INFINITY", "-INFINITY") };
        let body = match (ty.lanes, ty.dtype) {
            (1, DType::F64) => format!("x > 0 ? ($T){above} : x < 0 ? ($T){below} : ($T)NAN"),
            (1, _) => format!("x > 0 ? {above} : x < 0 ? {below} : NAN"),
            _ => format!("select(select(($T)(NAN), ($T)({below}), x < 0), ($T)({above}), x > 0)"),
        };
        let zero = if negative { "-0" } else { "0" };
        let text = format!("// x / {zero}\nstatic inline $T $name($T x) {{\n    return {body};\n}}\n");
        self.define(helper_name(what, ty), ty, &text)
    }

    /// A float times a literal zero: NaN of NaN and of infinities, which some compilers forget (rusticl, Mesa 22.3).
    pub(super) fn times_zero(&mut self, ty: ValueType, negative: bool) -> String {
        let (what, x) = if negative { ("mul_minus_zero", "-x") } else { ("mul_zero", "x") };
        let zero = match (ty.lanes, ty.dtype) {
            (1, DType::F64) => "0.0",
            (1, _) => "0.0f",
            _ => "($T)(0)",
        };
        let body = match ty.lanes {
            1 => format!("fabs(x) < INFINITY ? copysign({zero}, {x}) : ($T)NAN"),
            _ => format!("select(($T)(NAN), copysign({zero}, {x}), fabs(x) < INFINITY)"),
        };
        let sign = if negative { "-" } else { "" };
        let text = format!("// {sign}0 * x\nstatic inline $T $name($T x) {{\n    return {body};\n}}\n");
        self.define(helper_name(what, ty), ty, &text)
    }

    /// Float to integer: toward zero, saturating, NaN to 0 (which `convert_*_sat` leaves to the implementation).
    pub(super) fn truncate(&mut self, from: ValueType, to: ValueType) -> String {
        let body = match from.lanes {
            1 => "return convert_$R_sat(x != x ? 0 : x);",
            _ => "return convert_$R_sat(select(x, ($T)(0), x != x));",
        };
        let text =
            format!("// Toward zero, saturating; NaN gives 0.\nstatic inline $R $name($T x) {{\n    {body}\n}}\n");
        let name = format!("netcl_{}_from_{}", c_type(to), c_type(from));
        self.define(name, from, &text.replace("$R", &c_type(to)))
    }

    /// All lanes of a vector combined by halves.
    pub(super) fn horizontal(&mut self, op: ReduceOp, ty: ValueType) -> String {
        let what = match op {
            ReduceOp::Sum => "sum",
            ReduceOp::Prod => "product",
            ReduceOp::Max | ReduceOp::ArgMax => "maximum",
            ReduceOp::Min | ReduceOp::ArgMin => "minimum",
        };
        let mut body = String::new();
        let (mut whole, mut lanes) = ("v".to_string(), ty.lanes);
        while lanes > 1 {
            lanes /= 2;
            let half = ValueType { dtype: ty.dtype, lanes };
            let (low, high) = (format!("{whole}.lo"), format!("{whole}.hi"));
            let combined = match op {
                ReduceOp::Sum => format!("{low} + {high}"),
                ReduceOp::Prod => format!("{low} * {high}"),
                ReduceOp::Max | ReduceOp::ArgMax => self.larger(BinaryOp::Max, half, &low, &high),
                ReduceOp::Min | ReduceOp::ArgMin => self.larger(BinaryOp::Min, half, &low, &high),
            };
            if lanes == 1 {
                body.push_str(&format!("    return {combined};\n"));
            } else {
                whole = format!("v{lanes}");
                body.push_str(&format!("    const {} {whole} = {combined};\n", c_type(half)));
            }
        }
        let result = c_type(ValueType::scalar(ty.dtype));
        let text =
            format!("// The {what} over the lanes, by halves.\nstatic inline {result} $name($T v) {{\n{body}}}\n");
        self.define(helper_name(what, ty), ty, &text)
    }

    fn larger(&mut self, op: BinaryOp, ty: ValueType, a: &str, b: &str) -> String {
        let function = match (ty.dtype.is_float(), op) {
            (true, _) => self.extremum(op, ty),
            (false, BinaryOp::Max) => "max".to_string(),
            (false, _) => "min".to_string(),
        };
        format!("{function}({a}, {b})")
    }

    /// Uniform random numbers from positions.
    pub(super) fn uniform(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::U32, lanes };
        let choose = match lanes {
            1 => "word < 2 ? (word == 0 ? c0 : c1) : (word == 2 ? c2 : c3)",
            _ => "select(select(c3, c2, word == 2), select(c1, c0, word == 0), word < 2)",
        };
        let text = PHILOX.replace("$choose", choose);
        let text = match lanes {
            1 => text.replace("$0", "0xD2511F53u").replace("$2", "0xCD9E8D57u"),
            _ => text.replace("$0", "($T)(0xD2511F53u)").replace("$2", "($T)(0xCD9E8D57u)"),
        };
        self.define(helper_name("uniform", ValueType { dtype: DType::F32, lanes }), ty, &text)
    }

    /// `float` to the bits of the nearest bfloat16.
    pub(super) fn bf16_from_float(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::U32, lanes };
        let choose = match lanes {
            1 => "x != x ? (bits >> 16) | 0x40 : rounded",
            _ => "select(rounded, (bits >> 16) | 0x40, x != x)",
        };
        let convert = if lanes == 1 { "(ushort)" } else { "convert_ushort$N" };
        let ptx = ptx_bf16(lanes);
        let end = if ptx.is_empty() { "" } else { "#endif\n" };
        let text =
            TO_BF16.replace("$choose", choose).replace("$convert", convert).replace("$ptx", &ptx).replace("$end", end);
        let name = format!("netcl_bf16_from_{}", c_type(ValueType { dtype: DType::F32, lanes }));
        self.define(name, ty, &text)
    }

    /// The bits of bfloat16 as `float`.
    pub(super) fn bf16_to_float(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::U32, lanes };
        let widened = if lanes == 1 { "(uint)x" } else { "convert_uint$N(x)" };
        let text = FROM_BF16.replace("$widened", widened);
        let name = format!("netcl_bf16_to_{}", c_type(ValueType { dtype: DType::F32, lanes }));
        self.define(name, ty, &text)
    }

    /// A `float` rounded to `half` and back.
    pub(super) fn round_f16(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::F32, lanes };
        self.define(format!("netcl_round_half_{}", c_type(ty)), ty, ROUND_HALF)
    }

    /// A vector of `half` from any place in memory, as `float`. By way of its bits: `vload_halfN` of some drivers (PoCL 3.1)
    /// reads as if a vector were aligned to its own size, and the process ends.
    pub(super) fn load_halves(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::F32, lanes };
        self.define(format!("netcl_load_half{lanes}"), ty, LOAD_HALVES)
    }

    /// A vector of bits of `half` as `float`.
    pub(super) fn halves_to_float(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::F32, lanes };
        self.define(format!("netcl_float{lanes}_of_halves"), ty, HALVES_TO_FLOAT)
    }

    /// The bits of the nearest values of type `half`.
    pub(super) fn halves_from_float(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::F32, lanes };
        self.define(format!("netcl_halves_of_float{lanes}"), ty, HALVES_FROM_FLOAT)
    }

    /// The other way round, rounded; see [`Program::load_halves`].
    pub(super) fn store_halves(&mut self, lanes: u8) -> String {
        let ty = ValueType { dtype: DType::F32, lanes };
        self.define(format!("netcl_store_half{lanes}"), ty, STORE_HALVES)
    }

    /// An atomic update of a float in that address space, by compare and exchange.
    pub(super) fn atomic_float(&mut self, op: AtomicOp, dtype: DType, space: &str) -> String {
        let ty = ValueType::scalar(dtype);
        let (what, combined) = match op {
            AtomicOp::Max => ("max", self.larger(BinaryOp::Max, ty, "as_$T(seen)", "value")),
            AtomicOp::Min => ("min", self.larger(BinaryOp::Min, ty, "as_$T(seen)", "value")),
            AtomicOp::Exchange => ("exchange", "value".to_string()),
            _ => ("add", "as_$T(seen) + value".to_string()),
        };
        let (bits, exchange) = if dtype == DType::F64 {
            self.extension("cl_khr_int64_base_atomics");
            ("ulong", "atom_cmpxchg")
        } else {
            ("uint", "atomic_cmpxchg")
        };
        let text = ATOMIC
            .replace("$combined", &combined)
            .replace("$exchange", exchange)
            .replace("$B", bits)
            .replace("$space", space)
            .replace("$meaning", if combined == "value" { "exchange" } else { what });
        let place = space.trim_start_matches('_');
        self.define(helper_name(&format!("atomic_{what}_{place}"), ty), ty, &text)
    }

    /// The extremum over a sub-group, NaN if any item has NaN.
    pub(super) fn sub_group_extremum(&mut self, op: SubGroupOp, ty: ValueType) -> String {
        let what = if op == SubGroupOp::ReduceMax { "max" } else { "min" };
        let text = SUB_GROUP_EXTREMUM.replace("$what", what);
        self.define(helper_name(&format!("sub_group_{what}"), ty), ty, &text)
    }
}

const PHILOX: &str = "\
// Uniform numbers from 0 to below 1: word `position % 4` of block `position / 4` of Philox4x32-10
// (Salmon, Moraes, Dror and Shaw, \"Parallel random numbers: as easy as 1, 2, 3\", 2011).
static inline float$N $name($T position, uint seed, uint stream) {
    $T c0 = position >> 2, c1 = 0, c2 = 0, c3 = 0;
    for (int round = 0; round < 10; ++round) {
        const $T low0 = c0 * 0xD2511F53u, high0 = mul_hi(c0, $0);
        const $T low2 = c2 * 0xCD9E8D57u, high2 = mul_hi(c2, $2);
        c0 = high2 ^ c1 ^ seed;
        c1 = low2;
        c2 = high0 ^ c3 ^ stream;
        c3 = low0;
        seed += 0x9E3779B9u;
        stream += 0xBB67AE85u;
    }
    const $T word = position & 3u;
    const $T bits = $choose;
    return convert_float$N(bits >> 8) * 0x1p-24f;
}
";

/// The same by one instruction for each value, or for each two, where a device has it.
fn ptx_bf16(lanes: u8) -> String {
    let body = match lanes {
        1 => "    ushort bits;\n    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x));\n    return bits;\n"
            .to_owned(),
        2 | 4 => {
            let pairs = (0..lanes / 2).map(|pair| {
                let (low, high) = (2 * pair, 2 * pair + 1);
                let word = if lanes == 2 { "bits".to_owned() } else { format!("bits.s{pair}") };
                format!(
                    "    asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"({word}) : \"f\"(x.s{high}), \"f\"(x.s{low}));\n"
                )
            });
            let words = if lanes == 2 { "uint" } else { "uint2" };
            format!("    {words} bits;\n{}    return as_ushort{lanes}(bits);\n", pairs.collect::<String>())
        }
        // Wider vectors are for processors.
        _ => return String::new(),
    };
    format!("#ifdef {PTX_BF16}\n{body}#else\n")
}

const TO_BF16: &str = "\
// The nearest bfloat16, ties to even; NaN stays NaN.
static inline ushort$N $name(float$N x) {
$ptx    const $T bits = as_$T(x);
    const $T rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return $convert($choose);
$end}
";

const FROM_BF16: &str = "\
// bfloat16 is the upper half of a float.
static inline float$N $name(ushort$N x) {
    return as_float$N($widened << 16);
}
";

const ROUND_HALF: &str = "\
// The nearest value of type half, as float.
static inline $T $name($T x) {
    ushort$N bits;
    vstore_half$N_rte(x, 0, (half*)&bits);
    return vload_half$N(0, (const half*)&bits);
}
";

const LOAD_HALVES: &str = "\
// Elements of type half, which lie anywhere.
static inline $T $name(__global const half* place) {
    const ushort$N bits = vload$N(0, (__global const ushort*)place);
    return vload_half$N(0, (const half*)&bits);
}
";

const HALVES_TO_FLOAT: &str = "\
// Elements of type half, by their bits.
static inline $T $name(const ushort$N bits) {
    return vload_half$N(0, (const half*)&bits);
}
";

const HALVES_FROM_FLOAT: &str = "\
// The bits of the nearest values of type half.
static inline ushort$N $name($T x) {
    ushort$N bits;
    vstore_half$N_rte(x, 0, (half*)&bits);
    return bits;
}
";

const STORE_HALVES: &str = "\
// Elements of type half, which lie anywhere.
static inline void $name($T x, __global half* place) {
    ushort$N bits;
    vstore_half$N_rte(x, 0, (half*)&bits);
    vstore$N(bits, 0, (__global ushort*)place);
}
";

const ATOMIC: &str = "\
// Atomic $meaning; gives the old value.
static inline $T $name(volatile $space $T* place, const $T value) {
    volatile $space $B* bits = (volatile $space $B*)place;
    // Exchanging 0 for 0 reads: a plain read would race with the others' updates.
    $B old = $exchange(bits, 0, 0), seen;
    do {
        seen = old;
        old = $exchange(bits, seen, as_$B($combined));
    } while (old != seen);
    return as_$T(old);
}
";

const SUB_GROUP_EXTREMUM: &str = "\
// The extremum ($what) over the sub-group; NaN if any item has NaN.
static inline $T $name($T x) {
    const $T extremum = sub_group_reduce_$what(x);
    return sub_group_any(x != x) ? NAN : extremum;
}
";
