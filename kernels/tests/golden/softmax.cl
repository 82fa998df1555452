#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float8 netcl_max8(float8 a, float8 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float4 netcl_max4(float4 a, float4 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float2 netcl_max2(float2 a, float2 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The maximum over the lanes, by halves.
static inline float netcl_maximum8(float8 v) {
    const float4 v4 = netcl_max4(v.lo, v.hi);
    const float2 v2 = netcl_max2(v4.lo, v4.hi);
    return netcl_max(v2.lo, v2.hi);
}

// y[r, ..] = softmax(x[r, ..]), one work-item for each row, eight columns at a time
__kernel void softmax_rows(
    __global const float* restrict x,
    __global float* restrict y,
    const uint R,
    const uint C
) {
    const int row = get_global_id(0);
    if (row < (int)R) {
        const int start = row * (int)C;
        const int wide = (int)C - (int)C % 8;
        // the largest element
        float8 most = (float8)(-INFINITY);
        for (int c = 0; c < wide; c += 8) {
            most = netcl_max8(most, vload8(0, &x[start + c]));
        }
        float largest = netcl_maximum8(most);
        for (int d = wide; d < (int)C; ++d) {
            largest = netcl_max(largest, x[start + d]);
        }
        // exponentials and their sum
        float total = 0.0f;
        for (int d2 = 0; d2 < (int)C; ++d2) {
            const float e = exp(x[start + d2] - largest);
            y[start + d2] = e;
            total += e;
        }
        for (int k = 0; k < (int)C; ++k) {
            y[start + k] = exp(x[start + k] - largest) / total;
        }
    }
}
