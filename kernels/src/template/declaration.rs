//! What the declaration of a template says.

use super::choice::{Choice, Tunable, every_choice};
use super::launch::{Columns, Grid, Resident};
use super::problem::{Axis, Limits, Matrix, Problem};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The most terms of a running sum, which for each thousand equal ones may be off by some hundred-thousandths.
pub(super) const RUNNING: i64 = 2048;

/// A kernel template.
#[derive(Debug)]
pub struct Template {
    /// The stem of its file.
    pub name: &'static str,
    /// Texts that follow the prelude, in this order. The last one holds the kernel, or one of the last: which, the prelude says (`BULK`).
    pub sources: &'static [&'static str],
    /// What a tuner may vary.
    pub tunables: &'static [Tunable],
    /// Whether it computes convolutions, with a prelude by [`Conv2d::defines`](super::convolution::Conv2d::defines) in the place of
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
    /// The launch of its kernel whose operands are copied by tensor maps (`BULK`), where a choice has one.
    pub by_maps: fn(&Choice, &Limits) -> Option<Resident>,
    /// The columns that its launch covers.
    pub columns: fn(&Choice) -> Columns,
    /// Work-groups that keep a compute unit busy.
    pub groups_of_unit: fn(&Choice) -> u64,
    /// Local memory of a work-group, in bytes.
    pub local_bytes: fn(&Choice, &Problem) -> u64,
    /// Lanes of its vectors: what `VECTOR` is, in the load and store hooks that have it in their name; 1 if it uses none of
    /// them.
    pub lanes: fn(&Choice) -> u8,
    /// Whether it loads vectors of an operand that is computed, whose elements can be had as lanes along that axis.
    pub loads_vectors: fn(&Choice, Matrix, Axis) -> bool,
    /// Whether it copies elements of A that are computed before it uses them several times, and takes `A_COMPUTED` for that.
    pub copies_computed_a: bool,
    /// Whether it copies rows of operands in memory by their alignment, and takes `ALIGNED` for that.
    pub copies_aligned: bool,
    /// The most terms of a sum that it adds up one after the other with an error of some hundred-thousandths; of longer ones it
    /// is told, by `LONG_SUMS`.
    pub running: i64,
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

    /// Of how much the places of its vectors are multiples, along these. Processors access vectors from any place.
    pub fn vectors_begin_at(&self, choice: &Choice) -> u8 {
        if self.for_processors { 1 } else { (self.lanes)(choice) }
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
        self.tunables.iter().fold(Choice::default(), |mut choice, tunable| {
            choice.set(tunable.name, tunable.default);
            choice
        })
    }

    /// Every legal choice, in the order of the tunables' values.
    pub fn choices<'a>(&'a self, problem: &'a Problem, limits: &'a Limits) -> impl Iterator<Item = Choice> + 'a {
        every_choice(self.tunables).filter(|choice| (self.legal)(choice, problem, limits).is_ok())
    }
}
