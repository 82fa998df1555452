//! Kernels in SIMT form that change what they take, on every device: in its own memory where nobody else has that, and in a copy
//! where somebody does; in models as operations, with the gradient that is given.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

netcl::kernel! {
    /// A step of gradient descent with momentum, where both are.
    #[launch(global = [N])]
    fn descend(mut w: Tensor<f32, N>, mut m: Tensor<f32, N>, g: &Tensor<f32, N>, rate: f32, norm: &mut Tensor<f32, N>) {
        let i = global_id(0);
        m[i] = 0.5 * m[i] + g[i];
        w[i] -= rate * m[i];
        norm[i] = w[i] * w[i];
    }

    /// Adds to those elements that are named.
    #[launch(global = [K])]
    fn count(mut bins: Tensor<u32, N>, at: &Tensor<u32, K>) {
        let k = global_id(0);
        if k < K {
            atomic_add(&mut bins[at[k]], 1);
        }
    }

    /// Of the type of what is passed.
    #[launch(global = [N])]
    #[types(T = [f32, f16])]
    fn halved(mut x: Tensor<T, N>) {
        let i = global_id(0);
        x[i] = 0.5 * x[i];
    }

    /// Every other element doubled; the rest stays as it is.
    #[launch(global = [{ (N + 1) / 2 }])]
    #[gradient(doubled_gradient)]
    fn doubled(mut x: Tensor<f32, N>, by: &Tensor<f32, N>) {
        let i = 2 * global_id(0);
        x[i] *= by[i];
    }

    #[launch(global = [N])]
    fn doubled_gradient(x: &Tensor<f32, N>, by: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>, dby: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let own = i % 2 == 0;
        dx[i] = if own { by[i] * dy[i] } else { dy[i] };
        dby[i] = if own { x[i] * dy[i] } else { 0.0 };
    }
}

#[netcl::model]
struct Scaled {
    #[parameter(init = 2.0)]
    by: Tensor<f32, 5>,
}

#[netcl::model]
impl Scaled {
    /// What is changed is one of the loss's own values, which goes on to be used.
    fn loss(&self, x: &Tensor<f32, 5>) -> Tensor<f32> {
        let h = x * 3.0;
        (doubled(h, &self.by) + h).square().sum_all()
    }
}

#[test]
fn what_is_taken_is_changed_where_it_is() -> Result<()> {
    everywhere(|| {
        let (mut w, mut m) = (floats(&[1.0, 2.0, 3.0], &[3]), floats(&[0.0; 3], &[3]));
        let g = floats(&[1.0, 0.0, -1.0], &[3]);
        for _ in 0..3 {
            let norm;
            (w, m, norm) = descend(w, m, &g, 0.5)?;
            assert_eq!(norm.shape(), [3]);
        }
        assert_eq!(m.to_vec::<f32>()?, [1.75, 0.0, -1.75]);
        assert_eq!(w.to_vec::<f32>()?, [1.0 - 0.5 * 4.25, 2.0, 3.0 + 0.5 * 4.25]);
        let at = Tensor::from_slice(&device(), &[0u32, 2, 2, 9], &[4])?;
        let half = halved(halved(floats(&[1.0, 3.0], &[2]))?.apply("cast", &[DType::F16.into()]))?;
        assert_eq!(
            (half.dtype(), half.apply("cast", &[DType::F32.into()]).to_vec::<f32>()?),
            (DType::F16, vec![0.25, 0.75])
        );
        let bins = count(Tensor::from_slice(&device(), &[5u32, 0, 1], &[3])?, &at)?;
        assert_eq!(bins.to_vec::<u32>()?, [6, 0, 3]);
        Ok(())
    })
}

#[test]
fn what_somebody_else_has_stays_as_it_is() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, 2.0, 3.0], &[3]);
        // Its own clone, a view, and itself as another argument.
        assert_eq!(doubled(x.clone(), &x)?.to_vec::<f32>()?, [1.0, 2.0, 9.0]);
        assert_eq!(doubled(x.reshape([3]), &floats(&[2.0; 3], &[3]))?.to_vec::<f32>()?, [2.0, 2.0, 6.0]);
        assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
        let model = Scaled::new(&device(), Seed(1))?;
        let parameter = model.tensor("by")?;
        doubled(parameter, &floats(&[7.0; 5], &[5]))?;
        assert_eq!(model.tensor("by")?.to_vec::<f32>()?, [2.0; 5]);
        let wrong = doubled(x, &floats(&[1.0; 2], &[2])).map(drop).unwrap_err().to_string();
        assert!(wrong.contains("`by`"), "{wrong}");
        Ok(())
    })
}

#[test]
fn gradients_are_those_of_what_it_was() -> Result<()> {
    everywhere(|| {
        let (x, by) = (floats(&[1.0, 2.0, 3.0], &[3]), floats(&[2.0, 5.0, -1.0], &[3]));
        let (y, pullback) = doubled.vjp(x.clone(), &by)?;
        assert_eq!(y.to_vec::<f32>()?, [2.0, 2.0, -3.0]);
        let (dx, dby) = pullback(&floats(&[1.0, 10.0, 100.0], &[3]))?;
        assert_eq!(dx.to_vec::<f32>()?, [2.0, 10.0, -100.0]);
        assert_eq!(dby.to_vec::<f32>()?, [1.0, 0.0, 300.0]);
        let model = Scaled::new(&device(), Seed(1))?;
        let x = floats(&[1.0, 2.0, 3.0, 0.5, -1.0], &[5]);
        let (loss, gradients) = model.loss_with_gradients(&x)?;
        let (h, even) = (|x: f32| 3.0 * x, |i: usize| i.is_multiple_of(2));
        let values = x.to_vec::<f32>()?;
        let sums: Vec<f32> = values.iter().enumerate().map(|(i, x)| h(*x) * if even(i) { 3.0 } else { 2.0 }).collect();
        assert_eq!(loss.item::<f32>()?, sums.iter().map(|s| s * s).sum::<f32>());
        let dby: Vec<f32> = sums
            .iter()
            .zip(&values)
            .enumerate()
            .map(|(i, (s, x))| if even(i) { 2.0 * s * h(*x) } else { 0.0 })
            .collect();
        assert_eq!(gradients.tensor("by")?.to_vec::<f32>()?, dby);
        Ok(())
    })
}
