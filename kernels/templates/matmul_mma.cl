// Matrix product of f16 or bf16 by a matrix unit: tiles in local memory, fragments in the registers of sub-groups.
//
//     C(batch, m, n) = sum over k of A(batch, m, k) * B(batch, k, n), summed in f32
//
// A work-group computes TILE_M x TILE_N results, a sub-group of 32 work-items SUB_M x SUB_N of them, by multiplications of
// 16 x 16 by 16 x 8 elements.
//
//   - Tiles lie in local memory as the operand lies in global memory, so that whole chunks of 16 bytes are copied. Chunk c of
//     row r is at c ^ (r & 7): eight rows of a fragment, or eight neighbouring chunks, then lie in different memory banks.
//   - STAGES copies of each tile: while one is multiplied, STAGES - 1 are on their way, without registers (cp.async).
//   - How many bytes are copied at a time follows the alignment of the operand that is given, and is the same for a whole
//     work-group. Elements outside an operand count as zero and are never read.
//   - Results go through local memory, so that neighbouring work-items store neighbouring results.
//   - Work-groups that start together cover a block of GROUP_M rows of tiles, which share operands in the cache.
//
// Which work-item holds which element of a fragment is as NVIDIA's mma.m16n8k16 has it (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 with floating point type"). With UNIT 0 each work-item computes by itself what it would hold then: the
// same kernel for every other device, as a reference.
//
// Launch: global size (ceil(N / TILE_N) * THREADS, ceil(M / TILE_M), BATCH), local size (THREADS, 1, 1), where
// THREADS = 32 * (TILE_M / SUB_M) * (TILE_N / SUB_N). With BULK 1 the kernel is that of matmul_bulk.cl.
//
// Tunables:
//   UNIT                    2: NVIDIA's matrix unit by inline PTX for warpgroups (compute capability 9.0, warpgroups.cl); 1: for
//                           sub-groups (8.0 and later); 0: multiply-adds
//   TILE_M, TILE_N, TILE_K  the tiles; local memory is 2 * STAGES * TILE_K * (TILE_M + TILE_N) bytes
//   SUB_M, SUB_N            results of a sub-group, multiples of 16 that divide TILE_M and TILE_N; 16 and TILE_N with UNIT 2
//   STAGES                  copies of each tile, at least 2; 3 with UNIT 2, whose products go on while the next tiles are copied
//   GROUP_M                 rows of tiles in a block; 1 leaves the order of work-groups as launched
//   A_ALONG, B_ALONG        the axis on which the operand is contiguous: ALONG_K or ALONG_M, ALONG_N or ALONG_K
// TILE_K is a multiple of 32, with UNIT 2 it is 64; TILE_M and TILE_N of 64, and THREADS divides TILE_M * TILE_K / 8 and TILE_N * TILE_K / 8.
//
// Hooks: see README.md in this folder. REAL has 16 bits; BF16 says what they are. Vectors have 4 lanes.

#ifndef KERNEL_NAME
#define KERNEL_NAME matmul_mma
#endif
#ifndef REAL
#define REAL ushort
#endif
#ifndef ACC
#define ACC float
#endif
#ifndef KERNEL_PARAMS
#define KERNEL_PARAMS                                                                                                  \
    __global const REAL *restrict a, __global const REAL *restrict b, __global float *restrict c, const uint M,        \
        const uint N, const uint K
#endif

#define VECTOR 4
#define PASTE_(x, y) x##y
#define PASTE(x, y) PASTE_(x, y)
#define ACC_VECTOR PASTE(ACC, 4)

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
#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) (((size_t)(batch) * M + (m)) * N + (n))
#endif
#ifndef STORE
#define STORE(batch, m, n, value) c[C_OFFSET(batch, m, n)] = (value)
#endif
#ifndef STORE_VECTOR
#define STORE_VECTOR(batch, m, n, value) vstore4(value, 0, c + C_OFFSET(batch, m, n))
#endif

// Four neighbours of row `m`, of which some may be outside.
#define STORE_IN_BOUNDS(m, n, result)                                                                                  \
    if ((m) < M && (n) + 4 <= N) {                                                                                     \
        STORE_VECTOR(batch, m, n, result);                                                                             \
    } else if ((m) < M) {                                                                                              \
        if ((n) < N) {                                                                                                 \
            STORE(batch, m, n, (result).s0);                                                                           \
        }                                                                                                              \
        if ((n) + 1 < N) {                                                                                             \
            STORE(batch, m, n + 1, (result).s1);                                                                       \
        }                                                                                                              \
        if ((n) + 2 < N) {                                                                                             \
            STORE(batch, m, n + 2, (result).s2);                                                                       \
        }                                                                                                              \
    }

#if UNIT == 2
#define SUMS PASTE(SUMS_, TILE_N)
// Where step `s` of the tiles begins.
#define STEP_BYTES(along) ((along) == ALONG_K ? 32 : 16 * 128)
#define MULTIPLY_STEP(s)                                                                                               \
    PASTE(MULTIPLY_TILES_, TILE_N)                                                                                     \
    (sum[0], DESCRIPTOR(A_AT + sub / 4 * (64 * 128) + (s)*STEP_BYTES(A_ALONG), TILE_K),                                \
     DESCRIPTOR(B_AT + (s)*STEP_BYTES(B_ALONG), TILE_K), A_ALONG, B_ALONG)
// Tiles are there but for those of later rounds.
#define WAIT_TILES asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory")
#else
#define SUMS(d)
#define PRODUCTS_DONE(sums)
#endif

// Results on their way out: 16 rows of each sub-group.
#define PITCH (SUB_N + 8)
#define RESULTS_SIZE (16 * PITCH * (THREADS / 32) / 4)
#define TILES_SIZE (STAGES * (SIZE_A + SIZE_B))
#define LOCAL_SIZE (TILES_SIZE > RESULTS_SIZE ? TILES_SIZE : RESULTS_SIZE)

// One element, as its bits: of an operand in memory, or computed by a hook and rounded.
#define BITS_OF PASTE(KERNEL_NAME, _bits)
#ifdef LOAD_A
#define IN_MEMORY_A 0
#define BITS_A(outer, depth) BITS_OF(LOAD_A(batch, outer, depth))
#else
#define IN_MEMORY_A 1
#define BITS_A(outer, depth)                                                                                           \
    ((__global const ushort *)a)[A_OFFSET(batch) + (size_t)(outer) * A_STRIDE_M + (size_t)(depth) * A_STRIDE_K]
#endif
#ifdef LOAD_B
#define IN_MEMORY_B 0
#define BITS_B(outer, depth) BITS_OF(LOAD_B(batch, depth, outer))
#else
#define IN_MEMORY_B 1
#define BITS_B(outer, depth)                                                                                           \
    ((__global const ushort *)b)[B_OFFSET(batch) + (size_t)(depth) * B_STRIDE_K + (size_t)(outer) * B_STRIDE_N]
#endif
#if !IN_MEMORY_A || !IN_MEMORY_B
static inline ushort BITS_OF(const float value)
{
#if BF16
    const uint bits = as_uint(value);
    return isnan(value) ? (ushort)(bits >> 16 | 0x40) : (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
#else
    ushort bits;
    vstore_half_rte(value, 0, (half *)&bits);
    return bits;
#endif
}
#endif
#if BF16
#define VALUE_OF(bits) as_float((uint)(bits) << 16)
#else
#define VALUE_OF(bits) PASTE(KERNEL_NAME, _value)(bits)
#if !UNIT
static inline float PASTE(KERNEL_NAME, _value)(const ushort bits)
{
    return vload_half(0, (const half *)&bits);
}
#endif
#endif

// How many of the 8 elements of a chunk that begins there are in bounds.
#define LEFT_IN(outer, outers, depth, step)                                                                            \
    ((outer) < (outers) && (depth) < (uint)(K)                                                                         \
         ? min(8u, (step) ? (uint)(K) - (depth) : (uint)(outers) - (outer))                                            \
         : 0u)

// A chunk, element by element. Fixed places in registers: the loads are on their way together.
#define CHUNK_BY_ELEMENTS(X, to)                                                                                       \
    {                                                                                                                  \
        ushort own[8];                                                                                                 \
        _Pragma("unroll") for (uint e = 0; e < 8; ++e) own[e] =                                                        \
            e < left ? BITS_##X(outer + STEP_OUTER_##X(e), depth + STEP_DEPTH_##X(e)) : (ushort)0;                     \
        (to) = (uint4)(own[0] | (uint)own[1] << 16, own[2] | (uint)own[3] << 16, own[4] | (uint)own[5] << 16,          \
                       own[6] | (uint)own[7] << 16);                                                                   \
    }

// Where chunk `i` of a work-item comes from and goes to.
#define CHUNK(X, row0, chunk0, outer0, outers, slot)                                                                   \
    const uint row = row0 + i * STEP_##X;                                                                              \
    const uint outer = outer0 + OUTER_##X(row, chunk0);                                                                \
    const uint depth = k_next + DEPTH_##X(row, chunk0);                                                                \
    const uint left = LEFT_IN(outer, outers, depth, STEP_DEPTH_##X(1));                                                \
    const uint place = FIRST_##X(slot) + SWIZZLED(row, chunk0, ROWS_##X, CHUNKS_##X);

#if UNIT
// How many elements of an operand in memory can be copied at a time: all rows begin aligned to so many.
#define GRAIN(X, first, stride)                                                                                        \
    (!CONTIGUOUS_##X ? 1u                                                                                              \
                     : ((((uint)(ulong)(first)) | (uint)(stride)*2) & 15) == 0 ? 8u                                    \
                     : ((((uint)(ulong)(first)) | (uint)(stride)*2) & 7) == 0  ? 4u                                    \
                     : ((((uint)(ulong)(first)) | (uint)(stride)*2) & 3) == 0  ? 2u                                    \
                                                                               : 1u)
#define BYTES(part, each) ((uint)clamp((int)(left * 2) - (part) * (each), 0, each))
#define FETCH_OPERAND(X, from, row0, chunk0, outer0, outers, slot)                                                     \
    if (IN_MEMORY_##X && (ALIGNED == 8 || grain_##X == 8)) {                                                           \
        _Pragma("unroll") for (uint i = 0; i < PER_##X; ++i)                                                           \
        {                                                                                                              \
            CHUNK(X, row0, chunk0, outer0, outers, slot)                                                               \
            COPY_16(ADDRESS(tiles) + place * 16, from + (size_t)i * STEP_##X * ROW_STRIDE_##X, left * 2);              \
        }                                                                                                              \
    } else if (IN_MEMORY_##X && (ALIGNED >= 4 || grain_##X > 1)) {                                                     \
        _Pragma("unroll 2") for (uint i = 0; i < PER_##X; ++i)                                                         \
        {                                                                                                              \
            CHUNK(X, row0, chunk0, outer0, outers, slot)                                                               \
            const uint to = ADDRESS(tiles) + place * 16;                                                               \
            __global const ushort *const source = from + (size_t)i * STEP_##X * ROW_STRIDE_##X;                        \
            if (ALIGNED >= 4 || grain_##X == 4) {                                                                      \
                COPY_8(to, source, BYTES(0, 8));                                                                       \
                COPY_8(to + 8, source + 4, BYTES(1, 8));                                                               \
            } else {                                                                                                   \
                COPY_4(to, source, BYTES(0, 4));                                                                       \
                COPY_4(to + 4, source + 2, BYTES(1, 4));                                                               \
                COPY_4(to + 8, source + 4, BYTES(2, 4));                                                               \
                COPY_4(to + 12, source + 6, BYTES(3, 4));                                                              \
            }                                                                                                          \
        }                                                                                                              \
    } else {                                                                                                           \
        _Pragma("unroll 2") for (uint i = 0; i < PER_##X; ++i)                                                         \
        {                                                                                                              \
            CHUNK(X, row0, chunk0, outer0, outers, slot)                                                               \
            CHUNK_BY_ELEMENTS(X, tiles[place])                                                                         \
        }                                                                                                              \
    }
#else
#define FETCH_OPERAND(X, from, row0, chunk0, outer0, outers, slot)                                                     \
    ROLLED for (uint i = 0; i < PER_##X; ++i)                                                                          \
    {                                                                                                                  \
        CHUNK(X, row0, chunk0, outer0, outers, slot)                                                                   \
        CHUNK_BY_ELEMENTS(X, tiles[place])                                                                             \
    }
#endif

// The next tiles, to one of the copies.
#define FETCH(slot)                                                                                                    \
    if (k_next < (uint)(K)) {                                                                                          \
        FETCH_OPERAND(A, a_from, a_row, a_chunk, m0, M, slot)                                                          \
        FETCH_OPERAND(B, b_from, b_row, b_chunk, n0, N, slot)                                                          \
        ADVANCE                                                                                                        \
    }                                                                                                                  \
    k_next += TILE_K;                                                                                                  \
    COMMIT;
#if UNIT && IN_MEMORY_A
#define ADVANCE_A a_from += (size_t)TILE_K * A_STRIDE_K;
#else
#define ADVANCE_A
#endif
#if UNIT && IN_MEMORY_B
#define ADVANCE_B b_from += (size_t)TILE_K * B_STRIDE_K;
#else
#define ADVANCE_B
#endif
#define ADVANCE ADVANCE_A ADVANCE_B

#define NEXT_SLOTS                                                                                                     \
    now = now + 1 == STAGES ? 0 : now + 1;                                                                             \
    free = free + 1 == STAGES ? 0 : free + 1;
// To the next tiles: they are there, and nobody reads the last ones any more.
#define NEXT_TILES                                                                                                     \
    WAIT;                                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    NEXT_SLOTS
#if !BULK
// How many tiles are on their way: with UNIT 2 two may be in use, one by this warpgroup and one by another that is not as far.
#if UNIT == 2
#define AHEAD (STAGES - 2)
#else
#define AHEAD (STAGES - 1)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local uint4 tiles[LOCAL_SIZE] __attribute__((aligned(1024)));

    const uint thread = (uint)get_local_id(0);
    const uint lane = thread % 32;
    const uint sub = thread / 32;
    const uint sub_m = sub / SUBS_N * SUB_M;
    const uint sub_n = sub % SUBS_N * SUB_N;

    const uint tiles_n = (uint)get_num_groups(0);
    const uint tiles_m = (uint)get_num_groups(1);
    TILE_IN_BLOCKS((uint)get_group_id(1) * tiles_n + (uint)get_group_id(0))
    const uint batch = (uint)get_group_id(2);

    const uint a_row = thread / CHUNKS_A, a_chunk = thread % CHUNKS_A;
    const uint b_row = thread / CHUNKS_B, b_chunk = thread % CHUNKS_B;
#if UNIT && IN_MEMORY_A
    __global const ushort *a_from = (__global const ushort *)a + A_OFFSET(batch);
    const uint grain_A = GRAIN(A, a_from, ROW_STRIDE_A);
    a_from += (size_t)(m0 + OUTER_A(a_row, a_chunk)) * A_STRIDE_M + (size_t)DEPTH_A(a_row, a_chunk) * A_STRIDE_K;
#elif UNIT
    __global const ushort *const a_from = 0;
    const uint grain_A = 1;
#endif
#if UNIT && IN_MEMORY_B
    __global const ushort *b_from = (__global const ushort *)b + B_OFFSET(batch);
    const uint grain_B = GRAIN(B, b_from, ROW_STRIDE_B);
    b_from += (size_t)(n0 + OUTER_B(b_row, b_chunk)) * B_STRIDE_N + (size_t)DEPTH_B(b_row, b_chunk) * B_STRIDE_K;
#elif UNIT
    __global const ushort *const b_from = 0;
    const uint grain_B = 1;
#endif

    float sum[SUB_M / 16][SUB_N / 8][4];
    EACH_SUM(sum[i][j][e] = 0.0f;)
#if LONG_SUMS
    TOTALS
#endif

    uint k_next = 0;
    ROLLED
    for (uint slot = 0; slot < AHEAD; ++slot) {
        FETCH(slot)
    }
    uint now = 0;
    uint free = AHEAD;
#if UNIT != 2
    // The first tiles are there.
    WAIT;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if UNIT == 1
    uint x[2][SUB_M / 16][4];
    uint y[2][SUB_N / 16][4];
    FRAGMENTS(0, 0)
#endif
    ROLLED
    for (uint k0 = 0; k0 < (uint)(K); k0 += TILE_K) {
#if UNIT == 2
        // These tiles are there. Those of two rounds ago are multiplied by nobody any more: the next ones take their place.
        WAIT_TILES;
        FENCE_TILES;
        barrier(CLK_LOCAL_MEM_FENCE);
        FENCE_PRODUCTS;
#pragma unroll
        for (uint s = 0; s < TILE_K / 16; ++s)
            MULTIPLY_STEP(s);
        COMMIT_PRODUCTS;
        FETCH(free)
        WAIT_PRODUCTS(1);
        NEXT_SLOTS
#elif UNIT
#pragma unroll
        for (uint s = 0; s < TILE_K / 16; ++s) {
            // While fragments are multiplied, the next are on their way: in the last step those of the next tiles.
            if (s + 1 == TILE_K / 16) {
                NEXT_TILES
            }
            FRAGMENTS((s + 1) % 2, (s + 1) % (TILE_K / 16))
            if (s == 0) {
                FETCH(free)
            }
#pragma unroll
            for (uint i = 0; i < SUB_M / 16; ++i)
#pragma unroll
                for (uint j = 0; j < SUB_N / 8; ++j)
                    MULTIPLY(sum[i][j], x[s % 2][i], y[s % 2][j / 2][j % 2 * 2], y[s % 2][j / 2][j % 2 * 2 + 1]);
        }
#else
        FETCH(free)
        __local const ushort *const a_tile = (__local const ushort *)(tiles + FIRST_A(now));
        __local const ushort *const b_tile = (__local const ushort *)(tiles + FIRST_B(now));
        ROLLED
        for (uint i = 0; i < SUB_M / 16; ++i)
            ROLLED
            for (uint j = 0; j < SUB_N / 8; ++j)
                ROLLED
                for (uint e = 0; e < 4; ++e) {
                    const uint row = sub_m + i * 16 + lane / 4 + e / 2 * 8;
                    const uint column = sub_n + j * 8 + lane % 4 * 2 + e % 2;
                    ROLLED
                    for (uint s = 0; s < TILE_K; s += 16) {
                        float own = 0.0f;
                        ROLLED
                        for (uint k = s; k < s + 16; ++k)
                            own = mad(VALUE_OF(a_tile[PLACE_A(row, k)]), VALUE_OF(b_tile[PLACE_B(column, k)]), own);
                        sum[i][j][e] += own;
                    }
                }
        NEXT_TILES
#endif
#if LONG_SUMS
        ADD_LONG_SUMS(k0)
#endif
    }
    WAIT_ALL;
    PRODUCTS_DONE(SUMS(sum[0]))

#if LONG_SUMS
    WHOLE_SUMS
#endif
    __local float *const results = (__local float *)tiles + sub * (16 * PITCH);
#pragma unroll
    for (uint i = 0; i < SUB_M / 16; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < SUB_N / 8; ++j)
#pragma unroll
            for (uint e = 0; e < 4; e += 2)
                *(__local float2 *)(results + (lane / 4 + e / 2 * 8) * PITCH + j * 8 + lane % 4 * 2) =
                    (float2)(sum[i][j][e], sum[i][j][e + 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
#define RESULT_AT(at)                                                                                                  \
    const uint row = (at) / (SUB_N / 4);                                                                               \
    const uint column = (at) % (SUB_N / 4) * 4;                                                                        \
    const uint m = m0 + sub_m + i * 16 + row;                                                                          \
    const uint n = n0 + sub_n + column;                                                                                \
    const ACC_VECTOR result = *(__local const float4 *)(results + row * PITCH + column);
#if UNIT
        // Without conditions what several results need from memory is on its way at once.
        if (m0 + TILE_M <= M && n0 + TILE_N <= N) {
#pragma unroll 4
            for (uint step = 0; step < SUB_N / 8; ++step) {
                RESULT_AT(step * 32 + lane)
                STORE_VECTOR(batch, m, n, result);
            }
            continue;
        }
#endif
        ROLLED
        for (uint at = lane; at < 16 * SUB_N / 4; at += 32) {
            RESULT_AT(at)
            STORE_IN_BOUNDS(m, n, result)
        }
    }
}
#endif
