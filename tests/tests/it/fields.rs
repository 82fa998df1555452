//! Fields that are there or not, that share tensors or start otherwise, and states that functions set, on every device.

use crate::common::{devices, wave};
use netcl::prelude::*;

/// A way around where the sizes differ.
#[netcl::model]
pub struct Residual<const I: usize, const O: usize, const STRIDE: usize> {
    #[layer(inputs = I, outputs = O, kernel = 3, padding = 1, stride = STRIDE, init = normal(0.05), bias_init = 0.0)]
    a: Conv2d,
    #[layer(inputs = I, outputs = O, kernel = 1, stride = STRIDE, present = STRIDE > 1 || I != O)]
    around: Option<Conv2d>,
    #[layer(present = !(STRIDE >= 2) && I == 7)]
    never: Option<Head>,
}

#[netcl::model]
impl<const I: usize, const O: usize, const STRIDE: usize> Residual<I, O, STRIDE> {
    pub fn forward(
        &self,
        x: &Tensor<f32, N, I, H, W>,
    ) -> Tensor<f32, N, O, { (H + STRIDE - 1) / STRIDE }, { (W + STRIDE - 1) / STRIDE }> {
        let skip = if let Some(around) = &self.around { around.forward(x) } else { x };
        if self.never.is_some() {
            return self.a.forward(x);
        }
        (self.a.forward(x) + skip).relu()
    }
}

/// What is not there leaves the function.
#[netcl::model]
pub struct Maybe<const C: usize> {
    #[layer(inputs = C, outputs = C, init = 1.0, bias = false, present = C > 4)]
    line: Option<Linear>,
}

#[netcl::model]
impl<const C: usize> Maybe<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        let Some(line) = &self.line else {
            return x * 3.0;
        };
        let mut sum = line.forward(x);
        for k in 0..2 {
            let Some(line) = &self.line else { continue };
            sum = sum + line.forward(x) * k;
        }
        sum
    }
}

#[netcl::model]
pub struct Both {
    narrow: Maybe<2>,
    wide: Maybe<5>,
}

#[netcl::model]
impl Both {
    pub fn forward(&self, x: &Tensor<f32, N, 2>, y: &Tensor<f32, N, 5>) -> (Tensor<f32, N, 2>, Tensor<f32, N, 5>) {
        (self.narrow.forward(x), self.wide.forward(y))
    }
}

#[test]
fn what_is_not_there_leaves_by_let_else() -> Result<()> {
    for device in devices() {
        let both = Both::new(&device, Seed(1))?;
        let ones = |count: usize| Tensor::full(&device, 1.0f32, &[1, count]);
        let (narrow, wide) = both.forward(&ones(2)?, &ones(5)?)?;
        assert_eq!(narrow.to_vec::<f32>()?, [3.0; 2]);
        assert_eq!(wide.to_vec::<f32>()?, [10.0; 5]);
    }
    Ok(())
}

#[netcl::model]
pub struct Head {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Head {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub type Down = Residual<3, 4, 2>;

#[netcl::model]
pub struct Images {
    same: Residual<3, 3, 1>,
    down: Residual<3, 4, 2>,
    #[layer(present = true)]
    head: Option<Head>,
}

#[netcl::model]
impl Images {
    pub fn loss(&self, x: &Tensor<f32, N, 3, H, W>) -> Tensor<f32> {
        let h = self.down.forward(self.same.forward(x)).mean([2, 3]);
        match &self.head {
            Some(head) => head.forward(h),
            None => h,
        }
        .square()
        .mean_all()
    }
}

#[netcl::model]
pub struct Words {
    #[layer(entries = 5, features = 4, init = uniform(0.5))]
    words: Embedding,
    #[layer(inputs = 4, outputs = 5, shared = words)]
    output: Linear,
    #[layer(inputs = 4, outputs = 5, shared = words, bias = false)]
    bare: Linear,
    #[state]
    mean: Tensor<f32, 4>,
    #[state(init = 2)]
    calls: Tensor<u32>,
}

#[netcl::model]
impl Words {
    pub fn with_words(device: &Device, words: &Tensor) -> Result<Self> {
        let mut made = Self::new(device, Seed(3))?;
        made.set_tensor("words.weight", words)?;
        Ok(made)
    }

    pub fn loss(&self, word: &Tensor<u32, N>, next: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.words.forward(word).tanh();
        (self.output.forward(&h) + self.bare.forward(&h)).cross_entropy(next)
    }

    pub fn written_out(&self, word: &Tensor<u32, N>, next: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.words.forward(word).tanh();
        let weight = self.words.weight.t();
        (h.matmul(&weight) + &self.output.bias + h.matmul(&weight)).cross_entropy(next)
    }

    /// Goes on from the mean that it has set.
    pub fn centred(&self, x: &Tensor<f32, N, 4>, reset: bool) -> Tensor<f32, N, 4> {
        if reset {
            self.mean.set(0.0);
        }
        self.calls.set(&self.calls + 1);
        self.mean.set(&self.mean * 0.5 + x.mean([0]) * 0.5);
        x - &self.mean
    }
}

/// Tensors that start by their shapes, which the block's number and type say.
#[netcl::model]
pub struct ByShape<const C: usize, L> {
    #[layer(inputs = C, outputs = { 3 * C }, init = kaiming_normal)]
    line: Linear,
    #[layer(inputs = C, outputs = { 2 * C }, kernel = 3, padding = 1, init = xavier_uniform(GAIN), bias_init = kaiming_uniform(1.0))]
    conv: Conv2d,
    #[layer(inputs = C, outputs = C, init = xavier_normal)]
    slot: L,
    #[parameter(init = kaiming_uniform)]
    scale: Tensor<f32, C, C>,
}

#[netcl::constant]
pub const GAIN: f32 = 0.25;

#[netcl::model]
impl<const C: usize, L> ByShape<C, L> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, { 3 * C }> {
        self.line.forward(self.slot.forward(x.matmul(&self.scale)))
    }

    pub fn image(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32, N, { 2 * C }, H, W> {
        self.conv.forward(x)
    }
}

#[test]
fn a_shape_says_how_its_tensor_starts() -> Result<()> {
    for device in devices() {
        let (narrow, wide) =
            (ByShape::<12, Linear>::new(&device, Seed(4))?, ByShape::<60, Linear>::new(&device, Seed(4))?);
        for (tensors, c) in [(narrow.parameters(), 12.0f64), (wide.parameters(), 60.0)] {
            for (path, expected, uniform) in [
                ("line.weight", (2.0 / c).sqrt(), false),
                ("conv.weight", 0.25 * (2.0 / (9.0 * c + 18.0 * c)).sqrt(), true),
                ("conv.bias", (1.0 / (2.0 * c)).sqrt(), true),
                ("slot.weight", (1.0 / c).sqrt(), false),
                ("scale", (2.0 / c).sqrt(), true),
            ] {
                let tensor = &tensors.iter().find(|(known, _)| known == path).expect("it is there").1;
                let numbers: Vec<f64> = tensor.to_vec::<f32>()?.into_iter().map(f64::from).collect();
                let std = (numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64).sqrt();
                let most = if numbers.len() < 150 { 0.3 } else { 0.1 };
                assert!((std / expected - 1.0).abs() < most, "{path} of {c}: {std}, expected {expected}");
                let bound = 3f64.sqrt() * expected * 1.000_001;
                assert!(!uniform || numbers.iter().all(|x| x.abs() <= bound), "{path} of {c} within {bound}");
            }
        }
    }
    Ok(())
}

#[test]
fn numbers_say_what_is_there() -> Result<()> {
    for device in devices() {
        let net = Images::new(&device, Seed(1))?;
        let paths: Vec<String> = net.parameters().into_iter().map(|(path, _)| path).collect();
        let all = ["same.a", "down.a", "down.around", "head.line"];
        assert_eq!(paths, all.map(|path| [format!("{path}.weight"), format!("{path}.bias")]).concat());
        assert_eq!(net.tensor("same.a.bias")?.to_vec::<f32>()?, [0.0; 3]);
        for size in [6, 9] {
            let (loss, gradients) = net.loss_with_gradients(&wave(&device, &[2, 3, size, size]))?;
            assert!(loss.item::<f32>()? > 0.0);
            let around = gradients.down()?.around()?.expect("it is there");
            assert_eq!(around.weight.shape(), [4, 3, 1, 1]);
            assert!(gradients.same()?.around()?.is_none() && gradients.same()?.never()?.is_none());
        }
        assert_eq!(Down::new(&device, Seed(1))?.forward(&wave(&device, &[1, 3, 5, 5]))?.shape(), [1, 4, 3, 3]);
    }
    Ok(())
}

#[test]
fn a_shared_matrix_has_one_gradient() -> Result<()> {
    for device in devices() {
        let mut net = Words::new(&device, Seed(2))?;
        assert_eq!(net.parameters().len(), 2, "the words, and a bias");
        let words = net.tensor("words.weight")?.to_vec::<f32>()?;
        assert!(words.iter().all(|x| x.abs() <= 0.5), "{words:?}");
        let [word, next] = [[0u32, 3, 4], [1, 1, 2]].map(|at| Tensor::from_slice(&device, &at, &[3]));
        let (word, next) = (word?, next?);
        let mut optimizer = Adam::new(0.1);
        for _ in 0..3 {
            let (a, given) = net.loss_with_gradients(&word, &next)?;
            let (b, expected) = net.written_out_with_gradients(&word, &next)?;
            assert!((a.item::<f32>()? - b.item::<f32>()?).abs() < 1e-6);
            let pair = [given.words()?.weight, expected.words()?.weight].map(|weight| weight.to_vec::<f32>());
            let [given_words, expected_words] = pair;
            for (a, b) in given_words?.iter().zip(&expected_words?) {
                assert!((a - b).abs() < 1e-6, "{a} and {b}");
            }
            assert_eq!(given.output()?.bias.shape(), [5]);
            optimizer.step(&mut net, &given)?;
        }
        let full = Tensor::full(&device, 0.5f32, &[5, 4])?;
        assert_eq!(Words::with_words(&device, &full)?.tensor("words.weight")?.to_vec::<f32>()?, [0.5; 20]);
    }
    Ok(())
}

#[test]
fn functions_set_states() -> Result<()> {
    for device in devices() {
        let net = Words::new(&device, Seed(2))?;
        let x = Tensor::full(&device, 4.0f32, &[3, 4])?;
        assert_eq!(net.centred(&x, false)?.to_vec::<f32>()?, [2.0; 12]);
        assert_eq!(net.centred(&x, false)?.to_vec::<f32>()?, [1.0; 12]);
        assert_eq!(net.tensor("mean")?.to_vec::<f32>()?, [3.0; 4]);
        assert_eq!(net.centred(&x, true)?.to_vec::<f32>()?, [2.0; 12]);
        assert_eq!(net.tensor("calls")?.item::<u32>()?, 5);
    }
    Ok(())
}
