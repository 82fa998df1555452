//! Small models of sequences and vectors.

pub mod lstm {
    //! A cell over eight steps.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Cell {
        #[layer(inputs = 13, outputs = 84)]
        input: Linear,
        #[layer(inputs = 21, outputs = 84)]
        hidden: Linear,
    }
    #[netcl::model]
    impl Cell {
        pub fn step(
            &self,
            x: &Tensor<f32, N, 13>,
            h: &Tensor<f32, N, 21>,
            c: &Tensor<f32, N, 21>,
        ) -> (Tensor<f32, N, 21>, Tensor<f32, N, 21>) {
            let gates = self.input.forward(x) + self.hidden.forward(h);
            let i = gates.narrow(1, 0, 21).sigmoid();
            let f = gates.narrow(1, 21, 21).sigmoid();
            let g = gates.narrow(1, 42, 21).tanh();
            let o = gates.narrow(1, 63, 21).sigmoid();
            let c = f * c + i * g;
            let h = o * c.tanh();
            (h, c)
        }
    }
    #[netcl::model]
    pub struct Lstm {
        cell: Cell,
        #[layer(inputs = 21, outputs = 1)]
        head: Linear,
    }
    #[netcl::model]
    impl Lstm {
        pub fn forward(
            &self,
            x: &Tensor<f32, N, 8, 13>,
            h0: &Tensor<f32, N, 21>,
            c0: &Tensor<f32, N, 21>,
        ) -> (Tensor<f32, N, 1>, Tensor<f32, N, 21>, Tensor<f32, N, 21>) {
            let (mut h, mut c) = (h0, c0);
            for t in 0..8 {
                let (a, b) = self.cell.step(&x.get(1, t), &h, &c);
                h = a;
                c = b;
            }
            (self.head.forward(&h), h, c)
        }
        pub fn loss(
            &self,
            x: &Tensor<f32, N, 8, 13>,
            h0: &Tensor<f32, N, 21>,
            c0: &Tensor<f32, N, 21>,
            y: &Tensor<f32, N, 1>,
        ) -> Tensor<f32> {
            let (p, _, _) = self.forward(x, h0, c0);
            p.mse_loss(y)
        }
    }
}

pub mod gru {
    //! A cell over eight steps, with a loss at each.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Gru {
        #[layer(entries = 29, features = 10)]
        words: Embedding,
        #[layer(inputs = 10, outputs = 51)]
        input: Linear,
        #[layer(inputs = 17, outputs = 51)]
        hidden: Linear,
        #[layer(inputs = 17, outputs = 29)]
        head: Linear,
        #[parameter(init = 0.0)]
        start: Tensor<f32, 17>,
    }
    #[netcl::model]
    impl Gru {
        fn step(&self, x: &Tensor<f32, N, 10>, h: &Tensor<f32, N, 17>) -> Tensor<f32, N, 17> {
            let a = self.input.forward(x).reshape([N, 3, 17]);
            let b = self.hidden.forward(h).reshape([N, 3, 17]);
            let r = (a.get(1, 0) + b.get(1, 0)).sigmoid();
            let z = (a.get(1, 1) + b.get(1, 1)).sigmoid();
            let cand = (a.get(1, 2) + r * b.get(1, 2)).tanh();
            cand.lerp(h, z)
        }
        pub fn forward(&self, x: &Tensor<u32, N, 8>) -> Tensor<f32, N, 8, 29> {
            let e = self.words.forward(x);
            let h0 = self.start.broadcast_to([N, 17]);
            let h1 = self.step(&e.get(1, 0), &h0);
            let h2 = self.step(&e.get(1, 1), &h1);
            let h3 = self.step(&e.get(1, 2), &h2);
            let h4 = self.step(&e.get(1, 3), &h3);
            let h5 = self.step(&e.get(1, 4), &h4);
            let h6 = self.step(&e.get(1, 5), &h5);
            let h7 = self.step(&e.get(1, 6), &h6);
            let h8 = self.step(&e.get(1, 7), &h7);
            self.head.forward(&h1.stack([h2, h3, h4, h5, h6, h7, h8], 1))
        }
        pub fn loss(&self, x: &Tensor<u32, N, 8>, y: &Tensor<u32, N, 8>) -> Tensor<f32> {
            self.forward(x).cross_entropy_ignoring(y, 0)
        }
    }
}

pub mod llama {
    //! Two blocks with rotary positions, grouped heads and a gated unit.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Block {
        #[layer(features = 40)]
        norm1: RmsNorm,
        #[layer(inputs = 40, outputs = 40, bias = false)]
        wq: Linear,
        #[layer(inputs = 40, outputs = 20, bias = false)]
        wk: Linear,
        #[layer(inputs = 40, outputs = 20, bias = false)]
        wv: Linear,
        #[layer(inputs = 40, outputs = 40, bias = false)]
        wo: Linear,
        #[layer(features = 40, epsilon = 1e-5)]
        norm2: RmsNorm,
        #[layer(inputs = 40, outputs = 107, bias = false)]
        gate: Linear,
        #[layer(inputs = 40, outputs = 107, bias = false)]
        up: Linear,
        #[layer(inputs = 107, outputs = 40, bias = false)]
        down: Linear,
    }
    #[netcl::model]
    impl Block {
        /// `x [N, H, T, 10]`: the first half of the features with the second.
        fn rope(
            x: &Tensor<f32, N, H, T, 10>,
            cos: &Tensor<f32, T, 5>,
            sin: &Tensor<f32, T, 5>,
        ) -> Tensor<f32, N, H, T, 10> {
            let a = x.narrow(-1, 0, 5);
            let b = x.narrow(-1, 5, 5);
            (&a * cos - &b * sin).concat([&a * sin + &b * cos], -1)
        }
        pub fn forward(
            &self,
            x: &Tensor<f32, N, T, 40>,
            cos: &Tensor<f32, T, 5>,
            sin: &Tensor<f32, T, 5>,
        ) -> Tensor<f32, N, T, 40> {
            let h = self.norm1.forward(x);
            let q = self.wq.forward(&h).reshape([N, T, 4, 10]).transpose(1, 2);
            let key = self.wk.forward(&h).reshape([N, T, 2, 10]).transpose(1, 2);
            let v = self.wv.forward(&h).reshape([N, T, 2, 10]).transpose(1, 2);
            let q = Self::rope(&q, cos, sin).reshape([N, 2, 2, T, 10]);
            let key = Self::rope(&key, cos, sin).unsqueeze(2);
            let s = q.matmul(key.t()) / 10f32.sqrt();
            let ones = s.detach() * 0.0 + 1.0;
            let s = s.masked_fill(ones.tril(0).eq(0.0), f32::NEG_INFINITY);
            let o = s.softmax(-1).matmul(v.unsqueeze(2)).reshape([N, 4, T, 10]).transpose(1, 2).reshape([N, T, 40]);
            let x = x + self.wo.forward(&o);
            let h = self.norm2.forward(&x);
            x + self.down.forward(&(self.gate.forward(&h).silu() * self.up.forward(&h)))
        }
    }
    #[netcl::model]
    pub struct Llama {
        #[layer(entries = 53, features = 40)]
        words: Embedding,
        blocks: [Block; 2],
        #[layer(features = 40)]
        norm: RmsNorm,
        #[layer(inputs = 40, outputs = 53, bias = false)]
        head: Linear,
    }
    #[netcl::model]
    impl Llama {
        pub fn forward(
            &self,
            x: &Tensor<u32, N, T>,
            cos: &Tensor<f32, T, 5>,
            sin: &Tensor<f32, T, 5>,
        ) -> Tensor<f32, N, T, 53> {
            let mut h = self.words.forward(x);
            for block in &self.blocks {
                h = block.forward(&h, cos, sin);
            }
            self.head.forward(&self.norm.forward(&h))
        }
        pub fn loss(
            &self,
            x: &Tensor<u32, N, T>,
            y: &Tensor<u32, N, T>,
            cos: &Tensor<f32, T, 5>,
            sin: &Tensor<f32, T, 5>,
        ) -> Tensor<f32> {
            self.forward(x, cos, sin).cross_entropy(y)
        }
    }
}

pub mod mixer {
    //! Products over patches and over channels.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Mixer {
        #[layer(inputs = 75, outputs = 27)]
        embed: Linear,
        #[layer(features = 27)]
        norm1: LayerNorm,
        #[layer(inputs = 15, outputs = 22)]
        token1: Linear,
        #[layer(inputs = 22, outputs = 15)]
        token2: Linear,
        #[layer(features = 27)]
        norm2: LayerNorm,
        #[layer(inputs = 27, outputs = 50)]
        channel1: Linear,
        #[layer(inputs = 50, outputs = 27)]
        channel2: Linear,
        #[layer(inputs = 27, outputs = 5)]
        head: Linear,
    }
    #[netcl::model]
    impl Mixer {
        pub fn forward(&self, x: &Tensor<f32, N, 3, 15, 25>) -> Tensor<f32, N, 5> {
            let p = x.reshape([N, 3, 3, 5, 5, 5]).permute([0, 2, 4, 1, 3, 5]).reshape([N, 15, 75]);
            let h = self.embed.forward(&p);
            let t = self.norm1.forward(&h).t();
            let h = h + self.token2.forward(&self.token1.forward(&t).gelu()).t();
            let h = &h + self.channel2.forward(&self.channel1.forward(&self.norm2.forward(&h)).gelu());
            self.head.forward(&h.max([1]))
        }
        pub fn loss(&self, x: &Tensor<f32, N, 3, 15, 25>, y: &Tensor<u32, N>) -> Tensor<f32> {
            self.forward(x).cross_entropy(y)
        }
    }
}

pub mod vae {
    //! Noise as an input, two heads.

    use netcl::prelude::*;

    #[netcl::model]
    pub struct Vae {
        #[layer(inputs = 49, outputs = 33)]
        enc: Linear,
        #[layer(inputs = 33, outputs = 5)]
        mean: Linear,
        #[layer(inputs = 33, outputs = 5)]
        logvar: Linear,
        #[layer(inputs = 5, outputs = 33)]
        dec: Linear,
        #[layer(inputs = 33, outputs = 49)]
        out: Linear,
    }
    #[netcl::model]
    impl Vae {
        pub fn encode(&self, x: &Tensor<f32, N, 49>) -> (Tensor<f32, N, 5>, Tensor<f32, N, 5>) {
            let h = self.enc.forward(x).elu(1.0);
            (self.mean.forward(&h), self.logvar.forward(&h))
        }
        pub fn decode(&self, z: &Tensor<f32, N, 5>) -> Tensor<f32, N, 49> {
            self.out.forward(&self.dec.forward(z).softplus())
        }
        pub fn forward(
            &self,
            x: &Tensor<f32, N, 49>,
            noise: &Tensor<f32, N, 5>,
        ) -> (Tensor<f32, N, 49>, Tensor<f32, N, 5>, Tensor<f32, N, 5>) {
            let (m, lv) = self.encode(x);
            let z = &m + (0.5 * &lv).exp() * noise;
            (self.decode(&z), m, lv)
        }
        pub fn loss(&self, x: &Tensor<f32, N, 49>, noise: &Tensor<f32, N, 5>) -> Tensor<f32> {
            let (y, m, lv) = self.forward(x, noise);
            let nll = (y.softplus() - y * x).sum([1]).mean_all();
            let kl = -0.5 * (1.0 + &lv - m.square() - lv.exp()).sum([1]).mean_all();
            nll + 0.7 * kl
        }
    }
}
