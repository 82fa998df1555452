//! The memory of the process.

/// Has the C library give free memory back to the system, where it can.
pub(super) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: the signature is that of the GNU C library.
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: may be called at any time from any thread.
        unsafe { malloc_trim(0) };
    }
}

/// What is not swapped out, in bytes; 0 where the system does not tell.
pub(super) fn bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
}
