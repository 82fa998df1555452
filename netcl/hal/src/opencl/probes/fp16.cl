// Whether half-precision arithmetic is there: x * x + 0.5, exact for the values that are given.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void probe(__global float* values) {
    const size_t item = get_global_id(0);
    const half x = (half)values[item];
    const half2 pair = (half2)(x, x) * (half2)(x, x) + (half2)(0.5h, 0.5h);
    values[item] = (float)pair.y;
}
