//! Signs of `int` extended by hand to `long`, for drivers that compare wrongly what a cast has extended ([`Avoid::ExtendedSigns`]).
//!
//! [`Avoid::ExtendedSigns`]: crate::device::quirks::Avoid::ExtendedSigns

/// The macro of programs of which [`by_calls`] is the text.
pub(super) const SIGNS_BY_HAND: &str = "NETCL_SIGNS_BY_HAND";

/// What stands before such a text, whose lines are counted from behind it: `upsample` joins two halves, which no compiler takes for a
/// conversion.
pub(super) const BY_HAND: &str = "\
#define NETCL_WIDE __attribute__((overloadable)) static inline
#define NETCL_PLAIN(F) NETCL_WIDE long netcl_long(F x) { return (long)x; }
NETCL_PLAIN(char) NETCL_PLAIN(uchar) NETCL_PLAIN(short) NETCL_PLAIN(ushort) NETCL_PLAIN(uint) NETCL_PLAIN(long) NETCL_PLAIN(ulong)
NETCL_PLAIN(float)
#ifdef cl_khr_fp64
NETCL_PLAIN(double)
#endif
NETCL_WIDE long netcl_long(int x) { return upsample(x >> 31, as_uint(x)); }
#define NETCL_LONGS(N, F) NETCL_WIDE long##N netcl_long##N(F##N x) { return convert_long##N(x); }
#define NETCL_SIGNED(N) NETCL_WIDE long##N netcl_long##N(int##N x) { return upsample(x >> 31, as_uint##N(x)); }
#define NETCL_VECTORS(N) NETCL_LONGS(N, uchar) NETCL_LONGS(N, uint) NETCL_LONGS(N, long) NETCL_LONGS(N, float) NETCL_SIGNED(N)
NETCL_VECTORS(2) NETCL_VECTORS(4) NETCL_VECTORS(8) NETCL_VECTORS(16)
#line 1
";

/// The text of one of netcl's own programs with `(long)x` as `netcl_long(x)`, and `convert_long4(x)` as `netcl_long4(x)`.
pub(super) fn by_calls(text: &str) -> String {
    const CAST: &str = "(long)";
    let mut called = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find(CAST) {
        let behind = &rest[at + CAST.len()..];
        // `sizeof(long)` casts nothing.
        let is_cast = !rest[..at].ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_');
        let Some(end) = operand(behind.as_bytes()).filter(|_| is_cast) else {
            called.push_str(&rest[..at + CAST.len()]);
            rest = behind;
            continue;
        };
        called.push_str(&rest[..at]);
        called.push_str("netcl_long(");
        // What is cast may have casts in it.
        called.push_str(&by_calls(&behind[..end]));
        called.push(')');
        rest = &behind[end..];
    }
    called.push_str(rest);
    ["2(", "4(", "8(", "16("]
        .into_iter()
        .fold(called, |text, width| text.replace(&format!("convert_long{width}"), &format!("netcl_long{width}")))
}

/// Where the operand of a cast ends: signs, other casts, a name, a number or what is in parentheses, and what is called, indexed or picked
/// of it. `None` if there is none, or what netcl does not write: a member of what is pointed to, a step, a power of ten.
fn operand(text: &[u8]) -> Option<usize> {
    let skip = |mut at: usize, of: fn(&u8) -> bool| {
        at += text[at..].iter().take_while(|byte| of(byte)).count();
        at
    };
    let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = skip(0, |byte| matches!(byte, b' ' | b'-' | b'~' | b'!'));
    match text.get(at)? {
        b'(' => {
            let end = closed(text, at)?;
            let is_type = text[at + 1..end - 1].iter().all(of_word);
            at = end;
            // A cast stands before its operand; `(x)` before an operator.
            if is_type && text.get(at).is_some_and(|next| of_word(next) || matches!(next, b'(' | b'-' | b'~' | b'!')) {
                return Some(at + operand(&text[at..])?);
            }
        }
        byte if of_word(byte) => at = skip(at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')),
        _ => return None,
    }
    loop {
        at = match text.get(at) {
            Some(b'(' | b'[') => closed(text, at)?,
            Some(b'.') => skip(at + 1, |byte| byte.is_ascii_alphanumeric()),
            _ => break,
        };
    }
    let goes_on = ["->", "++", "--"].iter().any(|next| text[at..].starts_with(next.as_bytes()));
    let exponent =
        matches!(text.get(at), Some(b'+' | b'-')) && matches!(text.get(at.wrapping_sub(1)), Some(b'e' | b'E'));
    (!goes_on && !exponent).then_some(at)
}

/// Behind the bracket that closes the one at `at`.
fn closed(text: &[u8], at: usize) -> Option<usize> {
    let mut open = 0usize;
    for (position, byte) in text.iter().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => open += 1,
            b')' | b']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(position + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_are_calls_of_their_operands() {
        for (text, called) in [
            ("long a = (long)x + 1;", "long a = netcl_long(x) + 1;"),
            ("(long)-x[i * 2].s0 < 0", "netcl_long(-x[i * 2].s0) < 0"),
            ("f((long)g(a, (long)b), c)", "f(netcl_long(g(a, netcl_long(b))), c)"),
            ("(long)(a + b) * (long)(int)n", "netcl_long((a + b)) * netcl_long((int)n)"),
            ("(long)(uchar)(i) - (x) - y", "netcl_long((uchar)(i)) - (x) - y"),
            ("(long)(x) - y", "netcl_long((x)) - y"),
            ("convert_long4(v) + (long)2147483648u", "netcl_long4(v) + netcl_long(2147483648u)"),
            ("convert_long_sat(f) - convert_long4_sat(v)", "convert_long_sat(f) - convert_long4_sat(v)"),
            ("(long)(int)!(a < b) + 1", "netcl_long((int)!(a < b)) + 1"),
            ("sizeof(long) - 1", "sizeof(long) - 1"),
            ("(long)p->n + (long)i++ - (long)1e+5f", "(long)p->n + (long)i++ - (long)1e+5f"),
            ("int (long)", "int (long)"),
        ] {
            assert_eq!(by_calls(text), called);
        }
    }
}
