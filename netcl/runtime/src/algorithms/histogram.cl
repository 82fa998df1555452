// How many elements fall into each bin.
//
// Hooks, each with a default so that this file compiles alone:
//   ELEMENT, GET   type of the elements as they are stored; element i as it is computed with
//   PARAMETERS     what BIN needs besides, each after a comma
//   BIN(x)         the bin of an element; anything from bins on is in none
//   LOCAL          1: every group counts in local memory first; 0: all count in global memory

#ifndef ELEMENT
#define ELEMENT uint
#define GET(p, i) ((p)[i])
#define PARAMETERS
#define BIN(x) (x)
#endif
#ifndef LOCAL
#define LOCAL 1
#endif

// Between low and high in equal bins, the last of which includes high; NaN is in none.
uint bin_of_float(const float x, const float low, const float high, const float scale, const uint bins) {
    if (!(x >= low && x <= high)) {
        return bins;
    }
    return min((uint)((x - low) * scale), bins - 1);
}

__kernel void count_bins(__global const ELEMENT* values, __global uint* counts, __local uint* own, const ulong n,
                         const uint bins PARAMETERS) {
#if LOCAL
    for (uint bin = get_local_id(0); bin < bins; bin += get_local_size(0)) {
        own[bin] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint bin = BIN(GET(values, i));
        if (bin < bins) {
#if LOCAL
            atomic_inc(&own[bin]);
#else
            atomic_inc(&counts[bin]);
#endif
        }
    }
#if LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = get_local_id(0); bin < bins; bin += get_local_size(0)) {
        if (own[bin] != 0) {
            atomic_add(&counts[bin], own[bin]);
        }
    }
#endif
}
