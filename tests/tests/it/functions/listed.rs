//! Functions of tensors that are compiled for each type of a list: `#[types(T = [f32, f16])]`.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

/// The sum of both, or their difference.
#[netcl::function]
#[types(T = [f32, f16], U = [f32, i32])]
fn both<T, U>(x: &Tensor<T, N>, y: &Tensor<U, N>, less: bool) -> Tensor<T, N> {
    if less { x - y.cast(T) } else { x + y.cast(T) }
}

#[netcl::model]
struct Net {
    #[parameter(init = 2.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Net {
    fn loss(&self, x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> Tensor<f32> {
        let (wide, narrow) = (both(x * &self.scale, y, true), both(x.cast(f16), x, false));
        (wide * narrow.cast(f32)).sum_all()
    }
}

#[test]
fn the_types_of_the_arguments_choose() -> Result<()> {
    everywhere(|| {
        let (x, half) = (floats(&[1.0, 2.0], &[2]), floats(&[1.0, 2.0], &[2]).apply("cast", &[DType::F16.into()]));
        let y = Tensor::from_slice(&device(), &[3i32, -4], &[2])?;
        assert_eq!(both(&x, &y, false)?.to_vec::<f32>()?, [4.0, -2.0]);
        let mixed = both(&half, &x, true)?;
        assert_eq!(
            (mixed.dtype(), mixed.apply("cast", &[DType::F32.into()]).to_vec::<f32>()?),
            (DType::F16, vec![0.0; 2])
        );
        let (_, pullback) = both.vjp(&x, &x, true)?;
        let (dx, dy) = pullback(&x)?;
        assert_eq!((dx.to_vec::<f32>()?, dy.to_vec::<f32>()?), (vec![1.0, 2.0], vec![-1.0, -2.0]));
        let (loss, gradients) = Net::new(&device(), Seed(1))?.loss_with_gradients(&x, &y)?;
        assert_eq!((loss.item::<f32>()?, gradients.tensor("scale")?.item::<f32>()?), (30.0, 10.0));
        // All are named where none fits.
        let wrong = |given: Result<Tensor>| given.unwrap_err().to_string();
        let error = wrong(both(&y, &y, true));
        assert!(error.contains("argument `x` expects f32 or f16, found i32 [2]; convert it with `cast`"), "{error}");
        let error = wrong(both(&half, &half, true));
        assert!(error.contains("argument `y` expects f32 or i32, found f16 [2]"), "{error}");
        Ok(())
    })
}
