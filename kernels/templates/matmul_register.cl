// Matrix product with tiles in local memory and in registers.
//
//     C(batch, m, n) = sum over k of A(batch, m, k) * B(batch, k, n)
//
// A work-group computes TILE_M x TILE_N results, a work-item REG_M x REG_N of them. A step along k reads REG_M + REG_N
// elements of local memory for REG_M * REG_N multiplications, so the arithmetic units, and not the memory, set the pace.
//
//   - Tiles lie in local memory as [k][m] and [k][n], whatever the layout of the operands, so that a work-item reads its
//     elements four at a time. PAD elements between rows spread the transposing writes over the memory banks.
//   - There are two copies of each tile. While the work-group multiplies one, the elements of the next are already on
//     their way from global memory to registers, and then go to the other copy: one barrier for each step.
//   - The rows of a work-item are blocks of four, THREADS_M blocks apart, and its columns likewise, so that the reads of
//     neighbouring work-items are neighbours in memory.
//   - WARP_M x WARP_N neighbouring work-items form a near-square. Those that execute together then read few different
//     elements, and the local memory serves them in one go. Two neighbours read the same elements of A, so that each half of
//     32 has few of either operand, as NVIDIA's local memory serves halves (after Gray, "maxas", 2014; measured on an H200,
//     products of 4096 by 128x128x8: 41 TFLOP/s for 36 where rows of eight follow each other).
//   - Work-groups that start together cover a block of GROUP_M rows of tiles, which share operands in the cache.
//
// Elements outside an operand count as zero and are never loaded. No work-item leaves before the last barrier.
//
// The structure is that of Volkov and Demmel (SC 2008), Nath, Tomov and Dongarra (MAGMA, 2010) and CUTLASS.
//
// Launch: global size (ceil(N / TILE_N) * THREADS, ceil(M / TILE_M), BATCH), local size (THREADS, 1, 1), where
// THREADS = (TILE_M / REG_M) * (TILE_N / REG_N).
//
// Tunables:
//   TILE_M, TILE_N, TILE_K  the tiles; local memory is 2 * TILE_K * (TILE_M + TILE_N + 2 * PAD) elements
//   REG_M, REG_N            results of a work-item, multiples of 4 that divide TILE_M and TILE_N
//   WARP_M, WARP_N          divide TILE_M / REG_M and TILE_N / REG_N
//   PAD                     a multiple of 4
//   GROUP_M                 rows of tiles in a block; 1 leaves the order of work-groups as launched
//   UNROLL                  rounds of the loop over k that are written out, 1 or 2; with 2 products are faster and take
//                           longer to compile. Long sums have 1: their totals need the registers
//   STAGE                   elements in one global load, 1 or 4. With 4, either operand has a contiguous axis. Where that has
//                           no multiple of 4 elements, or a row is not aligned to four, they are loaded one by one
//   A_ALONG, B_ALONG        the axis on which the operand is contiguous: ALONG_K or ALONG_M, ALONG_N or ALONG_K
// THREADS * STAGE must divide TILE_M * TILE_K and TILE_N * TILE_K.
//
// Hooks: see README.md in this folder. Vectors have 4 lanes.

#define ALONG_K 0
#define ALONG_M 1
#define ALONG_N 1

#ifndef KERNEL_NAME
#define KERNEL_NAME matmul_register
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K
#define TILE_K 16
#endif
#ifndef REG_M
#define REG_M 8
#endif
#ifndef REG_N
#define REG_N 8
#endif
#ifndef WARP_M
#define WARP_M 8
#endif
#ifndef WARP_N
#define WARP_N 4
#endif
#ifndef PAD
#define PAD 4
#endif
#ifndef GROUP_M
#define GROUP_M 8
#endif
#ifndef STAGE
#define STAGE 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef A_ALONG
#define A_ALONG ALONG_K
#endif
#ifndef B_ALONG
#define B_ALONG ALONG_N
#endif

#ifndef REAL
#define REAL float
#endif
#ifndef ACC
#define ACC float
#endif
#ifndef KERNEL_PARAMS
#define KERNEL_PARAMS                                                                                                  \
    __global const REAL *restrict a, __global const REAL *restrict b, __global REAL *restrict c, const uint M,         \
        const uint N, const uint K
#endif

// Lanes of a vector: the width of the widest access to local memory.
#define VECTOR 4
#define PASTE_(x, y) x##y
#define PASTE(x, y) PASTE_(x, y)
#define ACC_VECTOR PASTE(ACC, 4)
#define REAL_VECTOR PASTE(REAL, 4)

// Storage: how one element is read into ACC and written back.
#ifndef READ
#define READ(pointer, offset) ((ACC)(pointer)[offset])
#endif
#ifndef WRITE
#define WRITE(pointer, offset, value) (pointer)[offset] = (REAL)(value)
#endif

// Operands: an offset for each batch and two strides.
#ifndef A_OFFSET
#define A_OFFSET(batch) ((size_t)(batch) * M * K)
#endif
#ifndef A_STRIDE_M
#define A_STRIDE_M K
#endif
#ifndef A_STRIDE_K
#define A_STRIDE_K 1
#endif
#ifndef B_OFFSET
#define B_OFFSET(batch) ((size_t)(batch) * K * N)
#endif
#ifndef B_STRIDE_K
#define B_STRIDE_K N
#endif
#ifndef B_STRIDE_N
#define B_STRIDE_N 1
#endif
#ifdef LOAD_A
#define ROW_STRIDE_A 0
#else
#define ROW_STRIDE_A (A_OFFSET(batch) | (A_ALONG == ALONG_K ? A_STRIDE_M : A_STRIDE_K))
#define LOAD_A(batch, m, k) READ(a, A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M + (size_t)(k) * A_STRIDE_K)
#endif
#ifdef LOAD_B
#define ROW_STRIDE_B 0
#else
#define ROW_STRIDE_B (B_OFFSET(batch) | (B_ALONG == ALONG_K ? B_STRIDE_N : B_STRIDE_K))
#define LOAD_B(batch, k, n) READ(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (size_t)(n) * B_STRIDE_N)
#endif

// Four elements along the contiguous axis, aligned.
#ifndef READ_VECTOR
#define READ_VECTOR(pointer, offset)                                                                                   \
    PASTE(convert_, ACC_VECTOR)(*(__global const REAL_VECTOR *)((pointer) + (offset)))
#endif
#ifndef LOAD_A_VECTOR
#define LOAD_A_VECTOR(batch, m, k)                                                                                     \
    READ_VECTOR(a, A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M + (size_t)(k) * A_STRIDE_K)
#endif
#ifndef LOAD_B_VECTOR
#define LOAD_B_VECTOR(batch, k, n)                                                                                     \
    READ_VECTOR(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (size_t)(n) * B_STRIDE_N)
#endif

#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) (((size_t)(batch) * M + (m)) * N + (n))
#endif
#ifndef STORE
#define STORE(batch, m, n, value) WRITE(c, C_OFFSET(batch, m, n), value)
#endif
#ifndef WRITE_VECTOR
#define WRITE_VECTOR(pointer, offset, value) vstore4(PASTE(convert_, REAL_VECTOR)(value), 0, (pointer) + (offset))
#endif
#ifndef STORE_VECTOR
#define STORE_VECTOR(batch, m, n, value) WRITE_VECTOR(c, C_OFFSET(batch, m, n), value)
#endif

#ifndef MULTIPLY_ADD
#define MULTIPLY_ADD(x, y, sum) mad(x, y, sum)
#endif

// Whether a sum has so many terms that a running one would lose digits: what is added to it loses what is below its last. Then
// at most BLOCK_K terms are added up at a time, and these sums to a total, together with what that addition rounds off
// (two-sum: Knuth, "The Art of Computer Programming" 2, section 4.2.2).
#ifndef LONG_SUMS
#define LONG_SUMS 0
#endif
#define ADD_BLOCK(TYPE, total, lost, block)                                                                            \
    {                                                                                                                  \
        const TYPE before = total;                                                                                     \
        const TYPE own = block;                                                                                        \
        const TYPE after = before + own;                                                                               \
        const TYPE added = after - before;                                                                             \
        lost += (before - (after - added)) + (own - added);                                                            \
        total = after;                                                                                                 \
    }
// Of a total that is not finite, what it has lost is not known.
#define WHOLE_SUM(total, lost) select(total, (total) + (lost), isfinite(lost))
#define BLOCK_K 512 // a multiple of TILE_K

// Before a loop that stays one: what is done to a result, which may be long, is built once and not for each place in a tile.
#if defined(__clang__) && !defined(NETCL_LOOPS_IN_ORDER) // which says of every loop that it makes no vectors
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED _Pragma("unroll 1")
#endif

#define THREADS_M (TILE_M / REG_M)
#define THREADS_N (TILE_N / REG_N)
#define THREADS (THREADS_M * THREADS_N)
#define PITCH_M (TILE_M + PAD)
#define PITCH_N (TILE_N + PAD)
#define STAGE_A (TILE_M * TILE_K / STAGE / THREADS) // global loads of one work-item for one tile
#define STAGE_B (TILE_N * TILE_K / STAGE / THREADS)

// Which element of a tile load number `e` of a work-group begins at: the contiguous axis runs fastest.
#if A_ALONG == ALONG_K
#define STAGE_A_K(e) ((e) % (TILE_K / STAGE) * STAGE)
#define STAGE_A_M(e) ((e) / (TILE_K / STAGE))
#define STAGE_A_STEP PITCH_M
#else
#define STAGE_A_K(e) ((e) / (TILE_M / STAGE))
#define STAGE_A_M(e) ((e) % (TILE_M / STAGE) * STAGE)
#define STAGE_A_STEP 1
#endif
#if B_ALONG == ALONG_K
#define STAGE_B_K(e) ((e) % (TILE_K / STAGE) * STAGE)
#define STAGE_B_N(e) ((e) / (TILE_K / STAGE))
#define STAGE_B_STEP PITCH_N
#else
#define STAGE_B_K(e) ((e) / (TILE_N / STAGE))
#define STAGE_B_N(e) ((e) % (TILE_N / STAGE) * STAGE)
#define STAGE_B_STEP 1
#endif

#if STAGE == 1
#define STAGED ACC
#define UNSTAGE(tile, at, step, value) (tile)[at] = (value)
#define STAGE_LOAD_A(value, m, k) value = LOAD_A(batch, m, k)
#define STAGE_LOAD_B(value, k, n) value = LOAD_B(batch, k, n)
#else
#define STAGED ACC_VECTOR
#define UNSTAGE(tile, at, step, value)                                                                                 \
    (tile)[at] = (value).s0, (tile)[(at) + (step)] = (value).s1, (tile)[(at) + 2 * (step)] = (value).s2,               \
    (tile)[(at) + 3 * (step)] = (value).s3

// Whether all of an operand's fours along its contiguous axis are whole and aligned. Where its sizes are constants, or multiples of
// 4 by their text, compilers leave out what the answer excludes.
#define FOURS_A (((A_ALONG == ALONG_K ? K : M) | ROW_STRIDE_A) % 4 == 0)
#define FOURS_B (((B_ALONG == ALONG_K ? K : N) | ROW_STRIDE_B) % 4 == 0)
// Element `e` of four from there on, where it is inside.
#define ELEMENT_OF(value, e, inside, element)                                                                          \
    if (inside)                                                                                                        \
        value.s##e = element;
#if A_ALONG == ALONG_K
#define ELEMENT_OF_A(value, m, k, e) ELEMENT_OF(value, e, k + e < K, LOAD_A(batch, m, k + e))
#else
#define ELEMENT_OF_A(value, m, k, e) ELEMENT_OF(value, e, m + e < M, LOAD_A(batch, m + e, k))
#endif
#if B_ALONG == ALONG_K
#define ELEMENT_OF_B(value, k, n, e) ELEMENT_OF(value, e, k + e < K, LOAD_B(batch, k + e, n))
#else
#define ELEMENT_OF_B(value, k, n, e) ELEMENT_OF(value, e, n + e < N, LOAD_B(batch, k, n + e))
#endif
// Four elements: by one load, or one by one.
#define BY_FOURS(value, fours, vector, ELEMENT, row, column)                                                           \
    if (fours) {                                                                                                       \
        value = vector(batch, row, column);                                                                            \
    } else {                                                                                                           \
        ELEMENT(value, row, column, 0)                                                                                 \
        ELEMENT(value, row, column, 1)                                                                                 \
        ELEMENT(value, row, column, 2)                                                                                 \
        ELEMENT(value, row, column, 3)                                                                                 \
    }
#define STAGE_LOAD_A(value, m, k) BY_FOURS(value, FOURS_A, LOAD_A_VECTOR, ELEMENT_OF_A, m, k)
#define STAGE_LOAD_B(value, k, n) BY_FOURS(value, FOURS_B, LOAD_B_VECTOR, ELEMENT_OF_B, k, n)
#endif

// Global memory to registers.
#define FETCH(k0)                                                                                                      \
    _Pragma("unroll") for (uint i = 0; i < STAGE_A; ++i)                                                               \
    {                                                                                                                  \
        const uint m = m0 + STAGE_A_M(thread + i * THREADS);                                                           \
        const uint k = (k0) + STAGE_A_K(thread + i * THREADS);                                                         \
        staged_a[i] = (STAGED)0;                                                                                       \
        if (m < M && k < K) {                                                                                          \
            STAGE_LOAD_A(staged_a[i], m, k);                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    _Pragma("unroll") for (uint i = 0; i < STAGE_B; ++i)                                                               \
    {                                                                                                                  \
        const uint n = n0 + STAGE_B_N(thread + i * THREADS);                                                           \
        const uint k = (k0) + STAGE_B_K(thread + i * THREADS);                                                         \
        staged_b[i] = (STAGED)0;                                                                                       \
        if (n < N && k < K) {                                                                                          \
            STAGE_LOAD_B(staged_b[i], k, n);                                                                           \
        }                                                                                                              \
    }

// Registers to local memory.
#define DEPOSIT(which)                                                                                                 \
    _Pragma("unroll") for (uint i = 0; i < STAGE_A; ++i)                                                               \
    {                                                                                                                  \
        const uint m = STAGE_A_M(thread + i * THREADS);                                                                \
        const uint k = STAGE_A_K(thread + i * THREADS);                                                                \
        UNSTAGE((__local ACC *)tile_a[which], k *PITCH_M + m, STAGE_A_STEP, staged_a[i]);                              \
    }                                                                                                                  \
    _Pragma("unroll") for (uint i = 0; i < STAGE_B; ++i)                                                               \
    {                                                                                                                  \
        const uint n = STAGE_B_N(thread + i * THREADS);                                                                \
        const uint k = STAGE_B_K(thread + i * THREADS);                                                                \
        UNSTAGE((__local ACC *)tile_b[which], k *PITCH_N + n, STAGE_B_STEP, staged_b[i]);                              \
    }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local ACC_VECTOR tile_a[2][TILE_K * PITCH_M / 4];
    __local ACC_VECTOR tile_b[2][TILE_K * PITCH_N / 4];

    const uint thread = (uint)get_local_id(0);
    const uint lane = thread % (WARP_M * WARP_N);
    const uint warp = thread / (WARP_M * WARP_N);
    const uint thread_m = warp / (THREADS_N / WARP_N) * WARP_M + lane / 2 % WARP_M;
    const uint thread_n = warp % (THREADS_N / WARP_N) * WARP_N + lane / (2 * WARP_M) * 2 + lane % 2;

    // Blocks of GROUP_M rows of tiles, each walked column by column; the last block may be lower.
    const uint tiles_n = (uint)get_num_groups(0);
    const uint tiles_m = (uint)get_num_groups(1);
    const uint group = (uint)get_group_id(1) * tiles_n + (uint)get_group_id(0);
    const uint block = group / (GROUP_M * tiles_n);
    const uint height = min((uint)GROUP_M, tiles_m - block * GROUP_M);
    const uint within = group - block * GROUP_M * tiles_n;
    const uint m0 = (block * GROUP_M + within % height) * TILE_M;
    const uint n0 = within / height * TILE_N;
    const uint batch = (uint)get_group_id(2);

    STAGED staged_a[STAGE_A];
    STAGED staged_b[STAGE_B];
    ACC_VECTOR sum[REG_M][REG_N / 4];
#pragma unroll
    for (uint i = 0; i < REG_M; ++i)
#pragma unroll
        for (uint j = 0; j < REG_N / 4; ++j)
            sum[i][j] = (ACC_VECTOR)0;
#if LONG_SUMS
    // In memory, and volatile so that they stay there: in registers they would leave too few for the sums (measured on an H100:
    // tiles of 128x128 are by a tenth slower then).
    volatile ACC_VECTOR total[REG_M * REG_N / 4];
    volatile ACC_VECTOR lost[REG_M * REG_N / 4];
    ROLLED
    for (uint i = 0; i < REG_M * REG_N / 4; ++i)
        total[i] = lost[i] = (ACC_VECTOR)0;
#endif

    // While the tiles of one step are multiplied, those of the next are on their way. The last round has nothing more to fetch.
#if UNROLL > 1 && !LONG_SUMS
    // The first tiles are fetched before the loop, whose rounds come in pairs: the copy that each reads is then a constant.
    // (Measured on an H100, products of 2048: 45 TFLOP/s, and 36 without.)
    FETCH(0u)
    DEPOSIT(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    uint now = 0;
    // Other compilers warn that they cannot, or decide themselves.
#ifdef __NV_CL_C_VERSION
#pragma unroll 2
#endif
    for (uint k0 = TILE_K; k0 < (uint)(K) + TILE_K; k0 += TILE_K) {
#else
    // The first round has nothing to multiply yet: compilers take long for index maps, so these are there once.
    uint now = 1;
    for (uint k0 = 0; k0 < (uint)(K) + TILE_K; k0 += TILE_K) {
#endif
        const bool more = k0 < K;
        if (more) {
            FETCH(k0)
        }
        if (k0 > 0) {
#pragma unroll
            for (uint k = 0; k < TILE_K; ++k) {
                ACC_VECTOR x[REG_M / 4];
                ACC_VECTOR y[REG_N / 4];
#pragma unroll
                for (uint i = 0; i < REG_M / 4; ++i)
                    x[i] = tile_a[now][k * (PITCH_M / 4) + i * THREADS_M + thread_m];
#pragma unroll
                for (uint j = 0; j < REG_N / 4; ++j)
                    y[j] = tile_b[now][k * (PITCH_N / 4) + j * THREADS_N + thread_n];
#pragma unroll
                for (uint i = 0; i < REG_M / 4; ++i)
#pragma unroll
                    for (uint j = 0; j < REG_N / 4; ++j) {
                        sum[4 * i + 0][j] = MULTIPLY_ADD((ACC_VECTOR)(x[i].s0), y[j], sum[4 * i + 0][j]);
                        sum[4 * i + 1][j] = MULTIPLY_ADD((ACC_VECTOR)(x[i].s1), y[j], sum[4 * i + 1][j]);
                        sum[4 * i + 2][j] = MULTIPLY_ADD((ACC_VECTOR)(x[i].s2), y[j], sum[4 * i + 2][j]);
                        sum[4 * i + 3][j] = MULTIPLY_ADD((ACC_VECTOR)(x[i].s3), y[j], sum[4 * i + 3][j]);
                    }
            }
#if LONG_SUMS
            if (k0 % BLOCK_K == 0 || !more) {
#pragma unroll
                for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                    for (uint j = 0; j < REG_N / 4; ++j) {
                        ADD_BLOCK(ACC_VECTOR, total[i * (REG_N / 4) + j], lost[i * (REG_N / 4) + j], sum[i][j])
                        sum[i][j] = (ACC_VECTOR)0;
                    }
            }
#endif
        }
        now = 1 - now;
        if (more) {
            DEPOSIT(now)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#if LONG_SUMS
#define RESULTS ROLLED
#define RESULT(i, j) WHOLE_SUM(total[(i) * (REG_N / 4) + (j)], lost[(i) * (REG_N / 4) + (j)])
#else
#define RESULTS _Pragma("unroll")
#define RESULT(i, j) sum[i][j]
#endif
    RESULTS
    for (uint i = 0; i < REG_M; ++i) {
        const uint m = m0 + (i / 4 * THREADS_M + thread_m) * 4 + i % 4;
        if (m < M) {
            RESULTS
            for (uint j = 0; j < REG_N / 4; ++j) {
                const uint n = n0 + (j * THREADS_N + thread_n) * 4;
                const ACC_VECTOR result = RESULT(i, j);
                if (n + 4 <= N) {
                    STORE_VECTOR(batch, m, n, result);
                } else {
                    if (n < N) {
                        STORE(batch, m, n, result.s0);
                    }
                    if (n + 1 < N) {
                        STORE(batch, m, n + 1, result.s1);
                    }
                    if (n + 2 < N) {
                        STORE(batch, m, n + 2, result.s2);
                    }
                }
            }
        }
    }
}
