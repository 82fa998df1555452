//! SHIFT_DISTANCE: in both forms of kernels and in functions of models. What is known only at run time is none.
use netcl::prelude::*;

#[netcl::constant]
const WIDTH: u32 = 64;

netcl::kernel! {
    #[launch(global = [N])]
    pub fn items(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        let i = global_id(0);
        y[i] = x[i] << 40;
    }

    #[launch(global = [N])]
    pub fn updated(x: &Tensor<i64, N>, y: &mut Tensor<i64, N>) {
        let i = global_id(0);
        let mut value = x[i];
        value >>= WIDTH;
        y[i] = value;
    }

    #[launch(global = [N])]
    pub fn at_run_time(x: &Tensor<u32, N>, k: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        let i = global_id(0);
        y[i] = (x[i] << k[i]) >> 31;
    }

    pub fn elements(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| x[n] >> 32
    }
}

#[netcl::model]
pub struct Hash {
    #[state(init = 0)]
    seed: Tensor<u32>,
}

#[netcl::model]
impl Hash {
    pub fn forward(&self, x: &Tensor<u32, N>) -> Tensor<u32, N> {
        (x ^ &self.seed) << 33
    }
}

fn main() {
    let _ = &at_run_time;
}
