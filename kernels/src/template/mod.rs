//! Kernels that people wrote: OpenCL C templates, their tunables, and how they are launched.
//!
//! A template is a `.cl` file under `templates/` that compiles as it stands, and a Rust file of the same stem here. The
//! Rust file says which values each tunable may take, which combinations are legal on a device, which one to begin with
//! for a problem, and the launch. The generator writes a prelude of `#define`s (tunables, sizes, hooks) and appends
//! [`Template::sources`]; `templates/README.md` lists the hooks.
//!
//! ```
//! use netcl_kernels::template::{Axis, Limits, Problem, matmul_cpu};
//!
//! let problem = Problem::new(128, 512, 784).contiguous(Axis::K, Axis::Outer);
//! let limits = Limits { local_bytes: 1 << 20, work_group: 4096, units: 2, lanes: 16, between_bytes: 1 << 30 };
//! let template = &matmul_cpu::TEMPLATE;
//! let choice = (template.initial)(&problem, &limits);
//! assert_eq!((template.legal)(&choice, &problem, &limits), Ok(()));
//! let source = template.source(&format!("{}{}", problem.defines(), choice.defines()));
//! let [x, y, z] = (template.grid)(&choice).global(problem.m, problem.n, problem.batch);
//! # assert!(source.contains("__kernel") && x * y * z >= 4);
//! ```

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

pub mod conv2d_cpu;
pub mod conv2d_implicit_gemm;
pub mod conv2d_naive;
pub mod conv2d_tiled_local;
pub mod matmul_cpu;
pub mod matmul_naive;
pub mod matmul_register;
pub mod matmul_tiled;

/// Every template, simplest first.
pub const ALL: &[&Template] = &[
    &matmul_naive::TEMPLATE,
    &matmul_tiled::TEMPLATE,
    &matmul_register::TEMPLATE,
    &matmul_cpu::TEMPLATE,
    &conv2d_naive::TEMPLATE,
    &conv2d_implicit_gemm::TEMPLATE,
    &conv2d_tiled_local::TEMPLATE,
    &conv2d_cpu::TEMPLATE,
];

/// A kernel template.
#[derive(Debug)]
pub struct Template {
    /// The stem of its file.
    pub name: &'static str,
    /// Texts that follow the prelude, in this order. The last one holds the kernel.
    pub sources: &'static [&'static str],
    /// What a tuner may vary.
    pub tunables: &'static [Tunable],
    /// Whether it computes convolutions, with a prelude by [`conv2d_implicit_gemm::Conv2d::defines`] in the place of
    /// [`Problem::defines`]; if not, matrix products.
    pub convolution: bool,
    /// Whether it was written for processors, and not for GPUs.
    pub for_processors: bool,
    /// Whether its work-items share local memory.
    pub local_memory: bool,
    /// Whether a choice may be built and launched; if not, why not.
    pub legal: fn(&Choice, &Problem, &Limits) -> Result<(), &'static str>,
    /// The choice to begin with, legal wherever one is.
    pub initial: fn(&Problem, &Limits) -> Choice,
    /// What else to begin a search with: the kernel computes the product in several ways, between which no single tunable
    /// leads.
    pub other_forms: fn(&Problem, &Limits) -> Vec<Choice>,
    /// The launch of a choice.
    pub grid: fn(&Choice) -> Grid,
    /// The columns that its launch covers.
    pub columns: fn(&Choice, &Problem) -> Columns,
    /// Local memory of a work-group, in bytes.
    pub local_bytes: fn(&Choice, &Problem) -> u64,
    /// Lanes of its vectors: what `VECTOR` is, in the load and store hooks that have it in their name; 1 if it uses none of
    /// them.
    pub lanes: fn(&Choice) -> u8,
    /// Whether it loads vectors of an operand that is computed, whose elements can be had as lanes along that axis.
    pub loads_vectors: fn(&Choice, Matrix, Axis) -> bool,
    /// Whether it copies elements of A that are computed before it uses them several times, and takes `A_COMPUTED` for that.
    pub copies_computed_a: bool,
}

impl Template {
    /// The whole program: `prelude`, then the template.
    pub fn source(&self, prelude: &str) -> String {
        let mut text = prelude.to_owned();
        for source in self.sources {
            text.push_str(source);
        }
        text
    }

    /// `#undef` for every macro that the template defines, for a program that holds it more than once.
    pub fn undefs(&self) -> String {
        let names: BTreeSet<&str> = self
            .sources
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| line.strip_prefix("#define "))
            .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
            .collect();
        names.into_iter().fold(String::new(), |mut text, name| {
            let _ = writeln!(text, "#undef {name}");
            text
        })
    }

    /// The choice that the `.cl` file makes by itself.
    pub fn defaults(&self) -> Choice {
        Choice(self.tunables.iter().map(|tunable| (Cow::Borrowed(tunable.name), tunable.default)).collect())
    }

    /// Every legal choice, in the order of the tunables' values.
    pub fn choices<'a>(&'a self, problem: &'a Problem, limits: &'a Limits) -> impl Iterator<Item = Choice> + 'a {
        every_choice(self.tunables).filter(|choice| (self.legal)(choice, problem, limits).is_ok())
    }
}

/// Every combination of the values of `tunables`, legal or not; the empty one where there are none.
pub(crate) fn every_choice(tunables: &[Tunable]) -> impl Iterator<Item = Choice> {
    let count: usize = tunables.iter().map(|tunable| tunable.values.len()).product();
    (0..count).map(move |mut index| {
        let mut choice = Choice::default();
        for tunable in tunables {
            choice.set(tunable.name, tunable.values[index % tunable.values.len()]);
            index /= tunable.values.len();
        }
        choice
    })
}

/// A macro that a tuner may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunable {
    /// The macro's name.
    pub name: &'static str,
    /// What the `.cl` file takes if nobody defines it.
    pub default: u32,
    /// What is worth trying.
    pub values: &'static [u32],
}

/// A value for each tunable, in the template's order or the one they were given in, which equality and order do not look at.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<(String, u32)>")]
pub struct Choice(Vec<(Cow<'static, str>, u32)>);

impl TryFrom<Vec<(String, u32)>> for Choice {
    type Error = String;

    /// As it is read from records: with a value for no tunable twice.
    fn try_from(values: Vec<(String, u32)>) -> Result<Self, String> {
        let mut choice = Choice::default();
        for (name, value) in values {
            if choice.iter().any(|(known, _)| known == name) {
                return Err(format!("{name} has two values"));
            }
            choice.set(name, value);
        }
        Ok(choice)
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        // Names are distinct, so that each of its own stands for another one of the other's.
        self.0.len() == other.0.len() && self.0.iter().all(|own| other.0.contains(own))
    }
}

impl Eq for Choice {}

impl PartialOrd for Choice {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Choice {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sorted().cmp(&other.sorted())
    }
}

impl Hash for Choice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sorted().hash(state);
    }
}

impl Choice {
    /// A choice of these values; of two for one tunable the last.
    pub fn new(values: &[(&'static str, u32)]) -> Self {
        values.iter().fold(Choice::default(), |mut choice, (name, value)| {
            choice.set(*name, *value);
            choice
        })
    }

    /// By name.
    fn sorted(&self) -> Vec<(&str, u32)> {
        let mut values: Vec<_> = self.iter().collect();
        values.sort_unstable();
        values
    }

    /// The value of a tunable; 0, which no tunable but `FORM` takes, if the choice does not name it.
    pub fn get(&self, name: &str) -> u32 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value)
    }

    /// Gives a tunable a value.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: u32) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The same without a value for `name`.
    #[must_use]
    pub fn without(&self, name: &str) -> Choice {
        Choice(self.0.iter().filter(|(known, _)| *known != name).cloned().collect())
    }

    /// The values, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// One `#define` for each value.
    pub fn defines(&self) -> String {
        self.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = writeln!(text, "#define {name} {value}");
            text
        })
    }
}

/// What a template asks about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of local memory of a work-group; 0 where kernels are to have none.
    pub local_bytes: u64,
    /// Most work-items in a work-group.
    pub work_group: u32,
    /// Compute units.
    pub units: u32,
    /// Lanes of the accumulator type in a hardware vector; 1 on a GPU.
    pub lanes: u32,
    /// Most bytes that all tensors between the kernels of one variant may take together: patches, transformed tiles,
    /// parts of sums. Calls have them besides their own memory.
    pub between_bytes: u64,
}

/// One of the two operands of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// The left one, of m rows and k columns.
    A,
    /// The right one, of k rows and n columns.
    B,
}

impl Matrix {
    /// The letter that stands for it in the names of hooks.
    pub const fn letter(self) -> &'static str {
        match self {
            Matrix::A => "A",
            Matrix::B => "B",
        }
    }

    /// The macro for the pointer to it.
    pub const fn pointer(self) -> &'static str {
        match self {
            Matrix::A => "a",
            Matrix::B => "b",
        }
    }

    /// What its load hooks are called with: its axes in order.
    pub const fn axes(self) -> [&'static str; 3] {
        match self {
            Matrix::A => ["batch", "m", "k"],
            Matrix::B => ["batch", "k", "n"],
        }
    }

    /// The position among [`Matrix::axes`] of the axis that is summed over.
    pub const fn depth(self) -> usize {
        match self {
            Matrix::A => 2,
            Matrix::B => 1,
        }
    }

    /// The position of the other one of its last two axes.
    pub const fn outer(self) -> usize {
        3 - self.depth()
    }
}

/// Over which columns a template is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The product's own.
    OfProduct,
    /// So many for each image of a convolution; those that lie outside the image give nothing.
    PerImage(u64),
}

/// The axis along which neighbours of an operand are neighbours in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The axis that is summed over.
    K,
    /// The other one: m of A, n of B.
    Outer,
    /// Neither: the operand is read by stride, or computed.
    None,
}

impl Axis {
    /// Every axis.
    pub const ALL: [Axis; 3] = [Axis::K, Axis::Outer, Axis::None];

    /// `k`, `outer` or `none`: the name in tasks and records.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::K => "k",
            Axis::Outer => "outer",
            Axis::None => "none",
        }
    }
}

/// The product that a template is to compute. A size that is not known yet may be estimated: it decides speed, not
/// results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Rows of C.
    pub m: u64,
    /// Columns of C.
    pub n: u64,
    /// Terms of a sum.
    pub k: u64,
    /// Independent products.
    pub batch: u64,
    /// The contiguous axis of A.
    pub a: Axis,
    /// The contiguous axis of B.
    pub b: Axis,
    /// Both operands have a contiguous axis of a multiple of 4 elements, and begin every row and every batch aligned to
    /// 4 elements. Unlike the sizes this must be true.
    pub aligned: bool,
    /// Bytes of an accumulator.
    pub bytes: u32,
    /// The convolution that the product stands for, if it does.
    pub conv: Option<conv2d_implicit_gemm::Conv2d>,
}

impl Problem {
    /// A product of row-major matrices of `f32`.
    pub fn new(m: u64, n: u64, k: u64) -> Self {
        Self { m, n, k, batch: 1, a: Axis::K, b: Axis::Outer, aligned: false, bytes: 4, conv: None }
    }

    /// The same, with these contiguous axes.
    #[must_use]
    pub fn contiguous(mut self, a: Axis, b: Axis) -> Self {
        (self.a, self.b) = (a, b);
        self
    }

    /// The macros that tell a template about the operands' axes.
    pub fn defines(&self) -> String {
        let along = |axis| u32::from(axis == Axis::Outer);
        format!(
            "#define A_ALONG {}\n#define B_ALONG {}\n#define B_CONTIGUOUS {}\n",
            along(self.a),
            along(self.b),
            along(self.b)
        )
    }
}

/// A launch whose size follows the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Rows of C that one work-group computes.
    pub per_group_m: u32,
    /// Columns of C that one work-group computes.
    pub per_group_n: u32,
    /// Work-items of a work-group along n, m and batch.
    pub local: [u32; 3],
}

impl Grid {
    /// Work-groups along n, m and batch.
    pub fn groups(&self, m: u64, n: u64, batch: u64) -> [u64; 3] {
        [n.div_ceil(self.per_group_n.into()), m.div_ceil(self.per_group_m.into()), batch]
    }

    /// The global size. A size of 0 means that there is nothing to launch.
    pub fn global(&self, m: u64, n: u64, batch: u64) -> [u64; 3] {
        let groups = self.groups(m, n, batch);
        std::array::from_fn(|axis| groups[axis] * u64::from(self.local[axis]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Limits =
        Limits { local_bytes: 48 << 10, work_group: 1024, units: 132, lanes: 1, between_bytes: u64::MAX };
    const SMALL_GPU: Limits =
        Limits { local_bytes: 16 << 10, work_group: 256, units: 8, lanes: 1, between_bytes: u64::MAX };
    const CPU: Limits = Limits { local_bytes: 1 << 20, work_group: 4096, units: 2, lanes: 16, between_bytes: u64::MAX };
    const OLD_CPU: Limits =
        Limits { local_bytes: 32 << 10, work_group: 1024, units: 64, lanes: 4, between_bytes: u64::MAX };

    fn problems() -> impl Iterator<Item = Problem> {
        let sizes = [1, 3, 10, 33, 128, 784, 4096];
        let axes = [Axis::K, Axis::Outer, Axis::None];
        sizes.into_iter().flat_map(move |m| {
            sizes.into_iter().flat_map(move |n| {
                [1, 64, 784].into_iter().flat_map(move |k| {
                    axes.into_iter().flat_map(move |a| {
                        axes.into_iter().map(move |b| Problem { batch: 3, ..Problem::new(m, n, k).contiguous(a, b) })
                    })
                })
            })
        })
    }

    #[test]
    fn the_defaults_are_those_of_the_source() {
        for template in ALL {
            for tunable in template.tunables {
                let written: Vec<&str> = defined(template, tunable.name).collect();
                assert!(!written.is_empty(), "{}: {}", template.name, tunable.name);
                // Some the source writes by name, or derives from the others.
                for value in written.into_iter().filter_map(|text| text.parse::<u32>().ok()) {
                    assert_eq!(value, tunable.default, "{}: {}", template.name, tunable.name);
                }
                assert!(tunable.values.contains(&tunable.default), "{}: {}", template.name, tunable.name);
            }
        }
    }

    /// What the template's text defines `name` as, wherever it does.
    fn defined<'a>(template: &'a Template, name: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = template.sources.iter().flat_map(|source| source.lines());
        lines
            .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
            .filter_map(move |(own, value)| (own == name).then_some(value.trim()))
    }

    #[test]
    fn lanes_are_those_of_the_source() {
        for template in ALL {
            let choice = template.defaults();
            let lanes = u32::from((template.lanes)(&choice));
            let fixed = defined(template, "VECTOR").next().map_or(1, |lanes| lanes.parse().unwrap());
            assert_eq!(lanes, fixed, "{}", template.name);
            // Where it can be tuned, the choice says it and not the text.
            for tunable in template.tunables.iter().filter(|tunable| tunable.name == "VECTOR") {
                for &value in tunable.values {
                    let mut choice = choice.clone();
                    choice.set("VECTOR", value);
                    assert_eq!(u32::from((template.lanes)(&choice)), value, "{}", template.name);
                }
            }
        }
    }

    #[test]
    fn what_templates_say_of_themselves_is_in_their_source() {
        for template in ALL {
            let mentions = |word: &str| template.sources.iter().any(|source| source.contains(word));
            assert_eq!(template.local_memory, mentions("__local "), "{}", template.name);
            assert_eq!(template.copies_computed_a, mentions("A_COMPUTED"), "{}", template.name);
            assert_eq!(template.convolution, mentions("#define PRODUCT"), "{}", template.name);
            for matrix in [Matrix::A, Matrix::B] {
                let loads = [Axis::K, Axis::Outer].into_iter().any(|along| {
                    let limits = [GPU, CPU];
                    let problem = Problem { aligned: true, ..Problem::new(512, 512, 512).contiguous(along, along) };
                    let mut choices = limits.iter().flat_map(|limits| template.choices(&problem, limits));
                    choices.any(|choice| (template.loads_vectors)(&choice, matrix, along))
                });
                let hook = format!("LOAD_{}_VECTOR(", matrix.letter());
                // A convolution's hooks load one by one: its index maps find an element at a time.
                assert_eq!(loads, !template.convolution && mentions(&hook), "{}: {hook}", template.name);
            }
        }
    }

    #[test]
    fn the_initial_choice_is_legal_and_within_the_space() {
        for template in ALL {
            for problem in problems() {
                for limits in [GPU, SMALL_GPU, CPU, OLD_CPU] {
                    let choice = (template.initial)(&problem, &limits);
                    assert_eq!(
                        (template.legal)(&choice, &problem, &limits),
                        Ok(()),
                        "{} {choice:?} {problem:?} {limits:?}",
                        template.name
                    );
                    for tunable in template.tunables {
                        let value = choice.get(tunable.name);
                        assert!(tunable.values.contains(&value), "{}: {} = {value}", template.name, tunable.name);
                    }
                    assert_eq!(choice.iter().count(), template.tunables.len());
                }
            }
        }
    }

    #[test]
    fn a_launch_covers_every_result_once() {
        for template in ALL {
            for problem in problems() {
                let grid = (template.grid)(&(template.initial)(&problem, &GPU));
                let [x, y, z] = grid.groups(problem.m, problem.n, problem.batch);
                assert!(x * u64::from(grid.per_group_n) >= problem.n);
                assert!((x - 1) * u64::from(grid.per_group_n) < problem.n);
                assert!(y * u64::from(grid.per_group_m) >= problem.m);
                assert!((y - 1) * u64::from(grid.per_group_m) < problem.m);
                assert_eq!(z, problem.batch);
            }
        }
    }

    #[test]
    fn there_are_choices_to_try() {
        for template in ALL {
            let problem = Problem::new(512, 512, 512);
            for limits in [GPU, CPU] {
                let count = template.choices(&problem, &limits).count();
                assert!((1..4000).contains(&count), "{}: {count}", template.name);
            }
        }
    }

    #[test]
    fn undefs_name_tunables_and_hooks() {
        let text = matmul_cpu::TEMPLATE.undefs();
        for name in ["KERNEL_NAME", "LOAD_A", "STORE", "TILE_M", "PASTE"] {
            assert!(text.contains(&format!("#undef {name}\n")), "{name}");
        }
    }
}
