//! Decompositions as the device computes them: their factors have the form that they should, and their product is the matrix.

use crate::Case;
use crate::graphs::{Example, download};
use libtest_mimic::{Completion, Failed};
use netcl::Device;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{InputKind, NodeId, OutputKind};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::philox;

/// How many matrices there are; their number is a symbol.
const COUNT: usize = 3;
/// What an element may be off, in units of what the type tells apart, for each row and the size of the largest element.
const TOLERANCE: f64 = 8.0;

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::F64] {
        for [rows, columns] in [[1, 1], [2, 2], [5, 5], [16, 16], [33, 33], [24, 7], [7, 24], [40, 1]] {
            let name = format!("linalg::{rows} by {columns} of {dtype}");
            cases.push(Case { name, run: Box::new(move |device| of(device, dtype, [rows, columns])) });
        }
    }
    cases
}

/// Matrices in `f64`, on the host.
#[derive(Clone)]
struct Host {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Host {
    fn new(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Host {
        let values = (0..rows * columns).map(|place| at(place / columns, place % columns)).collect();
        Host { rows, columns, values }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn t(&self) -> Host {
        Host::new(self.columns, self.rows, |i, j| self.at(j, i))
    }

    fn times(&self, other: &Host) -> Host {
        Host::new(self.rows, other.columns, |i, j| (0..self.columns).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// Its columns times these.
    fn scaled(&self, by: &[f64]) -> Host {
        Host::new(self.rows, self.columns, |i, j| self.at(i, j) * by[j])
    }

    fn size(&self) -> f64 {
        self.values.iter().fold(0.0, |most, value| value.abs().max(most))
    }

    /// Fails unless it is `other` but for rounding, of elements of that size; a NaN is none.
    fn is(&self, what: &str, other: &Host, unit: f64) -> Result<(), Failed> {
        let most = unit * (self.rows + self.columns) as f64;
        for (found, expected) in self.values.iter().zip(&other.values) {
            let error = (found - expected).abs();
            if error > TOLERANCE * most || error.is_nan() {
                return Err(format!("{what}: {found} instead of {expected}, {:.1} units off", error / most).into());
            }
        }
        Ok(())
    }

    fn is_orthogonal(&self, what: &str, unit: f64) -> Result<(), Failed> {
        let identity = Host::new(self.columns, self.columns, |i, j| f64::from(u8::from(i == j)));
        self.t().times(self).is(what, &identity, unit)
    }

    fn is_zero(&self, what: &str, place: impl Fn(usize, usize) -> bool) -> Result<(), Failed> {
        for (i, j) in (0..self.rows).flat_map(|i| (0..self.columns).map(move |j| (i, j))) {
            if place(i, j) && self.at(i, j) != 0.0 {
                return Err(format!("{what}: {} at [{i}, {j}]", self.at(i, j)).into());
            }
        }
        Ok(())
    }
}

fn of(device: &Device, dtype: DType, [rows, columns]: [usize; 2]) -> Result<Completion, Failed> {
    if dtype == DType::F64 && !device.profile().fp64 {
        return Ok(Completion::ignored_with("the device has no fp64"));
    }
    let unit = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    // The second matrix has two equal columns, the third is small.
    let draw = |k: usize, i: usize, j: usize| {
        let j = if k == 1 && j == 1 { 0 } else { j };
        let value = f64::from(philox::uniform(7, 0, ((k * rows + i) * columns + j) as u64)) - 0.5;
        if k == 2 { value * 2.0f64.powi(-30) } else { value }
    };
    let given: Vec<Host> = (0..COUNT).map(|k| Host::new(rows, columns, |i, j| draw(k, i, j))).collect();
    let mut parts = vec!["qr_q", "qr_r", "svd_u", "svdvals", "svd_vh"];
    if rows == columns {
        parts.extend(["eigvalsh", "eigh_vectors", "inv"]);
    }
    let results = computed(device, dtype, &given, &parts)?;
    for (k, a) in given.iter().enumerate() {
        let (own, unit) = (&results[k], unit.max(f64::MIN_POSITIVE));
        let of_size = unit * a.size();
        let [q, r, u, s, vh] = [&own[0], &own[1], &own[2], &own[3], &own[4]];
        q.is_orthogonal("q", unit)?;
        r.is_zero("r", |i, j| i > j)?;
        q.times(r).is("q . r", a, of_size)?;
        u.is_orthogonal("u", unit)?;
        vh.t().is_orthogonal("vh", unit)?;
        if !s.values.windows(2).all(|pair| pair[0] >= pair[1]) {
            return Err(format!("singular values are not in order: {:?}", s.values).into());
        }
        u.scaled(&s.values).times(vh).is("u . s . vh", a, of_size)?;
        let [w, v, inverse] = match own.get(5..8) {
            Some([w, v, inverse]) => [w, v, inverse],
            _ => continue,
        };
        v.is_orthogonal("vectors", unit)?;
        let symmetric = Host::new(rows, rows, |i, j| (a.at(i, j) + a.at(j, i)) / 2.0);
        v.scaled(&w.values).times(&v.t()).is("v . w . v^T", &symmetric, of_size)?;
        // What the inverse is off grows with the ratio of singular values.
        let ratio = s.values[0] / s.values[s.values.len() - 1];
        if ratio < 1e4 {
            a.times(inverse).is("a . inv", &Host::new(rows, rows, |i, j| f64::from(u8::from(i == j))), unit * ratio)?;
        }
    }
    if rows == columns { definite(device, dtype, &given[0], unit) } else { Ok(Completion::Completed) }
}

/// Cholesky's factor of what has one.
fn definite(device: &Device, dtype: DType, a: &Host, unit: f64) -> Result<Completion, Failed> {
    let product = a.times(&a.t());
    let value = |i: usize, j: usize| product.at(i, j) + f64::from(u8::from(i == j));
    let definite = Host::new(a.rows, a.rows, value);
    let results = computed(device, dtype, &vec![definite.clone(); COUNT], &["cholesky", "det"])?;
    let [l, det] = [&results[0][0], &results[0][1]];
    l.is_zero("l", |i, j| j > i)?;
    l.times(&l.t()).is("l . l^T", &definite, unit * definite.size())?;
    let product: f64 = (0..a.rows).map(|i| l.at(i, i) * l.at(i, i)).product();
    det.is("det", &Host::new(1, 1, |_, _| product), unit * product * a.rows as f64)?;
    Ok(Completion::Completed)
}

/// The results of operations on each of the matrices.
fn computed(device: &Device, dtype: DType, given: &[Host], parts: &[&str]) -> Result<Vec<Vec<Host>>, Failed> {
    let (rows, columns) = (given[0].rows, given[0].columns);
    let mut b = Builder::new("matrices");
    let shape = Shape(vec![Dim::symbol("N"), Dim::from(rows), Dim::from(columns)]);
    let x = b.input(InputKind::Argument(0), "x", shape, dtype);
    let mut sizes = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        let operation = ops::find(part).ok_or("no such operation")?;
        let result: NodeId = ops::call(&mut b, operation, &[Value::Tensor(x)]).map_err(|error| error.to_string())?;
        let known = |axis: usize| b.shape(result).0.get(axis).and_then(Dim::as_constant).unwrap_or(1) as usize;
        sizes.push(if b.shape(result).rank() == 2 { [1, known(1)] } else { [known(1), known(2)] });
        b.output(OutputKind::Result(position), result);
    }
    let values: Vec<f64> = given.iter().flat_map(|matrix| matrix.values.iter().copied()).collect();
    let input =
        HostTensor::from_f64(dtype, &[given.len(), rows, columns], &values).map_err(|error| error.to_string())?;
    let bindings = vec![(Symbol::new("N"), given.len() as u64)];
    let inputs = vec![(InputKind::Argument(0), "x".to_owned(), input)];
    let results = Example { graph: b.finish(), bindings, inputs }.run(device)?;
    let mut all: Vec<Vec<Host>> = vec![Vec::new(); given.len()];
    for (result, [rows, columns]) in results.iter().zip(sizes) {
        let values = download(result)?;
        for (own, part) in all.iter_mut().zip(values.chunks(rows * columns)) {
            own.push(Host { rows, columns, values: part.to_vec() });
        }
    }
    Ok(all)
}
