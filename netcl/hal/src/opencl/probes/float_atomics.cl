// Whether f32 values are added atomically by cl_ext_float_atomics.
__kernel void probe(__global float* values) {
    volatile __global atomic_float* sum = (volatile __global atomic_float*)values;
    atomic_fetch_add_explicit(sum, (float)get_global_id(0) * 0.5f, memory_order_relaxed, memory_scope_device);
}
