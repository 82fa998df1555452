// How long sums are made of blocks: stands behind fragments.cl.
//
// With LONG_SUMS 1 what a block adds to the total is kept, and what is lost by it: see matmul_register.cl. A matrix unit adds 16 terms
// at a time, so that blocks may be longer.

#ifndef LONG_SUMS
#define LONG_SUMS 0
#endif
#define ADD_BLOCK(total, lost, block)                                                                                  \
    {                                                                                                                  \
        const float before = total;                                                                                    \
        const float own = block;                                                                                       \
        const float after = before + own;                                                                              \
        const float added = after - before;                                                                            \
        lost += (before - (after - added)) + (own - added);                                                            \
        total = after;                                                                                                 \
    }
#define BLOCK_K 4096 // a multiple of TILE_K
// Long sums: totals of the blocks so far, what these have lost, and the last block. In memory, and volatile so that they stay there: in
// registers they would leave too few for the sums, and each statement would stand there for each sum.
#define LONG_SUM_ARRAYS volatile float total[SUM_COUNT], lost[SUM_COUNT], last_block[SUM_COUNT];
#define STORE_BLOCK EACH_SUM(last_block[AT(i, j, e)] = sum[i][j][e];)
#define EACH_STORED(statements)                                                                                        \
    ROLLED for (uint at = 0; at < SUM_COUNT; ++at)                                                                     \
    {                                                                                                                  \
        statements                                                                                                     \
    }
// After the round of sums that begins at `k0`: where it ends a block, that is added up, and another one begins.
#define ADD_LONG_SUMS(k0)                                                                                              \
    if (((k0) + TILE_K) % BLOCK_K == 0 && (k0) + TILE_K < (uint)(K)) {                                                 \
        const bool first = (k0) + TILE_K == BLOCK_K;                                                                   \
        PRODUCTS_DONE(SUMS(sum[0]))                                                                                    \
        STORE_BLOCK                                                                                                    \
        EACH_STORED({                                                                                                  \
            float own_total = last_block[at];                                                                          \
            float own_lost = 0.0f;                                                                                     \
            if (!first) {                                                                                              \
                own_total = total[at];                                                                                 \
                own_lost = lost[at];                                                                                   \
                ADD_BLOCK(own_total, own_lost, last_block[at])                                                         \
            }                                                                                                          \
            total[at] = own_total;                                                                                     \
            lost[at] = own_lost;                                                                                       \
        })                                                                                                             \
        EACH_SUM(sum[i][j][e] = 0.0f;)                                                                                 \
    }
// At the end: blocks and what they have lost are added up.
#define WHOLE_SUMS                                                                                                     \
    if ((uint)(K) > BLOCK_K) {                                                                                         \
        STORE_BLOCK                                                                                                    \
        EACH_STORED({                                                                                                  \
            float own_total = total[at];                                                                               \
            float own_lost = lost[at];                                                                                 \
            ADD_BLOCK(own_total, own_lost, last_block[at])                                                             \
            last_block[at] = isfinite(own_lost) ? own_total + own_lost : own_total;                                    \
        })                                                                                                             \
        EACH_SUM(sum[i][j][e] = last_block[AT(i, j, e)];)                                                              \
    }
