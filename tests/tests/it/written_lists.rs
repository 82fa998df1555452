//! Tensors that are written in a body as lists of numbers.

use crate::common::{device, everywhere, floats};
use netcl::{DType, Result, Seed, Tensor};

#[netcl::constant]
const MEANS: [f32; 3] = [0.5, -0.25, 2.0];

#[netcl::model]
pub struct Net {
    #[parameter(init = 0.5)]
    shift: Tensor<f32, 3>,
}

#[netcl::model]
impl Net {
    /// Beside tensors, alone, of several axes, and of numbers that only the call knows.
    pub fn forward(&self, x: &Tensor<f32, N, 3>, by: f32) -> Tensor<f32, N, 2> {
        let h = (x - MEANS) / [1.0, 2.0, 4.0] + &self.shift;
        let turn = Tensor::from([[0.0, by], [1.0, -by], [2.0, 0.5]]);
        h.matmul(turn) * Tensor::from([by, 3.0])
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3>, by: f32) -> Tensor<f32> {
        self.forward(x, by).square().mean_all()
    }

    pub fn whole(&self, i: &Tensor<i32, N, 5>) -> (Tensor<i32, N, 5>, Tensor<bool, 2>, Tensor<i32, 3>) {
        (i + [7, -1, 100, 0, 3], Tensor::from([true, false]), Tensor::from([4, 5, 6]))
    }
}

#[test]
fn lists_are_tensors() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(1))?;
        let given = [1.0f32, 2.0, 3.0, -1.0, 0.5, 8.0];
        let by = 1.5f32;
        let (turn, last) = ([[0.0, by], [1.0, -by], [2.0, 0.5]], [by, 3.0]);
        let (means, over) = ([0.5f32, -0.25, 2.0], [1.0f32, 2.0, 4.0]);
        let (mut expected, mut shift) = (Vec::new(), [0.0f32; 3]);
        for row in given.chunks(3) {
            let h: Vec<f32> = (0..3).map(|c| (row[c] - means[c]) / over[c] + 0.5).collect();
            for k in 0..2 {
                let y: f32 = (0..3).map(|c| h[c] * turn[c][k]).sum::<f32>() * last[k];
                expected.push(y);
                (0..3).for_each(|c| shift[c] += 2.0 * y / 4.0 * last[k] * turn[c][k]);
            }
        }
        let near = |a: &[f32], b: &[f32]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5 * b.abs().max(1.0))
        };
        let x = floats(&given, &[2, 3]);
        let y = net.forward(&x, by)?.to_vec::<f32>()?;
        assert!(near(&y, &expected), "{y:?} {expected:?}");
        let (_, gradients) = net.loss_with_gradients(&x, by)?;
        let found = gradients.shift()?.to_vec::<f32>()?;
        assert!(near(&found, &shift), "{found:?} {shift:?}");
        let i = Tensor::zeros(&device(), &[1, 5], DType::I32)?;
        let (sum, truths, alone) = net.whole(&i)?;
        assert_eq!((sum.to_vec::<i32>()?, alone.to_vec::<i32>()?), (vec![7, -1, 100, 0, 3], vec![4, 5, 6]));
        assert_eq!(truths.to_vec::<bool>()?, [true, false]);
        Ok(())
    })
}
