//! Plain arguments handed to operations: a `bool` where they take `true` or `false`, a number where they take one for all elements
//! or a position; and tables whose length the model gives, of which each call takes as many rows as it needs.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::function]
fn attend(
    q: &Tensor<f32, N, T, C>,
    k: &Tensor<f32, N, T, C>,
    v: &Tensor<f32, N, T, C>,
    causal: bool,
) -> Tensor<f32, N, T, C> {
    q.scaled_dot_product_attention(k, v, causal)
}

#[netcl::function]
fn turned(x: f32, up: bool) -> f32 {
    if up { x } else { -x }
}

#[netcl::model]
pub struct Bounds {
    #[parameter(init = 1.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Bounds {
    pub fn clipped(&self, x: &Tensor<f32, N, 4>, k: f32) -> Tensor<f32, N, 4> {
        (x * self.scale).clamp(-k, k)
    }

    /// One bound is a number, as in PPO's clipping around 1.
    pub fn loss(&self, x: &Tensor<f32, N, 4>, k: f32) -> Tensor<f32> {
        (x * self.scale).clamp(-1.0, 1.0 + k).sum_all()
    }

    /// Bounds that are written, of each call, and computed of such.
    #[gradients(x)]
    pub fn written(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        x.clamp(-0.25, 2.0).sum_all() * self.scale
    }

    #[gradients(x)]
    pub fn passed(&self, x: &Tensor<f32, N, 4>, low: f32, high: f32) -> Tensor<f32> {
        x.clamp(low, high).sum_all() * self.scale
    }

    #[gradients(x)]
    pub fn computed(&self, x: &Tensor<f32, N, 4>, low: f32, high: f32) -> Tensor<f32> {
        x.maximum(-low * 0.5).minimum(high + 1.0).sum_all() * self.scale
    }

    /// Where both are asked for.
    pub fn slopes(&self, x: &Tensor<f32, N, 4>, k: f32) -> (Tensor<f32, N, 4>, Tensor<f32>) {
        grad(&(x * self.scale).maximum(k).sum_all(), (x, k))
    }

    pub fn others(&self, x: &Tensor<f32, N, 4>, k: f32) -> [Tensor<f32, N, 4>; 6] {
        let zero = x.lt(0.0);
        [
            x.leaky_relu(k),
            x.threshold(k, -k),
            x.hard_shrink(k),
            x.soft_shrink(k),
            x.masked_fill(zero, k),
            x.narrow(1, 0, 3).pad(1, 0, 1, k),
        ]
    }

    pub fn huber(&self, x: &Tensor<f32, N, 4>, k: f32) -> Tensor<f32> {
        x.huber_loss(x * 0.0, k)
    }

    pub fn turned(&self, x: &Tensor<f32, N, 4>, up: bool) -> Tensor<f32, N, 4> {
        turned(x * self.scale, up)
    }

    pub fn column(&self, x: &Tensor<f32, N, 4>, k: u32) -> Tensor<f32, N> {
        x.get(1, k) * self.scale
    }

    pub fn sorted(&self, x: &Tensor<f32, N, 4>, descending: bool, twice: bool) -> Tensor<f32, N, 4> {
        let sorted = x.sort(1, descending);
        if descending { sorted * 10.0 } else { sorted + x.sort(1, !twice) }
    }
}

#[netcl::constant]
const PLACES: usize = 3;

#[netcl::model]
pub struct Table<const CONTEXT: usize, const C: usize> {
    #[parameter(init = normal(0.5))]
    rows: Tensor<f32, CONTEXT, C>,
}

#[netcl::model]
impl<const CONTEXT: usize, const C: usize> Table<CONTEXT, C> {
    pub fn forward(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32, N, T, C> {
        x * self.rows.narrow(0, 0, T)
    }

    pub fn loss(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32> {
        self.forward(x).sum_all()
    }

    pub fn third(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x + self.rows.get(0, 2)
    }

    /// The rows in a loop are those that there are as many of as rounds.
    pub fn rounds(&self, x: &Tensor<f32, T, C>) -> Tensor<f32, C> {
        let rows = self.rows.narrow(0, 0, T);
        let mut sum = Tensor::zeros([C]);
        for t in 0..T {
            sum = sum * 0.5 + x.get(0, t) * rows.get(0, t);
        }
        sum
    }
}

#[netcl::model]
type Short = Table<4, 2>;

#[netcl::model]
pub struct Nested {
    table: Table<4, 2>,
    #[parameter(init = 1.0)]
    places: Tensor<f32, PLACES, 2>,
}

#[netcl::model]
impl Nested {
    pub fn forward(&self, x: &Tensor<f32, N, T, 2>) -> Tensor<f32, N, T, 2> {
        self.table.forward(x) + self.places.narrow(0, 0, T)
    }
}

#[test]
fn a_plain_bool_chooses_what_an_operation_does() -> Result<()> {
    everywhere(|| {
        let q = floats(&[0.1, 0.9, -0.3, 0.4, 0.5, -0.6], &[1, 3, 2]);
        let causal = attend(&q, &q, &q, true)?.to_vec::<f32>()?;
        let whole = attend(&q, &q, &q, false)?.to_vec::<f32>()?;
        let by_hand = |causal| q.scaled_dot_product_attention(&q, &q, causal).to_vec::<f32>();
        for (found, wanted) in [(&causal, by_hand(true)?), (&whole, by_hand(false)?)] {
            found.iter().zip(&wanted).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{found:?} {wanted:?}"));
        }
        assert!((causal[0] - whole[0]).abs() > 1e-3);
        let model = Bounds::new(&device(), Seed(1))?;
        let x = floats(&[3.0, 1.0, 4.0, 2.0], &[1, 4]);
        assert_eq!(model.sorted(&x, true, false)?.to_vec::<f32>()?, [40.0, 30.0, 20.0, 10.0]);
        assert_eq!(model.sorted(&x, false, true)?.to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(model.sorted(&x, false, false)?.to_vec::<f32>()?, [5.0, 5.0, 5.0, 5.0]);
        assert_eq!(model.turned(&x, true)?.to_vec::<f32>()?, [3.0, 1.0, 4.0, 2.0]);
        assert_eq!(model.turned(&x, false)?.to_vec::<f32>()?, [-3.0, -1.0, -4.0, -2.0]);
        Ok(())
    })
}

#[test]
fn a_number_of_an_argument_bounds_and_fills() -> Result<()> {
    everywhere(|| {
        let model = Bounds::new(&device(), Seed(1))?;
        let x = floats(&[-2.0, -0.25, 0.25, 2.0], &[1, 4]);
        assert_eq!(model.clipped(&x, 0.5)?.to_vec::<f32>()?, [-0.5, -0.25, 0.25, 0.5]);
        assert_eq!(model.clipped(&x, 1.5)?.to_vec::<f32>()?, [-1.5, -0.25, 0.25, 1.5]);
        let (loss, gradients) = model.loss_with_gradients(&x, 0.5)?;
        assert_eq!(loss.item::<f32>()?, -1.0 - 0.25 + 0.25 + 1.5);
        // Past the bounds nothing of the scale is left.
        assert_eq!(gradients.tensor("scale")?.item::<f32>()?, 0.0);
        assert_eq!(model.loss_with_gradients(&x, 2.0)?.1.tensor("scale")?.item::<f32>()?, 2.0);
        for k in [0.5f32, 0.125] {
            let found = model.others(&x, k)?;
            let wanted = [
                [-2.0 * k, -0.25 * k, 0.25, 2.0],
                if k == 0.5 { [-k, -k, -k, 2.0] } else { [-k, -k, 0.25, 2.0] },
                if k == 0.5 { [-2.0, 0.0, 0.0, 2.0] } else { [-2.0, -0.25, 0.25, 2.0] },
                if k == 0.5 { [-1.5, 0.0, 0.0, 1.5] } else { [-1.875, -0.125, 0.125, 1.875] },
                [k, k, 0.25, 2.0],
                [-2.0, -0.25, 0.25, k],
            ];
            for (found, wanted) in found.iter().zip(wanted) {
                assert_eq!(found.to_vec::<f32>()?, wanted, "{k}");
            }
        }
        let huber = |x: f32, k: f32| if x.abs() < k { 0.5 * x * x } else { k * (x.abs() - 0.5 * k) };
        let wanted = [-2.0, -0.25, 0.25, 2.0].map(|x| huber(x, 0.5)).iter().sum::<f32>() / 4.0;
        assert!((model.huber(&x, 0.5)?.item::<f32>()? - wanted).abs() < 1e-6);
        // At run time the same bounds are tensors too.
        let half = Tensor::full(&device(), 0.5f32, &[])?;
        assert_eq!(x.clamp(-0.5, &half).to_vec::<f32>()?, [-0.5, -0.25, 0.25, 0.5]);
        assert!(x.clamp(&x, 1.0).to_vec::<f32>().unwrap_err().to_string().contains("a tensor without axes of f32"));
        Ok(())
    })
}

/// As PyTorch has it of numbers; between what both have gradients a tie is shared.
#[test]
fn what_equals_a_bound_has_no_gradient_whoever_says_the_number() -> Result<()> {
    everywhere(|| {
        let model = Bounds::new(&device(), Seed(1))?;
        let x = floats(&[-0.25, 2.0, 0.5, 3.0], &[1, 4]);
        let wanted = [0.0, 0.0, 1.0, 0.0];
        assert_eq!(model.written_with_gradients(&x)?.2.to_vec::<f32>()?, wanted);
        assert_eq!(model.passed_with_gradients(&x, -0.25, 2.0)?.2.to_vec::<f32>()?, wanted);
        assert_eq!(model.computed_with_gradients(&x, 0.5, 1.0)?.2.to_vec::<f32>()?, wanted);
        let (of_x, of_k) = model.slopes(&x, 0.5)?;
        assert_eq!(of_x.to_vec::<f32>()?, [0.0, 1.0, 0.5, 1.0]);
        assert_eq!(of_k.item::<f32>()?, 1.5);
        Ok(())
    })
}

#[test]
fn a_number_of_an_argument_is_a_position() -> Result<()> {
    everywhere(|| {
        let model = Bounds::new(&device(), Seed(1))?;
        let x = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[2, 4]);
        for k in 0..4 {
            let k = k as f32;
            assert_eq!(model.column(&x, k as u32)?.to_vec::<f32>()?, [1.0 + k, 5.0 + k]);
        }
        // As of every number that names rows.
        assert_eq!(model.column(&x, 4)?.to_vec::<f32>()?, [0.0, 0.0]);
        Ok(())
    })
}

#[test]
fn tables_of_a_models_own_length_are_compared_by_each_call() -> Result<()> {
    everywhere(|| {
        let model = Short::new(&device(), Seed(1))?;
        let rows = model.tensor("rows")?.to_vec::<f32>()?;
        let ones = |steps: usize| floats(&vec![1.0; steps * 2], &[1, steps, 2]);
        for steps in 1..=4 {
            assert_eq!(model.forward(&ones(steps))?.to_vec::<f32>()?, rows[..2 * steps]);
            let (_, gradients) = model.loss_with_gradients(&ones(steps))?;
            let wanted: Vec<f32> = (0..8).map(|i| if i < 2 * steps { 1.0 } else { 0.0 }).collect();
            assert_eq!(gradients.tensor("rows")?.to_vec::<f32>()?, wanted);
        }
        assert_eq!(model.third(&floats(&[0.0; 2], &[1, 2]))?.to_vec::<f32>()?, rows[4..6]);
        let sum = model.rounds(&floats(&[1.0; 4], &[2, 2]))?.to_vec::<f32>()?;
        (0..2).for_each(|c| assert!((sum[c] - (0.5 * rows[c] + rows[2 + c])).abs() < 1e-6));
        let error = model.forward(&ones(5)).unwrap_err().to_string();
        let wanted = "`narrow` takes 0..T = 5 along axis 0 of [CONTEXT, C] (from `rows`), which has CONTEXT = 4";
        assert!(error.contains(wanted), "{error}");
        let error = Table::<2, 2>::new(&device(), Seed(1))?.third(&floats(&[0.0; 2], &[1, 2])).unwrap_err().to_string();
        assert!(error.contains("`get` takes position 2, the last of 3") && error.contains("CONTEXT = 2"), "{error}");
        let nested = Nested::new(&device(), Seed(1))?;
        assert_eq!(nested.forward(&ones(3))?.shape(), [1, 3, 2]);
        let error = nested.forward(&ones(4)).unwrap_err().to_string();
        assert!(error.contains("T = 4 along axis 0 of [PLACES, 2]") && error.contains("PLACES = 3"), "{error}");
        Ok(())
    })
}
