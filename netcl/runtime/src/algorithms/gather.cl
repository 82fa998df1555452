// The elements at given positions. ELEMENT is an unsigned integer of the elements' size.

#ifndef ELEMENT
#define ELEMENT uint
#endif

__kernel void gather_elements(__global const ELEMENT* values, __global const uint* positions, __global ELEMENT* out,
                              const uint n) {
    const uint i = get_global_id(0);
    if (i < n) {
        out[i] = values[positions[i]];
    }
}
