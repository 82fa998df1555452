//! A library between netcl and the OpenCL loader, which `OPENCL_DYLIB_PATH` names. The tests compile it with rustc alone.
//!
//! - `NETCL_TEST_FAULT=clFinish:2:-5:1`: the second call of `clFinish` fails with -5, and that one alone;
//! - `NETCL_TEST_NONSENSE=30`: what the driver says is changed as `nonsense` and `afterwards` have it.
//!
//! All arguments are integers or pointers of at most 64 bits, and are passed on as they come.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn real(name: &str) -> usize {
    static LOADER: OnceLock<usize> = OnceLock::new();
    const NOW: c_int = 2;
    let library: &CStr = c"libOpenCL.so.1";
    let loader = *LOADER.get_or_init(|| unsafe { dlopen(library.as_ptr(), NOW) } as usize);
    assert!(loader != 0, "no OpenCL loader");
    let name = CString::new(name).unwrap();
    unsafe { dlsym(loader as *mut c_void, name.as_ptr()) as usize }
}

struct Fault {
    function: String,
    first: usize,
    code: i32,
    count: usize,
}

fn fault() -> Option<&'static Fault> {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    let read = || {
        let text = std::env::var("NETCL_TEST_FAULT").ok()?;
        let mut parts = text.split(':');
        let function = parts.next()?.to_owned();
        let [first, code, count] = [(); 3].map(|()| parts.next().and_then(|part| part.parse::<i64>().ok()));
        Some(Fault { function, first: first? as usize, code: code? as i32, count: count? as usize })
    };
    FAULT.get_or_init(read).as_ref()
}

/// The code with which this call fails.
fn fails(name: &str, calls: &AtomicUsize) -> Option<i32> {
    let fault = fault().filter(|fault| fault.function == name)?;
    let call = calls.fetch_add(1, Ordering::SeqCst) + 1;
    if call < fault.first || call - fault.first >= fault.count {
        return None;
    }
    eprintln!("FAULT {name}, call {call}: {}", fault.code);
    Some(fault.code)
}

fn mode() -> u32 {
    static MODE: OnceLock<u32> = OnceLock::new();
    *MODE.get_or_init(|| std::env::var("NETCL_TEST_NONSENSE").ok().and_then(|text| text.parse().ok()).unwrap_or(0))
}

unsafe fn put<T>(place: usize, value: T) {
    if place != 0 {
        unsafe { (place as *mut T).write_unaligned(value) }
    }
}

unsafe fn fill(place: usize, bytes: usize, byte: u8) {
    if place != 0 {
        unsafe { (place as *mut u8).write_bytes(byte, bytes) }
    }
}

/// As much of the text as there is room for.
unsafe fn say(place: usize, room: usize, text: &[u8]) {
    if place != 0 {
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), place as *mut u8, text.len().min(room)) }
    }
}

const OK: Option<usize> = Some(0);

fn code(code: i32) -> Option<usize> {
    Some(code as u32 as usize)
}

/// What is said in place of what the driver would say.
unsafe fn nonsense(name: &str, a: &[usize]) -> Option<usize> {
    // Of the questions for one property: its number, the room for the answer, its place, the place of its size.
    let info = |first: usize| (a[first] as u32, a[first + 1], a[first + 2], a[first + 3]);
    // An answer of one number.
    let number = |first: usize, value: u64, bytes: usize| unsafe {
        let (_, room, place, size) = info(first);
        put(size, bytes);
        say(place, room.min(bytes), &value.to_ne_bytes());
        OK
    };
    unsafe {
        match name {
            "clGetPlatformIDs" => match mode() {
                1 => code(-1001),
                2 => {
                    put(a[2], 0u32);
                    OK
                }
                3 => {
                    put(a[2], 3_000_000_000u32);
                    fill(a[1], a[0] as u32 as usize * 8, 0);
                    OK
                }
                4 => {
                    put(a[2], 1u32);
                    put(a[1], 0usize);
                    OK
                }
                5 => code(77),
                _ => None,
            },
            "clGetPlatformInfo" => {
                let (_, room, place, size) = info(1);
                let told = |bytes: usize, text: &[u8]| {
                    put(size, bytes);
                    say(place, room, text);
                    OK
                };
                match mode() {
                    10 => told(usize::MAX, b""),
                    11 => told(1 << 40, b""),
                    12 => told(0, b""),
                    13 => told(8, &[0xff; 8]),
                    14 => code(-30),
                    15 => told(4, b"abcd"),
                    _ => None,
                }
            }
            "clGetDeviceIDs" => match mode() {
                20 => {
                    put(a[4], 0u32);
                    OK
                }
                21 => {
                    put(a[4], 1u32);
                    put(a[3], 0usize);
                    OK
                }
                22 => {
                    put(a[4], 2_000_000_000u32);
                    OK
                }
                23 => code(-5),
                _ => None,
            },
            "clGetDeviceInfo" => {
                let (property, room, place, size) = info(1);
                let of = |wanted: u32| property == wanted;
                match mode() {
                    30 => {
                        put(size, usize::MAX);
                        OK
                    }
                    31 => {
                        put(size, 8usize);
                        fill(place, room, 0);
                        OK
                    }
                    32 => {
                        put(size, if room == 0 { 8 } else { room });
                        fill(place, room, 0xff);
                        OK
                    }
                    33 => code(-33),
                    34 if of(0x102B) => {
                        put(size, 6usize);
                        say(place, room, b"a\xff\xfe\n\x1b[");
                        OK
                    }
                    35 if of(0x1004) => number(1, 0, 8),
                    36 if of(0x1002) => number(1, 0, 4),
                    37 if of(0x1019) => number(1, 0, 4),
                    38 if of(0x101F) => number(1, 0, 8),
                    39 if of(0x1010) => number(1, 0, 8),
                    40 if of(0x1005) => {
                        put(size, 0usize);
                        OK
                    }
                    41 if of(0x102F) => {
                        put(size, 12usize);
                        say(place, room, b"OpenCL 99.x\0");
                        OK
                    }
                    42 if of(0x1030) => {
                        put(size, 1usize << 20);
                        fill(place, room.min(1 << 20), b'x');
                        OK
                    }
                    43 if of(0x1023) => number(1, 0, 8),
                    44 if of(0x1000) => number(1, u64::MAX, 8),
                    45 if of(0x1019) => number(1, 0x8000_0000, 4),
                    46 if of(0x102F) => number(1, 0, 1),
                    47 if of(0x1035) => number(1, 0, 4),
                    _ => None,
                }
            }
            "clGetProgramInfo" => match (mode(), a[1] as u32) {
                (50, 0x1165) => number(1, u64::MAX, 8),
                (51, 0x1165) => number(1, 0, 8),
                (52, _) => code(-5),
                (53, 0x1168) => number(1, 0, 1),
                _ => None,
            },
            "clGetKernelInfo" => match (mode(), a[1] as u32) {
                (60, 0x1191) => number(1, 0, 4),
                (61, 0x1191) => number(1, 0x7fff_ffff, 4),
                _ => None,
            },
            "clGetEventInfo" => match (mode(), a[1] as u32) {
                (80, 0x11D3) => number(1, u64::from(-9999i32 as u32), 4),
                (81, 0x11D3) => number(1, 17, 4),
                _ => None,
            },
            "clGetKernelWorkGroupInfo" => match mode() {
                90 | 91 => {
                    let (_, room, place, size) = info(2);
                    put(size, 8usize);
                    fill(place, room, if mode() == 90 { 0 } else { 0xff });
                    OK
                }
                _ => None,
            },
            "clCreateBuffer" if mode() == 95 => {
                put(a[4], 0i32);
                Some(0)
            }
            _ => None,
        }
    }
}

/// What is said after the driver has said something.
unsafe fn afterwards(name: &str, a: &[usize], result: usize) -> usize {
    match (name, mode()) {
        ("clGetDeviceIDs", 24) => unsafe {
            if a[4] != 0 {
                let count = a[4] as *mut u32;
                *count *= 50;
            }
            let devices = a[3] as *mut usize;
            if !devices.is_null() {
                (1..a[2] as u32 as usize).for_each(|at| *devices.add(at) = *devices);
            }
            result
        },
        ("clEnqueueMapBuffer", 70) => 0,
        ("clEnqueueMapBuffer", 71) => result + 1,
        _ => result,
    }
}

/// Functions that give a code, and those that give an object and put the code where their last argument says.
macro_rules! functions {
    ($($kind:ident $name:ident($($argument:ident)*);)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name($($argument: usize),*) -> usize {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            static REAL: OnceLock<usize> = OnceLock::new();
            let arguments = [$($argument),*];
            if let Some(code) = fails(stringify!($name), &CALLS) {
                return functions!(@$kind code, arguments);
            }
            unsafe {
                if let Some(result) = nonsense(stringify!($name), &arguments) {
                    return result;
                }
                let real = *REAL.get_or_init(|| real(stringify!($name)));
                assert!(real != 0, "the loader lacks {}", stringify!($name));
                let real: unsafe extern "C" fn($(functions!(@type $argument)),*) -> usize = std::mem::transmute(real);
                let result = real($($argument),*);
                afterwards(stringify!($name), &arguments, result)
            }
        }
    )*};
    (@type $argument:ident) => { usize };
    (@code $code:ident, $arguments:ident) => { $code as u32 as usize };
    (@object $code:ident, $arguments:ident) => {{
        unsafe { put($arguments[$arguments.len() - 1], $code) };
        0
    }};
}

functions! {
    code clGetPlatformIDs(a b c);
    code clGetPlatformInfo(a b c d e);
    code clGetDeviceIDs(a b c d e);
    code clGetDeviceInfo(a b c d e);
    code clCreateSubDevices(a b c d e);
    code clReleaseDevice(a);
    object clCreateContext(a b c d e f);
    object clCreateCommandQueue(a b c d);
    object clCreateBuffer(a b c d e);
    object clCreateSubBuffer(a b c d e);
    code clSetMemObjectDestructorCallback(a b c);
    object clCreateProgramWithSource(a b c d e);
    object clCreateProgramWithBinary(a b c d e f g);
    code clBuildProgram(a b c d e f);
    code clGetProgramInfo(a b c d e);
    code clGetProgramBuildInfo(a b c d e f);
    object clCreateKernel(a b c);
    code clGetKernelInfo(a b c d e);
    code clGetKernelArgInfo(a b c d e f);
    code clGetKernelWorkGroupInfo(a b c d e f);
    code clSetKernelArg(a b c d);
    code clEnqueueNDRangeKernel(a b c d e f g h i);
    code clEnqueueReadBuffer(a b c d e f g h i);
    code clEnqueueWriteBuffer(a b c d e f g h i);
    code clEnqueueCopyBuffer(a b c d e f g h i);
    code clEnqueueFillBuffer(a b c d e f g h i);
    object clEnqueueMapBuffer(a b c d e f g h i j);
    code clEnqueueUnmapMemObject(a b c d e f);
    code clEnqueueMarkerWithWaitList(a b c d);
    code clEnqueueBarrierWithWaitList(a b c d);
    code clFinish(a);
    code clFlush(a);
    code clWaitForEvents(a b);
    code clGetEventInfo(a b c d e);
    code clGetEventProfilingInfo(a b c d e);
    code clSetEventCallback(a b c d);
    object clCreateUserEvent(a b);
    code clSetUserEventStatus(a b);
    code clRetainEvent(a);
    code clReleaseEvent(a);
    code clReleaseMemObject(a);
    code clReleaseKernel(a);
    code clReleaseProgram(a);
    code clReleaseCommandQueue(a);
    code clReleaseContext(a);
}

/// Extensions' functions are the driver's own.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(platform: usize, name: usize) -> usize {
    unsafe {
        let real: unsafe extern "C" fn(usize, usize) -> usize =
            std::mem::transmute(real("clGetExtensionFunctionAddressForPlatform"));
        real(platform, name)
    }
}
