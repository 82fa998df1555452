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
        // Of the address space; beyond it; more than can be counted.
        for len in [1usize << 44, usize::MAX / 8, usize::MAX] {
            let errors = [zeros::<i64>(&device, len).unwrap_err(), collect(&device, len, 0..1i64).unwrap_err()];
            for error in errors {
                let Error::OutOfMemory { requested, .. } = &error else { panic!("{error}") };
                assert_eq!(*requested, len.saturating_mul(8));
                assert!(error.to_string().contains("(host memory): "), "{error}");
            }
        }
    }
}
