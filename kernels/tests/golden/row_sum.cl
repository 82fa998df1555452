#pragma OPENCL FP_CONTRACT OFF

// y[r] = sum(x[r, ..]), one work-group for each row
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void row_sum(__global const float* restrict x, __global float* restrict y, const uint R, const uint C) {
    __local float partial[256];
    const uint row = get_group_id(0);
    const uint item = get_local_id(0);
    float total = 0.0f;
    for (uint c = item; c < C; c += 256) {
        total += x[row * C + c];
    }
    partial[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint half_1 = 128;
    while (half_1 > 0) {
        if (item < half_1) {
            partial[item] += partial[item + half_1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        half_1 >>= 1;
    }
    if (item == 0) {
        y[row] = partial[0];
    }
}
