//! Questions to a driver: a size, then as many bytes.

use super::check;
use opencl3::Result;
use opencl3::error_codes::{
    CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::types::cl_int;
use std::ffi::c_void;

/// The most bytes of an answer that is a text, a list or a log: nothing that a driver has to say is as long.
pub(super) const LARGEST: usize = 16 << 20;

/// The most bytes of a program's binary.
pub(super) const LARGEST_BINARY: usize = 1 << 30;

/// Numbers, any bits of which are a value.
pub(super) trait Plain: Copy + Default {}
impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for usize {}
impl Plain for isize {}

/// A function of the loader's by its name, called with these arguments.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        match cl3::load_library() {
            Ok(loader) => loader.$function($($argument),*).unwrap_or($crate::opencl::driver::info::MISSING),
            Err(_) => $crate::opencl::driver::info::NOT_LOADED,
        }
    };
}
pub(super) use call;

/// The loader lacks a function.
pub(super) const MISSING: cl_int = DLOPEN_FUNCTION_NOT_AVAILABLE;
/// There is no loader.
pub(super) const NOT_LOADED: cl_int = DLOPEN_RUNTIME_LOAD_FAILED;

/// A question: how many bytes there are room for, where, and where the driver says how many there are.
pub(super) type Ask<'a> = &'a dyn Fn(usize, *mut c_void, *mut usize) -> cl_int;

/// One number.
pub(super) fn value<T: Plain>(ask: Ask<'_>) -> Result<T> {
    let mut value = T::default();
    check(ask(size_of::<T>(), (&raw mut value).cast(), std::ptr::null_mut()))?;
    Ok(value)
}

/// Zeros; an error where the system has no memory for them.
pub(super) fn zeros<T: Plain>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| ClError(CL_OUT_OF_HOST_MEMORY))?;
    list.resize(count, T::default());
    Ok(list)
}

/// A list.
pub(super) fn list<T: Plain>(ask: Ask<'_>) -> Result<Vec<T>> {
    let mut bytes = 0;
    check(ask(0, std::ptr::null_mut(), &raw mut bytes))?;
    if bytes > LARGEST {
        return Err(ClError(CL_INVALID_VALUE));
    }
    let mut list: Vec<T> = zeros(bytes / size_of::<T>())?;
    if !list.is_empty() {
        check(ask(size_of_val(list.as_slice()), list.as_mut_ptr().cast(), std::ptr::null_mut()))?;
    }
    Ok(list)
}

/// A text, without the NUL at its end.
pub(super) fn text(ask: Ask<'_>) -> Result<String> {
    let bytes = list::<u8>(ask)?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
