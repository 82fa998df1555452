//! What a body gives, beside what its function declares.

use super::advice_kinds::own_is_called;
use super::{Lowering, Val};
use crate::ast::{DimToken, FunctionItem, TensorType};
use crate::messages as m;
use crate::parts::{Composite, Declared};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::equality::Equality;
use netcl_kernels::graph::{NodeId, Op, OutputKind};
use proc_macro2::{Ident, Span, TokenStream};

/// What is to be done about a body that gives something else than is declared.
pub(super) const CHANGE: &str = "change what stands behind `->`, or the last line of the body";

impl<'a> Lowering<'a> {
    /// Checks the body's value against the declared results and makes it the graph's outputs.
    pub(super) fn results(&mut self, function: &FunctionItem, value: Val<'a>) {
        if value.is_unknown() {
            return;
        }
        let name = &function.name;
        let fits = |value: &Val<'a>| {
            !function.composed.is_one() || matches!(value, Val::Tensor(_) | Val::Number(_) | Val::Dim(_))
        };
        let values = match super::parts::values(&function.composed, &value) {
            Some(values) if values.iter().all(fits) => {
                self.ask_structs(&function.composed, &value, &format!("`{name}` returns"), name.span());
                values
            }
            _ if self.lacks_fields(&function.composed, &value, name.span()) => return,
            _ => {
                let (expected, found) = differing(&function.composed, &value, String::new());
                let span = match function.results.as_slice() {
                    [one] if function.composed.is_one() => one.span,
                    _ => name.span(),
                };
                let instead = self.stacked_result(function, &value);
                self.report(span, &m::RESULT_COUNT, &[name, &expected, &found, &instead]);
                return;
            }
        };
        if self.exchanged_results(function, &values) {
            return;
        }
        if self.grown_struct(function, &values) || self.unlike_array(function, &values) {
            return;
        }
        for (position, (value, ty)) in values.into_iter().zip(&function.results).enumerate() {
            let Some(id) = self.tensor(value, Some(ty.dtype), ty.span) else { continue };
            let id = self.as_result(id, ty.dtype);
            if self.result(name, id, ty) {
                self.builder.output(OutputKind::Result(position), id);
            }
        }
    }

    /// What to write where a list is given, or a closure, and one tensor is declared.
    fn stacked_result(&self, function: &FunctionItem, value: &Val<'a>) -> String {
        if let Val::Closure(_) = value {
            let name = crate::parse::name(&function.name);
            return format!(
                "a closure over indices is a kernel's: `netcl::kernel! {{ pub fn {name}(..) -> .. {{ .. }} }}`, without an attribute"
            );
        }
        let ([ty], Some(syn::Stmt::Expr(syn::Expr::Path(list), None))) =
            (function.results.as_slice(), function.body.stmts.last())
        else {
            return CHANGE.to_string();
        };
        let (rounds, rank) = match value {
            Val::Stack(id) => (self.builder.shape(*id)[0].clone(), self.builder.shape(*id).rank()),
            Val::List(items) => match items.first() {
                Some(Val::Tensor(id)) => (Dim::from(items.len()), self.builder.shape(*id).rank() + 1),
                _ => return CHANGE.to_string(),
            },
            _ => return CHANGE.to_string(),
        };
        match ty.dims.iter().position(|token| token.dim == rounds).filter(|_| ty.dims.len() == rank) {
            Some(axis) => {
                let list = crate::parse::text(list);
                format!("make one tensor of the list, with axis {axis} for its elements: write `{list}.stack({axis})`")
            }
            None => CHANGE.to_string(),
        }
    }

    /// Rule: values stand in the order of what is declared. Wrong: `(a, b)` where `b` is of the first type, and `a` of the second.
    fn exchanged_results(&self, function: &FunctionItem, values: &[Val<'a>]) -> bool {
        let fits = |value: usize, result: usize| match (&values[value], function.results.get(result)) {
            (Val::Tensor(id), Some(ty)) => {
                self.stands_for(self.builder.dtype(*id), ty.dtype) && self.builder.shape(*id).rank() == ty.dims.len()
            }
            _ => true,
        };
        let wrong: Vec<usize> = (0..values.len()).filter(|at| !fits(*at, *at)).collect();
        let [one, other] = wrong[..] else { return false };
        if !fits(one, other) || !fits(other, one) {
            return false;
        }
        let instead = match &function.composed {
            Composite::Struct(_, fields) => match (fields.get(one), fields.get(other)) {
                (Some((one, _)), Some((other, _))) => {
                    format!("exchange the values of its fields `{one}` and `{other}`")
                }
                _ => "exchange them".to_string(),
            },
            _ => "exchange them in its last line, or behind `->`".to_string(),
        };
        let [one, other] = [one, other].map(|at| &function.results[at]);
        self.report(function.name.span(), &m::RESULTS_EXCHANGED, &[&function.name, one, other, &instead]);
        true
    }

    /// Rule: a struct of tensors that is an argument and a result has the same sizes in both. Wrong: `-> Cache` of a body that
    /// puts a row behind each of its tensors, where `cache: &Cache` is an argument.
    fn grown_struct(&self, function: &FunctionItem, values: &[Val<'a>]) -> bool {
        let (mut taken, mut given) = (Vec::new(), Vec::new());
        function.params.iter().for_each(|param| structs(&param.parts, 0, &mut taken));
        structs(&function.composed, 0, &mut given);
        let both = |of: &Declared| taken.iter().any(|(own, ..)| own.identity == of.identity);
        given.into_iter().filter(|(of, ..)| both(of)).any(|(of, fields, first)| {
            let (values, results) = (values.get(first..), function.results.get(first..));
            values.zip(results).is_some_and(|(values, results)| self.has_grown((function, of), fields, values, results))
        })
    }

    /// Whether the values of that struct have other sizes than are declared, which is reported.
    fn has_grown(
        &self,
        (function, of): (&FunctionItem, &Declared),
        fields: &[(Ident, Composite)],
        values: &[Val<'a>],
        results: &[TensorType],
    ) -> bool {
        let count = fields.len().min(results.len()).min(values.len());
        let (values, results) = (&values[..count], &results[..count]);
        let grown = values.iter().zip(results).enumerate().find_map(|(position, (value, ty))| {
            let Val::Tensor(id) = *value else { return None };
            let shape = self.builder.shape(id);
            let differs = |axis: &usize| ty.dims[*axis].dim.equality(&shape[*axis]) == Equality::No;
            let axis = (0..shape.rank()).filter(|_| shape.rank() == ty.dims.len()).find(differs)?;
            Some((position, id, axis))
        });
        let Some((position, id, axis)) = grown else { return false };
        let tuple = self.as_tuple(values, results);
        let (name, note) = (&function.name, self.builder.origin_note(id, axis));
        let (declared, found) = (&results[position].dims[axis].dim, &self.builder.shape(id)[axis]);
        let (path, field) = (crate::parse::text(&of.path), &fields[position].0);
        self.report(name.span(), &m::RESULT_STRUCT, &[name, &path, field, declared, found, &note, &tuple]);
        true
    }

    /// Rule: the tensors of an array have one type. Wrong: `-> [Tensor<f32, N, 4>; 2]` of `[a, b]`, where `b` has 3 columns.
    fn unlike_array(&self, function: &FunctionItem, values: &[Val<'a>]) -> bool {
        let Composite::Array(_) = &function.composed else { return false };
        let mut shapes = values.iter().filter_map(|value| match value {
            Val::Tensor(id) => Some(self.builder.shape(*id)),
            _ => None,
        });
        let Some(first) = shapes.next() else { return false };
        let Some(other) = shapes.find(|shape| shape.0.iter().zip(&first.0).any(|(a, b)| a.equality(b) == Equality::No))
        else {
            return false;
        };
        let name = &function.name;
        self.report(name.span(), &m::RESULT_ARRAY, &[name, first, other, &self.as_tuple(values, &function.results)]);
        true
    }

    /// The tuple of tensors that the values are.
    fn as_tuple(&self, values: &[Val<'a>], results: &[TensorType]) -> String {
        let given = values.iter().zip(results).map(|(value, ty)| match value {
            Val::Tensor(id) => {
                let sizes = self.builder.shape(*id).0.iter();
                let dims = sizes.map(|dim| DimToken { dim: dim.clone(), span: ty.span }).collect();
                TensorType { dtype: ty.dtype, dims, span: ty.span }.to_string()
            }
            _ => ty.to_string(),
        });
        format!("({})", given.collect::<Vec<_>>().join(", "))
    }

    /// Rule: a body gives elements of the declared type. Wrong: `-> bool` of `x * 2.0`.
    pub(super) fn other_type(&self, name: &Ident, declared: DType, found: DType, span: Span) -> Val<'a> {
        let elements = self.axes.is_some() || self.elementwise;
        let instead = match (declared, elements) {
            (DType::Bool, _) => "compare what the body gives, as in `x > 0.0`".to_string(),
            (_, true) if found == DType::Bool => {
                let [one, zero] = if declared.is_float() { ["1.0", "0.0"] } else { ["1", "0"] };
                format!("choose with `if`: `if .. {{ {one} }} else {{ {zero} }}`")
            }
            (_, true) => format!("convert what the body gives with `as {declared}`"),
            (_, false) => format!("convert what the body gives with `.cast({declared})`"),
        };
        self.report(span, &m::RESULT_DTYPE, &[name, &declared, &found, &instead])
    }

    pub(super) fn result(&mut self, name: &Ident, id: NodeId, ty: &TensorType) -> bool {
        let (shape, dtype) = (self.builder.shape(id).clone(), self.builder.dtype(id));
        if !self.stands_for(dtype, ty.dtype) {
            self.other_type(name, ty.dtype, dtype, ty.span);
            return false;
        }
        let declared = || Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
        if shape.rank() != ty.dims.len() {
            let way = self.way().map(|way| format!(" where {way}")).unwrap_or_default();
            let named = self
                .marks
                .named
                .get(&id)
                .map(|name| format!("; `{name}(..)` is an operation here, {}", own_is_called(name)));
            self.report(ty.span, &m::RESULT_SHAPE, &[name, &declared(), &shape, &way, &named.unwrap_or_default()]);
            return false;
        }
        let declares = format!("`{name}` returns");
        let differs = |axis: &usize| !self.has_size((id, *axis), &ty.dims[*axis].dim, &declares, "its body gives");
        let differing: Vec<usize> = (0..shape.rank()).filter(differs).collect();
        if let ([first, _, ..], None) = (differing.as_slice(), self.way()) {
            // One mistake gives several axes another size.
            let dims = ty.dims.iter().zip(&shape.0).map(|(token, dim)| DimToken { dim: dim.clone(), span: token.span });
            let given = TensorType { dtype, dims: dims.collect(), span: ty.span };
            let note = self.builder.origin_note(id, *first);
            self.report(ty.span, &m::RESULT_AXES, &[name, &declared(), &shape, first, &shape[*first], &note, &given]);
            return false;
        }
        for &axis in &differing {
            let (dim, note) = (&ty.dims[axis], self.builder.origin_note(id, axis));
            match self.way() {
                Some(way) => self.report(
                    self.made_at(id).unwrap_or(dim.span),
                    &m::RESULT_WAY,
                    &[name, &declared(), &shape, &note, &way],
                ),
                None if shape[axis].is(0) => {
                    let place = self.made_at(id).unwrap_or(dim.span);
                    self.report(place, &m::RESULT_EMPTY, &[name, &dim.dim, &axis, &note])
                }
                None => self.report(dim.span, &m::RESULT_AXIS, &[name, &dim.dim, &shape[axis], &note, &shape[axis]]),
            };
        }
        differing.is_empty()
    }

    /// Where the body makes the value, if it does.
    fn made_at(&self, id: NodeId) -> Option<Span> {
        let node = self.builder.node(id);
        if let Op::Input(_) = node.op { None } else { self.diag.place(node.span) }
    }

    /// What holds on this way through the function's `if`s, where there are several.
    fn way(&self) -> Option<String> {
        let one = |(condition, holds): &(TokenStream, bool)| {
            if let Some(said) = crate::variants::said(condition, *holds) {
                return said;
            }
            let condition = crate::parse::text(condition);
            if *holds { format!("`{condition}` holds") } else { format!("`{condition}` does not hold") }
        };
        let all: Vec<String> = self.decisions.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }
}

/// A struct, its fields, and the position of the first among all values.
type StructAt<'p> = (&'p Declared, &'p [(Ident, Composite)], usize);

/// The structs in it whose fields are tensors alone, with their fields and the position of the first among all values.
fn structs<'p>(parts: &'p Composite, first: usize, all: &mut Vec<StructAt<'p>>) {
    let mut at = first;
    let mut each = |part: &'p Composite| {
        structs(part, at, all);
        at += part.count();
    };
    match parts {
        Composite::One => {}
        Composite::Tuple(parts) | Composite::Array(parts) => parts.iter().for_each(&mut each),
        Composite::Struct(of, fields) => {
            fields.iter().for_each(|(_, part)| each(part));
            if fields.iter().all(|(_, part)| part.is_one()) {
                all.push((of, fields, first));
            }
        }
    }
}

/// What is declared and what is given, of the first part where they differ: `path` leads to it.
fn differing(declared: &Composite, value: &Val<'_>, path: String) -> (String, String) {
    let (parts, values) = match (declared, value) {
        (Composite::Tuple(parts), Val::Tuple(values)) | (Composite::Array(parts), Val::List(values)) => (parts, values),
        _ => (&Vec::new(), &Vec::new()),
    };
    let differs = |(declared, value): (&Composite, &Val<'_>)| super::parts::values(declared, value).is_none();
    match parts.iter().zip(values).position(differs).filter(|_| parts.len() == values.len()) {
        Some(at) => {
            let step = if matches!(declared, Composite::Array(_)) { format!("[{at}]") } else { format!(".{at}") };
            differing(&parts[at], &values[at], path + &step)
        }
        None => {
            let place = if path.is_empty() { String::new() } else { format!(" as `{path}`") };
            (format!("{}{place}", declared.kind()), value.kind())
        }
    }
}
