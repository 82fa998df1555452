//! Elements as bytes, and bytes as elements, without a copy.

use crate::device::memory::{HostMemory, Memory};
use crate::element::Element;
use netcl_kernels::dtype::DType;
use std::alloc::{Layout, alloc_zeroed};
use std::sync::Arc;

/// The elements' bytes.
pub fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: the element types (the trait is sealed) have no padding, and any byte is a `u8`.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The elements' bytes, to be written; `None` for `bool`, which is not any byte.
pub fn bytes_of_mut<T: Element>(elements: &mut [T]) -> Option<&mut [u8]> {
    // SAFETY: no padding, as above; and any bytes are numbers.
    (T::DTYPE != DType::Bool)
        .then(|| unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) })
}

/// Bytes as elements; `None` for `bool`, and where number or place do not fit.
pub fn elements<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    if T::DTYPE == DType::Bool {
        return None;
    }
    // SAFETY: any bytes are numbers; `align_to` sees to place and length.
    let (before, elements, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(elements)
}

/// As [`elements`], to be written.
pub fn elements_mut<T: Element>(bytes: &mut [u8]) -> Option<&mut [T]> {
    if T::DTYPE == DType::Bool {
        return None;
    }
    // SAFETY: as above; any numbers are bytes.
    let (before, elements, after) = unsafe { bytes.align_to_mut::<T>() };
    (before.is_empty() && after.is_empty()).then_some(elements)
}

/// `len` zeros (or false); `None` where the system has no memory for them.
pub fn zeros<T: Element>(len: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout has a size. The allocation is the global allocator's, of the layout of `len` elements, and zeros are
    // elements of every type (the trait is sealed: numbers and `bool`).
    unsafe {
        let start = alloc_zeroed(layout).cast::<T>();
        (!start.is_null()).then(|| Vec::from_raw_parts(start, len, len))
    }
}

/// A vector as host memory. `bool` is read only by netcl, which writes 0 and 1.
pub struct Elements<T: Element>(pub Vec<T>);

impl<T: Element> HostMemory for Elements<T> {
    fn bytes(&self) -> &[u8] {
        bytes_of(&self.0)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: no padding. Devices write whole elements of the vector's type.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), size_of_val(self.0.as_slice())) }
    }

    fn into_memory(self: Box<Self>) -> crate::Result<Result<Arc<dyn Memory>, Box<dyn HostMemory>>> {
        Ok(Err(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let values = [1.5f32, -2.0];
        let bytes = bytes_of(&values);
        assert_eq!(bytes[..4], 1.5f32.to_ne_bytes());
        assert_eq!(elements::<f32>(bytes), Some(&values[..]));
        assert_eq!(elements::<f32>(&bytes[..7]), None, "no whole number of elements");
        assert_eq!(elements::<f64>(&bytes[..4]), None);
        assert_eq!(bytes_of(&[true, false]), [1, 0]);
        assert_eq!(elements::<bool>(&[1, 2]), None, "2 is no bool");
        assert!(bytes_of_mut(&mut [false]).is_none());
        let mut values = [0u32; 2];
        bytes_of_mut(&mut values).unwrap().fill(1);
        assert_eq!(values, [0x0101_0101; 2]);
    }
}
