//! Where a size comes from that an operation has made.
use netcl::prelude::*;

const WIDTH: usize = 32;

#[netcl::model]
struct Net {
    #[layer(inputs = 3, outputs = 16, kernel = 3, stride = 2, padding = 1)]
    c: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 3600, outputs = 10)]
    o: Linear,
    #[layer(inputs = 8, outputs = WIDTH)]
    wide: Linear,
    #[layer(inputs = 64, outputs = 2)]
    narrow: Linear,
    block: Block<16>,
}

#[netcl::model]
struct Block<const W: usize> {
    #[layer(inputs = W, outputs = W)]
    a: Linear,
}

#[netcl::model]
impl<const W: usize> Block<W> {
    fn forward(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        self.a.forward(x)
    }
}

#[netcl::model]
impl Net {
    fn strided(&self, x: &Tensor<f32, N, 3, 9, 9>) -> Tensor<f32, N, 16, 4, 5> {
        self.c.forward(x)
    }

    fn pooled(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 16, 2, 4> {
        self.pool.forward(&self.c.forward(x))
    }

    fn without_flatten(&self, x: &Tensor<f32, N, 3, 32, 32>) -> Tensor<f32, N, 10> {
        self.o.forward(&self.c.forward(x))
    }

    fn joined(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 4>) -> Tensor<f32, N, 10> {
        x.concat([y], 1)
    }

    fn joined_images(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 19, 8, 8> {
        self.c.forward(x).concat([x], 1)
    }

    fn reshaped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2, 2> {
        x.reshape([N, 2, 4])
    }

    fn thirds(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, { N / 3 }, 16> {
        x.reshape([{ N / 3 }, 16])
    }

    fn quotient(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, { (N + 1) / 2 }, 16> {
        x.relu()
    }

    fn weight(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 32> {
        x.matmul(self.wide.weight.t())
    }

    fn constant(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.narrow.forward(&self.wide.forward(x))
    }

    fn nested(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }

    fn pieces(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x.narrow(1, 6, 4)
    }

    fn stacked(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 4>) -> Tensor<f32, 2, N, 8> {
        x.stack([y], 0)
    }

    fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N, 1>) -> Tensor<f32> {
        x.cross_entropy(labels)
    }

    fn distance(&self, x: &Tensor<f32, N, 1>, y: &Tensor<f32, N>) -> Tensor<f32> {
        x.mse_loss(y)
    }

    fn large(&self, x: &Tensor<f32, 99999999999999999999>) -> Tensor<f32> {
        x.sum_all()
    }
}

fn main() {}
