//! What goes wrong while a kernel runs.

/// Why a launch did not finish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An access outside of a buffer or array.
    #[error(
        "kernel `{kernel}`: {} accesses `{buffer}[{index}]`{}, but `{buffer}` has {length} elements",
        .item.map_or("a work-item".to_string(), |id| format!("work-item {id:?}")),
        if *.lanes > 1 { format!(" ({lanes} elements from there on)") } else { String::new() }
    )]
    OutOfBounds {
        /// The kernel.
        kernel: String,
        /// The parameter or array.
        buffer: String,
        /// The first element.
        index: i64,
        /// How many elements.
        lanes: usize,
        /// How many there are.
        length: usize,
        /// The work-item's global id, where it is known.
        item: Option<[usize; 3]>,
    },
    /// A barrier under control flow that work-items take differently.
    #[error("kernel `{kernel}`: a barrier is reached by {active} of {items} work-items of a group; all must reach it")]
    DivergentBarrier {
        /// The kernel.
        kernel: String,
        /// How many reach it.
        active: usize,
        /// How many there are.
        items: usize,
    },
    /// A loop that does not go forward.
    #[error("kernel `{kernel}`: a loop has the step {step}; steps are at least 1")]
    Step {
        /// The kernel.
        kernel: String,
        /// The step.
        step: i64,
    },
    /// The arguments do not fit the parameters.
    #[error("kernel `{kernel}`: {problem}")]
    Arguments {
        /// The kernel.
        kernel: String,
        /// What was expected and found.
        problem: String,
    },
}
