//! Functions whose signatures have structs of tensors alone, and structs under other names.

use crate::common::{device, everywhere, floats, wave};
use netcl::prelude::*;

#[netcl::tensors]
pub struct State {
    h: Tensor<f32, N, 4>,
    c: Tensor<f32, N, 4>,
}

/// Of plain Rust.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    width: usize,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Narrow,
    Wide,
}

#[netcl::model]
pub struct Cell {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Cell {
    pub fn step(&self, s: &State) -> State {
        let c = s.c * 0.5 + self.line.forward(&s.h);
        State { c, h: c.tanh() }
    }

    /// Reads no field, and calls what does.
    pub fn twice(&self, s: &State) -> State {
        self.step(&self.step(s))
    }

    pub fn several(&self, s: &[State; 2]) -> (State, [State; 2]) {
        let [first, second] = s;
        (self.step(first), [self.twice(second), State { h: first.c, c: self.line.forward(&second.h) }])
    }

    /// A mode says that it is compiled, as a field that it reads does.
    #[mode(inference)]
    pub fn exchanged(&self, s: &State) -> State {
        State { h: s.c, c: s.h }
    }

    pub fn loss(&self, s: &State) -> Tensor<f32> {
        let s = self.twice(s);
        (s.h * 3.0 + s.c).sum_all()
    }

    pub fn settings(&self) -> Settings {
        Settings { width: 4 }
    }

    pub fn wider(&self, by: &Settings) -> Settings {
        Settings { width: self.settings().width + by.width }
    }

    pub fn kind(&self, of: &Settings) -> Kind {
        if of.width > 4 { Kind::Wide } else { Kind::Narrow }
    }

    /// It handles the failure, so it is Rust's own.
    pub fn tried(&self, s: &State) -> State {
        self.twice(s).unwrap()
    }

    pub fn tried_or_not(&self, s: &State) -> State {
        match self.twice(s) {
            Ok(twice) => twice,
            Err(_) => State { h: s.h.clone(), c: s.c.clone() },
        }
    }

    pub fn tried_else(&self, s: &State) -> State {
        if let Ok(twice) = self.twice(s) { twice } else { self.step(s).or_else(|_| self.step(s)).unwrap() }
    }
}

#[netcl::model]
pub struct Outer {
    #[layer]
    cell: Cell,
}

#[netcl::model]
impl Outer {
    pub fn step(&self, s: &State) -> State {
        self.cell.exchanged(&self.cell.twice(s))
    }
}

fn state() -> State {
    State { h: wave(&device(), &[2, 4]), c: wave(&device(), &[2, 4]) * 0.3 }
}

fn same(one: &State, other: &State) -> Result<()> {
    for (one, other) in [(&one.h, &other.h), (&one.c, &other.c)] {
        for (one, other) in one.to_vec::<f32>()?.iter().zip(other.to_vec::<f32>()?) {
            assert!((one - other).abs() < 1e-5, "{one} {other}");
        }
    }
    Ok(())
}

#[test]
fn signatures_of_structs_alone_are_compiled() -> Result<()> {
    everywhere(|| {
        let cell = Cell::new(&device(), Seed(1))?;
        let (weight, bias) = (cell.tensor("line.weight")?, cell.tensor("line.bias")?);
        let step = |s: &State| {
            let c = &s.c * 0.5 + s.h.matmul(&weight) + &bias;
            State { h: c.tanh(), c }
        };
        let s = state();
        let (one, two) = (step(&s), step(&step(&s)));
        same(&cell.step(&s)?, &one)?;
        same(&cell.twice(&s)?, &two)?;
        same(&cell.tried(&s), &two)?;
        same(&cell.tried_or_not(&s), &two)?;
        same(&cell.tried_else(&s), &two)?;
        same(&cell.exchanged(&s)?, &State { h: s.c.clone(), c: s.h.clone() })?;
        let (first, [second, third]) = cell.several(&[state(), one])?;
        same(&first, &step(&s))?;
        same(&second, &step(&two))?;
        same(&third, &State { h: s.c.clone(), c: step(&s).h.matmul(&weight) + &bias })?;
        let settings = cell.settings();
        assert_eq!((cell.wider(&settings).width, cell.kind(&settings)), (8, Kind::Narrow));
        let outer = Outer::new(&device(), Seed(1))?;
        let (weight, bias) = (outer.tensor("cell.line.weight")?, outer.tensor("cell.line.bias")?);
        let c = &s.c * 0.5 + s.h.matmul(&weight) + &bias;
        let c = &c * 0.5 + c.tanh().matmul(&weight) + &bias;
        same(&outer.step(&s)?, &State { c: c.tanh(), h: c })
    })
}

#[test]
fn losses_of_structs_alone_have_gradients() -> Result<()> {
    everywhere(|| {
        let mut cell = Cell::new(&device(), Seed(2))?;
        let s = state();
        let (_, gradients) = cell.loss_with_gradients(&s)?;
        let found = gradients.tensor("line.bias")?.to_vec::<f32>()?;
        let bias = cell.tensor("line.bias")?.to_vec::<f32>()?;
        for (position, found) in found.iter().enumerate() {
            let mut at = |by: f32| {
                let mut moved = bias.clone();
                moved[position] += by;
                cell.set_tensor("line.bias", &floats(&moved, &[4]))?;
                cell.loss(&s)?.item::<f32>()
            };
            let difference = (at(1e-2)? - at(-1e-2)?) / 2e-2;
            assert!((found - difference).abs() < 5e-3 * difference.abs().max(1.0), "{found} {difference}");
        }
        Ok(())
    })
}

mod first {
    #[netcl::tensors]
    pub struct Pair {
        pub a: Tensor<f32, N>,
        pub b: Tensor<f32, N>,
    }

    #[netcl::function]
    pub fn weighted(pair: &Pair) -> Tensor<f32, N> {
        pair.a * 10.0 + pair.b
    }

    #[netcl::function]
    pub fn made(x: &Tensor<f32, N>) -> Pair {
        Pair { a: x, b: x * 2.0 }
    }
}

/// One of the same name.
mod second {
    #[netcl::tensors]
    pub struct Pair {
        pub a: Tensor<f32, N>,
    }
}

use first::Pair as Both;

#[netcl::model]
pub struct Renamed {
    #[parameter(init = 1.0)]
    by: Tensor<f32>,
}

#[netcl::model]
impl Renamed {
    pub fn taken(&self, pair: &Both) -> Tensor<f32, N> {
        first::weighted(pair) * &self.by
    }

    /// Of a struct that the signature does not name.
    pub fn written(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        first::weighted(&Both { a: x, b: x * &self.by }) + first::weighted(&first::Pair { b: x, a: x })
    }

    pub fn given(&self, pair: &second::Pair) -> first::Pair {
        let made = first::made(pair.a * &self.by);
        Both { b: made.b + 1.0, a: made.a }
    }

    pub fn passed(&self, x: &Tensor<f32, N>) -> Both {
        first::made(x * &self.by)
    }
}

#[test]
fn structs_are_what_they_are_whatever_they_are_called() -> Result<()> {
    everywhere(|| {
        let model = Renamed::new(&device(), Seed(1))?;
        let x = floats(&[1.0, -2.0], &[2]);
        let pair = Both { a: x.clone(), b: &x * 3.0 };
        assert_eq!(model.taken(&pair)?.to_vec::<f32>()?, [13.0, -26.0]);
        assert_eq!(model.written(&x)?.to_vec::<f32>()?, [22.0, -44.0]);
        let given = model.given(&second::Pair { a: x.clone() })?;
        assert_eq!([given.a.to_vec::<f32>()?, given.b.to_vec::<f32>()?], [[1.0, -2.0], [3.0, -3.0]]);
        let passed = model.passed(&x)?;
        assert_eq!([passed.a.to_vec::<f32>()?, passed.b.to_vec::<f32>()?], [[1.0, -2.0], [2.0, -4.0]]);
        Ok(())
    })
}
