//! Graphs: their text, their verifier, their gradients, what they compute.

mod attention;
mod autocast;
mod conventions;
mod interp;
mod precision;
mod properties;
mod sizes;
mod text;
mod verify;
