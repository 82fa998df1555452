//! A compiled function: buffers, kernels and the order in which they run. The executor needs nothing else.

pub mod embed;
pub mod memory;
pub mod requirement;
pub mod source;
pub mod verify;

use crate::dim::{Dim, IndexWidth, Shape, Symbol};
use crate::dtype::{DType, Literal};
use crate::emit::rust::has_native_code;
use crate::graph::{ConvGeometry, ConvKind, OutputKind};
use crate::kir;
pub use crate::target::Target;
use crate::variant::Decision;
use requirement::Requirement;
use serde::{Deserialize, Serialize};
use source::ProgramText;
use std::fmt;

/// A buffer of a [`Plan`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BufferId(pub u32);

/// Who owns a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The caller's argument at that position.
    Argument(usize),
    /// The parameter of that path, inside the model's parameter buffer.
    Parameter(String),
    /// The state of that path, inside the model's state buffer.
    State(String),
    /// An output; `OutputKind::Gradient` lives inside the model's gradient buffer, `OutputKind::State` overwrites the
    /// state after the last step that reads it.
    Output(OutputKind),
    /// Lives between the first and the last step that touch it, in the plan's arena.
    Scratch,
}

/// In words: `argument 0`, `parameter hidden.weight`, `gradient of hidden.weight`.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Argument(position) => write!(f, "argument {position}"),
            Role::Parameter(path) => write!(f, "parameter {path}"),
            Role::State(path) => write!(f, "state {path}"),
            Role::Output(OutputKind::Result(position)) => write!(f, "result {position}"),
            Role::Output(OutputKind::Gradient(path)) => write!(f, "gradient of {path}"),
            Role::Output(OutputKind::State(path)) => write!(f, "new state {path}"),
            Role::Output(OutputKind::ArgumentGradient(position)) => write!(f, "gradient of argument {position}"),
            Role::Scratch => f.write_str("scratch"),
        }
    }
}

/// One buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// For people: the user's name for it, or what it holds.
    pub name: String,
    /// Row-major.
    pub shape: Shape,
    /// Element type.
    pub dtype: DType,
    /// Who owns it.
    pub role: Role,
    /// How the user writes it, where that is no name of a kernel's parameter: `batch.x` of a struct's field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

impl Buffer {
    /// What the user calls it: a tensor of a model by its path.
    pub fn said(&self) -> &str {
        match &self.role {
            Role::Parameter(path) | Role::State(path) => path,
            _ => self.written.as_deref().unwrap_or(&self.name),
        }
    }
}

/// What is passed for one parameter of a step's kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// A buffer.
    Buffer(BufferId),
    /// A size, as a 32-bit integer of the parameter's own type (`I32` for a `Scalar`, `U32` for a `Symbol`).
    Dim(Dim),
    /// A size, as a number of that type.
    DimAs(Dim, DType),
    /// The caller's scalar at that position (seed, learning rate), of that type.
    Scalar(usize, DType),
    /// A constant.
    Literal(Literal),
}

/// An operand of a library product: element `(batch, row, column)` is at `offset + batch·s0.. + row·s1 + column·s2`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// Where it lies.
    pub buffer: BufferId,
    /// First element.
    pub offset: Dim,
    /// One stride per batch axis.
    pub batch: Vec<Dim>,
    /// From one row to the next.
    pub row: Dim,
    /// From one column to the next.
    pub column: Dim,
}

/// What a step runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "a plan has few steps, and they are read, not moved")]
pub enum Work {
    /// A kernel of the plan's program ([`Plan::source`]) on an OpenCL device.
    Kernel {
        /// Its name in the program.
        entry: String,
        /// How many work-items.
        launch: kir::Launch,
    },
    /// A loop kernel on the host, by its position in [`Plan::loops`]: native code where the macro made some, the
    /// interpreter elsewhere.
    Loop {
        /// Which.
        kernel: usize,
    },
    /// `c = a x b` on the host, by the matrix library.
    MatMul {
        /// Batch sizes.
        batch: Vec<Dim>,
        /// Rows of `a` and `c`.
        m: Dim,
        /// Columns of `b` and `c`.
        n: Dim,
        /// Columns of `a`, rows of `b`.
        k: Dim,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
        /// Result.
        c: Operand,
        /// Of all three.
        dtype: DType,
    },
    /// One of the three convolutions on the host. The step's buffers are the two operands, then the result.
    Conv2d {
        /// Which.
        kind: ConvKind,
        /// Shape of the forward input `[n, c, h, w]`.
        input: Shape,
        /// Shape of the weight `[o, c/groups, kh, kw]`.
        weight: Shape,
        /// Shape of the forward output `[n, o, oh, ow]`.
        output: Shape,
        /// Stride and so on.
        geometry: ConvGeometry,
        /// Of all three.
        dtype: DType,
    },
    /// A scatter-add on the host: zeros with rows of updates added. The step's buffers are the row numbers, of 32 bits, the
    /// updates, then the result.
    ScatterAdd {
        /// Rows of the result.
        rows: Dim,
        /// Updates.
        count: Dim,
        /// Elements of a row.
        features: Dim,
        /// Of updates and result.
        dtype: DType,
    },
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// For people: the user's expression, shortened.
    pub label: String,
    /// What runs.
    pub work: Work,
    /// What is passed, one per parameter of the kernel.
    pub args: Vec<Arg>,
    /// Buffers it reads.
    pub reads: Vec<BufferId>,
    /// Buffers it writes.
    pub writes: Vec<BufferId>,
    /// Bytes of local memory that a work-group's arrays take.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub local_bytes: u64,
    /// Floating-point operations, for reports; `None` where they are not known before it runs.
    pub flops: Option<Dim>,
    /// Bytes read and written when every buffer is touched once, for reports.
    pub bytes: [Dim; 2],
}

/// The most rounds of a loop in one launch of a kernel that runs them: drivers of GPUs with a display stop launches that take
/// seconds.
pub const ROUNDS_OF_LAUNCH: u64 = 1024;

/// Steps that a loop repeats, once for each of its rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The first of them.
    pub first: usize,
    /// How many they are.
    pub count: usize,
    /// How many of the steps behind them run where there is no round at all, and only there.
    pub otherwise: usize,
    /// How many rounds there are.
    pub length: Dim,
    /// The symbol that is the number of the round, from 1 on.
    pub step: Symbol,
    /// Whether the last round comes first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
    /// What rounds pass on.
    pub carried: Vec<Carried>,
    /// The rounds of the loop that one kernel runs, [`ROUNDS_OF_LAUNCH`] in each of its launches, where these are those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Dim>,
}

/// A value that the rounds of a loop pass on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// What it is before the first round.
    pub initial: BufferId,
    /// Where a round's steps read it. What they name so and what they name [`Carried::next`] are two places that take turns: a round
    /// reads what the one before it has written (the first one `initial`), and the last one writes `next`.
    pub current: BufferId,
    /// Where a round's steps write it, and where it is after the last round.
    pub next: BufferId,
}

impl Repeat {
    /// The steps that are repeated.
    pub fn steps(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// These and the steps that run instead where there is no round.
    pub fn all(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count + self.otherwise
    }

    /// The symbol's values, round by round.
    pub fn rounds(&self, length: u64) -> impl Iterator<Item = u64> {
        let reverse = self.reverse;
        (1..=length).map(move |round| if reverse { length + 1 - round } else { round })
    }
}

/// A compiled function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The function's name.
    pub name: String,
    /// What it was made for.
    pub target: Target,
    /// Symbols that the arguments bind, in order.
    pub symbols: Vec<Symbol>,
    /// Every buffer.
    pub buffers: Vec<Buffer>,
    /// Types of the caller's scalars, by position.
    pub scalars: Vec<DType>,
    /// What the symbols' values must satisfy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// How its kernels count: its buffers have no more elements than that.
    #[serde(default, skip_serializing_if = "IndexWidth::is_narrow")]
    pub width: IndexWidth,
    /// New values of states that the step which writes them may not put in place of the old ones, because it reads others
    /// of those than the ones it is about to write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_place: Vec<BufferId>,
    /// How products, convolutions and loops are computed, in the order in which that was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Which of them loops repeat; an inner loop comes before the one around it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
    /// The host's loop kernels, each once however many steps run it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<kir::Kernel>,
    /// OpenCL C of all kernels (empty for [`Target::Host`]), each once however many steps launch it.
    pub source: ProgramText,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Plan {
    /// The buffer.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }

    /// The kernel that a step runs on the host; `None` for steps that are no loops.
    pub fn loop_kernel(&self, step: &Step) -> Option<&kir::Kernel> {
        match step.work {
            Work::Loop { kernel } => self.loops.get(kernel),
            Work::Kernel { .. } | Work::MatMul { .. } | Work::Conv2d { .. } | Work::ScatterAdd { .. } => None,
        }
    }

    /// What runs, as text: the program's OpenCL C, or, on the host, its loop kernels in the IR's text form, which of them the
    /// interpreter runs, and the names of what its library computes.
    pub fn listing(&self) -> String {
        if self.target != Target::Host {
            return self.source.to_string();
        }
        let mut text = format!(
            "// {} on the host: these kernels of the IR, as Rust where nothing else is said, and its library\n",
            self.name
        );
        for (position, step) in self.steps.iter().enumerate() {
            let what = match &step.work {
                Work::Kernel { entry, .. } => entry,
                Work::Loop { .. } => self.loop_kernel(step).map_or("loop", |kernel| &kernel.name),
                Work::MatMul { .. } => "matrix product, by the library",
                Work::Conv2d { .. } => "convolution, by the library",
                Work::ScatterAdd { .. } => "scatter-add, by the library",
            };
            text.push_str(&format!("//  {:>3}. {what}: {}\n", position + 1, step.label.replace('\n', " ")));
        }
        for kernel in &self.loops {
            text.push('\n');
            text.push_str(&host_text(kernel));
        }
        text.push('\n');
        text
    }

    /// As JSON, which is what macros [`embed`].
    ///
    /// # Errors
    ///
    /// None that is known: a plan is data, which JSON has names for.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// What [`Plan::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// The text is no plan, or one of another version of netcl; with the place of what is wrong.
    pub fn from_json(text: &str) -> serde_json::Result<Plan> {
        serde_json::from_str(text)
    }

    /// How many launches one call makes; with loops, one that has a round in each.
    pub fn launches(&self) -> usize {
        self.steps.len() - self.repeats.iter().map(|repeat| repeat.otherwise).sum::<usize>()
    }

    /// How often the step at that position runs where loops have rounds.
    pub fn times(&self, position: usize) -> Dim {
        if self.repeats.iter().any(|repeat| repeat.all().contains(&position) && !repeat.steps().contains(&position)) {
            return Dim::default();
        }
        let around = self.repeats.iter().filter(|repeat| repeat.steps().contains(&position));
        around.fold(Dim::constant(1), |times, repeat| times * repeat.length.clone())
    }
}

/// A loop kernel of a plan for the host in the IR's text form, which says so where it has no native code.
pub fn host_text(kernel: &kir::Kernel) -> String {
    let how = if has_native_code(kernel) { "" } else { "// by the interpreter:\n" };
    format!("{how}{}", kir::text::print(kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_interpreter_runs_is_said() {
        let text =
            |name: &str, line: &str| format!("kernel {name}\nlaunch [64] local [64]\nparam x: write f32\n{line}");
        let loops = [("plain", ""), ("together", "barrier\n")]
            .map(|(name, line)| kir::text::parse(&text(name, line)).unwrap())
            .into();
        let plan = Plan {
            name: "f".to_owned(),
            target: Target::Host,
            symbols: Vec::new(),
            buffers: Vec::new(),
            scalars: Vec::new(),
            requirements: Vec::new(),
            width: IndexWidth::Narrow,
            not_in_place: Vec::new(),
            decisions: Vec::new(),
            steps: Vec::new(),
            repeats: Vec::new(),
            loops,
            source: ProgramText::default(),
        };
        let text = plan.listing();
        assert!(text.contains("\n\nkernel plain\n"), "{text}");
        assert!(text.contains("\n\n// by the interpreter:\nkernel together\n"), "{text}");
    }
}
