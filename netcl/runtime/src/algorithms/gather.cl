// The elements at given positions, of as many; 0 where there is none. ELEMENT is an unsigned integer of the elements' size.

#ifndef ELEMENT
#define ELEMENT uint
#endif

__kernel void gather_elements(__global const ELEMENT* values, __global const uint* positions, __global ELEMENT* out,
                              const uint n) {
    const uint i = get_global_id(0);
    if (i < n) {
        ELEMENT value = 0;
        const uint position = positions[i];
        if (position < n) {
            value = values[position];
        }
        out[i] = value;
    }
}
