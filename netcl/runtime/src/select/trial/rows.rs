//! Elements of rows that are reduced, such that a reduction which misses one of them shows.

use super::draw::{mixed, plain};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::ReduceOp;
use netcl_kernels::variant::Reduction;

/// Factors of a product that are no 1 and no -1: as many as leave the product within the smallest type.
const FACTORS: u64 = 6;

/// The element at `position` of an operand of `dtype` whose rows are reduced by `task`.
pub(super) fn element(task: &Reduction<u64>, dtype: DType, position: u64) -> f64 {
    let (rows, columns) = (task.rows.max(1), task.columns.max(1));
    let (row, column) = match task.contiguous {
        true => (position / columns, position % columns),
        false => (position % rows, position / rows),
    };
    match task.op {
        ReduceOp::Sum => plain(dtype, mixed(position)),
        ReduceOp::Prod => factor(dtype, mixed(position), row, column, columns),
        ReduceOp::Max | ReduceOp::ArgMax => ranked(dtype, mixed(position), row, best(row, columns) == column, false),
        ReduceOp::Min | ReduceOp::ArgMin => ranked(dtype, mixed(position), row, best(row, columns) == column, true),
    }
}

/// 1 or -1, and at even distances a 2, which in every other row is also the last element. Exact in every type, in
/// whatever order they are multiplied, and never 0, which would hide all others.
fn factor(dtype: DType, random: u64, row: u64, column: u64, columns: u64) -> f64 {
    let distance = columns.div_ceil(FACTORS).max(1);
    let first = if row.is_multiple_of(2) { (columns - 1) % distance } else { mixed(row) % distance };
    let size = if column % distance == first { 2.0 } else { 1.0 };
    if random.is_multiple_of(2) && signed(dtype) { -size } else { size }
}

/// Where the largest or smallest of a row is: at the ends of some rows, anywhere in the others.
fn best(row: u64, columns: u64) -> u64 {
    match row % 4 {
        1 => columns - 1,
        3 => 0,
        _ => mixed(row) % columns,
    }
}

/// One of eight values, or, as the `best` of its row, one beyond them that other rows have not. Every other four rows lie
/// wholly on the other side of 0, where a search that begins with 0 finds what is not there.
fn ranked(dtype: DType, random: u64, row: u64, best: bool, smallest: bool) -> f64 {
    let rank = if best { 8 + row % 4 } else { random % 8 } as f64;
    let beyond = if (row / 4).is_multiple_of(2) { 0.0 } else { -16.0 };
    match (signed(dtype), smallest) {
        (false, false) => rank,
        (false, true) => 16.0 - rank,
        (true, _) => {
            let value = if smallest { -(rank + beyond) } else { rank + beyond };
            if dtype.is_float() { value / 4.0 } else { value }
        }
    }
}

fn signed(dtype: DType) -> bool {
    !matches!(dtype, DType::Bool | DType::U8 | DType::U32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(op: ReduceOp, dtype: DType, row: u64, columns: u64) -> Vec<f64> {
        let task = Reduction { rows: 8, columns, contiguous: true, op, dtype };
        (0..columns).map(|column| element(&task, dtype, row * columns + column)).collect()
    }

    #[test]
    fn a_row_has_one_extremum_which_is_also_at_its_ends() {
        for dtype in [DType::F16, DType::F32, DType::I32, DType::U8, DType::I64] {
            for (op, sign) in [(ReduceOp::ArgMax, 1.0), (ReduceOp::Min, -1.0)] {
                let mut places = Vec::new();
                for number in 0..8 {
                    let values = row(op, dtype, number, 700);
                    let top = values.iter().map(|value| value * sign).fold(f64::NEG_INFINITY, f64::max);
                    let found: Vec<usize> = (0..700).filter(|&place| values[place] * sign == top).collect();
                    assert_eq!(found.len(), 1, "{dtype} {op:?} row {number}");
                    places.push(found[0]);
                }
                assert!(places.contains(&0) && places.contains(&699), "{places:?}");
                assert!(places.iter().any(|place| (1..699).contains(place)), "{places:?}");
            }
        }
    }

    #[test]
    fn products_are_exact_in_every_type_and_never_nothing() {
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::I32, DType::U8] {
            for columns in [1, 5, 700, 100_003] {
                for number in 0..4 {
                    let product: f64 = row(ReduceOp::Prod, dtype, number, columns).into_iter().product();
                    assert!((1.0..=64.0).contains(&product.abs()), "{dtype} of {columns}: {product}");
                    assert!(product > 0.0 || signed(dtype), "{dtype}: {product}");
                }
            }
        }
    }

    #[test]
    fn elements_along_columns_are_those_of_the_rows() {
        let along = Reduction { rows: 3, columns: 5, contiguous: false, op: ReduceOp::Max, dtype: DType::F32 };
        let tops: Vec<u64> = (0..15).filter(|&at| element(&along, DType::F32, at) % 4.0 >= 2.0).collect();
        assert_eq!(tops.len(), 3, "one of each row: {tops:?}");
        assert!(tops.contains(&13), "the second row's is its last: {tops:?}");
    }
}
