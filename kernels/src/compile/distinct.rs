//! The kernels of a plan, each once: what differs in names alone, as equal layers of a deep model do, is one kernel that
//! several steps launch with arguments of their own. A driver builds it once.

use super::instance::Instance;
use crate::emit::opencl;
use crate::kir::Kernel;
use crate::kir::verify::{Capabilities, VerifiedKernel, verify};
use crate::plan::source::ProgramText;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Collects kernels.
#[derive(Default)]
pub(super) struct Kernels {
    /// Positions in `list`.
    known: FxHashMap<Likeness, usize>,
    list: Vec<Launched>,
}

/// A kernel with the number of steps that launch it.
struct Launched {
    work: Written,
    steps: usize,
}

impl Launched {
    fn name(&self) -> &str {
        match &self.work {
            Written::Loop(kernel) => &kernel.name,
            Written::Instance(instance, _) => &instance.name,
        }
    }
}

/// How a kernel's text comes about.
enum Written {
    /// By the emitter.
    Loop(Kernel),
    /// From a template, and, for the device functions that its hooks call, by the emitter.
    Instance(Instance, Vec<Kernel>),
}

/// What kernels have in common that differ in names alone.
#[derive(PartialEq, Eq, Hash)]
enum Likeness {
    /// Also whether each parameter's buffer may lie where another's does: not all pointers can be `restrict` then.
    Loop {
        kernel: Box<Kernel>,
        in_place: Vec<bool>,
    },
    Instance {
        template: &'static str,
        own: String,
        functions: Vec<Kernel>,
    },
}

impl Kernels {
    /// The position and name of a kernel like `kernel`, which it becomes if there is none. `in_place` names buffers that
    /// may lie where another one of the plan lies.
    pub(super) fn add_loop(&mut self, kernel: Kernel, in_place: &BTreeSet<String>) -> (usize, &str) {
        let in_place = kernel.params.iter().map(|param| in_place.contains(&param.name)).collect();
        self.add(Likeness::Loop { kernel: kernel.nameless().into(), in_place }, Written::Loop(kernel))
    }

    /// The name of an instance like this one, which it becomes if there is none.
    pub(super) fn add_instance(&mut self, instance: Instance, functions: Vec<Kernel>) -> &str {
        let likeness = Likeness::Instance {
            template: instance.template().name,
            own: instance.nameless(),
            functions: functions.iter().map(Kernel::nameless).collect(),
        };
        self.add(likeness, Written::Instance(instance, functions)).1
    }

    /// Whether a kernel has that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.list.iter().any(|launched| launched.name() == name)
    }

    fn add(&mut self, likeness: Likeness, work: Written) -> (usize, &str) {
        let position = *self.known.entry(likeness).or_insert_with(|| {
            self.list.push(Launched { work, steps: 0 });
            self.list.len() - 1
        });
        let launched = &mut self.list[position];
        launched.steps += 1;
        (position, launched.name())
    }

    /// Says above each kernel that several steps launch that it is named after the first.
    fn note_steps(&mut self) {
        for Launched { work, steps } in self.list.iter_mut().filter(|launched| launched.steps > 1) {
            let line = format!("Launched by {steps} steps, each with buffers of its own; these are the first one's.");
            match work {
                Written::Loop(kernel) => kernel.doc.push(line),
                Written::Instance(instance, _) => instance.comments.push(line),
            }
        }
    }

    /// The kernels of a host's plan, in the order of their positions.
    pub(super) fn loops(mut self) -> Vec<Kernel> {
        self.note_steps();
        let loops = self.list.into_iter().filter_map(|launched| match launched.work {
            Written::Loop(kernel) => Some(kernel),
            Written::Instance(..) => None,
        });
        loops.collect()
    }

    /// One program of all kernels; pointers to buffers that are named `in_place` are not `restrict`.
    pub(super) fn program(mut self, in_place: BTreeSet<String>) -> ProgramText {
        self.note_steps();
        let written: Vec<&Kernel> = self.list.iter().flat_map(|launched| launched.work.kernels()).collect();
        let mut source = ProgramText::default();
        if !written.is_empty() {
            let options = opencl::Options { shared: in_place, ..opencl::Options::default() };
            let verified: Vec<_> = written.into_iter().map(verified).collect();
            source.push(opencl::program(&verified, &options));
        }
        for launched in &self.list {
            if let Written::Instance(instance, _) = &launched.work {
                source.push("\n");
                instance.write(&mut source);
            }
        }
        source
    }
}

impl Written {
    /// What the emitter writes of it.
    fn kernels(&self) -> &[Kernel] {
        match self {
            Written::Loop(kernel) => std::slice::from_ref(kernel),
            Written::Instance(_, functions) => functions,
        }
    }
}

fn verified(kernel: &Kernel) -> VerifiedKernel<'_> {
    verify(kernel, &Capabilities::unlimited()).unwrap_or_else(|_| unreachable!("checked when added"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Dim;
    use crate::dtype::{DType, Literal};
    use crate::kir::build::KernelBuilder;
    use crate::kir::{Access, Launch, ParamKind, WorkItem};

    /// `to[i] = factor * from[i]`.
    fn scaled(name: &str, from: &str, to: &str, factor: f64) -> Kernel {
        let mut b = KernelBuilder::new(name, Launch { global: vec![Dim::constant(64)], local: Vec::new() });
        b.doc(format!("{to} = {factor} * {from}"));
        let [source, target] = [(from, Access::Read), (to, Access::Write)]
            .map(|(name, access)| b.param(name, ParamKind::Buffer(DType::F32, access)));
        let i = b.work_item(WorkItem::GlobalId, 0);
        let value = b.load(source, i, 1);
        let factor = b.literal(Literal::float(factor, DType::F32));
        let value = b.mul(value, factor);
        let value = b.named(to, value);
        b.store(target, i, value);
        b.finish()
    }

    #[test]
    fn what_differs_in_names_alone_is_one_kernel() {
        let mut kernels = Kernels::default();
        let in_place: BTreeSet<String> = ["state", "new_state"].map(str::to_owned).into_iter().collect();
        let mut add = |name, from, to, factor| {
            let (position, name) = kernels.add_loop(scaled(name, from, to, factor), &in_place);
            (position, name.to_owned())
        };
        assert_eq!(add("f_0", "x", "y", 2.0), (0, "f_0".to_owned()));
        assert_eq!(add("f_1", "y", "z", 2.0), (0, "f_0".to_owned()));
        assert_eq!(add("f_2", "z", "u", 3.0), (1, "f_2".to_owned()), "other numbers");
        assert_eq!(add("f_3", "state", "new_state", 2.0), (2, "f_3".to_owned()), "pointers that are not `restrict`");
        assert_eq!(add("f_4", "new_state", "state", 2.0), (2, "f_3".to_owned()));
        let source = kernels.program(in_place).to_string();
        assert_eq!(source.matches("__kernel").count(), 3, "{source}");
        let of_several =
            "// y = 2 * x\n// Launched by 2 steps, each with buffers of its own; these are the first one's.\n";
        assert!(source.contains(of_several) && source.contains("// u = 3 * z\n__kernel"), "{source}");
    }
}
