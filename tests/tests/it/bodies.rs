//! Bodies that leave early, match, loop and call closures, and functions of tuples and arrays, beside the same functions written out:
//! results and gradients equal to the last bit, on every device.

use crate::common::{device, devices, everywhere, floats, wave};
use netcl::prelude::*;

/// What a function may choose by.
#[allow(dead_code, reason = "a variant is chosen by, and its field not read")]
#[derive(Clone, Copy, Debug)]
pub enum Act {
    Relu,
    Tanh,
    Scaled(f32),
}

#[netcl::constant]
const STEPS: usize = 3;

#[netcl::model]
pub struct Cell {
    #[layer(inputs = 4, outputs = 12)]
    ix: Linear,
    #[layer(inputs = 3, outputs = 12, bias = false)]
    hx: Linear,
}

#[netcl::model]
impl Cell {
    fn step(
        &self,
        x: &Tensor<f32, N, 4>,
        (h, c): (&Tensor<f32, N, 3>, &Tensor<f32, N, 3>),
    ) -> (Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
        let gates = self.ix.forward(x) + self.hx.forward(h);
        let [i, f, o, g] = [0, 3, 6, 9].map(|at| gates.narrow(1, at, 3));
        let c = f.sigmoid() * c + i.sigmoid() * g.tanh();
        (o.sigmoid() * c.tanh(), c)
    }
}

#[netcl::model]
pub struct Net {
    cell: Cell,
    #[layer(inputs = 3, outputs = 3)]
    layers: [Linear; 4],
    #[constant(2)]
    depth: usize,
}

#[netcl::model]
impl Net {
    /// Over an array, with the state in a tuple.
    pub fn recurrent(
        &self,
        xs: &[Tensor<f32, N, 4>; STEPS],
        state: (&Tensor<f32, N, 3>, &Tensor<f32, N, 3>),
    ) -> ([Tensor<f32, N, 3>; 3], (Tensor<f32, N, 3>, Tensor<f32, N, 3>)) {
        let (mut h, mut c) = state;
        let mut all = [h, h, h];
        let mut t = 0;
        while t < STEPS {
            (h, c) = self.cell.step(xs[t], (h, c));
            all = match t {
                0 => [h, all[1], all[2]],
                1 => [all[0], h, all[2]],
                _ => [all[0], all[1], h],
            };
            t += 1;
        }
        (all, (h, c))
    }

    pub fn recurrent_loss(
        &self,
        xs: [&Tensor<f32, N, 4>; 3],
        (h, c): (&Tensor<f32, N, 3>, &Tensor<f32, N, 3>),
    ) -> Tensor<f32> {
        let ([a, b, _], (h, c)) = self.recurrent(xs, (h, c));
        (a * b + h * c).square().mean_all()
    }

    pub fn unrolled_loss(
        &self,
        x0: &Tensor<f32, N, 4>,
        x1: &Tensor<f32, N, 4>,
        x2: &Tensor<f32, N, 4>,
        h: &Tensor<f32, N, 3>,
        c: &Tensor<f32, N, 3>,
    ) -> Tensor<f32> {
        let a = self.cell.step(x0, (h, c));
        let b = self.cell.step(x1, a);
        let (h, c) = self.cell.step(x2, b);
        (a.0 * b.0 + h * c).square().mean_all()
    }

    /// By an enum, a number and a truth; leaves in the middle of a loop.
    pub fn loss(&self, x: &Tensor<f32, N, 3>, act: Act, level: usize, deep: bool) -> Tensor<f32> {
        let end = |h: &Tensor| h.square().mean_all();
        let act = |h: &Tensor| match act {
            Act::Relu => h.relu(),
            Act::Tanh => h.tanh(),
            Act::Scaled(..) => h * 0.5,
        };
        if !deep {
            return end(act(x));
        }
        let mut h = x;
        for (i, layer) in self.layers.iter().enumerate() {
            match level {
                0 => return end(h),
                1..=2 if i == self.depth => break,
                _ => {}
            }
            if i == 1 {
                continue;
            }
            h = act(layer.forward(h));
        }
        end(h)
    }

    pub fn relu_shallow(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        x.relu().square().mean_all()
    }

    pub fn tanh_two(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.layers[0].forward(x).tanh().square().mean_all()
    }

    pub fn scaled_all(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        let h = self.layers[0].forward(x) * 0.5;
        let h = self.layers[2].forward(h) * 0.5;
        (self.layers[3].forward(h) * 0.5).square().mean_all()
    }

    /// Passes a variant on.
    pub fn relu_all(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.loss(x, Act::Relu, 7, true)
    }

    /// What is known while compiling: `Option`s, labels, values of `break`.
    pub fn best(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        let mut best = None;
        let found = 'all: loop {
            for (i, layer) in self.layers.iter().enumerate() {
                best = match best {
                    None => Some(layer.forward(x)),
                    Some(before) => Some(before + layer.forward(x)),
                };
                if i == 2 && best.is_some() {
                    break 'all best.map(|sum| sum * 2.0);
                }
            }
        };
        if let Some(found) = found { found } else { x }
    }

    pub fn best_written_out(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        (self.layers[0].forward(x) + self.layers[1].forward(x) + self.layers[2].forward(x)) * 2.0
    }
}

/// A batch, as its user puts it together.
#[netcl::tensors]
pub struct Batch {
    pub x: Tensor<f32, N, 3>,
    pub labels: Tensor<u32, N>,
    pub weight: f32,
    pub state: (Tensor<f32, N, 3>, Tensor<f32, N, 3>),
}

#[netcl::tensors]
pub struct State {
    pub h: Tensor<f32, N, 3>,
    pub c: Tensor<f32, N, 3>,
}

#[netcl::function]
fn turned(state: &State) -> State {
    State { h: state.c * 0.5, c: &state.h + &state.c }
}

#[netcl::model(block = structs)]
impl Net {
    fn next(&self, batch: &Batch, state: &State) -> (State, Tensor<f32, N, 3>) {
        let State { h, c } = turned(state);
        let h = self.layers[0].forward(&batch.x + h);
        (State { c: c + batch.state.1, h }, h * batch.weight)
    }

    pub fn batch_loss(&self, batch: &Batch) -> Tensor<f32> {
        let (state, y) = self.next(batch, State { h: batch.state.0, c: batch.state.1 });
        (y + state.c).cross_entropy(&batch.labels)
    }

    pub fn batch_loss_written_out(
        &self,
        x: &Tensor<f32, N, 3>,
        labels: &Tensor<u32, N>,
        h: &Tensor<f32, N, 3>,
        c: &Tensor<f32, N, 3>,
    ) -> Tensor<f32> {
        let y = self.layers[0].forward(x + c * 0.5);
        (y * 2.0 + ((h + c) + c)).cross_entropy(labels)
    }

    /// For each type of elements.
    #[types(T = [f32, f16])]
    pub fn of_any<T>(&self, x: &Tensor<T, N, 3>, twice: bool) -> Tensor<T, N, 3> {
        if twice {
            return x + x;
        }
        self.layers[0].forward(x.cast(f32)).cast(T)
    }

    pub fn of_both(&self, x: &Tensor<f32, N, 3>, y: &Tensor<f16, N, 3>) -> Tensor<f32, N, 3> {
        self.of_any(x, false) + self.of_any(y, true).cast(f32)
    }
}

/// Halves and doubles, put together otherwise.
#[netcl::function]
fn both((a, b): (&Tensor<f32, N>, &Tensor<f32, N>), swapped: bool) -> [(Tensor<f32, N>, Tensor<f32, N>); 1] {
    if swapped {
        return [(b * 2.0, a * 0.5)];
    }
    [(a * 0.5, b * 2.0)]
}

/// A function of Rust as well.
#[netcl::function]
fn bent(x: f32, kind: i32) -> f32 {
    if x < -1.0 {
        return -1.0;
    }
    let scale = match kind {
        0 => 1.0,
        1 | 2 => 2.0,
        3..=5 => return x * 3.0,
        n if n > 7 => 0.5,
        _ => {
            if x > 1.0 {
                return 1.0;
            } else {
                return x * x;
            }
        }
    };
    let mut y = x * scale;
    let mut i = 0;
    while i < 2 {
        i += 1;
        if y > 4.0 {
            return 4.0;
        }
        y = y * y;
    }
    y
}

netcl::kernel! {
    fn bends(x: &Tensor<f32, N>, kind: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| bent(x[n], kind[n])
    }
}

/// Two losses and their gradients, to the last bit.
fn same(a: (Tensor, NetGradients), b: (Tensor, NetGradients)) -> Result<()> {
    assert_eq!(a.0.item::<f32>()?.to_bits(), b.0.item::<f32>()?.to_bits());
    for ((path, a), (_, b)) in a.1.tensors().into_iter().zip(b.1.tensors()) {
        assert_eq!(a.to_vec::<f32>()?, b.to_vec::<f32>()?, "{path}");
    }
    Ok(())
}

#[test]
fn choices_and_loops_are_what_is_written_out() -> Result<()> {
    for device in devices() {
        let net = Net::new(&device, Seed(5))?;
        let x = wave(&device, &[2, 3]);
        // No layer takes part, so that what is written out has no gradients.
        let (loss, _) = net.loss_with_gradients(&x, Act::Relu, 1, false)?;
        assert_eq!(loss.item::<f32>()?.to_bits(), net.relu_shallow(&x)?.item::<f32>()?.to_bits());
        same(net.loss_with_gradients(&x, Act::Tanh, 2, true)?, net.tanh_two_with_gradients(&x)?)?;
        same(net.loss_with_gradients(&x, Act::Scaled(1.0), 3, true)?, net.scaled_all_with_gradients(&x)?)?;
        same(net.loss_with_gradients(&x, Act::Relu, 5, true)?, net.relu_all_with_gradients(&x)?)?;
        let none = net.loss(&x, Act::Tanh, 0, true)?.item::<f32>()?;
        assert_eq!(none.to_bits(), x.apply("square", &[]).apply("mean_all", &[]).item::<f32>()?.to_bits());
        assert_eq!(net.best(&x)?.to_vec::<f32>()?, net.best_written_out(&x)?.to_vec::<f32>()?);
    }
    Ok(())
}

#[test]
fn tuples_and_arrays_are_arguments_and_results() -> Result<()> {
    for device in devices() {
        let net = Net::new(&device, Seed(6))?;
        let xs = [1.0, 2.0, 3.0].map(|scale| wave(&device, &[2, 4]).apply("mul", &[scale.into()]));
        let [x0, x1, x2] = xs;
        let xs = [x0, x1, x2];
        let (h, c) = (wave(&device, &[2, 3]), Tensor::full(&device, 0.25f32, &[2, 3])?);
        let ([_, _, last], (end, _)) = net.recurrent(&xs, (&h, &c))?;
        assert_eq!(last.to_vec::<f32>()?, end.to_vec::<f32>()?);
        same(
            net.recurrent_loss_with_gradients([&xs[0], &xs[1], &xs[2]], (&h, &c))?,
            net.unrolled_loss_with_gradients(&xs[0], &xs[1], &xs[2], &h, &c)?,
        )?;
        let (a, b) = (wave(&device, &[5]), Tensor::full(&device, 3.0f32, &[5])?);
        let [(half, twice)] = both((&a, &b), false)?;
        let [(other, _)] = both((&a, &b), true)?;
        assert_eq!(twice.to_vec::<f32>()?, other.to_vec::<f32>()?);
        assert_eq!(half.to_vec::<f32>()?[1], a.to_vec::<f32>()?[1] * 0.5);
    }
    Ok(())
}

#[test]
fn structs_are_arguments_and_results() -> Result<()> {
    for device in devices() {
        let net = Net::new(&device, Seed(7))?;
        let [x, h, c] = [2, 2, 2].map(|rows| wave(&device, &[rows, 3]));
        let labels = Tensor::from_slice(&device, &[0u32, 2], &[2])?;
        let batch = Batch { x: x.clone(), labels: labels.clone(), weight: 2.0, state: (h.clone(), c.clone()) };
        same(net.batch_loss_with_gradients(&batch)?, net.batch_loss_written_out_with_gradients(&x, &labels, &h, &c)?)?;
        let State { h: half, .. } = turned(&State { h: h.clone(), c: c.clone() })?;
        assert_eq!(half.to_vec::<f32>()?[2], c.to_vec::<f32>()?[2] * 0.5);
    }
    Ok(())
}

#[test]
fn a_function_has_a_plan_for_each_type_of_elements() -> Result<()> {
    for device in devices() {
        let net = Net::new(&device, Seed(8))?;
        let x = wave(&device, &[2, 3]);
        let half = x.apply("cast", &[DType::F16.into()]);
        let whole = net.of_any(&x, false)?;
        assert_eq!((whole.dtype(), net.of_any(&half, false)?.dtype()), (DType::F32, DType::F16));
        let sum: Vec<f32> = net.of_both(&x, &half)?.to_vec()?;
        let twice = half.apply("cast", &[DType::F32.into()]).to_vec::<f32>()?;
        for ((sum, whole), twice) in sum.iter().zip(whole.to_vec::<f32>()?).zip(twice) {
            assert!((sum - whole - 2.0 * twice).abs() < 1e-2);
        }
        let wrong = net.of_any(&Tensor::from_slice(&device, &[1u32; 6], &[2, 3])?, true);
        assert!(wrong.unwrap_err().to_string().contains("argument `x` expects f32 or f16, found u32 [2, 3]; convert"));
    }
    Ok(())
}

#[test]
fn what_returns_for_some_elements_is_what_rust_returns() -> Result<()> {
    everywhere(|| {
        let xs: Vec<f32> = (0..90).map(|i| (i % 9) as f32 * 0.6 - 2.0).collect();
        let kinds: Vec<i32> = (0..90).map(|i| i / 9).collect();
        let expected: Vec<f32> = xs.iter().zip(&kinds).map(|(x, kind)| bent(*x, *kind)).collect();
        let (x, kind) = (floats(&xs, &[90]), Tensor::from_slice(&device(), &kinds, &[90])?);
        assert_eq!(bends(&x, &kind)?.to_vec::<f32>()?, expected);
        let away: Vec<f32> = xs.iter().map(|x| x + 0.07).collect();
        bends.check(&floats(&away, &[90]), &kind)?;
        Ok(())
    })
}

#[netcl::model]
pub struct KeptTypes {
    #[parameter(init = 1.0)]
    w: Tensor<f32>,
}

#[netcl::model]
impl KeptTypes {
    /// What has begun as a float is one, whatever whole number it is assigned.
    fn halves(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        let mut k: f32 = 7.0;
        let mut untyped = 0.5;
        k = 5;
        untyped = 3;
        x * (k / 2) + untyped / 2 * &self.w
    }
}

#[test]
fn a_float_stays_one_when_it_is_assigned_a_whole_number() -> Result<()> {
    everywhere(|| {
        let x = Tensor::from_slice(&device(), &[2.0f32, -4.0], &[2])?;
        assert_eq!(KeptTypes::new(&device(), Seed(1))?.halves(&x)?.to_vec::<f32>()?, [6.5, -8.5]);
        Ok(())
    })
}
