#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

#pragma OPENCL FP_CONTRACT OFF

// The extremum (max) over the sub-group; NaN if any item has NaN.
static inline float netcl_sub_group_max(float x) {
    const float extremum = sub_group_reduce_max(x);
    return sub_group_any(x != x) ? NAN : extremum;
}

// y[g] = sum and x[g] = maximum over each work-group, through sub-groups
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void group_sum(
    __global const float* restrict x,
    __global float* restrict y,
    __global float* restrict z,
    const uint N
) {
    __local float partial[64];
    const uint i = get_global_id(0);
    const float value = i < N ? x[i] : 0.0f;
    const float sum = sub_group_reduce_add(value);
    const float most = netcl_sub_group_max(value + sub_group_shuffle_xor(value, 1u));
    const uint id = get_sub_group_id();
    if (get_sub_group_local_id() == 0) {
        partial[id] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float total = 0.0f;
        for (uint k = 0; k < (uint)get_local_size(0) / get_sub_group_size(); ++k) {
            total += partial[k];
        }
        y[get_group_id(0)] = total;
        z[get_group_id(0)] = most;
    }
}
