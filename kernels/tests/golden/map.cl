#pragma OPENCL FP_CONTRACT OFF

// tanh, which some drivers do not round to 1 for large x.
static inline float netcl_tanh(float x) {
    return fabs(x) >= 9.1f ? copysign(1.0f, x) : tanh(x);
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// y = tanh(a * b + c) * sigmoid(a) + relu(b), one element for each work-item
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void chain(
    __global const float* restrict a,
    __global const float* restrict b,
    __global const float* restrict c,
    __global float* restrict y,
    const uint N
) {
    const int i = get_global_id(0);
    if (i < (int)N) {
        const float av = a[i];
        const float bv = b[i];
        y[i] = netcl_tanh(mad(av, bv, c[i])) * (1.0f / (1.0f + exp(-av))) + netcl_max(bv, 0.0f);
    }
}
