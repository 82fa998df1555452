// Picks elements.
//
// Hooks, each with a default so that this file compiles alone:
//   ELEMENT        what is picked: an unsigned integer of the elements' size
//   INPUTS         the parameters that VALUE reads, each followed by a comma
//   VALUE(i)       element i

#ifndef ELEMENT
#define ELEMENT uint
#endif
#ifndef INPUTS
#define INPUTS __global const ELEMENT* values,
#define VALUE(i) (values[i])
#endif

// places are the exclusive prefixes of the mask: where a kept element goes. out has room for `kept`: a mask that was
// written to since its elements were counted does not make this write elsewhere.
__kernel void keep_elements(INPUTS __global const uchar* mask, __global const uint* places, __global ELEMENT* out,
                            const uint n, const uint kept) {
    const uint i = get_global_id(0);
    if (i < n && mask[i] != 0 && places[i] < kept) {
        out[places[i]] = VALUE(i);
    }
}

// How many are kept; n is not 0.
__kernel void count_kept(__global const uchar* mask, __global const uint* places, __global uint* total, const uint n) {
    if (get_global_id(0) == 0) {
        total[0] = places[n - 1] + (mask[n - 1] != 0);
    }
}
