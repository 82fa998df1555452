// Whether work-groups that have begun go on beside each other: each waits for the one that began before it, more of them
// than a device runs at once. A group gives up after POLLS looks, and with it all others, so that it ends everywhere.
//
// values, zeros at first: how many groups have begun; whether one gave up; what each says to the next, in the order in
// which they began: how many have been heard of, or GAVE_UP.
//
// Tunables, each with a default so that this file compiles alone:
//   POLLS   how often a group looks
//   SILENT  1: the first group says nothing, so that the second has to give up
#ifndef POLLS
#define POLLS (1u << 20)
#endif
#ifndef SILENT
#define SILENT 0
#endif
#define GAVE_UP 0x80000000u

__kernel void probe(volatile __global uint* values) {
    __local uint begun;
    __local uint heard;
    const uint lane = get_local_id(0);
    if (lane == 0) {
        begun = atomic_inc(values);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile __global uint* said = values + 2 + begun;
    // As in a scan, one waits and the others wait for it.
    if (lane == 0) {
        uint word = 0;
        for (uint poll = 0; begun > 0 && word == 0 && poll < POLLS; poll++) {
            word = atomic_or(said - 1, 0u);
            if (atomic_or(values + 1, 0u) != 0) {
                word = GAVE_UP;
            }
        }
        if (begun > 0 && word == 0) {
            atomic_xchg(values + 1, 1u);
            word = GAVE_UP;
        }
        heard = word;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if SILENT
    if (begun == 0) {
        return;
    }
#endif
    if (lane == 0) {
        atomic_xchg(said, heard == GAVE_UP ? GAVE_UP : heard + 1);
    }
}
