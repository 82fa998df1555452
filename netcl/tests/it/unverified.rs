//! Graphs and plans that nothing has checked, as text that was changed at random: what is wrong with them is an error of
//! whoever takes them, and never a panic, an access outside or a call that does not end.

use netcl::__private::kernels::compile::compile;
use netcl::__private::kernels::graph::{Graph, InputKind, Op, text};
use netcl::__private::kernels::plan::{Plan, Target};
use netcl::__private::{Function, FunctionSource, PlanSource, Scalar};
use netcl::{Device, Tensor, jit};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Graphs of all kinds of nodes, on arguments alone.
const GRAPHS: &[&str] = &[
    "graph product
%0 = input argument 0 : f32[N, 8]  # x
%1 = input argument 1 : f32[8, 4]  # w
%2 = matmul %0, %1 : f32[N, 4]
%3 = exp %2 : f32[N, 4]
%4 = reduce sum %3 over [1] : f32[N]
%5 = view %4 [$0] : f32[N, 4]
%6 = div %3, %5 : f32[N, 4]
output result 0 = %6
",
    "graph convolution
%0 = input argument 0 : f32[N, 2, 6, 6]  # x
%1 = input argument 1 : f32[4, 2, 3, 3]  # w
%2 = conv2d %0, %1 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : f32[N, 4, 6, 6]
%3 = reduce max %2 over [2, 3] : f32[N, 4]
%4 = conv2d_input_grad %2, %1 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : f32[N, 2, 6, 6]
output result 0 = %3
output result 1 = %4
",
    "graph rows
%0 = input argument 0 : f32[5, 3]  # table
%1 = input argument 1 : i32[N]  # rows
%2 = gather %0, %1 : f32[N, 3]
%3 = scatter_add %1, %2 : f32[5, 3]
%4 = constant 0.5 : f32[5, 3]
%5 = lt %3, %4 : bool[5, 3]
%6 = select %5, %3, %4 : f32[5, 3]
%7 = cast %6 : i32[5, 3]
output result 0 = %7
output result 1 = %2
",
    "graph places
%0 = input argument 0 : f32[N, 12]  # x
%1 = reshape %0 : f32[N*3, 4]
%2 = view %1 [$0, $1*-1 + 3] : f32[N*3, 4]
%3 = iota 1 : f32[N*3, 4]
%4 = add %2, %3 : f32[N*3, 4]
%5 = view %4 [$0 over 3, $1*2 - 1] : f32[N*9, 2]
%6 = reduce argmax %5 over [1] : i32[N*9]
output result 0 = %6
",
    "graph rounds
scan 0 carried 1 step t
  graph body
  %0 = input argument 0 : f32[2]
  %1 = tanh %0 : f32[2]
  output result 0 = %1
  output result 1 = %0
end
%0 = input argument 0 : f32[2]
%1 = scan 0 [%0] length 3 : f32[2]
%2 = custom_result %1 1 : f32[3, 2]
output result 0 = %1
output result 1 = %2
",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// The text with one to three changes.
    fn changed(&mut self, text: &str) -> String {
        const CHARACTERS: &[u8] = b"0123456789-N%$[],:*+\"{}ab ";
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + self.below(3) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(12)).min(bytes.len());
            match self.below(6) {
                // Numbers above all: positions, sizes, coefficients.
                0..=2 => {
                    let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
                    if !digits.is_empty() {
                        bytes[digits[self.below(digits.len())]] = b'0' + self.below(10) as u8;
                    }
                }
                3 => bytes[at] = CHARACTERS[self.below(CHARACTERS.len())],
                4 => drop(bytes.drain(at..end)),
                _ => {
                    let piece = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// With arguments of the sizes that the graph declares, `N` being 3; `None` if that is more than a test should compute.
fn arguments(graph: &Graph, device: &Device) -> Option<Vec<Tensor>> {
    let known: Vec<_> = graph.symbols().into_iter().map(|symbol| (symbol, 3)).collect();
    let mut arguments = Vec::new();
    for (_, node) in graph.iter() {
        let sizes = node.shape.evaluate(&known)?;
        let elements = sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size))?;
        if elements > 1 << 16 {
            return None;
        }
        if matches!(node.op, Op::Input(InputKind::Argument(_))) {
            arguments.push(Tensor::zeros(device, &sizes, node.dtype).ok()?);
        }
    }
    Some(arguments)
}

/// Calls `work` with each number below `count`; what panics is told with its number.
fn each(count: u64, work: impl Fn(u64)) {
    let panics: Vec<u64> =
        (0..count).filter(|&number| catch_unwind(AssertUnwindSafe(|| work(number))).is_err()).collect();
    assert!(panics.is_empty(), "these numbers panic: {panics:?}");
}

#[test]
fn graphs() {
    let host = Device::host();
    each(3000, |number| {
        let mut random = Random(number * 2 + 0x9E37_79B9_7F4A_7C15);
        let source = GRAPHS[number as usize % GRAPHS.len()];
        let text = if number < GRAPHS.len() as u64 { source.to_owned() } else { random.changed(source) };
        let Ok(graph) = text::parse(&text) else { return };
        for target in Target::ALL {
            let _ = compile(&graph, target);
        }
        let Some(arguments) = arguments(&graph, &host) else { return };
        let arguments: Vec<&Tensor> = arguments.iter().collect();
        let results = jit::run(&graph, &arguments);
        assert!(results.is_ok() || number >= GRAPHS.len() as u64, "{}", results.unwrap_err());
    });
}

#[test]
fn plans() {
    let devices = [Device::host(), Device::null(Target::Cpu, 64 << 20), Device::null(Target::Gpu, 64 << 20)];
    let [host, ..] = &devices;
    let texts: Vec<(String, Target, &str)> = GRAPHS
        .iter()
        .flat_map(|text| {
            Target::ALL.map(|target| (compile(&text::parse(text).unwrap(), target).unwrap(), target, *text))
        })
        .map(|(plan, target, text)| (plan.to_json().unwrap(), target, text))
        .collect();
    each(3000, |number| {
        let mut random = Random(number * 2 + 0x9E37_79B9_7F4A_7C15);
        let (json, target, text) = &texts[number as usize % texts.len()];
        let whole = number < texts.len() as u64;
        let json = if whole { json.clone() } else { random.changed(json) };
        if Plan::from_json(&json).is_err() {
            return;
        }
        let device = devices.iter().find(|device| device.profile().target == *target).unwrap();
        let arguments = arguments(&text::parse(text).unwrap(), host).unwrap();
        let arguments: Vec<Tensor> = arguments.iter().map(|argument| argument.to_device(device).unwrap()).collect();
        let arguments: Vec<&Tensor> = arguments.iter().collect();
        let plans = vec![PlanSource { target: target.name(), json: json.leak() }].leak();
        let function = Function::new(Box::leak(Box::new(FunctionSource { name: "changed", graph: "", plans })));
        let results = function.call(None, "", &arguments, &[]);
        assert!(results.is_ok() || !whole, "{}", results.unwrap_err());
        let _ = function.call(None, "", &arguments, &[Scalar::F32(1.0)]);
    });
}
