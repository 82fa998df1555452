//! Sizes that come from Rust: `const` parameters and `const` items, in models, nested models and argument types.

use crate::common::{devices, wave};
use netcl::{Device, Error, Model, Seed, Tensor};

fn close(a: &Tensor, b: &Tensor) {
    assert_eq!(a.shape(), b.shape());
    for (a, b) in a.to_vec::<f32>().unwrap().into_iter().zip(b.to_vec::<f32>().unwrap()) {
        assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{a} {b}");
    }
}

/// A size of this module; others have another of that name.
const WIDE: usize = 24;

mod block {
    use super::inner;

    const WIDE: usize = 10;

    /// A residual block of any width.
    #[netcl::model]
    pub struct Block<const WIDTH: usize, const HEADS: usize = 1> {
        #[layer(features = WIDTH)]
        norm: LayerNorm,
        #[layer(inputs = WIDTH, outputs = WIDE)]
        up: Linear,
        #[layer(inputs = WIDE, outputs = WIDTH)]
        down: Linear,
        scale: inner::Scale<WIDTH>,
    }

    #[netcl::model]
    impl<const W: usize, const H: usize> Block<W, H> {
        pub fn forward(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
            let y = self.down.forward(&self.up.forward(&self.norm.forward(x)).gelu());
            self.scale.forward(&(x + y)) * (1.0 / W) * self.half(x)
        }

        fn half(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
            x.sigmoid() * 0.5
        }
    }
}

mod inner {
    #[netcl::model]
    pub struct Scale<const SIZE: usize> {
        #[parameter(init = normal(1.0))]
        factor: Tensor<f32, { SIZE * 2 }>,
    }

    #[netcl::model]
    impl<const SIZE: usize> Scale<SIZE> {
        pub fn forward(&self, x: &Tensor<f32, N, SIZE>) -> Tensor<f32, N, SIZE> {
            x * self.factor.narrow(0, 0, SIZE) + self.factor.narrow(0, SIZE, SIZE)
        }
    }
}

use block::Block;

#[netcl::model]
pub struct Named<const HIDDEN: usize> {
    #[layer(inputs = WIDE, outputs = HIDDEN)]
    first: Linear,
    blocks: [Block<HIDDEN>; 2],
    fixed: Block<4, 2>,
    #[layer(inputs = HIDDEN, outputs = 4)]
    last: Linear,
    #[parameter(init = 1.0)]
    bias: Tensor<f32, HIDDEN>,
}

#[netcl::model]
impl<const HIDDEN: usize> Named<HIDDEN> {
    pub fn forward(&self, x: &Tensor<f32, N, WIDE>) -> Tensor<f32, N, 4> {
        let mut h = self.first.forward(x).tanh() + &self.bias;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.fixed.forward(&self.last.forward(&h))
    }

    pub fn loss(&self, x: &Tensor<f32, N, WIDE>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    pub fn hidden(&self, h: &Tensor<f32, N, HIDDEN>) -> Tensor<f32, N, HIDDEN> {
        h * &self.bias
    }
}

/// The same with numbers.
#[netcl::model]
pub struct NumberScale {
    #[parameter(init = normal(1.0))]
    factor: Tensor<f32, 14>,
}

#[netcl::model]
impl NumberScale {
    pub fn forward(&self, x: &Tensor<f32, N, 7>) -> Tensor<f32, N, 7> {
        x * self.factor.narrow(0, 0, 7) + self.factor.narrow(0, 7, 7)
    }
}

#[netcl::model]
pub struct NumberBlock {
    #[layer(features = 7)]
    norm: LayerNorm,
    #[layer(inputs = 7, outputs = 10)]
    up: Linear,
    #[layer(inputs = 10, outputs = 7)]
    down: Linear,
    scale: NumberScale,
}

#[netcl::model]
impl NumberBlock {
    pub fn forward(&self, x: &Tensor<f32, N, 7>) -> Tensor<f32, N, 7> {
        let y = self.down.forward(&self.up.forward(&self.norm.forward(x)).gelu());
        self.scale.forward(&(x + y)) * (1.0 / 7.0) * (x.sigmoid() * 0.5)
    }
}

#[netcl::model]
pub struct Numbers {
    #[layer(inputs = 24, outputs = 7)]
    first: Linear,
    blocks: [NumberBlock; 2],
    fixed: Block<4>,
    #[layer(inputs = 7, outputs = 4)]
    last: Linear,
    #[parameter(init = 1.0)]
    bias: Tensor<f32, 7>,
}

#[netcl::model]
impl Numbers {
    pub fn forward(&self, x: &Tensor<f32, N, 24>) -> Tensor<f32, N, 4> {
        let mut h = self.first.forward(x).tanh() + &self.bias;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.fixed.forward(&self.last.forward(&h))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 24>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

#[test]
fn names_and_numbers_give_one_model() {
    let device = Device::host();
    let (named, numbers) = (Named::<7>::new(&device, Seed(3)).unwrap(), Numbers::new(&device, Seed(3)).unwrap());
    let (a, b) = (named.parameters(), numbers.parameters());
    assert_eq!(a.len(), b.len());
    for ((path, a), (other, b)) in a.iter().zip(&b) {
        assert_eq!((path, a.shape()), (other, b.shape()));
        assert_eq!(a.to_vec::<f32>().unwrap(), b.to_vec::<f32>().unwrap(), "{path}");
    }
    for batch in [1, 5] {
        let x = wave(&device, &[batch, 24]);
        let labels = Tensor::from_slice(&device, &vec![2u32; batch], &[batch]).unwrap();
        close(&named.forward(&x).unwrap(), &numbers.forward(&x).unwrap());
        let (a, mine) = named.loss_with_gradients(&x, &labels).unwrap();
        let (b, theirs) = numbers.loss_with_gradients(&x, &labels).unwrap();
        close(&a, &b);
        for (path, _) in named.parameters() {
            close(&mine.tensor(&path).unwrap(), &theirs.tensor(&path).unwrap());
        }
        assert_eq!(mine.blocks().unwrap()[1].up().unwrap().weight.shape(), [7, 10]);
    }
}

/// Sizes of all kinds in few kernels: OpenCL drivers take a second for each.
#[netcl::model]
pub struct Small<const HIDDEN: usize> {
    #[layer(inputs = WIDE, outputs = HIDDEN)]
    first: Linear,
    #[layer(inputs = { HIDDEN }, outputs = 3)]
    last: Linear,
}

#[netcl::model]
impl<const HIDDEN: usize> Small<HIDDEN> {
    pub fn loss(&self, x: &Tensor<f32, N, WIDE>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.last.forward(&self.first.forward(x).relu()).cross_entropy(labels)
    }
}

#[test]
fn every_device_gives_the_same_numbers() {
    fn run<const HIDDEN: usize>(device: &Device) -> (Tensor, Vec<Tensor>) {
        let model = Small::<HIDDEN>::new(device, Seed(5)).unwrap();
        let x = wave(device, &[6, WIDE]);
        let labels = Tensor::from_slice(device, &[0u32, 1, 2, 0, 1, 2], &[6]).unwrap();
        let (loss, gradients) = model.loss_with_gradients(&x, &labels).unwrap();
        let paths = model.parameters().into_iter().map(|(path, _)| path);
        (loss, paths.map(|path| gradients.tensor(&path).unwrap()).collect())
    }
    for device in devices() {
        for (host, other) in
            [(run::<5>(&Device::host()), run::<5>(&device)), (run::<64>(&Device::host()), run::<64>(&device))]
        {
            close(&host.0, &other.0);
            host.1.iter().zip(&other.1).for_each(|(host, other)| close(host, other));
        }
    }
}

#[test]
fn one_build_serves_every_width() {
    let device = Device::host();
    fn run<const WIDTH: usize>(device: &Device) -> Vec<usize> {
        let model = Named::<WIDTH>::new(device, Seed(1)).unwrap();
        assert_eq!(model.tensor("blocks.0.up.weight").unwrap().shape(), [WIDTH, 10]);
        let y = model.forward(&wave(device, &[2, WIDE])).unwrap();
        assert!(y.to_vec::<f32>().unwrap().iter().all(|value| value.is_finite()));
        model.hidden(&wave(device, &[3, WIDTH])).unwrap().shape().to_vec()
    }
    assert_eq!(run::<1>(&device), [3, 1]);
    assert_eq!(run::<16>(&device), [3, 16]);
    assert_eq!(run::<33>(&device), [3, 33]);
}

#[test]
fn an_argument_of_another_size_is_refused() {
    let device = Device::host();
    let model = Named::<16>::new(&device, Seed(1)).unwrap();
    let error = model.hidden(&wave(&device, &[3, 8])).unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("argument `h` expects f32 [N, HIDDEN] with HIDDEN = 16 (from `bias`)"), "{text}");
    assert!(text.contains("found f32 [3, 8]"), "{text}");
    assert!(model.forward(&wave(&device, &[3, 25])).is_err(), "WIDE is 24");
}

netcl::kernel! {
    /// Sums of neighbours.
    fn pairs(x: &Tensor<f32, { N * 2 }>) -> Tensor<f32, N> {
        |n| x[2 * n] + x[2 * n + 1]
    }

    /// What is between: `M` follows from two axes.
    fn joined(x: &Tensor<f32, { N + M }>, y: &Tensor<f32, N>) -> Tensor<f32, N, M> {
        |n, m| x[n + m] * y[n]
    }
}

#[test]
fn sizes_follow_from_compound_axes() {
    for device in devices() {
        let sums = pairs(&Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 5.0], &[4]).unwrap()).unwrap();
        assert_eq!(sums.to_vec::<f32>().unwrap(), [3.0, 8.0]);
        for wrong in [5, 1, 0] {
            let error = pairs(&Tensor::from_slice(&device, &vec![1.0f32; wrong], &[wrong]).unwrap()).unwrap_err();
            assert!(error.to_string().contains("argument `x` expects f32 [N*2]"), "{error}");
        }
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0, 5.0], &[5]).unwrap();
        let y = Tensor::from_slice(&device, &[1.0f32, 10.0], &[2]).unwrap();
        let z = joined(&x, &y).unwrap();
        assert_eq!((z.shape(), z.to_vec::<f32>().unwrap()), (&[2, 3][..], vec![1.0, 2.0, 3.0, 20.0, 30.0, 40.0]));
        assert!(joined(&y, &x).is_err(), "no size is left");
    }
}

/// An `impl` of one instance knows its numbers.
#[netcl::model]
pub struct Chosen<const WIDTH: usize> {
    #[layer(inputs = WIDTH, outputs = { WIDTH / 2 })]
    half: Linear,
}

#[netcl::model]
impl Chosen<8> {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.half.forward(x)
    }
}

#[test]
fn an_impl_of_one_instance_knows_its_numbers() {
    let device = Device::host();
    let model = Chosen::<8>::new(&device, Seed(1)).unwrap();
    assert_eq!(model.forward(&wave(&device, &[2, 8])).unwrap().shape(), [2, 4]);
    assert!(Chosen::<8>::report(netcl::Target::Host).unwrap().contains("half"));
}

netcl::kernel! {
    /// Each element with the one behind it, the last with the first.
    fn with_next(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] + x[(n + 1) % N]
    }
}

#[netcl::model]
pub struct Around {
    #[parameter(init = 2.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Around {
    /// Of all but one element there may be none, and then nothing is divided by their number.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let rest = x.narrow(0, 1, T - 1);
        (with_next(rest) * rest).sum_all() * &self.scale
    }
}

#[test]
fn an_axis_that_may_be_empty_is_gone_around() {
    for device in devices() {
        let model = Around::new(&device, Seed(1)).unwrap();
        for (length, expected, gradient) in
            [(1, 0.0, vec![0.0]), (2, 4.0, vec![0.0, 8.0]), (4, 50.0, vec![0.0, 14.0, 16.0, 18.0])]
        {
            let x: Vec<f32> = (0..length).map(|value| value as f32).collect();
            let x = Tensor::from_slice(&device, &x, &[length]).unwrap();
            let (loss, _, in_x) = model.loss_with_gradients(&x).unwrap();
            assert_eq!((loss.item::<f32>().unwrap(), in_x.to_vec::<f32>().unwrap()), (expected, gradient), "{device}");
        }
    }
}

#[netcl::model]
pub struct Mirrors {
    #[parameter(init = 2.0)]
    scale: Tensor<f32>,
}

#[netcl::model]
impl Mirrors {
    pub fn padded(&self, x: &Tensor<f32, T>) -> (Tensor<f32, { T + 5 }>, Tensor<f32, { T + 4 }>) {
        (x.pad_reflect(0, 2, 3) * &self.scale, x.pad_circular(0, 3, 1) * &self.scale)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        (x.pad_reflect(0, 2, 3) * &self.scale).square().sum_all()
    }
}

#[test]
fn axes_of_any_size_are_padded_by_what_is_there() {
    for device in devices() {
        let model = Mirrors::new(&device, Seed(1)).unwrap();
        for length in [4usize, 5, 9] {
            let x: Vec<f32> = (0..length).map(|value| value as f32 + 1.0).collect();
            let x = Tensor::from_slice(&device, &x, &[length]).unwrap();
            let (mirrored, around) = model.padded(&x).unwrap();
            // The place in a mirror at both ends, and in a circle.
            let last = length as i64 - 1;
            let mirror = |at: i64| {
                if at < 0 {
                    -at
                } else if at > last {
                    2 * last - at
                } else {
                    at
                }
            };
            let expected: Vec<f32> = (-2..=last + 3).map(|at| 2.0 * (mirror(at) + 1) as f32).collect();
            assert_eq!(mirrored.to_vec::<f32>().unwrap(), expected, "{device} {length}");
            let expected: Vec<f32> =
                (-3..=last + 1).map(|at| 2.0 * (at.rem_euclid(length as i64) + 1) as f32).collect();
            assert_eq!(around.to_vec::<f32>().unwrap(), expected, "{device} {length}");
            let mut gradient = vec![0.0f32; length];
            (-2..=last + 3).for_each(|at| gradient[mirror(at) as usize] += 8.0 * (mirror(at) + 1) as f32);
            let (_, _, in_x) = model.loss_with_gradients(&x).unwrap();
            assert_eq!(in_x.to_vec::<f32>().unwrap(), gradient, "{device} {length}");
        }
        let error = model.padded(&Tensor::zeros(&device, &[3], netcl::DType::F32).unwrap()).unwrap_err();
        assert!(error.to_string().contains("`pad_reflect` expects at least 4"), "{error}");
    }
}
