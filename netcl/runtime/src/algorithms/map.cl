// One result for each element: four neighbours by a work-item, whose elements come in one load.
//
// Hooks, each with a default so that this file compiles alone:
//   INPUTS         the parameters that VALUE reads, each followed by a comma
//   VALUE(i)       the result for element i, of type T
//   LOAD_FOUR(name, i), FOUR(name, k)
//                  loads elements 4 i to 4 i + 3; the result for the element k of those
//   OUT, PUT       what results are stored as, and how

#ifndef INPUTS
#define INPUTS __global const float* v0,
#define VALUE(i) (v0[i])
#define LOAD_FOUR(name, i) const float4 name##_v0 = ((__global const float4*)v0)[i]
#define FOUR(name, k) (name##_v0.s##k)
#endif
#ifndef OUT
#define OUT float
#define PUT(p, i, v) ((p)[i] = (v))
#endif

__kernel void map_elements(INPUTS __global OUT* out, const ulong n) {
    const size_t four = get_global_id(0);
    const size_t first = 4 * four;
    if (first + 4 <= n) {
        LOAD_FOUR(next, four);
        PUT(out, first, FOUR(next, 0));
        PUT(out, first + 1, FOUR(next, 1));
        PUT(out, first + 2, FOUR(next, 2));
        PUT(out, first + 3, FOUR(next, 3));
    } else {
        for (size_t i = first; i < n; i++) {
            PUT(out, i, VALUE(i));
        }
    }
}
