//! Which number fits, of a layer and of two tensors.
use netcl::prelude::*;

#[netcl::model]
struct Net {
    #[layer(entries = 10, features = 16)]
    words: Embedding,
    #[layer(inputs = 32, outputs = 4)]
    o: Linear,
    #[layer(inputs = 8, outputs = 4)]
    row: [Linear; 3],
    #[layer(inputs = 8, outputs = 4)]
    twice: Linear,
    #[layer(inputs = 8, outputs = 8)]
    square: Linear,
    #[layer(inputs = 16, outputs = 16, kernel = 3)]
    c: Conv2d,
    #[layer(inputs = 16, outputs = 16, kernel = 3, stride = 2, padding = 1)]
    down: Conv2d,
    #[parameter(init = 1.0)]
    scale: Tensor<f32, 4>,
}

#[netcl::model]
impl Net {
    fn embedded(&self, x: &Tensor<u32, N, T>) -> Tensor<f32, N, T, 4> {
        self.o.forward(self.words.forward(x))
    }

    fn in_a_row(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for each in &self.row {
            h = each.forward(h);
        }
        h
    }

    fn again(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.twice.forward(self.twice.forward(x))
    }

    fn for_two(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 6>) -> Tensor<f32, N, 8> {
        self.square.forward(x) + self.square.forward(y)
    }

    fn rank(&self, x: &Tensor<f32, 2>) -> Tensor<f32, 2> {
        self.square.forward(x)
    }

    fn scaled(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * &self.scale
    }

    fn two_names(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, M, 8>) -> Tensor<f32, N, 8> {
        x + y
    }

    fn two_numbers(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 4>) -> Tensor<f32, N, 8> {
        x + y
    }

    fn turned(&self, x: &Tensor<f32, N, T, 8>, y: &Tensor<f32, N, 8, T>) -> Tensor<f32, N, T, 8> {
        x + y
    }

    fn smaller(&self, x: &Tensor<f32, N, 16, 8, 8>) -> Tensor<f32, N, 16, 4, 4> {
        self.down.forward(x) + x
    }

    fn joined(&self, x: &Tensor<f32, N, 16, 8, 8>) -> Tensor<f32, N, 32, 8, 8> {
        self.c.forward(x).concat([x], 1)
    }
}

fn main() {}
