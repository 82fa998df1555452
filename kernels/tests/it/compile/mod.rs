//! From graphs to plans.

mod deep;
mod distinct;
mod launches;
mod operands;
mod prologues;
mod requirements;
mod states;
