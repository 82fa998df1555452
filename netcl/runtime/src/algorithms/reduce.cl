// All elements combined to one, in two launches: every work-group makes one part of its share of the elements, and one
// work-group combines the parts. No group waits for another. COMBINE must be associative and commutative.
//
// Hooks and tunables, each with a default so that this file compiles alone:
//   T              type of the values
//   INPUTS         the parameters that VALUE reads, each followed by a comma
//   VALUE(i)       element i, of type T
//   LOAD_FOUR(name, i), FOUR(name, k)
//                  loads elements 4 i to 4 i + 3; the element k of those, of type T
//   COMBINE(a, b)  what becomes of two values
//   NEUTRAL        combined with a value it is the value
//   OUT, PUT       what the result is stored as, and how
//   GROUP          work-items of a group, a power of two

#ifndef T
#define T float
#endif
#ifndef INPUTS
#define INPUTS __global const float* v0,
#define VALUE(i) (v0[i])
#define LOAD_FOUR(name, i) const float4 name##_v0 = ((__global const float4*)v0)[i]
#define FOUR(name, k) (name##_v0.s##k)
#endif
#ifndef COMBINE
#define COMBINE(a, b) ((a) + (b))
#define NEUTRAL 0
#endif
#ifndef OUT
#define OUT float
#define PUT(p, i, v) ((p)[i] = (v))
#endif
#ifndef GROUP
#define GROUP 64
#endif

// Rounds whose elements make a block. A long sum of floats is one of blocks: each element that is added to a running sum loses
// what is below the sum's last digit.
#define ROUNDS 16

// Of the vector, each element to its own chain.
#define COMBINE_FOUR(name)                       \
    sum0 = COMBINE(sum0, FOUR(name, 0));         \
    sum1 = COMBINE(sum1, FOUR(name, 1));         \
    sum2 = COMBINE(sum2, FOUR(name, 2));         \
    sum3 = COMBINE(sum3, FOUR(name, 3))

// Leaves what the group's values make in values[0].
void combine_group(__local T* values, const T own) {
    const uint lane = get_local_id(0);
    values[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (lane < half_size) {
            values[lane] = COMBINE(values[lane], values[lane + half_size]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce_parts(INPUTS __global T* parts, const ulong n) {
    __local T values[GROUP];
    const size_t stride = get_global_size(0);
    const size_t fours = n / 4;
    T sum0 = NEUTRAL, sum1 = NEUTRAL, sum2 = NEUTRAL, sum3 = NEUTRAL;
    T total0 = NEUTRAL, total1 = NEUTRAL, total2 = NEUTRAL, total3 = NEUTRAL;
    // Four elements in one load, and the loads of a round at once, so that none waits for the one before.
    size_t i = get_global_id(0);
    while (i + 3 * stride < fours) {
        for (uint round = 0; round < ROUNDS && i + 3 * stride < fours; round++) {
            LOAD_FOUR(a, i);
            LOAD_FOUR(b, i + stride);
            LOAD_FOUR(c, i + 2 * stride);
            LOAD_FOUR(d, i + 3 * stride);
            COMBINE_FOUR(a);
            COMBINE_FOUR(b);
            COMBINE_FOUR(c);
            COMBINE_FOUR(d);
            i += 4 * stride;
        }
        total0 = COMBINE(total0, sum0);
        total1 = COMBINE(total1, sum1);
        total2 = COMBINE(total2, sum2);
        total3 = COMBINE(total3, sum3);
        sum0 = sum1 = sum2 = sum3 = NEUTRAL;
    }
    for (; i < fours; i += stride) {
        LOAD_FOUR(a, i);
        COMBINE_FOUR(a);
    }
    for (size_t last = 4 * fours + get_global_id(0); last < n; last += stride) {
        sum0 = COMBINE(sum0, VALUE(last));
    }
    total0 = COMBINE(COMBINE(total0, sum0), COMBINE(total1, sum1));
    total2 = COMBINE(COMBINE(total2, sum2), COMBINE(total3, sum3));
    combine_group(values, COMBINE(total0, total2));
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = values[0];
    }
}

// One work-group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce_last(__global const T* parts, __global OUT* out, const uint count) {
    __local T values[GROUP];
    T sum = NEUTRAL;
    for (uint i = get_local_id(0); i < count; i += GROUP) {
        sum = COMBINE(sum, parts[i]);
    }
    combine_group(values, sum);
    if (get_local_id(0) == 0) {
        PUT(out, 0, values[0]);
    }
}
