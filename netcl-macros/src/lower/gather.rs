//! Reads at positions that come from tensors: `table[rows[n], c]`, `x[n, at[n, k]]`.
//!
//! The axes up to the last index that is data are taken for one, along which the numbers of elements are computed and gathered;
//! the axes behind it are read as they are elsewhere. A reshape of what lies in memory is none of its own, so that nothing is
//! copied, and the gradient is that of rows by number, without atomics on floats.

use super::index::Coordinate;
use super::indexed::Read;
use super::{Affine, Lowering, Val};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, NodeId};
use netcl_kernels::span::Result;
use syn::spanned::Spanned;

/// The number of an element, and where it is one, which is everywhere if there is nothing.
type RowNumber = (NodeId, Option<NodeId>);

impl<'a> Lowering<'a> {
    /// The elements of `source` at `first`, of which the last is data, and then at `rest`. Outside there are zeros.
    pub(super) fn gather(
        &mut self,
        read: &Read<'_>,
        source: NodeId,
        first: Vec<Coordinate>,
        rest: Vec<Affine>,
    ) -> Val<'a> {
        let shape = self.builder.shape(source).clone();
        let (span, rank, count) = (read.tokens.span(), self.axes.as_ref().map_or(0, Vec::len), first.len());
        let Some((rows, table)) = self.rows(read, (source, &shape), first) else { return Val::Unknown };
        // A row number that is the same everywhere is a scalar: give it the index space's rank.
        let ones = Shape(vec![Dim::constant(1); rank]);
        let rows =
            if self.builder.shape(rows).rank() == rank { Ok(rows) } else { self.builder.broadcast_to(rows, &ones) };
        let gathered = rows.and_then(|rows| self.builder.gather(table, rows));
        let Val::Tensor(gathered) = self.check(gathered, span) else { return Val::Unknown };
        debug_assert_eq!(rest.len() + count, shape.rank());
        self.view(read, gathered, rank, rest)
    }

    /// The numbers of rows, and the table of which they are.
    fn rows(
        &mut self,
        read: &Read<'_>,
        (source, shape): (NodeId, &Shape),
        coordinates: Vec<Coordinate>,
    ) -> Option<(NodeId, NodeId)> {
        let count = coordinates.len();
        let span = read.tokens.span();
        if let [Coordinate::Data(rows)] = coordinates.as_slice() {
            // What is no row reads zeros as it is, where it fits what rows are taken by.
            let rows = match self.builder.dtype(*rows) {
                DType::I64 => {
                    self.in_bounds(*rows, &shape[0]).and_then(|(inside, row)| self.or_none(row, Some(inside)))
                }
                _ => Ok(*rows),
            };
            return rows.map(|rows| (rows, source)).map_err(|diagnostic| self.diagnostic(diagnostic, span)).ok();
        }
        let mut row: Option<RowNumber> = None;
        for (position, (coordinate, size)) in coordinates.iter().zip(&shape.0).enumerate() {
            let checked = match coordinate {
                Coordinate::Affine(index) if !read.padded => {
                    if self.outside_of(read, position, index, size) {
                        return None;
                    }
                    false
                }
                _ => true,
            };
            let number = match coordinate {
                // What is known to be inside is right in 32 bits, whatever is added up to it; a part is of all that is divided.
                Coordinate::Affine(index) => {
                    let wide = checked && !index.is_of_32_bits() || index.parts().next().is_some();
                    self.index_tensor(index, if wide { DType::I64 } else { DType::I32 }, span)?
                }
                Coordinate::Data(id) => *id,
            };
            let next = self.next_row(row, (number, checked), size);
            row = match next {
                Ok(row) => Some(row),
                Err(diagnostic) => {
                    self.diagnostic(diagnostic, span);
                    return None;
                }
            };
        }
        let (number, inside) = row?;
        let table = (|| {
            let rows = self.or_none(number, inside)?;
            let elements = shape.0[..count].iter().cloned().fold(Dim::constant(1), |all, size| all * size);
            let joined = std::iter::once(elements).chain(shape.0[count..].iter().cloned()).collect();
            Ok((rows, self.builder.reshape(source, Shape(joined))?))
        })();
        match table {
            Ok(both) => Some(both),
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                None
            }
        }
    }

    /// The number where it is one, and elsewhere -1, which is no row.
    fn or_none(&mut self, number: NodeId, inside: Option<NodeId>) -> Result<NodeId> {
        let Some(inside) = inside else { return Ok(number) };
        let none = self.builder.constant(-1.0, DType::I32);
        self.builder.select(inside, number, none)
    }

    /// The number of the element at `number` of an axis of that size, within each of the rows before.
    fn next_row(&mut self, row: Option<RowNumber>, (number, checked): (NodeId, bool), size: &Dim) -> Result<RowNumber> {
        let mut inside = row.and_then(|(_, inside)| inside);
        let number = if checked {
            let (here, number) = self.in_bounds(number, size)?;
            inside = Some(match inside {
                Some(before) => self.builder.binary(BinaryOp::And, before, here)?,
                None => here,
            });
            number
        } else {
            self.builder.cast(number, DType::I32)?
        };
        let number = match row {
            Some((before, _)) => {
                let size = self.builder.dim(size, DType::I32)?;
                let start = self.builder.binary(BinaryOp::Mul, before, size)?;
                self.builder.binary(BinaryOp::Add, start, number)?
            }
            None => number,
        };
        Ok((number, inside))
    }
}
