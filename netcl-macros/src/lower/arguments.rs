//! Operations called with other arguments than they take: what to write is said in the call's own words.

use super::misuse::written;
use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::Shape;
use netcl_kernels::ops::{self, ArgKind, ArgSpec, Operation};
use syn::{Expr, ExprMethodCall, Lit};

impl<'a> Lowering<'a> {
    /// A call of a tensor's operation with more or fewer arguments than it takes; `None` of others.
    pub(super) fn other_arguments(
        &mut self,
        call: &'a ExprMethodCall,
        name: &str,
        receiver: &Val<'a>,
    ) -> Option<Val<'a>> {
        let Val::Tensor(id) = receiver else { return None };
        if self.axes.is_some() || self.elementwise || self.position(receiver).is_some() {
            return None;
        }
        let (span, x) = (call.method.span(), written(&call.receiver));
        let shape = self.builder.shape(*id).clone();
        if name == "dim" {
            return self.no_axis(call, &x, &shape);
        }
        let operation = ops::find(name)?;
        let args = operation.args.get(1..)?;
        if call.args.is_empty() {
            let instead = without_axes(operation, &x, &shape)?;
            return Some(self.report(span, &m::AXES_MISSING, &[&name, &instead]));
        }
        if let Some((axes, keeps)) = kept(call) {
            let keepdim = ops::find(&format!("{name}_keepdim"))?;
            let called = if keeps { keepdim.name } else { name };
            return Some(self.report(span, &m::KEEPDIM, &[&name, &format!("{x}.{called}({axes})")]));
        }
        let given: Vec<String> = call.args.iter().map(text).collect();
        if given.len() == args.len() || call.args.iter().any(|arg| matches!(arg, Expr::Assign(_))) {
            return None;
        }
        let instead = match (args, given.as_slice()) {
            ([ArgSpec { kind: ArgKind::Axes | ArgKind::Sizes, .. }], [_, _, ..]) => {
                format!("they stand in one list: write `{x}.{name}([{}])`", given.join(", "))
            }
            ([_, _], [bound]) if name == "clamp" => format!(
                "for the larger of two values write `{x}.maximum({bound})`, for the smaller one `{x}.minimum({bound})`"
            ),
            // As in PyTorch, whose `repeat` takes a count for each axis.
            ([_, _], [counts]) if name == "repeat" && counts.starts_with('[') => {
                format!("counts of all axes are given to `tile`: write `{x}.tile({counts})`")
            }
            // As in PyTorch, whose `pad` takes sides of all axes, the last one's first.
            ([_, _, _, _], [_]) if name == "pad" && sides(&call.args[0]).is_some() => {
                let sides = sides(&call.args[0]).unwrap_or_default();
                if sides.len() > 2 * shape.rank() {
                    return None;
                }
                let along = |(at, side): (usize, &[String])| {
                    format!(".pad({}, {}, {}, 0.0)", shape.rank() as i64 - 1 - at as i64, side[0], side[1])
                };
                let all: String = sides.chunks_exact(2).enumerate().map(along).collect();
                format!("one axis after the other: write `{x}{all}`")
            }
            (args, given) if given.len() < args.len() => {
                // Windows of a pool lie side by side, as those of the layers and of PyTorch do.
                let kernel = args.iter().position(|arg| arg.name == "kernel").and_then(|at| given.get(at));
                let usual = |arg: &ArgSpec| match (arg.name, kernel) {
                    ("stride", Some(kernel)) if name.contains("pool") => Some(kernel.as_str()),
                    _ => usual(arg),
                };
                let rest: Option<Vec<&str>> = args[given.len()..].iter().map(usual).collect();
                let all: Vec<&str> = given.iter().map(String::as_str).chain(rest?).collect();
                format!("write `{x}.{name}({})`", all.join(", "))
            }
            _ => return None,
        };
        let names = super::table::names(args);
        let plural = if args.len() == 1 { "" } else { "s" };
        Some(self.report(span, &m::ARGUMENT_COUNT, &[&name, &args.len(), &plural, &names, &given.len(), &instead]))
    }

    /// Rule: `dim` takes the number of an axis. Wrong: `x.dim()`, `x.dim(-1)`.
    fn no_axis(&mut self, call: &'a ExprMethodCall, x: &str, shape: &Shape) -> Option<Val<'a>> {
        let given = match call.args.first() {
            Some(arg) if call.args.len() == 1 => match self.expr(arg) {
                Val::Dim(axis) => axis.as_constant()?,
                _ => return None,
            },
            _ => i64::MIN,
        };
        let rank = shape.rank() as i64;
        if (0..rank).contains(&given) || rank == 0 {
            return None;
        }
        let found = if call.args.is_empty() { "none".to_string() } else { format!("`{}`", text(&call.args)) };
        let meant = if given < 0 { given.saturating_add(rank).max(0) } else { rank - 1 };
        Some(self.report(
            call.method.span(),
            &m::DIM_AXIS,
            &[&shape, &(rank - 1), &found, &format!("{x}.dim({meant})")],
        ))
    }
}

/// Whether a reduction's axes are kept, as `keepdim` says elsewhere: `x.mean([1], true)`, `x.mean([1], keepdim = true)`.
fn kept(call: &ExprMethodCall) -> Option<(String, bool)> {
    let (axes, last) = match call.args.len() {
        2 => (call.args.first()?, call.args.last()?),
        _ => return None,
    };
    let said = match last {
        Expr::Assign(pair) if matches!(text(&pair.left).as_str(), "keepdim" | "keepdims") => &*pair.right,
        Expr::Assign(_) => return None,
        other => other,
    };
    let axes = match axes {
        Expr::Assign(pair) => &*pair.right,
        other => other,
    };
    match said {
        Expr::Lit(syn::ExprLit { lit: Lit::Bool(keeps), .. }) => Some((text(axes), keeps.value)),
        _ => None,
    }
}

/// What is usual for an argument that was left out: what PyTorch takes for it, or what any tensor allows.
fn usual(arg: &ArgSpec) -> Option<&'static str> {
    Some(match (arg.name, arg.kind) {
        (_, ArgKind::Bool) => "false",
        ("correction" | "step" | "stride" | "dilation" | "groups" | "size" | "length" | "end" | "shift" | "k", _) => {
            "1"
        }
        ("before" | "after", _) => "1",
        ("start" | "position" | "padding" | "output_padding", _) => "0",
        ("count", _) => "2",
        ("p", _) => "2.0",
        ("q", _) => "0.5",
        ("value", _) => "0.0",
        ("indices", ArgKind::Tensor) => "indices",
        ("source", ArgKind::Tensor) => "source",
        _ => return None,
    })
}

/// What to write for a call without any arguments of an operation that takes axes.
fn without_axes(operation: &Operation, x: &str, shape: &Shape) -> Option<String> {
    let name = operation.name;
    let last = shape.rank().checked_sub(1)?;
    match name {
        "transpose" if last > 0 => {
            return Some(format!("`{x}.t()` for the last two axes, or both: `{x}.transpose({}, {last})`", last - 1));
        }
        "permute" => {
            let turned: Vec<String> = (0..=last).rev().map(|axis| axis.to_string()).collect();
            return Some(format!("`{x}.permute([{}])`, all axes in their new order", turned.join(", ")));
        }
        "squeeze" => {
            return Some(match shape.0.iter().position(|size| size.is(1)) {
                Some(axis) => format!("`{x}.squeeze({axis})`, an axis of one element"),
                None => format!("`{x}`: no axis of {shape} is known to have one element"),
            });
        }
        "unsqueeze" => return Some(format!("`{x}.unsqueeze({})` for an axis behind the last one", last + 1)),
        _ => {}
    }
    let args = operation.args.get(1..)?;
    let takes_axes = args.iter().any(|arg| matches!(arg.name, "axis" | "axes"));
    if !takes_axes {
        return None;
    }
    // The last axis of complex numbers is that of their parts.
    let parts = matches!(name, "fft" | "ifft" | "irfft");
    if parts && (last == 0 || !shape[last].is(2)) {
        return None;
    }
    let last = last - usize::from(parts);
    let along = |arg: &ArgSpec| match (arg.name, arg.kind) {
        ("n", _) if parts => shape[last].as_constant().map(|size| (2 * size - 2).max(1).to_string()),
        ("axes", _) => Some(format!("[{last}]")),
        ("axis", _) => Some(last.to_string()),
        _ => usual(arg).map(str::to_string),
    };
    let given = args.iter().map(along).collect::<Option<Vec<_>>>()?;
    let reduces = matches!(args[0].kind, ArgKind::Axes) || name.starts_with("arg") || name == "median";
    let rest = given[1..].iter().map(|arg| format!(", {arg}")).collect::<String>();
    let whole = match ops::find(&format!("{name}_all")) {
        Some(all) => format!("`{x}.{}()` for all elements, ", all.name),
        None if name == "flip" || !reduces => String::new(),
        None => {
            let axis = if args[0].kind == ArgKind::Axes { "[0]" } else { "0" };
            format!("`{x}.reshape([-1]).{name}({axis}{rest})` for all elements, ")
        }
    };
    let keeps = ops::find(&format!("{name}_keepdim"))
        .map(|keeps| format!(", `{x}.{}([{last}])` to combine them with `{x}`", keeps.name));
    let those = if whole.is_empty() { "" } else { " for those" };
    let before = if parts { " before that of the parts" } else { "" };
    let keeps = keeps.unwrap_or_default();
    Some(format!("{whole}`{x}.{name}({})`{those} along the last axis{before}{keeps}", given.join(", ")))
}

/// The sides of a list or a tuple of them, two for each axis.
fn sides(given: &Expr) -> Option<Vec<String>> {
    let sides: Vec<String> = match crate::parse::unparenthesized(given) {
        Expr::Tuple(tuple) => tuple.elems.iter().map(text).collect(),
        Expr::Array(array) => array.elems.iter().map(text).collect(),
        _ => return None,
    };
    (!sides.is_empty() && sides.len().is_multiple_of(2)).then_some(sides)
}
