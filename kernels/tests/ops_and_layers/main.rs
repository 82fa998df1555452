//! Every operation and every layer against PyTorch's numbers and against differences, by iterating over the tables: an
//! entry without a case in `tests/references/cases.py` fails.

mod compare;
mod derivatives;
mod documentation;
mod errors;
mod extremes;
mod hand;
mod layers;
mod messages;
mod operations;
#[path = "../common/reference_graphs.rs"]
mod reference_graphs;
#[path = "../common/references.rs"]
mod references;
mod whole_numbers;
