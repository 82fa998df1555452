//! What raw kernels are given.

use crate::tensor::Tensor;
use half::f16;
use netcl_hal::device::parameter::Parameter;
use std::fmt;

/// An argument of a raw kernel: `(&x).into()`, `2.0f32.into()`, `Arg::Local(1024)`.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// For a pointer to global or constant memory.
    Tensor(&'a Tensor),
    /// For a parameter by value.
    Value(Value),
    /// For a pointer to local memory: that many bytes for each work-group.
    Local(usize),
}

impl Arg<'_> {
    /// Whether a parameter takes it.
    #[inline]
    pub(super) fn fits(&self, parameter: &Parameter) -> bool {
        match self {
            Arg::Tensor(tensor) => parameter.takes_tensor(tensor.dtype()),
            Arg::Value(value) => parameter.takes_value(value.type_name()),
            Arg::Local(bytes) => parameter.takes_local() && *bytes > 0,
        }
    }
}

impl fmt::Display for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Tensor(tensor) => write!(f, "a tensor of {} with the shape {:?}", tensor.dtype(), tensor.shape()),
            Arg::Value(value) => write!(f, "a value of OpenCL type {}", value.type_name()),
            Arg::Local(bytes) => write!(f, "{bytes} bytes of local memory"),
        }
    }
}

impl<'a> From<&'a Tensor> for Arg<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Arg::Tensor(tensor)
    }
}

impl<T: Into<Value>> From<T> for Arg<'_> {
    fn from(value: T) -> Self {
        Arg::Value(value.into())
    }
}

/// A number, or a vector of 2, 3, 4, 8 or 16, passed by value. Made from Rust's numbers and arrays of them; an `f16` needs a
/// device whose kernels may use `half`.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Value {
    bytes: [u8; 128],
    size: u8,
    type_name: &'static str,
}

impl Value {
    /// The type that the parameter must have, in OpenCL C: `float4`.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.size)]
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:02x?})", self.type_name, self.bytes())
    }
}

macro_rules! values {
    ($($type:ty => $one:literal, $two:literal, $three:literal, $four:literal, $eight:literal, $sixteen:literal;)*) => {$(
        values!(vector $type, 2, $two);
        values!(vector $type, 3, $three);
        values!(vector $type, 4, $four);
        values!(vector $type, 8, $eight);
        values!(vector $type, 16, $sixteen);

        impl From<$type> for Value {
            fn from(value: $type) -> Value {
                let mut bytes = [0; 128];
                bytes[..size_of::<$type>()].copy_from_slice(&value.to_ne_bytes());
                Value { bytes, size: size_of::<$type>() as u8, type_name: $one }
            }
        }
    )*};
    (vector $type:ty, $lanes:literal, $name:literal) => {
        impl From<[$type; $lanes]> for Value {
            fn from(values: [$type; $lanes]) -> Value {
                let mut bytes = [0; 128];
                for (lane, value) in bytes.chunks_exact_mut(size_of::<$type>()).zip(values) {
                    lane.copy_from_slice(&value.to_ne_bytes());
                }
                // Three have the size of four (OpenCL C 6.1.5).
                let size = size_of::<$type>() * usize::next_power_of_two($lanes);
                Value { bytes, size: size as u8, type_name: $name }
            }
        }
    };
}

values! {
    i8 => "char", "char2", "char3", "char4", "char8", "char16";
    u8 => "uchar", "uchar2", "uchar3", "uchar4", "uchar8", "uchar16";
    i16 => "short", "short2", "short3", "short4", "short8", "short16";
    u16 => "ushort", "ushort2", "ushort3", "ushort4", "ushort8", "ushort16";
    i32 => "int", "int2", "int3", "int4", "int8", "int16";
    u32 => "uint", "uint2", "uint3", "uint4", "uint8", "uint16";
    i64 => "long", "long2", "long3", "long4", "long8", "long16";
    u64 => "ulong", "ulong2", "ulong3", "ulong4", "ulong8", "ulong16";
    f16 => "half", "half2", "half3", "half4", "half8", "half16";
    f32 => "float", "float2", "float3", "float4", "float8", "float16";
    f64 => "double", "double2", "double3", "double4", "double8", "double16";
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_hal::device::parameter::AddressSpace;

    #[test]
    fn values_know_their_opencl_type_and_bytes() {
        let value = Value::from([1.0f32, 2.0]);
        assert_eq!(value.type_name(), "float2");
        assert_eq!(value.bytes(), [1.0f32.to_ne_bytes(), 2.0f32.to_ne_bytes()].concat());
        let three = Value::from([1i16, 2, 3]);
        assert_eq!(three.type_name(), "short3");
        assert_eq!(three.bytes(), [1i16, 2, 3, 0].map(i16::to_ne_bytes).concat(), "as large as four");
        assert_eq!(Value::from(u64::MAX).bytes(), [255; 8]);
        assert_eq!(Value::from([0.0f64; 16]).bytes().len(), 128);
        assert_eq!(Arg::from(3i32).to_string(), "a value of OpenCL type int");
    }

    #[test]
    fn kinds_and_types_must_fit() {
        use AddressSpace::{Global, Local, Private};
        let takes = |written: &str, space, argument: Arg<'_>| {
            argument.fits(&Parameter::reported("x".into(), written, space, false, false))
        };
        assert!(takes("float", Private, 2.0f32.into()) && !takes("float", Private, 2.0f64.into()));
        assert!(!takes("uint", Private, 2i32.into()) && takes("mine", Private, 2i32.into()));
        assert!(takes("float4", Private, [0.0f32; 4].into()) && !takes("float4", Private, 0.0f32.into()));
        assert!(takes("float*", Local, Arg::Local(4)) && !takes("float*", Local, Arg::Local(0)));
        assert!(!takes("float*", Global, Arg::Local(4)) && !takes("float*", Global, 1.0f32.into()));
    }
}
