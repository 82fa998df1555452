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

// places are the exclusive prefixes of the mask, and out has room for `kept`: an element goes to all places from its own
// up to that of the next element, which is to one if it is kept, and to none if not. If the mask was written to while the
// prefixes were made, these may not ascend by steps of one; each of the result's elements is written nevertheless, as they
// begin at 0 and end at `kept`, and none beyond.
__kernel void keep_elements(INPUTS __global const uint* places, __global ELEMENT* out, const uint n, const uint kept) {
    const uint i = get_global_id(0);
    if (i < n) {
        uint end = kept;
        if (i + 1 < n) {
            end = min(places[i + 1], kept);
        }
        for (uint place = places[i]; place < end; place++) {
            out[place] = VALUE(i);
        }
    }
}

// How many are kept; n is not 0.
__kernel void count_kept(__global const uchar* mask, __global const uint* places, __global uint* total, const uint n) {
    if (get_global_id(0) == 0) {
        total[0] = places[n - 1] + (mask[n - 1] != 0);
    }
}
