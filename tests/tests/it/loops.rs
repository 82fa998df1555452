//! Loops over a symbolic axis: recurrent networks and scans, with their gradients, against PyTorch and the same rounds one by one.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::model]
pub struct Lstm {
    #[parameter]
    input: Tensor<f32, 4, 32>,
    #[parameter]
    hidden: Tensor<f32, 8, 32>,
    #[parameter]
    bias: Tensor<f32, 32>,
}

#[netcl::model]
impl Lstm {
    fn cell(
        &self,
        x: &Tensor<f32, N, 4>,
        h: &Tensor<f32, N, 8>,
        c: &Tensor<f32, N, 8>,
    ) -> (Tensor<f32, N, 8>, Tensor<f32, N, 8>) {
        let gates = x.matmul(&self.input) + h.matmul(&self.hidden) + &self.bias;
        let (i, f) = (gates.narrow(1, 0, 8).sigmoid(), gates.narrow(1, 8, 8).sigmoid());
        let (g, o) = (gates.narrow(1, 16, 8).tanh(), gates.narrow(1, 24, 8).sigmoid());
        let c = f * c + i * g;
        (o * c.tanh(), c)
    }

    pub fn last(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut h = Tensor::zeros([N, 8]);
        let mut c = Tensor::zeros([N, 8]);
        for t in 0..T {
            (h, c) = self.cell(x.get(1, t), h, c);
        }
        h
    }

    pub fn loss(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32> {
        let mut state = (Tensor::zeros([N, 8]), Tensor::zeros([N, 8]));
        let mut all = Vec::new();
        for t in 0..T {
            let (h, c) = state;
            state = self.cell(x.get(1, t), h, c);
            let (h, _) = state;
            all.push(h);
        }
        let (_, c) = state;
        all.stack(1).square().sum_all() / N + c.sum_all()
    }
}

/// Scans of other kinds.
#[netcl::model]
pub struct Scans {
    #[parameter(init = 0.5)]
    decay: Tensor<f32, 4>,
}

#[netcl::model]
impl Scans {
    /// Running sums, and how many there were, with the rounds from the second on.
    pub fn sums(&self, x: &Tensor<f32, N, T>) -> (Tensor<f32, N, { T - 1 }>, Tensor<f32>) {
        let mut sum = Tensor::zeros([N]);
        let mut count = 0.0;
        let mut sums = Vec::new();
        for t in 1..T {
            sum = sum + x.get(1, t) * t;
            count += 1.0;
            sums.push(sum);
        }
        (sums.stack(1), count)
    }

    /// Sums of what is behind, in the order of `x`, and the same once more.
    pub fn behind(&self, x: &Tensor<f32, N, T>) -> (Tensor<f32, N, T>, Tensor<f32, N>) {
        let mut sum = Tensor::zeros([N]);
        let mut sums = Vec::new();
        for t in (0..T).rev() {
            sum = sum + x.get(1, t);
            sums.push(sum);
        }
        sums.reverse();
        let all = sums.stack(0);
        let mut total = Tensor::zeros([N]);
        for t in 0..T {
            total = total + all.get(0, t) * t;
        }
        (sums.stack(1), total)
    }

    /// Linear attention with decay: a matrix is carried for each row.
    pub fn attention(
        &self,
        q: &Tensor<f32, N, T, 4>,
        k: &Tensor<f32, N, T, 4>,
        v: &Tensor<f32, N, T, 4>,
    ) -> Tensor<f32, N, T, 4> {
        let mut s = Tensor::zeros([N, 4, 4]);
        let mut ys = Vec::new();
        for t in 0..T {
            s = s * self.decay.unsqueeze(1) + k.get(1, t).unsqueeze(2) * v.get(1, t).unsqueeze(1);
            ys.push(q.get(1, t).unsqueeze(1).matmul(s).squeeze(1));
        }
        ys.stack(1)
    }

    pub fn attention_loss(
        &self,
        q: &Tensor<f32, N, T, 4>,
        k: &Tensor<f32, N, T, 4>,
        v: &Tensor<f32, N, T, 4>,
    ) -> Tensor<f32> {
        self.attention(q, k, v).square().mean_all()
    }

    /// The same of five rounds, which are compiled one by one.
    pub fn five(&self, q: &Tensor<f32, N, 5, 4>, k: &Tensor<f32, N, 5, 4>, v: &Tensor<f32, N, 5, 4>) -> Tensor<f32> {
        let mut s = Tensor::zeros([N, 4, 4]);
        let mut ys = Vec::new();
        for t in 0..5 {
            s = s * self.decay.unsqueeze(1) + k.get(1, t).unsqueeze(2) * v.get(1, t).unsqueeze(1);
            ys.push(q.get(1, t).unsqueeze(1).matmul(s).squeeze(1));
        }
        ys.stack(1).square().mean_all()
    }

    /// A loop in a loop: each round mixes what the one before has left with all columns of its own row.
    pub fn nested(&self, x: &Tensor<f32, N, T, S>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            let row = x.get(1, t);
            let mut c = h * 0.5;
            for s in 0..S {
                c = (c + row.get(1, s)).tanh() * self.decay.get(0, 0);
            }
            h = h + c;
        }
        h.square().sum_all()
    }

    pub fn nested_one_by_one(&self, x: &Tensor<f32, N, 3, 2>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N]);
        for t in 0..3 {
            let row = x.get(1, t);
            let mut c = h * 0.5;
            for s in 0..2 {
                c = (c + row.get(1, s)).tanh() * self.decay.get(0, 0);
            }
            h = h + c;
        }
        h.square().sum_all()
    }

    /// Positions up to a length that calls bring.
    pub fn placed(&self, x: &Tensor<f32, T, 4>, positions: &Tensor<f32, 6, 4>) -> Tensor<f32, T, 4> {
        x + positions.narrow(0, 0, T) * Tensor::full(2.0, [T, 4]) + Tensor::arange(T, f32).unsqueeze(1)
    }
}

fn wave(count: usize, scale: f64, shift: f64) -> Vec<f32> {
    (0..count).map(|i| (scale * (0.37 * i as f64 + shift).sin()) as f32).collect()
}

fn lstm() -> Result<Lstm> {
    let mut model = Lstm::new(&device(), Seed(1))?;
    for (name, shape, scale, shift) in
        [("input", vec![4, 32], 0.5, 0.1), ("hidden", vec![8, 32], 0.4, 0.2), ("bias", vec![32], 0.3, 0.3)]
    {
        model.set_tensor(name, &floats(&wave(shape.iter().product(), scale, shift), &shape))?;
    }
    Ok(model)
}

/// What `tests/references/loops.py` knows of a tensor.
fn facts(values: &[f32]) -> Vec<f64> {
    let wide = || values.iter().map(|value| f64::from(*value));
    let norm = wide().map(|value| value * value).sum::<f64>().sqrt();
    let some = [0, values.len() / 2, values.len() - 1].map(|at| f64::from(values[at]));
    [wide().sum(), norm].into_iter().chain(some).collect()
}

#[test]
fn an_lstm_over_a_symbolic_axis_is_pytorchs() -> Result<()> {
    let references: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../references/loops.json")).expect("the script wrote it");
    everywhere(|| {
        let model = lstm()?;
        for reference in &references {
            let steps = reference["steps"].as_u64().expect("a number") as usize;
            let x = floats(&wave(3 * steps * 4, 1.0, 0.0), &[3, steps, 4]);
            let near = |name: &str, values: &[f32]| {
                let wanted = reference[name].as_array().expect("a list");
                for (found, wanted) in facts(values).iter().zip(wanted) {
                    let wanted = wanted.as_f64().expect("a number");
                    assert!(
                        (found - wanted).abs() <= 2e-4 * wanted.abs().max(1.0),
                        "T = {steps}, {name}: {found}, {wanted}"
                    );
                }
            };
            near("h", &model.last(&x)?.to_vec()?);
            let (loss, gradients) = model.loss_with_gradients(&x)?;
            let (loss, wanted) = (f64::from(loss.item::<f32>()?), reference["loss"].as_f64().expect("a number"));
            assert!((loss - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "T = {steps}: {loss}, {wanted}");
            for name in ["input", "hidden", "bias"] {
                near(name, &gradients.tensor(name)?.to_vec()?);
            }
        }
        Ok(())
    })
}

#[test]
fn memory_grows_with_the_rounds_and_launches_repeat_few_steps() -> Result<()> {
    use netcl::Target;
    for (target, which) in [(Target::Host, "each"), (Target::Cpu, "every 1024"), (Target::Gpu, "every 1024")] {
        let report = Lstm::report(target)?;
        assert!(report.contains(&format!("once for {which} of T rounds")), "{report}");
    }
    let device = Device::null(netcl::Target::Gpu, 1 << 30);
    let model = Lstm::new(&device, Seed(1))?;
    let mut peaks = Vec::new();
    for steps in [100, 200, 400] {
        let x = Tensor::zeros(&device, &[2, steps, 4], DType::F32)?;
        let before = device.buffer_pool().stats().in_use;
        let kept = model.loss_with_gradients(&x)?;
        peaks.push(device.buffer_pool().stats().in_use - before);
        drop(kept);
    }
    assert!(peaks[2] < 5 * peaks[0], "{peaks:?}");
    Ok(())
}

#[test]
fn launches_do_not_grow_with_the_rounds_but_every_1024() -> Result<()> {
    use netcl::Target;
    for target in [Target::Cpu, Target::Gpu] {
        let device = Device::null(target, 1 << 30);
        let (model, scans) = (Lstm::new(&device, Seed(1))?, Scans::new(&device, Seed(1))?);
        let launches = |steps: usize| -> Result<[u64; 2]> {
            let given = |shape: &[usize]| Tensor::zeros(&device, shape, DType::F32);
            let before = device.launches();
            model.loss_with_gradients(&given(&[2, steps, 4])?)?;
            let lstm = device.launches();
            let [q, k, v] = [(); 3].map(|()| given(&[2, steps, 4]));
            scans.attention_loss_with_gradients(&q?, &k?, &v?)?;
            Ok([lstm - before, device.launches() - lstm])
        };
        let few = launches(1)?;
        for steps in [7, 128, 1000] {
            assert_eq!(launches(steps)?, few, "{steps} rounds, {}", target.name());
        }
        // One more for each of the loops.
        assert_eq!(launches(1025)?, few.map(|few| few + 2), "{}", target.name());
    }
    Ok(())
}

/// The rounds of a kernel of which each has many launches' worth, in both forms of the loop.
#[test]
fn rounds_in_one_kernel_are_those_that_are_launched() -> Result<()> {
    use netcl::select::{KernelConfig, Variant};
    let close = |a: &Tensor, b: &Tensor| -> Result<()> {
        let (a, b) = (a.to_vec::<f32>()?, b.to_vec::<f32>()?);
        let norm = b.iter().map(|b| b * b).sum::<f32>().sqrt().max(1.0);
        a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() <= 1e-4 * norm, "{a}, {b}"));
        Ok(())
    };
    everywhere(|| {
        let (model, device) = (lstm()?, device());
        for (batch, steps) in [(1, 1), (2, 7), (300, 3), (2, 1100)] {
            let x = floats(&wave(batch * steps * 4, 1.0, 0.0), &[batch, steps, 4]);
            let [one, each] = [Variant::RecurrenceOneKernel, Variant::RecurrenceLaunches].map(|variant| {
                let _forced = device.selector().force(KernelConfig::plain(variant));
                model.loss_with_gradients(&x)
            });
            let ((loss, one), (wanted, each)) = (one?, each?);
            close(&loss, &wanted)?;
            for name in ["input", "hidden", "bias"] {
                close(&one.tensor(name)?, &each.tensor(name)?)?;
            }
        }
        Ok(())
    })
}

#[test]
fn scans_are_those_of_rounds_one_by_one() -> Result<()> {
    everywhere(|| {
        let model = Scans::new(&device(), Seed(1))?;
        let (sums, count) = model.sums(&floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]))?;
        assert_eq!((sums.shape(), sums.to_vec::<f32>()?), (&[2, 2][..], vec![2.0, 8.0, 5.0, 17.0]));
        assert_eq!(count.item::<f32>()?, 2.0);
        let (sums, count) = model.sums(&floats(&[1.0, 2.0], &[2, 1]))?;
        assert_eq!((sums.shape(), count.item::<f32>()?), (&[2, 0][..], 0.0));
        let (sums, total) = model.behind(&floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]))?;
        assert_eq!(sums.to_vec::<f32>()?, [6.0, 5.0, 3.0, 15.0, 11.0, 6.0]);
        assert_eq!(total.to_vec::<f32>()?, [11.0, 23.0]);
        let [q, k, v] = [0.0, 0.5, 1.0].map(|shift| floats(&wave(3 * 5 * 4, 1.0, shift), &[3, 5, 4]));
        let ((loss, own), (wanted, one_by_one)) =
            (model.attention_loss_with_gradients(&q, &k, &v)?, model.five_with_gradients(&q, &k, &v)?);
        let close = |a: f32, b: f32| assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a}, {b}");
        close(loss.item()?, wanted.item()?);
        let [own, wanted] =
            [own, one_by_one].map(|gradients| gradients.tensor("decay").and_then(|g| g.to_vec::<f32>()));
        own?.into_iter().zip(wanted?).for_each(|(a, b)| close(a, b));
        Ok(())
    })
}

#[test]
fn loops_stand_in_loops() -> Result<()> {
    everywhere(|| {
        let model = Scans::new(&device(), Seed(1))?;
        let x = floats(&wave(2 * 3 * 2, 1.0, 0.3), &[2, 3, 2]);
        let both = [model.nested_with_gradients(&x)?, model.nested_one_by_one_with_gradients(&x)?];
        let [(a, own), (b, wanted)] = both;
        let close = |a: f32, b: f32| assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a}, {b}");
        close(a.item()?, b.item()?);
        let [own, wanted] = [own, wanted].map(|gradients| gradients.tensor("decay").and_then(|g| g.to_vec::<f32>()));
        own?.into_iter().zip(wanted?).for_each(|(a, b)| close(a, b));
        Ok(())
    })
}

#[test]
fn a_slice_up_to_a_symbol_is_checked_at_each_call() -> Result<()> {
    everywhere(|| {
        let model = Scans::new(&device(), Seed(1))?;
        let positions = floats(&wave(24, 1.0, 0.0), &[6, 4]);
        let placed = model.placed(&floats(&[1.0; 12], &[3, 4]), &positions)?.to_vec::<f32>()?;
        let wanted: Vec<f32> = (0..12).map(|i| 1.0 + 2.0 * wave(24, 1.0, 0.0)[i] + (i / 4) as f32).collect();
        placed.iter().zip(&wanted).for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{a}, {b}"));
        let error = model.placed(&floats(&[1.0; 28], &[7, 4]), &positions).unwrap_err().to_string();
        assert!(error.contains("`narrow` takes 0..T = 7 along axis 0 of [6, 4]"), "{error}");
        Ok(())
    })
}

/// As many products in a round as make the one kernel of all rounds a long one.
#[netcl::model]
struct Deep {
    #[layer(inputs = 3, outputs = 3)]
    lines: [Linear; 7],
}

#[netcl::model]
impl Deep {
    fn round(&self, h: &Tensor<f32, N, 3>, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        let mut h = h + x;
        for line in &self.lines {
            h = line.forward(h).tanh();
        }
        h
    }

    pub fn rounds(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N, 3]);
        for t in 0..T {
            h = self.round(h, x.get(1, t));
        }
        h.square().sum_all()
    }

    pub fn written_out(&self, x: &Tensor<f32, N, 3, 3>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N, 3]);
        for t in 0..3 {
            h = self.round(h, x.get(1, t));
        }
        h.square().sum_all()
    }
}

#[test]
fn rounds_of_many_products_have_gradients() -> Result<()> {
    everywhere(|| {
        let net = Deep::new(&device(), Seed(6))?;
        let values: Vec<f32> = (0..18).map(|i| (i as f32 * 0.9).sin()).collect();
        let x = floats(&values, &[2, 3, 3]);
        let (loss, gradients) = net.rounds_with_gradients(&x)?;
        let (wanted, others) = net.written_out_with_gradients(&x)?;
        assert!((loss.item::<f32>()? - wanted.item::<f32>()?).abs() < 1e-6);
        for line in 0..7 {
            for part in ["weight", "bias"] {
                let path = format!("lines.{line}.{part}");
                let (own, other) = (gradients.tensor(&path)?.to_vec::<f32>()?, others.tensor(&path)?.to_vec::<f32>()?);
                for (own, other) in own.iter().zip(&other) {
                    assert!((own - other).abs() < 1e-6, "{path}: {own}, written out {other}");
                }
            }
        }
        Ok(())
    })
}

/// Words whose vectors each round looks up: at places of its own, and at such as it computes.
#[netcl::model]
struct Words {
    #[layer(entries = 700, features = 6)]
    table: Embedding,
}

#[netcl::model]
impl Words {
    fn round(&self, h: &Tensor<f32, N, 6>, at: &Tensor<u32, N>) -> Tensor<f32, N, 6> {
        (h * 0.5 + self.table.forward(at) * self.table.forward(at + 3)).tanh()
    }

    pub fn rounds(&self, ids: &Tensor<u32, N, T>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N, 6]);
        for t in 0..T {
            h = self.round(h, ids.get(1, t));
        }
        h.square().sum_all()
    }

    pub fn one_by_one(&self, ids: &Tensor<u32, N, 4>) -> Tensor<f32> {
        let mut h = Tensor::zeros([N, 6]);
        for t in 0..4 {
            h = self.round(h, ids.get(1, t));
        }
        h.square().sum_all()
    }
}

#[test]
fn rounds_that_look_up_rows_have_gradients() -> Result<()> {
    everywhere(|| {
        let model = Words::new(&device(), Seed(5))?;
        // Rows that several rounds read, and several places of one round.
        let ids = Tensor::from_slice(&device(), &[3u32, 7, 3, 696, 0, 3, 699, 0], &[2, 4])?;
        let ((a, own), (b, wanted)) = (model.rounds_with_gradients(&ids)?, model.one_by_one_with_gradients(&ids)?);
        let close = |a: f32, b: f32| assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a}, {b}");
        close(a.item()?, b.item()?);
        let of = |gradients: &Gradients| gradients.tensor("table.weight").and_then(|g| g.to_vec::<f32>());
        let (own, wanted) = (of(&own)?, of(&wanted)?);
        assert!(wanted.iter().any(|slope| *slope != 0.0));
        own.into_iter().zip(wanted).for_each(|(a, b)| close(a, b));
        Ok(())
    })
}
