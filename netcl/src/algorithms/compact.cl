// Picks elements. ELEMENT is an unsigned integer of the elements' size.

#ifndef ELEMENT
#define ELEMENT uint
#endif

// places are the exclusive prefixes of the mask: where a kept element goes. out has room for `kept`: a mask that was
// written to since its elements were counted does not make this write elsewhere.
__kernel void keep_elements(__global const ELEMENT* values, __global const uchar* mask, __global const uint* places,
                            __global ELEMENT* out, const uint n, const uint kept) {
    const uint i = get_global_id(0);
    if (i < n && mask[i] != 0 && places[i] < kept) {
        out[places[i]] = values[i];
    }
}

// The positions themselves.
__kernel void keep_positions(__global const uchar* mask, __global const uint* places, __global uint* out, const uint n,
                             const uint kept) {
    const uint i = get_global_id(0);
    if (i < n && mask[i] != 0 && places[i] < kept) {
        out[places[i]] = i;
    }
}

// How many are kept; n is not 0.
__kernel void count_kept(__global const uchar* mask, __global const uint* places, __global uint* total, const uint n) {
    if (get_global_id(0) == 0) {
        total[0] = places[n - 1] + (mask[n - 1] != 0);
    }
}

// The elements at these positions.
__kernel void gather_elements(__global const ELEMENT* values, __global const uint* positions, __global ELEMENT* out,
                              const uint n) {
    const uint i = get_global_id(0);
    if (i < n) {
        out[i] = values[positions[i]];
    }
}
