// One result for each element.
//
// Hooks, each with a default so that this file compiles alone:
//   INPUTS         the parameters that VALUE reads, each followed by a comma
//   VALUE(i)       the result for element i, of type T
//   OUT, PUT       what results are stored as, and how

#ifndef INPUTS
#define INPUTS __global const float* v0,
#define VALUE(i) (v0[i])
#endif
#ifndef OUT
#define OUT float
#define PUT(p, i, v) ((p)[i] = (v))
#endif

__kernel void map_elements(INPUTS __global OUT* out, const ulong n) {
    const size_t i = get_global_id(0);
    if (i < n) {
        PUT(out, i, VALUE(i));
    }
}
