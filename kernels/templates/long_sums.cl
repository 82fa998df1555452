// How long sums are made of blocks: stands behind fragments.cl.
//
// With LONG_SUMS 1 the total of blocks is kept apart from the sum of the block, which begins with what the total has lost of the block
// before to rounding (Kahan's summation). A matrix unit adds 16 terms at a time, so that blocks may be longer than in
// matmul_register.cl.

#ifndef LONG_SUMS
#define LONG_SUMS 0
#endif
#define BLOCK_K 4096 // a multiple of TILE_K
// The totals of the blocks so far, four in a vector. In memory, and volatile so that they stay there: in registers they would leave too
// few for the sums.
#define TOTALS volatile float4 totals[SUM_COUNT / 4];
// Each four sums, which have a fixed place: `four` of them, whose totals are `totals[at]`.
#define EACH_FOUR_SUMS(statements)                                                                                     \
    _Pragma("unroll") for (uint i = 0; i < SUM_ROWS; ++i) _Pragma("unroll") for (uint j = 0; j < SUM_COLUMNS; ++j)     \
    {                                                                                                                  \
        float *const four = sum[i][j];                                                                                 \
        const uint at = i * SUM_COLUMNS + j;                                                                           \
        statements                                                                                                     \
    }
// After the round of sums that begins at `k0`: where it ends a block, that is added up, and another one begins.
// What an infinite total has lost is no number.
#define ADD_LONG_SUMS(k0)                                                                                              \
    if (((k0) + TILE_K) % BLOCK_K == 0 && (k0) + TILE_K < (uint)(K)) {                                                 \
        PRODUCTS_DONE(SUMS(sum[0]))                                                                                    \
        const bool first = (k0) + TILE_K == BLOCK_K;                                                                   \
        EACH_FOUR_SUMS({                                                                                               \
            const float4 block = (float4)(four[0], four[1], four[2], four[3]);                                         \
            float4 before = (float4)(0.0f);                                                                            \
            if (!first)                                                                                                \
                before = totals[at];                                                                                   \
            const float4 after = before + block;                                                                       \
            const float4 added = after - before;                                                                       \
            const float4 lost = (before - (after - added)) + (block - added);                                          \
            const float4 next = select((float4)(0.0f), lost, isfinite(lost));                                          \
            totals[at] = after;                                                                                        \
            four[0] = next.s0;                                                                                         \
            four[1] = next.s1;                                                                                         \
            four[2] = next.s2;                                                                                         \
            four[3] = next.s3;                                                                                         \
        })                                                                                                             \
    }
// At the end: the total and the last block.
#define WHOLE_SUMS                                                                                                     \
    if ((uint)(K) > BLOCK_K) {                                                                                         \
        EACH_FOUR_SUMS({                                                                                               \
            const float4 before = totals[at];                                                                          \
            four[0] += before.s0;                                                                                      \
            four[1] += before.s1;                                                                                      \
            four[2] += before.s2;                                                                                      \
            four[3] += before.s3;                                                                                      \
        })                                                                                                             \
    }
