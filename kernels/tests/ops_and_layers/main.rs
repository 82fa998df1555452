//! Every operation and every layer against PyTorch's numbers and against differences, by iterating over the tables: an
//! entry without a case in `tests/references/cases.py` fails.

mod documentation;
mod errors;
mod hand;
mod layers;
mod operations;
mod reference;
