//! Loops over the values of operands, which compilers turn into vector instructions: all are inlined into who uses them.

/// Values of a chunk of [`chunks`].
const CHUNK: usize = 64;

/// A closure that is inlined wherever it is called.
macro_rules! inlined {
    (|$($x:ident),*| $value:expr) => {
        #[inline(always)]
        |$($x),*| $value
    };
}
pub(super) use inlined;

/// `out = f(a)`.
#[inline(always)]
pub(super) fn map<T: Copy, U: Copy>(out: &mut [U], a: &[T], f: impl Fn(T) -> U) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    if a.len() == 1 && !out.is_empty() {
        let value = out[0];
        out[1..].fill(value);
    }
}

/// `out = f(a, b)`, with a loop for each way in which an operand may be one value.
#[inline(always)]
pub(super) fn zip<A: Copy, B: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], f: impl Fn(A, B) -> U) {
    match (a, b) {
        (&[a], _) => map(out, b, inlined!(|b| f(a, b))),
        (_, &[b]) => map(out, a, inlined!(|a| f(a, b))),
        _ => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(a, b);
            }
        }
    }
}

/// `out = f(a, b, c)`, as [`zip`].
#[inline(always)]
pub(super) fn zip3<A: Copy, B: Copy, C: Copy, U: Copy>(
    out: &mut [U],
    a: &[A],
    b: &[B],
    c: &[C],
    f: impl Fn(A, B, C) -> U,
) {
    match (a, b, c) {
        (&[a], ..) => zip(out, b, c, inlined!(|b, c| f(a, b, c))),
        (_, &[b], _) => zip(out, a, c, inlined!(|a, c| f(a, b, c))),
        (.., &[c]) => zip(out, a, b, inlined!(|a, b| f(a, b, c))),
        _ => {
            for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
                *out = f(a, b, c);
            }
        }
    }
}

/// `out = f(a, b, c)` with one loop: operands of one value are repeated first, a chunk at a time.
#[inline(always)]
pub(super) fn chunks<A: Copy, B: Copy, C: Copy, U: Copy>(
    out: &mut [U],
    a: &[A],
    b: &[B],
    c: &[C],
    f: impl Fn(A, B, C) -> U,
) {
    let (Some(&first_a), Some(&first_b), Some(&first_c)) = (a.first(), b.first(), c.first()) else { return };
    let (mut all_a, mut all_b, mut all_c) = ([first_a; CHUNK], [first_b; CHUNK], [first_c; CHUNK]);
    let mut start = 0;
    for out in out.chunks_mut(CHUNK) {
        let range = start..start + out.len();
        if a.len() > 1 {
            all_a[..out.len()].copy_from_slice(&a[range.clone()]);
        }
        if b.len() > 1 {
            all_b[..out.len()].copy_from_slice(&b[range.clone()]);
        }
        if c.len() > 1 {
            all_c[..out.len()].copy_from_slice(&c[range]);
        }
        start += out.len();
        for (((out, &a), &b), &c) in out.iter_mut().zip(&all_a).zip(&all_b).zip(&all_c) {
            *out = f(a, b, c);
        }
    }
}

/// `out = f(a, b)`, as [`chunks`].
#[inline(always)]
pub(super) fn pairs<A: Copy, B: Copy, U: Copy>(out: &mut [U], a: &[A], b: &[B], f: impl Fn(A, B) -> U) {
    chunks(out, a, b, &[()], inlined!(|a, b, _none| f(a, b)));
}

/// `out = f(out, x[t])` for every `t`, in order.
#[inline(always)]
pub(super) fn fold<T: Copy>(out: &mut [T], x: &[T], times: usize, f: impl Fn(T, T) -> T) {
    let whole = out.len() == 16 && x.len() == 16 * times;
    if let ([out], true) = (out.as_chunks_mut::<16>().0, whole) {
        let mut sum = *out;
        for x in x.as_chunks::<16>().0 {
            for lane in 0..16 {
                sum[lane] = f(sum[lane], x[lane]);
            }
        }
        *out = sum;
        return;
    }
    let count = out.len();
    for time in 0..times {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = f(*out, x[piece(x.len(), count, time, lane)]);
        }
    }
}

/// `out = f(a[t], b[t], out)` for every `t`, in order.
#[inline(always)]
pub(super) fn fold_product<T: Copy>(out: &mut [T], a: &[T], b: &[T], times: usize, f: impl Fn(T, T, T) -> T) {
    let count = out.len();
    let whole = count == 16 && a.len() == 16 * times && b.len() == a.len();
    if let ([out], true) = (out.as_chunks_mut::<16>().0, whole) {
        let mut sum = *out;
        for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
            for lane in 0..16 {
                sum[lane] = f(a[lane], b[lane], sum[lane]);
            }
        }
        *out = sum;
        return;
    }
    for time in 0..times {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = f(a[piece(a.len(), count, time, lane)], b[piece(b.len(), count, time, lane)], *out);
        }
    }
}

/// Where the value of a lane of the piece at `time` lies in an operand of that length.
#[inline(always)]
fn piece(length: usize, count: usize, time: usize, lane: usize) -> usize {
    match length {
        1 => 0,
        _ if length == count => lane,
        _ => time * count + lane,
    }
}

/// `out = f(a)` for functions that take all lanes at once.
#[inline(always)]
pub(super) fn lanes<T: Copy>(out: &mut [T], a: &[T], f: impl Fn(&[T], &mut [T])) {
    let (own, rest) = out.split_at_mut(a.len().min(out.len()));
    f(a, own);
    if let [value] = *own {
        rest.fill(value);
    }
}
