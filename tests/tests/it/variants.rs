//! Enums of layers, beside the same models written without them: which variant a part is, fields say or each model, and functions
//! go the way of that.

use crate::common::{devices, wave};
use netcl::optim::{Optimizer, Sgd};
use netcl::{Device, Model, Result, Seed};

/// What follows a layer.
#[netcl::model]
#[derive(Clone)]
pub enum Act<const C: usize> {
    Relu,
    #[default]
    #[layer(inputs = C, outputs = C)]
    Gelu(Linear),
    Gated {
        #[layer(inputs = C, outputs = C)]
        gate: Linear,
        #[parameter(init = 0.5)]
        shift: Tensor<f32, C>,
    },
    Deep(Inner<C>),
    Two(#[layer(inputs = C, outputs = C, init = 2.0)] Linear, #[layer(features = C)] LayerNorm),
}

#[netcl::model]
impl<const C: usize> Act<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        match self {
            Act::Relu => x.relu(),
            Act::Gelu(line) => line.forward(x).gelu(),
            Self::Gated { gate, shift: by } => x * gate.forward(x).sigmoid() + by,
            Act::Deep(inner) => inner.forward(x),
            Act::Two(.., norm) => norm.forward(x),
        }
    }

    pub fn loss(&self, x: &Tensor<f32, N, C>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

#[netcl::model]
#[derive(Clone)]
pub struct Inner<const C: usize> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
}

#[netcl::model]
impl<const C: usize> Inner<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.line.forward(x).tanh()
    }
}

/// A block for whatever stands behind its layer.
#[netcl::model]
pub struct Block<const C: usize, A> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
    act: A,
}

#[netcl::model]
impl<const C: usize, A> Block<C, A> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.act.forward(self.line.forward(x))
    }
}

#[netcl::model]
pub struct Net {
    free: Block<8, Act<8>>,
    #[layer(variant = [Relu, Gated, Deep])]
    acts: [Act<8>; 3],
    #[layer(variant = [Two, Gelu])]
    more: Vec<Act<8>>,
    #[frozen]
    #[layer(variant = Gated)]
    last: Act<8>,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let mut h = self.free.forward(x);
        for act in &self.acts {
            h = act.forward(h);
        }
        for act in &self.more {
            h = act.forward(h);
        }
        // From outside, too.
        if let Act::Gated { shift, .. } = &self.last {
            h = h * shift;
        }
        self.last.forward(h).square().mean_all()
    }
}

/// The same without enums.
#[netcl::model]
pub struct Plain {
    #[layer(inputs = 8, outputs = 8, count = 5)]
    lines: Vec<Linear>,
    #[layer(features = 8)]
    norm: LayerNorm,
    #[parameter]
    shift: Tensor<f32, 8>,
    #[frozen]
    #[layer(inputs = 8, outputs = 8)]
    last: Linear,
    #[frozen]
    #[parameter]
    by: Tensor<f32, 8>,
}

#[netcl::model]
impl Plain {
    pub fn loss(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32> {
        let mut h = self.lines[0].forward(x);
        h = if deep { self.lines[1].forward(h).tanh() } else { h.relu() };
        h = h.relu();
        h = h * self.lines[2].forward(h).sigmoid() + &self.shift;
        h = self.lines[3].forward(h).tanh();
        h = self.norm.forward(h);
        h = self.lines[4].forward(h).gelu();
        h = h * &self.by;
        (h * self.last.forward(h).sigmoid() + &self.by).square().mean_all()
    }
}

/// Where the tensors of `Plain` are in a `Net` whose free part is that variant.
const PLACES: [(&str, &str); 6] = [
    ("lines.0", "free.line"),
    ("lines.2", "acts.1.gated_gate"),
    ("lines.3", "acts.2.deep.line"),
    ("norm", "more.0.two_1"),
    ("lines.4", "more.1.gelu"),
    ("last", "last.gated_gate"),
];

#[test]
fn a_model_goes_the_way_of_its_variants() -> Result<()> {
    let host = Device::host();
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1e-2));
    for device in devices() {
        // Drivers take long to build programs: one way is enough for them.
        let ways = [("Deep", true), ("Relu", false)].into_iter().take(if device == host { 2 } else { 1 });
        for (variant, deep) in ways {
            let net = Net::with_variants(&device, Seed(3), &[("free.act", variant)])?;
            let mut plain = Plain::new(&host, Seed(5))?;
            let mut places: Vec<(String, String)> = vec![
                ("shift".to_owned(), "acts.1.gated_shift".to_owned()),
                ("by".to_owned(), "last.gated_shift".to_owned()),
            ];
            let deeper = deep.then_some(("lines.1", "free.act.deep.line"));
            for (own, there) in PLACES.into_iter().chain(deeper) {
                places.extend(["weight", "bias"].map(|name| (format!("{own}.{name}"), format!("{there}.{name}"))));
            }
            for (own, there) in &places {
                plain.set_tensor(own, &net.tensor(there)?)?;
            }
            let (loss, gradients) = net.loss_with_gradients(&wave(&device, &[3, 8]))?;
            let (expected, own) = plain.loss_with_gradients(&wave(&host, &[3, 8]), deep)?;
            assert!(near(&[loss.item()?], &[expected.item()?]), "{variant} on {device}");
            for (path, there) in &places {
                let (one, other) = (gradients.tensor(there)?.to_vec::<f32>()?, own.tensor(path)?.to_vec::<f32>()?);
                assert!(near(&one, &other), "{there} of {variant} on {device}: {one:?} {other:?}");
            }
            assert_eq!(gradients.tensor("last.gated_gate.weight")?.to_vec::<f32>()?, [0.0; 64]);
        }
    }
    Ok(())
}

#[test]
fn a_model_has_the_tensors_of_its_variants() -> Result<()> {
    let device = Device::host();
    let x = wave(&device, &[2, 8]);
    for (variant, tensors) in [("Relu", 0), ("Gelu", 2), ("Gated", 3), ("Deep", 2), ("Two", 4)] {
        let mut act = Act::<8>::with_variants(&device, Seed(1), &[("", variant)])?;
        assert_eq!((act.variant("")?, act.parameters().len()), (variant, tensors));
        let (before, gradients) = act.loss_with_gradients(&x)?;
        assert_eq!(gradients.gelu()?.is_some(), variant == "Gelu");
        assert_eq!(gradients.deep()?.is_some(), variant == "Deep");
        assert_eq!(gradients.tensors().len(), tensors);
        Sgd::new(0.1).step(&mut act, &gradients)?;
        assert!(act.loss(&x)?.item::<f32>()? <= before.item::<f32>()?);
        let net = Net::with_variants(&device, Seed(1), &[("free.act", variant)])?;
        let copy = net.free.act.deep_copy()?;
        assert_eq!(copy.variant("")?, variant);
        assert_eq!(copy.forward(&x)?.to_vec::<f32>()?, net.free.act.forward(&x)?.to_vec::<f32>()?);
    }
    assert_eq!(Net::new(&device, Seed(1))?.variant("free.act")?, "Gelu");
    Ok(())
}

#[test]
fn a_file_is_of_models_with_its_variants() -> Result<()> {
    let device = Device::host();
    let file = std::env::temp_dir().join(format!("netcl-variants-{}.safetensors", std::process::id()));
    let gated = Act::<8>::with_variants(&device, Seed(1), &[("", "Gated")])?;
    netcl::io::save(&gated, &file)?;
    let mut same = Act::<8>::with_variants(&device, Seed(2), &[("", "Gated")])?;
    netcl::io::load(&mut same, &file)?;
    let x = wave(&device, &[2, 8]);
    assert_eq!(same.forward(&x)?.to_vec::<f32>()?, gated.forward(&x)?.to_vec::<f32>()?);
    let wrong = netcl::io::load(&mut Act::<8>::new(&device, Seed(2))?, &file).unwrap_err().to_string();
    assert!(wrong.contains("gelu.weight"), "{wrong}");
    std::fs::remove_file(file).ok();
    Ok(())
}

#[test]
fn wrong_variants_are_told() {
    let of =
        |variants: &[(&str, &str)]| Net::with_variants(&Device::host(), Seed(1), variants).err().map(|e| e.to_string());
    let said = |variants: &[(&str, &str)]| of(variants).unwrap_or_default();
    assert!(said(&[("free.act", "Tanh")]).contains("for `free.act` one of `Relu`, `Gelu`, `Gated`, `Deep`, `Two`"));
    assert!(said(&[("last", "Relu")]).contains("for `last` `Gated`, as its field says"));
    assert!(said(&[("act", "Relu")]).contains("paths of enums of layers: `free.act`, `acts.0`"));
    assert!(of(&[("last", "Gated")]).is_none());
}

/// A window of its own for each variant: functions are compiled where the numbers are.
#[netcl::model]
pub enum Filter<const C: usize, const K: usize> {
    #[layer(inputs = C, outputs = C, kernel = K)]
    Window(Conv2d),
    #[layer(kernel = K, stride = 1)]
    Pool(MaxPool2d),
}

#[netcl::model]
impl<const C: usize, const K: usize> Filter<C, K> {
    pub fn forward(&self, x: &Tensor<f32, N, C, 6, 6>, twice: bool) -> Tensor<f32, N, C, { 7 - K }, { 7 - K }> {
        let h = match self {
            Filter::Window(filter) => filter.forward(x),
            Filter::Pool(pool) => pool.forward(x),
        };
        if twice { h * 2.0 } else { h }
    }
}

#[netcl::model]
pub type Three = Filter<2, 3>;

#[netcl::model]
pub struct Outer<const C: usize> {
    filter: Filter<C, 3>,
}

#[netcl::model]
impl<const C: usize> Outer<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, 6, 6>) -> Tensor<f32, N, C, 4, 4> {
        self.filter.forward(x, true)
    }
}

#[test]
fn numbers_and_variants_choose_together() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[1, 2, 6, 6]);
        for variant in ["Window", "Pool"] {
            let one = Three::with_variants(&device, Seed(1), &[("", variant)])?;
            let mut other = Outer::<2>::with_variants(&device, Seed(2), &[("filter", variant)])?;
            for (path, tensor) in one.parameters() {
                other.set_tensor(&format!("filter.{path}"), &tensor)?;
            }
            let (once, twice) = (one.forward(&x, false)?.to_vec::<f32>()?, one.forward(&x, true)?.to_vec::<f32>()?);
            assert_eq!(once.iter().map(|x| 2.0 * x).collect::<Vec<_>>(), twice);
            assert_eq!(other.forward(&x)?.to_vec::<f32>()?, twice, "{variant} on {device}");
            if variant == "Pool" {
                let given = x.to_vec::<f32>()?;
                let window = (0..3).flat_map(|r| (0..3).map(move |c| 6 * r + c)).map(|at| given[at]);
                assert_eq!(once[0], window.fold(f32::MIN, f32::max));
            }
        }
    }
    Ok(())
}

/// An enum by another name than its own, which is known in this module alone.
mod renamed {
    use super::Act as Renamed;

    #[netcl::model]
    pub struct Chain<const R: usize> {
        act: Renamed<4>,
        #[layer(inputs = 4, outputs = 4, present = R > 0)]
        line: Option<Linear>,
    }

    #[netcl::model]
    impl<const R: usize> Chain<R> {
        pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
            let h = match &self.line {
                Some(line) => line.forward(x),
                None => x * 2.0,
            };
            match &self.act {
                Renamed::Relu => h,
                _ => self.act.forward(h),
            }
        }
    }
}

#[netcl::model]
type WithoutLine = renamed::Chain<0>;

#[test]
fn arms_name_an_enum_as_their_module_does() -> Result<()> {
    for device in devices() {
        let x = wave(&device, &[2, 4]);
        let model = WithoutLine::with_variants(&device, Seed(1), &[("act", "Relu")])?;
        let twice: Vec<f32> = x.to_vec::<f32>()?.iter().map(|x| 2.0 * x).collect();
        assert_eq!(model.forward(&x)?.to_vec::<f32>()?, twice, "on {device}");
    }
    Ok(())
}
