//! Vectors as long as what a program asks for: where the system has no memory for one it is an error, and not the end of
//! the process.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::tensor::Element;
use netcl_hal::host::plain;

/// `len` zeros (or false).
pub(crate) fn zeros<T: Element>(device: &Device, len: usize) -> Result<Vec<T>> {
    plain::zeros(len).ok_or_else(|| none_left::<T>(device, len))
}

/// What the iterator gives, which is about `len` elements.
pub(crate) fn collect<T>(device: &Device, len: usize, elements: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| none_left::<T>(device, len))?;
    all.extend(elements);
    Ok(all)
}

/// What the iterator gives, which may be more than it says.
pub(crate) fn gather<T>(device: &Device, elements: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    let room = |all: &mut Vec<T>, more: usize| {
        let len = all.len();
        all.try_reserve(more).map_err(|_| none_left::<T>(device, len.saturating_add(more)))
    };
    room(&mut all, elements.size_hint().0)?;
    for element in elements {
        if all.len() == all.capacity() {
            room(&mut all, 1)?;
        }
        all.push(element);
    }
    Ok(all)
}

/// The elements that these bytes are.
pub(crate) fn of_bytes<T: Element>(device: &Device, bytes: &[u8]) -> Result<Vec<T>> {
    let mut all = zeros::<T>(device, bytes.len() / size_of::<T>())?;
    match plain::bytes_of_mut(&mut all) {
        Some(into) => into.copy_from_slice(bytes),
        None => all.iter_mut().zip(T::from_bytes(bytes)).for_each(|(into, element)| *into = element),
    }
    Ok(all)
}

/// An element's bytes so often.
pub(crate) fn repeated<T: Element>(device: &Device, value: T, times: usize) -> Result<Vec<u8>> {
    let element = plain::bytes_of(std::slice::from_ref(&value));
    let len = element.len().saturating_mul(times);
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| none_left::<u8>(device, len))?;
    all.extend_from_slice(&element[..len.min(element.len())]);
    while all.len() < len {
        all.extend_from_within(..all.len().min(len - all.len()));
    }
    Ok(all)
}

/// The memory is the host's; the figures are those of the device that the elements are of or for.
fn none_left<T>(device: &Device, len: usize) -> Error {
    let (requested, pool) = (len.saturating_mul(size_of::<T>()), Box::new(device.memory_stats()));
    Error::OutOfMemory { device: format!("{} (host memory)", device.profile().name), requested, pool }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_an_error() {
        let device = Device::host();
        assert_eq!(zeros::<f32>(&device, 3).unwrap(), [0.0; 3]);
        assert_eq!(zeros::<bool>(&device, 2).unwrap(), [false; 2]);
        assert_eq!((zeros::<u8>(&device, 0).unwrap().len(), collect(&device, 3, 0..3).unwrap()), (0, vec![0, 1, 2]));
        assert_eq!(gather(&device, (0..9).filter(|number| number % 2 == 0)).unwrap(), [0, 2, 4, 6, 8]);
        assert_eq!(of_bytes::<bool>(&device, &[0, 1, 2]).unwrap(), [false, true, true]);
        assert_eq!(of_bytes::<f32>(&device, plain::bytes_of(&[1.5f32, -2.0])).unwrap(), [1.5, -2.0]);
        for times in 0..6 {
            assert_eq!(repeated(&device, 0x0102u32, times).unwrap(), 0x0102u32.to_ne_bytes().repeat(times));
        }
        // Of the address space; beyond it; more than can be counted.
        for len in [1usize << 44, usize::MAX / 8, usize::MAX] {
            let errors = [
                zeros::<i64>(&device, len).unwrap_err(),
                collect(&device, len, 0..1i64).unwrap_err(),
                gather(&device, std::iter::repeat_n(0i64, len)).unwrap_err(),
                repeated(&device, 1i64, len).unwrap_err(),
            ];
            for error in errors {
                let Error::OutOfMemory { requested, .. } = &error else { panic!("{error}") };
                assert_eq!(*requested, len.saturating_mul(8));
                assert!(error.to_string().contains("(host memory): "), "{error}");
            }
        }
    }
}
