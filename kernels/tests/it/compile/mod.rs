//! From graphs to plans.

mod deep;
mod distinct;
mod images;
mod launches;
mod operands;
mod prologues;
mod requirements;
mod states;
