//! Platforms and devices, and what they say about themselves.

use super::check;
use super::info::{self, call};
use super::objects::SubDevice;
use cl3::device::{
    CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_EXTENSIONS,
    CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_LOCAL_MEM_TYPE,
    CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_NUM_SUB_GROUPS,
    CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_NAME,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
    CL_DEVICE_PARTITION_PROPERTIES, CL_DEVICE_PLATFORM, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_DEVICE_SINGLE_FP_CONFIG,
    CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_TYPE, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
};
use cl3::platform::{CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION};
use opencl3::Result;
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, CL_INVALID_VALUE, ClError};
use opencl3::types::{cl_device_id, cl_device_partition_property, cl_int, cl_platform_id, cl_uint, cl_ulong};
use std::ptr::null_mut;

// Of extensions of the vendors.
const CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: cl_uint = 0x4000;
const CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: cl_uint = 0x4001;
const CL_DEVICE_WARP_SIZE_NV: cl_uint = 0x4003;
const CL_DEVICE_INTEGRATED_MEMORY_NV: cl_uint = 0x4006;
const CL_DEVICE_WAVEFRONT_WIDTH_AMD: cl_uint = 0x4043;
const CL_DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;

/// The most platforms, devices of one platform, or parts of a device: a driver that says more does not mean it.
const MOST: cl_uint = 4096;

/// Handles that a driver lists, each once and none that is null. It is asked twice: how many there are, and which.
fn handles<T>(ask: &dyn Fn(cl_uint, *mut *mut T, *mut cl_uint) -> cl_int) -> Result<Vec<*mut T>> {
    let mut count = 0;
    check(ask(0, null_mut(), &raw mut count))?;
    if count > MOST {
        return Err(ClError(CL_INVALID_VALUE));
    }
    let mut list = vec![null_mut(); count as usize];
    if count > 0 {
        check(ask(count, list.as_mut_ptr(), null_mut()))?;
    }
    let mut known: Vec<*mut T> = Vec::with_capacity(list.len());
    for handle in list {
        if !handle.is_null() && !known.contains(&handle) {
            known.push(handle);
        }
    }
    Ok(known)
}

/// Every platform, in the loader's order.
pub(in crate::opencl) fn platforms() -> Result<Vec<Platform>> {
    let list = handles(&|count, list, told| call!(clGetPlatformIDs(count, list, told)))?;
    Ok(list.into_iter().map(Platform).collect())
}

/// A driver, as the loader knows it.
#[derive(Clone, Copy, Debug)]
pub(in crate::opencl) struct Platform(cl_platform_id);

impl Platform {
    /// Its devices of these kinds, in its order.
    pub(in crate::opencl) fn get_devices(&self, kinds: cl_ulong) -> Result<Vec<Device>> {
        let list = handles(&|count, list, told| call!(clGetDeviceIDs(self.0, kinds, count, list, told)));
        match list {
            Err(ClError(CL_DEVICE_NOT_FOUND)) => Ok(Vec::new()),
            list => Ok(list?.into_iter().map(Device).collect()),
        }
    }

    fn text(&self, name: cl_uint) -> Result<String> {
        info::text(&|size, value, told| call!(clGetPlatformInfo(self.0, name, size, value, told)))
    }

    pub(in crate::opencl) fn name(&self) -> Result<String> {
        self.text(CL_PLATFORM_NAME)
    }

    pub(in crate::opencl) fn vendor(&self) -> Result<String> {
        self.text(CL_PLATFORM_VENDOR)
    }

    pub(in crate::opencl) fn version(&self) -> Result<String> {
        self.text(CL_PLATFORM_VERSION)
    }
}

/// A device, which is the driver's, or a part's [`SubDevice`].
#[derive(Clone, Copy, Debug)]
pub(in crate::opencl) struct Device(cl_device_id);

// SAFETY: a driver's object may be used by any thread (OpenCL 3.0, appendix A).
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// Questions whose answer is one number.
macro_rules! numbers {
    ($($name:ident: $ty:ty, $question:ident;)*) => {
        impl Device {$(
            pub(in crate::opencl) fn $name(&self) -> Result<$ty> {
                info::value(&|size, value, told| self.ask($question, size, value, told))
            }
        )*}
    };
}
numbers! {
    dev_type: cl_ulong, CL_DEVICE_TYPE;
    max_compute_units: cl_uint, CL_DEVICE_MAX_COMPUTE_UNITS;
    max_work_group_size: usize, CL_DEVICE_MAX_WORK_GROUP_SIZE;
    global_mem_size: cl_ulong, CL_DEVICE_GLOBAL_MEM_SIZE;
    max_mem_alloc_size: cl_ulong, CL_DEVICE_MAX_MEM_ALLOC_SIZE;
    local_mem_size: cl_ulong, CL_DEVICE_LOCAL_MEM_SIZE;
    local_mem_type: cl_uint, CL_DEVICE_LOCAL_MEM_TYPE;
    mem_base_addr_align: cl_uint, CL_DEVICE_MEM_BASE_ADDR_ALIGN;
    native_vector_width_float: cl_uint, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT;
    single_fp_config: cl_ulong, CL_DEVICE_SINGLE_FP_CONFIG;
    double_fp_config: cl_ulong, CL_DEVICE_DOUBLE_FP_CONFIG;
    queue_on_host_properties: cl_ulong, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES;
    svm_capabilities: cl_ulong, CL_DEVICE_SVM_CAPABILITIES;
    partition_max_sub_devices: cl_uint, CL_DEVICE_PARTITION_MAX_SUB_DEVICES;
    partition_affinity_domain: cl_ulong, CL_DEVICE_PARTITION_AFFINITY_DOMAIN;
    host_unified_memory: cl_uint, CL_DEVICE_HOST_UNIFIED_MEMORY;
    integrated_memory_nv: cl_uint, CL_DEVICE_INTEGRATED_MEMORY_NV;
    compute_capability_major_nv: cl_uint, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV;
    compute_capability_minor_nv: cl_uint, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV;
    wrap_size_nv: cl_uint, CL_DEVICE_WARP_SIZE_NV;
    wavefront_width_amd: cl_uint, CL_DEVICE_WAVEFRONT_WIDTH_AMD;
    device_ip_version_intel: cl_uint, CL_DEVICE_IP_VERSION_INTEL;
    available_flag: cl_uint, CL_DEVICE_AVAILABLE;
    compiler_flag: cl_uint, CL_DEVICE_COMPILER_AVAILABLE;
    max_num_sub_groups: cl_uint, CL_DEVICE_MAX_NUM_SUB_GROUPS;
    platform_handle: usize, CL_DEVICE_PLATFORM;
}

impl Device {
    pub(in crate::opencl) fn new(id: cl_device_id) -> Device {
        Device(id)
    }

    pub(in crate::opencl) fn id(&self) -> cl_device_id {
        self.0
    }

    fn ask(&self, name: cl_uint, size: usize, value: *mut std::ffi::c_void, told: *mut usize) -> cl_int {
        call!(clGetDeviceInfo(self.0, name, size, value, told))
    }

    fn text(&self, name: cl_uint) -> Result<String> {
        info::text(&|size, value, told| self.ask(name, size, value, told))
    }

    pub(in crate::opencl) fn name(&self) -> Result<String> {
        self.text(CL_DEVICE_NAME)
    }

    pub(in crate::opencl) fn version(&self) -> Result<String> {
        self.text(CL_DEVICE_VERSION)
    }

    pub(in crate::opencl) fn driver_version(&self) -> Result<String> {
        self.text(CL_DRIVER_VERSION)
    }

    pub(in crate::opencl) fn extensions(&self) -> Result<String> {
        self.text(CL_DEVICE_EXTENSIONS)
    }

    pub(in crate::opencl) fn available(&self) -> Result<bool> {
        Ok(self.available_flag()? != 0)
    }

    pub(in crate::opencl) fn compiler_available(&self) -> Result<bool> {
        Ok(self.compiler_flag()? != 0)
    }

    /// The platform that it is of.
    pub(in crate::opencl) fn platform(&self) -> Result<cl_platform_id> {
        Ok(std::ptr::without_provenance_mut(self.platform_handle()?))
    }

    pub(in crate::opencl) fn max_work_item_sizes(&self) -> Result<Vec<usize>> {
        info::list(&|size, value, told| self.ask(CL_DEVICE_MAX_WORK_ITEM_SIZES, size, value, told))
    }

    pub(in crate::opencl) fn partition_properties(&self) -> Result<Vec<cl_device_partition_property>> {
        info::list(&|size, value, told| self.ask(CL_DEVICE_PARTITION_PROPERTIES, size, value, told))
    }

    /// The answer to a question of an extension, as bytes.
    pub(in crate::opencl) fn get_data(&self, name: cl_uint) -> Result<Vec<u8>> {
        info::list(&|size, value, told| self.ask(name, size, value, told))
    }

    /// Divides it (OpenCL 4.3); the properties end with 0.
    pub(in crate::opencl) fn create_sub_devices(
        &self,
        properties: &[cl_device_partition_property],
    ) -> Result<Vec<SubDevice>> {
        let properties = properties.as_ptr();
        let parts = handles(&|count, list, told| call!(clCreateSubDevices(self.0, properties, count, list, told)))?;
        Ok(parts.into_iter().map(SubDevice::new).collect())
    }
}
