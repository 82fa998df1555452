//! What states start as, states in lists, and what is private of models in `Option`s and variants, on every device.

use crate::common::{devices, wave};
use netcl::prelude::*;

#[netcl::model]
pub struct Starts {
    #[state(init = 9007199254740993)]
    exact: Tensor<i64, 2>,
    #[state(init = -9223372036854775808)]
    least: Tensor<i64>,
    #[state(init = 4294967295)]
    most: Tensor<u32>,
    #[state(init = 255.0)]
    byte: Tensor<u8>,
    #[state(init = true)]
    truth: Tensor<bool, 3>,
    #[state(init = 65504.0)]
    half: Tensor<f16>,
}

#[netcl::model]
impl Starts {
    pub fn next(&self, x: &Tensor<i64, N>) -> Tensor<i64, N> {
        self.exact.set(&self.exact + 1);
        x + self.exact.get(0, 0)
    }

    pub fn others(
        &self,
        x: &Tensor<i64, N>,
    ) -> (Tensor<i64, N>, Tensor<u32>, Tensor<u8>, Tensor<bool, 3>, Tensor<f32>) {
        (x + &self.least, self.most + 0, self.byte + 0, !self.truth, self.half.cast(f32))
    }
}

#[netcl::model]
pub struct Means {
    #[state(init = 1.0)]
    means: [Tensor<f32, 4>; 2],
}

#[netcl::model]
impl Means {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.means[1].set(x.mean([0]));
        for i in 0..2 {
            self.means[i].set(&self.means[i] * 2.0);
        }
        x - &self.means[0] - &self.means[1]
    }
}

#[netcl::model]
pub struct Own {
    #[parameter(init = 3.0)]
    w: Tensor<f32, 4>,
    #[layer(inputs = 4, outputs = 4)]
    pub(crate) line: Linear,
}

#[netcl::model]
impl Own {
    fn scaled(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Own { w, .. } = self;
        x * w
    }
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
    pub(crate) fn twice(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.scaled(self.scaled(x))
    }
}

#[netcl::model]
pub enum Either {
    Same,
    #[default]
    One(Own),
    Two {
        a: Own,
        b: Own,
    },
}

#[netcl::model]
impl Either {
    fn through(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self {
            Self::Same => x,
            Self::One(own) => own.scaled(x),
            Self::Two { a, b } => a.twice(x) + x * &b.w,
        }
    }
}

#[netcl::model]
pub struct Parts {
    #[layer(present = true)]
    own: Option<Own>,
    both: (Own, [Own; 1]),
    #[layer(present = true)]
    way: Option<Either>,
    either: Either,
}

#[netcl::model]
impl Parts {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let h = match &self.own {
            Some(own) => own.scaled(x) + own.twice(x) * &own.w,
            None => x,
        };
        let (first, rest) = &self.both;
        let h = first.scaled(&rest[0].w * h);
        let h = self.way.as_ref().unwrap().through(self.either.through(h));
        let Some(Own { w, line }) = &self.own else { return h };
        h * w + line.forward(x)
    }
}

#[test]
fn states_start_as_the_numbers_that_are_written() -> Result<()> {
    for device in devices() {
        let net = Starts::new(&device, Seed(1))?;
        assert_eq!(net.tensor("exact")?.to_vec::<i64>()?, [9_007_199_254_740_993; 2]);
        assert_eq!(net.tensor("least")?.to_vec::<i64>()?, [i64::MIN]);
        assert_eq!(net.tensor("most")?.to_vec::<u32>()?, [u32::MAX]);
        assert_eq!(net.tensor("byte")?.to_vec::<u8>()?, [255]);
        assert_eq!(net.tensor("truth")?.to_vec::<bool>()?, [true; 3]);
        let next = net.next(&Tensor::from_slice(&device, &[0i64, 5], &[2])?)?;
        assert_eq!(next.to_vec::<i64>()?, [9_007_199_254_740_994, 9_007_199_254_740_999]);
        let (least, most, byte, truth, half) = net.others(&Tensor::from_slice(&device, &[0i64, 5], &[2])?)?;
        assert_eq!(least.to_vec::<i64>()?, [i64::MIN, i64::MIN + 5]);
        assert_eq!((most.item::<u32>()?, byte.item::<u8>()?, half.item::<f32>()?), (u32::MAX, 255, 65504.0));
        assert_eq!(truth.to_vec::<bool>()?, [false; 3]);
    }
    Ok(())
}

#[test]
fn a_state_in_a_list_is_set_by_its_number() -> Result<()> {
    for device in devices() {
        let net = Means::new(&device, Seed(1))?;
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0], &[2, 4])?;
        assert_eq!(net.forward(&x)?.to_vec::<f32>()?, [-5.0, -4.0, -3.0, -2.0, -3.0, -4.0, -5.0, -6.0]);
        assert_eq!(net.tensor("means.0")?.to_vec::<f32>()?, [2.0; 4]);
        assert_eq!(net.tensor("means.1")?.to_vec::<f32>()?, [4.0; 4]);
    }
    Ok(())
}

#[test]
fn what_is_private_of_a_part_is_used_in_its_own_module() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[2, 4]);
        // (3 + 27) * 9, then 3 or 9 + 3 by each enum, then 3 and the first part's layer, which no other is like.
        for (variants, factor) in
            [(&[][..], 30.0 * 9.0 * 9.0 * 3.0), (&[("either", "Two")], 30.0 * 9.0 * 12.0 * 3.0 * 3.0)]
        {
            let net = Parts::with_variants(&device, Seed(1), variants)?;
            let (given, found) = (x.to_vec::<f32>()?, net.forward(&x)?.to_vec::<f32>()?);
            let weight = net.tensor("own.line.weight")?.to_vec::<f32>()?;
            let bias = net.tensor("own.line.bias")?.to_vec::<f32>()?;
            for (at, found) in found.into_iter().enumerate() {
                let (row, out) = (at / 4 * 4, at % 4);
                let line: f32 = (0..4).map(|k| given[row + k] * weight[4 * k + out]).sum();
                let expected = given[at] * factor + line + bias[out];
                assert!((expected - found).abs() <= 1e-6 * factor, "{expected} {found}");
            }
        }
    }
    Ok(())
}
