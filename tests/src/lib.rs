//! What the tests need from another crate: models, functions and sizes that it exports. What tests and benches share.

/// The README's program, compiled and run as it stands.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// Blocks of one kind.
pub mod first {
    /// Not seen outside: models that use it carry it.
    const INNER: usize = 6;

    /// The slope below zero.
    #[netcl::constant]
    pub const FEATURES: usize = 3;

    /// Leaky.
    #[netcl::function]
    pub fn leak(x: f32) -> f32 {
        if x > 0.0 { x } else { 0.1 * x }
    }

    /// An activation that no layer is.
    pub struct Softsign;

    #[netcl::function]
    impl Softsign {
        pub(crate) fn forward(x: f32) -> f32 {
            x / (1.0 + x.abs())
        }
    }

    /// Whatever stands for its types.
    #[netcl::model]
    pub struct Mixer<const C: usize, N, A> {
        #[layer(inputs = C, outputs = C)]
        line: Linear,
        #[layer(features = C, epsilon = 1e-3)]
        norms: [N; 2],
        act: A,
    }

    #[netcl::model]
    impl<const C: usize, Norm, A> Mixer<C, Norm, A> {
        /// What the block makes of `x`, and `x` beside it.
        pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
            let mut h = self.line.forward(x);
            for norm in &self.norms {
                h = norm.forward(h);
            }
            self.act.forward(h) + A::forward(x)
        }
    }

    /// One of several, which each model says that has it.
    #[netcl::model]
    pub enum Act<const C: usize, L = LayerNorm> {
        /// Nothing to train.
        Leaky,
        /// A layer.
        #[default]
        #[layer(inputs = C, outputs = C)]
        Line(Linear),
        /// A model of this crate.
        Block(Block<C>),
        /// Layers and tensors.
        Gated {
            /// What opens.
            #[layer(inputs = C, outputs = C)]
            gate: Linear,
            /// What is added.
            #[parameter(init = 0.5)]
            shift: Tensor<f32, C>,
            /// Whatever stands for it.
            #[layer(features = C)]
            norm: L,
        },
    }

    #[netcl::model]
    impl<const C: usize, L> Act<C, L> {
        /// What it makes of `x`.
        pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
            match self {
                Act::Leaky => leak(x),
                Act::Line(line) => line.forward(x).tanh(),
                Act::Block(block) => block.forward(x),
                Act::Gated { gate, shift, norm } => norm.forward(x) * gate.forward(x).sigmoid() + shift,
            }
        }
    }

    /// A scale for each feature.
    #[netcl::model]
    pub struct Scale<const WIDTH: usize> {
        #[parameter(init = 2.0)]
        factor: Tensor<f32, WIDTH>,
    }

    #[netcl::model]
    impl<const WIDTH: usize> Scale<WIDTH> {
        /// `x · factor`.
        pub fn forward(&self, x: &Tensor<f32, N, WIDTH>) -> Tensor<f32, N, WIDTH> {
            x * &self.factor
        }
    }

    /// A convolution that keeps all sizes.
    #[netcl::model]
    pub struct Filter<const C: usize> {
        #[layer(inputs = C, outputs = C, kernel = 3, padding = 1)]
        filter: Conv2d,
    }

    #[netcl::model]
    impl<const C: usize> Filter<C> {
        /// What comes through.
        pub fn forward(&self, x: &Tensor<f32, N, C, 4, 4>) -> Tensor<f32, N, C, 4, 4> {
            self.filter.forward(x).tanh()
        }
    }

    /// Two layers and a scale.
    #[netcl::model]
    pub struct Block<const WIDTH: usize> {
        #[layer(inputs = WIDTH, outputs = INNER)]
        up: Linear,
        #[layer(inputs = INNER, outputs = WIDTH)]
        down: Linear,
        scale: Scale<WIDTH>,
    }

    #[netcl::model]
    impl<const WIDTH: usize> Block<WIDTH> {
        /// What the block computes.
        pub fn forward(&self, x: &Tensor<f32, N, WIDTH>) -> Tensor<f32, N, WIDTH> {
            self.scale.forward(&self.down.forward(&leak(self.up.forward(x))))
        }
    }
}

/// Blocks of another kind, of the same names.
pub mod second {
    /// One layer.
    #[netcl::model]
    pub struct Block {
        #[layer(inputs = 3, outputs = 3)]
        only: Linear,
    }

    #[netcl::model]
    impl Block {
        /// What the block computes.
        pub fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
            self.only.forward(x).tanh()
        }
    }
}

pub mod models;
pub mod soak;

/// What stands behind `--device` and such among the program's arguments, for benches.
pub fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
