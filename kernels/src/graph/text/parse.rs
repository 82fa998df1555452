//! Text → graph.

use super::*;
use crate::span::Result;
use crate::text::{Cursor, ParseError, Parsed, Token, unescape};

/// One line.
type Line<'a> = Cursor<'a, ()>;

/// The graph that `text` describes. The graph may break the verifier's rules.
///
/// # Errors
///
/// What is not understood, with line and column.
pub fn parse(text: &str) -> Result<Graph> {
    Ok(graph(text)?)
}

fn graph(text: &str) -> Parsed<Graph> {
    let mut graph = Graph::default();
    let mut headed = false;
    let (mut kernels, mut scans) = (Vec::new(), Vec::new());
    let mut lines = text.lines().enumerate();
    while let Some((number, content)) = lines.next() {
        let (number, trimmed) = (number + 1, content.trim_start());
        if trimmed.is_empty() {
            continue;
        }
        if !headed {
            match trimmed.strip_prefix("graph") {
                Some(rest) if rest.is_empty() || rest.starts_with(' ') => graph.name = name(rest, content, number)?,
                _ => return Line::of_line(content, number, ())?.expected("`graph` and its name"),
            }
            headed = true;
        } else if let Some(rest) = trimmed.strip_prefix("kernel ") {
            let json = rest.split_once('=').filter(|(position, _)| position.trim() == kernels.len().to_string());
            match json.map(|(_, json)| serde_json::from_str::<Custom>(json.trim())) {
                Some(Ok(kernel)) => kernels.push(Arc::new(kernel)),
                Some(Err(error)) => {
                    return Line::of_line(content, number, ())?.error(format!("this is no kernel: {error}"));
                }
                None => {
                    return Line::of_line("", number, ())?.expected(&format!("`kernel {} = ` and it", kernels.len()));
                }
            }
        } else if trimmed.starts_with("scan ") {
            let mut line = Line::of_line(content, number, ())?;
            let mut body = String::new();
            let mut depth = 1;
            for (_, inner) in lines.by_ref() {
                match inner.trim() {
                    "end" => depth -= 1,
                    start if start.starts_with("scan ") => depth += 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                body.push_str(inner);
                body.push('\n');
            }
            if depth > 0 {
                return line.error("the loop's body has no `end`");
            }
            scans.push(Arc::new(scan(&mut line, scans.len(), number, &body)?));
        } else if trimmed.starts_with('%') {
            // The rest of the line is the name as it is.
            let (code, own) = content.split_once('#').unwrap_or((content, ""));
            let mut node = node(&mut Line::of_line(code, number, ())?, graph.nodes.len(), (&kernels, &scans))?;
            node.name = name(own, content, number)?;
            graph.nodes.push(node);
        } else {
            let mut line = Line::of_line(content, number, ())?;
            if !line.take_word("output") {
                return line.expected("a node (`%0 = ..`) or an output (`output result 0 = %0`)");
            }
            graph.outputs.push(output(&mut line)?);
        }
    }
    if headed { Ok(graph) } else { Line::of_line("", text.lines().count() + 1, ())?.expected("`graph` and its name") }
}

/// What is left of a line, without the one space that separates it.
fn name(rest: &str, line: &str, number: usize) -> Parsed<String> {
    unescape(rest.strip_prefix(' ').unwrap_or(rest)).map_err(|message| {
        let column = line.chars().count() - rest.chars().count() + 1;
        ParseError { line: number, column, message }
    })
}

fn output(line: &mut Line<'_>) -> Parsed<(OutputKind, NodeId)> {
    let kind = match line.word("`result`, `gradient`, `argument_gradient` or `state`")? {
        "result" => OutputKind::Result(line.integer("a position")?),
        "gradient" => OutputKind::Gradient(line.text()?),
        "argument_gradient" => OutputKind::ArgumentGradient(line.integer("a position")?),
        "state" => OutputKind::State(line.text()?),
        _ => {
            line.position -= 1;
            return line.expected("`result`, `gradient`, `argument_gradient` or `state`");
        }
    };
    line.expect('=')?;
    let id = id(line)?;
    line.end()?;
    Ok((kind, id))
}

fn id(line: &mut Line<'_>) -> Parsed<NodeId> {
    line.expect('%')?;
    Ok(NodeId(line.integer("a node's number")?))
}

/// A loop, whose body begins in the line behind `number`.
fn scan(line: &mut Line<'_>, expected: usize, number: usize, body: &str) -> Parsed<Scan> {
    line.expect_word("scan")?;
    if line.integer::<usize>("a loop's number")? != expected {
        return line.error(format!("this is loop {expected}"));
    }
    line.expect_word("carried")?;
    let carried = line.integer("how many values it carries")?;
    line.expect_word("step")?;
    let step = crate::dim::Symbol::new(line.word("the name of its rounds")?);
    let reverse = line.take_word("reverse");
    line.end()?;
    let body = graph(body).map_err(|error| ParseError { line: error.line + number, ..error })?;
    Ok(Scan { body, step, carried, reverse })
}

/// What stands above the nodes: kernels and loops.
type Above<'a> = (&'a [Arc<Custom>], &'a [Arc<Scan>]);

/// A node without its name.
fn node(line: &mut Line<'_>, expected: usize, above: Above<'_>) -> Parsed<Node> {
    line.expect('%')?;
    if *line.peek() != Token::Number(&expected.to_string(), "") {
        return line.expected(&format!("the next node's number, {expected}"));
    }
    line.next();
    line.expect('=')?;
    let draft = op(line, above)?;
    line.expect(':')?;
    let dtype = line.dtype()?;
    let shape = Shape(list(line, Line::dim)?);
    let op = match draft {
        ParsedOp::Op(op) => op,
        ParsedOp::Constant(number, own) => Op::Constant(number.literal(own.unwrap_or(dtype), line)?),
    };
    let span = if line.take('@') { Span(line.integer("a span")?) } else { Span::NONE };
    line.end()?;
    let origins = vec![None; shape.rank()];
    Ok(Node { op, shape, dtype, name: String::new(), span, origins })
}

/// `[item, item, ..]`.
fn list<'a, T>(line: &mut Line<'a>, item: impl FnMut(&mut Line<'a>) -> Parsed<T>) -> Parsed<Vec<T>> {
    line.expect('[')?;
    line.list(']', item)
}

/// An operation; a constant's type is known only at the end of the line.
enum ParsedOp {
    Op(Op),
    Constant(LiteralToken, Option<DType>),
}

/// A constant as written.
enum LiteralToken {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl LiteralToken {
    fn literal(self, dtype: DType, line: &Line<'_>) -> Parsed<Literal> {
        match self {
            LiteralToken::Bool(value) if dtype == DType::Bool => Ok(Literal::Bool(value)),
            LiteralToken::Int(value) if dtype.is_integer() => Ok(Literal::Int(value, dtype)),
            LiteralToken::Float(value) if dtype.is_float() => Ok(Literal::Float(value.to_bits(), dtype)),
            _ => line.error(format!("the constant's notation is not that of {dtype}")),
        }
    }
}

fn constant(line: &mut Line<'_>) -> Parsed<LiteralToken> {
    let negative = line.take('-');
    let sign = if negative { -1.0 } else { 1.0 };
    let number = match line.peek() {
        Token::Word("true") if !negative => LiteralToken::Bool(true),
        Token::Word("false") if !negative => LiteralToken::Bool(false),
        Token::Word("inf") => LiteralToken::Float(sign * f64::INFINITY),
        Token::Word("nan") if !negative => {
            line.next();
            line.expect('(')?;
            let value = f64::from_bits(line.integer("the bits of a NaN")?);
            if !value.is_nan() {
                return line.error("these are not the bits of a NaN");
            }
            line.expect(')')?;
            return Ok(LiteralToken::Float(value));
        }
        &Token::Number(digits, "") => match (digits.parse::<u64>(), digits.parse::<f64>()) {
            (Ok(magnitude), _) => {
                let value = i128::from(magnitude) * if negative { -1 } else { 1 };
                LiteralToken::Int(
                    i64::try_from(value).or_else(|_| line.error(format!("{value} does not fit 64 bits")))?,
                )
            }
            (_, Ok(value)) => LiteralToken::Float(sign * value),
            _ => return line.expected("a number"),
        },
        _ => return line.expected("a constant"),
    };
    line.next();
    Ok(number)
}

fn op(line: &mut Line<'_>, (kernels, scans): Above<'_>) -> Parsed<ParsedOp> {
    if line.take_word("scan") {
        let position: usize = line.integer("a loop's number")?;
        let Some(scan) = scans.get(position).cloned() else {
            return line.error(format!("there is no loop {position} above"));
        };
        let operands = list(line, id)?;
        line.expect_word("length")?;
        return Ok(ParsedOp::Op(Op::Scan { scan, length: line.dim()?, operands }));
    }
    if line.take_word("custom") {
        let position: usize = line.integer("a kernel's number")?;
        let Some(kernel) = kernels.get(position).cloned() else {
            return line.error(format!("there is no kernel {position} above"));
        };
        let operands = list(line, id)?;
        line.expect_word("sizes")?;
        return Ok(ParsedOp::Op(Op::Custom { kernel, sizes: list(line, Line::dim)?, operands }));
    }
    if line.take_word("constant") {
        let number = constant(line)?;
        let own = if matches!(line.peek(), Token::Word(_)) { Some(line.dtype()?) } else { None };
        return Ok(ParsedOp::Constant(number, own));
    }
    operation(line).map(ParsedOp::Op)
}

/// Reads what follows the word of an operation.
type Parse = fn(&mut Line<'_>) -> Parsed<Op>;

/// The words of operations that are no family of their own.
const WORDS: &[(&str, Parse)] = &[
    ("input", |line| input(line).map(Op::Input)),
    ("iota", |line| Ok(Op::Iota { axis: line.integer("an axis")? })),
    ("size", |line| Ok(Op::Size(line.dim()?))),
    ("select", |line| {
        let (condition, then) = pair(line)?;
        line.expect(',')?;
        Ok(Op::Select(condition, then, id(line)?))
    }),
    ("cast", |line| Ok(Op::Cast(id(line)?))),
    ("random", |line| {
        let seed = id(line)?;
        line.expect_word("stream")?;
        Ok(Op::Random { seed, stream: line.integer("a stream's number")? })
    }),
    ("view", |line| Ok(Op::View { source: id(line)?, index: list(line, coordinate)? })),
    ("reshape", |line| Ok(Op::Reshape(id(line)?))),
    ("reduce", reduce),
    ("matmul", |line| pair(line).map(|(a, b)| Op::MatMul(a, b))),
    ("gather", |line| pair(line).map(|(source, indices)| Op::Gather { source, indices })),
    ("custom_result", |line| Ok(Op::CustomResult { call: id(line)?, result: line.integer("a result's number")? })),
    ("scatter_add", |line| pair(line).map(|(indices, updates)| Op::ScatterAdd { indices, updates })),
];

fn operation(line: &mut Line<'_>) -> Parsed<Op> {
    let Token::Word(word) = *line.peek() else { return line.expected("an operation") };
    if let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next();
        return Ok(Op::Unary(op, id(line)?));
    }
    if let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next();
        return pair(line).map(|(a, b)| Op::Binary(op, a, b));
    }
    if let Some(op) = CompareOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next();
        return pair(line).map(|(a, b)| Op::Compare(op, a, b));
    }
    if let Some(kind) = ConvKind::ALL.into_iter().find(|kind| kind.operation() == word) {
        line.next();
        let (first, second) = pair(line)?;
        return Ok(ConvNode { kind, operands: [first, second], geometry: geometry(line)? }.op());
    }
    if let Some(kind) = AttentionKind::ALL.into_iter().find(|kind| kind.operation() == word) {
        line.next();
        let mut operands = vec![id(line)?];
        while line.take(',') {
            operands.push(id(line)?);
        }
        return Ok(Op::Attention(Attention { kind, causal: line.take_word("causal"), operands }));
    }
    let Some((_, parse)) = WORDS.iter().find(|(own, _)| *own == word) else { return line.expected("an operation") };
    line.next();
    parse(line)
}

fn pair(line: &mut Line<'_>) -> Parsed<(NodeId, NodeId)> {
    let a = id(line)?;
    line.expect(',')?;
    Ok((a, id(line)?))
}

fn input(line: &mut Line<'_>) -> Parsed<InputKind> {
    Ok(match line.word("`argument`, `parameter`, `state` or `scalar`")? {
        "carried" => InputKind::Carried(line.integer("a number")?),
        "argument" => InputKind::Argument(usize::from(line.integer::<u16>("a position")?)),
        "parameter" => InputKind::Parameter,
        "state" => InputKind::State,
        "scalar" => InputKind::Scalar(line.integer("a position")?),
        other => return line.error(format!("`{other}` is no kind of input")),
    })
}

fn reduce(line: &mut Line<'_>) -> Parsed<Op> {
    let op = line.choice("a reduction", |word| ReduceOp::ALL.into_iter().find(|op| op.name() == word))?;
    let source = id(line)?;
    line.expect_word("over")?;
    Ok(Op::Reduce { op, source, axes: list(line, |line| line.integer("an axis"))? })
}

fn geometry(line: &mut Line<'_>) -> Parsed<ConvGeometry> {
    let mut both = |word: &str| -> Parsed<[u64; 2]> {
        line.expect_word(word)?;
        let values = list(line, |line| line.integer("a number"))?;
        <[u64; 2]>::try_from(values).or_else(|_| line.error(format!("`{word}` takes two numbers")))
    };
    let (stride, padding, dilation) = (both("stride")?, both("padding")?, both("dilation")?);
    line.expect_word("groups")?;
    Ok(ConvGeometry { stride, padding, dilation, groups: line.integer("a number")? })
}

/// `$0*2 + $1 - 1 over 2`: coordinates first, then the offset, then the divisor.
fn coordinate(line: &mut Line<'_>) -> Parsed<AxisIndex> {
    let mut terms = Vec::new();
    while line.take('$') {
        let axis = line.integer("an axis")?;
        let coefficient = if line.take('*') { line.signed("a coefficient")? } else { 1 };
        terms.push((axis, coefficient));
        match line.peek() {
            Token::Sign('+') => line.next(),
            Token::Sign('-') => break,
            _ => return Ok(AxisIndex { terms, offset: Dim::constant(0), divisor: divisor(line)? }),
        };
    }
    let offset = line.dim()?;
    Ok(AxisIndex { terms, offset, divisor: divisor(line)? })
}

fn divisor(line: &mut Line<'_>) -> Parsed<u64> {
    if line.take_word("over") { line.integer("a divisor") } else { Ok(1) }
}
