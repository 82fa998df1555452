// Whether a work-group may have WORDS words of local memory: written from the front, read from the back.
#ifndef WORDS
#define WORDS 256
#endif

__kernel void probe(__global uint* values) {
    __local uint words[WORDS];
    const uint item = get_local_id(0);
    for (uint i = item; i < WORDS; i += get_local_size(0)) words[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    values[get_global_id(0)] = words[WORDS - 1 - item];
}
