//! Kernels and functions of tensors that models call: the same numbers as the formula written with operations, bit for bit, and
//! no launch more; kernels in SIMT form by launches of their own, with the gradients that they name.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;
use netcl::{DType, Target};

/// Kernels of another module, called by their paths.
mod parts {
    netcl::kernel! {
        pub(super) fn swish(x: &Tensor<f32, N, C>, beta: f32) -> Tensor<f32, N, C> {
            |n, c| x[n, c] / (1.0 + exp(-beta * x[n, c]))
        }

        /// x³ and 2x, and whatever is left of x beside its whole part, which nobody asks for.
        #[launch(global = [C, N])]
        #[gradient(powers_gradient)]
        pub(super) fn powers(
            x: &Tensor<f32, N, C>,
            scale: f32,
            cubes: &mut Tensor<f32, N, C>,
            doubles: &mut Tensor<f32, N, C>,
            wholes: &mut Tensor<i32, N, C>,
        ) {
            let (n, c) = (global_id(1), global_id(0));
            let v = x[n, c];
            cubes[n, c] = scale * v * v * v;
            doubles[n, c] = 2.0 * v;
            wholes[n, c] = v as i32;
        }

        #[launch(global = [C, N])]
        fn powers_gradient(
            x: &Tensor<f32, N, C>,
            scale: f32,
            cubes: &Tensor<f32, N, C>,
            doubles: &Tensor<f32, N, C>,
            dx: &mut Tensor<f32, N, C>,
        ) {
            let (n, c) = (global_id(1), global_id(0));
            dx[n, c] = 3.0 * scale * x[n, c] * x[n, c] * cubes[n, c] + 2.0 * doubles[n, c];
        }
    }
}

netcl::kernel! {
    /// How many are positive, and a sum beside it: a round adds a whole number, or not.
    fn positive(x: &Tensor<f32, N, T>) -> (Tensor<i32, N>, Tensor<f32, N>) {
        |n| {
            let (count, sum) = fold(0..T, (0i32, 0.0), |(c, s), t| {
                if x[n, t] > 0.0 { (c + 1, s + x[n, t]) } else { (c, s * 0.5) }
            });
            (count, sum)
        }
    }

    fn leaky(x: &Tensor<f32, N, C, H, W>, slope: f32) -> Tensor<f32, N, C, H, W> {
        |n, c, h, w| if x[n, c, h, w] > 0.0 { x[n, c, h, w] } else { slope * x[n, c, h, w] }
    }

    fn centred(x: &Tensor<f32, N, C>, mean: &Tensor<f32, N>) -> Tensor<f32, N, C> {
        |n, c| x[n, c] - mean[n]
    }

    /// Of rows by number, two results at once.
    fn picked(table: &Tensor<f32, V, C>, at: &Tensor<i32, N>) -> (Tensor<f32, N, C>, Tensor<f32, N, C>) {
        |n, c| (table[at[n], c], table[at[n], c] * (n + 1) as f32)
    }

    fn halves(x: &Tensor<f32, { 2 * N + 1 }>, shift: i32, both: bool) -> Tensor<f32, N> {
        |n| if both { x[2 * n] + x[2 * n + 1] } else { x[2 * n] + shift as f32 }
    }

    /// With the next element along the row, the first one behind the last.
    fn around(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, (c + 1) % C] + x[n, c]
    }

    /// The difference of both neighbours along the row, where the row ends of the last element itself.
    fn slopes(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, clamp(c + 1, 0, C - 1)] - x[n, clamp(c - 1, 0, C - 1)]
    }

    /// Two sums over a row of which the second reads the first.
    fn normed(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| {
            let m = mean(0..C, |k| x[n, k]);
            let v = mean(0..C, |k| (x[n, k] - m).square());
            (x[n, c] - m) / (v + 1e-5).sqrt()
        }
    }

    fn sums(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c].square()) / C
    }

    /// How often each number below 5 is there: it starts as zeros.
    #[launch(global = [N])]
    fn counts(x: &Tensor<u32, N>, bins: &mut Tensor<u32, 5>) {
        let i = global_id(0);
        if i < N {
            atomic_add(&mut bins[x[i]], 1);
        }
    }

    /// Sums of 64 elements each, by a tree in local memory.
    #[launch(global = [N], local = [64])]
    #[types(T = [f32, f16])]
    fn block_sums(x: &Tensor<T, N>, sums: &mut Tensor<f32, { (N + 63) / 64 }>) {
        let mut scratch = local!([f32; 64]);
        let l = local_id(0);
        scratch[l] = x[global_id(0)];
        barrier();
        let mut step = 32;
        while step > 0 {
            if l < step {
                scratch[l] += scratch[l + step];
            }
            barrier();
            step /= 2;
        }
        if l == 0 {
            sums[group_id(0)] = scratch[0];
        }
    }
}

netcl::kernel! {
    /// Tripled where OpenCL runs it, doubled elsewhere: no such kernel should be, and here it tells which of the two has run.
    #[launch(global = [N], local = [32])]
    #[opencl("uint i = get_global_id(0);\nif (i < N) y[i] = fma(by, x[i], x[i]) + x[i];")]
    #[gradient(either_gradient)]
    fn either(x: &Tensor<f32, N>, by: f32, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = by * x[i] + x[i];
    }

    #[launch(global = [N])]
    #[opencl("uint i = get_global_id(0); if (i < N) dx[i] = (by + 2.0f) * dy[i];")]
    fn either_gradient(_x: &Tensor<f32, N>, by: f32, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        let i = global_id(0);
        dx[i] = (by + 1.0) * dy[i];
    }
}

/// Rows of length 1.
#[netcl::function]
fn unit(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
    x / (sums(x) * C + 1e-6).sqrt().unsqueeze(1)
}

/// A function that calls another one.
#[netcl::function]
fn twice(x: &Tensor<f32, N, C>, scale: f32) -> (Tensor<f32, N, C>, Tensor<f32, N>) {
    let y = unit(x) * scale;
    (&y + &y, sums(&y))
}

#[netcl::model]
struct Net {
    #[layer(inputs = 6, outputs = 12)]
    up: Linear,
    #[layer(inputs = 12, outputs = 6)]
    down: Linear,
    #[layer(inputs = 1, outputs = 3, kernel = 3)]
    conv: Conv2d,
    #[parameter(init = 0.7)]
    beta: Tensor<f32>,
}

#[netcl::model]
impl Net {
    fn prologue(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N, 6> {
        parts::swish(x, &self.beta).matmul(&self.down.weight)
    }

    fn prologue_written(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N, 6> {
        (x / (1.0 + (-&self.beta * x).exp())).matmul(&self.down.weight)
    }

    fn epilogue(&self, x: &Tensor<f32, N, 1, 7, 7>) -> Tensor<f32, N, 3, 5, 5> {
        leaky(self.conv.forward(x), 0.125)
    }

    fn epilogue_written(&self, x: &Tensor<f32, N, 1, 7, 7>) -> Tensor<f32, N, 3, 5, 5> {
        let y = self.conv.forward(x);
        (&y > 0.0).select(&y, 0.125 * &y)
    }

    fn between(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N> {
        centred(x, x.mean([1])).square().sum([1])
    }

    fn between_written(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N> {
        (x - x.mean([1]).unsqueeze(1)).square().sum([1])
    }

    fn loss(&self, x: &Tensor<f32, N, 6>, image: &Tensor<f32, N, 1, 7, 7>) -> Tensor<f32> {
        let h = self.up.forward(x);
        self.prologue(&h).square().mean_all() + self.epilogue(image).mean_all() + self.between(&h).mean_all()
    }

    fn loss_written(&self, x: &Tensor<f32, N, 6>, image: &Tensor<f32, N, 1, 7, 7>) -> Tensor<f32> {
        let h = self.up.forward(x);
        let rest = self.epilogue_written(image).mean_all() + self.between_written(&h).mean_all();
        self.prologue_written(&h).square().mean_all() + rest
    }

    fn around_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        self.down.forward(around(self.up.forward(x))).square().mean_all()
    }

    fn around_written(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        let h = self.up.forward(x);
        self.down.forward(h.roll(-1, 1) + &h).square().mean_all()
    }

    fn slopes_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        self.down.forward(slopes(self.up.forward(x))).square().mean_all()
    }

    fn slopes_written(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        let wide = self.up.forward(x).pad_replicate(1, 1, 1);
        self.down.forward(wide.narrow(1, 2, 12) - wide.narrow(1, 0, 12)).square().mean_all()
    }

    fn normed_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        self.down.forward(normed(self.up.forward(x))).square().mean_all()
    }

    fn normed_written(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        let h = self.up.forward(x);
        let centred = &h - h.mean_keepdim([1]);
        self.down.forward(&centred / (centred.square().mean_keepdim([1]) + 1e-5).sqrt()).square().mean_all()
    }

    fn rows(&self, x: &Tensor<f32, N, 6>, table: &Tensor<f32, V, 4>) -> (Tensor<f32, N, 4>, Tensor<f32, N, 4>) {
        picked(table, x.argmax(1))
    }

    fn positives(&self, x: &Tensor<f32, N, 6>) -> (Tensor<i32, N>, Tensor<f32, N>) {
        positive(x * 2.0)
    }

    fn shifted(&self, x: &Tensor<f32, 8>, both: bool, by: i32) -> Tensor<f32, 3> {
        halves(x.narrow(0, 0, 7), by, both) * 10.0
    }

    fn launched(&self, x: &Tensor<f32, N, 6>, scale: f32) -> (Tensor<f32, N, 12>, Tensor<i32, N, 12>) {
        let (cubes, doubles, wholes) = parts::powers(self.up.forward(x), scale);
        (cubes + doubles, wholes)
    }

    fn launched_loss(&self, x: &Tensor<f32, N, 6>, scale: f32) -> Tensor<f32> {
        let (cubes, doubles, _) = parts::powers(self.up.forward(x), scale);
        self.down.forward(cubes + doubles).square().mean_all()
    }

    fn launched_written(&self, x: &Tensor<f32, N, 6>, scale: f32) -> Tensor<f32> {
        let v = self.up.forward(x);
        self.down.forward(scale * &v * &v * &v + 2.0 * &v).square().mean_all()
    }

    /// The first result is not used.
    fn doubled_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        let (_, doubles, _) = parts::powers(self.up.forward(x), 3.0);
        doubles.square().mean_all()
    }

    fn doubled_written(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        (2.0 * self.up.forward(x)).square().mean_all()
    }

    fn counted(&self, x: &Tensor<u32, N>) -> (Tensor<u32, 5>, Tensor<f32, { (N + 63) / 64 }>) {
        (counts(x + 1u32), block_sums(x.cast(f16)))
    }

    fn in_blocks(&self, x: &Tensor<f32, N, 50>) -> Tensor<f32, { (N * 50 + 63) / 64 }> {
        block_sums((x * 2.0).reshape([N * 50])) + 1.0
    }

    fn by_text(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        unsafe { either(x + 1.0, 1.0) }
    }

    fn by_text_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        let y = unsafe { either(self.up.forward(x).reshape([N * 12]), 1.0) };
        y.sum_all()
    }

    fn units(&self, x: &Tensor<f32, N, 6>, scale: f32) -> (Tensor<f32, N, 12>, Tensor<f32, N>) {
        twice(self.up.forward(x), scale)
    }

    fn units_loss(&self, x: &Tensor<f32, N, 6>) -> Tensor<f32> {
        (unit(self.up.forward(x)) * &self.up.bias.unsqueeze(0)).mean_all()
    }
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + 11) % 64) as f32 / 32.0 - 1.0).collect()
}

fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    Ok(tensor.to_vec::<f32>()?.into_iter().map(f32::to_bits).collect())
}

fn near(one: &Tensor, other: &Tensor, within: f32) -> Result<()> {
    for (a, b) in one.to_vec::<f32>()?.into_iter().zip(other.to_vec::<f32>()?) {
        assert!((a - b).abs() <= within * b.abs().max(1.0), "{a} is not {b}");
    }
    Ok(())
}

#[test]
fn kernels_in_index_form_are_the_formula() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let (x, image) = (floats(&ramp(5 * 6), &[5, 6]), floats(&ramp(5 * 49), &[5, 1, 7, 7]));
        let h = floats(&ramp(5 * 12), &[5, 12]);
        assert_eq!(bits(&net.prologue(&h)?)?, bits(&net.prologue_written(&h)?)?);
        assert_eq!(bits(&net.epilogue(&image)?)?, bits(&net.epilogue_written(&image)?)?);
        assert_eq!(bits(&net.between(&h)?)?, bits(&net.between_written(&h)?)?);
        let (loss, gradients) = net.loss_with_gradients(&x, &image)?;
        let (written, expected) = net.loss_written_with_gradients(&x, &image)?;
        near(&loss, &written, 1e-6)?;
        for (path, gradient) in gradients.tensors() {
            near(&gradient, &expected.tensor(&path)?, 2e-6)?;
        }
        assert_eq!(gradients.tensors().len(), expected.tensors().len());
        for ((loss, gradients), (written, expected)) in [
            (net.around_loss_with_gradients(&x)?, net.around_written_with_gradients(&x)?),
            (net.slopes_loss_with_gradients(&x)?, net.slopes_written_with_gradients(&x)?),
            (net.normed_loss_with_gradients(&x)?, net.normed_written_with_gradients(&x)?),
        ] {
            near(&loss, &written, 1e-6)?;
            for (path, gradient) in gradients.tensors() {
                near(&gradient, &expected.tensor(&path)?, 5e-6)?;
            }
        }
        Ok(())
    })
}

#[test]
fn they_take_no_launch_more() -> Result<()> {
    for target in [Target::Gpu, Target::Cpu] {
        let device = Device::null(target, 1 << 30);
        let net = Net::new(&device, Seed(3))?;
        let zeros = |shape: &[usize]| Tensor::zeros(&device, shape, DType::F32);
        let count = |call: &dyn Fn() -> Result<()>| -> Result<u64> {
            call()?;
            let before = device.launches();
            call()?;
            Ok(device.launches() - before)
        };
        for batch in [1, 32, 300] {
            let (x, h, image) = (zeros(&[batch, 6])?, zeros(&[batch, 12])?, zeros(&[batch, 1, 7, 7])?);
            let called = [
                count(&|| net.prologue(&h).map(drop))?,
                count(&|| net.epilogue(&image).map(drop))?,
                count(&|| net.between(&h).map(drop))?,
                count(&|| net.loss_with_gradients(&x, &image).map(drop))?,
                count(&|| net.around_loss_with_gradients(&x).map(drop))?,
                count(&|| net.slopes_loss_with_gradients(&x).map(drop))?,
                count(&|| net.normed_loss_with_gradients(&x).map(drop))?,
            ];
            let written = [
                count(&|| net.prologue_written(&h).map(drop))?,
                count(&|| net.epilogue_written(&image).map(drop))?,
                count(&|| net.between_written(&h).map(drop))?,
                count(&|| net.loss_written_with_gradients(&x, &image).map(drop))?,
                count(&|| net.around_written_with_gradients(&x).map(drop))?,
                count(&|| net.slopes_written_with_gradients(&x).map(drop))?,
                count(&|| net.normed_written_with_gradients(&x).map(drop))?,
            ];
            eprintln!("{} device, batch {batch}: {called:?} launches, by operations {written:?}", target.name());
            assert!(called.iter().zip(&written).all(|(called, written)| (1..=*written).contains(called)));
        }
    }
    Ok(())
}

#[test]
fn indices_sizes_and_choices_are_those_of_the_call() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let x = floats(&[0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[2, 6]);
        let (count, sum) = net.positives(&x)?;
        assert_eq!((count.to_vec::<i32>()?, sum.to_vec::<f32>()?), (vec![1, 1], vec![10.0 / 8.0, 2.0 / 32.0]));
        let table = floats(&ramp(3 * 4), &[3, 4]);
        let (one, other) = net.rows(&x, &table)?;
        let (wanted, rows) = (table.to_vec::<f32>()?, one.to_vec::<f32>()?);
        assert_eq!(rows, [&wanted[8..12], &wanted[..4]].concat());
        let scaled: Vec<f32> = rows.iter().enumerate().map(|(i, v)| v * (i / 4 + 1) as f32).collect();
        assert_eq!(other.to_vec::<f32>()?, scaled);
        let long = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[8]);
        assert_eq!(net.shifted(&long, true, 9)?.to_vec::<f32>()?, [30.0, 70.0, 110.0]);
        assert_eq!(net.shifted(&long, false, 0)?.to_vec::<f32>()?, [10.0, 30.0, 50.0]);
        Ok(())
    })
}

#[test]
fn functions_of_tensors_are_called_in_models_and_outside() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let x = floats(&ramp(4 * 6), &[4, 6]);
        let (twos, squares) = net.units(&x, 3.0)?;
        for row in twos.to_vec::<f32>()?.chunks(12) {
            let length = row.iter().map(|v| v * v).sum::<f32>().sqrt();
            assert!((length - 6.0).abs() < 1e-4, "{length}");
        }
        for square in squares.to_vec::<f32>()? {
            assert!((square - 9.0 / 12.0).abs() < 1e-4, "{square}");
        }
        let alone = unit(&x)?;
        let (same, pullback) = unit.vjp(&x)?;
        assert_eq!(bits(&alone)?, bits(&same)?);
        // A row keeps its length where it moves along itself.
        let still: f32 = pullback(&same)?.to_vec::<f32>()?.iter().map(|v| v.abs()).fold(0.0, f32::max);
        assert!(still < 1e-5, "{still}");
        unit.check(&x)?;
        let (_, gradients) = net.units_loss_with_gradients(&x)?;
        assert_eq!(gradients.up()?.bias.shape(), [12]);
        Ok(())
    })
}

#[test]
fn kernels_in_simt_form_are_launched_and_differentiated() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let x = floats(&ramp(5 * 6), &[5, 6]);
        let (sum, wholes) = net.launched(&x, 0.5)?;
        let v = net.up_of(&x)?;
        let expected: Vec<f32> = v.iter().map(|v| 0.5 * v * v * v + 2.0 * v).collect();
        near(&sum, &floats(&expected, &[5, 12]), 1e-6)?;
        assert_eq!(wholes.to_vec::<i32>()?, v.iter().map(|v| *v as i32).collect::<Vec<_>>());
        let (loss, gradients) = net.launched_loss_with_gradients(&x, 0.5)?;
        let (written, expected) = net.launched_written_with_gradients(&x, 0.5)?;
        near(&loss, &written, 1e-6)?;
        for (path, gradient) in gradients.tensors() {
            near(&gradient, &expected.tensor(&path)?, 2e-6)?;
        }
        let (loss, gradients) = net.doubled_loss_with_gradients(&x)?;
        let (written, expected) = net.doubled_written_with_gradients(&x)?;
        near(&loss, &written, 1e-6)?;
        near(&gradients.tensor("up.weight")?, &expected.tensor("up.weight")?, 2e-6)
    })
}

#[test]
fn results_start_as_zeros_in_each_call() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let numbers: Vec<u32> = (0..100).map(|i| i % 4).collect();
        let x = Tensor::from_slice(&device(), &numbers, &[100])?;
        for _ in 0..3 {
            let (bins, blocks) = net.counted(&x)?;
            assert_eq!(bins.to_vec::<u32>()?, [0, 25, 25, 25, 25]);
            assert_eq!(blocks.to_vec::<f32>()?, [96.0, 54.0]);
        }
        for rows in [1usize, 2, 7] {
            let found = net.in_blocks(&floats(&vec![1.0; rows * 50], &[rows, 50]))?.to_vec::<f32>()?;
            let wanted: Vec<f32> = (0..(rows * 50).div_ceil(64))
                .map(|block| 2.0 * (rows * 50 - 64 * block).min(64) as f32 + 1.0)
                .collect();
            assert_eq!(found, wanted);
        }
        Ok(())
    })
}

#[test]
fn opencl_devices_run_opencl_c_and_the_host_the_body() -> Result<()> {
    everywhere(|| {
        let net = Net::new(&device(), Seed(3))?;
        let factor = if device().profile().target == Target::Host { 2.0 } else { 3.0 };
        let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let wanted: Vec<f32> = x.iter().map(|x| factor * (x + 1.0)).collect();
        assert_eq!(net.by_text(&floats(&x, &[100]))?.to_vec::<f32>()?, wanted);
        // SAFETY: the text stays inside.
        let alone = unsafe { either(&floats(&x, &[100]), 1.0)? };
        assert_eq!(alone.to_vec::<f32>()?, x.iter().map(|x| factor * x).collect::<Vec<_>>());
        let (_, gradients) = net.by_text_loss_with_gradients(&floats(&ramp(4 * 6), &[4, 6]))?;
        assert_eq!(gradients.up()?.bias.to_vec::<f32>()?, [4.0 * factor; 12]);
        Ok(())
    })
}

impl Net {
    /// What the first layer gives, computed here.
    fn up_of(&self, x: &Tensor) -> Result<Vec<f32>> {
        let (weight, bias) = (self.tensor("up.weight")?.to_vec::<f32>()?, self.tensor("up.bias")?.to_vec::<f32>()?);
        let x = x.to_vec::<f32>()?;
        let element = |n: usize, c: usize| (0..6).map(|k| x[n * 6 + k] * weight[k * 12 + c]).sum::<f32>() + bias[c];
        Ok((0..x.len() / 6).flat_map(|n| (0..12).map(move |c| (n, c))).map(|(n, c)| element(n, c)).collect())
    }
}

netcl::kernel! {
    #[launch(global = [N])]
    fn scaled_by(x: &Tensor<f32, N>, by: f32, and: u32, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] * by + and as f32;
    }
}

#[netcl::model]
struct Sized {}

#[netcl::model]
impl Sized {
    fn by_sizes(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        scaled_by(x * 1.0, 2 * N + 1, N)
    }
}

#[test]
fn sizes_are_passed_as_the_numbers_that_kernels_declare() -> Result<()> {
    everywhere(|| {
        let device = device();
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 4.0], &[3])?;
        assert_eq!(Sized::new(&device, Seed(1))?.by_sizes(&x)?.to_vec::<f32>()?, [10.0, 17.0, 31.0]);
        Ok(())
    })
}
