//! Structs of tensors in structs of tensors, of several modules: as arguments, results, in loops, and where nobody can name them.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

mod parts {
    #[netcl::tensors]
    pub struct Row {
        pub x: Tensor<f32, N, 2>,
    }
}

mod states {
    #[netcl::tensors]
    pub struct State {
        pub h: super::parts::Row,
        pub c: Tensor<f32, N>,
    }
}

/// What stands in it is named from where it stands.
mod whole {
    use super::parts::Row;

    #[netcl::tensors]
    pub struct Batch {
        pub first: Row,
        pub state: super::states::State,
        pub rows: [Row; 2],
        pub pair: (Tensor<f32, N>, Row),
    }
}

use whole::Batch;

/// Neither `Row` nor `State` is known here.
#[netcl::function]
fn halved(batch: &Batch) -> Batch {
    let mut batch = batch;
    batch.state.h.x = batch.state.h.x * 0.5;
    batch.rows[1].x = batch.first.x;
    batch
}

#[netcl::model]
pub struct Cell {
    #[parameter(init = 2.0)]
    w: Tensor<f32>,
}

#[netcl::model]
impl Cell {
    pub fn step(&self, batch: &Batch, by: &Tensor<f32>) -> Batch {
        let Batch { first, state, rows, pair } = batch;
        let (c, last) = pair;
        let state = State { h: Row { x: state.h.x * by }, c: state.c + c };
        Batch { first: Row { x: first.x * self.w }, state, rows: [rows[1], rows[0]], pair: (c * by, last) }
    }

    pub fn loss(&self, batch: &Batch, xs: &Tensor<f32, T, N, 2>) -> Tensor<f32> {
        let mut now = halved(self.step(batch, Tensor::full(3.0, [])));
        for t in 0..T {
            now.state.h.x = now.state.h.x * 0.5 + xs.get(0, t) * self.w;
        }
        now.state.h.x.sum_all() + now.first.x.sum_all()
    }
}

fn batch(at: &[f32; 6]) -> Batch {
    let row = |value: f32| parts::Row { x: floats(&[value; 2], &[1, 2]) };
    Batch {
        first: row(at[0]),
        state: states::State { h: row(at[1]), c: floats(&[at[2]], &[1]) },
        rows: [row(at[3]), row(at[4])],
        pair: (floats(&[at[5]], &[1]), row(7.0)),
    }
}

fn values(batch: &Batch) -> Result<Vec<f32>> {
    let of = |row: &parts::Row| -> Result<f32> { Ok(row.x.to_vec::<f32>()?[0]) };
    let (state, pair) = (&batch.state, &batch.pair);
    Ok(vec![
        of(&batch.first)?,
        of(&state.h)?,
        state.c.item()?,
        of(&batch.rows[0])?,
        of(&batch.rows[1])?,
        pair.0.item()?,
        of(&pair.1)?,
    ])
}

#[test]
fn structs_of_structs_are_taken_and_given() -> Result<()> {
    everywhere(|| {
        let given = batch(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(values(&halved(&given)?)?, [1.0, 1.0, 3.0, 4.0, 1.0, 6.0, 7.0]);
        let cell = Cell::new(&device(), Seed(1))?;
        let stepped = cell.step(&given, &floats(&[10.0], &[]))?;
        assert_eq!(values(&stepped)?, [2.0, 20.0, 9.0, 5.0, 4.0, 60.0, 7.0]);
        // A half of six, then a half of that and the first row, and again with the second; twice each, for two columns.
        let xs = floats(&[1.0, 1.0, 10.0, 10.0], &[2, 1, 2]);
        let (loss, gradients) = cell.loss_with_gradients(&given, &xs)?;
        let after = |w: f32| 2.0 * ((3.0 * 0.5 + 1.0 * w) * 0.5 + 10.0 * w) + 2.0 * w;
        assert_eq!(loss.item::<f32>()?, after(2.0));
        assert_eq!(gradients.tensor("w")?.item::<f32>()?, 2.0 * (0.5 + 10.0) + 2.0);
        Ok(())
    })
}
