//! Calls in SIMT-form kernels: ids, barriers, sub-groups, atomics, vectors, functions of numbers.

use super::element::{ElementStorage, Target};
use super::state::{Simt, Val, Var};
use super::types::kind;
use super::written::ElementWrite;
use crate::ast::Constant;
use crate::foreign;
use crate::messages as m;
use crate::parse::index::text_of;
use crate::parse::{constant, list, suggestion, text, unparenthesized};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, ReduceOp, UnaryOp};
use netcl_kernels::kir::{AtomicOp, AtomicTarget, Expr as Kir, Launch, Stmt, SubGroupOp, ValueType, WorkItem};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall};

/// Functions that every kernel knows, by the names that users write.
#[derive(Clone, Copy)]
enum Intrinsic {
    /// With a dimension.
    Place(WorkItem),
    /// Without.
    Lane(WorkItem),
    SubGroup(SubGroupOp),
    Atomic(AtomicOp),
    Lanes(ReduceOp),
}

/// All of them: the compiler's names, with what they work on.
fn table() -> impl Iterator<Item = (String, Intrinsic)> {
    let place = |item: WorkItem| if item.has_dimension() { Intrinsic::Place(item) } else { Intrinsic::Lane(item) };
    let items = WorkItem::ALL.into_iter().map(move |item| (item.name().to_string(), place(item)));
    // `sub_group_add` is the sum of all items: the name says what is reduced by.
    let across = |op: SubGroupOp| format!("sub_group_{}", op.name().trim_start_matches("reduce_"));
    let sub_groups = SubGroupOp::ALL.into_iter().map(move |op| (across(op), Intrinsic::SubGroup(op)));
    let atomics = AtomicOp::ALL.into_iter().map(|op| (format!("atomic_{}", op.name()), Intrinsic::Atomic(op)));
    let sums = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min].into_iter();
    items.chain(sub_groups).chain(atomics).chain(sums.map(|op| (format!("{}_lanes", op.name()), Intrinsic::Lanes(op))))
}

fn find(name: &str) -> Option<Intrinsic> {
    table().find(|(known, _)| known == name).map(|(_, known)| known)
}

const OTHERS: [&str; 3] = ["barrier", "global_barrier", "select"];
const WIDTHS: [u8; 4] = [2, 4, 8, 16];

/// Whether a SIMT-form kernel knows the function without a declaration.
pub(crate) fn is_known(name: &str) -> bool {
    known().iter().any(|known| known == name) || foreign::device(name).is_some()
}

/// Whether it says which of the work-items one is.
pub(crate) fn is_of_items(name: &str) -> bool {
    WorkItem::ALL.into_iter().any(|item| item.name() == name)
}

fn known() -> Vec<String> {
    let functions = UnaryOp::ALL.into_iter().map(UnaryOp::name).chain(BinaryOp::ALL.into_iter().map(BinaryOp::name));
    let splats = WIDTHS.iter().map(|width| format!("splat{width}"));
    let own = table().map(|(name, _)| name);
    let rust = crate::lower::rust_names();
    own.chain(OTHERS.into_iter().chain(functions).chain(rust).map(String::from)).chain(splats).collect()
}

/// Whether it is called as what is `own` with as many lanes as no vector has.
fn other_width(name: &str, own: &str) -> bool {
    let lanes = name.strip_prefix(own).and_then(|lanes| lanes.parse::<u64>().ok());
    lanes.is_some_and(|lanes| WIDTHS.iter().all(|width| u64::from(*width) != lanes))
}

/// How a function that every kernel knows is called with that many arguments.
fn example(name: &str, count: usize) -> String {
    let first = if let Some(Intrinsic::Place(_)) = find(name) { "0" } else { "a" };
    let args = [first, "b", "c"].into_iter().take(count).collect::<Vec<_>>().join(", ");
    format!("`{name}({args})`")
}

/// How the function of that name is called, if every kernel knows it.
pub(super) fn as_called(name: &str) -> Option<String> {
    match find(name)? {
        Intrinsic::Place(_) | Intrinsic::SubGroup(_) | Intrinsic::Lanes(_) => Some(example(name, 1)),
        Intrinsic::Lane(_) => Some(example(name, 0)),
        Intrinsic::Atomic(_) => Some(format!("`{name}(&mut y[i], value)`")),
    }
}

impl Simt<'_> {
    pub(super) fn call(&mut self, call: &ExprCall) -> Val {
        let Expr::Path(path) = &*call.func else {
            return self.report(call.func.span(), &m::NOT_CALLABLE, &[]);
        };
        let span = path.span();
        let full = text(&path.path);
        let unit = self.unit;
        if let Some(helper) = unit.helpers.get(&full) {
            return self.helper(helper, call, span);
        }
        if unit.kernels.contains_key(&full) || unit.callables.contains_key(&full) {
            return self.report(span, &m::KERNEL_CALLED, &[&full]);
        }
        if unit.broken.contains(&full) {
            self.operands(&call.args);
            self.partial = true;
            return Val::Unknown;
        }
        let name = constant::name(&path.path).unwrap_or_default();
        if unit.own.as_ref().is_some_and(|own| path.path.is_ident(own)) {
            return self.report(span, &m::RECURSION, &[&name, &format!("{name} → {name}")]);
        }
        if let Some(here) = foreign::device(&name) {
            // Beside an operator or a method an argument is one value.
            let inside = ![" as ", " % ", "."].iter().any(|beside| here.contains(beside));
            let written = |arg: &Expr| match arg {
                Expr::Lit(_) => text_of(arg),
                arg if inside => text_of(arg),
                arg => crate::lower::receiver(arg),
            };
            let args: Vec<String> = call.args.iter().map(written).collect();
            let here = foreign::device_of(here, &args);
            return self.report(span, &m::ELSEWHERE_CALLED, &[&name, &format!("write `{here}`")]);
        }
        let over_range = |arg: &Expr| matches!(arg, Expr::Range(_) | Expr::Closure(_));
        if crate::lower::is_no_function_of_scalars(call) && call.args.iter().any(over_range) {
            return self.over_range(&name, call, span);
        }
        if let Some(Var { value, .. }) = path.path.get_ident().and_then(|_| self.lookup(&name)) {
            if matches!(value, Val::Unknown) {
                return Val::Unknown;
            }
            let instead = format!("an element is read by indices: `{name}[i]`");
            return self.report(span, &m::NOT_A_FUNCTION, &[&name, &kind(value), &instead]);
        }
        if let Some(Intrinsic::Atomic(op)) = find(&name) {
            return self.atomic(op, &name, call, span);
        }
        if name.starts_with("atomic_") {
            let all: Vec<String> = table().map(|(name, _)| name).filter(|name| name.starts_with("atomic_")).collect();
            let minus = match (name.as_str(), call.args.first(), call.args.get(1)) {
                ("atomic_sub", Some(element), Some(value)) => {
                    format!(": write `atomic_add({}, -({}))`", text_of(element), text_of(value))
                }
                _ => String::new(),
            };
            return self.report(span, &m::SIMT_NO_ATOMIC, &[&name, &list(all.iter().map(String::as_str)), &minus]);
        }
        let text = |arg: &Expr| matches!(arg, Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }));
        if find(&name).is_none() && call.args.iter().any(text) {
            let instead = "a kernel prints nothing, and no function takes a text: return what is to be looked at as a result of its own";
            return self.report(span, &m::ELSEWHERE_CALLED, &[&name, &instead]);
        }
        let mut args = self.operands(&call.args);
        if args.iter().any(|arg| matches!(arg, Val::Unknown)) {
            return Val::Unknown;
        }
        let rust = crate::lower::rust_names().any(|known| known == name);
        if rust && matches!(args.first(), Some(Val::Expr(..) | Val::Number(_))) {
            let receiver = args.remove(0);
            return self.of_number(&name, receiver, args, span);
        }
        self.named_call(&name, args, span)
    }

    /// `sum(0..C, |c| x[n, c])`: a loop here.
    fn over_range(&mut self, name: &str, call: &ExprCall, span: Span) -> Val {
        let start = match name {
            "sum" => Some(("total", "0.0", "+=")),
            "prod" => Some(("product", "1.0", "*=")),
            _ => None,
        };
        let parts = match (call.args.first(), call.args.last()) {
            (Some(range @ Expr::Range(_)), Some(Expr::Closure(closure))) if closure.inputs.len() == 1 => {
                Some((text(range), text(&closure.inputs[0]), crate::parse::index::text_of(&closure.body)))
            }
            _ => None,
        };
        let instead = match (start, parts) {
            (Some((total, start, op)), Some((range, index, body))) => {
                format!("{{ let mut {total} = {start}; for {index} in {range} {{ {total} {op} {body}; }} {total} }}")
            }
            _ => "for i in 0..N { .. }".to_string(),
        };
        self.report(span, &m::SIMT_REDUCTION, &[&name, &instead])
    }

    fn named_call(&mut self, name: &str, args: Vec<Val>, span: Span) -> Val {
        let found = args.len();
        let mut given = args.into_iter();
        let mut next = || given.next().unwrap_or(Val::Unknown);
        let count = |this: &Self, wanted: usize| {
            if wanted != found {
                let plural = if wanted == 1 { "" } else { "s" };
                let example = example(name, wanted);
                this.report(span, &m::CALL_ARGUMENTS, &[&name, &wanted, &plural, &found, &example]);
            }
            wanted == found
        };
        let meaning = find(name);
        if let Some(Intrinsic::Place(item)) = meaning {
            return match (count(self, 1), next()) {
                (false, _) => Val::Unknown,
                (_, Val::Number(Constant::Integer(dimension @ 0..=2))) => {
                    self.in_dimension(item, name, dimension as u8, span)
                }
                // Of an attribute that is wrong, the number of sizes is not known.
                _ if self.unsure => Val::Unknown,
                _ => self.report(span, &m::SIMT_DIMENSION, &[&name, &name]),
            };
        }
        if let Some(Intrinsic::Lane(item)) = meaning {
            return if count(self, 0) { self.work_item(item, 0) } else { Val::Unknown };
        }
        if name == "barrier" || name == "global_barrier" {
            if count(self, 0) {
                self.of_group(span);
                self.barriers.push(span);
                self.builder.stmt(Stmt::Barrier { global: name == "global_barrier" });
            }
            return Val::Unit;
        }
        if let Some(Intrinsic::SubGroup(op)) = meaning {
            if !count(self, if op.takes_lane() { 2 } else { 1 }) {
                return Val::Unknown;
            }
            let Some(value) = self.value(next(), None, span) else { return Val::Unknown };
            if !self.judge_across(name, value, span) {
                return Val::Unknown;
            }
            self.across.push(span);
            let lane = match op.takes_lane() {
                true => match self.value(next(), Some(DType::U32), span) {
                    Some(lane) => Some(lane),
                    None => return Val::Unknown,
                },
                false => None,
            };
            self.of_group(span);
            let ty = self.ty(value);
            // The value is the same for all items at this point of the program only: name it here.
            let result = self.builder.push(Kir::SubGroup(op, value, lane), ty);
            return Val::Expr(self.builder.named("across", result), None);
        }
        if let Some(Intrinsic::Lanes(op)) = meaning {
            if !count(self, 1) {
                return Val::Unknown;
            }
            let Some(value) = self.value(next(), None, span) else { return Val::Unknown };
            if self.ty(value).lanes == 1 {
                return self.report(span, &m::SIMT_VECTOR, &[&name]);
            }
            return Val::Expr(self.builder.horizontal(op, value), None);
        }
        if let Some(width) = name.strip_prefix("splat").and_then(|width| width.parse().ok())
            && WIDTHS.contains(&width)
        {
            if !count(self, 1) {
                return Val::Unknown;
            }
            let Some(value) = self.value(next(), Some(DType::F32), span) else { return Val::Unknown };
            return Val::Expr(self.builder.splat(value, width), None);
        }
        if name == "select" {
            if !count(self, 3) {
                return Val::Unknown;
            }
            let Some(condition) = self.value(next(), Some(DType::Bool), span) else { return Val::Unknown };
            let (then, otherwise) = (next(), next());
            let Some((then, otherwise)) = self.pair(then, otherwise, [span; 2]) else { return Val::Unknown };
            return Val::Expr(self.builder.select(condition, then, otherwise), None);
        }
        if let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == name) {
            return if count(self, 1) { self.function_of_one(op, next(), span) } else { Val::Unknown };
        }
        if let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == name) {
            return if count(self, 2) { self.function_of_two(op, next(), next(), span) } else { Val::Unknown };
        }
        let all = known();
        if let Some(instead) = crate::lower::wrapped(name) {
            return self.report(span, &m::ELSEWHERE_CALLED, &[&name, &instead]);
        }
        self.report(span, &m::UNKNOWN_FUNCTION, &[&name, &suggestion(name, all.iter().map(String::as_str))])
    }

    /// Rule: what the items of a group do together needs a group. Wrong: `barrier()` with `#[launch(global = [N])]`.
    pub(super) fn of_group(&self, span: Span) {
        let Launch { global, local } = &self.builder.kernel().launch;
        if !local.is_empty() || self.unsure || self.changed {
            return;
        }
        let sizes = global.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let group = ["64", "16, 16", "8, 8, 4"][global.len().clamp(1, 3) - 1];
        self.diag.once(span, &m::SIMT_NO_GROUP, &[&format!("global = [{sizes}], local = [{group}]")]);
    }

    /// Rule: the launch has the dimension. Wrong: `global_id(1)` with `#[launch(global = [N])]`. OpenCL gives the id 0 and the
    /// size 1 there, which nobody means.
    fn in_dimension(&mut self, item: WorkItem, name: &str, dimension: u8, span: Span) -> Val {
        let count = self.builder.kernel().launch.global.len();
        // Of an attribute that is wrong, the number of sizes is not known.
        if usize::from(dimension) < count || self.unsure {
            return self.work_item(item, dimension);
        }
        let plural = if count == 1 { "" } else { "s" };
        let last = count.saturating_sub(1);
        self.report(span, &m::SIMT_LAUNCH_DIMENSION, &[&count, &plural, &name, &dimension, &name, &last])
    }

    fn work_item(&mut self, item: WorkItem, dimension: u8) -> Val {
        Val::Expr(self.builder.push(Kir::WorkItem(item, dimension), ValueType::scalar(DType::U32)), None)
    }

    pub(super) fn function_of_one(&mut self, op: UnaryOp, value: Val, span: Span) -> Val {
        let Some(id) = self.value(value, None, span) else { return Val::Unknown };
        let ty = self.ty(id);
        let any = matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign);
        let fits =
            ty.dtype.is_float() || (any && ty.dtype.is_integer()) || (op == UnaryOp::Not && ty.dtype == DType::Bool);
        if !fits {
            let message = if ty.dtype.is_integer() { &m::SIMT_FLOATS } else { &m::OPERAND };
            let back = match self.chosen {
                true => format!(
                    ", and what it gives back with `as T`, by the name that `#[types(..)]` has: `(.. as f32).{}() as T`; or \
                     leave `{ty}` out of its list",
                    op.name()
                ),
                false => format!(", and what it gives back with `as {ty}` where it is to be one"),
            };
            return self.report(span, message, &[&op.name(), &ty, &back]);
        }
        Val::Expr(self.builder.unary(op, id), None)
    }

    /// `x.load4(i)`, `out.store4(i, v)`, `v.lane(2)`, `a.mul_add(b, c)`, and functions of numbers as methods.
    pub(super) fn method(&mut self, call: &ExprMethodCall) -> Val {
        let span = call.method.span();
        let mut args = self.operands(std::iter::once(&*call.receiver).chain(&call.args));
        if args.iter().any(|arg| matches!(arg, Val::Unknown)) {
            return Val::Unknown;
        }
        let receiver = args.remove(0);
        let name = call.method.to_string();
        let width =
            |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse().ok()).filter(|n| WIDTHS.contains(n));
        if let Some(other) = ["load", "store"].iter().find(|own| other_width(&name, own)) {
            return self.other_width(other, &name, span);
        }
        if matches!(receiver, Val::Expr(..) | Val::Number(_))
            && let Some(refused) = self.of_tensors_alone(call, &name)
        {
            return refused;
        }
        match (receiver, args.len()) {
            (Val::Buffer(buffer), 1) if width("load").is_some() => {
                let Some(position) = self.value(args.remove(0), Some(DType::U32), span) else { return Val::Unknown };
                let lanes = width("load").unwrap_or(1);
                let place = self.lanes_at(buffer, position, lanes);
                self.load_lanes(buffer, place, lanes)
            }
            (Val::Buffer(buffer), 2) if width("store").is_some() => {
                let Some(position) = self.value(args.remove(0), Some(DType::U32), span) else { return Val::Unknown };
                let lanes = width("store").unwrap_or(1);
                let place = self.lanes_at(buffer, position, lanes);
                let target = Target { memory: ElementStorage::Buffer(buffer), place };
                self.store(target, args.remove(0), &ElementWrite::stored(call, lanes))
            }
            (Val::Expr(id, _), 1) if name == "lane" => match args[0] {
                Val::Number(Constant::Integer(lane)) if (0..i64::from(self.ty(id).lanes)).contains(&lane) => {
                    Val::Expr(self.builder.lane(id, lane as u8), None)
                }
                _ => self.report(span, &m::SIMT_VECTOR, &[&"lane"]),
            },
            (receiver @ (Val::Expr(..) | Val::Number(_)), _) => self.of_number(&name, receiver, args, span),
            (Val::Buffer(buffer), _) if ["len", "dim", "shape", "size", "dims"].contains(&name.as_str()) => {
                let dims = &self.buffers[buffer].dims;
                let shape = netcl_kernels::dim::Shape(dims.clone());
                let all = dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" * ");
                let tensor = text(&call.receiver);
                self.report(span, &m::KERNEL_SIZES, &[&name, &tensor, &shape, &all])
            }
            (Val::Buffer(buffer), _) => {
                let (tensor, index) = (text(&call.receiver), self.buffers[buffer].index());
                self.report(span, &m::KERNEL_TENSOR_VALUE, &[&tensor, &tensor, &index])
            }
            (Val::Array(..), _) if width("load").or(width("store")).is_some() => {
                let array = text(&call.receiver);
                self.report(span, &m::SIMT_ARRAY_LANES, &[&name, &array, &array])
            }
            (receiver, _) => self.report(span, &m::OPERAND, &[&name, &kind(&receiver)]),
        }
    }

    /// Rule: numbers have Rust's functions. Wrong: `x[i].relu()`, which is an operation of tensors.
    fn of_tensors_alone(&self, call: &ExprMethodCall, name: &str) -> Option<Val> {
        let args: Vec<String> = call.args.iter().map(text_of).collect();
        let here = foreign::of_number(name, &crate::lower::receiver(&call.receiver), &args)?;
        let known = find(name).is_some() || known().iter().any(|known| known == name);
        (!known).then(|| self.report(call.method.span(), &m::OF_TENSORS_ALONE, &[&name, &here]))
    }

    /// Rule: vectors have 2, 4, 8 or 16 lanes. Wrong: `x.load3(i)`.
    fn other_width(&self, own: &str, name: &str, span: Span) -> Val {
        let widths = WIDTHS.map(|width| format!("{own}{width}"));
        self.report(span, &m::SIMT_WIDTH, &[&name, &list(widths.iter().map(String::as_str))])
    }

    /// A function of numbers by Rust's name or netcl's: `x.ln()`, `ln(x)`.
    fn of_number(&mut self, name: &str, receiver: Val, mut args: Vec<Val>, span: Span) -> Val {
        if let ("mul_add", [b, c]) = (name, args.as_slice()) {
            let (b, c) = (b.clone(), c.clone());
            return self.mul_add(receiver, b, c, span);
        }
        if let Some(value) = self.method_of_number(name, &receiver, &args, span) {
            return value;
        }
        // Rust's own names for functions of `f32`.
        let name = match name {
            "signum" => "sign",
            "round_ties_even" => "round",
            other => crate::lower::in_table(other),
        };
        args.insert(0, receiver);
        self.named_call(name, args, span)
    }

    /// Whether it is a call of an atomic function, whose value may be left unused.
    pub(super) fn is_atomic(expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let Expr::Path(path) = &*call.func else { return false };
        constant::name(&path.path).is_some_and(|name| matches!(find(&name), Some(Intrinsic::Atomic(_))))
    }

    /// `atomic_add(&mut out[i], 1)`: the old value.
    fn atomic(&mut self, op: AtomicOp, name: &str, call: &ExprCall, span: Span) -> Val {
        let place = match call.args.first() {
            Some(Expr::Reference(reference)) if reference.mutability.is_some() => match &*reference.expr {
                Expr::Index(index) => Some(index),
                _ => None,
            },
            _ => None,
        };
        let (Some(place), 2) = (place, call.args.len()) else {
            let (element, value) = match (call.args.first(), call.args.get(1)) {
                (Some(element @ Expr::Index(_)), Some(value)) => (format!("&mut {}", text_of(element)), text_of(value)),
                _ => ("&mut y[i]".to_string(), "value".to_string()),
            };
            return self.report(call.span(), &m::SIMT_ATOMIC, &[&name, &name, &element, &value]);
        };
        let Some(Target { memory, place: mut index }) = self.target(place) else { return Val::Unknown };
        let (target, dtype): (AtomicTarget, DType) = match memory {
            ElementStorage::Buffer(buffer) => match self.buffers[buffer].result {
                Some(result) => {
                    self.zeroed[result] = true;
                    (AtomicTarget::Buffer(self.buffers[buffer].param), self.buffers[buffer].dtype)
                }
                None => {
                    let name = text(&place.expr);
                    return self.report(place.expr.span(), &m::SIMT_INPUT, &[&name, &name]);
                }
            },
            ElementStorage::Array(array, dtype) => {
                let (element, value) = (text_of(place), text_of(&call.args[1]));
                if !self.judge_shared(name, array, (&element, &value), span) {
                    return Val::Unknown;
                }
                (AtomicTarget::Local(array), dtype)
            }
        };
        if !op.takes(dtype) {
            let types =
                DType::ALL.into_iter().filter(|dtype| op.takes(*dtype) && *dtype != DType::F64).map(DType::name);
            let (of, types) = (text(&place.expr), list(types));
            let fitting = if dtype.is_float() && op.takes(DType::F32) { DType::F32 } else { DType::I32 };
            let instead = match memory {
                ElementStorage::Buffer(buffer) => {
                    let dims = self.buffers[buffer].dims.iter().map(|dim| format!(", {dim}")).collect::<String>();
                    format!("{}: &mut Tensor<{fitting}{dims}>", text(&place.expr))
                }
                ElementStorage::Array(array, _) => {
                    let length = self.builder.kernel().arrays[array.0 as usize].length;
                    format!("local!([{fitting}; {length}])")
                }
            };
            return self.report(span, &m::SIMT_ATOMIC_TYPE, &[&name, &types, &of, &dtype, &instead]);
        }
        let value = self.then(&mut index, Self::pin_place, |this| this.expr(&call.args[1]));
        let Some(value) = self.value(value, Some(dtype), call.args[1].span()) else { return Val::Unknown };
        if self.ty(value).dtype != dtype {
            let given = self.ty(value);
            if self.changed {
                return Val::Unknown;
            }
            let value = unparenthesized(&call.args[1]);
            let converted = match value {
                Expr::Binary(_) | Expr::Unary(_) | Expr::If(_) => format!("({}) as {dtype}", text_of(value)),
                _ => format!("{} as {dtype}", text_of(value)),
            };
            return self.report(call.args[1].span(), &m::SIMT_ATOMIC_VALUE, &[&name, &dtype, &given, &converted]);
        }
        let ty = ValueType::scalar(dtype);
        let update = |this: &mut Self, index| {
            let old = this.builder.var("old", ty);
            this.builder.stmt(Stmt::Atomic { op, target, index, value, old: Some(old) });
            this.builder.get(old)
        };
        Val::Expr(self.read("before", index, ty, update), None)
    }
}
