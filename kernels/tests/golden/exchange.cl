#pragma OPENCL FP_CONTRACT OFF

// y[i] = x[i] + x[j], the sum of what an item and its mirror have written
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void exchange(__global const float* restrict x, __global float* scratch, __global float* y) {
    const uint item = get_local_id(0);
    scratch[item] = x[item];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    y[item] = scratch[item] + scratch[63 - item];
}
