#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline double4 netcl_max_double4(double4 a, double4 b) {
    return select(a, b, (a < b) | (b != b));
}

// The smaller value; NaN if either is NaN.
static inline double4 netcl_min_double4(double4 a, double4 b) {
    return select(a, b, (a > b) | (b != b));
}

// -1, 0 or 1; zeros and NaN stay.
static inline double4 netcl_sign_double4(double4 x) {
    return select(sign(x), x, x != x);
}

// The larger value; NaN if either is NaN.
static inline double2 netcl_max_double2(double2 a, double2 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline double netcl_max_double(double a, double b) {
    return a < b || b != b ? b : a;
}

// The maximum over the lanes, by halves.
static inline double netcl_maximum_double4(double4 v) {
    const double2 v2 = netcl_max_double2(v.lo, v.hi);
    return netcl_max_double(v2.lo, v2.hi);
}

// Toward zero, saturating; NaN gives 0.
static inline int netcl_int_from_double(double x) {
    return convert_int_sat(x != x ? 0 : x);
}

// Atomic add; gives the old value.
static inline double netcl_atomic_add_global_double(volatile __global double* place, const double value) {
    volatile __global ulong* bits = (volatile __global ulong*)place;
    // Exchanging 0 for 0 reads: a plain read would race with the others' updates.
    ulong old = atom_cmpxchg(bits, 0, 0), seen;
    do {
        seen = old;
        old = atom_cmpxchg(bits, seen, as_ulong(as_double(seen) + value));
    } while (old != seen);
    return as_double(old);
}

// Double precision, and floats of every kind
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void doubles(
    __global const double* restrict x,
    __global double* restrict y,
    __global float* restrict f,
    __global double* restrict a,
    const uint N
) {
    const uint i = get_global_id(0);
    const double4 v = vload4(0, &x[i]);
    vstore4(netcl_max_double4(netcl_min_double4(v, (double4)(1.0)), netcl_sign_double4(v)), 0, &y[i]);
    vstore4(select((double4)((double)NAN), rint(v), convert_long4(convert_int4(v > 0.1))), 0, &y[i]);
    y[i] = netcl_maximum_double4(erf(v));
    f[i] = (float)sqrt(x[i]);
    f[i] = 0.1f + 1e-45f + -3.4028235e38f * (x[i] < (double)INFINITY ? -INFINITY : NAN);
    f[i] = (float)netcl_int_from_double(x[i]);
    f[i] = atan2(pow(rsqrt(2.0f), 3.0f), fmod(5.5f, -2.0f));
    netcl_atomic_add_global_double(&a[0], x[i]);
}
