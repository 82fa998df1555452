// Matrix product with square tiles in local memory.
//
//     C(batch, m, n) = sum over k of A(batch, m, k) * B(batch, k, n)
//
// A work-group computes a square of TILE x TILE results, one for each work-item. It walks along k in steps of TILE; at
// each step the work-items together copy one tile of A and one of B into local memory, wait for each other, and then
// every one of them reads a row and a column from there. A global element is thus read once for TILE results instead
// of once for each. This is the classic first optimisation (NVIDIA's OpenCL best-practices guide has it), and the step
// between matmul_naive.cl and matmul_register.cl, where one work-item computes many results.
//
// The first local index runs along the axis on which an operand is contiguous, so that global reads fall together; the
// tiles have one spare column, so that reading or writing them along the other axis uses different memory banks.
//
// A work-item outside the matrix still takes part in the copy and in every barrier; only its result is left out.
//
// Launch: global size (N rounded up to TILE, M rounded up to TILE, BATCH), local size (TILE, TILE, 1).
//
// Tunables:
//   TILE               side of the square; TILE * TILE work-items
//   A_ALONG, B_ALONG   the axis on which the operand is contiguous: ALONG_K or ALONG_M, ALONG_N or ALONG_K
//
// Hooks: see README.md in this folder.

#define ALONG_K 0
#define ALONG_M 1
#define ALONG_N 1

#ifndef KERNEL_NAME
#define KERNEL_NAME matmul_tiled
#endif
#ifndef TILE
#define TILE 16
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
#ifndef LOAD_A
#define LOAD_A(batch, m, k) READ(a, A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M + (size_t)(k) * A_STRIDE_K)
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n) READ(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (size_t)(n) * B_STRIDE_N)
#endif

#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) (((size_t)(batch) * M + (m)) * N + (n))
#endif
#ifndef STORE
#define STORE(batch, m, n, value) WRITE(c, C_OFFSET(batch, m, n), value)
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
#define BLOCK_K 256 // a multiple of TILE

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local ACC tile_a[TILE][TILE + 1]; // [m][k]
    __local ACC tile_b[TILE][TILE + 1]; // [k][n]

    const uint x = (uint)get_local_id(0);
    const uint y = (uint)get_local_id(1);
    const uint n0 = (uint)get_group_id(0) * TILE;
    const uint m0 = (uint)get_group_id(1) * TILE;
    const uint batch = (uint)get_group_id(2);

    const uint a_m = A_ALONG == ALONG_K ? y : x;
    const uint a_k = A_ALONG == ALONG_K ? x : y;
    const uint b_k = B_ALONG == ALONG_N ? y : x;
    const uint b_n = B_ALONG == ALONG_N ? x : y;

    ACC sum = (ACC)0;
#if LONG_SUMS
    ACC total = (ACC)0;
    ACC lost = (ACC)0;
#endif
    for (uint k0 = 0; k0 < K; k0 += TILE) {
        ACC element_a = (ACC)0;
        ACC element_b = (ACC)0;
        if (m0 + a_m < M && k0 + a_k < K)
            element_a = LOAD_A(batch, m0 + a_m, k0 + a_k);
        if (k0 + b_k < K && n0 + b_n < N)
            element_b = LOAD_B(batch, k0 + b_k, n0 + b_n);
        tile_a[a_m][a_k] = element_a;
        tile_b[b_k][b_n] = element_b;
        barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
        for (uint k = 0; k < TILE; ++k)
            sum = MULTIPLY_ADD(tile_a[y][k], tile_b[k][x], sum);
#if LONG_SUMS
        if ((k0 + TILE) % BLOCK_K == 0) {
            ADD_BLOCK(ACC, total, lost, sum)
            sum = (ACC)0;
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#if LONG_SUMS
    ADD_BLOCK(ACC, total, lost, sum)
    sum = WHOLE_SUM(total, lost);
#endif

    if (m0 + y < M && n0 + x < N) {
        STORE(batch, m0 + y, n0 + x, sum);
    }
}
