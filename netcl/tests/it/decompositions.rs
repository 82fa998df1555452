//! Factors of matrices of any rank: orthonormal columns, whose product is the matrix, on every device that computes.

use netcl::{Device, Element, Result, Tensor};
use netcl_fixtures::devices::all;

/// Rows of numbers.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
        Matrix { rows, columns, values }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn transposed(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |row, column| self.at(column, row))
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let inner = 0..self.columns;
        Matrix::new(self.rows, other.columns, |row, column| {
            inner.clone().map(|at| self.at(row, at) * other.at(at, column)).sum()
        })
    }

    fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    fn near(&self, what: &str, other: &Matrix, most: f64) {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "{what}");
        for (found, expected) in self.values.iter().zip(&other.values) {
            assert!((found - expected).abs() <= most, "{what}: {:?}, expected {:?}", self.values, other.values);
        }
    }

    fn has_orthonormal_columns(&self, what: &str, most: f64) {
        let one = Matrix::new(self.columns, self.columns, |row, column| f64::from(u8::from(row == column)));
        self.transposed().times(self).near(what, &one, most);
    }

    /// As a tensor of that type.
    fn on<T: Element + Number>(&self, device: &Device) -> Result<Tensor> {
        let values: Vec<T> = self.values.iter().copied().map(T::of).collect();
        Tensor::from_slice(device, &values, &[self.rows, self.columns])
    }

    fn of<T: Element + Number>(tensor: &Tensor) -> Result<Matrix> {
        let &[rows, columns] = tensor.shape() else { panic!("{:?} is no matrix", tensor.shape()) };
        let values = tensor.to_vec::<T>()?.into_iter().map(T::number).collect();
        Ok(Matrix { rows, columns, values })
    }
}

trait Number {
    const EPSILON: f64;
    fn of(value: f64) -> Self;
    fn number(self) -> f64;
}

impl Number for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn number(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    const EPSILON: f64 = f64::EPSILON;

    fn of(value: f64) -> f64 {
        value
    }

    fn number(self) -> f64 {
        self
    }
}

/// Of every rank: zeros, equal rows and columns, rows and columns of zeros, products of thin matrices, powers that go down to nothing, and
/// full ones.
fn matrices() -> Vec<Matrix> {
    let wave = |row: usize, column: usize| ((row * 7 + column * column * 3 + 1) as f64 * 0.7).sin();
    let mut all = vec![
        Matrix { rows: 3, columns: 3, values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 0.0, 0.0, 0.0] },
        Matrix::new(1, 1, |_, _| 0.0),
        Matrix::new(4, 4, |row, column| ((row + 1) * (column + 1)) as f64),
        Matrix::new(5, 5, |row, column| (row == column) as u8 as f64 * 0.1f64.powi(6 * row as i32)),
        Matrix::new(4, 4, |row, column| wave(row, column) * 0.1f64.powi(9 * column as i32)),
        Matrix::new(2, 2, |row, column| [[1e25, 3.0], [1.0, 2.0]][row][column]),
    ];
    for (rows, columns) in [(3, 3), (8, 8), (8, 5), (5, 8), (12, 4)] {
        all.push(Matrix::new(rows, columns, |_, _| 0.0));
        all.push(Matrix::new(rows, columns, |_, _| 1.0));
        all.push(Matrix::new(rows, columns, wave));
        all.push(Matrix::new(rows, columns, |row, column| wave(row / 2, column)));
        all.push(Matrix::new(rows, columns, |row, column| wave(row, column) * 1e-30));
        all.push(Matrix::new(
            rows,
            columns,
            |row, column| if row == 1 || column == 2 { 0.0 } else { wave(row, column) },
        ));
        for rank in [1, 2] {
            let (left, right) =
                (Matrix::new(rows, rank, wave), Matrix::new(rank, columns, |row, column| wave(column, row + 2)));
            all.push(left.times(&right));
        }
    }
    all
}

fn everywhere<T: Element + Number>(check: impl Fn(&Tensor, &str, f64) -> Result<()>) -> Result<()> {
    for device in all() {
        if T::EPSILON < 1e-10 && !device.profile().fp64 {
            continue;
        }
        for matrix in matrices() {
            let (rows, columns) = (matrix.rows, matrix.columns);
            let what = format!("{rows} by {columns} {:?} on {device}", &matrix.values[..columns]);
            check(&matrix.on::<T>(&device)?, &what, 100.0 * T::EPSILON)?;
        }
    }
    Ok(())
}

fn singular<T: Element + Number>() -> Result<()> {
    everywhere::<T>(|a, what, most| {
        let (u, s, vh) = a.svd();
        let [a, u, vh] = [a, &u, &vh].map(Matrix::of::<T>);
        let (a, u, vh) = (a?, u?, vh?);
        u.has_orthonormal_columns(&format!("u of {what}"), most);
        vh.transposed().has_orthonormal_columns(&format!("vh of {what}"), most);
        let s: Vec<f64> = s.to_vec::<T>()?.into_iter().map(T::number).collect();
        assert!(s.is_sorted_by(|one, next| one >= next) && s.iter().all(|value| *value >= 0.0), "{s:?} of {what}");
        let scaled = Matrix::new(u.rows, u.columns, |row, column| u.at(row, column) * s[column]);
        scaled.times(&vh).near(what, &a, most * a.largest());
        Ok(())
    })
}

#[test]
fn singular_vectors_are_orthonormal_whatever_the_rank() -> Result<()> {
    singular::<f32>()?;
    singular::<f64>()
}

fn orthogonal<T: Element + Number>() -> Result<()> {
    everywhere::<T>(|a, what, most| {
        let (q, r) = a.qr();
        let [a, q, r] = [a, &q, &r].map(Matrix::of::<T>);
        let (a, q, r) = (a?, q?, r?);
        q.has_orthonormal_columns(&format!("q of {what}"), most);
        q.times(&r).near(what, &a, most * a.largest());
        Ok(())
    })
}

#[test]
fn the_first_factor_of_qr_is_orthonormal_whatever_the_rank() -> Result<()> {
    orthogonal::<f32>()?;
    orthogonal::<f64>()
}

fn symmetric<T: Element + Number>() -> Result<()> {
    everywhere::<T>(|a, what, most| {
        if a.shape()[0] != a.shape()[1] {
            return Ok(());
        }
        let a = a + a.t();
        let (w, v) = a.eigh();
        let (a, v) = (Matrix::of::<T>(&a)?, Matrix::of::<T>(&v)?);
        v.has_orthonormal_columns(&format!("v of {what}"), most);
        let w: Vec<f64> = w.to_vec::<T>()?.into_iter().map(T::number).collect();
        let scaled = Matrix::new(v.rows, v.columns, |row, column| v.at(row, column) * w[column]);
        scaled.times(&v.transposed()).near(what, &a, most * a.largest());
        Ok(())
    })
}

#[test]
fn vectors_of_symmetric_matrices_are_orthonormal_whatever_the_rank() -> Result<()> {
    symmetric::<f32>()?;
    symmetric::<f64>()
}

#[test]
fn matrices_of_a_batch_have_ranks_of_their_own() -> Result<()> {
    for device in all() {
        let every = matrices().into_iter().filter(|matrix| (matrix.rows, matrix.columns) == (8, 5));
        let every = every.map(|matrix| matrix.on::<f32>(&device)).collect::<Result<Vec<Tensor>>>()?;
        let (u, ..) = every[0].stack(&every[1..], 0).svd();
        for position in 0..every.len() {
            let own = Matrix::of::<f32>(&u.get(0, position as i64))?;
            own.has_orthonormal_columns(&format!("u of {position} on {device}"), 1e-5);
        }
    }
    Ok(())
}

#[test]
fn least_squares_of_nothing_have_gradients_in_both_sides() -> Result<()> {
    for device in all() {
        for (rows, columns, batch) in [(4, 2, 0), (3, 0, 1), (0, 0, 2)] {
            let side = |columns: usize| Tensor::full(&device, 1.0f32, &[batch, rows, columns])?.requires_grad();
            let (a, b) = (side(columns)?, side(1)?);
            let gradients = a.lstsq(&b).sum_all().backward()?;
            assert_eq!(gradients.wrt(&a)?.shape(), a.shape());
            assert!(gradients.wrt(&b)?.to_vec::<f32>()?.iter().all(|value| *value == 0.0), "{rows} by {columns}");
        }
    }
    Ok(())
}
