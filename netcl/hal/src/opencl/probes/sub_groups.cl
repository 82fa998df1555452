// How large sub-groups are, and whether as many work-items exchange values. SIZE asks for a size.
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

#ifdef SIZE
__attribute__((intel_reqd_sub_group_size(SIZE)))
#endif
__kernel void probe(__global uint* values) {
    const size_t item = get_global_id(0);
    values[2 * item] = get_sub_group_size();
    values[2 * item + 1] = sub_group_reduce_add(1u);
}
