//! Bodies of kernels, in both forms.

use super::scalars::{Scalars, function};
use super::{judged, tried};

/// What one element of a kernel in index form may read.
fn element(scalars: &mut Scalars<'_>, depth: usize) -> Option<String> {
    if scalars.odd() {
        let known = scalars.whole.clone();
        let place = |scalars: &mut Scalars<'_>| match scalars.draw.below(3) {
            0 => scalars.draw.of(&known),
            1 => format!(
                "{} {} {}",
                scalars.draw.of(&known),
                scalars.draw.word("+ - / %"),
                scalars.draw.word("1 2 N M i j 0")
            ),
            _ => scalars.draw.word("0 N N-1 s -1 x (i,j) 1.0 rows[i] rows[j]").to_string(),
        };
        let (first, second) = (place(scalars), place(scalars));
        return Some(match scalars.draw.below(4) {
            0 | 1 => format!("x[{first}, {second}]"),
            2 => format!("pad(x[{first}, {second}])"),
            _ => scalars.draw.word("z[] rows[i] mask[i] y x.sum() N n flag x[i] y[i,j] s[0]").to_string(),
        });
    }
    let shift = |scalars: &mut Scalars<'_>| scalars.draw.word("- - -+1 --1 -*2 -/2").replacen('-', "", 1);
    Some(match scalars.draw.below(if depth == 0 { 9 } else { 13 }) {
        0..3 => "x[i, j]".to_string(),
        3 => scalars
            .draw
            .word("y[i] y[i] y[0] y[N-1-i] x[i,(j+1)%M] x[rows[i],j] x[rows[i],0] x[N-1-i,M-1-j]")
            .to_string(),
        4 | 5 => format!("pad(x[i{}, j{}])", shift(scalars), shift(scalars)),
        6 => scalars.draw.word("s z s z").to_string(),
        7 | 8 => return None,
        9..12 => {
            let (kind, range, element) = scalars.draw.of(&[
                ("sum", "0..N", "x[k, j]"),
                ("sum", "0..M", "x[i, k]"),
                ("mean", "0..N", "y[k]"),
                ("max", "0..M", "x[i, k]"),
                ("min", "1..N", "y[k]"),
                ("prod", "0..3", "pad(x[i, k])"),
                ("sum", "0..3", "pad(y[i + k - 1])"),
                ("sum", "(0..N, 0..M)", "x[k, l]"),
                ("max", "(0..3, 1..4)", "pad(x[i + k, j + l])"),
                ("argmax", "0..M", "x[i, k]"),
            ]);
            scalars.named += 1;
            let (k, l) = (format!("k{}", scalars.named), format!("l{}", scalars.named));
            let two = range.starts_with('(');
            let element = element.replace('k', &k).replace('l', &l);
            scalars.names.push(element.clone());
            scalars.whole.push(k.clone());
            let body = scalars.float(depth - 1);
            scalars.whole.pop();
            scalars.names.pop();
            let names = if two { format!("{k}, {l}") } else { k };
            let sum = format!("{kind}({range}, |{names}| {element} * ({body}))");
            if kind == "argmax" { format!("({sum} as f32)") } else { sum }
        }
        _ => format!("own({}, {}, n, x[i, j] > 0.0)", scalars.float(depth - 1), scalars.float(0)),
    })
}

#[test]
fn index_form() {
    tried("index form", 40, |draw| {
        let own = function(draw, "own", None);
        let depth = 1 + draw.below(4);
        let mut scalars = Scalars::new(draw, &[], &["i", "j"]);
        scalars.leaf = element;
        let value = if scalars.draw.once_in(2) { scalars.block(depth) } else { scalars.float(depth) };
        let odd = scalars.odd();
        let (x, result) = if odd {
            (draw.word("f16 bf16 f64 i32 u32 bool u8"), draw.word("f32 i32 bool f16"))
        } else {
            ("f32", "f32")
        };
        let (value, result) = match draw.below(8) {
            0 => (format!("({value}, x[i, j])"), format!("(Tensor<{result}, N, M>, Tensor<{x}, N, M>)")),
            _ => (value, format!("Tensor<{result}, N, M>")),
        };
        // Each argument is read, or it is refused.
        let source = format!(
            "{own}netcl::kernel! {{ pub fn k(
                x: &Tensor<{x}, N, M>, y: &Tensor<f32, N>, z: &Tensor<f32>, rows: &Tensor<u32, N>, mask: &Tensor<bool, N>, s: f32, n: i32
            ) -> {result} {{ |i, j| {{
                let _ = (x[i, j], y[i], z, s, n, x[rows[i], j]);
                if mask[i] {{ {value} }} else {{ {value} }}
            }} }} }}"
        );
        judged(draw, &source)
    });
}

/// What a work-item may read.
fn place(scalars: &mut Scalars<'_>, depth: usize) -> Option<String> {
    if scalars.odd() {
        return Some(
            scalars
                .draw
                .word("n v.lane(0) own_list[1] x[n] counts[0] flag x[s] grid[i] near[(i,l)] y.load2(0)")
                .to_string(),
        );
    }
    Some(match scalars.draw.below(if depth == 0 { 8 } else { 10 }) {
        0..3 => format!("x[{}]", scalars.integer(1)),
        3 => format!("grid[({}, {})]", scalars.integer(1), scalars.integer(1)),
        4 => format!("near[{}]", scalars.integer(1)),
        5 => scalars.draw.word("s y[i] own_list[1] x.load4(i).lane(2) sum_lanes(x.load2(l))").to_string(),
        6 | 7 => return None,
        8 => format!("select({}, {}, {})", scalars.truth(1), scalars.float(0), scalars.float(depth - 1)),
        _ => format!("own({}, {}, n, s > 0.0)", scalars.float(depth - 1), scalars.float(0)),
    })
}

/// Statements of a kernel in SIMT form.
fn statements(scalars: &mut Scalars<'_>, depth: usize) -> String {
    let (names, whole) = (scalars.names.len(), scalars.whole.len());
    let count = 1 + scalars.draw.below(4);
    let text = (0..count).map(|_| statement(scalars, depth)).collect();
    scalars.names.truncate(names);
    scalars.whole.truncate(whole);
    text
}

fn statement(scalars: &mut Scalars<'_>, depth: usize) -> String {
    let next = depth.saturating_sub(1);
    scalars.named += 1;
    let name = format!("w{}", scalars.named);
    if scalars.odd() {
        return match scalars.draw.below(8) {
            0 => "return; ",
            1 => "break; ",
            2 => "continue; ",
            3 => "n += 1; ",
            4 => "x[i] = 1.0; ",
            5 => "i; ",
            6 => "let v = 2; ",
            _ => "if l < 3 { barrier(); } ",
        }
        .to_string();
    }
    match scalars.draw.below(if depth == 0 { 9 } else { 14 }) {
        0..2 => format!("y[{}] = {}; ", scalars.integer(1), scalars.float(next)),
        2 => format!("y[i] {} {}; ", scalars.draw.word("+= -= *= /= ="), scalars.float(next)),
        3 => format!("near[{}] = {}; ", scalars.integer(1), scalars.float(next)),
        4 => {
            let value = scalars.integer(2);
            scalars.whole.push(name.clone());
            let mutable = if scalars.draw.once_in(3) {
                format!("let mut {name} = l + {value}; {name} += 1; ")
            } else {
                String::new()
            };
            if mutable.is_empty() { format!("let {name} = l + {value}; ") } else { mutable }
        }
        5 => {
            let atomic = scalars.draw.word("atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor");
            format!("{atomic}(&mut counts[{}], {}); ", scalars.integer(1), scalars.integer(0))
        }
        6 => {
            if depth == 3 {
                "barrier(); ".to_string()
            } else {
                "near[l] += 1.0; ".to_string()
            }
        }
        7 => scalars.statement(next),
        8 => {
            let (place, from) = (scalars.integer(0), scalars.integer(1));
            format!("let v = x.load4({from}); y.store4({place}, v {} v); ", scalars.draw.word("+ * / -"))
        }
        9 | 10 => format!("if {} {{ {}}} ", scalars.truth(1), statements(scalars, next)),
        11 => format!(
            "if {} {{ {}}} else {{ {}}} ",
            scalars.truth(1),
            statements(scalars, next),
            statements(scalars, next)
        ),
        12 => {
            let range = match scalars.draw.below(4) {
                0 => {
                    format!("({}..{}).step_by({})", scalars.integer(0), scalars.integer(0), scalars.draw.word("1 2 64"))
                }
                1 => scalars.draw.word("0..=4 [1,2,3] 0..16 0..N").to_string(),
                _ => format!("{}..{}", scalars.integer(0), scalars.integer(1)),
            };
            scalars.whole.push(name.clone());
            let body = statements(scalars, next);
            scalars.whole.pop();
            let leave = scalars.draw.of(&["", "", "", "if l > 3 { break; } ", "if i == 2 { continue; } "]);
            format!("for {name} in {range} {{ {leave}{body}}} ")
        }
        _ => format!("let mut {name} = 8; while {name} > 0 {{ {name} /= 2; {}}} ", statements(scalars, next)),
    }
}

#[test]
fn simt_form() {
    tried("SIMT form", 40, |draw| {
        let own = function(draw, "own", None);
        let mut scalars = Scalars::new(draw, &["s", "s", "y[i]"], &["i", "l", "N", "i", "l"]);
        scalars.leaf = place;
        scalars.signs = "+ - * / % & | ^ << >>";
        let depth = 1 + scalars.draw.below(3);
        let body = statements(&mut scalars, depth);
        let odd = scalars.odd();
        let x = if odd { draw.word("f16 f64 i32 u32") } else { "f32" };
        let launch = draw.word("global=[N],local=[64] global=[N],local=[64],unchecked global=[N,4],local=[8,2]");
        let source = format!(
            "{own}netcl::kernel! {{ #[launch({launch})] pub fn k(
                x: &Tensor<{x}, N>, grid: &Tensor<f32, N, 3>, s: f32, n: i32, y: &mut Tensor<f32, N>, counts: &mut Tensor<u32, 10>
            ) {{
                let mut near = local!([f32; 64]);
                let (i, l, own_list) = (global_id(0), local_id(0), [1.0, s]);
                near[l] = 0.0; y[i] = 0.0; counts[0] = 0;
                {body}
            }} }}"
        );
        judged(draw, &source)
    });
}
