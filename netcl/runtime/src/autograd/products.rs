//! Products with the derivative of a function of tensors: of cotangents, and of tangents.

use crate::autograd::cut::{self, refuse_lost};
use crate::autograd::functional::Tracked;
use crate::autograd::noted::{AskedDerivative, NotedDerivative};
use crate::autograd::record::History;
use crate::autograd::records::Records;
use crate::autograd::trace::Direction;
use crate::compile::CompiledResults;
use crate::error::{Error, Result};
use crate::tensor::{AsTensors, Tensor};
use netcl_kernels::dim::Shape;
use std::panic::Location;

/// The value of `f`, and its pullback: from a cotangent of the value, of its shape and type, to the gradients of the sum of their product
/// in what `f` is a function of, which have the shapes of that. `f` is a function of a tensor, of an array or of a vector of them. It
/// gives tensors of any shape: one, several in a tuple, an array or a vector, or a [`Result`] of these, of which there are as many
/// cotangents.
///
/// ```
/// use netcl::{Device, Tensor, vjp};
/// let device = Device::host();
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3])?;
/// let (y, pullback) = vjp(&x, |x| x.square())?;
/// let cotangent = Tensor::from_slice(&device, &[1.0f32, 0.0, -1.0], &[3])?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 4.0, 9.0]);
/// assert_eq!(pullback(&cotangent)?.to_vec::<f32>()?, [2.0, 0.0, -6.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// What is computed with is what there was when `f` was called. Gradients are computed when they are needed; where something else is
/// tracked, or the cotangent is, they are differentiated again as other results are.
///
/// # Errors
///
/// Those of `f`; [`Error::Backward`] if a tensor or a result is not of floats, or something leads to a result of which no derivative is
/// recorded; [`Error::Unreached`] if the results do not depend on one of the tensors. The pullback: [`Error::Argument`] if a cotangent
/// has another shape, type or device than its result, [`Error::ArgumentCount`] if there are more or fewer of them.
#[track_caller]
#[allow(clippy::type_complexity, reason = "the pullback is a function, as that of a kernel's `vjp`")]
pub fn vjp<T, R, F>(of: &T, f: F) -> Result<(R::Given, impl Fn(&R::Given) -> Result<T> + use<T, R, F>)>
where
    T: AsTensors + CompiledResults<Given = T>,
    R: CompiledResults,
    F: FnOnce(&T) -> R,
{
    let caller = Location::caller();
    let FunctionCall { tracked, values, noted, given } = FunctionCall::new::<T, R, F>("vjp", of, f, caller)?;
    let positions = tracked.positions(&noted)?;
    let pullback = move |cotangents: &R::Given| {
        let cotangents = cotangents.clone().into_tensors()?;
        fit("pullback", "cotangent", &cotangents, &values)?;
        let asked = AskedDerivative { name: "vjp", direction: Direction::Backward, given: &cotangents, caller };
        T::from_tensors(noted.results(&asked, &positions)?).ok_or_else(other_number)
    };
    Ok((given, pullback))
}

/// The value of `f`, and its derivative in the direction `tangents`, of the shape and type of what `f` is a function of: how the value
/// moves with that, of the value's shape and type. What `f` takes and gives is as of [`vjp`].
///
/// ```
/// use netcl::{Device, Tensor, jvp};
/// let device = Device::host();
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3])?;
/// let direction = Tensor::from_slice(&device, &[0.0f32, 1.0, 0.5], &[3])?;
/// let (y, moved) = jvp(&x, &direction, |x| x.square().cumsum(0))?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 5.0, 14.0]);
/// assert_eq!(moved.to_vec::<f32>()?, [0.0, 4.0, 7.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// It costs about as much as the function: of the gradients that it is derived from nothing is left to compute.
///
/// # Errors
///
/// Those of [`vjp`]; [`Error::Argument`] if a tangent has another shape, type or device than its tensor, [`Error::ArgumentCount`] if
/// there are more or fewer of them; [`Error::Backward`] if a result depends on none of the tensors.
#[track_caller]
pub fn jvp<T, R, F>(of: &T, tangents: &T, f: F) -> Result<(R::Given, R::Given)>
where
    T: AsTensors + CompiledResults<Given = T>,
    R: CompiledResults,
    F: FnOnce(&T) -> R,
{
    let caller = Location::caller();
    let own: Vec<Tensor> = of.as_tensors().into_iter().cloned().collect();
    let all: Vec<Tensor> = tangents.as_tensors().into_iter().cloned().collect();
    fit("jvp", "tangent", &all, &own)?;
    let FunctionCall { tracked, values, noted, given } = FunctionCall::new::<T, R, F>("jvp", of, f, caller)?;
    // Of what leads to nothing the tangent does not matter.
    let mut reached: Vec<(usize, &Tensor)> =
        tracked.keys().zip(&all).filter_map(|(key, tangent)| Some((noted.position(key)?, tangent))).collect();
    reached.sort_by_key(|(position, _)| *position);
    let reached: Vec<Tensor> = reached.into_iter().map(|(_, tangent)| tangent.clone()).collect();
    let asked = AskedDerivative { name: "jvp", direction: Direction::Forward, given: &reached, caller };
    let all: Vec<usize> = (0..values.len()).collect();
    let moved = R::from_tensors(noted.results(&asked, &all)?).ok_or_else(other_number)?;
    Ok((given, moved))
}

/// A function that was called with tensors in which it is differentiated.
struct FunctionCall<G> {
    tracked: Tracked,
    /// As they are, with what they were computed from.
    values: Vec<Tensor>,
    noted: NotedDerivative,
    /// What the caller is given of them.
    given: G,
}

impl<G> FunctionCall<G> {
    fn new<T, R, F>(name: &'static str, of: &T, f: F, caller: &'static Location<'static>) -> Result<FunctionCall<G>>
    where
        T: AsTensors + CompiledResults<Given = T>,
        R: CompiledResults<Given = G>,
        F: FnOnce(&T) -> R,
    {
        let tracked = Tracked::of(of.as_tensors().into_iter(), name)?;
        let own = T::from_tensors(tracked.0.clone()).ok_or_else(other_number)?;
        let values = cut::resumed(|| f(&own)).into_tensors()?;
        let wanted = tracked.wanted();
        let mut histories: Vec<&History> = Vec::with_capacity(values.len());
        for (position, value) in values.iter().enumerate() {
            value.checked()?;
            let refused = |problem| Err(Error::Backward { operation: name, problem });
            if !value.dtype().is_float() {
                return refused(format!(
                    "only floats have derivatives, and result {position} is {} {:?}; give it beside the function, or convert it with `cast`",
                    value.dtype(),
                    value.shape()
                ));
            }
            histories.push(match value.history() {
                Some(history @ (History::Record(_) | History::Leaf(_))) => history,
                Some(History::Cut(own)) => {
                    let cuts = [own.clone()];
                    refuse_lost(&cuts)?;
                    return refused(format!(
                        "no gradient goes through {}, which leads to result {position}",
                        own.text()
                    ));
                }
                None => return refused(independent(position)),
            });
        }
        let records = Records::of(&histories, &wanted);
        let is_part = records.is_part;
        let Some(first) = values.first() else {
            return Err(Error::Backward { operation: name, problem: "the function gives no tensor".to_owned() });
        };
        let noted = NotedDerivative::of(&histories, records, &wanted, first.device())?;
        if let Some(position) = noted.first_without() {
            return Err(Error::Backward { operation: name, problem: independent(position) });
        }
        let is_part = is_part && !cut::is_paused();
        let given = values.iter().map(|value| if is_part { value.clone() } else { value.cut_off(name, caller) });
        let given = R::from_tensors(given.collect()).ok_or_else(other_number)?;
        Ok(FunctionCall { tracked, values, noted, given })
    }
}

fn independent(position: usize) -> String {
    format!("result {position} depends on nothing that it is to be differentiated in; give it beside the function")
}

/// Whether these go with those, one for each.
fn fit(function: &str, what: &str, found: &[Tensor], expected: &[Tensor]) -> Result<()> {
    if found.len() != expected.len() {
        let (function, expected) = (function.to_owned(), expected.len());
        return Err(Error::ArgumentCount { function, expected, found: found.len() });
    }
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        found.checked()?;
        let text = |tensor: &Tensor| format!("{}{}", tensor.dtype(), Shape::of(tensor.shape()));
        if found.dtype() != expected.dtype() || found.shape() != expected.shape() {
            return Err(Error::Argument {
                function: function.to_owned(),
                argument: format!("{what} {position}"),
                expected: text(expected),
                found: text(found),
            });
        }
        if found.device() != expected.device() {
            return Err(expected.device().mismatch(function, format!("{what} {position}"), found.device()));
        }
    }
    Ok(())
}

fn other_number() -> Error {
    let problem = "there is another number of tensors than before".to_owned();
    Error::Mismatch { operation: "vjp".to_owned(), problem }
}
