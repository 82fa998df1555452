#pragma OPENCL FP_CONTRACT OFF

// Atomic add; gives the old value.
static inline float netcl_atomic_add_global(volatile __global float* place, const float value) {
    volatile __global uint* bits = (volatile __global uint*)place;
    // Exchanging 0 for 0 reads: a plain read would race with the others' updates.
    uint old = atomic_cmpxchg(bits, 0, 0), seen;
    do {
        seen = old;
        old = atomic_cmpxchg(bits, seen, as_uint(as_float(seen) + value));
    } while (old != seen);
    return as_float(old);
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// Atomic max; gives the old value.
static inline float netcl_atomic_max_global(volatile __global float* place, const float value) {
    volatile __global uint* bits = (volatile __global uint*)place;
    // Exchanging 0 for 0 reads: a plain read would race with the others' updates.
    uint old = atomic_cmpxchg(bits, 0, 0), seen;
    do {
        seen = old;
        old = atomic_cmpxchg(bits, seen, as_uint(netcl_max(as_float(seen), value)));
    } while (old != seen);
    return as_float(old);
}

// counts[v] += 1 for each byte v of x, through a histogram for each work-group
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void histogram(
    __global const uchar* restrict x,
    __global uint* restrict counts,
    __global const float* restrict weights,
    __global float* restrict weighted,
    const uint N
) {
    __local uint bins[256];
    const uint item = get_local_id(0);
    for (uint b = item; b < 256; b += 64) {
        bins[b] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint i = get_global_id(0);
    if (i < N) {
        atomic_add(&bins[(uint)x[i]], 1u);
        netcl_atomic_add_global(&weighted[(uint)x[i]], weights[i]);
        netcl_atomic_max_global(&weighted[256], weights[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = item; d < 256; d += 64) {
        if (bins[d] != 0) {
            const uint before = atomic_add(&counts[d], bins[d]);
            if (before == 0) {
                // the first group that has seen this value
                atomic_or(&counts[256], 1u << (d & 31));
            }
        }
    }
}
