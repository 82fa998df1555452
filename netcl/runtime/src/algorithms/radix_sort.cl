// One pass of a stable radix sort, least significant digit first: the digits of each tile of GROUP * ITEMS keys are
// counted, the counts are scanned (scan.cl; digit by digit, tile by tile), and every work-group moves its tile.
//
// Hooks and tunables, each with a default so that this file compiles alone:
//   KEY            an unsigned integer of the keys' size
//   WORD           uint, or ulong for larger keys
//   ORDER(bits)    the unsigned number whose order is that of keys with these bits; only as many bits as KEY has count
//   SIGN, INFINITE of float keys: the sign's bit, and the bits of infinity
//   PAYLOAD        1: each key takes a number along
//   BITS           of a digit
//   GROUP          work-items of a group, a power of two
//   ITEMS          keys of a work-item
//
// Loops over few keys have a fixed end, so that compilers unroll them and keep the keys in registers.

#ifndef KEY
#define KEY uint
#define WORD uint
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#endif
#ifndef ORDER
#define ORDER(bits) (bits)
#endif
#ifndef PAYLOAD
#define PAYLOAD 1
#endif
#ifndef BITS
#define BITS 4
#endif
#ifndef GROUP
#define GROUP 64
#endif
#ifndef ITEMS
#define ITEMS 8
#endif

#define DIGITS (1 << BITS)
#define TILE (GROUP * ITEMS)
#define DIGIT(bits) ((uint)(ORDER(bits) >> shift) & (DIGITS - 1))
// Gaps, so that neighbours use different banks.
#define SLOT(i) ((i) + (i) / ITEMS)
// Each key of a work-item; each key of a tile, side by side.
#if ITEMS <= 16
#define FOR_OWN(j) for (uint j = 0; j < ITEMS; j++) if (j < own_count)
#define FOR_SPREAD(j) for (uint j = 0; j < ITEMS; j++) if (lane + j * GROUP < count)
#else
#define FOR_OWN(j) for (uint j = 0; j < own_count; j++)
#define FOR_SPREAD(j) for (uint j = 0; lane + j * GROUP < count; j++)
#endif
#define COUNTER_SLOT(i) ((i) + (i) / DIGITS)
#define COUNTER(digit, lane) COUNTER_SLOT((digit) * GROUP + (lane))
#define COUNTERS (DIGITS * GROUP + GROUP)

// Of floats: NaN of any sign is the largest, and both zeros are one.
WORD order_of_float(const WORD bits) {
    if ((bits & (SIGN - 1)) > INFINITE) {
        return ~(WORD)0;
    }
    if (bits == SIGN) {
        return SIGN;
    }
    return (bits & SIGN) ? ~bits : bits | SIGN;
}

// In the first pass the keys are the caller's, whom nothing keeps from writing to them before they are moved: those that
// were counted are kept in `counted`, and these are moved.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void count_digits(__global const KEY* keys, __global KEY* counted, __global uint* counts,
                  const uint n, const uint shift, const uint first_pass) {
    __local uint found[DIGITS];
    for (uint digit = get_local_id(0); digit < DIGITS; digit += GROUP) {
        found[digit] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = get_group_id(0) * TILE;
    const uint count = min((uint)TILE, n - first);
    for (uint offset = get_local_id(0); offset < count; offset += GROUP) {
        const KEY key = keys[first + offset];
        if (first_pass) {
            counted[first + offset] = key;
        }
        atomic_inc(&found[DIGIT((WORD)key)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = get_local_id(0); digit < DIGITS; digit += GROUP) {
        counts[digit * get_num_groups(0) + get_group_id(0)] = found[digit];
    }
}

// Replaces the counters by the sums of those before.
void scan_counters(__local uint* counters, __local uint* totals) {
    const uint lane = get_local_id(0);
    uint total = 0;
    for (uint j = 0; j < DIGITS; j++) {
        total += counters[COUNTER_SLOT(lane * DIGITS + j)];
    }
    uint sum = total;
    totals[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        if (lane >= distance) {
            sum += totals[lane - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        totals[lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint before = sum - total;
    for (uint j = 0; j < DIGITS; j++) {
        const uint own = counters[COUNTER_SLOT(lane * DIGITS + j)];
        counters[COUNTER_SLOT(lane * DIGITS + j)] = before;
        before += own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// offsets are the scanned counts. numbers are taken along; where first_pass is set, each key's position instead. No key
// goes beyond n: the passes of a recorded sort go through its result, which may be written to during a replay.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void move_keys(__global const KEY* keys, __global const uint* numbers, __global const uint* offsets,
               __global KEY* sorted_keys, __global uint* sorted_numbers,
               const uint n, const uint shift, const uint first_pass) {
    __local WORD tile[TILE + GROUP];
    __local uint counters[COUNTERS];
    __local uint totals[GROUP];
    const uint lane = get_local_id(0);
    const uint first = get_group_id(0) * TILE;
    const uint count = min((uint)TILE, n - first);
    const uint own_count = min((uint)ITEMS, count - min(count, lane * ITEMS));
    WORD own[ITEMS];
    uint rank[ITEMS];

    // Keys come in side by side; each work-item then takes adjacent ones, so that equal digits keep their order.
    for (uint offset = lane; offset < count; offset += GROUP) {
        tile[SLOT(offset)] = keys[first + offset];
    }
    for (uint digit = 0; digit < DIGITS; digit++) {
        counters[COUNTER(digit, lane)] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_OWN(j) {
        own[j] = tile[SLOT(lane * ITEMS + j)];
        rank[j] = counters[COUNTER(DIGIT(own[j]), lane)]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_counters(counters, totals);

    // Within the tile first, so that keys go out side by side too.
    FOR_OWN(j) {
        rank[j] += counters[COUNTER(DIGIT(own[j]), lane)];
        tile[SLOT(rank[j])] = own[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint destination[ITEMS];
    FOR_SPREAD(j) {
        const uint offset = lane + j * GROUP;
        const WORD key = tile[SLOT(offset)];
        const uint digit = DIGIT(key);
        const uint within = offset - counters[COUNTER(digit, 0)];
        destination[j] = offsets[digit * get_num_groups(0) + get_group_id(0)] + within;
        if (destination[j] < n) {
            sorted_keys[destination[j]] = (KEY)key;
        }
    }
#if PAYLOAD
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = lane; offset < count; offset += GROUP) {
        uint number = first + offset;
        if (!first_pass) {
            number = numbers[first + offset];
        }
        tile[SLOT(offset)] = number;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_OWN(j) {
        own[j] = tile[SLOT(lane * ITEMS + j)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_OWN(j) {
        tile[SLOT(rank[j])] = own[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_SPREAD(j) {
        const uint offset = lane + j * GROUP;
        if (destination[j] < n) {
            sorted_numbers[destination[j]] = (uint)tile[SLOT(offset)];
        }
    }
#endif
}
