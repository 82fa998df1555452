//! Blocks that cut sequences and pictures of any size into windows of a parameter's, beside the same written with the number;
//! and what a parameter that is 0 leaves out.

use crate::common::{devices, wave};
use crate::generic::{bits, gradients, memory};
use crate::generic_layers::{all_near, near};
use netcl::{Model, Result, Seed, Tensor};

/// Windows of `W` along a sequence. How many heads there are decides what the layer is: nothing is known of it before.
#[netcl::model]
pub struct Windows<const C: usize, const W: usize> {
    #[layer(features = C, heads = W)]
    attend: SelfAttention,
}

#[netcl::model]
impl<const C: usize, const W: usize> Windows<C, W> {
    /// The sizes come from an axis that is divided.
    pub fn forward(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32, { N * (T / W) }, C> {
        let count = x.dim(1) / W;
        let mut h = x.narrow(1, 0, T / W * W);
        for k in 0..W {
            h = h + x.slice(1, k, count * W, W).repeat_interleave(1, W);
        }
        let windows = h.reshape([N, count, W, C]).reshape([-1, W, C]);
        self.attend.forward(&windows).mean([1])
    }

    /// An axis that tells `T` with the parameter's number.
    pub fn joined(&self, x: &Tensor<f32, N, { T * W }, C>) -> Tensor<f32, N, T, C> {
        self.attend.forward(x).reshape([N, T, W, C]).mean([2])
    }

    /// Calls that with sizes of its own.
    pub fn fourfold(&self, x: &Tensor<f32, N, { 2 * S * W }, C>) -> Tensor<f32, N, { 2 * S }, C> {
        self.joined(x)
    }

    /// Padded to whole windows.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32> {
        let whole = x.pad(1, 0, (W - T % W) % W, 0.0);
        let scores = self.attend.forward(&whole).einsum("ntc,nsc->nts", [self.attend.forward(x)]);
        scores.square().mean_all()
    }
}

#[netcl::model]
pub struct PlainWindows {
    #[layer(features = 6, heads = 3)]
    attend: SelfAttention,
}

#[netcl::model]
impl PlainWindows {
    pub fn forward(&self, x: &Tensor<f32, N, T, 6>) -> Tensor<f32, { N * (T / 3) }, 6> {
        let count = x.dim(1) / 3;
        let mut h = x.narrow(1, 0, T / 3 * 3);
        for k in 0..3 {
            h = h + x.slice(1, k, count * 3, 3).repeat_interleave(1, 3);
        }
        let windows = h.reshape([N, count, 3, 6]).reshape([-1, 3, 6]);
        self.attend.forward(&windows).mean([1])
    }

    pub fn joined(&self, x: &Tensor<f32, N, { T * 3 }, 6>) -> Tensor<f32, N, T, 6> {
        self.attend.forward(x).reshape([N, T, 3, 6]).mean([2])
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 6>) -> Tensor<f32> {
        let whole = x.pad(1, 0, (3 - T % 3) % 3, 0.0);
        let scores = self.attend.forward(&whole).einsum("ntc,nsc->nts", [self.attend.forward(x)]);
        scores.square().mean_all()
    }
}

#[netcl::model]
type Thirds = Windows<6, 3>;

/// Of the block as a field, whose sizes its user gives.
#[netcl::model]
pub struct Holder {
    windows: Windows<6, 3>,
}

#[netcl::model]
impl Holder {
    pub fn joined(&self, x: &Tensor<f32, N, { 3 * S }, 6>) -> Tensor<f32, N, S, 6> {
        self.windows.joined(x)
    }
}

#[test]
fn an_axis_of_any_size_is_cut_by_the_number_of_a_block() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (Thirds::new(&device, Seed(3))?, PlainWindows::new(&device, Seed(3))?);
        let holder = Holder::new(&device, Seed(3))?;
        for length in [3, 7, 12] {
            let x = wave(&device, &[2, length, 6]);
            assert_eq!(bits(&generic.forward(&x)?), bits(&plain.forward(&x)?), "{device}");
            let (own, of_generic, in_x) = generic.loss_with_gradients(&x)?;
            let (loss, of_plain, in_plain) = plain.loss_with_gradients(&x)?;
            assert_eq!([bits(&own), bits(&in_x)], [bits(&loss), bits(&in_plain)], "{device}");
            assert_eq!(gradients(of_generic.tensors()), gradients(of_plain.tensors()), "{device}");
        }
        let x = wave(&device, &[2, 12, 6]);
        let joined = bits(&plain.joined(&x)?);
        assert_eq!(bits(&generic.joined(&x)?), joined, "{device}");
        assert_eq!(bits(&generic.fourfold(&x)?), joined, "{device}");
        assert_eq!(bits(&holder.joined(&x)?), bits(&holder.windows.joined(&x)?), "{device}");
        let said = generic.joined(&wave(&device, &[2, 7, 6])).unwrap_err().to_string();
        assert!(said.contains("`T*3` is to be 7, and no whole number makes it that"), "{said}");
    }
    Ok(())
}

/// Texts that are operations' arguments, of what nobody knows before the numbers.
#[netcl::model]
pub struct Sampled<const K: usize> {
    #[layer(inputs = 1, outputs = 1, kernel = K, padding = { K / 2 })]
    filter: Conv2d,
}

#[netcl::model]
impl<const K: usize> Sampled<K> {
    pub fn forward(&self, x: &Tensor<f32, N, 1, 4, 4>, grid: &Tensor<f32, N, 3, 3, 2>) -> Tensor<f32, N, 1, 3, 3> {
        self.filter.forward(x).grid_sample(grid, "bilinear", "border", true)
    }
}

#[netcl::model]
type SampledByThree = Sampled<3>;

#[netcl::model]
pub struct PlainSampled {
    #[layer(inputs = 1, outputs = 1, kernel = 3, padding = 1)]
    filter: Conv2d,
}

#[netcl::model]
impl PlainSampled {
    pub fn forward(&self, x: &Tensor<f32, N, 1, 4, 4>, grid: &Tensor<f32, N, 3, 3, 2>) -> Tensor<f32, N, 1, 3, 3> {
        self.filter.forward(x).grid_sample(grid, "bilinear", "border", true)
    }
}

#[test]
fn texts_are_arguments_of_what_numbers_decide() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (SampledByThree::new(&device, Seed(3))?, PlainSampled::new(&device, Seed(3))?);
        let (x, grid) = (wave(&device, &[2, 1, 4, 4]), wave(&device, &[2, 3, 3, 2]));
        assert_eq!(bits(&generic.forward(&x, &grid)?), bits(&plain.forward(&x, &grid)?), "{device}");
    }
    Ok(())
}

/// Cut into parts whose number rounds: each call is checked.
#[netcl::model]
pub struct Parts {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Parts {
    pub fn pairs(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T / 2 }, 8> {
        x.reshape([N, T / 2, 8])
    }
    pub fn rest(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T / 2 }, 8> {
        x.reshape([N, -1, 8])
    }
    pub fn tiles(&self, x: &Tensor<f32, N, H, W>) -> Tensor<f32, N, { H / 2 }, { W / 3 }, 2, 3> {
        x.reshape([N, H / 2, 2, W / 3, 3]).permute([0, 1, 3, 2, 4])
    }
    /// And back to the sizes that it came from.
    pub fn untiled(&self, x: &Tensor<f32, N, H, W>) -> Tensor<f32, N, H, W> {
        self.tiles(x).permute([0, 1, 3, 2, 4]).reshape([N, H, W])
    }
    /// What is cut already is cut once more.
    pub fn quarters(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T / 4 }, 16> {
        self.pairs(x).reshape([N, T / 4, 16])
    }
    pub fn rest_of_pairs(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T / 4 }, 2, 8> {
        self.pairs(x).reshape([N, -1, 2, 8])
    }
    pub fn of_twice(&self, x: &Tensor<f32, N, { 2 * T }, 4>) -> Tensor<f32, N, { T / 2 }, 16> {
        x.reshape([N, T / 2, 16])
    }
    pub fn windows_of_pooled(&self, x: &Tensor<f32, N, 2, H, W>) -> Tensor<f32, N, 2, { H / 4 }, 2, { W / 6 }, 3> {
        x.max_pool2d(2, 2, 0, 1).reshape([N, 2, H / 4, 2, W / 6, 3])
    }
    pub fn upward(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { (T + 2) / 3 }, 12> {
        x.reshape([N, (T + 2) / 3, 12])
    }
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32> {
        self.line.forward(x).reshape([N, T / 2, 8]).narrow(2, 0, 4).square().sum_all()
    }
    /// The same without: of each pair the first.
    #[gradients(x)]
    pub fn loss_of_first(&self, x: &Tensor<f32, N, { 2 * T }, 4>) -> Tensor<f32> {
        self.line.forward(x).reshape([N, T, 8]).narrow(2, 0, 4).square().sum_all()
    }
}

#[test]
fn an_axis_of_any_size_is_reshaped_into_parts_of_it() -> Result<()> {
    for device in devices() {
        let model = Parts::new(&device, Seed(3))?;
        for length in [2, 6, 12] {
            let x = wave(&device, &[3, length, 4]);
            let flat = bits(&x);
            let reshaped = |y: Tensor, shape: [usize; 3]| {
                assert_eq!((y.shape(), bits(&y)), (&shape[..], flat.clone()), "{device}");
            };
            reshaped(model.pairs(&x)?, [3, length / 2, 8]);
            reshaped(model.rest(&x)?, [3, length / 2, 8]);
            if length % 4 == 0 {
                reshaped(model.quarters(&x)?, [3, length / 4, 16]);
                assert_eq!(bits(&model.rest_of_pairs(&x)?), flat, "{device}");
                reshaped(model.of_twice(&x)?, [3, length / 4, 16]);
            }
            if length % 3 == 0 {
                reshaped(model.upward(&x)?, [3, length / 3, 12]);
            }
            let (loss, own, in_x) = model.loss_with_gradients(&x)?;
            let (first, of_first, in_first) = model.loss_of_first_with_gradients(&x)?;
            // Their products may be of other kernels, whose sums have another order.
            near(&loss, &first, "loss")?;
            near(&in_x, &in_first, "gradient in x")?;
            all_near(own.tensors(), of_first.tensors())?;
        }
        let x = wave(&device, &[2, 4, 6]);
        let images = wave(&device, &[3, 2, 8, 12]);
        let windows = model.windows_of_pooled(&images)?;
        assert_eq!(windows.shape(), [3, 2, 2, 2, 2, 3]);
        assert_eq!(bits(&windows), bits(&images.max_pool2d(2, 2, 0, 1)), "{device}");
        let tiles = model.tiles(&x)?;
        assert_eq!(tiles.shape(), [2, 2, 2, 2, 3]);
        let by_hand = x.reshape([2, 2, 2, 2, 3]).permute([0, 1, 3, 2, 4]);
        assert_eq!(bits(&tiles), bits(&by_hand), "{device}");
        assert_eq!(bits(&model.untiled(&x)?), bits(&x), "{device}");
        for (said, expected) in [
            (
                model.pairs(&wave(&device, &[3, 5, 4])),
                "axis 1 is T = 5 (from `x: &Tensor<f32, N, T, 4>`) against (T / 2)*2 = 4",
            ),
            (model.rest(&wave(&device, &[3, 5, 4])), "`reshape` turns [N, T, 4] into [N, T / 2, 8] where sizes divide"),
            (model.upward(&wave(&device, &[3, 5, 4])), "against ((T + 2) / 3)*3 = 6"),
            (model.tiles(&wave(&device, &[1, 4, 5])), "axis 2 is W = 5"),
            (model.quarters(&wave(&device, &[3, 6, 4])), "axis 1 is T / 2 = 3"),
            (model.of_twice(&wave(&device, &[3, 6, 4])), "axis 1 is T*2 = 6"),
        ] {
            let said = said.unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        }
    }
    Ok(())
}

/// A gate with a width that is divided by a parameter.
#[netcl::model]
pub struct Gate<const C: usize, const R: usize> {
    #[layer(inputs = C, outputs = { C / R })]
    down: Linear,
    #[layer(inputs = { C / R }, outputs = C)]
    up: Linear,
}

#[netcl::model]
impl<const C: usize, const R: usize> Gate<C, R> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x * self.up.forward(&self.down.forward(x).relu()).sigmoid()
    }
}

/// Another block around it.
#[netcl::model]
pub struct Gates<L, const C: usize, const R: usize> {
    gate: Gate<C, R>,
    act: L,
}

#[netcl::model]
impl<L, const C: usize, const R: usize> Gates<L, C, R> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.act.forward(&self.gate.forward(x))
    }
}

#[netcl::model]
pub struct Perhaps<const C: usize, const R: usize> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
    #[layer(inputs = C, outputs = R, present = R)]
    side: Option<Linear>,
    #[layer(present = R > 0)]
    gates: Option<Gates<Relu, C, R>>,
}

#[netcl::model]
impl<const C: usize, const R: usize> Perhaps<C, R> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        let mut h = self.line.forward(x);
        if let Some(gates) = &self.gates {
            h = gates.forward(&h);
        }
        match &self.side {
            Some(side) => side.forward(&h).mean_keepdim([1]) + h,
            None => h,
        }
    }
}

/// The number comes through a block that has no use for it.
#[netcl::model]
pub struct Stage<const R: usize> {
    perhaps: Perhaps<4, R>,
}

#[netcl::model]
impl<const R: usize> Stage<R> {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.perhaps.forward(x).square().mean_all()
    }
}

#[netcl::model]
type Without = Stage<0>;

#[netcl::model]
type With = Stage<2>;

#[netcl::model]
pub struct PlainLine {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl PlainLine {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub struct PlainWithout {
    perhaps: PlainLine,
}

#[netcl::model]
impl PlainWithout {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.perhaps.forward(x).square().mean_all()
    }
}

/// The gate is there where it cannot be.
#[netcl::model]
pub struct Always<const R: usize> {
    #[layer(present = R < 3)]
    gate: Option<Gate<4, R>>,
}

#[netcl::model]
impl<const R: usize> Always<R> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match &self.gate {
            Some(gate) => gate.forward(x),
            None => x.clone(),
        }
    }
}

#[test]
fn what_is_there_has_sizes_of_at_least_1() {
    fn wrong<M: netcl::__private::Part>() -> Option<&'static str> {
        M::WRONG_SIZE
    }
    let said = Some("`C / R` is a size of `Gate` and must be at least 1");
    assert_eq!([wrong::<Gate<4, 0>>(), wrong::<Gate<4, 8>>(), wrong::<Always<0>>()], [said; 3]);
    assert_eq!([wrong::<Gate<4, 2>>(), wrong::<Always<1>>(), wrong::<Always<8>>(), wrong::<Stage<0>>()], [None; 4]);
    assert_eq!(wrong::<Stage<8>>(), said);
}

#[test]
fn what_a_number_of_0_leaves_out_needs_no_sizes() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (Without::new(&device, Seed(3))?, PlainWithout::new(&device, Seed(3))?);
        assert_eq!(memory(&generic), memory(&plain));
        let x = wave(&device, &[3, 4]);
        let ((loss, own), (of_plain, plain)) = (generic.loss_with_gradients(&x)?, plain.loss_with_gradients(&x)?);
        assert_eq!(bits(&loss), bits(&of_plain), "{device}");
        assert_eq!(gradients(own.tensors()), gradients(plain.tensors()), "{device}");
        let with = With::new(&device, Seed(3))?;
        let names = with.parameters();
        assert_eq!(names.iter().filter(|(name, _)| name.contains("gates.gate")).count(), 4);
        assert!(with.loss(&x)?.item::<f32>()?.is_finite());
    }
    Ok(())
}
