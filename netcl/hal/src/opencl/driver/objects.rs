//! Contexts, queues, memory, events, programs and kernels, each released with its owner.

use super::check;
use super::info::{self, LARGEST_BINARY, call};
use cl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_DEVICES, CL_PROGRAM_KERNEL_NAMES,
};
use opencl3::Result;
use opencl3::error_codes::{
    CL_INVALID_BUILD_OPTIONS, CL_INVALID_VALUE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, ClError,
    error_text,
};
use opencl3::event::{
    CL_EVENT_COMMAND_EXECUTION_STATUS, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT,
};
use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_NAME, CL_KERNEL_ARG_TYPE_NAME,
    CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_LOCAL_MEM_SIZE,
    CL_KERNEL_NUM_ARGS, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_WORK_GROUP_SIZE,
};
use opencl3::types::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem, cl_program, cl_uint, cl_ulong,
};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// An object of the driver's, which is released when this is dropped.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident: $raw:ty, $release:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(in crate::opencl) struct $name($raw);

        // SAFETY: a driver's object may be used by any thread (OpenCL 3.0, appendix A).
        unsafe impl Send for $name {}

        impl $name {
            /// The driver's own.
            #[inline]
            pub(in crate::opencl) fn get(&self) -> $raw {
                self.0
            }

            /// What a call gave, unless it gave nothing: with `code`, or, where it says that it succeeded, with `missing`.
            #[allow(dead_code, reason = "events are made by commands")]
            fn made(raw: $raw, code: cl_int, missing: cl_int) -> Result<$name> {
                check(code)?;
                if raw.is_null() { Err(ClError(missing)) } else { Ok($name(raw)) }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if self.0.is_null() {
                    return;
                }
                let code = call!($release(self.0));
                if code != 0 {
                    // Of a device that is lost, for example. There is nothing else to do for it.
                    tracing::warn!(code = error_text(code), concat!(stringify!($release), " has failed"));
                }
            }
        }
    };
}

object!(
    /// A part of a device.
    SubDevice: cl_device_id, clReleaseDevice
);
object!(Context: cl_context, clReleaseContext);
object!(CommandQueue: cl_command_queue, clReleaseCommandQueue);
object!(
    /// A buffer or sub-buffer.
    Buffer: cl_mem, clReleaseMemObject
);
object!(Event: cl_event, clReleaseEvent);
object!(
    /// A kernel object. Its arguments are set by one thread at a time.
    Kernel: cl_kernel, clReleaseKernel
);
object!(Program: cl_program, clReleaseProgram);

// SAFETY: all but the setting of a kernel's arguments may be done by several threads at a time (OpenCL 3.0, appendix A).
unsafe impl Sync for SubDevice {}
// SAFETY: as above.
unsafe impl Sync for Context {}
// SAFETY: as above.
unsafe impl Sync for CommandQueue {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Event {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl SubDevice {
    /// Takes over a part that the driver has made.
    pub(super) fn new(raw: cl_device_id) -> SubDevice {
        SubDevice(raw)
    }
}

/// Why a call gave nothing: what it says, or that there is no such function.
fn created<T>(
    missing: *mut T,
    call: impl FnOnce(&mut cl_int) -> std::result::Result<*mut T, cl_int>,
) -> (*mut T, cl_int) {
    let mut code = 0;
    match call(&mut code) {
        Ok(raw) => (raw, code),
        Err(none) => (missing, none),
    }
}

/// As [`call!`], of a function that gives an object.
macro_rules! create {
    ($function:ident($($argument:expr),* ; code)) => {
        created(null_mut(), |code| match cl3::load_library() {
            Ok(loader) => loader.$function($($argument,)* code).ok_or(info::MISSING),
            Err(_) => Err(info::NOT_LOADED),
        })
    };
}

impl Context {
    /// One for all of these devices.
    pub(in crate::opencl) fn from_devices(devices: &[cl_device_id]) -> Result<Context> {
        let (count, list) = (devices.len() as cl_uint, devices.as_ptr());
        let (raw, code) = create!(clCreateContext(std::ptr::null(), count, list, None, null_mut(); code));
        Context::made(raw, code, CL_OUT_OF_RESOURCES)
    }
}

impl CommandQueue {
    /// By the 1.2 call, which is there on every version.
    ///
    /// # Safety
    ///
    /// The device is one of the context's (OpenCL 5.1).
    pub(in crate::opencl) unsafe fn create(
        context: &Context,
        device: cl_device_id,
        properties: cl_ulong,
    ) -> Result<CommandQueue> {
        let (raw, code) = create!(clCreateCommandQueue(context.get(), device, properties; code));
        CommandQueue::made(raw, code, CL_OUT_OF_RESOURCES)
    }

    #[cfg(test)]
    pub(in crate::opencl) fn properties(&self) -> Result<cl_ulong> {
        use opencl3::command_queue::CL_QUEUE_PROPERTIES;
        info::value(&|size, value, told| call!(clGetCommandQueueInfo(self.0, CL_QUEUE_PROPERTIES, size, value, told)))
    }

    pub(in crate::opencl) fn finish(&self) -> Result<()> {
        check(call!(clFinish(self.0)))
    }

    pub(in crate::opencl) fn flush(&self) -> Result<()> {
        check(call!(clFlush(self.0)))
    }
}

impl Buffer {
    /// # Safety
    ///
    /// If the flags say that `host` is used, as many bytes are valid there as long as the buffer lives (OpenCL 5.2.1).
    pub(in crate::opencl) unsafe fn create(
        context: &Context,
        flags: cl_ulong,
        bytes: usize,
        host: *mut c_void,
    ) -> Result<Buffer> {
        let (raw, code) = create!(clCreateBuffer(context.get(), flags, bytes, host; code));
        Buffer::made(raw, code, CL_MEM_OBJECT_ALLOCATION_FAILURE)
    }

    /// # Safety
    ///
    /// The part is inside and starts where the device allows it (OpenCL 5.2.3).
    pub(in crate::opencl) unsafe fn create_sub_buffer(
        &self,
        flags: cl_ulong,
        origin: usize,
        size: usize,
    ) -> Result<Buffer> {
        const CL_BUFFER_CREATE_TYPE_REGION: cl_uint = 0x1220;
        let region = [origin, size];
        let region = region.as_ptr().cast::<c_void>();
        let (raw, code) = create!(clCreateSubBuffer(self.0, flags, CL_BUFFER_CREATE_TYPE_REGION, region; code));
        Buffer::made(raw, code, CL_MEM_OBJECT_ALLOCATION_FAILURE)
    }
}

impl Event {
    /// Takes over an event that a command has given.
    pub(in crate::opencl) fn new(raw: cl_event) -> Event {
        Event(raw)
    }

    pub(in crate::opencl) fn wait(&self) -> Result<()> {
        check(call!(clWaitForEvents(1, &raw const self.0)))
    }

    /// Negative: how it failed. 0: complete.
    pub(in crate::opencl) fn command_execution_status(&self) -> Result<cl_int> {
        info::value(&|size, value, told| {
            call!(clGetEventInfo(self.0, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, told))
        })
    }

    fn time(&self, name: cl_uint) -> Result<cl_ulong> {
        info::value(&|size, value, told| call!(clGetEventProfilingInfo(self.0, name, size, value, told)))
    }

    pub(in crate::opencl) fn profiling_command_queued(&self) -> Result<cl_ulong> {
        self.time(CL_PROFILING_COMMAND_QUEUED)
    }

    pub(in crate::opencl) fn profiling_command_submit(&self) -> Result<cl_ulong> {
        self.time(CL_PROFILING_COMMAND_SUBMIT)
    }

    pub(in crate::opencl) fn profiling_command_start(&self) -> Result<cl_ulong> {
        self.time(CL_PROFILING_COMMAND_START)
    }

    pub(in crate::opencl) fn profiling_command_end(&self) -> Result<cl_ulong> {
        self.time(CL_PROFILING_COMMAND_END)
    }
}

impl Program {
    /// Of a text that is not empty.
    pub(in crate::opencl) fn create_from_source(context: &Context, text: &str) -> Result<Program> {
        if text.is_empty() {
            // A length of 0 means that the text ends with a NUL (OpenCL 5.8.1), which it does not.
            return Err(ClError(CL_INVALID_VALUE));
        }
        let (lengths, texts) = ([text.len()], [text.as_ptr().cast()]);
        let (texts, lengths) = (texts.as_ptr(), lengths.as_ptr());
        let (raw, code) = create!(clCreateProgramWithSource(context.get(), 1, texts, lengths; code));
        Program::made(raw, code, CL_OUT_OF_RESOURCES)
    }

    /// # Safety
    ///
    /// The binary is one that this driver gave for this device, or one that it refuses (OpenCL 5.8.1).
    pub(in crate::opencl) unsafe fn create_from_binary(
        context: &Context,
        device: cl_device_id,
        binary: &[u8],
    ) -> Result<Program> {
        let (devices, lengths, binaries) = ([device], [binary.len()], [binary.as_ptr()]);
        let mut status = 0;
        let (devices, lengths, binaries) = (devices.as_ptr(), lengths.as_ptr(), binaries.as_ptr());
        let status = &raw mut status;
        let (raw, code) =
            create!(clCreateProgramWithBinary(context.get(), 1, devices, lengths, binaries, status; code));
        Program::made(raw, code, CL_OUT_OF_RESOURCES)
    }

    /// Compiles and links it for one of its context's devices.
    pub(in crate::opencl) fn build(&self, device: cl_device_id, options: &str) -> Result<()> {
        let options = CString::new(options).map_err(|_| ClError(CL_INVALID_BUILD_OPTIONS))?;
        let devices = [device];
        check(call!(clBuildProgram(self.0, 1, devices.as_ptr(), options.as_ptr(), None, null_mut())))
    }

    /// Those that it is for, in the driver's order.
    fn get_devices(&self) -> Result<Vec<isize>> {
        info::list(&|size, value, told| call!(clGetProgramInfo(self.0, CL_PROGRAM_DEVICES, size, value, told)))
    }

    /// The binary for one of them; none where it was not built for that.
    pub(in crate::opencl) fn binary_for(&self, device: cl_device_id) -> Result<Option<Vec<u8>>> {
        let own = self.get_devices()?.iter().position(|&known| known == device as isize);
        let mut binaries = self.get_binaries()?;
        Ok(own
            .filter(|&own| own < binaries.len())
            .map(|own| binaries.swap_remove(own))
            .filter(|binary| !binary.is_empty()))
    }

    /// Of each device; empty where it was not built for that.
    fn get_binaries(&self) -> Result<Vec<Vec<u8>>> {
        let ask = |name| {
            move |size: usize, value: *mut c_void, told: *mut usize| {
                call!(clGetProgramInfo(self.0, name, size, value, told))
            }
        };
        let sizes: Vec<usize> = info::list(&ask(CL_PROGRAM_BINARY_SIZES))?;
        if sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size)).is_none_or(|sum| sum > LARGEST_BINARY) {
            return Err(ClError(CL_INVALID_VALUE));
        }
        let mut binaries = sizes.iter().map(|&size| info::zeros(size)).collect::<Result<Vec<Vec<u8>>>>()?;
        let places: Vec<*mut u8> = binaries
            .iter_mut()
            .map(|binary| if binary.is_empty() { null_mut() } else { binary.as_mut_ptr() })
            .collect();
        // Without any there is nothing to ask for, and rusticl 22.3 writes where there is no place.
        if !sizes.iter().all(|&size| size == 0) {
            let (size, places) = (size_of_val(places.as_slice()), places.as_ptr().cast_mut().cast());
            check(ask(CL_PROGRAM_BINARIES)(size, places, null_mut()))?;
        }
        Ok(binaries)
    }

    /// With a `;` between them.
    pub(in crate::opencl) fn get_kernel_names(&self) -> Result<String> {
        info::text(&|size, value, told| call!(clGetProgramInfo(self.0, CL_PROGRAM_KERNEL_NAMES, size, value, told)))
    }

    pub(in crate::opencl) fn get_build_log(&self, device: cl_device_id) -> Result<String> {
        info::text(&|size, value, told| {
            call!(clGetProgramBuildInfo(self.0, device, CL_PROGRAM_BUILD_LOG, size, value, told))
        })
    }
}

impl Kernel {
    pub(in crate::opencl) fn create(program: &Program, name: &str) -> Result<Kernel> {
        let name = CString::new(name).map_err(|_| ClError(CL_INVALID_VALUE))?;
        let (raw, code) = create!(clCreateKernel(program.get(), name.as_ptr(); code));
        Kernel::made(raw, code, CL_OUT_OF_RESOURCES)
    }

    pub(in crate::opencl) fn num_args(&self) -> Result<cl_uint> {
        info::value(&|size, value, told| call!(clGetKernelInfo(self.0, CL_KERNEL_NUM_ARGS, size, value, told)))
    }

    pub(in crate::opencl) fn function_name(&self) -> Result<String> {
        info::text(&|size, value, told| call!(clGetKernelInfo(self.0, CL_KERNEL_FUNCTION_NAME, size, value, told)))
    }

    pub(in crate::opencl) fn get_compile_work_group_size(&self, device: cl_device_id) -> Result<Vec<usize>> {
        info::list(&|size, value, told| {
            call!(clGetKernelWorkGroupInfo(self.0, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size, value, told))
        })
    }

    pub(in crate::opencl) fn get_local_mem_size(&self, device: cl_device_id) -> Result<cl_ulong> {
        info::value(&|size, value, told| {
            call!(clGetKernelWorkGroupInfo(self.0, device, CL_KERNEL_LOCAL_MEM_SIZE, size, value, told))
        })
    }

    fn of_group(&self, device: cl_device_id, name: cl_uint) -> Result<usize> {
        info::value(&|size, value, told| call!(clGetKernelWorkGroupInfo(self.0, device, name, size, value, told)))
    }

    pub(in crate::opencl) fn get_work_group_size(&self, device: cl_device_id) -> Result<usize> {
        self.of_group(device, CL_KERNEL_WORK_GROUP_SIZE)
    }

    pub(in crate::opencl) fn get_work_group_size_multiple(&self, device: cl_device_id) -> Result<usize> {
        self.of_group(device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
    }

    pub(in crate::opencl) fn get_arg_address_qualifier(&self, index: cl_uint) -> Result<cl_uint> {
        self.argument(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER)
    }

    pub(in crate::opencl) fn get_arg_access_qualifier(&self, index: cl_uint) -> Result<cl_uint> {
        self.argument(index, CL_KERNEL_ARG_ACCESS_QUALIFIER)
    }

    pub(in crate::opencl) fn get_arg_type_qualifier(&self, index: cl_uint) -> Result<cl_ulong> {
        self.argument(index, CL_KERNEL_ARG_TYPE_QUALIFIER)
    }

    fn argument<T: info::Plain>(&self, index: cl_uint, name: cl_uint) -> Result<T> {
        info::value(&|size, value, told| call!(clGetKernelArgInfo(self.0, index, name, size, value, told)))
    }

    pub(in crate::opencl) fn get_arg_type_name(&self, index: cl_uint) -> Result<String> {
        info::text(&|size, value, told| {
            call!(clGetKernelArgInfo(self.0, index, CL_KERNEL_ARG_TYPE_NAME, size, value, told))
        })
    }

    pub(in crate::opencl) fn get_arg_name(&self, index: cl_uint) -> Result<String> {
        info::text(&|size, value, told| call!(clGetKernelArgInfo(self.0, index, CL_KERNEL_ARG_NAME, size, value, told)))
    }
}
