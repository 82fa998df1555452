//! The works that the peers' benchmarks measure, by netcl, in the same units: one JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench peers -- [--device SELECTOR] [--only NAME] [--profile]`. Medians after warm-up; compare in
//! one run with the peers, as ratios. `--profile` lists where the device's time of one training step went.
#![allow(missing_docs, unreachable_pub, reason = "a program")]

mod gpt2;
mod resnet18;
mod transformers;

use gpt2::Gpt2;
use netcl::prelude::*;
use netcl_tests::option;
use resnet18::ResNet18;
use std::time::Instant;
use transformers::{SmallGpt2, Vit};

#[netcl::model]
pub struct Digits {
    #[layer(inputs = 64, outputs = 32)]
    hidden: Linear,
    #[layer(inputs = 32, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Digits {
    pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.output.forward(&self.hidden.forward(x).relu()).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 784, outputs = 512)]
    first: Linear,
    #[layer(inputs = 512, outputs = 512)]
    second: Linear,
    #[layer(inputs = 512, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn loss(&self, x: &Tensor<f32, N, 784>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.second.forward(&self.first.forward(x).relu()).relu();
        self.output.forward(&h).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct WideMlp {
    #[layer(inputs = 2048, outputs = 4096)]
    first: Linear,
    #[layer(inputs = 4096, outputs = 4096)]
    second: Linear,
    #[layer(inputs = 4096, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl WideMlp {
    pub fn loss(&self, x: &Tensor<f32, N, 2048>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.second.forward(&self.first.forward(x).relu()).relu();
        self.output.forward(&h).cross_entropy(labels)
    }

    #[matmul_precision(high)]
    pub fn high(&self, x: &Tensor<f32, N, 2048>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.loss(x, labels)
    }

    #[matmul_precision(medium)]
    pub fn medium(&self, x: &Tensor<f32, N, 2048>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.loss(x, labels)
    }
}

/// Products in each precision.
#[netcl::model]
pub struct Products {}

#[netcl::model]
impl Products {
    pub fn highest(&self, a: &Tensor<f32, M, K>, b: &Tensor<f32, K, N>) -> Tensor<f32, M, N> {
        a.matmul(b)
    }

    #[matmul_precision(high)]
    pub fn high(&self, a: &Tensor<f32, M, K>, b: &Tensor<f32, K, N>) -> Tensor<f32, M, N> {
        a.matmul(b)
    }

    #[matmul_precision(medium)]
    pub fn medium(&self, a: &Tensor<f32, M, K>, b: &Tensor<f32, K, N>) -> Tensor<f32, M, N> {
        a.matmul(b)
    }
}

#[netcl::model]
pub struct Cnn {
    #[layer(inputs = 1, outputs = 32, kernel = 3)]
    conv1: Conv2d,
    #[layer(kernel = 2)]
    pool1: MaxPool2d,
    #[layer(inputs = 32, outputs = 64, kernel = 3)]
    conv2: Conv2d,
    #[layer(kernel = 2)]
    pool2: MaxPool2d,
    #[layer(inputs = 1600, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Cnn {
    pub fn loss(&self, x: &Tensor<f32, N, 1, 28, 28>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let a = self.pool1.forward(&self.conv1.forward(x).relu());
        let b = self.pool2.forward(&self.conv2.forward(&a).relu());
        self.output.forward(&b.flatten(1)).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct Words {
    #[layer(entries = 50257, features = 64)]
    words: Embedding,
}

#[netcl::model]
impl Words {
    pub fn loss(&self, x: &Tensor<u32, N>) -> Tensor<f32> {
        self.words.forward(x).square().sum_all()
    }
}

netcl::kernel! {
    fn chain(a: &Tensor<f32, N>, b: &Tensor<f32, N>, c: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| tanh(a[n] * b[n] + c[n]) * (1.0 / (1.0 + exp(-a[n]))) + max(b[n], 0.0)
    }

    fn rows_softmax(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| {
            let top = max(0..C, |k| x[n, k]);
            exp(x[n, c] - top) / sum(0..C, |k| exp(x[n, k] - top))
        }
    }
}

struct Bench {
    device: Device,
    only: String,
    /// Whether to list where the device's time went.
    profile: bool,
}

impl Bench {
    /// Seconds of one `work`, the median of several.
    fn seconds(&self, warm: usize, runs: usize, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
        for _ in 0..warm {
            work()?;
        }
        self.device.finish()?;
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            work()?;
            self.device.finish()?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    }

    fn report(&self, work: &str, value: f64, unit: &str) {
        let device = &self.device.profile().selector;
        println!("{{\"work\": \"{work}\", \"peer\": \"netcl {device}\", \"value\": {value:.3}, \"unit\": \"{unit}\"}}");
    }

    /// Whether it is asked for, or some of its forms are.
    fn wants(&self, work: &str) -> bool {
        self.only.is_empty() || work.starts_with(&self.only) || self.only.starts_with(work)
    }

    /// Values of a slow wave: no two rows alike, mean near 0.
    fn wave(&self, shape: &[usize]) -> Result<Tensor> {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i: usize| ((i % 9973) as f32 * 0.61).sin()).collect();
        Tensor::from_slice(&self.device, &values, shape)
    }

    /// Products of halves: squares, one of GPT-2's, and some whose rows begin unaligned.
    fn products<H: Element>(&self, work: &str, rounded: fn(f32) -> H) -> Result<()> {
        let squares = [1024, 2048, 4096, 8192].map(|n| [n, n, n]);
        for [m, n, k] in squares.into_iter().chain([[16384, 2304, 768], [1000, 1500, 776], [1000, 1500, 777]]) {
            let matrix = |rows: usize, columns: usize| {
                let value = |i: usize| rounded(((i % 9973) as f32 * 0.61).sin());
                Tensor::from_slice(&self.device, &(0..rows * columns).map(value).collect::<Vec<_>>(), &[rows, columns])
            };
            let (a, b) = (matrix(m, k)?, matrix(k, n)?);
            let seconds = self.seconds(3, 11, &mut || (0..10).try_for_each(|_| a.matmul(&b).eval().map(drop)))? / 10.0;
            self.report(&format!("{work}_{m}x{n}x{k}"), 2.0 * (m * n * k) as f64 / seconds / 1e12, "TFLOP/s");
        }
        Ok(())
    }

    /// Squares of `f32`, in each precision.
    fn precisions(&self, work: &str) -> Result<()> {
        let model = Products::new(&self.device, Seed(1))?;
        for n in [1024, 2048, 4096, 8192] {
            let (a, b) = (self.wave(&[n, n])?, self.wave(&[n, n])?);
            let report = |precision: &str, product: &dyn Fn() -> Result<Tensor>| {
                let ten = &mut || (0..10).try_for_each(|_| product().map(drop));
                let seconds = self.seconds(2, 7, ten)? / 10.0;
                self.report(&format!("{work}_{precision}_{n}"), 2.0 * (n as f64).powi(3) / seconds / 1e12, "TFLOP/s");
                Ok::<(), Error>(())
            };
            report("highest", &|| model.highest(&a, &b))?;
            report("high", &|| model.high(&a, &b))?;
            report("medium", &|| model.medium(&a, &b))?;
        }
        Ok(())
    }

    fn labels(&self, count: usize) -> Result<Tensor> {
        let labels: Vec<u32> = (0..count as u32).map(|i| i * 7 % 10).collect();
        Tensor::from_slice(&self.device, &labels, &[count])
    }

    /// Forward, loss and gradient of an embedding of 50,257 rows, for as many numbers of rows: all alike, or a few of them
    /// most often (Zipf's law).
    fn embedding(&self, count: usize) -> Result<()> {
        let model = Words::new(&self.device, Seed(1))?;
        for pattern in ["uniform", "zipf"] {
            let shares = (0..count).map(|i| (i as f64 * 0.618_033_988_75).fract());
            let row = |share: f64| if pattern == "zipf" { 50257f64.powf(share) - 1.0 } else { share * 50257.0 };
            let numbers: Vec<u32> = shares.map(|share| row(share) as u32).collect();
            let x = Tensor::from_slice(&self.device, &numbers, &[count])?;
            let seconds = self.seconds(5, 30, &mut || model.loss_with_gradients(&x).map(drop))?;
            self.report(&format!("embedding_gradient_{pattern}_n{count}"), seconds * 1e3, "ms");
        }
        Ok(())
    }

    /// Training steps, ten to a timing so that waiting for the device does not count.
    fn train<M: Model>(
        &self,
        work: &str,
        model: M,
        x: &Tensor,
        step: impl Fn(&mut M, &mut Adam, &Tensor, &Tensor) -> Result<()>,
    ) -> Result<()> {
        self.train_timed(work, (10, 15), model, x, step)
    }

    /// The same, so many steps to a timing and so many timings.
    fn train_timed<M: Model>(
        &self,
        work: &str,
        timed: (usize, usize),
        mut model: M,
        x: &Tensor,
        step: impl Fn(&mut M, &mut Adam, &Tensor, &Tensor) -> Result<()>,
    ) -> Result<()> {
        let labels = self.labels(x.shape()[0])?;
        let mut optimizer = Adam::new(1e-3);
        self.steps(work, timed, (x.shape()[0], "samples/s"), &mut || step(&mut model, &mut optimizer, x, &labels))
    }

    /// Steps, so many to a timing and so many timings, each of so many of a unit.
    fn steps(
        &self,
        work: &str,
        (steps, runs): (usize, usize),
        (count, unit): (usize, &str),
        step: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        step()?;
        self.device.finish()?;
        self.report(&format!("{work}_first_step"), start.elapsed().as_secs_f64(), "s");
        let seconds = self.seconds(2, runs, &mut || (0..steps).try_for_each(|_| step()))?;
        self.report(work, (count * steps) as f64 / seconds, unit);
        if self.profile {
            netcl::profile::start()?;
            step()?;
            self.device.finish()?;
            for total in netcl::profile::stop()?.totals().iter().take(250) {
                let (time, count) = (total.time.as_secs_f64() * 1e3, total.count);
                println!("{time:10.3} ms in {count:4} of {:?} {}", total.kind, total.name);
            }
        }
        Ok(())
    }

    /// GPT-2 in bf16 products, and with activations in bf16, batches of 1,024 tokens.
    fn gpt2(&self, batch: usize) -> Result<()> {
        type Loss = fn(&Gpt2, &Tensor, &Tensor) -> Result<(Tensor, gpt2::Gpt2Gradients)>;
        let words = |seed: usize| {
            let words: Vec<u32> = (0..batch * 1024).map(|i| ((i + seed) * 7919 % 50304) as u32).collect();
            Tensor::from_slice(&self.device, &words, &[batch, 1024])
        };
        let (x, y) = (words(0)?, words(1)?);
        let losses: [(&str, Loss); 2] = [("medium", Gpt2::loss_with_gradients), ("bf16", Gpt2::bf16_with_gradients)];
        for (precision, loss) in losses {
            let work = format!("train_gpt2_124m_b{batch}_t1024_{precision}");
            if !self.wants(&work) {
                continue;
            }
            let mut model = Gpt2::new(&self.device, Seed(1))?;
            let mut optimizer = Adam::new(1e-4);
            self.steps(&work, (1, 7), (batch * 1024, "tokens/s"), &mut || {
                let (_, gradients) = loss(&model, &x, &y)?;
                optimizer.step(&mut model, &gradients)
            })?;
        }
        Ok(())
    }

    /// What processors are compared by: a ResNet-18 of small batches, a vision transformer, a GPT-2 of four blocks.
    fn for_processors(&self) -> Result<()> {
        if self.wants("train_resnet18_64x64_b8") {
            let model = ResNet18::new(&self.device, Seed(1))?;
            let x = self.wave(&[8, 3, 64, 64])?;
            self.train_timed("train_resnet18_64x64_b8", (1, 9), model, &x, |model, optimizer, x, labels| {
                let (_, gradients) = model.loss_64_with_gradients(x, labels)?;
                optimizer.step(model, &gradients)
            })?;
        }
        if self.wants("train_vit_32x32_b32") {
            let model = Vit::new(&self.device, Seed(1))?;
            let x = self.wave(&[32, 3, 32, 32])?;
            self.train_timed("train_vit_32x32_b32", (1, 9), model, &x, |model, optimizer, x, labels| {
                let (_, gradients) = model.loss_with_gradients(x, labels)?;
                optimizer.step(model, &gradients)
            })?;
        }
        if self.wants("train_gpt2_4_blocks_b8") {
            let bytes = |seed: usize| {
                let bytes: Vec<u32> = (0..8 * 128).map(|i| ((i + seed) * 7919 % 256) as u32).collect();
                Tensor::from_slice(&self.device, &bytes, &[8, 128])
            };
            let (x, y) = (bytes(0)?, bytes(1)?);
            let (mut model, mut optimizer) = (SmallGpt2::new(&self.device, Seed(1))?, Adam::new(1e-3));
            self.steps("train_gpt2_4_blocks_b8", (1, 9), (8 * 128, "tokens/s"), &mut || {
                let (_, gradients) = model.loss_with_gradients(&x, &y)?;
                optimizer.step(&mut model, &gradients)
            })?;
        }
        Ok(())
    }

    /// ResNet-18 for images of 64 by 64, known while compiling or not, and in each precision.
    fn resnet18(&self) -> Result<()> {
        type Loss = fn(&ResNet18, &Tensor, &Tensor) -> Result<(Tensor, resnet18::ResNet18Gradients)>;
        let losses: [(&str, Loss); 5] = [
            ("any", ResNet18::loss_with_gradients),
            ("known", ResNet18::loss_64_with_gradients),
            ("high", ResNet18::high_with_gradients),
            ("medium", ResNet18::medium_with_gradients),
            ("bf16", ResNet18::bf16_with_gradients),
        ];
        for (form, loss) in losses {
            let work = format!("train_resnet18_64x64_b256_{form}");
            if !self.wants(&work) {
                continue;
            }
            let model = ResNet18::new(&self.device, Seed(1))?;
            let x = self.wave(&[256, 3, 64, 64])?;
            self.train(&work, model, &x, |model, optimizer, x, labels| {
                let (_, gradients) = loss(model, x, labels)?;
                optimizer.step(model, &gradients)
            })?;
        }
        Ok(())
    }

    /// Causal attention of bf16, batches of 8: heads, steps, features of a head. Half the scores are computed.
    fn attention(&self) -> Result<()> {
        for [heads, steps, features] in [[12, 1024, 64], [16, 4096, 64], [16, 4096, 128]] {
            let shape = [8, heads, steps, features];
            let halves = |tensor: Tensor| tensor.cast(DType::BF16);
            let [q, k, v] = [self.wave(&shape)?, self.wave(&shape)?, self.wave(&shape)?];
            let [q, k, v] = [halves(q).requires_grad()?, halves(k).requires_grad()?, halves(v).requires_grad()?];
            let operations = 2.0 * (8 * heads * steps * steps * features) as f64;
            let size = format!("h{heads}_t{steps}_d{features}");
            let attended = || q.scaled_dot_product_attention(&k, &v, true);
            let forward = self.seconds(2, 7, &mut || netcl::no_grad(|| attended().eval().map(drop)))?;
            self.report(&format!("attention_forward_{size}"), operations / forward / 1e12, "TFLOP/s");
            let both = self.seconds(2, 7, &mut || attended().sum_all().backward().map(drop))?;
            self.report(&format!("attention_both_{size}"), 3.5 * operations / both / 1e12, "TFLOP/s");
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let device = match option("--device").as_deref() {
        // Computes nothing: what is left is netcl's own time.
        Some("null") => Device::null(netcl::Target::Gpu, u64::MAX),
        selector => Device::select(selector.unwrap_or("auto"))?,
    };
    let bench = Bench {
        device: device.clone(),
        only: option("--only").unwrap_or_default(),
        profile: arguments.iter().any(|argument| argument == "--profile"),
    };
    if bench.wants("train_mlp_digits_64_32_10_b32") {
        let model = Digits::new(&device, Seed(1))?;
        let x = bench.wave(&[32, 64])?;
        bench.train("train_mlp_digits_64_32_10_b32", model, &x, |model, optimizer, x, labels| {
            let (_, gradients) = model.loss_with_gradients(x, labels)?;
            optimizer.step(model, &gradients)
        })?;
    }
    if bench.wants("train_mlp_784_512_512_10_b128") {
        let model = Mlp::new(&device, Seed(1))?;
        let x = bench.wave(&[128, 784])?;
        bench.train("train_mlp_784_512_512_10_b128", model, &x, |model, optimizer, x, labels| {
            let (_, gradients) = model.loss_with_gradients(x, labels)?;
            optimizer.step(model, &gradients)
        })?;
    }
    if bench.wants("train_mlp_2048_4096_4096_10_b1024") {
        type Loss = fn(&WideMlp, &Tensor, &Tensor) -> Result<(Tensor, WideMlpGradients)>;
        let losses: [(&str, Loss); 3] = [
            ("highest", WideMlp::loss_with_gradients),
            ("high", WideMlp::high_with_gradients),
            ("medium", WideMlp::medium_with_gradients),
        ];
        for (precision, loss) in losses {
            let model = WideMlp::new(&device, Seed(1))?;
            let x = bench.wave(&[1024, 2048])?;
            let work = format!("train_mlp_2048_4096_4096_10_b1024_{precision}");
            bench.train(&work, model, &x, |model, optimizer, x, labels| {
                let (_, gradients) = loss(model, x, labels)?;
                optimizer.step(model, &gradients)
            })?;
        }
    }
    if bench.wants("train_cnn_28x28_b64") {
        let model = Cnn::new(&device, Seed(1))?;
        let x = bench.wave(&[64, 1, 28, 28])?;
        bench.train("train_cnn_28x28_b64", model, &x, |model, optimizer, x, labels| {
            let (_, gradients) = model.loss_with_gradients(x, labels)?;
            optimizer.step(model, &gradients)
        })?;
    }
    bench.for_processors()?;
    if bench.wants("train_resnet18_64x64_b256") {
        bench.resnet18()?;
    }
    for batch in [4, 16] {
        if bench.wants(&format!("train_gpt2_124m_b{batch}")) {
            bench.gpt2(batch)?;
        }
    }
    if bench.wants("attention") {
        bench.attention()?;
    }
    if bench.wants("chain_forward") {
        let log2 = option("--log2").and_then(|text| text.parse::<u32>().ok()).unwrap_or(24);
        let count = 1usize << log2;
        let (a, b, c) = (bench.wave(&[count])?, bench.wave(&[count])?, bench.wave(&[count])?);
        let seconds = bench.seconds(3, 9, &mut || chain(&a, &b, &c).map(drop))?;
        bench.report("chain_forward", 16.0 * count as f64 / seconds / 1e9, "GB/s of 4 arrays");
    }
    if bench.wants("rows_softmax") {
        let x = bench.wave(&[4096, 1024])?;
        let seconds = bench.seconds(3, 9, &mut || rows_softmax(&x).map(drop))?;
        bench.report("rows_softmax", 8.0 * (4096 * 1024) as f64 / seconds / 1e9, "GB/s");
    }
    if bench.wants("embedding_gradient") {
        for count in [64, 4096, 65536] {
            bench.embedding(count)?;
        }
    }
    if bench.wants("gemm_bf16") {
        bench.products("gemm_bf16", half::bf16::from_f32)?;
    }
    if bench.wants("gemm_f16") {
        bench.products("gemm_f16", half::f16::from_f32)?;
    }
    if bench.wants("gemm_precision") {
        bench.precisions("gemm_precision")?;
    }
    if bench.wants("gemm_fp32") {
        for n in [512, 1024] {
            let (a, b) = (bench.wave(&[n, n])?, bench.wave(&[n, n])?);
            let seconds = bench.seconds(2, 7, &mut || a.matmul(&b).eval().map(drop))?;
            bench.report(&format!("gemm_fp32_{n}"), 2.0 * (n as f64).powi(3) / seconds / 1e9, "GFLOP/s");
        }
    }
    Ok(())
}
