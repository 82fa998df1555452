//! The text of these kernels' native code is that of the kernels, and gives the interpreter's bits.

use super::super::faults::Faults;
use super::super::memory::HostBuffer;
use super::super::multiversion::engine;
use super::super::native::{Args, Passed};
use super::{emitted, key_of};
use netcl_fixtures::bits::one_nan;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::emit::rust::native_code;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use netcl_kernels::kir::interp::{CompiledKernel, LaunchArg};
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::kir::{Kernel, ParamKind};
use netcl_kernels::ops::{self, Value};
use std::collections::BTreeMap;

/// An operation with what it is called with behind its tensors, whose sizes these are.
type Call = (&'static str, Vec<Vec<Dim>>, Vec<Value>);

fn calls() -> Vec<Call> {
    let size = |name: &str| Dim::symbol(name);
    let whole = |number: i64| Value::Dim(Dim::constant(number));
    let square = || vec![size("R"), size("N"), size("N")];
    let high = || vec![size("R"), size("N") + Dim::constant(2), size("N")];
    let right = || vec![size("R"), size("N"), size("M")];
    let mut all: Vec<Call> = vec![
        ("solve", vec![square(), right()], vec![]),
        ("lstsq", vec![high(), vec![size("R"), size("N") + Dim::constant(2), size("M")]], vec![]),
        ("fft", vec![vec![size("R"), Dim::constant(60), Dim::constant(2)]], vec![whole(1)]),
        ("fft", vec![vec![size("R"), Dim::constant(67), Dim::constant(2)]], vec![whole(1)]),
    ];
    for way in [true, false] {
        let rows = || vec![size("R"), Dim::constant(4096)];
        all.push(("sort", vec![rows()], vec![whole(1), Value::Bool(way)]));
        all.push(("searchsorted", vec![rows(), vec![size("R"), size("M")]], vec![Value::Bool(way)]));
        all.push(("solve_triangular", vec![square(), right()], vec![Value::Bool(way)]));
    }
    for name in ["cholesky", "inv", "det", "eigvalsh", "eigh_vectors"] {
        all.push((name, vec![square()], vec![]));
    }
    for name in ["qr_q", "qr_r", "svd_u", "svdvals", "svd_vh"] {
        all.push((name, vec![high()], vec![]));
    }
    all
}

/// The graph of a call, and that with its gradients.
fn graphs((name, tensors, others): &Call, dtype: DType) -> Vec<Graph> {
    let operation = ops::find(name).unwrap_or_else(|| panic!("`{name}`"));
    let mut builder = Builder::new(name);
    let input = |(position, sizes): (usize, &Vec<Dim>)| {
        let name = format!("x{position}");
        builder.input(InputKind::Argument(position), &name, Shape(sizes.clone()), dtype)
    };
    let inputs: Vec<NodeId> = tensors.iter().enumerate().map(input).collect();
    let args: Vec<Value> = inputs.into_iter().map(Value::Tensor).chain(others.iter().cloned()).collect();
    let result = ops::call(&mut builder, operation, &args).unwrap_or_else(|error| panic!("`{name}`: {error}"));
    let mut graphs = Vec::new();
    if builder.dtype(result).is_float() {
        let axes: Vec<usize> = (0..builder.shape(result).rank()).collect();
        let sum = builder.reduce(netcl_kernels::graph::ReduceOp::Sum, result, &axes, false).unwrap();
        builder.output(OutputKind::Result(0), sum);
        graphs.extend(append_gradients(builder.finish(), Arguments::Floats));
    } else {
        builder.output(OutputKind::Result(0), result);
        graphs.push(builder.finish());
    }
    graphs
}

/// The kernels that are launched as they are, by their text.
fn kernels() -> BTreeMap<String, Kernel> {
    let mut all = BTreeMap::new();
    let order = ["sort", "searchsorted"];
    for call in calls() {
        let dtypes = if order.contains(&call.0) { [DType::F32, DType::I32] } else { [DType::F32, DType::F64] };
        for graph in dtypes.into_iter().flat_map(|dtype| graphs(&call, dtype)) {
            for node in &graph.nodes {
                let Op::Custom { kernel: custom, .. } = &node.op else { continue };
                all.extend(custom.kernels.iter().map(|kernel| (key_of(kernel), kernel.clone())));
            }
        }
    }
    all
}

#[test]
fn the_emitted_text_is_current() {
    let mut text = String::from("//! Written by the test of this module; do not edit.\n\n");
    text.push_str("use crate::host::entry::NativeEntry;\n\n");
    text.push_str("pub(super) const ENTRIES: &[(&str, NativeEntry)] = &[\n");
    for (position, (name, kernel)) in kernels().into_iter().enumerate() {
        let verified = verify(&kernel, &Capabilities::unlimited()).unwrap();
        let code = native_code(&verified, 2).unwrap_or_else(|| panic!("no native code: {name}"));
        let code = code.replace("use ::netcl::__private::host as h;", "use crate::host::exports as h;");
        // Each of them a name of its own: they stand in one module.
        let code = ["struct Kernel;", "for Kernel {", "<Kernel>()"]
            .iter()
            .fold(code, |code, part| code.replace(part, &part.replace("Kernel", &format!("Kernel{position}"))));
        text.push_str(&format!("    ({name:?}, {{\n{code}    }}),\n"));
    }
    text.push_str("];\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/host/library/emitted.rs");
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let checked_in = std::fs::read_to_string(path).unwrap();
    assert!(checked_in == text, "the emitted text has changed; look at it with NETCL_BLESS=1 and `git diff`");
    assert_eq!(emitted::ENTRIES.len(), kernels().len());
}

/// What a kernel of small sizes has room for.
const ELEMENTS: usize = 4096;

/// A parameter's memory, or its number: sizes of 2 to 7, and others of 1 or 2, so that nothing is read past that room.
fn argument(kind: &ParamKind, name: &str) -> Result<HostBuffer, Literal> {
    let dtype = match kind {
        ParamKind::Buffer(dtype, _) => *dtype,
        ParamKind::Scalar(dtype) => {
            let number = match name {
                "span" => 64,
                "radix" => 2,
                _ => 1,
            };
            return Err(Literal::Int(number, *dtype));
        }
        _ => return Err(Literal::Int(size(name) as i64, DType::U32)),
    };
    let buffer = HostBuffer::new(ELEMENTS * dtype.size()).unwrap();
    let mut state = 0x9e37_79b9u32;
    let mut bytes = Vec::with_capacity(ELEMENTS * dtype.size());
    for _ in 0..ELEMENTS {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let unit = f64::from(state >> 8) / f64::from(1 << 24);
        match dtype {
            DType::F32 => bytes.extend((unit as f32 * 2.0 - 0.5).to_ne_bytes()),
            DType::F64 => bytes.extend((unit * 2.0 - 0.5).to_ne_bytes()),
            _ => bytes.extend(((unit * 3.0) as i32).to_ne_bytes()),
        }
    }
    buffer.write(0, &bytes).unwrap();
    Ok(buffer)
}

fn size(name: &str) -> u64 {
    2 + name.bytes().map(u64::from).sum::<u64>() % 6
}

/// The bytes of the buffers, in which NaNs are one.
fn contents(kernel: &Kernel, arguments: &[Result<HostBuffer, Literal>]) -> Vec<Vec<u8>> {
    let read = |(param, argument): (&netcl_kernels::kir::Param, &Result<HostBuffer, Literal>)| {
        let (ParamKind::Buffer(dtype, _), Ok(buffer)) = (&param.kind, argument) else { return None };
        let mut bytes = vec![0; buffer.bytes()];
        buffer.read(0, &mut bytes).unwrap();
        one_nan(&mut bytes, *dtype);
        Some(bytes)
    };
    kernel.params.iter().zip(arguments).filter_map(read).collect()
}

#[test]
fn native_code_gives_the_bits_of_the_interpreter() {
    let entries: BTreeMap<&str, _> = emitted::ENTRIES.iter().copied().collect();
    for (text, kernel) in kernels() {
        let arguments = || kernel.params.iter().map(|param| argument(&param.kind, &param.name)).collect::<Vec<_>>();
        let (interpreted, native) = (arguments(), arguments());
        let symbols = kernel.params.iter().filter(|param| matches!(param.kind, ParamKind::Symbol | ParamKind::Size));
        let bindings: Vec<(Symbol, u64)> = symbols
            .map(|param| (Symbol::new(&param.name), size(&param.name)))
            .chain([(Symbol::new("R"), size("R"))])
            .collect();
        let values = interpreted.iter().map(|argument| match argument {
            Ok(buffer) => LaunchArg::Buffer(buffer),
            Err(literal) => LaunchArg::Scalar(*literal),
        });
        let compiled = CompiledKernel::new(&verify(&kernel, &Capabilities::unlimited()).unwrap());
        compiled.launch(&values.collect::<Vec<_>>(), &bindings, engine()).unwrap().run().unwrap();

        let passed = native.iter().map(|argument| match argument {
            Ok(buffer) => Passed::Buffer(buffer),
            Err(literal) => Passed::Scalar(*literal),
        });
        let passed: Vec<Passed<'_>> = passed.collect();
        let mut global = [1; 3];
        for (size, dim) in global.iter_mut().zip(&kernel.launch.global) {
            *size = usize::try_from(dim.evaluate(&bindings).unwrap()).unwrap();
        }
        let faults = Faults::default();
        let args = Args::new(&passed, global, [1; 3], &faults);
        entries[&*text].code().unwrap()(&args, 0..args.items());
        args.result(&kernel).unwrap();
        assert!(contents(&kernel, &interpreted) == contents(&kernel, &native), "{} on {bindings:?}", kernel.name);
        let unchanged = contents(&kernel, &arguments());
        assert!(contents(&kernel, &native) != unchanged, "{} writes nothing", kernel.name);
    }
}
