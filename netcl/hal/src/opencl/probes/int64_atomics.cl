// Whether 64-bit integers have atomics, base (add, compare and exchange) and extended (minimum, maximum).
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

__kernel void probe(volatile __global long* values) {
    const long value = (long)get_global_id(0) << 33;
    atom_add(&values[0], value);
    atom_min(&values[1], -value);
    atom_max(&values[2], value);
    long seen = 0;
    for (;;) {
        const long found = atom_cmpxchg(&values[3], seen, seen + 1);
        if (found == seen) break;
        seen = found;
    }
}
