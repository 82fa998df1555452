// Prefixes of a sequence. COMBINE must be associative; the order of its operands is kept.
//
// In three launches: every work-group combines a tile of GROUP * ITEMS elements (scan_tiles), one work-group makes the
// prefixes of the tiles (scan_parts), and every work-group writes those of its tile (scan_write). No group waits for
// another; elements are read twice.
//
// In one launch, where groups that have begun go on beside each other: every work-group tells the others what its tile
// makes and hears it of those before (scan_once). Elements are read once. A single tile takes scan_write alone.
//
// Hooks and tunables, each with a default so that this file compiles alone:
//   T              type of the values
//   INPUTS         the parameters that VALUE reads, each followed by a comma
//   VALUE(i)       element i, of type T
//   LOAD_FOUR(name, i), FOUR(name, k)
//                  loads elements 4 i to 4 i + 3; the element k of those, of type T
//   COMBINE(a, b)  what becomes of a value and the one after it
//   NEUTRAL        combined with a value it is the value
//   OUT, PUT       what results are stored as, and how
//   EXCLUSIVE      1: a result is made of the elements before it; 0: and of its own
//   KERNELS        WRITE: scan_write is here; PARTS: scan_tiles and scan_parts; ONCE: scan_once. A driver may take long for
//                  each
//   GROUP          work-items of a group, a power of two
//   ITEMS          elements of a work-item

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
#ifndef EXCLUSIVE
#define EXCLUSIVE 0
#endif
#define WRITE 0
#define PARTS 1
#define ONCE 2
#ifndef KERNELS
#define KERNELS WRITE
#endif
#ifndef GROUP
#define GROUP 64
#endif
#ifndef ITEMS
#define ITEMS 8
#endif

#define TILE (GROUP * ITEMS)
// A gap after the elements of each work-item, so that neighbours read from different banks.
#define SLOT(i) ((i) + (i) / ITEMS)
#define SLOTS (TILE + GROUP)

// Elements first to first + TILE of the sequence in tile; NEUTRAL past the end.
#define FETCH_TILE(element)                                                       \
    for (uint offset = get_local_id(0); offset < TILE; offset += GROUP) {         \
        const size_t i = first + offset;                                          \
        T value = NEUTRAL;                                                        \
        if (i < n) {                                                              \
            value = element;                                                      \
        }                                                                         \
        tile[SLOT(offset)] = value;                                               \
    }                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE)

// The same of the inputs: of a whole tile four elements in a load, which lie side by side in tile too.
#if ITEMS % 4 == 0
#define FETCH_VALUES                                                              \
    if (first + TILE <= n) {                                                      \
        _Pragma("unroll")                                                         \
        for (uint four = get_local_id(0); four < TILE / 4; four += GROUP) {       \
            LOAD_FOUR(next, first / 4 + four);                                    \
            __local T* slots = tile + SLOT(4 * four);                             \
            slots[0] = FOUR(next, 0);                                             \
            slots[1] = FOUR(next, 1);                                             \
            slots[2] = FOUR(next, 2);                                             \
            slots[3] = FOUR(next, 3);                                             \
        }                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                             \
    } else {                                                                      \
        FETCH_TILE(VALUE(i));                                                     \
    }
#else
#define FETCH_VALUES FETCH_TILE(VALUE(i));
#endif

// What the elements of this work-item make.
T own_total(__local const T* tile) {
    T total = tile[SLOT(get_local_id(0) * ITEMS)];
    for (uint j = 1; j < ITEMS; j++) {
        total = COMBINE(total, tile[SLOT(get_local_id(0) * ITEMS + j)]);
    }
    return total;
}

// What the totals of the work-items up to each make; where in totals they are. Two halves take turns, so that a step has
// one barrier.
__local const T* scan_group(__local T* totals, const T own) {
    const uint lane = get_local_id(0);
    T sum = own;
    uint half_used = 0;
    totals[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        if (lane >= distance) {
            sum = COMBINE(totals[half_used + lane - distance], sum);
        }
        half_used = GROUP - half_used;
        totals[half_used + lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return totals + half_used;
}

// Leaves what the totals of all work-items make in totals[0]: neighbours first, so that their order is kept.
void combine_group(__local T* totals, const T own) {
    const uint lane = get_local_id(0);
    totals[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        const uint left = lane * 2 * distance;
        if (left + distance < GROUP) {
            totals[left] = COMBINE(totals[left], totals[left + distance]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Replaces the elements of this work-item by their prefixes, which go on from before. What comes before is combined with
// the sum of this work-item's own elements: many small floats added one by one to a large one lose their digits.
void own_prefixes(__local T* tile, const T before, const int exclusive) {
    T own = NEUTRAL;
    for (uint j = 0; j < ITEMS; j++) {
        const uint slot = SLOT(get_local_id(0) * ITEMS + j);
        const T with = COMBINE(own, tile[slot]);
        tile[slot] = COMBINE(before, exclusive ? own : with);
        own = with;
    }
}

#if KERNELS == PARTS
// The total of each tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_tiles(INPUTS __global T* parts, const ulong n) {
    __local T tile[SLOTS];
    __local T totals[GROUP];
    const size_t first = get_group_id(0) * (size_t)TILE;
    FETCH_VALUES
    combine_group(totals, own_total(tile));
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = totals[0];
    }
}

// The exclusive prefixes of the parts, in place; one work-group, tile after tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_parts(__global T* parts, const ulong n) {
    __local T tile[SLOTS];
    __local T totals[2 * GROUP];
    const uint lane = get_local_id(0);
    T carry = NEUTRAL;
    for (size_t first = 0; first < n; first += TILE) {
        FETCH_TILE(parts[i]);
        __local const T* sums = scan_group(totals, own_total(tile));
        T before = carry;
        if (lane > 0) {
            before = COMBINE(carry, sums[lane - 1]);
        }
        own_prefixes(tile, before, 1);
        carry = COMBINE(carry, sums[GROUP - 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint offset = lane; offset < TILE && first + offset < n; offset += GROUP) {
            parts[first + offset] = tile[SLOT(offset)];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
#endif

#if KERNELS == WRITE
// The results; parts are not read where there is one tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_write(INPUTS __global const T* parts, __global OUT* out, const ulong n) {
    __local T tile[SLOTS];
    __local T totals[2 * GROUP];
    const uint lane = get_local_id(0);
    const size_t first = get_group_id(0) * (size_t)TILE;
    FETCH_VALUES
    __local const T* sums = scan_group(totals, own_total(tile));
    T before = NEUTRAL;
    if (get_num_groups(0) > 1) {
        before = parts[get_group_id(0)];
    }
    if (lane > 0) {
        before = COMBINE(before, sums[lane - 1]);
    }
    own_prefixes(tile, before, EXCLUSIVE);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = lane; offset < TILE && first + offset < n; offset += GROUP) {
        PUT(out, first + offset, tile[SLOT(offset)]);
    }
}
#endif

#if KERNELS == ONCE
// What is told to other groups: 16 bits of a value in each word, and a bit that says that they are there. So a word that
// has the bit is whole, in whatever order words become visible, and no fence is needed.
#define WORDS (sizeof(T) / 2)

typedef union {
    T value;
    ushort halves[sizeof(T) / 2];
} Told;

void tell(volatile __global uint* words, const T value) {
    Told told;
    told.value = value;
    for (uint w = 0; w < WORDS; w++) {
        atomic_xchg(words + w, (uint)told.halves[w] << 16 | 1u);
    }
}

T hear(volatile __global uint* words) {
    Told told;
    for (uint w = 0; w < WORDS; w++) {
        uint word = words[w];
        while ((word & 1u) == 0) {
            // Many read one word: loads are served side by side, atomic operations one after the other. But no cache
            // answers an atomic operation.
            for (uint load = 0; load < 16 && (word & 1u) == 0; load++) {
                word = words[w];
            }
            if ((word & 1u) == 0) {
                word = atomic_or(words + w, 0u);
            }
        }
        told.halves[w] = (ushort)(word >> 16);
    }
    return told.value;
}

// The results. A block is GROUP tiles in a row. `told`, zeros at first: how many tiles were begun, what each tile makes,
// and what comes before each block. Where the parentheses are put does not depend on who is first.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_once(INPUTS volatile __global uint* told, __global OUT* out, const ulong n) {
    __local T tile[SLOTS];
    __local T totals[2 * GROUP];
    __local uint begun;
    const uint lane = get_local_id(0);
    // Tiles are taken in the order in which groups begin: whoever is waited for has begun.
    if (lane == 0) {
        begun = atomic_inc(told);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint number = begun;
    const uint place = number % GROUP;
    volatile __global uint* tiles = told + 1 + (number - place) * WORDS;
    volatile __global uint* blocks = told + 1 + (get_num_groups(0) + number / GROUP) * WORDS;
    const size_t first = number * (size_t)TILE;
    FETCH_VALUES
    __local const T* sums = scan_group(totals, own_total(tile));
    const T total = sums[GROUP - 1];
    T before = NEUTRAL;
    if (lane > 0) {
        before = sums[lane - 1];
    }
    if (lane == 0) {
        tell(tiles + place * WORDS, total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    T earlier = NEUTRAL;
    if (lane < place) {
        earlier = hear(tiles + lane * WORDS);
    }
    combine_group(totals, earlier);
    if (lane == 0) {
        T start = totals[0];
        if (number >= GROUP) {
            start = COMBINE(hear(blocks), start);
        }
        if (place == GROUP - 1) {
            tell(blocks + WORDS, COMBINE(start, total));
        }
        totals[0] = start;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    own_prefixes(tile, COMBINE(totals[0], before), EXCLUSIVE);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = lane; offset < TILE && first + offset < n; offset += GROUP) {
        PUT(out, first + offset, tile[SLOT(offset)]);
    }
}
#endif
