// Whether double-precision arithmetic is there: x * 2^40 + 0.125, exact for small integers, and too long for a float.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void probe(__global double* values) {
    const size_t item = get_global_id(0);
    const double2 pair = (double2)(values[item], values[item]) * 1099511627776.0 + 0.125;
    values[item] = pair.y;
}
