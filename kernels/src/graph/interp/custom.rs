//! Users' kernels, on the interpreter of the kernel IR: in their own types, whatever the precision of the rest. Kernels of netcl's
//! own, which are written for every float type, are as precise as the rest.

use super::{Custom, HostTensor, NodeId, Precision, Run, TensorData};
use crate::dim::{Dim, Symbol};
use crate::dtype::{DType, Literal};
use crate::kir::interp::{Bytes, CompiledKernel, LaunchArg, Memory, Slice, SliceMut, ops};
use crate::kir::text::{parse, print};
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Kernel, ParamKind};
use crate::span::{Diagnostic, Result};
use std::collections::BTreeMap;

impl Run<'_> {
    /// The results of a call.
    pub(super) fn custom(
        &self,
        kernel: &Custom,
        sizes: &[Dim],
        operands: &[NodeId],
        precision: Precision,
    ) -> Result<Vec<HostTensor>> {
        let wide = precision == Precision::F64 && kernel.derivative.is_some();
        let held = |dtype: DType| if wide && dtype.is_float() { DType::F64 } else { dtype };
        let mut bindings: Vec<(Symbol, u64)> = Vec::new();
        for (symbol, size) in kernel.symbols.iter().zip(sizes) {
            bindings.push((symbol.clone(), u64::try_from(self.dim(size)?).unwrap_or(0)));
        }
        let (mut buffers, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        for (input, operand) in kernel.inputs.iter().zip(operands) {
            let value = self.value(*operand);
            match input.shape {
                Some(_) => drop(buffers.insert(input.name.as_str(), stored(value, held(value.dtype())))),
                None => drop(numbers.insert(input.name.as_str(), number(value))),
            }
        }
        let mut shapes = Vec::new();
        for result in &kernel.results {
            let shape = self.shape(&kernel.shape(sizes, &result.shape))?;
            buffers.insert(&result.name, Bytes::zeros(held(result.dtype), shape.iter().product()));
            shapes.push(shape);
        }
        for own in &kernel.kernels {
            let own = if wide { &widened(own)? } else { own };
            let verified = verify(own, &Capabilities::unlimited()).map_err(|mut errors| errors.remove(0))?;
            let args = own.params.iter().map(|param| match param.kind {
                ParamKind::Buffer(..) => buffers.get(param.name.as_str()).map(|buffer| LaunchArg::Buffer(buffer)),
                ParamKind::Symbol | ParamKind::Size => {
                    let size = bindings.iter().find(|(symbol, _)| symbol.name() == param.name);
                    size.map(|(_, size)| LaunchArg::Scalar(Literal::Int(*size as i64, DType::U32)))
                }
                _ => numbers.get(param.name.as_str()).map(|number| LaunchArg::Scalar(*number)),
            });
            let args: Option<Vec<LaunchArg<'_>>> = args.collect();
            let args = args.ok_or_else(|| Diagnostic::new(format!("`{}` takes what nobody gives", own.name)))?;
            let failed = |fault: crate::kir::interp::Fault| Diagnostic::new(fault.to_string());
            let compiled = CompiledKernel::new(&verified);
            compiled.launch(&args, &bindings, ops::baseline).map_err(failed)?.run().map_err(failed)?;
        }
        let results = kernel.results.iter().zip(shapes);
        results
            .map(|(result, shape)| {
                let (buffer, held) = (&buffers[result.name.as_str()], held(result.dtype));
                HostTensor::new(result.dtype, shape.clone(), read(buffer, held, shape.iter().product()))
            })
            .collect()
    }
}

/// The value as a launch passes it.
fn number(value: &HostTensor) -> Literal {
    match value.data() {
        TensorData::Float(values) => Literal::float(values[0], value.dtype().compute()),
        TensorData::Int(values) => Literal::Int(values[0], value.dtype()),
        TensorData::Bool(values) => Literal::Bool(values[0]),
    }
}

/// The kernel of another float type: its text with that in place of its own.
fn widened(kernel: &Kernel) -> Result<Kernel> {
    let text = print(kernel).replace(DType::F32.name(), DType::F64.name());
    parse(&text).map_err(|error| Diagnostic::new(error.to_string()))
}

/// A buffer that holds the tensor as elements of that type.
fn stored(value: &HostTensor, dtype: DType) -> Bytes {
    match (value.data(), dtype) {
        (TensorData::Bool(values), _) => Bytes::of(Slice::Bool(values)),
        (TensorData::Int(values), DType::U8) => Bytes::of(Slice::U8(&each(values, |value| value as u8))),
        (TensorData::Int(values), DType::I32) => Bytes::of(Slice::I32(&each(values, |value| value as i32))),
        (TensorData::Int(values), DType::U32) => Bytes::of(Slice::U32(&each(values, |value| value as u32))),
        (TensorData::Int(values), _) => Bytes::of(Slice::I64(values)),
        (TensorData::Float(values), DType::F64) => Bytes::of(Slice::F64(values)),
        (TensorData::Float(values), DType::F16) => {
            Bytes::of(Slice::U16(&each(values, |value| half::f16::from_f64(value).to_bits())))
        }
        (TensorData::Float(values), DType::BF16) => {
            Bytes::of(Slice::U16(&each(values, |value| half::bf16::from_f64(value).to_bits())))
        }
        (TensorData::Float(values), _) => Bytes::of(Slice::F32(&each(values, |value| value as f32))),
    }
}

fn each<T: Copy, U>(values: &[T], convert: impl Fn(T) -> U) -> Vec<U> {
    values.iter().map(|value| convert(*value)).collect()
}

/// The elements in a buffer.
fn read(buffer: &Bytes, dtype: DType, count: usize) -> TensorData {
    fn all<T: Copy + Default>(count: usize, read: impl FnOnce(&mut [T])) -> Vec<T> {
        let mut values = vec![T::default(); count];
        read(&mut values);
        values
    }
    match dtype {
        DType::Bool => TensorData::Bool(all(count, |out| buffer.read(0, SliceMut::Bool(out)))),
        DType::U8 => TensorData::Int(each(&all(count, |out| buffer.read(0, SliceMut::U8(out))), i64::from)),
        DType::I32 => TensorData::Int(each(&all(count, |out| buffer.read(0, SliceMut::I32(out))), i64::from)),
        DType::U32 => TensorData::Int(each(&all(count, |out| buffer.read(0, SliceMut::U32(out))), i64::from)),
        DType::I64 => TensorData::Int(all(count, |out| buffer.read(0, SliceMut::I64(out)))),
        DType::F64 => TensorData::Float(all(count, |out| buffer.read(0, SliceMut::F64(out)))),
        DType::F32 => TensorData::Float(each(&all(count, |out| buffer.read(0, SliceMut::F32(out))), f64::from)),
        DType::F16 => {
            let bits = all(count, |out| buffer.read(0, SliceMut::U16(out)));
            TensorData::Float(each(&bits, |bits| half::f16::from_bits(bits).to_f64()))
        }
        DType::BF16 => {
            let bits = all(count, |out| buffer.read(0, SliceMut::U16(out)));
            TensorData::Float(each(&bits, |bits| half::bf16::from_bits(bits).to_f64()))
        }
    }
}
