//! What the arms of `match` compute on enums of layers: each variant takes the arm that Rust would take.

use netcl::prelude::*;

#[netcl::constant]
const LIMIT: usize = 3;

#[derive(Clone, Copy)]
pub enum Way {
    First,
    Second,
}

#[netcl::model]
pub enum Kind {
    Plain,
    #[layer(inputs = 2, outputs = 2, init = 1.0, bias = false)]
    Line(Linear),
    #[layer(inputs = 2, outputs = 2, init = 2.0, bias = false)]
    Other(Linear),
    Gated {
        #[layer(inputs = 2, outputs = 2, init = 3.0, bias = false)]
        gate: Linear,
    },
}

#[netcl::model]
impl Kind {
    pub fn bound(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        match self {
            Kind::Line(line) | Kind::Other(line) | Kind::Gated { gate: line } => line.forward(x),
            Kind::Plain => x,
        }
    }

    pub fn tuple(&self, x: &Tensor<f32, N, 2>, up: bool) -> Tensor<f32, N, 2> {
        match (self, up) {
            (Kind::Plain, true) => x * 10.0,
            (Kind::Line(line) | Kind::Other(line), _) => line.forward(x),
            (_, false) => x * 20.0,
            (Kind::Gated { .. }, true) => x * 30.0,
        }
    }

    pub fn conditional(&self, x: &Tensor<f32, N, 2>, up: bool, k: usize) -> Tensor<f32, N, 2> {
        match self {
            Kind::Plain | Kind::Gated { .. } if up => x * 3.0,
            Kind::Line(line) | Kind::Other(line) if k == LIMIT => line.forward(x),
            Kind::Plain => x * 5.0,
            _ => x * 7.0,
        }
    }

    pub fn either(&self, x: &Tensor<f32, N, 2>, k: usize, j: usize) -> Tensor<f32, N, 2> {
        match (k, j) {
            (n, _) | (_, n) if n == 1 => x * 2.0,
            (LIMIT, _) => x * 4.0,
            _ => x,
        }
    }

    pub fn way(&self, x: &Tensor<f32, N, 2>, way: Way) -> Tensor<f32, N, 2> {
        match (self, way) {
            (Kind::Plain, Way::First) => x,
            (Kind::Plain, Way::Second) => x * 2.0,
            (Kind::Line(line) | Kind::Other(line), _) => line.forward(x),
            (Kind::Gated { .. }, _) => x * 4.0,
        }
    }
}

#[test]
fn each_variant_takes_its_arm() -> Result<()> {
    let device = Device::host();
    let x = Tensor::full(&device, 1f32, &[1, 2])?;
    let first = |y: Tensor| Ok::<f32, netcl::Error>(y.to_vec::<f32>()?[0]);
    for (name, bound, tuple, conditional, way) in [
        ("Plain", 1.0, [10.0, 20.0], [3.0, 3.0, 5.0], [1.0, 2.0]),
        ("Line", 2.0, [2.0, 2.0], [2.0, 7.0, 7.0], [2.0, 2.0]),
        ("Other", 4.0, [4.0, 4.0], [4.0, 7.0, 7.0], [4.0, 4.0]),
        ("Gated", 6.0, [30.0, 20.0], [3.0, 3.0, 7.0], [4.0, 4.0]),
    ] {
        let kind = Kind::with_variants(&device, Seed(1), &[("", name)])?;
        assert_eq!(first(kind.bound(&x)?)?, bound, "{name}");
        assert_eq!([first(kind.tuple(&x, true)?)?, first(kind.tuple(&x, false)?)?], tuple, "{name}");
        let mut found = Vec::new();
        for (up, k) in [(true, 3), (true, 2), (false, 2)] {
            found.push(first(kind.conditional(&x, up, k)?)?);
        }
        assert_eq!(found, conditional, "{name}");
        let mut found = Vec::new();
        for (k, j) in [(1, 0), (0, 1), (3, 0), (2, 2)] {
            found.push(first(kind.either(&x, k, j)?)?);
        }
        assert_eq!(found, [2.0, 2.0, 4.0, 1.0], "{name}");
        assert_eq!([first(kind.way(&x, Way::First)?)?, first(kind.way(&x, Way::Second)?)?], way, "{name}");
    }
    Ok(())
}
