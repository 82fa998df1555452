//! The quick division against the plain one, and how much work it is.

use super::budget::Together;
use super::legalize::legalize;
use super::reading::Readings;
use super::{Cluster, ClusterKind, Constraints, Division, divide, divide_by, given_roots, tests_plain};
use crate::autodiff::{Arguments, append_gradients};
use crate::dim::{Dim, Shape};
use crate::graph::text::parse;
use crate::graph::{Graph, NodeId, Op};
use crate::target::Target;
use netcl_fixtures::models;
use netcl_fixtures::random_graphs::{GeneratorOptions, random_graph};

/// A graph of the fixtures', whose types are those of the library that they are built with: by its text.
fn own(graph: impl std::fmt::Display) -> Graph {
    parse(&graph.to_string()).expect("the text of a graph")
}

fn step(loss: Graph) -> Graph {
    append_gradients(loss, Arguments::None).expect("a loss")
}

/// Models of all kinds of layers, small.
fn well_known() -> Vec<Graph> {
    vec![
        own(models::mlp([64, 32, 10], false)),
        step(own(models::mlp([64, 32, 10], true))),
        step(own(models::cnn(8, 1, true))),
        own(models::transformer_block(false)),
        step(own(models::deep_transformer(2, 32))),
        step(own(models::deep_transformer(1, 256))),
        step(own(models::deep_mlp(3, 512))),
        step(own(models::deep_cnn(3))),
        chain(24),
    ]
}

fn agrees(graph: &Graph, constraints: &Constraints) {
    for target in Target::ALL {
        let (quick, plain) = (divide(graph, target, constraints), tests_plain::divide(graph, target, constraints));
        assert_eq!(quick, plain, "on {}:\n{graph}", target.name());
    }
}

#[test]
fn models_are_divided_as_the_rules_say() {
    for graph in well_known() {
        let graph = legalize(&graph, Target::Gpu).expect("a graph of the builder's");
        agrees(&graph, &Constraints::default());
    }
}

#[test]
fn random_graphs_are_divided_as_the_rules_say() {
    for seed in 0..60 {
        let options =
            GeneratorOptions { steps: 24, scalar: seed % 2 == 0, jumps: seed % 3 == 0, ..GeneratorOptions::default() };
        let graph = own(random_graph(seed, &options).graph);
        let graph = if options.scalar { step(graph) } else { graph };
        let graph = legalize(&graph, Target::Gpu).expect("a graph of the builder's");
        // Some of the nodes are asked for, and some of the maps stay apart.
        let every = |share: u64| {
            let nodes = graph.iter().filter(|(_, node)| !matches!(node.op, Op::Input(_)));
            let chosen = nodes.filter(|(id, _)| (u64::from(id.0) * 7 + seed) % share == 0);
            chosen.map(|(id, _)| id).collect::<std::collections::BTreeSet<NodeId>>()
        };
        agrees(&graph, &Constraints::default());
        agrees(&graph, &Constraints { stored: every(11), apart: every(3) });
    }
}

#[test]
fn sums_that_read_nothing_in_common_share_a_loop_on_devices_alone() {
    let graph = legalize(&step(own(models::deep_mlp(3, 512))), Target::Gpu).expect("a graph of the builder's");
    // The gradients of biases: sums over a batch.
    let most = |target| {
        let division = divide(&graph, target, &Constraints::default());
        let sums = division.clusters.into_iter().filter_map(|cluster| match cluster.kind {
            ClusterKind::Loop { space, reduced } if space.rank() == 2 && reduced == [0] => Some(cluster.members.len()),
            _ => None,
        });
        sums.max()
    };
    assert_eq!(most(Target::Host), Some(1));
    assert!(most(Target::Cpu) >= Some(2) && most(Target::Gpu) >= Some(2));
}

#[test]
fn axes_of_one_element_do_not_divide_a_loop() {
    let graph = parse(
        "graph keepdim\n%0 = input argument 0 : f32[N, 1]\n%1 = input argument 1 : f32[N]\n%2 = mul %0, %0 : f32[N, 1]\n\
         %3 = view %2 [$0, 0] : f32[N]\n%4 = add %3, %1 : f32[N]\n%5 = view %4 [$1] : f32[1, N]\n%6 = exp %5 : f32[1, N]\n\
         output result 0 = %2\noutput result 1 = %4\noutput result 2 = %6\n",
    )
    .expect("a graph");
    for target in Target::ALL {
        assert_eq!(divide(&graph, target, &Constraints::default()).clusters.len(), 1, "on {}", target.name());
    }
    agrees(&graph, &Constraints::default());
    // Neighbours of another axis are no such elements.
    let transposed = graph.to_string().replace("f32[1, N]", "f32[2, N]");
    let transposed = parse(&transposed).expect("a graph");
    assert_eq!(divide(&transposed, Target::Host, &Constraints::default()).clusters.len(), 2);
}

#[test]
fn what_is_read_comes_first_however_long_the_chain_is() {
    const LENGTH: usize = 200_000;
    let cluster = |reads: &[usize]| Cluster {
        kind: ClusterKind::Loop { space: Shape::default(), reduced: Vec::new() },
        members: Vec::new(),
        reads: reads.iter().copied().collect(),
        operands: Vec::new(),
    };
    let of = |clusters: Vec<Cluster>| Division { clusters, ..Division::default() }.order();
    let chain = (1..LENGTH).map(|next| cluster(&[next])).chain([cluster(&[])]);
    assert!(of(chain.collect()).into_iter().eq((0..LENGTH).rev()));
    // 0 reads 3 and 4, which both read 2; 1 stands alone.
    assert_eq!(of(vec![cluster(&[3, 4]), cluster(&[]), cluster(&[]), cluster(&[2]), cluster(&[2])]), [2, 3, 4, 0, 1]);
}

/// How many readings it takes to divide `graph`.
fn readings(graph: &Graph, target: Target) -> usize {
    let graph = legalize(graph, target).expect("a graph of the builder's");
    let constraints = Constraints::default();
    let mut readings = Readings::new(&graph, &given_roots(&graph, &constraints));
    divide_by(&mut readings, target, &constraints);
    readings.made
}

#[test]
fn the_work_of_dividing_grows_with_the_depth_and_no_faster() {
    type Deep = fn(usize) -> Graph;
    let models: [(&str, Deep); 3] = [
        ("transformer", |layers| own(models::deep_transformer(layers, 64))),
        ("MLP", |layers| own(models::deep_mlp(layers, 64))),
        ("CNN", |layers| own(models::deep_cnn(layers))),
    ];
    for (name, model) in models {
        for target in Target::ALL {
            let [four, eight, twelve] = [4, 8, 12].map(|layers| readings(&step(model(layers)), target));
            // Each layer more is as much work as the one before it.
            let most = (eight - four) * 9 / 8;
            assert!(twelve - eight <= most, "{name} on {}: {four}, {eight}, {twelve} readings", target.name());
        }
    }
}

/// `rounds` of `tanh` and an addition, as an unrolled loop makes them.
fn rounds(rounds: usize, of: &str) -> Graph {
    use crate::graph::build::Builder;
    use crate::graph::{BinaryOp, InputKind, OutputKind, ReduceOp, UnaryOp};
    let mut b = Builder::new("rounds");
    let kind = if of == "parameter" { InputKind::Parameter } else { InputKind::Argument(0) };
    let mut h = b.input(kind, "h", Shape::of(&[64, 64]), crate::dtype::DType::F32);
    for _ in 0..rounds {
        let shift = b.constant(0.001, crate::dtype::DType::F32);
        let bent = b.unary(UnaryOp::Tanh, h).expect("a float");
        h = b.binary(BinaryOp::Add, bent, shift).expect("two floats");
    }
    if of == "parameter" {
        let loss = b.reduce(ReduceOp::Sum, h, &[0, 1], false).expect("a sum");
        b.output(OutputKind::Result(0), loss);
        return step(b.finish());
    }
    b.output(OutputKind::Result(0), h);
    b.finish()
}

#[test]
fn unrolled_loops_are_kernels_of_a_bounded_size() {
    for of in ["argument", "parameter"] {
        let graph = legalize(&rounds(256, of), Target::Gpu).expect("a graph of the builder's");
        for target in Target::ALL {
            let division = divide(&graph, target, &Constraints::default());
            let roots: std::collections::BTreeSet<NodeId> = division.home.keys().copied().collect();
            let mut readings = Readings::new(&graph, &roots);
            for cluster in &division.clusters {
                let (last, others) = cluster.members.split_last().expect("a member");
                let reading = readings.alone(*last);
                let fits = Together::default().fits(&mut readings, others, &reading);
                assert!(fits, "on {}: {:?}", target.name(), cluster.members);
            }
            assert!(division.clusters.len() >= 8, "on {}: {}", target.name(), division.clusters.len());
        }
    }
}

/// A tensor that is joined with itself in a loop is read at twice as many places each time.
#[test]
fn what_repeats_is_stored_in_between() {
    use crate::graph::build::Builder;
    use crate::graph::{InputKind, OutputKind};
    use crate::ops::{self, Value};
    let mut b = Builder::new("joined");
    let mut x =
        b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N"), Dim::constant(4)]), crate::dtype::DType::F32);
    let concat = ops::find("concat").expect("an operation");
    for _ in 0..28 {
        let with = Value::List(vec![Value::Tensor(x)]);
        x = ops::call(&mut b, concat, &[Value::Tensor(x), with, Value::Dim(Dim::constant(0))]).expect("one shape");
    }
    b.output(OutputKind::Result(0), x);
    let graph = legalize(&b.finish(), Target::Gpu).expect("a graph of the builder's");
    for target in Target::ALL {
        let division = divide(&graph, target, &Constraints::default());
        let roots = division.home.keys().copied().collect();
        let mut readings = Readings::new(&graph, &roots);
        let places = division.clusters.iter().flat_map(|cluster| &cluster.members);
        let most = places.map(|member| readings.alone(*member).leaves.len()).max();
        assert!(most.is_some_and(|most| (100..=300).contains(&most)), "on {}: {most:?}", target.name());
    }
}

/// The gradient of `length` operations on a tensor, as they are recorded: each needs what the one before gave.
fn chain(length: usize) -> Graph {
    use crate::graph::build::Builder;
    use crate::graph::{BinaryOp, InputKind, OutputKind, ReduceOp, UnaryOp};
    let mut b = Builder::new("chain");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[64, 64]), crate::dtype::DType::F32);
    let mut y = x;
    for step in 0..length {
        let next = match step % 4 {
            0 => {
                let shift = b.constant(0.1, crate::dtype::DType::F32);
                b.binary(BinaryOp::Add, y, shift)
            }
            1 => b.unary(UnaryOp::Tanh, y),
            2 => b.binary(BinaryOp::Mul, y, x),
            _ => b.binary(BinaryOp::Max, y, x),
        };
        y = next.expect("floats");
    }
    let loss = b.reduce(ReduceOp::Sum, y, &[0, 1], false).expect("a sum");
    b.output(OutputKind::Result(0), loss);
    append_gradients(b.finish(), Arguments::Floats).expect("a loss")
}

#[test]
fn where_a_chain_and_its_gradient_read_is_found_out_once() {
    for target in Target::ALL {
        let graph = legalize(&chain(200), target).expect("a graph of the builder's");
        let constraints = Constraints::default();
        let mut readings = Readings::new(&graph, &given_roots(&graph, &constraints));
        divide_by(&mut readings, target, &constraints);
        let (nodes, places) = (graph.nodes.len(), readings.places());
        assert!(readings.made > nodes / 2, "on {}: {} walks", target.name(), readings.made);
        assert!(places <= nodes, "on {}: {places} places of {nodes} nodes", target.name());
    }
}

/// A residual stream that begins with a transposed tensor, as a vision transformer's does with what a convolution gives.
fn stream(blocks: usize) -> Graph {
    use crate::graph::build::Builder;
    use crate::graph::{BinaryOp, InputKind, OutputKind, ReduceOp};
    use crate::ops::{self, Value};
    let mut b = Builder::new("stream");
    let shape = |axes: [i64; 2]| Shape([Dim::symbol("N")].into_iter().chain(axes.map(Dim::constant)).collect());
    let first = b.input(InputKind::Argument(0), "first", shape([192, 64]), crate::dtype::DType::F32);
    let permute = ops::find("permute").expect("an operation");
    let order = Value::List([0, 2, 1].map(|axis| Value::Dim(Dim::constant(axis))).to_vec());
    let mut h = ops::call(&mut b, permute, &[Value::Tensor(first), order]).expect("three axes");
    for block in 0..blocks {
        let sum = b.reduce(ReduceOp::Sum, h, &[2], true).expect("a sum");
        let centered = b.binary(BinaryOp::Sub, h, sum).expect("rows");
        let squares = b.binary(BinaryOp::Mul, centered, centered).expect("two of a shape");
        let squares = b.reduce(ReduceOp::Sum, squares, &[2], true).expect("a sum");
        let scaled = b.binary(BinaryOp::Mul, centered, squares).expect("rows");
        let kind = InputKind::Argument(block + 1);
        let weight = b.input(kind, &format!("weight{block}"), Shape::of(&[192, 192]), crate::dtype::DType::F32);
        let more = b.matmul(scaled, weight).expect("sizes that match");
        h = b.binary(BinaryOp::Add, h, more).expect("two of a shape");
    }
    b.output(OutputKind::Result(0), h);
    b.finish()
}

#[test]
fn processors_read_a_residual_stream_once_and_turn_it_once() {
    let graph = legalize(&stream(6), Target::Gpu).expect("a graph of the builder's");
    agrees(&graph, &Constraints::default());
    for target in [Target::Cpu, Target::Host] {
        let division = divide(&graph, target, &Constraints::default());
        let large = |id: &&NodeId| graph[**id].shape.elements().estimate() > 64 * 64 * 64;
        for cluster in &division.clusters {
            let read = cluster.operands.iter().filter(large).filter(|id| !cluster.members.contains(id)).count();
            assert!(read <= 3, "on {}: {cluster:?}", target.name());
            let transposed = cluster.operands.iter().any(|id| graph[*id].name == "first");
            let reduces = matches!(&cluster.kind, ClusterKind::Loop { reduced, .. } if !reduced.is_empty());
            assert!(!transposed || !reduces, "on {}: {cluster:?}", target.name());
        }
        let copies =
            division.clusters.iter().filter(|cluster| cluster.operands.iter().any(|id| graph[*id].name == "first"));
        assert_eq!(copies.count(), 1, "on {}", target.name());
    }
}
