// The sums of a work-item, and how long ones are made of blocks: stands before matmul_mma.cl, whose tunables say how many there are.
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
#define SUM_COUNT (SUB_M / 16 * (SUB_N / 8) * 4)
#define AT(i, j, e) (((i) * (SUB_N / 8) + (j)) * 4 + (e))
// What is done with each sum, which must have a fixed place to be in a register.
#define EACH_SUM(statements)                                                                                           \
    _Pragma("unroll") for (uint i = 0; i < SUB_M / 16; ++i)                                                            \
        _Pragma("unroll") for (uint j = 0; j < SUB_N / 8; ++j) _Pragma("unroll") for (uint e = 0; e < 4; ++e)          \
    {                                                                                                                  \
        statements                                                                                                     \
    }

#if defined(__clang__) && !defined(NETCL_LOOPS_IN_ORDER) // which says of every loop that it makes no vectors
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED _Pragma("unroll 1")
#endif

// Long sums: totals of the blocks so far, what these have lost, and the last block. In memory, and volatile so that they stay there: in
// registers they would leave too few for the sums, and each statement would stand there for each sum.
#define LONG_SUM_ARRAYS volatile float total[SUM_COUNT], lost[SUM_COUNT], last_block[SUM_COUNT];
#define EACH_OF_MEMORY(statements)                                                                                     \
    EACH_SUM(last_block[AT(i, j, e)] = sum[i][j][e];)                                                                  \
    ROLLED for (uint at = 0; at < SUM_COUNT; ++at)                                                                     \
    {                                                                                                                  \
        statements                                                                                                     \
    }
// After the round of sums that begins at `k0`: where it ends a block, that is added up, and another one begins.
#define ADD_LONG_SUMS(k0)                                                                                              \
    if (((k0) + TILE_K) % BLOCK_K == 0 && (k0) + TILE_K < (uint)(K)) {                                                 \
        const bool first = (k0) + TILE_K == BLOCK_K;                                                                   \
        PRODUCTS_DONE(SUMS(sum[0]))                                                                                    \
        EACH_OF_MEMORY({                                                                                               \
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
        EACH_OF_MEMORY({                                                                                               \
            float own_total = total[at];                                                                               \
            float own_lost = lost[at];                                                                                 \
            ADD_BLOCK(own_total, own_lost, last_block[at])                                                             \
            last_block[at] = isfinite(own_lost) ? own_total + own_lost : own_total;                                    \
        })                                                                                                             \
        EACH_SUM(sum[i][j][e] = last_block[AT(i, j, e)];)                                                              \
    }
