//! What a function gives may be known while compiling, and decide what is compiled: which branch, how many rounds, which
//! element. Nothing is said of bodies before the function is looked at that is right with it.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::function]
fn two(_x: f32) -> u32 {
    2
}

#[netcl::function]
fn half(_x: f32) -> f32 {
    0.5
}

#[netcl::function]
fn twice(x: f32) -> f32 {
    x * 2.0
}

#[netcl::function]
fn next(k: i32) -> i32 {
    k + 1
}

#[netcl::function]
fn inside(x: f32) -> f32 {
    let mut y = x;
    for k in 0..two(x) {
        y += k as f32 + 1.0;
    }
    let list = [y, x, 3.0];
    if half(x) > 0.25 {
        y += list[two(x) as usize];
    } else {
        return -x;
    }
    y
}

netcl::kernel! {
    fn index(x: &Tensor<f32, N>, w: &Tensor<f32, 4>) -> Tensor<f32, N> {
        |n| {
            let mut at = 0;
            for _ in 0..two(x[n]) {
                at += 1;
            }
            let list = [x[n], x[n] * 2.0, w[two(0.5) as usize]];
            let mut chosen = if half(x[n]) > 0.25 { x[n] } else { x[n + 1] };
            for k in 0..two(0.5) {
                let weight = [1.0, 10.0][k];
                chosen = chosen * weight;
            }
            let reduced = sum(1..two(x[n]) + 2, |j| w[j]) + sum((0..two(0.5), 1..3), |_h, j| w[j]);
            let element = if at == 2 { list[at] } else { list[at + 7] };
            let last = if half(x[n]) > 0.75 && x[n - 1] > 0.0 { w[n + 9] } else { w[two(x[n]) as usize] };
            if two(x[n]) == 2 { chosen + reduced + element + last } else { x }
        }
    }

    #[launch(global = [N])]
    fn launched(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, z: &mut Tensor<i32, N>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let mut assigned = twice(x[i]);
        assigned = 3.0;
        let (sine, cosine) = twice(x[i]).sin_cos();
        let mut rounds = 0.0;
        loop {
            rounds += 1.0;
            if twice(rounds) > 5.0 {
                break;
            }
        }
        y[i] = assigned + rounds + sine * sine + cosine * cosine;
        // The function says which type these numbers have.
        let first = 1;
        let second = 2;
        let both = first + second;
        z[i] = both;
        z[i] += next(first);
    }
}

#[netcl::model]
struct Net {
    #[layer(inputs = 2, outputs = 2)]
    #[allow(dead_code, reason = "in a branch that is not taken")]
    hidden: Linear,
    #[parameter(init = 2.0)]
    scale: Tensor<f32, 2>,
}

#[netcl::model]
impl Net {
    fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        let mut y = x * self.scale;
        for _ in 0..two(0.5) {
            y = y * self.scale;
        }
        let all = [&y, x];
        if half(1.0) > 0.25 { all[two(0.5) - 2] } else { self.hidden.forward(all[7]) }
    }

    fn mean(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32> {
        let y = self.forward(x);
        if two(0.5) == 1 && self.scale { y } else { twice(y).mean([0, 1]) }
    }
}

#[test]
fn results_decide_what_is_compiled() -> Result<()> {
    everywhere(|| {
        let x = [1.0, -2.0, 0.5];
        let given = floats(&x, &[3]);
        let found = index(&given, &floats(&[1.0, 2.0, 3.0, 4.0], &[4]))?.to_vec::<f32>()?;
        assert_eq!(found, x.map(|x| x * 10.0 + (2.0 + 3.0 + 4.0) + 2.0 * (2.0 + 3.0) + 3.0 + 3.0));
        let (found, numbers) = launched(&given)?;
        for found in found.to_vec::<f32>()? {
            assert!((found - 7.0).abs() < 1e-5, "{found}");
        }
        assert_eq!(numbers.to_vec::<i32>()?, [3 + 2; 3]);
        let net = Net::new(&device(), Seed(1))?;
        let given = floats(&[1.0, 2.0, 3.0, -4.0], &[2, 2]);
        assert_eq!(net.forward(&given)?.to_vec::<f32>()?, [8.0, 16.0, 24.0, -32.0]);
        let (mean, gradients) = net.mean_with_gradients(&given)?;
        assert_eq!(mean.to_vec::<f32>()?, [8.0]);
        assert_eq!(gradients.scale()?.to_vec::<f32>()?.len(), 2);
        Ok(())
    })
}

netcl::kernel! {
    fn called(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| inside(x[n])
    }
}

#[test]
fn so_do_those_in_functions() -> Result<()> {
    everywhere(|| {
        let x = [1.0, -2.0, 0.5];
        assert_eq!(called(&floats(&x, &[3]))?.to_vec::<f32>()?, x.map(inside));
        Ok(())
    })
}
