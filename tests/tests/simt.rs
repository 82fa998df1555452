//! SIMT-form kernels, run on the device that `NETCL_TEST_DEVICE` names (the host by default).

use netcl::{Device, Result, Tensor};

#[netcl::function]
fn leak(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.1 * x }
}

netcl::kernel! {
    /// Sums of 64 elements each, by a tree in local memory.
    #[launch(global = [N], local = [64])]
    pub fn block_sum(x: &Tensor<f32, N>, partial: &mut Tensor<f32, { (N + 63) / 64 }>) {
        let mut scratch = local!([f32; 64]);
        let (i, l) = (global_id(0), local_id(0));
        scratch[l] = if i < N { x[i] } else { 0.0 };
        barrier();
        let mut step = 32;
        while step > 0 {
            if l < step {
                scratch[l] += scratch[l + step];
            }
            barrier();
            step /= 2;
        }
        if l == 0 {
            partial[group_id(0)] = scratch[0];
        }
    }

    /// How many elements fall into each of 4 bins.
    #[launch(global = [N])]
    fn histogram(x: &Tensor<f32, N>, counts: &mut Tensor<u32, 4>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let bin = min(max(x[i] * 4.0, 0.0), 3.0) as u32;
        atomic_add(&mut counts[bin], 1);
    }

    /// The transpose, and the elements through a function.
    #[launch(global = [C, R])]
    fn transpose(x: &Tensor<f32, R, C>, y: &mut Tensor<f32, C, R>, z: &mut Tensor<f32, R, C>, scale: f32) {
        let (c, r) = (global_id(0), global_id(1));
        if r < R && c < C {
            y[c, r] = x[r, c];
            z[r, c] = leak(x[r, c]) * scale;
        }
    }

    /// Four elements at a time.
    #[launch(global = [N])]
    fn axpy(x: &Tensor<f32, N, 4>, y: &Tensor<f32, N, 4>, out: &mut Tensor<f32, N, 4>, a: f32) {
        let i = global_id(0) * 4;
        if i < N * 4 {
            out.store4(i, x.load4(i).mul_add(splat4(a), y.load4(i)));
        }
    }

    /// Running sums of each row, in a private array first.
    #[launch(global = [R])]
    fn prefix(x: &Tensor<f32, R, 4>, y: &mut Tensor<f32, R, 4>) {
        let r = global_id(0);
        if r < R {
            let mut sums = private!([f32; 4]);
            let mut sum = 0.0;
            for c in 0..4 {
                sum += x[r, c];
                sums[c] = sum;
            }
            for c in (0..4).step_by(1) {
                y[r, c] = sums[c];
            }
        }
    }

    /// x², for two element types, with a gradient by hand.
    #[types(T = [f32, f16])]
    #[launch(global = [N])]
    fn twice(x: &Tensor<T, N>, y: &mut Tensor<T, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = x[i] + x[i];
        }
    }

    #[launch(global = [N])]
    #[gradient(square_gradient)]
    fn square(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = x[i] * x[i];
        }
    }

    #[launch(global = [N])]
    fn square_gradient(x: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            dx[i] = 2.0 * x[i] * dy[i];
        }
    }
}

fn device() -> Device {
    std::env::var("NETCL_TEST_DEVICE").map_or_else(|_| Device::host(), |name| Device::select(&name).expect("a device"))
}

fn floats(values: &[f32], shape: &[usize]) -> Tensor {
    Tensor::from_slice(&device(), values, shape).expect("the numbers fit the shape")
}

#[test]
fn local_memory_and_barriers() -> Result<()> {
    for n in [1usize, 64, 65, 200] {
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let expected: Vec<f32> = x.chunks(64).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(block_sum(&floats(&x, &[n]))?.to_vec::<f32>()?, expected);
    }
    Ok(())
}

#[test]
fn atomics_start_from_zero() -> Result<()> {
    let x: Vec<f32> = (0..100).map(|i| i as f32 / 100.0).collect();
    for _ in 0..2 {
        assert_eq!(histogram(&floats(&x, &[100]))?.to_vec::<u32>()?, [25; 4]);
    }
    Ok(())
}

#[test]
fn two_dimensions_and_two_results() -> Result<()> {
    let x = floats(&[1.0, -2.0, 3.0, 4.0, 5.0, -6.0], &[2, 3]);
    let (y, z) = transpose(&x, 2.0)?;
    assert_eq!(y.to_vec::<f32>()?, [1.0, 4.0, -2.0, 5.0, 3.0, -6.0]);
    assert_eq!(z.to_vec::<f32>()?, [2.0, -0.4, 6.0, 8.0, 10.0, -1.2]);
    Ok(())
}

#[test]
fn vectors_and_private_arrays() -> Result<()> {
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let y = axpy(&floats(&x, &[2, 4]), &floats(&[1.0; 8], &[2, 4]), 3.0)?;
    assert_eq!(y.to_vec::<f32>()?, x.iter().map(|x| 3.0 * x + 1.0).collect::<Vec<_>>());
    assert_eq!(prefix(&floats(&x, &[2, 4]))?.to_vec::<f32>()?, [0.0, 1.0, 3.0, 6.0, 4.0, 9.0, 15.0, 22.0]);
    Ok(())
}

#[test]
fn element_types_and_gradients_by_hand() -> Result<()> {
    assert_eq!(twice(&floats(&[1.5, -2.0], &[2]))?.to_vec::<f32>()?, [3.0, -4.0]);
    let (y, pullback) = square.vjp(&floats(&[3.0, -1.0], &[2]))?;
    assert_eq!(y.to_vec::<f32>()?, [9.0, 1.0]);
    assert_eq!(pullback(&floats(&[1.0, 10.0], &[2]))?.to_vec::<f32>()?, [6.0, -20.0]);
    Ok(())
}
