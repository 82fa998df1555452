//! Graphs with sizes that are open: names for which whoever runs the graph has numbers, and which the compiler must know. They are
//! kept as text and closed by the numbers before they are compiled.

use super::build::Builder;
use super::inline::substituted;
use super::{Agreement, Batch, Graph, Limit, Window, text};
use crate::dim::{Bindings, Dim, Shape};
use crate::span::{Diagnostic, Result, Span};

/// The graph as text: what its layers require of sizes as JSON in the first line, then the text form.
///
/// # Errors
///
/// Whatever JSON cannot say, which is none of this.
pub fn write(graph: &Graph) -> Result<String> {
    let required = serde_json::to_string(&(&graph.windows, &graph.batches, &graph.agreements, &graph.limits));
    let required = required.map_err(|error| Diagnostic::new(format!("`{}` cannot be written: {error}", graph.name)))?;
    // Places in the user's source say nothing elsewhere.
    let mut graph = graph.clone();
    graph.nodes.iter_mut().for_each(|node| node.span = Span::NONE);
    Ok(format!("{required}\n{graph}"))
}

/// The graph that [`write()`] wrote, with these values of its open sizes.
///
/// # Errors
///
/// A text that [`write()`] has not written; a value that no number of a node's type is.
pub fn closed(written: &str, sizes: Bindings<'_>) -> Result<Graph> {
    let (required, written) = written.split_once('\n').unwrap_or_default();
    let mut graph = text::parse(written)?;
    let required: (Vec<Window>, Vec<Batch>, Vec<Agreement>, Vec<Limit>) = serde_json::from_str(required)
        .map_err(|error| Diagnostic::new(format!("what `{}` requires cannot be read: {error}", graph.name)))?;
    graph = substituted(graph, &|size| size.known(sizes))?;
    let shape = |shape: &Shape| Shape(shape.0.iter().map(|size| size.known(sizes)).collect());
    let (windows, batches, agreements, limits) = required;
    for mut window in windows {
        window.size = window.size.known(sizes);
        if window.spare().as_constant().is_some_and(|spare| spare < 0) {
            return Err(Diagnostic::new(format!("`{}`: {}", graph.name, window.misfit(&window.size))));
        }
        graph.windows.push(window);
    }
    graph.windows.retain(|window| !window.spare().never_negative());
    graph.batches = batches.into_iter().map(|batch| Batch { shape: shape(&batch.shape), ..batch }).collect();
    for mut agreement in agreements {
        agreement.sizes = agreement.sizes.map(|size| size.known(sizes));
        let [first, second] = &agreement.sizes;
        match (first.clone() - second.clone()).as_constant() {
            Some(0) => {}
            Some(_) => return Err(Diagnostic::new(agreement.differ([first, second]))),
            None => graph.agreements.push(agreement),
        }
    }
    for mut limit in limits {
        limit.end = limit.end.known(sizes);
        limit.size = limit.size.known(sizes);
        match (limit.size.clone() - limit.end.clone()).as_constant() {
            Some(spare) if spare < 0 => return Err(Diagnostic::new(limit.beyond(&limit.end, &limit.size))),
            Some(_) => {}
            None => graph.limits.push(limit),
        }
    }
    // Numbers that are repeated leave single ones behind.
    Ok(Builder::extend(graph).finish())
}

/// Whether a convolution in the graph has channels of which one of `names` is a part: kernels are made for numbers of channels.
pub fn has_open_channels(graph: &Graph, names: &dyn Fn(&str) -> bool) -> bool {
    let open = |size: &Dim| {
        let mut found = false;
        size.visit_symbols(&mut |symbol| found |= names(symbol.name()));
        found
    };
    graph.iter().filter_map(|(id, _)| graph.conv(id)).any(|(_, shapes)| shapes.weight.0.iter().any(open))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::graph::{ConvGeometry, InputKind, NodeId, OutputKind};
    use crate::ops::convolution::{conv2d, max_pool2d};

    /// A convolution, a pooling and a mean over channels of `channels`.
    fn graph(channels: &Dim) -> Graph {
        let mut b = Builder::new("block");
        let mut input = |kind, name: &str, sizes: [Dim; 4]| b.input(kind, name, Shape(sizes.to_vec()), DType::F32);
        let [n, h] = [Dim::symbol("N"), Dim::symbol("H")];
        let x = input(InputKind::Argument(0), "x", [n, channels.clone(), h.clone(), h]);
        let sizes = [channels.clone(), channels.clone(), Dim::constant(3), Dim::constant(3)];
        let weight = input(InputKind::Parameter, "a.weight", sizes);
        let y: Result<NodeId> = (|| {
            let y = conv2d(
                &mut b,
                "conv2d",
                [x, weight],
                None,
                ConvGeometry { padding: [1, 1], ..ConvGeometry::default() },
            )?;
            let y = max_pool2d(
                &mut b,
                "max_pool2d",
                y,
                [2, 2],
                ConvGeometry { stride: [2, 2], ..ConvGeometry::default() },
            )?;
            b.mean(y, &[1], false)
        })();
        b.output(OutputKind::Result(0), y.unwrap());
        b.finish()
    }

    #[test]
    fn a_closed_graph_is_the_one_that_is_made_of_numbers() {
        let open = graph(&Dim::symbol("C"));
        assert!(has_open_channels(&open, &|name| name == "C"));
        assert!(!has_open_channels(&open, &|name| name == "N"));
        let closed =
            closed(&write(&open).unwrap(), &[("C", 6)].map(|(name, size)| (crate::dim::Symbol::new(name), size)));
        let (closed, numbers) = (closed.unwrap(), graph(&Dim::constant(6)));
        assert_eq!(closed.to_string(), numbers.to_string());
        assert_eq!((closed.windows, closed.batches), (numbers.windows, numbers.batches));
        assert_eq!(closed.agreements, numbers.agreements);
    }
}
