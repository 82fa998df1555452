//! Memory of the host device: aligned, zero-initialised, shared between threads that write disjoint parts of it.
//!
//! This file is the home of the host device's `unsafe` code, together with `cells.rs` (one access), `elements.rs` (typed access
//! for the interpreter), `view.rs` (buffers as native kernels see them), `isa.rs` (processor features) and the calls of the matrix library.
//!
//! # Who may touch what
//!
//! An OpenCL kernel writes global memory from many work-items without locks, and so do host kernels here. References
//! (`&[f32]`) into such memory would promise what cannot be promised, so there are none: elements are copied in and
//! out through raw pointers, every access inside the allocation (checked). No two work-items of a loop that the compiler
//! wrote touch one element, one of them writing, so that their accesses are plain; those of a user's kernel may, and
//! are relaxed atomics (`cells` says more). Calls from several threads are kept apart by the allocation's lock (`access.rs`): who calls `read`, `write`, `copy_from`, `zero`
//! or runs a kernel has it.

#![allow(unsafe_code, reason = "memory shared between threads is accessed through raw pointers")]

use crate::device::memory::{HostMemory, Keeper, Memory};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, RwLock};

/// Of every allocation, in bytes: a cache line, and the widest vector register.
pub(crate) const ALIGNMENT: usize = 64;

/// The host has no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host has no {bytes} bytes of memory left; use smaller batches or free tensors")]
pub struct OutOfMemory {
    /// What was asked for.
    pub bytes: usize,
}

/// An access outside of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "bytes {offset}..{offset}+{bytes} are outside of a host buffer of {size} bytes, or start off its {ALIGNMENT}-byte grid"
)]
pub struct OutOfBounds {
    /// First byte.
    pub offset: usize,
    /// How many.
    pub bytes: usize,
    /// The buffer's size.
    pub size: usize,
}

/// One allocation, freed with its last user.
struct Allocation {
    start: NonNull<u8>,
    /// Held by whoever works on the memory; see [`super::access`].
    lock: RwLock<()>,
    owner: Owner,
}

/// Who frees it.
enum Owner {
    Allocator(Layout),
    /// Held for its `Drop`.
    Lender {
        _memory: Box<dyn HostMemory>,
    },
}

impl std::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Allocation({:?})", self.start)
    }
}

// SAFETY: the allocation is plain bytes without thread affinity; how threads share it is described at the top.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Owner::Allocator(layout) = self.owner {
            // SAFETY: `start` came from `alloc_zeroed` with this layout and nobody else holds it any more.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

/// A part of an allocation of the host device; clones and views share the memory.
#[derive(Clone, Debug)]
pub struct HostBuffer {
    allocation: Arc<Allocation>,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: `start` points into `allocation`, which is `Send` and `Sync` and lives as long.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl Memory for HostBuffer {}

impl HostBuffer {
    /// `bytes` zero bytes, aligned to `ALIGNMENT`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if the system has not as much.
    pub fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { bytes };
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(|_| out_of_memory)?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(out_of_memory)?;
        Ok(HostBuffer {
            allocation: Arc::new(Allocation { start, owner: Owner::Allocator(layout), lock: RwLock::new(()) }),
            start,
            bytes,
        })
    }

    /// Memory that was somebody else's, if it starts on the grid; else it is given back.
    pub(crate) fn lent(mut memory: Box<dyn HostMemory>) -> Result<Self, Box<dyn HostMemory>> {
        let bytes = memory.bytes().len();
        match NonNull::new(memory.bytes_mut().as_mut_ptr()).filter(|start| start.addr().get().is_multiple_of(ALIGNMENT))
        {
            Some(start) if bytes > 0 => {
                let owner = Owner::Lender { _memory: memory };
                Ok(HostBuffer {
                    allocation: Arc::new(Allocation { start, owner, lock: RwLock::new(()) }),
                    start,
                    bytes,
                })
            }
            _ => Err(memory),
        }
    }

    /// Its size in bytes.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The part of `bytes` bytes from `offset` (a multiple of `ALIGNMENT`) on; shares the memory.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] if it is not inside, or the offset no multiple.
    pub fn view(&self, offset: usize, bytes: usize) -> Result<Self, OutOfBounds> {
        self.check(offset, bytes)?;
        if !offset.is_multiple_of(ALIGNMENT) {
            return Err(OutOfBounds { offset, bytes, size: self.bytes });
        }
        // SAFETY: `check` has found `offset` inside the allocation, or one past its end.
        let start = unsafe { self.start.add(offset) };
        Ok(HostBuffer { allocation: Arc::clone(&self.allocation), start, bytes })
    }

    /// Copies bytes from `offset` on into `out`.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] if there are not as many.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Result<(), OutOfBounds> {
        self.check(offset, out.len())?;
        // SAFETY: checked to be inside; `out` is exclusive memory of the caller, so the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(self.start.as_ptr().add(offset), out.as_mut_ptr(), out.len()) }
        Ok(())
    }

    /// Copies `data` to `offset` and on.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] if there is not as much room.
    pub fn write(&self, offset: usize, data: &[u8]) -> Result<(), OutOfBounds> {
        self.check(offset, data.len())?;
        // SAFETY: checked to be inside; nobody has a reference into the buffer, so `data` is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.start.as_ptr().add(offset), data.len()) }
        Ok(())
    }

    /// Copies the first `bytes` of `source`; the two may overlap.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] if either has fewer.
    pub fn copy_from(&self, source: &HostBuffer, bytes: usize) -> Result<(), OutOfBounds> {
        self.check(0, bytes)?;
        source.check(0, bytes)?;
        // SAFETY: both checked to be inside; `copy` allows overlap.
        unsafe { std::ptr::copy(source.start.as_ptr(), self.start.as_ptr(), bytes) }
        Ok(())
    }

    /// Sets the first `bytes` to zero.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] if it has fewer.
    pub fn zero(&self, bytes: usize) -> Result<(), OutOfBounds> {
        self.check(0, bytes)?;
        // SAFETY: checked to be inside.
        unsafe { std::ptr::write_bytes(self.start.as_ptr(), 0, bytes) }
        Ok(())
    }

    /// The lock of the allocation that it is a part of.
    pub(crate) fn lock(&self) -> &RwLock<()> {
        &self.allocation.lock
    }

    /// The first byte, for the matrix library and for vector loads; `bytes()` are valid from there.
    #[inline]
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    fn check(&self, offset: usize, bytes: usize) -> Result<(), OutOfBounds> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(OutOfBounds { offset, bytes, size: self.bytes }),
        }
    }
}

/// A buffer that nobody else has: it can be lent as plain bytes.
pub(crate) struct Exclusive {
    buffer: HostBuffer,
    bytes: usize,
    /// Whose buffer it is; given back when this is dropped.
    keeper: Option<Keeper>,
}

impl Exclusive {
    /// The first `bytes` of `buffer`, which nobody reaches but through `keeper`, nor through that while this lives.
    pub(crate) fn new(buffer: HostBuffer, bytes: usize, keeper: Option<Keeper>) -> Exclusive {
        let bytes = bytes.min(buffer.bytes);
        Exclusive { buffer, bytes, keeper }
    }
}

impl HostMemory for Exclusive {
    fn bytes(&self) -> &[u8] {
        // SAFETY: initialised memory of as many bytes, and nobody else reads or writes it (`new`).
        unsafe { std::slice::from_raw_parts(self.buffer.pointer(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.buffer.pointer(), self.bytes) }
    }

    fn into_memory(self: Box<Self>) -> crate::Result<Result<Arc<dyn Memory>, Box<dyn HostMemory>>> {
        Ok(if self.keeper.is_none() { Ok(Arc::new(self.buffer)) } else { Err(self) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_zero_and_shared_by_views() {
        let buffer = HostBuffer::new(256).unwrap();
        assert_eq!(buffer.pointer() as usize % ALIGNMENT, 0);
        let view = buffer.view(128, 64).unwrap();
        view.write(0, &[7; 64]).unwrap();
        let mut bytes = [1; 256];
        buffer.read(0, &mut bytes).unwrap();
        assert_eq!((bytes[127], bytes[128], bytes[191], bytes[192]), (0, 7, 7, 0));
        drop(buffer);
        assert!(view.write(0, &[8; 64]).is_ok(), "a view keeps its memory alive");
    }

    #[test]
    fn what_is_outside_is_an_error() {
        let buffer = HostBuffer::new(64).unwrap();
        assert!(buffer.read(60, &mut [0; 5]).is_err());
        assert!(buffer.write(usize::MAX, &[0]).is_err());
        assert!(buffer.view(0, 65).is_err());
        assert!(buffer.view(4, 8).is_err(), "off the grid");
        assert!(buffer.copy_from(&HostBuffer::new(32).unwrap(), 64).is_err());
    }

    #[test]
    fn too_much_memory_is_an_error() {
        assert_eq!(HostBuffer::new(usize::MAX).unwrap_err().bytes, usize::MAX);
        assert!(HostBuffer::new(isize::MAX as usize - 4096).is_err());
    }
}
