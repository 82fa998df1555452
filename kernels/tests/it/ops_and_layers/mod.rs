//! Operations and layers: what they say of wrong use, what is written about them, and what PyTorch has no counterpart of.

mod arrangements;
mod documentation;
mod errors;
mod fourier;
mod hand;
mod instead;
mod linalg;
mod loops;
mod messages;
mod names;
mod ordering;
mod products;
mod whole_numbers;
