//! Text → graph.

use super::lex::{Line, Token};
use super::*;
use crate::span::Result;

/// The largest number in a size or coefficient, and the most parentheses inside each other.
const LARGEST: u64 = 1 << 31;
const DEEPEST: usize = 32;

/// The graph that `text` describes. The graph may break the verifier's rules.
///
/// # Errors
///
/// What is not understood, with line and column.
pub fn parse(text: &str) -> Result<Graph> {
    let mut graph = Graph::default();
    let mut headed = false;
    for (number, content) in text.lines().enumerate() {
        let mut line = Line::new(content, number + 1);
        match line.peek()? {
            Token::End => {}
            Token::Word("graph") if !headed => {
                line.next()?;
                graph.name = line.rest();
                headed = true;
            }
            _ if !headed => return line.expected("`graph` and its name"),
            Token::Sign('%') => node(&mut line, &mut graph)?,
            Token::Word("output") => {
                line.next()?;
                let output = output(&mut line)?;
                graph.outputs.push(output);
            }
            _ => return line.expected("a node (`%0 = ..`) or an output (`output result 0 = %0`)"),
        }
    }
    if headed { Ok(graph) } else { Line::new("", text.lines().count() + 1).expected("`graph` and its name") }
}

fn output(line: &mut Line<'_>) -> Result<(OutputKind, NodeId)> {
    let kind = match line.peek()? {
        Token::Word("result") => {
            line.next()?;
            OutputKind::Result(line.integer("a position")?)
        }
        Token::Word("gradient") => {
            line.next()?;
            OutputKind::Gradient(line.text()?)
        }
        Token::Word("argument_gradient") => {
            line.next()?;
            OutputKind::ArgumentGradient(line.integer("a position")?)
        }
        Token::Word("state") => {
            line.next()?;
            OutputKind::State(line.text()?)
        }
        _ => return line.expected("`result`, `gradient`, `argument_gradient` or `state`"),
    };
    line.expect('=')?;
    let id = id(line)?;
    line.end()?;
    Ok((kind, id))
}

fn id(line: &mut Line<'_>) -> Result<NodeId> {
    line.expect('%')?;
    Ok(NodeId(line.integer("a node's number")?))
}

fn node(line: &mut Line<'_>, graph: &mut Graph) -> Result<()> {
    let expected = graph.nodes.len();
    line.expect('%')?;
    if line.peek()? != Token::Number(&expected.to_string()) {
        return line.expected(&format!("the next node's number, {expected}"));
    }
    line.next()?;
    line.expect('=')?;
    let draft = op(line)?;
    line.expect(':')?;
    let dtype = dtype(line)?;
    let shape = Shape(list(line, |line| dim(line, 0))?);
    let op = match draft {
        Draft::Op(op) => op,
        Draft::Constant(number, own) => Op::Constant(number.literal(own.unwrap_or(dtype), line)?),
    };
    let span = if line.take('@')? { Span(line.integer("a span")?) } else { Span::NONE };
    let name = if line.take('#')? { line.rest() } else { String::new() };
    line.end()?;
    let origins = vec![None; shape.rank()];
    graph.nodes.push(Node { op, shape, dtype, name, span, origins });
    Ok(())
}

fn dtype(line: &mut Line<'_>) -> Result<DType> {
    let Token::Word(word) = line.peek()? else { return line.expected("an element type") };
    let Some(dtype) = DType::from_name(word) else { return line.expected("an element type") };
    line.next()?;
    Ok(dtype)
}

/// `[item, item, ..]`.
fn list<T>(line: &mut Line<'_>, mut item: impl FnMut(&mut Line<'_>) -> Result<T>) -> Result<Vec<T>> {
    line.expect('[')?;
    let mut items = Vec::new();
    while !line.take(']')? {
        if !items.is_empty() {
            line.expect(',')?;
        }
        items.push(item(line)?);
    }
    Ok(items)
}

/// An operation; a constant's type is known only at the end of the line.
enum Draft {
    Op(Op),
    Constant(Number, Option<DType>),
}

/// A constant as written.
enum Number {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Number {
    fn literal(self, dtype: DType, line: &Line<'_>) -> Result<Literal> {
        match self {
            Number::Bool(value) if dtype == DType::Bool => Ok(Literal::Bool(value)),
            Number::Int(value) if dtype.is_integer() => Ok(Literal::Int(value, dtype)),
            Number::Float(value) if dtype.is_float() => Ok(Literal::Float(value.to_bits(), dtype)),
            _ => line.error(format!("the constant's notation is not that of {dtype}")),
        }
    }
}

fn constant(line: &mut Line<'_>) -> Result<Number> {
    let negative = line.take('-')?;
    let sign = if negative { -1.0 } else { 1.0 };
    let number = match line.peek()? {
        Token::Word("true") if !negative => Number::Bool(true),
        Token::Word("false") if !negative => Number::Bool(false),
        Token::Word("inf") => Number::Float(sign * f64::INFINITY),
        Token::Word("nan") if !negative => {
            line.next()?;
            line.expect('(')?;
            let value = f64::from_bits(line.integer("the bits of a NaN")?);
            if !value.is_nan() {
                return line.error("these are not the bits of a NaN");
            }
            line.expect(')')?;
            return Ok(Number::Float(value));
        }
        Token::Number(digits) => match (digits.parse::<u64>(), digits.parse::<f64>()) {
            (Ok(magnitude), _) => {
                let value = i128::from(magnitude) * if negative { -1 } else { 1 };
                Number::Int(i64::try_from(value).or_else(|_| line.error(format!("{value} does not fit 64 bits")))?)
            }
            (_, Ok(value)) => Number::Float(sign * value),
            _ => return line.expected("a number"),
        },
        _ => return line.expected("a constant"),
    };
    line.next()?;
    Ok(number)
}

fn op(line: &mut Line<'_>) -> Result<Draft> {
    if line.take_word("constant")? {
        let number = constant(line)?;
        let own = if matches!(line.peek()?, Token::Word(_)) { Some(dtype(line)?) } else { None };
        return Ok(Draft::Constant(number, own));
    }
    operation(line).map(Draft::Op)
}

/// Reads what follows the word of an operation.
type Parse = fn(&mut Line<'_>) -> Result<Op>;

/// The words of operations that are no family of their own.
const WORDS: &[(&str, Parse)] = &[
    ("input", |line| input(line).map(Op::Input)),
    ("iota", |line| Ok(Op::Iota { axis: line.integer("an axis")? })),
    ("size", |line| Ok(Op::Size(dim(line, 0)?))),
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
    ("scatter_add", |line| pair(line).map(|(indices, updates)| Op::ScatterAdd { indices, updates })),
];

fn operation(line: &mut Line<'_>) -> Result<Op> {
    let Token::Word(word) = line.peek()? else { return line.expected("an operation") };
    if let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next()?;
        return Ok(Op::Unary(op, id(line)?));
    }
    if let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next()?;
        return pair(line).map(|(a, b)| Op::Binary(op, a, b));
    }
    if let Some(op) = CompareOp::ALL.into_iter().find(|op| op.name() == word) {
        line.next()?;
        return pair(line).map(|(a, b)| Op::Compare(op, a, b));
    }
    if let Some(kind) = ConvKind::ALL.into_iter().find(|kind| kind.operation() == word) {
        line.next()?;
        let (first, second) = pair(line)?;
        return Ok(ConvNode { kind, operands: [first, second], geometry: geometry(line)? }.op());
    }
    let Some((_, parse)) = WORDS.iter().find(|(own, _)| *own == word) else { return line.expected("an operation") };
    line.next()?;
    parse(line)
}

fn pair(line: &mut Line<'_>) -> Result<(NodeId, NodeId)> {
    let a = id(line)?;
    line.expect(',')?;
    Ok((a, id(line)?))
}

fn input(line: &mut Line<'_>) -> Result<InputKind> {
    Ok(match line.word("`argument`, `parameter`, `state` or `scalar`")? {
        "argument" => InputKind::Argument(usize::from(line.integer::<u16>("a position")?)),
        "parameter" => InputKind::Parameter,
        "state" => InputKind::State,
        "scalar" => InputKind::Scalar(line.integer("a position")?),
        other => return line.error(format!("`{other}` is no kind of input")),
    })
}

fn reduce(line: &mut Line<'_>) -> Result<Op> {
    let name = line.peek()?;
    let Some(op) = ReduceOp::ALL.into_iter().find(|op| name == Token::Word(op.name())) else {
        return line.expected("a reduction");
    };
    line.next()?;
    let source = id(line)?;
    line.expect_word("over")?;
    Ok(Op::Reduce { op, source, axes: list(line, |line| line.integer("an axis"))? })
}

fn geometry(line: &mut Line<'_>) -> Result<ConvGeometry> {
    let mut both = |word: &str| -> Result<[u64; 2]> {
        line.expect_word(word)?;
        let values = list(line, |line| line.integer("a number"))?;
        <[u64; 2]>::try_from(values).or_else(|_| line.error(format!("`{word}` takes two numbers")))
    };
    let (stride, padding, dilation) = (both("stride")?, both("padding")?, both("dilation")?);
    line.expect_word("groups")?;
    Ok(ConvGeometry { stride, padding, dilation, groups: line.integer("a number")? })
}

/// `$0*2 + $1 - 1 over 2`: coordinates first, then the offset, then the divisor.
fn coordinate(line: &mut Line<'_>) -> Result<AxisIndex> {
    let mut terms = Vec::new();
    while line.take('$')? {
        let axis = line.integer("an axis")?;
        let coefficient = if line.take('*')? { line.signed("a coefficient")? } else { 1 };
        terms.push((axis, coefficient));
        match line.peek()? {
            Token::Sign('+') => line.next()?,
            Token::Sign('-') => break,
            _ => return Ok(AxisIndex { terms, offset: Dim::constant(0), divisor: divisor(line)? }),
        };
    }
    let offset = dim(line, 0)?;
    Ok(AxisIndex { terms, offset, divisor: divisor(line)? })
}

fn divisor(line: &mut Line<'_>) -> Result<u64> {
    if line.take_word("over")? { line.integer("a divisor") } else { Ok(1) }
}

/// `N*64 + 3`, `-N + 4`, `(H - 2) / 2 + 1`, `(N / 2)*3`: a quotient is rounded down before anything is multiplied.
fn dim(line: &mut Line<'_>, depth: usize) -> Result<Dim> {
    if depth > DEEPEST {
        return line.error("too many parentheses");
    }
    let mut sum = Dim::constant(0);
    let mut negative = line.take('-')?;
    loop {
        let mut product = Dim::constant(if negative { -1 } else { 1 });
        loop {
            product = product * quotient(line, depth)?;
            if !line.take('*')? {
                break;
            }
        }
        sum = sum + product;
        negative = match line.peek()? {
            Token::Sign('+') => false,
            Token::Sign('-') => true,
            _ => return Ok(sum),
        };
        line.next()?;
    }
}

fn quotient(line: &mut Line<'_>, depth: usize) -> Result<Dim> {
    let mut value = factor(line, depth)?;
    while line.take('/')? {
        let divisor: u64 = line.integer("a divisor")?;
        if !(1..=LARGEST).contains(&divisor) {
            return line.error(format!("a divisor from 1 to {LARGEST} must stand here, found {divisor}"));
        }
        value = value.floor_div(divisor);
    }
    Ok(value)
}

fn factor(line: &mut Line<'_>, depth: usize) -> Result<Dim> {
    match line.peek()? {
        Token::Number(digits) => match digits.parse::<i64>() {
            Ok(value) => {
                line.next()?;
                Ok(Dim::constant(value))
            }
            Err(_) => line.expected("a size"),
        },
        Token::Word(name) => {
            line.next()?;
            Ok(Dim::symbol(name))
        }
        Token::Sign('(') => {
            line.next()?;
            let inner = dim(line, depth + 1)?;
            line.expect(')')?;
            Ok(inner)
        }
        _ => line.expected("a size"),
    }
}
