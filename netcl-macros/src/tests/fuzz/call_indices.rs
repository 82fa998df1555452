//! Index expressions with an argument whose value only a call knows, `pad(x[(n + by) * 2 % N])`: what they read is what the same
//! arithmetic gives without an end to its numbers.

use super::super::meaning::Given;
use super::{Draw, compiled_kernel, tried};
use netcl_kernels::graph::Graph;
use std::fmt;

/// Values of the argument, at which 32 bits end.
const SIGNED: [i128; 11] =
    [0, 1, -1, 3, -7, 65_536, 1 << 30, i32::MAX as i128, i32::MIN as i128, i32::MIN as i128 + 2, 1_431_655_766];
const UNSIGNED: [i128; 7] = [0, 1, 5, 1 << 31, u32::MAX as i128, u32::MAX as i128 - 2, 1_431_655_766];

#[derive(Clone)]
enum Index {
    Known(i64),
    /// `n`, `N` or `by`.
    Name(&'static str),
    Of(Box<Index>, char, Box<Index>),
    Call(&'static str, Box<Index>, Vec<Index>),
    /// The first where it is below the size, and the other elsewhere.
    Chosen(Box<Index>, Box<Index>),
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Known(value) => write!(f, "{value}"),
            Index::Name(name) => f.write_str(name),
            Index::Of(left, sign, right) => write!(f, "({left} {sign} {right})"),
            Index::Call(name, of, args) => {
                let args: Vec<String> = args.iter().map(Index::to_string).collect();
                write!(f, "({of}).{name}({})", args.join(", "))
            }
            Index::Chosen(then, otherwise) => write!(f, "(if {then} < N {{ {then} }} else {{ {otherwise} }})"),
        }
    }
}

/// What an index is of: the position, the size, and the argument.
struct Call {
    n: i128,
    size: i128,
    by: i128,
    unsigned: bool,
}

impl Index {
    /// The value, if it is one of 64 bits, as all on the way to it are.
    fn value(&self, call: &Call) -> Option<i128> {
        let value = match self {
            Index::Known(value) => i128::from(*value),
            Index::Name("n") => call.n,
            Index::Name("N") => call.size,
            Index::Name(_) => call.by,
            Index::Of(left, sign, right) => {
                let (left, right) = (left.value(call)?, right.value(call)?);
                match sign {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    // A division by zero gives zero, which is said elsewhere.
                    _ if right <= 0 => return None,
                    '/' if call.unsigned => left.div_euclid(right),
                    '/' => left / right,
                    _ if call.unsigned => left.rem_euclid(right),
                    _ => left % right,
                }
            }
            Index::Call(name, of, args) => {
                let of = of.value(call)?;
                let args: Vec<i128> = args.iter().map(|arg| arg.value(call)).collect::<Option<_>>()?;
                match (*name, args.as_slice()) {
                    ("min", [other]) => of.min(*other),
                    ("max", [other]) => of.max(*other),
                    ("clamp", [least, most]) => of.clamp(*least, *most),
                    (_, [by]) => of.rem_euclid(*by),
                    _ => return None,
                }
            }
            Index::Chosen(then, otherwise) => {
                let (then, otherwise) = (then.value(call)?, otherwise.value(call)?);
                if then < call.size { then } else { otherwise }
            }
        };
        i64::try_from(value).is_ok().then_some(value)
    }

    /// An index that the argument is part of.
    fn drawn(draw: &mut Draw, depth: usize) -> Index {
        use Index::{Call, Chosen, Known, Name, Of};
        let of = |left, sign, right| Of(Box::new(left), sign, Box::new(right));
        let other = |draw: &mut Draw| match draw.below(5) {
            0 => Known(draw.of(&[0, 1, 2, 3, 1000])),
            1 => Name("N"),
            2 => of(Name("n"), draw.of(&['+', '*']), Known(draw.of(&[1, 2, 70_000]))),
            _ => Name("n"),
        };
        if depth == 0 {
            let beside = other(draw);
            let sign = draw.of(&['+', '-', '*']);
            return if draw.once_in(2) { of(Name("by"), sign, beside) } else { of(beside, sign, Name("by")) };
        }
        let inner = Index::drawn(draw, depth - 1);
        match draw.below(10) {
            0..2 => of(inner, draw.of(&['+', '-', '*']), other(draw)),
            2 => of(other(draw), draw.of(&['+', '-']), inner),
            3 => of(inner, '/', draw.of(&[Name("N"), Known(2), Known(3)])),
            4 => of(inner, '%', draw.of(&[Name("N"), Known(2), Known(7)])),
            5 => Call("rem_euclid", Box::new(inner), vec![Name("N")]),
            6 => Call("clamp", Box::new(inner), vec![Known(0), of(Name("N"), '-', Known(1))]),
            7 => Call(draw.of(&["min", "max"]), Box::new(inner), vec![draw.of(&[Name("N"), Known(1)])]),
            8 => of(inner.clone(), draw.of(&['+', '-']), inner),
            _ => Chosen(Box::new(inner), Box::new(Index::drawn(draw, depth - 1))),
        }
    }
}

/// Compares what the kernel reads with what its index says, at a few sizes and values of the argument.
fn compared(index: &Index, graph: &Graph, unsigned: bool) -> Result<(), String> {
    for size in [1usize, 4, 5] {
        let x: Vec<f64> = (1..=size).map(|value| value as f64).collect();
        for &by in if unsigned { UNSIGNED.as_slice() } else { &SIGNED } {
            let args: [(&[usize], &[f64]); 1] = [(&[size], &x)];
            let given = Given { sizes: &[("N", size as u64)], args: &args, numbers: &[("by", by as f64)] };
            for (n, found) in given.value(graph).into_iter().enumerate() {
                let Some(at) = index.value(&Call { n: n as i128, size: size as i128, by, unsigned }) else { continue };
                let wanted = usize::try_from(at).ok().and_then(|at| x.get(at).copied()).unwrap_or_default();
                if found != wanted {
                    return Err(format!("N = {size}, by = {by}, n = {n}: {found} where `{index}` is {at}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn indices_that_a_call_knows_do_not_wrap() {
    tried("call indices", 40, |draw| {
        let depth = draw.below(4);
        let index = Index::drawn(draw, depth);
        let unsigned = draw.once_in(2);
        let ty = if unsigned { "u32" } else { "i32" };
        // As it is, or by a name.
        let body = match draw.once_in(3) {
            true => format!("{{ let at = {index}; pad(x[at]) }}"),
            false => format!("pad(x[{index}])"),
        };
        let source =
            format!("fn kern(x: &Tensor<f32, N>, by: {ty}) -> Tensor<f32, N> {{ |n| {body} + 0.0 * n as f32 }}");
        match compiled_kernel(draw, &source)? {
            Some(graph) => compared(&index, &graph, unsigned).map(|()| true),
            None => Ok(false),
        }
    });
}
