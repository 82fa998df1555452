//! Networks on images of any size, made by the macros, on every device found: as those of one size compute, as the host
//! does, and all sizes with the programs of the first.

use crate::common;
use netcl::ProgramStats;
use netcl::prelude::*;
use netcl_fixtures::devices::measured_before;

/// The same networks for other sizes of images.
macro_rules! networks {
    ($residual:ident, $unet:ident, $h:tt, $w:tt) => {
        /// As ResNet-18 is built, of two blocks.
        #[netcl::model]
        struct $residual {
            #[layer(inputs = 3, outputs = 8, kernel = 7, stride = 2, padding = 3, bias = false)]
            stem: Conv2d,
            #[layer(features = 8)]
            stem_norm: BatchNorm,
            #[layer(kernel = 3, stride = 2, padding = 1)]
            pool: MaxPool2d,
            #[layer(inputs = 8, outputs = 8, kernel = 3, padding = 1, count = 2)]
            level: Vec<Conv2d>,
            #[layer(inputs = 8, outputs = 16, kernel = 3, stride = 2, padding = 1)]
            narrow: Conv2d,
            #[layer(features = 16)]
            narrow_norm: BatchNorm,
            #[layer(inputs = 8, outputs = 16, kernel = 1, stride = 2)]
            short: Conv2d,
            #[layer(inputs = 16, outputs = 10)]
            output: Linear,
        }

        #[netcl::model]
        impl $residual {
            fn forward(&self, x: &Tensor<f32, N, 3, $h, $w>) -> Tensor<f32, N, 10> {
                let x = self.pool.forward(self.stem_norm.forward(self.stem.forward(x)).relu());
                let h = self.level[0].forward(&x).relu();
                let x = (self.level[1].forward(&h) + x).relu();
                let h = self.narrow_norm.forward(self.narrow.forward(&x)).relu();
                self.output.forward((h + self.short.forward(&x)).mean([2, 3]))
            }

            fn loss(&self, x: &Tensor<f32, N, 3, $h, $w>, labels: &Tensor<u32, N>) -> Tensor<f32> {
                self.forward(x).cross_entropy(labels)
            }
        }

        /// Two stages down and up again; what halving rounds off is filled up.
        #[netcl::model]
        struct $unet {
            #[layer(inputs = 2, outputs = 4, kernel = 3, padding = 1)]
            top: Conv2d,
            #[layer(kernel = 2)]
            half: MaxPool2d,
            #[layer(inputs = 4, outputs = 6, kernel = 3, padding = 1)]
            middle: Conv2d,
            #[layer(features = 6)]
            norm: BatchNorm,
            #[layer(kernel = 2)]
            quarter: AvgPool2d,
            #[layer(inputs = 6, outputs = 6, kernel = 3, padding = 1)]
            bottom: Conv2d,
            #[layer(scale = 2, bilinear = true)]
            double: Upsample,
            #[layer(inputs = 12, outputs = 4, kernel = 3, padding = 1)]
            joined: Conv2d,
            #[layer(inputs = 8, outputs = 1, kernel = 3, padding = 1)]
            output: Conv2d,
        }

        #[netcl::model]
        impl $unet {
            fn forward(&self, x: &Tensor<f32, N, 2, $h, $w>) -> Tensor<f32, N, 1, $h, $w> {
                let top = self.top.forward(x).relu();
                let middle = self.norm.forward(self.middle.forward(self.half.forward(&top))).silu();
                let bottom = self.bottom.forward(self.quarter.forward(&middle)).relu();
                let up = self.double.forward(&bottom);
                let up = up.pad(2, 0, middle.dim(2) - up.dim(2), 0.0).pad(3, 0, middle.dim(3) - up.dim(3), 0.0);
                let up = self.joined.forward(up.concat([middle], 1)).relu().upsample_nearest2d(2);
                let up = up.pad(2, 0, top.dim(2) - up.dim(2), 0.0).pad(3, 0, top.dim(3) - up.dim(3), 0.0);
                self.output.forward(up.concat([top], 1))
            }

            fn loss(&self, x: &Tensor<f32, N, 2, $h, $w>, y: &Tensor<f32, N, 1, $h, $w>) -> Tensor<f32> {
                self.forward(x).mse_loss(y)
            }
        }
    };
}

networks!(Residual, Unet, H, W);
networks!(EvenResidual, EvenUnet, 32, 24);
networks!(OddResidual, OddUnet, 21, 35);

/// Without what fills up: sizes that two halvings round off do not fit.
#[netcl::model]
struct Strict {
    #[layer(inputs = 1, outputs = 2, kernel = 3, padding = 1)]
    top: Conv2d,
    #[layer(kernel = 2)]
    half: MaxPool2d,
    #[layer(scale = 2)]
    double: Upsample,
}

#[netcl::model]
impl Strict {
    fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 2, H, W> {
        let top = self.top.forward(x);
        self.doubled(&top) + top
    }

    fn doubled(&self, x: &Tensor<f32, N, 2, H, W>) -> Tensor<f32, N, 2, H, W> {
        self.double.forward(self.half.forward(x))
    }

    /// All pixels as one row, and how many they are.
    fn rows(&self, x: &Tensor<f32, N, 1, H, W>) -> (Tensor<f32, N, { 2 * H * W }>, Tensor<f32>) {
        let top = self.top.forward(x);
        let pixels = (x.dim(2) * x.dim(3)) as f32;
        (top.flatten(1), top.sum_all() / pixels)
    }
}

/// The first two have models of their own.
const SIZES: [[usize; 2]; 10] =
    [[32, 24], [21, 35], [9, 7], [8, 13], [13, 8], [16, 16], [17, 17], [40, 6], [5, 61], [64, 64]];

/// Numbers within (-1, 1), always the same.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// What a model gives for a batch: the result, the loss, and each parameter's gradient.
type Found = Vec<(String, Vec<f32>)>;

fn found(
    result: &Tensor,
    loss: &Tensor,
    model: &dyn Model,
    gradient: impl Fn(&str) -> Result<Tensor>,
) -> Result<Found> {
    let mut found = vec![("result".to_owned(), result.to_vec::<f32>()?), ("loss".to_owned(), loss.to_vec::<f32>()?)];
    for (path, _) in model.parameters() {
        found.push((path.clone(), gradient(&path)?.to_vec::<f32>()?));
    }
    Ok(found)
}

macro_rules! run {
    ($model:expr, $x:expr, $y:expr) => {{
        let model = $model;
        let (loss, gradients) = model.loss_with_gradients($x, $y)?;
        found(&model.forward($x)?, &loss, model, |path| gradients.tensor(path))?
    }};
}

fn close(what: &str, found: &Found, expected: &Found) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for ((name, found), (_, expected)) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len(), "{what}, {name}");
        let scale = expected.iter().fold(1e-3f32, |scale, value| scale.max(value.abs()));
        for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
            let near = (found - expected).abs() <= 1e-4 * scale;
            assert!(near, "{what}, {name}, element {position}: {found}, expected {expected} within {scale} / 10000");
        }
    }
}

fn programs(stats: &ProgramStats) -> u64 {
    stats.built + stats.loaded
}

/// How many programs a closure asks for.
fn asked(device: &Device, run: impl FnOnce() -> Result<()>) -> Result<u64> {
    let before = programs(&device.program_stats());
    run()?;
    Ok(programs(&device.program_stats()) - before)
}

/// A network is right at all sizes with the programs of the first, beside the host and the networks of one size. `$input` gives a
/// batch of one size on a device.
macro_rules! takes_any_size {
    ($network:ident, $even:ident, $odd:ident, $seed:expr, $input:expr) => {
        for device in common::devices_alone()? {
            let (host, model) = ($network::new(&Device::host(), $seed)?, $network::new(&device, $seed)?);
            let input = $input;
            let mut even = Found::new();
            let one = asked(&device, || {
                let (x, y) = input(&device, SIZES[0])?;
                even = run!(&$even::new(&device, $seed)?, &x, &y);
                Ok(())
            })?;
            let mut results = Vec::new();
            let mut run = |sizes: &[[usize; 2]]| {
                asked(&device, || {
                    for &size in sizes {
                        let (x, y) = input(&device, size)?;
                        results.push(run!(&model, &x, &y));
                    }
                    Ok(())
                })
            };
            let (first, others) = (run(&SIZES[..1])?, run(&SIZES[1..])?);
            for (size, found) in SIZES.into_iter().zip(&results) {
                let (x, y) = input(&Device::host(), size)?;
                close(&format!("{device}, {size:?}"), found, &run!(&host, &x, &y));
            }
            close(&format!("{device}, for {:?}", SIZES[0]), &results[0], &even);
            let (x, y) = input(&device, SIZES[1])?;
            // Both new: running statistics are of one batch.
            let (odd, model) = ($odd::new(&device, $seed)?, $network::new(&device, $seed)?);
            let expected = run!(&odd, &x, &y);
            close(&format!("{device}, for {:?}", SIZES[1]), &run!(&model, &x, &y), &expected);
            let few = others == 0 && first <= 2 * one;
            assert!(
                measured_before(&device) || few,
                "{device}: {first} programs and {others} for other sizes, {one} of one size"
            );
        }
    };
}

#[test]
fn residual_networks_take_images_of_any_size() -> Result<()> {
    takes_any_size!(Residual, EvenResidual, OddResidual, Seed(4), |device: &Device, [h, w]: [usize; 2]| {
        let x = Tensor::from_slice(device, &numbers(2 * 3 * h * w, 1), &[2, 3, h, w])?;
        Ok::<_, Error>((x, Tensor::from_slice(device, &[7u32, 2], &[2])?))
    });
    Ok(())
}

#[test]
fn unets_take_images_of_any_size() -> Result<()> {
    takes_any_size!(Unet, EvenUnet, OddUnet, Seed(6), |device: &Device, [h, w]: [usize; 2]| {
        let x = Tensor::from_slice(device, &numbers(3 * 2 * h * w, 1), &[3, 2, h, w])?;
        Ok::<_, Error>((x, Tensor::from_slice(device, &numbers(3 * h * w, 2), &[3, 1, h, w])?))
    });
    Ok(())
}

#[test]
fn sizes_that_rounding_makes_different_are_refused() -> Result<()> {
    for device in common::devices() {
        let model = Strict::new(&device, Seed(1))?;
        let image = |h: usize, w: usize| Tensor::from_slice(&device, &numbers(h * w, 3), &[1, 1, h, w]);
        assert_eq!(model.forward(&image(6, 8)?)?.shape(), [1, 2, 6, 8]);
        let problem = model.forward(&image(7, 8)?).map(|_| ()).expect_err("7 is odd").to_string();
        assert!(problem.starts_with("`Strict::forward`"), "{problem}");
        assert!(problem.contains("(H / 2)*2 = 6 (from `double`, 2 times H / 2)"), "{problem}");
        assert!(problem.contains("H = 7"), "{problem}");
        let tall = image(2, 3)?;
        let problem = model.doubled(&Tensor::zeros(&device, &[1, 2, 2, 3], DType::F32)?);
        let problem = problem.map(|_| ()).expect_err("3 is odd").to_string();
        let expected =
            "`doubled` returns W = 3 along axis 3, its body gives (W / 2)*2 = 2 (from `double`, 2 times W / 2)";
        assert!(problem.contains(expected), "{problem}");
        let (rows, mean) = model.rows(&tall)?;
        assert_eq!(rows.shape(), [1, 12], "{device}");
        let sum: f32 = rows.to_vec::<f32>()?.iter().sum();
        assert!((mean.item::<f32>()? - sum / 6.0).abs() < 1e-5, "{device}");
    }
    Ok(())
}
