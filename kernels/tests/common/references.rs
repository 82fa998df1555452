//! `tests/references/references.json`: what `tests/references/make.py` wrote.
#![allow(dead_code, reason = "shared by several test programs")]

use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::HostTensor;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[derive(Deserialize)]
pub(crate) struct References {
    pub(crate) operations: Vec<OperationCase>,
    pub(crate) layers: Vec<LayerCase>,
}

#[derive(Deserialize)]
pub(crate) struct OperationCase {
    pub(crate) operation: String,
    pub(crate) case: String,
    pub(crate) smooth: bool,
    pub(crate) args: Vec<Arg>,
    pub(crate) tensors: Vec<Data>,
    pub(crate) result: Data,
    pub(crate) cotangent: Option<Data>,
    pub(crate) gradients: Vec<Option<Data>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Arg {
    Tensor(usize),
    Tensors(Vec<usize>),
    Axis(i64),
    Axes(Vec<i64>),
    Size(i64),
    Sizes(Vec<i64>),
    Number(Number),
    Bool(bool),
    Dtype(String),
}

#[derive(Deserialize)]
pub(crate) struct LayerCase {
    pub(crate) layer: String,
    pub(crate) case: String,
    pub(crate) smooth: bool,
    pub(crate) mode: String,
    pub(crate) config: BTreeMap<String, Setting>,
    pub(crate) input: Data,
    pub(crate) tensors: BTreeMap<String, Data>,
    pub(crate) result: Data,
    pub(crate) cotangent: Option<Data>,
    pub(crate) input_gradient: Option<Data>,
    pub(crate) gradients: BTreeMap<String, Option<Data>>,
    pub(crate) updates: BTreeMap<String, Data>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum Setting {
    Bool(bool),
    Size(u64),
    Number(f64),
    Pair([u64; 2]),
}

/// A number, or the text `nan`, `inf` or `-inf`, which JSON has no numbers for.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Plain(f64),
    Text(String),
}

impl Number {
    pub(crate) fn value(&self) -> f64 {
        match self {
            Number::Plain(value) => *value,
            Number::Text(text) => text.parse().expect("nan, inf or -inf"),
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct Data {
    dtype: String,
    pub(crate) shape: Vec<usize>,
    values: Vec<Number>,
}

impl Data {
    pub(crate) fn dtype(&self) -> DType {
        DType::from_name(&self.dtype).expect("an element type")
    }

    pub(crate) fn values(&self) -> Vec<f64> {
        self.values.iter().map(Number::value).collect()
    }

    pub(crate) fn tensor(&self) -> HostTensor {
        HostTensor::from_f64(self.dtype(), &self.shape, &self.values()).expect("a tensor of the file")
    }
}

pub(crate) fn references() -> &'static References {
    static FILE: OnceLock<References> = OnceLock::new();
    FILE.get_or_init(|| {
        let text = include_str!("../../../tests/references/references.json");
        serde_json::from_str(text).expect("references.json")
    })
}
