//! Kernel → text.

use crate::dtype::Literal;
use crate::identifier::is_identifier;
use crate::kir::*;
use std::fmt::Write;

/// The kernel as text; see [`super`].
pub fn print(kernel: &Kernel) -> String {
    let mut text = String::new();
    for line in &kernel.doc {
        remark(&mut text, "", "///", "doc", line);
    }
    line(&mut text, "", &format!("kernel {}", name(&kernel.name)));
    let global: Vec<String> = kernel.launch.global.iter().map(ToString::to_string).collect();
    let local: Vec<String> = kernel.launch.local.iter().map(ToString::to_string).collect();
    let local = if local.is_empty() { String::new() } else { format!(" local [{}]", local.join(", ")) };
    line(&mut text, "", &format!("launch [{}]{local}", global.join(", ")));
    if kernel.may_race {
        line(&mut text, "", "may_race");
    }
    if let Some(own) = &kernel.opencl {
        line(&mut text, "", &format!("opencl {own:?}"));
    }
    for param in &kernel.params {
        let kind = match param.kind {
            ParamKind::Buffer(dtype, Access::Read) => format!("read {dtype}"),
            ParamKind::Buffer(dtype, Access::Write) => format!("write {dtype}"),
            ParamKind::Buffer(dtype, Access::ReadWrite) => format!("read_write {dtype}"),
            ParamKind::Scalar(dtype) => format!("scalar {dtype}"),
            ParamKind::Symbol => "symbol".to_string(),
            ParamKind::Size => "size".to_string(),
            ParamKind::WideSize => "wide_size".to_string(),
            ParamKind::Position(1) => "position".to_string(),
            ParamKind::Position(step) => format!("position {step}"),
            ParamKind::Value(ty) => format!("value {ty}"),
        };
        line(&mut text, "", &format!("param {}: {kind}", name(&param.name)));
    }
    for array in &kernel.arrays {
        let space = match array.space {
            Space::Local => "local",
            Space::Private => "private",
        };
        line(&mut text, "", &format!("array {}: {space} {}[{}]", name(&array.name), array.dtype, array.length));
    }
    for position in 0..kernel.functions.len() {
        print_function(kernel, position, &mut text);
    }
    for var in &kernel.vars {
        line(&mut text, "", &format!("var {}: {}", name(&var.name), var.ty));
    }
    let mut printer = Printer {
        kernel,
        functions: &kernel.functions,
        exprs: &kernel.exprs,
        vars: &kernel.vars,
        next: 0,
        text,
        indent: String::new(),
    };
    printer.statements(&kernel.body);
    printer.exprs_up_to(kernel.exprs.len());
    if let Some(result) = kernel.result {
        printer.line(&format!("return %{}", result.0));
    }
    printer.text
}

fn print_function(kernel: &Kernel, position: usize, text: &mut String) {
    let function = &kernel.functions[position];
    // Parameters that are not the first variables, in order, break a rule: they are then given by number.
    let regular = function.params.iter().enumerate().all(|(i, var)| var.0 as usize == i && i < function.vars.len());
    let declare = |var: &Var| format!("{}: {}", name(&var.name), var.ty);
    let (params, vars) = if regular {
        let (params, vars) = function.vars.split_at(function.params.len());
        (params.iter().map(declare).collect::<Vec<_>>(), vars)
    } else {
        (function.params.iter().map(|var| format!("${}", var.0)).collect(), function.vars.as_slice())
    };
    line(text, "", &format!("fn {}({}) {{", name(&function.name), params.join(", ")));
    for var in vars {
        line(text, "    ", &format!("var {}", declare(var)));
    }
    let mut printer = Printer {
        kernel,
        functions: &kernel.functions[..position],
        exprs: &function.exprs,
        vars: &function.vars,
        next: 0,
        text: std::mem::take(text),
        indent: "    ".to_string(),
    };
    printer.statements(&function.body);
    printer.exprs_up_to(function.exprs.len());
    *text = printer.text;
    line(text, "    ", &format!("return %{}", function.result.0));
    line(text, "", "}");
}

fn line(text: &mut String, indent: &str, what: &str) {
    text.push_str(indent);
    text.push_str(what);
    text.push('\n');
}

/// A comment as people write it where that loses nothing, else quoted behind a word.
fn remark(text: &mut String, indent: &str, slashes: &str, word: &str, what: &str) {
    let plain = what.trim() == what && !what.contains(|c: char| c.is_control()) && !what.starts_with('/');
    let remark = if plain { format!("{slashes} {what}").trim_end().to_string() } else { format!("{word} {what:?}") };
    line(text, indent, &remark);
}

/// A name, quoted unless it is an identifier.
fn name(name: &str) -> String {
    if is_identifier(name) { name.to_string() } else { format!("{name:?}") }
}

/// A reference to one of several named things: by name where that is distinct.
fn reference<'n>(sigil: &str, mut names: impl Iterator<Item = &'n str> + Clone, position: u32) -> String {
    if let Some(wanted) = names.clone().nth(position as usize)
        && is_identifier(wanted)
        && names.position(|name| name == wanted) == Some(position as usize)
    {
        return format!("{sigil}{wanted}");
    }
    format!("{sigil}{position}")
}

fn literal(literal: Literal) -> String {
    match literal {
        Literal::Float(bits, dtype) => {
            let value = f64::from_bits(bits);
            if value.is_infinite() {
                format!("{}inf.{dtype}", if value < 0.0 { "-" } else { "" })
            } else if bits == f64::NAN.to_bits() {
                format!("nan.{dtype}")
            } else if value.is_nan() {
                format!("bits.{dtype}({bits:#x})")
            } else {
                literal.to_string()
            }
        }
        Literal::Bool(_) | Literal::Int(..) => literal.to_string(),
    }
}

struct Printer<'a> {
    kernel: &'a Kernel,
    /// Those that stand above and can be named.
    functions: &'a [Function],
    exprs: &'a [Expr],
    vars: &'a [Var],
    /// The first expression that is not printed yet.
    next: usize,
    text: String,
    indent: String,
}

impl Printer<'_> {
    fn line(&mut self, what: &str) {
        line(&mut self.text, &self.indent, what);
    }

    fn exprs_up_to(&mut self, end: usize) {
        while self.next < end.min(self.exprs.len()) {
            let text = format!("%{} = {}", self.next, self.expr(&self.exprs[self.next]));
            self.line(&text);
            self.next += 1;
        }
    }

    fn var(&self, var: VarId) -> String {
        reference("$", self.vars.iter().map(|var| var.name.as_str()), var.0)
    }

    fn param(&self, param: ParamId) -> String {
        reference("@", self.kernel.params.iter().map(|param| param.name.as_str()), param.0)
    }

    fn array(&self, array: ArrayId) -> String {
        reference("#", self.kernel.arrays.iter().map(|array| array.name.as_str()), array.0)
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Literal(value) => literal(*value),
            Expr::Var(var) => self.var(*var),
            Expr::Param(param) => self.param(*param),
            Expr::WorkItem(item, dimension) => format!("{}.{dimension}", item.name()),
            Expr::Unary(op, a) => format!("{}(%{})", op.name(), a.0),
            Expr::Binary(op, a, b) => format!("{}(%{}, %{})", op.name(), a.0, b.0),
            Expr::MulAdd(a, b, c) => format!("mul_add(%{}, %{}, %{})", a.0, b.0, c.0),
            Expr::Compare(op, a, b) => format!("{}(%{}, %{})", op.name(), a.0, b.0),
            Expr::Select(c, a, b) => format!("select(%{}, %{}, %{})", c.0, a.0, b.0),
            Expr::Cast(dtype, a) => format!("cast.{dtype}(%{})", a.0),
            Expr::Bitcast(dtype, a) => format!("bitcast.{dtype}(%{})", a.0),
            Expr::Load { buffer, index, lanes: 1 } => format!("load {}[%{}]", self.param(*buffer), index.0),
            Expr::Load { buffer, index, lanes } => format!("load.{lanes} {}[%{}]", self.param(*buffer), index.0),
            Expr::LoadArray { array, index } => format!("load {}[%{}]", self.array(*array), index.0),
            Expr::Splat(a, lanes) => format!("splat.{lanes}(%{})", a.0),
            Expr::LaneIds(dtype, lanes) => format!("lane_ids.{dtype}.{lanes}"),
            Expr::Lane(a, lane) => format!("lane.{lane}(%{})", a.0),
            Expr::Horizontal(op, a) => format!("horizontal.{}(%{})", op.name(), a.0),
            Expr::Philox { counter, seed, stream } => format!("philox.{stream}(%{}, %{})", counter.0, seed.0),
            Expr::SubGroup(op, a, None) => format!("sub_group.{}(%{})", op.name(), a.0),
            Expr::SubGroup(op, a, Some(b)) => {
                format!("sub_group.{}(%{}, %{})", op.name(), a.0, b.0)
            }
            Expr::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|a| format!("%{}", a.0)).collect();
                let names = self.functions.iter().map(|function| function.name.as_str());
                format!("call {}({})", reference("", names, *function), arguments.join(", "))
            }
        }
    }

    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    /// What stands in braces after `head`.
    fn block(&mut self, head: &str, body: &[Stmt]) {
        self.line(&format!("{head} {{"));
        let outer = self.indent.clone();
        self.indent.push_str("    ");
        self.statements(body);
        self.indent = outer;
    }

    /// Prints what the operands need, if that is not there yet.
    fn need<const N: usize>(&mut self, ids: [ExprId; N]) {
        let end = ids.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
        self.exprs_up_to(end);
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => remark(&mut self.text, &self.indent, "//", "comment", text),
            Stmt::Let(var, value) => {
                self.need([*value]);
                self.line(&format!("let {} = %{}", self.var(*var), value.0));
            }
            Stmt::Assign(var, value) => {
                self.need([*value]);
                self.line(&format!("set {} = %{}", self.var(*var), value.0));
            }
            Stmt::Store { buffer, index, value } => {
                self.need([*index, *value]);
                self.line(&format!("store {}[%{}] = %{}", self.param(*buffer), index.0, value.0));
            }
            Stmt::StoreArray { array, index, value } => {
                self.need([*index, *value]);
                self.line(&format!("store {}[%{}] = %{}", self.array(*array), index.0, value.0));
            }
            Stmt::For { var, start, end, step, body } => {
                self.need([*start, *end, *step]);
                let head = format!("for {} in %{} .. %{} step %{}", self.var(*var), start.0, end.0, step.0);
                self.block(&head, body);
                self.line("}");
            }
            Stmt::While { condition, body } => {
                self.need([*condition]);
                self.block(&format!("while %{}", condition.0), body);
                self.line("}");
            }
            Stmt::If { condition, then, otherwise } => {
                self.need([*condition]);
                self.block(&format!("if %{}", condition.0), then);
                if !otherwise.is_empty() {
                    self.block("} else", otherwise);
                }
                self.line("}");
            }
            Stmt::Break => self.line("break"),
            Stmt::Continue => self.line("continue"),
            Stmt::Barrier { global } => self.line(if *global { "barrier global" } else { "barrier" }),
            Stmt::Atomic { op, target, index, value, old } => {
                self.need([*index, *value]);
                let mut text = old.map(|old| format!("let {} = ", self.var(old))).unwrap_or_default();
                let target = match target {
                    AtomicTarget::Buffer(buffer) => self.param(*buffer),
                    AtomicTarget::Local(array) => self.array(*array),
                };
                let _ = write!(text, "atomic.{} {target}[%{}], %{}", op.name(), index.0, value.0);
                self.line(&text);
            }
        }
    }
}
