//! Text → kernel.

use super::lex::{Kind, Token, tokens};
use super::{ParseError, value_type};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::kir::*;

pub(super) type Parsed<T> = Result<T, ParseError>;

/// Blocks and nested expressions deeper than this are refused, as the parser descends for each.
const DEEPEST: usize = 128;

/// The kernel of a text; see [`super`].
///
/// # Errors
///
/// What is not understood, with its line and column.
pub fn parse(text: &str) -> Parsed<Kernel> {
    let mut parser = Parser::new(text)?;
    let kernel = parser.kernel()?;
    match parser.peek() {
        Kind::End => Ok(kernel),
        other => parser.error(format!("found {} after the kernel", other.describe())),
    }
}

/// Every kernel of a text, in order.
///
/// # Errors
///
/// Those of [`parse`].
pub fn parse_all(text: &str) -> Parsed<Vec<Kernel>> {
    let mut parser = Parser::new(text)?;
    let mut kernels = Vec::new();
    while *parser.peek() != Kind::End {
        kernels.push(parser.kernel()?);
    }
    Ok(kernels)
}

/// The expressions and variables that are being read: the kernel's, or those of one of its functions.
#[derive(Default)]
pub(super) struct Code {
    pub(super) exprs: Vec<Expr>,
    pub(super) vars: Vec<Var>,
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    pub(super) position: usize,
    depth: usize,
    pub(super) params: Vec<Param>,
    pub(super) arrays: Vec<Array>,
    pub(super) functions: Vec<Function>,
}

impl Parser {
    pub(super) fn new(text: &str) -> Parsed<Self> {
        let tokens = tokens(text)?;
        Ok(Parser { tokens, position: 0, depth: 0, params: Vec::new(), arrays: Vec::new(), functions: Vec::new() })
    }

    // ---- tokens ----

    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.position].kind
    }

    pub(super) fn next(&mut self) -> Kind {
        let kind = self.peek().clone();
        if kind != Kind::End {
            self.position += 1;
        }
        kind
    }

    pub(super) fn error<T>(&self, message: String) -> Parsed<T> {
        let Token { line, column, .. } = self.tokens[self.position];
        Err(ParseError { line, column, message })
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.peek().describe()))
    }

    pub(super) fn is_mark(&mut self, mark: char) -> bool {
        let found = *self.peek() == Kind::Mark(mark);
        self.position += usize::from(found);
        found
    }

    pub(super) fn mark(&mut self, mark: char) -> Parsed<()> {
        if self.is_mark(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    pub(super) fn is_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Word(found) if found == word);
        self.position += usize::from(found);
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.is_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn word(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Kind::Word(word) => {
                self.position += 1;
                Ok(word)
            }
            _ => self.expected("a word"),
        }
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Kind::Word(name) | Kind::Text(name) => {
                self.position += 1;
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    /// A number without suffix.
    pub(super) fn integer<T: TryFrom<i64>>(&mut self, what: &str) -> Parsed<T> {
        if let Kind::Number(digits, suffix) = self.peek()
            && suffix.is_empty()
            && let Some(value) = digits.parse().ok().and_then(|value: i64| T::try_from(value).ok())
        {
            self.position += 1;
            return Ok(value);
        }
        self.expected(what)
    }

    /// A word that stands for something.
    pub(super) fn choice<T>(&mut self, what: &str, of: impl FnOnce(&str) -> Option<T>) -> Parsed<T> {
        if let Kind::Word(word) = self.peek()
            && let Some(value) = of(word)
        {
            self.position += 1;
            return Ok(value);
        }
        self.expected(what)
    }

    pub(super) fn dtype(&mut self) -> Parsed<DType> {
        self.choice("an element type", DType::from_name)
    }

    /// What stands between brackets, with commas between.
    pub(super) fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.is_mark(close) {
            if !items.is_empty() {
                self.mark(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Descends by one level.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return self.error(format!("blocks and expressions nest more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    // ---- declarations ----

    pub(super) fn kernel(&mut self) -> Parsed<Kernel> {
        let mut doc = Vec::new();
        loop {
            match self.peek().clone() {
                Kind::Doc(line) => {
                    self.position += 1;
                    doc.push(line);
                }
                Kind::Word(word) if word == "doc" => {
                    self.position += 1;
                    doc.push(self.name()?);
                }
                _ => break,
            }
        }
        self.keyword("kernel")?;
        let name = self.name()?;
        self.keyword("launch")?;
        self.mark('[')?;
        let global = self.list(']', Self::dim)?;
        let local = if self.is_word("local") {
            self.mark('[')?;
            self.list(']', |parser| parser.integer("a size"))?
        } else {
            Vec::new()
        };
        let may_race = self.is_word("may_race");
        (self.params, self.arrays, self.functions) = (Vec::new(), Vec::new(), Vec::new());
        let mut code = Code::default();
        self.declarations(&mut code)?;
        let body = self.statements(&mut code)?;
        let result = if self.is_word("return") { Some(self.expr(&mut code)?) } else { None };
        Ok(Kernel {
            name,
            doc,
            params: std::mem::take(&mut self.params),
            arrays: std::mem::take(&mut self.arrays),
            functions: std::mem::take(&mut self.functions),
            vars: code.vars,
            exprs: code.exprs,
            spans: Vec::new(),
            body,
            result,
            launch: Launch { global, local },
            may_race,
        })
    }

    pub(super) fn declarations(&mut self, code: &mut Code) -> Parsed<()> {
        loop {
            if self.is_word("param") {
                let name = self.name()?;
                self.mark(':')?;
                let kind = match self.word()?.as_str() {
                    "read" => ParamKind::Buffer(self.dtype()?, Access::Read),
                    "write" => ParamKind::Buffer(self.dtype()?, Access::Write),
                    "read_write" => ParamKind::Buffer(self.dtype()?, Access::ReadWrite),
                    "scalar" => ParamKind::Scalar(self.dtype()?),
                    "symbol" => ParamKind::Symbol,
                    "size" => ParamKind::Size,
                    "position" => ParamKind::Position,
                    "value" => ParamKind::Value(self.choice("a type such as `f32` or `f32x8`", value_type)?),
                    _ => {
                        self.position -= 1;
                        return self.expected("`read`, `write`, `read_write`, `scalar`, `symbol` or `value`");
                    }
                };
                self.params.push(Param { name, kind });
            } else if self.is_word("array") {
                let name = self.name()?;
                self.mark(':')?;
                let space = self.choice("`local` or `private`", |word| match word {
                    "local" => Some(Space::Local),
                    "private" => Some(Space::Private),
                    _ => None,
                })?;
                let dtype = self.dtype()?;
                self.mark('[')?;
                let length = self.integer("a length")?;
                self.mark(']')?;
                self.arrays.push(Array { name, space, dtype, length });
            } else if self.is_word("var") {
                let var = self.var_declaration()?;
                code.vars.push(var);
            } else if self.is_word("fn") {
                let function = self.deeper(Self::function)?;
                self.functions.push(function);
            } else {
                return Ok(());
            }
        }
    }

    fn var_declaration(&mut self) -> Parsed<Var> {
        let name = self.name()?;
        self.mark(':')?;
        let ty = self.choice("a type such as `f32` or `f32x8`", value_type)?;
        Ok(Var { name, ty })
    }

    pub(super) fn function(&mut self) -> Parsed<Function> {
        let name = self.name()?;
        self.mark('(')?;
        let mut code = Code::default();
        let params = self.list(')', |parser| {
            if parser.is_mark('$') {
                return Ok(VarId(parser.integer("the number of a variable")?));
            }
            code.vars.push(parser.var_declaration()?);
            Ok(VarId(code.vars.len() as u32 - 1))
        })?;
        self.mark('{')?;
        while self.is_word("var") {
            let var = self.var_declaration()?;
            code.vars.push(var);
        }
        let body = self.statements(&mut code)?;
        self.keyword("return")?;
        let result = self.expr(&mut code)?;
        self.mark('}')?;
        Ok(Function { name, params, vars: code.vars, exprs: code.exprs, body, result })
    }

    /// A sum of products of numbers, symbols and floor divisions: `N*64 + 3`, `(H - 2) / 2 + 1`, `(N / 2)*3`.
    pub(super) fn dim(&mut self) -> Parsed<Dim> {
        self.deeper(|parser| {
            let mut sum = Dim::default();
            let mut negative = parser.is_mark('-');
            loop {
                let term = parser.dim_product()?;
                sum = if negative { sum - term } else { sum + term };
                negative = match parser.peek() {
                    Kind::Mark('+') => false,
                    Kind::Mark('-') => true,
                    _ => return Ok(sum),
                };
                parser.position += 1;
            }
        })
    }

    fn dim_product(&mut self) -> Parsed<Dim> {
        let mut product = self.dim_quotient()?;
        while self.is_mark('*') {
            product = product * self.dim_quotient()?;
        }
        Ok(product)
    }

    fn dim_quotient(&mut self) -> Parsed<Dim> {
        let mut value = self.dim_factor()?;
        while self.is_mark('/') {
            let divisor: u64 = self.integer("a divisor")?;
            if divisor == 0 {
                return self.error("a dimension is divided by zero".to_string());
            }
            value = value.floor_div(divisor);
        }
        Ok(value)
    }

    fn dim_factor(&mut self) -> Parsed<Dim> {
        if self.is_mark('(') {
            let inner = self.dim()?;
            self.mark(')')?;
            return Ok(inner);
        }
        if let Kind::Word(name) = self.peek().clone() {
            self.position += 1;
            return Ok(Dim::symbol(&name));
        }
        self.integer("a dimension").map(Dim::constant)
    }

    // ---- statements ----

    pub(super) fn statements(&mut self, code: &mut Code) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        loop {
            if self.is_mark('%') {
                let number: usize = self.integer("the number of an expression")?;
                if number != code.exprs.len() {
                    self.position -= 1;
                    return self.error(format!("the next expression is %{}, not %{number}", code.exprs.len()));
                }
                self.mark('=')?;
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

    pub(super) fn block(&mut self, code: &mut Code) -> Parsed<Vec<Stmt>> {
        self.mark('{')?;
        let body = self.deeper(|parser| parser.statements(code))?;
        self.mark('}')?;
        Ok(body)
    }

    /// The next statement; `None` where none starts here.
    pub(super) fn statement(&mut self, code: &mut Code) -> Parsed<Option<Stmt>> {
        if let Kind::Comment(text) = self.peek().clone() {
            self.position += 1;
            return Ok(Some(Stmt::Comment(text)));
        }
        let Kind::Word(word) = self.peek().clone() else { return Ok(None) };
        self.position += 1;
        Ok(Some(match word.as_str() {
            "comment" => Stmt::Comment(self.name()?),
            "let" => {
                let var = self.var(code)?;
                self.mark('=')?;
                if self.is_word("atomic") {
                    return self.atomic(code, Some(var)).map(Some);
                }
                Stmt::Let(var, self.expr(code)?)
            }
            "set" => {
                let var = self.var(code)?;
                self.mark('=')?;
                Stmt::Assign(var, self.expr(code)?)
            }
            "store" => {
                let place = self.place()?;
                let index = self.subscript(code)?;
                self.mark('=')?;
                let value = self.expr(code)?;
                match place {
                    Place::Param(buffer) => Stmt::Store { buffer, index, value },
                    Place::Array(array) => Stmt::StoreArray { array, index, value },
                }
            }
            "for" => {
                let var = self.var(code)?;
                self.keyword("in")?;
                let start = self.expr(code)?;
                if self.next() != Kind::Range {
                    self.position -= 1;
                    return self.expected("`..`");
                }
                let end = self.expr(code)?;
                self.keyword("step")?;
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
                let otherwise = if self.is_word("else") { self.block(code)? } else { Vec::new() };
                Stmt::If { condition, then, otherwise }
            }
            "break" => Stmt::Break,
            "continue" => Stmt::Continue,
            "barrier" => Stmt::Barrier { global: self.is_word("global") },
            "atomic" => self.atomic(code, None)?,
            _ => {
                self.position -= 1;
                return Ok(None);
            }
        }))
    }

    pub(super) fn atomic(&mut self, code: &mut Code, old: Option<VarId>) -> Parsed<Stmt> {
        self.mark('.')?;
        let op = self.choice("an atomic operation", |word| AtomicOp::ALL.into_iter().find(|op| op.name() == word))?;
        let target = match self.place()? {
            Place::Param(buffer) => AtomicTarget::Buffer(buffer),
            Place::Array(array) => AtomicTarget::Local(array),
        };
        let index = self.subscript(code)?;
        self.mark(',')?;
        Ok(Stmt::Atomic { op, target, index, value: self.expr(code)?, old })
    }
}

/// What is indexed.
pub(super) enum Place {
    Param(ParamId),
    Array(ArrayId),
}
