//! Texts of networks of sequences and vectors.

/// A transformer of twelve layers, and its block.
macro_rules! transformer {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// A block of a decoder of words: causal attention and two layers.
        #[netcl::model]
        pub struct Block<const F: usize, const HEADS: usize> {
            #[layer(features = F)]
            norm1: LayerNorm,
            #[layer(inputs = F, outputs = { 3 * F })]
            qkv: Linear,
            #[layer(inputs = F, outputs = F)]
            out: Linear,
            #[layer(features = F)]
            norm2: LayerNorm,
            #[layer(inputs = F, outputs = { 4 * F })]
            up: Linear,
            #[layer(inputs = { 4 * F }, outputs = F)]
            down: Linear,
        }

        #[netcl::model]
        impl<const F: usize, const HEADS: usize> Block<F, HEADS> {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
                let qkv = self.qkv.forward(self.norm1.forward(x)).reshape([N, T, 3, HEADS, F / HEADS]).permute([2, 0, 3, 1, 4]);
                let mixed = qkv.get(0, 0).scaled_dot_product_attention(qkv.get(0, 1), qkv.get(0, 2), true);
                let x = x + self.out.forward(mixed.permute([0, 2, 1, 3]).reshape([N, T, F]));
                x + self.down.forward(self.up.forward(self.norm2.forward(&x)).gelu())
            }
        }

        /// A transformer of twelve layers, of texts of any length below its positions.
        #[netcl::model]
        pub struct Transformer {
            #[layer(entries = 23, features = 16)]
            words: Embedding,
            #[parameter(init = normal(0.02))]
            positions: Tensor<f32, 16, 16>,
            blocks: [Block<16, 2>; 12],
            #[layer(features = 16)]
            norm: LayerNorm,
            #[layer(inputs = 16, outputs = 23, bias = false)]
            head: Linear,
        }

        #[netcl::model]
        impl Transformer {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<u32, N, T>) -> Tensor<f32, N, T, 23> {
                let mut h = self.words.forward(x) + self.positions.narrow(0, 0, T);
                for block in &self.blocks {
                    h = block.forward(h);
                }
                self.head.forward(self.norm.forward(h))
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<u32, N, T>, y: &Tensor<u32, N, T>) -> Tensor<f32> {
                self.forward(x).cross_entropy(y)
            }
        }
    };
}

/// An LSTM, and its cell.
macro_rules! lstm {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// A cell of an LSTM (Hochreiter and Schmidhuber 1997), its gates in PyTorch's order.
        #[netcl::model]
        pub struct Cell<const I: usize, const H: usize> {
            #[layer(inputs = I, outputs = { 4 * H })]
            input: Linear,
            #[layer(inputs = H, outputs = { 4 * H })]
            hidden: Linear,
        }

        #[netcl::model]
        impl<const I: usize, const H: usize> Cell<I, H> {
            $($dynamic)*
            pub fn step(
                &self,
                x: &Tensor<f32, N, I>,
                h: &Tensor<f32, N, H>,
                c: &Tensor<f32, N, H>,
            ) -> (Tensor<f32, N, H>, Tensor<f32, N, H>) {
                let gates = self.input.forward(x) + self.hidden.forward(h);
                let (i, f) = (gates.narrow(1, 0, H).sigmoid(), gates.narrow(1, H, H).sigmoid());
                let (g, o) = (gates.narrow(1, 2 * H, H).tanh(), gates.narrow(1, 3 * H, H).sigmoid());
                let c = f * c + i * g;
                (o * c.tanh(), c)
            }
        }

        /// Two cells over time, of as many steps as there are, and a layer on the last state.
        #[netcl::model]
        pub struct Lstm {
            first: Cell<5, 8>,
            second: Cell<8, 6>,
            #[layer(inputs = 6, outputs = 3)]
            head: Linear,
        }

        #[netcl::model]
        impl Lstm {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, T, 5>) -> Tensor<f32, N, 3> {
                let (mut h1, mut c1) = (Tensor::zeros([N, 8]), Tensor::zeros([N, 8]));
                let (mut h2, mut c2) = (Tensor::zeros([N, 6]), Tensor::zeros([N, 6]));
                for t in 0..T {
                    (h1, c1) = self.first.step(x.get(1, t), h1, c1);
                    (h2, c2) = self.second.step(h1, h2, c2);
                }
                self.head.forward(h2)
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<f32, N, T, 5>, labels: &Tensor<u32, N>) -> Tensor<f32> {
                self.forward(x).cross_entropy(labels)
            }
        }
    };
}

/// A variational autoencoder, and its block.
macro_rules! vae {
    ($($dynamic:tt)*) => {
        use netcl::prelude::*;

        /// A layer, a norm and an activation.
        #[netcl::model]
        pub struct Dense<const I: usize, const O: usize> {
            #[layer(inputs = I, outputs = O)]
            line: Linear,
            #[layer(features = O)]
            norm: LayerNorm,
        }

        #[netcl::model]
        impl<const I: usize, const O: usize> Dense<I, O> {
            $($dynamic)*
            pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, O> {
                self.norm.forward(self.line.forward(x)).silu()
            }
        }

        /// A variational autoencoder (Kingma and Welling 2014), whose noise is an argument.
        #[netcl::model]
        pub struct Vae {
            encode: Dense<20, 12>,
            #[layer(inputs = 12, outputs = 3)]
            mean: Linear,
            #[layer(inputs = 12, outputs = 3)]
            log_variance: Linear,
            decode: Dense<3, 12>,
            #[layer(inputs = 12, outputs = 20)]
            output: Linear,
            #[constant(0.5)]
            share: f32,
        }

        #[netcl::model]
        impl Vae {
            $($dynamic)*
            pub fn forward(
                &self,
                x: &Tensor<f32, N, 20>,
                noise: &Tensor<f32, N, 3>,
            ) -> (Tensor<f32, N, 20>, Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
                let h = self.encode.forward(x);
                let (mean, log_variance) = (self.mean.forward(&h), self.log_variance.forward(&h));
                let code = &mean + (0.5 * &log_variance).exp() * noise;
                (self.output.forward(self.decode.forward(&code)), mean, log_variance)
            }

            #[mode(training)]
            $($dynamic)*
            pub fn loss(&self, x: &Tensor<f32, N, 20>, noise: &Tensor<f32, N, 3>) -> Tensor<f32> {
                let (y, mean, log_variance) = self.forward(x, noise);
                let likelihood = (y.softplus() - y * x).sum([1]).mean_all();
                let divergence = -0.5 * (1.0 + &log_variance - mean.square() - log_variance.exp()).sum([1]).mean_all();
                likelihood + self.share * divergence
            }
        }
    };
}

pub(crate) use {lstm, transformer, vae};
