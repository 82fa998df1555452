//! From graphs to plans.

mod arranged;
mod deep;
mod distinct;
mod images;
mod launches;
mod operands;
mod prologues;
mod requirements;
mod states;
