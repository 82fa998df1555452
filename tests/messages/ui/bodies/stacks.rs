//! Lists that lose elements, iterators of as many as a call says, and variants with fields.

pub enum Mode {
    Plain,
    Scaled { power: f32 },
}

#[netcl::model]
pub struct Chain {
    #[layer(inputs = 4, outputs = 4, count = 4)]
    lines: Vec<Linear>,
}

#[netcl::model]
impl Chain {
    pub fn rounds(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut ys = Vec::new();
        ys.push(x.get(1, 0));
        let mut h = x.get(1, 0);
        for t in 0..T {
            h = h + ys.pop().unwrap() * x.get(1, t);
        }
        h
    }
    pub fn empty(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut ys = Vec::new();
        ys.push(self.lines[0].forward(x));
        let y = ys.pop().unwrap();
        y + ys.pop().unwrap()
    }
    pub fn fixed(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let ys = [x, -x];
        ys.reverse();
        ys[0]
    }
    pub fn some(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 4> {
        let mut h = x.clone();
        for line in self.lines.iter().take(k) {
            h = line.forward(&h);
        }
        h
    }
    pub fn middle(&self, xs: &[Tensor<f32, N, 4>; 2]) -> Tensor<f32, N, 4> {
        let [a, .., b, c] = xs;
        a + b + c
    }
    pub fn modes(&self, x: &Tensor<f32, N, 4>, mode: Mode) -> Tensor<f32, N, 4> {
        match mode {
            Mode::Plain => x,
            Mode::Scaled { power } => x * power,
        }
    }
}

fn main() {}
