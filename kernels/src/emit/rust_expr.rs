//! Expressions of emitted Rust: scalars by operators and functions, vectors by maps over lanes.

use super::rust_writer::{Region, Writer, function_name, type_name};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::*;
use std::collections::BTreeMap;

impl Writer<'_> {
    fn ty(&self, id: ExprId) -> ValueType {
        self.types[id.0 as usize]
    }

    /// Texts of what a statement uses. Values that are used more than once are bound first, in lines of their own.
    pub(super) fn values(&mut self, roots: &[ExprId]) -> Vec<String> {
        self.regions.push(Region::new());
        let mut uses: BTreeMap<ExprId, u32> = BTreeMap::new();
        for &root in roots {
            self.count(root, &mut uses);
        }
        // Ascending ids: operands before those who use them.
        for (id, uses) in uses {
            if uses > 1 && !self.is_short(id) && self.bound(id).is_none() {
                let text = self.text(id);
                let name = format!("e{}", id.0);
                self.line(&format!("let {name} = {text};"));
                if let Some(region) = self.regions.last_mut() {
                    region.insert(id, name);
                }
            }
        }
        let texts = roots.iter().map(|&root| self.text(root)).collect();
        self.regions.pop();
        texts
    }

    /// Counts uses outside of branches that are computed only where they are taken.
    fn count(&self, id: ExprId, uses: &mut BTreeMap<ExprId, u32>) {
        let count = uses.entry(id).or_default();
        *count += 1;
        if *count > 1 {
            return;
        }
        match &self.exprs[id.0 as usize] {
            Expr::Select(condition, then, otherwise) => {
                self.count(*condition, uses);
                for branch in [then, otherwise] {
                    if !self.reads[branch.0 as usize] {
                        self.count(*branch, uses);
                    }
                }
            }
            expr => expr.visit_operands(&mut |operand| self.count(operand, uses)),
        }
    }

    /// Not worth a name.
    fn is_short(&self, id: ExprId) -> bool {
        matches!(self.exprs[id.0 as usize], Expr::Literal(_) | Expr::Var(_) | Expr::Param(_) | Expr::WorkItem(..))
    }

    fn bound(&self, id: ExprId) -> Option<&String> {
        self.regions.iter().rev().find_map(|region| region.get(&id))
    }

    /// A block that computes a branch.
    fn branch(&mut self, id: ExprId) -> String {
        if !self.reads[id.0 as usize] {
            return format!("{{ {} }}", self.text(id));
        }
        let outer = std::mem::take(&mut self.out);
        let value = self.values(&[id]).remove(0);
        let lines = std::mem::replace(&mut self.out, outer);
        let lines: Vec<&str> = lines.lines().map(str::trim).collect();
        format!("{{ {} {value} }}", lines.join(" "))
    }

    fn text(&mut self, id: ExprId) -> String {
        if let Some(name) = self.bound(id) {
            return name.clone();
        }
        let ty = self.ty(id);
        let vector = ty.lanes > 1;
        let verified = self.verified;
        let exprs = self.exprs;
        match &exprs[id.0 as usize] {
            Expr::Literal(value) => literal(*value),
            Expr::Var(var) => self.var(*var),
            Expr::Param(param) => self.param(*param),
            Expr::WorkItem(item, dimension) => work_item(*item, *dimension),
            Expr::Unary(op, a) => {
                let a = self.text(*a);
                unary(*op, ty, &a)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.text(*a), self.text(*b));
                self.binary_text(*op, ty, &a, &b)
            }
            Expr::MulAdd(a, b, c) => {
                let (a, b, c) = (self.text(*a), self.text(*b), self.text(*c));
                self.mul_add(ty, &a, &b, &c)
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.text(*a), self.text(*b));
                compare(*op, vector, &a, &b)
            }
            Expr::Select(condition, then, otherwise) => self.select(*condition, *then, *otherwise, ty),
            Expr::Cast(dtype, a) => {
                let from = self.ty(*a);
                let a = self.text(*a);
                self.cast(*dtype, from, &a)
            }
            Expr::Bitcast(dtype, a) => {
                let from = self.ty(*a).dtype;
                let a = self.text(*a);
                let function = format!("h::bitcast::<{}, {}>", from.name(), dtype.name());
                if vector { format!("{a}.map({function})") } else { format!("{function}({a})") }
            }
            Expr::Load { buffer, index, lanes } => {
                let (name, index) = (self.param(*buffer), self.text(*index));
                if *lanes > 1 { format!("{name}.load::<{lanes}, _>({index})") } else { format!("{name}.at({index})") }
            }
            Expr::LoadArray { array, index } => {
                let (name, number) = (self.array(*array), self.array_number(*array));
                let index = self.text(*index);
                format!("h::array_at(&{name}, {index}, {number}, args.faults())")
            }
            Expr::Splat(a, lanes) => {
                let a = self.text(*a);
                format!("h::V::<_, {lanes}>::splat::<I>({a})")
            }
            Expr::LaneIds(dtype, lanes) => format!("h::lane_ids::<{}, {lanes}>()", dtype.name()),
            Expr::Lane(a, lane) => {
                let a = self.text(*a);
                format!("{a}.lane({lane})")
            }
            Expr::Horizontal(op, a) => {
                let a = self.text(*a);
                match op {
                    ReduceOp::Sum => format!("{a}.sum::<I>()"),
                    ReduceOp::Prod => format!("{a}.fold(h::mul)"),
                    ReduceOp::Max | ReduceOp::ArgMax => format!("{a}.fold(h::max)"),
                    ReduceOp::Min | ReduceOp::ArgMin => format!("{a}.fold(h::min)"),
                }
            }
            Expr::Philox { counter, seed, stream } => {
                let (counter, seed) = (self.text(*counter), self.text(*seed));
                if vector {
                    format!("{{ let seed = {seed}; {counter}.map(|counter| h::philox(counter, seed, {stream})) }}")
                } else {
                    format!("h::philox({counter}, {seed}, {stream})")
                }
            }
            // Refused in `has_native_code`.
            Expr::SubGroup(_, a, _) => self.text(*a),
            Expr::Call(function, arguments) => {
                let name = function_name(verified.kernel(), *function);
                let arguments: Vec<String> = arguments.iter().map(|&argument| self.text(argument)).collect();
                format!("{name}::<I>({})", arguments.join(", "))
            }
        }
    }

    fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: ValueType) -> String {
        let scalar = self.ty(condition).lanes == 1;
        let test = self.text(condition);
        if scalar {
            let (then, otherwise) = (self.branch(then), self.branch(otherwise));
            return format!("(if {test} {then} else {otherwise})");
        }
        // A branch that reads memory is computed where any lane takes it.
        let guarded = |writer: &mut Self, id: ExprId, wanted: bool| {
            if !writer.reads[id.0 as usize] {
                return writer.text(id);
            }
            let branch = writer.branch(id);
            let zero = type_name(ty);
            format!("(if test.0.contains(&{wanted}) {branch} else {{ <{zero}>::default() }})")
        };
        let (then, otherwise) = (guarded(self, then, true), guarded(self, otherwise, false));
        format!("{{ let test = {test}; h::select::<I, _, {}>(&test, &{then}, &{otherwise}) }}", ty.lanes)
    }

    fn mul_add(&self, ty: ValueType, a: &str, b: &str, c: &str) -> String {
        if !ty.dtype.is_float() {
            let product = self.binary_text(BinaryOp::Mul, ty, a, b);
            return self.binary_text(BinaryOp::Add, ty, &product, c);
        }
        match ty.lanes {
            1 => format!("h::mul_add::<I, _>({a}, {b}, {c})"),
            lanes => format!("h::mul_add_lanes::<I, _, {lanes}>(&{a}, &{b}, &{c})"),
        }
    }

    /// A value converted to another element type; to a storage type: rounded to it.
    pub(super) fn cast(&self, to: DType, from: ValueType, a: &str) -> String {
        let each = |function: &str, a: &str| {
            if from.lanes > 1 { format!("{a}.map({function})") } else { format!("{function}({a})") }
        };
        let converted = if to.compute() == from.dtype {
            a.to_string()
        } else {
            each(&format!("h::cast::<{}, {}>", from.dtype.name(), to.compute().name()), a)
        };
        match to {
            DType::F16 => each("h::rounded::<h::F16>", &converted),
            DType::BF16 => each("h::rounded::<h::Bf16>", &converted),
            _ => converted,
        }
    }

    pub(super) fn binary_text(&self, op: BinaryOp, ty: ValueType, a: &str, b: &str) -> String {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            _ => "",
        };
        if ty.dtype.is_float() && ty.lanes == 1 && !sign.is_empty() {
            return format!("({a} {sign} {b})");
        }
        let truth = ty.dtype == DType::Bool;
        let by_lanes = !sign.is_empty() || matches!(op, BinaryOp::Max | BinaryOp::Min);
        if !truth && ty.lanes > 1 && by_lanes {
            return format!("{a}.{}::<I>(&{b})", op.name());
        }
        let name = match op {
            BinaryOp::Max if truth => "h::or",
            BinaryOp::Min | BinaryOp::Mul if truth => "h::and",
            BinaryOp::Add => "h::add",
            BinaryOp::Sub => "h::sub",
            BinaryOp::Mul => "h::mul",
            BinaryOp::Div => "h::div",
            BinaryOp::Rem => "h::rem",
            BinaryOp::Pow => "h::pow::<I, _>",
            BinaryOp::Max => "h::max",
            BinaryOp::Min => "h::min",
            BinaryOp::Atan2 => "h::atan2",
            BinaryOp::And => "h::and",
            BinaryOp::Or => "h::or",
            BinaryOp::Xor => "h::xor",
            BinaryOp::Shl => "h::shl",
            BinaryOp::Shr => "h::shr",
        };
        if ty.lanes > 1 { format!("{a}.zip(&{b}, {name})") } else { format!("{name}({a}, {b})") }
    }
}

fn unary(op: UnaryOp, ty: ValueType, a: &str) -> String {
    let name = op.name();
    let function = match op {
        UnaryOp::Neg if ty.lanes > 1 => return format!("{a}.neg::<I>()"),
        UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Not => format!("h::{name}"),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round if !ty.dtype.is_float() => return a.to_string(),
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan if ty.lanes > 1 => {
            return format!("h::{name}_lanes::<I, _, {}>(&{a})", ty.lanes);
        }
        _ => format!("h::{name}::<I, _>"),
    };
    if ty.lanes > 1 { format!("{a}.map({function})") } else { format!("{function}({a})") }
}

fn compare(op: CompareOp, vector: bool, a: &str, b: &str) -> String {
    let (name, sign) = match op {
        CompareOp::Eq => ("eq", "=="),
        CompareOp::Ne => ("ne", "!="),
        CompareOp::Lt => ("lt", "<"),
        CompareOp::Le => ("le", "<="),
        CompareOp::Gt => ("gt", ">"),
        CompareOp::Ge => ("ge", ">="),
    };
    if vector { format!("{a}.{name}::<I>(&{b})") } else { format!("({a} {sign} {b})") }
}

fn work_item(item: WorkItem, dimension: u8) -> String {
    let (global, local) = (format!("args.global({dimension})"), format!("args.local({dimension})"));
    let id = format!("id[{dimension}]");
    match item {
        WorkItem::GlobalId => id,
        WorkItem::LocalId => format!("({id} % {local})"),
        WorkItem::GroupId => format!("({id} / {local})"),
        WorkItem::GlobalSize => global,
        WorkItem::LocalSize => local,
        WorkItem::NumGroups => format!("({global} / {local})"),
        // Refused in `has_native_code`.
        WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId => "0".to_string(),
    }
}

/// A literal with its type; numbers that Rust has no literal for by their bits.
fn literal(literal: Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value, dtype) => {
            let value = match dtype {
                DType::I32 => (value as i32).to_string(),
                DType::U32 => (value as u32).to_string(),
                DType::U8 => (value as u8).to_string(),
                _ => value.to_string(),
            };
            let text = format!("{value}_{}", dtype.name());
            if text.starts_with('-') { format!("({text})") } else { text }
        }
        Literal::Float(bits, DType::F64) => {
            let value = f64::from_bits(bits);
            match value.is_finite() {
                true if value.is_sign_negative() => format!("({value:?}_f64)"),
                true => format!("{value:?}_f64"),
                false => format!("f64::from_bits({bits}_u64)"),
            }
        }
        Literal::Float(bits, _) => {
            let value = f64::from_bits(bits) as f32;
            match value.is_finite() {
                true if value.is_sign_negative() => format!("({value:?}_f32)"),
                true => format!("{value:?}_f32"),
                false => format!("f32::from_bits({}_u32)", value.to_bits()),
            }
        }
    }
}
