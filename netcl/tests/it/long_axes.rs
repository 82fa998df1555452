//! Tensors of more elements than 32 bits count. They take gigabytes and minutes, so that nobody runs these tests by the way:
//!
//! ```text
//! cargo test --release -p netcl --test it -- --ignored --nocapture long_axes::bytes_on_the_host
//! NETCL_DEVICE=gpu cargo test --release -p netcl --test it -- --ignored --nocapture long_axes::floats
//! ```
//!
//! The first takes 5 GiB of memory; the others up to 35 GiB of the device that `NETCL_DEVICE` names. That kernels with
//! such indices are right is tested with small tensors (`wide indices` in `tests/suite`).

use netcl::{DType, Device, Tensor};

netcl::kernel! {
    /// Each element and its column.
    fn bytes_and_columns(x: &Tensor<u8, N, 8>) -> Tensor<u8, N, 8> {
        |n, c| x[n, c] + (c as u8)
    }

    /// Twice each element and its column.
    fn doubled_and_columns(x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        |n, c| x[n, c] * 2.0 + (c as f32)
    }

    /// Some elements, by their rows.
    fn some_bytes(x: &Tensor<u8, N, 8>, rows: &Tensor<u32, R>) -> Tensor<u8, R, 8> {
        |r, c| x[rows[r], c]
    }

    /// Some elements, by their rows.
    fn some_floats(x: &Tensor<f32, N, C>, rows: &Tensor<u32, R>) -> Tensor<f32, R, C> {
        |r, c| x[rows[r], c]
    }

    /// The product of each pair.
    fn outer(a: &Tensor<f32, M>, b: &Tensor<f32, K>) -> Tensor<f32, M, K> {
        |m, k| a[m] * b[k]
    }
}

/// With 8 columns 2^31 + 1,000 elements.
const ROWS: usize = (1 << 28) + 125;

/// Rows at the beginning, around the limit of 32 bits, signed and in bytes, and at the end.
const LOOKED_AT: [u32; 6] = [0, 1 << 26, 1 << 27, (1 << 28) - 1, 1 << 28, ROWS as u32 - 1];

fn near(found: f32, expected: f64) {
    let error = (f64::from(found) - expected).abs() / expected.abs();
    assert!(error < 1e-5, "{found}, expected {expected}");
}

#[test]
#[ignore = "takes 5 GiB of memory"]
fn bytes_on_the_host() {
    let device = Device::host();
    let start = std::time::Instant::now();
    let step = |what: &str| eprintln!("{what}: {:.0} s", start.elapsed().as_secs_f64());
    let x = Tensor::full(&device, 3u8, &[ROWS, 8]).unwrap();
    let y = bytes_and_columns(&x).unwrap();
    step("elementwise");
    let rows = Tensor::from_slice(&device, &LOOKED_AT, &[LOOKED_AT.len()]).unwrap();
    let found = some_bytes(&y, &rows).unwrap().to_vec::<u8>().unwrap();
    assert!(found.chunks(8).all(|row| row == [3, 4, 5, 6, 7, 8, 9, 10]), "{found:?}");
    step("rows");
    // Sums of bytes are i32, and wrap.
    assert_eq!(y.apply("sum_all", &[]).item::<i32>().unwrap(), (ROWS as i64 * 52) as i32);
    step("sum");
    assert_eq!(y.apply("max_all", &[]).item::<u8>().unwrap(), 10);
}

#[test]
#[ignore = "takes 18 GiB of a device's memory"]
fn floats_elementwise_and_reduced() {
    let device = Device::auto().unwrap();
    let x = Tensor::full(&device, 1.5f32, &[ROWS, 8]).unwrap();
    let y = doubled_and_columns(&x).unwrap();
    drop(x);
    let rows = Tensor::from_slice(&device, &LOOKED_AT, &[LOOKED_AT.len()]).unwrap();
    let found = some_floats(&y, &rows).unwrap().to_vec::<f32>().unwrap();
    assert!(found.chunks(8).all(|row| row == [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]), "{found:?}");
    near(y.apply("sum_all", &[]).item().unwrap(), ROWS as f64 * 52.0);
    near(y.apply("mean_all", &[]).item().unwrap(), 6.5);
    let columns = y.sum([0]).to_vec::<f32>().unwrap();
    (3..11).zip(columns).for_each(|(value, found)| near(found, ROWS as f64 * f64::from(value)));
    assert_eq!(y.apply("max_all", &[]).item::<f32>().unwrap(), 10.0);
}

#[test]
#[ignore = "takes 9 GiB of a device's memory"]
fn floats_multiplied() {
    let device = Device::auto().unwrap();
    let (m, k, n) = ((1usize << 20) + 1, 2048usize, 16usize);
    let number = |at: usize| ((at * 37 + 11) % 101) as f32 / 64.0 + 0.25;
    let vector = |length: usize| (0..length).map(number).collect::<Vec<f32>>();
    let (a, b, w) = (vector(m), vector(k), vector(k * n));
    let tensor = |values: &[f32], shape: &[usize]| Tensor::from_slice(&device, values, shape).unwrap();
    let product = outer(&tensor(&a, &[m]), &tensor(&b, &[k])).unwrap().matmul(tensor(&w, &[k, n]));
    let rows = [0, m / 2, m - 2, m - 1];
    let looked_at = Tensor::from_slice(&device, &rows.map(|row| row as u32), &[rows.len()]).unwrap();
    let found = some_floats(&product, &looked_at).unwrap().to_vec::<f32>().unwrap();
    for (row, found) in rows.into_iter().zip(found.chunks(n)) {
        for (column, found) in found.iter().enumerate() {
            let sum: f64 = (0..k).map(|at| f64::from(b[at]) * f64::from(w[at * n + column])).sum();
            near(*found, f64::from(a[row]) * sum);
        }
    }
}

fn attend(q: &Tensor, k: &Tensor, v: &Tensor) -> Tensor {
    q.apply("scaled_dot_product_attention", &[k.into(), v.into(), false.into()])
}

/// Scores of `[8, 16, 4096, 4096]`, of which some heads are computed alone too.
#[test]
#[ignore = "takes 35 GiB of a device's memory"]
fn floats_attended() {
    let device = Device::auto().unwrap();
    let (batch, heads, length, width) = (8usize, 16usize, 4096usize, 64usize);
    let each = length * width;
    let values = |seed: usize| -> Vec<f32> {
        (0..batch * heads * each)
            .map(|at| ((at.wrapping_mul(2_654_435_761) + seed) % 1009) as f32 / 504.5 - 1.0)
            .collect()
    };
    let [q, k, v] = [1, 401, 777].map(values);
    let tensor = |values: &[f32], shape: &[usize]| Tensor::from_slice(&device, values, shape).unwrap();
    let whole = [batch, heads, length, width];
    let attended = attend(&tensor(&q, &whole), &tensor(&k, &whole), &tensor(&v, &whole));
    assert_eq!((attended.shape(), attended.dtype()), (&whole[..], DType::F32));
    let found = attended.to_vec::<f32>().unwrap();
    for head in [0, 63, 126, 127] {
        let own = head * each..(head + 1) * each;
        let alone = |values: &[f32]| tensor(&values[own.clone()], &[1, 1, length, width]);
        let expected = attend(&alone(&q), &alone(&k), &alone(&v)).to_vec::<f32>().unwrap();
        let worst = expected.iter().zip(&found[own]).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-5, "head {head} is off by {worst}");
    }
}
