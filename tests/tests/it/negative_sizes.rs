//! Sizes that symbols make negative, or too large, at a call: they are refused before anything runs, wherever they stand.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::function]
fn last(x: &Tensor<f32, 8, 2>, like: &Tensor<f32, T>) -> Tensor<f32, 2> {
    x.narrow(0, 0, 6 - T).sum([0]) + like.sum_all() * 0.0
}

netcl::kernel! {
    pub fn twice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[n, c] * 2.0 }
}

/// What takes parts of a table, of lengths, starts and ends that the arguments decide.
#[netcl::model]
pub struct Parts {
    #[parameter(init = 1.0)]
    table: Tensor<f32, 8, 2>,
}

#[netcl::model]
impl Parts {
    pub fn matmul(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2, 2> {
        let t = self.table.narrow(0, 0, 6 - T);
        t.t().matmul(t) + x.sum_all() * 0.0
    }

    pub fn sum(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        self.table.narrow(0, 0, 6 - T).sum([0]) + x.sum_all() * 0.0
    }

    pub fn mean(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        self.table.narrow(0, 0, 6 - T).mean([0]) + x.sum_all() * 0.0
    }

    pub fn loss(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.narrow(0, 0, 6 - T).square().mean_all() + x.sum_all() * 0.0
    }

    pub fn full(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        Tensor::full(1.0, [6 - T, 7 - T]).sum_all() + x.sum_all() * 0.0
    }

    pub fn arange(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        Tensor::arange(6 - T).cast(f32).sum_all() + x.sum_all() * 0.0
    }

    pub fn concat(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        self.table.narrow(0, 0, 6 - T).concat([x], 0).sum([0])
    }

    /// A convolution has left so much of an image.
    pub fn areas(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2, 2> {
        let image = x.narrow(0, 0, T - 1).unsqueeze(0).unsqueeze(0);
        image.adaptive_avg_pool2d([2, 2]).reshape([2, 2]) * self.table.narrow(0, 0, 2)
    }

    pub fn before(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 6, 2> {
        x.pad(0, 6 - T, 0, 0.0)
    }

    pub fn behind(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 6, 2> {
        x.pad(0, 0, 6 - T, 0.0)
    }

    pub fn start(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, T, 2> {
        x + self.table.narrow(0, 6 - T, T)
    }

    pub fn early(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 3, 2> {
        self.table.narrow(0, T - 2, 3) + x.sum_all() * 0.0
    }

    pub fn slice(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        self.table.slice(0, 6 - T, 8, 1).sum([0]) + x.sum_all() * 0.0
    }

    pub fn one(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        self.table.get(0, T - 4) + x.sum_all() * 0.0
    }

    /// Along the axis that the symbol is the size of.
    pub fn back(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        x.get(0, T - 4) * 2.0
    }

    pub fn last_four(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        x.narrow(0, T - 4, 4).sum([0])
    }

    pub fn rounds(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32, 2> {
        let p = self.table.narrow(0, 6 - T, T);
        let mut sum = Tensor::zeros([2]);
        for t in 0..T {
            sum = sum + p.get(0, t) * x.get(0, t);
        }
        sum
    }

    pub fn running(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.narrow(0, 0, 6 - T).cumsum(0).sum_all() + x.sum_all() * 0.0
    }

    pub fn kernel(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        twice(self.table.narrow(0, 0, 6 - T)).max_all() + x.sum_all() * 0.0
    }

    pub fn called(&self, x: &Tensor<f32, T>) -> Tensor<f32, 2> {
        last(&self.table, x)
    }

    pub fn repeated(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.tile([6 - T, 1]).sum_all() + x.sum_all() * 0.0
    }

    pub fn broadcast(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.unsqueeze(0).broadcast_to([6 - T, 8, 2]).sum_all() + x.sum_all() * 0.0
    }

    pub fn pooled(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.narrow(0, 0, 6 - T).unsqueeze(0).transpose(1, 2).avg_pool1d(1, 1, 0).sum_all() + x.sum_all() * 0.0
    }

    pub fn unfolded(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.narrow(0, 0, 6 - T).unfold(0, 1, 1).sum_all() + x.sum_all() * 0.0
    }

    pub fn flat(&self, x: &Tensor<f32, T, 2>) -> Tensor<f32> {
        self.table.narrow(0, 0, 6 - T).reshape([-1]).sum_all() + x.sum_all() * 0.0
    }

    pub fn huge(&self, x: &Tensor<f32, T>) -> Tensor<u32> {
        Tensor::ones([T * T, T * T], u32).sum_all() + x.sum_all().cast(u32) * 0
    }
}

/// Rows of ones, and of how many there is said.
fn rows(count: usize) -> Tensor {
    floats(&vec![1.0; count * 2], &[count, 2])
}

type Asked = fn(&Parts, &Tensor) -> Result<Tensor>;

#[test]
fn what_is_negative_at_a_call_is_refused() -> Result<()> {
    everywhere(|| {
        let parts = Parts::new(&device(), Seed(1))?;
        let lengths: [(&str, Asked, f32); 14] = [
            ("narrow", |m, x| m.matmul(x), 5.0 * 4.0),
            ("narrow", |m, x| m.sum(x), 5.0 * 2.0),
            ("narrow", |m, x| m.mean(x), 2.0),
            ("narrow", |m, x| m.loss(x), 1.0),
            ("narrow", |m, x| m.concat(x), 6.0 * 2.0),
            ("narrow", |m, x| m.running(x), 30.0),
            ("narrow", |m, x| m.kernel(x), 2.0),
            ("narrow", |m, x| m.flat(x), 10.0),
            ("tile", |m, x| m.repeated(x), 80.0),
            ("broadcast_to", |m, x| m.broadcast(x), 80.0),
            ("pad", |m, x| m.before(x), 2.0),
            ("pad", |m, x| m.behind(x), 2.0),
            ("narrow", |m, x| m.start(x), 4.0),
            ("slice", |m, x| m.slice(x), 6.0),
        ];
        for (operation, of, sum) in lengths {
            let found = of(&parts, &rows(1))?.to_vec::<f32>()?.iter().sum::<f32>();
            assert_eq!(found, sum, "{operation}");
            // Of no elements there is nothing wrong, and of fewer there is.
            of(&parts, &rows(6))?.to_vec::<f32>()?;
            let error = of(&parts, &rows(7)).unwrap_err().to_string();
            let wanted = format!("with T = 7: `{operation}` expects sizes of at least 0, found -T + 6 = -1");
            assert!(error.ends_with(&wanted), "{error}");
        }
        // Where a window fits, there is something.
        let windows: [Asked; 2] = [|m, x| m.pooled(x), |m, x| m.unfolded(x)];
        for of in windows {
            assert_eq!(of(&parts, &rows(1))?.item::<f32>()?, 10.0);
            for (count, size) in [(6, 0), (7, -1)] {
                let error = of(&parts, &rows(count)).unwrap_err().to_string();
                let wanted = format!("`: a window of 1 does not fit into -T + 6 = {size}");
                assert!(error.ends_with(&wanted), "{error}");
            }
        }
        Ok(())
    })
}

#[test]
fn so_it_is_in_loops_functions_and_of_tensors_that_are_made() -> Result<()> {
    everywhere(|| {
        let parts = Parts::new(&device(), Seed(1))?;
        let refused = |found: Result<Tensor>, wanted: &str| {
            let error = found.unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        };
        assert_eq!(parts.rounds(&rows(5))?.to_vec::<f32>()?, [5.0; 2]);
        refused(parts.rounds(&rows(7)), "`narrow` expects sizes of at least 0, found -T + 6 = -1");
        refused(parts.early(&rows(1)), "`narrow` expects sizes of at least 0, found T - 2 = -1");
        assert_eq!(parts.early(&rows(7))?.to_vec::<f32>()?, [1.0; 6]);
        refused(parts.early(&rows(8)), "`narrow` takes T - 2..T + 1 = 9 along axis 0 of [8, 2]");
        assert_eq!(parts.one(&rows(11))?.to_vec::<f32>()?, [1.0; 2]);
        refused(parts.one(&rows(3)), "`get` expects positions of at least 0, found T - 4 = -1");
        refused(parts.one(&rows(12)), "`get` takes position T - 4, the last of T - 3 = 9 along axis 0 of [8, 2]");
        let five = floats(&[0., 1., 2., 3., 4., 5., 6., 7., 8., 9.], &[5, 2]);
        assert_eq!(parts.back(&five)?.to_vec::<f32>()?, [4.0, 6.0]);
        refused(parts.back(&rows(3)), "`get` expects positions of at least 0, found T - 4 = -1");
        assert_eq!(parts.last_four(&five)?.to_vec::<f32>()?, [20.0, 24.0]);
        refused(parts.last_four(&rows(3)), "`narrow` expects sizes of at least 0, found T - 4 = -1");
        assert_eq!(parts.areas(&five)?.to_vec::<f32>()?, [1.0, 2.0, 5.0, 6.0]);
        refused(
            parts.areas(&rows(1)),
            "`adaptive_avg_pool2d` expects at least 1 pixel along axis 2 of [1, 1, T - 1, 2], which has T - 1 = 0",
        );
        let ones = |count: usize| floats(&vec![1.0; count], &[count]);
        assert_eq!(parts.called(&ones(5))?.to_vec::<f32>()?, [1.0; 2]);
        refused(parts.called(&ones(7)), "`narrow` expects sizes of at least 0, found -T + 6 = -1");
        assert_eq!(parts.full(&rows(4))?.item::<f32>()?, 6.0);
        refused(parts.full(&rows(8)), "[-T + 6, -T + 7], where sizes are at least 0, found -T + 6 = -2");
        assert_eq!(parts.arange(&rows(2))?.item::<f32>()?, 6.0);
        refused(parts.arange(&rows(8)), "where sizes are at least 0, found -T + 6 = -2");
        assert_eq!(parts.huge(&ones(3))?.item::<u32>()?, 81);
        refused(parts.huge(&ones(1 << 16)), "(past 64 bits) elements, and what can be counted is up to");
        Ok(())
    })
}

#[test]
fn gradients_are_refused_likewise() -> Result<()> {
    everywhere(|| {
        let parts = Parts::new(&device(), Seed(1))?;
        let (_, gradients) = parts.loss_with_gradients(&rows(4))?;
        let table = gradients.tensor("table")?.to_vec::<f32>()?;
        assert_eq!(table, [0.5, 0.5, 0.5, 0.5, 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.]);
        for error in [
            parts.loss_with_gradients(&rows(7)).map(|_| ()).unwrap_err(),
            parts.running_with_gradients(&rows(7)).map(|_| ()).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains("`narrow` expects sizes of at least 0, found -T + 6 = -1"), "{error}");
        }
        Ok(())
    })
}
