//! What is known while compiling: values, lists of these, and the names that stand for them.

use crate::number::ConstFloat;
use crate::parse::text;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use syn::{Ident, ItemStruct, Type};

/// A value known while compiling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Integer(i64),
    Float(ConstFloat),
    Bool(bool),
}

/// A list of values known while compiling, `[0.25, 0.5, 0.25]`, or of such lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConstantList {
    Number(Constant),
    List(Vec<ConstantList>),
}

impl ConstantList {
    /// How many numbers there are in it.
    pub(crate) fn elements(&self) -> usize {
        match self {
            ConstantList::Number(_) => 1,
            ConstantList::List(items) => items.iter().map(ConstantList::elements).sum(),
        }
    }
}

/// What is known of a struct with `#[netcl::tensors]`.
pub(crate) struct TensorStruct {
    /// What tells it from all others, whatever it is called where it is used.
    pub(crate) identity: u64,
    pub(crate) item: ItemStruct,
    /// The structs of tensors that are fields of it, by their paths where it stands.
    pub(crate) inner: BTreeMap<String, Rc<TensorStruct>>,
}

/// Constants by [`key`](crate::parse::constant::key): those that an `impl` or a `#[netcl::constant]` declares.
#[derive(Clone, Default)]
pub(crate) struct Constants {
    values: BTreeMap<String, Constant>,
    /// The types that are declared of these, and of the elements of lists, where Rust computes in them: `i32`, and not `usize`.
    pub(crate) integers: BTreeMap<String, DType>,
    /// Those that are lists, which bodies name and sizes do not.
    pub(crate) lists: BTreeMap<String, ConstantList>,
    /// The names of lists that have been left out, whose elements and lengths are values.
    pub(crate) left_out: BTreeSet<String>,
    /// The parameters of the model, for which each use of it gives numbers.
    pub(crate) parameters: BTreeSet<String>,
    /// The parameters of the model that are types.
    pub(crate) types: BTreeSet<String>,
    /// These, and those for which a model stands.
    pub(crate) named_types: BTreeSet<String>,
    /// Structs with `#[netcl::tensors]`, by the text of their path.
    pub(crate) structs: BTreeMap<String, Rc<TensorStruct>>,
}

impl Constants {
    pub(crate) fn new() -> Constants {
        Constants::default()
    }

    /// Notes the type that is declared of a constant, or of the elements of a list.
    pub(crate) fn note_type(&mut self, name: &str, declared: &Type) {
        let mut ty = declared;
        while let Type::Array(list) = ty {
            ty = &list.elem;
        }
        let dtype = match text(ty).as_str() {
            "isize" => Some(DType::I64),
            name => DType::from_name(name),
        };
        if let Some(dtype) = dtype.filter(|dtype| dtype.is_integer()) {
            self.integers.insert(name.to_string(), dtype);
        }
    }

    /// These in a model whose parameters of these names are types.
    pub(crate) fn with_types(&self, types: BTreeSet<String>) -> Constants {
        let named_types = self.named_types.union(&types).cloned().collect();
        Constants { types, named_types, ..self.clone() }
    }

    /// These in the types of a struct's fields, which name those structs.
    pub(crate) fn with_structs(&self, structs: &BTreeMap<String, Rc<TensorStruct>>) -> Constants {
        Constants { structs: structs.clone(), ..self.clone() }
    }

    /// These as if none of them were a list, so that the names of lists are among the unknown ones.
    pub(crate) fn without_lists(&self) -> Constants {
        Constants { lists: BTreeMap::new(), left_out: self.lists.keys().cloned().collect(), ..self.clone() }
    }

    /// Whether a struct with `#[netcl::tensors]` is called so, or one that is in such a struct.
    pub(crate) fn has_struct(&self, name: &Ident) -> bool {
        fn is_in(structs: &BTreeMap<String, Rc<TensorStruct>>, name: &Ident) -> bool {
            structs.values().any(|own| own.item.ident == *name || is_in(&own.inner, name))
        }
        is_in(&self.structs, name)
    }

    /// Whether the size is made of parameters alone.
    pub(crate) fn are_behind(&self, size: &Dim) -> bool {
        size.as_constant().is_none() && self.first_unknown(size).is_none()
    }

    /// The first name in the size that is no parameter.
    pub(crate) fn first_unknown(&self, size: &Dim) -> Option<String> {
        let mut unknown = None;
        crate::quotient::visit_names(size, &mut |name| {
            if !self.parameters.contains(name) {
                unknown.get_or_insert_with(|| name.to_owned());
            }
        });
        unknown
    }
}

impl std::ops::Deref for Constants {
    type Target = BTreeMap<String, Constant>;
    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

impl std::ops::DerefMut for Constants {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.values
    }
}
