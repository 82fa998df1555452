//! Graphs with other sizes, and graphs as parts of others.

use super::build::Builder;
use super::{Graph, InputKind, Node, NodeId, Op, Scan};
use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::Literal;
use crate::span::{Diagnostic, Result, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What becomes of sizes.
type NewSizes<'a> = &'a dyn Fn(&Dim) -> Dim;

/// The graph with what `sizes` makes of its sizes. What its layers require of them is left as it is.
pub(super) fn substituted(mut graph: Graph, sizes: NewSizes<'_>) -> Result<Graph> {
    // What numbers make equal is there once, as the builder has it.
    let mut known = FxHashMap::default();
    let mut places: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut nodes: Vec<Node> = Vec::with_capacity(graph.nodes.len());
    for mut node in std::mem::take(&mut graph.nodes) {
        node.op = node.op.map_operands(|operand| places[operand.index()]);
        node = sized(node, sizes, &graph.name, &|source| &nodes[source.index()].op)?;
        let own = NodeId(nodes.len() as u32);
        let place = match node.op {
            Op::Input(_) => own,
            _ => *known.entry((node.op.clone(), node.shape.clone(), node.dtype)).or_insert(own),
        };
        places.push(place);
        if place == own {
            nodes.push(node);
        }
    }
    graph.nodes = nodes;
    graph.outputs.iter_mut().for_each(|(_, id)| *id = places[id.index()]);
    Ok(graph)
}

/// A node of the graph called `of` with what `sizes` makes of its sizes; `operation` has the operands'.
fn sized<'n>(mut node: Node, sizes: NewSizes<'_>, of: &str, operation: &dyn Fn(NodeId) -> &'n Op) -> Result<Node> {
    node.shape = Shape(node.shape.0.iter().map(sizes).collect());
    match &mut node.op {
        Op::Size(size) => {
            let size = sizes(size);
            node.op = match size.as_constant() {
                None => Op::Size(size),
                Some(value) if node.dtype.is_float() => Op::Constant(Literal::float(value as f64, node.dtype)),
                Some(value) if node.dtype.holds(value) => Op::Constant(Literal::Int(value, node.dtype)),
                Some(value) => return Err(Diagnostic::new(format!("{value} is no {} number", node.dtype))),
            };
        }
        // A number that is repeated is a number everywhere.
        Op::View { source, index } if index.is_empty() => {
            if let Op::Constant(number) = operation(*source) {
                node.op = Op::Constant(*number);
            }
        }
        Op::View { index, .. } => index.iter_mut().for_each(|axis| axis.offset = sizes(&axis.offset)),
        Op::Custom { sizes: own, .. } => own.iter_mut().for_each(|size| *size = sizes(size)),
        Op::Scan { scan, length, .. } => {
            *length = sizes(length);
            let body = substituted(scan.body.clone(), sizes)?;
            *scan = Arc::new(Scan { body, ..(**scan).clone() });
        }
        _ => {}
    }
    if let Some(size) = node.shape.0.iter().find(|size| size.as_constant().is_some_and(|size| size < 0)) {
        let name = if node.name.is_empty() { of } else { &node.name };
        return Err(Diagnostic::new(format!("`{name}` has an axis of {size} elements")));
    }
    Ok(node)
}

impl Builder {
    /// Appends the nodes of a graph, in which `inputs` are its inputs, by their kinds and names: where its nodes are now. Its symbols
    /// become what the inputs' shapes make of them.
    ///
    /// # Errors
    ///
    /// An input that is not given, or has not the type and sizes that the graph has there; a size that no input tells.
    pub fn inline(
        &mut self,
        graph: &Graph,
        inputs: &dyn Fn(&InputKind, &str) -> Option<NodeId>,
    ) -> Result<Vec<NodeId>> {
        let mut given: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for (id, node) in graph.iter() {
            let Op::Input(kind) = &node.op else { continue };
            let input = inputs(kind, &node.name)
                .ok_or_else(|| Diagnostic::new(format!("`{}` has no `{}`", graph.name, node.name)))?;
            given.insert(id, input);
        }
        let mut known: BTreeMap<Symbol, Dim> = BTreeMap::new();
        let axes = given.iter().flat_map(|(own, input)| graph[*own].shape.0.iter().zip(&self.shape(*input).0));
        Dim::solve(axes, &mut known);
        if let Some(symbol) = graph.symbols().iter().find(|symbol| !known.contains_key(symbol)) {
            return Err(Diagnostic::new(format!("no input of `{}` tells what `{symbol}` is", graph.name)));
        }
        if let Some(step) = steps(graph).into_iter().find(|step| known.values().any(|size| size.mentions(step))) {
            return Err(Diagnostic::new(format!("`{step}` is a size around `{}`, and its loop's rounds", graph.name)));
        }
        let sizes = |size: &Dim| size.substitute(&|symbol| known.get(symbol).cloned());
        let span = self.set_span(Span::NONE);
        let places = self.appended(graph, &given, &sizes);
        self.set_span(span);
        places
    }

    fn appended(
        &mut self,
        graph: &Graph,
        given: &BTreeMap<NodeId, NodeId>,
        sizes: NewSizes<'_>,
    ) -> Result<Vec<NodeId>> {
        let mut places: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
        for (id, node) in graph.iter() {
            if let Some(&input) = given.get(&id) {
                let shape = Shape(node.shape.0.iter().map(sizes).collect());
                let (found, dtype) = (self.shape(input), self.dtype(input));
                if *found != shape || dtype != node.dtype {
                    let (name, own) = (&node.name, node.dtype);
                    return Err(Diagnostic::new(format!("`{name}` is {own}{shape}, found {dtype}{found}")));
                }
                places.push(input);
                continue;
            }
            let mut own = node.clone();
            own.op = own.op.map_operands(|operand| places[operand.index()]);
            let own = sized(own, sizes, &graph.name, &|source| &self.node(source).op)?;
            let place = self.push(own.op, own.shape, own.dtype);
            self.name(place, &own.name);
            places.push(place);
        }
        Ok(places)
    }
}

/// The rounds of its loops.
fn steps(graph: &Graph) -> Vec<Symbol> {
    let mut all = Vec::new();
    for node in &graph.nodes {
        if let Op::Scan { scan, .. } = &node.op {
            all.push(scan.step.clone());
            all.extend(steps(&scan.body));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::graph::OutputKind;

    fn symbols(names: &[&str]) -> Shape {
        Shape(names.iter().map(|name| Dim::symbol(name)).collect())
    }

    /// `tanh(x @ w)`, and how many rows there are.
    fn part() -> Graph {
        let mut b = Builder::new("part");
        let x = b.input(InputKind::Argument(0), "x", symbols(&["N", "C"]), DType::F32);
        let w = b.input(InputKind::Parameter, "w", symbols(&["C", "C"]), DType::F32);
        let rows = b.push(Op::Size(Dim::symbol("N")), Shape::scalar(), DType::F32);
        let y = b.matmul(x, w).unwrap();
        let y = b.unary(crate::graph::UnaryOp::Tanh, y).unwrap();
        b.output(OutputKind::Result(0), y);
        b.output(OutputKind::Result(1), rows);
        b.finish()
    }

    #[test]
    fn a_part_has_the_sizes_of_what_it_is_given() {
        let mut b = Builder::new("whole");
        let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("M"), Dim::constant(3)]), DType::F32);
        let w = b.input(InputKind::Argument(1), "w", Shape::of(&[3, 3]), DType::F32);
        let part = part();
        let inputs = |kind: &InputKind, _: &str| Some(if *kind == InputKind::Parameter { w } else { x });
        let places = b.inline(&part, &inputs).unwrap();
        let [y, rows] = [0, 1].map(|result| places[part.outputs[result].1.index()]);
        assert_eq!(b.shape(y).to_string(), "[M, 3]");
        assert_eq!(b.node(rows).op, Op::Size(Dim::symbol("M")));
        // Again it is the same nodes.
        assert_eq!(b.inline(&part, &inputs).unwrap(), places);
        // Sizes that do not go together, and what is not there.
        let wrong = b.input(InputKind::Argument(2), "v", Shape::of(&[3, 4]), DType::F32);
        let error = b.inline(&part, &|kind, _| Some(if *kind == InputKind::Parameter { wrong } else { x }));
        assert_eq!(error.unwrap_err().message, "`w` is f32[3, 3], found f32[3, 4]");
        let error = b.inline(&part, &|kind, _| (*kind != InputKind::Parameter).then_some(x)).unwrap_err();
        assert_eq!(error.message, "`part` has no `w`");
    }
}
