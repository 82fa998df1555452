//! Places along an axis that are numbers of each call: `x.get(1, k)`, `x.narrow(1, k, 2)`, `x.roll(k, 1)`; and sizes that a `%` is in.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::model]
pub struct Places {
    #[parameter(init = 1.0)]
    by: Tensor<f32>,
}

#[netcl::model]
impl Places {
    pub fn part(&self, x: &Tensor<f32, N, 5>, k: u32) -> Tensor<f32, N, 2> {
        x.narrow(1, k, 2) * &self.by
    }

    /// As many as there are.
    pub fn moved(&self, x: &Tensor<f32, N, 5>, k: i32) -> Tensor<f32, N, 5> {
        x.narrow(0, k, N) * &self.by
    }

    pub fn around(&self, x: &Tensor<f32, N, 5>, k: i32, j: u32) -> (Tensor<f32, N, 5>, Tensor<f32, N, 5>) {
        (x.roll(k, 1) * &self.by, x.roll(j, 0))
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 5>, k: u32, j: i32) -> Tensor<f32> {
        (x.narrow(1, k, 2).square() * &self.by + x.roll(j, 1).narrow(1, 0, 2)).sum_all()
    }

    /// To a multiple of 4, and back to one.
    pub fn whole(&self, x: &Tensor<f32, N, H>) -> (Tensor<f32, N, { (H + 3) / 4 * 4 }>, Tensor<f32, N, { H / 4 * 4 }>) {
        (x.pad(1, 0, (4 - H % 4) % 4, 0.0) * &self.by, x.narrow(1, 0, H - H % 4))
    }
}

fn rows() -> Vec<f32> {
    (1..=10).map(|i| i as f32).collect()
}

#[test]
fn parts_begin_at_numbers_of_the_call() -> Result<()> {
    everywhere(|| {
        let model = Places::new(&device(), Seed(1))?;
        let (values, x) = (rows(), floats(&rows(), &[2, 5]));
        let at = |row: i64, column: i64| match (0..2).contains(&row) && (0..5).contains(&column) {
            true => values[(row * 5 + column) as usize],
            false => 0.0,
        };
        for k in [0u32, 2, 3, 4, 5, 6, u32::MAX] {
            let wanted: Vec<f32> = (0..4).map(|i| at(i / 2, i64::from(k) + i % 2)).collect();
            assert_eq!(model.part(&x, k)?.to_vec::<f32>()?, wanted, "{k}");
        }
        for k in [0i32, 1, 2, -1, -2, i32::MAX, i32::MIN] {
            let wanted: Vec<f32> = (0..10).map(|i| at(i / 5 + i64::from(k), i % 5)).collect();
            assert_eq!(model.moved(&x, k)?.to_vec::<f32>()?, wanted, "{k}");
        }
        Ok(())
    })
}

#[test]
fn elements_roll_by_numbers_of_the_call() -> Result<()> {
    everywhere(|| {
        let model = Places::new(&device(), Seed(1))?;
        let (values, x) = (rows(), floats(&rows(), &[2, 5]));
        for k in [0i32, 1, 4, 5, 7, -1, -5, -8, i32::MAX, i32::MIN] {
            let j = k as u32;
            let (columns, lines) = model.around(&x, k, j)?;
            let one = |i: i64| values[(i / 5 * 5 + (i % 5 - i64::from(k)).rem_euclid(5)) as usize];
            let other = |i: i64| values[((i / 5 - i64::from(j)).rem_euclid(2) * 5 + i % 5) as usize];
            assert_eq!(columns.to_vec::<f32>()?, (0..10).map(one).collect::<Vec<_>>(), "{k}");
            assert_eq!(lines.to_vec::<f32>()?, (0..10).map(other).collect::<Vec<_>>(), "{j}");
        }
        Ok(())
    })
}

#[test]
fn gradients_go_to_the_places_of_the_call() -> Result<()> {
    everywhere(|| {
        let model = Places::new(&device(), Seed(1))?;
        let (values, x) = (rows(), floats(&rows(), &[2, 5]));
        for (k, j) in [(0u32, 0i32), (3, 2), (4, -1), (9, 6)] {
            let (_, _, dx) = model.loss_with_gradients(&x, k, j)?;
            let mut wanted = [0.0f32; 10];
            for row in 0..2 {
                for place in 0..2 {
                    if k as usize + place < 5 {
                        let at = row * 5 + k as usize + place;
                        wanted[at] += 2.0 * values[at];
                    }
                    wanted[row * 5 + (place as i32 - j).rem_euclid(5) as usize] += 1.0;
                }
            }
            assert_eq!(dx.to_vec::<f32>()?, wanted, "{k} {j}");
        }
        Ok(())
    })
}

#[test]
fn sizes_have_remainders() -> Result<()> {
    everywhere(|| {
        let model = Places::new(&device(), Seed(1))?;
        for width in [4usize, 5, 7, 8] {
            let values = rows()[..width].to_vec();
            let (padded, cut) = model.whole(&floats(&values, &[1, width]))?;
            let mut wanted = values.clone();
            wanted.resize(width.div_ceil(4) * 4, 0.0);
            assert_eq!(padded.to_vec::<f32>()?, wanted);
            assert_eq!(cut.to_vec::<f32>()?, values[..width / 4 * 4]);
        }
        Ok(())
    })
}
