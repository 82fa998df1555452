//! Text → kernel.

use super::value_type;
use crate::kir::*;
use crate::text::{Cursor, Parsed, Token};

/// The kernel of a text; see [`super`].
///
/// # Errors
///
/// What is not understood, with its line and column.
pub fn parse(text: &str) -> Parsed<Kernel> {
    let mut parser = Parser::of_text(text, Declarations::default())?;
    let kernel = parser.kernel()?;
    match parser.peek() {
        Token::End(_) => Ok(kernel),
        other => parser.error(format!("found {other} after the kernel")),
    }
}

/// Every kernel of a text, in order.
///
/// # Errors
///
/// Those of [`parse`].
pub fn parse_all(text: &str) -> Parsed<Vec<Kernel>> {
    let mut parser = Parser::of_text(text, Declarations::default())?;
    let mut kernels = Vec::new();
    while !matches!(parser.peek(), Token::End(_)) {
        kernels.push(parser.kernel()?);
    }
    Ok(kernels)
}

/// The expressions and variables that are being read: the kernel's, or those of one of its functions.
#[derive(Default)]
pub(super) struct Arenas {
    pub(super) exprs: Vec<Expr>,
    pub(super) vars: Vec<Var>,
}

/// What a kernel declares, as far as it is read.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) params: Vec<Param>,
    pub(super) arrays: Vec<Array>,
    pub(super) functions: Vec<Function>,
}

pub(super) type Parser<'a> = Cursor<'a, Declarations>;

impl Parser<'_> {
    // ---- declarations ----

    pub(super) fn kernel(&mut self) -> Parsed<Kernel> {
        let mut doc = Vec::new();
        loop {
            match self.peek().clone() {
                Token::Doc(line) => {
                    self.position += 1;
                    doc.push(line.to_owned());
                }
                Token::Word("doc") => {
                    self.position += 1;
                    doc.push(self.name()?);
                }
                _ => break,
            }
        }
        self.expect_word("kernel")?;
        let name = self.name()?;
        self.expect_word("launch")?;
        self.expect('[')?;
        let global = self.list(']', Self::dim)?;
        let local = if self.take_word("local") {
            self.expect('[')?;
            self.list(']', |parser| parser.integer("a size"))?
        } else {
            Vec::new()
        };
        let may_race = self.take_word("may_race");
        let opencl = if self.take_word("opencl") { Some(self.text()?) } else { None };
        self.context = Declarations::default();
        let mut code = Arenas::default();
        self.declarations(&mut code)?;
        let body = self.statements(&mut code)?;
        let result = if self.take_word("return") { Some(self.expr(&mut code)?) } else { None };
        let Declarations { params, arrays, functions } = std::mem::take(&mut self.context);
        Ok(Kernel {
            name,
            doc,
            params,
            arrays,
            functions,
            vars: code.vars,
            exprs: code.exprs,
            spans: Vec::new(),
            body,
            result,
            launch: Launch { global, local },
            may_race,
            opencl,
        })
    }

    pub(super) fn declarations(&mut self, code: &mut Arenas) -> Parsed<()> {
        loop {
            if self.take_word("param") {
                let name = self.name()?;
                self.expect(':')?;
                let kind = match self.word("a kind of parameter")? {
                    "read" => ParamKind::Buffer(self.dtype()?, Access::Read),
                    "write" => ParamKind::Buffer(self.dtype()?, Access::Write),
                    "read_write" => ParamKind::Buffer(self.dtype()?, Access::ReadWrite),
                    "scalar" => ParamKind::Scalar(self.dtype()?),
                    "symbol" => ParamKind::Symbol,
                    "size" => ParamKind::Size,
                    "wide_size" => ParamKind::WideSize,
                    "position" => match self.peek() {
                        Token::Number(..) => ParamKind::Position(self.integer("of how much it is a multiple")?),
                        _ => ParamKind::Position(1),
                    },
                    "value" => ParamKind::Value(self.choice("a type such as `f32` or `f32x8`", value_type)?),
                    _ => {
                        self.position -= 1;
                        return self.expected("`read`, `write`, `read_write`, `scalar`, `symbol` or `value`");
                    }
                };
                self.context.params.push(Param { name, kind });
            } else if self.take_word("array") {
                let name = self.name()?;
                self.expect(':')?;
                let space = self.choice("`local` or `private`", |word| match word {
                    "local" => Some(Space::Local),
                    "private" => Some(Space::Private),
                    _ => None,
                })?;
                let dtype = self.dtype()?;
                self.expect('[')?;
                let length = self.integer("a length")?;
                self.expect(']')?;
                self.context.arrays.push(Array { name, space, dtype, length });
            } else if self.take_word("var") {
                let var = self.var_declaration()?;
                code.vars.push(var);
            } else if self.take_word("fn") {
                let function = self.deeper(Self::function)?;
                self.context.functions.push(function);
            } else {
                return Ok(());
            }
        }
    }

    fn var_declaration(&mut self) -> Parsed<Var> {
        let name = self.name()?;
        self.expect(':')?;
        let ty = self.choice("a type such as `f32` or `f32x8`", value_type)?;
        Ok(Var { name, ty })
    }

    pub(super) fn function(&mut self) -> Parsed<Function> {
        let name = self.name()?;
        self.expect('(')?;
        let mut code = Arenas::default();
        let params = self.list(')', |parser| {
            if parser.take('$') {
                return Ok(VarId(parser.integer("the number of a variable")?));
            }
            code.vars.push(parser.var_declaration()?);
            Ok(VarId(code.vars.len() as u32 - 1))
        })?;
        self.expect('{')?;
        while self.take_word("var") {
            let var = self.var_declaration()?;
            code.vars.push(var);
        }
        let body = self.statements(&mut code)?;
        self.expect_word("return")?;
        let result = self.expr(&mut code)?;
        self.expect('}')?;
        Ok(Function { name, params, vars: code.vars, exprs: code.exprs, body, result })
    }

    // ---- statements ----

    pub(super) fn statements(&mut self, code: &mut Arenas) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        loop {
            if self.take('%') {
                let number: usize = self.integer("the number of an expression")?;
                if number != code.exprs.len() {
                    self.position -= 1;
                    return self.error(format!("the next expression is %{}, not %{number}", code.exprs.len()));
                }
                self.expect('=')?;
                let expr = self.operation(code)?;
                if number != code.exprs.len() {
                    return self.error(format!("%{number} is taken by an expression nested in its own definition"));
                }
                code.exprs.push(expr);
                continue;
            }
            match self.statement(code)? {
                Some(stmt) => body.push(stmt),
                None => return Ok(body),
            }
        }
    }

    pub(super) fn block(&mut self, code: &mut Arenas) -> Parsed<Vec<Stmt>> {
        self.expect('{')?;
        let body = self.deeper(|parser| parser.statements(code))?;
        self.expect('}')?;
        Ok(body)
    }

    /// The next statement; `None` where none starts here.
    pub(super) fn statement(&mut self, code: &mut Arenas) -> Parsed<Option<Stmt>> {
        if let Token::Comment(text) = self.peek().clone() {
            self.position += 1;
            return Ok(Some(Stmt::Comment(text.to_owned())));
        }
        let Token::Word(word) = self.peek().clone() else { return Ok(None) };
        self.position += 1;
        Ok(Some(match word {
            "comment" => Stmt::Comment(self.name()?),
            "let" => {
                let var = self.var(code)?;
                self.expect('=')?;
                if self.take_word("atomic") {
                    return self.atomic(code, Some(var)).map(Some);
                }
                Stmt::Let(var, self.expr(code)?)
            }
            "set" => {
                let var = self.var(code)?;
                self.expect('=')?;
                Stmt::Assign(var, self.expr(code)?)
            }
            "store" => {
                let place = self.place()?;
                let index = self.subscript(code)?;
                self.expect('=')?;
                let value = self.expr(code)?;
                match place {
                    IndexBase::Param(buffer) => Stmt::Store { buffer, index, value },
                    IndexBase::Array(array) => Stmt::StoreArray { array, index, value },
                }
            }
            "for" => {
                let var = self.var(code)?;
                self.expect_word("in")?;
                let start = self.expr(code)?;
                if self.next() != Token::Range {
                    self.position -= 1;
                    return self.expected("`..`");
                }
                let end = self.expr(code)?;
                self.expect_word("step")?;
                let step = self.expr(code)?;
                Stmt::For { var, start, end, step, body: self.block(code)? }
            }
            "while" => {
                let condition = self.expr(code)?;
                Stmt::While { condition, body: self.block(code)? }
            }
            "if" => {
                let condition = self.expr(code)?;
                let then = self.block(code)?;
                let otherwise = if self.take_word("else") { self.block(code)? } else { Vec::new() };
                Stmt::If { condition, then, otherwise }
            }
            "break" => Stmt::Break,
            "continue" => Stmt::Continue,
            "barrier" => Stmt::Barrier { global: self.take_word("global") },
            "atomic" => self.atomic(code, None)?,
            _ => {
                self.position -= 1;
                return Ok(None);
            }
        }))
    }

    pub(super) fn atomic(&mut self, code: &mut Arenas, old: Option<VarId>) -> Parsed<Stmt> {
        self.expect('.')?;
        let op = self.choice("an atomic operation", |word| AtomicOp::ALL.into_iter().find(|op| op.name() == word))?;
        let target = match self.place()? {
            IndexBase::Param(buffer) => AtomicTarget::Buffer(buffer),
            IndexBase::Array(array) => AtomicTarget::Local(array),
        };
        let index = self.subscript(code)?;
        self.expect(',')?;
        Ok(Stmt::Atomic { op, target, index, value: self.expr(code)?, old })
    }
}

/// What is indexed.
pub(super) enum IndexBase {
    Param(ParamId),
    Array(ArrayId),
}
