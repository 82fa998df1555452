//! What `netcl-kernels` says of operations whose operands do not fit, at the call.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 3, outputs = 8, kernel = 3)]
    conv: Conv2d,
}

#[netcl::model]
impl Net {
    pub fn product(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, 4, 2>) -> Tensor<f32, N, 2> {
        x.matmul(y)
    }

    pub fn product_types(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f16, 8, 2>) -> Tensor<f32, N, 2> {
        x.matmul(y)
    }

    pub fn product_rank(&self, x: &Tensor<f32, 8>, y: &Tensor<f32, 8>) -> Tensor<f32> {
        x.matmul(y)
    }

    pub fn broadcast(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x.broadcast_to([N, 4])
    }

    pub fn convolution(&self, x: &Tensor<f32, N, 4, 9, 9>) -> Tensor<f32, N, 8, 7, 7> {
        self.conv.forward(x)
    }

    pub fn small(&self, x: &Tensor<f32, N, 3, 2, 9>) -> Tensor<f32, N, 8, 1, 7> {
        self.conv.forward(x)
    }

    pub fn joined(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, M, 4>) -> Tensor<f32, N, 8> {
        x.concat([y], 0)
    }

    pub fn attended(
        &self,
        q: &Tensor<f32, T, 8>,
        k: &Tensor<f32, T, 4>,
        v: &Tensor<f32, T, 8>,
    ) -> Tensor<f32, T, 8> {
        q.scaled_dot_product_attention(k, v, false)
    }

    pub fn turned(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8, N> {
        x.permute([1, 1])
    }
}

fn main() {}
