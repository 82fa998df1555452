// The product of matmul_mma.cl by warpgroups, of operands that lie in memory in rows which tensor maps can describe: with BULK 1 and
// UNIT 2. Stands behind matmul_mma.cl, whose hooks it has.
//
//   - A work-group stays on its unit: it computes the tile of its own number, and from there every get_num_groups(0)-th.
//   - One work-item copies (the producer, in a warpgroup of its own), TILE_M / 64 warpgroups multiply. They wait for each other by two
//     barriers for each of STAGES pairs of tiles: it is full, it is empty. While results are stored the next tiles are already on
//     their way.
//   - Neighbouring work-items exchange results, so that each has four neighbours to store, and pairs of them whole sectors.
//
// Launch: any number of work-groups of BULK_THREADS, best as many as the device holds at a time.
//
// MAPS is where each work-group has 256 bytes for its two maps, aligned to 128.

#if BULK
#define MULTIPLIERS (TILE_M / 64)
#define BULK_THREADS (128 * MULTIPLIERS + 128)

#define TILE_OF(number)                                                                                                \
    const uint batch = (number) / (tiles_m * tiles_n);                                                                 \
    TILE_IN_BLOCKS((number)-batch * (tiles_m * tiles_n))
#define EACH_TILE(number)                                                                                              \
    for (uint number = (uint)get_group_id(0); number < tiles_all; number += (uint)get_num_groups(0))
// To the next pair of tiles; barriers change their parity where the first one comes again.
#define NEXT_STAGE                                                                                                     \
    now = now + 1 == STAGES ? 0 : now + 1;                                                                             \
    parity ^= now == 0;

// Bytes from one batch to the next; 0 where they are one.
#define BATCH_BYTES(X) ((BATCH) > 1 ? ((long)(X##_OFFSET(1)) - (long)(X##_OFFSET(0))) * 2 : 0)
// Rows of the tile that a box has: the operand's own, or as many as are summed over at a time.
#define BOX_ROWS(X, tile) (X##_ALONG == ALONG_K ? (tile) : TILE_K)
#define MAKE_MAP_OF(map, X, pointer, outers, tile)                                                                     \
    MAKE_MAP(map, (__global const ushort *)(pointer) + X##_OFFSET(0),                                                  \
             X##_ALONG == ALONG_K ? (uint)(K) : (uint)(outers), X##_ALONG == ALONG_K ? (uint)(outers) : (uint)(K),     \
             BATCH_BYTES(X) == 0 ? 1 : (BATCH), (ulong)(ROW_STRIDE_##X) * 2,                                           \
             BATCH_BYTES(X) == 0 ? 16 : BATCH_BYTES(X), BOX_ROWS(X, tile))
// All boxes of an operand's tile: 64 elements wide each.
#define COPY_TILE(X, map, outer0, tile, k0)                                                                            \
    if (X##_ALONG == ALONG_K) {                                                                                        \
        COPY_BOX(ADDRESS(tiles) + FIRST_##X(now) * 16, map, k0, outer0, batch_##X, full + now);                        \
    } else {                                                                                                           \
        _Pragma("unroll") for (uint box = 0; box < (tile) / 64; ++box)                                                 \
            COPY_BOX(ADDRESS(tiles) + FIRST_##X(now) * 16 + box * (TILE_K * 128), map, outer0 + box * 64, k0,          \
                     batch_##X, full + now);                                                                           \
    }

// The sums of one part of the columns. Registers have no positions that could be computed: each is named.
#define TAKE_FOUR(j, p)                                                                                                \
    own[j][0] = sum[0][(p)*4 + (j)][0];                                                                                \
    own[j][1] = sum[0][(p)*4 + (j)][1];                                                                                \
    own[j][2] = sum[0][(p)*4 + (j)][2];                                                                                \
    own[j][3] = sum[0][(p)*4 + (j)][3];
#define TAKE(p)                                                                                                        \
    if (part == (p)) {                                                                                                 \
        TAKE_FOUR(0, p)                                                                                                \
        TAKE_FOUR(1, p)                                                                                                \
        TAKE_FOUR(2, p)                                                                                                \
        TAKE_FOUR(3, p)                                                                                                \
    }

__kernel __attribute__((reqd_work_group_size(BULK_THREADS, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local uint4 tiles[TILES_SIZE] __attribute__((aligned(1024)));
    __local uint new_maps[2 * 32] __attribute__((aligned(128)));
    __local ulong full[STAGES], empty[STAGES];

    const uint tiles_n = ((uint)(N) + TILE_N - 1) / TILE_N;
    const uint tiles_m = ((uint)(M) + TILE_M - 1) / TILE_M;
    const uint tiles_all = tiles_m * tiles_n * (uint)(BATCH);
    if ((uint)get_group_id(0) >= tiles_all)
        return;
    const uint thread = (uint)get_local_id(0);
    const uint lane = thread % 32;
    const uint warpgroup = thread / 128;
    if (thread == 0) {
        for (uint stage = 0; stage < STAGES; ++stage) {
            INIT_MBARRIER(full + stage, 1);
            INIT_MBARRIER(empty + stage, MULTIPLIERS * 4);
        }
        // Copies arrive at barriers through a proxy of their own.
        FENCE_TILES;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (warpgroup == MULTIPLIERS) {
        if (thread / 32 != MULTIPLIERS * 4)
            return;
        new_maps[lane] = 0;
        new_maps[lane + 32] = 0;
        WAIT_SUB_GROUP;
        if (lane == 0) {
            MAKE_MAP_OF(new_maps, A, a, M, TILE_M)
            MAKE_MAP_OF(new_maps + 32, B, b, N, TILE_N)
        }
        WAIT_SUB_GROUP;
        __global uint *const own_maps = MAPS + (size_t)get_group_id(0) * 64;
        PUBLISH_MAP(own_maps, new_maps);
        PUBLISH_MAP(own_maps + 32, new_maps + 32);
        if (lane != 0)
            return;
        uint now = 0;
        uint parity = 1;
        EACH_TILE(number)
        {
            TILE_OF(number)
            const uint batch_A = BATCH_BYTES(A) == 0 ? 0 : batch;
            const uint batch_B = BATCH_BYTES(B) == 0 ? 0 : batch;
            ROLLED
            for (uint k0 = 0; k0 < (uint)(K); k0 += TILE_K) {
                WAIT_MBARRIER(empty + now, parity);
                ARRIVE_WITH_BYTES(full + now, (TILE_M + TILE_N) * TILE_K * 2);
                COPY_TILE(A, own_maps, m0, TILE_M, k0)
                COPY_TILE(B, own_maps + 32, n0, TILE_N, k0)
                NEXT_STAGE
            }
        }
        return;
    }

    const uint sub = thread / 32;
    const uint odd = lane % 2;
    uint now = 0;
    uint parity = 0;
    EACH_TILE(number)
    {
        TILE_OF(number)
        float sum[1][SUB_N / 8][4];
        EACH_SUM(sum[i][j][e] = 0.0f;)
#if LONG_SUMS
        TOTALS
#endif
        uint last = STAGES;
        ROLLED
        for (uint k0 = 0; k0 < (uint)(K); k0 += TILE_K) {
            WAIT_MBARRIER(full + now, parity);
            FENCE_PRODUCTS;
#pragma unroll
            for (uint s = 0; s < TILE_K / 16; ++s)
                MULTIPLY_STEP(s);
            COMMIT_PRODUCTS;
            // Nobody of this sub-group reads the tiles of the round before any more.
            WAIT_PRODUCTS(1);
            if (last != STAGES && lane == 0) {
                ARRIVE(empty + last);
            }
            last = now;
            NEXT_STAGE
#if LONG_SUMS
            ADD_LONG_SUMS(k0)
#endif
        }
        PRODUCTS_DONE(SUMS(sum[0]))
        if (last != STAGES && lane == 0) {
            ARRIVE(empty + last);
        }
#if LONG_SUMS
        WHOLE_SUMS
#endif
        // 32 columns of 16 rows at a time: of two fragments each work-item has four neighbours of one row then.
        const uint m = m0 + sub * 16 + lane / 4;
        const uint n = n0 + odd * 8 + lane % 4 / 2 * 4;
        const bool is_whole = m0 + TILE_M <= (uint)(M) && n0 + TILE_N <= (uint)(N);
        ROLLED
        for (uint part = 0; part < SUB_N / 32; ++part) {
            float own[4][4];
            TAKE(0)
            TAKE(1)
#if SUB_N >= 128
            TAKE(2)
            TAKE(3)
#endif
#if SUB_N >= 256
            TAKE(4)
            TAKE(5)
            TAKE(6)
            TAKE(7)
#endif
            float4 results[4];
#pragma unroll
            for (uint at = 0; at < 4; ++at) {
                const uint j = at / 2 * 2, e = at % 2 * 2;
                const float given0 = odd ? own[j][e] : own[j + 1][e];
                const float given1 = odd ? own[j][e + 1] : own[j + 1][e + 1];
                const float got0 = EXCHANGED(given0, 1);
                const float got1 = EXCHANGED(given1, 1);
                results[at] = odd ? (float4)(got0, got1, own[j + 1][e], own[j + 1][e + 1])
                                  : (float4)(own[j][e], own[j][e + 1], got0, got1);
            }
#define ROW_AT(at) (m + (at) % 2 * 8)
#define COLUMN_AT(at) (n + part * 32 + (at) / 2 * 16)
            if (is_whole) {
#pragma unroll
                for (uint at = 0; at < 4; ++at)
                    STORE_VECTOR(batch, ROW_AT(at), COLUMN_AT(at), results[at]);
            } else {
                ROLLED
                for (uint at = 0; at < 4; ++at) {
                    const ACC_VECTOR result = at < 2 ? (at ? results[1] : results[0]) : (at == 2 ? results[2] : results[3]);
                    STORE_IN_BOUNDS(ROW_AT(at), COLUMN_AT(at), result)
                }
            }
        }
    }
}
#endif
