//! Which buffers a plan has, and what they are called.

use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::fuse::{ClusterKind, Division};
use crate::graph::verify::attention_result;
use crate::graph::{ConvKind, CustomResult, Graph, InputKind, NodeId, Op, OutputKind};
use crate::identifier::{distinct, sanitized};
use crate::plan::{Buffer, BufferId, Role};
use crate::schedule::scatter::ScatterShape;
use crate::template::matmul_mma::MAPS_BYTES;
use std::collections::{BTreeMap, BTreeSet};

/// The buffers of a plan and the nodes they hold.
pub(super) struct Buffers {
    /// In the plan's order.
    pub list: Vec<Buffer>,
    of: BTreeMap<NodeId, BufferId>,
    names: BTreeMap<NodeId, String>,
    /// Buffers by their names, and the positions of the caller's scalars by theirs.
    named: BTreeMap<String, BufferId>,
    scalars: BTreeMap<String, usize>,
    /// What scatter-adds keep between their kernels, and what users' kernels write that nobody reads.
    between: BTreeMap<NodeId, Vec<BufferId>>,
    /// Where products make their tensor maps, one after the other.
    maps: Option<BufferId>,
}

impl Buffers {
    /// Whether one has more elements than that whatever symbols are.
    pub(super) fn exceed(&self, most: u64) -> bool {
        let elements = self.list.iter().filter_map(|buffer| buffer.shape.elements().as_constant());
        elements.filter_map(|elements| u64::try_from(elements).ok()).any(|elements| elements > most)
    }

    /// A buffer for every input, output and stored node; where scatter-adds sort (`sorts`), for what these keep between their
    /// kernels; and where products copy by tensor maps, for the maps of so many work-groups (`map_groups`).
    pub(super) fn new(graph: &Graph, division: &Division, sorts: bool, map_groups: Option<u32>) -> Self {
        let (mut buffers, mut taken) = Buffers::of_nodes(graph, division);
        let scatters = division.clusters.iter().filter_map(|cluster| match cluster.kind {
            ClusterKind::Scatter(id) => Some(id),
            _ => None,
        });
        for id in scatters.filter(|_| sorts) {
            let mut between = Vec::new();
            for (what, shape, dtype) in ScatterShape::of(graph, id).between() {
                let wanted = format!("{}_{what}", buffers.names[&id]);
                between.push(buffers.scratch(&mut taken, wanted, shape, dtype));
            }
            buffers.between.insert(id, between);
        }
        buffers.unread(graph, &mut taken);
        let may_have_maps = |kind: &ClusterKind| match kind {
            ClusterKind::MatMul(id) => graph[*id].op.factors().is_some_and(|[a, _]| graph[a].dtype.size() == 2),
            _ => false,
        };
        let have_maps = division.clusters.iter().any(|cluster| may_have_maps(&cluster.kind));
        buffers.maps = map_groups.filter(|_| have_maps).map(|groups| {
            let words = Dim::constant(i64::from(groups) * i64::from(MAPS_BYTES / 4));
            buffers.scratch(&mut taken, "tensor_maps".to_owned(), Shape(vec![words]), DType::U32)
        });
        buffers
    }

    /// Where the work-groups of a product make their tensor maps.
    pub(super) fn maps(&self) -> Option<BufferId> {
        self.maps
    }

    /// A buffer for every input and output: what callers bring and get.
    pub(super) fn of_callers(graph: &Graph) -> Vec<Buffer> {
        Buffers::of_nodes(graph, &Division::default()).0.list
    }

    /// A buffer for every input, output and stored node, and the names that are taken.
    fn of_nodes(graph: &Graph, division: &Division) -> (Buffers, BTreeSet<String>) {
        let mut buffers = Buffers {
            list: Vec::new(),
            of: BTreeMap::new(),
            names: BTreeMap::new(),
            named: BTreeMap::new(),
            scalars: BTreeMap::new(),
            between: BTreeMap::new(),
            maps: None,
        };
        let outputs: BTreeMap<NodeId, &OutputKind> = graph.outputs.iter().map(|(kind, id)| (*id, kind)).collect();
        let mut taken: BTreeSet<String> = graph.symbols().iter().map(|symbol| symbol.name().to_string()).collect();
        // The rounds of a loop, which the body may not name elsewhere.
        for start in division.starts.values() {
            start.visit_symbols(&mut |symbol| taken.extend([symbol.name().to_string()]));
        }
        for (id, node) in graph.iter() {
            let output = outputs.get(&id).copied();
            let role = match &node.op {
                Op::Input(InputKind::Argument(position)) => Role::Argument(*position),
                Op::Input(InputKind::Parameter) => Role::Parameter(node.name.clone()),
                Op::Input(InputKind::State) => Role::State(node.name.clone()),
                // No finished graph has one.
                Op::Input(InputKind::Carried(_)) => continue,
                Op::Input(InputKind::Scalar(position)) => {
                    let name = distinct(&mut taken, sanitized(&node.name));
                    buffers.scalars.insert(name.clone(), *position);
                    buffers.names.insert(id, name);
                    continue;
                }
                _ => match output {
                    Some(kind) => Role::Output(kind.clone()),
                    None if division.stored.contains(&id) => Role::Scratch,
                    None => continue,
                },
            };
            let wanted = match (&role, node.name.as_str()) {
                (Role::Output(OutputKind::Gradient(path)), _) => format!("grad_{}", sanitized(path)),
                (Role::Output(OutputKind::ArgumentGradient(position)), _) => format!("grad_argument_{position}"),
                (Role::Output(OutputKind::State(path)), _) => format!("new_{}", sanitized(path)),
                (Role::Output(OutputKind::Result(0)), "") => "result".to_string(),
                (Role::Output(OutputKind::Result(position)), "") => format!("result_{position}"),
                (_, "") => format!("{}_{}", operation(&node.op), id.0),
                (_, name) => sanitized(name),
            };
            let name = distinct(&mut taken, wanted);
            let own = BufferId(buffers.list.len() as u32);
            buffers.of.insert(id, own);
            buffers.names.insert(id, name.clone());
            buffers.named.insert(name.clone(), own);
            let argument = matches!(role, Role::Argument(_)) && !node.name.is_empty();
            let written = (argument && node.name != name).then(|| node.name.clone());
            buffers.list.push(Buffer { name, shape: node.shape.clone(), dtype: node.dtype, role, written });
        }
        (buffers, taken)
    }

    /// A buffer for each result of a user's kernel or a loop that is no node: it is written all the same.
    fn unread(&mut self, graph: &Graph, taken: &mut BTreeSet<String>) {
        for (id, node) in graph.iter() {
            let results: Vec<(String, Shape, DType)> = match &node.op {
                Op::Custom { kernel, sizes, .. } => {
                    let of = |own: &CustomResult| (sanitized(&own.name), kernel.shape(sizes, &own.shape), own.dtype);
                    kernel.results.iter().map(of).collect()
                }
                Op::Scan { scan, length, .. } => {
                    let of = |position| {
                        scan.gives(length, position).map(|(shape, dtype)| (position.to_string(), shape, dtype))
                    };
                    (0..scan.results()).filter_map(of).collect()
                }
                Op::Attention(_) => {
                    let of = |position| attention_result(graph, node, position);
                    let named = |position: usize, (shape, dtype)| (position.to_string(), shape, dtype);
                    (0..).map_while(of).enumerate().map(|(position, own)| named(position, own)).collect()
                }
                _ => continue,
            };
            let read = |wanted: usize| {
                graph
                    .nodes
                    .iter()
                    .any(|node| matches!(node.op, Op::CustomResult { call, result } if call == id && result == wanted))
            };
            let mut unread = Vec::new();
            for (_, (own, shape, dtype)) in
                results.into_iter().enumerate().skip(1).filter(|(position, _)| !read(*position))
            {
                let wanted = format!("{}_{own}", self.names[&id]);
                unread.push(self.scratch(taken, wanted, shape, dtype));
            }
            self.between.insert(id, unread);
        }
    }

    /// One more, which no node of the graph lies in.
    pub(super) fn add(&mut self, wanted: &str, shape: Shape, dtype: DType) -> String {
        let mut taken: BTreeSet<String> = self.named.keys().chain(self.scalars.keys()).cloned().collect();
        let own = self.scratch(&mut taken, wanted.to_owned(), shape, dtype);
        self.list[own.0 as usize].name.clone()
    }

    /// A scratch buffer behind the others, called as wanted or much like it.
    fn scratch(&mut self, taken: &mut BTreeSet<String>, wanted: String, shape: Shape, dtype: DType) -> BufferId {
        let own = BufferId(self.list.len() as u32);
        let name = distinct(taken, wanted);
        self.named.insert(name.clone(), own);
        self.list.push(Buffer { name, shape, dtype, role: Role::Scratch, written: None });
        own
    }

    /// Makes the buffer that holds `id` one of two places of its size.
    pub(super) fn double(&mut self, id: NodeId) {
        let buffer = &mut self.list[self.of[&id].0 as usize];
        buffer.shape.0.insert(0, crate::dim::Dim::constant(2));
    }

    /// The buffer that holds `id`.
    pub(super) fn of(&self, id: NodeId) -> BufferId {
        self.of[&id]
    }

    /// Its name, or that of the scalar `id`.
    pub(super) fn name(&self, id: NodeId) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| unreachable!("node {} has no buffer", id.0))
    }

    /// Whether a buffer holds `id`; a scalar of the caller's lies in none.
    pub(super) fn holds(&self, id: NodeId) -> bool {
        self.of.contains_key(&id)
    }

    /// The name of the buffer that holds `id`, if one does.
    pub(super) fn stored(&self, id: NodeId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// The buffer called `name`.
    pub(super) fn named(&self, name: &str) -> Option<BufferId> {
        self.named.get(name).copied()
    }

    /// What the scatter-add `id` keeps between its kernels, none if it is one kernel; of a user's kernel the results that no
    /// node is, in order.
    pub(super) fn between(&self, id: NodeId) -> &[BufferId] {
        self.between.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The position of the caller's scalar called `name`.
    pub(super) fn scalar(&self, name: &str) -> Option<usize> {
        self.scalars.get(name).copied()
    }
}

/// A word for what a node does.
pub(super) fn operation(op: &Op) -> &'static str {
    match op {
        Op::Input(_) => "input",
        Op::Constant(_) => "constant",
        Op::Iota { .. } => "iota",
        Op::Size(_) => "size",
        Op::Unary(op, _) => op.name(),
        Op::Binary(op, ..) => op.name(),
        Op::Compare(op, ..) => op.name(),
        Op::Select(..) => "select",
        Op::Cast(_) => "cast",
        Op::Random { .. } => "random",
        Op::View { .. } => "view",
        Op::Reshape(_) => "reshape",
        Op::Reduce { op, .. } => op.name(),
        Op::MatMul(..) => "matmul",
        Op::Conv2d { .. } => ConvKind::Forward.operation(),
        Op::Conv2dInputGrad { .. } => ConvKind::InputGrad.operation(),
        Op::Conv2dWeightGrad { .. } => ConvKind::WeightGrad.operation(),
        Op::Gather { .. } => "gather",
        Op::ScatterAdd { .. } => "scatter_add",
        Op::Attention(attention) => attention.kind.operation(),
        Op::Custom { .. } | Op::CustomResult { .. } => "custom",
        Op::Scan { .. } => "scan",
    }
}
