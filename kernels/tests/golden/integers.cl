#pragma OPENCL FP_CONTRACT OFF

// a / b, and 0 where b is 0; the divisor -1 wraps.
static inline int netcl_div_int(int a, int b) {
    return b == 0 ? 0 : b == -1 ? (int)(0u - (uint)a) : a / b;
}

// a % b, and 0 where b is 0; the divisor -1 wraps.
static inline int netcl_rem_int(int a, int b) {
    return b == 0 ? 0 : b == -1 ? 0 : a % b;
}

// -1, 0 or 1.
static inline int netcl_sign_int(int x) {
    return (x > 0) - (x < 0);
}

// |x|; the least number stays.
static inline int netcl_abs_int(int x) {
    return x < 0 ? (int)(0u - (uint)x) : x;
}

// Toward zero, saturating; NaN gives 0.
static inline int netcl_int_from_float(float x) {
    return convert_int_sat(x != x ? 0 : x);
}

// a / b, and 0 where b is 0; the divisor -1 wraps.
static inline int4 netcl_div_int4(int4 a, int4 b) {
    const int4 quotient = a / select(b, (int4)(1), (b == 0) | (b == -1));
    return select(select(quotient, -a, b == -1), (int4)(0), b == 0);
}

// -1, 0 or 1.
static inline int4 netcl_sign_int4(int4 x) {
    return convert_int4((x < 0) - (x > 0));
}

// |x|; the least number stays.
static inline int4 netcl_abs_int4(int4 x) {
    return select(x, -x, x < 0);
}

// Toward zero, saturating; NaN gives 0.
static inline uchar4 netcl_uchar4_from_float4(float4 x) {
    return convert_uchar4_sat(select(x, (float4)(0), x != x));
}

// The sum over the lanes, by halves.
static inline int netcl_sum_int4(int4 v) {
    const int2 v2 = v.lo + v.hi;
    return v2.lo + v2.hi;
}

// The product over the lanes, by halves.
static inline int netcl_product_int4(int4 v) {
    const int2 v2 = v.lo * v.hi;
    return v2.lo * v2.hi;
}

// The minimum over the lanes, by halves.
static inline int netcl_minimum_int4(int4 v) {
    const int2 v2 = min(v.lo, v.hi);
    return min(v2.lo, v2.hi);
}

// Integer arithmetic: wrapping, guarded division, shifts, bytes, masks
__kernel void integers(
    __global const int* restrict a,
    __global const int* restrict b,
    __global const uchar* restrict c,
    __global const long* restrict d,
    __global int* restrict y,
    __global uchar* restrict z,
    __global long* restrict w,
    const uint N,
    const uint C
) {
    const int i = get_global_id(0);
    const int p = a[i];
    const int q = b[i / (int)C * (int)C + i % (int)C];
    y[i] = (int)((uint)p * q - 7u + (0u - q));
    y[i + 1] = netcl_div_int(p, q) ^ netcl_rem_int(p, q);
    y[i + 2] = (p & 255) | (q << 3);
    y[i + 3] = (int)((uint)netcl_sign_int(p) + netcl_abs_int(q));
    y[i + 4] = (int)((uint)max(p, q) + netcl_int_from_float((float)min(p, INT_MIN)));
    y[i + 5] = p < q && (p == 0 || q <= 5) ? as_int(1.5f) : (int)((uint)p * q + 3u);
    z[i] = (uchar)((uchar)(c[i] * 3) + (uchar)((uchar)~c[i] >> ((uchar)1 & 7)));
    w[i] = (long)((ulong)d[i] * (long)p - 9223372036854775808UL);
    const int4 v = vload4(0, &a[i]);
    const int4 u = vload4(0, &b[i]);
    vstore4(netcl_div_int4(v, u), 0, &y[i]);
    vstore4(netcl_sign_int4(v) + netcl_abs_int4(u) * -(v < u), 0, &y[i]);
    vstore4(select(u << 2, v, convert_int4(convert_long4(v) != vload4(0, &d[i]))), 0, &y[i]);
    vstore4(select(convert_long4(v), vload4(0, &d[i]), convert_long4(v < u)), 0, &w[i]);
    vstore4(netcl_uchar4_from_float4(convert_float4(v)), 0, &z[i]);
    y[i] = (int)(v.s3 + (netcl_sum_int4(u) + ((uint)netcl_product_int4(u) + netcl_minimum_int4(v))));
}
