//! Sizes of random expressions over two symbols: a plan refuses the values for which the operations refuse the numbers, and otherwise
//! computes what they do.

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Bindings, Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::plan::Target;
use netcl_kernels::span::Result;

/// Numbers that are equal in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn from(&mut self, start: i64, end: i64) -> i64 {
        start + self.below((end - start) as u64) as i64
    }

    fn size(&mut self) -> Dim {
        let (a, b) = (Dim::symbol("A"), Dim::symbol("B"));
        let rest = Dim::constant(self.from(-2, 7));
        match self.below(8) {
            0 => Dim::constant(self.from(0, 5)),
            1 => a + rest,
            2 => rest - b,
            3 => a - b + rest,
            4 => (b - a + rest).floor_div(2),
            5 => a * b + rest,
            6 => rest - a * b,
            _ => rest - a.floor_div(2),
        }
    }
}

/// An operation and its arguments behind the first.
type Step = (&'static str, Vec<Value>);

fn step(numbers: &mut Numbers) -> Step {
    let zero = Value::Dim(Dim::constant(0));
    let number = |value: i64| Value::Dim(Dim::constant(value));
    let mut size = || Value::Dim(numbers.size());
    let (first, second) = (size(), size());
    match numbers.below(9) {
        0 | 1 => ("narrow", vec![zero, first, second]),
        2 => ("slice", vec![zero, first, second, number(1 + numbers.below(2) as i64)]),
        3 => ("pad", vec![zero, first, second, Value::Number(0.0)]),
        4 => ("pad", vec![zero, first, second, Value::Number(1.5)]),
        5 => ("tile", vec![Value::List(vec![first, number(1)])]),
        6 => ("pad_replicate", vec![zero, first, second]),
        7 => ("cumsum", vec![zero]),
        _ => ("unfold", vec![zero, number(2), number(1)]),
    }
}

/// The steps on `x`, of sizes as `known` has them; the sum and the mean of what comes out, with gradients.
fn graph(steps: &[Step], known: Bindings<'_>) -> Result<Graph> {
    let value = |value: &Value| -> Value {
        let known = |value: &Value| match value {
            Value::Dim(size) => Value::Dim(size.known(known)),
            other => other.clone(),
        };
        match value {
            Value::List(list) => Value::List(list.iter().map(known).collect()),
            other => known(other),
        }
    };
    let mut b = Builder::new("f");
    let mut input = |position, name: &str, sizes: [Dim; 2]| {
        let sizes = sizes.map(|size| size.known(known)).to_vec();
        b.input(InputKind::Argument(position), name, Shape(sizes), DType::F32)
    };
    let mut x = input(0, "x", [Dim::from(8), Dim::from(2)]);
    let like = input(1, "like", [Dim::symbol("A"), Dim::symbol("B")]);
    let call = |b: &mut Builder, name: &str, x: NodeId, args: &[Value]| {
        let operation = ops::find(name).unwrap_or_else(|| panic!("no operation `{name}`"));
        let args: Vec<Value> = std::iter::once(Value::Tensor(x)).chain(args.iter().map(value)).collect();
        ops::call(b, operation, &args)
    };
    for (name, args) in steps {
        x = call(&mut b, name, x, args)?;
    }
    let squares = call(&mut b, "square", x, &[])?;
    let (sum, like) = (call(&mut b, "sum_all", squares, &[])?, call(&mut b, "sum_all", like, &[])?);
    let sum = call(&mut b, "add", sum, &[Value::Tensor(like)])?;
    b.output(OutputKind::Result(0), sum);
    append_gradients(b.finish(), Arguments::Floats)
}

/// Of a graph with these symbols, or with these numbers instead.
fn run(graph: &Graph, bindings: Bindings<'_>) -> Vec<Vec<f64>> {
    let give = |kind: &InputKind, _: &str| {
        let shape = match kind {
            InputKind::Argument(0) => vec![8, 2],
            _ => bindings.iter().map(|(_, size)| *size as usize).collect(),
        };
        let values: Vec<f64> = (0..shape.iter().product::<usize>()).map(|i| i as f64 * 0.25 - 1.0).collect();
        HostTensor::from_f64(DType::F32, &shape, &values).ok()
    };
    let outputs = evaluate(graph, bindings, &give, Precision::F64).unwrap_or_else(|error| panic!("{error}\n{graph}"));
    outputs.into_iter().map(|(_, value)| value.to_f64()).collect()
}

#[test]
fn sizes_are_refused_as_numbers_are() {
    let (mut refused, mut computed) = (0, 0);
    for seed in 0..240 {
        let mut numbers = Numbers(seed);
        let steps: Vec<Step> = (0..1 + numbers.below(3)).map(|_| step(&mut numbers)).collect();
        // What the compiler refuses is refused for all values.
        let Ok(open) = graph(&steps, &[]) else { continue };
        let plans = Target::ALL.map(|target| compile(&open, target).unwrap_or_else(|error| panic!("{error}\n{open}")));
        for (a, b) in (1..6).flat_map(|a| (1..6).map(move |b| (a, b))) {
            let bindings = [("A", a), ("B", b)].map(|(name, size)| (Symbol::new(name), size));
            let problems = plans
                .each_ref()
                .map(|plan| plan.requirements.iter().find_map(|requirement| requirement.check(&bindings).err()));
            assert!(problems.iter().all(|problem| *problem == problems[0]), "{problems:?}");
            let what = || format!("seed {seed}, A = {a}, B = {b}: {steps:?}\n{open}");
            match (graph(&steps, &bindings), &problems[0]) {
                (Err(error), None) => panic!("{error}, and the plan takes it: {}", what()),
                (Err(_), Some(problem)) => {
                    assert!(problem.starts_with('`'), "`{problem}` names no operation");
                    refused += 1;
                }
                (Ok(_), Some(problem)) => panic!("{problem}, and the operations take it: {}", what()),
                (Ok(closed), None) => {
                    for (own, wanted) in run(&open, &bindings).iter().zip(run(&closed, &bindings)) {
                        let same = own.len() == wanted.len()
                            && own.iter().zip(&wanted).all(|(x, y)| (x - y).abs() <= 1e-9 * x.abs().max(1.0));
                        assert!(same, "{own:?}, not {wanted:?}: {}", what());
                    }
                    computed += 1;
                }
            }
        }
    }
    assert!(refused > 200 && computed > 200, "{refused} refused, {computed} computed");
}
