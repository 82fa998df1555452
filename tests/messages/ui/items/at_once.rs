//! What is wrong with a signature does not hide what is wrong with the body, and the other way round; each mistake is one.

#[netcl::model]
pub struct Mlp {
    #[layer(input = 8, outputs = 4)]
    hidden: Linear,
    name: String,
}

#[netcl::model]
pub struct Other {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Other {
    pub fn forward(&self, x: &Tensor<f32, N, 8>, rate: f64, names: &str) -> Tensor<f32, N, 4> {
        self.hiden.forward(x) * rate + K
    }

    pub fn generic<T>(&self, x: &Tensor<T, N>, y: &Tensor<f32, N>, z: T) -> Tensor<T, N> {
        x * y.rleu() * z
    }

    pub fn taken(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let x = std::mem::take(x);
        x.rleu()
    }

    pub fn sound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        Self::generic(&self.hidden.forward(x))
    }
}

netcl::kernel! {
    fn index(x: &Tensor<f32, N>, y: &Tensor<f33, N, C>) -> Tensor<f32, N> {
        |n| x[n].rleu() + y[n, C]
    }

    #[launch(global = [N], local = [0])]
    fn items(x: &Tensor<f32, N>, y: &Tensor<f33, C>, z: &mut Tensor<f32, N>) {
        z[global_id(0)] = x[unknown] + y[C];
    }
}

fn main() {}
