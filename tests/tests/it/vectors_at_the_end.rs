//! Vectors of SIMT kernels that reach over the end of a tensor: each element inside is read and written, as it is by itself.

use crate::common::{device, everywhere};
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [{ (N + 1) / 2 }])]
    fn by_twos(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, sums: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let v = x.load2(2 * i);
        y.store2(2 * i, v + splat2(1.0));
        sums[i] = sum_lanes(v);
    }

    #[launch(global = [{ (N + 3) / 4 }])]
    fn by_fours(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, sums: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let v = x.load4(4 * i);
        y.store4(4 * i, v + splat4(1.0));
        sums[i] = sum_lanes(v);
    }

    #[launch(global = [{ (N + 7) / 8 }])]
    fn by_eights(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>, sums: &mut Tensor<i32, N>) {
        let i = global_id(0);
        let v = x.load8(8 * i);
        y.store8(8 * i, v + splat8(1i32));
        sums[i] = sum_lanes(v);
    }

    /// Sums of `u8` go round.
    #[launch(global = [{ (N + 15) / 16 }])]
    fn by_sixteens(x: &Tensor<u8, N>, y: &mut Tensor<u8, N>, sums: &mut Tensor<u8, N>) {
        let i = global_id(0);
        let v = x.load16(16 * i);
        y.store16(16 * i, v + splat16(1u8));
        sums[i] = sum_lanes(v);
    }

    /// In halves, which are computed with as `f32`.
    #[launch(global = [{ (N + 3) / 4 }])]
    fn of_halves(x: &Tensor<f16, N>, y: &mut Tensor<f16, N>, sums: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let v = x.load4(4 * i);
        y.store4(4 * i, v + splat4(1.0));
        sums[i] = sum_lanes(v);
    }

    /// From anywhere, and far outside, where a sum of positions would go round.
    #[launch(global = [N])]
    fn anywhere(at: &Tensor<u32, N>, x: &Tensor<f32, M>, sums: &mut Tensor<f32, N>) {
        let i = global_id(0);
        sums[i] = sum_lanes(x.load4(at[i]));
    }
}

/// What a kernel of `width` gives of `0, 1, .., n - 1`: one more each, and the sums of each piece.
fn expected(n: usize, width: usize) -> (Vec<f64>, Vec<f64>) {
    let all: Vec<f64> = (0..n).map(|x| x as f64).collect();
    (all.iter().map(|x| x + 1.0).collect(), all.chunks(width).map(|piece| piece.iter().sum()).collect())
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(tensor.cast(DType::F32).to_vec::<f32>()?.into_iter().map(f64::from).collect())
}

#[test]
fn elements_that_are_inside_are_read_and_written() -> Result<()> {
    everywhere(|| {
        for n in [1usize, 2, 3, 5, 7, 8, 15, 17, 23, 33] {
            let floats: Vec<f32> = (0..n).map(|x| x as f32).collect();
            let x = Tensor::from_slice(&device(), &floats, &[n])?;
            let found = [
                ("by twos", 2, by_twos(&x)?),
                ("by fours", 4, by_fours(&x)?),
                ("by eights", 8, by_eights(&x.cast(DType::I32))?),
                ("by sixteens", 16, by_sixteens(&x.cast(DType::U8))?),
                ("of halves", 4, of_halves(&x.cast(DType::F16))?),
            ];
            for (name, width, (y, sums)) in found {
                let (plus_one, pieces) = expected(n, width);
                assert_eq!(numbers(&y)?, plus_one, "{name} of {n}");
                let pieces: Vec<f64> =
                    pieces.into_iter().map(|sum| if width == 16 { sum % 256.0 } else { sum }).collect();
                assert_eq!(numbers(&sums)?[..pieces.len()], pieces, "{name} of {n}");
            }
        }
        let x = Tensor::from_slice(&device(), &[1.0f32, 2.0, 4.0, 8.0, 16.0], &[5])?;
        let at = Tensor::from_slice(&device(), &[0u32, 1, 2, 3, 4, 5, u32::MAX, u32::MAX - 2], &[8])?;
        assert_eq!(anywhere(&at, &x)?.to_vec::<f32>()?, [15.0, 30.0, 28.0, 24.0, 16.0, 0.0, 0.0, 0.0]);
        Ok(())
    })
}
