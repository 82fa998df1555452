//! Names that generated code, OpenCL C and Rust itself could take are the user's.

use crate::common::{device, everywhere, floats};
use netcl::{Model, Result, Seed};

/// Arguments may be called as generated code might call its own.
mod arguments {
    netcl::kernel! {
        pub fn index(value: &Tensor<f32, N>, call: &Tensor<f32, N>, plans: f32, results: f32) -> Tensor<f32, N> {
            |n| value[n] * call[n] * plans * results
        }

        pub fn other(scalars: &Tensor<f32, N>, function: &Tensor<f32, N>, cotangent_0: f32) -> Tensor<f32, N> {
            |n| scalars[n] * function[n] * cotangent_0
        }

        #[launch(global = [N])]
        #[gradient(call)]
        pub fn items(value: &Tensor<f32, N>, pullback: &mut Tensor<f32, N>, plans: f32) {
            let i = global_id(0);
            if i < N { pullback[i] = value[i] * plans; }
        }

        #[allow(unused_variables, reason = "a gradient takes all inputs")]
        #[launch(global = [N])]
        pub fn call(value: &Tensor<f32, N>, plans: f32, cotangent_0: &Tensor<f32, N>, result_0: &mut Tensor<f32, N>) {
            let i = global_id(0);
            if i < N { result_0[i] = cotangent_0[i] * plans; }
        }

        /// OpenCL C has a word of that name.
        #[launch(global = [N])]
        pub fn double(r#in: &Tensor<f32, N>, r#out: &mut Tensor<f32, N>, r#type: f32) {
            let i = global_id(0);
            if i < N { out[i] = r#in[i] * 2.0 + r#type; }
        }

        pub fn r#move(r#in: &Tensor<f32, N>, r#type: f32) -> Tensor<f32, N> {
            |r#mod| r#in[r#mod] + r#type
        }
    }
}

/// Kernels may be called as what is generated for a model beside them might call its own.
mod kernels {
    netcl::kernel! {
        pub fn device(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 2.0 }
        pub fn seed(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 3.0 }
        pub fn target(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 4.0 }
        pub fn sizes(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 5.0 }
        pub fn options(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 6.0 }
        pub fn prefix(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 7.0 }
        pub fn args(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 8.0 }
        pub fn item(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 9.0 }
        pub fn items(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 10.0 }
    }

    /// A function of tensors is a static as well.
    #[netcl::function]
    pub fn id(h: &Tensor<f32, N>) -> Tensor<f32, N> {
        h * 11.0
    }

    #[netcl::model]
    pub struct Beside {
        #[parameter(init = 1.0)]
        by: Tensor<f32>,
    }

    #[netcl::model]
    impl Beside {
        pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            let x = device(seed(target(x))) + sizes(options(x)) + prefix(args(x)) + item(items(x)) + id(x);
            x * &self.by
        }
    }
}

#[test]
fn kernels_have_the_names_of_generated_arguments() -> Result<()> {
    everywhere(|| {
        let model = kernels::Beside::new(&device(), Seed(1))?;
        let wanted = 24.0 + 30.0 + 56.0 + 90.0 + 11.0;
        assert_eq!(model.forward(&floats(&[1.0], &[1]))?.to_vec::<f32>()?, [wanted]);
        assert!(!kernels::Beside::report(netcl::Target::Host)?.is_empty());
        Ok(())
    })
}

/// Arguments of a model's functions and fields of structs may be called as kernels and functions in scope, which are statics.
mod shadowing {
    netcl::kernel! {
        pub fn scale(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 2.0 }
    }

    #[netcl::function]
    pub fn shift(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x + 1.0
    }

    #[netcl::tensors]
    pub struct Scaled {
        pub scale: Tensor<f32, N>,
        pub shift: Tensor<f32>,
    }

    #[netcl::model]
    pub struct Shadowed {
        #[parameter(init = 1.0)]
        by: Tensor<f32>,
    }

    #[netcl::model]
    impl Shadowed {
        pub fn forward(&self, scale: &Tensor<f32, N>, shift: f32) -> Tensor<f32, N> {
            scale * &self.by + shift
        }

        /// The arguments that it is put together from have the names.
        pub fn pair(&self, (scale, shift): (&Tensor<f32, N>, &Tensor<f32>)) -> Scaled {
            Scaled { scale: scale * &self.by, shift: shift * 2.0 }
        }

        pub fn loss(&self, scale: &Tensor<f32, N>, shift: f32) -> Tensor<f32> {
            (scale * &self.by).sum_all() + shift
        }

        /// A kernel is called where no argument has its name.
        pub fn both(&self, shift: &Tensor<f32, N>) -> Tensor<f32, N> {
            scale(shift) * &self.by
        }
    }
}

#[test]
fn arguments_and_fields_have_the_names_of_kernels_in_scope() -> Result<()> {
    everywhere(|| {
        let model = shadowing::Shadowed::new(&device(), Seed(1))?;
        let (x, one) = (floats(&[1.0, -2.0], &[2]), floats(&[5.0], &[]));
        assert_eq!(model.forward(&x, 3.0)?.to_vec::<f32>()?, [4.0, 1.0]);
        let shadowing::Scaled { scale, shift } = model.pair((&x, &one))?;
        assert_eq!((scale.to_vec::<f32>()?, shift.item::<f32>()?), (vec![1.0, -2.0], 10.0));
        let (loss, gradients) = model.loss_with_gradients(&x, 3.0)?;
        assert_eq!((loss.item::<f32>()?, gradients.by()?.item::<f32>()?), (2.0, -1.0));
        assert_eq!(model.both(&x)?.to_vec::<f32>()?, [2.0, -4.0]);
        assert_eq!(shadowing::shift(&shadowing::scale(&x)?)?.to_vec::<f32>()?, [3.0, -3.0]);
        Ok(())
    })
}

/// Variables in capitals are no constants of other items.
#[allow(non_snake_case, reason = "what is tested")]
mod capitals {
    #[netcl::function]
    fn weighted(QK: f32, SCALE: f32) -> f32 {
        let NULL = QK * SCALE;
        NULL + QK
    }

    netcl::kernel! {
        pub fn indexed(QK: &Tensor<f32, N>, SCALE: f32) -> Tensor<f32, N> { |II| weighted(QK[II], SCALE) }

        #[launch(global = [N])]
        pub fn items(QK: &Tensor<f32, N>, MAXFLOAT: &mut Tensor<f32, N>) {
            let ID = global_id(0);
            if ID < N {
                let mut SUM = 0.0;
                for TILE in 0..2 { SUM += QK[ID] * (TILE as f32 + 1.0); }
                MAXFLOAT[ID] = SUM;
            }
        }
    }

    #[netcl::model]
    pub struct Scores {
        #[parameter(init = 2.0)]
        scale: Tensor<f32, 2>,
    }

    #[netcl::model]
    impl Scores {
        pub fn forward(&self, QK: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
            let NAN = QK * &self.scale;
            NAN.relu()
        }
    }
}

#[test]
fn variables_in_capitals_are_no_constants() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, -2.0], &[2]);
        assert_eq!(capitals::indexed(&x, 2.0)?.to_vec::<f32>()?, [3.0, -6.0]);
        assert_eq!(capitals::items(&x)?.to_vec::<f32>()?, [3.0, -6.0]);
        let scores = capitals::Scores::new(&device(), Seed(1))?;
        assert_eq!(scores.forward(&floats(&[1.0, -2.0], &[1, 2]))?.to_vec::<f32>()?, [2.0, 0.0]);
        Ok(())
    })
}

/// Names that Rust takes only with `r#`, and fields that differ by an underline.
#[netcl::model]
struct r#Raw {
    #[layer(inputs = 2, outputs = 2)]
    r#in: Linear,
    #[parameter(init = 1.0)]
    r#type: Tensor<f32, 2>,
    r#box: RawIn,
    #[layer(inputs = 2, outputs = 2)]
    fc1: Linear,
    #[layer(inputs = 2, outputs = 2)]
    fc_1: Linear,
}

#[netcl::model]
impl r#Raw {
    fn r#loop(&self, r#in: &Tensor<f32, N, 2>) -> Tensor<f32> {
        let r#mod = self.r#box.forward(&self.r#in.forward(r#in) * &self.r#type);
        self.fc_1.forward(&self.fc1.forward(r#mod)).mse_loss(r#in)
    }
}

/// Called as the gradients of `in` in `Raw` might be.
#[netcl::model]
struct RawIn {
    #[layer(inputs = 2, outputs = 2)]
    linear: Linear,
}

#[netcl::model]
impl RawIn {
    fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        self.linear.forward(x)
    }
}

#[test]
fn arguments_may_have_the_names_of_generated_code() -> Result<()> {
    everywhere(|| {
        use arguments::{double, index, items, r#move, other};
        let (x, ones) = (floats(&[2.0, 3.0], &[2]), floats(&[1.0; 2], &[2]));
        let (y, pullback) = index.vjp(&x, &ones, 2.0, 5.0)?;
        assert_eq!(y.to_vec::<f32>()?, [20.0, 30.0]);
        let (value, call) = pullback(&ones)?;
        assert_eq!((value.to_vec::<f32>()?, call.to_vec::<f32>()?), (vec![10.0; 2], vec![20.0, 30.0]));
        let (y, pullback) = other.vjp(&x, &ones, 0.5)?;
        assert_eq!(y.to_vec::<f32>()?, [1.0, 1.5]);
        assert_eq!(pullback(&ones)?.0.to_vec::<f32>()?, [0.5; 2]);
        let (y, pullback) = items.vjp(&x, 3.0)?;
        assert_eq!(y.to_vec::<f32>()?, [6.0, 9.0]);
        assert_eq!(pullback(&x)?.to_vec::<f32>()?, [6.0, 9.0]);
        assert_eq!(double(&x, 1.0)?.to_vec::<f32>()?, [5.0, 7.0]);
        assert_eq!(r#move(&x, 1.0)?.to_vec::<f32>()?, [3.0, 4.0]);
        Ok(())
    })
}

#[test]
fn raw_names_are_names() -> Result<()> {
    everywhere(|| {
        let raw = Raw::new(&device(), Seed(1))?;
        assert_eq!(raw.tensor("in.weight")?.shape(), &[2, 2]);
        assert_eq!(raw.tensor("box.linear.bias")?.shape(), &[2]);
        let (_, gradients) = raw.loop_with_gradients(&floats(&[1.0, 2.0], &[1, 2]))?;
        assert_eq!(gradients.r#in()?.weight.to_vec::<f32>()?, gradients.tensor("in.weight")?.to_vec::<f32>()?);
        assert_eq!(gradients.r#type()?.shape(), &[2]);
        assert_eq!(gradients.r#box()?.linear()?.bias.shape(), &[2]);
        assert_eq!(gradients.fc1()?.weight.to_vec::<f32>()?, gradients.tensor("fc1.weight")?.to_vec::<f32>()?);
        assert_eq!(gradients.fc_1()?.weight.to_vec::<f32>()?, gradients.tensor("fc_1.weight")?.to_vec::<f32>()?);
        Ok(())
    })
}

/// What a hook of a template calls its own: a model with such names computes what one with others does.
mod hooks {
    #[netcl::model]
    pub struct Hooked {
        #[layer(inputs = 6, outputs = 6)]
        pub value: Linear,
        #[layer(inputs = 1, outputs = 2, kernel = 3)]
        pub m: Conv2d,
    }

    #[netcl::model]
    impl Hooked {
        pub fn scores(&self, batch: &Tensor<f32, N, 6>, k: &Tensor<f32, N, 6>) -> Tensor<f32, N, N> {
            let value = self.value.forward(batch / 255.0) + batch;
            (value * 0.35).matmul((k * 0.5).t())
        }
        pub fn pixels(&self, n: &Tensor<f32, N, 1, 5, 5>, offset: &Tensor<f32, 1, 1, 1>) -> Tensor<f32, N, 2, 3, 3> {
            self.m.forward(n - offset).relu()
        }
    }

    #[netcl::model]
    pub struct Plain {
        #[layer(inputs = 6, outputs = 6)]
        pub layer: Linear,
        #[layer(inputs = 1, outputs = 2, kernel = 3)]
        pub conv: Conv2d,
    }

    #[netcl::model]
    impl Plain {
        pub fn scores(&self, x: &Tensor<f32, N, 6>, y: &Tensor<f32, N, 6>) -> Tensor<f32, N, N> {
            let z = self.layer.forward(x / 255.0) + x;
            (z * 0.35).matmul((y * 0.5).t())
        }
        pub fn pixels(&self, x: &Tensor<f32, N, 1, 5, 5>, y: &Tensor<f32, 1, 1, 1>) -> Tensor<f32, N, 2, 3, 3> {
            self.conv.forward(x - y).relu()
        }
    }
}

#[test]
fn names_of_hooks_are_the_users_too() -> Result<()> {
    everywhere(|| {
        let device = device();
        let (hooked, mut plain) = (hooks::Hooked::new(&device, Seed(1))?, hooks::Plain::new(&device, Seed(2))?);
        for (own, other) in [("value", "layer"), ("m", "conv")] {
            for tensor in ["weight", "bias"] {
                plain.set_tensor(&format!("{other}.{tensor}"), &hooked.tensor(&format!("{own}.{tensor}"))?)?;
            }
        }
        let numbers: Vec<f32> = (0..75).map(|i| (i as f32 * 0.37).sin()).collect();
        let (x, y) = (floats(&numbers[..18], &[3, 6]), floats(&numbers[18..36], &[3, 6]));
        assert_eq!(hooked.scores(&x, &y)?.to_vec::<f32>()?, plain.scores(&x, &y)?.to_vec::<f32>()?);
        let (images, shift) = (floats(&numbers, &[3, 1, 5, 5]), floats(&[0.25], &[1, 1, 1]));
        assert_eq!(hooked.pixels(&images, &shift)?.to_vec::<f32>()?, plain.pixels(&images, &shift)?.to_vec::<f32>()?);
        Ok(())
    })
}

/// Items that one macro makes stand at one place, and what is made for them is told apart.
mod made {
    macro_rules! made {
        ($($module:ident $cell:ident $factor:literal,)*) => {
            $(
                pub mod $module {
                    #[netcl::constant]
                    pub const OFFSET: f32 = 1.0;

                    #[netcl::function]
                    pub fn bend(x: f32) -> f32 {
                        x * $factor + OFFSET
                    }

                    #[netcl::model]
                    pub struct Cell {
                        #[parameter(init = 1.0)]
                        scale: Tensor<f32, 2>,
                    }

                    #[netcl::model]
                    impl Cell {
                        pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
                            bend(x * &self.scale)
                        }
                    }
                }

                #[netcl::model]
                pub struct $cell {
                    cell: $module::Cell,
                }

                #[netcl::model]
                impl $cell {
                    pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
                        self.cell.forward(x)
                    }
                }
            )*
        };
    }
    made!(doubled Double 2.0, halved Half 0.5,);
    made!(again Again 2.0,);
}

#[test]
fn items_that_one_macro_makes_are_several() -> Result<()> {
    everywhere(|| {
        let (device, x) = (device(), floats(&[2.0, 4.0], &[1, 2]));
        assert_eq!(made::Double::new(&device, Seed(1))?.forward(&x)?.to_vec::<f32>()?, [5.0, 9.0]);
        assert_eq!(made::Half::new(&device, Seed(1))?.forward(&x)?.to_vec::<f32>()?, [2.0, 3.0]);
        assert_eq!(made::again::Cell::new(&device, Seed(1))?.forward(&x)?.to_vec::<f32>()?, [5.0, 9.0]);
        assert_eq!(made::Again::new(&device, Seed(1))?.forward(&x)?.to_vec::<f32>()?, [5.0, 9.0]);
        Ok(())
    })
}

/// Kernels may be called as generated code might call what it binds.
mod bound {
    use netcl::prelude::*;

    netcl::kernel! {
        fn own(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 1.0 }
        fn core(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 2.0 }
        fn prefix(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 4.0 }
        fn all(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 8.0 }
        fn schema(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 16.0 }
        fn name(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 32.0 }
        fn plain(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 64.0 }
        fn variants(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 128.0 }
    }

    #[netcl::function]
    fn f(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x + 256.0
    }

    #[netcl::model]
    pub struct Part<A = Tanh> {
        act: A,
        #[parameter(init = 0.0)]
        by: Tensor<f32>,
    }

    #[netcl::model]
    impl<A> Part<A> {
        pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            let x = variants(plain(name(schema(self::all(prefix(core(own(x))))))));
            f(x) + &self.by + 0.0 * self.act.forward(x)
        }
    }

    #[netcl::model]
    pub struct Bound {
        parts: [Part<Relu>; 2],
    }

    #[netcl::model]
    impl Bound {
        pub fn loss(&self, x: &Tensor<f32, N>, twice: bool) -> Tensor<f32> {
            let mut h = x;
            for part in &self.parts {
                h = part.forward(h);
            }
            if twice { h.sum_all() * 2.0 } else { h.sum_all() }
        }
    }

    pub fn gradient(device: &Device) -> Result<[f32; 2]> {
        let model = Bound::new(device, Seed(1))?;
        let x = Tensor::from_slice(device, &[1.0f32, 2.0], &[2])?;
        let (loss, gradients) = model.loss_with_gradients(&x, true)?;
        Ok([loss.item()?, gradients.tensor("parts.1.by")?.item()?])
    }
}

#[test]
fn kernels_may_be_called_as_what_generated_code_binds() -> Result<()> {
    everywhere(|| {
        assert_eq!(bound::gradient(&device())?, [2.0 * (3.0 + 4.0 * 511.0), 4.0]);
        Ok(())
    })
}

/// Fields that are words of Rust's, in structs that functions take and give.
mod words {
    #[netcl::tensors]
    pub struct State {
        pub h: Tensor<f32, N, 2>,
        pub r#type: Tensor<f32, N, 2>,
    }

    #[netcl::tensors]
    pub struct Both {
        pub r#in: State,
        pub r#loop: (Tensor<f32, N, 2>, f32),
    }

    #[netcl::model]
    pub struct Words {
        #[parameter(init = 2.0)]
        by: Tensor<f32, 2>,
    }

    #[netcl::model]
    impl Words {
        fn turned(&self, s: &State) -> State {
            State { h: s.r#type * self.by, r#type: s.h }
        }

        pub fn step(&self, r#move: &Both) -> State {
            let State { h, r#type } = self.turned(&r#move.r#in);
            State { h: h * r#move.r#loop.1, r#type: r#type + r#move.r#loop.0 }
        }

        pub fn loss(&self, s: &State) -> Tensor<f32> {
            let s = self.turned(s);
            (s.h * s.r#type).sum_all()
        }
    }
}

#[test]
fn fields_of_structs_are_called_as_words_of_rust() -> Result<()> {
    everywhere(|| {
        let net = words::Words::new(&device(), Seed(1))?;
        let state = || words::State { h: floats(&[1.0, 2.0], &[1, 2]), r#type: floats(&[3.0, 4.0], &[1, 2]) };
        let both = words::Both { r#in: state(), r#loop: (floats(&[10.0, 20.0], &[1, 2]), 0.5) };
        let next = net.step(&both)?;
        assert_eq!(next.h.to_vec::<f32>()?, [3.0, 4.0]);
        assert_eq!(next.r#type.to_vec::<f32>()?, [11.0, 22.0]);
        let (loss, gradients) = net.loss_with_gradients(&state())?;
        assert_eq!(loss.item::<f32>()?, 2.0 * (3.0 + 8.0));
        assert_eq!(gradients.tensor("by")?.to_vec::<f32>()?, [3.0, 8.0]);
        Ok(())
    })
}
