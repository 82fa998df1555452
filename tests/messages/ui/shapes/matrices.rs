//! Decompositions of what is not square, of sizes that do not fit, and of more or fewer results than there are.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn factor(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.l.forward(x).cholesky()
    }

    pub fn values(&self, x: &Tensor<f32, 4, 8>) -> Tensor<f32, 4> {
        let (values, vectors) = x.eigh();
        values + vectors.sum([1])
    }

    pub fn system(&self, a: &Tensor<f32, N, 4, 4>, b: &Tensor<f32, N, 3, 2>) -> Tensor<f32, N, 4, 2> {
        a.solve(b)
    }

    pub fn triangle(&self, a: &Tensor<f32, N, 4, 4>, b: &Tensor<f32, N, 4, 2>) -> Tensor<f32, N, 4, 2> {
        a.solve_triangular(b)
    }

    pub fn pair(&self, a: &Tensor<f32, N, 4, 4>) -> Tensor<f32, N, 4, 4> {
        let (q, r, pivots) = a.qr();
        q.matmul(r) + pivots
    }

    pub fn both(&self, a: &Tensor<f32, N, 4, 4>) -> Tensor<f32, N, 4, 4> {
        a.qr()
    }

    pub fn mode(&self, a: &Tensor<f32, N, 4, 4>) -> Tensor<f32, N, 4, 4> {
        let (u, _, vh) = a.svd(false);
        u.matmul(vh)
    }

    pub fn general(&self, a: &Tensor<f32, N, 4, 4>) -> Tensor<f32, N, 4> {
        a.eigvals()
    }
}

fn main() {}
