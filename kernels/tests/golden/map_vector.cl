#pragma OPENCL FP_CONTRACT OFF

// tanh, which some drivers do not round to 1 for large x.
static inline float16 netcl_tanh16(float16 x) {
    return select(tanh(x), copysign((float16)(1.0f), x), fabs(x) >= (float16)(9.1f));
}

// The larger value; NaN if either is NaN.
static inline float16 netcl_max16(float16 a, float16 b) {
    return select(a, b, (a < b) | (b != b));
}

// tanh, which some drivers do not round to 1 for large x.
static inline float netcl_tanh(float x) {
    return fabs(x) >= 9.1f ? copysign(1.0f, x) : tanh(x);
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// y = tanh(a * b + c) * sigmoid(a) + relu(b), 16 elements for each work-item
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void chain_vector(
    __global const float* restrict a,
    __global const float* restrict b,
    __global const float* restrict c,
    __global float* restrict y,
    const uint N
) {
    const int i = (int)get_global_id(0) * 16;
    const int n = (int)N;
    if (i + 16 <= n) {
        const float16 av = vload16(0, &a[i]);
        const float16 bv = vload16(0, &b[i]);
        vstore16(netcl_tanh16(mad(av, bv, vload16(0, &c[i]))) * (1.0f / (1.0f + exp(-av)))
            + netcl_max16(bv, (float16)(0.0f)), 0, &y[i]);
    } else {
        // what is left over
        for (int tail = i; tail < n; ++tail) {
            const float as = a[tail];
            const float bs = b[tail];
            y[tail] = netcl_tanh(mad(as, bs, c[tail])) * (1.0f / (1.0f + exp(-as))) + netcl_max(bs, 0.0f);
        }
    }
}
