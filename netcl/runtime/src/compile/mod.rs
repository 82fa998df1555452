//! Functions of tensors that are compiled at run time: what they do is noted once, and called as one operation.

mod argument;
mod compiled_results;
mod frozen;

pub use argument::{Argument, Reference};
pub use compiled_results::CompiledResults;

use crate::autograd::{autocast, tracer};
use crate::error::{Error, Result};
use crate::hash::hash;
use crate::model::ModelCore;
use crate::tensor::stand_in::StandIn;
use crate::tensor::{Tensor, is_eager};
use argument::ArgumentPart;
use frozen::Frozen;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use netcl_kernels::precision::Precision;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// For how many kinds of arguments a function stays compiled: the least recently used go.
const KEPT: usize = 64;

/// A function of tensors, compiled: its operations are found once for arguments of certain types and shapes, and a call of it is one
/// operation, which waits, is fused with what is around it, and is differentiated as others are.
///
/// ```
/// use netcl::nn::{Layer, Mode};
/// use netcl::{Device, Seed, Tensor};
/// let device = Device::host();
/// let layer = Layer::new(&device, Seed(1), "Linear", &[("inputs", 2.into()), ("outputs", 3.into())])?;
/// let f = netcl::compile(|layer: &Layer, x: &Tensor| layer.forward(&[x], Mode::Inference).relu());
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let y = f.call(&layer, &x)?;
/// assert_eq!(y.to_vec::<f32>()?, layer.forward(&[&x], Mode::Inference).relu().to_vec::<f32>()?);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// What it computes with are its arguments ([`Argument`]): tensors and models are given at each call, with what is in them then, and
/// numbers are part of what a plan is found by. It captures only what is `Copy + 'static`, by `move`, which rustc checks. For other
/// types, shapes or numbers, or a model that has moved, the function runs again, so that it must do nothing else besides; what was found for
/// the last 64 kinds of arguments stays in memory. It may give several tensors ([`CompiledResults`]).
///
/// What this gives is a [`Compiled`] of the function and of its arguments' types, as in `Compiled<F, (Network, Tensor)>`.
///
/// While it is compiled, it is called with tensors that have no values. What needs one (`item`, `to_vec`, functions that
/// annotations have compiled, `backward`) is an error of the call. What the function makes itself of no argument is made then, once.
///
/// A function is called as it stands, and not compiled, where a layer changes states ([`crate::nn::Mode::Training`] of `BatchNorm`), in another
/// compiled function, and with `NETCL_EAGER`; where there are gradients, also if it uses [`crate::no_grad`] or layers in
/// [`crate::nn::Mode::Inference`].
#[track_caller]
pub fn compile<F, A>(function: F) -> <F::Results as CompiledResults>::Told<A::Compiled<F>>
where
    F: Compilable<A>,
    A: Arguments,
    F::Results: CompiledResults,
{
    <F::Results as CompiledResults>::told(A::compiled(function))
}

/// A compiled function: [`compile`] gives it.
pub struct Compiled<F, A> {
    function: F,
    known: Mutex<Recent<KnownFunction>>,
    arguments: PhantomData<fn(A)>,
}

/// A function that can be compiled: of one to six arguments `A`, which captures nothing that changes.
#[diagnostic::on_unimplemented(
    message = "this cannot be compiled",
    label = "expected a function of one to six arguments, which captures numbers alone",
    note = "write the types of its arguments, as `|net: &Network, x: &Tensor| ..`",
    note = "tensors and models that it captures are given to it as arguments; numbers are captured by `move`"
)]
pub trait Compilable<A> {
    /// What it gives: [`CompiledResults`].
    type Results;
}

/// The arguments of a function that can be compiled: a tuple of references to [`Argument`]s.
pub trait Arguments {
    /// [`Compiled`] of the function. Rustc knows none where an argument is a mistake, so that it says nothing of calls as well.
    type Compiled<F>;

    #[doc(hidden)]
    fn compiled<F>(function: F) -> Self::Compiled<F>;
}

/// For arguments of some types and shapes.
struct KnownFunction {
    hash: u64,
    key: Key,
    /// `None` where it is called as it stands.
    frozen: Option<Arc<Frozen>>,
}

/// Makes other tensors of those among the arguments.
type Replace<'a> = &'a mut dyn FnMut(&Tensor) -> Tensor;

type Key = SmallVec<[KeyPart; 4]>;

/// What is looked at of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum KeyPart {
    Tensor(DType, Arc<[usize]>, u32),
    /// The number of its memory, and where in it its paths start.
    Model(u64, Box<str>),
    Bits(u64),
    /// What the call is in, beside its arguments.
    Precision(Precision),
}

/// The arguments of a call.
#[derive(Default)]
struct GivenArguments<'a> {
    key: Key,
    tensors: SmallVec<[&'a Tensor; 4]>,
    models: SmallVec<[&'a ModelCore; 2]>,
}

impl<'a> GivenArguments<'a> {
    fn of(args: &[&'a dyn VisitedArgument]) -> GivenArguments<'a> {
        let mut given = GivenArguments::default();
        given.key.push(KeyPart::Precision(autocast::current()));
        for arg in args {
            arg.visit_parts(&mut |part| {
                given.key.push(match part {
                    ArgumentPart::Tensor(tensor) => {
                        given.tensors.push(tensor);
                        KeyPart::Tensor(tensor.dtype(), tensor.shared_shape().clone(), tensor.device().id())
                    }
                    ArgumentPart::Model(core, prefix) => {
                        given.models.push(core);
                        KeyPart::Model(core.store().id(), prefix.into())
                    }
                    ArgumentPart::Bits(bits) => KeyPart::Bits(bits),
                });
            });
        }
        given
    }
}

/// An argument whose type is not known here.
trait VisitedArgument {
    fn check_parts(&self) -> Result<()>;
    fn visit_parts<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>));
}

impl<A: Argument> VisitedArgument for A {
    fn check_parts(&self) -> Result<()> {
        self.check()
    }

    fn visit_parts<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
        self.visit(visit);
    }
}

impl<F, A> Compiled<F, A> {
    /// Calls it: `function` with other tensors for those of its arguments, or with none.
    fn called<R: CompiledResults>(
        &self,
        args: &[&dyn VisitedArgument],
        function: impl Fn(Option<Replace<'_>>) -> R,
        caller: &'static Location<'static>,
    ) -> Result<R::Given> {
        args.iter().try_for_each(|arg| arg.check_parts())?;
        let as_it_stands = || R::from_tensors(checked(function(None).into_tensors()?)?).ok_or_else(no_result);
        if is_eager() || tracer::is_active() {
            return as_it_stands();
        }
        let given = GivenArguments::of(args);
        given.tensors.iter().try_for_each(|tensor| tensor.checked())?;
        let hash = hash(&given.key);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().find(|known| known.hash == hash && known.key == given.key).map(|known| known.frozen.clone());
        let frozen = match known {
            Some(frozen) => frozen,
            None => {
                let frozen = frozen(&given, function_with(&function), caller)?.map(Arc::new);
                let surplus = lock().add(KnownFunction { hash, key: given.key.clone(), frozen: frozen.clone() });
                drop(surplus);
                frozen
            }
        };
        let results = frozen.map(|frozen| frozen.call(&given.tensors, &given.models, caller)).transpose()?.flatten();
        results.map_or_else(as_it_stands, |results| R::from_tensors(checked(results)?).ok_or_else(no_result))
    }
}

/// The results of a function as a list, with other tensors for those of its arguments.
fn function_with<'a, R: CompiledResults>(
    function: &'a impl Fn(Option<Replace<'_>>) -> R,
) -> impl Fn(Replace<'_>) -> Result<Vec<Tensor>> + 'a {
    |replace| function(Some(replace)).into_tensors()
}

/// What the function does; `None` where it is to be called as it stands.
fn frozen(
    given: &GivenArguments<'_>,
    function: impl Fn(Replace<'_>) -> Result<Vec<Tensor>>,
    caller: &'static Location<'static>,
) -> Result<Option<Frozen>> {
    let is_asked = Arc::new(AtomicBool::new(false));
    let mut stand_ins = Vec::with_capacity(given.tensors.len());
    let mut replace = |tensor: &Tensor| {
        let stand_in = StandIn::of(tensor, caller, &is_asked);
        stand_ins.push(stand_in.clone());
        stand_in
    };
    // What it makes is no part of a recording, which repeats what it does with that.
    let (results, tracing) = crate::recording::suspended(|| tracer::trace(|| function(&mut replace)));
    if tracing.as_it_stands {
        return Ok(None);
    }
    let is_asked = is_asked.load(Ordering::Relaxed);
    if let (true, Some(name)) = (is_asked, &tracing.called) {
        return Err(tracer::compiled_already(name));
    }
    let results = checked(results?)?;
    if is_asked {
        return Err(tracer::needed(tracer::Untraceable::Value));
    }
    Frozen::new(&given.tensors, &given.models, &stand_ins, &results, &tracing).map(Some)
}

/// The tensors, unless one of them could not be computed.
fn checked(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().try_for_each(Tensor::checked)?;
    Ok(tensors)
}

fn no_result() -> Error {
    let problem = "it gives another number of tensors than when it was compiled; give as many at each call".to_owned();
    Error::Mismatch { operation: "compile".to_owned(), problem }
}

/// The type, if these are references to arguments.
macro_rules! told {
    ($type:ty;) => { $type };
    ($type:ty; $first:ident $($rest:ident)*) => { $first::Told<told!($type; $($rest)*)> };
}

/// A value of it.
macro_rules! told_value {
    ($value:expr;) => { $value };
    ($value:expr; $first:ident $($rest:ident)*) => { $first::told(told_value!($value; $($rest)*)) };
}

macro_rules! arities {
    ($(($($type:ident $name:ident),+))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F, R, $($type),+> Compilable<($($type,)+)> for F
        where
            F: Fn($($type),+) -> R + Copy + 'static,
        {
            type Results = R;
        }

        impl<$($type: Reference),+> Arguments for ($($type,)+) {
            type Compiled<Function> = told!(Compiled<Function, ($($type::To,)+)>; $($type)+);

            fn compiled<Function>(function: Function) -> Self::Compiled<Function> {
                let compiled = Compiled { function, known: Mutex::new(Recent::new(KEPT)), arguments: PhantomData };
                told_value!(compiled; $($type)+)
            }
        }

        impl<F, R, $($type),+> Compiled<F, ($($type,)+)>
        where
            F: Fn($(&$type),+) -> R + Copy + 'static,
            R: CompiledResults,
            $($type: Argument),+
        {
            /// What it gives of these arguments, to be computed when it is needed.
            ///
            /// # Errors
            ///
            /// [`Error::Operation`] if an operation in it is a mistake, or an argument is; [`Error::Assigned`] where a field of a
            /// model was; [`Error::Mismatch`] if it needs a value while
            /// it is compiled, or uses a tensor of a model that is no argument; those that it gives itself.
            #[track_caller]
            #[allow(clippy::too_many_arguments, reason = "those of the function")]
            pub fn call(&self, $($name: &$type),+) -> Result<R::Given> {
                let function = |replace: Option<Replace<'_>>| match replace {
                    None => (self.function)($($name),+),
                    Some(replace) => {
                        $(let other = $name.with_tensors(replace);
                        let $name = other.as_ref().unwrap_or($name);)+
                        (self.function)($($name),+)
                    }
                };
                self.called(&[$($name as &dyn VisitedArgument),+], function, Location::caller())
            }
        }
    )*};
}

arities! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, G g)
}

impl<F, A> std::fmt::Debug for Compiled<F, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).values().len();
        f.debug_struct("Compiled").field("known", &known).finish_non_exhaustive()
    }
}
